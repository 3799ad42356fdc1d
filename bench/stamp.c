// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs a command: stamp FILE COMMAND [ARG...]. Writes `START END START_REALTIME` to FILE, in
 * nanoseconds: the start and the end of the command by CLOCK_MONOTONIC, the clock of LTTng's
 * traces, and the start by CLOCK_REALTIME. The command inherits standard output and standard error.
 * Exits with the status of the command, or with 128 plus the number of the signal that killed it.
 */
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static int64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(int argc, char **argv)
{
	int64_t started, started_realtime, ended;
	int status, error;
	FILE *file;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: stamp FILE COMMAND [ARG...]\n");
		return 2;
	}
	started_realtime = now(CLOCK_REALTIME);
	started = now(CLOCK_MONOTONIC);
	error = posix_spawnp(&pid, argv[2], NULL, NULL, argv + 2, environ);
	if (error) {
		fprintf(stderr, "stamp: %s: %s\n", argv[2], strerror(error));
		return 127;
	}
	if (waitpid(pid, &status, 0) != pid) {
		perror("stamp: waitpid");
		return 2;
	}
	ended = now(CLOCK_MONOTONIC);
	file = fopen(argv[1], "w");
	if (!file ||
	    fprintf(file, "%" PRId64 " %" PRId64 " %" PRId64 "\n", started, ended,
		    started_realtime) < 0 ||
	    fclose(file)) {
		fprintf(stderr, "stamp: %s: cannot be written\n", argv[1]);
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
