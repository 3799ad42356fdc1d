/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fills in what a report says of its trace, whatever the analysis. */
#ifndef LTTNG_MM_COVERAGE_REPORT_COVERAGE_SECTION_H
#define LTTNG_MM_COVERAGE_REPORT_COVERAGE_SECTION_H

#include "reader/coverage/missing.h"
#include "reader/events/source.h"
#include "reader/report/report.h"
#include "reader/sysinfo/sysinfo.h"

/* The coverage of @source, which has run, and the notes of the system information. */
void mm_coverage_fill(const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		      struct mm_report *report);

/* Says, once the figures are known, which stream may be cut, if some are uncertain. */
void mm_coverage_conclude(const struct mm_source *source, struct mm_report *report);

/*
 * The parts of it, for a report whose data is not that of a source. @loss is read for its counts
 * and whether the stream is missing; @name is the stream's file.
 */
void mm_coverage_add_loss(struct mm_report *report, const char *name, const struct mm_loss *loss);
/* A stream that is missing, in whole or in part; @name as above. */
void mm_coverage_add_missing(struct mm_report *report, const char *name,
			     const struct mm_missing *missing);
/* The sums of the losses, after report->incomplete is set. */
void mm_coverage_set_losses(struct mm_report *report, const struct mm_loss *sum,
			    uint64_t streams_missing);
/* Sets the possible pauses, after the losses. */
void mm_coverage_set_gaps(struct mm_report *report, const struct mm_missing_list *list);
/*
 * Were events lost when they were recorded, by what the streams lack? A file that is not the one
 * that was certified has lost packets since. @list may be NULL.
 */
bool mm_coverage_recorder_lost(const struct mm_missing_list *list, const struct mm_loss *losses,
			       size_t count);
/* Sets the limits of the recording: its trackers and filters. */
void mm_coverage_set_limits(struct mm_report *report, const struct mm_source *source);
/* A tracker or a filter excluded events, and it is not known which. After the losses. */
void mm_coverage_set_limits_unknown(struct mm_report *report);
/* Sets the time range. */
void mm_coverage_set_range(struct mm_report *report, int64_t start_ns, int64_t end_ns);
/*
 * Adds a remark if the time range starts before @since_ns, when all events were enabled. INT64_MIN:
 * all packets are in certified time. Call it after mm_coverage_set_range().
 */
void mm_coverage_set_certified_since(struct mm_report *report, int64_t since_ns);
/* The trace is not complete for certain: its files are not those that were certified. */
void mm_coverage_set_differs(struct mm_report *report);
/* Says that a snapshot.json is damaged, and that the report may not be complete. */
void mm_coverage_set_damaged(struct mm_report *report, const struct mm_missing_list *list);
/* The same of files that are not those that the system information lists. */
void mm_coverage_set_mismatches(struct mm_report *report, const struct mm_missing_list *list);
/* Says if checksums of packets are lost. To be called before mm_coverage_set_verified(). */
/* The number of streams from whose start or end packets may have been removed, 0.1 s or more. */
size_t mm_coverage_count_cuts(const struct mm_missing_list *list);

void mm_coverage_set_sums(struct mm_report *report, const struct mm_missing_list *list);
/* When a stream of a channel starts. */
struct mm_channel_start {
	const char *channel; /* NULL: not known */
	int64_t start_ns;
};

/*
 * Returns when the last channel starts, each with its first stream: channels of rare events reach
 * back much further than those of frequent ones, of which a range that starts earlier would say
 * that there were few. INT64_MIN: not known. Sorts @starts.
 */
int64_t mm_coverage_last_start(struct mm_channel_start *starts, size_t count);

/* Why it could not be checked whether streams are missing; NULL: it could. */
void mm_coverage_set_verified(struct mm_report *report, const char *unverifiable);
/*
 * The number of CPUs, of which @cpus has @count, in any order; sorts them. @list: what is missing,
 * which may be streams of more CPUs.
 */
void mm_coverage_set_cpus(struct mm_report *report, const struct mm_missing_list *list,
			  uint32_t *cpus, size_t count);

#endif /* LTTNG_MM_COVERAGE_REPORT_COVERAGE_SECTION_H */
