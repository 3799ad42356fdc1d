// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the certificate of coverage: the verdict for a set of streams, and its JSON form. */
#include "reader/coverage/certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/missing.h"
#include "tests/tap.h"

#define NONE INT64_MIN

struct stream_case {
	const char *trace;
	int64_t start_ns, end_ns; /* NONE: not covered */
	struct mm_hole holes[2];
	size_t hole_count;
	bool uncounted;
};

/* A snapshot. It was requested at time 90, or at an unknown time if the case says so. */
static const struct {
	const char *name;
	struct stream_case streams[3];
	bool no_request, watched;
	int certain; /* an additional reason: 1 certain, 0 possible, -1 none */
	enum mm_verdict verdict;
	int64_t start_ns, end_ns, since_ns; /* the shared interval; NONE: none */
	const char *why;		    /* a part of the first reason */
} cases[] = {
#define COVERED(trace, start_ns, end_ns)                                       \
	{                                                                      \
		trace, start_ns, end_ns, { { 0, 0, MM_HOLE_PAUSE } }, 0, false \
	}
#define NOTHING_ELSE false, false, -1
#define WATCHED false, true, -1
#define NO_REQUEST true, false, -1
	{ "one stream",
	  { COVERED("kernel", 0, 100) },
	  NOTHING_ELSE,
	  MM_VERDICT_COMPLETE,
	  0,
	  100,
	  0,
	  NULL },
	{ "the intersection of two",
	  { COVERED("kernel", 0, 95), COVERED("kernel", 10, 100) },
	  NOTHING_ELSE,
	  MM_VERDICT_COMPLETE,
	  10,
	  95,
	  10,
	  NULL },
	{ "state belongs to no time",
	  { COVERED("kernel", 0, 100), COVERED("state", 50, 60),
	    COVERED("state/slab", NONE, NONE) },
	  NOTHING_ELSE,
	  MM_VERDICT_COMPLETE,
	  0,
	  100,
	  0,
	  NULL },
	{ "a trace whose name only starts like a state dump's",
	  { COVERED("kernel", 0, 100), COVERED("statement", 50, 92) },
	  NOTHING_ELSE,
	  MM_VERDICT_COMPLETE,
	  50,
	  92,
	  50,
	  NULL },
	{ "nothing but state",
	  { COVERED("state", 0, 100) },
	  NOTHING_ELSE,
	  MM_VERDICT_UNDETERMINED,
	  NONE,
	  NONE,
	  NONE,
	  "The recording has no streams" },
	{ "a stream without a packet",
	  { COVERED("kernel", 0, 100), COVERED("kernel", NONE, NONE) },
	  NOTHING_ELSE,
	  MM_VERDICT_UNDETERMINED,
	  NONE,
	  NONE,
	  NONE,
	  "kernel/f1: the stream has no packet" },
	{ "no time in common, an idle CPU is possible",
	  { COVERED("kernel", 0, 50), COVERED("kernel", 60, 100) },
	  NOTHING_ELSE,
	  MM_VERDICT_UNDETERMINED,
	  NONE,
	  NONE,
	  NONE,
	  "No time" },
	{ "no time in common, for certain",
	  { COVERED("kernel", 0, 50), COVERED("kernel", 60, 100) },
	  WATCHED,
	  MM_VERDICT_HOLES,
	  NONE,
	  NONE,
	  NONE,
	  "No time" },
	{ "no time in common, with packets without a count",
	  { { "kernel", 0, 50, { { 0, 0, MM_HOLE_PAUSE } }, 0, true }, COVERED("kernel", 60, 100) },
	  WATCHED,
	  MM_VERDICT_UNDETERMINED,
	  NONE,
	  NONE,
	  NONE,
	  "No time" },
	{ "a single instant is no interval",
	  { COVERED("kernel", 0, 90), COVERED("kernel", 90, 100) },
	  NOTHING_ELSE,
	  MM_VERDICT_UNDETERMINED,
	  NONE,
	  NONE,
	  NONE,
	  "No time" },
	{ "a request at the end",
	  { COVERED("kernel", 0, 90) },
	  WATCHED,
	  MM_VERDICT_COMPLETE,
	  0,
	  90,
	  0,
	  NULL },
	{ "a request at the start",
	  { COVERED("kernel", 90, 100) },
	  WATCHED,
	  MM_VERDICT_COMPLETE,
	  90,
	  100,
	  90,
	  NULL },
	{ "a request after the end",
	  { COVERED("kernel", 0, 89) },
	  NOTHING_ELSE,
	  MM_VERDICT_UNDETERMINED,
	  0,
	  89,
	  0,
	  "ends 0.000000001 s before the request" },
	{ "a request after the end, for certain",
	  { COVERED("kernel", 0, 89) },
	  WATCHED,
	  MM_VERDICT_HOLES,
	  0,
	  89,
	  0,
	  "ends 0.000000001 s before the request" },
	{ "a request before the start, for certain",
	  { COVERED("kernel", 91, 100) },
	  WATCHED,
	  MM_VERDICT_HOLES,
	  91,
	  100,
	  91,
	  "starts 0.000000001 s after the request" },
	{ "the request is not known",
	  { COVERED("kernel", 0, 50) },
	  NO_REQUEST,
	  MM_VERDICT_COMPLETE,
	  0,
	  50,
	  0,
	  NULL },
	{ "missing packets",
	  { { "kernel", 0, 100, { { 20, 30, MM_HOLE_PACKETS } }, 1, false } },
	  NOTHING_ELSE,
	  MM_VERDICT_HOLES,
	  0,
	  100,
	  30,
	  "Packets are missing within 0.000000010 s" },
	{ "a pause",
	  { { "kernel", 0, 100, { { 20, 30, MM_HOLE_PAUSE } }, 1, false } },
	  NOTHING_ELSE,
	  MM_VERDICT_HOLES,
	  0,
	  100,
	  30,
	  "paused for 0.000000010 s" },
	{ "a pause of all streams is one reason",
	  { { "kernel", 0, 100, { { 20, 30, MM_HOLE_PAUSE } }, 1, false },
	    { "kernel", 0, 100, { { 20, 30, MM_HOLE_PAUSE } }, 1, false } },
	  NOTHING_ELSE,
	  MM_VERDICT_HOLES,
	  0,
	  100,
	  30,
	  "2 streams" },
	{ "a gap",
	  { { "kernel", 0, 100, { { 20, 30, MM_HOLE_GAP } }, 1, false } },
	  NOTHING_ELSE,
	  MM_VERDICT_UNDETERMINED,
	  0,
	  100,
	  30,
	  "Recording may have been paused" },
	{ "a gap and missing packets",
	  { { "kernel",
	      0,
	      100,
	      { { 20, 30, MM_HOLE_GAP }, { 40, 60, MM_HOLE_PACKETS } },
	      2,
	      false } },
	  NOTHING_ELSE,
	  MM_VERDICT_HOLES,
	  0,
	  100,
	  60,
	  "Recording may have been paused" },
	{ "discarded events",
	  { { "kernel", 0, 100, { { 20, 30, MM_HOLE_DISCARDED } }, 1, false } },
	  NOTHING_ELSE,
	  MM_VERDICT_HOLES,
	  0,
	  100,
	  30,
	  "discarded events" },
	{ "a hole before the shared interval",
	  { { "kernel", 0, 100, { { 20, 30, MM_HOLE_PACKETS } }, 1, false },
	    COVERED("kernel", 30, 100) },
	  NOTHING_ELSE,
	  MM_VERDICT_COMPLETE,
	  30,
	  100,
	  30,
	  NULL },
	{ "a discarded event may be at the very start of it",
	  { { "kernel", 0, 100, { { 20, 30, MM_HOLE_DISCARDED } }, 1, false },
	    COVERED("kernel", 30, 100) },
	  NOTHING_ELSE,
	  MM_VERDICT_HOLES,
	  30,
	  100,
	  30,
	  "discarded events" },
	{ "a hole after the shared interval",
	  { { "kernel", 0, 100, { { 95, 97, MM_HOLE_PACKETS } }, 1, false },
	    COVERED("kernel", 0, 95) },
	  NOTHING_ELSE,
	  MM_VERDICT_COMPLETE,
	  0,
	  95,
	  0,
	  NULL },
	{ "missing packets between neighbours of one timestamp",
	  { { "kernel", 0, 100, { { 50, 50, MM_HOLE_PACKETS } }, 1, false } },
	  NOTHING_ELSE,
	  MM_VERDICT_HOLES,
	  0,
	  100,
	  50,
	  "Packets are missing" },
	{ "a hole at the end",
	  { { "kernel", 0, 100, { { 80, 100, MM_HOLE_PAUSE } }, 1, false } },
	  NOTHING_ELSE,
	  MM_VERDICT_HOLES,
	  0,
	  100,
	  NONE,
	  "paused" },
	{ "something else is missing",
	  { COVERED("kernel", 0, 100) },
	  false,
	  false,
	  1,
	  MM_VERDICT_HOLES,
	  0,
	  100,
	  0,
	  "reason" },
	{ "something else may be missing",
	  { COVERED("kernel", 0, 100) },
	  false,
	  false,
	  0,
	  MM_VERDICT_UNDETERMINED,
	  0,
	  100,
	  0,
	  "reason" },
};

static void fill(struct mm_certificate *certificate, size_t number)
{
	mm_certificate_init(certificate);
	certificate->requested_ns = cases[number].no_request ? INT64_MIN : 90;
	certificate->watched = cases[number].watched;
	for (size_t i = 0; i < 3 && cases[number].streams[i].trace; i++) {
		const struct stream_case *from = &cases[number].streams[i];
		struct mm_certified_stream *stream;
		char file[8];

		snprintf(file, sizeof(file), "f%zu", i);
		stream = mm_certificate_add_stream(certificate, from->trace, file);
		if (!stream)
			exit(2);
		stream->covered = from->start_ns != NONE;
		stream->start_ns = from->start_ns;
		stream->end_ns = from->end_ns;
		stream->packets = 1;
		stream->events_discarded_known = !from->uncounted;
		for (size_t j = 0; j < from->hole_count; j++)
			if (mm_certified_stream_add_hole(stream, from->holes[j].start_ns,
							 from->holes[j].end_ns,
							 from->holes[j].kind))
				exit(2);
	}
	if (cases[number].certain >= 0 &&
	    mm_certificate_reason(certificate, cases[number].certain, "A reason."))
		exit(2);
}

static bool is_as_expected(const struct mm_certificate *certificate, size_t number)
{
	bool shared = cases[number].start_ns != NONE, since = cases[number].since_ns != NONE;

	if (certificate->verdict != cases[number].verdict || certificate->has_shared != shared)
		return false;
	if (shared && (certificate->shared_start_ns != cases[number].start_ns ||
		       certificate->shared_end_ns != cases[number].end_ns ||
		       certificate->has_complete_since != since ||
		       (since && certificate->complete_since_ns != cases[number].since_ns)))
		return false;
	if (!cases[number].why)
		return !certificate->why_count;
	return certificate->why_count && strstr(certificate->why[0], cases[number].why);
}

/* Reads the JSON form and writes it again. Returns whether the result is the same. */
static bool survives(const struct mm_certificate *certificate)
{
	json_t *json = mm_certificate_to_json(certificate), *again = NULL;
	struct mm_certificate read;
	char why[256];

	mm_certificate_init(&read);
	if (json && !mm_certificate_from_json(json, &read, why, sizeof(why)))
		again = mm_certificate_to_json(&read);
	mm_certificate_release(&read);
	if (json && again && json_equal(json, again)) {
		json_decref(json);
		json_decref(again);
		return true;
	}
	json_decref(json);
	json_decref(again);
	return false;
}

#define STREAM                                                                                     \
	"{ 'trace': 'kernel', 'file': 'f', 'channel': 'c', 'cpu': 0, 'online': true, 'bytes': 1, " \
	"'packets': 1, 'start_ns': 1, 'end_ns': 2, 'packets_lost': 0, 'events_discarded': 0, "     \
	"'events_discarded_known': true, 'holes': [] }"

/* Changes to a valid certificate: @from is replaced by @to; ' stands for ". */
static const struct {
	const char *name, *from, *to, *why; /* @why NULL: the certificate is valid */
} texts[] = {
	{ "a valid one", "'f'", "'f'", NULL },
	{ "no streams", "'streams'", "'others'", "\"streams\" is not an array" },
	{ "another verdict", "'complete'", "'perfect'", "\"verdict\" is not" },
	{ "no verdict", "'complete'", "7", "\"verdict\" is not" },
	{ "a trace outside the snapshot", "'kernel'", "'../kernel'",
	  "stream 0: \"trace\" is not a folder" },
	{ "a trace at the root", "'kernel'", "'/kernel'", "stream 0: \"trace\" is not a folder" },
	{ "a file in a folder", "'f'", "'a/b'", "stream 0: \"file\" is not a file" },
	{ "a file that is a number", "'f'", "7", "stream 0: \"file\" is not a file" },
	{ "a name with a zero byte", "'f'", "'f\\u0000g'", "stream 0: \"file\" is not a file" },
	{ "a negative size", "'bytes': 1", "'bytes': -1", "stream 0: \"bytes\" is not" },
	{ "a size that is a text", "'bytes': 1", "'bytes': 'x'", "stream 0: \"bytes\" is not" },
	{ "an end before the start", "'end_ns': 2", "'end_ns': 0",
	  "stream 0: \"end_ns\" is before" },
	{ "a start without an end", "'end_ns': 2", "'end_ns': null",
	  "stream 0: \"end_ns\" is before" },
	{ "a stream that is not covered", "'start_ns': 1, 'end_ns': 2",
	  "'start_ns': null, 'end_ns': null", NULL },
	{ "holes that are none", "'holes': []", "'holes': 5", "stream 0: \"holes\" is not" },
	{ "a hole of another kind", "'holes': []",
	  "'holes': [ { 'start_ns': 1, 'end_ns': 2, 'kind': 'black' } ]",
	  "stream 0: \"kind\" is not" },
	{ "a hole without an end", "'holes': []", "'holes': [ { 'start_ns': 1, 'kind': 'gap' } ]",
	  "stream 0: \"end_ns\" is neither" },
	{ "a stream that is a number", STREAM, "7", "stream 0: \"trace\"" },
	{ "a CPU that is too large", "'cpu': 0", "'cpu': 99999999999", NULL },
	{ "a shared interval that is a text", "'shared': null", "'shared': 'x'",
	  "\"shared\" is neither" },
};

static json_t *make_json(size_t number)
{
	char text[2048] = "", quoted[2048];
	const char *whole =
		"{ 'verdict': 'complete', 'why': [], 'shared': null, 'streams': [ " STREAM
		" ], 'cpus_offline': [], 'streams_without_packet': [] }";
	const char *at = strstr(whole, texts[number].from);

	if (!at)
		exit(2);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - whole), whole, texts[number].to,
		 at + strlen(texts[number].from));
	for (size_t i = 0; i <= strlen(text); i++)
		quoted[i] = text[i] == '\'' ? '"' : text[i];
	return json_loads(quoted, JSON_ALLOW_NUL, NULL);
}

static const struct {
	const char *folder;
	bool is_state;
} states[] = {
	{ "state", true },
	{ "kernel", false },
	{ ".", false },
	{ "", false },
	{ "state/slab", true },
	{ "kernel/slab", false },
	{ "/tmp/snapshot/state", true },
	{ "snapshot/state//slab/", true },
	{ "/tmp/state/kernel", false },
	{ "/state/snapshot/slab", false },
	{ "states", false },
	{ "/tmp/restate/slab", false },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		tap(mm_trace_is_state(states[i].folder) == states[i].is_state, "'%s' holds %s",
		    states[i].folder, states[i].is_state ? "state dumps" : "events");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_certificate certificate;
		bool ok;

		fill(&certificate, i);
		ok = !mm_certificate_decide(&certificate) && is_as_expected(&certificate, i);
		tap(ok, "%s", cases[i].name);
		if (!ok)
			printf("# %s, %zu reasons: %s\n", mm_verdict_name(certificate.verdict),
			       certificate.why_count,
			       certificate.why_count ? certificate.why[0] : "");
		tap(survives(&certificate), "%s: JSON", cases[i].name);
		mm_certificate_release(&certificate);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *json = make_json(i);
		struct mm_certificate certificate;
		char why[256];
		int ret;

		mm_certificate_init(&certificate);
		ret = json ? mm_certificate_from_json(json, &certificate, why, sizeof(why)) : -1;
		tap(texts[i].why ? ret == 1 && strstr(why, texts[i].why) : !ret, "%s",
		    texts[i].name);
		mm_certificate_release(&certificate);
		json_decref(json);
	}
	return tap_status();
}
