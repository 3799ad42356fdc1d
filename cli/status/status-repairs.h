/* SPDX-License-Identifier: LGPL-2.1-only */
/* The part of `status` about what the recorder daemon has repaired, rescued, and cannot repair. */
#ifndef LTTNG_MM_CLI_STATUS_STATUS_REPAIRS_H
#define LTTNG_MM_CLI_STATUS_STATUS_REPAIRS_H

#include <jansson.h>
#include <stdio.h>

/*
 * Prints the last repairs and rescues, one per line, and what cannot be repaired at present;
 * nothing if there is none. @daemon: the recorder daemon's answer, or NULL.
 */
void status_print_repairs(FILE *out, const json_t *daemon);

/*
 * Adds to the object @json:
 *
 *   "repairs": as in repairs.h, of which the times are nanoseconds,
 *   "rescues": as in supervisor.h, "problem": a text; both null if they are not known or there is none,
 *   "repair_count", "rescue_count", "last_repair", "last_rescue": numbers, times in seconds since the
 *   Epoch, "problem_found": a Boolean; null if they are not known or there is none
 */
void status_add_repairs(json_t *json, const json_t *daemon);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_REPAIRS_H */
