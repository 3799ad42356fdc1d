// SPDX-License-Identifier: LGPL-2.1-only
/* The DAX analysis as a consumer: from events to faults and writeback ranges. */
#include "analysis/dax/dax.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-state.h"

/* The fields that all our events begin with, and the fault's own. */
enum {
	F_TID, F_PID, F_MAJOR, F_MINOR, F_INO, F_COMM,
	F_FIRST,
	F_VM_FLAGS = F_FIRST, F_ADDRESS, F_PGOFF, F_FLAGS, F_RESULT,
	F_VM_START, F_VM_END, F_MAX_PGOFF,
};

#define COMMON "tid", "pid", "dev_major", "dev_minor", "ino", "$ctx.procname"

static const char *const fault_fields[] = { COMMON, "vm_flags", "address", "pgoff", "flags",
					    "result", "vm_start", "vm_end", "max_pgoff", NULL };

enum { X_POS = F_FIRST, X_OFFSET, X_LENGTH, X_ADDR, X_TYPE };
static const char *const extent_fields[] = { COMMON, "pos", "extent_offset", "extent_length",
					     "extent_addr", "extent_type", NULL };

enum { B_ENTRY = F_FIRST };
static const char *const fallback_fields[] = { COMMON, "radix_entry", NULL };

enum { H_ZERO_PFN = F_FIRST };
static const char *const hole_fields[] = { COMMON, "zero_pfn", NULL };

enum { W_START = F_FIRST, W_END };
static const char *const writeback_fields[] = { COMMON, "start_index", "end_index", NULL };

enum {
	E_PMD, E_PMD_DONE, E_PTE, E_PTE_DONE, E_EXTENT, E_FALLBACK, E_HOLE, E_HOLE_FALLBACK,
	E_LOAD_HOLE, E_MKWRITE, E_MKWRITE_NO_ENTRY, E_WRITEBACK, E_WRITEBACK_DONE,
};

static const struct mm_want wants[] = {
	[E_PMD] = { "dax_pmd_fault", fault_fields },
	[E_PMD_DONE] = { "dax_pmd_fault_done", fault_fields },
	[E_PTE] = { "dax_pte_fault", fault_fields },
	[E_PTE_DONE] = { "dax_pte_fault_done", fault_fields },
	[E_EXTENT] = { "dax_fault_extent", extent_fields },
	[E_FALLBACK] = { "dax_pmd_fallback", fallback_fields },
	[E_HOLE] = { "dax_pmd_load_hole", hole_fields },
	[E_HOLE_FALLBACK] = { "dax_pmd_load_hole_fallback", hole_fields },
	[E_LOAD_HOLE] = { "dax_load_hole", fault_fields },
	[E_MKWRITE] = { "dax_insert_pfn_mkwrite", fault_fields },
	[E_MKWRITE_NO_ENTRY] = { "dax_insert_pfn_mkwrite_no_entry", fault_fields },
	[E_WRITEBACK] = { "dax_writeback_range", writeback_fields },
	[E_WRITEBACK_DONE] = { "dax_writeback_range_done", writeback_fields },
	{ NULL, NULL },
};

/* An open writeback range of a thread. */
struct writeback {
	int32_t tid;	/* the tree's key: first */
	int64_t begin_ns;
	uint64_t ino;
};

static int compare_tids(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static void keep_fault(void *user, const struct dax_fault *fault)
{
	struct dax_state *state = user;

	if (state->fault_count == state->fault_room) {
		size_t room = state->fault_room ? 2 * state->fault_room : 256;
		struct dax_fault *grown = realloc(state->faults, room * sizeof(*grown));

		if (!grown) {
			state->short_of_memory = true;
			return;
		}
		state->faults = grown;
		state->fault_room = room;
	}
	state->faults[state->fault_count++] = *fault;
}

static void *dax_create(void)
{
	struct dax_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->pairing = dax_pairing_create(keep_fault, state);
	if (!state->pairing) {
		free(state);
		return NULL;
	}
	return state;
}

static void dax_destroy(void *user)
{
	struct dax_state *state = user;

	if (!state)
		return;
	for (size_t i = 0; i < state->group_count; i++)
		free(state->groups[i].latencies_ns);
	free(state->groups);
	free(state->files);
	free(state->processes);
	free(state->faults);
	tdestroy(state->ranges, free);
	tdestroy(state->writebacks, free);
	dax_pairing_destroy(state->pairing);
	free(state);
}

static void read_fault(const struct mm_event *event, enum dax_kind kind, struct dax_fault *fault)
{
	const union mm_scalar *f = event->fields;
	struct dax_evidence *e = &fault->evidence;

	memset(fault, 0, sizeof(*fault));
	fault->kind = kind;
	fault->tid = (int32_t)f[F_TID].i;
	fault->pid = (int32_t)f[F_PID].i;
	if (event->type->kinds[F_COMM] == MM_KIND_STRING)
		snprintf(fault->comm, sizeof(fault->comm), "%s", f[F_COMM].s);
	fault->major = (unsigned int)f[F_MAJOR].u;
	fault->minor = (unsigned int)f[F_MINOR].u;
	fault->ino = f[F_INO].u;
	fault->begin_ns = fault->end_ns = event->time_ns;
	fault->begin_clock_ns = event->clock_ns;
	e->vm_flags = f[F_VM_FLAGS].u;
	e->address = f[F_ADDRESS].u;
	e->pgoff = f[F_PGOFF].u;
	e->flags = (uint32_t)f[F_FLAGS].u;
	e->result = (uint32_t)f[F_RESULT].u;
	e->vm_start = f[F_VM_START].u;
	e->vm_end = f[F_VM_END].u;
	e->max_pgoff = f[F_MAX_PGOFF].u;
	e->device_aligned = -1;
}

static void read_extent(struct dax_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct dax_evidence *e = dax_pairing_evidence(state->pairing, (int32_t)f[F_TID].i,
						      f[F_INO].u, false);

	if (!e)
		return;
	e->extent_seen = true;
	e->extent_pos = f[X_POS].u;
	e->extent_offset = f[X_OFFSET].u;
	e->extent_length = f[X_LENGTH].u;
	e->extent_addr = f[X_ADDR].u;
	e->extent_type = (uint32_t)f[X_TYPE].u;
}

static void read_evidence(struct dax_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct dax_evidence *e = dax_pairing_evidence(state->pairing, (int32_t)f[F_TID].i,
						      f[F_INO].u, event->type->want == E_FALLBACK);

	if (!e)
		return;
	if (event->type->want == E_FALLBACK) {
		e->entry_seen = true;
		e->entry = f[B_ENTRY].u;
	} else {
		e->hole_fallback_seen = true;
		e->hole_zero_pfn = f[H_ZERO_PFN].u;
	}
}

static int begin_writeback(struct dax_state *state, const struct mm_event *event)
{
	struct writeback *writeback = calloc(1, sizeof(*writeback)), **found;

	if (!writeback)
		return -1;
	writeback->tid = (int32_t)event->fields[F_TID].i;
	found = tsearch(writeback, &state->writebacks, compare_tids);
	if (!found) {
		free(writeback);
		return -1;
	}
	if (*found != writeback) {
		free(writeback);
		writeback = *found;
	}
	writeback->begin_ns = event->time_ns;
	writeback->ino = event->fields[F_INO].u;
	return 0;
}

static int end_writeback(struct dax_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	int32_t tid = (int32_t)f[F_TID].i;
	struct writeback **found = tfind(&tid, &state->writebacks, compare_tids), *writeback;
	struct dax_file *file;

	if (!found || (*found)->ino != f[F_INO].u)
		return 0;
	writeback = *found;
	tdelete(writeback, &state->writebacks, compare_tids);
	file = dax_state_file(state, (unsigned int)f[F_MAJOR].u, (unsigned int)f[F_MINOR].u,
			      f[F_INO].u);
	if (file) {
		file->writeback_ranges++;
		/* The end is inclusive; fsync asks for everything, LLONG_MAX bytes. */
		if (f[W_END].u >= f[W_START].u && f[W_END].u < INT64_MAX / DAX_PAGE_SIZE)
			file->writeback_pages += f[W_END].u - f[W_START].u + 1;
		file->writeback_ns += (uint64_t)(event->time_ns - writeback->begin_ns);
	}
	free(writeback);
	return file ? 0 : -1;
}

static int count_other(struct dax_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct dax_file *file = dax_state_file(state, (unsigned int)f[F_MAJOR].u,
					       (unsigned int)f[F_MINOR].u, f[F_INO].u);

	if (!file)
		return -1;
	file->pmd_load_hole += event->type->want == E_HOLE;
	file->load_hole += event->type->want == E_LOAD_HOLE;
	file->finish_sync += event->type->want == E_MKWRITE;
	file->mkwrite_no_entry += event->type->want == E_MKWRITE_NO_ENTRY;
	return 0;
}

static int handle(struct dax_state *state, const struct mm_event *event)
{
	struct dax_fault fault;

	switch (event->type->want) {
	case E_PMD:
	case E_PTE:
		read_fault(event, event->type->want == E_PMD ? DAX_KIND_PMD : DAX_KIND_PTE, &fault);
		return dax_pairing_begin(state->pairing, &fault);
	case E_PMD_DONE:
	case E_PTE_DONE:
		read_fault(event, event->type->want == E_PMD_DONE ? DAX_KIND_PMD : DAX_KIND_PTE, &fault);
		return dax_pairing_end(state->pairing, &fault);
	case E_EXTENT:
		read_extent(state, event);
		return 0;
	case E_FALLBACK:
	case E_HOLE_FALLBACK:
		read_evidence(state, event);
		return 0;
	case E_WRITEBACK:
		return begin_writeback(state, event);
	case E_WRITEBACK_DONE:
		return end_writeback(state, event);
	default:
		return count_other(state, event);
	}
}

static int dax_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct dax_state *state = user;

	if (handle(state, event) || state->short_of_memory)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	return 0;
}

static void dax_lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct dax_state *state = user;

	(void)loss;
	(void)begin_ns;
	dax_pairing_lost(state->pairing);
	tdestroy(state->writebacks, free);
	state->writebacks = NULL;
}

/* Faults wait unsorted until finish, so those of another part of the trace just join them. */
static int dax_merge(void *user, void *other)
{
	struct dax_state *from = other;

	for (size_t i = 0; i < from->fault_count; i++)
		keep_fault(user, &from->faults[i]);
	return ((struct dax_state *)user)->short_of_memory ? -1 : 0;
}

static int dax_finish(void *user, const struct mm_source *source, const struct mm_context *context,
		      struct mm_error *err)
{
	struct dax_state *state = user;

	state->context = context;
	state->extent_declared = mm_source_declares(source, "dax_fault_extent");
	state->entry_declared = mm_source_declares(source, "dax_pmd_fallback");
	state->pairing_counts = dax_pairing_finish(state->pairing);
	if (state->short_of_memory || dax_state_classify(state))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	return 0;
}

static int dax_fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	return dax_report_fill(user, options, report);
}

const struct mm_analysis mm_dax_analysis = {
	.name = "dax",
	.summary = "DAX faults: kinds, latency, and why huge-page faults fell back",
	.wants = wants,
	.required = "dax_",
	.create = dax_create,
	.destroy = dax_destroy,
	.event = dax_event,
	.lost = dax_lost,
	.merge = dax_merge,
	.finish = dax_finish,
	.fill = dax_fill,
};
