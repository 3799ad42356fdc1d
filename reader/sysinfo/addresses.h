/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names for raw code addresses in call stacks. To find a name, the addresses of the kernel and its
 * modules must be known. A snapshot contains these only if it is not marked as KASLR-safe
 * (kaslr_safe in system.json).
 */
#ifndef LTTNG_MM_SYSINFO_ADDRESSES_H
#define LTTNG_MM_SYSINFO_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/sysinfo/symbols.h"

struct mm_addresses;

/*
 * Reads @folder/addresses.json (@folder may be NULL). Ignores malformed parts. Returns NULL when
 * out of memory.
 */
struct mm_addresses *mm_addresses_load(const char *folder);
void mm_addresses_destroy(struct mm_addresses *addresses);
bool mm_addresses_any(const struct mm_addresses *addresses);

/*
 * Writes the name of a return address in the form of mm_call_sites_name(). If there is no symbol,
 * writes the module and the offset. If no range contains the address, returns false with the
 * address in @text.
 */
bool mm_addresses_name(const struct mm_addresses *addresses, const struct mm_symbols *symbols,
		       uint64_t address, char *text, size_t size);

#endif /* LTTNG_MM_SYSINFO_ADDRESSES_H */
