// SPDX-License-Identifier: LGPL-2.1-only
/* Looks up event names, and finds the names most similar to a misspelt name. */
#include "lttng-session/profile/event-names.h"

#include <lttng/lttng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/profile/profile.h"
#include "lttng-session/system/session-daemon.h"
#include "util/glob.h"
#include "util/nearest.h"
#include "util/text.h"

bool event_name_is_own(const char *pattern)
{
	/* Compare the names of the providers, which end at the first underscore. */
	for (size_t i = 0; i < event_names_own.count; i++)
		if (!strncmp(pattern, event_names_own.names[i],
			     strcspn(event_names_own.names[i], "_") + 1))
			return true;
	return false;
}

/*
 * Do all fields of the event describe threads or interrupts? Such fields are CPUs, the names, IDs,
 * priorities, states and executables of threads, and the numbers, names and results of interrupts.
 */
static bool describes_execution(const char *name)
{
	static const char *const events[] = {
		"sched_process_exec", "sched_process_exit", "sched_process_fork",
		"sched_switch",	      "sched_wakeup",	    "sched_wakeup_new",
		"sched_waking",	      "irq_handler_entry",  "irq_handler_exit",
		"irq_softirq_entry",  "irq_softirq_exit",   "irq_softirq_raise",
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!strcmp(name, events[i]))
			return true;
	return false;
}

/*
 * Is it known that the pattern matches only such events? Considers only tracepoints of LTTng, not
 * kprobes.
 */
static bool matches_execution(const char *pattern)
{
	return !strcmp(pattern, "irq_*") || !strcmp(pattern, "irq_handler_*") ||
	       !strcmp(pattern, "irq_softirq_*");
}

bool event_name_is_safe(const char *pattern)
{
	return describes_execution(pattern) || matches_execution(pattern) ||
	       event_name_is_own(pattern) || event_name_is_function(pattern);
}

bool event_name_is_known_safe(const char *name)
{
	for (size_t i = 0; i < event_names_own.count; i++)
		if (!strcmp(name, event_names_own.names[i]))
			return true;
	return describes_execution(name);
}

bool event_names_have(const struct event_names *known, const char *pattern)
{
	for (size_t i = 0; i < known->count; i++)
		if (mm_glob_match(pattern, known->names[i]))
			return true;
	return false;
}

static int add_events(struct event_names *known, const char *prefix, struct lttng_event *events,
		      int count)
{
	char name[sizeof(events->name) + sizeof(PROFILE_SYSCALL)];
	int ret = 0;

	for (int i = 0; i < count && !ret; i++) {
		snprintf(name, sizeof(name), "%s%.*s", prefix, (int)sizeof(events->name),
			 events[i].name);
		ret = mm_strings_add(&known->names, &known->count, name);
	}
	free(events);
	return ret;
}

int event_names_list(struct event_names *known, struct mm_error *err)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(NULL, &domain);
	struct lttng_event *events = NULL;
	int count, ret;

	*known = (struct event_names){ .count = 0 };
	count = handle ? lttng_list_tracepoints(handle, &events) : -LTTNG_ERR_NOMEM;
	lttng_destroy_handle(handle);
	if (count < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "session daemon: the kernel's events cannot be listed: %s%s",
				    lttng_strerror(count), daemon_remedy(count));
	ret = add_events(known, "", events, count);
	events = NULL;
	/* A kernel without system-call tracing lists no system calls, so ignore a failure. */
	count = lttng_list_syscalls(&events);
	if (!ret && count > 0)
		ret = add_events(known, PROFILE_SYSCALL, events, count);
	if (!ret)
		return 0;
	event_names_release(known);
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "events: out of memory");
}

void event_names_release(struct event_names *known)
{
	mm_strings_release(known->names, known->count);
	*known = (struct event_names){ .count = 0 };
}

static void offer(const struct event_names *known, struct mm_nearest *nearest)
{
	for (size_t i = 0; i < known->count; i++)
		mm_nearest_offer(nearest, known->names[i]);
}

void event_names_nearest(const struct event_names *known, const char *pattern, char *text,
			 size_t size)
{
	struct mm_nearest nearest = { .wanted = pattern };

	offer(known, &nearest);
	mm_nearest_list(&nearest, text, size);
}

void event_names_nearest_event(const struct event_names *known, const char *pattern, char *text,
			       size_t size)
{
	struct mm_nearest nearest = { .wanted = pattern };

	offer(known, &nearest);
	/* Also suggest events of probes that are not loaded. */
	offer(&event_names_own, &nearest);
	mm_nearest_list(&nearest, text, size);
}
