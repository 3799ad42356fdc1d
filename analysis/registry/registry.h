/* SPDX-License-Identifier: LGPL-2.1-only */
/* The one list of subsystems: a new one is a line in it. */
#ifndef LTTNG_MM_REGISTRY_REGISTRY_H
#define LTTNG_MM_REGISTRY_REGISTRY_H

#include "analysis/subsystem/subsystem.h"

/* X(IDENTIFIER, NAME): `mm_IDENTIFIER_subsystem` and what users call it. One line each. */
#define MM_SUBSYSTEMS(X) \
	X(dax, "dax")    \
	X(fn, "fn")      \
	X(slab, "slab")  \
	X(why, "why")

#define MM_SUBSYSTEMS_MAX 16

/* All subsystems, in that order; ends with NULL. A test may define its own list instead. */
extern const struct mm_subsystem *const mm_subsystems[];

/* NULL: there is none of that name. */
const struct mm_subsystem *mm_subsystem_find(const char *name);
const struct mm_analysis *mm_analysis_find(const char *name);

/*
 * The requirement that profiles name @name; NULL: there is none. And the names of all, as
 * mm_subsystem_names() returns those of subsystems.
 */
const struct mm_requirement *mm_requirement_find(const char *name);
const char *mm_requirement_names(void);

/* The profile of the first subsystem that has one, for messages that suggest `lttng-mm record`. */
const char *mm_profile_example(void);

/* The analysis or set of rules number @number, from 0 on; NULL: there are no more. */
const struct mm_analysis *mm_analysis_at(size_t number);
const struct mm_rules *mm_rules_at(size_t number);

/* The files of subsystems in the system information. */
const struct mm_sysinfo_part *mm_sysinfo_part_at(size_t number);

/* How the fields of the event of that name are written; NULL: no subsystem says it. */
const struct mm_event_text *mm_event_text_find(const char *event);

/* The names, separated by commas, in static memory that the next call overwrites. */
const char *mm_subsystem_names(void);

#endif /* LTTNG_MM_REGISTRY_REGISTRY_H */
