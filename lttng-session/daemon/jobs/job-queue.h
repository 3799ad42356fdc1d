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
#ifndef LTTNG_MM_DAEMON_JOBS_JOB_QUEUE_H
#define LTTNG_MM_DAEMON_JOBS_JOB_QUEUE_H

#include <jansson.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/jobs/requester.h"
#include "util/error.h"

struct job_queue;

/*
 * Gets an answer to a request: {"path": …} or {"error": …}. @client is what was given to job_queue_add().
 * Called once per request.
 */
typedef void client_answer(void *client, const json_t *answer);

/* If job_queue_limit() is not called. A disk that hangs longer is given up. */
#define JOB_QUEUE_WRITE_US (240 * 1000000ull)

/* @stage: a folder in memory. Returns NULL if out of memory. */
struct job_queue *job_queue_create(sd_event *event, const char *stage, client_answer *answer);
/* Ends the processes that write snapshots. */
void job_queue_destroy(struct job_queue *queue);

/* Ends processes that write nothing for so long, or for up to twice that. */
void job_queue_limit(struct job_queue *queue, uint64_t write_us);
/* The processes keep @fd, a lock, for as long as they have root's rights. */
void job_queue_share_lock(struct job_queue *queue, int fd);

/*
 * Takes a snapshot for @client; NULL: nobody waits for it. Keeps @request. The next message of
 * @socket, the client's, is the request with the descriptor of the output folder, which only the
 * process receives that takes the snapshot: closing another user's descriptor may block. -1: the
 * process opens the folder by its path, with the requester's rights. Returns 0, or -1 with @err
 * set: there will be no answer.
 */
int job_queue_add(struct job_queue *queue, void *client, const struct requester *requester,
		  json_t *request, int socket, struct mm_error *err);
/*
 * Takes a snapshot for the trigger @client into the recorder's folder. @request has a "cause" for
 * snapshot.json, and "cause_reveals" if that may contain kernel addresses. @answer may be called
 * twice: with a message with "frozen" when the contents of the buffers are in memory, and in the
 * end with an answer as that of job_queue_add(), whose "was_frozen" says whether that message was sent.
 * It shares no snapshot of others, and is completed even
 * if job_queue_forget() is called. Returns as job_queue_add().
 */
int job_queue_add_triggered(struct job_queue *queue, void *client, client_answer *answer,
			    json_t *request, struct mm_error *err);
/* The folder in memory. */
const char *job_queue_stage(const struct job_queue *queue);
/* Would it be taken? Returns 0, or -1 with @err set. */
int job_queue_check_triggered(const struct job_queue *queue, struct mm_error *err);
/*
 * @client no longer waits. What nobody waits for any more is not taken; what is being written is
 * completed. Returns whether a process may be receiving from the client's socket.
 */
bool job_queue_forget(struct job_queue *queue, void *client);

/* Are snapshots being taken or written, or waiting for that? */
bool job_queue_busy(const struct job_queue *queue);
/*
 * Accepts no more requests. The ones that wait are answered; those for a later time, by an error.
 */
void job_queue_finish(struct job_queue *queue);

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
json_t *job_queue_list(const struct job_queue *queue, uid_t uid, size_t *others);

/*
 * Adds a snapshot of an earlier daemon, an element of such an array with the time "ended", to the
 * last ones.
 */
void job_queue_recall(struct job_queue *queue, json_t *snapshot);

#endif /* LTTNG_MM_DAEMON_JOBS_JOB_QUEUE_H */
