/* SPDX-License-Identifier: LGPL-2.1-only */
/* The error object. Libraries fill it in, and only the program prints it. */
#ifndef LTTNG_MM_UTIL_ERROR_H
#define LTTNG_MM_UTIL_ERROR_H

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* Exit codes of the program. An error contains the code with which main() exits. */
enum mm_exit {
	MM_EXIT_OK = 0,
	MM_EXIT_FAILED = 1,	 /* a check or a diff failed */
	MM_EXIT_BAD_INPUT = 2,	 /* bad usage or bad input */
	/* the trace lost events (`verify`, --require-complete), or a result is inconclusive */
	MM_EXIT_INCOMPLETE = 3,
	MM_EXIT_ENVIRONMENT = 4, /* the environment is the cause, such as lack of memory */
};

/*
 * Sample message: "trace: /tmp/x: not a trace; give the folder that `lttng-mm snapshot` printed". A
 * message is one terminated line with control characters escaped. If it is too long, `[...]`
 * replaces the middle of long parts, such as paths.
 */
struct mm_error {
	int code;
	char message[1024];
};

#define MM_ERROR_INIT                             \
	{                                         \
		.code = MM_EXIT_OK, .message = "" \
	}

/*
 * Fills @err, which may be NULL, and returns -1, so that a caller can write `return
 * mm_error_set(err, MM_EXIT_BAD_INPUT, ...)`. An error that is already set is not changed, so a
 * later, more general message does not hide the cause. The form of messages is `<what>: <where>:
 * <why>; <remedy>`.
 */
int mm_error_set(struct mm_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int mm_error_vset(struct mm_error *err, int code, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

/* Resets @err to MM_ERROR_INIT. */
void mm_error_clear(struct mm_error *err);

/* Results from -MM_ERRNO_MAX to -1 are errors (the kernel's MAX_ERRNO). */
#define MM_ERRNO_MAX 4095

/*
 * Returns the name of the error in @result, such as "ENOENT" for -2. Returns NULL if @result is not
 * an error or the error has no name.
 */
static inline const char *mm_errno_name(int64_t result)
{
	return result < 0 && result >= -MM_ERRNO_MAX ? strerrorname_np((int)-result) : NULL;
}

#endif /* LTTNG_MM_UTIL_ERROR_H */
