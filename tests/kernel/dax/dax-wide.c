// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Causes a huge-page fault and a 4 KiB fault at an address and offset of a DAX file. If the file is
 * long enough already, only reads it, so its inode does not change. Then executes COMMAND, if
 * given. Exits with 77 if the machine cannot map that address.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PMD (2ul << 20)
#define NO_SUCH_ADDRESS 77

static char *map(int fd, uint64_t address, off_t offset)
{
	char *at = mmap((void *)address, PMD, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_FIXED_NOREPLACE, fd, offset);

	if (at == MAP_FAILED && address >> 47 && errno == ENOMEM)
		exit(NO_SUCH_ADDRESS);
	if (at == MAP_FAILED || (uint64_t)at != address) {
		perror("mmap");
		exit(1);
	}
	return at;
}

int main(int argc, char **argv)
{
	uint64_t address = argc >= 4 ? strtoull(argv[2], NULL, 0) : 0;
	off_t offset = argc >= 4 ? (off_t)strtoull(argv[3], NULL, 0) : 0;
	volatile char *huge, *small;
	struct stat file;
	bool is_new;
	int fd;

	if (!address) {
		fputs("Usage: dax-wide FILE ADDRESS OFFSET [COMMAND [ARG...]]\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_CREAT | O_NOATIME, 0600);
	if (fd < 0 || fstat(fd, &file) < 0) {
		perror(argv[1]);
		return 1;
	}
	is_new = file.st_size < offset + (off_t)(2 * PMD);
	if (is_new && ftruncate(fd, offset + (off_t)(2 * PMD)) < 0) {
		perror(argv[1]);
		return 1;
	}
	huge = map(fd, address, offset);
	small = map(fd, address + 2 * PMD, offset + (off_t)PMD);
	(void)huge[4096];
	if (madvise((void *)small, PMD, MADV_NOHUGEPAGE) < 0) {
		perror("madvise");
		return 1;
	}
	(void)small[4096];
	if (is_new)
		small[8192] = 1;
	if (is_new && msync((void *)small, PMD, MS_SYNC) < 0) {
		perror("msync");
		return 1;
	}
	if (argc == 4)
		return 0;
	execv(argv[4], argv + 4);
	perror(argv[4]);
	return 1;
}
