// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the threads that a report covers. The system information lists the recorder processes that
 * ran at the time of the snapshot. Programs of lttng-mm and LTTng that exited earlier are
 * recognized by name. If the system information has no such list, no process counts as a process of
 * the recorder.
 */
#include "reader/sysinfo/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void mm_selection_init(struct mm_selection *selection, const struct mm_sysinfo *sysinfo)
{
	*selection = (struct mm_selection){ .sysinfo = sysinfo };
	mm_threads_init(&selection->threads);
	/*
	 * If the last exec of a process started lttng-mm, the process belongs to the recorder, even
	 * between its fork and this exec. Therefore an exec must not give the process a new number.
	 */
	selection->threads.exec_renames = true;
}

void mm_selection_release(struct mm_selection *selection)
{
	mm_threads_release(&selection->threads);
}

int mm_selection_see(struct mm_selection *selection, enum mm_thread_event kind,
		     const struct mm_event *event)
{
	struct mm_threads *threads = &selection->threads;
	int64_t tid = event->fields[0].i;

	selection->boot_ns = (int64_t)((uint64_t)event->time_ns - event->clock_ns);
	if (mm_threads_see(threads, kind, event, 0, NULL))
		return -1;
	/* Unused threads may be dropped. mm_threads_number() marks the thread as used. */
	return tid > 0 && tid <= INT32_MAX &&
	       mm_threads_number(threads, (int32_t)tid) == MM_HASH_NONE;
}

int64_t mm_recorder_start(const struct mm_sysinfo *sysinfo, int64_t boot_ns, int64_t start_ns)
{
	int64_t asleep_ns = mm_sysinfo_system_number(sysinfo, "snapshot_boottime_ns", 0) -
			    mm_sysinfo_system_number(sysinfo, "snapshot_monotonic_ns", 0);
	int64_t time_ns;

	/* Unlike CLOCK_BOOTTIME, the trace's clock stands still while the machine is suspended. */
	if (asleep_ns < 0 || __builtin_sub_overflow(start_ns, asleep_ns, &start_ns) ||
	    __builtin_add_overflow(start_ns, boot_ns, &time_ns))
		return INT64_MIN;
	return time_ns;
}

bool mm_recorder_has_name(const char *name)
{
	return name && !strncmp(name, "lttng-", strlen("lttng-"));
}

/* Returns the number of the thread with id @tid at @time_ns; MM_HASH_NONE: not known. */
static uint32_t number_at(const struct mm_threads *threads, int32_t tid, int64_t time_ns)
{
	uint32_t number = mm_threads_first(threads, tid), found = MM_HASH_NONE;

	for (; number != MM_HASH_NONE && threads->all[number].since_ns <= time_ns;
	     number = threads->all[number].next)
		found = number;
	return found;
}

/*
 * Did the recorder run this process, which has exited? Decides by the name of the process, or else
 * by the name of the thread.
 */
static bool is_ours_by_name(const struct mm_selection *selection, uint32_t number, int32_t pid,
			    int64_t time_ns)
{
	const struct mm_threads *threads = &selection->threads;
	uint32_t leader = pid > 0 ? number_at(threads, pid, time_ns) : MM_HASH_NONE;
	const char *name = NULL;

	if (leader != MM_HASH_NONE)
		name = mm_threads_comm(threads, leader, NULL);
	if (!name && number != MM_HASH_NONE)
		name = mm_threads_comm(threads, number, NULL);
	return mm_recorder_has_name(name);
}

/*
 * Is the thread or its process in the system information? For each id, the system information lists
 * only the last thread.
 */
static bool runs_at_snapshot(const struct mm_selection *selection, int32_t tid, int32_t pid,
			     int64_t time_ns)
{
	const int32_t ids[] = { tid, pid };

	for (int i = 0; i < 2; i++) {
		uint32_t number =
			ids[i] > 0 ? number_at(&selection->threads, ids[i], time_ns) : MM_HASH_NONE;

		if (ids[i] > 0 && mm_sysinfo_comm(selection->sysinfo, ids[i]) &&
		    (number == MM_HASH_NONE
			     ? mm_threads_first(&selection->threads, ids[i]) == MM_HASH_NONE
			     : selection->threads.all[number].next == MM_HASH_NONE))
			return true;
	}
	return false;
}

static bool is_recorder(const struct mm_selection *selection, uint32_t number, int32_t tid,
			int32_t pid, int64_t time_ns, struct mm_selected_last *last)
{
	int64_t start_ns;

	if (pid > 0 && mm_sysinfo_is_recorder(selection->sysinfo, pid, &start_ns)) {
		start_ns = mm_recorder_start(selection->sysinfo, selection->boot_ns, start_ns);
		if (time_ns < start_ns && start_ns < last->until_ns)
			last->until_ns = start_ns;
		if (time_ns >= start_ns && start_ns > last->since_ns)
			last->since_ns = start_ns;
		if (time_ns >= start_ns)
			return true;
	}
	return !runs_at_snapshot(selection, tid, pid, time_ns) &&
	       is_ours_by_name(selection, number, pid, time_ns);
}

static bool is_selected(const struct mm_selection *selection, int32_t pid)
{
	return pid == selection->pid || mm_pids_have(selection->descendants, pid);
}

enum mm_selected mm_selection_find(const struct mm_selection *selection, uint32_t tid, int32_t pid,
				   int64_t time_ns, struct mm_selected_last *last)
{
	const struct mm_threads *threads = &selection->threads;
	uint32_t number = MM_HASH_NONE, next;

	if (!tid)
		pid = 0;
	*last = (struct mm_selected_last){ tid, INT64_MIN, INT64_MAX, MM_SELECTED,
					   last->any_unknown };
	if (tid && tid <= INT32_MAX) {
		number = number_at(threads, (int32_t)tid, time_ns);
		next = number == MM_HASH_NONE ? mm_threads_first(threads, (int32_t)tid)
					      : threads->all[number].next;
		if (number != MM_HASH_NONE)
			last->since_ns = threads->all[number].since_ns;
		if (next != MM_HASH_NONE)
			last->until_ns = threads->all[next].since_ns;
		if (pid < 0 && number != MM_HASH_NONE)
			pid = mm_threads_pid(threads, number, selection->sysinfo);
		else if (pid < 0 && next == MM_HASH_NONE)
			pid = mm_sysinfo_pid(selection->sysinfo, (int)tid);
	}
	if (selection->by_pid && !is_selected(selection, pid < 0 ? (int32_t)tid : pid))
		last->selected = MM_SELECTED_OTHER;
	else if (selection->no_recorder && tid && tid <= INT32_MAX &&
		 is_recorder(selection, number, (int32_t)tid, pid, time_ns, last))
		last->selected = MM_SELECTED_RECORDER;
	else
		last->any_unknown |= selection->no_recorder && pid < 0;
	return last->selected;
}

/* Returns the process of thread @id. Returns -1 if it is not known, or if @id is a process. */
static int32_t process_of_thread(const struct mm_threads *threads, const struct mm_sysinfo *sysinfo,
				 int32_t id)
{
	uint32_t number = mm_threads_first(threads, id);
	int32_t pid = -1;

	if (number == MM_HASH_NONE)
		pid = sysinfo ? mm_sysinfo_pid(sysinfo, id) : -1;
	for (; number != MM_HASH_NONE; number = threads->all[number].next) {
		int32_t found = mm_threads_pid(threads, number, sysinfo);

		if (found == id)
			return -1;
		if (found > 0)
			pid = found;
	}
	return pid == id ? -1 : pid;
}

const char *mm_thread_hint(const struct mm_threads *threads, const struct mm_sysinfo *sysinfo,
			   int32_t id, char text[MM_THREAD_HINT])
{
	const int32_t pid = id > 0 ? process_of_thread(threads, sysinfo, id) : -1;
	uint32_t leader;
	const char *name;

	text[0] = '\0';
	if (pid <= 0)
		return text;
	leader = mm_threads_last(threads, pid);
	if (leader != MM_HASH_NONE)
		name = mm_threads_comm(threads, leader, sysinfo);
	else
		name = sysinfo ? mm_sysinfo_comm(sysinfo, pid) : NULL;
	snprintf(text, MM_THREAD_HINT,
		 "; %" PRId32 " is a thread of process %" PRId32 "%s%s%s: use --pid=%" PRId32, id,
		 pid, name ? " (" : "", name ? name : "", name ? ")" : "", pid);
	return text;
}
