// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how the session daemon is found by its PID file. Runs in its own mount namespace, with its
 * own /run.
 */
#include "lttng-session/daemon/supervisor/daemons.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

/* Starts a process with the name @name. */
static pid_t start(const char *name)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		tap_bail("pipe");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		tap_bail("no process");
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void write_pid(pid_t pid)
{
	tap_shell("mkdir -p /run/lttng && echo %d >/run/lttng/lttng-sessiond.pid", (int)pid);
}

int main(void)
{
	const struct settings settings = { .has_nice = false };
	struct daemons daemons;
	pid_t pid;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, NULL)) {
		tap_skip("the session daemon", "mount namespaces require root");
		return tap_status();
	}
	daemons_init(&daemons);
	tap(!daemons_find(&daemons, &settings) && daemons.session < 0,
	    "no session daemon is found");
	pid = start("other");
	write_pid(pid);
	tap(!daemons_find(&daemons, &settings) && daemons.session < 0,
	    "another process with the PID of a killed daemon is not found");
	end(pid);
	pid = start("lttng-sessiond");
	write_pid(pid);
	tap(!daemons_find(&daemons, &settings) && daemons.session >= 0 &&
		    daemons.session_pid == pid,
	    "a session daemon is found");
	end(pid);
	tap(daemons_find(&daemons, &settings) && daemons.session < 0, "... and its end is noticed");
	return tap_status();
}
