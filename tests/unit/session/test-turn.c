// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests that a recorder with a budget has only one snapshot in memory at a time. Recorders without
 * a budget may have several.
 */
#include "lttng-session/snapshot/turn.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/machine.h"

#define CHANNEL                                                                         \
	"[{\"name\":\"c\",\"subbuf_bytes\":4096,\"subbuf_count\":8,\"events\":[\"x\"]," \
	"\"contexts\":[]}]"
#define RECORDER(name, budget, session)                                                         \
	"{\"name\":\"" name "\",\"budget_bytes\":" budget ",\"sessions\":[{\"name\":\"" session \
	"\",\"role\":\"events\",\"profiles\":[\"dax\"],\"since\":7,\"callstack\":"              \
	"false,\"kaslr_safe\":true,\"channels\":" CHANNEL "}]}"

/* Starts a process that has the turn of @recorder (see turn.h) until the process is killed. */
static pid_t start_holder(const char *recorder)
{
	char ready = 0;
	int ends[2], turn;
	pid_t pid;

	if (pipe(ends))
		tap_bail("no pipe");
	pid = fork();
	if (!pid) {
		ready = turn_take(recorder, 0, &turn);
		if (write(ends[1], &ready, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ends[1]);
	tap(read(ends[0], &ready, 1) == 1 && ready, "%s: another process has the turn", recorder);
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
	static const char *const folders[] = {
		"run",	    "run/lttng-mm",    "proc",
		"proc/sys", "proc/sys/kernel", "proc/sys/kernel/random",
		NULL
	};
	pid_t pid;
	int turn;

	machine_create(folders);
	machine_write("proc/sys/kernel/random/boot_id", "here\n");
	machine_write(
		"run/lttng-mm/recorder.json",
		"{\"version\":1,\"boot_id\":\"here\",\"recorders\":[" RECORDER(
			"one", "1048576",
			"lttng-mm-one") "," RECORDER("two", "1048576",
						     "lttng-mm-two") "," RECORDER("three", "null",
										  "lttng-mm-three") "]}");

	pid = start_holder("one");
	tap(!turn_take("one", 100, &turn) && turn == -1, "nobody else gets it");
	tap(!turn_take("lttng-mm-one", 0, &turn), "... by the name of a session, either");
	tap(turn_take("two", 0, &turn) && turn >= 0, "another recorder has its own");
	close(turn);
	end_holder(pid);
	tap(turn_take("lttng-mm-one", 1000, &turn) && turn >= 0, "it ends with the process");
	close(turn);

	pid = start_holder("three");
	tap(turn_take("three", 0, &turn) && turn == -1, "without a budget there are no turns");
	end_holder(pid);
	tap(turn_take("unknown", 0, &turn) && turn == -1,
	    "... or for a recorder that is not in the plan");
	machine_remove();
	return tap_status();
}
