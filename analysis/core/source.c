// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the CTF folders of a trace and what all kinds of source share. */
#include "analysis/core/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/bt2/bt2-source.h"
#include "analysis/core/time.h"
#include "analysis/ctf/ctf-source.h"

#define DEPTH_MAX 8

static int add_string(char ***list, size_t *count, const char *string)
{
	char **grown = realloc(*list, (*count + 1) * sizeof(**list));

	if (!grown)
		return -1;
	*list = grown;
	grown[*count] = strdup(string);
	if (!grown[*count])
		return -1;
	(*count)++;
	return 0;
}

/* Adds every folder below @path that holds a `metadata` file. Links are not followed. */
static int find_folders(const char *path, int depth, char ***folders, size_t *count)
{
	struct dirent **entries;
	char name[4096];
	struct stat st;
	int n, ret = 0;

	if (snprintf(name, sizeof(name), "%s/metadata", path) >= (int)sizeof(name))
		return 0;
	if (!stat(name, &st) && S_ISREG(st.st_mode))
		return add_string(folders, count, path);
	if (depth >= DEPTH_MAX)
		return 0;
	n = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (!ret && entries[i]->d_name[0] != '.' &&
		    snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name) <
			    (int)sizeof(name) &&
		    !lstat(name, &st) && S_ISDIR(st.st_mode))
			ret = find_folders(name, depth + 1, folders, count);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ret;
}

static int check_path(const char *path, struct mm_error *err)
{
	struct stat st;

	if (stat(path, &st))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "trace: %s: %s; give the folder that `lttng-mm snapshot` printed",
				    path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "trace: %s: not a folder; give the folder that holds the trace, not a file of it",
				    path);
	return 0;
}

static bool is_empty(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	bool empty = true;

	while (dir && (entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			empty = false;
	if (dir)
		closedir(dir);
	return dir && empty;
}

void mm_source_options_init(struct mm_source_options *options)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	*options = (struct mm_source_options){
		.reader = MM_READER_AUTO,
		.begin_ns = INT64_MIN,
		.end_ns = INT64_MAX,
		.jobs = cores < 1 ? 1 : cores > MM_JOBS_MAX ? MM_JOBS_MAX : (unsigned int)cores,
	};
}

/* @limit stands for no limit at all. */
static int resolve(int64_t *ns, bool *in_day, int64_t limit,
		   const struct mm_source_options *options, int64_t first_ns, struct mm_error *err)
{
	struct mm_time time = { .has_date = !*in_day, .ns = *ns };
	int64_t day_ns;

	*in_day = false;
	if (time.has_date && *ns == limit)
		return 0;
	if (__builtin_add_overflow(first_ns, options->shift_ns, &day_ns))
		day_ns = first_ns;
	if (mm_time_resolve(&time, day_ns, options->gmt, ns, err))
		return -1;
	if (__builtin_sub_overflow(*ns, options->shift_ns, ns))
		*ns = options->shift_ns > 0 ? INT64_MIN : INT64_MAX;
	return 0;
}

int mm_source_options_resolve(struct mm_source_options *options, int64_t first_ns,
			      struct mm_error *err)
{
	if (resolve(&options->begin_ns, &options->begin_in_day, INT64_MIN, options, first_ns, err) ||
	    resolve(&options->end_ns, &options->end_in_day, INT64_MAX, options, first_ns, err))
		return -1;
	options->shift_ns = 0;
	return 0;
}

char *mm_text_reserve(struct mm_text *text, size_t length)
{
	size_t room = text->room ? text->room : 256;
	char *grown;

	if (text->room - text->length >= length)
		return text->data + text->length;
	while (room - text->length < length)
		room *= 2;
	grown = realloc(text->data, room);
	if (!grown)
		return NULL;
	text->data = grown;
	text->room = room;
	return grown + text->length;
}

static struct mm_source *create_source(const char *path, bool is_url, enum mm_reader reader,
				       struct mm_error *err)
{
	if (is_url && reader == MM_READER_FAST) {
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     "trace: %s: the fast reader reads folders only; leave out --reader", path);
		return NULL;
	}
	if (!is_url && reader != MM_READER_BABELTRACE2)
		return mm_ctf_source_create(err);
	return mm_bt2_source_create(err);
}

struct mm_source *mm_source_open(const char *path, const struct mm_source_options *options,
				 struct mm_error *err)
{
	bool is_url = mm_source_is_live(path);
	struct mm_source_options defaults;
	struct mm_source *source = NULL;
	char **folders = NULL;
	size_t count = 0;

	if (!options) {
		mm_source_options_init(&defaults);
		options = &defaults;
	}
	if (!is_url && check_path(path, err))
		return NULL;
	if (!is_url && find_folders(path, 0, &folders, &count)) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", path);
		goto error;
	}
	if (!is_url && !count) {
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     is_empty(path) ?
				     "trace: %s: the folder is empty; record one with `lttng-mm record dax` and `lttng-mm snapshot`" :
				     "trace: %s: not a trace (no CTF metadata in it or below); give the folder that `lttng-mm snapshot` printed",
			     path);
		goto error;
	}
	source = create_source(path, is_url, options->reader, err);
	if (!source)
		goto error;
	source->folders = folders;
	source->folder_count = count;
	source->options = *options;
	source->path = strdup(path);
	if (source->path)
		return source;
	mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", path);
	mm_source_destroy(source);
	return NULL;
error:
	while (count)
		free(folders[--count]);
	free(folders);
	return NULL;
}

bool mm_source_is_live(const char *path)
{
	static const char *const schemes[] = { "net://", "net4://", "net6://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (!strncmp(path, schemes[i], strlen(schemes[i])))
			return true;
	return false;
}

void mm_source_destroy(struct mm_source *source)
{
	if (!source)
		return;
	for (size_t i = 0; i < source->folder_count; i++)
		free(source->folders[i]);
	for (size_t i = 0; i < source->event_name_count; i++)
		free(source->event_names[i]);
	free(source->folders);
	free(source->event_names);
	mm_hash_release(&source->event_name_by_hash);
	for (size_t i = 0; i < source->damage_count; i++)
		free(source->damage[i]);
	free(source->damage);
	free(source->losses);
	free(source->path);
	source->ops->destroy(source);
}

int mm_source_run(struct mm_source *source, const struct mm_want *wants,
		  const struct mm_handler *handler, struct mm_error *err)
{
	return source->ops->run(source, wants, handler, err);
}

static bool is_name(const void *names, uint32_t number, const void *wanted)
{
	return !strcmp(((char *const *)names)[number], wanted);
}

bool mm_source_declares(const struct mm_source *source, const char *event_name)
{
	const struct mm_hash *hash = &source->event_name_by_hash;

	return mm_hash_find(hash, mm_hash_of_string(hash, event_name), source->event_names,
			    event_name, is_name) != MM_HASH_NONE;
}

int mm_source_declare(struct mm_source *source, const char *event_name)
{
	struct mm_hash *hash = &source->event_name_by_hash;
	uint32_t key, number = (uint32_t)source->event_name_count;

	if (!number)
		mm_hash_init(hash);
	key = mm_hash_of_string(hash, event_name);
	if (mm_hash_find(hash, key, source->event_names, event_name, is_name) != MM_HASH_NONE)
		return 0;
	if (add_string(&source->event_names, &source->event_name_count, event_name))
		return -1;
	return mm_hash_add(hash, key, number);
}

void mm_source_damage(struct mm_source *source, const struct mm_handler *handler,
		      const char *message, bool truncated)
{
	/* Short of memory, the line is not kept; the packet is counted all the same. */
	if (source->damage_count < MM_DAMAGE_MAX)
		add_string(&source->damage, &source->damage_count, message);
	if (handler->damaged)
		handler->damaged(handler->user, message, truncated);
}

struct mm_loss *mm_source_loss(struct mm_source *source, const char *stream, uint32_t cpu)
{
	struct mm_loss *grown;

	for (size_t i = 0; i < source->loss_count; i++)
		if (!strncmp(source->losses[i].stream, stream, sizeof(source->losses[i].stream) - 1))
			return &source->losses[i];
	grown = realloc(source->losses, (source->loss_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	source->losses = grown;
	grown += source->loss_count++;
	memset(grown, 0, sizeof(*grown));
	snprintf(grown->stream, sizeof(grown->stream), "%s", stream);
	grown->cpu = cpu;
	grown->begin_ns = INT64_MIN;
	grown->end_ns = INT64_MAX;
	return grown;
}

int mm_event_field_at(const struct mm_event *event, size_t index, const char **name,
		      struct mm_value *value)
{
	return event->source->ops->field_at(event, index, name, value);
}

void mm_event_field_text(const struct mm_event *event, const struct mm_value *value, char *dst,
			 size_t size)
{
	if (event->source->ops->field_text(event, value, dst, size) && size)
		dst[0] = '\0';
}

int mm_want_find(const struct mm_want *wants, const char *event_name)
{
	int any = -1;

	for (int i = 0; wants[i].event; i++) {
		if (!strcmp(wants[i].event, event_name))
			return i;
		if (!strcmp(wants[i].event, "*"))
			any = i;
	}
	return any;
}
