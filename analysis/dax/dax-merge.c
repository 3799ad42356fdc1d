// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Merges the DAX state of a later part of a trace into the state of the part before it.
 *
 * The later part does not know which faults of a thread were open at its start. It therefore defers
 * the first events of each thread until the thread is known (pairing.h), and counts only the events
 * after that. A merge first replays the deferred events in the earlier part, which knows the
 * thread's state. Then the later part's state of the thread replaces the earlier part's state. The
 * result is the same as the result of one pass:
 *
 * - Let F be a fault that starts while no other fault of the part is open. The thread becomes known
 *   when F ends. All events in between must belong to F or to faults nested in F. Faults that were
 *   open before the part lie below F on the stack. F does not change them, because exits and
 *   evidence match the topmost fault that fits. The end of F, or of a nested fault, sets the rest
 *   of the thread's state (pending, fell_back, address). Only F and the events before it can
 *   therefore depend on earlier parts.
 * - If no fault below F is still open, the earlier part has no effect on later events. If the exit
 *   of a fault below F is missing, this fault stays open, and the outermost faults of the later
 *   part count as nested. The parts are not merged if an event referred to a fault below F, or if
 *   the stack overflows.
 * - Each dax_writeback_range event replaces the thread's open range. Only exits before the first of
 *   these events are deferred.
 * - The first 4 KiB fault in each 2 MiB range is counted separately, no matter which thread it
 *   belongs to. When the later part defers the exit of a 4 KiB fault, it stores whether it already
 *   knew the range, and notes the range. If the range was new, the replay decides whether the fault
 *   was the first one in the range. The parts are not merged if the replay finds no fault for the
 *   deferred exit.
 * - All other state consists of sums, sets, minima and maxima. Equal values are ordered by thread.
 *   Within a thread, values of the earlier part come first.
 */
#include <stdlib.h>

#include "analysis/dax/deferred.h"
#include "analysis/dax/dax-state.h"

/* Replays one deferred event. Returns the same values as dax_state_merge(). */
static int replay(struct dax_state *state, struct dax_deferred_event *deferred)
{
	struct mm_event event = { .time_ns = deferred->time_ns,
				  .clock_ns = deferred->clock_ns,
				  .type = deferred->type,
				  .fields = deferred->fields,
				  .cpu = deferred->cpu };

	for (unsigned int i = 0; i < deferred->type->field_count; i++)
		if (deferred->type->kinds[i] == MM_KIND_STRING)
			deferred->fields[i].s = deferred->string;
	state->replayed = deferred;
	state->incomplete = deferred->incomplete;
	if (dax_state_event(state, &event))
		return -1;
	state->incomplete = false;
	state->replayed = NULL;
	return state->cannot_join ||
	       (deferred->ends_pte && !deferred->was_known && !deferred->noted);
}

/*
 * Copies a fault of the later part. @numbers maps process numbers of the later part to process
 * numbers of the earlier part.
 */
static void copy_fault(struct dax_fault *to, const struct dax_fault *from, const uint32_t *numbers)
{
	*to = *from;
	to->process = numbers[from->process];
}

/* Replaces or extends the state of a thread with the later part's state. */
static int merge_thread(struct dax_state *state, const struct dax_thread *later,
			const uint32_t *numbers)
{
	struct dax_thread *thread = dax_pairing_thread(state->pairing, later->tid);
	unsigned int depth, most = later->depth_most ? later->depth_most : 1;

	if (!thread)
		thread = dax_pairing_make_thread(state->pairing, later->tid);
	if (!thread)
		return -1;
	if (later->writeback_known) {
		state->writebacks_unpaired += thread->writeback_open;
		thread->writeback_open = later->writeback_open;
		thread->writeback_begin_ns = later->writeback_begin_ns;
		thread->writeback_ino = later->writeback_ino;
		thread->writeback_start = later->writeback_start;
		thread->writeback_end = later->writeback_end;
	}
	if (later->unknown)
		return 0;
	depth = thread->depth;
	if (depth && (later->reached_unknown || depth + most > DAX_NESTING_MAX))
		return 1;
	if (depth)
		dax_thread_fault(thread, depth - 1)->inside += later->outermost;
	if (depth + most > 1 && dax_thread_deepen(thread))
		return -1;
	for (unsigned int at = 0; at < (unsigned int)later->depth + later->pending; at++)
		copy_fault(dax_thread_fault(thread, depth + at),
			   at ? &later->deeper[at - 1] : &later->first, numbers);
	thread->depth = (uint8_t)(depth + later->depth);
	thread->pending = later->pending;
	thread->fell_back = later->fell_back;
	thread->last_ns = later->last_ns;
	thread->fallback_address = later->fallback_address;
	thread->fallback_ino = later->fallback_ino;
	thread->process = MM_HASH_NONE;
	return 0;
}

static int merge_threads(struct dax_state *state, const struct dax_state *later,
			 const uint32_t *numbers)
{
	struct dax_pairing_counts *counts = &state->pairing->counts;
	const struct dax_pairing_counts *more = &later->pairing->counts;
	int ret = 0;

	for (uint32_t i = 0; i < later->pairing->thread_count && !ret; i++)
		ret = merge_thread(state, &later->pairing->threads[i], numbers);
	counts->unpaired_entries += more->unpaired_entries;
	counts->unpaired_exits += more->unpaired_exits;
	counts->undetermined_by_loss += more->undetermined_by_loss;
	counts->nested += more->nested;
	counts->uncertain += more->uncertain;
	state->undetermined_by_loss |= later->undetermined_by_loss;
	state->lacks_hole |= later->lacks_hole;
	state->writebacks_unpaired += later->writebacks_unpaired;
	state->writebacks_uncertain += later->writebacks_uncertain;
	return ret;
}

/*
 * Adds the threads of @later to @state. Returns an array that maps thread numbers of @later to
 * thread numbers of @state, or NULL when out of memory. Release the array with free(). Clears
 * *@joined if a fork in @later reused the id of a thread of @state.
 */
static uint32_t *merge_names(struct dax_state *state, const struct dax_state *later, bool *joined)
{
	uint32_t *numbers = calloc((size_t)later->threads.count + 1, sizeof(*numbers));

	if (!numbers || mm_threads_merge(&state->threads, &later->threads, numbers)) {
		free(numbers);
		return NULL;
	}
	for (uint32_t i = 0; i < later->threads.count; i++)
		if (later->threads.all[i].forked &&
		    dax_pairing_thread(state->pairing, later->threads.all[i].tid))
			*joined = false;
	return numbers;
}

/* Replays the deferred events of @later on @state. Returns the same values as dax_state_merge(). */
static int replay_all(struct dax_state *state, struct dax_state *later, const uint32_t *threads)
{
	int ret = 0;

	for (size_t i = 0; i < later->deferred_count && !ret; i++) {
		later->deferred[i].number = threads[later->deferred[i].number];
		ret = replay(state, &later->deferred[i]);
	}
	return ret;
}

/*
 * Adds the processes of @later to @state. @threads is the result of merge_names(). Returns an array
 * that maps process numbers of @later to process numbers of @state, or NULL when out of memory.
 * Release the array with free().
 */
static uint32_t *merge_processes(struct dax_state *state, const struct dax_state *later,
				 const uint32_t *threads)
{
	uint32_t *numbers = calloc((size_t)later->process_count + 1, sizeof(*numbers));

	for (uint32_t i = 0; numbers && i < later->process_count; i++) {
		const struct dax_process *from = &later->processes[i];
		struct dax_process *process;

		numbers[i] = dax_state_process(
			state, from->pid, from->comm[0] ? 0 : threads[from->thread], from->comm);
		if (numbers[i] == MM_HASH_NONE) {
			free(numbers);
			return NULL;
		}
		process = &state->processes[numbers[i]];
		for (int kind = 0; kind < DAX_KIND_COUNT; kind++)
			process->faults[kind] += from->faults[kind];
		process->pmd_fallbacks += from->pmd_fallbacks;
		process->ns += from->ns;
		dax_attempts_merge(&process->attempts, &from->attempts);
	}
	return numbers;
}

static int merge_files(struct dax_state *state, const struct dax_state *later)
{
	for (uint32_t i = 0; i < later->file_count; i++) {
		const struct dax_file *from = &later->files[i];
		struct dax_file *file = dax_state_file(state, &from->key);

		if (!file)
			return -1;
		for (int outcome = 0; outcome < DAX_OUTCOME_COUNT; outcome++) {
			file->faults[DAX_KIND_PMD][outcome] += from->faults[DAX_KIND_PMD][outcome];
			file->faults[DAX_KIND_PTE][outcome] += from->faults[DAX_KIND_PTE][outcome];
		}
		if (file->use == DAX_FILE_NEW)
			file->use = from->use;
		file->has_events |= from->has_events;
		file->events += from->events;
		dax_attempts_merge(&file->attempts, &from->attempts);
		file->write_protect += from->write_protect;
		file->finish_sync += from->finish_sync;
		file->load_hole += from->load_hole;
		file->pmd_load_hole += from->pmd_load_hole;
		file->mkwrite_no_entry += from->mkwrite_no_entry;
		for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++) {
			file->first_failed[cause] += from->first_failed[cause];
			file->all_failed[cause] += from->all_failed[cause];
		}
		file->writeback_ranges += from->writeback_ranges;
		file->writeback_pages += from->writeback_pages;
		file->written_pages += from->written_pages;
		file->writeback_ns += from->writeback_ns;
	}
	return 0;
}

static int merge_ranges(struct dax_state *state, const struct dax_state *later)
{
	for (uint32_t i = 0; i < later->ranges_count; i++) {
		const struct dax_ranges *from = &later->ranges[i];
		uint32_t number = dax_state_ranges(state, from->pid, from->number);
		struct dax_ranges *ranges;

		if (number == MM_HASH_NONE)
			return -1;
		ranges = &state->ranges[number];
		ranges->unexplained |= from->unexplained & ~ranges->known;
		ranges->known |= from->known;
	}
	for (int why = 0; why < DAX_NO_PMD_COUNT; why++)
		state->no_pmd[why] += later->no_pmd[why];
	state->after_fallback += later->after_fallback;
	state->after_fallback_ns += later->after_fallback_ns;
	state->maybe_repeated += later->maybe_repeated;
	state->unexplained += later->unexplained;
	return 0;
}

static int merge_groups(struct dax_state *state, const struct dax_state *later,
			const uint32_t *numbers)
{
	for (uint32_t i = 0; i < later->group_count; i++) {
		const struct dax_group *from = &later->groups[i];
		struct dax_group *group = dax_state_group(state, &from->key);

		if (!group)
			return -1;
		if (from->key.cause != DAX_CAUSE_COUNT &&
		    (!group->latencies.count ||
		     dax_fault_is_slower(&from->example, &group->example)))
			copy_fault(&group->example, &from->example, numbers);
		if (mm_latencies_merge(&group->latencies, &from->latencies))
			return -1;
		group->repeated += from->repeated;
		group->failed_later += from->failed_later;
		dax_later_merge(group->later, from->later);
	}
	for (unsigned int i = 0; i < later->slowest_count; i++) {
		struct dax_fault fault;

		copy_fault(&fault, &later->slowest[later->slowest_order[i]], numbers);
		dax_state_add_slowest(state, &fault);
	}
	return 0;
}

static int merge_migrated(struct dax_state *state, const struct dax_state *later,
			  const uint32_t *numbers)
{
	for (size_t i = 0; i < later->migrated_count; i++) {
		struct dax_fault *fault = dax_state_add_migrated(state);

		if (!fault)
			return -1;
		copy_fault(fault, &later->migrated[i], numbers);
	}
	return 0;
}

static int merge_counts(struct dax_state *state, const struct dax_state *later,
			const uint32_t *threads)
{
	uint32_t *numbers = merge_processes(state, later, threads);
	int ret;

	if (!numbers)
		return -1;
	state->incomplete_count += later->incomplete_count;
	state->is_filtered |= later->is_filtered;
	state->any_left_out |= later->any_left_out;
	state->selected.any_unknown |= later->selected.any_unknown;
	state->recorder_faults += later->recorder_faults;
	state->recorder_writebacks += later->recorder_writebacks;
	ret = merge_threads(state, later, numbers);
	if (!ret)
		ret = dax_filters_merge(state, later);
	if (!ret)
		ret = merge_files(state, later);
	if (!ret)
		ret = merge_ranges(state, later);
	if (!ret)
		ret = merge_groups(state, later, numbers);
	if (!ret)
		ret = merge_migrated(state, later, numbers);
	free(numbers);
	return ret;
}

int dax_state_merge(struct dax_state *state, struct dax_state *later)
{
	bool joined = true;
	uint32_t *threads;
	int ret;

	if (state->short_of_memory || later->short_of_memory)
		return -1;
	if (state->cannot_join || later->cannot_join || state->continues || !later->continues)
		return 1;
	for (int i = 0; i < DAX_LABEL_FIELDS; i++)
		if (mm_labels_merge(&state->labels[i], &later->labels[i]))
			return -1;
	threads = merge_names(state, later, &joined);
	if (!threads)
		return -1;
	ret = joined ? replay_all(state, later, threads) : 1;
	if (!ret)
		ret = merge_counts(state, later, threads);
	free(threads);
	return ret;
}
