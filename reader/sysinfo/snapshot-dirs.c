// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the snapshot.json of each trace. */
#include "reader/sysinfo/snapshot-dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/hash.h"

/* Maximum depth of a trace in its snapshot, as in kernel/PROFILE. */
#define ABOVE_MAX 2

#define LOCK_TRIES 100
#define LOCK_WAIT_US 10000

/*
 * Looks for snapshot.json in @folder. Sets *@dir to the folder's index in snapshots->all, or
 * SIZE_MAX. Returns 0, or -1 when out of memory.
 */
static int look_in(struct mm_snapshots *snapshots, const char *folder, size_t *dir)
{
	struct mm_snapshot_dir *grown, found = { NULL };
	char why[256];
	int ret;

	for (*dir = 0; *dir < snapshots->count; ++*dir)
		if (!strcmp(snapshots->all[*dir].folder, folder))
			return 0;
	ret = mm_snapshot_load(folder, &found.snapshot, why, sizeof(why));
	if (ret <= 0 && !*why) {
		mm_snapshot_release(&found.snapshot);
		*dir = SIZE_MAX;
		return ret;
	}
	grown = mm_array_grow(snapshots->all, snapshots->count, &snapshots->room, sizeof(*grown));
	if (grown)
		snapshots->all = grown;
	found.folder = strdup(folder);
	found.problem = ret > 0 ? NULL : strdup(why);
	if (!grown || !found.folder || (ret <= 0 && !found.problem)) {
		mm_snapshot_release(&found.snapshot);
		free(found.folder);
		free(found.problem);
		return -1;
	}
	snapshots->all[snapshots->count++] = found;
	return 0;
}

/*
 * Does the snapshot.json in @above belong to a user other than root and the trace's owner? Such a
 * file is not trusted, because any user may write to some folders above a trace, such as /tmp.
 */
static bool is_foreign(const char *above, const struct stat *trace)
{
	struct stat st;
	char *path;
	bool foreign;

	if (asprintf(&path, "%s/" MM_SNAPSHOT_FILE, above) < 0)
		return false;
	foreign = !stat(path, &st) && st.st_uid && st.st_uid != trace->st_uid;
	free(path);
	return foreign;
}

/* Finds the nearest snapshot.json of the trace in @folder, a real path. */
static int find_member(struct mm_snapshots *snapshots, const char *folder,
		       struct mm_trace_snapshot *member)
{
	size_t length = strlen(folder);
	struct stat st;

	if (stat(folder, &st))
		return 0;
	for (int level = 0; level <= ABOVE_MAX; level++) {
		char *above = strndup(folder, length);
		int ret = above ? 0 : -1;

		if (above && !(level && is_foreign(above, &st)))
			ret = look_in(snapshots, *above ? above : "/", &member->dir);
		free(above);
		if (ret)
			return -1;
		if (member->dir != SIZE_MAX) {
			member->trace = strdup(level ? folder + length + 1 : ".");
			return member->trace ? 0 : -1;
		}
		while (length && folder[length - 1] != '/')
			length--;
		if (!length)
			return 0;
		length--;
	}
	return 0;
}

/* Smaller shifts are corrected without a note to the user. */
#define NOTED_SHIFT_NS 1000000000

int64_t mm_snapshots_clock_shift(const struct mm_snapshots *snapshots)
{
	const size_t dir = snapshots->member_count ? snapshots->members[0].dir : SIZE_MAX;

	for (size_t i = 0; i < snapshots->member_count; i++)
		if (snapshots->members[i].dir != dir)
			return 0;
	return dir == SIZE_MAX ? 0 : mm_snapshot_clock_shift(&snapshots->all[dir].snapshot);
}

const char *mm_clock_shift_text(int64_t shift_ns, char *text, size_t size)
{
	const uint64_t ns = shift_ns < 0 ? -(uint64_t)shift_ns : (uint64_t)shift_ns;

	if (ns < NOTED_SHIFT_NS)
		return NULL;
	snprintf(
		text, size,
		"The wall clock was set during the recording. Times here follow the wall clock at the time of the snapshot: they are %.3f s %s the times that other readers derive from the trace's metadata",
		(double)ns / 1e9, shift_ns > 0 ? "later than" : "earlier than");
	return text;
}

int mm_snapshots_find(struct mm_snapshots *snapshots, const struct mm_source *source)
{
	*snapshots = (struct mm_snapshots){ NULL };
	snapshots->members =
		calloc(mm_source_folder_count(source) + 1, sizeof(*snapshots->members));
	if (!snapshots->members)
		return -1;
	snapshots->member_count = mm_source_folder_count(source);
	for (size_t i = 0; i < mm_source_folder_count(source); i++) {
		char *folder = realpath(mm_source_folder_at(source, i), NULL);
		int ret;

		snapshots->members[i].dir = SIZE_MAX;
		/* The folder was just removed, so it belongs to no snapshot. */
		if (!folder && errno != ENOMEM)
			continue;
		ret = folder ? find_member(snapshots, folder, &snapshots->members[i]) : -1;
		free(folder);
		if (ret)
			return -1;
	}
	for (size_t i = 0; i < snapshots->count && mm_source_clock_shift_ns(source); i++)
		mm_certificate_shift(&snapshots->all[i].snapshot.certificate,
				     mm_source_clock_shift_ns(source));
	return 0;
}

void mm_snapshots_release(struct mm_snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots->count; i++) {
		mm_snapshot_release(&snapshots->all[i].snapshot);
		free(snapshots->all[i].folder);
		free(snapshots->all[i].problem);
	}
	for (size_t i = 0; i < snapshots->member_count; i++)
		free(snapshots->members[i].trace);
	free(snapshots->members);
	free(snapshots->all);
	*snapshots = (struct mm_snapshots){ NULL };
}

static int open_snapshot(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), above;

	for (int level = 0; fd >= 0 && faccessat(fd, MM_SNAPSHOT_FILE, F_OK, 0); level++) {
		above = level < ABOVE_MAX ? openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
					  : -1;
		close(fd);
		fd = above;
	}
	return fd;
}

int mm_snapshots_lock(const char *path)
{
	int fd = open_snapshot(path), tries = LOCK_TRIES;

	if (fd < 0)
		return -1;
	while (flock(fd, LOCK_SH | LOCK_NB)) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || !--tries) {
			close(fd);
			return -1;
		}
		usleep(LOCK_WAIT_US);
	}
	return fd;
}
