// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names that events give to ranges of addresses and to files. Later events about a range or a file
 * are printed with its name.
 */
#include "reader/print/range-names.h"

#include <stdlib.h>
#include <string.h>

#include "reader/open/open.h"
#include "util/escape.h"
#include "util/last-range.h"
#include "util/rows.h"

/* Ranges consist of pages. */
#define PAGE_SHIFT 12
#define NAME_MAX_BYTES 256

/* A file. The key is its device and its inode number. */
struct named_file {
	struct mm_row key;
	uint32_t name; /* index in mm_range_names.all, plus 1; 0: none */
};

/* A name, in the form in which it is printed. */
struct range_name {
	uint32_t length;
	char text[];
};

struct mm_range_names {
	struct mm_last_ranges ranges; /* maps a range to the index of its name in @all */
	struct mm_rows files;	      /* rows of type struct named_file */
	struct range_name **all;
	size_t count, room;
	struct mm_hash by_text;
	uint64_t number; /* number of the last range, as in mm_last_ranges_set() */
};

struct mm_range_names *mm_range_names_create(void)
{
	struct mm_range_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	mm_hash_init(&names->by_text);
	if (!mm_last_ranges_init(&names->ranges) &&
	    !mm_rows_init(&names->files, sizeof(struct named_file), UINT32_MAX - 1, 6))
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
	mm_rows_release(&names->files);
	free(names);
}

static bool is_text(const void *all, uint32_t number, const void *text)
{
	return !strcmp(((struct range_name *const *)all)[number]->text, text);
}

/* Returns the index of the name in names->all, or MM_HASH_NONE when out of memory. */
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

/*
 * Returns the index of the name that an event gives. If this name is empty, returns the index of
 * @unnamed.
 */
static uint32_t name_in(struct mm_range_names *names, const struct mm_value *name,
			const char *unnamed)
{
	char text[NAME_MAX_BYTES * 4 + 1];
	size_t length =
		strnlen(name->s, name->length < NAME_MAX_BYTES ? name->length : NAME_MAX_BYTES);

	mm_escape_terminal(text, sizeof(text), name->s, length);
	return number_of(names, length ? text : unnamed);
}

static int append_name(const struct mm_range_names *names, uint32_t number, const char *before,
		       struct mm_text *text)
{
	const struct range_name *name = names->all[number];
	char *out = mm_text_reserve(text, strlen(before) + 1 + name->length);

	if (!out)
		return -1;
	out = stpcpy(out - 1, before);
	out = mempcpy(out, name->text, name->length);
	*out++ = '\n';
	text->length = (size_t)(out - text->data);
	return 0;
}

static int add_range(struct mm_range_names *names, const struct mm_range_fields *fields,
		     const struct mm_event *event, uint32_t space, uint64_t start)
{
	struct mm_value end, name;
	uint32_t number;

	if (!find_field(event, fields->end, MM_KIND_UNSIGNED, &end) || end.u <= start ||
	    !find_field(event, fields->name, MM_KIND_STRING, &name))
		return 0;
	number = name_in(names, &name, fields->unnamed);
	if (number == MM_HASH_NONE)
		return -1;
	return mm_last_ranges_set(&names->ranges, space, start >> PAGE_SHIFT,
				  (end.u - 1) >> PAGE_SHIFT, ++names->number, number);
}

static int see_range(struct mm_range_names *names, const struct mm_range_fields *fields,
		     const struct mm_event *event, struct mm_text *text)
{
	struct mm_value space, start;
	struct mm_last_range range;

	if (!find_field(event, fields->space, MM_KIND_UNSIGNED, &space) ||
	    !find_field(event, fields->start, MM_KIND_UNSIGNED, &start))
		return 0;
	if (fields->end)
		return add_range(names, fields, event, (uint32_t)space.u, start.u);
	if (!text || !text->length)
		return 0;
	range = mm_last_ranges_find(&names->ranges, (uint32_t)space.u, start.u >> PAGE_SHIFT);
	return range.number ? append_name(names, range.value, " in ", text) : 0;
}

static int see_file(struct mm_range_names *names, const struct mm_file_fields *fields,
		    const struct mm_event *event, struct mm_text *text)
{
	struct mm_value major, minor, inode, path;
	const struct named_file *known;
	struct named_file *file;
	uint32_t device, number;

	if (!find_field(event, fields->major, MM_KIND_UNSIGNED, &major) ||
	    !find_field(event, fields->minor, MM_KIND_UNSIGNED, &minor) ||
	    !find_field(event, fields->inode, MM_KIND_UNSIGNED, &inode))
		return 0;
	device = (uint32_t)major.u << 20 | (uint32_t)minor.u;
	if (!fields->path) {
		known = mm_rows_lookup3(&names->files, device, (uint32_t)inode.u,
					(uint32_t)(inode.u >> 32));
		return known && known->name && text && text->length
			       ? append_name(names, known->name - 1, " ", text)
			       : 0;
	}
	if (!find_field(event, fields->path, MM_KIND_STRING, &path))
		return 0;
	number = name_in(names, &path, "");
	file = mm_rows_get3(&names->files, device, (uint32_t)inode.u, (uint32_t)(inode.u >> 32));
	if (number == MM_HASH_NONE || !file)
		return -1;
	file->name = number + 1;
	return 0;
}

int mm_range_names_see(struct mm_range_names *names, const struct mm_event_text *format,
		       const struct mm_event *event, struct mm_text *text)
{
	return format->range ? see_range(names, format->range, event, text)
			     : see_file(names, format->file, event, text);
}

/* Context for reading the events before the time range. */
struct earlier {
	struct mm_range_names *names;
	mm_event_text_fn *find_text;
};

/* Returns the format of an event that names a range or a file, or NULL. */
static const struct mm_event_text *find_naming(const struct earlier *earlier, const char *event)
{
	const struct mm_event_text *text = earlier->find_text(event);
	const bool names =
		text && ((text->range && text->range->end) || (text->file && text->file->path));

	return names ? text : NULL;
}

static int bind_earlier(void *user, struct mm_event_type *type, struct mm_error *err)
{
	(void)err;
	type->bound = (void *)(uintptr_t)find_naming(user, type->name);
	return 0;
}

static int take_earlier(void *user, const struct mm_event *event, struct mm_error *err)
{
	const struct earlier *earlier = user;

	if (!event->type->bound ||
	    !mm_range_names_see(earlier->names, event->type->bound, event, NULL))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "print: out of memory");
}

int mm_range_names_read(struct mm_range_names *names, mm_event_text_fn *find_text,
			struct mm_source *trace, struct mm_error *err)
{
	struct earlier earlier = { names, find_text };
	const struct mm_handler handler = { .user = &earlier,
					    .event = take_earlier,
					    .bind = bind_earlier };
	struct mm_source_options options = *mm_source_options(trace);
	struct mm_error unread = MM_ERROR_INIT;
	struct mm_requests requests;
	struct mm_source *source;
	bool any = false;

	if (options.begin_ns == INT64_MIN || options.begin_base.kind != MM_TIME_ABSOLUTE)
		return 0;
	mm_requests_init(&requests);
	for (size_t i = 0; i < mm_source_event_name_count(trace); i++)
		if (find_naming(&earlier, mm_source_event_name_at(trace, i))) {
			mm_requests_add(&requests, mm_source_event_name_at(trace, i));
			any = true;
		}
	options.end_ns = options.begin_ns - 1;
	options.begin_ns = INT64_MIN;
	options.in_order = true;
	source = any ? mm_source_open_shared(trace, &options, &unread) : NULL;
	if (source)
		mm_source_run(source, &requests, &handler, &unread);
	mm_source_destroy(source);
	mm_requests_release(&requests);
	if (unread.code != MM_EXIT_ENVIRONMENT)
		return 0;
	*err = unread;
	return -1;
}
