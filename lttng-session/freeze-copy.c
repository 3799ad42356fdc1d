// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Freezes the buffers, and copies their packets to memory.
 *
 * A thread on each CPU copies that CPU's buffers, with the lowest realtime priority: while it runs,
 * no task writes to them, only interrupts do. On a busy machine, the ring would otherwise turn
 * while the copying process waits for a CPU.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lttng-session/freeze-buffers.h"
#include "util/threads.h"

#define CTF_MAGIC 0xc1fc1fc1u

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
	if (header->magic != CTF_MAGIC || header->stream_id != stream->channel->id ||
	    header->cpu_id != stream->buffer.cpu ||
	    memcmp(header->uuid, stream->channel->uuid, sizeof(header->uuid)) != 0 ||
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

	for (unsigned int set = 0; set < stream->channel->sets; set++) {
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
	size_t room = stream->channel->set_bytes;
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

/* The first of the packets that follow one another up to the latest one. */
static int find_first(const struct held *held, int count)
{
	int first = count ? count - 1 : 0;

	while (first && held[first - 1].packet + 1 == held[first].packet)
		first--;
	return first;
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
		int status;

		/* An NMI interrupted a record: the packet has no end, but earlier ones have. */
		if (last && stream->buffer.unsettled)
			break;
		status = read_set(freeze, stream, held[i].set, held[i].packet,
				  stream->data + stream->bytes,
				  last ? stream->buffer.used : stream->channel->set_bytes);

		if (status < 0)
			return -1;
		if (status != LTTNG_MM_FREEZE_INTACT || !keep_packet(freeze, stream)) {
			stream->overwritten += stream->packets + 1;
			stream->bytes = 0;
			stream->packets = 0;
		}
	}
	return count < 0 ? -1 : 0;
}

static int sample(struct freeze *freeze, struct lttng_mm_freeze_buffer *buffers)
{
	unsigned char *at = freeze->memory;

	freeze->frozen.buffers = (uintptr_t)buffers;
	freeze->frozen.room = freeze->stream_count;
	if (ioctl(freeze->device, LTTNG_MM_FREEZE_FREEZE, &freeze->frozen))
		return -1;
	if (freeze->frozen.count != freeze->stream_count) {
		errno = EAGAIN;
		return -1;
	}
	for (unsigned int i = 0; i < freeze->stream_count; i++) {
		const struct lttng_mm_freeze_channel *channel =
			&freeze->channels[buffers[i].channel];

		freeze->streams[i] = (struct freeze_stream){
			.buffer = buffers[i],
			.channel = channel,
			.data = at,
		};
		at += channel->set_bytes * channel->sets;
	}
	return 0;
}

enum phase {
	PHASE_WAIT,
	PHASE_COPY,
	PHASE_CANCEL,
};

/* What the threads share. */
struct copying {
	struct freeze *freeze;
	unsigned int sets; /* of the buffer that has most */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum phase phase;
	unsigned int ready;
	int next_cpu; /* of the thread that starts next */
	cpu_set_t cpus;
	int error; /* an error number; 0: none */
};

static void set_error(struct copying *copying, int error)
{
	pthread_mutex_lock(&copying->lock);
	if (!copying->error)
		copying->error = error;
	pthread_mutex_unlock(&copying->lock);
}

/* Copies the streams of @cpu; -1: those of all CPUs that have no thread. */
static void copy_streams(struct copying *copying, int cpu)
{
	struct freeze *freeze = copying->freeze;
	struct held *held = calloc(copying->sets, sizeof(*held));

	if (!held)
		set_error(copying, ENOMEM);
	for (unsigned int i = 0; held && i < freeze->stream_count; i++) {
		struct freeze_stream *stream = &freeze->streams[i];
		const int of = (int)stream->buffer.cpu;

		if (cpu < 0 ? of < CPU_SETSIZE && CPU_ISSET(of, &copying->cpus) : of != cpu)
			continue;
		if (copy_stream(freeze, stream, held))
			set_error(copying, errno);
	}
	free(held);
}

/* Without the right to it, the thread copies with the priority that it has. */
static void become_urgent(void)
{
	const struct sched_param urgent = { .sched_priority = 1 };

	pthread_setschedparam(pthread_self(), SCHED_FIFO, &urgent);
}

static void *copy_cpu(void *user)
{
	struct copying *copying = user;
	enum phase phase;
	cpu_set_t one;
	int cpu;

	pthread_mutex_lock(&copying->lock);
	do
		cpu = copying->next_cpu++;
	while (!CPU_ISSET(cpu, &copying->cpus));
	pthread_mutex_unlock(&copying->lock);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	become_urgent();

	pthread_mutex_lock(&copying->lock);
	copying->ready++;
	pthread_cond_broadcast(&copying->changed);
	while (copying->phase == PHASE_WAIT)
		pthread_cond_wait(&copying->changed, &copying->lock);
	phase = copying->phase;
	pthread_mutex_unlock(&copying->lock);
	if (phase == PHASE_COPY)
		copy_streams(copying, cpu);
	return NULL;
}

static int freeze_streams(struct freeze *freeze)
{
	struct lttng_mm_freeze_buffer *buffers = calloc(freeze->stream_count, sizeof(*buffers));
	int ret = buffers ? sample(freeze, buffers) : -1;

	free(buffers);
	return ret;
}

static void enter_phase(struct copying *copying, enum phase phase)
{
	pthread_mutex_lock(&copying->lock);
	copying->phase = phase;
	pthread_cond_broadcast(&copying->changed);
	pthread_mutex_unlock(&copying->lock);
}

/* Freezes the buffers when all @count threads are waiting on their CPUs, and has them copy. */
static void run_copying(struct copying *copying, unsigned int count)
{
	pthread_mutex_lock(&copying->lock);
	while (copying->ready < count)
		pthread_cond_wait(&copying->changed, &copying->lock);
	pthread_mutex_unlock(&copying->lock);
	if (freeze_streams(copying->freeze)) {
		set_error(copying, errno);
		enter_phase(copying, PHASE_CANCEL);
	} else {
		enter_phase(copying, PHASE_COPY);
		copy_streams(copying, -1);
	}
}

int freeze_copy(struct freeze *freeze)
{
	struct copying copying = { .freeze = freeze, .sets = 1 };
	unsigned int wanted, count;
	pthread_t *threads;

	for (unsigned int i = 0; i < freeze->channel_count; i++)
		if (freeze->channels[i].sets > copying.sets)
			copying.sets = freeze->channels[i].sets;
	if (sched_getaffinity(0, sizeof(copying.cpus), &copying.cpus))
		CPU_ZERO(&copying.cpus);
	wanted = (unsigned int)CPU_COUNT(&copying.cpus);
	threads = calloc(wanted ? wanted : 1, sizeof(*threads));
	if (!threads)
		return -1;
	pthread_mutex_init(&copying.lock, NULL);
	pthread_cond_init(&copying.changed, NULL);
	count = mm_threads_start(threads, wanted, copy_cpu, &copying);
	/* The main thread copies those of CPUs for which no thread could be started. */
	pthread_mutex_lock(&copying.lock);
	for (int cpu = 0, left = (int)count; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &copying.cpus) && left-- <= 0)
			CPU_CLR(cpu, &copying.cpus);
	pthread_mutex_unlock(&copying.lock);
	run_copying(&copying, count);
	mm_threads_join(threads, count);
	pthread_cond_destroy(&copying.changed);
	pthread_mutex_destroy(&copying.lock);
	free(threads);
	errno = copying.error;
	return copying.error ? -1 : 0;
}
