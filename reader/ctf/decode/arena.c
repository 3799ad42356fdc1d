// SPDX-License-Identifier: LGPL-2.1-only
/* Memory for the strings and arrays of a chunk of events. */
#include "reader/ctf/decode/arena.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK 16384

struct ctf_arena_block {
	struct ctf_arena_block *next;
	size_t size;
	char data[];
};

/* Adds a block. The rest of the current block stays unused. */
char *ctf_arena_grow(struct ctf_arena *arena, size_t size)
{
	size_t room = size > ARENA_BLOCK ? size : ARENA_BLOCK;
	struct ctf_arena_block *block = malloc(sizeof(*block) + room);

	if (!block)
		return NULL;
	block->next = arena->blocks;
	block->size = room;
	arena->blocks = block;
	arena->free = block->data + size;
	arena->left = room - size;
	return block->data;
}

void ctf_arena_reset(struct ctf_arena *arena)
{
	while (arena->blocks && arena->blocks->next) {
		struct ctf_arena_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
	if (arena->blocks) {
		arena->free = arena->blocks->data;
		arena->left = arena->blocks->size;
	}
}

void ctf_arena_free(struct ctf_arena *arena)
{
	ctf_arena_reset(arena);
	free(arena->blocks);
	*arena = (struct ctf_arena){ 0 };
}

const char *ctf_arena_text(struct ctf_arena *arena, const uint8_t *bytes, size_t length)
{
	size_t used = strnlen((const char *)bytes, length < CTF_TEXT_MAX ? length : CTF_TEXT_MAX);
	char *made = ctf_arena_take(arena, used + 1);

	if (!made)
		return NULL;
	memcpy(made, bytes, used);
	made[used] = '\0';
	return made;
}

const char *ctf_arena_string(struct ctf_arena *arena, const struct ctf_field *field,
			     const struct ctf_scalar *scalar)
{
	size_t length = scalar->length;
	char *made;

	if (field->encoding == CTF_UTF8)
		return ctf_arena_text(arena, scalar->bytes, length);
	length = ctf_string_to_utf8(NULL, 0, field, scalar);
	if (length > CTF_TEXT_MAX)
		length = CTF_TEXT_MAX;
	made = ctf_arena_take(arena, length + 1);
	if (made)
		ctf_string_to_utf8(made, length + 1, field, scalar);
	return made;
}
