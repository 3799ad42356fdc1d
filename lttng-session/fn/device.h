/* SPDX-License-Identifier: LGPL-2.1-only */
/* Requests to the kernel module lttng-probe-fn through its device. */
#ifndef LTTNG_MM_SESSION_FN_DEVICE_H
#define LTTNG_MM_SESSION_FN_DEVICE_H

#include "lttng-session/fn/request.h"

/*
 * Opens the module's device, which requires root. With @load, first loads the module. Returns a
 * descriptor for the caller to close, or -1 with @err set. Without @load, a missing module is not
 * an error, so -1 is returned and err->code stays 0.
 */
int fn_device_open(bool load, struct mm_error *err);

/* Adds all functions. If one function fails, adds none. Returns 0, or -1 with @err set. */
int fn_device_add(int device, const struct fn_function *functions, size_t count,
		  struct mm_error *err);

/* Removes the function @name. Returns 0, or 1 if it does not exist, or -1 with @err set. */
int fn_device_remove(int device, const char *name, struct mm_error *err);

/*
 * Calls @visit for each function of the module, until @visit returns a value other than 0. Returns
 * the last value of @visit, or -1 with @err set.
 */
int fn_device_each(int device, int (*visit)(const struct lttng_mm_fn_state *state, void *user),
		   void *user, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_FN_DEVICE_H */
