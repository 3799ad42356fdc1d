// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the ring-buffer fast path rarely does.
 */

#include <linux/module.h>
#include <probes/lib/ring-buffer.h>

#ifdef LTTNG_MM_RING_BUFFER_INLINE
/*
 * The last commit of a sub-buffer: hands it over. Rare: a record that was interrupted. LOST is what
 * had been lost when the record was reserved, which is when LTTng reads the counts that it hands
 * over. What the interrupts have lost since then belongs to later packets, which may have been
 * handed over before this one, and the count must not go back from one packet to the next.
 */
void lttng_mm_ring_buffer_deliver(struct lttng_kernel_ring_buffer_channel *chan,
				  struct lttng_kernel_ring_buffer *buf, unsigned long end,
				  unsigned long committed, unsigned long index, unsigned long lost)
{
	const struct lttng_kernel_ring_buffer_config *config = &chan->backend.config;
	struct lttng_kernel_ring_buffer_ctx ctx = {};

	ctx.priv.chan = chan;
	ctx.priv.buf = buf;
	/* The client adds up three counts, and only their sum is kept here. */
	ctx.priv.records_lost_wrap = lost;
	lib_ring_buffer_check_deliver_slow(config, buf, chan, end - 1, committed, index, &ctx);
}
EXPORT_SYMBOL_GPL(lttng_mm_ring_buffer_deliver);
#endif
