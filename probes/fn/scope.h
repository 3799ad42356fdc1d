/* SPDX-License-Identifier: GPL-2.0-only */
/* Scopes: other functions are recorded only during calls of a scope (--inside). */
#ifndef LTTNG_MM_PROBES_FN_SCOPE_H
#define LTTNG_MM_PROBES_FN_SCOPE_H

#include <linux/types.h>

struct fn;

/* Returns an existing scope or adds one. Under fn_mutex. Returns an enum lttng_mm_fn_error. */
int fn_scope_get(const char *symbol, struct fn **scope);
/* Releases a scope, which may be NULL. No handler of the function that used it may be running. */
void fn_scope_put(struct fn *scope);
/*
 * Empties the table of threads. Called when the scope is hooked: the entries of calls before that
 * time are outdated, because their exits were not hooked.
 */
void fn_scope_clear(struct fn *scope);

/*
 * fn_scope_enter, fn_scope_leave, fn_scope_has - track whether the current thread is in a call
 *
 * GROUP is the number of the group whose hook calls the function. If enter returns true, leave must
 * be called.
 *
 * Context: any, preemption off. Takes no lock; at most 32 steps.
 */
bool fn_scope_enter(struct fn *scope, u32 group);
void fn_scope_leave(struct fn *scope, u32 group);
bool fn_scope_has(const struct fn *scope);

#endif /* LTTNG_MM_PROBES_FN_SCOPE_H */
