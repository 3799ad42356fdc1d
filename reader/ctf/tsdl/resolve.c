// SPDX-License-Identifier: LGPL-2.1-only
// Resolves the references of TSDL's lengths and tags, after all types are in place.

#include "reader/ctf/tsdl/tsdl.h"

#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of name comparisons. Without this limit, hostile metadata of a few megabytes would
 * take minutes.
 */
#define STEPS_MAX (UINT64_C(1) << 26)

/* The prefixes of dynamic scopes (CTF 1.8, section 7.3.2), in decoding order. */
static const struct {
	const char *prefix;
	size_t length;
} scopes[] = {
#define SCOPE(prefix)                      \
	{                                  \
		prefix, sizeof(prefix) - 1 \
	}
	SCOPE("trace.packet.header."), SCOPE("stream.packet.context."),
	SCOPE("stream.event.header."), SCOPE("stream.event.context."),
	SCOPE("event.context."),       SCOPE("event.fields."),
#undef SCOPE
};

#define SCOPES (sizeof(scopes) / sizeof(scopes[0]))

/*
 * The path from a scope's structure down to a field. Each level has the index of a member, or -1
 * for an array element.
 */
struct member_path {
	int64_t index[CTF_DEPTH_MAX + 1];
	size_t length;
};

struct path_resolver {
	struct tsdl_parser *p;
	struct ctf_field *roots[SCOPES];
	size_t root;
	struct ctf_field *parents[CTF_DEPTH_MAX + 1];
	struct member_path here; /* place of the current field */
	const char *at, *path;	 /* the reference of the current field: its position and text */
	bool loosely;		 /* ignore leading underscores */
};

static int fail(struct path_resolver *r, const char *why)
{
	return tsdl_fail(r->p, r->at, "`%.80s` %s", r->path, why);
}

/*
 * Finds the member with the name @name, of @length characters, among the members of @compound up to
 * index @last. Starts at the end, because most references are to the preceding field. Returns -1 if
 * no member matches, or -2 on error.
 */
static int64_t find_member(struct path_resolver *r, const struct ctf_field *compound, size_t last,
			   const char *name, size_t length)
{
	size_t underscores = r->loosely ? strspn(name, "_") : 0;
	const char *member;

	name += underscores;
	length -= underscores;
	for (size_t i = last + 1; i-- > 0;) {
		if (++r->p->steps > STEPS_MAX) {
			tsdl_fail(r->p, r->at,
				  "`%.80s`: too many references to distant fields; "
				  "that many are not supported",
				  r->path);
			return -2;
		}
		member = compound->members[i].name;
		if (r->loosely)
			member += strspn(member, "_");
		if (!strncmp(member, name, length) && !member[length])
			return (int64_t)i;
	}
	return -1;
}

/*
 * Follows @path from @field, which is at @place. @last: index of the last member of @field that the
 * path may use. Returns 1 with @target and its @place; 0 if there is no such field; or -1 on error.
 */
static int follow(struct path_resolver *r, const char *path, struct ctf_field *field, size_t last,
		  struct member_path *place, struct ctf_field **target)
{
	while (field->element || *path) {
		size_t length = strcspn(path, ".");
		int64_t index = -1;

		if (place->length > CTF_DEPTH_MAX)
			return 0;
		if (field->element) {
			/* All elements of an array share one field class. */
			if (!*path)
				break;
			place->index[place->length++] = -1;
			field = field->element;
			continue;
		}
		if (!field->member_count)
			return 0;
		index = find_member(r, field,
				    last < field->member_count ? last : field->member_count - 1,
				    path, length);
		if (index < 0)
			return index == -1 ? 0 : -1;
		place->index[place->length++] = index;
		field = field->members[index].field;
		path += length + (path[length] == '.');
		last = SIZE_MAX;
	}
	*target = field;
	return 1;
}

/*
 * Searches for the target in the structures around the field, innermost first. Returns 1 if found,
 * 0 if not, or -1 on error.
 */
static int find_relative(struct path_resolver *r, struct member_path *place,
			 struct ctf_field **target)
{
	for (size_t i = r->here.length; i-- > 0;) {
		int found;

		if (r->here.index[i] < 0)
			continue;
		*place = r->here;
		place->length = i;
		found = follow(r, r->path, r->parents[i], (size_t)r->here.index[i], place, target);
		if (found)
			return found;
	}
	return 0;
}

static int find_absolute(struct path_resolver *r, size_t scope, struct member_path *place,
			 struct ctf_field **target)
{
	place->length = 0;
	if (!r->roots[scope] || scope > r->root)
		return 0;
	return follow(r, r->path + scopes[scope].length, r->roots[scope], SIZE_MAX, place, target);
}

/* Is @place decoded before the current field of the same scope? */
static bool is_before(const struct path_resolver *r, const struct member_path *place)
{
	for (size_t i = 0; i < place->length && i < r->here.length; i++)
		if (place->index[i] != r->here.index[i])
			return place->index[i] < r->here.index[i];
	return false;
}

/*
 * Finds the target of a reference. Members of a named structure lose underscores when the structure
 * is used (see copy_named()), but references to these members keep the underscores. Therefore, if
 * nothing matches exactly, ignores leading underscores. (babeltrace2 does not find such members.)
 */
static int find_target(struct path_resolver *r, struct ctf_field **target)
{
	struct member_path place;
	size_t scope = 0;
	int found = 0;

	while (scope < SCOPES && strncmp(r->path, scopes[scope].prefix, scopes[scope].length) != 0)
		scope++;
	for (int i = 0; i < 2 && !found; i++) {
		r->loosely = i > 0;
		found = scope < SCOPES ? find_absolute(r, scope, &place, target)
				       : find_relative(r, &place, target);
	}
	if (found < 0)
		return -1;
	if (!found || ((scope == SCOPES || scope == r->root) && !is_before(r, &place)))
		return fail(r, "is not a field before the one that refers to it");
	return 0;
}

/*
 * Does the label select the option? The names must be equal. Unless @exactly is set, leading
 * underscores are ignored.
 */
static bool names_option(const char *label, const char *option, bool exactly)
{
	if (exactly)
		return !strcmp(label, option);
	return !strcmp(label + strspn(label, "_"), option + strspn(option, "_"));
}

static int add_ranges(struct path_resolver *r, struct ctf_member *option,
		      const struct ctf_field *tag, bool exactly)
{
	for (size_t i = 0; i < tag->mapping_count; i++) {
		const struct ctf_mapping *mapping = &tag->mappings[i];

		if (++r->p->steps > STEPS_MAX)
			return tsdl_fail(r->p, r->at,
					 "`%.80s`: too many labels of enumerations and options "
					 "of variants; that many are not supported",
					 r->path);
		if (!names_option(mapping->label, option->name, exactly))
			continue;
		if (tsdl_charge(r->p, r->at, mapping->range_count) < 0)
			return -1;
		for (size_t j = 0; j < mapping->range_count; j++)
			if (ctf_member_add_range(option, mapping->ranges[j]) < 0)
				return tsdl_fail_memory(r->p);
	}
	return 0;
}

static int set_options(struct path_resolver *r, struct ctf_field *variant,
		       const struct ctf_field *tag)
{
	for (size_t i = 0; i < variant->member_count; i++) {
		struct ctf_member *option = &variant->members[i];

		if (add_ranges(r, option, tag, true) < 0 ||
		    (!option->range_count && add_ranges(r, option, tag, false) < 0))
			return -1;
	}
	return 0;
}

static int resolve_reference(struct path_resolver *r, struct ctf_field *field)
{
	struct ctf_field *target;
	char *path;

	r->at = r->p->text + strtoull(field->path, &path, 10);
	r->path = path + 1;
	if (find_target(r, &target) < 0)
		return -1;
	if (field->kind == CTF_VARIANT && !target->is_enum)
		return fail(r, "is a variant's tag but not an enumeration");
	if (field->kind != CTF_VARIANT && target->kind != CTF_UNSIGNED)
		return fail(r, "is an array's length but not an unsigned integer");
	if (ctf_field_add_ref(field, target) < 0)
		return tsdl_fail_memory(r->p);
	if (field->kind == CTF_VARIANT && set_options(r, field, target) < 0)
		return -1;
	free(field->path);
	field->path = NULL;
	return 0;
}

static int resolve_field(struct path_resolver *r, struct ctf_field *field)
{
	size_t level = r->here.length;

	if (field->path && resolve_reference(r, field) < 0)
		return -1;
	if (!field->member_count && !field->element)
		return 0;
	r->parents[level] = field;
	r->here.length++;
	for (size_t i = 0; i < field->member_count; i++) {
		r->here.index[level] = (int64_t)i;
		if (resolve_field(r, field->members[i].field) < 0)
			return -1;
	}
	if (field->element) {
		r->here.index[level] = -1;
		if (resolve_field(r, field->element) < 0)
			return -1;
	}
	r->here.length--;
	return 0;
}

static int resolve_root(struct path_resolver *r, size_t scope, struct ctf_field *root)
{
	r->root = scope;
	r->roots[scope] = root;
	return root ? resolve_field(r, root) : 0;
}

int tsdl_resolve(struct tsdl_parser *p)
{
	struct ctf_trace_class *trace = p->trace;
	struct path_resolver r = { .p = p };

	if (resolve_root(&r, 0, trace->packet_header) < 0)
		return -1;
	for (size_t i = 0; i < trace->stream_count; i++) {
		struct ctf_stream_class *stream = trace->streams[i];

		if (resolve_root(&r, 1, stream->packet_context) < 0 ||
		    resolve_root(&r, 2, stream->event_header) < 0 ||
		    resolve_root(&r, 3, stream->common_context) < 0)
			return -1;
		for (size_t j = 0; j < stream->event_count; j++)
			if (resolve_root(&r, 4, stream->events[j]->specific_context) < 0 ||
			    resolve_root(&r, 5, stream->events[j]->payload) < 0)
				return -1;
	}
	return 0;
}
