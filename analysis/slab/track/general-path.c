// SPDX-License-Identifier: LGPL-2.1-only
/* The general path applies any operation to the objects and to all accounts. */
#include "analysis/slab/track/tracker.h"

static void ended(struct slab_tracker *tracker, const struct slab_freed *freed)
{
	if (freed->objects && !freed->omitted)
		slab_live_adjust(
			&tracker->live,
			slab_account_at(&tracker->pairing.accounts, freed->account)->key.kind,
			freed->bytes_req, freed->bytes_alloc, -1ull);
}

static int allocate(struct slab_tracker *tracker, const struct slab_op *op, struct slab_hint *hint)
{
	const struct slab_accounts *accounts = &tracker->pairing.accounts;
	struct slab_account *account;
	struct slab_freed before;

	if (slab_pairing_alloc(&tracker->pairing, op, hint, &before))
		return -1;
	ended(tracker, &before);
	account = slab_account_at(accounts, hint->account);
	if (slab_site_is_omitted(slab_site_at(accounts, account->site)))
		return 0;
	if (slab_tracker_count_place(tracker, op))
		return -1;
	if (hint->account)
		slab_live_adjust(&tracker->live, op->key.kind, op->bytes_req, op->bytes_alloc, 1);
	slab_live_see_peak(&tracker->live, op->time_ns);
	if (op->bytes_alloc <= op->bytes_req)
		return 0;
	return slab_waste_note(&tracker->waste, op, hint->account, &account->guess_waste);
}

static int release(struct slab_tracker *tracker, const struct slab_op *op, struct slab_hint *hint)
{
	const union slab_accounting_key *owner;
	struct slab_freed freed;

	if (slab_op_is_pages(op) ? slab_pairing_free_pages(&tracker->pairing, op, hint, &freed)
				 : slab_pairing_free(&tracker->pairing, op, hint, &freed))
		return -1;
	ended(tracker, &freed);
	if (!freed.paired)
		return 0;
	owner = &slab_account_at(&tracker->pairing.accounts, freed.account)->key;
	return freed.omitted ? slab_remote_pair_omitted(&tracker->remote, owner, &op->key)
			     : slab_tracker_count_pair(tracker, op, owner);
}

static int reallocate(struct slab_tracker *tracker, const struct slab_op *op,
		      struct slab_hint *hint)
{
	int64_t grown;

	if (slab_pairing_realloc(&tracker->pairing, op, hint, &grown))
		return -1;
	slab_live_resize(&tracker->live, grown);
	return 0;
}

/* Assigns the previous counts of a reused thread id to the number of the earlier thread. */
static int renew(struct slab_tracker *tracker, const struct slab_op *op)
{
	uint32_t past = SLAB_THREAD_PAST | op->bytes_req;

	return slab_accounts_renew(&tracker->pairing.accounts, op->key.tid, past) ||
			       slab_remote_renew(&tracker->remote, op->key.tid, past)
		       ? -1
		       : 0;
}

int slab_tracker_process_any(struct slab_tracker *tracker, const struct slab_op *op,
			     struct slab_hint *hint)
{
	switch (op->what) {
	case SLAB_OPERATION_ALLOC:
	case SLAB_OPERATION_ALLOC_PAGES:
		return allocate(tracker, op, hint);
	case SLAB_OPERATION_FREE:
	case SLAB_OPERATION_FREE_PAGES:
		return release(tracker, op, hint);
	case SLAB_OPERATION_REALLOC:
		return reallocate(tracker, op, hint);
	case SLAB_OPERATION_RENEW:
		return renew(tracker, op);
	default:
		return slab_pairing_rcu(&tracker->pairing, op, hint);
	}
}
