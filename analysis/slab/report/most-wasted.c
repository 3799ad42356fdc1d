// SPDX-License-Identifier: LGPL-2.1-only
/* Lists internal fragmentation by call site and requested size. */
#include <stdlib.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/consumers.h"

/* Allocations of equal sizes by one call site. */
struct wasted_size {
	uint32_t code, kind, bytes_req, bytes_alloc;
	uint32_t thread; /* thread of the first allocation */
	uint64_t count, address;
	int64_t first_ns;
};

static uint32_t waste_of(const struct wasted_size *wasted)
{
	return wasted->bytes_alloc - wasted->bytes_req;
}

static int compare_equals(const void *a, const void *b)
{
	const struct wasted_size *x = a, *y = b;

	if (waste_of(x) != waste_of(y))
		return waste_of(x) < waste_of(y) ? 1 : -1;
	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->bytes_req > y->bytes_req) - (x->bytes_req < y->bytes_req);
}

static uint64_t waste_of_all(const struct wasted_size *wasted)
{
	return wasted->count * waste_of(wasted);
}

static int compare_wasted(const void *a, const void *b)
{
	const struct wasted_size *x = a, *y = b;

	if (waste_of_all(x) != waste_of_all(y))
		return waste_of_all(x) < waste_of_all(y) ? 1 : -1;
	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return compare_equals(a, b);
}

static uint32_t gather(const struct slab_results *results, struct wasted_size *all)
{
	const struct slab_waste *waste = &results->tracker->waste;
	uint32_t count = 0;

	for (uint32_t i = 1; i < slab_waste_count(waste); i++) {
		const struct slab_waste_row *worst = slab_waste_at(waste, i);
		const union slab_accounting_key *key =
			&slab_account_at(results->accounts, worst->account)->key;

		if (!worst->account || !slab_account_is_counted(results->accounts, worst->account))
			continue;
		all[count++] = (struct wasted_size){ .code = key->code,
						     .kind = key->kind,
						     .bytes_req = worst->bytes_req,
						     .bytes_alloc = worst->bytes_alloc,
						     .thread = key->tid,
						     .count = worst->count,
						     .address = worst->address,
						     .first_ns = worst->first_ns };
	}
	return count;
}

static uint32_t fold(struct wasted_size *all, uint32_t count)
{
	uint32_t used = 0;

	qsort(all, count, sizeof(*all), compare_equals);
	for (uint32_t i = 0; i < count; i++) {
		struct wasted_size *to = used ? &all[used - 1] : NULL;
		uint64_t sum = all[i].count;

		if (!to || compare_equals(to, &all[i])) {
			all[used++] = all[i];
			continue;
		}
		sum += to->count;
		if (all[i].first_ns < to->first_ns)
			*to = all[i];
		to->count = sum;
	}
	qsort(all, used, sizeof(*all), compare_wasted);
	return used;
}

static void fill(const struct slab_results *results, const struct wasted_size *wasted,
		 struct mm_cell *cells)
{
	int32_t pid = slab_thread_pid(results->threads, wasted->thread);
	char text[256];

	slab_call_site_name(results, wasted->code, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_WASTED_CALL_SITE], text);
	slab_kind_name(results->caches, wasted->kind, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_WASTED_KIND], text);
	mm_cell_set_u(&cells[SLAB_WASTED_BYTES], waste_of_all(wasted));
	mm_cell_set_u(&cells[SLAB_WASTED_OBJECT_SIZE], wasted->bytes_req);
	mm_cell_set_u(&cells[SLAB_WASTED_SLOT_SIZE], wasted->bytes_alloc);
	mm_cell_set_u(&cells[SLAB_WASTED_SLACK], waste_of(wasted));
	mm_cell_set_u(&cells[SLAB_WASTED_COUNT], wasted->count);
	mm_cell_set_u(&cells[SLAB_WASTED_FIRST_NS], (uint64_t)wasted->first_ns);
	mm_cell_set_u(&cells[SLAB_WASTED_PTR], wasted->address);
	/* A process has the name of its first thread. */
	slab_thread_name(results->threads,
			 slab_thread_leader(results->threads, wasted->thread, pid), text,
			 sizeof(text));
	mm_cell_set_s(&cells[SLAB_WASTED_PROCESS], text);
}

/*
 * Returns the number of rows in *@all, most wasted bytes first. *@all is NULL when out of memory.
 */
static uint32_t list(const struct slab_results *results, struct wasted_size **all)
{
	*all = calloc(slab_waste_count(&results->tracker->waste), sizeof(**all));
	return *all ? fold(*all, gather(results, *all)) : 0;
}

int slab_most_wasteful(const struct slab_results *results, struct slab_wasteful *wasteful)
{
	struct wasted_size *all;
	uint32_t count = list(results, &all);
	bool failed;

	*wasteful = (struct slab_wasteful){ .count = 0 };
	if (count)
		*wasteful =
			(struct slab_wasteful){ all->code, all->kind, all->count, waste_of(all) };
	failed = !all;
	free(all);
	return failed ? -1 : 0;
}

void slab_report_most_wasted(const struct slab_results *results, const struct slab_options *options,
			     struct mm_report *report)
{
	struct mm_table *table =
		slab_report_table(report, options, "call-site", &slab_table_most_wasted);
	struct wasted_size *all;
	uint32_t count = list(results, &all);

	report->failed |= !all;
	for (uint32_t i = 0; i < count; i++) {
		struct mm_cell *cells = mm_table_row(report, table);

		if (!cells)
			break;
		fill(results, &all[i], cells);
	}
	free(all);
}
