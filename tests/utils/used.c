// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs a command, and prints its exit status, its CPU time and its peak resident memory:
 *
 *   $ used SECONDS COMMAND...
 *   STATUS CPU_MS RESIDENT_KIB
 *
 * Kills the command after SECONDS of CPU time (status 137). Discards the command's output, but not
 * its error output.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long milliseconds(struct timeval time)
{
	return time.tv_sec * 1000 + time.tv_usec / 1000;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: used SECONDS COMMAND...\n");
		return 2;
	}
	pid = fork();
	if (!pid) {
		struct rlimit limit = { strtoul(argv[1], NULL, 10), strtoul(argv[1], NULL, 10) };
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (setrlimit(RLIMIT_CPU, &limit) || null < 0 || dup2(null, 0) < 0 ||
		    dup2(null, 1) < 0)
			_exit(126);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
		perror("used");
		return 2;
	}
	printf("%d %ld %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
	       milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime), usage.ru_maxrss);
	return 0;
}
