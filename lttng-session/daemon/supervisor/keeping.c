// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the plan with what exists, once a second, and repairs what differs. */
#include "lttng-session/daemon/supervisor/keeping.h"

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
#include "lttng-session/daemon/supervisor/kept.h"
#include "lttng-session/daemon/supervisor/recording.h"
#include "lttng-session/daemon/supervisor/repair.h"
#include "lttng-session/daemon/supervisor/silence.h"
#include "lttng-session/daemon/triggers/definition/limits.h"
#include "lttng-session/freeze/positions.h"
#include "lttng-session/recorder/keep.h"
#include "lttng-session/recorder/restore.h"
#include "lttng-session/recorder/sessions.h"
#include "lttng-session/snapshot/recent.h"
#include "lttng-session/snapshot/staging.h"
#include "lttng-session/system/daemon.h"
#include "lttng-session/system/message.h"
#include "lttng-session/system/process.h"
#include "util/clock.h"
#include "util/time.h"

#define PERIOD_MS 1000
/* The events of a session are compared less often. */
#define EVENTS_PERIOD 5
#define RECORDERS_MAX 16
/* Another command may hold the lock: what is wrong then is seen again. */
#define LOCK_MS 200
#define UNKNOWN INT64_C(-1)
#define SILENCE_REMEDY                                                          \
	"a tracker or filter of another program may exclude them (`lttng list " \
	"%s`), or the tracer has failed (`dmesg`); `lttng-mm stop %s` and "     \
	"`lttng-mm record %s` start it anew"

/*
 * A session daemon that ends again and again, or a program that destroys sessions, must not fill
 * the disk with rescues of a recorder.
 */
#define RESCUES_MAX 6
#define RESCUES_NS (INT64_C(3600) * 1000000000)

static const char daemon_lost[] = "the session daemon ended";

/* What is known of a session. */
struct watched {
	char name[PLAN_NAME_MAX];
	int64_t since;
	int64_t right_ns;    /* when it was last seen to record */
	int64_t complete_ns; /* when all of its events were last seen to be enabled */
	int64_t moved_ns;    /* when it was last seen to have recorded something */
	struct silence silence;
};

/* The rescues of a recorder. */
struct rescued {
	char recorder[PLAN_NAME_MAX];
	struct limits limits;
};

struct keeping {
	const struct settings *settings;
	int report;
	unsigned int ticks;
	struct recording recording;
	struct daemons daemons;
	bool lost; /* the session daemon ended, and what it recorded has not been restored */
	struct kept kept[RECORDERS_MAX];
	struct rescued rescued[RECORDERS_MAX];
	int64_t looked_ns;	  /* before the sessions and their buffers were last looked at */
	bool causes, causes_each; /* events are to be caused, also on each CPU (silence.h) */
	cpu_set_t caused;	  /* CPUs on which events were caused before the last look */
	struct watched watched[PLAN_SESSIONS_MAX];
	struct lttng_session *sessions; /* of the session daemon */
	int session_count;		/* negative: it does not answer */
	struct mm_error problem;
};

static void send(const struct keeping *keeping, json_t *message)
{
	message_send(keeping->report, message, -1);
	json_decref(message);
}

static void send_text(const struct keeping *keeping, const char *key, const char *text)
{
	send(keeping, json_pack("{s:s}", key, text));
}

static struct watched *watch(struct keeping *keeping, const struct plan_session *session)
{
	struct watched *unused = &keeping->watched[0];

	for (size_t i = 0; i < PLAN_SESSIONS_MAX; i++) {
		struct watched *watched = &keeping->watched[i];

		if (!strcmp(watched->name, session->name))
			return watched;
		if (!*watched->name)
			unused = watched;
	}
	*unused = (struct watched){ .since = session->since,
				    .right_ns = UNKNOWN,
				    .moved_ns = UNKNOWN };
	snprintf(unused->name, sizeof(unused->name), "%s", session->name);
	return unused;
}

static void forget_others(struct keeping *keeping, const struct plan *plan)
{
	for (size_t i = 0; i < PLAN_SESSIONS_MAX; i++)
		if (*keeping->watched[i].name && !plan_find(plan, keeping->watched[i].name))
			*keeping->watched[i].name = '\0';
	for (size_t i = 0; i < RECORDERS_MAX; i++)
		if (*keeping->kept[i].recorder &&
		    !plan_has_recorder(plan, keeping->kept[i].recorder))
			kept_release(&keeping->kept[i]);
	for (size_t i = 0; i < RECORDERS_MAX; i++) {
		struct rescued *rescued = &keeping->rescued[i];

		if (!*rescued->recorder || plan_has_recorder(plan, rescued->recorder))
			continue;
		limits_release(&rescued->limits);
		*rescued = (struct rescued){ .recorder = "" };
	}
}

/* Of the recorder, or an unused one. */
static struct kept *find_kept(struct keeping *keeping, const char *recorder)
{
	struct kept *unused = NULL;

	for (size_t i = 0; i < RECORDERS_MAX; i++) {
		if (!strcmp(keeping->kept[i].recorder, recorder))
			return &keeping->kept[i];
		if (!*keeping->kept[i].recorder && !unused)
			unused = &keeping->kept[i];
	}
	return unused;
}

static void look(struct keeping *keeping, const struct plan_session *session,
		 struct repair_seen *seen)
{
	const struct kept *kept = find_kept(keeping, session->recorder);
	const struct freeze_progress *progress = kept ? kept_progress(kept, session->name) : NULL;
	const struct lttng_session *found =
		recorder_find_planned(session, keeping->sessions, keeping->session_count);

	*seen = (struct repair_seen){ .answers = keeping->session_count >= 0,
				      .listed = found,
				      .running = found && found->enabled,
				      .enabled = true };
	if (seen->running && !(keeping->ticks % EVENTS_PERIOD)) {
		seen->enabled = restore_is_complete(session);
		if (seen->enabled)
			watch(keeping, session)->complete_ns = keeping->looked_ns;
	}
	if (!progress)
		return;
	seen->held = true;
	seen->active = progress->active;
	seen->cleared = progress->cleared;
}

/* Of the recorder, or an unused one; NULL: there are too many. */
static struct rescued *find_rescued(struct keeping *keeping, const char *recorder)
{
	struct rescued *unused = NULL;

	for (size_t i = 0; i < RECORDERS_MAX; i++) {
		if (!strcmp(keeping->rescued[i].recorder, recorder))
			return &keeping->rescued[i];
		if (!*keeping->rescued[i].recorder && !unused)
			unused = &keeping->rescued[i];
	}
	if (!unused)
		return NULL;
	snprintf(unused->recorder, sizeof(unused->recorder), "%s", recorder);
	unused->limits = (struct limits){ .max = RESCUES_MAX, .max_ns = RESCUES_NS };
	return unused;
}

/* May one more rescue be taken? It counts then. */
static bool may_rescue(struct keeping *keeping, const char *recorder)
{
	struct rescued *rescued = find_rescued(keeping, recorder);
	const int64_t now = mm_clock_ns(CLOCK_BOOTTIME);
	uint64_t matches;
	bool at_least;

	return rescued && limits_check(&rescued->limits, now) == LIMITS_TAKE &&
	       !limits_take(&rescued->limits, now, &matches, &at_least);
}

/*
 * Rescues what the buffers of a recorder hold, which are held no longer then. They have recorded
 * until the freeze.
 */
static void rescue(struct keeping *keeping, struct kept *kept, const char *what)
{
	char names[KEPT_SESSIONS_MAX][RECORDER_NAME_MAX], why[512];
	const struct freeze_progress *progress;
	size_t count = 0;
	int64_t frozen_ns;

	if (!kept->ring)
		return;
	if (!may_rescue(keeping, kept->recorder)) {
		snprintf(
			why, sizeof(why),
			"recorder %s: its buffers are not rescued: there were %d rescues in the last hour",
			kept->recorder, RESCUES_MAX);
		kept_send_rescue(keeping->report, what, mm_clock_ns(CLOCK_REALTIME), "error", why);
		kept_release(kept);
		return;
	}
	/* Those that record until then; the holes of others began before. */
	for (size_t i = 0; i < kept->count; i++) {
		progress = kept_progress(kept, kept->sessions[i].name);
		if (progress && progress->active && !progress->cleared)
			snprintf(names[count++], sizeof(names[0]), "%s", kept->sessions[i].name);
	}
	frozen_ns = kept_rescue(kept, what, keeping->report);
	for (size_t i = 0; i < count && frozen_ns != KEPT_NOT_FROZEN; i++)
		for (size_t w = 0; w < PLAN_SESSIONS_MAX; w++)
			if (!strcmp(keeping->watched[w].name, names[i]))
				keeping->watched[w].right_ns = frozen_ns;
}

/*
 * When the session was last started, if that was after @from_ns; otherwise now. The start itself
 * returns after the state dump, which may take a second, and tells the tracer before it.
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

			/* The trace clock counts nanoseconds. */
			if (started && started < positions.taken.clock)
				began = (int64_t)(positions.taken.realtime_ns -
						  (positions.taken.clock - started));
		}
	positions_release(&positions);
	return began > from_ns && began < now ? began : now;
}

static void report_repair(const struct keeping *keeping, const struct watched *watched,
			  const char *what, int64_t until_ns)
{
	json_t *from = watched->right_ns == UNKNOWN ? json_null() : json_integer(watched->right_ns);

	send(keeping, json_pack("{s:{s:s,s:s,s:o,s:I}}", "repair", "session", watched->name, "what",
				what, "from_ns", from, "until_ns", (json_int_t)until_ns));
}

/* Returns 0, or -1 with @err set: nothing is left then. */
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

/* Repairs a session of the plan, which has just been read and is locked. */
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
 * A command may have changed the plan since @session was read from it: `stop` removes a session
 * from the plan before it destroys the session. Is the session still to be kept?
 */
static bool is_planned_still(const struct plan *plan, const struct plan_session *session)
{
	const struct plan_session *now = plan_find(plan, session->name);

	return now && now->since == session->since;
}

/*
 * Has the session daemon that created the session ended? It may have ended before this process was
 * started, and its end may be seen later than the end of its connections.
 */
static bool is_daemon_lost(const struct keeping *keeping, const struct kept *kept,
			   const struct plan_session *session)
{
	const int64_t now = daemon_started();

	return keeping->lost || (kept && kept->ring && kept->daemon != daemons_pid()) ||
	       (now && session->daemon && now != session->daemon);
}

/* Repairs the session of @plan, which is locked. */
static void repair_planned(struct keeping *keeping, struct plan *plan,
			   const struct plan_session *session, enum repair_action action)
{
	struct watched *watched = watch(keeping, session);
	struct kept *kept = find_kept(keeping, session->recorder);
	const bool recreates = action == REPAIR_RECREATE;
	const bool lost = recreates && is_daemon_lost(keeping, kept, session);
	const char *what = lost ? daemon_lost : repair_reason(action);
	struct mm_error err = MM_ERROR_INIT;
	int64_t until_ns;

	/* The looks since then did not compare the events. */
	if (action == REPAIR_ENABLE)
		watched->right_ns = watched->complete_ns;
	/* What a session of that name holds that others have made is not the recorder's. */
	if (recreates && kept && (kept->confirmed || lost) && keeping->settings->rescue)
		rescue(keeping, kept, what);
	if (repair_locked(plan, session->name, action, &err)) {
		keeping->problem = err;
		return;
	}
	until_ns = recreates || action == REPAIR_START ? began_ns(session->name, watched->right_ns)
						       : mm_clock_ns(CLOCK_REALTIME);
	report_repair(keeping, watched, what, until_ns);
	/* Later holes begin after this time: data that was cleared before it is not lost again. */
	watched->right_ns = until_ns;
	watched->complete_ns = until_ns;
}

static void repair(struct keeping *keeping, const struct plan_session *session,
		   enum repair_action action)
{
	struct mm_error busy = MM_ERROR_INIT;
	int lock = plan_lock(LOCK_MS, &busy);
	struct plan plan;

	if (lock < 0)
		return;
	if (plan_read(&plan, &keeping->problem)) {
		plan_unlock(lock);
		return;
	}
	if (is_planned_still(&plan, session))
		repair_planned(keeping, &plan, session, action);
	plan_release(&plan);
	plan_unlock(lock);
}

static void format_time(char *text, size_t size, int64_t ns)
{
	if (ns == UNKNOWN)
		snprintf(text, size, "it has been watched");
	else
		mm_time_format_local(text, size, MM_TIME_OF_DAY, ns / 1000000000);
}

static void report_silence(struct keeping *keeping, const struct plan_session *session,
			   const struct watched *watched)
{
	char since[32];

	format_time(since, sizeof(since), watched->moved_ns);
	if (!keeping->problem.code)
		mm_error_set(
			&keeping->problem, MM_EXIT_ENVIRONMENT,
			"session: %s: active, but nothing has been recorded since %s, although the events that it records have occurred: " SILENCE_REMEDY,
			session->name, since, session->name, session->profile, session->profile);
}

static void report_silent_cpu(struct keeping *keeping, const struct plan_session *session, int cpu)
{
	if (!keeping->problem.code)
		mm_error_set(
			&keeping->problem, MM_EXIT_ENVIRONMENT,
			"session: %s: active, but CPU %d has not recorded events that have occurred on it: " SILENCE_REMEDY,
			session->name, cpu, session->name, session->profile, session->profile);
}

/* The session is active, for all that the kernel and the session daemon say. Does it record? */
static bool is_recording(struct keeping *keeping, const struct plan_session *session)
{
	const struct kept *kept = find_kept(keeping, session->recorder);
	const struct freeze_progress *progress = kept ? kept_progress(kept, session->name) : NULL;
	struct watched *watched = watch(keeping, session);
	enum silence_verdict verdict;
	int missed;

	/* What has just been taken hold of was not looked at before. */
	if (!progress || !progress->compared) {
		watched->silence = (struct silence){ .looks = 0 };
		return true;
	}
	if (progress->moved)
		watched->moved_ns = keeping->looked_ns;
	if (!silence_applies(session))
		return true;
	missed = silence_missed_cpu(&keeping->caused, &progress->moved_cpus);
	verdict = silence_look(&watched->silence, progress->moved, missed >= 0);
	keeping->causes |= verdict != SILENCE_NONE;
	keeping->causes_each |= verdict == SILENCE_CAUSE_EACH || verdict == SILENCE_FOUND_CPU;
	if (verdict == SILENCE_FOUND)
		report_silence(keeping, session, watched);
	else if (verdict == SILENCE_FOUND_CPU)
		report_silent_cpu(keeping, session, missed);
	/* The other CPUs record. */
	return verdict != SILENCE_FOUND;
}

static void check_session(struct keeping *keeping, const struct plan_session *session)
{
	struct repair_seen seen;
	enum repair_action action;

	look(keeping, session, &seen);
	action = repair_decide(&seen);
	/* What is held records without the session daemon. */
	if (action == REPAIR_NONE
		    ? is_recording(keeping, session)
		    : action == REPAIR_WAIT && seen.held && seen.active && !seen.cleared)
		watch(keeping, session)->right_ns = keeping->looked_ns;
	if (action == REPAIR_NONE)
		return;
	/* What was caused may have been seen meanwhile. */
	watch(keeping, session)->silence = (struct silence){ .looks = 0 };
	if (action == REPAIR_WAIT)
		mm_error_set(&keeping->problem, MM_EXIT_ENVIRONMENT, DAEMONS_NO_ANSWER);
	else
		repair(keeping, session, action);
}

/* Are sessions of the recorder still to be repaired, which rescues what is held? */
static bool has_gone(const struct keeping *keeping, const struct plan *plan, const char *recorder)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!strcmp(plan->sessions[i].recorder, recorder) &&
		    !recorder_find_planned(&plan->sessions[i], keeping->sessions,
					   keeping->session_count))
			return true;
	return false;
}

/*
 * Holds what is not held: a session daemon that hangs may be killed next. After repairs, sessions
 * have other buffers. @confirmed: the session daemon has just said what exists. Before, what is
 * held is not replaced, also if the plan has changed: it may be of sessions that are gone, and is
 * rescued then.
 */
static void hold_all(struct keeping *keeping, bool confirmed)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;

	if (plan_read(&plan, &err))
		return;
	for (size_t i = 0; i < plan.count; i++) {
		struct kept *kept = find_kept(keeping, plan.sessions[i].recorder);

		/* Without the module, only the buffers' contents are at risk. */
		mm_error_clear(&err);
		if (!kept ||
		    (kept->ring &&
		     (!confirmed || has_gone(keeping, &plan, plan.sessions[i].recorder))) ||
		    kept_hold(kept, &plan, plan.sessions[i].recorder, &err))
			continue;
		kept->confirmed |= confirmed;
		if (!kept->daemon)
			kept->daemon = daemons_pid();
	}
	plan_release(&plan);
}

static void check_plan(struct keeping *keeping, struct plan *plan)
{
	hold_all(keeping, false);
	if (!daemons_answer())
		daemons_revive(&keeping->daemons);
	keeping->looked_ns = mm_clock_ns(CLOCK_REALTIME);
	keeping->causes = false;
	keeping->causes_each = false;
	keeping->sessions = NULL;
	keeping->session_count = daemons_answer() ? lttng_list_sessions(&keeping->sessions) : -1;
	for (size_t i = 0; i < RECORDERS_MAX; i++)
		if (kept_look(&keeping->kept[i]))
			kept_release(&keeping->kept[i]);
	for (size_t i = 0; i < plan->count; i++)
		check_session(keeping, &plan->sessions[i]);
	/* Without the event, there is nothing to expect. */
	if (keeping->causes && silence_cause(keeping->causes_each, &keeping->caused))
		for (size_t i = 0; i < PLAN_SESSIONS_MAX; i++)
			keeping->watched[i].silence = (struct silence){ .looks = 0 };
	if (keeping->session_count >= 0) {
		keeping->lost = false;
		hold_all(keeping, true);
	}
	free(keeping->sessions);
}

/* The buffers are still there, and record, but nobody else can read them. */
static void lose(struct keeping *keeping, pid_t daemon)
{
	keeping->lost = true;
	send_text(keeping, "note", daemon_lost);
	/* Those of the next one may be held already. */
	for (size_t i = 0; i < RECORDERS_MAX && keeping->settings->rescue; i++)
		if (keeping->kept[i].daemon == daemon)
			rescue(keeping, &keeping->kept[i], daemon_lost);
}

static void check(struct keeping *keeping)
{
	struct mm_error before = keeping->problem;
	const pid_t daemon = keeping->daemons.session_pid;
	struct plan plan;
	bool planned;

	mm_error_clear(&keeping->problem);
	transaction_settle();
	planned = !plan_read(&plan, &keeping->problem);
	/* A recorder that was stopped is not rescued if the session daemon ends later. */
	if (planned)
		forget_others(keeping, &plan);
	if (daemons_find(&keeping->daemons, keeping->settings))
		lose(keeping, daemon);
	if (planned) {
		if (plan.count)
			check_plan(keeping, &plan);
		if (plan.count && !keeping->problem.code)
			daemons_check(&keeping->daemons, &keeping->problem);
		plan_release(&plan);
	}
	recording_check(&keeping->recording, keeping->settings, &keeping->daemons,
			&keeping->problem);
	if (strcmp(before.message, keeping->problem.message) != 0)
		send_text(keeping, "problem", keeping->problem.message);
	else if (!(keeping->ticks % EVENTS_PERIOD))
		send(keeping, json_object());
	keeping->ticks++;
}

static void pause_until(const struct keeping *keeping)
{
	struct pollfd fds[] = { { .fd = keeping->report, .events = 0 },
				{ .fd = keeping->daemons.session, .events = POLLIN },
				{ .fd = keeping->daemons.consumer, .events = POLLIN } };

	poll(fds, 3, PERIOD_MS);
	if (fds[0].revents & (POLLHUP | POLLERR))
		_exit(0);
	/* Rescues that are complete. */
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void send_snapshots(const struct keeping *keeping, const char *folder)
{
	json_t *list = recent_snapshots(folder), *snapshot;
	size_t i;

	json_array_foreach(list, i, snapshot)
		send(keeping, json_pack("{s:O}", "snapshot", snapshot));
	json_decref(list);
}

/* What processes that were killed left unfinished. Others may be writing: they hold a lock. */
static void sweep(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	staging_sweep(fd);
	close(fd);
}

/* Sends what the daemon has forgotten if it was restarted, and sweeps the recorders' folders. */
static void recall(const struct keeping *keeping)
{
	struct keep keeps[RECORDERS_MAX];
	struct mm_error ignored = MM_ERROR_INIT;
	size_t count = 0, i;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return;
	for (size_t s = 0; s < plan.count && count < RECORDERS_MAX; s++) {
		keep_of(&plan, plan.sessions[s].recorder, &keeps[count]);
		for (i = 0; i < count && strcmp(keeps[i].output, keeps[count].output) != 0; i++)
			;
		count += i == count;
	}
	/* The last recorder may have been stopped. */
	if (!count)
		keep_of(&plan, "", &keeps[count++]);
	plan_release(&plan);
	for (i = 0; i < count; i++) {
		sweep(keeps[i].output);
		send_snapshots(keeping, keeps[i].output);
	}
}

/* In a process of its own: a disk may hang. */
static void start_recall(const struct keeping *keeping)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "lttng-mm-recall");
	recall(keeping);
	_exit(0);
}

void keeping_run(const struct settings *settings, bool first, int report)
{
	static struct keeping keeping;

	keeping = (struct keeping){ .settings = settings, .report = report };
	if (first)
		start_recall(&keeping);
	daemons_init(&keeping.daemons);
	/* Before anything that may block: this process may replace one that did. */
	daemons_find(&keeping.daemons, settings);
	hold_all(&keeping, false);
	daemons_await();
	for (;;) {
		check(&keeping);
		pause_until(&keeping);
	}
}
