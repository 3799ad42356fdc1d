// SPDX-License-Identifier: LGPL-2.1-only
/* Starts or finds lttng-sessiond, and loads probes. */
#include "lttng-session/system/session-daemon.h"

#include <grp.h>
#include <lttng/lttng.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/system/process.h"

/* Time to wait for a session daemon that another process is starting, in tenths of a second. */
#define STARTS_WAIT 50
/* Result of process_run() if the program does not exist. Shells use the same status. */
#define NOT_FOUND 127

/* Is the module loaded? /sys/module uses underscores where the module's file name has dashes. */
static bool module_loaded(const char *module)
{
	char path[128] = "/sys/module/";
	size_t at = strlen(path);
	struct stat st;

	for (; *module && at + 1 < sizeof(path); module++)
		path[at++] = *module == '-' ? '_' : *module;
	path[at] = '\0';
	return !stat(path, &st);
}

int daemon_load_probe(const char *module, struct mm_error *err)
{
	const char *const argv[] = { "modprobe", module, NULL };
	char message[256];

	if (module_loaded(module))
		return 0;
	if (geteuid())
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"probe: %s: not loaded, and only root can load it; run as root: modprobe %s",
			module, module);
	if (!process_run(argv, message, sizeof(message)))
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"probe: %s: %s; run `lttng-mm doctor` to see what is missing, `make install` to install it",
		module, message[0] ? message : "modprobe failed");
}

static void load_if_installed(const char *module)
{
	const char *const argv[] = { "modprobe", "--quiet", module, NULL };
	char message[256];

	if (!geteuid() && !module_loaded(module))
		process_run(argv, message, sizeof(message));
}

void daemon_load_freeze(void)
{
	load_if_installed("lttng-mm-freeze");
}

void daemon_load_library(void)
{
	load_if_installed("lttng-mm-lib");
}

bool daemon_answers(void)
{
	return lttng_session_daemon_alive() == 1;
}

bool daemon_is_accessible(void)
{
	const struct group *group = geteuid() ? getgrnam("tracing") : NULL;

	return !geteuid() || (group && group_member(group->gr_gid));
}

int daemon_require(struct mm_error *err)
{
	if (daemon_answers())
		return 0;
	if (geteuid() && daemon_is_accessible())
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"session daemon: root's session daemon is not running; as root, `lttng-mm record` starts it");
	if (geteuid())
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"session daemon: no session daemon is accessible to you; run as root, or join the group `tracing` to use root's daemon (usermod -aG tracing USER)");
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "session daemon: not running; `lttng-mm record` starts it");
}

int daemon_ensure(struct mm_error *err)
{
	static const char *const argv[] = { "lttng-sessiond", "--daemonize", NULL };
	const struct timespec pause = { .tv_nsec = 100000000 };
	char message[256];
	int status;

	if (lttng_session_daemon_alive() == 1)
		return 0;
	if (geteuid())
		return daemon_require(err);
	status = process_run(argv, message, sizeof(message));
	/*
	 * If two session daemons are started at once, one of them exits, and the other may not
	 * accept connections yet. So wait.
	 */
	for (int i = 0; i < STARTS_WAIT && status >= 0 && status != NOT_FOUND; i++) {
		if (lttng_session_daemon_alive() == 1) {
			/*
			 * If the command failed, another process has started the daemon that
			 * answers. Do not note that this program started it.
			 */
			if (!status)
				daemon_note_started();
			return 0;
		}
		nanosleep(&pause, NULL);
	}
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"session daemon: lttng-sessiond: %s; install it with: apt-get install lttng-tools",
		message[0] ? message : "the daemon does not start");
}

/*
 * Does the group database list this user as a member of the group tracing? LTTng 2.16 and later
 * check the database. Earlier versions accept every process that the kernel lets connect, and a
 * process may be in the group even if the database does not list its user.
 */
static bool is_listed(void)
{
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group = getgrnam("tracing");
	gid_t groups[256];
	int count = sizeof(groups) / sizeof(groups[0]);

	if (!user || !group || getgrouplist(user->pw_name, user->pw_gid, groups, &count) < 0)
		return false;
	for (int i = 0; i < count; i++)
		if (groups[i] == group->gr_gid)
			return true;
	return false;
}

/*
 * The first remedy is for users who are missing in the user database. LTTng's daemons look up the
 * user and the user's groups, and fail if these are unknown.
 */
const char *daemon_remedy(int code)
{
	if (abs(code) == LTTNG_ERR_CREATE_TRACE_CHUNK_FAIL_CONSUMER && !getpwuid(geteuid()))
		return "; LTTng's consumer daemon does not find this user: make sure that `getent passwd` lists the user ID, or run the command as root";
	if (abs(code) == LTTNG_ERR_EPERM && geteuid() && !is_listed())
		return getpwuid(geteuid())
			       ? "; LTTng's session daemon looks up who is in the group tracing: make sure that `getent group` lists the user there, or run the command as root"
			       : "; LTTng's session daemon looks up who is in the group tracing: make sure that `getent passwd` lists the user ID, or run the command as root";
	return "";
}
