// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the kernel command line and withholds values that may be secret. */
#include "lttng-session/system/cmdline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/system/mounts.h"
#include "util/glob.h"
#include "util/text.h"

#define LIST "/etc/lttng-mm/kernel-parameters"
#define WITHHELD "..."

/* Parameters that affect memory management or timing. */
const char *const cmdline_defaults[] = {
	"cgroup.memory",
	"cgroup_disable",
	"cgroup_enable",
	"clocksource",
	"cma",
	"crashkernel",
	"debug_pagealloc",
	"default_hugepagesz",
	"ftrace*",
	"hugepages",
	"hugepagesz",
	"hugetlb_*",
	"idle",
	"init_on_alloc",
	"init_on_free",
	"irqaffinity",
	"isolcpus",
	"kasan*",
	"kernelcore",
	"kfence.*",
	"kmemleak",
	"lockdown",
	"lttng_mm.*",
	"maxcpus",
	"mem",
	"memhp_default_state",
	"memmap",
	"memory_hotplug.*",
	"mitigations",
	"module.sig_enforce",
	"movablecore",
	"nohz",
	"nohz_full",
	"nr_cpus",
	"numa",
	"numa_balancing",
	"page_alloc.*",
	"page_owner",
	"page_poison",
	"page_reporting.*",
	"possible_cpus",
	"preempt",
	"rcu_nocbs",
	"rcupdate.*",
	"rcutree.*",
	"slab_*",
	"slub_*",
	"swapaccount",
	"thp_*",
	"transparent_hugepage*",
	"tsc",
	"vmalloc",
	"zswap.*",
	NULL,
};

int cmdline_read(char line[CMDLINE_BYTES])
{
	char path[4096];
	FILE *file = NULL;
	size_t length;

	errno = ENAMETOOLONG;
	if (snprintf(path, sizeof(path), "%s/proc/cmdline", mounts_root()) < (int)sizeof(path))
		file = fopen(path, "re");
	if (!file)
		return -1;
	length = fread(line, 1, CMDLINE_BYTES - 1, file);
	fclose(file);
	line[length] = '\0';
	return 0;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool cmdline_next(const char **line, char *word, size_t size)
{
	const char *c = *line;
	size_t length = 0;
	bool quoted = false;

	while (is_space(*c))
		c++;
	if (!*c)
		return false;
	for (; *c && (quoted || !is_space(*c)); c++) {
		if (*c == '"')
			quoted = !quoted;
		else if (length + 1 < size)
			word[length++] = *c;
	}
	word[length] = '\0';
	*line = c;
	return strcmp(word, "--") != 0;
}

struct list {
	char **names;
	size_t count;
	bool failed;
};

/* As in the kernel, a dash in the name of a parameter equals an underscore. */
static void add_name(struct list *list, const char *name)
{
	char **grown = reallocarray(list->names, list->count + 1, sizeof(*grown));
	char *copy = strdup(name);

	if (grown)
		list->names = grown;
	if (!grown || !copy) {
		free(copy);
		list->failed = true;
		return;
	}
	for (char *c = copy; (c = strchr(c, '-'));)
		*c = '_';
	list->names[list->count++] = copy;
}

/* One name or pattern per line; what follows a # is a comment. */
static void read_list(struct list *list)
{
	char path[4096], *line = NULL;
	size_t size = 0;
	FILE *file;

	*list = (struct list){ .count = 0 };
	if (snprintf(path, sizeof(path), "%s" LIST, mounts_root()) >= (int)sizeof(path))
		return;
	file = fopen(path, "re");
	/* A list that exists but cannot be read lists nothing. */
	if (!file && errno == ENOENT)
		for (const char *const *name = cmdline_defaults; *name; name++)
			add_name(list, *name);
	while (file && getline(&line, &size, file) > 0) {
		char *name = line + strspn(line, " \t");

		name[strcspn(name, "# \t\r\n")] = '\0';
		if (*name)
			add_name(list, name);
	}
	free(line);
	if (file)
		fclose(file);
}

static bool is_listed(const struct list *list, char *name)
{
	for (char *c = name; (c = strchr(c, '-'));)
		*c = '_';
	for (size_t i = 0; i < list->count; i++)
		if (mm_glob_match(list->names[i], name))
			return true;
	return false;
}

/* Writes `name`, `name=value` or `name=...`, in quotes if it holds a space. */
static void write_parameter(FILE *out, const struct list *list, const char *word)
{
	size_t length = strcspn(word, "=");
	bool value = word[length] == '=', listed;
	char *name = strndup(word, length);
	const char *quote;

	listed = name && is_listed(list, name);
	if (!value || listed)
		length = strlen(word);
	quote = memchr(word, ' ', length) || memchr(word, '\t', length) ? "\"" : "";
	fprintf(out, "%s%.*s%s%s", quote, (int)length, word, value && !listed ? "=" WITHHELD : "",
		quote);
	free(name);
}

char *cmdline_without_secrets(void)
{
	char line[CMDLINE_BYTES] = "", word[CMDLINE_BYTES], *text = NULL;
	const char *rest = line, *space = "";
	struct list list;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	read_list(&list);
	cmdline_read(line);
	while (out && cmdline_next(&rest, word, sizeof(word))) {
		fputs(space, out);
		write_parameter(out, &list, word);
		space = " ";
	}
	/* The arguments of init have no names. */
	if (out && *(rest += strspn(rest, " \t\r\n")))
		fprintf(out, "%s-- " WITHHELD, space);
	if (out && (fclose(out) || list.failed)) {
		free(text);
		text = NULL;
	}
	mm_strings_release(list.names, list.count);
	return text;
}
