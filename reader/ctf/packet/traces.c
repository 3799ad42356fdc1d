// SPDX-License-Identifier: LGPL-2.1-only
/* Opens the traces in several folders, and joins the parts of one trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/packet-read.h"

static int no_memory(const char *folder, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", folder);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Are both traces parts of one trace? In CTF 1.8, their UUIDs must be equal. In CTF 2, both must
 * have a name and a UID, and namespace, name and UID must be equal.
 */
static bool are_one(const struct ctf_trace_class *a, const struct ctf_trace_class *b)
{
	if (a->major != b->major)
		return false;
	if (a->major == 1)
		return a->has_uuid && b->has_uuid && !memcmp(a->uuid, b->uuid, sizeof(a->uuid));
	return a->name && a->uid && same_text(a->name, b->name) && same_text(a->uid, b->uid) &&
	       same_text(a->name_space, b->name_space);
}

/*
 * Counts the classes. LTTng only adds classes while it records, so the metadata with more classes
 * are newer.
 */
static size_t count_classes(const struct ctf_trace_class *class)
{
	size_t count = class->stream_count;

	for (size_t i = 0; i < class->stream_count; i++)
		count += class->streams[i]->event_count;
	return count;
}

static bool has_classes_of(const struct ctf_trace *into, const struct ctf_trace *from)
{
	for (size_t i = 0; i < from->stream_count; i++)
		if (!ctf_stream_class_find(into->class, from->streams[i].class->id))
			return false;
	return true;
}

static int join(struct ctf_trace *into, struct ctf_trace *from, uint32_t folder)
{
	int ret = 0;

	for (size_t i = 0; i < from->stream_count; i++) {
		struct ctf_stream *stream = &from->streams[i];
		const struct ctf_stream_class *class =
			ctf_stream_class_find(into->class, stream->class->id);

		for (size_t j = 0; j < stream->file_count; j++) {
			struct ctf_file file = stream->files[j];

			stream->files[j] = (struct ctf_file){ 0 };
			file.folder = folder;
			if (ctf_trace_add_file(into, class, stream->has_id, stream->id, &file,
					       stream->cpu))
				ret = -1;
		}
		stream->file_count = 0;
	}
	for (size_t i = 0; i < from->finding_count; i++)
		if (ctf_trace_add_finding(into, &from->findings[i]))
			ret = -1;
	return ret;
}

/*
 * Sets the name that babeltrace2 gives to a trace in a single folder. It consists of the host name
 * and the path of the folder relative to @root.
 */
static int name_trace(struct ctf_trace *trace, const char *root)
{
	const char *below = trace->folder;
	size_t length = strlen(root);
	char *name;

	if (!strncmp(below, root, length))
		below += length;
	below += strspn(below, "/");
	if (!*below)
		return 0;
	if (asprintf(&name, "%s%s%s", trace->name, *trace->name ? "/" : "", below) < 0)
		return -1;
	free(trace->name);
	trace->name = name;
	return 0;
}

/*
 * Joins traces[first] with all later traces that are parts of the same trace. The result is
 * traces[first]; the others become NULL.
 */
static int join_with(struct ctf_trace **traces, size_t first, size_t count, const char *root)
{
	struct ctf_trace *into = traces[first];
	uint32_t folder = 0;
	size_t winner = first;
	bool alone = true;

	for (size_t i = first + 1; i < count; i++) {
		if (!traces[i] || !are_one(traces[first]->class, traces[i]->class))
			continue;
		alone = false;
		if (count_classes(traces[i]->class) > count_classes(traces[winner]->class))
			winner = i;
	}
	if (alone)
		return name_trace(into, root);
	into = traces[winner];
	traces[winner] = traces[first];
	traces[first] = into;
	for (size_t i = first + 1; i < count; i++) {
		if (!traces[i] || !are_one(into->class, traces[i]->class) ||
		    !has_classes_of(into, traces[i]))
			continue;
		if (join(into, traces[i], ++folder))
			return -1;
		ctf_trace_close(traces[i]);
		traces[i] = NULL;
	}
	return ctf_trace_order(into);
}

struct trace_folder {
	const char *path;
	struct ctf_trace_class **class;
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(((const struct trace_folder *)a)->path,
		      ((const struct trace_folder *)b)->path);
}

static struct ctf_trace *open_folder(const struct trace_folder *folder, int64_t clock_shift_ns,
				     struct mm_error *err)
{
	struct ctf_trace_class *class = folder->class ? *folder->class : NULL;

	if (!class)
		return ctf_trace_open(folder->path, clock_shift_ns, err);
	*folder->class = NULL;
	return ctf_trace_open_read(folder->path, class, clock_shift_ns, err);
}

struct ctf_trace **ctf_traces_open(const char *root, char *const *folders, size_t folder_count,
				   struct ctf_trace_class **classes, int64_t clock_shift_ns,
				   size_t *count, struct mm_error *err)
{
	struct ctf_trace **traces = calloc(folder_count + 1, sizeof(*traces));
	struct trace_folder *sorted = calloc(folder_count + 1, sizeof(*sorted));
	size_t kept = 0;
	int ret = 0;

	if (!traces || !sorted) {
		no_memory(root, err);
		free(traces);
		free(sorted);
		return NULL;
	}
	for (size_t i = 0; i < folder_count; i++)
		sorted[i] = (struct trace_folder){ folders[i], classes ? &classes[i] : NULL };
	qsort(sorted, folder_count, sizeof(*sorted), by_bytes);
	for (size_t i = 0; i < folder_count && !ret; i++) {
		traces[i] = open_folder(&sorted[i], clock_shift_ns, err);
		if (!traces[i])
			ret = -1;
	}
	for (size_t i = 0; i < folder_count && !ret; i++)
		if (traces[i] && join_with(traces, i, folder_count, root))
			ret = no_memory(root, err);
	for (size_t i = 0; i < folder_count && !ret; i++)
		if (traces[i])
			ret = ctf_trace_order_packets(traces[i], err);
	free(sorted);
	if (ret) {
		ctf_traces_close(traces, folder_count);
		return NULL;
	}
	for (size_t i = 0; i < folder_count; i++)
		if (traces[i])
			traces[kept++] = traces[i];
	*count = kept;
	return traces;
}

void ctf_traces_close(struct ctf_trace **traces, size_t count)
{
	for (size_t i = 0; traces && i < count; i++)
		ctf_trace_close(traces[i]);
	free(traces);
}
