/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Selects the threads that a report covers: all threads except the recorder's, or the threads of
 * one process. Forks, execs and state dumps of the whole trace are read first. In the next pass,
 * events of other threads can be skipped.
 */
#ifndef LTTNG_MM_SYSINFO_SELECTION_H
#define LTTNG_MM_SYSINFO_SELECTION_H

#include "reader/sysinfo/pids.h"
#include "reader/sysinfo/threads.h"

enum mm_selected {
	MM_SELECTED,
	MM_SELECTED_RECORDER, /* skipped: a thread of the recorder */
	MM_SELECTED_OTHER,
};

struct mm_selection {
	struct mm_threads threads;
	const struct mm_sysinfo *sysinfo;
	bool is_whole;	  /* the whole trace has been read */
	bool no_recorder; /* skip the recorder's threads */
	bool by_pid;
	int32_t pid;
	const struct mm_pids *descendants; /* with @by_pid: further processes; or NULL */
	int64_t boot_ns;		   /* time at clock value 0, in ns since the Epoch */
};

/* The result of the last query: @selected applies to thread @tid from @since_ns to @until_ns. */
struct mm_selected_last {
	uint32_t tid; /* 0: empty */
	int64_t since_ns, until_ns;
	enum mm_selected selected;
	/* A thread was not skipped, because its process is unknown. It may be the recorder's. */
	bool any_unknown;
};

/* @sysinfo must outlive @selection. */
void mm_selection_init(struct mm_selection *selection, const struct mm_sysinfo *sysinfo);
void mm_selection_release(struct mm_selection *selection);

/* Handles an event of mm_threads_request(). Returns 0, or -1 when out of memory. */
int mm_selection_see(struct mm_selection *selection, enum mm_thread_event kind,
		     const struct mm_event *event);

/*
 * Is the thread selected at @time_ns? Idle threads have thread id 0. @pid: the thread's process if
 * the event states it, else -1. If @pid is -1, other events and the system information decide.
 */
enum mm_selected mm_selection_find(const struct mm_selection *selection, uint32_t tid, int32_t pid,
				   int64_t time_ns, struct mm_selected_last *last);

static inline enum mm_selected mm_selection_of(const struct mm_selection *selection, uint32_t tid,
					       int32_t pid, int64_t time_ns,
					       struct mm_selected_last *last)
{
	if (!selection)
		return MM_SELECTED;
	if (last->tid == tid && tid && time_ns >= last->since_ns && time_ns < last->until_ns)
		return last->selected;
	return mm_selection_find(selection, tid, pid, time_ns, last);
}

/*
 * If @id is a thread but not a process, writes a hint to @text: "; 305 is a thread of process 304
 * (dd): use --pid=304". Otherwise @text becomes empty. Call it after all events. @sysinfo may be
 * NULL. Returns @text, which may be hostile.
 */
#define MM_THREAD_HINT 128
const char *mm_thread_hint(const struct mm_threads *threads, const struct mm_sysinfo *sysinfo,
			   int32_t id, char text[MM_THREAD_HINT]);

/*
 * Converts the start time of a process (@start_ns, in CLOCK_BOOTTIME) to a time of the trace.
 * Returns INT64_MIN if that is unknown.
 */
int64_t mm_recorder_start(const struct mm_sysinfo *sysinfo, int64_t boot_ns, int64_t start_ns);
/* Is @name the name of lttng-mm or of a program of LTTng? Returns false if @name is NULL. */
bool mm_recorder_has_name(const char *name);

#endif
