// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the memory of a cgroup. */
#include "lttng-session/system/cgroup.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "util/json-file.h"
#include "util/mounts.h"

#define CGROUPS "/sys/fs/cgroup"

static const struct {
	const char *counter, *member;
} counters[] = {
	{ "anon", "anon_bytes" },
	{ "file", "file_bytes" },
	{ "file_mapped", "file_mapped_bytes" },
	{ "kernel", "kernel_bytes" },
};

const char *cgroup_relative(const char *path)
{
	const size_t length = strlen(CGROUPS);

	if (strncmp(path, CGROUPS, length) != 0 || (path[length] && path[length] != '/'))
		return path;
	return path[length] ? path + length : "/";
}

static void read_line(json_t *memory, const char *line)
{
	char name[64];
	uint64_t bytes;

	if (sscanf(line, "%63s %" SCNu64, name, &bytes) != 2)
		return;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (!strcmp(name, counters[i].counter))
			json_object_set_new(memory, counters[i].member,
					    json_integer((json_int_t)bytes));
}

json_t *cgroup_memory(const char *path)
{
	char full[PATH_MAX], line[256];
	FILE *file =
		mounts_path(full, sizeof(full), CGROUPS "/%s/memory.stat", cgroup_relative(path))
			? NULL
			: fopen(full, "re");
	json_t *memory;

	if (!file)
		return NULL;
	memory = json_pack("{s:o}", "cgroup", mm_json_text(cgroup_relative(path)));
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		json_object_set_new(memory, counters[i].member, json_null());
	while (fgets(line, sizeof(line), file))
		read_line(memory, line);
	fclose(file);
	return memory;
}
