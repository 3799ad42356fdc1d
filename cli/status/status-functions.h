/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The part of `status` about functions that were stopped because they exceeded their maximum rate.
 */
#ifndef LTTNG_MM_CLI_STATUS_STATUS_FUNCTIONS_H
#define LTTNG_MM_CLI_STATUS_STATUS_FUNCTIONS_H

#include <jansson.h>
#include <stdio.h>

/* Prints a line for each of the first functions in @stopped (fn_stopped()), and counts the rest. */
void status_print_functions(FILE *out, const json_t *stopped);

/*
 * Adds the array "stopped_functions" and the number "stopped_function_count" to the object @json.
 * Both are null if @stopped is NULL.
 */
void status_add_functions(json_t *json, const json_t *stopped);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_FUNCTIONS_H */
