// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Symbols of the context: text symbols relative to _stext and to each module's base, so that no
 * address tells where KASLR put things. A line: `kernel\t<hex offset>\t<type>\t<name>`.
 */
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/context.h"

#define CACHE "/run/lttng-mm"

struct module {
	char name[64];	/* the tree's key: first */
	uint64_t base;
};

static int compare_modules(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

/* Reads names and bases into a tsearch(3) tree; @hash changes with the set of modules. */
static void *read_modules(uint64_t *hash)
{
	FILE *file = fopen("/proc/modules", "re");
	void *tree = NULL;
	char line[1024];

	*hash = 0xcbf29ce484222325;	/* FNV-1a */
	while (file && fgets(line, sizeof(line), file)) {
		struct module *module = calloc(1, sizeof(*module));

		if (!module || sscanf(line, "%63s %*s %*s %*s %*s 0x%" SCNx64, module->name,
				      &module->base) != 2) {
			free(module);
			continue;
		}
		for (const char *c = module->name; *c; c++)
			*hash = (*hash ^ (unsigned char)*c) * 0x100000001b3;
		*hash = (*hash ^ module->base) * 0x100000001b3;
		tsearch(module, &tree, compare_modules);
	}
	if (file)
		fclose(file);
	return tree;
}

static void write_line(FILE *out, char *line, void *modules, uint64_t *stext)
{
	char type, name[512], owner[64] = "";
	struct module key, **found;
	uint64_t address;
	int n = sscanf(line, "%" SCNx64 " %c %511s [%63[^]]]", &address, &type, name, owner);

	if (n < 3 || !strchr("tTwW", type) || !address)
		return;
	if (!strcmp(name, "_stext"))
		*stext = address;
	if (!owner[0]) {
		/* What lies before _stext is boot code that is gone. */
		if (*stext && address >= *stext)
			fprintf(out, "kernel\t%" PRIx64 "\t%c\t%s\n", address - *stext, type, name);
		return;
	}
	memset(&key, 0, sizeof(key));
	snprintf(key.name, sizeof(key.name), "%s", owner);
	found = tfind(&key, &modules, compare_modules);
	if (found && (*found)->base && address >= (*found)->base)
		fprintf(out, "%s\t%" PRIx64 "\t%c\t%s\n", owner, address - (*found)->base, type,
			name);
}

static int make_symbols(const char *path, void *modules, struct mm_error *err)
{
	FILE *in = fopen("/proc/kallsyms", "re"), *out = fopen(path, "we");
	char *line = NULL;
	uint64_t stext = 0;
	size_t size = 0;
	int failed;

	while (in && out && getline(&line, &size, in) > 0)
		write_line(out, line, modules, &stext);
	free(line);
	failed = !in || !out || ferror(out);
	if (in)
		fclose(in);
	if (out && fclose(out))
		failed = 1;
	return failed ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "context: %s: %s", path,
				     strerror(errno)) : 0;
}

static int copy(const char *from, const char *to)
{
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	char buffer[65536];
	size_t n;
	int failed = !in || !out;

	while (!failed && (n = fread(buffer, 1, sizeof(buffer), in)))
		failed = fwrite(buffer, 1, n, out) != n;
	if (in)
		fclose(in);
	if (out && fclose(out))
		failed = 1;
	return failed ? -1 : 0;
}

/*
 * Making the list takes a good part of a second, so it is kept for as long as the set of modules
 * stays the same; /run is gone with the boot.
 */
int context_write_symbols(const char *folder, struct mm_error *err)
{
	char cached[256], fresh[300], path[4096];
	uint64_t hash;
	void *modules = read_modules(&hash);
	int ret = 0;

	snprintf(path, sizeof(path), "%s/symbols.txt", folder);
	snprintf(cached, sizeof(cached), CACHE "/symbols-%016" PRIx64, hash);
	snprintf(fresh, sizeof(fresh), "%s.%d", cached, (int)getpid());
	mkdir(CACHE, 0700);
	if (copy(cached, path)) {
		ret = make_symbols(path, modules, err);
		if (!ret && (copy(path, fresh) || rename(fresh, cached)))
			unlink(fresh);
	}
	tdestroy(modules, free);
	return ret;
}
