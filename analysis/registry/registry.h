/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The list of all subsystems. Add a new subsystem at the end, because messages suggest the profile
 * of the first one.
 */
#ifndef LTTNG_MM_REGISTRY_REGISTRY_H
#define LTTNG_MM_REGISTRY_REGISTRY_H

#include "analysis/subsystem/subsystem.h"

/*
 * X(IDENTIFIER, NAME): IDENTIFIER is part of the names of the objects mm_IDENTIFIER_subsystem and,
 * for the plugin, mm_IDENTIFIER_analysis. Users call the subsystem NAME.
 */
#define MM_SUBSYSTEMS(X) \
	X(dax, "dax")    \
	X(fn, "fn")      \
	X(slab, "slab")  \
	X(why, "why")    \
	X(pageref, "page-ref")

#define MM_SUBSYSTEMS_MAX 16

/* The subsystems of MM_SUBSYSTEMS, then NULL. A test may define its own list instead. */
extern const struct mm_subsystem *const mm_subsystems[];

/* Both return NULL if the name is unknown. */
const struct mm_subsystem *mm_subsystem_find(const char *name);
const struct mm_analysis *mm_analysis_find(const char *name);

/*
 * Returns the requirement with the name @name, or NULL. mm_requirement_names() returns the names of
 * all requirements.
 */
const struct mm_requirement *mm_requirement_find(const char *name);
const char *mm_requirement_names(void);

/* Returns the first profile, for messages that suggest `lttng-mm record PROFILE`. */
const char *mm_profile_example(void);

/* Return the analysis, or set of rules, with index @number; NULL after the last one. */
const struct mm_analysis *mm_analysis_at(size_t number);
const struct mm_rules *mm_rules_at(size_t number);

/*
 * Subsystems add files to the system information. Returns the description of file @number, from 0
 * on, or NULL after the last file.
 */
const struct mm_sysinfo_part *mm_sysinfo_part_at(size_t number);

/* Returns the text format in which `print` writes the event @event; NULL: as name=value. */
const struct mm_event_text *mm_event_text_find(const char *event);

/* Returns "dax, fn, slab, why, page-ref" in static memory that the next call overwrites. */
const char *mm_subsystem_names(void);

#endif /* LTTNG_MM_REGISTRY_REGISTRY_H */
