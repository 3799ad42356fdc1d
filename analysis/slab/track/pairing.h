/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Pairs allocations and frees by address, and determines the outcome of each object. A pair is
 * accepted unless events were lost in between; other mismatches are noted, and judged when the
 * complete trace is known: the starts and ends of its streams, the traced paths, the names of
 * caches.
 */
#ifndef LTTNG_MM_SLAB_TRACK_PAIRING_H
#define LTTNG_MM_SLAB_TRACK_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/slab/account/accounts.h"
#include "analysis/slab/track/coverage.h"
#include "analysis/slab/track/object-table.h"

/* The likely places of an event's object and account. */
struct slab_hint {
	uint32_t object;  /* its number plus 1, as far as known; 0: not */
	uint32_t account; /* the number of one, most likely of this one */
};

enum slab_anomaly_kind {
	SLAB_DOUBLE_FREE,
	SLAB_OTHER_CACHE,      /* freed through another cache's function */
	SLAB_SIZE,	       /* more bytes requested than allocated */
	SLAB_KMALLOC_BY_CACHE, /* kmalloc() memory through kmem_cache_free(): legal if it is that
				  cache's */
	SLAB_ANOMALIES,
};

/* A possible anomaly, with its two events. */
struct slab_anomaly {
	enum slab_anomaly_kind kind;
	uint32_t site;	  /* of a double free: 0 */
	uint32_t account; /* the allocating account; of a double free: that of the first free */
	uint64_t address;
	int64_t first_ns, second_ns;
	union slab_accounting_key first, second;
	uint32_t bytes_req, bytes_alloc;
	uint8_t api;
	uint8_t verdict; /* of slab_pairing_judge(): the outcome of its object */
};

/* Limit: a trace with more has the same error many times. */
#define SLAB_ANOMALIES_MAX 65536u

struct slab_untraced {
	int64_t since_ns, time_ns; /* allocated; when the address was allocated again */
	uint32_t account;
	bool by_rcu;
};

/* Pages that were freed, and freed again without an allocation in between. */
struct slab_refreed {
	int64_t since_ns, time_ns;
};

/* When the object at an address was last passed to kfree_rcu(). */
struct slab_rcu_call {
	struct mm_row row; /* the low and the high half of its key */
	int64_t time_ns;
};

/* What is counted separately: objects of the slab allocator, and page allocations. */
enum slab_memory { SLAB_MEMORY_OBJECTS, SLAB_MEMORY_PAGES, SLAB_MEMORY_COUNT };

/* Frees of objects allocated before the trace, as far as known: their number and times. */
struct slab_before_trace {
	size_t count, room;
	int64_t *times_ns;
};

struct slab_pairing {
	struct slab_objects objects;
	struct slab_accounts accounts;
	struct mm_rows rcu_calls;
	int64_t lost_until_ns; /* INT64_MIN: nothing was lost */
	/* all streams had started by then, of those that start before the last operation */
	int64_t begin_ns;
	uint64_t live_orders[64]; /* objects; blocks of pages by order; without those left out */
	uint64_t peak_orders[64]; /* their peaks */
	uint64_t omitted_orders[64];
	struct slab_anomaly *anomalies;
	size_t anomaly_count, anomaly_room;
	uint64_t anomalies_dropped;
	bool failed; /* out of memory: an anomaly is missing */
	struct slab_untraced *untraced;
	size_t untraced_count, untraced_room;
	/* Frees without an object: the times of the first one, and of the pages freed again. */
	struct slab_before_trace before_trace[SLAB_MEMORY_COUNT];
	size_t page_refreed, refreed_room;
	struct slab_refreed *refreed;
	uint64_t undetermined_frees[SLAB_MEMORY_COUNT];
	uint64_t double_frees, untraced_allocs; /* of objects */
	/* Of the double frees: those not kept; the earliest first one, and the last second one. */
	uint64_t doubles_dropped;
	int64_t dropped_first_ns, dropped_last_ns;
	uint64_t merged_pages;
	uint64_t legal_kmalloc_by_cache;
	uint64_t in_place, rcu_call_count;
};

/* The object that a free ended. */
struct slab_freed {
	bool paired;
	uint32_t account; /* who had allocated */
	uint32_t bytes_req, bytes_alloc;
	uint64_t objects; /* that are no longer live: 0 for a part of a block of pages */
	bool omitted;	  /* of an account that is left out */
	bool of_recorder; /* ... as the recorder's */
};

/*
 * Computes the likely places of the event's object and account. This takes time, but uses only
 * constant data: so it is done when the event is filled, perhaps on another thread than the one
 * that processes it.
 */
static inline void slab_op_locate(const struct slab_pairing *pairing, struct slab_op *op)
{
	op->tag = slab_objects_tag(&pairing->objects, op->address);
	op->quick = slab_accounts_quick(&pairing->accounts, &op->key);
}

/*
 * Most of the time of an event would be spent waiting for the memory of the object and of the
 * account. Therefore it is prefetched, first their places, then themselves. All of these are hints,
 * which may be wrong.
 */
static inline void slab_pairing_prefetch(const struct slab_pairing *pairing,
					 const struct slab_op *op)
{
	__builtin_prefetch(&pairing->objects.slots[op->tag & pairing->objects.mask]);
	slab_accounts_prefetch(&pairing->accounts, op->quick);
}

static inline void slab_pairing_prefetch_object(const struct slab_pairing *pairing,
						const struct slab_op *op, struct slab_hint *hint)
{
	const struct slab_objects *objects = &pairing->objects;

	hint->object = slab_objects_guess(objects, op->tag);
	hint->account = slab_accounts_prefetch_row(&pairing->accounts, op->quick);
	__builtin_prefetch(objects->all + hint->object - !!hint->object, 1);
}

/* The account that allocated the object, if there is one; else that of the first object. */
static inline uint32_t slab_pairing_guess_owner(const struct slab_pairing *pairing,
						const struct slab_hint *hint)
{
	return pairing->objects.all[hint->object - !!hint->object].account;
}

static inline void slab_pairing_prefetch_owner(const struct slab_pairing *pairing,
					       const struct slab_hint *hint)
{
	slab_accounts_prefetch_owner(&pairing->accounts, slab_pairing_guess_owner(pairing, hint));
}

static inline void slab_pairing_prefetch_site(const struct slab_pairing *pairing,
					      const struct slab_hint *hint, bool frees)
{
	uint32_t owner = slab_pairing_guess_owner(pairing, hint);

	slab_accounts_prefetch_site(&pairing->accounts, frees ? owner : hint->account);
}

int slab_pairing_init(struct slab_pairing *pairing);
void slab_pairing_release(struct slab_pairing *pairing);

/*
 * Each returns 0, or -1: out of memory. They find the account: hint->account is a guess before, and
 * exact afterwards. @ended of an allocation: the previous object at the address, if it had no free.
 */
int slab_pairing_alloc(struct slab_pairing *pairing, const struct slab_op *op,
		       struct slab_hint *hint, struct slab_freed *ended);
int slab_pairing_free(struct slab_pairing *pairing, const struct slab_op *op,
		      struct slab_hint *hint, struct slab_freed *freed);
int slab_pairing_free_pages(struct slab_pairing *pairing, const struct slab_op *op,
			    struct slab_hint *hint, struct slab_freed *freed);
/* krealloc() left the object where it is; *@grown: by so many requested bytes. */
int slab_pairing_realloc(struct slab_pairing *pairing, const struct slab_op *op,
			 struct slab_hint *hint, int64_t *grown);
int slab_pairing_rcu(struct slab_pairing *pairing, const struct slab_op *op,
		     struct slab_hint *hint);
/* When the object, which has SLAB_OBJECT_RCU, was passed to kfree_rcu(); INT64_MIN: not known. */
int64_t slab_pairing_rcu_time(const struct slab_pairing *pairing, const struct slab_object *object);
/* Events were lost at some time up to @until_ns. */
void slab_pairing_lost(struct slab_pairing *pairing, int64_t until_ns);

/*
 * All streams have started by @begin_ns, as far as is known before the next operation. If that is
 * later than before, no operation so far was after it.
 */
void slab_pairing_started(struct slab_pairing *pairing, int64_t begin_ns);

/* At the end: determines the outcomes of the remaining objects. To be called once. */
void slab_pairing_judge(struct slab_pairing *pairing, const struct slab_coverage *coverage);

/* The previous object was freed through another cache's function, as slab_is_mismatch() states. */
void slab_pairing_mismatch(struct slab_pairing *pairing, const struct slab_object *was,
			   const struct slab_op *op);

/* One more of the order is live. */
static inline void slab_pairing_enter_order(struct slab_pairing *pairing, unsigned int order)
{
	uint64_t live = ++pairing->live_orders[order], peak = pairing->peak_orders[order];

	pairing->peak_orders[order] = live > peak ? live : peak;
}

/*
 * @op allocated @object: sets its state, and updates the sums of @account, which has that @number,
 * but not the number of live objects of the order.
 */
static inline __attribute__((always_inline)) void
slab_pairing_allocated(struct slab_pairing *pairing, struct slab_object *object,
		       struct slab_account *account, uint32_t number, const struct slab_op *op)
{
	slab_account_allocated(account, op);
	object->time_ns = op->time_ns;
	object->account = number;
	object->bytes_req = op->bytes_req;
	object->bytes_alloc = op->bytes_alloc;
	object->mode = slab_mode(SLAB_OBJECT_LIVE, op->flags, op->order);
	slab_site_adjust(slab_site_at(&pairing->accounts, account->site), op->bytes_req,
			 op->bytes_alloc, 1);
}

/*
 * Is @kind freed through another one? A product needs only one branch, which is nearly always the
 * same.
 */
static inline bool slab_is_mismatch(uint32_t kind, uint32_t through)
{
	return (uint64_t)(through ^ kind) * (through ^ SLAB_KIND_NONE) != 0;
}

/* The number of the call site that allocated the live object. */
static inline uint32_t slab_object_site(const struct slab_pairing *pairing,
					const struct slab_object *object)
{
	return slab_account_at(&pairing->accounts, object->account)->site;
}

/* The peak number of listed blocks of pages of that order, or with SLAB_ORDER_NONE of objects. */
static inline uint64_t slab_pairing_peak(const struct slab_pairing *pairing, unsigned int order)
{
	return pairing->peak_orders[order];
}

/* After judging: is it live at the end, for certain? */
static inline bool slab_object_lives(const struct slab_object *object)
{
	return object->state == SLAB_OBJECT_LIVE && !(object->flags & SLAB_OBJECT_LOSS);
}

/*
 * After judging, the objects that are live at the end, in the order in which their addresses were
 * first seen: the next one from number *@at on, which is advanced; NULL past the last.
 */
static inline const struct slab_object *slab_pairing_next_live(const struct slab_pairing *pairing,
							       uint32_t *at)
{
	while (*at < pairing->objects.count) {
		const struct slab_object *object = &pairing->objects.all[(*at)++];

		if (slab_object_lives(object))
			return object;
	}
	return NULL;
}

/* The same of those that may be live: their frees may be missing from the trace. */
static inline const struct slab_object *
slab_pairing_next_maybe_live(const struct slab_pairing *pairing, uint32_t *at)
{
	while (*at < pairing->objects.count) {
		const struct slab_object *object = &pairing->objects.all[(*at)++];

		if (object->state == SLAB_OBJECT_LIVE && (object->flags & SLAB_OBJECT_LOSS) &&
		    slab_site_at(&pairing->accounts, slab_object_site(pairing, object))->maybe_live)
			return object;
	}
	return NULL;
}

#endif /* LTTNG_MM_SLAB_TRACK_PAIRING_H */
