/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Pairs allocations and frees by address, and decides the outcome of each object.
 *
 *   new --alloc--> live --free--> freed --alloc--> live
 *                  live --alloc--> live (an untraced path freed the first object)
 *                  freed --free--> freed (double free, or the allocation is missing)
 *
 * A pair of an allocation and a free is accepted unless events were lost in between. Contradictions
 * are stored, and judged at the end, when the start and end of each stream, the traced paths and
 * the names of caches are known.
 */
#ifndef LTTNG_MM_SLAB_TRACK_PAIRING_H
#define LTTNG_MM_SLAB_TRACK_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/slab/account/accounts.h"
#include "analysis/slab/track/coverage.h"
#include "analysis/slab/track/object-table.h"

/* The probable object and account of an event. Both may be wrong. */
struct slab_hint {
	uint32_t object;  /* number of the object plus 1; 0: unknown */
	uint32_t account; /* number of an account, most likely the right one */
};

enum slab_anomaly_kind {
	SLAB_DOUBLE_FREE,
	SLAB_OTHER_CACHE, /* freed by a function for another cache */
	SLAB_SIZE,	  /* more bytes requested than allocated */
	/*
	 * kmem_cache_free() freed memory of kmalloc(); legal if the memory is from the passed cache
	 */
	SLAB_KMALLOC_BY_CACHE,
	SLAB_ANOMALIES,
};

/* A possible anomaly, and the two events that contradict each other. */
struct slab_anomaly {
	enum slab_anomaly_kind kind;
	uint32_t site; /* 0 for a double free */
	/* account of the allocation; for a double free, account of the first free */
	uint32_t account;
	uint64_t address;
	int64_t first_ns, second_ns;
	union slab_accounting_key first, second;
	uint32_t bytes_req, bytes_alloc;
	uint8_t api;
	uint8_t verdict; /* outcome of the object, set by slab_pairing_judge() */
};

/* Maximum number of stored anomalies. Further anomalies most likely repeat the same error. */
#define SLAB_ANOMALIES_MAX 65536u

struct slab_untraced {
	/* times of the allocation and of the next allocation at the address */
	int64_t since_ns, time_ns;
	uint32_t account;
	bool by_rcu;
};

/* Pages that were freed twice without an allocation in between. */
struct slab_refreed {
	int64_t since_ns, time_ns;
};

/* Time of an object's last kfree_rcu() call. */
struct slab_rcu_call {
	struct mm_row row; /* low and high half of the address */
	int64_t time_ns;
};

/* Objects of the slab allocator and page allocations are counted separately. */
enum slab_memory { SLAB_MEMORY_OBJECTS, SLAB_MEMORY_PAGES, SLAB_MEMORY_COUNT };

/* Times of frees whose objects were probably allocated before the trace. */
struct slab_before_trace {
	size_t count, room;
	int64_t *times_ns;
};

struct slab_pairing {
	struct slab_objects objects;
	struct slab_accounts accounts;
	struct mm_rows rcu_calls;
	/* events before this time may be lost; INT64_MIN: nothing was lost */
	int64_t lost_until_ns;
	/* latest stream start before the last operation */
	int64_t begin_ns;
	/*
	 * by order (SLAB_ORDER_NONE: objects): number of live blocks that are not omitted, its
	 * peak, and number of omitted live blocks
	 */
	uint64_t live_orders[64], peak_orders[64], omitted_orders[64];
	struct slab_anomaly *anomalies;
	size_t anomaly_count, anomaly_room;
	uint64_t anomalies_dropped;
	bool failed; /* memory ran out, so an anomaly is missing */
	struct slab_untraced *untraced;
	size_t untraced_count, untraced_room;
	/* frees without an object, and frees of pages that were already free */
	struct slab_before_trace before_trace[SLAB_MEMORY_COUNT];
	size_t page_refreed, refreed_room;
	struct slab_refreed *refreed;
	uint64_t undetermined_frees[SLAB_MEMORY_COUNT];
	uint64_t double_frees, untraced_allocs; /* counts of frees of objects, not of pages */
	/* double frees that were not stored: number, and times of the first and the last */
	uint64_t doubles_dropped;
	int64_t dropped_first_ns, dropped_last_ns;
	uint64_t merged_pages;
	uint64_t legal_kmalloc_by_cache;
	uint64_t in_place, rcu_call_count;
};

struct slab_freed {
	bool paired;
	uint32_t account; /* account that allocated the object */
	uint32_t bytes_req, bytes_alloc;
	/*
	 * number of objects that are no longer live; 0 if only a part of a block of pages was freed
	 */
	uint64_t objects;
	bool omitted;	  /* the allocating account is omitted */
	bool of_recorder; /* the allocating account is the recorder's */
};

/*
 * Computes the indexes at which the object and the account of @op are probably found. This takes
 * time, but reads only data that does not change. The reader's thread can therefore call this
 * function while another thread processes operations.
 */
static inline void slab_op_locate(const struct slab_pairing *pairing, struct slab_op *op)
{
	op->tag = slab_objects_tag(&pairing->objects, op->address);
	op->quick = slab_accounts_quick(&pairing->accounts, &op->key);
}

/*
 * Prefetches the index entries of the object and the account. The next functions then prefetch
 * both. Without prefetching, processing would mostly wait for memory.
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

/*
 * Returns the account that allocated the hint's object. If the hint has no object, returns the
 * account of object 0, because a branch would cost more than a useless prefetch.
 */
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
 * The functions below return 0, or -1 when out of memory. They find the account of @op, and correct
 * the guess in hint->account. If an allocation finds a live object at its address, that object was
 * freed without an event, and @ended describes it.
 */
int slab_pairing_alloc(struct slab_pairing *pairing, const struct slab_op *op,
		       struct slab_hint *hint, struct slab_freed *ended);
int slab_pairing_free(struct slab_pairing *pairing, const struct slab_op *op,
		      struct slab_hint *hint, struct slab_freed *freed);
int slab_pairing_free_pages(struct slab_pairing *pairing, const struct slab_op *op,
			    struct slab_hint *hint, struct slab_freed *freed);
/* Processes a krealloc() in place. *@grown: the growth in requested bytes. */
int slab_pairing_realloc(struct slab_pairing *pairing, const struct slab_op *op,
			 struct slab_hint *hint, int64_t *grown);
int slab_pairing_rcu(struct slab_pairing *pairing, const struct slab_op *op,
		     struct slab_hint *hint);
/*
 * Returns the time at which an object with SLAB_OBJECT_RCU was passed to kfree_rcu(), or INT64_MIN
 * if the time is unknown.
 */
int64_t slab_pairing_rcu_time(const struct slab_pairing *pairing, const struct slab_object *object);
/* Notes that events before @until_ns were lost. */
void slab_pairing_lost(struct slab_pairing *pairing, int64_t until_ns);

/*
 * @begin_ns is the latest start of the streams known so far. If it has increased since the last
 * call, all operations so far came before the new start.
 */
void slab_pairing_started(struct slab_pairing *pairing, int64_t begin_ns);

/* Decides the outcomes of the remaining objects. Call it once, at the end. */
void slab_pairing_judge(struct slab_pairing *pairing, const struct slab_coverage *coverage);

/* Notes that the object @was was just freed as an object of another cache. */
void slab_pairing_mismatch(struct slab_pairing *pairing, const struct slab_object *was,
			   const struct slab_op *op);

/* Counts another live block of the order. */
static inline void slab_pairing_enter_order(struct slab_pairing *pairing, unsigned int order)
{
	uint64_t live = ++pairing->live_orders[order], peak = pairing->peak_orders[order];

	pairing->peak_orders[order] = live > peak ? live : peak;
}

/*
 * Stores the allocation @op in @object, and adds it to the sums of @account, which has the number
 * @number. Does not count live objects by order.
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
 * Is an object of @kind freed as an object of another kind? The product combines two conditions in
 * one branch, which the CPU nearly always predicts.
 */
static inline bool slab_is_mismatch(uint32_t kind, uint32_t through)
{
	return (uint64_t)(through ^ kind) * (through ^ SLAB_KIND_NONE) != 0;
}

/* Returns the number of the call site that allocated the live object. */
static inline uint32_t slab_object_site(const struct slab_pairing *pairing,
					const struct slab_object *object)
{
	return slab_account_at(&pairing->accounts, object->account)->site;
}

/*
 * Returns the peak number of blocks of this order, or of objects (SLAB_ORDER_NONE). Leaves out
 * omitted objects.
 */
static inline uint64_t slab_pairing_peak(const struct slab_pairing *pairing, unsigned int order)
{
	return pairing->peak_orders[order];
}

/* Is the object certainly live at the end? For use after slab_pairing_judge(). */
static inline bool slab_object_lives(const struct slab_object *object)
{
	return object->state == SLAB_OBJECT_LIVE && !(object->flags & SLAB_OBJECT_LOSS);
}

/*
 * Returns the next object that is live at the end, from number *@at on, and advances *@at. Returns
 * NULL after the last object. For use after slab_pairing_judge().
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

/* Like slab_pairing_next_live(), for objects that may be live because events were lost. */
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
