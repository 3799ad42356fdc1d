// SPDX-License-Identifier: LGPL-2.1-only
/* Tests how causes are classified: the failed checks of a fault, and the first failed check. */
#include "analysis/dax/cause.h"

#include "tests/tap.h"

/* Each case names only the members that differ from GOOD. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define MIB2 (2ull << 20)
#define BASE 0x7f0000000000ull
#define BIT(cause) (1u << DAX_CAUSE_##cause)
#define NO_ADDR UINT64_MAX

/* A read fault of a shared mapping of 8 MiB, in the middle of a file of 16 MiB. */
#define GOOD                                                                    \
	.vm_start = BASE, .vm_end = BASE + 4 * MIB2, .vm_flags = DAX_VM_SHARED, \
	.address = BASE + MIB2 + 0x5000, .pgoff = 0x205, .max_pgoff = 0x1000,   \
	.device_aligned = -1, .extent_declared = true, .entry_declared = true,  \
	.result = DAX_RESULT_FALLBACK
#define EXTENT                                                                           \
	.extent_seen = true, .entry_seen = true, .extent_pos = MIB2, .extent_offset = 0, \
	.extent_length = 8 * MIB2, .extent_addr = 64 * MIB2, .extent_type = DAX_IOMAP_MAPPED

static const struct {
	const char *name;
	struct dax_evidence evidence;
	uint32_t causes;
	enum dax_cause first;
} cases[] = {
	{ "mapped: no cause", { GOOD, EXTENT, .result = DAX_RESULT_NOPAGE }, 0, DAX_CAUSE_COUNT },
	{ "completely past the end of the file: SIGBUS, no fallback",
	  { GOOD, .max_pgoff = 0x100, .result = DAX_RESULT_SIGBUS },
	  0,
	  DAX_CAUSE_COUNT },
	{ "synchronous: no cause",
	  { GOOD, EXTENT, .result = DAX_RESULT_NEEDDSYNC },
	  0,
	  DAX_CAUSE_COUNT },
	{ "mapping-misaligned",
	  { GOOD, .pgoff = 0x206 },
	  BIT(MAPPING_MISALIGNED),
	  DAX_CAUSE_MAPPING_MISALIGNED },
	{ "write to a private mapping",
	  { GOOD, .flags = DAX_FLAG_WRITE, .vm_flags = 0 },
	  BIT(PRIVATE_WRITE),
	  DAX_CAUSE_PRIVATE_WRITE },
	{ "read of a private mapping is not a failed check",
	  { GOOD, EXTENT, .vm_flags = 0, .result = DAX_RESULT_NOPAGE },
	  0,
	  DAX_CAUSE_COUNT },
	{ "starts before the mapping",
	  { GOOD, .vm_start = BASE + MIB2 + 0x1000 },
	  BIT(STARTS_BEFORE_VMA),
	  DAX_CAUSE_STARTS_BEFORE_VMA },
	{ "ends after the mapping",
	  { GOOD, .vm_end = BASE + 2 * MIB2 - 0x1000 },
	  BIT(ENDS_AFTER_VMA),
	  DAX_CAUSE_ENDS_AFTER_VMA },
	{ "exactly the mapping's range fails neither check",
	  { GOOD, EXTENT, .vm_start = BASE + MIB2, .vm_end = BASE + 2 * MIB2,
	    .result = DAX_RESULT_NOPAGE },
	  0,
	  DAX_CAUSE_COUNT },
	{ "one page short of the end of the file",
	  { GOOD, .max_pgoff = 0x3ff },
	  BIT(PAST_EOF),
	  DAX_CAUSE_PAST_EOF },
	{ "the file ends where the range does",
	  { GOOD, .max_pgoff = 0x400, .entry_seen = true, .entry = 0x41 },
	  BIT(PTE_ENTRY),
	  DAX_CAUSE_PTE_ENTRY },
	{ "four at once, the kernel's first check counts",
	  { GOOD, .pgoff = 0x206, .flags = DAX_FLAG_WRITE, .vm_flags = 0,
	    .vm_end = BASE + 2 * MIB2 - 0x1000, .max_pgoff = 0x300 },
	  BIT(MAPPING_MISALIGNED) | BIT(PRIVATE_WRITE) | BIT(ENDS_AFTER_VMA) | BIT(PAST_EOF),
	  DAX_CAUSE_MAPPING_MISALIGNED },
	{ "a 4 KiB entry",
	  { GOOD, .entry_seen = true, .entry = 0x24dc121 },
	  BIT(PTE_ENTRY),
	  DAX_CAUSE_PTE_ENTRY },
	{ "an entry that came after the extent is not a cause",
	  { GOOD, EXTENT, .entry = 0x24dc121, .extent_length = MIB2 + 0x1000 },
	  BIT(EXTENT_SHORT),
	  DAX_CAUSE_EXTENT_SHORT },
	{ "no extent, no entry: the filesystem failed",
	  { GOOD, .entry_seen = true },
	  BIT(FS_ERROR),
	  DAX_CAUSE_FS_ERROR },
	{ "... but only where extents are recorded",
	  { GOOD, .entry_seen = true, .extent_declared = false },
	  BIT(UNDETERMINED),
	  DAX_CAUSE_UNDETERMINED },
	{ "no memory", { GOOD, .result = DAX_RESULT_OOM }, BIT(OOM), DAX_CAUSE_OOM },
	{ "a race lost", { GOOD, .result = 0 }, BIT(RACE), DAX_CAUSE_RACE },
	{ "extent ends a page early",
	  { GOOD, EXTENT, .extent_length = 2 * MIB2 - 0x1000 },
	  BIT(EXTENT_SHORT),
	  DAX_CAUSE_EXTENT_SHORT },
	{ "short and misaligned",
	  { GOOD, EXTENT, .extent_length = 2 * MIB2 - 0x1000, .extent_addr = 64 * MIB2 + 0x1000 },
	  BIT(EXTENT_SHORT) | BIT(EXTENT_MISALIGNED),
	  DAX_CAUSE_EXTENT_SHORT },
	{ "misaligned by a page",
	  { GOOD, EXTENT, .extent_addr = 64 * MIB2 + 0x1000 },
	  BIT(EXTENT_MISALIGNED),
	  DAX_CAUSE_EXTENT_MISALIGNED },
	{ "the extent's start is odd, the range's is aligned",
	  { GOOD, EXTENT, .extent_offset = 0x1000, .extent_addr = 64 * MIB2 + 0x1000,
	    .device_aligned = 0 },
	  BIT(DEVICE_MISALIGNED),
	  DAX_CAUSE_DEVICE_MISALIGNED },
	{ "aligned, device aligned: undetermined",
	  { GOOD, EXTENT, .device_aligned = 1 },
	  BIT(UNDETERMINED),
	  DAX_CAUSE_UNDETERMINED },
	{ "aligned, device unknown: undetermined",
	  { GOOD, EXTENT },
	  BIT(UNDETERMINED),
	  DAX_CAUSE_UNDETERMINED },
	{ "hole, no huge zero page",
	  { GOOD, EXTENT, .extent_type = DAX_IOMAP_HOLE, .extent_addr = NO_ADDR,
	    .hole_fallback_seen = true },
	  BIT(HOLE_NO_ZERO_PAGE),
	  DAX_CAUSE_HOLE_NO_ZERO_PAGE },
	{ "unwritten, no huge zero page",
	  { GOOD, EXTENT, .extent_type = DAX_IOMAP_UNWRITTEN, .extent_addr = 0x1000,
	    .hole_fallback_seen = true },
	  BIT(HOLE_NO_ZERO_PAGE),
	  DAX_CAUSE_HOLE_NO_ZERO_PAGE },
	{ "hole, zero page present: a lost race",
	  { GOOD, EXTENT, .extent_type = DAX_IOMAP_HOLE, .extent_addr = NO_ADDR,
	    .hole_fallback_seen = true, .hole_zero_pfn = 0x1200 },
	  BIT(RACE),
	  DAX_CAUSE_RACE },
	{ "no evidence events at all",
	  { GOOD, .extent_declared = false, .entry_declared = false },
	  BIT(UNDETERMINED),
	  DAX_CAUSE_UNDETERMINED },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum dax_cause first;
		uint32_t causes = dax_cause_find(&cases[i].evidence, &first);

		tap(causes == cases[i].causes && first == cases[i].first, "cause: %s (0x%x, %d)",
		    cases[i].name, causes, (int)first);
	}
	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++)
		tap(dax_cause_info[cause].id && dax_cause_info[cause].why &&
			    dax_cause_info[cause].remedy,
		    "cause %d has an id, a reason and a remedy", cause);
	return tap_status();
}
