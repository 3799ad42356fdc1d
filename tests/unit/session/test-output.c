// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the output folder of a snapshot. Root must not use a folder that other users control. */
#include "lttng-session/snapshot/output.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "tests/tap.h"

#define NOBODY 65534

static char top[] = "/tmp/test-output-XXXXXX";

/* Files and folders in the order of their creation; a link's mode is 0. */
static const struct {
	const char *name;
	mode_t mode;
	uid_t owner;
	const char *target;
} entries[] = {
	{ "own", 0755, 0, NULL },
	{ "own/inner", 0700, 0, NULL },
	{ "others", 0755, NOBODY, NULL },
	{ "others/own", 0755, 0, NULL },
	{ "open", 0777, 0, NULL },
	{ "open/own", 0755, 0, NULL },
	{ "group", 0775, 0, NULL },
	{ "sticky", 01777, 0, NULL },
	{ "sticky/own", 0755, 0, NULL },
	{ "sticky/others", 0755, NOBODY, NULL },
	{ "sticky/dangling", 0, 0, "../own/dangled" },
	{ "sticky/link", 0, 0, "../own/inner" },
	{ "sticky/theirs", 0, NOBODY, "../own/inner" },
	{ "sticky/absolute", 0, NOBODY, "/etc" },
	{ "sticky/own/chain", 0, 0, "../theirs/.." },
	{ "own/chain", 0, 0, "../sticky/link/" },
	{ "own/up", 0, 0, ".." },
	{ "own/loop", 0, 0, "loop" },
	{ "own/link", 0, 0, "../others/own" },
};

static const struct {
	const char *path, *full; /* NULL: refused */
	const char *says, *remedy;
} cases[] = {
	{ "own", "own", NULL, NULL },
	{ "own/../own/./inner/", "own/inner", NULL, NULL },
	{ "own/new", "own/new", NULL, NULL },
	{ "own/new2//", "own/new2", NULL, NULL },
	{ "sticky", "sticky", NULL, NULL },
	{ "sticky/new", "sticky/new", NULL, NULL },
	{ "sticky/own", "sticky/own", NULL, NULL },
	{ "sticky/link", "own/inner", NULL, NULL },
	{ "own/chain", "own/inner", NULL, NULL },
	{ "own/up/sticky/../own/up/own/inner", "own/inner", NULL, NULL },
	{ "sticky/theirs", NULL, "sticky/theirs: is a link of user 65534", "/var/tmp" },
	{ "sticky/theirs/..", NULL, "sticky/theirs: is a link of user 65534", "/var/tmp" },
	{ "sticky/absolute", NULL, "sticky/absolute: is a link of user 65534", "/var/tmp" },
	{ "sticky/absolute/new", NULL, "sticky/absolute: is a link of user 65534", "/var/tmp" },
	{ "sticky/own/chain", NULL, "sticky/theirs: is a link of user 65534", "/var/tmp" },
	{ "own/loop", NULL, "own/loop: Too many levels", "another --output" },
	{ "own/link/../../others/own", NULL, "others: belongs to user", "/var/tmp" },
	{ "others/../own", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "others", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "others/own", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "others/new", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "own/link", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "sticky/others", NULL, "sticky/others: belongs to user 65534", "/var/tmp" },
	{ "open", NULL, "open: other users can write", "chmod go-w" },
	{ "open/own", NULL, "open: other users can write", "chmod go-w" },
	{ "group", NULL, "group: other users can write", "chmod go-w" },
	{ "own/missing/new", NULL, "own/missing: No such file", "another --output" },
	{ "sticky/dangling", NULL, "own/dangled: No such file", "another --output" },
	{ "own/missing/..", NULL, "own/missing: No such file", "another --output" },
};

static char *path_of(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void check(size_t i)
{
	struct mm_error err = MM_ERROR_INIT;
	char path[4096], full[PATH_MAX] = "";
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s", path_of(cases[i].path));
	fd = output_open(path, full, sizeof(full), &err);
	if (cases[i].full) {
		tap(fd >= 0 && !strcmp(full, path_of(cases[i].full)) && !fstat(fd, &st) &&
			    S_ISDIR(st.st_mode) && !faccessat(fd, ".", W_OK, 0),
		    "%s is opened", cases[i].path);
	} else {
		tap(fd < 0 && err.code == MM_EXIT_ENVIRONMENT &&
			    strstr(err.message, cases[i].says) &&
			    strstr(err.message, cases[i].remedy),
		    "%s is refused, with the remedy", cases[i].path);
		printf("# %s\n", err.message);
	}
	if (fd >= 0)
		close(fd);
}

/* Tests names that are too long for any buffer. */
static void check_long(void)
{
	struct mm_error err = MM_ERROR_INIT;
	char path[PATH_MAX + 512], full[PATH_MAX];

	snprintf(path, sizeof(path), "%s", path_of("own/"));
	while (strlen(path) < PATH_MAX)
		strcat(path, "0123456789/");
	tap(output_open(path, full, sizeof(full), &err) < 0 &&
		    strstr(err.message, "name too long") &&
		    strstr(err.message, "choose another --output"),
	    "a path that is too long is refused by name");
}

/* Tests a path relative to the current folder, which other users may control. */
static void check_relative(void)
{
	struct mm_error err = MM_ERROR_INIT;
	char full[PATH_MAX] = "";
	int fd;

	tap(!chdir(path_of("own")) &&
		    (fd = output_open("./inner", full, sizeof(full), &err)) >= 0 &&
		    !strcmp(full, path_of("own/inner")) && !close(fd),
	    "a relative path: %s%s", full, err.message);
	tap(!chdir(path_of("others/own")) && output_open(".", full, sizeof(full), &err) < 0 &&
		    strstr(err.message, "others: belongs to user 65534"),
	    "the current folder is below another user's: %s", err.message);
	tap(!chdir("/") && output_open("", full, sizeof(full), &err) < 0,
	    "an empty path is refused");
}

/* Tests a race: another user replaces a folder by a link while root opens the folder. */
static void check_race(void)
{
	char path[4096], inner[4104];
	unsigned int wrong = 0, opened = 0;
	pid_t pid = fork();

	snprintf(path, sizeof(path), "%s", path_of("sticky/flips"));
	snprintf(inner, sizeof(inner), "%s/inner", path);
	if (!pid) {
		if (setresuid(NOBODY, NOBODY, NOBODY))
			_exit(1);
		for (;;) {
			mkdir(path, 0755);
			rmdir(path);
			if (symlink("../own", path))
				continue;
			unlink(path);
		}
	}
	for (int i = 0; i < 20000; i++) {
		struct mm_error err = MM_ERROR_INIT;
		char full[PATH_MAX];
		int fd = output_open(inner, full, sizeof(full), &err);

		opened += fd >= 0;
		wrong += fd < 0 && !strstr(err.message, "65534") && !strstr(err.message, "No such");
		if (fd >= 0)
			close(fd);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	tap(!opened && !wrong, "a folder that becomes a link and back is never followed");
}

/* Finds the path of a folder that a client has opened. */
static void check_name(void)
{
	char full[PATH_MAX] = "";
	int fd, ends[2];
	pid_t pid;
	int status = -1;

	fd = open(path_of("own/chain"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tap(output_path(fd, full, sizeof(full)) && !strcmp(full, path_of("own/inner")),
	    "the path of a descriptor is the kernel's: %s", full);
	close(fd);
	tap(!pipe(ends) && !output_path(ends[0], full, sizeof(full)), "a pipe has none");
	pid = fork();
	if (!pid) {
		/* The other user's namespace has another folder at that path. */
		int own = open("/proc/self/ns/mnt", O_RDONLY);

		if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount(path_of("others"), "/etc", NULL, MS_BIND, NULL))
			_exit(77);
		fd = open("/etc", O_RDONLY | O_DIRECTORY);
		if (setns(own, CLONE_NEWNS))
			_exit(77);
		_exit(output_path(fd, full, sizeof(full)));
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		tap_skip("a folder of another mount namespace", "no mount namespaces here");
	else
		tap(WIFEXITED(status) && !WEXITSTATUS(status),
		    "a folder of another mount namespace has none");
}

int main(void)
{
	umask(022);
	if (!mkdtemp(top) || chmod(top, 0755))
		return 2;
	if (geteuid()) {
		tap_skip("folders of other users", "only root can make them");
		return rmdir(top) || tap_status();
	}
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const char *path = path_of(entries[i].name);

		if (entries[i].target ? symlink(entries[i].target, path)
				      : mkdir(path, 0700) || chmod(path, entries[i].mode))
			return 2;
		if (lchown(path, entries[i].owner, 0))
			return 2;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(i);
	tap(access(path_of("others/new"), F_OK) && access(path_of("own/dangled"), F_OK),
	    "nothing is created in a refused folder");
	check_long();
	check_relative();
	check_race();
	check_name();
	tap(!folder_remove(AT_FDCWD, top), "all is removed");
	return tap_status();
}
