// SPDX-License-Identifier: LGPL-2.1-only
/* Writes random values of a type, including unusual ones. */
#include <string.h>

#include "tests/utils/ctf/type.h"

#define POINTS_MAX 400 /* limit per string */
#define NO_POINT 0x200000

static uint64_t mask(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static uint64_t any_value(struct mk_random *random, unsigned int bits)
{
	switch (mk_below(random, 8)) {
	case 0:
		return 0;
	case 1:
		return mask(bits);
	case 2:
		return 1ull << (bits - 1);
	case 3:
		return mask(bits) >> 1;
	case 4:
	case 5:
		return mk_below(random, 200) & mask(bits);
	default:
		return mk_random(random) & mask(bits);
	}
}

static uint64_t in_range(struct mk_random *random, struct mk_range range)
{
	uint64_t span = range.upper - range.lower;

	return range.lower + (span == UINT64_MAX ? mk_random(random) : mk_below(random, span + 1));
}

static uint64_t choose(struct mk_out *out, const struct mk_type *type)
{
	struct mk_random *random = out->random;

	if (type->role)
		return out->roles[type->role];
	if (type->is_length)
		return mk_below(random, type->limit + 1);
	if (type->is_selector || (type->is_enum && mk_chance(random, 70)))
		return in_range(random, type->labels[mk_below(random, type->label_count)].range);
	return any_value(random, type->bits);
}

/* Writes a fixed-length field at @at. */
static void put_bits(struct mk_out *out, const struct mk_type *type, uint64_t at, uint64_t value)
{
	uint64_t mirrored = 0;

	for (unsigned int i = 0; i < type->bits; i++)
		mirrored |= (value >> i & 1) << (type->bits - 1 - i);
	mk_put_bits(out->buffer, at, type->bits, type->reversed ? mirrored : value, type->big);
}

static void align(struct mk_out *out, const struct mk_type *type)
{
	out->at = mk_align(out->at, mk_type_align(type));
	mk_buffer_extend(out->buffer, (out->at + 7) / 8);
}

static void put_byte(struct mk_out *out, uint8_t byte)
{
	mk_put_bits(out->buffer, out->at, 8, byte, false);
	out->at += 8;
}

static void put_leb(struct mk_out *out, struct mk_type *type)
{
	uint64_t value = type->value;
	int64_t rest = (int64_t)value;
	bool more = true;

	while (more) {
		uint8_t low = (uint8_t)((uint64_t)rest & 0x7f);

		if (type->is_signed) {
			rest >>= 7;
			more = !((rest == 0 && !(low & 0x40)) || (rest == -1 && (low & 0x40)));
		} else {
			rest = (int64_t)((uint64_t)rest >> 7);
			more = rest != 0;
		}
		put_byte(out, low | (more ? 0x80 : 0));
	}
}

static void put_float(struct mk_out *out, const struct mk_type *type)
{
	static const double values[] = {
		0.0,	     -0.0, 1.0,	 -1.5,	   3.141592653589793, 1e300,	       1e-300,
		123456789.0, 0.1,  1e15, 999999.5, __builtin_inf(),   -__builtin_inf()
	};
	double value = values[mk_below(out->random, sizeof(values) / sizeof(values[0]))];
	uint64_t bits = 0;
	float half;

	if (mk_chance(out->random, 30)) {
		bits = mk_random(out->random) & mask(type->bits);
	} else if (type->bits == 32) {
		uint32_t low;

		half = (float)value;
		memcpy(&low, &half, sizeof(low));
		bits = low;
	} else {
		memcpy(&bits, &value, sizeof(bits));
	}
	put_bits(out, type, out->at, bits);
	out->at += type->bits;
}

/* Generates the code points of a text, without the terminating null. */
static unsigned int make_text(struct mk_random *random, uint32_t *points, unsigned int room)
{
	static const char *const texts[] = { "",
					     "kworker/0:1",
					     "a b",
					     "\"quoted\"",
					     "back\\slash",
					     "tab\tnew\nline\r",
					     "\x01\x1f\x7f\x1b[31m",
					     "%s%n",
					     "{ x = 1 }, y",
					     "/usr/bin/env",
					     "'",
					     "\a\b\f\v",
					     "0123456789abcdefghij" };
	static const uint32_t wide[] = { 0xe9,	 0x20ac,   0x1f600, 0x7ff, 0x800,
					 0xffff, 0x10ffff, 0x80,    0x202e };
	const char *text = texts[mk_below(random, sizeof(texts) / sizeof(texts[0]))];
	unsigned int count = 0;

	while (*text && count < room)
		points[count++] = (unsigned char)*text++;
	if (mk_chance(random, 25))
		for (uint64_t i = mk_below(random, 4); i && count < room; i--)
			points[count++] = wide[mk_below(random, sizeof(wide) / sizeof(wide[0]))];
	if (mk_chance(random, 2) && count < room)
		points[count++] = NO_POINT + 0x80 + (uint32_t)mk_below(random, 0x80);
	/* Some texts are long, like paths and commands. */
	if (mk_chance(random, 3))
		while (count < room)
			points[count++] = 'a' + (uint32_t)mk_below(random, 26);
	return count;
}

/* Encodes one code point. Returns the number of bytes. */
static unsigned int encode(uint8_t *to, uint32_t point, enum mk_encoding encoding)
{
	bool big = encoding == MK_UTF16BE || encoding == MK_UTF32BE;
	uint32_t units[2] = { point, 0 };
	unsigned int size = encoding == MK_UTF32LE || encoding == MK_UTF32BE ? 4 : 2, count = 1;

	/* An invalid code point represents a byte that is not UTF-8. */
	if (point >= NO_POINT)
		return *to = (uint8_t)(point - NO_POINT), encoding == MK_UTF8 ? 1 : 0;
	if (encoding == MK_UTF8) {
		if (point < 0x80)
			return *to = (uint8_t)point, 1;
		size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
		for (unsigned int i = size; --i; point >>= 6)
			to[i] = (uint8_t)(0x80 | (point & 0x3f));
		to[0] = (uint8_t)(0xf0u << (4 - size) | point);
		return size;
	}
	if (size == 2 && point > 0xffff) {
		units[0] = 0xd800 + ((point - 0x10000) >> 10);
		units[1] = 0xdc00 + ((point - 0x10000) & 0x3ff);
		count = 2;
	}
	for (unsigned int u = 0; u < count; u++)
		for (unsigned int i = 0; i < size; i++)
			to[u * size + (big ? size - 1 - i : i)] = (uint8_t)(units[u] >> 8 * i);
	return size * count;
}

static void put_string(struct mk_out *out, const struct mk_type *type)
{
	uint32_t points[POINTS_MAX + 1];
	unsigned int count = make_text(out->random, points, POINTS_MAX);
	uint8_t unit[4];

	points[count++] = 0;
	for (unsigned int i = 0; i < count; i++) {
		unsigned int size = encode(unit, points[i], type->encoding);

		for (unsigned int k = 0; k < size; k++)
			put_byte(out, unit[k]);
	}
}

/*
 * Writes exactly @length bytes: text, followed by a null code point and random bytes if there is
 * room.
 */
static void put_text(struct mk_out *out, const struct mk_type *type, uint64_t length)
{
	uint32_t points[POINTS_MAX + 1];
	unsigned int count = make_text(out->random, points, POINTS_MAX);
	uint64_t end = out->at + length * 8;
	bool garbage = mk_chance(out->random, 40);
	uint8_t unit[4];

	points[count++] = 0;
	for (unsigned int i = 0; i < count; i++) {
		unsigned int size = encode(unit, points[i], type->encoding);

		if (out->at + size * 8ull > end)
			break;
		for (unsigned int k = 0; k < size; k++)
			put_byte(out, unit[k]);
	}
	while (out->at < end)
		put_byte(out, garbage ? 'x' : 0);
}

static void put_elements(struct mk_out *out, struct mk_type *type, uint64_t length)
{
	if (type->role == MK_UUID) {
		for (unsigned int i = 0; i < MK_UUID_BYTES; i++)
			put_byte(out, out->uuid[i]);
		return;
	}
	while (length--)
		mk_write_value(out, type->element);
}

static bool is_there(const struct mk_type *type)
{
	const struct mk_type *selector = type->ref;
	uint64_t value = selector->value;

	if (selector->kind == MK_BOOL)
		return value != 0;
	for (unsigned int i = 0; i < type->label_count; i++) {
		const struct mk_range *range = &type->labels[i].range;

		if (selector->is_signed ? (int64_t)value >= (int64_t)range->lower &&
						  (int64_t)value <= (int64_t)range->upper
					: value >= range->lower && value <= range->upper)
			return true;
	}
	return false;
}

static struct mk_type *chosen(const struct mk_type *type)
{
	for (unsigned int i = 0; i < type->member_count; i++) {
		const struct mk_range *range = &type->members[i].range;

		if (type->ref->value - range->lower <= range->upper - range->lower)
			return type->members[i].type;
	}
	mk_fail("a selector that selects nothing");
}

static void put_fixed(struct mk_out *out, struct mk_type *type)
{
	type->value = choose(out, type);
	put_bits(out, type, out->at, type->value);
	type->value &= mask(type->bits);
	if (type->is_signed && type->bits < 64 && type->value >> (type->bits - 1))
		type->value |= ~mask(type->bits);
	out->at += type->bits;
}

static void put_blob(struct mk_out *out, uint64_t length)
{
	while (length--)
		put_byte(out, (uint8_t)mk_random(out->random));
}

static void put_compound(struct mk_out *out, struct mk_type *type)
{
	switch (type->kind) {
	case MK_ARRAY:
		put_elements(out, type, type->length);
		break;
	case MK_SEQUENCE:
		put_elements(out, type, type->ref->value);
		break;
	case MK_STRUCT:
		for (unsigned int i = 0; i < type->member_count; i++)
			mk_write_value(out, type->members[i].type);
		break;
	case MK_VARIANT:
		mk_write_value(out, chosen(type));
		break;
	default:
		if (is_there(type))
			mk_write_value(out, type->element);
	}
}

void mk_write_value(struct mk_out *out, struct mk_type *type)
{
	align(out, type);
	type->at = out->at;
	switch (type->kind) {
	case MK_INT:
	case MK_BOOL:
	case MK_BITS:
	case MK_BITMAP:
		put_fixed(out, type);
		break;
	case MK_FLOAT:
		put_float(out, type);
		break;
	case MK_LEB:
		type->value = choose(out, type);
		put_leb(out, type);
		break;
	case MK_STRING:
		put_string(out, type);
		break;
	case MK_STATIC_STRING:
		put_text(out, type, type->length);
		break;
	case MK_DYNAMIC_STRING:
		put_text(out, type, type->ref->value);
		break;
	case MK_STATIC_BLOB:
		if (type->role == MK_UUID)
			put_elements(out, type, 0);
		else
			put_blob(out, type->length);
		break;
	case MK_DYNAMIC_BLOB:
		put_blob(out, type->ref->value);
		break;
	default:
		put_compound(out, type);
	}
}

void mk_rewrite(struct mk_out *out, const struct mk_type *type, uint64_t value)
{
	put_bits(out, type, type->at, value);
}

struct mk_type *mk_find_role(struct mk_type *type, enum mk_role role)
{
	if (!type)
		return NULL;
	if (type->role == role)
		return type;
	for (unsigned int i = 0; i < type->member_count; i++) {
		struct mk_type *found = mk_find_role(type->members[i].type, role);

		if (found)
			return found;
	}
	return NULL;
}
