// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the alignment of DAX devices: from a synthetic /sys/block to sysinfo/ and back. */
#include "lttng-session/sysinfo/sysinfo.h"

#include <fcntl.h>
#include <unistd.h>

#include "analysis/dax/devices.h"
#include "analysis/registry/registry.h"
#include "tests/unit/machine.h"

static const char *const folders[] = {
	"sysinfo",
	"sys",
	"sys/block",
	"sys/block/pmem0",
	"sys/block/pmem0/device",
	"sys/block/pmem0/pmem0p1",
	"sys/block/pmem1",
	"sys/block/pmem1/device",
	"sys/block/pmem2",
	"sys/block/sda",
	NULL,
};

static const struct {
	unsigned int major, minor;
	int expected;
	const char *what;
} cases[] = {
	{ 259, 0, 1, "a disk that is 2 MiB aligned" },
	{ 259, 1, 1, "a partition: like its disk" },
	{ 259, 2, 0, "a disk that is not aligned" },
	{ 259, 3, -1, "a disk whose address is hidden: not known" },
	{ 8, 0, -1, "a disk other than pmem: not listed" },
};

int main(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_sysinfo *sysinfo;
	int fd;

	machine_create(folders);
	machine_write("sys/block/pmem0/dev", "259:0\n");
	machine_write("sys/block/pmem0/device/resource", "0x240000000\n");
	machine_write("sys/block/pmem0/pmem0p1/dev", "259:1\n");
	machine_write("sys/block/pmem1/dev", "259:2\n");
	machine_write("sys/block/pmem1/device/resource", "0x240100000\n");
	machine_write("sys/block/pmem2/dev", "259:3\n");
	machine_write("sys/block/sda/dev", "8:0\n");
	fd = open(machine_path("sysinfo"), O_RDONLY | O_DIRECTORY);
	tap(!sysinfo_write_part(fd, &dax_sysinfo_parts[0], &err), "written");
	sysinfo = mm_sysinfo_load_folder(machine_root, NULL, mm_sysinfo_part_at);
	for (size_t i = 0; sysinfo && i < sizeof(cases) / sizeof(cases[0]); i++)
		tap(dax_device_is_aligned(sysinfo, cases[i].major, cases[i].minor) ==
			    cases[i].expected,
		    "%s", cases[i].what);
	tap(dax_device_is_aligned(NULL, 259, 0) == -1, "no system information: not known");
	mm_sysinfo_destroy(sysinfo);
	close(fd);
	tap(machine_remove(), "removed");
	return tap_status();
}
