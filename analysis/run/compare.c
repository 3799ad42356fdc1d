// SPDX-License-Identifier: LGPL-2.1-only
/* Compares two reports of an analysis, made from traces or read from files. */
#include "analysis/run/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/report/coverage-section.h"
#include "reader/open/open.h"

/*
 * Sets @boot_id to the boot in which the traces at @path were recorded. Fails if there are several
 * boots. Returns 0, or -1 with @err set.
 */
static int find_boot(const struct mm_analysis *analysis, const char *path,
		     const struct mm_source_options *options, uint8_t boot_id[16],
		     struct mm_error *err)
{
	struct mm_source *source;
	int ret;

	source = mm_source_open(path, options, err);
	if (!source)
		return -1;
	ret = mm_source_identify(source, err);
	for (size_t i = 0; i < mm_source_folder_count(source) && !ret; i++) {
		const struct mm_trace_id *id = mm_source_id_at(source, i);

		if (!id->has_boot_id)
			ret = mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"report %s: --compare: %s: the trace does not state its boot (the UUID of its clock)",
				analysis->name, path);
		else if (i && memcmp(boot_id, id->boot_id, sizeof(id->boot_id)) != 0)
			ret = mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"report %s: --compare: %s: contains traces of several boots; give the folder of one snapshot",
				analysis->name, path);
		else
			memcpy(boot_id, id->boot_id, sizeof(id->boot_id));
	}
	mm_source_destroy(source);
	return ret;
}

int mm_compare_check_boots(const struct mm_analysis *analysis, const char *older, const char *newer,
			   const struct mm_source_options *options, struct mm_error *err)
{
	uint8_t boots[2][16];

	if (find_boot(analysis, older, options, boots[0], err) ||
	    find_boot(analysis, newer, options, boots[1], err))
		return -1;
	if (memcmp(boots[0], boots[1], sizeof(boots[0])) != 0)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: --compare: %s and %s are of different boots; compare snapshots of one boot, or stored reports (--json) of both",
			analysis->name, older, newer);
	return 0;
}

/*
 * Checks that the newer snapshot ends later. Start times do not show which snapshot is newer: until
 * the buffers wrap, all snapshots of a session start at the same time, apart from errors of some
 * hundred nanoseconds in their clock offsets.
 */
static int check_order(const struct mm_analysis *analysis, const struct mm_compare_side sides[2],
		       struct mm_error *err)
{
	const struct mm_report *const reports[2] = { sides[0].report, sides[1].report };

	for (int i = 0; i < 2; i++)
		if (reports[i]->coverage[MM_COVERAGE_START_NS].kind == MM_CELL_EMPTY ||
		    reports[i]->coverage[MM_COVERAGE_END_NS].kind == MM_CELL_EMPTY)
			return mm_error_set(err, MM_EXIT_BAD_INPUT,
					    "report %s: --compare: %s: no events to compare",
					    analysis->name, sides[i].path);
	if (reports[1]->coverage[MM_COVERAGE_END_NS].u > reports[0]->coverage[MM_COVERAGE_END_NS].u)
		return 0;
	if (reports[1]->coverage[MM_COVERAGE_END_NS].u ==
		    reports[0]->coverage[MM_COVERAGE_END_NS].u &&
	    reports[1]->coverage[MM_COVERAGE_START_NS].u ==
		    reports[0]->coverage[MM_COVERAGE_START_NS].u)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "report %s: --compare: %s and %s are the same trace",
				    analysis->name, sides[0].path, sides[1].path);
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"report %s: --compare: %s does not end later than %s; give the older snapshot first",
		analysis->name, sides[1].path, sides[0].path);
}

/* Returns the length of the first option's name, such as "--pid". */
static size_t name_length(const char *selection)
{
	return strcspn(selection, "= ");
}

/* Skips the first option. Its argument may be quoted: "--cache='a b'". */
static const char *skip_option(const char *selection)
{
	char quote = 0;

	for (; *selection && (quote || *selection != ' '); selection++)
		if (*selection == '\\' && quote != '\'' && selection[1])
			selection++;
		else if (quote ? *selection == quote : *selection == '\'' || *selection == '"')
			quote = quote ? 0 : *selection;
	return selection + strspn(selection, " ");
}

/*
 * Do both selections have the same options? Arguments may differ, because process ids change with
 * each run.
 */
static bool have_same_options(const char *x, const char *y)
{
	while (*x && *y) {
		if (name_length(x) != name_length(y) || strncmp(x, y, name_length(x)) != 0)
			return false;
		x = skip_option(x);
		y = skip_option(y);
	}
	return *x == *y;
}

static const char *selection_of(const struct mm_compare_side *side, const char *given)
{
	const char *selection = side->stored ? side->report->selection : given;

	return selection ? selection : "";
}

static int refuse_stored(const struct mm_analysis *analysis, const struct mm_compare_side *side,
			 const char *wanted, struct mm_error *err)
{
	if (*wanted)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: --compare: %s was made without %s: make it with `lttng-mm report %s %s --json`",
			analysis->name, side->path, wanted, analysis->name, wanted);
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"report %s: --compare: the report %s was made with %s; give that option, too, or make a new report with `lttng-mm report %s --json`",
		analysis->name, side->path, side->report->selection, analysis->name);
}

/*
 * Refuses to compare reports that select different parts of their traces. @given contains the
 * options on the command line that select a part, such as "--pid=7".
 */
static int check_selections(const struct mm_analysis *analysis,
			    const struct mm_compare_side sides[2], const char *given,
			    struct mm_error *err)
{
	bool all_stored = sides[0].stored && sides[1].stored;

	for (int i = 0; i < 2 && all_stored && *given; i++)
		if (strcmp(selection_of(&sides[i], given), given) != 0)
			return refuse_stored(analysis, &sides[i], given, err);
	for (int i = 0; i < 2; i++) {
		const char *own = selection_of(&sides[i], given);
		const char *other = selection_of(&sides[!i], given);

		if (!sides[i].stored || have_same_options(own, other))
			continue;
		/* The other report was made without options. The next iteration refuses it. */
		if (all_stored && !*other && *own)
			continue;
		return refuse_stored(analysis, &sides[i], other, err);
	}
	return 0;
}

int mm_compare_check_selections(const struct mm_analysis *analysis,
				const struct mm_compare_side sides[2],
				const struct mm_report_options *options,
				const struct mm_source_options *source_options,
				struct mm_error *err)
{
	char *given;
	int ret;

	if (!sides[0].stored && !sides[1].stored)
		return 0;
	if (sides[0].stored && sides[1].stored &&
	    (source_options->begin_text || source_options->end_text || source_options->range_text))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report %s: --compare: --begin, --end and --timerange apply to traces, but both sides are stored reports; omit these options",
			analysis->name);
	given = mm_options_selection(analysis->options, options);
	if (!given)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	ret = check_selections(analysis, sides, given, err);
	free(given);
	return ret;
}

static void copy_cell(struct mm_cell *to, const struct mm_cell *from)
{
	if (from->kind == MM_CELL_STRING) {
		mm_cell_set_s(to, from->s);
		return;
	}
	to->kind = from->kind;
	to->u = from->u;
	to->r = from->r;
	to->least = from->least;
}

static void copy_rows(struct mm_report *report, struct mm_table *to, const struct mm_table *from)
{
	for (size_t r = 0; r < from->row_count; r++) {
		struct mm_cell *row = mm_table_row(report, to);

		for (size_t c = 0; row && c < from->column_count; c++)
			copy_cell(&row[c], &from->cells[r * from->column_count + c]);
	}
}

static bool is_false(const struct mm_cell *cell)
{
	return cell->kind == MM_CELL_BOOLEAN && !cell->u;
}

static bool have_same_limits(const struct mm_report *const reports[2])
{
	const struct mm_cell *was = &reports[0]->coverage[MM_COVERAGE_LIMITED_TO];
	const struct mm_cell *is = &reports[1]->coverage[MM_COVERAGE_LIMITED_TO];

	return !reports[0]->limits_unknown && !reports[1]->limits_unknown &&
	       was->kind == is->kind && (was->kind != MM_CELL_STRING || !strcmp(was->s, is->s));
}

/* Joins the time ranges. Reports of different boots have no time range in common. */
static void join_range(const struct mm_report *const reports[2], bool one_boot,
		       struct mm_report *report)
{
	const struct mm_cell *was = reports[0]->coverage, *is = reports[1]->coverage;
	struct mm_cell *to = report->coverage;

	if (!one_boot) {
		to[MM_COVERAGE_START_NS].kind = MM_CELL_EMPTY;
		to[MM_COVERAGE_END_NS].kind = MM_CELL_EMPTY;
		to[MM_COVERAGE_DURATION_NS].kind = MM_CELL_EMPTY;
		return;
	}
	if (was[MM_COVERAGE_START_NS].u < is[MM_COVERAGE_START_NS].u)
		to[MM_COVERAGE_START_NS].u = was[MM_COVERAGE_START_NS].u;
	mm_cell_set_u(&to[MM_COVERAGE_DURATION_NS],
		      is[MM_COVERAGE_END_NS].u - to[MM_COVERAGE_START_NS].u);
}

/* Keeps facts about the machine if they are equal in both reports. */
static void join_machine(const struct mm_report *const reports[2], struct mm_report *report)
{
	static const enum mm_coverage_key keys[] = {
		MM_COVERAGE_CPUS,
		MM_COVERAGE_KERNEL_RELEASE,
		MM_COVERAGE_HOSTNAME,
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct mm_cell *was = &reports[0]->coverage[keys[i]];
		const struct mm_cell *is = &reports[1]->coverage[keys[i]];
		bool same =
			was->kind == is->kind &&
			(was->kind == MM_CELL_STRING ? !strcmp(was->s, is->s) : was->u == is->u);

		if (same)
			continue;
		mm_cell_release(&report->coverage[keys[i]]);
		report->coverage[keys[i]] = (struct mm_cell){ .kind = MM_CELL_EMPTY };
	}
}

/* Joins the flags that the head of the text form shows. */
static void join_flags(const struct mm_report *const reports[2], struct mm_report *report)
{
	report->newer_damaged = !reports[0]->damaged;
	report->newer_incomplete = !reports[0]->incomplete;
	for (int k = 0; k < 2; k++) {
		report->incomplete |= reports[k]->incomplete;
		report->maybe_paused |= reports[k]->maybe_paused;
		report->unchecked |= reports[k]->unchecked;
		report->state_lost |= reports[k]->state_lost;
		report->state_missing += reports[k]->state_missing;
		report->recorder_lost |= reports[k]->recorder_lost;
		report->damaged |= reports[k]->damaged;
		report->doubts |= reports[k]->doubts;
		report->failed |= mm_report_failed(reports[k]);
	}
}

/* Joins both coverages. Adds up events and losses. */
static void join_coverage(const struct mm_report *const reports[2], bool one_boot,
			  struct mm_report *report)
{
	const struct mm_cell *was = reports[0]->coverage, *is = reports[1]->coverage;
	struct mm_cell *to = report->coverage;
	bool same_limits = have_same_limits(reports);

	for (int i = 0; i < MM_COVERAGE_COUNT; i++)
		if (i != MM_COVERAGE_LIMITED_TO || same_limits)
			copy_cell(&to[i], &is[i]);
	for (int i = MM_COVERAGE_EVENTS; i <= MM_COVERAGE_POSSIBLE_PAUSES_NS; i++)
		if (was[i].kind == MM_CELL_UNSIGNED && is[i].kind == MM_CELL_UNSIGNED)
			mm_cell_set_u(&to[i], was[i].u + is[i].u);
	join_range(reports, one_boot, report);
	join_machine(reports, report);
	if (is_false(&was[MM_COVERAGE_COMPLETE]) || is_false(&is[MM_COVERAGE_COMPLETE]))
		mm_cell_set_b(&to[MM_COVERAGE_COMPLETE], false);
	else if (was[MM_COVERAGE_COMPLETE].kind == MM_CELL_EMPTY)
		to[MM_COVERAGE_COMPLETE].kind = MM_CELL_EMPTY;
	if (!same_limits)
		mm_coverage_set_limits_unknown(report);
	to[MM_COVERAGE_STREAMS_VERIFIED].u &= was[MM_COVERAGE_STREAMS_VERIFIED].u;
	if (to[MM_COVERAGE_UNVERIFIABLE].kind == MM_CELL_EMPTY)
		copy_cell(&to[MM_COVERAGE_UNVERIFIABLE], &was[MM_COVERAGE_UNVERIFIABLE]);
	/* Shares cannot be added up. */
	to[MM_COVERAGE_RECORDER_SHARE].kind = MM_CELL_EMPTY;
	for (int i = 0; i < MM_COVERAGE_TABLES; i++)
		for (int k = 0; k < 2; k++)
			copy_rows(report, report->coverage_tables[i],
				  reports[k]->coverage_tables[i]);
	join_flags(reports, report);
	report->is_comparison = true;
}

/* Sets the report's name in the JSON form, such as "dax-compare". */
static void set_name(const struct mm_analysis *analysis, struct mm_report *report)
{
	char name[64];

	snprintf(name, sizeof(name), "%s-compare", analysis->name);
	mm_report_set_name(report, name);
}

bool mm_compare_is_of_one_boot(const struct mm_analysis *analysis, bool any_stored)
{
	return analysis->compare && !any_stored;
}

/*
 * Turns the answers of the general comparison into findings, because mm_analysis.compare() adds
 * answers of its own.
 */
static void demote_answer(struct mm_report *report)
{
	for (size_t i = 0; i < report->answer_count; i++) {
		mm_report_finding(report, "%s", report->answer[i]);
		free(report->answer[i]);
	}
	report->answer_count = 0;
}

struct mm_report *mm_analysis_compare(const struct mm_analysis *analysis,
				      const struct mm_compare_side sides[2], unsigned int top,
				      struct mm_error *err)
{
	const struct mm_report *const reports[2] = { sides[0].report, sides[1].report };
	bool one_boot = mm_compare_is_of_one_boot(analysis, sides[0].stored || sides[1].stored);
	struct mm_report *report;

	if (one_boot && check_order(analysis, sides, err))
		return NULL;
	report = mm_report_create(one_boot ? analysis->compare_schema : &mm_compare_schema);
	if (report) {
		set_name(analysis, report);
		mm_report_compare(sides, report);
		if (one_boot) {
			demote_answer(report);
			analysis->compare(reports[0], reports[1], report);
		}
		join_coverage(reports, one_boot, report);
		for (size_t i = 0; i < report->table_count; i++)
			mm_table_limit(report->tables[i], top);
	}
	if (report && !mm_report_failed(report) && !report->undeclared)
		return report;
	if (report && report->undeclared)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report %s: '%s' is not in the schema",
			     analysis->name, report->undeclared);
	else
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	mm_report_destroy(report);
	return NULL;
}
