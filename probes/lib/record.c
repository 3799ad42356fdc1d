// SPDX-License-Identifier: GPL-2.0-only
/*
 * The general path. If the fast path does not handle a case, writes the record through LTTng's
 * public API.
 */

#include <linux/cred.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <probes/lib/bits.h>
#include <probes/lib/filter.h>
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

static const struct lttng_kernel_type_integer *
field_integer(const struct lttng_kernel_type_common *type)
{
	if (type->type == lttng_kernel_type_enum)
		type = container_of(type, struct lttng_kernel_type_enum, parent)->container_type;
	return container_of(type, struct lttng_kernel_type_integer, parent);
}

/*
 * Fills the stack for LTTng's bytecode interpreter: 64 bits per number, a pointer per string.
 * Fields beyond LEN bytes are 0 or empty.
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
		stack[i] = at + integer->size <= 8 * len
				   ? lttng_mm_read_bits(bytes, len, at, integer->size,
							integer->signedness)
				   : 0;
		at += integer->size;
	}
}

/*
 * Fills the stack for a class described at run time. An array takes two entries: its length and a
 * pointer.
 */
static __always_inline void fill_stack_made(u64 *stack, const struct lttng_mm_made_class *class,
					    const u8 *bytes)
{
	const struct lttng_mm_place *place = class->place;
	const struct lttng_mm_place *end = place + class->numbers;

	for (; place < end; place++)
		*stack++ = lttng_mm_place_value(place, bytes);
	bytes += class->number_bytes;
	for (end = class->place + class->class.nr_fields; unlikely(place < end); place++) {
		if (place->bytes)
			*stack++ = place->bytes;
		*stack++ = (unsigned long)bytes;
		bytes += place->bytes ? place->bytes : strlen((const char *)bytes) + 1;
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

/* Writes BYTES. MADE describes them, or CLASS does if MADE is NULL. */
static __always_inline void record_general(struct lttng_kernel_event_common *event,
					   const struct lttng_kernel_tracepoint_class *class,
					   const struct lttng_mm_made_class *made,
					   const void *bytes, size_t len)
{
	struct lttng_kernel_channel_common *chan = event_channel(event);
	struct lttng_kernel_probe_ctx probe_ctx = {
		.event = event,
		.interruptible = !irqs_disabled(),
	};
	bool filters = READ_ONCE(event->eval_filter);
	u64 stack[2 * LTTNG_MM_RECORD_FIELDS] LTTNG_MM_NO_CLEAR;

	if (unlikely(!READ_ONCE(event->enabled)))
		return;
	if (chan && (!READ_ONCE(chan->session->active) || !READ_ONCE(chan->enabled) ||
		     session_drops(chan->session)))
		return;
	if (filters && made) {
		enum lttng_mm_filter_result result = lttng_mm_filter(event, made, bytes);

		if (result == LTTNG_MM_FILTER_REJECTS)
			return;
		filters = result == LTTNG_MM_FILTER_OTHER;
	}
	/* A recorder writes the bytes directly and does not need the stack. */
	if (filters || event->type != LTTNG_KERNEL_EVENT_TYPE_RECORDER) {
		if (made)
			fill_stack_made(stack, made, bytes);
		else
			fill_stack(stack, class, bytes, len);
	}
	if (filters && event->run_filter(event, (const char *)stack, &probe_ctx, NULL) !=
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

void lttng_mm_record_general(struct lttng_kernel_event_common *event,
			     const struct lttng_kernel_tracepoint_class *class, const void *bytes,
			     size_t len)
{
	record_general(event, class, NULL, bytes, len);
}
EXPORT_SYMBOL_GPL(lttng_mm_record_general);

void lttng_mm_record_made_general(struct lttng_kernel_event_common *event,
				  const struct lttng_mm_made_class *class, const void *bytes,
				  size_t len)
{
	record_general(event, NULL, class, bytes, len);
}
EXPORT_SYMBOL_GPL(lttng_mm_record_made_general);

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

const char *lttng_mm_enum_flaw(const struct lttng_kernel_enum_desc *labels)
{
	for (unsigned int i = 0; i < labels->nr_entries; i++) {
		const struct lttng_kernel_enum_entry *entry = labels->entries[i];
		const struct lttng_kernel_enum_entry *last = i ? labels->entries[i - 1] : NULL;

		if (entry->options.is_auto)
			return "a label has no value";
		if (last &&
		    (entry->start.signedness ? (s64)entry->start.value <= (s64)last->end.value
					     : entry->start.value <= last->end.value))
			return "the values of its labels do not ascend";
		for (unsigned int j = 0; j < i; j++)
			if (!strcmp(labels->entries[j]->string, entry->string))
				return "two of its labels are the same";
	}
	return NULL;
}

bool lttng_mm_class_fits(const struct lttng_kernel_tracepoint_class *class, const char *event,
			 size_t bytes)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < class->nr_fields; i++) {
		const struct lttng_kernel_type_common *type = class->fields[i]->type;
		const char *flaw = NULL;

		if (type->type == lttng_kernel_type_enum)
			flaw = lttng_mm_enum_flaw(
				container_of(type, struct lttng_kernel_type_enum, parent)->desc);
		if (flaw) {
			pr_err("lttng-mm-lib: event %s refused: field %s: %s\n", event,
			       class->fields[i]->name, flaw);
			return false;
		}
		if (type->type != lttng_kernel_type_string)
			bits += field_integer(type)->size;
	}
	if (bits == bytes * 8 && bytes <= LTTNG_MM_RECORD_BYTES)
		return true;
	pr_err("lttng-mm-lib: event %s refused: fields of %u bits in a record of %zu bytes\n",
	       event, bits, bytes);
	return false;
}
EXPORT_SYMBOL_GPL(lttng_mm_class_fits);
