// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the pauses that certificates of coverage list. */
#include "analysis/run/pauses-find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sysinfo/snapshots.h"
#include "analysis/trace/missing.h"
#include "util/escape.h"
#include "util/path.h"

static int add_pauses(struct mm_missing_list *list, const char *folder,
		      const struct mm_certified_stream *stream)
{
	for (size_t i = 0; i < stream->hole_count; i++) {
		const struct mm_hole *hole = &stream->holes[i];
		struct mm_pause *grown;
		char *file, *path;

		if (hole->kind != MM_HOLE_PAUSE && hole->kind != MM_HOLE_DISABLED)
			continue;
		grown = mm_array_grow(list->pauses, list->pause_count, &list->pause_room,
				      sizeof(*grown));
		if (grown)
			list->pauses = grown;
		if (asprintf(&file, "%s/%s", folder, stream->file) < 0)
			return -1;
		path = mm_path_absolute(file);
		free(file);
		if (!grown || !path) {
			free(path);
			return -1;
		}
		grown[list->pause_count++] = (struct mm_pause){ .file = path,
								.cpu = stream->cpu,
								.start_ns = hole->start_ns,
								.end_ns = hole->end_ns };
	}
	return 0;
}

static int add_note(struct mm_missing_list *list, const struct mm_snapshot_place *place)
{
	char *raw, *safe;
	int ret = -1;

	if (asprintf(&raw, "%s/" MM_SNAPSHOT_FILE ": %s; it is not used", place->folder,
		     place->problem) < 0)
		return -1;
	safe = mm_escape_terminal_copy(raw);
	if (safe)
		ret = mm_strings_add(&list->notes, &list->note_count, safe);
	free(safe);
	free(raw);
	return ret;
}

/* By start, whatever the order of the folders and streams. */
static int compare_pauses(const void *a, const void *b)
{
	const struct mm_pause *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return strcmp(x->file, y->file);
}

int mm_pauses_find(struct mm_source *source)
{
	struct mm_missing_list *list = source->missing;
	struct mm_snapshots snapshots;
	int ret = mm_snapshots_find(&snapshots, source);

	for (size_t i = 0; i < snapshots.count && !ret; i++)
		if (snapshots.all[i].problem)
			ret = add_note(list, &snapshots.all[i]);
	for (size_t i = 0; i < snapshots.member_count && !ret; i++) {
		const struct mm_snapshot_member *member = &snapshots.members[i];
		const struct mm_certificate *certificate;

		if (member->place == SIZE_MAX)
			continue;
		certificate = &snapshots.all[member->place].snapshot.certificate;
		for (size_t j = 0; j < certificate->stream_count && !ret; j++)
			if (!strcmp(certificate->streams[j].trace, member->trace) &&
			    !mm_trace_is_state(member->trace))
				ret = add_pauses(list, source->folders[i],
						 &certificate->streams[j]);
	}
	if (list->pause_count)
		qsort(list->pauses, list->pause_count, sizeof(*list->pauses), compare_pauses);
	mm_snapshots_release(&snapshots);
	return ret;
}
