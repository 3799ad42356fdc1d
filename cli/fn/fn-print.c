// SPDX-License-Identifier: LGPL-2.1-only
/* Output for several fn commands: JSON, and the kinds of values. */
#include "cli/fn/fn-print.h"

#include <stdio.h>

#include "cli/fn/fn-options.h"

void fn_print_json(json_t *json, struct mm_error *err)
{
	if (!json) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
		return;
	}
	json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(json);
}

const char *fn_kind_name(unsigned int kind)
{
	static const char *const names[LTTNG_MM_FN_KINDS] = {
		[LTTNG_MM_FN_UNSIGNED] = "unsigned", [LTTNG_MM_FN_SIGNED] = "signed",
		[LTTNG_MM_FN_HEX] = "hexadecimal",   [LTTNG_MM_FN_POINTER] = "pointer",
		[LTTNG_MM_FN_STRING] = "string",     [LTTNG_MM_FN_USER_STRING] = "user string",
		[LTTNG_MM_FN_BYTES] = "bytes",
	};

	return names[kind];
}
