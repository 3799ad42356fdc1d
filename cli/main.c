// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Entry point of PREFIX/bin/lttng-mm, a small static program. It sends requests for snapshots to
 * the recorder daemon itself, and executes PREFIX/lib/lttng-mm/lttng-mm for all other commands. A
 * snapshot must freeze the buffers as early as possible. On a busy CPU, loading shared libraries
 * would take longer than all other steps.
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/snapshot-request.h"
#include "lttng-session/snapshot/access.h"
#include "lttng-session/system/urgent.h"

#define PROGRAM "lib/lttng-mm/lttng-mm"

/*
 * This small program must not look up the group, because that may load shared libraries (NSS).
 * PROGRAM handles the requests that depend on the group.
 */
gid_t access_group(void)
{
	return (gid_t)-1;
}

/*
 * Derives PREFIX/lib/lttng-mm/lttng-mm from PREFIX/bin/lttng-mm. Returns 0, or -1 with errno set.
 */
static int find_program(char *path, size_t size)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	for (int i = 0; i < 2 && length > 0; i++) {
		program[length] = '\0';
		length = strrchr(program, '/') - program;
	}
	if (length < 0)
		return -1;
	snprintf(path, size, "%.*s/" PROGRAM, (int)length, program);
	return 0;
}

/*
 * Replaces this process with PROGRAM, which contains all commands. Returns an exit status if this
 * fails.
 */
static int run_all(char **argv)
{
	const struct snapshot_times *at = &command_started;
	char path[PATH_MAX + sizeof(PROGRAM)], started[80];
	struct mm_error err = MM_ERROR_INIT;

	if (find_program(path, sizeof(path))) {
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "/proc/self/exe: %s; mount /proc",
			     strerror(errno));
		return command_end(&err, MM_EXIT_ENVIRONMENT);
	}
	snprintf(started, sizeof(started), "%" PRId64 " %" PRId64 " %" PRId64, at->realtime_ns,
		 at->monotonic_ns, at->boottime_ns);
	setenv(COMMAND_STARTED, started, 1);
	execv(path, argv);
	if (errno == ENOENT)
		mm_error_set(
			&err, MM_EXIT_ENVIRONMENT,
			"%s: this part of the program is missing; copy lib/lttng-mm/lttng-mm, too, or link to the installed program (`make install` installs both)",
			path);
	else
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "%s: %s; install the program again", path,
			     strerror(errno));
	return command_end(&err, MM_EXIT_ENVIRONMENT);
}

/* Requests a snapshot and sets *@status. Returns false if no recorder daemon serves this user. */
static bool request_snapshot_of_daemon(int argc, char **argv, int *status)
{
	struct mm_error err = MM_ERROR_INIT;
	struct snapshot_options options;
	char *command = argv[1];
	bool done;

	argp_err_exit_status = MM_EXIT_BAD_INPUT;
	argv[1] = "lttng-mm snapshot";
	snapshot_options_parse(argc - 1, argv + 1, &options);
	argv[1] = command;
	/* Only PROGRAM can look up the group, and the recorder's folder in the plan. */
	if (options.request.access == SNAPSHOT_ACCESS_GROUP || options.recorder_folder)
		return false;
	done = snapshot_by_daemon(&options, status, &err);
	if (done)
		*status = command_finish(command_end(&err, *status));
	return done;
}

int main(int argc, char **argv)
{
	const bool snapshot = argc > 1 && !strcmp(argv[1], "snapshot");
	struct urgent urgent;
	int status = MM_EXIT_OK;

	snapshot_now(&command_started);
	/*
	 * Raise the priority until the freeze. Without a daemon, PROGRAM inherits the priority.
	 */
	if (snapshot)
		urgent_begin(&urgent);
	if (snapshot && request_snapshot_of_daemon(argc, argv, &status))
		return status;
	return run_all(argv);
}
