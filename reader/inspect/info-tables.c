// SPDX-License-Identifier: LGPL-2.1-only
/* Fills in the tables of ctf_info() that describe the contents of the trace. */
#include "reader/inspect/info-tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/inspect/info-cells.h"
#include "reader/inspect/info-gather.h"
#include "reader/inspect/info-private.h"
#include "reader/inspect/info-schema.h"

static void set_ratio(struct mm_cell *cell, uint64_t above, uint64_t below)
{
	if (below)
		mm_cell_set_r(cell, (double)above / (double)below);
}

/* Gets the tracer's name and version from the environment, such as `lttng-modules 2.13.9`. */
static void tracer_of(const struct ctf_trace_class *class, char *text, size_t size)
{
	static const char *const names[] = { "tracer_name", "tracer_major", "tracer_minor",
					     "tracer_patchlevel", "tracer_patch" };
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && length < size; i++) {
		const struct ctf_env *env = ctf_env_find(class, names[i]);

		if (!env)
			continue;
		if (env->kind == CTF_ENV_SIGNED)
			length += (size_t)snprintf(text + length, size - length, "%s%" PRId64,
						   i > 1 ? "." : " ", env->i);
		else if (!i)
			length += (size_t)snprintf(text, size, "%s", env->s);
	}
}

static void id_of(const struct ctf_trace_class *class, char text[37])
{
	char *to = text;

	*to = '\0';
	for (int i = 0; i < 16 && class->has_uuid; i++)
		to += snprintf(to, 4, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			       class->uuid[i]);
}

static void fill_traces(struct info_ctx *ctx)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_traces);

	for (size_t i = 0; i < ctx->trace_count; i++) {
		const struct ctf_trace *trace = ctx->traces[i];
		const struct ctf_trace_class *class = trace->class;
		struct mm_cell *row = mm_table_row(ctx->report, table);
		char tracer[128], id[37];
		size_t classes = 0;

		if (!row)
			return;
		for (size_t j = 0; j < class->stream_count; j++)
			classes += class->streams[j]->event_count;
		tracer_of(class, tracer, sizeof(tracer));
		id_of(class, id);
		mm_cell_set_s(&row[INFO_TRACES_TRACE], trace->name);
		mm_cell_set_s(&row[INFO_TRACES_FOLDER], trace->folder);
		mm_cell_set_s(&row[INFO_TRACES_FORMAT], class->major == 2 ? "CTF 2" : "CTF 1.8");
		mm_cell_set_s(&row[INFO_TRACES_BYTE_ORDER], class->major == 2	? NULL
							    : class->big_endian ? "big"
										: "little");
		mm_cell_set_s(&row[INFO_TRACES_TRACER], *tracer ? tracer : NULL);
		mm_cell_set_s(&row[INFO_TRACES_ID], class->uid ? class->uid : *id ? id : NULL);
		mm_cell_set_u(&row[INFO_TRACES_STREAMS], trace->stream_count);
		mm_cell_set_u(&row[INFO_TRACES_EVENT_CLASSES], classes);
	}
}

/* Returns the kind of the event header: LTTng's compact or large header, or another. */
static const char *header_kind(const struct ctf_plan *plan)
{
	if (plan->header.form != CTF_HEADER_SPLIT)
		return "other";
	if (plan->header.id_bits == 5 && plan->header.time_bits == 27)
		return "compact";
	return plan->header.id_bits == 16 && plan->header.time_bits == 32 ? "large" : "other";
}

static void fill_streams(struct info_ctx *ctx)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_streams);
	bool events = ctx->options->events;

	for (size_t i = 0; i < ctx->info_count; i++) {
		const struct ctf_info_stream *info = &ctx->infos[i];
		const struct ctf_stream *stream = info->stream;
		struct mm_cell *row = mm_table_row(ctx->report, table);
		bool begins = is_known(info->begin_ns), ends = is_known(info->end_ns);

		if (!row)
			return;
		mm_cell_set_s(&row[INFO_STREAMS_TRACE], stream->trace->name);
		mm_cell_set_s(&row[INFO_STREAMS_STREAM], stream->files[0].name);
		mm_cell_set_s(&row[INFO_STREAMS_PATH], stream->files[0].path);
		mm_cell_set_u(&row[INFO_STREAMS_CLASS], stream->class->id);
		mm_cell_set_u(&row[INFO_STREAMS_ID], stream->id);
		set_known(&row[INFO_STREAMS_CPU], stream->cpu != MM_CPU_UNKNOWN, stream->cpu);
		mm_cell_set_s(&row[INFO_STREAMS_HEADER], header_kind(info->plan));
		mm_cell_set_u(&row[INFO_STREAMS_FILES], stream->file_count);
		mm_cell_set_u(&row[INFO_STREAMS_PACKETS], info->packets);
		mm_cell_set_u(&row[INFO_STREAMS_BYTES], info->bytes);
		mm_cell_set_u(&row[INFO_STREAMS_CONTENT_BYTES], info->content_bytes);
		set_known(&row[INFO_STREAMS_EVENTS], events, info->events);
		set_ratio(&row[INFO_STREAMS_BYTES_PER_EVENT], info->content_bytes, info->events);
		set_known(&row[INFO_STREAMS_START_NS], begins, (uint64_t)info->begin_ns);
		set_known(&row[INFO_STREAMS_END_NS], ends, (uint64_t)info->end_ns);
		set_time(&row[INFO_STREAMS_START], ctx->options->gmt, begins, info->begin_ns);
		set_known(&row[INFO_STREAMS_DURATION_NS], begins && ends,
			  span(info->begin_ns, info->end_ns));
		mm_cell_set_u(&row[INFO_STREAMS_EVENTS_DISCARDED], info->events_discarded);
		mm_cell_set_u(&row[INFO_STREAMS_PACKETS_WITHOUT_COUNT],
			      info->packets_without_count);
		mm_cell_set_u(&row[INFO_STREAMS_PACKETS_LOST], info->packets_lost);
		mm_cell_set_u(&row[INFO_STREAMS_PACKETS_TRUNCATED], info->packets_truncated);
		mm_cell_set_u(&row[INFO_STREAMS_PACKETS_DAMAGED], info->packets_damaged);
	}
}

struct event_sum {
	const struct ctf_event_class *class;
	const struct ctf_trace *trace;
	uint64_t count, bits;
};

static int compare_sums(const void *a, const void *b)
{
	const struct event_sum *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->class->name, y->class->name);
}

static struct event_sum *sum_events(const struct info_ctx *ctx, size_t *count)
{
	struct event_sum *sums, *sum;
	size_t classes = 0;

	for (size_t i = 0; i < ctx->trace_count; i++)
		for (size_t j = 0; j < ctx->traces[i]->class->stream_count; j++)
			classes += ctx->traces[i]->class->streams[j]->event_count;
	sum = sums = calloc(classes + 1, sizeof(*sums));
	if (!sums)
		return NULL;
	for (size_t i = 0; i < ctx->trace_count; i++) {
		const struct ctf_trace *trace = ctx->traces[i];

		for (size_t j = 0; j < trace->class->stream_count; j++) {
			const struct ctf_stream_class *class = trace->class->streams[j];

			for (size_t k = 0; k < ctx->info_count; k++) {
				const struct ctf_info_stream *info = &ctx->infos[k];

				for (size_t c = 0;
				     info->stream->class == class && c < info->class_count; c++) {
					sum[info->classes[c].index].count +=
						info->classes[c].events;
					sum[info->classes[c].index].bits += info->classes[c].bits;
				}
			}
			for (size_t e = 0; e < class->event_count; e++, sum++) {
				sum->class = class->events[e];
				sum->trace = trace;
			}
		}
	}
	*count = classes;
	return sums;
}

static void fill_events(struct info_ctx *ctx)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_events);
	size_t count = 0;
	struct event_sum *sums = sum_events(ctx, &count);

	if (!sums) {
		ctx->report->failed = true;
		return;
	}
	qsort(sums, count, sizeof(*sums), compare_sums);
	for (size_t i = 0; i < count && sums[i].count; i++) {
		struct mm_cell *row = mm_table_row(ctx->report, table);

		if (!row)
			break;
		mm_cell_set_s(&row[INFO_EVENTS_TRACE], sums[i].trace->name);
		mm_cell_set_u(&row[INFO_EVENTS_STREAM_CLASS], sums[i].class->stream_class->id);
		mm_cell_set_u(&row[INFO_EVENTS_ID], sums[i].class->id);
		mm_cell_set_s(&row[INFO_EVENTS_EVENT], sums[i].class->name);
		mm_cell_set_u(&row[INFO_EVENTS_COUNT], sums[i].count);
		mm_cell_set_u(&row[INFO_EVENTS_BYTES], sums[i].bits / 8);
		set_ratio(&row[INFO_EVENTS_BYTES_PER_EVENT], sums[i].bits, 8 * sums[i].count);
	}
	free(sums);
}

static void fill_gaps(struct info_ctx *ctx)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_gaps);

	for (size_t i = 0; i < ctx->info_count; i++) {
		const struct ctf_info_stream *info = &ctx->infos[i];

		for (size_t j = 0; j < info->gap_count; j++) {
			const struct ctf_info_gap *gap = &info->gaps[j];
			struct mm_cell *row = mm_table_row(ctx->report, table);
			bool since = is_known(gap->since_ns), until = is_known(gap->until_ns);

			if (!row)
				return;
			mm_cell_set_s(&row[INFO_GAPS_STREAM], info->stream->files[0].name);
			mm_cell_set_u(&row[INFO_GAPS_PACKETS_LOST], gap->packets);
			mm_cell_set_u(&row[INFO_GAPS_EVENTS_DISCARDED], gap->events);
			set_known(&row[INFO_GAPS_SINCE_NS], since, (uint64_t)gap->since_ns);
			set_known(&row[INFO_GAPS_UNTIL_NS], until, (uint64_t)gap->until_ns);
			set_time(&row[INFO_GAPS_SINCE], ctx->options->gmt, since, gap->since_ns);
			set_known(&row[INFO_GAPS_DURATION_NS], since && until,
				  span(gap->since_ns, gap->until_ns));
		}
	}
}

static void put_damage(struct info_ctx *ctx, struct mm_table *table, const char *file,
		       uint64_t packet, uint64_t offset, const char *what)
{
	struct mm_table *covered = ctx->report->coverage_tables[MM_COVERAGE_DAMAGE];
	struct mm_cell *row = mm_table_row(ctx->report, table);
	char *line;

	/* The text form shows @table, so hide @covered, which only summarizes it. */
	covered->hidden = true;
	if (!row)
		return;
	mm_cell_set_s(&row[INFO_DAMAGE_FILE], file);
	mm_cell_set_u(&row[INFO_DAMAGE_PACKET], packet);
	mm_cell_set_u(&row[INFO_DAMAGE_OFFSET], offset);
	mm_cell_set_s(&row[INFO_DAMAGE_WHAT], what);
	row = mm_table_row(ctx->report, covered);
	if (!row)
		return;
	if (asprintf(&line, "%s: packet %" PRIu64 ", byte %" PRIu64 ": %s", file, packet, offset,
		     what) < 0) {
		ctx->report->failed = true;
		return;
	}
	mm_cell_set_s(&row[MM_DAMAGE_MESSAGE], line);
	free(line);
}

static void fill_damage(struct info_ctx *ctx)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_damage);

	for (size_t i = 0; i < ctx->trace_count; i++)
		for (size_t j = 0; j < ctx->traces[i]->finding_count; j++) {
			const struct ctf_finding *finding = &ctx->traces[i]->findings[j];

			put_damage(ctx, table, finding->file, finding->packet, finding->offset,
				   finding->what);
		}
	for (size_t i = 0; i < ctx->info_count; i++)
		for (size_t j = 0; j < ctx->infos[i].damage_count; j++) {
			const struct ctf_info_damage *damage = &ctx->infos[i].damages[j];

			put_damage(ctx, table, damage->file ? damage->file : "", damage->packet,
				   damage->offset, damage->what ? damage->what : "");
		}
}

static void fill_clocks(struct info_ctx *ctx)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_clocks);

	for (size_t i = 0; i < ctx->trace_count; i++)
		for (size_t j = 0; j < ctx->traces[i]->class->clock_count; j++) {
			const struct ctf_clock *clock = ctx->traces[i]->class->clocks[j];
			struct mm_cell *row = mm_table_row(ctx->report, table);
			int64_t ns;
			bool known;

			if (!row)
				return;
			mm_cell_set_s(&row[INFO_CLOCKS_TRACE], ctx->traces[i]->name);
			mm_cell_set_s(&row[INFO_CLOCKS_CLOCK], clock->name);
			mm_cell_set_u(&row[INFO_CLOCKS_FREQUENCY_HZ], clock->frequency);
			mm_cell_set_u(&row[INFO_CLOCKS_OFFSET_S], (uint64_t)clock->offset_s);
			mm_cell_set_u(&row[INFO_CLOCKS_OFFSET_CYCLES], clock->offset_cycles);
			known = !ctf_clock_to_ns(clock, 0, &ns);
			set_time(&row[INFO_CLOCKS_OFFSET], ctx->options->gmt, known,
				 known ? ns : 0);
			mm_cell_set_s(&row[INFO_CLOCKS_DESCRIPTION], clock->description);
		}
}

static void fill_env(struct info_ctx *ctx)
{
	struct mm_table *table = mm_report_table(ctx->report, &ctf_info_table_environment);

	for (size_t i = 0; i < ctx->trace_count; i++)
		for (size_t j = 0; j < ctx->traces[i]->class->env_count; j++) {
			const struct ctf_env *env = &ctx->traces[i]->class->env[j];
			struct mm_cell *row = mm_table_row(ctx->report, table);
			char number[32];

			if (!row)
				return;
			snprintf(number, sizeof(number), "%" PRId64, env->i);
			mm_cell_set_s(&row[INFO_ENVIRONMENT_TRACE], ctx->traces[i]->name);
			mm_cell_set_s(&row[INFO_ENVIRONMENT_NAME], env->name);
			mm_cell_set_s(&row[INFO_ENVIRONMENT_VALUE],
				      env->kind == CTF_ENV_SIGNED ? number : env->s);
		}
}

void info_fill_tables(struct info_ctx *ctx)
{
	fill_traces(ctx);
	fill_streams(ctx);
	if (ctx->options->events)
		fill_events(ctx);
	fill_gaps(ctx);
	fill_damage(ctx);
	fill_clocks(ctx);
	fill_env(ctx);
}
