// SPDX-License-Identifier: LGPL-2.1-only
/* Lists and finds recorders. Combines the plan with the session daemon's list of sessions. */
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "lttng-session/system/session-daemon.h"
#include "lttng-session/recorder/recognize.h"
#include "lttng-session/recorder/sessions.h"
#include "lttng-session/recorder/transaction.h"
#include "util/nearest.h"
#include "util/text.h"

struct recorder_list_ctx {
	/* also ask the session daemon for details, such as lost events; this takes many requests */
	bool details;
	struct plan plan;
	struct recognizer recognizer; /* loaded when the first session outside the plan is found */
	bool has_profiles;
	struct lttng_session *sessions;
	int session_count;
	struct recorder_status *list;
	int count;
};

static void read_channels(struct recorder_status *status)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(status->session, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;
	uint64_t largest = 0;

	if (count > 0) {
		status->ring_bytes = 0;
		status->channel_count = (size_t)count;
	}
	for (int i = 0; i < count; i++) {
		const struct lttng_channel_attr *attr = &channels[i].attr;
		uint64_t bytes = attr->subbuf_size * attr->num_subbuf, value;

		/*
		 * For a session in the plan, the sizes of the first channel are known. For other
		 * sessions, report the sizes of the largest channel, because the first channel is
		 * usually the largest.
		 */
		if (!*status->recorder && bytes > largest) {
			largest = bytes;
			status->subbuf_bytes = attr->subbuf_size;
			status->subbuf_count = attr->num_subbuf;
		}
		status->ring_bytes += attr->subbuf_size * (attr->num_subbuf + 1);
		if (!lttng_channel_get_discarded_event_count(&channels[i], &value))
			status->discarded_events += value;
		if (!lttng_channel_get_lost_packet_count(&channels[i], &value))
			status->lost_packets += value;
	}
	free(channels);
	lttng_destroy_handle(handle);
}

static void read_session(struct recorder_status *status, const struct lttng_session *session)
{
	uint64_t since;

	status->running = session->enabled;
	if (lttng_session_get_creation_time(session, &since) == LTTNG_OK)
		status->since = (int64_t)since;
	status->callstack = session_has_callstack(session->name);
	read_channels(status);
}

static struct recorder_status *add(struct recorder_list_ctx *ctx, const char *name)
{
	struct recorder_status *status = &ctx->list[ctx->count++];

	snprintf(status->session, sizeof(status->session), "%.*s", RECORDER_NAME_MAX - 1, name);
	snprintf(status->profile, sizeof(status->profile), "?");
	return status;
}

static void list_triggers(struct recorder_status *status, const struct plan_session *planned)
{
	const json_t *trigger;
	size_t i;

	json_array_foreach(plan_session_triggers(planned), i, trigger)
		mm_words_add(status->triggers, sizeof(status->triggers),
			     json_string_value(json_object_get(trigger, "name")));
}

static void add_planned(struct recorder_list_ctx *ctx, const struct plan_session *planned)
{
	const struct lttng_session *session =
		recorder_find_planned(planned, ctx->sessions, ctx->session_count);
	struct recorder_status *status = add(ctx, planned->name);

	snprintf(status->recorder, sizeof(status->recorder), "%s", planned->recorder);
	snprintf(status->profile, sizeof(status->profile), "%s", planned->profile);
	status->state = status->owned = planned->state;
	status->since = planned->since;
	status->subbuf_bytes = planned->rings[0].subbuf_bytes;
	status->subbuf_count = planned->rings[0].subbuf_count;
	status->channel_count = planned->ring_count;
	status->trackers = planned->trackers;
	status->ring_bytes = planned->ring_bytes;
	status->budget_bytes = plan_budget(&ctx->plan, planned->recorder);
	status->callstack = planned->callstack;
	/* The session daemon lists root's sessions only to root. */
	status->unknown = !session && ctx->details && geteuid();
	status->gone = !session && !status->unknown;
	if (session && ctx->details)
		read_session(status, session);
	status->kaslr_safe = status->callstack < 0 ? -1 : planned->kaslr_safe && !status->callstack;
	list_triggers(status, planned);
}

static bool has_prefix(const char *name)
{
	return !strncmp(name, RECORDER_PREFIX, strlen(RECORDER_PREFIX));
}

/*
 * Adds a session that is not in the plan, if it looks like a recorder's session: its name starts
 * with RECORDER_PREFIX, or it is in snapshot mode and records the events of a profile.
 */
static void add_other(struct recorder_list_ctx *ctx, const struct lttng_session *session)
{
	struct recognized found;
	struct recorder_status *status;

	if (!has_prefix(session->name) && !session->snapshot_mode)
		return;
	if (transaction_has(&ctx->plan, session))
		return;
	if (!ctx->has_profiles)
		recognizer_init(&ctx->recognizer);
	ctx->has_profiles = true;
	recognize(&ctx->recognizer, session->name, &found);
	if (!has_prefix(session->name) && !found.found)
		return;
	status = add(ctx, session->name);
	snprintf(status->profile, sizeof(status->profile), "%s", found.profile);
	status->state = found.state;
	if (!ctx->details)
		return;
	read_session(status, session);
	status->kaslr_safe = !found.safe			      ? 0
			     : status->callstack < 0 || !found.events ? -1
								      : !status->callstack;
}

/*
 * Is @state the state session for @ring? @ring is a session that records events. Considers only
 * sessions outside the plan.
 */
static bool is_state_of(const struct recorder_list_ctx *ctx, const struct recorder_status *state,
			const struct recorder_status *ring)
{
	return state->state && !*state->recorder && !ring->state && !*ring->recorder &&
	       recognize_state_of(&ctx->recognizer, state->session, ring->profile);
}

/*
 * Returns the state session for @ring, or NULL. @ring is a session that records events. If there
 * are several state sessions, prefers the one with the name of @ring and the suffix
 * RECORDER_STATE_SUFFIX.
 */
static struct recorder_status *state_of(const struct recorder_list_ctx *ctx,
					const struct recorder_status *ring)
{
	struct recorder_status *found = NULL;
	size_t length = strlen(ring->session);

	for (int i = 0; i < ctx->count; i++) {
		struct recorder_status *state = &ctx->list[i];

		if (!is_state_of(ctx, state, ring))
			continue;
		if (!found || (!strncmp(state->session, ring->session, length) &&
			       !strcmp(state->session + length, RECORDER_STATE_SUFFIX)))
			found = state;
	}
	return found;
}

/*
 * Marks the state sessions of listed recorders as owned. Removes other state sessions from the list
 * if their names lack RECORDER_PREFIX.
 */
static void find_owned(struct recorder_list_ctx *ctx)
{
	int kept = 0;

	for (int i = 0; i < ctx->count; i++) {
		struct recorder_status *state = state_of(ctx, &ctx->list[i]);

		if (state)
			state->owned = true;
	}
	for (int i = 0; i < ctx->count; i++) {
		const struct recorder_status *status = &ctx->list[i];

		if (!status->state || status->owned || has_prefix(status->session))
			ctx->list[kept++] = *status;
	}
	ctx->count = kept;
}

static void release(struct recorder_list_ctx *ctx)
{
	recognizer_release(&ctx->recognizer);
	plan_release(&ctx->plan);
	free(ctx->sessions);
}

/* Sets @err to report that @command (may be NULL) found no recorder. */
static void refuse_none(const char *command, struct mm_error *err)
{
	char remedy[96] = "there is nothing to stop";

	if (!command || strcmp(command, "stop") != 0)
		snprintf(remedy, sizeof(remedy), "%sstart one with `lttng-mm record %s`",
			 geteuid() ? "as root, " : "", mm_profile_example());
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s%sno recorder is running; %s",
		     command ? command : "", command ? ": " : "", remedy);
}

/*
 * If no session daemon answers, sets @err. If this user may use root's session daemon, reports that
 * no recorder is running, because `record` also starts the session daemon. Otherwise, reports that
 * no session daemon is accessible. @command is the name of the command for messages, or NULL.
 */
static void refuse_daemon(const char *command, struct mm_error *err)
{
	if (lttng_session_daemon_alive() != 1 && daemon_is_accessible())
		refuse_none(command, err);
	else
		daemon_require(err);
}

/*
 * Lists the sessions. @command is the name of the command for messages, or NULL. Sets *@other_boot
 * (may be NULL) even on failure.
 */
static int make_list(struct recorder_list_ctx *ctx, const char *command, bool details,
		     bool *other_boot, struct mm_error *err)
{
	size_t room;

	*ctx = (struct recorder_list_ctx){ .details = details };
	if (plan_read(&ctx->plan, err))
		return -1;
	if (other_boot)
		*other_boot = ctx->plan.other_boot;
	ctx->session_count = lttng_list_sessions(&ctx->sessions);
	/*
	 * If the session daemon does not answer, fail only if the plan is empty. Otherwise, list
	 * the plan's sessions as gone or unknown.
	 */
	if (ctx->session_count < 0 && !ctx->plan.count) {
		refuse_daemon(command, err);
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "session daemon: sessions: %s",
			     lttng_strerror(ctx->session_count));
		release(ctx);
		return -1;
	}
	if (ctx->session_count < 0)
		ctx->session_count = 0;
	room = (size_t)ctx->session_count + ctx->plan.count + 1;
	ctx->list = calloc(room, sizeof(*ctx->list));
	if (!ctx->list) {
		release(ctx);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "status: out of memory");
	}
	for (size_t i = 0; i < ctx->plan.count; i++)
		add_planned(ctx, &ctx->plan.sessions[i]);
	for (int i = 0; i < ctx->session_count; i++) {
		const struct lttng_session *session = &ctx->sessions[i];
		const struct plan_session *planned = plan_find(&ctx->plan, session->name);

		if (!planned || recorder_find_planned(planned, session, 1) != session)
			add_other(ctx, session);
	}
	find_owned(ctx);
	return 0;
}

int recorder_list(struct recorder_status **list, bool *other_boot, struct mm_error *err)
{
	struct recorder_list_ctx ctx;

	*list = NULL;
	if (make_list(&ctx, NULL, true, other_boot, err))
		return -1;
	*list = ctx.list;
	release(&ctx);
	return ctx.count;
}

static int make_planned_list(struct recorder_list_ctx *ctx, bool *other_boot, struct mm_error *err)
{
	*ctx = (struct recorder_list_ctx){ .details = false };
	if (plan_read(&ctx->plan, err))
		return -1;
	if (other_boot)
		*other_boot = ctx->plan.other_boot;
	ctx->list = calloc(ctx->plan.count + 1, sizeof(*ctx->list));
	if (!ctx->list) {
		release(ctx);
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "status: out of memory");
	}
	for (size_t i = 0; i < ctx->plan.count; i++) {
		add_planned(ctx, &ctx->plan.sessions[i]);
		ctx->list[i].gone = false;
		ctx->list[i].unknown = true;
	}
	return 0;
}

int recorder_list_planned(struct recorder_status **list, bool *other_boot, struct mm_error *err)
{
	struct recorder_list_ctx ctx;

	*list = NULL;
	if (make_planned_list(&ctx, other_boot, err))
		return -1;
	*list = ctx.list;
	release(&ctx);
	return ctx.count;
}

/* Finds a session in the list by its name. Returns NULL if the session is gone or not listed. */
static const struct recorder_status *find_session(const struct recorder_list_ctx *ctx,
						  const char *name)
{
	for (int i = 0; i < ctx->count; i++)
		if (!ctx->list[i].gone && !strcmp(ctx->list[i].session, name))
			return &ctx->list[i];
	return NULL;
}

/* Appends a session to the array of recorder_sessions(), unless the array already contains it. */
static void take(struct recorder_session *list, int *count, const struct recorder_list_ctx *ctx,
		 const struct recorder_status *status)
{
	const struct plan_session *planned =
		*status->recorder ? plan_find(&ctx->plan, status->session) : NULL;
	struct recorder_session *session = &list[*count];
	struct recognized found;

	for (int i = 0; i < *count; i++)
		if (!strcmp(list[i].name, status->session))
			return;
	memset(session, 0, sizeof(*session));
	snprintf(session->name, sizeof(session->name), "%s", status->session);
	snprintf(session->profile, sizeof(session->profile), "%s", status->profile);
	session->state = session->dumps = status->state;
	if (planned) {
		snprintf(session->channels, sizeof(session->channels), "%s", planned->channels);
		session->dumps |= plan_session_dumps(planned);
	} else if (!session->state) {
		recognize(&ctx->recognizer, status->session, &found);
		session->dumps = found.dumps;
	}
	++*count;
}

/* Does the state session @state dump the state for the session @ring? */
static bool dumps_for(const struct recorder_list_ctx *ctx, const struct recorder_status *state,
		      const struct recorder_status *ring)
{
	const struct plan_session *planned;

	if (!*ring->recorder)
		return state == state_of(ctx, ring);
	planned = plan_find(&ctx->plan, state->session);
	return state->state && !strcmp(state->recorder, ring->recorder) && planned &&
	       plan_session_is_for(planned, ring->profile);
}

/* Collects the sessions of @recorder for recorder_sessions(). Releases @ctx. */
static int take_sessions(struct recorder_list_ctx *ctx, const char *recorder,
			 struct recorder_session **list, struct mm_error *err)
{
	int count = 0, rings;

	*list = calloc((size_t)ctx->count + 1, sizeof(**list));
	for (int i = 0; *list && i < ctx->count; i++) {
		const struct recorder_status *status = &ctx->list[i];

		if (!status->gone && !status->state &&
		    (!strcmp(status->session, recorder) ||
		     (*status->recorder && !strcmp(status->recorder, recorder) &&
		      !find_session(ctx, recorder))))
			take(*list, &count, ctx, status);
	}
	rings = count;
	for (int r = 0; r < rings; r++) {
		const struct recorder_status *ring = find_session(ctx, (*list)[r].name);

		for (int i = 0; ring && i < ctx->count; i++)
			if (!ctx->list[i].gone && dumps_for(ctx, &ctx->list[i], ring))
				take(*list, &count, ctx, &ctx->list[i]);
	}
	free(ctx->list);
	release(ctx);
	if (!*list)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: out of memory");
	if (!count) {
		free(*list);
		*list = NULL;
	}
	return count;
}

int recorder_sessions(const char *recorder, struct recorder_session **list, struct mm_error *err)
{
	struct recorder_list_ctx ctx;
	int count;

	*list = NULL;
	if (make_list(&ctx, NULL, false, NULL, err))
		return -1;
	count = take_sessions(&ctx, recorder, list, err);
	return count ? count
		     : mm_error_set(
			       err, MM_EXIT_ENVIRONMENT,
			       "recorder %s: all LTTng sessions of this recorder are gone; start it again with `lttng-mm record`, or remove it with `lttng-mm stop`",
			       recorder);
}

int recorder_sessions_in_plan(const char *recorder, struct recorder_session **list,
			      struct mm_error *err)
{
	struct recorder_list_ctx ctx;

	*list = NULL;
	return make_planned_list(&ctx, NULL, err) ? -1 : take_sessions(&ctx, recorder, list, err);
}

bool recorder_reveals_kaslr(const char *recorder)
{
	struct mm_error err = MM_ERROR_INIT;
	bool reveals = false;
	struct plan plan;

	if (plan_read(&plan, &err))
		return false;
	for (size_t i = 0; i < plan.count; i++)
		if (!strcmp(plan.sessions[i].name, recorder) ||
		    !strcmp(plan.sessions[i].recorder, recorder))
			reveals |= !plan.sessions[i].kaslr_safe;
	plan_release(&plan);
	return reveals;
}

/* Does @session, the argument of --session, name the session of @status or its recorder? */
static bool is_named(const struct recorder_status *status, const char *session)
{
	const char *name = session;

	if (has_prefix(name))
		name += strlen(RECORDER_PREFIX);
	return !strcmp(status->recorder, name) || !strcmp(status->session, session) ||
	       (has_prefix(status->session) &&
		!strcmp(status->session + strlen(RECORDER_PREFIX), name));
}

/* The sessions that match a selection. All sessions of one recorder count as one match. */
struct recorder_choice {
	const struct recorder_status *first;
	int recorders, sessions;
};

/*
 * Is the session of @status outside the plan, and does it replace a planned session of the same
 * name? This happens for a short time, because the recorder daemon creates a new session before it
 * updates the plan.
 */
static bool is_replaced(const struct recorder_status *list, int count,
			const struct recorder_status *status)
{
	for (int i = 0; !*status->recorder && i < count; i++)
		if (list[i].gone && !strcmp(list[i].session, status->session))
			return true;
	return false;
}

static struct recorder_choice choose(const struct recorder_status *list, int count,
				     const char *session, const char *profile)
{
	struct recorder_choice choice = { .first = NULL };

	for (int i = 0; i < count; i++) {
		const struct recorder_status *status = &list[i];

		if (status->owned || is_replaced(list, count, status) ||
		    (session && !is_named(status, session)) ||
		    (profile && strcmp(status->profile, profile) != 0))
			continue;
		choice.sessions++;
		if (!choice.first || !*status->recorder ||
		    strcmp(status->recorder, choice.first->recorder) != 0)
			choice.recorders++;
		if (!choice.first)
			choice.first = status;
	}
	return choice;
}

static int use_choice(const struct recorder_choice *choice, char *name, size_t size,
		      struct mm_error *err)
{
	if (choice->recorders > 1)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"session: several recorders are running; name one with --session (`lttng-mm status` lists them)");
	snprintf(name, size, "%s",
		 choice->sessions > 1 ? choice->first->recorder : choice->first->session);
	return 0;
}

/* Sets @err to report that no recorder can be chosen. Suggests similar names from @ctx. */
static void refuse_choice(const struct recorder_list_ctx *ctx, const char *command,
			  const char *session, const char *profile, struct mm_error *err)
{
	const char *named = session ? session : profile;
	struct mm_nearest nearest = { .wanted = named };
	char text[MM_NEAREST_TEXT] = "";

	for (size_t i = 0; i < (size_t)ctx->count && named; i++)
		mm_nearest_offer(&nearest, session ? ctx->list[i].session : ctx->list[i].profile);
	if (named)
		mm_nearest_hint(&nearest, text, sizeof(text));
	if (!named)
		refuse_none(command, err);
	else if (session)
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"%s: no recorder is running in the session %s%s%s`lttng-mm status` lists the running recorders",
			command, session, text, *text ? " " : "; ");
	else
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"%s: no recorder with the profile %s is running%s%sstart it with `lttng-mm record %s`",
			command, profile, text, *text ? " Or " : "; ", profile);
}

int recorder_find(const char *command, const char *session, const char *profile, char *name,
		  size_t size, struct mm_error *err)
{
	struct recorder_list_ctx ctx;
	struct recorder_choice choice;

	if (session && recorder_check_name(session, err))
		return -1;
	transaction_settle();
	if (make_list(&ctx, command, false, NULL, err))
		return -1;
	choice = choose(ctx.list, ctx.count, session, profile);
	if (!choice.first && lttng_session_daemon_alive() != 1)
		refuse_daemon(command, err);
	else if (!choice.first)
		refuse_choice(&ctx, command, session, profile, err);
	else
		use_choice(&choice, name, size, err);
	free(ctx.list);
	release(&ctx);
	return err->code ? -1 : 0;
}

int recorder_find_in_plan(const char *session, const char *profile, char *name, size_t size,
			  struct mm_error *err)
{
	struct recorder_list_ctx ctx;
	struct recorder_choice choice;
	int ret;

	if ((session && recorder_check_name(session, err)) || make_planned_list(&ctx, NULL, err))
		return -1;
	choice = choose(ctx.list, ctx.count, session, profile);
	ret = choice.first ? use_choice(&choice, name, size, err) : 1;
	free(ctx.list);
	release(&ctx);
	return ret;
}
