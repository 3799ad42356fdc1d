// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Keeps what the limits of triggers depend on over a restart of the daemon, however it ended. The
 * daemon does not wait for a disk: processes write, one at a time for each trigger.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/serve/child.h"
#include "lttng-session/serve/engine-work.h"
#include "lttng-session/snapshot/snapshot.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/mounts.h"
#include "lttng-session/trigger/store.h"

#define WRITING_TRIES 200
#define WRITING_PAUSE_NS 10000000

static struct limits_clocks clocks(char boot_id[64])
{
	struct snapshot_times now;

	mounts_read_line("/proc/sys/kernel/random/boot_id", boot_id, 64);
	snapshot_now(&now);
	return (struct limits_clocks){ now.boottime_ns, now.realtime_ns, boot_id };
}

void engine_load_limits(struct watched *watched)
{
	char boot_id[64];
	const struct limits_clocks now = clocks(boot_id);
	json_t *json;

	if (!watched->engine->keeps)
		return;
	json = trigger_store_limits(watched->trigger->name);
	if (json && limits_from_json(&watched->limits, json, &now))
		journal_note(LOG_WARNING,
			     "trigger: %s: it is not known when its last snapshots were taken",
			     watched->trigger->name);
	json_decref(json);
}

/* What the process does. */
static int write_limits(const struct watched *watched)
{
	char boot_id[64];
	const struct limits_clocks now = clocks(boot_id);
	struct mm_error err = MM_ERROR_INIT;
	json_t *json = limits_to_json(&watched->limits, &now);

	if (json && !trigger_store_keep_limits(watched->trigger->name, json, &err))
		return 0;
	journal_note(LOG_WARNING, "%s; after a restart, more snapshots may be taken than permitted",
		     json ? err.message : "trigger: out of memory");
	return MM_EXIT_ENVIRONMENT;
}

static int on_written(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct watched *watched = user;

	watched->writing = sd_event_source_disable_unref(watched->writing);
	if (watched->write_again)
		engine_keep_limits(watched);
	return 0;
}

void engine_keep_limits(struct watched *watched)
{
	pid_t pid;

	if (!watched->engine->keeps)
		return;
	watched->write_again = watched->writing || watched->removing;
	if (watched->write_again)
		return;
	pid = child_fork(NULL, 0);
	if (!pid)
		_exit(write_limits(watched));
	if (pid < 0 || sd_event_add_child(watched->engine->event, &watched->writing, pid, WEXITED,
					  on_written, watched) < 0)
		journal_note(LOG_WARNING,
			     "trigger: %s: its last snapshot may be forgotten at a restart",
			     watched->trigger->name);
}

/* For two seconds at most: a disk may hang. */
static void await_writing(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = WRITING_PAUSE_NS };

	for (int tries = 0; tries < WRITING_TRIES && !waitpid(pid, NULL, WNOHANG); tries++)
		nanosleep(&pause, NULL);
}

/* The daemon ends, and the next one reads what is written. */
static void finish_writing(const struct watched *watched, pid_t pid)
{
	await_writing(pid);
	if (!watched->write_again)
		return;
	pid = child_fork(NULL, 0);
	if (!pid)
		_exit(write_limits(watched));
	if (pid > 0)
		await_writing(pid);
}

/* The process could write after the removal of the file. */
void engine_suspend_keeping(struct watched *watched)
{
	pid_t pid;

	if (!watched->writing)
		return;
	sd_event_source_get_child_pid(watched->writing, &pid);
	watched->writing = sd_event_source_disable_unref(watched->writing);
	watched->write_again = true;
	kill(pid, SIGKILL);
	engine_let_end(watched->engine->event, pid);
}

void engine_stop_keeping(struct watched *watched, bool removed)
{
	pid_t pid;

	if (removed) {
		engine_suspend_keeping(watched);
		return;
	}
	if (!watched->writing)
		return;
	sd_event_source_get_child_pid(watched->writing, &pid);
	watched->writing = sd_event_source_disable_unref(watched->writing);
	finish_writing(watched, pid);
}
