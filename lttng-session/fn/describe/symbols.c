// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the functions from /proc/kallsyms. Reads from tracefs whether they can be hooked. */
#include "lttng-session/fn/describe/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrumentation/wire/fn.h"
#include "util/glob.h"
#include "util/hash.h"
#include "util/mounts.h"
#include "util/nearest.h"
#include "util/text.h"

struct fn_symbols {
	struct fn_symbol *symbols;
	size_t count, room;
	struct mm_hash index; /* maps a name to the first symbol with this name */
	char **modules;
	size_t module_count;
	bool traceable_known;
};

struct symbol_key {
	const char *name;
};

static bool same_name(const void *array, uint32_t number, const void *key)
{
	return !strcmp(((const struct fn_symbol *)array)[number].name,
		       ((const struct symbol_key *)key)->name);
}

static uint32_t find_name(const struct fn_symbols *symbols, const char *name)
{
	const struct symbol_key key = { name };

	return mm_hash_find(&symbols->index, mm_hash_of_string(&symbols->index, name),
			    symbols->symbols, &key, same_name);
}

/*
 * Returns the shared copy of a module's name, or NULL when out of memory. Searches from the end,
 * because the symbols of a module are consecutive.
 */
static const char *module_name(struct fn_symbols *symbols, const char *name)
{
	if (!*name)
		return "";
	for (size_t i = symbols->module_count; i--;)
		if (!strcmp(symbols->modules[i], name))
			return symbols->modules[i];
	if (mm_strings_add(&symbols->modules, &symbols->module_count, name))
		return NULL;
	return symbols->modules[symbols->module_count - 1];
}

static struct fn_symbol *find(const struct fn_symbols *symbols, const char *name,
			      const char *module)
{
	uint32_t number = find_name(symbols, name);

	for (; number != FN_SYMBOL_NONE; number = symbols->symbols[number].next)
		if (!strcmp(symbols->symbols[number].module, module))
			return &symbols->symbols[number];
	return NULL;
}

/* Returns the symbol, adding it if necessary, or NULL when out of memory. */
static struct fn_symbol *add(struct fn_symbols *symbols, const char *name, const char *module)
{
	struct fn_symbol *symbol = find(symbols, name, module), *grown;
	uint32_t first, number = (uint32_t)symbols->count;

	if (symbol)
		return symbol;
	grown = mm_array_grow(symbols->symbols, symbols->count, &symbols->room, sizeof(*grown));
	if (!grown)
		return NULL;
	symbols->symbols = grown;
	symbol = &grown[number];
	*symbol = (struct fn_symbol){
		.name = strdup(name),
		.module = module_name(symbols, module),
		.next = FN_SYMBOL_NONE,
	};
	if (!symbol->name || !symbol->module) {
		free((char *)symbol->name);
		return NULL;
	}
	symbols->count++;
	first = find_name(symbols, name);
	if (first == MM_HASH_NONE)
		return mm_hash_add(&symbols->index, mm_hash_of_string(&symbols->index, name),
				   number)
			       ? NULL
			       : symbol;
	symbol->next = grown[first].next;
	grown[first].next = number;
	return symbol;
}

/*
 * Returns the FN_CLONE_* bit for the suffix of a symbol's name, such as `.isra.0`. Returns 0 if the
 * symbol is not a clone.
 */
static unsigned int clone_kind(const char *suffix)
{
	static const struct {
		const char *name;
		unsigned int kind;
	} kinds[] = {
		{ ".isra.", FN_CLONE_ISRA },
		{ ".constprop.", FN_CLONE_CONSTPROP },
		{ ".part.", FN_CLONE_PART },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(suffix, kinds[i].name, strlen(kinds[i].name)))
			return kinds[i].kind;
	/* `foo.cold` is a part of foo, and nothing calls it. */
	return !strncmp(suffix, ".cold", 5) ? 0 : FN_CLONE_OTHER;
}

/*
 * Splits the line `ffffffff81000000 t name\t[module]` in place. Returns false if the symbol is not
 * a function. In the kernel, type `t` means a static function. In a module, `t` only means that the
 * function is not exported.
 */
static bool split_line(char *line, char **name, char **module, bool *is_static)
{
	char *at = strchr(line, ' ');

	*module = "";
	if (!at || !at[1] || !strchr("tTwW", at[1]) || at[2] != ' ')
		return false;
	*is_static = at[1] == 't';
	*name = at + 3;
	at = *name + strcspn(*name, " \t\n");
	if (*at == '\t' && at[1] == '[') {
		*module = at + 2;
		(*module)[strcspn(*module, "]\n")] = '\0';
		*is_static = false;
	}
	*at = '\0';
	return **name && strcmp(*module, "bpf") != 0 && strncmp(*module, "__builtin_", 10) != 0;
}

/* Adds the symbol in a line of /proc/kallsyms. Returns 0, or -1 when out of memory. */
static int add_line(struct fn_symbols *symbols, char *line)
{
	char *name, *module, *dot;
	struct fn_symbol *symbol;
	unsigned int kind = 0;
	bool is_static;

	if (!split_line(line, &name, &module, &is_static))
		return 0;
	dot = strchr(name, '.');
	if (dot == name)
		return 0;
	if (dot) {
		kind = clone_kind(dot);
		*dot = '\0';
		if (!kind)
			return 0;
	}
	symbol = add(symbols, name, module);
	if (!symbol)
		return -1;
	symbol->clones |= kind;
	symbol->addresses += !dot;
	symbol->is_static |= !dot && is_static;
	return 0;
}

struct fn_symbols *fn_symbols_read(struct mm_error *err)
{
	struct fn_symbols *symbols = calloc(1, sizeof(*symbols));
	char path[4096], *line = NULL;
	FILE *file = NULL;
	size_t size = 0;
	int ret = 0;

	if (!symbols) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
		return NULL;
	}
	mm_hash_init(&symbols->index);
	if (!mounts_path(path, sizeof(path), "/proc/kallsyms"))
		file = fopen(path, "re");
	if (!file)
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: /proc/kallsyms: %s",
				   strerror(errno));
	while (file && !ret && getline(&line, &size, file) > 0)
		ret = add_line(symbols, line);
	if (ret)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
	if (!ret && !symbols->count)
		ret = mm_error_set(err, MM_EXIT_ENVIRONMENT,
				   "fn: /proc/kallsyms: it lists no functions");
	free(line);
	if (file)
		fclose(file);
	if (!ret)
		return symbols;
	fn_symbols_destroy(symbols);
	return NULL;
}

void fn_symbols_destroy(struct fn_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->count; i++)
		free((char *)symbols->symbols[i].name);
	free(symbols->symbols);
	mm_hash_release(&symbols->index);
	mm_strings_release(symbols->modules, symbols->module_count);
	free(symbols);
}

/*
 * Tries to open the file @name in each of the folders. Returns the first success. On failure,
 * returns NULL and sets *@error.
 */
static FILE *open_first(const char *const *folders, size_t count, const char *name, int *error)
{
	char path[4096];

	*error = ENOENT;
	for (size_t i = 0; i < count; i++) {
		FILE *file = NULL;

		if (!mounts_path(path, sizeof(path), "%s/%s", folders[i], name))
			file = fopen(path, "re");
		if (file)
			return file;
		if (errno != ENOENT)
			*error = errno;
	}
	return NULL;
}

/*
 * Sets is_traceable for each function in @file. The lines are `name` or `name [module]`. With
 * @has_addresses, an address and a tab precede the name.
 */
static void mark_lines(struct fn_symbols *symbols, FILE *file, bool has_addresses,
		       bool is_traceable)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, file) > 0) {
		char *name = has_addresses ? strchr(line, '\t') : line;
		char *module = strchr(line, '[');
		struct fn_symbol *symbol;

		if (!name)
			continue;
		name += has_addresses;
		if (module)
			module[strcspn(module, "]\n")] = '\0';
		name[strcspn(name, " \t\n")] = '\0';
		symbol = find(symbols, name, module ? module + 1 : "");
		if (symbol)
			symbol->is_traceable = is_traceable;
	}
	free(line);
}

/*
 * Will the kernel module hook functions with fprobe? It does since Linux 6.6
 * (probes/compat/fn-registers.h).
 */
static bool has_fprobe(const struct fn_symbols *symbols)
{
	unsigned int major = 0, minor = 0;
	char release[80];

	mounts_read_line("/proc/sys/kernel/osrelease", release, sizeof(release));
	return find(symbols, "register_fprobe_ips", "") &&
	       sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 6));
}

/*
 * Marks functions on the kprobes blacklist in debugfs. Without fprobe, the kernel module hooks
 * functions with kretprobes, which cannot hook functions on this list. If the list is unreadable,
 * the kernel module still refuses these functions.
 */
static void read_excluded(struct fn_symbols *symbols)
{
	static const char *const folders[] = { "/sys/kernel/debug/kprobes" };
	FILE *file;
	int error;

	if (has_fprobe(symbols))
		return;
	file = open_first(folders, 1, "blacklist", &error);
	if (!file)
		return;
	mark_lines(symbols, file, true, false);
	fclose(file);
}

int fn_symbols_read_traceable(struct fn_symbols *symbols, struct mm_error *err)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	FILE *file;
	int error;

	if (symbols->traceable_known)
		return 0;
	file = open_first(folders, 2, "available_filter_functions", &error);
	if (!file)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"fn: cannot read which functions can be traced: /sys/kernel/tracing/available_filter_functions: %s; %s",
			strerror(error),
			error == ENOENT ? "run `mount -t tracefs nodev /sys/kernel/tracing`"
					: "run the command as root");
	mark_lines(symbols, file, false, true);
	fclose(file);
	read_excluded(symbols);
	symbols->traceable_known = true;
	return 0;
}

size_t fn_symbols_count(const struct fn_symbols *symbols)
{
	return symbols->count;
}

const struct fn_symbol *fn_symbols_get(const struct fn_symbols *symbols, size_t number)
{
	return &symbols->symbols[number];
}

const char *fn_refusal_text(enum fn_refusal refusal)
{
	static const char *const texts[FN_REFUSALS] = {
		[FN_TRACEABLE] = "it can be traced",
		[FN_NO_SYMBOL] = "the kernel has no such function, or it is inlined everywhere",
		[FN_ONLY_CLONES] =
			"the kernel contains only compiler-made variants of it, such as .isra, whose arguments are unknown",
		[FN_SEVERAL_ADDRESSES] = "several functions have this name",
		[FN_NOT_TRACEABLE] = "the kernel does not allow tracing it",
		[FN_OWN_PATH] = "the tracer itself calls it",
	};

	return texts[refusal];
}

/*
 * Shell patterns of functions that the probe itself calls when it records a call. A hook on such a
 * function would recurse.
 */
static const char *const own_path[] = {
	LTTNG_MM_FN_WRITER_CALLS,
	"_copy_from_user_nofault",
	"arch_rethook_*",
	"copy_from_user_nofault",
	"fprobe_*",
	"irq_work_queue_on",
	"kernel_text_address",
	"kretprobe_*",
	"ktime_get_*_fast_ns",
	"lib_ring_buffer_*",
	"lttng_*",
	"rethook_*",
	"strncpy_from_kernel_nofault",
	"strncpy_from_user_nofault",
	"trace_clock_*",
};

static bool is_own_path(const struct fn_symbol *symbol)
{
	if (!strncmp(symbol->module, "lttng", 5))
		return true;
	for (size_t i = 0; i < sizeof(own_path) / sizeof(own_path[0]); i++)
		if (mm_glob_match(own_path[i], symbol->name))
			return true;
	return false;
}

enum fn_refusal fn_symbols_check(const struct fn_symbols *symbols, const struct fn_symbol *symbol,
				 bool is_qualified)
{
	uint32_t first = find_name(symbols, symbol->name);

	if (!symbol->addresses)
		return FN_ONLY_CLONES;
	if (symbol->addresses > 1 ||
	    (!is_qualified && symbols->symbols[first].next != FN_SYMBOL_NONE))
		return FN_SEVERAL_ADDRESSES;
	if (is_own_path(symbol))
		return FN_OWN_PATH;
	if (symbols->traceable_known && !symbol->is_traceable)
		return FN_NOT_TRACEABLE;
	return FN_TRACEABLE;
}

enum fn_refusal fn_symbols_find(const struct fn_symbols *symbols, const char *module,
				const char *name, const struct fn_symbol **symbol)
{
	uint32_t first = find_name(symbols, name);

	if (module)
		*symbol = find(symbols, name, strcmp(module, "vmlinux") ? module : "");
	else
		*symbol = first == MM_HASH_NONE ? NULL : &symbols->symbols[first];
	return *symbol ? fn_symbols_check(symbols, *symbol, module) : FN_NO_SYMBOL;
}

const char *fn_symbols_hint(const struct fn_symbols *symbols, const char *module, const char *name,
			    char *text, size_t size)
{
	struct mm_nearest nearest = { .wanted = name };

	for (size_t i = 0; i < fn_symbols_count(symbols); i++) {
		const struct fn_symbol *symbol = fn_symbols_get(symbols, i);

		if (!module || !strcmp(*symbol->module ? symbol->module : "vmlinux", module))
			mm_nearest_offer(&nearest, symbol->name);
	}
	return mm_nearest_hint(&nearest, text, size);
}

void fn_symbol_clones(const struct fn_symbol *symbol, char *text, size_t size)
{
	static const char *const names[] = { ".isra", ".constprop", ".part", "other variants" };

	*text = '\0';
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (symbol->clones & 1u << i)
			mm_words_add(text, size, names[i]);
}
