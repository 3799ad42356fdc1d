// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fills the tables of call stacks: the most frequent stacks of each call site and kind. Events of
 * page allocations have no call site, so the stack supplies the call site.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/cells.h"
#include "analysis/slab/report/report.h"
#include "analysis/slab/report/select.h"
#include "util/plural.h"

/* Maximum number of stacks per call site, and of frames per stack. */
#define STACKS_SHOWN 3
#define FRAMES_SHOWN 128
#define FRAME_BYTES 200

/* A stack of a call site and kind, summed over all threads. */
struct site_stack {
	uint64_t site; /* call-site number; if there is none, the return address in the stack */
	uint32_t code, kind, stack;
	uint64_t allocs, bytes, live, live_bytes;
	uint64_t objects;     /* sort key of stacks: number of allocations or live objects */
	uint64_t site_amount; /* sort key of call sites: bytes of the whole call site */
	uint32_t site_stacks; /* number of different stacks of the call site */
};

struct stack_list {
	const struct slab_results *results;
	struct site_stack *uses;
	size_t count;
	bool by_live; /* list live objects, sorted by their bytes */
};

static bool frame_name(const struct slab_results *results, uint64_t address, char *text,
		       size_t size)
{
	if (address == SLAB_STACK_CUT) {
		snprintf(text, size, "...");
		return false;
	}
	return mm_addresses_name(results->addresses, results->call_sites->symbols, address, text,
				 size);
}

static uint64_t frame_at(const struct slab_results *results, const struct slab_stack *stack,
			 uint32_t index)
{
	return results->stacks->frames[stack->first + index];
}

/* Is @name a function of the tracer or the page allocator, between the event and the caller? */
static bool is_inner(const char *name)
{
	static const char *const starts[] = {
		"lttng_",
		"__traceiter_",
		"get_page_from_freelist",
		"__alloc_pages",
		"alloc_pages",
		"__alloc_frozen_pages",
		"alloc_frozen_pages",
		"__get_free_page",
		"get_free_pages",
		"get_zeroed_page",
		"__folio_alloc",
		"folio_alloc",
		"vma_alloc_folio",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return strstr(name, " [lttng_");
}

/*
 * Returns the index of the allocating frame: the call site, or else the first frame outside the
 * allocator.
 */
static uint32_t find_site(const struct slab_results *results, const struct slab_stack *stack,
			  uint32_t code)
{
	char site[256], name[256];
	uint32_t outside = stack->count;

	slab_call_site_name(results, code, site, sizeof(site));
	for (uint32_t i = 0; i < stack->count; i++) {
		bool named = frame_name(results, frame_at(results, stack, i), name, sizeof(name));

		if (code != SLAB_NO_CODE && named && !strcmp(name, site))
			return i;
		if (outside == stack->count && !(named && is_inner(name)))
			outside = i;
	}
	return outside < stack->count ? outside : 0;
}

static int compare_uses(const void *a, const void *b)
{
	const struct site_stack *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->stack > y->stack) - (x->stack < y->stack);
}

static bool same_site(const struct site_stack *a, const struct site_stack *b)
{
	return a->code == b->code && a->site == b->site && a->kind == b->kind;
}

/* Sorts call sites by bytes, and the stacks of a call site by their number of objects. */
static int compare_listed(const void *a, const void *b)
{
	const struct site_stack *x = a, *y = b;

	if (x->site_amount != y->site_amount)
		return x->site_amount < y->site_amount ? 1 : -1;
	if (!same_site(x, y))
		return compare_uses(a, b);
	if (x->objects != y->objects)
		return x->objects < y->objects ? 1 : -1;
	return compare_uses(a, b);
}

static void add_use(struct stack_list *list, const struct slab_stack_use *from)
{
	const struct slab_results *results = list->results;
	const struct slab_stack *stack = &results->stacks->all[from->row.d - 1];
	uint32_t code = from->row.a, kind = from->row.b;
	unsigned int scale = slab_kind_is_pages(kind) ? slab_page_scale(results->nodes) : 0;
	uint64_t size = slab_kind_is_cache(kind) ? slab_kind_size(results->caches, kind) : 0;
	struct site_stack *use = &list->uses[list->count];

	/* Pages are not leak candidates. */
	if (!stack->count || (list->by_live && (!from->live || slab_kind_is_pages(kind))))
		return;
	*use = (struct site_stack){
		.site = code, .code = code, .kind = kind, .stack = from->row.d - 1
	};
	if (code == SLAB_NO_CODE)
		use->site = frame_at(results, stack, find_site(results, stack, code));
	use->allocs = from->allocs;
	use->live = from->live;
	use->bytes = size ? from->allocs * size : from->bytes_alloc << scale;
	use->live_bytes = size ? from->live * size : from->live_alloc << scale;
	list->count++;
}

/*
 * Do the filters select the stack's thread? If the thread id was reused, the thread that had the id
 * at the last allocation counts.
 */
static bool is_selected(const struct slab_results *results, const struct slab_options *options,
			const struct slab_stack_use *use)
{
	uint32_t thread = slab_thread_at(results->threads, use->row.c, use->last_ns);

	return slab_selects_thread(results, options, use->row.a, use->row.b, thread);
}

/*
 * Adds up the rows of different threads with the same stack, and sets the sums of each call site.
 */
static void fold(struct stack_list *list)
{
	struct site_stack *uses = list->uses;
	size_t used = 0, first = 0;

	qsort(uses, list->count, sizeof(*uses), compare_uses);
	for (size_t i = 0; i < list->count; i++) {
		if (!used || compare_uses(&uses[used - 1], &uses[i])) {
			uses[used++] = uses[i];
			continue;
		}
		uses[used - 1].allocs += uses[i].allocs;
		uses[used - 1].bytes += uses[i].bytes;
		uses[used - 1].live += uses[i].live;
		uses[used - 1].live_bytes += uses[i].live_bytes;
	}
	list->count = used;
	for (size_t i = 0; i < used; i = first) {
		uint64_t amount = 0;

		for (; first < used && same_site(&uses[i], &uses[first]); first++)
			amount += list->by_live ? uses[first].live_bytes : uses[first].bytes;
		for (size_t j = i; j < first; j++) {
			uses[j].site_amount = amount;
			uses[j].objects = list->by_live ? uses[j].live : uses[j].allocs;
			uses[j].site_stacks = (uint32_t)(first - i);
		}
	}
	qsort(uses, used, sizeof(*uses), compare_listed);
}

/* Sets the cell to the part of the stack that starts at the call site, as a list and as text. */
static void set_stack(const struct slab_results *results, const struct site_stack *use,
		      struct mm_cell *cell)
{
	static const char between[] = " < ";
	const struct slab_stack *stack = &results->stacks->all[use->stack];
	uint32_t at = find_site(results, stack, use->code), count = 0;
	char(*names)[FRAME_BYTES] = calloc(FRAMES_SHOWN, sizeof(*names));
	char *text = calloc(FRAMES_SHOWN, FRAME_BYTES + sizeof(between));
	const char *list[FRAMES_SHOWN];
	char *end = text;

	for (; names && text && at < stack->count && count < FRAMES_SHOWN; at++, count++) {
		frame_name(results, frame_at(results, stack, at), names[count], FRAME_BYTES);
		list[count] = names[count];
		end += sprintf(end, "%s%s", count ? between : "", names[count]);
	}
	if (names && text) {
		mm_cell_set_list(cell, list, count);
		mm_cell_set_shown(cell, text);
	} else {
		cell->kind = MM_CELL_FAILED;
	}
	free(names);
	free(text);
}

static void fill_use(const struct slab_results *results, const struct site_stack *use,
		     struct mm_table *table, struct mm_report *report)
{
	struct mm_cell *cells = mm_table_row(report, table);
	char text[256];

	if (!cells)
		return;
	if (use->code == SLAB_NO_CODE)
		frame_name(results, use->site, text, sizeof(text));
	else
		slab_call_site_name(results, use->code, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_STACKS_CALL_SITE], text);
	if (use->code != SLAB_NO_CODE)
		mm_cell_set_u(&cells[SLAB_STACKS_CODE], use->code);
	slab_kind_name(results->caches, use->kind, text, sizeof(text));
	mm_cell_set_s(&cells[SLAB_STACKS_KIND], text);
	slab_kind_name_shown(results, use->kind, false, text, sizeof(text));
	mm_cell_set_shown(&cells[SLAB_STACKS_KIND], text);
	mm_cell_set_u(&cells[SLAB_STACKS_ALLOCATIONS], use->allocs);
	mm_cell_set_u(&cells[SLAB_STACKS_BYTES_ALLOCATED], use->bytes);
	mm_cell_set_u(&cells[SLAB_STACKS_LIVE], use->live);
	mm_cell_set_u(&cells[SLAB_STACKS_LIVE_BYTES], use->live_bytes);
	mm_cell_set_u(&cells[SLAB_STACKS_STACKS], use->site_stacks);
	set_stack(results, use, &cells[SLAB_STACKS_STACK]);
}

static void fill_table(const struct slab_results *results, const struct slab_options *options,
		       bool by_live, struct mm_table *table, struct mm_report *report)
{
	const struct mm_rows *rows = &results->stacks->uses;
	struct stack_list list = { .results = results, .by_live = by_live };
	size_t shown = 0;

	list.uses = calloc(rows->count, sizeof(*list.uses));
	if (!list.uses) {
		report->failed = true;
		return;
	}
	for (uint32_t i = 1; i < rows->count; i++) {
		const struct slab_stack_use *use = mm_rows_at(rows, i);

		if (is_selected(results, options, use))
			add_use(&list, use);
	}
	fold(&list);
	for (size_t i = 0; i < list.count; i++) {
		shown = i && same_site(&list.uses[i - 1], &list.uses[i]) ? shown + 1 : 0;
		if (shown < STACKS_SHOWN)
			fill_use(results, &list.uses[i], table, report);
	}
	free(list.uses);
}

/*
 * Counts the different selected stacks, and the allocations whose stacks were not stored. These
 * allocations are counted without a thread, so their number is unknown if some threads are left
 * out.
 */
static void count_stacks(const struct slab_results *results, const struct slab_options *options,
			 struct mm_report *report)
{
	const struct mm_rows *rows = &results->stacks->uses;
	bool *selected = calloc(results->stacks->count + 1, sizeof(*selected));
	bool all = !slab_is_filtered(options) &&
		   (options->report.include_recorder || !slab_recorder_is_known(results->recorder));
	struct mm_metric *not_kept;
	uint64_t count = 0;

	report->failed |= !selected;
	for (uint32_t i = 1; selected && i < rows->count; i++) {
		const struct slab_stack_use *use = mm_rows_at(rows, i);
		bool *is = &selected[use->row.d - 1];

		count += !*is && is_selected(results, options, use);
		*is |= is_selected(results, options, use);
	}
	mm_report_count(report, count, "slab.call_stacks");
	not_kept = mm_report_metric(report, "slab.call_stacks_not_kept", NULL);
	if (all || !results->stacks->dropped)
		mm_cell_set_u(&not_kept->value, results->stacks->dropped);
	free(selected);
}

void slab_report_stacks(const struct slab_results *results, const struct slab_options *options,
			struct mm_report *report)
{
	struct mm_table *stacks, *leaks;

	if (!results->stacks->used)
		return;
	stacks = slab_report_table(report, options, "call-site", &slab_table_call_stacks);
	leaks = mm_report_table(report, &slab_table_leak_stacks);
	leaks->text_rows = options->report.top;
	leaks->hidden = !options->leaks;
	count_stacks(results, options, report);
	if (!mm_addresses_any(results->addresses))
		mm_report_note(
			report,
			"Call stacks have no names: the system information does not have the addresses of kernel and modules. `lttng-mm snapshot` writes them as root, with kernel.kptr_restrict at most 1.");
	if (results->stacks->dropped)
		mm_report_note(report,
			       "Call stacks: too many different stacks; the stacks of %" PRIu64
			       " allocation%s are left out.",
			       results->stacks->dropped, mm_plural_s(results->stacks->dropped));
	fill_table(results, options, false, stacks, report);
	fill_table(results, options, true, leaks, report);
}
