/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Derives the certificate of coverage from the packets of a snapshot's traces, and checks whether
 * the traces still match one.
 */
#ifndef LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_H
#define LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_H

#include "reader/coverage/certificate.h"
#include "reader/events/source.h"
#include "reader/report/report.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/error.h"

struct ctf_trace;

/*
 * Reads the packet headers of all traces in or below @folder. @facts_by_trace: what the tracer
 * itself knows, by name of the trace's folder in @folder, or NULL:
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
 * A trace with facts was copied at one instant, the freeze: all packets up to then are there, but
 * for those that "packets_missed" counts, which were overwritten before, and for the first
 * "packets_left_out" (optional), which ended before "since_ns" (optional), and for the one that was
 * being written then, if "last_left_out" (optional) is true. From "watched_since_ns" on, every start
 * and stop of the session (channel null), of a channel, or of some "events" (optional) of a channel is
 * in "changes", and the times in which trackers excluded what was to be recorded are in "excluded".
 * "limited_to" (optional) names what was to be recorded, or at the freeze was, if that was not
 * everything. "less" (optional) says what of that is not recorded. A trace that has no facts,
 * although @facts_by_trace is not NULL, was not watched.
 *
 * @requested_ns: the time of the request on the traces' clock, at or before the freeze; INT64_MIN:
 * not known, so a list of the streams is searched for, and the verdict says nothing of a request.
 * @wall_shift_ns: how much the wall clock is ahead of the traces' clock, for times in sentences.
 *
 * Fills in @certificate, to be released in any case. Returns 0, or -1 with @err set if the traces
 * cannot be opened or read. Damage that can be skipped is a part of the verdict.
 */
int certify(const char *folder, const json_t *facts_by_trace, int64_t requested_ns,
	    int64_t wall_shift_ns, struct mm_certificate *certificate, struct mm_error *err);

/* Traces that are open already, all those in or below source->path. */
struct certify_traces {
	const struct mm_source *source;	 /* of the fast reader, after mm_missing_find() */
	struct ctf_trace *const *traces; /* of ctf_traces_open(); NULL: they are not open */
	size_t trace_count;
	bool compared; /* packets were compared with their checksums before */
};

/* As certify(), of traces that are open, without facts and request. */
int certify_opened(const struct certify_traces *opened, struct mm_certificate *certificate,
		   struct mm_error *err);

/*
 * Compares the files below @folder with the certificate in @snapshot: CPUs, sizes, packets, losses;
 * and the verdict with the streams that it was made of. A contradiction between times in
 * snapshot.json is the first difference. If the traces of @opened (or NULL) are those of @folder,
 * these are not opened again. Adds a line, which is not escaped, for each difference to *@lines;
 * more than 64 are counted in *@count only. Returns 0, or -1 with @err set as certify().
 */
int certificate_check(const char *folder, const struct certify_traces *opened,
		      const struct mm_snapshot *snapshot, char ***lines, size_t *line_count,
		      size_t *count, struct mm_error *err);

/* The lines of certificate_check() for a snapshot that differs: @count of them, or more. */
typedef void (*certificate_differs_fn)(void *user, const struct mm_snapshot_dir *dir,
				       char *const *lines, size_t line_count, size_t count);

/*
 * Compares all snapshots of the traces of @opened with their certificates, and calls @differs for
 * each one that is not what was certified. Returns 0, or -1 with @err set.
 */
int certificate_check_all(const struct certify_traces *opened, certificate_differs_fn differs,
			  void *user, struct mm_error *err);

/*
 * The same of a trace that was read for @report, with the traces that are still open: if they
 * differ, that is the first line of @report, which is not complete then. Says nothing of a live
 * session. Returns 0, or -1 with @err set.
 */
int certificate_warn(struct mm_source *source, struct mm_report *report, struct mm_error *err);
/*
 * For commands that make no report: notes on standard error that the files differ from the
 * certificate, and that checksums were lost. Returns 0, or -1 with @err set.
 */
int certificate_print(struct mm_source *source, struct mm_error *err);

/*
 * Counts the gaps in the streams of traces, as their certificates have them, or as derived. Returns
 * 0, or -1 with @err set.
 */
int certificate_gaps(const struct certify_traces *opened, uint64_t *gaps, struct mm_error *err);

/*
 * For --require-complete: each snapshot.json of the traces at @path must say `complete`, and the
 * files must match it. Traces without one must be lossless as above. A certificate or system
 * information must list the streams of all traces. Says nothing of a live session. Returns 0, or
 * -1 with @err set, to MM_EXIT_INCOMPLETE if that is not so.
 */
int certificate_require(const char *path, struct mm_error *err);
/*
 * ... after a time range of it was read, by @options: outside of it, nothing may be missing either.
 */
int certificate_require_whole(const char *path, const struct mm_source_options *options,
			      struct mm_error *err);

/*
 * certificate_require() where the result is known: of one snapshot, with the first @difference that
 * certificate_check() found (NULL: none), and of the certificate that was derived of traces without
 * a snapshot.json.
 */
int certificate_require_snapshot(const char *path, const struct mm_snapshot_dir *dir,
				 const char *difference, struct mm_error *err);
/*
 * ... of a source whose missing files are known: can packets be compared with their checksums, and
 * are the files those that the system information lists?
 */
int certificate_require_sums(const struct mm_source *source, struct mm_error *err);
int certificate_require_lossless(const char *path, const struct mm_certificate *derived,
				 struct mm_error *err);
/* ... of a source likewise: was it recording all the time, and does something list its streams? */
int certificate_require_known(const struct mm_source *source, struct mm_error *err);

#endif /* LTTNG_MM_COVERAGE_CERTIFY_CERTIFY_H */
