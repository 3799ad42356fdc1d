// SPDX-License-Identifier: LGPL-2.1-only
/* The scenarios of the DAX workload: each causes one kind of fault, or one cause of a fallback. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dax-pressure.h"
#include "dax-scenarios.h"
#include "dax-threads.h"

#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 0x03
#endif
#ifndef SYS_mseal
#define SYS_mseal 462 /* the same on every architecture */
#endif
#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif

#define READ false
#define WRITE true
#define SYNC_FLAGS (MAP_SHARED_VALIDATE | MAP_SYNC)

const char *const dax_cause_names[CAUSES] = {
	[CAUSE_MAPPING_MISALIGNED] = "mapping-misaligned",
	[CAUSE_PRIVATE_WRITE] = "private-write",
	[CAUSE_STARTS_BEFORE_VMA] = "starts-before-vma",
	[CAUSE_ENDS_AFTER_VMA] = "ends-after-vma",
	[CAUSE_PAST_EOF] = "past-eof",
	[CAUSE_PTE_ENTRY] = "pte-entry",
	[CAUSE_FS_ERROR] = "fs-error",
	[CAUSE_EXTENT_SHORT] = "extent-short",
	[CAUSE_HOLE_NO_ZERO_PAGE] = "hole-no-zero-page",
	[CAUSE_EXTENT_MISALIGNED] = "extent-misaligned",
};

const char *const dax_counter_names[COUNTERS] = {
	[COUNT_PMD] = "pmd",
	[COUNT_PMD_MAPPED] = "pmd_mapped",
	[COUNT_PMD_NEEDDSYNC] = "pmd_needdsync",
	[COUNT_PMD_SIGBUS] = "pmd_sigbus",
	[COUNT_PMD_FALLBACK] = "pmd_fallback",
	[COUNT_PMD_HOLE] = "pmd_hole",
	[COUNT_PMD_HOLE_FALLBACK] = "pmd_hole_fallback",
	[COUNT_PTE] = "pte",
	[COUNT_PTE_MAPPED] = "pte_mapped",
	[COUNT_PTE_MKWRITE] = "pte_mkwrite",
	[COUNT_PTE_COW] = "pte_cow",
	[COUNT_PTE_NEEDDSYNC] = "pte_needdsync",
	[COUNT_PTE_SIGBUS] = "pte_sigbus",
	[COUNT_PTE_HOLE] = "pte_hole",
	[COUNT_PTE_ALONE] = "pte_alone",
	[COUNT_SYNC_INSERT] = "sync_insert",
	[COUNT_WRITEBACK_RANGE] = "writeback_range",
	[COUNT_WRITEBACK_ONE] = "writeback_one",
	[COUNT_WRITEBACK_PAGES] = "writeback_pages",
	[COUNT_SIGBUS] = "sigbus",
};

static void touch_pmd(struct dax_run *run, char *address, bool write, enum dax_outcome outcome)
{
	dax_touch(run, address, write, outcome, CAUSE_NONE, NO_FAULT);
}

static void touch_pte(struct dax_run *run, char *address, bool write, enum dax_outcome outcome)
{
	dax_touch(run, address, write, NO_FAULT, CAUSE_NONE, outcome);
}

static void touch_nothing(struct dax_run *run, char *address, bool write)
{
	dax_touch(run, address, write, NO_FAULT, CAUSE_NONE, NO_FAULT);
}

/*
 * 6.1 tags the page cache entry of a read fault as dirty, too (dax_insert_entry), so a sync writes
 * it back. Later kernels tag only entries of write faults.
 */
static unsigned int dirty_after_read(const struct dax_run *run)
{
	return run->world->kernel_code < DAX_KERNEL(6, 2);
}

static int sparse_4m(struct dax_run *run)
{
	return dax_make_sparse(run, 2 * DAX_PMD);
}

static int written_4m(struct dax_run *run)
{
	return dax_make_written(run, 2 * DAX_PMD);
}

static int written_6m(struct dax_run *run)
{
	return dax_make_written(run, 3 * DAX_PMD);
}

static int written_3m(struct dax_run *run)
{
	if (written_4m(run) < 0)
		return -1;
	return dax_make_sparse(run, DAX_PMD + DAX_PMD / 2); /* ends in the second huge page */
}

static int unwritten_4m(struct dax_run *run)
{
	return dax_make_unwritten(run, 2 * DAX_PMD);
}

static int unwritten_8m(struct dax_run *run)
{
	return dax_make_unwritten(run, 4 * DAX_PMD);
}

/* --- huge-page faults that succeed --- */

static void pmd_read(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	touch_pmd(run, p, READ, MAPPED);
	touch_pmd(run, p + DAX_PMD + 5 * DAX_PAGE, READ, MAPPED);
	touch_nothing(run, p + 7 * DAX_PAGE, READ);
}

static void pmd_read_private(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_PRIVATE, 0, 0);

	touch_pmd(run, p, READ, MAPPED);
}

/* A kernel without mseal() also maps the page; only the mapping's flags in the trace differ. */
static void pmd_read_sealed(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	if (p && syscall(SYS_mseal, p, 2 * DAX_PMD, 0) < 0 && errno != ENOSYS)
		dax_fail(run, "mseal");
	touch_pmd(run, p, READ, MAPPED);
}

static void pmd_write(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	touch_pmd(run, p + 3 * DAX_PAGE, WRITE, MAPPED);
	touch_pmd(run, p + DAX_PMD, WRITE, MAPPED);
	touch_nothing(run, p + DAX_PMD + DAX_PAGE, WRITE);
}

/* A read maps the range read-only, so the following write is a write-protect fault. */
static void pmd_read_write(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	touch_pmd(run, p, READ, MAPPED);
	touch_pmd(run, p, WRITE, MAPPED);
}

static void pmd_hole_read(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	touch_pmd(run, p, READ, HOLE);
	touch_pmd(run, p + DAX_PMD, READ, HOLE);
}

static void check_filled(struct dax_run *run, size_t pos)
{
	errno = 0;
	if (!run->failed && !dax_extent_is(run, pos, true))
		dax_fail(run, "the filesystem filled the hole with an extent that is not aligned");
}

static void pmd_hole_write(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	touch_pmd(run, p, WRITE, MAPPED);
	check_filled(run, 0);
	touch_pmd(run, p + DAX_PMD, READ, HOLE);
	touch_pmd(run, p + DAX_PMD, WRITE, MAPPED);
	check_filled(run, DAX_PMD);
}

static void pmd_unwritten_write(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	touch_pmd(run, p, WRITE, MAPPED);
	touch_pmd(run, p + DAX_PMD, WRITE, MAPPED);
}

/*
 * The kernel itself accesses the mapping, because read(2) writes to it. Such a fault has no USER
 * flag and takes no per-VMA lock.
 */
static void pmd_kernel_access(struct dax_run *run)
{
	char *p = dax_map(run, DAX_PMD, MAP_SHARED, 0, 0);
	char *q = dax_map(run, DAX_PMD / 2, MAP_SHARED, DAX_PMD, 0);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (!p || !q || zero < 0) {
		dax_fail(run, "/dev/zero");
		return;
	}
	run->kernel_access = true;
	dax_expect(run, MAPPED, CAUSE_NONE, NO_FAULT);
	dax_expect(run, FALLBACK, CAUSE_ENDS_AFTER_VMA, MAPPED);
	if (read(zero, p, 8) != 8 || read(zero, q, 8) != 8)
		dax_fail(run, "read");
	run->kernel_access = false;
	close(zero);
}

/* --- write-protect, synchronous faults and writeback --- */

static void pmd_write_protect(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	touch_pmd(run, p, WRITE, MAPPED);
	dax_sync(run, p, DAX_PMD, 1);
	touch_pmd(run, p + DAX_PAGE, WRITE, MAPPED);
}

static void pte_write_protect(struct dax_run *run)
{
	char *p = dax_map_small(run, DAX_PMD, MAP_SHARED, 0);

	touch_pte(run, p, READ, MAPPED);
	touch_pte(run, p, WRITE, MKWRITE);
	dax_sync(run, p, DAX_PAGE, 1);
	touch_pte(run, p, WRITE, MKWRITE);
}

static void pmd_sync(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, SYNC_FLAGS, 0, 0);

	touch_pmd(run, p, WRITE, NEEDDSYNC);
	check_filled(run, 0);
	touch_nothing(run, p + DAX_PAGE, WRITE);
	/*
	 * The first fault left its entry tagged as dirty, so the fsync of the second fault does not
	 * return early. It searches the range of the second fault, and finds no dirty entry there.
	 */
	run->counter[COUNT_WRITEBACK_RANGE]++;
	run->counter[COUNT_WRITEBACK_PAGES] += DAX_PMD / DAX_PAGE;
	touch_pmd(run, p + DAX_PMD, WRITE, NEEDDSYNC);
	check_filled(run, DAX_PMD);
}

/* MAP_SYNC needs no sync on a file whose metadata is already on the device. */
static void pmd_sync_clean(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, SYNC_FLAGS, 0, 0);

	touch_pmd(run, p, WRITE, MAPPED);
	touch_pmd(run, p + DAX_PMD, READ, MAPPED);
}

static void pte_sync(struct dax_run *run)
{
	char *p = dax_map_small(run, DAX_PMD, SYNC_FLAGS, 0);

	touch_pte(run, p, WRITE, NEEDDSYNC);
	touch_nothing(run, p, WRITE);
}

static void writeback(struct dax_run *run)
{
	char *small = dax_map_small(run, DAX_PMD, MAP_SHARED, 0);
	char *huge = dax_map(run, 2 * DAX_PMD, MAP_SHARED, DAX_PMD, 0);
	unsigned int entries = 3 + 1 + dirty_after_read(run);

	for (int page = 0; page < 3; page++)
		touch_pte(run, small + (size_t)page * DAX_PAGE, WRITE, MAPPED);
	touch_pmd(run, huge, WRITE, MAPPED);
	touch_pmd(run, huge + DAX_PMD, READ, MAPPED);
	run->counter[COUNT_WRITEBACK_RANGE]++;
	run->counter[COUNT_WRITEBACK_ONE] += entries;
	if (fsync(run->fd) < 0)
		dax_fail(run, "fsync");
	touch_pte(run, small, WRITE, MKWRITE);
	dax_sync(run, small, DAX_PAGE, 1);
}

/* --- faults at the page-table level only --- */

static void pte_read_write(struct dax_run *run)
{
	char *p = dax_map_small(run, DAX_PMD, MAP_SHARED, 0);

	for (int page = 0; page < 3; page++)
		touch_pte(run, p + (size_t)page * DAX_PAGE, READ, MAPPED);
	for (int page = 3; page < 5; page++)
		touch_pte(run, p + (size_t)page * DAX_PAGE, WRITE, MAPPED);
}

static void pte_hole(struct dax_run *run)
{
	char *p = dax_map_small(run, DAX_PMD, MAP_SHARED, 0);

	touch_pte(run, p, READ, HOLE);
	touch_pte(run, p + DAX_PAGE, READ, HOLE);
	touch_pte(run, p, WRITE, MKWRITE);
	touch_pte(run, p + 2 * DAX_PAGE, WRITE, MAPPED);
}

/* --- fallbacks that the fault's own fields explain --- */

static void mapping_misaligned(struct dax_run *run)
{
	char *p = dax_map(run, 3 * DAX_PMD, MAP_SHARED, 0, DAX_PAGE);

	if (!p)
		return;
	dax_touch(run, p + DAX_PMD, READ, FALLBACK, CAUSE_MAPPING_MISALIGNED, MAPPED);
	/* The page table already exists, so the kernel does not try a huge fault first. */
	touch_pte(run, p + DAX_PMD + DAX_PAGE, READ, MAPPED);
}

static void private_write(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_PRIVATE, 0, 0);

	dax_touch(run, p, WRITE, FALLBACK, CAUSE_PRIVATE_WRITE, COW);
	touch_pte(run, p + DAX_PAGE, WRITE, COW);
}

/*
 * A private write to a huge page that a read mapped. 6.1 asks the filesystem for a huge write
 * fault, which falls back. Since 6.12, a write-protect fault on a private mapping splits the huge
 * mapping at once. On ext4, the fault is then repeated under mmap_lock (see fallbacks_per_access);
 * the repeated fault finds no mapping and tries a huge fault.
 */
static void private_read_write(struct dax_run *run)
{
	const struct dax_world *world = run->world;
	char *p = dax_map(run, 2 * DAX_PMD, MAP_PRIVATE, 0, 0);

	touch_pmd(run, p, READ, MAPPED);
	run->kernel_access = true; /* exactly one fallback, whatever locks are held */
	if (world->per_vma_lock && !world->is_ext4)
		touch_pte(run, p, WRITE, COW);
	else
		dax_touch(run, p, WRITE, FALLBACK, CAUSE_PRIVATE_WRITE, COW);
	run->kernel_access = false;
}

static void starts_before(struct dax_run *run)
{
	size_t half = DAX_PMD / 2;
	char *p = dax_map(run, half + DAX_PMD, MAP_SHARED, half, half);

	dax_touch(run, p, READ, FALLBACK, CAUSE_STARTS_BEFORE_VMA, MAPPED);
	touch_pmd(run, p + half, READ, MAPPED);
}

static void ends_after(struct dax_run *run)
{
	char *p = dax_map(run, DAX_PMD + DAX_PMD / 2, MAP_SHARED, 0, 0);

	dax_touch(run, p + DAX_PMD, WRITE, FALLBACK, CAUSE_ENDS_AFTER_VMA, MAPPED);
}

/* Maps 4 MiB of a file of 3 MiB. */
static void past_eof(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	dax_touch(run, p + DAX_PMD, READ, FALLBACK, CAUSE_PAST_EOF, MAPPED);
	touch_pte(run, p + DAX_PMD + DAX_PAGE, WRITE, MAPPED);
}

/* The huge page crosses the end of the file, and the touched page is beyond the end. */
static void past_eof_signal(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	dax_touch(run, p + 2 * DAX_PMD - DAX_PAGE, READ, FALLBACK, CAUSE_PAST_EOF, SIGNAL);
}

/*
 * The whole huge page is beyond the end of the file: the huge fault raises SIGBUS without a
 * fallback.
 */
static void beyond_eof(struct dax_run *run)
{
	char *p = dax_map(run, 3 * DAX_PMD, MAP_SHARED, 0, 0);

	touch_pmd(run, p + 2 * DAX_PMD, READ, SIGNAL);
	touch_pmd(run, p + 2 * DAX_PMD, WRITE, SIGNAL);
}

static void several_causes(struct dax_run *run)
{
	char *p = dax_map(run, DAX_PMD / 2, MAP_PRIVATE, 0, DAX_PAGE);

	dax_touch(run, p, WRITE, FALLBACK, CAUSE_MAPPING_MISALIGNED, COW);
	run->holds[CAUSE_PRIVATE_WRITE] = true;
	run->holds[CAUSE_STARTS_BEFORE_VMA] = true;
	run->holds[CAUSE_ENDS_AFTER_VMA] = true;
}

/* --- fallbacks that need evidence --- */

static void pte_entry(struct dax_run *run)
{
	char *p = dax_map_small(run, DAX_PMD, MAP_SHARED, 0), *q;

	touch_pte(run, p + 9 * DAX_PAGE, WRITE, MAPPED);
	q = dax_map(run, DAX_PMD, MAP_SHARED, 0, 0);
	dax_touch(run, q, READ, FALLBACK, CAUSE_PTE_ENTRY, MAPPED);
	touch_pte(run, q + 9 * DAX_PAGE, READ, MAPPED);
}

static int punched_4m(struct dax_run *run)
{
	if (written_4m(run) < 0)
		return -1;
	if (fallocate(run->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, DAX_PMD / 2, DAX_PAGE) <
		    0 ||
	    fsync(run->fd) < 0) {
		dax_fail(run, "punch hole");
		return -1;
	}
	return 0;
}

static void extent_short(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	dax_touch(run, p, READ, FALLBACK, CAUSE_EXTENT_SHORT, MAPPED);
	touch_pte(run, p + DAX_PMD / 2, READ, HOLE);
	touch_pmd(run, p + DAX_PMD, READ, MAPPED);
}

static int sparse_with_page(struct dax_run *run)
{
	if (sparse_4m(run) < 0)
		return -1;
	if (pwrite(run->fd, "x", 1, DAX_PMD / 2) != 1 || fsync(run->fd) < 0) {
		dax_fail(run, "pwrite");
		return -1;
	}
	return 0;
}

static void hole_short(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	dax_touch(run, p, READ, FALLBACK, CAUSE_EXTENT_SHORT, HOLE);
}

/*
 * Removes the first page of a file. The other pages keep their places on the device. The file must
 * have a single extent, because a shifted range of 2 MiB must not span two extents.
 */
static int shifted_6m(struct dax_run *run)
{
	if (dax_make_one_extent(run, 3 * DAX_PMD) < 0)
		return -1;
	if (fallocate(run->fd, FALLOC_FL_COLLAPSE_RANGE, 0, DAX_PAGE) < 0 || fsync(run->fd) < 0) {
		dax_fail(run, "collapse range");
		return -1;
	}
	errno = 0;
	if (!dax_extent_is(run, 0, false) || !dax_extent_is(run, DAX_PMD, false)) {
		dax_fail(run, "the extent did not become misaligned");
		return -1;
	}
	return 0;
}

static void extent_misaligned(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	dax_touch(run, p, READ, FALLBACK, CAUSE_EXTENT_MISALIGNED, MAPPED);
	dax_touch(run, p + DAX_PMD, WRITE, FALLBACK, CAUSE_EXTENT_MISALIGNED, MAPPED);
}

static int fill_filesystem(struct dax_run *run)
{
	return sparse_4m(run) < 0 || dax_pressure_fill(run) < 0 ? -1 : 0;
}

static void fs_error(struct dax_run *run)
{
	char *p = dax_map(run, 2 * DAX_PMD, MAP_SHARED, 0, 0);

	dax_touch(run, p, WRITE, FALLBACK, CAUSE_FS_ERROR, SIGNAL);
	touch_pmd(run, p + DAX_PMD, READ, HOLE);
}

enum { ZERO_PAGE_TRIES = 4 };

static int no_huge_pages_left(struct dax_run *run)
{
	if (dax_make_sparse(run, ZERO_PAGE_TRIES * DAX_PMD) < 0)
		return -1;
	return dax_pressure_take_huge(run);
}

/*
 * Reads a hole once. Reclaim may find a huge page for the first fault or for its retry. The kernel
 * counts its failures to allocate a huge zero page; this count shows the outcome.
 */
static void read_without_zero_page(struct dax_run *run, int attempt)
{
	uint64_t before = dax_pressure_zero_page_failures(), failures;
	char *p = dax_map(run, DAX_PMD, MAP_SHARED, (size_t)attempt * DAX_PMD, 0);

	if (!p)
		return;
	(void)*(volatile char *)p;
	failures = dax_pressure_zero_page_failures() - before;
	run->kernel_access = true; /* the loop below counts retried faults */
	for (uint64_t i = 0; i < failures; i++)
		dax_expect(run, HOLE_FALLBACK, CAUSE_HOLE_NO_ZERO_PAGE,
			   i + 1 == run->world->fallbacks_per_access ? HOLE : NO_FAULT);
	if (failures < run->world->fallbacks_per_access)
		dax_expect(run, HOLE, CAUSE_NONE, NO_FAULT);
	run->kernel_access = false;
}

/* A process keeps the huge zero page until it exits, so each attempt runs in a separate process. */
static void hole_no_zero_page(struct dax_run *run)
{
	for (int attempt = 0; attempt < ZERO_PAGE_TRIES; attempt++) {
		pid_t pid;

		if (attempt && dax_pressure_take_again() < 0)
			break;
		pid = fork();
		if (pid == 0) {
			read_without_zero_page(run, attempt);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) < 0) {
			dax_fail(run, "fork");
			return;
		}
		if (run->failed || run->cause[CAUSE_HOLE_NO_ZERO_PAGE])
			return;
	}
	dax_skip(run, "the kernel still had a huge zero page");
}

/* --- two threads: dax-threads.c --- */

static int sparse_rounds(struct dax_run *run)
{
	/*
	 * The huge entry of a hole does not survive a page-sized write fault, so each round uses a
	 * new hole.
	 */
	return dax_make_sparse(run, DAX_RACE_ROUNDS * DAX_PMD);
}

#define SCENARIO(id, text, prepare, function)                                           \
	{                                                                               \
		.name = (id), .what = (text), .setup = (prepare), .provoke = (function) \
	}

const struct dax_scenario dax_scenarios[] = {
	SCENARIO("pmd-read", "shared read of written extents", written_4m, pmd_read),
	SCENARIO("pmd-read-private", "private read", written_4m, pmd_read_private),
	SCENARIO("pmd-read-sealed", "read of a sealed mapping", written_4m, pmd_read_sealed),
	SCENARIO("pmd-write", "shared write to written extents", written_4m, pmd_write),
	SCENARIO("pmd-read-write", "read, then write", written_4m, pmd_read_write),
	SCENARIO("pmd-hole-read", "read of a hole", sparse_4m, pmd_hole_read),
	SCENARIO("pmd-hole-write", "write to a hole", sparse_4m, pmd_hole_write),
	SCENARIO("pmd-unwritten-read", "read of unwritten extents", unwritten_4m, pmd_hole_read),
	SCENARIO("pmd-unwritten-write", "write to unwritten extents", unwritten_4m,
		 pmd_unwritten_write),
	SCENARIO("pmd-kernel-access", "read(2) into the mapping", written_4m, pmd_kernel_access),
	SCENARIO("pmd-write-protect", "write, msync, write", written_4m, pmd_write_protect),
	SCENARIO("pmd-sync", "MAP_SYNC write to a hole", sparse_4m, pmd_sync),
	SCENARIO("pmd-sync-clean", "MAP_SYNC write, nothing to sync", written_4m, pmd_sync_clean),
	SCENARIO("pte-read-write", "huge pages refused", written_4m, pte_read_write),
	SCENARIO("pte-hole", "huge pages refused, in a hole", sparse_4m, pte_hole),
	SCENARIO("pte-write-protect", "read, write, msync, write", written_4m, pte_write_protect),
	SCENARIO("pte-sync", "MAP_SYNC write, huge pages refused", sparse_4m, pte_sync),
	SCENARIO("writeback", "fsync and msync of both sizes", written_6m, writeback),
	SCENARIO("threads", "two threads, separate ranges", unwritten_8m, dax_threads),
	SCENARIO("mapping-misaligned", "address and offset not congruent", written_6m,
		 mapping_misaligned),
	SCENARIO("private-write", "write to a private mapping", written_4m, private_write),
	SCENARIO("private-read-write", "private read, then write", written_4m, private_read_write),
	SCENARIO("starts-before-vma", "mapping starts inside the 2 MiB", written_4m, starts_before),
	SCENARIO("ends-after-vma", "mapping ends inside the 2 MiB", written_4m, ends_after),
	SCENARIO("past-eof", "file ends inside the 2 MiB", written_3m, past_eof),
	SCENARIO("past-eof-sigbus", "same, page past the end", written_3m, past_eof_signal),
	SCENARIO("beyond-eof", "2 MiB completely past the end", written_3m, beyond_eof),
	SCENARIO("several-causes", "four causes at once", written_4m, several_causes),
	SCENARIO("pte-entry", "a 4 KiB entry is there", written_4m, pte_entry),
	SCENARIO("extent-short", "a page punched out", punched_4m, extent_short),
	SCENARIO("hole-short", "a page written into a hole", sparse_with_page, hole_short),
	SCENARIO("extent-misaligned", "extents off by a page", shifted_6m, extent_misaligned),
	{ .name = "race",
	  .what = "private read against private write",
	  .setup = written_4m,
	  .provoke = dax_race_written,
	  .racy = true },
	{ .name = "race-hole",
	  .what = "the same in a hole",
	  .setup = sparse_rounds,
	  .provoke = dax_race_hole,
	  .racy = true },
	{ .name = "hole-no-zero-page",
	  .what = "hole, memory without huge pages",
	  .setup = no_huge_pages_left,
	  .provoke = hole_no_zero_page,
	  .teardown = dax_pressure_release_huge,
	  .once = true },
	{ .name = "fs-error",
	  .what = "write to a hole, filesystem full",
	  .setup = fill_filesystem,
	  .provoke = fs_error,
	  .teardown = dax_pressure_unfill,
	  .once = true },
};
const size_t dax_scenario_count = sizeof(dax_scenarios) / sizeof(dax_scenarios[0]);
