// SPDX-License-Identifier: LGPL-2.1-only
/* Fills batches with packets, and checks their headers and indexes. */
#include "reader/inspect/verify-packets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/sums.h"
#include "reader/inspect/verify-batch.h"
#include "reader/inspect/verify-private.h"
#include "util/plural.h"

static const struct ctf_plan *find_plan(const struct ctf_verification *verify,
					const struct ctf_stream_class *class)
{
	for (size_t i = 0; i < verify->plan_count; i++)
		if (verify->plans[i]->stream_class == class)
			return verify->plans[i];
	return NULL;
}

static void found(void *user, const struct ctf_finding *finding)
{
	struct ctf_verification *verify = user;

	ctf_batch_note(verify->taking, finding->truncated ? CTF_VERIFY_LOST : CTF_VERIFY_DAMAGED,
		       finding->file, finding->packet, finding->offset, "%s", finding->what);
	verify->taking->counts.packets_truncated += finding->truncated;
}

/* Reports that packets of the recorded file are missing before @packet. */
static void note_lost_packets(struct ctf_batch *batch, const struct ctf_packet *packet)
{
	const struct ctf_file *file = packet->file;
	const struct ctf_part *part =
		file->sums ? ctf_sums_part_at(file->sums, packet->offset, packet->number) : NULL;
	char recorded[64] = "";

	if (part && part->lost)
		snprintf(recorded, sizeof(recorded), ", which was packet %" PRIu64 " when recorded",
			 part->number);
	if (packet->lost_packets)
		ctf_batch_note(
			batch, CTF_VERIFY_LOST, packet->file->path, packet->number, packet->offset,
			"%" PRIu64 " %s lost before this one%s", packet->lost_packets,
			mm_plural(packet->lost_packets, "packet was", "packets were"), recorded);
}

static void note_losses(struct ctf_batch *batch, const struct ctf_packet *packet)
{
	note_lost_packets(batch, packet);
	if (packet->lost_events && packet->without_count_before)
		ctf_batch_note(batch, CTF_VERIFY_LOST, packet->file->path, packet->number,
			       packet->offset,
			       "%" PRIu64 " %s discarded since the last count, which is %" PRIu64
			       " packets earlier",
			       packet->lost_events,
			       mm_plural(packet->lost_events, "event was", "events were"),
			       packet->without_count_before + 1);
	else if (packet->lost_events)
		ctf_batch_note(batch, CTF_VERIFY_LOST, packet->file->path, packet->number,
			       packet->offset, "%" PRIu64 " %s discarded since the previous packet",
			       packet->lost_events,
			       mm_plural(packet->lost_events, "event was", "events were"));
	if (packet->flags & CTF_PACKET_WITHOUT_COUNT)
		ctf_batch_note(
			batch, CTF_VERIFY_LOST, packet->file->path, packet->number, packet->offset,
			"events may have been discarded since the previous packet: LTTng did not store their count");
	batch->counts.packets_without_count += !!(packet->flags & CTF_PACKET_WITHOUT_COUNT);
	batch->counts.packets_lost += packet->lost_packets;
	batch->counts.events_discarded += packet->lost_events;
}

static void index_path(const struct ctf_file *file, char *path, size_t size)
{
	size_t folder = strlen(file->path) - strlen(file->name);

	snprintf(path, size, "%.*sindex/%s.idx", (int)folder, file->path, file->name);
}

static void check_index(struct ctf_batch *batch, const struct ctf_packet *packet)
{
	const struct ctf_file *file = packet->file;
	struct ctf_index_entry entry;
	const char *field;
	char path[4096];
	uint64_t offset;

	/* If the checksums show that packets were removed or moved, the index differs anyway. */
	if (!file->index || packet->number >= ctf_index_count(file->index) ||
	    (file->sums && ctf_sums_parts(file->sums)))
		return;
	ctf_index_read(file->index, packet->number, &entry);
	field = ctf_index_differs(&entry, packet);
	if (!field)
		return;
	index_path(file, path, sizeof(path));
	offset = ctf_index_offset(file->index, packet->number);
	ctf_batch_note(batch, CTF_VERIFY_DAMAGED, path, packet->number, offset,
		       "%s differs from the packet at byte %" PRIu64 " of %s", field,
		       packet->offset, file->name);
}

/* Checks at the end of a stream that each index has an entry for every packet. */
static void check_index_sizes(struct ctf_batch *batch, const struct ctf_stream *stream)
{
	for (size_t i = 0; i < stream->file_count; i++) {
		const struct ctf_file *file = &stream->files[i];
		struct stat status;
		char path[4096];
		uint64_t count, end, size;

		index_path(file, path, sizeof(path));
		if (!file->index) {
			if (!stat(path, &status) && S_ISREG(status.st_mode))
				ctf_batch_note(batch, CTF_VERIFY_DAMAGED, path, 0, 0,
					       "not an index: wrong magic number, version or size");
			continue;
		}
		if (file->sums && ctf_sums_parts(file->sums))
			continue;
		count = ctf_index_count(file->index);
		end = ctf_index_end(file->index);
		size = ctf_map_size(file->map);
		if (end > size && ctf_index_is_contiguous(file->index))
			ctf_batch_note(batch, CTF_VERIFY_LOST, path, count, 0,
				       "its %" PRIu64 " %s up to byte %" PRIu64
				       ", but %s has only %" PRIu64
				       " bytes: this file is truncated",
				       count, mm_plural(count, "packet goes", "packets go"), end,
				       file->name, size);
		else if (!count || end != size)
			ctf_batch_note(batch, CTF_VERIFY_DAMAGED, path, count, 0,
				       "its %" PRIu64 " %s not end where %s does", count,
				       mm_plural(count, "packet does", "packets do"), file->name);
	}
}

/* Moves to the next stream. Returns false after the last stream. The caller holds the lock. */
static bool next_stream(struct ctf_verification *verify)
{
	const struct ctf_trace *trace;

	while (verify->trace < verify->trace_count) {
		trace = verify->traces[verify->trace];
		if (verify->stream < trace->stream_count) {
			ctf_packet_iterator_init(&verify->iterator,
						 &trace->streams[verify->stream++], verify->slots);
			verify->iterator.finding = found;
			verify->iterator.user = verify;
			verify->in_stream = true;
			verify->end_clock = 0;
			return true;
		}
		verify->trace++;
		verify->stream = 0;
	}
	return false;
}

bool verify_take_packets(struct ctf_verification *verify, struct ctf_batch *batch)
{
	uint64_t bytes = 0;

	ctf_batch_reset(batch);
	if (verify->exhausted)
		return false;
	batch->begins_stream = !verify->in_stream;
	if (!verify->in_stream && !next_stream(verify)) {
		verify->exhausted = true;
		return false;
	}
	batch->number = verify->next_number++;
	batch->stream = verify->iterator.stream;
	batch->plan = find_plan(verify, batch->stream->class);
	batch->early_is_fine =
		ctf_trace_private(batch->stream->trace)->quirks & CTF_QUIRK_EVENT_BEFORE_PACKET;
	batch->start_clock = verify->end_clock;
	verify->taking = batch;
	while (batch->packet_count < CTF_BATCH_PACKETS && bytes < CTF_BATCH_BYTES) {
		struct ctf_packet *packet = &batch->packets[batch->packet_count];
		int ret;

		batch->order = 2 * batch->packet_count;
		ret = ctf_packet_next(&verify->iterator, packet, &batch->error);
		if (ret <= 0) {
			verify->in_stream = false;
			verify->exhausted = ret < 0;
			if (!ret)
				check_index_sizes(batch, batch->stream);
			break;
		}
		note_losses(batch, packet);
		check_index(batch, packet);
		bytes += packet->size_bits / 8;
		batch->packet_count++;
	}
	batch->counts.packets = batch->packet_count;
	return true;
}
