/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Raw addresses of code, as call stacks have them: names by where kernel and modules were, which
 * only a snapshot that is not KASLR-safe says.
 */
#ifndef LTTNG_MM_SYSINFO_ADDRESSES_H
#define LTTNG_MM_SYSINFO_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/sysinfo/symbols.h"

struct mm_addresses;

/*
 * Reads @folder/addresses.json (@folder may be NULL). Malformed parts are ignored. NULL: out of
 * memory.
 */
struct mm_addresses *mm_addresses_load(const char *folder);
void mm_addresses_destroy(struct mm_addresses *addresses);
bool mm_addresses_any(const struct mm_addresses *addresses);

/*
 * The name of a return address, as mm_call_sites_name() names call sites; without a symbol the
 * module and the offset in it, and without either the address itself. Returns false then.
 */
bool mm_addresses_name(const struct mm_addresses *addresses, const struct mm_symbols *symbols,
		       uint64_t address, char *text, size_t size);

#endif /* LTTNG_MM_SYSINFO_ADDRESSES_H */
