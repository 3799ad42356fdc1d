// SPDX-License-Identifier: LGPL-2.1-only
// Values of TSDL's attributes, and blocks of attributes `{ name = value; ... }`.

#include "reader/ctf/tsdl/tsdl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int append(struct tsdl_parser *p, char **path, const char *link, char *part)
{
	size_t length = strlen(*path), room = length + strlen(link) + strlen(part) + 1;
	char *longer = realloc(*path, room);

	if (!longer) {
		free(part);
		return tsdl_fail_memory(p);
	}
	strcpy(longer + length, link);
	strcat(longer + length, part);
	free(part);
	*path = longer;
	return 0;
}

char *tsdl_parse_path(struct tsdl_parser *p)
{
	char *path = tsdl_token_text(p, &p->token), *part;
	const char *link;

	if (!path)
		return NULL;
	tsdl_next(p);
	while (tsdl_is(p, ".") || tsdl_is(p, "->")) {
		link = tsdl_is(p, ".") ? "." : "->";
		tsdl_next(p);
		if (p->token.kind != TSDL_IDENTIFIER) {
			tsdl_fail_token(p, "a name after the dot");
			goto failed;
		}
		part = tsdl_token_text(p, &p->token);
		if (!part || append(p, &path, link, part) < 0)
			goto failed;
		tsdl_next(p);
	}
	return path;
failed:
	free(path);
	return NULL;
}

char *tsdl_reference(struct tsdl_parser *p, const char *at, const char *path)
{
	char *reference;

	if (asprintf(&reference, "%zu %s", (size_t)(at - p->text), path) < 0) {
		tsdl_fail_memory(p);
		return NULL;
	}
	return reference;
}

char *tsdl_parse_reference(struct tsdl_parser *p)
{
	const char *at = p->token.at;
	char *path = tsdl_parse_path(p), *reference;

	if (!path)
		return NULL;
	reference = tsdl_reference(p, at, path);
	free(path);
	return reference;
}

int tsdl_parse_value(struct tsdl_parser *p, struct tsdl_value *value)
{
	bool minus;

	*value = (struct tsdl_value){ .at = p->token.at };
	minus = tsdl_take(p, "-");
	if (!minus)
		tsdl_take(p, "+");
	switch (p->token.kind) {
	case TSDL_INTEGER:
		if (minus && p->token.value > (uint64_t)INT64_MAX + 1)
			return tsdl_fail(p, value->at, "negative number of more than 64 bits");
		value->u = minus ? -p->token.value : p->token.value;
		value->negative = minus && value->u;
		tsdl_next(p);
		return 0;
	case TSDL_IDENTIFIER:
	case TSDL_STRING:
	case TSDL_CHARACTER:
		if (minus)
			return tsdl_fail(p, value->at, "only numbers can be negative");
		value->text = tsdl_parse_path(p);
		return value->text ? 0 : -1;
	default:
		return tsdl_fail_token(p, "a number, a string or a name");
	}
}

void tsdl_value_clear(struct tsdl_value *value)
{
	free(value->text);
	value->text = NULL;
}

int tsdl_value_unsigned(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
			uint64_t *u)
{
	if (value->text || value->negative)
		return tsdl_fail(p, value->at, "`%s` is not an unsigned number", name);
	*u = value->u;
	return 0;
}

int tsdl_value_signed(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
		      int64_t *i)
{
	if (value->text)
		return tsdl_fail(p, value->at, "`%s` is not a number", name);
	*i = (int64_t)value->u;
	return 0;
}

int tsdl_value_text(struct tsdl_parser *p, const struct tsdl_value *value, const char *name)
{
	if (!value->text)
		return tsdl_fail(p, value->at, "`%s` is not a string", name);
	return 0;
}

int tsdl_value_bool(struct tsdl_parser *p, const struct tsdl_value *value, const char *name,
		    bool *b)
{
	if (!value->text)
		*b = value->u != 0;
	else if (!strcmp(value->text, "true") || !strcmp(value->text, "TRUE"))
		*b = true;
	else if (!strcmp(value->text, "false") || !strcmp(value->text, "FALSE"))
		*b = false;
	else
		return tsdl_fail(p, value->at, "`%s` is neither true nor false", name);
	return 0;
}

int tsdl_value_uuid(struct tsdl_parser *p, const struct tsdl_value *value, uint8_t uuid[16])
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *text = value->text;
	size_t nibble = 0;

	if (!text || strlen(text) != sizeof(form) - 1)
		return tsdl_fail(p, value->at, "`uuid` is not a UUID");
	for (size_t i = 0; form[i]; i++) {
		const char *digit = strchr(digits, text[i]);

		if (form[i] == '-' ? text[i] != '-' : !digit)
			return tsdl_fail(p, value->at, "`uuid` is not a UUID");
		if (form[i] == '-')
			continue;
		uuid[nibble / 2] = (uint8_t)(uuid[nibble / 2] << 4 | ((digit - digits) & 15));
		nibble++;
	}
	return 0;
}

int tsdl_value_alignment(struct tsdl_parser *p, const struct tsdl_value *value, uint32_t *align)
{
	if (value->text || value->negative || !value->u || (value->u & (value->u - 1)) ||
	    value->u > 1u << 31)
		return tsdl_fail(p, value->at, "the alignment is not a power of two");
	*align = (uint32_t)value->u;
	return 0;
}

int tsdl_value_byte_order(struct tsdl_parser *p, const struct tsdl_value *value, const bool *native,
			  bool *big_endian)
{
	const char *text = value->text ? value->text : "";

	if (!strcmp(text, "be") || !strcmp(text, "network"))
		*big_endian = true;
	else if (!strcmp(text, "le"))
		*big_endian = false;
	else if (native && !strcmp(text, "native"))
		*big_endian = *native;
	else
		return tsdl_fail(p, value->at, "`byte_order` is not one of le, be, network%s",
				 native ? ", native" : "");
	return 0;
}

/* Checks that a known attribute occurs only once in a block. */
static int note_attribute(struct tsdl_parser *p, const struct tsdl_block *block, const char *at,
			  const char *name, uint32_t *seen)
{
	for (size_t i = 0; block->names && block->names[i]; i++) {
		if (strcmp(block->names[i], name))
			continue;
		if (*seen & 1u << i)
			return tsdl_fail(p, at, "`%s` twice in one %s", name, block->what);
		*seen |= 1u << i;
		return 1;
	}
	return !block->names;
}

/* Parses `name = value;` or `name := type;`. */
static int parse_attribute(struct tsdl_parser *p, const struct tsdl_block *block, void *user,
			   uint32_t *seen)
{
	struct tsdl_value value = { 0 };
	const char *at = p->token.at;
	int ret = -1, known;
	char *name;

	if (p->token.kind != TSDL_IDENTIFIER && p->token.kind != TSDL_STRING)
		return tsdl_fail_token(p, "an attribute's name");
	name = tsdl_parse_path(p);
	if (!name)
		return -1;
	known = note_attribute(p, block, at, name, seen);
	if (known < 0)
		goto end;
	if (p->token.kind == TSDL_ASSIGN_TYPE && block->type) {
		tsdl_next(p);
		ret = block->type(p, user, name, at);
	} else if (tsdl_expect(p, "=", "after an attribute's name") < 0 ||
		   tsdl_parse_value(p, &value) < 0) {
		ret = -1;
	} else {
		ret = known ? block->attribute(p, user, name, &value) : 0;
	}
	if (!ret)
		ret = tsdl_expect(p, ";", "after an attribute");
end:
	tsdl_value_clear(&value);
	free(name);
	return ret;
}

int tsdl_parse_block(struct tsdl_parser *p, const struct tsdl_block *block, void *user)
{
	uint32_t seen = 0;

	while (!tsdl_take(p, "}")) {
		int ret;

		if (block->declarations && tsdl_at_declaration(p))
			ret = tsdl_parse_declaration(p, NULL, NULL);
		else
			ret = parse_attribute(p, block, user, &seen);
		if (ret < 0)
			return -1;
	}
	return 0;
}
