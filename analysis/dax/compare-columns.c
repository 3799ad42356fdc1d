// SPDX-License-Identifier: LGPL-2.1-only
/* Declares which columns are compared between two DAX reports. */
#include <stddef.h>

#include "analysis/dax/dax-schema.h"

static const struct mm_compared_column fault_columns[] = {
	{ "ns", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "count", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ "mean_ns", MM_LESS_IS_BETTER, MM_STEADY, "count", 4 },
	{ "p50_ns", MM_LESS_IS_BETTER, MM_STEADY, "count", 4 },
	{ "p90_ns", MM_LESS_IS_BETTER, MM_STEADY, "count", 20 },
	{ "p99_ns", MM_LESS_IS_BETTER, MM_STEADY, "count", 200 },
	{ "max_ns", MM_LESS_IS_BETTER, MM_MAXIMUM, "count", 0 },
	{ 0 },
};

/*
 * The time and the first failed checks of each cause are missing here: the table of faults is
 * compared, too, and has both.
 */
static const struct mm_compared_column cause_columns[] = {
	{ "accesses", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "all_failed", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column file_columns[] = {
	{ "fallback_ns", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "pmd_faults", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ "pmd_mapped", MM_MORE_IS_BETTER, MM_SUM, NULL, 0 },
	{ "pmd_fallbacks", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "fallback_accesses", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "pte_faults", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ "sigbus", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "pages_written", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column process_columns[] = {
	{ "fault_ns", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "pmd_faults", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ "pmd_fallbacks", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "fallback_accesses", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "fallback_ns", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "pte_faults", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column no_pmd_columns[] = {
	{ "count", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ 0 },
};

static const struct mm_compared_column writeback_columns[] = {
	{ "ns", MM_LESS_IS_BETTER, MM_SUM, NULL, 0 },
	{ "ranges", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ "pages_written", MM_NEUTRAL, MM_SUM, NULL, 0 },
	{ 0 },
};

/*
 * Rows are identified by name. Inode numbers and process ids differ between runs: they are used
 * only for rows without a name.
 */
static const struct mm_compared_table tables[] = {
	{ &dax_table_faults,
	  "dax.outcome",
	  { "kind", "outcome", "cause" },
	  { NULL },
	  fault_columns },
	{ &dax_table_causes, "dax.cause", { "cause" }, { NULL }, cause_columns },
	{ &dax_table_files, "dax.file", { "path" }, { "major", "minor", "ino" }, file_columns },
	{ &dax_table_processes, "dax.process", { "process" }, { "pid" }, process_columns },
	{ &dax_table_no_pmd, "dax.without_pmd", { "reason" }, { NULL }, no_pmd_columns },
	{ &dax_table_writeback, "dax.writeback_file", { "path" }, { "ino" }, writeback_columns },
	{ NULL, NULL, { NULL }, { NULL }, NULL },
};

static const char *const repeated[] = {
	"dax.fault.count",	 "dax.fault.latency_ns", "dax.fallback.cause",
	"dax.fallback.cause_ns", "dax.pte_without_pmd",	 NULL,
};

static const struct mm_headline headlines[] = {
	{ "Fallbacks took", "dax.fallback_ns", NULL },
	{ "4 KiB faults after fallbacks took", "dax.pte_after_fallback_ns", NULL },
	{ "All DAX faults took", "dax.fault_ns", NULL },
	{ "Accesses that fell back numbered", "dax.fallback_accesses", NULL },
	{ NULL, NULL, NULL },
};

static const char *const lowered[] = {
	"dax.pmd_faults", "dax.pmd_mapped", "dax.pmd_fallbacks", "dax.pte_faults", NULL,
};

const struct mm_compared dax_compared = { tables, repeated, headlines, lowered, NULL };
