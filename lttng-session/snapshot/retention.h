/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Deletes old snapshots in the folder of a recorder to meet its limits (plan-limits.h). Deletes
 * whole snapshots, the oldest first. A snapshot is a folder with a valid snapshot.json, if this
 * user owns both. A snapshot with a file `pin` is never deleted, but counts towards the limits. A
 * reader's lock (flock()) delays the deletion for some minutes.
 *
 * Each snapshot has an owner: the user whose trigger requested it, root, or rescues. (A rescue is a
 * snapshot that the recorder daemon takes, without a request, of buffers that would otherwise be
 * lost.) The number of snapshots is limited per owner, and the bytes for all owners together. To
 * meet a limit on bytes, a new snapshot replaces the oldest snapshot of the owner whose snapshots
 * use the most space, with these restrictions:
 *
 * - It never replaces another owner's only snapshot, with two exceptions. A rescue replaces a
 *   user's only snapshot if no other snapshot can be replaced. A snapshot of root replaces a
 *   user's only snapshot if all other snapshots that can be replaced are rescues.
 * - A user's snapshot never replaces a rescue. It replaces root's snapshots only while these use
 *   more than half of the space of all snapshots. It does not do so to meet a default limit.
 * - A snapshot of root replaces rescues only if no other snapshot can be replaced.
 */
#ifndef LTTNG_MM_SESSION_RETENTION_H
#define LTTNG_MM_SESSION_RETENTION_H

#include <jansson.h>
#include <stdint.h>

#include "lttng-session/recorder/plan-limits.h"
#include "util/error.h"

/* A snapshot with an entry of this name, of any type, is never deleted. */
#define RETENTION_PIN "pin"

/*
 * Receives a message about the deletion of @snapshot, a path. If @snapshot is NULL, the message
 * states that a limit cannot be met.
 */
typedef void retention_said(const char *message, const char *snapshot, void *user);

/* Special owners. A snapshot that a user's trigger requested has the user's ID as its owner. */
#define RETENTION_ROOT INT64_C(0)
#define RETENTION_RESCUES INT64_C(-1)

/* Limits on snapshots of users' triggers if the recorder has no limits. */
#define RETENTION_USER_COUNT 50
#define RETENTION_USER_FREE_PERCENT 10
/* Maximum number of seconds for which a reader can delay a deletion. */
#define RETENTION_LOCK_S 300

/* Returns the owner of a snapshot whose snapshot.json has this "cause". @cause may be NULL. */
int64_t retention_owner(const json_t *cause);

struct retention {
	int64_t owner;	  /* owner of the new snapshot */
	int folder;	  /* the recorder's folder, which only this user can change */
	const char *path; /* path of the folder, for messages */
	const struct retention_limits *limits;
	retention_said *said; /* may be NULL */
	void *user;
};

/*
 * Makes room for a snapshot of @bytes before it is written. Deletes other snapshots until enough
 * space is free. Returns 0, or -1 with @err set if that is impossible.
 */
int retention_make_room(const struct retention *retention, uint64_t bytes, struct mm_error *err);

/*
 * Applies the limits after a snapshot was written. @newest is the name of that snapshot, which is
 * never deleted; it may be NULL.
 */
void retention_apply(const struct retention *retention, const char *newest);

/*
 * Reads snapshot.json from a snapshot's folder, if this user owns the file. Its contents are
 * untrusted. Returns a new reference, or NULL if it is not valid.
 */
json_t *retention_read_json(int folder);

/* Returns the disk space used by the contents of a folder. */
uint64_t retention_bytes(int folder);

#endif /* LTTNG_MM_SESSION_RETENTION_H */
