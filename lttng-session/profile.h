/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Profiles: named sets of events, contexts and buffers; each has the name of the analysis that uses
 * it.
 */
#ifndef LTTNG_MM_SESSION_PROFILE_H
#define LTTNG_MM_SESSION_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct profile {
	const char *name;
	const char *summary;
	const char *module;	     /* the probe to load */
	const char *const *events;   /* ends with NULL; names, or patterns that LTTng accepts */
	const char *const *contexts; /* ends with NULL; as lttng-add-context(1) names them */
	uint64_t subbuf_bytes;	     /* a power of two */
	uint64_t subbuf_count;	     /* per CPU, a power of two */
	bool needs_dax_mount;
	/*
	 * The probe attaches to the kernel's tracepoints one by one, when the first session that
	 * uses them is about to start: for some milliseconds, that session records frees without
	 * allocations, or the reverse. So a temporary session is started first.
	 */
	bool starts_unevenly;
	/*
	 * NULL, or the events of the state dump: names, no patterns; ends with NULL. They have a
	 * separate session, written again for each snapshot, because a tracker on a session drops
	 * its state dumps and a busy ring buffer overwrites them.
	 */
	const char *const *state_events;
};

/* All profiles; the last one has a NULL name. */
extern const struct profile profiles[];

/* NULL if there is none of that name. */
const struct profile *profile_find(const char *name);

#endif /* LTTNG_MM_SESSION_PROFILE_H */
