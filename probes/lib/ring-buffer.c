// SPDX-License-Identifier: GPL-2.0-only
/* The rare part of the ring-buffer fast path: delivers a sub-buffer to readers. */

#include <linux/module.h>
#include <probes/lib/ring-buffer.h>

#ifdef LTTNG_MM_RING_BUFFER_INLINE
/*
 * Delivers a sub-buffer after its last commit. The fast path makes the last commit only in one
 * case: an interrupt has ended the sub-buffer while the fast path was writing its record.
 *
 * LOST is the number of lost records at the time when this record was reserved. LTTng's own writers
 * also read the counts at that time. Records that interrupts lose after that time are counted in
 * later packets. A later packet may be delivered before this one, and the count of this packet must
 * not exceed the later packet's count.
 */
void lttng_mm_ring_buffer_deliver(struct lttng_kernel_ring_buffer_channel *chan,
				  struct lttng_kernel_ring_buffer *buf, unsigned long end,
				  unsigned long committed, unsigned long index, unsigned long lost)
{
	const struct lttng_kernel_ring_buffer_config *config = &chan->backend.config;
	struct lttng_kernel_ring_buffer_ctx ctx = {};

	ctx.priv.chan = chan;
	ctx.priv.buf = buf;
	/* LTTng's client adds up three counts of lost records. Store the sum in one of them. */
	ctx.priv.records_lost_wrap = lost;
	lib_ring_buffer_check_deliver_slow(config, buf, chan, end - 1, committed, index, &ctx);
}
EXPORT_SYMBOL_GPL(lttng_mm_ring_buffer_deliver);
#endif
