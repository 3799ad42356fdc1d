// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares ftrace's kmem events with the events of lttng-probe-slab in the same boot, including all
 * fields. Compares all events of the given threads, and all events of the test module in any
 * context.
 *
 * An interrupt between the callbacks of the two recorders swaps two events, so the comparison
 * ignores the order: each event becomes a line, and the lines of both recorders are sorted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrumentation/wire/slab.h"
#include "tests/tap.h"
#include "tests/kernel/trace-events.h"

enum { CODES = 4096, CACHES = 8192, LINE = 240 };

struct call_site_range {
	uint64_t code, size, base;
	char name[64];
};

static struct {
	struct call_site_range code[CODES];
	size_t codes;
	uint64_t object_size[CACHES], size[CACHES];
	uint64_t direct_map, module_start, module_end;
	char **tids;
	int tid_count;
} world;

/* The lines of one recorder. */
struct line_list {
	char (*line)[LINE];
	size_t count, room;
};

static char *add_line(struct line_list *lines)
{
	if (lines->count == lines->room) {
		lines->room = lines->room ? lines->room * 2 : 4096;
		lines->line = realloc(lines->line, lines->room * LINE);
		if (!lines->line)
			abort();
	}
	return lines->line[lines->count++];
}

static int by_line(const void *a, const void *b)
{
	return strcmp(a, b);
}

/*
 * callsite_statedump_range: { cpu_id = 0 }, { start = 0x0, size = 1, alive = 1, name = "kernel" }
 */
static void load_ranges(const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL, *at;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		struct call_site_range *code = &world.code[world.codes];
		int alive;

		at = strstr(line, "callsite_statedump_range: ");
		at = at ? strstr(at, "start = ") : NULL;
		if (at && world.codes < CODES &&
		    sscanf(at,
			   "start = %" SCNx64 ", size = %" SCNu64 ", alive = %d, name = \"%63[^\"]",
			   &code->code, &code->size, &alive, code->name) == 4 &&
		    alive)
			world.codes++;
	}
	free(line);
	if (file)
		fclose(file);
}

/* /proc/modules: "slab_workload 16384 0 - Live 0xffffffffc0123000 (OE)" */
static void load_modules(const char *path, uint64_t stext)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		uint64_t base;
		char name[64];

		if (sscanf(line, "%63s %*s %*s %*s %*s %" SCNx64, name, &base) != 2)
			continue;
		for (size_t i = 0; i < world.codes; i++)
			if (!strcmp(world.code[i].name, name))
				world.code[i].base = base;
	}
	free(line);
	if (file)
		fclose(file);
	for (size_t i = 0; i < world.codes; i++) {
		if (!strcmp(world.code[i].name, "kernel"))
			world.code[i].base = stext;
		if (!strcmp(world.code[i].name, "slab_workload")) {
			world.module_start = world.code[i].base;
			world.module_end = world.code[i].base + world.code[i].size;
		}
	}
}

static uint64_t address_of(uint64_t code)
{
	for (size_t i = 0; i < world.codes; i++)
		if (code >= world.code[i].code && code - world.code[i].code < world.code[i].size)
			return world.code[i].base + code - world.code[i].code;
	return code ? 1 : 0;
}

static bool is_wanted(const struct trace_event *event, uint64_t site)
{
	if (site >= world.module_start && site < world.module_end)
		return true;
	for (int i = 0; i < world.tid_count; i++)
		if (event->tid == atoi(world.tids[i]))
			return true;
	return false;
}

#define GET(field) trace_event_get(event, field)

static void add_ftrace(struct line_list *lines, const struct trace_event *event)
{
	uint64_t site = GET("call_site"), ptr = GET("ptr");
	const char *name = event->name;

	if (!is_wanted(event, site))
		return;
	if (!strcmp(name, "kmalloc")) {
		/*
		 * A large allocation has two events. The inner one has a call site in the outer
		 * function.
		 */
		if (GET("bytes_req") > 8192 &&
		    !(site >= world.module_start && site < world.module_end))
			return;
		snprintf(add_line(lines), LINE,
			 "%u kmalloc tid=%d site=%" PRIx64 " ptr=%" PRIx64 " req=%" PRIu64
			 " alloc=%" PRIu64 " gfp=%" PRIx64 " node=%d",
			 event->cpu, event->tid, site, ptr, GET("bytes_req"),
			 ptr ? GET("bytes_alloc") : 0, GET("gfp_flags"), (int)GET("node"));
	} else if (!strcmp(name, "kfree")) {
		/* Ignore NULL and the zero-size pointer. */
		if (ptr > 16)
			snprintf(add_line(lines), LINE,
				 "%u kfree tid=%d site=%" PRIx64 " ptr=%" PRIx64, event->cpu,
				 event->tid, site, ptr);
	} else if (!strcmp(name, "kmem_cache_alloc")) {
		snprintf(add_line(lines), LINE,
			 "%u cache_alloc tid=%d site=%" PRIx64 " ptr=%" PRIx64 " req=%" PRIu64
			 " alloc=%" PRIu64 " gfp=%" PRIx64 " node=%d accounted=%d",
			 event->cpu, event->tid, site, ptr, GET("bytes_req"), GET("bytes_alloc"),
			 GET("gfp_flags"), (int)GET("node"), (int)GET("accounted"));
	} else if (!strcmp(name, "kmem_cache_free")) {
		snprintf(add_line(lines), LINE,
			 "%u cache_free tid=%d site=%" PRIx64 " ptr=%" PRIx64, event->cpu,
			 event->tid, site, ptr);
	} else if (!strcmp(name, "mm_page_alloc")) {
		bool failed = GET("pfn") == UINT64_MAX;

		snprintf(add_line(lines), LINE,
			 "%u page_alloc tid=%d pfn=%" PRIx64 " order=%d type=%d "
			 "gfp=%" PRIx64,
			 event->cpu, event->tid, failed ? 0 : GET("pfn"), (int)GET("order"),
			 (int)GET("migratetype"), GET("gfp_flags"));
	} else if (!strcmp(name, "mm_page_free")) {
		snprintf(add_line(lines), LINE, "%u page_free tid=%d pfn=%" PRIx64 " order=%d",
			 event->cpu, event->tid, GET("pfn"), (int)GET("order"));
	} else if (!strcmp(name, "mm_page_free_batched")) {
		snprintf(add_line(lines), LINE, "%u page_free_batched tid=%d pfn=%" PRIx64,
			 event->cpu, event->tid, GET("pfn"));
	}
}

#define CLASS_BYTES(number, bytes, label) [number] = (bytes),

/* Returns the bytes of a packed event's size class. */
static uint64_t class_bytes(uint64_t class)
{
	static const uint16_t bytes_of[LTTNG_MM_SLAB_SIZE_CLASS_COUNT] = {
		LTTNG_MM_SLAB_SIZE_CLASSES(CLASS_BYTES)
	};

	return class < LTTNG_MM_SLAB_SIZE_CLASS_COUNT ? bytes_of[class] : 0;
}

static bool starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static void add_lttng(struct line_list *lines, const struct trace_event *event)
{
	uint64_t site = address_of(GET("call_site")), ptr = GET("ptr") + world.direct_map;
	uint64_t cache = GET("cache") < CACHES ? GET("cache") : 0;
	const char *name = event->name;
	int node = trace_event_has(event, "node") ? (int)GET("node") : -1;

	if (!is_wanted(event, site))
		return;
	if (!trace_event_has(event, "ptr"))
		ptr = 0;
	if (starts(name, "slab_kmalloc")) {
		uint64_t bytes = trace_event_has(event, "size_class")
					 ? class_bytes(GET("size_class"))
					 : GET("bytes_alloc");

		snprintf(add_line(lines), LINE,
			 "%u kmalloc tid=%d site=%" PRIx64 " ptr=%" PRIx64 " req=%" PRIu64
			 " alloc=%" PRIu64 " gfp=%" PRIx64 " node=%d",
			 event->cpu, event->tid, site, ptr, GET("bytes_req"), bytes,
			 GET("gfp_flags"), node);
	} else if (!strcmp(name, "slab_kfree") || !strcmp(name, "slab_kfree_wide")) {
		snprintf(add_line(lines), LINE, "%u kfree tid=%d site=%" PRIx64 " ptr=%" PRIx64,
			 event->cpu, event->tid, site, ptr);
	} else if (starts(name, "slab_cache_alloc")) {
		snprintf(add_line(lines), LINE,
			 "%u cache_alloc tid=%d site=%" PRIx64 " ptr=%" PRIx64 " req=%" PRIu64
			 " alloc=%" PRIu64 " gfp=%" PRIx64 " node=%d accounted=%d",
			 event->cpu, event->tid, site, ptr, world.object_size[cache],
			 world.size[cache], GET("gfp_flags"), node, (int)GET("accounted"));
	} else if (starts(name, "slab_cache_free")) {
		snprintf(add_line(lines), LINE,
			 "%u cache_free tid=%d site=%" PRIx64 " ptr=%" PRIx64, event->cpu,
			 event->tid, site, ptr);
	} else if (!strcmp(name, "page_alloc") || !strcmp(name, "page_alloc_failed")) {
		snprintf(add_line(lines), LINE,
			 "%u page_alloc tid=%d pfn=%" PRIx64 " order=%d type=%d "
			 "gfp=%" PRIx64,
			 event->cpu, event->tid, GET("pfn"), (int)GET("order"),
			 (int)GET("migrate_type"), GET("gfp_flags"));
	} else if (!strcmp(name, "page_free")) {
		snprintf(add_line(lines), LINE, "%u page_free tid=%d pfn=%" PRIx64 " order=%d",
			 event->cpu, event->tid, GET("pfn"), (int)GET("order"));
	} else if (!strcmp(name, "page_free_batched")) {
		snprintf(add_line(lines), LINE, "%u page_free_batched tid=%d pfn=%" PRIx64,
			 event->cpu, event->tid, GET("pfn"));
	}
}

static void compare(struct line_list *ftrace, struct line_list *lttng)
{
	size_t a = 0, b = 0;

	if (ftrace->count)
		qsort(ftrace->line, ftrace->count, LINE, by_line);
	if (lttng->count)
		qsort(lttng->line, lttng->count, LINE, by_line);
	while (a < ftrace->count || b < lttng->count) {
		int order = a == ftrace->count	? 1
			    : b == lttng->count ? -1
						: strcmp(ftrace->line[a], lttng->line[b]);

		if (!order) {
			a++;
			b++;
			continue;
		}
		tap_differ("only in %s: %s", order < 0 ? "ftrace" : "LTTng",
			   order < 0 ? ftrace->line[a] : lttng->line[b]);
		if (order < 0)
			a++;
		else
			b++;
	}
	printf("# %zu events in ftrace, %zu in LTTng\n", ftrace->count, lttng->count);
}

int main(int argc, char **argv)
{
	struct trace_events ftrace = { 0 }, lttng = { 0 };
	struct line_list lines[2] = { 0 };
	int status = 2;

	if (argc < 6) {
		fputs("Usage: compare-slab FTRACE-DIR BABELTRACE2-TEXT PROC-MODULES STEXT DIRECT-MAP "
		      "TID...\nBABELTRACE2-TEXT is the output of: babeltrace2 --clock-cycles --no-delta TRACE\n",
		      stderr);
		return 2;
	}
	load_ranges(argv[2]);
	load_modules(argv[3], strtoull(argv[4], NULL, 16));
	world.direct_map = strtoull(argv[5], NULL, 16);
	world.tids = argv + 6;
	world.tid_count = argc - 6;
	if (!world.module_start) {
		fputs("the trace has no code range of slab_workload\n", stderr);
		return 2;
	}
	if (trace_events_load_ftrace(&ftrace, argv[1]) < 0 ||
	    trace_events_load_text(&lttng, argv[2]) < 0)
		goto end;
	for (size_t i = 0; i < lttng.count; i++) {
		const struct trace_event *event = &lttng.event[i];

		if (strcmp(event->name, "slab_statedump_cache") || GET("cache") >= CACHES)
			continue;
		world.object_size[GET("cache")] = GET("object_size");
		world.size[GET("cache")] = GET("size");
	}
	for (size_t i = 0; i < ftrace.count; i++)
		add_ftrace(&lines[0], &ftrace.event[i]);
	for (size_t i = 0; i < lttng.count; i++)
		add_lttng(&lines[1], &lttng.event[i]);
	compare(&lines[0], &lines[1]);
	if (ftrace.lost)
		tap_differ("ftrace lost events");
	status = tap_verdict("events", lines[0].count);
end:
	free(lines[0].line);
	free(lines[1].line);
	trace_events_free(&ftrace);
	trace_events_free(&lttng);
	return status;
}
