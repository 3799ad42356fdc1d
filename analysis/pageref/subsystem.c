// SPDX-License-Identifier: LGPL-2.1-only
/* Describes the subsystem of page references. */
#include "analysis/subsystem/subsystem.h"

#include <stddef.h>
#include <string.h>

#include "analysis/pageref/pageref.h"
#include "instrumentation/wire/pageref-sample.h"
#include "instrumentation/wire/pageref.h"

static const struct mm_need needs[] = {
	{ MM_NEED_CONFIG, "CONFIG_X86_64", "the probe marks page-table entries of x86-64 only" },
	{ MM_NEED_CONFIG, "CONFIG_NUMA_BALANCING",
	  "without it the kernel cannot restore a page that the probe has marked" },
	{ MM_NEED_CONFIG, "CONFIG_RETHOOK", "the probe hooks the ends of page faults with it" },
	{ 0 },
};

static const struct mm_range_fields address = { .space = "mm", .start = "address" };
static const struct mm_range_fields mapping = {
	.space = "mm", .start = "start", .end = "end", .name = "name", .unnamed = "anonymous"
};

static const struct mm_file_fields file = { .major = "dev_major",
					    .minor = "dev_minor",
					    .inode = "ino" };
static const struct mm_file_fields named_file = {
	.major = "dev_major", .minor = "dev_minor", .inode = "ino", .path = "path"
};

static const struct mm_event_text texts[] = {
	{ .events = "pageref_touch",
	  .format = "mm {mm} {address} ip {ip} {kind} {write?write:read} {user?user:kernel} "
		    "{huge?2M:4K} node {node~8}",
	  .range = &address },
	{ .events = "pageref_around",
	  .format = "mm {mm} {address} pages {pages}",
	  .range = &address },
	{ .events = "pageref_pass",
	  .format = "mm {mm} {end?end:start} looked_at {looked_at} armed {armed} unseen {unseen} "
		    "left_out {left_out}" },
	{ .events = "pageref_unseen",
	  .format = "mm {mm} {address} pages {pages}",
	  .range = &address },
	{ .events = "pageref_gone", .format = "mm {mm} {address} pages {pages} {cause}" },
	{ .events = "pageref_mm,pageref_statedump_mm",
	  .format = "mm {mm} pid {pid} parent {parent} {name}" },
	{ .events = "pageref_mapping,pageref_statedump_mapping",
	  .format = "mm {mm} {start}-{end} {readable?r:-}{writable?w:-}{executable?x:-}"
		    "{shared?s:p} pgoff {pgoff} dev {dev_major}:{dev_minor} ino {ino} {name}",
	  .range = &mapping },
	{ .events = "pageref_file_io",
	  .format = "mm {mm} {write?write:read} dev {dev_major}:{dev_minor} ino {ino} "
		    "offset {offset} length {length} result {result}",
	  .file = &file },
	{ .events = "pageref_file",
	  .format = "dev {dev_major}:{dev_minor} ino {ino} {path}",
	  .file = &named_file },
	{ .events = NULL },
};

static const char *const prefixes[] = { "pageref_", NULL };
static const char *const touches[] = { "pageref_touch", NULL };

/* Returns the value of a packed field of pageref_touch that means "does not fit". */
static uint64_t packed_ones(const char *field)
{
	static const struct {
		const char *field;
		unsigned int bits;
	} fields[] = {
		{ "mm", LTTNG_MM_PAGEREF_MM_BITS },
		{ "address", LTTNG_MM_PAGEREF_ADDRESS_BITS },
		{ "ip", LTTNG_MM_PAGEREF_IP_BITS },
		{ "node", LTTNG_MM_PAGEREF_NODE_BITS },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strcmp(field, fields[i].field))
			return (UINT64_C(1) << fields[i].bits) - 1;
	return UINT64_MAX;
}

static const struct mm_event_roles roles = { .prefixes = prefixes,
					     .touches = touches,
					     .sample_event = "pageref_pass",
					     .sample_field = "sample",
					     .sample_all = LTTNG_MM_PAGEREF_SAMPLE_ALL,
					     .packed_ones = packed_ones };

static const struct mm_sysinfo_member cgroup_members[] = {
	{ "cgroup", JSON_STRING, false },	 { "anon_bytes", JSON_INTEGER, false },
	{ "file_bytes", JSON_INTEGER, false },	 { "file_mapped_bytes", JSON_INTEGER, false },
	{ "kernel_bytes", JSON_INTEGER, false }, { 0 },
};

static const struct mm_sysinfo_part parts[] = {
	{ .name = MM_SYSINFO_CGROUP, .key = "cgroup", .members = cgroup_members },
	{ .name = NULL },
};

extern const struct mm_subsystem mm_pageref_subsystem;

const struct mm_subsystem mm_pageref_subsystem = {
	.name = "page-ref",
	.profile = "page-ref",
	.needs = needs,
	.analysis = &mm_pageref_analysis,
	.texts = texts,
	.roles = &roles,
	.parts = parts,
};
