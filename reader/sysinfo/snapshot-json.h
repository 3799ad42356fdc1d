/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads snapshot.json, which may be hostile, and finds what in it contradicts itself. */
#ifndef LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H
#define LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H

#include "reader/coverage/certificate.h"

/* A snapshot.json that was read. */
struct mm_snapshot {
	json_t *json; /* the whole file; NULL: there is none */
	struct mm_certificate certificate;
	/*
	 * Two of its times contradict each other: one sentence without a dot; NULL: none do.
	 * Versions that write a checksum of snapshot.json cannot have that unless it is forged.
	 */
	char *contradiction;
	bool clock_wrong; /* ... so the wall clock at the snapshot is not known */
	bool damaged;	  /* it cannot be used because the file is damaged or cannot be read */
};

/*
 * Reads snapshot.json in @folder. Returns 1 if there is a valid one; 0 if there is none, or with
 * the reason in @why, of @size bytes, if it cannot be used; or -1 when out of memory. To be
 * released in any case.
 */
int mm_snapshot_load(const char *folder, struct mm_snapshot *snapshot, char *why, size_t size);
void mm_snapshot_release(struct mm_snapshot *snapshot);

/*
 * How much the wall clock was ahead of the clock of the traces, as their metadata declares it. 0 if
 * that is less than the error of LTTng's measurement, or not known.
 */
int64_t mm_snapshot_clock_shift(const struct mm_snapshot *snapshot);

#endif /* LTTNG_MM_SYSINFO_SNAPSHOT_JSON_H */
