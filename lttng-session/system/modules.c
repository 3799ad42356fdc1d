// SPDX-License-Identifier: LGPL-2.1-only
/* Reads /proc/modules and the ELF notes below /sys. */
#include "lttng-session/system/modules.h"
#include "util/mounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the GNU build ID from an ELF notes file; elf(5) describes the format. */
static void read_build_id(const char *path, char id[BUILD_ID_MAX])
{
	unsigned char notes[4096];
	char full[4096];
	size_t size;
	FILE *file;

	id[0] = '\0';
	if (snprintf(full, sizeof(full), "%s%s", mounts_root(), path) >= (int)sizeof(full))
		return;
	file = fopen(full, "re");
	size = file ? fread(notes, 1, sizeof(notes), file) : 0;
	if (file)
		fclose(file);
	for (size_t at = 0; at + 12 <= size;) {
		uint32_t header[3];
		size_t name, desc;

		memcpy(header, notes + at, sizeof(header));
		if (header[0] > size || header[1] > size)
			break;
		name = at + 12;
		desc = name + ((size_t)header[0] + 3) / 4 * 4;
		at = desc + ((size_t)header[1] + 3) / 4 * 4;
		if (at > size || header[2] != 3 || header[0] != 4 || header[1] > 64 ||
		    memcmp(notes + name, "GNU", 4))
			continue;
		for (size_t i = 0; i < header[1]; i++)
			snprintf(id + 2 * i, 3, "%02x", notes[desc + i]);
	}
}

void modules_kernel_build_id(char id[BUILD_ID_MAX])
{
	read_build_id("/sys/kernel/notes", id);
}

/*
 * Parses a line such as `ext4 1093632 2 jbd2,mbcache, Live 0xffffffffc0a00000 (OE)`. The list of
 * modules that use this one may have thousands of bytes.
 */
static bool parse(const char *line, struct loaded_module *module)
{
	char state[16], path[160];

	memset(module, 0, sizeof(*module));
	if (sscanf(line, "%63s %" SCNu64 " %*s %*s %15s 0x%" SCNx64, module->name, &module->size,
		   state, &module->base) != 4)
		return false;
	module->live = !strcmp(state, "Live");
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module->name);
	read_build_id(path, module->build_id);
	return true;
}

void modules_each(void (*visit)(const struct loaded_module *module, void *user), void *user)
{
	char path[4096], *line = NULL;
	struct loaded_module module;
	FILE *file = NULL;
	size_t size = 0;

	if (snprintf(path, sizeof(path), "%s/proc/modules", mounts_root()) < (int)sizeof(path))
		file = fopen(path, "re");
	while (file && getline(&line, &size, file) > 0)
		if (parse(line, &module))
			visit(&module, user);
	free(line);
	if (file)
		fclose(file);
}

struct module_search {
	char name[sizeof(((struct loaded_module *)NULL)->name)]; /* has underscores, no dashes */
	struct loaded_module *module;
	bool found;
};

static void compare_name(const struct loaded_module *module, void *user)
{
	struct module_search *search = user;

	if (strcmp(module->name, search->name) != 0)
		return;
	*search->module = *module;
	search->found = true;
}

bool modules_find(const char *name, struct loaded_module *module)
{
	struct module_search search = { .module = module };

	snprintf(search.name, sizeof(search.name), "%s", name);
	/* /proc/modules has underscores only. */
	for (char *c = search.name; (c = strchr(c, '-'));)
		*c = '_';
	modules_each(compare_name, &search);
	return search.found;
}
