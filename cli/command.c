// SPDX-License-Identifier: LGPL-2.1-only
/* The common end of all commands. */
#include "cli/command.h"

#include <stdio.h>

int command_end(const struct mm_error *err, int status)
{
	if (!err->code)
		return status;
	fprintf(stderr, "lttng-mm: %s\n", err->message);
	return err->code;
}
