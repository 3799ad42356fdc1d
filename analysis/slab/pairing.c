// SPDX-License-Identifier: LGPL-2.1-only
/* What each event does to the object at its address. */
#include "analysis/slab/pairing.h"

#include <stdlib.h>
#include <string.h>

#define SITES_MAX  (1u << 17)
#define PAGE_SHIFT 12

int slab_pairing_init(struct slab_pairing *pairing)
{
	memset(pairing, 0, sizeof(*pairing));
	pairing->lost_until_ns = INT64_MIN;
	pairing->begin_ns = INT64_MIN;
	if (slab_objects_init(&pairing->objects) ||
	    slab_rows_init(&pairing->sites, sizeof(struct slab_site), SITES_MAX))
		return -1;
	return 0;
}

void slab_pairing_release(struct slab_pairing *pairing)
{
	slab_objects_release(&pairing->objects);
	slab_rows_release(&pairing->sites);
	free(pairing->doubts);
	free(pairing->untraced);
}

void slab_pairing_lost(struct slab_pairing *pairing, int64_t until_ns)
{
	if (until_ns > pairing->lost_until_ns)
		pairing->lost_until_ns = until_ns;
}

static unsigned int lifetime_bin(uint64_t ns)
{
	unsigned int bits = ns ? 64 - (unsigned int)__builtin_clzll(ns) : 0;

	if (bits <= SLAB_LIFETIME_FIRST)
		return 0;
	bits -= SLAB_LIFETIME_FIRST;
	return bits < SLAB_LIFETIME_BINS ? bits : SLAB_LIFETIME_BINS - 1;
}

/* The object is live no more; fills @freed with what it was. */
static void leave(struct slab_pairing *pairing, const struct slab_object *object,
		  struct slab_site *site, int64_t now, struct slab_freed *freed)
{
	freed->row = object->row;
	freed->tid = object->tid;
	freed->cpu = object->cpu;
	freed->lifetime_ns = now > object->time_ns ? (uint64_t)now - (uint64_t)object->time_ns : 0;
	freed->bytes_req = object->bytes_req;
	freed->bytes_alloc = object->bytes_alloc;
	freed->objects = 1;
	site->live--;
	site->live_req -= object->bytes_req;
	site->live_alloc -= object->bytes_alloc;
	if (object->key & SLAB_KEY_PAGE)
		pairing->live_orders[object->pair & 63]--;
}

static int note_untraced(struct slab_pairing *pairing, const struct slab_object *object,
			 int64_t time_ns)
{
	struct slab_untraced *grown = mm_array_grow(pairing->untraced, pairing->untraced_count,
						    &pairing->untraced_room, sizeof(*grown));

	if (!grown)
		return -1;
	pairing->untraced = grown;
	grown[pairing->untraced_count++] = (struct slab_untraced){
		.time_ns = time_ns,
		.row = object->row,
		.by_rcu = object->flags & SLAB_OBJECT_RCU,
	};
	return 0;
}

/* The object's address is given out again: its end was not seen. */
static int end_unseen(struct slab_pairing *pairing, const struct slab_object *object, int64_t now,
		      struct slab_freed *ended)
{
	struct slab_site *site = slab_pairing_site(pairing, object->row);

	leave(pairing, object, site, now, ended);
	if (pairing->lost_until_ns > object->time_ns || pairing->begin_ns > object->time_ns) {
		site->endings[SLAB_UNKNOWN]++;
		return 0;
	}
	site->endings[SLAB_UNTRACED]++;
	site->by_rcu += !!(object->flags & SLAB_OBJECT_RCU);
	return note_untraced(pairing, object, now);
}

static struct slab_doubt *new_doubt(struct slab_pairing *pairing, enum slab_doubt_kind kind,
				    const struct slab_object *object, const struct slab_op *op)
{
	struct slab_doubt *grown;

	if (pairing->doubt_count >= SLAB_DOUBTS_MAX) {
		pairing->doubts_dropped++;
		return NULL;
	}
	grown = mm_array_grow(pairing->doubts, pairing->doubt_count, &pairing->doubt_room,
			      sizeof(*grown));
	if (!grown)
		return NULL;
	pairing->doubts = grown;
	grown += pairing->doubt_count++;
	*grown = (struct slab_doubt){
		.kind = kind,
		.key = op->key,
		.first_ns = object->time_ns,
		.first_tid = object->tid,
		.first_cpu = object->cpu,
		.first_kind = SLAB_KIND_NONE,
		.second_ns = op->time_ns,
		.second_code = op->code,
		.second_tid = op->tid,
		.second_cpu = op->cpu,
		.second_kind = op->kind,
		.api = op->api,
		.verdict = SLAB_INCONSISTENT,
	};
	return grown;
}

/* Of a live object. */
static void note_doubt(struct slab_pairing *pairing, enum slab_doubt_kind kind,
		       const struct slab_object *object, const struct slab_op *op)
{
	struct slab_doubt *doubt = new_doubt(pairing, kind, object, op);
	const struct slab_site *site = slab_pairing_site(pairing, object->row);

	if (!doubt)
		return;
	doubt->row = object->row;
	doubt->first_code = site->row.a;
	doubt->first_kind = site->row.b;
	doubt->bytes_req = object->bytes_req;
	doubt->bytes_alloc = object->bytes_alloc;
}

/* Was it freed through what it was allocated from? */
static void check_free(struct slab_pairing *pairing, struct slab_site *site,
		       const struct slab_object *object, const struct slab_op *op)
{
	uint32_t kind = site->row.b;

	if (op->kind == SLAB_KIND_NONE) {
		site->kfreed += slab_kind_is_cache(kind);
		return;
	}
	/* Caches beyond those that have numbers share the number 0. */
	if (op->kind == kind || op->kind == SLAB_KIND_CACHE || kind == SLAB_KIND_CACHE ||
	    !object->row)
		return;
	note_doubt(pairing, slab_kind_is_kmalloc(kind) ? SLAB_KMALLOC_BY_CACHE : SLAB_OTHER_CACHE,
		   object, op);
}

static void count_pair(struct slab_pairing *pairing, struct slab_site *site,
		       const struct slab_op *op, struct slab_freed *freed)
{
	if (pairing->lost_until_ns != INT64_MIN &&
	    pairing->lost_until_ns > op->time_ns - (int64_t)freed->lifetime_ns) {
		site->endings[SLAB_UNKNOWN]++;
		return;
	}
	freed->paired = true;
	site->endings[SLAB_PAIRED]++;
	site->other_cpu += freed->cpu != op->cpu;
	site->other_thread += freed->tid != op->tid;
	site->lifetimes[lifetime_bin(freed->lifetime_ns)]++;
}

static void set_freed(struct slab_object *object, const struct slab_op *op)
{
	object->state = SLAB_OBJECT_FREED;
	object->flags = 0;
	object->time_ns = op->time_ns;
	object->code = op->code;
	object->tid = op->tid;
	object->cpu = op->cpu;
}

static void refused(struct slab_pairing *pairing, const struct slab_object *object,
		    const struct slab_op *op)
{
	struct slab_doubt *doubt;

	if (pairing->lost_until_ns > object->time_ns) {
		pairing->unknown_frees++;
		return;
	}
	if (pairing->begin_ns > object->time_ns) {
		pairing->older++;
		return;
	}
	pairing->double_frees++;
	doubt = new_doubt(pairing, SLAB_DOUBLE_FREE, object, op);
	if (doubt)
		doubt->first_code = object->code;
}

int slab_pairing_alloc(struct slab_pairing *pairing, const struct slab_op *op,
		       struct slab_freed *ended)
{
	struct slab_object *object =
		slab_objects_get(&pairing->objects, op->key, op->tag, op->guess);
	uint32_t row;
	struct slab_site *site;

	ended->objects = 0;
	if (!object)
		return -1;
	/* An address often serves one call site again and again. */
	row = object->row;
	if (!slab_rows_guess(&pairing->sites, &row, op->code, op->kind))
		return -1;
	pairing->last_row = row;
	if (object->state == SLAB_OBJECT_LIVE && end_unseen(pairing, object, op->time_ns, ended))
		return -1;
	site = slab_pairing_site(pairing, row);
	object->time_ns = op->time_ns;
	object->row = row;
	object->bytes_req = op->bytes_req;
	object->bytes_alloc = op->bytes_alloc;
	object->tid = op->tid;
	object->cpu = op->cpu;
	object->state = SLAB_OBJECT_LIVE;
	object->flags = op->flags;
	site->allocs++;
	site->bytes_req += op->bytes_req;
	site->bytes_alloc += op->bytes_alloc;
	site->live_req += op->bytes_req;
	site->live_alloc += op->bytes_alloc;
	if (++site->live > site->peak)
		site->peak = site->live;
	if (site->live_alloc > site->peak_alloc) {
		site->peak_alloc = site->live_alloc;
		site->peak_req = site->live_req;
	}
	if (op->kind >= SLAB_KIND_PAGES) {
		object->pair = op->kind - SLAB_KIND_PAGES;
		pairing->live_orders[object->pair & 63]++;
	} else if (op->kind < SLAB_KIND_CACHE && op->bytes_req > op->bytes_alloc) {
		note_doubt(pairing, SLAB_SIZE, object, op);
	}
	return 0;
}

int slab_pairing_free(struct slab_pairing *pairing, const struct slab_op *op,
		      struct slab_freed *freed)
{
	struct slab_object *object =
		slab_objects_get(&pairing->objects, op->key, op->tag, op->guess);
	struct slab_site *site;

	freed->objects = 0;
	freed->paired = false;
	pairing->last_row = 0;
	if (!object)
		return -1;
	if (object->state == SLAB_OBJECT_LIVE) {
		pairing->last_row = object->row;
		site = slab_pairing_site(pairing, object->row);
		leave(pairing, object, site, op->time_ns, freed);
		count_pair(pairing, site, op, freed);
		if (freed->paired)
			check_free(pairing, site, object, op);
	} else if (object->state == SLAB_OBJECT_FREED) {
		refused(pairing, object, op);
	} else if (pairing->lost_until_ns != INT64_MIN) {
		pairing->unknown_frees++;
	} else {
		pairing->older++;
	}
	set_freed(object, op);
	return 0;
}

/* A block that the pages are a part of, NULL when there is none. */
static struct slab_object *find_block(struct slab_pairing *pairing, uint64_t pfn,
				      unsigned int order)
{
	for (unsigned int above = order + 1; above < 32; above++) {
		uint64_t key = (pfn & ~((1ull << above) - 1)) | SLAB_KEY_PAGE;
		struct slab_object *object;

		if (!pairing->live_orders[above])
			continue;
		object = slab_objects_find(&pairing->objects, key,
					   slab_objects_tag(&pairing->objects, key));
		if (object && object->state == SLAB_OBJECT_LIVE && object->pair == above)
			return object;
	}
	return NULL;
}

/* Part of a block is freed: the block ends with its last part. */
static void free_piece(struct slab_pairing *pairing, struct slab_object *block,
		       const struct slab_op *op, struct slab_freed *freed)
{
	struct slab_site *site = slab_pairing_site(pairing, block->row);
	uint32_t bytes = op->bytes_req < block->bytes_req ? op->bytes_req : block->bytes_req;

	block->flags |= SLAB_OBJECT_PIECES;
	if (block->bytes_req == bytes) {
		leave(pairing, block, site, op->time_ns, freed);
		count_pair(pairing, site, op, freed);
		site->in_pieces += freed->paired;
		set_freed(block, op);
		return;
	}
	block->bytes_req -= bytes;
	block->bytes_alloc -= bytes;
	site->live_req -= bytes;
	site->live_alloc -= bytes;
	freed->bytes_req = freed->bytes_alloc = bytes;
	freed->row = block->row;
}

int slab_pairing_free_pages(struct slab_pairing *pairing, const struct slab_op *op,
			    struct slab_freed *freed)
{
	uint64_t pfn = op->key & ~SLAB_KEY_PAGE;
	unsigned int order = op->kind - SLAB_KIND_PAGES;
	struct slab_object *object = slab_objects_find(&pairing->objects, op->key, op->tag);
	struct slab_object *block = NULL;
	struct slab_site *site;

	memset(freed, 0, sizeof(*freed));
	pairing->last_row = 0;
	if (object && object->state == SLAB_OBJECT_LIVE) {
		if (object->pair > order || object->flags & SLAB_OBJECT_PIECES) {
			free_piece(pairing, object, op, freed);
			return 0;
		}
		site = slab_pairing_site(pairing, object->row);
		leave(pairing, object, site, op->time_ns, freed);
		count_pair(pairing, site, op, freed);
		pairing->merged_pages += object->pair < order;
		set_freed(object, op);
		return 0;
	}
	block = find_block(pairing, pfn, order);
	if (block) {
		free_piece(pairing, block, op, freed);
		return 0;
	}
	if (pairing->lost_until_ns != INT64_MIN)
		pairing->unknown_frees++;
	else if (object)
		pairing->page_refreed++;
	else
		pairing->older_pages++;
	object = object ? object : slab_objects_get(&pairing->objects, op->key, op->tag, op->guess);
	if (!object)
		return -1;
	set_freed(object, op);
	return 0;
}

int slab_pairing_realloc(struct slab_pairing *pairing, const struct slab_op *op, int64_t *grown)
{
	struct slab_object *object = slab_objects_find(&pairing->objects, op->key, op->tag);
	struct slab_site *site;

	pairing->in_place++;
	*grown = 0;
	if (!object || object->state != SLAB_OBJECT_LIVE ||
	    pairing->lost_until_ns > object->time_ns)
		return 0;
	site = slab_pairing_site(pairing, object->row);
	if (!slab_kind_is_kmalloc(site->row.b))
		return 0;
	*grown = (int64_t)op->bytes_req - (int64_t)object->bytes_req;
	site->live_req += (uint64_t)*grown;
	object->bytes_req = op->bytes_req;
	if (op->bytes_req > object->bytes_alloc)
		note_doubt(pairing, SLAB_SIZE, object, op);
	return 0;
}

void slab_pairing_rcu(struct slab_pairing *pairing, const struct slab_op *op)
{
	struct slab_object *object = slab_objects_find(&pairing->objects, op->key, op->tag);

	pairing->rcu_handed++;
	if (object && object->state == SLAB_OBJECT_LIVE)
		object->flags |= SLAB_OBJECT_RCU;
}

static void judge_doubt(struct slab_pairing *pairing, struct slab_doubt *doubt,
			const struct slab_coverage *coverage)
{
	struct slab_site *site = slab_pairing_site(pairing, doubt->row);

	if (doubt->kind == SLAB_KMALLOC_BY_CACHE &&
	    coverage->is_kmalloc_cache(coverage->user, doubt->second_kind, doubt->bytes_alloc)) {
		doubt->verdict = SLAB_PAIRED;
		pairing->legal_kmalloc_by_cache++;
		return;
	}
	/* What is wrong with an allocation's own numbers no missing event explains. */
	if (doubt->kind == SLAB_SIZE)
		return;
	if (doubt->kind == SLAB_DOUBLE_FREE) {
		if (doubt->first_ns < coverage->begin_ns)
			doubt->verdict = SLAB_OLDER;
		else if (doubt->second_ns > coverage->end_ns)
			doubt->verdict = SLAB_UNKNOWN;
		else if (coverage->hidden_allocs)
			doubt->verdict = SLAB_UNTRACED;
		else
			return;
		pairing->double_frees--;
		pairing->older += doubt->verdict == SLAB_OLDER;
		pairing->unknown_frees += doubt->verdict == SLAB_UNKNOWN;
		pairing->untraced_allocs += doubt->verdict == SLAB_UNTRACED;
		return;
	}
	if (doubt->first_ns < coverage->begin_ns || doubt->second_ns > coverage->end_ns)
		doubt->verdict = SLAB_UNKNOWN;
	site->endings[SLAB_PAIRED]--;
	site->endings[doubt->verdict]++;
}

static void judge_object(struct slab_pairing *pairing, struct slab_object *object,
			 const struct slab_coverage *coverage)
{
	struct slab_site *site = slab_pairing_site(pairing, object->row);

	enum slab_ending ending = SLAB_LIVE;

	if (coverage->is_gone(coverage->user, site->row.b))
		ending = SLAB_UNTRACED;
	else if (pairing->lost_until_ns > object->time_ns || object->time_ns < coverage->begin_ns ||
		 object->time_ns > coverage->end_ns)
		ending = SLAB_UNKNOWN;
	site->endings[ending]++;
	if (ending == SLAB_LIVE)
		return;
	object->flags |= SLAB_OBJECT_LOSS;
	site->live--;
	site->live_req -= object->bytes_req;
	site->live_alloc -= object->bytes_alloc;
}

void slab_pairing_judge(struct slab_pairing *pairing, const struct slab_coverage *coverage)
{
	for (size_t i = 0; i < pairing->doubt_count; i++)
		judge_doubt(pairing, &pairing->doubts[i], coverage);
	for (size_t i = 0; i < pairing->untraced_count; i++) {
		const struct slab_untraced *untraced = &pairing->untraced[i];
		struct slab_site *site = slab_pairing_site(pairing, untraced->row);

		if (untraced->time_ns <= coverage->end_ns)
			continue;
		site->endings[SLAB_UNTRACED]--;
		site->endings[SLAB_UNKNOWN]++;
		site->by_rcu -= untraced->by_rcu;
	}
	for (uint32_t i = 0; i < pairing->objects.count; i++)
		if (pairing->objects.all[i].state == SLAB_OBJECT_LIVE)
			judge_object(pairing, &pairing->objects.all[i], coverage);
}
