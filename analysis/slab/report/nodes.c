// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the metrics and the table of cross-node allocations and frees. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/report.h"

static int compare_cross(const void *a, const void *b)
{
	const struct slab_cross *x = a, *y = b;
	uint64_t left = x->counts[0] + x->counts[1], right = y->counts[0] + y->counts[1];

	if (left != right)
		return left < right ? 1 : -1;
	if (x->row.a != y->row.a)
		return x->row.a < y->row.a ? -1 : 1;
	return (x->row.b > y->row.b) - (x->row.b < y->row.b);
}

static void fill_cross(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report)
{
	struct mm_table *table = slab_report_table(report, options, "node", &slab_table_cross_node);
	const struct mm_rows *rows = &results->tracker->cross_node.rows;
	struct slab_cross *all = calloc(rows->count, sizeof(*all));
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
		slab_call_site_name(results, all[i].row.a, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_CROSS_NODE_CALL_SITE], text);
		mm_cell_set_u(&cells[SLAB_CROSS_NODE_CODE], all[i].row.a);
		slab_kind_name(results->caches, all[i].row.b, text, sizeof(text));
		mm_cell_set_s(&cells[SLAB_CROSS_NODE_KIND], text);
		slab_kind_name_shown(results, all[i].row.b, false, text, sizeof(text));
		mm_cell_set_shown(&cells[SLAB_CROSS_NODE_KIND], text);
		mm_cell_set_u(&cells[SLAB_CROSS_NODE_SUM], all[i].counts[0] + all[i].counts[1]);
		mm_cell_set_u(&cells[SLAB_CROSS_NODE_ALLOCATIONS], all[i].counts[0]);
		mm_cell_set_u(&cells[SLAB_CROSS_NODE_FREES], all[i].counts[1]);
	}
	report->failed |= !all;
	free(all);
}

/*
 * Sets the metric. With several nodes, events were counted only if the nodes of CPUs are known.
 * With a single node, the number of cross-node events is 0.
 */
static void set_node_metric(const struct slab_results *results, int event, int kind, int node,
			    struct mm_cell *value)
{
	if (results->tracker->cross_node.nodes)
		mm_cell_set_u(value, results->tracker->cross_node.counts[event][kind][node]);
	else if (node == SLAB_NODE_OTHER && results->nodes->count &&
		 !slab_nodes_are_several(results->nodes))
		mm_cell_set_u(value, 0);
}

void slab_report_nodes(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report)
{
	static const char *const events[] = { "allocation", "free" }, *const kinds[] = { "object",
											 "pages" };
	static const char *const nodes[] = { "same", "other", "unknown" };

	for (int event = 0; event < 2; event++)
		for (int kind = 0; kind < 2; kind++)
			for (int node = 0; node < 3; node++)
				set_node_metric(results, event, kind, node,
						&mm_report_metric(report, "slab.node_of_memory",
								  events[event], kinds[kind],
								  nodes[node], NULL)
							 ->value);
	if (results->tracker->cross_node.nodes)
		fill_cross(results, options, report);
}
