/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events whose record a probe puts together itself: fields of any number of bits, then strings,
 * written at once.
 *
 * An event's fields are described by hand, or at run time (descriptor.h). The plain case (a
 * recorder, no filter, no tracker) is one write of the finished bytes, the fast path; every other
 * case goes to lttng_mm_record_general(), which reads the same bytes by the same description, so
 * that a filter, a capture or a counter sees what the trace would hold.
 */
#ifndef LTTNG_MM_PROBES_LIB_RECORD_H
#define LTTNG_MM_PROBES_LIB_RECORD_H

#include <linux/string.h>
#include <lttng/events.h>
#include <probes/lib/ring-buffer.h>

/* A record's numbers take so many bytes at most, its strings so many besides, with their ends. */
#define LTTNG_MM_RECORD_BYTES 64
#define LTTNG_MM_TEXT_BYTES 256
/* Fields of an event, at most: lttng_mm_record_general() has room for so many on its stack. */
#define LTTNG_MM_RECORD_FIELDS 32

/* Records of up to 16 bytes, of the most that numbers may take, and of strings besides. */
struct lttng_mm_packed {
	struct lttng_mm_header header;
	__le64 word[2];
};

struct lttng_mm_packed_64 {
	struct lttng_mm_header header;
	__le64 word[LTTNG_MM_RECORD_BYTES / sizeof(__le64)];
};

struct lttng_mm_packed_text {
	struct lttng_mm_header header;
	u8 bytes[LTTNG_MM_RECORD_BYTES + LTTNG_MM_TEXT_BYTES];
};

/* One field each: bits low to high in little-endian bytes, without padding between fields. */
#define lttng_mm_field(_name, _bits, _signed, _base) \
	lttng_kernel_static_event_field(             \
		#_name,                              \
		lttng_kernel_static_type_integer(_bits, 1, _signed, __LITTLE_ENDIAN, _base), 0, 0)
#define lttng_mm_field_uint(_name, _bits) lttng_mm_field(_name, _bits, 0, 10)
#define lttng_mm_field_int(_name, _bits) lttng_mm_field(_name, _bits, 1, 10)
#define lttng_mm_field_hex(_name, _bits) lttng_mm_field(_name, _bits, 0, 16)
#define lttng_mm_field_enum(_name, _bits, _desc)                                                 \
	lttng_kernel_static_event_field(                                                         \
		#_name,                                                                          \
		lttng_kernel_static_type_enum(_desc, lttng_kernel_static_type_integer(           \
							     _bits, 1, 0, __LITTLE_ENDIAN, 10)), \
		0, 0)
/* A string: after all numbers, which end with a whole byte. */
#define lttng_mm_field_text(_name) \
	lttng_kernel_static_event_field(#_name, lttng_kernel_static_type_string(UTF8, 0), 0, 0)

/* An enumeration's entries are sorted by LTTng 2.16 and later, in room that it wants from us. */
#if LTTNG_MODULES_MAJOR_VERSION > 2 || LTTNG_MODULES_MINOR_VERSION >= 15
#define lttng_mm_enum_sorted(_name) \
	static struct lttng_kernel_enum_entry _name##_sorted[ARRAY_SIZE(_name##_entries)];
#define lttng_mm_enum_sorted_init(_name) .sorted_entries = _name##_sorted,
#else
#define lttng_mm_enum_sorted(_name)
#define lttng_mm_enum_sorted_init(_name)
#endif

/*
 * lttng_mm_enum(NAME, PROVIDER, ENTRY...): ENTRY is lttng_kernel_static_enum_entry_value() without
 * a comma.
 */
#define lttng_mm_enum(_name, _provider, ...)                                                    \
	static const struct lttng_kernel_enum_entry *const _name##_entries[] = { __VA_ARGS__ }; \
	lttng_mm_enum_sorted(_name) static const struct lttng_kernel_enum_desc _name = {        \
		.name = #_name,                                                                 \
		.entries = _name##_entries,                                                     \
		.nr_entries = ARRAY_SIZE(_name##_entries),                                      \
		.probe_desc = &(_provider),                                                     \
		lttng_mm_enum_sorted_init(_name)                                                \
	}

/*
 * lttng_mm_put_text - adds a string, cut to at most MAX bytes with its end, at AT of a record's
 * BYTES
 *
 * Returns where the next one goes. TEXT is memory that cannot fault.
 */
static inline size_t lttng_mm_put_text(u8 *bytes, size_t at, const char *text, size_t max)
{
	size_t len = strnlen(text, max - 1);

	memcpy(bytes + at, text, len);
	bytes[at + len] = '\0';
	return at + len + 1;
}

/*
 * lttng_mm_record_general - any event, any case: trackers, filter, context, trigger, counter
 *
 * BYTES are LEN bytes as CLASS describes them, strings included.
 *
 * Context: any, preemption off. Takes no lock of ours; a filter and a trigger run LTTng's code.
 */
void lttng_mm_record_general(struct lttng_kernel_event_common *event,
			     const struct lttng_kernel_tracepoint_class *class, const void *bytes,
			     size_t len);

/*
 * lttng_mm_record_text - a record of LEN bytes of numbers and one string, cut where it is too long
 *
 * Context: as lttng_mm_record_general(), which it calls: for what is rare.
 */
void lttng_mm_record_text(struct lttng_kernel_event_common *event,
			  const struct lttng_kernel_tracepoint_class *class, const void *numbers,
			  size_t len, const char *text);

/* Whether the fields have every bit of BYTES bytes, and no more; else says so in the log. */
bool lttng_mm_class_fits(const struct lttng_kernel_tracepoint_class *class, const char *event,
			 size_t bytes);

static __always_inline bool lttng_mm_session_tracks(const struct lttng_kernel_session *session)
{
	return ((unsigned long)READ_ONCE(session->pid_tracker.p) |
		(unsigned long)READ_ONCE(session->vpid_tracker.p) |
		(unsigned long)READ_ONCE(session->uid_tracker.p) |
		(unsigned long)READ_ONCE(session->vuid_tracker.p) |
		(unsigned long)READ_ONCE(session->gid_tracker.p) |
		(unsigned long)READ_ONCE(session->vgid_tracker.p)) != 0;
}

/*
 * lttng_mm_record - one record of LEN bytes after the struct lttng_mm_header at the start of REC
 *
 * Quickest where LEN is a constant.
 *
 * Context: as lttng_mm_record_general(). REC's header is overwritten.
 */
static __always_inline void lttng_mm_record(struct lttng_kernel_event_common *event,
					    const struct lttng_kernel_tracepoint_class *class,
					    void *rec, size_t len)
{
	if (likely(event->type == LTTNG_KERNEL_EVENT_TYPE_RECORDER)) {
		struct lttng_kernel_event_recorder *recorder =
			container_of(event, struct lttng_kernel_event_recorder, parent);
		const struct lttng_kernel_channel_common *chan = &recorder->chan->parent;
		const struct lttng_kernel_session *session = chan->session;

		if (unlikely(!READ_ONCE(session->active) || !READ_ONCE(chan->enabled) ||
			     !READ_ONCE(event->enabled)))
			return;
		if (likely(!READ_ONCE(event->eval_filter) && !lttng_mm_session_tracks(session)) &&
		    lttng_mm_ring_buffer_write(recorder, rec, len))
			return;
	}
	lttng_mm_record_general(event, class, (u8 *)rec + sizeof(struct lttng_mm_header), len);
}

#endif /* LTTNG_MM_PROBES_LIB_RECORD_H */
