/* SPDX-License-Identifier: LGPL-2.1-only */
/* Derives a certificate of coverage from the packets of traces, and compares it with traces. */
#ifndef LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_H
#define LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_H

#include "reader/coverage/certificate.h"
#include "reader/events/source.h"
#include "reader/report/report.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/error.h"

struct ctf_trace;

/*
 * Reads the packet headers of all traces in or below @folder. @facts_by_trace: facts from the
 * tracer, by name of the trace's folder in @folder, or NULL:
 *
 *   { "kernel": { "streams": [ { "file": "lttng-mm_0", "channel": "lttng-mm", "cpu": 0,
 *                                "online": true, "overwritten": false, "packets_missed": 0,
 *                                "packets_left_out": 0, "last_left_out": false } ],
 *                 "watched_since_ns": N or null, "active": true, "since_ns": N,
 *                 "changes": [ { "at_ns": N, "channel": null or "name", "active": false,
 *                                "events": false } ],
 *                 "excluded": [ { "start_ns": N, "end_ns": N } ],
 *                 "limited_to": [ "pid 1234" ], "less": [ "A sentence." ] } }
 *
 * A trace with facts was copied at one instant, the freeze. It has all packets except
 *
 *   "packets_missed"    packets that were overwritten before
 *   "packets_left_out"  (optional) the first packets, which ended before "since_ns"
 *   "last_left_out"     (optional) if true, the packet that was being written
 *
 * From "watched_since_ns" on, "changes" has every start and stop of the session (channel null), of
 * a channel, or of some "events" (optional) of a channel; "excluded" has the times in which
 * trackers excluded events that were to be recorded. "limited_to" (optional) names the limits of
 * the recording, such as a process; "less" (optional) has sentences about events within these
 * limits that were not recorded. If @facts_by_trace is not NULL, a trace without facts was not
 * watched.
 *
 * @requested_ns: the time of the request on the traces' clock, at or before the freeze. INT64_MIN:
 * there was no request, and streams that are in no list may be missing, too. @wall_shift_ns: offset
 * from the traces' clock to the wall clock, for times in sentences.
 *
 * Fills in @certificate, which must be released in any case. Returns 0, or -1 with @err set if the
 * traces cannot be opened or read. Damage that can be skipped is a part of the verdict.
 */
int certify(const char *folder, const json_t *facts_by_trace, int64_t requested_ns,
	    int64_t wall_shift_ns, struct mm_certificate *certificate, struct mm_error *err);

/* The open traces of a source: all traces in or below source->path. */
struct certify_traces {
	const struct mm_source *source; /* a fast reader; mm_missing_find() has run */
	struct ctf_trace *const *traces;
	size_t trace_count;
	bool compared; /* packets were compared with their checksums already */
};

/* Like certify(), for open traces. There are no facts and no request. */
int certify_opened(const struct certify_traces *opened, struct mm_certificate *certificate,
		   struct mm_error *err);

/*
 * Compares the files below @folder with the certificate in @snapshot (CPUs, sizes, packets,
 * losses), and the certificate's verdict with its streams. If times in snapshot.json contradict
 * each other, the first difference says so. @opened: open traces or NULL; used only if they were
 * opened in @folder. Adds an unescaped line to *@lines for each of the first 64 differences.
 * *@count is the number of all differences. Returns 0, or -1 with @err set, like certify().
 */
int certificate_check(const char *folder, const struct certify_traces *opened,
		      const struct mm_snapshot *snapshot, char ***lines, size_t *line_count,
		      size_t *count, struct mm_error *err);

/* Receives the lines of certificate_check() for a snapshot that differs. @count: total number. */
typedef void (*certificate_differs_fn)(void *user, const struct mm_snapshot_dir *dir,
				       char *const *lines, size_t line_count, size_t count);

/*
 * Compares all snapshots of @opened with their certificates, and calls @differs for each snapshot
 * that differs. Returns 0, or -1 with @err set.
 */
int certificate_check_all(const struct certify_traces *opened, certificate_differs_fn differs,
			  void *user, struct mm_error *err);

/*
 * Compares the snapshots of @source with their certificates. If a snapshot differs, adds a warning
 * to @report, and marks the report as not complete. Returns 0, or -1 with @err set.
 */
int certificate_warn(struct mm_source *source, struct mm_report *report, struct mm_error *err);
/*
 * Like certificate_warn(), for commands without a report. Prints notes to standard error, including
 * notes about lost checksum files. Returns 0, or -1 with @err set.
 */
int certificate_print(struct mm_source *source, struct mm_error *err);

/*
 * Counts the gaps of streams in the certificates of the traces. Derives a certificate for traces
 * without a certificate. Returns 0, or -1 with @err set.
 */
int certificate_gaps(const struct certify_traces *opened, uint64_t *gaps, struct mm_error *err);

/*
 * Checks --require-complete. Each snapshot.json of the traces at @path must have the verdict
 * `complete`, and the files must match it. Other traces must be lossless, as
 * certificate_require_lossless() checks. The streams of all traces must be listed, by a certificate
 * or by system information. A live session always passes. Returns 0, or -1 with @err set. If the
 * traces fail the checks, the error's code is MM_EXIT_INCOMPLETE.
 */
int certificate_require(const char *path, struct mm_error *err);
/*
 * Like certificate_require(), for a caller that has read only the time range of @options. The whole
 * trace must pass the checks, not only this range.
 */
int certificate_require_whole(const char *path, const struct mm_source_options *options,
			      struct mm_error *err);

/*
 * The steps of certificate_require() for callers who have the data. Each step returns 0, or -1 with
 * @err set, as certificate_require() does.
 *
 * Requires that the snapshot is certified as `complete`. @difference is the first difference that
 * certificate_check() found, or NULL.
 */
int certificate_require_snapshot(const char *path, const struct mm_snapshot_dir *dir,
				 const char *difference, struct mm_error *err);
/*
 * Requires that no checksum file is lost and that the stream files match the list in the system
 * information. Call mm_missing_find() first.
 */
int certificate_require_sums(const struct mm_source *source, struct mm_error *err);
/* Requires that the certificate derived from the packets has no loss and no hole. */
int certificate_require_lossless(const char *path, const struct mm_certificate *derived,
				 struct mm_error *err);
/*
 * Requires that the recording was not paused, that excluded events are known, and that the streams
 * are listed. Call mm_missing_find() first.
 */
int certificate_require_known(const struct mm_source *source, struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_H */
