/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Positions of ring buffers: how much was written to them, and how far back they reach. The module
 * lttng-mm-freeze reads the positions, without the session daemon, which may not respond.
 */
#ifndef LTTNG_MM_SESSION_POSITIONS_H
#define LTTNG_MM_SESSION_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrumentation/wire/freeze.h"
#include "util/error.h"

struct positions_channel {
	/* index of the channel's session in the argument of positions_open() */
	unsigned int session;
	struct lttng_mm_freeze_channel is;
	uint64_t started; /* clock value of the last start; 0: unknown */
};

/* Release with positions_release(). */
struct positions {
	/* -1: closed; the channel indexes of the module are valid while the device is open */
	int device;
	struct positions_channel channels[LTTNG_MM_FREEZE_CHANNELS];
	unsigned int channel_count;
	/*
	 * number of channels that were omitted, because they are not in overwrite mode with mmap
	 * output
	 */
	unsigned int left_out;
	struct lttng_mm_freeze_positions taken;
	struct lttng_mm_freeze_position *all; /* taken.count elements, sorted by channel and CPU */
};

/*
 * Finds the channels of @count sessions. Ignores sessions that do not exist. While @positions is
 * open, LTTng keeps the buffers of a session even if the session is destroyed. Does not load the
 * module. Returns 0, or -1 with @err set. If err->code is 0, the module is not accessible, and
 * err->message states why: "/dev/lttng-mm-freeze: Permission denied".
 */
int positions_open(struct positions *positions, const char *const *sessions, size_t count,
		   struct mm_error *err);

/* Reads the positions of all found channels. Returns the same values as positions_open(). */
int positions_read(struct positions *positions, struct mm_error *err);

/*
 * Defined in sample.c. Writes a small trace to the folder @folder: the metadata of a channel, and
 * the start of a packet from one of its buffers. Chooses the last complete packet, or the current
 * packet if there is no other. Returns the size of the events in bytes, or 0 if there are no events
 * or they are unreadable.
 */
size_t positions_write_sample(const struct positions *positions, unsigned int channel, int folder);

/* Moves the contents of @from to @to. */
void positions_keep(struct positions *to, struct positions *from);

void positions_release(struct positions *positions);

#endif /* LTTNG_MM_SESSION_POSITIONS_H */
