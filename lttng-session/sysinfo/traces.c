// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lists the contents of a snapshot's traces, so that a reader can notice missing files later.
 * Sample:
 *   { "boot_id": "...", "traces": [ { "folder": "kernel", "uuid": "...", "streams": [
 *       { "file": "ring_0", "class": 0, "id": 0, "cpu": 0, "packets": 12,
 *         "packets_lost": 0, "bytes": 3145728 },
 *       { "file": "ring_1", "packets": 0, "bytes": 0 } ] } ],
 *     "files": { "recorder.json": "8a9136aa" } }
 * A file without packets has no class, id and CPU. "packets_lost" counts packets that are missing
 * before and between the listed packets. "files" has the CRC32C of the other files in the folder.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/packet/count.h"
#include "reader/open/open.h"
#include "lttng-session/fn/history.h"
#include "lttng-session/profile/event-names.h"
#include "lttng-session/sysinfo/write-json.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "util/checksums.h"
#include "util/mounts.h"
#include "util/uuid.h"
#include "util/json-file.h"
#include "util/text.h"

static void add_file(void *user, const struct ctf_file_count *count)
{
	const struct ctf_stream *stream = count->stream;
	json_t *entry = json_object();

	json_object_set_new(entry, "file", mm_json_text(count->file->name));
	json_object_set_new(entry, "class", json_integer((json_int_t)stream->class->id));
	if (stream->has_id)
		json_object_set_new(entry, "id", json_integer((json_int_t)stream->id));
	if (stream->cpu != MM_CPU_UNKNOWN)
		json_object_set_new(entry, "cpu", json_integer(stream->cpu));
	json_object_set_new(entry, "packets", json_integer((json_int_t)count->packets));
	json_object_set_new(entry, "packets_lost", json_integer((json_int_t)count->packets_lost));
	json_object_set_new(entry, "bytes", json_integer((json_int_t)count->bytes));
	json_array_append_new(user, entry);
}

static bool is_listed(const json_t *streams, const char *name)
{
	json_t *entry;
	size_t i;

	json_array_foreach(streams, i,
			   entry) if (!strcmp(json_string_value(json_object_get(entry, "file")),
					      name)) return true;
	return false;
}

static void add_empty(const char *folder, json_t *streams)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "metadata") ||
		    fstatat(dirfd(dir), entry->d_name, &st, 0) || !S_ISREG(st.st_mode) ||
		    st.st_size || is_listed(streams, entry->d_name))
			continue;
		json_array_append_new(streams, json_pack("{s:o, s:i, s:i}", "file",
							 mm_json_text(entry->d_name), "packets", 0,
							 "bytes", 0));
	}
	if (dir)
		closedir(dir);
}

static json_t *list_trace(const char *folder, const char *name, struct mm_error *err)
{
	struct ctf_trace *trace = ctf_trace_open(folder, 0, err);
	json_t *entry = json_object(), *streams = json_array();
	char uuid[MM_UUID_TEXT];

	json_object_set_new(entry, "folder", mm_json_text(name));
	json_object_set_new(entry, "streams", streams);
	if (trace && trace->class->has_uuid) {
		mm_uuid_format(trace->class->uuid, uuid);
		json_object_set_new(entry, "uuid", json_string(uuid));
	}
	if (trace && !ctf_trace_count(trace, add_file, streams, err)) {
		add_empty(folder, streams);
	} else {
		json_decref(entry);
		entry = NULL;
	}
	ctf_trace_close(trace);
	return entry;
}

json_t *sysinfo_list_traces(const char *snapshot, struct mm_error *err)
{
	json_t *list = json_object(), *traces = json_array();
	struct mm_source_options options;
	struct mm_source *source;
	char boot_id[64];
	int ret;

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	mounts_read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id));
	json_object_set_new(list, "boot_id", mm_json_text(boot_id));
	json_object_set_new(list, "traces", traces);
	source = mm_source_open(snapshot, &options, err);
	ret = source ? 0 : -1;
	for (size_t i = 0; source && i < mm_source_folder_count(source) && !ret; i++) {
		const char *folder = mm_source_folder_at(source, i),
			   *name = folder + strlen(snapshot);
		json_t *trace;

		name += strspn(name, "/");
		trace = list_trace(folder, *name ? name : ".", err);
		ret = trace ? json_array_append_new(traces, trace) : -1;
		if (ret)
			mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", folder);
	}
	mm_source_destroy(source);
	if (!ret)
		return list;
	json_decref(list);
	return NULL;
}

/*
 * Writes a path of the folder @snapshot, because the functions that read traces need a path, not a
 * descriptor.
 */
static void path_of(int snapshot, char *path, size_t size)
{
	snprintf(path, size, "/proc/self/fd/%d", snapshot);
}

/*
 * Adds the name of the function to which an event belongs: `handle_mm_fault` for the event
 * `fn_handle_mm_fault_entry`. All events of functions have a field `tid`. Returns 0 on success, 1
 * if the event does not belong to a function, or -1 when out of memory.
 */
static int add_function(const struct ctf_event_class *event, char ***functions, size_t *count)
{
	struct function_event parsed;
	char *function;
	int ret;

	if (!function_event_parse(event->name, &parsed) || !event->payload ||
	    !ctf_field_find(event->payload, "tid", NULL))
		return 1;
	function = strndup(parsed.name, parsed.length);
	ret = function ? mm_strings_add(functions, count, function) : -1;
	free(function);
	return ret;
}

/* Can the events contain addresses? Returns 1, 0, or -1 if that is unknown. */
static int events_reveal(const struct ctf_trace_class *class)
{
	char **functions = NULL;
	size_t count = 0;
	int reveals = 0;

	for (size_t s = 0; s < class->stream_count; s++)
		for (size_t i = 0; i < class->streams[s]->event_count && reveals < 1; i++) {
			const struct ctf_event_class *event = class->streams[s]->events[i];
			int ret = event_name_is_known_safe(event->name)
					  ? 0
					  : add_function(event, &functions, &count);

			if (ret)
				reveals = ret;
		}
	if (!reveals)
		reveals = fn_history_reveals((const char *const *)functions, count);
	mm_strings_release(functions, count);
	return reveals;
}

static enum sysinfo_kaslr kaslr_of(const char *folder)
{
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *class = ctf_metadata_read(folder, &err);
	int reveals;

	if (!class)
		return SYSINFO_KASLR_UNKNOWN;
	reveals =
		ctf_trace_class_has_context(class, MM_CONTEXT_CALLSTACK) ? 1 : events_reveal(class);
	ctf_trace_class_destroy(class);
	return reveals > 0   ? SYSINFO_KASLR_REVEALED
	       : reveals < 0 ? SYSINFO_KASLR_UNKNOWN
			     : SYSINFO_KASLR_SAFE;
}

enum sysinfo_kaslr sysinfo_find_kaslr(int snapshot)
{
	enum sysinfo_kaslr found = SYSINFO_KASLR_SAFE;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_source_options options;
	struct mm_source *source;
	char path[64];

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	path_of(snapshot, path, sizeof(path));
	source = mm_source_open(path, &options, &err);
	if (!source)
		return SYSINFO_KASLR_UNKNOWN;
	for (size_t i = 0; i < mm_source_folder_count(source) && found != SYSINFO_KASLR_REVEALED;
	     i++) {
		enum sysinfo_kaslr of = kaslr_of(mm_source_folder_at(source, i));

		if (of != SYSINFO_KASLR_SAFE)
			found = of;
	}
	mm_source_destroy(source);
	return found;
}

void sysinfo_add_sums(int folder, json_t *list)
{
	json_t *sums = json_object();
	int copy = dup(folder);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	char text[16];
	uint32_t crc;

	if (dir)
		rewinddir(dir);
	while (dir && (entry = readdir(dir))) {
		const char *end = strrchr(entry->d_name, '.');

		if (!end || (strcmp(end, ".json") && strcmp(end, ".txt")) ||
		    mm_crc32c_file(folder, entry->d_name, &crc))
			continue;
		snprintf(text, sizeof(text), "%08" PRIx32, crc);
		json_object_set_new(sums, entry->d_name, json_string(text));
	}
	if (dir)
		closedir(dir);
	else if (copy >= 0)
		close(copy);
	json_object_set_new(list, "files", sums);
}

int sysinfo_write_traces(int folder, int snapshot, struct mm_error *err)
{
	struct mm_error here = MM_ERROR_INIT;
	char path[64];
	json_t *list;

	path_of(snapshot, path, sizeof(path));
	list = sysinfo_list_traces(path, &here);
	/*
	 * A damaged trace is not an error here: keep the snapshot, because readers report the
	 * damage.
	 */
	if (!list && here.code == MM_EXIT_BAD_INPUT)
		return 0;
	if (!list && err && !err->code)
		*err = here;
	if (list)
		sysinfo_add_sums(folder, list);
	return list ? sysinfo_write_json(folder, "traces.json", list, err) : -1;
}
