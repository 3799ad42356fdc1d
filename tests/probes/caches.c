// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the slab probe's cache table (probes/slab/caches.c) in user space: numbers, reused slots,
 * names and aliases, and CPUs that concurrently see the same new caches.
 */
#include "tests/probes/kernel.h"

#include <sched.h>

#include "instrumentation/wire/slab.h"
#include "tests/tap.h"

/* Made by tests/analysis/probe-caches.sh from the probe's sources, without #include lines. */
#include "probe-caches.h"

enum { MANY = 20000, THREADS = 4, ROUNDS = 300, AT_ONCE = 40 };

int lttng_mm_btf_cache_layout(struct lttng_mm_cache_layout *kernel)
{
	*kernel = (struct lttng_mm_cache_layout){
		.name = offsetof(struct kmem_cache, name),
		.object_size = offsetof(struct kmem_cache, object_size),
		.size = offsetof(struct kmem_cache, size),
		.align = offsetof(struct kmem_cache, align),
		.flags = offsetof(struct kmem_cache, flags),
		.list = offsetof(struct kmem_cache, list),
	};
	return 0;
}

static void run_work(void)
{
	if (__atomic_exchange_n(&work_is_due, false, __ATOMIC_SEQ_CST)) {
		refill(&refill_work);
		evict(&evict_work);
	}
}

static u32 number_of(const struct kmem_cache *cache)
{
	bool accounted;

	return lttng_mm_cache_number(cache, &accounted);
}

static unsigned int listed(bool released)
{
	const struct lttng_mm_cache *entry = NULL;
	unsigned int count = 0;

	while ((entry = lttng_mm_cache_next(entry)))
		count += lttng_mm_cache_is_released(entry) == released;
	return count;
}

static const struct lttng_mm_cache *entry_of(u32 number)
{
	const struct lttng_mm_cache *entry = NULL;

	while ((entry = lttng_mm_cache_next(entry)) && entry->number != number)
		;
	return entry;
}

static void setup(void)
{
	memset(aliases, 0, sizeof(aliases));
	alias_count.counter = 0;
	memset(spares, 0, sizeof(spares));
	lttng_mm_caches_init();
}

static void end(const char *what)
{
	lttng_mm_caches_exit();
	tap(allocated == 0, "%s: all memory is freed", what);
}

/* Creates and releases COUNT caches one after another, at PLACES addresses in turn. */
static void come_and_go(const char *what, struct kmem_cache *caches, unsigned int count,
			unsigned int places)
{
	unsigned int none = 0, again = 0, lost = 0;
	u32 last = 0;

	setup();
	for (unsigned int i = 0; i < count; i++) {
		struct kmem_cache *cache = &caches[i % places];
		u32 number = number_of(cache);

		none += !number;
		again += number && number <= last;
		lost += number_of(cache) != number;
		if (number)
			last = number;
		lttng_mm_cache_retire(cache);
		run_work();
	}
	tap(!none, "%s: each cache has a number (%u have none)", what, none);
	tap(!again, "%s: no two caches have the same number (%u have)", what, again);
	tap(!lost, "%s: each cache keeps its number (%u do not)", what, lost);
	tap(listed(false) == 0, "%s: none is left", what);
	tap(listed(true) >= (count < MAX_RELEASED ? count : MAX_RELEASED) &&
		    listed(true) <= MAX_RELEASED + SPARES,
	    "%s: the last released caches still have names (%u)", what, listed(true));
	end(what);
}

/*
 * Tests a cache that is released after many newer caches. The table must then keep its name for as
 * long as it keeps the name of a newer cache after that cache's release.
 */
static void released_last(struct kmem_cache *caches)
{
	const struct lttng_mm_cache *entry;
	u32 number;

	setup();
	number = number_of(&caches[0]);
	for (unsigned int i = 0; i < 2 * MAX_RELEASED; i++) {
		number_of(&caches[1]);
		lttng_mm_cache_retire(&caches[1]);
		run_work();
	}
	lttng_mm_cache_retire(&caches[0]);
	for (unsigned int i = 0; i < MAX_RELEASED - 1; i++) {
		number_of(&caches[1]);
		lttng_mm_cache_retire(&caches[1]);
		run_work();
	}
	entry = entry_of(number);
	tap(entry && lttng_mm_cache_is_released(entry),
	    "an old cache: it keeps its name after its release as long as a new one");
	for (unsigned int i = 0; i < SPARES; i++) {
		number_of(&caches[1]);
		lttng_mm_cache_retire(&caches[1]);
		run_work();
	}
	tap(!entry_of(number), "an old cache: ... and then loses it");
	end("an old cache");
}

static void too_many_at_once(struct kmem_cache *caches)
{
	unsigned int none = 0, changed = 0, wrong = 0;
	static u32 numbers[2 * LTTNG_MM_CACHE_SLOTS];
	bool accounted;

	setup();
	for (unsigned int i = 0; i < 2 * LTTNG_MM_CACHE_SLOTS; i++) {
		caches[i].flags = i % 2 ? SLAB_ACCOUNT : 0;
		numbers[i] = number_of(&caches[i]);
		none += !numbers[i];
		run_work();
	}
	for (unsigned int i = 0; i < 2 * LTTNG_MM_CACHE_SLOTS; i++) {
		changed += lttng_mm_cache_number(&caches[i], &accounted) != numbers[i];
		wrong += accounted != i % 2;
		run_work();
	}
	tap(none >= LTTNG_MM_CACHE_SLOTS && none < 2 * LTTNG_MM_CACHE_SLOTS,
	    "full: further caches have no number");
	tap(!changed, "full: caches with a number keep it (%u do not)", changed);
	tap(!wrong, "full: all caches still show if they are accounted (%u do not)", wrong);
	for (unsigned int i = 0; i < 2 * LTTNG_MM_CACHE_SLOTS; i++)
		if (numbers[i])
			lttng_mm_cache_retire(&caches[i]);
	none = 0;
	for (unsigned int i = 0; i < 1000; i++) {
		none += !numbers[i] && !number_of(&caches[i]);
		run_work();
	}
	tap(!none, "full: further caches get a number when others are released (%u do not)", none);
	for (unsigned int i = 0; i < 2 * LTTNG_MM_CACHE_SLOTS; i++)
		caches[i].flags = 0;
	end("full");
}

static void no_memory(struct kmem_cache *caches)
{
	unsigned int none = 0;
	u32 number;

	setup();
	for (unsigned int i = 0; i < SPARES; i++)
		none += !number_of(&caches[i]);
	tap(!none && !number_of(&caches[SPARES]),
	    "entries: a cache without an entry has no number");
	lttng_mm_cache_alias(&caches[SPARES], "of-none");
	tap(!lttng_mm_cache_alias_state(0, &number), "entries: ... and its aliases are not stored");
	run_work();
	tap(number_of(&caches[SPARES]) > SPARES, "entries: it gets a number when an entry is free");
	end("entries");
}

static void names(struct kmem_cache *caches)
{
	static char name[4][300];
	const struct lttng_mm_cache *entry[4];
	u32 number;
	bool complete, truncated;

	setup();
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int length = i < 2 ? LTTNG_MM_CACHE_NAME_BYTES - 1 : 299;

		memset(name[i], 'x', length);
		name[i][length - 1] = (char)('0' + i % 2);
		caches[i].name = name[i];
		entry[i] = entry_of(number_of(&caches[i]));
	}
	complete = !strcmp(entry[0]->name, name[0]) && !strcmp(entry[1]->name, name[1]);
	tap(complete, "names: the longest name that fits is complete");
	truncated = strlen(entry[2]->name) == LTTNG_MM_CACHE_NAME_BYTES - 1 &&
		    strlen(entry[3]->name) == LTTNG_MM_CACHE_NAME_BYTES - 1 &&
		    strcmp(entry[2]->name, entry[3]->name) && strstr(entry[2]->name, "xxx...#");
	tap(truncated, "names: longer names that differ at the end stay different: %s",
	    entry[2]->name);

	for (unsigned int i = 0; i < 8; i++)
		lttng_mm_cache_alias(&caches[0], name[i % 4]);
	tap(lttng_mm_cache_alias_state(3, &number) && !lttng_mm_cache_alias_state(4, &number),
	    "aliases: each of four is stored once");
	/* Another CPU is writing the entry. */
	aliases[1].number = 0;
	lttng_mm_cache_alias(&caches[0], name[3]);
	tap(lttng_mm_cache_alias_state(3, &number) && number == entry[0]->number &&
		    !lttng_mm_cache_alias_state(4, &number),
	    "aliases: an alias that is not published yet hides no other one");
	tap(lttng_mm_cache_alias_state(1, &number) && !number,
	    "aliases: ... and is told apart from them");
	for (unsigned int i = 0; i < 4; i++)
		caches[i].name = "cache";
	end("names");
}

static struct kmem_cache *shared;
static pthread_barrier_t barrier;
static u32 seen[THREADS][AT_ONCE];
static bool ended, eviction_is_due;

static void *see(void *of_thread)
{
	u32 *numbers = of_thread;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		for (unsigned int i = 0; i < AT_ONCE; i++) {
			pthread_rwlock_rdlock(&rcu);
			numbers[i] = number_of(&shared[i]);
			pthread_rwlock_unlock(&rcu);
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *refill_on_demand(void *unused)
{
	while (!READ_ONCE(ended))
		if (__atomic_exchange_n(&work_is_due, false, __ATOMIC_SEQ_CST)) {
			WRITE_ONCE(eviction_is_due, true);
			refill(&refill_work);
		} else {
			sched_yield();
		}
	return NULL;
}

static void *evict_on_demand(void *unused)
{
	while (!READ_ONCE(ended))
		if (__atomic_exchange_n(&eviction_is_due, false, __ATOMIC_SEQ_CST))
			evict(&evict_work);
		else
			sched_yield();
	return NULL;
}

/*
 * Returns the cache's number after the threads have finished. A cache that found no entry or no
 * slot gets its number soon afterwards, so this function waits for the number.
 */
static u32 settled_number(const struct kmem_cache *cache)
{
	u32 number = 0;

	for (unsigned int tries = 0; tries < 100000 && !number; tries++) {
		pthread_rwlock_rdlock(&rcu);
		number = number_of(cache);
		pthread_rwlock_unlock(&rcu);
		if (!number)
			sched_yield();
	}
	return number;
}

/*
 * Threads concurrently see the same new caches, at addresses that change from round to round. If
 * @full, the table has no empty slot.
 */
static void race(const char *what, struct kmem_cache *caches, bool full)
{
	unsigned int differ = 0, without = 0, again = 0, unsettled = 0;
	pthread_t threads[THREADS], refilling, evicting;
	u32 most;

	setup();
	for (unsigned int i = 0; full && i < MANY; i++) {
		number_of(&caches[i]);
		lttng_mm_cache_retire(&caches[i]);
		run_work();
	}
	most = (u32)last_number.counter;
	ended = false;
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	pthread_create(&refilling, NULL, refill_on_demand, NULL);
	pthread_create(&evicting, NULL, evict_on_demand, NULL);
	shared = caches;
	for (unsigned int t = 0; t < THREADS; t++)
		pthread_create(&threads[t], NULL, see, seen[t]);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		u32 newest = most;

		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		for (unsigned int i = 0; i < AT_ONCE; i++) {
			u32 number = settled_number(&shared[i]);

			for (unsigned int t = 0; t < THREADS; t++) {
				differ += seen[t][i] && seen[t][i] != number;
				without += !seen[t][i];
			}
			unsettled += !number;
			again += number && number <= most;
			newest = number > newest ? number : newest;
		}
		most = newest;
		for (unsigned int i = 0; i < AT_ONCE; i++)
			lttng_mm_cache_retire(&shared[i]);
		shared = caches + round * 7 % (full ? 300 : 10) * AT_ONCE;
	}
	for (unsigned int t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	WRITE_ONCE(ended, true);
	pthread_join(refilling, NULL);
	pthread_join(evicting, NULL);
	pthread_barrier_destroy(&barrier);
	tap(!differ, "%s: all threads see the same number of a cache (%u do not)", what, differ);
	tap(!unsettled, "%s: each cache has a number (%u have none)", what, unsettled);
	tap(!again, "%s: no number is left from an earlier round (%u are)", what, again);
	tap(listed(false) == 0, "%s: each cache has one entry (%u are left)", what, listed(false));
	printf("# %u of %u found no entry or no slot at first\n", without,
	       ROUNDS * THREADS * AT_ONCE);
	end(what);
}

/*
 * Tests the last cache numbers. They have 32 bits, like the widest field of the events. When all
 * numbers are used, further caches must not get one.
 */
static void numbers_end(struct kmem_cache *caches)
{
	const int before = last_number.counter;
	u32 numbers[6];

	setup();
	last_number.counter = 65533;
	for (unsigned int i = 0; i < 6; i++)
		numbers[i] = number_of(&caches[i]);
	tap(numbers[0] == 65534 && numbers[5] == 65539,
	    "numbers: continue beyond 16 bits (%u to %u)", numbers[0], numbers[5]);
	last_number.counter = -4;
	for (unsigned int i = 0; i < 6; i++)
		numbers[i] = number_of(&caches[10 + i]);
	tap(numbers[0] == 0xfffffffd && numbers[2] == 0xffffffff,
	    "numbers: to the last one of 32 bits (%u)", numbers[2]);
	tap(!numbers[3] && !numbers[4] && !numbers[5], "numbers: no number after it (%u, %u, %u)",
	    numbers[3], numbers[4], numbers[5]);
	tap(number_of(&caches[10]) == numbers[0] && !number_of(&caches[13]),
	    "numbers: caches with a number keep it, others get none");
	end("numbers");
	last_number.counter = before;
}

int main(void)
{
	struct kmem_cache *caches = aligned_alloc(64, MANY * sizeof(*caches));

	if (!caches)
		return 2;
	for (unsigned int i = 0; i < MANY; i++)
		caches[i] = (struct kmem_cache){ .name = "cache", .object_size = 40, .size = 64 };
	come_and_go("one address", caches, 5000, 1);
	come_and_go("some addresses", caches, 5000, 7);
	come_and_go("more addresses than slots", caches, MANY, MANY);
	released_last(caches);
	too_many_at_once(caches);
	no_memory(caches);
	names(caches);
	numbers_end(caches);
	race("race", caches, false);
	race("race, slots used before", caches, true);
	free(caches);
	return tap_status();
}
