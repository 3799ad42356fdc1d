// SPDX-License-Identifier: LGPL-2.1-only
/* Tests texts of fields, in the form of babeltrace2 2.1.1's sink.text.pretty and of event lines. */
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/metadata/metadata.h"
#include "reader/print/text-plan.h"
#include "tests/tap.h"

#define SLACK 64

/* The payload of an event, its bytes, and the text that babeltrace2 writes. */
struct text_case {
	const char *fields;
	const char *bytes;
	size_t length;
	const char *pretty, *line;
};

#define CASE(fields, bytes, pretty, line)                      \
	{                                                      \
		fields, bytes, sizeof(bytes) - 1, pretty, line \
	}

static const struct text_case cases[] = {
	CASE("", "", "{ }", "{ }"),
	CASE("u8 a; s8 b; u16 c; s16 d; u32 e; s32 f; u64 g; s64 h;",
	     "\xff\xff\xff\xff\xfe\xff\xff\xff\xff\xff\xfd\xff\xff\xff"
	     "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x80",
	     "{ a = 255, b = -1, c = 65535, d = -2, e = 4294967295, f = -3, "
	     "g = 18446744073709551615, h = -9223372036854775808 }",
	     "{ a = 255, b = -1, c = 65535, d = -2, e = 4294967295, f = -3, "
	     "g = 18446744073709551615, h = -9223372036854775808 }"),
	CASE("integer { size = 8; align = 8; base = x; } a; "
	     "integer { size = 8; align = 8; signed = true; base = x; } b; "
	     "integer { size = 64; align = 8; base = x; } c;",
	     "\xa5\xa5\x40\xa8\xc3\x26\x80\x88\xff\xff",
	     "{ a = 0xA5, b = 0xA5, c = 0xFFFF888026C3A840 }",
	     "{ a = 0xa5, b = 0xffffffffffffffa5, c = 0xffff888026c3a840 }"),
	CASE("integer { size = 8; align = 8; base = o; } a; "
	     "integer { size = 8; align = 8; signed = true; base = o; } b; "
	     "integer { size = 16; align = 8; base = o; } c;",
	     "\xa5\xa5\x00\x00", "{ a = 0245, b = 0645, c = 00 }",
	     "{ a = 0245, b = 01777777777777777777645, c = 00 }"),
	CASE("integer { size = 8; align = 8; base = b; } a; "
	     "integer { size = 8; align = 8; signed = true; base = b; } b;",
	     "\x05\xa5", "{ a = 0b00000101, b = 0b10100101 }",
	     "{ a = 0b101, b = 0b1111111111111111111111111111111111111111111111111111111110100101 }"),
	/*
	 * Fields that are not byte-aligned. sink.text.pretty's mask for 61 bits and more is zero,
	 * so it prints 0 for such a field.
	 */
	CASE("integer { size = 7; align = 1; signed = true; base = x; } a; "
	     "integer { size = 7; align = 1; base = x; } b; "
	     "integer { size = 5; align = 1; signed = true; base = o; } c; "
	     "integer { size = 5; align = 1; signed = true; base = b; } d; "
	     "integer { size = 61; align = 1; base = x; } e; "
	     "integer { size = 60; align = 1; base = x; } f; "
	     "integer { size = 1; align = 1; signed = true; } g;",
	     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	     "{ a = 0xFF, b = 0x7F, c = 077, d = 0b11111, e = 0x0, f = 0xFFFFFFFFFFFFFFF, g = -1 }",
	     "{ a = 0xffffffffffffffff, b = 0x7f, c = 01777777777777777777777, "
	     "d = 0b1111111111111111111111111111111111111111111111111111111111111111, "
	     "e = 0x1fffffffffffffff, f = 0xfffffffffffffff, g = -1 }"),
	CASE("integer { size = 16; align = 8; byte_order = be; } a; "
	     "integer { size = 32; align = 8; byte_order = be; signed = true; } b; "
	     "integer { size = 64; align = 8; byte_order = be; base = x; } c;",
	     "\x01\x02\xff\xff\xff\xfe\x01\x02\x03\x04\x05\x06\x07\x08",
	     "{ a = 258, b = -2, c = 0x102030405060708 }",
	     "{ a = 258, b = -2, c = 0x102030405060708 }"),
	CASE("floating_point { exp_dig = 8; mant_dig = 24; align = 8; } a; "
	     "floating_point { exp_dig = 11; mant_dig = 53; align = 8; } b; "
	     "floating_point { exp_dig = 11; mant_dig = 53; align = 8; } c;",
	     "\xcd\xcc\xcc\x3d\x00\x00\x00\x00\x00\x00\xf0\xff\x9a\x99\x99\x99\x99\x99\xb9\x3f",
	     "{ a = 0.1, b = -inf, c = 0.1 }", "{ a = 0.1, b = -inf, c = 0.1 }"),
	CASE("string a; u8 b; string c;", "h\"i\\'?\0\x07\a\b\t\n\v\f\r\x1b\x01\x7f\xc3\xa9\0",
	     "{ a = \"h\\\"i\\\\\\'\\?\", b = 7, c = \"\\a\\b\\t\\n\\v\\f\\r\\e\\x01\\x7f\xc3\xa9\" }",
	     "{ a = \"h\"i\\\\'?\", b = 7, c = \"\\x07\\x08\\t\\n\\x0b\\x0c\\r\\x1b\\x01\\x7f\xc3\xa9\" }"),
	CASE("c8 a[4]; u8 n; c8 b[n]; c8 c; c16 d[2];", "ab\0d\x02xye\x61\0\x62\0",
	     "{ a = \"ab\", n = 2, b = \"xy\", c = 101, d = [ [0] = 97, [1] = 98 ] }",
	     "{ a = \"ab\", n = 2, b = \"xy\", c = 101, d = [ 97, 98 ] }"),
	CASE("enum : u8 { a, b = 3, c, \"d e\" = 7 ... 9 } a; enum : u8 { a, b = 3 } b; "
	     "enum : s8 { neg = -2, pos = 1 } c; "
	     "enum : integer { size = 8; align = 8; base = x; } { f0 = 1, f1 = 2, f3 = 8 } d;",
	     "\x04\x09\xfe\x0b",
	     "{ a = ( \"c\" : container = 4 ), b = ( <unknown> : container = 9 ), "
	     "c = ( \"neg\" : container = -2 ), d = ( <unknown> : container = 0xB ) }",
	     "{ a = c, b = 9, c = neg, d = f0|f1|f3 }"),
	/* An enumeration is a set of flags only if each label stands for a single bit or for 0. */
	CASE("enum : s8 { neg = -3, many = 4 ... 5 } a; enum : s8 { no, x = 2, y = 4 } b; "
	     "enum : s8 { p = 1, q = 2 } c; enum : u8 { zero } d; "
	     "enum : integer { size = 8; align = 8; base = x; } { three = 3 } e;",
	     "\xfe\x0e\xfe\x03\x0b",
	     "{ a = ( <unknown> : container = -2 ), b = ( <unknown> : container = 14 ), "
	     "c = ( <unknown> : container = -2 ), d = ( <unknown> : container = 3 ), "
	     "e = ( <unknown> : container = 0xB ) }",
	     "{ a = -2, b = x|y|0x8, c = -2, d = 3, e = 0xb }"),
	/* Several labels, in the order of babeltrace2's hash tables. */
	CASE("enum : u8 { z = 1, x = 3, y = 1 ... 3, \"a\" = 1 } a;", "\x01",
	     "{ a = ( { \"a\", \"y\", \"z\" } : container = 1 ) }", "{ a = z }"),
	CASE("enum : u8 { zz = 1, x1 = 1, x2 = 1, x3 = 1, x4 = 1, x5 = 1, x6 = 1, x7 = 1, x8 = 1, "
	     "x9 = 1, x10 = 1, x11 = 1, x12 = 1, x13 = 1, x14 = 1 } a;",
	     "\x01",
	     "{ a = ( { \"x14\", \"zz\", \"x1\", \"x10\", \"x2\", \"x12\", \"x3\", \"x8\", \"x4\", "
	     "\"x11\", \"x5\", \"x6\", \"x7\", \"x13\", \"x9\" } : container = 1 ) }",
	     "{ a = zz }"),
	CASE("u8 n; u8 a[n]; string b[n]; struct { } c[2]; struct { u8 x; s8 y; } d[n]; u8 e[2][2];",
	     "\x02\x05\x06p\0q\0\x01\xff\x02\xfe"
	     "1234",
	     "{ n = 2, a = [ [0] = 5, [1] = 6 ], b = [ [0] = \"p\", [1] = \"q\" ], "
	     "c = [ [0] = { }, [1] = { } ], d = [ [0] = { x = 1, y = -1 }, [1] = { x = 2, y = -2 } ], "
	     "e = [ [0] = [ [0] = 49, [1] = 50 ], [1] = [ [0] = 51, [1] = 52 ] ] }",
	     "{ n = 2, a = [ 5, 6 ], b = [ \"p\", \"q\" ], c = [ { }, { } ], "
	     "d = [ { x = 1, y = -1 }, { x = 2, y = -2 } ], e = [ [ 49, 50 ], [ 51, 52 ] ] }"),
	CASE("u8 n; u8 a[n];", "\0", "{ n = 0, a = [ ] }", "{ n = 0, a = [ ] }"),
	/* An array that is too long to be written element by element. */
	CASE("u8 a[18];", "abcdefghijklmnopqr",
	     "{ a = [ [0] = 97, [1] = 98, [2] = 99, [3] = 100, [4] = 101, [5] = 102, [6] = 103, "
	     "[7] = 104, [8] = 105, [9] = 106, [10] = 107, [11] = 108, [12] = 109, [13] = 110, "
	     "[14] = 111, [15] = 112, [16] = 113, [17] = 114 ] }",
	     "{ a = [ 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, "
	     "113, 114 ] }"),
	CASE("enum : u8 { A, B } tag; variant <tag> { u8 A; struct { u16 w; } B; } v;",
	     "\x01\x02\x01", "{ tag = ( \"B\" : container = 1 ), v = { { w = 258 } } }",
	     "{ tag = B, v = { w = 258 } }"),
	/*
	 * Timestamps and arrays of timestamps are hidden. A structure of timestamps is shown as
	 * empty.
	 */
	CASE("u8 a; ts b; u8 n; u8 q[n]; ts c[2]; struct { ts k; } d;",
	     "\x01"
	     "12345678"
	     "\x01\x09"
	     "12345678"
	     "12345678"
	     "12345678",
	     "{ a = 1, n = 1, q = [ [0] = 9 ], d = { } }", "{ a = 1, n = 1, q = [ 9 ], d = { } }"),
	/* Alignments that leave holes, one of them after a string. */
	CASE("u8 a; integer { size = 32; align = 32; } b; string c; "
	     "integer { size = 16; align = 16; } d; u8 e;",
	     "\x01___\x02\0\0\0"
	     "xy\0_"
	     "\x03\0\x04",
	     "{ a = 1, b = 2, c = \"xy\", d = 3, e = 4 }",
	     "{ a = 1, b = 2, c = \"xy\", d = 3, e = 4 }"),
	/* Bits without byte alignment. An empty structure moves the following field. */
	CASE("u8 n; u8 a[n]; integer { size = 3; align = 1; } b; struct { } align(4) c; "
	     "integer { size = 12; align = 1; } d;",
	     "\0\xa5\x7b", "{ n = 0, a = [ ], b = 5, c = { }, d = 1978 }",
	     "{ n = 0, a = [ ], b = 5, c = { }, d = 1978 }"),
};

static struct ctf_trace_class *parse(const char *fields)
{
	static const char before[] =
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; } := u8;"
		"typealias integer { size = 16; align = 8; } := u16;"
		"typealias integer { size = 32; align = 8; } := u32;"
		"typealias integer { size = 64; align = 8; } := u64;"
		"typealias integer { size = 8; align = 8; signed = true; } := s8;"
		"typealias integer { size = 16; align = 8; signed = true; } := s16;"
		"typealias integer { size = 32; align = 8; signed = true; } := s32;"
		"typealias integer { size = 64; align = 8; signed = true; } := s64;"
		"typealias integer { size = 8; align = 8; encoding = UTF8; } := c8;"
		"typealias integer { size = 16; align = 8; encoding = UTF8; } := c16;"
		"trace { major = 1; minor = 8; byte_order = le; };"
		"clock { name = c; freq = 1000000000; };"
		"typealias integer { size = 64; align = 8; map = clock.c.value; } := ts;"
		"stream { event.header := struct { ts timestamp; }; };"
		"event { name = \"e\"; fields := struct { ";
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *trace;
	char text[8192];
	int length;

	length = snprintf(text, sizeof(text), "%s%s }; };\n", before, fields);
	trace = ctf_metadata_parse(text, (size_t)length, "metadata", &err);
	if (!trace)
		printf("# %s\n", err.message);
	return trace;
}

/* Returns the null-terminated text of the payload in @bytes, or NULL if there is none. */
static char *text_of(const struct ctf_trace_class *trace, enum mm_text_style style, bool names,
		     const char *bytes, size_t length)
{
	struct mm_text_plan *plan = mm_text_plan_create(style, trace);
	uint64_t *slots = calloc(trace->slot_count + 1, sizeof(*slots));
	uint8_t *packet = calloc(1, length + SLACK);
	struct mm_text text = { 0 };
	struct ctf_cursor cursor;
	int ret = -1;

	memcpy(packet, bytes, length);
	cursor = (struct ctf_cursor){ .data = packet, .end = length * 8, .slots = slots };
	mm_text_plan_field(plan, trace->streams[0]->events[0]->payload, names);
	if (!mm_text_plan_finish(plan))
		ret = mm_text_plan_run(plan, &cursor, &text);
	if (!ret && mm_text_reserve(&text, 1))
		text.data[text.length] = '\0';
	mm_text_plan_destroy(plan);
	free(slots);
	free(packet);
	if (!ret)
		return text.data;
	free(text.data);
	return NULL;
}

static void compare(const char *what, const char *fields, char *text, const char *expected)
{
	bool same = text && !strcmp(text, expected);

	if (!same)
		printf("# %s\n# expected: %s\n", text ? text : "(none)", expected);
	tap(same, "%s: %.60s", what, fields);
	free(text);
}

static void test_case(const struct text_case *test)
{
	struct ctf_trace_class *trace = parse(test->fields);

	if (!trace) {
		tap(false, "%.60s", test->fields);
		return;
	}
	compare("pretty", test->fields,
		text_of(trace, MM_TEXT_BABELTRACE, true, test->bytes, test->length), test->pretty);
	compare("line", test->fields, text_of(trace, MM_TEXT_LINE, true, test->bytes, test->length),
		test->line);
	/*
	 * With one byte less, no text must be made, and nothing may crash. (In the reader, the
	 * decoder already refuses such an event.)
	 */
	if (test->length) {
		char *text =
			text_of(trace, MM_TEXT_BABELTRACE, true, test->bytes, test->length - 1);

		tap(!text, "cut short: %.60s", test->fields);
		free(text);
	}
	ctf_trace_class_destroy(trace);
}

static void test_no_names(void)
{
	static const char fields[] = "u8 n; u8 a[n]; u8 b[2]; struct { u8 x; } c;";
	struct ctf_trace_class *trace = parse(fields);

	if (trace)
		compare("without names", fields,
			text_of(trace, MM_TEXT_BABELTRACE, false, "\x01\x02\x03\x04\x05", 5),
			"{ 1, [ 2 ], [ 3, 4 ], { 5 } }");
	ctf_trace_class_destroy(trace);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(&cases[i]);
	test_no_names();
	return tap_status();
}
