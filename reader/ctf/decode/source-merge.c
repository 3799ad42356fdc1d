// SPDX-License-Identifier: LGPL-2.1-only
/* Merges the events of a source's streams in time order. */
#include "reader/ctf/decode/source-merge.h"

#include <stdlib.h>

#include "reader/ctf/decode/merge.h"
#include "reader/ctf/decode/pool.h"
#include "reader/ctf/decode/source-private.h"
#include "reader/ctf/decode/source-report.h"
#include "reader/ctf/packet/packet-read.h"

static void hold(struct ctf_line *line, int64_t time_ns)
{
	if (line->hold_ns < time_ns)
		line->hold_ns = time_ns;
}

/*
 * Is the chunk's first event earlier than the stream's last delivered event? (If time goes back
 * within a packet, the lane reports this.)
 */
static bool goes_back(const struct ctf_line *line, const struct ctf_chunk *chunk)
{
	const uint32_t quirks = ctf_trace_private(line->stream->trace)->quirks;

	return chunk->count && chunk->begins_packet && chunk->events[0].time_ns < line->last_ns &&
	       line->stream->order != CTF_ORDER_NONE && line->stream->class->clock &&
	       !(quirks & CTF_QUIRK_EVENT_BEFORE_PACKET);
}

static void pass_chunk(struct ctf_line *line, const struct ctf_chunk *chunk)
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

/* Are events of the chunk's packet damaged, or outside the packet's time range? */
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
 * Releases the stream's chunk, and takes the next chunk with an event or a loss. At the end of the
 * stream, line->chunk becomes NULL. Returns 0, or -1 with @err set.
 */
static int next_chunk(struct ctf_source *source, struct ctf_line *line, struct mm_error *err)
{
	struct mm_loss *loss = &source->base.losses[line->loss];

	for (;;) {
		struct ctf_lane *lane = &line->lanes[line->lane];
		struct ctf_chunk *chunk = line->chunk;

		if (chunk) {
			bool ended = chunk->ends_stream;

			ctf_report_damage(source, chunk, true);
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
			ctf_report_unreadable(source, line, chunk);
		if (__builtin_expect(goes_back(line, chunk), 0) &&
		    ctf_report_late(source, line, chunk))
			return ctf_source_no_memory(err);
		source->base.event_count += chunk->unwanted + chunk->count;
		if (mm_loss_is_state(loss))
			source->base.state_event_count += chunk->unwanted + chunk->count;
		source->base.disordered |= chunk->disordered;
		source->base.suspect |= is_suspect(chunk);
		loss->packets_truncated += chunk->packets_truncated;
		loss->packets_damaged += chunk->packets_damaged;
		ctf_report_damage(source, chunk, false);
		if (chunk->goes_back)
			ctf_report_backward(source, loss);
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

struct stream_head {
	const struct mm_event *next, *end; /* NULL: the stream has ended, or a loss is next */
	struct ctf_line *line;
};

/* All streams merged together, in the order of their ranks. */
struct merge_heads {
	struct stream_head *heads;
	size_t count;
	struct ctf_merge merge;
};

/*
 * Prepares the stream's next item: an event, a loss or the end of the stream. Returns the time at
 * which the merge may deliver the item.
 *
 * An event that goes back in time needs no special care. Its predecessor was the earliest item of
 * all streams, so this event is now the earliest one.
 */
static int64_t prepare(struct stream_head *head)
{
	const struct ctf_line *line = head->line;
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
 * Handles the case that the first stream in the merge has no event ready. Sets *@first to the
 * stream that is really next, or to the number of streams if all have ended. Returns 1 after
 * reporting a loss, 0 if the next item is an event, or -1 with @err set.
 */
static int turn_to_rare(struct ctf_source *source, struct merge_heads *heads, size_t *first,
			struct mm_error *err)
{
	struct ctf_line *line;

	/*
	 * An ended stream has the highest key. If it comes first, all keys are equal, and another
	 * stream with this key may still have items. Skip ended streams.
	 */
	while (*first < heads->count && !heads->heads[*first].line->chunk)
		++*first;
	if (*first == heads->count || heads->heads[*first].next)
		return 0;
	line = heads->heads[*first].line;
	if (line->is_over) {
		ctf_report_end(source, line);
	} else {
		ctf_report_loss(source, line);
		if (!line->chunk->count && next_chunk(source, line, err))
			return -1;
	}
	ctf_merge_set(&heads->merge, *first, prepare(&heads->heads[*first]));
	return 1;
}

/*
 * Delivers all items. @width: constant number of keys to compare, or 0 if the tree has several
 * groups.
 */
static inline __attribute__((always_inline)) int run_heads(struct ctf_source *source,
							   struct merge_heads *heads,
							   unsigned int width, struct mm_error *err)
{
	int (*const handle)(void *user, const struct mm_event *event, struct mm_error *err) =
		source->handler->event;
	void *const user = source->handler->user;
	int64_t *const keys = heads->merge.keys[0];

	for (;;) {
		size_t first =
			width ? ctf_merge_smallest(keys, width) : ctf_merge_first(&heads->merge);
		struct stream_head *head = &heads->heads[first];
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
 * Returns the latest time up to which all events of the first stream precede the items of the other
 * streams. With equal timestamps, the stream with the lower index comes first.
 */
static int64_t find_limit(struct merge_heads *heads, size_t first)
{
	size_t second;
	int64_t key;

	ctf_merge_set(&heads->merge, first, CTF_MERGE_OVER);
	second = ctf_merge_first(&heads->merge);
	key = heads->merge.keys[0][second];
	return second < first ? key - 1 : key;
}

/* Like run_heads(), but delivers several consecutive events of one class at once. */
static int run_runs(struct ctf_source *source, struct merge_heads *heads, struct mm_error *err)
{
	const struct mm_handler *handler = source->handler;

	for (;;) {
		size_t first = ctf_merge_first(&heads->merge);
		const struct mm_event *event = heads->heads[first].next, *start;
		struct stream_head *head;
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

/*
 * Merges all streams. Each call of run_heads() has a constant width, so that the inlined
 * ctf_merge_smallest() has no branch.
 */
static int run_width(struct ctf_source *source, struct merge_heads *heads, struct mm_error *err)
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

/* Delivers the streams of state dumps if @state is set, otherwise all other streams of @lines. */
static int run_lines(struct ctf_source *source, struct ctf_line *lines, size_t count, bool state,
		     struct mm_error *err)
{
	struct merge_heads heads = { .heads = calloc(count + CTF_MERGE_GROUP,
						     sizeof(*heads.heads)) };
	int ret = -1;

	for (size_t i = 0; i < count && heads.heads; i++)
		if (ctf_line_is_state(source, &lines[i]) == state)
			heads.heads[heads.count++].line = &lines[i];
	if (!heads.heads || ctf_merge_init(&heads.merge, heads.count)) {
		ctf_source_no_memory(err);
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

int ctf_source_deliver(struct ctf_source *source, struct mm_error *err)
{
	struct ctf_line *lines = source->lines;
	const size_t count = source->line_count;

	for (size_t i = 0; i < count && source->base.options.by_packet; i++)
		if (run_lines(source, &lines[i], 1, ctf_line_is_state(source, &lines[i]), err))
			return -1;
	if (source->base.options.by_packet)
		return 0;
	return run_lines(source, lines, count, true, err) ||
	       (!source->base.options.only_state && run_lines(source, lines, count, false, err));
}
