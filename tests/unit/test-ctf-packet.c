// SPDX-License-Identifier: LGPL-2.1-only
/* Packets of files made here: order, times, losses, damage, and going to a time. */
#include "analysis/ctf/packet.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/tap.h"

#define PACKET_BYTES 512
#define EVENT_BYTES  256 /* content behind packet header and context */

static char folder[] = "/tmp/test-ctf-packet.XXXXXX";

/* What differs between the metadata of the cases. */
struct shape {
	const char *name;
	bool big_endian;
	bool variable;	    /* a string in the packet context: no places are fixed */
	bool bits;	    /* a field of 3 bits before the others: no byte is whole */
	unsigned int width; /* of clock values and counters */
	bool no_id, no_sizes;
	const char *tracer; /* tracer_name */
	int minor;	    /* of the tracer's version 2.MINOR.0 */
};

enum damage { SOUND, MAGIC, UUID, CLASS, ODD_SIZE, NO_SIZE, CONTENT_OVER, CONTENT_UNDER, HUGE };

struct packet {
	uint64_t begin, end, seq, discarded;
	enum damage damage;
};

/* begin, end, sequence number, discarded events; D with damage. */
#define P(b, e, s, d)             \
	{                         \
		b, e, s, d, SOUND \
	}
#define D(b, e, s, d, damage)      \
	{                          \
		b, e, s, d, damage \
	}

#define PACKETS_MAX 6
#define FILES_MAX   3

struct file {
	const char *name;
	uint64_t id;			    /* the stream's */
	struct packet packets[PACKETS_MAX]; /* up to one whose times and counters are all 0 */
	size_t cut;			    /* bytes taken away at the end */
};

static const uint8_t uuid[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static struct ctf_field *integer(const struct shape *shape, unsigned int size, uint32_t roles)
{
	struct ctf_field *field = ctf_field_create(CTF_UNSIGNED);

	field->size = size;
	field->align = shape->bits ? 1 : 8;
	field->big_endian = shape->big_endian;
	field->roles = roles;
	return field;
}

static void add(struct ctf_field *structure, const char *name, struct ctf_field *field)
{
	if (ctf_field_add_member(structure, name, field))
		abort();
}

static struct ctf_field *make_header(const struct shape *shape)
{
	struct ctf_field *header = ctf_field_create(CTF_STRUCT);
	struct ctf_field *id = ctf_field_create(CTF_STATIC_BLOB);

	id->length = 16;
	id->align = 8;
	id->roles = CTF_ROLE_UUID;
	add(header, "magic", integer(shape, 32, CTF_ROLE_MAGIC));
	add(header, "uuid", id);
	add(header, "stream_id", integer(shape, 32, CTF_ROLE_STREAM_CLASS_ID));
	if (!shape->no_id)
		add(header, "stream_instance_id", integer(shape, 64, CTF_ROLE_STREAM_ID));
	return header;
}

static struct ctf_field *make_context(const struct shape *shape, const struct ctf_clock *clock)
{
	static const struct {
		const char *name;
		uint32_t role;
	} fields[] = {
		{ "timestamp_begin", CTF_ROLE_TIME },
		{ "timestamp_end", CTF_ROLE_PACKET_END_TIME },
		{ "packet_seq_num", CTF_ROLE_PACKET_SEQ },
		{ "events_discarded", CTF_ROLE_DISCARDED },
	};
	struct ctf_field *context = ctf_field_create(CTF_STRUCT);

	if (shape->bits)
		add(context, "bits", integer(shape, 3, 0));
	if (shape->variable) {
		struct ctf_field *string = ctf_field_create(CTF_STRING);

		string->align = 8;
		add(context, "name", string);
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct ctf_field *field = integer(shape, shape->width, fields[i].role);

		if (fields[i].role & (CTF_ROLE_TIME | CTF_ROLE_PACKET_END_TIME))
			field->clock = clock;
		add(context, fields[i].name, field);
	}
	if (!shape->no_sizes) {
		add(context, "content_size", integer(shape, 64, CTF_ROLE_CONTENT_SIZE));
		add(context, "packet_size", integer(shape, 64, CTF_ROLE_PACKET_SIZE));
	}
	add(context, "cpu_id", integer(shape, 32, CTF_ROLE_CPU_ID));
	return context;
}

static struct ctf_trace_class *make_class(const struct shape *shape)
{
	struct ctf_trace_class *trace = ctf_trace_class_create();
	struct ctf_clock *clock = ctf_trace_class_add_clock(trace);
	struct ctf_stream_class *stream = ctf_trace_class_add_stream(trace, 7);
	struct mm_error err = MM_ERROR_INIT;

	clock->name = strdup("clock");
	clock->frequency = 1000000000;
	trace->has_uuid = true;
	memcpy(trace->uuid, uuid, sizeof(uuid));
	trace->packet_header = make_header(shape);
	stream->packet_context = make_context(shape, clock);
	stream->clock = clock;
	if (shape->tracer) {
		ctf_trace_class_add_env(trace, "tracer_name", CTF_ENV_STRING, shape->tracer, 0);
		ctf_trace_class_add_env(trace, "tracer_major", CTF_ENV_SIGNED, NULL, 2);
		ctf_trace_class_add_env(trace, "tracer_minor", CTF_ENV_SIGNED, NULL, shape->minor);
		ctf_trace_class_add_env(trace, "tracer_patchlevel", CTF_ENV_SIGNED, NULL, 0);
	}
	if (ctf_trace_class_finish(trace, "test", &err)) {
		printf("# %s\n", err.message);
		abort();
	}
	return trace;
}

struct writer {
	const struct shape *shape;
	uint8_t *data;
	size_t at; /* bits */
};

static void put(struct writer *writer, unsigned int size, uint64_t value)
{
	for (unsigned int i = 0; i < size; i++, writer->at++) {
		unsigned int bit = writer->shape->big_endian ? size - 1 - i : i;
		unsigned int in_byte = writer->at % 8;

		if (value >> bit & 1)
			writer->data[writer->at / 8] |=
				1u << (writer->shape->big_endian ? 7 - in_byte : in_byte);
	}
}

static void put_packet(const struct shape *shape, uint8_t *data, const struct packet *packet,
		       uint64_t id)
{
	struct writer writer = { .shape = shape, .data = data };
	uint64_t content = 8 * EVENT_BYTES, size = 8 * PACKET_BYTES;

	if (packet->damage == CONTENT_OVER)
		content = size + 8;
	if (packet->damage == CONTENT_UNDER)
		content = 8;
	if (packet->damage == ODD_SIZE)
		size++;
	if (packet->damage == NO_SIZE)
		size = content = 0;
	if (packet->damage == HUGE)
		size <<= 20;
	put(&writer, 32, packet->damage == MAGIC ? 0xc1fc1fc2 : 0xc1fc1fc1);
	for (size_t i = 0; i < sizeof(uuid); i++)
		put(&writer, 8, uuid[i] + (packet->damage == UUID && i == 15));
	put(&writer, 32, packet->damage == CLASS ? 8 : 7);
	if (!shape->no_id)
		put(&writer, 64, id);
	if (shape->bits)
		put(&writer, 3, 5);
	/* A string of 0 to 3 characters. */
	for (uint64_t i = packet->seq % 4; shape->variable && i <= 3; i++)
		put(&writer, 8, (uint8_t) "cpu"[i]);
	put(&writer, shape->width, packet->begin);
	put(&writer, shape->width, packet->end);
	put(&writer, shape->width, packet->seq);
	put(&writer, shape->width, packet->discarded);
	if (!shape->no_sizes) {
		put(&writer, 64, content);
		put(&writer, 64, size);
	}
	put(&writer, 32, (uint32_t)id);
}

static bool is_end(const struct packet *packet)
{
	return !packet->begin && !packet->end && !packet->seq && !packet->discarded;
}

static void write_files(const struct shape *shape, const struct file *files)
{
	for (size_t i = 0; i < FILES_MAX && files[i].name; i++) {
		static uint8_t data[PACKETS_MAX * PACKET_BYTES];
		size_t count = 0;
		char path[256];
		FILE *out;

		memset(data, 0, sizeof(data));
		for (; count < PACKETS_MAX && !is_end(&files[i].packets[count]); count++)
			put_packet(shape, data + count * PACKET_BYTES, &files[i].packets[count],
				   files[i].id);
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		out = fopen(path, "we");
		if (!out || fwrite(data, count * PACKET_BYTES - files[i].cut, 1, out) != 1 ||
		    fclose(out))
			abort();
	}
}

static void remove_files(const struct file *files)
{
	char path[256];

	for (size_t i = 0; i < FILES_MAX && files[i].name; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		unlink(path);
	}
}

/* What was found, one line a packet and a finding. */
struct record {
	char text[2048];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct record *record, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	record->length += (size_t)vsnprintf(record->text + record->length,
					    sizeof(record->text) - record->length, fmt, args);
	va_end(args);
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* ! FILE NUMBER@OFFSET: WHAT */
static void say_finding(void *user, const struct ctf_finding *finding)
{
	say(user, "! %s %" PRIu64 "@%" PRIu64 ": %s%s\n", base_name(finding->file), finding->packet,
	    finding->offset / PACKET_BYTES * PACKET_BYTES, finding->what,
	    finding->passed_over ? "" : " (read)");
}

/* FILE NUMBER@OFFSET: BEGIN-END, with x where not known; what was lost. */
static void say_packet(struct record *record, const struct ctf_packet *packet)
{
	say(record, "%s %" PRIu64 "@%" PRIu64 ": ", packet->file->name, packet->number,
	    packet->offset);
	if (packet->flags & CTF_PACKET_HAS_BEGIN)
		say(record, "%" PRId64, packet->begin_ns);
	else
		say(record, "x");
	if (packet->flags & CTF_PACKET_HAS_END)
		say(record, "-%" PRId64, packet->end_ns);
	else
		say(record, "-x");
	if (packet->lost_events)
		say(record, ", %" PRIu64 " events lost", packet->lost_events);
	if (packet->lost_packets)
		say(record, ", %" PRIu64 " packets lost since %" PRId64, packet->lost_packets,
		    packet->lost_since_ns);
	if (packet->flags & CTF_PACKET_TRUNCATED)
		say(record, ", truncated to %" PRIu64 " of %" PRIu64, packet->content_bits / 8,
		    packet->size_bits / 8);
	say(record, "\n");
}

static void walk(const struct ctf_trace *trace, int64_t begin_ns, struct record *record)
{
	for (size_t i = 0; i < trace->stream_count; i++) {
		uint64_t slots[1];
		struct ctf_packet_iterator iterator;
		struct ctf_packet packet;
		struct mm_error err = MM_ERROR_INIT;
		int ret;

		ctf_packet_iterator_init(&iterator, &trace->streams[i], slots);
		iterator.finding = say_finding;
		iterator.user = record;
		if (begin_ns != INT64_MIN && ctf_packet_seek(&iterator, begin_ns, &err))
			say(record, "%s\n", err.message);
		while ((ret = ctf_packet_next(&iterator, &packet, &err)) > 0)
			say_packet(record, &packet);
		if (ret)
			say(record, "%s\n", err.message);
	}
}

static void expect(const char *what, const char *shape, const struct record *record,
		   const char *expected)
{
	bool same = !strcmp(record->text, expected);

	tap(same, "%s, %s", what, shape);
	if (!same)
		printf("# expected\n%s# got\n%s", expected, record->text);
}

static const struct shape shapes[] = {
	{ .name = "little-endian", .width = 64 },
	{ .name = "big-endian", .big_endian = true, .width = 64 },
	{ .name = "variable size", .variable = true, .width = 64 },
	{ .name = "bit-packed", .bits = true, .width = 64 },
	{ .name = "bit-packed big-endian", .bits = true, .big_endian = true, .width = 64 },
};

/* Seen the same way in all shapes. */
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
	{ "walk: files of a stream in the order of time, counters continue",
	  { { "a", 1, { P(50, 60, 7, 5) }, 0 },
	    { "b", 1, { P(10, 20, 5, 3), P(20, 30, 6, 3) }, 0 },
	    { "c", 0, { P(1, 2, 0, 0) }, 0 } },
	  "c 0@0: 1-2\n"
	  "b 0@0: 10-20\n"
	  "b 1@512: 20-30\n"
	  "a 0@0: 50-60, 2 events lost\n" },
	{ "walk: last packet cut in its padding, in its content, in its header",
	  { { "a", 1, { P(10, 20, 0, 0), P(20, 30, 1, 0) }, 100 },
	    { "b", 2, { P(10, 20, 0, 0), P(20, 30, 1, 0) }, 300 },
	    { "c", 3, { P(10, 20, 0, 0), P(20, 30, 1, 0) }, 500 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: the file ends before the packet does: 412 bytes of it are there (read)\n"
	  "a 1@512: 20-30, truncated to 256 of 412\n"
	  "b 0@0: 10-20\n"
	  "! b 1@512: the file ends before the packet does: 212 bytes of it are there (read)\n"
	  "b 1@512: 20-30, truncated to 212 of 212\n"
	  "c 0@0: 10-20\n"
	  "! c 1@512: the packet is smaller than its header and context; the rest of the file is not read\n" },
	{ "damage: magic number, UUID, stream class",
	  { { "a",
	      1,
	      { P(10, 20, 0, 0), D(20, 30, 1, 0, MAGIC), P(30, 40, 2, 0), D(40, 50, 3, 0, UUID),
		P(50, 60, 4, 0), D(60, 70, 5, 0, CLASS) },
	      0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: wrong magic number; not read up to byte 1024\n"
	  "a 2@1024: 30-40, 1 packets lost since 20\n"
	  "! a 3@1536: the UUID is not the trace's; not read up to byte 2048\n"
	  "a 4@2048: 50-60, 1 packets lost since 40\n"
	  "! a 5@2560: no stream class has the stream's id; the rest of the file is not read\n" },
	{ "damage: sizes",
	  { { "a",
	      1,
	      { P(10, 20, 0, 0), D(20, 30, 1, 0, ODD_SIZE), P(30, 40, 2, 0),
		D(40, 50, 3, 0, NO_SIZE), P(50, 60, 4, 0), D(60, 70, 5, 0, CONTENT_OVER) },
	      0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: packet_size is no multiple of 8 bits; not read up to byte 1024\n"
	  "a 2@1024: 30-40, 1 packets lost since 20\n"
	  "! a 3@1536: packet_size is 0; not read up to byte 2048\n"
	  "a 4@2048: 50-60, 1 packets lost since 40\n"
	  "! a 5@2560: content_size is larger than packet_size; the rest of the file is not read\n" },
	{ "damage: several packets in a row are passed over at once",
	  { { "a",
	      1,
	      { P(10, 20, 0, 0), D(20, 30, 1, 0, CONTENT_UNDER), D(30, 40, 2, 0, MAGIC),
		P(40, 50, 3, 0) },
	      0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: content_size is smaller than packet header and context; not read up to byte 1536\n"
	  "a 2@1536: 40-50, 2 packets lost since 20\n" },
	{ "damage: a size beyond the file's end, with packets behind it",
	  { { "a", 1, { D(10, 20, 0, 0, HUGE), P(20, 30, 1, 0) }, 0 } },
	  "! a 0@0: packet_size goes beyond the file's end; the next packet begins at byte 512 (read)\n"
	  "a 0@0: 10-20, truncated to 256 of 512\n"
	  "a 1@512: 20-30\n" },
	{ "damage: the first packet, of a file whose others are sound",
	  { { "a", 1, { D(10, 20, 0, 0, MAGIC), P(20, 30, 1, 0) }, 0 } },
	  "! a 0@0: wrong magic number; not read up to byte 512\n"
	  "a 1@512: 20-30\n" },
	{ "damage: times and counters that go backward",
	  { { "a", 1, { P(10, 20, 5, 9), P(15, 30, 6, 9), P(40, 35, 6, 9), P(50, 60, 3, 8) }, 0 } },
	  "a 0@0: 10-20\n"
	  "! a 1@512: the packet begins at 15, before the end of the packet before, 20 (read)\n"
	  "a 1@512: 15-30\n"
	  "! a 2@1024: packet_seq_num goes from 6 to 6 (read)\n"
	  "! a 2@1024: the packet ends at 35, before its begin at 40 (read)\n"
	  "a 2@1024: 40-35\n"
	  "! a 3@1536: events_discarded goes backward, from 9 to 8 (read)\n"
	  "! a 3@1536: packet_seq_num goes from 6 to 3 (read)\n"
	  "a 3@1536: 50-60\n" },
};

/* What depends on the shape. */
static const struct {
	const char *name;
	struct shape shape;
	struct file files[FILES_MAX];
	const char *expected;
} special[] = {
	{ "walk: times and counters that wrap",
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
	{ "walk: of other tracers it has",
	  { .name = "tracer 2.13", .width = 64, .tracer = "tracer", .minor = 13 },
	  { { "a", 1, { P(50, 0, 7, 0) }, 0 } },
	  "! a 0@0: the packet ends at 0, before its begin at 50 (read)\n"
	  "a 0@0: 50-0\n" },
	{ "walk: old tracers' ends are not to be trusted",
	  { .name = "lttng-ust 2.10", .width = 64, .tracer = "lttng-ust", .minor = 10 },
	  { { "a", 1, { P(50, 60, 7, 0) }, 0 } },
	  "a 0@0: 50-x\n" },
	{ "walk: those of newer ones are",
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

int main(void)
{
	if (!mkdtemp(folder))
		abort();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++)
			run_case(cases[i].name, &shapes[j], cases[i].files, cases[i].expected);
	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		run_case(special[i].name, &special[i].shape, special[i].files, special[i].expected);
	rmdir(folder);
	return tap_status();
}
