/* SPDX-License-Identifier: LGPL-2.1-only */
/* The DAX fault analysis. */
#ifndef LTTNG_MM_DAX_DAX_H
#define LTTNG_MM_DAX_DAX_H

#include "analysis/subsystem/analysis.h"

extern const struct mm_analysis mm_dax_analysis;

#endif /* LTTNG_MM_DAX_DAX_H */
