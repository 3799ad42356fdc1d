// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the hidden folders of unfinished snapshots: abandoned ones are swept, and finished ones are
 * published.
 */
#include "lttng-session/snapshot/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "tests/tap.h"
#include "tests/unit/files.h"

#define NOBODY 65534
#define RACE_PROCESSES 4
#define RACE_ROUNDS 200

static char top[] = "/tmp/test-staging-XXXXXX";
static int top_fd;

static bool exists(int parent, const char *name)
{
	struct stat st;

	return !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW);
}

static int make_folder(int parent, const char *name, mode_t mode)
{
	int fd = mkdirat(parent, name, 0700) ? -1 : folder_open(parent, name);

	if (fd < 0 || fchmod(fd, mode))
		tap_bail("%s cannot be made", name);
	return fd;
}

static void test_made(void)
{
	struct staging staging;
	struct stat st;

	tap(!staging_make(&staging, top_fd), "a folder is made");
	tap(!fstat(staging.folder, &st) && (st.st_mode & 07777) == 0700 &&
		    !strncmp(staging.name, ".lttng-mm-", 10) && strlen(staging.name) == 16 &&
		    !strcmp(staging.name + 10, staging_suffix(&staging)),
	    "... hidden, and ours alone");
	tap(!staging_sweep(top_fd) && exists(top_fd, staging.name),
	    "a process that is alive keeps its folder");
	write_file(staging.folder, "file", "text");
	staging_remove(&staging);
	tap(!exists(top_fd, staging.name), "... until it removes it, with its contents");
}

/* Tests the folder that a killed process leaves. It contains links to files outside. */
static void test_left(void)
{
	struct staging staging;
	int victim = make_folder(top_fd, "victim", 0755), deep;

	write_file(victim, "file", "kept");
	if (staging_make(&staging, top_fd))
		tap_bail("no folder");
	deep = make_folder(staging.folder, "deep", 0750);
	write_file(deep, "file", "text");
	if (symlinkat("../victim", staging.folder, "link") ||
	    symlinkat("../../victim/file", deep, "link") || linkat(victim, "file", deep, "hard", 0))
		tap_bail("no links");
	staging_leave(&staging);
	tap(staging_sweep(top_fd) == 1 && !exists(top_fd, staging.name),
	    "an abandoned folder is removed");
	tap(holds(victim, "file", "kept"), "... and nothing that its links lead to");
	tap(!staging_sweep(top_fd), "... once");
	close(deep);
	close(victim);
	folder_remove(top_fd, "victim");
}

/* Tests that the child's folder is locked until the child is killed. */
static void test_killed(void)
{
	char name[sizeof(STAGING_NAME)] = "";
	int fds[2], status;
	pid_t pid;

	if (pipe(fds) || (pid = fork()) < 0)
		tap_bail("no child");
	if (!pid) {
		struct staging staging;

		if (staging_make(&staging, top_fd) ||
		    write(fds[1], staging.name, sizeof(name)) != sizeof(name))
			_exit(2);
		for (;;)
			pause();
	}
	close(fds[1]);
	if (read(fds[0], name, sizeof(name)) != sizeof(name))
		tap_bail("the child has no folder");
	close(fds[0]);
	tap(!staging_sweep(top_fd) && exists(top_fd, name),
	    "the folder of another process that is alive is kept");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tap(staging_sweep(top_fd) == 1 && !exists(top_fd, name), "... and removed after kill -9");
}

/* Folders that differ from ours in one respect. */
static const struct {
	const char *why, *name;
	mode_t mode;
	uid_t owner;
	const char *mark, *mark_target;
	bool swept;
} looks[] = {
	{ "no difference", ".lttng-mm-abcde0", 0700, 0, "unfinished", NULL, true },
	{ "its parent is set-group-ID", ".lttng-mm-abcde1", 02700, 0, "unfinished", NULL, true },
	{ "no mark", ".lttng-mm-abcde2", 0700, 0, "other", NULL, false },
	{ "the mark is a link", ".lttng-mm-abcde3", 0700, 0, "unfinished", "/etc/passwd", false },
	{ "others can read it", ".lttng-mm-abcde4", 0755, 0, "unfinished", NULL, false },
	{ "another owner", ".lttng-mm-abcde5", 0700, NOBODY, "unfinished", NULL, false },
	{ "one character more", ".lttng-mm-abcdefg", 0700, 0, "unfinished", NULL, false },
	{ "one less", ".lttng-mm-abcde", 0700, 0, "unfinished", NULL, false },
	{ "a character that ours never have", ".lttng-mm-abcdE0", 0700, 0, "unfinished", NULL,
	  false },
	{ "not hidden", "xlttng-mm-abcdef", 0700, 0, "unfinished", NULL, false },
};

static void test_looks(void)
{
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		const char *name = looks[i].name;
		int fd;

		if (looks[i].owner && geteuid()) {
			tap_skip(looks[i].why, "only root can make it");
			continue;
		}
		fd = make_folder(top_fd, name, looks[i].mode);
		write_file(fd, "data", "text");
		if (looks[i].mark_target)
			tap(!symlinkat(looks[i].mark_target, fd, looks[i].mark), "a link");
		else
			write_file(fd, looks[i].mark, "");
		if (looks[i].owner && fchown(fd, looks[i].owner, looks[i].owner))
			tap_bail("no chown");
		close(fd);
		tap(staging_sweep(top_fd) == looks[i].swept &&
			    exists(top_fd, name) != looks[i].swept,
		    "%s: %s", looks[i].why, looks[i].swept ? "swept" : "kept");
		folder_remove(top_fd, name);
	}
}

static void test_not_folders(void)
{
	struct staging staging;
	int elsewhere = make_folder(top_fd, "elsewhere", 0700), fd;

	write_file(elsewhere, "unfinished", "");
	write_file(top_fd, ".lttng-mm-abcdef", "text");
	if (symlinkat("elsewhere", top_fd, ".lttng-mm-abcdeg"))
		tap_bail("no link");
	tap(!staging_sweep(top_fd) && exists(elsewhere, "unfinished") &&
		    holds(top_fd, ".lttng-mm-abcdef", "text"),
	    "files and links of such names are kept, and what the links lead to");
	fd = make_folder(top_fd, ".lttng-mm-abcdeh", 0700);
	close(fd);
	tap(staging_sweep(top_fd) == 1 && !exists(top_fd, ".lttng-mm-abcdeh"),
	    "an empty folder was left before it was marked");
	if (staging_make(&staging, top_fd))
		tap_bail("no folder");
	tap(!staging_sweep(elsewhere) && !folder_move(top_fd, staging.name, elsewhere, "moved") &&
		    !staging_sweep(elsewhere),
	    "under another name, it is kept");
	staging_leave(&staging);
	close(elsewhere);
	folder_remove(top_fd, "elsewhere");
	folder_remove(top_fd, ".lttng-mm-abcdef");
	folder_remove(top_fd, ".lttng-mm-abcdeg");
}

static void race(void)
{
	for (int i = 0; i < RACE_ROUNDS; i++) {
		struct staging staging;

		staging_sweep(top_fd);
		if (staging_make(&staging, top_fd))
			_exit(2);
		write_file(staging.folder, "file", "text");
		staging_sweep(top_fd);
		if (!exists(top_fd, staging.name) || !holds(staging.folder, "file", "text"))
			_exit(3);
		if (i % 2)
			staging_remove(&staging);
		else
			staging_leave(&staging);
	}
	_exit(0);
}

static void test_race(void)
{
	pid_t pids[RACE_PROCESSES];
	int failed = 0;

	fflush(stdout);
	for (int i = 0; i < RACE_PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i])
			race();
	}
	for (int i = 0; i < RACE_PROCESSES; i++) {
		int status = -1;

		waitpid(pids[i], &status, 0);
		failed += status != 0;
	}
	staging_sweep(top_fd);
	tap(!failed, "processes that make and sweep at once: each keeps its own folder");
	tap(!rmdir(top) && !mkdir(top, 0755), "... and the last one leaves nothing");
	close(top_fd);
	top_fd = open(top, O_RDONLY | O_DIRECTORY);
}

/* Publishes the file `content` as @name in @parent. */
static enum staging_published publish(int parent, char *name, bool promised)
{
	struct staging staging;
	enum staging_published how;

	if (staging_make(&staging, parent))
		tap_bail("no folder");
	write_file(staging.folder, "content", "ours");
	how = staging_publish(&staging, "content", name, 64, promised);
	staging_remove(&staging);
	return how;
}

struct found_folder {
	int count;
	char name[64];
};

static int find_displaced(int parent, const char *name, void *user)
{
	struct found_folder *found = user;

	(void)parent;
	if (!strncmp(name, "taken-", 6)) {
		found->count++;
		snprintf(found->name, sizeof(found->name), "%s", name);
	}
	return 0;
}

static void test_publish(void)
{
	char name[64] = "free";
	struct found_folder found = { 0 };

	tap(publish(top_fd, name, false) == STAGING_PUBLISHED && !strcmp(name, "free") &&
		    holds(top_fd, "free", "ours"),
	    "a name that is free is taken");
	write_file(top_fd, "taken", "theirs");
	strcpy(name, "taken");
	tap(publish(top_fd, name, false) == STAGING_PUBLISHED && strlen(name) == 12 &&
		    !strncmp(name, "taken-", 6) && holds(top_fd, name, "ours") &&
		    holds(top_fd, "taken", "theirs"),
	    "a name that is taken becomes longer");
	folder_remove(top_fd, name);
	strcpy(name, "taken");
	tap(publish(top_fd, name, true) == STAGING_DISPLACED && !strcmp(name, "taken") &&
		    holds(top_fd, "taken", "ours"),
	    "a promised name is used");
	folder_each(top_fd, 0, find_displaced, &found);
	tap(found.count == 1 && holds(top_fd, found.name, "theirs"),
	    "... and the folder that had it gets a longer one");
}

/* Tests a folder like /tmp, where only root can move files of other users. */
static void test_sticky(void)
{
	int sticky = make_folder(top_fd, "sticky", 01777), status = -1;
	pid_t pid;

	if (geteuid()) {
		tap_skip("names that other users have taken", "only root can become another user");
		return;
	}
	write_file(sticky, "taken", "root's");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		char name[64] = "taken";

		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(2);
		_exit(publish(sticky, name, true) != STAGING_RENAMED || strlen(name) != 12 ||
		      !holds(sticky, name, "ours"));
	}
	waitpid(pid, &status, 0);
	tap(!status && holds(sticky, "taken", "root's"),
	    "a promised name that another user took: a longer one, and that is reported");
	close(sticky);
}

static void test_sync(void)
{
	int fd = make_folder(top_fd, "sync", 0755), deep = make_folder(fd, "deep", 0700);
	int path = open(top, O_PATH | O_DIRECTORY);

	write_file(deep, "file", "text");
	if (symlinkat("nowhere", fd, "link") || mkfifoat(fd, "fifo", 0600))
		tap_bail("no fifo");
	tap(!folder_sync(fd), "a tree with a link and a pipe is written to the disk");
	tap(!folder_sync_names(path), "... and the names in a folder that is only a path");
	tap(folder_sync(path) && errno == EBADF, "what cannot be written is an error");
	close(path);
	close(deep);
	close(fd);
}

int main(void)
{
	umask(022);
	if (!mkdtemp(top) || (top_fd = open(top, O_RDONLY | O_DIRECTORY)) < 0)
		return 2;
	test_made();
	test_left();
	test_killed();
	test_looks();
	test_not_folders();
	test_race();
	test_publish();
	test_sticky();
	test_sync();
	close(top_fd);
	tap(!folder_remove(AT_FDCWD, top), "all is removed");
	return tap_status();
}
