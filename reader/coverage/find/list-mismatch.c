// SPDX-License-Identifier: LGPL-2.1-only
/* Finds stream files that differ from the file list in the system information. */
#include "reader/coverage/find/list-mismatch.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/path.h"

int mm_mismatch_add(struct mm_missing_list *list, const char *file, const char *fmt, ...)
{
	struct mm_mismatch *grown, *entry;
	va_list args;

	if (list->mismatch_count >= MM_MISMATCHES_MAX) {
		list->mismatch_count++;
		return 0;
	}
	grown = reallocarray(list->mismatches, list->mismatch_count + 1, sizeof(*grown));
	if (!grown)
		return -1;
	list->mismatches = grown;
	entry = &grown[list->mismatch_count++];
	entry->file = mm_path_absolute(file);
	entry->display_path = strdup(file);
	va_start(args, fmt);
	vsnprintf(entry->what, sizeof(entry->what), fmt, args);
	va_end(args);
	return entry->file && entry->display_path ? 0 : -1;
}

struct opened_file {
	const char *name;
	const struct ctf_stream *stream;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct opened_file *)a)->name, ((const struct opened_file *)b)->name);
}

/* Returns the files of @trace sorted by name; release with free(). NULL: out of memory. */
static struct opened_file *sort_files(const struct ctf_trace *trace, size_t *count)
{
	struct opened_file *files;

	*count = 0;
	for (size_t i = 0; i < trace->stream_count; i++)
		*count += trace->streams[i].file_count;
	files = calloc(*count + 1, sizeof(*files));
	*count = 0;
	for (size_t i = 0; i < trace->stream_count && files; i++)
		for (size_t j = 0; j < trace->streams[i].file_count; j++)
			files[(*count)++] = (struct opened_file){ trace->streams[i].files[j].name,
								  &trace->streams[i] };
	if (files)
		qsort(files, *count, sizeof(*files), by_name);
	return files;
}

static int compare_stream(struct mm_missing_list *list, const struct ctf_trace *trace,
			  const char *name, const json_t *entry, const struct ctf_stream *stream)
{
	const struct {
		const char *key, *noun;
		bool known;
		uint64_t is;
	} facts[] = {
		{ "cpu", "CPU", stream->cpu != MM_CPU_UNKNOWN, stream->cpu },
		{ "class", "stream class", true, stream->class->id },
		{ "id", "stream id", stream->has_id, stream->id },
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && !ret; i++) {
		const json_t *value = json_object_get(entry, facts[i].key);
		char *file;

		if (!facts[i].known || !json_is_integer(value) ||
		    (uint64_t)json_integer_value(value) == facts[i].is)
			continue;
		if (asprintf(&file, "%s/%s", trace->folder, name) < 0)
			return -1;
		ret = mm_mismatch_add(list, file,
				      "%s %" PRIu64 ", not %" JSON_INTEGER_FORMAT " as listed",
				      facts[i].noun, facts[i].is, json_integer_value(value));
		free(file);
	}
	return ret;
}

int mm_mismatches_find(struct mm_missing_list *list, const struct ctf_trace *trace,
		       const json_t *streams)
{
	size_t count;
	struct opened_file *files = sort_files(trace, &count);
	int ret = files ? 0 : -1;

	for (size_t i = 0; i < json_array_size(streams) && count && !ret; i++) {
		const json_t *entry = json_array_get(streams, i);
		const char *name = json_string_value(json_object_get(entry, "file"));
		const struct opened_file wanted = { name, NULL };
		const struct opened_file *found =
			name ? bsearch(&wanted, files, count, sizeof(*files), by_name) : NULL;

		if (found)
			ret = compare_stream(list, trace, name, entry, found->stream);
	}
	free(files);
	return ret;
}
