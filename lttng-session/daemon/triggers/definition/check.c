// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Checks conditions of triggers. Without these checks, LTTng would accept a condition with wrong
 * names, which would never match.
 */
#include <errno.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/confined.h"
#include "lttng-session/daemon/triggers/definition/event-check.h"
#include "lttng-session/daemon/triggers/definition/event-fields.h"
#include "lttng-session/daemon/triggers/definition/filter-signs.h"
#include "lttng-session/daemon/triggers/definition/functions.h"
#include "lttng-session/daemon/triggers/definition/regex.h"
#include "lttng-session/daemon/triggers/definition/store.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/profile/event-names.h"
#include "lttng-session/profile/profile.h"
#include "lttng-session/system/session-daemon.h"
#include "util/mounts.h"
#include "util/never-returns.h"
#include "util/text.h"

/* No session has this name, because names of sessions contain no slash. */
#define NO_SESSION "lttng-mm/filter"

/*
 * Reads the message that liblttng-ctl has written to @fd, without its prefix "[error] ". Returns
 * false if there is no message.
 */
static bool read_why(int fd, char *why, size_t size)
{
	static const char prefix[] = "[error] ", other[] = "error ";
	ssize_t length = pread(fd, why, size - 1, 0);

	why[length > 0 ? length : 0] = '\0';
	why[strcspn(why, "\n")] = '\0';
	if (!strncmp(why, prefix, strlen(prefix)))
		memmove(why, why + strlen(prefix), strlen(why + strlen(prefix)) + 1);
	else if (!strncmp(why, other, strlen(other)))
		memmove(why, why + strlen(other), strlen(why + strlen(other)) + 1);
	if (*why)
		return true;
	snprintf(why, size, "the filter cannot be compiled");
	return false;
}

/*
 * Compiles the filter with liblttng-ctl. Afterwards, the library tries to connect to the session
 * daemon. A limit of 0 descriptors makes the connection fail, so only the compilation counts. The
 * library writes its message to standard error, which is a memory file here.
 */
static int compile_filter(const struct trigger *trigger, const char *filter, struct mm_error *err)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(NO_SESSION, &domain);
	struct lttng_event *event = lttng_event_create();
	int fd = memfd_create("filter", MFD_CLOEXEC), ret;
	const struct rlimit none = { 0, 0 };
	bool has_reason;
	char why[256];

	if (!handle || !event || fd < 0 || dup2(fd, STDERR_FILENO) < 0 ||
	    setrlimit(RLIMIT_NOFILE, &none))
		return trigger_error(trigger, err, MM_EXIT_ENVIRONMENT,
				     "the filter cannot be checked: %s", strerror(errno));
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	strcpy(event->name, "sched_switch");
	ret = lttng_enable_event_with_filter(handle, event, "none", filter);
	has_reason = read_why(fd, why, sizeof(why));
	/* For a bad filter, LTTng 2.16 and later return LTTNG_ERR_INVALID, a general code. */
	if (ret != -LTTNG_ERR_FILTER_INVAL && ret != -LTTNG_ERR_FILTER_NOMEM &&
	    !(ret == -LTTNG_ERR_INVALID && has_reason))
		return 0;
	return trigger_error(
		trigger, err, MM_EXIT_BAD_INPUT,
		"condition: '%s' is not a filter of LTTng: %s; lttng-enable-event(1) describes filters",
		filter, why);
}

static int compile(const struct trigger *trigger, void *user, char text[CONFINED_TEXT],
		   struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;

	if (trigger->regex && trigger_compile_regex(trigger->regex, "regular expression", &why))
		return trigger_error(trigger, err, why.code, "condition: %s", why.message);
	return trigger->filter ? compile_filter(trigger, trigger->filter, err) : 0;
}

static int compile_rewritten(const struct trigger *trigger, void *user, char text[CONFINED_TEXT],
			     struct mm_error *err)
{
	return compile_filter(trigger, user, err);
}

int trigger_check_text(const struct trigger *trigger, struct mm_error *err)
{
	char text[CONFINED_TEXT];

	return trigger->filter || trigger->regex ? confined_run(trigger, compile, NULL, text, err)
						 : 0;
}

int trigger_check_pressure(const struct trigger *trigger, struct mm_error *err)
{
	char path[PATH_MAX];

	if (trigger->kind != TRIGGER_PRESSURE)
		return 0;
	/* Linux would accept a PSI trigger for "cpu full", but never report it. */
	if (trigger->full && !strcmp(trigger->resource, "cpu"))
		return trigger_error(trigger, err, MM_EXIT_BAD_INPUT, TRIGGER_NO_FULL_CPU);
	if (mounts_path(path, sizeof(path), TRIGGER_PRESSURE_FOLDER "/%s", trigger->resource) ||
	    !access(path, F_OK))
		return 0;
	return trigger_error(trigger, err, MM_EXIT_ENVIRONMENT,
			     TRIGGER_PRESSURE_FOLDER "/%s: " TRIGGER_NO_PRESSURE,
			     trigger->resource);
}

static bool has_event(const struct trigger *trigger)
{
	return trigger->kind == TRIGGER_EVENT || trigger->kind == TRIGGER_RATE;
}

/* Has the function been added to the probe? Every added function has an entry event. */
static bool has_function(const struct event_names *known, const char *name)
{
	char entry[LTTNG_MM_FN_NAME_MAX + 16];

	function_event_name(name, FUNCTION_EVENT_ENTRY, entry, sizeof(entry));
	return event_names_have(known, entry);
}

static int check_name(const struct trigger *trigger, const struct event_names *known,
		      struct mm_error *err)
{
	char nearest[800], name[LTTNG_MM_FN_NAME_MAX], entry[LTTNG_MM_FN_NAME_MAX + 16];

	if (trigger_function_of(trigger->event, name) && mm_never_returns(name)) {
		function_event_name(name, FUNCTION_EVENT_ENTRY, entry, sizeof(entry));
		if (strcmp(trigger->event, entry) != 0)
			return trigger_error(
				trigger, err, MM_EXIT_BAD_INPUT,
				"%s() never returns, so its calls have only the event %s; use that event",
				name, entry);
	}
	for (size_t i = 0; i < known->count; i++)
		if (!strcmp(known->names[i], trigger->event))
			return 0;
	if (event_names_have(&event_names_own, trigger->event))
		return trigger_error(
			trigger, err, MM_EXIT_ENVIRONMENT,
			"the probe of the event %s is not loaded; start a recorder that records the event: lttng-mm record",
			trigger->event);
	if (trigger_function_of(trigger->event, name) && !has_function(known, name))
		return trigger_error(
			trigger, err, MM_EXIT_BAD_INPUT,
			"no function %s has been added; add it first: lttng-mm fn add %s", name,
			name);
	event_names_nearest_event(known, trigger->event, nearest, sizeof(nearest));
	return trigger_error(trigger, err, MM_EXIT_BAD_INPUT,
			     "no event is named '%s'; similar names: %s", trigger->event, nearest);
}

static int check_fields(struct trigger *trigger, const struct ctf_trace_class *trace,
			struct mm_error *err)
{
	const struct ctf_event_class *event = event_fields_find(trace, trigger->event, false);
	const struct ctf_event_class *exit = event_fields_find(trace, trigger->event, true);

	if (!event && !exit)
		return trigger_error(trigger, err, MM_EXIT_ENVIRONMENT,
				     "the tracer does not describe the event %s", trigger->event);
	return event_check_call(trigger, event, exit == event ? NULL : exit, err);
}

/*
 * Runs in the confined process. Checks the trigger against the fields in @user. Writes the result
 * to @text: one character for @at_exit and one for each @capture_hex, 'x' for true or '-' for
 * false; then @filter (with labels replaced) and @tracer_filter, each with a NUL.
 */
static int resolve(const struct trigger *trigger, void *user, char text[CONFINED_TEXT],
		   struct mm_error *err)
{
	/*
	 * This process has a copy of the caller's trigger, so changing it does not affect the
	 * caller.
	 */
	struct trigger *copy = (struct trigger *)trigger;

	if (check_fields(copy, user, err))
		return -1;
	*text++ = copy->at_exit ? 'x' : '-';
	for (size_t i = 0; i < copy->capture_count; i++)
		*text++ = copy->capture_hex[i] ? 'x' : '-';
	text += snprintf(text, FILTER_TEXT_MAX + 1, "%s", copy->filter ? copy->filter : "") + 1;
	snprintf(text, FILTER_REWRITTEN_MAX + 1, "%s",
		 copy->tracer_filter ? copy->tracer_filter : "");
	return 0;
}

/*
 * Sets the filters that the confined process has returned. Checks them first, because they are
 * untrusted.
 */
static int use_filter(struct trigger *trigger, const char *text, size_t size, struct mm_error *err)
{
	const char *rewritten = memchr(text, '\0', size);
	char ignored[CONFINED_TEXT];

	if (!rewritten++ || rewritten == text + size ||
	    !filter_is_resolved_from(text, trigger->filter) ||
	    !filter_is_rewritten_from(rewritten, text))
		return trigger_error(
			trigger, err, MM_EXIT_ENVIRONMENT,
			"the process that checks the filter has returned a different filter");
	if (strcmp(rewritten, text) != 0 &&
	    confined_run(trigger, compile_rewritten, (void *)rewritten, ignored, err))
		return -1;
	return trigger_set_filter(trigger, text, rewritten, err);
}

/* Checks the trigger in a confined process, and stores the results, which are untrusted. */
static int check_event(struct trigger *trigger, struct ctf_trace_class *trace, struct mm_error *err)
{
	const size_t flags = 1 + trigger->capture_count;
	char text[CONFINED_TEXT];

	if (confined_run(trigger, resolve, trace, text, err))
		return -1;
	trigger->at_exit = *text == 'x';
	for (size_t i = 0; i < trigger->capture_count; i++)
		trigger->capture_hex[i] = text[1 + i] == 'x';
	return trigger->filter ? use_filter(trigger, text + flags, sizeof(text) - flags, err) : 0;
}

struct field_query {
	struct field_cache cache;
	const char *names[2 * TRIGGERS_MAX];
	size_t count;
	struct trigger *stored[TRIGGERS_MAX];
	size_t stored_count;
};

static void add_name(struct field_query *query, const char *name)
{
	for (size_t i = 0; i < query->count; i++)
		if (!strcmp(query->names[i], name))
			return;
	if (query->count < (size_t)2 * TRIGGERS_MAX)
		query->names[query->count++] = name;
}

/*
 * Adds the event of a stored trigger to the query, because the trigger's watcher will also need the
 * fields.
 */
static void add_stored(void *user, struct trigger *trigger, const struct mm_error *refused)
{
	struct field_query *query = user;

	if (!trigger || !has_event(trigger) || query->stored_count == TRIGGERS_MAX) {
		trigger_destroy(trigger);
		return;
	}
	query->stored[query->stored_count++] = trigger;
	add_name(query, trigger->event);
}

static struct ctf_trace_class *ask(struct field_query *query, struct mm_error *err)
{
	size_t required = query->count;
	struct ctf_trace_class *trace;

	/*
	 * The fields of stored triggers' events are needed only later, so request them only if they
	 * can be cached.
	 */
	if (query->cache.folder >= 0)
		trigger_store_list(add_stored, query, NULL);
	trace = event_fields_read(query->names, query->count, required, &query->cache, err);
	while (query->stored_count)
		trigger_destroy(query->stored[--query->stored_count]);
	return trace;
}

/*
 * Checks the names of events whose fields are not in the cache. Adds these events to @query, and
 * returns their number.
 */
static size_t check_unknown(struct trigger *const *triggers, struct ctf_trace_class **traces,
			    size_t count, struct field_query *query, struct mm_error *errs,
			    struct mm_error *why)
{
	struct event_names known = { .count = 0 };
	bool listed = false;

	for (size_t i = 0; i < count && !why->code; i++) {
		if (!has_event(triggers[i]) || errs[i].code || traces[i])
			continue;
		if (!listed && event_names_list(&known, why))
			break;
		listed = true;
		if (!check_name(triggers[i], &known, &errs[i]))
			add_name(query, triggers[i]->event);
	}
	event_names_release(&known);
	return why->code ? 0 : query->count;
}

static void check_all(struct trigger *const *triggers, struct ctf_trace_class **traces,
		      size_t count, struct field_query *query, struct mm_error *errs)
{
	struct mm_error why = MM_ERROR_INIT;
	struct ctf_trace_class *trace = NULL;

	for (size_t i = 0; i < count; i++)
		if (has_event(triggers[i]) && !errs[i].code)
			traces[i] = field_cache_find(&query->cache, triggers[i]->event);
	if (check_unknown(triggers, traces, count, query, errs, &why))
		trace = ask(query, &why);
	/* Release the lock before handling users' texts, because that may take long. */
	field_cache_close(&query->cache);
	for (size_t i = 0; i < count; i++) {
		if (!has_event(triggers[i]) || errs[i].code)
			continue;
		if (traces[i] || trace)
			check_event(triggers[i], traces[i] ? traces[i] : trace, &errs[i]);
		else
			trigger_error(triggers[i], &errs[i], why.code, "%s", why.message);
	}
	ctf_trace_class_destroy(trace);
}

void trigger_check_events(struct trigger *const *triggers, size_t count, struct mm_error *errs)
{
	struct ctf_trace_class **traces = calloc(count + 1, sizeof(struct ctf_trace_class *));
	struct field_query query = { .count = 0 };
	struct mm_error why = MM_ERROR_INIT;
	bool asks = false;

	for (size_t i = 0; i < count; i++) {
		trigger_check_text(triggers[i], &errs[i]);
		asks |= has_event(triggers[i]) && !errs[i].code;
	}
	if (!traces)
		mm_error_set(&why, MM_EXIT_ENVIRONMENT, "out of memory");
	else if (asks && !daemon_require(&why)) {
		/*
		 * Add functions before opening the cache, because the cache's key depends on the
		 * added functions.
		 */
		trigger_add_functions(triggers, count, errs);
		field_cache_open(&query.cache);
		check_all(triggers, traces, count, &query, errs);
	}
	for (size_t i = 0; i < count; i++) {
		if (why.code && has_event(triggers[i]) && !errs[i].code)
			trigger_error(triggers[i], &errs[i], why.code, "%s", why.message);
		if (traces)
			ctf_trace_class_destroy(traces[i]);
	}
	free(traces);
}

int trigger_check_event(struct trigger *trigger, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;

	trigger_check_events(&trigger, 1, &why);
	return why.code ? mm_error_set(err, why.code, "%s", why.message) : 0;
}
