// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Matches lines that are appended to files. Other programs may rename, truncate, remove or recreate
 * the files. The process has only the rights of the triggers' user, so a file that blocks harms
 * only this user's triggers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/watch/tail.h"
#include "lttng-session/daemon/triggers/watch/source.h"

#define EVENTS (IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF)
/*
 * Pause between checks for the new file after a rotation, and time for which these checks continue.
 */
#define SOON_US UINT64_C(20000)
#define SOON_FOR_US UINT64_C(5000000)
/* Time for which a renamed file is still read, because programs may still write to it. */
#define KEPT_US UINT64_C(10000000)
/* Maximum number of chunks to read from a file before closing it. */
#define CHUNKS (TAIL_BACKLOG_MAX / TAIL_CHUNK)

struct tailed_file {
	struct file_source *files;
	struct watched_trigger *watched;
	struct tail now, before; /* the current file; after a rotation, also the previous file */
	uint64_t rotated_us;	 /* time at which the current file became @before */
	int error;		 /* error of opening the file; 0: the file is open or missing */
	bool started;
};

struct file_source {
	struct watch_ctx *watch;
	int inotify; /* -1: no inotify, so only the timer finds changes */
	sd_event_source *timer, *reading;
	struct tailed_file *all;
	size_t count;
};

static void on_line(void *user, const char *line, size_t length)
{
	struct tailed_file *file = user;
	struct match match = { .cpu = -1, .text = line, .length = length };

	if (watch_matches(file->watched, line, length))
		matches_add(file->files->watch->matches, file->watched->trigger, &match);
}

/* Adds an inotify watch for the open file. Has no effect if the file is already watched. */
static void add_inotify(const struct file_source *files, const struct tail *tail)
{
	char path[64];

	if (files->inotify < 0 || tail->fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", tail->fd);
	inotify_add_watch(files->inotify, path, EVENTS);
}

static void close_tail(struct tailed_file *file, struct tail *tail)
{
	const struct file_source *files = file->files;
	enum tail_state state = TAIL_MORE;

	/*
	 * After two quick rotations, the previous file may still have unread lines, so read them.
	 */
	for (int i = 0; i < CHUNKS && state == TAIL_MORE; i++)
		state = tail_read(tail, on_line, file);
	if (state != TAIL_END)
		matches_lost(files->watch->matches, file->watched->trigger);
	/*
	 * For a file that is already watched, inotify_add_watch() returns its watch descriptor. Use
	 * this descriptor to remove the watch.
	 */
	if (files->inotify >= 0 && tail->fd >= 0) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/self/fd/%d", tail->fd);
		inotify_rm_watch(files->inotify, inotify_add_watch(files->inotify, path, EVENTS));
	}
	tail_close(tail, on_line, file);
}

static void report_state(struct tailed_file *file, int error)
{
	const char *path = file->watched->trigger->path;

	if (file->error == error)
		return;
	file->error = error;
	if (!error)
		matches_fail(file->files->watch->matches, file->watched->trigger, NULL);
	else if (error == EINVAL)
		watch_fail(file->files->watch, file->watched, "%s: not a regular file", path);
	else
		watch_fail(file->files->watch, file->watched,
			   "%s: cannot be opened with the rights of the trigger's user: %s", path,
			   strerror(error));
}

/*
 * Opens the file at the path. The first time, reading starts at the end of the file, because older
 * lines do not count. Later, it starts at the beginning of the file.
 */
static void open_file(struct tailed_file *file)
{
	int error = 0;

	if (!tail_open(&file->now, file->watched->trigger->path, !file->started))
		add_inotify(file->files, &file->now);
	else if (errno != ENOENT)
		error = errno;
	report_state(file, error);
	file->started = true;
}

static uint64_t now_us(const struct file_source *files)
{
	uint64_t us = 0;

	sd_event_now(files->watch->event, CLOCK_MONOTONIC, &us);
	return us;
}

/*
 * If the path now leads to another file, opens that file, and keeps reading the previous file for
 * KEPT_US.
 */
static void check_path(struct tailed_file *file)
{
	if (tail_is(&file->now, file->watched->trigger->path))
		return;
	if (file->now.fd >= 0) {
		close_tail(file, &file->before);
		file->before = file->now;
		file->rotated_us = now_us(file->files);
		file->now.fd = -1;
	}
	open_file(file);
}

/*
 * After KEPT_US, closes a rotated file if the new file exists. If the rotated file was deleted,
 * does not wait for the new file, because an open file uses disk space even after its deletion.
 */
static void check_before(struct tailed_file *file, uint64_t us)
{
	struct stat st;

	if (file->before.fd < 0 || us < file->rotated_us + KEPT_US)
		return;
	if (file->now.fd >= 0 || fstat(file->before.fd, &st) || !st.st_nlink)
		close_tail(file, &file->before);
}

/* Reads one chunk of each file. Runs again until all chunks are read. */
static int on_reading(sd_event_source *source, void *user)
{
	struct file_source *files = user;
	bool more = false;

	for (size_t i = 0; i < files->count; i++) {
		struct tailed_file *file = &files->all[i];
		enum tail_state before = tail_read(&file->before, on_line, file);
		enum tail_state now =
			before == TAIL_MORE ? TAIL_MORE : tail_read(&file->now, on_line, file);

		if (before == TAIL_LOST || now == TAIL_LOST)
			matches_lost(files->watch->matches, file->watched->trigger);
		more |= before != TAIL_END || now != TAIL_END;
	}
	if (!more)
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return 0;
}

static void check_paths(struct file_source *files)
{
	uint64_t next = WATCH_AGAIN_US, us = now_us(files);

	for (size_t i = 0; i < files->count; i++) {
		struct tailed_file *file = &files->all[i];

		check_path(file);
		if (file->now.fd < 0 && file->before.fd >= 0 && us < file->rotated_us + SOON_FOR_US)
			next = SOON_US;
	}
	sd_event_source_set_time_relative(files->timer, next);
	sd_event_source_set_enabled(files->timer, SD_EVENT_ONESHOT);
	sd_event_source_set_enabled(files->reading, SD_EVENT_ON);
}

static int on_inotify(sd_event_source *source, int fd, uint32_t events, void *user)
{
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t length = read(fd, buffer, sizeof(buffer));
	struct file_source *files = user;
	uint32_t seen = 0;

	for (ssize_t at = 0; at < length;) {
		const struct inotify_event *event = (const void *)(buffer + at);

		seen |= event->mask;
		at += (ssize_t)(sizeof(*event) + event->len);
	}
	if (seen & ~(uint32_t)IN_MODIFY)
		check_paths(files);
	else
		sd_event_source_set_enabled(files->reading, SD_EVENT_ON);
	return 0;
}

/* Runs once a second. Finds changes that inotify misses, such as those made on an NFS server. */
static int on_time(sd_event_source *source, uint64_t us, void *user)
{
	struct file_source *files = user;

	for (size_t i = 0; i < files->count; i++) {
		struct tailed_file *file = &files->all[i];

		add_inotify(files, &file->now);
		add_inotify(files, &file->before);
		check_before(file, us);
	}
	check_paths(files);
	return 0;
}

static int start(struct file_source *files)
{
	sd_event *event = files->watch->event;

	if (sd_event_add_defer(event, &files->reading, on_reading, files) < 0 ||
	    sd_event_add_time_relative(event, &files->timer, CLOCK_MONOTONIC, WATCH_AGAIN_US, 0,
				       on_time, files) < 0)
		return -1;
	files->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (files->inotify >= 0 &&
	    sd_event_add_io(event, NULL, files->inotify, EPOLLIN, on_inotify, files) < 0) {
		close(files->inotify);
		files->inotify = -1;
	}
	check_paths(files);
	return 0;
}

void file_watch(struct watch_ctx *watch)
{
	struct file_source *files = calloc(1, sizeof(*files));
	size_t count = 0;

	for (size_t i = 0; i < watch->count; i++)
		count += watch->all[i].trigger->kind == TRIGGER_FILE;
	if (files)
		files->all = calloc(count ? count : 1, sizeof(*files->all));
	for (size_t i = 0; files && files->all && i < watch->count; i++)
		if (watch->all[i].trigger->kind == TRIGGER_FILE)
			files->all[files->count++] =
				(struct tailed_file){ .files = files,
						      .watched = &watch->all[i],
						      .now.fd = -1,
						      .before.fd = -1 };
	if (files && files->all && count) {
		files->watch = watch;
		if (!start(files))
			return;
	}
	for (size_t i = 0; count && i < watch->count; i++)
		if (watch->all[i].trigger->kind == TRIGGER_FILE)
			watch_fail(watch, &watch->all[i], "out of memory");
	if (files)
		free(files->all);
	free(files);
}
