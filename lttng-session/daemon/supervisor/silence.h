/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Detects active sessions that record nothing. (An LTTng channel that has failed still claims to be
 * enabled.) A session without new data proves nothing, because its events may be rare. So after
 * five looks without data, the supervisor starts a thread, which fires sched_process_fork and other
 * events that the session may record, and expects data at the next look. Once a minute, the thread
 * fires them on each permitted CPU, because the buffer of a single CPU may fail.
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H
#define LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H

#include <sched.h>
#include <stdbool.h>

#include "lttng-session/recorder/plan.h"

/* Number of looks (one per second) before events are caused: on any CPU, and on each CPU. */
#define SILENCE_LOOKS 5
#define SILENCE_EACH_LOOKS 60

/* The state of one session; zero-initialized. */
struct silence {
	unsigned int looks;	 /* consecutive looks without data */
	unsigned int each_looks; /* looks since events were caused on each CPU */
	bool caused;		 /* events are caused before the next look */
	bool caused_each;	 /* events are caused on each CPU before the next look */
};

enum silence_verdict {
	SILENCE_NONE,
	SILENCE_CAUSE,	    /* cause events before the next look */
	SILENCE_CAUSE_EACH, /* cause events on each CPU before the next look */
	SILENCE_FOUND,	    /* events were caused but not recorded; cause more */
	/* one CPU did not record events caused on it; cause more on each */
	SILENCE_FOUND_CPU,
};

/*
 * Judges one look at a session. @moved: data was recorded since the last look. @missed: on some
 * CPU, events were caused but no data was recorded.
 */
enum silence_verdict silence_look(struct silence *silence, bool moved, bool missed);

/* Returns the first CPU in @caused that is not in @moved; -1: none. */
int silence_missed_cpu(const cpu_set_t *caused, const cpu_set_t *moved);

/*
 * Does the session record the events that silence_cause() causes? Not if its trackers exclude this
 * process, or if it records none of these events.
 */
bool silence_applies(const struct plan_session *session);

/*
 * Causes events by starting threads that end at once; with @each, on each CPU on which this process
 * may run. *@caused is the set of CPUs on which that succeeded, and empty without @each. If a CPU
 * does not run the thread within a second (a realtime task may occupy it), *@caused lacks this CPU
 * and all later ones, also in further calls until the thread has run there. Returns 0, or an error
 * number.
 */
int silence_cause(bool each, cpu_set_t *caused);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H */
