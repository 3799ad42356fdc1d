// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Faults in and unmaps one 2 MiB DAX range N times, and prints the time-stamp counter ticks per
 * fault.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#define RANGE (2ul << 20)

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	char *area, *range;
	uint64_t start;
	int fd;

	if (!rounds) {
		fprintf(stderr, "usage: dax-fault-loop FILE ROUNDS\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || posix_fallocate(fd, 0, RANGE)) {
		perror(argv[1]);
		return 1;
	}
	/* Reserve twice the size: such an area contains an aligned range. */
	area = mmap(NULL, 2 * RANGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range = (char *)(((uintptr_t)area + RANGE - 1) & ~(RANGE - 1));
	if (area == MAP_FAILED || mmap(range, RANGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
				       fd, 0) == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	memset(range, 1, RANGE);
	start = __rdtsc();
	for (unsigned long i = 0; i < rounds; i++) {
		madvise(range, RANGE, MADV_DONTNEED);
		(void)*(volatile char *)range;
	}
	printf("%.1f\n", (double)(__rdtsc() - start) / (double)rounds);
	return 0;
}
