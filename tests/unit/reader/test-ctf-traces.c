// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests several folders: which folders belong to one trace, how traces are named, and which packets
 * each trace has.
 */
#include <sys/stat.h>

#include "tests/unit/ctf-files.h"

#define TRACES_MAX 3

struct trace_member {
	const char *folder; /* below the root */
	unsigned int uuid;  /* last digit of the UUID; 0: the UUID in packets */
	const char *host;
	int classes; /* event classes */
	struct file file;
};

/* Writes metadata with the layout of shapes[0]. */
static void write_metadata(const char *path, const struct trace_member *member)
{
	FILE *out = fopen(path, "we");

	if (!out)
		abort();
	fprintf(out,
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; } := uint8_t;\n"
		"typealias integer { size = 32; align = 8; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; } := uint64_t;\n"
		"trace { major = 1; minor = 8; byte_order = le;\n"
		"uuid = \"01020304-0506-0708-090a-0b0c0d0e0f%02x\";\n"
		"packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id;\n"
		"uint64_t stream_instance_id; }; };\n"
		"env { hostname = \"%s\"; };\n"
		"clock { name = c; };\n"
		"typealias integer { size = 64; align = 8; map = clock.c.value; } := time_t;\n"
		"stream { id = 7; event.header := struct { uint32_t id; time_t timestamp; };\n"
		"packet.context := struct { time_t timestamp_begin; time_t timestamp_end;\n"
		"uint64_t packet_seq_num; uint64_t events_discarded; uint64_t content_size;\n"
		"uint64_t packet_size; uint32_t cpu_id; }; };\n",
		member->uuid ? member->uuid : 16, member->host);
	for (int i = 0; i < member->classes; i++)
		fprintf(out, "event { name = e%d; id = %d; stream_id = 7; };\n", i, i);
	if (fclose(out))
		abort();
}

static const struct {
	const char *name;
	struct trace_member members[TRACES_MAX];
	const char *expected; /* NAME, number of classes, and packets of each trace */
	int64_t begin_ns;     /* the first seek target; 0: none */
} cases[] = {
	{ "traces of different UUIDs remain separate",
	  { { "a", 16, "h", 1, { "s", 1, { P(10, 20, 1, 0) }, 0 } },
	    { "b/c", 17, "g", 1, { "s", 1, { P(10, 20, 1, 0) }, 0 } } },
	  "h/a, 1 classes\n"
	  "s 0@0: 10-20\n"
	  "g/b/c, 1 classes\n"
	  "! s 0@0: the UUID is not the trace's\n",
	  0 },
	{ "folders with one UUID are joined, with the larger metadata",
	  { { "a", 16, "h", 1, { "s", 1, { P(10, 20, 1, 0), P(20, 30, 2, 0) }, 0 } },
	    { "b", 16, "h", 2, { "s", 1, { P(40, 50, 4, 3), P(50, 60, 5, 3) }, 0 } },
	    { "c", 16, "h", 1, { "s", 2, { P(15, 25, 1, 0) }, 0 } } },
	  "h, 2 classes\n"
	  "s 0@0: 10-20\n"
	  "s 1@512: 20-30\n"
	  "s 0@0: 40-50, 3 events lost, 1 packets lost since 30\n"
	  "s 1@512: 50-60\n"
	  "s 0@0: 15-25\n",
	  0 },
	{ "packets of several overlapping snapshots are read once",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s", 1, { P(10, 20, 1, 0), P(20, 30, 2, 0), P(30, 40, 3, 0) }, 0 } },
	    { "b",
	      16,
	      "h",
	      1,
	      { "s", 1, { P(20, 30, 2, 0), P(30, 40, 3, 0), P(40, 50, 4, 0) }, 0 } } },
	  "h, 1 classes\n"
	  "s 0@0: 10-20\n"
	  "s 1@512: 20-30\n"
	  "s 2@1024: 30-40\n"
	  "s 2@1024: 40-50\n",
	  0 },
	{ "overlapping snapshots from a time that both have",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s", 1, { P(10, 20, 1, 0), P(20, 30, 2, 0), P(30, 40, 3, 0) }, 0 } },
	    { "b",
	      16,
	      "h",
	      1,
	      { "s", 1, { P(20, 30, 2, 0), P(30, 40, 3, 0), P(40, 50, 4, 0) }, 0 } } },
	  "h, 1 classes\n"
	  "s 2@1024: 30-40\n"
	  "s 2@1024: 40-50\n",
	  35 },
	{ "a snapshot within another from a time after it",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s",
		1,
		{ P(10, 20, 1, 0), P(20, 30, 2, 0), P(30, 40, 3, 0), P(40, 50, 4, 0) },
		0 } },
	    { "b", 16, "h", 1, { "s", 1, { P(20, 30, 2, 0) }, 0 } } },
	  "h, 1 classes\n"
	  "s 2@1024: 30-40\n"
	  "s 3@1536: 40-50\n",
	  35 },
	{ "the same snapshot twice",
	  { { "a", 16, "h", 1, { "s", 1, { P(10, 20, 1, 0), P(20, 30, 2, 0) }, 0 } },
	    { "b", 16, "h", 1, { "s", 1, { P(10, 20, 1, 0), P(20, 30, 2, 0) }, 0 } } },
	  "h, 1 classes\n"
	  "s 1@512: 20-30\n",
	  25 },
	{ "a later snapshot, and the losses before it",
	  { { "a", 16, "h", 1, { "s", 1, { P(10, 20, 1, 0), P(20, 30, 2, 0) }, 0 } },
	    { "b", 16, "h", 1, { "s", 1, { P(40, 50, 4, 3), P(50, 60, 5, 3) }, 0 } } },
	  "h, 1 classes\n"
	  "s 0@0: 40-50, 3 events lost, 1 packets lost since 30\n"
	  "s 1@512: 50-60\n",
	  45 },
	{ "a dumped ring is read by sequence number",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s",
		1,
		{ P(50, 60, 5, 0), P(60, 70, 6, 0), P(30, 40, 3, 0), P(40, 50, 4, 0) },
		0 } } },
	  "h/a, 1 classes\n"
	  "s 2@1024: 30-40\n"
	  "s 3@1536: 40-50\n"
	  "s 0@0: 50-60\n"
	  "s 1@512: 60-70\n",
	  0 },
	{ "... and from a time on",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s",
		1,
		{ P(50, 60, 5, 0), P(60, 70, 6, 0), P(30, 40, 3, 0), P(40, 50, 4, 0) },
		0 } } },
	  "h/a, 1 classes\n"
	  "s 0@0: 50-60\n"
	  "s 1@512: 60-70\n",
	  55 },
	{ "... if a packet of it was overwritten, that one is lost",
	  { { "a", 16, "h", 1, { "s", 1, { P(60, 70, 6, 0), P(30, 40, 3, 0) }, 0 } } },
	  "h/a, 1 classes\n"
	  "s 1@512: 30-40\n"
	  "s 0@0: 60-70, 2 packets lost since 40\n",
	  0 },
	{ "where numbers start again, start timestamps give the order",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s",
		1,
		{ P(50, 60, 1, 0), P(10, 20, 1, 0), P(60, 70, 2, 0), P(20, 30, 2, 0) },
		0 } } },
	  "h/a, 1 classes\n"
	  "s 1@512: 10-20\n"
	  "s 3@1536: 20-30\n"
	  "! s 0@0: packet_seq_num goes from 2 to 1; the number of this packet or of the previous one is wrong (read)\n"
	  "s 0@0: 50-60\n"
	  "s 2@1024: 60-70\n",
	  0 },
	{ "... also if they start again as often in the order of the file",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s",
		1,
		{ P(50, 60, 1, 0), P(60, 70, 2, 0), P(10, 20, 1, 0), P(20, 30, 2, 0) },
		0 } } },
	  "h/a, 1 classes\n"
	  "s 2@1024: 10-20\n"
	  "s 3@1536: 20-30\n"
	  "! s 0@0: packet_seq_num goes from 2 to 1; the number of this packet or of the previous one is wrong (read)\n"
	  "s 0@0: 50-60\n"
	  "s 1@512: 60-70\n",
	  0 },
	{ "numbers that start again while time continues are in order",
	  { { "a", 16, "h", 1, { "s", 1, { P(10, 20, 8, 0), P(20, 30, 1, 0) }, 0 } } },
	  "h/a, 1 classes\n"
	  "s 0@0: 10-20\n"
	  "! s 1@512: packet_seq_num goes from 8 to 1; the number of this packet or of the previous one is wrong (read)\n"
	  "s 1@512: 20-30\n",
	  0 },
	{ "a clock that goes back is not sorted",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s", 1, { P(10, 20, 1, 0), P(15, 25, 2, 0), P(25, 30, 3, 0) }, 0 } } },
	  "h/a, 1 classes\n"
	  "s 0@0: 10-20\n"
	  "! s 1@512: the packet starts at 15, before the end of the previous packet, 20 (read)\n"
	  "s 1@512: 15-25\n"
	  "s 2@1024: 25-30\n"
	  "order: s 1@512; 1\n",
	  0 },
	{ "... nor one that goes back by more than a packet",
	  { { "a", 16, "h", 1, { "s", 1, { P(100, 200, 1, 0), P(15, 25, 2, 0) }, 0 } } },
	  "h/a, 1 classes\n"
	  "s 0@0: 100-200\n"
	  "! s 1@512: the packet starts at 15, before the end of the previous packet, 200 (read)\n"
	  "s 1@512: 15-25\n"
	  "order: s 1@512; 1\n",
	  0 },
	{ "... and is read completely, whatever time is requested",
	  { { "a", 16, "h", 1, { "s", 1, { P(100, 200, 1, 0), P(15, 25, 2, 0) }, 0 } } },
	  "h/a, 1 classes\n"
	  "s 0@0: 100-200\n"
	  "! s 1@512: the packet starts at 15, before the end of the previous packet, 200 (read)\n"
	  "s 1@512: 15-25\n"
	  "order: s 1@512; 1\n",
	  300 },
	{ "packets of another trace are skipped, also at the start of the file",
	  { { "a",
	      16,
	      "h",
	      1,
	      { "s", 1, { D(90, 95, 7, 0, UUID), P(10, 20, 1, 0), P(20, 30, 2, 0) }, 0 } } },
	  "h/a, 1 classes\n"
	  "! s 0@0: the UUID is not the trace's\n"
	  "s 1@512: 10-20\n"
	  "s 2@1024: 20-30\n",
	  0 },
};

static char root[] = "/tmp/test-ctf-traces.XXXXXX";

/* Makes the folder and its parents. */
static void make_folders(char *path)
{
	for (char *c = path + sizeof(root); *c; c++)
		if (*c == '/') {
			*c = '\0';
			mkdir(path, 0700);
			*c = '/';
		}
	mkdir(path, 0700);
}

static void remove_folders(char *path)
{
	while (strlen(path) >= sizeof(root)) {
		rmdir(path);
		*strrchr(path, '/') = '\0';
	}
}

/* Writes "order: FILE NUMBER@OFFSET; COUNT" if packets of the stream go back in time. */
static void say_order(const struct ctf_stream *stream, struct record *record)
{
	char file[256];
	unsigned long packet, byte, count;

	if (stream->order == CTF_ORDER_NONE &&
	    sscanf(stream->backward, "trace: %255[^:]: packet %lu, byte %lu: %*[^;]; %lu packet",
		   file, &packet, &byte, &count) == 4)
		say(record, "order: %s %lu@%lu; %lu\n", base_name(file), packet, byte, count);
}

static void run_case(size_t number)
{
	const struct trace_member *members = cases[number].members;
	char *folders[TRACES_MAX] = { NULL };
	struct record record = { .length = 0 };
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace **traces;
	size_t folder_count = 0, count = 0;
	char path[256];

	for (; folder_count < TRACES_MAX && members[folder_count].folder; folder_count++) {
		const struct trace_member *member = &members[folder_count];
		const struct file files[FILES_MAX] = { member->file };

		snprintf(folder, sizeof(folder), "%s/%s", root, member->folder);
		make_folders(folder);
		folders[folder_count] = strdup(folder);
		write_files(&shapes[0], files);
		snprintf(path, sizeof(path), "%s/metadata", folder);
		write_metadata(path, member);
	}
	traces = ctf_traces_open(root, folders, folder_count, NULL, 0, &count, &err);
	if (!traces)
		say(&record, "%s\n", err.message);
	for (size_t i = 0; traces && i < count; i++) {
		size_t classes = traces[i]->class->streams[0]->event_count;

		say(&record, "%s, %zu classes\n", traces[i]->name, classes);
		for (size_t j = 0; j < traces[i]->finding_count; j++)
			say_finding(&record, &traces[i]->findings[j]);
		walk(traces[i], cases[number].begin_ns ? cases[number].begin_ns : INT64_MIN,
		     &record);
		for (size_t j = 0; j < traces[i]->stream_count; j++)
			say_order(&traces[i]->streams[j], &record);
	}
	expect("traces", cases[number].name, &record, cases[number].expected);
	ctf_traces_close(traces, count);
	for (size_t i = 0; i < folder_count; i++) {
		const struct file files[FILES_MAX] = { members[i].file };

		snprintf(folder, sizeof(folder), "%s", folders[i]);
		remove_files(files);
		snprintf(path, sizeof(path), "%s/metadata", folder);
		unlink(path);
		remove_folders(folders[i]);
		free(folders[i]);
	}
}

int main(void)
{
	if (!mkdtemp(root))
		abort();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(i);
	rmdir(root);
	return tap_status();
}
