// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A process whose mappings do not change while it runs:
 *
 *   pageref-touch PAGES FOLDER
 *
 * It writes to PAGES pages of anonymous memory again and again, and creates FOLDER/ready after the
 * first round. While FOLDER/pause exists, it does not touch the pages, and FOLDER/paused exists,
 * too. Exits with 0 when FOLDER/stop exists, and with 1 if a page does not have the expected data.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void make(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0) {
		perror(name);
		exit(2);
	}
	close(fd);
}

static void pause_while_told(void)
{
	if (access("pause", F_OK))
		return;
	make("paused");
	while (!access("pause", F_OK))
		usleep(20000);
	unlink("paused");
}

int main(int argc, char **argv)
{
	const size_t pages = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	volatile unsigned char *at;
	unsigned char round = 0;

	if (!pages || chdir(argv[2])) {
		fprintf(stderr, "usage: pageref-touch PAGES FOLDER\n");
		return 2;
	}
	at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* The kernel must not reclaim pages of this process, nor join them to huge pages. */
	if (at == MAP_FAILED || madvise((void *)at, pages * PAGE, MADV_NOHUGEPAGE) ||
	    mlockall(MCL_CURRENT)) {
		perror("pageref-touch");
		return 2;
	}
	for (size_t i = 0; i < pages; i++)
		at[i * PAGE] = (unsigned char)i;
	make("ready");
	while (access("stop", F_OK)) {
		for (size_t i = 0; i < pages; i++) {
			if (at[i * PAGE] != (unsigned char)(round + i))
				return 1;
			at[i * PAGE]++;
		}
		round++;
		pause_while_told();
		usleep(1000);
	}
	return 0;
}
