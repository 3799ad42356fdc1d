// SPDX-License-Identifier: LGPL-2.1-only
/* Names call sites by the code ranges and symbols that contain them. */
#include "reader/sysinfo/call-sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

/* Maximum number of ranges of a trace. No kernel has as many modules. */
#define RANGES_MAX 4096

void mm_call_sites_release(struct mm_call_sites *sites)
{
	free(sites->ranges);
	mm_symbols_destroy(sites->symbols);
	*sites = (struct mm_call_sites){ 0 };
}

/* Returns the number of ranges that start at or before @code. */
static uint32_t count_before(const struct mm_call_sites *sites, uint32_t code)
{
	uint32_t low = 0, high = sites->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sites->ranges[middle].code <= code)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int mm_call_sites_add(struct mm_call_sites *sites, uint32_t code, uint32_t size, bool alive,
		      const char *name)
{
	uint32_t at = count_before(sites, code);
	struct mm_code_range *grown;

	if (at && sites->ranges[at - 1].code == code) {
		sites->ranges[at - 1].alive = alive;
		return 0;
	}
	if (sites->count == RANGES_MAX)
		return 0;
	grown = mm_array_grow(sites->ranges, sites->count, &sites->room, sizeof(*grown));
	if (!grown)
		return -1;
	sites->ranges = grown;
	grown += at;
	memmove(grown + 1, grown, (sites->count++ - at) * sizeof(*grown));
	grown->code = code;
	grown->size = size;
	grown->alive = alive;
	snprintf(grown->name, sizeof(grown->name), "%s", name);
	return 0;
}

int mm_call_sites_load(struct mm_call_sites *sites, const char *folder)
{
	mm_symbols_destroy(sites->symbols);
	sites->symbols = mm_symbols_load(folder);
	return sites->symbols ? 0 : -1;
}

static const struct mm_code_range *find_range(const struct mm_call_sites *sites, uint32_t code)
{
	uint32_t at = count_before(sites, code);
	const struct mm_code_range *range = at ? &sites->ranges[at - 1] : NULL;

	return range && code - range->code < range->size ? range : NULL;
}

/*
 * Is the call site the trampoline of a kretprobe? A kretprobe replaces the return address of its
 * function, so the caller is unknown.
 */
static bool is_kretprobe(const struct mm_call_sites *sites, const struct mm_code_range *range,
			 uint64_t offset)
{
	uint64_t from;
	const char *symbol = range->alive && sites->symbols
				     ? mm_symbols_find(sites->symbols, range->name, offset, &from)
				     : NULL;

	return symbol && !from &&
	       (!strcmp(symbol, "arch_rethook_trampoline") ||
		!strcmp(symbol, "__kretprobe_trampoline"));
}

bool mm_call_sites_name(const struct mm_call_sites *sites, uint32_t code, char *text, size_t size)
{
	const struct mm_code_range *range = find_range(sites, code);
	const char *symbol = NULL;
	uint64_t offset, from;

	if (!range) {
		snprintf(text, size, "%s", "");
		return false;
	}
	offset = code - range->code;
	if (is_kretprobe(sites, range, offset)) {
		snprintf(text, size, "(unknown: hidden by a kretprobe)");
		return true;
	}
	/*
	 * A call site is a return address. It may be the first byte of the next function, so look
	 * up the byte before it.
	 */
	if (offset && range->alive && sites->symbols)
		symbol = mm_symbols_find(sites->symbols, range->name, offset - 1, &from);
	if (!symbol)
		snprintf(text, size, "%s+0x%" PRIx64, range->name, offset);
	else if (!strcmp(range->name, "kernel"))
		snprintf(text, size, "%s+0x%" PRIx64, symbol, from + 1);
	else
		snprintf(text, size, "%s+0x%" PRIx64 " [%s]", symbol, from + 1, range->name);
	return true;
}
