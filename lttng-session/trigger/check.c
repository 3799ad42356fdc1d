// SPDX-License-Identifier: LGPL-2.1-only
/* Checks the conditions that LTTng would accept, but that never match. */
#include <errno.h>
#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/profile/event-names.h"
#include "lttng-session/profile/profile.h"
#include "lttng-session/system/daemon.h"
#include "lttng-session/trigger/event-check.h"
#include "lttng-session/trigger/event-fields.h"
#include "lttng-session/trigger/trigger.h"
#include "util/text.h"

/* Of no session: a name cannot contain that. */
#define NO_SESSION "lttng-mm/filter"

enum { COMPILED, REFUSED };

/*
 * The library compiles a filter before it connects to the session daemon, for which no descriptor
 * is left.
 */
static int compile(const char *filter)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(NO_SESSION, &domain);
	struct lttng_event *event = lttng_event_create();
	const struct rlimit none = { 0, 0 };
	int ret;

	if (!handle || !event || setrlimit(RLIMIT_NOFILE, &none))
		return COMPILED;
	event->type = LTTNG_EVENT_TRACEPOINT;
	event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
	strcpy(event->name, "sched_switch");
	ret = lttng_enable_event_with_filter(handle, event, "none", filter);
	return ret == -LTTNG_ERR_FILTER_INVAL || ret == -LTTNG_ERR_FILTER_NOMEM ? REFUSED
										: COMPILED;
}

/* Of what the library wrote: the reason, without "[error] ". */
static void read_why(int fd, char *why, size_t size)
{
	static const char prefix[] = "[error] ", other[] = "error ";
	ssize_t length = pread(fd, why, size - 1, 0);

	why[length > 0 ? length : 0] = '\0';
	why[strcspn(why, "\n")] = '\0';
	if (!strncmp(why, prefix, strlen(prefix)))
		memmove(why, why + strlen(prefix), strlen(why + strlen(prefix)) + 1);
	else if (!strncmp(why, other, strlen(other)))
		memmove(why, why + strlen(other), strlen(why + strlen(other)) + 1);
	if (!*why)
		snprintf(why, size, "it cannot be compiled");
}

/* In a process of its own: the library writes to standard error. */
int trigger_check_filter(const struct trigger *trigger, struct mm_error *err)
{
	int fd, status = 0;
	char why[256];
	pid_t pid;

	if (!trigger->filter)
		return 0;
	fd = memfd_create("filter", MFD_CLOEXEC);
	pid = fd < 0 ? -1 : fork();
	if (!pid)
		_exit(dup2(fd, STDERR_FILENO) < 0 ? COMPILED : compile(trigger->filter));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trigger: the filter cannot be checked: %s",
			     strerror(errno));
	else
		read_why(fd, why, sizeof(why));
	if (fd >= 0)
		close(fd);
	if (pid < 0)
		return -1;
	if (!WIFEXITED(status))
		snprintf(why, sizeof(why), "its compiler ended by signal %d", WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == COMPILED)
		return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"trigger: %s: condition: '%s' is not a filter of LTTng: %s; lttng-enable-event(1) describes them",
		trigger->name, trigger->filter, why);
}

static bool has_event(const struct trigger *trigger)
{
	return trigger->kind == TRIGGER_EVENT || trigger->kind == TRIGGER_RATE;
}

static int check_name(const struct trigger *trigger, const struct event_names *known,
		      struct mm_error *err)
{
	char nearest[800];

	for (size_t i = 0; i < known->count; i++)
		if (!strcmp(known->names[i], trigger->event))
			return 0;
	if (event_names_have(&event_names_own, trigger->event))
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"trigger: %s: the probe of the event %s is not loaded; start a recorder of it first: lttng-mm record",
			trigger->name, trigger->event);
	event_names_nearest(known, trigger->event, nearest, sizeof(nearest));
	return mm_error_set(err, MM_EXIT_BAD_INPUT,
			    "trigger: %s: no event is named '%s'; the nearest ones: %s",
			    trigger->name, trigger->event, nearest);
}

/* Checks it against the class @prefix@event. Returns 1 if there is none. */
static int check_class(struct trigger *trigger, const struct ctf_trace_class *trace,
		       const char *prefix, const char *event, struct mm_error *err)
{
	const size_t length = strlen(prefix);

	for (size_t s = 0; s < trace->stream_count; s++) {
		const struct ctf_stream_class *stream = trace->streams[s];

		for (size_t i = 0; i < stream->event_count; i++)
			if (!strncmp(stream->events[i]->name, prefix, length) &&
			    !strcmp(stream->events[i]->name + length, event))
				return event_check(trigger, stream->events[i], err);
	}
	return 1;
}

static int check_fields(struct trigger *trigger, const struct ctf_trace_class *trace,
			struct mm_error *err)
{
	const size_t length = strlen(PROFILE_SYSCALL);
	bool call = !strncmp(trigger->event, PROFILE_SYSCALL, length);
	int ret = check_class(trigger, trace, call ? "syscall_entry_" : "",
			      trigger->event + (call ? length : 0), err);

	/* A system call has two classes: the condition must fit one of them. */
	if (ret && call &&
	    !check_class(trigger, trace, "syscall_exit_", trigger->event + length, NULL)) {
		mm_error_clear(err);
		return 0;
	}
	if (ret <= 0)
		return ret;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "trigger: %s: the tracer does not describe the event %s", trigger->name,
			    trigger->event);
}

void trigger_check_events(struct trigger *const *triggers, size_t count, struct mm_error *errs)
{
	struct mm_error why = MM_ERROR_INIT;
	struct ctf_trace_class *trace = NULL;
	struct event_names known = { .count = 0 };
	const char **names = calloc(count + 1, sizeof(*names));
	size_t checked = 0;
	bool asks = false;

	for (size_t i = 0; i < count; i++)
		asks |= has_event(triggers[i]);
	if (!names)
		mm_error_set(&why, MM_EXIT_ENVIRONMENT, "trigger: out of memory");
	else if (asks && !daemon_require(&why))
		event_names_list(&known, &why);
	for (size_t i = 0; i < count && !why.code; i++)
		if (has_event(triggers[i]) && !check_name(triggers[i], &known, &errs[i]) &&
		    !trigger_check_filter(triggers[i], &errs[i]))
			names[checked++] = triggers[i]->event;
	event_names_release(&known);
	if (checked)
		trace = event_fields_read(names, checked, &why);
	for (size_t i = 0; i < count; i++) {
		if (!has_event(triggers[i]) || errs[i].code)
			continue;
		if (trace)
			check_fields(triggers[i], trace, &errs[i]);
		else
			mm_error_set(&errs[i], why.code, "%s", why.message);
	}
	ctf_trace_class_destroy(trace);
	free(names);
}

int trigger_check_event(struct trigger *trigger, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;

	trigger_check_events(&trigger, 1, &why);
	return why.code ? mm_error_set(err, why.code, "%s", why.message) : 0;
}
