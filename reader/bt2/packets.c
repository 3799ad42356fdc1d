// SPDX-License-Identifier: LGPL-2.1-only
/* Handles the messages of packets, discarded events and discarded packets. */
#include "reader/bt2/packets.h"

#include "reader/bt2/events-private.h"
#include "reader/bt2/streams.h"
#include "reader/bt2/text.h"

/*
 * Reports a loss between two timestamps. Ignores a loss outside the requested time range. If both
 * counts are 0, an unknown number of events may have been discarded. Returns true if the loss was
 * reported.
 */
static bool report_loss(struct mm_bt2_events *events, struct mm_bt2_stream *stream,
			int64_t begin_ns, int64_t end_ns, uint64_t event_count,
			uint64_t packet_count)
{
	struct mm_loss *loss = &events->source->losses[stream->loss];

	if (!mm_loss_is_state(loss) && (begin_ns > events->source->options.end_ns ||
					end_ns < events->source->options.begin_ns))
		return false;
	loss->uncertain = !event_count && !packet_count;
	loss->events_discarded += event_count;
	loss->packets_lost += packet_count;
	loss->lost_until_ns = end_ns;
	loss->lost_events = loss->uncertain ? UINT64_MAX : event_count;
	loss->lost_packets_until_ns = packet_count ? end_ns : INT64_MIN;
	if (events->handler->lost)
		events->handler->lost(events->handler->user, loss, begin_ns);
	return true;
}

/*
 * Does the requested time range apply to the stream, and are the range's bounds already timestamps?
 */
static bool is_timed(const struct mm_bt2_events *events, const struct mm_bt2_stream *stream)
{
	return events->timed && events->resolved &&
	       !mm_loss_is_state(&events->source->losses[stream->loss]);
}

/*
 * If the packet at @begin_ns lacks a discarded-event count, returns the packet's end. Otherwise
 * returns @begin_ns.
 */
static int64_t uncounted_end(const struct mm_source *source, int64_t begin_ns)
{
	size_t low = 0, high = source->uncounted_count;

	/* Find the last packet that starts at or before @begin_ns. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (source->uncounted[middle].begin_ns <= begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && source->uncounted[low - 1].begin_ns == begin_ns
		       ? source->uncounted[low - 1].end_ns
		       : begin_ns;
}

/* Packets of a stream arrive in order, so only the first one sets the stream's start. */
enum mm_bt2_status mm_bt2_take_packet_beginning(struct mm_bt2_events *events,
						const bt_message *message, struct mm_error *err)
{
	const bt_packet *packet = bt_message_packet_beginning_borrow_packet_const(message);
	struct mm_bt2_stream *stream =
		mm_bt2_stream_of(events, bt_packet_borrow_stream_const(packet));
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	int64_t begin_ns = INT64_MIN;
	struct mm_loss *loss;
	struct mm_value cpu;

	if (!stream)
		return mm_bt2_no_memory(err);
	loss = &events->source->losses[stream->loss];
	if (stream->has_cpu && context) {
		mm_bt2_value(bt_field_structure_borrow_member_field_by_index_const(
				     context, stream->cpu_index),
			     &cpu);
		if (cpu.kind == MM_KIND_UNSIGNED && cpu.u < MM_CPU_UNKNOWN)
			stream->cpu = (uint32_t)cpu.u;
		if (loss->cpu == MM_CPU_UNKNOWN)
			loss->cpu = stream->cpu;
	}
	if (stream->counted)
		return MM_BT2_OK;
	if (bt_stream_class_packets_have_beginning_default_clock_snapshot(
		    bt_stream_borrow_class_const(stream->native)))
		begin_ns = mm_bt2_snapshot_ns(
			events,
			bt_message_packet_beginning_borrow_default_clock_snapshot_const(message),
			INT64_MIN);
	if (begin_ns != INT64_MIN && mm_bt2_note_time(events, stream, begin_ns, err))
		return MM_BT2_FAILED;
	stream->open = !is_timed(events, stream) || begin_ns <= events->source->options.end_ns;
	if (stream->open && loss->begin_ns == INT64_MIN) {
		loss->begin_ns = begin_ns;
		events->source->starts_noticed++;
	}
	/*
	 * If two packets in a row lack the count, libbabeltrace2 sends no message about the time
	 * between them. Report that events may be lost in this time.
	 */
	if (stream->again && !stream->has_count)
		loss->packets_without_count +=
			report_loss(events, stream, loss->end_ns,
				    uncounted_end(events->source, begin_ns), 0, 0);
	return MM_BT2_OK;
}

enum mm_bt2_status mm_bt2_take_packet_end(struct mm_bt2_events *events, const bt_message *message,
					  struct mm_error *err)
{
	const bt_packet *packet = bt_message_packet_end_borrow_packet_const(message);
	struct mm_bt2_stream *stream =
		mm_bt2_stream_of(events, bt_packet_borrow_stream_const(packet));
	int64_t end_ns = INT64_MAX;
	struct mm_loss *loss;

	if (!stream)
		return mm_bt2_no_memory(err);
	stream->has_count = false;
	if (stream->counted || !stream->open)
		return MM_BT2_OK;
	stream->open = false;
	if (!bt_stream_class_packets_have_end_default_clock_snapshot(
		    bt_stream_borrow_class_const(stream->native)))
		return MM_BT2_OK;
	end_ns = mm_bt2_snapshot_ns(
		events, bt_message_packet_end_borrow_default_clock_snapshot_const(message),
		INT64_MAX);
	loss = &events->source->losses[stream->loss];
	/* If the packet ends before the requested range, a later one may set the stream's start. */
	if (is_timed(events, stream) && end_ns < events->source->options.begin_ns)
		loss->begin_ns = INT64_MIN;
	else
		loss->end_ns = end_ns;
	return MM_BT2_OK;
}

enum mm_bt2_status mm_bt2_take_discarded_events(struct mm_bt2_events *events,
						const bt_message *message, struct mm_error *err)
{
	struct mm_bt2_stream *stream =
		mm_bt2_stream_of(events, bt_message_discarded_events_borrow_stream_const(message));
	int64_t begin_ns = INT64_MIN, end_ns = INT64_MAX;
	uint64_t count, early;

	if (!stream)
		return mm_bt2_no_memory(err);
	if (stream->counted)
		return MM_BT2_OK;
	/*
	 * Only the first packet's message has no count: the packet's counter includes all events
	 * discarded since the recording started. The time of the loss is unknown, so ignore the
	 * message.
	 */
	if (bt_message_discarded_events_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		return MM_BT2_OK;
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream->native))) {
		begin_ns = mm_bt2_snapshot_ns(
			events,
			bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
				message),
			INT64_MIN);
		end_ns = mm_bt2_snapshot_ns(
			events,
			bt_message_discarded_events_borrow_end_default_clock_snapshot_const(
				message),
			INT64_MAX);
	}
	stream->has_count = true;
	/*
	 * The counter went backwards, which has two possible causes. LTTng may have omitted the
	 * count: the counter is then 0. Or LTTng before 2.13.3 has counted some events too early.
	 * If the counter fell by stream->discarded or more, the counter was 0.
	 */
	if (count > INT64_MAX) {
		if (!stream->lttng)
			return MM_BT2_OK;
		if (-count < stream->discarded) {
			stream->early += -count;
			return MM_BT2_OK;
		}
		stream->again = -count;
		events->source->losses[stream->loss].packets_without_count +=
			report_loss(events, stream, begin_ns, end_ns, 0, 0);
		return MM_BT2_OK;
	}
	early = count < stream->early ? count : stream->early;
	stream->early -= early;
	count -= early;
	count = count > stream->again ? count - stream->again : 0;
	stream->again = 0;
	stream->discarded += count;
	if (count)
		report_loss(events, stream, begin_ns, end_ns, count, 0);
	return MM_BT2_OK;
}

enum mm_bt2_status mm_bt2_take_discarded_packets(struct mm_bt2_events *events,
						 const bt_message *message, struct mm_error *err)
{
	struct mm_bt2_stream *stream =
		mm_bt2_stream_of(events, bt_message_discarded_packets_borrow_stream_const(message));
	int64_t begin_ns = INT64_MIN, end_ns = INT64_MAX;
	uint64_t count;

	if (!stream)
		return mm_bt2_no_memory(err);
	if (stream->counted)
		return MM_BT2_OK;
	if (bt_message_discarded_packets_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 1;
	/*
	 * The sequence number went backwards, so the trace is damaged, and the number of lost
	 * packets is unknown.
	 */
	if (count >= INT64_MAX)
		return MM_BT2_OK;
	if (bt_stream_class_discarded_packets_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(stream->native))) {
		begin_ns = mm_bt2_snapshot_ns(
			events,
			bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
				message),
			INT64_MIN);
		end_ns = mm_bt2_snapshot_ns(
			events,
			bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(
				message),
			INT64_MAX);
	}
	report_loss(events, stream, begin_ns, end_ns, 0, count);
	return MM_BT2_OK;
}
