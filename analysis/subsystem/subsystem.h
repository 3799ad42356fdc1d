/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a subsystem is to the rest of the program: its profile, what recording it needs, its
 * analysis and its rules. One without a profile is an analysis of what others record. The recorder
 * reads it, and nothing in it calls the recorder.
 */
#ifndef LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H
#define LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/subsystem/analysis.h"
#include "analysis/subsystem/event-roles.h"
#include "analysis/subsystem/rules.h"
#include "reader/events/event-text.h"
#include "reader/sysinfo/part.h"

enum mm_need_kind {
	MM_NEED_END,
	MM_NEED_CONFIG,	 /* an option of the kernel, which is y or m */
	MM_NEED_BTF,	 /* the kernel's types */
	MM_NEED_TRACEFS, /* ftrace's list of functions */
};

/* What the machine must have. Arrays of these end with MM_NEED_END. */
struct mm_need {
	enum mm_need_kind kind;
	const char *name;   /* of a kernel option, with CONFIG_ */
	const char *reason; /* "the probe finds the members of struct kmem_cache in it" */
};

/* The result of a check, as `doctor` prints it. */
struct mm_check {
	char text[256];
	char remedy[256]; /* a command, or empty */
};

/* Something else that the machine must have, which code of the subsystem looks for. */
struct mm_requirement {
	/* As profiles name it in `requires = dax-mount`: `record` refuses them without it. */
	const char *name;
	/* "no filesystem is mounted with DAX; mount one (mount -o dax /dev/pmem0 DIR)" */
	const char *refusal;
	/*
	 * Does the machine have it? Fills @check in either case. Looks for files below
	 * mounts_root(), and calls functions of util/ only.
	 */
	bool (*check)(struct mm_check *check);
};

struct mm_subsystem {
	const char *name;
	const char *profile;	     /* profiles/NAME.conf: what the recorder records; NULL: none */
	const struct mm_need *needs; /* NULL: none */
	const struct mm_requirement *requirement; /* NULL: none */
	const struct mm_analysis *analysis;	  /* NULL: none */
	const struct mm_rules *rules;		  /* NULL: none */
	const struct mm_event_text *texts;	  /* of its events in `print`; NULL: name=value */
	const struct mm_sysinfo_part *parts;	  /* of the system information; NULL: none */
	const struct mm_event_roles *roles; /* of its events in the analyses of others; or NULL */
};

#endif /* LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H */
