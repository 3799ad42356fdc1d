// SPDX-License-Identifier: LGPL-2.1-only
/* Deletes old snapshots in the folder of a recorder. */
#include "lttng-session/snapshot/retention.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "analysis/sysinfo/certificate.h"
#include "lttng-session/snapshot/staging.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/mounts.h"
#include "util/json-file.h"

struct kept {
	char name[NAME_MAX + 1];
	dev_t device;
	ino_t inode;
	uint64_t bytes;
	bool fixed; /* pinned or locked */
	bool this_boot;
	int64_t realtime_ns, boottime_ns;
};

struct listing {
	struct kept *all;
	size_t count, room;
	uint64_t bytes, deletable; /* of all, and of those that are not fixed */
	char boot_id[64];
};

static int add_bytes(int parent, const char *name, void *user)
{
	struct stat st;

	if (!fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		*(uint64_t *)user += (uint64_t)st.st_blocks * 512;
	return 0;
}

uint64_t retention_bytes(int folder)
{
	uint64_t bytes = 0;

	folder_each(folder, FOLDER_DEPTH_MAX, add_bytes, &bytes);
	return bytes;
}

/* Also if that cannot be found out. */
static bool is_pinned(int folder)
{
	struct stat st;

	return !fstatat(folder, RETENTION_PIN, &st, AT_SYMLINK_NOFOLLOW) || errno != ENOENT;
}

/* Pinned, or locked by another process; otherwise it is locked until @folder is closed. */
static bool is_fixed(int folder)
{
	return is_pinned(folder) || flock(folder, LOCK_EX | LOCK_NB);
}

json_t *retention_read_json(int folder)
{
	int fd = openat(folder, MM_SNAPSHOT_FILE,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char path[64], why[256];
	json_t *json = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		mm_json_load(path, &json, why, sizeof(why));
	close(fd);
	if (json_integer_value(json_object_get(json, "version")) != MM_SNAPSHOT_VERSION) {
		json_decref(json);
		json = NULL;
	}
	return json;
}

/* Where the buffers were not frozen, the time of the request counts. */
static bool read_times(const char *boot_id, const json_t *json, struct kept *kept)
{
	const json_t *times = json_object_get(json, "frozen");
	const char *boot = json_string_value(json_object_get(json, "boot_id"));
	const json_t *realtime, *boottime;

	if (!json_is_object(times))
		times = json_object_get(json, "requested");
	realtime = json_object_get(times, "realtime_ns");
	boottime = json_object_get(times, "boottime_ns");
	kept->realtime_ns = json_integer_value(realtime);
	kept->boottime_ns = json_integer_value(boottime);
	kept->this_boot = boot && *boot && !strcmp(boot, boot_id);
	return json_is_integer(realtime) && json_is_integer(boottime);
}

/* Is the folder @fd a snapshot of ours, on the device of the folder above it? */
static bool read_snapshot(const char *boot_id, int fd, dev_t device, struct kept *kept)
{
	struct stat st;
	json_t *json;
	bool valid;

	if (fstat(fd, &st) || st.st_uid != geteuid() || st.st_dev != device)
		return false;
	json = retention_read_json(fd);
	valid = json && read_times(boot_id, json, kept);
	json_decref(json);
	if (!valid)
		return false;
	kept->device = st.st_dev;
	kept->inode = st.st_ino;
	kept->fixed = is_fixed(fd);
	kept->bytes = retention_bytes(fd) + (uint64_t)st.st_blocks * 512;
	return true;
}

static int list_entry(int parent, const char *name, void *user)
{
	struct listing *listing = user;
	struct kept kept = { .bytes = 0 }, *grown;
	struct stat above;
	int fd;

	/* Hidden ones are unfinished; folder_open() follows no link. */
	if (*name == '.' || fstat(parent, &above) || (fd = folder_open(parent, name)) < 0)
		return 0;
	snprintf(kept.name, sizeof(kept.name), "%s", name);
	if (read_snapshot(listing->boot_id, fd, above.st_dev, &kept)) {
		if (listing->count == listing->room) {
			listing->room = listing->room ? 2 * listing->room : 64;
			grown = reallocarray(listing->all, listing->room, sizeof(*grown));
			if (!grown) {
				close(fd);
				return -1;
			}
			listing->all = grown;
		}
		listing->all[listing->count++] = kept;
		listing->bytes += kept.bytes;
		listing->deletable += kept.fixed ? 0 : kept.bytes;
	}
	close(fd);
	return 0;
}

/*
 * The oldest first. Within this boot, a clock that is never set decides, and what is of another
 * boot is older; among those, there is no better clock than that of the machine.
 */
static int compare_ages(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->this_boot != y->this_boot)
		return x->this_boot ? 1 : -1;
	if (!x->this_boot && x->realtime_ns != y->realtime_ns)
		return x->realtime_ns > y->realtime_ns ? 1 : -1;
	if (x->boottime_ns != y->boottime_ns)
		return x->boottime_ns > y->boottime_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void list_snapshots(int folder, struct listing *listing)
{
	memset(listing, 0, sizeof(*listing));
	mounts_read_line("/proc/sys/kernel/random/boot_id", listing->boot_id,
			 sizeof(listing->boot_id));
	folder_each(folder, 0, list_entry, listing);
	if (listing->count)
		qsort(listing->all, listing->count, sizeof(*listing->all), compare_ages);
}

/* Is @name in @parent still the folder that was listed? */
static bool is_same(int parent, const char *name, const struct kept *kept)
{
	struct stat st;

	return !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) &&
	       st.st_dev == kept->device && st.st_ino == kept->inode && st.st_uid == geteuid();
}

/*
 * Moves the snapshot, whose descriptor is @fd, into a staging folder, which is removed: if this
 * process is killed meanwhile, staging_sweep() does the rest. Returns whether it is gone.
 */
static bool delete_opened(int folder, const struct kept *kept, int fd)
{
	char name[NAME_MAX + 1];
	struct staging staging;
	bool moved, gone = false, back;

	snprintf(name, sizeof(name), "%s", kept->name);
	if (staging_make(&staging, folder))
		return false;
	moved = !folder_move(folder, kept->name, staging.folder, STAGING_MADE);
	back = !moved;
	if (moved) {
		gone = is_same(staging.folder, STAGING_MADE, kept) && !is_pinned(fd);
		/* Pinned or replaced at the last instant. */
		if (!gone)
			back = staging_publish(&staging, STAGING_MADE, name, sizeof(name), false) >=
			       0;
	}
	if (gone || back)
		staging_remove(&staging);
	else
		staging_leave(&staging);
	return gone;
}

/* Returns whether it is gone; one that is pinned or locked stays. */
static bool delete_snapshot(const struct retention *retention, const struct kept *kept,
			    const char *why)
{
	int fd = folder_open(retention->folder, kept->name);
	char message[PATH_MAX + 1024], path[PATH_MAX + 512];
	bool gone;

	if (fd < 0)
		return false;
	gone = is_same(retention->folder, kept->name, kept) && !is_fixed(fd) &&
	       delete_opened(retention->folder, kept, fd);
	close(fd);
	if (gone && retention->said) {
		snprintf(path, sizeof(path), "%s/%s", retention->path, kept->name);
		snprintf(message, sizeof(message), "snapshot: %s: deleted: %s", path, why);
		retention->said(message, path, retention->user);
	}
	return gone;
}

/* What is free for all users, in bytes, and what is to stay free. Returns -1 with errno set. */
static int read_space(const struct retention *retention, uint64_t *free_bytes, uint64_t *reserve)
{
	struct statvfs space;

	if (fstatvfs(retention->folder, &space))
		return -1;
	*free_bytes = (uint64_t)space.f_frsize * space.f_bavail;
	*reserve = (uint64_t)((double)space.f_frsize * (double)space.f_blocks *
			      retention->keep->min_free_percent / 100);
	return 0;
}

int retention_make_room(const struct retention *retention, uint64_t bytes, struct mm_error *err)
{
	struct listing listing = { .count = 0 };
	uint64_t free_bytes, reserve;
	size_t next = 0;
	int ret = 0;

	if (!retention->keep->min_free_percent || read_space(retention, &free_bytes, &reserve) ||
	    free_bytes >= reserve + bytes)
		return 0;
	list_snapshots(retention->folder, &listing);
	/* A snapshot that is too large in any case costs no other one. */
	if (free_bytes + listing.deletable < reserve + bytes)
		next = listing.count;
	while (!ret && free_bytes < reserve + bytes && next < listing.count) {
		delete_snapshot(retention, &listing.all[next++], "--min-free");
		ret = read_space(retention, &free_bytes, &reserve);
	}
	free(listing.all);
	if (ret || free_bytes >= reserve + bytes)
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"snapshot: %s: --min-free=%u%%: %" PRIu64 " bytes are free, of which %" PRIu64
		" must remain, and it takes up to %" PRIu64
		"; the snapshots there that are not pinned take too little: remove something, or choose another --output",
		retention->path, retention->keep->min_free_percent, free_bytes, reserve, bytes);
}

static void warn(const struct retention *retention, const char *limit)
{
	char message[PATH_MAX + 512];

	snprintf(
		message, sizeof(message),
		"snapshot: %s: %s cannot be met: the snapshots that remain are pinned, locked or new",
		retention->path, limit);
	if (retention->said)
		retention->said(message, NULL, retention->user);
}

void retention_apply(const struct retention *retention, const char *newest)
{
	const struct keep *keep = retention->keep;
	struct listing listing = { .count = 0 };
	size_t left;

	if (!keep->count && !keep->max_bytes)
		return;
	list_snapshots(retention->folder, &listing);
	left = listing.count;
	for (size_t i = 0; i < listing.count; i++) {
		const struct kept *kept = &listing.all[i];
		bool many = keep->count && left > keep->count;

		if (!many && !(keep->max_bytes && listing.bytes > keep->max_bytes))
			break;
		if ((newest && !strcmp(kept->name, newest)) ||
		    !delete_snapshot(retention, kept, many ? "--keep" : "--max-disk"))
			continue;
		left--;
		listing.bytes -= kept->bytes;
	}
	if (keep->count && left > keep->count)
		warn(retention, "--keep");
	/* One that is larger than the limit is the only one then. */
	if (keep->max_bytes && listing.bytes > keep->max_bytes)
		warn(retention, "--max-disk");
	free(listing.all);
}
