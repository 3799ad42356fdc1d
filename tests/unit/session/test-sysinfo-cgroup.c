// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the memory of a cgroup: from a synthetic memory.stat to sysinfo/ and back. */
#include "lttng-session/sysinfo/sysinfo.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "lttng-session/system/cgroup.h"
#include "tests/unit/machine.h"

static const char *const folders[] = {
	"sysinfo", "sys", "sys/fs", "sys/fs/cgroup", "sys/fs/cgroup/a.slice", "sys/fs/cgroup/none",
	NULL,
};

static json_int_t bytes(const json_t *entry, const char *member)
{
	return json_integer_value(json_object_get(entry, member));
}

int main(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct mm_sysinfo *sysinfo;
	const json_t *entry;
	int fd;

	machine_create(folders);
	machine_write("sys/fs/cgroup/a.slice/memory.stat",
		      "anon 4096\nfile 12288\nfile_mapped 8192\nkernel_stack 1\nslab x\n");
	fd = open(machine_path("sysinfo"), O_RDONLY | O_DIRECTORY);
	tap(!strcmp(cgroup_relative("/sys/fs/cgroup/a.slice"), "/a.slice") &&
		    !strcmp(cgroup_relative("/sys/fs/cgroup"), "/") &&
		    !strcmp(cgroup_relative("/sys/fs/cgroups"), "/sys/fs/cgroups") &&
		    !strcmp(cgroup_relative("/a.slice"), "/a.slice"),
	    "paths with and without the mountpoint");
	tap(!sysinfo_write_cgroup(fd, "/none", &err) && faccessat(fd, "cgroup.json", F_OK, 0),
	    "without memory.stat, no file is written");
	tap(!sysinfo_write_cgroup(fd, "a.slice", &err) && !faccessat(fd, "cgroup.json", F_OK, 0) &&
		    !unlinkat(fd, "cgroup.json", 0),
	    "a path without a slash");
	tap(!sysinfo_write_cgroup(fd, "/sys/fs/cgroup/a.slice", &err), "written");
	sysinfo = mm_sysinfo_load_folder(machine_root, NULL, mm_sysinfo_part_at);
	entry = mm_sysinfo_entry(sysinfo, MM_SYSINFO_CGROUP, "/a.slice");
	tap(bytes(entry, "anon_bytes") == 4096 && bytes(entry, "file_bytes") == 12288 &&
		    bytes(entry, "file_mapped_bytes") == 8192,
	    "the counters are read back");
	tap(json_is_null(json_object_get(entry, "kernel_bytes")),
	    "a counter that the kernel lacks is null");
	mm_sysinfo_destroy(sysinfo);
	close(fd);
	tap(machine_remove(), "removed");
	return tap_status();
}
