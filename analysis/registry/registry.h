/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The analyses, of which `lttng-mm report` and the babeltrace2 plugin are made, and the sets of
 * rules that `lttng-mm verify` applies.
 */
#ifndef LTTNG_MM_REGISTRY_REGISTRY_H
#define LTTNG_MM_REGISTRY_REGISTRY_H

#include "analysis/subsystem/analysis.h"
#include "analysis/subsystem/rules.h"

/* X(IDENTIFIER, NAME): `mm_IDENTIFIER_analysis` and what users call it. One line each. */
#define MM_ANALYSES(X) \
	X(dax, "dax")  \
	X(slab, "slab")

/* All analyses, in that order; ends with NULL. */
extern const struct mm_analysis *const mm_analyses[];
const struct mm_analysis *mm_analysis_find(const char *name);

/* X(IDENTIFIER): `mm_IDENTIFIER_rules`, in the order in which verify applies them. */
#define MM_RULES(X) X(slab)

#define MM_RULES_ONE(id) +1
enum { MM_RULES_COUNT = MM_RULES(MM_RULES_ONE) };

extern const struct mm_rules *const mm_rules_sets[MM_RULES_COUNT];

#endif /* LTTNG_MM_REGISTRY_REGISTRY_H */
