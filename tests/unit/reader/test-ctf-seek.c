// SPDX-License-Identifier: LGPL-2.1-only
/* Tests seeking to a time, with and without LTTng's index files, and the order of streams. */
#include <endian.h>
#include <sys/stat.h>

#include "tests/unit/ctf-files.h"

enum index {
	NO_INDEX,
	SOUND_INDEX,
	EARLY_INDEX,
	SHORT_INDEX,
	OFFSET_INDEX,
	COUNT_INDEX,
	EMPTY_INDEX,
	PART_INDEX /* the index lacks the last packet */
};

static void write_index(const struct file *file, enum index kind)
{
	uint64_t data[2 + 9 * PACKETS_MAX] = { htobe64(UINT64_C(0xc1f1dcc100000001)),
					       htobe64(UINT64_C(0x0000000100000048)) };
	uint64_t *entry = data + 2;
	char path[256];
	FILE *out;

	for (size_t i = 0; i < PACKETS_MAX && !is_end(&file->packets[i]) && kind != EMPTY_INDEX;
	     i++) {
		const struct packet *packet = &file->packets[i];
		uint64_t early = kind == EARLY_INDEX ? 5 : 0;
		const uint64_t values[] = { (i + (kind == OFFSET_INDEX)) * PACKET_BYTES,
					    8 * PACKET_BYTES,
					    8 * EVENT_BYTES,
					    packet->begin - early,
					    packet->end - early,
					    kind == COUNT_INDEX && !i ? 3 : packet->discarded,
					    7,
					    file->id,
					    packet->seq };

		if (kind == PART_INDEX && (i + 1 == PACKETS_MAX || is_end(&file->packets[i + 1])))
			break;
		for (size_t j = 0; j < 9; j++)
			*entry++ = htobe64(values[j]);
	}
	snprintf(path, sizeof(path), "%s/index", folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/index/%s.idx", folder, file->name);
	out = fopen(path, "we");
	if (!out || fwrite(data, (size_t)(entry - data) * 8 - (kind == SHORT_INDEX), 1, out) != 1 ||
	    fclose(out))
		abort();
}

static void remove_index(const struct file *file)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/index/%s.idx", folder, file->name);
	unlink(path);
	snprintf(path, sizeof(path), "%s/index", folder);
	rmdir(path);
}

/*
 * Two consecutive packets are damaged. Without the index, the reader sees one damaged area, so it
 * gives the later packets smaller numbers. The expected numbers therefore show whether the reader
 * used the index.
 */
static const struct file seek_files[FILES_MAX] = {
	{ "a",
	  1,
	  { P(10, 20, 0, 0), D(20, 30, 1, 0, CLASS), D(30, 40, 2, 0, CLASS), P(40, 50, 3, 0),
	    P(50, 60, 4, 2), P(60, 70, 5, 2) },
	  0 },
	{ "b", 1, { P(100, 110, 7, 2), P(110, 120, 8, 2) }, 0 },
};

#define SEEK_B "b 0@0: 100-110, 1 packets lost since 70\nb 1@512: 110-120\n"

static const struct {
	const char *name;
	enum index index;
	int64_t begin_ns;
	const char *expected;
} seeks[] = {
	{ "by headers", NO_INDEX, 55, "a 3@2048: 50-60, 2 events lost\na 4@2560: 60-70\n" SEEK_B },
	{ "by index", SOUND_INDEX, 55, "a 4@2048: 50-60, 2 events lost\na 5@2560: 60-70\n" SEEK_B },
	{ "by index, to the end of a packet", SOUND_INDEX, 60,
	  "a 4@2048: 50-60, 2 events lost\na 5@2560: 60-70\n" SEEK_B },
	{ "an index with wrong timestamps is not used", EARLY_INDEX, 58,
	  "a 3@2048: 50-60, 2 events lost\na 4@2560: 60-70\n" SEEK_B },
	{ "an index with wrong offsets is not used", OFFSET_INDEX, 55,
	  "a 3@2048: 50-60, 2 events lost\na 4@2560: 60-70\n" SEEK_B },
	{ "a truncated index is not used", SHORT_INDEX, 55,
	  "a 3@2048: 50-60, 2 events lost\na 4@2560: 60-70\n" SEEK_B },
	{ "to a later file", SOUND_INDEX, 115, "b 1@512: 110-120\n" },
	{ "between files", SOUND_INDEX, 80, SEEK_B },
	{ "after the end", SOUND_INDEX, 121, "" },
	{ "before all", SOUND_INDEX, -5,
	  "a 0@0: 10-20\n"
	  "! a 1@512: no stream class has the stream's id; skipped up to byte 1536\n"
	  "a 2@1536: 40-50, 2 packets lost since 20\n"
	  "a 3@2048: 50-60, 2 events lost\na 4@2560: 60-70\n" SEEK_B },
};

static void test_seek(void)
{
	for (size_t i = 0; i < sizeof(seeks) / sizeof(seeks[0]); i++) {
		struct record record = { .length = 0 };
		struct ctf_trace *trace;

		write_files(&shapes[0], seek_files);
		if (seeks[i].index != NO_INDEX)
			write_index(&seek_files[0], seeks[i].index);
		trace = ctf_trace_open_class(folder, make_class(&shapes[0]), NULL);
		if (!trace)
			abort();
		walk(trace, seeks[i].begin_ns, &record);
		expect("seek", seeks[i].name, &record, seeks[i].expected);
		ctf_trace_close(trace);
		remove_index(&seek_files[0]);
		remove_files(seek_files);
	}
}

#define UNKNOWN ", unknown number of events lost\n"

/* The range of a loss may start at a packet before the requested time, even in an earlier file. */
static const struct {
	const char *name;
	struct file files[FILES_MAX];
	int64_t begin_ns;
	const char *expected;
} before[] = {
	{ "an omitted count",
	  { { "a",
	      1,
	      { P(10, 20, 0, 2), P(20, 30, 1, 7), P(30, 40, 2, 0), P(40, 50, 3, 0),
		P(50, 60, 4, 9) },
	      0 } },
	  52,
	  "a 4@2048: 50-60, 2 events lost in 3 packets since 30\n" },
	{ "an omitted count after others",
	  { { "a", 1, { P(10, 20, 0, 7), P(20, 30, 1, 0), P(30, 40, 2, 0), P(40, 50, 3, 9) }, 0 } },
	  35,
	  "a 2@1024: 30-40" UNKNOWN "a 3@1536: 40-50, 2 events lost in 3 packets since 20\n" },
	{ "nothing lost at the start",
	  { { "a", 1, { P(10, 20, 0, 0), P(20, 30, 1, 0), P(30, 40, 2, 5), P(40, 50, 3, 5) }, 0 } },
	  35,
	  "a 2@1024: 30-40, 5 events lost\na 3@1536: 40-50\n" },
	{ "nothing lost in the file before",
	  { { "a", 1, { P(10, 20, 0, 0), P(20, 30, 1, 0) }, 0 },
	    { "b", 1, { P(30, 40, 3, 5), P(40, 50, 4, 5) }, 0 } },
	  35,
	  "b 0@0: 30-40, 5 events lost, 1 packets lost since 30\nb 1@512: 40-50\n" },
	{ "omitted counts in two files",
	  { { "a", 1, { P(10, 20, 0, 7), P(20, 30, 1, 7) }, 0 },
	    { "b", 1, { P(30, 40, 2, 0), P(40, 50, 3, 0) }, 0 },
	    { "c", 1, { P(50, 60, 4, 0), P(60, 70, 5, 0), P(70, 80, 6, 9) }, 0 } },
	  65,
	  "c 1@512: 60-70" UNKNOWN "c 2@1024: 70-80, 2 events lost in 5 packets since 30\n" },
	{ "omitted counts at the end of a file",
	  { { "a", 1, { P(10, 20, 0, 7), P(20, 30, 1, 0) }, 0 },
	    { "b", 1, { P(30, 40, 2, 0), P(40, 50, 3, 9) }, 0 } },
	  35,
	  "b 0@0: 30-40" UNKNOWN "b 1@512: 40-50, 2 events lost in 3 packets since 20\n" },
};

static void test_seek_before(void)
{
	static const struct {
		const char *name;
		enum index first, others, last;
	} indexes[] = {
		{ "by headers", NO_INDEX, NO_INDEX, NO_INDEX },
		{ "by index", SOUND_INDEX, SOUND_INDEX, SOUND_INDEX },
		{ "by an index with a wrong count", COUNT_INDEX, COUNT_INDEX, COUNT_INDEX },
		{ "by an index for some files", NO_INDEX, SOUND_INDEX, SOUND_INDEX },
		{ "by an index that is empty for some", EMPTY_INDEX, EMPTY_INDEX, SOUND_INDEX },
		{ "by an index that lacks last packets", PART_INDEX, PART_INDEX, SOUND_INDEX },
	};
	const size_t kinds = sizeof(indexes) / sizeof(indexes[0]);
	const struct shape shape = {
		.name = "lttng-modules 2.13", .width = 64, .tracer = "lttng-modules", .minor = 13
	};

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]) * kinds; i++) {
		const struct file *files = before[i / kinds].files;
		struct record record = { .length = 0 };
		struct ctf_trace *trace;

		write_files(&shape, files);
		for (size_t j = 0; j < FILES_MAX && files[j].name; j++) {
			bool last = j + 1 == FILES_MAX || !files[j + 1].name;
			enum index index = last ? indexes[i % kinds].last
					   : !j ? indexes[i % kinds].first
						: indexes[i % kinds].others;

			if (index != NO_INDEX)
				write_index(&files[j], index);
		}
		trace = ctf_trace_open_class(folder, make_class(&shape), NULL);
		if (!trace)
			abort();
		walk(trace, before[i / kinds].begin_ns, &record);
		expect(indexes[i % kinds].name, before[i / kinds].name, &record,
		       before[i / kinds].expected);
		ctf_trace_close(trace);
		for (size_t j = 0; j < FILES_MAX && files[j].name; j++)
			remove_index(&files[j]);
		remove_files(files);
	}
}

/* Unreadable data may belong to the requested time range, so it must be reported. */
static const struct {
	const char *name;
	struct file files[FILES_MAX];
	int64_t begin_ns;
	const char *expected;
} damaged[] = {
	{ "the last packet",
	  { { "a", 1, { P(10, 20, 0, 0), P(20, 30, 1, 0), D(30, 40, 2, 0, CLASS) }, 0 } },
	  35,
	  "! a 2@1024: no stream class has the stream's id; the rest of the file is skipped\n" },
	{ "the last packets of a file, before the time range",
	  { { "a", 1, { P(10, 20, 0, 0), D(20, 30, 1, 0, CLASS) }, 0 },
	    { "b", 1, { P(30, 40, 2, 0), P(40, 50, 3, 0) }, 0 } },
	  45,
	  "b 1@512: 40-50\n" },
	{ "a file of another trace",
	  { { "a", 1, { P(10, 20, 0, 0), P(20, 30, 1, 0), P(30, 40, 2, 0) }, 0 },
	    { "b", 1, { D(25, 30, 0, 0, UUID), D(30, 60, 1, 0, UUID) }, 0 } },
	  35,
	  "a 2@1024: 30-40\n"
	  "! b 0@0: the UUID is not the trace's\n"
	  "! b 1@512: the UUID is not the trace's\n" },
};

static void test_seek_damaged(void)
{
	for (size_t i = 0; i < 2 * sizeof(damaged) / sizeof(damaged[0]); i++) {
		const struct file *files = damaged[i / 2].files;
		struct record record = { .length = 0 };
		struct ctf_trace *trace;

		write_files(&shapes[0], files);
		if (i % 2)
			write_index(&files[0], SOUND_INDEX);
		trace = ctf_trace_open_class(folder, make_class(&shapes[0]), NULL);
		if (!trace)
			abort();
		walk(trace, damaged[i / 2].begin_ns, &record);
		expect(i % 2 ? "damage, by index" : "damage, by headers", damaged[i / 2].name,
		       &record, damaged[i / 2].expected);
		ctf_trace_close(trace);
		remove_index(&files[0]);
		remove_files(files);
	}
}

/* Packets without an end timestamp end where the next one starts. */
static void test_seek_no_end(void)
{
	static const struct file files[FILES_MAX] = {
		{ "a",
		  1,
		  { P(10, 20, 0, 0), P(20, 30, 1, 0), P(30, 40, 2, 0), P(40, 50, 3, 0) },
		  0 },
	};
	const struct shape shape = {
		.name = "lttng-ust 2.10", .width = 64, .tracer = "lttng-ust", .minor = 10
	};
	struct record record = { .length = 0 };
	struct ctf_trace *trace;

	write_files(&shape, files);
	trace = ctf_trace_open_class(folder, make_class(&shape), NULL);
	if (!trace)
		abort();
	walk(trace, 35, &record);
	expect("seek", "packets without an end", &record, "a 2@1024: 30-40\na 3@1536: 40-x\n");
	ctf_trace_close(trace);
	remove_files(files);
}

/* Streams in the order of babeltrace2. */
static const struct {
	const char *name_space, *name, *uid;
	uint8_t uuid; /* 0: none */
	uint64_t class, stream;
} order[] = {
	{ "m", "z", "z", 0, 9, 9 },	 { "n", "a", "z", 0, 9, 9 },
	{ "n", "b", "a", 0, 0, 9 },	 { "n", "b", "b", 0, 1, 0 },
	{ "n", "b", "b", 0, 1, 10 },	 { "n", "b", NULL, 0, 0, 0 },
	{ NULL, "a", NULL, 0xf1, 5, 5 }, { NULL, "b", NULL, 0x1f, 1, 1 },
	{ NULL, "b", NULL, 0xf1, 0, 0 }, { NULL, "b", NULL, 0, 0, UINT64_MAX },
};

#define ORDER_COUNT (sizeof(order) / sizeof(order[0]))

static void test_order(void)
{
	struct ctf_trace_class trace_classes[ORDER_COUNT] = { 0 };
	struct ctf_stream_class classes[ORDER_COUNT] = { 0 };
	struct ctf_trace traces[ORDER_COUNT] = { 0 };
	struct ctf_stream streams[ORDER_COUNT] = { 0 };
	struct ctf_file file = { .path = folder };
	size_t wrong = 0;

	for (size_t i = 0; i < ORDER_COUNT; i++) {
		traces[i].class = &trace_classes[i];
		traces[i].class->name_space = (char *)order[i].name_space;
		traces[i].class->uid = (char *)order[i].uid;
		traces[i].class->has_uuid = order[i].uuid;
		memset(traces[i].class->uuid, order[i].uuid, 16);
		traces[i].name = (char *)order[i].name;
		classes[i].id = order[i].class;
		streams[i] = (struct ctf_stream){ .trace = &traces[i],
						  .class = &classes[i],
						  .id = order[i].stream,
						  .files = &file };
	}
	for (size_t i = 0; i < ORDER_COUNT; i++)
		for (size_t j = 0; j < ORDER_COUNT; j++) {
			int ret = ctf_stream_compare(&streams[i], &streams[j]);

			wrong += i < j ? ret >= 0 : i > j ? ret <= 0 : ret != 0;
		}
	tap(!wrong, "order: %zu streams of several traces, %zu pairs wrong", ORDER_COUNT, wrong);
}

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	test_seek();
	test_seek_before();
	test_seek_damaged();
	test_seek_no_end();
	test_order();
	rmdir(folder);
	return tap_status();
}
