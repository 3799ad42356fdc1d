/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Holds slab and page events to their own rules, each event by itself: what an allocator can give
 * out, in the memory and of the caches that the state dump reports. doc/man/lttng-mm-verify.1
 * lists the rules.
 */
#ifndef LTTNG_MM_SLAB_VERIFY_VERIFY_H
#define LTTNG_MM_SLAB_VERIFY_VERIFY_H

#include "analysis/subsystem/rules.h"

/* Findings that are kept; what is found beyond that is only counted. */
#define SLAB_VERIFY_FINDINGS_MAX 65536u

extern const struct mm_rules mm_slab_rules;

#endif /* LTTNG_MM_SLAB_VERIFY_VERIFY_H */
