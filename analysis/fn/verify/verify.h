/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rules for events of functions: each call has an entry and an exit. */
#ifndef LTTNG_MM_FN_VERIFY_VERIFY_H
#define LTTNG_MM_FN_VERIFY_VERIFY_H

#include "analysis/subsystem/rules.h"

extern const struct mm_rules mm_fn_rules;

#endif /* LTTNG_MM_FN_VERIFY_VERIFY_H */
