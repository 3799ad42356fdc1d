// SPDX-License-Identifier: LGPL-2.1-only
/* Looks whether the event of a trigger still exists. */
#include "lttng-session/watch/presence.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/fn/device.h"
#include "lttng-session/profile/event-names.h"
#include "lttng-session/system/mounts.h"
#include "lttng-session/trigger/functions.h"
#include "util/fnv.h"

/* Lines start with a module's name; the number of its users changes all the time. */
static void add_modules(uint64_t *key)
{
	char path[4096], line[1024];
	FILE *file = mounts_path(path, sizeof(path), "/proc/modules") ? NULL : fopen(path, "re");

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, " ")] = '\0';
		mm_fnv_add(key, line);
	}
	if (file)
		fclose(file);
}

static int add_function(const struct lttng_mm_fn_state *state, void *user)
{
	mm_fnv_add(user, state->name);
	mm_fnv_add(user, state->spec);
	return 0;
}

static uint64_t make_key(void)
{
	int device = fn_device_open(false, NULL);
	uint64_t key = MM_FNV_START;

	add_modules(&key);
	if (device < 0)
		return key;
	fn_device_each(device, add_function, &key, NULL);
	close(device);
	return key;
}

void presence_init(struct presence *presence)
{
	*presence = (struct presence){ .key = make_key() };
}

static bool has(const struct event_names *known, const char *event)
{
	for (size_t i = 0; i < known->count; i++)
		if (!strcmp(known->names[i], event))
			return true;
	return false;
}

static void explain(const struct trigger *trigger, char *why, size_t size)
{
	char name[LTTNG_MM_FN_NAME_MAX];

	if (!trigger_function_of(trigger->event, name))
		snprintf(
			why, size,
			"the event %s is gone: the module of its probe was unloaded; load it again",
			trigger->event);
	else if (trigger->spec)
		snprintf(why, size,
			 "the function %s was removed; add it again: lttng-mm fn add '%s'", name,
			 trigger->spec);
	else
		snprintf(why, size, "the function %s was removed; add it again", name);
}

enum presence_change presence_look(struct presence *presence, const struct trigger *trigger,
				   char *why, size_t size)
{
	struct event_names known = { .count = 0 };
	struct mm_error ignored = MM_ERROR_INIT;
	const uint64_t key = make_key();
	const bool before = presence->gone;

	if (key == presence->key)
		return PRESENCE_SAME;
	/* It is asked again if it does not answer. */
	if (!event_names_list(&known, &ignored)) {
		presence->key = key;
		presence->gone = !has(&known, trigger->event);
	}
	event_names_release(&known);
	if (presence->gone == before)
		return PRESENCE_SAME;
	if (presence->gone)
		explain(trigger, why, size);
	return presence->gone ? PRESENCE_GONE : PRESENCE_BACK;
}
