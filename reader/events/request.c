// SPDX-License-Identifier: LGPL-2.1-only
/* Builds event requests, and finds the request that an event matches. */
#include "reader/events/request.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT "$ctx."

void mm_requests_init(struct mm_requests *requests)
{
	*requests = (struct mm_requests){ .error = MM_ERROR_INIT };
	mm_hash_init(&requests->by_name);
}

static void release_field(struct mm_requested_field *field)
{
	free(field->path);
	free(field->steps);
	free(field->members);
}

void mm_requests_release(struct mm_requests *requests)
{
	for (unsigned int i = 0; i < requests->count; i++) {
		struct mm_request *request = &requests->all[i];

		for (unsigned int j = 0; j < request->field_count; j++)
			release_field(&request->fields[j]);
		free(request->fields);
		free(request->event);
	}
	free(requests->all);
	mm_hash_release(&requests->by_name);
	*requests = (struct mm_requests){ .error = MM_ERROR_INIT };
}

static int out_of_memory(struct mm_requests *requests)
{
	return mm_error_set(&requests->error, MM_EXIT_ENVIRONMENT, "event request: out of memory");
}

static bool is_event(const void *all, uint32_t number, const void *event)
{
	return !strcmp(((const struct mm_request *)all)[number].event, event);
}

static uint32_t find_name(const struct mm_requests *requests, const char *event)
{
	const struct mm_hash *hash = &requests->by_name;

	return mm_hash_find(hash, mm_hash_of_string(hash, event), requests->all, event, is_event);
}

static int find_same(const struct mm_requests *requests, const char *event, bool is_pattern)
{
	uint32_t number;

	if (!is_pattern) {
		number = find_name(requests, event);
		return number == MM_HASH_NONE ? -1 : (int)number;
	}
	for (unsigned int i = 0; i < requests->count; i++)
		if (requests->all[i].is_pattern && is_event(requests->all, i, event))
			return (int)i;
	return -1;
}

int mm_requests_add(struct mm_requests *requests, const char *event)
{
	bool is_pattern = strpbrk(event, "*?[\\");
	struct mm_request *grown;
	int number;

	if (requests->error.code)
		return -1;
	number = find_same(requests, event, is_pattern);
	if (number >= 0) {
		requests->current = (unsigned int)number;
		return number;
	}
	if (requests->count == MM_REQUESTS_MAX)
		return mm_error_set(
			&requests->error, MM_EXIT_BAD_INPUT,
			"event request: %s: more than %u requests; request fewer events, or patterns of them",
			event, MM_REQUESTS_MAX);
	grown = mm_array_grow(requests->all, requests->count, &requests->room, sizeof(*grown));
	if (!grown)
		return out_of_memory(requests);
	requests->all = grown;
	grown += requests->count;
	*grown = (struct mm_request){ .event = strdup(event), .is_pattern = is_pattern };
	if (!grown->event)
		return out_of_memory(requests);
	requests->current = requests->count;
	number = (int)requests->count++;
	if (!is_pattern &&
	    mm_hash_add(&requests->by_name, mm_hash_of_string(&requests->by_name, event),
			(uint32_t)number))
		return out_of_memory(requests);
	return number;
}

static void add_step(struct mm_requested_field *field, const char *member, uint64_t index)
{
	field->steps[field->step_count++] = (struct mm_path_step){ member, index };
}

static char *parse_index(char *at, uint64_t *index)
{
	*index = 0;
	if (*++at == '0' && at[1] != ']')
		return NULL;
	if (*at < '0' || *at > '9')
		return NULL;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(*index, UINT64_C(10), index) ||
		    __builtin_add_overflow(*index, (uint64_t)(*at - '0'), index))
			return NULL;
	return *at == ']' ? at + 1 : NULL;
}

static bool parse_path(struct mm_requested_field *field)
{
	char *at = field->members;

	while (field->step_count < MM_PATH_STEPS_MAX) {
		char *name = at, after;
		uint64_t index;

		at += strcspn(at, ".[");
		after = *at;
		if (at == name)
			return false;
		*at = '\0';
		add_step(field, name, 0);
		while (after == '[') {
			/* @at points to the bracket, which is now a NUL. parse_index() skips it. */
			at = parse_index(at, &index);
			if (!at || field->step_count == MM_PATH_STEPS_MAX)
				return false;
			add_step(field, NULL, index);
			after = *at;
		}
		if (!after)
			return true;
		if (after != '.')
			return false;
		at++;
	}
	return false;
}

static int make_field(struct mm_requests *requests, struct mm_requested_field *field,
		      const char *path, unsigned int flags)
{
	struct mm_path_step *steps;

	*field = (struct mm_requested_field){ .path = strdup(path), .flags = flags };
	if (!field->path)
		return out_of_memory(requests);
	field->context = !strncmp(path, CONTEXT, strlen(CONTEXT));
	field->name = field->path + (field->context ? strlen(CONTEXT) : 0);
	field->members = strdup(field->name);
	field->steps = calloc(MM_PATH_STEPS_MAX, sizeof(*field->steps));
	if (!field->members || !field->steps)
		return out_of_memory(requests);
	if (!parse_path(field))
		return mm_error_set(
			&requests->error, MM_EXIT_BAD_INPUT,
			"event request: %s: '%s' does not name a field; write NAME, $ctx.NAME, A.B or A[N], %u steps at most",
			requests->all[requests->current].event, path, MM_PATH_STEPS_MAX);
	steps = realloc(field->steps, field->step_count * sizeof(*steps));
	if (steps)
		field->steps = steps;
	return 0;
}

int mm_requests_add_field(struct mm_requests *requests, const char *path, unsigned int flags)
{
	struct mm_requested_field *grown;
	struct mm_request *request;

	if (requests->error.code)
		return -1;
	if (!requests->count)
		return mm_error_set(
			&requests->error, MM_EXIT_BAD_INPUT,
			"event request: %s: this field was requested before an event; request the event first",
			path);
	request = &requests->all[requests->current];
	for (unsigned int i = 0; i < request->field_count; i++)
		if (!strcmp(request->fields[i].path, path))
			return (int)i;
	if (request->field_count == MM_REQUEST_FIELDS_MAX)
		return mm_error_set(&requests->error, MM_EXIT_BAD_INPUT,
				    "event request: %s: %s: more than %u fields; request fewer",
				    request->event, path, MM_REQUEST_FIELDS_MAX);
	grown = mm_array_grow(request->fields, request->field_count, &request->field_room,
			      sizeof(*grown));
	if (!grown)
		return out_of_memory(requests);
	request->fields = grown;
	grown += request->field_count;
	if (make_field(requests, grown, path, flags)) {
		release_field(grown);
		return -1;
	}
	return (int)request->field_count++;
}

void mm_requests_add_rest(struct mm_requests *requests, unsigned int flags)
{
	struct mm_request *request;

	if (requests->error.code || !requests->count)
		return;
	request = &requests->all[requests->current];
	request->rest = true;
	request->rest_flags |= flags;
}

bool mm_request_is_rest(const struct mm_request *request, const char *name)
{
	for (unsigned int i = 0; i < request->field_count; i++)
		if (!request->fields[i].context && !strcmp(request->fields[i].name, name))
			return false;
	return request->rest;
}

void mm_requests_add_table(struct mm_requests *requests, const struct mm_event_fields *table,
			   unsigned int flags)
{
	for (; table->event; table++) {
		mm_requests_add(requests, table->event);
		for (size_t i = 0; table->fields && table->fields[i]; i++)
			mm_requests_add_field(requests, table->fields[i], flags);
	}
}

void mm_requests_expect(struct mm_requests *requests, const char *path, unsigned int flags)
{
	for (unsigned int i = 0; i < requests->count; i++)
		for (unsigned int j = 0; j < requests->all[i].field_count; j++)
			if (!strcmp(requests->all[i].fields[j].path, path))
				requests->all[i].fields[j].flags = flags;
}

void mm_requests_set_role(struct mm_requests *requests, enum mm_request_role role)
{
	if (!requests->error.code && requests->count)
		requests->all[requests->current].role = role;
}

int mm_requests_check(const struct mm_requests *requests, struct mm_error *err)
{
	if (!requests->error.code)
		return 0;
	return mm_error_set(err, requests->error.code, "%s", requests->error.message);
}

int mm_requests_find(const struct mm_requests *requests, const char *event)
{
	uint32_t number = find_name(requests, event);

	if (number != MM_HASH_NONE)
		return (int)number;
	for (unsigned int i = 0; i < requests->count; i++)
		if (requests->all[i].is_pattern && !fnmatch(requests->all[i].event, event, 0))
			return (int)i;
	return -1;
}

static bool is_dump(const char *event)
{
	return strstr(event, "_statedump_");
}

bool mm_request_is_state(const struct mm_requests *requests, int number, const char *event)
{
	enum mm_request_role role = requests->all[number].role;

	if (role == MM_ROLE_EVENT || role == MM_ROLE_STATE)
		return role == MM_ROLE_STATE;
	return is_dump(event);
}

bool mm_request_is_for_names(const struct mm_requests *requests, int number)
{
	return requests->all[number].role == MM_ROLE_NAMES;
}

bool mm_request_affects_others(const struct mm_requests *requests, int number)
{
	return requests->all[number].role != MM_ROLE_NAMES &&
	       requests->all[number].role != MM_ROLE_COUNTED;
}

bool mm_requests_have_state(const struct mm_requests *requests)
{
	for (unsigned int i = 0; i < requests->count; i++)
		if (mm_request_is_state(requests, (int)i, requests->all[i].event))
			return true;
	return false;
}
