// SPDX-License-Identifier: LGPL-2.1-only
/* Decides the verdict of a certificate of coverage, and puts its reasons into sentences. */
#include "reader/coverage/certificate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "util/hash.h"
#include "util/text.h"
#include "util/plural.h"
#include "util/time.h"

/*
 * Maximum number of stored reasons of each kind (certain, uncertain). Further reasons are only
 * counted.
 */
#define REASONS_MAX 16

void mm_certificate_init(struct mm_certificate *certificate)
{
	*certificate = (struct mm_certificate){ .requested_ns = INT64_MIN };
}

void mm_certificate_release(struct mm_certificate *certificate)
{
	for (size_t i = 0; i < certificate->stream_count; i++) {
		struct mm_certified_stream *stream = &certificate->streams[i];

		free(stream->trace);
		free(stream->file);
		free(stream->channel);
		free(stream->holes);
	}
	free(certificate->streams);
	mm_strings_release(certificate->why, certificate->why_count);
	mm_strings_release(certificate->limits, certificate->limit_count);
	mm_certificate_init(certificate);
}

struct mm_certified_stream *mm_certificate_add_stream(struct mm_certificate *certificate,
						      const char *trace, const char *file)
{
	struct mm_certified_stream *grown =
		mm_array_grow(certificate->streams, certificate->stream_count,
			      &certificate->stream_room, sizeof(*grown));

	if (!grown)
		return NULL;
	certificate->streams = grown;
	grown += certificate->stream_count++;
	*grown = (struct mm_certified_stream){
		.trace = strdup(trace), .file = strdup(file), .cpu = UINT32_MAX, .online = -1
	};
	return grown->trace && grown->file ? grown : NULL;
}

int mm_certified_stream_add_hole(struct mm_certified_stream *stream, int64_t start_ns,
				 int64_t end_ns, enum mm_hole_kind kind)
{
	struct mm_hole *grown;

	if (stream->hole_count == MM_CERTIFICATE_HOLES_MAX) {
		struct mm_hole *last = &stream->holes[MM_CERTIFICATE_HOLES_MAX - 1];

		if (start_ns < last->start_ns)
			last->start_ns = start_ns;
		if (end_ns > last->end_ns)
			last->end_ns = end_ns;
		/*
		 * Only a gap (MM_HOLE_GAP) leaves open whether events are missing. If a gap is
		 * joined with another kind of hole, the result gets that kind.
		 */
		if (last->kind == MM_HOLE_GAP)
			last->kind = kind;
		return 0;
	}
	grown = mm_array_grow(stream->holes, stream->hole_count, &stream->hole_room,
			      sizeof(*grown));
	if (!grown)
		return -1;
	stream->holes = grown;
	grown[stream->hole_count++] = (struct mm_hole){ start_ns, end_ns, kind };
	return 0;
}

static int compare_holes(const void *a, const void *b)
{
	const struct mm_hole *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

void mm_certified_stream_sort_holes(struct mm_certified_stream *stream)
{
	if (stream->hole_count)
		qsort(stream->holes, stream->hole_count, sizeof(*stream->holes), compare_holes);
}

const char *mm_verdict_name(enum mm_verdict verdict)
{
	static const char *const names[] = { [MM_VERDICT_UNDETERMINED] = "undetermined",
					     [MM_VERDICT_HOLES] = "holes",
					     [MM_VERDICT_COMPLETE] = "complete" };

	return names[verdict];
}

const char *mm_hole_name(enum mm_hole_kind kind)
{
	static const char *const names[] = {
		[MM_HOLE_PAUSE] = "pause",	   [MM_HOLE_DISABLED] = "disabled",
		[MM_HOLE_EXCLUDED] = "excluded",   [MM_HOLE_PACKETS] = "packets",
		[MM_HOLE_DISCARDED] = "discarded", [MM_HOLE_GAP] = "gap"
	};

	return names[kind];
}

const char *mm_certificate_verdict(const struct mm_certificate *certificate, char *text,
				   size_t size)
{
	size_t length = (size_t)snprintf(text, size, "%s", mm_verdict_name(certificate->verdict));

	for (size_t i = 0; i < certificate->limit_count && length < size &&
			   certificate->verdict == MM_VERDICT_COMPLETE;
	     i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : " for ",
					   certificate->limits[i]);
	if (length >= size)
		memcpy(text + size - sizeof("..."), "...", sizeof("..."));
	return text;
}

int mm_certificate_limit(struct mm_certificate *certificate, const char *limit)
{
	for (size_t i = 0; i < certificate->limit_count; i++)
		if (!strcmp(certificate->limits[i], limit))
			return 0;
	return mm_strings_add(&certificate->limits, &certificate->limit_count, limit);
}

__attribute__((format(printf, 2, 0))) static int add_why(struct mm_certificate *certificate,
							 const char *fmt, va_list args)
{
	char *why;
	int ret;

	if (vasprintf(&why, fmt, args) < 0)
		return -1;
	ret = mm_strings_add(&certificate->why, &certificate->why_count, why);
	free(why);
	return ret;
}

int mm_certificate_reason(struct mm_certificate *certificate, bool certain, const char *fmt, ...)
{
	size_t *count = certain ? &certificate->losses : &certificate->uncertain;
	va_list args;
	int ret = 0;

	if (++*count > REASONS_MAX)
		return 0;
	va_start(args, fmt);
	ret = add_why(certificate, fmt, args);
	va_end(args);
	return ret;
}

/* A hole that overlaps the shared interval, and its stream. */
struct shared_hole {
	struct mm_hole hole;
	const struct mm_certified_stream *stream;
};

static int compare_shared_holes(const void *a, const void *b)
{
	const struct shared_hole *x = a, *y = b;
	int order = compare_holes(&x->hole, &y->hole);

	return order ? order : (x->stream > y->stream) - (x->stream < y->stream);
}

static bool is_inside(const struct mm_certificate *certificate, const struct mm_hole *hole)
{
	int64_t start_ns = certificate->shared_start_ns, end_ns = certificate->shared_end_ns;

	/* A hole has no length if packets are lost between two packets whose times touch. */
	if (hole->start_ns == hole->end_ns)
		return hole->start_ns >= start_ns && hole->start_ns <= end_ns;
	/* A discarded event may have the timestamp of the packet's end. */
	if (hole->kind == MM_HOLE_DISCARDED && hole->end_ns == start_ns)
		return true;
	return hole->start_ns < end_ns && hole->end_ns > start_ns;
}

static struct shared_hole *find_shared_holes(const struct mm_certificate *certificate,
					     size_t *count)
{
	size_t room = 1;
	struct shared_hole *all;

	*count = 0;
	for (size_t i = 0; i < certificate->stream_count; i++)
		room += certificate->streams[i].hole_count;
	all = calloc(room, sizeof(*all));
	for (size_t i = 0; all && i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];

		if (mm_trace_is_state(stream->trace))
			continue;
		for (size_t j = 0; j < stream->hole_count; j++)
			if (is_inside(certificate, &stream->holes[j]))
				all[(*count)++] = (struct shared_hole){ stream->holes[j], stream };
	}
	if (all && *count)
		qsort(all, *count, sizeof(*all), compare_shared_holes);
	return all;
}

static double seconds(int64_t start_ns, int64_t end_ns)
{
	return (double)((uint64_t)end_ns - (uint64_t)start_ns) / 1e9;
}

static int64_t shifted(int64_t time_ns, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(time_ns, ns, &sum) ? time_ns : sum;
}

void mm_certificate_shift(struct mm_certificate *certificate, int64_t ns)
{
	certificate->shared_start_ns = shifted(certificate->shared_start_ns, ns);
	certificate->shared_end_ns = shifted(certificate->shared_end_ns, ns);
	certificate->complete_since_ns = shifted(certificate->complete_since_ns, ns);
	if (certificate->requested_ns != INT64_MIN)
		certificate->requested_ns = shifted(certificate->requested_ns, ns);
	for (size_t i = 0; i < certificate->stream_count; i++) {
		struct mm_certified_stream *stream = &certificate->streams[i];

		stream->start_ns = shifted(stream->start_ns, ns);
		stream->end_ns = shifted(stream->end_ns, ns);
		for (size_t k = 0; k < stream->hole_count; k++) {
			stream->holes[k].start_ns = shifted(stream->holes[k].start_ns, ns);
			stream->holes[k].end_ns = shifted(stream->holes[k].end_ns, ns);
		}
	}
}

/*
 * Adds the reason for a hole. Sample: Recording was paused for 3.000000000 s from
 * 2026-11-22T10:15:00.000000000Z, CPU 1 (kernel/lttng-mm_1).
 */
static int describe(struct mm_certificate *certificate, const struct shared_hole *hole,
		    size_t streams)
{
	static const char *const words[] = {
		[MM_HOLE_PAUSE] = "Recording was paused for",
		[MM_HOLE_DISABLED] = "Some events were disabled for",
		[MM_HOLE_EXCLUDED] = "Trackers excluded processes or users for",
		[MM_HOLE_PACKETS] = "Packets are missing within",
		[MM_HOLE_DISCARDED] = "The tracer discarded events within",
		[MM_HOLE_GAP] = "Recording may have been paused, or events excluded, for",
	};
	const struct mm_certified_stream *stream = hole->stream;
	char start[MM_TIME_TEXT], where[64];

	mm_time_format(start, sizeof(start),
		       shifted(hole->hole.start_ns, certificate->wall_shift_ns), true);
	if (streams > 1)
		snprintf(where, sizeof(where), "%zu streams", streams);
	else if (stream->cpu != UINT32_MAX)
		snprintf(where, sizeof(where), "CPU %" PRIu32, stream->cpu);
	else
		snprintf(where, sizeof(where), "one CPU");
	return mm_certificate_reason(
		certificate, hole->hole.kind != MM_HOLE_GAP, "%s %.9f s from %s, %s%s%s%s%s%s.",
		words[hole->hole.kind], seconds(hole->hole.start_ns, hole->hole.end_ns), start,
		where, streams > 1 ? "" : " (", streams > 1 ? "" : stream->trace,
		streams > 1 ? "" : "/", streams > 1 ? "" : stream->file, streams > 1 ? "" : ")");
}

/*
 * Adds one reason for each distinct hole in the shared interval. A hole that several streams share
 * is one reason.
 */
static int judge_holes(struct mm_certificate *certificate)
{
	size_t count, next;
	struct shared_hole *all = find_shared_holes(certificate, &count);
	int ret = all ? 0 : -1;

	certificate->complete_since_ns = certificate->shared_start_ns;
	for (size_t i = 0; i < count && !ret; i = next) {
		if (all[i].hole.end_ns > certificate->complete_since_ns)
			certificate->complete_since_ns = all[i].hole.end_ns;
		for (next = i + 1; next < count && !compare_holes(&all[i].hole, &all[next].hole);)
			next++;
		ret = describe(certificate, &all[i], next - i);
	}
	free(all);
	certificate->has_complete_since =
		certificate->complete_since_ns < certificate->shared_end_ns;
	return ret;
}

/*
 * Finds the shared interval: the time that every stream covers. *@counted becomes false if packets
 * lack discarded-event counts. Returns 0, or -1 when out of memory.
 */
static int share(struct mm_certificate *certificate, bool *counted)
{
	size_t streams = 0, uncovered = 0;

	certificate->shared_start_ns = INT64_MIN;
	certificate->shared_end_ns = INT64_MAX;
	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];

		if (mm_trace_is_state(stream->trace))
			continue;
		streams++;
		*counted &= stream->events_discarded_known;
		if (!stream->covered) {
			uncovered++;
			if (mm_certificate_reason(
				    certificate, false,
				    "%s/%s: the stream has no packet, and nothing shows why.",
				    stream->trace, stream->file))
				return -1;
			continue;
		}
		if (stream->start_ns > certificate->shared_start_ns)
			certificate->shared_start_ns = stream->start_ns;
		if (stream->end_ns < certificate->shared_end_ns)
			certificate->shared_end_ns = stream->end_ns;
	}
	certificate->has_shared =
		streams && !uncovered && certificate->shared_start_ns < certificate->shared_end_ns;
	if (!streams)
		return mm_certificate_reason(certificate, false, "The recording has no streams.");
	if (uncovered || certificate->has_shared)
		return 0;
	/* Without tracer facts, the reason is uncertain: an idle CPU's stream may be short. */
	return mm_certificate_reason(certificate, certificate->watched && *counted,
				     "No time is covered by every stream.");
}

/* Adds a reason if the time of the request is not in the shared interval. */
static int judge_request(struct mm_certificate *certificate, bool certain)
{
	int64_t at_ns = certificate->requested_ns;

	if (at_ns == INT64_MIN)
		return 0;
	if (at_ns > certificate->shared_end_ns)
		return mm_certificate_reason(
			certificate, certain,
			"The time that all streams cover ends %.9f s before the request.",
			seconds(certificate->shared_end_ns, at_ns));
	if (at_ns < certificate->shared_start_ns)
		return mm_certificate_reason(
			certificate, certain,
			"The time that all streams cover starts %.9f s after the request.",
			seconds(at_ns, certificate->shared_start_ns));
	return 0;
}

static int count_unlisted(struct mm_certificate *certificate)
{
	size_t all = certificate->losses + certificate->uncertain;
	char text[64];

	if (certificate->losses <= REASONS_MAX && certificate->uncertain <= REASONS_MAX)
		return 0;
	snprintf(text, sizeof(text), "There %s %zu more reason%s.",
		 mm_plural(all - certificate->why_count, "is", "are"), all - certificate->why_count,
		 mm_plural_s(all - certificate->why_count));
	return mm_strings_add(&certificate->why, &certificate->why_count, text);
}

void mm_certificate_judge(struct mm_certificate *certificate)
{
	certificate->verdict = certificate->losses	? MM_VERDICT_HOLES
			       : certificate->uncertain ? MM_VERDICT_UNDETERMINED
							: MM_VERDICT_COMPLETE;
}

int mm_certificate_decide(struct mm_certificate *certificate)
{
	bool counted = true;

	if (share(certificate, &counted))
		return -1;
	if (certificate->has_shared &&
	    (judge_request(certificate, certificate->watched && counted) ||
	     judge_holes(certificate)))
		return -1;
	if (count_unlisted(certificate))
		return -1;
	mm_certificate_judge(certificate);
	return 0;
}
