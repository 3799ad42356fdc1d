/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Freezes the ring buffers of sessions at one instant on all CPUs, and writes their contents as CTF
 * traces. Recording continues. Nothing in the buffers is consumed or flushed, so LTTng may take a
 * snapshot at the same time.
 *
 *   freeze_open()  = freeze_hold() + freeze_prepare()
 *   freeze_take()  freezes and copies
 *   freeze_write(), freeze_write_checksums(), freeze_facts()  per session
 *   freeze_close()
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
	 * The names of the session's channels, separated by commas, in the order of creation.
	 * Stream classes are numbered in this order, too.
	 *
	 * If @channels is empty, freeze_open() and freeze_take() ask the session daemon for the
	 * names, and whether the session also records user-space events. The session daemon may not
	 * respond. If @channels is not empty, the caller must call freeze_check() to ask about
	 * user-space events.
	 */
	const char *channels;
};

/*
 * Finds the name of a channel in the list @names of struct freeze_session_name. @id is the
 * channel's stream class (from 0 on, per session). The session has @channels channels. The name
 * ends at a comma or at the end of the list. Returns NULL if the list does not have @channels
 * names. The files of the channels are then named by number.
 */
const char *freeze_channel_name(const char *names, unsigned int channels, unsigned int id);

/*
 * Prepares to freeze the buffers of @count sessions, and allocates memory for their contents.
 * Sessions are numbered from 0, in the order of @sessions. Returns NULL on failure. If err->code is
 * then 0, the session daemon can still write a snapshot, and err->message states why a freeze is
 * impossible: "slab: the session also records user-space events, and only kernel buffers can be
 * frozen".
 */
struct freeze *freeze_open(const struct freeze_session_name *sessions, size_t count,
			   struct mm_error *err);
void freeze_close(struct freeze *freeze);

/*
 * The two steps of freeze_open(). After freeze_hold(), the sessions keep their buffers and
 * contents, and continue recording even if the session daemon is killed. A session that is
 * destroyed keeps its buffers, but is stopped. freeze_hold() allocates no memory for the contents.
 * If freeze_hold() is called directly, it asks the session daemon for unknown channel names.
 * freeze_open() leaves this to freeze_take().
 */
struct freeze *freeze_hold(const struct freeze_session_name *sessions, size_t count,
			   struct mm_error *err);
int freeze_prepare(struct freeze *freeze, struct mm_error *err);

/*
 * Asks the session daemon whether the session can be frozen. Returns 0, or -1 with the reason in
 * @err, like freeze_open().
 */
int freeze_check(const char *session, struct mm_error *err);
/* Releases the buffers after freeze_take(). The copies of their contents remain. */
void freeze_let_go(struct freeze *freeze);

/* Progress of a session since the last freeze_look(). */
struct freeze_progress {
	bool active;  /* the session is started, and all its channels are enabled */
	bool cleared; /* contents were discarded, for example by `lttng clear` */
	bool moved;   /* something was recorded since the last call */
	/* there was an earlier freeze_look(); otherwise, @cleared and @moved are unknown */
	bool compared;
	uint64_t bytes; /* bytes recorded on all CPUs since the session was created */
	/* CPUs that have recorded something since the last call, or have come online */
	cpu_set_t moved_cpus;
};

/*
 * Reads the positions of the buffers without stopping any CPU. Fills one element of @progress per
 * session. Returns 0, or -1 with errno set.
 */
int freeze_look(struct freeze *freeze, struct freeze_progress *progress);

/* Functions that freeze_take() calls with @user. */
struct freeze_hooks {
	void (*frozen)(void *user); /* called after the freeze, while contents are being copied */
	/*
	 * called before freeze_take() asks the session daemon for the names of a session's channels
	 */
	void (*asks)(void *user);
	void *user;
};
void freeze_set_hooks(struct freeze *freeze, const struct freeze_hooks *hooks);

/*
 * Freezes the buffers of all sessions, and copies their contents to memory. Gives the metadata of
 * all sessions the clock offset of the first session. Returns 0, or -1 with @err set.
 */
int freeze_take(struct freeze *freeze, struct mm_error *err);

/*
 * Gives the metadata of @freeze the clock offset in the metadata of @other. Call freeze_take() for
 * both first.
 */
int freeze_follow_clock(struct freeze *freeze, const struct freeze *other, struct mm_error *err);

/* Returns the number of bytes of all packets, after freeze_take(). */
uint64_t freeze_bytes(const struct freeze *freeze);

/* Did any buffer of the session contain a record? */
bool freeze_has_records(const struct freeze *freeze, size_t session);

/* Time of the freeze on several clocks. */
struct freeze_times {
	/* on the clock of the traces, since the Epoch; INT64_MIN: the traces declare no clock */
	int64_t trace_ns;
	int64_t realtime_ns, monotonic_ns, boottime_ns;
};
void freeze_times(const struct freeze *freeze, struct freeze_times *times);

/*
 * Writes metadata, streams and index files to the new folder @name in the folder @parent. They get
 * the group of @parent. Omits packets that end before @since_ns (nanoseconds since the Epoch, on
 * the clock of the traces; INT64_MIN: omits no packets). Returns 0, or -1 with @err set.
 */
int freeze_write(struct freeze *freeze, size_t session, int64_t since_ns, int parent,
		 const char *name, struct mm_error *err);

/*
 * Writes the checksums of the packets that freeze_write() has written. @folder is the open folder
 * of the trace (util/checksums.h). Returns 0, or -1 with @err set.
 */
int freeze_write_checksums(const struct freeze *freeze, size_t session, int folder,
			   struct mm_error *err);

/*
 * Makes freeze_write() release the memory of each packet after writing it. A snapshot in an
 * in-memory filesystem then needs no memory for a second copy. Each session can be written only
 * once, and freeze_facts() must get the same @since_ns.
 */
void freeze_write_once(struct freeze *freeze);

/*
 * The processes and users that a session should record. @restricted has a bit for each tracker that
 * should be set (enum lttng_mm_freeze_tracker). @ids are the IDs that these trackers should accept.
 */
struct freeze_promise {
	unsigned int restricted;
	const struct lttng_mm_freeze_tracked *ids;
	size_t count;
};

/*
 * Returns facts about a session that only the tracer knows. Call freeze_write() with the same
 * @since_ns, before or after. Times are nanoseconds since the Epoch, on the clock of the traces.
 * Returns a new reference, or NULL when out of memory.
 *
 *   { "streams": [ {
 *         "file": "lttng-mm_0", "channel": "lttng-mm", "cpu": 0, "online": true,
 *         "overwritten": false,   earlier packets of the buffer were overwritten
 *         "packets_missed": 0,    in the buffer at the freeze, but overwritten before they were
 *                                 copied
 *         "packets_left_out": 0,  ended before @since_ns
 *         "last_left_out": false  the packet that was being written at the freeze is omitted
 *     } ],
 *     "since_ns": N,              @since_ns; null: all packets are written
 *     "watched_since_ns": N,      "changes" is complete from then on; null: unknown
 *     "active": true,             the session was started at the freeze
 *     "changes": [ {              the session (channel null) or a channel was started (enabled) or
 *         "at_ns": N,             stopped (disabled); oldest first
 *         "channel": null, "active": false,
 *         "events": false         only some events of the channel were disabled or enabled again
 *     } ],
 *     "excluded": [ {             trackers excluded processes or users of @promise
 *         "start_ns": N, "end_ns": N
 *     } ],
 *     "limited_to": [ "pid 7" ],  @promise in words, or the IDs accepted at the freeze
 *                                 if these are fewer; empty: everything
 *     "less": [ "A sentence." ]   parts of @promise that trackers excluded at the freeze
 * }
 *
 * If @promise is NULL, the state at the freeze counts as the promise, so "less" is empty.
 */
json_t *freeze_facts(const struct freeze *freeze, size_t session, int64_t since_ns,
		     const struct freeze_promise *promise);

#endif /* LTTNG_MM_SESSION_FREEZE_H */
