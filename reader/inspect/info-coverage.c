// SPDX-License-Identifier: LGPL-2.1-only
/* Fills in the coverage of ctf_info(): the time range and the losses of the streams. */
#include "reader/inspect/info-coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/inspect/info-cells.h"
#include "reader/inspect/info-gather.h"
#include "reader/inspect/info-private.h"
#include "reader/report/units.h"
#include "reader/coverage/report/coverage-section.h"
#include "reader/coverage/coverage.h"
#include "reader/coverage/missing.h"
#include "util/path.h"

/*
 * Adds a row for a truncated file, unless it is in the list of missing files, which get their own
 * rows.
 */
static void put_truncated(struct info_ctx *ctx, struct mm_table *table, const char *file,
			  uint32_t cpu, const char *what)
{
	char *path = mm_path_absolute(file);
	struct mm_cell *row = NULL;
	char text[256];

	if (!path)
		ctx->report->failed = true;
	else if (!mm_missing_of(ctx->source, path))
		row = mm_table_row(ctx->report, table);
	free(path);
	if (!row)
		return;
	snprintf(text, sizeof(text), "incomplete: %s", what);
	mm_cell_set_s(&row[MM_MISSING_STREAM], file);
	set_known(&row[MM_MISSING_CPU], cpu != MM_CPU_UNKNOWN, cpu);
	mm_cell_set_u(&row[MM_MISSING_PACKETS], 0);
	mm_cell_set_s(&row[MM_MISSING_WHAT], text);
}

static void fill_missing(struct info_ctx *ctx)
{
	const struct mm_missing_list *list = mm_source_missing(ctx->source);
	struct mm_table *table = ctx->report->coverage_tables[MM_COVERAGE_MISSING];

	for (size_t i = 0; i < ctx->trace_count; i++)
		for (size_t j = 0; j < ctx->traces[i]->finding_count; j++) {
			const struct ctf_finding *finding = &ctx->traces[i]->findings[j];

			if (finding->truncated)
				put_truncated(ctx, table, finding->file, MM_CPU_UNKNOWN,
					      finding->what);
		}
	for (size_t i = 0; i < ctx->info_count; i++)
		for (size_t j = 0; j < ctx->infos[i].damage_count; j++) {
			const struct ctf_info_damage *damage = &ctx->infos[i].damages[j];

			if (damage->truncated && damage->file && damage->what)
				put_truncated(ctx, table, damage->file, ctx->infos[i].stream->cpu,
					      damage->what);
		}
	for (size_t i = 0; i < list->count; i++)
		mm_coverage_add_missing(ctx->report, list->all[i].display_path, &list->all[i]);
}

/*
 * Returns a stream's channel and start. The start comes from the certificate or the first packet.
 */
static struct mm_channel_start start_of(const struct info_ctx *ctx,
					const struct ctf_info_stream *info)
{
	const char *name = info->stream->name;
	const struct mm_covered *covered = mm_missing_covered(ctx->source, name);
	int64_t start_ns = info->begin_ns;

	if (covered && covered->start_ns < start_ns)
		start_ns = covered->start_ns;
	return (struct mm_channel_start){ mm_missing_channel(ctx->source, name), start_ns };
}

/*
 * Finds the time range of the streams of state dumps (@of_state), or of all other streams, as in
 * reports. If certificates name the channels, the range of the other streams starts with the
 * channel that starts last.
 */
static void add_range(const struct info_ctx *ctx, struct ctf_info_stream *sum, bool of_state)
{
	struct mm_channel_start *starts = calloc(ctx->info_count + 1, sizeof(*starts));
	int64_t last_ns = INT64_MIN;
	size_t count = 0;

	for (size_t i = 0; i < ctx->info_count; i++) {
		const struct ctf_info_stream *info = &ctx->infos[i];

		if (mm_trace_is_state(info->stream->trace->folder) != of_state)
			continue;
		if (starts)
			starts[count++] = start_of(ctx, info);
		if (is_known(info->begin_ns) && info->begin_ns < sum->begin_ns)
			sum->begin_ns = info->begin_ns;
		if (is_known(info->end_ns) && info->end_ns > sum->end_ns)
			sum->end_ns = info->end_ns;
	}
	if (starts && !of_state)
		last_ns = mm_coverage_last_start(starts, count);
	if (last_ns > sum->begin_ns && last_ns <= sum->end_ns)
		sum->begin_ns = last_ns;
	free(starts);
}

/* Returns the latest start of a channel of @trace. A report on @trace starts at this time. */
static int64_t last_start_of(const struct info_ctx *ctx, const struct ctf_trace *trace)
{
	struct mm_channel_start *starts = calloc(ctx->info_count + 1, sizeof(*starts));
	int64_t last_ns = INT64_MIN;
	size_t count = 0;

	for (size_t i = 0; starts && i < ctx->info_count; i++)
		if (ctx->infos[i].stream->trace == trace)
			starts[count++] = start_of(ctx, &ctx->infos[i]);
	if (count)
		last_ns = mm_coverage_last_start(starts, count);
	free(starts);
	return last_ns;
}

void info_remark_range(const struct info_ctx *ctx, const struct ctf_info_stream *sum)
{
	int64_t first_ns = INT64_MAX;
	uint64_t shared_ns, longest_ns;
	char longest[MM_NUMBER_TEXT];
	size_t count = 0;

	for (size_t i = 0; i < ctx->trace_count; i++) {
		const struct ctf_trace *trace = ctx->traces[i];
		int64_t start_ns =
			mm_trace_is_state(trace->folder) ? INT64_MIN : last_start_of(ctx, trace);

		count += start_ns != INT64_MIN;
		if (start_ns != INT64_MIN && start_ns < first_ns)
			first_ns = start_ns;
	}
	if (count < 2 || first_ns >= sum->begin_ns || !is_known(sum->begin_ns) ||
	    sum->end_ns <= sum->begin_ns)
		return;
	shared_ns = (uint64_t)sum->end_ns - (uint64_t)sum->begin_ns;
	longest_ns = (uint64_t)sum->end_ns - (uint64_t)first_ns;
	/* Durations have four digits, so a smaller difference would not show. */
	if (longest_ns - shared_ns < shared_ns / 1000)
		return;
	mm_render_ns(longest, sizeof(longest), (double)longest_ns);
	mm_report_remark(
		ctx->report,
		"The %zu traces cover different times; `Recorded` states the time that all of them cover. A report covers the time of the traces that it reads, at most %s.",
		count, longest);
}

void info_add_up(const struct info_ctx *ctx, struct ctf_info_stream *sum)
{
	*sum = (struct ctf_info_stream){ .begin_ns = INT64_MAX, .end_ns = INT64_MIN };
	for (size_t i = 0; i < ctx->trace_count; i++)
		for (size_t j = 0; j < ctx->traces[i]->finding_count; j++) {
			const bool truncated = ctx->traces[i]->findings[j].truncated;

			sum->damages_seen++;
			sum->packets_truncated += truncated;
			sum->packets_damaged += !truncated;
		}
	for (size_t i = 0; i < ctx->info_count; i++) {
		const struct ctf_info_stream *info = &ctx->infos[i];

		sum->packets += info->packets;
		sum->bytes += info->bytes;
		sum->content_bytes += info->content_bytes;
		sum->events += info->events;
		sum->events_discarded += info->events_discarded;
		sum->packets_lost += info->packets_lost;
		sum->packets_without_count += info->packets_without_count;
		sum->packets_truncated += info->packets_truncated;
		sum->packets_damaged += info->packets_damaged;
		sum->pauses += info->pauses;
		sum->gaps_seen += info->gaps_seen;
		sum->damages_seen += info->damages_seen;
	}
	add_range(ctx, sum, false);
	if (!is_known(sum->begin_ns) || !is_known(sum->end_ns))
		add_range(ctx, sum, true);
}

static struct mm_loss loss_of(const struct ctf_info_stream *info)
{
	return (struct mm_loss){ .stream = info->stream->name,
				 .has_state_dumps = mm_trace_is_state(info->stream->trace->folder),
				 .events_discarded = info->events_discarded,
				 .packets_lost = info->packets_lost,
				 .packets_without_count = info->packets_without_count,
				 .packets_truncated = info->packets_truncated,
				 .packets_damaged = info->packets_damaged,
				 .pauses = info->pauses };
}

static void fill_losses(struct info_ctx *ctx)
{
	const struct mm_missing_list *list = mm_source_missing(ctx->source);

	for (size_t i = 0; i < ctx->info_count; i++) {
		const struct mm_loss loss = loss_of(&ctx->infos[i]);

		mm_coverage_add_loss(ctx->report, ctx->infos[i].stream->files[0].name, &loss);
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct mm_loss loss = { .packets_lost = list->all[i].packets,
					      .missing = true,
					      .maybe = list->all[i].uncertain };
		const char *slash = strrchr(list->all[i].file, '/');

		if (list->all[i].complete_stream)
			mm_coverage_add_loss(ctx->report, slash ? slash + 1 : list->all[i].file,
					     &loss);
	}
}

/*
 * Adds up the losses of the streams, and the packets of missing streams, in @loss. Sets
 * *@state_lost if state dumps have losses.
 */
static void sum_losses(const struct info_ctx *ctx, const struct ctf_info_stream *sum,
		       struct mm_loss *loss, bool *state_lost)
{
	const struct mm_missing_list *list = mm_source_missing(ctx->source);

	*loss = (struct mm_loss){ .packets_damaged = sum->packets_damaged };
	*state_lost = false;
	for (size_t i = 0; i < ctx->trace_count; i++)
		for (size_t j = 0; j < ctx->traces[i]->finding_count; j++)
			loss->packets_truncated += !mm_trace_is_state(ctx->traces[i]->name) &&
						   ctx->traces[i]->findings[j].truncated;
	for (size_t i = 0; i < ctx->info_count; i++) {
		const struct mm_loss one = loss_of(&ctx->infos[i]);

		if (mm_trace_is_state(ctx->infos[i].stream->trace->name)) {
			*state_lost |= mm_loss_any(&one);
			continue;
		}
		loss->events_discarded += one.events_discarded;
		loss->packets_lost += one.packets_lost;
		loss->packets_without_count += one.packets_without_count;
		loss->packets_truncated += one.packets_truncated;
		loss->pauses += one.pauses;
	}
	for (size_t i = 0; i < list->count; i++)
		if (!list->all[i].in_state)
			loss->packets_lost += list->all[i].packets;
}

static void fill_cpus(struct info_ctx *ctx)
{
	uint32_t *cpus = calloc(ctx->info_count + 1, sizeof(*cpus));
	size_t count = 0;

	if (!cpus) {
		ctx->report->failed = true;
		return;
	}
	for (size_t i = 0; i < ctx->info_count; i++)
		if (ctx->infos[i].stream->cpu != MM_CPU_UNKNOWN)
			cpus[count++] = ctx->infos[i].stream->cpu;
	mm_coverage_set_cpus(ctx->report, mm_source_missing(ctx->source), cpus, count);
	free(cpus);
}

/*
 * Sets @cell to the value of @name in the environments. Leaves it empty if traces have different
 * values.
 */
static void fill_environment(struct info_ctx *ctx, const char *name, struct mm_cell *cell)
{
	const char *value = NULL;

	for (size_t i = 0; i < ctx->trace_count; i++) {
		const struct ctf_env *env = ctf_env_find(ctx->traces[i]->class, name);

		if (!env || env->kind == CTF_ENV_SIGNED)
			continue;
		if (value && strcmp(value, env->s) != 0)
			return;
		value = env->s;
	}
	mm_cell_set_s(cell, value);
}

static bool recorder_lost(const struct info_ctx *ctx)
{
	struct mm_loss *losses = calloc(ctx->info_count + 1, sizeof(*losses));
	bool lost;

	for (size_t i = 0; losses && i < ctx->info_count; i++)
		losses[i] = loss_of(&ctx->infos[i]);
	ctx->report->failed |= !losses;
	lost = losses &&
	       mm_coverage_recorder_lost(mm_source_missing(ctx->source), losses, ctx->info_count);
	free(losses);
	return lost;
}

/* Like mm_coverage_certified_since(), for streams whose events were not read. */
static int64_t certified_since(const struct info_ctx *ctx)
{
	int64_t since_ns = INT64_MIN;

	for (size_t i = 0; i < ctx->info_count; i++) {
		const struct ctf_info_stream *info = &ctx->infos[i];

		if (is_known(info->begin_ns) && !mm_trace_is_state(info->stream->trace->folder))
			since_ns = mm_coverage_certified_later(ctx->source, info->stream->name,
							       info->begin_ns, since_ns);
	}
	return since_ns;
}

void info_fill_coverage(struct info_ctx *ctx, const struct ctf_info_stream *sum)
{
	const struct mm_missing_list *list = mm_source_missing(ctx->source);
	struct mm_report *report = ctx->report;
	struct mm_cell *cells = report->coverage;
	struct mm_loss loss;
	size_t certain = list->count - list->uncertain;
	uint64_t missing = 0;

	fill_missing(ctx);
	fill_losses(ctx);
	sum_losses(ctx, sum, &loss, &report->state_lost);
	for (size_t i = 0; i < list->count; i++)
		missing += list->all[i].complete_stream && !list->all[i].uncertain;
	report->gmt = ctx->options->gmt;
	report->recorder_lost = recorder_lost(ctx);
	report->ring_lost = sum->packets_lost && list->ring_packets;
	report->denied = list->denied;
	report->incomplete = certain || loss.events_discarded || loss.packets_lost ||
			     loss.packets_without_count || sum->packets_truncated || loss.pauses ||
			     sum->packets_damaged;
	mm_coverage_set_losses(report, &loss, missing);
	mm_coverage_set_gaps(report, list);
	mm_coverage_set_limits(report, ctx->source);
	if (is_known(sum->begin_ns) && is_known(sum->end_ns))
		mm_coverage_set_range(report, sum->begin_ns, sum->end_ns);
	mm_coverage_set_certified_since(report, certified_since(ctx));
	fill_cpus(ctx);
	fill_environment(ctx, "kernel_release", &cells[MM_COVERAGE_KERNEL_RELEASE]);
	fill_environment(ctx, "hostname", &cells[MM_COVERAGE_HOSTNAME]);
	if (ctx->options->events)
		mm_cell_set_u(&cells[MM_COVERAGE_EVENTS], sum->events);
	mm_coverage_set_sums(report, list);
	mm_coverage_set_damaged(report, list);
	mm_coverage_set_mismatches(report, list);
	mm_coverage_set_verified(report, mm_missing_unverifiable(list));
	mm_report_count(report, sum->packets, "trace.packets");
	mm_report_count(report, sum->bytes, "trace.bytes");
}
