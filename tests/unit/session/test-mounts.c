// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the parser of mounts with names and options of any length, and the search for DAX mounts.
 */
#include "util/mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "lttng-session/system/mount-options.h"
#include "tests/unit/machine.h"

static char long_path[4001], long_options[3001];

static const struct {
	const char *name, *line; /* L: the long path, O: the long options */
	const char *mounted, *fstype, *source, *dax;
} cases[] = {
	{ "plain", "10 1 259:3 / /mnt rw,noatime - ext4 /dev/pmem0 rw,dax=always", "/mnt", "ext4",
	  "/dev/pmem0", "always" },
	{ "an old option", "10 1 259:3 / /mnt rw - ext4 /dev/pmem0 rw,dax", "/mnt", "ext4",
	  "/dev/pmem0", "always" },
	{ "optional fields", "10 1 259:3 / /mnt rw shared:1 master:2 - xfs /dev/pmem0 rw,dax=inode",
	  "/mnt", "xfs", "/dev/pmem0", "inode" },
	{ "escapes", "10 1 259:3 / /a\\040b\\011c rw - ext4 /dev/\\134x rw", "/a b\tc", "ext4",
	  "/dev/\\x", "" },
	{ "a long folder", "10 1 259:3 / L rw - ext4 /dev/pmem0 rw,dax=never", long_path, "ext4",
	  "/dev/pmem0", "never" },
	{ "a long root", "10 1 259:3 L /mnt rw - ext4 /dev/pmem0 rw,dax=inode", "/mnt", "ext4",
	  "/dev/pmem0", "inode" },
	{ "a long source", "10 1 259:3 / /mnt rw - ext4 L rw,dax=inode", "/mnt", "ext4", long_path,
	  "inode" },
	{ "long options", "10 1 259:3 / /mnt rw - ext4 /dev/pmem0 O,dax=always", "/mnt", "ext4",
	  "/dev/pmem0", "always" },
	{ "another option of a similar name",
	  "10 1 259:3 / /mnt rw - ext4 /dev/pmem0 rw,daxx,nodax", "/mnt", "ext4", "/dev/pmem0",
	  "" },
	{ "not a mount", "10 1 259:3 / /mnt rw", NULL, NULL, NULL, NULL },
	{ "no options", "10 1 259:3 / /mnt rw - ext4 /dev/pmem0", NULL, NULL, NULL, NULL },
};

static void write_line(const char *line)
{
	FILE *file = fopen(machine_path("proc/self/mountinfo"), "w");

	if (!file)
		exit(2);
	for (const char *c = line; *c; c++)
		if (*c == 'L' || *c == 'O')
			fputs(*c == 'L' ? long_path : long_options, file);
		else
			putc(*c, file);
	putc('\n', file);
	if (fclose(file))
		exit(2);
}

static int check(const struct mount *mount, void *user)
{
	size_t i = *(size_t *)user;

	return cases[i].mounted && mount->major == 259 && mount->minor == 3 &&
	       !strcmp(mount->mountpoint, cases[i].mounted) &&
	       !strcmp(mount->fstype, cases[i].fstype) && !strcmp(mount->source, cases[i].source) &&
	       !strcmp(mount->dax, cases[i].dax);
}

/* Mount options, and the options that a snapshot stores: without values that may be secret. */
static const struct {
	const char *name, *list, *options, *kept;
} kept[] = {
	{ "names", NULL, "rw,noatime,nodax", "rw,noatime,nodax" },
	{ "values of the defaults", NULL, "rw,dax=always,data=ordered",
	  "rw,dax=always,data=ordered" },
	{ "a secret", NULL, "rw,password=hunter2,size=4k", "rw,password=...,size=4k" },
	{ "a comma in a value", NULL, "lowerdir=/a\\,b,context=\"u:c1,c2\",rw",
	  "lowerdir=...,context=...,rw" },
	{ "words that are not names", NULL, "key=a,/b:c,=d,,rw", "key=...,...,...,...,rw" },
	{ "a list of one's own", "user*\n", "username=x,dax=always", "username=x,dax=..." },
	{ "an empty list", "", "rw,dax=always", "rw,dax=..." },
};

static void check_options(void)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		struct allow_list list;
		char *options;

		machine_write("etc/lttng-mm/mount-options", kept[i].list);
		mount_options_list(&list);
		options = mount_options_without_secrets(&list, kept[i].options);
		allow_release(&list);
		tap(options && !strcmp(options, kept[i].kept), "options: %s: %s", kept[i].name,
		    options);
		free(options);
	}
}

int main(void)
{
	static const char *const folders[] = { "proc", "proc/self", "etc", "etc/lttng-mm", NULL };

	memset(long_path, 'p', sizeof(long_path) - 1);
	long_path[0] = '/';
	memset(long_options, 'o', sizeof(long_options) - 1);
	machine_create(folders);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_check found;
		bool dax = cases[i].dax &&
			   (!strcmp(cases[i].dax, "always") || !strcmp(cases[i].dax, "inode"));

		write_line(cases[i].line);
		tap(mounts_each(check, &i) == !!cases[i].mounted &&
			    mm_requirement_find("dax-mount")->check(&found) == dax,
		    "%s", cases[i].name);
	}
	check_options();
	tap(machine_remove(), "all is removed");
	return tap_status();
}
