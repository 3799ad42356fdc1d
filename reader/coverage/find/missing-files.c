// SPDX-License-Identifier: LGPL-2.1-only
/* Runs the search for missing files and packets. */
#include "reader/coverage/find/missing-files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/ctf/decode/source.h"
#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/packet/repeats.h"
#include "reader/coverage/find/certified-find.h"
#include "reader/coverage/find/checksums-find.h"
#include "reader/coverage/find/gaps-find.h"
#include "reader/coverage/find/index-find.h"
#include "reader/coverage/find/listed-find.h"
#include "reader/coverage/find/missing-cpus.h"
#include "reader/coverage/find/search.h"
#include "reader/coverage/find/pauses-find.h"
#include "reader/coverage/find/recordings.h"
#include "reader/events/source-base.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"

/* Adds dangling links and unreadable files as missing streams. */
static void check_files(struct missing_search *search, size_t number)
{
	const char *folder = search->source->folders[number];
	struct mm_missing missing = { .cpu = MM_CPU_UNKNOWN,
				      .complete_stream = true,
				      .folder = number,
				      .in_state = mm_trace_is_state(folder) };
	DIR *dir = opendir(folder);
	struct dirent *entry;
	uint64_t bytes;
	char *file;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "index") ||
		    !strcmp(entry->d_name, "metadata"))
			continue;
		if (asprintf(&file, "%s/%s", folder, entry->d_name) < 0) {
			search->failed = true;
			break;
		}
		missing.what = missing_why_absent(file, &bytes);
		if (missing.what == missing_dangling || missing.what == missing_denied)
			missing_search_add(search, file, &missing);
		free(file);
	}
	if (dir)
		closedir(dir);
}

static void check_orphans(struct missing_search *search)
{
	const struct mm_source *source = search->source;

	for (size_t i = 0; i < source->orphan_count; i++) {
		const char *file = source->orphans[i];
		char *folder = strdup(file);
		struct mm_missing missing = { .what = "there is no metadata",
					      .cpu = MM_CPU_UNKNOWN,
					      .complete_stream = true,
					      .folder = SIZE_MAX };

		if (!folder) {
			search->failed = true;
			return;
		}
		if (strrchr(folder, '/'))
			*strrchr(folder, '/') = '\0';
		missing.in_state = mm_trace_is_state(folder);
		missing_search_add(search, file, &missing);
		free(folder);
	}
}

/*
 * For each open trace, finds its index in source->folders, the number of CPUs in the system
 * information of its boot, and whether its streams are listed. Returns 0, or -1 when out of memory.
 */
static int map_traces(struct missing_search *search, struct missing_cpus *cpus, size_t **folders,
		      bool **listed, uint32_t **online)
{
	const struct mm_source *source = search->source;

	*folders = calloc(cpus->count + 1, sizeof(**folders));
	*listed = calloc(cpus->count + 1, sizeof(**listed));
	*online = calloc(cpus->count + 1, sizeof(**online));
	if (!*folders || !*listed || !*online)
		return -1;
	for (size_t i = 0; i < cpus->count; i++) {
		size_t number = missing_search_folder(search, cpus->traces[i]->folder);

		(*folders)[i] = number;
		(*listed)[i] = number < source->folder_count && search->verifiable[number];
		(*online)[i] = number < source->folder_count ? search->online[number] : 0;
	}
	return 0;
}

/* Returns the index of the trace with the state dumps of @ring's snapshot, or SIZE_MAX. */
static size_t find_state(struct missing_search *search, const struct missing_cpus *cpus,
			 size_t ring)
{
	size_t state, found = SIZE_MAX;
	char *path;

	if (asprintf(&path, "%s/../" MM_STATE_FOLDER, cpus->traces[ring]->folder) < 0) {
		search->failed = true;
		return SIZE_MAX;
	}
	state = missing_search_folder(search, path);
	free(path);
	for (size_t i = 0; i < cpus->count && state != SIZE_MAX; i++)
		if (cpus->folders[i] == state)
			found = i;
	return found;
}

static void add_absent(void *user, const char *file, const struct mm_missing *missing)
{
	missing_search_add(user, file, missing);
}

/*
 * Compares the CPUs of streams that are in no list. In a snapshot, compares the session of the ring
 * buffers with the session of the state dumps. Also compares the channels of each trace.
 */
static void check_cpus(struct missing_search *search, struct ctf_trace *const *traces, size_t count)
{
	struct missing_cpus cpus = {
		.traces = traces, .count = count, .add = add_absent, .user = search
	};
	size_t *folders = NULL;
	uint32_t *online = NULL;
	bool *listed = NULL;

	search->failed |= map_traces(search, &cpus, &folders, &listed, &online) != 0;
	cpus.folders = folders;
	cpus.listed = listed;
	cpus.online = online;
	for (size_t i = 0; i < count && !search->failed; i++) {
		size_t state;

		if (listed[i] || strcmp(missing_file_name(traces[i]->folder), MM_RING_FOLDER))
			continue;
		state = find_state(search, &cpus, i);
		if (state == SIZE_MAX || listed[state] ||
		    (!traces[i]->stream_count && !traces[state]->stream_count))
			continue;
		search->list->compared += 2;
		search->failed |= missing_cpus_compare(&cpus, i, state) != 0;
	}
	if (!search->failed)
		search->failed = missing_cpus_find(&cpus) != 0;
	free(folders);
	free(listed);
	free(online);
}

static int by_file(const void *a, const void *b)
{
	return strcmp(((const struct mm_missing *)a)->file, ((const struct mm_missing *)b)->file);
}

/* Sorts the result by file, so that it does not depend on the order of directory entries. */
static void sort(struct missing_search *search)
{
	struct mm_missing_list *list = search->list;

	if (!list->count)
		return;
	qsort(list->all, list->count, sizeof(*list->all), by_file);
	mm_hash_release(&list->by_file);
	mm_hash_init(&list->by_file);
	for (size_t i = 0; i < list->count && !search->failed; i++)
		search->failed = mm_hash_add(&list->by_file,
					     mm_hash_of_string(&list->by_file, list->all[i].file),
					     (uint32_t)i);
}

/* Adds the events that the metadata of @folder declare. Returns false if reading fails. */
static bool add_declared(struct missing_search *search, size_t folder)
{
	struct mm_missing_list *list = search->list;
	struct ctf_trace_class *class = ctf_metadata_read(search->source->folders[folder], NULL);
	bool read;

	for (size_t i = 0; class && i < class->stream_count; i++)
		for (size_t j = 0; j < class->streams[i]->event_count; j++) {
			struct mm_declared_event *grown =
				mm_array_grow(list->declared, list->declared_count,
					      &list->declared_room, sizeof(*grown));
			char *event = strdup(class->streams[i]->events[j]->name);

			if (grown)
				list->declared = grown;
			if (!grown || !event) {
				search->failed = true;
				free(event);
				ctf_trace_class_destroy(class);
				return false;
			}
			grown[list->declared_count++] = (struct mm_declared_event){
				.event = event,
				.folder = folder,
				.class_id = class->streams[i]->id,
			};
		}
	read = class != NULL;
	ctf_trace_class_destroy(class);
	return read;
}

/* If whole streams are missing from a trace's folder, finds the events that the trace declares. */
static void find_declared(struct missing_search *search)
{
	bool *wanted = calloc(search->source->folder_count + 1, sizeof(*wanted));

	search->failed |= !wanted;
	for (size_t i = 0; wanted && i < search->list->count; i++)
		if (search->list->all[i].complete_stream && search->list->all[i].folder != SIZE_MAX)
			wanted[search->list->all[i].folder] = true;
	for (size_t i = 0; wanted && i < search->source->folder_count && !search->failed; i++)
		if (wanted[i])
			wanted[i] = add_declared(search, i);
	for (size_t i = 0; wanted && i < search->list->count; i++)
		search->list->all[i].declared = search->list->all[i].folder != SIZE_MAX &&
						wanted[search->list->all[i].folder];
	free(wanted);
}

/*
 * Compares the trace with all lists of its streams. Then looks for missing streams that are in no
 * list.
 */
static void search_all(struct missing_search *search, const struct mm_snapshots *snapshots,
		       struct ctf_trace *const *traces, size_t trace_count)
{
	struct mm_source *source = search->source;

	search->snapshots = snapshots;
	search->traces = traces;
	search->trace_count = traces ? trace_count : 0;
	missing_search_identify(search);
	if (!search->failed)
		missing_find_listed(search, snapshots);
	if (!search->failed)
		missing_find_certified(search, snapshots);
	for (size_t i = 0; i < trace_count && traces && !search->failed; i++)
		missing_check_ends(search, traces[i]);
	for (size_t i = 0; i < source->folder_count && !search->failed; i++) {
		missing_check_indexes(search, i);
		check_files(search, i);
	}
	if (!search->failed && traces)
		check_cpus(search, traces, trace_count);
	if (!search->failed)
		check_orphans(search);
	for (size_t i = 0; i < source->folder_count && !search->failed; i++)
		search->list->unverifiable += !search->verifiable[i];
	search->list->some_verified = search->list->unverifiable < source->folder_count;
	for (size_t i = 0; i < search->list->count && !search->failed; i++)
		search->list->uncertain += search->list->all[i].uncertain;
	if (!search->failed)
		sort(search);
	if (!search->failed)
		find_declared(search);
}

/* Does a stream file lack checksums? Ignores files of state dumps. */
static bool has_no_sums(struct ctf_trace *const *traces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < traces[i]->stream_count; j++)
			for (size_t k = 0; k < traces[i]->streams[j].file_count; k++)
				if (!traces[i]->streams[j].files[k].sums &&
				    !mm_trace_is_state(traces[i]->folder))
					return true;
	return false;
}

/*
 * Opens the traces of @source with the fast reader, even if another reader delivers the events,
 * because the search reads packets. *@traces is NULL if they cannot be opened. *@own: traces to be
 * closed, or NULL. Returns 0, or -1 with @err set.
 */
static int open_traces(struct mm_source *source, struct ctf_trace *const **traces, size_t *count,
		       struct ctf_trace ***own, struct mm_error *err)
{
	struct mm_error here = MM_ERROR_INIT;

	*own = NULL;
	if (mm_ctf_source_is(source)) {
		*traces = mm_ctf_source_traces(source, count, err);
		return *traces ? 0 : -1;
	}
	*traces = *own =
		ctf_traces_open(source->path ? source->path : "", source->folders,
				source->folder_count, NULL, source->clock_shift_ns, count, &here);
	return here.code == MM_EXIT_ENVIRONMENT ? mm_error_set(err, here.code, "%s", here.message)
						: 0;
}

int mm_missing_search(struct mm_source *source, struct mm_error *err)
{
	struct missing_search search = { .source = source };
	struct ctf_trace **own = NULL;
	struct ctf_trace *const *traces = NULL;
	struct mm_error here = MM_ERROR_INIT;
	struct mm_snapshots snapshots;
	size_t trace_count = 0;

	search.list = calloc(1, sizeof(*search.list));
	search.verifiable = calloc(source->folder_count + 1, sizeof(*search.verifiable));
	search.online = calloc(source->folder_count + 1, sizeof(*search.online));
	search.failed = !search.list || !search.verifiable || !search.online;
	search.failed |=
		mm_snapshots_find(&snapshots, source) != 0 || mm_source_identify(source, NULL) != 0;
	if (search.failed)
		goto end;
	mm_hash_init(&search.list->by_file);
	if (mm_recordings_check(source, &snapshots, &here) ||
	    open_traces(source, &traces, &trace_count, &own, &here) ||
	    (traces &&
	     (mm_recordings_check_packets(source, &snapshots, traces, trace_count, &here) ||
	      ctf_ring_count(traces, trace_count, &search.list->ring_packets, &here))))
		goto end;
	search_all(&search, &snapshots, traces, trace_count);
	source->missing = search.list;
	if (!search.failed)
		search.failed = mm_pauses_find(source, &snapshots) != 0 ||
				mm_gaps_find(source, &snapshots, traces, trace_count,
					     search.verifiable, &here) != 0 ||
				mm_checksums_find(source, &snapshots) != 0;
	mm_pauses_sort(search.list);
	search.list->without_sums = has_no_sums(traces, trace_count);
end:
	if (search.failed)
		mm_error_set(&here, MM_EXIT_ENVIRONMENT, "trace: %s: out of memory", source->path);
	if (here.code) {
		mm_missing_destroy(search.list);
		source->missing = NULL;
	}
	ctf_traces_close(own, own ? trace_count : 0);
	mm_snapshots_release(&snapshots);
	mm_hash_release(&search.by_id);
	free(search.ids);
	free(search.verifiable);
	free(search.online);
	if (here.code && err && !err->code)
		*err = here;
	return here.code ? -1 : 0;
}
