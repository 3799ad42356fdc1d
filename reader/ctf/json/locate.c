// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Resolves CTF 2's field locations to lengths and selectors.
 *
 * A location is a path of member names. It belongs to a dependent field, such as an array, and
 * leads to the field with its length. The path starts at a scope or at the structure around the
 * dependent field, and null stands for the next outer structure. Arrays, options and variants have
 * no name in a path: the path continues in the element or option that is being decoded. If the path
 * enters a variant that was decoded earlier, any option of the variant may have been selected, so
 * the path may lead to several fields.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/json/json.h"

static const char *const scope_names[] = {
	"packet-header",
	"packet-context",
	"event-record-header",
	"event-record-common-context",
	"event-record-specific-context",
	"event-record-payload",
	NULL,
};

struct locate_ctx {
	struct ctf_json *j;
	struct ctf_field *const *scopes;
	enum ctf_json_scope scope;
	/* The fields from the scope down to the dependent field, and their member names. */
	struct ctf_field *above[CTF_DEPTH_MAX];
	const char *names[CTF_DEPTH_MAX]; /* NULL: an element or option */
	size_t depth;
	/* the path that is being followed, from a scope */
	const char **path;
	size_t length;
};

/* The result of following a path. FOUND_DEPENDENT: the path leads to the dependent field itself. */
enum found { FOUND_ERROR = -1, FOUND, FOUND_DEPENDENT };

static bool is_above(const struct locate_ctx *l, const struct ctf_field *field)
{
	size_t i;

	for (i = 0; i < l->depth; i++)
		if (l->above[i] == field)
			return true;
	return false;
}

static struct ctf_field *dependent(const struct locate_ctx *l)
{
	return l->above[l->depth - 1];
}

static enum found follow(struct locate_ctx *l, struct ctf_field *field, size_t at);

/* Follows the path to a member. The member must be decoded before the dependent field. */
static enum found follow_member(struct locate_ctx *l, struct ctf_field *structure, size_t at)
{
	size_t i;

	if (at == l->length)
		return ctf_json_fail(l->j, "its length or selector is a structure");
	for (i = 0; i < structure->member_count; i++) {
		struct ctf_field *member = structure->members[i].field;

		if (!l->j->steps_left--)
			return ctf_json_fail(l->j, "too many locations of lengths and selectors");
		if (member == dependent(l))
			return FOUND_DEPENDENT;
		if (!strcmp(structure->members[i].name, l->path[at]))
			return follow(l, member, at + 1);
		if (is_above(l, member))
			return FOUND_DEPENDENT;
	}
	return ctf_json_fail(l->j, "its length or selector `%.60s` does not exist", l->path[at]);
}

static enum found follow_option(struct locate_ctx *l, struct ctf_field *variant, size_t at)
{
	bool inside = is_above(l, variant);
	enum found found = FOUND;
	size_t i;

	for (i = 0; i < variant->member_count && found == FOUND; i++)
		if (!inside || is_above(l, variant->members[i].field))
			found = follow(l, variant->members[i].field, at);
	return found;
}

static enum found follow(struct locate_ctx *l, struct ctf_field *field, size_t at)
{
	if (field == dependent(l))
		return FOUND_DEPENDENT;
	if (!l->j->steps_left--)
		return ctf_json_fail(l->j, "too many locations of lengths and selectors");
	switch (field->kind) {
	case CTF_BOOL:
	case CTF_UNSIGNED:
	case CTF_SIGNED:
	case CTF_LEB_UNSIGNED:
	case CTF_LEB_SIGNED:
		if (at != l->length)
			return ctf_json_fail(l->j, "`%.60s` is below a field that has no members",
					     l->path[at]);
		if (ctf_json_charge(l->j, 1))
			return FOUND_ERROR;
		return ctf_field_add_ref(dependent(l), field) ? ctf_json_no_memory(l->j) : FOUND;
	case CTF_STRUCT:
		return follow_member(l, field, at);
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
	case CTF_OPTION:
		if (!is_above(l, field))
			return ctf_json_fail(
				l->j,
				"its length or selector is in an array or optional field that does not contain the field itself");
		return follow(l, field->element, at);
	case CTF_VARIANT:
		return follow_option(l, field, at);
	default:
		return ctf_json_fail(l->j,
				     "its length or selector is neither a number nor a Boolean");
	}
}

/* Collects the names that lead to the structure around the dependent field. Returns the count. */
static size_t names_above(const struct locate_ctx *l, const char **names)
{
	size_t i, structure = 0, count = 0;

	for (i = 0; i + 1 < l->depth; i++)
		if (l->above[i]->kind == CTF_STRUCT)
			structure = i;
	for (i = 1; i <= structure; i++)
		if (l->names[i])
			names[count++] = l->names[i];
	return count;
}

/* Converts @items, which may contain nulls, to a path of names from a scope. */
static int normalise(struct locate_ctx *l, const json_t *items, bool from_scope)
{
	size_t i;

	l->path = calloc(json_array_size(items) + CTF_DEPTH_MAX, sizeof(*l->path));
	if (!l->path)
		return ctf_json_no_memory(l->j);
	l->length = from_scope ? 0 : names_above(l, l->path);
	for (i = 0; i < json_array_size(items); i++) {
		const char *name = json_string_value(json_array_get(items, i));

		if (name)
			l->path[l->length++] = name;
		else if (l->length)
			l->length--;
		else
			return ctf_json_fail(l->j,
					     "the path of its length or selector leaves the scope");
	}
	return 0;
}

static int locate_in(struct locate_ctx *l, const json_t *location)
{
	size_t scope = l->scope;
	enum found found;

	if (ctf_json_choice(l->j, location, "origin", scope_names, &scope))
		return -1;
	if (scope > l->scope)
		return ctf_json_fail(l->j, "its length or selector is in the %s, which comes later",
				     scope_names[scope]);
	if (!l->scopes[scope])
		return ctf_json_fail(l->j,
				     "its length or selector is in the %s, which does not exist",
				     scope_names[scope]);
	if (normalise(l, json_object_get(location, "path"), json_object_get(location, "origin")))
		return -1;
	found = follow(l, l->scopes[scope], 0);
	if (found == FOUND_ERROR)
		return -1;
	if (!dependent(l)->ref_count)
		return ctf_json_fail(l->j, "its length or selector does not precede the field");
	return 0;
}

static int locate_one(struct locate_ctx *l)
{
	struct ctf_field *field = dependent(l);
	json_t *location = json_loads(field->path, 0, NULL);
	int ret;

	if (!location)
		return ctf_json_no_memory(l->j);
	ret = locate_in(l, location);
	free(l->path);
	l->path = NULL;
	json_decref(location);
	free(field->path);
	field->path = NULL;
	return ret;
}

/* Resolves the locations in @field. @name is NULL unless @field is a structure's member. */
static int locate_tree(struct locate_ctx *l, struct ctf_field *field, const char *name)
{
	const char *outer = l->j->member;
	int ret = 0;
	size_t i;

	l->above[l->depth] = field;
	l->names[l->depth++] = name;
	if (name)
		l->j->member = name;
	if (field->path)
		ret = locate_one(l);
	for (i = 0; i < field->member_count && !ret; i++)
		ret = locate_tree(l, field->members[i].field,
				  field->kind == CTF_STRUCT ? field->members[i].name : NULL);
	if (field->element && !ret)
		ret = locate_tree(l, field->element, NULL);
	l->depth--;
	l->j->member = outer;
	return ret;
}

int ctf_json_locate(struct ctf_json *j, struct ctf_field *const *scopes, enum ctf_json_scope scope)
{
	struct locate_ctx l = { .j = j, .scopes = scopes, .scope = scope };

	return locate_tree(&l, scopes[scope], NULL);
}
