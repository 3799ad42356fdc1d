// SPDX-License-Identifier: LGPL-2.1-only
/* Starts a recorder, or adds profiles to a running recorder, and adds the sessions to the plan. */
#include <lttng/lttng.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/subsystem/subsystem.h"
#include "lttng-session/system/session-daemon-pid.h"
#include "lttng-session/system/session-daemon.h"
#include "lttng-session/profile/event-names.h"
#include "lttng-session/system/process.h"
#include "lttng-session/recorder/restore.h"
#include "lttng-session/recorder/sessions.h"
#include "lttng-session/recorder/transaction.h"
#include "util/mounts.h"
#include "util/text.h"

struct start_ctx {
	const struct recorder_options *options;
	struct recorder_sessions sessions;
	struct plan plan;
	struct transaction transaction;
	struct recorder_started *started;
};

const struct lttng_session *recorder_find_planned(const struct plan_session *session,
						  const struct lttng_session *sessions, int count)
{
	for (int i = 0; i < count; i++) {
		uint64_t since;

		if (strcmp(sessions[i].name, session->name) != 0)
			continue;
		return lttng_session_get_creation_time(&sessions[i], &since) != LTTNG_OK ||
				       (int64_t)since == session->since
			       ? &sessions[i]
			       : NULL;
	}
	return NULL;
}

static bool is_added(const struct recorder_options *options, const struct plan_session *session)
{
	for (size_t i = 0; i < options->count; i++)
		if (plan_session_is_for(session, options->profiles[i]->name))
			return true;
	return false;
}

static bool has_events(const struct plan *plan, const char *recorder)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!plan->sessions[i].state && !strcmp(plan->sessions[i].recorder, recorder))
			return true;
	return false;
}

static int drop(struct start_ctx *ctx, const struct plan_session *session, struct mm_error *err)
{
	mm_words_add(ctx->started->replaced, sizeof(ctx->started->replaced), session->name);
	return plan_remove(&ctx->plan, session->name, err);
}

/*
 * Creates a missing state session again if other sessions need it. Otherwise removes it from the
 * plan.
 */
static int drop_or_restore(struct start_ctx *ctx, const struct plan_session *session,
			   struct mm_error *err)
{
	struct mm_error ignored = MM_ERROR_INIT;
	char name[PLAN_NAME_MAX];

	snprintf(name, sizeof(name), "%s", session->name);
	if (has_events(&ctx->plan, session->recorder) &&
	    !restore_session(&ctx->plan, &ctx->transaction, name, &ignored))
		return 0;
	transaction_abandon(&ctx->transaction, name);
	session = plan_find(&ctx->plan, name);
	return session ? drop(ctx, session, err) : 0;
}

/*
 * Removes missing sessions from the plan if this command will start them again. (The recorder
 * daemon restores other missing sessions, and rescues their buffers.) Handles only state sessions
 * if @state is true, and only sessions for events if it is false. Call it with false first, because
 * a state session that other sessions need is created again instead.
 */
static int drop_gone(struct start_ctx *ctx, const struct lttng_session *sessions, int count,
		     bool state, struct mm_error *err)
{
	const struct recorder_options *options = ctx->options;
	struct plan *plan = &ctx->plan;

	for (size_t i = 0; i < plan->count;) {
		const struct plan_session *session = &plan->sessions[i];
		const size_t before = plan->count;

		if (session->state == state && !strcmp(session->recorder, options->recorder) &&
		    (state || is_added(options, session)) &&
		    !recorder_find_planned(session, sessions, count) &&
		    (state ? drop_or_restore : drop)(ctx, session, err))
			return -1;
		/* If a session was removed, index @i is now the next session. */
		i += plan->count == before;
	}
	return 0;
}

static int drop_all_gone(struct start_ctx *ctx, struct mm_error *err)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions), ret;

	if (count < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session daemon: sessions: %s",
				    lttng_strerror(count));
	ret = drop_gone(ctx, sessions, count, false, err) ||
			      drop_gone(ctx, sessions, count, true, err)
		      ? -1
		      : 0;
	free(sessions);
	return ret;
}

static int check_new(const struct start_ctx *ctx, struct mm_error *err)
{
	const struct recorder_options *options = ctx->options;

	for (size_t i = 0; i < ctx->plan.count; i++) {
		const struct plan_session *session = &ctx->plan.sessions[i];

		for (size_t p = 0; p < options->count; p++)
			if (!session->state && !strcmp(session->recorder, options->recorder) &&
			    plan_session_is_for(session, options->profiles[p]->name))
				return mm_error_set(
					err, MM_EXIT_ENVIRONMENT,
					"record: %s: already recording in session %s; `lttng-mm snapshot` writes its contents to disk, `lttng-mm stop %s` stops it",
					options->profiles[p]->name, session->name,
					options->profiles[p]->name);
	}
	return 0;
}

/* Refuses a budget for a recorder whose buffer sizes were chosen by --window. */
static int check_promises(const struct start_ctx *ctx, struct mm_error *err)
{
	const struct recorder_options *options = ctx->options;

	if (options->budget_bytes && plan_window(&ctx->plan, options->recorder))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"record: --budget: the recorder %s was started with --window, which determines the sizes of its buffers; stop it first",
			options->recorder);
	return 0;
}

/*
 * Refuses events and patterns that the kernel does not know, because LTTng would accept any name.
 */
static int check_list(const struct event_names *known, const struct profile *profile,
		      const struct profile_list *list, struct mm_error *err)
{
	char nearest[1024];

	for (size_t i = 0; i < list->count; i++) {
		if (event_names_have(known, list->names[i]))
			continue;
		if (event_names_have(&event_names_own, list->names[i]))
			return mm_error_set(
				err, MM_EXIT_ENVIRONMENT,
				"record: no loaded module provides the event %s; load its probe (modprobe); if an older version is loaded, first stop the sessions that use it and remove it (modprobe -r)",
				list->names[i]);
		event_names_nearest_event(known, list->names[i], nearest, sizeof(nearest));
		if (!*profile->file)
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"record: --events: the kernel has no event '%s'; similar names: %s",
				list->names[i], nearest);
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"profile: %s:%u: the kernel has no event '%s'; similar names: %s",
			profile->file, list->lines[i], list->names[i], nearest);
	}
	return 0;
}

static int check_events(const struct recorder_options *options, struct mm_error *err)
{
	struct event_names known;
	int ret;

	ret = event_names_list(&known, err);
	for (size_t i = 0; i < options->count && !ret; i++) {
		const struct profile *profile = options->profiles[i];

		for (size_t c = 0; c < profile->channel_count && !ret; c++)
			ret = check_list(&known, profile, &profile->channels[c].events, err);
		if (!ret)
			ret = profile_check_channels(profile, &known, err);
		/*
		 * The profile of --events has no file. Its state events are LTTng's own, so they
		 * need no check.
		 */
		if (!ret && *profile->file)
			ret = check_list(&known, profile, &profile->state_events, err);
	}
	event_names_release(&known);
	return ret;
}

/*
 * Starts a session. If the profile requests it, first starts a temporary session, so that all
 * events of the session start at the same instant.
 */
static int start_ring(struct start_ctx *ctx, size_t number, struct mm_error *err)
{
	const struct session_plan *ring = &ctx->sessions.rings[number];
	const struct session_plan *attach = &ctx->sessions.attach[number];
	int ret;

	if (!ctx->options->profiles[number]->attach_first)
		return transaction_start(&ctx->transaction, ring, err);
	if (transaction_start(&ctx->transaction, attach, err) ||
	    transaction_start(&ctx->transaction, ring, err))
		return -1;
	ret = lttng_destroy_session(attach->session);
	/*
	 * On failure, the session stays in the list of unfinished sessions, so the next command
	 * destroys it.
	 */
	if (ret < 0 && ret != -LTTNG_ERR_SESS_NOT_FOUND)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: %s: %s", attach->session,
				    lttng_strerror(ret));
	return 0;
}

static int start_state(struct start_ctx *ctx, struct mm_error *err)
{
	const struct session_plan *state = &ctx->sessions.state;

	/*
	 * If a session outside the plan has this name and these events, a former recorder has left
	 * it.
	 */
	if (session_matches(state))
		lttng_destroy_session(state->session);
	return transaction_start(&ctx->transaction, state, err);
}

/*
 * Among the recorder's state sessions, finds one that records a state event of the profile, but
 * does not serve the profile yet. Returns NULL if there is none.
 */
static const struct plan_session *find_shared(const struct start_ctx *ctx,
					      const struct profile *profile)
{
	for (size_t i = 0; i < ctx->plan.count; i++) {
		const struct plan_session *session = &ctx->plan.sessions[i];

		if (!session->state || strcmp(session->recorder, ctx->options->recorder) != 0 ||
		    plan_session_is_for(session, profile->name))
			continue;
		for (size_t e = 0; e < profile->state_events.count; e++)
			if (plan_session_records(session, profile->state_events.names[e]))
				return session;
	}
	return NULL;
}

/*
 * Makes existing state sessions serve the new profiles, too. The state sessions keep their
 * contents, and dump their state again for the new profiles.
 */
static int share_state(struct start_ctx *ctx, struct mm_error *err)
{
	const struct recorder_options *options = ctx->options;

	for (size_t p = 0; p < options->count; p++) {
		const struct plan_session *session;

		while ((session = find_shared(ctx, options->profiles[p]))) {
			int ret = lttng_regenerate_statedump(session->name);

			if (ret < 0)
				return mm_error_set(err, MM_EXIT_ENVIRONMENT,
						    "record: %s: the state dump failed: %s",
						    session->name, lttng_strerror(ret));
			if (plan_share_state(&ctx->plan, session->name, options->profiles[p]->name,
					     true, err))
				return -1;
		}
	}
	return 0;
}

static int note(struct start_ctx *ctx, const struct session_plan *session, bool state,
		const char *const *profiles, bool safe, struct mm_error *err)
{
	const int64_t since = session_creation_time(session->session);

	return plan_add(&ctx->plan, ctx->options->recorder,
			plan_make_session(session, state, profiles, since, safe), err) ||
			       plan_set_since(&ctx->plan, session->session, since, daemon_started(),
					      err)
		       ? -1
		       : 0;
}

static int note_all(struct start_ctx *ctx, struct mm_error *err)
{
	const struct recorder_options *options = ctx->options;
	const char *all[RECORDER_PROFILES_MAX + 1] = { NULL };
	size_t dumping = 0;
	bool safe = true;

	for (size_t i = 0; i < options->count; i++) {
		const struct profile *profile = options->profiles[i];
		const char *one[] = { profile->name, NULL };
		bool reveals = profile_reveals_kaslr(profile) ||
			       (options->raw && profile_has_functions(profile));

		if (profile->state_events.count)
			all[dumping++] = profile->name;
		safe &= !reveals;
		if (note(ctx, &ctx->sessions.rings[i], false, one, !reveals, err) ||
		    (options->triggers[i] &&
		     plan_set_triggers(&ctx->plan, ctx->sessions.rings[i].session,
				       options->triggers[i], err)))
			return -1;
		mm_words_add(ctx->started->sessions, sizeof(ctx->started->sessions),
			     ctx->sessions.rings[i].session);
	}
	if (options->targets &&
	    plan_set_targets(&ctx->plan, ctx->sessions.rings[0].session, options->targets, err))
		return -1;
	if (ctx->sessions.has_state && note(ctx, &ctx->sessions.state, true, all, safe, err))
		return -1;
	if (plan_set_limits(&ctx->plan, options->recorder, &options->limits, err))
		return -1;
	if (options->budget_bytes &&
	    plan_set_budget(&ctx->plan, options->recorder, options->budget_bytes, err))
		return -1;
	if (options->window_ns &&
	    plan_set_window(&ctx->plan, options->recorder, options->window_ns, err))
		return -1;
	return plan_write(&ctx->plan, err);
}

/*
 * Starts the sessions for events, then the state session. The state dump lists the functions that
 * are hooked, and starting the sessions for events hooks them.
 */
static int start_sessions(struct start_ctx *ctx, struct mm_error *err)
{
	for (size_t i = 0; i < ctx->options->count; i++)
		if (start_ring(ctx, i, err))
			return -1;
	if (ctx->sessions.has_state && start_state(ctx, err))
		return -1;
	return share_state(ctx, err) || note_all(ctx, err) ? -1 : 0;
}

static int start_noted(struct start_ctx *ctx, struct mm_error *err)
{
	if (drop_all_gone(ctx, err) || check_new(ctx, err) || check_promises(ctx, err))
		return -1;
	recorder_plan_sessions(&ctx->sessions, ctx->options, &ctx->plan);
	return recorder_choose_sizes(&ctx->sessions, ctx->options, &ctx->plan, ctx->started, err) ||
			       start_sessions(ctx, err)
		       ? -1
		       : 0;
}

static int start_locked(struct start_ctx *ctx, struct mm_error *err)
{
	int ret;

	if (plan_read(&ctx->plan, err))
		return -1;
	ctx->started->other_boot = ctx->plan.other_boot;
	ret = transaction_clear(&ctx->plan, err) ||
			      transaction_begin(&ctx->transaction, &ctx->plan, err)
		      ? -1
		      : 0;
	if (!ret)
		ret = start_noted(ctx, err);
	if (ret)
		transaction_roll_back(&ctx->transaction);
	transaction_end(&ctx->transaction);
	plan_release(&ctx->plan);
	return ret;
}

static int check_requirement(const struct profile *profile, struct mm_error *err)
{
	const struct mm_requirement *requirement = profile->requirement;
	struct mm_check check;

	if (!requirement || requirement->check(&check))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "record: %s, or use --force to record anyway",
			    requirement->refusal);
}

int recorder_prepare(const struct recorder_options *options, struct mm_error *err)
{
	for (size_t i = 0; i < options->count && !options->force; i++)
		if (check_requirement(options->profiles[i], err))
			return -1;
	for (size_t i = 0; i < options->count; i++)
		if (options->profiles[i]->module &&
		    daemon_load_probe(options->profiles[i]->module, err))
			return -1;
	/*
	 * Load lttng-mm-freeze before the first session starts, so that it sees all starts and
	 * stops.
	 */
	daemon_load_freeze();
	/*
	 * Load the library of the probes even if no profile has a module: profiles of LTTng's own
	 * events need it, too.
	 */
	daemon_load_library();
	return (options->no_session_daemon ? daemon_require : daemon_ensure)(err) ||
			       check_events(options, err) ||
			       (options->prepared && options->prepared(options->prepared_user, err))
		       ? -1
		       : 0;
}

int recorder_check_new(const struct recorder_options *options, struct mm_error *err)
{
	struct recorder_started ignored = { .cpus = 0 };
	struct start_ctx ctx = { .options = options, .started = &ignored };
	struct lttng_session *sessions = NULL;
	int count, ret;

	if (lttng_session_daemon_alive() != 1)
		return 0;
	if (plan_read(&ctx.plan, err))
		return -1;
	count = lttng_list_sessions(&sessions);
	/* drop_gone() changes only ctx.plan, a copy that is never written. */
	ret = (count >= 0 && drop_gone(&ctx, sessions, count, false, err)) || check_new(&ctx, err)
		      ? -1
		      : 0;
	free(sessions);
	plan_release(&ctx.plan);
	return ret;
}

int recorder_start(const struct recorder_options *options, struct recorder_started *started,
		   struct mm_error *err)
{
	struct start_ctx ctx = { .options = options, .started = started };
	sigset_t before;
	int ret, lock;

	memset(started, 0, sizeof(*started));
	/*
	 * Check the rights first. Otherwise, a user without rights would get the error of
	 * recorder_prepare(), which advises to join the group of the session daemon. That would not
	 * be enough.
	 */
	if (plan_check_rights(err) || recorder_prepare(options, err))
		return -1;
	lock = plan_lock(PLAN_WAIT_MS, err);
	if (lock < 0)
		return -1;
	/*
	 * Block signals, so that Ctrl-C takes effect only when all sessions record or are destroyed
	 * again.
	 */
	process_block_signals(&before);
	ret = start_locked(&ctx, err);
	if (!ret && options->recording)
		options->recording(options->recording_user);
	sigprocmask(SIG_SETMASK, &before, NULL);
	plan_unlock(lock);
	return ret;
}
