/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Takes a snapshot of a recorder, which continues recording. The folder of the snapshot gets its
 * final name only when it is complete and on the disk. The steps:
 *
 *   snapshot_select()   find the recorder
 *   snapshot_begin()    freeze and copy the buffers, or let the session daemon write them
 *   snapshot_finish()   write traces, system information and snapshot.json; publish the folder
 *   snapshot_end()      remove unfinished parts
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_H
#define LTTNG_MM_SESSION_SNAPSHOT_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/snapshot/access.h"
#include "lttng-session/snapshot/notes.h"
#include "lttng-session/snapshot/times.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "util/error.h"

enum snapshot_method {
	SNAPSHOT_BEST,	 /* SNAPSHOT_FREEZE; if that is impossible, SNAPSHOT_LTTNG with a note */
	SNAPSHOT_FREEZE, /* freeze all buffers at one instant */
	SNAPSHOT_LTTNG,	 /* the session daemon copies the buffers */
};

#define SNAPSHOT_NOT_GIVEN INT64_C(-1)

/* The preparation of a delayed freeze starts this long before the freeze. */
#define SNAPSHOT_PREPARATION_NS 500000000

struct freeze;
struct recorder_session;

/* The buffers of a recorder, as held by freeze_hold(). */
struct snapshot_held {
	/* snapshot_begin() takes ownership of both; @state may be NULL */
	struct freeze *ring, *state;
	/*
	 * the sessions of @ring, then the sessions of @state, in the order in which freeze_hold()
	 * got them
	 */
	const struct recorder_session *sessions;
	size_t count;
};

/* Maximum length of a systemd unit's name in bytes. */
#define SNAPSHOT_UNIT_MAX 255

struct snapshot_request {
	const char *session; /* name of the recorder or session, from recorder_find() */
	/*
	 * If @in_plan is true, the plan contains @session. @by_session and @by_profile are the
	 * arguments of snapshot_select(), which may be NULL.
	 */
	bool in_plan;
	const char *by_session, *by_profile;
	const char *output; /* path of the folder in which the snapshot appears */
	const char *name;   /* start of the snapshot's name */
	const char *reason; /* may be NULL */
	/* reasons of other requests that share this snapshot (an array of strings); may be NULL */
	const json_t *more_reasons;
	enum snapshot_method method;
	/*
	 * The snapshot should cover the last @last_ns before the request. The freeze is delayed by
	 * @after_ns.
	 */
	int64_t last_ns, after_ns;
	enum snapshot_access access;
	bool pin;     /* create the file `pin`, which prevents deletion (retention.h) */
	bool promise; /* determine the path before anything is written */
	/*
	 * Called with the promised path when the contents of the buffers are in memory, before the
	 * state dump. @notes has the messages so far. The function may fork and then return only in
	 * the child, which continues the snapshot. May be NULL.
	 */
	void (*promised)(void *user, const char *path, struct snapshot_notes *notes);
	void *user;
	/*
	 * Cause of the snapshot, an object with a "kind" (json.h). NULL: a request. If
	 * @cause_reveals is true, captured values in @cause may be kernel addresses, and are hidden
	 * unless the snapshot contains kernel addresses anyway.
	 */
	const json_t *cause;
	bool cause_reveals;
	/* freeze these buffers, without the session daemon; NULL: the buffers of @session */
	const struct snapshot_held *held;
	struct snapshot_times requested;
};

struct snapshot_result {
	char path[PATH_MAX + 512];
	bool complete;	     /* the certificate's verdict is "complete" */
	struct mm_error why; /* if not @complete: the verdict of the certificate and its reason */
};

struct snapshot;

/*
 * Selects a recorder or session like recorder_find(). Writes its name to @name, and sets
 * request->session to @name. If the plan has a match, does not ask the session daemon, because that
 * would delay the freeze: snapshot_begin() asks after the freeze. All strings must outlive
 * @request. Returns 0, or -1 with @err set.
 */
int snapshot_select(struct snapshot_request *request, const char *session, const char *profile,
		    char *name, size_t size, struct mm_error *err);

/*
 * Freezes the buffers and copies them to memory, or makes the session daemon write them. Blocks
 * signals that end a process until snapshot_end(). On failure, returns NULL with @err set, and
 * leaves nothing in the output folder.
 */
struct snapshot *snapshot_begin(const struct snapshot_request *request,
				struct snapshot_notes *notes, struct mm_error *err);

/*
 * Returns the path that the snapshot will have, if request.promise is set. Returns NULL if the
 * session daemon wrote the buffers, because it also chooses the snapshot's name. (The snapshot is
 * then almost complete.)
 */
const char *snapshot_promised(const struct snapshot *snapshot);

/* Error text for a failure of the session daemon, which gives no reason. */
#define SNAPSHOT_DAEMON_FULL "the session daemon could not write all data; the disk may be full"

/*
 * Is there enough space for the traces? Returns true if their size is unknown. If the session
 * daemon fails, it gives no reason, and callers use this function to find the reason.
 */
bool snapshot_has_room(const struct snapshot *snapshot);

/* Returns the maximum size of the traces in bytes, or 0 if it is unknown. */
uint64_t snapshot_bytes(const struct snapshot *snapshot);

/* Returns a descriptor of the output folder, owned by the snapshot. */
int snapshot_output(const struct snapshot *snapshot);

/*
 * Writes the frozen buffers, the system information and snapshot.json, and publishes the folder.
 * Returns 0, or -1 with @err set. After -1, snapshot_end() leaves nothing in the output folder.
 */
int snapshot_finish(struct snapshot *snapshot, struct snapshot_result *result,
		    struct snapshot_notes *notes, struct mm_error *err);

/* Removes unfinished parts of the snapshot, unblocks the signals, and frees the snapshot. */
void snapshot_end(struct snapshot *snapshot);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_H */
