// SPDX-License-Identifier: LGPL-2.1-only
/* Which folders root may write a snapshot to. */
#include "lttng-session/snapshot/output.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "tests/tap.h"

#define NOBODY 65534

static char top[] = "/tmp/test-output-XXXXXX";

/* In order; a link's mode is 0. */
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
	{ "sticky/dangling", 0, NOBODY, "../own/dangled" },
	{ "sticky/link", 0, NOBODY, "../own/inner" },
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
	{ "others", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "others/own", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "others/new", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "own/link", NULL, "others: belongs to user 65534", "/var/tmp" },
	{ "sticky/others", NULL, "sticky/others: belongs to user 65534", "/var/tmp" },
	{ "open", NULL, "open: other users can write", "chmod go-w" },
	{ "open/own", NULL, "open: other users can write", "chmod go-w" },
	{ "group", NULL, "group: other users can write", "chmod go-w" },
	{ "own/missing/new", NULL, "own/missing/new: No such file", "another --output" },
	{ "sticky/dangling", NULL, "sticky/dangling: File exists", "another --output" },
	{ "own/missing/..", NULL, "own/missing/..: No such file", "another --output" },
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

/* Names too long for any buffer. */
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
	    "nothing is made in a refused folder");
	check_long();
	tap(!folder_remove(AT_FDCWD, top), "all is removed");
	return tap_status();
}
