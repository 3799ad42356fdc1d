// SPDX-License-Identifier: LGPL-2.1-only
/* Tests base files: reading returns what was written, and messages name the faults of a file. */
#include "regress/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/dax/dax-schema.h"
#include "analysis/registry/registry.h"
#include "tests/tap.h"

#define RUNS 3

static struct mm_catalogue catalogue;
static char path[] = "/tmp/lttng-mm-base-XXXXXX";

static void add_file(struct mm_report *report, struct mm_table *table, const char *file,
		     uint64_t fallbacks)
{
	struct mm_cell *cells = mm_table_row(report, table);

	if (file)
		mm_cell_set_s(&cells[DAX_FILES_PATH], file);
	mm_cell_set_u(&cells[DAX_FILES_PMD_FALLBACKS], fallbacks);
}

/*
 * Makes a run with files and three metrics: one without labels, one with a label, and one that is
 * null in the last run.
 */
static void make_run(struct regress_run *run, unsigned int number)
{
	struct mm_report *report = mm_report_create(mm_analysis_find("dax")->schema);
	struct mm_table *table = mm_report_table(report, &dax_table_files);

	mm_report_count(report, 100 + number, "dax.pmd_fallbacks");
	mm_report_count(report, number, "dax.fallback.cause", "a\"b\\c*d\n\xec\xc2\x85\\x41");
	mm_report_count(report, 50, "dax.pmd_faults");
	report->metrics[report->metric_count - 1]->value.least = true;
	mm_report_count(report, 60, "dax.pmd_mapped");
	report->metrics[report->metric_count - 1]->value.most = true;
	if (number + 1 < RUNS)
		mm_report_count(report, UINT64_C(1) << 40, "dax.pte_faults");
	else
		mm_report_metric(report, "dax.pte_faults", NULL);
	add_file(report, table, "/a \"quoted\"", 10 + number);
	add_file(report, table, "/b", 5 - number);
	add_file(report, table, NULL, 7);
	mm_cell_set_b(&report->coverage[MM_COVERAGE_COMPLETE], true);
	mm_cell_set_u(&report->coverage[MM_COVERAGE_DURATION_NS], 1000 * (number + 1));
	if (mm_report_failed(report) || report->undeclared)
		tap_bail("the report cannot be made");
	run->reports[regress_schema_find("dax")] = report;
	run->facts = json_pack("{s:s, s:s, s:s, s:s}", "kernel", "6.12.1 1a2b", "probes",
			       "lttng_probe_dax 99", "machine", "2 CPUs, 1987 MiB", "clock",
			       REGRESS_INSTRUCTIONS);
}

static const struct regress_value *find(const struct regress_base *base, size_t run,
					const char *name)
{
	for (size_t i = 0; i < base->side.values[run].count; i++)
		if (!strcmp(base->side.values[run].all[i].item->name, name))
			return &base->side.values[run].all[i];
	return NULL;
}

static bool is_number(const struct regress_value *value, double number)
{
	return value && value->figure.cell.kind != MM_CELL_EMPTY &&
	       regress_value_number(value) == number;
}

static void check_round_trip(void)
{
	struct regress_run all[RUNS] = { { .path = (char *)"run" } };
	const struct regress_runs runs = { .all = all, .count = RUNS };
	struct mm_error err = MM_ERROR_INIT;
	const struct regress_value *cause;
	const struct mm_table *table;
	struct regress_base base;
	struct regress_side side;
	struct stat st;

	for (unsigned int i = 0; i < RUNS; i++)
		make_run(&all[i], i);
	if (regress_side_collect(&side, &runs, &catalogue) ||
	    regress_base_write(path, &side, "2026-11-30", "dax", "make 'a b'", &err) ||
	    regress_base_read(&base, path, &catalogue, &err))
		tap_bail("%s", err.message);
	tap(base.side.count == RUNS && base.side.is_command, "all runs are read");
	tap(!strcmp(base.side.kernel, "6.12.1 1a2b") &&
		    !strcmp(base.side.probes, "lttng_probe_dax 99") &&
		    !strcmp(base.side.machine, "2 CPUs, 1987 MiB") &&
		    !strcmp(base.side.clock, REGRESS_INSTRUCTIONS),
	    "kernel, probes, machine and clock");
	tap(!strcmp(base.profiles, "dax") && !strcmp(base.command, "make 'a b'") &&
		    !strcmp(base.accepted, "2026-11-30"),
	    "profiles, command and date");
	tap(is_number(find(&base, 0, "dax.pmd_fallbacks"), 100) &&
		    is_number(find(&base, 2, "dax.pmd_fallbacks"), 102),
	    "values of a metric");
	cause = find(&base, 1, "dax.fallback.cause");
	tap(is_number(cause, 1) && !strcmp(cause->texts[0], "a\"b\\c*d\n\xec\xc2\x85\\x41"),
	    "a hostile label");
	tap(is_number(find(&base, 1, "dax.pte_faults"), 0x1p40) &&
		    find(&base, 2, "dax.pte_faults")->figure.cell.kind == MM_CELL_EMPTY,
	    "a value that is not known");
	tap(is_number(find(&base, 0, "dax.pmd_faults"), 50) &&
		    find(&base, 0, "dax.pmd_faults")->figure.cell.least &&
		    !find(&base, 0, "dax.pmd_faults")->figure.cell.most,
	    "a lower bound");
	tap(is_number(find(&base, 0, "dax.pmd_mapped"), 60) &&
		    find(&base, 0, "dax.pmd_mapped")->figure.cell.most &&
		    !find(&base, 0, "dax.pmd_mapped")->figure.cell.least,
	    "an upper bound");
	table = all[2].reports[regress_schema_find("dax")]->tables[0];
	tap(regress_rows_value(&base.rows, table, 0, "pmd_fallbacks") == 12 &&
		    regress_rows_value(&base.rows, table, 1, "pmd_fallbacks") == 5,
	    "rows: the largest value in any run");
	tap(regress_rows_value(&base.rows, table, 2, "pmd_fallbacks") == 0,
	    "rows without a name are not stored");
	tap(regress_rows_value(&base.rows, table, 0, "fallback_ns") == 0, "rows: another column");
	tap(!stat(path, &st) && (st.st_mode & 0777) == 0644, "others can read the file");
	regress_base_release(&base);
	regress_side_release(&side);
	for (unsigned int i = 0; i < RUNS; i++) {
		mm_report_destroy(all[i].reports[regress_schema_find("dax")]);
		json_decref(all[i].facts);
	}
}

#define START "@format 1\n"

/* Messages start with "gate: FILE". The table contains the text after that. */
static const struct {
	const char *what, *text, *message; /* @message NULL: valid */
} files[] = {
	{ "comments, empty lines, an unknown fact and an unknown metric",
	  "# x\n\n" START "@new x\nnew.metric{a=\"b\"} 1 2 3\ndax.pmd_faults 1 2\n", NULL },
	{ "no format", "dax.pmd_faults 1 2\n", ": not a base file: the line @format is missing" },
	{ "another format", "@format 2\n", ":1: format 2, but this version reads format 1" },
	{ "no metric", START, ": the file has no metric" },
	{ "no numbers", START "dax.pmd_faults\n", ":2: numbers are missing" },
	{ "no number", START "dax.pmd_faults 1 x\n", ":2: 'x' is not a number" },
	{ "bounds", START "dax.pmd_faults >=1 <=2\n", NULL },
	{ "a bound without a number", START "dax.pmd_faults >= 1\n", ":2: ' 1' is not a number" },
	{ "not finite", START "dax.pmd_faults 1 nan\n", ":2: 'nan' is not a number" },
	{ "another number of values", START "dax.pmd_faults 1 2\ndax.pmd_mapped 1\n",
	  ":3: 1 values, but 2 in the lines above" },
	{ "wrong labels", START "dax.fallback.cause{x=\"a\"} 1\n",
	  ":2: the labels of dax.fallback.cause are not valid" },
	{ "no labels", START "dax.fallback.cause 1\n",
	  ":2: the labels of dax.fallback.cause are not valid" },
	{ "a row, and one of a metric that is no row",
	  START
	  "dax.pmd_faults 1 2\n+slab.call_site.allocations{call_site=\"a+0x1\",kind=\"b\"} 3\n+dax.pmd_faults 7\n",
	  NULL },
	{ "a row with two values",
	  START
	  "dax.pmd_faults 1 2\n+slab.call_site.allocations{call_site=\"a+0x1\",kind=\"b\"} 3 4\n",
	  ":3: 2 values, but a row has 1" },
	{ "an open quote", START "dax.fallback.cause{cause=\"a} 1\n",
	  ":2: the labels of dax.fallback.cause are not valid" },
	{ "a wrong date", START "@accepted yesterday\n", ":2: 'yesterday' is not a date" },
	{ "a fact without text", START "@kernel\n", ":2: '@kernel' has no text" },
};

static void check_files(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		struct regress_base base;
		FILE *out = fopen(path, "w");
		bool ok;

		if (!out || fputs(files[i].text, out) < 0 || fclose(out))
			tap_bail("%s: cannot be written", path);
		regress_base_read(&base, path, &catalogue, &err);
		ok = files[i].message ? err.code == MM_EXIT_BAD_INPUT &&
						strstr(err.message, files[i].message)
				      : !err.code;
		tap(ok, "file: %s", files[i].what);
		if (!ok)
			printf("# %d %s\n", err.code, err.message);
		regress_base_release(&base);
	}
}

/* Reads the file and writes it again. */
static void rewrite(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct regress_base base;

	if (regress_base_read(&base, path, &catalogue, &err) ||
	    regress_base_write(path, &base.side, "2026-11-30", "fn", "true", &err))
		tap_bail("%s", err.message);
	regress_base_release(&base);
}

/*
 * Quantiles of functions are rounded up. The value >=5000 therefore means at least
 * 5000 * 128 / 129. It must mean the same after each reading and writing.
 */
static void check_rewritten(void)
{
	static const char text[] =
		START "fn.latency_ns{function=\"f\",q=\"0.5\"} >=5000 >=1 >=123456789 4000\n"
		      "fn.latency_ns{function=\"f\",q=\"1\"} >=5001 2 3 4\n";
	char line[1024] = "";
	FILE *file = fopen(path, "w");
	unsigned int lines = 0;

	if (!file || fputs(text, file) < 0 || fclose(file))
		tap_bail("%s: cannot be written", path);
	for (unsigned int i = 0; i < 5; i++)
		rewrite();
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "fn.", 3) && strstr(text, line))
			lines++;
		else if (*line != '@')
			printf("# %s", line);
	}
	tap(lines == 2, "bounds of rounded quantiles stay the same when a file is written again");
	if (file)
		fclose(file);
}

static void check_facts(void)
{
	tap(regress_base_age("2026-08-31", "2026-11-30") == 91, "91 days");
	tap(regress_base_age("2026-11-30", "2026-11-29") == 0, "a date in the future");
	tap(regress_base_age("x", "2026-11-29") == -1, "no date");
	tap(regress_machines_match("2 CPUs, 1987 MiB", "2 CPUs, 1985 MiB"), "almost equal memory");
	tap(!regress_machines_match("2 CPUs, 1987 MiB", "2 CPUs, 3987 MiB"), "other memory");
	tap(!regress_machines_match("2 CPUs, 1987 MiB", "4 CPUs, 1987 MiB"), "more CPUs");
	tap(!regress_machines_match(NULL, NULL), "machines that are not known");
}

int main(void)
{
	if (regress_catalogue(&catalogue) || mkstemp(path) < 0)
		tap_bail("the test cannot be prepared");
	check_round_trip();
	check_files();
	check_rewritten();
	check_facts();
	unlink(path);
	mm_catalogue_release(&catalogue);
	return tap_status();
}
