// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Nodes: which memory and which CPUs are whose, and what is allocated or freed on a CPU of another
 * node than its memory's.
 *
 * That is decided as events come: keeping where each was would cost more than all else. So it counts
 * from when nodes and CPUs are known, which a recorder's state dump tells before anything else.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/slab-act.h"
#include "analysis/slab/slab-report.h"

#define CROSS_MAX    (1u << 20)
#define PAGE_SHIFT   12u
#define NODE_UNKNOWN (-1)

/* Allocations and frees of one call site and kind on a CPU of another node. */
struct cross {
	struct slab_row row; /* code, kind */
	uint64_t counts[2];
};

static unsigned int page_shift(const struct slab_state *state)
{
	return state->page_shift ? state->page_shift : PAGE_SHIFT;
}

unsigned int slab_page_scale(const struct slab_state *state)
{
	return page_shift(state) - PAGE_SHIFT;
}

/* The first node with a page frame of [@pfn, @pfn + @count). */
static int find_node(const struct slab_state *state, uint64_t pfn, uint64_t count)
{
	for (uint32_t i = 0; i < state->node_count; i++)
		if (pfn + count > state->nodes[i].pfn_start && pfn < state->nodes[i].pfn_end)
			return (int)i;
	return NODE_UNKNOWN;
}

int32_t slab_section_node(const struct slab_state *state, uint32_t section, bool pages)
{
	unsigned int shift =
		pages ? SLAB_SECTION_PAGES_SHIFT : SLAB_SECTION_SHIFT - page_shift(state);
	int node = find_node(state, (uint64_t)section << shift, 1ull << shift);

	return node < 0 ? -1 : state->nodes[node].node;
}

static int node_index(const struct slab_state *state, int32_t node)
{
	for (uint32_t i = 0; i < state->node_count; i++)
		if (state->nodes[i].node == node)
			return (int)i;
	return NODE_UNKNOWN;
}

/* A section is of the first node with memory in it. A node may have several ranges: the first stands for it. */
static void add_to_places(const struct slab_state *state, const struct slab_node *node)
{
	int index = node_index(state, node->node);
	unsigned int shift = SLAB_SECTION_SHIFT - page_shift(state);
	struct slab_places *places = state->places;

	for (uint64_t i = node->pfn_start >> shift;
	     i < SLAB_PLACES_MAX && i << shift < node->pfn_end && node->pfn_start < node->pfn_end;
	     i++)
		if (places->sections[i] == NODE_UNKNOWN)
			places->sections[i] = (int16_t)index;
	for (uint32_t i = 0; i < SLAB_CPU_MAX; i++)
		if (state->cpu_nodes[i] == node->node)
			places->cpus[i] = (int16_t)index;
}

static bool has_two_nodes(const struct slab_state *state)
{
	for (uint32_t i = 1; i < state->node_count; i++)
		if (state->nodes[i].node != state->nodes[0].node)
			return true;
	return false;
}

/* When nodes and CPUs begin to be known. */
static int make_places(struct slab_state *state)
{
	struct slab_places *places;

	if (state->places || !has_two_nodes(state) || !state->cpu_nodes)
		return 0;
	places = malloc(sizeof(*places));
	if (!places || slab_rows_init(&places->cross, sizeof(struct cross), CROSS_MAX, 8)) {
		free(places);
		return -1;
	}
	/* All bits of NODE_UNKNOWN are set. */
	memset(places->sections, 0xff, sizeof(places->sections));
	memset(places->cpus, 0xff, sizeof(places->cpus));
	memset(places->counts, 0, sizeof(places->counts));
	state->places = places;
	for (uint32_t i = 0; i < state->node_count; i++)
		add_to_places(state, &state->nodes[i]);
	return 0;
}

/* Of a size that pages can have, a power of two. */
static void set_page_size(struct slab_state *state, uint64_t size)
{
	if (!state->node_count && size >= 1u << PAGE_SHIFT && size <= 1u << 20 &&
	    !(size & (size - 1)))
		state->page_shift = (unsigned int)__builtin_ctzll(size);
}

static bool is_told(const struct slab_state *state, const struct slab_node *node)
{
	for (uint32_t i = 0; i < state->node_count; i++)
		if (state->nodes[i].node == node->node &&
		    state->nodes[i].pfn_start == node->pfn_start &&
		    state->nodes[i].pfn_end == node->pfn_end)
			return true;
	return false;
}

int slab_dump_node(struct slab_state *state, const struct mm_event *event)
{
	enum { NODE, START, END };
	const union mm_scalar *f = event->fields;
	const struct slab_node node = { (int32_t)f[NODE].i, f[START].u, f[END].u };

	set_page_size(state, f[SLAB_DUMP_PAGE_SIZE].u);
	if (state->node_count == SLAB_NODES_MAX || is_told(state, &node))
		return 0;
	state->nodes[state->node_count++] = node;
	if (state->places)
		add_to_places(state, &node);
	return make_places(state);
}

int slab_dump_cpu(struct slab_state *state, const struct mm_event *event)
{
	enum { CPU, NODE };
	const union mm_scalar *f = event->fields;
	int32_t node = (int32_t)f[NODE].i;

	if (f[CPU].u >= SLAB_CPU_MAX)
		return 0;
	if (!state->cpu_nodes) {
		state->cpu_nodes = malloc(SLAB_CPU_MAX * sizeof(*state->cpu_nodes));
		if (!state->cpu_nodes)
			return -1;
		for (uint32_t i = 0; i < SLAB_CPU_MAX; i++)
			state->cpu_nodes[i] = NODE_UNKNOWN;
	}
	state->cpu_nodes[f[CPU].u] = node;
	if (state->places)
		state->places->cpus[f[CPU].u] = (int16_t)node_index(state, node);
	return make_places(state);
}

void slab_nodes_release(struct slab_state *state)
{
	if (state->places)
		slab_rows_release(&state->places->cross);
	free(state->places);
	free(state->cpu_nodes);
}

int slab_nodes_tally(struct slab_state *state, const struct slab_op *op,
		     const union slab_who *owner)
{
	enum { SAME, OTHER, UNKNOWN };
	struct slab_places *places = state->places;
	bool pages = op->key & SLAB_KEY_PAGE;
	bool freed = slab_op_is_free(op);
	uint64_t key = op->key & ~SLAB_KEY_PAGE, section = key >> SLAB_SECTION_SHIFT;
	int memory = NODE_UNKNOWN, cpu = places->cpus[op->who.cpu];
	struct cross *cross;

	if (pages)
		section = key >> (SLAB_SECTION_SHIFT - page_shift(state));
	if (section < SLAB_PLACES_MAX)
		memory = places->sections[section];
	places->counts[freed][pages][memory < 0 || cpu < 0 ? UNKNOWN
				     : memory == cpu	   ? SAME
							   : OTHER]++;
	if (memory < 0 || cpu < 0 || memory == cpu)
		return 0;
	cross = slab_rows_get(&places->cross, owner->code, owner->kind);
	if (!cross)
		return -1;
	cross->counts[freed]++;
	return 0;
}

static int compare_cross(const void *a, const void *b)
{
	const struct cross *x = a, *y = b;
	uint64_t left = x->counts[0] + x->counts[1], right = y->counts[0] + y->counts[1];

	if (left != right)
		return left < right ? 1 : -1;
	if (x->row.a != y->row.a)
		return x->row.a < y->row.a ? -1 : 1;
	return (x->row.b > y->row.b) - (x->row.b < y->row.b);
}

static const struct mm_column cross_columns[] = {
	{ "call_site", "allocated at", MM_UNIT_NONE },
	{ "code", NULL, MM_UNIT_HEX },
	{ "kind", "of", MM_UNIT_NONE },
	{ "cross_node_allocations", "allocated cross-node", MM_UNIT_COUNT },
	{ "cross_node_frees", "freed cross-node", MM_UNIT_COUNT },
	{ NULL, NULL, MM_UNIT_NONE },
};

static void fill_cross(const struct slab_state *state, const struct mm_report_options *options,
		       struct mm_report *report)
{
	static const struct slab_table like = {
		"cross-node", "Memory of one node, CPU of another",
		"counted from when nodes and CPUs are known; of frees those whose allocation is known",
		cross_columns
	};
	struct mm_table *table = slab_report_table(report, options, "node", &like);
	const struct slab_rows *rows = &state->places->cross;
	struct cross *all = calloc(rows->count, sizeof(*all));
	char text[256];

	if (all) {
		memcpy(all, slab_rows_at(rows, 0), rows->count * sizeof(*all));
		qsort(all, rows->count, sizeof(*all), compare_cross);
	}
	for (uint32_t i = 0; all && i < rows->count; i++) {
		struct mm_cell *cells =
			all[i].counts[0] + all[i].counts[1] ? mm_table_row(report, table) : NULL;

		if (!cells)
			continue;
		slab_name_code(state, all[i].row.a, text, sizeof(text));
		mm_cell_set_s(&cells[0], text);
		mm_cell_set_u(&cells[1], all[i].row.a);
		slab_name_kind(state, all[i].row.b, text, sizeof(text));
		mm_cell_set_s(&cells[2], text);
		slab_name_kind_shown(state, all[i].row.b, false, text, sizeof(text));
		mm_cell_set_shown(&cells[2], text);
		mm_cell_set_u(&cells[3], all[i].counts[0]);
		mm_cell_set_u(&cells[4], all[i].counts[1]);
	}
	report->failed |= !all;
	free(all);
}

void slab_report_nodes(struct slab_state *state, const struct mm_report_options *options,
		       struct mm_report *report)
{
	static const char *const events[] = { "allocation", "free" }, *const kinds[] = { "object",
											 "pages" };
	static const char *const nodes[] = { "same", "other", "unknown" };
	const struct slab_places *places = state->places;

	if (!places)
		return;
	for (int event = 0; event < 2; event++)
		for (int kind = 0; kind < 2; kind++)
			for (int node = 0; node < 3; node++)
				mm_report_metric(report, "slab.node_of_memory", "events",
						 (double)places->counts[event][kind][node],
						 "event=\"%s\",of=\"%s\",node=\"%s\"",
						 events[event], kinds[kind], nodes[node]);
	fill_cross(state, options, report);
	mm_report_conclude(report,
			   "Cross-node: %" PRIu64 " objects allocated on a CPU of another node than"
			   " their memory's, %" PRIu64 " freed on one.",
			   places->counts[0][0][1], places->counts[1][0][1]);
}
