/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The history of threads: which thread an id meant at the time of an event, and the thread's name
 * and process at that time. The kernel reuses thread ids, so each thread gets a number of its own.
 */
#ifndef LTTNG_MM_SYSINFO_THREADS_H
#define LTTNG_MM_SYSINFO_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/events/source.h"
#include "reader/sysinfo/sysinfo.h"
#include "util/hash.h"

/* Size of a thread's name in the kernel, with the final 0. */
#define MM_COMM_BYTES 16

/* The events that report threads, with their fields in the order that mm_threads_see() expects. */
#define MM_THREADS_FORK "sched_process_fork"
#define MM_THREADS_FORK_FIELDS \
	"child_tid", "child_pid", "child_comm", "parent_tid", "parent_pid", "parent_comm"
#define MM_THREADS_EXEC "sched_process_exec"
#define MM_THREADS_EXEC_FIELDS "tid", "old_tid", "filename"
#define MM_THREADS_EXIT "sched_process_exit"
#define MM_THREADS_EXIT_FIELDS "tid", "comm"
#define MM_THREADS_DUMP "process_statedump_thread"
#define MM_THREADS_DUMP_LTTNG "lttng_statedump_process_state"
#define MM_THREADS_DUMP_FIELDS "tid", "pid", "name"

enum mm_thread_event {
	MM_THREAD_FORK,
	MM_THREAD_EXEC,
	MM_THREAD_EXIT,
	MM_THREAD_DUMP,
	MM_THREAD_DUMP_LTTNG
};

/*
 * A thread with one identity. A fork starts a new thread. An exec renames a thread and gives it a
 * new number (unless `exec_renames` is set).
 */
struct mm_thread {
	int32_t tid;
	int32_t pid;	  /* -1: not known */
	int64_t since_ns; /* when the thread started; INT64_MIN: before the trace */
	int64_t until_ns; /* when the next thread with this id started; INT64_MAX: none */
	/*
	 * last time after @since_ns when an event stated the thread's name: a fork by this thread,
	 * or an exec after which it kept its number; INT64_MIN: never
	 */
	int64_t named_ns;
	/*
	 * @next: next number of this thread id. @before_exec: number that this thread had before
	 * its exec. MM_HASH_NONE: none.
	 */
	uint32_t next, before_exec;
	/* first fork or exec of the thread id after the requested time range; INT64_MAX: none */
	int64_t changed_ns;
	bool forked_later;	  /* a fork followed, so the id now means another thread */
	bool used;		  /* an analysis stores the thread's number */
	bool exited;		  /* the thread has exited, and @comm is its last name */
	bool forked;		  /* a fork started this thread, or an earlier one with this id */
	bool replaced;		  /* exec() gave the thread the id of its process */
	char comm[MM_COMM_BYTES]; /* "": not known */
};

struct mm_thread_id;
struct mm_thread_dump;

/*
 * All threads of a trace. Initialize with mm_threads_init(). To limit memory, a number that no
 * analysis uses is kept only while it is the last number of its thread id. If there are
 * MM_THREADS_MAX numbers, a new thread gets the last number of its thread id, or none.
 */
struct mm_threads {
	struct mm_thread *all; /* by number; the threads of one id are in time order */
	uint32_t count;
	size_t room;
	struct mm_thread_id *ids;
	uint32_t id_count;
	size_t id_room;
	struct mm_hash by_tid;
	struct mm_thread_dump *dumps;
	uint32_t dump_count;
	size_t dump_room;
	/* at least one thread id has several numbers */
	bool reused;
	bool continues; /* this is not the first part of the trace (see mm_threads_merge()) */
	/* set by the analysis: an exec renames the thread without changing its number */
	bool exec_renames;
};

#define MM_THREADS_MAX (1u << 20)

void mm_threads_init(struct mm_threads *threads);
void mm_threads_release(struct mm_threads *threads);

/* Requests all events that are defined above, in the order of enum mm_thread_event. */
void mm_threads_request(struct mm_requests *requests);

/* Adds the role MM_ROLE_NAMES to the requests for the events above. */
void mm_threads_mark(struct mm_requests *requests);
/* Like mm_threads_request(), with the signature that tables of analyses and listings need. */
void mm_threads_request_history(void *user, unsigned int pass, struct mm_requests *requests);

/*
 * Handles an event of @kind. Its fields start at index @first of event->fields. Ignores events of
 * other tracers with the same name but other fields. Call it in time order, except for state dumps.
 * *@tid (if not NULL) becomes the thread that was forked, called exec() or exited, or -1. Returns
 * 0, or -1 when out of memory.
 */
int mm_threads_see(struct mm_threads *threads, enum mm_thread_event kind,
		   const struct mm_event *event, unsigned int first, int32_t *tid);

/*
 * Returns the name that an exec gives to a thread: the last component of the path. Does not
 * truncate it to MM_COMM_BYTES.
 */
const char *mm_threads_exec_name(const char *filename);

/*
 * Handles an event after the requested time range. The arguments are as in mm_threads_see(). After
 * a fork or exec, the thread id means another thread or program. Names in later state dumps and in
 * the system information then do not apply to the requested time range. Returns 0, or -1 when out
 * of memory.
 */
int mm_threads_see_later(struct mm_threads *threads, enum mm_thread_event kind,
			 const struct mm_event *event, unsigned int first);

/*
 * Each function handles one kind of event. Its arguments are the fields of the event. If the event
 * has no @filename, pass NULL. The thread's name then becomes unknown. Return 0, or -1 when out of
 * memory.
 */
int mm_threads_forked(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		      int64_t time_ns);
int mm_threads_executed(struct mm_threads *threads, int32_t tid, int32_t old_tid,
			const char *filename, int64_t time_ns);
int mm_threads_exited(struct mm_threads *threads, int32_t tid, const char *comm);
/* Notes a thread's name at @time_ns. A fork also names its caller. */
int mm_threads_named(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		     int64_t time_ns);
int mm_threads_dumped(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		      int64_t time_ns);

/*
 * Returns the number of the thread that @tid means now. Analyses store it with an event. Returns
 * MM_HASH_NONE when out of memory.
 */
uint32_t mm_threads_number(struct mm_threads *threads, int32_t tid);

/*
 * Returns the thread's process according to the events so far; -1: not known. After all events,
 * mm_threads_pid() may find more.
 */
int32_t mm_threads_pid_now(const struct mm_threads *threads, uint32_t number);

/*
 * Adds the threads of @later, which has read the next part of the trace with `continues` set.
 * Writes the new number of each thread in @later to @numbers. Returns 0, or -1 when out of memory.
 */
int mm_threads_merge(struct mm_threads *threads, const struct mm_threads *later, uint32_t *numbers);
/*
 * Adds the threads of @earlier, which has read the preceding events. Call it after all events.
 * Numbers do not change. Afterwards, every thread id has a number. Returns 0, or -1 when out of
 * memory.
 */
int mm_threads_precede(struct mm_threads *threads, const struct mm_threads *earlier);

/* Returns the first number of the thread id, or MM_HASH_NONE. `next` leads to the others. */
uint32_t mm_threads_first(const struct mm_threads *threads, int32_t tid);
/*
 * Returns the number that thread @number had at @time_ns. It differs from @number if the thread
 * called exec() after @time_ns.
 */
uint32_t mm_threads_before(const struct mm_threads *threads, uint32_t number, int64_t time_ns);
/* Returns the last number of the thread id, or MM_HASH_NONE. */
uint32_t mm_threads_last(const struct mm_threads *threads, int32_t tid);

/*
 * Return the name and the process of a thread; NULL and -1 if they are not known. Call them after
 * all events. They use events, state dumps and the system information. The system information
 * describes the thread ids at the end of the trace. @sysinfo may be NULL. The name is hostile.
 */
const char *mm_threads_comm(const struct mm_threads *threads, uint32_t number,
			    const struct mm_sysinfo *sysinfo);
int32_t mm_threads_pid(const struct mm_threads *threads, uint32_t number,
		       const struct mm_sysinfo *sysinfo);

#endif /* LTTNG_MM_SYSINFO_THREADS_H */
