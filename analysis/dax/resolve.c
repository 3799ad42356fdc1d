// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Corrects causes at the end of a trace, if the analysis assumed something wrong (see struct
 * dax_state).
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/dax-state.h"
#include "analysis/dax/devices.h"

/* Changes @cause to undetermined for all faults of the file, because nothing proves @cause. */
static void undetermine(struct dax_file *file, enum dax_cause cause)
{
	file->first_failed[DAX_CAUSE_UNDETERMINED] += file->first_failed[cause];
	file->all_failed[DAX_CAUSE_UNDETERMINED] += file->first_failed[cause];
	file->first_failed[cause] = 0;
	file->all_failed[cause] = 0;
}

static void resolve_files(struct dax_state *state)
{
	for (uint32_t i = 0; i < state->file_count; i++) {
		struct dax_file *file = &state->files[i];

		if (!state->extent_declared)
			undetermine(file, DAX_CAUSE_FS_ERROR);
		if (file->all_failed[DAX_CAUSE_DEVICE_MISALIGNED] &&
		    dax_device_is_aligned(state->sysinfo, file->key.major, file->key.minor) != 0)
			undetermine(file, DAX_CAUSE_DEVICE_MISALIGNED);
		for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++) {
			state->first_failed[cause] += file->first_failed[cause];
			state->all_failed[cause] += file->all_failed[cause];
		}
	}
}

static int compare_groups(const void *a, const void *b)
{
	const struct dax_group_key *x = &((const struct dax_group *)a)->key;
	const struct dax_group_key *y = &((const struct dax_group *)b)->key;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->write_protect != y->write_protect)
		return x->write_protect ? 1 : -1;
	if (x->outcome != y->outcome)
		return x->outcome < y->outcome ? -1 : 1;
	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	return (x->minor > y->minor) - (x->minor < y->minor);
}

/* Changes the cause of the group if the cause depends on a wrong assumption. */
static void resolve_group(struct dax_state *state, struct dax_group *group)
{
	if (group->key.cause == DAX_CAUSE_FS_ERROR && !state->extent_declared) {
		group->key.cause = DAX_CAUSE_UNDETERMINED;
	} else if (group->key.cause == DAX_CAUSE_DEVICE_MISALIGNED) {
		int aligned =
			dax_device_is_aligned(state->sysinfo, group->key.major, group->key.minor);

		if (aligned)
			group->key.cause = DAX_CAUSE_UNDETERMINED;
		state->alignment_unknown |= aligned < 0;
	}
	group->key.major = group->key.minor = 0;
}

/* Returns the group with the same key among the first @count groups, or NULL. */
static struct dax_group *same_group(struct dax_group *groups, uint32_t count,
				    const struct dax_group *group)
{
	for (uint32_t i = count; i; i--)
		if (!compare_groups(&groups[i - 1], group))
			return &groups[i - 1];
	return NULL;
}

static int fold_groups(struct dax_state *state)
{
	uint32_t count = state->group_count;
	int ret = 0;

	/* Sort before and after merging, so that examples do not depend on the order of events. */
	if (count)
		qsort(state->groups, count, sizeof(*state->groups), compare_groups);
	state->group_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct dax_group group = state->groups[i], *into;

		resolve_group(state, &group);
		into = same_group(state->groups, state->group_count, &group);
		memset(&state->groups[i], 0, sizeof(group));
		if (!into) {
			state->groups[state->group_count++] = group;
			continue;
		}
		if (dax_fault_is_slower(&group.example, &into->example))
			into->example = group.example;
		if (mm_latencies_merge(&into->latencies, &group.latencies))
			ret = -1;
		into->repeated += group.repeated;
		into->failed_later += group.failed_later;
		dax_later_merge(into->later, group.later);
		mm_latencies_release(&group.latencies);
	}
	if (count)
		qsort(state->groups, state->group_count, sizeof(*state->groups), compare_groups);
	return ret;
}

static void sum_times(struct dax_group *group)
{
	struct mm_latencies_cursor cursor = { 0 };
	uint64_t ns, count;

	while (mm_latencies_next(&group->latencies, &cursor, &ns, &count)) {
		group->ns += ns * count;
		if (ns < DAX_SLOW_NS)
			continue;
		group->slow.faults += count;
		group->slow.ns += ns * count;
	}
}

static void add_to_cause(struct dax_state *state, const struct dax_group *group)
{
	struct dax_cause_sum *sum = &state->by_cause[group->key.cause];
	uint64_t accesses = group->latencies.count - group->repeated;

	sum->failed_later += group->failed_later;
	dax_later_merge(sum->later, group->later);
	sum->accesses += accesses;
	sum->ns += group->ns;
	if (group->key.outcome != DAX_OUTCOME_FALLBACK)
		return;
	sum->fallbacks += accesses;
	sum->fallback_ns += group->ns;
}

/*
 * Two accesses to one address are distinguished by the 4 KiB faults between them. If the trace does
 * not record 4 KiB faults, each attempt counts as an access.
 */
static void separate_attempts(struct dax_state *state)
{
	for (uint32_t i = 0; i < state->group_count; i++)
		state->groups[i].repeated = 0;
	for (uint32_t i = 0; i < state->file_count; i++)
		state->files[i].attempts.repeated = state->files[i].attempts.fallback_repeated = 0;
	for (uint32_t i = 0; i < state->process_count; i++)
		state->processes[i].attempts.repeated =
			state->processes[i].attempts.fallback_repeated = 0;
	state->maybe_repeated = 0;
}

static int resolve_groups(struct dax_state *state)
{
	if (!state->counts_accesses)
		separate_attempts(state);
	if (fold_groups(state))
		return -1;
	for (uint32_t i = 0; i < state->group_count; i++) {
		struct dax_group *group = &state->groups[i];
		const struct dax_fault **example;

		if (mm_latencies_sort(&group->latencies))
			return -1;
		mm_latencies_quantiles(&group->latencies, dax_quantiles, group->quantile_ns,
				       DAX_QUANTILES);
		sum_times(group);
		if (group->key.cause == DAX_CAUSE_COUNT)
			continue;
		add_to_cause(state, group);
		example = &state->examples[group->key.cause];
		if (!*example || dax_fault_is_slower(&group->example, *example))
			*example = &group->example;
	}
	return 0;
}

/*
 * If DAX events contain no process names, takes the name from events of threads, state dumps or the
 * system information.
 */
static void name_process(struct dax_state *state, struct dax_process *process)
{
	const struct mm_threads *threads = &state->threads;
	uint32_t leader;
	const char *comm;

	if (process->comm[0])
		return;
	comm = mm_threads_comm(threads, process->thread, state->sysinfo);
	if (!comm) {
		/* Use the name of the process's first thread, if its id was not reused. */
		leader = mm_threads_first(threads, process->pid);
		if (leader != MM_HASH_NONE && leader == mm_threads_last(threads, process->pid))
			comm = mm_threads_comm(threads, leader, state->sysinfo);
	}
	if (comm)
		memcpy(process->comm, comm, strnlen(comm, sizeof(process->comm) - 1));
}

static void name_processes(struct dax_state *state)
{
	for (uint32_t i = 0; i < state->process_count; i++)
		name_process(state, &state->processes[i]);
}

/*
 * Adds faults that migrated and have no extent event. If a CPU lacks events during a fault, the
 * extent event may be missing, and the causes that depend on its absence are dropped.
 */
static int resolve_migrated(struct dax_state *state)
{
	for (size_t i = 0; i < state->migrated_count; i++) {
		const struct dax_fault *fault = &state->migrated[i];
		enum dax_cause first;
		uint32_t causes = dax_fault_causes(fault, &first);

		if (fault->begin_ns < state->begin_ns || fault->end_ns > state->end_ns) {
			causes = dax_causes_without(causes, &first);
			if (first == DAX_CAUSE_UNDETERMINED)
				state->undetermined_by_loss = true;
		}
		if (dax_state_add_cause(state, fault, causes, first))
			return -1;
	}
	return 0;
}

/*
 * With --file, moves files without counted events to the end of the array. Files cannot be looked
 * up after this.
 */
static void set_files_aside(struct dax_state *state)
{
	uint32_t counted = 0;

	if (!state->file_pattern)
		return;
	for (uint32_t i = 0; i < state->file_count; i++) {
		struct dax_file file = state->files[i];

		if (file.use != DAX_FILE_COUNTED || !file.has_events)
			continue;
		state->files[i] = state->files[counted];
		state->files[counted++] = file;
	}
	state->other_file_count = state->file_count - counted;
	state->file_count = counted;
}

int dax_state_resolve(struct dax_state *state)
{
	uint64_t first = 0;

	if (resolve_migrated(state))
		return -1;
	set_files_aside(state);

	/* The first fault in a range is undetermined. It explains the later faults in the range. */
	for (uint32_t i = 0; i < state->ranges_count; i++)
		first += (unsigned int)__builtin_popcountll(state->ranges[i].unexplained);
	state->no_pmd[DAX_NO_PMD_UNDETERMINED] += first;
	state->no_pmd[DAX_NO_PMD_PAGE_TABLE] = state->unexplained - first;
	if (mm_threads_precede(&state->threads, &state->earlier_threads))
		return -1;
	name_processes(state);
	resolve_files(state);
	return resolve_groups(state);
}
