// SPDX-License-Identifier: LGPL-2.1-only
/* Metrics and tables of the report of page references. */
#include "analysis/pageref/pageref-schema.h"

#include <stddef.h>

static const struct mm_metric_def metrics[] = {
	{ "pageref.processes",
	  MM_COUNT("processes"),
	  MM_NEUTRAL,
	  "processes whose pages were touched",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.touches",
	  MM_COUNT("touches"),
	  MM_NEUTRAL,
	  "touches by kind, as doc/events.md lists them; `OTHER` is a kind that this version does not know",
	  { "kind", NULL },
	  "Touches",
	  MM_SUM },
	{ "pageref.pages",
	  MM_COUNT("pages"),
	  MM_NEUTRAL,
	  "distinct pages that were touched: pages of 4 KiB of each address space; a huge page counts as 512 pages; a page that is gone, and touched again, counts again",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.most_pages",
	  MM_COUNT("pages"),
	  MM_NEUTRAL,
	  "upper bound of `pageref.pages`: with pages that may have been touched, although no touch is recorded; null if events are missing",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "`pageref.pages` in bytes",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.most_bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "`pageref.most_pages` in bytes",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.written_bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "pages with a recorded touch that was a write; a lower bound, because a write after a read of the page in the same interval is not recorded",
	  { NULL },
	  "Written",
	  MM_UNSCALED },
	{ "pageref.huge_bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "memory of the huge pages that were touched: the number of different huge pages in each address space, times 2 MiB; a huge page counts even if its pages of 4 KiB were touched before, and counts only once if it is gone and is touched again",
	  { NULL },
	  "Huge pages",
	  MM_UNSCALED },
	{ "pageref.passes",
	  MM_COUNT("passes"),
	  MM_NEUTRAL,
	  "passes over all recorded address spaces",
	  { NULL },
	  "Passes",
	  MM_SUM },
	{ "pageref.sample",
	  MM_REAL(""),
	  MM_NEUTRAL,
	  "part of the pages that was recorded all the time; below 1, counts of pages and touches are scaled: a lower and an upper bound contain the true value in 9 of 10 cases, and figures without bounds are estimates",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.working_set_bytes",
	  MM_BYTES,
	  MM_LESS_IS_BETTER,
	  "quantile of the bytes touched in a window, of all address spaces together (nearest rank over all windows); `window` is `interval` (from a pass to the next one), `1s` or `10s`; `q` of 1 is the maximum; null without such windows",
	  { "window", "q", NULL },
	  NULL,
	  MM_STEADY },
	{ "pageref.most_working_set_bytes",
	  MM_BYTES,
	  MM_LESS_IS_BETTER,
	  "upper bound of `pageref.working_set_bytes`, with pages that may have been touched",
	  { "window", "q", NULL },
	  NULL,
	  MM_STEADY },
	{ "pageref.intervals_excluded",
	  MM_COUNT("intervals"),
	  MM_NEUTRAL,
	  "intervals between two passes that the working set excludes because events may be missing",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.needed_bytes",
	  MM_BYTES,
	  MM_LESS_IS_BETTER,
	  "memory that all processes together (with `--pid`, the selected process) need for at most `rate` refaults per second, as `mrc.needed_bytes`; `bound` is `low` or `high`; `lttng-mm report` reads the trace again for it, so it is missing with babeltrace2 and in a live session",
	  { "bound", "rate", NULL },
	  NULL,
	  MM_STEADY },
	{ "pageref.needed_valid_from_bytes",
	  MM_BYTES,
	  MM_LESS_IS_BETTER,
	  "smallest size of memory that `pageref.needed_bytes` can judge, as `mrc.valid_from_bytes`",
	  { NULL },
	  NULL,
	  MM_STEADY },
	{ "pageref.resident_bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "pages that were touched, and are not gone at the end of the trace; null if events are missing",
	  { NULL },
	  "Resident at the end",
	  MM_UNSCALED },
	{ "pageref.cold_bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "the part of `pageref.resident_bytes` that was certainly not touched for `age` (`10s`, `1min` or `10min`) at the end of the trace; 0 if events are missing, null if the trace is shorter",
	  { "age", NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.most_cold_bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "upper bound of `pageref.cold_bytes`: the part without a recorded touch; null if events are missing",
	  { "age", NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.armed_pages",
	  MM_COUNT("pages"),
	  MM_NEUTRAL,
	  "pages and huge pages that passes marked",
	  { NULL },
	  "Marked",
	  MM_SUM },
	{ "pageref.around_pages",
	  MM_COUNT("pages"),
	  MM_NEUTRAL,
	  "pages mapped by faults on other pages, although nobody had touched them",
	  { NULL },
	  "Mapped untouched",
	  MM_SUM },
	{ "pageref.unseen_pages",
	  MM_COUNT("pages"),
	  MM_LESS_IS_BETTER,
	  "pages that a pass found without a mark although no touch had been recorded",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "pageref.unmarked_pages",
	  MM_COUNT("pages"),
	  MM_NEUTRAL,
	  "pages that were not marked at the start of the time range, and have no recorded touch in it: they were touched, or mapped by a fault on another page, since the last pass before; 0 without `--begin`",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.left_out_pages",
	  MM_COUNT("pages"),
	  MM_NEUTRAL,
	  "pages in mappings that are never marked, at the last pass of each address space",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.events_incomplete",
	  MM_COUNT("events"),
	  MM_NEUTRAL,
	  "touches whose address or address space is too large for its field, and without a wide variant that holds it",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "pageref.file_calls",
	  MM_COUNT("calls"),
	  MM_NEUTRAL,
	  "reads and writes of files through the page cache; only if `--file-io` recorded any",
	  { "direction", NULL },
	  NULL,
	  MM_SUM },
	{ "pageref.file_bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "bytes of the reads and writes in `pageref.file_calls`",
	  { "direction", NULL },
	  NULL,
	  MM_SUM },
	{ "pageref.file_pages",
	  MM_COUNT("pages"),
	  MM_NEUTRAL,
	  "distinct pages that the reads and writes in `pageref.file_calls` used, of each file and address space",
	  { "direction", NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.cgroup_bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "memory of the recorded cgroup when the snapshot or the recording ended, from its memory.stat; `kind` is `anon`, `file` (page cache), `file_mapped` (the part of `file` that was mapped) or `kernel`; only with `record page-ref --cgroup`",
	  { "cgroup", "kind", NULL },
	  NULL,
	  MM_UNSCALED },
	{ "pageref.missed_faults",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "faults whose ends could not be hooked, so that touches may be missing",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "pageref.skipped_passes",
	  MM_COUNT("passes"),
	  MM_NEUTRAL,
	  "passes over an address space that gave up before its end; touches of the pages that they did not mark may be missing",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ 0 },
};

/* The columns that several tables share, from number @first on. */
#define COUNT_COLUMNS(first)                                                                       \
	[(first) +                                                                                 \
		PAGEREF_COUNT_TOUCHES] = { "touches", "touches", MM_COUNT("touches"), MM_DROP(5),  \
					   "touches" },                                            \
		[(first) +                                                                         \
			PAGEREF_COUNT_PAGES] = { "pages", "pages", MM_COUNT("pages"), MM_DROP(6),  \
						 "distinct pages touched, as `pageref.pages`" },   \
		[(first) + PAGEREF_COUNT_BYTES] = { "bytes", "memory", MM_BYTES, MM_KEEP,          \
						    "`pages` in bytes" },                          \
		[(first) + PAGEREF_COUNT_MOST] = { "most_bytes", "at most", MM_BYTES, MM_DROP(2),  \
						   "upper bound, as `pageref.most_bytes`" },       \
		[(first) + PAGEREF_COUNT_WRITTEN] = { "written_bytes", "written", MM_BYTES,        \
						      MM_DROP(3),                                  \
						      "lower bound, as `pageref.written_bytes`" }, \
		[(first) + PAGEREF_COUNT_HUGE] = { "huge_bytes", "huge", MM_BYTES, MM_DROP(17),    \
						   "as `pageref.huge_bytes`" },                    \
		[(first) + PAGEREF_COUNT_RESIDENT] = { "resident_bytes", "resident", MM_BYTES,     \
						       MM_DROP(4),                                 \
						       "as `pageref.resident_bytes`" },            \
		COLD_COLUMN(first, 0, "10s", "cold 10 s", 7),                                      \
		COLD_COLUMN(first, 1, "1min", "cold 1 min", 9),                                    \
		COLD_COLUMN(first, 2, "10min", "cold 10 min", 10)

#define COLD_COLUMN(first, number, age, title, priority)                                     \
	[(first) + PAGEREF_COUNT_COLD +                                                      \
		(number)] = { "most_cold_" age "_bytes", title, MM_BYTES, MM_DROP(priority), \
			      "as `pageref.most_cold_bytes` for `" age "`" }

static const struct mm_column memory_columns[] = {
	[PAGEREF_MEMORY_KIND] = { "memory", "memory", MM_TEXT, MM_KEEP,
				  "`anonymous` (with `[heap]` and `[stack]`), `file` (private copies included), or `unknown` (the trace has no event of the mapping)" },
	COUNT_COLUMNS(PAGEREF_MEMORY_COUNTS),
	{ 0 },
};

const struct mm_table_def pageref_table_memory = { "memory", "Kinds of memory, most memory first",
						   NULL, "each kind of memory that was touched",
						   memory_columns };

#define MM_MEANING "number of the address space"

static const struct mm_column process_columns[] = {
	[PAGEREF_PROCESS_NAME] = { "process", "process", MM_TEXT, MM_KEEP,
				   "name of the process when its address space was first recorded" },
	[PAGEREF_PROCESS_PID] = { "pid", "pid", MM_NUMBER, MM_KEEP, "process id" },
	[PAGEREF_PROCESS_MM] = { "mm", NULL, MM_NUMBER, MM_KEEP, MM_MEANING },
	COUNT_COLUMNS(PAGEREF_PROCESS_COUNTS),
	[PAGEREF_PROCESS_WORKING_SET] = { "working_set_bytes", "working set", MM_BYTES, MM_DROP(1),
					  "median of the bytes touched between two passes over the address space, as `pageref.working_set_bytes`" },
	[PAGEREF_PROCESS_WORKING_SET_MOST] = { "most_working_set_bytes", "... at most", MM_BYTES,
					       MM_DROP(11), "upper bound of `working_set_bytes`" },
#define KIND_COLUMN(name, number)                                                              \
	[PAGEREF_PROCESS_KINDS + (number)] = { #name, #name, MM_COUNT("touches"), MM_DROP(14), \
					       "touches of this kind" },
	LTTNG_MM_PAGEREF_KINDS(KIND_COLUMN) KIND_COLUMN(
		OTHER, PAGEREF_KINDS - 1)[PAGEREF_PROCESS_PASSES] = { "passes", "passes",
								      MM_COUNT("passes"),
								      MM_DROP(12), "passes" },
	[PAGEREF_PROCESS_UNSEEN] = { "unseen_pages", "unseen", MM_COUNT("pages"), MM_DROP(13),
				     "as `pageref.unseen_pages`" },
	[PAGEREF_PROCESS_AROUND] = { "around_pages", "mapped around", MM_COUNT("pages"),
				     MM_DROP(15), "as `pageref.around_pages`" },
	[PAGEREF_PROCESS_LEFT_OUT] = { "left_out_pages", "left out", MM_COUNT("pages"), MM_DROP(16),
				       "as `pageref.left_out_pages`" },
	{ 0 },
};

const struct mm_table_def pageref_table_processes = {
	"processes", "Processes, most memory first", NULL,
	"each address space whose pages were touched: a process from its start or its exec() on",
	process_columns
};

#define FILE_MEANING                                                                            \
	"last component of the file's path, `[heap]`, `[stack]`, `anonymous`, or `unknown` if " \
	"the trace has no event of the mapping"

static const struct mm_column mapping_columns[] = {
	[PAGEREF_MAPPINGS_NAME] = { "mapping", "mapping", MM_TEXT, MM_SHORTEN(0, 20),
				    FILE_MEANING },
	[PAGEREF_MAPPINGS_MAJOR] = { "dev_major", NULL, MM_NUMBER, MM_KEEP,
				     "device of the file's filesystem: major number" },
	[PAGEREF_MAPPINGS_MINOR] = { "dev_minor", NULL, MM_NUMBER, MM_KEEP, "minor number" },
	[PAGEREF_MAPPINGS_INO] = { "ino", "inode", MM_HEX, MM_DROP(12),
				   "inode number; null for memory without a file" },
	COUNT_COLUMNS(PAGEREF_MAPPINGS_COUNTS),
	[PAGEREF_MAPPINGS_SPACES] = { "address_spaces", "processes", MM_COUNT("spaces"),
				      MM_DROP(11), "address spaces in which pages were touched" },
	{ 0 },
};

const struct mm_table_def pageref_table_mappings = {
	"mappings", "Files and other memory, most memory first",
	"a page that several processes touched counts for each of them",
	"each file, and each kind of memory without a file, whose pages were touched",
	mapping_columns
};

static const struct mm_column use_columns[] = {
	[PAGEREF_USES_PROCESS] = { "process", "process", MM_TEXT, MM_KEEP,
				   "as in the table processes" },
	[PAGEREF_USES_PID] = { "pid", "pid", MM_NUMBER, MM_KEEP, "process id" },
	[PAGEREF_USES_MM] = { "mm", NULL, MM_NUMBER, MM_KEEP, MM_MEANING },
	[PAGEREF_USES_NAME] = { "mapping", "mapping", MM_TEXT, MM_SHORTEN(0, 20), FILE_MEANING },
	[PAGEREF_USES_MAJOR] = { "dev_major", NULL, MM_NUMBER, MM_KEEP,
				 "device of the file's filesystem: major number" },
	[PAGEREF_USES_MINOR] = { "dev_minor", NULL, MM_NUMBER, MM_KEEP, "minor number" },
	[PAGEREF_USES_INO] = { "ino", "inode", MM_HEX, MM_DROP(12),
			       "inode number; null for memory without a file" },
	COUNT_COLUMNS(PAGEREF_USES_COUNTS),
	{ 0 },
};

const struct mm_table_def pageref_table_mappings_by_process = {
	"mappings_by_process", "Mappings of each process, most memory first", NULL,
	"each file, and each kind of memory without a file, in each address space; several mappings of one file are one row",
	use_columns
};

static const struct mm_column thread_columns[] = {
	[PAGEREF_THREADS_NAME] = { "thread", "thread", MM_TEXT, MM_KEEP, "name of the thread" },
	[PAGEREF_THREADS_TID] = { "tid", "tid", MM_NUMBER, MM_KEEP, "thread id" },
	[PAGEREF_THREADS_PID] = { "pid", "pid", MM_NUMBER, MM_KEEP, "process id of the thread" },
	[PAGEREF_THREADS_TOUCHES] = { "touches", "touches", MM_COUNT("touches"), MM_KEEP,
				      "touches by the thread" },
	[PAGEREF_THREADS_PAGES] = { "pages", "pages first touched", MM_COUNT("pages"), MM_DROP(1),
				    "pages that the thread touched, and no thread before it" },
	[PAGEREF_THREADS_BYTES] = { "bytes", "memory", MM_BYTES, MM_KEEP, "`pages` in bytes" },
	[PAGEREF_THREADS_WRITTEN] = { "written_bytes", "written", MM_BYTES, MM_KEEP,
				      "pages that the thread wrote, and no thread before it" },
	[PAGEREF_THREADS_KERNEL] = { "kernel_touches", "by the kernel", MM_COUNT("touches"),
				     MM_DROP(2),
				     "touches by the kernel for the thread, as in system calls" },
	{ 0 },
};

const struct mm_table_def pageref_table_threads = {
	"threads", "Threads, most memory first",
	"pages count for the thread that touched them first",
	"each thread that touched pages of recorded processes", thread_columns
};

static const struct mm_column first_columns[] = {
	[PAGEREF_FIRST_ORDER] = { "order", "order", MM_NUMBER, MM_KEEP, "1 for the first page" },
	[PAGEREF_FIRST_TIME] = { "time_ns", "time", MM_NS, MM_KEEP,
				 "time of the first touch since the first event of the trace" },
	[PAGEREF_FIRST_OFFSET] = { "offset", "offset", MM_HEX, MM_KEEP,
				   "offset of the page in the file, in bytes" },
	[PAGEREF_FIRST_BYTES] = { "bytes", "size", MM_BYTES, MM_DROP(3),
				  "4096, or 2097152 for a huge page" },
	[PAGEREF_FIRST_THREAD] = { "thread", "thread", MM_TEXT, MM_KEEP, "name of the thread" },
	[PAGEREF_FIRST_TID] = { "tid", "tid", MM_NUMBER, MM_KEEP, "thread id" },
	[PAGEREF_FIRST_PID] = { "pid", "pid", MM_NUMBER, MM_DROP(1),
				"process whose address space was touched" },
	[PAGEREF_FIRST_KIND] = { "kind", "kind", MM_TEXT, MM_DROP(2), "kind of the touch" },
	[PAGEREF_FIRST_MAJOR] = { "dev_major", NULL, MM_NUMBER, MM_KEEP,
				  "device of the file's filesystem: major number" },
	[PAGEREF_FIRST_MINOR] = { "dev_minor", NULL, MM_NUMBER, MM_KEEP, "minor number" },
	[PAGEREF_FIRST_INO] = { "ino", "inode", MM_HEX, MM_DROP(4), "inode number" },
	{ 0 },
};

const struct mm_table_def pageref_table_first_touches = {
	"first_touches", "First touches of the file's pages",
	"pages that were only mapped by faults on other pages are not listed; --json lists all pages",
	"with --first-touch: each page of the file that was touched", first_columns
};

static const struct mm_table_def *const tables[] = {
	&pageref_table_memory,	 &pageref_table_processes,
	&pageref_table_mappings, &pageref_table_mappings_by_process,
	&pageref_table_threads,	 &pageref_table_first_touches,
	&pageref_table_file_io,	 NULL,
};

static const struct mm_compared_column count_columns[] = {
	{ "bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "written_bytes", MM_NEUTRAL, MM_UNSCALED, NULL, 0 },
	{ "resident_bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "touches", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column process_compared[] = {
	{ "bytes", MM_LESS_IS_BETTER, MM_UNSCALED, NULL, 0 },
	{ "working_set_bytes", MM_LESS_IS_BETTER, MM_STEADY, NULL, 0 },
	{ "written_bytes", MM_NEUTRAL, MM_UNSCALED, NULL, 0 },
	{ "touches", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column thread_compared[] = {
	{ "bytes", MM_NEUTRAL, MM_UNSCALED, NULL, 0 },
	{ "touches", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ 0 },
};

/* Process ids and inode numbers differ between runs, so they identify only rows without a name. */
static const struct mm_compared_table compared_tables[] = {
	{ &pageref_table_memory, "pageref.memory", { "memory" }, { NULL }, count_columns },
	{ &pageref_table_processes, "pageref.process", { "process" }, { "pid" }, process_compared },
	{ &pageref_table_mappings,
	  "pageref.mapping",
	  { "mapping" },
	  { "dev_major", "dev_minor", "ino" },
	  count_columns },
	{ &pageref_table_threads, "pageref.thread", { "thread" }, { "tid" }, thread_compared },
	{ NULL, NULL, { NULL }, { NULL }, NULL },
};

/* These metrics are not compared, because the same numbers are compared in bytes. */
static const char *const repeated[] = { "pageref.pages", "pageref.most_pages", NULL };

static const struct mm_headline headlines[] = {
	{ "Memory touched", "pageref.bytes", NULL },
	{ NULL, NULL, NULL },
};

static const char *const lowered[] = {
	"pageref.touches",
	"pageref.pages",
	"pageref.bytes",
	NULL,
};

static const struct mm_compared compared = { compared_tables, repeated, headlines, lowered, NULL };

const struct mm_report_schema pageref_schema = {
	"page-ref", metrics, tables, NULL, &compared, NULL
};
