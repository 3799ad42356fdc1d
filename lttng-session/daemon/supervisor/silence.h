/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Detects active sessions that record nothing. LTTng does not report them: a channel still claims
 * to be enabled after its tracing has failed. A session without new data may just have rare events.
 * After five checks without data, the supervisor therefore starts a thread, which fires
 * sched_process_fork and other events that the session may record. If the next check finds no data,
 * the session does not record. Once a minute, the supervisor fires these events on each permitted
 * CPU, because a single CPU's buffer may fail.
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H
#define LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H

#include <sched.h>
#include <stdbool.h>

#include "lttng-session/recorder/plan.h"

/*
 * The supervisor checks each session once per second. After SILENCE_LOOKS checks without data, it
 * fires events on any CPU. Every SILENCE_EACH_LOOKS checks, it fires them on each CPU.
 */
#define SILENCE_LOOKS 5
#define SILENCE_EACH_LOOKS 60

/* The state of one session. Initialize with zeros. */
struct silence {
	unsigned int looks;
	unsigned int each_looks; /* checks since events were last fired on each CPU */
	bool caused;		 /* expect events at the next check */
	bool caused_each;	 /* expect events of each CPU at the next check */
};

enum silence_verdict {
	SILENCE_NONE,
	SILENCE_CAUSE,	    /* fire events before the next check */
	SILENCE_CAUSE_EACH, /* fire events on each CPU before the next check */
	SILENCE_FOUND,	    /* the session did not record the fired events; fire more */
	/* the session did not record the events fired on one CPU; fire more on each CPU */
	SILENCE_FOUND_CPU,
};

/*
 * Judges one check of a session. @moved is true if there is new data since the last check. @missed
 * is true if, on some CPU, events were fired but nothing was recorded.
 */
enum silence_verdict silence_look(struct silence *silence, bool moved, bool missed);

/* Returns the first CPU in @caused that is not in @moved; -1: none. */
int silence_missed_cpu(const cpu_set_t *caused, const cpu_set_t *moved);

/*
 * Can the session record the events that silence_cause() fires? A session cannot if its trackers
 * exclude this process, or if it records none of these events.
 */
bool silence_applies(const struct plan_session *session);

/*
 * Fires events by starting threads that end at once: on any CPU or, with @each, on each CPU on
 * which this process may run. Returns 0, or an error number.
 *
 * Without @each, *@caused becomes empty. With @each, it becomes the set of CPUs on which events
 * fired. A realtime task may keep the thread off a CPU. This function then returns after a second,
 * and *@caused lacks this CPU and all later CPUs. Until the thread has visited all CPUs, further
 * calls behave as if @each were false.
 */
int silence_cause(bool each, cpu_set_t *caused);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H */
