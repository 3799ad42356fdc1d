// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A program whose page references are known.
 *
 *   page-references FOLDER [MS]    uses files in FOLDER; before each step, it computes for MS
 *                                  milliseconds, so that NUMA balancing looks at its pages
 *
 * It first maps and touches all its memory, and prints the address range of each region:
 *
 *   region NAME START END
 *
 * Then, for each step, it prints "arm NAME" and waits for a line on standard input, which says that
 * all pages are marked. It touches pages of one region, and prints each reference that the trace
 * must have, in order:
 *
 *   touch TID PAGE-ADDRESS WRITE USER KIND HUGE
 *
 * "gone ADDRESS PAGES CAUSE" is a disappearance that the trace must have, and "placed N" says how
 * many pages of the region far-away are on their first node.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "steps.h"

enum { PAGE = 4096, PAGES = 64, FAR_PAGES = 500, HUGE = 2 << 20 };

struct region {
	const char *name;
	volatile char *start; /* volatile: the order of the accesses is tested */
	size_t bytes;
};

static struct region anonymous = { .name = "anonymous" };
static struct region unwritten = { .name = "unwritten" };
static struct region private_file = { .name = "private-file" };
static struct region shared_file = { .name = "shared-file" };
static struct region shared_memory = { .name = "shared-memory" };
static struct region text = { .name = "text" };
static struct region huge = { .name = "huge" };
static struct region stack = { .name = "stack" };
static struct region heap = { .name = "heap" };
static struct region far_away = { .name = "far-away" };
static volatile char sink;
static int compute_ms;

static long tid(void)
{
	return syscall(SYS_gettid);
}

static void map(struct region *region, size_t bytes, int protection, int flags, int fd)
{
	region->bytes = bytes;
	region->start = mmap(NULL, bytes, protection, flags, fd, 0);
	if (region->start == MAP_FAILED)
		die(region->name);
	madvise((char *)region->start, bytes, MADV_NOHUGEPAGE);
	/* Without read-ahead, the kernel maps only the pages that the program touches. */
	madvise((char *)region->start, bytes, MADV_RANDOM);
}

static int make_file(const char *folder, const char *name, int byte)
{
	char path[4096], page[PAGE];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0700);
	memset(page, byte, sizeof(page));
	for (int i = 0; fd >= 0 && i < PAGES; i++)
		if (write(fd, page, sizeof(page)) != sizeof(page))
			die(path);
	if (fd < 0)
		die(path);
	return fd;
}

static void touch_all(const struct region *region, bool write)
{
	for (size_t at = 0; at < region->bytes; at += PAGE)
		if (write)
			region->start[at] = 1;
		else
			sink += region->start[at];
}

/* Maps huge pages if the kernel has them; *@region is empty otherwise. */
static void map_huge(struct region *region)
{
	char *at = mmap(NULL, 3 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char line[256];
	long kib = 0;
	FILE *file;

	if (at == MAP_FAILED)
		die(region->name);
	region->start = (char *)(((uintptr_t)at + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
	if (madvise((char *)region->start, 2 * HUGE, MADV_HUGEPAGE))
		return;
	region->start[0] = 1;
	region->start[HUGE] = 1;
	file = fopen("/proc/self/smaps_rollup", "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "AnonHugePages: %ld kB", &kib);
	if (file)
		fclose(file);
	if (kib == 2 * HUGE / 1024)
		region->bytes = 2 * HUGE;
}

static void print_region(const struct region *region)
{
	printf("region %s %#lx %#lx\n", region->name, (unsigned long)region->start,
	       (unsigned long)region->start + region->bytes);
}

/* Starts a step: see arm(). */
static void begin(const char *step)
{
	struct timespec now;
	clock_t end = clock() + compute_ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		clock_gettime(CLOCK_MONOTONIC, &now);
	arm(step);
}

static void expect_of(long thread, const volatile void *page, bool write, bool user,
		      const char *kind, bool is_huge)
{
	printf("touch %ld %#lx %d %d %s %d\n", thread, (unsigned long)page & ~(PAGE - 1UL), write,
	       user, kind, is_huge);
}

static void expect(const volatile void *page, bool write, const char *kind)
{
	expect_of(tid(), page, write, true, kind, false);
}

static volatile char *page_of(const struct region *region, int page)
{
	return region->start + (size_t)page * PAGE;
}

/* Reads or writes pages in the order of a list, some of them repeatedly. */
static void touch_list(const char *step, const struct region *region, bool write, const char *kind)
{
	static const int list[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
	bool touched[PAGES] = { false };

	begin(step);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		volatile char *page = page_of(region, list[i]);

		if (write)
			page[i] = 1;
		else
			sink += page[i];
	}
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (!touched[list[i]])
			expect(page_of(region, list[i]), write, kind);
		touched[list[i]] = true;
	}
}

/* Every page of the text region starts with a return instruction. */
static void step_text(void)
{
	static const int list[] = { 7, 0, 31, 7 };

	begin("text");
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		((void (*)(void))(uintptr_t)page_of(&text, list[i]))();
	for (size_t i = 0; i < 3; i++)
		expect(page_of(&text, list[i]), false, "ARMED");
}

static void step_huge(void)
{
	if (!huge.bytes)
		return;
	begin("huge");
	sink += huge.start[HUGE + 5 * PAGE];
	sink += huge.start[HUGE + 9 * PAGE];
	huge.start[7 * PAGE] = 1;
	expect_of(tid(), huge.start + HUGE + 5 * PAGE, false, true, "ARMED", true);
	expect_of(tid(), huge.start + 7 * PAGE, true, true, "ARMED", true);
}

/* The kernel writes and reads pages on behalf of the program. */
static void step_kernel(void)
{
	int pipes[2];

	if (pipe(pipes) || write(pipes[1], "12345678", 8) != 8)
		die("pipe");
	begin("kernel");
	if (read(pipes[0], (char *)page_of(&anonymous, 20), 8) != 8 ||
	    write(pipes[1], (char *)page_of(&anonymous, 21), 8) != 8)
		die("pipe");
	expect_of(tid(), page_of(&anonymous, 20), true, false, "ARMED", false);
	expect_of(tid(), page_of(&anonymous, 21), false, false, "ARMED", false);
	close(pipes[0]);
	close(pipes[1]);
}

/* A copied page table has the marks, too. */
static void step_fork(void)
{
	pid_t child;
	int status;

	begin("fork");
	child = fork();
	if (!child) {
		page_of(&anonymous, 30)[0] = 2;
		sink += page_of(&anonymous, 31)[0];
		_exit(page_of(&anonymous, 32)[0] != 1);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		die("fork");
	sink += page_of(&anonymous, 30)[0];
	expect_of(child, page_of(&anonymous, 30), true, true, "COPY", false);
	expect_of(child, page_of(&anonymous, 31), false, true, "ARMED", false);
	expect_of(child, page_of(&anonymous, 32), false, true, "ARMED", false);
	expect(page_of(&anonymous, 30), false, "ARMED");
}

struct toucher {
	int page;
	long tid;
};

static void *touch_as_thread(void *data)
{
	struct toucher *toucher = data;

	toucher->tid = tid();
	page_of(&anonymous, toucher->page)[0] = 3;
	page_of(&anonymous, 39)[0] = 3;
	return NULL;
}

/* If several threads touch a page, the trace contains only the first touch. */
static void step_threads(void)
{
	struct toucher touchers[3] = { { .page = 40 }, { .page = 41 }, { .page = 42 } };
	pthread_t thread;

	begin("threads");
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, touch_as_thread, &touchers[i]) ||
		    pthread_join(thread, NULL))
			die("thread");
	for (int i = 0; i < 3; i++) {
		expect_of(touchers[i].tid, page_of(&anonymous, touchers[i].page), true, true,
			  "ARMED", false);
		if (!i)
			expect_of(touchers[i].tid, page_of(&anonymous, 39), true, true, "ARMED",
				  false);
	}
}

/* CPU -1: any. */
static void run_on(long cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		if (cpu < 0 || i == cpu)
			CPU_SET((size_t)i, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

/* Stores the node of each page of the region far-away. */
static void find_nodes(int *nodes)
{
	void *pages[FAR_PAGES];

	for (int i = 0; i < FAR_PAGES; i++)
		pages[i] = (char *)page_of(&far_away, i);
	if (syscall(SYS_move_pages, 0, FAR_PAGES, pages, NULL, nodes, 0))
		die("move_pages");
}

/* The last CPU, which may be on another node, touches pages that CPU 0 has allocated. */
static void step_far_away(void)
{
	int nodes[FAR_PAGES], placed = 0;
	unsigned int cpu, home;

	/* Up to Linux 6.5, move_pages() finds no marked pages. Get the node of CPU 0 instead. */
	run_on(0);
	if (getcpu(&cpu, &home))
		die("getcpu");
	run_on(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	begin("far away");
	for (int i = 0; i < FAR_PAGES; i++)
		page_of(&far_away, i)[0] = 2;
	for (int i = 0; i < FAR_PAGES; i++)
		expect(page_of(&far_away, i), true, "ARMED");
	find_nodes(nodes);
	for (int i = 0; i < FAR_PAGES; i++)
		placed += nodes[i] == (int)home;
	printf("placed %d\n", placed);
	run_on(-1);
}

/* With page faults disabled, tracers cannot read a path in a page that is still marked. */
static void step_path(void)
{
	char *path = (char *)page_of(&anonymous, 25);

	strcpy(path, "/page-references");
	expect(path, true, "ARMED");
	begin("path");
	if (open(path, O_RDONLY) >= 0 || open(path, O_RDONLY) >= 0)
		die(path);
	expect_of(tid(), path, false, false, "ARMED", false);
}

/* Touches pages after MADV_DONTNEED: the kernel provides empty pages. */
static void step_discard(void)
{
	begin("discard");
	if (madvise((char *)page_of(&anonymous, 50), 4 * PAGE, MADV_DONTNEED))
		die("madvise");
	page_of(&anonymous, 51)[0] = 1;
	sink += page_of(&anonymous, 50)[0];
	expect(page_of(&anonymous, 51), true, "DEMAND");
	expect(page_of(&anonymous, 50), false, "DEMAND");
	printf("gone %#lx 4 DISCARD\n", (unsigned long)page_of(&anonymous, 50));
}

static void step_unmap(void)
{
	begin("unmap");
	if (munmap((char *)page_of(&anonymous, 56), 8 * PAGE))
		die("munmap");
	printf("gone %#lx 8 UNMAP\n", (unsigned long)page_of(&anonymous, 56));
}

/* The stack of this thread has the region at its low end. The thread itself uses the high end. */
static void *touch_stack(void *unused)
{
	touch_list("stack", &stack, true, "ARMED");
	return unused;
}

static void step_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, (char *)stack.start, PAGES * PAGE);
	if (pthread_create(&thread, &attributes, touch_stack, NULL) || pthread_join(thread, NULL))
		die("thread");
}

static void prepare(const char *folder)
{
	const int rw = PROT_READ | PROT_WRITE, anon = MAP_PRIVATE | MAP_ANONYMOUS;

	map(&anonymous, PAGES * PAGE, rw, anon, -1);
	map(&unwritten, PAGES * PAGE, rw, anon, -1);
	map(&stack, PAGES * PAGE, rw, anon, -1);
	stack.bytes /= 2;
	map(&private_file, PAGES * PAGE, rw, MAP_PRIVATE, make_file(folder, "private", 1));
	map(&shared_file, PAGES * PAGE, rw, MAP_SHARED, make_file(folder, "shared", 1));
	map(&shared_memory, PAGES * PAGE, rw, MAP_SHARED | MAP_ANONYMOUS, -1);
	map(&text, PAGES * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE,
	    make_file(folder, "text", 0xc3));
	heap.bytes = PAGES * PAGE;
	heap.start = (char *)(((uintptr_t)sbrk(heap.bytes + PAGE) + PAGE - 1) & ~(PAGE - 1UL));
	map_huge(&huge);
	touch_all(&anonymous, true);
	touch_all(&unwritten, false);
	touch_all(&stack, true);
	touch_all(&private_file, false);
	touch_all(&shared_file, true);
	touch_all(&shared_memory, true);
	touch_all(&text, false);
	touch_all(&heap, true);
	map(&far_away, FAR_PAGES * PAGE, rw, anon, -1);
	run_on(0);
	touch_all(&far_away, true);
	run_on(-1);
}

int main(int argc, char **argv)
{
	static struct region *const regions[] = { &anonymous,	&unwritten, &private_file,
						  &shared_file, &stack,	    &shared_memory,
						  &text,	&heap,	    &huge,
						  &far_away };

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: page-references FOLDER [MS]\n");
		return 2;
	}
	compute_ms = argc == 3 ? atoi(argv[2]) : 0;
	prepare(argv[1]);
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++)
		print_region(regions[i]);
	touch_list("read", &anonymous, false, "ARMED");
	touch_list("write", &anonymous, true, "ARMED");
	touch_list("zero page, read", &unwritten, false, "ARMED");
	touch_list("zero page, written", &unwritten, true, "COPY");
	touch_list("private file, read", &private_file, false, "ARMED");
	touch_list("private file, written", &private_file, true, "COPY");
	touch_list("shared file", &shared_file, true, "ARMED");
	touch_list("shared memory", &shared_memory, false, "ARMED");
	touch_list("heap", &heap, true, "ARMED");
	step_stack();
	step_text();
	step_huge();
	step_kernel();
	step_fork();
	step_threads();
	step_far_away();
	step_path();
	step_discard();
	step_unmap();
	arm("end");
	return 0;
}
