// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the group and the modes that a snapshot's files and folders get. */
#include "lttng-session/snapshot/access.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/unit/files.h"

static char top[] = "/tmp/test-access-XXXXXX";
static int made;

/* Sets unexpected modes. */
static void spread(void)
{
	tap_shell("cd %s && chmod 777 . a a/b && chmod 666 a/b/file && chmod 400 a/file", top);
}

/* Do all folders and files have this mode and group ((gid_t)-1: any group)? */
static bool are(mode_t folder, mode_t file, gid_t group)
{
	static const struct {
		const char *name;
		bool folder;
	} all[] = { { ".", true },
		    { "a", true },
		    { "a/b", true },
		    { "a/b/file", false },
		    { "a/file", false } };
	struct stat st;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (fstatat(made, all[i].name, &st, 0) ||
		    (st.st_mode & 07777) != (all[i].folder ? folder : file) ||
		    (group != (gid_t)-1 && st.st_gid != group))
			return false;
	return true;
}

static void test_parse(void)
{
	enum snapshot_access access = SNAPSHOT_ACCESS_DEFAULT;

	tap(access_parse("private", &access) && access == SNAPSHOT_ACCESS_PRIVATE &&
		    access_parse("group", &access) && access == SNAPSHOT_ACCESS_GROUP &&
		    access_parse("public", &access) && access == SNAPSHOT_ACCESS_PUBLIC,
	    "private, group, public");
	tap(!access_parse("", &access) && !access_parse("0644", &access), "nothing else");
}

static void test_modes(void)
{
	spread();
	tap(!access_set(made, SNAPSHOT_ACCESS_PRIVATE) && are(0700, 0600, (gid_t)-1), "private");
	spread();
	tap(!access_set(made, SNAPSHOT_ACCESS_PUBLIC) && are(0755, 0644, (gid_t)-1), "public");
	spread();
	if (access_can_give()) {
		tap(!access_set(made, SNAPSHOT_ACCESS_GROUP) && are(0750, 0640, access_group()),
		    "group: the group " ACCESS_GROUP);
		spread();
		tap(!access_set(made, SNAPSHOT_ACCESS_DEFAULT) && are(0750, 0640, access_group()),
		    "the default is group, too");
	} else {
		tap(access_set(made, SNAPSHOT_ACCESS_GROUP) && errno == EPERM,
		    "group: refused for another owner, or without the group");
		tap(!access_set(made, SNAPSHOT_ACCESS_DEFAULT) && are(0700, 0600, (gid_t)-1),
		    "... and the default is private");
	}
}

/* Tests that the target of a symbolic link keeps its mode. */
static void test_link(void)
{
	struct stat st;

	tap_shell("cd %s && echo x >outside && chmod 606 outside && ln -s ../outside a/link", top);
	tap(!access_set(made, SNAPSHOT_ACCESS_PRIVATE), "a link is left alone");
	tap(!fstatat(made, "outside", &st, 0) && (st.st_mode & 0777) == 0600,
	    "... a file is changed by its own name");
	tap_shell("cd %s && mv outside ../outside.$$ && ln -sf ../../outside.$$ a/link && "
		  "chmod 606 ../outside.$$",
		  top);
	tap(!access_set(made, SNAPSHOT_ACCESS_PRIVATE) && !fstatat(made, "a/link", &st, 0) &&
		    (st.st_mode & 0777) == 0606,
	    "... but not through a link to it");
	tap_shell("rm $(realpath %s/a/link)", top);
}

int main(void)
{
	umask(022);
	if (!mkdtemp(top))
		return 2;
	tap_shell("cd %s && mkdir -p a/b && echo x >a/b/file && echo x >a/file", top);
	made = open(top, O_RDONLY | O_DIRECTORY);
	test_parse();
	test_modes();
	test_link();
	close(made);
	tap(!folder_remove(AT_FDCWD, top), "all is removed");
	return tap_status();
}
