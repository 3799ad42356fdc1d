// SPDX-License-Identifier: LGPL-2.1-only
/* Makes the report of ctf_info(). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "reader/coverage/report/coverage.h"
#include "reader/inspect/info-cells.h"
#include "reader/inspect/info-certificate.h"
#include "reader/inspect/info-gather.h"
#include "reader/inspect/info-schema.h"
#include "reader/inspect/info-sentence.h"
#include "reader/report/render.h"
#include "reader/sysinfo/places.h"
#include "util/path.h"
#include "util/plural.h"
#include "util/time.h"

struct filling {
	struct mm_report *report;
	struct mm_source *source;
	struct ctf_trace *const *traces;
	size_t trace_count;
	const struct ctf_info_stream *infos;
	size_t info_count;
	const struct ctf_info_options *options;
	struct ctf_info_facts facts;
};

static void set_ratio(struct mm_cell *cell, uint64_t above, uint64_t below)
{
	if (below)
		mm_cell_set_r(cell, (double)above / (double)below);
}

static bool is_known(int64_t ns)
{
	return ns != INT64_MIN && ns != INT64_MAX;
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

static void fill_traces(struct filling *filling)
{
	struct mm_table *table = mm_report_table(filling->report, &ctf_info_table_traces);

	for (size_t i = 0; i < filling->trace_count; i++) {
		const struct ctf_trace *trace = filling->traces[i];
		const struct ctf_trace_class *class = trace->class;
		struct mm_cell *row = mm_table_row(filling->report, table);
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

/* The kind of event header: LTTng's compact or large one, or another. */
static const char *header_kind(const struct ctf_plan *plan)
{
	if (plan->header.form != CTF_HEADER_SPLIT)
		return "other";
	if (plan->header.id_bits == 5 && plan->header.time_bits == 27)
		return "compact";
	return plan->header.id_bits == 16 && plan->header.time_bits == 32 ? "large" : "other";
}

static void fill_streams(struct filling *filling)
{
	struct mm_table *table = mm_report_table(filling->report, &ctf_info_table_streams);
	bool events = filling->options->events;

	for (size_t i = 0; i < filling->info_count; i++) {
		const struct ctf_info_stream *info = &filling->infos[i];
		const struct ctf_stream *stream = info->stream;
		struct mm_cell *row = mm_table_row(filling->report, table);
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
		set_time(&row[INFO_STREAMS_START], filling->options->gmt, begins, info->begin_ns);
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

/* An event class with the sums over all streams of its stream class. */
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

static struct event_sum *sum_events(const struct filling *filling, size_t *count)
{
	struct event_sum *sums, *sum;
	size_t classes = 0;

	for (size_t i = 0; i < filling->trace_count; i++)
		for (size_t j = 0; j < filling->traces[i]->class->stream_count; j++)
			classes += filling->traces[i]->class->streams[j]->event_count;
	sum = sums = calloc(classes + 1, sizeof(*sums));
	if (!sums)
		return NULL;
	for (size_t i = 0; i < filling->trace_count; i++) {
		const struct ctf_trace *trace = filling->traces[i];

		for (size_t j = 0; j < trace->class->stream_count; j++) {
			const struct ctf_stream_class *class = trace->class->streams[j];

			for (size_t k = 0; k < filling->info_count; k++) {
				const struct ctf_info_stream *info = &filling->infos[k];

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

static void fill_events(struct filling *filling)
{
	struct mm_table *table = mm_report_table(filling->report, &ctf_info_table_events);
	size_t count = 0;
	struct event_sum *sums = sum_events(filling, &count);

	if (!sums) {
		filling->report->failed = true;
		return;
	}
	qsort(sums, count, sizeof(*sums), compare_sums);
	for (size_t i = 0; i < count && sums[i].count; i++) {
		struct mm_cell *row = mm_table_row(filling->report, table);

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

static void fill_gaps(struct filling *filling)
{
	struct mm_table *table = mm_report_table(filling->report, &ctf_info_table_gaps);

	for (size_t i = 0; i < filling->info_count; i++) {
		const struct ctf_info_stream *info = &filling->infos[i];

		for (size_t j = 0; j < info->gap_count; j++) {
			const struct ctf_info_gap *gap = &info->gaps[j];
			struct mm_cell *row = mm_table_row(filling->report, table);
			bool since = is_known(gap->since_ns), until = is_known(gap->until_ns);

			if (!row)
				return;
			mm_cell_set_s(&row[INFO_GAPS_STREAM], info->stream->files[0].name);
			mm_cell_set_u(&row[INFO_GAPS_PACKETS_LOST], gap->packets);
			mm_cell_set_u(&row[INFO_GAPS_EVENTS_DISCARDED], gap->events);
			set_known(&row[INFO_GAPS_SINCE_NS], since, (uint64_t)gap->since_ns);
			set_known(&row[INFO_GAPS_UNTIL_NS], until, (uint64_t)gap->until_ns);
			set_time(&row[INFO_GAPS_SINCE], filling->options->gmt, since,
				 gap->since_ns);
			set_known(&row[INFO_GAPS_DURATION_NS], since && until,
				  span(gap->since_ns, gap->until_ns));
		}
	}
}

static void put_damage(struct filling *filling, struct mm_table *table, const char *file,
		       uint64_t packet, uint64_t offset, const char *what)
{
	struct mm_table *covered = filling->report->coverage_tables[MM_COVERAGE_DAMAGE];
	struct mm_cell *row = mm_table_row(filling->report, table);
	char *line;

	/* The text form has the table of which this is a summary. */
	covered->hidden = true;
	if (!row)
		return;
	mm_cell_set_s(&row[INFO_DAMAGE_FILE], file);
	mm_cell_set_u(&row[INFO_DAMAGE_PACKET], packet);
	mm_cell_set_u(&row[INFO_DAMAGE_OFFSET], offset);
	mm_cell_set_s(&row[INFO_DAMAGE_WHAT], what);
	row = mm_table_row(filling->report, covered);
	if (!row)
		return;
	if (asprintf(&line, "%s: packet %" PRIu64 ", byte %" PRIu64 ": %s", file, packet, offset,
		     what) < 0) {
		filling->report->failed = true;
		return;
	}
	mm_cell_set_s(&row[MM_DAMAGE_MESSAGE], line);
	free(line);
}

static void fill_damage(struct filling *filling)
{
	struct mm_table *table = mm_report_table(filling->report, &ctf_info_table_damage);

	for (size_t i = 0; i < filling->trace_count; i++)
		for (size_t j = 0; j < filling->traces[i]->finding_count; j++) {
			const struct ctf_finding *finding = &filling->traces[i]->findings[j];

			put_damage(filling, table, finding->file, finding->packet, finding->offset,
				   finding->what);
		}
	for (size_t i = 0; i < filling->info_count; i++)
		for (size_t j = 0; j < filling->infos[i].damage_count; j++) {
			const struct ctf_info_damage *damage = &filling->infos[i].damages[j];

			put_damage(filling, table, damage->file ? damage->file : "", damage->packet,
				   damage->offset, damage->what ? damage->what : "");
		}
}

/*
 * Adds a row for a truncated file, unless later packets are missing, too, which has a row already.
 */
static void put_truncated(struct filling *filling, struct mm_table *table, const char *file,
			  uint32_t cpu, const char *what)
{
	char *path = mm_path_absolute(file);
	struct mm_cell *row = NULL;
	char text[256];

	if (!path)
		filling->report->failed = true;
	else if (!mm_missing_of(filling->source, path))
		row = mm_table_row(filling->report, table);
	free(path);
	if (!row)
		return;
	snprintf(text, sizeof(text), "incomplete: %s", what);
	mm_cell_set_s(&row[MM_MISSING_STREAM], file);
	set_known(&row[MM_MISSING_CPU], cpu != MM_CPU_UNKNOWN, cpu);
	mm_cell_set_u(&row[MM_MISSING_PACKETS], 0);
	mm_cell_set_s(&row[MM_MISSING_WHAT], text);
}

static void fill_missing(struct filling *filling)
{
	const struct mm_missing_list *list = filling->source->missing;
	struct mm_table *table = filling->report->coverage_tables[MM_COVERAGE_MISSING];

	for (size_t i = 0; i < filling->trace_count; i++)
		for (size_t j = 0; j < filling->traces[i]->finding_count; j++) {
			const struct ctf_finding *finding = &filling->traces[i]->findings[j];

			if (finding->truncated)
				put_truncated(filling, table, finding->file, MM_CPU_UNKNOWN,
					      finding->what);
		}
	for (size_t i = 0; i < filling->info_count; i++)
		for (size_t j = 0; j < filling->infos[i].damage_count; j++) {
			const struct ctf_info_damage *damage = &filling->infos[i].damages[j];

			if (damage->truncated && damage->file && damage->what)
				put_truncated(filling, table, damage->file,
					      filling->infos[i].stream->cpu, damage->what);
		}
	for (size_t i = 0; i < list->count; i++)
		mm_coverage_add_missing(filling->report, list->all[i].display_path, &list->all[i]);
}

static void fill_clocks(struct filling *filling)
{
	struct mm_table *table = mm_report_table(filling->report, &ctf_info_table_clocks);

	for (size_t i = 0; i < filling->trace_count; i++)
		for (size_t j = 0; j < filling->traces[i]->class->clock_count; j++) {
			const struct ctf_clock *clock = filling->traces[i]->class->clocks[j];
			struct mm_cell *row = mm_table_row(filling->report, table);
			int64_t ns;
			bool known;

			if (!row)
				return;
			mm_cell_set_s(&row[INFO_CLOCKS_TRACE], filling->traces[i]->name);
			mm_cell_set_s(&row[INFO_CLOCKS_CLOCK], clock->name);
			mm_cell_set_u(&row[INFO_CLOCKS_FREQUENCY_HZ], clock->frequency);
			mm_cell_set_u(&row[INFO_CLOCKS_OFFSET_S], (uint64_t)clock->offset_s);
			mm_cell_set_u(&row[INFO_CLOCKS_OFFSET_CYCLES], clock->offset_cycles);
			known = !ctf_clock_to_ns(clock, 0, &ns);
			set_time(&row[INFO_CLOCKS_OFFSET], filling->options->gmt, known,
				 known ? ns : 0);
			mm_cell_set_s(&row[INFO_CLOCKS_DESCRIPTION], clock->description);
		}
}

static void fill_env(struct filling *filling)
{
	struct mm_table *table = mm_report_table(filling->report, &ctf_info_table_environment);

	for (size_t i = 0; i < filling->trace_count; i++)
		for (size_t j = 0; j < filling->traces[i]->class->env_count; j++) {
			const struct ctf_env *env = &filling->traces[i]->class->env[j];
			struct mm_cell *row = mm_table_row(filling->report, table);
			char number[32];

			if (!row)
				return;
			snprintf(number, sizeof(number), "%" PRId64, env->i);
			mm_cell_set_s(&row[INFO_ENVIRONMENT_TRACE], filling->traces[i]->name);
			mm_cell_set_s(&row[INFO_ENVIRONMENT_NAME], env->name);
			mm_cell_set_s(&row[INFO_ENVIRONMENT_VALUE],
				      env->kind == CTF_ENV_SIGNED ? number : env->s);
		}
}

/* Adds a finding that the short text form has, too. */
__attribute__((format(printf, 2, 3))) static void remark(struct filling *filling, const char *fmt,
							 ...)
{
	char *text;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	filling->report->failed |= !text;
	if (!text)
		return;
	mm_report_finding(filling->report, "%s", text);
	ctf_info_brief_keep(filling->options->brief, filling->report);
	free(text);
}

/* Is a snapshot of the source marked as not KASLR-safe when it was taken? */
static bool is_marked(struct mm_source *source)
{
	struct mm_places places;
	bool marked = false;

	if (!mm_places_find(&places, source))
		for (size_t i = 0; i < places.count; i++)
			marked |=
				places.all[i].matches &&
				json_is_false(json_object_get(places.all[i].system, "kaslr_safe"));
	mm_places_release(&places);
	return marked;
}

/* Anyone who passes the trace on must know. */
static void conclude_kaslr(struct filling *filling)
{
	bool stacks = false;

	for (size_t i = 0; i < filling->trace_count; i++)
		stacks |= ctf_trace_class_has_context(filling->traces[i]->class,
						      MM_CONTEXT_CALLSTACK);
	if (stacks)
		remark(filling,
		       "Not KASLR-safe: the events have call stacks (context callstack-kernel), which reveal where the kernel was in memory.");
	else if (is_marked(filling->source))
		remark(filling,
		       "Not KASLR-safe: the events may have addresses of the kernel, which reveal where it was in memory, as the system information says.");
}

static void conclude(struct filling *filling, const struct ctf_info_stream *sum)
{
	struct mm_report *report = filling->report;
	char begin[64], end[64];

	mm_report_finding(report,
			  "%s: %zu trace%s, %zu stream%s, %" PRIu64 " packet%s, %" PRIu64
			  " byte%s, of them %" PRIu64 " content.",
			  filling->source->path, filling->trace_count,
			  mm_plural_s(filling->trace_count), filling->info_count,
			  mm_plural_s(filling->info_count), sum->packets, mm_plural_s(sum->packets),
			  sum->bytes, mm_plural_s(sum->bytes), sum->content_bytes);
	if (is_known(sum->begin_ns) && is_known(sum->end_ns)) {
		mm_time_format(begin, sizeof(begin), sum->begin_ns, filling->options->gmt);
		mm_time_format(end, sizeof(end), sum->end_ns, filling->options->gmt);
		mm_report_finding(report, "From %s to %s: %.9f s.", begin, end,
				  (double)span(sum->begin_ns, sum->end_ns) / 1e9);
	}
	if (sum->gaps_seen)
		mm_report_finding(report, "%" PRIu64 " gap%s in the streams' packets.",
				  sum->gaps_seen, mm_plural_s(sum->gaps_seen));
	for (size_t i = 0; i < filling->source->missing->unchecked_count; i++) {
		mm_report_finding(report, "%s", filling->source->missing->unchecked[i]);
		/* The first sentence says that packets have no checksums. */
		if (!strstr(filling->source->missing->unchecked[i], "no checksums"))
			ctf_info_brief_keep(filling->options->brief, report);
	}
	for (size_t i = 0; i < filling->source->missing->note_count; i++)
		remark(filling, "%s", filling->source->missing->notes[i]);
	if (filling->source->missing->count)
		mm_report_finding(report, "Missing, in whole or in part: %zu stream%s.",
				  filling->source->missing->count,
				  mm_plural_s(filling->source->missing->count));
	if (sum->damages_seen)
		mm_report_finding(report, "Damaged in %" PRIu64 " place%s.", sum->damages_seen,
				  mm_plural_s(sum->damages_seen));
	conclude_kaslr(filling);
}

/* Adds the order in which packets are read, and its faults, to the head of the report. */
static void fill_order(struct filling *filling)
{
	struct mm_report *report = filling->report;

	for (size_t i = 0; i < filling->trace_count; i++)
		for (size_t j = 0; j < filling->traces[i]->finding_count; j++)
			report->damaged |= !filling->traces[i]->findings[j].truncated;
	for (size_t i = 0; i < filling->info_count; i++) {
		const struct ctf_stream *stream = filling->infos[i].stream;
		char *order = ctf_stream_order_text(stream);

		report->backward |= stream->backward != NULL;
		report->damaged |=
			stream->backward || stream->foreign || filling->infos[i].packets_damaged;
		if (stream->backward)
			mm_report_remark(report, "Damaged: %s.", stream->backward);
		if (stream->foreign)
			mm_report_remark(report, "Damaged: %s.", stream->foreign);
		if (order)
			mm_report_remark(report, "%s.", order);
		if (filling->infos[i].note)
			mm_report_remark(report, "%s.", filling->infos[i].note);
		report->failed |= ctf_stream_is_sorted(stream) && !order;
		free(order);
	}
}

/* The channel of a stream, and when the stream starts, by its certificate or its first packet. */
static struct mm_channel_start start_of(const struct filling *filling,
					const struct ctf_info_stream *info)
{
	const char *name = info->stream->name;
	const struct mm_covered *covered = mm_missing_covered(filling->source, name);
	int64_t start_ns = info->begin_ns;

	if (covered && covered->start_ns < start_ns)
		start_ns = covered->start_ns;
	return (struct mm_channel_start){ mm_missing_channel(filling->source, name), start_ns };
}

/*
 * Finds the time range as a report does: without state dumps, and from when all channels were
 * recorded, as far as a certificate names them.
 */
static void add_range(const struct filling *filling, struct ctf_info_stream *sum, bool of_state)
{
	struct mm_channel_start *starts = calloc(filling->info_count + 1, sizeof(*starts));
	int64_t last_ns = INT64_MIN;
	size_t count = 0;

	for (size_t i = 0; i < filling->info_count; i++) {
		const struct ctf_info_stream *info = &filling->infos[i];

		if (mm_trace_is_state(info->stream->trace->folder) != of_state)
			continue;
		if (starts)
			starts[count++] = start_of(filling, info);
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

/* When the last channel of @trace starts, which is where a report of it starts. */
static int64_t last_start_of(const struct filling *filling, const struct ctf_trace *trace)
{
	struct mm_channel_start *starts = calloc(filling->info_count + 1, sizeof(*starts));
	int64_t last_ns = INT64_MIN;
	size_t count = 0;

	for (size_t i = 0; starts && i < filling->info_count; i++)
		if (filling->infos[i].stream->trace == trace)
			starts[count++] = start_of(filling, &filling->infos[i]);
	if (count)
		last_ns = mm_coverage_last_start(starts, count);
	free(starts);
	return last_ns;
}

/* Says that reports of some of several traces cover more than the time that all of them share. */
static void remark_range(const struct filling *filling, const struct ctf_info_stream *sum)
{
	int64_t first_ns = INT64_MAX;
	uint64_t shared_ns, longest_ns;
	char longest[MM_NUMBER_TEXT];
	size_t count = 0;

	for (size_t i = 0; i < filling->trace_count; i++) {
		const struct ctf_trace *trace = filling->traces[i];
		int64_t start_ns = mm_trace_is_state(trace->folder) ? INT64_MIN
								    : last_start_of(filling, trace);

		count += start_ns != INT64_MIN;
		if (start_ns != INT64_MIN && start_ns < first_ns)
			first_ns = start_ns;
	}
	if (count < 2 || first_ns >= sum->begin_ns || !is_known(sum->begin_ns) ||
	    sum->end_ns <= sum->begin_ns)
		return;
	shared_ns = (uint64_t)sum->end_ns - (uint64_t)sum->begin_ns;
	longest_ns = (uint64_t)sum->end_ns - (uint64_t)first_ns;
	/* Less does not show in a duration of four digits. */
	if (longest_ns - shared_ns < shared_ns / 1000)
		return;
	mm_render_ns(longest, sizeof(longest), (double)longest_ns);
	mm_report_remark(
		filling->report,
		"This is the time that all %zu traces share; a report covers the time of its own, at most %s.",
		count, longest);
}

static void add_up(const struct filling *filling, struct ctf_info_stream *sum)
{
	*sum = (struct ctf_info_stream){ .begin_ns = INT64_MAX, .end_ns = INT64_MIN };
	for (size_t i = 0; i < filling->trace_count; i++)
		for (size_t j = 0; j < filling->traces[i]->finding_count; j++) {
			const bool truncated = filling->traces[i]->findings[j].truncated;

			sum->damages_seen++;
			sum->packets_truncated += truncated;
			sum->packets_damaged += !truncated;
		}
	for (size_t i = 0; i < filling->info_count; i++) {
		const struct ctf_info_stream *info = &filling->infos[i];

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
	add_range(filling, sum, false);
	if (!is_known(sum->begin_ns) || !is_known(sum->end_ns))
		add_range(filling, sum, true);
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

static void fill_losses(struct filling *filling)
{
	const struct mm_missing_list *list = filling->source->missing;

	for (size_t i = 0; i < filling->info_count; i++) {
		const struct mm_loss loss = loss_of(&filling->infos[i]);

		mm_coverage_add_loss(filling->report, filling->infos[i].stream->files[0].name,
				     &loss);
	}
	for (size_t i = 0; i < list->count; i++) {
		const struct mm_loss loss = { .packets_lost = list->all[i].packets,
					      .missing = true,
					      .maybe = list->all[i].uncertain };
		const char *slash = strrchr(list->all[i].file, '/');

		if (list->all[i].complete_stream)
			mm_coverage_add_loss(filling->report, slash ? slash + 1 : list->all[i].file,
					     &loss);
	}
}

/* What the streams lost, and the packets of those that are missing. Of state dumps: whether. */
static void sum_losses(const struct filling *filling, const struct ctf_info_stream *sum,
		       struct mm_loss *loss, bool *state_lost)
{
	const struct mm_missing_list *list = filling->source->missing;

	*loss = (struct mm_loss){ .packets_damaged = sum->packets_damaged };
	*state_lost = false;
	for (size_t i = 0; i < filling->trace_count; i++)
		for (size_t j = 0; j < filling->traces[i]->finding_count; j++)
			loss->packets_truncated += !mm_trace_is_state(filling->traces[i]->name) &&
						   filling->traces[i]->findings[j].truncated;
	for (size_t i = 0; i < filling->info_count; i++) {
		const struct mm_loss one = loss_of(&filling->infos[i]);

		if (mm_trace_is_state(filling->infos[i].stream->trace->name)) {
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

static void fill_cpus(struct filling *filling)
{
	uint32_t *cpus = calloc(filling->info_count + 1, sizeof(*cpus));
	size_t count = 0;

	if (!cpus) {
		filling->report->failed = true;
		return;
	}
	for (size_t i = 0; i < filling->info_count; i++)
		if (filling->infos[i].stream->cpu != MM_CPU_UNKNOWN)
			cpus[count++] = filling->infos[i].stream->cpu;
	mm_coverage_set_cpus(filling->report, filling->source->missing, cpus, count);
	free(cpus);
}

/* What the environments of all traces that have it say; nothing if they differ. */
static void fill_environment(struct filling *filling, const char *name, struct mm_cell *cell)
{
	const char *value = NULL;

	for (size_t i = 0; i < filling->trace_count; i++) {
		const struct ctf_env *env = ctf_env_find(filling->traces[i]->class, name);

		if (!env || env->kind == CTF_ENV_SIGNED)
			continue;
		if (value && strcmp(value, env->s) != 0)
			return;
		value = env->s;
	}
	mm_cell_set_s(cell, value);
}

static bool recorder_lost(const struct filling *filling)
{
	struct mm_loss *losses = calloc(filling->info_count + 1, sizeof(*losses));
	bool lost;

	for (size_t i = 0; losses && i < filling->info_count; i++)
		losses[i] = loss_of(&filling->infos[i]);
	filling->report->failed |= !losses;
	lost = losses &&
	       mm_coverage_recorder_lost(filling->source->missing, losses, filling->info_count);
	free(losses);
	return lost;
}

static void fill_coverage(struct filling *filling, const struct ctf_info_stream *sum)
{
	const struct mm_missing_list *list = filling->source->missing;
	struct mm_report *report = filling->report;
	struct mm_cell *cells = report->coverage;
	struct mm_loss loss;
	size_t certain = list->count - list->uncertain;
	uint64_t missing = 0;

	sum_losses(filling, sum, &loss, &report->state_lost);
	for (size_t i = 0; i < list->count; i++)
		missing += list->all[i].complete_stream && !list->all[i].uncertain;
	report->gmt = filling->options->gmt;
	report->recorder_lost = recorder_lost(filling);
	report->ring_lost = sum->packets_lost && list->ring_packets;
	report->denied = list->denied;
	report->incomplete = certain || loss.events_discarded || loss.packets_lost ||
			     loss.packets_without_count || sum->packets_truncated || loss.pauses ||
			     sum->packets_damaged;
	mm_coverage_set_losses(report, &loss, missing);
	mm_coverage_set_gaps(report, list);
	mm_coverage_set_limits(report, filling->source);
	if (is_known(sum->begin_ns) && is_known(sum->end_ns))
		mm_coverage_set_range(report, sum->begin_ns, sum->end_ns);
	fill_cpus(filling);
	fill_environment(filling, "kernel_release", &cells[MM_COVERAGE_KERNEL_RELEASE]);
	fill_environment(filling, "hostname", &cells[MM_COVERAGE_HOSTNAME]);
	if (filling->options->events)
		mm_cell_set_u(&cells[MM_COVERAGE_EVENTS], sum->events);
	mm_coverage_set_sums(report, list);
	mm_coverage_set_damaged(report, list);
	mm_coverage_set_exchanged(report, list);
	mm_coverage_set_verified(report, mm_missing_unverifiable(list));
	mm_report_count(report, sum->packets, "trace.packets");
	mm_report_count(report, sum->bytes, "trace.bytes");
}

/* Makes the first sentence, when the coverage is known. */
static void answer(struct filling *filling, const struct ctf_info_stream *sum)
{
	const struct mm_missing_list *list = filling->source->missing;
	const struct mm_report *report = filling->report;
	const struct mm_cell *cells = report->coverage;
	struct ctf_info_facts *facts = &filling->facts;
	char *sentence;

	for (size_t i = 0; i < filling->info_count; i++)
		facts->streams += !mm_trace_is_state(filling->infos[i].stream->trace->folder);
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
	facts->sums_lost = report->sums_lost;
	facts->exchanged = list->exchanged_count;
	facts->unchecked = report->unchecked;
	facts->unverified = !cells[MM_COVERAGE_STREAMS_VERIFIED].u;
	facts->decoded = filling->options->events || filling->options->incomplete;
	facts->maybe_missing = list->uncertain;
	facts->maybe_cut = mm_coverage_count_cuts(list);
	facts->maybe_paused = report->maybe_paused;
	facts->possible_pauses = cells[MM_COVERAGE_POSSIBLE_PAUSES].u;
	facts->possible_pauses_ns = cells[MM_COVERAGE_POSSIBLE_PAUSES_NS].u;
	facts->limits_unknown = report->limits_unknown;
	facts->limits = cells[MM_COVERAGE_LIMITED_TO].s;
	sentence = ctf_info_sentence(facts);
	filling->report->failed |= !sentence;
	if (sentence)
		mm_report_answer(filling->report, "%s", sentence);
	free(sentence);
}

struct mm_report *ctf_info_report(struct mm_source *source, struct ctf_trace *const *traces,
				  size_t trace_count, const struct ctf_info_stream *infos,
				  size_t info_count, const struct ctf_info_options *options,
				  struct mm_error *err)
{
	struct filling filling = { .report = mm_report_create(&ctf_info_schema),
				   .source = source,
				   .traces = traces,
				   .trace_count = trace_count,
				   .infos = infos,
				   .info_count = info_count,
				   .options = options };
	const struct certify_traces opened = { source, traces, trace_count, false };
	struct ctf_info_stream sum;

	if (!filling.report)
		return NULL;
	add_up(&filling, &sum);
	remark_range(&filling, &sum);
	fill_order(&filling);
	conclude(&filling, &sum);
	if (ctf_info_add_certificate(filling.report, &opened, options, &filling.facts, err)) {
		ctf_info_facts_release(&filling.facts);
		mm_report_destroy(filling.report);
		return NULL;
	}
	fill_traces(&filling);
	fill_streams(&filling);
	if (options->events)
		fill_events(&filling);
	fill_gaps(&filling);
	fill_missing(&filling);
	fill_damage(&filling);
	fill_clocks(&filling);
	fill_env(&filling);
	fill_losses(&filling);
	fill_coverage(&filling, &sum);
	answer(&filling, &sum);
	ctf_info_facts_release(&filling.facts);
	if (!mm_report_failed(filling.report) && !filling.report->undeclared)
		return filling.report;
	mm_report_destroy(filling.report);
	return NULL;
}
