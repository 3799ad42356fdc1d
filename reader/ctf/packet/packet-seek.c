// SPDX-License-Identifier: LGPL-2.1-only
/* Moves a packet iterator to a time. Uses the indexes of the files, or else the packet headers. */
#include "reader/ctf/packet/packet-read.h"

/* Reads the packet that index entry @number points to. Returns false if entry and packet differ. */
static bool read_indexed(const struct ctf_packet_iterator *iterator, const struct ctf_file *file,
			 uint64_t number, struct ctf_packet *packet)
{
	const struct ctf_stream *stream = iterator->stream;
	struct ctf_index_entry entry;
	struct ctf_packet_head head;

	ctf_index_read(file->index, number, &entry);
	if (entry.offset >= ctf_map_size(file->map) ||
	    ctf_packet_head_read(stream->trace, ctf_packet_plan_find(stream->trace, stream->class),
				 file->map, entry.offset, NULL, iterator->slots, &head))
		return false;
	ctf_packet_fill(packet, stream, file, entry.offset, &head, NULL);
	packet->number = number;
	return !ctf_packet_other(packet, &head.header).what && !ctf_index_differs(&entry, packet);
}

static bool entry_ends_before(const struct ctf_file *file, const struct ctf_clock *clock,
			      uint64_t number, int64_t begin_ns)
{
	struct ctf_index_entry entry;
	int64_t end_ns;

	ctf_index_read(file->index, number, &entry);
	return !ctf_clock_to_ns(clock, entry.end, &end_ns) && end_ns < begin_ns;
}

/*
 * Reads the last packet of file @number of the stream. Returns false if the index does not cover
 * the whole file.
 */
static bool last_by_index(const struct ctf_packet_iterator *iterator, size_t number,
			  struct ctf_packet *packet)
{
	const struct ctf_file *file = &iterator->stream->files[number];
	uint64_t count = file->index ? ctf_index_count(file->index) : 0;

	return count && read_indexed(iterator, file, count - 1, packet) &&
	       packet->offset + packet->size_bits / 8 == ctf_map_size(file->map);
}

/*
 * Makes @packet the iterator's previous packet. @number is the number of @packet in file @file of
 * the stream. If @packet has no discarded-event count, uses the last earlier count. Returns false
 * if the indexes lack an earlier count.
 */
static bool continue_from(struct ctf_packet_iterator *iterator, size_t file, uint64_t number,
			  const struct ctf_packet *packet)
{
	const struct ctf_stream *stream = iterator->stream;
	struct ctf_packet counted = *packet;
	uint64_t without_count = 0;

	/* The number of a flush's packet cannot be compared with the next packet's number. */
	if (ctf_packet_is_of_flush(packet))
		return false;
	if (ctf_trace_private(stream->trace)->quirks & CTF_QUIRK_WITHOUT_COUNT &&
	    packet->flags & CTF_PACKET_HAS_DISCARDED) {
		struct ctf_index_entry entry = { .discarded = packet->discarded };

		while (!entry.discarded) {
			without_count++;
			if (!number) {
				if (!file)
					break;
				if (!last_by_index(iterator, --file, &counted))
					return false;
				number = counted.number + 1;
			}
			ctf_index_read(stream->files[file].index, --number, &entry);
		}
		if (!entry.discarded)
			without_count = 0; /* no event was discarded before this packet */
		if (!without_count)
			counted = *packet;
		else if (!read_indexed(iterator, &stream->files[file], number, &counted))
			return false;
	}
	iterator->discarded = counted.discarded;
	iterator->without_count = without_count;
	iterator->counted_ns =
		counted.flags & CTF_PACKET_HAS_END ? counted.end_ns : counted.begin_ns;
	iterator->last = *packet;
	iterator->any = true;
	iterator->damaged = 0;
	return true;
}

/*
 * Moves the iterator after the last packet of @file that ends before @begin_ns. That packet becomes
 * the previous packet, so that a loss after it is reported. Returns false if the index cannot be
 * used.
 */
static bool seek_by_index(struct ctf_packet_iterator *iterator, const struct ctf_file *file,
			  int64_t begin_ns)
{
	const struct ctf_stream *stream = iterator->stream;
	const struct ctf_packet_plan *plan = ctf_packet_plan_find(stream->trace, stream->class);
	struct ctf_packet before, after;
	uint64_t low = 0, high;

	if (!file->index || !stream->class->clock || plan->begin_width < 64 ||
	    plan->end_width < 64 ||
	    ctf_trace_private(stream->trace)->quirks & CTF_QUIRK_EVENT_AFTER_PACKET)
		return false;
	high = ctf_index_count(file->index);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (entry_ends_before(file, stream->class->clock, middle, begin_ns))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return true; /* the iterator is at the file's first packet */
	if (!read_indexed(iterator, file, low - 1, &before) ||
	    !(before.flags & CTF_PACKET_HAS_END) || before.end_ns >= begin_ns)
		return false;
	if (low < ctf_index_count(file->index) &&
	    (!read_indexed(iterator, file, low, &after) ||
	     after.offset != before.offset + before.size_bits / 8))
		return false;
	if (!continue_from(iterator, iterator->file, low - 1, &before))
		return false;
	iterator->number = low;
	iterator->offset = before.offset + before.size_bits / 8;
	return true;
}

/* Walks the packets from the start of file @from to the start of file @number. */
static int walk_files(struct ctf_packet_iterator *iterator, size_t from, size_t number,
		      struct mm_error *err)
{
	struct ctf_packet_iterator here = { .stream = iterator->stream,
					    .file = from,
					    .slots = iterator->slots,
					    .finding = iterator->finding,
					    .user = iterator->user };
	struct ctf_packet packet;
	int ret;

	do {
		*iterator = here;
		ret = ctf_packet_next(&here, &packet, err);
		if (ret > 0)
			ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
	} while (ret > 0 && packet.file < &iterator->stream->files[number]);
	return ret < 0 ? -1 : 0;
}

/*
 * Moves to the start of file @number of the stream (not the first file). The last packet of the
 * previous file becomes the previous packet, because a loss between both files may be in the
 * requested time range.
 */
static int seek_file(struct ctf_packet_iterator *iterator, size_t number, struct mm_error *err)
{
	const struct ctf_stream *stream = iterator->stream;
	const struct ctf_packet_plan *plan = ctf_packet_plan_find(stream->trace, stream->class);
	struct ctf_packet last;
	int ret = 0;

	/*
	 * The previous file helps only if timestamps have 64 bits. Shorter timestamps are extended
	 * from the start of this file.
	 */
	if (stream->class->clock && plan->begin_width == 64 && plan->end_width == 64 &&
	    (!last_by_index(iterator, number - 1, &last) ||
	     !continue_from(iterator, number - 1, last.number, &last))) {
		ret = walk_files(iterator, number - 1, number, err);
		if (!ret && !iterator->discarded && number > 1 &&
		    ctf_trace_private(stream->trace)->quirks & CTF_QUIRK_WITHOUT_COUNT)
			ret = walk_files(iterator, 0, number, err);
	}
	iterator->file = number;
	iterator->offset = iterator->number = 0;
	return ret;
}

/*
 * Moves forward packet by packet, and stops before the first packet that may overlap the requested
 * time range, or that the end of the file cuts. A packet without an end timestamp may last until
 * the next packet starts. If damage directly precedes that packet or the end of the stream, stops
 * before the damage: it may be in the time range, and the reader must report it.
 */
static int seek_by_headers(struct ctf_packet_iterator *iterator, int64_t begin_ns,
			   struct mm_error *err)
{
	struct ctf_packet_iterator here, candidate;
	struct ctf_packet packet;
	bool have_candidate = false;
	int ret;

	for (;;) {
		here = *iterator;
		ret = ctf_packet_next(iterator, &packet, err);
		if (ret <= 0)
			break;
		if (have_candidate && (packet.flags & CTF_PACKET_HAS_BEGIN) &&
		    packet.begin_ns < begin_ns)
			have_candidate = false;
		if ((packet.flags & CTF_PACKET_HAS_END) && packet.end_ns < begin_ns &&
		    !(packet.flags & CTF_PACKET_FILE_CUT)) {
			ctf_map_done(packet.file->map, packet.offset, packet.size_bits / 8);
			continue;
		}
		if (!have_candidate)
			candidate = here;
		have_candidate = true;
		if ((packet.flags & CTF_PACKET_HAS_END) ||
		    ((packet.flags & CTF_PACKET_HAS_BEGIN) && packet.begin_ns >= begin_ns))
			break;
	}
	if (have_candidate)
		*iterator = candidate;
	else if (!ret)
		*iterator = here;
	return ret < 0 ? -1 : 0;
}

static void found(void *user, const struct ctf_finding *finding)
{
	*(bool *)user |= finding->skipped || finding->truncated;
}

/*
 * Does file @number of the stream end before @begin_ns? The caller knows that the next file starts
 * before @begin_ns. If both files are in one folder, they follow each other, so the answer is yes.
 * Files of two folders may overlap, so the last packet of the file decides. If damage follows that
 * packet, the end of the file is unknown.
 */
static bool is_over(const struct ctf_packet_iterator *iterator, size_t number, int64_t begin_ns)
{
	const struct ctf_file *file = &iterator->stream->files[number];
	struct ctf_packet_iterator here = { .stream = iterator->stream,
					    .file = number,
					    .slots = iterator->slots,
					    .finding = found };
	struct ctf_packet packet = { .end_ns = INT64_MIN };
	int64_t end_ns = INT64_MIN;
	bool damaged = false;

	if (file->folder == file[1].folder)
		return true;
	if (last_by_index(iterator, number, &packet))
		return packet.end_ns < begin_ns;
	here.user = &damaged;
	while (ctf_packet_next(&here, &packet, NULL) > 0 && packet.file == file) {
		end_ns = packet.end_ns;
		damaged = false;
	}
	return end_ns < begin_ns && !damaged;
}

int ctf_packet_seek(struct ctf_packet_iterator *iterator, int64_t begin_ns, struct mm_error *err)
{
	const struct ctf_stream *stream = iterator->stream;
	ctf_finding_handler finding = iterator->finding;
	size_t file = iterator->file;
	int ret;

	/* The clock went backwards, so timestamps cannot guide the search. */
	if (stream->order == CTF_ORDER_NONE)
		return 0;
	/* Do not report problems in packets outside the requested time range. */
	iterator->finding = NULL;
	if (stream->refs) {
		ret = seek_by_headers(iterator, begin_ns, err);
		iterator->finding = finding;
		return ret;
	}
	/* Skip files that end before @begin_ns. */
	while (file + 1 < stream->file_count && stream->files[file + 1].first_ns < begin_ns &&
	       is_over(iterator, file, begin_ns))
		file++;
	if (file != iterator->file && seek_file(iterator, file, err)) {
		iterator->finding = finding;
		return -1;
	}
	seek_by_index(iterator, &stream->files[iterator->file], begin_ns);
	ret = seek_by_headers(iterator, begin_ns, err);
	iterator->finding = finding;
	return ret;
}
