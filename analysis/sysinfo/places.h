/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the folders of system information near a trace, and which of them are of that trace. */
#ifndef LTTNG_MM_SYSINFO_PLACES_H
#define LTTNG_MM_SYSINFO_PLACES_H

#include <jansson.h>
#include <sys/stat.h>

#include "analysis/trace/source.h"

/* A folder of system information. */
struct mm_place {
	char *folder;
	dev_t device;
	ino_t inode;
	bool inside;	/* it lies in what the user named, not above */
	bool beside;	/* ... in a trace's folder, or beside it as in a snapshot */
	bool bound;	/* it is of a trace of the source */
	json_t *list;	/* traces.json; NULL: there is none that can be used */
	json_t *system; /* system.json, likewise */
};

struct mm_places {
	struct mm_place *all; /* by folder */
	size_t count, room;
	char **notes; /* what the user should know: a line each, ready to be shown */
	size_t note_count, note_room;
	bool named;    /* the user named the folder: it is used all the same */
	bool too_long; /* a path was too long to look for a folder */
	bool failed;   /* out of memory */
};

/*
 * Looks in every folder from those of the traces up to two above the one that was opened. A folder
 * is of a trace if its traces.json lists the trace's UUID, and the boot id is not another one.
 * Without traces.json the boot id in system.json decides. Where neither the folder nor any trace
 * has one, the folder is taken if it lies in a trace's folder or beside it.
 *
 * @source may be NULL or a live session: then there are none. Release with mm_places_release().
 * Returns 0, or -1: out of memory.
 */
int mm_places_find(struct mm_places *places, struct mm_source *source);

/*
 * The same for one folder that the user named, of whatever trace it is. 1: there is no such folder.
 */
int mm_places_use(struct mm_places *places, struct mm_source *source, const char *folder);

void mm_places_release(struct mm_places *places);

/* How many levels above @folder the folder @top is; -1: it is nowhere above. */
int mm_places_levels(const char *folder, const struct stat *top);

void mm_places_note(struct mm_places *places, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A JSON file of a folder of system information; NULL if there is none. A damaged one becomes a
 * note; places->failed is set where memory ran out.
 */
json_t *mm_places_load(struct mm_places *places, const char *folder, const char *name);

#endif /* LTTNG_MM_SYSINFO_PLACES_H */
