/* SPDX-License-Identifier: LGPL-2.1-only */
/* Fills in the section "Coverage" of a report, for any analysis. */
#ifndef LTTNG_MM_COVERAGE_REPORT_COVERAGE_SECTION_H
#define LTTNG_MM_COVERAGE_REPORT_COVERAGE_SECTION_H

#include "reader/coverage/missing.h"
#include "reader/events/source.h"
#include "reader/report/report.h"
#include "reader/sysinfo/sysinfo.h"

/*
 * Fills in the coverage of @source after all events were read, with the notes of the system
 * information.
 */
void mm_coverage_fill(const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		      struct mm_report *report);

/*
 * If some figures are uncertain and no other remark says why, names a cut stream. Call this after
 * setting the metrics.
 */
void mm_coverage_conclude(const struct mm_source *source, struct mm_report *report);

/*
 * The functions from here on are parts of mm_coverage_fill(). They are for reports whose source has
 * not run.
 *
 * Adds a row with the losses of a stream: the counts and `missing` of @loss. @name: the stream's
 * file.
 */
void mm_coverage_add_loss(struct mm_report *report, const char *name, const struct mm_loss *loss);
/* Adds a row for a stream that is missing, in whole or in part. @name: the stream's file. */
void mm_coverage_add_missing(struct mm_report *report, const char *name,
			     const struct mm_missing *missing);
/* Sets the sums of the losses. Call it after setting report->incomplete. */
void mm_coverage_set_losses(struct mm_report *report, const struct mm_loss *sum,
			    uint64_t streams_missing);
/* Sets the possible pauses. Call it after mm_coverage_set_losses(). */
void mm_coverage_set_gaps(struct mm_report *report, const struct mm_missing_list *list);
/*
 * According to the losses of the streams, did the tracer lose events while recording? Ignores a
 * file that differs from the certified file, because it may have lost packets later. @list may be
 * NULL.
 */
bool mm_coverage_recorder_lost(const struct mm_missing_list *list, const struct mm_loss *losses,
			       size_t count);
/* Sets the limits of the recording by its trackers and filters. */
void mm_coverage_set_limits(struct mm_report *report, const struct mm_source *source);
/*
 * Notes that a tracker or a filter excluded events, but it is unknown which. Call it after
 * mm_coverage_set_losses().
 */
void mm_coverage_set_limits_unknown(struct mm_report *report);
/* Sets the time range. */
void mm_coverage_set_range(struct mm_report *report, int64_t start_ns, int64_t end_ns);
/*
 * Adds a remark if the time range starts before @since_ns, the time from which all events were
 * enabled. INT64_MIN: all packets are in certified time. Call it after mm_coverage_set_range().
 */
void mm_coverage_set_certified_since(struct mm_report *report, int64_t since_ns);
/*
 * Notes that the files or times have changed since the recording, so the trace may be incomplete.
 */
void mm_coverage_set_differs(struct mm_report *report);
/* Warns if a snapshot.json is damaged, because the trace may then be incomplete. */
void mm_coverage_set_damaged(struct mm_report *report, const struct mm_missing_list *list);
/* Warns if files differ from the file list in the system information. */
void mm_coverage_set_mismatches(struct mm_report *report, const struct mm_missing_list *list);
/* Returns the number of streams that are cut by MM_CUT_NS or more. */
size_t mm_coverage_count_cuts(const struct mm_missing_list *list);

/* Warns if checksum files are missing or damaged. Call it before mm_coverage_set_verified(). */
void mm_coverage_set_sums(struct mm_report *report, const struct mm_missing_list *list);

struct mm_channel_start {
	const char *channel; /* NULL: not known */
	int64_t start_ns;
};

/*
 * Returns the latest start of a channel, or INT64_MIN if it is not known. A channel starts when its
 * first stream starts. Sorts @starts.
 *
 * A report's time range must not start with a channel of rare events, because such a channel
 * reaches far back. The range would suggest that frequent events did not happen before their
 * channels start.
 */
int64_t mm_coverage_last_start(struct mm_channel_start *starts, size_t count);

/*
 * Stores whether missing streams would be noticed. If not, @unverifiable is the reason; otherwise
 * it is NULL.
 */
void mm_coverage_set_verified(struct mm_report *report, const char *unverifiable);
/*
 * Sets the number of distinct CPUs among the @count elements of @cpus, and sorts @cpus. @list:
 * missing streams, which may have other CPUs.
 */
void mm_coverage_set_cpus(struct mm_report *report, const struct mm_missing_list *list,
			  uint32_t *cpus, size_t count);

#endif /* LTTNG_MM_COVERAGE_REPORT_COVERAGE_SECTION_H */
