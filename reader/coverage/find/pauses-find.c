// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the covered times and the pauses of streams from certificates of coverage. */
#include "reader/coverage/find/pauses-find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader/coverage/missing.h"
#include "reader/events/source-base.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/path.h"

/* Returns "FOLDER/NAME" with the absolute path of the folder. NULL: out of memory. */
static char *absolute(const char *folder, const char *name)
{
	char *joined, *path;

	if (asprintf(&joined, "%s/%s", folder, name) < 0)
		return NULL;
	path = mm_path_absolute(joined);
	free(joined);
	return path;
}

int mm_pauses_add(struct mm_missing_list *list, const struct mm_pause *pause)
{
	struct mm_pause *grown =
		mm_array_grow(list->pauses, list->pause_count, &list->pause_room, sizeof(*grown));

	if (grown)
		list->pauses = grown;
	if (!grown || !pause->file) {
		free(pause->file);
		return -1;
	}
	grown[list->pause_count++] = *pause;
	return 0;
}

static int add_pauses(struct mm_missing_list *list, const char *folder,
		      const struct mm_certified_stream *stream)
{
	for (size_t i = 0; i < stream->hole_count; i++) {
		const struct mm_hole *hole = &stream->holes[i];

		if (hole->kind != MM_HOLE_PAUSE && hole->kind != MM_HOLE_DISABLED &&
		    hole->kind != MM_HOLE_EXCLUDED)
			continue;
		if (mm_pauses_add(list, &(struct mm_pause){ .file = absolute(folder, stream->file),
							    .cpu = stream->cpu,
							    .start_ns = hole->start_ns,
							    .end_ns = hole->end_ns }))
			return -1;
	}
	return 0;
}

/* Does the stream have a gap in the requested time range? */
static bool has_gap(const struct mm_source *source, const struct mm_certified_stream *stream)
{
	for (size_t i = 0; i < stream->hole_count; i++)
		if (stream->holes[i].kind == MM_HOLE_GAP &&
		    stream->holes[i].start_ns <= source->options.end_ns &&
		    stream->holes[i].end_ns >= source->options.begin_ns)
			return true;
	return false;
}

static int add_limits(struct mm_missing_list *list, const struct mm_certificate *certificate)
{
	for (size_t i = 0; i < certificate->limit_count; i++) {
		bool known = false;

		for (size_t k = 0; k < list->limit_count && !known; k++)
			known = !strcmp(list->limits[k], certificate->limits[i]);
		if (!known &&
		    mm_strings_add(&list->limits, &list->limit_count, certificate->limits[i]))
			return -1;
	}
	return 0;
}

static bool is_changed(const char *file, const struct mm_certified_stream *stream)
{
	struct stat st;

	return stat(file, &st) || (uint64_t)st.st_size != stream->bytes;
}

static int add_covered(struct mm_missing_list *list, const char *folder,
		       const struct mm_certified_stream *stream)
{
	struct mm_covered *grown;

	if (!stream->covered)
		return 0;
	grown = mm_array_grow(list->covered, list->covered_count, &list->covered_room,
			      sizeof(*grown));
	if (!grown)
		return -1;
	list->covered = grown;
	grown += list->covered_count++;
	*grown = (struct mm_covered){
		.file = absolute(folder, stream->file),
		.channel = stream->channel ? absolute(folder, stream->channel) : NULL,
		.start_ns = stream->start_ns,
		.end_ns = stream->end_ns,
	};
	if (grown->file && (!stream->channel || grown->channel)) {
		grown->changed = is_changed(grown->file, stream);
		return 0;
	}
	free(grown->file);
	free(grown->channel);
	list->covered_count--;
	return -1;
}

/* Sorts by start, so that the order of folders and streams does not matter. */
static int compare_pauses(const void *a, const void *b)
{
	const struct mm_pause *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return strcmp(x->file, y->file);
}

static int compare_covered(const void *a, const void *b)
{
	const struct mm_covered *x = a, *y = b;

	return strcmp(x->file, y->file);
}

static int add_stream(struct mm_missing_list *list, const char *folder,
		      const struct mm_certified_stream *stream)
{
	return add_covered(list, folder, stream) || add_pauses(list, folder, stream) ? -1 : 0;
}

/* Adds a note if the wall clock was set during the recording. */
static int add_clock_note(const struct mm_source *source)
{
	char text[MM_CLOCK_SHIFT_TEXT];

	return mm_clock_shift_text(source->clock_shift_ns, text, sizeof(text))
		       ? mm_strings_add(&source->missing->notes, &source->missing->note_count, text)
		       : 0;
}

void mm_pauses_sort(struct mm_missing_list *list)
{
	if (list->pause_count)
		qsort(list->pauses, list->pause_count, sizeof(*list->pauses), compare_pauses);
}

int mm_pauses_find(struct mm_source *source, const struct mm_snapshots *snapshots)
{
	struct mm_missing_list *list = source->missing;
	int ret = add_clock_note(source);

	for (size_t i = 0; i < snapshots->member_count && !ret; i++) {
		const struct mm_trace_snapshot *member = &snapshots->members[i];
		const struct mm_certificate *certificate;

		if (member->dir == SIZE_MAX)
			continue;
		certificate = &snapshots->all[member->dir].snapshot.certificate;
		if (!mm_trace_is_state(member->trace))
			ret = add_limits(list, certificate);
		for (size_t j = 0; j < certificate->stream_count && !ret; j++)
			if (!strcmp(certificate->streams[j].trace, member->trace) &&
			    !mm_trace_is_state(member->trace)) {
				list->maybe_paused |= has_gap(source, &certificate->streams[j]);
				ret = add_stream(list, source->folders[i],
						 &certificate->streams[j]);
			}
	}
	if (list->covered_count)
		qsort(list->covered, list->covered_count, sizeof(*list->covered), compare_covered);
	return ret;
}
