/* SPDX-License-Identifier: LGPL-2.1-only */
/* Creates stream files of empty packets, and formats what the reader finds in them. */
#ifndef LTTNG_MM_TESTS_UNIT_CTF_FILES_H
#define LTTNG_MM_TESTS_UNIT_CTF_FILES_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/ctf/packet/packet.h"
#include "tests/tap.h"

#define PACKET_BYTES UINT64_C(512)
#define EVENT_BYTES UINT64_C(256) /* content after packet header and context */

static char folder[128] = "/tmp/test-ctf-files.XXXXXX";

/* The properties of a test trace's metadata. */
struct shape {
	const char *name;
	bool big_endian;
	bool variable; /* a string in the packet context, so that nothing has a fixed place */
	/* a field of 3 bits before the others, so that nothing is byte-aligned */
	bool bits;
	unsigned int width; /* bits of clock values and counters */
	bool no_id, no_sizes;
	const char *tracer; /* tracer_name */
	int minor;	    /* the tracer's version is 2.MINOR.0 */
};

enum damage { SOUND, MAGIC, UUID, CLASS, ODD_SIZE, NO_SIZE, CONTENT_OVER, CONTENT_UNDER, HUGE };

struct packet {
	uint64_t begin, end, seq, discarded;
	enum damage damage;
};

/* P: start, end, sequence number and discarded events of a packet. D: the same, with damage. */
#define P(b, e, s, d)             \
	{                         \
		b, e, s, d, SOUND \
	}
#define D(b, e, s, d, damage)      \
	{                          \
		b, e, s, d, damage \
	}

#define PACKETS_MAX 6
#define FILES_MAX 3

struct file {
	const char *name;
	uint64_t id; /* stream ID */
	/* ends with a packet whose timestamps and counters are all 0 */
	struct packet packets[PACKETS_MAX];
	size_t cut; /* bytes removed at the end */
};

static const uint8_t uuid[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static inline struct ctf_field *integer(const struct shape *shape, unsigned int size,
					uint32_t roles)
{
	struct ctf_field *field = ctf_field_create(CTF_UNSIGNED);

	field->size = size;
	field->align = shape->bits ? 1 : 8;
	field->big_endian = shape->big_endian;
	field->roles = roles;
	return field;
}

static inline void add(struct ctf_field *structure, const char *name, struct ctf_field *field)
{
	if (ctf_field_add_member(structure, name, field))
		abort();
}

static inline struct ctf_field *make_header(const struct shape *shape)
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

static inline struct ctf_field *make_context(const struct shape *shape,
					     const struct ctf_clock *clock)
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

static inline struct ctf_trace_class *make_class(const struct shape *shape)
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

static inline void put(struct writer *writer, unsigned int size, uint64_t value)
{
	for (unsigned int i = 0; i < size; i++, writer->at++) {
		unsigned int bit = writer->shape->big_endian ? size - 1 - i : i;
		unsigned int in_byte = writer->at % 8;

		if (value >> bit & 1)
			writer->data[writer->at / 8] |=
				1u << (writer->shape->big_endian ? 7 - in_byte : in_byte);
	}
}

static inline void put_packet(const struct shape *shape, uint8_t *data, const struct packet *packet,
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
		content = size <<= 20;
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

static inline bool is_end(const struct packet *packet)
{
	return !packet->begin && !packet->end && !packet->seq && !packet->discarded;
}

static inline void write_files(const struct shape *shape, const struct file *files)
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

static inline void remove_files(const struct file *files)
{
	char path[256];

	for (size_t i = 0; i < FILES_MAX && files[i].name; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		unlink(path);
	}
}

/* The result: one line for each packet and each finding. */
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

/* Format: ! FILE NUMBER@OFFSET: WHAT */
static inline void say_finding(void *user, const struct ctf_finding *finding)
{
	say(user, "! %s %" PRIu64 "@%" PRIu64 ": %s%s\n", base_name(finding->file), finding->packet,
	    finding->offset / PACKET_BYTES * PACKET_BYTES, finding->what,
	    finding->skipped ? "" : " (read)");
}

/* Format: FILE NUMBER@OFFSET: BEGIN-END, with x for an unknown time; then the losses. */
static inline void say_packet(struct record *record, const struct ctf_packet *packet)
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
	if (packet->lost_events && packet->without_count_before)
		say(record, " in %" PRIu64 " packets since %" PRId64,
		    packet->without_count_before + 1, packet->counted_since_ns);
	if (packet->flags & CTF_PACKET_WITHOUT_COUNT)
		say(record, ", unknown number of events lost");
	if (packet->lost_packets)
		say(record, ", %" PRIu64 " packets lost since %" PRId64, packet->lost_packets,
		    packet->lost_since_ns);
	if (packet->flags & CTF_PACKET_TRUNCATED)
		say(record, ", truncated to %" PRIu64 " of %" PRIu64, packet->content_bits / 8,
		    packet->size_bits / 8);
	say(record, "\n");
}

static inline void walk(const struct ctf_trace *trace, int64_t begin_ns, struct record *record)
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

static inline void expect(const char *what, const char *shape, const struct record *record,
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

#endif /* LTTNG_MM_TESTS_UNIT_CTF_FILES_H */
