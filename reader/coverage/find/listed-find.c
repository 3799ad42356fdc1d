// SPDX-License-Identifier: LGPL-2.1-only
/* Finds missing streams by the system information that lists them (traces.json). */
#include "reader/coverage/find/listed-find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/coverage/find/certified-find.h"
#include "reader/coverage/find/list-mismatch.h"
#include "reader/coverage/find/file-packets.h"
#include "reader/coverage/find/listed-file.h"
#include "reader/coverage/find/search.h"
#include "reader/sysinfo/sysinfo-dirs.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"
#include "util/path.h"

static int64_t integer(const json_t *object, const char *key, int64_t missing)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : missing;
}

/* Reads an entry. Its file name may be hostile, and must not lead out of the folder. */
static bool read_listed(const json_t *entry, struct missing_listed *listed)
{
	int64_t cpu = integer(entry, "cpu", -1), class_id = integer(entry, "class", -1);
	int64_t packets = integer(entry, "packets", 0), bytes = integer(entry, "bytes", 0);
	int64_t lost = integer(entry, "packets_lost", 0);

	*listed = (struct missing_listed){ .name = json_string_value(
						   json_object_get(entry, "file")) };
	if (!listed->name || !*listed->name || strchr(listed->name, '/') || packets <= 0)
		return false;
	listed->packets = (uint64_t)packets;
	listed->packets_lost = lost > 0 ? (uint64_t)lost : 0;
	listed->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	listed->missing = (struct mm_missing){
		.source = missing_by_list,
		.cpu = cpu >= 0 && cpu < MM_CPU_UNKNOWN ? (uint32_t)cpu : MM_CPU_UNKNOWN,
		.packets = listed->packets,
		.complete_stream = true,
		.has_class = class_id >= 0,
		.class_id = (uint64_t)class_id,
	};
	return true;
}

/*
 * Finds the folder of a listed trace by the trace's UUID, if the folder was renamed. Returns the
 * folder's index in source->folders, or SIZE_MAX.
 */
static size_t find_renamed(const struct missing_search *search, const struct mm_sysinfo_dir *dir,
			   const json_t *trace)
{
	const struct mm_source *source = search->source;
	size_t found = SIZE_MAX;
	struct stat top;
	char *snapshot;
	bool there;

	if (asprintf(&snapshot, "%s/..", dir->folder) < 0)
		return SIZE_MAX;
	there = !stat(snapshot, &top);
	free(snapshot);
	for (size_t i = 0; i < mm_source_folder_count(source) && there && found == SIZE_MAX; i++)
		if (!search->verifiable[i] &&
		    mm_sysinfo_lists_uuid(trace, mm_source_id_at(source, i)) &&
		    mm_sysinfo_dirs_levels(mm_source_folder_at(source, i), &top) >= 0)
			found = i;
	return found;
}

/*
 * Returns the path of the trace folder @name in the snapshot that contains @dir, as the user would
 * write it. NULL: out of memory.
 */
static char *folder_beside(const struct mm_source *source, const struct mm_sysinfo_dir *dir,
			   const char *name)
{
	char *beside, *absolute = NULL, *folder = NULL;

	if (asprintf(&beside, "%s/../%s", dir->folder, name) < 0)
		return NULL;
	absolute = mm_path_absolute(beside);
	if (absolute)
		folder = mm_path_as_given(absolute, mm_source_path(source));
	free(absolute);
	free(beside);
	return folder;
}

/* Compares the packet headers of the open trace in @folder with the listed @streams. */
static void check_headers(struct missing_search *search, const char *folder, const json_t *streams)
{
	for (size_t i = 0; i < search->trace_count; i++)
		if (!strcmp(search->traces[i]->folder, folder))
			search->failed |=
				mm_mismatches_find(search->list, search->traces[i], streams) != 0;
}

/*
 * Checks a listed trace. If its folder is absent, reports this only if the folder would be below
 * the opened folder.
 */
static void check_trace(struct missing_search *search, const struct mm_sysinfo_dir *dir,
			const json_t *trace)
{
	const char *name = json_string_value(json_object_get(trace, "folder"));
	struct mm_source *source = search->source;
	struct missing_folder packets = { .clock_shift_ns = mm_source_clock_shift_ns(source) };
	struct missing_listed listed;
	size_t number, i;
	json_t *entry;
	char *folder;

	if (!name || *name == '/' || strstr(name, ".."))
		return;
	folder = folder_beside(source, dir, name);
	if (!folder) {
		search->failed = true;
		return;
	}
	number = missing_search_folder(search, folder);
	if (number == SIZE_MAX && !missing_has_metadata(folder))
		number = find_renamed(search, dir, trace);
	packets.folder = number == SIZE_MAX ? folder : mm_source_folder_at(source, number);
	if (number == SIZE_MAX
		    ? dir->inside && !missing_has_metadata(folder)
		    : !search->verifiable[number] &&
			      mm_sysinfo_lists_uuid(trace, mm_source_id_at(source, number))) {
		if (number != SIZE_MAX)
			search->verifiable[number] = true;
		else if (mm_trace_is_state(name) && access(folder, F_OK))
			search->list->no_state_folder = true;
		json_array_foreach(json_object_get(trace, "streams"), i,
				   entry) if (read_listed(entry, &listed))
			missing_check_listed(search, &packets, number, &listed,
					     mm_trace_is_state(name));
		if (number != SIZE_MAX)
			check_headers(search, packets.folder, json_object_get(trace, "streams"));
	}
	missing_folder_release(&packets);
	free(folder);
}

void missing_find_listed(struct missing_search *search, const struct mm_snapshots *snapshots)
{
	struct mm_sysinfo_dirs dirs;
	json_t *trace;
	size_t j;

	search->failed |= mm_sysinfo_dirs_find(&dirs, search->source) != 0;
	for (size_t i = 0; i < dirs.count && !search->failed; i++) {
		if (!dirs.all[i].matches)
			continue;
		for (size_t k = 0; k < mm_source_folder_count(search->source); k++) {
			uint32_t online = mm_sysinfo_dir_cpus(&dirs.all[i],
							      mm_source_id_at(search->source, k));

			if (online > search->online[k])
				search->online[k] = online;
		}
		search->list->had_sums |=
			json_is_object(json_object_get(dirs.all[i].list, "files"));
		search->list->limits_unknown |= mm_sysinfo_dirs_is_part(dirs.all[i].system) &&
						missing_is_uncertified(search, snapshots);
		json_array_foreach(json_object_get(dirs.all[i].list, "traces"), j, trace)
			check_trace(search, &dirs.all[i], trace);
	}
	search->list->notes = dirs.notes;
	search->list->note_count = dirs.note_count;
	dirs.notes = NULL;
	dirs.note_count = 0;
	mm_sysinfo_dirs_release(&dirs);
}
