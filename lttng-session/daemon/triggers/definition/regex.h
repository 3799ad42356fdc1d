/* SPDX-License-Identifier: LGPL-2.1-only */
/* Bounds the cost of users' regular expressions before they are compiled. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_REGEX_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_REGEX_H

#include "util/error.h"

/*
 * Checks that the POSIX extended regular expression @text compiles with little memory, and has no
 * back references. glibc expands repetitions, so nested repetitions are limited:
 * ((a{100}){100}){100} would have a million states. @what is the start of messages. Returns 0, or
 * -1 with @err set.
 */
int trigger_check_regex(const char *text, const char *what, struct mm_error *err);

/*
 * Checks that the C library compiles @text. Call trigger_check_regex() first, and call this
 * function only in a process without root's rights. Returns 0, or -1 with @err set.
 */
int trigger_compile_regex(const char *text, const char *what, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_REGEX_H */
