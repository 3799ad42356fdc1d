// SPDX-License-Identifier: LGPL-2.1-only
/* Opens traces, and distributes their streams over lanes, which decode them. */
#include "reader/ctf/decode/source.h"

#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "reader/coverage/pauses.h"
#include "reader/ctf/decode/ends.h"
#include "reader/ctf/decode/pool.h"
#include "reader/ctf/decode/source-merge.h"
#include "reader/ctf/decode/source-private.h"
#include "reader/ctf/decode/source-report.h"
#include "reader/ctf/decode/text.h"
#include "reader/coverage/missing.h"
#include "reader/coverage/pauses.h"
#include "reader/ctf/packet/packet-read.h"
#include "util/path.h"

/*
 * Limit on the number of decoded events in all chunks. With 100 to 500 bytes per event (including
 * the text of `print`), this is up to about 32 MiB.
 */
#define EVENTS_AHEAD 65536
#define CHUNK_EVENTS_MIN 16
#define CHUNK_EVENTS_MAX 4096
/* A single thread does not decode ahead, so its chunk should fit in the cache. */
#define CHUNK_EVENTS_ALONE 256
#define LANES_MAX 16

/* Limit on the text in all chunks, and the minimum for one chunk. */
#define TEXT_AHEAD ((size_t)256 << 20)
#define TEXT_MIN ((size_t)4 << 20)

static int declare_events(struct ctf_source *source, const struct ctf_stream_class *class)
{
	for (size_t i = 0; i < class->event_count; i++)
		if (class->events[i]->has_name &&
		    mm_source_declare(&source->base, class->events[i]->name))
			return -1;
	return 0;
}

static int open_traces(struct ctf_source *source, struct mm_error *err)
{
	if (source->traces)
		return 0;
	/* Identifying the source also reads the metadata, which are needed to open the traces. */
	if (mm_source_identify(&source->base, err))
		return -1;
	source->traces = ctf_traces_open_timed(
		source->base.path, source->base.folders, source->base.folder_count, source->classes,
		source->base.clock_shift_ns, &source->trace_count, err);
	if (!source->traces)
		return -1;
	for (size_t i = 0; i < source->trace_count; i++) {
		source->line_count += source->traces[i]->stream_count;
		source->plan_count += source->traces[i]->class->stream_count;
	}
	return 0;
}

static int make_plans(struct ctf_source *source, const struct mm_requests *requests,
		      struct mm_error *err)
{
	const struct ctf_consumer consumer = { &source->base, source->handler, err };
	size_t made = 0;

	source->plans = calloc(source->plan_count ? source->plan_count : 1, sizeof(*source->plans));
	if (!source->plans)
		return ctf_source_no_memory(err);
	for (size_t i = 0; i < source->trace_count; i++) {
		const struct ctf_trace_class *class = source->traces[i]->class;

		for (size_t j = 0; j < class->stream_count; j++) {
			source->plans[made] =
				ctf_plan_create(class->streams[j], requests, &consumer);
			if (!source->plans[made++] || declare_events(source, class->streams[j]))
				return ctf_source_no_memory(err);
		}
	}
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	return ctf_stream_compare(((const struct ctf_line *)a)->stream,
				  ((const struct ctf_line *)b)->stream);
}

static int make_lines(struct ctf_source *source, struct mm_error *err)
{
	struct ctf_line *line;

	source->lines = calloc(source->line_count ? source->line_count : 1, sizeof(*source->lines));
	if (!source->lines)
		return ctf_source_no_memory(err);
	line = source->lines;
	for (size_t i = 0; i < source->trace_count; i++)
		for (size_t j = 0; j < source->traces[i]->stream_count; j++, line++) {
			line->stream = &source->traces[i]->streams[j];
			line->plan = ctf_source_plan(source, line->stream->class);
		}
	qsort(source->lines, source->line_count, sizeof(*line), compare_lines);
	for (size_t i = 0; i < source->line_count; i++) {
		struct mm_loss *loss;

		line = &source->lines[i];
		line->hold_ns = INT64_MIN;
		loss = mm_source_add_loss(&source->base, line->stream->name, line->stream->cpu);
		if (!loss)
			return ctf_source_no_memory(err);
		ctf_report_requests(source, line->plan, loss);
		line->loss = (size_t)(loss - source->base.losses);
		line->last_ns = INT64_MIN;
	}
	return 0;
}

/* For each stream, finds the first file that lacks packets. */
static int find_missing(struct ctf_source *source, struct mm_error *err)
{
	if (mm_missing_find(&source->base, err))
		return -1;
	for (size_t i = 0; i < source->line_count && source->base.missing->count; i++) {
		struct ctf_line *line = &source->lines[i];
		const struct ctf_stream *stream = line->stream;

		for (size_t j = 0; j < stream->file_count && !line->missing; j++) {
			char *path = mm_path_absolute(stream->files[j].path);
			const struct mm_missing *missing =
				path ? mm_missing_of(&source->base, path) : NULL;

			if (missing && !missing->complete_stream)
				line->missing = missing;
			free(path);
			if (!path)
				return ctf_source_no_memory(err);
		}
	}
	return 0;
}

static void tell_starts(struct ctf_source *source)
{
	for (size_t i = 0; i < source->line_count && !source->base.options.only_state; i++) {
		const struct ctf_line *line = &source->lines[i];

		if (line->missing)
			mm_missing_report_start(&source->base, line->missing,
						&source->base.losses[line->loss], source->handler);
	}
}

/* Converts times of day, which refer to the day of the first packet. */
static int resolve_times(struct ctf_source *source, struct mm_error *err)
{
	struct mm_time_span span = { .first_ns = INT64_MAX };

	for (size_t i = 0; i < source->line_count; i++) {
		const struct ctf_stream *stream = source->lines[i].stream;

		if (stream->file_count && stream->files[0].first_ns < span.first_ns)
			span.first_ns = stream->files[0].first_ns;
	}
	return mm_source_options_resolve(&source->base.options, &span, err);
}

static bool has_role(const struct ctf_field *field, uint32_t role)
{
	if (!field)
		return false;
	for (size_t i = 0; i < field->member_count; i++)
		if (has_role(field->members[i].field, role))
			return true;
	return (field->roles & role) || has_role(field->element, role);
}

/*
 * Packets without a start timestamp need the previous packet's clock value, so their stream has a
 * single lane.
 */
static bool can_split(const struct ctf_line *line)
{
	const struct ctf_stream_class *class = line->stream->class;

	return !class->clock || has_role(class->packet_context, CTF_ROLE_TIME);
}

static int make_lanes(struct ctf_source *source, struct mm_error *err)
{
	unsigned int jobs = source->base.options.jobs, lanes = 1;
	size_t chunks_per_lane = jobs > 1 ? 2 : 1, total, events = CHUNK_EVENTS_ALONE;

	if (jobs > 1 && source->line_count && source->line_count < 2 * (size_t)jobs)
		lanes = (unsigned int)((2 * (size_t)jobs + source->line_count - 1) /
				       source->line_count);
	if (lanes > LANES_MAX)
		lanes = LANES_MAX;
	total = source->line_count * lanes * chunks_per_lane;
	if (jobs > 1)
		events = CHUNK_EVENTS_MAX;
	if (total && EVENTS_AHEAD / total < events)
		events = EVENTS_AHEAD / total;
	if (events < CHUNK_EVENTS_MIN)
		events = CHUNK_EVENTS_MIN;
	source->pool = ctf_pool_create(jobs);
	if (!source->pool)
		return ctf_source_no_memory(err);
	for (size_t i = 0; i < source->line_count; i++) {
		struct ctf_line *line = &source->lines[i];
		unsigned int count = can_split(line) ? lanes : 1;
		bool whole = ctf_line_is_state(source, line);

		if (!ctf_source_wants(source, &source->base.losses[line->loss]))
			continue;
		line->lanes = calloc(count, sizeof(*line->lanes));
		if (!line->lanes)
			return ctf_source_no_memory(err);
		for (unsigned int j = 0; j < count; j++) {
			if (ctf_lane_init(&line->lanes[j], line->stream, line->plan, &source->base,
					  source->handler, j, count, events, err))
				return -1;
			line->lane_count++;
			line->lanes[j].text_max =
				TEXT_AHEAD / total > TEXT_MIN ? TEXT_AHEAD / total : TEXT_MIN;
			if (whole)
				ctf_lane_read_all(&line->lanes[j]);
		}
		for (size_t j = 0; j < count * chunks_per_lane; j++) {
			struct ctf_chunk *chunk = ctf_chunk_create();

			if (!chunk)
				return ctf_source_no_memory(err);
			ctf_pool_give(source->pool, &line->lanes[j % count], chunk);
		}
	}
	return 0;
}

static void release_lines(struct ctf_source *source)
{
	ctf_pool_destroy(source->pool);
	source->pool = NULL;
	for (size_t i = 0; i < source->line_count && source->lines; i++) {
		struct ctf_line *line = &source->lines[i];
		struct ctf_chunk *chunk;

		ctf_chunk_destroy(line->chunk);
		for (unsigned int j = 0; j < line->lane_count; j++) {
			while ((chunk = ctf_pool_reclaim(&line->lanes[j])))
				ctf_chunk_destroy(chunk);
			ctf_lane_release(&line->lanes[j]);
		}
		free(line->lanes);
	}
	free(source->lines);
	source->lines = NULL;
}

static int source_run(struct mm_source *base, const struct mm_requests *requests,
		      const struct mm_handler *handler, struct mm_error *err)
{
	struct ctf_source *source = (struct ctf_source *)base;
	int ret;

	source->handler = handler;
	source->requests = requests;
	ret = open_traces(source, err) || make_plans(source, requests, err) ||
	      make_lines(source, err) || resolve_times(source, err) || find_missing(source, err) ||
	      ctf_report_order(source, err) || mm_missing_report(base, requests, handler, err) ||
	      ctf_report_files(source, err);
	if (!ret) {
		source->handler = mm_pauses_begin(&source->pauses, base, handler);
		ret = make_lanes(source, err);
	}
	if (!ret) {
		tell_starts(source);
		ret = ctf_source_deliver(source, err) || mm_pauses_end(&source->pauses, err);
	}
	mm_pauses_release(&source->pauses);
	release_lines(source);
	return ret ? -1 : 0;
}

static void source_destroy(struct mm_source *base)
{
	struct ctf_source *source = (struct ctf_source *)base;

	for (size_t i = 0; i < source->plan_count && source->plans; i++)
		ctf_plan_destroy(source->plans[i]);
	if (!source->shared)
		ctf_traces_close(source->traces, source->trace_count);
	for (size_t i = 0; i < source->base.folder_count && source->classes; i++)
		ctf_trace_class_destroy(source->classes[i]);
	free(source->classes);
	free(source->plans);
	free(source);
}

/* If the traces cannot be opened, returns true. Running the source then reports the error. */
static bool may_have_context(struct mm_source *base, const char *name)
{
	struct ctf_source *source = (struct ctf_source *)base;
	struct mm_error err = MM_ERROR_INIT;

	if (open_traces(source, &err))
		return true;
	for (size_t i = 0; i < source->trace_count; i++)
		if (ctf_trace_class_has_context(source->traces[i]->class, name))
			return true;
	return false;
}

static const char *member_at(const struct mm_event_type *type, size_t index)
{
	const struct ctf_field *payload = ((const struct ctf_event_class *)type->native)->payload;

	return payload && index < payload->member_count ? payload->members[index].name : NULL;
}

static int label_at(const struct mm_event_type *type, unsigned int number, size_t index,
		    struct mm_enum_label *label)
{
	const struct ctf_class_plan *plan =
		caa_container_of(type, const struct ctf_class_plan, type);
	const struct ctf_field *field = number < type->field_count ? plan->fields[number] : NULL;

	if (!field || !field->is_enum)
		return -1;
	for (size_t i = 0; i < field->mapping_count; i++) {
		const struct ctf_mapping *mapping = &field->mappings[i];

		if (index >= mapping->range_count) {
			index -= mapping->range_count;
			continue;
		}
		*label = (struct mm_enum_label){
			.name = mapping->label,
			.is_signed = type->kinds[number] == MM_KIND_SIGNED ||
				     type->element_kinds[number] == MM_KIND_SIGNED
		};
		label->lower.u = mapping->ranges[index].lower.u;
		label->upper.u = mapping->ranges[index].upper.u;
		return 0;
	}
	return -1;
}

static const struct mm_source_ops source_ops = {
	.run = source_run,
	.field_at = ctf_text_field_at,
	.context_at = ctf_text_context_at,
	.field_text = ctf_text_field,
	.member_at = member_at,
	.label_at = label_at,
	.may_have_context = may_have_context,
	.destroy = source_destroy,
};

bool mm_ctf_source_is(const struct mm_source *source)
{
	return source->ops == &source_ops;
}

struct ctf_trace *const *mm_ctf_source_traces(struct mm_source *base, size_t *count,
					      struct mm_error *err)
{
	struct ctf_source *source = (struct ctf_source *)base;

	if (open_traces(source, err))
		return NULL;
	*count = source->trace_count;
	return source->traces;
}

void mm_ctf_source_keep_class(struct mm_source *base, size_t folder, struct ctf_trace_class *class)
{
	struct ctf_source *source = (struct ctf_source *)base;

	if (!source->classes && !source->traces)
		source->classes = calloc(base->folder_count, sizeof(struct ctf_trace_class *));
	if (source->classes && !source->traces)
		source->classes[folder] = class;
	else
		ctf_trace_class_destroy(class);
}

void mm_ctf_source_share(struct mm_source *base, struct mm_source *owner)
{
	struct ctf_source *source = (struct ctf_source *)base, *from = (struct ctf_source *)owner;

	source->traces = from->traces;
	source->trace_count = from->trace_count;
	source->line_count = from->line_count;
	source->plan_count = from->plan_count;
	source->shared = true;
}

struct mm_source *mm_ctf_source_create(struct mm_error *err)
{
	struct ctf_source *source = calloc(1, sizeof(*source));

	if (!source) {
		ctf_source_no_memory(err);
		return NULL;
	}
	source->base.ops = &source_ops;
	return &source->base;
}

struct mm_source *mm_ctf_source_create_of(const char *path, const char *const *folders,
					  size_t count, const struct mm_source_options *options,
					  struct mm_error *err)
{
	struct mm_source *source = mm_ctf_source_create(err);
	bool failed = false;

	if (!source)
		return NULL;
	source->options = *options;
	source->path = strdup(path);
	for (size_t i = 0; i < count && !failed; i++)
		failed = mm_strings_add(&source->folders, &source->folder_count, folders[i]);
	if (source->path && !failed)
		return source;
	ctf_source_no_memory(err);
	mm_source_destroy(source);
	return NULL;
}
