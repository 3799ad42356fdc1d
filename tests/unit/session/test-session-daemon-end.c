// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests that lttng-mm ends a session daemon only if it has started the daemon itself. The test has
 * its own mount namespace with its own /run. A process with the daemon's name simulates the daemon,
 * and the list of sessions is simulated, too.
 */
#include <lttng/lttng.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/system/session-daemon.h"
#include "tests/tap.h"

#define NOTE "/run/lttng-mm/session-daemon"

static int sessions;

int lttng_list_sessions(struct lttng_session **list)
{
	*list = NULL;
	return sessions;
}

static pid_t start_daemon(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		tap_bail("pipe");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "lttng-sessiond");
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		tap_bail("no process");
	close(ready[0]);
	close(ready[1]);
	tap_shell("mkdir -p /run/lttng && echo %d >/run/lttng/lttng-sessiond.pid", (int)pid);
	return pid;
}

static bool is_running(pid_t pid)
{
	return !waitpid(pid, NULL, WNOHANG);
}

int main(void)
{
	pid_t pid;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, NULL)) {
		tap_skip("the session daemon", "mount namespaces require root");
		return tap_status();
	}
	tap(daemon_end_ours() == DAEMON_NOT_OURS, "no daemon is running");
	pid = start_daemon();
	tap(daemon_end_ours() == DAEMON_NOT_OURS && is_running(pid),
	    "a daemon that another program started keeps running");
	daemon_note_started();
	sessions = 1;
	tap(daemon_end_ours() == DAEMON_IN_USE && is_running(pid) && !access(NOTE, F_OK),
	    "a daemon with a session keeps running, and the note about its start stays");
	sessions = -1;
	tap(daemon_end_ours() == DAEMON_STAYS && is_running(pid),
	    "a daemon that does not list its sessions keeps running");
	sessions = 0;
	tap(daemon_end_ours() == DAEMON_ENDED && !is_running(pid) && access(NOTE, F_OK),
	    "a daemon without sessions exits");
	/* The note about a killed daemon must not make the program end the next daemon. */
	pid = start_daemon();
	daemon_note_started();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	usleep(20000);
	pid = start_daemon();
	tap(daemon_end_ours() == DAEMON_NOT_OURS && is_running(pid) && access(NOTE, F_OK),
	    "a later daemon that another program started keeps running");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return tap_status();
}
