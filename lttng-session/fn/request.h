/* SPDX-License-Identifier: LGPL-2.1-only */
/* Builds the request that adds functions to the kernel module (instrumentation/wire/fn.h). */
#ifndef LTTNG_MM_SESSION_FN_REQUEST_H
#define LTTNG_MM_SESSION_FN_REQUEST_H

#include "lttng-session/fn/describe/function.h"

/* The argument of LTTNG_MM_FN_ADD. */
struct fn_device_request {
	struct lttng_mm_fn_add add; /* the request; add.at is the address of @bytes */
	void *bytes;
	size_t size;
};

/*
 * Builds the request. Release it with fn_request_release(). Returns 0, or -1 with @err set when out
 * of memory or if the request is too large.
 */
int fn_request_build(const struct fn_function *functions, size_t count,
		     struct fn_device_request *request, struct mm_error *err);
void fn_request_release(struct fn_device_request *request);

#endif /* LTTNG_MM_SESSION_FN_REQUEST_H */
