// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the packets of a stream file by their checksums, even if they were moved in the file. */
#include "reader/ctf/packet/parts.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define NO_NUMBER SIZE_MAX

/*
 * Limit on the bytes whose checksums were computed in vain, as a multiple of the file's size. Each
 * packet may state a size that reaches far beyond the next packet header, so without a limit the
 * work would be quadratic.
 */
#define WASTE_MAX 4

/*
 * Maximum number of listed packets to compare when looking for the packet that a damaged part
 * replaces.
 */
#define REPLACED_AHEAD 64

/* A part of the file whose kind is not known yet. */
struct file_piece {
	uint64_t offset, bytes;
	/* number of the listed packet with the same content; NO_NUMBER: none */
	size_t number;
	bool copy;     /* the piece repeats packet @number */
	bool has_head; /* the piece starts with a readable packet header */
	/* the packet states a size of @stated bytes, which exceeds the rest of the file */
	bool cut;
	uint64_t stated;
	bool in_order; /* @number is in the longest rising sequence of packet numbers */
};

struct part_search {
	const struct ctf_trace *trace;
	const struct ctf_map *map;
	const struct mm_checksums *list;
	uint64_t *slots;
	uint64_t size;
	uint64_t spent;	 /* work on data that is not a packet header */
	uint64_t wasted; /* bytes whose checksum matched no packet */
	/* numbers of listed packets, sorted by size and checksum; equal packets form a group */
	size_t *sorted;
	/* cursors[first index of a group]: index of the group's next packet that may be unused */
	size_t *cursors;
	bool *used; /* per listed packet: found in the file */
	struct file_piece *pieces;
	size_t count, room;
	struct ctf_parts *parts;
	bool failed;
};

static int read_head(struct part_search *search, uint64_t at, struct ctf_packet_head *head)
{
	return ctf_packet_head_read(search->trace, NULL, search->map, at, &search->spent,
				    search->slots, head);
}

static bool starts_packet(struct part_search *search, uint64_t at)
{
	struct ctf_packet_head head;

	return !read_head(search, at, &head);
}

bool ctf_parts_are_in_place(const struct ctf_trace *trace, const struct ctf_map *map,
			    const struct mm_checksums *list, uint64_t *slots)
{
	struct part_search search = { .trace = trace, .map = map, .list = list, .slots = slots };
	uint64_t begin = 0, seq = 0;

	search.size = ctf_map_size(map);
	if (!list->count ||
	    list->all[list->count - 1].offset + list->all[list->count - 1].bytes != search.size)
		return false;
	for (size_t i = 0; i < list->count; i++) {
		const struct mm_checksum *sum = &list->all[i];
		struct ctf_packet_head head;
		uint64_t next_begin, next_seq;

		if (read_head(&search, sum->offset, &head) || head.mismatch ||
		    head.size_bits / 8 != sum->bytes)
			return false;
		next_begin = ctf_header_value(&head.header, CTF_ROLE_TIME);
		next_seq = ctf_header_value(&head.header, CTF_ROLE_PACKET_SEQ);
		if (next_begin < begin || next_seq < seq)
			return false;
		begin = next_begin;
		seq = next_seq;
		ctf_map_done(map, sum->offset, sum->bytes);
	}
	return true;
}

static int compare_sums(const void *a, const void *b, void *list)
{
	const struct mm_checksum *all = ((const struct mm_checksums *)list)->all;
	const size_t i = *(const size_t *)a, j = *(const size_t *)b;

	if (all[i].bytes != all[j].bytes)
		return all[i].bytes < all[j].bytes ? -1 : 1;
	if (all[i].crc != all[j].crc)
		return all[i].crc < all[j].crc ? -1 : 1;
	return (i > j) - (i < j);
}

/* Returns the first index in @sorted that is not ordered before this size and checksum. */
static size_t find_group(const struct part_search *search, uint64_t bytes, uint32_t crc)
{
	size_t low = 0, high = search->list->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct mm_checksum *sum = &search->list->all[search->sorted[middle]];

		if (sum->bytes < bytes || (sum->bytes == bytes && sum->crc < crc))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_listed(const struct part_search *search, size_t place, uint64_t bytes, uint32_t crc)
{
	const struct mm_checksum *sum;

	if (place >= search->list->count)
		return false;
	sum = &search->list->all[search->sorted[place]];
	return sum->bytes == bytes && sum->crc == crc;
}

static bool has_size(const struct part_search *search, uint64_t bytes)
{
	const size_t place = find_group(search, bytes, 0);

	return place < search->list->count &&
	       search->list->all[search->sorted[place]].bytes == bytes;
}

/*
 * Returns the number of a listed packet that has the content of [@at, @at + @bytes) and is not used
 * yet. Prefers @next, then the first match. If all matches are used, this content is a copy:
 * returns NO_NUMBER, and sets *@copy to one of the matches. If there is no match, also sets *@copy
 * to NO_NUMBER.
 */
static size_t match(struct part_search *search, uint64_t at, uint64_t bytes, size_t next,
		    size_t *copy)
{
	const struct mm_checksum *all = search->list->all;
	size_t first, place;
	uint32_t crc;

	*copy = NO_NUMBER;
	if (!has_size(search, bytes) || search->wasted / WASTE_MAX > search->size)
		return NO_NUMBER;
	crc = ctf_map_checksum(search->map, at, bytes);
	if (next < search->list->count && !search->used[next] && all[next].bytes == bytes &&
	    all[next].crc == crc)
		return next;
	first = find_group(search, bytes, crc);
	if (!is_listed(search, first, bytes, crc)) {
		search->wasted += bytes;
		return NO_NUMBER;
	}
	place = search->cursors[first] > first ? search->cursors[first] : first;
	while (is_listed(search, place, bytes, crc) && search->used[search->sorted[place]])
		place++;
	search->cursors[first] = place;
	if (is_listed(search, place, bytes, crc))
		return search->sorted[place];
	*copy = search->sorted[first];
	return NO_NUMBER;
}

/*
 * Finds the end of the part at @at, which is not a listed packet. The part ends where the next
 * packet starts. Finds this packet by its header, by the size that the part states, or, without
 * magic numbers, by the expected size.
 */
static uint64_t find_end(struct part_search *search, uint64_t at, const struct file_piece *piece,
			 size_t next)
{
	const uint64_t left = search->size - at;
	const struct mm_checksum *expected =
		next < search->list->count ? &search->list->all[next] : NULL;
	uint64_t end = ctf_packet_find(search->trace, NULL, search->map, at + 1, &search->spent,
				       search->slots);

	if (piece->has_head && piece->stated < left && at + piece->stated < end &&
	    starts_packet(search, at + piece->stated))
		return at + piece->stated;
	/*
	 * Without magic numbers, ctf_packet_find() finds no packet header. Use the expected size.
	 */
	if (end == UINT64_MAX && expected && expected->bytes < left &&
	    starts_packet(search, at + expected->bytes))
		return at + expected->bytes;
	return end < search->size ? end : search->size;
}

static void add_piece(struct part_search *search, const struct file_piece *piece)
{
	struct file_piece *grown =
		mm_array_grow(search->pieces, search->count, &search->room, sizeof(*grown));

	if (!grown) {
		search->failed = true;
		return;
	}
	search->pieces = grown;
	grown[search->count++] = *piece;
}

static void split(struct part_search *search)
{
	size_t next = 0, copy;

	for (uint64_t at = 0; at < search->size && !search->failed;) {
		const uint64_t left = search->size - at;
		struct file_piece piece = { .offset = at, .number = NO_NUMBER };
		struct ctf_packet_head head;

		piece.has_head = !read_head(search, at, &head);
		if (piece.has_head)
			piece.stated = head.size_bits == UINT64_MAX ? left : head.size_bits / 8;
		if (piece.has_head && piece.stated <= left) {
			piece.number = match(search, at, piece.stated, next, &copy);
			piece.bytes = piece.stated;
			if (piece.number != NO_NUMBER) {
				search->used[piece.number] = true;
				next = piece.number + 1;
			} else if (copy != NO_NUMBER) {
				piece.copy = true;
				piece.number = copy;
			}
		}
		if (piece.number == NO_NUMBER) {
			piece.bytes = find_end(search, at, &piece, next) - at;
			piece.cut = piece.bytes == left && (!piece.has_head || piece.stated > left);
		}
		add_piece(search, &piece);
		ctf_map_done(search->map, at, piece.bytes);
		at += piece.bytes;
	}
}

static bool is_packet(const struct file_piece *piece)
{
	return piece->number != NO_NUMBER && !piece->copy;
}

/*
 * Marks the packets of a longest rising sequence of packet numbers; all other packets were moved.
 * Uses patience sorting: among the sequences of n + 1 packets, the one that ends with the lowest
 * number ends at tails[n].
 */
static void find_order(struct part_search *search)
{
	size_t *tails = calloc(search->count + 1, sizeof(*tails));
	size_t *before = calloc(search->count + 1, sizeof(*before));
	size_t length = 0;

	search->failed |= !tails || !before;
	for (size_t i = 0; i < search->count && !search->failed; i++) {
		size_t low = 0, high = length;

		if (!is_packet(&search->pieces[i]))
			continue;
		while (low < high) {
			const size_t middle = low + (high - low) / 2;

			if (search->pieces[tails[middle]].number < search->pieces[i].number)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? tails[low - 1] : NO_NUMBER;
		tails[low] = i;
		length += low == length;
	}
	for (size_t i = length && !search->failed ? tails[length - 1] : NO_NUMBER; i != NO_NUMBER;
	     i = before[i])
		search->pieces[i].in_order = true;
	free(tails);
	free(before);
}

static void add_part(struct part_search *search, uint64_t offset, uint64_t bytes,
		     enum ctf_part_kind kind, size_t number, bool moved)
{
	struct ctf_parts *parts = search->parts;
	struct ctf_part *grown =
		mm_array_grow(parts->all, parts->count, &parts->room, sizeof(*grown));

	if (!grown) {
		search->failed = true;
		return;
	}
	parts->all = grown;
	grown[parts->count++] = (struct ctf_part){
		.offset = offset, .bytes = bytes, .number = number, .kind = kind, .moved = moved
	};
	parts->damaged += kind == CTF_PART_DAMAGED;
	parts->moved += moved;
	if (kind == CTF_PART_DAMAGED || kind == CTF_PART_TRUNCATED)
		search->used[number] = true;
}

/*
 * If the pieces [@first, @last) are neither packets nor copies, and have the same total size as the
 * missing packets among the numbers [@low, @high), adds these packets as damaged. Returns true if
 * they were added.
 */
static bool replace_all(struct part_search *search, size_t first, size_t last, size_t low,
			size_t high)
{
	const struct mm_checksum *all = search->list->all;
	uint64_t offset = search->pieces[first].offset, missing = 0;
	const uint64_t end = search->pieces[last - 1].offset + search->pieces[last - 1].bytes;

	for (size_t i = first; i < last; i++)
		if (search->pieces[i].number != NO_NUMBER)
			return false;
	for (size_t i = low; i < high; i++)
		missing += search->used[i] ? 0 : all[i].bytes;
	if (missing != end - offset)
		return false;
	for (size_t i = low; i < high; i++) {
		if (search->used[i])
			continue;
		add_part(search, offset, all[i].bytes, CTF_PART_DAMAGED, i, false);
		offset += all[i].bytes;
	}
	return true;
}

/* Returns the missing packet in [*@low, @high) that the piece replaces, or NO_NUMBER. */
static size_t find_replaced(const struct part_search *search, const struct file_piece *piece,
			    size_t *low, size_t high)
{
	const struct mm_checksum *all = search->list->all;
	unsigned int looked_at = 0;

	while (*low < high && search->used[*low])
		++*low;
	for (size_t i = *low; i < high && looked_at < REPLACED_AHEAD; i++) {
		if (search->used[i])
			continue;
		looked_at++;
		if (all[i].bytes == (piece->cut ? piece->stated : piece->bytes) ||
		    (!piece->has_head && (!piece->cut || all[i].bytes >= piece->bytes)))
			return i;
	}
	return NO_NUMBER;
}

/*
 * Adds the pieces [@first, @last), which lie between two packets that were not moved, or between
 * such a packet and the start or end of the file. Packets with the numbers [@low, @high) may be
 * missing there.
 */
static void add_between(struct part_search *search, size_t first, size_t last, size_t low,
			size_t high)
{
	if (first == last || replace_all(search, first, last, low, high))
		return;
	for (size_t i = first; i < last; i++) {
		const struct file_piece *piece = &search->pieces[i];
		enum ctf_part_kind kind = CTF_PART_FOREIGN;
		size_t number = low ? low - 1 : 0, replaced;

		if (piece->number != NO_NUMBER) {
			kind = piece->copy ? CTF_PART_COPY : CTF_PART_PACKET;
			number = piece->number;
		} else if ((replaced = find_replaced(search, piece, &low, high)) != NO_NUMBER) {
			kind = piece->cut && search->list->all[replaced].bytes > piece->bytes
				       ? CTF_PART_TRUNCATED
				       : CTF_PART_DAMAGED;
			number = replaced;
			low = replaced + 1;
		}
		add_part(search, piece->offset, piece->bytes, kind, number,
			 kind == CTF_PART_PACKET);
	}
}

static void add_all(struct part_search *search)
{
	size_t first = 0, low = 0;

	for (size_t i = 0; i < search->count && !search->failed; i++) {
		const struct file_piece *piece = &search->pieces[i];

		if (!piece->in_order)
			continue;
		add_between(search, first, i, low, piece->number);
		add_part(search, piece->offset, piece->bytes, CTF_PART_PACKET, piece->number,
			 false);
		first = i + 1;
		low = piece->number + 1;
	}
	if (!search->failed)
		add_between(search, first, search->count, low, search->list->count);
}

static void count_lost(struct part_search *search)
{
	struct ctf_parts *parts = search->parts;
	size_t *intact = calloc(search->list->count + 1, sizeof(*intact));
	uint64_t lost = 0;

	search->failed |= !intact;
	for (size_t i = 0; i < parts->count && intact; i++)
		if (parts->all[i].kind == CTF_PART_PACKET)
			intact[parts->all[i].number] = i + 1;
	for (size_t i = 0; i < search->list->count && intact; i++) {
		lost += !search->used[i];
		if (!intact[i])
			continue;
		parts->all[intact[i] - 1].lost = lost;
		parts->lost += lost;
		lost = 0;
	}
	parts->gone = lost;
	free(intact);
}

/* Is every part where the list of checksums says? */
static bool are_in_place(const struct part_search *search)
{
	const struct ctf_parts *parts = search->parts;

	for (size_t i = 0; i < parts->count; i++) {
		const struct ctf_part *part = &parts->all[i];

		if (i >= search->list->count || part->number != i ||
		    part->kind > CTF_PART_TRUNCATED ||
		    part->offset != search->list->all[i].offset ||
		    (part->bytes != search->list->all[i].bytes) !=
			    (part->kind == CTF_PART_TRUNCATED))
			return false;
	}
	return true;
}

int ctf_parts_find(struct ctf_parts *parts, const struct ctf_trace *trace,
		   const struct ctf_map *map, const struct mm_checksums *list, uint64_t *slots)
{
	struct part_search search = { .trace = trace, .map = map, .list = list, .slots = slots };

	*parts = (struct ctf_parts){ NULL };
	search.parts = parts;
	search.size = ctf_map_size(map);
	search.sorted = calloc(list->count + 1, sizeof(*search.sorted));
	search.cursors = calloc(list->count + 1, sizeof(*search.cursors));
	search.used = calloc(list->count + 1, sizeof(*search.used));
	search.failed = !search.sorted || !search.cursors || !search.used;
	for (size_t i = 0; i < list->count && !search.failed; i++)
		search.sorted[i] = i;
	if (!search.failed && list->count) {
		qsort_r(search.sorted, list->count, sizeof(*search.sorted), compare_sums,
			(void *)(uintptr_t)list);
		split(&search);
	}
	if (!search.failed)
		find_order(&search);
	if (!search.failed)
		add_all(&search);
	if (!search.failed)
		count_lost(&search);
	if (!search.failed && are_in_place(&search))
		ctf_parts_release(parts);
	free(search.sorted);
	free(search.cursors);
	free(search.used);
	free(search.pieces);
	return search.failed ? -1 : 0;
}

void ctf_parts_release(struct ctf_parts *parts)
{
	free(parts->all);
	*parts = (struct ctf_parts){ NULL };
}
