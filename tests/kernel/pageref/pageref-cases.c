// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Special cases of page references.
 *
 *   pageref-cases collapse        small pages become huge pages, and are then discarded
 *   pageref-cases collapsed       idle small pages become a huge page, which is then touched
 *   pageref-cases split           huge pages are touched, and the kernel splits them
 *   pageref-cases folios          few pages of large folios are written; the folios must be enabled
 *   pageref-cases holes           a range with few present pages is discarded
 *   pageref-cases threads         two threads touch the same pages at the same time
 *   pageref-cases ends THREADS    threads wait in page faults at the same time
 *   pageref-cases idle            pages are touched before and after each step
 *   pageref-cases none            a mapping has no access permissions
 *   pageref-cases dax FILE        huge and small pages of a DAX file
 *
 * A case prints "region START END" for each region, then "step" before each step, and waits there
 * for a line on standard input. It prints the events of these regions that the trace must have:
 *
 *   gone START PAGES CAUSE
 *   unseen START PAGES
 *   touch PAGE-ADDRESS WRITE KIND HUGE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { PAGE = 4096, PAGES = 64, HUGE = 2 << 20, ROUNDS = 40 };

static volatile char sink;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void print_region(const volatile char *start, size_t bytes)
{
	printf("region %#lx %#lx\n", (unsigned long)start, (unsigned long)start + bytes);
}

static void print_touch(const volatile char *page, bool write, const char *kind, bool is_huge)
{
	printf("touch %#lx %d %s %d\n", (unsigned long)page & ~(PAGE - 1UL), write, kind, is_huge);
}

static void step(void)
{
	char line[16];

	puts("step");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

/*
 * Returns a mapping that starts PAGES pages after a multiple of 2 MiB. No other mapping is in the
 * same 2 MiB.
 */
static volatile char *map_aligned(size_t bytes, int flags, int fd, off_t offset, size_t pages)
{
	char *at = mmap(NULL, bytes + 2 * HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	at = (char *)(((uintptr_t)at + HUGE - 1) & ~(uintptr_t)(HUGE - 1)) + pages * PAGE;
	at = mmap(at, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, offset);
	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void write_pages(volatile char *start, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += PAGE)
		start[at] = 1;
}

static void case_collapse(void)
{
	int fd = memfd_create("collapse", 0);
	volatile char *region[2];

	if (fd < 0 || ftruncate(fd, HUGE))
		die("memfd");
	region[0] = map_aligned(HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, 0);
	region[1] = map_aligned(HUGE, MAP_SHARED, fd, 0, 0);
	for (int i = 0; i < 2; i++) {
		print_region(region[i], HUGE);
		madvise((char *)region[i], HUGE, MADV_NOHUGEPAGE);
		write_pages(region[i], HUGE);
		madvise((char *)region[i], HUGE, MADV_HUGEPAGE);
	}
	step();
	for (int i = 0; i < 2; i++)
		if (madvise((char *)region[i], HUGE, MADV_COLLAPSE))
			die("MADV_COLLAPSE");
	for (int i = 0; i < 2; i++) {
		sink += region[i][0];
		if (madvise((char *)region[i], HUGE, MADV_DONTNEED))
			die("MADV_DONTNEED");
		printf("gone %#lx 512 DISCARD\n", (unsigned long)region[i]);
	}
}

/* The kernel drops the marks of joined pages, so the trace lacks the huge page's first touch. */
static void case_collapsed(void)
{
	volatile char *region = map_aligned(HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, 0);

	print_region(region, HUGE);
	madvise((char *)region, HUGE, MADV_NOHUGEPAGE);
	write_pages(region + 5 * PAGE, PAGE);
	madvise((char *)region, HUGE, MADV_HUGEPAGE);
	step();
	if (madvise((char *)region, HUGE, MADV_COLLAPSE))
		die("MADV_COLLAPSE");
	region[7 * PAGE] = 2;
	printf("unseen %#lx 512\n", (unsigned long)region);
	step();
	region[9 * PAGE] = 2;
	print_touch(region + 9 * PAGE, true, "ARMED", true);
}

/* Returns a huge page. */
static volatile char *map_huge(void)
{
	volatile char *at = map_aligned(HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, 0);

	print_region(at, HUGE);
	madvise((char *)at, HUGE, MADV_HUGEPAGE);
	write_pages(at, HUGE);
	if (madvise((char *)at, HUGE, MADV_COLLAPSE))
		die("MADV_COLLAPSE");
	return at;
}

/*
 * A huge page is touched, and then belongs to two mappings. Another huge page is shared with a
 * child, so that the kernel splits it and copies the page that is written.
 */
static void case_split(void)
{
	volatile char *protected = map_huge(), *copied = map_huge();
	int pipes[2];
	pid_t child;
	char byte;

	step();
	protected[5 * PAGE] = 2;
	print_touch(protected + 5 * PAGE, true, "ARMED", true);
	if (mprotect((char *)protected + HUGE / 2, HUGE / 2, PROT_READ))
		die("mprotect");
	if (pipe(pipes))
		die("pipe");
	child = fork();
	if (!child) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) != 0);
	}
	if (child < 0)
		die("fork");
	copied[7 * PAGE] = 2;
	print_touch(copied + 7 * PAGE, true, "ARMED", true);
	print_touch(copied + 7 * PAGE, true, "COPY", false);
	close(pipes[0]);
	close(pipes[1]);
	waitpid(child, NULL, 0);
	step();
}

/* After a write to one page, the kernel maps all pages of its folio. */
static void case_folios(void)
{
	volatile char *region = map_aligned(HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, 0);

	print_region(region, HUGE);
	step();
	for (int page = 0; page < HUGE / PAGE; page += 16)
		region[page * PAGE] = 1;
	step();
}

static volatile char *map_small(size_t bytes)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	madvise(at, bytes, MADV_NOHUGEPAGE);
	print_region(at, bytes);
	return at;
}

static void case_holes(void)
{
	static const struct {
		int page, pages;
	} runs[] = { { 3, 3 }, { 20, 1 }, { 40, 2 }, { 63, 1 } };
	volatile char *region = map_small(PAGES * PAGE);

	for (int i = 0; i < 3; i++)
		write_pages(region + runs[i].page * PAGE, (size_t)runs[i].pages * PAGE);
	step();
	/* A pass has seen the other runs of pages, but not this one. */
	write_pages(region + runs[3].page * PAGE, PAGE);
	print_touch(region + runs[3].page * PAGE, true, "DEMAND", false);
	for (int times = 0; times < 2; times++)
		if (madvise((char *)region, PAGES * PAGE, MADV_DONTNEED))
			die("MADV_DONTNEED");
	for (int i = 0; i < 4; i++)
		printf("gone %#lx %d DISCARD\n", (unsigned long)region + runs[i].page * PAGE,
		       runs[i].pages);
}

/* Two threads touch the pages of this region. They touch each page at the same time. */
static volatile char *shared;
static atomic_int arrived;

static void *write_together(void *rounds)
{
	for (int i = 0; i < (int)(intptr_t)rounds * PAGES; i++) {
		int page = i % PAGES;

		atomic_fetch_add(&arrived, 1);
		while (atomic_load(&arrived) < 2 * (i + 1))
			;
		shared[page * PAGE] = 2;
	}
	return NULL;
}

static void run_two(void)
{
	pthread_t threads[2];

	atomic_store(&arrived, 0);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, write_together, (void *)1))
			die("thread");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* The child shares all pages until the threads have written them. */
static void copy_together(void)
{
	int pipes[2];
	pid_t child;
	char byte;

	if (pipe(pipes))
		die("pipe");
	child = fork();
	if (!child) {
		close(pipes[1]);
		_exit(read(pipes[0], &byte, 1) != 0);
	}
	if (child < 0)
		die("fork");
	close(pipes[0]);
	run_two();
	close(pipes[1]);
	waitpid(child, NULL, 0);
	for (int page = 0; page < PAGES; page++)
		print_touch(shared + page * PAGE, true, "COPY", false);
}

static int open_faults(volatile char *region, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (unsigned long)region, bytes },
					 .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		die("userfaultfd");
	return fd;
}

static void fill(int fd, volatile char *region, int page)
{
	struct uffdio_zeropage zero = { .range = { (unsigned long)region + (size_t)page * PAGE,
						   PAGE } };

	if (ioctl(fd, UFFDIO_ZEROPAGE, &zero))
		die("UFFDIO_ZEROPAGE");
}

/* Waits until COUNT threads wait in a page fault. */
static void wait_for_faults(int fd, int count)
{
	struct uffd_msg message;

	while (count--)
		if (read(fd, &message, sizeof(message)) != sizeof(message))
			die("userfaultfd");
}

struct reader {
	pthread_t thread;
	volatile char *page;
};

static void *read_page(void *data)
{
	struct reader *reader = data;

	sink += reader->page[0];
	return NULL;
}

/* READERS threads wait in faults of PAGES pages at the same time. */
static void read_together(volatile char *region, int readers, int pages)
{
	struct reader *reader = calloc((size_t)readers, sizeof(*reader));
	int fd = open_faults(region, (size_t)pages * PAGE);
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	for (int i = 0; i < readers; i++) {
		reader[i].page = region + (size_t)(i % pages) * PAGE;
		if (pthread_create(&reader[i].thread, &attributes, read_page, &reader[i]))
			die("thread");
	}
	wait_for_faults(fd, readers);
	for (int page = 0; page < pages; page++)
		fill(fd, region, page);
	for (int i = 0; i < readers; i++)
		pthread_join(reader[i].thread, NULL);
	close(fd);
}

static void case_threads(void)
{
	volatile char *filled;

	shared = map_small(PAGES * PAGE);
	filled = map_small(PAGES * PAGE);
	write_pages(shared, PAGES * PAGE);
	step();
	for (int i = 0; i < ROUNDS; i++)
		copy_together();
	for (int page = 0; page < PAGES; page++) {
		read_together(filled + page * PAGE, 2, 1);
		print_touch(filled + page * PAGE, false, "DEMAND", false);
	}
}

static void case_ends(int threads)
{
	volatile char *region = map_small((size_t)threads * PAGE);

	step();
	read_together(region, threads, threads);
}

static void case_idle(void)
{
	volatile char *region = map_small(PAGES * PAGE);

	write_pages(region, PAGES * PAGE);
	step();
	write_pages(region, PAGES * PAGE);
	step();
	write_pages(region, PAGES * PAGE);
}

static void case_none(void)
{
	if (mmap(NULL, 12345 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		die("mmap");
	step();
}

/* The second mapping is too small for a huge page. */
static void case_dax(const char *path)
{
	int fd = open(path, O_RDWR);
	volatile char *huge, *small;

	if (fd < 0)
		die(path);
	huge = map_aligned(2 * HUGE, MAP_SHARED, fd, 0, 0);
	small = map_aligned(PAGES * PAGE, MAP_SHARED, fd, 2 * HUGE, 1);
	print_region(huge, 2 * HUGE);
	print_region(small, PAGES * PAGE);
	huge[0] = 1;
	huge[HUGE] = 1;
	write_pages(small, PAGES * PAGE);
	step();
	sink += huge[HUGE + 7 * PAGE];
	huge[HUGE + 9 * PAGE] = 2;
	huge[PAGE] = 2;
	print_touch(huge + HUGE + 7 * PAGE, false, "ARMED", true);
	print_touch(huge + PAGE, true, "ARMED", true);
	for (int page = 0; page < PAGES; page += 5) {
		small[page * PAGE] = 2;
		print_touch(small + page * PAGE, true, "ARMED", false);
	}
	if (msync((char *)huge, 2 * HUGE, MS_SYNC) || msync((char *)small, PAGES * PAGE, MS_SYNC))
		die("msync");
	step();
	sink += huge[HUGE];
	sink += small[0];
	print_touch(huge + HUGE, false, "ARMED", true);
	print_touch(small, false, "ARMED", false);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "collapse"))
		case_collapse();
	else if (!strcmp(name, "collapsed"))
		case_collapsed();
	else if (!strcmp(name, "split"))
		case_split();
	else if (!strcmp(name, "folios"))
		case_folios();
	else if (!strcmp(name, "holes"))
		case_holes();
	else if (!strcmp(name, "threads"))
		case_threads();
	else if (!strcmp(name, "ends") && argc > 2)
		case_ends(atoi(argv[2]));
	else if (!strcmp(name, "idle"))
		case_idle();
	else if (!strcmp(name, "none"))
		case_none();
	else if (!strcmp(name, "dax") && argc > 2)
		case_dax(argv[2]);
	else
		return 2;
	puts("end");
	fflush(stdout);
	/* The shell reads the trace's last events before the address space ends. */
	return getchar() == EOF;
}
