/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Does a session that is active record anything, on each CPU? Its events may be rare, so that
 * nothing is recorded for a while proves nothing. When it does not, and once in a while on each
 * CPU, the supervisor therefore causes events that the session records, and looks again: these are
 * recorded at once, unless something prevents it.
 */
#ifndef LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H
#define LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H

#include <sched.h>
#include <stdbool.h>

#include "lttng-session/recorder/plan.h"

/* An event is caused after so many looks, of which there is one in a second; on each CPU: */
#define SILENCE_LOOKS 5
#define SILENCE_EACH_LOOKS 60

/* Zeros at first. */
struct silence {
	unsigned int looks;	 /* without anything recorded */
	unsigned int each_looks; /* since events were caused on each CPU */
	bool caused;		 /* an event was caused before the next look */
	bool caused_each;	 /* ... on each CPU */
};

enum silence_verdict {
	SILENCE_NONE,
	SILENCE_CAUSE,	    /* cause events before the next look */
	SILENCE_CAUSE_EACH, /* ... on each CPU */
	SILENCE_FOUND,	    /* nothing is recorded, not even what was caused; cause more */
	SILENCE_FOUND_CPU,  /* ... on a CPU; cause more on each */
};

/*
 * @moved: something has been recorded since the last look. @missed: there is a CPU on which events
 * were caused and nothing has been recorded.
 */
enum silence_verdict silence_look(struct silence *silence, bool moved, bool missed);

/* The first of the CPUs in @caused that is not in @moved; negative: there is none. */
int silence_missed_cpu(const cpu_set_t *caused, const cpu_set_t *moved);

/*
 * Does the session record what silence_cause() causes? One that tracks processes does not, and one
 * of events that a user has chosen only if they are among those that are caused.
 */
bool silence_applies(const struct plan_session *session);

/*
 * Causes events: starts threads, which end at once. @each: on each CPU on which this process may
 * run; those on which it did are in *@caused then, which is empty otherwise. A CPU that lets no
 * thread run within a second ends that: neither it nor those after it are in *@caused, here and in
 * later calls until it does. Returns 0, or an error number.
 */
int silence_cause(bool each, cpu_set_t *caused);

#endif /* LTTNG_MM_DAEMON_SUPERVISOR_SILENCE_H */
