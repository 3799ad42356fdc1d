// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the contents of a trace with what it should contain. */
#include "reader/coverage/find/missing-find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/packet/count.h"
#include "reader/ctf/packet/packet-read.h"
#include "reader/ctf/packet/repeats.h"
#include "reader/ctf/packet/sums.h"
#include "reader/ctf/decode/source.h"
#include "reader/coverage/find/checksums-find.h"
#include "reader/coverage/find/exchanged-find.h"
#include "reader/coverage/find/gaps-find.h"
#include "reader/coverage/find/missing-cpus.h"
#include "reader/coverage/find/pauses-find.h"
#include "reader/coverage/find/recordings.h"
#include "reader/sysinfo/places.h"
#include "reader/sysinfo/snapshots.h"
#include "reader/coverage/missing.h"
#include "util/checksums.h"
#include "util/path.h"

static const char by_list[] = "the system information lists it";
static const char by_certificate[] = "the certificate of coverage lists it";
static const char by_index[] = "its index lists packets";
static const char by_checksums[] = "it has checksums of packets";
static const char dangling[] = "it is a dangling link";
static const char denied[] = "it cannot be read: permission denied";

struct search {
	struct mm_source *source;
	struct mm_missing_list *list;
	bool *verifiable; /* one per folder */
	struct folder_id *ids;
	struct mm_hash by_id;
	uint32_t *online; /* CPUs by folder of the source, see mm_place_cpus() */
	const struct mm_snapshots *snapshots;
	struct ctf_trace *const *traces; /* that are open; NULL: none are */
	size_t trace_count;
	bool failed; /* out of memory */
};

/* Identifies a folder of the source independently of its path. */
struct folder_id {
	dev_t device;
	ino_t inode;
};

static uint32_t hash_of_id(const struct search *search, const struct folder_id *id)
{
	return mm_hash_of(&search->by_id, id->device, id->inode);
}

static bool is_id(const void *all, uint32_t number, const void *wanted)
{
	const struct folder_id *a = &((const struct folder_id *)all)[number], *b = wanted;

	return a->device == b->device && a->inode == b->inode;
}

static void identify_folders(struct search *search)
{
	const struct mm_source *source = search->source;
	struct stat st;

	mm_hash_init(&search->by_id);
	search->ids = calloc(source->folder_count + 1, sizeof(*search->ids));
	search->failed |= !search->ids;
	for (size_t i = 0; i < source->folder_count && !search->failed; i++) {
		if (stat(source->folders[i], &st))
			continue;
		search->ids[i] = (struct folder_id){ st.st_dev, st.st_ino };
		/* Of several paths to one folder, use the first. */
		if (mm_hash_find(&search->by_id, hash_of_id(search, &search->ids[i]), search->ids,
				 &search->ids[i], is_id) == MM_HASH_NONE)
			search->failed =
				mm_hash_add(&search->by_id, hash_of_id(search, &search->ids[i]),
					    (uint32_t)i) != 0;
	}
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Adds the missing file @file, a path in any form, with the other members from @missing. Keeps an
 * existing entry of that file.
 */
static void add(struct search *search, const char *file, const struct mm_missing *missing)
{
	struct mm_missing_list *list = search->list;
	char *path = mm_path_absolute(file);
	struct mm_missing *grown;

	if (path && mm_missing_in(list, path)) {
		free(path);
		return;
	}
	grown = mm_array_grow(list->all, list->count, &list->room, sizeof(*grown));
	if (grown)
		list->all = grown;
	if (!path || !grown ||
	    mm_hash_add(&list->by_file, mm_hash_of_string(&list->by_file, path),
			(uint32_t)list->count)) {
		search->failed = true;
		free(path);
		return;
	}
	grown += list->count++;
	*grown = *missing;
	grown->file = path;
	grown->loss = SIZE_MAX;
	grown->display_path = strdup(file);
	list->denied += grown->what == denied;
	search->failed |= !grown->display_path;
}

/* The reason why nothing of a stream can be read; NULL if the file has content. */
static const char *why_absent(const char *path, uint64_t *bytes)
{
	struct stat link, st;

	*bytes = 0;
	if (lstat(path, &link))
		return errno == ENOENT || errno == ENOTDIR ? "there is no such file"
							   : "it cannot be read";
	if (stat(path, &st))
		return S_ISLNK(link.st_mode) ? dangling : "it cannot be read";
	if (!S_ISREG(st.st_mode))
		return "it is not a regular file";
	if (!st.st_size)
		return "it is empty";
	if (mm_path_is_denied(path))
		return denied;
	*bytes = (uint64_t)st.st_size;
	return NULL;
}

static int64_t integer(const json_t *object, const char *key, int64_t missing)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : missing;
}

/* A file's entry in the list of the system information. */
struct listed {
	const char *name;
	uint64_t packets, packets_lost, bytes;
	struct mm_missing missing;
};

/* Reads an entry. Names are untrusted input: none may lead out of the folder. */
static bool read_listed(const json_t *entry, struct listed *listed)
{
	int64_t cpu = integer(entry, "cpu", -1), class_id = integer(entry, "class", -1);
	int64_t packets = integer(entry, "packets", 0), bytes = integer(entry, "bytes", 0);
	int64_t lost = integer(entry, "packets_lost", 0);

	*listed = (struct listed){ .name = json_string_value(json_object_get(entry, "file")) };
	if (!listed->name || !*listed->name || strchr(listed->name, '/') || packets <= 0)
		return false;
	listed->packets = (uint64_t)packets;
	listed->packets_lost = lost > 0 ? (uint64_t)lost : 0;
	listed->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	listed->missing = (struct mm_missing){
		.source = by_list,
		.cpu = cpu >= 0 && cpu < MM_CPU_UNKNOWN ? (uint32_t)cpu : MM_CPU_UNKNOWN,
		.packets = listed->packets,
		.complete_stream = true,
		.has_class = class_id >= 0,
		.class_id = (uint64_t)class_id,
	};
	return true;
}

/*
 * The number of packets in each file of a folder, counted only if a file is shorter than recorded.
 */
struct file_packets {
	char *name;
	uint64_t packets, packets_lost, packets_truncated, packets_damaged;
	bool cut;			      /* the file ends in a packet */
	int64_t begin_ns, end_ns, resumed_ns; /* as of struct ctf_file_count */
};

struct folder_packets {
	const char *folder;
	int64_t clock_shift_ns; /* of its source */
	struct file_packets *files;
	size_t count, room;
	bool walked, failed;
};

/* Adds @file with a copy of its name. */
static void add_packets(struct folder_packets *packets, const struct file_packets *file)
{
	struct file_packets *grown =
		mm_array_grow(packets->files, packets->count, &packets->room, sizeof(*grown));
	char *name = strdup(file->name);

	if (grown)
		packets->files = grown;
	if (!grown || !name) {
		packets->failed = true;
		free(name);
		return;
	}
	grown += packets->count++;
	*grown = *file;
	grown->name = name;
}

static void see_count(void *user, const struct ctf_file_count *count)
{
	const struct file_packets file = { .name = count->file->name,
					   .packets = count->packets,
					   .packets_lost = count->packets_lost,
					   .packets_truncated = count->packets_truncated,
					   .packets_damaged = count->packets_damaged,
					   .cut = count->cut,
					   .begin_ns = count->begin_ns,
					   .end_ns = count->end_ns,
					   .resumed_ns = count->resumed_ns };

	add_packets(user, &file);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file_packets *)a)->name,
		      ((const struct file_packets *)b)->name);
}

static void walk_folder(struct folder_packets *packets)
{
	struct ctf_trace *trace = ctf_trace_open(packets->folder, packets->clock_shift_ns, NULL);

	packets->walked = true;
	if (trace)
		ctf_trace_count(trace, see_count, packets, NULL);
	/* Files without a stream include those that end in the header of their first packet. */
	for (size_t i = 0; trace && i < trace->finding_count; i++) {
		const struct file_packets file = { .name = (char *)name_of(trace->findings[i].file),
						   .packets_truncated =
							   trace->findings[i].truncated };

		add_packets(packets, &file);
	}
	ctf_trace_close(trace);
	if (packets->count)
		qsort(packets->files, packets->count, sizeof(*packets->files), by_name);
}

static void release_packets(struct folder_packets *packets)
{
	for (size_t i = 0; i < packets->count; i++)
		free(packets->files[i].name);
	free(packets->files);
}

/* Finds the packets of the file @name, NULL: it has none. Walks the folder the first time. */
static const struct file_packets *find_packets(struct search *search,
					       struct folder_packets *packets, const char *name)
{
	const struct file_packets wanted = { .name = (char *)name };

	if (!packets->walked)
		walk_folder(packets);
	search->failed |= packets->failed;
	return packets->count
		       ? bsearch(&wanted, packets->files, packets->count, sizeof(wanted), by_name)
		       : NULL;
}

static int64_t later(int64_t a_ns, int64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* Does a certificate say something else of the file, of @bytes? */
static bool is_certified_otherwise(const struct search *search, const struct listed *listed,
				   uint64_t bytes)
{
	const struct mm_snapshot_member *member =
		&search->snapshots->members[listed->missing.folder];
	const struct mm_certificate *certificate;

	if (member->place == SIZE_MAX || search->snapshots->all[member->place].problem)
		return false;
	certificate = &search->snapshots->all[member->place].snapshot.certificate;
	for (size_t i = 0; i < certificate->stream_count; i++)
		if (!strcmp(certificate->streams[i].file, listed->name) &&
		    !strcmp(certificate->streams[i].trace, member->trace))
			return certificate->streams[i].bytes != bytes;
	return false;
}

/*
 * Handles a file that is shorter or longer than recorded. Packets that are missing in between need
 * not show in the sequence numbers, if the file was replaced. A file of another size that has as
 * many packets is another one, such as that of another snapshot. If a certificate shows that, too,
 * it is reported as a difference from the certificate.
 */
static void check_length(struct search *search, struct folder_packets *packets, const char *file,
			 struct listed *listed, uint64_t bytes)
{
	const bool longer = bytes > listed->bytes;
	const struct file_packets *found;
	uint64_t seen = 0, truncated = 0;

	found = find_packets(search, packets, listed->name);
	if (found) {
		seen = found->packets;
		truncated = found->packets_truncated + found->packets_damaged;
		if (found->packets_lost > listed->packets_lost)
			seen += found->packets_lost - listed->packets_lost;
	}
	/* Packets that are damaged, or in which the file ends, are not missing. */
	if (seen && (longer || seen + truncated >= listed->packets)) {
		if (listed->missing.source == by_list && !truncated && !found->cut &&
		    !is_certified_otherwise(search, listed, bytes))
			search->failed |=
				mm_exchanged_add(search->list, file,
						 "%" PRIu64 " bytes, not %" PRIu64 " as listed",
						 bytes, listed->bytes) != 0;
		return;
	}
	listed->missing.what = longer		    ? "no packet of the file is of this stream"
			       : seen || !truncated ? "it is shorter than recorded"
						    : "it ends in its first packet's header";
	listed->missing.complete_stream = !seen;
	listed->missing.packets =
		listed->packets > seen + truncated ? listed->packets - seen - truncated : 0;
	listed->missing.begin_ns = seen ? later(found->begin_ns, found->resumed_ns) : INT64_MIN;
	listed->missing.end_ns = seen ? found->end_ns : INT64_MAX;
	add(search, file, &listed->missing);
}

static void check_listed(struct search *search, struct folder_packets *packets, size_t number,
			 struct listed *listed, bool in_state)
{
	uint64_t bytes;
	char *file;

	if (asprintf(&file, "%s/%s", packets->folder, listed->name) < 0) {
		search->failed = true;
		return;
	}
	listed->missing.folder = number;
	listed->missing.in_state = in_state;
	listed->missing.what = why_absent(file, &bytes);
	if (!listed->missing.what && number == SIZE_MAX)
		listed->missing.what = "there is no metadata";
	if (listed->missing.what)
		add(search, file, &listed->missing);
	else if (bytes != listed->bytes)
		check_length(search, packets, file, listed, bytes);
	free(file);
}

/* The index of the folder @path among those of the source, or SIZE_MAX. */
static size_t find_folder(const struct search *search, const char *path)
{
	struct folder_id id = { 0, 0 };
	struct stat st;
	uint32_t number;

	if (stat(path, &st))
		return SIZE_MAX;
	id.device = st.st_dev;
	id.inode = st.st_ino;
	number = mm_hash_find(&search->by_id, hash_of_id(search, &id), search->ids, &id, is_id);
	return number == MM_HASH_NONE ? SIZE_MAX : number;
}

static bool has_metadata(const char *folder)
{
	char path[4096];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/metadata", folder) < (int)sizeof(path) &&
	       !stat(path, &st);
}

/* Finds a listed trace whose folder was renamed, by its UUID in the same snapshot. */
static size_t find_renamed(const struct search *search, const struct mm_place *place,
			   const json_t *trace)
{
	const struct mm_source *source = search->source;
	size_t found = SIZE_MAX;
	struct stat top;
	char *snapshot;
	bool there;

	if (asprintf(&snapshot, "%s/..", place->folder) < 0)
		return SIZE_MAX;
	there = !stat(snapshot, &top);
	free(snapshot);
	for (size_t i = 0; i < source->folder_count && there && found == SIZE_MAX; i++)
		if (!search->verifiable[i] && mm_places_is_uuid_of(trace, &source->ids[i]) &&
		    mm_places_levels(source->folders[i], &top) >= 0)
			found = i;
	return found;
}

/*
 * The path of the trace folder @name in the snapshot that holds @place, as the user would write it.
 * Returns NULL when out of memory.
 */
static char *folder_beside(const struct mm_source *source, const struct mm_place *place,
			   const char *name)
{
	char *beside, *absolute = NULL, *folder = NULL;

	if (asprintf(&beside, "%s/../%s", place->folder, name) < 0)
		return NULL;
	absolute = mm_path_absolute(beside);
	if (absolute)
		folder = mm_path_as_given(absolute, source->path);
	free(absolute);
	free(beside);
	return folder;
}

/* Compares the list of a trace that is open with the headers of its files. */
static void check_headers(struct search *search, const char *folder, const json_t *streams)
{
	for (size_t i = 0; i < search->trace_count; i++)
		if (!strcmp(search->traces[i]->folder, folder))
			search->failed |=
				mm_exchanged_find(search->list, search->traces[i], streams) != 0;
}

/*
 * Checks a listed trace. A missing folder is reported only if it would be below the opened folder.
 */
static void check_trace(struct search *search, const struct mm_place *place, const json_t *trace)
{
	const char *name = json_string_value(json_object_get(trace, "folder"));
	struct mm_source *source = search->source;
	struct folder_packets packets = { .clock_shift_ns = source->clock_shift_ns };
	struct listed listed;
	size_t number, i;
	json_t *entry;
	char *folder;

	if (!name || *name == '/' || strstr(name, ".."))
		return;
	folder = folder_beside(source, place, name);
	if (!folder) {
		search->failed = true;
		return;
	}
	number = find_folder(search, folder);
	if (number == SIZE_MAX && !has_metadata(folder))
		number = find_renamed(search, place, trace);
	packets.folder = number == SIZE_MAX ? folder : source->folders[number];
	if (number == SIZE_MAX ? place->inside && !has_metadata(folder)
			       : !search->verifiable[number] &&
					 mm_places_is_uuid_of(trace, &source->ids[number])) {
		if (number != SIZE_MAX)
			search->verifiable[number] = true;
		else if (mm_trace_is_state(name) && access(folder, F_OK))
			search->list->no_state_folder = true;
		json_array_foreach(json_object_get(trace, "streams"), i,
				   entry) if (read_listed(entry, &listed))
			check_listed(search, &packets, number, &listed, mm_trace_is_state(name));
		if (number != SIZE_MAX)
			check_headers(search, packets.folder, json_object_get(trace, "streams"));
	}
	release_packets(&packets);
	free(folder);
}

/* Is the stream's file there, as long as it was certified? */
static bool is_as_certified(const char *folder, const struct mm_certified_stream *stream)
{
	uint64_t bytes;
	char *file;
	bool same;

	if (asprintf(&file, "%s/%s", folder, stream->file) < 0)
		return false;
	same = !why_absent(file, &bytes) && bytes == stream->bytes;
	free(file);
	return same;
}

/* A stream that is certified and has no file, or one that lacks packets. */
static void check_certified(struct search *search, struct folder_packets *packets, size_t number,
			    const struct mm_certified_stream *stream)
{
	struct listed listed = {
		.name = stream->file,
		.packets = stream->packets,
		.packets_lost = stream->packets_lost,
		.bytes = stream->bytes,
		.missing = { .source = by_certificate,
			     .cpu = stream->cpu,
			     .packets = stream->packets,
			     .complete_stream = true },
	};

	if (stream->packets && !strchr(stream->file, '/'))
		check_listed(search, packets, number, &listed, mm_trace_is_state(stream->trace));
}

/* The number of the source's folder that is @trace of the place, or SIZE_MAX. */
static size_t find_member(const struct mm_snapshots *snapshots, size_t place, const char *trace)
{
	for (size_t i = 0; i < snapshots->member_count; i++)
		if (snapshots->members[i].place == place &&
		    !strcmp(snapshots->members[i].trace, trace))
			return i;
	return SIZE_MAX;
}

/* Does the certificate belong to these files: is one of them as it says? */
static bool is_certificate_of(const struct search *search, const struct mm_snapshots *snapshots,
			      size_t place)
{
	const struct mm_certificate *certificate = &snapshots->all[place].snapshot.certificate;

	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];
		size_t number = find_member(snapshots, place, stream->trace);

		if (number != SIZE_MAX && stream->bytes &&
		    is_as_certified(search->source->folders[number], stream))
			return true;
	}
	return false;
}

/*
 * Does a recorded trace lack a certificate, which knows its limits? A certificate describes what
 * the tracer excluded up to the freeze, and the recorder's own filters. system.json is written
 * later, and says `part` as well if the session daemon did not tell which filters there are.
 */
static bool is_uncertified(const struct search *search, const struct mm_snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots->member_count; i++) {
		size_t place = snapshots->members[i].place;

		if (!mm_trace_is_state(search->source->folders[i]) &&
		    (place == SIZE_MAX || snapshots->all[place].problem ||
		     !is_certificate_of(search, snapshots, place)))
			return true;
	}
	return false;
}

static void check_lists(struct search *search, const struct mm_snapshots *snapshots)
{
	struct mm_places places;
	json_t *trace;
	size_t j;

	search->failed |= mm_places_find(&places, search->source) != 0;
	for (size_t i = 0; i < places.count && !search->failed; i++) {
		if (!places.all[i].matches)
			continue;
		for (size_t k = 0; k < search->source->folder_count; k++) {
			uint32_t online = mm_place_cpus(&places.all[i], &search->source->ids[k]);

			if (online > search->online[k])
				search->online[k] = online;
		}
		search->list->had_sums |=
			json_is_object(json_object_get(places.all[i].list, "files"));
		search->list->limits_unknown |= mm_places_is_part(places.all[i].system) &&
						is_uncertified(search, snapshots);
		json_array_foreach(json_object_get(places.all[i].list, "traces"), j, trace)
			check_trace(search, &places.all[i], trace);
	}
	search->list->notes = places.notes;
	search->list->note_count = places.note_count;
	places.notes = NULL;
	places.note_count = 0;
	mm_places_release(&places);
}

/* Is the snapshot the opened folder, or below it? */
static bool is_inside(const struct search *search, const struct mm_snapshot_place *place)
{
	char *opened = realpath(search->source->path, NULL);
	size_t length = opened ? strlen(opened) : 0;
	bool inside = opened && !strncmp(place->folder, opened, length) &&
		      (!place->folder[length] || place->folder[length] == '/');

	free(opened);
	return inside;
}

/* A stream of a trace whose folder is gone. */
static void check_gone(struct search *search, const struct mm_snapshot_place *place,
		       const struct mm_certified_stream *stream)
{
	struct folder_packets packets = { NULL };
	char *absolute, *folder;

	if (asprintf(&absolute, "%s/%s", place->folder, stream->trace) < 0) {
		search->failed = true;
		return;
	}
	folder = mm_path_as_given(absolute, search->source->path);
	if (folder && !has_metadata(folder)) {
		if (mm_trace_is_state(stream->trace) && access(folder, F_OK))
			search->list->no_state_folder = true;
		packets.folder = folder;
		check_certified(search, &packets, SIZE_MAX, stream);
	}
	search->failed |= !folder;
	free(folder);
	free(absolute);
}

/*
 * Where no system information lists the streams, their certificate does. @packets: of each folder.
 */
static void check_certificate(struct search *search, const struct mm_snapshots *snapshots,
			      size_t place, struct folder_packets *packets)
{
	const struct mm_certificate *certificate = &snapshots->all[place].snapshot.certificate;
	/* A trace whose folder is gone is missed only if it would be below the opened folder. */
	bool inside = is_inside(search, &snapshots->all[place]);

	for (size_t i = 0; i < certificate->stream_count && !search->failed; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];
		size_t number = find_member(snapshots, place, stream->trace);

		if (number != SIZE_MAX) {
			search->verifiable[number] = true;
			packets[number].folder = search->source->folders[number];
			packets[number].clock_shift_ns = search->source->clock_shift_ns;
			check_certified(search, &packets[number], number, stream);
		} else if (inside) {
			check_gone(search, &snapshots->all[place], stream);
		}
	}
}

static void check_certificates(struct search *search, const struct mm_snapshots *snapshots)
{
	const size_t count = search->source->folder_count;
	struct folder_packets *packets;
	bool all = true;

	/*
	 * The list is of all traces of a snapshot; of one that has some of these traces, as state
	 * dumps of the same session, it need not be.
	 */
	for (size_t i = 0; i < count; i++)
		all &= search->verifiable[i];
	if (all)
		return;
	packets = calloc(count + 1, sizeof(*packets));
	search->failed |= !packets;
	for (size_t i = 0; i < snapshots->count && !search->failed; i++)
		if (!snapshots->all[i].problem && is_certificate_of(search, snapshots, i))
			check_certificate(search, snapshots, i, packets);
	for (size_t i = 0; i < count && packets; i++)
		release_packets(&packets[i]);
	free(packets);
}

static void add_problem(struct search *search, const char *file, const char *what)
{
	struct mm_missing_list *list = search->list;
	size_t count = list->problem_count;
	char **files = reallocarray(list->problem_files, count + 1, sizeof(*files));
	char **problems;

	if (files)
		list->problem_files = files;
	problems = reallocarray(list->problems, count + 1, sizeof(*problems));
	if (problems)
		list->problems = problems;
	if (!files || !problems) {
		search->failed = true;
		return;
	}
	files[count] = strdup(file);
	problems[count] = strdup(what);
	list->problem_count++;
	search->failed |= !files[count] || !problems[count];
}

/*
 * Handles a file that is shorter than its index or the checksums of its packets show. @gone: how
 * many packets would start behind its end; the packet in which the file ends counts as truncated.
 */
static void add_short(struct search *search, struct folder_packets *packets, const char *file,
		      uint64_t gone, struct mm_missing *missing)
{
	const struct file_packets *found;

	found = find_packets(search, packets, name_of(file));
	missing->what = "it is shorter than recorded";
	missing->packets = gone;
	missing->complete_stream = !found || !found->packets;
	missing->begin_ns = missing->complete_stream ? INT64_MIN : found->begin_ns;
	missing->end_ns = missing->complete_stream ? INT64_MAX : found->end_ns;
	add(search, file, missing);
}

/*
 * Counts the packets that a file lacks before its end: it ends with a whole packet, but before the
 * end of the last one in its index. @gone: how many would start behind its end. Those that the
 * numbers of packets show are counted already.
 */
static uint64_t count_removed(struct search *search, struct folder_packets *packets,
			      const char *name, struct ctf_index *index, uint64_t bytes,
			      uint64_t gone)
{
	const struct file_packets *found;
	const uint64_t listed = ctf_index_count(index);
	struct ctf_index_entry last;
	uint64_t seen;

	ctf_index_read(index, listed - 1, &last);
	if (last.offset < bytes && last.size_bits / 8 <= bytes - last.offset)
		return 0;
	found = find_packets(search, packets, name);
	if (!found || !found->packets || found->packets_truncated)
		return gone;
	seen = found->packets + found->packets_lost;
	return listed > seen ? listed - seen : 0;
}

static bool has_sums(const char *folder, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/index/%s" MM_CHECKSUMS_SUFFIX, folder, name) <
		       (int)sizeof(path) &&
	       !access(path, F_OK);
}

static uint64_t packet_offset(const struct mm_checksums *sums, struct ctf_index *index, uint64_t i)
{
	struct ctf_index_entry entry;

	if (!index)
		return sums->all[i].offset;
	ctf_index_read(index, i, &entry);
	return entry.offset;
}

/*
 * Compares the stream file @name with the packets that its checksums list, or @index, if it is not
 * NULL. How long a file was is taken from the index only where nothing else says it.
 */
static void check_packets(struct search *search, struct folder_packets *packets, const char *name,
			  const struct mm_checksums *sums, struct ctf_index *index,
			  struct mm_missing *missing)
{
	const struct file_packets *found;
	uint64_t bytes, gone = 0;
	char *file;

	if (asprintf(&file, "%s/%s", packets->folder, name) < 0) {
		search->failed = true;
		return;
	}
	missing->packets = index ? ctf_index_count(index) : sums->count;
	/* A file that grows has each packet before its index does, so its length is read last. */
	missing->what = missing->packets ? why_absent(file, &bytes) : NULL;
	if (missing->what) {
		add(search, file, missing);
	} else if (!index || (!search->verifiable[missing->folder] &&
			      !has_sums(packets->folder, name) && ctf_index_is_contiguous(index))) {
		for (uint64_t i = missing->packets; i && packet_offset(sums, index, i - 1) >= bytes;
		     i--)
			gone++;
		if (index)
			gone = count_removed(search, packets, name, index, bytes, gone);
		/* check_ends() counts what is missing of a file that has a packet. */
		else if (gone && (found = find_packets(search, packets, name)) && found->packets)
			gone = 0;
		if (gone)
			add_short(search, packets, file, gone, missing);
	}
	free(file);
}

/* Returns the length of @entry without @suffix, or 0 if it does not end so. */
static size_t without(const char *entry, const char *suffix)
{
	size_t length = strlen(entry), end = strlen(suffix);

	return length > end && !strcmp(entry + length - end, suffix) ? length - end : 0;
}

static void check_index(struct search *search, struct folder_packets *packets, size_t number,
			const char *entry)
{
	size_t sums = without(entry, MM_CHECKSUMS_SUFFIX);
	size_t length = sums ? sums : without(entry, ".idx");
	struct mm_missing missing = { .source = sums ? by_checksums : by_index,
				      .cpu = MM_CPU_UNKNOWN,
				      .complete_stream = true,
				      .folder = number,
				      .in_state = mm_trace_is_state(packets->folder) };
	struct mm_checksums listed;
	struct ctf_index *index;
	char name[256];
	int ret, error;

	if (!length)
		return;
	search->list->has_index |= !sums;
	snprintf(name, sizeof(name), "%.*s", (int)length, entry);
	if (sums) {
		ret = mm_checksums_load(&listed, packets->folder, name, &error);
		search->failed |= ret < 0;
		if (ret > 0)
			check_packets(search, packets, name, &listed, NULL, &missing);
		mm_checksums_release(&listed);
	} else if ((index = ctf_index_open(packets->folder, name))) {
		check_packets(search, packets, name, NULL, index, &missing);
		ctf_index_close(index);
	}
}

/* Adds the packets that are missing at the end of files whose checksums list more of them. */
static void check_ends(struct search *search, const struct ctf_trace *trace)
{
	struct folder_packets packets = { .folder = trace->folder,
					  .clock_shift_ns = search->source->clock_shift_ns };
	struct mm_missing missing = { .source = by_checksums,
				      .cpu = MM_CPU_UNKNOWN,
				      .folder = find_folder(search, trace->folder),
				      .in_state = mm_trace_is_state(trace->folder) };

	for (size_t i = 0; i < trace->stream_count; i++)
		for (size_t j = 0; j < trace->streams[i].file_count && !search->failed; j++) {
			const struct ctf_file *file = &trace->streams[i].files[j];
			const uint64_t gone = file->sums ? ctf_sums_gone(file->sums, file->map) : 0;
			const struct ctf_parts *parts =
				file->sums ? ctf_sums_parts(file->sums) : NULL;

			search->list->removed_packets += parts ? parts->lost : 0;
			if (gone)
				add_short(search, &packets, file->path, gone, &missing);
		}
	release_packets(&packets);
}

/* An index shows that its stream was there; a stream may be missing together with its index. */
static void check_indexes(struct search *search, size_t number)
{
	struct folder_packets packets = { .folder = search->source->folders[number],
					  .clock_shift_ns = search->source->clock_shift_ns };
	struct dirent *entry;
	char *path, what[128];
	DIR *dir;

	if (asprintf(&path, "%s/index", packets.folder) < 0) {
		search->failed = true;
		return;
	}
	dir = opendir(path);
	if (!dir && errno != ENOENT && errno != ENOTDIR) {
		snprintf(what, sizeof(what), "the index files cannot be read: %s", strerror(errno));
		add_problem(search, path, what);
	}
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			check_index(search, &packets, number, entry->d_name);
	if (dir)
		closedir(dir);
	release_packets(&packets);
	free(path);
}

/* Dangling links and unreadable files are taken for missing streams. */
static void check_files(struct search *search, size_t number)
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
		missing.what = why_absent(file, &bytes);
		if (missing.what == dangling || missing.what == denied)
			add(search, file, &missing);
		free(file);
	}
	if (dir)
		closedir(dir);
}

static void check_orphans(struct search *search)
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
		add(search, file, &missing);
		free(folder);
	}
}

/*
 * Finds for each open trace its number in source->folders, whether a list names its streams, and
 * how many CPUs the system information of its boot has.
 */
static int map_traces(struct search *search, struct missing_cpus *cpus, size_t **folders,
		      bool **listed, uint32_t **online)
{
	const struct mm_source *source = search->source;

	*folders = calloc(cpus->count + 1, sizeof(**folders));
	*listed = calloc(cpus->count + 1, sizeof(**listed));
	*online = calloc(cpus->count + 1, sizeof(**online));
	if (!*folders || !*listed || !*online)
		return -1;
	for (size_t i = 0; i < cpus->count; i++) {
		size_t number = find_folder(search, cpus->traces[i]->folder);

		(*folders)[i] = number;
		(*listed)[i] = number < source->folder_count && search->verifiable[number];
		(*online)[i] = number < source->folder_count ? search->online[number] : 0;
	}
	return 0;
}

/* The number of the open trace next to trace @ring whose folder is MM_STATE_FOLDER, or SIZE_MAX. */
static size_t find_state(struct search *search, const struct missing_cpus *cpus, size_t ring)
{
	size_t state, found = SIZE_MAX;
	char *path;

	if (asprintf(&path, "%s/../" MM_STATE_FOLDER, cpus->traces[ring]->folder) < 0) {
		search->failed = true;
		return SIZE_MAX;
	}
	state = find_folder(search, path);
	free(path);
	for (size_t i = 0; i < cpus->count && state != SIZE_MAX; i++)
		if (cpus->folders[i] == state)
			found = i;
	return found;
}

static void add_absent(void *user, const char *file, const struct mm_missing *missing)
{
	add(user, file, missing);
}

/*
 * Compares the CPUs of streams where nothing lists them: of the two sessions of an older snapshot,
 * and of the channels of each.
 */
static void check_cpus(struct search *search, struct ctf_trace *const *traces, size_t count)
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

		if (listed[i] || strcmp(name_of(traces[i]->folder), MM_RING_FOLDER))
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

/* Sorts the result, because folders are read in no particular order. */
static void sort(struct search *search)
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

/*
 * Adds the events that the folder's metadata declare. Returns false if the metadata cannot be read.
 */
static bool add_declared(struct search *search, size_t folder)
{
	struct mm_missing_list *list = search->list;
	struct ctf_trace_class *class = ctf_metadata_read(search->source->folders[folder], NULL);
	bool read;

	for (size_t i = 0; class && i < class->stream_count; i++)
		for (size_t j = 0; j < class->streams[i]->event_count; j++) {
			struct mm_declared *grown =
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
			grown[list->declared_count++] = (struct mm_declared){
				.event = event,
				.folder = folder,
				.class_id = class->streams[i]->id,
			};
		}
	read = class != NULL;
	ctf_trace_class_destroy(class);
	return read;
}

/* Finds the declared events of folders from which complete streams are missing. */
static void find_declared(struct search *search)
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

/* Compares the trace with what lists its streams, and looks for streams that nothing lists. */
static void search_all(struct search *search, const struct mm_snapshots *snapshots,
		       struct ctf_trace *const *traces, size_t trace_count)
{
	struct mm_source *source = search->source;

	search->snapshots = snapshots;
	search->traces = traces;
	search->trace_count = traces ? trace_count : 0;
	identify_folders(search);
	if (!search->failed)
		check_lists(search, snapshots);
	if (!search->failed)
		check_certificates(search, snapshots);
	for (size_t i = 0; i < trace_count && traces && !search->failed; i++)
		check_ends(search, traces[i]);
	for (size_t i = 0; i < source->folder_count && !search->failed; i++) {
		check_indexes(search, i);
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

/* Does a stream file lack checksums of its packets? Streams of state dumps do not count. */
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
 * Opens the traces of @source to compare their packets, with the fast reader whatever reads their
 * events. What it cannot open is left to the reader of events. *@own: to be closed. Returns 0, or
 * -1 with @err set.
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
	struct search search = { .source = source };
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
