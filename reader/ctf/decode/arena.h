/* SPDX-License-Identifier: LGPL-2.1-only */
/* Memory for the strings and arrays of a chunk of decoded events. */
#ifndef LTTNG_MM_CTF_DECODE_ARENA_H
#define LTTNG_MM_CTF_DECODE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "reader/ctf/model/model.h"
#include "reader/ctf/packet/read.h"

/*
 * Memory for the strings and arrays of a chunk. Allocations do not move, and are valid until the
 * next reset.
 */
struct ctf_arena_block;
struct ctf_arena {
	struct ctf_arena_block *blocks; /* the current block first */
	char *free;			/* unused rest of the current block */
	size_t left;
};

char *ctf_arena_grow(struct ctf_arena *arena, size_t size);

/* Returns @size bytes, or NULL when out of memory. */
static inline char *ctf_arena_take(struct ctf_arena *arena, size_t size)
{
	char *taken = arena->free;

	if (__builtin_expect(size > arena->left, 0))
		return ctf_arena_grow(arena, size);
	arena->free += size;
	arena->left -= size;
	return taken;
}

/* Returns room for @count aligned values of 8 bytes, or NULL when out of memory. */
static inline void *ctf_arena_take_words(struct ctf_arena *arena, size_t count)
{
	char *taken = ctf_arena_take(arena, count * sizeof(uint64_t) + sizeof(uint64_t) - 1);

	return taken ? taken + (-(uintptr_t)taken & (sizeof(uint64_t) - 1)) : NULL;
}

/* Releases all allocations; keeps one block for the next chunk. */
void ctf_arena_reset(struct ctf_arena *arena);
void ctf_arena_free(struct ctf_arena *arena);

/* Longer strings are truncated to this size. Names, such as a thread's name, are always shorter. */
#define CTF_TEXT_MAX 4096

/*
 * Copies the string of at most @length bytes at @bytes and terminates it. Returns NULL when out of
 * memory.
 */
const char *ctf_arena_text(struct ctf_arena *arena, const uint8_t *bytes, size_t length);

/* Like ctf_arena_text() for the string @scalar of @field, converted to UTF-8. */
const char *ctf_arena_string(struct ctf_arena *arena, const struct ctf_field *field,
			     const struct ctf_scalar *scalar);

#endif /* LTTNG_MM_CTF_DECODE_ARENA_H */
