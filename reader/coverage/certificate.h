/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The certificate of coverage of a snapshot: the time for which each stream has all of its events,
 * except for listed holes. It is a part of snapshot.json, which the recorder writes into the
 * folder:
 *
 *   { "version": 1, "reason": "text", ..., "requested_trace_ns": 1795342100000000000,
 *     "certificate": {
 *       "verdict": "complete", "why": [],
 *       "shared": { "start_ns": 1795342095000000000, "end_ns": 1795342100000200000 },
 *       "complete_since_ns": 1795342095000000000, "limited_to": [ "pid 1234" ],
 *       "streams": [ { "trace": "kernel", "file": "lttng-mm_0", "channel": "lttng-mm", "cpu": 0,
 *           "online": true, "bytes": 1048576, "packets": 4, "start_ns": 1795342095000000000,
 *           "end_ns": 1795342100000200000, "packets_lost": 0, "events_discarded": 0,
 *           "events_discarded_known": true, "holes": [] } ],
 *       "cpus_offline": [], "streams_without_packet": [] } }
 */
#ifndef LTTNG_MM_COVERAGE_CERTIFICATE_H
#define LTTNG_MM_COVERAGE_CERTIFICATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MM_SNAPSHOT_FILE "snapshot.json"
#define MM_SNAPSHOT_VERSION 1
/* Member of "checksums" which says that snapshot.json ends with a checksum of its own contents. */
#define MM_SNAPSHOT_SUMMED "snapshot_json"
/* Member of "checksums" with the checksums of the system information, keyed by file name. */
#define MM_SNAPSHOT_SYSINFO "sysinfo"

enum mm_verdict {
	/* the trace does not show whether events are missing */
	MM_VERDICT_UNDETERMINED,
	MM_VERDICT_HOLES, /* events are missing */
	/*
	 * no event is missing in the shared interval, and this interval contains the time of the
	 * request
	 */
	MM_VERDICT_COMPLETE,
};

enum mm_hole_kind {
	MM_HOLE_PAUSE,	  /* the session or the channel did not record */
	MM_HOLE_DISABLED, /* some events of the channel were disabled */
	MM_HOLE_EXCLUDED, /* trackers excluded processes or users that should have been recorded */
	MM_HOLE_PACKETS,
	MM_HOLE_DISCARDED, /* the tracer discarded events at some time within the hole */
	/* nothing shows whether the session recorded all of its events */
	MM_HOLE_GAP,
	MM_HOLE_KINDS,
};

struct mm_hole {
	int64_t start_ns, end_ns;
	enum mm_hole_kind kind;
};

/* Maximum number of holes of a stream. Further holes extend the last hole. */
#define MM_CERTIFICATE_HOLES_MAX 4096

/* All times are on the clock of the traces, in nanoseconds since the Epoch. */
struct mm_certified_stream {
	/* folder of the trace, relative to the snapshot's folder; "." for the snapshot's folder */
	char *trace;
	char *file;    /* name of the stream's first file, in the trace's folder */
	char *channel; /* NULL: not known */
	uint32_t cpu;  /* UINT32_MAX: not known */
	int online;    /* was the CPU online at the freeze? 1 or 0; -1: not known */
	uint64_t bytes, packets;
	bool covered;		  /* @start_ns and @end_ns are known */
	int64_t start_ns, end_ns; /* all events in this interval are there, except in holes */
	uint64_t packets_lost, events_discarded;
	bool events_discarded_known;
	struct mm_hole *holes; /* sorted by start */
	size_t hole_count, hole_room;
};

struct mm_certificate {
	enum mm_verdict verdict;
	char **why; /* the reasons as sentences; none if the verdict is `complete` */
	size_t why_count;
	bool has_shared;
	int64_t shared_start_ns, shared_end_ns; /* covered by every stream of the recording */
	/* no stream has a hole from @complete_since_ns to the end of the shared interval */
	bool has_complete_since;
	int64_t complete_since_ns;
	/*
	 * Trackers and filters of the recording, as phrases: "pid 1234" makes the verdict "complete
	 * for pid 1234". Empty if all events were to be recorded.
	 */
	char **limits;
	size_t limit_count;
	struct mm_certified_stream *streams;
	size_t stream_count, stream_room;
	/*
	 * Further input for the verdict. The JSON form of the certificate does not contain these
	 * members.
	 */
	int64_t requested_ns; /* the time of the request; INT64_MIN: not known */
	/* offset from the traces' clock to the wall clock, for times in sentences */
	int64_t wall_shift_ns;
	bool watched;	  /* the tracer has reported facts about every stream */
	size_t losses;	  /* number of certain reasons, including holes */
	size_t uncertain; /* number of uncertain reasons */
	/*
	 * number of uncertain reasons about streams that may be missing (see mm_missing.uncertain)
	 */
	size_t suspected;
	uint64_t uncounted; /* packets without a discarded-event count */
};

void mm_certificate_init(struct mm_certificate *certificate);
void mm_certificate_release(struct mm_certificate *certificate);

/* Adds the stream @trace/@file; its other facts are unknown. Returns NULL when out of memory. */
struct mm_certified_stream *mm_certificate_add_stream(struct mm_certificate *certificate,
						      const char *trace, const char *file);
/* Adds a hole. Returns 0, or -1 when out of memory. */
int mm_certified_stream_add_hole(struct mm_certified_stream *stream, int64_t start_ns,
				 int64_t end_ns, enum mm_hole_kind kind);
void mm_certified_stream_sort_holes(struct mm_certified_stream *stream);

/*
 * Adds a sentence that says why the verdict is not `complete`. @certain is true if events are
 * certainly missing, and false if they may be missing. Returns 0, or -1 when out of memory.
 */
__attribute__((format(printf, 3, 4))) int mm_certificate_reason(struct mm_certificate *certificate,
								bool certain, const char *fmt, ...);

/*
 * Derives the shared interval, the verdict and its reasons from the other members. Returns 0, or -1
 * when out of memory.
 */
int mm_certificate_decide(struct mm_certificate *certificate);

/* Derives the verdict again after mm_certificate_reason() has added reasons. */
void mm_certificate_judge(struct mm_certificate *certificate);

/* Adds @ns to all times. */
void mm_certificate_shift(struct mm_certificate *certificate, int64_t ns);

const char *mm_verdict_name(enum mm_verdict verdict);
/*
 * Writes the verdict and its limits to @text, of @size bytes: "complete for pid 1234, uid 1000".
 * Returns @text.
 */
const char *mm_certificate_verdict(const struct mm_certificate *certificate, char *text,
				   size_t size);
#define MM_VERDICT_TEXT 512
/* Adds a limit of the recording unless it is in the list. Returns 0, or -1 when out of memory. */
int mm_certificate_limit(struct mm_certificate *certificate, const char *limit);
const char *mm_hole_name(enum mm_hole_kind kind);

/* Returns the JSON form, or NULL when out of memory. */
json_t *mm_certificate_to_json(const struct mm_certificate *certificate);
/*
 * Parses the JSON form, which may be hostile, into the initialized @certificate. Returns 0, or -1
 * when out of memory. If @json is not a valid certificate, returns 1 and writes the reason to @why,
 * of @size bytes.
 */
int mm_certificate_from_json(const json_t *json, struct mm_certificate *certificate, char *why,
			     size_t size);

#endif /* LTTNG_MM_COVERAGE_CERTIFICATE_H */
