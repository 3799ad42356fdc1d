// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sorts the packets of a stream if they are not in time order.
 *
 * Example: the raw dump of a ring buffer has packets with the sequence numbers 5 6 7 3 4. They are
 * read in the order 3 4 5 6 7. If the clock went backwards (after the migration of a virtual
 * machine, for example), sorting does not help. The stream is then damaged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/packet-read.h"
#include "util/plural.h"

/* Smaller files remain mapped while their packet headers are read. */
#define SMALL_FILE (UINT64_C(16) << 20)

/* The previous packet, for the check of the packet order. */
struct previous_packet {
	bool any, has_seq;
	bool timed; /* timestamps have 64 bits; narrower ones wrap and are not compared */
	uint64_t end, seq;
};

/* Is the next packet in order? Returns false if this fast check cannot decide. */
static bool follows(struct previous_packet *previous, const struct ctf_packet_plan *plan,
		    uint64_t begin, uint64_t end, bool has_seq, uint64_t seq)
{
	uint64_t step;

	if (previous->timed) {
		if (end < begin || (previous->any && begin < previous->end))
			return false;
	} else if (previous->any && has_seq && previous->has_seq &&
		   (!ctf_counter_step(previous->seq, seq, plan->seq_width, &step) || !step)) {
		return false;
	}
	previous->any = true;
	previous->end = end;
	previous->has_seq = has_seq;
	previous->seq = seq;
	return true;
}

/*
 * Are the packets of @file in order, according to their headers? The index does not show this,
 * because it stays unchanged when packets are damaged or moved.
 */
static bool is_file_ordered(struct previous_packet *previous, const struct ctf_packet_plan *plan,
			    const struct ctf_stream *stream, const struct ctf_file *file,
			    uint64_t *slots)
{
	const uint32_t times = CTF_ROLE_TIME | CTF_ROLE_PACKET_END_TIME;
	uint64_t size = ctf_map_size(file->map), spent = 0;

	for (uint64_t at = 0; at < size;) {
		struct ctf_packet_head head;
		uint64_t bytes;

		if (ctf_packet_head_read(stream->trace, plan, file->map, at, &spent, slots,
					 &head) ||
		    head.mismatch || ctf_map_truncated(file->map))
			return false;
		if (previous->timed && (head.header.have & times) != times)
			return false;
		bytes = head.size_bits == UINT64_MAX ? size - at : head.size_bits / 8;
		if (bytes > size - at ||
		    !follows(previous, plan, ctf_header_value(&head.header, CTF_ROLE_TIME),
			     ctf_header_value(&head.header, CTF_ROLE_PACKET_END_TIME),
			     head.header.have & CTF_ROLE_PACKET_SEQ,
			     ctf_header_value(&head.header, CTF_ROLE_PACKET_SEQ)))
			return false;
		if (size > SMALL_FILE)
			ctf_map_done(file->map, at, bytes);
		at += bytes;
	}
	return true;
}

static bool has_wide_times(const struct ctf_stream *stream, const struct ctf_packet_plan *plan)
{
	return stream->class->clock && plan->has_begin && plan->begin_width >= 64 &&
	       plan->end_width >= 64;
}

/* Fast check for the usual case that all packets are in order. */
static bool is_ordered(const struct ctf_stream *stream, const struct ctf_packet_plan *plan,
		       uint64_t *slots)
{
	struct previous_packet previous = { .timed = has_wide_times(stream, plan) };

	/*
	 * With this quirk, the end of each packet is derived from the next packet. The fast check
	 * does not do this.
	 */
	if (ctf_trace_private(stream->trace)->quirks & CTF_QUIRK_EVENT_AFTER_PACKET)
		return false;
	/*
	 * If there are no end timestamps, the last packet ends at its last event, so the slow path
	 * must find it.
	 */
	if (stream->class->clock && plan->has_begin && !plan->has_end)
		return false;
	for (size_t i = 0; i < stream->file_count; i++)
		if (!is_file_ordered(&previous, plan, stream, &stream->files[i], slots))
			return false;
	return true;
}

struct sortable_packet {
	struct ctf_packet_ref ref;
	const uint8_t *data;
	uint64_t size_bits;
	uint64_t place; /* index in the order of the files */
	/* index in the new order; a copy has the rank of the packet before it in the file */
	uint64_t rank;
	uint32_t flags;
	uint64_t begin, end, seq; /* narrow timestamps are extended in file order */
};

/* A survey of a stream's packets, in the order in which they are currently read. */
struct order_survey {
	struct ctf_stream *stream;
	const struct ctf_packet_plan *plan;
	bool unsortable; /* packets are damaged, so do not sort the stream */
	bool numbers_go_back, failed;
	bool any;
	uint64_t seq;
	uint32_t flags;
	int64_t first_ns; /* the earliest start of a packet */
	uint64_t count;
	struct ctf_packet last;
};

static void keep_text(struct order_survey *look, char **text, const struct ctf_finding *finding)
{
	if (*text || look->failed)
		return;
	if (asprintf(text, "trace: %s: packet %" PRIu64 ", byte %" PRIu64 ": %s", finding->file,
		     finding->packet, finding->offset, finding->what) < 0) {
		*text = NULL;
		look->failed = true;
	}
}

static void found(void *user, const struct ctf_finding *finding)
{
	struct order_survey *look = user;

	if (finding->foreign) {
		look->stream->foreign_count++;
		keep_text(look, &look->stream->foreign, finding);
	} else if (finding->backward) {
		look->stream->backward_count++;
		keep_text(look, &look->stream->backward, finding);
	} else {
		look->unsortable |= finding->skipped || finding->truncated;
	}
}

static void look_at(struct order_survey *look, const struct ctf_packet *packet)
{
	uint64_t step;

	if (look->any && !(packet->flags & CTF_PACKET_UNNUMBERED) &&
	    (look->flags & packet->flags & CTF_PACKET_HAS_SEQ) &&
	    (!ctf_counter_step(look->seq, packet->seq, look->plan->seq_width, &step) || !step))
		look->numbers_go_back = true;
	if ((packet->flags & CTF_PACKET_HAS_BEGIN) && packet->begin_ns < look->first_ns)
		look->first_ns = packet->begin_ns;
	look->any = true;
	look->seq = packet->seq;
	look->flags = packet->flags;
	look->last = *packet;
	look->count++;
	ctf_map_done(packet->file->map, packet->offset, packet->size_bits / 8);
}

static int walk(struct order_survey *look, uint64_t *slots, struct sortable_packet *items,
		struct mm_error *err)
{
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	uint64_t count = 0;
	int ret;

	ctf_packet_iterator_init(&iterator, look->stream, slots);
	iterator.finding = items ? NULL : found;
	iterator.user = look;
	while ((ret = ctf_packet_next(&iterator, &packet, err)) > 0) {
		if (!items) {
			look_at(look, &packet);
		} else if (count < look->count) {
			items[count] = (struct sortable_packet){
				.ref = { packet.offset, packet.number,
					 (uint32_t)(packet.file - look->stream->files),
					 CTF_NO_COPY },
				.data = packet.data,
				.size_bits = packet.size_bits,
				.place = count,
				.flags = packet.flags,
				.begin = packet.begin,
				.end = packet.end,
				.seq = packet.seq,
			};
			count++;
			ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
		}
	}
	if (items)
		look->count = count;
	return ret;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const struct sortable_packet *a, const struct sortable_packet *b)
{
	return compare(a->place, b->place);
}

static int by_sequence(const void *a, const void *b)
{
	int order = compare(((const struct sortable_packet *)a)->seq,
			    ((const struct sortable_packet *)b)->seq);

	return order ? order : by_place(a, b);
}

static int by_begin(const void *a, const void *b)
{
	int order = compare(((const struct sortable_packet *)a)->begin,
			    ((const struct sortable_packet *)b)->begin);

	return order ? order : by_place(a, b);
}

/* qsort() comparison that places the copies of a packet next to each other. */
static int by_identity(const void *a, const void *b)
{
	const struct sortable_packet *x = a, *y = b;
	int order = compare(x->seq, y->seq);

	order = order ? order : compare(x->begin, y->begin);
	order = order ? order : compare(x->end, y->end);
	return order ? order : by_place(x, y);
}

/* qsort() comparison that sorts originals (in file order) before copies. */
static int by_originality(const void *a, const void *b)
{
	const struct sortable_packet *x = a, *y = b;
	int order = (x->ref.copy_of != CTF_NO_COPY) - (y->ref.copy_of != CTF_NO_COPY);

	return order ? order : by_place(x, y);
}

static int by_rank(const void *a, const void *b)
{
	int order = compare(((const struct sortable_packet *)a)->rank,
			    ((const struct sortable_packet *)b)->rank);

	return order ? order : by_place(a, b);
}

static bool is_copy(const struct sortable_packet *item, const struct sortable_packet *of)
{
	const uint32_t all = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END | CTF_PACKET_HAS_SEQ;

	return (item->flags & of->flags & all) == all && item->seq == of->seq &&
	       item->begin == of->begin && item->end == of->end && item->ref.file == of->ref.file &&
	       item->size_bits == of->size_bits &&
	       !memcmp(item->data, of->data, item->size_bits / 8);
}

/* Moves copies of earlier packets to the end of @items. Returns the number of originals. */
static size_t set_copies_aside(struct sortable_packet *items, size_t count)
{
	size_t originals = count ? 1 : 0, original = 0;

	qsort(items, count, sizeof(*items), by_identity);
	for (size_t i = 1; i < count; i++) {
		if (is_copy(&items[i], &items[original])) {
			items[i].ref.copy_of = items[original].ref.number;
		} else {
			original = i;
			originals++;
		}
	}
	qsort(items, count, sizeof(*items), by_originality);
	return originals;
}

static bool all_have(const struct sortable_packet *items, size_t count, uint32_t flag)
{
	for (size_t i = 0; i < count; i++)
		if (!(items[i].flags & flag))
			return false;
	return true;
}

/* Returns the largest step between consecutive numbers; 0 if a number occurs twice. */
static uint64_t find_largest_gap(const struct sortable_packet *items, size_t count)
{
	uint64_t largest = 1;

	for (size_t i = 1; i < count; i++) {
		uint64_t gap = items[i].seq - items[i - 1].seq;

		if (!gap)
			return 0;
		largest = gap > largest ? gap : largest;
	}
	return largest;
}

/* Counts the packets whose number is not higher than the previous packet's. */
static size_t count_returns(const struct sortable_packet *items, size_t count, unsigned int width)
{
	size_t returns = 0;
	uint64_t step;

	for (size_t i = 1; i < count; i++)
		returns += !ctf_counter_step(items[i - 1].seq, items[i].seq, width, &step) || !step;
	return returns;
}

/* Does any number exceed the previous packet's by more than one? */
static bool has_gaps(const struct sortable_packet *items, size_t count, unsigned int width)
{
	uint64_t step;

	for (size_t i = 1; i < count; i++)
		if (ctf_counter_step(items[i - 1].seq, items[i].seq, width, &step) && step > 1)
			return true;
	return false;
}

static bool is_monotonic(const struct sortable_packet *items, size_t count)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count; i++) {
		bool has_end = (items[i].flags & CTF_PACKET_HAS_END) &&
			       !(items[i].flags & CTF_PACKET_END_DERIVED);

		if (!(items[i].flags & CTF_PACKET_HAS_BEGIN))
			continue;
		if (items[i].begin < last || (has_end && items[i].end < items[i].begin))
			return false;
		last = has_end ? items[i].end : items[i].begin;
	}
	return true;
}

/* Counts how often timestamps of @width bits wrap between packets in this order. */
static size_t count_wraps(const struct sortable_packet *items, size_t count, unsigned int width)
{
	uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
	size_t wraps = 0;

	for (size_t i = 1; i < count; i++) {
		uint64_t last = items[i - 1].flags & CTF_PACKET_HAS_END ? items[i - 1].end
									: items[i - 1].begin;

		wraps += (items[i].begin & mask) < (last & mask);
	}
	return wraps;
}

/*
 * Sorts @items so that time is monotonic. Returns the order, or CTF_ORDER_NONE if no order is
 * accepted. The rules:
 *
 * - If sequence numbers rise in file order, do not sort: the order is right, and the clock went
 *   backwards.
 * - Sort by number only if this makes time monotonic, because a damaged header may have a wrong
 *   number. Timestamps of less than 64 bits must wrap less often than in file order. If there are
 *   no timestamps, no number may be missing.
 * - Sort by time only if the numbers do not step back more often than in file order. If they step
 *   back equally often, a tracer may have restarted its numbers, and then no number may be missing.
 */
static enum ctf_order sort_items(const struct order_survey *look, struct sortable_packet *items,
				 size_t count)
{
	const struct ctf_packet_plan *plan = look->plan;
	bool timed = has_wide_times(look->stream, plan);
	bool narrow = !timed && look->stream->class->clock && plan->has_begin;
	bool numbered = all_have(items, count, CTF_PACKET_HAS_SEQ);
	size_t wraps = narrow ? count_wraps(items, count, plan->begin_width) : 0;
	size_t returns = count_returns(items, count, plan->seq_width), then;
	uint64_t gap;

	if (numbered && !look->numbers_go_back)
		return CTF_ORDER_NONE;
	if (numbered) {
		qsort(items, count, sizeof(*items), by_sequence);
		gap = find_largest_gap(items, count);
		if (gap && (timed    ? is_monotonic(items, count)
			    : narrow ? count_wraps(items, count, plan->begin_width) < wraps
				     : gap == 1))
			return CTF_ORDER_SEQUENCE;
	}
	if (!timed || !all_have(items, count, CTF_PACKET_HAS_BEGIN))
		return CTF_ORDER_NONE;
	qsort(items, count, sizeof(*items), by_begin);
	then = count_returns(items, count, plan->seq_width);
	/* Numbers that never rise (all zeros, for example) are meaningless. */
	if (numbered && returns + 1 < count &&
	    (then > returns || (then == returns && has_gaps(items, count, plan->seq_width))))
		return CTF_ORDER_NONE;
	return is_monotonic(items, count) ? CTF_ORDER_BEGIN : CTF_ORDER_NONE;
}

/*
 * Sorts all items; the originals are already sorted. A copy stays after the packet that precedes it
 * in the file, because the copy may have replaced the next packet.
 */
static int put_copies_back(struct sortable_packet *items, size_t count, size_t originals)
{
	uint64_t *ranks = calloc(count + 1, sizeof(*ranks)), rank = 0; /* ranks, indexed by place */

	if (!ranks)
		return -1;
	for (size_t i = 0; i < originals; i++)
		ranks[items[i].place] = i + 1;
	for (size_t i = 0; i < count; i++)
		ranks[i] = rank = ranks[i] ? ranks[i] : rank;
	for (size_t i = 0; i < count; i++)
		items[i].rank = ranks[items[i].place];
	qsort(items, count, sizeof(*items), by_rank);
	free(ranks);
	return 0;
}

/* Stores the copies of a stream that stays unsorted because packets are damaged. */
static int keep_copies(struct ctf_stream *stream, const struct sortable_packet *items, size_t count)
{
	stream->copies = calloc(count + 1, sizeof(*stream->copies));
	if (!stream->copies)
		return -1;
	for (size_t i = 0; i < count; i++)
		stream->copies[i] = items[i].ref;
	stream->copy_count = count;
	qsort(stream->copies, count, sizeof(*stream->copies), ctf_packet_ref_compare);
	return 0;
}

static int sort_packets(struct order_survey *look, uint64_t *slots, struct mm_error *err)
{
	struct ctf_stream *stream = look->stream;
	struct sortable_packet *items = calloc(look->count + 1, sizeof(*items));
	size_t originals;
	int ret = -1;

	if (!items)
		return -1;
	if (walk(look, slots, items, err))
		goto end;
	originals = set_copies_aside(items, look->count);
	if (look->unsortable) {
		ret = keep_copies(stream, items + originals, look->count - originals);
		goto end;
	}
	if (originals < look->count && is_monotonic(items, originals))
		stream->order = CTF_ORDER_FILE;
	else
		stream->order = sort_items(look, items, originals);
	ret = 0;
	if (stream->order == CTF_ORDER_NONE)
		goto end;
	stream->refs = calloc(look->count + 1, sizeof(*stream->refs));
	if (!stream->refs || put_copies_back(items, look->count, originals)) {
		ret = -1;
		goto end;
	}
	for (size_t i = 0; i < look->count; i++)
		stream->refs[i] = items[i].ref;
	stream->ref_count = look->count;
end:
	free(items);
	return ret;
}

/*
 * Repeats the survey in the new order. Replaces the findings of the first survey, and finds the
 * last packet.
 */
static int look_again(struct order_survey *look, uint64_t *slots, struct mm_error *err)
{
	struct ctf_stream *stream = look->stream;

	free(stream->backward);
	stream->backward = NULL;
	stream->backward_count = 0;
	/*
	 * If the stream has @copies, it stays unsorted, and the survey finds the packets of other
	 * traces again. Drop the first survey's message about these packets.
	 */
	if (stream->copy_count) {
		free(stream->foreign);
		stream->foreign = NULL;
		stream->foreign_count = 0;
	}
	*look = (struct order_survey){ .stream = stream,
				       .plan = look->plan,
				       .first_ns = INT64_MAX };
	return walk(look, slots, NULL, err);
}

/* Appends the number of affected packets to a message. */
static int extend_text(char **text, uint64_t count, const char *one, const char *many)
{
	char *raw = *text;

	if (!raw)
		return 0;
	if (asprintf(text, "%s; %" PRIu64 " %s", raw, count, mm_plural(count, one, many)) < 0)
		*text = NULL;
	free(raw);
	return *text ? 0 : -1;
}

static int finish_texts(struct ctf_stream *stream)
{
	return extend_text(
		       &stream->foreign, stream->foreign_count,
		       "packet of the file belongs to another trace and is skipped: copy the trace again",
		       "packets of the file belong to another trace and are skipped: copy the trace again") ||
			       extend_text(
				       &stream->backward, stream->backward_count,
				       "packet of the stream goes back in time, and no order of the packets makes time monotonic: times before it cannot be compared with times after it",
				       "packets of the stream go back in time, and no order of the packets makes time monotonic: times before such a packet cannot be compared with times after it")
		       ? -1
		       : 0;
}

/* Stores the last packet if its end is missing and must be derived from its last event. */
static int keep_last(struct order_survey *look)
{
	const uint32_t times = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;

	if (!look->any || (look->last.flags & times) != CTF_PACKET_HAS_BEGIN)
		return 0;
	look->stream->open_end = malloc(sizeof(look->last));
	if (!look->stream->open_end)
		return -1;
	*look->stream->open_end = look->last;
	return 0;
}

/* Uses the recorded order if packets were moved and time is monotonic in that order. */
static int order_recorded(struct order_survey *look, uint64_t *slots, struct mm_error *err)
{
	struct ctf_stream *stream = look->stream;
	const int ret = ctf_stream_order_recorded(stream);

	if (ret <= 0)
		return ret;
	if (walk(look, slots, NULL, err))
		return -1;
	if (!stream->backward_count)
		return 0;
	free(stream->refs);
	stream->refs = NULL;
	stream->ref_count = 0;
	stream->order = CTF_ORDER_FILE;
	free(stream->backward);
	stream->backward = NULL;
	stream->backward_count = 0;
	free(stream->foreign);
	stream->foreign = NULL;
	stream->foreign_count = 0;
	*look = (struct order_survey){ .stream = stream,
				       .plan = look->plan,
				       .first_ns = INT64_MAX };
	return 0;
}

static int order_stream(struct ctf_stream *stream, uint64_t *slots, struct mm_error *err)
{
	const struct ctf_packet_plan *plan = ctf_packet_plan_find(stream->trace, stream->class);
	struct order_survey look = { .stream = stream, .plan = plan, .first_ns = INT64_MAX };
	bool timed;

	if (order_recorded(&look, slots, err))
		return -1;
	if (stream->refs)
		return look.failed || finish_texts(stream) || keep_last(&look) ? -1 : 0;
	if (is_ordered(stream, plan, slots))
		return 0;
	if (walk(&look, slots, NULL, err))
		return -1;
	timed = has_wide_times(stream, plan);
	if (stream->backward_count)
		stream->order = CTF_ORDER_NONE;
	if ((stream->backward_count || (!look.unsortable && look.numbers_go_back && !timed)) &&
	    sort_packets(&look, slots, err))
		return -1;
	if ((stream->refs || stream->copy_count) && look_again(&look, slots, err))
		return -1;
	/* Time in file order is monotonic or unknown, so keep that order. */
	if (!stream->backward_count && !stream->refs)
		stream->order = CTF_ORDER_FILE;
	if (stream->order != CTF_ORDER_FILE && look.first_ns != INT64_MAX)
		stream->files[0].first_ns = look.first_ns;
	return look.failed || finish_texts(stream) || keep_last(&look) ? -1 : 0;
}

int ctf_trace_order_packets(struct ctf_trace *trace, struct mm_error *err)
{
	uint64_t *slots = calloc(trace->class->slot_count + 1, sizeof(*slots));
	int ret = slots ? 0 : -1;

	for (size_t i = 0; i < trace->stream_count && !ret; i++)
		ret = order_stream(&trace->streams[i], slots, err);
	free(slots);
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory",
				  trace->folder)
		   : 0;
}

void ctf_stream_release_order(struct ctf_stream *stream)
{
	free(stream->refs);
	free(stream->copies);
	free(stream->backward);
	free(stream->foreign);
	free(stream->open_end);
}
