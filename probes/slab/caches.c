// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slab caches as small numbers, and what a trace's reader wants to know of each.
 *
 * An open hash table of cache addresses; the number is the slot's. A cache gets a slot when it is
 * first seen, by compare-and-exchange, and keeps it until the kernel releases it: then the slot is
 * closed, never given to another, so that a number has one meaning as long as the module is loaded.
 */

#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <wrapper/kallsyms.h>
#include <probes/slab/slab.h>

#define NAME_BYTES 48
/* A key that no cache has: a slot whose cache is gone. */
#define CLOSED 2UL
/* Slots tried before a cache goes without a number. */
#define MAX_TRIES 64U

struct info {
	u32 object_size, size, align;
	bool accounted, alive;
	bool ready; /* the last to be set */
	char name[NAME_BYTES];
};

/* Names that were merged into another cache since the module was loaded; the rest are not kept. */
#define MAX_ALIASES 256

static struct alias {
	u32 number; /* the last to be set */
	char name[NAME_BYTES];
} aliases[MAX_ALIASES];
static atomic_t alias_count = ATOMIC_INIT(0);

unsigned long *mm_cache_keys;
static struct info *infos;
static struct mm_cache_layout layout = { -1, -1, -1, -1, -1, -1 };

static u32 member(const struct kmem_cache *cache, int offset)
{
	return offset < 0 ? 0 : *(const u32 *)((const u8 *)cache + offset);
}

static bool is_accounted(const struct kmem_cache *cache)
{
	return member(cache, layout.flags) & (__force u32)SLAB_ACCOUNT;
}

static void fill_info(struct info *info, const struct kmem_cache *cache)
{
	const char *name = NULL;

	info->object_size = kmem_cache_size((struct kmem_cache *)cache);
	info->size = member(cache, layout.size);
	info->align = member(cache, layout.align);
	info->accounted = is_accounted(cache);
	if (layout.name >= 0)
		name = *(const char *const *)((const u8 *)cache + layout.name);
	strscpy(info->name, name ? name : "?", sizeof(info->name));
	info->alive = true;
	smp_store_release(&info->ready, true);
}

u32 mm_cache_find(const struct kmem_cache *cache, bool *accounted)
{
	u32 slot = mm_cache_hash(cache);

	*accounted = is_accounted(cache);
	for (u32 tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) % MM_CACHE_SLOTS) {
		unsigned long key = READ_ONCE(mm_cache_keys[slot]);

		if (!key) {
			unsigned long new =
				(unsigned long)cache | (*accounted ? MM_CACHE_ACCOUNTED : 0);

			key = cmpxchg(&mm_cache_keys[slot], 0, new);
			if (!key) {
				fill_info(&infos[slot], cache);
				return slot + 1;
			}
		}
		if ((key & ~MM_CACHE_ACCOUNTED) == (unsigned long)cache)
			return slot + 1;
	}
	return 0;
}

/*
 * The kernel releases a cache: no allocation nor free of it comes any more.
 *
 * Context: any.
 */
void mm_cache_retire(const struct kmem_cache *cache)
{
	u32 slot = mm_cache_hash(cache);

	for (u32 tries = 0; tries < MAX_TRIES; tries++, slot = (slot + 1) % MM_CACHE_SLOTS) {
		unsigned long key = READ_ONCE(mm_cache_keys[slot]);

		if (!key)
			return;
		if ((key & ~MM_CACHE_ACCOUNTED) != (unsigned long)cache)
			continue;
		WRITE_ONCE(infos[slot].alive, false);
		WRITE_ONCE(mm_cache_keys[slot], CLOSED);
		return;
	}
}

/* Context: any. */
void mm_cache_alias(const struct kmem_cache *cache, const char *name)
{
	bool accounted;
	u32 number = mm_cache_number(cache, &accounted);
	int index;

	for (int i = 0; i < MAX_ALIASES && aliases[i].number; i++)
		if (aliases[i].number == number && !strcmp(aliases[i].name, name))
			return;
	index = atomic_fetch_add_unless(&alias_count, 1, MAX_ALIASES);
	if (index == MAX_ALIASES)
		return;
	strscpy(aliases[index].name, name, NAME_BYTES);
	smp_store_release(&aliases[index].number, number);
}

const char *mm_cache_alias_state(unsigned int index, u32 *number)
{
	if (index >= MAX_ALIASES)
		return NULL;
	*number = smp_load_acquire(&aliases[index].number);
	return *number ? aliases[index].name : NULL;
}

bool mm_cache_state(unsigned int index, struct mm_cache_state *state)
{
	const struct info *info = &infos[index];

	if (index >= MM_CACHE_SLOTS)
		return false;
	state->number = 0;
	if (!smp_load_acquire(&info->ready))
		return true;
	*state = (struct mm_cache_state){
		.name = info->name,
		.number = index + 1,
		.object_size = info->object_size,
		.size = info->size,
		.align = info->align,
		.accounted = info->accounted,
		.alive = READ_ONCE(info->alive),
	};
	return true;
}

/* The caches there are, so that the first state dump names them all. */
static void add_known_caches(void)
{
	struct list_head *caches = (void *)wrapper_kallsyms_lookup_name("slab_caches"), *node;
	struct mutex *mutex = (void *)wrapper_kallsyms_lookup_name("slab_mutex");
	bool accounted;

	if (!caches || !mutex || layout.list < 0) {
		pr_info("lttng-probe-slab: caches are named when they are first used\n");
		return;
	}
	mutex_lock(mutex);
	list_for_each(node, caches)
		mm_cache_find((const void *)((const u8 *)node - layout.list), &accounted);
	mutex_unlock(mutex);
}

int mm_caches_init(void)
{
	mm_cache_keys = vzalloc(array_size(MM_CACHE_SLOTS, sizeof(*mm_cache_keys)));
	infos = vzalloc(array_size(MM_CACHE_SLOTS, sizeof(*infos)));
	if (!mm_cache_keys || !infos) {
		mm_caches_exit();
		return -ENOMEM;
	}
	if (mm_btf_cache_layout(&layout))
		pr_warn("lttng-probe-slab: no kmem_cache in this kernel's BTF: names are unknown\n");
	add_known_caches();
	return 0;
}

void mm_caches_exit(void)
{
	vfree(mm_cache_keys);
	vfree(infos);
}
