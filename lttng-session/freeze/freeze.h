/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Freezes the ring buffers of sessions at one instant on all CPUs, and writes what they contained
 * then as CTF traces. Recording continues, and nothing in the buffers is consumed or ended: an
 * LTTng snapshot may be taken at the same time.
 */
#ifndef LTTNG_MM_SESSION_FREEZE_H
#define LTTNG_MM_SESSION_FREEZE_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrumentation/wire/freeze.h"
#include "util/error.h"

struct freeze;

struct freeze_session_name {
	const char *session;
	/*
	 * Of its channels in the order in which they were created, which is that of their stream
	 * classes, separated by commas. Empty: the session daemon is asked for the names of
	 * channels, and whether the session records user space, too, and may not answer.
	 * freeze_check() asks for the latter otherwise.
	 */
	const char *channels;
};

/*
 * The name in such a list of the channel of stream class @id, of a session that has @channels
 * channels; a comma ends it, or the list does. The tracer numbers the stream classes of a session
 * from 0 on. NULL: the list is not that of these channels, which keep their numbers.
 */
const char *freeze_channel_name(const char *names, unsigned int channels, unsigned int id);

/*
 * Prepares to freeze the buffers of @count sessions, and allocates memory for their contents.
 * Sessions have numbers below @count, in this order. Returns NULL on errors. If err->code is 0
 * then, only the session daemon can write a snapshot, and err->message says why, as in "slab: it
 * records user space, too".
 */
struct freeze *freeze_open(const struct freeze_session_name *sessions, size_t count,
			   struct mm_error *err);
void freeze_close(struct freeze *freeze);

/*
 * What freeze_open() does, in two steps. What is held keeps its buffers, with what they contain,
 * and goes on recording, even if the session daemon is killed; a session that is destroyed remains,
 * stopped. freeze_hold() allocates no memory for contents. The session daemon is asked for names of
 * channels by freeze_hold(), or else by freeze_take().
 */
struct freeze *freeze_hold(const struct freeze_session_name *sessions, size_t count,
			   struct mm_error *err);
int freeze_prepare(struct freeze *freeze, struct mm_error *err);

/*
 * Asks the session daemon whether the session can be frozen. Returns 0, or -1 with the reason why
 * not, as freeze_open().
 */
int freeze_check(const char *session, struct mm_error *err);
/* After freeze_take(): holds the buffers no longer. The copies are kept. */
void freeze_let_go(struct freeze *freeze);

/* What has happened to a session since it was last looked at. */
struct freeze_progress {
	bool active;	/* it is started, and all its channels are enabled */
	bool cleared;	/* contents have been discarded, as by `lttng clear` */
	bool moved;	/* something has been recorded */
	bool compared;	/* it was looked at before; nothing is known of the two above otherwise */
	uint64_t bytes; /* recorded since the session was created, on all CPUs */
	/* CPUs that have recorded something, or were not looked at before. */
	cpu_set_t moved_cpus;
};

/*
 * Looks at the buffers without stopping any CPU, and fills in one element of @progress per session.
 * Returns 0, or -1 with errno set.
 */
int freeze_look(struct freeze *freeze, struct freeze_progress *progress);

/* What freeze_take() calls with @user. */
struct freeze_hooks {
	void (*frozen)(void *user); /* after the freeze, while the contents are being copied */
	void (*asks)(void *user);   /* before it asks the session daemon, if it does */
	void *user;
};
void freeze_set_hooks(struct freeze *freeze, const struct freeze_hooks *hooks);

/*
 * Freezes the buffers of all sessions, and copies their contents to memory. The metadata of all
 * sessions get the clock offset of the first one. Returns 0, or -1 with @err set.
 */
int freeze_take(struct freeze *freeze, struct mm_error *err);

/* Gives the metadata of @freeze the clock offset of another freeze, after both were taken. */
int freeze_follow_clock(struct freeze *freeze, const struct freeze *other, struct mm_error *err);

/* After freeze_take(): the bytes of the packets of all sessions. */
uint64_t freeze_bytes(const struct freeze *freeze);

/* Did any buffer of the session contain a record? */
bool freeze_has_records(const struct freeze *freeze, size_t session);

/* The freeze, by several clocks. */
struct freeze_times {
	int64_t trace_ns; /* by the traces' clock, since the Epoch; INT64_MIN: they declare none */
	int64_t realtime_ns, monotonic_ns, boottime_ns;
};
void freeze_times(const struct freeze *freeze, struct freeze_times *times);

/*
 * Writes metadata, streams and their index files to the new folder @name in the folder of the
 * descriptor @parent, with the group of that folder. The leading packets of a stream that end
 * before @since_ns, in nanoseconds since the Epoch by the traces' clock, are left out; INT64_MIN:
 * none. Returns 0, or -1 with @err set.
 */
int freeze_write(struct freeze *freeze, size_t session, int64_t since_ns, int parent,
		 const char *name, struct mm_error *err);

/*
 * After freeze_write(): writes the checksums of the packets that it wrote to the folder of the
 * trace, of the descriptor @folder (util/checksums.h). Returns 0, or -1 with @err set.
 */
int freeze_write_checksums(const struct freeze *freeze, size_t session, int folder,
			   struct mm_error *err);

/*
 * Has freeze_write() release the memory of each packet as soon as it is written, so that contents
 * are not in memory twice where they are written to memory. Each session can be written once then,
 * and its facts are those of the same @since_ns.
 */
void freeze_write_once(struct freeze *freeze);

/*
 * Which processes and users a session is to record: a bit for each tracker that is to be set
 * (enum lttng_mm_freeze_tracker), and the IDs that they are to let pass.
 */
struct freeze_promise {
	unsigned int restricted;
	const struct lttng_mm_freeze_tracked *ids;
	size_t count;
};

/*
 * What only the tracer knows of a session, of which freeze_write() writes what has not ended before
 * @since_ns. Times are nanoseconds since the Epoch by the traces'
 * clock. Returns a new reference, or NULL: out of memory.
 *
 *   { "streams": [ {
 *         "file": "lttng-mm_0", "channel": "lttng-mm", "cpu": 0, "online": true,
 *         "overwritten": false,   have packets before the first in the buffer existed?
 *         "packets_missed": 0,    in the buffer at the freeze, but overwritten before they were
 *                                 copied
 *         "packets_left_out": 0,  ended before @since_ns
 *         "last_left_out": false  is the packet missing that was being written at the freeze?
 *     } ],
 *     "since_ns": N,              @since_ns; null: all packets are written
 *     "watched_since_ns": N,      from then on, each change was noted; null: none was
 *     "active": true,             was the session started at the freeze?
 *     "changes": [ {              the session (channel null) or a channel was started (enabled) or
 *         "at_ns": N,             stopped (disabled); the oldest first
 *         "channel": null, "active": false,
 *         "events": false         were only some events of the channel disabled, or are enabled again?
 *     } ],
 *     "excluded": [ {             trackers excluded something of @promise
 *         "start_ns": N, "end_ns": N
 *     } ],
 *     "limited_to": [ "pid 7" ],  @promise in words, or what trackers let pass at the freeze if that
 *                                 is less; empty: everything
 *     "less": [ "A sentence." ]   what trackers exclude of @promise at the freeze
 * }
 *
 * @promise NULL: what the session records at the freeze, so "less" is empty.
 */
json_t *freeze_facts(const struct freeze *freeze, size_t session, int64_t since_ns,
		     const struct freeze_promise *promise);

#endif /* LTTNG_MM_SESSION_FREEZE_H */
