// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the state dumps of added functions. */
#include "analysis/fn/decode/states.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS, MISSES, HOOK, HOOKED, STOPPED, ABSENT, NAME };

void fn_state_dumps_init(struct fn_state_dumps *dumps)
{
	*dumps = (struct fn_state_dumps){ NULL };
	mm_hash_init(&dumps->by_name);
}

void fn_state_dumps_release(struct fn_state_dumps *dumps)
{
	for (size_t i = 0; i < dumps->count; i++)
		free(dumps->all[i].name);
	free(dumps->all);
	mm_hash_release(&dumps->by_name);
}

void fn_state_dumps_request(struct mm_requests *requests)
{
	static const char *const numbers[] = {
		[CALLS] = "calls",   [MISSES] = "misses",   [HOOK] = "misses_group",
		[HOOKED] = "hooked", [STOPPED] = "stopped", [ABSENT] = "absent",
	};

	mm_requests_add(requests, "fnstate_statedump_function");
	for (int i = 0; i < NAME; i++)
		mm_requests_add_field(requests, numbers[i], MM_FIELD_INTEGER);
	mm_requests_add_field(requests, "name", MM_FIELD_STRING);
}

static bool is_name(const void *all, uint32_t number, const void *name)
{
	return !strcmp(((const struct fn_state_dump *)all)[number].name, name);
}

/*
 * Finds or adds the state of a function. Returns NULL when out of memory. Also returns NULL if
 * there are too many functions, and then sets *@full.
 */
static struct fn_state_dump *find(struct fn_state_dumps *dumps, const char *name, bool *full)
{
	uint32_t key = mm_hash_of_string(&dumps->by_name, name);
	uint32_t number = mm_hash_find(&dumps->by_name, key, dumps->all, name, is_name);
	struct fn_state_dump *grown;

	*full = number == MM_HASH_NONE && dumps->count == FN_FUNCTIONS_MAX;
	if (number != MM_HASH_NONE)
		return &dumps->all[number];
	if (*full)
		return NULL;
	grown = mm_array_grow(dumps->all, dumps->count, &dumps->room, sizeof(*grown));
	if (!grown)
		return NULL;
	dumps->all = grown;
	grown += dumps->count;
	*grown = (struct fn_state_dump){ .name = strdup(name), .time_ns = INT64_MIN };
	if (!grown->name)
		return NULL;
	return mm_hash_add(&dumps->by_name, key, (uint32_t)dumps->count++) ? NULL : grown;
}

int fn_state_dumps_see(struct fn_state_dumps *dumps, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct fn_state_dump *dump;
	bool full;

	dump = find(dumps, f[NAME].s, &full);
	if (!dump)
		return full ? 0 : -1;
	if (event->time_ns < dump->time_ns)
		return 0;
	*dump = (struct fn_state_dump){ .name = dump->name,
					.time_ns = event->time_ns,
					.calls = f[CALLS].u,
					.misses = f[MISSES].u,
					.hook = (uint32_t)f[HOOK].u,
					.hooked = f[HOOKED].u,
					.stopped = f[STOPPED].u,
					.absent = f[ABSENT].u };
	return 0;
}
