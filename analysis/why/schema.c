// SPDX-License-Identifier: LGPL-2.1-only
/* Metrics and tables of the report of slow intervals. */
#include "analysis/why/schema.h"

#include <stddef.h>

static const struct mm_metric_def metrics[] = {
	{ "why.intervals",
	  MM_COUNT("intervals"),
	  MM_NEUTRAL,
	  "complete intervals: calls of a function, DAX faults, pairs of the events that --pair names",
	  { "of", NULL },
	  NULL,
	  MM_SUM },
	{ "why.incomplete",
	  MM_COUNT("intervals"),
	  MM_NEUTRAL,
	  "starts and ends that make no complete interval: `not_ended` (open at the end of the trace or of the time range), `without_start` (an end without an open start in its thread: the start is too early, was not recorded, or has another end), `without_end` (the thread continued, but the end was not recorded), `started_again` (another start precedes the end), `thread_ended` (the thread exited), `undetermined` (events may be missing in between), `too_deep` (nested in more than 512 calls), `no_thread` (the thread is not known)",
	  { "what", NULL },
	  NULL,
	  MM_UNSCALED },
	{ "why.recorder.intervals",
	  MM_COUNT("intervals"),
	  MM_NEUTRAL,
	  "ends of intervals of the recorder's own processes; these intervals are left out; null if the recorder's processes are not known, or with --include-recorder",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "why.uncertain",
	  MM_COUNT("intervals"),
	  MM_NEUTRAL,
	  "complete intervals that were paired although a stream is missing or ends early",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "why.part_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "time of the listed intervals by part: `self` (in functions, on the CPU, without recorded callees; without sched_switch also off the CPU), `off_cpu`, `interrupt`, `undetermined` (an entry, an exit or a switch of threads is missing)",
	  { "part", NULL },
	  NULL,
	  MM_UNSCALED },
	{ "why.largest",
	  MM_COUNT("intervals"),
	  MM_NEUTRAL,
	  "listed intervals whose largest part is of the kind `part`",
	  { "part", NULL },
	  NULL,
	  MM_UNSCALED },
	{ 0 },
};

static const struct mm_column interval_columns[] = {
	[WHY_INTERVALS_INTERVAL] = { "interval", "#", MM_NUMBER, MM_KEEP,
				     "number of the interval: 1 is the slowest" },
	[WHY_INTERVALS_KIND] = { "kind", NULL, MM_TEXT, MM_KEEP,
				 "`call`, `pair`, or an operation of a subsystem, such as `dax_pmd`" },
	[WHY_INTERVALS_OF] = { "of", "of", MM_TEXT, MM_SHORTEN(0, 16),
			       "the function, the kind of fault, or the two events" },
	[WHY_INTERVALS_RANK] = { "rank", NULL, MM_NUMBER, MM_KEEP,
				 "rank among the complete intervals of the same kind" },
	[WHY_INTERVALS_COUNT] = { "count", NULL, MM_COUNT("intervals"), MM_KEEP,
				  "number of complete intervals of the same kind" },
	[WHY_INTERVALS_START_NS] = { "start_ns", NULL, MM_NS, MM_KEEP,
				     "start of the interval, in ns since the Epoch" },
	[WHY_INTERVALS_DURATION_NS] = { "duration_ns", "duration", MM_NS, MM_KEEP,
					"time from start to end" },
	[WHY_INTERVALS_TID] = { "tid", "tid", MM_NUMBER, MM_DROP(2), "thread id" },
	[WHY_INTERVALS_COMM] = { "comm", "thread", MM_TEXT, MM_DROP(3),
				 "name of the thread; null: not known" },
	[WHY_INTERVALS_CPU] = { "cpu", NULL, MM_NUMBER, MM_KEEP,
				"CPU on which the interval ended" },
	[WHY_INTERVALS_START] = { "start", NULL, MM_TEXT, MM_KEEP,
				  "the call with arguments and result, or the event that starts the interval; null: not found when the trace was read a second time" },
	[WHY_INTERVALS_END] = { "end", NULL, MM_TEXT, MM_KEEP,
				"the event that ends the interval; null: a call" },
	[WHY_INTERVALS_CALLER] = { "caller", NULL, MM_TEXT, MM_KEEP,
				   "call site; null: the events do not state it" },
	[WHY_INTERVALS_LARGEST_PART] = { "largest_part", "largest part", MM_TEXT, MM_KEEP,
					 "`self`, `off_cpu`, `interrupt` or `undetermined`; null: the interval took no time" },
	[WHY_INTERVALS_LARGEST_FUNCTION] = { "largest_function", "in", MM_TEXT, MM_SHORTEN(0, 12),
					     "function of the largest part, as in the table `parts`" },
	[WHY_INTERVALS_LARGEST_NS] = { "largest_ns", "time of it", MM_NS, MM_DROP(1),
				       "time of the largest part" },
	[WHY_INTERVALS_LARGEST_PERCENT] = { "largest_percent", "%", MM_REAL("percent"), MM_KEEP,
					    "time of the largest part in percent of the interval" },
	[WHY_INTERVALS_ALLOCATIONS] = { "allocations", NULL, MM_COUNT("allocations"), MM_KEEP,
					"recorded allocations in the interval" },
	[WHY_INTERVALS_BYTES] = { "bytes", NULL, MM_BYTES, MM_KEEP,
				  "bytes of these allocations, if the events state a size" },
	[WHY_INTERVALS_TOUCHES] = { "touches", NULL, MM_COUNT("touches"), MM_KEEP,
				    "recorded touches of pages in the interval; a lower bound, if a sample of the pages was recorded" },
	[WHY_INTERVALS_HAS_SWITCHES] = { "has_switches", NULL, MM_BOOLEAN, MM_KEEP,
					 "the time off the CPU is known" },
	[WHY_INTERVALS_MAY_LACK] = { "may_lack", NULL, MM_BOOLEAN, MM_KEEP,
				     "events may be missing in the interval" },
	[WHY_INTERVALS_LINES_LEFT_OUT] = { "lines_left_out", NULL, MM_COUNT("lines"), MM_KEEP,
					   "lines that are left out of the time line" },
	[WHY_INTERVALS_SENTENCE] = { "sentence", NULL, MM_TEXT, MM_KEEP,
				     "sentence that states the largest part" },
	[WHY_INTERVALS_PID] = { "pid", NULL, MM_NUMBER, MM_KEEP,
				"process of the thread; null: not known" },
	{ 0 },
};

const struct mm_table_def why_table_intervals = {
	"intervals", "Slowest intervals, and the largest part of each",
	"in: the innermost function; none: outside recorded functions. %: of the duration.",
	"each of the slowest intervals that is not nested in another listed interval",
	interval_columns
};

static const struct mm_column part_columns[] = {
	[WHY_PARTS_INTERVAL] = { "interval", NULL, MM_NUMBER, MM_KEEP, "number of the interval" },
	[WHY_PARTS_PART] = { "part", NULL, MM_TEXT, MM_KEEP,
			     "`self`, `off_cpu`, `interrupt` or `undetermined`" },
	[WHY_PARTS_FUNCTION] = { "function", NULL, MM_TEXT, MM_KEEP,
				 "innermost function; or `none` (outside functions called in the interval), `hard_irq`, `soft_irq`, an operation of a subsystem such as `dax_pmd`, `lost` (a switch of threads is missing); null: the sum of all parts beyond 256" },
	[WHY_PARTS_NS] = { "ns", NULL, MM_NS, MM_KEEP,
			   "time of the part; the parts of an interval add up to its duration" },
	[WHY_PARTS_PERCENT] = { "percent", NULL, MM_REAL("percent"), MM_KEEP,
				"`ns` in percent of the interval" },
	[WHY_PARTS_SLEEPING_NS] = { "sleeping_ns", NULL, MM_NS, MM_KEEP,
				    "for a part off the CPU: the time asleep; in the rest of the part, the thread waited for a CPU" },
	[WHY_PARTS_ALLOCATIONS] = { "allocations", NULL, MM_COUNT("allocations"), MM_KEEP,
				    "recorded allocations in the part" },
	[WHY_PARTS_BYTES] = { "bytes", NULL, MM_BYTES, MM_KEEP,
			      "bytes of these allocations, if the events state a size" },
	[WHY_PARTS_TOUCHES] = { "touches", NULL, MM_COUNT("touches"), MM_KEEP,
				"recorded touches of pages in the part; a lower bound, if a sample of the pages was recorded" },
	[WHY_PARTS_FROM] = { "from", NULL, MM_TEXT, MM_KEEP,
			     "event that starts the part, if events divide the time outside of functions (`none`) into parts; else null" },
	[WHY_PARTS_TO] = { "to", NULL, MM_TEXT, MM_KEEP,
			   "event that ends the part, if events divide the time outside of functions (`none`) into parts; else null" },
	{ 0 },
};

const struct mm_table_def why_table_parts = { "parts", NULL, NULL,
					      "each part of a listed interval, the largest first",
					      part_columns };

static const struct mm_column line_columns[] = {
	[WHY_LINES_INTERVAL] = { "interval", NULL, MM_NUMBER, MM_KEEP, "number of the interval" },
	[WHY_LINES_KIND] = { "kind", NULL, MM_TEXT, MM_KEEP,
			     "`interval` (itself), `call`, `incomplete` (a call without entry or exit), `off_cpu`, `interrupt`, `allocation`, `event`, or the subsystem of an operation, such as `dax`" },
	[WHY_LINES_DEPTH] = { "depth", NULL, MM_NUMBER, MM_KEEP,
			      "number of activities in which this activity is nested" },
	[WHY_LINES_OFFSET_NS] = { "offset_ns", "offset/us", MM_NS, MM_KEEP,
				  "time from the start of the interval to the start of the activity" },
	[WHY_LINES_DURATION_NS] = { "duration_ns", "duration", MM_NS, MM_KEEP,
				    "duration of the activity; null: an event" },
	[WHY_LINES_CPU] = { "cpu", "CPU", MM_NUMBER, MM_DROP(1),
			    "CPU on which the activity ended" },
	[WHY_LINES_WHAT] = { "what", "what", MM_TEXT, MM_WRAP(40),
			     "call with arguments and result, or event" },
	{ 0 },
};

const struct mm_table_def why_table_lines = {
	"time-lines", "Time lines", NULL,
	"each activity of the thread in an interval, by time; if there are more than `--lines`, only the longest, and of equally long ones the earliest",
	line_columns
};

static const struct mm_table_def *const tables[] = {
	&why_table_intervals,
	&why_table_parts,
	&why_table_lines,
	NULL,
};

static const struct mm_headline headlines[] = {
	{ "Complete intervals numbered", "why.intervals", NULL },
	{ "The listed intervals took", "why.part_ns", NULL },
	{ "Of these, time off the CPU was", "why.part_ns", "off_cpu" },
	{ NULL, NULL, NULL },
};

static const struct mm_compared compared = { NULL, NULL, headlines, NULL, NULL };

const struct mm_report_schema why_schema = { "why", metrics, tables, NULL, &compared, NULL };
