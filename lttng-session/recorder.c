// SPDX-License-Identifier: LGPL-2.1-only
/* Starts, finds and stops recorders through liblttng-ctl. */
#include "lttng-session/recorder.h"

#include <ctype.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon.h"
#include "lttng-session/mounts.h"

/* Our sessions are known by their names, so a status needs no file of ours. */
#define PREFIX "lttng-mm-"
#define CHANNEL "lttng-mm"

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
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "session: '%s' cannot be its name; use letters, digits, - and _",
				    name);
	return 0;
}

int recorder_options_init(struct recorder_options *options, const char *profile,
			  const char *session, struct mm_error *err)
{
	memset(options, 0, sizeof(*options));
	options->profile = profile_find(profile);
	if (!options->profile)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "record: unknown profile '%s'; known: dax, slab", profile);
	options->subbuf_bytes = options->profile->subbuf_bytes;
	options->subbuf_count = options->profile->subbuf_count;
	if (session) {
		if (check_name(session, err))
			return -1;
		/* The prefix is how a session of ours is told from others. */
		snprintf(options->session, sizeof(options->session), "%s%s",
			 strncmp(session, PREFIX, strlen(PREFIX)) ? PREFIX : "", session);
	} else {
		snprintf(options->session, sizeof(options->session), PREFIX "%s", profile);
	}
	return 0;
}

static int enable_channel(const struct recorder_options *options, struct lttng_handle *handle,
			  struct lttng_domain *domain, struct mm_error *err)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	int ret;

	if (!channel)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "channel: out of memory");
	snprintf(channel->name, sizeof(channel->name), "%s", CHANNEL);
	channel->attr.overwrite = 1;
	channel->attr.subbuf_size = options->subbuf_bytes;
	channel->attr.num_subbuf = options->subbuf_count;
	channel->attr.output = LTTNG_EVENT_MMAP;
	ret = lttng_enable_channel(handle, channel);
	lttng_channel_destroy(channel);
	return ret < 0 ? fail(err, "channel", options->session, ret) : 0;
}

static int enable_events(const struct recorder_options *options, struct lttng_handle *handle,
			 struct mm_error *err)
{
	for (const char *const *name = options->profile->events; *name; name++) {
		struct lttng_event *event = lttng_event_create();
		int ret;

		if (!event)
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "event: out of memory");
		event->type = LTTNG_EVENT_TRACEPOINT;
		event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
		snprintf(event->name, sizeof(event->name), "%s", *name);
		ret = lttng_enable_event(handle, event, CHANNEL);
		lttng_event_destroy(event);
		if (ret < 0)
			return fail(err, "event", *name, ret);
	}
	return 0;
}

static int add_contexts(const struct recorder_options *options, struct lttng_handle *handle,
			struct mm_error *err)
{
	static const struct { const char *name; enum lttng_event_context_type type; } known[] = {
		{ "procname", LTTNG_EVENT_CONTEXT_PROCNAME },
		{ "tid", LTTNG_EVENT_CONTEXT_TID },
	};

	for (const char *const *name = options->profile->contexts; *name; name++) {
		struct lttng_event_context context;
		int ret = -LTTNG_ERR_INVALID;

		memset(&context, 0, sizeof(context));
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			if (strcmp(known[i].name, *name))
				continue;
			context.ctx = known[i].type;
			ret = lttng_add_context(handle, &context, NULL, CHANNEL);
		}
		if (ret < 0)
			return fail(err, "context", *name, ret);
	}
	return 0;
}

static int create_session(const struct recorder_options *options, struct mm_error *err)
{
	struct lttng_session_descriptor *descriptor =
		lttng_session_descriptor_snapshot_create(options->session);
	enum lttng_error_code code;

	if (!descriptor)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: out of memory");
#ifdef LTTNG_MM_HAVE_TRACE_FORMAT
	/* Trace Compass does not open CTF 2 reliably yet. */
	lttng_session_descriptor_set_trace_format(descriptor, LTTNG_TRACE_FORMAT_CTF_1_8);
#endif
	code = lttng_create_session_ext(descriptor);
	lttng_session_descriptor_destroy(descriptor);
	if (code == LTTNG_OK)
		return 0;
	if (code == LTTNG_ERR_EXIST_SESS)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "session: %s: records already; `lttng-mm snapshot` keeps the recent past, `lttng-mm stop --session %s` ends it",
				    options->session, options->session);
	return fail(err, "session", options->session, -(int)code);
}

int recorder_start(const struct recorder_options *options, struct mm_error *err)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle;
	sigset_t deadly, before;
	int ret = -1;

	if (options->profile->wants_dax_mount && !options->force && !mounts_have_dax())
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "record: no filesystem is mounted with DAX; mount one (mount -o dax /dev/pmem0 DIR), or record all the same with --force");
	if (daemon_load_probe(options->profile, err) || daemon_ensure(err))
		return -1;
	/* A Ctrl-C waits for the session to record, or to be gone again. */
	sigemptyset(&deadly);
	sigaddset(&deadly, SIGINT);
	sigaddset(&deadly, SIGTERM);
	sigaddset(&deadly, SIGHUP);
	sigprocmask(SIG_BLOCK, &deadly, &before);
	if (create_session(options, err)) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return -1;
	}
	handle = lttng_create_handle(options->session, &domain);
	if (!handle) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: out of memory");
		goto end;
	}
	if (enable_channel(options, handle, &domain, err) || enable_events(options, handle, err) ||
	    add_contexts(options, handle, err))
		goto end;
	ret = lttng_start_tracing(options->session);
	if (ret < 0)
		fail(err, "session", options->session, ret);
end:
	lttng_destroy_handle(handle);
	if (ret < 0)
		lttng_destroy_session(options->session);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret < 0 ? -1 : 0;
}

void recorder_print_commands(FILE *out, const struct recorder_options *options)
{
	const struct profile *profile = options->profile;

	fprintf(out, "modprobe %s\n", profile->module);
	fprintf(out, "pgrep -x lttng-sessiond >/dev/null || lttng-sessiond --daemonize\n");
#ifdef LTTNG_MM_HAVE_TRACE_FORMAT
	fprintf(out, "lttng create %s --snapshot --trace-format=ctf-1.8\n", options->session);
#else
	fprintf(out, "lttng create %s --snapshot\n", options->session);
#endif
	fprintf(out,
		"lttng enable-channel --kernel --session=%s --overwrite --output=mmap --subbuf-size=%llu --num-subbuf=%llu %s\n",
		options->session, (unsigned long long)options->subbuf_bytes,
		(unsigned long long)options->subbuf_count, CHANNEL);
	for (const char *const *event = profile->events; *event; event++)
		fprintf(out, "lttng enable-event --kernel --session=%s --channel=%s '%s'\n",
			options->session, CHANNEL, *event);
	for (const char *const *context = profile->contexts; *context; context++)
		fprintf(out, "lttng add-context --kernel --session=%s --channel=%s --type=%s\n",
			options->session, CHANNEL, *context);
	fprintf(out, "lttng start %s\n", options->session);
}

int recorder_stop(const char *session, struct mm_error *err)
{
	int ret;

	lttng_stop_tracing(session);
	ret = lttng_destroy_session(session);
	return ret < 0 ? fail(err, "session", session, ret) : 0;
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

/* Is any of the events one that the profile enables? */
static bool has_events_of(const struct profile *profile, const struct lttng_event *events, int count)
{
	for (int i = 0; i < count; i++)
		for (const char *const *name = profile->events; *name; name++)
			if (!strcmp(events[i].name, *name))
				return true;
	return false;
}

bool recorder_wants_state_dump(const char *session)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(session, &domain);
	struct lttng_event *events = NULL;
	int count = handle ? lttng_list_events(handle, CHANNEL, &events) : 0;
	bool wants = false;

	/* The session may have any name, so its events tell what it records. */
	for (const struct profile *profile = profiles; profile->name; profile++)
		wants |= profile->wants_state_dump && has_events_of(profile, events, count);
	free(events);
	lttng_destroy_handle(handle);
	return wants;
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

		if (strncmp(sessions[i].name, PREFIX, strlen(PREFIX)))
			continue;
		ours++;
		snprintf(status->session, sizeof(status->session), "%.*s",
			 RECORDER_NAME_MAX - 1, sessions[i].name);
		snprintf(status->profile, sizeof(status->profile), "?");
		for (const struct profile *p = profiles; p->name; p++)
			if (!strcmp(p->name, sessions[i].name + strlen(PREFIX)))
				snprintf(status->profile, sizeof(status->profile), "%s", p->name);
		status->running = sessions[i].enabled;
		if (lttng_session_get_creation_time(&sessions[i], &since) == LTTNG_OK)
			status->since = (int64_t)since;
		read_channel(status);
	}
	free(sessions);
	return *list ? ours : mm_error_set(err, MM_EXIT_ENVIRONMENT, "status: out of memory");
}

int recorder_find(const char *session, const char *profile, char *name, size_t size,
		  struct mm_error *err)
{
	struct recorder_options wanted;
	struct recorder_status *list;
	int count, found = -1;

	if (daemon_require(err))
		return -1;
	if (session || profile) {
		/* A session that was given any profile's events may have any name. */
		if (recorder_options_init(&wanted, profile ? profile : profiles[0].name, session,
					  err))
			return -1;
	}
	count = recorder_list(&list, err);
	for (int i = 0; list && i < count; i++)
		if ((!session && !profile) || !strcmp(list[i].session, wanted.session))
			found = i;
	if (count >= 0 && found < 0)
		mm_error_set(err, MM_EXIT_ENVIRONMENT,
			     "session: %s: nothing records; start with `lttng-mm record dax`",
			     session || profile ? wanted.session : "none");
	else if (count > 1 && !session && !profile)
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "session: several record; name one with --session (lttng-mm status lists them)");
	else if (found >= 0)
		snprintf(name, size, "%s", list[found].session);
	free(list);
	return err->code ? -1 : 0;
}
