/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Takes a snapshot of a recorder, which continues. The folder of the snapshot appears under its
 * name when it is complete and on the disk, or not at all.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_H
#define LTTNG_MM_SESSION_SNAPSHOT_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lttng-session/snapshot/access.h"
#include "lttng-session/snapshot/times.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "util/error.h"

enum snapshot_method {
	SNAPSHOT_BEST,	 /* freeze, or else the session daemon, with a note */
	SNAPSHOT_FREEZE, /* all buffers at one instant */
	SNAPSHOT_LTTNG,	 /* the session daemon copies them */
};

#define SNAPSHOT_NOT_GIVEN INT64_C(-1)

/* To be ready in time, the freeze of a later time is prepared so long before. */
#define SNAPSHOT_PREPARATION_NS 500000000

struct freeze;
struct recorder_session;
struct snapshot_notes;

/* The buffers of a recorder that freeze_hold() has got hold of. */
struct snapshot_held {
	struct freeze *ring, *state; /* taken over; @state may be NULL */
	/* Those of @ring, then those of @state, in the order that was given to freeze_hold(). */
	const struct recorder_session *sessions;
	size_t count;
};

/* Of systemd, in bytes. */
#define SNAPSHOT_UNIT_MAX 255

struct snapshot_request {
	const char *session; /* as recorder_find() names it */
	/* By what it was found in the plan, if it was: see snapshot_select(). NULL: by nothing. */
	bool in_plan;
	const char *by_session, *by_profile;
	const char *output; /* the folder to put it in */
	const char *name;   /* the start of its name */
	const char *reason; /* NULL: none */
	/* Those of others who share it, an array of texts; NULL: none. */
	const json_t *more_reasons;
	enum snapshot_method method;
	/* Up to so long before the request, and the wait before the freeze. */
	int64_t last_ns, after_ns;
	enum snapshot_access access;
	bool pin;     /* with the file that keeps it from being deleted (retention.h) */
	bool promise; /* the path must be known before anything is written */
	/*
	 * Called with the path that is promised as soon as the time of the freeze is fixed and the
	 * contents of the buffers are in memory, before the state is dumped. NULL: not called. It
	 * may not return: another process continues then. Messages so far are in @notes.
	 */
	void (*promised)(void *user, const char *path, struct snapshot_notes *notes);
	void *user;
	/*
	 * Why it is taken, an object with a "kind" (json.h); NULL: it was requested. If @cause_reveals, its
	 * captured values may contain kernel addresses, and are left out of a snapshot without any.
	 */
	const json_t *cause;
	bool cause_reveals;
	/* Freeze these buffers, without the session daemon's help. NULL: those of @session. */
	const struct snapshot_held *held;
	struct snapshot_times requested;
};

/* Messages to the user that are not errors: one for each file of system information, and others. */
#define SNAPSHOT_NOTES_MAX (SYSINFO_FILES + 9)

struct snapshot_notes {
	size_t count;
	struct {
		bool warning;
		struct mm_error text;
	} all[SNAPSHOT_NOTES_MAX];
};

/* Adds a message. */
__attribute__((format(printf, 3, 4))) void snapshot_note(struct snapshot_notes *notes, bool warning,
							 const char *fmt, ...);

/* Sets @err to `snapshot: WHERE: ` and the error number's text. */
int snapshot_fail(struct mm_error *err, const char *where);

struct snapshot_result {
	char path[PATH_MAX + 512];
	bool complete;	     /* the verdict of the certificate */
	struct mm_error why; /* what else the verdict is, and why */
};

struct snapshot;

/*
 * Sets request->session to what recorder_find() selects, which is written to @name, without asking
 * the session daemon if it is in the plan: snapshot_begin() asks after the freeze. All texts are
 * kept. Returns 0, or -1 with @err set.
 */
int snapshot_select(struct snapshot_request *request, const char *session, const char *profile,
		    char *name, size_t size, struct mm_error *err);

/*
 * Freezes the buffers and copies them to memory, or has the session daemon write them. Blocks the
 * signals that end a process until snapshot_end(). Returns NULL with @err set, and nothing is left
 * in the output folder then.
 */
struct snapshot *snapshot_begin(const struct snapshot_request *request,
				struct snapshot_notes *notes, struct mm_error *err);

/*
 * The path under which the snapshot will appear, for a request with a promise. NULL: the session
 * daemon wrote the buffers, which takes most of the time, so nothing is promised.
 */
const char *snapshot_promised(const struct snapshot *snapshot);

/* How errors call a failure of the session daemon, which does not say why. */
#define SNAPSHOT_DAEMON_FULL "the session daemon could not write all, the disk may be full"

/*
 * Is there room for the traces, as far as it is known? Of use where the session daemon wrote them:
 * it does not report why it failed.
 */
bool snapshot_has_room(const struct snapshot *snapshot);

/* The most bytes that the traces take; 0: not known. */
uint64_t snapshot_bytes(const struct snapshot *snapshot);

/* The output folder: a descriptor that belongs to the snapshot. */
int snapshot_output(const struct snapshot *snapshot);

/*
 * Writes what has been frozen, adds the system information and snapshot.json, and has the folder
 * appear. Returns 0, or -1 with @err set and nothing left in the output folder after
 * snapshot_end().
 */
int snapshot_finish(struct snapshot *snapshot, struct snapshot_result *result,
		    struct snapshot_notes *notes, struct mm_error *err);

/* Removes what is unfinished, and unblocks the signals. */
void snapshot_end(struct snapshot *snapshot);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_H */
