// SPDX-License-Identifier: LGPL-2.1-only
/* Lists files on DAX filesystems with their DAX state and extents. Mapped files are first. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/sysinfo/write-json.h"
#include "util/json-file.h"
#include "util/mounts.h"

#ifndef STATX_ATTR_DAX
#define STATX_ATTR_DAX 0x00200000
#endif

/* Limits for machines with very many mappings, files or extents. */
#define FILES_MAX 4096
#define ENTRIES_MAX 16384
#define EXTENTS_MAX 512
#define RANGE (2ull << 20)

struct device_list {
	struct {
		unsigned int major, minor;
	} devices[64];
	size_t count;
};

static int add_dax_device(const struct mount *mount, void *user)
{
	struct device_list *list = user;

	if (strcmp(mount->dax, "always") && strcmp(mount->dax, "inode"))
		return 0;
	if (list->count < sizeof(list->devices) / sizeof(list->devices[0])) {
		list->devices[list->count].major = mount->major;
		list->devices[list->count++].minor = mount->minor;
	}
	return 0;
}

static bool on_dax_device(const struct device_list *list, unsigned int major, unsigned int minor)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->devices[i].major == major && list->devices[i].minor == minor)
			return true;
	return false;
}

/*
 * Returns the offset of a partition on its device, in bytes. It is needed because extents are
 * relative to the partition.
 */
static uint64_t partition_start(unsigned int major, unsigned int minor)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/start", major, minor);
	mounts_read_line(path, text, sizeof(text));
	return strtoull(text, NULL, 10) * 512;
}

static void add_extents(json_t *entry, int fd, uint64_t start)
{
	struct fiemap *map = calloc(1, sizeof(*map) + EXTENTS_MAX * sizeof(struct fiemap_extent));
	uint64_t aligned = 0, mappable = 0;

	if (!map)
		return;
	map->fm_length = FIEMAP_MAX_OFFSET;
	map->fm_extent_count = EXTENTS_MAX;
	/* This writes nothing to the disk, because FIEMAP_FLAG_SYNC is not set. */
	if (ioctl(fd, FS_IOC_FIEMAP, map)) {
		free(map);
		return;
	}
	for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
		const struct fiemap_extent *e = &map->fm_extents[i];
		uint64_t first = (e->fe_logical + RANGE - 1) / RANGE * RANGE;
		uint64_t end = e->fe_logical + e->fe_length;

		if ((e->fe_physical + start - e->fe_logical) % RANGE)
			continue;
		aligned++;
		if (end > first)
			mappable += (end - first) / RANGE;
	}
	json_object_set_new(entry, "extents", json_integer(map->fm_mapped_extents));
	json_object_set_new(entry, "extents_2m_aligned", json_integer((json_int_t)aligned));
	json_object_set_new(entry, "blocks_2m_mappable", json_integer((json_int_t)mappable));
	json_object_set_new(entry, "extents_bounded",
			    json_boolean(map->fm_mapped_extents == EXTENTS_MAX));
	free(map);
}

/*
 * Returns an O_PATH descriptor of @link if it is the regular file @ino, or -1. @link may be another
 * file by now, or even a device. Uses O_PATH, because really opening a device could affect it.
 */
static int find_file(const char *link, unsigned int major, unsigned int minor, uint64_t ino)
{
	int fd = open(link, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == ino &&
		       st.st_dev == makedev(major, minor)))
		return fd;
	close(fd);
	return -1;
}

/* Opens the file @found (O_PATH), and adds the properties that require an open file. */
static void add_opened(json_t *entry, int found, uint64_t start)
{
	struct fsxattr attributes;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return;
	if (!ioctl(fd, FS_IOC_FSGETXATTR, &attributes))
		json_object_set_new(entry, "fs_xflag_dax",
				    json_boolean(attributes.fsx_xflags & FS_XFLAG_DAX));
	add_extents(entry, fd, start);
	close(fd);
}

/*
 * Describes a file. @link is its path, or /proc/PID/map_files/RANGE for a mapped file, which may
 * have been deleted.
 */
static json_t *describe(const char *link, const char *path, unsigned int major, unsigned int minor,
			uint64_t ino)
{
	int found = find_file(link, major, minor, ino);
	json_t *entry = json_object();
	struct statx st;

	json_object_set_new(entry, "major", json_integer(major));
	json_object_set_new(entry, "minor", json_integer(minor));
	json_object_set_new(entry, "ino", json_integer((json_int_t)ino));
	json_object_set_new(entry, "path", mm_json_text(path));
	if (found < 0)
		return entry;
	if (!statx(found, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st)) {
		json_object_set_new(entry, "size", json_integer((json_int_t)st.stx_size));
		if (st.stx_attributes_mask & STATX_ATTR_DAX)
			json_object_set_new(entry, "dax",
					    json_boolean(st.stx_attributes & STATX_ATTR_DAX));
	}
	add_opened(entry, found, partition_start(major, minor));
	close(found);
	return entry;
}

static void add_mapping(const char *line, const char *pid, const struct device_list *list,
			json_t *known)
{
	unsigned long long from, to, ino;
	unsigned int major, minor;
	char key[64], link[320];
	int path = 0;

	if (sscanf(line, "%llx-%llx %*s %*s %x:%x %llu %n", &from, &to, &major, &minor, &ino,
		   &path) != 5 ||
	    !ino || !path || !on_dax_device(list, major, minor))
		return;
	snprintf(key, sizeof(key), "%u:%u:%llu", major, minor, ino);
	if (json_object_get(known, key) || json_object_size(known) >= FILES_MAX)
		return;
	snprintf(link, sizeof(link), "/proc/%s/map_files/%llx-%llx", pid, from, to);
	json_object_set_new(known, key, describe(link, line + path, major, minor, ino));
}

/* Arguments of visit_file(). They are global, because nftw(3) passes no user pointer. */
static json_t *walk_known;
static unsigned int walk_entries;

static int visit_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	unsigned int dev_major = major(st->st_dev), dev_minor = minor(st->st_dev);
	char key[64];

	(void)ftw;
	if (++walk_entries > ENTRIES_MAX || json_object_size(walk_known) >= FILES_MAX)
		return 1;
	if (type != FTW_F || !S_ISREG(st->st_mode))
		return 0;
	snprintf(key, sizeof(key), "%u:%u:%llu", dev_major, dev_minor,
		 (unsigned long long)st->st_ino);
	if (!json_object_get(walk_known, key))
		json_object_set_new(walk_known, key,
				    describe(path, path, dev_major, dev_minor, st->st_ino));
	return 0;
}

/*
 * Adds files of a mounted filesystem, up to a limit. A file may have been mapped by a process that
 * has exited, so listing the mapped files is not enough.
 */
static int add_mounted_files(const struct mount *mount, void *user)
{
	(void)user;
	if (!strcmp(mount->dax, "always") || !strcmp(mount->dax, "inode"))
		nftw(mount->mountpoint, visit_file, 16, FTW_PHYS | FTW_MOUNT);
	return 0;
}

int sysinfo_write_files(int folder, struct mm_error *err)
{
	json_t *known = json_object(), *files = json_array(), *entry;
	struct device_list list = { .count = 0 };
	struct dirent *process;
	const char *key;
	DIR *proc;

	mounts_each(add_dax_device, &list);
	proc = list.count ? opendir("/proc") : NULL;
	while (proc && (process = readdir(proc))) {
		char path[300], *line = NULL;
		size_t size = 0;
		FILE *maps;

		if (!isdigit((unsigned char)process->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/maps", process->d_name);
		maps = fopen(path, "re");
		while (maps && getline(&line, &size, maps) > 0) {
			line[strcspn(line, "\n")] = '\0';
			add_mapping(line, process->d_name, &list, known);
		}
		free(line);
		if (maps)
			fclose(maps);
	}
	if (proc)
		closedir(proc);
	walk_known = known;
	walk_entries = 0;
	mounts_each(add_mounted_files, NULL);
	json_object_foreach(known, key, entry) json_array_append(files, entry);
	json_decref(known);
	return sysinfo_write_json(folder, "files.json", files, err);
}
