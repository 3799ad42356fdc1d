// SPDX-License-Identifier: LGPL-2.1-only
// Errors in metadata are reported, with their place; hostile metadata takes little memory and time.

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/metadata/metadata.h"
#include "tests/tap.h"

/* Line 1; the text of a case starts in line 2. */
#define HEAD                                                \
	"trace { major = 1; minor = 8; byte_order = le; };" \
	"typealias integer { size = 8; } := u8;\n"
#define FIELDS(fields) HEAD "event { name = e; fields := struct {\n" fields "\n}; };"

/* Fields start at line 3, column 1. */
static const struct {
	const char *text;
	const char *message; /* starts after "trace: metadata:" */
} cases[] = {
	/* tokens */
	{ HEAD "/* no end", "2:1: comment without an end; " },
	{ HEAD "\"no end", "2:1: string without an end; " },
	{ HEAD "@", "2:1: a character that TSDL does not have; " },
	{ HEAD "env { a = L\"x\"; };", "2:11: strings of wide characters " },
	{ HEAD "env { a = \"\\q\"; };", "2:12: unknown escape sequence" },
	{ HEAD "env { a = 08; };", "2:11: neither a number nor a name; " },
	{ HEAD "env { a = 5x; };", "2:11: neither a number nor a name; " },
	{ HEAD "env { a = 0x10000000000000000; };", "2:11: number of more than 64 bits; " },
	{ HEAD "env { a = 18446744073709551616; };", "2:11: number of more than 64 bits; " },
	{ HEAD "env { a = -9223372036854775809; };",
	  "2:11: negative number of more than 64 bits; " },
	/* blocks */
	{ "", NULL },
	{ " \n ", "2:2: no `trace { ... }`" },
	{ "event { name = e; };", "1:21: no `trace { ... }`" },
	{ HEAD "trace { major = 1; minor = 8; byte_order = le; };", "2:1: two traces " },
	{ "trace { minor = 8; byte_order = le; };", "1:9: a trace without `major`; " },
	{ "trace { major = 1; byte_order = le; };", "1:9: a trace without `minor`; " },
	{ "trace { major = 1; minor = 8; };", "1:9: a trace without `byte_order`; " },
	{ "trace { major = 1; minor = 9; byte_order = le; };",
	  "1:28: the version is not 1.8; " },
	{ "trace { major = 2; minor = 0; byte_order = le; };",
	  "1:17: the version is not 1.8; " },
	{ "trace { major = 1; minor = 8; byte_order = native; };",
	  "1:44: `byte_order` is not one of " },
	{ "trace { major = 1; minor = 8; byte_order = le; uuid = \"x\"; };",
	  "1:55: `uuid` is not a UUID" },
	{ "trace { major = 1; minor = 8; byte_order = le;"
	  "uuid = \"2a6422d0-6cee-11e0-8c08-cb07d7b3a56g\"; };",
	  "1:54: `uuid` is not a UUID" },
	{ HEAD "event { name = e;",
	  "2:1: the text ends before the end of the block or declaration that starts here; " },
	{ HEAD "event { name = e; }",
	  "2:1: the text ends before the end of the block or declaration that starts here; " },
	{ HEAD "event { name = e; } }", "2:21: `}` without `{`; " },
	{ HEAD "event { name = e; } x;", "2:21: `x` where `;` after a block is expected; " },
	{ HEAD "event { name = ; };",
	  "2:16: `;` where a number, a string or a name is expected; " },
	{ HEAD "event { name e; };", "2:9: there is no type `name`; " },
	{ HEAD "event { name := 5; };", "2:17: `5` where a type is expected; " },
	{ HEAD "event { a. = 5; };", "2:12: `=` where a name after the dot is expected; " },
	{ HEAD "u8 a;", "2:4: a field outside of any structure; " },
	/* environment, clocks */
	{ HEAD "env { a = -x; };", "2:11: only numbers can be negative; " },
	{ HEAD "clock { freq = 5; };", "2:9: a clock without `name`; " },
	{ HEAD "clock { name = c; freq = 0; };", "2:26: an invalid clock frequency; " },
	{ HEAD "clock { name = c; freq = x; };", "2:26: `freq` is not an unsigned number; " },
	{ HEAD "clock { name = c; name = d; };", "2:19: `name` twice in one clock; " },
	{ HEAD "clock { name = c; absolute = perhaps; };",
	  "2:30: `absolute` is neither true nor false; " },
	{ HEAD "clock { name = c; offset_s = 9223372036854775807; offset = 1000000000; };",
	  "2:9: a clock's offset of more than 64 bits; " },
	{ HEAD "clock { name = 5; };", "2:16: `name` is not a string; " },
	/* streams, events */
	{ HEAD "stream { id = 0; };", "2:10: a stream class with `id`, but no `stream_id` " },
	{ HEAD "stream {}; stream {};", "2:20: one of several stream classes has no `id`; " },
	{ HEAD "stream { event.header := u8; };", "2:10: `event.header` is not a structure; " },
	{ HEAD "stream { event.header := struct {}; event.header := struct {}; };",
	  "2:37: `event.header` twice in one block; " },
	{ HEAD "event { id = 0; };", "2:9: an event without `name`; " },
	{ HEAD "event { name = a; }; event { name = b; };",
	  "2:30: one of several events has no `id`; " },
	{ HEAD "event { name = a; stream_id = 4; };", "2:9: there is no stream class 4; " },
	{ HEAD "event { name = a; id = -1; };", "2:24: `id` is not an unsigned number; " },
	{ HEAD "event { name = a; id = 1; }; event { name = b; id = 1; };",
	  " stream class 0, event class `b` (1), metadata: another event class has this id; " },
	{ HEAD "stream { event.header := struct { u8 timestamp; }; }; clock { name = a; };"
	       "clock { name = b; };",
	  " a timestamp does not name its clock, and there are several clocks; " },
	{ HEAD "typealias integer { size = 8; map = clock.a.value; } := a;"
	       "typealias integer { size = 8; map = clock.b.value; } := b; clock { name = a; };"
	       "clock { name = b; }; stream { event.header := struct { a x; b y; }; };",
	  " a stream class with two clocks; " },
	{ "trace { major = 1; minor = 8; byte_order = le; packet.header := struct {"
	  "integer { size = 8; } uuid[8]; }; };",
	  " the packet header's `uuid` is not an array of 16 bytes; " },
	{ "clock { name = c; }; trace { major = 1; minor = 8; byte_order = le;"
	  "packet.header := struct { integer { size = 8; map = clock.c.value; } t; }; };",
	  " a timestamp in the packet header; " },
	/* types */
	{ FIELDS("integer { size = 65; } a;"), "3:18: `size` is not between 1 and 64 bits; " },
	{ FIELDS("integer { size = 0; } a;"), "3:18: `size` is not between 1 and 64 bits; " },
	{ FIELDS("integer { size = -8; } a;"), "3:18: `size` is not an unsigned number; " },
	{ FIELDS("integer { signed = 1; } a;"), "3:9: an integer without `size`; " },
	{ FIELDS("integer { size = 8; size = 8; } a;"), "3:21: `size` twice in one integer; " },
	{ FIELDS("integer { size = 8; align = 3; } a;"),
	  "3:29: the alignment is not a power of two; " },
	{ FIELDS("integer { size = 8; align = 0; } a;"),
	  "3:29: the alignment is not a power of two; " },
	{ FIELDS("integer { size = 8; align = 0x100000000; } a;"),
	  "3:29: the alignment is not a power of two; " },
	{ FIELDS("integer { size = 8; base = 7; } a;"), "3:28: `base` is not one of " },
	{ FIELDS("integer { size = 8; base = y; } a;"), "3:28: `base` is not one of " },
	{ FIELDS("integer { size = 8; encoding = latin1; } a;"),
	  "3:32: `encoding` is not one of " },
	{ FIELDS("integer { size = 8; byte_order = middle; } a;"),
	  "3:34: `byte_order` is not one of " },
	{ FIELDS("integer { size = 8; map = clock.c.value; } a;"),
	  "3:27: there is no clock `c`; " },
	{ FIELDS("integer { size := u8; } a;"), "3:16: `:=` where `=` after an attribute's name " },
	{ FIELDS("floating_point { exp_dig = 8; } a;"),
	  "3:16: `exp_dig` and `mant_dig` are neither " },
	{ FIELDS("floating_point { exp_dig = 8; mant_dig = 53; } a;"), "3:16: `exp_dig` and " },
	{ FIELDS("string { encoding = 5; } a;"), "3:21: `encoding` is not a string; " },
	{ FIELDS("enum { A } a;"), "3:6: an enumeration without a type requires the type `int`, which is not declared; " },
	{ FIELDS("enum : u8 {} a;"), "3:12: `}` where an enumeration's label is expected; " },
	{ FIELDS("enum : u8 { A = x } a;"), "3:17: an enumeration's value is not a number; " },
	{ FIELDS("enum : u8 { A = 5 ... 4 } a;"),
	  "3:23: an enumeration's range ends before it starts; " },
	{ FIELDS("enum : integer { size = 8; signed = 1; } { A = 0 ... -1 } a;"),
	  "3:54: an enumeration's range ends before it starts; " },
	{ FIELDS("enum : u8 { A B } a;"), "3:15: `B` where `}` after an enumeration's labels " },
	{ FIELDS("enum : struct { u8 a; } { A } a;"),
	  "3:6: an enumeration's type is not an integer; " },
	{ FIELDS("enum e a;"), "3:6: there is no `enum e`; " },
	{ FIELDS("struct s a;"), "3:8: there is no `struct s`; " },
	{ FIELDS("variant v <t> a;"), "3:9: there is no `variant v`; " },
	{ FIELDS("struct; a;"), "3:7: `;` where a name or `{` is expected; " },
	{ FIELDS("struct s { u8 a; } b; struct s { u8 a; } c;"),
	  "3:30: `struct s` is declared already; " },
	{ FIELDS("typealias u8 := u8; typealias u8 := u8;"), "3:37: `u8` is declared already; " },
	{ FIELDS("typealias variant { u8 a; } := v;"),
	  "3:11: a typealias of a variant without tag; " },
	{ FIELDS("typealias u8 x := y;"), "3:11: a name left of `:=` in a typealias; " },
	{ FIELDS("typedef variant { u8 a; } v;"), "3:27: a typedef of a variant without tag; " },
	{ FIELDS("x a;"), "3:1: there is no type `x`; " },
	{ FIELDS("u8 *a;"), "3:1: there is no type `u8 *`; " },
	{ FIELDS("u8 a; u8 a;"), "3:10: there is already a field `a`; " },
	{ FIELDS("u8 a : 3;"), "3:6: bit fields as in C are not supported; " },
	{ FIELDS("u8 5;"), "3:4: `5` where a name is expected; " },
	{ FIELDS("u8 a[-1];"), "3:6: an array's length is negative; " },
	{ FIELDS("u8 a[];"), "3:6: `]` where a number, a string or a name is expected; " },
	{ FIELDS("u8 a[1;"), "3:7: `;` where `]` after an array's length is expected; " },
	{ FIELDS("u8 a[env.x];"), "3:6: the environment has no length `x`; " },
	{ FIELDS("struct { u8 a; } align(3) b;"), "3:24: the alignment is not a power of two; " },
	{ FIELDS("enum : u8 { A } t; variant <t> {} v;"), NULL },
	{ FIELDS("variant { u8 a; } v;"), NULL },
	/* references */
	{ FIELDS("u8 a[n];"), "3:6: `n` is not a field before the one that refers to it; " },
	{ FIELDS("u8 a[n]; u8 n;"), "3:6: `n` is not a field before the one that refers to it; " },
	{ FIELDS("u8 a[a];"), "3:6: `a` is not a field before the one that refers to it; " },
	{ FIELDS("u8 a[event.fields.a];"), "3:6: `event.fields.a` is not a field before " },
	{ FIELDS("u8 n; u8 a[n.m];"), "3:12: `n.m` is not a field before " },
	{ FIELDS("u8 n; u8 a[stream.event.header.n];"),
	  "3:12: `stream.event.header.n` is not a field " },
	{ FIELDS("struct { u8 n; u8 a[s.m]; } s;"), "3:21: `s.m` is not a field before " },
	{ FIELDS("string n; u8 a[n];"),
	  "3:16: `n` is an array's length but not an unsigned integer; " },
	{ FIELDS("integer { size = 8; signed = 1; } n; u8 a[n];"),
	  "3:43: `n` is an array's length but " },
	{ FIELDS("u8 t; variant <t> { u8 a; } v;"),
	  "3:16: `t` is a variant's tag but not an enumeration; " },
	{ FIELDS("u8 t; variant < { u8 a; } v;"), "3:17: `{` where a variant's tag is expected; " },
	{ HEAD "stream { event.context := struct { u8 a[event.fields.n]; }; };"
	       "event { name = e; fields := struct { u8 n; }; };",
	  "2:41: `event.fields.n` is not a field before the one that refers to it; " },
};

static void check(const char *name, const char *text, size_t length, const char *message)
{
	static const char prefix[] = "trace: metadata:";
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *trace = ctf_metadata_parse(text, length, "metadata", &err);
	const char *got = err.message + sizeof(prefix) - 1;
	bool ok = !trace && !strncmp(err.message, prefix, sizeof(prefix) - 1) && strchr(got, ';') &&
		  (!message || !strncmp(got, message, strlen(message)));

	tap(ok, "%s", name);
	if (!ok)
		printf("# got: %s\n", trace ? "no error" : err.message);
	ctf_trace_class_destroy(trace);
}

/* ---- amplification ---- */

struct tsdl_text {
	char *data;
	size_t length, room;
};

static void add(struct tsdl_text *text, const char *fmt, unsigned long n)
{
	int length;

	if (text->length + 200 > text->room) {
		text->room = text->room * 2 + 4096;
		text->data = realloc(text->data, text->room);
		if (!text->data)
			abort();
	}
	length = snprintf(text->data + text->length, 200, fmt, n, n, n, n);
	text->length += (size_t)length;
}

/* Hostile metadata: @begin, then @each for every number from 0 to @count - 1, then @end. */
static const struct {
	const char *name, *begin, *each, *end;
	unsigned long count;
	const char *message; /* a part of the message */
} hostile[] = {
	{ "structures in structures", HEAD "event { name = e; fields := ", "struct { ", "", 100000,
	  "the text ends before the end of" },
	{ "structures in structures, closed later", HEAD "event { name = e; fields := ",
	  "struct { ", "u8 a; } b; };};};};};};};};", 64, NULL },
	{ "enumerations of enumerations", HEAD "event { name = e; fields := struct { ",
	  "enum : ", "u8 { A } a; }; };", 300000, "nested more than 64 deep" },
	{ "a deep structure", HEAD "struct s0 { u8 a; };",
	  "struct s%1$lu { struct s%1$lu { u8 x; } a; };", "", 1, "is declared already" },
	{ "structures doubled repeatedly", HEAD "struct s { u8 a; };",
	  "typealias struct { u8 x; u8 y; } := a%lu;",
	  "struct d0 { a0 a; a0 b; }; struct d1 { struct d0 a; struct d0 b; struct d0 c; struct d0 d; };"
	  "struct d2 { struct d1 a; struct d1 b; struct d1 c; struct d1 d; struct d1 e; };"
	  "struct d3 { struct d2 a; struct d2 b; struct d2 c; struct d2 d; struct d2 e; };"
	  "struct d4 { struct d3 a; struct d3 b; struct d3 c; struct d3 d; struct d3 e; };"
	  "struct d5 { struct d4 a; struct d4 b; struct d4 c; struct d4 d; struct d4 e; };"
	  "struct d6 { struct d5 a; struct d5 b; struct d5 c; struct d5 d; struct d5 e; };",
	  1, "field classes and labels" },
	{ "dimensions", HEAD "event { name = e; fields := struct { u8 a", "[1]", "; }; };", 100,
	  "dimensions" },
	{ "dimensions of dimensions",
	  HEAD "typedef u8 t[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];"
	       "typedef t u[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];"
	       "typedef u v[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];"
	       "typedef v w[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];",
	  "", "", 0, "nested more than 64 deep" },
	{ "labels copied repeatedly", HEAD "enum e : u8 { a", ", l%lu",
	  " };"
	  "event { name = e; fields := struct { enum e a; enum e b; enum e c; enum e d; enum e f; enum e g;"
	  "enum e h; enum e i; enum e j; enum e k; enum e l; enum e m; enum e n; enum e o; }; };",
	  50000, "field classes and labels" },
	{ "references far away", HEAD "event { name = e; fields := struct { u8 n;", "u8 a%lu[n];",
	  "}; };", 60000, "too many references" },
	{ "labels among many", HEAD "event { name = e; fields := struct { enum : u8 { a", ",l%lu",
	  "} t; variant <t> { u8 l40000; u8 l1; u8 z; } v; u8 x[y]; }; };", 100000,
	  "`y` is not a field" },
	{ "an environment with too many entries", HEAD "env { ", "a%lu = 1;", "};", 10001,
	  "more than 10000 entries" },
	{ "too many clocks", HEAD, "clock { name = c%lu; };", "", 1001, "more than 1000 clocks" },
	{ "a long name of a type", HEAD "typealias u8 := ", "a ", ";", 200,
	  "a type's name of more than" },
};

static void check_hostile(size_t i)
{
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *trace;
	struct tsdl_text text = { 0 };
	bool ok;

	/* The parts are longer than the limit of add(), so copy them directly. */
	text.room = strlen(hostile[i].begin) + strlen(hostile[i].end) + 4096;
	text.data = malloc(text.room);
	if (!text.data)
		abort();
	text.length = strlen(hostile[i].begin);
	strcpy(text.data, hostile[i].begin);
	for (unsigned long n = 0; n < hostile[i].count; n++)
		add(&text, hostile[i].each, n);
	text.data = realloc(text.data, text.length + strlen(hostile[i].end) + 1);
	if (!text.data)
		abort();
	strcpy(text.data + text.length, hostile[i].end);
	trace = ctf_metadata_parse(text.data, strlen(text.data), "metadata", &err);
	ok = !trace && strstr(err.message, hostile[i].message ? hostile[i].message : ";");
	tap(ok, "%s", hostile[i].name);
	if (!ok)
		printf("# got: %s\n", trace ? "no error" : err.message);
	ctf_trace_class_destroy(trace);
	free(text.data);
}

/* ---- packets ---- */

struct tsdl_packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum, content_size, packet_size;
	uint8_t compression, encryption, checksum_scheme, major, minor;
} __attribute__((packed));

/* Builds one packet from @content and null bytes; the cases change the packet. */
static size_t put_packet(uint8_t *at, const char *content, size_t padding, bool big_endian)
{
	size_t length = strlen(content), size = sizeof(struct tsdl_packet_header) + length;
	struct tsdl_packet_header header = { .major = 1, .minor = 8, .uuid = { 1, 2, 3 } };
	uint32_t values[] = { 0x75d11d57, (uint32_t)size * 8, (uint32_t)(size + padding) * 8 };

	for (size_t i = 0; i < 3; i++)
		values[i] = big_endian ? htobe32(values[i]) : htole32(values[i]);
	header.magic = values[0];
	header.content_size = values[1];
	header.packet_size = values[2];
	memcpy(at, &header, sizeof(header));
	for (size_t i = 0; i < length; i++)
		at[sizeof(header) + i] = (uint8_t)content[i];
	memset(at + size, 0, padding);
	return size + padding;
}

#define FIRST "trace { major = 1; minor = 8; byte_order = le; }; ev"
#define SECOND "ent { name = e; };"
#define FIRST_SIZE (sizeof(struct tsdl_packet_header) + sizeof(FIRST) - 1 + 20)

/* The byte to write at offset @at in both packets, or the number of bytes to keep. */
static const struct {
	const char *name;
	size_t at;
	uint8_t byte;
	size_t keep;	     /* 0: all */
	const char *message; /* NULL: readable */
} packet_cases[] = {
	{ "sound", 0, 0x57, 0, NULL },
	{ "no padding at the end", 0, 0x57, FIRST_SIZE + 37 + 18, NULL },
	{ "a null byte within the content", FIRST_SIZE - 21, 0, 0, "there is no type `eent`" },
	{ "half a magic number", 0, 0x57, 2, "a character that TSDL does not have; " },
	{ "half a header", 0, 0x57, 20, "metadata packet 0 at byte 0: truncated; " },
	{ "half a content", 0, 0x57, 60, "metadata packet 0 at byte 0: truncated; " },
	{ "half a second header", 0, 0x57, FIRST_SIZE + 10,
	  "metadata packet 1 at byte 109: truncated; " },
	{ "half a second content", 0, 0x57, FIRST_SIZE + 40,
	  "metadata packet 1 at byte 109: truncated; " },
	{ "second magic", FIRST_SIZE, 0x58, 0,
	  "metadata packet 1 at byte 109: wrong magic number; " },
	{ "second UUID", FIRST_SIZE + 4, 9, 0,
	  "metadata packet 1 at byte 109: belongs to a different trace " },
	{ "checksum", 20, 1, 0, "metadata packet 0 at byte 0: has a checksum " },
	{ "content smaller than the header", 25, 0, 0,
	  "metadata packet 0 at byte 0: an impossible content size" },
	{ "content larger than the packet", 26, 1, 0,
	  "metadata packet 0 at byte 0: an impossible content size" },
	{ "content larger than the file", 27, 1, 0,
	  "metadata packet 0 at byte 0: an impossible content size" },
	{ "packet smaller than its content", 29, 0, 0,
	  "metadata packet 0 at byte 0: an impossible content size" },
	{ "compressed", 32, 1, 0, "metadata packet 0 at byte 0: compressed or encrypted; " },
	{ "encrypted", 33, 1, 0, "metadata packet 0 at byte 0: compressed or encrypted; " },
	{ "checksum scheme", 34, 1, 0, "metadata packet 0 at byte 0: has a checksum " },
	{ "major version", 35, 3, 0, "metadata packet 0 at byte 0: its CTF version " },
	{ "minor version", 36, 7, 0, "metadata packet 0 at byte 0: its CTF version " },
	{ "second version", FIRST_SIZE + 35, 2, 0,
	  "metadata packet 1 at byte 109: its CTF version " },
	{ "damaged content", 37, '@', 0, "1:1: a character that TSDL does not have; " },
};

static void check_packets(size_t i)
{
	uint8_t data[512];
	size_t size = put_packet(data, FIRST, 20, false);
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *trace;
	bool ok;

	size += put_packet(data + size, SECOND, 9, false);
	data[packet_cases[i].at] = packet_cases[i].byte;
	if (packet_cases[i].keep)
		size = packet_cases[i].keep;
	trace = ctf_metadata_parse(data, size, "metadata", &err);
	ok = packet_cases[i].message
		     ? !trace && strstr(err.message, packet_cases[i].message)
		     : trace && trace->stream_count == 1 && trace->streams[0]->event_count == 1;
	tap(ok, "packets: %s", packet_cases[i].name);
	if (!ok)
		printf("# got: %s\n", trace ? "no error" : err.message);
	ctf_trace_class_destroy(trace);
}

static void check_byte_order(void)
{
	uint8_t data[512];
	size_t size = put_packet(data, FIRST, 20, true);
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *trace;

	size += put_packet(data + size, SECOND, 0, true);
	trace = ctf_metadata_parse(data, size, "metadata", &err);
	tap(trace && trace->stream_count == 1 && trace->streams[0]->event_count == 1,
	    "packets: the other byte order");
	ctf_trace_class_destroy(trace);
}

/*
 * Truncates intact metadata at each byte: the reader must accept the rest, or refuse it with a
 * message.
 */
static void check_cuts(void)
{
	static const char whole[] =
		"/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; uuid ="
		" \"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\"; }; typealias integer { size = 8; } := u8;"
		" clock { name = c; freq = 5; }; env { a = \"b\\n\"; }; stream { event.header := struct {"
		" enum : u8 { A = 0 ... 3, B } id; variant <id> { struct { u8 t[2]; } A; u8 B; } v; }"
		" align(8); }; event { name = e; id = 0; fields := struct { u8 n; u8 a[n][3]; }; };";
	size_t bad = 0;

	for (size_t length = 1; length < sizeof(whole); length++) {
		struct mm_error err = MM_ERROR_INIT;
		struct ctf_trace_class *trace = ctf_metadata_parse(whole, length, "metadata", &err);

		bad += !trace == !err.message[0];
		bad += length == sizeof(whole) - 1 && !trace;
		ctf_trace_class_destroy(trace);
	}
	tap(!bad, "metadata truncated at every byte");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%zu: %.50s", i,
			 cases[i].message ? cases[i].message : "refused");
		check(name, cases[i].text, strlen(cases[i].text), cases[i].message);
	}
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++)
		check_hostile(i);
	for (size_t i = 0; i < sizeof(packet_cases) / sizeof(packet_cases[0]); i++)
		check_packets(i);
	check_byte_order();
	check_cuts();
	return tap_status();
}
