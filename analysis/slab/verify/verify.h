/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Checks slab and page events against rules. Sizes, memory and caches in events must be possible
 * for an allocator and match the state dump. doc/man/lttng-mm-verify.1 lists the rules.
 */
#ifndef LTTNG_MM_SLAB_VERIFY_VERIFY_H
#define LTTNG_MM_SLAB_VERIFY_VERIFY_H

#include "analysis/subsystem/rules.h"

/* Maximum number of stored violations. Further violations are only counted. */
#define SLAB_VERIFY_FINDINGS_MAX 65536u

extern const struct mm_rules mm_slab_rules;

#endif /* LTTNG_MM_SLAB_VERIFY_VERIFY_H */
