// SPDX-License-Identifier: LGPL-2.1-only
/* Writes the files that a running kernel shows about itself. */
#include "tests/signatures/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void make_folder(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (mkdir(path, 0755) && errno != EEXIST)
		image_die("%s: %s", path, strerror(errno));
}

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	if (!file)
		image_die("%s: %s", path, strerror(errno));
	return file;
}

static void complete(FILE *file)
{
	if (ferror(file) | fclose(file))
		image_die("a file of the machine: %s", strerror(errno));
}

void machine_start(struct simulated_machine *machine, const char *folder)
{
	static const char *const folders[] = { "proc", "sys", "sys/kernel", "sys/kernel/btf",
					       "sys/kernel/tracing" };

	snprintf(machine->folder, sizeof(machine->folder), "%s", folder);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make_folder(folder, folders[i]);
	machine->symbols = create(folder, "proc/kallsyms");
	machine->traceable = create(folder, "sys/kernel/tracing/available_filter_functions");
}

static void add_symbol(const struct image *image, const struct image_symbol *symbol, void *user)
{
	struct simulated_machine *machine = user;

	fprintf(machine->symbols, "%016" PRIx64 " %c %s", symbol->address, symbol->type,
		symbol->name);
	fprintf(machine->symbols, *image->module ? "\t[%s]\n" : "\n", image->module);
	if (!image_hook_bytes(image, symbol->address))
		return;
	fputs(symbol->name, machine->traceable);
	fprintf(machine->traceable, *image->module ? " [%s]\n" : "\n", image->module);
}

void machine_add(struct simulated_machine *machine, const struct image *image)
{
	const Elf_Data *types = image_section(image, ".BTF");
	char name[128];
	FILE *file;

	image_symbols(image, add_symbol, machine);
	if (!types)
		return;
	snprintf(name, sizeof(name), "sys/kernel/btf/%s",
		 *image->module ? image->module : "vmlinux");
	file = create(machine->folder, name);
	fwrite(types->d_buf, 1, types->d_size, file);
	complete(file);
}

void machine_run(struct simulated_machine *machine)
{
	complete(machine->symbols);
	complete(machine->traceable);
	if (setenv("LTTNG_MM_ROOT", machine->folder, 1))
		image_die("out of memory");
}
