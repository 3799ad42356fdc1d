// SPDX-License-Identifier: LGPL-2.1-only
/* Creates chunks of decoded events, and collects the damage that is found while filling a chunk. */
#include "reader/ctf/decode/chunk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Limit on the messages about damage per chunk; all damaged packets are counted. */
#define DAMAGE_MAX 16

struct ctf_chunk *ctf_chunk_create(void)
{
	return calloc(1, sizeof(struct ctf_chunk));
}

void ctf_chunk_drop_damage(struct ctf_chunk *chunk)
{
	while (chunk->damage) {
		struct ctf_damage *damage = chunk->damage;

		chunk->damage = damage->next;
		free(damage->message);
		free(damage);
	}
	chunk->damage_end = &chunk->damage;
}

void ctf_chunk_destroy(struct ctf_chunk *chunk)
{
	if (!chunk)
		return;
	ctf_chunk_drop_damage(chunk);
	ctf_arena_free(&chunk->arena);
	free(chunk->text.data);
	free(chunk->events);
	free(chunk->places);
	free(chunk->values);
	free(chunk->slots);
	free(chunk);
}

char *ctf_damage_text(const struct ctf_finding *finding, const char *effect)
{
	char *text;

	if (finding->note)
		return asprintf(&text, "trace: %s: %s", finding->file, finding->what) < 0 ? NULL
											  : text;
	if (asprintf(&text, "trace: %s: packet %" PRIu64 ", byte %" PRIu64 ": %s%s", finding->file,
		     finding->packet, finding->offset, finding->what, effect) < 0)
		return NULL;
	return text;
}

void ctf_chunk_note_damage(struct ctf_chunk *chunk, const struct ctf_finding *finding,
			   const char *effect, bool in_events)
{
	struct ctf_damage *damage;
	size_t count = 0;

	for (damage = chunk->damage; damage; damage = damage->next)
		count++;
	if (count >= DAMAGE_MAX)
		return;
	damage = calloc(1, sizeof(*damage));
	if (!damage)
		return;
	damage->message = ctf_damage_text(finding, effect);
	if (!damage->message) {
		free(damage);
		return;
	}
	damage->note = finding->note;
	damage->truncated = finding->truncated;
	damage->in_events = in_events;
	*chunk->damage_end = damage;
	chunk->damage_end = &damage->next;
}
