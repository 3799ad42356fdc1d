// SPDX-License-Identifier: LGPL-2.1-only
/* Requires a complete trace, for --require-complete. */
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/certify/certify.h"
#include "reader/coverage/coverage.h"
#include "reader/coverage/missing.h"
#include "reader/ctf/decode/source.h"
#include "reader/ctf/packet/packet.h"
#include "reader/open/open.h"
#include "reader/open/range.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/text.h"

#define REMEDY "`lttng-mm info` shows all problems"

/* Returns the length of a sentence without its period. */
static int why_length(const char *why)
{
	int length = (int)strnlen(why, 512);

	return length && why[length - 1] == '.' ? length - 1 : length;
}

int certificate_require_snapshot(const char *path, const struct mm_snapshot_dir *dir,
				 const char *difference, struct mm_error *err)
{
	const struct mm_certificate *certificate = &dir->snapshot.certificate;
	const char *why = certificate->why_count ? certificate->why[0] : "no reason is given";

	if (dir->problem)
		return mm_error_set(err, MM_EXIT_INCOMPLETE,
				    "trace: %s: not certified: " MM_SNAPSHOT_FILE ": %s", path,
				    dir->problem);
	if (certificate->verdict != MM_VERDICT_COMPLETE)
		return mm_error_set(err, MM_EXIT_INCOMPLETE,
				    "trace: %s: certified as `%s`: %.*s; " REMEDY, path,
				    mm_verdict_name(certificate->verdict), why_length(why), why);
	if (difference)
		return mm_error_set(
			err, MM_EXIT_INCOMPLETE,
			"trace: %s: the files differ from the certificate: %s; copy the whole snapshot again (" REMEDY
			")",
			path, difference);
	return 0;
}

int certificate_require_sums(const struct mm_source *source, struct mm_error *err)
{
	const struct mm_missing_list *list = mm_source_missing(source);
	char *text;

	if (list->mismatch_count)
		return mm_error_set(
			err, MM_EXIT_INCOMPLETE,
			"trace: %s: differs from the file list in the system information: %s; copy the whole trace again (" REMEDY
			")",
			list->mismatches[0].display_path, list->mismatches[0].what);
	if (!list->lost_sums_count)
		return 0;
	text = mm_missing_sums_text(mm_source_missing(source));
	if (text)
		mm_error_set(err, MM_EXIT_INCOMPLETE,
			     "trace: %s; copy the whole trace again (" REMEDY ")", text);
	else
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	free(text);
	return -1;
}

int certificate_require_known(const struct mm_source *source, struct mm_error *err)
{
	const char *unverifiable = mm_missing_unverifiable(mm_source_missing(source));

	if (mm_source_missing(source)->maybe_paused)
		return mm_error_set(
			err, MM_EXIT_INCOMPLETE,
			"trace: %s: recording may have been paused, or packets of a stream removed; " REMEDY,
			mm_source_path(source));
	if (mm_source_missing(source)->limits_unknown)
		return mm_error_set(
			err, MM_EXIT_INCOMPLETE,
			"trace: %s: a tracker or a filter excluded events, and nothing says which; " REMEDY,
			mm_source_path(source));
	if (unverifiable)
		return mm_error_set(err, MM_EXIT_INCOMPLETE,
				    "trace: %s: streams may be missing: %s; " REMEDY,
				    mm_source_path(source), unverifiable);
	return 0;
}

static int require_snapshot(const struct certify_traces *opened, const struct mm_snapshot_dir *dir,
			    struct mm_error *err)
{
	const char *path = mm_source_path(opened->source);
	size_t line_count, count;
	char **lines;
	int ret;

	/* If the verdict is bad, do not compare the files. */
	if (certificate_require_snapshot(path, dir, NULL, err))
		return -1;
	ret = certificate_check(dir->folder, opened, &dir->snapshot, &lines, &line_count, &count,
				err);
	if (!ret)
		ret = certificate_require_snapshot(path, dir, count ? lines[0] : NULL, err);
	mm_strings_release(lines, line_count);
	return ret;
}

/*
 * Does the derived certificate have no loss and no hole? (For a trace without a snapshot.json, it
 * does not matter whether the verdict is `complete`.)
 */
static bool is_lossless(const struct mm_certificate *certificate)
{
	size_t holes = 0;

	for (size_t i = 0; i < certificate->stream_count; i++)
		if (!mm_trace_is_state(certificate->streams[i].trace))
			holes += certificate->streams[i].hole_count;
	return !holes && !certificate->losses && !certificate->uncounted && !certificate->suspected;
}

int certificate_require_lossless(const char *path, const struct mm_certificate *derived,
				 struct mm_error *err)
{
	bool holes = derived->losses + derived->uncertain && derived->why_count;
	const char *why = holes ? derived->why[0] : "outside the time that all streams cover";

	if (!derived->stream_count)
		return mm_error_set(
			err, MM_EXIT_INCOMPLETE,
			"trace: %s: there is metadata, but no stream; copy the whole trace again (" REMEDY
			")",
			path);
	if (is_lossless(derived))
		return 0;
	return mm_error_set(
		err, MM_EXIT_INCOMPLETE,
		"trace: %s: something was lost, or recording may have been paused: %.*s; " REMEDY,
		path, why_length(why), why);
}

/* Checks traces without a snapshot.json. */
static int require_lossless(const struct certify_traces *opened, struct mm_error *err)
{
	struct mm_certificate certificate;
	int ret = certify_opened(opened, &certificate, err);

	if (!ret)
		ret = certificate_require_lossless(mm_source_path(opened->source), &certificate,
						   err);
	mm_certificate_release(&certificate);
	return ret;
}

/* Like mm_coverage_certified_since(), but works before events are read. */
static int64_t certified_since(const struct certify_traces *opened)
{
	int64_t since_ns = INT64_MIN;

	for (size_t i = 0; i < opened->trace_count; i++)
		for (size_t j = 0; j < opened->traces[i]->stream_count; j++) {
			const struct ctf_stream *stream = &opened->traces[i]->streams[j];

			if (stream->file_count)
				since_ns = mm_coverage_certified_later(opened->source, stream->name,
								       stream->files[0].first_ns,
								       since_ns);
		}
	return since_ns;
}

/*
 * Checks that the certificate covers the start of the requested time range. If it does not, sets
 * *@early.
 */
static int require_enabled(const struct certify_traces *opened, struct mm_source *source,
			   const struct mm_source_options *range, bool *early, struct mm_error *err)
{
	const struct mm_source_options *requested;
	int64_t since_ns;

	if (!mm_source_options_windowed(range))
		return 0;
	mm_source_set_options(source, range);
	if (mm_range_resolve(source, err))
		return -1;
	requested = mm_source_options(source);
	since_ns = certified_since(opened);
	*early = range->begin_ns != INT64_MIN ? requested->begin_ns < since_ns
					      : requested->end_ns <= since_ns;
	return *early ? mm_error_set(
				err, MM_EXIT_INCOMPLETE,
				"trace: %s: the certificate does not cover the start of the time range, when not all events were recorded; " REMEDY,
				mm_source_path(source))
		      : 0;
}

/*
 * Implements certificate_require(). With @options, also checks the start of the time range, and
 * sets *@early if only this check fails.
 */
static int require(const char *path, const struct mm_source_options *options, bool *early,
		   struct mm_error *err)
{
	struct certify_traces opened = { .source = NULL };
	struct mm_snapshots snapshots;
	struct mm_source *source;
	bool bare = false;
	int ret;

	if (mm_source_is_live(path))
		return 0;
	opened.source = source = mm_source_open(path, NULL, err);
	if (source)
		opened.traces = mm_ctf_source_traces(source, &opened.trace_count, err);
	if (!opened.traces) {
		mm_source_destroy(source);
		return -1;
	}
	ret = mm_snapshots_find(&snapshots, source);
	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", path);
	for (size_t i = 0; i < snapshots.count && !ret; i++)
		ret = require_snapshot(&opened, &snapshots.all[i], err);
	for (size_t i = 0; i < snapshots.member_count; i++)
		bare |= snapshots.members[i].dir == SIZE_MAX;
	if (!ret)
		ret = mm_missing_find(source, err) || certificate_require_sums(source, err);
	if (!ret && bare)
		ret = require_lossless(&opened, err);
	if (!ret)
		ret = certificate_require_known(source, err);
	if (!ret && options)
		ret = require_enabled(&opened, source, options, early, err);
	mm_snapshots_release(&snapshots);
	mm_source_destroy(source);
	return ret;
}

int certificate_require(const char *path, struct mm_error *err)
{
	return require(path, NULL, NULL, err);
}

int certificate_require_whole(const char *path, const struct mm_source_options *options,
			      struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	bool early = false;

	if (require(path, options, &early, &why))
		mm_error_set(
			err, why.code, "%s%s", why.message,
			mm_source_options_windowed(options) && !early &&
					why.code == MM_EXIT_INCOMPLETE
				? "; --require-complete checks the whole trace, not only the time range"
				: "");
	return why.code ? -1 : 0;
}
