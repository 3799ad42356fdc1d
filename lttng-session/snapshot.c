// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Takes a snapshot: the session daemon writes the traces, this program the system information; the
 * complete snapshot appears under its name atomically.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/sysinfo.h"
#include "lttng-session/folder.h"
#include "lttng-session/freeze.h"
#include "lttng-session/output.h"
#include "lttng-session/recorder.h"

#define RING "ring"
#define HIDDEN ".lttng-mm-XXXXXX"

/*
 * What the session daemon appends to the given path, in addition to the name of the snapshot: a
 * time and a number, and `/kernel/index/lttng-mm-state_NNNN.idx`. Its own paths have PATH_MAX
 * bytes.
 */
#define DAEMON_MAX 128

/*
 * Where a snapshot is assembled before it is moved: a hidden folder in the output folder that only
 * we can access. We access it through descriptors; the path is for the session daemon.
 */
struct work {
	const char *session, *name;
	char state_session[RECORDER_NAME_MAX]; /* empty: no state to dump */
	char path[PATH_MAX], hidden[sizeof(HIDDEN)];
	struct sysinfo_modules *modules; /* loaded before state was dumped */
	size_t output_length; /* of the output folder's part of @path; 0: the root directory */
	int output, folder;
};

/* Writes the state dump: names that readers need in addition to the events. */
static int dump_state(const struct work *work, struct mm_error *err)
{
	int ret = work->state_session[0] ? lttng_regenerate_statedump(work->state_session) : 0;

	if (ret < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: the state dump failed: %s", work->state_session,
				    lttng_strerror(ret));
	return 0;
}

static int fail(struct mm_error *err, const char *where)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", where, strerror(errno));
}

static int record(const struct work *work, const char *session, const char *folder,
		  struct mm_error *err)
{
	struct lttng_snapshot_output *output = lttng_snapshot_output_create();
	char path[sizeof(work->path) + 16];
	int ret = -LTTNG_ERR_NOMEM, made = folder_make(work->folder, folder, 0750);

	snprintf(path, sizeof(path), "%s/%s", work->path, folder);
	if (made < 0) {
		lttng_snapshot_output_destroy(output);
		return fail(err, path);
	}
	close(made);
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

static bool has_state_session(const struct work *work)
{
	return work->state_session[0] && strcmp(work->state_session, work->session) != 0;
}

/*
 * State is dumped twice: before the ring buffer is written, so that threads that exit meanwhile
 * have names, and after, so that caches that are created meanwhile have names.
 */
static int record_all(const struct work *work, struct mm_error *err)
{
	if (dump_state(work, err) || record(work, work->session, RING, err))
		return -1;
	return has_state_session(work) &&
			       (dump_state(work, err) ||
				record(work, work->state_session, RECORDER_STATE_FOLDER, err))
		       ? -1
		       : 0;
}

/* Writes @freeze where the session daemon would: @folder/NAME-DATE-TIME-0/kernel. */
static int write_frozen(const struct work *work, const struct freeze *freeze, const char *folder,
			struct mm_error *err)
{
	char child[NAME_MAX + 1], date[32];
	struct freeze_times times;
	int parent = folder_make(work->folder, folder, 0750), made = -1, ret = -1;
	struct tm local;
	time_t seconds;

	freeze_times(freeze, &times);
	seconds = (time_t)(times.realtime_ns / 1000000000);
	localtime_r(&seconds, &local);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	snprintf(child, sizeof(child), "%s-%s-0", work->name, date);
	if (parent >= 0)
		made = folder_make(parent, child, 0750);
	if (made >= 0)
		ret = freeze_write(freeze, 0, INT64_MIN, made, "kernel", err);
	else
		fail(err, folder);
	if (made >= 0)
		close(made);
	if (parent >= 0)
		close(parent);
	return ret;
}

/* The state is dumped after the freeze, and frozen in turn. */
static int record_frozen_state(const struct work *work, const struct freeze *ring,
			       struct mm_error *err)
{
	const char *session = work->state_session;
	struct freeze *state = freeze_open(&session, 1, err);
	int ret;

	if (!state)
		return err->code ? -1
				 : record(work, work->state_session, RECORDER_STATE_FOLDER, err);
	ret = freeze_take(state, err) || freeze_follow_clock(state, ring, err) ||
			      write_frozen(work, state, RECORDER_STATE_FOLDER, err)
		      ? -1
		      : 0;
	freeze_close(state);
	return ret;
}

static int record_frozen(const struct work *work, struct freeze *ring, struct mm_error *err)
{
	if (dump_state(work, err) || freeze_take(ring, err))
		return -1;
	if (!freeze_has_records(ring, 0))
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: no events have been recorded yet; try again later",
			work->session);
	if (has_state_session(work) &&
	    (dump_state(work, err) || record_frozen_state(work, ring, err)))
		return -1;
	return write_frozen(work, ring, RING, err);
}

/* Freezes the buffers on all CPUs at one instant. */
static int freeze_all(const struct work *work, struct mm_error *err)
{
	struct freeze *ring = freeze_open(&work->session, 1, err);
	char why[sizeof(err->message)];
	int ret;

	if (!ring) {
		snprintf(why, sizeof(why), "%s", err->message);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: --freeze: %s; omit --freeze", why);
	}
	ret = record_frozen(work, ring, err);
	freeze_close(ring);
	return ret;
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
 * Opens the only folder in @folder, which the daemon names after the snapshot, its time and number.
 * Returns -1 with errno set, to 0 if the folder does not exist.
 */
static int open_child(const struct work *work, const char *folder, struct only_child *child)
{
	int parent = folder_open(work->folder, folder), fd = -1, error = 0;

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
	/* Streams have names like lttng-mm_0; metadata and index exist even if all are empty. */
	size_t length = strlen(name);
	struct stat st;

	return strcmp(name, "metadata") != 0 &&
	       (length < 4 || strcmp(name + length - 4, ".idx") != 0) &&
	       !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       st.st_size > 0;
}

/* Moves the trace of the state dump next to that of the ring buffer: @made/kernel, @made/state. */
static int join_state(const struct work *work, int made, struct mm_error *err)
{
	struct only_child child;
	int state, ret;

	if (!has_state_session(work))
		return 0;
	state = open_child(work, RECORDER_STATE_FOLDER, &child);
	if (state < 0 && errno)
		return fail(err, RECORDER_STATE_FOLDER);
	if (state < 0)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: the session daemon wrote no state dump; is the disk full?",
			work->state_session);
	ret = folder_move(state, "kernel", made, RECORDER_STATE_FOLDER);
	if (ret)
		fail(err, RECORDER_STATE_FOLDER);
	close(state);
	return ret;
}

/*
 * Moves the complete snapshot to its name in the output folder, or to a similar one if another user
 * has taken that name.
 */
static int publish(const struct work *work, const char *child, char *path, size_t size,
		   struct mm_error *err)
{
	int ring = folder_open(work->folder, RING), ret = -1;
	char name[NAME_MAX + 1];

	snprintf(name, sizeof(name), "%s", child);
	if (ring >= 0)
		ret = folder_move(ring, child, work->output, name);
	if (ring >= 0 && ret && errno == EEXIST &&
	    strlen(name) + strlen("-XXXXXX") < sizeof(name)) {
		strcat(name, "-XXXXXX");
		ret = folder_randomize(name) || folder_move(ring, child, work->output, name) ? -1
											     : 0;
	}
	snprintf(path, size, "%.*s/%s", (int)work->output_length, work->path, name);
	if (ret)
		fail(err, path);
	if (ring >= 0)
		close(ring);
	return ret;
}

/*
 * Rewrites the message of @gap without the names of temporary folders: files were opened below the
 * descriptor @made, and are below @path.
 */
static void explain(struct mm_error *gap, const char *file, int made, const char *path)
{
	char prefix[64], opened[64], *why = gap->message, *at;
	struct mm_error named = MM_ERROR_INIT;

	snprintf(prefix, sizeof(prefix), "snapshot: sysinfo/%s: ", file);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", made);
	if (!strncmp(why, prefix, strlen(prefix)))
		why += strlen(prefix);
	at = strstr(why, opened);
	if (at)
		mm_error_set(&named, gap->code, "snapshot: %s: sysinfo/%s is missing: %.*s%s%s",
			     path, file, (int)(at - why), why, path, at + strlen(opened));
	else
		mm_error_set(&named, gap->code, "snapshot: %s: sysinfo/%s is missing: %s", path,
			     file, why);
	*gap = named;
}

static int finish(const struct work *work, char *path, size_t size, struct sysinfo_gaps *gaps,
		  struct mm_error *err)
{
	struct only_child child;
	int made = open_child(work, RING, &child), ret = -1, found;

	if (made < 0 && errno)
		return fail(err, RING);
	if (made < 0)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %.*s: the session daemon wrote nothing; is the disk full?",
			work->output_length ? (int)work->output_length : 1, work->path);
	found = folder_each(made, FOLDER_DEPTH_MAX, is_data, NULL);
	if (found < 0) {
		fail(err, child.name);
	} else if (!found) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT,
			     "snapshot: %s: no events have been recorded yet; try again later",
			     work->session);
	} else if (!join_state(work, made, err)) {
		sysinfo_write(made, work->modules, work->session, gaps);
		ret = publish(work, child.name, path, size, err);
		for (size_t i = 0; i < gaps->count && !ret; i++)
			explain(&gaps->all[i].err, gaps->all[i].file, made, path);
	}
	close(made);
	return ret;
}

/* Opens the output folder and makes the hidden one in it. */
static int open_work(struct work *work, const char *output, struct mm_error *err)
{
	size_t room = sizeof(HIDDEN) + sizeof("/" RECORDER_STATE_FOLDER "/") + strlen(work->name) +
		      DAEMON_MAX;

	work->output = output_open(output, work->path, sizeof(work->path), err);
	if (work->output < 0)
		return -1;
	/* What follows starts with a slash. */
	work->output_length = strcmp(work->path, "/") ? strlen(work->path) : 0;
	strcpy(work->hidden, HIDDEN);
	if (work->output_length + room > sizeof(work->path)) {
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"snapshot: %s: a path of %zu bytes leaves the session daemon no room for file names; choose an --output of at most %zu bytes",
			work->path, work->output_length, sizeof(work->path) - room);
	} else {
		work->folder = folder_make_random(work->output, work->hidden);
		if (work->folder >= 0) {
			snprintf(work->path + work->output_length,
				 sizeof(work->path) - work->output_length, "/%s", work->hidden);
			return 0;
		}
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s; choose another --output",
			     work->path, strerror(errno));
	}
	close(work->output);
	return -1;
}

int recorder_snapshot(const char *session, const char *output, const char *name, bool freeze,
		      char *path, size_t size, struct sysinfo_gaps *gaps, struct mm_error *err)
{
	struct work work = { .session = session, .name = name };
	sigset_t deadly, before;
	int ret;

	*gaps = (struct sysinfo_gaps){ .kaslr = SYSINFO_KASLR_UNKNOWN };
	recorder_state_session(session, work.state_session, sizeof(work.state_session));
	/* Ctrl-C takes effect when the folder is complete or has been removed. */
	sigemptyset(&deadly);
	sigaddset(&deadly, SIGINT);
	sigaddset(&deadly, SIGTERM);
	sigaddset(&deadly, SIGHUP);
	sigprocmask(SIG_BLOCK, &deadly, &before);
	ret = open_work(&work, output, err);
	if (!ret) {
		work.modules = sysinfo_modules_read();
		if (!work.modules)
			ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
		else if ((freeze ? freeze_all(&work, err) : record_all(&work, err)) ||
			 finish(&work, path, size, gaps, err))
			ret = -1;
		sysinfo_modules_destroy(work.modules);
		folder_remove(work.output, work.hidden);
		close(work.folder);
		close(work.output);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}
