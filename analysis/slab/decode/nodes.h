/* SPDX-License-Identifier: LGPL-2.1-only */
/* NUMA nodes with their memory and CPUs, from the state dump; and the page size. */
#ifndef LTTNG_MM_SLAB_DECODE_NODES_H
#define LTTNG_MM_SLAB_DECODE_NODES_H

#include "analysis/slab/decode/op.h"
#include "reader/events/source.h"

#define SLAB_NODE_UNKNOWN (-1)
/* number of sections, enough for 8 TiB; the node of memory above this address is unknown */
#define SLAB_PLACES_MAX 65536u
#define SLAB_NODES_MAX 1024
#define SLAB_RANGES_OF_NODES (2 * SLAB_NODES_MAX)
#define SLAB_DUMP_PAGE_SIZE 3 /* field number of the page size (older traces have none) */

/* A range of a node's memory. A node may have several ranges. */
struct slab_node {
	int32_t node;
	uint64_t pfn_start, pfn_end;
};

/* Maps each section and each CPU to the index of its node, or to SLAB_NODE_UNKNOWN. */
struct slab_node_map {
	int16_t sections[SLAB_PLACES_MAX];
	int16_t cpus[SLAB_CPU_MAX + 1];
};

struct slab_nodes {
	struct slab_node all[SLAB_RANGES_OF_NODES];
	uint32_t count;		 /* number of ranges */
	unsigned int page_shift; /* log2 of the page size; 0: unknown */
	int32_t *cpu_nodes;	 /* SLAB_CPU_MAX elements; NULL: unknown */
	/* NULL if there is only one node, or if nodes or CPUs are unknown; never reallocated */
	struct slab_node_map *map;
};

void slab_nodes_release(struct slab_nodes *nodes);

/* Process events of the state dump. Return 0, or -1 when out of memory. */
int slab_nodes_dump(struct slab_nodes *nodes, const struct mm_event *event);
int slab_nodes_dump_cpu(struct slab_nodes *nodes, const struct mm_event *event);

bool slab_nodes_are_several(const struct slab_nodes *nodes);
/*
 * Returns the node of a section of memory, or SLAB_NODE_UNKNOWN. @pages is true if @section was
 * computed from a page frame number, and false if it was computed from an address.
 */
int32_t slab_section_node(const struct slab_nodes *nodes, uint32_t section, bool pages);
/* Sets the page size. Ignores sizes that pages cannot have. */
void slab_set_page_size(struct slab_nodes *nodes, uint64_t size);
/* Returns the binary logarithm of the page size in units of SLAB_PAGE_UNIT. */
unsigned int slab_page_scale(const struct slab_nodes *nodes);
/* Returns the index of the address's section in slab_node_map; may be SLAB_PLACES_MAX or more. */
uint64_t slab_nodes_section(const struct slab_nodes *nodes, uint64_t address);

#endif /* LTTNG_MM_SLAB_DECODE_NODES_H */
