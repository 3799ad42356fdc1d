// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A workload for the tests of run and gate: gate-work OBJECTS [KEEPER]
 *
 * Makes OBJECTS eventfds in each of two processes, and closes them. An eventfd is one object of
 * kmalloc(), so the number of allocations is known. With KEEPER, exits only after the file
 * KEEPER exists.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void make(long count)
{
	for (long i = 0; i < count; i++) {
		int fd = eventfd(0, 0);

		if (fd < 0) {
			perror("eventfd");
			_exit(1);
		}
		close(fd);
	}
}

int main(int argc, char **argv)
{
	const long count = argc > 1 ? atol(argv[1]) : 0;
	int status;
	pid_t child;

	if (count <= 0) {
		fprintf(stderr, "usage: gate-work OBJECTS [KEEPER]\n");
		return 2;
	}
	child = fork();
	if (!child) {
		make(count);
		_exit(0);
	}
	make(count);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return 1;
	while (argc > 2 && access(argv[2], F_OK))
		usleep(1000);
	return 0;
}
