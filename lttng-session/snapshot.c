// SPDX-License-Identifier: LGPL-2.1-only
/* Takes a snapshot: CTF by the session daemon, context by us, both under one name at once. */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/context.h"
#include "lttng-session/recorder.h"

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

/* Has the session what a reader must be told once, in its last events. */
static int dump_state(const char *session, struct mm_error *err)
{
	int ret;

	if (!recorder_wants_state_dump(session))
		return 0;
	ret = lttng_regenerate_statedump(session);
	if (ret < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: the state dump failed: %s", session,
				    lttng_strerror(ret));
	return 0;
}

static int record(const char *session, const char *folder, const char *name, struct mm_error *err)
{
	struct lttng_snapshot_output *output;
	int ret = -LTTNG_ERR_NOMEM;

	if (dump_state(session, err))
		return -1;
	output = lttng_snapshot_output_create();
	if (output)
		ret = lttng_snapshot_output_set_local_path(folder, output);
	if (!ret)
		ret = lttng_snapshot_output_set_name(name, output);
	if (!ret)
		ret = lttng_snapshot_record(session, output, 0);
	lttng_snapshot_output_destroy(output);
	if (ret)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", session,
				    lttng_strerror(ret < 0 ? ret : -ret));
	return 0;
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

static int finish(const char *work, const char *output, const char *session, char *path,
		  size_t size, struct mm_error *err)
{
	char child[256], made[PATH_MAX + 512], context[PATH_MAX + 528];

	if (only_child(work, child, sizeof(child)))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: the session daemon wrote nothing; is the disk full?",
				    output);
	snprintf(made, sizeof(made), "%s/%s", work, child);
	if (!nftw(made, count_bytes, 16, FTW_PHYS))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: no events have been recorded yet; try again after some",
				    session);
	snprintf(context, sizeof(context), "%s/context", made);
	if (context_write(context, session, err))
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
	char full[PATH_MAX], work[PATH_MAX + 32];
	sigset_t deadly, before;
	int ret;

	if (mkdir(output, 0750) && errno != EEXIST)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", output,
				    strerror(errno));
	if (!realpath(output, full))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", output,
				    strerror(errno));
	snprintf(work, sizeof(work), "%s/.lttng-mm-XXXXXX", full);
	/* A Ctrl-C waits for the folder to be whole, or to be gone again. */
	sigemptyset(&deadly);
	sigaddset(&deadly, SIGINT);
	sigaddset(&deadly, SIGTERM);
	sigaddset(&deadly, SIGHUP);
	sigprocmask(SIG_BLOCK, &deadly, &before);
	if (!mkdtemp(work)) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s; choose another --output",
				    full, strerror(errno));
	}
	ret = record(session, work, name, err);
	if (!ret)
		ret = finish(work, full, session, path, size, err);
	remove_tree(work);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}
