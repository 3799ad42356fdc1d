/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads fields of all classes, one by one. */
#ifndef LTTNG_MM_CTF_PACKET_READ_H
#define LTTNG_MM_CTF_PACKET_READ_H

#include "reader/ctf/model/model.h"

enum ctf_status {
	CTF_OK = 0,
	CTF_END,       /* the field exceeds the packet's content */
	CTF_BAD,       /* a selector that selects nothing, a LEB128 of more than 64 bits, ... */
	CTF_NO_MEMORY, /* no memory for a requested field (the packet is intact) */
};

/*
 * Limits on the number of fields of size 0 in a rendered event: an initial limit, and an increase
 * per bit. Such fields take time, but no bytes, so the packet's size does not limit them.
 */
#define CTF_IDLE_MAX (UINT64_C(1) << 16)
#define CTF_IDLE_PER_BIT 16
/* Initial limit on fields of size 0 in a decoded packet. Each such field costs time. */
#define CTF_IDLE_DECODED 1024

/*
 * A position in a packet. All fields of a packet share @slots, which holds lengths and selectors
 * (ctf_trace_class.slot_count values).
 */
struct ctf_cursor {
	const uint8_t *data; /* the packet; the 16 bytes after @end must be readable */
	uint64_t at, end;    /* in bits from @data; @end: end of the content */
	uint64_t *slots;
	/*
	 * Limits for hostile traces. @idle counts the fields of size 0. It may reach @idle_max (0:
	 * CTF_IDLE_MAX), plus CTF_IDLE_PER_BIT for each bit after @start. If ctf_skip() reports
	 * fields, it decrements @fields_left at each field, and fails when @fields_left becomes 0.
	 * If @fields_left is 0 initially, there is no such limit.
	 */
	uint64_t start, idle, idle_max, fields_left;
	bool roles_only;     /* ctf_skip() reports only fields with a role */
	const char *problem; /* the reason after CTF_END and CTF_BAD: "string without an end" */
};

/* A scalar. @u holds unsigned integers, bit maps and Booleans, @i signed integers. */
struct ctf_scalar {
	union {
		uint64_t u;
		int64_t i;
		double r;
	};
	const uint8_t *bytes; /* strings and BLOBs: bytes in the packet */
	uint64_t length;      /* length in bytes; for a string, up to the null code point */
};

/*
 * How to initialize a cursor: set .data, .at, .end and .slots, and set all other members to 0.
 * After CTF_END and CTF_BAD, the cursor is at or before the field that could not be read.
 */

/*
 * Moves @cursor to the alignment of a structure. For other fields, the functions below align
 * @cursor.
 */
enum ctf_status ctf_align(struct ctf_cursor *cursor, const struct ctf_field *field);

/*
 * Reads a field that is not an array, structure, variant or option. Moves @cursor to the field's
 * alignment and then to its end. If other fields refer to the value, stores it in its slot. The
 * content may end at any bit, but a string consists of complete bytes.
 */
enum ctf_status ctf_read_scalar(struct ctf_cursor *cursor, const struct ctf_field *field,
				struct ctf_scalar *scalar);

/*
 * Moves @cursor to the alignment of a static or dynamic array, and gets the number of its elements.
 * Returns CTF_END if the rest of the packet cannot hold the elements.
 */
enum ctf_status ctf_read_length(struct ctf_cursor *cursor, const struct ctf_field *array,
				uint64_t *length);

/*
 * Skips @length array elements. They must have a fixed size, and no other field may refer to them.
 */
enum ctf_status ctf_skip_elements(struct ctf_cursor *cursor, const struct ctf_field *element,
				  uint64_t length);

/* Counts @count fields of size 0. Returns CTF_BAD if there are too many. */
enum ctf_status ctf_count_idle(struct ctf_cursor *cursor, uint64_t count);

/* Gets the option that the variant's selector selects. */
enum ctf_status ctf_read_choice(struct ctf_cursor *cursor, const struct ctf_field *variant,
				const struct ctf_member **member);

/* Finds out whether the optional field is present. */
enum ctf_status ctf_read_presence(struct ctf_cursor *cursor, const struct ctf_field *option,
				  bool *present);

/*
 * Skips @field, and stores the values that other fields refer to. @field may be of any class; NULL:
 * does nothing. Calls @found, if not NULL, for each scalar. (Packet headers and contexts are read
 * in this way.)
 */
typedef void (*ctf_found)(void *user, const struct ctf_field *field,
			  const struct ctf_scalar *scalar);
enum ctf_status ctf_skip(struct ctf_cursor *cursor, const struct ctf_field *field, ctf_found found,
			 void *user);

/*
 * Writes a string field as UTF-8 to @dst of @size bytes. Returns the length of the complete result,
 * like snprintf(). UTF-8 is copied unchanged, even if invalid; invalid UTF-16 and UTF-32 becomes
 * U+FFFD.
 */
size_t ctf_string_to_utf8(char *dst, size_t size, const struct ctf_field *field,
			  const struct ctf_scalar *scalar);

#endif /* LTTNG_MM_CTF_PACKET_READ_H */
