// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the kernel command line. Withholds values that may be secret. */
#include "lttng-session/system/cmdline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/system/allow.h"
#include "util/mounts.h"

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

/* Writes `name`, `name=value` or `name=...`. Adds quotes if the text contains a blank. */
static void write_parameter(FILE *out, const struct allow_list *list, const char *word)
{
	size_t length = strcspn(word, "=");
	bool value = word[length] == '=', listed;
	const char *quote;

	listed = allow_has(list, word, length);
	if (!value || listed)
		length = strlen(word);
	quote = memchr(word, ' ', length) || memchr(word, '\t', length) ? "\"" : "";
	fprintf(out, "%s%.*s%s%s", quote, (int)length, word,
		value && !listed ? "=" ALLOW_WITHHELD : "", quote);
}

char *cmdline_without_secrets(void)
{
	char line[CMDLINE_BYTES] = "", word[CMDLINE_BYTES], *text = NULL;
	const char *rest = line, *space = "";
	struct allow_list list;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	allow_read(&list, "kernel-parameters", cmdline_defaults);
	cmdline_read(line);
	while (out && cmdline_next(&rest, word, sizeof(word))) {
		fputs(space, out);
		write_parameter(out, &list, word);
		space = " ";
	}
	/* Withhold all arguments of init, because they have no names that could be listed. */
	if (out && *(rest += strspn(rest, " \t\r\n")))
		fprintf(out, "%s-- " ALLOW_WITHHELD, space);
	if (out && (fclose(out) || list.failed)) {
		free(text);
		text = NULL;
	}
	allow_release(&list);
	return text;
}
