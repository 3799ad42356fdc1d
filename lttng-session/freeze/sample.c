// SPDX-License-Identifier: LGPL-2.1-only
/* Copies the start of one packet of a channel as a separate trace. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lttng-session/freeze/buffers.h"
#include "lttng-session/freeze/positions.h"

#define SAMPLE_BYTES (256u << 10)

struct packet_sample {
	const struct positions *positions;
	const struct positions_channel *channel;
	const struct lttng_mm_freeze_position *position;
	uint64_t packet;
	unsigned char *data;
};

static bool read_set(const struct packet_sample *sample, unsigned int set, uint64_t packet,
		     void *to, size_t bytes)
{
	struct lttng_mm_freeze_read request = {
		.channel = sample->channel->is.index,
		.cpu = sample->position->cpu,
		.set = set,
		.bytes = (unsigned int)bytes,
		.to = (uintptr_t)to,
		.packet = packet,
	};

	return !ioctl(sample->positions->device, LTTNG_MM_FREEZE_READ, &request) &&
	       request.status == LTTNG_MM_FREEZE_INTACT;
}

/* Of the channel's buffers, finds the one with the most bytes written. Returns its position. */
static const struct lttng_mm_freeze_position *choose_buffer(const struct positions *positions,
							    unsigned int channel)
{
	const struct lttng_mm_freeze_position *most = NULL;

	for (unsigned int i = 0; i < positions->taken.count; i++) {
		const struct lttng_mm_freeze_position *position = &positions->all[i];

		if (position->channel == channel && position->written &&
		    (!most || position->written > most->written))
			most = position;
	}
	return most;
}

/*
 * Reads the start of the packet. Changes its header so that the packet ends where the copy ends.
 * Returns the size of the copy, or 0 if the packet was overwritten.
 */
static size_t copy_packet(struct packet_sample *sample)
{
	const struct lttng_mm_freeze_channel *is = &sample->channel->is;
	size_t bytes = is->set_bytes < SAMPLE_BYTES ? is->set_bytes : SAMPLE_BYTES, used;
	struct freeze_header header = { 0 };
	unsigned int set = 0;

	while (set < is->sets &&
	       !(read_set(sample, set, sample->packet, &header, FREEZE_HEADER_BYTES)))
		set++;
	if (set == is->sets || !read_set(sample, set, sample->packet, sample->data, bytes))
		return 0;
	memcpy(&header, sample->data, FREEZE_HEADER_BYTES);
	if (sample->packet < sample->position->packet) {
		used = header.content_size / 8;
	} else {
		used = sample->position->written & (is->set_bytes - 1);
		header.timestamp_end = sample->positions->taken.clock;
		header.content_size = used * 8;
		header.packet_size = used * 8;
		memcpy(sample->data, &header, FREEZE_HEADER_BYTES);
	}
	return used < bytes ? used : bytes;
}

static bool write_file(int folder, const char *name, const void *data, size_t bytes)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool written = fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes;

	if (fd >= 0)
		close(fd);
	return written;
}

static bool write_metadata(const struct packet_sample *sample, int folder)
{
	const struct freeze freeze = { .device = sample->positions->device };
	struct freeze_session session = { .channel = sample->channel->is.index };
	bool written = !freeze_read_metadata(&freeze, &session) &&
		       write_file(folder, "metadata", session.metadata, session.metadata_bytes);

	free(session.metadata);
	return written;
}

size_t positions_write_sample(const struct positions *positions, unsigned int channel, int folder)
{
	struct packet_sample sample = {
		.positions = positions,
		.channel = &positions->channels[channel],
		.position = choose_buffer(positions, channel),
	};
	size_t bytes = 0;

	if (!sample.position)
		return 0;
	sample.packet = sample.position->packet;
	/* Prefer the last complete packet to the packet that is being written. */
	if (sample.packet > sample.position->first)
		sample.packet--;
	sample.data = malloc(SAMPLE_BYTES);
	if (sample.data)
		bytes = copy_packet(&sample);
	if (bytes <= FREEZE_HEADER_BYTES || !write_file(folder, "stream", sample.data, bytes) ||
	    !write_metadata(&sample, folder))
		bytes = FREEZE_HEADER_BYTES;
	free(sample.data);
	return bytes - FREEZE_HEADER_BYTES;
}
