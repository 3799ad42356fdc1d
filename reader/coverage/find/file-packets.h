/* SPDX-License-Identifier: LGPL-2.1-only */
/* Counts the packets in the files of a folder. */
#ifndef LTTNG_MM_COVERAGE_FIND_FILE_PACKETS_H
#define LTTNG_MM_COVERAGE_FIND_FILE_PACKETS_H

#include "reader/coverage/find/search.h"

/* Packets of a file, counted only if a file in the same folder differs from its listed size. */
struct missing_file {
	char *name;
	uint64_t packets, packets_lost, packets_truncated, packets_damaged;
	bool cut;			      /* the file ends within a packet */
	int64_t begin_ns, end_ns, resumed_ns; /* as in struct ctf_file_count */
};

/* The files of a folder. The first call of missing_file_find() counts their packets. */
struct missing_folder {
	const char *folder;
	int64_t clock_shift_ns; /* as in struct mm_source */
	struct missing_file *files;
	size_t count, room;
	bool walked, failed;
};

/* Returns the packets of the file @name, or NULL if the file has no packets. */
const struct missing_file *missing_file_find(struct missing_search *search,
					     struct missing_folder *packets, const char *name);
void missing_folder_release(struct missing_folder *packets);

#endif /* LTTNG_MM_COVERAGE_FIND_FILE_PACKETS_H */
