/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The positions of ring buffers: how much has been written to them, and how far back they reach.
 * Read through the module lttng-mm-freeze, without the session daemon, which need not answer.
 */
#ifndef LTTNG_MM_SESSION_POSITIONS_H
#define LTTNG_MM_SESSION_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrumentation/wire/freeze.h"
#include "util/error.h"

struct positions_channel {
	unsigned int session; /* the number of its session among those requested */
	struct lttng_mm_freeze_channel is;
	uint64_t started; /* clock value of the session's last start; 0: not known */
};

/* Release with positions_release(). */
struct positions {
	int device; /* -1: closed; the channels keep their numbers while it is open */
	struct positions_channel channels[LTTNG_MM_FREEZE_CHANNELS];
	unsigned int channel_count;
	unsigned int left_out; /* channels that are not in overwrite mode with mmap output */
	struct lttng_mm_freeze_positions taken;
	struct lttng_mm_freeze_position *all; /* taken.count of them, by channel and CPU */
};

/*
 * Finds the channels of @count sessions; what does not exist is left out. While it is open, LTTng
 * cannot release the buffers of a session that is destroyed. Does not load the module. Returns 0,
 * or -1 with @err set: if err->code is 0, err->message says what is missing, as in
 * "/dev/lttng-mm-freeze: Permission denied".
 */
int positions_open(struct positions *positions, const char *const *sessions, size_t count,
		   struct mm_error *err);

/* Reads the positions of all channels found. Returns 0, or -1 as positions_open(). */
int positions_read(struct positions *positions, struct mm_error *err);

/*
 * In sample.c: writes the metadata of a channel, and the start of the last packet that one of its
 * buffers completed, or else of the one being written, to the folder @folder as a trace. Returns
 * the bytes of its events, or 0 if there are none, or they cannot be read.
 */
size_t positions_write_sample(const struct positions *positions, unsigned int channel, int folder);

/* Takes over what @from has read. */
void positions_keep(struct positions *to, struct positions *from);

void positions_release(struct positions *positions);

#endif /* LTTNG_MM_SESSION_POSITIONS_H */
