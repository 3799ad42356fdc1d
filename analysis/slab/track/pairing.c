// SPDX-License-Identifier: LGPL-2.1-only
/* Applies each event to the object at its address. */
#include "analysis/slab/track/pairing.h"

#include <stdlib.h>
#include <string.h>

#define RCU_CALLS_MAX (1u << 20)

int slab_pairing_init(struct slab_pairing *pairing)
{
	memset(pairing, 0, sizeof(*pairing));
	pairing->lost_until_ns = INT64_MIN;
	pairing->begin_ns = INT64_MIN;
	pairing->dropped_first_ns = INT64_MAX;
	pairing->dropped_last_ns = INT64_MIN;
	return slab_accounts_init(&pairing->accounts) || slab_objects_init(&pairing->objects) ||
			       mm_rows_init(&pairing->rcu_calls, sizeof(struct slab_rcu_call),
					    RCU_CALLS_MAX, 10)
		       ? -1
		       : 0;
}

void slab_pairing_release(struct slab_pairing *pairing)
{
	slab_objects_release(&pairing->objects);
	slab_accounts_release(&pairing->accounts);
	mm_rows_release(&pairing->rcu_calls);
	free(pairing->anomalies);
	free(pairing->untraced);
	for (int of = 0; of < SLAB_MEMORY_COUNT; of++)
		free(pairing->before_trace[of].times_ns);
	free(pairing->refreed);
}

void slab_pairing_lost(struct slab_pairing *pairing, int64_t until_ns)
{
	if (until_ns > pairing->lost_until_ns)
		pairing->lost_until_ns = until_ns;
}

void slab_pairing_started(struct slab_pairing *pairing, int64_t begin_ns)
{
	if (begin_ns > pairing->begin_ns)
		slab_accounts_forget_earlier(&pairing->accounts);
	pairing->begin_ns = begin_ns;
}

/* Ends a live object. Sets @freed to its data. */
static inline void end_object(struct slab_pairing *pairing, const struct slab_object *object,
			      struct slab_site *site, struct slab_freed *freed)
{
	freed->account = object->account;
	freed->bytes_req = object->bytes_req;
	freed->bytes_alloc = object->bytes_alloc;
	freed->objects = 1;
	freed->omitted = slab_site_is_omitted(site);
	freed->of_recorder = slab_site_is_recorder(site);
	slab_site_adjust(site, object->bytes_req, object->bytes_alloc, -1ull);
	if (freed->omitted)
		pairing->omitted_orders[object->order]--;
	else
		pairing->live_orders[object->order]--;
}

static int note_untraced(struct slab_pairing *pairing, const struct slab_object *object,
			 int64_t time_ns)
{
	struct slab_untraced *grown = mm_array_grow(pairing->untraced, pairing->untraced_count,
						    &pairing->untraced_room, sizeof(*grown));

	if (!grown)
		return -1;
	pairing->untraced = grown;
	grown[pairing->untraced_count++] = (struct slab_untraced){
		.since_ns = object->time_ns,
		.time_ns = time_ns,
		.account = object->account,
		.by_rcu = object->flags & SLAB_OBJECT_RCU,
	};
	return 0;
}

/*
 * Ends an object whose address is allocated again without a free. Returns 0, or -1 when out of
 * memory.
 */
static int end_untraced(struct slab_pairing *pairing, const struct slab_object *object,
			const struct slab_op *op, struct slab_freed *ended)
{
	struct slab_site *site =
		slab_site_at(&pairing->accounts, slab_object_site(pairing, object));

	end_object(pairing, object, site, ended);
	if (pairing->lost_until_ns > object->time_ns) {
		++*slab_account_ended(&pairing->accounts, object->account, SLAB_UNDETERMINED);
		return 0;
	}
	/*
	 * The first part of a block of pages is allocated again, while other parts may still be in
	 * use. This is not an untraced free: the block was split and partly freed.
	 */
	if (object->flags & SLAB_OBJECT_PARTLY_FREED && op->order < object->order) {
		slab_account_lifetime(&pairing->accounts,
				      slab_account_at(&pairing->accounts, object->account),
				      object->time_ns, op->time_ns);
		site->partly_freed++;
		return 0;
	}
	if (pairing->begin_ns > object->time_ns) {
		++*slab_account_ended(&pairing->accounts, object->account, SLAB_UNDETERMINED);
		return 0;
	}
	++*slab_account_ended(&pairing->accounts, object->account, SLAB_FREED_UNTRACED);
	site->by_rcu += !!(object->flags & SLAB_OBJECT_RCU);
	return note_untraced(pairing, object, op->time_ns);
}

static struct slab_anomaly *new_anomaly(struct slab_pairing *pairing, enum slab_anomaly_kind kind,
					const struct slab_object *object, const struct slab_op *op)
{
	struct slab_anomaly *grown;

	if (pairing->anomaly_count >= SLAB_ANOMALIES_MAX) {
		pairing->anomalies_dropped++;
		return NULL;
	}
	grown = mm_array_grow(pairing->anomalies, pairing->anomaly_count, &pairing->anomaly_room,
			      sizeof(*grown));
	if (!grown) {
		pairing->failed = true;
		return NULL;
	}
	pairing->anomalies = grown;
	grown += pairing->anomaly_count++;
	*grown = (struct slab_anomaly){
		.kind = kind,
		.address = op->address,
		.account = object->account,
		.first = slab_account_at(&pairing->accounts, object->account)->key,
		.first_ns = object->time_ns,
		.second = op->key,
		.second_ns = op->time_ns,
		.api = op->api,
		.verdict = SLAB_ANOMALOUS,
	};
	return grown;
}

static void note_anomaly(struct slab_pairing *pairing, enum slab_anomaly_kind kind,
			 const struct slab_object *object, const struct slab_op *op)
{
	struct slab_anomaly *anomaly;

	if (!slab_account_is_counted(&pairing->accounts, object->account))
		return;
	anomaly = new_anomaly(pairing, kind, object, op);
	if (!anomaly)
		return;
	anomaly->site = slab_object_site(pairing, object);
	anomaly->bytes_req = object->bytes_req;
	anomaly->bytes_alloc = object->bytes_alloc;
}

void slab_pairing_mismatch(struct slab_pairing *pairing, const struct slab_object *was,
			   const struct slab_op *op)
{
	uint32_t kind = slab_account_at(&pairing->accounts, was->account)->key.kind,
		 through = op->key.kind;

	/* Caches without an index of their own share index 0, so it does not identify a cache. */
	if (through == SLAB_KIND_CACHE || kind == SLAB_KIND_CACHE || !was->account)
		return;
	note_anomaly(pairing, slab_kind_is_kmalloc(kind) ? SLAB_KMALLOC_BY_CACHE : SLAB_OTHER_CACHE,
		     was, op);
}

static inline bool count_pair(struct slab_pairing *pairing, const struct slab_account *owner,
			      const struct slab_object *object, const struct slab_op *op)
{
	if (pairing->lost_until_ns > object->time_ns) {
		++*slab_account_ended(&pairing->accounts, object->account, SLAB_UNDETERMINED);
		return false;
	}
	slab_account_pair(&pairing->accounts, owner, op, object->time_ns);
	slab_account_earlier(&pairing->accounts, owner, pairing->begin_ns, object->time_ns,
			     op->time_ns, 1, object->bytes_alloc);
	return true;
}

static inline void set_freed(struct slab_object *object, const struct slab_op *op, uint32_t account)
{
	object->state = SLAB_OBJECT_FREED;
	object->flags = 0;
	object->time_ns = op->time_ns;
	object->account = account;
}

static void count_unmatched(struct slab_pairing *pairing, uint32_t account, int64_t time_ns)
{
	pairing->accounts.unmatched[account] += time_ns >= pairing->begin_ns;
}

/*
 * Notes that @account freed an object that was probably allocated before the trace. At the end,
 * judge_frees() counts the free as undetermined if a stream had ended by @time_ns. Returns 0, or -1
 * when out of memory.
 */
static int note_before_trace(struct slab_pairing *pairing, enum slab_memory of, uint32_t account,
			     int64_t time_ns)
{
	struct slab_before_trace *before = &pairing->before_trace[of];
	int64_t *grown =
		mm_array_grow(before->times_ns, before->count, &before->room, sizeof(*grown));

	if (!grown)
		return -1;
	before->times_ns = grown;
	grown[before->count++] = time_ns;
	count_unmatched(pairing, account, time_ns);
	return 0;
}

/*
 * Counts a free by an omitted account. If the object is from before the trace, its call site and
 * cache are unknown, so the filters may select it. @object: last object at the address, or NULL.
 */
static void count_omitted(struct slab_pairing *pairing, const struct slab_object *object,
			  uint32_t account, int64_t time_ns)
{
	if (pairing->lost_until_ns == INT64_MIN && (!object || pairing->begin_ns > object->time_ns))
		count_unmatched(pairing, account, time_ns);
}

static void note_double(struct slab_pairing *pairing, const struct slab_object *object,
			const struct slab_op *op)
{
	struct slab_anomaly *anomaly = new_anomaly(pairing, SLAB_DOUBLE_FREE, object, op);

	pairing->double_frees++;
	if (anomaly) {
		anomaly->first.kind = SLAB_KIND_NONE;
		return;
	}
	pairing->doubles_dropped++;
	if (object->time_ns < pairing->dropped_first_ns)
		pairing->dropped_first_ns = object->time_ns;
	if (op->time_ns > pairing->dropped_last_ns)
		pairing->dropped_last_ns = op->time_ns;
}

/*
 * Processes a free without a live object. The account that allocated the object is unknown, so the
 * free is omitted if @account is omitted. A double free is omitted only if the accounts of both
 * frees are omitted. Returns 0, or -1 when out of memory.
 */
static int free_without_object(struct slab_pairing *pairing, const struct slab_object *object,
			       const struct slab_op *op, uint32_t account)
{
	bool first = object->state == SLAB_OBJECT_NEW;
	bool counted = slab_account_is_counted(&pairing->accounts, account);

	if (!counted && (first || !slab_account_is_counted(&pairing->accounts, object->account))) {
		count_omitted(pairing, first ? NULL : object, account, op->time_ns);
		return 0;
	}
	if (first ? pairing->lost_until_ns != INT64_MIN
		  : pairing->lost_until_ns > object->time_ns) {
		pairing->undetermined_frees[SLAB_MEMORY_OBJECTS]++;
		return 0;
	}
	if (first || pairing->begin_ns > object->time_ns)
		return note_before_trace(pairing, SLAB_MEMORY_OBJECTS, account, op->time_ns);
	note_double(pairing, object, op);
	return 0;
}

int slab_pairing_alloc(struct slab_pairing *pairing, const struct slab_op *op,
		       struct slab_hint *hint, struct slab_freed *ended)
{
	struct slab_object *object =
		slab_objects_get(&pairing->objects, op->address, op->tag, hint->object);
	struct slab_account *account;

	ended->objects = 0;
	if (!object || slab_accounts_find(&pairing->accounts, op, &hint->account, true) ||
	    (object->state == SLAB_OBJECT_LIVE && end_untraced(pairing, object, op, ended)))
		return -1;
	account = slab_account_at(&pairing->accounts, hint->account);
	slab_pairing_allocated(pairing, object, account, hint->account, op);
	if (slab_site_is_omitted(slab_site_at(&pairing->accounts, account->site))) {
		object->flags |= SLAB_OBJECT_OMITTED;
		pairing->omitted_orders[op->order]++;
	} else {
		slab_pairing_enter_order(pairing, op->order);
	}
	if (op->bytes_req > op->bytes_alloc)
		note_anomaly(pairing, SLAB_SIZE, object, op);
	return 0;
}

int slab_pairing_free(struct slab_pairing *pairing, const struct slab_op *op,
		      struct slab_hint *hint, struct slab_freed *freed)
{
	struct slab_object *object =
		slab_objects_get(&pairing->objects, op->address, op->tag, hint->object);
	const struct slab_account *owner;
	struct slab_site *site;

	memset(freed, 0, sizeof(*freed));
	if (!object || slab_accounts_find(&pairing->accounts, op, &hint->account, false))
		return -1;
	if (object->state == SLAB_OBJECT_LIVE) {
		owner = slab_account_at(&pairing->accounts, object->account);
		site = slab_site_at(&pairing->accounts, owner->site);
		end_object(pairing, object, site, freed);
		freed->paired = count_pair(pairing, owner, object, op);
		if (freed->paired && slab_is_mismatch(owner->key.kind, op->key.kind))
			slab_pairing_mismatch(pairing, object, op);
	} else if (free_without_object(pairing, object, op, hint->account)) {
		return -1;
	}
	slab_account_at(&pairing->accounts, hint->account)->frees += !freed->of_recorder;
	set_freed(object, op, hint->account);
	return 0;
}

/* Returns the live block that contains the pages, or NULL. */
static struct slab_object *find_block(struct slab_pairing *pairing, uint64_t pfn,
				      unsigned int order)
{
	for (unsigned int above = order + 1; above < 32; above++) {
		uint64_t address = (pfn & ~((1ull << above) - 1)) | SLAB_ADDRESS_PAGE;
		struct slab_object *object;

		if (!(pairing->live_orders[above] | pairing->omitted_orders[above]))
			continue;
		object = slab_objects_find(&pairing->objects, address,
					   slab_objects_tag(&pairing->objects, address));
		if (object && object->state == SLAB_OBJECT_LIVE && object->order == above)
			return object;
	}
	return NULL;
}

/* Frees a part of a block of pages. The block is live until its last part is freed. */
static void free_part(struct slab_pairing *pairing, struct slab_object *block,
		      const struct slab_op *op, uint32_t account, struct slab_freed *freed)
{
	const struct slab_account *owner = slab_account_at(&pairing->accounts, block->account);
	struct slab_site *site = slab_site_at(&pairing->accounts, owner->site);
	uint32_t bytes = op->bytes_req < block->bytes_req ? op->bytes_req : block->bytes_req;

	block->flags |= SLAB_OBJECT_PARTLY_FREED;
	if (block->bytes_req == bytes) {
		end_object(pairing, block, site, freed);
		freed->paired = count_pair(pairing, owner, block, op);
		site->partly_freed += freed->paired;
		set_freed(block, op, account);
		return;
	}
	block->bytes_req -= bytes;
	block->bytes_alloc -= bytes;
	site->live_req -= bytes;
	site->live_alloc -= bytes;
	if (pairing->lost_until_ns <= block->time_ns)
		slab_account_earlier(&pairing->accounts, owner, pairing->begin_ns, block->time_ns,
				     op->time_ns, 0, bytes);
	freed->bytes_req = freed->bytes_alloc = bytes;
	freed->account = block->account;
	freed->omitted = slab_site_is_omitted(site);
	freed->of_recorder = slab_site_is_recorder(site);
}

/* Notes that pages were freed again without an allocation. Returns 0, or -1 when out of memory. */
static int note_refreed(struct slab_pairing *pairing, const struct slab_object *object,
			const struct slab_op *op)
{
	struct slab_refreed *grown = mm_array_grow(pairing->refreed, pairing->page_refreed,
						   &pairing->refreed_room, sizeof(*grown));

	if (!grown)
		return -1;
	pairing->refreed = grown;
	grown[pairing->page_refreed++] =
		(struct slab_refreed){ .since_ns = object->time_ns, .time_ns = op->time_ns };
	return 0;
}

/* Processes a free of pages that belong to no live block. Returns 0, or -1 when out of memory. */
static int free_unknown_pages(struct slab_pairing *pairing, const struct slab_op *op,
			      const struct slab_hint *hint, struct slab_object *object)
{
	int ret = 0;

	if (!slab_account_is_counted(&pairing->accounts, hint->account))
		count_omitted(pairing, object, hint->account, op->time_ns);
	else if (pairing->lost_until_ns != INT64_MIN)
		pairing->undetermined_frees[SLAB_MEMORY_PAGES]++;
	else if (object && pairing->begin_ns <= object->time_ns)
		ret = note_refreed(pairing, object, op);
	else
		ret = note_before_trace(pairing, SLAB_MEMORY_PAGES, hint->account, op->time_ns);
	object = ret	  ? NULL
		 : object ? object
			  : slab_objects_get(&pairing->objects, op->address, op->tag, hint->object);
	if (!object)
		return -1;
	set_freed(object, op, hint->account);
	return 0;
}

static int free_pages(struct slab_pairing *pairing, const struct slab_op *op,
		      const struct slab_hint *hint, struct slab_freed *freed)
{
	uint64_t pfn = op->address & ~SLAB_ADDRESS_PAGE;
	struct slab_object *object = slab_objects_find(&pairing->objects, op->address, op->tag);
	const struct slab_account *owner;
	struct slab_object *block;
	struct slab_site *site;

	if (object && object->state == SLAB_OBJECT_LIVE) {
		if (object->order > op->order || object->flags & SLAB_OBJECT_PARTLY_FREED) {
			free_part(pairing, object, op, hint->account, freed);
			return 0;
		}
		owner = slab_account_at(&pairing->accounts, object->account);
		site = slab_site_at(&pairing->accounts, owner->site);
		end_object(pairing, object, site, freed);
		freed->paired = count_pair(pairing, owner, object, op);
		pairing->merged_pages += !freed->omitted & (object->order < op->order);
		set_freed(object, op, hint->account);
		return 0;
	}
	block = find_block(pairing, pfn, op->order);
	if (!block)
		return free_unknown_pages(pairing, op, hint, object);
	free_part(pairing, block, op, hint->account, freed);
	return 0;
}

int slab_pairing_free_pages(struct slab_pairing *pairing, const struct slab_op *op,
			    struct slab_hint *hint, struct slab_freed *freed)
{
	memset(freed, 0, sizeof(*freed));
	if (slab_accounts_find(&pairing->accounts, op, &hint->account, false) ||
	    free_pages(pairing, op, hint, freed))
		return -1;
	slab_account_at(&pairing->accounts, hint->account)->frees += !freed->of_recorder;
	return 0;
}

/*
 * Do the figures count @op, a krealloc() in place or a kfree_rcu()? Sets *@counted. If @object is
 * live, the account that allocated it decides; otherwise, the account of @op decides. Returns 0, or
 * -1 when out of memory.
 */
static int find_counted(struct slab_pairing *pairing, const struct slab_op *op,
			struct slab_hint *hint, const struct slab_object *object, bool *counted)
{
	bool known = object && object->state == SLAB_OBJECT_LIVE;

	if (!known && slab_accounts_find(&pairing->accounts, op, &hint->account, false))
		return -1;
	*counted = slab_account_is_counted(&pairing->accounts,
					   known ? object->account : hint->account);
	return 0;
}

int slab_pairing_realloc(struct slab_pairing *pairing, const struct slab_op *op,
			 struct slab_hint *hint, int64_t *grown)
{
	struct slab_object *object = slab_objects_find(&pairing->objects, op->address, op->tag);
	const struct slab_account *owner;
	bool counted;

	*grown = 0;
	if (find_counted(pairing, op, hint, object, &counted))
		return -1;
	pairing->in_place += counted;
	if (!object || object->state != SLAB_OBJECT_LIVE ||
	    pairing->lost_until_ns > object->time_ns)
		return 0;
	owner = slab_account_at(&pairing->accounts, object->account);
	if (!slab_kind_is_kmalloc(owner->key.kind))
		return 0;
	slab_site_at(&pairing->accounts, owner->site)->live_req +=
		(uint64_t)op->bytes_req - object->bytes_req;
	if (counted)
		*grown = (int64_t)op->bytes_req - (int64_t)object->bytes_req;
	object->bytes_req = op->bytes_req;
	if (op->bytes_req > object->bytes_alloc)
		note_anomaly(pairing, SLAB_SIZE, object, op);
	return 0;
}

int slab_pairing_rcu(struct slab_pairing *pairing, const struct slab_op *op, struct slab_hint *hint)
{
	struct slab_object *object = slab_objects_find(&pairing->objects, op->address, op->tag);
	struct slab_rcu_call *call;
	bool counted;

	if (find_counted(pairing, op, hint, object, &counted))
		return -1;
	pairing->rcu_call_count += counted;
	if (!object || object->state != SLAB_OBJECT_LIVE)
		return 0;
	call = mm_rows_get(&pairing->rcu_calls, (uint32_t)op->address,
			   (uint32_t)(op->address >> 32));
	if (!call)
		return -1;
	object->flags |= SLAB_OBJECT_RCU;
	call->time_ns = op->time_ns;
	return 0;
}

int64_t slab_pairing_rcu_time(const struct slab_pairing *pairing, const struct slab_object *object)
{
	const struct slab_rcu_call *call = mm_rows_lookup(
		&pairing->rcu_calls, (uint32_t)object->address, (uint32_t)(object->address >> 32));

	return call ? call->time_ns : INT64_MIN;
}
