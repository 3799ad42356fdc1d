/* SPDX-License-Identifier: LGPL-2.1-only */
/* Checks regular expressions of users before a program of another user compiles them. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_REGEX_H
#define LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_REGEX_H

#include "util/error.h"

/*
 * Is @text, if it is a POSIX extended regular expression, one that can be compiled with little
 * memory and matched in time that grows with the length of the line only? Repetitions of
 * repetitions, which the library writes out, and back references are refused. @what starts the
 * messages. Returns 0, or -1 with @err set.
 */
int trigger_check_regex(const char *text, const char *what, struct mm_error *err);

/*
 * Can the library compile it? To be called by a process that has no rights to lose, after
 * trigger_check_regex(). Returns as that.
 */
int trigger_compile_regex(const char *text, const char *what, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_DEFINITION_REGEX_H */
