/* SPDX-License-Identifier: LGPL-2.1-only */
/* Output for several fn commands: JSON, and the kinds of values. */
#ifndef LTTNG_MM_CLI_FN_FN_PRINT_H
#define LTTNG_MM_CLI_FN_FN_PRINT_H

#include <jansson.h>

#include "util/error.h"

/* Prints @json and releases it. If @json is NULL, sets @err to out of memory. */
void fn_print_json(json_t *json, struct mm_error *err);

/* Returns the name of an enum lttng_mm_fn_kind, such as "hexadecimal". */
const char *fn_kind_name(unsigned int kind);

#endif /* LTTNG_MM_CLI_FN_FN_PRINT_H */
