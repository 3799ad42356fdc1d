/* SPDX-License-Identifier: LGPL-2.1-only */
/* The list of analyses, of which `lttng-mm report` and the babeltrace2 plugin are made. */
#ifndef LTTNG_MM_CORE_REGISTRY_H
#define LTTNG_MM_CORE_REGISTRY_H

#include "analysis/core/consumer.h"

/* X(IDENTIFIER, NAME): `mm_IDENTIFIER_analysis` and what users call it. One line each. */
#define MM_ANALYSES(X) \
	X(dax, "dax") \
	X(slab, "slab")

/* All analyses, in that order; ends with NULL. */
extern const struct mm_analysis *const mm_analyses[];
const struct mm_analysis *mm_analysis_find(const char *name);

#endif /* LTTNG_MM_CORE_REGISTRY_H */
