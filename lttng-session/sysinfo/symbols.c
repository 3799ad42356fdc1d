// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Symbols: text symbols relative to _stext and to the base of each module, so that no address
 * reveals the layout that KASLR chose. A line: `kernel\t<hex offset>\t<type>\t<name>`.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/modules.h"
#include "lttng-session/system/mounts.h"
#include "lttng-session/recorder/plan-file.h"
#include "util/json-file.h"

#define SYMBOLS "symbols.txt"
#define CACHED "symbols-"
/* Each uses some 5 MB of /run, which is in memory. */
#define CACHED_MAX 2

struct sysinfo_modules {
	void *tree;	 /* of struct loaded_module, by name: tsearch(3) */
	uint64_t key;	 /* changes with the kernel, the set of modules and each of them */
	bool identified; /* all have a build id, and none is being loaded or unloaded */
};

static int compare_modules(const void *a, const void *b)
{
	return strcmp(((const struct loaded_module *)a)->name,
		      ((const struct loaded_module *)b)->name);
}

static void add_to_key(struct sysinfo_modules *modules, const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		modules->key = (modules->key ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
}

static void add_module(const struct loaded_module *module, void *user)
{
	struct sysinfo_modules *modules = user;
	struct loaded_module *copy = malloc(sizeof(*copy));

	/* The terminating NULs keep different lists from having the same key. */
	add_to_key(modules, module->name, strlen(module->name) + 1);
	add_to_key(modules, module->build_id, strlen(module->build_id) + 1);
	add_to_key(modules, &module->base, sizeof(module->base));
	modules->identified &= module->live && *module->build_id;
	if (!copy)
		return;
	*copy = *module;
	if (!tsearch(copy, &modules->tree, compare_modules))
		free(copy);
}

static void read_modules(struct sysinfo_modules *modules)
{
	char kernel[BUILD_ID_MAX];

	*modules = (struct sysinfo_modules){ .key = 0xcbf29ce484222325 }; /* FNV-1a */
	modules_kernel_build_id(kernel);
	modules->identified = *kernel;
	add_to_key(modules, kernel, strlen(kernel) + 1);
	modules_each(add_module, modules);
}

struct sysinfo_modules *sysinfo_modules_read(void)
{
	struct sysinfo_modules *modules = malloc(sizeof(*modules));

	if (modules)
		read_modules(modules);
	return modules;
}

void sysinfo_modules_destroy(struct sysinfo_modules *modules)
{
	if (modules)
		tdestroy(modules->tree, free);
	free(modules);
}

/* Returns whether no modules were loaded, unloaded or replaced in the meantime. */
static bool still_same(const struct sysinfo_modules *modules)
{
	struct sysinfo_modules now;

	read_modules(&now);
	tdestroy(now.tree, free);
	return now.identified && now.key == modules->key;
}

/* The module of that name, if the same one was already in @before. */
static const struct loaded_module *find_module(const struct sysinfo_modules *modules,
					       const struct sysinfo_modules *before,
					       const char *name)
{
	struct loaded_module key, **now, **then;

	snprintf(key.name, sizeof(key.name), "%s", name);
	now = tfind(&key, &modules->tree, compare_modules);
	then = tfind(&key, &before->tree, compare_modules);
	if (!now || !then || (*now)->base != (*then)->base ||
	    strcmp((*now)->build_id, (*then)->build_id) != 0)
		return NULL;
	return *now;
}

/* What has been read from /proc/kallsyms. */
struct kallsyms {
	uint64_t stext;
	bool any, shown; /* any symbol; any with an address */
};

static void write_line(FILE *out, char *line, const struct sysinfo_modules *modules,
		       const struct sysinfo_modules *before, struct kallsyms *kallsyms)
{
	const struct loaded_module *module;
	char type, name[512], owner[64] = "";
	uint64_t address;
	int n = sscanf(line, "%" SCNx64 " %c %511s [%63[^]]]", &address, &type, name, owner);

	if (n < 3)
		return;
	kallsyms->any = true;
	/* The addresses of per-CPU variables are offsets from 0. */
	kallsyms->shown |= address && strchr("tTwW", type);
	if (!strchr("tTwW", type) || !address)
		return;
	if (!strcmp(name, "_stext"))
		kallsyms->stext = address;
	if (!owner[0]) {
		/* What lies before _stext is boot code that has been freed. */
		if (kallsyms->stext && address >= kallsyms->stext)
			fprintf(out, "kernel\t%" PRIx64 "\t%c\t%s\n", address - kallsyms->stext,
				type, name);
		return;
	}
	module = find_module(modules, before, owner);
	if (module && module->base && address >= module->base)
		fprintf(out, "%s\t%" PRIx64 "\t%c\t%s\n", owner, address - module->base, type,
			name);
}

static int fail(struct mm_error *err, const char *where)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", where, strerror(errno));
}

static int make_symbols(FILE *out, const struct sysinfo_modules *modules,
			const struct sysinfo_modules *before, bool *hidden, struct mm_error *err)
{
	char path[4096], *line = NULL;
	struct kallsyms kallsyms = { 0 };
	size_t size = 0;
	FILE *in = NULL;
	int unread;

	if (snprintf(path, sizeof(path), "%s/proc/kallsyms", mounts_root()) < (int)sizeof(path))
		in = fopen(path, "re");
	if (!in)
		return fail(err, path);
	while (getline(&line, &size, in) > 0)
		write_line(out, line, modules, before, &kallsyms);
	unread = feof(in) ? 0 : errno;
	free(line);
	fclose(in);
	if (unread) {
		errno = unread;
		return fail(err, path);
	}
	*hidden = kallsyms.any && !kallsyms.shown;
	return fflush(out) || ferror(out) ? fail(err, "sysinfo/" SYMBOLS) : 0;
}

/* Appends an address as text, which JSON's integers are too small for. */
static void add_address(json_t *list, const char *name, uint64_t base, uint64_t size)
{
	json_t *entry = json_object();
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, base);
	json_object_set_new(entry, "name", mm_json_text(name));
	json_object_set_new(entry, "base", json_string(text));
	json_object_set_new(entry, "size", json_integer((json_int_t)size));
	json_array_append_new(list, entry);
}

/* The text of the kernel itself: from _stext, as in the list of symbols, to _etext. */
static int add_kernel_address(json_t *list, struct mm_error *err)
{
	char path[4096], *line = NULL, name[512], type;
	uint64_t stext = 0, etext = 0, address;
	size_t size = 0;
	FILE *in = NULL;

	if (snprintf(path, sizeof(path), "%s/proc/kallsyms", mounts_root()) < (int)sizeof(path))
		in = fopen(path, "re");
	if (!in)
		return fail(err, path);
	while (!(stext && etext) && getline(&line, &size, in) > 0) {
		if (sscanf(line, "%" SCNx64 " %c %511s", &address, &type, name) < 3)
			continue;
		if (!strcmp(name, "_stext"))
			stext = address;
		else if (!strcmp(name, "_etext"))
			etext = address;
	}
	free(line);
	fclose(in);
	if (stext)
		add_address(list, "kernel", stext, etext > stext ? etext - stext : 0);
	return 0;
}

struct adding {
	json_t *list;
	const struct sysinfo_modules *now, *before;
};

static void add_module_address(const struct loaded_module *module, void *user)
{
	const struct adding *adding = user;

	if (module->base && find_module(adding->now, adding->before, module->name))
		add_address(adding->list, module->name, module->base, module->size);
}

int sysinfo_write_addresses(int folder, const struct sysinfo_modules *before, struct mm_error *err)
{
	struct sysinfo_modules modules;
	struct adding adding = { json_array(), &modules, before };

	if (add_kernel_address(adding.list, err)) {
		json_decref(adding.list);
		return -1;
	}
	read_modules(&modules);
	modules_each(add_module_address, &adding);
	tdestroy(modules.tree, free);
	return sysinfo_write_json(folder, "addresses.json", adding.list, err);
}

static int copy(int from, FILE *out)
{
	char buffer[65536];
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (fwrite(buffer, 1, (size_t)n, out) != (size_t)n)
			return -1;
	return n || fflush(out) ? -1 : 0;
}

struct cached {
	char name[64];
	struct timespec used;
};

/* @user: CACHED_MAX names, most recently used first. Removes the one that is dropped at the end. */
static int keep_newest(int cache, const char *name, void *user)
{
	struct cached this, *kept = user;
	struct stat st;

	if (strncmp(name, CACHED, strlen(CACHED)) != 0 || strlen(name) >= sizeof(this.name) ||
	    fstatat(cache, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	snprintf(this.name, sizeof(this.name), "%s", name);
	this.used = st.st_mtim;
	for (size_t i = 0; i < CACHED_MAX; i++) {
		struct cached other = kept[i];

		if (*other.name && (other.used.tv_sec > this.used.tv_sec ||
				    (other.used.tv_sec == this.used.tv_sec &&
				     other.used.tv_nsec >= this.used.tv_nsec)))
			continue;
		kept[i] = this;
		this = other;
	}
	if (*this.name)
		unlinkat(cache, this.name, 0);
	return 0;
}

/* Removes all but the most recently used lists, including what a killed snapshot left of one. */
static void bound_cache(int cache)
{
	struct cached kept[CACHED_MAX] = { 0 };

	folder_each(cache, 0, keep_newest, kept);
}

/* Keeps the list in @folder for the next snapshot; failing to do so is not an error. */
static void keep(int folder, int cache, const char *name)
{
	int in = openat(folder, SYMBOLS, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char fresh[64];
	FILE *out;
	int failed = 1;

	snprintf(fresh, sizeof(fresh), "%s.%d", name, (int)getpid());
	unlinkat(cache, fresh, 0);
	out = in < 0 ? NULL : folder_make_file(cache, fresh);
	if (out) {
		failed = copy(in, out);
		failed |= fclose(out);
	}
	if (in >= 0)
		close(in);
	if (failed || renameat(cache, fresh, cache, name))
		unlinkat(cache, fresh, 0);
	bound_cache(cache);
}

/*
 * Making the list takes most of a second, so it is cached while the kernel and its modules stay the
 * same: a module that was rebuilt has another build id. /run does not survive a reboot.
 */
int sysinfo_write_symbols(int folder, const struct sysinfo_modules *before, bool *hidden,
			  struct mm_error *err)
{
	FILE *out = folder_make_file(folder, SYMBOLS);
	int cache = -1, cached = -1, ret;
	struct sysinfo_modules modules;
	char name[32];

	*hidden = false;
	if (!out)
		return fail(err, "sysinfo/" SYMBOLS);
	read_modules(&modules);
	snprintf(name, sizeof(name), CACHED "%016" PRIx64, modules.key);
	if (modules.identified && modules.key == before->key)
		cache = plan_folder_open(true);
	if (cache >= 0)
		cached = openat(cache, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (cached >= 0) {
		ret = copy(cached, out) ? fail(err, "sysinfo/" SYMBOLS) : 0;
		futimens(cached, NULL);
		close(cached);
	} else {
		ret = make_symbols(out, &modules, before, hidden, err);
		if (!ret && !*hidden && cache >= 0 && still_same(&modules))
			keep(folder, cache, name);
	}
	if (fclose(out) && !ret)
		ret = fail(err, "sysinfo/" SYMBOLS);
	if (cache >= 0)
		close(cache);
	tdestroy(modules.tree, free);
	return ret;
}
