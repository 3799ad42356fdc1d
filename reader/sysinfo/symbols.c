// SPDX-License-Identifier: LGPL-2.1-only
/* Stores symbols in an array that is sorted by owner and offset. */
#include "reader/sysinfo/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/hash.h"

#define OWNER_BYTES 64
#define NAME_BYTES 512

struct code_symbol {
	uint32_t owner; /* index in the order of the file */
	uint32_t line;	/* line number; the first of several symbols at one offset is used */
	uint64_t offset;
	size_t name; /* offset in mm_symbols.text; not a pointer, because that buffer may move */
};

struct mm_symbols {
	struct code_symbol *all;
	size_t count, room;
	char (*owners)[OWNER_BYTES];
	size_t owner_count, owner_room;
	struct mm_hash owner_by_name;
	char *text;
	size_t text_length, text_room;
};

static int add_owner(struct mm_symbols *symbols, const char *owner)
{
	char(*grown)[OWNER_BYTES] = mm_array_grow(symbols->owners, symbols->owner_count,
						  &symbols->owner_room, sizeof(*grown));

	if (!grown)
		return -1;
	symbols->owners = grown;
	snprintf(grown[symbols->owner_count], OWNER_BYTES, "%s", owner);
	return mm_hash_add(&symbols->owner_by_name,
			   mm_hash_of_string(&symbols->owner_by_name, owner),
			   (uint32_t)symbols->owner_count++);
}

static bool is_owner(const void *owners, uint32_t number, const void *name)
{
	return !strcmp(((const char(*)[OWNER_BYTES])owners)[number], name);
}

/* Returns the owner's index, or MM_HASH_NONE. */
static uint32_t find_owner(const struct mm_symbols *symbols, const char *owner)
{
	const struct mm_hash *hash = &symbols->owner_by_name;

	/*
	 * The lines of an owner are contiguous, so the owner is usually the last one in the array.
	 */
	if (symbols->owner_count && !strcmp(symbols->owners[symbols->owner_count - 1], owner))
		return (uint32_t)symbols->owner_count - 1;
	return mm_hash_find(hash, mm_hash_of_string(hash, owner), symbols->owners, owner, is_owner);
}

static int add_text(struct mm_symbols *symbols, const char *name)
{
	size_t length = strlen(name) + 1, room = symbols->text_room ? symbols->text_room : 1 << 16;
	char *grown;

	while (room - symbols->text_length < length)
		room *= 2;
	if (room != symbols->text_room) {
		grown = realloc(symbols->text, room);
		if (!grown)
			return -1;
		symbols->text = grown;
		symbols->text_room = room;
	}
	memcpy(symbols->text + symbols->text_length, name, length);
	symbols->text_length += length;
	return 0;
}

/* Returns the next field of a line. *@line becomes the text after the tab, or NULL. */
static char *take_field(char **line)
{
	char *field = *line, *tab = strchr(field, '\t');

	*line = tab ? tab + 1 : NULL;
	if (tab)
		*tab = '\0';
	return field;
}

/* Parses a line: owner, hexadecimal offset, type and name. Ignores malformed lines. */
static int add_line(struct mm_symbols *symbols, char *line)
{
	char *owner = take_field(&line), *offset = line ? take_field(&line) : NULL;
	char *type = line ? take_field(&line) : NULL, *end;
	struct code_symbol *grown;
	uint64_t value;
	uint32_t number;

	if (!line || !*owner || strlen(owner) >= OWNER_BYTES || strlen(type) != 1)
		return 0;
	value = strtoull(offset, &end, 16);
	line[strcspn(line, " \t\r\n")] = '\0';
	if (end == offset || *end || !*line || strlen(line) >= NAME_BYTES)
		return 0;
	number = find_owner(symbols, owner);
	if (number == MM_HASH_NONE) {
		if (add_owner(symbols, owner))
			return -1;
		number = (uint32_t)symbols->owner_count - 1;
	}
	grown = mm_array_grow(symbols->all, symbols->count, &symbols->room, sizeof(*grown));
	if (!grown)
		return -1;
	symbols->all = grown;
	grown[symbols->count] = (struct code_symbol){ .owner = number,
						      .offset = value,
						      .line = (uint32_t)symbols->count,
						      .name = symbols->text_length };
	symbols->count++;
	return add_text(symbols, line);
}

static int compare(const void *a, const void *b)
{
	const struct code_symbol *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->line < y->line) - (x->line > y->line);
}

static int load(struct mm_symbols *symbols, const char *path)
{
	struct stat st;
	FILE *file;
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	/* Opening a pipe would block, so open only regular files. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	file = fopen(path, "re");
	if (!file)
		return errno == ENOMEM ? -1 : 0;
	errno = 0;
	while (!ret && getline(&line, &size, file) > 0)
		ret = add_line(symbols, line);
	/* Treat a read error like the end of the file. */
	if (!ret && !feof(file) && errno == ENOMEM)
		ret = -1;
	free(line);
	fclose(file);
	if (symbols->count)
		qsort(symbols->all, symbols->count, sizeof(*symbols->all), compare);
	return ret;
}

struct mm_symbols *mm_symbols_load(const char *folder)
{
	struct mm_symbols *symbols = calloc(1, sizeof(*symbols));
	char path[4096];

	if (!symbols)
		return NULL;
	mm_hash_init(&symbols->owner_by_name);
	if (folder && snprintf(path, sizeof(path), "%s/symbols.txt", folder) < (int)sizeof(path) &&
	    load(symbols, path)) {
		mm_symbols_destroy(symbols);
		return NULL;
	}
	return symbols;
}

void mm_symbols_destroy(struct mm_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->all);
	free(symbols->owners);
	mm_hash_release(&symbols->owner_by_name);
	free(symbols->text);
	free(symbols);
}

const char *mm_symbols_find(const struct mm_symbols *symbols, const char *owner, uint64_t offset,
			    uint64_t *from)
{
	uint32_t number = find_owner(symbols, owner);
	size_t low = 0, high = symbols->count;
	const struct code_symbol *symbol;

	if (number == MM_HASH_NONE)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		symbol = &symbols->all[middle];
		if (symbol->owner < number || (symbol->owner == number && symbol->offset <= offset))
			low = middle + 1;
		else
			high = middle;
	}
	symbol = low ? &symbols->all[low - 1] : NULL;
	if (!symbol || symbol->owner != number)
		return NULL;
	*from = offset - symbol->offset;
	return symbols->text + symbol->name;
}
