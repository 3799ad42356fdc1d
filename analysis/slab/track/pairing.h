/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Joins allocations and frees by address, and says how each object ended. A pair is believed unless
 * events were lost between its two; what else does not fit is noted, and judged when the whole
 * trace is known: where its streams begin and end, which paths are traced, what the caches are
 * called.
 */
#ifndef LTTNG_MM_SLAB_TRACK_PAIRING_H
#define LTTNG_MM_SLAB_TRACK_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/slab/track/object-table.h"
#include "util/rows.h"
#include "instrumentation/wire/slab.h"

/* What an object is of: a size class of kmalloc(), a cache, or a block of pages. */
#define SLAB_KIND_LARGE 0u /* kmalloc() of pages, or of a size that is no class's */
/* + the cache's index: slab_state_cache_index(); below it the size class as the trace codes it. */
#define SLAB_KIND_CACHE ((uint32_t)LTTNG_MM_SIZE_CLASS_COUNT)
#define SLAB_KIND_PAGES 0x100000u /* + order */
#define SLAB_KIND_NONE UINT32_MAX

/*
 * Numbers that packed events hold are indexes; those beyond are numbered in the order in which they
 * appear.
 */
#define SLAB_CACHES_NEAR (1u << LTTNG_MM_CACHE_BITS)
#define SLAB_CACHES_MAX (2 * SLAB_CACHES_NEAR)
#define SLAB_NO_CODE UINT32_MAX

static inline bool slab_kind_is_kmalloc(uint32_t kind)
{
	return kind < SLAB_KIND_CACHE;
}

static inline bool slab_kind_is_cache(uint32_t kind)
{
	return kind >= SLAB_KIND_CACHE && kind < SLAB_KIND_PAGES;
}

static inline bool slab_kind_is_pages(uint32_t kind)
{
	return kind >= SLAB_KIND_PAGES && kind != SLAB_KIND_NONE;
}

/* Each object ends as exactly one of these. */
enum slab_outcome {
	SLAB_PAIRED,
	SLAB_LIVE,	   /* at the end of the trace */
	SLAB_BEFORE_TRACE, /* freed, and allocated before the trace or before all its streams began */
	SLAB_FREED_UNTRACED, /* its address was given out again: a path freed it that is not traced */
	SLAB_ANOMALOUS,
	SLAB_UNDETERMINED, /* events were lost around it, or a stream had ended */
	SLAB_OUTCOMES,
};

enum slab_api {
	SLAB_API_KFREE,
	SLAB_API_CACHE_FREE,
	SLAB_API_BULK,
	SLAB_API_NOLOCK,
	SLAB_API_PAGES
};

/* Who does something, and to what: the key of an account. */
union slab_accounting_key {
	struct mm_row row;
	struct {
		uint32_t code;
		/* Of a free: the cache it goes through; SLAB_KIND_NONE: by address alone. */
		uint32_t kind;
		uint32_t tid;
		uint32_t cpu;
	};
};

/* What is done, and by what means. */
struct slab_how {
	uint8_t what;  /* the owner's */
	uint8_t api;   /* enum slab_api, of a free */
	uint8_t flags; /* of the object that is allocated; else 0 */
	uint8_t order; /* of pages; SLAB_ORDER_NONE */
};

/* An allocation or a free. */
struct slab_op {
	uint64_t address;
	int64_t time_ns;
	union slab_accounting_key key;
	uint32_t bytes_req, bytes_alloc;
	uint32_t tag, quick; /* where to look for the object, and for who does it: slab_op_aim() */
	union {
		struct slab_how how;
		struct {
			uint8_t what, api, flags, order;
		};
	};
};

/* Where what an event is about most likely is. */
struct slab_hint {
	uint32_t object;  /* its number plus 1, as far as known; 0: not */
	uint32_t account; /* the number of one, most likely of this */
};

/*
 * A call site's thread on a CPU, and the kind of what it allocates or frees. All that is counted by
 * call site, thread or CPU is counted here, in one cache line, and summed up in the end.
 */
struct slab_account {
	union slab_accounting_key key;
	uint64_t allocs, frees, bytes_req, bytes_alloc;
	uint32_t site;	      /* of the sites; 0 before its first allocation */
	uint32_t guess_worst; /* the owner's: an index into its list */
	uint32_t pairs;	      /* of the pairs; likewise */
	uint32_t unused;
};

_Static_assert(sizeof(struct slab_account) == 64, "an account is one cache line");

#define SLAB_LIFETIME_BINS 40
#define SLAB_LIFETIME_FIRST 8 /* the first bin: less than 2^8 ns; the next: less than 2^9, ... */

/*
 * How the pairs of an account ended: what it allocated. What most of them need is in one cache line.
 */
struct slab_pairs {
	uint64_t other_cpu, other_thread; /* freed there */
	uint64_t kfreed;		  /* cache objects freed by kfree() */
	uint64_t lifetimes[SLAB_LIFETIME_BINS];
	/* And of all others of the account's that have ended: how, from SLAB_FREED_UNTRACED on. */
	uint64_t ended[SLAB_OUTCOMES - SLAB_FREED_UNTRACED];
	uint64_t unused[2];
};

_Static_assert(sizeof(struct slab_pairs) % 64 == 0, "pairs are whole cache lines");

/* Objects of one kind that one call site allocates. Bytes are of kmalloc() and pages only: a
 * cache's size comes from the state dump, and is multiplied in the end. */
struct slab_site {
	/* One cache line that every event needs: */
	struct mm_row row; /* code, kind */
	uint64_t live, live_req, live_alloc, peak;
	uint64_t peak_alloc;
	uint64_t by_rcu; /* of the untraced: had been handed to kfree_rcu() */
	/* And others: */
	uint64_t partly_freed; /* of the paired: pages */
	uint64_t outcomes[SLAB_OUTCOMES];
	/* Once judged, the sums of its accounts: */
	uint64_t allocs, bytes_req, bytes_alloc;
	struct slab_pairs pairs;
	uint64_t unused[6];
};

_Static_assert(sizeof(struct slab_site) % 64 == 0, "a call site is whole cache lines");

enum slab_anomaly_kind {
	SLAB_DOUBLE_FREE,
	SLAB_OTHER_CACHE,      /* freed through another cache's function */
	SLAB_SIZE,	       /* more bytes asked for than given */
	SLAB_KMALLOC_BY_CACHE, /* kmalloc() memory through kmem_cache_free(): legal if it is that
				  cache's */
	SLAB_ANOMALIES,
};

/* What may be inconsistent, with its two events. */
struct slab_anomaly {
	enum slab_anomaly_kind kind;
	uint32_t site;	  /* of a double free: 0 */
	uint32_t account; /* who allocated; of a double free: who freed first */
	uint64_t address;
	int64_t first_ns, second_ns;
	union slab_accounting_key first, second;
	uint32_t bytes_req, bytes_alloc;
	uint8_t api;
	uint8_t verdict; /* of slab_pairing_judge(): how its object ended */
};

/* So many are kept: a trace with more has one thing wrong with it, many times. */
#define SLAB_ANOMALIES_MAX 65536u

struct slab_untraced {
	int64_t since_ns, time_ns; /* allocated; when the address was given out again */
	uint32_t account;
	bool by_rcu;
};

/* Pages that were freed, and freed again without an allocation in between. */
struct slab_refreed {
	int64_t since_ns, time_ns;
};

/* When the object at an address was last handed to kfree_rcu(). */
struct slab_handed {
	struct mm_row row; /* the low and the high half of its key */
	int64_t time_ns;
};

/* What the whole trace tells. */
struct slab_coverage {
	int64_t begin_ns, end_ns; /* in between every stream has its events */
	bool hidden_allocs;	  /* a path that allocates is not traced */
	bool paths_unknown;	  /* ... or may not be: the state dump is missing */
	bool partial; /* a tracker or a filter left out what others allocated and freed */
	/* Is it a cache of kmalloc()'s, of that object size? */
	bool (*is_kmalloc_cache)(const void *user, uint32_t kind, uint32_t bytes_alloc);
	/* Has the cache been destroyed? Its objects are gone with it. */
	bool (*is_gone)(const void *user, uint32_t kind);
	/* Is it a cache of which the state dump is missing? */
	bool (*is_unknown)(const void *user, uint32_t kind);
	const void *user;
};

struct slab_pairing {
	struct slab_objects objects;
	struct mm_rows accounts, sites;
	struct mm_rows handed;
	struct slab_pairs *pairs; /* by slab_actor.pairs */
	uint32_t pairs_count;
	size_t pairs_room;
	int64_t *first_ns; /* by account: its first event */
	size_t first_room;
	int64_t lost_until_ns; /* INT64_MIN: nothing was lost */
	/* all streams had begun by then, as far as known: some may be met later */
	int64_t begin_ns;
	uint64_t live_orders[64]; /* objects; blocks of pages by order */
	uint64_t peak_orders[64]; /* the most of them at a time */
	struct slab_anomaly *anomalies;
	size_t anomaly_count, anomaly_room;
	uint64_t anomalies_dropped;
	bool failed; /* out of memory: a anomaly is missing */
	struct slab_untraced *untraced;
	size_t untraced_count, untraced_room;
	/* Frees without an object: of the first and the pages freed again, when they were. */
	size_t before_trace, page_refreed, before_trace_room, refreed_room;
	int64_t *before_trace_ns;
	struct slab_refreed *refreed;
	uint64_t undetermined_frees, double_frees, untraced_allocs;
	/* Of the double frees: those not kept; the earliest first one, and the last second one. */
	uint64_t doubles_dropped;
	int64_t dropped_first_ns, dropped_last_ns;
	uint64_t merged_pages;
	uint64_t legal_kmalloc_by_cache;
	uint64_t in_place, rcu_handed;
};

/* What a free ended. */
struct slab_freed {
	bool paired;
	uint32_t account; /* who had allocated */
	uint32_t bytes_req, bytes_alloc;
	uint64_t objects; /* that are live no more: 0 for a piece of a block of pages */
};

/*
 * Says where to look for what the event is about. That takes time, and nothing that changes: so it
 * is for whoever fills the event, maybe on another thread than the one that acts on it.
 */
static inline void slab_op_aim(const struct slab_pairing *pairing, struct slab_op *op)
{
	op->tag = slab_objects_tag(&pairing->objects, op->address);
	op->quick = mm_rows_quick(&pairing->accounts, &op->key.row);
}

/*
 * Most of the time of an event would go by waiting for memory: the object's, and that of who does
 * it. So ask for it early, first for where they are, then for themselves. All are hints, good or
 * not.
 */
static inline void slab_pairing_expect(const struct slab_pairing *pairing, const struct slab_op *op)
{
	__builtin_prefetch(&pairing->objects.slots[op->tag & pairing->objects.mask]);
	__builtin_prefetch(&pairing->accounts.recent[op->quick]);
}

static inline void slab_pairing_expect_object(const struct slab_pairing *pairing,
					      const struct slab_op *op, struct slab_hint *hint)
{
	const struct slab_objects *objects = &pairing->objects;

	hint->object = slab_objects_guess(objects, op->tag);
	hint->account = pairing->accounts.recent[op->quick];
	__builtin_prefetch(objects->all + hint->object - !!hint->object, 1);
	__builtin_prefetch(mm_rows_at(&pairing->accounts, hint->account), 1);
}

/* Who had allocated the object, if there is one: else whoever had the first. */
static inline uint32_t slab_pairing_guess_owner(const struct slab_pairing *pairing,
						const struct slab_hint *hint)
{
	return pairing->objects.all[hint->object - !!hint->object].account;
}

static inline void slab_pairing_expect_owner(const struct slab_pairing *pairing,
					     const struct slab_hint *hint)
{
	__builtin_prefetch(mm_rows_at(&pairing->accounts, slab_pairing_guess_owner(pairing, hint)));
}

static inline void slab_pairing_expect_site(const struct slab_pairing *pairing,
					    const struct slab_hint *hint, bool frees)
{
	uint32_t owner = slab_pairing_guess_owner(pairing, hint);
	const struct slab_account *accounts = (const void *)pairing->accounts.all;
	uint32_t site = accounts[frees ? owner : hint->account].site;

	__builtin_prefetch(mm_rows_at(&pairing->sites, site), 1);
}

int slab_pairing_init(struct slab_pairing *pairing);
void slab_pairing_release(struct slab_pairing *pairing);

/*
 * Each returns 0, or -1: memory is short. They find who did it: hint->account is a guess before, and
 * none thereafter. @ended of an allocation: what had been at the address, if its end was not seen.
 */
int slab_pairing_alloc(struct slab_pairing *pairing, const struct slab_op *op,
		       struct slab_hint *hint, struct slab_freed *ended);
int slab_pairing_free(struct slab_pairing *pairing, const struct slab_op *op,
		      struct slab_hint *hint, struct slab_freed *freed);
int slab_pairing_free_pages(struct slab_pairing *pairing, const struct slab_op *op,
			    struct slab_hint *hint, struct slab_freed *freed);
/* krealloc() left the object where it is; *@grown: by so many bytes asked for. */
int slab_pairing_realloc(struct slab_pairing *pairing, const struct slab_op *op, int64_t *grown);
int slab_pairing_rcu(struct slab_pairing *pairing, const struct slab_op *op);
/* When the object, which has SLAB_OBJECT_RCU, was handed over; INT64_MIN: not known. */
int64_t slab_pairing_handed(const struct slab_pairing *pairing, const struct slab_object *object);
/* Events were lost some time up to @until_ns. */
void slab_pairing_lost(struct slab_pairing *pairing, int64_t until_ns);

/* At the end: how what is left ended. To be called once. */
void slab_pairing_judge(struct slab_pairing *pairing, const struct slab_coverage *coverage);

/*
 * Adds what the account of that number did to @site: what is counted by account. What is live is not.
 */
void slab_pairing_add_to_site(const struct slab_pairing *pairing, uint32_t number,
			      struct slab_site *site);

/* The object that was there has been freed through what slab_is_mismatch() says of. */
void slab_pairing_mismatch(struct slab_pairing *pairing, const struct slab_object *was,
			   const struct slab_op *op);

static inline struct slab_site *slab_pairing_site(const struct slab_pairing *pairing,
						  uint32_t number)
{
	return (struct slab_site *)(void *)pairing->sites.all + number;
}

static inline struct slab_account *slab_pairing_account(const struct slab_pairing *pairing,
							uint32_t number)
{
	return (struct slab_account *)(void *)pairing->accounts.all + number;
}

/* For slab_pairing_find_account(): the account or its call site is new. -1: memory is short. */
int slab_pairing_add_account(struct slab_pairing *pairing, const struct slab_op *op,
			     struct slab_hint *hint, bool allocates);

/*
 * Finds who does it, made when new, and for an allocation the call site too; hint->account is then no
 * guess. -1: memory is short.
 */
static inline int slab_pairing_find_account(struct slab_pairing *pairing, const struct slab_op *op,
					    struct slab_hint *hint, bool allocates)
{
	const struct slab_account *account = slab_pairing_account(pairing, hint->account);

	return mm_row_is(account, &op->key.row) & (!allocates | !!account->site)
		       ? 0
		       : slab_pairing_add_account(pairing, op, hint, allocates);
}

/* One more of the order is live. */
static inline void slab_pairing_enter_order(struct slab_pairing *pairing, unsigned int order)
{
	uint64_t live = ++pairing->live_orders[order], peak = pairing->peak_orders[order];

	pairing->peak_orders[order] = live > peak ? live : peak;
}

/* One object of the call site more is live or, with @sign -1, one fewer. */
static inline void slab_site_move(struct slab_site *site, uint64_t req, uint64_t alloc,
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

/* A pair: @op frees what @owner had allocated. */
static inline void slab_pair(struct slab_pairing *pairing, const struct slab_account *owner,
			     const struct slab_op *op, int64_t since_ns)
{
	struct slab_pairs *pairs = &pairing->pairs[owner->pairs];

	pairs->lifetimes[slab_lifetime_bin(since_ns, op->time_ns)]++;
	pairs->other_cpu += owner->key.cpu != op->key.cpu;
	pairs->other_thread += owner->key.tid != op->key.tid;
	pairs->kfreed += slab_kind_is_cache(owner->key.kind) & (op->key.kind == SLAB_KIND_NONE);
}

/* Is @kind freed through another? A product is one decision, which is nearly always the same. */
static inline bool slab_is_mismatch(uint32_t kind, uint32_t through)
{
	return (uint64_t)(through ^ kind) * (through ^ SLAB_KIND_NONE) != 0;
}

/*
 * How many of the objects that account number @account allocated ended so: SLAB_FREED_UNTRACED or a later
 * one.
 */
static inline uint64_t *slab_pairing_ended(const struct slab_pairing *pairing, uint32_t account,
					   enum slab_outcome outcome)
{
	return &pairing->pairs[slab_pairing_account(pairing, account)->pairs]
			.ended[outcome - SLAB_FREED_UNTRACED];
}

/* The number of the call site that allocated the live object. */
static inline uint32_t slab_object_site(const struct slab_pairing *pairing,
					const struct slab_object *object)
{
	return slab_pairing_account(pairing, object->account)->site;
}

/* After judging: is it live at the end, for certain? */
static inline bool slab_object_lives(const struct slab_object *object)
{
	return object->state == SLAB_OBJECT_LIVE && !(object->flags & SLAB_OBJECT_LOSS);
}

#endif /* LTTNG_MM_SLAB_TRACK_PAIRING_H */
