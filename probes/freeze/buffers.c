// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies packets from LTTng's per-CPU ring buffers without being their reader.
 *
 * A page set is the memory of one sub-buffer. LTTng's own reader takes a sub-buffer from the writer
 * by exchanging its page set for a spare one. Only one reader can do this, and the current
 * sub-buffer must be finished first. Here nothing is exchanged. Instead, a copy is validated
 * afterwards:
 *
 *   read the sub-buffer's ID (marked if the packet is complete; writers clear the mark first)
 *   copy the page set
 *   valid if the ID is unchanged, and the page set is in the same sub-buffer
 */

#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <probes/freeze/freeze.h>
#include <probes/lib/ring-buffer.h>

/*
 * Maximum number of tries to copy a page set, or to find packets, while other readers exchange
 * sets.
 */
#define TRIES 8

/* Number of times to read all clocks. The fastest reading is used. */
#define CLOCK_TRIES 4

/* No sub-buffer of the writer has the page set: LTTng's reader owns it. */
#define NO_SLOT ULONG_MAX

/* The header of a packet, as LTTng's client writes it. */
struct freeze_packet_header {
	u32 magic;
	u8 uuid[16];
	u32 stream_id;
	u64 stream_instance_id;
	u64 timestamp_begin, timestamp_end;
	u64 content_size, packet_size;
	u64 packet_seq_num;
	unsigned long events_discarded;
	u32 cpu_id;
};

#ifdef LTTNG_MM_RING_BUFFER_INLINE

struct lttng_kernel_channel_buffer *lttng_mm_freeze_channel_of(struct file *file)
{
	const struct module *owner = file->f_op->owner;

	if (!owner || strcmp(owner->name, "lttng_tracer") != 0 ||
	    strcmp(file->f_path.dentry->d_name.name, "[lttng_channel]") != 0)
		return NULL;
	return file->private_data;
}

static struct lttng_kernel_ring_buffer_channel *ring_of(struct lttng_kernel_channel_buffer *channel)
{
	return channel->priv->rb_chan;
}

static struct lttng_kernel_ring_buffer *buffer_of(struct lttng_kernel_ring_buffer_channel *ring,
						  unsigned int cpu)
{
	struct lttng_kernel_ring_buffer *buf;

	if (cpu >= nr_cpu_ids || !cpumask_test_cpu(cpu, ring->backend.cpumask))
		return NULL;
	buf = per_cpu_ptr(lttng_mm_percpu_buffer(ring), cpu);
	return buf->backend.allocated ? buf : NULL;
}

static unsigned int sets_of(const struct lttng_kernel_ring_buffer_channel *ring)
{
	return ring->backend.num_subbuf + ring->backend.extra_reader_sb;
}

void lttng_mm_freeze_describe(struct lttng_kernel_channel_buffer *channel,
			      struct lttng_mm_freeze_channel *description)
{
	struct lttng_kernel_ring_buffer_channel *ring = ring_of(channel);
	const struct lttng_kernel_session *session = channel->parent.session;
	unsigned int cpu, buffers = 0;

	/* The metadata channel has a single buffer and no mask of CPUs. */
	if (ring->backend.config.alloc == RING_BUFFER_ALLOC_PER_CPU)
		for (cpu = 0; cpu < nr_cpu_ids; cpu++)
			buffers += !!buffer_of(ring, cpu);
	description->id = channel->priv->id;
	description->overwrite = ring->backend.config.mode == RING_BUFFER_OVERWRITE;
	description->metadata = channel->priv->channel_type == METADATA_CHANNEL ||
				ring->backend.config.alloc != RING_BUFFER_ALLOC_PER_CPU;
	/*
	 * A channel with splice output is not freezable, because LTTng's reader gives its pages
	 * away. Sub-buffers beyond 2 GiB are too large for the numbers in requests.
	 */
	description->freezable = !description->metadata && description->overwrite &&
				 ring->backend.config.output == RING_BUFFER_MMAP &&
				 ring->backend.subbuf_size <= 1UL << 31;
	description->sets = sets_of(ring);
	description->buffers = buffers;
	description->set_bytes = ring->backend.subbuf_size;
	memcpy(description->uuid, session->priv->uuid.b, sizeof(description->uuid));
	strscpy(description->session, session->priv->name, sizeof(description->session));
}

static void *set_page(const struct lttng_kernel_ring_buffer *buf, unsigned int set,
		      unsigned long page)
{
	return buf->backend.array[set]->p[page].virt;
}

static struct freeze_packet_header *set_header(const struct lttng_kernel_ring_buffer *buf,
					       unsigned int set)
{
	return set_page(buf, set, 0);
}

/* Returns the page set in the writer's sub-buffer SLOT. */
static unsigned int slot_set(const struct lttng_kernel_ring_buffer_channel *ring,
			     const struct lttng_kernel_ring_buffer *buf, unsigned long slot)
{
	return subbuffer_id_get_index(&ring->backend.config,
				      READ_ONCE(buf->backend.buf_wsb[slot].id));
}

static unsigned long discarded(const struct lttng_kernel_ring_buffer_config *config,
			       struct lttng_kernel_ring_buffer *buf)
{
	return v_read(config, &buf->records_lost_full) + v_read(config, &buf->records_lost_wrap) +
	       v_read(config, &buf->records_lost_big);
}

/*
 * Samples a buffer while no CPU is writing. The ring's consumed position is the position of the
 * oldest packet or, after `lttng clear`, of the next packet.
 */
static void sample_buffer(struct lttng_kernel_ring_buffer_channel *ring,
			  struct lttng_kernel_ring_buffer *buf,
			  struct lttng_mm_freeze_buffer *sample)
{
	const struct lttng_kernel_ring_buffer_config *config = &ring->backend.config;
	unsigned long offset = v_read(config, &buf->offset), used = subbuf_offset(offset, ring);
	unsigned long slot = subbuf_index(offset, ring);
	unsigned long order = ring->backend.subbuf_size_order;

	sample->discarded = discarded(config, buf);
	sample->used = used;
	sample->packet = offset >> order;
	if (used) {
		/*
		 * In each turn of the ring, the slot's commit count grows by the size of a
		 * sub-buffer. Its low bits are therefore the bytes committed in the current turn.
		 */
		sample->unsettled = (v_read(config, &buf->commit_hot[slot].cc) &
				     (ring->backend.subbuf_size - 1)) != used;
		sample->packet = set_header(buf, slot_set(ring, buf, slot))->packet_seq_num;
	}
	sample->first =
		sample->packet -
		((offset >> order) - ((unsigned long)atomic_long_read(&buf->consumed) >> order));
}

struct freeze_clocks {
	u64 trace, monotonic_ns, boottime_ns, realtime_ns;
};

/*
 * Reads all clocks as of one instant. Reads the trace clock before and after the other clocks, and
 * returns the middle of these two values. The error is at most half the time in between. Repeats
 * this and uses the shortest reading, because the first reading is slow (the caches lack the code
 * and data of the clocks), and an NMI or the hypervisor may interrupt any reading.
 */
static struct freeze_clocks read_clocks(void)
{
	struct freeze_clocks best = { 0 };
	u64 shortest = U64_MAX;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		u64 before = trace_clock_read64();
		u64 monotonic_ns = ktime_get_mono_fast_ns();
		u64 boottime_ns = ktime_get_boot_fast_ns();
		u64 realtime_ns = ktime_get_real_fast_ns();
		u64 between = trace_clock_read64() - before;

		/* If the trace clock is set back, @between is huge. */
		if (between > shortest)
			continue;
		shortest = between;
		best = (struct freeze_clocks){
			.trace = before + (s64)between / 2,
			.monotonic_ns = monotonic_ns,
			.boottime_ns = boottime_ns,
			.realtime_ns = realtime_ns,
		};
	}
	return best;
}

struct sample_ctx {
	const struct lttng_mm_freeze_source *sources;
	unsigned int source_count;
	struct lttng_mm_freeze *frozen;
	struct lttng_mm_freeze_buffer *buffers;
	unsigned int count;
};

static int sample_all(void *data)
{
	struct sample_ctx *ctx = data;
	struct freeze_clocks clocks;

	for (unsigned int i = 0; i < ctx->count; i++) {
		struct lttng_mm_freeze_buffer *sample = &ctx->buffers[i];
		struct lttng_kernel_channel_buffer *channel = ctx->sources[sample->channel].channel;
		struct lttng_kernel_ring_buffer_channel *ring = ring_of(channel);

		sample->online = cpu_online(sample->cpu);
		sample->active = !!READ_ONCE(channel->parent.session->active);
		sample->enabled = !!READ_ONCE(channel->parent.enabled);
		sample_buffer(ring, buffer_of(ring, sample->cpu), sample);
	}
	clocks = read_clocks();
	ctx->frozen->clock = clocks.trace;
	ctx->frozen->monotonic_ns = clocks.monotonic_ns;
	ctx->frozen->boottime_ns = clocks.boottime_ns;
	ctx->frozen->realtime_ns = clocks.realtime_ns;
	return 0;
}

unsigned int lttng_mm_freeze_sample(const struct lttng_mm_freeze_source *sources,
				    unsigned int count, struct lttng_mm_freeze *frozen,
				    struct lttng_mm_freeze_buffer *buffers, unsigned int room)
{
	struct sample_ctx ctx = { .sources = sources, .frozen = frozen, .buffers = buffers };
	unsigned int cpu;

	for (unsigned int i = 0; i < count; i++) {
		struct lttng_kernel_ring_buffer_channel *ring = ring_of(sources[i].channel);

		for_each_cpu(cpu, ring->backend.cpumask)
		{
			if (!buffer_of(ring, cpu))
				continue;
			if (ctx.count < room)
				buffers[ctx.count] = (struct lttng_mm_freeze_buffer){
					.channel = i,
					.cpu = cpu,
				};
			ctx.count++;
		}
	}
	if (ctx.count <= room && ctx.count <= LTTNG_MM_FREEZE_BUFFERS)
		stop_machine(sample_all, &ctx, NULL);
	return ctx.count;
}

/* If @number is at least @first and below *@oldest, sets *@oldest to @number and returns true. */
static bool is_older(u64 number, u64 first, u64 *oldest)
{
	if (number < first || number >= *oldest)
		return false;
	*oldest = number;
	return true;
}

/*
 * Finds the start times of a buffer's packets in their headers. Looks at all page sets, because a
 * reader may exchange them at any time. Before a writer overwrites a packet's header, it moves the
 * consumed position past the packet. The search is repeated if this position has passed the oldest
 * packet that was found. @next is the next packet to start.
 */
static void find_packets(const struct lttng_kernel_ring_buffer_channel *ring,
			 const struct lttng_kernel_ring_buffer *buf, u64 next,
			 struct lttng_mm_freeze_position *position)
{
	const unsigned long order = ring->backend.subbuf_size_order;
	const u64 subbufs = ring->backend.num_subbuf;
	/*
	 * Number of the oldest packet that is still in the buffer after packet @next has started.
	 * Each sub-buffer contains one packet.
	 */
	const u64 left = next + 1 > subbufs ? next + 1 - subbufs : 0;
	u64 first, oldest, lasting, latest;
	int tries = TRIES;

	do {
		first = (unsigned long)atomic_long_read(&buf->consumed) >> order;
		oldest = next;
		lasting = next;
		latest = 0;
		position->oldest = 0;
		position->lasting = 0;
		position->latest = 0;
		smp_rmb();
		for (unsigned int set = 0; set < sets_of(ring); set++) {
			const struct freeze_packet_header *header = set_header(buf, set);
			u64 number = READ_ONCE(header->packet_seq_num);
			u64 begin = READ_ONCE(header->timestamp_begin);

			if (!READ_ONCE(header->magic) || number >= next)
				continue;
			if (is_older(number, first, &oldest))
				position->oldest = begin;
			if (is_older(number, max(first, left), &lasting))
				position->lasting = begin;
			if (number >= max(first, latest)) {
				latest = number;
				position->latest = begin;
			}
			cond_resched();
		}
		smp_rmb();
	} while ((unsigned long)atomic_long_read(&buf->consumed) >> order > oldest && --tries);
	if (tries)
		return;
	position->oldest = 0;
	position->lasting = 0;
	position->latest = 0;
}

static void read_position(struct lttng_kernel_ring_buffer_channel *ring,
			  struct lttng_kernel_ring_buffer *buf,
			  struct lttng_mm_freeze_position *position)
{
	const struct lttng_kernel_ring_buffer_config *config = &ring->backend.config;
	const unsigned long order = ring->backend.subbuf_size_order;
	u64 next;

	position->first = (unsigned long)atomic_long_read(&buf->consumed) >> order;
	smp_rmb();
	position->written = v_read(config, &buf->offset);
	position->packet = position->written >> order;
	position->discarded = discarded(config, buf);
	position->newest = v_read(config, &buf->lttng_mm_last_timestamp);
	/* If no record followed a sub-buffer switch, the next packet has not started. */
	next = position->packet + !!subbuf_offset(position->written, ring);
	position->overwrites = next >= position->first + ring->backend.num_subbuf;
	find_packets(ring, buf, next, position);
}

unsigned int lttng_mm_freeze_positions(const struct lttng_mm_freeze_source *sources,
				       unsigned int count,
				       struct lttng_mm_freeze_positions *request,
				       struct lttng_mm_freeze_position *positions,
				       unsigned int room)
{
	unsigned int cpu, found = 0;
	struct freeze_clocks clocks;

	for (unsigned int i = 0; i < count; i++) {
		struct lttng_kernel_channel_buffer *channel = sources[i].channel;
		struct lttng_kernel_ring_buffer_channel *ring = ring_of(channel);

		for_each_cpu(cpu, ring->backend.cpumask)
		{
			struct lttng_kernel_ring_buffer *buf = buffer_of(ring, cpu);

			if (!buf || found++ >= room)
				continue;
			positions[found - 1] = (struct lttng_mm_freeze_position){
				.channel = i,
				.cpu = cpu,
				.online = cpu_online(cpu),
				.active = !!READ_ONCE(channel->parent.session->active),
				.enabled = !!READ_ONCE(channel->parent.enabled),
			};
			read_position(ring, buf, &positions[found - 1]);
		}
	}
	clocks = read_clocks();
	request->clock = clocks.trace;
	request->monotonic_ns = clocks.monotonic_ns;
	request->boottime_ns = clocks.boottime_ns;
	request->realtime_ns = clocks.realtime_ns;
	return found;
}

static void full_barrier(void *unused)
{
	smp_mb();
}

/*
 * Orders this CPU's copy against the stores of the writer's CPU. LTTng's writers use no memory
 * barriers; readers interrupt the CPU of the writer instead. On x86 this is not necessary, because
 * the processor keeps the order of stores and the order of loads.
 */
static void synchronize(unsigned int cpu)
{
	smp_mb();
	if (!IS_ENABLED(CONFIG_X86)) {
		smp_call_function_single(cpu, full_barrier, NULL, 1);
		smp_mb();
	}
}

/* Returns the writer's sub-buffer with page set SET, or NO_SLOT. */
static unsigned long find_slot(const struct lttng_kernel_ring_buffer_channel *ring,
			       const struct lttng_kernel_ring_buffer *buf, unsigned int set)
{
	for (unsigned long slot = 0; slot < ring->backend.num_subbuf; slot++)
		if (slot_set(ring, buf, slot) == set)
			return slot;
	return NO_SLOT;
}

/*
 * Returns how many sub-buffers the writer has entered. It enters a sub-buffer when its offset
 * exceeds the sub-buffer's start.
 */
static unsigned long entered(const struct lttng_kernel_ring_buffer_channel *ring,
			     struct lttng_kernel_ring_buffer *buf)
{
	const struct lttng_kernel_ring_buffer_config *config = &ring->backend.config;

	return (v_read(config, &buf->offset) + ring->backend.subbuf_size - 1) >>
	       ring->backend.subbuf_size_order;
}

/*
 * May someone have overwritten the page set in SLOT after the caller read ID, the ID of SLOT?
 * Ignores writes after the used part of PACKET. If ID marks a complete packet, every writer changes
 * the ID before it writes. Otherwise, PACKET is intact until the writer enters the sub-buffer
 * again.
 */
static bool was_written(const struct lttng_kernel_ring_buffer_channel *ring,
			struct lttng_kernel_ring_buffer *buf, unsigned long slot, unsigned long id,
			u64 packet)
{
	if (subbuffer_id_is_noref(&ring->backend.config, id))
		return READ_ONCE(buf->backend.buf_wsb[slot].id) != id;
	return entered(ring, buf) > packet + ring->backend.num_subbuf;
}

static int copy_set(const struct lttng_kernel_ring_buffer *buf,
		    const struct lttng_mm_freeze_read *request)
{
	char __user *to = u64_to_user_ptr(request->to);

	for (unsigned int at = 0; at < request->bytes; at += PAGE_SIZE) {
		const void *page = set_page(buf, request->set, at >> PAGE_SHIFT);

		if (copy_to_user(to + at, page, min_t(size_t, PAGE_SIZE, request->bytes - at)))
			return -EFAULT;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* Tries once to copy a page set. */
static int try_read(struct lttng_kernel_ring_buffer_channel *ring,
		    struct lttng_kernel_ring_buffer *buf, struct lttng_mm_freeze_read *request)
{
	const struct freeze_packet_header *header = set_header(buf, request->set);
	unsigned long slot = find_slot(ring, buf, request->set), id = 0;
	u64 packet, begin;
	int ret;

	if (slot != NO_SLOT)
		id = READ_ONCE(buf->backend.buf_wsb[slot].id);
	synchronize(request->cpu);
	packet = READ_ONCE(header->packet_seq_num);
	begin = READ_ONCE(header->timestamp_begin);
	if (!READ_ONCE(header->magic)) {
		request->status = LTTNG_MM_FREEZE_EMPTY;
		return 0;
	}
	ret = copy_set(buf, request);
	if (ret)
		return ret;
	synchronize(request->cpu);
	if (slot != find_slot(ring, buf, request->set))
		request->status = LTTNG_MM_FREEZE_BUSY;
	else if ((slot != NO_SLOT && was_written(ring, buf, slot, id, packet)) ||
		 packet != READ_ONCE(header->packet_seq_num) ||
		 begin != READ_ONCE(header->timestamp_begin) ||
		 (request->packet != ~0ULL && request->packet != packet))
		request->status = LTTNG_MM_FREEZE_OVERWRITTEN;
	else
		request->status = LTTNG_MM_FREEZE_INTACT;
	return 0;
}

int lttng_mm_freeze_read(struct lttng_kernel_channel_buffer *channel,
			 struct lttng_mm_freeze_read *request)
{
	struct lttng_kernel_ring_buffer_channel *ring = ring_of(channel);
	struct lttng_kernel_ring_buffer *buf = buffer_of(ring, request->cpu);
	int ret = 0;

	if (!buf || request->set >= sets_of(ring) || request->bytes > ring->backend.subbuf_size)
		return -EINVAL;
	request->status = LTTNG_MM_FREEZE_BUSY;
	for (int i = 0; !ret && request->status == LTTNG_MM_FREEZE_BUSY && i < TRIES; i++)
		ret = try_read(ring, buf, request);
	return ret;
}

int lttng_mm_freeze_metadata(struct lttng_kernel_channel_buffer *channel,
			     struct lttng_mm_freeze_metadata *request)
{
	struct lttng_metadata_cache *cache = channel->parent.session->priv->metadata_cache;
	int ret = 0;

	mutex_lock(&cache->lock);
	request->bytes = cache->metadata_written;
	request->producing = !!atomic_read(&cache->producing);
	if (request->bytes <= request->room && !request->producing &&
	    copy_to_user(u64_to_user_ptr(request->to), cache->data, request->bytes))
		ret = -EFAULT;
	mutex_unlock(&cache->lock);
	return ret;
}

#else /* LTTNG_MM_RING_BUFFER_INLINE */

/* The layout of this version's buffers is unknown. Accept no channel. */
struct lttng_kernel_channel_buffer *lttng_mm_freeze_channel_of(struct file *file)
{
	return NULL;
}

void lttng_mm_freeze_describe(struct lttng_kernel_channel_buffer *channel,
			      struct lttng_mm_freeze_channel *description)
{
}

unsigned int lttng_mm_freeze_sample(const struct lttng_mm_freeze_source *sources,
				    unsigned int count, struct lttng_mm_freeze *frozen,
				    struct lttng_mm_freeze_buffer *buffers, unsigned int room)
{
	return 0;
}

unsigned int lttng_mm_freeze_positions(const struct lttng_mm_freeze_source *sources,
				       unsigned int count,
				       struct lttng_mm_freeze_positions *request,
				       struct lttng_mm_freeze_position *positions,
				       unsigned int room)
{
	return 0;
}

int lttng_mm_freeze_read(struct lttng_kernel_channel_buffer *channel,
			 struct lttng_mm_freeze_read *request)
{
	return -EINVAL;
}

int lttng_mm_freeze_metadata(struct lttng_kernel_channel_buffer *channel,
			     struct lttng_mm_freeze_metadata *request)
{
	return -EINVAL;
}

#endif /* LTTNG_MM_RING_BUFFER_INLINE */
