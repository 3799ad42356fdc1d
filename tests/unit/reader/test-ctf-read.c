// SPDX-License-Identifier: LGPL-2.1-only
// Compares the reading of fields with a reference that reads bit by bit.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/packet/read.h"
#include "tests/tap.h"

#define SLACK 16

static uint64_t random_state = 42;

static uint64_t next_random(void)
{
	/* SplitMix64, https://prng.di.unimi.it/splitmix64.c's constants. */
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static struct ctf_cursor cursor_at(const uint8_t *data, uint64_t at, uint64_t end, uint64_t *slots)
{
	return (struct ctf_cursor){ .data = data, .at = at, .end = end, .slots = slots };
}

static bool bit_at(const uint8_t *data, uint64_t at, bool big_endian)
{
	return data[at / 8] >> (big_endian ? 7 - at % 8 : at % 8) & 1;
}

static uint64_t oracle(const uint8_t *data, uint64_t at, unsigned int size, bool big_endian,
		       bool reversed)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < size; i++) {
		uint64_t bit = bit_at(data, at + i, big_endian);

		if (big_endian != reversed)
			value = value << 1 | bit;
		else
			value |= bit << i;
	}
	return value;
}

static int64_t oracle_signed(uint64_t value, unsigned int size)
{
	if (size < 64 && value >> (size - 1))
		value |= UINT64_MAX << size;
	return (int64_t)value;
}

/*
 * Reads integers of each size that start at each bit of the first three bytes. The content ends
 * where the integer ends.
 */
static unsigned int wrong_integers(enum ctf_kind kind, bool big_endian, bool reversed)
{
	uint8_t data[16 + SLACK];
	unsigned int wrong = 0, size, at, i;

	for (size = 1; size <= 64; size++) {
		for (at = 0; at < 24; at++) {
			struct ctf_field field = { .kind = kind,
						   .align = 1,
						   .size = size,
						   .big_endian = big_endian,
						   .reversed_bits = reversed,
						   .keep_slot = 1 };
			uint64_t slots[2] = { 7, 7 };
			struct ctf_cursor c = cursor_at(data, at, at + size, slots);
			struct ctf_scalar scalar;
			uint64_t want;

			for (i = 0; i < sizeof(data); i++)
				data[i] = next_random();
			want = oracle(data, at, size, big_endian, reversed);
			if (kind == CTF_SIGNED)
				want = oracle_signed(want, size);
			wrong += ctf_read_scalar(&c, &field, &scalar) || scalar.u != want ||
				 c.at != c.end || slots[1] != want || slots[0] != 7;
			c = cursor_at(data, at, at + size - 1, slots);
			wrong += ctf_read_scalar(&c, &field, &scalar) != CTF_END || c.at != at ||
				 !c.problem;
		}
	}
	return wrong;
}

static void test_integers(void)
{
	static const struct {
		enum ctf_kind kind;
		const char *name;
	} kinds[] = {
		{ CTF_UNSIGNED, "unsigned" },
		{ CTF_SIGNED, "signed" },
		{ CTF_BITMAP, "bit map" },
	};
	size_t i;

	for (i = 0; i < 3; i++)
		for (int order = 0; order < 4; order++)
			tap(!wrong_integers(kinds[i].kind, order & 1, order & 2),
			    "%s of every size at every bit, %s-endian, bits %s", kinds[i].name,
			    order & 1 ? "big" : "little", order & 2 ? "reversed" : "natural");
}

static void test_alignment(void)
{
	static const struct {
		uint64_t at, end;
		uint32_t align;
		uint64_t to; /* UINT64_MAX: beyond the end */
	} cases[] = {
		{ 0, 100, 64, 0 },   { 1, 100, 1, 1 },	   { 1, 100, 64, 64 },
		{ 64, 100, 64, 64 }, { 65, 128, 64, 128 }, { 65, 127, 64, UINT64_MAX },
		{ 9, 100, 8, 16 },   { 0, 0, 128, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ctf_field field = { .kind = CTF_STRUCT, .align = cases[i].align };
		struct ctf_cursor c = cursor_at(NULL, cases[i].at, cases[i].end, NULL);
		bool past = cases[i].to == UINT64_MAX;
		enum ctf_status status = ctf_align(&c, &field);

		tap(status == (past ? CTF_END : CTF_OK) &&
			    c.at == (past ? cases[i].at : cases[i].to),
		    "bit %" PRIu64 " aligned to %" PRIu32, cases[i].at, cases[i].align);
	}
}

static void test_floats(void)
{
	static const struct {
		unsigned int size;
		uint8_t bytes[8]; /* little-endian */
		double value;
	} cases[] = {
		{ 16, { 0x00, 0x3c }, 1.0 },
		{ 16, { 0x00, 0xc0 }, -2.0 },
		{ 16, { 0xff, 0x7b }, 65504.0 },
		{ 16, { 0x01, 0x00 }, 0x1p-24 },
		{ 16, { 0x00, 0x04 }, 0x1p-14 },
		{ 16, { 0x00, 0x7c }, INFINITY },
		{ 16, { 0x01, 0xfc }, NAN },
		{ 32, { 0x00, 0x00, 0x80, 0xbf }, -1.0 },
		{ 32, { 0x01, 0x00, 0x00, 0x00 }, 0x1p-149 },
		{ 32, { 0x00, 0x00, 0x80, 0x7f }, INFINITY },
		{ 64, { 0, 0, 0, 0, 0, 0, 0xf8, 0x3f }, 1.5 },
		{ 64, { 0, 0, 0, 0, 0, 0, 0, 0x80 }, -0.0 },
	};
	size_t i, j;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int big = 0; big < 2; big++) {
			struct ctf_field field = { .kind = CTF_FLOAT,
						   .align = 8,
						   .big_endian = big,
						   .size = cases[i].size,
						   .keep_slot = -1 };
			uint8_t data[9 + SLACK] = { 0 };
			struct ctf_cursor c = cursor_at(data, 3, 72, NULL);
			struct ctf_scalar scalar;
			size_t count = cases[i].size / 8;

			for (j = 0; j < count; j++)
				data[1 + j] = cases[i].bytes[big ? count - 1 - j : j];
			tap(!ctf_read_scalar(&c, &field, &scalar) && c.at == 8 + cases[i].size &&
				    (isnan(cases[i].value)
					     ? isnan(scalar.r)
					     : scalar.r == cases[i].value &&
						       !signbit(scalar.r) ==
							       !signbit(cases[i].value)),
			    "%s-endian float of %u bits: %g", big ? "big" : "little", cases[i].size,
			    cases[i].value);
		}
	}
}

static void test_leb128(void)
{
	static const struct {
		bool with_sign;
		uint8_t bytes[12];
		size_t size;
		enum ctf_status status;
		uint64_t value;
	} cases[] = {
		{ false, { 0x00 }, 1, CTF_OK, 0 },
		{ false, { 0x7f }, 1, CTF_OK, 127 },
		{ false, { 0x80, 0x01 }, 2, CTF_OK, 128 },
		{ false, { 0xe5, 0x8e, 0x26 }, 3, CTF_OK, 624485 },
		{ false, { 0x81, 0x80, 0x00 }, 3, CTF_OK, 1 },
		{ false, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, CTF_OK, UINT64_MAX },
		{ false, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, CTF_BAD, 0 },
		{ false, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, CTF_BAD, 0 },
		{ false, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, CTF_BAD, 0 },
		{ false, { 0x80 }, 1, CTF_END, 0 },
		{ false, { 0xff, 0xff }, 2, CTF_END, 0 },
		{ false, { 0 }, 0, CTF_END, 0 },
		{ true, { 0x00 }, 1, CTF_OK, 0 },
		{ true, { 0x3f }, 1, CTF_OK, 63 },
		{ true, { 0x40 }, 1, CTF_OK, (uint64_t)-64 },
		{ true, { 0x7f }, 1, CTF_OK, (uint64_t)-1 },
		{ true, { 0xc0, 0xbb, 0x78 }, 3, CTF_OK, (uint64_t)-123456 },
		{ true, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, CTF_OK,
		  (uint64_t)INT64_MIN },
		{ true, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, CTF_OK, INT64_MAX },
		{ true, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, CTF_BAD, 0 },
		{ true, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7e", 10, CTF_BAD, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ctf_field field = { .kind = cases[i].with_sign ? CTF_LEB_SIGNED
								      : CTF_LEB_UNSIGNED,
					   .align = 8,
					   .keep_slot = 0 };
		uint64_t slot = 99;
		struct ctf_cursor c = cursor_at(cases[i].bytes, 0, cases[i].size * 8, &slot);
		struct ctf_scalar scalar;
		enum ctf_status status = ctf_read_scalar(&c, &field, &scalar);
		bool ok = status == cases[i].status;

		if (status)
			ok = ok && c.at == 0 && slot == 99 && c.problem;
		else
			ok = ok && scalar.u == cases[i].value && slot == scalar.u && c.at == c.end;
		tap(ok, "%s LEB128 of %zu bytes, case %zu",
		    cases[i].with_sign ? "signed" : "unsigned", cases[i].size, i);
	}
}

struct string_case {
	const char *title;
	enum ctf_kind kind;
	enum ctf_encoding encoding;
	const char *bytes;
	size_t size;	 /* of the content */
	uint64_t length; /* bytes of a static or dynamic string */
	enum ctf_status status;
	uint64_t at; /* position afterwards, in bytes */
	const char *utf8;
};

static const struct string_case string_cases[] = {
	{ "UTF-8", CTF_STRING, CTF_UTF8, "abc\0d", 5, 0, CTF_OK, 4, "abc" },
	{ "empty", CTF_STRING, CTF_UTF8, "\0a", 2, 0, CTF_OK, 1, "" },
	{ "no end", CTF_STRING, CTF_UTF8, "abc", 3, 0, CTF_END, 0, NULL },
	{ "end at the end", CTF_STRING, CTF_UTF8, "abc", 4, 0, CTF_OK, 4, "abc" },
	{ "no content", CTF_STRING, CTF_UTF8, "", 0, 0, CTF_END, 0, NULL },
	{ "UTF-16LE", CTF_STRING, CTF_UTF16LE, "a\0\xac\x20\0\0x", 7, 0, CTF_OK, 6, "a\u20ac" },
	{ "UTF-16BE", CTF_STRING, CTF_UTF16BE, "\x01\x00\x00\x61\0\0x", 7, 0, CTF_OK, 6,
	  "\u0100a" },
	{ "UTF-16LE pair", CTF_STRING, CTF_UTF16LE, "\x3d\xd8\x00\xde\0\0", 6, 0, CTF_OK, 6,
	  "\U0001f600" },
	{ "UTF-16BE, half a pair", CTF_STRING, CTF_UTF16BE, "\xd8\x3d\0a\0\0", 6, 0, CTF_OK, 6,
	  "\ufffda" },
	{ "UTF-16BE, wrong half first", CTF_STRING, CTF_UTF16BE, "\xdc\x3d\0a\0\0", 6, 0, CTF_OK, 6,
	  "\ufffda" },
	{ "UTF-16 without an end", CTF_STRING, CTF_UTF16LE, "a\0b\0\0", 5, 0, CTF_END, 0, NULL },
	{ "UTF-32LE", CTF_STRING, CTF_UTF32LE, "\x00\xf6\x01\0a\0\0\0\0\0\0\0", 12, 0, CTF_OK, 12,
	  "\U0001f600a" },
	{ "UTF-32BE", CTF_STRING, CTF_UTF32BE, "\0\x01\xf6\0\0\0\0\0", 8, 0, CTF_OK, 8,
	  "\U0001f600" },
	{ "UTF-32BE, no code point", CTF_STRING, CTF_UTF32BE, "\0\x11\0\0\0\0\0\0", 8, 0, CTF_OK, 8,
	  "\ufffd" },
	{ "UTF-32BE, surrogate", CTF_STRING, CTF_UTF32BE, "\0\0\xd8\0\0\0\0\0", 8, 0, CTF_OK, 8,
	  "\ufffd" },
	{ "static", CTF_STATIC_STRING, CTF_UTF8, "abcdef", 6, 4, CTF_OK, 4, "abcd" },
	{ "static, ends early", CTF_STATIC_STRING, CTF_UTF8, "ab\0def", 6, 5, CTF_OK, 5, "ab" },
	{ "static, too long", CTF_STATIC_STRING, CTF_UTF8, "abcdef", 6, 7, CTF_END, 0, NULL },
	{ "static, empty", CTF_STATIC_STRING, CTF_UTF8, "abcdef", 6, 0, CTF_OK, 0, "" },
	{ "static, odd UTF-16", CTF_STATIC_STRING, CTF_UTF16LE, "a\0b\0c", 5, 5, CTF_OK, 5,
	  "ab\ufffd" },
	{ "dynamic", CTF_DYNAMIC_STRING, CTF_UTF8, "abcdef", 6, 6, CTF_OK, 6, "abcdef" },
	{ "dynamic, UTF-16BE that ends early", CTF_DYNAMIC_STRING, CTF_UTF16BE, "\0a\0\0\0b", 6, 6,
	  CTF_OK, 6, "a" },
	{ "dynamic, far too long", CTF_DYNAMIC_STRING, CTF_UTF8, "abcdef", 6, UINT64_MAX, CTF_END,
	  0, NULL },
	{ "dynamic, overflow in bits", CTF_DYNAMIC_STRING, CTF_UTF8, "abcdef", 6,
	  (UINT64_MAX >> 3) + 2, CTF_END, 0, NULL },
	{ "static BLOB", CTF_STATIC_BLOB, CTF_UTF8, "a\0c", 3, 3, CTF_OK, 3, NULL },
	{ "dynamic BLOB, too long", CTF_DYNAMIC_BLOB, CTF_UTF8, "a\0c", 3, 4, CTF_END, 0, NULL },
};

/* Reads the string with the cursor at bit @before. The string is at the next byte boundary. */
static bool string_ok(const struct string_case *s, unsigned int before)
{
	struct ctf_field field = { .kind = s->kind,
				   .align = 8,
				   .encoding = s->encoding,
				   .length = s->length,
				   .keep_slot = -1,
				   .ref_slot = 0 };
	uint8_t data[64] = { 0xff };
	uint64_t slot = s->length, start = before ? 8 : 0;
	struct ctf_cursor c = cursor_at(data, before, start + 8 * s->size, &slot);
	struct ctf_scalar scalar;
	char text[64];
	size_t length;

	memcpy(data + start / 8, s->bytes, s->size);
	if (ctf_read_scalar(&c, &field, &scalar) != s->status)
		return false;
	if (s->status)
		return c.problem && c.at <= start;
	if (c.at != start + 8 * s->at)
		return false;
	if (!s->utf8)
		return scalar.length == s->length && scalar.bytes == data + start / 8;
	length = ctf_string_to_utf8(text, sizeof(text), &field, &scalar);
	return length == strlen(s->utf8) && !strcmp(text, s->utf8);
}

static void test_strings(void)
{
	struct ctf_field field = { .kind = CTF_STRING, .encoding = CTF_UTF16LE };
	struct ctf_scalar scalar = { .bytes = (const uint8_t *)"a\0\xac\x20"
							       "b",
				     .length = 6 };
	char text[4] = "###";
	size_t i;

	for (i = 0; i < sizeof(string_cases) / sizeof(string_cases[0]); i++)
		tap(string_ok(&string_cases[i], 0) && string_ok(&string_cases[i], 5), "string: %s",
		    string_cases[i].title);
	tap(ctf_string_to_utf8(text, sizeof(text), &field, &scalar) == 5 && !strcmp(text, "a"),
	    "UTF-16 is truncated between code points");
	field.encoding = CTF_UTF8;
	scalar = (struct ctf_scalar){ .bytes = (const uint8_t *)"abcdef", .length = 6 };
	tap(ctf_string_to_utf8(text, sizeof(text), &field, &scalar) == 6 && !strcmp(text, "abc"),
	    "UTF-8 is truncated to the room");
	tap(ctf_string_to_utf8(NULL, 0, &field, &scalar) == 6, "without room there is a length");
}

/* ---- compounds ---- */

static struct ctf_field *number(enum ctf_kind kind, unsigned int size, unsigned int align)
{
	struct ctf_field *field = ctf_field_create(kind);

	field->size = size;
	field->align = align;
	return field;
}

/* Creates a model with a single event class, whose payload is @payload. */
static struct ctf_trace_class *model_of(struct ctf_field *payload)
{
	struct ctf_trace_class *trace = ctf_trace_class_create();
	struct ctf_event_class *event;
	struct mm_error err = MM_ERROR_INIT;

	event = ctf_stream_class_add_event(ctf_trace_class_add_stream(trace, 0), 0, "e");
	event->payload = payload;
	if (!ctf_trace_class_finish(trace, "m", &err))
		return trace;
	tap(false, "model: %s", err.message);
	ctf_trace_class_destroy(trace);
	return NULL;
}

static void add_range(struct ctf_field *variant, size_t member, uint64_t lower, uint64_t upper)
{
	struct ctf_range range = { .lower.u = lower, .upper.u = upper };

	ctf_member_add_range(&variant->members[member], range);
}

/* { i8 tag; u8 n; variant <tag> { -2..-1: u8; 3: u16 } v; option <tag 3> u8 o; u8 a[n]; } */
static struct ctf_field *make_sample(void)
{
	struct ctf_field *s = ctf_field_create(CTF_STRUCT);
	struct ctf_field *tag = number(CTF_SIGNED, 8, 8), *n = number(CTF_UNSIGNED, 8, 8);
	struct ctf_field *v = ctf_field_create(CTF_VARIANT), *o = ctf_field_create(CTF_OPTION);
	struct ctf_field *a = ctf_field_create(CTF_DYNAMIC_ARRAY);
	struct ctf_range three = { .lower.i = 3, .upper.i = 3 };

	ctf_field_add_member(v, "small", number(CTF_UNSIGNED, 8, 8));
	ctf_field_add_member(v, "big", number(CTF_UNSIGNED, 16, 8));
	add_range(v, 0, (uint64_t)-2, (uint64_t)-1);
	add_range(v, 1, 3, 3);
	ctf_field_add_ref(v, tag);
	ctf_field_add_ref(o, tag);
	ctf_field_add_range(o, three);
	o->element = number(CTF_UNSIGNED, 8, 8);
	a->element = number(CTF_UNSIGNED, 8, 8);
	ctf_field_add_ref(a, n);
	ctf_field_add_member(s, "tag", tag);
	ctf_field_add_member(s, "n", n);
	ctf_field_add_member(s, "v", v);
	ctf_field_add_member(s, "o", o);
	ctf_field_add_member(s, "a", a);
	return s;
}

static void note(void *user, const struct ctf_field *field, const struct ctf_scalar *scalar)
{
	char *text = user;

	sprintf(text + strlen(text), " %" PRId64, scalar->i);
}

static void test_compounds(void)
{
	static const struct {
		const char *title, *bytes;
		size_t size;
		enum ctf_status status;
		const char *found;
	} cases[] = {
		{ "small option, no optional field", "\xff\x02\x05\x07\x08", 5, CTF_OK,
		  " -1 2 5 7 8" },
		{ "lower end of a range", "\xfe\x00\x05", 3, CTF_OK, " -2 0 5" },
		{ "big option, optional field", "\x03\x01\x05\x01\x07\x08", 6, CTF_OK,
		  " 3 1 261 7 8" },
		{ "selector that chooses nothing", "\x02\x00\x05", 3, CTF_BAD, " 2 0" },
		{ "array past the end", "\xff\x03\x05\x07\x08", 5, CTF_END, " -1 3 5" },
		{ "truncated in the option", "\x03\x00\x05\x01", 4, CTF_END, " 3 0 261" },
		{ "truncated in the variant", "\x03\x00\x05", 3, CTF_END, " 3 0" },
	};
	struct ctf_field *sample = make_sample();
	struct ctf_trace_class *trace = model_of(sample);
	size_t i;

	if (!trace)
		return;
	tap(trace->slot_count == 2, "one slot for a selector of two, one for a length");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t data[8 + SLACK] = { 0 };
		uint64_t slots[2] = { 0 };
		struct ctf_cursor c = cursor_at(data, 0, 8 * cases[i].size, slots);
		struct ctf_cursor quiet = c;
		char found[128] = "";

		memcpy(data, cases[i].bytes, cases[i].size);
		tap(ctf_skip(&c, sample, note, found) == cases[i].status &&
			    (cases[i].status || c.at == c.end) && !strcmp(found, cases[i].found),
		    "compound: %s:%s", cases[i].title, found);
		tap(ctf_skip(&quiet, sample, NULL, NULL) == cases[i].status &&
			    (cases[i].status || quiet.at == c.at),
		    "compound: %s, skipped", cases[i].title);
	}
	ctf_trace_class_destroy(trace);
}

static void ignore(void *user, const struct ctf_field *field, const struct ctf_scalar *scalar)
{
	++*(unsigned int *)user;
}

/* Creates a random tree; lengths refer to the last integer of their structure. */
static struct ctf_field *random_field(unsigned int depth, struct ctf_field *length)
{
	unsigned int what = next_random() % (depth ? 8 : 4), i, count;
	struct ctf_field *field;

	switch (what) {
	case 0:
	case 1:
		return number(CTF_UNSIGNED, 1 + next_random() % (next_random() % 2 ? 64 : 4),
			      1u << next_random() % 7);
	case 2:
		return ctf_field_create(CTF_STRING);
	case 3:
		field = ctf_field_create(CTF_STATIC_BLOB);
		field->length = next_random() % 5;
		return field;
	case 4:
		field = ctf_field_create(length ? CTF_DYNAMIC_ARRAY : CTF_STATIC_ARRAY);
		field->element = random_field(depth - 1, length);
		if (length)
			ctf_field_add_ref(field, length);
		return field;
	case 5:
		field = ctf_field_create(CTF_STATIC_ARRAY);
		field->length = next_random() % 4;
		field->element = random_field(depth - 1, length);
		return field;
	default:
		field = ctf_field_create(CTF_STRUCT);
		field->align = 1u << next_random() % 7;
		count = next_random() % 5;
		for (i = 0; i < count; i++) {
			struct ctf_field *member = random_field(depth - 1, length);

			if (member->kind == CTF_UNSIGNED && member->size <= 4)
				length = member;
			ctf_field_add_member(field, "m", member);
		}
		return field;
	}
}

/* Skipping fields of a fixed size must end where reading each field ends. */
static void test_skipping(void)
{
	unsigned int tree, try, wrong = 0, scalars = 0, reached = 0, fixed = 0;
	uint8_t data[512 + SLACK];
	size_t i;

	for (tree = 0; tree < 300; tree++) {
		struct ctf_field *root = ctf_field_create(CTF_STRUCT);
		struct ctf_trace_class *trace;

		ctf_field_add_member(root, "a", random_field(4, NULL));
		ctf_field_add_member(root, "b", random_field(3, NULL));
		trace = model_of(root);
		if (!trace)
			return;
		fixed += root->fixed;
		for (try = 0; try < 20; try++) {
			uint64_t slots[2][64] = { 0 };
			struct ctf_cursor c = cursor_at(data, next_random() % 64,
							64 + next_random() % 4032, slots[0]);
			struct ctf_cursor quiet = c;
			enum ctf_status status;

			quiet.slots = slots[1];
			for (i = 0; i < sizeof(data); i++)
				data[i] = next_random() % 3 ? next_random() : 0;
			status = ctf_skip(&c, root, ignore, &scalars);
			wrong += ctf_skip(&quiet, root, NULL, NULL) != status ||
				 trace->slot_count > 64;
			wrong += !status &&
				 (c.at != quiet.at || memcmp(slots[0], slots[1], sizeof(slots[0])));
			reached += !status;
		}
		ctf_trace_class_destroy(trace);
	}
	tap(!wrong, "skipping ends where reading ends, in %u trees", tree);
	tap(scalars > 10000 && reached > 1000 && reached < 6000 && fixed > 20,
	    "enough of them were readable: %u scalars, %u trees, %u of fixed size", scalars,
	    reached, fixed);
}

/* Fields that take no space must not make a small packet take unlimited time. */
static void test_empty(void)
{
	struct ctf_field *root = ctf_field_create(CTF_STRUCT);
	struct ctf_field *flag = number(CTF_BOOL, 8, 8), *n = number(CTF_UNSIGNED, 64, 8);
	struct ctf_field *option = ctf_field_create(CTF_OPTION);
	struct ctf_field *inner = ctf_field_create(CTF_DYNAMIC_ARRAY);
	struct ctf_field *outer = ctf_field_create(CTF_DYNAMIC_ARRAY);
	uint8_t data[32 + SLACK] = { 0, 0xff, 0xff, 0xff, 0xff, 0xff };
	uint64_t slots[2] = { 0 };
	struct ctf_cursor c = cursor_at(data, 0, UINT64_C(256), slots);
	struct ctf_trace_class *trace;

	option->element = number(CTF_UNSIGNED, 8, 8);
	ctf_field_add_ref(option, flag);
	inner->element = option;
	ctf_field_add_ref(inner, n);
	outer->element = inner;
	ctf_field_add_ref(outer, n);
	ctf_field_add_member(root, "flag", flag);
	ctf_field_add_member(root, "n", n);
	ctf_field_add_member(root, "a", outer);
	trace = model_of(root);
	if (!trace)
		return;
	tap(ctf_skip(&c, root, NULL, NULL) == CTF_BAD, "2^80 absent fields in 32 bytes");
	ctf_trace_class_destroy(trace);
}

int main(void)
{
	test_integers();
	test_alignment();
	test_floats();
	test_leb128();
	test_strings();
	test_compounds();
	test_skipping();
	test_empty();
	return tap_status();
}
