/* SPDX-License-Identifier: LGPL-2.1-only */
/* The analysis of the slowest calls, faults and pairs of events: what their time was spent on. */
#ifndef LTTNG_MM_WHY_WHY_H
#define LTTNG_MM_WHY_WHY_H

#include "analysis/subsystem/analysis.h"

extern const struct mm_analysis mm_why_analysis;

#endif /* LTTNG_MM_WHY_WHY_H */
