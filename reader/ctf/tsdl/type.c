// SPDX-License-Identifier: LGPL-2.1-only
// TSDL's scalar types: `integer`, `floating_point` and `string`.

#include "reader/ctf/tsdl/tsdl.h"

#include <string.h>

static int parse_encoding(struct tsdl_parser *p, const struct tsdl_value *value, bool *text)
{
	static const char *const names[] = { "UTF8", "utf8", "UTF-8", "utf-8", "ASCII", "ascii" };

	if (tsdl_value_text(p, value, "encoding") < 0)
		return -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(value->text, names[i])) {
			*text = true;
			return 0;
		}
	}
	*text = false;
	if (strcmp(value->text, "none") != 0)
		return tsdl_fail(p, value->at, "`encoding` is not one of UTF8, ASCII, none");
	return 0;
}

static int parse_base(struct tsdl_parser *p, const struct tsdl_value *value, uint8_t *base)
{
	static const struct {
		const char *name;
		uint8_t base;
	} bases[] = {
		{ "decimal", 10 },     { "dec", 10 }, { "d", 10 }, { "i", 10 },	    { "u", 10 },
		{ "hexadecimal", 16 }, { "hex", 16 }, { "x", 16 }, { "X", 16 },	    { "p", 16 },
		{ "octal", 8 },	       { "oct", 8 },  { "o", 8 },  { "binary", 2 }, { "b", 2 },
	};

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		if (value->text ? !strcmp(value->text, bases[i].name) : value->u == bases[i].base) {
			*base = bases[i].base;
			return 0;
		}
	}
	return tsdl_fail(p, value->at,
			 "`base` is not one of 2, 8, 10, 16, decimal, hexadecimal, ...");
}

/* Parses `clock.NAME.value`; ignores other forms. */
static int parse_map(struct tsdl_parser *p, const struct tsdl_value *value,
		     const struct ctf_clock **clock)
{
	const size_t head = sizeof("clock.") - 1, tail = sizeof(".value") - 1;
	size_t length;

	if (tsdl_value_text(p, value, "map") < 0)
		return -1;
	length = strlen(value->text);
	if (length <= head + tail || strncmp(value->text, "clock.", head) != 0 ||
	    strcmp(value->text + length - tail, ".value") != 0)
		return 0;
	length -= head + tail;
	for (size_t i = 0; i < p->trace->clock_count; i++) {
		*clock = p->trace->clocks[i];
		if (strlen((*clock)->name) == length &&
		    !memcmp((*clock)->name, value->text + head, length))
			return 0;
	}
	*clock = NULL;
	return tsdl_fail(p, value->at, "there is no clock `%.*s`", (int)(length < 80 ? length : 80),
			 value->text + head);
}

struct integer_attributes {
	uint64_t size;
	uint32_t align;
	bool is_signed, big_endian, is_character;
	uint8_t base;
	const struct ctf_clock *clock;
};

static const char *const integer_names[] = { "signed", "byte_order", "size", "align",
					     "base",   "encoding",   "map",  NULL };

static int integer_attribute(struct tsdl_parser *p, void *user, const char *name,
			     const struct tsdl_value *value)
{
	struct integer_attributes *integer = user;

	if (!strcmp(name, "signed"))
		return tsdl_value_bool(p, value, name, &integer->is_signed);
	if (!strcmp(name, "byte_order"))
		return tsdl_value_byte_order(p, value, &p->trace->big_endian, &integer->big_endian);
	if (!strcmp(name, "align"))
		return tsdl_value_alignment(p, value, &integer->align);
	if (!strcmp(name, "base"))
		return parse_base(p, value, &integer->base);
	if (!strcmp(name, "encoding"))
		return parse_encoding(p, value, &integer->is_character);
	if (!strcmp(name, "map"))
		return parse_map(p, value, &integer->clock);
	if (tsdl_value_unsigned(p, value, name, &integer->size) < 0)
		return -1;
	if (!integer->size || integer->size > 64)
		return tsdl_fail(p, value->at,
				 "`size` is not between 1 and 64 bits; "
				 "larger integers are not supported");
	return 0;
}

int tsdl_parse_integer(struct tsdl_parser *p, struct tsdl_type *type)
{
	static const struct tsdl_block block = { "integer", integer_names, integer_attribute, NULL,
						 false };
	struct integer_attributes integer = { .base = 10, .big_endian = p->trace->big_endian };
	const char *at = p->token.at;
	struct ctf_field *field;

	*type = (struct tsdl_type){ 0 };
	if (tsdl_expect(p, "{", "after `integer`") < 0 || tsdl_parse_block(p, &block, &integer) < 0)
		return -1;
	if (!integer.size)
		return tsdl_fail(p, at, "an integer without `size`");
	if (tsdl_create(p, at, integer.is_signed ? CTF_SIGNED : CTF_UNSIGNED, type) < 0)
		return -1;
	field = type->field;
	field->size = (uint32_t)integer.size;
	field->align = integer.align ? integer.align : integer.size % 8 ? 1 : 8;
	field->big_endian = integer.big_endian;
	field->base = integer.base;
	field->clock = integer.clock;
	field->is_character = integer.is_character;
	return 0;
}

struct real_attributes {
	uint64_t exponent, mantissa;
	uint32_t align;
	bool big_endian;
};

static const char *const float_names[] = { "byte_order", "exp_dig", "mant_dig", "align", NULL };

static int float_attribute(struct tsdl_parser *p, void *user, const char *name,
			   const struct tsdl_value *value)
{
	struct real_attributes *real = user;

	if (!strcmp(name, "byte_order"))
		return tsdl_value_byte_order(p, value, &p->trace->big_endian, &real->big_endian);
	if (!strcmp(name, "align"))
		return tsdl_value_alignment(p, value, &real->align);
	return tsdl_value_unsigned(p, value, name,
				   !strcmp(name, "exp_dig") ? &real->exponent : &real->mantissa);
}

int tsdl_parse_float(struct tsdl_parser *p, struct tsdl_type *type)
{
	static const struct tsdl_block block = { "floating_point", float_names, float_attribute,
						 NULL, false };
	struct real_attributes real = { .big_endian = p->trace->big_endian };
	const char *at = p->token.at;

	*type = (struct tsdl_type){ 0 };
	if (tsdl_expect(p, "{", "after `floating_point`") < 0 ||
	    tsdl_parse_block(p, &block, &real) < 0)
		return -1;
	if (!(real.exponent == 8 && real.mantissa == 24) &&
	    !(real.exponent == 11 && real.mantissa == 53))
		return tsdl_fail(p, at,
				 "`exp_dig` and `mant_dig` are neither 8 and 24 nor 11 and 53; "
				 "other floating-point numbers are not supported");
	if (tsdl_create(p, at, CTF_FLOAT, type) < 0)
		return -1;
	type->field->size = real.exponent == 8 ? 32 : 64;
	type->field->align = real.align ? real.align : 8;
	type->field->big_endian = real.big_endian;
	return 0;
}

static const char *const string_names[] = { "encoding", NULL };

static int string_attribute(struct tsdl_parser *p, void *user, const char *name,
			    const struct tsdl_value *value)
{
	return parse_encoding(p, value, user);
}

int tsdl_parse_string(struct tsdl_parser *p, struct tsdl_type *type)
{
	static const struct tsdl_block block = { "string", string_names, string_attribute, NULL,
						 false };
	const char *at = p->token.at;
	bool text;

	*type = (struct tsdl_type){ 0 };
	if (tsdl_take(p, "{") && tsdl_parse_block(p, &block, &text) < 0)
		return -1;
	if (tsdl_create(p, at, CTF_STRING, type) < 0)
		return -1;
	type->field->align = 8;
	return 0;
}
