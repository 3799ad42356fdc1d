/* SPDX-License-Identifier: LGPL-2.1-only */
/* The part of `status` about functions that are no longer recorded. */
#ifndef LTTNG_MM_CLI_STATUS_STATUS_FUNCTIONS_H
#define LTTNG_MM_CLI_STATUS_STATUS_FUNCTIONS_H

#include <jansson.h>
#include <stdio.h>

/*
 * Prints a line for each of the first functions of @stopped, as fn_stopped() returns them, and how
 * many there are besides; nothing if there is none.
 */
void status_print_functions(FILE *out, const json_t *stopped);

/*
 * Adds to the object @json "stopped_functions", a list of objects, and "stopped_function_count"; both
 * null if @stopped is NULL.
 */
void status_add_functions(json_t *json, const json_t *stopped);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_FUNCTIONS_H */
