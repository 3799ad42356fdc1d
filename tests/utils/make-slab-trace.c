// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes a CTF 1.8 trace of slab and page events from a script, or a large one by itself:
 *
 *   make-slab-trace [--big-endian] [--32-bit] [--state | --no-state] SCRIPT FOLDER
 *   make-slab-trace --load EVENTS [--live OBJECTS] [--fill] FOLDER
 *
 * A line of a script is one of
 *
 *   # comment
 *   cpu N                        what follows goes to this CPU's stream
 *   packet seq=N discarded=N     a new packet, with its counters
 *   begin N                      the current CPU's next packet begins then
 *   end N                        the current CPU's packet ends then
 *   NS EVENT FIELD=VALUE...      an event; fields not named are 0; name=TEXT for the dumps
 *   cut N                        leaves the current CPU's Nth packet out, at the end
 *
 * With --state only the state dump's events are in the trace, with --no-state only the others: a recorder
 * has them in two. Of both the script may be one: what the trace does not declare is passed over.
 *
 * Layout as the probe records it: bits without padding after LTTng's compact header. With
 * --big-endian all fields are of whole bytes and big-endian, with --32-bit they are of 32 bits at most and
 * aligned to their size, as machines of another kind have them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CPUS 4
#define PACKETS 64
#define PACKET_BYTES (1u << 20)
#define EVENTS_AT (24 + 6 * 8 + 4)
#define CLOCK_OFFSET 1700000000	/* seconds: what the monotonic clock's 0 is since the Epoch */

/* A field: name, bits, and how metadata describe it: d, s, x integers, t text, c, g, m, p enumerations. */
struct field {
	const char *name;
	int bits;
	char kind;
};

#define WHERE { "tid", 22, 'd' }, { "call_site", 26, 'x' }, { "ptr", 40, 'x' }
#define WIDE { "tid", 32, 'd' }, { "call_site", 32, 'x' }, { "ptr", 64, 'x' }

static const struct event {
	const char *name;
	struct field fields[10];
} events[] = {
	{ "slab_kmalloc", { WHERE, { "bytes_req", 13, 'd' }, { "size_class", 4, 'c' },
			    { "gfp_flags", 23, 'g' } } },
	{ "slab_kfree", { WHERE } },
	{ "slab_cache_alloc", { WHERE, { "cache", 16, 'd' }, { "gfp_flags", 23, 'g' },
				{ "accounted", 1, 'd' } } },
	{ "slab_cache_free", { WHERE, { "cache", 16, 'd' } } },
	{ "page_alloc", { { "tid", 22, 'd' }, { "pfn", 38, 'x' }, { "order", 4, 'd' },
			  { "migrate_type", 3, 'm' }, { "gfp_flags", 29, 'g' } } },
	{ "page_alloc_bulk", { { "tid", 22, 'd' }, { "pfn", 38, 'x' }, { "order", 4, 'd' },
			       { "migrate_type", 3, 'm' }, { "gfp_flags", 29, 'g' },
			       { "call_site", 32, 'x' } } },
	{ "page_free", { { "tid", 22, 'd' }, { "pfn", 38, 'x' }, { "order", 4, 'd' } } },
	{ "page_free_batched", { { "tid", 22, 'd' }, { "pfn", 42, 'x' } } },
	{ "slab_kmalloc_wide", { WIDE, { "bytes_req", 64, 'd' }, { "bytes_alloc", 64, 'd' },
				 { "gfp_flags", 32, 'g' }, { "node", 32, 's' } } },
	{ "slab_kmalloc_failed", { { "tid", 32, 'd' }, { "call_site", 32, 'x' },
				   { "bytes_req", 64, 'd' }, { "gfp_flags", 32, 'g' },
				   { "node", 32, 's' } } },
	{ "slab_kfree_wide", { WIDE } },
	{ "slab_cache_alloc_wide", { WIDE, { "cache", 32, 'd' }, { "gfp_flags", 32, 'g' },
				     { "node", 32, 's' }, { "accounted", 8, 'd' } } },
	{ "slab_cache_free_wide", { WIDE, { "cache", 32, 'd' } } },
	{ "slab_free_bulk", { WIDE, { "cache", 32, 'd' }, { "path", 8, 'p' } } },
	{ "slab_alloc_bulk", { WIDE, { "cache", 32, 'd' }, { "bytes_req", 64, 'd' },
			       { "gfp_flags", 32, 'g' }, { "path", 8, 'p' } } },
	{ "slab_kfree_rcu", { WIDE } },
	{ "slab_krealloc_in_place", { WIDE, { "bytes_req", 64, 'd' }, { "gfp_flags", 32, 'g' } } },
	{ "slab_cache_alloc_failed", { { "tid", 32, 'd' }, { "call_site", 32, 'x' },
				       { "cache", 32, 'd' }, { "gfp_flags", 32, 'g' },
				       { "node", 32, 's' }, { "accounted", 8, 'd' } } },
	{ "page_alloc_failed", { { "tid", 32, 'd' }, { "order", 8, 'd' },
				 { "migrate_type", 8, 'm' }, { "gfp_flags", 32, 'g' } } },
	{ "slab_statedump_cache", { { "cache", 32, 'd' }, { "object_size", 32, 'd' },
				    { "size", 32, 'd' }, { "align", 32, 'd' },
				    { "accounted", 8, 'd' }, { "alive", 8, 'd' },
				    { "name", 0, 't' } } },
	{ "slab_statedump_alias", { { "cache", 32, 'd' }, { "name", 0, 't' } } },
	{ "slab_statedump_code", { { "code", 32, 'x' }, { "size", 32, 'd' }, { "alive", 8, 'd' },
				   { "name", 0, 't' } } },
	{ "slab_statedump_path", { { "path", 8, 'p' }, { "hooked", 8, 'd' }, { "missed", 64, 'd' },
				   { "function", 0, 't' } } },
	{ "page_statedump_node", { { "node", 32, 's' }, { "pfn_start", 64, 'x' },
				   { "pfn_end", 64, 'x' }, { "page_size", 32, 'd' } } },
	{ "page_statedump_cpu", { { "cpu", 32, 'd' }, { "node", 32, 's' } } },
	{ "sched_process_fork", { { "child_comm", 0, 't' }, { "child_tid", 32, 's' },
				  { "child_pid", 32, 's' } } },
	{ "sched_process_exit", { { "comm", 0, 't' }, { "tid", 32, 's' } } },
	{ "lttng_statedump_process_state", { { "tid", 32, 's' }, { "pid", 32, 's' },
					     { "name", 0, 't' } } },
	{ "slab_statedump_kmalloc", { { "size_class", 8, 'c' }, { "bytes_alloc", 32, 'd' },
				      { "bytes_req_min", 32, 'd' }, { "bytes_req_max", 32, 'd' } } },
};

#define EVENT_COUNT (sizeof(events) / sizeof(events[0]))

static const struct {
	char kind;
	const char *labels;
} enumerations[] = {
	{ 'c', "\"kmalloc-8\" = 3, \"kmalloc-64\" = 6, \"kmalloc-96\" = 14" },
	{ 'g', "\"NONE\" = 0, \"HIGH\" = 0x20, \"IO\" = 0x40, \"FS\" = 0x80, \"DIRECT_RECLAIM\" = 0x400, "
	       "\"KSWAPD_RECLAIM\" = 0x800" },
	{ 'm', "\"UNMOVABLE\" = 0, \"MOVABLE\" = 1, \"RECLAIMABLE\" = 2" },
	{ 'p', "\"FREE_BULK\" = 1, \"KFREE_NOLOCK\" = 2, \"ALLOC_BULK\" = 3, \"KMALLOC_NOLOCK\" = 4, "
	       "\"KFREE_RCU\" = 5, \"KREALLOC\" = 6, \"PAGE_ALLOC_BULK\" = 9, \"ALLOC_CONTIG\" = 10, "
	       "\"COMPACTION\" = 11" },
};

static struct stream {
	unsigned char *packet;
	uint64_t bit;		/* the packet's next; 0: no packet */
	uint64_t begin, last, seq, discarded;
	uint64_t next_begin, end;
	FILE *file;
	unsigned int number;
	bool begin_set, end_set;
	bool cut[PACKETS];
} streams[CPUS];

static const char *folder, *script;
static unsigned int line_number;
static bool big_endian, narrow, with_state = true, with_others = true;

static void fail(const char *why)
{
	fprintf(stderr, "make-slab-trace: %s:%u: %s\n", script ? script : "load", line_number, why);
	exit(2);
}

static FILE *create(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		fail(strerror(errno));
	return file;
}

static void put_bytes(unsigned char *to, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[big_endian ? bytes - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

/* Low bits first, in bytes that are zero so far. */
static void put_bits(struct stream *stream, uint64_t value, int bits)
{
	while (bits > 0) {
		int at = (int)(stream->bit % 8), room = 8 - at, take = bits < room ? bits : room;
		uint64_t mask = UINT64_MAX >> (64 - take);

		stream->packet[stream->bit / 8] |=
			(unsigned char)((value & mask) << at);
		value >>= take;
		bits -= take;
		stream->bit += (uint64_t)take;
	}
}

static void put_whole(struct stream *stream, uint64_t value, int bytes)
{
	put_bytes(stream->packet + stream->bit / 8, value, bytes);
	stream->bit += 8 * (uint64_t)bytes;
}

/* Fields are of whole bytes, not packed. */
static bool is_whole(void)
{
	return big_endian || narrow;
}

static int whole_bytes(int bits)
{
	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 || narrow ? 4 : 8;
}

/* To as many bytes as a field of @bytes has to begin at a multiple of. */
static void align_to(struct stream *stream, int bytes)
{
	uint64_t bits = 8 * (uint64_t)(narrow ? bytes : 1);

	stream->bit = (stream->bit + bits - 1) / bits * bits;
}

static void end_packet(struct stream *stream)
{
	static const unsigned char uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
						0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
	unsigned char *at = stream->packet;
	uint64_t bits = (stream->bit + 7) / 8 * 8;

	if (!stream->bit)
		return;
	put_bytes(at, 0xc1fc1fc1, 4);
	memcpy(at + 4, uuid, 16);
	at[19] = (unsigned char)(at[19] - !with_others);
	put_bytes(at + 24, stream->begin, 8);
	put_bytes(at + 32, stream->end_set ? stream->end : stream->last, 8);
	put_bytes(at + 40, stream->bit, 8);
	put_bytes(at + 48, bits, 8);
	put_bytes(at + 56, stream->seq, 8);
	put_bytes(at + 64, stream->discarded, 8);
	put_bytes(at + 72, (uint64_t)(stream - streams), 4);
	if (stream->number >= PACKETS || !stream->cut[stream->number])
		fwrite(at, 1, bits / 8, stream->file);
	stream->number++;
	memset(at, 0, bits / 8);
	stream->bit = 0;
	stream->seq++;
	stream->end_set = false;
}

static void begin_packet(struct stream *stream, uint64_t time)
{
	char name[32];

	if (!stream->file) {
		snprintf(name, sizeof(name), "channel_%d", (int)(stream - streams));
		stream->file = create(name);
		stream->packet = calloc(1, (size_t)PACKET_BYTES + 4096);
		if (!stream->packet)
			fail("no memory");
	}
	stream->bit = (uint64_t)EVENTS_AT * 8;
	stream->begin = stream->begin_set ? stream->next_begin : time;
	stream->begin_set = false;
	stream->last = stream->begin;
}

static void put_header(struct stream *stream, uint64_t time, size_t id)
{
	if (stream->bit / 8 > PACKET_BYTES)
		end_packet(stream);
	if (!stream->bit)
		begin_packet(stream, time);
	align_to(stream, 4);
	if (is_whole()) {
		put_whole(stream, id, 4);
		put_whole(stream, time, 8);
	} else if (time - stream->last < 1u << 27) {
		put_bits(stream, id, 5);
		put_bits(stream, time, 27);
	} else {
		put_bits(stream, 31, 8);
		put_whole(stream, id, 4);
		put_whole(stream, time, 8);
	}
	stream->last = time;
}

static void put_field(struct stream *stream, const struct field *field, uint64_t value)
{
	int bytes = whole_bytes(field->bits);

	if (narrow && field->bits > 32 && value > UINT32_MAX)
		fail("a value that 32 bits do not hold");
	if (is_whole()) {
		align_to(stream, bytes);
		put_whole(stream, value, bytes);
		return;
	}
	put_bits(stream, value, field->bits);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end)
		fail("not a number");
	return value;
}

static const char *option(const char *name, char **words)
{
	size_t length = strlen(name);

	for (; *words; words++)
		if (!strncmp(*words, name, length) && (*words)[length] == '=')
			return *words + length + 1;
	return NULL;
}

static uint64_t counter(const char *name, char **words, uint64_t missing)
{
	const char *text = option(name, words);

	return text ? number(text) : missing;
}

static bool is_declared(const struct event *event)
{
	return strstr(event->name, "_statedump_") ? with_state : with_others;
}

static void put_event(struct stream *stream, char **words)
{
	uint64_t time = number(words[0]);
	size_t id = 0;

	while (id < EVENT_COUNT && strcmp(events[id].name, words[1]))
		id++;
	if (id == EVENT_COUNT)
		fail("unknown event");
	if (!is_declared(&events[id]))
		return;
	put_header(stream, time, id);
	for (const struct field *field = events[id].fields; field->name; field++) {
		const char *text = option(field->name, words + 2);

		if (field->kind != 't') {
			put_field(stream, field, text ? number(text) : 0);
			continue;
		}
		stream->bit = (stream->bit + 7) / 8 * 8;
		for (text = text ? text : ""; *text; text++)
			put_whole(stream, (unsigned char)*text, 1);
		put_whole(stream, 0, 1);
	}
}

static void run(char *line, struct stream **stream)
{
	char *words[40];
	size_t count = 0;

	for (char *word = strtok(line, " \t\n"); word && count < 39; word = strtok(NULL, " \t\n"))
		words[count++] = word;
	words[count] = NULL;
	if (!count || words[0][0] == '#')
		return;
	if (!strcmp(words[0], "cpu") && count == 2) {
		*stream = &streams[number(words[1]) % CPUS];
	} else if (!strcmp(words[0], "packet")) {
		end_packet(*stream);
		(*stream)->seq = counter("seq", words + 1, (*stream)->seq);
		(*stream)->discarded = counter("discarded", words + 1, (*stream)->discarded);
	} else if (!strcmp(words[0], "begin") && count == 2) {
		(*stream)->next_begin = number(words[1]);
		(*stream)->begin_set = true;
	} else if (!strcmp(words[0], "end") && count == 2) {
		(*stream)->end = number(words[1]);
		(*stream)->end_set = true;
	} else if (!strcmp(words[0], "cut") && count == 2) {
		(*stream)->cut[number(words[1]) % PACKETS] = true;
	} else if (count >= 2) {
		put_event(*stream, words);
	} else {
		fail("neither a command nor an event");
	}
}

static void describe_field(FILE *out, const struct field *field)
{
	char integer[128];
	int bits = is_whole() ? 8 * whole_bytes(field->bits) : field->bits;

	if (field->kind == 't') {
		fprintf(out, "    string _%s;\n", field->name);
		return;
	}
	snprintf(integer, sizeof(integer), "integer { size = %d; align = %d; signed = %s; base = %d; }",
		 bits, narrow ? bits : is_whole() ? 8 : 1, field->kind == 's' ? "true" : "false",
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

static const char head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"trace { major = 1; minor = 8; uuid = \"00112233-4455-6677-8899-aabbccddee%s\";\n"
	"  byte_order = %s; packet.header := struct { uint32_t magic;\n"
	"  integer { size = 8; align = 8; signed = false; } uuid[16]; uint32_t stream_id; }; };\n"
	"env { domain = \"kernel\"; tracer_name = \"lttng-modules\"; };\n"
	"clock { name = \"monotonic\"; freq = 1000000000; offset_s = %d; };\n"
	"typealias integer { size = 27; align = 1; signed = false; map = clock.monotonic.value; } "
	":= time27_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } "
	":= time_t;\n";

static const char compact_header[] =
	"struct header {\n"
	"  enum : integer { size = 5; align = 1; signed = false; } { compact = 0 ... 30, extended = 31 } id;\n"
	"  variant <id> {\n    struct { time27_t timestamp; } compact;\n"
	"    struct { uint32_t id; time_t timestamp; } extended;\n  } v;\n} align(8);\n";
static const char plain_header[] = "struct header { uint32_t id; time_t timestamp; };\n";
static const char narrow_header[] =
	"struct header { integer { size = 32; align = 32; signed = false; } id;\n"
	"  integer { size = 64; align = 32; signed = false; map = clock.monotonic.value; } timestamp; };\n";

static const char stream_class[] =
	"stream { id = 0; event.header := struct header;\n"
	"  packet.context := struct { time_t timestamp_begin; time_t timestamp_end;\n"
	"    uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
	"    uint64_t events_discarded; uint32_t cpu_id; };\n};\n";

static void write_metadata(void)
{
	FILE *file = create("metadata");

	/* Traces of one UUID are one trace. */
	fprintf(file, head, with_others ? "ff" : "fe", big_endian ? "be" : "le", CLOCK_OFFSET);
	fprintf(file, "%s%s", narrow ? narrow_header : is_whole() ? plain_header : compact_header, stream_class);
	for (size_t id = 0; id < EVENT_COUNT; id++) {
		if (!is_declared(&events[id]))
			continue;
		fprintf(file, "event { name = \"%s\"; id = %zu; stream_id = 0;\n  fields := struct {\n",
			events[id].name, id);
		for (const struct field *field = events[id].fields; field->name; field++)
			describe_field(file, field);
		fprintf(file, "  };\n};\n");
	}
	fclose(file);
}

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Small numbers far more often than large ones, below 2^@bits. */
static uint64_t skewed(uint64_t r, unsigned int bits)
{
	return (r & ((1ull << bits) - 1)) >> (r >> 32) % bits;
}

#define LOAD_CACHES 64u		/* every other one a size class of kmalloc(), so to speak */

/* A cache's objects: live ones, the last allocated last, and then free ones, the last freed first. */
static struct {
	uint32_t *objects;
	uint64_t live;
} load_caches[LOAD_CACHES];

static void put_load(unsigned int cpu, uint64_t thread, uint64_t site, bool free_it, uint64_t cache,
		     uint64_t object, uint64_t time)
{
	struct stream *stream = &streams[cpu];
	size_t id = (cache & 1 ? 2 : 0) + free_it;

	put_header(stream, time, id);
	put_bits(stream, 1000 + thread, 22);
	put_bits(stream, site * 4096 + 64 + free_it * UINT64_C(2048), 26);
	put_bits(stream, (1u << 24) + object * 64, 40);
	if (id == 0) {
		put_bits(stream, 33 + (site & 31), 13);
		put_bits(stream, 6, 4);
		put_bits(stream, 0xcc0, 23);
	} else if (id >= 2) {
		put_bits(stream, 1 + cache, 16);
		if (id == 2)
			put_bits(stream, 0xcc0, 24);
	}
}

/* Takes a live object, mostly one of the last, or gives the one that was freed last. */
static uint64_t take_object(uint64_t cache, bool free_it, uint64_t r)
{
	uint32_t *objects = load_caches[cache].objects, object;
	uint64_t live = load_caches[cache].live, at = live - 1 - (r >> 20) % (r & 7 ? 8 : live + 1);

	if (!free_it)
		return objects[load_caches[cache].live++];
	if (at >= live)
		at = live - 1;
	object = objects[at];
	objects[at] = objects[--load_caches[cache].live];
	objects[load_caches[cache].live] = object;
	return object;
}

/*
 * Two CPUs on which threads take turns of some 300 events. A thread uses a few caches, of which it
 * allocates and frees at a few call sites. Of @live addresses half are live by and by; with @fill all
 * of them are allocated first, each once.
 */
static void write_load(uint64_t count, uint64_t live, bool fill)
{
	uint64_t each = live / LOAD_CACHES, time = 1000000000, threads[2] = { 1, 2 };

	for (uint64_t i = 0; i < LOAD_CACHES; i++) {
		load_caches[i].objects = calloc(each, sizeof(*load_caches[i].objects));
		if (!load_caches[i].objects)
			fail("no memory");
		for (uint64_t j = 0; j < each; j++)
			load_caches[i].objects[j] = (uint32_t)(j * LOAD_CACHES + i);
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t r = next_random(), cpu = r >> 60 & 1, *thread = &threads[cpu], cache, at;
		bool free_it;

		if (r >> 10 & 255)
			cache = (*thread * 7 + skewed(r >> 20, 4)) % LOAD_CACHES;
		else
			cache = r >> 50 & (LOAD_CACHES - 1);
		if (!(r >> 52 & 255))
			*thread = skewed(next_random(), 7);
		at = load_caches[cache].live;
		if (fill && i < live) {
			cache = i % LOAD_CACHES;
			at = 0;
		}
		free_it = at && (at == each || next_random() % each < (at + each / 2) / 2);
		time += 50 + (r >> 40 & 255);
		put_load((unsigned int)cpu, *thread, cache * 8 + (*thread & 3) + (r >> 62 & 1) * 4, free_it,
			 cache, take_object(cache, free_it, r), time);
	}
	for (uint64_t i = 0; i < LOAD_CACHES; i++)
		free(load_caches[i].objects);
}

static void read_script(void)
{
	struct stream *stream = &streams[0];
	FILE *file = fopen(script, "r");
	char line[4096];

	if (!file)
		fail(strerror(errno));
	/* What is left out has to be known before it is written. */
	for (int pass = 0; pass < 2; pass++, rewind(file), stream = &streams[0], line_number = 0)
		while (fgets(line, sizeof(line), file)) {
			bool early = !strncmp(line, "cpu", 3) || !strncmp(line, "cut", 3);

			line_number++;
			if (pass || early)
				run(line, &stream);
		}
	fclose(file);
}

int main(int argc, char **argv)
{
	uint64_t load = 0, live = 65536;
	bool fill = false;
	int at = 1;

	for (; at + 1 < argc && argv[at][0] == '-'; at++) {
		if (!strcmp(argv[at], "--big-endian"))
			big_endian = true;
		else if (!strcmp(argv[at], "--32-bit"))
			narrow = true;
		else if (!strcmp(argv[at], "--load"))
			load = number(argv[++at]);
		else if (!strcmp(argv[at], "--live"))
			live = number(argv[++at]);
		else if (!strcmp(argv[at], "--fill"))
			fill = true;
		else if (!strcmp(argv[at], "--state"))
			with_others = false;
		else if (!strcmp(argv[at], "--no-state"))
			with_state = false;
	}
	if (argc - at != (load ? 1 : 2)) {
		fprintf(stderr, "usage: make-slab-trace [--big-endian] [--32-bit] [--state | --no-state] SCRIPT FOLDER\n"
				"       make-slab-trace --load EVENTS [--live OBJECTS] [--fill] FOLDER\n");
		return 2;
	}
	script = load ? NULL : argv[at];
	folder = argv[argc - 1];
	mkdir(folder, 0755);
	write_metadata();
	if (load)
		write_load(load, live, fill);
	else
		read_script();
	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (!streams[cpu].file)
			continue;
		end_packet(&streams[cpu]);
		fclose(streams[cpu].file);
		free(streams[cpu].packet);
	}
	return 0;
}
