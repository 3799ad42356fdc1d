/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes records that a probe has packed: fields of any number of bits, then strings. A record is
 * written in one piece.
 *
 * Macros describe the fields at compile time. descriptor.h describes them at run time. In the
 * common case (a recorder without filter or tracker), the fast path copies the packed bytes. In all
 * other cases, lttng_mm_record_general() decodes the packed bytes by the description of the fields,
 * so filters, captures and counters see the same values as a reader of the trace.
 */
#ifndef LTTNG_MM_PROBES_LIB_RECORD_H
#define LTTNG_MM_PROBES_LIB_RECORD_H

#include <linux/string.h>
#include <lttng/events.h>
#include <probes/lib/ring-buffer.h>

/* Maximum size of a record's numbers, and of its strings with their NULs. */
#define LTTNG_MM_RECORD_BYTES 128
#define LTTNG_MM_TEXT_BYTES 256
/* Maximum number of fields. lttng_mm_record_general() keeps them on its stack. */
#define LTTNG_MM_RECORD_FIELDS 32
/* Maximum size of an array. */
#define LTTNG_MM_ARRAY_BYTES 256

/* Types of records: up to 16 bytes, up to LTTNG_MM_RECORD_BYTES, and with strings. */
struct lttng_mm_packed {
	struct lttng_mm_header header;
	__le64 word[2];
};

struct lttng_mm_packed_long {
	struct lttng_mm_header header;
	__le64 word[LTTNG_MM_RECORD_BYTES / sizeof(__le64)];
};

struct lttng_mm_packed_text {
	struct lttng_mm_header header;
	u8 bytes[LTTNG_MM_RECORD_BYTES + LTTNG_MM_TEXT_BYTES];
};

/* A field: bits from low to high in little-endian bytes, without padding between fields. */
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
/* A string. It follows all numbers, which must end at a byte boundary. */
#define lttng_mm_field_text(_name) \
	lttng_kernel_static_event_field(#_name, lttng_kernel_static_type_string(UTF8, 0), 0, 0)

/* Since LTTng 2.16, the probe provides memory in which LTTng sorts an enumeration's entries. */
#if LTTNG_MODULES_MAJOR_VERSION > 2 || LTTNG_MODULES_MINOR_VERSION >= 15
#define LTTNG_MM_ENUM_SORTED
#define lttng_mm_enum_sorted(_name) \
	static struct lttng_kernel_enum_entry _name##_sorted[ARRAY_SIZE(_name##_entries)];
#define lttng_mm_enum_sorted_init(_name) .sorted_entries = _name##_sorted,
#else
#define lttng_mm_enum_sorted(_name)
#define lttng_mm_enum_sorted_init(_name)
#endif

/*
 * lttng_mm_enum(NAME, PROVIDER, ENTRY...) - defines an enumeration
 *
 * Each ENTRY is a lttng_kernel_static_enum_entry_value(), not separated by commas.
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
 * lttng_mm_put_text - stores a string at byte AT, truncated to MAX bytes with its NUL
 *
 * Returns the position of the next string. TEXT must be in memory that cannot fault.
 */
static inline size_t lttng_mm_put_text(u8 *bytes, size_t at, const char *text, size_t max)
{
	size_t len = strnlen(text, max - 1);

	memcpy(bytes + at, text, len);
	bytes[at + len] = '\0';
	return at + len + 1;
}

/*
 * lttng_mm_record_general - writes a record through LTTng's public API
 *
 * Handles trackers, filters, contexts, triggers and counters. CLASS describes the LEN bytes at
 * BYTES, including the strings.
 *
 * Context: any, preemption off. Takes no lock of ours. Filters and triggers run LTTng's code.
 */
void lttng_mm_record_general(struct lttng_kernel_event_common *event,
			     const struct lttng_kernel_tracepoint_class *class, const void *bytes,
			     size_t len);

/* The place of a field in a record of a class described at run time. */
struct lttng_mm_place {
	/*
	 * A number is in the eight bytes from byte @at. Shift left by @left and right by @right to
	 * get it with its sign extended. @mask removes the sign of an unsigned number.
	 */
	u64 mask;
	u16 at;
	u8 left, right;
	u16 bytes; /* length of an array; 0: a string or a number */
};

/*
 * A class described at run time (descriptor.h). @place is sufficient to run a filter, without
 * LTTng's descriptions of the fields.
 */
struct lttng_mm_made_class {
	struct lttng_kernel_tracepoint_class class;
	unsigned int numbers;	   /* number of fields before strings and arrays */
	unsigned int number_bytes; /* size of the numbers; strings and arrays follow */
	struct lttng_mm_place place[LTTNG_MM_RECORD_FIELDS];
};

/*
 * lttng_mm_record_made_general - lttng_mm_record_general() for a class described at run time
 *
 * The LEN BYTES must contain all fields, and at least eight bytes must be readable.
 */
void lttng_mm_record_made_general(struct lttng_kernel_event_common *event,
				  const struct lttng_mm_made_class *class, const void *bytes,
				  size_t len);

/*
 * lttng_mm_record_text - writes LEN bytes of numbers and one string, which may be truncated
 *
 * Use it only for rare events. Context: as lttng_mm_record_general().
 */
void lttng_mm_record_text(struct lttng_kernel_event_common *event,
			  const struct lttng_kernel_tracepoint_class *class, const void *numbers,
			  size_t len, const char *text);

/*
 * Returns the flaw of an enumeration, or NULL. Its values must ascend and its labels must be
 * unique, because readers look up the label of a value, and filters look up the value of a label.
 */
const char *lttng_mm_enum_flaw(const struct lttng_kernel_enum_desc *labels);

/*
 * Do the fields cover exactly BYTES bytes, and are their enumerations valid? If not, logs an error.
 */
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
 * Returns true if nothing is left to do: the fast path has written the record, or no record is
 * needed because the event, its channel or its session is disabled.
 */
static __always_inline bool lttng_mm_record_fast(struct lttng_kernel_event_common *event, void *rec,
						 size_t len, u64 now)
{
	struct lttng_kernel_event_recorder *recorder;
	const struct lttng_kernel_channel_common *chan;

	if (unlikely(event->type != LTTNG_KERNEL_EVENT_TYPE_RECORDER))
		return false;
	recorder = container_of(event, struct lttng_kernel_event_recorder, parent);
	chan = &recorder->chan->parent;
	if (unlikely(!READ_ONCE(chan->session->active) || !READ_ONCE(chan->enabled) ||
		     !READ_ONCE(event->enabled)))
		return true;
	return likely(!READ_ONCE(event->eval_filter) && !lttng_mm_session_tracks(chan->session)) &&
	       lttng_mm_ring_buffer_write(recorder, rec, len, now);
}

/*
 * lttng_mm_record - writes the LEN bytes after the struct lttng_mm_header of REC
 *
 * Fastest if LEN is a constant. Overwrites the header.
 *
 * Context: as lttng_mm_record_general().
 */
static __always_inline void lttng_mm_record(struct lttng_kernel_event_common *event,
					    const struct lttng_kernel_tracepoint_class *class,
					    void *rec, size_t len)
{
	if (!lttng_mm_record_fast(event, rec, len, 0))
		lttng_mm_record_general(event, class, (u8 *)rec + sizeof(struct lttng_mm_header),
					len);
}

/*
 * lttng_mm_record_made - lttng_mm_record() for a class described at run time
 *
 * NOW is the time, as for lttng_mm_ring_buffer_write().
 */
static __always_inline void lttng_mm_record_made(struct lttng_kernel_event_common *event,
						 const struct lttng_mm_made_class *class, void *rec,
						 size_t len, u64 now)
{
	if (!lttng_mm_record_fast(event, rec, len, now))
		lttng_mm_record_made_general(event, class,
					     (u8 *)rec + sizeof(struct lttng_mm_header), len);
}

#endif /* LTTNG_MM_PROBES_LIB_RECORD_H */
