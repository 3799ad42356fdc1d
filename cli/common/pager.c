// SPDX-License-Identifier: LGPL-2.1-only
/* Runs the user's pager. */
#include "cli/common/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_PAGER "less -FRX"
/* Exit status of a shell that did not find the command. */
#define NOT_FOUND 127

extern char **environ;

/* A running pager, and the signal actions that are restored after it exits. */
struct pager {
	pid_t pid;
	FILE *out;
	struct sigaction pipe, interrupt, quit;
};

static bool is_in_path(const char *name)
{
	const char *folders = getenv("PATH");

	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		char path[4096];

		if (length &&
		    (size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)length, folders, name) <
			    sizeof(path) &&
		    !access(path, X_OK))
			return true;
		folders += length;
		folders += *folders == ':';
	}
	return false;
}

/* Returns the pager's command, or NULL if the output needs no pager. */
static const char *find_command(void)
{
	const char *command = getenv("PAGER");

	if (!isatty(STDOUT_FILENO))
		return NULL;
	if (!command)
		return is_in_path("less") ? DEFAULT_PAGER : NULL;
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/*
 * Ignores the signals that the user sends to the pager from the terminal. If this program were
 * killed before the pager exits, the shell and the pager would both read the terminal.
 */
static void ignore_signals(struct pager *pager)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ignore, &pager->pipe);
	sigaction(SIGINT, &ignore, &pager->interrupt);
	sigaction(SIGQUIT, &ignore, &pager->quit);
}

static void restore_signals(const struct pager *pager)
{
	sigaction(SIGPIPE, &pager->pipe, NULL);
	sigaction(SIGINT, &pager->interrupt, NULL);
	sigaction(SIGQUIT, &pager->quit, NULL);
}

/* Starts the shell. Returns 0 or -1. */
static int spawn(struct pager *pager, const char *command, int input)
{
	char *const argv[] = { "sh", "-c", (char *)command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int ret;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	if (posix_spawn_file_actions_init(&actions))
		return -1;
	if (posix_spawnattr_init(&attributes)) {
		posix_spawn_file_actions_destroy(&actions);
		return -1;
	}
	ret = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) ||
	      posix_spawnattr_setsigdefault(&attributes, &defaults) ||
	      posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) ||
	      posix_spawn(&pager->pid, "/bin/sh", &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return ret ? -1 : 0;
}

/* Starts the pager. Returns 0, or -1 if no pager is needed or it cannot be started. */
static int start(struct pager *pager)
{
	const char *command = find_command();
	int ends[2];

	if (!command || pipe2(ends, O_CLOEXEC))
		return -1;
	pager->out = fdopen(ends[1], "w");
	if (!pager->out) {
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	/* Write earlier output before the pager starts writing. */
	fflush(stdout);
	ignore_signals(pager);
	if (spawn(pager, command, ends[0])) {
		restore_signals(pager);
		fclose(pager->out);
		close(ends[0]);
		return -1;
	}
	close(ends[0]);
	return 0;
}

/* Closes the stream and waits for the pager. Returns false if the shell did not find the pager. */
static bool finish(struct pager *pager)
{
	int status = 0;

	fclose(pager->out);
	while (waitpid(pager->pid, &status, 0) < 0 && errno == EINTR)
		;
	restore_signals(pager);
	return !WIFEXITED(status) || WEXITSTATUS(status) != NOT_FOUND;
}

int pager_print(int (*print)(FILE *out, void *user), void *user)
{
	struct pager pager;
	int ret, number;

	if (start(&pager))
		return print(stdout, user);
	ret = print(pager.out, user);
	if (!ret && fflush(pager.out))
		ret = -1;
	number = errno;
	/* If there is no such pager, the shell has reported that. Print without a pager. */
	if (!finish(&pager))
		return print(stdout, user);
	errno = number;
	return ret && number == EPIPE ? 0 : ret;
}
