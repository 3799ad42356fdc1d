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
	{ "pageref.bytes", MM_BYTES, MM_NEUTRAL, "... in bytes", { NULL }, NULL, MM_UNSCALED },
	{ "pageref.passes",
	  MM_COUNT("passes"),
	  MM_NEUTRAL,
	  "passes over all recorded address spaces",
	  { NULL },
	  "Passes",
	  MM_SUM },
	{ "pageref.working_set_bytes",
	  MM_BYTES,
	  MM_LESS_IS_BETTER,
	  "quantile of the bytes touched between two passes, of all address spaces together (nearest rank over all intervals); `q` of 1 is the maximum; null without such intervals",
	  { "q", NULL },
	  NULL,
	  MM_STEADY },
	{ "pageref.intervals_excluded",
	  MM_COUNT("intervals"),
	  MM_NEUTRAL,
	  "intervals between two passes that the working set excludes because events may be missing",
	  { NULL },
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
	  "pages that faults mapped although nobody had touched them",
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
	{ 0 },
};

#define PAGES_MEANING "distinct pages touched, as `pageref.pages`"

static const struct mm_column process_columns[] = {
	[PAGEREF_PROCESS_NAME] = { "process", "process", MM_TEXT, MM_KEEP,
				   "name of the process when its address space was first recorded" },
	[PAGEREF_PROCESS_PID] = { "pid", "pid", MM_NUMBER, MM_KEEP, "process id" },
	[PAGEREF_PROCESS_MM] = { "mm", NULL, MM_NUMBER, MM_KEEP, "number of the address space" },
	[PAGEREF_PROCESS_TOUCHES] = { "touches", "touches", MM_COUNT("touches"), MM_KEEP,
				      "touches" },
	[PAGEREF_PROCESS_PAGES] = { "pages", "pages", MM_COUNT("pages"), MM_KEEP, PAGES_MEANING },
	[PAGEREF_PROCESS_BYTES] = { "bytes", "memory", MM_BYTES, MM_KEEP, "... in bytes" },
#define KIND_COLUMN(name, number)                                                             \
	[PAGEREF_PROCESS_KINDS + (number)] = { #name, #name, MM_COUNT("touches"), MM_DROP(2), \
					       "touches of this kind" },
	LTTNG_MM_PAGEREF_KINDS(KIND_COLUMN) KIND_COLUMN(
		OTHER, PAGEREF_KINDS - 1)[PAGEREF_PROCESS_PASSES] = { "passes", "passes",
								      MM_COUNT("passes"),
								      MM_DROP(3), "passes" },
	[PAGEREF_PROCESS_UNSEEN] = { "unseen_pages", "unseen", MM_COUNT("pages"), MM_DROP(1),
				     "as `pageref.unseen_pages`" },
	[PAGEREF_PROCESS_LEFT_OUT] = { "left_out_pages", "left out", MM_COUNT("pages"), MM_DROP(4),
				       "as `pageref.left_out_pages`" },
	{ 0 },
};

const struct mm_table_def pageref_table_processes = {
	"processes", "Processes, most pages first", NULL,
	"each address space whose pages were touched: a process from its start or its exec() on",
	process_columns
};

static const struct mm_column mapping_columns[] = {
	[PAGEREF_MAPPINGS_NAME] = { "mapping", "mapping", MM_TEXT, MM_SHORTEN(0, 20),
				    "last component of the file's path, `[heap]`, `[stack]`, `anonymous`, or `unknown` if the trace has no event of the mapping" },
	[PAGEREF_MAPPINGS_MAJOR] = { "dev_major", NULL, MM_NUMBER, MM_KEEP,
				     "device of the file's filesystem: major number" },
	[PAGEREF_MAPPINGS_MINOR] = { "dev_minor", NULL, MM_NUMBER, MM_KEEP, "minor number" },
	[PAGEREF_MAPPINGS_INO] = { "ino", "inode", MM_HEX, MM_DROP(1),
				   "inode number; null for memory without a file" },
	[PAGEREF_MAPPINGS_TOUCHES] = { "touches", "touches", MM_COUNT("touches"), MM_KEEP,
				       "touches" },
	[PAGEREF_MAPPINGS_PAGES] = { "pages", "pages", MM_COUNT("pages"), MM_KEEP, PAGES_MEANING },
	[PAGEREF_MAPPINGS_BYTES] = { "bytes", "memory", MM_BYTES, MM_KEEP, "... in bytes" },
	[PAGEREF_MAPPINGS_SPACES] = { "address_spaces", "address spaces", MM_COUNT("spaces"),
				      MM_DROP(2), "address spaces in which pages were touched" },
	{ 0 },
};

const struct mm_table_def pageref_table_mappings = {
	"mappings", "Mappings, most pages first",
	"a page that several processes touched counts for each of them",
	"each file, and each kind of memory without a file, whose pages were touched",
	mapping_columns
};

static const struct mm_table_def *const tables[] = {
	&pageref_table_processes,
	&pageref_table_mappings,
	NULL,
};

const struct mm_report_schema pageref_schema = { "page-ref", metrics, tables, NULL, NULL, NULL };
