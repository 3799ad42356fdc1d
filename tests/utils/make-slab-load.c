// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints a script of many slab events for make-trace. Objects are allocated and freed:
 *
 *   make-slab-load [--live OBJECTS] [--fill] EVENTS
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GFP_KERNEL "IO|FS|DIRECT_RECLAIM|KSWAPD_RECLAIM"

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Returns a random number below 2^@bits, mostly a small one. */
static uint64_t skewed(uint64_t r, unsigned int bits)
{
	return (r & ((1ull << bits) - 1)) >> (r >> 32) % bits;
}

#define LOAD_CACHES 64u /* every second one represents a size class of kmalloc() */

/*
 * A cache's objects: first the live objects, in the order of their allocation, then the free
 * objects, most recently freed first.
 */
static struct {
	uint32_t *objects;
	uint64_t live;
} load_caches[LOAD_CACHES];

static void print_event(unsigned int cpu, uint64_t thread, uint64_t site, bool free_it,
			uint64_t cache, uint64_t object, uint64_t time)
{
	static const char *const names[] = { "slab_kmalloc", "slab_kfree", "slab_cache_alloc",
					     "slab_cache_free" };
	static unsigned int last;
	unsigned int kind = (cache & 1 ? 2 : 0) + free_it;

	if (cpu != last)
		printf("cpu %u\n", last = cpu);
	printf("%" PRIu64 " %s tid=%" PRIu64 " call_site=%" PRIu64 " ptr=%" PRIu64, time,
	       names[kind], 1000 + thread, site * 4096 + 64 + free_it * UINT64_C(2048),
	       (1u << 24) + object * 64);
	if (!kind)
		printf(" bytes_req=%" PRIu64 " size_class=6 gfp_flags=" GFP_KERNEL "\n",
		       33 + (site & 31));
	else if (kind == 1)
		printf("\n");
	else
		printf(" cache=%" PRIu64 "%s\n", 1 + cache,
		       kind == 2 ? " gfp_flags=" GFP_KERNEL : "");
}

/* Frees a live object, mostly a recent one, or allocates the most recently freed object. */
static uint64_t take_object(uint64_t cache, bool free_it, uint64_t r)
{
	uint32_t *objects = load_caches[cache].objects, object;
	uint64_t live = load_caches[cache].live, at = live - 1 - (r >> 20) % (r & 7 ? 8 : live + 1);

	if (!free_it)
		return objects[load_caches[cache].live++];
	if (at >= live)
		at = live - 1;
	object = objects[at];
	objects[at] = objects[--load_caches[cache].live];
	objects[load_caches[cache].live] = object;
	return object;
}

/*
 * Prints the events of two CPUs. On each, threads alternate after about 300 events. A thread mostly
 * uses a few caches and a few call sites. On average, half of @live addresses are live. If @fill is
 * true, each address is first allocated once.
 */
static void print_load(uint64_t count, uint64_t live, bool fill)
{
	uint64_t each = live / LOAD_CACHES, time = 1000000000, threads[2] = { 1, 2 };

	for (uint64_t i = 0; i < LOAD_CACHES; i++) {
		load_caches[i].objects = calloc(each, sizeof(*load_caches[i].objects));
		if (!load_caches[i].objects) {
			fputs("make-slab-load: out of memory\n", stderr);
			exit(2);
		}
		for (uint64_t j = 0; j < each; j++)
			load_caches[i].objects[j] = (uint32_t)(j * LOAD_CACHES + i);
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t r = next_random(), cpu = r >> 60 & 1, *thread = &threads[cpu], cache, at;
		bool free_it;

		if (r >> 10 & 255)
			cache = (*thread * 7 + skewed(r >> 20, 4)) % LOAD_CACHES;
		else
			cache = r >> 50 & (LOAD_CACHES - 1);
		if (!(r >> 52 & 255))
			*thread = skewed(next_random(), 7);
		at = load_caches[cache].live;
		if (fill && i < live) {
			cache = i % LOAD_CACHES;
			at = 0;
		}
		free_it = at && (at == each || next_random() % each < (at + each / 2) / 2);
		time += 50 + (r >> 40 & 255);
		print_event((unsigned int)cpu, *thread,
			    cache * 8 + (*thread & 3) + (r >> 62 & 1) * 4, free_it, cache,
			    take_object(cache, free_it, r), time);
	}
	for (uint64_t i = 0; i < LOAD_CACHES; i++)
		free(load_caches[i].objects);
}

int main(int argc, char **argv)
{
	uint64_t live = 65536;
	bool fill = false;
	int at = 1;

	for (; at < argc - 1; at++) {
		if (!strcmp(argv[at], "--live") && at < argc - 2)
			live = strtoull(argv[++at], NULL, 0);
		else if (!strcmp(argv[at], "--fill"))
			fill = true;
		else
			break;
	}
	if (at != argc - 1) {
		fprintf(stderr, "usage: make-slab-load [--live OBJECTS] [--fill] EVENTS\n");
		return 2;
	}
	print_load(strtoull(argv[at], NULL, 0), live, fill);
	return fflush(stdout) ? 2 : 0;
}
