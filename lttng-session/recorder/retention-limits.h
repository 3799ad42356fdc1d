/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Limits of the snapshots in a recorder's folder: number, total size, and free space of the
 * filesystem.
 */
#ifndef LTTNG_MM_SESSION_RETENTION_LIMITS_H
#define LTTNG_MM_SESSION_RETENTION_LIMITS_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Default folder, without --output. */
#define RETENTION_OUTPUT "/var/lib/lttng-mm"

/* Folder and limits of a recorder. A limit of 0 is not set. */
struct retention_limits {
	char output[PATH_MAX];	       /* absolute path of the folder; empty: not given */
	uint64_t count;		       /* maximum number of snapshots */
	uint64_t max_bytes;	       /* maximum total size of all snapshots */
	unsigned int min_free_percent; /* percentage of the filesystem that must stay free */
};

/* Is any limit set? */
bool retention_limits_any(const struct retention_limits *limits);

/*
 * Are the members "output" and "keep" of @recorder absent or valid? @recorder is an untrusted
 * object of the plan.
 */
bool retention_limits_are_valid(const json_t *recorder);

#endif /* LTTNG_MM_SESSION_RETENTION_LIMITS_H */
