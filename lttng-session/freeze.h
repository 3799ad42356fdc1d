/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Freezes the ring buffers of a session at one instant on all CPUs, and writes what they contained
 * then as a CTF trace. Recording continues, and nothing in the buffers is consumed or ended: an
 * LTTng snapshot may be taken at the same time.
 */
#ifndef LTTNG_MM_SESSION_FREEZE_H
#define LTTNG_MM_SESSION_FREEZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct freeze;

/*
 * Prepares to freeze the buffers of @session, and allocates memory for their contents. Returns NULL
 * with @err unset if the module lttng-mm-freeze or the rights to use it are missing, so that only
 * the session daemon can write a snapshot; with @err set on other errors.
 */
struct freeze *freeze_open(const char *session, struct mm_error *err);
void freeze_close(struct freeze *freeze);

/*
 * Freezes the buffers, and copies their contents to memory. Returns 0, or -1 with @err set.
 */
int freeze_take(struct freeze *freeze, struct mm_error *err);

/* Did any buffer contain a record? */
bool freeze_has_records(const struct freeze *freeze);

/* When the buffers were frozen, since the Epoch. */
int64_t freeze_realtime_ns(const struct freeze *freeze);

/*
 * Writes metadata, streams and their index files to the new folder @name in the folder of the
 * descriptor @parent. Returns 0, or -1 with @err set.
 */
int freeze_write(const struct freeze *freeze, int parent, const char *name, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_FREEZE_H */
