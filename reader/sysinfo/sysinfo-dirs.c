// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the system information of a trace in nearby folders. */
#include "reader/sysinfo/sysinfo-dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/sysinfo/snapshot-json.h"
#include "util/checksums.h"
#include "util/escape.h"
#include "util/hash.h"
#include "util/json-file.h"
#include "util/text.h"
#include "util/uuid.h"

#define FOLDER "sysinfo"
/* name in older snapshots; must be as long as FOLDER, which it replaces in paths */
#define OLD_FOLDER "context"
#define ABOVE_MAX 2  /* number of folders that are searched above the opened folder */
#define DEPTH_MAX 34 /* maximum depth of a trace below the opened folder */

void mm_sysinfo_dirs_note(struct mm_sysinfo_dirs *dirs, const char *fmt, ...)
{
	char **grown =
		mm_array_grow(dirs->notes, dirs->note_count, &dirs->note_room, sizeof(*grown));
	char *raw = NULL, *safe = NULL;
	va_list args;

	if (grown)
		dirs->notes = grown;
	va_start(args, fmt);
	if (vasprintf(&raw, fmt, args) < 0)
		raw = NULL;
	va_end(args);
	if (raw && grown)
		safe = mm_escape_message_copy(raw);
	if (safe)
		grown[dirs->note_count++] = safe;
	dirs->failed |= !safe;
	free(raw);
}

json_t *mm_sysinfo_dirs_load(struct mm_sysinfo_dirs *dirs, const char *folder, const char *name)
{
	char *path, why[256];
	json_t *json;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		dirs->failed = true;
		return NULL;
	}
	if (mm_json_load(path, &json, why, sizeof(why)))
		dirs->failed = true;
	else if (!json && *why)
		mm_sysinfo_dirs_note(dirs, "system information: %s: %s; it is not used", path, why);
	free(path);
	return json;
}

static bool is_same(const struct stat *st, dev_t device, ino_t inode)
{
	return st->st_dev == device && st->st_ino == inode;
}

static void note_too_long(struct mm_sysinfo_dirs *dirs, const char *path)
{
	if (!dirs->too_long)
		mm_sysinfo_dirs_note(dirs, "system information: %s: cannot be searched for: %s",
				     path, strerror(ENAMETOOLONG));
	dirs->too_long = true;
}

/*
 * Adds @dir/sysinfo if it exists and is new. If @near is true, @dir may be a snapshot's folder: a
 * note then tells the user if the path of @dir is too long to search.
 */
static void look_in(struct mm_sysinfo_dirs *dirs, const char *dir, bool inside, bool beside,
		    bool near)
{
	struct mm_sysinfo_dir *grown;
	char *folder, *real;
	struct stat st;
	bool found;

	if (asprintf(&folder, "%s/" FOLDER, dir) < 0) {
		dirs->failed = true;
		return;
	}
	found = !stat(folder, &st);
	if (!found && errno == ENOENT) {
		memcpy(folder + strlen(dir), "/" OLD_FOLDER, sizeof("/" OLD_FOLDER));
		found = !stat(folder, &st);
	}
	if (!found) {
		dirs->failed |= errno == ENOMEM;
		if (near && errno == ENAMETOOLONG)
			note_too_long(dirs, folder);
		goto out;
	}
	if (!S_ISDIR(st.st_mode))
		goto out;
	real = realpath(folder, NULL);
	dirs->failed |= !real && errno == ENOMEM;
	if (real) {
		free(folder);
		folder = real;
	}
	for (size_t i = 0; i < dirs->count; i++)
		if (is_same(&st, dirs->all[i].device, dirs->all[i].inode)) {
			dirs->all[i].adjacent |= beside;
			goto out;
		}
	grown = mm_array_grow(dirs->all, dirs->count, &dirs->room, sizeof(*grown));
	if (!grown) {
		dirs->failed = true;
		goto out;
	}
	dirs->all = grown;
	grown[dirs->count++] = (struct mm_sysinfo_dir){
		.folder = folder,
		.device = st.st_dev,
		.inode = st.st_ino,
		.inside = inside,
		.adjacent = beside,
	};
	return;
out:
	free(folder);
}

bool mm_sysinfo_dirs_is_part(const json_t *system)
{
	const char *selection = json_string_value(json_object_get(system, "selection"));

	return selection && !strcmp(selection, "part");
}

int mm_sysinfo_dirs_levels(const char *folder, const struct stat *top)
{
	char path[4096 + 3 * DEPTH_MAX];
	size_t length = strlen(folder);
	struct stat st;

	if (length >= 4096)
		return -1;
	memcpy(path, folder, length + 1);
	for (int level = 0; level <= DEPTH_MAX; level++) {
		if (stat(path, &st))
			return -1;
		if (is_same(&st, top->st_dev, top->st_ino))
			return level;
		strcpy(path + length, "/..");
		length += 3;
	}
	return -1;
}

/*
 * Searches @folder and the folders above it. @top: number of levels up to the opened folder, or -1.
 * @beside: number of levels up to the folder that contains the trace's folder, or -1.
 */
static void look_above(struct mm_sysinfo_dirs *dirs, const char *folder, int top, int beside)
{
	char path[4096 + 3 * DEPTH_MAX];
	size_t length = strlen(folder);

	if (length >= 4096) {
		note_too_long(dirs, folder);
		return;
	}
	memcpy(path, folder, length + 1);
	for (int level = 0; level <= (top < 0 ? 0 : top) + ABOVE_MAX; level++) {
		look_in(dirs, path, level <= top, level <= beside, !level || level <= beside);
		strcpy(path + length, "/..");
		length += 3;
	}
}

static void look_everywhere(struct mm_sysinfo_dirs *dirs, const struct mm_source *source)
{
	const char *path = mm_source_path(source);
	struct stat top;
	bool has_top = path && !stat(path, &top) && S_ISDIR(top.st_mode);

	/*
	 * The user of a babeltrace2 graph names the folders of traces, not their snapshot. Treat
	 * the snapshot as if the user had named it, too.
	 */
	for (size_t i = 0; i < mm_source_folder_count(source); i++)
		look_above(dirs, mm_source_folder_at(source, i),
			   has_top ? mm_sysinfo_dirs_levels(mm_source_folder_at(source, i), &top)
				   : 1,
			   1);
	if (has_top && mm_source_folder_count(source))
		look_above(dirs, mm_source_path(source), 0, -1);
}

static int by_folder(const void *a, const void *b)
{
	return strcmp(((const struct mm_sysinfo_dir *)a)->folder,
		      ((const struct mm_sysinfo_dir *)b)->folder);
}

static bool boot_of(const json_t *object, uint8_t boot_id[16])
{
	return mm_uuid_parse(json_string_value(json_object_get(object, "boot_id")), boot_id);
}

/* Result of comparing an identifier of a trace. */
enum id_match { NOTHING_SAYS, IS_ANOTHER, IS_THIS };

static enum id_match match_boot(const json_t *object, const struct mm_trace_id *id)
{
	uint8_t boot_id[16];

	if (!id->has_boot_id || !boot_of(object, boot_id))
		return NOTHING_SAYS;
	return memcmp(boot_id, id->boot_id, sizeof(boot_id)) ? IS_ANOTHER : IS_THIS;
}

uint32_t mm_sysinfo_dir_cpus(const struct mm_sysinfo_dir *dir, const struct mm_trace_id *id)
{
	json_int_t count = json_integer_value(json_object_get(dir->system, "nr_cpus"));

	return match_boot(dir->system, id) == IS_THIS && count > 0 && count < MM_CPU_UNKNOWN
		       ? (uint32_t)count
		       : 0;
}

bool mm_sysinfo_lists_uuid(const json_t *trace, const struct mm_trace_id *id)
{
	uint8_t uuid[16];

	return id->has_uuid &&
	       mm_uuid_parse(json_string_value(json_object_get(trace, "uuid")), uuid) &&
	       !memcmp(uuid, id->uuid, sizeof(uuid));
}

static bool lists(const json_t *list, const struct mm_trace_id *id)
{
	json_t *trace;
	size_t i;

	json_array_foreach(json_object_get(list, "traces"), i,
			   trace) if (mm_sysinfo_lists_uuid(trace, id)) return true;
	return false;
}

/*
 * The list does not contain the trace in @folder. Does the list contain another trace with this
 * folder? If so, the list belongs to another snapshot of the session. (The list may still contain
 * other traces of this snapshot, because snapshots of a session share traces of state dumps.)
 */
static bool lists_another(const struct mm_sysinfo_dir *dir, const char *folder)
{
	const json_t *traces = json_object_get(dir->list, "traces");
	struct stat st, listed;
	bool another = false;

	for (size_t i = 0; i < json_array_size(traces) && !another; i++) {
		const json_t *trace = json_array_get(traces, i);
		const char *name = json_string_value(json_object_get(trace, "folder"));
		uint8_t uuid[16];
		char *path;

		if (!name ||
		    !mm_uuid_parse(json_string_value(json_object_get(trace, "uuid")), uuid) ||
		    asprintf(&path, "%s/../%s", dir->folder, name) < 0)
			continue;
		another = !stat(path, &listed) && !stat(folder, &st) &&
			  is_same(&st, listed.st_dev, listed.st_ino);
		free(path);
	}
	return another;
}

/* Adds a note if a listed trace cannot be identified, because it has no UUID or no folder. */
static void check_list(struct mm_sysinfo_dirs *dirs, const struct mm_sysinfo_dir *dir)
{
	const json_t *traces = json_object_get(dir->list, "traces");
	uint8_t uuid[16];

	for (size_t i = 0; i < json_array_size(traces); i++) {
		const json_t *trace = json_array_get(traces, i);
		const char *name = json_string_value(json_object_get(trace, "folder"));

		if (name && mm_uuid_parse(json_string_value(json_object_get(trace, "uuid")), uuid))
			continue;
		mm_sysinfo_dirs_note(
			dirs,
			"system information: %s/traces.json: damaged: trace %zu has no %s; its list of streams is not used",
			dir->folder, i + 1, name ? "UUID" : "folder");
		return;
	}
}

static const char *outcome(const struct mm_sysinfo_dirs *dirs)
{
	return dirs->explicit ? "it is used because it was named" : "it is not used";
}

/*
 * Total sizes of two kinds of stream files. @listed: files with the size that the list states.
 * @other: replaced files. They are longer than the list states, or shorter although they were not
 * cut.
 */
struct size_tally {
	uint64_t listed, other;
};

/*
 * The list is foreign if size_tally.other is more than this many times size_tally.listed. Even
 * then, some files may have the size that the list states: files of rare events are nearly empty,
 * and may have the same size in all snapshots.
 */
#define OTHER_FACTOR 4

/* Does the file have the length that its checksum file states? If so, it was not cut. */
static bool is_whole(struct mm_sysinfo_dirs *dirs, const char *folder, const char *name, off_t size)
{
	struct mm_checksums sums;
	int error, ret = mm_checksums_load(&sums, folder, name, &error);
	bool whole = false;

	dirs->failed |= ret < 0;
	if (ret > 0 && sums.count)
		whole = sums.all[sums.count - 1].offset + sums.all[sums.count - 1].bytes ==
			(uint64_t)size;
	mm_checksums_release(&sums);
	return whole;
}

static void compare_sizes(struct mm_sysinfo_dirs *dirs, const json_t *trace, const char *folder,
			  struct size_tally *sizes)
{
	const json_t *streams = json_object_get(trace, "streams");

	for (size_t i = 0; i < json_array_size(streams) && !dirs->failed; i++) {
		const json_t *stream = json_array_get(streams, i);
		const char *name = json_string_value(json_object_get(stream, "file"));
		const json_t *bytes = json_object_get(stream, "bytes");
		struct stat st;
		char *path;

		if (!name || strchr(name, '/') || !json_is_integer(bytes))
			continue;
		if (asprintf(&path, "%s/%s", folder, name) < 0) {
			dirs->failed = true;
			return;
		}
		if (!stat(path, &st) && S_ISREG(st.st_mode) && st.st_size) {
			if (st.st_size == json_integer_value(bytes))
				sizes->listed += (uint64_t)st.st_size;
			else if (st.st_size > json_integer_value(bytes) ||
				 is_whole(dirs, folder, name, st.st_size))
				sizes->other += (uint64_t)st.st_size;
		}
		free(path);
	}
}

/*
 * Does the list belong to another snapshot of this recorder? The traces of both snapshots have
 * equal UUIDs, so compare sizes. If the list is foreign, nearly all bytes are in replaced files:
 * see struct size_tally.
 */
static bool lists_other_files(struct mm_sysinfo_dirs *dirs, const struct mm_sysinfo_dir *dir,
			      const struct mm_source *source)
{
	const json_t *traces = json_object_get(dir->list, "traces");
	struct size_tally sizes = { 0 };

	for (size_t i = 0; i < mm_source_folder_count(source); i++)
		for (size_t j = 0; j < json_array_size(traces); j++)
			if (mm_sysinfo_lists_uuid(json_array_get(traces, j),
						  mm_source_id_at(source, i)))
				compare_sizes(dirs, json_array_get(traces, j),
					      mm_source_folder_at(source, i), &sizes);
	return sizes.other / OTHER_FACTOR > sizes.listed;
}

enum list_origin { LIST_UNKNOWN, LIST_OWN, LIST_FOREIGN };

/* Compares traces.json with its checksum in the snapshot.json next to it. */
static enum list_origin find_origin(struct mm_sysinfo_dirs *dirs, const struct mm_sysinfo_dir *dir)
{
	struct mm_snapshot snapshot;
	char *path, why[256], text[16];
	enum list_origin origin = LIST_UNKNOWN;
	const char *sum;
	uint32_t crc;
	int ret;

	if (asprintf(&path, "%s/..", dir->folder) < 0) {
		dirs->failed = true;
		return origin;
	}
	ret = mm_snapshot_load(path, &snapshot, why, sizeof(why));
	dirs->failed |= ret < 0;
	free(path);
	sum = json_string_value(json_object_get(json_object_get(snapshot.json, MM_SNAPSHOT_SYSINFO),
						"traces.json"));
	if (ret > 0 && sum && asprintf(&path, "%s/traces.json", dir->folder) >= 0) {
		if (!mm_crc32c_file(AT_FDCWD, path, &crc)) {
			snprintf(text, sizeof(text), "%08" PRIx32, crc);
			origin = strcmp(text, sum) ? LIST_FOREIGN : LIST_OWN;
		}
		free(path);
	}
	mm_snapshot_release(&snapshot);
	return origin;
}

/* Rejects a list that was not written with these traces. */
static void check_origin(struct mm_sysinfo_dirs *dirs, struct mm_sysinfo_dir *dir,
			 const struct mm_source *source)
{
	const enum list_origin origin = find_origin(dirs, dir);

	if (origin == LIST_FOREIGN) {
		mm_sysinfo_dirs_note(
			dirs,
			"system information: %s/traces.json: damaged, or of another snapshot: its checksum is not the one in snapshot.json; %s",
			dir->folder, outcome(dirs));
		dir->matches = false;
	} else if (origin == LIST_UNKNOWN && lists_other_files(dirs, dir, source)) {
		mm_sysinfo_dirs_note(
			dirs,
			"system information: %s: it belongs to another snapshot, because its traces.json lists different sizes for the stream files; %s",
			dir->folder, outcome(dirs));
		dir->matches = false;
	}
}

static void bind_by_list(struct mm_sysinfo_dirs *dirs, struct mm_sysinfo_dir *dir,
			 const struct mm_source *source)
{
	bool listed = false, another = false;

	check_list(dirs, dir);
	for (size_t i = 0; i < mm_source_folder_count(source); i++) {
		const struct mm_trace_id *id = mm_source_id_at(source, i);

		if (!id->has_uuid)
			continue;
		if (!lists(dir->list, id)) {
			another |= lists_another(dir, mm_source_folder_at(source, i));
			continue;
		}
		listed = true;
		dir->matches |= match_boot(dir->list, id) != IS_ANOTHER;
	}
	if (another)
		listed = dir->matches = false;
	if (dir->matches)
		check_origin(dirs, dir, source);
	else
		mm_sysinfo_dirs_note(dirs, "system information: %s: of another %s; %s", dir->folder,
				     listed ? "boot" : "trace", outcome(dirs));
}

static void bind_by_boot(struct mm_sysinfo_dirs *dirs, struct mm_sysinfo_dir *dir,
			 const struct mm_source *source)
{
	bool known = false;
	uint8_t boot_id[16];

	for (size_t i = 0; i < mm_source_folder_count(source); i++) {
		known |= mm_source_id_at(source, i)->has_boot_id;
		dir->matches |= match_boot(dir->system, mm_source_id_at(source, i)) == IS_THIS;
	}
	if (dir->matches)
		return;
	if (boot_of(dir->system, boot_id)) {
		mm_sysinfo_dirs_note(dirs, "system information: %s: %s; %s", dir->folder,
				     known ? "of another boot" : "the trace has no boot id",
				     outcome(dirs));
		return;
	}
	dir->matches = dir->adjacent && !known;
	if (!dir->matches)
		mm_sysinfo_dirs_note(
			dirs, "system information: %s: nothing shows to which trace it belongs; %s",
			dir->folder, outcome(dirs));
}

static void bind_place(struct mm_sysinfo_dirs *dirs, struct mm_sysinfo_dir *dir,
		       const struct mm_source *source)
{
	dir->list = mm_sysinfo_dirs_load(dirs, dir->folder, "traces.json");
	dir->system = mm_sysinfo_dirs_load(dirs, dir->folder, "system.json");
	if (json_is_array(json_object_get(dir->list, "traces")))
		bind_by_list(dirs, dir, source);
	else
		bind_by_boot(dirs, dir, source);
}

int mm_sysinfo_dirs_find(struct mm_sysinfo_dirs *dirs, struct mm_source *source)
{
	*dirs = (struct mm_sysinfo_dirs){ NULL };
	if (!source)
		return 0;
	look_everywhere(dirs, source);
	/* The order of the traces' folders depends on the reader, so sort. */
	if (dirs->count)
		qsort(dirs->all, dirs->count, sizeof(*dirs->all), by_folder);
	if (dirs->count && mm_source_identify(source, NULL))
		dirs->failed = true;
	for (size_t i = 0; i < dirs->count && !dirs->failed; i++)
		bind_place(dirs, &dirs->all[i], source);
	return dirs->failed ? -1 : 0;
}

int mm_sysinfo_dirs_use(struct mm_sysinfo_dirs *dirs, struct mm_source *source, const char *folder)
{
	struct mm_sysinfo_dir *dir;

	*dirs = (struct mm_sysinfo_dirs){ .explicit = true };
	look_above(dirs, folder, 0, -1);
	if (dirs->failed)
		return -1;
	if (!dirs->count)
		return 1;
	/* The nearest folder comes first. Use only this one. */
	while (dirs->count > 1)
		free(dirs->all[--dirs->count].folder);
	dir = &dirs->all[0];
	dir->adjacent = true;
	if (!source || !mm_source_folder_count(source)) {
		dir->list = mm_sysinfo_dirs_load(dirs, dir->folder, "traces.json");
		dir->system = mm_sysinfo_dirs_load(dirs, dir->folder, "system.json");
	} else if (mm_source_identify(source, NULL)) {
		dirs->failed = true;
	} else {
		bind_place(dirs, dir, source);
	}
	dir->matches = true;
	return dirs->failed ? -1 : 0;
}

void mm_sysinfo_dirs_release(struct mm_sysinfo_dirs *dirs)
{
	for (size_t i = 0; i < dirs->count; i++) {
		free(dirs->all[i].folder);
		json_decref(dirs->all[i].list);
		json_decref(dirs->all[i].system);
	}
	mm_strings_release(dirs->notes, dirs->note_count);
	free(dirs->all);
	*dirs = (struct mm_sysinfo_dirs){ NULL };
}
