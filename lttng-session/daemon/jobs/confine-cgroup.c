// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Creates the cgroups in which commands of triggers run. These cgroups are not below the service's
 * cgroup, so commands use none of the service's tasks and memory, and do not delay a restart of the
 * service:
 *
 *   /sys/fs/cgroup/system.slice/lttng-mm.service
 *   /sys/fs/cgroup/system.slice/system-lttng_mm.slice/lttng-mm-command-4711.scope
 *   /sys/fs/cgroup/lttng-mm/command-4711                              without systemd
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/confine.h"
#include "lttng-session/system/journal.h"

#define SLICE "system-lttng_mm.slice"
#define SLICE_FOLDER "system.slice/" SLICE
#define OWN_FOLDER "lttng-mm"
/* systemd's private socket, which systemctl uses for root. It works without a message bus. */
#define SYSTEMD_SOCKET "unix:path=/run/systemd/private"
/* systemd's time limit for a command exceeds the daemon's limit by this time. */
#define LATER_US UINT64_C(30000000)
#define REMOVE_PAUSE_NS 10000000
#define REMOVE_TRIES 20
#define PLACED_PAUSE_NS 10000000
#define PLACED_TRIES 1000

static const char *mountpoint = "/sys/fs/cgroup";

void confine_group_set_mountpoint(const char *new_mountpoint)
{
	mountpoint = new_mountpoint;
}

static int set(const char *folder, const char *name, const char *text)
{
	char path[640];
	ssize_t written;
	int fd, error;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	written = write(fd, text, strlen(text));
	error = errno;
	close(fd);
	errno = error;
	return written < 0 ? -1 : 0;
}

static int set_number(const char *folder, const char *name, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return set(folder, name, text);
}

static bool has(const char *folder, const char *name)
{
	char path[640];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return !access(path, F_OK);
}

/*
 * Kills each process in the cgroup. This is for Linux before 5.14, which has no cgroup.kill. A
 * process may fork meanwhile, and the child survives, so call this function repeatedly.
 */
static void kill_listed(const char *folder)
{
	char path[640];
	FILE *procs;
	int pid;

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	procs = fopen(path, "re");
	if (!procs)
		return;
	while (fscanf(procs, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	fclose(procs);
}

void confine_group_kill(const struct confine_group *group)
{
	if (*group->path && set(group->path, "cgroup.kill", "1"))
		kill_listed(group->path);
}

void confine_group_remove(const struct confine_group *group)
{
	const struct timespec pause = { .tv_nsec = REMOVE_PAUSE_NS };

	/* A killed process may still be in the cgroup for a short time. */
	for (int tries = 0; group->own && rmdir(group->path) && errno == EBUSY; tries++) {
		if (tries == REMOVE_TRIES)
			return;
		nanosleep(&pause, NULL);
	}
}

/*
 * Kills the commands that an earlier daemon left in the cgroups below @base, and removes empty
 * cgroups.
 */
static void clear(const char *base, bool own)
{
	DIR *dir = opendir(base);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct confine_group group = { .own = own };

		if (!strstr(entry->d_name, "command-") ||
		    (size_t)snprintf(group.path, sizeof(group.path), "%s/%s", base,
				     entry->d_name) >= sizeof(group.path))
			continue;
		confine_group_kill(&group);
		confine_group_remove(&group);
	}
	if (dir)
		closedir(dir);
}

/* Creates the parent cgroup of all commands. Returns true if it exists. */
static bool make_base(const char *base, bool *limited)
{
	bool pids, memory;

	if (mkdir(base, 0755) && errno != EEXIST)
		return false;
	set(mountpoint, "cgroup.subtree_control", "+pids");
	set(mountpoint, "cgroup.subtree_control", "+memory");
	pids = !set_number(base, "pids.max", CONFINE_ALL_TASKS_MAX) &&
	       !set(base, "cgroup.subtree_control", "+pids");
	memory = !set(base, "cgroup.subtree_control", "+memory");
	*limited = pids && memory;
	return true;
}

enum confine_mode confine_group_prepare(bool *limited)
{
	char base[256];

	*limited = true;
	snprintf(base, sizeof(base), "%s/%s", mountpoint,
		 sd_booted() > 0 ? SLICE_FOLDER : OWN_FOLDER);
	if (sd_booted() > 0) {
		clear(base, false);
		return CONFINE_SCOPE;
	}
	if (has(mountpoint, "cgroup.controllers") && make_base(base, limited)) {
		clear(base, true);
		return CONFINE_CGROUP;
	}
	*limited = false;
	return CONFINE_TREE;
}

static int fail(const char *what, const char *why)
{
	journal_note(LOG_WARNING, "trigger: a command was not run: %s: %s", what, why);
	return -1;
}

static int enter_own(struct confine_group *group, pid_t pid)
{
	snprintf(group->path, sizeof(group->path), "%s/" OWN_FOLDER "/command-%d", mountpoint,
		 (int)getpid());
	if (mkdir(group->path, 0755) && errno != EEXIST)
		return fail(group->path, strerror(errno));
	group->own = true;
	/*
	 * Ignore failures here: confine_group_prepare() has already reported missing controllers.
	 */
	set_number(group->path, "pids.max", CONFINE_TASKS_MAX);
	set_number(group->path, "memory.max", CONFINE_MEMORY_MAX);
	set(group->path, "memory.swap.max", "0");
	set(group->path, "memory.oom.group", "1");
	return set_number(group->path, "cgroup.procs", (uint64_t)pid)
		       ? fail(group->path, strerror(errno))
		       : 0;
}

static int start_scope(sd_bus *bus, const char *name, pid_t pid, uint64_t run_us,
		       sd_bus_error *error)
{
	return sd_bus_call_method(
		bus, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
		"org.freedesktop.systemd1.Manager", "StartTransientUnit", error, NULL,
		"ssa(sv)a(sa(sv))", name, "fail", 9, "Description", "s",
		"Command of a trigger of lttng-mm", "Slice", "s", SLICE, "PIDs", "au", 1,
		(uint32_t)pid, "TasksMax", "t", (uint64_t)CONFINE_TASKS_MAX, "MemoryMax", "t",
		CONFINE_MEMORY_MAX, "MemorySwapMax", "t", UINT64_C(0), "RuntimeMaxUSec", "t",
		run_us, "CollectMode", "s", "inactive-or-failed", "DevicePolicy", "s", "closed", 0);
}

/* Reads the path of the cgroup of @pid in the unified hierarchy, such as /system.slice/x.scope. */
static bool read_group(pid_t pid, char *path, size_t size)
{
	char name[64], line[512];
	bool found = false;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)pid);
	file = fopen(name, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strncmp(line, "0::/", 4);
		if (found)
			snprintf(path, size, "%s%s", mountpoint, line + 3);
	}
	if (file)
		fclose(file);
	return found;
}

/* Waits until @pid is in the scope @name, because systemd answers before it moves the process. */
static bool await_scope(struct confine_group *group, const char *name, pid_t pid)
{
	const struct timespec pause = { .tv_nsec = PLACED_PAUSE_NS };

	for (int tries = 0; tries < PLACED_TRIES; tries++) {
		char path[sizeof(group->path)];

		if (read_group(pid, path, sizeof(path)) && strstr(path, name)) {
			memcpy(group->path, path, sizeof(path));
			return true;
		}
		nanosleep(&pause, NULL);
	}
	return false;
}

static int enter_scope(struct confine_group *group, pid_t pid, int64_t run_ns)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus *bus = NULL;
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "lttng-mm-command-%d.scope", (int)getpid());
	ret = sd_bus_new(&bus);
	if (ret >= 0)
		ret = sd_bus_set_address(bus, SYSTEMD_SOCKET);
	if (ret >= 0)
		ret = sd_bus_start(bus);
	if (ret >= 0)
		ret = start_scope(bus, name, pid, (uint64_t)run_ns / 1000 + LATER_US, &error);
	if (ret < 0)
		fail("systemd", error.message ? error.message : strerror(-ret));
	else if (!await_scope(group, name, pid))
		ret = fail("systemd", "no scope was started within ten seconds");
	sd_bus_error_free(&error);
	sd_bus_close_unref(bus);
	return ret < 0 ? -1 : 0;
}

int confine_group_enter(struct confine_group *group, enum confine_mode mode, pid_t pid,
			int64_t run_ns)
{
	*group = (struct confine_group){ .own = false };
	switch (mode) {
	case CONFINE_SCOPE:
		return enter_scope(group, pid, run_ns);
	case CONFINE_CGROUP:
		return enter_own(group, pid);
	default:
		return 0;
	}
}
