/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * snapshot.json in the folder of a snapshot: why and when it was taken, and what it covers. Sample:
 *
 *   { "version": 1, "reason": "tail latency", "cause": { "kind": "request" },
 *     "boot_id": "5dd5...", "method": "freeze",
 *     "checksums": { "algorithm": "crc32c", "of": "memory", "complete": true,
 *                    "snapshot_json": true },
 *     "sysinfo": { "traces.json": "8a9136aa" },
 *     "requested": { "realtime_ns": N, "monotonic_ns": N, "boottime_ns": N },
 *     "frozen": { "realtime_ns": N, "monotonic_ns": N, "boottime_ns": N },
 *     "clock": { "trace_ns": N, "realtime_ns": N },
 *     "requested_trace_ns": N, "last_ns": 10000000000, "after_ns": null,
 *     "filters": [
 *       { "session": "lttng-mm-dax", "channel": "lttng-mm", "event": "dax_*",
 *         "filter": "ino > 0" },
 *       { "session": "lttng-mm-dax", "tracker": "pid", "ids": [ 1234 ] } ],
 *     "repairs": [
 *       { "session": "lttng-mm-dax", "what": "stopped by another program", "from_ns": N,
 *         "until_ns": N } ],
 *     "notes": [ "The state could not be dumped: threads and caches ..." ],
 *     "certificate": { ... }, "crc32c": "0fd7d1b2" }
 *
 * - "crc32c": checksum of all text before this member (util/json-checksum.h). It must exist if
 *   "snapshot_json" is true. Older versions wrote neither member.
 * - "sysinfo": CRC32C of sysinfo/traces.json, which contains the checksums of the other files in
 *   that folder, so that readers detect files of another snapshot. Null without traces.json.
 *   Absent in older versions.
 * - "more_reasons": array of further reasons, if several requests share the snapshot.
 * - "filters": the filters in effect when the session daemon listed them. A rule that excludes
 *   events has "exclusions", an array of patterns, but not always a "filter".
 * - "cause": an object whose members depend on the kind (for a trigger, see below):
 *     { "kind": "request" }
 *     { "kind": "unit", "unit": "x.service" }                    the unit failed
 *     { "kind": "rescue", "what": "the session daemon ended" }   the LTTng daemons had exited
 * - "repairs": repairs by the recorder daemon (repairs.h). Between the times of a repair, nothing
 *   was recorded, or the events are in another snapshot.
 * - "checksums": each file of a trace has index/NAME.crc32c (util/checksums.h). These are separate
 *   files, because commands that list snapshots read snapshot.json, and there may be tens of
 *   thousands of packets. The method "freeze" computes checksums of the frozen buffers ("memory"),
 *   the method "lttng" of the files of the session daemon ("file"). "complete" is false if some
 *   files of the traces could not be read, and absent in older versions.
 * - "notes": sentences about missing or unusual parts of the snapshot.
 * - "clock": the same instant on two clocks. From it, readers see whether the wall clock was set
 *   after LTTng had measured the offset in the metadata. Null if unknown. The times of the
 *   certificate, and all members whose names end in "_trace_ns", are on the traces' clock as the
 *   metadata declares it.
 * - "frozen": null with the method "lttng", which copies one buffer after another.
 *
 * The cause of a snapshot that a trigger requested:
 *
 *   { "kind": "trigger", "trigger": "fallback", "on": "dax_pmd_fault_done if ...", "uid": 0,
 *     "match": { "time": { "realtime_ns": N, "monotonic_ns": N, "boottime_ns": N },
 *                "received": true, "cpu": 1, "fields": { "address": "0x1000" },
 *                "text": "the line",
 *                "matches": 12, "at_least": false } }
 *
 * All members except "kind" and "trigger" may be absent. If "received" is true, "time" is the time
 * at which the recorder received the match. "matches" counts the matches since the last snapshot. A
 * captured value is a string if the event declares the field as hexadecimal. It is "***" if it
 * might contain a kernel address, and "..." if it is a string that /etc/lttng-mm/captures does not
 * list. In that list, "$text" stands for the matching line.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_JSON_H
#define LTTNG_MM_SESSION_SNAPSHOT_JSON_H

#include <jansson.h>

#include "lttng-session/snapshot/snapshot.h"

/* The same instant on the traces' clock (as in their metadata) and on the wall clock. */
struct snapshot_clock {
	int64_t trace_ns; /* INT64_MIN: unknown */
	int64_t realtime_ns;
};

struct snapshot_facts {
	const struct snapshot_request *request;
	/* time of the freeze; NULL: the session daemon copied the buffers */
	const struct snapshot_times *frozen;
	/* time of the request on the traces' clock; INT64_MIN: unknown */
	int64_t requested_trace_ns;
	struct snapshot_clock clock;
	json_t *filters;     /* NULL: unknown */
	json_t *notes;	     /* may be NULL */
	json_t *repairs;     /* may be NULL; snapshot_json_write() takes the reference */
	json_t *certificate; /* may be NULL; snapshot_json_write() takes the reference */
	/*
	 * checksums of the system information; may be NULL; snapshot_json_write() takes the
	 * reference
	 */
	json_t *sysinfo;
	bool has_all_sums;  /* every file of the traces has checksums */
	bool has_addresses; /* the snapshot is known not to be KASLR-safe */
};

/* Writes snapshot.json to @folder. Returns 0, or -1 with @err set. */
int snapshot_json_write(int folder, const struct snapshot_facts *facts, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_JSON_H */
