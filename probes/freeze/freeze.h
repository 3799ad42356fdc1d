/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads LTTng's ring buffers while writers use them. */
#ifndef LTTNG_MM_PROBES_FREEZE_FREEZE_H
#define LTTNG_MM_PROBES_FREEZE_FREEZE_H

#include <linux/fs.h>
#include <lttng/events.h>
#include <lttng/events-internal.h>
#include <instrumentation/wire/freeze.h>

/*
 * A channel and the session daemon's file for it. The file keeps the channel and its session alive.
 */
struct lttng_mm_freeze_source {
	struct file *file;
	struct lttng_kernel_channel_buffer *channel;
};

/* Returns the channel of FILE, or NULL if FILE is not an LTTng channel. */
struct lttng_kernel_channel_buffer *lttng_mm_freeze_channel_of(struct file *file);

void lttng_mm_freeze_describe(struct lttng_kernel_channel_buffer *channel,
			      struct lttng_mm_freeze_channel *description);

/*
 * lttng_mm_freeze_sample - samples the buffers of COUNT channels at one instant
 *
 * Stops all CPUs while it reads a few counters per buffer. No CPU is then writing a record, because
 * LTTng's writers run with preemption disabled. Returns the number of buffers. Fills FROZEN and
 * BUFFERS only if the number is at most ROOM and LTTNG_MM_FREEZE_BUFFERS.
 *
 * Context: process, may sleep.
 */
unsigned int lttng_mm_freeze_sample(const struct lttng_mm_freeze_source *sources,
				    unsigned int count, struct lttng_mm_freeze *frozen,
				    struct lttng_mm_freeze_buffer *buffers, unsigned int room);

/*
 * lttng_mm_freeze_positions - reads the positions of the buffers of COUNT channels
 *
 * Reads a few counters and the packet headers of each buffer. Stops nothing. Returns the number of
 * buffers. Fills REQUEST and POSITIONS only if the number is at most ROOM and
 * LTTNG_MM_FREEZE_BUFFERS.
 *
 * Context: process, may sleep.
 */
unsigned int lttng_mm_freeze_positions(const struct lttng_mm_freeze_source *sources,
				       unsigned int count,
				       struct lttng_mm_freeze_positions *request,
				       struct lttng_mm_freeze_position *positions,
				       unsigned int room);

/*
 * lttng_mm_freeze_read - copies the first bytes of a page set to user space
 *
 * Returns 0 with REQUEST->status set, or a negative errno. Context: process, may sleep.
 */
int lttng_mm_freeze_read(struct lttng_kernel_channel_buffer *channel,
			 struct lttng_mm_freeze_read *request);

int lttng_mm_freeze_metadata(struct lttng_kernel_channel_buffer *channel,
			     struct lttng_mm_freeze_metadata *request);

/* watch.c: starts and stops recording changes of sessions and channels. */
void lttng_mm_freeze_watch_start(void);
void lttng_mm_freeze_watch_stop(void);

/*
 * Fills REQUEST with the recorded changes of CHANNEL's session and of the channels of that session.
 * Context: process.
 */
void lttng_mm_freeze_watch_read(const struct lttng_kernel_channel_buffer *channel,
				struct lttng_mm_freeze_watch *request);

#endif /* LTTNG_MM_PROBES_FREEZE_FREEZE_H */
