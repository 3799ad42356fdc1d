/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parses snapshot.json, which may be hostile, and finds contradictory times in it. */
#ifndef LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H
#define LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H

#include "reader/coverage/certificate.h"

struct mm_snapshot {
	json_t *json; /* the whole file; NULL: no file */
	struct mm_certificate certificate;
	/*
	 * A sentence, without a period, about two times that contradict each other; NULL: none. If
	 * the file has a correct checksum, the contradiction means that the file was forged.
	 */
	char *contradiction;
	/* because of the contradiction, the wall-clock time of the snapshot is unknown */
	bool clock_wrong;
	bool damaged; /* the file is damaged or unreadable, and not used */
};

/*
 * Reads @folder/snapshot.json. Returns 1 if it is valid, or -1 when out of memory. If it does not
 * exist or cannot be used, returns 0 and writes the reason to @why, of @size bytes. Release
 * @snapshot in any case.
 */
int mm_snapshot_load(const char *folder, struct mm_snapshot *snapshot, char *why, size_t size);
void mm_snapshot_release(struct mm_snapshot *snapshot);

/*
 * Returns the offset from the traces' clock (as in their metadata) to the wall clock. Returns 0 if
 * it is unknown, or below the error of LTTng's measurement.
 */
int64_t mm_snapshot_clock_shift(const struct mm_snapshot *snapshot);

#endif /* LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H */
