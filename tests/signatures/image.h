/* SPDX-License-Identifier: LGPL-2.1-only */
/* A kernel or a module with its debug information: symbols, and functions by address. */
#ifndef LTTNG_MM_TESTS_SIGNATURES_IMAGE_H
#define LTTNG_MM_TESTS_SIGNATURES_IMAGE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An out-of-line function: its start and its DIE. */
struct image_function {
	uint64_t address;
	Dwarf_Off die;
};

/* A function whose code has no debug information. */
struct image_bare {
	const char *name;
	bool is_inlined;
	Dwarf_Off die;
};

struct image {
	char module[64]; /* empty: the kernel */
	Dwfl *dwfl;
	Dwfl_Module *loaded;
	Elf *elf;
	Dwarf *dwarf; /* NULL: the image was opened for its symbols only */
	Dwarf_Addr bias;
	size_t count, room;
	struct image_function *functions; /* ascending addresses */
	size_t bare_count, bare_room;
	struct image_bare *bare; /* sorted by name */
	size_t hook_count;
	uint64_t *hooks; /* addresses where the kernel can hook functions, ascending */
};

/* Opens the file @path of the kernel or a module. Exits on failure. Close with image_close(). */
void image_open(struct image *image, const char *path, bool with_debug_information);
void image_close(struct image *image);

/* A symbol in a section of code. */
struct image_symbol {
	const char *name;
	uint64_t address;
	char type; /* as nm(1) prints it: t, T, w, W */
};

/* Calls @visit for each symbol of code. */
void image_symbols(const struct image *image,
		   void (*visit)(const struct image *image, const struct image_symbol *symbol,
				 void *user),
		   void *user);

/*
 * Finds the function at @address. If there are several, prefers the function with @name. Returns
 * false if no function is at @address.
 */
bool image_function(const struct image *image, uint64_t address, const char *name, Dwarf_Die *die);

/* Finds the function @name, which has only a declaration. Returns false if it is not found. */
bool image_bare_function(const struct image *image, const char *name, Dwarf_Die *die);

/* Returns the contents of a section, or NULL. */
const Elf_Data *image_section(const struct image *image, const char *name);

/*
 * Returns the size of the code at the start of a function, up to the end of the call of the hook.
 * This code changes no argument. Returns 0 if the function cannot be hooked.
 */
unsigned int image_hook_bytes(const struct image *image, uint64_t address);

/* Prints the message and exits with 2. */
__attribute__((format(printf, 1, 2), noreturn)) void image_die(const char *fmt, ...);

#endif /* LTTNG_MM_TESTS_SIGNATURES_IMAGE_H */
