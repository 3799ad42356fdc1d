// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Accesses a page beyond the end of a file COUNT times; each access must fail with SIGBUS: fn-fault
 * FILE COUNT. Overwrites FILE. Prints its thread id. Exits with 0 if each access failed.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;

static void on_signal(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int file = argc == 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	volatile unsigned int failed = 0;
	unsigned int count = argc == 3 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	volatile char *map;

	if (file < 0 || ftruncate(file, (off_t)page))
		return 2;
	map = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, file, 0);
	if (map == MAP_FAILED || signal(SIGBUS, on_signal) == SIG_ERR)
		return 2;
	printf("%ld\n", (long)gettid());
	for (volatile unsigned int i = 0; i < count; i++) {
		/* Restores the signal mask, so that the signal can arrive again. */
		if (sigsetjmp(back, 1))
			failed++;
		else
			(void)map[page];
	}
	return failed == count ? 0 : 1;
}
