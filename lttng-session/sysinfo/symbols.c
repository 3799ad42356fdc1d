// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes the text symbols of the kernel, relative to _stext, and of modules, relative to their
 * base. These offsets do not reveal the KASLR offset. Each line is `kernel\t<hex
 * offset>\t<type>\t<name>`. For a module, the name of the module replaces `kernel`.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/sysinfo/sysinfo.h"
#include "lttng-session/sysinfo/write-json.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/system/modules.h"
#include "lttng-session/recorder/plan-file.h"
#include "util/json-file.h"
#include "util/mounts.h"

#define SYMBOLS "symbols.txt"
#define CACHED "symbols-"
/*
 * Maximum number of cached symbol lists. Each list uses some 5 MB of memory, because /run is in
 * memory.
 */
#define CACHED_MAX 2
#define LOCK "symbols.lock"
/* Time to wait while another snapshot makes a list. This usually takes a second. */
#define KEPT_MS 5000u
#define PAUSE_MS 20u

struct sysinfo_modules {
	void *tree;	 /* tsearch(3) tree of struct loaded_module, ordered by name */
	uint64_t key;	 /* hash of the kernel and all modules */
	bool identified; /* all modules have build IDs, and none is being loaded or unloaded */
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

	/*
	 * Include the terminating NULs, so that different lists of modules do not give the same
	 * key.
	 */
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

	/* initial value of FNV-1a */
	*modules = (struct sysinfo_modules){ .key = 0xcbf29ce484222325 };
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

/* Are the loaded modules still the same as when @modules was read? */
static bool still_same(const struct sysinfo_modules *modules)
{
	struct sysinfo_modules now;

	read_modules(&now);
	tdestroy(now.tree, free);
	return now.identified && now.key == modules->key;
}

/* Returns the module @name, or NULL if it has changed since @before. */
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

struct kallsyms {
	uint64_t stext;
	bool any, shown; /* any: there is a symbol; shown: a symbol has an address */
};

struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name, *owner; /* owner: name of the module; NULL: the kernel */
};

/* Terminates the word at @text, and returns the start of the next word. */
static char *end_word(char *text)
{
	text += strcspn(text, " \t\n");
	if (*text)
		*text++ = '\0';
	return text + strspn(text, " \t\n");
}

/*
 * Splits @line in place, so that @symbol points to its parts. Returns false if the line is invalid.
 * Does not use sscanf(), which would take twice as long for some 200,000 lines.
 */
static bool parse_symbol(char *line, struct kallsyms_line *symbol)
{
	char *type, *name, *owner;

	symbol->address = strtoull(line, &type, 16);
	if (type == line || *type++ != ' ' || !type[0] || type[1] != ' ')
		return false;
	symbol->type = *type;
	name = type + 2;
	owner = end_word(name);
	symbol->name = name;
	symbol->owner = NULL;
	if (*owner == '[') {
		symbol->owner = ++owner;
		owner[strcspn(owner, "]\n")] = '\0';
	}
	return *name;
}

static void write_symbol(FILE *out, const char *owner, uint64_t offset,
			 const struct kallsyms_line *symbol)
{
	char text[16], *at = text + sizeof(text);
	const char type[] = { '\t', symbol->type, '\t' };

	do {
		*--at = "0123456789abcdef"[offset % 16];
		offset /= 16;
	} while (offset);
	fputs_unlocked(owner, out);
	putc_unlocked('\t', out);
	fwrite_unlocked(at, 1, (size_t)(text + sizeof(text) - at), out);
	fwrite_unlocked(type, 1, sizeof(type), out);
	fputs_unlocked(symbol->name, out);
	putc_unlocked('\n', out);
}

static void write_line(FILE *out, char *line, const struct sysinfo_modules *modules,
		       const struct sysinfo_modules *before, struct kallsyms *kallsyms)
{
	const struct loaded_module *module;
	struct kallsyms_line symbol;
	bool text;

	if (!parse_symbol(line, &symbol))
		return;
	kallsyms->any = true;
	/* Ignore per-CPU variables, whose addresses are offsets from 0. */
	text = symbol.address && strchr("tTwW", symbol.type);
	if (!text)
		return;
	kallsyms->shown = true;
	if (!symbol.owner) {
		/* Omit symbols below _stext. They belong to boot code, which the kernel frees. */
		if (!kallsyms->stext && !strcmp(symbol.name, "_stext"))
			kallsyms->stext = symbol.address;
		if (kallsyms->stext && symbol.address >= kallsyms->stext)
			write_symbol(out, "kernel", symbol.address - kallsyms->stext, &symbol);
		return;
	}
	module = find_module(modules, before, symbol.owner);
	if (module && module->base && symbol.address >= module->base)
		write_symbol(out, symbol.owner, symbol.address - module->base, &symbol);
}

static int fail(struct mm_error *err, const char *where)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s", where, strerror(errno));
}

static FILE *open_kallsyms(struct mm_error *err)
{
	char path[4096];
	FILE *in = NULL;

	if (snprintf(path, sizeof(path), "%s/proc/kallsyms", mounts_root()) < (int)sizeof(path))
		in = fopen(path, "re");
	if (!in)
		fail(err, path);
	return in;
}

static int make_symbols(FILE *out, const struct sysinfo_modules *modules,
			const struct sysinfo_modules *before, bool *hidden, struct mm_error *err)
{
	struct kallsyms kallsyms = { 0 };
	FILE *in = open_kallsyms(err);
	char *line = NULL;
	size_t size = 0;
	int unread;

	if (!in)
		return -1;
	while (getline(&line, &size, in) > 0)
		write_line(out, line, modules, before, &kallsyms);
	unread = feof(in) ? 0 : errno;
	free(line);
	fclose(in);
	if (unread) {
		errno = unread;
		return fail(err, "/proc/kallsyms");
	}
	*hidden = kallsyms.any && !kallsyms.shown;
	return fflush(out) || ferror(out) ? fail(err, "sysinfo/" SYMBOLS) : 0;
}

/* Appends an address. It is a text, because JSON integers are too small. */
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

/* Returns the offset of _etext from _stext according to the symbol list of @folder, or 0. */
static uint64_t find_text_size(int folder)
{
	static const char end[] = "\tT\t_etext\n";
	int fd = openat(folder, SYMBOLS, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const char *list, *at;
	uint64_t size = 0;
	struct stat st;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || !st.st_size) {
		close(fd);
		return 0;
	}
	list = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (list == MAP_FAILED)
		return 0;
	at = memmem(list, (size_t)st.st_size, end, strlen(end));
	while (at && at > list && at[-1] != '\t' && at[-1] != '\n')
		at--;
	/* strtoull() stops at the tab after the number. */
	if (at)
		size = strtoull(at, NULL, 16);
	munmap((void *)list, (size_t)st.st_size);
	return size;
}

/*
 * Adds the address and size of the kernel's text, from _stext to _etext. If @size is not 0, it is
 * the known size. This avoids a search for _etext, which is far from the start of /proc/kallsyms.
 */
static int add_kernel_address(json_t *list, uint64_t size, struct mm_error *err)
{
	struct kallsyms_line symbol;
	uint64_t stext = 0;
	char *line = NULL;
	size_t room = 0;
	FILE *in = open_kallsyms(err);

	if (!in)
		return -1;
	while (!(stext && size) && getline(&line, &room, in) > 0) {
		if (!parse_symbol(line, &symbol))
			continue;
		if (!strcmp(symbol.name, "_stext"))
			stext = symbol.address;
		else if (stext && !size && !strcmp(symbol.name, "_etext"))
			size = symbol.address - stext;
	}
	free(line);
	fclose(in);
	if (stext)
		add_address(list, "kernel", stext, size);
	return 0;
}

struct build_ids_ctx {
	json_t *list;
	const struct sysinfo_modules *now, *before;
};

static void add_module_address(const struct loaded_module *module, void *user)
{
	const struct build_ids_ctx *ctx = user;

	if (module->base && find_module(ctx->now, ctx->before, module->name))
		add_address(ctx->list, module->name, module->base, module->size);
}

int sysinfo_write_addresses(int folder, const struct sysinfo_modules *before, struct mm_error *err)
{
	struct sysinfo_modules modules;
	struct build_ids_ctx ctx = { json_array(), &modules, before };

	if (add_kernel_address(ctx.list, find_text_size(folder), err)) {
		json_decref(ctx.list);
		return -1;
	}
	read_modules(&modules);
	modules_each(add_module_address, &ctx);
	tdestroy(modules.tree, free);
	return sysinfo_write_json(folder, "addresses.json", ctx.list, err);
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

struct cached_symbols {
	char name[64];
	struct timespec used;
};

/*
 * Adds a list to the most recently used lists in @user. If @user already has CACHED_MAX lists,
 * unlinks the least recently used list.
 */
static int keep_newest(int cache, const char *name, void *user)
{
	struct cached_symbols this, *kept = user;
	struct stat st;

	if (strncmp(name, CACHED, strlen(CACHED)) != 0 || strlen(name) >= sizeof(this.name) ||
	    fstatat(cache, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	snprintf(this.name, sizeof(this.name), "%s", name);
	this.used = st.st_mtim;
	for (size_t i = 0; i < CACHED_MAX; i++) {
		struct cached_symbols other = kept[i];

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

/*
 * Removes all symbol lists except the CACHED_MAX most recently used ones. Partial lists, which
 * killed snapshots have left, count as symbol lists.
 */
static void bound_cache(int cache)
{
	struct cached_symbols kept[CACHED_MAX] = { 0 };

	folder_each(cache, 0, keep_newest, kept);
}

/* Copies the list in @folder to the cache. Ignores errors. */
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

/* Returns a descriptor of the cached list @name, or -1. */
static int open_kept(int cache, const char *name)
{
	return openat(cache, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/*
 * Waits if another snapshot is making the list, because making it twice would take longer. Returns
 * a descriptor of the list, or -1 if the caller must make it. The caller closes *@lock afterwards.
 */
static int await_kept(int cache, const char *name, int *lock)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000l };
	int kept = open_kept(cache, name);

	if (kept >= 0)
		return kept;
	/* Lock a private file and not the folder, because any user could lock the folder. */
	*lock = openat(cache, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	for (unsigned int waited = 0; *lock >= 0 && kept < 0 && flock(*lock, LOCK_EX | LOCK_NB) &&
				      (errno == EWOULDBLOCK || errno == EINTR) && waited < KEPT_MS;
	     waited += PAUSE_MS) {
		nanosleep(&pause, NULL);
		kept = open_kept(cache, name);
	}
	return kept < 0 ? open_kept(cache, name) : kept;
}

/*
 * Making the list takes most of a second, so this uses or fills a cache on /run. A cached list is
 * valid until the kernel or a module changes. (A module that is built again has another build ID.)
 */
int sysinfo_write_symbols(int folder, const struct sysinfo_modules *before, bool *hidden,
			  struct mm_error *err)
{
	FILE *out = folder_make_file(folder, SYMBOLS);
	int cache = -1, cached = -1, lock = -1, ret;
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
		cached = await_kept(cache, name, &lock);
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
	if (lock >= 0)
		close(lock);
	if (cache >= 0)
		close(cache);
	tdestroy(modules.tree, free);
	return ret;
}
