// SPDX-License-Identifier: LGPL-2.1-only
/* Reserves tasks in the service's cgroup for rescues and root. */
#include "lttng-session/daemon/jobs/reserve.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOUNTPOINT "/sys/fs/cgroup"
/*
 * Number of tasks for a rescue and a few snapshots of root. Each snapshot uses one thread per CPU.
 */
#define RESERVE_TASKS 64
#define RESERVE_TASKS_PER_CPU 2

static char folder[512];

void reserve_set_folder(const char *new_folder)
{
	snprintf(folder, sizeof(folder), "%s", new_folder ? new_folder : "");
}

/* Finds the cgroup of this process in the unified hierarchy. */
static bool find_folder(void)
{
	char line[480];
	FILE *file = *folder ? NULL : fopen("/proc/self/cgroup", "re");

	while (file && !*folder && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "0::/", 4))
			snprintf(folder, sizeof(folder), MOUNTPOINT "%s", line + 3);
	}
	if (file)
		fclose(file);
	return *folder;
}

static bool read_number(const char *name, unsigned long long *number)
{
	char path[640];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	read = file && fscanf(file, "%llu", number) == 1;
	if (file)
		fclose(file);
	return read;
}

unsigned long long reserve_tasks(unsigned long long max)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long reserved =
		RESERVE_TASKS + RESERVE_TASKS_PER_CPU * (unsigned long long)(cpus > 0 ? cpus : 1);

	return reserved < max / 2 ? reserved : max / 2;
}

int reserve_check(uid_t uid, struct mm_error *err)
{
	unsigned long long max, now;

	if (!uid || !find_folder() || !read_number("pids.max", &max) ||
	    !read_number("pids.current", &now) || now + reserve_tasks(max) <= max)
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"recorder daemon: %llu of %llu tasks are in use, and the rest is reserved for root and for rescue snapshots; try again later",
		now, max);
}
