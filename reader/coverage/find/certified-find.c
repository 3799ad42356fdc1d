// SPDX-License-Identifier: LGPL-2.1-only
/* Finds missing streams by the certificates of coverage that list them. */
#include "reader/coverage/find/certified-find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/coverage/find/file-packets.h"
#include "reader/coverage/find/listed-file.h"
#include "reader/coverage/find/search.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"
#include "util/path.h"

static const char by_certificate[] = "the certificate of coverage lists it";

/* Does the stream's file exist, with the certified size? */
static bool is_as_certified(const char *folder, const struct mm_certified_stream *stream)
{
	uint64_t bytes;
	char *file;
	bool same;

	if (asprintf(&file, "%s/%s", folder, stream->file) < 0)
		return false;
	same = !missing_why_absent(file, &bytes) && bytes == stream->bytes;
	free(file);
	return same;
}

/* Adds the stream to the missing files if its file is absent or lacks packets. */
static void check_certified(struct missing_search *search, struct missing_folder *packets,
			    size_t number, const struct mm_certified_stream *stream)
{
	struct missing_listed listed = {
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
		missing_check_listed(search, packets, number, &listed,
				     mm_trace_is_state(stream->trace));
}

/* Returns the index in source->folders of the trace @trace in the snapshot @dir, or SIZE_MAX. */
static size_t find_member(const struct mm_snapshots *snapshots, size_t dir, const char *trace)
{
	for (size_t i = 0; i < snapshots->member_count; i++)
		if (snapshots->members[i].dir == dir && !strcmp(snapshots->members[i].trace, trace))
			return i;
	return SIZE_MAX;
}

/*
 * Does the certificate describe the snapshot's files? At least one file must have its certified
 * size.
 */
static bool is_certificate_of(const struct missing_search *search,
			      const struct mm_snapshots *snapshots, size_t dir)
{
	const struct mm_certificate *certificate = &snapshots->all[dir].snapshot.certificate;

	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];
		size_t number = find_member(snapshots, dir, stream->trace);

		if (number != SIZE_MAX && stream->bytes &&
		    is_as_certified(mm_source_folder_at(search->source, number), stream))
			return true;
	}
	return false;
}

bool missing_is_uncertified(const struct missing_search *search,
			    const struct mm_snapshots *snapshots)
{
	for (size_t i = 0; i < snapshots->member_count; i++) {
		size_t dir = snapshots->members[i].dir;

		if (!mm_trace_is_state(mm_source_folder_at(search->source, i)) &&
		    (dir == SIZE_MAX || snapshots->all[dir].problem ||
		     !is_certificate_of(search, snapshots, dir)))
			return true;
	}
	return false;
}

/* Is the snapshot in the opened folder or below it? */
static bool is_inside(const struct missing_search *search, const struct mm_snapshot_dir *dir)
{
	char *opened = realpath(mm_source_path(search->source), NULL);
	size_t length = opened ? strlen(opened) : 0;
	bool inside = opened && !strncmp(dir->folder, opened, length) &&
		      (!dir->folder[length] || dir->folder[length] == '/');

	free(opened);
	return inside;
}

/* Adds a stream whose trace folder does not exist. */
static void check_gone(struct missing_search *search, const struct mm_snapshot_dir *dir,
		       const struct mm_certified_stream *stream)
{
	struct missing_folder packets = { NULL };
	char *absolute, *folder;

	if (asprintf(&absolute, "%s/%s", dir->folder, stream->trace) < 0) {
		search->failed = true;
		return;
	}
	folder = mm_path_as_given(absolute, mm_source_path(search->source));
	if (folder && !missing_has_metadata(folder)) {
		if (mm_trace_is_state(stream->trace) && access(folder, F_OK))
			search->list->no_state_folder = true;
		packets.folder = folder;
		check_certified(search, &packets, SIZE_MAX, stream);
	}
	search->failed |= !folder;
	free(folder);
	free(absolute);
}

static void check_certificate(struct missing_search *search, const struct mm_snapshots *snapshots,
			      size_t dir, struct missing_folder *packets)
{
	const struct mm_certificate *certificate = &snapshots->all[dir].snapshot.certificate;
	/*
	 * If a trace has no folder, its streams count as missing only if that folder would be below
	 * the opened folder.
	 */
	bool inside = is_inside(search, &snapshots->all[dir]);

	for (size_t i = 0; i < certificate->stream_count && !search->failed; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];
		size_t number = find_member(snapshots, dir, stream->trace);

		if (number != SIZE_MAX) {
			search->verifiable[number] = true;
			packets[number].folder = mm_source_folder_at(search->source, number);
			packets[number].clock_shift_ns = mm_source_clock_shift_ns(search->source);
			check_certified(search, &packets[number], number, stream);
		} else if (inside) {
			check_gone(search, &snapshots->all[dir], stream);
		}
	}
}

void missing_find_certified(struct missing_search *search, const struct mm_snapshots *snapshots)
{
	const size_t count = mm_source_folder_count(search->source);
	struct missing_folder *packets;
	bool all = true;

	/*
	 * Certificates are not needed if every folder was compared with a traces.json. The mere
	 * presence of a traces.json is not enough, because it may belong to another snapshot with
	 * the same state dumps.
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
		missing_folder_release(&packets[i]);
	free(packets);
}
