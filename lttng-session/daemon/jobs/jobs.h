/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The snapshots that the recorder daemon is to take. Requests that arrive while another snapshot is
 * being taken share the next one, if they are for the same folder, by the same user, and for the
 * same time.
 *
 * Users cannot delay each other: each has a number of snapshots that may wait, and that may be
 * written; root's have numbers of their own, and so have triggers. A process that makes no progress
 * is ended.
 */
#ifndef LTTNG_MM_DAEMON_JOBS_JOBS_H
#define LTTNG_MM_DAEMON_JOBS_JOBS_H

#include <jansson.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/jobs/requester.h"
#include "util/error.h"

struct jobs;

/*
 * Gets an answer to a request: {"path": …} or {"error": …}. @client is what was given to jobs_add().
 * Called once per request.
 */
typedef void jobs_answer(void *client, const json_t *answer);

/* If jobs_limit() is not called. A disk that hangs longer is given up. */
#define JOBS_WRITE_US (240 * 1000000ull)

/* @stage: a folder in memory. Returns NULL if out of memory. */
struct jobs *jobs_create(sd_event *event, const char *stage, jobs_answer *answer);
/* Ends the processes that write snapshots. */
void jobs_destroy(struct jobs *jobs);

/* Ends processes that write nothing for so long, or for up to twice that. */
void jobs_limit(struct jobs *jobs, uint64_t write_us);
/* The processes keep @fd, a lock, for as long as they have root's rights. */
void jobs_hold(struct jobs *jobs, int fd);

/*
 * Takes a snapshot for @client; NULL: nobody waits for it. Keeps @request. The next message of
 * @socket, the client's, is the request with the descriptor of the output folder, which only the
 * process receives that takes the snapshot: closing another user's descriptor may block. -1: the
 * process opens the folder by its path, with the requester's rights. Returns 0, or -1 with @err
 * set: there will be no answer.
 */
int jobs_add(struct jobs *jobs, void *client, const struct requester *requester, json_t *request,
	     int socket, struct mm_error *err);
/*
 * Takes a snapshot for the trigger @client into the recorder's folder. @request has a "cause" for
 * snapshot.json, and "cause_reveals" if that may contain kernel addresses. @answer may be called
 * twice: with a message with "frozen" when the contents of the buffers are in memory, and in the
 * end with an answer as that of jobs_add(), whose "was_frozen" says whether that message was sent.
 * It shares no snapshot of others, and is completed even
 * if jobs_forget() is called. Returns as jobs_add().
 */
int jobs_add_triggered(struct jobs *jobs, void *client, jobs_answer *answer, json_t *request,
		       struct mm_error *err);
/* The folder in memory. */
const char *jobs_stage(const struct jobs *jobs);
/* Would it be taken? Returns 0, or -1 with @err set. */
int jobs_check_triggered(const struct jobs *jobs, struct mm_error *err);
/*
 * @client no longer waits. What nobody waits for any more is not taken; what is being written is
 * completed. Returns whether a process may be receiving from the client's socket.
 */
bool jobs_forget(struct jobs *jobs, void *client);

/* Are snapshots being taken or written, or waiting for that? */
bool jobs_busy(const struct jobs *jobs);
/*
 * Accepts no more requests. The ones that wait are answered; those for a later time, by an error.
 */
void jobs_finish(struct jobs *jobs);

/*
 * The snapshots in progress and the last ones, as an array; a new reference. Only root sees the
 * requests of other users; *@others is the number that is left out. Times are seconds since the
 * Epoch:
 *
 *   [ { "state": "written", "requested": N, "ended": N, "uid": 0, "path": "/var/tmp/snapshot-...",
 *       "reason": "tail latency", "cause": { "kind": "trigger", "trigger": "oom" } } ]
 *
 * One that failed has an "error". What does not apply is missing.
 */
json_t *jobs_list(const struct jobs *jobs, uid_t uid, size_t *others);

/*
 * Adds a snapshot of an earlier daemon, an element of such an array with the time "ended", to the
 * last ones.
 */
void jobs_recall(struct jobs *jobs, json_t *snapshot);

#endif /* LTTNG_MM_DAEMON_JOBS_JOBS_H */
