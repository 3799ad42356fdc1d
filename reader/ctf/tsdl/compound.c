// SPDX-License-Identifier: LGPL-2.1-only
// TSDL's structures and variants.

#include "reader/ctf/tsdl/tsdl.h"

#include <stdlib.h>
#include <string.h>

static int parse_name(struct tsdl_parser *p, char **name)
{
	if (p->token.kind != TSDL_IDENTIFIER)
		return 0;
	*name = tsdl_token_text(p, &p->token);
	if (!*name)
		return -1;
	tsdl_next(p);
	return 0;
}

/* Parses the members or options up to and including the closing brace. */
static int parse_body(struct tsdl_parser *p, struct tsdl_type *type)
{
	struct tsdl_map names = { 0 };
	struct tsdl_scope scope;
	int ret = 0;

	if (p->depth == CTF_DEPTH_MAX)
		return tsdl_fail(p, p->token.at,
				 "types nested more than %d deep; deeper types are not "
				 "read",
				 CTF_DEPTH_MAX);
	p->depth++;
	tsdl_scope_push(p, &scope);
	while (!ret && !tsdl_take(p, "}"))
		ret = tsdl_parse_declaration(p, type, &names);
	tsdl_scope_pop(p);
	tsdl_map_clear(&names);
	p->depth--;
	return ret;
}

static int parse_alignment(struct tsdl_parser *p, struct tsdl_type *type)
{
	struct tsdl_value value = { 0 };
	int ret;

	if (!tsdl_take(p, "align"))
		return 0;
	if (tsdl_expect(p, "(", "after `align`") < 0)
		return -1;
	ret = tsdl_parse_value(p, &value);
	/* `align(0)` means no alignment. */
	if (!ret && (value.text || value.u))
		ret = tsdl_value_alignment(p, &value, &type->field->align);
	tsdl_value_clear(&value);
	return ret ? ret : tsdl_expect(p, ")", "after an alignment");
}

static int find(struct tsdl_parser *p, const char *at, enum tsdl_name kind, const char *name,
		struct tsdl_type *type)
{
	int found;

	if (!name)
		return tsdl_fail_token(p, "a name or `{`");
	found = tsdl_lookup(p, at, kind, name, type);
	if (found)
		return found < 0 ? -1 : 0;
	return tsdl_fail(p, at, "there is no `%s %.80s`",
			 kind == TSDL_STRUCT ? "struct" : "variant", name);
}

int tsdl_parse_struct(struct tsdl_parser *p, struct tsdl_type *type, char **name)
{
	const char *at = p->token.at;

	*type = (struct tsdl_type){ 0 };
	if (parse_name(p, name) < 0)
		return -1;
	if (!tsdl_take(p, "{"))
		return find(p, at, TSDL_STRUCT, *name, type);
	if (tsdl_create(p, at, CTF_STRUCT, type) < 0 || parse_body(p, type) < 0 ||
	    parse_alignment(p, type) < 0)
		return -1;
	return *name ? tsdl_declare(p, at, TSDL_STRUCT, *name, type) : 0;
}

static int parse_tag(struct tsdl_parser *p, char **tag)
{
	if (!tsdl_take(p, "<"))
		return 0;
	if (p->token.kind != TSDL_IDENTIFIER)
		return tsdl_fail_token(p, "a variant's tag");
	*tag = tsdl_parse_reference(p);
	return *tag ? tsdl_expect(p, ">", "after a variant's tag") : -1;
}

int tsdl_parse_variant(struct tsdl_parser *p, struct tsdl_type *type, char **name)
{
	const char *at = p->token.at;
	char *tag = NULL;
	int ret = -1;

	*type = (struct tsdl_type){ 0 };
	if (parse_name(p, name) < 0 || parse_tag(p, &tag) < 0)
		goto end;
	if (!tsdl_take(p, "{")) {
		ret = find(p, at, TSDL_VARIANT, *name, type);
	} else if (!tsdl_create(p, at, CTF_VARIANT, type) && !parse_body(p, type)) {
		/* The declaration of a named variant has no tag; each use has its own tag. */
		ret = *name ? tsdl_declare(p, at, TSDL_VARIANT, *name, type) : 0;
	}
	if (!ret && tag) {
		free(type->field->path);
		type->field->path = tag;
		tag = NULL;
	}
end:
	free(tag);
	return ret;
}
