/* SPDX-License-Identifier: LGPL-2.1-only */
/* The analysis of page references. */
#ifndef LTTNG_MM_PAGEREF_PAGEREF_H
#define LTTNG_MM_PAGEREF_PAGEREF_H

#include "analysis/subsystem/analysis.h"

extern const struct mm_analysis mm_pageref_analysis;

#endif /* LTTNG_MM_PAGEREF_PAGEREF_H */
