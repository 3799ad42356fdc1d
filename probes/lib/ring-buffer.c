// SPDX-License-Identifier: GPL-2.0-only
/* The rare cases of the ring-buffer fast path. */

#include <linux/module.h>
#include <probes/lib/ring-buffer.h>

#ifdef LTTNG_MM_RING_BUFFER_INLINE
/*
 * Delivers a sub-buffer after its last commit, which is rare: the record was interrupted. LOST is
 * the number of records lost when this record was reserved, which is when LTTng reads the counts
 * that it delivers. What the interrupts have lost since then belongs to later packets, which may
 * have been delivered before this one, and the count must not decrease from one packet to the next.
 */
void lttng_mm_ring_buffer_deliver(struct lttng_kernel_ring_buffer_channel *chan,
				  struct lttng_kernel_ring_buffer *buf, unsigned long end,
				  unsigned long committed, unsigned long index, unsigned long lost)
{
	const struct lttng_kernel_ring_buffer_config *config = &chan->backend.config;
	struct lttng_kernel_ring_buffer_ctx ctx = {};

	ctx.priv.chan = chan;
	ctx.priv.buf = buf;
	/* The client adds three counts; only their sum is stored here. */
	ctx.priv.records_lost_wrap = lost;
	lib_ring_buffer_check_deliver_slow(config, buf, chan, end - 1, committed, index, &ctx);
}
EXPORT_SYMBOL_GPL(lttng_mm_ring_buffer_deliver);
#endif
