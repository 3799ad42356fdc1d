// SPDX-License-Identifier: LGPL-2.1-only
/* Handles users' texts in processes without root's rights. */
#include "lttng-session/daemon/triggers/definition/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/system/rights.h"

/* Maximum CPU time and elapsed time of the child process. Most texts need milliseconds. */
#define CPU_S 5
#define WALL_S 30
/* Debian's group nogroup, used if the trigger has no group. */
#define NOGROUP 65534

struct confined_result {
	struct mm_error err;
	char text[CONFINED_TEXT];
};

static int give_up_rights(const struct trigger *trigger)
{
	const struct rlimit limit = { .rlim_cur = CPU_S, .rlim_max = CPU_S };
	uid_t uid = trigger->uid;
	gid_t gid = trigger->gid;
	sigset_t none;

	/*
	 * Only root can change the user, and a trigger that was not added yet may have no user. In
	 * these cases, keep the current user.
	 */
	if (geteuid() || uid == (uid_t)-1) {
		uid = geteuid();
		gid = getegid();
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGALRM, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	alarm(WALL_S);
	return rights_drop(uid, gid == (gid_t)-1 ? NOGROUP : gid) || setrlimit(RLIMIT_CPU, &limit)
		       ? -1
		       : 0;
}

static void run(const struct trigger *trigger, confined_check *check, void *user, int pipe)
{
	struct confined_result result = { .err = MM_ERROR_INIT };

	pipe = rights_close_others(pipe);
	if (pipe < 0 || give_up_rights(trigger))
		trigger_error(trigger, &result.err, MM_EXIT_ENVIRONMENT,
			      "the process that checks the condition cannot give up its rights: %s",
			      strerror(errno));
	else
		check(trigger, user, result.text, &result.err);
	/* The result fits in the pipe's buffer, so this write does not block. */
	if (pipe < 0 || write(pipe, &result, sizeof(result)) != (ssize_t)sizeof(result))
		_exit(1);
	_exit(0);
}

static bool read_result(int pipe, struct confined_result *result)
{
	size_t length = 0;

	while (length < sizeof(*result)) {
		ssize_t got = read(pipe, (char *)result + length, sizeof(*result) - length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		length += (size_t)got;
	}
	result->text[sizeof(result->text) - 1] = '\0';
	result->err.message[sizeof(result->err.message) - 1] = '\0';
	return true;
}

static int conclude(const struct trigger *trigger, int status, struct mm_error *err)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (number == SIGXCPU || number == SIGKILL || number == SIGALRM)
		return trigger_error(trigger, err, MM_EXIT_BAD_INPUT,
				     "condition: the check of '%s' takes too long; simplify it",
				     trigger->on ? trigger->on : "");
	return trigger_error(trigger, err, MM_EXIT_ENVIRONMENT,
			     "the process that checks the condition ended with %s %d",
			     number ? "signal" : "status", number ? number : WEXITSTATUS(status));
}

int confined_run(const struct trigger *trigger, confined_check *check, void *user,
		 char text[CONFINED_TEXT], struct mm_error *err)
{
	struct confined_result result;
	int ends[2], status = 0;
	bool complete = false;
	pid_t pid = -1;

	if (!pipe2(ends, O_CLOEXEC)) {
		pid = fork();
		if (!pid)
			run(trigger, check, user, ends[1]);
		close(ends[1]);
		complete = pid > 0 && read_result(ends[0], &result);
		close(ends[0]);
	}
	if (pid < 0)
		return trigger_error(trigger, err, MM_EXIT_ENVIRONMENT,
				     "no process can be started: %s", strerror(errno));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!complete)
		return conclude(trigger, status, err);
	if (result.err.code)
		return mm_error_set(err, result.err.code, "%s", result.err.message);
	memcpy(text, result.text, sizeof(result.text));
	return 0;
}
