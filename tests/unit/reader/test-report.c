// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the report model: declared metrics, exact numbers, sorted rows, and table widths. */
#include "reader/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/fit.h"
#include "reader/report/render.h"
#include "tests/tap.h"

static const struct mm_metric_def metrics[] = {
	{ "toy.plain", MM_COUNT("things"), MM_NEUTRAL, "things", { NULL }, NULL, MM_SUM },
	{ "toy.labelled",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "time",
	  { "kind", "q", NULL },
	  NULL,
	  MM_STEADY },
	{ 0 },
};

static const struct mm_column columns[] = {
	{ "name", "name", MM_TEXT, MM_SHORTEN(0, 9), "name" },
	{ "count", "count", MM_COUNT("things"), MM_KEEP, "things" },
	{ "size", "size in words", MM_COUNT("words"), MM_DROP(2), "size" },
	{ "last", "last", MM_TEXT, MM_DROP(1), "last" },
	{ 0 },
};

static const struct mm_table_def table_def = { "things", "Things", NULL, "each thing", columns };
static const struct mm_table_def other_def = { "other", "Other", NULL, "each other", columns };
static const struct mm_column sentence_columns[] = {
	{ "name", "name", MM_TEXT, MM_KEEP, "name" },
	{ "why", "why", MM_TEXT, MM_WRAP(8), "a sentence" },
	{ 0 },
};
static const struct mm_table_def sentence_def = { "sentences", "Sentences", NULL, "each",
						  sentence_columns };
static const struct mm_table_def json_def = { "bins", NULL, NULL, "each bin", columns };
static const struct mm_table_def *const tables[] = { &table_def, &sentence_def, &json_def, NULL };

static const struct mm_series_def series[] = {
	{ "toy.load", MM_REAL("ratio"), MM_LESS_IS_BETTER, "load", { "cpu", NULL } },
	{ 0 },
};

static const struct mm_report_schema schema = { "toy", metrics, tables, series, NULL, NULL };

static struct mm_report *create(void)
{
	struct mm_report *report = mm_report_create(&schema);

	if (!report)
		tap_bail("out of memory");
	return report;
}

static char *render(const struct mm_report *report, int json, unsigned int width)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream ||
	    (json ? mm_render_json(stream, report) : mm_render_text(stream, report, width)))
		tap_bail("rendering");
	fclose(stream);
	return text;
}

static char *render_first_in(const struct mm_report *report, unsigned int width,
			     const char *selection, const char *trace)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream || mm_render_first(stream, report, width, selection, trace))
		tap_bail("rendering");
	fclose(stream);
	return text;
}

static char *render_first(const struct mm_report *report, const char *selection, const char *trace)
{
	return render_first_in(report, 100, selection, trace);
}

static char *render_named(const struct mm_report *report, const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream || mm_render_named_table(stream, report, 100, name, SIZE_MAX))
		tap_bail("rendering");
	fclose(stream);
	return text;
}

static void test_declared(void)
{
	struct mm_report *report = create();

	mm_report_count(report, 1, "toy.plain");
	mm_report_metric(report, "toy.labelled", "a", "0.5", NULL);
	mm_report_table(report, &table_def);
	mm_report_series(report, "toy.load", "0", NULL);
	tap(!report->undeclared && !mm_report_failed(report), "declared: all that the schema has");
	mm_report_metric(report, "toy.labelled", "a", NULL);
	tap(report->undeclared, "undeclared: a metric with too few labels");
	report->undeclared = NULL;
	mm_report_metric(report, "toy.plain", "a", NULL);
	tap(report->undeclared, "undeclared: a metric with too many labels");
	report->undeclared = NULL;
	mm_report_count(report, 1, "toy.unknown");
	tap(report->undeclared && !strcmp(report->undeclared, "toy.unknown"),
	    "undeclared: a metric of no schema");
	report->undeclared = NULL;
	mm_report_table(report, &other_def);
	tap(report->undeclared, "undeclared: a table of no schema");
	report->undeclared = NULL;
	mm_series_add(report, mm_report_series(report, "toy.unknown", NULL), 0);
	tap(report->undeclared, "undeclared: a time series of no schema");
	mm_report_destroy(report);
}

static void has(const char *text, const char *part, const char *name)
{
	tap(strstr(text, part), "JSON: %s", name);
	if (!strstr(text, part))
		printf("# no %s in\n# %s\n", part, text);
}

static void test_json(void)
{
	struct mm_report *report = create();
	struct mm_metric *metric = mm_report_metric(report, "toy.labelled", "a\"b", "0.5", NULL);
	struct mm_series *load = mm_report_series(report, "toy.load", "0", NULL);
	struct mm_table *table = mm_report_table(report, &table_def);
	struct mm_cell *row = mm_table_row(report, table);
	char *text;

	mm_cell_set_u(&metric->value, (1ull << 53) + 1);
	mm_metric_set_samples(metric, 7);
	mm_report_metric(report, "toy.plain", NULL);
	mm_cell_set_r(mm_series_add(report, load, 5), 0.5);
	mm_series_add(report, load, 6);
	mm_cell_set_u(&row[1], INT64_MAX);
	mm_cell_set_u(&row[2], UINT64_MAX);
	mm_report_answer(report, "%s", "answered");
	mm_report_finding(report, "%s", "found");
	mm_report_note(report, "%s", "noted");
	mm_report_remark(report, "%s", "remarked");
	text = render(report, 1, 0);
	has(text, "\"kind\": \"a\\\"b\"", "labels are keys and values");
	has(text, "\"direction\": \"less-is-better\"", "the direction");
	has(text, "\"samples\": 7,\n      \"value\": 9007199254740993",
	    "an exact integer, and samples");
	has(text, "\"samples\": null,\n      \"value\": null", "an unknown value");
	has(text, "\"count\": 9223372036854775807", "the largest integer that libraries support");
	has(text, "\"size\": \"18446744073709551615\"", "a larger one is a string");
	has(text, "\"times_ns\": [\n        5,\n        6\n      ]", "times of a series");
	has(text, "\"values\": [\n        0.5,\n        null\n      ]", "values of a series");
	has(text, "\"answer\": [\n    \"answered\"\n  ]", "the answer");
	has(text, "\"findings\": [\n    \"found\"\n  ]", "findings");
	has(text, "\"notes\": [\n    \"remarked\",\n    \"noted\"\n  ]", "remarks, then notes");
	has(text, "\"hostname\": null", "keys of the coverage without values");
	free(text);
	mm_report_destroy(report);
}

/* Tests that one empty line separates the parts of the text form, whichever parts are present. */
static void test_empty_lines(void)
{
	for (unsigned int parts = 0; parts < 16; parts++) {
		struct mm_report *report = create();
		char *text;
		size_t length;

		if (parts & 8)
			mm_report_answer(report, "answered");
		if (parts & 1)
			mm_report_finding(report, "found");
		if (parts & 2)
			mm_cell_set_u(&mm_table_row(report, mm_report_table(report, &table_def))[1],
				      1);
		if (parts & 4)
			mm_report_note(report, "noted");
		text = render(report, 0, 100);
		length = strlen(text);
		tap(!strstr(text, "\n\n\n") && length > 1 && strcmp(text + length - 2, "\n\n"),
		    "text: empty lines with%s finding,%s table,%s note,%s answer",
		    parts & 1 ? "" : "out", parts & 2 ? "" : " no", parts & 4 ? "" : " no",
		    parts & 8 ? "" : " no");
		free(text);
		mm_report_destroy(report);
	}
}

static bool is_many(const struct mm_cell *row, const void *user)
{
	return row[1].kind == MM_CELL_UNSIGNED && row[1].u >= *(const uint64_t *)user;
}

static void test_rows(void)
{
	static const struct {
		const char *name;
		uint64_t count;
	} rows[] = { { "a", 3 }, { "b", 0 }, { "c", 9 }, { "d", 3 }, { "e", 5 } };
	struct mm_report *report = create();
	struct mm_table *table = mm_report_table(report, &table_def);
	const uint64_t least = 5;
	char order[8] = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mm_cell *row = mm_table_row(report, table);

		mm_cell_set_s(&row[0], rows[i].name);
		if (rows[i].count)
			mm_cell_set_u(&row[1], rows[i].count);
	}
	tap(mm_table_column(table, "count") == 1 && mm_table_column(table, "none") < 0,
	    "rows: columns are found by key");
	mm_table_sort(table, 1, true);
	for (size_t r = 0; r < table->row_count; r++)
		strcat(order, table->cells[r * table->column_count].s);
	tap(!strcmp(order, "ceadb"), "rows: sorted, equal ones in order, unknown ones last");
	tap(mm_table_filter(table, is_many, &least) == 2 &&
		    !strcmp(table->cells[table->column_count].s, "e"),
	    "rows: filtered");
	tap(mm_table_row(report, table) && mm_table_row(report, table) && table->row_count == 4,
	    "rows: others are added afterwards");
	mm_report_destroy(report);
}

/* Tests the order of texts, which are listed in their expected order. */
static void test_order(void)
{
	static const char *const texts[] = {
		"cpu2",	   "cpu10",	 "f",	   "f+0x9",   "f+0x0f",	 "f+0xf",
		"f+0x10",  "f+0x10 [m]", "f+0x1a", "f+0x195", "f+0x19d", "f+0x1a5",
		"f+0xabc", "f+0x1000",	 "g9a",	   "g10",
	};
	enum { COUNT = sizeof(texts) / sizeof(texts[0]) };
	struct mm_report *report = create();
	struct mm_table *table = mm_report_table(report, &table_def);
	unsigned int wrong = 0;

	/* Add the texts in another order, because the order of rows must not matter. */
	for (unsigned int i = 0; i < COUNT; i++)
		mm_cell_set_s(&mm_table_row(report, table)[0], texts[(COUNT - 1 - i) * 7 % COUNT]);
	mm_table_sort(table, 0, false);
	for (unsigned int i = 0; i < COUNT; i++) {
		const char *text = table->cells[i * table->column_count].s;

		if (strcmp(text, texts[i]) != 0) {
			printf("# row %u: %s, not %s\n", i, text, texts[i]);
			wrong++;
		}
	}
	tap(!wrong, "order: names by their numbers, hexadecimal ones after 0x");
	mm_report_destroy(report);
}

static void test_shorten(void)
{
	static const struct {
		const char *in;
		unsigned int width;
		const char *out;
	} cases[] = {
		{ "abcdefghij", 10, "abcdefghij" },
		{ "abcdefghij", 9, "abc...hij" },
		{ "abcdefghij", 8, "abc...ij" },
		{ "abcdefghij", 5, "a...j" },
		{ "abcdefghij", 3, "abc" },
		{ "", 0, "" },
		{ "\u00e4bcdefghi\u00f6", 9, "\u00e4bc...hi\u00f6" },
		{ "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 5, "\u00e4...\u00e4" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		strcpy(text, cases[i].in);
		mm_fit_shorten(text, cases[i].width);
		tap(!strcmp(text, cases[i].out), "shortened to %u: %s", cases[i].width, text);
	}
}

static void test_cut(void)
{
	static const struct {
		const char *in;
		unsigned int width;
		const char *out;
	} cases[] = {
		{ "abcdefghij", 10, "abcdefghij" },
		{ "abcdefghij", 9, "abcdef..." },
		{ "abcdefghij", 4, "abcd" },
		{ "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 5, "\u00e4\u00e4..." },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		strcpy(text, cases[i].in);
		mm_fit_cut(text, cases[i].width);
		tap(!strcmp(text, cases[i].out), "cut to %u: %s", cases[i].width, text);
	}
}

static void test_fit(void)
{
	static const struct {
		unsigned int width;
		const char *line; /* a row */
		const char *not_shown;
	} cases[] = {
		{ 0, "  a name that is quite long      1              2  end", NULL },
		{ 55, "  a name that is quite long      1              2  end", NULL },
		{ 54, "  a name that is quite long      1  end",
		  "  (not shown: size in words; --wide shows all columns)\n" },
		{ 39, "  a name that is quite long      1",
		  "  (not shown: size in words, last;\n  --wide shows all columns)\n" },
		{ 33, "  a name that...quite long      1",
		  "  (not shown: size in words,\n  last; --wide shows all columns)\n" },
		{ 18, "  a n...ong      1",
		  "  (not shown: size\n  in words, last;\n  --wide shows all\n  columns)\n" },
		{ 4, "  a n...ong      1",
		  "  (not\n  shown:\n  size\n  in\n  words,\n  last;\n  --wide\n  shows\n  all\n  columns)\n" },
	};
	struct mm_report *report = create();
	struct mm_cell *row = mm_table_row(report, mm_report_table(report, &table_def));
	char *text;

	mm_cell_set_s(&row[0], "a name that is quite long");
	mm_cell_set_u(&row[1], 1);
	mm_cell_set_u(&row[2], 2);
	mm_cell_set_s(&row[3], "end");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[80];

		text = render(report, 0, cases[i].width);
		snprintf(line, sizeof(line), "\n%s\n", cases[i].line);
		tap(strstr(text, line), "%u columns: the row", cases[i].width);
		tap(!strstr(text, cases[i].not_shown ? cases[i].not_shown : "--wide") ==
			    !cases[i].not_shown,
		    "%u columns: omitted ones are named", cases[i].width);
		free(text);
	}
	mm_table_row(report, report->tables[0]);
	mm_report_answer(report, "Answer.");
	mm_report_first_table(report, &table_def, 1);
	text = render_first_in(report, 54, NULL, "t");
	has(text, "\n  ... and 1 more; `--table things` shows all, --wide all columns\n\n",
	    "first: omitted columns are in the line of the omitted rows");
	free(text);
	mm_report_destroy(report);
}

/* The column by which a table is sorted must never be omitted. Long keys are shortened. */
static void test_fit_sorted(void)
{
	static const struct {
		unsigned int width;
		const char *lines;
	} cases[] = {
		{ 0,
		  "\n  a                                                                   1              2  b\n" },
		{ 62, "\n  a                                           1              2\n" },
		{ 30, "\n  a              1              2\n" },
	};
	struct mm_report *report = create();
	struct mm_table *table = mm_report_table(report, &table_def);
	struct mm_cell *row = mm_table_row(report, table);

	mm_cell_set_s(&row[0], "a");
	mm_cell_set_u(&row[1], 1);
	mm_cell_set_u(&row[2], 2);
	mm_cell_set_s(&row[3], "b");
	row = mm_table_row(report, table);
	mm_cell_set_s(&row[0], "a name that is so long that a key cannot be kept as it is here");
	mm_cell_set_u(&row[2], 3);
	mm_table_sort(table, 2, false);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = render(report, 0, cases[i].width);

		tap(strstr(text, cases[i].lines), "%u columns: a long key, and the sorted column",
		    cases[i].width);
		free(text);
	}
	mm_report_destroy(report);
}

/* Tests that sentences wrap at words and flags, but not between a number and its unit. */
static void test_wrap(void)
{
	static const char flags[] = "one two three READ|WRITE|EXEC";
	static const char units[] = "one 933.9 ms, two 5 % by 6 sites";
	static const struct {
		const char *sentence;
		unsigned int width;
		const char *lines;
	} cases[] = {
		{ flags, 0, "  a     one two three READ|WRITE|EXEC\n" },
		{ flags, 21, "  a     one two three\n        READ|WRITE|\n        EXEC\n" },
		{ flags, 20, "  a     one two\n        three READ|\n        WRITE|EXEC\n" },
		{ flags, 16, "  a     one two\n        three\n        READ|\n        WRITE|\n" },
		{ units, 19,
		  "  a     one\n        933.9 ms,\n        two 5 % by\n        6 sites\n" },
		{ units, 18, "  a     one\n        933.9 ms,\n        two 5 % by\n" },
		{ units, 17, "  a     one\n        933.9 ms,\n        two 5 %\n        by 6\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_report *report = create();
		struct mm_cell *row = mm_table_row(report, mm_report_table(report, &sentence_def));
		char *text;

		mm_cell_set_s(&row[0], "a");
		mm_cell_set_s(&row[1], cases[i].sentence);
		text = render(report, 0, cases[i].width);
		tap(strstr(text, cases[i].lines), "%s, %u columns", cases[i].sentence,
		    cases[i].width);
		free(text);
		mm_report_destroy(report);
	}
}

/* Tests that adding metrics does not move existing ones. */
static void test_kept(void)
{
	struct mm_report *report = create();
	struct mm_metric *first = mm_report_metric(report, "toy.plain", NULL);
	char *json;

	for (int i = 0; i < 1000; i++)
		mm_report_metric(report, "toy.labelled", "a", "0.5", NULL);
	mm_cell_set_u(&first->value, 4711);
	json = render(report, true, 0);
	tap(strstr(json, "4711"), "a metric whose value is set last");
	free(json);
	mm_report_destroy(report);
}

static void is_text(char *actual, const char *expected, const char *name)
{
	tap(!strcmp(actual, expected), "%s", name);
	if (strcmp(actual, expected) != 0)
		printf("# expected:\n%s\n# actual:\n%s", expected, actual);
	free(actual);
}

/* Creates a report with two tables, of 4 and 40 rows. */
static struct mm_report *create_tables(void)
{
	struct mm_report *report = create();
	struct mm_table *table = NULL;

	mm_cell_set_b(&report->coverage[MM_COVERAGE_COMPLETE], true);
	mm_cell_set_u(&report->coverage[MM_COVERAGE_STREAMS_VERIFIED], 1);
	for (int i = 0; i < 44; i++) {
		struct mm_cell *row;

		if (!i || i == 4)
			table = mm_report_table(report, i ? &table_def : &sentence_def);
		row = mm_table_row(report, table);
		mm_cell_set_s(&row[0], "a");
		if (i < 4)
			mm_cell_set_s(&row[1], "because");
		else
			mm_cell_set_u(&row[1], (uint64_t)i);
	}
	return report;
}

/*
 * Tests a command that is wider than the terminal. The report must leave room for three lines,
 * because the terminal wraps the command. @report has 40 rows.
 */
static void test_first_wrapped(struct mm_report *report)
{
	char trace[201], *text;
	unsigned int lines = 0;

	memset(trace, 'a', sizeof(trace) - 1);
	trace[sizeof(trace) - 1] = '\0';
	text = render_first(report, NULL, trace);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	tap(lines == MM_FIRST_LINES - 2 && strstr(text, "\n  ... and 24 more; "),
	    "first: a command that a terminal wraps takes three lines (%u)", lines);
	free(text);
}

static void test_first_long(struct mm_report *report)
{
	unsigned int lines = 0;
	char *text;

	for (unsigned int i = 0; i < 22; i++)
		mm_report_answer(report, "Sentence %u.", i);
	text = render_first(report, NULL, "/tmp/t");
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	tap(lines <= MM_FIRST_LINES && !strstr(text, " more; "),
	    "first: long sentences leave no room for a table (%u)", lines);
	free(text);
}

static void test_first(void)
{
	struct mm_report *report = create_tables();
	char *all = render(report, 0, 100), *text;
	unsigned int lines = 0;

	mm_report_first_table(report, &sentence_def, 2);
	mm_report_next(report, "To see why", "lttng-mm report toy TRACE");
	is_text(render_first(report, NULL, "/tmp/t"), all,
		"first: without an answer, all of the report");
	free(all);
	mm_report_finding(report, "A finding.");
	mm_report_note(report, "A note.");
	mm_report_answer(report, "%d of %d \033 fell back.", 2, 3);
	mm_report_answer(
		report, "%s",
		"Another sentence of the answer is so long that it does not quite fit into one "
		"line of one hundred columns.");
	is_text(render_first(report, NULL, "/tmp/t"),
		"Complete: nothing was lost.\n"
		"\n"
		"2 of 3 \\x1b fell back.\n"
		"Another sentence of the answer is so long that it does not quite fit into one line of one hundred\n"
		"columns.\n"
		"\n"
		"Sentences\n"
		"  name  why\n"
		"  a     because\n"
		"  a     because\n"
		"  ... and 2 more; `--table sentences` shows all\n"
		"\n"
		"To see why: lttng-mm report toy /tmp/t\n"
		"More: --all shows everything, --table NAME one table: sentences, things\n",
		"first: losses, answer, the first rows of one table, the next command");
	text = render_first(report, NULL, "it's/a \033trace");
	has(text, "\nTo see why: lttng-mm report toy 'it'\\''s/a \\x1btrace'\n",
	    "first: the trace is a word of the shell");
	free(text);
	text = render_first(report, NULL, "-t");
	has(text, "\nTo see why: lttng-mm report toy ./-t\n",
	    "first: a trace that starts like an option");
	free(text);
	text = render_first(report, " --pid=7", "/tmp/t");
	has(text, "\nTo see why: lttng-mm report toy --pid=7 /tmp/t\n",
	    "first: the next command selects what the report does");
	free(text);
	mm_report_first_table(report, &table_def, 40);
	text = render_first(report, NULL, "/tmp/t");
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	tap(lines == MM_FIRST_LINES && strstr(text, "\n  ... and 22 more; "),
	    "first: as many rows as 30 lines have room for (%u)", lines);
	free(text);
	test_first_wrapped(report);
	test_first_long(report);
	text = render(report, 0, 100);
	has(text,
	    "Complete: no events discarded, no packets lost, truncated or damaged, none of 0 streams missing\n\n2 of 3 \\x1b fell back.\nAnother",
	    "all: the answer comes first");
	has(text, "\n\nA finding.\n\nSentences\n", "all: then findings and tables");
	free(text);
	mm_report_destroy(report);
}

static void test_first_losses(void)
{
	struct mm_report *report = create_tables();
	char *text;

	report->incomplete = report->recorder_lost = true;
	mm_cell_set_b(&report->coverage[MM_COVERAGE_COMPLETE], false);
	mm_cell_set_u(&report->coverage[MM_COVERAGE_PACKETS_LOST], 7);
	mm_cell_set_u(&report->coverage[MM_COVERAGE_EVENTS], 1);
	mm_report_answer(report, "Answer.");
	mm_report_warn(report, "Warning.");
	mm_report_remark(report, "Remark.");
	is_text(render_first(report, NULL, NULL),
		"Warning.\n"
		"Incomplete: 7 packets lost; trace has 1 event.\n"
		"Remedy: record with more or larger sub-buffers (--num-subbuf, --subbuf-size).\n"
		"Remark.\n"
		"\n"
		"Answer.\n"
		"\n"
		"More: --all shows everything, --table NAME one table: sentences, things\n",
		"first: warnings, losses that are not zero, remarks; no table");
	report->incomplete = false;
	mm_cell_set_u(&report->coverage[MM_COVERAGE_STREAMS_VERIFIED], 0);
	text = render_first(report, NULL, NULL);
	has(text,
	    "\nComplete unless a stream is missing: nothing is known to be lost; trace has 1 event.\n",
	    "first: complete on a condition");
	free(text);
	report->unchecked = true;
	text = render_first(report, NULL, NULL);
	has(text, "(not checked inside packets); trace\nhas 1 event.\n",
	    "first: without checksums, only headers were checked");
	free(text);
	report->maybe_paused = report->limits_unknown = true;
	text = render_first(report, NULL, NULL);
	has(text,
	    "(not\nchecked inside packets); a tracker or a filter excluded other events; trace",
	    "first: a pause is possible, and events were excluded");
	free(text);
	mm_report_destroy(report);
}

static void test_named_table(void)
{
	struct mm_report *report = create_tables();
	struct mm_error err = MM_ERROR_INIT;

	mm_table_limit(report->tables[0], 1);
	is_text(render_named(report, "sentences"),
		"Complete: nothing was lost.\n"
		"\n"
		"Sentences\n"
		"  name  why\n"
		"  a     because\n"
		"  a     because\n"
		"  a     because\n"
		"  a     because\n",
		"table: all rows of one");
	is_text(render_named(report, "missing"),
		"Complete: nothing was lost.\n"
		"\n"
		"The table missing has no rows in this report.\n",
		"table: without rows");
	tap(!mm_render_check_table(&schema, "things", &err) &&
		    !mm_render_check_table(&schema, "missing", &err) && !err.code,
	    "table: names of the report and of its coverage");
	tap(mm_render_check_table(&schema, "bins", &err) && err.code == MM_EXIT_BAD_INPUT &&
		    strstr(err.message,
			   "report toy: --table: 'bins' is only in the JSON form; use --json"),
	    "table: an unknown one, and one of the JSON form only: %s", err.message);
	mm_report_destroy(report);
}

int main(void)
{
	test_first();
	test_first_losses();
	test_named_table();
	test_wrap();
	test_declared();
	test_kept();
	test_json();
	test_empty_lines();
	test_rows();
	test_order();
	test_shorten();
	test_cut();
	test_fit();
	test_fit_sorted();
	return tap_status();
}
