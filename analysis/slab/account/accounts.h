/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts each operation once, in an account: the row for one combination of call site, kind of
 * object, thread and CPU. At the end, the accounts of each call site are added up.
 */
#ifndef LTTNG_MM_SLAB_ACCOUNT_ACCOUNTS_H
#define LTTNG_MM_SLAB_ACCOUNT_ACCOUNTS_H

#include "analysis/slab/decode/op.h"

/* Outcomes of objects. Each object has exactly one outcome. */
enum slab_outcome {
	SLAB_PAIRED,
	SLAB_LIVE, /* live at the end of the trace */
	/* freed in the trace; allocated before the trace, or before the last stream started */
	SLAB_BEFORE_TRACE,
	/* the address was allocated again without a free, so an untraced path freed the object */
	SLAB_FREED_UNTRACED,
	SLAB_ANOMALOUS,
	SLAB_UNDETERMINED, /* events were lost or a stream had ended, so the outcome is uncertain */
	SLAB_OUTCOMES,
};

/* Counters of one call site, kind of object, thread and CPU. Fits one cache line. */
struct slab_account {
	union slab_accounting_key key;
	uint64_t allocs, frees, bytes_req, bytes_alloc;
	uint32_t site;	      /* number of the call site; 0 until the first allocation */
	uint32_t guess_waste; /* row of slab_waste that was used last; 0: none */
	uint32_t pairs;	      /* index in slab_accounts.pairs; 0 until the first allocation */
	uint32_t next;	      /* next account of the same thread; 0: none */
};

_Static_assert(sizeof(struct slab_account) == 64, "an account is one cache line");

#define SLAB_LIFETIME_BINS 40
#define SLAB_LIFETIME_FIRST 8 /* first bin: below 2^8 ns; second bin: below 2^9 ns; and so on */

/*
 * Counters of the outcomes of the objects that an account allocated. Members that most frees update
 * share a cache line.
 */
struct slab_pairs {
	uint64_t other_cpu, other_thread; /* freed on another CPU, or by another thread */
	uint64_t kfreed;		  /* cache objects that kfree() freed */
	/* objects allocated before the last stream started, and freed later: number and bytes */
	uint64_t earlier, earlier_bytes;
	uint64_t lifetimes[SLAB_LIFETIME_BINS];
	/* counts of objects; index: enum slab_outcome minus SLAB_FREED_UNTRACED */
	uint64_t ended[SLAB_OUTCOMES - SLAB_FREED_UNTRACED];
};

_Static_assert(sizeof(struct slab_pairs) % 64 == 0, "pairs are whole cache lines");

/* Reasons to omit an account from the figures. */
enum slab_omission {
	SLAB_COUNTED,		/* not omitted */
	SLAB_OMITTED_BY_FILTER, /* the user's filters do not match */
	/* an account of the recorder; frees of its objects are omitted, too */
	SLAB_OMITTED_RECORDER,
};

/*
 * Counters of one call site and kind of object. Objects of omitted accounts are counted in separate
 * rows. The byte counters do not include slab caches: for these, the report multiplies the number
 * of objects by the size in the state dump.
 */
struct slab_site {
	/* Every event uses the following members, so they share a cache line. */
	struct mm_row row; /* code, kind, enum slab_omission */
	uint64_t live, live_req, live_alloc, peak;
	uint64_t peak_alloc;
	uint64_t by_rcu; /* SLAB_FREED_UNTRACED objects that were passed to kfree_rcu() */
	/* Few events use the following members. */
	uint64_t partly_freed; /* paired blocks of pages that were freed in parts */
	uint64_t outcomes[SLAB_OUTCOMES];
	/*
	 * The following members are sums over the accounts of the call site. They are set at the
	 * end.
	 */
	uint64_t allocs, bytes_req, bytes_alloc;
	struct slab_pairs pairs;
	uint64_t maybe_live; /* undetermined objects without a free in the trace */
	uint64_t unused[5];
};

_Static_assert(sizeof(struct slab_site) % 64 == 0, "a call site is whole cache lines");

/*
 * All accounts and call sites. Element 0 of @rows, @sites and @pairs collects operations beyond the
 * maximum, and has no key.
 */
struct slab_accounts {
	struct mm_rows rows, sites;
	struct mm_rows threads;	  /* struct thread_accounts */
	uint32_t linked;	  /* number of accounts that are linked to their threads */
	struct slab_pairs *pairs; /* indexed by slab_account.pairs */
	uint32_t pairs_count;
	size_t pairs_room;
	/* Indexed by account: */
	int64_t *first_ns;  /* time of the account's first operation */
	uint8_t *omissions; /* enum slab_omission */
	/* frees, since the last stream started, of objects whose allocation is not in the trace */
	uint64_t *unmatched;
	size_t first_room;
	/*
	 * Optional. Decides whether the figures omit the new account @number. @op is its first
	 * operation.
	 */
	enum slab_omission (*omit)(void *user, uint32_t number, const struct slab_op *op);
	void *user;
};

/* Returns 0, or -1 when out of memory. */
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
 * Do the figures omit the objects of the call site? Call site 0, which stands for all call sites
 * beyond the maximum, is never omitted.
 */
static inline bool slab_site_is_omitted(const struct slab_site *site)
{
	return site->row.c;
}

/* Are the objects omitted because the recorder allocated them? */
static inline bool slab_site_is_recorder(const struct slab_site *site)
{
	return site->row.c == SLAB_OMITTED_RECORDER;
}

/* Is the account part of the figures? Account 0 always is. */
static inline bool slab_account_is_counted(const struct slab_accounts *accounts, uint32_t number)
{
	return !accounts->omissions[number];
}

/* Both return the number of rows, including row 0. */
static inline uint32_t slab_accounts_count(const struct slab_accounts *accounts)
{
	return accounts->rows.count;
}

static inline uint32_t slab_sites_count(const struct slab_accounts *accounts)
{
	return accounts->sites.count;
}

/*
 * Slow path of slab_accounts_find(): makes the account or its call site. Returns 0, or -1 when out
 * of memory.
 */
int slab_accounts_add(struct slab_accounts *accounts, const struct slab_op *op, uint32_t *number,
		      bool allocates);

/*
 * Finds or creates the account of @op; for an allocation, also its call site. *@number is a guess
 * on entry, and correct on return. Returns 0, or -1 when out of memory.
 */
static inline int slab_accounts_find(struct slab_accounts *accounts, const struct slab_op *op,
				     uint32_t *number, bool allocates)
{
	const struct slab_account *account = slab_account_at(accounts, *number);

	return mm_row_is(account, &op->key.row) & (!allocates | !!account->site)
		       ? 0
		       : slab_accounts_add(accounts, op, number, allocates);
}

/*
 * When a thread id is reused, gives the earlier thread's accounts the id @past, so that the new
 * thread gets accounts of its own. Returns 0, or -1 when out of memory.
 */
int slab_accounts_renew(struct slab_accounts *accounts, uint32_t tid, uint32_t past);

static inline void slab_account_allocated(struct slab_account *account, const struct slab_op *op)
{
	account->allocs++;
	account->bytes_req += op->bytes_req;
	account->bytes_alloc += op->bytes_alloc;
}

/* Adds a live object to the call site; removes one if @sign is -1. */
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

/* Returns the histogram bin of a lifetime. */
static inline unsigned int slab_lifetime_bin(int64_t since_ns, int64_t until_ns)
{
	uint64_t ns = until_ns > since_ns ? (uint64_t)until_ns - (uint64_t)since_ns : 0;
	unsigned int bits =
		64 - (unsigned int)__builtin_clzll(ns | 1ull << (SLAB_LIFETIME_FIRST - 1));

	bits -= SLAB_LIFETIME_FIRST;
	return bits < SLAB_LIFETIME_BINS ? bits : SLAB_LIFETIME_BINS - 1;
}

/* Counts the lifetime of a block of pages of @owner. The block was split and partly freed. */
static inline void slab_account_lifetime(struct slab_accounts *accounts,
					 const struct slab_account *owner, int64_t since_ns,
					 int64_t until_ns)
{
	accounts->pairs[owner->pairs].lifetimes[slab_lifetime_bin(since_ns, until_ns)]++;
}

/* Counts @op, which frees an object that @owner allocated at @since_ns. */
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
 * Counts @count objects (@bytes in total) of @owner, if they were allocated before @begin_ns and
 * freed after it. @begin_ns is the time at which the last stream started. There is no branch,
 * because the CPU would often mispredict it.
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

/*
 * Clears @unmatched of all accounts, and slab_pairs.earlier and earlier_bytes. Call this when
 * another stream starts: all frees so far came before that start.
 */
void slab_accounts_forget_earlier(struct slab_accounts *accounts);

/*
 * Returns the counter of account @number for @outcome, which must be SLAB_FREED_UNTRACED or a later
 * value.
 */
static inline uint64_t *slab_account_ended(const struct slab_accounts *accounts, uint32_t number,
					   enum slab_outcome outcome)
{
	return &accounts->pairs[slab_account_at(accounts, number)->pairs]
			.ended[outcome - SLAB_FREED_UNTRACED];
}

/* Adds the counts of account @number to @site, except live objects: accounts do not count them. */
void slab_account_add_to_site(const struct slab_accounts *accounts, uint32_t number,
			      struct slab_site *site);
/* Adds all accounts to their call sites. Call it once, at the end. */
void slab_accounts_sum_up(struct slab_accounts *accounts);

/* Returns the index in rows.recent at which the number of the key's row may be cached. */
static inline uint32_t slab_accounts_quick(const struct slab_accounts *accounts,
					   const union slab_accounting_key *key)
{
	return mm_rows_quick(&accounts->rows, &key->row);
}

/* Prefetches entry @quick of rows.recent. */
static inline void slab_accounts_prefetch(const struct slab_accounts *accounts, uint32_t quick)
{
	__builtin_prefetch(&accounts->rows.recent[quick]);
}

/*
 * Prefetches, for writing, the row whose number is in entry @quick of rows.recent. Returns the
 * number.
 */
static inline uint32_t slab_accounts_prefetch_row(const struct slab_accounts *accounts,
						  uint32_t quick)
{
	uint32_t number = accounts->rows.recent[quick];

	__builtin_prefetch(mm_rows_at(&accounts->rows, number), 1);
	return number;
}

/* Prefetches the row of account @owner, for reading. */
static inline void slab_accounts_prefetch_owner(const struct slab_accounts *accounts,
						uint32_t owner)
{
	__builtin_prefetch(mm_rows_at(&accounts->rows, owner));
}

static inline void slab_accounts_prefetch_site(const struct slab_accounts *accounts,
					       uint32_t number)
{
	const struct slab_account *rows = (const void *)accounts->rows.all;

	__builtin_prefetch(mm_rows_at(&accounts->sites, rows[number].site), 1);
}

#endif /* LTTNG_MM_SLAB_ACCOUNT_ACCOUNTS_H */
