/* SPDX-License-Identifier: LGPL-2.1-only */
/* Compares a file with what a list or a certificate says about it. */
#ifndef LTTNG_MM_COVERAGE_FIND_LISTED_FILE_H
#define LTTNG_MM_COVERAGE_FIND_LISTED_FILE_H

#include "reader/coverage/find/file-packets.h"

/* The source of entries of a list, which are compared by its address. */
extern const char missing_by_list[];

/* A file's entry in the list of the system information. */
struct missing_listed {
	const char *name;
	uint64_t packets, packets_lost, bytes;
	struct mm_missing missing;
};

/*
 * Adds the file @listed if it is absent or lacks packets. @packets: of its folder. @number: of the
 * folder, or SIZE_MAX.
 */
void missing_check_listed(struct missing_search *search, struct missing_folder *packets,
			  size_t number, struct missing_listed *listed, bool in_state);

#endif /* LTTNG_MM_COVERAGE_FIND_LISTED_FILE_H */
