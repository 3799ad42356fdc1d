/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Deletes old snapshots in the folder of a recorder, as its limits require (keep.h): whole ones,
 * the oldest first. A snapshot is a folder with a valid snapshot.json, both of this user. One is
 * kept if it has a file `pin`; it counts all the same. A lock (flock()) of a reader delays its
 * deletion for some minutes.
 *
 * Each snapshot has an owner: the user whose trigger requested it, root, or rescues. The number of
 * snapshots is limited for each owner. Bytes are limited for all owners together. To meet such a
 * limit, a new snapshot replaces the oldest snapshot of the owner whose snapshots take the most
 * space, within these limits:
 *
 * - It never replaces the only snapshot of another owner. Those of root and rescues replace a
 *   user's only one, but replace others first.
 * - A user's snapshot never replaces a rescue. It replaces root's snapshots only while these take
 *   more than half of the space of all snapshots, and only for a limit of the recorder.
 * - A snapshot of root replaces rescues only if no other snapshot can be replaced.
 */
#ifndef LTTNG_MM_SESSION_RETENTION_H
#define LTTNG_MM_SESSION_RETENTION_H

#include <jansson.h>
#include <stdint.h>

#include "lttng-session/recorder/keep.h"
#include "util/error.h"

/* In a snapshot, of any type: it is kept. */
#define RETENTION_PIN "pin"

/*
 * Is called with a message, and @snapshot, the path of what was deleted, or NULL if a limit cannot
 * be met.
 */
typedef void retention_said(const char *message, const char *snapshot, void *user);

/* The owner of a snapshot: the user whose trigger requested it, or one of these. */
#define RETENTION_ROOT INT64_C(0)
#define RETENTION_RESCUES INT64_C(-1)

/* Limits of snapshots that users' triggers request, where the recorder has none. */
#define RETENTION_USER_KEEP 50
#define RETENTION_USER_FREE_PERCENT 10
/* For how long readers delay a deletion. */
#define RETENTION_LOCK_S 300

/* Returns the owner of a snapshot with this member "cause" of snapshot.json; NULL: none. */
int64_t retention_owner(const json_t *cause);

struct retention {
	int64_t owner;	  /* of the new snapshot */
	int folder;	  /* of the recorder; only this user can change it */
	const char *path; /* of that folder, for messages */
	const struct keep *keep;
	retention_said *said; /* NULL: not of interest */
	void *user;
};

/*
 * Before a snapshot of @bytes is written, makes room for it: deletes others until it leaves free
 * what is to stay free. Returns 0, or -1 with @err set if that is not possible.
 */
int retention_make_room(const struct retention *retention, uint64_t bytes, struct mm_error *err);

/* After the snapshot @newest (a name, or NULL) was written: deletes others until limits are met. */
void retention_apply(const struct retention *retention, const char *newest);

/*
 * Reads snapshot.json in the folder of a snapshot, which may contain anything, if it is a file of
 * this user. Returns a new reference, or NULL: there is no valid one.
 */
json_t *retention_read_json(int folder);

/* The bytes that a folder takes on the disk, with all that is in it. */
uint64_t retention_bytes(int folder);

#endif /* LTTNG_MM_SESSION_RETENTION_H */
