// SPDX-License-Identifier: LGPL-2.1-only
/* Exhausts resources of the guest: a full filesystem, memory without a free huge page. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "dax-pressure.h"

#define RESERVE ((size_t)24 << 20)
#define DROP_CACHES "/proc/sys/vm/drop_caches"

/* The settings that dax_pressure_take_huge() changes, in the order in which they are restored. */
enum setting { MIN_FREE, HUGE_POOL, EXTFRAG, PCP_FRACTION, RESERVE_RATIO, ZERO_PAGE_USE, SETTINGS };

static const char *const setting_paths[SETTINGS] = {
	[MIN_FREE] = "/proc/sys/vm/min_free_kbytes",
	[HUGE_POOL] = "/proc/sys/vm/nr_hugepages",
	[EXTFRAG] = "/proc/sys/vm/extfrag_threshold",
	[PCP_FRACTION] = "/proc/sys/vm/percpu_pagelist_high_fraction",
	[RESERVE_RATIO] = "/proc/sys/vm/lowmem_reserve_ratio",
	[ZERO_PAGE_USE] = "/sys/kernel/mm/transparent_hugepage/use_zero_page",
};
static char setting_before[SETTINGS][80];

static void filler_path(const struct dax_run *run, char *path, size_t size)
{
	snprintf(path, size, "%s/filler", run->world->dir);
}

int dax_pressure_fill(struct dax_run *run)
{
	char path[300];
	struct statvfs fs;
	off_t size = 0;
	uint64_t chunk;
	int fd, ret = -1;

	filler_path(run, path, sizeof(path));
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || fstatvfs(fd, &fs) < 0)
		goto end;
	for (chunk = (uint64_t)fs.f_bfree * fs.f_frsize; chunk >= DAX_PAGE;) {
		chunk -= chunk % DAX_PAGE;
		if (fallocate(fd, 0, size, (off_t)chunk) == 0)
			size += (off_t)chunk;
		else if (errno == ENOSPC)
			chunk /= 2;
		else
			goto end;
	}
	/*
	 * Sync first. Otherwise, blocks that are released with the next journal commit could become
	 * free during the fault.
	 */
	if (fsync(fd) < 0 || fallocate(fd, 0, size, DAX_PAGE) == 0 || errno != ENOSPC)
		goto end;
	ret = 0;
end:
	if (ret < 0)
		dax_fail(run, "fill the filesystem");
	if (fd >= 0)
		close(fd);
	return ret;
}

void dax_pressure_unfill(struct dax_run *run)
{
	char path[300];

	filler_path(run, path, sizeof(path));
	unlink(path);
}

static int write_word(const char *path, const char *word)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -1;
	ret = write(fd, word, strlen(word)) < 0 ? -1 : 0;
	close(fd);
	return ret;
}

static int set(enum setting setting, long value)
{
	char word[32];

	snprintf(word, sizeof(word), "%ld", value);
	return write_word(setting_paths[setting], word);
}

/* Reads a setting's line; returns its first number, or -1. */
static long get(enum setting setting, char *line, size_t size)
{
	FILE *file = fopen(setting_paths[setting], "r");
	long value = -1;

	if (!file)
		return -1;
	if (!fgets(line, (int)size, file) || sscanf(line, "%ld", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

/*
 * Returns the number of free 2 MiB blocks outside the DMA zone (larger ones count as several), or
 * -1 if the kernel does not report it.
 */
static long free_huge_blocks(void)
{
	char line[400], zone[32];
	FILE *file = fopen("/proc/buddyinfo", "r");
	long sum = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		int at = 0, used, order = 0;
		long blocks;

		if (sscanf(line, "Node %*d, zone %31s%n", zone, &at) != 1 || !strcmp(zone, "DMA"))
			continue;
		for (; sscanf(line + at, "%ld%n", &blocks, &used) == 1; at += used, order++)
			if (order >= 9)
				sum += blocks << (order - 9);
	}
	fclose(file);
	return sum;
}

/*
 * Makes huge pages unavailable. The kernel could get a huge page from a free block, from a CPU's
 * list of freed pages, by compaction, or by reclaim that happens to join smaller blocks. The test
 * therefore moves the free blocks to the hugetlb pool, keeps the CPUs' lists short and disables
 * compaction by its setting. It cannot prevent reclaim, so it repeats the scenario. It also
 * releases every second page of a reserve, so that other users have free pages, but no two adjacent
 * ones.
 */
static char *reserve;

static char *populate(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (madvise(memory, size, MADV_NOHUGEPAGE) < 0) {
		munmap(memory, size);
		return NULL;
	}
	memset(memory, 1, size);
	return memory;
}

static bool take_blocks(void)
{
	char line[80];

	for (int i = 0; i < 8; i++) {
		long blocks = free_huge_blocks(), pool = get(HUGE_POOL, line, sizeof(line));

		if (!blocks)
			break;
		if (blocks < 0 || pool < 0 || set(HUGE_POOL, pool + blocks) < 0)
			return false;
	}
	return true;
}

static bool take(void)
{
	for (int i = 0; i < SETTINGS; i++)
		if (get((enum setting)i, setting_before[i], sizeof(setting_before[i])) < 0)
			return false;
	if (set(ZERO_PAGE_USE, 0) < 0 || set(PCP_FRACTION, 100000) < 0 || set(EXTFRAG, 1000) < 0 ||
	    write_word(DROP_CACHES, "3") < 0 ||
	    write_word(setting_paths[RESERVE_RATIO], "1 1 1 1") < 0 || set(MIN_FREE, 2048) < 0)
		return false;
	reserve = populate(RESERVE);
	if (!reserve)
		return false;
	for (size_t at = 0; at < RESERVE; at += 2 * DAX_PAGE)
		if (madvise(reserve + at, DAX_PAGE, MADV_DONTNEED) < 0)
			return false;
	return take_blocks();
}

int dax_pressure_take_again(void)
{
	return write_word(DROP_CACHES, "2") < 0 || !take_blocks() ? -1 : 0;
}

int dax_pressure_take_huge(struct dax_run *run)
{
	if (!take())
		dax_skip(run, "no right to empty the kernel's stock of huge pages");
	return 0;
}

void dax_pressure_release_huge(struct dax_run *run)
{
	(void)run;
	if (reserve)
		munmap(reserve, RESERVE);
	reserve = NULL;
	for (int i = 0; i < SETTINGS; i++)
		if (setting_before[i][0])
			write_word(setting_paths[i], setting_before[i]);
}

uint64_t dax_pressure_zero_page_failures(void)
{
	char line[128];
	uint64_t count = 0;
	FILE *file = fopen("/proc/vmstat", "r");

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "thp_zero_page_alloc_failed %" SCNu64, &count) == 1)
			break;
	fclose(file);
	return count;
}
