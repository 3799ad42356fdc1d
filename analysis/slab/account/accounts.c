// SPDX-License-Identifier: LGPL-2.1-only
/* Finds and makes accounts and call sites. */
#include "analysis/slab/account/accounts.h"

#include <stdlib.h>
#include <string.h>

#define ACCOUNTS_MAX (1u << 22)
#define SITES_MAX (1u << 17)

/*
 * Doubles the size of the array @pairs, which is aligned to cache lines. Returns the new array, or
 * NULL when out of memory.
 */
static struct slab_pairs *grow_pairs(struct slab_accounts *accounts)
{
	size_t room = accounts->pairs_room ? 2 * accounts->pairs_room : 64;
	struct slab_pairs *grown = aligned_alloc(64, room * sizeof(*grown));

	if (!grown)
		return NULL;
	if (accounts->pairs_count)
		memcpy(grown, accounts->pairs, accounts->pairs_count * sizeof(*grown));
	else
		memset(grown, 0, sizeof(*grown) * ++accounts->pairs_count);
	free(accounts->pairs);
	accounts->pairs = grown;
	accounts->pairs_room = room;
	return grown;
}

struct thread_accounts {
	struct mm_row row;
	uint32_t last; /* the thread's last account; 0: none */
};

/* Puts accounts that were made since the last call into the lists of their threads. */
static int link_accounts(struct slab_accounts *accounts)
{
	/* Account 0 belongs to no thread. */
	for (accounts->linked += !accounts->linked; accounts->linked < accounts->rows.count;
	     accounts->linked++) {
		struct slab_account *account = slab_account_at(accounts, accounts->linked);
		struct thread_accounts *thread =
			mm_rows_get(&accounts->threads, account->key.tid, 0);

		if (!thread)
			return -1;
		account->next = thread->last;
		thread->last = accounts->linked;
	}
	return 0;
}

int slab_accounts_renew(struct slab_accounts *accounts, uint32_t tid, uint32_t past)
{
	struct slab_account *account;
	struct thread_accounts *thread;

	if (link_accounts(accounts))
		return -1;
	if (!mm_rows_lookup(&accounts->threads, tid, 0))
		return 0;
	thread = mm_rows_get(&accounts->threads, tid, 0);
	/*
	 * The hash table still has entries under the old key. Lookups skip such entries, because
	 * the row's key changes here.
	 */
	for (uint32_t at = thread->last; at; at = account->next) {
		account = slab_account_at(accounts, at);
		account->key.tid = past;
	}
	thread->last = 0;
	return 0;
}

/* Makes room for the members that are indexed by account. Returns 0, or -1 when out of memory. */
static int grow_first(struct slab_accounts *accounts, uint32_t number)
{
	int64_t *first_ns;
	uint8_t *omissions;
	uint64_t *unmatched;

	if (number < accounts->first_room)
		return 0;
	first_ns = reallocarray(accounts->first_ns, accounts->rows.room, sizeof(*first_ns));
	if (!first_ns)
		return -1;
	accounts->first_ns = first_ns;
	omissions = reallocarray(accounts->omissions, accounts->rows.room, sizeof(*omissions));
	if (!omissions)
		return -1;
	accounts->omissions = omissions;
	unmatched = reallocarray(accounts->unmatched, accounts->rows.room, sizeof(*unmatched));
	if (!unmatched)
		return -1;
	accounts->unmatched = unmatched;
	accounts->first_room = accounts->rows.room;
	return 0;
}

/* Initializes a new account. @op is its first operation. Returns 0, or -1 when out of memory. */
static int add_first(struct slab_accounts *accounts, uint32_t number, const struct slab_op *op)
{
	if (grow_first(accounts, number))
		return -1;
	accounts->first_ns[number] = op->time_ns;
	accounts->unmatched[number] = 0;
	accounts->omissions[number] =
		accounts->omit ? (uint8_t)accounts->omit(accounts->user, number, op) : SLAB_COUNTED;
	return 0;
}

void slab_accounts_forget_earlier(struct slab_accounts *accounts)
{
	for (uint32_t i = 0; i < accounts->pairs_count; i++)
		accounts->pairs[i].earlier = accounts->pairs[i].earlier_bytes = 0;
	/* If an array could not grow, the newest row has no element in @unmatched. */
	for (uint32_t i = 0; i < accounts->rows.count && i < accounts->first_room; i++)
		accounts->unmatched[i] = 0;
}

int slab_accounts_init(struct slab_accounts *accounts)
{
	const struct slab_op none = { .time_ns = INT64_MIN };

	/*
	 * Account 0 collects operations that have no account of their own. Element 0 of @pairs
	 * belongs to it.
	 */
	accounts->pairs = grow_pairs(accounts);
	if (!accounts->pairs ||
	    mm_rows_init(&accounts->rows, sizeof(struct slab_account), ACCOUNTS_MAX, 16) ||
	    mm_rows_init(&accounts->sites, sizeof(struct slab_site), SITES_MAX, 10) ||
	    mm_rows_init(&accounts->threads, sizeof(struct thread_accounts), UINT32_MAX - 1, 8) ||
	    add_first(accounts, 0, &none))
		return -1;
	slab_site_at(accounts, 0)->row.c = 0;
	return 0;
}

void slab_accounts_release(struct slab_accounts *accounts)
{
	mm_rows_release(&accounts->rows);
	mm_rows_release(&accounts->sites);
	mm_rows_release(&accounts->threads);
	free(accounts->pairs);
	free(accounts->first_ns);
	free(accounts->omissions);
	free(accounts->unmatched);
}

/*
 * Sets the call site of an account on its first allocation, and makes room for its element of
 * @pairs. Returns 0, or -1 when out of memory.
 */
static int find_site(struct slab_accounts *accounts, uint32_t number)
{
	struct slab_account *account = slab_account_at(accounts, number);
	const struct mm_row key = { account->key.code, account->key.kind,
				    accounts->omissions[number], 0 };
	uint32_t site = mm_rows_number(&accounts->sites, &key);

	if (site == MM_HASH_NONE ||
	    (accounts->pairs_count == accounts->pairs_room && !grow_pairs(accounts)))
		return -1;
	/*
	 * If there is no room for another call site, the account gets call site 0, and each
	 * allocation repeats the lookup.
	 */
	if (!account->pairs) {
		account->pairs = accounts->pairs_count++;
		memset(&accounts->pairs[account->pairs], 0, sizeof(*accounts->pairs));
	}
	account->site = site;
	return 0;
}

int slab_accounts_add(struct slab_accounts *accounts, const struct slab_op *op, uint32_t *number,
		      bool allocates)
{
	uint32_t count = accounts->rows.count;

	*number = mm_rows_number(&accounts->rows, &op->key.row);
	if (*number == MM_HASH_NONE ||
	    (accounts->rows.count > count && add_first(accounts, *number, op)))
		return -1;
	return allocates && *number && !slab_account_at(accounts, *number)->site
		       ? find_site(accounts, *number)
		       : 0;
}

void slab_account_add_to_site(const struct slab_accounts *accounts, uint32_t number,
			      struct slab_site *site)
{
	const struct slab_account *account = slab_account_at(accounts, number);
	const struct slab_pairs *pairs = &accounts->pairs[account->pairs];

	site->allocs += account->allocs;
	site->bytes_req += account->bytes_req;
	site->bytes_alloc += account->bytes_alloc;
	/* An account without allocations has no element in @pairs. */
	if (number && !account->pairs)
		return;
	site->pairs.other_cpu += pairs->other_cpu;
	site->pairs.other_thread += pairs->other_thread;
	site->pairs.kfreed += pairs->kfreed;
	site->pairs.earlier += pairs->earlier;
	site->pairs.earlier_bytes += pairs->earlier_bytes;
	for (int outcome = SLAB_FREED_UNTRACED; outcome < SLAB_OUTCOMES; outcome++)
		site->outcomes[outcome] += pairs->ended[outcome - SLAB_FREED_UNTRACED];
	for (int bin = 0; bin < SLAB_LIFETIME_BINS; bin++) {
		site->pairs.lifetimes[bin] += pairs->lifetimes[bin];
		site->outcomes[SLAB_PAIRED] += pairs->lifetimes[bin];
	}
}

void slab_accounts_sum_up(struct slab_accounts *accounts)
{
	for (uint32_t i = 0; i < accounts->rows.count; i++)
		slab_account_add_to_site(
			accounts, i, slab_site_at(accounts, slab_account_at(accounts, i)->site));
}
