// SPDX-License-Identifier: GPL-2.0-only
/* Slow path of the ring-buffer fast path. It delivers a sub-buffer, which is rare. */

#include <linux/module.h>
#include <probes/lib/ring-buffer.h>

#ifdef LTTNG_MM_RING_BUFFER_INLINE
/*
 * Delivers a sub-buffer after its last commit. The fast path makes the last commit only in one
 * case: an interrupt has ended the sub-buffer while the fast path was writing its record.
 *
 * LOST is the number of lost records when this record was reserved. LTTng also reads its counts at
 * that time. Records that the interrupts have lost since then belong to later packets. Such a
 * packet may already be delivered, and the count must not decrease from one packet to the next.
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
