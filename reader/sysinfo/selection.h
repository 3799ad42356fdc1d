/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which threads the figures of a report are about: all but those of the processes that recorded the
 * trace, or those of one process. Made before the events are read, from all forks, execs and state
 * dumps of the trace, so that an event can be left out when it is read.
 */
#ifndef LTTNG_MM_SYSINFO_SELECTION_H
#define LTTNG_MM_SYSINFO_SELECTION_H

#include "reader/sysinfo/threads.h"

enum mm_selected {
	MM_SELECTED,
	MM_SELECTED_RECORDER, /* left out as the recorder's */
	MM_SELECTED_OTHER,    /* left out as another process's */
};

struct mm_selection {
	struct mm_threads threads; /* each has a number */
	const struct mm_sysinfo *sysinfo;
	bool is_whole;	  /* all events of the trace have been seen */
	bool no_recorder; /* leave it out */
	bool by_pid;	  /* leave out all but @pid */
	int32_t pid;
	int64_t boot_ns; /* when the trace's clock was 0 */
};

/* The thread of the last event, for which the answer is the same from @since_ns to @until_ns. */
struct mm_selected_last {
	uint32_t tid; /* 0: there is none */
	int64_t since_ns, until_ns;
	enum mm_selected selected;
	/* Since it was zero: the recorder is left out, but not threads of unknown processes. */
	bool any_unknown;
};

/* @sysinfo must outlive it. */
void mm_selection_init(struct mm_selection *selection, const struct mm_sysinfo *sysinfo);
void mm_selection_release(struct mm_selection *selection);

/* An event of mm_threads_request(). Returns 0, or -1: out of memory. */
int mm_selection_see(struct mm_selection *selection, enum mm_thread_event kind,
		     const struct mm_event *event);

/*
 * Is the thread part of the figures at @time_ns? Idle threads have the thread id 0. @pid: of its
 * process as the event has it, or -1: then other events and the system information may have it.
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
 * "; 305 is a thread of process 304 (dd): use --pid=304", if @id is the id of a thread, but of no
 * process; or empty. All events have been seen. @sysinfo may be NULL. Returns @text; hostile.
 */
#define MM_THREAD_HINT 128
const char *mm_thread_hint(const struct mm_threads *threads, const struct mm_sysinfo *sysinfo,
			   int32_t id, char text[MM_THREAD_HINT]);

/*
 * When a process started that the system information has with @start_ns in CLOCK_BOOTTIME, as a
 * time of the trace; INT64_MIN: not known.
 */
int64_t mm_recorder_start(const struct mm_sysinfo *sysinfo, int64_t boot_ns, int64_t start_ns);
/* Is @name one of LTTng's programs, or lttng-mm? False for NULL. */
bool mm_recorder_has_name(const char *name);

#endif /* LTTNG_MM_SYSINFO_SELECTION_H */
