// SPDX-License-Identifier: LGPL-2.1-only
/* Names that events give to address ranges. Later events with an address show them. */
#include "reader/print/range-names.h"

#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/last-range.h"

/* Ranges consist of pages. */
#define PAGE_SHIFT 12
#define NAME_MAX_BYTES 256

struct range_name {
	uint32_t length;
	char text[];
};

struct mm_range_names {
	struct mm_last_ranges ranges; /* maps a range to the index of its name in @all */
	struct range_name **all;
	size_t count, room;
	struct mm_hash by_text;
	uint64_t number; /* number of the last range */
};

struct mm_range_names *mm_range_names_create(void)
{
	struct mm_range_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	mm_hash_init(&names->by_text);
	if (!mm_last_ranges_init(&names->ranges))
		return names;
	mm_range_names_destroy(names);
	return NULL;
}

void mm_range_names_destroy(struct mm_range_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++)
		free(names->all[i]);
	free(names->all);
	mm_hash_release(&names->by_text);
	mm_last_ranges_release(&names->ranges);
	free(names);
}

static bool is_text(const void *all, uint32_t number, const void *text)
{
	return !strcmp(((struct range_name *const *)all)[number]->text, text);
}

/* Returns the number of the name, or MM_HASH_NONE when out of memory. */
static uint32_t number_of(struct mm_range_names *names, const char *text)
{
	const uint32_t key = mm_hash_of_string(&names->by_text, text);
	uint32_t number = mm_hash_find(&names->by_text, key, names->all, text, is_text);
	const size_t length = strlen(text);
	struct range_name **all, *name;

	if (number != MM_HASH_NONE)
		return number;
	all = mm_array_grow(names->all, names->count, &names->room, sizeof(struct range_name *));
	name = all ? malloc(sizeof(*name) + length + 1) : NULL;
	if (all)
		names->all = all;
	if (!name)
		return MM_HASH_NONE;
	name->length = (uint32_t)length;
	memcpy(name->text, text, length + 1);
	number = (uint32_t)names->count;
	all[names->count++] = name;
	return mm_hash_add(&names->by_text, key, number) ? MM_HASH_NONE : number;
}

static bool find_field(const struct mm_event *event, const char *wanted, enum mm_kind kind,
		       struct mm_value *value)
{
	const char *name;

	for (size_t i = 0; !mm_event_field_at(event, i, &name, value); i++)
		if (!strcmp(name, wanted))
			return value->kind == kind;
	return false;
}

static int add_range(struct mm_range_names *names, const struct mm_range_fields *fields,
		     const struct mm_event *event, uint32_t space, uint64_t start)
{
	char text[NAME_MAX_BYTES * 4 + 1];
	struct mm_value end, name;
	size_t length;
	uint32_t number;

	if (!find_field(event, fields->end, MM_KIND_UNSIGNED, &end) || end.u <= start ||
	    !find_field(event, fields->name, MM_KIND_STRING, &name))
		return 0;
	length = strnlen(name.s, name.length < NAME_MAX_BYTES ? name.length : NAME_MAX_BYTES);
	mm_escape_terminal(text, sizeof(text), name.s, length);
	number = number_of(names, length ? text : fields->unnamed);
	if (number == MM_HASH_NONE)
		return -1;
	return mm_last_ranges_set(&names->ranges, space, start >> PAGE_SHIFT,
				  (end.u - 1) >> PAGE_SHIFT, ++names->number, number);
}

int mm_range_names_see(struct mm_range_names *names, const struct mm_range_fields *fields,
		       const struct mm_event *event, struct mm_text *text)
{
	static const char before[] = " in ";
	struct mm_value space, start;
	struct mm_last_range range;
	const struct range_name *name;
	char *out;

	if (!find_field(event, fields->space, MM_KIND_UNSIGNED, &space) ||
	    !find_field(event, fields->start, MM_KIND_UNSIGNED, &start))
		return 0;
	if (fields->end)
		return add_range(names, fields, event, (uint32_t)space.u, start.u);
	if (!text || !text->length)
		return 0;
	range = mm_last_ranges_find(&names->ranges, (uint32_t)space.u, start.u >> PAGE_SHIFT);
	if (!range.number)
		return 0;
	name = names->all[range.value];
	out = mm_text_reserve(text, sizeof(before) + name->length);
	if (!out)
		return -1;
	out = mempcpy(out - 1, before, sizeof(before) - 1);
	out = mempcpy(out, name->text, name->length);
	*out++ = '\n';
	text->length = (size_t)(out - text->data);
	return 0;
}
