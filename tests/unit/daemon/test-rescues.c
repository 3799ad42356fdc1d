// SPDX-License-Identifier: LGPL-2.1-only
/* Tests that the daemon waits for rescues of buffers, and that rescues run one at a time. */
#include "lttng-session/daemon/supervisor/rescues.h"

#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/machine.h"

/* Starts a process that holds the lock of @take until it is killed. */
static pid_t start_holder(int (*take)(void))
{
	char ready = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		tap_bail("no pipe");
	pid = fork();
	if (!pid) {
		ready = take() >= 0;
		if (write(ends[1], &ready, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ends[1]);
	tap(read(ends[0], &ready, 1) == 1 && ready, "another process has taken it");
	close(ends[0]);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	static const char *const folders[] = { "run", NULL };
	int one, two;
	pid_t pid;

	machine_create(folders);
	tap(rescues_await(0), "no rescue is under way");
	one = rescues_begin();
	two = rescues_begin();
	tap(one >= 0 && two >= 0, "two may be under way");
	close(one);
	tap(!rescues_await(0), "one is still");
	close(two);
	tap(rescues_await(0), "none is, when both have ended");

	pid = start_holder(rescues_begin);
	tap(!rescues_await(300), "the wait for another process' turn is limited");
	end_holder(pid);
	tap(rescues_await(0), "a process that was killed is not");

	pid = start_holder(rescues_take_turn);
	tap(rescues_await(0), "a turn is no rescue");
	end_holder(pid);
	one = rescues_take_turn();
	tap(one >= 0, "the turn of a process that was killed is over");
	close(one);
	tap(machine_remove(), "the files are removed");
	return tap_status();
}
