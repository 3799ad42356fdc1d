/* SPDX-License-Identifier: LGPL-2.1-only */
/* The analysis of slab and page allocations. */
#ifndef LTTNG_MM_SLAB_SLAB_H
#define LTTNG_MM_SLAB_SLAB_H

#include "analysis/subsystem/analysis.h"

extern const struct mm_analysis mm_slab_analysis;

#endif /* LTTNG_MM_SLAB_SLAB_H */
