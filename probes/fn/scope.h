/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions within whose calls others are recorded (--inside). */
#ifndef LTTNG_MM_PROBES_FN_SCOPE_H
#define LTTNG_MM_PROBES_FN_SCOPE_H

#include <linux/types.h>

struct fn;

/* Under fn_mutex. Returns an enum lttng_mm_fn_error; a known one is shared. */
int fn_scope_get(const char *symbol, struct fn **scope);
/* Accepts NULL. No handler can use it for the caller any more. */
void fn_scope_put(struct fn *scope);
/* When it is hooked: no thread is in a call that is known. */
void fn_scope_clear(struct fn *scope);

/*
 * fn_scope_enter, fn_scope_leave, fn_scope_has - the current thread is in a call
 *
 * GROUP is the number of the group whose hook calls.
 *
 * Context: any, preemption off. No lock; 32 steps at most. enter returns whether the end of
 * the call is of interest.
 */
bool fn_scope_enter(struct fn *scope, u32 group);
void fn_scope_leave(struct fn *scope, u32 group);
bool fn_scope_has(const struct fn *scope);

#endif /* LTTNG_MM_PROBES_FN_SCOPE_H */
