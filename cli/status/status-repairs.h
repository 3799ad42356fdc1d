/* SPDX-License-Identifier: LGPL-2.1-only */
/* The part of `status` about repairs and rescues by the recorder daemon. */
#ifndef LTTNG_MM_CLI_STATUS_STATUS_REPAIRS_H
#define LTTNG_MM_CLI_STATUS_STATUS_REPAIRS_H

#include <jansson.h>
#include <stdio.h>

/*
 * Prints the last repairs and rescues, one per line. Also prints a problem that cannot be repaired
 * at present. @daemon is the recorder daemon's answer, or NULL.
 */
void status_print_repairs(FILE *out, const json_t *daemon);

/*
 * Adds to the object @json:
 *
 *   "repairs"                      the array in repairs.h, with times in nanoseconds
 *   "rescues"                      the array in supervisor.h
 *   "problem"                      a text; null: no problem, or unknown
 *   "problem_found"                a Boolean
 *   "repair_count", "rescue_count" numbers
 *   "last_repair", "last_rescue"   seconds since the Epoch; null: none
 *
 * A member is null if it is unknown.
 */
void status_add_repairs(json_t *json, const json_t *daemon);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_REPAIRS_H */
