/* SPDX-License-Identifier: LGPL-2.1-only */
/* The cgroups (version 2) of this machine. */
#ifndef LTTNG_MM_SESSION_CGROUP_H
#define LTTNG_MM_SESSION_CGROUP_H

#include <jansson.h>

/* Returns the path of a cgroup relative to /sys/fs/cgroup. @path may begin with this folder. */
const char *cgroup_relative(const char *path);

/*
 * Reads how much memory is charged to a cgroup and the cgroups below it:
 *
 *   { "cgroup": "/system.slice/db.service", "anon_bytes": 4096, "file_bytes": 8192,
 *     "file_mapped_bytes": 4096, "kernel_bytes": 1024 }
 *
 * A counter that the kernel lacks is null. Returns NULL if the file memory.stat does not exist: the
 * cgroup has ended, or has no memory controller.
 */
json_t *cgroup_memory(const char *path);

#endif /* LTTNG_MM_SESSION_CGROUP_H */
