// SPDX-License-Identifier: LGPL-2.1-only
/* Checks whether the event of a trigger still exists. */
#include "lttng-session/daemon/triggers/watch/presence.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/functions.h"
#include "lttng-session/fn/device.h"
#include "lttng-session/profile/event-names.h"
#include "util/hash.h"
#include "util/mounts.h"

/* Adds the names of the modules to the hash. Omits the use counts, which change constantly. */
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

/* The state of a search for a function in the list of the module lttng-probe-fn. */
struct function_lookup {
	uint64_t *key;
	const char *wanted;
	bool found;
};

static int add_function(const struct lttng_mm_fn_state *state, void *user)
{
	struct function_lookup *functions = user;

	mm_fnv_add(functions->key, state->name);
	mm_fnv_add(functions->key, state->spec);
	functions->found |= functions->wanted && !strcmp(functions->wanted, state->name);
	return 0;
}

/*
 * Returns a hash of the names of all modules and functions, and of the functions' SPECs. Sets
 * *@is_function if the event belongs to a function, and *@has_function if this function exists.
 */
static uint64_t look(const struct trigger *trigger, bool *is_function, bool *has_function)
{
	char name[LTTNG_MM_FN_NAME_MAX];
	uint64_t key = MM_FNV_START;
	struct function_lookup functions = { .key = &key };
	int device = fn_device_open(false, NULL);

	*is_function = trigger_function_of(trigger->event, name);
	if (*is_function)
		functions.wanted = name;
	add_modules(&key);
	if (device >= 0) {
		fn_device_each(device, add_function, &functions, NULL);
		close(device);
	}
	*has_function = functions.found;
	return key;
}

void presence_init(struct presence *presence, const struct trigger *trigger)
{
	bool ignored;

	*presence = (struct presence){ .key = look(trigger, &ignored, &ignored) };
}

/*
 * Returns 1 if the tracer has the event, 0 if it does not, or -1 if the session daemon does not
 * answer.
 */
static int has_event(const char *event)
{
	struct event_names known = { .count = 0 };
	struct mm_error ignored = MM_ERROR_INIT;
	int found = event_names_list(&known, &ignored) ? -1 : 0;

	for (size_t i = 0; i < known.count && !found; i++)
		found = !strcmp(known.names[i], event);
	event_names_release(&known);
	return found;
}

static void explain(const struct trigger *trigger, char *why, size_t size)
{
	char name[LTTNG_MM_FN_NAME_MAX];

	if (!trigger_function_of(trigger->event, name))
		snprintf(
			why, size,
			"the event %s no longer exists: the module of its probe was unloaded; load it again",
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
	bool is_function, has_function;
	const uint64_t key = look(trigger, &is_function, &has_function);
	const bool before = presence->gone;
	int found;

	if (key == presence->key)
		return PRESENCE_SAME;
	/*
	 * While a function's event is in use, LTTng lists it even after the function was removed.
	 * So ask the module about functions.
	 */
	found = is_function ? has_function : has_event(trigger->event);
	if (found < 0)
		return PRESENCE_SAME;
	presence->key = key;
	presence->gone = !found;
	if (presence->gone == before)
		return PRESENCE_SAME;
	if (presence->gone)
		explain(trigger, why, size);
	return presence->gone ? PRESENCE_GONE : PRESENCE_BACK;
}
