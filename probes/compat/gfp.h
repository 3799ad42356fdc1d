/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocation flags. A flag that the kernel lacks is defined as 0. */
#ifndef LTTNG_MM_PROBES_COMPAT_GFP_H
#define LTTNG_MM_PROBES_COMPAT_GFP_H

#include <linux/gfp.h>

/* Linux 6.3 removed this flag. Since then, GFP_ATOMIC is __GFP_HIGH without direct reclaim. */
#ifdef __GFP_ATOMIC
#define LTTNG_MM_GFP_ATOMIC __GFP_ATOMIC
#else
#define LTTNG_MM_GFP_ATOMIC 0
#endif

/* Linux 6.10 added this flag. */
#ifdef __GFP_NO_OBJ_EXT
#define LTTNG_MM_GFP_NO_OBJ_EXT __GFP_NO_OBJ_EXT
#else
#define LTTNG_MM_GFP_NO_OBJ_EXT 0
#endif

#endif /* LTTNG_MM_PROBES_COMPAT_GFP_H */
