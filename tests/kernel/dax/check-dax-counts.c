// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares the counts that dax-workload expects with the events that a recorder wrote, file by
 * file.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/kernel/trace-events.h"

/* include/linux/mm_types.h; unchanged since 5.1 */
#define RESULT_SIGBUS 0x2
#define RESULT_NOPAGE 0x100
#define RESULT_FALLBACK 0x800
#define RESULT_DONE_COW 0x1000
#define RESULT_NEEDDSYNC 0x2000
#define FLAG_MKWRITE 0x2

enum { NAMES = 18 };

static const char *const names[NAMES] = {
	"pmd",	       "pmd_mapped",	    "pmd_needdsync", "pmd_sigbus", "pmd_fallback",
	"pmd_hole",    "pmd_hole_fallback", "pte",	     "pte_mapped", "pte_mkwrite",
	"pte_cow",     "pte_needdsync",	    "pte_sigbus",    "pte_hole",   "pte_alone",
	"sync_insert", "writeback_range",   "writeback_one",
};

static void count(uint64_t counts[NAMES], const char *name)
{
	for (int i = 0; i < NAMES; i++)
		if (!strcmp(names[i], name))
			counts[i]++;
}

static bool is(const struct trace_event *event, const char *name)
{
	return !strcmp(event->name, name);
}

/* Did the same thread's previous fault event report a fallback at the same address? */
static bool huge_fault_before(const struct trace_events *events, size_t index)
{
	const struct trace_event *pte = &events->event[index];

	while (index-- > 0) {
		const struct trace_event *event = &events->event[index];

		if (event->tid != pte->tid)
			continue;
		if (is(event, "dax_pmd_fault_done"))
			return (trace_event_get(event, "result") & RESULT_FALLBACK) &&
			       trace_event_get(event, "address") == trace_event_get(pte, "address");
		if (is(event, "dax_pte_fault_done"))
			return false;
	}
	return false;
}

static void count_done(uint64_t counts[NAMES], const struct trace_event *event, bool pmd)
{
	uint64_t result = trace_event_get(event, "result");

	if (result & RESULT_FALLBACK)
		count(counts, "pmd_fallback");
	else if (result & RESULT_NEEDDSYNC)
		count(counts, pmd ? "pmd_needdsync" : "pte_needdsync");
	else if (result & RESULT_SIGBUS)
		count(counts, pmd ? "pmd_sigbus" : "pte_sigbus");
	else if (result & RESULT_DONE_COW)
		count(counts, "pte_cow");
	else if (result & RESULT_NOPAGE)
		count(counts, pmd ? "pmd_mapped" : "pte_mapped");
	if (!pmd && (trace_event_get(event, "flags") & FLAG_MKWRITE))
		count(counts, "pte_mkwrite");
}

static void count_file(const struct trace_events *events, uint64_t device, uint64_t ino,
		       uint64_t counts[NAMES])
{
	static const char *const plain[][2] = {
		{ "dax_pmd_fault", "pmd" },
		{ "dax_pte_fault", "pte" },
		{ "dax_pmd_load_hole", "pmd_hole" },
		{ "dax_pmd_load_hole_fallback", "pmd_hole_fallback" },
		{ "dax_load_hole", "pte_hole" },
		{ "dax_insert_pfn_mkwrite", "sync_insert" },
		{ "dax_writeback_range", "writeback_range" },
		{ "dax_writeback_one", "writeback_one" },
	};

	for (size_t i = 0; i < events->count; i++) {
		const struct trace_event *event = &events->event[i];

		if (trace_event_get(event, "ino") != ino || trace_event_device(event) != device)
			continue;
		for (size_t p = 0; p < sizeof(plain) / sizeof(plain[0]); p++)
			if (is(event, plain[p][0]))
				count(counts, plain[p][1]);
		if (is(event, "dax_pmd_fault_done"))
			count_done(counts, event, true);
		else if (is(event, "dax_pte_fault_done"))
			count_done(counts, event, false);
		else if (is(event, "dax_pte_fault") && !huge_fault_before(events, i))
			count(counts, "pte_alone");
	}
}

static void check_scenario(const struct trace_events *events, const json_t *scenario,
			   uint64_t device)
{
	const char *name = json_string_value(json_object_get(scenario, "name"));
	const json_t *counts = json_object_get(scenario, "counts");
	uint64_t ino = (uint64_t)json_integer_value(json_object_get(scenario, "ino"));
	uint64_t seen[NAMES] = { 0 };

	count_file(events, device, ino, seen);
	if (!json_is_true(json_object_get(scenario, "exact"))) {
		printf("# %s: %" PRIu64 " pmd, %" PRIu64 " fallbacks, %" PRIu64 " pte\n", name,
		       seen[0], seen[4], seen[7]);
		return;
	}
	for (int i = 0; i < NAMES; i++)
		tap_compare(name, names[i],
			    (uint64_t)json_integer_value(json_object_get(counts, names[i])),
			    seen[i]);
}

int main(int argc, char **argv)
{
	struct trace_events events = { 0 };
	json_error_t error;
	json_t *expect, *scenarios;
	uint64_t device;
	size_t index;
	json_t *scenario;
	int status;

	if (argc != 3) {
		fputs("Usage: check-dax-counts EXPECT.json FTRACE-DIR|BABELTRACE2-TEXT\n", stderr);
		return 2;
	}
	expect = json_load_file(argv[1], 0, &error);
	if (!expect) {
		fprintf(stderr, "%s: %s\n", argv[1], error.text);
		return 2;
	}
	if ((strstr(argv[2], ".txt") ? trace_events_load_text(&events, argv[2])
				     : trace_events_load_ftrace(&events, argv[2])) < 0)
		return 2;
	device = (uint64_t)json_integer_value(json_object_get(expect, "major")) << 20 |
		 (uint64_t)json_integer_value(json_object_get(expect, "minor"));
	scenarios = json_object_get(expect, "scenarios");
	json_array_foreach(scenarios, index, scenario) check_scenario(&events, scenario, device);
	if (!json_array_size(scenarios))
		tap_differ("no scenarios to compare");
	if (events.lost)
		tap_differ("events were lost");
	printf("# %zu scenarios\n", json_array_size(scenarios));
	status = tap_verdict("events", events.count);
	json_decref(expect);
	trace_events_free(&events);
	return status;
}
