// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A program that observes its memory in every way in which marks on its pages could be noticed. Its
 * output must be the same whether or not its page references are recorded, except in lines that
 * start with "minor faults", because each touch of a marked page is a minor fault.
 *
 *   page-effects FOLDER    uses files in FOLDER, on a file system with a page cache
 *
 * Prints "NAME: VALUE" for each observation. Before each step, it prints "arm NAME" and waits for a
 * line on standard input.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "page-effects.h"
#include "steps.h"

static volatile char sink;

char *map_pages(int pages)
{
	/* Inaccessible pages on both sides separate this mapping from other mappings. */
	size_t bytes = (size_t)pages * PAGE, align = pages >= HUGE_PAGES ? HUGE_PAGES * PAGE : PAGE;
	char *around = mmap(NULL, bytes + 2 * align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at;

	if (around == MAP_FAILED)
		die("mmap");
	at = (char *)(((uintptr_t)around + align) & ~(uintptr_t)(align - 1));
	at = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		  0);
	if (at == MAP_FAILED || madvise(at, bytes, MADV_NOHUGEPAGE))
		die("mmap");
	return at;
}

void write_pages(volatile char *at, int first, int last, int step)
{
	for (int i = first; i < last; i += step)
		at[(size_t)i * PAGE] = (char)(i + 1);
}

void read_pages(const volatile char *at, int first, int last)
{
	for (int i = first; i < last; i++)
		sink += at[(size_t)i * PAGE];
}

int right_pages(const volatile char *at, int first, int last)
{
	int right = 0;

	for (int i = first; i < last; i++)
		right += at[(size_t)i * PAGE] == (char)(i + 1);
	return right;
}

/*
 * Returns the value KEY of the mapping at AT from /proc/self/smaps, or -1. If STEP is not NULL,
 * prints all values.
 */
static long smaps(const char *step, const void *at, const char *key)
{
	char line[512], header[32], name[64];
	FILE *file = fopen("/proc/self/smaps", "r");
	long kib, value = -1;
	bool inside = false;

	if (!file)
		die("/proc/self/smaps");
	snprintf(header, sizeof(header), "%lx-", (unsigned long)at);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] < 'A' || line[0] > 'Z') {
			inside = !strncmp(line, header, strlen(header));
			continue;
		}
		if (!inside || sscanf(line, "%63[^:]: %ld kB", name, &kib) != 2)
			continue;
		if (!strcmp(name, key))
			value = kib;
		/* Up to 31 pages after MADV_FREE are in a batch of the CPU, and not counted yet. */
		if (!strcmp(name, "LazyFree"))
			kib = (kib + 127) / 128 * 128;
		if (step)
			printf("%s: smaps, %s: %ld\n", step, name, kib);
	}
	fclose(file);
	return value;
}

static void print_smaps(const char *step, const void *at)
{
	smaps(step, at, "");
}

static long huge_kib(const void *at)
{
	return smaps(NULL, at, "AnonHugePages");
}

/* Prints how many pages have each flag of /proc/self/pagemap. */
static void print_pagemap(const char *step, const void *at, int pages)
{
	static const struct {
		const char *name;
		int bit;
	} flags[] = { { "present", 63 }, { "swapped", 62 }, { "file", 61 }, { "soft-dirty", 55 } };
	uint64_t entries[HUGE_PAGES];
	size_t bytes = (size_t)pages * sizeof(entries[0]);
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (fd < 0 || pages > HUGE_PAGES ||
	    pread(fd, entries, bytes, (off_t)((uintptr_t)at / PAGE * sizeof(entries[0]))) !=
		    (ssize_t)bytes)
		die("/proc/self/pagemap");
	close(fd);
	for (size_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++) {
		int count = 0;

		for (int i = 0; i < pages; i++)
			count += (int)(entries[i] >> flags[f].bit & 1);
		printf("%s: pagemap, %s: %d\n", step, flags[f].name, count);
	}
}

static void print_mincore(const char *step, void *at, int pages)
{
	unsigned char in_core[HUGE_PAGES];
	int count = 0;

	if (mincore(at, (size_t)pages * PAGE, in_core))
		die("mincore");
	for (int i = 0; i < pages; i++)
		count += in_core[i] & 1;
	printf("%s: mincore: %d\n", step, count);
}

/* Prints the nodes that /proc/self/numa_maps shows for the mapping at AT. */
static void print_numa_maps(const char *step, const void *at)
{
	FILE *file = fopen("/proc/self/numa_maps", "r");
	char line[1024], start[32];

	if (!file)
		die("/proc/self/numa_maps");
	snprintf(start, sizeof(start), "%lx ", (unsigned long)at);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, start, strlen(start)))
			printf("%s: numa_maps: %s", step, line + strlen(start));
	fclose(file);
}

static void clear_refs(const char *what)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY);

	if (fd < 0 || write(fd, what, 1) != 1)
		die("/proc/self/clear_refs");
	close(fd);
}

static struct timespec mtime_of(int fd)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	struct stat state;

	/* The clock of file systems advances with the timer interrupt. */
	nanosleep(&pause, NULL);
	if (fstat(fd, &state))
		die("fstat");
	return state.st_mtim;
}

static void print_mtime(const char *step, int fd, struct timespec *before)
{
	struct timespec now = mtime_of(fd);

	printf("%s: mtime: %s\n", step,
	       now.tv_sec == before->tv_sec && now.tv_nsec == before->tv_nsec ? "same" : "changed");
	*before = now;
}

/* On the first write to a clean page, the kernel notifies the file system, which updates mtime. */
static void shared_file(const char *folder)
{
	struct timespec mtime;
	char path[4096];
	char *at;
	int fd;

	snprintf(path, sizeof(path), "%s/shared", folder);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || posix_fallocate(fd, 0, PAGES * PAGE))
		die(path);
	at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		die("mmap");
	write_pages(at, 0, PAGES, 1);
	mtime = mtime_of(fd);
	arm("writes to dirty pages");
	write_pages(at, 0, PAGES, 1);
	print_mtime("writes to dirty pages", fd, &mtime);
	arm("msync");
	if (msync(at, PAGES * PAGE, MS_SYNC))
		die("msync");
	mtime = mtime_of(fd);
	arm("reads of clean pages");
	read_pages(at, 0, PAGES);
	print_mtime("reads of clean pages", fd, &mtime);
	arm("writes to clean pages");
	write_pages(at, 0, PAGES / 2, 1);
	print_mtime("writes to clean pages", fd, &mtime);
	print_smaps("half of a file written", at);
	arm("truncation");
	if (ftruncate(fd, PAGES / 4 * PAGE))
		die("ftruncate");
	print_pagemap("truncated file", at, PAGES);
	print_mincore("truncated file", at, PAGES / 4);
	munmap(at, PAGES * PAGE);
	close(fd);
}

static void anonymous(void)
{
	char *at = map_pages(PAGES);

	write_pages(at, 0, PAGES / 2, 1);
	read_pages(at, PAGES / 2, PAGES * 3 / 4);
	arm("anonymous memory, marked");
	print_smaps("anonymous, marked", at);
	print_pagemap("anonymous, marked", at, PAGES);
	print_mincore("anonymous, marked", at, PAGES);
	print_numa_maps("anonymous, marked", at);
	clear_refs("1");
	/* Flush the TLB: the processor does not set the Accessed bit of an entry in the TLB. */
	mprotect(at, PAGES * PAGE, PROT_READ);
	mprotect(at, PAGES * PAGE, PROT_READ | PROT_WRITE);
	arm("references");
	read_pages(at, 0, PAGES / 4);
	print_smaps("referenced", at);
	clear_refs("4");
	arm("soft-dirty");
	read_pages(at, 0, PAGES / 4);
	print_pagemap("soft-dirty, read", at, PAGES);
	arm("soft-dirty, writes");
	write_pages(at, PAGES / 8, PAGES / 4, 1);
	print_pagemap("soft-dirty, written", at, PAGES);
	arm("soft-dirty, marked");
	clear_refs("4");
	write_pages(at, 0, 3, 1);
	print_pagemap("soft-dirty, cleared while marked", at, PAGES);
	print_numa_maps("anonymous, touched", at);
}

/* Prints the number of faults that touches of marked pages cause. */
static void faults(void)
{
	char *at = map_pages(PAGES);
	struct rusage before, after;

	write_pages(at, 0, PAGES, 1);
	arm("faults");
	/* First touch the pages of this code and its data, so that only @at causes faults below. */
	for (int i = 0; i < 2; i++) {
		getrusage(RUSAGE_SELF, &before);
		getrusage(RUSAGE_SELF, &after);
		read_pages(at, 0, i);
	}
	getrusage(RUSAGE_SELF, &before);
	write_pages(at, 1, PAGES, 1);
	getrusage(RUSAGE_SELF, &after);
	printf("minor faults: %ld\n", after.ru_minflt - before.ru_minflt);
	printf("major faults: %ld\n", after.ru_majflt - before.ru_majflt);
}

static sigjmp_buf on_fault;

static void catch_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	siglongjmp(on_fault, info->si_code);
}

/* Returns how many of the pages cannot be read, or written, because of their protection. */
static int refused_pages(char *at, int pages, bool write)
{
	volatile int refused = 0;

	for (volatile int i = 0; i < pages; i++) {
		volatile char *page = at + (size_t)i * PAGE;
		int code = sigsetjmp(on_fault, 1);

		if (code)
			refused += code == SEGV_ACCERR;
		else if (write)
			*page = (char)(i + 1);
		else
			sink += *page;
	}
	return refused;
}

static void protection(void)
{
	struct sigaction action = { .sa_sigaction = catch_fault, .sa_flags = SA_SIGINFO };
	char *at = map_pages(PAGES);

	sigaction(SIGSEGV, &action, NULL);
	write_pages(at, 0, PAGES, 1);
	arm("PROT_NONE");
	mprotect(at, PAGES / 2 * PAGE, PROT_NONE);
	printf("PROT_NONE: refused reads: %d\n", refused_pages(at, PAGES, false));
	arm("PROT_NONE, passed");
	printf("PROT_NONE, passed: refused reads: %d\n", refused_pages(at, PAGES, false));
	printf("PROT_NONE, passed: refused writes: %d\n", refused_pages(at, PAGES, true));
	mprotect(at, PAGES * PAGE, PROT_READ);
	arm("PROT_READ");
	printf("PROT_READ: refused writes: %d\n", refused_pages(at, PAGES, true));
	printf("PROT_READ: refused reads: %d\n", refused_pages(at, PAGES, false));
	mprotect(at, PAGES * PAGE, PROT_READ | PROT_WRITE);
	printf("read and write again: refused writes: %d\n", refused_pages(at, PAGES, true));
	printf("read and write again: right pages: %d\n", right_pages(at, 0, PAGES));
	signal(SIGSEGV, SIG_DFL);
}

/* khugepaged turns small pages into a huge page. A huge page stays huge. */
static void huge_pages(void)
{
	const struct timespec pause = { .tv_nsec = 200000000 };
	char *at = map_pages(HUGE_PAGES), *faulted = map_pages(HUGE_PAGES);
	long kib = 0;

	if (madvise(faulted, HUGE_PAGES * PAGE, MADV_HUGEPAGE))
		die("madvise");
	write_pages(faulted, 0, HUGE_PAGES, 1);
	write_pages(at, 0, HUGE_PAGES, 1);
	arm("huge page");
	printf("huge page: AnonHugePages: %ld\n", huge_kib(faulted));
	read_pages(faulted, 0, 1);
	printf("huge page, touched: AnonHugePages: %ld\n", huge_kib(faulted));
	printf("small pages: AnonHugePages: %ld\n", huge_kib(at));
	madvise(at, HUGE_PAGES * PAGE, MADV_HUGEPAGE);
	for (int i = 0; i < 600 && kib <= 0; i++) {
		nanosleep(&pause, NULL);
		kib = huge_kib(at);
	}
	printf("collapsed by khugepaged: AnonHugePages: %ld\n", kib);
	printf("collapsed by khugepaged: right pages: %d\n", right_pages(at, 0, HUGE_PAGES));
}

/* After MADV_FREE, reclaim keeps only the pages that were written again. */
static void lazy_free(void)
{
	char *at = map_pages(PAGES);

	write_pages(at, 0, PAGES, 1);
	arm("MADV_FREE");
	if (madvise(at, PAGES * PAGE, MADV_FREE))
		die("MADV_FREE");
	print_smaps("MADV_FREE", at);
	arm("MADV_FREE, marked");
	write_pages(at, 0, PAGES, 4);
	read_pages(at, PAGES / 2, PAGES);
	print_smaps("MADV_FREE, some written", at);
	arm("MADV_FREE, before reclaim");
	madvise(at, PAGES * PAGE, MADV_PAGEOUT);
	printf("MADV_FREE, reclaimed: right pages: %d\n", right_pages(at, 0, PAGES));
}

static void swapping(void)
{
	char *at = map_pages(PAGES);

	write_pages(at, 0, PAGES, 1);
	arm("swap");
	madvise(at, PAGES * PAGE, MADV_PAGEOUT);
	printf("swap: smaps, Swap: %ld\n", smaps(NULL, at, "Swap"));
	print_pagemap("swap", at, PAGES);
	arm("swap-in");
	printf("swap: right pages: %d\n", right_pages(at, 0, PAGES));
}

int main(int argc, char **argv)
{
	cpu_set_t cpu;

	if (argc != 2) {
		fprintf(stderr, "usage: page-effects FOLDER\n");
		return 2;
	}
	/* Stay on one CPU: new pages wait in a list that other CPUs cannot reclaim from. */
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	shared_file(argv[1]);
	anonymous();
	faults();
	protection();
	userfaults();
	huge_pages();
	lazy_free();
	swapping();
	arm("end");
	return 0;
}
