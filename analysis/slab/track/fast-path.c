// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The fast path processes frequent operations in straight-line code, on memory that was prefetched
 * some operations earlier. All other operations take the general path (general-path.c), which has
 * the same effects.
 *
 * Code without branches, in passes over blocks of events, was measured, too. It takes a fifth more
 * instructions and time. It would avoid mispredicted branches, but these are rare here.
 */
#include "analysis/slab/track/tracker.h"

/*
 * Before operations are processed, their data is prefetched in STEPS steps. Each step handles STEP
 * consecutive operations.
 */
#define STEP 16
#define STEPS 4

/* Returns the object at the event's address, if the hint is right; else NULL. */
static inline struct slab_object *expected_object(const struct slab_pairing *pairing,
						  const struct slab_op *op,
						  const struct slab_hint *hint)
{
	struct slab_object *all = pairing->objects.all;

	return hint->object && all[hint->object - 1].address == op->address ? &all[hint->object - 1]
									    : NULL;
}

/*
 * Is @op an allocation by a known account that is not omitted, at an address without a live object?
 */
static inline bool is_plain_alloc(const struct slab_accounts *accounts, const struct slab_op *op,
				  const struct slab_object *object,
				  const struct slab_account *account)
{
	return mm_row_is(account, &op->key.row) & !!account->site &
	       !slab_site_is_omitted(slab_site_at(accounts, account->site)) &
	       (object->state != SLAB_OBJECT_LIVE) & (op->bytes_req <= op->bytes_alloc);
}

/*
 * Does @op free a whole live object, and are the object and the account known and not omitted? Also
 * returns false if events were lost since the allocation.
 */
static inline bool is_plain_free(const struct slab_pairing *pairing, const struct slab_op *op,
				 const struct slab_object *object,
				 const struct slab_account *account)
{
	const uint32_t odd_flags = SLAB_OBJECT_PARTLY_FREED | SLAB_OBJECT_OMITTED;
	uint32_t odd = object->mode ^ slab_mode(SLAB_OBJECT_LIVE, 0, op->order);

	return mm_row_is(account, &op->key.row) &
	       !(odd & slab_mode(UINT8_MAX, odd_flags, UINT8_MAX)) &
	       (pairing->lost_until_ns <= object->time_ns);
}

static int process_on_general_path(struct slab_tracker *tracker, const struct slab_op *op,
				   struct slab_hint *hint)
{
	tracker->general_path++;
	if (slab_op_has_time(op))
		slab_live_see_time(&tracker->live, op->time_ns);
	return slab_tracker_process_any(tracker, op, hint);
}

static inline int allocate(struct slab_tracker *tracker, const struct slab_op *op,
			   struct slab_hint *hint, struct slab_object *object)
{
	struct slab_pairing *pairing = &tracker->pairing;
	struct slab_account *account = slab_account_at(&pairing->accounts, hint->account);

	if (!is_plain_alloc(&pairing->accounts, op, object, account))
		return process_on_general_path(tracker, op, hint);
	slab_pairing_allocated(pairing, object, account, hint->account, op);
	slab_pairing_enter_order(pairing, op->order);
	slab_live_adjust(&tracker->live, op->key.kind, op->bytes_req, op->bytes_alloc, 1);
	slab_live_see_peak(&tracker->live, op->time_ns);
	if (op->bytes_alloc > op->bytes_req &&
	    slab_waste_note(&tracker->waste, op, hint->account, &account->guess_waste))
		return -1;
	return slab_tracker_count_place(tracker, op);
}

static inline int release(struct slab_tracker *tracker, const struct slab_op *op,
			  struct slab_hint *hint, struct slab_object *object)
{
	struct slab_pairing *pairing = &tracker->pairing;
	struct slab_account *account = slab_account_at(&pairing->accounts, hint->account), *owner;
	struct slab_site *site;

	if (!is_plain_free(pairing, op, object, account))
		return process_on_general_path(tracker, op, hint);
	owner = slab_account_at(&pairing->accounts, object->account);
	site = slab_site_at(&pairing->accounts, owner->site);
	account->frees++;
	slab_site_adjust(site, object->bytes_req, object->bytes_alloc, -1ull);
	slab_account_pair(&pairing->accounts, owner, op, object->time_ns);
	slab_account_earlier(&pairing->accounts, owner, pairing->begin_ns, object->time_ns,
			     op->time_ns, 1, object->bytes_alloc);
	slab_live_adjust(&tracker->live, owner->key.kind, object->bytes_req, object->bytes_alloc,
			 -1ull);
	if (slab_is_mismatch(owner->key.kind, op->key.kind))
		slab_pairing_mismatch(pairing, object, op);
	object->time_ns = op->time_ns;
	object->account = hint->account;
	object->mode = slab_mode(SLAB_OBJECT_FREED, 0, op->order);
	pairing->live_orders[op->order]--;
	return slab_tracker_count_pair(tracker, op, &owner->key);
}

static inline int take(struct slab_tracker *tracker, const struct slab_op *op,
		       struct slab_hint *hint)
{
	struct slab_object *object = expected_object(&tracker->pairing, op, hint);

	if (!object || op->what >= SLAB_OPERATION_REALLOC)
		return process_on_general_path(tracker, op, hint);
	slab_live_see_time(&tracker->live, op->time_ns);
	return slab_op_is_free(op) ? release(tracker, op, hint, object)
				   : allocate(tracker, op, hint, object);
}

static inline int clamp(int value, int most)
{
	return value < 0 ? 0 : value < most ? value : most;
}

int slab_tracker_process(struct slab_tracker *tracker, struct slab_batch *batch)
{
	struct slab_pairing *pairing = &tracker->pairing;
	const struct slab_op *ops = batch->ops;
	struct slab_hint hints[SLAB_BATCH];
	int count = (int)batch->count, ret = 0;

	for (int at = -STEPS * STEP; !ret && at < count; at += STEP) {
		int from[STEPS + 2];

		for (int step = 0; step < STEPS + 2; step++)
			from[step] = clamp(at + step * STEP, count);
		for (int i = from[4]; i < from[5]; i++)
			slab_pairing_prefetch(pairing, &ops[i]);
		for (int i = from[3]; i < from[4]; i++)
			slab_pairing_prefetch_object(pairing, &ops[i], &hints[i]);
		for (int i = from[2]; i < from[3]; i++)
			slab_pairing_prefetch_owner(pairing, &hints[i]);
		for (int i = from[1]; i < from[2]; i++)
			slab_pairing_prefetch_site(pairing, &hints[i], slab_op_is_free(&ops[i]));
		for (int i = from[0]; !ret && i < from[1]; i++)
			ret = take(tracker, &ops[i], &hints[i]);
	}
	while (count && !slab_op_has_time(&ops[count - 1]))
		count--;
	if (count)
		tracker->last_ns = ops[count - 1].time_ns;
	batch->count = 0;
	return ret ? -1 : 0;
}
