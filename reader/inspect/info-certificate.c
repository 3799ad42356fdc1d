// SPDX-License-Identifier: LGPL-2.1-only
/* Adds certificates of coverage to the report of ctf_info(). */
#include "reader/inspect/info-certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/certify/certify.h"
#include "reader/coverage/missing.h"
#include "reader/inspect/info-cells.h"
#include "reader/inspect/info-schema.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/sysinfo/sysinfo.h"
#include "util/plural.h"
#include "util/text.h"
#include "util/time.h"

/* Maximum number of notes from a snapshot.json that are shown, because the file may be hostile. */
#define NOTES_MAX 16

struct info_certificate_ctx {
	struct mm_report *report;
	const struct certify_traces *opened;
	struct ctf_info_facts *facts;
	struct ctf_info_brief *brief; /* NULL: not requested */
	struct mm_error *incomplete;  /* NULL: not requested */
	bool gmt;
	bool maybe_paused; /* a stream of the recording has a pause or a gap */
};

static void set_ns(struct mm_cell *cell, bool known, int64_t ns)
{
	if (known)
		mm_cell_set_i(cell, ns);
}

static void set_b(struct mm_cell *cell, bool known, bool value)
{
	if (known)
		mm_cell_set_b(cell, value);
}

static void fill_coverage(const struct info_certificate_ctx *ctx,
			  const struct mm_certificate *certificate)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_coverage);

	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];
		struct mm_cell *row;

		if (mm_trace_is_state(stream->trace))
			continue;
		row = mm_table_row(ctx->report, table);
		if (!row)
			return;
		mm_cell_set_s(&row[INFO_COVERAGE_TRACE], stream->trace);
		mm_cell_set_s(&row[INFO_COVERAGE_STREAM], stream->file);
		mm_cell_set_s(&row[INFO_COVERAGE_CHANNEL], stream->channel);
		set_known(&row[INFO_COVERAGE_CPU], stream->cpu != MM_CPU_UNKNOWN, stream->cpu);
		set_b(&row[INFO_COVERAGE_ONLINE], stream->online >= 0, stream->online > 0);
		mm_cell_set_u(&row[INFO_COVERAGE_PACKETS], stream->packets);
		set_ns(&row[INFO_COVERAGE_START_NS], stream->covered, stream->start_ns);
		set_ns(&row[INFO_COVERAGE_END_NS], stream->covered, stream->end_ns);
		set_time(&row[INFO_COVERAGE_START], ctx->gmt, stream->covered, stream->start_ns);
		set_known(&row[INFO_COVERAGE_DURATION_NS], stream->covered,
			  span(stream->start_ns, stream->end_ns));
		mm_cell_set_u(&row[INFO_COVERAGE_HOLES], stream->hole_count);
		mm_cell_set_u(&row[INFO_COVERAGE_PACKETS_LOST], stream->packets_lost);
		mm_cell_set_u(&row[INFO_COVERAGE_EVENTS_DISCARDED], stream->events_discarded);
		set_b(&row[INFO_COVERAGE_EVENTS_DISCARDED_KNOWN], true,
		      stream->events_discarded_known);
	}
}

static void fill_holes(struct info_certificate_ctx *ctx, const struct mm_certificate *certificate)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_holes);

	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];

		for (size_t j = 0; j < stream->hole_count && !mm_trace_is_state(stream->trace);
		     j++) {
			const struct mm_hole *hole = &stream->holes[j];
			struct mm_cell *row = mm_table_row(ctx->report, table);

			if (!row)
				return;
			ctx->maybe_paused |=
				hole->kind == MM_HOLE_PAUSE || hole->kind == MM_HOLE_DISABLED ||
				hole->kind == MM_HOLE_EXCLUDED || hole->kind == MM_HOLE_GAP;
			mm_cell_set_s(&row[INFO_HOLES_TRACE], stream->trace);
			mm_cell_set_s(&row[INFO_HOLES_STREAM], stream->file);
			set_known(&row[INFO_HOLES_CPU], stream->cpu != MM_CPU_UNKNOWN, stream->cpu);
			mm_cell_set_s(&row[INFO_HOLES_KIND], mm_hole_name(hole->kind));
			set_ns(&row[INFO_HOLES_START_NS], true, hole->start_ns);
			set_ns(&row[INFO_HOLES_END_NS], true, hole->end_ns);
			set_time(&row[INFO_HOLES_START], ctx->gmt, true, hole->start_ns);
			mm_cell_set_u(&row[INFO_HOLES_DURATION_NS],
				      span(hole->start_ns, hole->end_ns));
		}
	}
}

static bool get_ns(const json_t *json, const char *object, const char *key, int64_t *ns)
{
	const json_t *value = json_object_get(json, object);

	value = key ? json_object_get(value, key) : value;
	*ns = json_integer_value(value);
	return json_is_integer(value);
}

static const char *get_s(const json_t *json, const char *key)
{
	return json_string_value(json_object_get(json, key));
}

/*
 * Adds a row for the certificate of the folder @snapshot. If @snapshot is NULL, the certificate was
 * derived from the packets.
 */
static void fill_snapshot(const struct info_certificate_ctx *ctx, const char *snapshot,
			  const json_t *json, const struct mm_certificate *certificate,
			  size_t differences)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_snapshots);
	struct mm_cell *row = mm_table_row(ctx->report, table);
	bool shared = certificate->has_shared, known;
	char verdict[MM_VERDICT_TEXT];
	int64_t ns;

	if (!row)
		return;
	mm_cell_set_s(&row[INFO_SNAPSHOTS_SNAPSHOT], snapshot);
	mm_cell_set_s(&row[INFO_SNAPSHOTS_VERDICT],
		      mm_certificate_verdict(certificate, verdict, sizeof(verdict)));
	set_b(&row[INFO_SNAPSHOTS_MATCHES], snapshot, !differences);
	set_ns(&row[INFO_SNAPSHOTS_SHARED_START_NS], shared, certificate->shared_start_ns);
	set_ns(&row[INFO_SNAPSHOTS_SHARED_END_NS], shared, certificate->shared_end_ns);
	set_known(&row[INFO_SNAPSHOTS_SHARED_DURATION_NS], shared,
		  span(certificate->shared_start_ns, certificate->shared_end_ns));
	set_ns(&row[INFO_SNAPSHOTS_COMPLETE_SINCE_NS], shared && certificate->has_complete_since,
	       certificate->complete_since_ns);
	mm_cell_set_s(&row[INFO_SNAPSHOTS_REASON], get_s(json, "reason"));
	mm_cell_set_s(&row[INFO_SNAPSHOTS_CAUSE], get_s(json_object_get(json, "cause"), "kind"));
	mm_cell_set_s(&row[INFO_SNAPSHOTS_METHOD], get_s(json, "method"));
	known = get_ns(json, "requested", "realtime_ns", &ns);
	set_ns(&row[INFO_SNAPSHOTS_REQUESTED_NS], known, ns);
	set_ns(&row[INFO_SNAPSHOTS_REQUESTED_TRACE_NS],
	       json && certificate->requested_ns != INT64_MIN, certificate->requested_ns);
	known = get_ns(json, "frozen", "realtime_ns", &ns);
	set_ns(&row[INFO_SNAPSHOTS_FROZEN_NS], known, ns);
	known = get_ns(json, "last_ns", NULL, &ns);
	set_known(&row[INFO_SNAPSHOTS_LAST_NS], known, (uint64_t)ns);
	known = get_ns(json, "after_ns", NULL, &ns);
	set_known(&row[INFO_SNAPSHOTS_AFTER_NS], known, (uint64_t)ns);
}

static void conclude_request(const struct info_certificate_ctx *ctx, const json_t *json)
{
	const char *reason = get_s(json, "reason");
	const size_t more = json_array_size(json_object_get(json, "more_reasons"));
	const char *kind = get_s(json_object_get(json, "cause"), "kind");
	const char *method = get_s(json, "method");
	char requested[MM_TIME_TEXT], frozen[MM_TIME_TEXT], others[64] = "";
	int64_t requested_ns, frozen_ns;
	bool has_frozen = get_ns(json, "frozen", "realtime_ns", &frozen_ns);

	if (!get_ns(json, "requested", "realtime_ns", &requested_ns))
		return;
	mm_time_format(requested, sizeof(requested), requested_ns, ctx->gmt);
	mm_time_format(frozen, sizeof(frozen), frozen_ns, ctx->gmt);
	if (more)
		snprintf(others, sizeof(others), " (and %zu more in snapshot.json)", more);
	mm_report_finding(ctx->report,
			  "Snapshot: requested at %s%s%s%s (cause: %s, method: %s).%s%s%s",
			  requested, has_frozen ? ", frozen at " : "", has_frozen ? frozen : "",
			  json_array_size(json_object_get(json, "filters")) ? ", with filters" : "",
			  kind ? kind : "unknown", method ? method : "unknown",
			  reason ? " Reason: " : "", reason ? reason : "", others);
	ctf_info_brief_keep(ctx->brief, ctx->report);
}

/* Appends `NAME VALUE` after a comma, truncated to the room left. Returns the new length. */
static size_t add_value(char *text, size_t size, size_t length, const char *name,
			const json_t *value)
{
	int added;

	if (json_is_string(value))
		added = snprintf(text + length, size - length, ", %s %s", name,
				 json_string_value(value));
	else if (json_is_integer(value))
		added = snprintf(text + length, size - length, ", %s %" JSON_INTEGER_FORMAT, name,
				 json_integer_value(value));
	else
		return length;
	return added < 0 || (size_t)added >= size - length ? size - 1 : length + (size_t)added;
}

static const struct mm_sysinfo_part *no_part(size_t number)
{
	(void)number;
	return NULL;
}

/*
 * Does the captured field contain a thread id in the initial PID namespace? Such a field has the
 * name tid or $ctx.tid, or a name that ends with _tid, like next_tid.
 */
static bool is_thread_id(const char *name)
{
	const size_t length = strlen(name), end = strlen("_tid");

	return !strcmp(name, "tid") || !strcmp(name, "$ctx.tid") ||
	       (length > end && !strcmp(name + length - end, "_tid"));
}

/*
 * If the snapshot's system information has the thread's name, appends it: " (pmd-write)". If the
 * thread is not the first of its process, appends " (worker, of process 304: pmd-write)". Returns
 * the new length.
 */
static size_t add_thread(char *text, size_t size, size_t length, const struct mm_sysinfo *sysinfo,
			 json_int_t tid)
{
	const char *comm = tid > 0 && tid <= INT32_MAX ? mm_sysinfo_comm(sysinfo, (int)tid) : NULL;
	const int pid = comm ? mm_sysinfo_pid(sysinfo, (int)tid) : -1;
	const char *process = pid > 0 && pid != tid ? mm_sysinfo_comm(sysinfo, pid) : NULL;
	int added;

	if (!comm)
		return length;
	if (process)
		added = snprintf(text + length, size - length, " (%s, of process %d: %s)", comm,
				 pid, process);
	else
		added = snprintf(text + length, size - length, " (%s)", comm);
	return added < 0 || (size_t)added >= size - length ? size - 1 : length + (size_t)added;
}

static size_t add_fields(const struct info_certificate_ctx *ctx, const char *snapshot,
			 json_t *fields, char *text, size_t size, size_t length)
{
	struct mm_sysinfo *sysinfo = NULL;
	const char *name;
	json_t *value;

	json_object_foreach(fields, name, value)
	{
		length = add_value(text, size, length, name, value);
		if (!json_is_integer(value) || !is_thread_id(name))
			continue;
		if (!sysinfo)
			sysinfo = mm_sysinfo_load_folder(snapshot, NULL, no_part);
		if (sysinfo)
			length = add_thread(text, size, length, sysinfo, json_integer_value(value));
		else
			ctx->report->failed = true;
	}
	mm_sysinfo_destroy(sysinfo);
	return length;
}

/*
 * Adds the cause of the snapshot: the unit that failed, or the trigger that fired and the event
 * that it matched. @snapshot: the snapshot's folder. Strings in @cause are untrusted; the report
 * escapes them.
 */
static void conclude_cause(const struct info_certificate_ctx *ctx, const char *snapshot,
			   const json_t *cause)
{
	const json_t *match = json_object_get(cause, "match");
	const char *trigger = get_s(cause, "trigger"), *on = get_s(cause, "on");
	const char *unit = get_s(cause, "unit");
	json_int_t matches = json_integer_value(json_object_get(match, "matches"));
	char time[MM_TIME_TEXT], details[1024] = "";
	size_t length = 0;
	int64_t ns;

	if (!trigger && unit) {
		mm_report_finding(ctx->report, "Cause: the unit %s failed.", unit);
		ctf_info_brief_keep(ctx->brief, ctx->report);
	}
	if (!trigger)
		return;
	if (get_ns(match, "time", "realtime_ns", &ns)) {
		mm_time_format(time, sizeof(time), ns, ctx->gmt);
		length = (size_t)snprintf(
			details, sizeof(details), ", %s at %s",
			json_is_true(json_object_get(match, "received")) ? "received" : "matched",
			time);
	}
	length = add_value(details, sizeof(details), length, "CPU", json_object_get(match, "cpu"));
	length = add_fields(ctx, snapshot, json_object_get(match, "fields"), details,
			    sizeof(details), length);
	add_value(details, sizeof(details), length, "text", json_object_get(match, "text"));
	mm_report_finding(ctx->report,
			  "Cause: trigger %s (%s)%s; %s%lld match%s since its last snapshot.",
			  trigger, on ? on : "unknown", details,
			  json_is_true(json_object_get(match, "at_least")) ? "at least " : "",
			  (long long)matches, matches == 1 ? "" : "es");
	ctf_info_brief_keep(ctx->brief, ctx->report);
}

static void conclude_notes(const struct info_certificate_ctx *ctx, const json_t *notes)
{
	for (size_t i = 0; i < json_array_size(notes) && i < NOTES_MAX; i++) {
		const char *note = json_string_value(json_array_get(notes, i));

		if (!note)
			continue;
		mm_report_finding(ctx->report, "%s", note);
		ctf_info_brief_keep(ctx->brief, ctx->report);
	}
}

static void conclude(const struct info_certificate_ctx *ctx,
		     const struct mm_certificate *certificate, bool derived)
{
	struct mm_report *report = ctx->report;
	char start[MM_TIME_TEXT], end[MM_TIME_TEXT], verdict[MM_VERDICT_TEXT];

	mm_certificate_verdict(certificate, verdict, sizeof(verdict));
	mm_time_format(start, sizeof(start), certificate->shared_start_ns, ctx->gmt);
	mm_time_format(end, sizeof(end), certificate->shared_end_ns, ctx->gmt);
	if (certificate->has_shared)
		mm_report_finding(
			report, "Certificate%s: %s. Every stream covers %s to %s (%.9f s).",
			derived ? " (derived)" : "", verdict, start, end,
			(double)span(certificate->shared_start_ns, certificate->shared_end_ns) /
				1e9);
	else
		mm_report_finding(report, "Certificate%s: %s.", derived ? " (derived)" : "",
				  verdict);
	for (size_t i = 0; i < certificate->why_count; i++) {
		mm_report_finding(report, "%s", certificate->why[i]);
		ctf_info_brief_keep(ctx->brief, report);
	}
	if (ctx->brief) {
		ctx->brief->reasons += certificate->why_count;
		ctx->brief->has_holes |= certificate->verdict == MM_VERDICT_HOLES;
	}
	if (certificate->verdict == MM_VERDICT_COMPLETE || !certificate->has_shared ||
	    !certificate->has_complete_since ||
	    certificate->complete_since_ns == certificate->shared_start_ns)
		return;
	mm_time_format(start, sizeof(start), certificate->complete_since_ns, ctx->gmt);
	mm_report_finding(
		report, "From %s to the end of this time (%.9f s), no stream has a hole.", start,
		(double)span(certificate->complete_since_ns, certificate->shared_end_ns) / 1e9);
}

/*
 * Adds the differences from a certificate. If snapshot.json contradicts itself, @contradiction is
 * the first line, which states the contradiction. Otherwise @contradiction is NULL.
 */
static void fill_differences(const struct info_certificate_ctx *ctx, const char *contradiction,
			     char *const *lines, size_t line_count, size_t count)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_differences);

	for (size_t i = 0; i < line_count; i++) {
		struct mm_cell *row = mm_table_row(ctx->report, table);

		if (row)
			mm_cell_set_s(&row[INFO_DIFFERENCES_WHAT], lines[i]);
	}
	if (contradiction) {
		mm_report_finding(ctx->report, MM_SNAPSHOT_FILE " contradicts itself: %s.",
				  contradiction);
		count--;
	}
	if (count)
		mm_report_finding(ctx->report,
				  "The files differ from the certificate: %zu difference%s.", count,
				  mm_plural_s(count));
	ctx->report->doubts &= ~(unsigned int)MM_REPORT_CONTRADICTORY;
	if (contradiction && !count)
		ctx->report->doubts |= MM_REPORT_CONTRADICTORY;
	if (contradiction || count)
		ctx->report->doubts |= MM_REPORT_DIFFERS;
}

/* Adds a valid certificate to the facts, from which the first sentence of `info` is made. */
static int add_facts(const struct info_certificate_ctx *ctx, const struct mm_snapshot_dir *dir,
		     size_t differences, struct mm_error *err)
{
	const json_t *json = dir->snapshot.json;
	struct ctf_info_facts *facts = ctx->facts;
	int64_t ns;

	facts->differences += differences;
	facts->contradictory += dir->snapshot.contradiction != NULL;
	facts->clock_wrong |= dir->snapshot.clock_wrong;
	if (get_ns(json, "after_ns", NULL, &ns) && ns > 0 && (uint64_t)ns > facts->after_ns)
		facts->after_ns = (uint64_t)ns;
	if (get_ns(json, "last_ns", NULL, &ns) && ns > 0 && (uint64_t)ns > facts->last_ns)
		facts->last_ns = (uint64_t)ns;
	if (ctf_info_facts_add(facts, &dir->snapshot.certificate, false))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "info: out of memory");
	return 0;
}

static int add_place(struct info_certificate_ctx *ctx, const struct mm_snapshot_dir *dir,
		     struct mm_error *err)
{
	const struct mm_certificate *certificate = &dir->snapshot.certificate;
	const char *path = mm_source_path(ctx->opened->source);
	size_t line_count, count;
	char **lines;
	int ret;

	if (ctx->incomplete)
		certificate_require_snapshot(path, dir, NULL, ctx->incomplete);
	if (dir->problem) {
		mm_report_finding(ctx->report, "Certificate: %s/" MM_SNAPSHOT_FILE ": %s.",
				  dir->folder, dir->problem);
		if (!ctx->facts->problem)
			ctx->facts->problem = strdup(dir->problem);
		if (!ctx->facts->problem)
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "info: out of memory");
		return 0;
	}
	ret = certificate_check(dir->folder, ctx->opened, &dir->snapshot, &lines, &line_count,
				&count, err);
	if (!ret && count && ctx->incomplete)
		certificate_require_snapshot(path, dir, lines[0], ctx->incomplete);
	if (!ret)
		ret = add_facts(ctx, dir, count, err);
	if (!ret) {
		conclude_request(ctx, dir->snapshot.json);
		conclude_cause(ctx, dir->folder, json_object_get(dir->snapshot.json, "cause"));
		conclude_notes(ctx, json_object_get(dir->snapshot.json, "notes"));
		conclude(ctx, certificate, false);
		fill_differences(ctx, dir->snapshot.contradiction, lines, line_count, count);
		fill_snapshot(ctx, dir->folder, dir->snapshot.json, certificate, count);
		fill_coverage(ctx, certificate);
		fill_holes(ctx, certificate);
	}
	mm_strings_release(lines, line_count);
	return ret;
}

static int add_derived(struct info_certificate_ctx *ctx, struct mm_error *err)
{
	struct mm_certificate certificate;
	int ret = certify_opened(ctx->opened, &certificate, err);

	if (!ret && ctx->incomplete)
		certificate_require_lossless(mm_source_path(ctx->opened->source), &certificate,
					     ctx->incomplete);
	if (!ret && ctf_info_facts_add(ctx->facts, &certificate, true))
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "info: out of memory");
	if (!ret) {
		conclude(ctx, &certificate, true);
		fill_snapshot(ctx, NULL, NULL, &certificate, 0);
		fill_coverage(ctx, &certificate);
		fill_holes(ctx, &certificate);
	}
	mm_certificate_release(&certificate);
	return ret;
}

int ctf_info_add_certificate(struct mm_report *report, const struct certify_traces *opened,
			     const struct ctf_info_options *options, struct ctf_info_facts *facts,
			     struct mm_error *err)
{
	struct info_certificate_ctx ctx = { .report = report,
					    .opened = opened,
					    .facts = facts,
					    .brief = options->brief,
					    .incomplete = options->incomplete,
					    .gmt = options->gmt };
	const struct mm_missing_list *list;
	struct mm_snapshots snapshots;
	bool bare = false;
	int ret = mm_snapshots_find(&snapshots, opened->source);

	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "info: out of memory");
	for (size_t i = 0; i < snapshots.count && !ret; i++)
		ret = add_place(&ctx, &snapshots.all[i], err);
	for (size_t i = 0; i < snapshots.member_count; i++)
		bare |= snapshots.members[i].dir == SIZE_MAX;
	if (!ret && ctx.incomplete)
		certificate_require_sums(opened->source, ctx.incomplete);
	if (!ret && bare)
		ret = add_derived(&ctx, err);
	if (!ret && ctx.incomplete)
		certificate_require_known(opened->source, ctx.incomplete);
	mm_snapshots_release(&snapshots);
	list = mm_source_missing(opened->source);
	/*
	 * Ignore gaps that all streams share, because the coverage already counts them as possible
	 * pauses.
	 */
	report->maybe_paused = list && (list->maybe_paused || (ctx.maybe_paused && !list->gaps));
	return ret;
}
