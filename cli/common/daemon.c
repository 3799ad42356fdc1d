// SPDX-License-Identifier: LGPL-2.1-only
/* Starts and ends the recorder daemon. */
#include "cli/common/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/background.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/system/process.h"

/*
 * The daemon writes this text to the pipe when it accepts requests. If it fails, it writes an error
 * message instead.
 */
#define READY "\n"

static void tell_ready(void *user)
{
	int *pipe = user;

	if (write(*pipe, READY, 1) != 1)
		background_log(4, "recorder daemon: the command that started it has exited");
	close(*pipe);
	*pipe = -1;
}

/*
 * Runs the daemon. It is the child of a second fork(), because then it cannot acquire a terminal.
 */
static void run(struct server_options *options, int pipe)
{
	struct mm_error err = MM_ERROR_INIT;

	if (fork())
		_exit(0);
	options->ready = tell_ready;
	options->user = &pipe;
	server_run(options, &err);
	if (err.code && pipe >= 0 && write(pipe, err.message, strlen(err.message)) < 0)
		background_log(3, err.message);
	_exit(err.code);
}

int daemon_run_detached(struct server_options *options, struct mm_error *err)
{
	char text[sizeof(err->message)] = "";
	size_t length = 0;
	int ends[2], pid;
	ssize_t got;

	background_prepare();
	if (pipe2(ends, O_CLOEXEC) || (pid = background_start()) < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "recorder daemon: no process can be started");
	if (!pid) {
		close(ends[0]);
		run(options, ends[1]);
	}
	close(ends[1]);
	while (length < sizeof(text) - 1 && strcmp(text, READY) != 0 &&
	       ((got = read(ends[0], text + length, sizeof(text) - 1 - length)) > 0 ||
		(got < 0 && errno == EINTR)))
		length += got > 0 ? (size_t)got : 0;
	close(ends[0]);
	if (!strcmp(text, READY))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s",
			    *text ? text
				  : "recorder daemon: the daemon exited while it was starting");
}

void daemon_start(void)
{
	char program[PATH_MAX], message[1024] = "no process can be started";
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *argv[] = { program, "serve", "--daemonize", "--until-stop", NULL };
	static const char prefix[] = "lttng-mm: ";
	const char *why = message;

	/* Only root can run the daemon. Other users may use a daemon that runs as a service. */
	if (geteuid() || length <= 0 || request_end(true))
		return;
	program[length] = '\0';
	fflush(stdout);
	if (!process_run(argv, message, sizeof(message)))
		return;
	/* Another command may have started a daemon meanwhile. */
	if (request_end(true))
		return;
	if (!strncmp(why, prefix, strlen(prefix)))
		why += strlen(prefix);
	fprintf(stderr,
		"lttng-mm: warning: %s; without the recorder daemon, only root can take snapshots\n",
		why);
}

bool daemon_end(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;
	bool ends;

	if (geteuid() || plan_read(&plan, &err))
		return false;
	ends = !plan.count && !request_end(false);
	plan_release(&plan);
	return ends;
}
