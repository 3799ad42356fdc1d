// SPDX-License-Identifier: LGPL-2.1-only
/* Pairs the entries and exits of faults. */
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
		mm_hash_init(&pairing->by_tid);
		mm_loss_times_init(&pairing->losses);
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
	mm_loss_times_release(&pairing->losses);
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
	thread->process = thread->number = MM_HASH_NONE;
	thread->last_ns = thread->abandoned_ns = INT64_MIN;
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
	return thread->unknown ? &pairing->undetermined : &pairing->counts;
}

/*
 * Counts the open faults with numbers @at to @end - 1 of @thread as unpaired, because they had no
 * exit by @now_ns.
 */
static void count_unpaired(struct dax_pairing *pairing, struct dax_thread *thread, unsigned int at,
			   unsigned int end, int64_t now_ns)
{
	for (; at < end; at++) {
		int64_t begin_ns = dax_thread_fault(thread, at)->begin_ns;

		if (mm_loss_bound_any(mm_loss_between(&pairing->losses, begin_ns, now_ns)))
			pairing->counts.undetermined_by_loss++;
		else
			counts_of(pairing, thread)->unpaired_entries++;
	}
}

static void deliver(struct dax_pairing *pairing, const struct dax_thread *thread,
		    const struct dax_fault *fault)
{
	if (!thread->unknown)
		pairing->done(pairing->user, fault);
}

/* Delivers the pending huge-page fault, because it can get no more evidence. */
static void deliver_pending(struct dax_pairing *pairing, struct dax_thread *thread)
{
	if (!thread->pending)
		return;
	thread->pending = false;
	deliver(pairing, thread, dax_thread_fault(thread, thread->depth));
}

/* Pushes a new fault on the stack. Returns 0, or -1 when out of memory. */
static int push(struct dax_pairing *pairing, struct dax_thread *thread, int64_t now_ns)
{
	if (!thread->depth) {
		thread->outermost++;
		if (thread->unknown)
			thread->reached_unknown = false;
		if (!thread->depth_most)
			thread->depth_most = 1;
		thread->depth = 1;
		return 0;
	}
	if (dax_thread_deepen(thread))
		return -1;
	if (thread->depth == DAX_NESTING_MAX) {
		/*
		 * No kernel nests faults this deeply: exits are missing, and the oldest open fault
		 * is dropped.
		 */
		count_unpaired(pairing, thread, 0, 1, now_ns);
		thread->first = thread->deeper[0];
		memmove(&thread->deeper[0], &thread->deeper[1],
			(DAX_NESTING_MAX - 2) * sizeof(thread->deeper[0]));
		thread->depth--;
		thread->reached_unknown = true;
	}
	dax_thread_fault(thread, thread->depth - 1u)->inside++;
	thread->depth++;
	if (thread->depth > thread->depth_most)
		thread->depth_most = thread->depth;
	return 0;
}

/*
 * If events are missing since the start of the open fault, abandons the fault, because its exit
 * must be one of the missing events. The fault cannot still be open: the kernel never handles a DAX
 * fault within another one, because the handlers hold locks that a second fault in the address
 * space needs.
 */
static void abandon_open(struct dax_pairing *pairing, struct dax_thread *thread, int64_t now_ns)
{
	unsigned int at = thread->depth;
	const struct dax_fault *fault;
	struct mm_loss_bound missed;

	if (!at)
		return;
	fault = dax_thread_fault(thread, at - 1);
	missed = mm_loss_between(&pairing->losses, fault->begin_ns, now_ns);
	if (!mm_loss_bound_any(missed))
		return;
	/*
	 * If only one event is missing, it is the exit of this fault, not the entry of the next
	 * fault.
	 */
	if (missed.events == 1 && !missed.absent) {
		thread->abandoned_ns = now_ns;
		thread->abandoned = (struct dax_fault_key){ .kind = fault->kind,
							    .file = fault->file,
							    .address = fault->evidence.address };
	}
	count_unpaired(pairing, thread, 0, at, now_ns);
	thread->depth = 0;
}

/* Are the values equal, or is one of them unknown? */
static bool same_value(uint64_t a, uint64_t b)
{
	return a == b || __builtin_expect(a == DAX_UNKNOWN || b == DAX_UNKNOWN, 0);
}

static bool same_key(const struct dax_fault_key *a, const struct dax_fault_key *b)
{
	return same_value(a->address, b->address) && a->kind == b->kind &&
	       same_value(a->file.ino, b->file.ino) && a->file.minor == b->file.minor &&
	       a->file.major == b->file.major;
}

static bool has_key(const struct dax_fault *fault, const struct dax_fault_key *key)
{
	return same_value(fault->evidence.address, key->address) &&
	       same_value(fault->file.ino, key->file.ino) && fault->kind == key->kind &&
	       fault->file.minor == key->file.minor && fault->file.major == key->file.major;
}

/*
 * Marks the pending fault as repeated if @key starts another attempt of its access.
 *
 * After a fallback, the kernel usually handles a 4 KiB fault at the address before the thread
 * continues. It may also start over and attempt the huge page again. Since Linux 6.12, ext4 does
 * this at each fallback, because its mappings have no map_pages method. The first attempt then
 * holds the lock of the mapping, and the second attempt holds the lock of the address space.
 *
 * A huge-page fault therefore repeats an access if an earlier fault of the same file and address
 * fell back or must be retried, and the thread had no other DAX fault in between. If the access had
 * completed, it would have caused a 4 KiB fault or made a page table. After either of them, no
 * further huge-page fault is possible.
 */
static void note_repeated(struct dax_pairing *pairing, struct dax_thread *thread,
			  const struct dax_fault_key *key, int64_t begin_ns)
{
	struct dax_fault *fault;
	uint32_t result;

	if (!thread->pending || key->kind != DAX_KIND_PMD)
		return;
	fault = dax_thread_fault(thread, thread->depth);
	result = fault->evidence.result;
	if (result != DAX_RESULT_UNKNOWN &&
	    (!result || result & (DAX_RESULT_FALLBACK | DAX_RESULT_RETRY)) &&
	    key->address != DAX_UNKNOWN && key->file.ino != DAX_UNKNOWN && has_key(fault, key)) {
		bool uncertain = dax_pair_is_uncertain(
			mm_loss_between(&pairing->losses, fault->end_ns, begin_ns));

		fault->repeated = !uncertain;
		fault->maybe_repeated = uncertain;
	}
}

/*
 * Finds out what preceded a 4 KiB fault: a fallback, a huge-page fault that may be missing from the
 * trace, or no huge-page fault.
 */
static void classify_pte(struct dax_pairing *pairing, const struct dax_thread *thread,
			 struct dax_fault *fault)
{
	struct mm_loss_bound missed =
		mm_loss_between(&pairing->losses, thread->last_ns, fault->begin_ns);

	fault->after_fallback =
		thread->fell_back && !dax_pair_is_uncertain(missed) &&
		fault->evidence.address != DAX_UNKNOWN && thread->fallback_ino == fault->file.ino &&
		thread->fallback_address / DAX_PAGE_SIZE == fault->evidence.address / DAX_PAGE_SIZE;
	fault->pmd_maybe_lost = !fault->after_fallback &&
				(thread->last_ns == INT64_MIN || mm_loss_bound_any(missed) ||
				 fault->evidence.incomplete ||
				 (thread->fell_back && thread->fallback_address == DAX_UNKNOWN));
}

struct dax_fault *dax_pairing_begin(struct dax_pairing *pairing, struct dax_thread *thread,
				    const struct dax_fault_key *key, int64_t begin_ns)
{
	struct dax_fault *fault;

	note_repeated(pairing, thread, key, begin_ns);
	deliver_pending(pairing, thread);
	abandon_open(pairing, thread, begin_ns);
	if (push(pairing, thread, begin_ns))
		return NULL;
	fault = dax_thread_fault(thread, thread->depth - 1u);
	fault->kind = key->kind;
	fault->tid = thread->tid;
	fault->begin_ns = begin_ns;
	fault->migrated = fault->uncertain = fault->after_fallback = fault->pmd_maybe_lost = false;
	fault->repeated = fault->maybe_repeated = false;
	fault->inside = 0;
	fault->file = key->file;
	fault->evidence.address = key->address;
	fault->evidence.incomplete = key->incomplete;
	fault->evidence.extent_seen = false;
	fault->evidence.entry_seen = false;
	fault->evidence.hole_fallback_seen = false;
	if (key->kind == DAX_KIND_PTE)
		classify_pte(pairing, thread, fault);
	thread->fell_back = false;
	thread->last_ns = begin_ns;
	return fault;
}

/*
 * Does the exit with @key end the abandoned fault, which was already counted? Returns false if
 * events are missing since the fault was abandoned, because the exit may then belong to another
 * fault.
 */
static bool ends_abandoned(struct dax_pairing *pairing, struct dax_thread *thread,
			   const struct dax_fault_key *key, int64_t end_ns)
{
	int64_t since_ns = thread->abandoned_ns;

	if (since_ns == INT64_MIN || !same_key(&thread->abandoned, key))
		return false;
	thread->abandoned_ns = INT64_MIN;
	return !mm_loss_bound_any(mm_loss_between(&pairing->losses, since_ns, end_ns));
}

/* Processes an exit without an open fault. */
static void end_unseen(struct dax_pairing *pairing, struct dax_thread *thread,
		       const struct dax_fault_key *key, int64_t end_ns)
{
	thread->reached_unknown = true;
	if (ends_abandoned(pairing, thread, key, end_ns))
		return;
	if (mm_loss_bound_any(mm_loss_between(&pairing->losses, thread->last_ns, end_ns)))
		pairing->counts.undetermined_by_loss++;
	else
		counts_of(pairing, thread)->unpaired_exits++;
}

/* Ends @fault, which was popped from the stack. */
static void end_seen(struct dax_pairing *pairing, struct dax_thread *thread,
		     struct dax_fault *fault, const struct dax_fault_key *key, uint32_t cpu,
		     int64_t end_ns, uint32_t result)
{
	struct mm_loss_bound missed = mm_loss_between(&pairing->losses, fault->begin_ns, end_ns);

	if (dax_pair_is_uncertain(missed)) {
		pairing->counts.undetermined_by_loss++;
		return;
	}
	counts_of(pairing, thread)->uncertain += missed.absent;
	counts_of(pairing, thread)->nested += fault->inside;
	fault->uncertain = mm_loss_bound_any(missed);
	fault->end_ns = end_ns;
	fault->migrated |= fault->cpu != cpu;
	fault->evidence.result = result;
	fault->evidence.incomplete |= key->incomplete;
	if (fault->kind == DAX_KIND_PTE)
		deliver(pairing, thread, fault);
	else
		thread->pending = true;
	if (thread->unknown && !thread->depth && !thread->reached_unknown) {
		thread->unknown = false;
		thread->outermost = 0;
		thread->depth_most = 0;
	}
}

void dax_pairing_end(struct dax_pairing *pairing, struct dax_thread *thread,
		     const struct dax_fault_key *key, uint32_t cpu, int64_t end_ns, uint32_t result)
{
	struct dax_fault *fault = NULL;
	unsigned int at;

	deliver_pending(pairing, thread);
	for (at = thread->depth; at; at--) {
		fault = dax_thread_fault(thread, at - 1);
		if (has_key(fault, key))
			break;
	}
	if (at) {
		if (at < thread->depth)
			count_unpaired(pairing, thread, at, thread->depth, end_ns);
		thread->depth = (uint8_t)(at - 1);
		end_seen(pairing, thread, fault, key, cpu, end_ns, result);
	} else {
		end_unseen(pairing, thread, key, end_ns);
	}
	thread->last_ns = end_ns;
	/*
	 * A 4 KiB fault may follow this exit, even if the entry of the huge-page fault is missing.
	 */
	if (key->kind == DAX_KIND_PMD) {
		thread->fell_back = result & DAX_RESULT_FALLBACK;
		thread->fallback_address = key->address;
		thread->fallback_ino = key->file.ino;
	}
}

static struct dax_evidence *evidence_of(struct dax_fault *fault, uint32_t cpu)
{
	fault->migrated |= fault->cpu != cpu;
	return &fault->evidence;
}

struct dax_evidence *dax_pairing_evidence(struct dax_pairing *pairing, struct dax_thread *thread,
					  uint64_t ino, uint32_t cpu, int64_t time_ns,
					  bool also_ended)
{
	struct dax_fault *fault;

	for (unsigned int at = thread->depth; at; at--) {
		fault = dax_thread_fault(thread, at - 1);
		if (fault->kind == DAX_KIND_PMD && same_value(fault->file.ino, ino))
			return evidence_of(fault, cpu);
	}
	thread->reached_unknown = true;
	if (!also_ended || !thread->pending)
		return NULL;
	fault = dax_thread_fault(thread, thread->depth);
	/* The evidence may belong to a later fault whose entry and exit are both missing. */
	if (!same_value(fault->file.ino, ino) ||
	    dax_pair_is_uncertain(mm_loss_between(&pairing->losses, fault->end_ns, time_ns)))
		return NULL;
	return evidence_of(fault, cpu);
}

void dax_pairing_replaced(struct dax_pairing *pairing, struct dax_thread *thread, int64_t now_ns)
{
	deliver_pending(pairing, thread);
	count_unpaired(pairing, thread, 0, thread->depth, now_ns);
	thread->depth = 0;
	thread->fell_back = false;
	thread->last_ns = now_ns;
	thread->abandoned_ns = INT64_MIN;
}

int dax_pairing_lost(struct dax_pairing *pairing, const struct mm_loss *loss, int64_t since_ns)
{
	return mm_loss_times_add(&pairing->losses, loss, since_ns);
}

const struct dax_pairing_counts *dax_pairing_finish(struct dax_pairing *pairing)
{
	for (uint32_t i = 0; i < pairing->thread_count; i++) {
		struct dax_thread *thread = &pairing->threads[i];

		deliver_pending(pairing, thread);
		count_unpaired(pairing, thread, 0, thread->depth, INT64_MAX);
		thread->depth = 0;
	}
	return &pairing->counts;
}
