/* SPDX-License-Identifier: LGPL-2.1-only */
/* The analysis of slow calls, operations and pairs of events. It shows where the time went. */
#ifndef LTTNG_MM_WHY_WHY_H
#define LTTNG_MM_WHY_WHY_H

#include "analysis/subsystem/analysis.h"

extern const struct mm_analysis mm_why_analysis;

#endif /* LTTNG_MM_WHY_WHY_H */
