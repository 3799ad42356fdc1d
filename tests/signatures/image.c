// SPDX-License-Identifier: LGPL-2.1-only
/* Opens ELF files with libdwfl, which applies the relocations of modules. */
#include "tests/signatures/image.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/hash.h"

/* Size of the endbr64 instruction, which may come first, and of the hooked call instruction. */
#define ENDBR_BYTES 4
#define CALL_BYTES 5

void image_die(const char *fmt, ...)
{
	va_list args;

	fputs("check-signatures: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

/* Sets the module's name, which is the file's name with underscores. */
static void name_module(struct image *image, const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	if (!strncmp(name, "vmlinux", strlen("vmlinux")))
		return;
	snprintf(image->module, sizeof(image->module), "%.*s", (int)strcspn(name, "."), name);
	for (char *at = image->module; *at; at++)
		if (*at == '-')
			*at = '_';
}

static void add_function(struct image *image, uint64_t address, Dwarf_Off die)
{
	struct image_function *grown = mm_array_grow(image->functions, image->count, &image->room,
						     sizeof(*image->functions));

	if (!grown)
		image_die("out of memory");
	image->functions = grown;
	grown[image->count++] = (struct image_function){ .address = address, .die = die };
}

/* Adds the start of each range of a function. The symbol's address is one of these starts. */
static void add_ranges(struct image *image, Dwarf_Die *die)
{
	Dwarf_Addr base = 0, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		if (start != end)
			add_function(image, start + image->bias, dwarf_dieoffset(die));
}

/*
 * Adds a function without its own code. The compiler uses the code of an identical function, so
 * debug information only declares this function, or contains only inlined copies.
 */
static void add_bare(struct image *image, Dwarf_Die *die)
{
	struct image_bare *grown;
	const char *name = dwarf_diename(die);

	if (!name || dwarf_hasattr(die, DW_AT_declaration))
		return;
	grown = mm_array_grow(image->bare, image->bare_count, &image->bare_room, sizeof(*grown));
	if (!grown)
		image_die("out of memory");
	image->bare = grown;
	grown[image->bare_count++] =
		(struct image_bare){ name, dwarf_hasattr(die, DW_AT_inline), dwarf_dieoffset(die) };
}

static void add_unit(struct image *image, Dwarf_Die *unit)
{
	Dwarf_Die die;

	/* Functions in assembly language have neither arguments nor types. */
	if (dwarf_srclang(unit) == DW_LANG_Mips_Assembler || dwarf_child(unit, &die))
		return;
	do {
		if (dwarf_tag(&die) != DW_TAG_subprogram)
			continue;
		if (dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges))
			add_ranges(image, &die);
		else
			add_bare(image, &die);
	} while (!dwarf_siblingof(&die, &die));
}

static int by_address(const void *one, const void *other)
{
	const struct image_function *a = one, *b = other;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

static int by_name(const void *one, const void *other)
{
	const struct image_bare *a = one, *b = other;
	int order = strcmp(a->name, b->name);

	return order ? order : a->is_inlined - b->is_inlined;
}

static void read_functions(struct image *image, const char *path)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	image->dwarf = dwfl_module_getdwarf(image->loaded, &image->bias);
	if (!image->dwarf)
		image_die("%s: no debug information: %s", path, dwfl_errmsg(-1));
	while (!dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL))
		add_unit(image, &die);
	qsort(image->functions, image->count, sizeof(*image->functions), by_address);
	qsort(image->bare, image->bare_count, sizeof(*image->bare), by_name);
}

static Elf_Scn *find_section(const struct image *image, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(image->elf, &names))
		return NULL;
	while ((section = elf_nextscn(image->elf, section))) {
		const char *its_name;

		if (!gelf_getshdr(section, header))
			continue;
		its_name = elf_strptr(image->elf, names, header->sh_name);
		if (its_name && !strcmp(its_name, name))
			return section;
	}
	return NULL;
}

static int by_number(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;

	return *a < *b ? -1 : *a > *b;
}

/* Finds the kernel's list of hookable functions, between two symbols. */
static void find_bounds(const struct image *image, uint64_t *start, uint64_t *end)
{
	int symbols = dwfl_module_getsymtab(image->loaded);

	for (int i = 1; i < symbols; i++) {
		GElf_Addr address;
		GElf_Sym read;
		const char *name = dwfl_module_getsym_info(image->loaded, i, &read, &address, NULL,
							   NULL, NULL);

		if (name && !strcmp(name, "__start_mcount_loc"))
			*start = address;
		if (name && !strcmp(name, "__stop_mcount_loc"))
			*end = address;
	}
}

static uint64_t *hooks_of_kernel(struct image *image)
{
	uint64_t start = 0, end = 0, *hooks;
	Elf_Scn *section = NULL;

	find_bounds(image, &start, &end);
	while ((section = elf_nextscn(image->elf, section))) {
		const Elf_Data *data;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    start < header.sh_addr || start >= end || end > header.sh_addr + header.sh_size)
			continue;
		data = elf_rawdata(section, NULL);
		hooks = data && data->d_buf ? malloc(end - start) : NULL;
		if (!hooks)
			return NULL;
		image->hook_count = (end - start) / sizeof(*hooks);
		memcpy(hooks, (char *)data->d_buf + (start - header.sh_addr),
		       image->hook_count * sizeof(*hooks));
		return hooks;
	}
	return NULL;
}

/*
 * Returns a module's list of hookable functions. It is in a section whose relocations have been
 * applied.
 */
static uint64_t *hooks_of_module(struct image *image)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(image, "__mcount_loc", &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	uint64_t *hooks;

	image->hook_count = data && data->d_buf ? data->d_size / sizeof(*hooks) : 0;
	hooks = calloc(image->hook_count + 1, sizeof(*hooks));
	if (hooks && image->hook_count)
		memcpy(hooks, data->d_buf, image->hook_count * sizeof(*hooks));
	return hooks;
}

static void read_hooks(struct image *image)
{
	image->hooks = *image->module ? hooks_of_module(image) : hooks_of_kernel(image);
	if (!image->hooks)
		image_die("%s: no list of functions that can be hooked",
			  *image->module ? image->module : "the kernel");
	qsort(image->hooks, image->hook_count, sizeof(*image->hooks), by_number);
}

static bool has_hook(const struct image *image, uint64_t address)
{
	return bsearch(&address, image->hooks, image->hook_count, sizeof(address), by_number);
}

unsigned int image_hook_bytes(const struct image *image, uint64_t address)
{
	if (has_hook(image, address))
		return CALL_BYTES;
	return has_hook(image, address + ENDBR_BYTES) ? ENDBR_BYTES + CALL_BYTES : 0;
}

void image_open(struct image *image, const char *path, bool with_debug_information)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwarf_Addr bias;

	*image = (struct image){ .module = "" };
	name_module(image, path);
	image->dwfl = dwfl_begin(&callbacks);
	if (image->dwfl) {
		dwfl_report_begin(image->dwfl);
		image->loaded = dwfl_report_offline(image->dwfl, path, path, -1);
		dwfl_report_end(image->dwfl, NULL, NULL);
	}
	if (image->loaded)
		image->elf = dwfl_module_getelf(image->loaded, &bias);
	if (!image->elf)
		image_die("%s: %s", path, dwfl_errmsg(-1));
	read_hooks(image);
	if (with_debug_information)
		read_functions(image, path);
}

void image_close(struct image *image)
{
	free(image->functions);
	free(image->bare);
	free(image->hooks);
	dwfl_end(image->dwfl);
}

void image_symbols(const struct image *image,
		   void (*visit)(const struct image *image, const struct image_symbol *symbol,
				 void *user),
		   void *user)
{
	int count = dwfl_module_getsymtab(image->loaded);

	for (int i = 1; i < count; i++) {
		struct image_symbol symbol;
		GElf_Shdr section;
		GElf_Word number;
		GElf_Addr address;
		GElf_Sym read;
		Elf_Scn *found;
		int binding;

		symbol.name = dwfl_module_getsym_info(image->loaded, i, &read, &address, &number,
						      NULL, NULL);
		found = symbol.name && number != SHN_UNDEF ? elf_getscn(image->elf, number) : NULL;
		if (!found || !*symbol.name || !gelf_getshdr(found, &section) ||
		    !(section.sh_flags & SHF_EXECINSTR) || GELF_ST_TYPE(read.st_info) > STT_FUNC)
			continue;
		binding = GELF_ST_BIND(read.st_info);
		symbol.address = address;
		symbol.type = binding == STB_LOCAL ? 't' : binding == STB_WEAK ? 'W' : 'T';
		visit(image, &symbol, user);
	}
}

bool image_function(const struct image *image, uint64_t address, const char *name, Dwarf_Die *die)
{
	size_t low = 0, high = image->count;
	bool found = false;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (image->functions[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < image->count && image->functions[low].address == address; low++) {
		Dwarf_Die one;
		const char *its_name;

		if (!dwarf_offdie(image->dwarf, image->functions[low].die, &one))
			continue;
		its_name = dwarf_diename(&one);
		if (!found || (its_name && !strcmp(its_name, name)))
			*die = one;
		found = true;
	}
	return found;
}

bool image_bare_function(const struct image *image, const char *name, Dwarf_Die *die)
{
	const struct image_bare wanted = { .name = name };
	const struct image_bare inlined = { .name = name, .is_inlined = true };
	const struct image_bare *found =
		bsearch(&wanted, image->bare, image->bare_count, sizeof(wanted), by_name);

	if (!found)
		found = bsearch(&inlined, image->bare, image->bare_count, sizeof(inlined), by_name);
	return found && dwarf_offdie(image->dwarf, found->die, die);
}

const Elf_Data *image_section(const struct image *image, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(image, name, &header);
	const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	return data && data->d_buf ? data : NULL;
}
