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
 *       { "session": "lttng-mm-dax", "channel": "lttng-mm", "event": "dax_*", "filter": "ino > 0" },
 *       { "session": "lttng-mm-dax", "tracker": "pid", "ids": [ 1234 ] } ],
 *     "repairs": [
 *       { "session": "lttng-mm-dax", "what": "stopped by another program", "from_ns": N,
 *         "until_ns": N } ],
 *     "notes": [ "The state could not be dumped: threads and caches ..." ],
 *     "certificate": { ... }, "crc32c": "0fd7d1b2" }
 *
 * "crc32c" is a checksum of all text before it (util/json-checksum.h), and "snapshot_json" says that it
 * must be there. "sysinfo" has the CRC32C of sysinfo/traces.json, which has those of the other files of
 * that folder: system information of another snapshot is recognized. It is null if there is no such
 * file. Older versions wrote none of these.
 *
 * "more_reasons" is an array of further reasons, where several requests share the snapshot.
 *
 * "filters" are those in effect when the session daemon was asked. A rule that selects all events of a
 * name but some has "exclusions", an array of patterns, and may have no filter.
 *
 * "cause" may have other members, which depend on its kind: of a unit that failed, { "kind": "unit",
 * "unit": "x.service" }; of a rescue, when the LTTng daemons had ended, { "kind": "rescue", "what":
 * "the session daemon ended" }.
 *
 * "repairs" are those of the recorder daemon (repairs.h): in these times, nothing was recorded, or it
 * is in another snapshot.
 *
 * "checksums": each trace has index/NAME.crc32c for each file (util/checksums.h). Those of packets
 * are in files of their own because commands that list snapshots read snapshot.json, and there may
 * be tens of thousands of packets. With the method "freeze", they were computed from the frozen
 * buffers ("memory"), otherwise from what the session daemon had written ("file"). "complete" is
 * false if some of these files could not be read, and have none. Older versions did not write it.
 *
 * "notes" are sentences: what of the snapshot is missing, or is not as usual.
 *
 * The cause of a snapshot that a trigger requested; all but the kind and the name may be missing,
 * and a captured value is "***" if it might contain a kernel address, "..." if it is a string that is
 * not listed in /etc/lttng-mm/captures (as "$text" the line that matched), and a text if the event declares it as hexadecimal:
 *
 *   { "kind": "trigger", "trigger": "fallback", "on": "dax_pmd_fault_done if ...", "uid": 0,
 *     "match": { "time": { "realtime_ns": N, "monotonic_ns": N, "boottime_ns": N },
 *                "received": true, "cpu": 1, "fields": { "address": "0x1000" },
 *                "text": "the line",
 *                "matches": 12, "at_least": false } }
 *
 * "received": the time is when the match was received. "matches": since the last snapshot.
 *
 * "clock" has one instant by two clocks, so readers notice if the wall clock was set after LTTng had
 * measured the offset in the metadata; null if that is not known. All "..._trace_ns", and the times
 * of the certificate, are by the traces' clock as the metadata declares it.
 *
 * "frozen" is null with the method "lttng": the buffers were copied one after another.
 */
#ifndef LTTNG_MM_SESSION_SNAPSHOT_JSON_H
#define LTTNG_MM_SESSION_SNAPSHOT_JSON_H

#include <jansson.h>

#include "lttng-session/snapshot/snapshot.h"

/* One instant by the clock of the traces, as their metadata declares it, and by the wall clock. */
struct snapshot_clock {
	int64_t trace_ns; /* INT64_MIN: not known */
	int64_t realtime_ns;
};

struct snapshot_facts {
	const struct snapshot_request *request;
	const struct snapshot_times *frozen; /* NULL: the session daemon copied the buffers */
	int64_t requested_trace_ns;	     /* INT64_MIN: not known */
	struct snapshot_clock clock;
	json_t *filters;     /* NULL: not known */
	json_t *notes;	     /* NULL: none */
	json_t *repairs;     /* NULL: none; a reference that is taken over */
	json_t *certificate; /* the same */
	json_t *sysinfo;     /* checksums of system information; the same */
	bool has_all_sums;   /* every file of the traces has checksums */
	bool has_addresses;  /* the snapshot is known not to be KASLR-safe */
};

/* Writes the file to @folder. Returns 0, or -1 with @err set. */
int snapshot_json_write(int folder, const struct snapshot_facts *facts, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SNAPSHOT_JSON_H */
