/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Requests to the recorder daemon, and their answers. The request for a snapshot comes with a
 * descriptor of the output folder:
 *
 *   { "request": "snapshot", "output": "/var/tmp", "folder": { "device": N, "inode": N },
 *     "requested": { "realtime_ns": N, "monotonic_ns": N, "boottime_ns": N },
 *     "options": { "session": "numbers", "profile": "slab", "name": "snapshot", "reason": "text",
 *                  "method": 0, "access": 0, "last_ns": N, "after_ns": N, "pin": false,
 *                  "no_wait": false },
 *     "cause": { "kind": "unit", "unit": "x.service" } }     only from root; may be absent
 *
 *   { "path": "/var/tmp/snapshot-20261123-093000-0", "complete": true, "why": "",
 *     "notes": [ { "warning": false, "text": "..." } ] }
 *   { "error": "snapshot: ...", "code": 4, "unable": true }
 *
 * "unable" means that the daemon lacks a process, memory or room. A client of root then takes the
 * snapshot itself.
 *
 * A request for the status, and its answer. If the request asks for rates, the answer has "rates"
 * (from rates_json(), or null with a "rates_why") and "stopped_functions" (from fn_stopped(), if
 * known). Both are absent if the daemon is busy with other such requests.
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

/* If requests share a job, the daemon adds the reasons of the later requests in this member. */
#define REQUEST_MORE_REASONS "more_reasons"

/*
 * A request for a snapshot. The strings belong to the caller of request_snapshot(), or to the
 * message that request_read() has read.
 */
struct request_snapshot {
	struct snapshot_request snapshot; /* the member @session is not used */
	const char *session, *profile;	  /* select the recorder; both NULL: the only recorder */
	/* answer as soon as the contents of the buffers are in memory, before the state dump */
	bool no_wait;
};

/*
 * Sends @json to the recorder daemon, with the descriptor @fd unless it is negative. Waits for the
 * answer, and asks for the daemon's status meanwhile to check that the daemon still responds.
 * Returns 0 with the answer in *@answer (a new reference). Returns 1 if no daemon is running or
 * this user may not connect. Returns -1 with @err set if the daemon refused, ended or does not
 * respond.
 */
int request_send(const json_t *json, int fd, json_t **answer, struct mm_error *err);

/*
 * Requests the daemon's status, including rates if @rates. Waits up to @timeout_ms for the
 * connection, and up to @timeout_ms for the answer. Returns like request_send().
 */
int request_status(bool rates, unsigned int timeout_ms, json_t **answer, struct mm_error *err);

/*
 * Requests a snapshot. This process opens the output folder. Returns like request_send(), with one
 * difference: root can take the snapshot without the daemon, so for root, returns 1 with @err set
 * if the daemon does not respond or answers "unable".
 */
int request_snapshot(const struct request_snapshot *request, json_t **answer, struct mm_error *err);

/*
 * Asks the daemon to end, if `record` started it. With @only_ask, only checks whether a daemon is
 * running. Returns 0 if no daemon is running, or if the daemon ends and has stopped repairing
 * sessions. Otherwise returns -1.
 */
int request_end(bool only_ask);

/* Parses the JSON that request_snapshot() sends, except for the output folder. */
void request_read(const json_t *json, struct request_snapshot *request);
/* Checks the name of the snapshot and the output path. Returns 0, or -1 with @err set. */
int request_check(const json_t *json, struct mm_error *err);

/* Appends the notes @from to the array @notes of an answer. */
void request_add_notes(json_t *notes, const struct snapshot_notes *from);

#endif /* LTTNG_MM_DAEMON_JOBS_REQUEST_H */
