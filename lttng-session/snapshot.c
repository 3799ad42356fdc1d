// SPDX-License-Identifier: LGPL-2.1-only
/* Takes a snapshot: CTF by the session daemon, context by us, both under one name at once. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/context.h"
#include "lttng-session/recorder.h"

#define RING "ring"

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Where a snapshot comes together before it is renamed. */
struct work {
	const char *session, *name;
	char state_session[RECORDER_NAME_MAX];	/* empty: nothing to dump */
	char folder[PATH_MAX + 32];
};

/* What a reader must be told once. */
static int dump_state(const struct work *work, struct mm_error *err)
{
	int ret = work->state_session[0] ? lttng_regenerate_statedump(work->state_session) : 0;

	if (ret < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: the state dump failed: %s", work->state_session,
				    lttng_strerror(ret));
	return 0;
}

static int record(const struct work *work, const char *session, const char *folder,
		  struct mm_error *err)
{
	struct lttng_snapshot_output *output = lttng_snapshot_output_create();
	char path[sizeof(work->folder) + 16];
	int ret = -LTTNG_ERR_NOMEM;

	snprintf(path, sizeof(path), "%s/%s", work->folder, folder);
	if (mkdir(path, 0750))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", path,
				    strerror(errno));
	if (output)
		ret = lttng_snapshot_output_set_local_path(path, output);
	if (!ret)
		ret = lttng_snapshot_output_set_name(work->name, output);
	if (!ret)
		ret = lttng_snapshot_record(session, output, 0);
	lttng_snapshot_output_destroy(output);
	if (ret)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", session,
				    lttng_strerror(ret < 0 ? ret : -ret));
	return 0;
}

/*
 * State twice: before, so that threads which end while the ring is written have names; after, so that a cache that
 * comes meanwhile has one.
 */
static int record_all(const struct work *work, struct mm_error *err)
{
	bool apart = work->state_session[0] && strcmp(work->state_session, work->session) != 0;

	if (dump_state(work, err) || record(work, work->session, RING, err))
		return -1;
	return apart && (dump_state(work, err) ||
			 record(work, work->state_session, RECORDER_STATE_FOLDER, err)) ?
		       -1 :
		       0;
}

/* The one folder in @folder, named by the daemon after the snapshot, its time and number. */
static int only_child(const char *folder, char *name, size_t size)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, size, "%s", entry->d_name);
		count++;
	}
	if (dir)
		closedir(dir);
	return count == 1 ? 0 : -1;
}

static int count_bytes(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	/* Streams have names like lttng-mm_0; metadata and index are there even when all are empty. */
	static const char parent[] = "/index/";
	size_t length = strlen(parent), base = (size_t)ftw->base;

	return type == FTW_F && st->st_size > 0 && strcmp(path + base, "metadata") &&
		(base < length || strncmp(path + base - length, parent, length));
}

/* The state dump's trace goes beside the ring's: @made/kernel, @made/state. */
static int join_state(const struct work *work, const char *made, struct mm_error *err)
{
	char parent[PATH_MAX + 64], child[256], from[PATH_MAX + 512], to[2 * PATH_MAX];

	snprintf(parent, sizeof(parent), "%s/%s", work->folder, RECORDER_STATE_FOLDER);
	if (!work->state_session[0] || !strcmp(work->state_session, work->session))
		return 0;
	if (only_child(parent, child, sizeof(child)))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: the session daemon wrote no state dump; is the disk full?",
				    work->state_session);
	snprintf(from, sizeof(from), "%s/%s/kernel", parent, child);
	snprintf(to, sizeof(to), "%s/%s", made, RECORDER_STATE_FOLDER);
	if (rename(from, to))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", to,
				    strerror(errno));
	return 0;
}

static int finish(const struct work *work, const char *output, char *path, size_t size,
		  struct mm_error *err)
{
	char parent[PATH_MAX + 64], child[256], made[PATH_MAX + 512], context[PATH_MAX + 528];

	snprintf(parent, sizeof(parent), "%s/%s", work->folder, RING);
	if (only_child(parent, child, sizeof(child)))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: the session daemon wrote nothing; is the disk full?",
				    output);
	snprintf(made, sizeof(made), "%s/%s", parent, child);
	if (!nftw(made, count_bytes, 16, FTW_PHYS))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: no events have been recorded yet; try again after some",
				    work->session);
	snprintf(context, sizeof(context), "%s/context", made);
	if (join_state(work, made, err) || context_write(context, work->session, err))
		return -1;
	snprintf(path, size, "%s/%s", output, child);
	if (rename(made, path))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", path,
				    strerror(errno));
	return 0;
}

int recorder_snapshot(const char *session, const char *output, const char *name, char *path,
		      size_t size, struct mm_error *err)
{
	struct work work = { .session = session, .name = name };
	char full[PATH_MAX];
	sigset_t deadly, before;
	int ret;

	if (mkdir(output, 0750) && errno != EEXIST)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", output,
				    strerror(errno));
	if (!realpath(output, full))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", output,
				    strerror(errno));
	snprintf(work.folder, sizeof(work.folder), "%s/.lttng-mm-XXXXXX", full);
	recorder_state_session(session, work.state_session, sizeof(work.state_session));
	/* A Ctrl-C waits for the folder to be whole, or to be gone again. */
	sigemptyset(&deadly);
	sigaddset(&deadly, SIGINT);
	sigaddset(&deadly, SIGTERM);
	sigaddset(&deadly, SIGHUP);
	sigprocmask(SIG_BLOCK, &deadly, &before);
	if (!mkdtemp(work.folder)) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s; choose another --output",
				    full, strerror(errno));
	}
	ret = record_all(&work, err);
	if (!ret)
		ret = finish(&work, full, path, size, err);
	remove_tree(work.folder);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}
