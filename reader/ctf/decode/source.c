// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens traces, distributes their streams over lanes, and merges the decoded events in time order.
 */
#include "reader/ctf/decode/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "reader/coverage/pauses.h"
#include "reader/ctf/decode/ends.h"
#include "reader/ctf/decode/merge.h"
#include "reader/ctf/decode/pool.h"
#include "reader/ctf/decode/text.h"
#include "reader/ctf/packet/packet-read.h"
#include "util/path.h"

/*
 * Limit on the decoded events in all chunks: about 32 MiB at 100 to 500 bytes each (including the
 * text of `print`).
 */
#define EVENTS_AHEAD 65536
#define CHUNK_EVENTS_MIN 16
#define CHUNK_EVENTS_MAX 4096
/* A single thread does not decode ahead, and its chunk should stay in the cache. */
#define CHUNK_EVENTS_ALONE 256
#define LANES_MAX 16

/* Limit on the text in all chunks, and the minimum for one chunk. */
#define TEXT_AHEAD ((size_t)256 << 20)
#define TEXT_MIN ((size_t)4 << 20)

/* A stream in the merge. */
struct line {
	const struct ctf_stream *stream;
	const struct ctf_plan *plan;
	struct ctf_lane *lanes;
	unsigned int lane_count, lane; /* the lane whose turn it is */
	struct ctf_chunk *chunk;       /* the chunk whose events are being delivered */
	bool loss_waits;	       /* the loss before the chunk is not reported yet */
	/*
	 * The latest end timestamp of a packet so far. babeltrace2 keeps the order of a stream's
	 * messages, so later messages wait until then, regardless of their own timestamps. (A
	 * packet whose start timestamp is after its first event, as barectf 2 wrote them, starts
	 * with that event in babeltrace2.)
	 */
	int64_t hold_ns;
	size_t loss;	   /* index into the source's losses */
	int64_t last_ns;   /* of the last delivered event; INT64_MIN: none yet */
	bool ends_damaged; /* the last packet's events end in damage ... */
	/* ... which extends to this time; INT64_MAX: to the next packet */
	int64_t damaged_until_ns;
	const struct mm_missing *missing; /* missing packets at the stream's start or end */
	bool is_over; /* ended, except for a loss at its end that is not reported yet */
};

struct ctf_source {
	struct mm_source base;
	struct ctf_trace **traces;
	size_t trace_count;
	bool shared; /* the traces are owned by another source */
	/* The metadata of each folder that mm_source_identify() has read, until they are opened. */
	struct ctf_trace_class **classes;
	struct ctf_plan **plans;
	size_t plan_count;
	struct line *lines;
	size_t line_count;
	struct ctf_pool *pool;
	const struct mm_handler *handler;
	struct mm_pauses pauses;	    /* between @handler and the consumer's */
	const struct mm_requests *requests; /* while it runs */
};

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
}

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
	/* Reads the metadata, which are needed for this as well. */
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
		return out_of_memory(err);
	for (size_t i = 0; i < source->trace_count; i++) {
		const struct ctf_trace_class *class = source->traces[i]->class;

		for (size_t j = 0; j < class->stream_count; j++) {
			source->plans[made] =
				ctf_plan_create(class->streams[j], requests, &consumer);
			if (!source->plans[made++] || declare_events(source, class->streams[j]))
				return out_of_memory(err);
		}
	}
	return 0;
}

static const struct ctf_plan *find_plan(const struct ctf_source *source,
					const struct ctf_stream_class *class)
{
	for (size_t i = 0; i < source->plan_count; i++)
		if (source->plans[i]->stream_class == class)
			return source->plans[i];
	return NULL;
}

/* Notes which requested events a stream of the class may have. */
static void note_requests(const struct ctf_source *source, const struct ctf_plan *plan,
			  struct mm_loss *loss)
{
	for (size_t i = 0; i < plan->stream_class->event_count; i++)
		if (plan->classes[i].matched >= 0)
			mm_source_may_have(loss, source->requests, plan->classes[i].matched,
					   plan->classes[i].type.name);
	loss->has_requested |= loss->has_state_dumps && source->base.options.in_order;
}

static int compare_lines(const void *a, const void *b)
{
	return ctf_stream_compare(((const struct line *)a)->stream,
				  ((const struct line *)b)->stream);
}

static int make_lines(struct ctf_source *source, struct mm_error *err)
{
	struct line *line;

	source->lines = calloc(source->line_count ? source->line_count : 1, sizeof(*source->lines));
	if (!source->lines)
		return out_of_memory(err);
	line = source->lines;
	for (size_t i = 0; i < source->trace_count; i++)
		for (size_t j = 0; j < source->traces[i]->stream_count; j++, line++) {
			line->stream = &source->traces[i]->streams[j];
			line->plan = find_plan(source, line->stream->class);
		}
	qsort(source->lines, source->line_count, sizeof(*line), compare_lines);
	for (size_t i = 0; i < source->line_count; i++) {
		struct mm_loss *loss;

		line = &source->lines[i];
		line->hold_ns = INT64_MIN;
		loss = mm_source_add_loss(&source->base, line->stream->name, line->stream->cpu);
		if (!loss)
			return out_of_memory(err);
		note_requests(source, line->plan, loss);
		line->loss = (size_t)(loss - source->base.losses);
		line->last_ns = INT64_MIN;
	}
	return 0;
}

/* Finds the first of a stream's files from which packets are missing. */
static int find_missing(struct ctf_source *source, struct mm_error *err)
{
	if (mm_missing_find(&source->base, err))
		return -1;
	for (size_t i = 0; i < source->line_count && source->base.missing->count; i++) {
		struct line *line = &source->lines[i];
		const struct ctf_stream *stream = line->stream;

		for (size_t j = 0; j < stream->file_count && !line->missing; j++) {
			char *path = mm_path_absolute(stream->files[j].path);
			const struct mm_missing *missing =
				path ? mm_missing_of(&source->base, path) : NULL;

			if (missing && !missing->complete_stream)
				line->missing = missing;
			free(path);
			if (!path)
				return out_of_memory(err);
		}
	}
	return 0;
}

static void tell_starts(struct ctf_source *source)
{
	for (size_t i = 0; i < source->line_count && !source->base.options.only_state; i++) {
		const struct line *line = &source->lines[i];

		if (line->missing)
			mm_missing_report_start(&source->base, line->missing,
						&source->base.losses[line->loss], source->handler);
	}
}

/* Times of day refer to the day of the first packet. */
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

/* Does a file belong to the channel of @stream? LTTng names files CHANNEL_CPU. */
static bool is_of_channel(const char *file, const struct ctf_stream *stream)
{
	const char *name = stream->file_count ? stream->files[0].name : "";
	const char *number = strrchr(name, '_');
	size_t channel = number ? (size_t)(number + 1 - name) : 0;
	char cpu[16];

	snprintf(cpu, sizeof(cpu), "%" PRIu32, stream->cpu);
	return number && !strcmp(number + 1, cpu) && !strncmp(file, name, channel) &&
	       file[channel] && !file[channel + strspn(file + channel, "0123456789")];
}

/*
 * A stream whose file cannot be read may have had any event of its channel: the other streams of
 * the channel have its class. Without another stream, it may have had any event of the trace.
 */
static void note_trace_requests(const struct ctf_source *source, const struct ctf_trace *trace,
				const char *path, struct mm_loss *loss)
{
	const char *slash = strrchr(path, '/');
	bool found = false;

	for (size_t i = 0; i < trace->stream_count && ctf_class_is_lttng(trace->class); i++) {
		const struct ctf_stream *stream = &trace->streams[i];

		if (!is_of_channel(slash ? slash + 1 : path, stream))
			continue;
		note_requests(source, find_plan(source, stream->class), loss);
		found = true;
	}
	for (size_t i = 0; i < trace->class->stream_count && !found; i++)
		note_requests(source, find_plan(source, trace->class->streams[i]), loss);
}

static bool is_requested(const struct ctf_source *source, const struct mm_loss *loss)
{
	return !source->base.options.only_state || mm_loss_is_state(loss);
}

/*
 * Reports a file that ends in the header of its first packet, so that the whole stream is missing.
 */
static void report_truncated_file(struct ctf_source *source, struct mm_loss *loss)
{
	bool known = loss->missing;

	loss->packets_truncated++;
	loss->missing = true;
	loss->maybe = false;
	loss->lost_until_ns = INT64_MAX;
	if (!known && source->handler->lost)
		source->handler->lost(source->handler->user, loss, INT64_MIN);
}

/* Reports a file without a readable packet, so that the whole stream is missing. */
static void report_damaged_file(struct ctf_source *source, struct mm_loss *loss)
{
	loss->packets_damaged++;
	if (loss->missing || !source->handler->lost)
		return;
	loss->at_unknown_place = true;
	loss->lost_until_ns = INT64_MAX;
	source->handler->lost(source->handler->user, loss, INT64_MIN);
	loss->at_unknown_place = false;
}

/* Reports files without a readable packet as losses or damage, each of a separate stream. */
static int report_files(struct ctf_source *source, struct mm_error *err)
{
	for (size_t i = 0; i < source->trace_count; i++)
		for (size_t j = 0; j < source->traces[i]->finding_count; j++) {
			const struct ctf_finding *finding = &source->traces[i]->findings[j];
			char *path = mm_path_absolute(finding->file);
			char *message = ctf_damage_text(finding, "; the file is skipped");
			const struct mm_missing *missing =
				path ? mm_missing_of(&source->base, path) : NULL;
			struct mm_loss *loss = NULL;

			if (message && missing && missing->loss != SIZE_MAX)
				loss = &source->base.losses[missing->loss];
			else if (path && message)
				loss = mm_source_add_loss(&source->base, path, MM_CPU_UNKNOWN);
			if (loss)
				note_trace_requests(source, source->traces[i], finding->file, loss);
			if (loss && is_requested(source, loss)) {
				if (finding->truncated)
					report_truncated_file(source, loss);
				else
					report_damaged_file(source, loss);
				loss->damaged_since_ns = INT64_MIN;
				mm_source_damage(&source->base, source->handler, message,
						 finding->truncated);
			}
			free(path);
			free(message);
			if (!loss)
				return out_of_memory(err);
		}
	return 0;
}

/* Time goes backwards, so that the order of the stream's events is not known anywhere. */
static void report_backward(struct ctf_source *source, struct mm_loss *loss)
{
	loss->damaged_since_ns = INT64_MIN;
	source->base.backward = true;
	if (!source->handler->lost)
		return;
	loss->at_unknown_place = loss->backward = true;
	loss->lost_until_ns = INT64_MAX;
	loss->lost_events = UINT64_MAX;
	source->handler->lost(source->handler->user, loss, INT64_MIN);
	loss->at_unknown_place = loss->backward = false;
}

/* Reports, before the first event, the order in which packets are read, and its faults. */
static int report_order(struct ctf_source *source, struct mm_error *err)
{
	for (size_t i = 0; i < source->line_count; i++) {
		const struct ctf_stream *stream = source->lines[i].stream;
		struct mm_loss *loss = &source->base.losses[source->lines[i].loss];
		const char *const faults[] = { stream->backward, stream->foreign };
		char *order = ctf_stream_order_text(stream);

		for (size_t j = 0; j < 2 && is_requested(source, loss); j++) {
			if (faults[j])
				mm_source_damage(&source->base, source->handler, faults[j], false);
		}
		/* The packets that they replaced may be from any time. */
		if (stream->foreign && is_requested(source, loss))
			loss->packets_damaged += stream->foreign_count;
		if (stream->backward && is_requested(source, loss)) {
			loss->packets_damaged += stream->backward_count;
			report_backward(source, loss);
		}
		if (ctf_stream_is_sorted(stream) && is_requested(source, loss) &&
		    (!order || mm_source_note(&source->base, source->handler, order))) {
			free(order);
			return out_of_memory(err);
		}
		free(order);
	}
	source->base.announced_count = source->base.damage_count;
	return 0;
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
 * Packets without a start timestamp need the previous packet's clock value, so such a stream has a
 * single lane.
 */
static bool can_split(const struct line *line)
{
	const struct ctf_stream_class *class = line->stream->class;

	return !class->clock || has_role(class->packet_context, CTF_ROLE_TIME);
}

static bool is_state(const struct ctf_source *source, const struct line *line)
{
	return mm_loss_is_state(&source->base.losses[line->loss]);
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
		return out_of_memory(err);
	for (size_t i = 0; i < source->line_count; i++) {
		struct line *line = &source->lines[i];
		unsigned int count = can_split(line) ? lanes : 1;
		bool whole = is_state(source, line);

		if (!is_requested(source, &source->base.losses[line->loss]))
			continue;
		line->lanes = calloc(count, sizeof(*line->lanes));
		if (!line->lanes)
			return out_of_memory(err);
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
				return out_of_memory(err);
			ctf_pool_give(source->pool, &line->lanes[j % count], chunk);
		}
	}
	return 0;
}

/*
 * Reports damage in order with the events: either before or after those of its packet. Otherwise
 * the order would depend on the size of chunks, and therefore on the number of threads.
 */
static void report_damage(struct ctf_source *source, const struct ctf_chunk *chunk, bool in_events)
{
	for (const struct ctf_damage *damage = chunk->damage; damage; damage = damage->next)
		if (damage->note && !in_events)
			mm_source_note(&source->base, source->handler, damage->message);
		else if (damage->in_events == in_events)
			mm_source_damage(&source->base, source->handler, damage->message,
					 damage->truncated);
}

static void hold(struct line *line, int64_t time_ns)
{
	if (line->hold_ns < time_ns)
		line->hold_ns = time_ns;
}

static void report_loss(struct ctf_source *source, struct line *line)
{
	struct mm_loss *loss = &source->base.losses[line->loss];
	const struct ctf_packet *packet = &line->chunk->packet;

	line->loss_waits = false;
	loss->uncertain = false;
	loss->lost_events = packet->lost_events;
	if (packet->flags & CTF_PACKET_WITHOUT_COUNT) {
		loss->uncertain = !packet->lost_packets;
		loss->packets_without_count++;
		loss->lost_events = UINT64_MAX;
	}
	loss->events_discarded += packet->lost_events;
	loss->packets_lost += packet->lost_packets;
	loss->lost_until_ns = packet->end_ns;
	loss->lost_packets_until_ns = INT64_MIN;
	if (packet->lost_packets)
		loss->lost_packets_until_ns =
			packet->flags & CTF_PACKET_HAS_BEGIN ? packet->begin_ns : packet->end_ns;
	/* Lost packets are between the packets around them; events may be lost in this one, too. */
	if (packet->lost_packets && !loss->lost_events)
		loss->lost_until_ns = loss->lost_packets_until_ns;
	if (source->handler->lost)
		source->handler->lost(source->handler->user, loss, packet->lost_since_ns);
}

/*
 * Is the chunk's first event earlier than the stream's last one? Chunks report events that go back
 * within a packet.
 */
static bool goes_back(const struct line *line, const struct ctf_chunk *chunk)
{
	const uint32_t quirks = ctf_trace_private(line->stream->trace)->quirks;

	return chunk->count && chunk->begins_packet && chunk->events[0].time_ns < line->last_ns &&
	       line->stream->order != CTF_ORDER_NONE && line->stream->class->clock &&
	       !(quirks & CTF_QUIRK_EVENT_BEFORE_PACKET);
}

static int report_late(struct ctf_source *source, const struct line *line,
		       const struct ctf_chunk *chunk)
{
	const struct ctf_packet *packet = &chunk->packet;
	const struct ctf_finding finding = {
		.file = packet->file->path,
		.packet = packet->number,
		.offset = packet->offset + chunk->places[0].at / 8,
		.what = "an event is earlier than the last event of the previous packet",
	};
	char *message = ctf_damage_text(&finding, "; times are wrong here");

	if (!message)
		return -1;
	source->base.disordered = true;
	source->base.losses[line->loss].packets_damaged++;
	mm_source_damage(&source->base, source->handler, message, false);
	report_backward(source, &source->base.losses[line->loss]);
	free(message);
	return 0;
}

/*
 * Reports an unknown number of unreadable events between the last delivered event and the next
 * packet or the end of the stream.
 */
static void report_unreadable(struct ctf_source *source, struct line *line,
			      const struct ctf_chunk *next)
{
	struct mm_loss *loss = &source->base.losses[line->loss];
	const struct mm_source_options *options = &source->base.options;
	int64_t until_ns = INT64_MAX;

	if (line->ends_damaged && !next->follows_damage)
		until_ns = line->damaged_until_ns;
	if (until_ns == INT64_MAX && next->has_packet)
		until_ns = next->packet.flags & CTF_PACKET_HAS_BEGIN ? next->packet.begin_ns
								     : next->last_ns;
	line->ends_damaged = false;
	if (!mm_loss_is_state(loss) &&
	    (line->last_ns > options->end_ns || until_ns < options->begin_ns))
		return;
	if (loss->damaged_since_ns == INT64_MAX)
		loss->damaged_since_ns = line->last_ns;
	if (!source->handler->lost)
		return;
	loss->uncertain = false;
	loss->at_unknown_place = line->last_ns == INT64_MIN || until_ns == INT64_MAX;
	loss->lost_events = UINT64_MAX;
	loss->lost_packets_until_ns = INT64_MIN;
	loss->lost_until_ns = until_ns;
	source->handler->lost(source->handler->user, loss, line->last_ns);
	loss->at_unknown_place = false;
}

/* Updates the stream's state after the last event of a chunk. */
static void pass_chunk(struct line *line, const struct ctf_chunk *chunk)
{
	const struct ctf_packet *packet = &chunk->packet;

	if (!chunk->has_packet)
		return;
	if (chunk->last_ns > line->last_ns)
		line->last_ns = chunk->last_ns;
	line->ends_damaged = chunk->ends_damaged;
	if (line->ends_damaged)
		line->damaged_until_ns =
			(packet->flags & CTF_PACKET_HAS_END) && !(packet->flags & CTF_PACKET_CUT)
				? packet->end_ns
				: INT64_MAX;
}

/*
 * Reports the loss at the end of a stream, once all earlier events of the others have been
 * delivered.
 */
static void report_end(struct ctf_source *source, struct line *line)
{
	line->is_over = false;
	mm_missing_report_end(&source->base, line->missing, &source->base.losses[line->loss],
			      source->handler);
	ctf_chunk_destroy(line->chunk);
	line->chunk = NULL;
}

/* Are events of a packet damaged, or outside of its time range? */
static bool is_suspect(const struct ctf_chunk *chunk)
{
	if (chunk->doubtful)
		return true;
	if (!chunk->has_packet || chunk->packet.file->sums)
		return false;
	return chunk->disordered ||
	       (chunk->ends_damaged && !(chunk->packet.flags & CTF_PACKET_CUT));
}

/*
 * Releases the stream's chunk and takes the next one with an event or a loss; line->chunk is NULL
 * at the end. Returns 0, or -1 with @err set.
 */
static int next_chunk(struct ctf_source *source, struct line *line, struct mm_error *err)
{
	struct mm_loss *loss = &source->base.losses[line->loss];

	for (;;) {
		struct ctf_lane *lane = &line->lanes[line->lane];
		struct ctf_chunk *chunk = line->chunk;

		if (chunk) {
			bool ended = chunk->ends_stream;

			report_damage(source, chunk, true);
			pass_chunk(line, chunk);
			if (chunk->has_packet && chunk->done_to > chunk->done_from)
				ctf_map_done(chunk->packet.file->map,
					     chunk->packet.offset + chunk->done_from,
					     chunk->done_to - chunk->done_from);
			if (chunk->has_packet && chunk->ends_packet) {
				if ((chunk->packet.flags & CTF_PACKET_HAS_END) &&
				    !(chunk->packet.flags & CTF_PACKET_END_DERIVED) &&
				    chunk->packet.end_ns != INT64_MAX)
					hold(line, chunk->packet.end_ns);
				if (++line->lane == line->lane_count)
					line->lane = 0;
			}
			line->chunk = NULL;
			if (ended) {
				line->is_over = line->missing;
				if (line->is_over)
					line->chunk = chunk;
				else
					ctf_chunk_destroy(chunk);
				return 0;
			}
			ctf_pool_give(source->pool, lane, chunk);
			lane = &line->lanes[line->lane];
		}
		chunk = line->chunk = ctf_pool_take(source->pool, lane);
		if (chunk->error.code) {
			*err = chunk->error;
			return -1;
		}
		if (line->ends_damaged || chunk->follows_damage)
			report_unreadable(source, line, chunk);
		if (__builtin_expect(goes_back(line, chunk), 0) && report_late(source, line, chunk))
			return out_of_memory(err);
		source->base.event_count += chunk->unwanted + chunk->count;
		if (mm_loss_is_state(loss))
			source->base.state_event_count += chunk->unwanted + chunk->count;
		source->base.disordered |= chunk->disordered;
		source->base.suspect |= is_suspect(chunk);
		loss->packets_truncated += chunk->packets_truncated;
		loss->packets_damaged += chunk->packets_damaged;
		report_damage(source, chunk, false);
		if (chunk->goes_back)
			report_backward(source, loss);
		if (chunk->has_packet && chunk->begins_packet) {
			if (loss->begin_ns == INT64_MIN)
				loss->begin_ns = chunk->packet.begin_ns;
			loss->end_ns = chunk->packet.end_ns;
			loss->cpu = chunk->packet.cpu;
			line->loss_waits = ctf_packet_has_loss(&chunk->packet);
		}
		line->loss_waits |= chunk->reports_loss;
		if (line->loss_waits || chunk->count)
			return 0;
	}
}

/* The next events of a stream in the merge. */
struct head {
	const struct mm_event *next, *end; /* NULL: the stream has ended, or a loss is next */
	struct line *line;
};

/* All streams that are merged at the same time, in the order of their ranks. */
struct heads {
	struct head *heads;
	size_t count;
	struct ctf_merge merge;
};

/*
 * Prepares the stream's next item, and returns the timestamp from which it may be delivered. (An
 * event with an earlier timestamp than its predecessor in the stream needs no special care, since
 * the predecessor was the earliest item when it was delivered.)
 */
static int64_t prepare(struct head *head)
{
	const struct line *line = head->line;
	int64_t time_ns;

	head->next = head->end = NULL;
	if (!line->chunk)
		return CTF_MERGE_OVER;
	if (line->is_over)
		return line->hold_ns;
	if (line->loss_waits) {
		time_ns = line->chunk->packet.lost_since_ns;
	} else {
		head->next = line->chunk->events;
		head->end = head->next + line->chunk->count;
		time_ns = head->next->time_ns;
	}
	return time_ns < line->hold_ns ? line->hold_ns : time_ns;
}

/*
 * Called when the first stream in the merge has no event ready. Updates *@first to the stream that
 * is really next, or to their number if all have ended. Returns 1 after reporting a loss, 0 if the
 * next item is an event, or -1 with @err set.
 */
static int turn_to_rare(struct ctf_source *source, struct heads *heads, size_t *first,
			struct mm_error *err)
{
	struct line *line;

	/* If a stream that has ended comes first, all others have the same key. */
	while (*first < heads->count && !heads->heads[*first].line->chunk)
		++*first;
	if (*first == heads->count || heads->heads[*first].next)
		return 0;
	line = heads->heads[*first].line;
	if (line->is_over) {
		report_end(source, line);
	} else {
		report_loss(source, line);
		if (!line->chunk->count && next_chunk(source, line, err))
			return -1;
	}
	ctf_merge_set(&heads->merge, *first, prepare(&heads->heads[*first]));
	return 1;
}

/*
 * Delivers all items. @width: limit on the number of streams in the only group; 0: several groups.
 */
static inline __attribute__((always_inline)) int
run_heads(struct ctf_source *source, struct heads *heads, unsigned int width, struct mm_error *err)
{
	int (*const handle)(void *user, const struct mm_event *event, struct mm_error *err) =
		source->handler->event;
	void *const user = source->handler->user;
	int64_t *const keys = heads->merge.keys[0];

	for (;;) {
		size_t first =
			width ? ctf_merge_smallest(keys, width) : ctf_merge_first(&heads->merge);
		struct head *head = &heads->heads[first];
		const struct mm_event *event = head->next;
		int64_t key;

		if (__builtin_expect(!event, 0)) {
			int reported = turn_to_rare(source, heads, &first, err);

			if (reported < 0 || first == heads->count)
				return reported;
			if (reported)
				continue;
			head = &heads->heads[first];
			event = head->next;
		}
		if (handle(user, event, err))
			return -1;
		if (__builtin_expect(++event == head->end, 0)) {
			if (next_chunk(source, head->line, err))
				return -1;
			key = prepare(head);
		} else {
			head->next = event;
			key = event->time_ns;
		}
		if (width)
			keys[first] = key;
		else
			ctf_merge_set(&heads->merge, first, key);
	}
}

/*
 * Up to which timestamp the events of the first stream precede all items of the others: of equal
 * ones, those of the stream with the lower index come first.
 */
static int64_t find_limit(struct heads *heads, size_t first)
{
	size_t second;
	int64_t key;

	ctf_merge_set(&heads->merge, first, CTF_MERGE_OVER);
	second = ctf_merge_first(&heads->merge);
	key = heads->merge.keys[0][second];
	return second < first ? key - 1 : key;
}

/* As run_heads(), in runs of one class. */
static int run_runs(struct ctf_source *source, struct heads *heads, struct mm_error *err)
{
	const struct mm_handler *handler = source->handler;

	for (;;) {
		size_t first = ctf_merge_first(&heads->merge);
		const struct mm_event *event = heads->heads[first].next, *start;
		struct head *head;
		int64_t limit;

		if (!event) {
			int reported = turn_to_rare(source, heads, &first, err);

			if (reported < 0 || first == heads->count)
				return reported;
			if (reported)
				continue;
		}
		head = &heads->heads[first];
		start = event = head->next;
		limit = find_limit(heads, first);
		do
			event++;
		while (event != head->end && event->time_ns <= limit && event->type == start->type);
		if (handler->events(handler->user, start->type, start, (size_t)(event - start),
				    err))
			return -1;
		head->next = event;
		if (event != head->end) {
			ctf_merge_set(&heads->merge, first, event->time_ns);
			continue;
		}
		if (next_chunk(source, head->line, err))
			return -1;
		ctf_merge_set(&heads->merge, first, prepare(head));
	}
}

/* Selects the shortest search that covers all streams, so that its length is constant. */
static int run_width(struct ctf_source *source, struct heads *heads, struct mm_error *err)
{
	if (source->handler->events)
		return run_runs(source, heads, err);
	if (heads->count <= 1)
		return run_heads(source, heads, 1, err);
	if (heads->count == 2)
		return run_heads(source, heads, 2, err);
	if (heads->count <= 4)
		return run_heads(source, heads, 4, err);
	if (heads->count <= CTF_MERGE_GROUP)
		return run_heads(source, heads, CTF_MERGE_GROUP, err);
	return run_heads(source, heads, 0, err);
}

/* Delivers the @count lines from @lines on that are of state streams, or all others. */
static int run_lines(struct ctf_source *source, struct line *lines, size_t count, bool state,
		     struct mm_error *err)
{
	struct heads heads = { .heads = calloc(count + CTF_MERGE_GROUP, sizeof(*heads.heads)) };
	int ret = -1;

	for (size_t i = 0; i < count && heads.heads; i++)
		if (is_state(source, &lines[i]) == state)
			heads.heads[heads.count++].line = &lines[i];
	if (!heads.heads || ctf_merge_init(&heads.merge, heads.count)) {
		out_of_memory(err);
		goto end;
	}
	for (size_t i = 0; i < heads.count; i++) {
		if (next_chunk(source, heads.heads[i].line, err))
			goto end;
		ctf_merge_set(&heads.merge, i, prepare(&heads.heads[i]));
	}
	ret = run_width(source, &heads, err);
end:
	ctf_merge_release(&heads.merge);
	free(heads.heads);
	return ret;
}

static int run_all(struct ctf_source *source, struct mm_error *err)
{
	struct line *lines = source->lines;
	const size_t count = source->line_count;

	for (size_t i = 0; i < count && source->base.options.by_packet; i++)
		if (run_lines(source, &lines[i], 1, is_state(source, &lines[i]), err))
			return -1;
	if (source->base.options.by_packet)
		return 0;
	return run_lines(source, lines, count, true, err) ||
	       (!source->base.options.only_state && run_lines(source, lines, count, false, err));
}

static void release_lines(struct ctf_source *source)
{
	ctf_pool_destroy(source->pool);
	source->pool = NULL;
	for (size_t i = 0; i < source->line_count && source->lines; i++) {
		struct line *line = &source->lines[i];
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
	      report_order(source, err) || mm_missing_report(base, requests, handler, err) ||
	      report_files(source, err);
	if (!ret) {
		source->handler = mm_pauses_begin(&source->pauses, base, handler);
		ret = make_lanes(source, err);
	}
	if (!ret) {
		tell_starts(source);
		ret = run_all(source, err) || mm_pauses_end(&source->pauses, err);
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

/* An error while opening is reported when it runs. */
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

bool ctf_event_of(const struct mm_event *event, struct ctf_event *native)
{
	const struct ctf_place *place = event->native;
	const struct ctf_class_plan *class;

	if (event->source->ops != &source_ops)
		return false;
	class = caa_container_of(event->type, const struct ctf_class_plan, type);
	*native = (struct ctf_event){ .packet = place->packet,
				      .class = class->class,
				      .at = place->at,
				      .body = place->body,
				      .clock = place->clock,
				      .outer = class->outer };
	return true;
}

struct mm_source *mm_ctf_source_create(struct mm_error *err)
{
	struct ctf_source *source = calloc(1, sizeof(*source));

	if (!source) {
		out_of_memory(err);
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
	out_of_memory(err);
	mm_source_destroy(source);
	return NULL;
}
