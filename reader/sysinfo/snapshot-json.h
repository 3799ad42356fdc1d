/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parses snapshot.json, which may be hostile, and finds contradictions in it. */
#ifndef LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H
#define LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H

#include "reader/coverage/certificate.h"

/* A parsed snapshot.json. */
struct mm_snapshot {
	json_t *json; /* the whole file; NULL: no file */
	struct mm_certificate certificate;
	/*
	 * A sentence without a period on two times that contradict each other; NULL: no
	 * contradiction. In a file with a checksum, only forgery causes a contradiction.
	 */
	char *contradiction;
	bool clock_wrong; /* the contradiction leaves the wall clock at the snapshot unknown */
	bool damaged;	  /* the file is damaged or cannot be read, so it is not used */
};

/*
 * Reads @folder/snapshot.json. Returns 1 if it is valid, 0 if it does not exist or cannot be used,
 * or -1 when out of memory. If it cannot be used, the reason is in @why, of @size bytes. Release
 * @snapshot in any case.
 */
int mm_snapshot_load(const char *folder, struct mm_snapshot *snapshot, char *why, size_t size);
void mm_snapshot_release(struct mm_snapshot *snapshot);

/*
 * Returns the offset from the traces' clock, as their metadata declares it, to the wall clock; 0 if
 * it is unknown, or less than the error of LTTng's measurement.
 */
int64_t mm_snapshot_clock_shift(const struct mm_snapshot *snapshot);

#endif /* LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H */
