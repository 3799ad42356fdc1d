// SPDX-License-Identifier: LGPL-2.1-only
/* Tests waiting for a program: status, signals, time limit, and calls during the wait. */
#include "lttng-session/system/launch.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/tap.h"

#define MS_NS INT64_C(1000000)

static sigset_t before;

/* Runs a shell script, and waits for it. If @killed is not 0, this process gets that signal. */
static struct launch_end run(const char *script, const struct launch_wait *wait, int killed)
{
	char *const argv[] = { "sh", "-c", (char *)script, NULL };
	struct launch launch = { .pid = 0 };
	struct launch_end end;
	pid_t child = 0;

	if (launch_prepare(&launch, argv, &before) || launch_go(&launch))
		tap_bail("sh cannot be executed");
	if (killed) {
		child = fork();
		if (!child) {
			usleep(300000);
			kill(getppid(), killed);
			_exit(0);
		}
	}
	launch_await(&launch, wait, &end);
	return end;
}

static void count(void *user)
{
	++*(unsigned int *)user;
}

int main(void)
{
	const struct launch_wait no_limit = { .timeout_ns = 0 };
	const struct launch_wait limit = { .timeout_ns = 200 * MS_NS };
	unsigned int calls = 0;
	const struct launch_wait looking = { .period_ns = 10 * MS_NS,
					     .look = count,
					     .user = &calls };
	struct launch_end end;
	sigset_t signals;

	signal(SIGHUP, SIG_IGN);
	launch_signals(&signals);
	tap(sigismember(&signals, SIGCHLD) && sigismember(&signals, SIGTERM) &&
		    !sigismember(&signals, SIGHUP),
	    "an ignored signal is left out");
	signal(SIGHUP, SIG_DFL);
	launch_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);

	end = run("exit 7", &no_limit, 0);
	tap(end.status == 7 && !end.timed_out && !end.interrupted && end.elapsed_ns > 0,
	    "the exit status");
	end = run("kill -9 $$", &no_limit, 0);
	tap(end.status == 128 + SIGKILL && !end.interrupted, "a program that is killed");
	end = run("trap 'exit 5' TERM; while :; do sleep 0.05; done", &no_limit, SIGTERM);
	tap(end.status == 5 && end.interrupted == SIGTERM && !end.timed_out,
	    "a signal is forwarded");
	end = run("sleep 100", &limit, 0);
	tap(end.timed_out && end.status == 128 + SIGTERM && end.elapsed_ns >= 200 * MS_NS,
	    "the time limit");
	end = run("trap '' TERM; while :; do sleep 0.05; done", &limit, 0);
	tap(end.timed_out && end.status == 128 + SIGKILL && end.elapsed_ns >= 5000 * MS_NS,
	    "a program that ignores SIGTERM");
	end = run("sleep 0.5", &looking, 0);
	tap(end.status == 0 && calls >= 10, "regular calls (%u)", calls);
	return tap_status();
}
