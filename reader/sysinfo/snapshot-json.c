// SPDX-License-Identifier: LGPL-2.1-only
/* Parses snapshot.json, verifies its checksum, and compares its times. */
#include "reader/sysinfo/snapshot-json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "util/json-checksum.h"
#include "util/json-file.h"

/* LTTng measures the clock offset with an error of microseconds, so a smaller offset is ignored. */
#define CLOCK_ERROR_NS 1000000
/*
 * Older recorders read the clocks one after another at the time of the request, so their offset is
 * less exact.
 */
#define OLD_CLOCK_ERROR_NS 1000000000
/* Maximum offset; a larger offset is ignored as wrong. */
#define CLOCK_MAX_NS (INT64_C(1) << 62)

static bool get_ns(const json_t *json, const char *object, const char *key, int64_t *ns)
{
	const json_t *value = json_object_get(object ? json_object_get(json, object) : json, key);

	*ns = json_integer_value(value);
	return json_is_integer(value);
}

int64_t mm_snapshot_clock_shift(const struct mm_snapshot *snapshot)
{
	int64_t trace_ns, realtime_ns, shift_ns, error_ns = CLOCK_ERROR_NS;
	const json_t *json = snapshot->json;

	if (snapshot->clock_wrong || snapshot->damaged)
		return 0;
	if (!get_ns(json, "clock", "trace_ns", &trace_ns) ||
	    !get_ns(json, "clock", "realtime_ns", &realtime_ns)) {
		if (!get_ns(json, NULL, "requested_trace_ns", &trace_ns) ||
		    !get_ns(json, "requested", "realtime_ns", &realtime_ns))
			return 0;
		error_ns = OLD_CLOCK_ERROR_NS;
	}
	if (__builtin_sub_overflow(realtime_ns, trace_ns, &shift_ns) ||
	    (shift_ns < error_ns && shift_ns > -error_ns) || shift_ns > CLOCK_MAX_NS ||
	    shift_ns < -CLOCK_MAX_NS)
		return 0;
	return shift_ns;
}

/*
 * Returns the latest end of a certified stream, ignoring streams of state dumps. INT64_MIN: there
 * is no such stream.
 */
static int64_t last_end(const struct mm_certificate *certificate)
{
	int64_t end_ns = INT64_MIN;

	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];

		if (stream->covered && !mm_trace_is_state(stream->trace) && stream->end_ns > end_ns)
			end_ns = stream->end_ns;
	}
	return end_ns;
}

/* Writes by how much @a_ns is later than @b_ns: "0.030000000 s later". */
#define LATER_TEXT 64

static const char *later(char text[LATER_TEXT], int64_t a_ns, int64_t b_ns)
{
	const bool is_later = a_ns > b_ns;
	const uint64_t ns =
		is_later ? (uint64_t)a_ns - (uint64_t)b_ns : (uint64_t)b_ns - (uint64_t)a_ns;

	snprintf(text, LATER_TEXT, "%.9f s %s", (double)ns / 1e9, is_later ? "later" : "earlier");
	return text;
}

/* Sets the contradiction. Returns 0, or -1 when out of memory. */
__attribute__((format(printf, 3, 4))) static int contradict(struct mm_snapshot *snapshot,
							    bool clock_wrong, const char *fmt, ...)
{
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vasprintf(&snapshot->contradiction, fmt, args);
	va_end(args);
	snapshot->clock_wrong = clock_wrong;
	if (ret < 0)
		snapshot->contradiction = NULL;
	return ret < 0 ? -1 : 0;
}

struct snapshot_json_times {
	int64_t trace, realtime;		   /* "clock" */
	int64_t frozen_realtime, frozen_monotonic; /* "frozen" */
	int64_t requested_trace, requested_monotonic;
	bool has_clock, is_frozen, has_request;
};

static void read_times(const json_t *json, struct snapshot_json_times *times)
{
	*times = (struct snapshot_json_times){ 0 };
	times->has_clock = get_ns(json, "clock", "trace_ns", &times->trace) &&
			   get_ns(json, "clock", "realtime_ns", &times->realtime);
	times->is_frozen = get_ns(json, "frozen", "realtime_ns", &times->frozen_realtime) &&
			   get_ns(json, "frozen", "monotonic_ns", &times->frozen_monotonic);
	times->has_request = get_ns(json, NULL, "requested_trace_ns", &times->requested_trace) &&
			     get_ns(json, "requested", "monotonic_ns", &times->requested_monotonic);
}

/*
 * The traces' clock and CLOCK_MONOTONIC must agree on the time between request and freeze. If they
 * do not, but "clock" is the end of the certificate (the time of the freeze), only the time of the
 * request may be wrong.
 */
static int check_request(struct mm_snapshot *snapshot, const struct snapshot_json_times *times)
{
	const int64_t expected_ns =
		(int64_t)((uint64_t)times->requested_trace + (uint64_t)times->frozen_monotonic -
			  (uint64_t)times->requested_monotonic);
	char text[LATER_TEXT];

	if (times->trace == expected_ns)
		return 0;
	if (last_end(&snapshot->certificate) == times->trace)
		return contradict(
			snapshot, false,
			"the time of the request may be wrong: according to \"requested_trace_ns\", the freeze was %s than according to \"clock\"",
			later(text, expected_ns, times->trace));
	return contradict(
		snapshot, true,
		"times may be wrong: according to \"clock\", the freeze was %s than according to \"requested_trace_ns\"",
		later(text, times->trace, expected_ns));
}

/*
 * Checks the times. At a freeze, the recorder reads "clock" and "frozen" at once, so both have the
 * same wall-clock time, and no stream ends after "clock". If there was no freeze, the recorder
 * reads "clock" after the request. Returns 0, or -1 when out of memory.
 */
static int check_times(struct mm_snapshot *snapshot)
{
	const int64_t end_ns = last_end(&snapshot->certificate);
	char text[LATER_TEXT];
	struct snapshot_json_times times;

	read_times(snapshot->json, &times);
	if (!times.has_clock)
		return 0;
	if (!times.is_frozen && times.has_request && times.trace < times.requested_trace)
		return contradict(snapshot, true,
				  "times may be wrong: \"clock\" is %s than \"requested_trace_ns\"",
				  later(text, times.trace, times.requested_trace));
	if (!times.is_frozen)
		return 0;
	if (times.realtime != times.frozen_realtime)
		return contradict(
			snapshot, true,
			"times may be wrong: according to \"clock\", the wall clock at the freeze was %s than according to \"frozen\"",
			later(text, times.realtime, times.frozen_realtime));
	if (times.trace < end_ns)
		return contradict(
			snapshot, true,
			"times may be wrong: according to \"clock\", the freeze was %s than the end of a stream",
			later(text, times.trace, end_ns));
	return times.has_request ? check_request(snapshot, &times) : 0;
}

/*
 * Is the file's checksum wrong? Or is the checksum missing, although the contents say that there is
 * one?
 */
static bool is_changed(const json_t *json, const char *text, size_t length)
{
	const json_t *checksums = json_object_get(json, "checksums");
	const enum mm_json_checksum result = mm_json_checksum_check(text, length);

	if (result != MM_JSON_CHECKSUM_NONE)
		return result == MM_JSON_CHECKSUM_DIFFERS;
	return json_object_get(json, MM_JSON_CHECKSUM) ||
	       json_is_true(json_object_get(checksums, MM_SNAPSHOT_SUMMED));
}

/*
 * Reads the version and the certificate. Clears snapshot->damaged if the file is intact. The return
 * values are those of mm_snapshot_load().
 */
static int read_certificate(struct mm_snapshot *snapshot, char *why, size_t size)
{
	const json_t *certificate = json_object_get(snapshot->json, "certificate");
	const json_t *version = json_object_get(snapshot->json, "version");
	int64_t requested_ns;
	int ret;

	if (!json_is_integer(version)) {
		snprintf(why, size, "damaged: \"version\" is not an integer");
		return 0;
	}
	if (json_integer_value(version) != MM_SNAPSHOT_VERSION) {
		snprintf(why, size,
			 "version %" JSON_INTEGER_FORMAT " is not known, only version %d",
			 json_integer_value(version), MM_SNAPSHOT_VERSION);
		snapshot->damaged = false;
		return 0;
	}
	if (!certificate) {
		snprintf(why, size, "it has no certificate of coverage");
		snapshot->damaged = false;
		return 0;
	}
	ret = mm_certificate_from_json(certificate, &snapshot->certificate, why, size);
	if (ret)
		return ret < 0 ? -1 : 0;
	snapshot->damaged = false;
	if (get_ns(snapshot->json, NULL, "requested_trace_ns", &requested_ns))
		snapshot->certificate.requested_ns = requested_ns;
	return check_times(snapshot) ? -1 : 1;
}

int mm_snapshot_load(const char *folder, struct mm_snapshot *snapshot, char *why, size_t size)
{
	char *path, *text = NULL;
	bool changed = false;
	size_t length;
	int ret;

	*snapshot = (struct mm_snapshot){ NULL };
	mm_certificate_init(&snapshot->certificate);
	*why = '\0';
	if (asprintf(&path, "%s/" MM_SNAPSHOT_FILE, folder) < 0)
		return -1;
	ret = mm_json_load_text(path, &snapshot->json, &text, &length, why, size);
	free(path);
	snapshot->damaged = *why;
	if (!ret && snapshot->json)
		changed = is_changed(snapshot->json, text, length);
	free(text);
	if (ret || !snapshot->json)
		return ret;
	snapshot->damaged = true;
	if (changed) {
		snprintf(why, size, "damaged: its checksum does not match its text");
		return 0;
	}
	return read_certificate(snapshot, why, size);
}

void mm_snapshot_release(struct mm_snapshot *snapshot)
{
	json_decref(snapshot->json);
	snapshot->json = NULL;
	mm_certificate_release(&snapshot->certificate);
	free(snapshot->contradiction);
	snapshot->contradiction = NULL;
}
