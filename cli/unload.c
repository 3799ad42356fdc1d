// SPDX-License-Identifier: LGPL-2.1-only
/* Ends the session daemon and unloads kernel modules. */
#include "cli/unload.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/fn/device.h"
#include "lttng-session/profile/profile.h"
#include "lttng-session/system/session-daemon.h"
#include "lttng-session/system/modules.h"
#include "lttng-session/system/process.h"
#include "util/text.h"

/* Maximum time to wait for the exit of the recorder daemon, in tenths of a second. */
#define END_WAIT 100
#define NAMES_MAX 256

struct unload_result {
	char gone[NAMES_MAX], used[NAMES_MAX];
};

/* Unloads @module. modprobe also removes LTTng's modules that nothing else needs. */
static void unload(const char *module, struct unload_result *unloaded)
{
	const char *const argv[] = { "modprobe", "--remove", module, NULL };
	struct loaded_module loaded;
	char message[256];
	bool gone;

	if (!modules_find(module, &loaded))
		return;
	gone = !process_run(argv, message, sizeof(message));
	mm_words_add(gone ? unloaded->gone : unloaded->used, NAMES_MAX, module);
}

static int count_function(const struct lttng_mm_fn_state *state, void *user)
{
	++*(unsigned int *)user;
	return 0;
}

/* Counts the added functions. They remain when recorders stop, and keep their module loaded. */
static unsigned int count_functions(void)
{
	struct mm_error ignored = MM_ERROR_INIT;
	int device = fn_device_open(false, &ignored);
	unsigned int count = 0;

	if (device < 0)
		return 0;
	fn_device_each(device, count_function, &count, &ignored);
	close(device);
	return count;
}

static void unload_modules(void)
{
	unsigned int functions = count_functions();
	struct unload_result unloaded = { "", "" };

	for (size_t i = 0; mm_subsystems[i]; i++) {
		struct mm_error ignored = MM_ERROR_INIT;
		struct profile *profile =
			mm_subsystems[i]->profile
				? profile_load(mm_subsystems[i]->profile, &ignored)
				: NULL;

		if (profile && profile->module &&
		    !(functions && !strcmp(profile->module, "lttng-probe-fn")))
			unload(profile->module, &unloaded);
		profile_destroy(profile);
	}
	unload("lttng-mm-freeze", &unloaded);
	if (!functions)
		unload("lttng-mm-lib", &unloaded);
	if (*unloaded.gone)
		printf("unloaded %s\n", unloaded.gone);
	if (functions)
		fprintf(stderr,
			"lttng-mm: note: lttng-probe-fn stays loaded: %u function%s added (`lttng-mm fn list`)\n",
			functions, functions == 1 ? " is" : "s are");
	if (*unloaded.used)
		fprintf(stderr,
			"lttng-mm: note: still loaded, because they are in use: %s; `lttng list` shows LTTng's sessions\n",
			unloaded.used);
}

/*
 * Waits for the recorder daemon, which completes its snapshots before it exits. Returns true if it
 * has exited.
 */
static bool await_recorder_daemon(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };

	for (int i = 0; i < END_WAIT && request_end(true); i++)
		nanosleep(&pause, NULL);
	return !request_end(true);
}

void unload_all(bool daemon_ends)
{
	if (geteuid())
		return;
	if (!daemon_ends || !await_recorder_daemon()) {
		fprintf(stderr,
			"lttng-mm: note: the recorder daemon is running and uses LTTng; to end both: `systemctl stop lttng-mm`, then `lttng-mm stop --all`\n");
		return;
	}
	switch (daemon_end_ours()) {
	case DAEMON_ENDED:
		printf("ended lttng-sessiond\n");
		break;
	case DAEMON_IN_USE:
		fprintf(stderr,
			"lttng-mm: note: lttng-sessiond keeps running, because other programs have sessions (`lttng list`)\n");
		break;
	case DAEMON_STAYS:
		fprintf(stderr, "lttng-mm: note: lttng-sessiond does not exit\n");
		break;
	case DAEMON_NOT_OURS:
		break;
	}
	unload_modules();
}
