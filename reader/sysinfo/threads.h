/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names of threads: which thread a thread id stood for at the time of an event, what it was called
 * then, and of which process it was.
 */
#ifndef LTTNG_MM_SYSINFO_THREADS_H
#define LTTNG_MM_SYSINFO_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/events/source.h"
#include "reader/sysinfo/sysinfo.h"
#include "util/hash.h"

/* A thread's name and its end, as the kernel has them. */
#define MM_COMM_BYTES 16

/* The events that report threads, with the fields that mm_threads_see() takes in this order. */
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
 * One thread id between two events that change whom or what it stands for: a fork begins another
 * thread, an exec gives the thread another name and, except with `exec_renames`, another number.
 */
struct mm_thread {
	int32_t tid;
	int32_t pid;	  /* -1: not known */
	int64_t since_ns; /* when it began; INT64_MIN: that is not in the trace */
	int64_t until_ns; /* when the next one of the thread id began; INT64_MAX: there is none */
	/*
	 * When @comm became its name, if later than since_ns: at its last fork of another thread,
	 * or exec that started no number; INT64_MIN: there is none
	 */
	int64_t named_ns;
	/* The next number of the thread id, and of the thread until its exec; MM_HASH_NONE: none */
	uint32_t next, before_exec;
	/* A fork or exec of the thread id after the time range; INT64_MAX: there is none */
	int64_t changed_ns;
	bool forked_later; /* ... a fork is among them: it stands for another thread by then */
	bool used;	   /* an analysis has its number */
	bool exited;	   /* ... and @comm is its last name */
	bool forked;	   /* it began with a fork, or another did that nobody has the number of */
	bool replaced;	   /* its exec made it the process's first thread */
	char comm[MM_COMM_BYTES]; /* "": not known */
};

struct mm_thread_id;
struct mm_thread_dump;

/*
 * Zero-initialised but for mm_threads_init(). Of what no analysis has a number only the last is
 * kept for each thread id, and MM_THREADS_MAX at most: memory grows with thread ids, and with the
 * numbers that are used.
 */
struct mm_threads {
	struct mm_thread *all; /* by number, each thread id's in the order of time */
	uint32_t count;
	size_t room;
	struct mm_thread_id *ids;
	uint32_t id_count;
	size_t id_room;
	struct mm_hash by_tid;
	struct mm_thread_dump *dumps;
	uint32_t dump_count;
	size_t dump_room;
	/* A thread id was used again: numbers differ for one. */
	bool reused;
	bool continues; /* of a part of a trace that is not the first: mm_threads_merge() */
	/* Set by the analysis: an exec gives another name to the number, and starts none. */
	bool exec_renames;
};

#define MM_THREADS_MAX (1u << 20)

void mm_threads_init(struct mm_threads *threads);
void mm_threads_release(struct mm_threads *threads);

/* Requests all four, in the order of enum mm_thread_event. */
void mm_threads_request(struct mm_requests *requests);

/* Gives requests for all of these events, which have been added, the role MM_ROLE_NAMES. */
void mm_threads_mark(struct mm_requests *requests);
/* The same, as a member of an analysis or a listing that names threads. */
void mm_threads_request_history(void *user, unsigned int pass, struct mm_requests *requests);

/*
 * An event, whose requested fields from number @first on are those of @kind; others of that name
 * are ignored. Events come in the order of time; state dumps may come at any time. Returns 0, or
 * -1: out of memory. *@tid, if not NULL: the thread that was forked, called exec or exited; -1:
 * none.
 */
int mm_threads_see(struct mm_threads *threads, enum mm_thread_event kind,
		   const struct mm_event *event, unsigned int first, int32_t *tid);

/*
 * The name that an exec gives to a thread, before it is truncated to MM_COMM_BYTES: the last
 * component of the path.
 */
const char *mm_threads_exec_name(const char *filename);

/*
 * An event after the requested time range, as above: state dumps and system information from a fork
 * or exec on have another name. Returns 0, or -1: out of memory.
 */
int mm_threads_see_later(struct mm_threads *threads, enum mm_thread_event kind,
			 const struct mm_event *event, unsigned int first);

/* The same by values. @filename is NULL if the event has none: the name is not known then. */
int mm_threads_forked(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		      int64_t time_ns);
int mm_threads_executed(struct mm_threads *threads, int32_t tid, int32_t old_tid,
			const char *filename, int64_t time_ns);
int mm_threads_exited(struct mm_threads *threads, int32_t tid, const char *comm);
/* The thread has this name at @time_ns: a fork names the thread that calls it, too. */
int mm_threads_named(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		     int64_t time_ns);
int mm_threads_dumped(struct mm_threads *threads, int32_t tid, int32_t pid, const char *comm,
		      int64_t time_ns);

/*
 * The number of what @tid stands for now, to keep with an event of the thread. MM_HASH_NONE: out of
 * memory.
 */
uint32_t mm_threads_number(struct mm_threads *threads, int32_t tid);

/*
 * The process as far as known by now, -1: not known. When all events have been seen,
 * mm_threads_pid() may know more.
 */
int32_t mm_threads_pid_now(const struct mm_threads *threads, uint32_t number);

/*
 * Adds what @later has seen, which saw the part of the trace that follows, with `continues` set.
 * @numbers, one for each of its numbers, is set to the numbers here. Returns 0, or -1: out of
 * memory.
 */
int mm_threads_merge(struct mm_threads *threads, const struct mm_threads *later, uint32_t *numbers);
/*
 * When all events have been seen: adds what @earlier has seen, which saw what precedes. Numbers
 * stay; every thread id has one then. Returns 0, or -1: out of memory.
 */
int mm_threads_precede(struct mm_threads *threads, const struct mm_threads *earlier);

/* The first number of the thread id, as below; those after it are in `next`. */
uint32_t mm_threads_first(const struct mm_threads *threads, int32_t tid);
/*
 * The number of a thread at @time_ns, of which an event at that time or later has @number: another
 * one if its exec is in between.
 */
uint32_t mm_threads_before(const struct mm_threads *threads, uint32_t number, int64_t time_ns);
/* The last number of the thread id, MM_HASH_NONE: there is none. */
uint32_t mm_threads_last(const struct mm_threads *threads, int32_t tid);

/*
 * When all events have been seen: the name and the process, by the events, the state dumps and the
 * system information, which knows the thread ids of the end. @sysinfo may be NULL. NULL, -1: not
 * known. The name is hostile.
 */
const char *mm_threads_comm(const struct mm_threads *threads, uint32_t number,
			    const struct mm_sysinfo *sysinfo);
int32_t mm_threads_pid(const struct mm_threads *threads, uint32_t number,
		       const struct mm_sysinfo *sysinfo);

#endif /* LTTNG_MM_SYSINFO_THREADS_H */
