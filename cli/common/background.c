// SPDX-License-Identifier: LGPL-2.1-only
/* Detaches a process. Its messages go to the system's log. */
#include "cli/common/background.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "lttng-session/system/journal.h"

void background_prepare(void)
{
	close_range(3, UINT_MAX, 0);
}

int background_start(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), pid;

	/* Flush first, because the child would otherwise write the buffered output again. */
	fflush(NULL);
	pid = null < 0 ? -1 : fork();
	if (!pid) {
		setsid();
		/*
		 * Leave the current folder, because a background process must not keep the folder's
		 * filesystem busy.
		 */
		if (chdir("/"))
			_exit(1);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
	}
	if (null > 2 || (null >= 0 && pid))
		close(null);
	return pid;
}

void background_log(int priority, const char *message)
{
	journal_note(priority, "%s", message);
}
