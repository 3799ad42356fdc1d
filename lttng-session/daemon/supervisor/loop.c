// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the plan with the sessions and buffers once a second, and repairs differences. */
#include "lttng-session/daemon/supervisor/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <lttng/lttng.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/supervisor/daemons.h"
#include "lttng-session/daemon/supervisor/held-buffers.h"
#include "lttng-session/daemon/supervisor/held-targets.h"
#include "lttng-session/daemon/supervisor/autostart.h"
#include "lttng-session/daemon/supervisor/recall.h"
#include "lttng-session/daemon/supervisor/repair.h"
#include "lttng-session/daemon/supervisor/silence.h"
#include "lttng-session/daemon/triggers/definition/limits.h"
#include "lttng-session/freeze/positions.h"
#include "lttng-session/recorder/restore.h"
#include "lttng-session/recorder/sessions.h"
#include "lttng-session/system/session-daemon-pid.h"
#include "lttng-session/system/session-daemon.h"
#include "lttng-session/system/message.h"
#include "lttng-session/system/process.h"
#include "util/clock.h"
#include "util/time.h"

#define PERIOD_MS 1000
/*
 * Number of checks between two comparisons of the sessions' events, and between two signs of life.
 */
#define EVENTS_PERIOD 5
#define RECORDERS_MAX 16
/*
 * Maximum wait for the plan's lock. If a command holds it for longer, the next check, a second
 * later, tries the repair again.
 */
#define LOCK_MS 200
#define UNKNOWN INT64_C(-1)
#define SILENCE_REMEDY                                                          \
	"a tracker or filter of another program may exclude them (`lttng list " \
	"%s`), or the tracer has failed (`dmesg`); to restart the recording, "  \
	"run `lttng-mm stop %s`, then `lttng-mm record %s`"

/*
 * Maximum rate of rescues per recorder. Repeated crashes of the session daemon, or a program that
 * destroys sessions, must not fill the disk.
 */
#define RESCUES_MAX 6
#define RESCUES_NS (INT64_C(3600) * 1000000000)

static const char daemon_lost[] = "the session daemon ended";

/*
 * Last known state of a planned session. A hole is a time in which the session may lack events.
 * Times are on CLOCK_REALTIME.
 */
struct session_history {
	char name[PLAN_NAME_MAX];
	int64_t since;
	int64_t right_ns; /* when the session was last known to record; the next hole starts then */
	/* time of the last check that found all of the session's events enabled, or of a repair */
	int64_t complete_ns;
	int64_t moved_ns; /* time of the last check that found new data in the session's buffers */
	struct silence silence;
};

/* Limits the number of rescues of a recorder. */
struct rescue_quota {
	char recorder[PLAN_NAME_MAX];
	struct snapshot_limits limits;
};

struct supervisor_loop {
	const struct settings *settings;
	int report;
	unsigned int ticks;
	struct autostart autostart;
	struct daemons daemons;
	/* the session daemon ended, and no session daemon has listed its sessions since then */
	bool lost;
	struct held_buffers held[RECORDERS_MAX];
	struct rescue_quota quotas[RECORDERS_MAX];
	struct held_targets targets;
	int64_t looked_ns; /* time just before the last check of sessions and buffers */
	/* @causes: fire events after this check; @causes_each: on each CPU (silence.h) */
	bool causes, causes_each;
	cpu_set_t caused; /* CPUs on which silence_cause() fired events after the last check */
	struct session_history histories[PLAN_SESSIONS_MAX];
	struct lttng_session *sessions; /* sessions that the session daemon lists */
	int session_count; /* number of @sessions; negative: the session daemon does not answer */
	struct mm_error problem;
};

static void send(const struct supervisor_loop *loop, json_t *message)
{
	message_send(loop->report, message, -1);
	json_decref(message);
}

static void send_text(const struct supervisor_loop *loop, const char *key, const char *text)
{
	send(loop, json_pack("{s:s}", key, text));
}

static struct session_history *find_history(struct supervisor_loop *loop,
					    const struct plan_session *session)
{
	struct session_history *unused = &loop->histories[0];

	for (size_t i = 0; i < PLAN_SESSIONS_MAX; i++) {
		struct session_history *history = &loop->histories[i];

		if (!strcmp(history->name, session->name))
			return history;
		if (!*history->name)
			unused = history;
	}
	*unused = (struct session_history){ .since = session->since,
					    .right_ns = UNKNOWN,
					    .moved_ns = UNKNOWN };
	snprintf(unused->name, sizeof(unused->name), "%s", session->name);
	return unused;
}

static void forget_others(struct supervisor_loop *loop, const struct plan *plan)
{
	for (size_t i = 0; i < PLAN_SESSIONS_MAX; i++)
		if (*loop->histories[i].name && !plan_find(plan, loop->histories[i].name))
			*loop->histories[i].name = '\0';
	for (size_t i = 0; i < RECORDERS_MAX; i++)
		if (*loop->held[i].recorder && !plan_has_recorder(plan, loop->held[i].recorder))
			held_buffers_release(&loop->held[i]);
	for (size_t i = 0; i < RECORDERS_MAX; i++) {
		struct rescue_quota *quota = &loop->quotas[i];

		if (!*quota->recorder || plan_has_recorder(plan, quota->recorder))
			continue;
		limits_release(&quota->limits);
		*quota = (struct rescue_quota){ .recorder = "" };
	}
}

/* Returns the entry of the recorder, or an unused entry, or NULL if all are in use. */
static struct held_buffers *find_held(struct supervisor_loop *loop, const char *recorder)
{
	struct held_buffers *unused = NULL;

	for (size_t i = 0; i < RECORDERS_MAX; i++) {
		if (!strcmp(loop->held[i].recorder, recorder))
			return &loop->held[i];
		if (!*loop->held[i].recorder && !unused)
			unused = &loop->held[i];
	}
	return unused;
}

static void look(struct supervisor_loop *loop, const struct plan_session *session,
		 struct repair_seen *seen)
{
	const struct held_buffers *held = find_held(loop, session->recorder);
	const struct freeze_progress *progress =
		held ? held_buffers_progress(held, session->name) : NULL;
	const struct lttng_session *found =
		recorder_find_planned(session, loop->sessions, loop->session_count);

	*seen = (struct repair_seen){ .answers = loop->session_count >= 0,
				      .listed = found,
				      .running = found && found->enabled,
				      .enabled = true };
	if (seen->running && !(loop->ticks % EVENTS_PERIOD)) {
		seen->enabled = restore_is_complete(session);
		if (seen->enabled)
			find_history(loop, session)->complete_ns = loop->looked_ns;
	}
	if (!progress)
		return;
	seen->held = true;
	seen->active = progress->active;
	seen->cleared = progress->cleared;
}

/* Returns the entry of the recorder, creating it if needed, or NULL if all are in use. */
static struct rescue_quota *find_quota(struct supervisor_loop *loop, const char *recorder)
{
	struct rescue_quota *unused = NULL;

	for (size_t i = 0; i < RECORDERS_MAX; i++) {
		if (!strcmp(loop->quotas[i].recorder, recorder))
			return &loop->quotas[i];
		if (!*loop->quotas[i].recorder && !unused)
			unused = &loop->quotas[i];
	}
	if (!unused)
		return NULL;
	snprintf(unused->recorder, sizeof(unused->recorder), "%s", recorder);
	unused->limits = (struct snapshot_limits){ .max = RESCUES_MAX, .max_ns = RESCUES_NS };
	return unused;
}

/* Counts one more rescue of the recorder. Returns false if its quota is used up. */
static bool may_rescue(struct supervisor_loop *loop, const char *recorder)
{
	struct rescue_quota *quota = find_quota(loop, recorder);
	const int64_t now = mm_clock_ns(CLOCK_BOOTTIME);
	uint64_t matches;
	bool at_least;

	return quota && limits_check(&quota->limits, now) == LIMITS_TAKE &&
	       !limits_take(&quota->limits, now, &matches, &at_least);
}

/*
 * Rescues a recorder's held buffers and releases them. For each session that was recording, the
 * hole starts at the freeze.
 */
static void rescue(struct supervisor_loop *loop, struct held_buffers *held, const char *what)
{
	char names[HELD_SESSIONS_MAX][RECORDER_NAME_MAX], why[512];
	const struct freeze_progress *progress;
	size_t count = 0;
	int64_t frozen_ns;

	if (!held->ring)
		return;
	if (!may_rescue(loop, held->recorder)) {
		snprintf(
			why, sizeof(why),
			"recorder %s: its buffers are not rescued: there were already %d rescues in the last hour",
			held->recorder, RESCUES_MAX);
		held_buffers_send_rescue(loop->report, what, mm_clock_ns(CLOCK_REALTIME), "error",
					 why);
		held_buffers_release(held);
		return;
	}
	/*
	 * Collect the sessions that still record. The holes of the other sessions started earlier.
	 */
	for (size_t i = 0; i < held->count; i++) {
		progress = held_buffers_progress(held, held->sessions[i].name);
		if (progress && progress->active && !progress->cleared)
			snprintf(names[count++], sizeof(names[0]), "%s", held->sessions[i].name);
	}
	frozen_ns = held_buffers_rescue(held, what, loop->report);
	for (size_t i = 0; i < count && frozen_ns != HELD_NOT_FROZEN; i++)
		for (size_t w = 0; w < PLAN_SESSIONS_MAX; w++)
			if (!strcmp(loop->histories[w].name, names[i]))
				loop->histories[w].right_ns = frozen_ns;
}

/*
 * Returns the time at which the hole of a session ends. It is the time of the session's start, if
 * the freeze module saw a start after @from_ns. Otherwise, it is the current time, which may be up
 * to a second too late, because lttng_start_tracing() returns after the state dump.
 */
static int64_t began_ns(const char *name, int64_t from_ns)
{
	struct positions positions = { .device = -1 };
	struct mm_error ignored = MM_ERROR_INIT;
	int64_t now = mm_clock_ns(CLOCK_REALTIME), began = 0;

	if (!positions_open(&positions, &name, 1, &ignored) &&
	    !positions_read(&positions, &ignored))
		for (unsigned int i = 0; i < positions.channel_count; i++) {
			const uint64_t started = positions.channels[i].started;

			/* The trace clock counts nanoseconds, like CLOCK_REALTIME. */
			if (started && started < positions.taken.clock)
				began = (int64_t)(positions.taken.realtime_ns -
						  (positions.taken.clock - started));
		}
	positions_release(&positions);
	return began > from_ns && began < now ? began : now;
}

static void report_repair(const struct supervisor_loop *loop, const struct session_history *history,
			  const char *what, int64_t until_ns)
{
	json_t *from = history->right_ns == UNKNOWN ? json_null() : json_integer(history->right_ns);

	send(loop, json_pack("{s:{s:s,s:s,s:o,s:I}}", "repair", "session", history->name, "what",
			     what, "from_ns", from, "until_ns", (json_int_t)until_ns));
}

/* Creates the session again. Returns 0, or -1 with @err set and no partial session. */
static int recreate(struct plan *plan, const char *session, struct mm_error *err)
{
	struct transaction transaction;
	int ret = transaction_clear(plan, err) || transaction_begin(&transaction, plan, err);

	if (ret)
		return -1;
	ret = restore_session(plan, &transaction, session, err) || plan_write(plan, err);
	if (ret)
		transaction_roll_back(&transaction);
	transaction_end(&transaction);
	return ret ? -1 : 0;
}

static int repair_locked(struct plan *plan, const char *session, enum repair_action action,
			 struct mm_error *err)
{
	switch (action) {
	case REPAIR_RECREATE:
		return recreate(plan, session, err);
	case REPAIR_START:
		return restore_start(session, err);
	case REPAIR_ENABLE:
		return restore_events(plan_find(plan, session), err);
	default:
		return 0;
	}
}

/*
 * Is @session still in the plan? Without this check under the lock, a repair could undo `stop`:
 *
 *   supervisor reads the plan -> `stop` removes the session from the plan, and destroys it
 *   -> supervisor misses the session, and creates it again
 */
static bool is_planned_still(const struct plan *plan, const struct plan_session *session)
{
	const struct plan_session *now = plan_find(plan, session->name);

	return now && now->since == session->since;
}

/*
 * Has the session daemon that created the session ended? daemons_find() misses the end if the
 * session daemon ended before this process started. daemons_find() is late if the session daemon
 * refuses connections but still exists. In both cases, the PID file no longer names that session
 * daemon: its PID or its start time is not the recorded one.
 */
static bool is_daemon_lost(const struct supervisor_loop *loop, const struct held_buffers *held,
			   const struct plan_session *session)
{
	const int64_t now = daemon_started();

	return loop->lost || (held && held->ring && held->daemon != daemons_pid()) ||
	       (now && session->daemon && now != session->daemon);
}

static void repair_planned(struct supervisor_loop *loop, struct plan *plan,
			   const struct plan_session *session, enum repair_action action)
{
	struct session_history *history = find_history(loop, session);
	struct held_buffers *held = find_held(loop, session->recorder);
	const bool recreates = action == REPAIR_RECREATE;
	const bool lost = recreates && is_daemon_lost(loop, held, session);
	const char *what = lost ? daemon_lost : repair_reason(action);
	struct mm_error err = MM_ERROR_INIT;
	int64_t until_ns;

	/*
	 * Most checks skip the comparison of events, so the hole may have started right after the
	 * last comparison.
	 */
	if (action == REPAIR_ENABLE)
		history->right_ns = history->complete_ns;
	/*
	 * Do not rescue unconfirmed buffers, because they may belong to another program's session
	 * of the same name.
	 */
	if (recreates && held && (held->confirmed || lost) && loop->settings->rescue)
		rescue(loop, held, what);
	if (repair_locked(plan, session->name, action, &err)) {
		loop->problem = err;
		return;
	}
	until_ns = recreates || action == REPAIR_START ? began_ns(session->name, history->right_ns)
						       : mm_clock_ns(CLOCK_REALTIME);
	report_repair(loop, history, what, until_ns);
	/* The session records again, so its next hole starts at or after this time. */
	history->right_ns = until_ns;
	history->complete_ns = until_ns;
}

static void repair(struct supervisor_loop *loop, const struct plan_session *session,
		   enum repair_action action)
{
	struct mm_error busy = MM_ERROR_INIT;
	int lock = plan_lock(LOCK_MS, &busy);
	struct plan plan;

	if (lock < 0)
		return;
	if (plan_read(&plan, &loop->problem)) {
		plan_unlock(lock);
		return;
	}
	if (is_planned_still(&plan, session))
		repair_planned(loop, &plan, session, action);
	plan_release(&plan);
	plan_unlock(lock);
}

static void format_time(char *text, size_t size, int64_t ns)
{
	if (ns == UNKNOWN)
		snprintf(text, size, "the supervisor's start");
	else
		mm_time_format_local(text, size, MM_TIME_OF_DAY, ns / 1000000000);
}

static void report_silence(struct supervisor_loop *loop, const struct plan_session *session,
			   const struct session_history *history)
{
	char since[32];

	format_time(since, sizeof(since), history->moved_ns);
	if (!loop->problem.code)
		mm_error_set(
			&loop->problem, MM_EXIT_ENVIRONMENT,
			"session: %s: active, but nothing has been recorded since %s, although the events that it records have occurred: " SILENCE_REMEDY,
			session->name, since, session->name, session->profile, session->profile);
}

static void report_silent_cpu(struct supervisor_loop *loop, const struct plan_session *session,
			      int cpu)
{
	if (!loop->problem.code)
		mm_error_set(
			&loop->problem, MM_EXIT_ENVIRONMENT,
			"session: %s: active, but CPU %d has not recorded events that have occurred on it: " SILENCE_REMEDY,
			session->name, cpu, session->name, session->profile, session->profile);
}

/* Do the buffers of an active session show that it records? If not, reports a problem. */
static bool is_recording(struct supervisor_loop *loop, const struct plan_session *session)
{
	const struct held_buffers *held = find_held(loop, session->recorder);
	const struct freeze_progress *progress =
		held ? held_buffers_progress(held, session->name) : NULL;
	struct session_history *history = find_history(loop, session);
	enum silence_verdict verdict;
	int missed;

	/* Buffers that are held for the first time have no earlier positions to compare with. */
	if (!progress || !progress->compared) {
		history->silence = (struct silence){ .looks = 0 };
		return true;
	}
	if (progress->moved)
		history->moved_ns = loop->looked_ns;
	if (!silence_applies(session))
		return true;
	missed = silence_missed_cpu(&loop->caused, &progress->moved_cpus);
	verdict = silence_look(&history->silence, progress->moved, missed >= 0);
	loop->causes |= verdict != SILENCE_NONE;
	loop->causes_each |= verdict == SILENCE_CAUSE_EACH || verdict == SILENCE_FOUND_CPU;
	if (verdict == SILENCE_FOUND)
		report_silence(loop, session, history);
	else if (verdict == SILENCE_FOUND_CPU)
		report_silent_cpu(loop, session, missed);
	/* With SILENCE_FOUND_CPU, one CPU records nothing, but the other CPUs record. */
	return verdict != SILENCE_FOUND;
}

static void check_session(struct supervisor_loop *loop, const struct plan_session *session)
{
	struct repair_seen seen;
	enum repair_action action;

	look(loop, session, &seen);
	action = repair_decide(&seen);
	/*
	 * REPAIR_WAIT means that the session daemon does not answer. The buffers show whether the
	 * session still records.
	 */
	if (action == REPAIR_NONE
		    ? is_recording(loop, session)
		    : action == REPAIR_WAIT && seen.held && seen.active && !seen.cleared)
		find_history(loop, session)->right_ns = loop->looked_ns;
	if (action == REPAIR_NONE)
		return;
	/*
	 * The repair may have discarded events that silence_cause() fired, so do not expect them.
	 */
	find_history(loop, session)->silence = (struct silence){ .looks = 0 };
	if (action == REPAIR_WAIT)
		mm_error_set(&loop->problem, MM_EXIT_ENVIRONMENT, DAEMONS_NO_ANSWER);
	else
		repair(loop, session, action);
}

/* Is a session of the recorder missing? Its repair needs the old buffers for a rescue. */
static bool has_gone(const struct supervisor_loop *loop, const struct plan *plan,
		     const char *recorder)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!strcmp(plan->sessions[i].recorder, recorder) &&
		    !recorder_find_planned(&plan->sessions[i], loop->sessions, loop->session_count))
			return true;
	return false;
}

/*
 * Holds the buffers of all recorders, in case the session daemon is killed. @confirmed means that
 * the session daemon has just listed its sessions. If so, replaces held buffers whose sessions have
 * changed, for example after a repair. If not, keeps buffers that are already held, because their
 * sessions may be gone, and a rescue needs these buffers.
 */
static void hold_all(struct supervisor_loop *loop, bool confirmed)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;

	if (plan_read(&plan, &err))
		return;
	for (size_t i = 0; i < plan.count; i++) {
		struct held_buffers *held = find_held(loop, plan.sessions[i].recorder);

		/*
		 * Ignore errors. Without the freeze module, nothing can be held, but the supervisor
		 * can still repair sessions.
		 */
		mm_error_clear(&err);
		if (!held ||
		    (held->ring &&
		     (!confirmed || has_gone(loop, &plan, plan.sessions[i].recorder))) ||
		    held_buffers_hold(held, &plan, plan.sessions[i].recorder, &err))
			continue;
		held->confirmed |= confirmed;
		if (!held->daemon)
			held->daemon = daemons_pid();
	}
	plan_release(&plan);
}

/*
 * Handles the end of the session daemon @daemon. Its held buffers still exist and record, but only
 * the supervisor can read them. Closes the control file of page references first. Held buffers keep
 * the session started, so the probe would otherwise mark pages until the sessions are created
 * again.
 */
static void lose(struct supervisor_loop *loop, pid_t daemon)
{
	loop->lost = true;
	held_targets_release(&loop->targets);
	send_text(loop, "note", daemon_lost);
	/* Skip buffers that belong to the next session daemon. */
	for (size_t i = 0; i < RECORDERS_MAX && loop->settings->rescue; i++)
		if (loop->held[i].daemon == daemon)
			rescue(loop, &loop->held[i], daemon_lost);
}

/* Finds LTTng's daemons, and handles the end of the session daemon. */
static void find_daemons(struct supervisor_loop *loop)
{
	const pid_t daemon = loop->daemons.session_pid;

	if (daemons_find(&loop->daemons, loop->settings))
		lose(loop, daemon);
}

static void check_plan(struct supervisor_loop *loop, struct plan *plan)
{
	hold_all(loop, false);
	if (!daemons_answer()) {
		/*
		 * The session daemon may have ended during this check. Handle that before waiting
		 * for the next session daemon.
		 */
		find_daemons(loop);
		daemons_revive(&loop->daemons);
	}
	loop->looked_ns = mm_clock_ns(CLOCK_REALTIME);
	loop->causes = false;
	loop->causes_each = false;
	loop->sessions = NULL;
	loop->session_count = daemons_answer() ? lttng_list_sessions(&loop->sessions) : -1;
	for (size_t i = 0; i < RECORDERS_MAX; i++)
		if (held_buffers_look(&loop->held[i]))
			held_buffers_release(&loop->held[i]);
	for (size_t i = 0; i < plan->count; i++)
		check_session(loop, &plan->sessions[i]);
	/* If no events could be fired, do not expect any. */
	if (loop->causes && silence_cause(loop->causes_each, &loop->caused))
		for (size_t i = 0; i < PLAN_SESSIONS_MAX; i++)
			loop->histories[i].silence = (struct silence){ .looks = 0 };
	if (loop->session_count >= 0) {
		loop->lost = false;
		hold_all(loop, true);
	}
	free(loop->sessions);
}

/* Sets the targets of page references, or closes the control file, and reports the state. */
static void check_targets(struct supervisor_loop *loop, const struct plan *plan)
{
	const bool held = loop->targets.control >= 0;
	json_t *state = held_targets_look(&loop->targets, plan, loop->lost, &loop->problem);
	char text[768];

	if (!held && *loop->targets.lacking) {
		snprintf(text, sizeof(text), "page references are not recorded for: %s",
			 loop->targets.lacking);
		send_text(loop, "note", text);
	}
	if (state || held || loop->lost)
		send(loop, json_pack("{s:o?}", "page_ref", state));
}

static void check(struct supervisor_loop *loop)
{
	struct mm_error before = loop->problem;
	struct plan plan;
	bool planned;

	mm_error_clear(&loop->problem);
	transaction_settle();
	planned = !plan_read(&plan, &loop->problem);
	/* Forget stopped recorders first, so that they are not rescued. */
	if (planned)
		forget_others(loop, &plan);
	find_daemons(loop);
	if (planned) {
		check_targets(loop, &plan);
		if (plan.count)
			check_plan(loop, &plan);
		if (plan.count && !loop->problem.code)
			daemons_check(&loop->daemons, &loop->problem);
		plan_release(&plan);
	}
	autostart_check(&loop->autostart, loop->settings, &loop->daemons, &loop->problem);
	if (strcmp(before.message, loop->problem.message) != 0)
		send_text(loop, "problem", loop->problem.message);
	else if (!(loop->ticks % EVENTS_PERIOD))
		send(loop, json_object());
	loop->ticks++;
}

static void pause_until(const struct supervisor_loop *loop)
{
	struct pollfd fds[] = { { .fd = loop->report, .events = 0 },
				{ .fd = loop->daemons.session, .events = POLLIN },
				{ .fd = loop->daemons.consumer, .events = POLLIN } };

	poll(fds, 3, PERIOD_MS);
	if (fds[0].revents & (POLLHUP | POLLERR))
		_exit(0);
	/* Reap rescue processes that have exited. */
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

void supervisor_loop_run(const struct settings *settings, bool first, int report)
{
	static struct supervisor_loop loop;

	loop = (struct supervisor_loop){ .settings = settings,
					 .report = report,
					 .targets = HELD_TARGETS_INIT };
	if (first)
		recall_start(report);
	daemons_init(&loop.daemons);
	/*
	 * Hold the buffers first. Later calls may block, and the previous supervisor may have been
	 * killed because such a call hung.
	 */
	daemons_find(&loop.daemons, settings);
	hold_all(&loop, false);
	daemons_await();
	for (;;) {
		check(&loop);
		pause_until(&loop);
	}
}
