// SPDX-License-Identifier: LGPL-2.1-only
/* Starts sessions with their channels, events, contexts and trackers. */
#include "lttng-session/recorder/session.h"

#include <lttng/lttng.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/profile/event-names.h"
#include "lttng-session/profile/profile.h"
#include "util/escape.h"

static const char *syscall_of(const char *event)
{
	size_t length = strlen(PROFILE_SYSCALL);

	return strncmp(event, PROFILE_SYSCALL, length) ? NULL : event + length;
}

static int fail(struct mm_error *err, const char *what, const char *where, int code)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "%s: %s: %s", what, where,
			    lttng_strerror(code));
}

static int enable_channel(const struct session_plan *plan, const struct session_channel *planned,
			  struct lttng_handle *handle, struct lttng_domain *domain,
			  struct mm_error *err)
{
	struct lttng_channel *channel = lttng_channel_create(domain);
	int ret;

	if (!channel)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "channel: out of memory");
	snprintf(channel->name, sizeof(channel->name), "%s", planned->name);
	/* With 0, the channel would record, too, but `lttng list` would show it as disabled. */
	channel->enabled = 1;
	channel->attr.overwrite = !plan->output;
	channel->attr.subbuf_size = planned->subbuf_bytes;
	channel->attr.num_subbuf = planned->subbuf_count;
	channel->attr.output = LTTNG_EVENT_MMAP;
	ret = lttng_enable_channel(handle, channel);
	lttng_channel_destroy(channel);
	/* The channel exists already, and this call has enabled it. */
	if (ret == -LTTNG_ERR_KERN_CHAN_EXIST)
		return 0;
	return ret < 0 ? fail(err, "channel", plan->session, ret) : 0;
}

static const char *filter_of(const struct session_channel *planned, const char *event)
{
	struct function_event call;

	return function_event_parse(event, &call) && !strcmp(call.form, FUNCTION_EVENT_CALL)
		       ? planned->filter
		       : NULL;
}

static int enable_events(const struct session_channel *planned, struct lttng_handle *handle,
			 struct mm_error *err)
{
	for (const char *const *name = planned->events; *name; name++) {
		struct lttng_event *event = lttng_event_create();
		const char *call = syscall_of(*name);
		int ret;

		if (!event)
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "event: out of memory");
		event->type = call ? LTTNG_EVENT_SYSCALL : LTTNG_EVENT_TRACEPOINT;
		event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
		snprintf(event->name, sizeof(event->name), "%s", call ? call : *name);
		ret = lttng_enable_event_with_filter(handle, event, planned->name,
						     filter_of(planned, *name));
		lttng_event_destroy(event);
		if (ret < 0 && ret != -LTTNG_ERR_KERN_EVENT_EXIST)
			return fail(err, "event", *name, ret);
	}
	return 0;
}

static int add_context(const struct session_channel *planned, struct lttng_handle *handle,
		       const char *name, struct mm_error *err)
{
	static const struct {
		const char *name;
		enum lttng_event_context_type type;
	} known[] = {
		{ "callstack-kernel", LTTNG_EVENT_CONTEXT_CALLSTACK_KERNEL },
		{ "procname", LTTNG_EVENT_CONTEXT_PROCNAME },
		{ "tid", LTTNG_EVENT_CONTEXT_TID },
	};
	struct lttng_event_context context;
	int ret = -LTTNG_ERR_INVALID;

	memset(&context, 0, sizeof(context));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name))
			continue;
		context.ctx = known[i].type;
		ret = lttng_add_context(handle, &context, NULL, planned->name);
	}
	return ret < 0 ? fail(err, "context", name, ret) : 0;
}

static int add_contexts(const struct session_channel *planned, struct lttng_handle *handle,
			struct mm_error *err)
{
	const char *const *const lists[] = { planned->contexts, planned->more_contexts };

	for (size_t i = 0; i < 2; i++)
		for (const char *const *name = lists[i]; name && *name; name++)
			if (add_context(planned, handle, *name, err))
				return -1;
	return 0;
}

static int enable_channels(const struct session_plan *plan, struct lttng_handle *handle,
			   struct lttng_domain *domain, struct mm_error *err)
{
	for (size_t i = 0; i < plan->channel_count; i++)
		if (enable_channel(plan, &plan->channels[i], handle, domain, err) ||
		    enable_events(&plan->channels[i], handle, err))
			return -1;
	return 0;
}

int session_fail_exists(const char *session, struct mm_error *err)
{
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"session: %s: already recording; `lttng-mm snapshot` writes its contents to disk, `lttng-mm stop --session %s` stops it",
		session, session);
}

int session_create(const struct session_plan *plan, struct mm_error *err)
{
	struct lttng_session_descriptor *descriptor =
		plan->output ? lttng_session_descriptor_local_create(plan->session, plan->output)
			     : lttng_session_descriptor_snapshot_create(plan->session);
	enum lttng_error_code code;

	if (!descriptor)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: out of memory");
#ifdef LTTNG_MM_HAVE_TRACE_FORMAT
	/* Use CTF 1.8, because Trace Compass cannot open CTF 2 reliably yet. */
	lttng_session_descriptor_set_trace_format(descriptor, LTTNG_TRACE_FORMAT_CTF_1_8);
#endif
	code = lttng_create_session_ext(descriptor);
	lttng_session_descriptor_destroy(descriptor);
	if (code == LTTNG_OK)
		return 0;
	if (code == LTTNG_ERR_EXIST_SESS)
		return session_fail_exists(plan->session, err);
	return fail(err, "session", plan->session, -(int)code);
}

int session_start(const struct session_plan *plan, struct mm_error *err)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle;
	int ret = -1;

	handle = lttng_create_handle(plan->session, &domain);
	if (!handle) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: out of memory");
		goto end;
	}
	if (enable_channels(plan, handle, &domain, err))
		goto end;
	for (size_t i = 0; i < plan->channel_count; i++)
		if (add_contexts(&plan->channels[i], handle, err))
			goto end;
	if (trackers_apply(&plan->trackers, plan->session, err))
		goto end;
	ret = lttng_start_tracing(plan->session);
	if (ret < 0)
		fail(err, "session", plan->session, ret);
end:
	lttng_destroy_handle(handle);
	return ret < 0 ? -1 : 0;
}

static struct lttng_handle *open_kernel(const struct session_plan *plan,
					struct lttng_domain *domain)
{
	*domain = (struct lttng_domain){ .type = LTTNG_DOMAIN_KERNEL,
					 .buf_type = LTTNG_BUFFER_GLOBAL };
	return lttng_create_handle(plan->session, domain);
}

int session_enable(const struct session_plan *plan, struct mm_error *err)
{
	struct lttng_domain domain;
	struct lttng_handle *handle = open_kernel(plan, &domain);
	int ret;

	if (!handle)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "session: out of memory");
	ret = enable_channels(plan, handle, &domain, err) ||
			      trackers_apply(&plan->trackers, plan->session, err)
		      ? -1
		      : 0;
	lttng_destroy_handle(handle);
	return ret;
}

static bool are_channels_enabled(const struct session_plan *plan, struct lttng_handle *handle)
{
	struct lttng_channel *channels = NULL;
	int count = lttng_list_channels(handle, &channels);
	bool enabled = true;

	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < plan->channel_count; k++)
			if (!strcmp(channels[i].name, plan->channels[k].name))
				enabled &= !!channels[i].enabled;
	free(channels);
	return enabled;
}

/*
 * Does the channel exist? Check this before listing its events: lttng-sessiond 2.13.18 crashes if
 * the channel is missing.
 */
static bool has_channel(struct lttng_handle *handle, const char *name)
{
	struct lttng_channel *channels = NULL;
	int count = lttng_list_channels(handle, &channels);
	bool found = false;

	for (int i = 0; i < count; i++)
		found |= !strcmp(channels[i].name, name);
	free(channels);
	return found;
}

/*
 * Does the rule record all events of its name? Another program may have added exclusions or a
 * filter. If @filtered is true, the rule may have a filter.
 */
static bool is_whole(struct lttng_event *rule, bool filtered)
{
	const char *filter = NULL;

	return lttng_event_get_exclusion_name_count(rule) <= 0 &&
	       (filtered || lttng_event_get_filter_expression(rule, &filter) || !filter);
}

/*
 * Are all events of the channel enabled? The session daemon lists names and patterns as they were
 * given. Returns @unknown if it lists nothing.
 */
static bool are_events_enabled(const struct session_channel *planned, struct lttng_handle *handle,
			       bool unknown)
{
	struct lttng_event *events = NULL;
	int count = has_channel(handle, planned->name)
			    ? lttng_list_events(handle, planned->name, &events)
			    : -1;
	bool enabled = count > 0 || unknown;

	for (const char *const *name = planned->events; count >= 0 && *name && enabled; name++) {
		const char *call = syscall_of(*name), *wanted = call ? call : *name;

		enabled = false;
		for (int i = 0; i < count && !enabled; i++)
			enabled = events[i].enabled &&
				  (events[i].type == LTTNG_EVENT_SYSCALL) == !!call &&
				  !strcmp(events[i].name, wanted) &&
				  is_whole(&events[i], filter_of(planned, *name));
	}
	free(events);
	return enabled;
}

bool session_is_enabled(const struct session_plan *plan)
{
	struct lttng_domain domain;
	struct lttng_handle *handle = open_kernel(plan, &domain);
	bool enabled;

	if (!handle)
		return true;
	enabled = are_channels_enabled(plan, handle);
	for (size_t i = 0; i < plan->channel_count && enabled; i++)
		enabled = are_events_enabled(&plan->channels[i], handle, true);
	lttng_destroy_handle(handle);
	return enabled;
}

bool session_matches(const struct session_plan *plan)
{
	struct lttng_domain domain;
	struct lttng_handle *handle = open_kernel(plan, &domain);
	bool matches = handle;

	for (size_t i = 0; i < plan->channel_count && matches; i++)
		matches = are_events_enabled(&plan->channels[i], handle, false);
	lttng_destroy_handle(handle);
	return matches;
}

int64_t session_creation_time(const char *session)
{
	struct lttng_session *sessions = NULL;
	int count = lttng_list_sessions(&sessions);
	uint64_t since = 0;

	for (int i = 0; i < count; i++)
		if (!strcmp(sessions[i].name, session) &&
		    lttng_session_get_creation_time(&sessions[i], &since) != LTTNG_OK)
			since = 0;
	free(sessions);
	return (int64_t)since;
}

static void print_contexts(FILE *out, const struct session_plan *plan,
			   const struct session_channel *planned, const char *const *contexts)
{
	for (; contexts && *contexts; contexts++)
		fprintf(out, "lttng add-context --kernel --session=%s --channel=%s --type=%s\n",
			plan->session, planned->name, *contexts);
}

static void print_channel(FILE *out, const struct session_plan *plan,
			  const struct session_channel *planned)
{
	fprintf(out,
		"lttng enable-channel --kernel --session=%s --%s --output=mmap --subbuf-size=%llu --num-subbuf=%llu %s\n",
		plan->session, plan->output ? "discard" : "overwrite",
		(unsigned long long)planned->subbuf_bytes,
		(unsigned long long)planned->subbuf_count, planned->name);
	for (const char *const *event = planned->events; *event; event++) {
		const char *call = syscall_of(*event);

		fprintf(out, "lttng enable-event --kernel --session=%s --channel=%s %s'%s'",
			plan->session, planned->name, call ? "--syscall " : "",
			call ? call : *event);
		if (filter_of(planned, *event))
			mm_escape_print_word(out, " --filter=", filter_of(planned, *event));
		putc('\n', out);
	}
	print_contexts(out, plan, planned, planned->contexts);
	print_contexts(out, plan, planned, planned->more_contexts);
}

void session_print_commands(FILE *out, const struct session_plan *plan)
{
	fprintf(out, "lttng create %s", plan->session);
	if (plan->output)
		mm_escape_print_word(out, " --output=", plan->output);
	else
		fprintf(out, " --snapshot");
#ifdef LTTNG_MM_HAVE_TRACE_FORMAT
	fprintf(out, " --trace-format=ctf-1.8");
#endif
	putc('\n', out);
	for (size_t i = 0; i < plan->channel_count; i++)
		print_channel(out, plan, &plan->channels[i]);
	trackers_print(out, &plan->trackers, plan->session);
	fprintf(out, "lttng start %s\n", plan->session);
}
