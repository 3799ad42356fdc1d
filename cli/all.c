// SPDX-License-Identifier: LGPL-2.1-only
/* Entry point of PREFIX/lib/lttng-mm/lttng-mm, which contains all commands. main.c runs it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/common/command.h"

int main(int argc, char **argv)
{
	const char *text = getenv(COMMAND_STARTED);
	struct snapshot_times started;

	/* Programs that this program starts must not inherit the variable. */
	if (!text || sscanf(text, COMMAND_STARTED_FORMAT, &started.realtime_ns,
			    &started.monotonic_ns, &started.boottime_ns) != 3)
		snapshot_now(&started);
	unsetenv(COMMAND_STARTED);
	return commands_run(argc, argv, &started);
}
