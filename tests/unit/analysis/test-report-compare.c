// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the comparison of two reports: verdicts, scaling, rows in only one report, and doubts. */
#include "reader/report/compare.h"

#include <math.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "reader/report/render.h"
#include "tests/tap.h"

static const struct mm_metric_def metrics[] = {
	{ "toy.faults", MM_COUNT("faults"), MM_LESS_IS_BETTER, "faults", { NULL }, NULL, MM_SUM },
	{ "toy.mapped", MM_COUNT("faults"), MM_MORE_IS_BETTER, "mapped", { NULL }, NULL, MM_SUM },
	{ "toy.events", MM_COUNT("events"), MM_NEUTRAL, "events", { NULL }, NULL, MM_SUM },
	{ "toy.time_ns", MM_NS, MM_LESS_IS_BETTER, "time", { NULL }, NULL, MM_SUM },
	{ "toy.peak", MM_BYTES, MM_LESS_IS_BETTER, "peak", { NULL }, NULL, MM_UNSCALED },
	{ "toy.ratio", MM_REAL("ratio"), MM_LESS_IS_BETTER, "ratio", { NULL }, NULL, MM_STEADY },
	{ "toy.latency_ns", MM_NS, MM_LESS_IS_BETTER, "quantile", { "q", NULL }, NULL, MM_STEADY },
	{ "toy.repeated", MM_NS, MM_LESS_IS_BETTER, "in a table", { NULL }, NULL, MM_SUM },
	{ "toy.by_kind",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "by kind",
	  { "kind", NULL },
	  NULL,
	  MM_SUM },
	{ 0 },
};

enum { NAME, PID, COUNT, TIME_NS, P90_NS, MAX_NS, LIVE };

static const struct mm_column columns[] = {
	[NAME] = { "name", "name", MM_TEXT, MM_KEEP, "name" },
	[PID] = { "pid", "pid", MM_NUMBER, MM_KEEP, "pid" },
	[COUNT] = { "count", "count", MM_COUNT("faults"), MM_KEEP, "faults" },
	[TIME_NS] = { "time_ns", "time", MM_NS, MM_KEEP, "time" },
	[P90_NS] = { "p90_ns", "p90", MM_NS, MM_KEEP, "p90" },
	[MAX_NS] = { "max_ns", "max", MM_NS, MM_KEEP, "max" },
	[LIVE] = { "live", "live", MM_BYTES, MM_KEEP, "live" },
	{ 0 },
};

static const struct mm_table_def things = { "things", "Things", NULL, "each thing", columns };
static const struct mm_table_def others = { "others", "Others", NULL, "not compared", columns };
static const struct mm_table_def *const tables[] = { &things, &others, NULL };

static const struct mm_compared_column compared_columns[] = {
	{ "time_ns", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "count", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ "p90_ns", MM_LESS_IS_BETTER, MM_STEADY, "count", 20 },
	{ "max_ns", MM_LESS_IS_BETTER, MM_MAXIMUM, "count", 0 },
	{ "live", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ 0 },
};
static const struct mm_compared_table compared_tables[] = {
	{ &things, "toy.thing", { "name" }, { "pid" }, compared_columns },
	{ NULL, NULL, { NULL }, { NULL }, NULL },
};
static const char *const repeated[] = { "toy.repeated", NULL };
static const struct mm_headline headlines[] = {
	{ "Faults took", "toy.time_ns", NULL },
	{ "Faults of all kinds numbered", "toy.by_kind", NULL },
	{ "Large faults numbered", "toy.by_kind", "large" },
	{ "The peak was", "toy.peak", NULL },
	{ NULL, NULL, NULL },
};
static const struct mm_compared compared = { compared_tables, repeated, headlines, NULL, NULL };

static const struct mm_report_schema schema = { "toy", metrics, tables, NULL, &compared, NULL };

/* Two equal reports: complete, two CPUs, one second each. */
static struct mm_report *reports[2];
static struct mm_report *result;

#define SECOND UINT64_C(1000000000)

static void start(void)
{
	for (int i = 0; i < 2; i++) {
		struct mm_cell *c;

		mm_report_destroy(reports[i]);
		reports[i] = mm_report_create(&schema);
		if (!reports[i])
			tap_bail("out of memory");
		c = reports[i]->coverage;
		mm_cell_set_b(&c[MM_COVERAGE_COMPLETE], true);
		mm_cell_set_u(&c[MM_COVERAGE_DURATION_NS], SECOND);
		mm_cell_set_u(&c[MM_COVERAGE_CPUS], 2);
	}
}

static void set_lengths(uint64_t old_ns, uint64_t new_ns)
{
	mm_cell_set_u(&reports[0]->coverage[MM_COVERAGE_DURATION_NS], old_ns);
	mm_cell_set_u(&reports[1]->coverage[MM_COVERAGE_DURATION_NS], new_ns);
}

static void compare(void)
{
	const struct mm_compare_side sides[2] = { { reports[0], "old", false },
						  { reports[1], "new", true } };

	mm_report_destroy(result);
	result = mm_report_create(&mm_compare_schema);
	if (!result)
		tap_bail("out of memory");
	mm_report_compare(sides, result);
	if (mm_report_failed(result) || result->undeclared)
		tap_bail("comparing failed: %s",
			 result->undeclared ? result->undeclared : "out of memory");
}

static const struct mm_table *differences(void)
{
	for (size_t i = 0; i < result->table_count; i++)
		if (!strcmp(result->tables[i]->def->name, "differences"))
			return result->tables[i];
	tap_bail("no list");
}

static const struct mm_cell *cell(size_t row, const char *key)
{
	const struct mm_table *table = differences();

	return &table->cells[row * table->column_count + (size_t)mm_table_column(table, key)];
}

/* Returns the row of a figure, or -1 if it is not listed. */
static int find(const char *what)
{
	for (size_t r = 0; r < differences()->row_count; r++)
		if (!strcmp(cell(r, "what")->s, what))
			return (int)r;
	return -1;
}

/*
 * Returns the verdict, with its reason: "worse", "undetermined samples"; "same" if the figure is
 * not listed.
 */
static const char *verdict(const char *what)
{
	static char text[64];
	int row = find(what);

	if (row < 0)
		return "same";
	snprintf(text, sizeof(text), "%s%s%s", cell((size_t)row, "verdict")->s,
		 cell((size_t)row, "reason")->s ? " " : "",
		 cell((size_t)row, "reason")->s ? cell((size_t)row, "reason")->s : "");
	return text;
}

static const struct {
	const char *metric, *q;
	uint64_t old_ns, new_ns, old, new;
	uint64_t samples; /* samples of both sides; 0: not stated */
	const char *verdict;
} figures[] = {
	/* sides of equal length */
	{ "toy.faults", NULL, SECOND, SECOND, 100, 100, 0, "same" },
	{ "toy.faults", NULL, SECOND, SECOND, 100, 106, 0, "worse" },
	{ "toy.faults", NULL, SECOND, SECOND, 106, 100, 0, "better" },
	{ "toy.faults", NULL, SECOND, SECOND, 100, 104, 0, "similar" },
	{ "toy.faults", NULL, SECOND, SECOND, 10, 12, 0, "similar" },
	{ "toy.faults", NULL, SECOND, SECOND, 10, 13, 0, "worse" },
	{ "toy.faults", NULL, SECOND, SECOND, 0, 1, 0, "worse" },
	{ "toy.faults", NULL, SECOND, SECOND, 1, 0, 0, "better" },
	{ "toy.mapped", NULL, SECOND, SECOND, 100, 50, 0, "worse" },
	{ "toy.mapped", NULL, SECOND, SECOND, 50, 100, 0, "better" },
	{ "toy.events", NULL, SECOND, SECOND, 50, 100, 0, "changed" },
	{ "toy.time_ns", NULL, SECOND, SECOND, 1, 2, 0, "worse" },
	{ "toy.peak", NULL, SECOND, SECOND, 100, 200, 0, "worse" },
	{ "toy.faults", NULL, SECOND, SECOND, UINT64_MAX, UINT64_MAX - 1, 0, "similar" },
	/* NEW is twice as long */
	{ "toy.faults", NULL, SECOND, 2 * SECOND, 100, 200, 0, "same" },
	{ "toy.faults", NULL, SECOND, 2 * SECOND, 100, 206, 0, "similar" },
	{ "toy.faults", NULL, SECOND, 2 * SECOND, 100, 220, 0, "worse" },
	{ "toy.faults", NULL, SECOND, 2 * SECOND, 100, 100, 0, "better" },
	{ "toy.faults", NULL, SECOND, 2 * SECOND, 10, 25, 0, "similar" },
	{ "toy.faults", NULL, SECOND, 2 * SECOND, 10, 26, 0, "worse" },
	{ "toy.peak", NULL, SECOND, 2 * SECOND, 100, 200, 0, "undetermined duration" },
	{ "toy.peak", NULL, SECOND, 2 * SECOND, 100, 100, 0, "same" },
	/* NEW is longer by 1 %, which is tolerated, and by 2 %, which is not */
	{ "toy.peak", NULL, 100 * SECOND, 101 * SECOND, 100, 200, 0, "worse" },
	{ "toy.peak", NULL, 100 * SECOND, 102 * SECOND, 100, 200, 0, "undetermined duration" },
	/* sides of unknown length */
	{ "toy.faults", NULL, 0, SECOND, 100, 200, 0, "undetermined duration" },
	{ "toy.latency_ns", "0.5", 0, SECOND, 100, 200, 100, "worse" },
	/* a quantile requires two samples above it; a maximum is not compared */
	{ "toy.latency_ns", "0.5", SECOND, 2 * SECOND, 100, 200, 4, "worse" },
	{ "toy.latency_ns", "0.5", SECOND, 2 * SECOND, 100, 200, 3, "undetermined samples" },
	{ "toy.latency_ns", "0.99", SECOND, 2 * SECOND, 100, 200, 200, "worse" },
	{ "toy.latency_ns", "0.99", SECOND, 2 * SECOND, 100, 200, 199, "undetermined samples" },
	{ "toy.latency_ns", "1", SECOND, 2 * SECOND, 100, 200, 1000, "undetermined duration" },
	{ "toy.latency_ns", "1", SECOND, SECOND, 100, 200, 1000, "worse" },
};

static void test_figures(void)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		const uint64_t values[2] = { figures[i].old, figures[i].new };
		char what[64];

		start();
		set_lengths(figures[i].old_ns, figures[i].new_ns);
		for (int side = 0; side < 2; side++) {
			struct mm_metric *metric = mm_report_metric(
				reports[side], figures[i].metric, figures[i].q, NULL);

			mm_cell_set_u(&metric->value, values[side]);
			if (figures[i].samples)
				mm_metric_set_samples(metric, figures[i].samples);
		}
		compare();
		if (figures[i].q)
			snprintf(what, sizeof(what), "%s{q=\"%s\"}", figures[i].metric,
				 figures[i].q);
		else
			snprintf(what, sizeof(what), "%s", figures[i].metric);
		tap(!strcmp(verdict(what), figures[i].verdict),
		    "%s: %" PRIu64 " in %.0f s, %" PRIu64 " in %.0f s: %s, found %s", what,
		    values[0], (double)figures[i].old_ns / 1e9, values[1],
		    (double)figures[i].new_ns / 1e9, figures[i].verdict, verdict(what));
	}
}

static void test_values(void)
{
	start();
	set_lengths(2 * SECOND, SECOND);
	mm_report_count(reports[0], 10, "toy.faults");
	mm_report_count(reports[1], 10, "toy.faults");
	mm_cell_set_r(&mm_report_metric(reports[0], "toy.ratio", NULL)->value, 0.5);
	mm_cell_set_r(&mm_report_metric(reports[1], "toy.ratio", NULL)->value, 0.25);
	mm_report_metric(reports[0], "toy.time_ns", NULL);
	mm_report_count(reports[1], 3, "toy.time_ns");
	mm_cell_set_least(&mm_report_metric(reports[0], "toy.mapped", NULL)->value, 1);
	mm_report_count(reports[1], 9, "toy.mapped");
	compare();
	tap(find("toy.faults") == 0 && cell(0, "old")->u == 10 && cell(0, "new")->u == 10 &&
		    cell(0, "old_per_second")->r == 5 && cell(0, "new_per_second")->r == 10 &&
		    cell(0, "change")->r == 5 && cell(0, "change_percent")->r == 100,
	    "a sum, its rate per second, and the change of the rate");
	tap(!strcmp(cell(0, "old")->shown, "5.00/s") &&
		    !strcmp(cell(0, "change_percent")->shown, "+100 %"),
	    "the text form shows the rate of a sum: %s, %s", cell(0, "old")->shown,
	    cell(0, "change_percent")->shown);
	tap(!strcmp(verdict("toy.ratio"), "better") &&
		    cell((size_t)find("toy.ratio"), "old_per_second")->kind == MM_CELL_EMPTY,
	    "a ratio is not scaled");
	tap(!strcmp(verdict("toy.time_ns"), "unknown") &&
		    cell((size_t)find("toy.time_ns"), "change")->kind == MM_CELL_EMPTY,
	    "not known on one side");
	tap(!strcmp(verdict("toy.mapped"), "undetermined bound"), "a lower bound");
	tap(!strcmp(cell(1, "what")->s, "toy.ratio") && !strcmp(cell(2, "what")->s, "toy.mapped") &&
		    !strcmp(cell(3, "what")->s, "toy.time_ns"),
	    "worse, better, undetermined, unknown, in this order");
}

/* Tests metrics that only one side has. */
static void test_one_sided(void)
{
	start();
	mm_report_count(reports[0], 1, "toy.by_kind", "old");
	mm_report_count(reports[0], 2, "toy.by_kind", "both");
	mm_report_count(reports[1], 2, "toy.by_kind", "both");
	mm_report_count(reports[1], 3, "toy.by_kind", "new \"\x1b[31m");
	mm_report_count(reports[1], 0, "toy.by_kind", "none");
	mm_report_count(reports[1], 7, "toy.faults");
	mm_cell_set_u(&mm_report_metric(reports[1], "toy.latency_ns", "0.5", NULL)->value, 5);
	compare();
	tap(!strcmp(verdict("toy.by_kind{kind=\"old\"}"), "gone"), "gone");
	tap(!strcmp(verdict("toy.by_kind{kind=\"new \"\x1b[31m\"}"), "new"),
	    "new, of a hostile label");
	tap(find("toy.by_kind{kind=\"both\"}") < 0, "both have it");
	tap(find("toy.by_kind{kind=\"none\"}") < 0, "0 of it is not new");
	tap(!strcmp(verdict("toy.faults"), "unknown"),
	    "a metric without labels: the other report is of a version without it");
	tap(!strcmp(verdict("toy.latency_ns{q=\"0.5\"}"), "unknown"), "a statistic of nothing");
}

static struct mm_cell *add_row(int side, const struct mm_table_def *def, const char *name,
			       uint64_t pid, uint64_t count, uint64_t time_ns, uint64_t p90_ns)
{
	struct mm_table *table = NULL;
	struct mm_cell *cells;

	for (size_t i = 0; i < reports[side]->table_count; i++)
		if (reports[side]->tables[i]->def == def)
			table = reports[side]->tables[i];
	if (!table)
		table = mm_report_table(reports[side], def);
	cells = mm_table_row(reports[side], table);
	if (!cells)
		tap_bail("out of memory");
	mm_cell_set_s(&cells[NAME], name);
	mm_cell_set_u(&cells[PID], pid);
	mm_cell_set_u(&cells[COUNT], count);
	mm_cell_set_u(&cells[TIME_NS], time_ns);
	mm_cell_set_u(&cells[P90_NS], p90_ns);
	mm_cell_set_u(&cells[MAX_NS], p90_ns);
	return cells;
}

static void test_rows(void)
{
	start();
	/*
	 * The rows are in another order and have other pids. One table has two rows with the same
	 * name.
	 */
	add_row(0, &things, "a", 1, 20, 100, 7);
	add_row(0, &things, "b", 2, 30, 100, 7);
	add_row(0, &things, "c", 3, 19, 100, 7);
	add_row(0, &things, "gone", 4, 1, 1, 1);
	add_row(0, &things, NULL, 9, 50, 1, 1);
	add_row(1, &things, NULL, 9, 60, 1, 1);
	add_row(1, &things, "new", 7, 1, 5, 1);
	add_row(1, &things, "c", 8, 19, 100, 14);
	add_row(1, &things, "b", 12, 10, 40, 14);
	add_row(1, &things, "b", 13, 25, 60, 14);
	add_row(1, &things, "a", 11, 20, 200, 14);
	add_row(0, &others, "a", 1, 1, 1, 1);
	add_row(1, &others, "a", 1, 9, 9, 9);
	compare();
	tap(!strcmp(verdict("things.time_ns{name=\"a\"}"), "worse") &&
		    cell((size_t)find("things.time_ns{name=\"a\"}"), "change")->r == 100,
	    "a row of that name");
	tap(!strcmp(verdict("things.p90_ns{name=\"a\"}"), "worse") &&
		    cell((size_t)find("things.p90_ns{name=\"a\"}"), "old_samples")->u == 20,
	    "a statistic, with its samples");
	tap(!strcmp(verdict("things.p90_ns{name=\"c\"}"), "undetermined samples"),
	    "a statistic of too few");
	tap(!strcmp(verdict("things.max_ns{name=\"c\"}"), "worse"), "a maximum, of one length");
	tap(!strcmp(verdict("things.count{name=\"b\"}"), "changed") &&
		    cell((size_t)find("things.count{name=\"b\"}"), "new")->u == 35 &&
		    find("things.time_ns{name=\"b\"}") < 0,
	    "rows of one name are summed up");
	tap(!strcmp(verdict("things.p90_ns{name=\"b\"}"), "unknown"), "... but not statistics");
	tap(!strcmp(verdict("things.time_ns{name=\"new\"}"), "new") &&
		    find("things.count{name=\"new\"}") < 0,
	    "a new row: its first figure stands for it");
	tap(!strcmp(verdict("things.time_ns{name=\"gone\"}"), "gone"), "a row that is gone");
	tap(!strcmp(verdict("things.count{pid=\"9\"}"), "changed"),
	    "a row without a name is identified by the other key");
	for (size_t r = 0; r < differences()->row_count; r++)
		if (!strncmp(cell(r, "what")->s, "others", 6))
			tap(false, "a table that is not compared is listed");
}

/* Tests that rows with the same name, and the rows of a pool of kworkers, are added up. */
static void test_added_up(void)
{
	start();
	mm_cell_set_u(&add_row(0, &things, "a", 1, 1, 1, 1)[LIVE], 100);
	mm_cell_set_u(&add_row(1, &things, "a", 2, 1, 1, 1)[LIVE], 150);
	mm_cell_set_i(&add_row(1, &things, "a", 3, 1, 1, 1)[LIVE], -30);
	mm_cell_set_i(&add_row(1, &things, "a", 4, 1, 1, 1)[LIVE], -170);
	mm_cell_set_u(&add_row(0, &things, "kworker/u8:0-rcu", 5, 1, 1, 1)[LIVE], 10);
	mm_cell_set_u(&add_row(0, &things, "kworker/u8:3-events", 6, 1, 1, 1)[LIVE], 20);
	mm_cell_set_u(&add_row(1, &things, "kworker/u8:0+events", 7, 1, 1, 1)[LIVE], 90);
	mm_cell_set_u(&add_row(1, &things, "new", 8, 7, 0, 1)[LIVE], 5);
	compare();
	tap(!strcmp(verdict("things.live{name=\"a\"}"), "better") &&
		    cell((size_t)find("things.live{name=\"a\"}"), "new")->i == -50,
	    "values that are not scaled are summed up, too");
	tap(!strcmp(verdict("things.max_ns{name=\"a\"}"), "unknown"), "... but not maximums");
	tap(!strcmp(verdict("things.live{name=\"kworker/u8\"}"), "worse") &&
		    cell((size_t)find("things.live{name=\"kworker/u8\"}"), "old")->u == 30 &&
		    find("things.time_ns{name=\"kworker/u8:0-rcu\"}") < 0,
	    "kworkers are named by pool");
	tap(!strcmp(verdict("things.count{name=\"new\"}"), "new") &&
		    find("things.time_ns{name=\"new\"}") < 0,
	    "a new row: its first figure that is not 0 stands for it");
}

static bool says(const char *part)
{
	for (size_t i = 0; i < result->answer_count; i++)
		if (strstr(result->answer[i], part))
			return true;
	return false;
}

/* Tests the headlines that the schema declares. */
static void test_headlines(void)
{
	start();
	set_lengths(SECOND, 2 * SECOND);
	mm_report_count(reports[0], 6500000, "toy.time_ns");
	mm_report_count(reports[1], 13600000, "toy.time_ns");
	mm_report_count(reports[0], 100, "toy.by_kind", "large");
	mm_report_count(reports[1], 300, "toy.by_kind", "large");
	mm_report_count(reports[0], 100, "toy.by_kind", "small");
	mm_report_count(reports[0], 1024, "toy.peak");
	mm_report_count(reports[1], 2048, "toy.peak");
	mm_report_count(reports[0], 1, "toy.repeated");
	mm_report_count(reports[1], 99, "toy.repeated");
	compare();
	tap(says("Faults took 6.5 ms/s, then 6.8 ms/s: similar."), "similar: %s",
	    result->answer[0]);
	tap(says("Faults of all kinds numbered 200/s, then 150/s: changed, -25 %."),
	    "a sum over labels, one missing on a side: %s", result->answer[1]);
	tap(says("Large faults numbered 100/s, then 150/s: changed, +50 %."), "one label: %s",
	    result->answer[2]);
	tap(says("The peak was 1.0 KiB, then 2.0 KiB: not comparable, because the lengths differ."),
	    "what cannot be scaled: %s", result->answer[3]);
	tap(find("toy.repeated") < 0, "a metric that tables repeat is not compared");
	mm_report_metric(reports[1], "toy.by_kind", "unknown", NULL);
	compare();
	tap(!says("Faults of all kinds") && says("Large faults"),
	    "a sum with an unknown part is not stated");
}

/* Tests the order of rows of one verdict: times, counts, statistics; large differences first. */
static void test_order(void)
{
	static const char *const expected[] = {
		"things.time_ns{name=\"large\"}",
		"things.time_ns{name=\"small\"}",
		"toy.faults",
		"things.max_ns{name=\"large\"}",
	};

	start();
	add_row(0, &things, "large", 1, 100, 100000, 1);
	add_row(1, &things, "large", 1, 100, 200000, 900000);
	add_row(0, &things, "small", 2, 100, 10, 1);
	add_row(1, &things, "small", 2, 100, 5010, 1);
	mm_report_count(reports[0], 1, "toy.faults");
	mm_report_count(reports[1], 900000, "toy.faults");
	compare();
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		tap(find(expected[i]) == (int)i, "row %zu: %s, found %s", i, expected[i],
		    cell(i, "what")->s);
	tap(!strcmp(cell(3, "old_samples")->shown, "100, 100"), "both numbers of samples: %s",
	    cell(3, "old_samples")->shown);
	tap(!strcmp(cell(0, "what")->shown, "large: time (things)") &&
		    !strcmp(cell(2, "what")->shown, "faults"),
	    "names in words: %s, %s", cell(0, "what")->shown, cell(2, "what")->shown);
}

/* Tests the remarks about when the two sides were recorded. */
static void test_times(void)
{
	static const struct {
		uint64_t starts[2], ends[2]; /* in seconds */
		const char *host;	     /* host name of NEW; OLD's is "a" */
		const char *remark;	     /* NULL: none */
		bool is_one_trace, overlaps;
	} times[] = {
		{ { 1, 1 }, { 5, 9 }, "a", NULL, false, true },
		{ { 1, 5 }, { 5, 9 }, "a", NULL, false, false },
		{ { 1, 199 }, { 200, 399 }, "a", NULL, false, false },
		{ { 1, 197 }, { 200, 399 }, "a", NULL, false, true },
		{ { 1, 1 }, { 5, 9 }, "b", NULL, false, false },
		{ { 1, 1 },
		  { 9, 5 },
		  "b",
		  "NEW was recorded before OLD: NEW ends 4.00 s earlier",
		  false,
		  false },
		{ { 1, 1 }, { 5, 5 }, "a", NULL, true, false },
		{ { 1, 1 }, { 5, 5 }, "b", NULL, false, false },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		const char *found = NULL;

		start();
		for (int side = 0; side < 2; side++) {
			struct mm_cell *c = reports[side]->coverage;

			mm_cell_set_u(&c[MM_COVERAGE_START_NS], times[i].starts[side] * SECOND);
			mm_cell_set_u(&c[MM_COVERAGE_END_NS], times[i].ends[side] * SECOND);
			mm_cell_set_u(&c[MM_COVERAGE_DURATION_NS],
				      (times[i].ends[side] - times[i].starts[side]) * SECOND);
			mm_cell_set_s(&c[MM_COVERAGE_HOSTNAME], side ? times[i].host : "a");
		}
		compare();
		/* The first two remarks describe the sides. */
		if (result->remark_count > 2)
			found = result->remarks[2];
		tap(times[i].remark ? found && strstr(found, times[i].remark) == found : !found,
		    "times %zu: %s", i, found ? found : "no remark");
		tap(says("Both are the same trace.") == times[i].is_one_trace,
		    "... the same trace");
		tap((result->answer_count && !strncmp(result->answer[0], "OLD and NEW overlap by ",
						      23)) == times[i].overlaps,
		    "... an overlap is stated first");
	}
}

/* Tests doubts that prevent any verdict. Each case starts from two reports that differ. */
static void test_doubts(void)
{
	static const struct {
		int complete[2]; /* -1: not known */
		uint64_t cpus;	 /* of NEW */
		const char *limits, *says;
	} doubts[] = {
		{ { 1, 1 }, 2, NULL, NULL },
		{ { 1, 0 }, 2, NULL, "reported as a change: NEW is incomplete." },
		{ { 0, 1 }, 2, NULL, "reported as a change: OLD is incomplete." },
		{ { 0, 0 }, 2, NULL, "change: OLD is incomplete, and NEW is incomplete." },
		{ { -1, 1 },
		  2,
		  NULL,
		  "reported as a change: it is not known whether OLD is complete." },
		{ { 1, 1 }, 1, NULL, "reported as a change: OLD has 2 CPUs and NEW 1." },
		{ { 1, 1 }, 2, "pid 7", "change: OLD and NEW are limited to different events." },
	};

	for (size_t i = 0; i < sizeof(doubts) / sizeof(doubts[0]); i++) {
		const char *expected = doubts[i].says ? "undetermined incomplete" : "worse";
		const char *one_sided = doubts[i].says ? "undetermined incomplete" : "new";

		start();
		for (int side = 0; side < 2; side++) {
			struct mm_cell *c = reports[side]->coverage;

			c[MM_COVERAGE_COMPLETE].u = doubts[i].complete[side] > 0;
			if (doubts[i].complete[side] < 0)
				c[MM_COVERAGE_COMPLETE].kind = MM_CELL_EMPTY;
			mm_report_count(reports[side], side ? 200 : 100, "toy.faults");
		}
		mm_cell_set_u(&reports[1]->coverage[MM_COVERAGE_CPUS], doubts[i].cpus);
		mm_cell_set_s(&reports[1]->coverage[MM_COVERAGE_LIMITED_TO], doubts[i].limits);
		add_row(1, &things, "new", 7, 1, 5, 1);
		compare();
		tap(!strcmp(verdict("toy.faults"), expected), "%s: %s",
		    doubts[i].says ? doubts[i].says : "no doubt", verdict("toy.faults"));
		tap(!strcmp(verdict("things.time_ns{name=\"new\"}"), one_sided), "... a row: %s",
		    verdict("things.time_ns{name=\"new\"}"));
		tap(doubts[i].says ? says(doubts[i].says) && !says("noise")
				   : says("Of 2 figures: 1 worse, 1 new.") &&
					     says("cannot be distinguished from noise"),
		    "... the answer: %s", result->answer[0]);
	}
}

static const struct mm_column *column_of(const struct mm_table_def *def, const char *key)
{
	for (const struct mm_column *column = def->columns; column->key; column++)
		if (!strcmp(column->key, key))
			return column;
	return NULL;
}

/* Returns a column that @table compares but does not have, or NULL. */
static const char *find_undeclared(const struct mm_compared_table *table)
{
	const char *const *keys[2] = { table->keys, table->other_keys };

	for (int i = 0; i < 2; i++)
		for (const char *const *key = keys[i]; *key; key++)
			if (!column_of(table->table, *key))
				return *key;
	for (const struct mm_compared_column *c = table->columns; c->key; c++) {
		const struct mm_column *column = column_of(table->table, c->key);

		if (!column || column->kind == MM_VALUE_TEXT || column->kind == MM_VALUE_LIST)
			return c->key;
		if (c->samples && !column_of(table->table, c->samples))
			return c->samples;
	}
	return NULL;
}

/*
 * Can @headline state the metric? If the headline has a label, the metric must have exactly one
 * label. Otherwise, the metric may have no label, or one label whose values are added up.
 */
static bool is_headline(const struct mm_metric_def *def, const struct mm_headline *headline)
{
	return def && def->kind == MM_VALUE_INTEGER &&
	       (headline->label ? def->labels[0] && !def->labels[1] : !def->labels[1]);
}

/* Checks that an analysis declares each metric, column and key that it compares. */
static void test_schemas(void)
{
	for (size_t i = 0; mm_analysis_at(i); i++) {
		const struct mm_report_schema *declared = mm_analysis_at(i)->schema;
		const char *wrong = NULL;

		const struct mm_compared *of = declared->compared;

		for (const char *const *name = of ? of->repeated : NULL; name && *name; name++)
			if (!mm_schema_metric(declared, *name))
				wrong = *name;
		for (const struct mm_headline *h = of ? of->headlines : NULL; h && h->phrase; h++)
			if (!is_headline(mm_schema_metric(declared, h->metric), h))
				wrong = h->phrase;
		for (const struct mm_compared_table *table = of ? of->tables : NULL;
		     table && table->table && !wrong; table++)
			wrong = mm_schema_table(declared, table->table->name) == table->table
					? find_undeclared(table)
					: table->table->name;
		tap(!wrong, "report %s: all compared figures are declared%s%s", declared->name,
		    wrong ? ": " : "", wrong ? wrong : "");
	}
}

int main(void)
{
	test_figures();
	test_values();
	test_one_sided();
	test_rows();
	test_added_up();
	test_headlines();
	test_order();
	test_times();
	test_doubts();
	test_schemas();
	for (int i = 0; i < 2; i++)
		mm_report_destroy(reports[i]);
	mm_report_destroy(result);
	return tap_status();
}
