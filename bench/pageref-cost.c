// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Measures the cost of page references in ticks of the time-stamp counter.
 *
 *   pageref-cost touch PAGES   maps PAGES pages, prints "ready", and obeys the lines of standard
 *                              input. Prints the median time of a touch after each line
 *                                read, write  touches each page
 *                                fault        discards the pages and writes to each one
 *   pageref-cost arm FD        writes "arm" to FD, the open control file of the probe, and prints
 *                              the time of the write
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

enum { PAGE = 4096 };

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Returns the median time of a touch. @times has an element for each page. */
static uint64_t touch(volatile unsigned char *at, size_t pages, int write, uint64_t *times)
{
	for (size_t i = 0; i < pages; i++) {
		volatile unsigned char *byte = at + i * PAGE;
		uint64_t start = __rdtsc();

		if (write)
			*byte = 1;
		else
			(void)*byte;
		times[i] = __rdtsc() - start;
	}
	qsort(times, pages, sizeof(*times), compare);
	return times[pages / 2];
}

static int run_touches(size_t pages)
{
	unsigned char *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *times = calloc(pages, sizeof(*times));
	char line[16];

	if (at == MAP_FAILED || !times) {
		perror("pageref-cost: memory");
		return 1;
	}
	memset(at, 1, pages * PAGE);
	memset(times, 1, pages * sizeof(*times));
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "fault\n"))
			madvise(at, pages * PAGE, MADV_DONTNEED);
		printf("%llu\n",
		       (unsigned long long)touch(at, pages, strcmp(line, "read\n"), times));
	}
	return 0;
}

static int arm(int fd)
{
	uint64_t start = __rdtsc();
	ssize_t written = write(fd, "arm", 3);
	uint64_t end = __rdtsc();

	if (written != 3) {
		perror("pageref-cost: arm");
		return 1;
	}
	printf("%llu\n", (unsigned long long)(end - start));
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long number = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (number && !strcmp(argv[1], "touch"))
		return run_touches(number);
	if (number && !strcmp(argv[1], "arm"))
		return arm((int)number);
	fprintf(stderr, "usage: pageref-cost touch PAGES | arm FD\n");
	return 2;
}
