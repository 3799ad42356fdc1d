// SPDX-License-Identifier: LGPL-2.1-only
/* Brings the guest to its limits: a full filesystem, memory without a free huge page. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "dax-pressure.h"

#define HUGE_POOL "/proc/sys/vm/nr_hugepages"
#define ZERO_PAGE_USE "/sys/kernel/mm/transparent_hugepage/use_zero_page"

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
	/* Frees that wait for the journal would come as a surprise in the middle of the fault. */
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

int dax_pressure_take_huge(struct dax_run *run)
{
	if (write_word(ZERO_PAGE_USE, "0") < 0 || write_word("/proc/sys/vm/drop_caches", "2") < 0 ||
	    write_word(HUGE_POOL, "1000000") < 0)
		dax_skip(run, "no right to empty the kernel's stock of huge pages");
	return 0;
}

void dax_pressure_release_huge(struct dax_run *run)
{
	(void)run;
	if (write_word(HUGE_POOL, "0") < 0 || write_word(ZERO_PAGE_USE, "1") < 0)
		return; /* nothing was taken, then */
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
