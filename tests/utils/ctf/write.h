/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Declarations shared by the parts of the test trace writer: random numbers, growing buffers,
 * files.
 */
#ifndef LTTNG_MM_TESTS_UTILS_CTF_WRITE_H
#define LTTNG_MM_TESTS_UTILS_CTF_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The writer deliberately shares no code with the reader under test. Errors end the program. */
void mk_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Gives the same numbers for the same seed on every machine (splitmix64). */
struct mk_random {
	uint64_t state;
};

uint64_t mk_random(struct mk_random *random);
/* Returns a number from 0 to @below - 1, or 0 if @below is 0. */
uint64_t mk_below(struct mk_random *random, uint64_t below);
/* Returns true with a probability of @percent. */
bool mk_chance(struct mk_random *random, unsigned int percent);

/*
 * A growing buffer, zeroed after the written bytes. Positions are in bytes unless named otherwise.
 */
struct mk_buffer {
	uint8_t *data;
	size_t length, room; /* bytes */
};

void mk_buffer_free(struct mk_buffer *buffer);
void mk_buffer_add(struct mk_buffer *buffer, const void *data, size_t length);
void mk_buffer_printf(struct mk_buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Makes the buffer at least @length bytes long. */
void mk_buffer_extend(struct mk_buffer *buffer, size_t length);

/*
 * Writes the low @size bits (1 to 64) of @value at bit @at as CTF lays integers out: in
 * little-endian order, the first bit of a byte is its least significant bit, and the integer's low
 * bits come first; in big-endian order, both are reversed.
 */
void mk_put_bits(struct mk_buffer *buffer, uint64_t at, unsigned int size, uint64_t value,
		 bool big_endian);

static inline uint64_t mk_align(uint64_t at, uint64_t align)
{
	return (at + align - 1) / align * align;
}

/* Writes @folder/@name, creating the folder if necessary. */
void mk_write_file(const char *folder, const char *name, const void *data, size_t length);

#define MK_UUID_BYTES 16

/* Writes TSDL text in packets of @packet_bytes like LTTng, or as text if @packet_bytes is 0. */
void mk_write_metadata(const char *folder, const struct mk_buffer *text, const uint8_t *uuid,
		       bool big_endian, size_t packet_bytes);

/* Fixed shapes (shape-*.c). */
struct mk_shape {
	const char *folder;
	uint64_t events, streams, seed;
};

void mk_shape_slab(const struct mk_shape *shape);
void mk_shape_dax(const struct mk_shape *shape);

/* The common parts of traces of LTTng's kernel tracer (lttng.c). */
struct mk_lttng_stream;

/*
 * Writes the start of the metadata: types, trace, environment, clock, one stream. @context is TSDL
 * or "".
 */
void mk_lttng_metadata(struct mk_buffer *text, const char *context);
extern const uint8_t mk_lttng_uuid[MK_UUID_BYTES];

struct mk_lttng_stream *mk_lttng_open(const char *folder, uint32_t cpu);
void mk_lttng_close(struct mk_lttng_stream *stream);
/*
 * Starts an event at @time (clock cycles, monotonic) with at most @room bytes after its header.
 * Returns the address of these bytes. Call mk_lttng_commit() with the number of written bytes next.
 */
uint8_t *mk_lttng_event(struct mk_lttng_stream *stream, uint32_t id, uint64_t time, size_t room);
void mk_lttng_commit(struct mk_lttng_stream *stream, size_t used);

/* Append little-endian fields. */
static inline uint8_t *mk_le(uint8_t *to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
	return to + bytes;
}

#endif /* LTTNG_MM_TESTS_UTILS_CTF_WRITE_H */
