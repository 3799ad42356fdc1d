/* SPDX-License-Identifier: LGPL-2.1-only */
/* The device of the module lttng-probe-fn. */
#ifndef LTTNG_MM_SESSION_FN_DEVICE_H
#define LTTNG_MM_SESSION_FN_DEVICE_H

#include "lttng-session/fn/request.h"

/*
 * Opens the device, and loads the module first unless @load is false. Only root may. Returns the
 * descriptor, to be closed, or -1 with @err set; err->code is 0 if the module is not loaded and
 * @load is false.
 */
int fn_device_open(bool load, struct mm_error *err);

/* Adds all functions, or none. Returns 0, or -1 with @err set. */
int fn_device_add(int device, const struct fn_function *functions, size_t count,
		  struct mm_error *err);

/* Returns 0, 1 if there is no function of that name, or -1 with @err set. */
int fn_device_remove(int device, const char *name, struct mm_error *err);

/* Calls @visit for each function until it returns non-zero. Returns that, or 0, or -1 with @err. */
int fn_device_each(int device, int (*visit)(const struct lttng_mm_fn_state *state, void *user),
		   void *user, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_FN_DEVICE_H */
