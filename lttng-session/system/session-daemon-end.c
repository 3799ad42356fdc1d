// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Stops a session daemon that a command of this program has started. To recognize the daemon later,
 * the command writes one line to the file /run/lttng-mm/session-daemon: the daemon's start time in
 * clock ticks since boot, as in /proc/PID/stat.
 */
#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lttng-session/system/session-daemon-pid.h"
#include "lttng-session/system/session-daemon.h"
#include "lttng-session/system/folder.h"
#include "util/mounts.h"

#define FOLDER "lttng-mm"
#define NOTE "session-daemon"
/*
 * Time to wait for the daemon to exit. A daemon that is stopping first waits for its consumer
 * daemons to write their data.
 */
#define END_WAIT_MS 30000

/* Returns a descriptor of /run/lttng-mm, or -1. Refuses the folder if other users can change it. */
static int open_folder(void)
{
	int run, folder;
	char path[4096];
	struct stat st;

	if (mounts_path(path, sizeof(path), "/run"))
		return -1;
	run = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run < 0)
		return -1;
	/* Override the umask, because other users read files in this folder. */
	if (!mkdirat(run, FOLDER, 0755))
		fchmodat(run, FOLDER, 0755, 0);
	folder = folder_open(run, FOLDER);
	close(run);
	if (folder < 0 ||
	    (!fstat(folder, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH))))
		return folder;
	close(folder);
	return -1;
}

void daemon_note_started(void)
{
	int folder = open_folder();
	FILE *file = NULL;

	if (folder < 0)
		return;
	if (!unlinkat(folder, NOTE, 0) || errno == ENOENT)
		file = folder_make_file(folder, NOTE);
	if (file) {
		fprintf(file, "%lld\n", (long long)daemon_started());
		fclose(file);
	}
	close(folder);
}

/*
 * Returns the start time of the last session daemon that this program started, or 0 if there is
 * none.
 */
static int64_t read_note(int folder)
{
	int fd = openat(folder, NOTE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	long long started = 0;

	if (!file || fscanf(file, "%lld", &started) != 1)
		started = 0;
	if (file)
		fclose(file);
	return started;
}

/* Stops the session daemon, if it was started at @started. @fd is its pidfd. */
static enum daemon_end end_process(int fd, int64_t started)
{
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	struct lttng_session *sessions = NULL;
	int count;

	if (daemon_started() != started)
		return DAEMON_NOT_OURS;
	count = lttng_list_sessions(&sessions);
	free(sessions);
	if (count > 0)
		return DAEMON_IN_USE;
	/* After an error, the session daemon may have sessions, so do not stop it. */
	if (count < 0 || syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0))
		return DAEMON_STAYS;
	return poll(&ended, 1, END_WAIT_MS) == 1 ? DAEMON_ENDED : DAEMON_STAYS;
}

enum daemon_end daemon_end_ours(void)
{
	enum daemon_end result = DAEMON_NOT_OURS;
	int folder = open_folder();
	int64_t started = folder < 0 ? 0 : read_note(folder);
	int fd = started ? (int)syscall(SYS_pidfd_open, daemon_pid(), 0) : -1;

	if (fd >= 0) {
		result = end_process(fd, started);
		close(fd);
	}
	if (started && (result == DAEMON_ENDED || result == DAEMON_NOT_OURS))
		unlinkat(folder, NOTE, 0);
	if (folder >= 0)
		close(folder);
	return result;
}
