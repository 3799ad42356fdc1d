/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks what recording needs on this machine, and says how to provide what is missing. */
#ifndef LTTNG_MM_SESSION_DOCTOR_H
#define LTTNG_MM_SESSION_DOCTOR_H

#include <stddef.h>

enum finding_state { FINDING_OK, FINDING_NOTE, FINDING_MISSING };

struct finding {
	const char *name; /* stable: a key of the JSON form */
	enum finding_state state;
	char text[512];	  /* hostile: may hold the names of other users' sessions */
	char remedy[256]; /* a command, or empty; never with a name from elsewhere */
};

#define DOCTOR_FINDINGS_MAX 16

/*
 * Runs every check. Returns the number of findings. The kernel's files, modules, mounts and memory
 * are looked for below LTTNG_MM_ROOT; what no folder can stand for is this machine's: users and
 * groups, PATH, processors and the session daemon, which is not asked if that is set.
 */
size_t doctor_run(struct finding findings[DOCTOR_FINDINGS_MAX]);

#endif /* LTTNG_MM_SESSION_DOCTOR_H */
