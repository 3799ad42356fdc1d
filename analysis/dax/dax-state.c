// SPDX-License-Identifier: LGPL-2.1-only
/* Adds up classified faults by kind, cause, file and process. */
#include "analysis/dax/dax-state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/deferred.h"
#include "reader/sysinfo/file-match.h"

const char *const dax_outcome_name[DAX_OUTCOME_COUNT] = {
	[DAX_OUTCOME_MAPPED] = "mapped", [DAX_OUTCOME_FALLBACK] = "fallback",
	[DAX_OUTCOME_SYNC] = "sync",	 [DAX_OUTCOME_COPIED] = "copied",
	[DAX_OUTCOME_RETRY] = "retry",	 [DAX_OUTCOME_SIGBUS] = "sigbus",
	[DAX_OUTCOME_OOM] = "oom",	 [DAX_OUTCOME_OTHER] = "other",
};

const char *const dax_no_pmd_name[DAX_NO_PMD_COUNT] = {
	[DAX_NO_PMD_WRITE_PROTECT] = "write-protect",
	[DAX_NO_PMD_NOHUGEPAGE] = "nohugepage",
	[DAX_NO_PMD_PAGE_TABLE] = "page-table",
	[DAX_NO_PMD_UNDETERMINED] = "undetermined",
};

const char *const dax_no_pmd_why[DAX_NO_PMD_COUNT] = {
	[DAX_NO_PMD_WRITE_PROTECT] =
		"first write to a page that a read had mapped: the page table exists already",
	[DAX_NO_PMD_NOHUGEPAGE] = "the mapping has MADV_NOHUGEPAGE",
	[DAX_NO_PMD_PAGE_TABLE] =
		"an earlier 4 KiB fault of the process made the range's page table",
	[DAX_NO_PMD_UNDETERMINED] =
		"the page table is older than the trace, huge pages are off for the process (prctl PR_SET_THP_DISABLE), or the huge-page fault was lost",
};

enum dax_outcome dax_outcome_of(uint32_t result)
{
	if (result == DAX_RESULT_NOPAGE)
		return DAX_OUTCOME_MAPPED;
	if (result == DAX_RESULT_UNKNOWN)
		return DAX_OUTCOME_OTHER;
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

struct dax_state *dax_state_create(void)
{
	struct dax_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	state->slowest_floor = INT64_MIN;
	mm_hash_init(&state->device_groups);
	mm_hash_init(&state->file_by_key);
	mm_hash_init(&state->process_by_key);
	mm_hash_init(&state->ranges_by_key);
	for (int i = 0; i < DAX_LABEL_FIELDS; i++)
		mm_labels_init(&state->labels[i], MM_LABELS_OF_BITS, 16);
	mm_labels_init(&state->labels[DAX_LABEL_EXTENT_TYPE], MM_LABELS_OF_VALUES, 10);
	mm_threads_init(&state->threads);
	mm_threads_init(&state->earlier_threads);
	if (!dax_filters_init(state))
		return state;
	dax_state_destroy(state);
	return NULL;
}

void dax_state_destroy(struct dax_state *state)
{
	if (!state)
		return;
	for (uint32_t i = 0; i < state->group_count; i++)
		mm_latencies_release(&state->groups[i].latencies);
	free(state->groups);
	free(state->files);
	free(state->processes);
	free(state->ranges);
	free(state->migrated);
	free(state->deferred);
	mm_hash_release(&state->device_groups);
	mm_hash_release(&state->file_by_key);
	mm_hash_release(&state->process_by_key);
	mm_hash_release(&state->ranges_by_key);
	dax_pairing_destroy(state->pairing);
	dax_wides_destroy(state->wides);
	mm_rows_release(&state->others);
	mm_threads_release(&state->threads);
	mm_threads_release(&state->earlier_threads);
	for (int i = 0; i < DAX_LABEL_FIELDS; i++)
		mm_labels_release(&state->labels[i]);
	free(state);
}

static bool is_file(const void *files, uint32_t number, const void *wanted)
{
	const struct dax_file_key *key = &((const struct dax_file *)files)[number].key;
	const struct dax_file_key *like = wanted;

	return key->ino == like->ino && key->minor == like->minor && key->major == like->major;
}

static struct dax_file *find_file(struct dax_state *state, const struct dax_file_key *key)
{
	uint32_t hash =
		mm_hash_of(&state->file_by_key, key->ino, (uint64_t)key->major << 32 | key->minor);
	uint32_t number = mm_hash_find(&state->file_by_key, hash, state->files, key, is_file);
	struct dax_file *grown;

	if (number == MM_HASH_NONE) {
		grown = mm_array_grow(state->files, state->file_count, &state->file_room,
				      sizeof(*grown));
		if (!grown)
			return NULL;
		state->files = grown;
		if (mm_hash_add(&state->file_by_key, hash, state->file_count))
			return NULL;
		number = state->file_count++;
		grown[number] = (struct dax_file){ .key = *key };
	}
	state->recent_files[key->ino % DAX_RECENT] = number;
	return &state->files[number];
}

struct dax_file *dax_state_file(struct dax_state *state, const struct dax_file_key *key)
{
	uint32_t number = state->recent_files[key->ino % DAX_RECENT];

	if (number < state->file_count && is_file(state->files, number, key))
		return &state->files[number];
	return find_file(state, key);
}

bool dax_file_is_counted(const struct dax_state *state, struct dax_file *file)
{
	const struct mm_selection *selection = state->selection;

	if (!state->file_pattern)
		return true;
	if (file->use == DAX_FILE_NEW)
		file->use = file->key.ino != DAX_UNKNOWN &&
					    mm_file_matches(selection ? selection->sysinfo : NULL,
							    state->file_pattern, file->key.major,
							    file->key.minor, file->key.ino)
				    ? DAX_FILE_COUNTED
				    : DAX_FILE_LEFT_OUT;
	return file->use == DAX_FILE_COUNTED;
}

uint64_t dax_file_faults(const struct dax_file *file, enum dax_kind kind)
{
	uint64_t sum = 0;

	for (int outcome = 0; outcome < DAX_OUTCOME_COUNT; outcome++)
		sum += file->faults[kind][outcome];
	return sum;
}

static bool is_process(const void *processes, uint32_t number, const void *wanted)
{
	const struct dax_process *like = wanted;

	return dax_process_is((const struct dax_process *)processes + number, like->pid,
			      like->thread, like->comm);
}

uint32_t dax_state_process(struct dax_state *state, int32_t pid, uint32_t thread, const char *comm)
{
	struct dax_process like = { .pid = pid, .last_ranges = MM_HASH_NONE }, *process;
	uint64_t words[DAX_COMM_BYTES / 8];
	uint32_t key, number;

	memcpy(like.comm, comm, strnlen(comm, DAX_COMM_BYTES - 1));
	if (!comm[0])
		like.thread = thread;
	memcpy(words, like.comm, sizeof(words));
	key = mm_hash_of(&state->process_by_key, (uint32_t)pid, like.thread);
	for (size_t i = 0; i < DAX_COMM_BYTES / 8; i += 2)
		key = mm_hash_of(&state->process_by_key, words[i] ^ key, words[i + 1]);
	number = mm_hash_find(&state->process_by_key, key, state->processes, &like, is_process);
	if (number != MM_HASH_NONE)
		return number;
	process = mm_array_grow(state->processes, state->process_count, &state->process_room,
				sizeof(*process));
	if (!process)
		return MM_HASH_NONE;
	state->processes = process;
	if (mm_hash_add(&state->process_by_key, key, state->process_count))
		return MM_HASH_NONE;
	process[state->process_count] = like;
	return state->process_count++;
}

static bool is_ranges(const void *all, uint32_t number, const void *wanted)
{
	const struct dax_ranges *ranges = (const struct dax_ranges *)all + number, *like = wanted;

	return ranges->number == like->number && ranges->pid == like->pid;
}

uint32_t dax_state_ranges(struct dax_state *state, int32_t pid, uint64_t number)
{
	const struct dax_ranges like = { .number = number, .pid = pid };
	uint32_t key = mm_hash_of(&state->ranges_by_key, number, (uint32_t)pid);
	uint32_t found = mm_hash_find(&state->ranges_by_key, key, state->ranges, &like, is_ranges);
	struct dax_ranges *grown;

	if (found != MM_HASH_NONE)
		return found;
	grown = mm_array_grow(state->ranges, state->ranges_count, &state->ranges_room,
			      sizeof(*grown));
	if (!grown)
		return MM_HASH_NONE;
	state->ranges = grown;
	if (mm_hash_add(&state->ranges_by_key, key, state->ranges_count))
		return MM_HASH_NONE;
	grown[state->ranges_count] = like;
	return state->ranges_count++;
}

static bool is_device_group(const void *groups, uint32_t number, const void *wanted)
{
	const struct dax_group_key *key = &((const struct dax_group *)groups)[number].key;
	const struct dax_group_key *like = wanted;

	return key->minor == like->minor && key->major == like->major &&
	       key->outcome == like->outcome;
}

/*
 * Finds a group of DAX_CAUSE_DEVICE_MISALIGNED. There is one group per device: only the system
 * information, read at the end, shows if the device is misaligned.
 */
static struct dax_group *device_group(struct dax_state *state, const struct dax_group_key *key,
				      uint32_t *hash)
{
	uint32_t number;

	*hash = mm_hash_of(&state->device_groups, (uint64_t)key->major << 32 | key->minor,
			   key->outcome);
	number = mm_hash_find(&state->device_groups, *hash, state->groups, key, is_device_group);
	return number == MM_HASH_NONE ? NULL : &state->groups[number];
}

static struct dax_group *find_group(struct dax_state *state, const struct dax_group_key *key,
				    uint32_t *number)
{
	bool device = key->cause == DAX_CAUSE_DEVICE_MISALIGNED;
	struct dax_group *group;
	uint32_t hash = 0;

	group = device ? device_group(state, key, &hash) : NULL;
	if (group)
		return group;
	group = mm_array_grow(state->groups, state->group_count, &state->group_room,
			      sizeof(*group));
	if (!group)
		return NULL;
	state->groups = group;
	if (device && mm_hash_add(&state->device_groups, hash, state->group_count))
		return NULL;
	group += state->group_count++;
	memset(group, 0, sizeof(*group));
	group->key = *key;
	if (!device) {
		group->key.major = group->key.minor = 0;
		*number = state->group_count;
	}
	return group;
}

struct dax_group *dax_state_group(struct dax_state *state, const struct dax_group_key *key)
{
	uint32_t *number =
		&state->group_of[key->kind][key->write_protect][key->outcome][key->cause];

	return *number ? &state->groups[*number - 1] : find_group(state, key, number);
}

static bool ended_before(const struct dax_fault *a, const struct dax_fault *b)
{
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns > b->begin_ns;
	return a->tid < b->tid;
}

static uint64_t duration(const struct dax_fault *fault)
{
	return (uint64_t)fault->end_ns - (uint64_t)fault->begin_ns;
}

/* If timestamps go backwards, latencies are negative. Such faults are the last in the order. */
bool dax_fault_is_slower(const struct dax_fault *a, const struct dax_fault *b)
{
	int64_t x = (int64_t)duration(a), y = (int64_t)duration(b);

	return x != y ? x > y : ended_before(a, b);
}

void dax_state_add_slowest(struct dax_state *state, const struct dax_fault *fault)
{
	unsigned int at = state->slowest_count, slot = at;

	while (at && dax_fault_is_slower(fault, &state->slowest[state->slowest_order[at - 1]]))
		at--;
	if (at == DAX_SLOWEST_MAX)
		return;
	if (slot == DAX_SLOWEST_MAX)
		slot = state->slowest_order[DAX_SLOWEST_MAX - 1];
	else
		state->slowest_count++;
	memmove(&state->slowest_order[at + 1], &state->slowest_order[at],
		state->slowest_count - at - 1);
	state->slowest_order[at] = (uint8_t)slot;
	state->slowest[slot] = *fault;
	if (state->slowest_count == DAX_SLOWEST_MAX)
		state->slowest_floor = (int64_t)duration(
			&state->slowest[state->slowest_order[DAX_SLOWEST_MAX - 1]]);
}

/*
 * Notes that the 2 MiB range of a 4 KiB fault has a page table. @unexplained is true if only an
 * earlier page table can explain why no huge-page fault preceded this fault. Returns 0, or -1 when
 * out of memory.
 */
static int note_range(struct dax_state *state, struct dax_process *process, uint64_t address,
		      bool unexplained)
{
	uint64_t range = address / DAX_PMD_SIZE, bit = 1ull << range % 64;
	uint32_t number = process->last_ranges;
	struct dax_ranges *ranges;

	if (number == MM_HASH_NONE || state->ranges[number].number != range / 64) {
		number = dax_state_ranges(state, process->pid, range / 64);
		if (number == MM_HASH_NONE)
			return -1;
		process->last_ranges = number;
	}
	ranges = &state->ranges[number];
	if (!(ranges->known & bit)) {
		ranges->known |= bit;
		ranges->unexplained |= unexplained ? bit : 0;
	}
	return 0;
}

static int add_pte(struct dax_state *state, const struct dax_fault *fault, struct dax_file *file,
		   struct dax_process *process)
{
	const struct dax_evidence *e = &fault->evidence;
	bool unexplained = false;

	file->write_protect += !!(e->flags & DAX_FLAG_MKWRITE);
	if (fault->after_fallback) {
		state->after_fallback++;
		state->after_fallback_ns += (uint64_t)fault->end_ns - (uint64_t)fault->begin_ns;
	} else if (e->flags & DAX_FLAG_MKWRITE)
		state->no_pmd[DAX_NO_PMD_WRITE_PROTECT]++;
	else if (e->vm_flags & DAX_VM_NOHUGEPAGE)
		state->no_pmd[DAX_NO_PMD_NOHUGEPAGE]++;
	else if (fault->pmd_maybe_lost || state->is_filtered)
		state->no_pmd[DAX_NO_PMD_UNDETERMINED]++;
	else
		unexplained = true;
	state->unexplained += unexplained;
	if (e->address == DAX_UNKNOWN)
		return 0;
	if (state->replayed && dax_replay_was_known(state, fault->pid))
		return 0;
	return note_range(state, process, e->address, unexplained);
}

uint32_t dax_fault_causes(const struct dax_fault *fault, enum dax_cause *first)
{
	struct dax_evidence evidence;

	*first = DAX_CAUSE_COUNT;
	/* A fault that mapped a huge page has no cause (see dax_cause_find()). */
	if (fault->kind != DAX_KIND_PMD ||
	    dax_outcome_of(fault->evidence.result) == DAX_OUTCOME_MAPPED)
		return 0;
	evidence = fault->evidence;
	evidence.extent_declared = true;
	evidence.device_aligned = 0;
	return dax_cause_find(&evidence, first);
}

struct dax_fault *dax_state_add_migrated(struct dax_state *state)
{
	struct dax_fault *grown = mm_array_grow(state->migrated, state->migrated_count,
						&state->migrated_room, sizeof(*grown));

	if (!grown)
		return NULL;
	state->migrated = grown;
	return &grown[state->migrated_count++];
}

void dax_later_merge(uint64_t later[DAX_CAUSE_COUNT], const uint64_t from[DAX_CAUSE_COUNT])
{
	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++)
		later[cause] += from[cause];
}

/*
 * A failure of these checks does not count as a later failure: the 4 KiB entry may be from an
 * earlier fallback of the same kind, and the device's alignment is not known yet.
 */
#define NOT_LATER (1u << DAX_CAUSE_PTE_ENTRY | 1u << DAX_CAUSE_DEVICE_MISALIGNED)
/* These checks may pass once the remedy for DAX_CAUSE_MAPPING_MISALIGNED has moved the mapping. */
#define BY_PLACE (1u << DAX_CAUSE_STARTS_BEFORE_VMA | 1u << DAX_CAUSE_ENDS_AFTER_VMA)

/*
 * Counts the checks after @first that the fault would also have failed. @causes: all failed checks,
 * including @first.
 */
static void count_later(struct dax_group *group, uint32_t causes, enum dax_cause first)
{
	causes &= ~(1u << first | NOT_LATER);
	if (first == DAX_CAUSE_MAPPING_MISALIGNED)
		causes &= ~BY_PLACE;
	group->failed_later += causes != 0;
	for (; causes; causes &= causes - 1)
		group->later[__builtin_ctz(causes)]++;
}

int dax_state_add_cause(struct dax_state *state, const struct dax_fault *fault, uint32_t causes,
			enum dax_cause first)
{
	const struct dax_group_key key = { .kind = fault->kind,
					   .outcome = dax_outcome_of(fault->evidence.result),
					   .cause = first,
					   .major = fault->file.major,
					   .minor = fault->file.minor,
					   .write_protect =
						   fault->kind == DAX_KIND_PTE &&
						   fault->evidence.flags & DAX_FLAG_MKWRITE };
	struct dax_group *group = dax_state_group(state, &key);
	struct dax_file *file = causes ? dax_state_file(state, &fault->file) : NULL;

	if (!group || (causes && !file))
		return -1;
	if (causes) {
		file->first_failed[first]++;
		if (!group->latencies.count || dax_fault_is_slower(fault, &group->example))
			group->example = *fault;
		count_later(group, causes, first);
	}
	group->repeated += fault->repeated;
	for (; causes; causes &= causes - 1)
		file->all_failed[__builtin_ctz(causes)]++;
	return mm_latencies_add(&group->latencies, duration(fault));
}

/* These causes are uncertain if an extent event of the fault may be missing from the trace. */
#define NEEDS_ABSENCE (1u << DAX_CAUSE_PTE_ENTRY | 1u << DAX_CAUSE_FS_ERROR)

uint32_t dax_causes_without(uint32_t causes, enum dax_cause *first)
{
	causes &= ~NEEDS_ABSENCE;
	if (!causes)
		causes = 1u << DAX_CAUSE_UNDETERMINED;
	*first = (enum dax_cause)__builtin_ctz(causes);
	return causes;
}

void dax_attempts_merge(struct dax_attempts *attempts, const struct dax_attempts *from)
{
	attempts->repeated += from->repeated;
	attempts->fallback_repeated += from->fallback_repeated;
	attempts->fallback_ns += from->fallback_ns;
}

static void count_attempt(struct dax_attempts *attempts, const struct dax_fault *fault,
			  enum dax_outcome outcome, uint64_t ns)
{
	const bool fell_back = outcome == DAX_OUTCOME_FALLBACK;
	const struct dax_attempts one = { fault->repeated, fell_back && fault->repeated,
					  fell_back ? ns : 0 };

	dax_attempts_merge(attempts, &one);
}

int dax_state_note_page_table(struct dax_state *state, int32_t pid, uint64_t address)
{
	uint64_t range = address / DAX_PMD_SIZE;
	uint32_t number = dax_state_ranges(state, pid, range / 64);

	if (number == MM_HASH_NONE)
		return -1;
	state->ranges[number].known |= 1ull << range % 64;
	return 0;
}

int dax_state_add(struct dax_state *state, const struct dax_fault *fault)
{
	enum dax_outcome outcome = dax_outcome_of(fault->evidence.result);
	struct dax_process *process = &state->processes[fault->process];
	struct dax_file *file = dax_state_file(state, &fault->file);
	uint64_t ns = duration(fault);
	struct dax_fault *migrated;
	enum dax_cause first;
	uint32_t causes;

	if (!file)
		return -1;
	if (!dax_file_is_counted(state, file))
		return 0;
	file->has_events = true;
	file->faults[fault->kind][outcome]++;
	process->faults[fault->kind]++;
	process->ns += ns;
	count_attempt(&file->attempts, fault, outcome, ns);
	count_attempt(&process->attempts, fault, outcome, ns);
	state->maybe_repeated += fault->maybe_repeated;
	if (fault->kind == DAX_KIND_PMD)
		process->pmd_fallbacks += outcome == DAX_OUTCOME_FALLBACK;
	else if (add_pte(state, fault, file, process))
		return -1;
	if ((int64_t)ns >= state->slowest_floor)
		dax_state_add_slowest(state, fault);
	causes = dax_fault_causes(fault, &first);
	if ((fault->uncertain || state->is_filtered) && (causes & NEEDS_ABSENCE))
		causes = dax_causes_without(causes, &first);
	if ((causes & 1u << DAX_CAUSE_UNDETERMINED) &&
	    (fault->uncertain || fault->evidence.incomplete || state->is_filtered))
		state->undetermined_by_loss = true;
	if ((causes & 1u << DAX_CAUSE_UNDETERMINED) && dax_cause_is_hole(&fault->evidence))
		state->lacks_hole = true;
	if (!fault->migrated || !(causes & NEEDS_ABSENCE))
		return dax_state_add_cause(state, fault, causes, first);
	migrated = dax_state_add_migrated(state);
	if (!migrated)
		return -1;
	*migrated = *fault;
	return 0;
}
