/* SPDX-License-Identifier: LGPL-2.1-only */
/* The analysis of function calls. */
#ifndef LTTNG_MM_FN_FN_H
#define LTTNG_MM_FN_FN_H

#include "analysis/subsystem/analysis.h"

extern const struct mm_analysis mm_fn_analysis;

#endif /* LTTNG_MM_FN_FN_H */
