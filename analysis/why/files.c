// SPDX-License-Identifier: LGPL-2.1-only
/* Compares the files of operations with the pattern of --file. */
#include "analysis/why/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/sysinfo/file-match.h"
#include "util/nearest.h"

/* Stands for an unknown inode number. */
#define NO_INO UINT64_MAX

void why_files_init(struct why_files *files)
{
	*files = (struct why_files){ .pattern = NULL };
	mm_hash_init(&files->by_key);
}

void why_files_release(struct why_files *files)
{
	mm_hash_release(&files->by_key);
	free(files->all);
}

void why_files_wide(struct why_files *files, const struct mm_event *event)
{
	const struct why_class *class = event->type->bound;
	const unsigned int *at = class->wide_of->file_at;

	files->wides[event->cpu % WHY_WIDE_SLOTS] =
		(struct why_wide_ino){ class, event->cpu, (uint32_t)event->fields[WHY_TID].u,
				       event->fields[at[MM_FILE_INO]].u };
}

void why_files_lost(struct why_files *files, uint32_t cpu)
{
	for (size_t i = 0; i < WHY_WIDE_SLOTS; i++)
		if (cpu == MM_CPU_UNKNOWN || files->wides[i].cpu == cpu)
			files->wides[i].class = NULL;
}

/*
 * Returns the event's inode number, or NO_INO. If the number did not fit, looks in the wide
 * variant.
 */
static uint64_t find_ino(struct why_files *files, const struct mm_event *event)
{
	const struct why_class *class = event->type->bound;
	struct why_wide_ino *wide = &files->wides[event->cpu % WHY_WIDE_SLOTS];
	const size_t length = strlen(class->name);
	const unsigned int at = class->operation->file_at[MM_FILE_INO];
	uint64_t ino = event->fields[at].u;

	if (event->type->kinds[at] == MM_KIND_NONE)
		return NO_INO;
	if (!class->is_packed || ino != class->packs->packed_ones(class->operation->fields[at]))
		return ino;
	ino = NO_INO;
	if (wide->class && wide->cpu == event->cpu &&
	    wide->tid == (uint32_t)event->fields[WHY_TID].u &&
	    !strncmp(wide->class->name, class->name, length) &&
	    !strcmp(wide->class->name + length, "_wide"))
		ino = wide->ino;
	wide->class = NULL;
	return ino;
}

static bool is_file(const void *all, uint32_t number, const void *wanted)
{
	const struct why_file *file = (const struct why_file *)all + number, *like = wanted;

	return file->ino == like->ino && file->major == like->major && file->minor == like->minor;
}

/*
 * Finds or adds the file, and stores whether it matches the pattern. Returns its number, or
 * MM_HASH_NONE.
 */
static uint32_t number_of(struct why_files *files, const struct mm_sysinfo *sysinfo,
			  const struct why_file *like)
{
	uint32_t key =
		mm_hash_of(&files->by_key, like->ino, (uint64_t)like->major << 32 | like->minor);
	uint32_t number = mm_hash_find(&files->by_key, key, files->all, like, is_file);
	struct why_file *grown;

	if (number != MM_HASH_NONE)
		return number;
	grown = mm_array_grow(files->all, files->count, &files->room, sizeof(*grown));
	if (!grown)
		return MM_HASH_NONE;
	files->all = grown;
	if (mm_hash_add(&files->by_key, key, files->count))
		return MM_HASH_NONE;
	grown[files->count] = *like;
	grown[files->count].selected =
		mm_file_matches(sysinfo, files->pattern, like->major, like->minor, like->ino);
	return files->count++;
}

int why_files_exclude(struct why_files *files, const struct mm_sysinfo *sysinfo,
		      const struct mm_event *event)
{
	const struct why_class *class = event->type->bound;
	const unsigned int *at = class->operation->file_at;
	struct why_file file = { .ino = find_ino(files, event),
				 .major = (unsigned int)event->fields[at[MM_FILE_MAJOR]].u,
				 .minor = (unsigned int)event->fields[at[MM_FILE_MINOR]].u };

	/*
	 * Do not exclude an end whose file is unknown. If its start was excluded, the end makes no
	 * interval anyway.
	 */
	if (file.ino == NO_INO) {
		files->unknown += class->role == WHY_ROLE_OPERATION_START;
		return class->role == WHY_ROLE_OPERATION_START;
	}
	if (files->last >= files->count || !is_file(files->all, files->last, &file)) {
		files->last = number_of(files, sysinfo, &file);
		if (files->last == MM_HASH_NONE)
			return -1;
	}
	return !files->all[files->last].selected;
}

bool why_files_select_none(const struct why_files *files, const struct mm_sysinfo *sysinfo,
			   char *hint, size_t size)
{
	struct mm_nearest nearest = { .wanted = files->pattern };

	for (uint32_t i = 0; i < files->count; i++) {
		const struct why_file *file = &files->all[i];

		if (file->selected)
			return false;
		mm_file_offer(sysinfo, &nearest, file->major, file->minor, file->ino);
	}
	if (!files->count)
		return false;
	mm_nearest_hint(&nearest, hint, size);
	if (!*hint)
		snprintf(hint, size, ".");
	return true;
}
