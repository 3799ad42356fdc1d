// SPDX-License-Identifier: LGPL-2.1-only
/* Makes the session daemon write the buffers of sessions, one CPU after another. */
#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/snapshot/notes.h"
#include "lttng-session/snapshot/sessions.h"
#include "lttng-session/system/session-daemon.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/snapshot/work.h"

/* Prefixes of the names of folders in the staging folder. Each session has a folder. */
#define RING "ring"
#define STATE "state"
#define FOLDER_MAX 16

static void name_folder(char *folder, const char *kind, size_t i)
{
	snprintf(folder, FOLDER_MAX, "%s%u", kind, (unsigned int)i % SNAPSHOT_SESSIONS_MAX);
}

static int record(const struct snapshot *snapshot, const char *session, const char *folder,
		  struct mm_error *err)
{
	struct lttng_snapshot_output *output = lttng_snapshot_output_create();
	char path[sizeof(snapshot->path) + sizeof(STAGING_NAME) + FOLDER_MAX + 2];
	int ret = -LTTNG_ERR_NOMEM, made = folder_make(snapshot->staging.folder, folder, 0750);

	snprintf(path, sizeof(path), "%.*s/%s/%s", (int)snapshot->path_length, snapshot->path,
		 snapshot->staging.name, folder);
	if (made < 0) {
		lttng_snapshot_output_destroy(output);
		return snapshot_fail(err, path);
	}
	close(made);
	if (output)
		ret = lttng_snapshot_output_set_local_path(path, output);
	if (!ret)
		ret = lttng_snapshot_output_set_name(snapshot->request.name, output);
	if (!ret)
		ret = lttng_snapshot_record(session, output, 0);
	lttng_snapshot_output_destroy(output);
	if (ret)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s%s", session,
				    lttng_strerror(ret < 0 ? ret : -ret), daemon_remedy(ret));
	return 0;
}

static int record_all(const struct snapshot *snapshot, const struct snapshot_sessions *sessions,
		      const char *kind, struct mm_error *err)
{
	char folder[FOLDER_MAX];

	for (size_t i = 0; i < sessions->count; i++) {
		name_folder(folder, kind, i);
		if (record(snapshot, sessions->all[i].name, folder, err))
			return -1;
	}
	return 0;
}

/*
 * Dumps the state, then makes the session daemon write the rings (work.h). This dump has the names
 * of threads that exit while the rings are being written. A later dump lists caches that were
 * created meanwhile.
 */
int snapshot_record_rings(const struct snapshot *snapshot, struct mm_error *err)
{
	return snapshot_dump_state(snapshot, err) ||
			       record_all(snapshot, &snapshot->rings, RING, err)
		       ? -1
		       : 0;
}

int snapshot_record_states(const struct snapshot *snapshot, struct mm_error *err)
{
	return record_all(snapshot, &snapshot->states, STATE, err);
}

struct only_child {
	char name[NAME_MAX + 1];
	int count;
};

static int see_child(int parent, const char *name, void *user)
{
	struct only_child *child = user;

	if (name[0] != '.' && !child->count++)
		snprintf(child->name, sizeof(child->name), "%s", name);
	return 0;
}

/*
 * Opens the only folder in @folder. Its name is not known, because the session daemon makes it from
 * the snapshot's name, the time and a number. Returns -1 with errno set; errno is 0 if there is no
 * folder.
 */
static int open_child(const struct snapshot *snapshot, const char *folder, struct only_child *child)
{
	int parent = folder_open(snapshot->staging.folder, folder), fd = -1, error = 0;

	child->count = 0;
	if (parent < 0 || folder_each(parent, 0, see_child, child) ||
	    (child->count == 1 && (fd = folder_open(parent, child->name)) < 0))
		error = errno;
	if (parent >= 0)
		close(parent);
	errno = error;
	return fd;
}

static int is_data(int parent, const char *name, void *user)
{
	/*
	 * Find stream files, which have names like lttng-mm_0. Ignore metadata and index files,
	 * because they exist even if all streams are empty.
	 */
	size_t length = strlen(name);
	struct stat st;

	(void)user;
	return strcmp(name, "metadata") != 0 &&
	       (length < 4 || strcmp(name + length - 4, ".idx") != 0) &&
	       !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       st.st_size > 0;
}

/* Moves the trace of session @i from the staging folder to its folder in @made. */
static int collect(const struct snapshot *snapshot, const struct snapshot_sessions *sessions,
		   size_t i, const char *kind, const char *to, int made, struct only_child *child,
		   struct mm_error *err)
{
	char folder[FOLDER_MAX], name[NAME_MAX + 1];
	int from, parent, ret;

	name_folder(folder, kind, i);
	from = open_child(snapshot, folder, child);
	if (from < 0 && errno)
		return snapshot_fail(err, folder);
	if (from < 0)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: the session daemon wrote nothing; check whether the disk is full",
			sessions->all[i].name);
	parent = snapshot_open_parent(sessions, i, to, made, name);
	ret = parent < 0 ? -1 : folder_move(from, "kernel", parent, name);
	if (ret)
		snapshot_fail(err, to);
	if (parent >= 0)
		close(parent);
	close(from);
	return ret;
}

int snapshot_collect_rings(const struct snapshot *snapshot, int made, char *name, size_t size,
			   struct mm_error *err)
{
	struct only_child child = { .count = 0 };
	int found;

	for (size_t i = 0; i < snapshot->rings.count; i++) {
		if (collect(snapshot, &snapshot->rings, i, RING, SNAPSHOT_RING_FOLDER, made, &child,
			    err))
			return -1;
		if (!*name)
			snprintf(name, size, "%s", child.name);
	}
	found = folder_each(made, FOLDER_DEPTH_MAX, is_data, NULL);
	if (found < 0)
		return snapshot_fail(err, child.name);
	if (!found)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: no events have been recorded yet; try again later",
			snapshot->request.session);
	return 0;
}

int snapshot_collect_states(const struct snapshot *snapshot, int made, struct mm_error *err)
{
	struct only_child child;

	for (size_t i = 0; i < snapshot->states.count; i++)
		if (collect(snapshot, &snapshot->states, i, STATE, SNAPSHOT_STATE_FOLDER, made,
			    &child, err))
			return -1;
	return 0;
}
