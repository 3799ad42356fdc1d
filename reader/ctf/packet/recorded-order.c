// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the packets of a stream in the order in which they were recorded, if packets were moved. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/sums.h"
#include "util/plural.h"

/* Maximum number of moved packets that a message names. */
#define NAMED_MAX 8

struct recorded_part {
	uint64_t rank, offset, place;
};

static int by_rank(const void *a, const void *b)
{
	const struct recorded_part *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Adds the parts of a file. A foreign part or a copy stays after the packet that precedes it. */
static int add_parts(struct ctf_stream *stream, size_t file, const struct ctf_parts *parts)
{
	struct recorded_part *items = calloc(parts->count + 1, sizeof(*items));
	uint64_t rank = 0;

	if (!items)
		return -1;
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->all[i].kind <= CTF_PART_TRUNCATED)
			rank = parts->all[i].number;
		items[i] = (struct recorded_part){ rank, parts->all[i].offset, i };
	}
	qsort(items, parts->count, sizeof(*items), by_rank);
	for (size_t i = 0; i < parts->count; i++)
		stream->refs[stream->ref_count++] = (struct ctf_packet_ref){
			.offset = items[i].offset,
			.number = items[i].place,
			.file = (uint32_t)file,
			.copy_of = CTF_NO_COPY,
		};
	free(items);
	return 0;
}

static void add_listed(struct ctf_stream *stream, size_t file)
{
	const struct ctf_sums *sums = stream->files[file].sums;
	const uint64_t size = ctf_map_size(stream->files[file].map);
	uint64_t number = 0;

	for (const struct mm_checksum *sum = ctf_sums_first(sums); sum && sum->offset < size;
	     sum = ctf_sums_next(sums, sum))
		stream->refs[stream->ref_count++] = (struct ctf_packet_ref){
			.offset = sum->offset,
			.number = number++,
			.file = (uint32_t)file,
			.copy_of = CTF_NO_COPY,
		};
}

int ctf_stream_order_recorded(struct ctf_stream *stream)
{
	uint64_t moved = 0;
	size_t count = 0;

	for (size_t i = 0; i < stream->file_count; i++) {
		const struct ctf_sums *sums = stream->files[i].sums;
		const struct ctf_parts *parts = sums ? ctf_sums_parts(sums) : NULL;

		if (!sums)
			return 0;
		count += parts ? parts->count : ctf_sums_count(sums);
		moved += parts ? parts->moved : 0;
	}
	if (!moved)
		return 0;
	stream->refs = calloc(count + 1, sizeof(*stream->refs));
	if (!stream->refs)
		return -1;
	stream->order = CTF_ORDER_RECORDED;
	for (size_t i = 0; i < stream->file_count; i++) {
		const struct ctf_parts *parts = ctf_sums_parts(stream->files[i].sums);

		if (!parts)
			add_listed(stream, i);
		else if (add_parts(stream, i, parts))
			return -1;
	}
	return 1;
}

bool ctf_stream_is_sorted(const struct ctf_stream *stream)
{
	return stream->order == CTF_ORDER_SEQUENCE || stream->order == CTF_ORDER_BEGIN ||
	       stream->order == CTF_ORDER_RECORDED;
}

static char *moved_text(const struct ctf_file *file, const struct ctf_parts *parts)
{
	const uint64_t named = parts->moved < NAMED_MAX ? parts->moved : NAMED_MAX;
	char numbers[NAMED_MAX * 24] = "", rest[48] = "", *text;
	size_t length = 0;
	uint64_t seen = 0;

	for (size_t i = 0; i < parts->count && seen < named; i++) {
		if (!parts->all[i].moved)
			continue;
		length += (size_t)snprintf(numbers + length, sizeof(numbers) - length, "%s%zu",
					   !seen		      ? ""
					   : seen + 1 == parts->moved ? " and "
								      : ", ",
					   i);
		seen++;
	}
	if (parts->moved > named)
		snprintf(rest, sizeof(rest), " and %" PRIu64 " more", parts->moved - named);
	if (asprintf(
		    &text,
		    "trace: %s: %s %s%s %s not where %s recorded; packets are read in the recorded order",
		    file->path, mm_plural(parts->moved, "packet", "packets"), numbers, rest,
		    mm_plural(parts->moved, "is", "are"),
		    mm_plural(parts->moved, "it was", "they were")) < 0)
		return NULL;
	return text;
}

static char *recorded_text(const struct ctf_stream *stream)
{
	const struct ctf_file *first = NULL;
	char *text, *all;
	size_t others = 0;

	for (size_t i = 0; i < stream->file_count; i++) {
		const struct ctf_parts *parts = ctf_sums_parts(stream->files[i].sums);

		if (!parts || !parts->moved)
			continue;
		others += first != NULL;
		first = first ? first : &stream->files[i];
	}
	text = first ? moved_text(first, ctf_sums_parts(first->sums)) : NULL;
	if (!text || !others)
		return text;
	if (asprintf(&all, "%s; the same applies to %zu other %s", text, others,
		     mm_plural(others, "file", "files")) < 0)
		all = NULL;
	free(text);
	return all;
}

char *ctf_stream_order_text(const struct ctf_stream *stream)
{
	char *text = NULL, others[64] = "";

	if (stream->order == CTF_ORDER_RECORDED)
		return recorded_text(stream);
	if (stream->file_count > 1)
		snprintf(others, sizeof(others), " and %zu other %s", stream->file_count - 1,
			 mm_plural(stream->file_count - 1, "file", "files"));
	if (!ctf_stream_is_sorted(stream) ||
	    asprintf(
		    &text,
		    "trace: %s%s: its packets are not in the order of time; they are read in the order of their %s",
		    stream->files[0].path, others,
		    stream->order == CTF_ORDER_SEQUENCE ? "sequence numbers" : "start timestamps") <
		    0)
		return NULL;
	return text;
}
