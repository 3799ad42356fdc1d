/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ring-buffer fast path. It writes a record into one of LTTng's per-CPU ring buffers without
 * the calls through LTTng's ops table.
 *
 * It performs the steps of lib_ring_buffer_reserve(), _write() and _commit() for the common case,
 * by LTTng's own inline helpers. In this case, there is no context, the record neither starts nor
 * ends its sub-buffer, and the timestamp fits in 27 bits. The header is the compact one (up to 30
 * event classes in the channel) or the large one. lttng_mm_ring_buffer_write() leaves all other
 * cases to the public API.
 *
 * The fast path relies on private headers of lttng-modules. It is compiled only for the versions
 * that it was checked against.
 */
#ifndef LTTNG_MM_PROBES_LIB_RING_BUFFER_H
#define LTTNG_MM_PROBES_LIB_RING_BUFFER_H

#include <linux/build_bug.h>
#include <lttng/tracer.h>
#include <lttng/events.h>
#include <lttng/events-internal.h>
#include <lttng/endian.h>
#include <ringbuffer/config.h>
#include <ringbuffer/backend.h>
#include <ringbuffer/frontend.h>
#include <ringbuffer/vatomic.h>
#include <wrapper/trace-clock.h>

/* Avoids clearing variables that are always written before they are read. */
#if __has_attribute(uninitialized)
#define LTTNG_MM_NO_CLEAR __attribute__((uninitialized))
#else
#define LTTNG_MM_NO_CLEAR
#endif

/*
 * Space for LTTng's header before the bytes of a record. A header ends where the bytes begin, so
 * both are written in one piece.
 */
struct lttng_mm_header {
	u16 unused;
	u16 id;	  /* event ID in the large header */
	u32 time; /* low bits of the time; in the compact header, the event ID is below them */
} __packed;

#define LTTNG_MM_COMPACT_BYTES 4
#define LTTNG_MM_LARGE_BYTES 6
static_assert(sizeof(struct lttng_mm_header) - offsetof(struct lttng_mm_header, time) ==
	      LTTNG_MM_COMPACT_BYTES);
static_assert(sizeof(struct lttng_mm_header) - offsetof(struct lttng_mm_header, id) ==
	      LTTNG_MM_LARGE_BYTES);

#if LTTNG_MODULES_MAJOR_VERSION == 2 && LTTNG_MODULES_MINOR_VERSION == 13
#define LTTNG_MM_RING_BUFFER_INLINE
#define lttng_mm_timestamp_bits tsc_bits
#define lttng_mm_last_timestamp last_tsc
/* Later versions of LTTng declare this pointer as __percpu. */
#define lttng_mm_percpu_buffer(chan) \
	((__force struct lttng_kernel_ring_buffer __percpu *)(chan)->backend.buf)
#define lttng_mm_event_id(event) ((event)->priv->id)
#elif LTTNG_MODULES_MAJOR_VERSION == 2 && LTTNG_MODULES_MINOR_VERSION == 16
#define LTTNG_MM_RING_BUFFER_INLINE
#define lttng_mm_timestamp_bits timestamp_bits
#define lttng_mm_last_timestamp last_timestamp
#define lttng_mm_percpu_buffer(chan) ((chan)->backend.percpu_buf)
#define lttng_mm_event_id(event) ((u32)(event)->priv->parent.id)
#endif

/*
 * The fast path does not support padding before a header, or big-endian headers. It also needs a
 * 64-bit long, in which LTTng can store the last record's full timestamp.
 */
#if defined(RING_BUFFER_ALIGN) || __BYTE_ORDER != __LITTLE_ENDIAN || BITS_PER_LONG != 64
#undef LTTNG_MM_RING_BUFFER_INLINE
#endif

#ifdef LTTNG_MM_RING_BUFFER_INLINE

/*
 * LTTng's header types, and the last event ID that each can store. The next ID marks an extended
 * header.
 */
#define LTTNG_MM_HEADER_COMPACT 1
#define LTTNG_MM_HEADER_LARGE 2
#define LTTNG_MM_COMPACT_ID_BITS 5
#define LTTNG_MM_COMPACT_LAST_ID 30
#define LTTNG_MM_LARGE_LAST_ID 65534
/*
 * Both headers contain the low bits of the time. If the higher bits differ between two records, the
 * second record has a full timestamp.
 */
#define LTTNG_MM_TIME_BITS 27

/* ring-buffer.c: delivers a sub-buffer after its last commit. */
void lttng_mm_ring_buffer_deliver(struct lttng_kernel_ring_buffer_channel *chan,
				  struct lttng_kernel_ring_buffer *buf, unsigned long end,
				  unsigned long committed, unsigned long index, unsigned long lost);

/* A word at any address. Copying words avoids memcpy(), which a hardened kernel checks. */
struct lttng_mm_word {
	u64 word;
} __packed __attribute__((__may_alias__));
#define lttng_mm_word_at(_at) ((struct lttng_mm_word *)(_at))

/* Copies exactly SIZE bytes. If SIZE is not a constant, copies words. The last two may overlap. */
static __always_inline void lttng_mm_copy(char *to, const char *from, size_t size)
{
	const size_t last = size - sizeof(u64);

	if (__builtin_constant_p(size) || size < sizeof(u64)) {
		memcpy(to, from, size);
		return;
	}
	for (size_t at = 0; at < last; at += sizeof(u64))
		lttng_mm_word_at(to + at)->word = lttng_mm_word_at(from + at)->word;
	lttng_mm_word_at(to + last)->word = lttng_mm_word_at(from + last)->word;
}

/*
 * Writes a record, or returns false if the general path must write it. HEADER_BYTES must be a
 * constant. The caller has checked the configuration of the channel and disabled preemption.
 */
static __always_inline bool lttng_mm_ring_buffer_put(struct lttng_kernel_ring_buffer_channel *chan,
						     u32 id, void *rec, size_t len,
						     size_t header_bytes, u64 now)
{
	static const struct lttng_kernel_ring_buffer_config config = {
		.alloc = RING_BUFFER_ALLOC_PER_CPU,
		.sync = RING_BUFFER_SYNC_PER_CPU,
		.mode = RING_BUFFER_OVERWRITE,
		.backend = RING_BUFFER_PAGE,
		.oops = RING_BUFFER_OOPS_CONSISTENCY,
		.ipi = RING_BUFFER_IPI_BARRIER,
		.lttng_mm_timestamp_bits = LTTNG_MM_TIME_BITS,
	};
	struct lttng_mm_header *header = rec;
	const char *from = (const char *)rec + sizeof(*header) - header_bytes;
	const size_t size = header_bytes + len;
	struct lttng_kernel_ring_buffer_backend_pages *pages;
	struct lttng_kernel_ring_buffer *buf;
	struct commit_counters_hot *hot;
	unsigned long start, end, place, index, committed, lost, wsb;
	bool written = false;

	/* The code below is valid only for channels with this configuration. */
	BUILD_BUG_ON(RING_BUFFER_ALLOC_PER_CPU || RING_BUFFER_SYNC_PER_CPU ||
		     RING_BUFFER_OVERWRITE);
	__this_cpu_inc(lib_ring_buffer_nesting);
	barrier();
	buf = this_cpu_ptr(lttng_mm_percpu_buffer(chan));
	if (unlikely(atomic_read(&chan->record_disabled) || atomic_read(&buf->record_disabled)))
		goto leave;

	start = v_read(&config, &buf->offset);
	if (!now)
		now = trace_clock_read64();
	place = subbuf_offset(start, chan);
	/*
	 * If the caller has read the time, an interrupt may have written a later record since. The
	 * difference is then negative, wraps to a huge number, and fails this check.
	 */
	if (unlikely((s64)now == -EIO || !place || place + size >= chan->backend.subbuf_size ||
		     (now - v_read(&config, &buf->lttng_mm_last_timestamp)) >> LTTNG_MM_TIME_BITS))
		goto leave;
	end = start + size;
	lost = v_read(&config, &buf->records_lost_full) + v_read(&config, &buf->records_lost_wrap) +
	       v_read(&config, &buf->records_lost_big);
	if (unlikely(v_cmpxchg(&config, &buf->offset, start, end) != start))
		goto leave;
	v_set(&config, &buf->lttng_mm_last_timestamp, (unsigned long)now);
	lib_ring_buffer_reserve_push_reader(buf, chan, end - 1);
	index = subbuf_index(start, chan);
	lib_ring_buffer_clear_noref(&config, &buf->backend, index);

	if (header_bytes == LTTNG_MM_COMPACT_BYTES) {
		header->time = id | (u32)now << LTTNG_MM_COMPACT_ID_BITS;
	} else {
		header->id = (u16)id;
		header->time = (u32)now;
	}
	/* A reader that takes the sub-buffer exchanges this ID, so read it only once. */
	wsb = READ_ONCE(buf->backend.buf_wsb[index].id);
	pages = buf->backend.array[subbuffer_id_get_index(&config, wsb)];
	if (likely((start & ~PAGE_MASK) + size <= PAGE_SIZE))
		lttng_mm_copy((char *)pages->p[place >> PAGE_SHIFT].virt + (start & ~PAGE_MASK),
			      from, size);
	else
		_lib_ring_buffer_write(&buf->backend, buf_offset(start, chan), from, size);

	subbuffer_count_record(&config, &buf->backend, index);
	/*
	 * A compiler barrier is enough. LTTng's reader sends an IPI to this CPU before it reads the
	 * sub-buffer, and the IPI is a full memory barrier.
	 */
	barrier();
	hot = &buf->commit_hot[index];
	v_add(&config, size, &hot->cc);
	committed = v_read(&config, &hot->cc);
	if (unlikely((buf_trunc(end - 1, chan) >> chan->backend.num_subbuf_order) ==
		     ((committed - chan->backend.subbuf_size) & chan->commit_count_mask)))
		lttng_mm_ring_buffer_deliver(chan, buf, end, committed, index, lost);
	lib_ring_buffer_write_commit_counter(&config, buf, chan, end, committed, hot);
	written = true;
leave:
	barrier();
	__this_cpu_dec(lib_ring_buffer_nesting);
	return written;
}

/*
 * lttng_mm_ring_buffer_write - writes the LEN bytes after the header of REC as a record of EVENT
 *
 * REC starts with a struct lttng_mm_header. NOW is the current trace_clock_read64(), or 0 to read
 * it here. If the fast path does not handle the case, returns false and writes nothing.
 *
 * Context: any, preemption off. Takes no lock. The only loop is LTTng's, which moves the consumed
 * position past overwritten sub-buffers.
 */
static __always_inline bool lttng_mm_ring_buffer_write(struct lttng_kernel_event_recorder *event,
						       void *rec, size_t len, u64 now)
{
	const struct lttng_kernel_channel_buffer_private *owner = event->chan->priv;
	struct lttng_kernel_ring_buffer_channel *chan = owner->rb_chan;
	const struct lttng_kernel_ring_buffer_config *configured = &chan->backend.config;
	u32 id = lttng_mm_event_id(event);

	/*
	 * The only supported value of @alloc and @sync is 0 (per CPU). The mode (overwrite or
	 * discard) need not be checked: it matters only where a sub-buffer starts, which the fast
	 * path leaves to LTTng.
	 */
	if (unlikely(owner->ctx || ((u32)configured->alloc | (u32)configured->sync) ||
		     configured->lttng_mm_timestamp_bits != LTTNG_MM_TIME_BITS ||
		     __this_cpu_read(lib_ring_buffer_nesting) >= RING_BUFFER_MAX_NESTING))
		return false;
	if (likely(owner->header_type == LTTNG_MM_HEADER_COMPACT && id <= LTTNG_MM_COMPACT_LAST_ID))
		return lttng_mm_ring_buffer_put(chan, id, rec, len, LTTNG_MM_COMPACT_BYTES, now);
	if (owner->header_type == LTTNG_MM_HEADER_LARGE && id <= LTTNG_MM_LARGE_LAST_ID)
		return lttng_mm_ring_buffer_put(chan, id, rec, len, LTTNG_MM_LARGE_BYTES, now);
	return false;
}

#else /* LTTNG_MM_RING_BUFFER_INLINE */

static __always_inline bool lttng_mm_ring_buffer_write(struct lttng_kernel_event_recorder *event,
						       void *rec, size_t len, u64 now)
{
	return false;
}

#endif /* LTTNG_MM_RING_BUFFER_INLINE */

#endif /* LTTNG_MM_PROBES_LIB_RING_BUFFER_H */
