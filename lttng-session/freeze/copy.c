// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Freezes the buffers, and copies their packets to memory.
 *
 * One thread per CPU, the worker, copies this CPU's buffers with the lowest realtime priority.
 * While it runs, no normal task runs on this CPU and writes to these buffers; only interrupts do.
 * If a normal process copied all buffers, it would have to wait for a CPU on a busy machine, and
 * writers could overwrite the ring meanwhile.
 *
 *   main                           worker of a CPU
 *   start all workers              ready, wait for start
 *   wait until all are ready
 *   freeze, start all
 *   copy for workers not ready     copy its buffers, done
 *   copy the other CPUs' buffers
 *   wait until all are done, join
 *
 * A worker is not ready if tasks of a higher priority occupy its CPU. The main thread then copies
 * the buffers of this CPU. An atomic claim ensures that only one of the two threads copies them.
 * The main thread shares no lock with the workers, because a worker that is not running could hold
 * the lock.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "lttng-session/freeze/buffers.h"
#include "util/threads.h"

#define CTF_MAGIC 0xc1fc1fc1u

/* The lowest realtime priority. */
#define WORKER_PRIORITY 1

/*
 * Time limit for the workers, because tasks of a higher priority may occupy their CPUs. The wait
 * has many short steps, so that a pause of the virtual machine uses up only one step.
 */
#define PATIENCE_STEPS 20
#define PATIENCE_STEP_NS 50000000

struct held_packet {
	uint64_t packet;
	unsigned int set;
};

static int compare_held(const void *a, const void *b)
{
	const struct held_packet *x = a, *y = b;

	return (x->packet > y->packet) - (x->packet < y->packet);
}

static int read_set(const struct freeze *freeze, const struct freeze_stream *stream,
		    unsigned int set, uint64_t packet, void *to, size_t bytes)
{
	struct lttng_mm_freeze_read request = {
		.channel = stream->buffer.channel,
		.cpu = stream->buffer.cpu,
		.set = set,
		.bytes = (unsigned int)bytes,
		.to = (uintptr_t)to,
		.packet = packet,
	};

	if (ioctl(freeze->device, LTTNG_MM_FREEZE_READ, &request))
		return -1;
	return (int)request.status;
}

/* Does @header start a packet of this stream that existed at the freeze? */
static bool is_frozen(const struct freeze *freeze, const struct freeze_stream *stream,
		      const struct freeze_header *header)
{
	if (header->magic != CTF_MAGIC || header->stream_id != stream->channel->is.id ||
	    header->cpu_id != stream->buffer.cpu ||
	    memcmp(header->uuid, stream->channel->is.uuid, sizeof(header->uuid)) != 0 ||
	    header->timestamp_begin > freeze->frozen.clock ||
	    header->packet_seq_num < stream->buffer.first)
		return false;
	return !stream->buffer.used || header->packet_seq_num <= stream->buffer.packet;
}

/* Finds the packets of a buffer in order. Returns their number, or -1 with errno set. */
static int find_packets(const struct freeze *freeze, const struct freeze_stream *stream,
			struct held_packet *held)
{
	int count = 0;

	for (unsigned int set = 0; set < stream->channel->is.sets; set++) {
		struct freeze_header header;
		int status =
			read_set(freeze, stream, set, UINT64_MAX, &header, FREEZE_HEADER_BYTES);

		if (status < 0)
			return -1;
		if (status == LTTNG_MM_FREEZE_INTACT && is_frozen(freeze, stream, &header))
			held[count++] = (struct held_packet){ header.packet_seq_num, set };
	}
	qsort(held, (size_t)count, sizeof(*held), compare_held);
	/*
	 * If the last packet of the freeze is missing, writers have overwritten the whole ring
	 * since the freeze. Ignore an old packet, which may be left in the page set of LTTng's
	 * reader.
	 */
	if (count && held[count - 1].packet + !stream->buffer.used < stream->buffer.packet)
		return 0;
	return count;
}

/*
 * Ends the packet that was being written at the freeze. Its content and its time range end at the
 * freeze, as in LTTng's snapshots.
 */
static void end_packet(const struct freeze *freeze, const struct freeze_stream *stream,
		       struct freeze_header *header)
{
	header->timestamp_end = freeze->frozen.clock;
	header->content_size = stream->buffer.used * 8;
	header->packet_size = (stream->buffer.used + 7) / 8 * 64;
	header->events_discarded = stream->buffer.discarded;
}

/*
 * Adds a packet to the stream. The caller has copied the packet to the end of the stream's data.
 * Returns false if the packet's header is invalid.
 */
static bool keep_packet(const struct freeze *freeze, struct freeze_stream *stream)
{
	unsigned char *at = stream->data + stream->bytes;
	size_t room = stream->channel->is.set_bytes;
	struct freeze_header header = { 0 };

	memcpy(&header, at, FREEZE_HEADER_BYTES);
	if (stream->buffer.used && header.packet_seq_num == stream->buffer.packet) {
		end_packet(freeze, stream, &header);
		memcpy(at, &header, FREEZE_HEADER_BYTES);
		memset(at + stream->buffer.used, 0, header.packet_size / 8 - stream->buffer.used);
	}
	if (header.content_size > header.packet_size || header.packet_size / 8 > room ||
	    header.packet_size % 8 || header.content_size < 8 * FREEZE_HEADER_BYTES)
		return false;
	stream->bytes += header.packet_size / 8;
	stream->packets++;
	return true;
}

/*
 * Adds an empty packet with the time of the freeze. This is needed if no packet was being written
 * at the freeze, for example after a flush by LTTng. The empty packet shows that no record follows
 * the earlier packets.
 */
static void add_empty_packet(const struct freeze *freeze, struct freeze_stream *stream)
{
	const uint64_t bytes = (FREEZE_HEADER_BYTES + 7) / 8 * 8;
	struct freeze_header header = {
		.magic = CTF_MAGIC,
		.stream_id = stream->channel->is.id,
		.stream_instance_id = stream->buffer.cpu,
		.timestamp_begin = freeze->frozen.clock,
		.timestamp_end = freeze->frozen.clock,
		.content_size = FREEZE_HEADER_BYTES * 8,
		.packet_size = bytes * 8,
		.packet_seq_num = stream->buffer.packet,
		.events_discarded = stream->buffer.discarded,
		.cpu_id = stream->buffer.cpu,
	};

	memcpy(header.uuid, stream->channel->is.uuid, sizeof(header.uuid));
	memset(stream->data + stream->bytes, 0, bytes);
	memcpy(stream->data + stream->bytes, &header, FREEZE_HEADER_BYTES);
	stream->bytes += bytes;
	stream->packets++;
}

/* Returns the index of the first packet after the last gap in the sequence numbers. */
static int find_first(const struct held_packet *held, int count)
{
	int first = count ? count - 1 : 0;

	while (first && held[first - 1].packet + 1 == held[first].packet)
		first--;
	return first;
}

/* Counts the packets that the buffer contained at the freeze, but that were not copied. */
static void count_missed(struct freeze_stream *stream)
{
	const struct lttng_mm_freeze_buffer *buffer = &stream->buffer;
	const uint64_t contained = buffer->packet + !!buffer->used - buffer->first;

	stream->missed = contained > stream->packets ? contained - stream->packets : 0;
}

/*
 * Copies the packets of a buffer. Starts with the oldest packets, because they are overwritten
 * next. If a packet cannot be copied, drops all packets before it, so that the stream has no gap.
 * For the same reason, drops an old packet in the page set of LTTng's reader if there is a gap
 * after it.
 */
static int copy_stream(const struct freeze *freeze, struct freeze_stream *stream,
		       struct held_packet *held)
{
	int count = find_packets(freeze, stream, held);

	for (int i = count > 0 ? find_first(held, count) : 0; i < count; i++) {
		const bool last = stream->buffer.used && held[i].packet == stream->buffer.packet;
		const size_t bytes = last ? stream->buffer.used : stream->channel->is.set_bytes;
		int status;

		if (last && freeze_leaves_out_last(stream))
			break;
		freeze_populate(stream, bytes);
		status = read_set(freeze, stream, held[i].set, held[i].packet,
				  stream->data + stream->bytes, bytes);

		if (status < 0)
			return -1;
		if (status != LTTNG_MM_FREEZE_INTACT || !keep_packet(freeze, stream)) {
			stream->bytes = 0;
			stream->packets = 0;
		}
	}
	count_missed(stream);
	if (count >= 0 && !stream->buffer.used)
		add_empty_packet(freeze, stream);
	return count < 0 ? -1 : 0;
}

/* Freezes the buffers and assigns memory to the streams. Returns 0, or -1 with errno set. */
static int sample(struct freeze *freeze)
{
	/* If a CPU came online, there are more buffers, so try again with more room. */
	for (int tries = 0; tries < 3; tries++) {
		freeze->frozen.buffers = (uintptr_t)freeze->buffers;
		freeze->frozen.room = freeze->room;
		if (ioctl(freeze->device, LTTNG_MM_FREEZE_FREEZE, &freeze->frozen))
			return -1;
		if (freeze->frozen.count <= freeze->room) {
			freeze->stream_count = freeze->frozen.count;
			return freeze_place(freeze);
		}
		if (freeze_grow(freeze, freeze->frozen.count))
			return -1;
	}
	errno = EAGAIN;
	return -1;
}

struct copy_worker {
	struct copy_ctx *ctx;
	pthread_t thread;
	sem_t start;
	atomic_bool ready, claimed;
	bool started;
	int cpu;
};

struct copy_ctx {
	struct freeze *freeze;
	unsigned int sets; /* the largest number of page sets in a buffer */
	struct copy_worker *workers;
	unsigned int count;
	cpu_set_t owned; /* CPUs that have a worker */
	sem_t ready, done;
	atomic_bool cancelled;
	atomic_int error;
};

static void set_error(struct copy_ctx *ctx, int error)
{
	int none = 0;

	atomic_compare_exchange_strong(&ctx->error, &none, error);
}

/* Copies the streams of @cpu. If @cpu is -1, copies the streams of all CPUs without a worker. */
static void copy_streams(struct copy_ctx *ctx, int cpu)
{
	struct freeze *freeze = ctx->freeze;
	struct held_packet *held = calloc(ctx->sets, sizeof(*held));

	if (!held)
		set_error(ctx, ENOMEM);
	for (unsigned int i = 0; held && i < freeze->stream_count; i++) {
		struct freeze_stream *stream = &freeze->streams[i];
		const unsigned int on = stream->buffer.cpu;
		const bool owned = on < CPU_SETSIZE && CPU_ISSET(on, &ctx->owned);

		if ((owned ? (int)on : -1) == cpu && copy_stream(freeze, stream, held))
			set_error(ctx, errno);
	}
	free(held);
}

static void *run_worker(void *user)
{
	struct copy_worker *worker = user;
	struct copy_ctx *ctx = worker->ctx;

	atomic_store(&worker->ready, true);
	sem_post(&ctx->ready);
	while (sem_wait(&worker->start))
		;
	if (!atomic_load(&ctx->cancelled) && !atomic_exchange(&worker->claimed, true))
		copy_streams(ctx, worker->cpu);
	sem_post(&ctx->done);
	return NULL;
}

/*
 * Starts the worker on its CPU with WORKER_PRIORITY, or with the process's priority if realtime
 * priorities are not permitted.
 */
static void start_worker(struct copy_worker *worker)
{
	const struct sched_param urgent = { .sched_priority = WORKER_PRIORITY };
	pthread_attr_t attr;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(worker->cpu, &one);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &urgent);
	worker->started = !mm_thread_start_attr(&worker->thread, &attr, run_worker, worker);
	if (!worker->started) {
		pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED);
		worker->started = !mm_thread_start_attr(&worker->thread, &attr, run_worker, worker);
	}
	pthread_attr_destroy(&attr);
}

/* Starts a worker for each CPU in @cpus. Returns the number of started threads. */
static unsigned int start_workers(struct copy_ctx *ctx, const cpu_set_t *cpus)
{
	unsigned int started = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct copy_worker *worker = &ctx->workers[ctx->count];

		if (!CPU_ISSET(cpu, cpus))
			continue;
		worker->ctx = ctx;
		worker->cpu = cpu;
		CPU_SET(cpu, &ctx->owned);
		sem_init(&worker->start, 0, 0);
		ctx->count++;
	}
	for (unsigned int i = 0; i < ctx->count; i++) {
		start_worker(&ctx->workers[i]);
		started += ctx->workers[i].started;
	}
	return started;
}

/* Waits until @count workers have posted to the semaphore, or the time limit has passed. */
static void await(sem_t *posted, unsigned int count)
{
	for (int step = 0; step < PATIENCE_STEPS && count; step++) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += PATIENCE_STEP_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		do {
			while (count && !sem_clockwait(posted, CLOCK_MONOTONIC, &until))
				count--;
		} while (count && errno == EINTR);
	}
}

/*
 * Freezes the buffers and starts all workers. Raises this thread's priority above the workers'
 * priority meanwhile. Otherwise, the first worker could preempt this thread and delay the start of
 * the other workers.
 */
static void freeze_and_start(struct copy_ctx *ctx)
{
	const struct sched_param urgent = { .sched_priority = WORKER_PRIORITY + 1 };
	struct sched_param usual;
	int policy;
	const bool raised = !pthread_getschedparam(pthread_self(), &policy, &usual) &&
			    !pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent);

	if (sample(ctx->freeze)) {
		set_error(ctx, errno);
		atomic_store(&ctx->cancelled, true);
	}
	for (unsigned int i = 0; i < ctx->count; i++)
		sem_post(&ctx->workers[i].start);
	if (raised)
		pthread_setschedparam(pthread_self(), policy, &usual);
	if (ctx->freeze->hooks.frozen && !atomic_load(&ctx->cancelled))
		ctx->freeze->hooks.frozen(ctx->freeze->hooks.user);
}

/* Waits until all @started workers are ready on their CPUs, then freezes and lets them copy. */
static void run_copying(struct copy_ctx *ctx, unsigned int started)
{
	await(&ctx->ready, started);
	freeze_and_start(ctx);
	if (atomic_load(&ctx->cancelled))
		return;
	for (unsigned int i = 0; i < ctx->count; i++) {
		struct copy_worker *worker = &ctx->workers[i];

		if (!atomic_load(&worker->ready) && !atomic_exchange(&worker->claimed, true))
			copy_streams(ctx, worker->cpu);
	}
	copy_streams(ctx, -1);
}

/*
 * Joins the workers. A worker cannot run while its CPU is occupied. Therefore, lets each worker
 * exit on any CPU.
 */
static void join_workers(struct copy_ctx *ctx, unsigned int started, const cpu_set_t *cpus)
{
	await(&ctx->done, started);
	for (unsigned int i = 0; i < ctx->count; i++) {
		struct copy_worker *worker = &ctx->workers[i];

		if (worker->started) {
			pthread_setaffinity_np(worker->thread, sizeof(*cpus), cpus);
			pthread_join(worker->thread, NULL);
		}
		sem_destroy(&worker->start);
	}
}

int freeze_copy(struct freeze *freeze)
{
	struct copy_ctx ctx = { .freeze = freeze, .sets = 1 };
	unsigned int started;
	cpu_set_t cpus;

	for (unsigned int i = 0; i < freeze->channel_count; i++)
		if (freeze->channels[i].is.sets > ctx.sets)
			ctx.sets = freeze->channels[i].is.sets;
	/*
	 * This fails if there are more CPUs than a cpu_set_t has room for. Then there are no
	 * workers.
	 */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		CPU_ZERO(&cpus);
	ctx.workers = calloc((size_t)CPU_COUNT(&cpus) + 1, sizeof(*ctx.workers));
	if (!ctx.workers)
		return -1;
	sem_init(&ctx.ready, 0, 0);
	sem_init(&ctx.done, 0, 0);
	started = start_workers(&ctx, &cpus);
	run_copying(&ctx, started);
	join_workers(&ctx, started, &cpus);
	sem_destroy(&ctx.ready);
	sem_destroy(&ctx.done);
	free(ctx.workers);
	errno = atomic_load(&ctx.error);
	return errno ? -1 : 0;
}
