// SPDX-License-Identifier: LGPL-2.1-only
/* Adds findings that are not part of the answer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/slab/report/answer.h"
#include "analysis/slab/report/sentences.h"
#include "util/plural.h"

/* Percentages below this are not mentioned. */
#define SLIGHT 1.0

/* A finding about a share of the objects. Larger shares come first. */
struct ranked_finding {
	double percent;
	void (*find)(const struct slab_answer *answer);
};

static uint64_t remote(const struct slab_sum *sum)
{
	return sum->other_cpu;
}

static void find_remote_frees(const struct slab_answer *answer)
{
	const struct slab_results *results = answer->results;
	const struct slab_sum *all = &results->whole->objects;
	const struct slab_row *kind =
		slab_row_with_most(answer->kinds, answer->kind_count, SLAB_KIND_ANY, remote);
	uint64_t paired = all->outcomes[SLAB_PAIRED];
	char name[SLAB_NAME_BYTES];

	if (!kind)
		return;
	slab_kind_name(results->caches, kind->kind, name, sizeof(name));
	mm_report_finding(
		answer->report,
		"Remote frees: %" PRIu64 " of %" PRIu64
		" paired object%s (%.1f %%) %s freed on another CPU than allocated; %s has the"
		" most, %" PRIu64 ".",
		all->other_cpu, paired, mm_plural_s(paired), slab_percent(all->other_cpu, paired),
		mm_plural(all->other_cpu, "was", "were"), name, kind->sum.other_cpu);
}

/*
 * Returns the number of object allocations (@event 0) or object frees (@event 1) for which the
 * nodes of the CPU and of the memory are known.
 */
static uint64_t with_nodes(const struct slab_cross_node *cross_node, int event)
{
	return cross_node->counts[event][0][SLAB_NODE_SAME] +
	       cross_node->counts[event][0][SLAB_NODE_OTHER];
}

static double cross_node_percent(const struct slab_results *results)
{
	const struct slab_cross_node *cross_node = &results->tracker->cross_node;

	return cross_node->nodes
		       ? slab_percent(cross_node->counts[0][0][SLAB_NODE_OTHER] +
					      cross_node->counts[1][0][SLAB_NODE_OTHER],
				      with_nodes(cross_node, 0) + with_nodes(cross_node, 1))
		       : 0;
}

static void find_cross_node(const struct slab_answer *answer)
{
	const struct slab_cross_node *cross_node = &answer->results->tracker->cross_node;
	uint64_t remote_allocs = cross_node->counts[0][0][SLAB_NODE_OTHER];
	uint64_t remote_frees = cross_node->counts[1][0][SLAB_NODE_OTHER];
	uint64_t allocs = with_nodes(cross_node, 0);

	mm_report_finding(answer->report,
			  "Cross-node: %" PRIu64 " of %" PRIu64
			  " object%s %s allocated, and %" PRIu64 " of %" PRIu64
			  " %s freed, on a CPU whose node differs from the node of the memory.",
			  remote_allocs, allocs, mm_plural_s(allocs),
			  mm_plural(remote_allocs, "was", "were"), remote_frees,
			  with_nodes(cross_node, 1), mm_plural(remote_frees, "was", "were"));
}

static int compare_shares(const void *a, const void *b)
{
	const struct ranked_finding *x = a, *y = b;

	return (x->percent < y->percent) - (x->percent > y->percent);
}

void slab_report_findings(const struct slab_answer *answer)
{
	const struct slab_sum *all = &answer->results->whole->objects;
	struct ranked_finding shares[] = {
		{ slab_percent(all->other_cpu, all->outcomes[SLAB_PAIRED]), find_remote_frees },
		{ cross_node_percent(answer->results), find_cross_node },
	};

	qsort(shares, sizeof(shares) / sizeof(shares[0]), sizeof(shares[0]), compare_shares);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		if (shares[i].percent >= SLIGHT)
			shares[i].find(answer);
}

void slab_report_sums(struct slab_answer *answer)
{
	const struct slab_results *results = answer->results;
	const struct slab_sum *all = &results->whole->objects;
	char requested[32], allocated[32], peak[96], unsized[64];

	if (!all->allocs && results->coverage->lossy)
		mm_report_finding(answer->report, "No allocation is certain: events are missing.");
	else
		mm_report_finding(answer->report,
				  "%" PRIu64 " allocation%s: %s requested, %s allocated%s.",
				  all->allocs, mm_plural_s(all->allocs),
				  slab_bytes_text(all->bytes_req, requested, sizeof(requested)),
				  slab_bytes_text(all->bytes_alloc, allocated, sizeof(allocated)),
				  slab_unsized_text(all->unsized, unsized, sizeof(unsized)));
	mm_report_finding(answer->report, "Peak of live bytes: %s.",
			  slab_peak_text(results, peak, sizeof(peak)));
}
