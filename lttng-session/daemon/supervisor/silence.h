/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Detects active sessions that record nothing. (A failed LTTng channel still claims to be enabled.)
 * A session without new data may just have rare events. After five looks without data, the
 * supervisor therefore starts a thread. It fires sched_process_fork and other events that the
 * session may record. The supervisor then expects data at the next look. Once a minute, a thread
 * fires these events on each permitted CPU, because the buffer of a single CPU may fail.
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H
#define LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H

#include <sched.h>
#include <stdbool.h>

#include "lttng-session/recorder/plan.h"

/*
 * Looks happen once per second. After SILENCE_LOOKS without data, events are caused on any CPU;
 * they are caused on each CPU every SILENCE_EACH_LOOKS.
 */
#define SILENCE_LOOKS 5
#define SILENCE_EACH_LOOKS 60

/* The state of one session. Initialize with zeros. */
struct silence {
	unsigned int looks;
	unsigned int each_looks; /* looks since events were last caused on each CPU */
	bool caused;		 /* expect events at the next look */
	bool caused_each;	 /* expect events of each CPU at the next look */
};

enum silence_verdict {
	SILENCE_NONE,
	SILENCE_CAUSE,	    /* cause events before the next look */
	SILENCE_CAUSE_EACH, /* cause events on each CPU before the next look */
	SILENCE_FOUND,	    /* caused events were not recorded; cause more */
	/* a CPU did not record the events caused on it; cause more on each CPU */
	SILENCE_FOUND_CPU,
};

/*
 * Judges one look at a session. @moved: new data since the last look. @missed: on some CPU, events
 * were caused but nothing was recorded.
 */
enum silence_verdict silence_look(struct silence *silence, bool moved, bool missed);

/* Returns the first CPU in @caused that is not in @moved; -1: none. */
int silence_missed_cpu(const cpu_set_t *caused, const cpu_set_t *moved);

/*
 * Can the session record the events of silence_cause()? It cannot if its trackers exclude this
 * process, or if it records none of these events.
 */
bool silence_applies(const struct plan_session *session);

/*
 * Causes events by starting threads that end at once. @each: on each CPU on which this process may
 * run. *@caused becomes the set of these CPUs with success, or empty without @each. If a CPU does
 * not run the thread within a second (a realtime task may occupy it), *@caused lacks this CPU and
 * all later ones. So do further calls until the thread has run there. Returns 0, or an error
 * number.
 */
int silence_cause(bool each, cpu_set_t *caused);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H */
