// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The lttng-mm program. It requests snapshots of the recorder daemon itself, because what precedes
 * the freeze must be short: on a busy CPU, linking the libraries of the other commands takes longer
 * than the rest. For everything else it loads the library that has all commands.
 */
#include <argp.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/snapshot-request.h"

#define LIBRARY "lib/lttng-mm/commands.so"

/* PREFIX/bin/lttng-mm, PREFIX/lib/lttng-mm/commands.so. Returns -1 with errno set. */
static int find_library(char *path, size_t size)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	for (int i = 0; i < 2 && length > 0; i++) {
		program[length] = '\0';
		length = strrchr(program, '/') - program;
	}
	if (length < 0)
		return -1;
	snprintf(path, size, "%.*s/" LIBRARY, (int)length, program);
	return 0;
}

static int run_all(int argc, char **argv, const struct snapshot_times *started)
{
	char path[PATH_MAX + sizeof(LIBRARY)];
	struct mm_error err = MM_ERROR_INIT;
	commands_entry *run = NULL;
	void *library;

	if (find_library(path, sizeof(path))) {
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "/proc/self/exe: %s; mount /proc",
			     strerror(errno));
		return command_end(&err, 0);
	}
	library = dlopen(path, RTLD_LAZY);
	if (library)
		*(void **)&run = dlsym(library, COMMANDS_ENTRY);
	if (run)
		return run(argc, argv, started);
	mm_error_set(&err, MM_EXIT_ENVIRONMENT, "%s; install the program again", dlerror());
	return command_end(&err, 0);
}

/* Returns false if no recorder daemon is running, or none for this user. */
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
	done = snapshot_by_daemon(&options, status, &err);
	if (done)
		*status = command_finish(command_end(&err, *status));
	return done;
}

int main(int argc, char **argv)
{
	int status = MM_EXIT_OK;

	snapshot_now(&command_started);
	if (argc > 1 && !strcmp(argv[1], "snapshot") &&
	    request_snapshot_of_daemon(argc, argv, &status))
		return status;
	return run_all(argc, argv, &command_started);
}
