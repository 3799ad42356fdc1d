// SPDX-License-Identifier: LGPL-2.1-only
/* Stores address ranges in an array that is sorted by start. */
#include "reader/sysinfo/addresses.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Maximum number of ranges. No kernel has as many modules. */
#define RANGES_MAX 4096

struct address_range {
	uint64_t base, size;
	char name[64];
};

struct mm_addresses {
	struct address_range *ranges;
	size_t count;
};

static int compare(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;

	return (x->base > y->base) - (x->base < y->base);
}

static void add_range(struct mm_addresses *addresses, const json_t *entry)
{
	const char *name = json_string_value(json_object_get(entry, "name"));
	const char *base = json_string_value(json_object_get(entry, "base"));
	json_int_t size = json_integer_value(json_object_get(entry, "size"));
	struct address_range *range = &addresses->ranges[addresses->count];

	if (!name || !*name || strlen(name) >= sizeof(range->name) || !base || size <= 0)
		return;
	range->base = strtoull(base, NULL, 16);
	range->size = (uint64_t)size;
	strcpy(range->name, name);
	addresses->count += range->base != 0;
}

static json_t *read_list(const char *folder)
{
	char path[4096];
	struct stat st;

	/* Opening a pipe would block, so open only regular files. */
	if (!folder ||
	    snprintf(path, sizeof(path), "%s/addresses.json", folder) >= (int)sizeof(path) ||
	    stat(path, &st) || !S_ISREG(st.st_mode))
		return NULL;
	return json_load_file(path, 0, NULL);
}

struct mm_addresses *mm_addresses_load(const char *folder)
{
	struct mm_addresses *addresses = calloc(1, sizeof(*addresses));
	json_t *list = addresses ? read_list(folder) : NULL;
	size_t count = json_array_size(list);

	count = count < RANGES_MAX ? count : RANGES_MAX;
	if (addresses)
		addresses->ranges = calloc(count + 1, sizeof(*addresses->ranges));
	if (!addresses || !addresses->ranges) {
		json_decref(list);
		free(addresses);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		add_range(addresses, json_array_get(list, i));
	json_decref(list);
	qsort(addresses->ranges, addresses->count, sizeof(*addresses->ranges), compare);
	return addresses;
}

void mm_addresses_destroy(struct mm_addresses *addresses)
{
	if (!addresses)
		return;
	free(addresses->ranges);
	free(addresses);
}

bool mm_addresses_any(const struct mm_addresses *addresses)
{
	return addresses->count > 0;
}

/* Returns the range that contains the byte before @address, or NULL. */
static const struct address_range *find_range(const struct mm_addresses *addresses,
					      uint64_t address)
{
	size_t low = 0, high = addresses->count;
	const struct address_range *range;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addresses->ranges[middle].base < address)
			low = middle + 1;
		else
			high = middle;
	}
	range = low ? &addresses->ranges[low - 1] : NULL;
	/* A return address may be the first byte after the function, so include this byte. */
	return range && address - range->base <= range->size ? range : NULL;
}

bool mm_addresses_name(const struct mm_addresses *addresses, const struct mm_symbols *symbols,
		       uint64_t address, char *text, size_t size)
{
	const struct address_range *range = find_range(addresses, address);
	const char *symbol = NULL;
	uint64_t offset, from;

	if (!range) {
		snprintf(text, size, "0x%" PRIx64, address);
		return false;
	}
	offset = address - range->base;
	if (symbols)
		symbol = mm_symbols_find(symbols, range->name, offset - 1, &from);
	if (!symbol)
		snprintf(text, size, "%s+0x%" PRIx64, range->name, offset);
	else if (!strcmp(range->name, "kernel"))
		snprintf(text, size, "%s+0x%" PRIx64, symbol, from + 1);
	else
		snprintf(text, size, "%s+0x%" PRIx64 " [%s]", symbol, from + 1, range->name);
	return true;
}
