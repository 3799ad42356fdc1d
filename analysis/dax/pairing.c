// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Pairs fault entries with exits.
 *
 * A thread's faults nest (a fault may copy to memory that faults) and never overlap otherwise, so
 * each thread has a stack. An exit closes the topmost open fault of its kind, file and address; what
 * lies above it has lost its exit.
 */
#include "analysis/dax/pairing.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#define NESTING_MAX 8

struct thread {
	int32_t tid;	/* the tree's key: first */
	unsigned int depth;
	struct dax_fault open[NESTING_MAX];
	/* The last huge-page fault that ended; its dax_pmd_fallback event may be still to come. */
	bool pending;
	struct dax_fault ended;
	/* The last fallback, for the 4 KiB fault that follows it. */
	bool fell_back;
	uint64_t fallback_address, fallback_ino;
};

struct dax_pairing {
	void (*done)(void *user, const struct dax_fault *fault);
	void *user;
	void *threads;	/* tsearch(3) tree of struct thread by tid */
	struct dax_pairing_counts counts;
};

static int compare_threads(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

struct dax_pairing *dax_pairing_create(void (*done)(void *user, const struct dax_fault *fault),
				       void *user)
{
	struct dax_pairing *pairing = calloc(1, sizeof(*pairing));

	if (pairing) {
		pairing->done = done;
		pairing->user = user;
	}
	return pairing;
}

void dax_pairing_destroy(struct dax_pairing *pairing)
{
	if (!pairing)
		return;
	tdestroy(pairing->threads, free);
	free(pairing);
}

static struct thread *find_thread(struct dax_pairing *pairing, int32_t tid, bool make)
{
	struct thread **found = tfind(&tid, &pairing->threads, compare_threads);
	struct thread *thread;

	if (found)
		return *found;
	if (!make)
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	if (!tsearch(thread, &pairing->threads, compare_threads)) {
		free(thread);
		return NULL;
	}
	return thread;
}

/* Hands over the ended huge-page fault, now that no more evidence for it can come. */
static void settle(struct dax_pairing *pairing, struct thread *thread)
{
	if (!thread->pending)
		return;
	thread->pending = false;
	pairing->done(pairing->user, &thread->ended);
}

int dax_pairing_begin(struct dax_pairing *pairing, const struct dax_fault *fault)
{
	struct thread *thread = find_thread(pairing, fault->tid, true);
	struct dax_fault *open;

	if (!thread)
		return -1;
	settle(pairing, thread);
	if (thread->depth == NESTING_MAX) {
		/* Deeper than any kernel nests: the exits are missing. */
		memmove(&thread->open[0], &thread->open[1],
			(NESTING_MAX - 1) * sizeof(thread->open[0]));
		thread->depth--;
		pairing->counts.unpaired_entries++;
	}
	if (thread->depth)
		pairing->counts.nested++;
	open = &thread->open[thread->depth++];
	*open = *fault;
	open->after_fallback = fault->kind == DAX_KIND_PTE && thread->fell_back &&
		thread->fallback_ino == fault->ino &&
		thread->fallback_address / DAX_PAGE_SIZE ==
			fault->evidence.address / DAX_PAGE_SIZE;
	thread->fell_back = false;
	return 0;
}

static bool same_fault(const struct dax_fault *open, const struct dax_fault *exit)
{
	return open->kind == exit->kind && open->ino == exit->ino && open->major == exit->major &&
		open->minor == exit->minor && open->evidence.address == exit->evidence.address;
}

int dax_pairing_end(struct dax_pairing *pairing, const struct dax_fault *exit)
{
	struct thread *thread = find_thread(pairing, exit->tid, true);
	struct dax_fault *open;
	unsigned int at;

	if (!thread)
		return -1;
	settle(pairing, thread);
	for (at = thread->depth; at; at--)
		if (same_fault(&thread->open[at - 1], exit))
			break;
	if (!at) {
		pairing->counts.unpaired_exits++;
		return 0;
	}
	pairing->counts.unpaired_entries += thread->depth - at;
	thread->depth = at - 1;
	open = &thread->open[at - 1];
	open->end_ns = exit->end_ns;
	open->evidence.result = exit->evidence.result;
	if (open->kind == DAX_KIND_PTE) {
		pairing->done(pairing->user, open);
		return 0;
	}
	thread->ended = *open;
	thread->pending = true;
	thread->fell_back = exit->evidence.result & DAX_RESULT_FALLBACK;
	thread->fallback_address = exit->evidence.address;
	thread->fallback_ino = exit->ino;
	return 0;
}

struct dax_evidence *dax_pairing_evidence(struct dax_pairing *pairing, int32_t tid, uint64_t ino,
					  bool also_ended)
{
	struct thread *thread = find_thread(pairing, tid, false);

	if (!thread)
		return NULL;
	for (unsigned int at = thread->depth; at; at--) {
		struct dax_fault *open = &thread->open[at - 1];

		if (open->kind == DAX_KIND_PMD && open->ino == ino)
			return &open->evidence;
	}
	if (also_ended && thread->pending && thread->ended.ino == ino)
		return &thread->ended.evidence;
	return NULL;
}

static void lose_thread(const void *node, VISIT visit, void *user)
{
	struct thread *thread = *(struct thread *const *)node;
	struct dax_pairing *pairing = user;

	if (visit != postorder && visit != leaf)
		return;
	settle(pairing, thread);
	pairing->counts.unknown_by_loss += thread->depth;
	thread->depth = 0;
	thread->fell_back = false;
}

void dax_pairing_lost(struct dax_pairing *pairing)
{
	twalk_r(pairing->threads, lose_thread, pairing);
}

static void finish_thread(const void *node, VISIT visit, void *user)
{
	struct thread *thread = *(struct thread *const *)node;
	struct dax_pairing *pairing = user;

	if (visit != postorder && visit != leaf)
		return;
	settle(pairing, thread);
	pairing->counts.unpaired_entries += thread->depth;
	thread->depth = 0;
}

const struct dax_pairing_counts *dax_pairing_finish(struct dax_pairing *pairing)
{
	twalk_r(pairing->threads, finish_thread, pairing);
	return &pairing->counts;
}
