// SPDX-License-Identifier: LGPL-2.1-only
/* Metrics and tables of the DAX report. */
#include "analysis/dax/dax-schema.h"

#include <stddef.h>

#define KIND_MEANING \
	"`pmd` (huge page), `pte` (4 KiB) or `write-protect` (first write to a page mapped read-only)"
#define OUTCOME_MEANING "what the handler returned: `mapped`, `fallback`, `sync`, `retry`, ..."

static const struct mm_metric_def metrics[] = {
	{ "dax.pmd_faults",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "huge-page faults with entry and exit",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.pmd_mapped",
	  MM_COUNT("faults"),
	  MM_MORE_IS_BETTER,
	  "huge-page faults that mapped a huge page",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.pmd_fallbacks",
	  MM_COUNT("faults"),
	  MM_LESS_IS_BETTER,
	  "huge-page faults that fell back to 4 KiB",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.accesses",
	  MM_COUNT("accesses"),
	  MM_NEUTRAL,
	  "accesses that huge-page faults handled: the attempts of one access count once; null if 4 KiB faults were not recorded, or a filter may have excluded some",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.fallback_accesses",
	  MM_COUNT("accesses"),
	  MM_LESS_IS_BETTER,
	  "accesses whose last attempt fell back to 4 KiB",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.fallback_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "time from entry to exit of all huge-page faults that fell back",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.fallback_huge_ns",
	  MM_NS,
	  MM_NEUTRAL,
	  "estimate for the accesses that fell back: their number times the mean time of the faults that mapped a huge page; null with fewer than 20 of these faults, or if `dax.accesses` is null",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.slow_faults",
	  MM_COUNT("faults"),
	  MM_LESS_IS_BETTER,
	  "faults of 1 ms or more, which most likely waited or were interrupted, by outcome",
	  { "outcome", NULL },
	  NULL,
	  MM_SUM },
	{ "dax.slow_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "time from entry to exit of the faults in `dax.slow_faults`",
	  { "outcome", NULL },
	  NULL,
	  MM_SUM },
	{ "dax.fault_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "time from entry to exit of all faults of both kinds",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.pte_faults",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "4 KiB faults with entry and exit, write-protection faults included",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.fault.count",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "faults by kind, outcome and first failed check; `cause` is empty without a failed check",
	  { "kind", "outcome", "cause", NULL },
	  NULL,
	  MM_SUM },
	{ "dax.fault.latency_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "quantile of the time from entry to exit (nearest rank over every fault); `q` of 1 is the maximum; null without such faults",
	  { "kind", "outcome", "cause", "q", NULL },
	  NULL,
	  MM_STEADY },
	{ "dax.fallback.cause",
	  MM_COUNT("faults"),
	  MM_LESS_IS_BETTER,
	  "huge-page faults by first failed check",
	  { "cause", NULL },
	  NULL,
	  MM_SUM },
	{ "dax.fallback.cause_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "time from entry to exit of the faults in `dax.fallback.cause`",
	  { "cause", NULL },
	  NULL,
	  MM_SUM },
	{ "dax.pte_without_pmd",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "4 KiB faults that no huge-page fault preceded, by reason",
	  { "reason", NULL },
	  NULL,
	  MM_SUM },
	{ "dax.pte_after_fallback",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "4 KiB faults that follow a huge-page fault that fell back",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.pte_after_fallback_ns",
	  MM_NS,
	  MM_LESS_IS_BETTER,
	  "time from entry to exit of the faults in `dax.pte_after_fallback`",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.writeback.ranges",
	  MM_COUNT("ranges"),
	  MM_NEUTRAL,
	  "writeback ranges with start and end",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.writeback.unpaired",
	  MM_COUNT("ranges"),
	  MM_NEUTRAL,
	  "writeback ranges without an end in the trace, or without a start",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "dax.writeback.uncertain",
	  MM_COUNT("ranges"),
	  MM_NEUTRAL,
	  "writeback ranges that were paired although all events of a CPU are missing, or the order of events is not known",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.pairing",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "faults that are not a pair of entry and exit: `unpaired_entries`, `unpaired_exits`, `undetermined_by_loss` (events are missing in between), `nested`",
	  { "what", NULL },
	  "Pairing",
	  MM_UNSCALED },
	{ "dax.pairs_uncertain",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "faults that were paired although all events of a CPU are missing, or the order of events is not known",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.attempts_uncertain",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "huge-page faults that count as separate accesses, although they may be attempts of the previous access: events are missing in between; null if `dax.accesses` is null",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.recorder.faults",
	  MM_COUNT("faults"),
	  MM_NEUTRAL,
	  "ends of faults of the recorder's own processes; all other figures exclude these faults; null if the recorder's processes are not known, or with --include-recorder",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.recorder.writebacks",
	  MM_COUNT("writebacks"),
	  MM_NEUTRAL,
	  "ends of writebacks of the recorder's own processes; null if `dax.recorder.faults` is null",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ "dax.events_incomplete",
	  MM_COUNT("events"),
	  MM_NEUTRAL,
	  "events with a value that is too large for its field, and without the wide variant that has the full value",
	  { NULL },
	  NULL,
	  MM_SUM },
	{ 0 },
};

static const struct mm_column fault_columns[] = {
	[DAX_FAULTS_KIND] = { "kind", "kind", MM_TEXT, MM_KEEP, KIND_MEANING },
	[DAX_FAULTS_OUTCOME] = { "outcome", "outcome", MM_TEXT, MM_KEEP, OUTCOME_MEANING },
	[DAX_FAULTS_CAUSE] = { "cause", "cause", MM_TEXT, MM_KEEP,
			       "first failed check of a huge-page fault" },
	[DAX_FAULTS_COUNT] = { "count", "count", MM_COUNT("faults"), MM_KEEP, "faults" },
	[DAX_FAULTS_PERCENT] = { "percent", NULL, MM_REAL("percent"), MM_KEEP,
				 "`count` in percent of the faults of this kind" },
	[DAX_FAULTS_NS] = { "ns", "time", MM_NS, MM_KEEP, "time from entry to exit, in total" },
	[DAX_FAULTS_TIME_PERCENT] = { "time_percent", "% of time", MM_REAL("percent"), MM_DROP(2),
				      "`ns` in percent of the time of all faults" },
	[DAX_FAULTS_FAULTS_PER_SECOND] = { "faults_per_second", "faults/s", MM_REAL("faults/s"),
					   MM_DROP(4),
					   "faults per second of the time range that the coverage states; null without one" },
	[DAX_FAULTS_MEAN_NS] = { "mean_ns", "mean", MM_REAL("ns"), MM_DROP(3), "mean latency" },
	[DAX_FAULTS_P50_NS] = { "p50_ns", "p50", MM_NS, MM_KEEP, "median latency" },
	[DAX_FAULTS_P90_NS] = { "p90_ns", "p90", MM_NS, MM_DROP(4),
				"90th percentile of the latencies; the text form shows it for 20 faults or more" },
	[DAX_FAULTS_P99_NS] = { "p99_ns", "p99", MM_NS, MM_DROP(1),
				"99th percentile of the latencies; the text form shows it for 200 faults or more" },
	[DAX_FAULTS_MAX_NS] = { "max_ns", "max", MM_NS, MM_KEEP, "maximum latency" },
	[DAX_FAULTS_BARS] = { "bars", "log2 histogram, 256 ns to 1 s", MM_TEXT, MM_DROP(5),
			      "histogram as a line of text: a character for each power of two" },
	{ 0 },
};

const struct mm_table_def dax_table_faults = {
	"faults", "Faults by kind, outcome and cause; times are from entry to exit",
	"Each attempt of an access is a fault. Quantiles are exact; p90 requires 20 faults, p99 requires 200. write-protect: first write to a page mapped read-only.",
	"each combination of kind, outcome and cause that has faults", fault_columns
};

static const struct mm_column histogram_columns[] = {
	[DAX_HISTOGRAM_KIND] = { "kind", NULL, MM_TEXT, MM_KEEP, KIND_MEANING },
	[DAX_HISTOGRAM_OUTCOME] = { "outcome", NULL, MM_TEXT, MM_KEEP, OUTCOME_MEANING },
	[DAX_HISTOGRAM_CAUSE] = { "cause", NULL, MM_TEXT, MM_KEEP,
				  "first failed check of a huge-page fault" },
	[DAX_HISTOGRAM_FROM_NS] = { "from_ns", NULL, MM_NS, MM_KEEP, "lower bound of the latency" },
	[DAX_HISTOGRAM_BELOW_NS] = { "below_ns", NULL, MM_NS, MM_KEEP,
				     "upper bound (exclusive); null: no upper bound" },
	[DAX_HISTOGRAM_COUNT] = { "count", NULL, MM_COUNT("faults"), MM_KEEP, "faults" },
	{ 0 },
};

const struct mm_table_def dax_table_histogram = {
	"latency-histogram", NULL, NULL,
	"each histogram bucket (a power of two) that is not empty, for each row of `faults`",
	histogram_columns
};

static const struct mm_column cause_columns[] = {
	[DAX_CAUSES_CAUSE] = { "cause", "cause", MM_TEXT, MM_KEEP, "name of the check" },
	[DAX_CAUSES_ACCESSES] = { "accesses", "accesses", MM_COUNT("accesses"), MM_KEEP,
				  "accesses whose last attempt failed because of this check; null if `dax.accesses` is null" },
	[DAX_CAUSES_FIRST_FAILED] = { "first_failed", "attempts", MM_COUNT("faults"), MM_DROP(3),
				      "faults for which this check was the first to fail" },
	[DAX_CAUSES_PERCENT] = { "percent", NULL, MM_REAL("percent"), MM_KEEP,
				 "`first_failed` in percent of its sum over all rows" },
	[DAX_CAUSES_FAILED_LATER] = { "failed_later", "other, too", MM_COUNT("faults"), MM_DROP(1),
				      "faults for which this check was the first to fail, and which would also have failed a later check: `remedy` is not enough for them" },
	[DAX_CAUSES_ALL_FAILED] = { "all_failed", "all failed", MM_COUNT("faults"), MM_DROP(4),
				    "faults for which this check failed, as the first or a later one" },
	[DAX_CAUSES_WHY] = { "why", NULL, MM_TEXT, MM_KEEP, "what the check means" },
	[DAX_CAUSES_EXAMPLE] = { "example", NULL, MM_TEXT, MM_KEEP,
				 "the slowest fault that failed this check first, with the evidence" },
	[DAX_CAUSES_NS] = { "ns", "time", MM_NS, MM_KEEP,
			    "time from entry to exit of all attempts that failed because of this check" },
	[DAX_CAUSES_TIME_PERCENT] = { "time_percent", "% of time", MM_REAL("percent"), MM_DROP(2),
				      "time of the fallbacks that this check caused, in percent of the time of all fallbacks; null: it caused none" },
	[DAX_CAUSES_REMEDY] = { "remedy", "remedy", MM_TEXT, MM_WRAP(30), "what to do" },
	{ 0 },
};

const struct mm_table_def dax_table_causes = {
	"causes", "Causes of faults without a huge page, most time in fallbacks first",
	"other, too: attempts that would also fail another check; % of time: share of the time in fallbacks, - if none",
	"each check that failed, most time in fallbacks first, the undetermined ones last",
	cause_columns
};

static const struct mm_column remedy_columns[] = {
	[DAX_REMEDIES_CAUSE] = { "cause", NULL, MM_TEXT, MM_KEEP,
				 "name of the check; empty: as in the row above" },
	[DAX_REMEDIES_LINE] = { "line", NULL, MM_TEXT, MM_KEEP, "the remedy, or the evidence" },
	{ 0 },
};

const struct mm_table_def dax_table_remedies = {
	"remedies", NULL, NULL, "each line of a cause: the remedy, and the evidence of one fault",
	remedy_columns
};

/* clang-format off */
/* Columns of a fault and of its evidence events. dax_report_fault() fills them. */
#define FAULT_COLUMNS(first) \
	[(first) + DAX_FAULT_CLOCK_NS] = \
	{ "clock_ns", NULL, MM_NS, MM_KEEP, \
	  "timestamp of the entry, by the clock of the trace" }, \
	[(first) + DAX_FAULT_PID] = \
	{ "pid", NULL, MM_NUMBER, MM_KEEP, "process id" }, \
	[(first) + DAX_FAULT_TID] = \
	{ "tid", NULL, MM_NUMBER, MM_KEEP, "thread id" }, \
	[(first) + DAX_FAULT_PATH] = \
	{ "path", NULL, MM_TEXT, MM_KEEP, "path of the file, from the system information" }, \
	[(first) + DAX_FAULT_MAJOR] = \
	{ "major", NULL, MM_NUMBER, MM_KEEP, "major number of the device" }, \
	[(first) + DAX_FAULT_MINOR] = \
	{ "minor", NULL, MM_NUMBER, MM_KEEP, "minor number of the device" }, \
	[(first) + DAX_FAULT_INO] = \
	{ "ino", NULL, MM_HEX, MM_KEEP, "inode number; null: not known" }, \
	[(first) + DAX_FAULT_ACCESS] = \
	{ "access", NULL, MM_TEXT, MM_KEEP, "`read` or `write`" }, \
	[(first) + DAX_FAULT_SHARED] = \
	{ "shared", NULL, MM_BOOLEAN, MM_KEEP, "the mapping is shared" }, \
	[(first) + DAX_FAULT_FLAGS] = \
	{ "flags", NULL, MM_TEXT, MM_KEEP, "flags of the fault, by the labels of the trace" }, \
	[(first) + DAX_FAULT_RESULT] = \
	{ "result", NULL, MM_TEXT, MM_KEEP, "result of the fault, by the labels of the trace" }, \
	[(first) + DAX_FAULT_VM_FLAGS] = \
	{ "vm_flags", NULL, MM_TEXT, MM_KEEP, "flags of the mapping, by the labels of the trace" }, \
	[(first) + DAX_FAULT_ADDRESS] = \
	{ "address", NULL, MM_HEX, MM_KEEP, "address of the access; null: not known" }, \
	[(first) + DAX_FAULT_PGOFF] = \
	{ "pgoff", NULL, MM_HEX, MM_KEEP, "page of the file that was accessed" }, \
	[(first) + DAX_FAULT_MAX_PGOFF] = \
	{ "max_pgoff", NULL, MM_HEX, MM_KEEP, \
	  "number of pages of the file; null for a 4 KiB fault" }, \
	[(first) + DAX_FAULT_VM_START] = \
	{ "vm_start", NULL, MM_HEX, MM_KEEP, "start of the mapping; null for a 4 KiB fault" }, \
	[(first) + DAX_FAULT_VM_END] = \
	{ "vm_end", NULL, MM_HEX, MM_KEEP, "end of the mapping; null for a 4 KiB fault" }, \
	[(first) + DAX_FAULT_EXTENT_POS] = \
	{ "extent_pos", NULL, MM_HEX, MM_KEEP, \
	  "`pos` of `dax_fault_extent`; null: there is no such event" }, \
	[(first) + DAX_FAULT_EXTENT_OFFSET] = \
	{ "extent_offset", NULL, MM_HEX, MM_KEEP, "`extent_offset` of `dax_fault_extent`" }, \
	[(first) + DAX_FAULT_EXTENT_LENGTH] = \
	{ "extent_length", NULL, MM_HEX, MM_KEEP, "`extent_length` of `dax_fault_extent`" }, \
	[(first) + DAX_FAULT_EXTENT_ADDR] = \
	{ "extent_addr", NULL, MM_HEX, MM_KEEP, \
	  "`extent_addr` of `dax_fault_extent`; null: a hole, or not known" }, \
	[(first) + DAX_FAULT_EXTENT_TYPE] = \
	{ "extent_type", NULL, MM_TEXT, MM_KEEP, "`extent_type` of `dax_fault_extent`" }, \
	[(first) + DAX_FAULT_ZERO_PFN] = \
	{ "zero_pfn", NULL, MM_HEX, MM_KEEP, \
	  "`zero_pfn` of `dax_pmd_load_hole_fallback`; null: there is no such event" }, \
	[(first) + DAX_FAULT_RADIX_ENTRY] = \
	{ "radix_entry", NULL, MM_HEX, MM_KEEP, \
	  "`radix_entry` of `dax_pmd_fallback`; null: there is no such event" }
/* clang-format on */

static const struct mm_column evidence_columns[] = {
	[DAX_EVIDENCE_CAUSE] = { "cause", NULL, MM_TEXT, MM_KEEP, "name of the check" },
	FAULT_COLUMNS(DAX_EVIDENCE_OF_FAULT),
	[DAX_EVIDENCE_PROCESS] = { "process", NULL, MM_TEXT, MM_KEEP, "name of the process" },
	[DAX_EVIDENCE_FAULT] = { "fault", "what failed, and the slowest such fault", MM_TEXT,
				 MM_WRAP(40), "the fault as one line of text" },
	{ 0 },
};

const struct mm_table_def dax_table_evidence = { "evidence", "Evidence of each cause", NULL,
						 "the slowest fault of each cause",
						 evidence_columns };

static const char attempts_note[] =
	"attempts: huge-page faults that fell back, one or more per access; fell back: accesses";

static const struct mm_column file_columns[] = {
	[DAX_FILES_PATH] = { "path", "file", MM_TEXT, MM_SHORTEN(0, 20),
			     "path, from the system information" },
	[DAX_FILES_MAJOR] = { "major", NULL, MM_NUMBER, MM_KEEP, "major number of the device" },
	[DAX_FILES_MINOR] = { "minor", NULL, MM_NUMBER, MM_KEEP, "minor number of the device" },
	[DAX_FILES_INO] = { "ino", "inode", MM_HEX, MM_DROP(3), "inode number" },
	[DAX_FILES_DAX] = { "dax", "dax", MM_TEXT, MM_DROP(2),
			    "`yes` or `no`: the inode's DAX state" },
	[DAX_FILES_EXTENTS] = { "extents", NULL, MM_COUNT("extents"), MM_KEEP,
				"extents of the file" },
	[DAX_FILES_EXTENTS_2M_ALIGNED] = { "extents_2m_aligned", NULL, MM_COUNT("extents"), MM_KEEP,
					   "extents of the file that are aligned to 2 MiB" },
	[DAX_FILES_ALIGNMENT] = { "alignment", "2 MiB aligned extents", MM_TEXT, MM_DROP(5),
				  "aligned extents and all extents, as text: `3 of 4`" },
	[DAX_FILES_PMD_FAULTS] = { "pmd_faults", "pmd faults", MM_COUNT("faults"), MM_DROP(1),
				   "huge-page faults" },
	[DAX_FILES_PMD_MAPPED] = { "pmd_mapped", "mapped", MM_COUNT("faults"), MM_DROP(2),
				   "huge-page faults that mapped a huge page" },
	[DAX_FILES_PMD_FALLBACKS] = { "pmd_fallbacks", "attempts", MM_COUNT("faults"), MM_DROP(1),
				      "huge-page faults that fell back to 4 KiB" },
	[DAX_FILES_FALLBACK_PERCENT] = { "fallback_percent", NULL, MM_REAL("percent"), MM_KEEP,
					 "`pmd_fallbacks` in percent of `pmd_faults`" },
	[DAX_FILES_FALLBACK_ACCESSES] = { "fallback_accesses", "fell back", MM_COUNT("accesses"),
					  MM_KEEP,
					  "accesses that fell back; null if `dax.accesses` is null" },
	[DAX_FILES_FALLBACK_NS] = { "fallback_ns", "fallback time", MM_NS, MM_KEEP,
				    "time from entry to exit of the faults that fell back" },
	[DAX_FILES_FALLBACK_TIME_PERCENT] = { "fallback_time_percent", "% of it",
					      MM_REAL("percent"), MM_DROP(1),
					      "`fallback_ns` in percent of its sum over all files" },
	[DAX_FILES_PTE_FAULTS] = { "pte_faults", "pte faults", MM_COUNT("faults"), MM_DROP(1),
				   "4 KiB faults" },
	[DAX_FILES_WRITE_PROTECT] = { "write_protect", "write-prot", MM_COUNT("faults"), MM_DROP(1),
				      "first writes to pages mapped read-only" },
	[DAX_FILES_SYNC] = { "sync", "sync", MM_COUNT("faults"), MM_DROP(4),
			     "faults that needed the filesystem to sync (MAP_SYNC)" },
	[DAX_FILES_SIGBUS] = { "sigbus", "sigbus", MM_COUNT("faults"), MM_DROP(1),
			       "faults that ended in SIGBUS" },
	[DAX_FILES_COPIED] = { "copied", NULL, MM_COUNT("faults"), MM_KEEP,
			       "faults that copied a page (COW)" },
	[DAX_FILES_RETRIES] = { "retries", NULL, MM_COUNT("faults"), MM_KEEP,
				"faults that the kernel retries" },
	[DAX_FILES_FINISH_SYNC] = { "finish_sync", NULL, MM_COUNT("events"), MM_KEEP,
				    "mappings inserted after a sync (`dax_insert_pfn_mkwrite`)" },
	[DAX_FILES_PMD_LOAD_HOLE] = { "pmd_load_hole", NULL, MM_COUNT("events"), MM_KEEP,
				      "holes mapped by the huge zero page" },
	[DAX_FILES_LOAD_HOLE] = { "load_hole", NULL, MM_COUNT("events"), MM_KEEP,
				  "holes mapped by the zero page" },
	[DAX_FILES_MKWRITE_NO_ENTRY] = { "mkwrite_no_entry", NULL, MM_COUNT("events"), MM_KEEP,
					 "mappings not inserted after a sync, because the page cache entry was gone (`dax_insert_pfn_mkwrite_no_entry`); null if the trace has no such event, but may have lost some" },
	[DAX_FILES_WRITEBACK_RANGES] = { "writeback_ranges", NULL, MM_COUNT("ranges"), MM_KEEP,
					 "writeback ranges" },
	[DAX_FILES_WRITEBACK_PAGES] = { "writeback_pages", NULL, MM_COUNT("pages"), MM_KEEP,
					"pages of the writeback ranges whose end is known" },
	[DAX_FILES_PAGES_WRITTEN] = { "pages_written", NULL, MM_COUNT("pages"), MM_KEEP,
				      "pages written (`dax_writeback_one`): a huge page is written whole; null if the trace does not record it" },
	{ 0 },
};

const struct mm_table_def dax_table_files = { "files", "Files, most fallback time first",
					      attempts_note,
					      "each file that has faults or writeback",
					      file_columns };

static const struct mm_column file_cause_columns[] = {
	[DAX_FILE_CAUSES_MAJOR] = { "major", NULL, MM_NUMBER, MM_KEEP,
				    "major number of the device" },
	[DAX_FILE_CAUSES_MINOR] = { "minor", NULL, MM_NUMBER, MM_KEEP,
				    "minor number of the device" },
	[DAX_FILE_CAUSES_INO] = { "ino", NULL, MM_HEX, MM_KEEP, "inode number" },
	[DAX_FILE_CAUSES_CAUSE] = { "cause", NULL, MM_TEXT, MM_KEEP, "name of the check" },
	[DAX_FILE_CAUSES_FIRST_FAILED] = { "first_failed", NULL, MM_COUNT("faults"), MM_KEEP,
					   "faults for which this check was the first to fail" },
	[DAX_FILE_CAUSES_ALL_FAILED] = { "all_failed", NULL, MM_COUNT("faults"), MM_KEEP,
					 "faults for which this check failed, as the first or a later one" },
	{ 0 },
};

const struct mm_table_def dax_table_file_causes = { "file-causes", NULL, NULL,
						    "each failed check of each file",
						    file_cause_columns };

static const struct mm_column process_columns[] = {
	[DAX_PROCESSES_PROCESS] = { "process", "process", MM_TEXT, MM_KEEP, "name of the process" },
	[DAX_PROCESSES_PID] = { "pid", "pid", MM_NUMBER, MM_KEEP, "process id" },
	[DAX_PROCESSES_PMD_FAULTS] = { "pmd_faults", "pmd faults", MM_COUNT("faults"), MM_KEEP,
				       "huge-page faults" },
	[DAX_PROCESSES_PMD_FALLBACKS] = { "pmd_fallbacks", "attempts", MM_COUNT("faults"),
					  MM_DROP(1), "huge-page faults that fell back to 4 KiB" },
	[DAX_PROCESSES_FALLBACK_PERCENT] = { "fallback_percent", NULL, MM_REAL("percent"), MM_KEEP,
					     "`pmd_fallbacks` in percent of `pmd_faults`" },
	[DAX_PROCESSES_FALLBACK_ACCESSES] = { "fallback_accesses", "fell back",
					      MM_COUNT("accesses"), MM_KEEP,
					      "accesses that fell back; null if `dax.accesses` is null" },
	[DAX_PROCESSES_FALLBACK_NS] = { "fallback_ns", "fallback time", MM_NS, MM_KEEP,
					"time from entry to exit of the faults that fell back" },
	[DAX_PROCESSES_PTE_FAULTS] = { "pte_faults", "pte faults", MM_COUNT("faults"), MM_KEEP,
				       "4 KiB faults" },
	[DAX_PROCESSES_FAULTS_PER_SECOND] = { "faults_per_second", "faults/s", MM_REAL("faults/s"),
					      MM_DROP(3),
					      "faults of both kinds per second of the time range that the coverage states; null without one" },
	[DAX_PROCESSES_FAULT_NS] = { "fault_ns", "time in faults", MM_NS, MM_KEEP,
				     "time from entry to exit, in total" },
	[DAX_PROCESSES_FAULT_PERCENT] = { "fault_percent", "% of it", MM_REAL("percent"),
					  MM_DROP(1),
					  "`fault_ns` in percent of its sum over all processes" },
	{ 0 },
};

const struct mm_table_def dax_table_processes = { "processes",
						  "Processes, most time in faults first",
						  attempts_note, "each process that has faults",
						  process_columns };

static const struct mm_column slowest_columns[] = {
	[DAX_SLOWEST_LATENCY_NS] = { "latency_ns", "latency", MM_NS, MM_KEEP,
				     "time from entry to exit" },
	[DAX_SLOWEST_KIND] = { "kind", "kind", MM_TEXT, MM_KEEP, KIND_MEANING },
	[DAX_SLOWEST_OUTCOME] = { "outcome", "outcome", MM_TEXT, MM_KEEP, OUTCOME_MEANING },
	[DAX_SLOWEST_PROCESS] = { "process", "process", MM_TEXT, MM_KEEP, "name of the process" },
	FAULT_COLUMNS(DAX_SLOWEST_OF_FAULT),
	[DAX_SLOWEST_FAULT] = { "fault", "fault", MM_TEXT, MM_WRAP(30),
				"the fault's fields, as `lttng-mm print` shows them" },
	{ 0 },
};

const struct mm_table_def dax_table_slowest = {
	"slowest", "Slowest faults", NULL,
	"each of the slowest faults, as many as `--top` requests", slowest_columns
};

static const struct mm_column no_pmd_columns[] = {
	[DAX_UNPRECEDED_REASON] = { "reason", "reason", MM_TEXT, MM_KEEP,
				    "why no huge-page fault preceded the 4 KiB fault" },
	[DAX_UNPRECEDED_COUNT] = { "count", "count", MM_COUNT("faults"), MM_KEEP, "4 KiB faults" },
	[DAX_UNPRECEDED_WHY] = { "why", "why", MM_TEXT, MM_WRAP(30), "the reason as a sentence" },
	{ 0 },
};

const struct mm_table_def dax_table_no_pmd = {
	"pte-without-pmd", "4 KiB faults that no huge-page fault preceded, most first", NULL,
	"each reason that has faults", no_pmd_columns
};

static const struct mm_column writeback_columns[] = {
	[DAX_WRITEBACK_PATH] = { "path", "file", MM_TEXT, MM_SHORTEN(0, 20),
				 "path, from the system information" },
	[DAX_WRITEBACK_INO] = { "ino", "inode", MM_HEX, MM_KEEP, "inode number" },
	[DAX_WRITEBACK_RANGES] = { "ranges", "ranges", MM_COUNT("ranges"), MM_KEEP,
				   "writeback ranges" },
	[DAX_WRITEBACK_PAGES] = { "pages", "pages requested", MM_COUNT("pages"), MM_KEEP,
				  "pages of the ranges; a range to the end of the file adds none" },
	[DAX_WRITEBACK_PAGES_WRITTEN] = { "pages_written", "pages written", MM_COUNT("pages"),
					  MM_KEEP,
					  "pages written (`dax_writeback_one`): a huge page is written whole; null if the trace does not record it" },
	[DAX_WRITEBACK_NS] = { "ns", "time", MM_NS, MM_KEEP, "time from start to end, in total" },
	{ 0 },
};

const struct mm_table_def dax_table_writeback = {
	"writeback", "Writeback ranges (fsync, msync), most time first",
	"pages requested: a range to the end of the file adds none; pages written: a huge page is written whole",
	"each file that has writeback", writeback_columns
};

static const struct mm_column pairing_columns[] = {
	[DAX_PAIRING_WHAT] = { "what", NULL, MM_TEXT, MM_KEEP,
			       "a value of the label `what` of `dax.pairing`" },
	[DAX_PAIRING_COUNT] = { "count", NULL, MM_COUNT("faults"), MM_KEEP, "faults" },
	{ 0 },
};

const struct mm_table_def dax_table_pairing = {
	"pairing", NULL, NULL, "each kind of fault that is not a pair of entry and exit",
	pairing_columns
};

static const struct mm_table_def *const tables[] = {
	&dax_table_faults,
	&dax_table_histogram,
	&dax_table_causes,
	&dax_table_remedies,
	&dax_table_evidence,
	&dax_table_files,
	&dax_table_file_causes,
	&dax_table_processes,
	&dax_table_slowest,
	&dax_table_no_pmd,
	&dax_table_writeback,
	&dax_table_pairing,
	NULL,
};

const struct mm_report_schema dax_schema = { "dax", metrics, tables, NULL, &dax_compared, NULL };
