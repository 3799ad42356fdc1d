// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the plan with what exists, once a second, and repairs what differs. */
#include "lttng-session/serve/keeping.h"

#include <errno.h>
#include <lttng/lttng.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/recorder/restore.h"
#include "lttng-session/recorder/sessions.h"
#include "lttng-session/serve/daemons.h"
#include "lttng-session/serve/kept.h"
#include "lttng-session/serve/repair.h"
#include "lttng-session/system/daemon.h"
#include "lttng-session/system/message.h"
#include "lttng-session/system/process.h"

#define PERIOD_MS 1000
/* The events of a session are compared less often. */
#define EVENTS_PERIOD 5
#define RECORDERS_MAX 16
/* Another command may hold the lock: what is wrong then is seen again. */
#define LOCK_MS 200
#define DAEMON_LOST "the session daemon ended"
#define UNKNOWN INT64_C(-1)

/* When a session was last seen to be right. */
struct watched {
	char name[PLAN_NAME_MAX];
	int64_t since, right_ns;
};

struct keeping {
	const struct settings *settings;
	int report;
	unsigned int ticks;
	struct daemons daemons;
	bool lost; /* the session daemon ended, and what it recorded has not been restored */
	struct kept kept[RECORDERS_MAX];
	struct watched watched[PLAN_SESSIONS_MAX];
	struct lttng_session *sessions; /* of the session daemon */
	int session_count;		/* negative: it does not answer */
	struct mm_error problem;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

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
	*unused = (struct watched){ .since = session->since, .right_ns = UNKNOWN };
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
	if (seen->running && !(keeping->ticks % EVENTS_PERIOD))
		seen->enabled = restore_is_complete(session);
	if (!progress)
		return;
	seen->held = true;
	seen->active = progress->active;
	seen->cleared = progress->cleared;
}

static void report_repair(const struct keeping *keeping, const struct watched *watched,
			  const char *what)
{
	json_t *from = watched->right_ns == UNKNOWN ? json_null() : json_integer(watched->right_ns);

	send(keeping, json_pack("{s:{s:s,s:s,s:o,s:I}}", "repair", "session", watched->name, "what",
				what, "from_ns", from, "until_ns", (json_int_t)now_ns()));
}

/* A command may have changed the plan since it was read. Returns 1 if the session is not in it. */
static int repair_locked(const struct plan_session *session, enum repair_action action,
			 struct mm_error *err)
{
	const struct plan_session *now;
	struct plan plan;
	int ret = 0;

	if (plan_read(&plan, err))
		return -1;
	now = plan_find(&plan, session->name);
	if (!now || now->since != session->since)
		ret = 1;
	else if (action == REPAIR_RECREATE)
		ret = restore_session(&plan, session->name, err) || plan_write(&plan, err) ? -1 : 0;
	else if (action == REPAIR_START)
		ret = restore_start(session->name, err);
	else if (action == REPAIR_ENABLE)
		ret = restore_events(now, err);
	plan_release(&plan);
	return ret;
}

static void repair(struct keeping *keeping, const struct plan_session *session,
		   enum repair_action action)
{
	struct watched *watched = watch(keeping, session);
	const char *what =
		keeping->lost && action == REPAIR_RECREATE ? DAEMON_LOST : repair_reason(action);
	struct kept *kept = find_kept(keeping, session->recorder);
	struct mm_error err = MM_ERROR_INIT, busy = MM_ERROR_INIT;
	int lock = plan_lock(LOCK_MS, &busy), ret;

	if (lock < 0)
		return;
	if (action == REPAIR_RECREATE && kept && keeping->settings->rescue)
		kept_rescue(kept, what, keeping->report);
	ret = repair_locked(session, action, &err);
	plan_unlock(lock);
	if (!ret) {
		report_repair(keeping, watched, what);
		/* What was cleared before is no part of the next hole. */
		watched->right_ns = now_ns();
	} else if (ret < 0) {
		keeping->problem = err;
	}
}

static void check_session(struct keeping *keeping, const struct plan_session *session)
{
	struct repair_seen seen;
	enum repair_action action;

	look(keeping, session, &seen);
	action = repair_decide(&seen);
	if (action == REPAIR_NONE)
		watch(keeping, session)->right_ns = now_ns();
	else if (action == REPAIR_WAIT)
		mm_error_set(
			&keeping->problem, MM_EXIT_ENVIRONMENT,
			"the session daemon does not answer; see `systemctl status lttng-sessiond`");
	else
		repair(keeping, session, action);
}

/* After repairs, sessions have other buffers. */
static void hold_all(struct keeping *keeping)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;

	if (plan_read(&plan, &err))
		return;
	for (size_t i = 0; i < plan.count; i++) {
		struct kept *kept = find_kept(keeping, plan.sessions[i].recorder);

		/* Without the module, only the buffers' contents are at risk. */
		mm_error_clear(&err);
		if (kept)
			kept_hold(kept, &plan, plan.sessions[i].recorder, &err);
	}
	plan_release(&plan);
}

static void check_plan(struct keeping *keeping, struct plan *plan)
{
	if (!daemons_answer())
		daemons_revive(&keeping->daemons);
	keeping->sessions = NULL;
	keeping->session_count = daemons_answer() ? lttng_list_sessions(&keeping->sessions) : -1;
	for (size_t i = 0; i < RECORDERS_MAX; i++)
		if (kept_look(&keeping->kept[i]))
			kept_release(&keeping->kept[i]);
	for (size_t i = 0; i < plan->count; i++)
		check_session(keeping, &plan->sessions[i]);
	free(keeping->sessions);
	if (keeping->session_count < 0)
		return;
	keeping->lost = false;
	hold_all(keeping);
}

/* The buffers are still there, and record, but nobody else can read them. */
static void lose(struct keeping *keeping)
{
	keeping->lost = true;
	send_text(keeping, "note", DAEMON_LOST);
	for (size_t i = 0; i < RECORDERS_MAX && keeping->settings->rescue; i++)
		kept_rescue(&keeping->kept[i], DAEMON_LOST, keeping->report);
}

static void check(struct keeping *keeping)
{
	struct mm_error before = keeping->problem;
	struct plan plan;

	mm_error_clear(&keeping->problem);
	if (daemons_find(&keeping->daemons, keeping->settings))
		lose(keeping);
	if (!plan_read(&plan, &keeping->problem)) {
		forget_others(keeping, &plan);
		if (plan.count)
			check_plan(keeping, &plan);
		if (plan.count && !keeping->problem.code)
			daemons_check(&keeping->daemons, &keeping->problem);
		plan_release(&plan);
	}
	if (strcmp(before.message, keeping->problem.message) != 0)
		send_text(keeping, "problem", keeping->problem.message);
	else if (!(keeping->ticks % EVENTS_PERIOD))
		send(keeping, json_object());
	keeping->ticks++;
}

/* Is the other word a profile that the plan has? It need not be started again. */
static bool is_recorded(const struct plan *plan, const char *word)
{
	const char *profile = strncmp(word, "--events", strlen("--events")) ? word : PROFILE_EVENTS;

	for (size_t i = 0; i < plan->count; i++)
		if (!plan->sessions[i].state && plan_session_is_for(&plan->sessions[i], profile))
			return true;
	return false;
}

/*
 * Runs `record` with the words of the settings, less what is being recorded, as after a restart, or
 * if the kernel command line requested it.
 */
static void record(const struct keeping *keeping)
{
	const char *argv[SETTINGS_WORDS_MAX + 4] = { "/proc/self/exe", "record", "--no-daemon" };
	char message[1024];
	struct mm_error err = MM_ERROR_INIT;
	size_t count = 3, left = 0;
	struct plan plan;

	if (!keeping->settings->record[0])
		return;
	if (plan_read(&plan, &err)) {
		send_text(keeping, "note", err.message);
		return;
	}
	for (size_t i = 0; keeping->settings->record[i]; i++) {
		const char *word = keeping->settings->record[i];

		if (is_recorded(&plan, word))
			continue;
		argv[count++] = word;
		left += *word != '-' || !strncmp(word, "--events", strlen("--events"));
	}
	plan_release(&plan);
	if (left && process_run(argv, message, sizeof(message)))
		send_text(keeping, "note", *message ? message : "record failed");
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

void keeping_run(const struct settings *settings, int report)
{
	static struct keeping keeping;

	keeping = (struct keeping){ .settings = settings, .report = report };
	daemons_init(&keeping.daemons);
	daemons_await();
	record(&keeping);
	for (;;) {
		check(&keeping);
		pause_until(&keeping);
	}
}
