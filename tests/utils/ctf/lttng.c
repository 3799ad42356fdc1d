// SPDX-License-Identifier: LGPL-2.1-only
/* Traces as written by LTTng's kernel tracer on x86-64, for shapes with many events. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/utils/ctf/write.h"

#define PACKET_BYTES (1u << 20)
#define PACKET_MAGIC 0xc1fc1fc1u
#define CONTEXT_AT 24 /* packet header: magic, uuid, stream id */
#define EVENTS_AT (CONTEXT_AT + 6 * 8 + 4)
#define COMPACT_BITS 27
#define COMPACT_ID_MAX 30

const uint8_t mk_lttng_uuid[MK_UUID_BYTES] = { 0x2a, 0x64, 0x22, 0xd0, 0x6c, 0xee, 0x11, 0xe0,
					       0x8c, 0x08, 0xcb, 0x07, 0xd7, 0xb3, 0xa5, 0x64 };

struct mk_lttng_stream {
	FILE *file;
	uint32_t cpu;
	uint8_t *packet;
	size_t length; /* length of the current packet; 0: none */
	uint64_t begin, last, seq;
};

static const char types[] =
	"/* CTF 1.8 */\n\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"
	"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
	"typealias integer { size = 27; align = 1; signed = false; } := uint27_t;\n\n"
	"trace {\n\tmajor = 1;\n\tminor = 8;\n"
	"\tuuid = \"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\";\n\tbyte_order = le;\n"
	"\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t  uuid[16];\n"
	"\t\tuint32_t stream_id;\n\t};\n};\n\n"
	"env {\n\thostname = \"machine\";\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n"
	"\tkernel_release = \"6.1.0\";\n\tkernel_version = \"#1 SMP\";\n"
	"\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n\ttracer_minor = 13;\n"
	"\ttracer_patchlevel = 9;\n\ttrace_buffering_scheme = \"global\";\n"
	"\ttrace_name = \"made\";\n};\n\n"
	"clock {\n\tname = \"monotonic\";\n\tdescription = \"Monotonic Clock\";\n"
	"\tfreq = 1000000000; /* Frequency, in Hz */\n"
	"\t/* clock value offset from Epoch is: offset * (1/freq) */\n"
	"\toffset = 1700000000123456789;\n};\n\n"
	"typealias integer {\n\tsize = 27; align = 1; signed = false;\n"
	"\tmap = clock.monotonic.value;\n} := uint27_clock_monotonic_t;\n\n"
	"typealias integer {\n\tsize = 64; align = 8; signed = false;\n"
	"\tmap = clock.monotonic.value;\n} := uint64_clock_monotonic_t;\n\n";

static const char headers[] =
	"struct packet_context {\n\tuint64_clock_monotonic_t timestamp_begin;\n"
	"\tuint64_clock_monotonic_t timestamp_end;\n\tuint64_t content_size;\n"
	"\tuint64_t packet_size;\n\tuint64_t packet_seq_num;\n"
	"\tunsigned long events_discarded;\n\tuint32_t cpu_id;\n};\n\n"
	"struct event_header_compact {\n"
	"\tenum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
	"\tvariant <id> {\n\t\tstruct {\n\t\t\tuint27_clock_monotonic_t timestamp;\n"
	"\t\t} compact;\n\t\tstruct {\n\t\t\tuint32_t id;\n"
	"\t\t\tuint64_clock_monotonic_t timestamp;\n\t\t} extended;\n\t} v;\n} align(8);\n\n"
	"stream {\n\tid = 0;\n\tevent.header := struct event_header_compact;\n"
	"\tpacket.context := struct packet_context;\n";

void mk_lttng_metadata(struct mk_buffer *text, const char *context)
{
	mk_buffer_printf(text, "%s%s%s};\n\n", types, headers, context);
}

struct mk_lttng_stream *mk_lttng_open(const char *folder, uint32_t cpu)
{
	struct mk_lttng_stream *stream = calloc(1, sizeof(*stream));
	char path[4096];

	if (!stream || !(stream->packet = malloc(PACKET_BYTES)))
		mk_fail("no memory");
	if (mkdir(folder, 0755) && errno != EEXIST)
		mk_fail("%s: %s", folder, strerror(errno));
	snprintf(path, sizeof(path), "%s/channel0_%u", folder, cpu);
	stream->file = fopen(path, "w");
	if (!stream->file)
		mk_fail("%s: %s", path, strerror(errno));
	stream->cpu = cpu;
	return stream;
}

static void flush(struct mk_lttng_stream *stream)
{
	uint8_t *to = stream->packet;

	if (!stream->length)
		return;
	to = mk_le(to, PACKET_MAGIC, 4);
	memcpy(to, mk_lttng_uuid, MK_UUID_BYTES);
	to = mk_le(to + MK_UUID_BYTES, 0, 4);
	to = mk_le(to, stream->begin, 8);
	to = mk_le(to, stream->last, 8);
	to = mk_le(to, stream->length * 8, 8);
	to = mk_le(to, PACKET_BYTES * 8ull, 8);
	to = mk_le(to, stream->seq++, 8);
	to = mk_le(to, 0, 8);
	mk_le(to, stream->cpu, 4);
	memset(stream->packet + stream->length, 0, PACKET_BYTES - stream->length);
	if (fwrite(stream->packet, 1, PACKET_BYTES, stream->file) != PACKET_BYTES)
		mk_fail("cannot write a packet: %s", strerror(errno));
	stream->length = 0;
}

void mk_lttng_close(struct mk_lttng_stream *stream)
{
	flush(stream);
	if (fclose(stream->file))
		mk_fail("cannot write a stream: %s", strerror(errno));
	free(stream->packet);
	free(stream);
}

uint8_t *mk_lttng_event(struct mk_lttng_stream *stream, uint32_t id, uint64_t time, size_t room)
{
	uint8_t *to;

	if (stream->length + 13 + room > PACKET_BYTES)
		flush(stream);
	if (!stream->length) {
		stream->length = EVENTS_AT;
		/* Like LTTng, starts a packet where the previous one ended. */
		stream->begin = stream->seq ? stream->last : time;
		stream->last = stream->begin;
	}
	to = stream->packet + stream->length;
	if (id > COMPACT_ID_MAX || time - stream->last >= 1u << COMPACT_BITS) {
		*to++ = 31;
		to = mk_le(mk_le(to, id, 4), time, 8);
	} else {
		to = mk_le(to, id | time << 5, 4);
	}
	stream->last = time;
	stream->length = (size_t)(to - stream->packet);
	return to;
}

void mk_lttng_commit(struct mk_lttng_stream *stream, size_t used)
{
	stream->length += used;
}
