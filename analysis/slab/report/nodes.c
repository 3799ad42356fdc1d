// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Nodes: which memory and which CPUs are whose, and what is allocated or freed on a CPU of another
 * node than its memory's.
 *
 * That is decided as events come: keeping where each was would cost more than all else. So it
 * counts from when nodes and CPUs are known, which a recorder's state dump tells before anything
 * else.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/track/general-path.h"
#include "analysis/slab/report/report.h"

#define CROSS_MAX (1u << 20)
#define PAGE_SHIFT 12u
#define NODE_UNKNOWN (-1)

/* Where memory is, as seen from a CPU. */
enum { SAME, OTHER, UNKNOWN };

/* Allocations and frees of one call site and kind on a CPU of another node. */
struct cross {
	struct mm_row row; /* code, kind */
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

/* A section is of the first node with memory in it. */
static void mark_sections(struct slab_state *state, int index, uint64_t pfn_start, uint64_t pfn_end)
{
	unsigned int shift = SLAB_SECTION_SHIFT - page_shift(state);
	struct slab_places *places = state->places;

	for (uint64_t i = pfn_start >> shift;
	     i < SLAB_PLACES_MAX && i << shift < pfn_end && pfn_start < pfn_end; i++)
		if (places->sections[i] == NODE_UNKNOWN)
			places->sections[i] = (int16_t)index;
}

static void mark_cpus(struct slab_state *state, int index)
{
	for (uint32_t i = 0; i < SLAB_CPU_MAX; i++)
		if (state->cpu_nodes[i] == state->nodes[index].node)
			state->places->cpus[i] = (int16_t)index;
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
	if (!places || mm_rows_init(&places->cross, sizeof(struct cross), CROSS_MAX, 8)) {
		free(places);
		return -1;
	}
	/* All bits of NODE_UNKNOWN are set. */
	memset(places->sections, 0xff, sizeof(places->sections));
	memset(places->cpus, 0xff, sizeof(places->cpus));
	memset(places->counts, 0, sizeof(places->counts));
	state->places = places;
	state->places_late = state->began;
	for (uint32_t i = 0; i < state->node_count; i++) {
		const struct slab_node *node = &state->nodes[i];
		int index = node_index(state, node->node);

		mark_sections(state, index, node->pfn_start, node->pfn_end);
		mark_cpus(state, index);
	}
	return 0;
}

void slab_set_page_size(struct slab_state *state, uint64_t size)
{
	if (size >= 1u << PAGE_SHIFT && size <= 1u << 20 && !(size & (size - 1)))
		state->page_shift = (unsigned int)__builtin_ctzll(size);
}

/* The range of the same node that @node goes on with, or a place for one; NULL: there is none. */
static struct slab_node *find_range(struct slab_state *state, const struct slab_node *node)
{
	for (uint32_t i = 0; i < state->node_count; i++) {
		struct slab_node *range = &state->nodes[i];

		if (range->node == node->node &&
		    (!range->pfn_end ||
		     (node->pfn_start <= range->pfn_end && range->pfn_start <= node->pfn_end)))
			return range;
	}
	return NULL;
}

/* Dumps tell the same again, or more. */
static void extend(struct slab_state *state, struct slab_node *range, const struct slab_node *node)
{
	const struct slab_node before = *range;

	if (!before.pfn_end || node->pfn_start < before.pfn_start)
		range->pfn_start = node->pfn_start;
	if (node->pfn_end > before.pfn_end)
		range->pfn_end = node->pfn_end;
	if (!state->places)
		return;
	mark_sections(state, node_index(state, node->node), range->pfn_start,
		      before.pfn_end ? before.pfn_start : range->pfn_end);
	mark_sections(state, node_index(state, node->node), before.pfn_end, range->pfn_end);
}

/* A node may have several ranges: the first stands for it. Others leave room for all nodes. */
static int add_range(struct slab_state *state, const struct slab_node *node)
{
	int index = node_index(state, node->node);

	if (state->node_count >= (index < 0 ? SLAB_RANGES_OF_NODES : SLAB_NODES_MAX))
		return 0;
	state->nodes[state->node_count++] = *node;
	if (state->places) {
		index = node_index(state, node->node);
		mark_sections(state, index, node->pfn_start, node->pfn_end);
		mark_cpus(state, index);
	}
	return make_places(state);
}

int slab_dump_node(struct slab_state *state, const struct mm_event *event)
{
	enum { NODE, START, END };
	const union mm_scalar *f = event->fields;
	struct slab_node node = { (int32_t)f[NODE].i, f[START].u, f[END].u }, *range;

	if (!state->node_count)
		slab_set_page_size(state, f[SLAB_DUMP_PAGE_SIZE].u);
	if (node.pfn_start >= node.pfn_end) {
		/* No memory; that the node is there counts. */
		if (node_index(state, node.node) != NODE_UNKNOWN)
			return 0;
		node.pfn_start = node.pfn_end = 0;
	}
	range = find_range(state, &node);
	if (!range)
		return add_range(state, &node);
	extend(state, range, &node);
	return 0;
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
		mm_rows_release(&state->places->cross);
	free(state->places);
	free(state->cpu_nodes);
}

int slab_nodes_tally(struct slab_state *state, const struct slab_op *op,
		     const union slab_accounting_key *owner)
{
	struct slab_places *places = state->places;
	bool pages = op->address & SLAB_ADDRESS_PAGE;
	bool freed = slab_op_is_free(op);
	uint64_t key = op->address & ~SLAB_ADDRESS_PAGE, section = key >> SLAB_SECTION_SHIFT;
	int memory = NODE_UNKNOWN, cpu = places->cpus[op->key.cpu];
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
	cross = mm_rows_get(&places->cross, owner->code, owner->kind);
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

static void fill_cross(const struct slab_state *state, const struct mm_report_options *options,
		       struct mm_report *report)
{
	struct mm_table *table = slab_report_table(report, options, "node", &slab_table_cross_node);
	const struct mm_rows *rows = &state->places->cross;
	struct cross *all = calloc(rows->count, sizeof(*all));
	char text[256];

	if (all) {
		memcpy(all, mm_rows_at(rows, 0), rows->count * sizeof(*all));
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

/* Not counted without two nodes and their CPUs; but one node's memory is none of another's. */
static void set_node_metric(const struct slab_state *state, int event, int kind, int node,
			    struct mm_cell *value)
{
	if (state->places)
		mm_cell_set_u(value, state->places->counts[event][kind][node]);
	else if (node == OTHER && state->node_count && !has_two_nodes(state))
		mm_cell_set_u(value, 0);
}

void slab_report_nodes(struct slab_state *state, const struct mm_report_options *options,
		       struct mm_report *report)
{
	static const char *const events[] = { "allocation", "free" }, *const kinds[] = { "object",
											 "pages" };
	static const char *const nodes[] = { "same", "other", "unknown" };
	const struct slab_places *places = state->places;

	for (int event = 0; event < 2; event++)
		for (int kind = 0; kind < 2; kind++)
			for (int node = 0; node < 3; node++)
				set_node_metric(state, event, kind, node,
						&mm_report_metric(report, "slab.node_of_memory",
								  events[event], kinds[kind],
								  nodes[node], NULL)
							 ->value);
	if (!places)
		return;
	fill_cross(state, options, report);
	mm_report_finding(report,
			  "Cross-node: %" PRIu64 " objects allocated on a CPU of another node than"
			  " their memory's, %" PRIu64 " freed on one.",
			  places->counts[0][0][1], places->counts[1][0][1]);
}
