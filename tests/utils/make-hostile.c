// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes traces on which a reader without limits takes forever, or uses up the memory: make-hostile
 * KIND N FOLDER. A reader whose work is linear takes twice as long for 2 N. Shares no code with the
 * readers.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;

static FILE *create(const char *name)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "we");
	if (!out) {
		perror(path);
		exit(2);
	}
	return out;
}

static void finish(FILE *out)
{
	if (ferror(out) || fclose(out)) {
		perror(folder);
		exit(2);
	}
}

static void put(FILE *out, const void *bytes, size_t size, uint64_t times)
{
	while (times--)
		fwrite(bytes, size, 1, out);
}

static const char bytes_type[] = "typealias integer { size = 8; align = 8; } := u8;\n"
				 "typealias integer { size = 32; align = 8; } := u32;\n"
				 "typealias integer { size = 64; align = 8; } := u64;\n";
static const char event_id[] = "event.header := struct { u8 id; }; ";
static const char sizes[] = "packet.context := struct { u64 content_size; u64 packet_size; }; ";

/* Writes the metadata up to the event classes; the strings may be empty. */
static FILE *metadata(const char *header, const char *stream)
{
	FILE *out = create("metadata");

	fprintf(out,
		"/* CTF 1.8 */\n%strace { major = 1; minor = 8; byte_order = le; %s };\nstream { %s};\n",
		bytes_type, header, stream);
	return out;
}

static void stream_of(const char *text, size_t size, uint64_t times)
{
	FILE *out = create("stream");

	put(out, text, size, times);
	finish(out);
}

/* Writes @n event classes with arrays of up to 2^32 elements, whose sizes a reader must know. */
static void nested(uint64_t n)
{
	FILE *out = metadata("", event_id);

	for (uint64_t i = 0; i < n; i++) {
		fprintf(out,
			"event { name = \"e%ju\"; id = %ju; fields := struct { struct { u8 x; string s[0]; } m",
			(uintmax_t)i, (uintmax_t)i);
		for (int j = 0; j < 32; j++)
			fputs("[2]", out);
		fputs("; struct { integer { size = 1; } bit; } n[64][64][64][64][64]; }; };\n",
		      out);
	}
	finish(out);
	stream_of("", 1, 1000);
}

/* Writes @n magic numbers, each before a header of @n fields. */
static void magics(uint64_t n)
{
	char header[256];

	snprintf(
		header, sizeof(header),
		"packet.header := struct { u32 magic; u8 count; u8 a[%ju]; struct { u8 b; } c[%ju]; };",
		(uintmax_t)n, (uintmax_t)n);
	finish(metadata(
		header,
		"packet.context := struct { u64 content_size; u64 packet_size; }; event.header := struct { u8 id; }; "));
	stream_of("\xc1\x1f\xfc\xc1", 4, n);
}

/* Writes @n magic numbers before an unterminated string. */
static void strings(uint64_t n)
{
	char stream[256];

	snprintf(stream, sizeof(stream), "%s%s", sizes, event_id);
	finish(metadata("packet.header := struct { u32 magic; string host; };", stream));
	stream_of("\xc1\x1f\xfc\xc1", 4, n);
}

/* Writes @n times: a small packet, and a header with an array of @n strings. */
static void lists(uint64_t n)
{
	char stream[256];
	FILE *out;

	snprintf(stream, sizeof(stream), "%s%s", sizes, event_id);
	finish(metadata("packet.header := struct { u32 magic; u32 count; string names[count]; };",
			stream));
	out = create("stream");
	for (uint64_t i = 0; i < n; i++) {
		static const char sound[24] = "\xc1\x1f\xfc\xc1\0\0\0\0\xc0\0\0\0\0\0\0\0\xc0";
		const uint32_t endless[] = { 0xc1fc1fc1, (uint32_t)n };

		put(out, sound, sizeof(sound), 1);
		put(out, endless, sizeof(endless), 1);
	}
	finish(out);
}

/* Writes @n events that need a value of the packet header. The header is as large as all events. */
static void header_values(uint64_t n)
{
	char header[256];
	FILE *out;

	snprintf(
		header, sizeof(header),
		"packet.header := struct { u32 magic; u8 one; string s; u8 a[one]; struct { u8 b; } c[%ju]; };",
		(uintmax_t)n);
	out = metadata(header, event_id);
	fputs("event { name = \"e\"; id = 0; fields := struct { u8 x[trace.packet.header.one]; }; };\n",
	      out);
	finish(out);
	out = create("stream");
	put(out, "\xc1\x1f\xfc\xc1\1", 5, 1);
	put(out, "s", 1, n);
	put(out, "\0\7", 2, 1);
	put(out, "", 1, n);
	put(out, "\0\1", 2, n);
	finish(out);
}

/* Writes @n event ids that give equal results if multiplied by a constant and shifted. */
static void ids(uint64_t n)
{
	uint64_t odd = UINT64_C(0x9e3779b97f4a7c15), inverse = odd;
	FILE *out = metadata("", "event.header := struct { u64 id; }; ");

	/* Newton's method: each iteration doubles the number of correct bits. */
	for (int i = 0; i < 6; i++)
		inverse *= 2 - odd * inverse;
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "event { name = \"\"; id = %ju; };\n",
			(uintmax_t)((UINT64_C(0x7531) << 40 | i) * inverse));
	finish(out);
}

/* Writes @n stream classes. All packets belong to the last class. */
static void classes(uint64_t n)
{
	FILE *out = metadata("packet.header := struct { u32 magic; u32 stream_id; };", "id = 0; ");

	for (uint64_t i = 1; i < n; i++)
		fprintf(out, "stream { id = %ju; %s%s};\n", (uintmax_t)i, sizes, event_id);
	finish(out);
	out = create("stream");
	for (uint64_t i = 0; i < n; i++) {
		uint32_t words[] = { 0xc1fc1fc1, (uint32_t)n - 1, 192, 0, 192, 0 };

		put(out, words, sizeof(words), 1);
	}
	finish(out);
}

/* Writes events of two bytes, each of which has 30,000 empty arrays. */
static void absent(uint64_t n)
{
	FILE *out = metadata("", event_id);

	fputs("event { name = \"e\"; id = 0; fields := struct { u8 count; struct { u8 x[count]; } y[30000]; }; };\n",
	      out);
	finish(out);
	stream_of("\0", 2, n);
}

/* Writes events of one byte that contain millions of empty structures. */
static void empties(uint64_t n)
{
	FILE *out = metadata("", event_id);

	fputs("event { name = \"e\"; id = 0; fields := struct {\n", out);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "struct { } e%d[50000];\n", i);
	fputs("}; };\n", out);
	finish(out);
	stream_of("", 1, n);
}

/* Writes an event of @n bytes with @n numbers. */
static void long_event(uint64_t n)
{
	FILE *out = metadata("", event_id);

	fprintf(out, "event { name = \"e\"; id = 0; fields := struct { u8 x[%ju]; }; };\n",
		(uintmax_t)n);
	finish(out);
	stream_of("", 1, n + 1);
}

/* Writes a packet of @n bytes of events. */
static void long_packet(uint64_t n)
{
	FILE *out = metadata("", event_id);

	fputs("event { name = \"e\"; id = 0; fields := struct { u8 x; string s; }; };\n", out);
	finish(out);
	stream_of("\0\1abcdefghijklmnopqrstuvwxyz", 29, n / 29);
}

/* Writes events, then a hole of @n GiB. */
static void hole(uint64_t n)
{
	char path[4096], stream[256];
	FILE *out;

	snprintf(stream, sizeof(stream), "%s%s", sizes, event_id);
	out = metadata("packet.header := struct { u32 magic; };", stream);
	fputs("event { name = \"e\"; id = 0; fields := struct { u8 x; }; };\n", out);
	finish(out);
	/* The first packet is intact, the second is the hole. */
	out = create("stream");
	for (int i = 0; i < 2; i++) {
		uint64_t bits = i ? n << 33 : (uint64_t)8 * (4 + 16 + 1000);

		put(out, "\xc1\x1f\xfc\xc1", 4, 1);
		put(out, &bits, 8, 2);
		put(out, "\0\1", 2, 500);
	}
	finish(out);
	snprintf(path, sizeof(path), "%s/stream", folder);
	if (truncate(path, (off_t)(n << 30))) {
		perror(path);
		exit(2);
	}
}

/* Writes @n event classes with a common context of @n fields. */
static void contexts(uint64_t n)
{
	FILE *out = create("metadata");

	fprintf(out,
		"/* CTF 1.8 */\n%strace { major = 1; minor = 8; byte_order = le; };\n"
		"stream { %sevent.context := struct { u8 n;\n",
		bytes_type, event_id);
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "u8 f%ju[n];\n", (uintmax_t)i);
	fputs("}; };\n", out);
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "event { name = \"\"; id = %ju; };\n", (uintmax_t)i);
	finish(out);
}

/* Writes @n events with the last of thousands of options. */
static void options(uint64_t n)
{
	enum { OPTIONS = 5000 };
	const uint32_t last = (OPTIONS - 1) * 7;
	FILE *out = metadata("", event_id);

	fputs("event { name = \"e\"; id = 0; fields := struct { enum : u32 {\n", out);
	for (int i = 0; i < OPTIONS; i++)
		fprintf(out, "o%d = %d,\n", i, i * 7);
	fputs("} tag; variant <tag> {\n", out);
	for (int i = 0; i < OPTIONS; i++)
		fprintf(out, "u8 o%d;\n", i);
	fputs("} v; }; };\n", out);
	finish(out);
	out = create("stream");
	while (n--) {
		put(out, "", 1, 1);
		put(out, &last, 4, 1);
		put(out, "", 1, 1);
	}
	finish(out);
}

/* Writes @n stream files of a class with @n event classes. */
static void files(uint64_t n)
{
	FILE *out = metadata("", event_id);

	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "event { name = \"e%ju\"; id = %ju; };\n", (uintmax_t)i, (uintmax_t)i);
	finish(out);
	for (uint64_t i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "stream_%ju", (uintmax_t)i);
		out = create(name);
		put(out, "", 1, 3);
		finish(out);
	}
}

/*
 * Writes a label for the values from 0 to @n, another one for the values from 1 to @n, and so on.
 */
static void labels(uint64_t n)
{
	FILE *out = metadata("", event_id);

	fputs("event { name = \"e\"; id = 0; fields := struct { enum : u32 {\n", out);
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "l%ju = %ju ... %ju,\n", (uintmax_t)i, (uintmax_t)i, (uintmax_t)n);
	fputs("} x; }; };\n", out);
	finish(out);
	stream_of("\0\0\0\0", 5, n);
}

/* Writes system information with @n numbers, each in a separate object. */
static void json(uint64_t n)
{
	char path[4096];
	FILE *out;

	out = metadata("", event_id);
	fputs("event { name = \"e\"; id = 0; };\n", out);
	finish(out);
	stream_of("", 1, 100);
	snprintf(path, sizeof(path), "%s/sysinfo", folder);
	mkdir(path, 0777);
	out = create("sysinfo/processes.json");
	putc('[', out);
	put(out, "{},", 3, n - 1);
	fputs("{}]\n", out);
	finish(out);
	out = create("sysinfo/files.json");
	putc('[', out);
	put(out, "[0],", 4, n - 1);
	fputs("[0]]\n", out);
	finish(out);
}

/* Writes a list of @n missing state streams, in a trace of @n / 10 event classes. */
static void missing(uint64_t n)
{
	static const char uuid[] = "12345678-1234-1234-1234-123456789abc";
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/state", folder);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/sysinfo", folder);
	mkdir(path, 0777);
	out = create("state/metadata");
	fprintf(out,
		"/* CTF 1.8 */\n%strace { major = 1; minor = 8; byte_order = le; uuid = \"%s\"; };\nstream { %s};\n",
		bytes_type, uuid, event_id);
	fputs("event { name = \"page_statedump_cpu\"; id = 0; };\n", out);
	for (uint64_t i = 1; i < n / 10; i++)
		fprintf(out, "event { name = \"e%ju\"; id = %ju; };\n", (uintmax_t)i, (uintmax_t)i);
	finish(out);
	out = create("state/stream");
	put(out, "", 1, 100);
	finish(out);
	out = create("sysinfo/traces.json");
	fprintf(out, "{\"traces\": [{\"folder\": \"state\", \"uuid\": \"%s\", \"streams\": [",
		uuid);
	for (uint64_t i = 0; i < n; i++)
		fprintf(out, "%s{\"file\": \"s%ju\", \"packets\": 1}", i ? "," : "", (uintmax_t)i);
	fputs("]}]}\n", out);
	finish(out);
}

/* Writes an event of page references. Each digit in @field_sizes is the bytes of a field. */
static void reference(FILE *out, uint8_t id, const uint64_t *values, const char *field_sizes)
{
	fwrite(&id, 1, 1, out);
	for (; *field_sizes; field_sizes++, values++)
		fwrite(values, (size_t)(*field_sizes - '0'), 1, out);
}

/*
 * Writes @n events of page references, each of which needs memory in a reader. They are touches of
 * random pages and huge pages in a million address spaces, mappings, ranges of pages at random
 * addresses, passes, and reads and writes of 2 GiB.
 */
static void references(uint64_t n)
{
	const uint64_t mask = (UINT64_C(1) << 48) - 1;
	FILE *out = metadata("", event_id);

	fputs("event { name = \"pageref_touch\"; id = 0; fields := struct { u32 tid; u32 mm; u64 address; u64 ip; u8 node; u8 kind; u8 huge; u8 write; u8 user; }; };\n"
	      "event { name = \"pageref_mapping\"; id = 1; fields := struct { u32 mm; u64 start; u64 end; u64 pgoff; u32 dev_major; u32 dev_minor; u64 ino; string name; }; };\n"
	      "event { name = \"pageref_gone\"; id = 2; fields := struct { u32 mm; u64 address; u64 pages; u8 cause; }; };\n"
	      "event { name = \"pageref_around\"; id = 3; fields := struct { u32 mm; u64 address; u32 pages; }; };\n"
	      "event { name = \"pageref_pass\"; id = 4; fields := struct { u32 mm; u8 end; u64 armed; u64 left_out; }; };\n"
	      "event { name = \"pageref_file_io\"; id = 5; fields := struct { u32 mm; u32 dev_major; u32 dev_minor; u64 ino; u64 offset; u8 write; u32 result; }; };\n",
	      out);
	finish(out);
	out = create("stream");
	srandom(1);
	for (uint64_t i = 0; i < n; i++) {
		/* Half of the ranges are of one address space, in which they overlap. */
		const uint64_t mm = random() % 2 ? 1 : (uint64_t)random() % 1000000;
		const uint64_t at =
			((uint64_t)random() << 31 | (uint64_t)random()) & mask & ~4095ull;

		if (i % 8 < 3)
			reference(out, 0, (uint64_t[]){ i, mm, at, at, 0, 0, i % 8 == 2, 1, 1 },
				  "448811111");
		else if (i % 8 == 3)
			reference(out, 1,
				  (uint64_t[]){ mm, at, at | mask >> random() % 36, 0, 8, 1, i, 0 },
				  "48884481");
		else if (i % 8 < 6)
			reference(
				out, 2,
				(uint64_t[]){ mm, at, (uint64_t)random() >> random() % 31, i % 3 },
				"4881");
		else if (i % 16 == 6)
			reference(out, 3, (uint64_t[]){ mm, at, 512 }, "484");
		else if (i % 16 == 14)
			reference(out, 5,
				  (uint64_t[]){ mm, 8, 1, i, at << 12 & INT64_MAX, i / 16 % 2,
						INT32_MAX },
				  "4448814");
		else
			reference(out, 4, (uint64_t[]){ mm, i / 8 % 2, 1, 1 }, "4188");
	}
	finish(out);
}

static uint32_t crc32c(uint32_t crc, const char *text)
{
	for (crc = ~crc; *text; text++) {
		crc ^= (unsigned char)*text;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
	}
	return ~crc;
}

/*
 * Writes @n packets and @n checksums. Each packet and each checksum claims that the packet is as
 * large as half the file.
 */
static void checksums(uint64_t n)
{
	const uint64_t half = 10 * n, sizes_of[2] = { 160, 8 * half };
	char line[64] = "lttng-mm checksums 1 file\n";
	uint32_t crc = crc32c(0, line);
	FILE *out;

	finish(metadata("packet.header := struct { u32 magic; };",
			"packet.context := struct { u64 content_size; u64 packet_size; }; "
			"event.header := struct { u8 id; }; "));
	out = create("stream");
	for (uint64_t i = 0; i < n; i++) {
		put(out, "\xc1\x1f\xfc\xc1", 4, 1);
		put(out, sizes_of, sizeof(sizes_of), 1);
	}
	finish(out);
	snprintf(line, sizeof(line), "%s/index", folder);
	mkdir(line, 0777);
	out = create("index/stream.crc32c");
	fputs("lttng-mm checksums 1 file\n", out);
	for (uint64_t i = 0; i < n; i++) {
		snprintf(line, sizeof(line), "%ju %08jx\n", (uintmax_t)half, (uintmax_t)i);
		crc = crc32c(crc, line);
		fputs(line, out);
	}
	fprintf(out, "end %ju %08jx\n", (uintmax_t)n, (uintmax_t)crc);
	finish(out);
}

static const struct {
	const char *name;
	void (*make)(uint64_t n);
} kinds[] = {
	{ "absent", absent },
	{ "checksums", checksums },
	{ "classes", classes },
	{ "contexts", contexts },
	{ "empties", empties },
	{ "files", files },
	{ "header", header_values },
	{ "hole", hole },
	{ "ids", ids },
	{ "json", json },
	{ "lists", lists },
	{ "magics", magics },
	{ "long-event", long_event },
	{ "long-packet", long_packet },
	{ "labels", labels },
	{ "missing", missing },
	{ "nested", nested },
	{ "options", options },
	{ "references", references },
	{ "strings", strings },
};

int main(int argc, char **argv)
{
	if (argc == 4) {
		folder = argv[3];
		mkdir(folder, 0777);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (!strcmp(argv[1], kinds[i].name)) {
				kinds[i].make(strtoull(argv[2], NULL, 10));
				return 0;
			}
	}
	fprintf(stderr, "usage: make-hostile KIND N FOLDER; kinds:");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		fprintf(stderr, " %s", kinds[i].name);
	fputc('\n', stderr);
	return 2;
}
