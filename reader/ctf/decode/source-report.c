// SPDX-License-Identifier: LGPL-2.1-only
/* Reports losses and damage of a source's streams. */
#include "reader/ctf/decode/source-report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/decode/source-private.h"
#include "reader/coverage/missing.h"
#include "util/path.h"

void ctf_report_requests(const struct ctf_source *source, const struct ctf_plan *plan,
			 struct mm_loss *loss)
{
	for (size_t i = 0; i < plan->stream_class->event_count; i++)
		if (plan->classes[i].matched >= 0)
			mm_source_may_have(loss, source->requests, plan->classes[i].matched,
					   plan->classes[i].type.name);
	loss->has_requested |= loss->has_state_dumps && source->base.options.in_order;
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
 * Notes which events the stream of an unreadable file may have. These are the events of the other
 * streams of its channel. If the channel has no other stream, these are all events of the trace.
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
		ctf_report_requests(source, ctf_source_plan(source, stream->class), loss);
		found = true;
	}
	for (size_t i = 0; i < trace->class->stream_count && !found; i++)
		ctf_report_requests(source, ctf_source_plan(source, trace->class->streams[i]),
				    loss);
}

/* Reports a file that ends in the header of its first packet. Its whole stream is missing. */
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

/* Reports a file without a readable packet. Its whole stream is missing. */
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

/*
 * Reports files without a readable packet as losses or as damage. Each file counts as a separate
 * stream.
 */
int ctf_report_files(struct ctf_source *source, struct mm_error *err)
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
			if (loss && ctf_source_wants(source, loss)) {
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
				return ctf_source_no_memory(err);
		}
	return 0;
}

void ctf_report_backward(struct ctf_source *source, struct mm_loss *loss)
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

/*
 * Before the first event, reports the order of packets, packets where time goes backwards, and
 * packets of other traces.
 */
int ctf_report_order(struct ctf_source *source, struct mm_error *err)
{
	for (size_t i = 0; i < source->line_count; i++) {
		const struct ctf_stream *stream = source->lines[i].stream;
		struct mm_loss *loss = &source->base.losses[source->lines[i].loss];
		const char *const faults[] = { stream->backward, stream->foreign };
		char *order = ctf_stream_order_text(stream);

		for (size_t j = 0; j < 2 && ctf_source_wants(source, loss); j++) {
			if (faults[j])
				mm_source_damage(&source->base, source->handler, faults[j], false);
		}
		/*
		 * Packets of other traces have replaced packets of this stream. The times of the
		 * replaced packets are unknown, so only count them.
		 */
		if (stream->foreign && ctf_source_wants(source, loss))
			loss->packets_damaged += stream->foreign_count;
		if (stream->backward && ctf_source_wants(source, loss)) {
			loss->packets_damaged += stream->backward_count;
			ctf_report_backward(source, loss);
		}
		if (ctf_stream_is_sorted(stream) && ctf_source_wants(source, loss) &&
		    (!order || mm_source_note(&source->base, source->handler, order))) {
			free(order);
			return ctf_source_no_memory(err);
		}
		free(order);
	}
	source->base.announced_count = source->base.damage_count;
	return 0;
}

/*
 * Reports damage either before or after all events of its packet. A position between the events
 * would depend on the chunk size, and therefore on the number of threads.
 */
void ctf_report_damage(struct ctf_source *source, const struct ctf_chunk *chunk, bool in_events)
{
	for (const struct ctf_damage *damage = chunk->damage; damage; damage = damage->next)
		if (damage->note && !in_events)
			mm_source_note(&source->base, source->handler, damage->message);
		else if (damage->in_events == in_events)
			mm_source_damage(&source->base, source->handler, damage->message,
					 damage->truncated);
}

void ctf_report_loss(struct ctf_source *source, struct ctf_line *line)
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
	/*
	 * If only packets are lost, all lost events precede this packet. If events were also
	 * discarded, they may have been lost up to the end of this packet.
	 */
	if (packet->lost_packets && !loss->lost_events)
		loss->lost_until_ns = loss->lost_packets_until_ns;
	if (source->handler->lost)
		source->handler->lost(source->handler->user, loss, packet->lost_since_ns);
}

int ctf_report_late(struct ctf_source *source, const struct ctf_line *line,
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
	ctf_report_backward(source, &source->base.losses[line->loss]);
	free(message);
	return 0;
}

/*
 * Reports that events are unreadable between the last delivered event and the next packet (or the
 * end of the stream). The number of these events is unknown.
 */
void ctf_report_unreadable(struct ctf_source *source, struct ctf_line *line,
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

/* Reports the loss at the end of a stream, after all earlier events of other streams. */
void ctf_report_end(struct ctf_source *source, struct ctf_line *line)
{
	line->is_over = false;
	mm_missing_report_end(&source->base, line->missing, &source->base.losses[line->loss],
			      source->handler);
	ctf_chunk_destroy(line->chunk);
	line->chunk = NULL;
}
