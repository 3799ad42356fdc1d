// SPDX-License-Identifier: LGPL-2.1-only
/* Adds classified faults up by kind, cause, file and process. */
#include "analysis/dax/dax-state.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

const char *const dax_outcome_name[DAX_OUTCOME_COUNT] = {
	[DAX_OUTCOME_MAPPED] = "mapped",	[DAX_OUTCOME_FALLBACK] = "fallback",
	[DAX_OUTCOME_SYNC] = "sync",		[DAX_OUTCOME_COPIED] = "copied",
	[DAX_OUTCOME_RETRY] = "retry",		[DAX_OUTCOME_SIGBUS] = "sigbus",
	[DAX_OUTCOME_OOM] = "oom",		[DAX_OUTCOME_OTHER] = "other",
};

const char *const dax_no_pmd_name[DAX_NO_PMD_COUNT] = {
	[DAX_NO_PMD_WRITE_PROTECT] = "write-protect",
	[DAX_NO_PMD_NOHUGEPAGE] = "nohugepage",
	[DAX_NO_PMD_PAGE_TABLE] = "page-table",
	[DAX_NO_PMD_UNKNOWN] = "unknown",
};

const char *const dax_no_pmd_why[DAX_NO_PMD_COUNT] = {
	[DAX_NO_PMD_WRITE_PROTECT] = "first write to a page that a read had mapped: the page table is there",
	[DAX_NO_PMD_NOHUGEPAGE] = "the mapping has MADV_NOHUGEPAGE",
	[DAX_NO_PMD_PAGE_TABLE] = "an earlier 4 KiB fault of the process made the range's page table",
	[DAX_NO_PMD_UNKNOWN] = "nothing in the trace tells: the page table is older than the trace, or huge pages are off for the process (prctl PR_SET_THP_DISABLE)",
};

enum dax_outcome dax_outcome_of(uint32_t result)
{
	if (result & DAX_RESULT_OOM)
		return DAX_OUTCOME_OOM;
	if (result & DAX_RESULT_SIGBUS)
		return DAX_OUTCOME_SIGBUS;
	if (result & DAX_RESULT_FALLBACK)
		return DAX_OUTCOME_FALLBACK;
	if (result & DAX_RESULT_NEEDDSYNC)
		return DAX_OUTCOME_SYNC;
	if (result & DAX_RESULT_DONE_COW)
		return DAX_OUTCOME_COPIED;
	if (result & (DAX_RESULT_NOPAGE | DAX_RESULT_LOCKED))
		return DAX_OUTCOME_MAPPED;
	if (!result || (result & DAX_RESULT_RETRY))
		return DAX_OUTCOME_RETRY;
	return DAX_OUTCOME_OTHER;
}

struct dax_file *dax_state_file(struct dax_state *state, unsigned int major, unsigned int minor,
				uint64_t ino)
{
	struct dax_file *file;

	for (size_t i = state->file_count; i; i--) {
		file = &state->files[i - 1];
		if (file->ino == ino && file->minor == minor && file->major == major)
			return file;
	}
	file = realloc(state->files, (state->file_count + 1) * sizeof(*file));
	if (!file)
		return NULL;
	state->files = file;
	file += state->file_count++;
	memset(file, 0, sizeof(*file));
	file->major = major;
	file->minor = minor;
	file->ino = ino;
	return file;
}

static struct dax_process *find_process(struct dax_state *state, const struct dax_fault *fault)
{
	struct dax_process *process;

	for (size_t i = 0; i < state->process_count; i++) {
		process = &state->processes[i];
		/* A pid that comes back under another name is another process. */
		if (process->pid == fault->pid && !strcmp(process->comm, fault->comm))
			return process;
	}
	process = realloc(state->processes, (state->process_count + 1) * sizeof(*process));
	if (!process)
		return NULL;
	state->processes = process;
	process += state->process_count++;
	memset(process, 0, sizeof(*process));
	process->pid = fault->pid;
	memcpy(process->comm, fault->comm, sizeof(process->comm));
	return process;
}

static int add_latency(struct dax_state *state, const struct dax_fault *fault,
		       enum dax_outcome outcome, enum dax_cause cause)
{
	bool write_protect = fault->kind == DAX_KIND_PTE &&
		(fault->evidence.flags & DAX_FLAG_MKWRITE);
	struct dax_group *group = NULL;

	for (size_t i = 0; i < state->group_count && !group; i++)
		if (state->groups[i].kind == fault->kind && state->groups[i].outcome == outcome &&
		    state->groups[i].cause == cause &&
		    state->groups[i].write_protect == write_protect)
			group = &state->groups[i];
	if (!group) {
		group = realloc(state->groups, (state->group_count + 1) * sizeof(*group));
		if (!group)
			return -1;
		state->groups = group;
		group += state->group_count++;
		memset(group, 0, sizeof(*group));
		group->kind = fault->kind;
		group->write_protect = write_protect;
		group->outcome = outcome;
		group->cause = cause;
	}
	if (group->count == group->room) {
		size_t room = group->room ? 2 * group->room : 64;
		uint64_t *grown = realloc(group->latencies_ns, room * sizeof(*grown));

		if (!grown)
			return -1;
		group->latencies_ns = grown;
		group->room = room;
	}
	group->latencies_ns[group->count++] = (uint64_t)(fault->end_ns - fault->begin_ns);
	return 0;
}

static void add_slowest(struct dax_state *state, const struct dax_fault *fault)
{
	int64_t ns = fault->end_ns - fault->begin_ns;
	size_t at = state->slowest_count;

	while (at && state->slowest[at - 1].end_ns - state->slowest[at - 1].begin_ns < ns)
		at--;
	if (at == DAX_SLOWEST_MAX)
		return;
	if (state->slowest_count < DAX_SLOWEST_MAX)
		state->slowest_count++;
	memmove(&state->slowest[at + 1], &state->slowest[at],
		(state->slowest_count - at - 1) * sizeof(*fault));
	state->slowest[at] = *fault;
}

/* A 2 MiB range of one process's address space. */
struct range {
	int32_t pid;
	uint64_t number;
};

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Notes that the range has a page table; tells in @known whether that had been noted before. */
static int note_range(struct dax_state *state, const struct dax_fault *fault, bool *known)
{
	struct range *range = malloc(sizeof(*range)), **found;

	if (!range)
		return -1;
	range->pid = fault->pid;
	range->number = fault->evidence.address / DAX_PMD_SIZE;
	found = tsearch(range, &state->ranges, compare_ranges);
	*known = found && *found != range;
	if (!found || *known)
		free(range);
	return found ? 0 : -1;
}

static int add_pte(struct dax_state *state, const struct dax_fault *fault, struct dax_file *file)
{
	const struct dax_evidence *e = &fault->evidence;
	enum dax_no_pmd why = DAX_NO_PMD_UNKNOWN;
	bool known;

	file->pte_faults++;
	file->write_protect += !!(e->flags & DAX_FLAG_MKWRITE);
	if (note_range(state, fault, &known))
		return -1;
	if (fault->after_fallback) {
		state->after_fallback++;
		return 0;
	}
	if (e->flags & DAX_FLAG_MKWRITE)
		why = DAX_NO_PMD_WRITE_PROTECT;
	else if (e->vm_flags & DAX_VM_NOHUGEPAGE)
		why = DAX_NO_PMD_NOHUGEPAGE;
	else if (known)
		why = DAX_NO_PMD_PAGE_TABLE;
	state->no_pmd[why]++;
	file->no_pmd[why]++;
	return 0;
}

static enum dax_cause add_pmd(struct dax_state *state, struct dax_fault *fault,
			      struct dax_file *file)
{
	struct dax_evidence *e = &fault->evidence;
	struct mm_context_device device;
	enum dax_cause deciding;
	uint32_t causes;

	e->extent_declared = state->extent_declared;
	e->entry_declared = state->entry_declared;
	if (mm_context_find_device(state->context, fault->major, fault->minor, &device))
		e->device_aligned = device.resource_aligned_2m;
	causes = dax_cause_find(e, &deciding);
	file->pmd_faults++;
	file->pmd_mapped += dax_outcome_of(e->result) == DAX_OUTCOME_MAPPED;
	file->pmd_fallbacks += dax_outcome_of(e->result) == DAX_OUTCOME_FALLBACK;
	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++) {
		if (!(causes & 1u << cause))
			continue;
		state->holds[cause]++;
		file->holds[cause]++;
	}
	if (causes) {
		state->deciding[deciding]++;
		file->deciding[deciding]++;
		if (!state->examples[deciding].set) {
			state->examples[deciding].set = true;
			state->examples[deciding].fault = *fault;
		}
	}
	return deciding;
}

static int add_fault(struct dax_state *state, struct dax_fault *fault)
{
	enum dax_outcome outcome = dax_outcome_of(fault->evidence.result);
	enum dax_cause cause = DAX_CAUSE_COUNT;
	struct dax_process *process;
	struct dax_file *file;
	const char *comm;

	/* Events without the name: the snapshot's list of processes may know it. */
	if (!fault->comm[0]) {
		comm = mm_context_comm(state->context, fault->tid);
		if (comm)
			strncpy(fault->comm, comm, sizeof(fault->comm) - 1);
	}
	file = dax_state_file(state, fault->major, fault->minor, fault->ino);
	process = find_process(state, fault);
	if (!file || !process)
		return -1;
	file->sync += outcome == DAX_OUTCOME_SYNC;
	file->sigbus += outcome == DAX_OUTCOME_SIGBUS;
	file->copied += outcome == DAX_OUTCOME_COPIED;
	file->retries += outcome == DAX_OUTCOME_RETRY;
	process->ns += (uint64_t)(fault->end_ns - fault->begin_ns);
	if (fault->kind == DAX_KIND_PMD) {
		cause = add_pmd(state, fault, file);
		process->pmd_faults++;
		process->pmd_fallbacks += outcome == DAX_OUTCOME_FALLBACK;
	} else {
		process->pte_faults++;
		if (add_pte(state, fault, file))
			return -1;
	}
	add_slowest(state, fault);
	return add_latency(state, fault, outcome, cause);
}

int dax_state_classify(struct dax_state *state)
{
	for (size_t i = 0; i < state->fault_count; i++)
		if (add_fault(state, &state->faults[i]))
			return -1;
	return 0;
}
