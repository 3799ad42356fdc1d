// SPDX-License-Identifier: LGPL-2.1-only
/* Turns a recorder's options into sessions, and prints the equivalent commands. */
#include "lttng-session/recorder/recorder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/recorder/sessions.h"
#include "util/mounts.h"

/*
 * Sizes of the buffers of state sessions. 1 MiB per CPU is enough for a dump of some 10,000
 * threads. Each snapshot dumps the state again. Smaller dumps leave room, so that the first dump
 * survives several snapshots.
 */
#define STATE_SUBBUF_BYTES (128u << 10)
#define STATE_SUBBUF_COUNT 8u

int recorder_check_name(const char *name, struct mm_error *err)
{
	const char *c = name;

	while (isalnum((unsigned char)*c) || *c == '-' || *c == '_' || *c == '.')
		c++;
	if (*c || !*name || *name == '.' || *name == '-' || c - name >= 100)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"session: '%s' is not a valid name; use 1 to 99 letters, digits, '-', '_' or '.', but neither '-' nor '.' at the start",
			name);
	return 0;
}

/* Is @name reserved for state sessions? Their names end in RECORDER_STATE_SUFFIX. */
static bool is_reserved(const char *name)
{
	size_t length = strlen(name), suffix = strlen(RECORDER_STATE_SUFFIX);

	return (length > suffix && !strcmp(name + length - suffix, RECORDER_STATE_SUFFIX)) ||
	       !strcmp(name, RECORDER_STATE_SUFFIX + 1);
}

int recorder_options_init(struct recorder_options *options, const char *session,
			  struct mm_error *err)
{
	memset(options, 0, sizeof(*options));
	snprintf(options->recorder, sizeof(options->recorder), "%s", RECORDER_DEFAULT);
	if (!session)
		return 0;
	if (recorder_check_name(session, err))
		return -1;
	if (!strncmp(session, RECORDER_PREFIX, strlen(RECORDER_PREFIX)))
		session += strlen(RECORDER_PREFIX);
	if (!*session || !strcmp(session, RECORDER_DEFAULT) || is_reserved(session))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"session: '%s' is reserved for a state dump or the default recorder; choose a name that does not end in %s",
			session, RECORDER_STATE_SUFFIX);
	snprintf(options->recorder, sizeof(options->recorder), "%s", session);
	return 0;
}

void recorder_options_release(struct recorder_options *options)
{
	for (size_t i = 0; i < options->count; i++)
		profile_destroy(options->profiles[i]);
	for (size_t i = 0; i < RECORDER_PROFILES_MAX; i++)
		json_decref(options->triggers[i]);
	json_decref(options->targets);
	options->targets = NULL;
	memset(options->triggers, 0, sizeof(options->triggers));
	options->count = 0;
}

int recorder_options_add(struct recorder_options *options, const char *profile, const char *events,
			 struct mm_error *err)
{
	struct profile *added;

	for (size_t i = 0; i < options->count; i++)
		if (profile && !strcmp(options->profiles[i]->name, profile))
			return mm_error_set(err, MM_EXIT_BAD_INPUT,
					    "record: the profile '%s' is given twice", profile);
	if (options->count == RECORDER_PROFILES_MAX)
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "record: more than %d profiles",
				    RECORDER_PROFILES_MAX);
	added = profile ? profile_load(profile, err) : profile_of_events(events, err);
	if (!added)
		return -1;
	if (!options->file_io)
		profile_leave_out_file_io(added);
	options->profiles[options->count++] = added;
	return 0;
}

static bool is_recorded(const struct plan *plan, const struct profile *profile)
{
	for (size_t i = 0; i < plan->count; i++)
		if (!plan->sessions[i].state &&
		    plan_session_is_for(&plan->sessions[i], profile->name))
			return true;
	return false;
}

int recorder_options_leave_recorded(struct recorder_options *options, struct mm_error *err)
{
	size_t left = 0;
	struct plan plan;

	if (plan_read(&plan, err))
		return -1;
	for (size_t i = 0; i < options->count; i++) {
		if (is_recorded(&plan, options->profiles[i]))
			profile_destroy(options->profiles[i]);
		else
			options->profiles[left++] = options->profiles[i];
	}
	options->count = left;
	plan_release(&plan);
	return 0;
}

int recorder_options_callstack(struct recorder_options *options, struct mm_error *err)
{
	for (size_t i = 0; i < options->count; i++)
		options->callstack |= options->profiles[i]->callstack_contexts.count > 0;
	if (options->callstack)
		return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"record: --callstack: the profile '%s' does not record call stacks; omit the option",
		options->count ? options->profiles[0]->name : "");
}

int recorder_options_check_file_io(const struct recorder_options *options, struct mm_error *err)
{
	for (size_t i = 0; i < options->count; i++)
		if (profile_has_file_io(options->profiles[i]))
			return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"record: --file-io: the profile '%s' has no channel with `option = file-io`; add one (see PROFILES in lttng-mm-record(1)), or omit the option",
		options->count ? options->profiles[0]->name : "");
}

int recorder_options_calls(struct recorder_options *options, struct mm_error *err)
{
	for (size_t i = 0; i < options->count; i++)
		if (profile_use_calls(options->profiles[i], err))
			return -1;
	return 0;
}

unsigned int recorder_possible_cpus(void)
{
	char line[4096], *rest = line, *part;
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int count = 0;

	mounts_read_line("/sys/devices/system/cpu/possible", line, sizeof(line));
	/* Parse a list such as `0-3,8-11`. */
	while ((part = strsep(&rest, ","))) {
		unsigned int first, last;

		switch (sscanf(part, "%u-%u", &first, &last)) {
		case 1:
			count++;
			break;
		case 2:
			count += last >= first ? last - first + 1 : 0;
			break;
		}
	}
	return count ? count : configured > 0 ? (unsigned int)configured : 1;
}

uint64_t recorder_buffer_bytes(const struct profile *profile, unsigned int cpus)
{
	uint64_t bytes = 0;

	/* LTTng adds one sub-buffer per buffer for the reader. */
	for (size_t i = 0; i < profile->channel_count; i++)
		bytes +=
			profile->channels[i].subbuf_bytes * (profile->channels[i].subbuf_count + 1);
	if (profile->state_events.count)
		bytes += (uint64_t)STATE_SUBBUF_BYTES * (STATE_SUBBUF_COUNT + 1);
	return bytes * cpus;
}

/* Writes @session and @suffix to @name. Returns false if the result is too long. */
static bool add_suffix(char *name, size_t size, const char *session, const char *suffix)
{
	return snprintf(name, size, "%s%s", session, suffix) < (int)size;
}

/*
 * Formats the name of a session: the prefix, the recorder and the profile. Omits the name of the
 * default recorder. For any other recorder, omits the profile if @single is true, which means that
 * the session is the only one of a new recorder.
 */
static void ring_name(char *name, size_t size, const struct recorder_options *options,
		      const struct profile *profile, bool single)
{
	if (!strcmp(options->recorder, RECORDER_DEFAULT))
		snprintf(name, size, RECORDER_PREFIX "%s", profile->name);
	else if (single)
		snprintf(name, size, RECORDER_PREFIX "%.100s", options->recorder);
	else
		snprintf(name, size, RECORDER_PREFIX "%.100s-%s", options->recorder, profile->name);
}

/*
 * Plans a channel. Options change the sizes of the first channel only. Further channels are for
 * rare events, and keep the sizes of the profile.
 */
static void plan_channel(struct session_channel *channel, const struct recorder_options *options,
			 const struct profile *profile, size_t number)
{
	const struct profile_channel *planned = &profile->channels[number];
	bool given = !number;

	*channel = (struct session_channel){
		.subbuf_bytes = given && options->subbuf_bytes ? options->subbuf_bytes
							       : planned->subbuf_bytes,
		.subbuf_count = given && options->subbuf_count ? options->subbuf_count
							       : planned->subbuf_count,
		.events = (const char *const *)planned->events.names,
		.contexts = (const char *const *)profile->contexts.names,
		.filter = *options->filter ? options->filter : NULL,
	};
	if (options->callstack)
		channel->more_contexts = (const char *const *)profile->callstack_contexts.names;
	snprintf(channel->name, sizeof(channel->name), "%s%s%s", RECORDER_CHANNEL,
		 *planned->name ? "-" : "", planned->name);
}

static void plan_ring(struct recorder_sessions *sessions, const struct recorder_options *options,
		      size_t number, bool single)
{
	const struct profile *profile = options->profiles[number];
	struct session_plan *ring = &sessions->rings[number], *attach = &sessions->attach[number];

	*ring = (struct session_plan){ .channel_count = profile->channel_count,
				       .trackers = options->trackers };
	for (size_t i = 0; i < profile->channel_count; i++)
		plan_channel(&ring->channels[i], options, profile, i);
	ring_name(ring->session, sizeof(ring->session), options, profile, single);
	/*
	 * Plan the temporary session that start_ring() may start first. Nobody reads its events, so
	 * its buffers are as small as possible.
	 */
	*attach = *ring;
	attach->trackers = (struct trackers){ .count = { 0 } };
	add_suffix(attach->session, sizeof(attach->session), ring->session, "-attach");
	for (size_t i = 0; i < attach->channel_count; i++) {
		attach->channels[i].subbuf_bytes = 4096;
		attach->channels[i].subbuf_count = 2;
		attach->channels[i].more_contexts = NULL;
	}
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Does a state session of the recorder already record the event? */
static bool is_dumped(const struct plan *plan, const char *recorder, const char *event)
{
	for (size_t i = 0; plan && i < plan->count; i++)
		if (plan->sessions[i].state && !strcmp(plan->sessions[i].recorder, recorder) &&
		    plan_session_records(&plan->sessions[i], event))
			return true;
	return false;
}

/*
 * Plans a state session for the state events of the profiles. Omits state events that the recorder
 * records already.
 */
static void plan_state(struct recorder_sessions *sessions, const struct recorder_options *options,
		       const struct plan *plan)
{
	static const char *const none[] = { NULL };
	const struct session_plan *first = &sessions->rings[0];
	struct session_plan *state = &sessions->state;
	size_t count = 0;
	char base[SESSION_NAME_MAX - sizeof(RECORDER_STATE_SUFFIX)];

	*state = (struct session_plan){ .channel_count = 1 };
	state->channels[0] = (struct session_channel){ .name = RECORDER_STATE_CHANNEL,
						       .subbuf_bytes = STATE_SUBBUF_BYTES,
						       .subbuf_count = STATE_SUBBUF_COUNT,
						       .events = sessions->state_events,
						       .contexts = none };
	for (size_t p = 0; p < options->count; p++) {
		const struct profile_list *list = &options->profiles[p]->state_events;

		for (size_t i = 0; i < list->count; i++)
			if (!is_listed(sessions->state_events, count, list->names[i]) &&
			    !is_dumped(plan, options->recorder, list->names[i]) &&
			    count + 1 < RECORDER_STATE_EVENTS_MAX)
				sessions->state_events[count++] = list->names[i];
	}
	sessions->state_events[count] = NULL;
	sessions->has_state = count;
	if (options->count == 1)
		snprintf(base, sizeof(base), "%.200s", first->session);
	else if (!strcmp(options->recorder, RECORDER_DEFAULT))
		snprintf(base, sizeof(base), "%s", RECORDER_DEFAULT);
	else
		snprintf(base, sizeof(base), RECORDER_PREFIX "%.100s", options->recorder);
	add_suffix(state->session, sizeof(state->session), base, RECORDER_STATE_SUFFIX);
	/*
	 * The recorder may already have state sessions of earlier commands, so number the state
	 * sessions.
	 */
	for (int n = 2; plan && plan_find(plan, state->session) && n < 100; n++)
		snprintf(state->session, sizeof(state->session), "%.100s%s-%d", base,
			 RECORDER_STATE_SUFFIX, n);
}

void recorder_plan_sessions(struct recorder_sessions *sessions,
			    const struct recorder_options *options, const struct plan *plan)
{
	bool single = options->count == 1 && !(plan && plan_has_recorder(plan, options->recorder));

	for (size_t i = 0; i < options->count; i++)
		plan_ring(sessions, options, i, single);
	plan_state(sessions, options, plan);
}

/* Adds the buffers of the sessions that will be started, in the order of sessions and channels. */
static size_t add_rings(struct budget_ring *all, const struct recorder_sessions *sessions,
			const struct recorder_options *options)
{
	size_t count = 0;

	for (size_t i = 0; i < options->count; i++)
		for (size_t c = 0; c < sessions->rings[i].channel_count; c++) {
			const struct session_channel *channel = &sessions->rings[i].channels[c];

			all[count++] = (struct budget_ring){
				.subbuf_bytes = channel->subbuf_bytes,
				.subbuf_count = channel->subbuf_count,
				.fixed = options->subbuf_bytes || options->subbuf_count,
				.small = c > 0,
			};
		}
	if (sessions->has_state)
		all[count++] = (struct budget_ring){ .subbuf_bytes = STATE_SUBBUF_BYTES,
						     .subbuf_count = STATE_SUBBUF_COUNT,
						     .fixed = true };
	return count;
}

/* Adds the buffers that the recorder already has. */
static size_t add_planned(struct budget_ring *all, size_t count, const struct plan *plan,
			  const char *recorder)
{
	for (size_t i = 0; plan && i < plan->count; i++) {
		const struct plan_session *session = &plan->sessions[i];

		for (size_t c = 0; c < session->ring_count && !strcmp(session->recorder, recorder);
		     c++)
			all[count++] = session->rings[c];
	}
	return count;
}

static void use_sizes(struct recorder_sessions *sessions, const struct recorder_options *options,
		      const struct budget_ring *all)
{
	for (size_t i = 0; i < options->count; i++)
		for (size_t c = 0; c < sessions->rings[i].channel_count; c++)
			sessions->rings[i].channels[c].subbuf_bytes = (all++)->subbuf_bytes;
}

int recorder_choose_sizes(struct recorder_sessions *sessions,
			  const struct recorder_options *options, const struct plan *plan,
			  struct recorder_started *started, struct mm_error *err)
{
	struct budget_ring all[RECORDER_PROFILES_MAX * PROFILE_CHANNELS_MAX + 1 +
			       PLAN_SESSIONS_MAX * PLAN_CHANNELS_MAX];
	uint64_t ceiling = options->budget_bytes;
	size_t count;

	if (!ceiling && plan)
		ceiling = plan_budget(plan, options->recorder);
	started->cpus = recorder_possible_cpus();
	if (!ceiling)
		return 0;
	count = add_rings(all, sessions, options);
	count = add_planned(all, count, plan, options->recorder);
	if (!budget_choose(all, count, started->cpus, ceiling, &started->budget))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"record: --budget: %llu %s is not enough for the recorder on %u CPUs; the minimum is %llu KiB (--budget=%lluk)",
			(unsigned long long)(ceiling % 1024 ? ceiling : ceiling >> 10),
			ceiling % 1024 ? "bytes" : "KiB", started->cpus,
			(unsigned long long)(started->budget.least + 1023) >> 10,
			(unsigned long long)(started->budget.least + 1023) >> 10);
	use_sizes(sessions, options, all);
	return 0;
}

int recorder_print_commands(FILE *out, const struct recorder_options *options, struct mm_error *err)
{
	struct recorder_started started = { .cpus = 0 };
	struct recorder_sessions sessions;

	recorder_plan_sessions(&sessions, options, NULL);
	if (recorder_choose_sizes(&sessions, options, NULL, &started, err))
		return -1;
	for (size_t i = 0; i < options->count; i++)
		if (options->profiles[i]->module)
			fprintf(out, "modprobe %s\n", options->profiles[i]->module);
		else
			fprintf(out, "modprobe --quiet lttng-mm-lib || :\n");
	fprintf(out, "pgrep -x lttng-sessiond >/dev/null || lttng-sessiond --daemonize\n");
	for (size_t i = 0; i < options->count; i++) {
		if (options->profiles[i]->attach_first)
			session_print_commands(out, &sessions.attach[i]);
		session_print_commands(out, &sessions.rings[i]);
		if (options->profiles[i]->attach_first)
			fprintf(out, "lttng destroy %s\n", sessions.attach[i].session);
	}
	if (sessions.has_state)
		session_print_commands(out, &sessions.state);
	return 0;
}
