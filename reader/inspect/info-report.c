// SPDX-License-Identifier: LGPL-2.1-only
/* Makes the report of ctf_info(): findings and the first sentence. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "reader/coverage/report/coverage-section.h"
#include "reader/inspect/info-cells.h"
#include "reader/inspect/info-certificate.h"
#include "reader/inspect/info-coverage.h"
#include "reader/inspect/info-gather.h"
#include "reader/inspect/info-private.h"
#include "reader/inspect/info-schema.h"
#include "reader/inspect/info-sentence.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/report/coverage-section.h"
#include "reader/inspect/info-tables.h"
#include "reader/report/render.h"
#include "reader/sysinfo/sysinfo-dirs.h"
#include "util/path.h"
#include "util/plural.h"
#include "util/time.h"

/* Adds a finding that the short text form also shows. */
__attribute__((format(printf, 2, 3))) static void remark(struct info_ctx *ctx, const char *fmt, ...)
{
	char *text;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	ctx->report->failed |= !text;
	if (!text)
		return;
	mm_report_finding(ctx->report, "%s", text);
	ctf_info_brief_keep(ctx->options->brief, ctx->report);
	free(text);
}

static bool is_marked(struct mm_source *source)
{
	struct mm_sysinfo_dirs dirs;
	bool marked = false;

	if (!mm_sysinfo_dirs_find(&dirs, source))
		for (size_t i = 0; i < dirs.count; i++)
			marked |= dirs.all[i].matches &&
				  json_is_false(json_object_get(dirs.all[i].system, "kaslr_safe"));
	mm_sysinfo_dirs_release(&dirs);
	return marked;
}

/* Warns if the trace reveals kernel addresses, because users might share the trace. */
static void conclude_kaslr(struct info_ctx *ctx)
{
	bool stacks = false;

	for (size_t i = 0; i < ctx->trace_count; i++)
		stacks |= ctf_trace_class_has_context(ctx->traces[i]->class, MM_CONTEXT_CALLSTACK);
	if (stacks)
		remark(ctx,
		       "Not KASLR-safe: the events have call stacks (context callstack-kernel), which reveal where the kernel was in memory.");
	else if (is_marked(ctx->source))
		remark(ctx,
		       "Not KASLR-safe: according to the system information, the events may have addresses of the kernel, which reveal where it was in memory.");
}

static void conclude(struct info_ctx *ctx, const struct ctf_info_stream *sum)
{
	const struct mm_missing_list *list = mm_source_missing(ctx->source);
	struct mm_report *report = ctx->report;
	char begin[64], end[64];

	mm_report_finding(report,
			  "%s: %zu trace%s, %zu stream%s, %" PRIu64 " packet%s, %" PRIu64
			  " byte%s (%" PRIu64 " of content).",
			  mm_source_path(ctx->source), ctx->trace_count,
			  mm_plural_s(ctx->trace_count), ctx->info_count,
			  mm_plural_s(ctx->info_count), sum->packets, mm_plural_s(sum->packets),
			  sum->bytes, mm_plural_s(sum->bytes), sum->content_bytes);
	if (is_known(sum->begin_ns) && is_known(sum->end_ns)) {
		mm_time_format(begin, sizeof(begin), sum->begin_ns, ctx->options->gmt);
		mm_time_format(end, sizeof(end), sum->end_ns, ctx->options->gmt);
		mm_report_finding(report, "From %s to %s: %.9f s.", begin, end,
				  (double)span(sum->begin_ns, sum->end_ns) / 1e9);
	}
	if (sum->gaps_seen)
		mm_report_finding(report, "%" PRIu64 " gap%s in the streams' packets.",
				  sum->gaps_seen, mm_plural_s(sum->gaps_seen));
	for (size_t i = 0; i < list->unchecked_count; i++) {
		mm_report_finding(report, "%s", list->unchecked[i]);
		/* The first sentence already says that packets have no checksums. */
		if (!strstr(list->unchecked[i], "no checksums"))
			ctf_info_brief_keep(ctx->options->brief, report);
	}
	for (size_t i = 0; i < list->note_count; i++)
		remark(ctx, "%s", list->notes[i]);
	if (list->count)
		mm_report_finding(report, "Missing, in whole or in part: %zu stream%s.",
				  list->count, mm_plural_s(list->count));
	if (sum->damages_seen)
		mm_report_finding(report, "Damaged in %" PRIu64 " place%s.", sum->damages_seen,
				  mm_plural_s(sum->damages_seen));
	conclude_kaslr(ctx);
}

/* Adds remarks on the order of packets, and on faults in this order. */
static void fill_order(struct info_ctx *ctx)
{
	struct mm_report *report = ctx->report;

	for (size_t i = 0; i < ctx->trace_count; i++)
		for (size_t j = 0; j < ctx->traces[i]->finding_count; j++)
			report->damaged |= !ctx->traces[i]->findings[j].truncated;
	for (size_t i = 0; i < ctx->info_count; i++) {
		const struct ctf_stream *stream = ctx->infos[i].stream;
		char *order = ctf_stream_order_text(stream);

		report->backward |= stream->backward != NULL;
		report->damaged |=
			stream->backward || stream->foreign || ctx->infos[i].packets_damaged;
		if (stream->backward)
			mm_report_remark(report, "Damaged: %s.", stream->backward);
		if (stream->foreign)
			mm_report_remark(report, "Damaged: %s.", stream->foreign);
		if (order)
			mm_report_remark(report, "%s.", order);
		if (ctx->infos[i].note)
			mm_report_remark(report, "%s.", ctx->infos[i].note);
		report->failed |= ctf_stream_is_sorted(stream) && !order;
		free(order);
	}
}

/* Makes the first sentence. Call this after filling in the coverage. */
static void answer(struct info_ctx *ctx, const struct ctf_info_stream *sum)
{
	const struct mm_missing_list *list = mm_source_missing(ctx->source);
	const struct mm_report *report = ctx->report;
	const struct mm_cell *cells = report->coverage;
	struct ctf_info_facts *facts = &ctx->facts;
	char *sentence;

	for (size_t i = 0; i < ctx->info_count; i++)
		facts->streams += !mm_trace_is_state(ctx->infos[i].stream->trace->folder);
	facts->events_discarded = cells[MM_COVERAGE_EVENTS_DISCARDED].u;
	facts->packets_lost = cells[MM_COVERAGE_PACKETS_LOST].u;
	facts->packets_truncated = cells[MM_COVERAGE_PACKETS_TRUNCATED].u;
	facts->packets_damaged = cells[MM_COVERAGE_PACKETS_DAMAGED].u;
	facts->packets_without_count = cells[MM_COVERAGE_PACKETS_WITHOUT_COUNT].u;
	facts->streams_missing = cells[MM_COVERAGE_STREAMS_MISSING].u;
	facts->pauses = cells[MM_COVERAGE_PAUSES].u;
	facts->damages = sum->damages_seen;
	facts->damaged = report->damaged;
	facts->incomplete = report->incomplete;
	facts->backward = report->backward;
	facts->state_incomplete = report->state_lost || report->state_missing;
	facts->sums_lost = report->doubts & MM_REPORT_SUMS_LOST;
	facts->mismatches = list->mismatch_count;
	facts->unchecked = report->unchecked;
	facts->unverified = !cells[MM_COVERAGE_STREAMS_VERIFIED].u;
	facts->decoded = ctx->options->events || ctx->options->incomplete;
	facts->maybe_missing = list->uncertain;
	facts->maybe_cut = mm_coverage_count_cuts(list);
	facts->maybe_paused = report->maybe_paused;
	facts->possible_pauses = cells[MM_COVERAGE_POSSIBLE_PAUSES].u;
	facts->possible_pauses_ns = cells[MM_COVERAGE_POSSIBLE_PAUSES_NS].u;
	facts->limits_unknown = report->limits_unknown;
	facts->limits = cells[MM_COVERAGE_LIMITED_TO].s;
	sentence = ctf_info_sentence(facts);
	ctx->report->failed |= !sentence;
	if (sentence)
		mm_report_answer(ctx->report, "%s", sentence);
	free(sentence);
}

struct mm_report *ctf_info_report(struct mm_source *source, struct ctf_trace *const *traces,
				  size_t trace_count, const struct ctf_info_stream *infos,
				  size_t info_count, const struct ctf_info_options *options,
				  struct mm_error *err)
{
	struct info_ctx ctx = { .report = mm_report_create(&ctf_info_schema),
				.source = source,
				.traces = traces,
				.trace_count = trace_count,
				.infos = infos,
				.info_count = info_count,
				.options = options };
	const struct certify_traces opened = { source, traces, trace_count, false };
	struct ctf_info_stream sum;

	if (!ctx.report)
		return NULL;
	info_add_up(&ctx, &sum);
	info_remark_range(&ctx, &sum);
	fill_order(&ctx);
	conclude(&ctx, &sum);
	if (ctf_info_add_certificate(ctx.report, &opened, options, &ctx.facts, err)) {
		ctf_info_facts_release(&ctx.facts);
		mm_report_destroy(ctx.report);
		return NULL;
	}
	info_fill_tables(&ctx);
	info_fill_coverage(&ctx, &sum);
	answer(&ctx, &sum);
	ctf_info_facts_release(&ctx.facts);
	if (!mm_report_failed(ctx.report) && !ctx.report->undeclared)
		return ctx.report;
	mm_report_destroy(ctx.report);
	return NULL;
}
