// SPDX-License-Identifier: GPL-2.0-only
/*
 * The general path: writes records through LTTng's public API, in every case that the fast path
 * does not handle.
 */

#include <linux/cred.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <probes/lib/record.h>

static bool tracker_drops(struct lttng_kernel_id_tracker *tracker, int id)
{
	struct lttng_kernel_id_tracker_rcu *ids = rcu_dereference_raw(tracker->p);

	return ids && !lttng_id_tracker_lookup(ids, id);
}

static bool session_drops(struct lttng_kernel_session *session)
{
	if (likely(!lttng_mm_session_tracks(session)))
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

/* Reads BITS bits at bit AT of little-endian bytes. */
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

/*
 * Fills the values that LTTng's bytecode interpreter reads: 64 bits for each field, a pointer for a
 * string. A field beyond LEN bytes is 0 or empty.
 */
static void fill_stack(u64 *stack, const struct lttng_kernel_tracepoint_class *class,
		       const u8 *bytes, size_t len)
{
	unsigned int at = 0;

	for (unsigned int i = 0; i < class->nr_fields; i++) {
		const struct lttng_kernel_type_common *type = class->fields[i]->type;
		const struct lttng_kernel_type_integer *integer;

		if (type->type == lttng_kernel_type_string) {
			const char *string = at / 8 < len ? (const char *)bytes + at / 8 : "";

			memcpy(&stack[i], &string, sizeof(string));
			at += 8 * ((unsigned int)strlen(string) + 1);
			continue;
		}
		integer = field_integer(type);
		stack[i] = at + integer->size <= 8 * len ? read_bits(bytes, at, integer->size) : 0;
		if (integer->signedness && integer->size < 64)
			stack[i] = (u64)sign_extend64(stack[i], integer->size - 1);
		at += integer->size;
	}
}

static void write_record(struct lttng_kernel_event_recorder *event,
			 struct lttng_kernel_probe_ctx *probe_ctx, const void *bytes, size_t len)
{
	struct lttng_kernel_channel_buffer *chan = event->chan;
	struct lttng_kernel_ring_buffer_ctx ctx;

	lib_ring_buffer_ctx_init(&ctx, event, len, 1, probe_ctx);
	if (chan->ops->event_reserve(&ctx) < 0)
		return;
	chan->ops->event_write(&ctx, bytes, len, 1);
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

void lttng_mm_record_general(struct lttng_kernel_event_common *event,
			     const struct lttng_kernel_tracepoint_class *class, const void *bytes,
			     size_t len)
{
	struct lttng_kernel_channel_common *chan = event_channel(event);
	struct lttng_kernel_probe_ctx probe_ctx = {
		.event = event,
		.interruptible = !irqs_disabled(),
	};
	u64 stack[LTTNG_MM_RECORD_FIELDS];

	if (unlikely(!READ_ONCE(event->enabled)))
		return;
	if (chan && (!READ_ONCE(chan->session->active) || !READ_ONCE(chan->enabled) ||
		     session_drops(chan->session)))
		return;
	fill_stack(stack, class, bytes, len);
	if (READ_ONCE(event->eval_filter) &&
	    event->run_filter(event, (const char *)stack, &probe_ctx, NULL) !=
		    LTTNG_KERNEL_EVENT_FILTER_ACCEPT)
		return;

	switch (event->type) {
	case LTTNG_KERNEL_EVENT_TYPE_RECORDER:
		write_record(container_of(event, struct lttng_kernel_event_recorder, parent),
			     &probe_ctx, bytes, len);
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
EXPORT_SYMBOL_GPL(lttng_mm_record_general);

void lttng_mm_record_text(struct lttng_kernel_event_common *event,
			  const struct lttng_kernel_tracepoint_class *class, const void *numbers,
			  size_t len, const char *text)
{
	struct lttng_mm_packed_text rec LTTNG_MM_NO_CLEAR;

	if (WARN_ON_ONCE(len > LTTNG_MM_RECORD_BYTES))
		return;
	memcpy(rec.bytes, numbers, len);
	len = lttng_mm_put_text(rec.bytes, len, text, LTTNG_MM_TEXT_BYTES);
	lttng_mm_record_general(event, class, rec.bytes, len);
}
EXPORT_SYMBOL_GPL(lttng_mm_record_text);

bool lttng_mm_class_fits(const struct lttng_kernel_tracepoint_class *class, const char *event,
			 size_t bytes)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < class->nr_fields; i++) {
		const struct lttng_kernel_type_common *type = class->fields[i]->type;

		if (type->type != lttng_kernel_type_string)
			bits += field_integer(type)->size;
	}
	if (bits == bytes * 8 && bytes <= LTTNG_MM_RECORD_BYTES)
		return true;
	pr_err("lttng-mm-lib: %s: fields of %u bits in a record of %zu bytes\n", event, bits,
	       bytes);
	return false;
}
EXPORT_SYMBOL_GPL(lttng_mm_class_fits);
