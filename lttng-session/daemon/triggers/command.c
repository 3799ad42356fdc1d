// SPDX-License-Identifier: LGPL-2.1-only
/* Runs the command of a trigger. */
#include "lttng-session/daemon/triggers/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/child.h"
#include "lttng-session/daemon/jobs/confine.h"
#include "util/text.h"

/* Time between SIGTERM and SIGKILL. */
#define ENDING_US (5 * 1000000ull)

struct command {
	sd_event *event;
	sd_event_source *child, *timer;
	pid_t pid;
	bool late;
	command_ended *ended;
	void *user;
};

/* Makes the confining process kill the command and exit. The event loop reaps the process later. */
static void let_end(struct command *command)
{
	kill(command->pid, SIGQUIT);
	if (!command->child || sd_event_source_set_floating(command->child, true) < 0) {
		waitpid(command->pid, NULL, 0);
		return;
	}
	sd_event_source_set_userdata(command->child, NULL);
	command->child = sd_event_source_unref(command->child);
}

void command_destroy(struct command *command)
{
	if (!command)
		return;
	if (command->pid)
		let_end(command);
	sd_event_source_disable_unref(command->child);
	sd_event_source_disable_unref(command->timer);
	free(command);
}

static int on_child(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct command *command = user;
	char status[96];

	/* command_destroy() has freed the command, so only reap the process. */
	if (!command) {
		sd_event_source_disable_unref(source);
		return 0;
	}
	command->pid = 0;
	if (info->si_code == CLD_EXITED)
		snprintf(status, sizeof(status), "exit status %d%s", info->si_status,
			 info->si_status == CONFINE_NOT_STARTED ? ": cannot be started" : "");
	else
		snprintf(status, sizeof(status), "killed by signal %d%s", info->si_status,
			 command->late ? " after its time limit" : "");
	command->ended(command->user, status,
		       info->si_code == CLD_EXITED && !info->si_status && !command->late);
	return 0;
}

static int on_late(sd_event_source *source, uint64_t now, void *user)
{
	struct command *command = user;

	kill(command->pid, command->late ? SIGQUIT : SIGTERM);
	if (command->late)
		return 0;
	command->late = true;
	sd_event_source_set_time_relative(source, ENDING_US);
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

/* Redirects standard input to /dev/null, and output to the journal if the journal is running. */
static void redirect(void)
{
	int empty = open("/dev/null", O_RDWR | O_CLOEXEC);
	int journal = sd_journal_stream_fd("lttng-mm-trigger", LOG_INFO, 0);

	if (dup2(empty, STDIN_FILENO) < 0 ||
	    dup2(journal < 0 ? empty : journal, STDOUT_FILENO) < 0 ||
	    dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		_exit(CONFINE_NOT_STARTED);
	close_range(STDERR_FILENO + 1, ~0u, 0);
}

/* Lets the OOM killer kill the command, which inherits the score that protects the service. */
static void give_up_protection(void)
{
	FILE *score = fopen("/proc/self/oom_score_adj", "we");

	if (!score)
		return;
	/* This fails only if the score is above 0. Such a score does not protect the command. */
	fputs("0", score);
	fclose(score);
}

struct command_exec {
	char **words;
	const struct requester *requester;
};

static void run(void *user)
{
	static const char *const environment[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"LANG=C.UTF-8",
		NULL,
	};
	const struct command_exec *exec = user;
	char **words = exec->words;
	sigset_t none;

	sigemptyset(&none);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	umask(022);
	give_up_protection();
	if (requester_become(exec->requester) || chdir("/"))
		_exit(CONFINE_NOT_STARTED);
	redirect();
	/* execvp() searches the PATH of `environ`, so set it first. */
	environ = (char **)environment;
	execvp(words[0], words);
	dprintf(STDERR_FILENO, "%s: %s\n", words[0], strerror(errno));
	_exit(CONFINE_NOT_STARTED);
}

static int watch(struct command *command, int64_t limit_ns)
{
	return sd_event_add_child(command->event, &command->child, command->pid, WEXITED, on_child,
				  command) < 0 ||
			       sd_event_add_time_relative(
				       command->event, &command->timer, CLOCK_MONOTONIC,
				       (uint64_t)limit_ns / 1000, 0, on_late, command) < 0
		       ? -1
		       : 0;
}

static char **complete(char ***words, size_t *count, const char *argument)
{
	char **grown = mm_strings_add(words, count, argument)
			       ? NULL
			       : realloc(*words, (*count + 1) * sizeof(*grown));

	if (grown) {
		*words = grown;
		grown[*count] = NULL;
	}
	return grown;
}

/* Starts the confining process. Returns its process ID, or -1 with @err set. */
static pid_t start(const char *text, const char *argument, const struct requester *requester,
		   int64_t limit_ns, struct mm_error *err)
{
	char **words;
	size_t count;
	pid_t pid = -1;

	if (command_split(text, &words, &count, err))
		return -1;
	if (!count) {
		mm_error_set(err, MM_EXIT_BAD_INPUT, "the command is empty");
	} else if (complete(&words, &count, argument)) {
		pid = child_fork(NULL, 0);
		if (!pid)
			confine_run(run, &(struct command_exec){ words, requester },
				    !requester->uid, limit_ns);
	}
	if (pid < 0 && count)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "no process can be started: %s",
			     strerror(errno));
	mm_strings_release(words, count);
	return pid;
}

struct command *command_start(sd_event *event, const char *text, const char *argument,
			      const struct requester *requester, int64_t limit_ns,
			      command_ended *ended, void *user, struct mm_error *err)
{
	struct command *command = calloc(1, sizeof(*command));

	if (!command) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "out of memory");
		return NULL;
	}
	*command = (struct command){ .event = event, .ended = ended, .user = user };
	command->pid = start(text, argument, requester, limit_ns, err);
	if (command->pid < 0) {
		command->pid = 0;
	} else if (!watch(command, limit_ns)) {
		return command;
	} else {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "out of memory");
	}
	command_destroy(command);
	return NULL;
}
