/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks what recording requires on this machine, and suggests remedies. */
#ifndef LTTNG_MM_SESSION_DOCTOR_H
#define LTTNG_MM_SESSION_DOCTOR_H

#include <stddef.h>

enum doctor_state { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_MISSING };

struct doctor_result {
	const char *name; /* a key of the JSON form, so it must not change */
	enum doctor_state state;
	char text[512];	  /* untrusted, because it may contain the names of other users' sessions */
	char remedy[256]; /* a command, or empty; contains no untrusted names */
};

#define DOCTOR_RESULTS_MAX 32 /* not less than the number of results that all checks can produce */

/*
 * Runs every check and returns the number of results. If LTTNG_MM_ROOT is set, reads the kernel's
 * files, modules, mounts and memory below that folder, and does not contact the session daemon.
 * Users, groups, PATH and processors always are this machine's.
 */
size_t doctor_run(struct doctor_result results[DOCTOR_RESULTS_MAX]);

#endif /* LTTNG_MM_SESSION_DOCTOR_H */
