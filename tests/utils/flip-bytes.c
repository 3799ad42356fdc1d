// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Changes bytes of a file while others read the file, until this process is killed or its parent
 * exits: flip-bytes SEED FILE. Each byte is restored immediately, so the file remains mostly valid.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* xorshift64 */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

int main(int argc, char **argv)
{
	uint64_t random = argc == 3 ? strtoull(argv[1], NULL, 10) * 2 + 1 : 0;
	int fd = argc == 3 ? open(argv[2], O_RDWR | O_CLOEXEC) : -1;
	volatile uint8_t *data;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) || !status.st_size) {
		fprintf(stderr, "usage: flip-bytes SEED FILE, which exists and has a byte\n");
		return 2;
	}
	data = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED) {
		perror(argv[2]);
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint64_t round = 0; getppid() != 1; round++) {
		uint64_t chosen = next_random(&random), size = (uint64_t)status.st_size;
		/* Half of the changes are near the start, where headers are. */
		uint64_t at = (chosen & 1 && size > 128 ? 128 : size) * (chosen >> 32) >> 32;
		uint8_t good = data[at];

		for (int i = 0; i < 40; i++) {
			data[at] = (uint8_t)(chosen >> 8) >> (i & 4);
			for (volatile int wait = 0; wait < 50; wait++)
				;
			data[at] = good;
		}
	}
	return 0;
}
