// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slab caches as small numbers, with the data that a reader needs about each cache.
 *
 * The table is a hash table with open addressing, whose key is the address of the cache. A cache
 * gets an entry with the next number when it is first seen. When the kernel releases the cache, the
 * entry is closed: its slot may be reused for another entry, but its number is not reused while the
 * module is loaded. Entries of recently released caches are kept for the state dump.
 *
 *   slot: empty -> entry -> closed entry -> entry of another cache -> ...
 *
 * The record path takes spare entries and changes slots by compare-and-exchange; it never waits. A
 * work item allocates new spare entries. Another one frees outdated entries, a grace period after
 * it has removed them from the slots and the list.
 *
 * An address has at most one slot: the slot that it had before, or the first empty slot of its
 * probe sequence. Slots never become empty again. Two CPUs that see a new cache at the same time
 * therefore compete for the same slot. If the sequence has no empty slot, a closed slot of another
 * address is reused; only one CPU does this at a time.
 */

#include <linux/irq_work.h>
#include <linux/jhash.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <wrapper/kallsyms.h>
#include <probes/slab/slab.h>

/* Length of the probe sequence of an address. */
#define MAX_TRIES 64U
/* Number of spare entries. Using one needs no memory allocation. */
#define SPARES 256U
/* Number of released caches whose names are kept. */
#define MAX_RELEASED 1024U

/* Maximum number of names of merged caches. They are kept until the module is unloaded. */
#define MAX_ALIASES 256

static struct alias {
	u32 number; /* set last; 0 while @name is being written */
	char name[LTTNG_MM_CACHE_NAME_BYTES];
} aliases[MAX_ALIASES];
static atomic_t alias_count = ATOMIC_INIT(0);

/*
 * A slot contains @empty until it gets its first entry, and @evicted after its entry was evicted.
 * No cache has these keys.
 */
static struct lttng_mm_cache empty = { .key = 0 }, evicted = { .key = LTTNG_MM_CACHE_CLOSED };

struct lttng_mm_cache *lttng_mm_cache_slots[LTTNG_MM_CACHE_SLOTS];
static struct lttng_mm_cache *spares[SPARES];
static LLIST_HEAD(known);   /* entries that got a slot, until they are evicted; newest first */
static LLIST_HEAD(surplus); /* entries that lost the race for their slot */
static atomic_t last_number = ATOMIC_INIT(0);
static atomic_t releases = ATOMIC_INIT(0);
static unsigned long replacing;
static struct lttng_mm_cache_layout layout = { -1, -1, -1, -1, -1, -1 };

static u32 member(const struct kmem_cache *cache, int offset)
{
	return offset < 0 ? 0 : *(const u32 *)((const u8 *)cache + offset);
}

static bool is_accounted(const struct kmem_cache *cache)
{
	return member(cache, layout.flags) & (__force u32)SLAB_ACCOUNT;
}

/* Copies a name. A long name is truncated and ends in a hash of the full name, to stay unique. */
static void copy_name(char *to, const char *name)
{
	enum { TAIL = sizeof("...#01234567") };

	if (strscpy(to, name, LTTNG_MM_CACHE_NAME_BYTES) < 0)
		snprintf(to + LTTNG_MM_CACHE_NAME_BYTES - TAIL, TAIL, "...#%08x",
			 jhash(name, strlen(name), 0));
}

/*
 * Returns a number that no other cache gets. Numbers have 32 bits in events and the state dump.
 * When all are used up, new caches get the number 0, which means "no number".
 */
static u32 next_number(void)
{
	int last = atomic_fetch_add_unless(&last_number, 1, (int)U32_MAX);

	return last == (int)U32_MAX ? 0 : (u32)last + 1;
}

static void fill_entry(struct lttng_mm_cache *entry, const struct kmem_cache *cache)
{
	const char *name = NULL;

	entry->key = (unsigned long)cache;
	entry->number = next_number();
	entry->object_size = kmem_cache_size((struct kmem_cache *)cache);
	entry->size = member(cache, layout.size);
	entry->align = member(cache, layout.align);
	entry->accounted = is_accounted(cache);
	if (layout.name >= 0)
		name = *(const char *const *)((const u8 *)cache + layout.name);
	copy_name(entry->name, name ? name : "?");
}

/* Allocates spare entries. Sleeps. */
static void add_spares(void)
{
	for (unsigned int i = 0; i < SPARES; i++) {
		struct lttng_mm_cache *entry;

		if (READ_ONCE(spares[i]))
			continue;
		entry = kzalloc(sizeof(*entry), GFP_KERNEL);
		if (!entry)
			return;
		/* No other thread writes spares[i] while it is NULL. */
		smp_store_release(&spares[i], entry);
	}
}

static void free_surplus(struct llist_node *node)
{
	struct lttng_mm_cache *entry, *next;

	llist_for_each_entry_safe(entry, next, node, node)
		kfree(entry);
}

static void empty_slot_of(struct lttng_mm_cache *entry)
{
	u32 slot = lttng_mm_cache_hash((void *)(entry->key & ~LTTNG_MM_CACHE_CLOSED));

	for (u32 tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) % LTTNG_MM_CACHE_SLOTS)
		if (cmpxchg(&lttng_mm_cache_slots[slot], entry, &evicted) == entry)
			return;
}

/* Is the cache of ENTRY released, and have MAX_RELEASED caches been released after it? */
static bool is_outdated(const struct lttng_mm_cache *entry)
{
	/*
	 * Pairs with the store-release of the key, which makes @release of the entry and @releases
	 * visible.
	 */
	return smp_load_acquire(&entry->key) & LTTNG_MM_CACHE_CLOSED &&
	       (u32)atomic_read(&releases) - entry->release >= MAX_RELEASED;
}

/*
 * Evicts the caches that were released longest ago. They may be anywhere in the list, which is in
 * the order in which caches were first seen. Other CPUs only add to the head of the list. Sleeps.
 */
static void evict_released(void)
{
	struct lttng_mm_cache *entry, *previous = NULL, *doomed = NULL;

	llist_for_each_entry(entry, READ_ONCE(known.first), node) {
		if (!previous || !is_outdated(entry)) {
			previous = entry;
			continue;
		}
		WRITE_ONCE(previous->node.next, entry->node.next);
		empty_slot_of(entry);
		entry->doomed = doomed;
		doomed = entry;
	}
	if (!doomed)
		return;
	synchronize_rcu();
	while ((entry = doomed)) {
		doomed = entry->doomed;
		kfree(entry);
	}
}

static void refill(struct work_struct *work)
{
	add_spares();
	free_surplus(llist_del_all(&surplus));
}

static void evict(struct work_struct *work)
{
	evict_released();
}

/* Two work items, because new entries must not wait for the grace period of old ones. */
static DECLARE_WORK(refill_work, refill);
static DECLARE_WORK(evict_work, evict);

/* Queues the work from an irq_work, because the traced allocation may hold a workqueue lock. */
static void upkeep(struct irq_work *irq)
{
	schedule_work(&refill_work);
	schedule_work(&evict_work);
}
static struct irq_work upkeep_irq;

/*
 * Returns a spare entry filled for CACHE, or NULL if all are in use. Context: any, preemption off.
 */
static struct lttng_mm_cache *take_spare(const struct kmem_cache *cache)
{
	struct lttng_mm_cache *entry = NULL;
	unsigned int i;

	for (i = 0; i < SPARES && !entry; i++)
		if (READ_ONCE(spares[i]))
			entry = xchg(&spares[i], NULL);
	if (i > SPARES / 2)
		irq_work_queue(&upkeep_irq);
	if (entry)
		fill_entry(entry, cache);
	return entry;
}

/* Replaces OLD in a slot with MINE, if OLD is still there. Returns the slot's new contents. */
static struct lttng_mm_cache *put_into(u32 slot, struct lttng_mm_cache *old,
				       struct lttng_mm_cache *mine)
{
	struct lttng_mm_cache *now = cmpxchg(&lttng_mm_cache_slots[slot], old, mine);

	if (now != old)
		return now;
	llist_add(&mine->node, &known);
	return mine;
}

/*
 * Reuses the first closed slot of an address. Called when its probe sequence has no empty slot.
 * Returns the address's entry. Returns NULL if another CPU is replacing an entry or has changed the
 * closed slot. Also returns NULL if the address has no entry, and no closed slot or no spare entry
 * is left.
 */
static struct lttng_mm_cache *replace_closed(const struct kmem_cache *cache,
					     struct lttng_mm_cache **mine)
{
	struct lttng_mm_cache *entry, *found = NULL, *closed = NULL;
	u32 slot = lttng_mm_cache_hash(cache), closed_slot = 0;

	if (test_and_set_bit_lock(0, &replacing))
		return NULL;
	for (u32 tries = 0; tries < MAX_TRIES && !found;
	     tries++, slot = (slot + 1) % LTTNG_MM_CACHE_SLOTS) {
		entry = READ_ONCE(lttng_mm_cache_slots[slot]);
		if (READ_ONCE(entry->key) == (unsigned long)cache)
			found = entry;
		if (!closed && lttng_mm_cache_is_released(entry)) {
			closed = entry;
			closed_slot = slot;
		}
	}
	if (!found && closed && !*mine)
		*mine = take_spare(cache);
	if (!found && closed && *mine && put_into(closed_slot, closed, *mine) == *mine)
		found = *mine;
	clear_bit_unlock(0, &replacing);
	return found;
}

/* Returns a cache's entry. Creates it if needed. */
static struct lttng_mm_cache *find_entry(const struct kmem_cache *cache)
{
	const unsigned long key = (unsigned long)cache;
	struct lttng_mm_cache *entry, *mine = NULL;
	u32 slot = lttng_mm_cache_hash(cache);
	u32 tries;

	for (tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) % LTTNG_MM_CACHE_SLOTS) {
		entry = READ_ONCE(lttng_mm_cache_slots[slot]);
		if (entry == &empty || READ_ONCE(entry->key) == (key | LTTNG_MM_CACHE_CLOSED)) {
			if (!mine)
				mine = take_spare(cache);
			if (!mine)
				return NULL;
			entry = put_into(slot, entry, mine);
		}
		if (READ_ONCE(entry->key) == key)
			break;
	}
	if (tries == MAX_TRIES)
		entry = replace_closed(cache, &mine);
	if (mine && entry != mine)
		llist_add(&mine->node, &surplus);
	return entry;
}

u32 lttng_mm_cache_find(const struct kmem_cache *cache, bool *accounted)
{
	const struct lttng_mm_cache *entry = find_entry(cache);

	*accounted = entry ? entry->accounted : is_accounted(cache);
	return entry ? entry->number : 0;
}

/*
 * Closes the entry of a cache that the kernel releases. No allocation or free in this cache
 * follows.
 *
 * Context: any, preemption off.
 */
void lttng_mm_cache_retire(const struct kmem_cache *cache)
{
	const unsigned long key = (unsigned long)cache;
	u32 slot = lttng_mm_cache_hash(cache);

	for (u32 tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) % LTTNG_MM_CACHE_SLOTS) {
		struct lttng_mm_cache *entry = READ_ONCE(lttng_mm_cache_slots[slot]);

		if (entry == &empty)
			return;
		if (READ_ONCE(entry->key) != key)
			continue;
		entry->release = (u32)atomic_inc_return(&releases);
		smp_store_release(&entry->key, key | LTTNG_MM_CACHE_CLOSED);
		return;
	}
}

/* Context: any, preemption off. */
void lttng_mm_cache_alias(const struct kmem_cache *cache, const char *name)
{
	char kept[LTTNG_MM_CACHE_NAME_BYTES];
	bool accounted;
	u32 number = lttng_mm_cache_number(cache, &accounted);
	int index;

	/* No event refers to a cache without a number. */
	if (!number)
		return;
	copy_name(kept, name);
	for (int i = 0; i < atomic_read(&alias_count); i++)
		if (smp_load_acquire(&aliases[i].number) == number &&
		    !strcmp(aliases[i].name, kept))
			return;
	index = atomic_fetch_add_unless(&alias_count, 1, MAX_ALIASES);
	if (index == MAX_ALIASES)
		return;
	memcpy(aliases[index].name, kept, sizeof(kept));
	smp_store_release(&aliases[index].number, number);
}

const char *lttng_mm_cache_alias_state(unsigned int index, u32 *number)
{
	if (index >= (unsigned int)atomic_read(&alias_count))
		return NULL;
	*number = smp_load_acquire(&aliases[index].number);
	return aliases[index].name;
}

const struct lttng_mm_cache *lttng_mm_cache_next(const struct lttng_mm_cache *entry)
{
	/* An entry is complete before it is added to the list. */
	struct llist_node *node = entry ? READ_ONCE(entry->node.next) : READ_ONCE(known.first);

	return node ? llist_entry(node, struct lttng_mm_cache, node) : NULL;
}

/*
 * Adds the existing caches. Releases are already hooked, so no cache in the list is released
 * unnoticed.
 */
void lttng_mm_caches_add_known(void)
{
	struct list_head *caches = (void *)wrapper_kallsyms_lookup_name("slab_caches"), *node;
	struct mutex *mutex = (void *)wrapper_kallsyms_lookup_name("slab_mutex");
	unsigned int count = 0;

	if (!caches || !mutex || layout.list < 0) {
		pr_info("lttng-probe-slab: the kernel's list of slab caches cannot be read: a cache is named only when it is first used\n");
		return;
	}
	mutex_lock(mutex);
	list_for_each(node, caches) {
		if (++count % (SPARES / 4) == 0)
			add_spares();
		preempt_disable_notrace();
		find_entry((const void *)((const u8 *)node - layout.list));
		preempt_enable_notrace();
	}
	mutex_unlock(mutex);
}

int lttng_mm_caches_init(void)
{
	for (u32 slot = 0; slot < LTTNG_MM_CACHE_SLOTS; slot++)
		lttng_mm_cache_slots[slot] = &empty;
	init_irq_work(&upkeep_irq, upkeep);
	add_spares();
	if (lttng_mm_btf_cache_layout(&layout))
		pr_warn("lttng-probe-slab: struct kmem_cache is not in this kernel's BTF: the names of slab caches are unknown\n");
	return 0;
}

/* Frees all entries. No lookup may be in progress. */
void lttng_mm_caches_exit(void)
{
	irq_work_sync(&upkeep_irq);
	cancel_work_sync(&refill_work);
	cancel_work_sync(&evict_work);
	free_surplus(llist_del_all(&surplus));
	free_surplus(llist_del_all(&known));
	for (unsigned int i = 0; i < SPARES; i++)
		kfree(spares[i]);
}
