// SPDX-License-Identifier: LGPL-2.1-only
/* Workers whose pages the kernel moves: to swap, to other nodes, into shared and huge pages. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pageref-stress.h"

#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Pages go to swap. Reads, writes, and a child's copy on write bring them back. */
long reclaim_pages(void)
{
	unsigned char *at = map(PAGES);
	long rounds = 0;

	for (; !stop; rounds++) {
		pid_t child;

		fill(at, 0, PAGES, (int)rounds);
		madvise(at, PAGES / 2 * PAGE, MADV_COLD);
		check(at, 0, PAGES / 4, (int)rounds, "after MADV_COLD");
		madvise(at, PAGES * PAGE, MADV_PAGEOUT);
		check(at, 0, PAGES / 2, (int)rounds, "after MADV_PAGEOUT");
		madvise(at, PAGES * PAGE, MADV_PAGEOUT);
		child = fork();
		if (!child) {
			for (int i = 0; i < PAGES; i += 2)
				at[i * PAGE]++;
			for (int i = 0; i < PAGES; i++)
				if (at[i * PAGE] != (unsigned char)(i + rounds + !(i % 2)))
					_exit(1);
			_exit(0);
		}
		check_child(child);
		check(at, 0, PAGES, (int)rounds, "after fork() of swapped pages");
	}
	return rounds;
}

/* After MADV_FREE, a page keeps its contents or becomes empty. It never loses only a part. */
long discard_lazily(void)
{
	unsigned char *at = map(PAGES);
	long rounds = 0;

	for (; !stop; rounds++) {
		for (int i = 0; i < PAGES; i++)
			memset(at + i * PAGE, 7, PAGE);
		madvise(at, PAGES * PAGE, MADV_FREE);
		/* These are in use again. */
		fill(at, 0, PAGES / 4, 3);
		madvise(at, PAGES * PAGE, MADV_PAGEOUT);
		check(at, 0, PAGES / 4, 3, "written after MADV_FREE");
		for (int i = PAGES / 4; i < PAGES; i++)
			expect((at[i * PAGE] == 7 && at[i * PAGE + PAGE - 1] == 7) ||
				       (!at[i * PAGE] && !at[i * PAGE + PAGE - 1]),
			       "after MADV_FREE");
	}
	return rounds;
}

/* ksmd merges pages with equal contents; each write makes a copy. */
long merge_pages(void)
{
	unsigned char *at = map(2 * PAGES), *twin = at + PAGES * PAGE;
	long rounds = 0;

	if (madvise(at, 2 * PAGES * PAGE, MADV_MERGEABLE))
		return -1;
	fill(at, 0, PAGES, 1);
	fill(twin, 0, PAGES, 1);
	for (; !stop; rounds++) {
		for (int i = 0; i < PAGES; i += 16) {
			twin[i * PAGE] = 99;
			expect(at[i * PAGE] == (unsigned char)(i + 1), "twin of a written page");
			twin[i * PAGE] = (unsigned char)(i + 1);
		}
		check(at, 0, PAGES, 1, "merged pages");
		check(twin, 0, PAGES, 1, "merged twins");
		usleep(20000);
	}
	return rounds;
}

/* Moves pages between two nodes. If there is one node only, the kernel just looks at the pages. */
long migrate_pages_to_nodes(void)
{
	unsigned char *at = map(PAGES);
	void *pages[PAGES];
	int nodes[PAGES], status[PAGES];
	bool two = !access("/sys/devices/system/node/node1", F_OK);
	long rounds = 0, moved = 0;

	for (int i = 0; i < PAGES; i++)
		pages[i] = at + i * PAGE;
	fill(at, 0, PAGES, 0);
	for (; !stop; rounds++) {
		int node = two && rounds % 2;

		for (int i = 0; i < PAGES; i++)
			nodes[i] = node;
		if (syscall(SYS_move_pages, 0, PAGES, pages, nodes, status, 1 << 1) < 0)
			return -1;
		for (int i = 0; i < PAGES; i++)
			moved += status[i] == node;
		check(at, 0, PAGES, 0, "after move_pages()");
		fill(at, 0, PAGES / 2, 0);
	}
	printf("moved or in place %ld\n", moved);
	return moved ? rounds : -1;
}

/* Small pages become a huge page, which is split again. */
long collapse_pages(void)
{
	unsigned char *at = map_aligned(HUGE_PAGES);
	long rounds = 0, collapsed = 0;

	for (; !stop; rounds++) {
		madvise(at, HUGE_PAGES * PAGE, MADV_NOHUGEPAGE);
		madvise(at, HUGE_PAGES * PAGE, MADV_DONTNEED);
		fill(at, 0, HUGE_PAGES, (int)rounds);
		madvise(at, HUGE_PAGES * PAGE, MADV_HUGEPAGE);
		collapsed += !madvise(at, HUGE_PAGES * PAGE, MADV_COLLAPSE);
		check(at, 0, HUGE_PAGES, (int)rounds, "after MADV_COLLAPSE");
		mprotect(at + 7 * PAGE, PAGE, PROT_READ);
		check(at, 0, HUGE_PAGES, (int)rounds, "after a split");
		mprotect(at + 7 * PAGE, PAGE, PROT_READ | PROT_WRITE);
		madvise(at, PAGES * PAGE, MADV_PAGEOUT);
		check(at, 0, HUGE_PAGES, (int)rounds, "after MADV_PAGEOUT of a huge page");
	}
	printf("collapsed %ld\n", collapsed);
	return collapsed ? rounds : -1;
}

/* Pages of hugetlb mappings are never marked. */
long use_hugetlb(void)
{
	long rounds = 0;

	for (; !stop; rounds++) {
		unsigned char *at = mmap(NULL, HUGE_PAGES * PAGE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
		if (at == MAP_FAILED)
			return -1;
		fill(at, 0, HUGE_PAGES, (int)rounds);
		usleep(20000);
		check(at, 0, HUGE_PAGES, (int)rounds, "hugetlb mapping");
		munmap(at, HUGE_PAGES * PAGE);
	}
	return rounds;
}

/* Allocates in the memory cgroup until the kernel kills this process. Its data stays right. */
static void be_victim(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		_exit(2);
	for (int round = 0; round < 1000; round++) {
		unsigned char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			_exit(3);
		for (int i = 0; i < PAGES; i++)
			at[i * PAGE] = (unsigned char)i;
		for (int i = 0; i < PAGES; i++)
			if (at[i * PAGE] != (unsigned char)i)
				_exit(4);
	}
	_exit(5);
}

long run_out_of_memory(void)
{
	long rounds = 0;

	for (; !stop; rounds++) {
		pid_t child = fork();
		int status;

		if (!child)
			be_victim();
		if (child < 0 || waitpid(child, &status, 0) != child)
			return -1;
		expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		       "the end of a process without memory");
		sleep(1);
	}
	return rounds;
}
