// SPDX-License-Identifier: LGPL-2.1-only
/* Metrics and tables of a comparison of two reports. */
#include "reader/report/compare-pairs.h"

#define OF_SIDE { "side", NULL }, NULL, MM_UNSCALED

static const struct mm_metric_def metrics[] = {
	{ "compare.complete", MM_BOOLEAN, MM_MORE_IS_BETTER,
	  "the side is complete, according to its coverage; `side`: `old` or `new`; null: not known",
	  OF_SIDE },
	{ "compare.duration_ns", MM_NS, MM_NEUTRAL, "time that a side covers; null: not known",
	  OF_SIDE },
	{ "compare.conclusive",
	  MM_BOOLEAN,
	  MM_MORE_IS_BETTER,
	  "only changes can explain the differences: both sides are complete, have the same number of CPUs, are limited to the same events, and do not overlap in time",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "compare.figures",
	  MM_COUNT("figures"),
	  MM_NEUTRAL,
	  "figures of both sides by verdict; `of`: `metrics` or `rows`; `verdict` as in the table `differences`, and `same`",
	  { "of", "verdict", NULL },
	  NULL,
	  MM_UNSCALED },
	{ 0 },
};

static const struct mm_column difference_columns[] = {
	[MM_DIFFERENCES_VERDICT] = { "verdict", "verdict", MM_TEXT, MM_KEEP,
				     "`worse`, `better`, `changed` (more is neither worse nor better), `new` (only NEW has it), `gone` (only OLD has it), `similar` (the values differ by less than 5 % of the larger one, or, for counts, by less than 3), `undetermined` (see `reason`), `unknown` (the value of a side is not known)" },
	[MM_DIFFERENCES_WHAT] = { "what", "figure", MM_TEXT, MM_SHORTEN(0, 40),
				  "metric, or table and column, with the labels, as text; the text form has the labels first" },
	[MM_DIFFERENCES_NAME] = { "name", NULL, MM_TEXT, MM_KEEP, "name of the metric or column" },
	[MM_DIFFERENCES_TABLE] = { "table", NULL, MM_TEXT, MM_KEEP,
				   "table of the column; null: a metric" },
	[MM_DIFFERENCES_LABELS] = { "labels", NULL, MM_LIST, MM_KEEP,
				    "labels that identify the metric or row: names and values in turn" },
	[MM_DIFFERENCES_UNIT] = { "unit", NULL, MM_TEXT, MM_KEEP, "unit of the figure" },
	[MM_DIFFERENCES_DIRECTION] = { "direction", NULL, MM_TEXT, MM_KEEP,
				       "`less-is-better`, `more-is-better` or `neutral`" },
	[MM_DIFFERENCES_SCALING] = { "scaling", NULL, MM_TEXT, MM_KEEP,
				     "`sum`, `steady` or `none`, as for the metric or column" },
	[MM_DIFFERENCES_OLD] = { "old", "old", MM_REAL(""), MM_KEEP,
				 "figure of OLD; the text form shows the figure per second if sums are compared per second; null: absent, or not known" },
	[MM_DIFFERENCES_NEW] = { "new", "new", MM_REAL(""), MM_KEEP, "figure of NEW, likewise" },
	[MM_DIFFERENCES_OLD_PER_SECOND] = { "old_per_second", NULL, MM_REAL(""), MM_KEEP,
					    "figure of OLD per second; null unless the figures are compared per second" },
	[MM_DIFFERENCES_NEW_PER_SECOND] = { "new_per_second", NULL, MM_REAL(""), MM_KEEP,
					    "figure of NEW per second, likewise" },
	[MM_DIFFERENCES_CHANGE] = { "change", NULL, MM_REAL(""), MM_KEEP,
				    "compared figure of NEW minus that of OLD; null if either is not known" },
	[MM_DIFFERENCES_CHANGE_PERCENT] = { "change_percent", "change", MM_REAL("percent"), MM_KEEP,
					    "`change` in percent of the figure of OLD; null if that figure is 0" },
	[MM_DIFFERENCES_OLD_SAMPLES] = { "old_samples", "n", MM_COUNT("samples"), MM_DROP(1),
					 "number of observations behind the figure of OLD, if it is a statistic" },
	[MM_DIFFERENCES_NEW_SAMPLES] = { "new_samples", NULL, MM_COUNT("samples"), MM_KEEP,
					 "number of observations behind the figure of NEW, likewise" },
	[MM_DIFFERENCES_REASON] = { "reason", "reason", MM_TEXT, MM_DROP(2),
				    "why the verdict is `undetermined`: `incomplete` (data of a side are missing), `duration` (the durations differ, and the figure depends on them in an unknown way), `samples` (too few for a statistic), `bound` (a figure is only a bound), `overlap` (both sides contain the events of the same time)" },
	{ 0 },
};

const struct mm_table_def mm_compare_differences = {
	"differences", "Differences, worst first",
	"similar: the values differ by less than 5 %, or, for counts, by less than 3; n: samples",
	"each figure that differs between the two sides; for a row that only one side has, only the first figure",
	difference_columns
};

static const struct mm_column side_columns[] = {
	[MM_SIDE_SIDE] = { "side", NULL, MM_TEXT, MM_KEEP, "`old` or `new`" },
	[MM_SIDE_PATH] = { "path", NULL, MM_TEXT, MM_KEEP, "trace or file, as given" },
	[MM_SIDE_STORED] = { "stored", NULL, MM_BOOLEAN, MM_KEEP,
			     "the side is a stored report, not a trace" },
	[MM_SIDE_SELECTION] = { "selection", NULL, MM_TEXT, MM_KEEP,
				"options that restricted the report; null: none" },
	[MM_SIDE_COMPLETE] = { "complete", NULL, MM_BOOLEAN, MM_KEEP,
			       "`complete` of the coverage" },
	[MM_SIDE_START_NS] = { "start_ns", NULL, MM_NS, MM_KEEP, "`start_ns` of the coverage" },
	[MM_SIDE_DURATION_NS] = { "duration_ns", NULL, MM_NS, MM_KEEP,
				  "`duration_ns` of the coverage" },
	[MM_SIDE_CPUS] = { "cpus", NULL, MM_COUNT("CPUs"), MM_KEEP, "`cpus` of the coverage" },
	[MM_SIDE_KERNEL_RELEASE] = { "kernel_release", NULL, MM_TEXT, MM_KEEP,
				     "`kernel_release` of the coverage" },
	[MM_SIDE_HOSTNAME] = { "hostname", NULL, MM_TEXT, MM_KEEP, "`hostname` of the coverage" },
	[MM_SIDE_EVENTS] = { "events", NULL, MM_COUNT("events"), MM_KEEP,
			     "`events` of the coverage" },
	[MM_SIDE_EVENTS_DISCARDED] = { "events_discarded", NULL, MM_COUNT("events"), MM_KEEP,
				       "`events_discarded` of the coverage" },
	[MM_SIDE_PACKETS_LOST] = { "packets_lost", NULL, MM_COUNT("packets"), MM_KEEP,
				   "`packets_lost` of the coverage" },
	[MM_SIDE_STREAMS_MISSING] = { "streams_missing", NULL, MM_COUNT("streams"), MM_KEEP,
				      "`streams_missing` of the coverage" },
	[MM_SIDE_LIMITED_TO] = { "limited_to", NULL, MM_TEXT, MM_KEEP,
				 "`limited_to` of the coverage" },
	{ 0 },
};

const struct mm_table_def mm_compare_side_table = { "sides", NULL, NULL,
						    "each side: first OLD, then NEW",
						    side_columns };

static const struct mm_table_def *const tables[] = {
	&mm_compare_differences,
	&mm_compare_side_table,
	NULL,
};

const struct mm_report_schema mm_compare_schema = { "compare", metrics, tables, NULL, NULL, NULL };
