// SPDX-License-Identifier: LGPL-2.1-only
/* The watcher process of a user's triggers on pressure, kernel messages, files and the journal. */
#include "lttng-session/daemon/triggers/watch/watch.h"
#include "util/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/watch/source.h"
#include "lttng-session/system/rights.h"

#define NS_PER_S INT64_C(1000000000)
/* Limit of CPU usage: 1/CPU_PART of a CPU on average, with bursts of up to CPU_BURST_NS. */
#define CPU_PART 5
#define CPU_BURST_NS INT64_C(20000000)

bool watch_has(enum trigger_kind kind)
{
	return kind != TRIGGER_EVENT && kind != TRIGGER_RATE;
}

static void compile(struct watch_ctx *watch, struct watched_trigger *watched)
{
	const char *text = watched->trigger->regex;
	char why[256];
	int ret;

	if (!text)
		return;
	ret = regcomp(&watched->regex, text, REG_EXTENDED | REG_NOSUB);
	watched->has_regex = !ret;
	if (ret) {
		regerror(ret, &watched->regex, why, sizeof(why));
		watch_fail(watch, watched, "'%s': %s", text, why);
	}
}

static bool any_of_log(const struct watch_ctx *watch)
{
	for (size_t i = 0; i < watch->count; i++)
		if (kmsg_has(watch->all[i].trigger->kind))
			return true;
	return false;
}

/*
 * Runs the event loop. When the process has used more than its share of the CPU, it sleeps, and
 * leaves lines unread meanwhile.
 */
static int run(sd_event *event)
{
	int64_t cpu = mm_clock_ns(CLOCK_PROCESS_CPUTIME_ID), wall = mm_clock_ns(CLOCK_MONOTONIC),
		debt = 0;

	while (sd_event_get_state(event) != SD_EVENT_FINISHED) {
		int64_t cpu_now, wall_now;
		int ret = sd_event_run(event, UINT64_MAX);

		if (ret < 0)
			return 1;
		cpu_now = mm_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		wall_now = mm_clock_ns(CLOCK_MONOTONIC);
		debt += cpu_now - cpu - (wall_now - wall) / CPU_PART;
		debt = debt < -CPU_BURST_NS ? -CPU_BURST_NS : debt;
		cpu = cpu_now;
		wall = wall_now;
		if (debt > 0) {
			struct timespec pause = { .tv_sec = debt * CPU_PART / NS_PER_S,
						  .tv_nsec = debt * CPU_PART % NS_PER_S };

			nanosleep(&pause, NULL);
		}
	}
	return 0;
}

static int watch_all(struct watch_ctx *watch, uid_t uid, gid_t gid)
{
	int log = -1, error = 0, ret;

	pressure_watch(watch);
	if (any_of_log(watch)) {
		log = kmsg_open();
		error = errno;
	}
	if (rights_drop(uid, gid))
		return 1;
	/* Compile users' expressions now, when this process has only the user's rights. */
	for (size_t i = 0; i < watch->count; i++)
		compile(watch, &watch->all[i]);
	errno = error;
	kmsg_watch(watch, log);
	file_watch(watch);
	journal_watch(watch);
	matches_ready(watch->matches);
	ret = run(watch->event);
	for (size_t i = 0; i < watch->count; i++)
		if (watch->all[i].has_regex)
			regfree(&watch->all[i].regex);
	return ret;
}

static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
}

int watch_run(const struct trigger *const *triggers, size_t count, int socket)
{
	struct watch_ctx watch = { .count = count };
	int ret = 1;

	reset_signals();
	closelog();
	socket = rights_close_others(socket);
	if (socket < 0 || !count)
		return 1;
	watch.all = calloc(count, sizeof(*watch.all));
	if (!watch.all || sd_event_new(&watch.event) < 0)
		return 1;
	for (size_t i = 0; i < count; i++)
		watch.all[i].trigger = triggers[i];
	watch.matches = matches_create(watch.event, socket);
	if (watch.matches)
		ret = watch_all(&watch, triggers[0]->uid, triggers[0]->gid);
	matches_destroy(watch.matches);
	sd_event_unref(watch.event);
	free(watch.all);
	return ret;
}

static int check(const struct trigger *const *triggers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!watch_has(triggers[i]->kind) || triggers[i]->uid != triggers[0]->uid ||
		    triggers[i]->gid != triggers[0]->gid)
			return -1;
	return count ? 0 : -1;
}

pid_t watch_start(const struct trigger *const *triggers, size_t count, int *socket,
		  struct mm_error *err)
{
	int ends[2];
	pid_t pid;

	if (check(triggers, count))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"triggers: one process cannot watch for triggers of several users");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "triggers: socket: %s",
				    strerror(errno));
	pid = fork();
	if (!pid)
		_exit(watch_run(triggers, count, ends[1]));
	if (pid < 0)
		mm_error_set(err, MM_EXIT_ENVIRONMENT,
			     "triggers: the watcher process cannot be started: %s",
			     strerror(errno));
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		*socket = ends[0];
	return pid < 0 ? -1 : pid;
}
