// SPDX-License-Identifier: LGPL-2.1-only
/* Makes losses of what a trace should have and does not. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/core/missing.h"
#include "analysis/ctf/metadata.h"

const char *mm_missing_unverifiable(const struct mm_missing_list *list)
{
	if (!list->unverifiable)
		return NULL;
	if (list->unverifiable == list->compared)
		return "no system information lists them; both sessions have streams of the same CPUs";
	return "neither system information nor an index says which there should be";
}

void mm_missing_text(const struct mm_missing *missing, char *text, size_t size)
{
	int length = snprintf(text, size, "%s: %s", missing->whole ? "missing" : "incomplete",
			      missing->what);

	if (missing->packets && length >= 0 && (size_t)length < size)
		length += snprintf(text + length, size - (size_t)length, ", %" PRIu64 " packet%s",
				   missing->packets, missing->packets == 1 ? "" : "s");
	if (missing->source && length >= 0 && (size_t)length < size)
		snprintf(text + length, size - (size_t)length, " (%s)", missing->source);
}

/* What the stream may have had for us: as far as the metadata say, else anything. */
static void note_wants(const struct mm_missing *missing, const struct ctf_trace_class *class,
		       const struct mm_want *wants, struct mm_loss *loss)
{
	if (!class) {
		loss->dumps = missing->in_state;
		loss->wanted = !missing->in_state;
		return;
	}
	for (size_t i = 0; i < class->stream_count; i++) {
		const struct ctf_stream_class *stream = class->streams[i];

		if (missing->has_class && stream->id != missing->class_id)
			continue;
		for (size_t j = 0; j < stream->event_count; j++) {
			const char *name = stream->events[j]->name;

			if (mm_want_find(wants, name) >= 0)
				mm_source_may_have(loss, name);
		}
	}
}

/* Streams of state may have been read before all others, by another source. */
static bool has_record(const struct mm_source *source, const struct mm_missing *missing)
{
	for (size_t i = 0; i < source->loss_count; i++)
		if (source->losses[i].missing && !strcmp(source->losses[i].stream, missing->file))
			return true;
	return false;
}

static int report(struct mm_source *source, struct mm_missing *missing,
		  const struct ctf_trace_class *class, const struct mm_want *wants,
		  const struct mm_handler *handler)
{
	struct mm_loss kinds = { NULL }, *loss;

	note_wants(missing, class, wants, &kinds);
	kinds.wanted |= kinds.dumps && source->options.in_order;
	if (mm_loss_is_state(&kinds) ? has_record(source, missing) : source->options.only_state)
		return 0;
	loss = mm_source_add_loss(source, missing->file, missing->cpu);
	if (!loss)
		return -1;
	missing->loss = (size_t)(loss - source->losses);
	loss->wanted = kinds.wanted;
	loss->dumps = kinds.dumps;
	loss->missing = true;
	loss->packets_lost = missing->packets;
	loss->damaged_since_ns = INT64_MIN;
	loss->lost_until_ns = INT64_MAX;
	if (handler->lost)
		handler->lost(handler->user, loss, INT64_MIN);
	return 0;
}

int mm_missing_report(struct mm_source *source, const struct mm_want *wants,
		      const struct mm_handler *handler, struct mm_error *err)
{
	struct ctf_trace_class *class = NULL;
	size_t folder = SIZE_MAX;
	int ret = 0;

	for (size_t i = 0; i < source->missing->count && !ret; i++) {
		struct mm_missing *missing = &source->missing->all[i];

		if (!missing->whole)
			continue;
		if (missing->folder != folder) {
			ctf_trace_class_destroy(class);
			folder = missing->folder;
			class = folder == SIZE_MAX
					? NULL
					: ctf_metadata_read(source->folders[folder], NULL);
		}
		ret = report(source, missing, class, wants, handler);
	}
	ctf_trace_class_destroy(class);
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory") : 0;
}

/* May packets of the requested time be missing at the stream's start? State has neither a time nor an order. */
static bool concerns_start(const struct mm_source *source, const struct mm_missing *missing,
			   const struct mm_loss *loss)
{
	return missing->begin_ns != INT64_MIN && missing->begin_ns >= source->options.begin_ns &&
	       !mm_loss_is_state(loss);
}

void mm_missing_report_start(const struct mm_source *source, const struct mm_missing *missing,
			     struct mm_loss *loss, const struct mm_handler *handler)
{
	if (!concerns_start(source, missing, loss))
		return;
	loss->untold = false;
	loss->anywhere = true;
	loss->packets_lost += missing->packets;
	loss->lost_until_ns = missing->begin_ns;
	if (handler->lost)
		handler->lost(handler->user, loss, INT64_MIN);
	loss->anywhere = false;
}

void mm_missing_report_end(const struct mm_source *source, const struct mm_missing *missing,
			   struct mm_loss *loss, const struct mm_handler *handler)
{
	int64_t since_ns = missing->end_ns;

	if (since_ns == INT64_MAX)
		since_ns = loss->end_ns == INT64_MAX ? loss->begin_ns : loss->end_ns;
	if (since_ns > source->options.end_ns && !mm_loss_is_state(loss))
		return;
	loss->untold = false;
	loss->anywhere = true;
	if (!concerns_start(source, missing, loss))
		loss->packets_lost += missing->packets;
	loss->lost_until_ns = INT64_MAX;
	if (handler->lost)
		handler->lost(handler->user, loss, since_ns);
	loss->anywhere = false;
}
