/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Accounts: events are counted once, in the row of their accounting key (call site, kind, thread,
 * CPU), and summed up at the end.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_ACCOUNTS_H
#define LTTNG_MM_SLAB_ACCOUNT_ACCOUNTS_H

#include "analysis/slab/decode/op.h"

/* Each object has exactly one of these outcomes. */
enum slab_outcome {
	SLAB_PAIRED,
	SLAB_LIVE, /* at the end of the trace */
	/* freed, and allocated before the trace or before all its streams started */
	SLAB_BEFORE_TRACE,
	/* its address was allocated again: an untraced path freed it */
	SLAB_FREED_UNTRACED,
	SLAB_ANOMALOUS,
	SLAB_UNDETERMINED, /* events were lost around it, or a stream had ended */
	SLAB_OUTCOMES,
};

/*
 * A call site's thread on a CPU, and the kind of the objects that it allocates or frees: one cache
 * line.
 */
struct slab_account {
	union slab_accounting_key key;
	uint64_t allocs, frees, bytes_req, bytes_alloc;
	uint32_t site;	      /* of the sites; 0 before its first allocation */
	uint32_t guess_waste; /* its last row of slab_waste; 0: none yet */
	uint32_t pairs;	      /* of the pairs; 0 before its first allocation */
	uint32_t next;	      /* another account of the thread; 0: none */
};

_Static_assert(sizeof(struct slab_account) == 64, "an account is one cache line");

#define SLAB_LIFETIME_BINS 40
#define SLAB_LIFETIME_FIRST 8 /* the first bin: less than 2^8 ns; the next: less than 2^9, ... */

/*
 * The outcomes of the objects that an account allocated. The frequently used members are in one
 * cache line.
 */
struct slab_pairs {
	uint64_t other_cpu, other_thread; /* freed there */
	uint64_t kfreed;		  /* cache objects freed by kfree() */
	/* Allocated before all streams had started, freed after that: objects and their bytes. */
	uint64_t earlier, earlier_bytes;
	uint64_t lifetimes[SLAB_LIFETIME_BINS];
	/* The account's other objects by outcome, from SLAB_FREED_UNTRACED on. */
	uint64_t ended[SLAB_OUTCOMES - SLAB_FREED_UNTRACED];
};

_Static_assert(sizeof(struct slab_pairs) % 64 == 0, "pairs are whole cache lines");

/* Why an account is left out of the figures. */
enum slab_omission {
	SLAB_COUNTED,		/* it is not */
	SLAB_OMITTED_BY_FILTER, /* the user's filters do not match */
	SLAB_OMITTED_RECORDER,	/* it is the recorder's: neither do frees of its objects count */
};

/*
 * Objects of one kind that one call site allocates; those of accounts that are left out have
 * separate rows. Bytes are of kmalloc() and pages only: a cache's size comes from the state dump,
 * and is multiplied at the end.
 */
struct slab_site {
	/* The cache line that every event uses: */
	struct mm_row row; /* code, kind, enum slab_left_out */
	uint64_t live, live_req, live_alloc, peak;
	uint64_t peak_alloc;
	uint64_t by_rcu; /* of those freed by an untraced path: had been passed to kfree_rcu() */
	/* And others: */
	uint64_t partly_freed; /* of the paired: pages */
	uint64_t outcomes[SLAB_OUTCOMES];
	/* Once summed up, of its accounts: */
	uint64_t allocs, bytes_req, bytes_alloc;
	struct slab_pairs pairs;
	uint64_t maybe_live; /* of the undetermined: not freed in the trace */
	uint64_t unused[5];
};

_Static_assert(sizeof(struct slab_site) % 64 == 0, "a call site is whole cache lines");

/* Number 0 of the rows, the sites and the pairs has no key. */
struct slab_accounts {
	struct mm_rows rows, sites;
	struct mm_rows threads;	  /* thread id, the last of its accounts, ... */
	uint32_t linked;	  /* ... of so many accounts */
	struct slab_pairs *pairs; /* by slab_account.pairs */
	uint32_t pairs_count;
	size_t pairs_room;
	/* By account: its first event; why it is left out of all figures; ... */
	int64_t *first_ns;
	uint8_t *omissions; /* enum slab_left_out */
	/* ... its frees of what was allocated before all streams had started, unseen */
	uint64_t *unmatched;
	size_t first_room;
	/*
	 * Optional: why is the account of that number, which is new, to be left out? @op is its
	 * first operation.
	 */
	enum slab_omission (*omit)(void *user, uint32_t number, const struct slab_op *op);
	void *user;
};

/* Return 0, or -1: out of memory. */
int slab_accounts_init(struct slab_accounts *accounts);
void slab_accounts_release(struct slab_accounts *accounts);

static inline struct slab_account *slab_account_at(const struct slab_accounts *accounts,
						   uint32_t number)
{
	return (struct slab_account *)(void *)accounts->rows.all + number;
}

static inline struct slab_site *slab_site_at(const struct slab_accounts *accounts, uint32_t number)
{
	return (struct slab_site *)(void *)accounts->sites.all + number;
}

/*
 * Are the objects of the call site left out of the figures? Those of the call site 0, which
 * collects what exceeds the maximum, are not.
 */
static inline bool slab_site_is_omitted(const struct slab_site *site)
{
	return site->row.c;
}

/* Are they left out as the recorder's? */
static inline bool slab_site_is_recorder(const struct slab_site *site)
{
	return site->row.c == SLAB_OMITTED_RECORDER;
}

/* Is the account part of the figures? Account 0, which collects what exceeds the maximum, is. */
static inline bool slab_account_is_counted(const struct slab_accounts *accounts, uint32_t number)
{
	return !accounts->omissions[number];
}

/* How many there are, number 0 included. */
static inline uint32_t slab_accounts_count(const struct slab_accounts *accounts)
{
	return accounts->rows.count;
}

static inline uint32_t slab_sites_count(const struct slab_accounts *accounts)
{
	return accounts->sites.count;
}

/* For slab_accounts_find(): the account or its call site is new. -1: out of memory. */
int slab_accounts_add(struct slab_accounts *accounts, const struct slab_op *op, uint32_t *number,
		      bool allocates);

/*
 * Finds the account of @op, or makes it, and for an allocation the call site, too; *@number is a
 * guess before. -1: out of memory.
 */
static inline int slab_accounts_find(struct slab_accounts *accounts, const struct slab_op *op,
				     uint32_t *number, bool allocates)
{
	const struct slab_account *account = slab_account_at(accounts, *number);

	return mm_row_is(account, &op->key.row) & (!allocates | !!account->site)
		       ? 0
		       : slab_accounts_add(accounts, op, number, allocates);
}

/* The thread id is used again: its accounts are those of @past. -1: out of memory. */
int slab_accounts_renew(struct slab_accounts *accounts, uint32_t tid, uint32_t past);

/* Counts an allocation and its bytes. */
static inline void slab_account_allocated(struct slab_account *account, const struct slab_op *op)
{
	account->allocs++;
	account->bytes_req += op->bytes_req;
	account->bytes_alloc += op->bytes_alloc;
}

/* One more object of the call site is live or, with @sign -1, one fewer. */
static inline void slab_site_adjust(struct slab_site *site, uint64_t req, uint64_t alloc,
				    uint64_t sign)
{
	site->live += sign;
	site->live_req += sign * req;
	site->live_alloc += sign * alloc;
	site->peak = site->live > site->peak ? site->live : site->peak;
	site->peak_alloc =
		site->live_alloc > site->peak_alloc ? site->live_alloc : site->peak_alloc;
}

/* By the number of bits: no shorter than the first bin, no longer than the last. */
static inline unsigned int slab_lifetime_bin(int64_t since_ns, int64_t until_ns)
{
	uint64_t ns = until_ns > since_ns ? (uint64_t)until_ns - (uint64_t)since_ns : 0;
	unsigned int bits =
		64 - (unsigned int)__builtin_clzll(ns | 1ull << (SLAB_LIFETIME_FIRST - 1));

	bits -= SLAB_LIFETIME_FIRST;
	return bits < SLAB_LIFETIME_BINS ? bits : SLAB_LIFETIME_BINS - 1;
}

/* Counts a pair of @owner with that lifetime that ended without a separate free. */
static inline void slab_account_lifetime(struct slab_accounts *accounts,
					 const struct slab_account *owner, int64_t since_ns,
					 int64_t until_ns)
{
	accounts->pairs[owner->pairs].lifetimes[slab_lifetime_bin(since_ns, until_ns)]++;
}

/* Counts a pair: @op frees an object that @owner had allocated. */
static inline void slab_account_pair(struct slab_accounts *accounts,
				     const struct slab_account *owner, const struct slab_op *op,
				     int64_t since_ns)
{
	struct slab_pairs *pairs = &accounts->pairs[owner->pairs];

	pairs->lifetimes[slab_lifetime_bin(since_ns, op->time_ns)]++;
	pairs->other_cpu += owner->key.cpu != op->key.cpu;
	pairs->other_thread += owner->key.tid != op->key.tid;
	pairs->kfreed += slab_kind_is_cache(owner->key.kind) & (op->key.kind == SLAB_KIND_NONE);
}

/*
 * Counts @count objects of @owner, of @bytes, that were freed at @now_ns, if that was after all
 * streams had started at @begin_ns and their allocation before. There is no branch.
 */
static inline void slab_account_earlier(struct slab_accounts *accounts,
					const struct slab_account *owner, int64_t begin_ns,
					int64_t since_ns, int64_t now_ns, uint64_t count,
					uint64_t bytes)
{
	struct slab_pairs *pairs = &accounts->pairs[owner->pairs];
	uint64_t mask = -(uint64_t)((since_ns < begin_ns) & (now_ns >= begin_ns));

	pairs->earlier += count & mask;
	pairs->earlier_bytes += bytes & mask;
}

/* No free so far was after all streams had started. */
void slab_accounts_forget_earlier(struct slab_accounts *accounts);

/*
 * How many of the objects that account number @number allocated have this outcome:
 * SLAB_FREED_UNTRACED or a later one.
 */
static inline uint64_t *slab_account_ended(const struct slab_accounts *accounts, uint32_t number,
					   enum slab_outcome outcome)
{
	return &accounts->pairs[slab_account_at(accounts, number)->pairs]
			.ended[outcome - SLAB_FREED_UNTRACED];
}

/*
 * Adds the counts of the account of that number to @site, except for the live objects, which
 * accounts do not count.
 */
void slab_account_add_to_site(const struct slab_accounts *accounts, uint32_t number,
			      struct slab_site *site);
/* At the end: adds all accounts to their call sites. To be called once. */
void slab_accounts_sum_up(struct slab_accounts *accounts);

/* The place where the number of the key's row most likely is. */
static inline uint32_t slab_accounts_quick(const struct slab_accounts *accounts,
					   const union slab_accounting_key *key)
{
	return mm_rows_quick(&accounts->rows, &key->row);
}

/* Prefetches that place, ... */
static inline void slab_accounts_prefetch(const struct slab_accounts *accounts, uint32_t quick)
{
	__builtin_prefetch(&accounts->rows.recent[quick]);
}

/* ... for the row that is written, which is returned, ... */
static inline uint32_t slab_accounts_prefetch_row(const struct slab_accounts *accounts,
						  uint32_t quick)
{
	uint32_t number = accounts->rows.recent[quick];

	__builtin_prefetch(mm_rows_at(&accounts->rows, number), 1);
	return number;
}

/* ... for a row that is read, ... */
static inline void slab_accounts_prefetch_owner(const struct slab_accounts *accounts,
						uint32_t owner)
{
	__builtin_prefetch(mm_rows_at(&accounts->rows, owner));
}

/* ... and for the call site of a row. */
static inline void slab_accounts_prefetch_site(const struct slab_accounts *accounts,
					       uint32_t number)
{
	const struct slab_account *rows = (const void *)accounts->rows.all;

	__builtin_prefetch(mm_rows_at(&accounts->sites, rows[number].site), 1);
}

#endif /* LTTNG_MM_SLAB_ACCOUNT_ACCOUNTS_H */
