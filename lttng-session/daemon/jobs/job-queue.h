/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Queues the snapshots that the recorder daemon takes, and runs a child process, the worker
 * (worker.h), for each of them. A job is one snapshot. Its states:
 *
 *   JOB_DELAYED --(--after)--> JOB_QUEUED --> JOB_TAKING --> JOB_WRITING --> JOB_LEAVING
 *                                               | ^
 *                              stage is full    v |  another snapshot has left the stage
 *                                             JOB_FULL
 *
 *   JOB_TAKING   With root's rights, the worker freezes the buffers and copies them to memory. One
 *                job at a time is in JOB_TAKING or JOB_FULL.
 *   JOB_WRITING  The worker has reported "frozen", and the next job starts. The worker assembles
 *                the snapshot in the stage, a filesystem in memory. Then it switches to the
 *                requester's rights, and copies the snapshot to the output folder.
 *   JOB_LEAVING  The worker has reported "path" or "error", and all clients have been answered.
 *                The process exits later, because closing the user's descriptor may block.
 *
 * Only workers may block. If a worker has not frozen the buffers after a minute, or writes nothing
 * for JOB_QUEUE_WRITE_US, the daemon kills it, and the job fails.
 *
 * Requests share a queued job if they come from the same user and have the same folder and options.
 * So that users cannot delay each other, job-queue.c limits how many jobs of one user wait, and how
 * many are in memory. Root and the triggers have separate limits. While jobs of several users wait,
 * two jobs of the same user do not start in a row.
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
 * Receives the answer to a request, {"path": ...} or {"error": ...}. Called once per request.
 * @client is the argument of job_queue_add().
 */
typedef void client_answer(void *client, const json_t *answer);

/*
 * Default of job_queue_limit(). A snapshot whose worker makes no progress for this long is
 * abandoned, for example because a disk hangs.
 */
#define JOB_QUEUE_WRITE_US (240 * 1000000ull)

/*
 * Creates a queue that uses the in-memory filesystem at @stage. Returns NULL if @stage cannot be
 * opened.
 */
struct job_queue *job_queue_create(sd_event *event, const char *stage, client_answer *answer);
/* Kills the workers and frees the queue. */
void job_queue_destroy(struct job_queue *queue);

/*
 * Sets the time without progress after which a worker is killed. The kill happens after at most
 * twice @write_us.
 */
void job_queue_limit(struct job_queue *queue, uint64_t write_us);
/* Lets workers inherit the lock @fd. They close it when they drop root's rights. */
void job_queue_share_lock(struct job_queue *queue, int fd);

/*
 * Queues a snapshot for @client, or for nobody if @client is NULL. Takes a reference to @request.
 *
 * The next message in the client's @socket is the request, with a descriptor of the output folder.
 * Only the worker receives this message, because closing a descriptor of another user may block. If
 * @socket is -1, the worker opens the folder by its path, with the requester's rights.
 *
 * Returns 0, or -1 with @err set. After -1, there will be no answer.
 */
int job_queue_add(struct job_queue *queue, void *client, const struct requester *requester,
		  json_t *request, int socket, struct mm_error *err);
/*
 * Queues a snapshot for the trigger @client into the recorder's folder. @request has a "cause" for
 * snapshot.json, and "cause_reveals" if the cause may contain kernel addresses.
 *
 * Calls @answer with "frozen" when the contents of the buffers are in memory, and again at the end
 * with the result, {"path": ...} or {"error": ...}. In the result, "was_frozen" is true if the
 * first call happened.
 *
 * The job is not shared with other requests, and it is completed even after job_queue_forget().
 * Returns like job_queue_add().
 */
int job_queue_add_triggered(struct job_queue *queue, void *client, client_answer *answer,
			    json_t *request, struct mm_error *err);
/* Returns the path of the stage. */
const char *job_queue_stage(const struct job_queue *queue);
/* Would job_queue_add_triggered() accept a request now? Returns 0, or -1 with @err set if not. */
int job_queue_check_triggered(const struct job_queue *queue, struct mm_error *err);
/*
 * Removes @client, which no longer waits. Drops a job that has no clients left, unless its snapshot
 * is being written. Returns true if a worker may still be receiving from the client's socket.
 */
bool job_queue_forget(struct job_queue *queue, void *client);

/* Is any job unfinished: waiting, or with a worker? */
bool job_queue_busy(const struct job_queue *queue);
/* Accepts no more requests. Queued jobs are completed; delayed jobs fail. */
void job_queue_finish(struct job_queue *queue);

/*
 * Returns an array of the last snapshots and the snapshots in progress (a new reference). For a
 * user other than root, omits the requests of other users, and sets *@others to the number of
 * omitted requests. Times are seconds since the Epoch:
 *
 *   [ { "state": "written", "requested": N, "ended": N, "uid": 0, "path": "/var/tmp/snapshot-...",
 *       "reason": "tail latency", "cause": { "kind": "trigger", "trigger": "oom" } } ]
 *
 * A snapshot that failed has an "error". Members that do not apply are absent.
 */
json_t *job_queue_list(const struct job_queue *queue, uid_t uid, size_t *others);

/*
 * Adds a snapshot of an earlier daemon. @snapshot is an element of job_queue_list() with "ended".
 */
void job_queue_recall(struct job_queue *queue, json_t *snapshot);

#endif /* LTTNG_MM_DAEMON_JOBS_JOB_QUEUE_H */
