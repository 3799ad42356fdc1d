// SPDX-License-Identifier: LGPL-2.1-only
/* Requests events for the DAX analysis, and processes each of them. */
#include <string.h>

#include "analysis/dax/deferred.h"
#include "analysis/dax/dax-state.h"

/* The fields at the start of every DAX event. */
enum { F_TID, F_PID, F_MAJOR, F_MINOR, F_INO, F_FIRST };

#define COMMON "tid", "pid", "dev_major", "dev_minor", "ino"

static const char *const common_fields[] = { COMMON, NULL };

/*
 * Fields of the event that starts a fault. 4 KiB faults lack some of these fields. Events that end
 * a fault have only the first two.
 */
enum {
	F_ADDRESS = F_FIRST,
	F_RESULT,
	F_VM_FLAGS,
	F_PGOFF,
	F_FLAGS,
	F_VM_START,
	F_VM_END,
	F_MAX_PGOFF,
	F_COMM,
};
static const char *const entry_fields[] = { COMMON,	 "address",	  "result",   "vm_flags",
					    "pgoff",	 "flags",	  "vm_start", "vm_end",
					    "max_pgoff", "$ctx.procname", NULL };
static const char *const exit_fields[] = { COMMON, "address", "result", NULL };

enum { X_POS = F_FIRST, X_OFFSET, X_LENGTH, X_ADDR, X_TYPE };
static const char *const extent_fields[] = {
	COMMON, "pos", "extent_offset", "extent_length", "extent_addr", "extent_type", NULL
};

enum { B_ENTRY = F_FIRST };
static const char *const fallback_fields[] = { COMMON, "radix_entry", NULL };

enum { H_ZERO_PFN = F_FIRST };
static const char *const hole_fields[] = { COMMON, "zero_pfn", NULL };

enum { O_PAGES = F_FIRST };
static const char *const written_fields[] = { COMMON, "pglen", NULL };

enum { W_START = F_FIRST, W_END };
static const char *const writeback_fields[] = { COMMON, "start_index", "end_index", NULL };

/* Request numbers, in order: packed events, unpacked events, wide variants, events of threads. */
enum {
	E_PMD,
	E_PMD_DONE,
	E_PTE,
	E_PTE_DONE,
	E_EXTENT,
	E_HOLE,
	E_LOAD_HOLE,
	E_MKWRITE,
	E_FALLBACK,
	E_HOLE_FALLBACK,
	E_MKWRITE_NO_ENTRY,
	E_WRITEBACK,
	E_WRITEBACK_DONE,
	E_WRITEBACK_ONE,
	E_WIDE,
	E_FORK = E_WIDE + DAX_PACKED_REQUESTS,
	E_EXEC,
	E_EXIT,
	E_DUMP,
	E_DUMP_LTTNG,
};

static const struct mm_event_fields events[] = {
	[E_PMD] = { "dax_pmd_fault", entry_fields },
	[E_PMD_DONE] = { "dax_pmd_fault_done", exit_fields },
	[E_PTE] = { "dax_pte_fault", entry_fields },
	[E_PTE_DONE] = { "dax_pte_fault_done", exit_fields },
	[E_EXTENT] = { "dax_fault_extent", extent_fields },
	[E_HOLE] = { "dax_pmd_load_hole", common_fields },
	[E_LOAD_HOLE] = { "dax_load_hole", common_fields },
	[E_MKWRITE] = { "dax_insert_pfn_mkwrite", common_fields },
	[E_FALLBACK] = { "dax_pmd_fallback", fallback_fields },
	[E_HOLE_FALLBACK] = { "dax_pmd_load_hole_fallback", hole_fields },
	[E_WIDE + E_PMD] = { "dax_pmd_fault_wide", entry_fields },
	[E_WIDE + E_PMD_DONE] = { "dax_pmd_fault_done_wide", exit_fields },
	[E_WIDE + E_PTE] = { "dax_pte_fault_wide", entry_fields },
	[E_WIDE + E_PTE_DONE] = { "dax_pte_fault_done_wide", exit_fields },
	[E_WIDE + E_EXTENT] = { "dax_fault_extent_wide", extent_fields },
	[E_WIDE + E_HOLE] = { "dax_pmd_load_hole_wide", common_fields },
	[E_WIDE + E_LOAD_HOLE] = { "dax_load_hole_wide", common_fields },
	[E_WIDE + E_MKWRITE] = { "dax_insert_pfn_mkwrite_wide", common_fields },
	[E_MKWRITE_NO_ENTRY] = { "dax_insert_pfn_mkwrite_no_entry", common_fields },
	[E_WRITEBACK] = { "dax_writeback_range", writeback_fields },
	[E_WRITEBACK_DONE] = { "dax_writeback_range_done", writeback_fields },
	[E_WRITEBACK_ONE] = { "dax_writeback_one", written_fields },
	[E_FORK] = { NULL, NULL },
};

_Static_assert(sizeof(events) / sizeof(events[0]) == E_FORK + 1 && E_DUMP_LTTNG + 1 == DAX_REQUESTS,
	       "one request for each kind of event");
_Static_assert(E_EXIT == E_FORK + MM_THREAD_EXIT && E_DUMP == E_FORK + MM_THREAD_DUMP &&
		       E_DUMP_LTTNG == E_FORK + MM_THREAD_DUMP_LTTNG &&
		       E_EXEC == E_FORK + MM_THREAD_EXEC,
	       "in the order of enum mm_thread_event");
_Static_assert(F_COMM == DAX_WIDE_FIELDS, "the name is last");

void dax_request_events(struct mm_requests *requests)
{
	static const int counted[] = { E_HOLE_FALLBACK, E_MKWRITE_NO_ENTRY };

	mm_requests_add_table(requests, events, MM_FIELD_ANY | MM_FIELD_OPTIONAL);
	mm_threads_request(requests);
	/*
	 * The loss of one of these events leaves all pairs complete, but the cause of a fault may
	 * become undetermined.
	 */
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		mm_requests_add(requests, events[counted[i]].event);
		mm_requests_set_role(requests, MM_ROLE_COUNTED);
	}
}

bool dax_wides_are_declared(const struct mm_source *source)
{
	for (int request = E_WIDE; request < E_WIDE + DAX_PACKED_REQUESTS; request++)
		if (mm_source_declares(source, events[request].event))
			return true;
	return false;
}

int dax_read_labels(struct dax_state *state, const struct mm_event_type *type)
{
	static const struct {
		const char *field;
		enum dax_label_field kind;
	} labelled[] = {
		{ "flags", DAX_LABEL_FLAGS },
		{ "result", DAX_LABEL_RESULT },
		{ "vm_flags", DAX_LABEL_VM_FLAGS },
		{ "extent_type", DAX_LABEL_EXTENT_TYPE },
	};
	const char *const *fields = type->request < E_FORK ? events[type->request].fields : NULL;

	for (unsigned int i = 0; fields && fields[i]; i++)
		for (size_t j = 0; j < sizeof(labelled) / sizeof(labelled[0]); j++)
			if (!strcmp(fields[i], labelled[j].field) &&
			    mm_labels_read(&state->labels[labelled[j].kind], type, i))
				return -1;
	return 0;
}

/* Are all fields except the name integers? Another tracer's events may have other types. */
static bool check_type(struct dax_state *state, const struct mm_event_type *type)
{
	for (unsigned int i = 0; i < type->field_count; i++) {
		enum mm_kind kind = type->kinds[i];

		/* Only entry events have a field at F_COMM. */
		if (i != F_COMM && kind != MM_KIND_NONE && kind != MM_KIND_UNSIGNED &&
		    kind != MM_KIND_SIGNED)
			return false;
	}
	state->checked[type->request] = type;
	if (type->request < DAX_PACKED_REQUESTS) {
		state->is_packed &= ~(1u << type->request);
		if (dax_packed_init(&state->packed[type->request], events[type->request].fields,
				    type))
			state->is_packed |= 1u << type->request;
	}
	return true;
}

static struct dax_file *find_file(struct dax_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const struct dax_file_key key = { (unsigned int)f[F_MAJOR].u, (unsigned int)f[F_MINOR].u,
					  f[F_INO].u };

	return dax_state_file(state, &key);
}

static void read_key(const struct dax_state *state, const struct mm_event *event,
		     enum dax_kind kind, struct dax_fault_key *key)
{
	const union mm_scalar *f = event->fields;

	key->kind = kind;
	key->incomplete = state->incomplete;
	key->file.major = (unsigned int)f[F_MAJOR].u;
	key->file.minor = (unsigned int)f[F_MINOR].u;
	key->file.ino = f[F_INO].u;
	key->address = f[F_ADDRESS].u;
}

/*
 * Returns the number of the thread in @state->threads. If a deferred event is replayed, returns the
 * number that was stored with it.
 */
static uint32_t number_of(struct dax_state *state, struct dax_thread *thread)
{
	if (state->replayed)
		return dax_replay_number(state);
	if (thread->number == MM_HASH_NONE)
		thread->number = mm_threads_number(&state->threads, thread->tid);
	return thread->number;
}

/* Returns the thread's process (index in @state->processes), or MM_HASH_NONE when out of memory. */
static uint32_t process_of(struct dax_state *state, struct dax_thread *thread, int32_t pid,
			   const char *comm)
{
	uint32_t number = MM_HASH_NONE;

	if (!comm[0]) {
		number = number_of(state, thread);
		if (number == MM_HASH_NONE)
			return MM_HASH_NONE;
	}
	if (thread->process != MM_HASH_NONE &&
	    dax_process_is(&state->processes[thread->process], pid, number, comm))
		return thread->process;
	return dax_state_process(state, pid, number, comm);
}

static const char *entry_comm(const struct mm_event *event)
{
	const struct mm_event_type *type = event->type;

	return (type->request == E_PMD || type->request == E_PTE) &&
			       type->kinds[F_COMM] == MM_KIND_STRING
		       ? event->fields[F_COMM].s
		       : "";
}

static int begin_fault(struct dax_state *state, struct dax_thread *thread,
		       const struct mm_event *event, enum dax_kind kind)
{
	const union mm_scalar *f = event->fields;
	const char *comm = entry_comm(event);
	int32_t pid = (int32_t)f[F_PID].i;
	struct dax_fault_key key;
	struct dax_fault *fault;
	struct dax_evidence *e;

	thread->process = process_of(state, thread, pid, comm);
	if (thread->process == MM_HASH_NONE)
		return -1;
	read_key(state, event, kind, &key);
	fault = dax_pairing_begin(state->pairing, thread, &key, event->time_ns);
	if (!fault)
		return -1;
	fault->process = thread->process;
	fault->pid = pid;
	fault->cpu = event->cpu;
	fault->end_ns = event->time_ns;
	fault->begin_clock_ns = event->clock_ns;
	e = &fault->evidence;
	e->vm_flags = f[F_VM_FLAGS].u;
	e->pgoff = f[F_PGOFF].u;
	e->flags = (uint32_t)f[F_FLAGS].u;
	e->result = (uint32_t)f[F_RESULT].u;
	if (kind == DAX_KIND_PMD) {
		e->vm_start = f[F_VM_START].u;
		e->vm_end = f[F_VM_END].u;
		e->max_pgoff = f[F_MAX_PGOFF].u;
	}
	return 0;
}

static void end_fault(struct dax_state *state, struct dax_thread *thread,
		      const struct mm_event *event, enum dax_kind kind)
{
	struct dax_fault_key key;

	read_key(state, event, kind, &key);
	dax_pairing_end(state->pairing, thread, &key, event->cpu, event->time_ns,
			(uint32_t)event->fields[F_RESULT].u);
}

static void read_extent(const struct dax_state *state, struct dax_thread *thread,
			const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct dax_evidence *e = dax_pairing_evidence(state->pairing, thread, f[F_INO].u,
						      event->cpu, event->time_ns, false);

	if (!e)
		return;
	e->extent_seen = true;
	e->incomplete |= state->incomplete;
	e->extent_pos = f[X_POS].u;
	e->extent_offset = f[X_OFFSET].u;
	e->extent_length = f[X_LENGTH].u;
	e->extent_addr = f[X_ADDR].u;
	e->extent_type = (uint32_t)f[X_TYPE].u;
}

static void read_evidence(const struct dax_state *state, struct dax_thread *thread,
			  const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	bool fallback = event->type->request == E_FALLBACK;
	struct dax_evidence *e = dax_pairing_evidence(state->pairing, thread, f[F_INO].u,
						      event->cpu, event->time_ns, fallback);

	if (!e)
		return;
	if (fallback) {
		e->entry_seen = true;
		e->entry = f[B_ENTRY].u;
	} else {
		e->hole_fallback_seen = true;
		e->hole_zero_pfn = f[H_ZERO_PFN].u;
	}
}

static void begin_writeback(struct dax_state *state, struct dax_thread *thread,
			    const struct mm_event *event)
{
	/* If the previous range is still open, its exit event is missing. */
	state->writebacks_unpaired += thread->writeback_open;
	thread->writeback_known = true;
	thread->writeback_open = true;
	thread->writeback_begin_ns = event->time_ns;
	thread->writeback_ino = event->fields[F_INO].u;
	thread->writeback_start = event->fields[W_START].u;
	thread->writeback_end = event->fields[W_END].u;
}

/*
 * Closes the open range if the exit event @event matches. Returns true if the pair is certain. The
 * end index is equal in both events, because dax_writeback_mapping_range() computes it once.
 */
static bool ends_writeback(struct dax_state *state, struct dax_thread *thread,
			   const struct mm_event *event)
{
	struct mm_loss_bound missed;

	/*
	 * The range started before this part of the trace. The exit was deferred, and is counted
	 * when the earlier part replays it.
	 */
	if (!thread->writeback_open && state->continues && !thread->writeback_known)
		return false;
	if (!thread->writeback_open || thread->writeback_ino != event->fields[F_INO].u ||
	    thread->writeback_end != event->fields[W_END].u) {
		state->writebacks_unpaired++;
		return false;
	}
	thread->writeback_open = false;
	/* If at least two events are missing, this exit may belong to another range. */
	missed = mm_loss_between(&state->pairing->losses, thread->writeback_begin_ns,
				 event->time_ns);
	if (dax_pair_is_uncertain(missed)) {
		state->writebacks_unpaired++;
		return false;
	}
	state->writebacks_uncertain += missed.absent;
	return true;
}

static int end_writeback(struct dax_state *state, struct dax_thread *thread,
			 const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct dax_file *file;

	if (!ends_writeback(state, thread, event))
		return 0;
	file = find_file(state, event);
	if (!file)
		return -1;
	file->writeback_ranges++;
	/*
	 * The start index comes from the entry event, because the kernel advances the index until
	 * the exit event. The end index is inclusive. fsync() passes LLONG_MAX bytes as the end:
	 * the number of pages is then unknown.
	 */
	if (f[W_END].u >= thread->writeback_start && f[W_END].u < INT64_MAX / DAX_PAGE_SIZE)
		file->writeback_pages += f[W_END].u - thread->writeback_start + 1;
	file->writeback_ns += (uint64_t)event->time_ns - (uint64_t)thread->writeback_begin_ns;
	return 0;
}

static int count_other(struct dax_state *state, const struct mm_event *event)
{
	struct dax_file *file = find_file(state, event);

	if (!file)
		return -1;
	file->pmd_load_hole += event->type->request == E_HOLE;
	file->load_hole += event->type->request == E_LOAD_HOLE;
	file->finish_sync += event->type->request == E_MKWRITE;
	file->mkwrite_no_entry += event->type->request == E_MKWRITE_NO_ENTRY;
	if (event->type->request == E_WRITEBACK_ONE)
		file->written_pages += event->fields[O_PAGES].u;
	return 0;
}

/* Sets of events, as masks of 1 << request. */
#define THREAD_EVENTS (STARTING_EVENTS | 1u << E_EXTENT | 1u << E_FALLBACK | 1u << E_HOLE_FALLBACK)
/* If a thread has no record yet, only these events create one. Its other events are ignored. */
#define STARTING_EVENTS                                                                        \
	(1u << E_PMD | 1u << E_PMD_DONE | 1u << E_PTE | 1u << E_PTE_DONE | 1u << E_WRITEBACK | \
	 1u << E_WRITEBACK_DONE)

/*
 * Defers an event of a later part of a trace if the effect of the event may depend on earlier
 * events of the thread. Returns 0, or -1 when out of memory.
 */
static int keep(struct dax_state *state, struct dax_thread *thread, const struct mm_event *event)
{
	int request = event->type->request;
	struct dax_fault_key key;

	if (request == E_WRITEBACK || (request == E_WRITEBACK_DONE && thread->writeback_known) ||
	    (request != E_WRITEBACK_DONE && !thread->unknown))
		return 0;
	if (request != E_PTE_DONE)
		return dax_state_defer(state, thread, event, NULL, 0);
	read_key(state, event, DAX_KIND_PTE, &key);
	return dax_state_defer(state, thread, event, &key, (int32_t)event->fields[F_PID].i);
}

/* Is an event of this request ignored if its thread has no record? */
static bool is_orphan(const struct dax_state *state, int request)
{
	return !state->continues && !(STARTING_EVENTS >> request & 1);
}

/* Processes a fork, an exec, an exit or a state dump. */
static int see_thread(struct dax_state *state, const struct mm_event *event)
{
	enum mm_thread_event kind = (enum mm_thread_event)(event->type->request - E_FORK);
	struct dax_thread *thread;
	int32_t tid;

	if (mm_threads_see(&state->threads, kind, event, 0, &tid))
		return -1;
	thread = tid < 0 ? NULL : dax_pairing_thread(state->pairing, tid);
	if (!thread)
		return 0;
	thread->number = MM_HASH_NONE;
	if (kind != MM_THREAD_FORK)
		return 0;
	/*
	 * The open faults and ranges of the previous thread with this id do not apply to the new
	 * thread.
	 */
	if (state->continues)
		state->cannot_join = true;
	else
		dax_pairing_replaced(state->pairing, thread, event->time_ns);
	state->writebacks_unpaired += thread->writeback_open;
	thread->writeback_open = false;
	return state->short_of_memory ? -1 : 0;
}

/* Fills in values that did not fit in a packed event. Returns the event to process instead. */
static const struct mm_event *complete(struct dax_state *state, const struct mm_event *event)
{
	const int request = event->type->request;

	state->whole = *event;
	state->whole.fields = state->whole_fields;
	state->incomplete =
		dax_wides_complete(state->wides, &state->packed[request], events[request].fields,
				   event, state->whole_fields) == DAX_INCOMPLETE;
	if (!state->incomplete)
		return &state->whole;
	/*
	 * state->incomplete describes only this event. prepare() clears it for the next event, so
	 * no event may skip prepare() now.
	 */
	memset(state->direct, 0, sizeof(state->direct));
	/* The wide variant may be missing because it is the last event of the earlier part. */
	state->cannot_join |= state->continues;
	return &state->whole;
}

/*
 * Processes events of threads, stores wide events, and completes packed events with them. Returns
 * the event that remains to be processed. If none remains, returns NULL, and sets *@ret to the
 * result of dax_state_event().
 */
__attribute__((noinline)) static const struct mm_event *
prepare(struct dax_state *state, const struct mm_event *event, int *ret)
{
	const struct mm_event_type *type = event->type;
	int request = type->request;

	*ret = 0;
	if (state->replayed)
		return event;
	state->incomplete = false;
	if (request >= E_FORK) {
		*ret = see_thread(state, event);
		return NULL;
	}
	if (state->checked[request] != type && !check_type(state, type))
		return NULL;
	if (request >= E_WIDE) {
		*ret = dax_wides_store(&state->wides, request - E_WIDE, event);
		return NULL;
	}
	if (!(state->is_packed >> request & 1)) {
		state->direct[request] = type;
		return event;
	}
	return dax_packed_is_short(&state->packed[request], event) ? complete(state, event) : event;
}

/*
 * Returns true if --file excludes the event, or if *@ret is -1 (out of memory). If the inode number
 * is unknown, an event of a fault or writeback is not excluded here. The fault is excluded when
 * another event shows its file.
 */
static bool is_of_other_file(struct dax_state *state, const struct mm_event *event, int *ret)
{
	const union mm_scalar *f = event->fields;
	const bool unknown = f[F_INO].u == DAX_UNKNOWN;
	struct dax_file *file;

	*ret = 0;
	if (unknown && THREAD_EVENTS >> event->type->request & 1)
		return false;
	file = find_file(state, event);
	if (file)
		file->events++;
	else
		*ret = -1;
	if (!file || dax_file_is_counted(state, file))
		return !file;
	state->any_left_out = true;
	if (event->type->request == E_PTE_DONE && f[F_ADDRESS].u != DAX_UNKNOWN)
		*ret = dax_state_note_page_table(state, (int32_t)f[F_PID].i, f[F_ADDRESS].u);
	return true;
}

/*
 * Returns true for events that --pid excludes and for events of the recorder. Counts these events.
 */
static bool is_left_out(struct dax_state *state, const struct mm_event *event)
{
	const unsigned int request = 1u << event->type->request;
	int32_t pid = (int32_t)event->fields[F_PID].i;
	enum mm_selected selected =
		mm_selection_of(state->selection, (uint32_t)event->fields[F_TID].i,
				pid > 0 ? pid : -1, event->time_ns, &state->selected);

	state->any_left_out |= selected != MM_SELECTED;
	if (selected == MM_SELECTED_OTHER && pid > 0 &&
	    dax_filters_note_process(state, pid, 1, entry_comm(event)))
		state->short_of_memory = true;
	if (selected != MM_SELECTED_RECORDER)
		return selected != MM_SELECTED;
	state->recorder_faults += !!(request & (1u << E_PMD_DONE | 1u << E_PTE_DONE));
	state->recorder_writebacks += !!(request & 1u << E_WRITEBACK_DONE);
	return true;
}

/*
 * Notes that the file of @event has events that --file and --pid select. Returns 0, or -1 when out
 * of memory.
 */
static int note_match(struct dax_state *state, const struct mm_event *event)
{
	struct dax_file *file;

	if (event->fields[F_INO].u == DAX_UNKNOWN)
		return 0;
	file = find_file(state, event);
	if (!file)
		return -1;
	file->has_events = true;
	return 0;
}

/*
 * Counts an incomplete event. With --file, events of unknown files are not counted, because no
 * figure includes them.
 */
static void count_incomplete(struct dax_state *state, const struct mm_event *event)
{
	state->incomplete_count += !state->file_pattern || event->fields[F_INO].u != DAX_UNKNOWN;
}

int dax_state_event(struct dax_state *state, const struct mm_event *event)
{
	int request = event->type->request, ret;
	struct dax_thread *thread;
	int32_t tid;

	if (state->direct[request] != event->type) {
		event = prepare(state, event, &ret);
		if (!event)
			return ret;
	}
	if (state->file_pattern && is_of_other_file(state, event, &ret))
		return ret;
	if (state->selection && is_left_out(state, event))
		return 0;
	if (state->file_pattern && note_match(state, event))
		return -1;
	if (state->incomplete && !state->replayed)
		count_incomplete(state, event);
	if (!(THREAD_EVENTS >> request & 1))
		return count_other(state, event);
	tid = (int32_t)event->fields[F_TID].i;
	thread = dax_pairing_thread(state->pairing, tid);
	if (!thread && is_orphan(state, request))
		return 0;
	if (!thread)
		thread = dax_pairing_make_thread(state->pairing, tid);
	if (!thread)
		return -1;
	if (state->continues && keep(state, thread, event))
		return -1;
	switch (request) {
	case E_PMD:
	case E_PTE:
		return begin_fault(state, thread, event,
				   request == E_PMD ? DAX_KIND_PMD : DAX_KIND_PTE);
	case E_PMD_DONE:
	case E_PTE_DONE:
		end_fault(state, thread, event,
			  request == E_PMD_DONE ? DAX_KIND_PMD : DAX_KIND_PTE);
		break;
	case E_EXTENT:
		read_extent(state, thread, event);
		break;
	case E_FALLBACK:
	case E_HOLE_FALLBACK:
		read_evidence(state, thread, event);
		break;
	case E_WRITEBACK:
		begin_writeback(state, thread, event);
		break;
	default:
		return end_writeback(state, thread, event);
	}
	return state->short_of_memory ? -1 : 0;
}
