// SPDX-License-Identifier: LGPL-2.1-only
/* Tests how the clock is read in the metadata of frozen buffers, and how channels are named. */
#include <lttng/lttng.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/freeze/buffers.h"
#include "tests/tap.h"

#define TSDL(values)                                                                           \
	"typealias integer { size = 8; } := uint8_t;\n\nenv {\n\tdomain = \"kernel\";\n};\n\n" \
	"clock {\n\tname = \"monotonic\";\n\tdescription = \"Monotonic Clock\";\n" values      \
	"};\n\nstream {\n\tid = 0;\n};\n"
#define OFFSET_COMMENT "\t/* clock value offset from Epoch is: offset * (1/freq) */\n"
#define FREQ "\tfreq = 1000000000; /* Frequency, in Hz */\n" OFFSET_COMMENT

#define CTF2(offset)                                                                   \
	"\x1e{\"type\":\"preamble\",\"version\":2}\n"                                  \
	"\x1e{\"type\":\"clock-class\",\"id\":\"monotonic\",\"frequency\":1000000000," \
	"\"offset-from-origin\":" offset "}\n"                                         \
	"\x1e{\"type\":\"data-stream-class\",\"id\":0}\n"

static const struct {
	const char *name, *metadata;
	uint64_t value;
	int64_t ns;	       /* time of @value; INT64_MIN: no clock */
	const char *rewritten; /* the metadata with the clock of the first case */
} clocks[] = {
	{ "text", TSDL(FREQ "\toffset = 1700000000000000005;\n"), 7, 1700000000000000012,
	  TSDL(FREQ "\toffset = 1700000000000000005;\n") },
	{ "a negative offset", TSDL(FREQ "\toffset = -5;\n"), 7, 2,
	  TSDL(FREQ "\toffset = 1700000000000000005;\n") },
	{ "offset_s", TSDL(FREQ "\toffset_s = 2;\n\toffset = 3;\n"), 4, 2000000007,
	  TSDL(FREQ "\toffset_s = 0;\n\toffset = 1700000000000000005;\n") },
	{ "another frequency", TSDL("\tfreq = 1000;\n\toffset = 3;\n"), 4, 7000000,
	  TSDL("\tfreq = 1000;\n\toffset = 3;\n") },
	{ "no clock", "stream {\n\tid = 0;\n};\n", 4, INT64_MIN, "stream {\n\tid = 0;\n};\n" },
	{ "a clock that does not end", "env {\n};\n\nclock {\n\tfreq = 1000000000;\n\toffset = 9",
	  4, INT64_MIN, "env {\n};\n\nclock {\n\tfreq = 1000000000;\n\toffset = 9" },
	{ "CTF 2", CTF2("{\"seconds\":-1,\"cycles\":999999999}"), 3, 2,
	  CTF2("{\"seconds\":1700000000,\"cycles\":5}") },
	{ "CTF 2 without a clock", "\x1e{\"type\":\"preamble\"}\n", 3, INT64_MIN,
	  "\x1e{\"type\":\"preamble\"}\n" },
};

static void test_clocks(void)
{
	struct freeze_clock first = { 0 };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		struct freeze_session session = { .metadata = strdup(clocks[i].metadata) };
		struct freeze freeze = { .sessions = &session, .session_count = 1 };

		session.metadata_bytes = strlen(session.metadata);
		freeze_parse_clock(&session);
		if (!i)
			first = session.clock;
		tap(session.clock.known
			    ? freeze_clock_ns(&session.clock, clocks[i].value) == clocks[i].ns
			    : clocks[i].ns == INT64_MIN,
		    "clock: %s: its value", clocks[i].name);
		tap(!freeze_use_clock(&freeze, &first) &&
			    !strcmp(session.metadata, clocks[i].rewritten) &&
			    session.metadata_bytes == strlen(clocks[i].rewritten),
		    "clock: %s: rewritten", clocks[i].name);
		free(session.metadata);
	}
}

/* Declares event @name in stream class @id, in each of the two formats. */
#define EVENT(name, id)                                                  \
	"event {\n\tname = \"" name "\";\n\tid = 7;\n\tstream_id = " #id \
	";\n\tfields := struct {\n\t};\n};\n"
#define CLASS(name, id)                                         \
	"\x1e{\"type\":\"event-record-class\",\"name\":\"" name \
	"\",\"id\":7,\"data-stream-class-id\":" #id "}\n"

/*
 * The metadata of a trace with channels 0 and 1, and the events that the session daemon lists for
 * its channels `a` and `b`.
 */
static const struct {
	const char *name, *metadata, *a, *b;
	uint64_t bytes[2]; /* sub-buffer size of `a` and `b`; in the trace it is 4096 */
	enum lttng_event_type type;
	const char *names; /* names of channels 0 and 1 */
} naming[] = {
	{ "by events",
	  EVENT("page_alloc", 0) EVENT("slab_free", 1),
	  "slab_*",
	  "page_*",
	  { 4096, 4096 },
	  LTTNG_EVENT_TRACEPOINT,
	  "b a" },
	{ "by events of CTF 2",
	  CLASS("page_alloc", 0) CLASS("slab_free", 1),
	  "slab_*",
	  "page_*",
	  { 4096, 4096 },
	  LTTNG_EVENT_TRACEPOINT,
	  "b a" },
	{ "by elimination",
	  EVENT("slab_free", 1) EVENT("page_alloc", 0),
	  "slab_*",
	  "*",
	  { 4096, 4096 },
	  LTTNG_EVENT_TRACEPOINT,
	  "b a" },
	{ "two of the same events",
	  EVENT("slab_free", 1),
	  "slab_*",
	  "slab_*",
	  { 4096, 4096 },
	  LTTNG_EVENT_TRACEPOINT,
	  "- -" },
	{ "no events",
	  "env {\n};\n",
	  "slab_*",
	  "page_*",
	  { 4096, 4096 },
	  LTTNG_EVENT_TRACEPOINT,
	  "- -" },
	{ "an event of neither",
	  EVENT("other", 0) EVENT("slab_free", 1),
	  "slab_*",
	  "page_*",
	  { 4096, 4096 },
	  LTTNG_EVENT_TRACEPOINT,
	  "- a" },
	{ "other buffers",
	  EVENT("slab_free", 0),
	  "slab_*",
	  "slab_*",
	  { 8192, 4096 },
	  LTTNG_EVENT_TRACEPOINT,
	  "b -" },
	{ "system calls",
	  EVENT("syscall_exit_openat", 1) EVENT("compat_syscall_entry_read", 0),
	  "read",
	  "openat",
	  { 4096, 4096 },
	  LTTNG_EVENT_SYSCALL,
	  "a b" },
};

static void test_names(void)
{
	for (size_t i = 0; i < sizeof(naming) / sizeof(*naming); i++) {
		char *metadata = strdup(naming[i].metadata), names[16];
		struct freeze_session session = { .metadata = metadata, .channels = 2 };
		struct freeze freeze = { .sessions = &session, .session_count = 1 };
		struct lttng_channel_attr attr[2] = { 0 };
		struct lttng_event rules[2] = { 0 };
		struct freeze_listed listed[2] = { { "a", &attr[0], &rules[0], 1, false },
						   { "b", &attr[1], &rules[1], 1, false } };

		freeze.channel_count = 2;
		for (unsigned int k = 0; k < 2; k++) {
			freeze.channels[k].is.id = k;
			freeze.channels[k].is.set_bytes = 4096;
			freeze.channels[k].is.sets = 5;
			attr[k].overwrite = 1;
			attr[k].num_subbuf = 4;
			attr[k].subbuf_size = naming[i].bytes[k];
			rules[k].type = naming[i].type;
			strcpy(rules[k].name, k ? naming[i].b : naming[i].a);
		}
		freeze_match_names(&freeze, &session, listed, 2);
		snprintf(names, sizeof(names), "%.4s %.4s",
			 freeze.channels[0].name[0] ? freeze.channels[0].name : "-",
			 freeze.channels[1].name[0] ? freeze.channels[1].name : "-");
		tap(!strcmp(names, naming[i].names), "names: %s: %s", naming[i].name, names);
		free(metadata);
	}
}

/* The plan's channels of a session; @ids: numbers of the trace's channels. */
static const struct {
	const char *name, *planned, *names;
	unsigned int count, ids[3];
} by_plan[] = {
	{ "the only one", "lttng-mm", "lttng-mm", 1, { 0 } },
	{ "the only one, whatever its number", "lttng-mm", "lttng-mm", 1, { 7 } },
	{ "two, in any order", "lttng-mm,lttng-mm-rare", "lttng-mm-rare lttng-mm", 2, { 1, 0 } },
	{ "three", "a,b,c", "a c b", 3, { 0, 2, 1 } },
	{ "one that the plan does not have", "a,b", "- - -", 3, { 0, 1, 2 } },
	{ "one that is gone", "a,b,c", "- -", 2, { 0, 1 } },
	{ "another one in the place of one", "a,b", "a -", 2, { 0, 2 } },
};

static void test_planned_names(void)
{
	for (size_t i = 0; i < sizeof(by_plan) / sizeof(*by_plan); i++) {
		struct freeze_session session = { .channels = by_plan[i].count };
		struct freeze freeze = { .sessions = &session,
					 .session_count = 1,
					 .channel_count = by_plan[i].count };
		char names[64] = "";

		strcpy(session.channel_names, by_plan[i].planned);
		for (unsigned int k = 0; k < by_plan[i].count; k++)
			freeze.channels[k].is.id = by_plan[i].ids[k];
		freeze_name_channels(&freeze);
		for (unsigned int k = 0; k < by_plan[i].count; k++)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.16s",
				 k ? " " : "",
				 freeze.channels[k].name[0] ? freeze.channels[k].name : "-");
		tap(!strcmp(names, by_plan[i].names), "names by the plan: %s: %s", by_plan[i].name,
		    names);
	}
}

int main(void)
{
	test_clocks();
	test_names();
	test_planned_names();
	return tap_status();
}
