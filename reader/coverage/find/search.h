/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The state of a search for missing files. missing-files.c runs the search. Lists of streams and
 * packets are in the system information (listed-find.c), in certificates (certified-find.c), in
 * indexes and in checksum files (index-find.c). The search adds listed streams and packets that are
 * absent to the missing files.
 */
#ifndef LTTNG_MM_COVERAGE_FIND_SEARCH_H
#define LTTNG_MM_COVERAGE_FIND_SEARCH_H

#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"

struct ctf_trace;
struct source_folder_id;

struct missing_search {
	struct mm_source *source;
	struct mm_missing_list *list;
	bool *verifiable; /* per folder: true if its streams and packets are listed */
	struct source_folder_id *ids;
	struct mm_hash by_id;
	uint32_t *online; /* per folder: mm_sysinfo_dir_cpus(), or 0 */
	const struct mm_snapshots *snapshots;
	struct ctf_trace *const *traces; /* open traces, or NULL */
	size_t trace_count;
	bool failed;
};

/* Reasons why a file is missing. Compare them by address. */
extern const char missing_dangling[], missing_denied[];

/* Reads the device and inode numbers of the source's folders into search->ids and search->by_id. */
void missing_search_identify(struct missing_search *search);
/* Returns the index of the folder @path in source->folders, or SIZE_MAX. */
size_t missing_search_folder(const struct missing_search *search, const char *path);

/*
 * Adds @file, a path in any form, to the missing files. Copies the members of @missing, except the
 * paths and @loss. Does nothing if the list contains the file.
 */
void missing_search_add(struct missing_search *search, const char *file,
			const struct mm_missing *missing);

/*
 * If no part of a stream's file can be read, returns the reason. If the file has content, returns
 * NULL and sets *@bytes to its size.
 */
const char *missing_why_absent(const char *path, uint64_t *bytes);
/* Returns the part of @path after its last slash. */
const char *missing_file_name(const char *path);
bool missing_has_metadata(const char *folder);

#endif /* LTTNG_MM_COVERAGE_FIND_SEARCH_H */
