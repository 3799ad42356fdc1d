/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The descriptor of a subsystem: its profile, what recording needs, its analysis and its rules. A
 * subsystem without a profile analyzes events of other subsystems. The recorder reads descriptors,
 * so their functions must not call the recorder.
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
	MM_NEED_CONFIG,	 /* a kernel option, y or m */
	MM_NEED_BTF,	 /* BTF of the kernel */
	MM_NEED_TRACEFS, /* ftrace's list of functions in tracefs */
};

/* A requirement of recording. Arrays end with MM_NEED_END. */
struct mm_need {
	enum mm_need_kind kind;
	const char *name; /* the kernel option, such as CONFIG_SLUB; else NULL */
	/* for messages: "the probe finds the members of struct kmem_cache in it" */
	const char *reason;
};

/* The result of a check, which `doctor` prints. */
struct mm_check {
	char text[256];
	char remedy[256]; /* a command, or "" */
};

/* A requirement that the subsystem checks with its own function. */
struct mm_requirement {
	/*
	 * Name in profiles. With `requires = dax-mount`, `record` refuses to start if the
	 * requirement is not met.
	 */
	const char *name;
	/*
	 * Message of the refusal: "no filesystem is mounted with DAX; mount one (mount -o dax
	 * /dev/pmem0 DIR)".
	 */
	const char *refusal;
	/*
	 * Does the machine meet the requirement? Fills @check in either case. Must look for files
	 * below mounts_root(), and call only functions of util/.
	 */
	bool (*check)(struct mm_check *check);
};

struct mm_subsystem {
	const char *name;
	const char *profile;			  /* NAME of profiles/NAME.conf; NULL: none */
	const struct mm_need *needs;		  /* NULL: none */
	const struct mm_requirement *requirement; /* NULL: none */
	/* never NULL, because the babeltrace2 plugin has a component class for each analysis */
	const struct mm_analysis *analysis;
	const struct mm_rules *rules;	   /* NULL: none */
	const struct mm_event_text *texts; /* formats for `print`; NULL: name=value */
	/* the subsystem's files in the system information; NULL: none */
	const struct mm_sysinfo_part *parts;
	const struct mm_event_roles *roles; /* for other analyses; NULL: none */
};

#endif /* LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H */
