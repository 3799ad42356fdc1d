/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes a JSON file of the system information. */
#ifndef LTTNG_MM_SESSION_WRITE_JSON_H
#define LTTNG_MM_SESSION_WRITE_JSON_H

#include <jansson.h>

#include "util/error.h"

/*
 * Writes @json to the new file @name in the folder of the descriptor @folder, and releases @json.
 * Fails if @json is NULL (out of memory). Returns 0, or -1 with @err set.
 */
int sysinfo_write_json(int folder, const char *name, json_t *json, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_WRITE_JSON_H */
