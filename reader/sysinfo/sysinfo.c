// SPDX-License-Identifier: LGPL-2.1-only
/* Reads a snapshot's system information. Malformed parts count as absent. */
#include "reader/sysinfo/sysinfo.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/coverage/missing.h"
#include "reader/sysinfo/sysinfo-dirs.h"
#include "util/checksums.h"

struct sysinfo_thread {
	int tid, pid;
	const char *comm; /* owned by the JSON */
	size_t order;
};

struct sysinfo_recorder {
	int pid;
	int64_t start_ns;
};

struct part_index {
	const struct mm_sysinfo_part *part;
	json_t *list;
	json_t *by_key; /* maps values of the part's key to entries */
};

#define SYMBOLS "symbols.txt"

struct mm_sysinfo {
	const char *folder; /* the folder in @dirs that is used; NULL: none */
	bool sought;
	bool has_symbols; /* symbols.txt is intact, or absent */
	struct mm_sysinfo_dirs dirs;
	json_t *system, *mounts, *files, *processes, *recorder;
	/* sorted by tid; if a tid has several entries, the last one counts */
	struct sysinfo_thread *threads;
	size_t thread_count;
	struct sysinfo_recorder *recorders; /* sorted by pid */
	size_t recorder_count;
	json_t *file_by_key; /* maps "major:minor:ino" to an entry of files */
	struct part_index parts[MM_SYSINFO_PARTS_MAX];
	size_t part_count;
};

static int64_t integer(const json_t *object, const char *key, int64_t missing)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : missing;
}

static int boolean(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_boolean(value) ? json_is_true(value) : -1;
}

static bool is_sound(const json_t *entry, const struct mm_sysinfo_member *members)
{
	for (; members->key; members++) {
		const json_t *value = json_object_get(entry, members->key);
		bool absent = !value || json_is_null(value);
		bool boolean = members->type == JSON_TRUE && json_is_boolean(value);

		if (members->required && integer(entry, members->key, -1) < 0)
			return false;
		if (!absent && !boolean && json_typeof(value) != members->type)
			return false;
	}
	return json_is_object(entry);
}

/* If entries of @list are damaged, adds a note. @list is NULL if the file is missing. */
static void check_entries(struct mm_sysinfo *sysinfo, const char *name, const json_t *list,
			  const struct mm_sysinfo_member *members)
{
	size_t damaged = 0, first = 0, i;
	json_t *entry;

	json_array_foreach(list, i, entry)
	{
		if (is_sound(entry, members))
			continue;
		first = damaged++ ? first : i;
	}
	if (damaged)
		mm_sysinfo_dirs_note(
			&sysinfo->dirs,
			"system information: %s/%s: %zu of %zu entries damaged, the first is entry %zu; damaged values are not used",
			sysinfo->folder, name, damaged, json_array_size(list), first);
	else if (list && !json_is_array(list))
		mm_sysinfo_dirs_note(&sysinfo->dirs,
				     "system information: %s/%s: damaged: no list; it is not used",
				     sysinfo->folder, name);
}

static void check_all(struct mm_sysinfo *sysinfo)
{
	static const struct mm_sysinfo_member thread[] = { { "tid", JSON_INTEGER, true },
							   { "pid", JSON_INTEGER, false },
							   { "comm", JSON_STRING, false },
							   { 0 } };
	static const struct mm_sysinfo_member recorder[] = { { "pid", JSON_INTEGER, true },
							     { "start_ns", JSON_INTEGER, false },
							     { 0 } };
	static const struct mm_sysinfo_member file[] = { { "major", JSON_INTEGER, false },
							 { "minor", JSON_INTEGER, false },
							 { "ino", JSON_INTEGER, false },
							 { "path", JSON_STRING, false },
							 { "dax", JSON_TRUE, false },
							 { "size", JSON_INTEGER, false },
							 { "extents", JSON_INTEGER, false },
							 { "extents_2m_aligned", JSON_INTEGER,
							   false },
							 { 0 } };

	check_entries(sysinfo, "processes.json", sysinfo->processes, thread);
	check_entries(sysinfo, "files.json", sysinfo->files, file);
	for (size_t i = 0; i < sysinfo->part_count; i++)
		if (sysinfo->parts[i].part->members)
			check_entries(sysinfo, sysinfo->parts[i].part->name, sysinfo->parts[i].list,
				      sysinfo->parts[i].part->members);
	check_entries(sysinfo, "recorder.json",
		      sysinfo->recorder ? json_object_get(sysinfo->recorder, "processes") : NULL,
		      recorder);
}

static int compare_threads(const void *a, const void *b)
{
	const struct sysinfo_thread *left = a, *right = b;

	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return (left->order > right->order) - (left->order < right->order);
}

/* Sorts the threads by tid, because `print` looks up a name for each event. */
static void index_threads(struct mm_sysinfo *sysinfo)
{
	size_t count = json_array_size(sysinfo->processes), i;
	json_t *entry;

	sysinfo->threads = calloc(count + 1, sizeof(*sysinfo->threads));
	if (!sysinfo->threads) {
		sysinfo->dirs.failed = true;
		return;
	}
	json_array_foreach(sysinfo->processes, i, entry)
	{
		int64_t tid = integer(entry, "tid", -1);
		const char *comm = json_string_value(json_object_get(entry, "comm"));

		int64_t pid = integer(entry, "pid", -1);

		if (tid >= 0 && tid <= INT_MAX)
			sysinfo->threads[sysinfo->thread_count++] = (struct sysinfo_thread){
				(int)tid, pid >= 0 && pid <= INT_MAX ? (int)pid : -1, comm, i
			};
	}
	qsort(sysinfo->threads, sysinfo->thread_count, sizeof(*sysinfo->threads), compare_threads);
}

static const struct sysinfo_thread *find_thread(const struct mm_sysinfo *sysinfo, int tid)
{
	size_t low = 0, high = sysinfo->thread_count;

	/* Find the first thread with a higher tid. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sysinfo->threads[middle].tid <= tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low && sysinfo->threads[low - 1].tid == tid ? &sysinfo->threads[low - 1] : NULL;
}

/*
 * Drops recorder.json if most of its processes are not in processes.json, because then one of the
 * two files is from another boot. A recorder has at least four processes, but some may exit before
 * the second file is written.
 */
static void check_recorder(struct mm_sysinfo *sysinfo)
{
	const json_t *processes = json_object_get(sysinfo->recorder, "processes");
	size_t count = 0, found = 0;

	for (size_t i = 0; i < json_array_size(processes); i++) {
		const json_t *process = json_array_get(processes, i);
		const char *name = json_string_value(json_object_get(process, "name"));
		int64_t pid = integer(process, "pid", -1);
		const struct sysinfo_thread *thread =
			pid > 0 && pid <= INT_MAX ? find_thread(sysinfo, (int)pid) : NULL;

		count += pid > 0;
		found += thread && (!name || !thread->comm || !strcmp(name, thread->comm));
	}
	if (count < 4 || !sysinfo->thread_count || found * 2 >= count)
		return;
	mm_sysinfo_dirs_note(
		&sysinfo->dirs,
		"system information: %s/recorder.json: processes.json lists different processes, so one of the two files is of another snapshot; recorder.json is not used",
		sysinfo->folder);
	json_decref(sysinfo->recorder);
	sysinfo->recorder = NULL;
}

static int compare_recorders(const void *a, const void *b)
{
	const struct sysinfo_recorder *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

static void index_recorders(struct mm_sysinfo *sysinfo)
{
	const json_t *processes = json_object_get(sysinfo->recorder, "processes");
	size_t count = json_array_size(processes), i;
	json_t *entry;

	sysinfo->recorders = calloc(count + 1, sizeof(*sysinfo->recorders));
	if (!sysinfo->recorders) {
		sysinfo->dirs.failed = true;
		return;
	}
	json_array_foreach(processes, i, entry)
	{
		int64_t pid = integer(entry, "pid", -1);

		if (pid > 0 && pid <= INT_MAX)
			sysinfo->recorders[sysinfo->recorder_count++] =
				(struct sysinfo_recorder){ (int)pid,
							   integer(entry, "start_ns", 0) };
	}
	qsort(sysinfo->recorders, sysinfo->recorder_count, sizeof(*sysinfo->recorders),
	      compare_recorders);
}

static void index_entries(struct mm_sysinfo *sysinfo)
{
	json_t *entry;
	size_t i;
	char key[64];

	sysinfo->file_by_key = json_object();
	sysinfo->dirs.failed |= !sysinfo->file_by_key;
	json_array_foreach(sysinfo->files, i, entry)
	{
		snprintf(key, sizeof(key), "%lld:%lld:%lld", (long long)integer(entry, "major", -1),
			 (long long)integer(entry, "minor", -1),
			 (long long)integer(entry, "ino", -1));
		if (json_object_set(sysinfo->file_by_key, key, entry))
			sysinfo->dirs.failed = true;
	}
}

/* Adds an entry to part->by_key. Returns false when out of memory. */
static bool index_entry(struct part_index *part, json_t *entry)
{
	json_t *value = json_object_get(entry, part->part->key), *name;
	bool failed = false;
	size_t i;

	if (json_is_string(value))
		return !json_object_set(part->by_key, json_string_value(value), entry);
	json_array_foreach(value, i, name) if (json_is_string(name)) failed |=
		json_object_set(part->by_key, json_string_value(name), entry) != 0;
	return !failed;
}

static void index_part(struct mm_sysinfo *sysinfo, struct part_index *part)
{
	json_t *entry;
	size_t i;

	part->by_key = json_object();
	sysinfo->dirs.failed |= !part->by_key;
	json_array_foreach(part->list, i, entry) sysinfo->dirs.failed |= !index_entry(part, entry);
}

static int64_t time_of(const struct mm_sysinfo_dir *dir)
{
	return integer(dir->system, "snapshot_boottime_ns", INT64_MIN);
}

/* Chooses the latest of several snapshots of one boot. Chooses none if the boots differ. */
static const struct mm_sysinfo_dir *choose(struct mm_sysinfo_dirs *dirs)
{
	const struct mm_sysinfo_dir *chosen = NULL;
	const char *boot = NULL;
	size_t count = 0;

	for (size_t i = 0; i < dirs->count; i++) {
		const struct mm_sysinfo_dir *dir = &dirs->all[i];
		const char *other = json_string_value(json_object_get(dir->system, "boot_id"));

		if (!dir->matches)
			continue;
		count++;
		if (boot && other && strcmp(boot, other)) {
			mm_sysinfo_dirs_note(
				dirs,
				"system information: %s and %s are of different boots; neither is used; give a single snapshot to get names",
				chosen->folder, dir->folder);
			return NULL;
		}
		boot = boot ? boot : other;
		if (!chosen || time_of(dir) > time_of(chosen))
			chosen = dir;
	}
	if (count > 1)
		mm_sysinfo_dirs_note(
			dirs, "system information: %zu snapshots have a folder sysinfo; %s is used",
			count, chosen->folder);
	return chosen;
}

/*
 * Returns false, and adds a note, if the file does not match its checksum in traces.json. Returns
 * true if there is no checksum.
 */
static bool is_own(struct mm_sysinfo_dirs *dirs, const struct mm_sysinfo_dir *dir, const char *name)
{
	const json_t *sums = json_object_get(dir->list, "files");
	const char *sum = json_string_value(json_object_get(sums, name));
	char path[4096], text[16];
	uint32_t crc;

	if (!sum ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", dir->folder, name) >= sizeof(path) ||
	    mm_crc32c_file(AT_FDCWD, path, &crc))
		return true;
	snprintf(text, sizeof(text), "%08" PRIx32, crc);
	if (!strcmp(text, sum))
		return true;
	mm_sysinfo_dirs_note(
		dirs, "system information: %s: damaged, or of another snapshot; it is not used",
		path);
	return false;
}

static json_t *load_file(struct mm_sysinfo_dirs *dirs, const struct mm_sysinfo_dir *dir,
			 const char *name)
{
	return is_own(dirs, dir, name) ? mm_sysinfo_dirs_load(dirs, dir->folder, name) : NULL;
}

/* Does symbols.txt end within a line? If so, code after its last symbol would get a wrong name. */
static bool is_cut(struct mm_sysinfo_dirs *dirs, const struct mm_sysinfo_dir *dir)
{
	char path[4096];
	struct stat st;
	FILE *file;
	bool cut;

	if ((size_t)snprintf(path, sizeof(path), "%s/" SYMBOLS, dir->folder) >= sizeof(path) ||
	    stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	file = fopen(path, "re");
	cut = file && !fseek(file, -1, SEEK_END) && getc(file) != '\n';
	if (file)
		fclose(file);
	if (cut)
		mm_sysinfo_dirs_note(dirs, "system information: %s: truncated; it is not used",
				     path);
	return cut;
}

static void load_all(struct mm_sysinfo *sysinfo)
{
	struct mm_sysinfo_dirs *dirs = &sysinfo->dirs;
	const struct mm_sysinfo_dir *dir = choose(dirs);

	if (!dir)
		return;
	sysinfo->folder = dir->folder;
	sysinfo->system = json_incref(dir->system);
	sysinfo->mounts = load_file(dirs, dir, "mounts.json");
	sysinfo->files = load_file(dirs, dir, "files.json");
	sysinfo->processes = load_file(dirs, dir, "processes.json");
	for (size_t i = 0; i < sysinfo->part_count; i++)
		sysinfo->parts[i].list = load_file(dirs, dir, sysinfo->parts[i].part->name);
	sysinfo->recorder = load_file(dirs, dir, "recorder.json");
	sysinfo->has_symbols = is_own(dirs, dir, SYMBOLS) && !is_cut(dirs, dir);
	check_all(sysinfo);
}

static struct mm_sysinfo *load(struct mm_source *source, const char *named,
			       mm_sysinfo_part_fn *part_at)
{
	struct mm_sysinfo *sysinfo = calloc(1, sizeof(*sysinfo));
	const struct mm_sysinfo_part *part;
	int ret;

	if (!sysinfo)
		return NULL;
	sysinfo->sought = named || source;
	for (size_t i = 0; i < MM_SYSINFO_PARTS_MAX && (part = part_at(i)); i++)
		sysinfo->parts[sysinfo->part_count++].part = part;
	ret = named ? mm_sysinfo_dirs_use(&sysinfo->dirs, source, named)
		    : mm_sysinfo_dirs_find(&sysinfo->dirs, source);
	if (ret > 0)
		mm_sysinfo_dirs_note(
			&sysinfo->dirs,
			"system information: %s: not found in this folder or in the two folders above it",
			named);
	if (!ret)
		load_all(sysinfo);
	index_threads(sysinfo);
	check_recorder(sysinfo);
	index_recorders(sysinfo);
	index_entries(sysinfo);
	for (size_t i = 0; i < sysinfo->part_count; i++)
		index_part(sysinfo, &sysinfo->parts[i]);
	if (!sysinfo->dirs.failed)
		return sysinfo;
	mm_sysinfo_destroy(sysinfo);
	return NULL;
}

struct mm_sysinfo *mm_sysinfo_load(struct mm_source *source, mm_sysinfo_part_fn *part_at)
{
	return load(source, NULL, part_at);
}

struct mm_sysinfo *mm_sysinfo_load_folder(const char *folder, struct mm_source *source,
					  mm_sysinfo_part_fn *part_at)
{
	return load(source, folder, part_at);
}

void mm_sysinfo_destroy(struct mm_sysinfo *sysinfo)
{
	if (!sysinfo)
		return;
	json_decref(sysinfo->system);
	json_decref(sysinfo->mounts);
	json_decref(sysinfo->files);
	json_decref(sysinfo->processes);
	free(sysinfo->threads);
	free(sysinfo->recorders);
	json_decref(sysinfo->file_by_key);
	for (size_t i = 0; i < sysinfo->part_count; i++) {
		json_decref(sysinfo->parts[i].by_key);
		json_decref(sysinfo->parts[i].list);
	}
	json_decref(sysinfo->recorder);
	mm_sysinfo_dirs_release(&sysinfo->dirs);
	free(sysinfo);
}

const char *mm_sysinfo_note(const struct mm_sysinfo *sysinfo, size_t index)
{
	return index < sysinfo->dirs.note_count ? sysinfo->dirs.notes[index] : NULL;
}

enum mm_sysinfo_use mm_sysinfo_use(const struct mm_sysinfo *sysinfo)
{
	if (sysinfo->folder)
		return MM_SYSINFO_USED;
	if (sysinfo->dirs.note_count)
		return MM_SYSINFO_REFUSED;
	return sysinfo->sought ? MM_SYSINFO_ABSENT : MM_SYSINFO_UNSOUGHT;
}

const char *mm_sysinfo_symbols(const struct mm_sysinfo *sysinfo)
{
	return sysinfo && sysinfo->has_symbols ? sysinfo->folder : NULL;
}

const char *mm_sysinfo_folder(const struct mm_sysinfo *sysinfo)
{
	return sysinfo->folder;
}

const char *mm_sysinfo_system(const struct mm_sysinfo *sysinfo, const char *key)
{
	return json_string_value(json_object_get(sysinfo->system, key));
}

bool mm_sysinfo_is_partial(const struct mm_sysinfo *sysinfo, const struct mm_source *source)
{
	return mm_source_missing(source) ? mm_missing_is_limited(mm_source_missing(source))
					 : mm_sysinfo_dirs_is_part(sysinfo->system);
}

int64_t mm_sysinfo_system_number(const struct mm_sysinfo *sysinfo, const char *key, int64_t missing)
{
	return integer(sysinfo->system, key, missing);
}

bool mm_sysinfo_lists_recorder(const struct mm_sysinfo *sysinfo)
{
	return json_is_array(json_object_get(sysinfo->recorder, "processes"));
}

bool mm_sysinfo_is_recorder(const struct mm_sysinfo *sysinfo, int pid, int64_t *start_ns)
{
	size_t low = 0, high = sysinfo->recorder_count;

	/* Find the first recorder with that pid. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sysinfo->recorders[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == sysinfo->recorder_count || sysinfo->recorders[low].pid != pid)
		return false;
	*start_ns = sysinfo->recorders[low].start_ns;
	return true;
}

int mm_sysinfo_thread(const struct mm_sysinfo *sysinfo, size_t index)
{
	return index < sysinfo->thread_count ? sysinfo->threads[index].tid : -1;
}

const char *mm_sysinfo_comm(const struct mm_sysinfo *sysinfo, int tid)
{
	const struct sysinfo_thread *thread = find_thread(sysinfo, tid);

	return thread ? thread->comm : NULL;
}

int mm_sysinfo_pid(const struct mm_sysinfo *sysinfo, int tid)
{
	const struct sysinfo_thread *thread = find_thread(sysinfo, tid);

	return thread ? thread->pid : -1;
}

bool mm_sysinfo_find_file(const struct mm_sysinfo *sysinfo, unsigned int major, unsigned int minor,
			  uint64_t ino, struct mm_sysinfo_file *file)
{
	const json_t *entry;
	char key[64];

	snprintf(key, sizeof(key), "%u:%u:%lld", major, minor, (long long)ino);
	entry = json_object_get(sysinfo->file_by_key, key);
	if (!entry)
		return false;
	file->path = json_string_value(json_object_get(entry, "path"));
	file->dax = boolean(entry, "dax");
	file->size = integer(entry, "size", -1);
	file->extents = integer(entry, "extents", -1);
	file->extents_2m_aligned = integer(entry, "extents_2m_aligned", -1);
	return true;
}

static const struct part_index *find_part(const struct mm_sysinfo *sysinfo, const char *name)
{
	for (size_t i = 0; sysinfo && i < sysinfo->part_count; i++)
		if (!strcmp(sysinfo->parts[i].part->name, name))
			return &sysinfo->parts[i];
	return NULL;
}

const json_t *mm_sysinfo_entry(const struct mm_sysinfo *sysinfo, const char *name,
			       const char *value)
{
	const struct part_index *part = find_part(sysinfo, name);

	return part ? json_object_get(part->by_key, value) : NULL;
}

const json_t *mm_sysinfo_list(const struct mm_sysinfo *sysinfo, const char *name)
{
	const struct part_index *part = find_part(sysinfo, name);

	return part ? part->list : NULL;
}

static const json_t *find_by_device(const json_t *array, unsigned int major, unsigned int minor)
{
	json_t *entry;
	size_t i;

	json_array_foreach(array, i, entry) if (integer(entry, "major", -1) == major &&
						integer(entry, "minor", -1) == minor) return entry;
	return NULL;
}

const char *mm_sysinfo_mountpoint(const struct mm_sysinfo *sysinfo, unsigned int major,
				  unsigned int minor)
{
	return json_string_value(
		json_object_get(find_by_device(sysinfo->mounts, major, minor), "mountpoint"));
}
