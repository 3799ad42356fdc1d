// SPDX-License-Identifier: LGPL-2.1-only
/* Drops the privileges of a process before it reads files whose names users have chosen. */
#include "lttng-session/system/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Maximum memory that the process may use, in addition to what it inherits. */
#define MEMORY_MAX (256u << 20)
#define NICE 10

int rights_close_others(int kept)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), ret;

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		return -1;
	/* dup3() fails if both descriptors are equal. */
	ret = kept == 3 ? 3 : dup3(kept, 3, O_CLOEXEC);
	if (ret < 0 || close_range(4, ~0u, 0))
		return -1;
	return ret;
}

static int limit_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long data = 0;
	struct rlimit limit;

	/* The sixth number is the size of the data in pages. RLIMIT_DATA limits this size. */
	if (!file)
		return -1;
	if (fscanf(file, "%*u %*u %*u %*u %*u %llu", &data) != 1) {
		fclose(file);
		errno = EINVAL;
		return -1;
	}
	fclose(file);
	limit.rlim_cur = limit.rlim_max = data * (unsigned long)sysconf(_SC_PAGESIZE) + MEMORY_MAX;
	return setrlimit(RLIMIT_DATA, &limit);
}

static int set_groups(uid_t uid, gid_t gid)
{
	const struct passwd *user;

	errno = 0;
	user = getpwuid(uid);
	if (user)
		return initgroups(user->pw_name, gid);
	/* The user was deleted and has no other groups, so set only this group. */
	return setgroups(1, &gid);
}

/* Drops root's capabilities, except the capability to read files of other users. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct now[2], kept[2] = { 0 };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) ||
	    syscall(SYS_capget, &header, now))
		return -1;
	kept[0].permitted = now[0].permitted & 1u << CAP_DAC_READ_SEARCH;
	kept[0].effective = kept[0].permitted;
	return (int)syscall(SYS_capset, &header, kept);
}

static int become(uid_t uid, gid_t gid)
{
	if (geteuid())
		return geteuid() == uid ? 0 : (errno = EPERM, -1);
	if (!uid)
		return drop_capabilities();
	if (set_groups(uid, gid) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -1;
	/* Verify that the privileges cannot be regained. */
	if (!setuid(0) || (gid && !setgid(0))) {
		errno = EPERM;
		return -1;
	}
	return 0;
}

int rights_drop(uid_t uid, gid_t gid)
{
	const struct rlimit none = { 0, 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || setrlimit(RLIMIT_CORE, &none) ||
	    limit_memory() || setpriority(PRIO_PROCESS, 0, NICE) || become(uid, gid))
		return -1;
	/* Set the parent-death signal last, because changing the user resets it. */
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) ? -1
											       : 0;
}
