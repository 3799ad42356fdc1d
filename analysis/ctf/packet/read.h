/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads fields one by one, as their classes say: the form that works for everything. */
#ifndef LTTNG_MM_PACKET_READ_H
#define LTTNG_MM_PACKET_READ_H

#include "analysis/ctf/model/model.h"

enum ctf_status {
	CTF_OK = 0,
	CTF_END, /* the field needs more bits than the packet's content has */
	CTF_BAD, /* a selector that chooses nothing, a LEB128 of more than 64 bits ... */
};

/* Fields that take no space: of an event whose text is made; for each of its bits. */
#define CTF_IDLE_MAX (UINT64_C(1) << 16)
#define CTF_IDLE_PER_BIT 16
/* Of a packet that is decoded: each one costs time there, and nothing is written for it. */
#define CTF_IDLE_DECODED 1024

/*
 * Where a reader is: a bit position in a packet. @slots keeps lengths and selectors
 * (ctf_trace_class.slot_count of them) and is shared by all fields of one packet.
 */
struct ctf_cursor {
	const uint8_t *data; /* the packet; 16 bytes past @end can be read, whatever is there */
	uint64_t at, end;    /* bits from @data; @end: the end of the content */
	uint64_t *slots;
	/*
	 * Bounds for hostile traces. There may be @idle_max fields that take no space (0:
	 * CTF_IDLE_MAX), and CTF_IDLE_PER_BIT more for each bit from @start on; @idle counts them.
	 * @fields_left: one more than the fields that ctf_skip() may still visit, if it reports
	 * any; 0: no bound.
	 */
	uint64_t start, idle, idle_max, fields_left;
	bool roles_only; /* ctf_skip() reports fields with a role only, and skips what has none */
	const char *problem; /* what is wrong, after CTF_END and CTF_BAD: "string without an end" */
};

/* One scalar. @u holds the bits of bit maps and Booleans too, @i of signed ones. */
struct ctf_scalar {
	union {
		uint64_t u;
		int64_t i;
		double r;
	};
	const uint8_t *bytes; /* strings and BLOBs: in the packet */
	uint64_t length; /* in bytes; a string's null code point and what follows it left out */
};

/*
 * After CTF_END and CTF_BAD the cursor is at, or before, what could not be read; start one as
 * { .data, .at, .end, .slots }, the rest 0.
 */

/* Moves @cursor to the field's alignment. The functions below do so too: it is for structures. */
enum ctf_status ctf_align(struct ctf_cursor *cursor, const struct ctf_field *field);

/*
 * Reads anything but arrays, structures, variants and options: aligns, reads, keeps the value if it
 * is referred to, moves on. Content may end at any bit, but bytes of strings are whole ones.
 */
enum ctf_status ctf_read_scalar(struct ctf_cursor *cursor, const struct ctf_field *field,
				struct ctf_scalar *scalar);

/*
 * Aligns and tells the elements of an array, static or dynamic. More than the rest of the packet
 * could hold is CTF_END.
 */
enum ctf_status ctf_read_length(struct ctf_cursor *cursor, const struct ctf_field *array,
				uint64_t *length);

/* Passes over the next @length elements of an array, which are of fixed size and kept by nobody. */
enum ctf_status ctf_skip_elements(struct ctf_cursor *cursor, const struct ctf_field *element,
				  uint64_t length);

/* Notes @count fields that take no space; CTF_BAD when there are too many. */
enum ctf_status ctf_count_idle(struct ctf_cursor *cursor, uint64_t count);

/* The variant's member that its selector chooses. */
enum ctf_status ctf_read_choice(struct ctf_cursor *cursor, const struct ctf_field *variant,
				const struct ctf_member **member);

/* Is the option's field there? */
enum ctf_status ctf_read_presence(struct ctf_cursor *cursor, const struct ctf_field *option,
				  bool *present);

/*
 * Moves over @field (of any kind, NULL: nothing), keeping what others refer to. @found, when not
 * NULL, is told of each scalar on the way: packet headers and contexts are read so.
 */
typedef void (*ctf_found)(void *user, const struct ctf_field *field,
			  const struct ctf_scalar *scalar);
enum ctf_status ctf_skip(struct ctf_cursor *cursor, const struct ctf_field *field, ctf_found found,
			 void *user);

/*
 * Writes a string field's bytes as UTF-8 to @dst of @size; returns the whole length, as snprintf.
 * UTF-8 is copied as it is, sound or not; what is wrong in UTF-16 and UTF-32 becomes U+FFFD.
 */
size_t ctf_string_to_utf8(char *dst, size_t size, const struct ctf_field *field,
			  const struct ctf_scalar *scalar);

#endif /* LTTNG_MM_PACKET_READ_H */
