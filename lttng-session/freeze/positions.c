// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the positions of ring buffers through the module lttng-mm-freeze. */
#include "lttng-session/freeze/positions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lttng-session/freeze/buffers.h"

/* Additional room for the buffers of CPUs that come online between counting and reading. */
#define MORE_BUFFERS 16u

struct position_search {
	struct positions *positions;
	const char *const *sessions;
	size_t count;
};

static int fail(struct mm_error *err, const char *what)
{
	return mm_error_set(err, MM_EXIT_OK, "/dev/" LTTNG_MM_FREEZE_DEVICE ": %s: %s", what,
			    errno == ENOTTY ? "the loaded module has another version; "
					      "remove it with `rmmod lttng-mm-freeze`"
					    : strerror(errno));
}

static int find(void *user, struct lttng_mm_freeze_channel *is, int fd, struct mm_error *err)
{
	struct position_search *search = user;
	struct positions *positions = search->positions;
	struct positions_channel *channel = &positions->channels[positions->channel_count];
	size_t session = 0;

	while (session < search->count && strcmp(search->sessions[session], is->session) != 0)
		session++;
	if (session == search->count || is->metadata)
		return 0;
	if (!is->freezable || positions->channel_count == LTTNG_MM_FREEZE_CHANNELS) {
		positions->left_out++;
		return 0;
	}
	is->fd = fd;
	if (ioctl(positions->device, LTTNG_MM_FREEZE_ADD, is) || !is->added)
		return fail(err, "channel");
	*channel = (struct positions_channel){ .session = (unsigned int)session, .is = *is };
	positions->channel_count++;
	return 0;
}

/* Returns the time at which the channel or its session last started, or 0 if it is unknown. */
static uint64_t last_start(const struct positions *positions,
			   const struct positions_channel *channel)
{
	struct lttng_mm_freeze_watch watch = { .channel = channel->is.index };
	uint64_t started = 0;

	if (ioctl(positions->device, LTTNG_MM_FREEZE_WATCH, &watch) || !watch.since)
		return 0;
	for (unsigned int i = 0; i < watch.count; i++) {
		const struct lttng_mm_freeze_change *change = &watch.changes[i];

		if (change->active && change->what == LTTNG_MM_FREEZE_STATE &&
		    (change->channel == LTTNG_MM_FREEZE_SESSION ||
		     change->channel == channel->is.id))
			started = change->clock;
	}
	return started;
}

int positions_open(struct positions *positions, const char *const *sessions, size_t count,
		   struct mm_error *err)
{
	struct position_search search = { positions, sessions, count };

	*positions = (struct positions){ .device = freeze_open_device(false, err) };
	if (positions->device < 0)
		return -1;
	if (freeze_each_channel(positions->device, find, &search, err)) {
		positions_release(positions);
		return -1;
	}
	for (unsigned int i = 0; i < positions->channel_count; i++)
		positions->channels[i].started = last_start(positions, &positions->channels[i]);
	return 0;
}

int positions_read(struct positions *positions, struct mm_error *err)
{
	struct lttng_mm_freeze_positions *taken = &positions->taken;
	unsigned int room = MORE_BUFFERS;

	for (unsigned int i = 0; i < positions->channel_count; i++)
		room += positions->channels[i].is.buffers;
	do {
		if (room > LTTNG_MM_FREEZE_BUFFERS)
			room = LTTNG_MM_FREEZE_BUFFERS;
		free(positions->all);
		positions->all = calloc(room, sizeof(*positions->all));
		if (!positions->all)
			return mm_error_set(err, MM_EXIT_ENVIRONMENT, "status: out of memory");
		*taken = (struct lttng_mm_freeze_positions){
			.positions = (uintptr_t)positions->all,
			.room = room,
		};
		if (ioctl(positions->device, LTTNG_MM_FREEZE_POSITIONS, taken))
			return fail(err, "positions");
		room = taken->count + MORE_BUFFERS;
	} while (taken->count > taken->room && taken->room < LTTNG_MM_FREEZE_BUFFERS);
	if (taken->count <= taken->room)
		return 0;
	errno = E2BIG;
	taken->count = 0;
	return fail(err, "positions");
}

void positions_keep(struct positions *to, struct positions *from)
{
	*to = *from;
	to->device = -1;
	from->all = NULL;
	from->taken.count = 0;
}

void positions_release(struct positions *positions)
{
	if (positions->device >= 0)
		close(positions->device);
	free(positions->all);
	*positions = (struct positions){ .device = -1 };
}
