/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record into one of LTTng's per-CPU ring buffers, without the calls through its ops table.
 *
 * The steps are those of lib_ring_buffer_reserve(), _write() and _commit() for the plain case, done
 * by LTTng's own inline helpers: overwrite mode, compact header, no context, a record that does not
 * end its sub-buffer, a time that 27 bits hold. mm_ring_buffer_write() leaves everything else to
 * the public API. Only for the versions of lttng-modules whose private headers it was read against.
 */
#ifndef LTTNG_MM_PROBES_COMPAT_RING_BUFFER_H
#define LTTNG_MM_PROBES_COMPAT_RING_BUFFER_H

#include <lttng/tracer.h>
#include <lttng/events.h>
#include <lttng/events-internal.h>
#include <lttng/endian.h>
#include <ringbuffer/config.h>
#include <ringbuffer/backend.h>
#include <ringbuffer/frontend.h>
#include <ringbuffer/vatomic.h>
#include <wrapper/trace-clock.h>

/* The compiler need not clear what is written in full before it is read. */
#if __has_attribute(uninitialized)
#define MM_NO_CLEAR	__attribute__((uninitialized))
#else
#define MM_NO_CLEAR
#endif

/* A record of up to 16 bytes, and before it room for the event's compact header. */
struct mm_packed {
	u32 header;
	__le64 word[2];
} __packed __aligned(4);

#if LTTNG_MODULES_MAJOR_VERSION == 2 && LTTNG_MODULES_MINOR_VERSION == 13
#define MM_RING_BUFFER_INLINE
#define mm_timestamp_bits		tsc_bits
#define mm_last_timestamp		last_tsc
#define mm_percpu_buffer(chan)		((chan)->backend.buf)
#define mm_event_id(event)		((event)->priv->id)
#elif LTTNG_MODULES_MAJOR_VERSION == 2 && LTTNG_MODULES_MINOR_VERSION == 16
#define MM_RING_BUFFER_INLINE
#define mm_timestamp_bits		timestamp_bits
#define mm_last_timestamp		last_timestamp
#define mm_percpu_buffer(chan)		((chan)->backend.percpu_buf)
#define mm_event_id(event)		((u32)(event)->priv->parent.id)
#endif

/* Padding before a header, and headers that begin at the other end of a word, are not plain. */
#if defined(RING_BUFFER_ALIGN) || __BYTE_ORDER != __LITTLE_ENDIAN
#undef MM_RING_BUFFER_INLINE
#endif

#ifdef MM_RING_BUFFER_INLINE

#define MM_COMPACT_ID_BITS	5
#define MM_COMPACT_TIME_BITS	27

/*
 * The last commit of a sub-buffer: hands it over. Rare: a record that was interrupted. LOST is what
 * had been lost when the record was reserved, which is when LTTng reads the counts that it hands
 * over. What the interrupts have lost since then belongs to later packets, which may have been
 * handed over before this one, and the count must not go back from one packet to the next.
 */
static noinline void mm_ring_buffer_deliver(struct lttng_kernel_ring_buffer_channel *chan,
					    struct lttng_kernel_ring_buffer *buf,
					    unsigned long end, unsigned long committed,
					    unsigned long index, unsigned long lost)
{
	const struct lttng_kernel_ring_buffer_config *config = &chan->backend.config;
	struct lttng_kernel_ring_buffer_ctx ctx = { };

	ctx.priv.chan = chan;
	ctx.priv.buf = buf;
	/* The client adds up three counts, and only their sum is kept here. */
	ctx.priv.records_lost_wrap = lost;
	lib_ring_buffer_check_deliver_slow(config, buf, chan, end - 1, committed, index, &ctx);
}

/*
 * mm_ring_buffer_write - writes the LEN bytes after the header of REC as a record of EVENT
 *
 * Returns false, with nothing written, when this is not the plain case.
 *
 * Context: any, preemption off; no lock, no loop but LTTng's own pushing of the reader.
 */
static __always_inline bool mm_ring_buffer_write(struct lttng_kernel_event_recorder *event,
						 struct mm_packed *rec, size_t len)
{
	static const struct lttng_kernel_ring_buffer_config config = {
		.alloc = RING_BUFFER_ALLOC_PER_CPU,
		.sync = RING_BUFFER_SYNC_PER_CPU,
		.mode = RING_BUFFER_OVERWRITE,
		.backend = RING_BUFFER_PAGE,
		.oops = RING_BUFFER_OOPS_CONSISTENCY,
		.ipi = RING_BUFFER_IPI_BARRIER,
		.mm_timestamp_bits = MM_COMPACT_TIME_BITS,
	};
	const struct lttng_kernel_channel_buffer_private *owner = event->chan->priv;
	struct lttng_kernel_ring_buffer_channel *chan = owner->rb_chan;
	const struct lttng_kernel_ring_buffer_config *configured = &chan->backend.config;
	const size_t size = sizeof(rec->header) + len;
	struct lttng_kernel_ring_buffer_backend_pages *pages;
	struct lttng_kernel_ring_buffer *buf;
	struct commit_counters_hot *hot;
	unsigned long begin, end, place, index, committed, lost, wsb;
	u32 id = mm_event_id(event);
	bool written = false;
	u64 now;

	/* What is written below is only right for a channel that is as CONFIG says. */
	BUILD_BUG_ON(RING_BUFFER_ALLOC_PER_CPU || RING_BUFFER_SYNC_PER_CPU || RING_BUFFER_OVERWRITE);
	if (unlikely(owner->header_type != 1 || owner->ctx || id > 30 ||
		     (configured->alloc | configured->sync | configured->mode) ||
		     configured->mm_timestamp_bits != MM_COMPACT_TIME_BITS ||
		     __this_cpu_read(lib_ring_buffer_nesting) >= RING_BUFFER_MAX_NESTING))
		return false;
	__this_cpu_inc(lib_ring_buffer_nesting);
	barrier();
	buf = this_cpu_ptr(mm_percpu_buffer(chan));
	if (unlikely(atomic_read(&chan->record_disabled) || atomic_read(&buf->record_disabled)))
		goto leave;

	begin = v_read(&config, &buf->offset);
	now = trace_clock_read64();
	place = subbuf_offset(begin, chan);
	if (unlikely((s64)now == -EIO || !place || place + size >= chan->backend.subbuf_size ||
		     (now - v_read(&config, &buf->mm_last_timestamp)) >> MM_COMPACT_TIME_BITS))
		goto leave;
	end = begin + size;
	lost = v_read(&config, &buf->records_lost_full) +
	       v_read(&config, &buf->records_lost_wrap) + v_read(&config, &buf->records_lost_big);
	if (unlikely(v_cmpxchg(&config, &buf->offset, begin, end) != begin))
		goto leave;
	v_set(&config, &buf->mm_last_timestamp, (unsigned long)now);
	lib_ring_buffer_reserve_push_reader(buf, chan, end - 1);
	index = subbuf_index(begin, chan);
	lib_ring_buffer_clear_noref(&config, &buf->backend, index);

	rec->header = id | (u32)now << MM_COMPACT_ID_BITS;
	/* A reader exchanges the identifier of a sub-buffer that it takes. */
	wsb = READ_ONCE(buf->backend.buf_wsb[index].id);
	pages = buf->backend.array[subbuffer_id_get_index(&config, wsb)];
	if (likely((begin & ~PAGE_MASK) + size <= PAGE_SIZE))
		memcpy((char *)pages->p[place >> PAGE_SHIFT].virt + (begin & ~PAGE_MASK), rec, size);
	else
		_lib_ring_buffer_write(&buf->backend, buf_offset(begin, chan), rec, size);

	subbuffer_count_record(&config, &buf->backend, index);
	/* The reader's IPI makes this a full barrier. */
	barrier();
	hot = &buf->commit_hot[index];
	v_add(&config, size, &hot->cc);
	committed = v_read(&config, &hot->cc);
	if (unlikely((buf_trunc(end - 1, chan) >> chan->backend.num_subbuf_order) ==
		     ((committed - chan->backend.subbuf_size) & chan->commit_count_mask)))
		mm_ring_buffer_deliver(chan, buf, end, committed, index, lost);
	lib_ring_buffer_write_commit_counter(&config, buf, chan, end, committed, hot);
	written = true;
leave:
	barrier();
	__this_cpu_dec(lib_ring_buffer_nesting);
	return written;
}

#else /* MM_RING_BUFFER_INLINE */

static __always_inline bool mm_ring_buffer_write(struct lttng_kernel_event_recorder *event,
						 struct mm_packed *rec, size_t len)
{
	return false;
}

#endif /* MM_RING_BUFFER_INLINE */

#endif /* LTTNG_MM_PROBES_COMPAT_RING_BUFFER_H */
