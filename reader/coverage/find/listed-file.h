/* SPDX-License-Identifier: LGPL-2.1-only */
/* Compares a stream file with its entry in traces.json or in a certificate. */
#ifndef LTTNG_MM_COVERAGE_FIND_LISTED_FILE_H
#define LTTNG_MM_COVERAGE_FIND_LISTED_FILE_H

#include "reader/coverage/find/file-packets.h"

/* Value of mm_missing.source for files that traces.json lists. Compare it by address. */
extern const char missing_by_list[];

/* The entry of a file in traces.json or in a certificate. */
struct missing_listed {
	const char *name;
	uint64_t packets, packets_lost, bytes;
	struct mm_missing missing;
};

/*
 * Adds the file @listed to the missing files if it is absent or lacks packets. @packets: the
 * packets in the files of its folder. @number: the folder's index in source->folders, or SIZE_MAX.
 */
void missing_check_listed(struct missing_search *search, struct missing_folder *packets,
			  size_t number, struct missing_listed *listed, bool in_state);

#endif /* LTTNG_MM_COVERAGE_FIND_LISTED_FILE_H */
