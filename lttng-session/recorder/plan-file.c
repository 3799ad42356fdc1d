// SPDX-License-Identifier: LGPL-2.1-only
/* Reads, locks and replaces /run/lttng-mm/recorder.json. */
#include "lttng-session/recorder/plan-file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "lttng-session/recorder/plan.h"
#include "util/json-file.h"
#include "util/mounts.h"

#define FOLDER "lttng-mm"
#define SHOWN "/run/" FOLDER "/" PLAN_FILE
#define NEW PLAN_FILE ".new"
#define LOCK "recorder.lock"
#define BYTES_MAX (1u << 20)
#define PAUSE_MS 20u
#define REMEDY "remove the file; `lttng list` shows the sessions, `lttng destroy` removes one"

/* Can only root and the caller change the file? */
static bool is_trusted(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int plan_folder_open(bool make)
{
	char path[4096];
	struct stat st;
	int run, fd, error;

	if (mounts_path(path, sizeof(path), "/run")) {
		errno = ENAMETOOLONG;
		return -1;
	}
	run = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run < 0)
		return -1;
	/* Override the umask, because the group tracing must be able to read the plan. */
	if (make && !mkdirat(run, FOLDER, 0755))
		fchmodat(run, FOLDER, 0755, 0);
	fd = folder_open(run, FOLDER);
	error = errno;
	close(run);
	if (fd >= 0 && (fstat(fd, &st) || !is_trusted(&st))) {
		close(fd);
		fd = -1;
		error = EPERM;
	}
	errno = error;
	return fd;
}

static int refuse(struct mm_error *err, int error)
{
	if (error == EPERM || error == ELOOP || error == ENOTDIR)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"plan: " SHOWN
			": another user may have written it; check the owners of the file and of /run/" FOLDER
			", and remove the file");
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "plan: " SHOWN ": %s", strerror(error));
}

/* Reads the rest of the file, up to BYTES_MAX. Returns NULL with errno set on failure. */
static char *read_all(int fd, size_t *length)
{
	char *text = malloc(BYTES_MAX + 1);
	ssize_t n = 1;

	for (*length = 0; text && n > 0 && *length <= BYTES_MAX; *length += (size_t)n) {
		n = read(fd, text + *length, BYTES_MAX + 1 - *length);
		if (n < 0)
			break;
	}
	if (text && n >= 0 && *length <= BYTES_MAX)
		return text;
	errno = !text ? ENOMEM : n < 0 ? errno : EFBIG;
	free(text);
	return NULL;
}

static int parse(int fd, json_t **json, struct mm_error *err)
{
	json_error_t why;
	size_t length;
	char *text = read_all(fd, &length);
	int error = text ? 0 : errno;

	if (text && mm_json_parse(text, length, JSON_REJECT_DUPLICATES, json, &why))
		error = ENOMEM;
	else if (text && !*json)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "plan: " SHOWN ":%d: %s; " REMEDY, why.line,
			     why.text);
	free(text);
	if (*json)
		return 0;
	return err && err->code ? -1 : refuse(err, error);
}

int plan_file_read(json_t **json, struct mm_error *err)
{
	int folder = plan_folder_open(false), fd, error, ret;
	struct stat st;

	*json = NULL;
	if (folder < 0)
		return errno == ENOENT ? 0 : refuse(err, errno);
	fd = openat(folder, PLAN_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	error = errno;
	close(folder);
	if (fd < 0)
		return error == ENOENT ? 0 : refuse(err, error);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_trusted(&st))
		ret = refuse(err, EPERM);
	else
		ret = parse(fd, json, err);
	close(fd);
	return ret;
}

/* Writes @json to the new file NEW. Returns 0, or -1 with errno set. */
static int write_new(int folder, const json_t *json)
{
	int error = 0;
	FILE *out;

	/*
	 * A killed command may have left this file. The plan is locked, so no other process uses
	 * it.
	 */
	unlinkat(folder, NEW, 0);
	out = folder_make_file(folder, NEW);
	if (!out)
		return -1;
	/* Override the umask. */
	if (fchmod(fileno(out), 0644) ||
	    json_dumpf(json, out, JSON_INDENT(2) | JSON_ENSURE_ASCII) || putc('\n', out) == EOF)
		error = errno ? errno : EIO;
	if (fclose(out) && !error)
		error = errno;
	errno = error;
	return error ? -1 : 0;
}

/* Replaces the file. Does not sync it, because /run is in memory. */
int plan_file_write(const json_t *json, struct mm_error *err)
{
	int folder = plan_folder_open(true), ret = 0, error;

	if (folder < 0)
		return refuse(err, errno);
	if (!json)
		ret = unlinkat(folder, PLAN_FILE, 0) && errno != ENOENT ? -1 : 0;
	else if (write_new(folder, json) || renameat(folder, NEW, folder, PLAN_FILE))
		ret = -1;
	error = errno;
	if (ret && json)
		unlinkat(folder, NEW, 0);
	close(folder);
	return ret ? refuse(err, error) : 0;
}

/* Opens the lock file. Creates the plan's folder if it is missing. */
static int open_lock(struct mm_error *err)
{
	int folder = plan_folder_open(true), fd = -1, error;
	struct stat st;

	if (folder < 0 && (errno == EACCES || errno == ENOENT))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "plan: /run/" FOLDER
				    ": %s; only root can start or stop a recorder",
				    strerror(errno));
	if (folder < 0)
		return refuse(err, errno);
	/* Older versions created the folder without access for other users. */
	if (!fstat(folder, &st) && st.st_uid == geteuid() && (st.st_mode & 0777) != 0755)
		fchmod(folder, 0755);
	fd = openat(folder, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	error = errno;
	close(folder);
	if (fd < 0 && error == EACCES)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "plan: /run/" FOLDER
				    ": only root can start or stop a recorder; use sudo");
	return fd < 0 ? refuse(err, error) : fd;
}

int plan_check_rights(struct mm_error *err)
{
	int fd = open_lock(err);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

int plan_lock_open(const char *name)
{
	int folder = plan_folder_open(false), fd;

	if (folder < 0)
		return -1;
	fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	close(folder);
	return fd;
}

int plan_lock_wait(int fd, unsigned int wait_ms)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };

	for (unsigned int waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += PAUSE_MS) {
		if (errno != EINTR && (errno != EWOULDBLOCK || waited >= wait_ms))
			return -1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* the locked descriptor of the plan's lock file, or -1 */
static int locked = -1;

/*
 * Closes the child's copy of the descriptor in each forked child. A child that writes a snapshot
 * may outlive this process by minutes. If this process were killed, an open copy would keep the
 * plan locked for that time. Closing the child's copy does not unlock the plan.
 */
static void close_lock(void)
{
	if (locked >= 0)
		close(locked);
	locked = -1;
}

int plan_lock(unsigned int wait_ms, struct mm_error *err)
{
	static bool prepared;
	int fd = open_lock(err), error;

	if (fd < 0)
		return -1;
	prepared = prepared || !pthread_atfork(NULL, NULL, close_lock);
	error = plan_lock_wait(fd, wait_ms) ? errno : 0;
	if (!error) {
		locked = fd;
		return fd;
	}
	close(fd);
	if (error != EWOULDBLOCK)
		return refuse(err, error);
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"plan: /run/" FOLDER "/" LOCK
		": another `lttng-mm record` or `lttng-mm stop` is running; try again when it has ended");
}

void plan_unlock(int lock)
{
	if (lock < 0)
		return;
	/*
	 * A child that is just being forked may still have its copy of the descriptor, which would
	 * keep the lock. So unlock before closing.
	 */
	flock(lock, LOCK_UN);
	close(lock);
	locked = -1;
}
