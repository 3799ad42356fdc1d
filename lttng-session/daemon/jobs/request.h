/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Requests to the recorder daemon: what commands send and the daemon reads. One for a snapshot has
 * a descriptor of the output folder, and its answer is one of these:
 *
 *   { "request": "snapshot", "output": "/var/tmp", "folder": { "device": N, "inode": N },
 *     "requested": { "realtime_ns": N, "monotonic_ns": N, "boottime_ns": N },
 *     "options": { "session": "numbers", "profile": "slab", "name": "snapshot", "reason": "text",
 *                  "method": 0, "access": 0, "last_ns": N, "after_ns": N, "pin": false,
 *                  "no_wait": false },
 *     "cause": { "kind": "unit", "unit": "x.service" } }     root's only; absent: it is a request
 *
 *   { "path": "/var/tmp/snapshot-20261123-093000-0", "complete": true, "why": "",
 *     "notes": [ { "warning": false, "text": "..." } ] }
 *   { "error": "snapshot: ...", "code": 4, "unable": true }
 *
 * "unable" says that the daemon has no process, memory or room for it: root's client takes the
 * snapshot itself then.
 *
 * One for the status, and its answer; "rates" only if it requests them, as rates_json() makes them,
 * or null with "rates_why", and with them "stopped_functions", as fn_stopped() returns them, if
 * they are known:
 *
 *   { "request": "status", "rates": true }
 *
 *   { "version": "0.1.0", "pid": 4711, "since": N, "snapshots": [ { "state": "written", ... } ],
 *     "rates": { ... }, "stopped_functions": { ... } }
 */
#ifndef LTTNG_MM_DAEMON_JOBS_REQUEST_H
#define LTTNG_MM_DAEMON_JOBS_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

#include "lttng-session/snapshot/snapshot.h"
#include "util/error.h"

/* A member of a request that is shared: the reasons of the others, which the daemon adds. */
#define REQUEST_MORE_REASONS "more_reasons"

/* What a command requests. Strings belong to the caller, or to the message that was read. */
struct request_snapshot {
	struct snapshot_request snapshot; /* without the session that request.session selects */
	const char *session, *profile;	  /* NULL: the only one */
	bool no_wait; /* answer when the contents of the buffers are in memory, before the state */
};

/*
 * Sends @json, and the descriptor @fd unless it is negative, to the recorder daemon, and waits for
 * its answer, however long that takes, as long as the daemon answers others. Returns 0, and the
 * answer in *@answer, to be released; 1: no daemon is running, or none for this user; -1 with @err
 * set: it refused, it ended, or it does not answer.
 */
int request_send(const json_t *json, int fd, json_t **answer, struct mm_error *err);

/*
 * Requests the daemon's status, with rates measured by it or without, and waits for at most
 * @timeout_ms to connect and as long again for the answer (ETIMEDOUT). Returns as request_send().
 */
int request_status(bool rates, unsigned int timeout_ms, json_t **answer, struct mm_error *err);

/*
 * Requests a snapshot, with the rights of this process. Returns as request_send(); for root, who
 * can take it without the daemon, 1 with @err set if the daemon does not answer, or is unable.
 */
int request_snapshot(const struct request_snapshot *request, json_t **answer, struct mm_error *err);

/*
 * Has a daemon that `record` started end, unless @only_ask. Returns 0: it ends, and repairs
 * nothing any more, or there is none; -1: there is one that does not.
 */
int request_end(bool only_ask);

/* Reads what request_snapshot() sent; the output folder and the session are left out. */
void request_read(const json_t *json, struct request_snapshot *request);
/* May the daemon carry it out? Returns 0, or -1 with @err set. */
int request_check(const json_t *json, struct mm_error *err);

/* Appends messages to the array @notes of an answer. */
void request_add_notes(json_t *notes, const struct snapshot_notes *from);

#endif /* LTTNG_MM_DAEMON_JOBS_REQUEST_H */
