// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Freezes the buffers, and copies their packets to memory.
 *
 * A thread on each CPU copies that CPU's buffers, with the lowest realtime priority: while it runs,
 * no task writes to them, only interrupts do. On a busy machine, the ring would otherwise turn
 * while the copying process waits for a CPU. The process copies those of CPUs on which tasks of a
 * higher priority do not let the thread run; it shares no lock with the threads, which a thread
 * could hold then.
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
 * How long the threads are waited for: tasks of a higher priority may not let them run. In steps,
 * of which a pause of the whole virtual machine takes only one.
 */
#define PATIENCE_STEPS 20
#define PATIENCE_STEP_NS 50000000

/* A page set that holds a packet. */
struct held {
	uint64_t packet;
	unsigned int set;
};

static int compare_held(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

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

/* Does @header start a packet of this stream that had been started at the freeze? */
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

/* Finds the packets of a buffer. Returns their number, or -1 with errno set. */
static int find_packets(const struct freeze *freeze, const struct freeze_stream *stream,
			struct held *held)
{
	int count = 0;

	for (unsigned int set = 0; set < stream->channel->is.sets; set++) {
		struct freeze_header header;
		int status =
			read_set(freeze, stream, set, UINT64_MAX, &header, FREEZE_HEADER_BYTES);

		if (status < 0)
			return -1;
		if (status == LTTNG_MM_FREEZE_INTACT && is_frozen(freeze, stream, &header))
			held[count++] = (struct held){ header.packet_seq_num, set };
	}
	qsort(held, (size_t)count, sizeof(*held), compare_held);
	/* If the ring has turned meanwhile, only what LTTng's reader kept is left. */
	if (count && held[count - 1].packet + !stream->buffer.used < stream->buffer.packet)
		return 0;
	return count;
}

/*
 * Ends the packet that was being written at the freeze as LTTng would have: the end of its content
 * and of its time is that of the freeze.
 */
static void end_packet(const struct freeze *freeze, const struct freeze_stream *stream,
		       struct freeze_header *header)
{
	header->timestamp_end = freeze->frozen.clock;
	header->content_size = stream->buffer.used * 8;
	header->packet_size = (stream->buffer.used + 7) / 8 * 64;
	header->events_discarded = stream->buffer.discarded;
}

/* Returns false if the packet at the end of the stream's data has no end: it is left out. */
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
 * Where no packet was being written at the freeze, as after a flush by LTTng, an empty one of that
 * instant shows that no record is later than those before it.
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

/* The first of the packets that follow one another up to the latest one. */
static int find_first(const struct held *held, int count)
{
	int first = count ? count - 1 : 0;

	while (first && held[first - 1].packet + 1 == held[first].packet)
		first--;
	return first;
}

/* At the freeze, the buffer contained the packets from the first one that was not consumed. */
static void count_missed(struct freeze_stream *stream)
{
	const struct lttng_mm_freeze_buffer *buffer = &stream->buffer;
	const uint64_t contained = buffer->packet + !!buffer->used - buffer->first;

	stream->missed = contained > stream->packets ? contained - stream->packets : 0;
}

/*
 * Copies the oldest packets first: they are overwritten next. What precedes a packet that cannot be
 * copied is left out, so that the stream has no hole. So is what LTTng's reader kept of a time that
 * the ring no longer contains.
 */
static int copy_stream(const struct freeze *freeze, struct freeze_stream *stream, struct held *held)
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

/* Freezes the buffers. Returns 0, or -1 with errno set. */
static int sample(struct freeze *freeze)
{
	/* A CPU that comes online gets buffers. */
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

/* A thread, and the CPU whose buffers it copies unless the process does. */
struct worker {
	struct copying *copying;
	pthread_t thread;
	sem_t start;
	atomic_bool ready, claimed;
	bool started;
	int cpu;
};

/* What the threads share. */
struct copying {
	struct freeze *freeze;
	unsigned int sets; /* of the buffer that has most */
	struct worker *workers;
	unsigned int count;
	cpu_set_t owned; /* those that have a worker */
	sem_t ready, done;
	atomic_bool cancelled;
	atomic_int error; /* an error number; 0: none */
};

/* Of several errors, the first one is kept. */
static void set_error(struct copying *copying, int error)
{
	int none = 0;

	atomic_compare_exchange_strong(&copying->error, &none, error);
}

/* Copies the streams of @cpu; -1: those of CPUs without a worker. */
static void copy_streams(struct copying *copying, int cpu)
{
	struct freeze *freeze = copying->freeze;
	struct held *held = calloc(copying->sets, sizeof(*held));

	if (!held)
		set_error(copying, ENOMEM);
	for (unsigned int i = 0; held && i < freeze->stream_count; i++) {
		struct freeze_stream *stream = &freeze->streams[i];
		const unsigned int on = stream->buffer.cpu;
		const bool owned = on < CPU_SETSIZE && CPU_ISSET(on, &copying->owned);

		if ((owned ? (int)on : -1) == cpu && copy_stream(freeze, stream, held))
			set_error(copying, errno);
	}
	free(held);
}

static void *run_worker(void *user)
{
	struct worker *worker = user;
	struct copying *copying = worker->copying;

	atomic_store(&worker->ready, true);
	sem_post(&copying->ready);
	while (sem_wait(&worker->start))
		;
	if (!atomic_load(&copying->cancelled) && !atomic_exchange(&worker->claimed, true))
		copy_streams(copying, worker->cpu);
	sem_post(&copying->done);
	return NULL;
}

/*
 * Starts the thread on its CPU, with its priority; without the right to that, with the process's
 * priority.
 */
static void start_worker(struct worker *worker)
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

/* Returns the number of threads that were started. */
static unsigned int start_workers(struct copying *copying, const cpu_set_t *cpus)
{
	unsigned int started = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct worker *worker = &copying->workers[copying->count];

		if (!CPU_ISSET(cpu, cpus))
			continue;
		worker->copying = copying;
		worker->cpu = cpu;
		CPU_SET(cpu, &copying->owned);
		sem_init(&worker->start, 0, 0);
		copying->count++;
	}
	for (unsigned int i = 0; i < copying->count; i++) {
		start_worker(&copying->workers[i]);
		started += copying->workers[i].started;
	}
	return started;
}

/* Waits until @count threads have posted, or for as long as they are waited for. */
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
 * Freezes the buffers, and starts all threads. With a higher priority than theirs: otherwise the
 * first that is started could take this CPU, and the others would wait until it has copied.
 */
static void freeze_and_start(struct copying *copying)
{
	const struct sched_param urgent = { .sched_priority = WORKER_PRIORITY + 1 };
	struct sched_param usual;
	int policy;
	const bool raised = !pthread_getschedparam(pthread_self(), &policy, &usual) &&
			    !pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent);

	if (sample(copying->freeze)) {
		set_error(copying, errno);
		atomic_store(&copying->cancelled, true);
	}
	for (unsigned int i = 0; i < copying->count; i++)
		sem_post(&copying->workers[i].start);
	if (raised)
		pthread_setschedparam(pthread_self(), policy, &usual);
	if (copying->freeze->hooks.frozen && !atomic_load(&copying->cancelled))
		copying->freeze->hooks.frozen(copying->freeze->hooks.user);
}

/* Freezes when all @started threads are waiting on their CPUs, and has them copy. */
static void run_copying(struct copying *copying, unsigned int started)
{
	await(&copying->ready, started);
	freeze_and_start(copying);
	if (atomic_load(&copying->cancelled))
		return;
	for (unsigned int i = 0; i < copying->count; i++) {
		struct worker *worker = &copying->workers[i];

		if (!atomic_load(&worker->ready) && !atomic_exchange(&worker->claimed, true))
			copy_streams(copying, worker->cpu);
	}
	copy_streams(copying, -1);
}

/* Those that their CPU does not run may end on any other. */
static void join_workers(struct copying *copying, unsigned int started, const cpu_set_t *cpus)
{
	await(&copying->done, started);
	for (unsigned int i = 0; i < copying->count; i++) {
		struct worker *worker = &copying->workers[i];

		if (worker->started) {
			pthread_setaffinity_np(worker->thread, sizeof(*cpus), cpus);
			pthread_join(worker->thread, NULL);
		}
		sem_destroy(&worker->start);
	}
}

int freeze_copy(struct freeze *freeze)
{
	struct copying copying = { .freeze = freeze, .sets = 1 };
	unsigned int started;
	cpu_set_t cpus;

	for (unsigned int i = 0; i < freeze->channel_count; i++)
		if (freeze->channels[i].is.sets > copying.sets)
			copying.sets = freeze->channels[i].is.sets;
	/* On a machine of more CPUs than the set has, the process copies. */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		CPU_ZERO(&cpus);
	copying.workers = calloc((size_t)CPU_COUNT(&cpus) + 1, sizeof(*copying.workers));
	if (!copying.workers)
		return -1;
	sem_init(&copying.ready, 0, 0);
	sem_init(&copying.done, 0, 0);
	started = start_workers(&copying, &cpus);
	run_copying(&copying, started);
	join_workers(&copying, started, &cpus);
	sem_destroy(&copying.ready);
	sem_destroy(&copying.done);
	free(copying.workers);
	errno = atomic_load(&copying.error);
	return errno ? -1 : 0;
}
