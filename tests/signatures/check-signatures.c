// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares signatures of functions: `lttng-mm fn` derives one from the kernel's types, and this
 * program reads another one from debug information. Covers all functions of a kernel and its
 * modules that can be recorded. Compares the type of each argument, and its place at the entry.
 *
 *   check-signatures [--all] DEBUG WORK   DEBUG has the kernel, vmlinux or vmlinux-*, and modules
 *                                         *.ko with debug information; WORK is an empty folder
 *
 * Writes the types, symbols and lists of these files to WORK in the form in which a running kernel
 * shows them, so that lttng-mm's own code can read them. Prints each difference and the counts.
 * With --all, also prints arguments that the debug information does not describe. Exits with 1 if
 * there is a difference.
 */
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/fn/describe/symbols.h"
#include "tests/signatures/compare.h"
#include "tests/signatures/machine.h"
#include "util/text.h"

/* Is the file named like `vmlinux` or `vmlinux-6.12.118+deb13-amd64`? */
static bool is_kernel(const char *name)
{
	const char *rest = name + strlen("vmlinux");

	return !strncmp(name, "vmlinux", strlen("vmlinux")) && (!*rest || *rest == '-');
}

/* The kernel's file, then the modules' files, sorted by path. */
static char **files;
static size_t file_count;

static const struct fn_symbols *symbols;
static struct fn_types *types;
static struct signature_comparison comparison;
static uint64_t traceable;

static int add_file(const char *path, const struct stat *stat, int type, struct FTW *at)
{
	const char *name = path + at->base, *suffix = strrchr(name, '.');

	(void)stat;
	if (type == FTW_F && (is_kernel(name) || (suffix && !strcmp(suffix, ".ko"))) &&
	    mm_strings_add(&files, &file_count, path))
		image_die("out of memory");
	return 0;
}

static bool is_module(const char *path)
{
	const char *suffix = strrchr(path, '.');

	return suffix && !strcmp(suffix, ".ko");
}

static int by_path(const void *one, const void *other)
{
	const char *a = *(char *const *)one, *b = *(char *const *)other;

	if (is_module(a) != is_module(b))
		return is_module(a) ? 1 : -1;
	return strcmp(a, b);
}

static void find_files(const char *folder)
{
	if (nftw(folder, add_file, 16, FTW_PHYS))
		image_die("%s: it cannot be read", folder);
	qsort(files, file_count, sizeof(*files), by_path);
	if (!file_count || is_module(files[0]))
		image_die("%s: there is no vmlinux", folder);
}

static void make_machine(const char *folder)
{
	struct simulated_machine machine;
	struct image image;

	machine_start(&machine, folder);
	for (size_t i = 0; i < file_count; i++) {
		image_open(&image, files[i], false);
		machine_add(&machine, &image);
		image_close(&image);
	}
	machine_run(&machine);
}

static void compare_symbol(const struct image *image, const struct image_symbol *symbol, void *user)
{
	const struct fn_symbol *found;
	struct fn_signature signature;
	const struct fn_btf *btf;
	uint32_t id;

	(void)user;
	if (strchr(symbol->name, '.') ||
	    fn_symbols_find(symbols, *image->module ? image->module : "vmlinux", symbol->name,
			    &found))
		return;
	traceable++;
	btf = fn_types_of(types, image->module);
	id = btf ? fn_btf_function(btf, symbol->name) : 0;
	if (id && !fn_signature_read(btf, id, &signature))
		compare_function(&comparison, image, &signature, symbol->address);
}

static void compare_files(void)
{
	struct image image;

	for (size_t i = 0; i < file_count; i++) {
		image_open(&image, files[i], true);
		image_symbols(&image, compare_symbol, NULL);
		image_close(&image);
	}
}

int main(int argc, char **argv)
{
	struct mm_error err = MM_ERROR_INIT;
	struct fn_symbols *read = NULL;

	if (argc > 1 && !strcmp(argv[1], "--all")) {
		comparison.lists_all = true;
		argc--;
		argv++;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: check-signatures [--all] DEBUG WORK\n");
		return 2;
	}
	find_files(argv[1]);
	make_machine(argv[2]);
	read = fn_symbols_read(&err);
	types = fn_types_open(NULL, &err);
	if (!read || !types || fn_symbols_read_traceable(read, &err))
		image_die("%s", err.message);
	symbols = read;
	compare_files();
	printf("files: %zu; functions that can be traced: %" PRIu64 "\n", file_count, traceable);
	compare_print(&comparison);
	fn_types_close(types);
	fn_symbols_destroy(read);
	mm_strings_release(files, file_count);
	return comparison.by_outcome[OUTCOME_DIFFERS] || comparison.unknown ||
	       comparison.differing_functions || comparison.differing_results;
}
