// SPDX-License-Identifier: LGPL-2.1-only
/* Describes the DAX subsystem. */
#include "analysis/subsystem/subsystem.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>

#include "analysis/dax/dax.h"
#include "analysis/dax/devices.h"
#include "analysis/dax/wide.h"
#include "instrumentation/wire/dax.h"
#include "util/mounts.h"

static int is_dax(const struct mount *mount, void *user)
{
	(void)user;
	return !strcmp(mount->dax, "always") || !strcmp(mount->dax, "inode");
}

static bool have_pmem(void)
{
	char path[PATH_MAX];
	struct dirent *disk;
	bool found = false;
	DIR *block;

	mounts_path(path, sizeof(path), "/sys/block");
	block = opendir(path);
	while (block && (disk = readdir(block)))
		found |= !strncmp(disk->d_name, "pmem", 4);
	if (block)
		closedir(block);
	return found;
}

static bool check_mounts(struct mm_check *check)
{
	if (mounts_each(is_dax, NULL)) {
		*check = (struct mm_check){ .text = "a filesystem is mounted with DAX" };
		return true;
	}
	if (have_pmem())
		*check = (struct mm_check){
			.text = "there is a pmem device, but no filesystem is mounted with DAX: nothing to record for dax",
			.remedy = "mount -o dax /dev/pmem0 DIR",
		};
	else
		*check = (struct mm_check){
			.text = "no pmem device and no filesystem mounted with DAX: nothing to record for dax",
			.remedy = "ndctl create-namespace -m fsdax",
		};
	return false;
}

static const struct mm_need needs[] = {
	{ MM_NEED_CONFIG, "CONFIG_FS_DAX", "without it the kernel has no DAX" },
	{ 0 },
};

static const struct mm_requirement requirement = {
	.name = "dax-mount",
	.refusal = "no filesystem is mounted with DAX; mount one (mount -o dax /dev/pmem0 DIR)",
	.check = check_mounts,
};

#define NUMBER_TEXT(number) #number
#define BITS_TEXT(number) NUMBER_TEXT(number)
#define DEVICE_BITS BITS_TEXT(LTTNG_MM_DAX_DEVICE_BITS)

/*
 * Each format equals the format of the kernel's event with the same name, so that both outputs can
 * be compared.
 */
#define DEV "dev {dev_major}:{dev_minor} ino {ino} "
#define SHARED "{vm_flags&8?shared:private} " /* VM_SHARED */
#define PTE_FAULT DEV SHARED "{flags} address {address} pgoff {pgoff} {result}"
#define PMD_FAULT                                                                         \
	DEV SHARED "{flags} address {address} vm_start {vm_start} vm_end {vm_end} pgoff " \
		   "{pgoff} max_pgoff {max_pgoff} {result}"
#define PMD_HOLE DEV SHARED "address {address} zero_pfn {zero_pfn} radix_entry {radix_entry}"
#define WRITEBACK DEV "pgoff {start_index}-{end_index}"

static const struct mm_event_text texts[] = {
	{ .events = "dax_fault_extent",
	  .format = DEV
	  "pos {pos} len {len} {flags} extent {extent_type} offset {extent_offset} length "
	  "{extent_length} addr {extent_addr~" DEVICE_BITS "} {extent_flags}" },
	{ .events = "dax_insert_pfn_mkwrite", .format = PTE_FAULT },
	{ .events = "dax_insert_pfn_mkwrite_no_entry", .format = PTE_FAULT },
	{ .events = "dax_load_hole", .format = PTE_FAULT },
	{ .events = "dax_pmd_fallback",
	  .format = DEV "address {address} pgoff {pgoff} entry_pgoff {entry_pgoff} radix_entry "
			"{radix_entry}" },
	{ .events = "dax_pmd_fault", .format = PMD_FAULT },
	{ .events = "dax_pmd_fault_done", .format = PMD_FAULT },
	{ .events = "dax_pmd_load_hole", .format = PMD_HOLE },
	{ .events = "dax_pmd_load_hole_fallback", .format = PMD_HOLE },
	{ .events = "dax_pte_fault", .format = PTE_FAULT },
	{ .events = "dax_pte_fault_done", .format = PTE_FAULT },
	{ .events = "dax_writeback_one", .format = DEV "pgoff {pgoff} pglen {pglen}" },
	{ .events = "dax_writeback_range", .format = WRITEBACK },
	{ .events = "dax_writeback_range_done", .format = WRITEBACK },
	{ .events = NULL },
};

static const char *const prefixes[] = { "dax_", NULL };
static const char *const file[MM_FILE_FIELDS] = { "ino", "dev_major", "dev_minor" };
static const char *const same[] = { "ino", "address", NULL };
static const struct mm_operation operations[] = {
	{ "dax_pmd", "DAX huge-page fault", "dax_pmd_fault", "dax_pmd_fault_done", "result" },
	{ "dax_pte", "DAX 4 KiB fault", "dax_pte_fault", "dax_pte_fault_done", "result" },
	{ 0 },
};
static const struct mm_event_roles roles = {
	.prefixes = prefixes,
	.operations = operations,
	.operations_noun = "DAX fault",
	.file = file,
	.same = same,
	.packed_ones = dax_packed_ones,
};

extern const struct mm_subsystem mm_dax_subsystem;

const struct mm_subsystem mm_dax_subsystem = {
	.name = "dax",
	.profile = "dax",
	.needs = needs,
	.requirement = &requirement,
	.analysis = &mm_dax_analysis,
	.texts = texts,
	.roles = &roles,
	.parts = dax_sysinfo_parts,
};
