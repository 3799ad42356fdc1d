// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Slab caches in the system information: which caches the kernel has merged, and which it can
 * reclaim. The kernel merges caches whose objects fit the same slots. /sys/kernel/slab then has one
 * folder with an id such as ":0000192", and a symbolic link to it for each name.
 */
#include "analysis/slab/decode/sysinfo.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/json-file.h"
#include "util/mounts.h"

/* Maximum number of links to read from /sys/kernel/slab. A kernel has about 200 caches. */
#define LINKS_MAX 16384u

struct link {
	char name[256], target[256];
};

struct links {
	struct link *all;
	size_t count, room;
};

static int add_link(struct links *links, const char *folder, const char *name)
{
	char path[4096];
	struct link link = { .name = "" };
	ssize_t length;

	snprintf(link.name, sizeof(link.name), "%s", name);
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return 0;
	length = readlink(path, link.target, sizeof(link.target) - 1);
	/* A cache that is not merged is a folder, not a link. */
	if (length <= 0 || links->count == LINKS_MAX)
		return 0;
	if (links->count == links->room) {
		size_t room = links->room ? 2 * links->room : 64;
		struct link *grown = reallocarray(links->all, room, sizeof(*grown));

		if (!grown)
			return -1;
		links->all = grown;
		links->room = room;
	}
	links->all[links->count++] = link;
	return 0;
}

static int compare_links(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	int order = strcmp(x->target, y->target);

	return order ? order : strcmp(x->name, y->name);
}

static json_t *group(const struct links *links)
{
	json_t *caches = json_array();

	for (size_t i = 0, end; i < links->count; i = end) {
		json_t *names = json_array();

		for (end = i;
		     end < links->count && !strcmp(links->all[end].target, links->all[i].target);
		     end++)
			json_array_append_new(names, mm_json_text(links->all[end].name));
		if (end - i > 1)
			json_array_append_new(caches, json_pack("{s:o, s:O}", "id",
								mm_json_text(links->all[i].target),
								"names", names));
		json_decref(names);
	}
	return caches;
}

static json_t *collect_aliases(void)
{
	struct links links = { NULL, 0, 0 };
	struct dirent *entry;
	char path[4096];
	bool failed = false;
	DIR *slab;
	json_t *caches;

	mounts_path(path, sizeof(path), "/sys/kernel/slab");
	slab = opendir(path);
	while (slab && !failed && (entry = readdir(slab)))
		failed = add_link(&links, path, entry->d_name);
	if (slab)
		closedir(slab);
	if (links.count)
		qsort(links.all, links.count, sizeof(*links.all), compare_links);
	caches = failed ? NULL : group(&links);
	free(links.all);
	return caches;
}

/*
 * Can the kernel free unused objects of the cache when memory is short (SLAB_RECLAIM_ACCOUNT)?
 * Returns 1, 0, or -1 if unknown.
 */
static int is_reclaimable(int slab, const char *name)
{
	char path[512], value = '\0';
	ssize_t length;
	int fd;

	if (snprintf(path, sizeof(path), "%s/reclaim_account", name) >= (int)sizeof(path))
		return -1;
	fd = openat(slab, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	length = read(fd, &value, 1);
	close(fd);
	if (length != 1 || (value != '0' && value != '1'))
		return -1;
	return value == '1';
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/*
 * Returns all caches. A merged cache appears once for each of its names. The list is empty if
 * /sys/kernel/slab does not exist.
 */
static json_t *collect_caches(void)
{
	json_t *caches = json_array();
	struct dirent **entries = NULL;
	char path[4096];
	int slab, count = 0;

	mounts_path(path, sizeof(path), "/sys/kernel/slab");
	slab = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (slab >= 0)
		count = scandirat(slab, ".", &entries, is_name, by_name);
	for (int i = 0; i < count; i++) {
		int reclaimable = is_reclaimable(slab, entries[i]->d_name);

		if (reclaimable >= 0)
			json_array_append_new(caches, json_pack("{s:o, s:b}", "name",
								mm_json_text(entries[i]->d_name),
								"reclaimable", reclaimable));
		free(entries[i]);
	}
	free(entries);
	if (slab >= 0)
		close(slab);
	if (count >= 0)
		return caches;
	json_decref(caches);
	return NULL;
}

#define ALIASES "slab-aliases.json"
#define CACHES "slab-caches.json"

static const struct mm_sysinfo_member cache_members[] = { { "name", JSON_STRING, false },
							  { "reclaimable", JSON_TRUE, false },
							  { 0 } };

const struct mm_sysinfo_part slab_sysinfo_parts[] = {
	{ .name = ALIASES, .key = "names", .collect = collect_aliases },
	{ .name = CACHES, .key = "name", .members = cache_members, .collect = collect_caches },
	{ .name = NULL },
};

const char *slab_sysinfo_alias(const struct mm_sysinfo *sysinfo, const char *cache, size_t index)
{
	const json_t *entry = mm_sysinfo_entry(sysinfo, ALIASES, cache);

	return json_string_value(json_array_get(json_object_get(entry, "names"), index));
}

int slab_sysinfo_is_reclaimable(const struct mm_sysinfo *sysinfo, const char *cache)
{
	const json_t *value =
		json_object_get(mm_sysinfo_entry(sysinfo, CACHES, cache), "reclaimable");

	return json_is_boolean(value) ? json_is_true(value) : -1;
}
