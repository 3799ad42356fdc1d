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
#include <time.h>
#include <unistd.h>

#include "lttng-session/snapshot/staging.h"
#include "lttng-session/system/folder.h"
#include "reader/coverage/certificate.h"
#include "util/hash.h"
#include "util/json-file.h"
#include "util/mounts.h"

/*
 * Name of the mark, a file in a snapshot that is due for deletion, but is kept while a reader has
 * locked it. The file's modification time is the time at which the snapshot became due. If the wall
 * clock is set back to before this time, the time is replaced by the current time.
 */
#define DUE ".due"

struct stored_snapshot {
	char name[NAME_MAX + 1];
	dev_t device;
	ino_t inode;
	uint64_t bytes;
	int64_t owner; /* result of retention_owner() */
	bool pinned;
	bool locked; /* a reader has locked it, and the reader's time has not expired */
	bool due;    /* it has the mark DUE */
	bool tried;  /* its deletion was tried, successfully or not */
	bool this_boot;
	int64_t realtime_ns, boottime_ns;
};

struct owner_usage {
	int64_t owner;
	uint64_t count, bytes;
};

struct stored_snapshots {
	struct stored_snapshot *all;
	size_t count, room;
	struct owner_usage *shares;
	size_t share_count, share_room;
	uint64_t bytes;
	/* keep root's snapshots, because the limit is a default limit for users' snapshots */
	bool only_users;
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

/* Is the snapshot pinned? Returns true also if the answer cannot be determined. */
static bool is_pinned(int folder)
{
	struct stat st;

	return !fstatat(folder, RETENTION_PIN, &st, AT_SYMLINK_NOFOLLOW) || errno != ENOENT;
}

int64_t retention_owner(const json_t *cause)
{
	const char *kind = json_string_value(json_object_get(cause, "kind"));
	const json_t *uid = json_object_get(cause, "uid");

	if (kind && !strcmp(kind, "rescue"))
		return RETENTION_RESCUES;
	return kind && !strcmp(kind, "trigger") && json_integer_value(uid) > 0
		       ? json_integer_value(uid)
		       : RETENTION_ROOT;
}

/*
 * Returns the number of seconds since the snapshot first became due for deletion, or -1 if it never
 * did.
 */
static int64_t seconds_due(int folder)
{
	struct timespec now;
	struct stat st;

	if (fstatat(folder, DUE, &st, AT_SYMLINK_NOFOLLOW) || clock_gettime(CLOCK_REALTIME, &now))
		return -1;
	/* The wall clock was set back, so count the seconds from now on. */
	if (st.st_mtim.tv_sec > now.tv_sec) {
		utimensat(folder, DUE, NULL, AT_SYMLINK_NOFOLLOW);
		return 0;
	}
	return (int64_t)(now.tv_sec - st.st_mtim.tv_sec);
}

/* Marks the snapshot, which a reader has locked, as due for deletion. */
static void mark_due(int folder)
{
	int fd = openat(folder, DUE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

/*
 * Has a reader locked the snapshot, and may the reader still delay the deletion? If no reader has
 * locked it, this function locks the snapshot until @folder is closed.
 */
static bool is_locked(int folder)
{
	return flock(folder, LOCK_EX | LOCK_NB) && seconds_due(folder) < RETENTION_LOCK_S;
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

/* Reads the time of the freeze or, if that is absent, of the request. */
static bool read_times(const char *boot_id, const json_t *json, struct stored_snapshot *stored)
{
	const json_t *times = json_object_get(json, "frozen");
	const char *boot = json_string_value(json_object_get(json, "boot_id"));
	const json_t *realtime, *boottime;

	if (!json_is_object(times))
		times = json_object_get(json, "requested");
	realtime = json_object_get(times, "realtime_ns");
	boottime = json_object_get(times, "boottime_ns");
	stored->realtime_ns = json_integer_value(realtime);
	stored->boottime_ns = json_integer_value(boottime);
	stored->this_boot = boot && *boot && !strcmp(boot, boot_id);
	return json_is_integer(realtime) && json_is_integer(boottime);
}

/* Is the folder @fd a snapshot of this user? It must be on @device, the device of its parent. */
static bool read_snapshot(const char *boot_id, int fd, dev_t device, struct stored_snapshot *stored)
{
	struct stat st;
	json_t *json;
	bool valid;

	if (fstat(fd, &st) || st.st_uid != geteuid() || st.st_dev != device)
		return false;
	json = retention_read_json(fd);
	valid = json && read_times(boot_id, json, stored);
	stored->owner = retention_owner(json_object_get(json, "cause"));
	json_decref(json);
	if (!valid)
		return false;
	stored->device = st.st_dev;
	stored->inode = st.st_ino;
	stored->pinned = is_pinned(fd);
	stored->locked = is_locked(fd);
	stored->due = seconds_due(fd) >= 0;
	stored->bytes = retention_bytes(fd) + (uint64_t)st.st_blocks * 512;
	return true;
}

static struct owner_usage *find_usage(struct stored_snapshots *list, int64_t owner)
{
	struct owner_usage *grown;

	for (size_t i = 0; i < list->share_count; i++)
		if (list->shares[i].owner == owner)
			return &list->shares[i];
	grown = mm_array_grow(list->shares, list->share_count, &list->share_room, sizeof(*grown));
	if (!grown)
		return NULL;
	list->shares = grown;
	grown[list->share_count] = (struct owner_usage){ .owner = owner };
	return &grown[list->share_count++];
}

static int add_stored(struct stored_snapshots *list, const struct stored_snapshot *stored)
{
	struct stored_snapshot *grown =
		mm_array_grow(list->all, list->count, &list->room, sizeof(*grown));
	struct owner_usage *usage = find_usage(list, stored->owner);

	if (grown)
		list->all = grown;
	if (!grown || !usage)
		return -1;
	grown[list->count++] = *stored;
	usage->count++;
	usage->bytes += stored->bytes;
	list->bytes += stored->bytes;
	return 0;
}

static int list_entry(int parent, const char *name, void *user)
{
	struct stored_snapshots *list = user;
	struct stored_snapshot stored = { .bytes = 0 };
	struct stat above;
	int fd, ret = 0;

	/*
	 * Skip hidden folders, which contain unfinished snapshots. folder_open() does not follow
	 * links.
	 */
	if (*name == '.' || fstat(parent, &above) || (fd = folder_open(parent, name)) < 0)
		return 0;
	snprintf(stored.name, sizeof(stored.name), "%s", name);
	if (read_snapshot(list->boot_id, fd, above.st_dev, &stored))
		ret = add_stored(list, &stored);
	close(fd);
	return ret;
}

/*
 * Sorts snapshots, oldest first. Compares snapshots of this boot by CLOCK_BOOTTIME, which is never
 * set. Snapshots of other boots are older, and only the wall clock can compare them.
 */
static int compare_ages(const void *a, const void *b)
{
	const struct stored_snapshot *x = a, *y = b;

	if (x->this_boot != y->this_boot)
		return x->this_boot ? 1 : -1;
	if (!x->this_boot && x->realtime_ns != y->realtime_ns)
		return x->realtime_ns > y->realtime_ns ? 1 : -1;
	if (x->boottime_ns != y->boottime_ns)
		return x->boottime_ns > y->boottime_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void list_snapshots(int folder, struct stored_snapshots *list)
{
	memset(list, 0, sizeof(*list));
	mounts_read_line("/proc/sys/kernel/random/boot_id", list->boot_id, sizeof(list->boot_id));
	folder_each(folder, 0, list_entry, list);
	if (list->count)
		qsort(list->all, list->count, sizeof(*list->all), compare_ages);
}

static void release_list(struct stored_snapshots *list)
{
	free(list->all);
	free(list->shares);
}

/* Is the entry @name in @parent still the folder that was listed? */
static bool is_same(int parent, const char *name, const struct stored_snapshot *stored)
{
	struct stat st;

	return !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) &&
	       st.st_dev == stored->device && st.st_ino == stored->inode && st.st_uid == geteuid();
}

/*
 * Deletes the snapshot with the descriptor @fd:
 *
 *   move it into a staging folder
 *   still the same folder, and not pinned?  remove the staging folder
 *   otherwise                               move it back
 *
 * If this process is killed in between, staging_sweep() completes the deletion. Returns true if the
 * snapshot is gone.
 */
static bool delete_opened(int folder, const struct stored_snapshot *stored, int fd)
{
	char name[NAME_MAX + 1];
	struct staging staging;
	bool moved, gone = false, back;

	snprintf(name, sizeof(name), "%s", stored->name);
	if (staging_make(&staging, folder))
		return false;
	moved = !folder_move(folder, stored->name, staging.folder, STAGING_MADE);
	back = !moved;
	if (moved) {
		gone = is_same(staging.folder, STAGING_MADE, stored) && !is_pinned(fd);
		/* The snapshot was pinned or replaced just before it was moved. */
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

/* Deletes the snapshot, unless it is pinned or locked. Returns true if it is gone. */
static bool delete_free(const struct retention *retention, struct stored_snapshot *stored, int fd)
{
	if (is_pinned(fd))
		return false;
	if (is_locked(fd)) {
		mark_due(fd);
		stored->due = true;
		return false;
	}
	return delete_opened(retention->folder, stored, fd);
}

/*
 * Deletes the snapshot and updates the list. Returns true if it is gone. A snapshot that is pinned
 * or locked stays, and is not chosen again.
 */
static bool delete_snapshot(const struct retention *retention, struct stored_snapshots *list,
			    struct stored_snapshot *stored, const char *why)
{
	int fd = folder_open(retention->folder, stored->name);
	char message[PATH_MAX + 1024], path[PATH_MAX + 512];
	struct owner_usage *usage = find_usage(list, stored->owner);
	bool gone;

	stored->tried = true;
	if (fd < 0)
		return false;
	gone = is_same(retention->folder, stored->name, stored) &&
	       delete_free(retention, stored, fd);
	close(fd);
	if (!gone)
		return false;
	usage->count--;
	usage->bytes -= stored->bytes;
	list->bytes -= stored->bytes;
	if (retention->said) {
		snprintf(path, sizeof(path), "%s/%s", retention->path, stored->name);
		snprintf(message, sizeof(message), "snapshot: %s: deleted: %s", path, why);
		retention->said(message, path, retention->user);
	}
	return true;
}

/*
 * A new snapshot of @owner needs room, so an old snapshot is deleted. Returns the rank of
 * usage->owner: the owner with the highest rank loses a snapshot, and an owner with rank 0 loses
 * none. retention.h states the rules.
 */
static int preference(const struct stored_snapshots *list, int64_t owner,
		      const struct owner_usage *usage)
{
	const bool is_last = usage->owner != owner && usage->count < 2;

	if (is_last && (owner > 0 || usage->owner <= 0))
		return 0;
	if (owner <= 0 && is_last)
		return 2;
	if (owner <= 0)
		return owner == RETENTION_RESCUES || usage->owner != RETENTION_RESCUES ? 3 : 1;
	if (usage->owner > 0)
		return 2;
	return usage->owner == RETENTION_ROOT && !list->only_users && usage->bytes > list->bytes / 2
		       ? 1
		       : 0;
}

/*
 * Returns the next snapshot to delete for a limit on bytes, or NULL if none may be deleted.
 * Considers only the owners with the highest preference(). Among these, chooses the owner that uses
 * the most space, and returns the owner's oldest snapshot.
 */
static struct stored_snapshot *choose(const struct stored_snapshots *list, int64_t owner,
				      const char *newest)
{
	const struct owner_usage *chosen_usage = NULL;
	struct stored_snapshot *chosen = NULL;
	int chosen_preference = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct stored_snapshot *stored = &list->all[i];
		const struct owner_usage *usage =
			find_usage((struct stored_snapshots *)list, stored->owner);
		int rank;

		if (stored->tried || stored->pinned || usage == chosen_usage ||
		    (newest && !strcmp(stored->name, newest)))
			continue;
		rank = preference(list, owner, usage);
		if (!rank || rank < chosen_preference ||
		    (rank == chosen_preference && usage->bytes <= chosen_usage->bytes))
			continue;
		chosen = stored;
		chosen_usage = usage;
		chosen_preference = rank;
	}
	return chosen;
}

/*
 * Could @bytes become free if all snapshots that @retention->owner may replace were deleted?
 * Deletes nothing.
 */
static bool can_free(const struct retention *retention, uint64_t bytes, bool only_users)
{
	struct stored_snapshots list;
	uint64_t freed = 0;
	struct stored_snapshot *stored;

	list_snapshots(retention->folder, &list);
	list.only_users = only_users;
	while (freed < bytes && (stored = choose(&list, retention->owner, NULL))) {
		struct owner_usage *usage = find_usage(&list, stored->owner);

		stored->tried = true;
		if (stored->locked)
			continue;
		usage->count--;
		usage->bytes -= stored->bytes;
		list.bytes -= stored->bytes;
		freed += stored->bytes;
	}
	release_list(&list);
	return freed >= bytes;
}

/* Returns the percentage of the filesystem that must stay free. */
static unsigned int min_free(const struct retention *retention)
{
	unsigned int percent = retention->limits->min_free_percent;

	return !percent && retention->owner > 0 ? RETENTION_USER_FREE_PERCENT : percent;
}

/*
 * Reads how many bytes are free for users other than root, and how many must stay free. Returns 0,
 * or -1 with errno set.
 */
static int read_space(const struct retention *retention, uint64_t *free_bytes, uint64_t *reserve)
{
	struct statvfs space;

	if (fstatvfs(retention->folder, &space))
		return -1;
	*free_bytes = (uint64_t)space.f_frsize * space.f_bavail;
	*reserve = (uint64_t)((double)space.f_frsize * (double)space.f_blocks *
			      min_free(retention) / 100);
	return 0;
}

static int fail_space(const struct retention *retention, uint64_t free_bytes, uint64_t reserve,
		      uint64_t bytes, struct mm_error *err)
{
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"snapshot: %s: %s%u%%%s: %" PRIu64 " bytes are free, %" PRIu64
		" must remain free, and the snapshot needs up to %" PRIu64
		"; deleting the snapshots that it may replace would not free enough: remove something, or choose another --output",
		retention->path,
		retention->limits->min_free_percent ? "--min-free="
						    : "a user's trigger must leave ",
		min_free(retention), retention->limits->min_free_percent ? "" : " free", free_bytes,
		reserve, bytes);
}

/*
 * Refuses a user's snapshot if it would exceed --max-disk even after the deletion of all snapshots
 * that it may replace.
 */
static int check_max_disk(const struct retention *retention, uint64_t bytes, struct mm_error *err)
{
	const uint64_t max = retention->limits->max_bytes;
	struct stored_snapshots list;
	uint64_t all;

	if (!max || retention->owner <= 0)
		return 0;
	list_snapshots(retention->folder, &list);
	all = list.bytes + bytes;
	release_list(&list);
	if (all <= max || can_free(retention, all - max, false))
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"snapshot: %s: --max-disk: the new snapshot needs up to %" PRIu64
		" bytes, and deleting the snapshots that a user's trigger may replace would not free enough; remove some, or raise the limit",
		retention->path, bytes);
}

int retention_make_room(const struct retention *retention, uint64_t bytes, struct mm_error *err)
{
	const bool only_users = !retention->limits->min_free_percent;
	struct stored_snapshots list;
	uint64_t free_bytes, reserve;
	struct stored_snapshot *stored;
	int ret = 0;

	if (check_max_disk(retention, bytes, err))
		return -1;
	if (!min_free(retention) || read_space(retention, &free_bytes, &reserve) ||
	    free_bytes >= reserve + bytes)
		return 0;
	/* If deletions cannot free enough space, delete nothing. */
	if (!can_free(retention, reserve + bytes - free_bytes, only_users))
		return fail_space(retention, free_bytes, reserve, bytes, err);
	list_snapshots(retention->folder, &list);
	list.only_users = only_users;
	while (!ret && free_bytes < reserve + bytes &&
	       (stored = choose(&list, retention->owner, NULL))) {
		delete_snapshot(retention, &list, stored, "--min-free");
		ret = read_space(retention, &free_bytes, &reserve);
	}
	release_list(&list);
	return ret || free_bytes >= reserve + bytes
		       ? 0
		       : fail_space(retention, free_bytes, reserve, bytes, err);
}

static void warn(const struct retention *retention, const char *limit)
{
	char message[PATH_MAX + 512];

	snprintf(
		message, sizeof(message),
		"snapshot: %s: %s cannot be met: the snapshots that remain are pinned, locked or new, or belong to others",
		retention->path, limit);
	if (retention->said)
		retention->said(message, NULL, retention->user);
}

/* Returns the maximum number of snapshots of an owner; 0: unlimited. */
static uint64_t max_count(const struct retention_limits *limits, int64_t owner)
{
	return !limits->count && owner > 0 ? RETENTION_USER_COUNT : limits->count;
}

/* Deletes snapshots until no owner has more snapshots than permitted. Returns true on success. */
static bool apply_count(const struct retention *retention, struct stored_snapshots *list,
			const char *newest)
{
	bool met = true;

	for (size_t i = 0; i < list->count; i++) {
		struct stored_snapshot *stored = &list->all[i];
		const uint64_t max = max_count(retention->limits, stored->owner);

		if (max && find_usage(list, stored->owner)->count > max &&
		    !(newest && !strcmp(stored->name, newest)))
			delete_snapshot(
				retention, list, stored,
				retention->limits->count
					? "--keep"
					: "the user has the maximum number of newer snapshots");
	}
	for (size_t i = 0; i < list->share_count; i++) {
		const uint64_t max = max_count(retention->limits, list->shares[i].owner);

		met &= !max || list->shares[i].count <= max;
	}
	return met;
}

/*
 * Removes the marks DUE of snapshots that stay, so that the next reader gets the full time again.
 */
static void unmark(const struct retention *retention, const struct stored_snapshots *list)
{
	for (size_t i = 0; i < list->count; i++) {
		int fd = -1;

		if (list->all[i].due && !list->all[i].tried)
			fd = folder_open(retention->folder, list->all[i].name);
		if (fd < 0)
			continue;
		unlinkat(fd, DUE, 0);
		close(fd);
	}
}

void retention_apply(const struct retention *retention, const char *newest)
{
	const struct retention_limits *limits = retention->limits;
	struct stored_snapshots list;
	struct stored_snapshot *stored;

	list_snapshots(retention->folder, &list);
	if (!apply_count(retention, &list, newest))
		warn(retention, limits->count ? "--keep" : "the number of snapshots of a user");
	while (limits->max_bytes && list.bytes > limits->max_bytes &&
	       (stored = choose(&list, retention->owner, newest)))
		delete_snapshot(retention, &list, stored, "--max-disk");
	/* Only snapshots that must not be deleted are left, but they exceed the limit. */
	if (limits->max_bytes && list.bytes > limits->max_bytes)
		warn(retention, "--max-disk");
	unmark(retention, &list);
	release_list(&list);
}
