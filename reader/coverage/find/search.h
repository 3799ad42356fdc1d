/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A search for what is missing from a trace. missing-files.c runs it: lists of the system
 * information (listed-find.c), certificates of coverage (certified-find.c), indexes and checksums
 * (index-find.c) name streams and packets, and the search adds those that are not there.
 */
#ifndef LTTNG_MM_COVERAGE_FIND_SEARCH_H
#define LTTNG_MM_COVERAGE_FIND_SEARCH_H

#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/missing.h"

struct ctf_trace;
struct folder_id;

struct missing_search {
	struct mm_source *source;
	struct mm_missing_list *list;
	bool *verifiable; /* one per folder */
	struct folder_id *ids;
	struct mm_hash by_id;
	uint32_t *online; /* CPUs by folder of the source, see mm_sysinfo_dir_cpus() */
	const struct mm_snapshots *snapshots;
	struct ctf_trace *const *traces; /* that are open; NULL: none are */
	size_t trace_count;
	bool failed; /* out of memory */
};

/* Reasons why a file is missing, which the search compares by their addresses. */
extern const char missing_dangling[], missing_denied[];

/* Reads the ids of the source's folders. They are released with search->ids and search->by_id. */
void missing_search_identify(struct missing_search *search);
/* Returns the number of the folder @path among the folders of the source, or SIZE_MAX. */
size_t missing_search_folder(const struct missing_search *search, const char *path);

/*
 * Adds the missing file @file, a path in any form, with the other members from @missing. Keeps an
 * existing entry of that file.
 */
void missing_search_add(struct missing_search *search, const char *file,
			const struct mm_missing *missing);

/*
 * Returns the reason why nothing of a stream's file can be read, or NULL if the file has content,
 * of *@bytes.
 */
const char *missing_why_absent(const char *path, uint64_t *bytes);
/* Returns the part of @path after its last slash. */
const char *missing_file_name(const char *path);
bool missing_has_metadata(const char *folder);

#endif /* LTTNG_MM_COVERAGE_FIND_SEARCH_H */
