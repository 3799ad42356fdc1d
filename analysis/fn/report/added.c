// SPDX-License-Identifier: LGPL-2.1-only
/* Reports what the kernel module counted for each added function, up to the last state dump. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fn/report/report.h"
#include "analysis/fn/report/schema.h"
#include "util/glob.h"
#include "util/plural.h"
#include "util/rows.h"

/* Maximum number of stopped functions to name in a sentence. */
#define NAMES 4u

/* Functions that share a hook. The kernel module counts missed calls by hook. */
struct hook_group {
	struct mm_row key; /* (hook, 1); if never hooked: (number of the function, 2) */
	uint32_t functions;
	uint64_t calls, misses; /* @misses: maximum over the functions */
	bool differ;
};

struct added_totals {
	uint64_t misses, stopped;
	bool least; /* the counts for one hook differ, so @misses is a lower bound */
	struct hook_group most;
	char names[NAMES * 280]; /* names of the first stopped functions */
};

/* Returns the state as `lttng-mm fn list` prints it: "stopped". */
static const char *state_name(const struct fn_state_dump *dump)
{
	if (dump->stopped)
		return "stopped";
	if (dump->absent)
		return "absent";
	return dump->hooked ? "hooked" : "idle";
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct fn_state_dump *const *)a)->name,
		      (*(const struct fn_state_dump *const *)b)->name);
}

/*
 * Returns an array of the state dumps of the functions that --function selects, sorted by name.
 * Release the array with free(). Returns NULL when out of memory.
 */
static const struct fn_state_dump **select_dumps(const struct fn_results *results, size_t *count)
{
	const struct fn_state_dumps *dumps = results->states;
	const struct fn_state_dump **all = calloc(dumps->count + 1, sizeof(*all));

	*count = 0;
	for (size_t i = 0; all && i < dumps->count; i++)
		if (mm_glob_match(results->classes->functions, dumps->all[i].name))
			all[(*count)++] = &dumps->all[i];
	if (all)
		qsort(all, *count, sizeof(*all), by_name);
	return all;
}

static int add_to_hook(struct mm_rows *hooks, const struct fn_state_dump *dump, uint32_t number)
{
	struct hook_group *hook =
		mm_rows_get(hooks, dump->hook ? dump->hook : number, 1 + !dump->hook);

	if (!hook)
		return -1;
	hook->differ |= hook->functions++ && hook->misses != dump->misses;
	hook->calls += dump->calls;
	if (dump->misses > hook->misses)
		hook->misses = dump->misses;
	return 0;
}

static void sum_up(const struct mm_rows *hooks, struct added_totals *totals)
{
	for (uint32_t i = 1; i < hooks->count; i++) {
		const struct hook_group *hook = mm_rows_at(hooks, i);

		totals->misses += hook->misses;
		totals->least |= hook->differ;
		if (hook->misses > totals->most.misses)
			totals->most = *hook;
	}
}

/* Returns the alphabetically first name of the functions that share the hook. */
static const char *name_of(const struct hook_group *hook, const struct fn_state_dump *const *all,
			   size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (hook->key.b == 1 ? all[i]->hook == hook->key.a : i + 1 == hook->key.a)
			return all[i]->name;
	return "";
}

/*
 * States stopped functions and missed calls. With --pid, omits call counts, because the kernel
 * module counts the calls of all processes together.
 */
static void conclude(const struct added_totals *totals, const char *name, bool by_pid,
		     struct mm_report *report)
{
	char others[64] = "";

	if (totals->stopped)
		mm_report_answer(
			report,
			"%" PRIu64
			" function%s no longer recorded because calls exceeded the maximum rate: %s; `lttng-mm fn add` adds %s again.",
			totals->stopped, mm_plural(totals->stopped, " is", "s are"), totals->names,
			mm_plural(totals->stopped, "it", "them"));
	if (!totals->misses)
		return;
	if (by_pid) {
		mm_report_answer(
			report,
			"The kernel missed calls since the functions were added. It counts the calls of all processes together; the report without --pid states the number.");
		return;
	}
	if (totals->most.functions > 1)
		snprintf(others, sizeof(others), " and the %" PRIu32 " function%s that %s its hook",
			 totals->most.functions - 1, mm_plural_s(totals->most.functions - 1),
			 mm_plural(totals->most.functions - 1, "shares", "share"));
	mm_report_answer(report,
			 "The kernel missed %s%" PRIu64
			 " call%s since the functions were added; %" PRIu64
			 " of these were calls of %s()%s. %" PRIu64 " call%s of %s %s recorded.",
			 totals->least ? "at least " : "", totals->misses,
			 mm_plural_s(totals->misses), totals->most.misses, name, others,
			 totals->most.calls, mm_plural_s(totals->most.calls),
			 totals->most.functions > 1 ? "these functions" : "this function",
			 mm_plural(totals->most.calls, "was", "were"));
}

static void fill_row(const struct fn_state_dump *dump, bool by_pid, struct mm_cell *row)
{
	mm_cell_set_s(&row[FN_ADDED_FUNCTION], dump->name);
	mm_cell_set_s(&row[FN_ADDED_STATE], state_name(dump));
	if (dump->hook)
		mm_cell_set_u(&row[FN_ADDED_HOOK], dump->hook);
	if (by_pid)
		return;
	mm_cell_set_u(&row[FN_ADDED_CALLS], dump->calls);
	mm_cell_set_u(&row[FN_ADDED_MISSES], dump->misses);
}

int fn_report_added(const struct fn_results *results, bool by_pid, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &fn_table_added);
	struct added_totals totals = { .misses = 0 };
	struct mm_rows hooks;
	size_t count;
	const struct fn_state_dump **all = select_dumps(results, &count);
	int ret = mm_rows_init(&hooks, sizeof(struct hook_group), FN_FUNCTIONS_MAX + 1, 8) || !all;

	for (size_t i = 0; i < count && !ret; i++) {
		struct mm_cell *row = mm_table_row(report, table);

		ret = !row || add_to_hook(&hooks, all[i], (uint32_t)i + 1);
		if (ret)
			break;
		fill_row(all[i], by_pid, row);
		totals.stopped += all[i]->stopped;
		if (all[i]->stopped && totals.stopped <= NAMES + 1)
			mm_words_add(totals.names, sizeof(totals.names),
				     totals.stopped > NAMES ? "..." : all[i]->name);
	}
	if (!ret && count) {
		sum_up(&hooks, &totals);
		conclude(&totals, name_of(&totals.most, all, count), by_pid, report);
		if (!by_pid)
			mm_report_count(report, totals.misses, "fn.missed_calls");
		mm_report_count(report, totals.stopped, "fn.stopped_functions");
	}
	if (!count || by_pid)
		mm_report_metric(report, "fn.missed_calls", NULL);
	if (!count)
		mm_report_metric(report, "fn.stopped_functions", NULL);
	table->hidden = !totals.misses && !totals.stopped;
	mm_rows_release(&hooks);
	free(all);
	return ret ? -1 : 0;
}
