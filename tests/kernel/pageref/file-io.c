// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A program whose reads and writes are known.
 *
 *   file-io FOLDER    uses files in FOLDER
 *
 * Prints a line for each event that the trace must have about files in FOLDER, in order. WRITE and
 * CHILD are 0 or 1. CHILD is 1 if a child process makes the call:
 *
 *   NAME WRITE OFFSET LENGTH RESULT CHILD
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BIG = 1 << 20 };

static char buffer[BIG] __attribute__((aligned(PAGE)));
static void *volatile nowhere = (void *)1; /* volatile: the compiler would warn */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_file(const char *folder, const char *name, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, flags, 0600);
	if (fd < 0)
		die(path);
	return fd;
}

/* Checks the result of a call, and prints its event. */
static void expect(const char *name, bool write, long offset, long length, long result, long actual)
{
	if (actual < 0)
		actual = -errno;
	if (actual != result) {
		fprintf(stderr, "%s: offset %ld, length %ld: %ld instead of %ld\n", name, offset,
			length, actual, result);
		exit(1);
	}
	printf("%s %d %ld %ld %ld 0\n", name, write, offset, length, result);
}

/* The file has 25,100 bytes afterwards. */
static void test_writes(const char *folder, int fd)
{
	const struct iovec parts[] = { { buffer, 10 }, { buffer + 100, 20 }, { buffer, 30 } };
	int appending = open_file(folder, "data", O_WRONLY | O_APPEND);

	expect("data", true, 0, 10000, 10000, write(fd, buffer, 10000));
	expect("data", true, 20000, 5000, 5000, pwrite(fd, buffer, 5000, 20000));
	expect("data", true, 10000, 60, 60, writev(fd, parts, 3));
	expect("data", true, 25000, 40, 40, write(appending, buffer, 40));
	expect("data", true, 25040, 60, 60, pwritev(appending, parts, 3, 0));
	expect("data", true, 100, 200, -EFAULT, pwrite(fd, nowhere, 200, 100));
	close(appending);
}

static void test_reads(int fd)
{
	const struct iovec parts[] = { { buffer, 1 }, { buffer + 100, 4095 } };

	lseek(fd, 0, SEEK_SET);
	expect("data", false, 0, 4096, 4096, read(fd, buffer, 4096));
	expect("data", false, 4096, 4096, 4096, readv(fd, parts, 2));
	expect("data", false, 24990, 100, 100, pread(fd, buffer, 100, 24990));
	expect("data", false, 15000, 4096, 4096, preadv(fd, parts, 2, 15000));
	expect("data", false, 25000, 4096, 100, pread(fd, buffer, 4096, 25000));
	expect("data", false, 25100, 4096, 0, pread(fd, buffer, 4096, 25100));
	expect("data", false, 0, 300, -EFAULT, pread(fd, nowhere, 300, 0));
}

static void test_big(const char *folder)
{
	int fd = open_file(folder, "big", O_RDWR | O_CREAT | O_TRUNC);

	expect("big", true, 0, BIG, BIG, write(fd, buffer, BIG));
	expect("big", false, 0, BIG, BIG, pread(fd, buffer, BIG, 0));
	close(fd);
}

/* The kernel copies through a pipe: it reads one file, and writes the other. */
static void test_copies(const char *folder, int fd)
{
	int to = open_file(folder, "copy", O_RDWR | O_CREAT | O_TRUNC);
	off_t from = 5000, at = 10;
	long sent = sendfile(to, fd, &from, 8192);

	expect("data", false, 5000, 8192, 8192, sent);
	expect("copy", true, 0, 8192, 8192, sent);
	from = 20;
	/* Unaligned, so that the file system does not share the extents. */
	sent = copy_file_range(fd, &from, to, &at, 1000, 0);
	expect("data", false, 20, 1000, 1000, sent);
	expect("copy", true, 10, 1000, 1000, sent);
	close(to);
}

static void test_child(int fd)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(pread(fd, buffer, 77, 123) != 77);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		die("child");
	printf("data 0 123 77 77 1\n");
}

/* These reads and writes cause no events. */
static void test_others(const char *folder, int fd)
{
	struct statfs filesystem;
	char path[4096];
	int direct;
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		die("mmap");
	map[0] = map[PAGE];
	munmap(map, 2 * PAGE);
	snprintf(path, sizeof(path), "%s/big", folder);
	/*
	 * tmpfs refuses O_DIRECT, or ignores it. Btrfs reads data with checksums through the page
	 * cache.
	 */
	direct = open(path, O_RDONLY | O_DIRECT);
	if (direct >= 0 && !fstatfs(direct, &filesystem) && filesystem.f_type != TMPFS_MAGIC &&
	    filesystem.f_type != BTRFS_SUPER_MAGIC && pread(direct, buffer, PAGE, PAGE) != PAGE)
		die("direct read");
	if (direct >= 0)
		close(direct);
}

/* A queue with one request at a time. */
struct ring {
	int fd;
	unsigned char *sq, *cq;
	struct io_uring_params params;
	struct io_uring_sqe *sqes;
};

static void *map_ring(const struct ring *ring, size_t bytes, off_t what)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, what);

	if (at == MAP_FAILED)
		die("io_uring");
	return at;
}

static void make_ring(struct ring *ring)
{
	struct io_uring_params *p = &ring->params;

	memset(ring, 0, sizeof(*ring));
	ring->fd = (int)syscall(SYS_io_uring_setup, 4, p);
	if (ring->fd < 0)
		die("io_uring_setup");
	ring->sq = map_ring(ring, p->sq_off.array + p->sq_entries * sizeof(uint32_t),
			    IORING_OFF_SQ_RING);
	ring->cq = map_ring(ring, p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe),
			    IORING_OFF_CQ_RING);
	ring->sqes = map_ring(ring, p->sq_entries * sizeof(*ring->sqes), IORING_OFF_SQES);
}

/* Executes a request. Returns its result. */
static long submit(struct ring *ring, unsigned char opcode, int fd, unsigned int length, off_t at)
{
	const struct io_uring_params *p = &ring->params;
	uint32_t *tail = (uint32_t *)(ring->sq + p->sq_off.tail),
		 *done = (uint32_t *)(ring->cq + p->cq_off.head);
	const uint32_t slot = *tail & (p->sq_entries - 1);
	const struct io_uring_cqe *cqes = (const void *)(ring->cq + p->cq_off.cqes);
	long result;

	ring->sqes[slot] = (struct io_uring_sqe){ .opcode = opcode,
						  .fd = fd,
						  .off = (uint64_t)at,
						  .addr = (uintptr_t)buffer,
						  .len = length };
	((uint32_t *)(ring->sq + p->sq_off.array))[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		die("io_uring_enter");
	result = cqes[*done & (p->cq_entries - 1)].res;
	__atomic_store_n(done, *done + 1, __ATOMIC_RELEASE);
	errno = result < 0 ? (int)-result : 0;
	return result;
}

/* A worker thread may execute the request. */
static void test_ring(int fd)
{
	struct ring ring;

	make_ring(&ring);
	expect("data", true, 12000, 500, 500, submit(&ring, IORING_OP_WRITE, fd, 500, 12000));
	expect("data", false, 12100, 600, 600, submit(&ring, IORING_OP_READ, fd, 600, 12100));
	close(ring.fd);
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2)
		return 2;
	fd = open_file(argv[1], "data", O_RDWR | O_CREAT | O_TRUNC);
	test_writes(argv[1], fd);
	test_reads(fd);
	test_big(argv[1]);
	test_copies(argv[1], fd);
	test_child(fd);
	test_others(argv[1], fd);
	test_ring(fd);
	return 0;
}
