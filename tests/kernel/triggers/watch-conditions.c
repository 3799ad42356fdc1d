// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs the process that watches for conditions until standard input ends, and prints its messages,
 * one per line: watch-conditions UID CONDITION... The triggers are named 1, 2 and so on.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/watch/watch.h"
#include "lttng-session/system/message.h"

#define TRIGGERS 16

/* Waits for a message and prints it. Returns -1 at the end of standard input. */
static int print_message(int socket)
{
	struct pollfd fds[] = { { .fd = socket, .events = POLLIN }, { .fd = 0, .events = POLLIN } };
	json_t *message;

	if (poll(fds, 2, -1) < 0 || fds[1].revents)
		return -1;
	message = message_receive(socket, NULL);
	if (!message) {
		puts("the process has ended");
		return -1;
	}
	json_dumpf(message, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(message);
	return 0;
}

int main(int argc, char **argv)
{
	static struct trigger triggers[TRIGGERS];
	const struct trigger *all[TRIGGERS];
	struct mm_error err = MM_ERROR_INIT;
	size_t count = (size_t)argc - 2;
	int socket, status;
	pid_t pid;

	if (argc < 3 || count > TRIGGERS) {
		fprintf(stderr, "usage: watch-conditions UID CONDITION...\n");
		return 2;
	}
	for (size_t i = 0; i < count; i++) {
		snprintf(triggers[i].name, sizeof(triggers[i].name), "%zu", i + 1);
		triggers[i].uid = triggers[i].gid = (unsigned int)strtoul(argv[1], NULL, 10);
		triggers[i].on = argv[i + 2];
		all[i] = &triggers[i];
		if (trigger_parse_condition(&triggers[i], &err)) {
			fprintf(stderr, "%s\n", err.message);
			return 2;
		}
	}
	pid = watch_start(all, count, &socket, &err);
	if (pid < 0) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	printf("{\"pid\":%d}\n", (int)pid);
	while (!print_message(socket))
		;
	close(socket);
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	printf("{\"status\":%d}\n", status);
	return status != 0;
}
