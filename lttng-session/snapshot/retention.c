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

/* Mark in a snapshot that is due for deletion but locked by a reader. Its time says since when. */
#define DUE ".due"

struct kept {
	char name[NAME_MAX + 1];
	dev_t device;
	ino_t inode;
	uint64_t bytes;
	int64_t owner; /* see retention_owner() */
	bool pinned;
	bool locked; /* locked by a reader whose time has not expired */
	bool due;    /* has the mark DUE */
	bool tried;  /* has been deleted, or cannot be */
	bool this_boot;
	int64_t realtime_ns, boottime_ns;
};

/* Number and size of the snapshots of one owner. */
struct share {
	int64_t owner;
	uint64_t count, bytes;
};

struct listing {
	struct kept *all;
	size_t count, room;
	struct share *shares;
	size_t share_count, share_room;
	uint64_t bytes;
	/* the limit is a default for users: do not delete snapshots of root for it */
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

/* Also true if unknown. */
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

/* Returns the seconds since the snapshot was first due for deletion; -1: never. */
static int64_t seconds_due(int folder)
{
	struct timespec now;
	struct stat st;

	if (fstatat(folder, DUE, &st, AT_SYMLINK_NOFOLLOW) || clock_gettime(CLOCK_REALTIME, &now))
		return -1;
	/* The clock was set back: start the time again. */
	if (st.st_mtim.tv_sec > now.tv_sec) {
		utimensat(folder, DUE, NULL, AT_SYMLINK_NOFOLLOW);
		return 0;
	}
	return (int64_t)(now.tv_sec - st.st_mtim.tv_sec);
}

/* Marks the locked snapshot as due for deletion. */
static void mark_due(int folder)
{
	int fd = openat(folder, DUE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

/*
 * Does a reader lock the snapshot, within the minutes that it gets to finish? Otherwise locks the
 * snapshot until @folder is closed.
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

/* Reads the time of the freeze, or else of the request. */
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

/* Is the folder @fd a snapshot of ours, on the device @device of its parent? */
static bool read_snapshot(const char *boot_id, int fd, dev_t device, struct kept *kept)
{
	struct stat st;
	json_t *json;
	bool valid;

	if (fstat(fd, &st) || st.st_uid != geteuid() || st.st_dev != device)
		return false;
	json = retention_read_json(fd);
	valid = json && read_times(boot_id, json, kept);
	kept->owner = retention_owner(json_object_get(json, "cause"));
	json_decref(json);
	if (!valid)
		return false;
	kept->device = st.st_dev;
	kept->inode = st.st_ino;
	kept->pinned = is_pinned(fd);
	kept->locked = is_locked(fd);
	kept->due = seconds_due(fd) >= 0;
	kept->bytes = retention_bytes(fd) + (uint64_t)st.st_blocks * 512;
	return true;
}

/* Returns the share of the owner, or NULL when out of memory. */
static struct share *find_share(struct listing *listing, int64_t owner)
{
	struct share *grown;

	for (size_t i = 0; i < listing->share_count; i++)
		if (listing->shares[i].owner == owner)
			return &listing->shares[i];
	grown = mm_array_grow(listing->shares, listing->share_count, &listing->share_room,
			      sizeof(*grown));
	if (!grown)
		return NULL;
	listing->shares = grown;
	grown[listing->share_count] = (struct share){ .owner = owner };
	return &grown[listing->share_count++];
}

/* Returns 0, or -1 when out of memory. */
static int add_kept(struct listing *listing, const struct kept *kept)
{
	struct kept *grown =
		mm_array_grow(listing->all, listing->count, &listing->room, sizeof(*grown));
	struct share *share = find_share(listing, kept->owner);

	if (grown)
		listing->all = grown;
	if (!grown || !share)
		return -1;
	grown[listing->count++] = *kept;
	share->count++;
	share->bytes += kept->bytes;
	listing->bytes += kept->bytes;
	return 0;
}

static int list_entry(int parent, const char *name, void *user)
{
	struct listing *listing = user;
	struct kept kept = { .bytes = 0 };
	struct stat above;
	int fd, ret = 0;

	/* Hidden folders are unfinished snapshots. folder_open() does not follow links. */
	if (*name == '.' || fstat(parent, &above) || (fd = folder_open(parent, name)) < 0)
		return 0;
	snprintf(kept.name, sizeof(kept.name), "%s", name);
	if (read_snapshot(listing->boot_id, fd, above.st_dev, &kept))
		ret = add_kept(listing, &kept);
	close(fd);
	return ret;
}

/*
 * Sorts snapshots, oldest first. Snapshots of this boot are compared by a clock that is never set.
 * Snapshots of other boots are older; the wall clock is the best clock for them.
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

static void release_listing(struct listing *listing)
{
	free(listing->all);
	free(listing->shares);
}

/* Is @name in @parent still the folder that was listed? */
static bool is_same(int parent, const char *name, const struct kept *kept)
{
	struct stat st;

	return !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) &&
	       st.st_dev == kept->device && st.st_ino == kept->inode && st.st_uid == geteuid();
}

/*
 * Deletes the snapshot with the descriptor @fd:
 *
 *   move it into a staging folder
 *   still the same folder, and not pinned?  remove the staging folder
 *   otherwise                               move it back
 *
 * If this process is killed in between, staging_sweep() finishes the work. Returns whether the
 * snapshot is gone.
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
		/* It was pinned or replaced at the last moment. */
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

/* Deletes the snapshot unless it is pinned or locked. Returns whether it is gone. */
static bool delete_free(const struct retention *retention, struct kept *kept, int fd)
{
	if (is_pinned(fd))
		return false;
	if (is_locked(fd)) {
		mark_due(fd);
		kept->due = true;
		return false;
	}
	return delete_opened(retention->folder, kept, fd);
}

/*
 * Deletes the snapshot and updates the listing. Returns whether it is gone; a pinned or locked one
 * stays. It is not tried again.
 */
static bool delete_snapshot(const struct retention *retention, struct listing *listing,
			    struct kept *kept, const char *why)
{
	int fd = folder_open(retention->folder, kept->name);
	char message[PATH_MAX + 1024], path[PATH_MAX + 512];
	struct share *share = find_share(listing, kept->owner);
	bool gone;

	kept->tried = true;
	if (fd < 0)
		return false;
	gone = is_same(retention->folder, kept->name, kept) && delete_free(retention, kept, fd);
	close(fd);
	if (!gone)
		return false;
	share->count--;
	share->bytes -= kept->bytes;
	listing->bytes -= kept->bytes;
	if (retention->said) {
		snprintf(path, sizeof(path), "%s/%s", retention->path, kept->name);
		snprintf(message, sizeof(message), "snapshot: %s: deleted: %s", path, why);
		retention->said(message, path, retention->user);
	}
	return true;
}

/*
 * Returns how readily a new snapshot of @owner replaces a snapshot of the share; 0: never.
 * retention.h states the rules.
 */
static int preference(const struct listing *listing, int64_t owner, const struct share *share)
{
	const bool is_last = share->owner != owner && share->count < 2;

	if (is_last && (owner > 0 || share->owner <= 0))
		return 0;
	if (owner <= 0 && is_last)
		return 2;
	if (owner <= 0)
		return owner == RETENTION_RESCUES || share->owner != RETENTION_RESCUES ? 3 : 1;
	if (share->owner > 0)
		return 2;
	return share->owner == RETENTION_ROOT && !listing->only_users &&
			       share->bytes > listing->bytes / 2
		       ? 1
		       : 0;
}

/*
 * Returns the snapshot to delete next for a limit on bytes, or NULL if none may be deleted. Of the
 * owners whose snapshots @owner may replace, chooses the one who uses the most space, and returns
 * this owner's oldest snapshot.
 */
static struct kept *choose(const struct listing *listing, int64_t owner, const char *newest)
{
	const struct share *chosen_share = NULL;
	struct kept *chosen = NULL;
	int chosen_preference = 0;

	for (size_t i = 0; i < listing->count; i++) {
		struct kept *kept = &listing->all[i];
		const struct share *share = find_share((struct listing *)listing, kept->owner);
		int rank;

		if (kept->tried || kept->pinned || share == chosen_share ||
		    (newest && !strcmp(kept->name, newest)))
			continue;
		rank = preference(listing, owner, share);
		if (!rank || rank < chosen_preference ||
		    (rank == chosen_preference && share->bytes <= chosen_share->bytes))
			continue;
		chosen = kept;
		chosen_share = share;
		chosen_preference = rank;
	}
	return chosen;
}

/* Could deleting snapshots that @retention->owner may replace free @bytes? Deletes nothing. */
static bool can_free(const struct retention *retention, uint64_t bytes, bool only_users)
{
	struct listing listing;
	uint64_t freed = 0;
	struct kept *kept;

	list_snapshots(retention->folder, &listing);
	listing.only_users = only_users;
	while (freed < bytes && (kept = choose(&listing, retention->owner, NULL))) {
		struct share *share = find_share(&listing, kept->owner);

		kept->tried = true;
		if (kept->locked)
			continue;
		share->count--;
		share->bytes -= kept->bytes;
		listing.bytes -= kept->bytes;
		freed += kept->bytes;
	}
	release_listing(&listing);
	return freed >= bytes;
}

/* Returns the percentage of the filesystem that must stay free. */
static unsigned int min_free(const struct retention *retention)
{
	unsigned int percent = retention->keep->min_free_percent;

	return !percent && retention->owner > 0 ? RETENTION_USER_FREE_PERCENT : percent;
}

/*
 * Reads the bytes that are free for all users, and the bytes that must stay free. Returns 0, or -1
 * with errno set.
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
		"snapshot: %s: %s%u%%: %" PRIu64 " bytes are free, %" PRIu64
		" must remain free, and the snapshot needs up to %" PRIu64
		"; deleting the snapshots that it may replace would not free enough: remove something, or choose another --output",
		retention->path,
		retention->keep->min_free_percent ? "--min-free=" : "a user's trigger leaves ",
		min_free(retention), free_bytes, reserve, bytes);
}

/*
 * Refuses a user's snapshot that would exceed --max-disk even after deleting all snapshots that it
 * may replace.
 */
static int check_max_disk(const struct retention *retention, uint64_t bytes, struct mm_error *err)
{
	const uint64_t max = retention->keep->max_bytes;
	struct listing listing;
	uint64_t all;

	if (!max || retention->owner <= 0)
		return 0;
	list_snapshots(retention->folder, &listing);
	all = listing.bytes + bytes;
	release_listing(&listing);
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
	const bool only_users = !retention->keep->min_free_percent;
	struct listing listing;
	uint64_t free_bytes, reserve;
	struct kept *kept;
	int ret = 0;

	if (check_max_disk(retention, bytes, err))
		return -1;
	if (!min_free(retention) || read_space(retention, &free_bytes, &reserve) ||
	    free_bytes >= reserve + bytes)
		return 0;
	/* A snapshot that is too large in any case must not cost other snapshots. */
	if (!can_free(retention, reserve + bytes - free_bytes, only_users))
		return fail_space(retention, free_bytes, reserve, bytes, err);
	list_snapshots(retention->folder, &listing);
	listing.only_users = only_users;
	while (!ret && free_bytes < reserve + bytes &&
	       (kept = choose(&listing, retention->owner, NULL))) {
		delete_snapshot(retention, &listing, kept, "--min-free");
		ret = read_space(retention, &free_bytes, &reserve);
	}
	release_listing(&listing);
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

/* Returns the number of snapshots that an owner may have; 0: unlimited. */
static uint64_t max_count(const struct keep *keep, int64_t owner)
{
	return !keep->count && owner > 0 ? RETENTION_USER_KEEP : keep->count;
}

/* Deletes snapshots until no owner exceeds the permitted number. Returns whether this succeeded. */
static bool apply_count(const struct retention *retention, struct listing *listing,
			const char *newest)
{
	bool met = true;

	for (size_t i = 0; i < listing->count; i++) {
		struct kept *kept = &listing->all[i];
		const uint64_t max = max_count(retention->keep, kept->owner);

		if (max && find_share(listing, kept->owner)->count > max &&
		    !(newest && !strcmp(kept->name, newest)))
			delete_snapshot(retention, listing, kept,
					retention->keep->count ? "--keep"
							       : "its user has as many newer ones");
	}
	for (size_t i = 0; i < listing->share_count; i++) {
		const uint64_t max = max_count(retention->keep, listing->shares[i].owner);

		met &= !max || listing->shares[i].count <= max;
	}
	return met;
}

/* Removes the marks of snapshots that stay, so that the next reader gets the full time again. */
static void unmark(const struct retention *retention, const struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		int fd = -1;

		if (listing->all[i].due && !listing->all[i].tried)
			fd = folder_open(retention->folder, listing->all[i].name);
		if (fd < 0)
			continue;
		unlinkat(fd, DUE, 0);
		close(fd);
	}
}

void retention_apply(const struct retention *retention, const char *newest)
{
	const struct keep *keep = retention->keep;
	struct listing listing;
	struct kept *kept;

	list_snapshots(retention->folder, &listing);
	if (!apply_count(retention, &listing, newest))
		warn(retention, keep->count ? "--keep" : "the number of snapshots of a user");
	while (keep->max_bytes && listing.bytes > keep->max_bytes &&
	       (kept = choose(&listing, retention->owner, newest)))
		delete_snapshot(retention, &listing, kept, "--max-disk");
	/* If a single snapshot exceeds the limit, it is the only one left. */
	if (keep->max_bytes && listing.bytes > keep->max_bytes)
		warn(retention, "--max-disk");
	unmark(retention, &listing);
	release_listing(&listing);
}
