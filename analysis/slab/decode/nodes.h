/* SPDX-License-Identifier: LGPL-2.1-only */
/* NUMA nodes: their memory and CPUs, from the state dump; and the size of pages. */
#ifndef LTTNG_MM_SLAB_DECODE_NODES_H
#define LTTNG_MM_SLAB_DECODE_NODES_H

#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"

#define SLAB_NODE_UNKNOWN (-1)
#define SLAB_PLACES_MAX 65536u /* sections: 8 TiB; memory beyond is of an unknown node */
#define SLAB_NODES_MAX 1024
#define SLAB_RANGES_OF_NODES (2 * SLAB_NODES_MAX)
#define SLAB_DUMP_PAGE_SIZE 3 /* that field of the node's event may be missing */

/* A range of a node's memory: there may be several. */
struct slab_node {
	int32_t node;
	uint64_t pfn_start, pfn_end;
};

/* Indexes of nodes; SLAB_NODE_UNKNOWN: not known. */
struct slab_node_map {
	int16_t sections[SLAB_PLACES_MAX];
	int16_t cpus[SLAB_CPU_MAX + 1];
};

struct slab_nodes {
	struct slab_node all[SLAB_RANGES_OF_NODES];
	uint32_t count;		 /* ranges */
	unsigned int page_shift; /* of the trace's pages; 0: not known */
	int32_t *cpu_nodes;	 /* SLAB_CPU_MAX of them; NULL: not known */
	/* NULL: there is one node, or nothing is known. Once made, it does not move. */
	struct slab_node_map *map;
};

void slab_nodes_release(struct slab_nodes *nodes);

/* Events of the state dump. Return 0, or -1: out of memory. */
int slab_nodes_dump(struct slab_nodes *nodes, const struct mm_event *event);
int slab_nodes_dump_cpu(struct slab_nodes *nodes, const struct mm_event *event);

bool slab_nodes_are_several(const struct slab_nodes *nodes);
/* The node of a section of memory, or of one of pages; SLAB_NODE_UNKNOWN: not known. */
int32_t slab_section_node(const struct slab_nodes *nodes, uint32_t section, bool pages);
/* Of a size that pages can have, a power of two; others are ignored. */
void slab_set_page_size(struct slab_nodes *nodes, uint64_t size);
/* Pages are 2^that times SLAB_PAGE_UNIT. */
unsigned int slab_page_scale(const struct slab_nodes *nodes);
/* The index of the section of memory in slab_node_map, which may be SLAB_PLACES_MAX or more. */
uint64_t slab_nodes_section(const struct slab_nodes *nodes, uint64_t address);

#endif /* LTTNG_MM_SLAB_DECODE_NODES_H */
