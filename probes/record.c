// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records with hand-made fields through LTTng's public API: every case that is not the plain one.
 */

#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <probes/record.h>

static bool tracker_drops(struct lttng_kernel_id_tracker *tracker, int id)
{
	struct lttng_kernel_id_tracker_rcu *ids = rcu_dereference_raw(tracker->p);

	return ids && !lttng_id_tracker_lookup(ids, id);
}

static bool session_drops(struct lttng_kernel_session *session)
{
	if (likely(!mm_session_tracks(session)))
		return false;
	return tracker_drops(&session->pid_tracker, current->tgid) ||
	       tracker_drops(&session->vpid_tracker, task_tgid_vnr(current)) ||
	       tracker_drops(&session->uid_tracker,
			     from_kuid_munged(&init_user_ns, current_uid())) ||
	       tracker_drops(&session->vuid_tracker,
			     from_kuid_munged(current_user_ns(), current_uid())) ||
	       tracker_drops(&session->gid_tracker,
			     from_kgid_munged(&init_user_ns, current_gid())) ||
	       tracker_drops(&session->vgid_tracker,
			     from_kgid_munged(current_user_ns(), current_gid()));
}

/* The BITS bits at bit AT of little-endian bytes. */
static u64 read_bits(const u8 *bytes, unsigned int at, unsigned int bits)
{
	unsigned int have = 0;
	u64 value = 0;

	while (have < bits) {
		unsigned int shift = (at + have) % 8;
		unsigned int take = min(bits - have, 8 - shift);
		u64 part = bytes[(at + have) / 8] >> shift;

		value |= (part & ((1U << take) - 1)) << have;
		have += take;
	}
	return value;
}

static const struct lttng_kernel_type_integer *
field_integer(const struct lttng_kernel_type_common *type)
{
	if (type->type == lttng_kernel_type_enum)
		type = container_of(type, struct lttng_kernel_type_enum, parent)->container_type;
	return container_of(type, struct lttng_kernel_type_integer, parent);
}

/* What LTTng's bytecode interpreter reads fields from: 64 bits each, a pointer for a string. */
static void fill_stack(u64 *stack, const struct lttng_kernel_tracepoint_class *class,
		       const void *bytes, const char *text)
{
	unsigned int at = 0;

	for (unsigned int i = 0; i < class->nr_fields; i++) {
		const struct lttng_kernel_type_common *type = class->fields[i]->type;
		const struct lttng_kernel_type_integer *integer;

		if (type->type == lttng_kernel_type_string) {
			const char *string = text ? text : "";

			memcpy(&stack[i], &string, sizeof(string));
			continue;
		}
		integer = field_integer(type);
		stack[i] = read_bits(bytes, at, integer->size);
		if (integer->signedness && integer->size < 64)
			stack[i] = (u64)sign_extend64(stack[i], integer->size - 1);
		at += integer->size;
	}
}

static void write_record(struct lttng_kernel_event_recorder *event,
			 struct lttng_kernel_probe_ctx *probe_ctx, const void *bytes, size_t len,
			 const char *text)
{
	struct lttng_kernel_channel_buffer *chan = event->chan;
	size_t text_len = text ? strlen(text) + 1 : 0;
	struct lttng_kernel_ring_buffer_ctx ctx;

	lib_ring_buffer_ctx_init(&ctx, event, len + text_len, 1, probe_ctx);
	if (chan->ops->event_reserve(&ctx) < 0)
		return;
	chan->ops->event_write(&ctx, bytes, len, 1);
	if (text)
		chan->ops->event_strcpy(&ctx, text, text_len);
	chan->ops->event_commit(&ctx);
}

static struct lttng_kernel_channel_common *event_channel(struct lttng_kernel_event_common *event)
{
	switch (event->type) {
	case LTTNG_KERNEL_EVENT_TYPE_RECORDER:
		return &container_of(event, struct lttng_kernel_event_recorder, parent)
				->chan->parent;
#if LTTNG_MODULES_MAJOR_VERSION > 2 || LTTNG_MODULES_MINOR_VERSION >= 14
	case LTTNG_KERNEL_EVENT_TYPE_COUNTER:
		return &container_of(event, struct lttng_kernel_event_counter, parent)
				->chan->parent;
#endif
	default:
		return NULL;
	}
}

void mm_record_slow(struct lttng_kernel_event_common *event,
		    const struct lttng_kernel_tracepoint_class *class, const void *bytes,
		    size_t len, const char *text)
{
	struct lttng_kernel_channel_common *chan = event_channel(event);
	struct lttng_kernel_probe_ctx probe_ctx = {
		.event = event,
		.interruptible = !irqs_disabled(),
	};
	u64 stack[MM_RECORD_FIELDS];

	if (unlikely(!READ_ONCE(event->enabled)))
		return;
	if (chan && (!READ_ONCE(chan->session->active) || !READ_ONCE(chan->enabled) ||
		     session_drops(chan->session)))
		return;
	fill_stack(stack, class, bytes, text);
	if (READ_ONCE(event->eval_filter) &&
	    event->run_filter(event, (const char *)stack, &probe_ctx, NULL) !=
		    LTTNG_KERNEL_EVENT_FILTER_ACCEPT)
		return;

	switch (event->type) {
	case LTTNG_KERNEL_EVENT_TYPE_RECORDER:
		write_record(container_of(event, struct lttng_kernel_event_recorder, parent),
			     &probe_ctx, bytes, len, text);
		break;
	case LTTNG_KERNEL_EVENT_TYPE_NOTIFIER: {
		struct lttng_kernel_event_notifier *notifier =
			container_of(event, struct lttng_kernel_event_notifier, parent);
		struct lttng_kernel_notification_ctx ctx = {
			.eval_capture = READ_ONCE(notifier->eval_capture),
		};

		notifier->notification_send(notifier, (const char *)stack, &probe_ctx, &ctx);
		break;
	}
#if LTTNG_MODULES_MAJOR_VERSION > 2 || LTTNG_MODULES_MINOR_VERSION >= 14
	case LTTNG_KERNEL_EVENT_TYPE_COUNTER: {
		struct lttng_kernel_event_counter *counter =
			container_of(event, struct lttng_kernel_event_counter, parent);
		struct lttng_kernel_event_counter_ctx ctx = {
			.args_available = READ_ONCE(counter->use_args),
		};

		(void)counter->chan->ops->counter_hit(counter, (const char *)stack, &probe_ctx,
						      &ctx);
		break;
	}
#endif
	default:
		WARN_ON_ONCE(1);
	}
}
