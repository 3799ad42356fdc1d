/* SPDX-License-Identifier: LGPL-2.1-only */
/* Profiles: named sets of events, contexts and buffers; one per analysis of the same name. */
#ifndef LTTNG_MM_SESSION_PROFILE_H
#define LTTNG_MM_SESSION_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct profile {
	const char *name;
	const char *summary;
	const char *module;	     /* the probe to load */
	const char *const *events;   /* ends with NULL; a name or a pattern that LTTng takes */
	const char *const *contexts; /* ends with NULL; as lttng-add-context(1) names them */
	uint64_t subbuf_bytes;	     /* a power of two */
	uint64_t subbuf_count;	     /* per CPU, a power of two */
	bool wants_dax_mount;
	/*
	 * The probe attaches to the kernel's tracepoints when the first session that wants them has
	 * all but started, one after another: for some milliseconds that session has frees and no
	 * allocations, or the reverse. So another one comes before.
	 */
	bool starts_unevenly;
	/*
	 * NULL, or what is told once: names, no patterns; ends with NULL. It has a session of its
	 * own, written anew for each snapshot, because a tracker on a session drops its state dumps
	 * and a busy ring overwrites them.
	 */
	const char *const *state_events;
};

/* All profiles; ends with a NULL name. */
extern const struct profile profiles[];

/* NULL when there is none of that name. */
const struct profile *profile_find(const char *name);

#endif /* LTTNG_MM_SESSION_PROFILE_H */
