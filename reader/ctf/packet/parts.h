/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds the packets of a stream file by their checksums, even if they were moved in the file.
 *
 * Example: the checksums list the packets A B C D, and the file has B X A D. A, B and D are intact,
 * and A or B was moved. X comes from another file, so it is foreign. C is lost.
 */
#ifndef LTTNG_MM_CTF_PACKET_PARTS_H
#define LTTNG_MM_CTF_PACKET_PARTS_H

#include "reader/ctf/packet/packet-read.h"
#include "util/checksums.h"

enum ctf_part_kind {
	CTF_PART_PACKET,    /* an intact packet of the file */
	CTF_PART_DAMAGED,   /* damaged data in place of a packet of the file */
	CTF_PART_TRUNCATED, /* the start of a packet of the file; the file ends within the packet */
	CTF_PART_COPY,	    /* repeats a packet of the file */
	CTF_PART_FOREIGN,   /* not a packet of this file */
};

/* A part of a stream file. The parts follow each other without gaps. */
struct ctf_part {
	uint64_t offset, bytes;
	/*
	 * number of the packet in the list of checksums; for a copy or a foreign part, number of
	 * the packet before it
	 */
	uint64_t number;
	uint64_t lost; /* listed packets that are missing before this intact packet */
	enum ctf_part_kind kind;
	bool moved; /* intact, but not in the longest rising sequence of packet numbers */
};

struct ctf_parts {
	struct ctf_part *all; /* in the order of the file */
	size_t count, room;
	uint64_t lost; /* listed packets that are missing before intact packets */
	uint64_t gone; /* listed packets that are missing after the last intact packet */
	uint64_t damaged;
	uint64_t moved;
};

/*
 * Does each packet of the file @map start where @list says? If so, checksums can be verified in
 * place. Reads headers only.
 */
bool ctf_parts_are_in_place(const struct ctf_trace *trace, const struct ctf_map *map,
			    const struct mm_checksums *list, uint64_t *slots);

/*
 * Splits the file @map into parts, in time proportional to the sizes of file and list. If all
 * packets are where @list says and no packet is lost before them, @parts stays empty. Returns 0, or
 * -1 when out of memory. Release @parts in any case.
 */
int ctf_parts_find(struct ctf_parts *parts, const struct ctf_trace *trace,
		   const struct ctf_map *map, const struct mm_checksums *list, uint64_t *slots);
void ctf_parts_release(struct ctf_parts *parts);

#endif /* LTTNG_MM_CTF_PACKET_PARTS_H */
