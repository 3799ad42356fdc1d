// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes a CTF 1.8 trace of DAX events from a script, for what a stock kernel can't be made to show:
 * make-trace SCRIPT FOLDER. A line of a script is one of
 *
 *   # comment
 *   declare EVENT...                      only these event classes (default: all), before all else
 *   cpu N                                 what follows goes to this CPU's stream
 *   packet seq=N discarded=N              a new packet, with its counters
 *   NS COMM TID EVENT FIELD=VALUE...      an event; fields not named are 0; \xNN in COMM
 *   truncate N                            cuts N bytes off the current CPU's stream, at the end
 *
 * Layout as LTTng's kernel tracer writes it, with a plain event header (id, 64-bit time) in place of
 * the compact one.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CPUS 4
#define STREAM_MAX (1u << 20)
#define HEADER_BYTES 84		/* packet header and context, see metadata_head */
#define CLOCK_OFFSET 1700000000	/* seconds: what the monotonic clock's 0 is since the Epoch */

/* A field: name, bytes, and how metadata describe it: d decimal, x hexadecimal, f F r t enumerations. */
struct field {
	const char *name;
	int size;
	char kind;
};

#define COMMON                                                                            \
	{ "tid", 4, 's' }, { "pid", 4, 's' }, { "dev_major", 2, 'd' }, { "dev_minor", 4, 'd' }, \
		{ "ino", 8, 'x' }
#define PTE                                                                     \
	COMMON, { "vm_flags", 8, 'v' }, { "address", 8, 'x' }, { "pgoff", 8, 'x' }, \
		{ "flags", 4, 'f' }, { "result", 4, 'r' }

static const struct event {
	const char *name;
	struct field fields[16];
} events[] = {
	{ "dax_pmd_fault", { COMMON, { "vm_start", 8, 'x' }, { "vm_end", 8, 'x' },
			     { "vm_flags", 8, 'v' }, { "address", 8, 'x' }, { "pgoff", 8, 'x' },
			     { "max_pgoff", 8, 'x' }, { "flags", 4, 'f' }, { "result", 4, 'r' } } },
	{ "dax_pmd_fault_done", { COMMON, { "vm_start", 8, 'x' }, { "vm_end", 8, 'x' },
				  { "vm_flags", 8, 'v' }, { "address", 8, 'x' },
				  { "pgoff", 8, 'x' }, { "max_pgoff", 8, 'x' },
				  { "flags", 4, 'f' }, { "result", 4, 'r' } } },
	{ "dax_pte_fault", { PTE } },
	{ "dax_pte_fault_done", { PTE } },
	{ "dax_pmd_load_hole_fallback", { COMMON, { "vm_flags", 8, 'v' }, { "address", 8, 'x' },
					  { "zero_pfn", 8, 'x' }, { "radix_entry", 8, 'x' } } },
	{ "dax_fault_extent", { COMMON, { "pos", 8, 'x' }, { "len", 8, 'd' }, { "flags", 4, 'x' },
				{ "extent_offset", 8, 'x' }, { "extent_length", 8, 'x' },
				{ "extent_addr", 8, 'x' }, { "extent_type", 2, 't' },
				{ "extent_flags", 2, 'x' } } },
	{ "dax_pmd_fallback", { COMMON, { "address", 8, 'x' }, { "pgoff", 8, 'x' },
				{ "entry_pgoff", 8, 'x' }, { "radix_entry", 8, 'x' } } },
	{ "dax_writeback_range", { COMMON, { "start_index", 8, 'd' }, { "end_index", 8, 'd' } } },
	{ "dax_writeback_range_done", { COMMON, { "start_index", 8, 'd' },
					{ "end_index", 8, 'd' } } },
	{ "other_event", { { "tid", 4, 's' } } },
};

#define EVENT_COUNT (sizeof(events) / sizeof(events[0]))

static const char metadata_head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"trace { major = 1; minor = 8; uuid = \"00112233-4455-6677-8899-aabbccddeeff\";\n"
	"  byte_order = le; packet.header := struct { uint32_t magic;\n"
	"  integer { size = 8; align = 8; signed = false; } uuid[16]; uint32_t stream_id; }; };\n"
	"env { domain = \"kernel\"; tracer_name = \"lttng-modules\"; };\n"
	"clock { name = \"monotonic\"; freq = 1000000000; offset_s = %d; };\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } "
	":= time_t;\n"
	"stream { id = 0;\n"
	"  event.header := struct { uint32_t id; time_t timestamp; };\n"
	"  packet.context := struct { time_t timestamp_begin; time_t timestamp_end;\n"
	"    uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
	"    uint64_t events_discarded; uint32_t cpu_id; uint64_t unused; };\n"
	"  event.context := struct { integer { size = 8; align = 8; signed = false; encoding = UTF8; }"
	" procname[16]; };\n};\n";

static const struct {
	char kind;
	const char *labels;
} enumerations[] = {
	{ 'v', "\"NONE\" = 0, \"READ\" = 1, \"WRITE\" = 2, \"SHARED\" = 8, \"SYNC\" = 0x800000" },
	{ 'f', "\"NONE\" = 0, \"WRITE\" = 1, \"MKWRITE\" = 2, \"USER\" = 64" },
	{ 'r', "\"NONE\" = 0, \"OOM\" = 1, \"SIGBUS\" = 2, \"NOPAGE\" = 256, \"FALLBACK\" = 2048" },
	{ 't', "\"HOLE\" = 0, \"MAPPED\" = 2, \"UNWRITTEN\" = 3" },
};

static struct stream {
	unsigned char data[STREAM_MAX];
	size_t length, packet, cut;
	uint64_t discarded;
	bool used;
} streams[CPUS];

static bool declared[EVENT_COUNT];
static const char *script;
static unsigned int line_number;

static void fail(const char *why)
{
	fprintf(stderr, "make-trace: %s:%u: %s\n", script, line_number, why);
	exit(2);
}

static void put(struct stream *stream, uint64_t value, size_t size)
{
	if (stream->length + size > STREAM_MAX)
		fail("the stream is full");
	for (size_t i = 0; i < size; i++)
		stream->data[stream->length++] = (unsigned char)(value >> 8 * i);
}

/* Rewrites 8 bytes of the current packet's head. */
static void patch(struct stream *stream, size_t offset, uint64_t value)
{
	for (size_t i = 0; i < 8; i++)
		stream->data[stream->packet + offset + i] = (unsigned char)(value >> 8 * i);
}

static void begin_packet(struct stream *stream, uint64_t seq, uint64_t discarded, uint32_t cpu)
{
	static const unsigned char uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
						0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };

	stream->used = true;
	stream->packet = stream->length;
	put(stream, 0xc1fc1fc1, 4);
	for (size_t i = 0; i < 16; i++)
		put(stream, uuid[i], 1);
	put(stream, 0, 4);
	for (int i = 0; i < 4; i++)	/* times and sizes, patched with each event */
		put(stream, 0, 8);
	put(stream, seq, 8);
	put(stream, discarded, 8);
	put(stream, cpu, 4);
	put(stream, 0, 8);
	patch(stream, 40, UINT64_C(8) * HEADER_BYTES);
	patch(stream, 48, UINT64_C(8) * HEADER_BYTES);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end)
		fail("not a number");
	return value;
}

static uint64_t option(const char *name, char **words)
{
	size_t length = strlen(name);

	for (; *words; words++)
		if (!strncmp(*words, name, length) && (*words)[length] == '=')
			return number(*words + length + 1);
	return 0;
}

static void put_comm(struct stream *stream, const char *comm)
{
	size_t end = stream->length + 16;

	while (*comm && stream->length < end) {
		unsigned int byte;

		if (sscanf(comm, "\\x%2x", &byte) == 1) {
			put(stream, byte, 1);
			comm += 4;
		} else {
			put(stream, (unsigned char)*comm++, 1);
		}
	}
	while (stream->length < end)
		put(stream, 0, 1);
}

static void put_event(struct stream *stream, char **words)
{
	uint64_t time = number(words[0]);
	size_t id = 0;

	while (id < EVENT_COUNT && strcmp(events[id].name, words[3]))
		id++;
	if (id == EVENT_COUNT)
		fail("unknown event");
	if (stream->length == stream->packet + HEADER_BYTES)
		patch(stream, 24, time);
	put(stream, id, 4);
	put(stream, time, 8);
	put_comm(stream, words[1]);
	for (const struct field *field = events[id].fields; field->name; field++) {
		uint64_t value = option(field->name, words + 4);

		if (!strcmp(field->name, "tid") || (!strcmp(field->name, "pid") && !value))
			value = number(words[2]);
		put(stream, value, (size_t)field->size);
	}
	patch(stream, 32, time);
	patch(stream, 40, (stream->length - stream->packet) * 8);
	patch(stream, 48, (stream->length - stream->packet) * 8);
}

static void declare(char **words)
{
	memset(declared, 0, sizeof(declared));
	for (; *words; words++)
		for (size_t id = 0; id < EVENT_COUNT; id++)
			declared[id] |= !strcmp(events[id].name, *words);
}

static void run(char *line, unsigned int *cpu)
{
	char *words[40];
	size_t count = 0;

	for (char *word = strtok(line, " \t\n"); word && count < 39; word = strtok(NULL, " \t\n"))
		words[count++] = word;
	words[count] = NULL;
	if (!count || words[0][0] == '#')
		return;
	if (!strcmp(words[0], "declare")) {
		declare(words + 1);
	} else if (!strcmp(words[0], "cpu") && count == 2) {
		*cpu = (unsigned int)number(words[1]) % CPUS;
	} else if (!strcmp(words[0], "packet")) {
		begin_packet(&streams[*cpu], option("seq", words + 1),
			     option("discarded", words + 1), *cpu);
	} else if (!strcmp(words[0], "truncate") && count == 2) {
		streams[*cpu].cut = number(words[1]);
	} else if (count >= 4) {
		if (!streams[*cpu].used)
			begin_packet(&streams[*cpu], 0, 0, *cpu);
		put_event(&streams[*cpu], words);
	} else {
		fail("neither a command nor an event");
	}
}

static void describe_field(FILE *out, const struct field *field)
{
	char integer[128];

	snprintf(integer, sizeof(integer), "integer { size = %d; align = 8; signed = %s; base = %d; }",
		 field->size * 8, field->kind == 's' ? "true" : "false",
		 field->kind == 'x' ? 16 : 10);
	for (size_t i = 0; i < sizeof(enumerations) / sizeof(enumerations[0]); i++) {
		if (enumerations[i].kind != field->kind)
			continue;
		fprintf(out, "    enum : %s { %s } _%s;\n", integer, enumerations[i].labels,
			field->name);
		return;
	}
	fprintf(out, "    %s _%s;\n", integer, field->name);
}

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file) {
		fprintf(stderr, "make-trace: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	return file;
}

static void write_trace(const char *folder)
{
	FILE *file;
	char name[32];

	mkdir(folder, 0755);
	file = create(folder, "metadata");
	fprintf(file, metadata_head, CLOCK_OFFSET);
	for (size_t id = 0; id < EVENT_COUNT; id++) {
		if (!declared[id])
			continue;
		fprintf(file, "event { name = \"%s\"; id = %zu; stream_id = 0;\n  fields := struct {\n",
			events[id].name, id);
		for (const struct field *field = events[id].fields; field->name; field++)
			describe_field(file, field);
		fprintf(file, "  };\n};\n");
	}
	fclose(file);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (!streams[cpu].used)
			continue;
		snprintf(name, sizeof(name), "channel_%d", cpu);
		file = create(folder, name);
		fwrite(streams[cpu].data, 1, streams[cpu].length - streams[cpu].cut, file);
		fclose(file);
	}
}

int main(int argc, char **argv)
{
	unsigned int cpu = 0;
	char line[4096];
	FILE *file;

	if (argc != 3) {
		fprintf(stderr, "usage: make-trace SCRIPT FOLDER\n");
		return 2;
	}
	script = argv[1];
	file = fopen(script, "r");
	if (!file) {
		fprintf(stderr, "make-trace: %s: %s\n", script, strerror(errno));
		return 2;
	}
	memset(declared, 1, sizeof(declared));
	while (fgets(line, sizeof(line), file)) {
		line_number++;
		run(line, &cpu);
	}
	fclose(file);
	write_trace(argv[2]);
	return 0;
}
