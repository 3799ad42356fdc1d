/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks what recording needs on this machine, and says how to mend what is missing. */
#ifndef LTTNG_MM_SESSION_DOCTOR_H
#define LTTNG_MM_SESSION_DOCTOR_H

#include <stddef.h>

enum finding_state { FINDING_OK, FINDING_NOTE, FINDING_MISSING };

struct finding {
	const char *name;	/* stable: a key of the JSON form */
	enum finding_state state;
	char text[256];
	char remedy[256];	/* a command, or empty */
};

#define DOCTOR_FINDINGS_MAX 16

/* Runs every check. Returns the number of findings; LTTNG_MM_ROOT is put before every path. */
size_t doctor_run(struct finding findings[DOCTOR_FINDINGS_MAX]);

#endif /* LTTNG_MM_SESSION_DOCTOR_H */
