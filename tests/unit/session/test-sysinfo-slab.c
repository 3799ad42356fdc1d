// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the names of merged caches, and which caches are reclaimable: from a synthetic
 * /sys/kernel/slab to the sysinfo folder and back.
 */
#include "lttng-session/sysinfo/sysinfo.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "analysis/slab/decode/sysinfo.h"
#include "reader/sysinfo/sysinfo.h"
#include "tests/unit/machine.h"

static const struct {
	const char *name, *target; /* NULL: a folder */
} entries[] = {
	{ "sys", NULL },
	{ "sys/kernel", NULL },
	{ "sys/kernel/slab", NULL },
	{ "sys/kernel/slab/:0000192", NULL },
	{ "sys/kernel/slab/dentry", NULL },
	{ "sys/kernel/slab/unread", NULL },
	{ "sys/kernel/slab/odd", NULL },
	{ "sys/kernel/slab/zeta", ":0000192" },
	{ "sys/kernel/slab/alpha", ":0000192" },
	{ "sys/kernel/slab/bad\xff\n", ":0000192" },
	{ "sys/kernel/slab/alone", ":0000064" },
	{ "sys/kernel/slab/other", ":0000032" },
	{ "sys/kernel/slab/pair", ":0000032" },
};

static bool is(const struct mm_sysinfo *sysinfo, const char *cache, size_t index,
	       const char *expected)
{
	const char *alias = slab_sysinfo_alias(sysinfo, cache, index);

	return expected ? alias && !strcmp(alias, expected) : !alias;
}

static const struct {
	const char *cache, *file; /* the text of reclaim_account; NULL: no such file */
	int expected;
	const char *what;
} reclaim[] = {
	{ "dentry", "1\n", 1, "a reclaimable cache" },
	{ ":0000192", "0\n", 0, "a cache that is not reclaimable" },
	{ "zeta", NULL, 0, "a merged cache: as the one that it links to" },
	{ "unread", NULL, -1, "a cache without reclaim_account: not known" },
	{ "odd", "yes\n", -1, "neither 0 nor 1: not known" },
	{ "nosuch", NULL, -1, "a cache that is not listed: not known" },
};

static const char *reclaim_path(const char *cache)
{
	static char path[300];

	snprintf(path, sizeof(path), "sys/kernel/slab/%s/reclaim_account", cache);
	return machine_path(path);
}

static void check_reclaimable(int fd)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_sysinfo *sysinfo;

	for (size_t i = 0; i < sizeof(reclaim) / sizeof(reclaim[0]); i++) {
		FILE *file = reclaim[i].file ? fopen(reclaim_path(reclaim[i].cache), "w") : NULL;

		if (file) {
			fputs(reclaim[i].file, file);
			fclose(file);
		}
	}
	sysinfo = mm_sysinfo_load_folder(machine_root, NULL, mm_sysinfo_part_at);
	tap(slab_sysinfo_is_reclaimable(sysinfo, "dentry") == -1,
	    "no list of caches: whether one is reclaimable is not known");
	mm_sysinfo_destroy(sysinfo);
	tap(!sysinfo_write_part(fd, &slab_sysinfo_parts[1], &err), "reclaimable caches: written");
	sysinfo = mm_sysinfo_load_folder(machine_root, NULL, mm_sysinfo_part_at);
	for (size_t i = 0; i < sizeof(reclaim) / sizeof(reclaim[0]); i++)
		tap(slab_sysinfo_is_reclaimable(sysinfo, reclaim[i].cache) == reclaim[i].expected,
		    reclaim[i].what);
	mm_sysinfo_destroy(sysinfo);
	unlink(machine_path("sysinfo/slab-caches.json"));
	for (size_t i = 0; i < sizeof(reclaim) / sizeof(reclaim[0]); i++)
		if (reclaim[i].file)
			unlink(reclaim_path(reclaim[i].cache));
}

int main(void)
{
	static const char *const folders[] = { "sysinfo", NULL };
	struct mm_error err = MM_ERROR_INIT;
	struct mm_sysinfo *sysinfo;
	int fd;

	machine_create(folders);
	fd = open(machine_path("sysinfo"), O_RDONLY | O_DIRECTORY);
	tap(!sysinfo_write_part(fd, &slab_sysinfo_parts[0], &err), "no /sys/kernel/slab: no error");
	sysinfo = mm_sysinfo_load_folder(machine_root, NULL, mm_sysinfo_part_at);
	tap(sysinfo && is(sysinfo, "alpha", 0, NULL), "no /sys/kernel/slab: no aliases");
	mm_sysinfo_destroy(sysinfo);

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (entries[i].target ? symlink(entries[i].target, machine_path(entries[i].name))
				      : mkdir(machine_path(entries[i].name), 0755))
			return 2;
	tap(sysinfo_write_part(fd, &slab_sysinfo_parts[0], &err) == -1,
	    "an existing file is not overwritten");
	unlinkat(fd, "slab-aliases.json", 0);
	mm_error_clear(&err);
	tap(!sysinfo_write_part(fd, &slab_sysinfo_parts[0], &err), "written");
	sysinfo = mm_sysinfo_load_folder(machine_root, NULL, mm_sysinfo_part_at);
	tap(is(sysinfo, "alpha", 0, "alpha") && is(sysinfo, "alpha", 1, "bad\xef\xbf\xbd\n") &&
		    is(sysinfo, "alpha", 2, "zeta") && is(sysinfo, "alpha", 3, NULL),
	    "links to one cache are its names, in order");
	tap(is(sysinfo, "pair", 0, "other") && is(sysinfo, "other", 1, "pair"),
	    "any of the names finds them");
	tap(is(sysinfo, "alone", 0, NULL), "one name is no alias");
	tap(is(sysinfo, "dentry", 0, NULL) && is(sysinfo, ":0000192", 0, NULL),
	    "a folder is not a name of another one");
	mm_sysinfo_destroy(sysinfo);
	check_reclaimable(fd);

	close(fd);
	unlink(machine_path("sysinfo/slab-aliases.json"));
	rmdir(machine_path("sysinfo"));
	for (size_t i = sizeof(entries) / sizeof(entries[0]); i-- > 0;)
		remove(machine_path(entries[i].name));
	rmdir(machine_root);
	return tap_status();
}
