// SPDX-License-Identifier: LGPL-2.1-only
/* Walks the packets of a stream, and finds gaps and damage between them. */
#include "reader/ctf/packet/packet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/packet-counters.h"
#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/packet-report.h"
#include "reader/ctf/packet/sums.h"
#include "util/plural.h"

void ctf_packet_iterator_init(struct ctf_packet_iterator *iterator, const struct ctf_stream *stream,
			      uint64_t *slots)
{
	memset(iterator, 0, sizeof(*iterator));
	iterator->stream = stream;
	iterator->slots = slots;
}

static void check_times(const struct ctf_packet_iterator *iterator, const struct ctf_packet *packet)
{
	const struct ctf_packet *last = &iterator->last;
	uint32_t flags = packet->flags;

	if ((flags & CTF_PACKET_HAS_BEGIN) && (flags & CTF_PACKET_HAS_END) &&
	    packet->end < packet->begin)
		ctf_packet_report(iterator, packet->file, packet->offset, CTF_FOUND_BACKWARD,
				  "the packet ends at %" PRIu64 ", before its start at %" PRIu64,
				  packet->end, packet->begin);
	if (flags & CTF_PACKET_LATE_BEGIN)
		ctf_packet_report(iterator, packet->file, packet->offset, CTF_FOUND_DOUBTFUL,
				  "timestamp_begin, %" PRIu64 ", is later than any possible time",
				  packet->begin);
	if ((flags & CTF_PACKET_HAS_END) && packet->end_ns == INT64_MAX)
		ctf_packet_report(iterator, packet->file, packet->offset, CTF_FOUND_DOUBTFUL,
				  "timestamp_end, %" PRIu64 ", is later than any possible time",
				  packet->end);
	if (!iterator->any || !(flags & CTF_PACKET_HAS_BEGIN))
		return;
	if ((last->flags & CTF_PACKET_HAS_END) && packet->begin < last->end)
		ctf_packet_report(iterator, packet->file, packet->offset, CTF_FOUND_BACKWARD,
				  "the packet starts at %" PRIu64
				  ", before the end of the previous packet, %" PRIu64,
				  packet->begin, last->end);
	else if ((last->flags & CTF_PACKET_HAS_BEGIN) && packet->begin < last->begin)
		ctf_packet_report(iterator, packet->file, packet->offset, CTF_FOUND_BACKWARD,
				  "the packet starts at %" PRIu64
				  ", before the start of the previous packet, %" PRIu64,
				  packet->begin, last->begin);
}

static void next_file(struct ctf_packet_iterator *iterator)
{
	iterator->file++;
	iterator->offset = 0;
	iterator->number = 0;
	iterator->spent = 0;
}

/*
 * Skips a damaged packet. Continues where this packet ends according to its stated size. If no
 * valid packet starts there, searches for the next valid packet by its magic number.
 */
static void skip_damage(struct ctf_packet_iterator *iterator, const struct ctf_file *file,
			const struct ctf_packet_plan *plan, const struct ctf_packet_head *damaged)
{
	uint64_t size = ctf_map_size(file->map), next = UINT64_MAX;
	struct ctf_packet_head head;

	if (damaged->size_bits && damaged->size_bits % 8 == 0 &&
	    damaged->size_bits / 8 < size - iterator->offset) {
		next = iterator->offset + damaged->size_bits / 8;
		if (ctf_packet_head_read(iterator->stream->trace, plan, file->map, next,
					 &iterator->spent, iterator->slots, &head) ||
		    head.mismatch)
			next = UINT64_MAX;
	}
	if (next == UINT64_MAX)
		next = ctf_packet_find(iterator->stream->trace, plan, file->map,
				       iterator->offset + 1, &iterator->spent, iterator->slots);
	if (next == UINT64_MAX) {
		ctf_packet_report(iterator, file, iterator->offset + damaged->problem_at,
				  CTF_FOUND_SKIPPED | (damaged->at_end ? CTF_FOUND_TRUNCATED : 0),
				  "%s; the rest of the file is skipped", damaged->problem);
		next_file(iterator);
	} else {
		ctf_packet_report(iterator, file, iterator->offset + damaged->problem_at,
				  CTF_FOUND_SKIPPED | CTF_FOUND_WHOLE,
				  "%s; skipped up to byte %" PRIu64, damaged->problem, next);
		iterator->offset = next;
		iterator->number++;
	}
}

/*
 * Handles a packet that is larger than the rest of the file. Either the packet is truncated, or its
 * size is wrong and other packets follow. @incomplete is true if a part of the content is missing.
 */
static void check_truncated(struct ctf_packet_iterator *iterator,
			    const struct ctf_packet_plan *plan, struct ctf_packet *packet,
			    bool incomplete)
{
	const struct ctf_map *map = packet->file->map;
	uint64_t next = ctf_packet_find(iterator->stream->trace, plan, map, packet->offset + 1,
					&iterator->spent, iterator->slots);

	packet->flags |= incomplete ? CTF_PACKET_INCOMPLETE : 0;
	if (next == UINT64_MAX) {
		packet->flags |=
			packet->file->index || packet->file->sums ? 0 : CTF_PACKET_FILE_CUT;
		ctf_packet_report(
			iterator, packet->file, packet->offset,
			CTF_FOUND_TRUNCATED | (incomplete ? CTF_FOUND_SKIPPED : 0),
			"the file ends within the packet: %" PRIu64 " %s present",
			packet->size_bits / 8,
			mm_plural(packet->size_bits / 8, "byte of it is", "bytes of it are"));
		return;
	}
	packet->size_bits = (next - packet->offset) * 8;
	if (packet->content_bits > packet->size_bits) {
		packet->content_bits = packet->size_bits;
		packet->flags |= CTF_PACKET_INCOMPLETE;
		incomplete = true;
	}
	ctf_packet_report(iterator, packet->file, packet->offset,
			  incomplete ? CTF_FOUND_SKIPPED : CTF_FOUND_COUNTER,
			  "packet_size exceeds the file; the next packet starts at byte %" PRIu64,
			  next);
}

/*
 * Handles a part of a file with moved, removed or added packets. If the part is an intact packet,
 * returns true. Otherwise skips the part.
 */
static bool check_part(struct ctf_packet_iterator *iterator, const struct ctf_file *file,
		       const struct ctf_part *part)
{
	const uint64_t end = iterator->offset + part->bytes;

	switch (part->kind) {
	case CTF_PART_PACKET:
		return true;
	case CTF_PART_DAMAGED:
		ctf_packet_report(iterator, file, iterator->offset,
				  CTF_FOUND_SKIPPED | CTF_FOUND_UNSEEN | CTF_FOUND_WHOLE,
				  "the packet's checksum is wrong; skipped up to byte %" PRIu64,
				  end);
		break;
	case CTF_PART_TRUNCATED:
		ctf_packet_report(
			iterator, file, iterator->offset,
			CTF_FOUND_SKIPPED | CTF_FOUND_TRUNCATED | CTF_FOUND_UNSEEN,
			"the file ends within the packet, so its checksum is wrong: %" PRIu64 " %s",
			part->bytes,
			mm_plural(part->bytes, "byte is present, and it is skipped",
				  "bytes are present, and they are skipped"));
		break;
	case CTF_PART_COPY:
		ctf_packet_report(iterator, file, iterator->offset,
				  CTF_FOUND_SKIPPED | CTF_FOUND_UNSEEN,
				  "the packet repeats packet %" PRIu64
				  " of the recorded file; skipped up to byte %" PRIu64,
				  part->number, end);
		break;
	case CTF_PART_FOREIGN:
		ctf_packet_report(
			iterator, file, iterator->offset, CTF_FOUND_SKIPPED | CTF_FOUND_UNSEEN,
			"no packet of the recorded file has this size and checksum; skipped up to byte %" PRIu64,
			end);
		break;
	}
	/* A damaged packet does not count as lost: see ctf_packet_count_packets(). */
	iterator->damaged += part->kind <= CTF_PART_TRUNCATED;
	iterator->offset = end;
	iterator->number++;
	return false;
}

/*
 * Verifies the checksum of the packet at the iterator's offset. Returns true if the checksum is
 * right. If it is wrong, skips the bytes that the checksum covers, because the packet's sizes and
 * times are unreliable, too.
 */
static bool check_sum(struct ctf_packet_iterator *iterator, const struct ctf_file *file)
{
	const uint64_t left = ctf_map_size(file->map) - iterator->offset;
	const struct mm_checksum *sum = ctf_sums_at(file->sums, iterator->offset, iterator->number);
	const struct ctf_part *part =
		ctf_sums_part_at(file->sums, iterator->offset, iterator->number);

	if (part)
		return check_part(iterator, file, part);
	if (!sum) {
		ctf_packet_report(
			iterator, file, iterator->offset, CTF_FOUND_SKIPPED | CTF_FOUND_UNSEEN,
			"no packet with a checksum starts here; the rest of the file is skipped");
		next_file(iterator);
		return false;
	}
	if (sum->bytes > left) {
		ctf_packet_report(
			iterator, file, iterator->offset,
			CTF_FOUND_SKIPPED | CTF_FOUND_TRUNCATED | CTF_FOUND_UNSEEN,
			"the file ends within the packet, so its checksum is wrong: %" PRIu64
			" of %" PRIu64 " bytes %s",
			left, sum->bytes,
			mm_plural(left, "is present, and it is skipped",
				  "are present, and they are skipped"));
		iterator->damaged++;
		next_file(iterator);
		return false;
	}
	if (ctf_sums_check(file->sums, sum, file->map))
		return true;
	ctf_packet_report(iterator, file, iterator->offset,
			  CTF_FOUND_SKIPPED | CTF_FOUND_UNSEEN | CTF_FOUND_WHOLE,
			  "the packet's checksum is wrong; skipped up to byte %" PRIu64,
			  iterator->offset + sum->bytes);
	iterator->offset += sum->bytes;
	iterator->number++;
	iterator->damaged++;
	return false;
}

/*
 * Reads the values of @packet into the slots again. A search for packets has overwritten the slots.
 */
static void restore_slots(const struct ctf_packet_iterator *iterator,
			  const struct ctf_packet *packet)
{
	if (iterator->stream->trace->class->slot_count)
		ctf_packet_slots(packet, iterator->slots);
}

/* Was the packet already read from another folder? Snapshots of one recorder can overlap. */
static bool was_read(const struct ctf_packet_iterator *iterator, const struct ctf_packet *packet)
{
	const struct ctf_packet *last = &iterator->last;
	uint32_t both = last->flags & packet->flags;

	return iterator->any && last->file->folder != packet->file->folder &&
	       (both & CTF_PACKET_HAS_BEGIN) && packet->begin <= last->begin &&
	       (!(both & CTF_PACKET_HAS_SEQ) || packet->seq <= last->seq);
}

/* Moves to the next packet's file and offset. Returns false at the end of the stream. */
static bool find_place(struct ctf_packet_iterator *iterator)
{
	const struct ctf_stream *stream = iterator->stream;

	if (stream->refs) {
		const struct ctf_packet_ref *ref = &stream->refs[iterator->ref];

		if (iterator->ref == stream->ref_count)
			return false;
		iterator->ref++;
		iterator->file = ref->file;
		iterator->offset = ref->offset;
		iterator->number = ref->number;
		return true;
	}
	while (iterator->file < stream->file_count) {
		if (iterator->offset < ctf_map_size(stream->files[iterator->file].map))
			return true;
		next_file(iterator);
	}
	return false;
}

/*
 * Does the packet belong to another trace, or is its magic number wrong? Reports such a packet,
 * which must be skipped. Only a wrong magic number counts as damage.
 */
static bool is_foreign(struct ctf_packet_iterator *iterator, const struct ctf_packet_head *head,
		       const struct ctf_packet *packet)
{
	if (!head->mismatch)
		return false;
	if (head->header.foreign) {
		ctf_packet_report(iterator, packet->file, packet->offset + head->problem_at,
				  CTF_FOUND_SKIPPED | CTF_FOUND_FOREIGN, "%s", head->mismatch);
	} else {
		ctf_packet_report(iterator, packet->file, packet->offset + head->problem_at,
				  CTF_FOUND_SKIPPED | CTF_FOUND_UNSEEN | CTF_FOUND_WHOLE,
				  "%s; skipped up to byte %" PRIu64, head->mismatch,
				  packet->offset + packet->size_bits / 8);
		iterator->damaged++;
	}
	return true;
}

/*
 * Does the packet belong to another stream? Reports such a packet, because it has replaced a packet
 * of this stream.
 */
static bool is_other(struct ctf_packet_iterator *iterator, const struct ctf_packet_head *head,
		     const struct ctf_packet *packet)
{
	const struct ctf_packet_difference other = ctf_packet_other(packet, &head->header);

	if (!other.what)
		return false;
	ctf_packet_report(iterator, packet->file, packet->offset,
			  CTF_FOUND_SKIPPED | CTF_FOUND_UNSEEN | CTF_FOUND_OTHER | CTF_FOUND_WHOLE,
			  "a packet of another stream: its %s is %" PRIu64 ", not %" PRIu64
			  "; skipped up to byte %" PRIu64,
			  other.what, other.is, other.expected,
			  packet->offset + packet->size_bits / 8);
	iterator->damaged++;
	return true;
}

/* Moves to the end of @packet, and makes it the iterator's previous packet. */
static void pass(struct ctf_packet_iterator *iterator, const struct ctf_packet *packet)
{
	iterator->offset += packet->size_bits / 8;
	iterator->number++;
	ctf_packet_pass_count(iterator, packet);
	/*
	 * The empty packet of a flush may start later than the next packet, so do not compare the
	 * next packet with it.
	 */
	if (packet->flags & CTF_PACKET_UNNUMBERED)
		return;
	iterator->last = *packet;
	iterator->any = true;
	iterator->damaged = 0;
}

static int next_recorded(struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
			 struct mm_error *err);

/*
 * Reads the packet after @packet. Returns false at the end of the stream, or if the next packet
 * cannot be read.
 */
static bool look_ahead(const struct ctf_packet_iterator *iterator, const struct ctf_packet *packet,
		       struct ctf_packet *next)
{
	struct ctf_packet_iterator ahead = *iterator;
	bool found;

	ahead.finding = NULL;
	ahead.wary = ahead.indexed = false;
	ahead.unchecked = true;
	pass(&ahead, packet);
	found = next_recorded(&ahead, next, NULL) > 0;
	restore_slots(iterator, packet);
	return found;
}

/*
 * Do the packet's times contradict its neighbours' times? If so, the times of its events are
 * unknown, and the events must not be merged with other streams.
 */
static bool is_doubtful(struct ctf_packet_iterator *iterator, const struct ctf_packet *packet)
{
	const uint32_t times = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;
	const struct ctf_packet *last = &iterator->last;
	bool doubted = iterator->doubted;
	struct ctf_packet next;

	iterator->doubted = false;
	if (packet->file->sums)
		return false;
	if (packet->flags & CTF_PACKET_LATE_BEGIN)
		return true;
	if ((packet->flags & times) != times)
		return false;
	if (doubted || packet->end < packet->begin || packet->end_ns == INT64_MAX ||
	    (iterator->any && (last->flags & CTF_PACKET_HAS_END) && packet->begin < last->end))
		return true;
	if (!look_ahead(iterator, packet, &next) || (next.flags & times) != times ||
	    next.begin >= packet->end)
		return false;
	/*
	 * The times of the next packet are wrong if it ends before its own start or starts before
	 * this packet. This packet is then not doubtful.
	 */
	if (next.end < next.begin || next.begin < packet->begin)
		return false;
	iterator->doubted = packet->end <= next.end;
	return true;
}

/* Skips a packet that is unreliable for a reason other than its checksum. */
static void skip_packet(struct ctf_packet_iterator *iterator, const struct ctf_packet *packet,
			const char *what)
{
	const uint64_t end = packet->offset + packet->size_bits / 8;

	ctf_packet_report(iterator, packet->file, packet->offset,
			  CTF_FOUND_SKIPPED | CTF_FOUND_UNSEEN, "%s; skipped up to byte %" PRIu64,
			  what, end);
	iterator->offset = end;
	iterator->number++;
}

int ctf_packet_ref_compare(const void *a, const void *b)
{
	const struct ctf_packet_ref *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/*
 * If the packet at the iterator's position is a copy, returns the number of the original packet.
 * Otherwise returns CTF_NO_COPY.
 */
static uint64_t find_original(const struct ctf_packet_iterator *iterator)
{
	const struct ctf_stream *stream = iterator->stream;
	const struct ctf_packet_ref here = { .file = (uint32_t)iterator->file,
					     .offset = iterator->offset };
	const struct ctf_packet_ref *copy;

	if (stream->refs)
		return stream->refs[iterator->ref - 1].copy_of;
	if (!stream->copy_count)
		return CTF_NO_COPY;
	copy = bsearch(&here, stream->copies, stream->copy_count, sizeof(here),
		       ctf_packet_ref_compare);
	return copy ? copy->copy_of : CTF_NO_COPY;
}

static bool skip_copy(struct ctf_packet_iterator *iterator, const struct ctf_packet *packet)
{
	const uint64_t of = find_original(iterator);
	char what[96];

	if (of == CTF_NO_COPY)
		return false;
	snprintf(what, sizeof(what), "the packet is a copy of packet %" PRIu64 ": remove it", of);
	skip_packet(iterator, packet, what);
	return true;
}

/*
 * Is the index entry wrong? The caller has found that it differs from the packet. An entry that
 * contradicts itself, the stream or the previous packet is wrong. Otherwise, if the discarded-event
 * counts differ, the entry is wrong only if the packet repeats the previous packet's count. If they
 * are equal, it is wrong only if it differs just by a longer time range. (Other functions compare
 * the packet with its events and neighbours.)
 */
static bool is_entry_wrong(const struct ctf_packet_iterator *iterator,
			   const struct ctf_packet *packet, const struct ctf_index_entry *entry)
{
	const struct ctf_packet *last =
		iterator->any && !iterator->damaged ? &iterator->last : NULL;
	const bool counted = packet->flags & CTF_PACKET_HAS_SEQ && entry->has_more;
	struct ctf_index_entry other = *entry;

	if (ctf_index_is_other(entry, packet->stream) || entry->content_bits > entry->size_bits ||
	    entry->content_bits < packet->events_at || entry->begin > entry->end || !entry->end)
		return true;
	if (last && (last->flags & CTF_PACKET_HAS_END) && entry->begin < last->end)
		return true;
	if (last && counted && packet->seq == last->seq + 1 && entry->seq != packet->seq)
		return true;
	if (entry->discarded != packet->discarded)
		return packet->discarded == iterator->discarded;
	other.begin = packet->begin;
	other.end = packet->end;
	return entry->begin <= packet->begin && packet->end <= entry->end &&
	       !ctf_index_differs(&other, packet);
}

/*
 * Returns the name of a field that differs between LTTng's index and the packet, or NULL. Ignores
 * an index entry with another offset or size. Sets *@wrong if the index is wrong, not the packet.
 */
static const char *index_differs(const struct ctf_packet_iterator *iterator,
				 const struct ctf_packet *packet, bool *wrong)
{
	const struct ctf_packet_plan *plan =
		ctf_packet_plan_find(iterator->stream->trace, iterator->stream->class);
	const struct ctf_file *file = packet->file;
	struct ctf_index_entry entry;
	const char *field;

	/* Narrow timestamps depend on earlier packets, so they cannot be compared. */
	if (!iterator->indexed || file->sums || !file->index || plan->begin_width < 64 ||
	    plan->end_width < 64 || packet->number >= ctf_index_count(file->index))
		return NULL;
	ctf_index_read(file->index, packet->number, &entry);
	if (entry.offset != packet->offset || entry.size_bits != packet->size_bits)
		return NULL;
	field = ctf_index_differs(&entry, packet);
	*wrong = field && is_entry_wrong(iterator, packet, &entry);
	return field;
}

/*
 * Corrects the packet's sequence number from the index, if nothing else differs, and if the number
 * in the index follows the previous packet's number. Both conditions show that the packet's number
 * is wrong, and that no packet was lost.
 */
static void correct_seq(const struct ctf_packet_iterator *iterator, struct ctf_packet *packet)
{
	const struct ctf_file *file = packet->file;
	const struct ctf_packet *last = &iterator->last;
	struct ctf_index_entry entry;
	struct ctf_packet right = *packet;

	if (!iterator->any || !(last->flags & packet->flags & CTF_PACKET_HAS_SEQ) || file->sums ||
	    !file->index || packet->number >= ctf_index_count(file->index))
		return;
	ctf_index_read(file->index, packet->number, &entry);
	right.seq = last->seq + 1 + iterator->damaged;
	if (!entry.has_more || packet->seq == right.seq || ctf_index_differs(&entry, &right))
		return;
	ctf_packet_report(iterator, file, packet->offset, CTF_FOUND_COUNTER,
			  "packet_seq_num is %" PRIu64 ", but the file's index has %" PRIu64
			  ", which is right",
			  packet->seq, right.seq);
	packet->seq = right.seq;
}

/*
 * Compares the packet with its index entry. If they differ, skips or reports the packet, or reports
 * the index. Returns true if the packet was skipped.
 */
static bool skip_differing(struct ctf_packet_iterator *iterator, const struct ctf_packet *packet)
{
	bool wrong = false;
	const char *field = index_differs(iterator, packet, &wrong);
	char what[96];

	if (!field)
		return false;
	if (wrong) {
		ctf_packet_report(
			iterator, packet->file, packet->offset, CTF_FOUND_NOTE,
			"the index of the file is damaged, and not used (see `lttng-mm verify`)");
		return false;
	}
	snprintf(what, sizeof(what), "%s differs from the index of the file", field);
	if (iterator->wary)
		skip_packet(iterator, packet, what);
	else
		ctf_packet_report(iterator, packet->file, packet->offset, CTF_FOUND_DOUBTFUL, "%s",
				  what);
	iterator->damaged += iterator->wary;
	return iterator->wary;
}

/* Like ctf_packet_next(), but does not derive the end of a packet. */
static int next_recorded(struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
			 struct mm_error *err)
{
	const struct ctf_stream *stream = iterator->stream;
	const struct ctf_packet_plan *plan = ctf_packet_plan_find(stream->trace, stream->class);

	while (find_place(iterator)) {
		const struct ctf_file *file = &stream->files[iterator->file];
		struct ctf_packet_head head;
		int ret;

		if (file->sums && (!iterator->unchecked || ctf_file_parts(file)) &&
		    !check_sum(iterator, file))
			continue;
		ret = ctf_packet_head_read(stream->trace, plan, file->map, iterator->offset,
					   &iterator->spent, iterator->slots, &head);
		if (ctf_map_truncated(file->map))
			return mm_error_set(err, MM_EXIT_BAD_INPUT,
					    "trace: %s: packet %" PRIu64 " at byte %" PRIu64
					    ": cannot be read: the file shrank or its disk failed",
					    file->path, iterator->number, iterator->offset);
		if (ret) {
			skip_damage(iterator, file, plan, &head);
			continue;
		}
		ctf_packet_fill(packet, stream, file, iterator->offset, &head,
				iterator->any ? &iterator->last : NULL);
		packet->number = iterator->number;
		if ((!stream->refs && was_read(iterator, packet)) ||
		    is_foreign(iterator, &head, packet) || is_other(iterator, &head, packet)) {
			iterator->offset += packet->size_bits / 8;
			iterator->number++;
			continue;
		}
		if (packet->flags & CTF_PACKET_TRUNCATED) {
			check_truncated(iterator, plan, packet,
					packet->content_bits < head.content_bits);
			restore_slots(iterator, packet);
		}
		if (skip_copy(iterator, packet))
			continue;
		correct_seq(iterator, packet);
		if (skip_differing(iterator, packet))
			continue;
		if (iterator->wary && is_doubtful(iterator, packet)) {
			skip_packet(iterator, packet,
				    "the packet's times contradict its neighbours' times");
			iterator->damaged++;
			continue;
		}
		if (packet->flags & CTF_PACKET_HOLE)
			ctf_packet_report(
				iterator, file, packet->offset + packet->content_bits / 8,
				CTF_FOUND_SKIPPED,
				"the packet's content is a hole in the file from here on; skipped up to byte %" PRIu64,
				packet->offset + packet->size_bits / 8);
		ctf_packet_count_losses(iterator, packet, plan);
		ctf_packet_count_packets(iterator, packet, plan);
		check_times(iterator, packet);
		pass(iterator, packet);
		return 1;
	}
	return 0;
}

/*
 * Derives the end of a packet that has only a start timestamp. The packet ends at the start of the
 * next packet. The last packet ends at its last event.
 */
static void derive_end(struct ctf_packet_iterator *iterator, struct ctf_packet *packet)
{
	const struct ctf_stream *stream = iterator->stream;
	struct ctf_packet_iterator ahead = *iterator;
	struct ctf_packet next;
	uint64_t end = stream->last_end;
	int more;

	ahead.finding = NULL;
	more = next_recorded(&ahead, &next, NULL);
	restore_slots(iterator, packet);
	if (more > 0)
		end = next.begin;
	if (more < 0 || !(more ? next.flags & CTF_PACKET_HAS_BEGIN : stream->has_last_end))
		return;
	if (end < packet->begin || ctf_clock_to_ns(stream->class->clock, end, &packet->end_ns))
		return;
	packet->end = end;
	packet->flags |= CTF_PACKET_HAS_END | CTF_PACKET_END_DERIVED;
	iterator->last.end = packet->end;
	iterator->last.end_ns = packet->end_ns;
	iterator->last.flags = packet->flags;
}

int ctf_packet_next(struct ctf_packet_iterator *iterator, struct ctf_packet *packet,
		    struct mm_error *err)
{
	const uint32_t times = CTF_PACKET_HAS_BEGIN | CTF_PACKET_HAS_END;
	int ret = next_recorded(iterator, packet, err);

	if (ret > 0 && (packet->flags & times) == CTF_PACKET_HAS_BEGIN)
		derive_end(iterator, packet);
	return ret;
}

int ctf_packet_slots(const struct ctf_packet *packet, uint64_t *slots)
{
	const struct ctf_stream *stream = packet->stream;
	struct ctf_header header;

	return ctf_header_read(ctf_packet_plan_find(stream->trace, stream->class), packet->data,
			       packet->size_bits, 0, slots, &header);
}
