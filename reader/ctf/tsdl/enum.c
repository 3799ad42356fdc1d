// SPDX-License-Identifier: LGPL-2.1-only
// Parses TSDL's enumerations.

#include "reader/ctf/tsdl/tsdl.h"

#include <stdlib.h>

static int parse_range(struct tsdl_parser *p, bool is_signed, struct ctf_range *range)
{
	struct tsdl_value value;
	bool number;

	if (tsdl_parse_value(p, &value) < 0)
		return -1;
	range->lower.u = range->upper.u = value.u;
	number = !value.text;
	tsdl_value_clear(&value);
	if (number && p->token.kind == TSDL_ELLIPSIS) {
		tsdl_next(p);
		if (tsdl_parse_value(p, &value) < 0)
			return -1;
		range->upper.u = value.u;
		number = !value.text;
		tsdl_value_clear(&value);
	}
	if (!number)
		return tsdl_fail(p, value.at, "an enumeration's value is not a number");
	if (is_signed ? range->lower.i > range->upper.i : range->lower.u > range->upper.u)
		return tsdl_fail(p, value.at, "an enumeration's range ends before it starts");
	return 0;
}

/* Parses one label. A label without a value gets the value *@next. */
static int parse_label(struct tsdl_parser *p, struct tsdl_type *type, uint64_t *next)
{
	struct ctf_range range = { .lower.u = *next, .upper.u = *next };
	const char *at = p->token.at;
	char *label;
	int ret = 0;

	if (p->token.kind != TSDL_IDENTIFIER && p->token.kind != TSDL_STRING)
		return tsdl_fail_token(p, "an enumeration's label");
	label = tsdl_token_text(p, &p->token);
	if (!label)
		return -1;
	tsdl_next(p);
	if (tsdl_take(p, "="))
		ret = parse_range(p, type->field->kind == CTF_SIGNED, &range);
	if (!ret)
		ret = tsdl_charge(p, at, 1);
	if (!ret && ctf_field_add_mapping(type->field, label, range) < 0)
		ret = tsdl_fail_memory(p);
	type->weight++;
	*next = range.upper.u + 1;
	free(label);
	return ret;
}

/* Parses the labels after the opening brace. */
static int parse_labels(struct tsdl_parser *p, struct tsdl_type *type)
{
	uint64_t next = 0;

	do {
		if (parse_label(p, type, &next) < 0)
			return -1;
	} while (tsdl_take(p, ",") && !tsdl_is(p, "}"));
	return tsdl_expect(p, "}", "after an enumeration's labels");
}

/* Parses the integer type after the colon; the default is `int`. */
static int parse_container(struct tsdl_parser *p, const char *at, struct tsdl_type *type)
{
	int found;

	if (tsdl_take(p, ":")) {
		/*
		 * Limit the recursion here. If the integer type is an enumeration, it is refused
		 * only after it has been parsed, and its own integer type may again be an
		 * enumeration.
		 */
		if (p->depth == CTF_DEPTH_MAX)
			return tsdl_fail(
				p, at,
				"types nested more than %d deep; deeper types are not supported",
				CTF_DEPTH_MAX);
		p->depth++;
		found = tsdl_parse_container(p, type);
		p->depth--;
		if (found < 0)
			return -1;
	} else {
		found = tsdl_lookup(p, at, TSDL_ALIAS, "int", type);
		if (found < 0)
			return -1;
		if (!found)
			return tsdl_fail(p, at, "an enumeration without a type requires the type `int`, which is not declared");
	}
	if ((type->field->kind != CTF_UNSIGNED && type->field->kind != CTF_SIGNED) ||
	    type->field->is_enum)
		return tsdl_fail(p, at, "an enumeration's type is not an integer");
	return 0;
}

int tsdl_parse_enum(struct tsdl_parser *p, struct tsdl_type *type, char **name)
{
	const char *at = p->token.at;
	int found;

	*type = (struct tsdl_type){ 0 };
	if (p->token.kind == TSDL_IDENTIFIER) {
		*name = tsdl_token_text(p, &p->token);
		if (!*name)
			return -1;
		tsdl_next(p);
	}
	if (*name && !tsdl_is(p, ":") && !tsdl_is(p, "{")) {
		found = tsdl_lookup(p, at, TSDL_ENUM, *name, type);
		return found ? (found < 0 ? -1 : 0)
			     : tsdl_fail(p, at, "there is no `enum %.80s`", *name);
	}
	if (parse_container(p, at, type) < 0 ||
	    tsdl_expect(p, "{", "before an enumeration's labels") < 0)
		return -1;
	type->field->is_enum = true;
	if (parse_labels(p, type) < 0)
		return -1;
	return *name ? tsdl_declare(p, at, TSDL_ENUM, *name, type) : 0;
}
