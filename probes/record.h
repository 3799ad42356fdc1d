/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events whose record a probe puts together itself: fields of any number of bits, written at once.
 *
 * An event's fields are described by hand. The plain case (a recorder, no filter, no tracker) is
 * one write of the finished bytes; every other case goes to mm_record_slow(), which reads the same
 * bytes by the same description, so that a filter, a capture or a counter sees what the trace would
 * hold.
 */
#ifndef LTTNG_MM_PROBES_RECORD_H
#define LTTNG_MM_PROBES_RECORD_H

#include <lttng/events.h>
#include <probes/compat/ring-buffer.h>

/* Fields of an event, at most: mm_record_slow() has room for so many on its stack. */
#define MM_RECORD_FIELDS	12

/* One field each: bits low to high in little-endian bytes, without padding between fields. */
#define mm_field(_name, _bits, _signed, _base)						\
	lttng_kernel_static_event_field(#_name,						\
		lttng_kernel_static_type_integer(_bits, 1, _signed, __LITTLE_ENDIAN, _base), 0, 0)
#define mm_field_uint(_name, _bits)	mm_field(_name, _bits, 0, 10)
#define mm_field_int(_name, _bits)	mm_field(_name, _bits, 1, 10)
#define mm_field_hex(_name, _bits)	mm_field(_name, _bits, 0, 16)
#define mm_field_enum(_name, _bits, _desc)						\
	lttng_kernel_static_event_field(#_name,						\
		lttng_kernel_static_type_enum(_desc,					\
			lttng_kernel_static_type_integer(_bits, 1, 0, __LITTLE_ENDIAN, 10)), 0, 0)
/* A string: the last field only. */
#define mm_field_text(_name)								\
	lttng_kernel_static_event_field(#_name, lttng_kernel_static_type_string(UTF8, 0), 0, 0)

/* An enumeration's entries are sorted by LTTng 2.16 and later, in room that it wants from us. */
#if LTTNG_MODULES_MAJOR_VERSION > 2 || LTTNG_MODULES_MINOR_VERSION >= 15
#define mm_enum_sorted(_name)	\
	static struct lttng_kernel_enum_entry _name##_sorted[ARRAY_SIZE(_name##_entries)];
#define mm_enum_sorted_init(_name)	.sorted_entries = _name##_sorted,
#else
#define mm_enum_sorted(_name)
#define mm_enum_sorted_init(_name)
#endif

/*
 * mm_enum(NAME, PROVIDER, ENTRY...): ENTRY is lttng_kernel_static_enum_entry_value() without a
 * comma.
 */
#define mm_enum(_name, _provider, ...)							\
	static const struct lttng_kernel_enum_entry *const _name##_entries[] = { __VA_ARGS__ };	\
	mm_enum_sorted(_name)								\
	static const struct lttng_kernel_enum_desc _name = {				\
		.name = #_name,								\
		.entries = _name##_entries,						\
		.nr_entries = ARRAY_SIZE(_name##_entries),				\
		.probe_desc = &(_provider),						\
		mm_enum_sorted_init(_name)						\
	}

/*
 * mm_record_slow - any event, any case: trackers, filter, context, trigger, counter
 *
 * BYTES are LEN bytes as CLASS describes them; TEXT is the last field's string, or NULL.
 *
 * Context: any, preemption off. Takes no lock of ours; a filter and a trigger run LTTng's code.
 */
void mm_record_slow(struct lttng_kernel_event_common *event,
		    const struct lttng_kernel_tracepoint_class *class, const void *bytes,
		    size_t len, const char *text);

static __always_inline bool mm_session_tracks(const struct lttng_kernel_session *session)
{
	return ((unsigned long)READ_ONCE(session->pid_tracker.p) |
		(unsigned long)READ_ONCE(session->vpid_tracker.p) |
		(unsigned long)READ_ONCE(session->uid_tracker.p) |
		(unsigned long)READ_ONCE(session->vuid_tracker.p) |
		(unsigned long)READ_ONCE(session->gid_tracker.p) |
		(unsigned long)READ_ONCE(session->vgid_tracker.p)) != 0;
}

/*
 * mm_record - one packed record of LEN bytes, a constant
 *
 * Context: as mm_record_slow(). REC's header is overwritten.
 */
static __always_inline void mm_record(struct lttng_kernel_event_common *event,
				      const struct lttng_kernel_tracepoint_class *class,
				      struct mm_packed *rec, size_t len)
{
	if (likely(event->type == LTTNG_KERNEL_EVENT_TYPE_RECORDER)) {
		struct lttng_kernel_event_recorder *recorder =
			container_of(event, struct lttng_kernel_event_recorder, parent);
		const struct lttng_kernel_channel_common *chan = &recorder->chan->parent;
		const struct lttng_kernel_session *session = chan->session;

		if (unlikely(!READ_ONCE(session->active) || !READ_ONCE(chan->enabled) ||
			     !READ_ONCE(event->enabled)))
			return;
		if (likely(!READ_ONCE(event->eval_filter) && !mm_session_tracks(session)) &&
		    mm_ring_buffer_write(recorder, rec, len))
			return;
	}
	mm_record_slow(event, class, rec->word, len, NULL);
}

#endif /* LTTNG_MM_PROBES_RECORD_H */
