// SPDX-License-Identifier: LGPL-2.1-only
/* The tables of call stacks. */
#include <stddef.h>

#include "analysis/slab/report/schema.h"

/* clang-format off */
#define COLUMNS \
	[SLAB_STACKS_CALL_SITE] = \
	{ "call_site", "call site", MM_TEXT, MM_SHORTEN(0, 20), \
	  "call site as function and offset; for page allocations, from the call stack" }, \
	[SLAB_STACKS_CODE] = \
	{ "call_site_number", NULL, MM_HEX, MM_KEEP, "call-site number; null: the call site is from the call stack" }, \
	[SLAB_STACKS_KIND] = \
	{ "kind", "kind", MM_TEXT, MM_SHORTEN(0, 12), \
	  "slab cache, kmalloc size class or page order" }, \
	[SLAB_STACKS_ALLOCATIONS] = \
	{ "allocations", "allocs", MM_COUNT("objects"), MM_KEEP, "allocations with this call stack" }, \
	[SLAB_STACKS_BYTES_ALLOCATED] = \
	{ "bytes_allocated", NULL, MM_BYTES, MM_KEEP, "allocated bytes of the allocations with this call stack" }, \
	[SLAB_STACKS_LIVE] = \
	{ "live", "live", MM_COUNT("objects"), MM_KEEP, "objects with this call stack that are live at the end" }, \
	[SLAB_STACKS_LIVE_BYTES] = \
	{ "live_bytes", NULL, MM_BYTES, MM_KEEP, "allocated bytes of the live objects" }, \
	[SLAB_STACKS_STACKS] = \
	{ "stacks", NULL, MM_COUNT("stacks"), MM_KEEP, \
	  "number of different call stacks of the call site, of which at most three are listed" }, \
	[SLAB_STACKS_STACK] = \
	{ "stack", "call stack", MM_LIST, MM_WRAP(30), \
	  "return addresses from the call site outward, as function and offset, or as numbers if the snapshot lacks the addresses of the kernel and modules" }
/* clang-format on */

/* --sort distinguishes columns by their addresses, so each table has an array of its own. */
static const struct mm_column call_stack_columns[] = { COLUMNS, { 0 } };
static const struct mm_column leak_stack_columns[] = { COLUMNS, { 0 } };

const struct mm_table_def slab_table_call_stacks = {
	"call-stacks", "Call stacks, by allocated bytes of the call site",
	"the three most frequent call stacks of each call site; ... marks a stack that is deeper than LTTng records",
	"each of the three most frequent call stacks of a call site and kind of object; only with the context callstack-kernel",
	call_stack_columns
};

const struct mm_table_def slab_table_leak_stacks = {
	"leak-stacks", "Call stacks of live objects, by live bytes of the call site",
	"for each call site, the three call stacks with the most live objects, whenever these were allocated; includes uncertain leak candidates",
	"each of the three call stacks of a call site and kind of object with most live objects; only with the context callstack-kernel",
	leak_stack_columns
};
