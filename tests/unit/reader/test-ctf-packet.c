// SPDX-License-Identifier: LGPL-2.1-only
/* Tests packets of synthetic files: order, timestamps, losses and damage. */
#include "tests/unit/ctf-files.h"

/* Cases with the same result for all shapes. */
static const struct {
	const char *name;
	struct file files[FILES_MAX];
	const char *expected;
} cases[] = {
	{ "walk: sound packets",
	  { { "a", 1, { P(10, 20, 5, 3), P(20, 30, 6, 3) }, 0 } },
	  "a 0@0: 10-20\n"
	  "a 1@512: 20-30\n" },
	{ "walk: losses between packets, none before the first",
	  { { "a", 1, { P(10, 20, 5, 3), P(21, 30, 9, 3), P(31, 40, 10, 10) }, 0 } },
	  "a 0@0: 10-20\n"
	  "a 1@512: 21-30, 3 packets lost since 20\n"
	  "a 2@1024: 31-40, 7 events lost\n" },
	{ "walk: files of a stream in time order, counters continue",
	  { { "a", 1, { P(50, 60, 7, 5) }, 0 },
	    { "b", 1, { P(10, 20, 5, 3), P(20, 30, 6, 3) }, 0 },
	    { "c", 0, { P(1, 2, 0, 0) }, 0 } },
	  "c 0@0: 1-2\n"
	  "b 0@0: 10-20\n"
	  "b 1@512: 20-30\n"
	  "a 0@0: 50-60, 2 events lost\n" },
	{ "walk: last packet truncated in its padding, in its content, in its header",
	  { { "a", 1, { P(10, 20, 0, 0), P(20, 30, 1, 0) }, 100 },
	    { "b", 2, { P(10, 20, 0, 0), P(20, 30, 1, 0) }, 300 },
	    { "c", 3, { P(10, 20, 0, 0), P(20, 30, 1, 0) }, 500 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: the file ends within the packet: 412 bytes of it are present (read)\n"
	  "a 1@512: 20-30, truncated to 256 of 412\n"
	  "b 0@0: 10-20\n"
	  "! b 1@512: the file ends within the packet: 212 bytes of it are present\n"
	  "b 1@512: 20-30, truncated to 212 of 212\n"
	  "c 0@0: 10-20\n"
	  "! c 1@512: the file ends within the packet's header or context; the rest of the file is skipped\n" },
	{ "damage: magic number, UUID, stream class",
	  { { "a",
	      1,
	      { P(10, 20, 0, 0), D(20, 30, 1, 0, MAGIC), P(30, 40, 2, 0), D(40, 50, 3, 0, UUID),
		P(50, 60, 4, 0), D(60, 70, 5, 0, CLASS) },
	      0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: wrong magic number; skipped up to byte 1024\n"
	  "a 2@1024: 30-40\n"
	  "! a 3@1536: the UUID is not the trace's\n"
	  "a 4@2048: 50-60, 1 packets lost since 40\n"
	  "! a 5@2560: no stream class has the stream's id; the rest of the file is skipped\n" },
	{ "damage: sizes",
	  { { "a",
	      1,
	      { P(10, 20, 0, 0), D(20, 30, 1, 0, ODD_SIZE), P(30, 40, 2, 0),
		D(40, 50, 3, 0, NO_SIZE), P(50, 60, 4, 0), D(60, 70, 5, 0, CONTENT_OVER) },
	      0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: packet_size is not a multiple of 8 bits; skipped up to byte 1024\n"
	  "a 2@1024: 30-40, 1 packets lost since 20\n"
	  "! a 3@1536: packet_size is 0; skipped up to byte 2048\n"
	  "a 4@2048: 50-60, 1 packets lost since 40\n"
	  "! a 5@2560: content_size is larger than packet_size; the rest of the file is skipped\n" },
	{ "damage: several packets in a row are skipped at once",
	  { { "a",
	      1,
	      { P(10, 20, 0, 0), D(20, 30, 1, 0, CONTENT_UNDER), D(30, 40, 2, 0, CLASS),
		P(40, 50, 3, 0) },
	      0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: content_size is smaller than packet header and context; skipped up to byte 1536\n"
	  "a 2@1536: 40-50, 2 packets lost since 20\n" },
	{ "damage: a size beyond the file's end, with packets after it",
	  { { "a", 1, { D(10, 20, 0, 0, HUGE), P(20, 30, 1, 0) }, 0 } },
	  "! a 0@0: packet_size exceeds the file; the next packet starts at byte 512\n"
	  "a 0@0: 10-20, truncated to 512 of 512\n"
	  "a 1@512: 20-30\n" },
	{ "damage: the first packet of a file whose others are intact",
	  { { "a", 1, { D(10, 20, 0, 0, CLASS), P(20, 30, 1, 0) }, 0 } },
	  "! a 0@0: no stream class has the stream's id; skipped up to byte 512\n"
	  "a 1@512: 20-30\n" },
	{ "damage: timestamps and counters that go backwards",
	  { { "a", 1, { P(10, 20, 5, 9), P(15, 30, 6, 9), P(40, 35, 6, 9), P(50, 60, 3, 8) }, 0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: the packet starts at 15, before the end of the previous packet, 20 (read)\n"
	  "a 1@512: 15-30\n"
	  "! a 2@1024: packet_seq_num goes from 6 to 6; the number of this packet or of the previous one is wrong (read)\n"
	  "! a 2@1024: the packet ends at 35, before its start at 40 (read)\n"
	  "a 2@1024: 40-35\n"
	  "! a 3@1536: events_discarded goes backwards, from 9 to 8 (read)\n"
	  "! a 3@1536: packet_seq_num goes from 6 to 3; the number of this packet or of the previous one is wrong (read)\n"
	  "a 3@1536: 50-60\n" },
};

/* Cases whose result depends on the shape. */
static const struct {
	const char *name;
	struct shape shape;
	struct file files[FILES_MAX];
	const char *expected;
} special[] = {
	{ "walk: timestamps and counters that wrap",
	  { .name = "16 bits", .width = 16 },
	  { { "a",
	      1,
	      { P(65000, 100, 65534, 65535), P(200, 300, 65535, 1), P(100, 200, 1, 2) },
	      0 } },
	  "a 0@0: 65000-65636\n"
	  "a 1@512: 65736-65836, 2 events lost\n"
	  "a 2@1024: 131172-131272, 1 events lost, 1 packets lost since 65836\n" },
	{ "walk: without stream ids each file is a stream",
	  { .name = "no id", .width = 64, .no_id = true },
	  { { "a", 1, { P(50, 60, 7, 0) }, 0 }, { "b", 1, { P(10, 20, 5, 0) }, 0 } },
	  "a 0@0: 50-60\n"
	  "b 0@0: 10-20\n" },
	{ "walk: without sizes a file is a packet",
	  { .name = "no sizes", .width = 64, .no_sizes = true },
	  { { "a", 1, { P(50, 60, 7, 0), P(60, 70, 8, 0) }, 0 } },
	  "a 0@0: 50-60\n" },
	{ "walk: a packet that was open at a crash has no end",
	  { .name = "lttng-ust 2.13", .width = 64, .tracer = "lttng-ust", .minor = 13 },
	  { { "a", 1, { P(40, 50, 6, 0), P(50, 0, 7, 0) }, 0 } },
	  "a 0@0: 40-50\n"
	  "a 1@512: 50-x\n" },
	{ "walk: without a trustworthy end, a packet ends where the next one starts",
	  { .name = "lttng-modules 2.8", .width = 64, .tracer = "lttng-modules", .minor = 8 },
	  { { "a", 1, { P(10, 11, 5, 0), P(20, 21, 6, 0), P(40, 41, 8, 7) }, 0 } },
	  "a 0@0: 10-20\n"
	  "a 1@512: 20-40\n"
	  "a 2@1024: 40-x, 7 events lost, 1 packets lost since 40\n" },
	{ "walk: one of another tracer has an end",
	  { .name = "tracer 2.13", .width = 64, .tracer = "tracer", .minor = 13 },
	  { { "a", 1, { P(50, 0, 7, 0) }, 0 } },
	  "! a 0@0: the packet ends at 0, before its start at 50 (read)\n"
	  "a 0@0: 50-0\n" },
	{ "walk: LTTng omits a discarded-event count",
	  { .name = "lttng-modules 2.14", .width = 64, .tracer = "lttng-modules", .minor = 14 },
	  { { "a",
	      1,
	      { P(10, 20, 0, 0), P(20, 30, 1, 7), P(30, 40, 2, 0), P(40, 50, 3, 0),
		P(50, 60, 4, 9) },
	      0 },
	    { "b", 1, { P(70, 80, 5, 0), P(80, 90, 6, 9), P(90, 95, 7, 8) }, 0 } },
	  "a 0@0: 10-20\n"
	  "a 1@512: 20-30, 7 events lost\n"
	  "a 2@1024: 30-40, unknown number of events lost\n"
	  "a 3@1536: 40-50, unknown number of events lost\n"
	  "a 4@2048: 50-60, 2 events lost in 3 packets since 30\n"
	  "b 0@0: 70-80, unknown number of events lost\n"
	  "b 1@512: 80-90\n"
	  "! b 2@1024: events_discarded goes backwards, from 9 to 8 (read)\n"
	  "b 2@1024: 90-95, unknown number of events lost\n" },
	{ "walk: LTTng before 2.13.3 may count events of later packets",
	  { .name = "lttng-modules 2.12", .width = 64, .tracer = "lttng-modules", .minor = 12 },
	  { { "a",
	      1,
	      { P(10, 20, 0, 5), P(20, 30, 1, 9), P(30, 40, 2, 8), P(40, 50, 3, 9),
		P(50, 60, 4, 11) },
	      0 } },
	  "a 0@0: 10-20\n"
	  "a 1@512: 20-30, 4 events lost\n"
	  "a 2@1024: 30-40\n"
	  "a 3@1536: 40-50\n"
	  "a 4@2048: 50-60, 2 events lost\n" },
	{ "walk: newer ones do not",
	  { .name = "lttng-modules 2.14, discarded",
	    .width = 64,
	    .tracer = "lttng-modules",
	    .minor = 14 },
	  { { "a", 1, { P(10, 20, 0, 5), P(20, 30, 1, 9), P(30, 40, 2, 8), P(40, 50, 3, 9) }, 0 } },
	  "a 0@0: 10-20\n"
	  "a 1@512: 20-30, 4 events lost\n"
	  "! a 2@1024: events_discarded goes backwards, from 9 to 8 (read)\n"
	  "a 2@1024: 30-40, unknown number of events lost\n"
	  "a 3@1536: 40-50, 1 events lost\n" },
	{ "walk: other tracers do not omit it",
	  { .name = "tracer 2.13, discarded", .width = 64, .tracer = "tracer", .minor = 13 },
	  { { "a", 1, { P(10, 20, 0, 7), P(20, 30, 1, 0), P(30, 40, 2, 9) }, 0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: events_discarded goes backwards, from 7 to 0 (read)\n"
	  "a 1@512: 20-30\n"
	  "a 2@1024: 30-40, 9 events lost\n" },
	{ "walk: old tracers' end timestamps are ignored",
	  { .name = "lttng-ust 2.10", .width = 64, .tracer = "lttng-ust", .minor = 10 },
	  { { "a", 1, { P(50, 60, 7, 0) }, 0 } },
	  "a 0@0: 50-x\n" },
	{ "walk: newer tracers' end timestamps are used",
	  { .name = "lttng-modules 2.11", .width = 64, .tracer = "lttng-modules", .minor = 11 },
	  { { "a", 1, { P(50, 60, 7, 0) }, 0 } },
	  "a 0@0: 50-60\n" },
};

static void run_case(const char *name, const struct shape *shape, const struct file *files,
		     const char *expected)
{
	struct mm_error err = MM_ERROR_INIT;
	struct record record = { .length = 0 };
	struct ctf_trace *trace;

	write_files(shape, files);
	trace = ctf_trace_open_class(folder, make_class(shape), &err);
	if (trace)
		walk(trace, INT64_MIN, &record);
	else
		say(&record, "%s\n", err.message);
	expect(name, shape->name, &record, expected);
	ctf_trace_close(trace);
	remove_files(files);
}

/* Tests a file that shrinks while it is open. */
static void test_shrinks(void)
{
	static const struct file files[FILES_MAX] = {
		{ "a", 1, { P(10, 20, 0, 0), P(20, 30, 1, 0) }, 0 },
	};
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_packet_iterator iterator;
	struct ctf_packet packet;
	struct ctf_trace *trace;
	uint64_t slots[1];
	char path[256];

	write_files(&shapes[0], files);
	trace = ctf_trace_open_class(folder, make_class(&shapes[0]), NULL);
	snprintf(path, sizeof(path), "%s/a", folder);
	if (!trace || truncate(path, 0))
		abort();
	ctf_packet_iterator_init(&iterator, &trace->streams[0], slots);
	tap(ctf_packet_next(&iterator, &packet, &err) == -1 && strstr(err.message, "shrank") &&
		    strstr(err.message, path),
	    "shrinks: %s", err.message);
	ctf_trace_close(trace);
	remove_files(files);
}

/* Tests files without a readable packet: they belong to no stream, but their damage is reported. */
static void test_no_stream(void)
{
	static const struct file files[FILES_MAX] = {
		{ "a", 1, { D(10, 20, 0, 0, CLASS), D(20, 30, 1, 0, CLASS) }, 0 },
		{ "b", 1, { P(10, 20, 0, 0) }, 0 },
		{ ".hidden", 1, { P(30, 40, 0, 0) }, 0 },
	};
	struct record record = { .length = 0 };
	struct ctf_trace *trace;
	char path[256];
	FILE *out;

	write_files(&shapes[0], files);
	snprintf(path, sizeof(path), "%s/empty", folder);
	out = fopen(path, "we");
	if (!out || fclose(out))
		abort();
	trace = ctf_trace_open_class(folder, make_class(&shapes[0]), NULL);
	if (!trace)
		abort();
	for (size_t i = 0; i < trace->finding_count; i++)
		say_finding(&record, &trace->findings[i]);
	walk(trace, INT64_MIN, &record);
	expect("files", "damaged, sound, hidden, empty", &record,
	       "! a 0@0: no stream class has the stream's id\nb 0@0: 10-20\n");
	ctf_trace_close(trace);
	unlink(path);
	remove_files(files);
}

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++)
			run_case(cases[i].name, &shapes[j], cases[i].files, cases[i].expected);
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		run_case(special[i].name, &special[i].shape, special[i].files, special[i].expected);
	test_shrinks();
	test_no_stream();
	rmdir(folder);
	return tap_status();
}
