// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the ring buffers of sessions through the module lttng-mm-freeze. */
#include "lttng-session/freeze/freeze.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/system/session-daemon.h"
#include "lttng-session/freeze/buffers.h"

/*
 * Number of attempts to read a session's changes while a tracker is changing, and the pause between
 * attempts.
 */
#define WATCH_TRIES 100
#define WATCH_PAUSE_NS 10000000

int freeze_open_device(bool load, struct mm_error *err)
{
	const char *path = "/dev/" LTTNG_MM_FREEZE_DEVICE;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && load && !geteuid()) {
		daemon_load_freeze();
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	if (fd < 0)
		mm_error_set(err, MM_EXIT_OK, "%s: %s", path,
			     errno == ENOENT ? "the module lttng-mm-freeze is not loaded"
					     : strerror(errno));
	return fd;
}

static int set_sessions(struct freeze *freeze, const struct freeze_session_name *names,
			size_t count, struct mm_error *err)
{
	freeze->sessions = calloc(count + 1, sizeof(*freeze->sessions));
	if (!freeze->sessions)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	for (size_t i = 0; i < count; i++) {
		struct freeze_session *session = &freeze->sessions[i];

		if (strlen(names[i].session) >= sizeof(session->name))
			return mm_error_set(err, MM_EXIT_OK, "%s: its name is too long",
					    names[i].session);
		strcpy(session->name, names[i].session);
		if (strlen(names[i].channels) < sizeof(session->channel_names))
			strcpy(session->channel_names, names[i].channels);
	}
	freeze->session_count = (unsigned int)count;
	return 0;
}

static struct freeze *find(const struct freeze_session_name *sessions, size_t count,
			   struct mm_error *err)
{
	struct freeze *freeze = calloc(1, sizeof(*freeze));

	if (!freeze) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
		return NULL;
	}
	freeze->device = freeze_open_device(true, err);
	if (freeze->device < 0 || set_sessions(freeze, sessions, count, err) ||
	    freeze_find_channels(freeze, err)) {
		freeze_close(freeze);
		return NULL;
	}
	return freeze;
}

struct freeze *freeze_hold(const struct freeze_session_name *sessions, size_t count,
			   struct mm_error *err)
{
	struct freeze *freeze = find(sessions, count, err);

	if (freeze)
		freeze_name_channels(freeze);
	return freeze;
}

int freeze_prepare(struct freeze *freeze, struct mm_error *err)
{
	return freeze_allocate(freeze, err);
}

struct freeze *freeze_open(const struct freeze_session_name *sessions, size_t count,
			   struct mm_error *err)
{
	struct freeze *freeze = find(sessions, count, err);

	if (!freeze || !freeze_prepare(freeze, err))
		return freeze;
	freeze_close(freeze);
	return NULL;
}

void freeze_let_go(struct freeze *freeze)
{
	if (freeze->device >= 0)
		close(freeze->device);
	freeze->device = -1;
}

void freeze_close(struct freeze *freeze)
{
	if (!freeze)
		return;
	freeze_release(freeze);
	if (freeze->device >= 0)
		close(freeze->device);
	for (unsigned int i = 0; i < freeze->session_count; i++)
		free(freeze->sessions[i].metadata);
	free(freeze->sessions);
	free(freeze->seen);
	free(freeze);
}

void freeze_set_hooks(struct freeze *freeze, const struct freeze_hooks *hooks)
{
	freeze->hooks = *hooks;
}

static int fail(struct mm_error *err, const char *session, const char *what)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s: %s", session, what,
			    strerror(errno));
}

/*
 * Reads the changes of a session. If a tracker is being changed, waits for the end of that change.
 */
static int read_watch(const struct freeze *freeze, struct freeze_session *session)
{
	const struct timespec pause = { .tv_nsec = WATCH_PAUSE_NS };

	for (int tries = 0; tries < WATCH_TRIES; tries++) {
		session->watch.channel = session->channel;
		if (ioctl(freeze->device, LTTNG_MM_FREEZE_WATCH, &session->watch))
			return -1;
		if (!session->watch.tracking)
			return 0;
		nanosleep(&pause, NULL);
	}
	session->watch.since = 0;
	return 0;
}

int freeze_take(struct freeze *freeze, struct mm_error *err)
{
	if (freeze_copy(freeze))
		return fail(err, freeze->sessions[0].name, "its buffers cannot be read");
	/*
	 * Name the channels after the copy, because the session daemon may take a while to answer.
	 */
	if (!freeze->named)
		freeze_name_channels(freeze);
	for (unsigned int i = 0; i < freeze->session_count; i++) {
		struct freeze_session *session = &freeze->sessions[i];

		if (read_watch(freeze, session))
			return fail(err, session->name, "its starts and stops cannot be read");
		if (freeze_read_metadata(freeze, session))
			return fail(err, session->name, "its metadata cannot be read");
	}
	if (freeze_use_clock(freeze, &freeze->sessions[0].clock))
		return fail(err, freeze->sessions[0].name, "metadata");
	return 0;
}

int freeze_follow_clock(struct freeze *freeze, const struct freeze *other, struct mm_error *err)
{
	return freeze_use_clock(freeze, &other->sessions[0].clock)
		       ? fail(err, freeze->sessions[0].name, "metadata")
		       : 0;
}

uint64_t freeze_bytes(const struct freeze *freeze)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < freeze->stream_count; i++)
		bytes += freeze->streams[i].bytes;
	return bytes;
}

static bool has_records(const struct freeze_stream *stream)
{
	struct freeze_header header;

	for (size_t at = 0; at < stream->bytes; at += header.packet_size / 8) {
		memcpy(&header, stream->data + at, FREEZE_HEADER_BYTES);
		if (header.content_size > 8 * FREEZE_HEADER_BYTES)
			return true;
	}
	return false;
}

bool freeze_has_records(const struct freeze *freeze, size_t session)
{
	for (unsigned int i = 0; i < freeze->stream_count; i++)
		if (freeze->streams[i].channel->session == session &&
		    has_records(&freeze->streams[i]))
			return true;
	return false;
}

void freeze_times(const struct freeze *freeze, struct freeze_times *times)
{
	const struct freeze_clock *clock = &freeze->sessions[0].clock;

	*times = (struct freeze_times){
		.trace_ns = clock->known ? freeze_clock_ns(clock, freeze->frozen.clock) : INT64_MIN,
		.realtime_ns = (int64_t)freeze->frozen.realtime_ns,
		.monotonic_ns = (int64_t)freeze->frozen.monotonic_ns,
		.boottime_ns = (int64_t)freeze->frozen.boottime_ns,
	};
}
