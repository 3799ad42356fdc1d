// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the table of the DAX report by process. */
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-cells.h"
#include "analysis/dax/dax-schema.h"
#include "analysis/dax/dax-state.h"

static int compare_names(const struct dax_process *x, const struct dax_process *y)
{
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return strcmp(x->comm, y->comm);
}

static int compare_by_name(const void *a, const void *b)
{
	return compare_names(a, b);
}

static int compare_processes(const void *a, const void *b)
{
	const struct dax_process *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return compare_names(x, y);
}

/*
 * Joins processes with equal pid and name. A process can have several elements, because some names
 * are found only at the end. Returns the number of remaining elements.
 */
static uint32_t fold_processes(struct dax_process *processes, uint32_t count)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct dax_process *from = &processes[i];

		if (!left || compare_names(&processes[left - 1], from)) {
			processes[left++] = *from;
			continue;
		}
		for (int kind = 0; kind < DAX_KIND_COUNT; kind++)
			processes[left - 1].faults[kind] += from->faults[kind];
		processes[left - 1].pmd_fallbacks += from->pmd_fallbacks;
		processes[left - 1].ns += from->ns;
		dax_attempts_merge(&processes[left - 1].attempts, &from->attempts);
	}
	return left;
}

struct dax_process *dax_list_processes(const struct dax_state *state, uint32_t *count)
{
	struct dax_process *processes =
		calloc((size_t)state->process_count + 1, sizeof(*processes));

	*count = 0;
	if (!processes)
		return NULL;
	/* Sort a copy, because the slowest faults refer to processes by number. */
	if (state->process_count)
		memcpy(processes, state->processes, state->process_count * sizeof(*processes));
	qsort(processes, state->process_count, sizeof(*processes), compare_by_name);
	*count = fold_processes(processes, state->process_count);
	qsort(processes, *count, sizeof(*processes), compare_processes);
	return processes;
}

void dax_report_processes(const struct dax_state *state, struct mm_report *report)
{
	struct mm_table *table = mm_report_table(report, &dax_table_processes);
	uint32_t count;
	struct dax_process *processes = dax_list_processes(state, &count);
	uint64_t sum = 0;

	if (!processes) {
		report->failed = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		sum += processes[i].ns;
	for (uint32_t i = 0; i < count; i++) {
		const struct dax_process *process = &processes[i];
		struct mm_cell *row;

		/* A process whose faults never ended is left out. */
		row = process->faults[DAX_KIND_PMD] || process->faults[DAX_KIND_PTE]
			      ? mm_table_row(report, table)
			      : NULL;
		if (!row)
			continue;
		mm_cell_set_s(&row[DAX_PROCESSES_PROCESS],
			      process->comm[0] ? process->comm : "<...>");
		mm_cell_set_u(&row[DAX_PROCESSES_PID], (uint64_t)process->pid);
		mm_cell_set_u(&row[DAX_PROCESSES_PMD_FAULTS], process->faults[DAX_KIND_PMD]);
		mm_cell_set_u(&row[DAX_PROCESSES_PMD_FALLBACKS], process->pmd_fallbacks);
		dax_set_percent(&row[DAX_PROCESSES_FALLBACK_PERCENT], process->pmd_fallbacks,
				process->faults[DAX_KIND_PMD]);
		if (state->counts_accesses)
			mm_cell_set_u(&row[DAX_PROCESSES_FALLBACK_ACCESSES],
				      process->pmd_fallbacks - process->attempts.fallback_repeated);
		mm_cell_set_u(&row[DAX_PROCESSES_FALLBACK_NS], process->attempts.fallback_ns);
		mm_cell_set_u(&row[DAX_PROCESSES_PTE_FAULTS], process->faults[DAX_KIND_PTE]);
		dax_set_rate(report, &row[DAX_PROCESSES_FAULTS_PER_SECOND],
			     process->faults[DAX_KIND_PMD] + process->faults[DAX_KIND_PTE]);
		mm_cell_set_u(&row[DAX_PROCESSES_FAULT_NS], process->ns);
		dax_set_percent(&row[DAX_PROCESSES_FAULT_PERCENT], process->ns, sum);
	}
	free(processes);
}
