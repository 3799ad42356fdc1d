// SPDX-License-Identifier: LGPL-2.1-only
// Common parts of CTF 2's fragments: tables of previous declarations, and scopes.

#include <inttypes.h>
#include <stdio.h>

#include "reader/ctf/json/json.h"

static const uint32_t scope_roles[CTF_JSON_SCOPES] = {
	[CTF_JSON_PACKET_HEADER] =
		CTF_ROLE_MAGIC | CTF_ROLE_UUID | CTF_ROLE_STREAM_CLASS_ID | CTF_ROLE_STREAM_ID,
	[CTF_JSON_PACKET_CONTEXT] = CTF_ROLE_PACKET_SIZE | CTF_ROLE_CONTENT_SIZE | CTF_ROLE_TIME |
				    CTF_ROLE_PACKET_END_TIME | CTF_ROLE_DISCARDED |
				    CTF_ROLE_PACKET_SEQ,
	[CTF_JSON_EVENT_HEADER] = CTF_ROLE_EVENT_CLASS_ID | CTF_ROLE_TIME,
};

int ctf_json_remember(struct ctf_json *j, json_t *table, const char *key, size_t index)
{
	return json_object_set_new_nocheck(table, key, json_integer(index)) ? ctf_json_no_memory(j)
									    : 0;
}

bool ctf_json_recall(const json_t *table, const char *key, size_t *index)
{
	const json_t *value = json_object_get(table, key);

	if (value)
		*index = json_integer_value(value);
	return value != NULL;
}

void ctf_json_id_key(uint64_t id, char key[24])
{
	snprintf(key, 24, "%" PRIu64, id);
}

static int place_roles(struct ctf_json *j, struct ctf_field *field, enum ctf_json_scope scope,
		       const struct ctf_clock *clock)
{
	uint32_t times = CTF_ROLE_TIME | CTF_ROLE_PACKET_END_TIME;
	const char *outer = j->member;
	size_t i;

	if (field->roles & ~scope_roles[scope])
		return ctf_json_fail(j, "a role that has no meaning in this scope");
	if (field->roles & times && !clock)
		return ctf_json_fail(
			j,
			"a timestamp, but the data stream class has no `default-clock-class-id`");
	if (field->roles & CTF_ROLE_UUID && !j->trace->has_uuid)
		return ctf_json_fail(
			j, "a copy of the metadata's UUID, but the preamble has no `uuid`");
	if (field->roles & times)
		field->clock = clock;
	for (i = 0; i < field->member_count; i++) {
		if (field->kind == CTF_STRUCT)
			j->member = field->members[i].name;
		if (place_roles(j, field->members[i].field, scope, clock))
			return -1;
		j->member = outer;
	}
	return field->element ? place_roles(j, field->element, scope, clock) : 0;
}

int ctf_json_load_scope(struct ctf_json *j, const json_t *fragment, const char *name,
			struct ctf_field **scopes, enum ctf_json_scope scope,
			const struct ctf_clock *clock)
{
	const json_t *value = json_object_get(fragment, name);

	if (!value)
		return 0;
	scopes[scope] = ctf_json_field(j, value, 1);
	if (!scopes[scope])
		return -1;
	if (scopes[scope]->kind != CTF_STRUCT)
		return ctf_json_fail(j, "`%s` is not a structure", name);
	if (ctf_json_locate(j, scopes, scope))
		return -1;
	return place_roles(j, scopes[scope], scope, clock);
}
