/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a subsystem is to the rest of the program: its profile, what recording it needs, its
 * analysis and its rules. One without a profile is an analysis of what others record. All of it is
 * data: the recorder reads it, and it never calls the recorder.
 */
#ifndef LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H
#define LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/subsystem/analysis.h"
#include "analysis/subsystem/rules.h"
#include "analysis/trace/event-text.h"

enum mm_need_kind {
	MM_NEED_END,
	MM_NEED_CONFIG,	   /* an option of the kernel, which is y or m */
	MM_NEED_DAX_MOUNT, /* a filesystem that is mounted with DAX */
	MM_NEED_BTF,	   /* the kernel's types */
	MM_NEED_TRACEFS,   /* ftrace's list of functions */
};

/* What the machine must have. Arrays of these end with MM_NEED_END. */
struct mm_need {
	enum mm_need_kind kind;
	const char *name;   /* of a kernel option, with CONFIG_ */
	const char *reason; /* "the probe finds the members of struct kmem_cache in it" */
};

struct mm_subsystem {
	const char *name;
	const char *profile;	     /* profiles/NAME.conf: what the recorder records; NULL: none */
	const struct mm_need *needs; /* NULL: none */
	const struct mm_analysis *analysis; /* NULL: none */
	const struct mm_rules *rules;	    /* NULL: none */
	const struct mm_event_text *texts;  /* of its events in `print`; NULL: name=value */
};

static inline bool mm_subsystem_needs(const struct mm_subsystem *subsystem, enum mm_need_kind kind)
{
	for (const struct mm_need *need = subsystem->needs; need && need->kind; need++)
		if (need->kind == kind)
			return true;
	return false;
}

#endif /* LTTNG_MM_SUBSYSTEM_SUBSYSTEM_H */
