// SPDX-License-Identifier: LGPL-2.1-only
/* Starts, finds and stops recorders through liblttng-ctl. */
#include "lttng-session/recorder.h"

#include <ctype.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/contexts.h"
#include "lttng-session/daemon.h"
#include "lttng-session/mounts.h"
#include "lttng-session/session.h"
#include "util/glob.h"

/* Our sessions are recognized by their names, so a status requires no file. */
#define PREFIX "lttng-mm-"
#define CHANNEL "lttng-mm"
#define STATE_CHANNEL "lttng-mm-state"
#define ATTACH_SUFFIX "-attach"

/*
 * 1 MiB for each CPU: a dump of some 10,000 threads, and the first dump for the duration of 7
 * snapshots.
 */
#define STATE_SUBBUF_BYTES (128u << 10)
#define STATE_SUBBUF_COUNT 8u

static int fail(struct mm_error *err, const char *what, const char *where, int code)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s: %s: %s", what, where,
			    lttng_strerror(code));
}

static int check_name(const char *name, struct mm_error *err)
{
	const char *c = name;

	while (isalnum((unsigned char)*c) || *c == '-' || *c == '_' || *c == '.')
		c++;
	if (*c || !*name || *name == '.' || c - name >= 100)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"session: '%s' is not a valid name; use at most 99 letters, digits, - and _",
			name);
	return 0;
}

/*
 * The session named @session, or the default one of the profile: the prefix distinguishes our
 * sessions from others.
 */
static int full_name(char *name, size_t size, const char *profile, const char *session,
		     struct mm_error *err)
{
	if (profile && !mm_profile_find(profile))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "record: unknown profile '%s'; known: %s", profile,
				    mm_subsystem_names());
	if (!session)
		session = profile ? profile : "";
	if (check_name(session, err))
		return -1;
	snprintf(name, size, "%s%s", strncmp(session, PREFIX, strlen(PREFIX)) ? PREFIX : "",
		 session);
	return 0;
}

/* Returns false if the result is too long for the name of a session. */
static bool add_suffix(char *name, size_t size, const char *session, const char *suffix)
{
	if (strlen(session) + strlen(suffix) >= size)
		return false;
	strcpy(stpcpy(name, session), suffix);
	return true;
}

bool recorder_is_state(const char *session)
{
	size_t length = strlen(session), suffix = strlen(RECORDER_STATE_SUFFIX);

	return length > suffix && !strcmp(session + length - suffix, RECORDER_STATE_SUFFIX);
}

int recorder_options_init(struct recorder_options *options, const char *profile,
			  const char *session, struct mm_error *err)
{
	memset(options, 0, sizeof(*options));
	if (full_name(options->session, sizeof(options->session), profile, session, err))
		return -1;
	if (recorder_is_state(options->session))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"session: '%s' is reserved for a state dump; choose a name that does not end in %s",
			session, RECORDER_STATE_SUFFIX);
	options->profile = mm_profile_find(profile);
	options->subbuf_bytes = options->profile->subbuf_bytes;
	options->subbuf_count = options->profile->subbuf_count;
	return 0;
}

int recorder_options_callstack(struct recorder_options *options, struct mm_error *err)
{
	if (!options->profile->callstack_contexts)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"record: --callstack: the profile '%s' does not record call stacks; omit the option",
			options->profile->name);
	options->callstack = true;
	return 0;
}

/* The session of the ring buffer. */
static struct session_plan plan_ring(const struct recorder_options *options)
{
	struct session_plan plan = { .channel = CHANNEL,
				     .subbuf_bytes = options->subbuf_bytes,
				     .subbuf_count = options->subbuf_count,
				     .events = options->profile->events,
				     .contexts = options->profile->contexts };

	if (options->callstack)
		plan.more_contexts = options->profile->callstack_contexts;
	snprintf(plan.session, sizeof(plan.session), "%s", options->session);
	return plan;
}

static struct session_plan plan_state(const struct recorder_options *options)
{
	static const char *const none[] = { NULL };
	struct session_plan plan = { .channel = STATE_CHANNEL,
				     .subbuf_bytes = STATE_SUBBUF_BYTES,
				     .subbuf_count = STATE_SUBBUF_COUNT,
				     .events = options->profile->state_events,
				     .contexts = none };

	add_suffix(plan.session, sizeof(plan.session), options->session, RECORDER_STATE_SUFFIX);
	return plan;
}

/*
 * A temporary session that starts before the ring buffer's and is destroyed when that records;
 * nobody reads it.
 */
static struct session_plan plan_attach(const struct recorder_options *options)
{
	struct session_plan plan = plan_ring(options);

	add_suffix(plan.session, sizeof(plan.session), options->session, ATTACH_SUFFIX);
	plan.more_contexts = NULL;
	plan.subbuf_bytes = 4096;
	plan.subbuf_count = 2;
	return plan;
}

/* Starts a ring buffer that records all kinds of events from its start on. */
static int start_ring(const struct recorder_options *options, const struct session_plan *ring,
		      struct mm_error *err)
{
	struct session_plan attach = plan_attach(options);
	int ret;

	if (!options->profile->starts_unevenly)
		return session_start(ring, err);
	/* Left over from a recorder that was killed during its start. */
	lttng_destroy_session(attach.session);
	if (session_start(&attach, err))
		return -1;
	ret = session_start(ring, err);
	lttng_destroy_session(attach.session);
	return ret;
}

/* The recorder is started first: the state dump lists the functions that it has hooked. */
static int start_sessions(const struct recorder_options *options, struct mm_error *err)
{
	struct session_plan ring = plan_ring(options), state = plan_state(options);

	if (start_ring(options, &ring, err))
		return -1;
	if (!state.events)
		return 0;
	/* An existing one has lost its recorder. */
	lttng_destroy_session(state.session);
	if (!session_start(&state, err))
		return 0;
	lttng_destroy_session(ring.session);
	return -1;
}

int recorder_start(const struct recorder_options *options, struct mm_error *err)
{
	sigset_t deadly, before;
	int ret;

	if (mm_profile_needs(options->profile, MM_NEED_DAX_MOUNT) && !options->force &&
	    !mounts_have_dax())
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"record: no filesystem is mounted with DAX; mount one (mount -o dax /dev/pmem0 DIR), or use --force to record anyway");
	if (daemon_load_probe(options->profile, err) || daemon_ensure(err))
		return -1;
	/* Ctrl-C takes effect when the sessions record or have been removed. */
	sigemptyset(&deadly);
	sigaddset(&deadly, SIGINT);
	sigaddset(&deadly, SIGTERM);
	sigaddset(&deadly, SIGHUP);
	sigprocmask(SIG_BLOCK, &deadly, &before);
	ret = start_sessions(options, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

void recorder_print_commands(FILE *out, const struct recorder_options *options)
{
	struct session_plan ring = plan_ring(options), state = plan_state(options);
	struct session_plan attach = plan_attach(options);

	fprintf(out, "modprobe %s\n", options->profile->module);
	fprintf(out, "pgrep -x lttng-sessiond >/dev/null || lttng-sessiond --daemonize\n");
	if (options->profile->starts_unevenly)
		session_print_commands(out, &attach);
	session_print_commands(out, &ring);
	if (options->profile->starts_unevenly)
		fprintf(out, "lttng destroy %s\n", attach.session);
	if (state.events)
		session_print_commands(out, &state);
}

uint64_t recorder_buffer_bytes(const struct mm_profile *profile, unsigned int cpus)
{
	/* LTTng adds one sub-buffer for the reader. */
	uint64_t bytes = profile->subbuf_bytes * (profile->subbuf_count + 1);

	if (profile->state_events)
		bytes += (uint64_t)STATE_SUBBUF_BYTES * (STATE_SUBBUF_COUNT + 1);
	return bytes * cpus;
}

static bool session_exists(const struct lttng_session *sessions, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(sessions[i].name, name))
			return true;
	return false;
}

int recorder_stop(const char *session, struct mm_error *err)
{
	char state[RECORDER_NAME_MAX];
	int ret;

	lttng_stop_tracing(session);
	ret = lttng_destroy_session(session);
	if (ret < 0)
		return fail(err, "session", session, ret);
	if (!add_suffix(state, sizeof(state), session, RECORDER_STATE_SUFFIX))
		return 0;
	ret = lttng_destroy_session(state);
	/* Not every recorder has one. */
	return ret < 0 && ret != -LTTNG_ERR_SESS_NOT_FOUND ? fail(err, "session", state, ret) : 0;
}

static void read_channel(struct recorder_status *status)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(status->session, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;

	for (int i = 0; i < count; i++) {
		uint64_t value;

		if (strcmp(channels[i].name, CHANNEL))
			continue;
		status->subbuf_bytes = channels[i].attr.subbuf_size;
		status->subbuf_count = channels[i].attr.num_subbuf;
		if (!lttng_channel_get_discarded_event_count(&channels[i], &value))
			status->discarded_events = value;
		if (!lttng_channel_get_lost_packet_count(&channels[i], &value))
			status->lost_packets = value;
	}
	free(channels);
	lttng_destroy_handle(handle);
}

/* Returns whether the channel has an event of a profile's state dump. */
static bool dumps_state(struct lttng_handle *handle, const char *channel)
{
	struct lttng_event *events = NULL;
	int count = lttng_list_events(handle, channel, &events);
	bool dumps = false;

	for (size_t p = 0; mm_subsystems[p]; p++) {
		const char *const *state = mm_subsystems[p]->profile.state_events;

		for (int i = 0; state && i < count; i++)
			dumps |= events[i].enabled && mm_glob_match(events[i].name, state[0]);
	}
	free(events);
	return dumps;
}

bool recorder_state_session(const char *session, char *name, size_t size)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_session *sessions = NULL;
	struct lttng_channel *channels = NULL;
	struct lttng_handle *handle;
	int count = lttng_list_sessions(&sessions);
	bool found;

	found = add_suffix(name, size, session, RECORDER_STATE_SUFFIX) &&
		session_exists(sessions, count, name);
	free(sessions);
	if (found)
		return true;
	snprintf(name, size, "%s", session);
	handle = lttng_create_handle(session, &domain);
	count = handle ? lttng_list_channels(handle, &channels) : 0;
	for (int i = 0; i < count; i++)
		found |= dumps_state(handle, channels[i].name);
	free(channels);
	lttng_destroy_handle(handle);
	if (!found)
		name[0] = '\0';
	return found;
}

static bool is_tracked(const char *session)
{
	static const enum lttng_process_attr attributes[] = {
		LTTNG_PROCESS_ATTR_PROCESS_ID, LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID,
		LTTNG_PROCESS_ATTR_USER_ID,    LTTNG_PROCESS_ATTR_VIRTUAL_USER_ID,
		LTTNG_PROCESS_ATTR_GROUP_ID,   LTTNG_PROCESS_ATTR_VIRTUAL_GROUP_ID,
	};
	bool tracked = false;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		struct lttng_process_attr_tracker_handle *tracker = NULL;
		enum lttng_tracking_policy policy;

		if (lttng_session_get_tracker_handle(session, LTTNG_DOMAIN_KERNEL, attributes[i],
						     &tracker) != LTTNG_OK)
			continue;
		tracked |=
			lttng_process_attr_tracker_handle_get_tracking_policy(tracker, &policy) ==
				LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK &&
			policy != LTTNG_TRACKING_POLICY_INCLUDE_ALL;
		lttng_process_attr_tracker_handle_destroy(tracker);
	}
	return tracked;
}

static bool has_filter(struct lttng_handle *handle, const char *channel)
{
	struct lttng_event *events = NULL;
	int count = lttng_list_events(handle, channel, &events);
	const char *filter = NULL;

	for (int i = 0; i < count && !filter; i++)
		lttng_event_get_filter_expression(&events[i], &filter);
	free(events);
	return filter;
}

bool recorder_is_partial(const char *session)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(session, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;
	bool partial = is_tracked(session);

	for (int i = 0; i < count; i++)
		partial |= has_filter(handle, channels[i].name);
	free(channels);
	lttng_destroy_handle(handle);
	return partial;
}

/* A state dump whose recorder is running is not listed separately. */
static bool is_recorder(const struct lttng_session *sessions, int count, const char *name)
{
	char recorder[RECORDER_NAME_MAX];

	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return false;
	if (!recorder_is_state(name))
		return true;
	snprintf(recorder, sizeof(recorder), "%.*s",
		 (int)(strlen(name) - strlen(RECORDER_STATE_SUFFIX)), name);
	return !session_exists(sessions, count, recorder);
}

int recorder_list(struct recorder_status **list, struct mm_error *err)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions), ours = 0;

	*list = NULL;
	if (count < 0)
		return fail(err, "session daemon", "sessions", count);
	*list = calloc((size_t)count + 1, sizeof(**list));
	for (int i = 0; *list && i < count; i++) {
		struct recorder_status *status = &(*list)[ours];
		uint64_t since;

		if (!is_recorder(sessions, count, sessions[i].name))
			continue;
		ours++;
		snprintf(status->session, sizeof(status->session), "%.*s", RECORDER_NAME_MAX - 1,
			 sessions[i].name);
		snprintf(status->profile, sizeof(status->profile), "?");
		if (mm_profile_find(sessions[i].name + strlen(PREFIX)))
			snprintf(status->profile, sizeof(status->profile), "%s",
				 sessions[i].name + strlen(PREFIX));
		status->running = sessions[i].enabled;
		if (lttng_session_get_creation_time(&sessions[i], &since) == LTTNG_OK)
			status->since = (int64_t)since;
		status->callstack = session_has_callstack(sessions[i].name);
		read_channel(status);
	}
	free(sessions);
	return *list ? ours : mm_error_set(err, MM_EXIT_ENVIRONMENT, "status: out of memory");
}

int recorder_find(const char *session, const char *profile, char *name, size_t size,
		  struct mm_error *err)
{
	char wanted[RECORDER_NAME_MAX];
	struct recorder_status *list;
	int count, found = -1;

	if (daemon_require(err))
		return -1;
	if ((session || profile) && full_name(wanted, sizeof(wanted), profile, session, err))
		return -1;
	count = recorder_list(&list, err);
	for (int i = 0; list && i < count; i++)
		if ((!session && !profile) || !strcmp(list[i].session, wanted))
			found = i;
	if (count >= 0 && found < 0)
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"session: %s: no recorder is running; start one with `lttng-mm record dax`",
			session || profile ? wanted : "none");
	else if (count > 1 && !session && !profile)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"session: several recorders are running; name one with --session (`lttng-mm status` lists them)");
	else if (found >= 0)
		snprintf(name, size, "%s", list[found].session);
	free(list);
	return err->code ? -1 : 0;
}
