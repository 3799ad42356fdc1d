/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes page references for other programs. */
#ifndef LTTNG_MM_MRC_EXPORT_H
#define LTTNG_MM_MRC_EXPORT_H

#include <stdio.h>

#include "reader/events/source.h"

/* Data that the export lacks. */
struct mrc_export_gaps {
	bool damaged; /* a part of the trace cannot be read */
	bool lossy;   /* events are missing */
	/* Share of the pages that the recorder sampled. The export contains only these pages. */
	double recorded;
};

/*
 * Writes one line of comma-separated values for each event to @out. The caller checks @out for
 * errors. Returns 0, or -1 with @err set.
 */
int mrc_export_csv(const char *path, const struct mm_source_options *options, FILE *out,
		   struct mrc_export_gaps *gaps, struct mm_error *err);

/*
 * Writes a record of libCacheSim's format oracleGeneral for each touch to the new file @output. The
 * records are packed and little-endian:
 *
 *   uint32_t real_time          seconds since the first touch
 *   uint64_t obj_id             number of the object, from 1 on
 *   uint32_t obj_size           4096, or 2097152 for a huge page
 *   int64_t next_access_vtime   index of the next record of the object; -1: none
 *
 * Returns 0, or -1 with @err set. On failure, leaves no new file.
 */
int mrc_export_oracle(const char *path, const struct mm_source_options *options, const char *output,
		      struct mrc_export_gaps *gaps, struct mm_error *err);

#endif /* LTTNG_MM_MRC_EXPORT_H */
