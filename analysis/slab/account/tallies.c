// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Counts allocations and frees by section of memory, by thread and CPU, and by freeing call site.
 */
#include "analysis/slab/account/tallies.h"

int slab_tallies_init(struct slab_tallies *tallies)
{
	return mm_rows_init(&tallies->threads, sizeof(struct slab_tally), SLAB_TALLIES_MAX, 8) ||
			       mm_rows_init(&tallies->sections, sizeof(struct slab_tally),
					    SLAB_TALLIES_MAX, 12) ||
			       mm_rows_init(&tallies->freers, sizeof(struct slab_count),
					    SLAB_TALLIES_MAX, 8)
		       ? -1
		       : 0;
}

void slab_tallies_release(struct slab_tallies *tallies)
{
	mm_rows_release(&tallies->threads);
	mm_rows_release(&tallies->sections);
	mm_rows_release(&tallies->freers);
}

/* Returns the row of the thread and CPU of @key, or NULL when out of memory. */
static struct slab_tally *thread_of(struct slab_tallies *tallies,
				    const union slab_accounting_key *key)
{
	return mm_rows_get(&tallies->threads, key->tid,
			   SLAB_ON_CPU(SLAB_KIND_OF(key->kind), key->cpu));
}

int slab_tallies_add_accounts(struct slab_tallies *tallies, const struct slab_accounts *accounts)
{
	for (uint32_t i = 0; i < slab_accounts_count(accounts); i++) {
		const struct slab_account *account = slab_account_at(accounts, i);
		bool frees = account->frees && account->key.code != SLAB_NO_CODE;
		struct slab_count *freer;
		struct slab_tally *tally;

		if ((!account->allocs && !account->frees) || !slab_account_is_counted(accounts, i))
			continue;
		tally = thread_of(tallies, &account->key);
		freer = frees ? mm_rows_get(&tallies->freers, account->key.code, 0) : NULL;
		if (!tally || (frees && !freer))
			return -1;
		tally->allocs += account->allocs;
		tally->frees += account->frees;
		tally->bytes_req += account->bytes_req;
		tally->bytes_alloc += account->bytes_alloc;
		if (freer)
			freer->count += account->frees;
	}
	return 0;
}

int slab_tallies_add_live(struct slab_tallies *tallies, uint64_t address, uint32_t bytes_alloc,
			  const union slab_accounting_key *owner)
{
	struct slab_tally *thread = thread_of(tallies, owner);
	struct slab_tally *section =
		mm_rows_get(&tallies->sections, slab_section_of(address), owner->kind);

	if (!thread || !section)
		return -1;
	thread->live++;
	thread->live_alloc += bytes_alloc;
	section->live++;
	section->live_alloc += bytes_alloc;
	return 0;
}
