// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads reports back from JSON, and refuses malformed ones. With an analysis and a file as
 * arguments, the program reads that file and prints it again, for scripts to compare.
 */
#include "reader/report/read.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "reader/report/render.h"
#include "tests/tap.h"

static const struct mm_metric_def metrics[] = {
	{ "toy.count", MM_COUNT("things"), MM_NEUTRAL, "things", { NULL }, NULL, MM_SUM },
	{ "toy.time_ns", MM_NS, MM_NEUTRAL, "time", { "kind", "q", NULL }, NULL, MM_STEADY },
	{ "toy.ratio", MM_REAL("ratio"), MM_NEUTRAL, "ratio", { NULL }, NULL, MM_STEADY },
	{ "toy.exact", MM_BOOLEAN, MM_NEUTRAL, "exact", { NULL }, NULL, MM_UNSCALED },
	{ 0 },
};

static const struct mm_column columns[] = {
	{ "name", "name", MM_TEXT, MM_KEEP, "name" },
	{ "count", "count", MM_COUNT("things"), MM_KEEP, "things" },
	{ "growth", "growth", MM_BYTES, MM_KEEP, "may be negative" },
	{ "part", "part", MM_REAL("percent"), MM_KEEP, "part" },
	{ "shared", "shared", MM_BOOLEAN, MM_KEEP, "shared" },
	{ "aliases", "aliases", MM_LIST, MM_KEEP, "names" },
	{ 0 },
};

static const struct mm_table_def things = { "things", "Things", NULL, "each thing", columns };
static const struct mm_table_def *const tables[] = { &things, NULL };

static const struct mm_series_def series[] = {
	{ "toy.live", MM_BYTES, MM_NEUTRAL, "live", { "of", NULL } },
	{ 0 },
};

static const struct mm_report_schema schema = { "toy", metrics, tables, series, NULL, NULL };

static char *render(const struct mm_report *report)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream || mm_render_json(stream, report))
		tap_bail("rendering");
	fclose(stream);
	return text;
}

/* A report with every kind of value. */
static struct mm_report *make_report(void)
{
	static const char *const aliases[] = { "one", "", "\xc3\xa4 \"" };
	struct mm_report *report = mm_report_create(&schema);
	struct mm_series *live;
	struct mm_table *table;
	struct mm_metric *metric;
	struct mm_cell *row;

	if (!report)
		tap_bail("out of memory");
	mm_cell_set_b(&report->coverage[MM_COVERAGE_COMPLETE], false);
	mm_cell_set_i(&report->coverage[MM_COVERAGE_START_NS], -5);
	mm_cell_set_u(&report->coverage[MM_COVERAGE_EVENTS_DISCARDED], 3);
	mm_cell_set_s(&report->coverage[MM_COVERAGE_HOSTNAME], "host \x1b[31m\\");
	row = mm_table_row(report, report->coverage_tables[MM_COVERAGE_DAMAGE]);
	mm_cell_set_s(&row[MM_DAMAGE_MESSAGE], "a place");
	mm_report_set_selection(report, "--pid=7");
	mm_report_answer(report, "An answer of 100 %%.");
	mm_report_finding(report, "A finding.");
	mm_report_warn(report, "A warning.");
	mm_report_remark(report, "A remark.");
	mm_report_note(report, "A note.");
	mm_report_count(report, UINT64_MAX, "toy.count");
	metric = mm_report_metric(report, "toy.time_ns", "pmd \"{", "0.5", NULL);
	mm_cell_set_least(&metric->value, 12);
	mm_metric_set_samples(metric, (uint64_t)INT64_MAX + 1);
	mm_report_metric(report, "toy.time_ns", "", "1", NULL);
	mm_cell_set_r(&mm_report_metric(report, "toy.ratio", NULL)->value, 1 / 3.0);
	mm_cell_set_b(&mm_report_metric(report, "toy.exact", NULL)->value, true);
	table = mm_report_table(report, &things);
	row = mm_table_row(report, table);
	mm_cell_set_s(&row[0], "\xff");
	mm_cell_set_least(&row[1], INT64_MAX);
	mm_cell_set_i(&row[2], INT64_MIN);
	mm_cell_set_r(&row[3], -1e300);
	mm_cell_set_b(&row[4], false);
	mm_cell_set_list(&row[5], aliases, 3);
	mm_table_row(report, table);
	live = mm_report_series(report, "toy.live", "all", NULL);
	mm_cell_set_u(mm_series_add(report, live, 0), 1);
	mm_series_add(report, live, 1000);
	return report;
}

static void test_same(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report = make_report(), *read;
	char *text = render(report), *again;
	json_t *json = json_loads(text, 0, NULL);

	read = mm_report_from_json(json, "file", &schema, &err);
	again = read ? render(read) : strdup("");
	tap(!strcmp(text, again), "each kind of value is read back: %s", err.message);
	tap(read && read->incomplete && !read->state_lost && read->recorder_lost,
	    "... and that events were lost");
	tap(strstr(text, "\"value\": 12,\n      \"at_least\": true") &&
		    strstr(text, "\"at_least\": [\n          \"count\"\n        ]"),
	    "... and which values are lower bounds");
	free(text);
	free(again);
	json_decref(json);
	mm_report_destroy(report);
	mm_report_destroy(read);
}

/* A part of the report's text and its replacement. */
static const struct {
	const char *from, *to;
	const char *says; /* a part of the message; NULL: accepted */
} changes[] = {
	{ "\"format\": 1", "\"format\": 2",
	  "the report has format 2, but this version reads format 1; make the report again from the trace" },
	{ "\"format\": 1", "\"format\": \"1\"", "the file is JSON, but not a report" },
	{ "\"format\": 1,", "", "the file is JSON, but not a report" },
	{ "\"analysis\": \"toy\"", "\"analysis\": \"\\u001b[31m\"",
	  "the file is a report of '\\x1b[31m', not of toy" },
	{ "\"analysis\": \"toy\"", "\"analysis\": 7", "the file is JSON, but not a report" },
	{ "\"selection\": \"--pid=7\"", "\"selection\": 7",
	  "the member `selection` is not a string" },
	{ "\"selection\": \"--pid=7\",", "", NULL },
	{ "\"coverage\": {", "\"coverage\": 7, \"x\": {",
	  "the member `coverage` is missing or not an object" },
	{ "\"complete\": false", "\"complete\": 0",
	  "the member `complete` of the coverage has the wrong type" },
	{ "\"events_discarded\": 3", "\"events_discarded\": -3",
	  "the member `events_discarded` of the coverage has the wrong type" },
	{ "\"events_discarded\": 3", "\"events_discarded\": 3.5",
	  "the member `events_discarded` of the coverage has the wrong type" },
	{ "\"damage\": [", "\"damages\": [", "the table damage is not an array" },
	{ "\"A note.\"", "[]", "the member `notes` contains an element that is not a string" },
	{ "\"name\": \"toy.count\"", "\"name\": \"toy.later\"", NULL },
	{ "\"name\": \"toy.count\"", "\"nam\": \"toy.count\"", "a metric has no name" },
	{ "\"name\": \"toy.count\"", "\"name\": \"toy.count\\u0000\"", "a metric has no name" },
	{ "\"unit\": \"things\"", "\"unit\": \"ns\"",
	  "the unit of toy.count is 'ns', but 'things' in this version" },
	{ "\"kind\": \"pmd", "\"kin\": \"pmd", "the labels of the metric toy.time_ns differ" },
	{ "\"q\": \"0.5\"", "\"q\": \"0.5\", \"r\": \"\"",
	  "the labels of the metric toy.time_ns differ" },
	{ "\"q\": \"0.5\"", "\"q\": null", "the labels of the metric toy.time_ns differ" },
	{ "\"value\": 12", "\"value\": true",
	  "the metric toy.time_ns: `value` has the wrong type" },
	{ "\"value\": 12", "\"value\": \"12\"",
	  "the metric toy.time_ns: `value` has the wrong type" },
	{ "\"value\": 12", "\"value\": \"99999999999999999999\"",
	  "the metric toy.time_ns: `value` has the wrong type" },
	{ "\"value\": 12", "\"value\": null", NULL },
	{ "\"samples\": null", "\"samples\": -1",
	  "the metric toy.count: `samples` is not a count" },
	{ "\"metrics\": [", "\"metrics\": {}, \"x\": [",
	  "the member `metrics` is missing or not an array" },
	{ "\"things\": [\n      {", "\"things\": [ 7, {",
	  "row 1 of the table things is not an object" },
	{ "\"things\": [\n      {", "\"later\": [], \"things\": [\n      {", NULL },
	{ "\"shared\": false", "\"shared\": \"no\"",
	  "row 1 of the table things: the value of shared has the wrong type" },
	{ "\"aliases\": [", "\"aliases\": [ 7,",
	  "row 1 of the table things: the value of aliases has the wrong type" },
	{ "\"tables\": {", "\"tables\": [], \"x\": {",
	  "the member `tables` is missing or not an object" },
	{ "\"values\": [", "\"values\": [ 7, ",
	  "the series toy.live: `values` and `times_ns` differ in length" },
	{ "\"times_ns\": [\n", "\"times_ns\": [ -1,\n",
	  "the series toy.live: an element of `times_ns` is not a time" },
};

static void test_changes(void)
{
	struct mm_report *report = make_report();
	char *text = render(report);

	mm_report_destroy(report);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *at = strstr(text, changes[i].from);
		struct mm_error err = MM_ERROR_INIT;
		char *changed;
		json_t *json;

		if (!at || asprintf(&changed, "%.*s%s%s", (int)(at - text), text, changes[i].to,
				    at + strlen(changes[i].from)) < 0)
			tap_bail("'%s' is not in the report", changes[i].from);
		json = json_loads(changed, JSON_ALLOW_NUL, NULL);
		if (!json)
			tap_bail("'%s' makes no JSON", changes[i].to);
		report = mm_report_from_json(json, "FILE", &schema, &err);
		if (changes[i].says)
			tap(!report && err.code == MM_EXIT_BAD_INPUT &&
				    strstr(err.message, changes[i].says) &&
				    strstr(err.message, "report toy: FILE: ") &&
				    !strchr(err.message, '\n'),
			    "%s: %s", changes[i].to, err.message);
		else
			tap(report != NULL, "%s is accepted: %s", changes[i].to, err.message);
		mm_report_destroy(report);
		json_decref(json);
		free(changed);
	}
	free(text);
}

static int print_again(const char *analysis, const char *path)
{
	const struct mm_analysis *found = mm_analysis_find(analysis);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report = found ? mm_report_read(path, found->schema, &err) : NULL;
	int ret = report ? mm_render_json(stdout, report) : -1;

	if (*err.message)
		fprintf(stderr, "%s\n", err.message);
	mm_report_destroy(report);
	return ret ? 2 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return print_again(argv[1], argv[2]);
	test_same();
	test_changes();
	return tap_status();
}
