// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs a command with standard output on /dev/null: measure COMMAND [ARG...]. Prints `WALL_S CPU_S
 * ANONYMOUS_KIB`: the elapsed time, the CPU time, and the peak private memory of the command
 * (mapped files excluded), sampled from /proc every millisecond. Exits with the status of the
 * command.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Returns RssAnon of the process, or 0 if it has exited. */
static long anonymous_kib(int status)
{
	char text[4096];
	ssize_t length = pread(status, text, sizeof(text) - 1, 0);
	const char *line;

	if (length <= 0)
		return 0;
	text[length] = '\0';
	line = strstr(text, "RssAnon:");
	return line ? strtol(line + strlen("RssAnon:"), NULL, 10) : 0;
}

static pid_t start(char **command)
{
	pid_t pid = fork();
	int null;

	if (pid)
		return pid;
	null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	const struct timespec pause = { 0, 1000000 };
	struct rusage usage;
	double started, end;
	long most = 0;
	char path[64];
	int status, child;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: measure COMMAND [ARG...]\n");
		return 2;
	}
	started = now();
	pid = start(argv + 1);
	if (pid < 0)
		return 2;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	child = open(path, O_RDONLY);
	while (!waitpid(pid, &status, WNOHANG)) {
		long kib = anonymous_kib(child);

		if (kib > most)
			most = kib;
		nanosleep(&pause, NULL);
	}
	end = now();
	close(child);
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("%.4f %.4f %ld\n", end - started,
	       seconds(&usage.ru_utime) + seconds(&usage.ru_stime), most);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
