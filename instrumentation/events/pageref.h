/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page references. A pass marks all pages of an address space. The events report the first touch of
 * each page after each pass, and facts that are needed to interpret touches. Macros describe the
 * fields and their widths in bits (probes/lib/record.h). Fields follow each other from low to high
 * bits, without padding. doc/events.md describes every field.
 *
 * A value that does not fit in its packed field is recorded as all ones. The event's wide variant,
 * which is also recorded in this case, has the complete value.
 */
#ifndef LTTNG_MM_INSTRUMENTATION_EVENTS_PAGEREF_H
#define LTTNG_MM_INSTRUMENTATION_EVENTS_PAGEREF_H

#include <instrumentation/enums/pageref.h>
#include <instrumentation/wire/pageref.h>
#include <probes/lib/record.h>

/*
 * A thread touched a page. ip is the address of the instruction in user space. If user is 0, ip is
 * the call-site number of the instruction in the kernel. huge is 1 if a PMD maps the page.
 */
#define lttng_mm_pageref_touch_fields						\
	lttng_mm_field_uint(tid, LTTNG_MM_PAGEREF_TID_BITS),			\
	lttng_mm_field_uint(mm, LTTNG_MM_PAGEREF_MM_BITS),			\
	lttng_mm_field_hex(address, LTTNG_MM_PAGEREF_ADDRESS_BITS),		\
	lttng_mm_field_hex(ip, LTTNG_MM_PAGEREF_IP_BITS),			\
	lttng_mm_field_uint(node, LTTNG_MM_PAGEREF_NODE_BITS),			\
	lttng_mm_field_enum(kind, LTTNG_MM_PAGEREF_KIND_BITS, &pageref_kind_3),	\
	lttng_mm_field_uint(huge, 1),						\
	lttng_mm_field_uint(write, 1),						\
	lttng_mm_field_uint(user, 1)

#define lttng_mm_pageref_touch_wide_fields					\
	lttng_mm_field_uint(tid, 32),						\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_hex(address, 64),					\
	lttng_mm_field_hex(ip, 64),						\
	lttng_mm_field_uint(node, 16),						\
	lttng_mm_field_enum(kind, 8, &pageref_kind_8),				\
	lttng_mm_field_uint(huge, 8),						\
	lttng_mm_field_uint(write, 8),						\
	lttng_mm_field_uint(user, 8)

/* A fault also mapped untouched pages around the touched one (fault-around, or a large folio). */
#define lttng_mm_pageref_around_fields						\
	lttng_mm_field_uint(tid, 32),						\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_hex(address, 64),					\
	lttng_mm_field_uint(pages, 32)

/*
 * A pass over an address space starts (end is 0) or ends (end is 1).
 *
 *   left_out     number of pages in mappings that are never marked
 *   skipped      1: the pass gave up before the end, because the mmap lock was held for long
 *   missed_ends  faults whose end could not be hooked, so their touches may be missing
 *   no_table     faults that could not be noted for the next pass, because memory was lacking: if
 *                they were touches, the pass may report their pages as unseen
 *   sample       threshold of the sample of pages; the event of the start has the threshold until
 *                now, and the event of the end has the threshold from now on
 *
 * missed_ends and no_table count faults of all recorded processes since the previous pageref_pass.
 */
#define lttng_mm_pageref_pass_fields						\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_uint(end, 8),						\
	lttng_mm_field_uint(looked_at, 64),					\
	lttng_mm_field_uint(armed, 64),						\
	lttng_mm_field_uint(unseen, 64),					\
	lttng_mm_field_uint(left_out, 64),					\
	lttng_mm_field_uint(skipped, 8),					\
	lttng_mm_field_uint(missed_ends, 32),					\
	lttng_mm_field_uint(no_table, 32),					\
	lttng_mm_field_uint(sample, 32)

/* Pages in mappings that are never marked. Recorded by a pass if the number has changed. */
#define lttng_mm_pageref_left_out_fields					\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_enum(reason, 8, &pageref_reason),			\
	lttng_mm_field_uint(pages, 64)

/* Pages found unmarked by a pass, although no touch of them had been recorded. */
#define lttng_mm_pageref_unseen_fields						\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_hex(address, 64),					\
	lttng_mm_field_uint(pages, 32)

/* The address space has lost these pages. */
#define lttng_mm_pageref_gone_fields						\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_hex(address, 64),					\
	lttng_mm_field_uint(pages, 64),						\
	lttng_mm_field_enum(cause, 8, &pageref_cause)

/*
 * An address space is recorded from now on. If it is a copy, parent is the number of the original.
 */
#define lttng_mm_pageref_mm_fields						\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_uint(pid, 32),						\
	lttng_mm_field_uint(parent, 32),					\
	lttng_mm_field_text(name)

/*
 * A mapping, recorded before touches of its pages. name is the last component of the file's path.
 */
#define lttng_mm_pageref_mapping_fields						\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_hex(start, 64),						\
	lttng_mm_field_hex(end, 64),						\
	lttng_mm_field_hex(pgoff, 64),						\
	lttng_mm_field_uint(readable, 8),					\
	lttng_mm_field_uint(writable, 8),					\
	lttng_mm_field_uint(executable, 8),					\
	lttng_mm_field_uint(shared, 8),						\
	lttng_mm_field_uint(dev_major, 12),					\
	lttng_mm_field_uint(dev_minor, 20),					\
	lttng_mm_field_hex(ino, 64),						\
	lttng_mm_field_text(name)

/*
 * A thread read or wrote a file through the page cache. length is the requested number of bytes;
 * result is the number of bytes that were read or written, or a negative error number.
 */
#define lttng_mm_pageref_file_io_fields						\
	lttng_mm_field_uint(tid, 32),						\
	lttng_mm_field_uint(mm, 32),						\
	lttng_mm_field_uint(dev_major, 12),					\
	lttng_mm_field_uint(dev_minor, 20),					\
	lttng_mm_field_hex(ino, 64),						\
	lttng_mm_field_uint(offset, 64),					\
	lttng_mm_field_uint(length, 32),					\
	lttng_mm_field_uint(write, 8),						\
	lttng_mm_field_int(result, 32)

/* The path of a file to which pageref_file_io events refer. */
#define lttng_mm_pageref_file_fields						\
	lttng_mm_field_uint(dev_major, 12),					\
	lttng_mm_field_uint(dev_minor, 20),					\
	lttng_mm_field_hex(ino, 64),						\
	lttng_mm_field_text(path)

/* The state dump: recorded address spaces and their mappings. */
#define lttng_mm_pageref_statedump_mm_fields		lttng_mm_pageref_mm_fields
#define lttng_mm_pageref_statedump_mapping_fields	lttng_mm_pageref_mapping_fields

struct lttng_mm_pageref_touch_wide {
	struct lttng_mm_header header;
	u32 tid;
	u32 mm;
	u64 address;
	u64 ip;
	u16 node;
	u8 kind;
	u8 huge;
	u8 write;
	u8 user;
} __packed;

struct lttng_mm_pageref_around {
	struct lttng_mm_header header;
	u32 tid;
	u32 mm;
	u64 address;
	u32 pages;
} __packed;

struct lttng_mm_pageref_pass {
	struct lttng_mm_header header;
	u32 mm;
	u8 end;
	u64 looked_at;
	u64 armed;
	u64 unseen;
	u64 left_out;
	u8 skipped;
	u32 missed_ends;
	u32 no_table;
	u32 sample;
} __packed;

struct lttng_mm_pageref_left_out {
	struct lttng_mm_header header;
	u32 mm;
	u8 reason;
	u64 pages;
} __packed;

struct lttng_mm_pageref_unseen {
	struct lttng_mm_header header;
	u32 mm;
	u64 address;
	u32 pages;
} __packed;

struct lttng_mm_pageref_gone {
	struct lttng_mm_header header;
	u32 mm;
	u64 address;
	u64 pages;
	u8 cause;
} __packed;

struct lttng_mm_pageref_mm {
	u32 mm;
	u32 pid;
	u32 parent;
} __packed;

struct lttng_mm_pageref_mapping {
	u32 mm;
	u64 start;
	u64 end;
	u64 pgoff;
	u8 readable;
	u8 writable;
	u8 executable;
	u8 shared;
	u32 dev; /* dev_major is in the low bits */
	u64 ino;
} __packed;

struct lttng_mm_pageref_file_io {
	struct lttng_mm_header header;
	u32 tid;
	u32 mm;
	u32 dev; /* dev_major is in the low bits */
	u64 ino;
	u64 offset;
	u32 length;
	u8 write;
	s32 result;
} __packed;

struct lttng_mm_pageref_file {
	u32 dev; /* as above */
	u64 ino;
} __packed;

/* The state dump has the same records. */
#define lttng_mm_pageref_statedump_mm		lttng_mm_pageref_mm
#define lttng_mm_pageref_statedump_mapping	lttng_mm_pageref_mapping

/*
 * L(PROVIDER, EVENT, BYTES, HOOK): a packed event. W(PROVIDER, EVENT, HOOK): a full-width event.
 * T(PROVIDER, EVENT, HOOK): a full-width event with a string. S(PROVIDER, EVENT): a state-dump
 * event.
 */
#define lttng_mm_pageref_packed_events(L)					\
	L(pageref, pageref_touch, LTTNG_MM_PAGEREF_TOUCH_BYTES, touch)

#define lttng_mm_pageref_wide_events(W)						\
	W(pageref, pageref_touch_wide, touch)					\
	W(pageref, pageref_around, touch)					\
	W(pageref, pageref_pass, touch)						\
	W(pageref, pageref_left_out, touch)					\
	W(pageref, pageref_unseen, touch)					\
	W(pageref, pageref_gone, touch)						\
	W(pageref, pageref_file_io, file_io)

#define lttng_mm_pageref_text_events(T)						\
	T(pageref, pageref_mm, touch)						\
	T(pageref, pageref_mapping, touch)					\
	T(pageref, pageref_file, file_io)

#define lttng_mm_pageref_statedump_events(S)					\
	S(pageref, pageref_statedump_mm)					\
	S(pageref, pageref_statedump_mapping)

#endif /* LTTNG_MM_INSTRUMENTATION_EVENTS_PAGEREF_H */
