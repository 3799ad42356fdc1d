// SPDX-License-Identifier: LGPL-2.1-only
/* Pairs fault entries with exits. */
#include "analysis/dax/pairing.h"

#include <stdlib.h>
#include <string.h>

struct dax_pairing *dax_pairing_create(void (*done)(void *user, const struct dax_fault *fault),
				       void *user)
{
	struct dax_pairing *pairing = calloc(1, sizeof(*pairing));

	if (pairing) {
		pairing->done = done;
		pairing->user = user;
		pairing->missing_until_ns = INT64_MIN;
		mm_hash_init(&pairing->by_tid);
	}
	return pairing;
}

void dax_pairing_destroy(struct dax_pairing *pairing)
{
	if (!pairing)
		return;
	for (uint32_t i = 0; i < pairing->thread_count; i++)
		free(pairing->threads[i].deeper);
	free(pairing->threads);
	mm_hash_release(&pairing->by_tid);
	free(pairing);
}

void dax_pairing_continues(struct dax_pairing *pairing)
{
	pairing->continues = true;
}

static uint32_t hash_of(const struct dax_pairing *pairing, int32_t tid)
{
	return mm_hash_of(&pairing->by_tid, (uint32_t)tid, 0);
}

static bool is_thread(const void *threads, uint32_t number, const void *tid)
{
	return ((const struct dax_thread *)threads)[number].tid == *(const int32_t *)tid;
}

struct dax_thread *dax_pairing_find_thread(struct dax_pairing *pairing, int32_t tid)
{
	uint32_t number = mm_hash_find(&pairing->by_tid, hash_of(pairing, tid), pairing->threads,
				       &tid, is_thread);

	if (number == MM_HASH_NONE)
		return NULL;
	pairing->recent[(uint32_t)tid % DAX_RECENT] = number;
	return &pairing->threads[number];
}

struct dax_thread *dax_pairing_make_thread(struct dax_pairing *pairing, int32_t tid)
{
	struct dax_thread *thread = mm_array_grow(pairing->threads, pairing->thread_count,
						  &pairing->thread_room, sizeof(*thread));

	if (!thread)
		return NULL;
	pairing->threads = thread;
	if (mm_hash_add(&pairing->by_tid, hash_of(pairing, tid), pairing->thread_count))
		return NULL;
	pairing->recent[(uint32_t)tid % DAX_RECENT] = pairing->thread_count;
	thread += pairing->thread_count++;
	memset(thread, 0, sizeof(*thread));
	thread->tid = tid;
	thread->unknown = pairing->continues;
	thread->process = MM_HASH_NONE;
	return thread;
}

int dax_thread_deepen(struct dax_thread *thread)
{
	if (!thread->deeper)
		thread->deeper = calloc(DAX_NESTING_MAX - 1, sizeof(*thread->deeper));
	return thread->deeper ? 0 : -1;
}

static struct dax_pairing_counts *counts_of(struct dax_pairing *pairing,
					    const struct dax_thread *thread)
{
	return thread->unknown ? &pairing->untold : &pairing->counts;
}

/* Faults of @thread from number @at up to @end have no exit. */
static void count_unpaired(struct dax_pairing *pairing, struct dax_thread *thread, unsigned int at,
			   unsigned int end)
{
	for (; at < end; at++) {
		if (dax_thread_fault(thread, at)->begin_ns < pairing->missing_until_ns)
			pairing->counts.unknown_by_loss++;
		else
			counts_of(pairing, thread)->unpaired_entries++;
	}
}

static void hand_over(struct dax_pairing *pairing, const struct dax_thread *thread,
		      const struct dax_fault *fault)
{
	if (!thread->unknown)
		pairing->done(pairing->user, fault);
}

/* Hands over the ended huge-page fault, now that no more evidence for it can come. */
static void settle(struct dax_pairing *pairing, struct dax_thread *thread)
{
	if (!thread->pending)
		return;
	thread->pending = false;
	hand_over(pairing, thread, dax_thread_fault(thread, thread->depth));
}

/* Makes the fault that begins the stack's top. Returns 0, or -1: memory is short. */
static int push(struct dax_pairing *pairing, struct dax_thread *thread)
{
	if (!thread->depth) {
		thread->outermost++;
		if (thread->unknown)
			thread->reached = false;
		if (!thread->depth_most)
			thread->depth_most = 1;
		thread->depth = 1;
		return 0;
	}
	if (dax_thread_deepen(thread))
		return -1;
	if (thread->depth == DAX_NESTING_MAX) {
		/* Deeper than any kernel nests: the exits are missing. */
		count_unpaired(pairing, thread, 0, 1);
		thread->first = thread->deeper[0];
		memmove(&thread->deeper[0], &thread->deeper[1],
			(DAX_NESTING_MAX - 2) * sizeof(thread->deeper[0]));
		thread->depth--;
		thread->reached = true;
	}
	counts_of(pairing, thread)->nested++;
	thread->depth++;
	if (thread->depth > thread->depth_most)
		thread->depth_most = thread->depth;
	return 0;
}

struct dax_fault *dax_pairing_begin(struct dax_pairing *pairing, struct dax_thread *thread,
				    const struct dax_fault_key *key)
{
	struct dax_fault *fault;

	settle(pairing, thread);
	if (push(pairing, thread))
		return NULL;
	fault = dax_thread_fault(thread, thread->depth - 1u);
	fault->kind = key->kind;
	fault->after_fallback =
		key->kind == DAX_KIND_PTE && thread->fell_back &&
		thread->fallback_ino == key->file.ino &&
		thread->fallback_address / DAX_PAGE_SIZE == key->address / DAX_PAGE_SIZE;
	fault->tid = thread->tid;
	fault->moved = false;
	fault->file = key->file;
	fault->evidence.address = key->address;
	fault->evidence.extent_seen = false;
	fault->evidence.entry_seen = false;
	fault->evidence.hole_fallback_seen = false;
	thread->fell_back = false;
	return fault;
}

static bool has_key(const struct dax_fault *fault, const struct dax_fault_key *key)
{
	return fault->evidence.address == key->address && fault->file.ino == key->file.ino &&
	       fault->kind == key->kind && fault->file.minor == key->file.minor &&
	       fault->file.major == key->file.major;
}

void dax_pairing_end(struct dax_pairing *pairing, struct dax_thread *thread,
		     const struct dax_fault_key *key, uint32_t cpu, int64_t end_ns, uint32_t result)
{
	struct dax_fault *fault = NULL;
	unsigned int at;

	settle(pairing, thread);
	for (at = thread->depth; at; at--) {
		fault = dax_thread_fault(thread, at - 1);
		if (has_key(fault, key))
			break;
	}
	if (!at) {
		if (pairing->missing_until_ns != INT64_MIN)
			pairing->counts.unknown_by_loss++;
		else
			counts_of(pairing, thread)->unpaired_exits++;
		thread->reached = true;
		return;
	}
	count_unpaired(pairing, thread, at, thread->depth);
	thread->depth = (uint8_t)(at - 1);
	if (fault->begin_ns < pairing->missing_until_ns && end_ns >= pairing->missing_until_ns) {
		pairing->counts.unknown_by_loss++;
		thread->fell_back = false;
		return;
	}
	fault->end_ns = end_ns;
	fault->moved |= fault->cpu != cpu;
	fault->evidence.result = result;
	if (fault->kind == DAX_KIND_PTE) {
		hand_over(pairing, thread, fault);
	} else {
		thread->pending = true;
		thread->fell_back = result & DAX_RESULT_FALLBACK;
		thread->fallback_address = key->address;
		thread->fallback_ino = key->file.ino;
	}
	if (thread->unknown && !thread->depth && !thread->reached) {
		thread->unknown = false;
		thread->outermost = 0;
		thread->depth_most = 0;
	}
}

static struct dax_evidence *evidence_of(struct dax_fault *fault, uint32_t cpu)
{
	fault->moved |= fault->cpu != cpu;
	return &fault->evidence;
}

struct dax_evidence *dax_pairing_evidence(struct dax_thread *thread, uint64_t ino, uint32_t cpu,
					  bool also_ended)
{
	struct dax_fault *fault;

	for (unsigned int at = thread->depth; at; at--) {
		fault = dax_thread_fault(thread, at - 1);
		if (fault->kind == DAX_KIND_PMD && fault->file.ino == ino)
			return evidence_of(fault, cpu);
	}
	thread->reached = true;
	if (!also_ended || !thread->pending)
		return NULL;
	fault = dax_thread_fault(thread, thread->depth);
	return fault->file.ino == ino ? evidence_of(fault, cpu) : NULL;
}

void dax_pairing_missing(struct dax_pairing *pairing, int64_t until_ns)
{
	if (until_ns > pairing->missing_until_ns)
		pairing->missing_until_ns = until_ns;
}

void dax_pairing_lost(struct dax_pairing *pairing)
{
	for (uint32_t i = 0; i < pairing->thread_count; i++) {
		struct dax_thread *thread = &pairing->threads[i];

		settle(pairing, thread);
		pairing->counts.unknown_by_loss += thread->depth;
		thread->depth = 0;
		thread->fell_back = false;
	}
}

const struct dax_pairing_counts *dax_pairing_finish(struct dax_pairing *pairing, bool damaged)
{
	for (uint32_t i = 0; i < pairing->thread_count; i++) {
		struct dax_thread *thread = &pairing->threads[i];

		settle(pairing, thread);
		if (damaged)
			pairing->counts.unknown_by_loss += thread->depth;
		else
			count_unpaired(pairing, thread, 0, thread->depth);
		thread->depth = 0;
	}
	return &pairing->counts;
}
