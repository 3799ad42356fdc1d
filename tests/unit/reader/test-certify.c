// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests certificates of a synthetic trace. The tracer's facts about its buffers differ from case to
 * case. With arguments, certifies the traces in a folder and prints the resulting snapshot.json:
 *
 *   test-certify FOLDER [REQUESTED_NS | - [FACTS.json]]
 */
#include "reader/coverage/certify/certify.h"

#include <libgen.h>
#include <string.h>

#include "tests/tap.h"

#define ORIGIN INT64_C(1700000000000000000) /* of the trace's clock */

/* Facts about three streams: @N is a time after the origin, and ' stands for ". */
#define STREAM(cpu, more)                                                \
	"{ 'file': 'channel_" cpu "', 'channel': 'channel', 'cpu': " cpu \
	", 'online': true, 'packets_missed': 0, " more " }"
#define WRAPPED "'overwritten': true"
#define WHOLE "'overwritten': false"
#define FACTS(zero, one, two, more)                                                        \
	"{ 'kernel': { 'streams': [ " STREAM("0", zero) ", " STREAM("1", one) ", " STREAM( \
		"2", two) " ], " more " } }"
#define ACTIVE "'active': true, 'changes': []"

static const struct {
	const char *name, *facts; /* NULL: none */
	int64_t requested_ns;	  /* 0: unknown time */
	const char *expected;	  /* in the format of describe() */
} cases[] = {
	{ "no facts: an empty stream, and a gap that is too short for a pause", NULL, 5900,
	  "undetermined - | 0: 1000-6000 | 1: 1000-5900 | 2: -" },
	{ "watched from before the gap",
	  FACTS(WRAPPED, WRAPPED, WHOLE, "'watched_since_ns': @500, " ACTIVE), 5950,
	  "complete 1200-6000 | 0: 1000-6000 | 1: 1200-6000 | 2: 500-6000" },
	{ "a request after the last packet",
	  FACTS(WRAPPED, WRAPPED, WHOLE, "'watched_since_ns': @500, " ACTIVE), 7000,
	  "complete 1200-7000 | 0: 1000-7000 | 1: 1200-7000 | 2: 500-7000" },
	{ "watched from a time in the gap",
	  FACTS(WRAPPED, WRAPPED, WHOLE, "'watched_since_ns': @4000, " ACTIVE), 5950,
	  "undetermined 1200-6000 | 0: 1000-6000 gap 1000-4000 | 1: 1200-6000 gap 1000-4000 | 2: 1000-6000 gap 1000-4000" },
	{ "never watched", FACTS(WRAPPED, WRAPPED, WHOLE, "'watched_since_ns': null, " ACTIVE),
	  5950,
	  "undetermined 1200-6000 | 0: 1000-6000 gap 1000-6000 | 1: 1200-6000 gap 1000-6000 | 2: 1000-6000 gap 1000-6000" },
	{ "a pause of the session in the gap",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, 'active': true, 'changes': [ "
		"{ 'at_ns': @2900, 'channel': null, 'active': false }, "
		"{ 'at_ns': @4700, 'channel': null, 'active': true } ]"),
	  5950,
	  "holes 1200-6000 | 0: 1000-6000 pause 2900-4700 | 1: 1200-6000 pause 2900-4700 | 2: 500-6000 pause 2900-4700" },
	{ "a pause of the channel, within packets",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, 'active': true, 'changes': [ "
		"{ 'at_ns': @1500, 'channel': 'channel', 'active': false }, "
		"{ 'at_ns': @1600, 'channel': 'channel', 'active': true } ]"),
	  5950,
	  "holes 1200-6000 | 0: 1000-6000 pause 1500-1600 | 1: 1200-6000 pause 1500-1600 | 2: 500-6000 pause 1500-1600" },
	{ "some events of the channel were disabled, and are enabled again",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, 'active': true, 'changes': [ "
		"{ 'at_ns': @1500, 'channel': 'channel', 'active': false, 'events': true }, "
		"{ 'at_ns': @1600, 'channel': 'channel', 'active': true, 'events': true } ]"),
	  5950,
	  "holes 1200-6000 | 0: 1000-6000 disabled 1500-1600 | 1: 1200-6000 disabled 1500-1600 | 2: 500-6000 disabled 1500-1600" },
	{ "... before that, and still are",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, 'active': true, 'changes': [ "
		"{ 'at_ns': @1500, 'channel': 'channel', 'active': true, 'events': true }, "
		"{ 'at_ns': @5800, 'channel': 'channel', 'active': false, 'events': true } ]"),
	  5950,
	  "holes 1200-6000 | 0: 1000-6000 disabled 1000-1500 disabled 5800-6000 | 1: 1200-6000 disabled 1200-1500 disabled 5800-6000 | 2: 500-6000 disabled 500-1500 disabled 5800-6000" },
	{ "trackers excluded processes for a while",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, " ACTIVE
		", 'excluded': [ { 'start_ns': @1500, 'end_ns': @1600 } ]"),
	  5950,
	  "holes 1200-6000 | 0: 1000-6000 excluded 1500-1600 | 1: 1200-6000 excluded 1500-1600 | 2: 500-6000 excluded 1500-1600" },
	{ "... from before the first packet on, which is no later start",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, " ACTIVE
		", 'excluded': [ { 'start_ns': @500, 'end_ns': @1600 } ]"),
	  5950,
	  "holes 1200-6000 | 0: 1000-6000 excluded 1000-1600 | 1: 1200-6000 excluded 1200-1600 | 2: 500-6000 excluded 500-1600" },
	{ "... before all streams start",
	  FACTS(WRAPPED, WRAPPED, WRAPPED,
		"'watched_since_ns': @500, " ACTIVE
		", 'excluded': [ { 'start_ns': @500, 'end_ns': @900 } ]"),
	  5950, "undetermined - | 0: 1000-6000 | 1: 1200-6000 | 2: -" },
	{ "a limit to one process is named",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, 'limited_to': [ 'pid 7' ], 'less': [], " ACTIVE),
	  5950, "complete for pid 7 1200-6000 | 0: 1000-6000 | 1: 1200-6000 | 2: 500-6000" },
	{ "less was recorded than the profile promises",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, 'limited_to': [], 'less': [ 'Only pid 7.' ], " ACTIVE),
	  5950, "holes 1200-6000 | 0: 1000-6000 | 1: 1200-6000 | 2: 500-6000" },
	{ "a pause of another channel",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, 'active': true, 'changes': [ "
		"{ 'at_ns': @1500, 'channel': 'other', 'active': false } ]"),
	  5950, "complete 1200-6000 | 0: 1000-6000 | 1: 1200-6000 | 2: 500-6000" },
	{ "stopped, and still so at the freeze",
	  FACTS(WRAPPED, WRAPPED, WHOLE,
		"'watched_since_ns': @500, 'active': false, 'changes': [ "
		"{ 'at_ns': @5800, 'channel': null, 'active': false } ]"),
	  5950,
	  "holes 1200-6000 | 0: 1000-6000 pause 5800-6000 | 1: 1200-6000 pause 5800-6000 | 2: 500-6000 pause 5800-6000" },
	{ "the recording started while it was watched",
	  FACTS(WHOLE, WHOLE, WHOLE,
		"'watched_since_ns': @500, 'active': true, 'changes': [ "
		"{ 'at_ns': @900, 'channel': null, 'active': true } ]"),
	  5950, "complete 900-6000 | 0: 900-6000 | 1: 900-6000 | 2: 900-6000" },
	{ "an empty stream that had packets before",
	  FACTS(WRAPPED, WRAPPED, WRAPPED, "'watched_since_ns': @500, " ACTIVE), 5950,
	  "undetermined - | 0: 1000-6000 | 1: 1200-6000 | 2: -" },
	{ "an empty stream whose packets were left out",
	  FACTS(WRAPPED, WRAPPED, WRAPPED ", 'packets_left_out': 2",
		"'since_ns': @1100, 'watched_since_ns': @500, " ACTIVE),
	  5950, "complete 1200-6000 | 0: 1000-6000 | 1: 1200-6000 | 2: 1100-6000" },
	{ "a stream that was idle since packets that were left out",
	  FACTS(WRAPPED, WRAPPED ", 'packets_left_out': 1", WHOLE,
		"'since_ns': @1100, 'watched_since_ns': @500, " ACTIVE),
	  5950, "complete 1100-6000 | 0: 1000-6000 | 1: 1100-6000 | 2: 500-6000" },
	{ "an empty stream whose packets were overwritten",
	  FACTS(WRAPPED, WRAPPED, WHOLE ", 'packets_missed': 1",
		"'watched_since_ns': @500, " ACTIVE),
	  5950, "undetermined - | 0: 1000-6000 | 1: 1200-6000 | 2: -" },
	{ "the packet that was being written is omitted",
	  FACTS(WRAPPED, WRAPPED ", 'last_left_out': true", WHOLE,
		"'watched_since_ns': @500, " ACTIVE),
	  5950, "holes 1200-5900 | 0: 1000-6000 | 1: 1200-5900 | 2: 500-6000" },
	{ "... and was started after the request",
	  FACTS(WRAPPED, WRAPPED ", 'last_left_out': true", WHOLE,
		"'watched_since_ns': @500, " ACTIVE),
	  5850, "complete 1200-5900 | 0: 1000-6000 | 1: 1200-5900 | 2: 500-6000" },
	{ "... and was the first one",
	  FACTS(WRAPPED, WRAPPED, WHOLE ", 'last_left_out': true",
		"'watched_since_ns': @500, " ACTIVE),
	  5950, "holes - | 0: 1000-6000 | 1: 1200-6000 | 2: -" },
	{ "facts of another shape", "{ 'kernel': { 'streams': 7, 'changes': {} } }", 5900,
	  "undetermined - | 0: 1000-6000 gap 1000-6000 | 1: 1000-5900 gap 1000-6000 | 2: -" },
	{ "facts of another trace", "{ 'other': { 'active': true } }", 5900,
	  "undetermined - | 0: 1000-6000 gap 1000-6000 | 1: 1000-5900 gap 1000-6000 | 2: -" },
};

/* CPU 0 has three packets, the second right after the first; CPU 1 has two packets, CPU 2 none. */
static const char script[] = "cpu 0\\nbegin 1000\\n1100 slab_kfree tid=1\\nend 2000\\n"
			     "packet seq=0\\nbegin 2000\\n2100 slab_kfree tid=1\\nend 3000\\n"
			     "packet seq=1\\nbegin 5000\\n5100 slab_kfree tid=1\\nend 6000\\n"
			     "cpu 1\\nbegin 1200\\n1300 slab_kfree tid=1\\nend 2100\\n"
			     "packet seq=1\\nbegin 4800\\n5100 slab_kfree tid=1\\nend 5900\\n";

static json_t *parse_facts(const char *text)
{
	char full[4096];
	size_t length = 0;

	if (!text)
		return NULL;
	for (; *text && length + 32 < sizeof(full); text++) {
		if (*text == '@')
			length += (size_t)snprintf(
				full + length, sizeof(full) - length, "%" PRId64,
				ORIGIN + (int64_t)strtoll(text + 1, (char **)&text, 10));
		full[length++] = *text == '\'' ? '"' : *text;
	}
	return json_loadb(full, length, 0, NULL);
}

/* Text form, such as: undetermined - | 0: 1000-6000 gap 3000-4800 | 1: - */
static void describe(const struct mm_certificate *certificate, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	char verdict[MM_VERDICT_TEXT];

	if (!out)
		exit(2);
	fputs(mm_certificate_verdict(certificate, verdict, sizeof(verdict)), out);
	if (certificate->has_shared)
		fprintf(out, " %" PRId64 "-%" PRId64, certificate->shared_start_ns - ORIGIN,
			certificate->shared_end_ns - ORIGIN);
	else
		fputs(" -", out);
	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];

		fprintf(out, " | %" PRIu32 ": ", stream->cpu);
		if (stream->covered)
			fprintf(out, "%" PRId64 "-%" PRId64, stream->start_ns - ORIGIN,
				stream->end_ns - ORIGIN);
		else
			fputc('-', out);
		for (size_t j = 0; j < stream->hole_count; j++)
			fprintf(out, " %s %" PRId64 "-%" PRId64,
				mm_hole_name(stream->holes[j].kind),
				stream->holes[j].start_ns - ORIGIN,
				stream->holes[j].end_ns - ORIGIN);
	}
	fclose(out);
}

static void check(const char *folder, size_t number)
{
	int64_t requested_ns =
		cases[number].requested_ns ? ORIGIN + cases[number].requested_ns : INT64_MIN;
	json_t *facts = parse_facts(cases[number].facts);
	struct mm_error err = MM_ERROR_INIT;
	struct mm_certificate certificate;
	char text[1024] = "";
	bool ok;

	if (cases[number].facts && !facts)
		tap_bail("%s: the facts are not JSON", cases[number].name);
	if (!certify(folder, facts, requested_ns, 0, &certificate, &err))
		describe(&certificate, text, sizeof(text));
	ok = !strcmp(text, cases[number].expected);
	tap(ok, "%s", cases[number].name);
	if (!ok)
		printf("# %s\n# %s%s\n", cases[number].expected, text, err.message);
	mm_certificate_release(&certificate);
	json_decref(facts);
}

static int print_snapshot(int argc, char **argv)
{
	int64_t requested_ns = argc > 2 && *argv[2] != '-' ? strtoll(argv[2], NULL, 10) : INT64_MIN;
	json_t *facts = argc > 3 ? json_load_file(argv[3], 0, NULL) : NULL, *json;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_certificate certificate;
	int ret = certify(argv[1], facts, requested_ns, 0, &certificate, &err);

	if (ret || (argc > 3 && !facts)) {
		fprintf(stderr, "test-certify: %s\n", err.message);
		return 1;
	}
	json = json_pack("{s:i, s:s, s:{s:s}, s:s, s:{s:I}, s:{s:I}, s:n, s:n, s:[], s:o}",
			 "version", MM_SNAPSHOT_VERSION, "reason", "a test", "cause", "kind",
			 "request", "method", facts ? "freeze" : "lttng", "requested",
			 "realtime_ns", (json_int_t)ORIGIN, "frozen", "realtime_ns",
			 (json_int_t)ORIGIN + 1, "last_ns", "after_ns", "filters", "certificate",
			 mm_certificate_to_json(&certificate));
	if (requested_ns != INT64_MIN)
		json_object_set_new(json, "requested_trace_ns", json_integer(requested_ns));
	json_dumpf(json, stdout, JSON_INDENT(1));
	mm_certificate_release(&certificate);
	json_decref(json);
	json_decref(facts);
	return 0;
}

int main(int argc, char **argv)
{
	char work[] = "/tmp/test-certify-XXXXXX";
	const char *tests;

	if (argc > 1)
		return print_snapshot(argc, argv);
	tests = dirname(argv[0]);
	if (!mkdtemp(work))
		return 1;
	tap_shell(
		"printf '%s' | '%s/make-trace' '%s/../../../tests/metadata/slab.tsdl' --no-state - %s/kernel && touch %s/kernel/channel_2",
		script, tests, tests, work, work);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(work, i);
	tap_shell("rm -r %s", work);
	return tap_status();
}
