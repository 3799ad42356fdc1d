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
#include "lttng-session/system/urgent.h"

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

/* Returns NULL with @err set. */
static commands_entry *load_all(struct mm_error *err)
{
	char path[PATH_MAX + sizeof(LIBRARY)];
	commands_entry *entry = NULL;
	void *library;

	if (find_library(path, sizeof(path))) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "/proc/self/exe: %s; mount /proc",
			     strerror(errno));
		return NULL;
	}
	errno = 0;
	library = dlopen(path, RTLD_LAZY);
	/* The linker's message does not always say so. */
	if (!library && errno == ENOMEM) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s: out of memory", path);
		return NULL;
	}
	if (library)
		*(void **)&entry = dlsym(library, COMMANDS_ENTRY);
	if (!entry)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s; install the program again", dlerror());
	return entry;
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
	const bool snapshot = argc > 1 && !strcmp(argv[1], "snapshot");
	struct urgent urgent = { .raised = false };
	struct mm_error err = MM_ERROR_INIT;
	int status = MM_EXIT_OK;
	commands_entry *entry;

	snapshot_now(&command_started);
	/*
	 * Until the freeze: without a daemon, the libraries must be linked before it.
	 * snapshot_begin() ends it.
	 */
	if (snapshot)
		urgent_begin(&urgent);
	if (snapshot && request_snapshot_of_daemon(argc, argv, &status))
		return status;
	entry = load_all(&err);
	return entry ? entry(argc, argv, &command_started) : command_end(&err, status);
}
