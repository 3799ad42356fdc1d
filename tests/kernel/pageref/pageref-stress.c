// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Threads that change mappings in every way that can affect marked pages, and check their data.
 *
 *   pageref-stress FOLDER SECONDS [CGROUP]
 *
 * With CGROUP, the folder of a memory cgroup with a limit, threads also make the kernel move and
 * copy pages; this needs swap, KSM and a page of hugetlb. Prints the number of rounds of each
 * thread, and exits with 1 if a thread found wrong data or did nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pageref-stress.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

enum { BIG_PAGES = 3000 };

atomic_bool stop;
static atomic_long wrong;
const char *folder, *cgroup;

void expect(bool right, const char *what)
{
	if (!right && !atomic_fetch_add(&wrong, 1))
		printf("wrong: %s\n", what);
}

unsigned char *map(size_t pages)
{
	unsigned char *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED) {
		perror("mmap");
		exit(2);
	}
	return at;
}

unsigned char *map_aligned(size_t pages)
{
	uintptr_t at = (uintptr_t)map(pages + HUGE_PAGES), align = HUGE_PAGES * PAGE;

	return (unsigned char *)((at + align - 1) & ~(align - 1));
}

void fill(volatile unsigned char *at, int from, int to, int seed)
{
	for (int i = from; i < to; i++)
		at[(size_t)i * PAGE] = (unsigned char)(i + seed);
}

void check(const volatile unsigned char *at, int from, int to, int seed, const char *what)
{
	for (int i = from; i < to; i++)
		expect(at[(size_t)i * PAGE] == (unsigned char)(i + seed), what);
}

/* Writes and reads a large mapping, in huge pages if the kernel has them. */
static long write_big(void)
{
	unsigned char *at = map(BIG_PAGES);
	long rounds = 0;

	madvise(at, (size_t)BIG_PAGES * PAGE, MADV_HUGEPAGE);
	for (; !stop; rounds++) {
		fill(at, 0, BIG_PAGES, (int)rounds);
		check(at, 0, BIG_PAGES, (int)rounds, "large mapping");
	}
	return rounds;
}

static long change_mappings(void)
{
	long rounds = 0;

	for (; !stop; rounds++) {
		unsigned char *at = map(PAGES);

		fill(at, 0, PAGES, 0);
		mprotect(at, PAGES / 2 * PAGE, PROT_READ);
		check(at, 0, PAGES / 2, 0, "after mprotect(PROT_READ)");
		mprotect(at, PAGES / 2 * PAGE, PROT_NONE);
		mprotect(at, PAGES / 2 * PAGE, PROT_READ | PROT_WRITE);
		check(at, 0, PAGES / 2, 0, "after mprotect(PROT_NONE)");
		at = mremap(at, PAGES * PAGE, 2 * PAGES * PAGE, MREMAP_MAYMOVE);
		if (at == MAP_FAILED)
			break;
		check(at, 0, PAGES, 0, "after mremap()");
		madvise(at, PAGES / 2 * PAGE, MADV_DONTNEED);
		for (int i = 0; i < PAGES / 2; i++)
			expect(!((volatile unsigned char *)at)[i * PAGE], "after MADV_DONTNEED");
		madvise(at + PAGES / 2 * PAGE, PAGES / 2 * PAGE, MADV_PAGEOUT);
		check(at, PAGES / 2, PAGES, 0, "after MADV_PAGEOUT");
		munmap(at, 2 * PAGES * PAGE);
	}
	return rounds;
}

void check_child(pid_t child)
{
	int status;

	if (child < 0)
		return;
	expect(waitpid(child, &status, 0) == child && !status, "child's exit status");
}

static long fork_and_exec(void)
{
	unsigned char *at = map(PAGES);
	long rounds = 0;

	fill(at, 0, PAGES, 0);
	for (; !stop; rounds++) {
		pid_t child = fork();

		if (!child) {
			bool right = true;

			for (int i = 0; i < PAGES; i++)
				right = right && at[i * PAGE] == (unsigned char)i;
			memset(at, 77, PAGES * PAGE);
			if (right && rounds % 4 == 0)
				execl("/bin/true", "true", (char *)NULL);
			_exit(!right);
		}
		for (int i = 0; i < PAGES; i += 3)
			at[i * PAGE] = (unsigned char)i;
		check_child(child);
		check(at, 0, PAGES, 0, "after fork()");
	}
	return rounds;
}

int open_file(const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd >= 0 && ftruncate(fd, PAGES * PAGE)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Writes a file through a mapping, and reads it by system calls. */
static long use_file(void)
{
	static unsigned char read_pages[PAGES * PAGE];
	unsigned char *at;
	long rounds = 0;
	int fd = open_file("stress");

	if (fd < 0)
		return -1;
	at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (; !stop; rounds++) {
		struct iovec local = { read_pages, sizeof(read_pages) },
			     remote = { at, PAGES * PAGE };

		fill(at, 0, PAGES, (int)rounds);
		expect(pread(fd, read_pages, sizeof(read_pages), 0) == sizeof(read_pages),
		       "pread()");
		check(read_pages, 0, PAGES, (int)rounds, "after pread()");
		memset(read_pages, 0, sizeof(read_pages));
		expect(process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == PAGES * PAGE,
		       "process_vm_readv()");
		check(read_pages, 0, PAGES, (int)rounds, "after process_vm_readv()");
	}
	return rounds;
}

/* Two threads alternate by a futex in a page that is marked again and again. */
static atomic_int *turn;

static long alternate(int me)
{
	long rounds = 0;

	for (; !stop; rounds++) {
		struct timespec limit = { .tv_sec = 1 };

		while (!stop && atomic_load(turn) != me)
			syscall(SYS_futex, turn, FUTEX_WAIT, !me, &limit, NULL, 0);
		atomic_store(turn, !me);
		syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
	return rounds;
}

static long alternate_first(void)
{
	return alternate(0);
}

static long alternate_second(void)
{
	return alternate(1);
}

static struct worker {
	const char *name;
	long (*work)(void);
	pthread_t thread;
	long rounds;
} workers[] = {
	{ .name = "big-1", .work = write_big },
	{ .name = "big-2", .work = write_big },
	{ .name = "mappings", .work = change_mappings },
	{ .name = "fork", .work = fork_and_exec },
	{ .name = "file", .work = use_file },
	{ .name = "futex-1", .work = alternate_first },
	{ .name = "futex-2", .work = alternate_second },
	{ .name = "reclaim", .work = reclaim_pages },
	{ .name = "lazy-free", .work = discard_lazily },
	{ .name = "ksm", .work = merge_pages },
	{ .name = "migration", .work = migrate_pages_to_nodes },
	{ .name = "collapse", .work = collapse_pages },
	{ .name = "hugetlb", .work = use_hugetlb },
	{ .name = "oom", .work = run_out_of_memory },
	{ .name = "io-uring", .work = use_io_uring },
	{ .name = "process-vm", .work = access_other_process },
	{ .name = "exec", .work = execute_programs },
	{ .name = "userfault", .work = serve_userfaults },
};
/* The first workers need no CGROUP. */
enum { PLAIN_WORKERS = 7, WORKERS = sizeof(workers) / sizeof(workers[0]) };

static void *run(void *data)
{
	struct worker *worker = data;

	worker->rounds = worker->work();
	return NULL;
}

int main(int argc, char **argv)
{
	bool idle = false;
	int count;

	if (argc == 3 && !strcmp(argv[1], "child"))
		return run_child(atoi(argv[2])) || wrong;
	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: pageref-stress FOLDER SECONDS [CGROUP]\n");
		return 2;
	}
	folder = argv[1];
	cgroup = argv[3];
	count = cgroup ? WORKERS : PLAIN_WORKERS;
	turn = (atomic_int *)map(1);
	for (int i = 0; i < count; i++)
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]))
			return 2;
	sleep((unsigned int)atoi(argv[2]));
	stop = true;
	for (int i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		printf("%s %ld\n", workers[i].name, workers[i].rounds);
		idle = idle || workers[i].rounds < 1;
	}
	printf("wrong %ld\n", (long)wrong);
	return wrong || idle;
}
