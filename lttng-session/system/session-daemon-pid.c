// SPDX-License-Identifier: LGPL-2.1-only
/* The process ID and the start time of root's session daemon. */
#include "lttng-session/system/session-daemon-pid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pid_t daemon_pid(void)
{
	FILE *file = fopen("/run/lttng/lttng-sessiond.pid", "re");
	int pid = 0;

	if (file && fscanf(file, "%d", &pid) != 1)
		pid = 0;
	if (file)
		fclose(file);
	return pid;
}

int64_t daemon_started(void)
{
	char path[64], line[1024], *at;
	int blanks = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)daemon_pid());
	file = fopen(path, "re");
	if (!file || !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	/*
	 * A killed daemon may have left the PID file, and another process may have this PID now. So
	 * check the name.
	 */
	if (!strstr(line, "(lttng-sessiond)"))
		return 0;
	/*
	 * The start time is field 22 of proc_pid_stat(5). Field 2, the name, may contain blanks, so
	 * count from its closing parenthesis.
	 */
	for (at = strrchr(line, ')'); at && blanks < 20; blanks++)
		at = strchr(at + 1, ' ');
	return at ? strtoll(at, NULL, 10) : 0;
}
