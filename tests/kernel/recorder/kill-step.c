// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Kills the program at one step of its changes to LTTng's sessions and to the plan:
 * LTTNG_MM_KILL_STEP=N LD_PRELOAD=kill-step.so lttng-mm record PROFILE
 *
 * A step is the instant before or after a message to the session daemon, or before or after a file
 * is renamed into place or removed. The session daemon still acts on a message that was sent. Steps
 * are counted from the first file that is renamed into place, which is the plan.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

int renameat(int from_folder, const char *from, int to_folder, const char *to);
int unlinkat(int folder, const char *name, int flags);

static bool counting;

static void step(void)
{
	static int steps;
	const char *last = getenv("LTTNG_MM_KILL_STEP");

	if (last && counting && ++steps == atoi(last))
		raise(SIGKILL);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	int (*real)(int, const char *, int, const char *) =
		(int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat");
	int ret;

	counting = true;
	step();
	ret = real(from_folder, from, to_folder, to);
	step();
	return ret;
}

int unlinkat(int folder, const char *name, int flags)
{
	int (*real)(int, const char *, int) =
		(int (*)(int, const char *, int))dlsym(RTLD_NEXT, "unlinkat");
	int ret;

	step();
	ret = real(folder, name, flags);
	step();
	return ret;
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int) =
		(ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
	ssize_t ret;

	step();
	ret = real(socket, message, flags);
	step();
	return ret;
}
