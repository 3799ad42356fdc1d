// SPDX-License-Identifier: LGPL-2.1-only
/*
 * known-set MIB SECONDS ROUND_MS: uses one processor all the time. In each round, it touches all
 * pages of MIB MiB of memory, evenly distributed over the round. Prints "pages N" and, at the end,
 * "slowest MS": the length of the longest round, without the first. After the first round, these
 * pages are the working set of every interval that is longer than a round, apart from a few other
 * pages of the program.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096
#define STEPS 100 /* of a round */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Touches a part of the pages, and computes until @until_ms. */
static void step(volatile unsigned char *memory, size_t pages, int number, int64_t until_ms)
{
	for (size_t i = pages * (size_t)number / STEPS; i < pages * ((size_t)number + 1) / STEPS;
	     i++)
		memory[i * PAGE]++;
	while (now_ms() < until_ms)
		;
}

int main(int argc, char **argv)
{
	const size_t pages = argc == 4 ? strtoul(argv[1], NULL, 10) << 20 >> 12 : 0;
	const int64_t seconds = pages ? atoi(argv[2]) : 0, round_ms = pages ? atoi(argv[3]) : 0;
	const int64_t start_ms = now_ms();
	int64_t last_ms = start_ms, slowest_ms = 0;
	void *memory = mmap(NULL, pages ? pages * PAGE : PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!pages || memory == MAP_FAILED || madvise(memory, pages * PAGE, MADV_NOHUGEPAGE)) {
		fprintf(stderr, "usage: known-set MIB SECONDS ROUND_MS\n");
		return 2;
	}
	printf("pages %zu\n", pages);
	while (last_ms - start_ms < seconds * 1000) {
		const int64_t round_start_ms = last_ms;

		for (int i = 0; i < STEPS; i++)
			step(memory, pages, i, round_start_ms + round_ms * (i + 1) / STEPS);
		last_ms = now_ms();
		if (round_start_ms > start_ms && last_ms - round_start_ms > slowest_ms)
			slowest_ms = last_ms - round_start_ms;
	}
	printf("slowest %lld\n", (long long)slowest_ms);
	return 0;
}
