// SPDX-License-Identifier: LGPL-2.1-only
/* Files of a known layout for the DAX workload, checked with FIEMAP. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dax-scenarios.h"

/* Returns the position of the filesystem's partition on the disk, or 0 without a partition. */
static uint64_t partition_start(const struct dax_world *world)
{
	char path[80];
	unsigned long long sectors = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/start", world->major, world->minor);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%llu", &sectors) != 1)
		sectors = 0;
	fclose(file);
	return sectors * 512;
}

/*
 * Returns true if @length bytes of the file from @pos on are in one extent. Sets *@device to the
 * position of @pos on the device.
 */
static bool find_extent(struct dax_run *run, size_t pos, size_t length, uint64_t *device)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
	} u;
	const struct fiemap_extent *extent = u.map.fm_extents;

	memset(&u, 0, sizeof(u));
	u.map.fm_start = pos;
	u.map.fm_length = length;
	u.map.fm_extent_count = 1;
	if (ioctl(run->fd, FS_IOC_FIEMAP, &u.map) < 0 || u.map.fm_mapped_extents != 1)
		return false;
	if (extent->fe_logical > pos || extent->fe_logical + extent->fe_length < pos + length)
		return false;
	*device = extent->fe_physical + (pos - extent->fe_logical) + partition_start(run->world);
	return true;
}

bool dax_extent_is(struct dax_run *run, size_t pos, bool aligned)
{
	uint64_t device;

	return find_extent(run, pos, DAX_PMD, &device) && (device % DAX_PMD == 0) == aligned;
}

int dax_make_one_extent(struct dax_run *run, size_t size)
{
	enum { TRIES = 8 };
	uint64_t device;

	/* A range with several extents stays allocated, so that the next one gets other blocks. */
	for (size_t i = 0; i < TRIES; i++) {
		if (dax_make_written(run, (i + 1) * size) < 0)
			return -1;
		if (!find_extent(run, i * size, size, &device))
			continue;
		if (i && fallocate(run->fd, FALLOC_FL_COLLAPSE_RANGE, 0, (off_t)(i * size)) < 0) {
			dax_fail(run, "collapse range");
			return -1;
		}
		return 0;
	}
	errno = 0;
	dax_fail(run, "no single extent of that size; the filesystem is too fragmented");
	return -1;
}

static int check_aligned(struct dax_run *run, size_t size)
{
	for (size_t pos = 0; pos + DAX_PMD <= size; pos += DAX_PMD) {
		if (!dax_extent_is(run, pos, true)) {
			errno = 0;
			dax_fail(run,
				 "no 2 MiB aligned extent; mkfs with stride=512,stripe_width=512 "
				 "(ext4) or su=2m,sw=1 (XFS)");
			return -1;
		}
	}
	return 0;
}

int dax_make_sparse(struct dax_run *run, size_t size)
{
	if (ftruncate(run->fd, (off_t)size) < 0 || fsync(run->fd) < 0) {
		dax_fail(run, "ftruncate");
		return -1;
	}
	return 0;
}

int dax_make_unwritten(struct dax_run *run, size_t size)
{
	if (fallocate(run->fd, 0, 0, (off_t)size) < 0 || fsync(run->fd) < 0) {
		dax_fail(run, "fallocate");
		return -1;
	}
	return check_aligned(run, size - size % DAX_PMD);
}

int dax_make_written(struct dax_run *run, size_t size)
{
	enum { CHUNK = 1 << 20 };
	char *buffer;
	int ret = -1;

	if (fallocate(run->fd, 0, 0, (off_t)size) < 0) {
		dax_fail(run, "fallocate");
		return -1;
	}
	buffer = malloc(CHUNK);
	if (!buffer)
		return -1;
	memset(buffer, 0x5a, CHUNK);
	for (size_t pos = 0; pos < size; pos += CHUNK) {
		size_t chunk = size - pos < CHUNK ? size - pos : CHUNK;

		if (pwrite(run->fd, buffer, chunk, (off_t)pos) != (ssize_t)chunk) {
			dax_fail(run, "pwrite");
			goto end;
		}
	}
	if (fsync(run->fd) < 0) {
		dax_fail(run, "fsync");
		goto end;
	}
	ret = check_aligned(run, size - size % DAX_PMD);
end:
	free(buffer);
	return ret;
}
