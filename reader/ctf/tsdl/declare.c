// SPDX-License-Identifier: LGPL-2.1-only
// TSDL's declarations: specifiers and declarators.

#include "reader/ctf/tsdl/tsdl.h"

#include <stdlib.h>
#include <string.h>

struct declaration_specifier {
	const char *at;
	struct tsdl_type type; /* a type defined here; if its field is NULL, @words name the type */
	char words[256];       /* joined by single spaces; for a named structure: `struct NAME` */
	bool has_const;	       /* the words include `const` */
	bool is_typedef;
};

static void specifier_clear(struct declaration_specifier *specifier)
{
	tsdl_type_clear(&specifier->type);
}

static bool is_type_word(const struct tsdl_token *token)
{
	static const char *const words[] = { "void",	 "char",  "short",    "int",
					     "long",	 "float", "double",   "signed",
					     "unsigned", "_Bool", "_Complex", "_Imaginary",
					     NULL };

	for (size_t i = 0; words[i]; i++)
		if (tsdl_token_is(token, words[i]))
			return true;
	return false;
}

/*
 * First words of type definitions, such as `struct NAME {...}`. Without a body, `struct NAME` names
 * a type that has been defined before.
 */
static const struct {
	const char *word;
	int (*parse)(struct tsdl_parser *p, struct tsdl_type *type);
	int (*parse_named)(struct tsdl_parser *p, struct tsdl_type *type, char **name);
} long_types[] = {
	{ "integer", tsdl_parse_integer, NULL }, { "floating_point", tsdl_parse_float, NULL },
	{ "string", tsdl_parse_string, NULL },	 { "enum", NULL, tsdl_parse_enum },
	{ "struct", NULL, tsdl_parse_struct },	 { "variant", NULL, tsdl_parse_variant },
};

#define LONG_TYPES (sizeof(long_types) / sizeof(long_types[0]))

static size_t find_long_type(const struct tsdl_token *token)
{
	size_t i = 0;

	while (i < LONG_TYPES && !tsdl_token_is(token, long_types[i].word))
		i++;
	return i;
}

static int add_word(struct tsdl_parser *p, struct declaration_specifier *specifier,
		    const char *word, size_t length)
{
	size_t have = strlen(specifier->words);

	if (have + length + 2 > sizeof(specifier->words))
		return tsdl_fail(p, specifier->at,
				 "a type's name of more than %zu characters; "
				 "longer names are not supported",
				 sizeof(specifier->words) - 2);
	if (have)
		specifier->words[have++] = ' ';
	memcpy(specifier->words + have, word, length);
	specifier->words[have + length] = '\0';
	return 0;
}

/*
 * If a semicolon is missing, a second type follows the first one. Skips the second type, like
 * babeltrace2.
 */
static int skip_long_type(struct tsdl_parser *p, size_t i)
{
	struct tsdl_type type;
	char *name = NULL;
	int ret;

	tsdl_next(p);
	ret = long_types[i].parse ? long_types[i].parse(p, &type)
				  : long_types[i].parse_named(p, &type, &name);
	free(name);
	tsdl_type_clear(&type);
	return ret;
}

static int parse_long_type(struct tsdl_parser *p, struct declaration_specifier *specifier, size_t i)
{
	char *name = NULL;
	int ret;

	if (specifier->type.field)
		return skip_long_type(p, i);
	if (specifier->words[0])
		return tsdl_fail_token(p, "a name");
	tsdl_next(p);
	if (long_types[i].parse)
		return long_types[i].parse(p, &specifier->type);
	ret = long_types[i].parse_named(p, &specifier->type, &name);
	if (!ret && name) {
		ret = add_word(p, specifier, long_types[i].word, strlen(long_types[i].word));
		if (!ret)
			ret = add_word(p, specifier, name, strlen(name));
	}
	free(name);
	return ret;
}

/*
 * Is the current name a part of the type? The first name always is. A later name belongs to the
 * type only if the next token cannot follow a declared name. Types are not looked up, so a field
 * may have the name of a type.
 */
static bool continues_type(const struct tsdl_parser *p,
			   const struct declaration_specifier *specifier)
{
	struct tsdl_token after = tsdl_peek(p);

	if (specifier->type.field)
		return false;
	if (!specifier->words[0] || is_type_word(&p->token))
		return true;
	return after.kind == TSDL_IDENTIFIER || tsdl_token_is(&after, "*");
}

/*
 * Parses a specifier. If @alias is true, the specifier is the new name in a typealias, so all its
 * words are part of the name.
 */
static int parse_specifier(struct tsdl_parser *p, struct declaration_specifier *specifier,
			   bool alias)
{
	size_t i;

	*specifier = (struct declaration_specifier){ .at = p->token.at };
	while (p->token.kind == TSDL_IDENTIFIER) {
		if (tsdl_is(p, "typedef")) {
			specifier->is_typedef = true;
			tsdl_next(p);
		} else if (tsdl_is(p, "const")) {
			specifier->has_const = true;
			if (alias && add_word(p, specifier, p->token.at, p->token.length) < 0)
				return -1;
			tsdl_next(p);
		} else if (!alias && (i = find_long_type(&p->token)) < LONG_TYPES) {
			if (parse_long_type(p, specifier, i) < 0)
				return -1;
		} else if (alias || continues_type(p, specifier)) {
			/* Metadata usually name this type `bool`. */
			bool is_bool = tsdl_is(p, "_Bool");

			if (add_word(p, specifier, is_bool ? "bool" : p->token.at,
				     is_bool ? 4 : p->token.length) < 0)
				return -1;
			tsdl_next(p);
		} else {
			break;
		}
	}
	return specifier->type.field || specifier->words[0] ? 0 : tsdl_fail_token(p, "a type");
}

/* Adds the stars of pointers to the words of the type's name. */
static int parse_pointers(struct tsdl_parser *p, struct declaration_specifier *specifier, bool *any)
{
	*any = false;
	while (tsdl_take(p, "*")) {
		*any = true;
		if (add_word(p, specifier, "*", 1) < 0)
			return -1;
		while (tsdl_is(p, "const")) {
			if (add_word(p, specifier, "const", 5) < 0)
				return -1;
			tsdl_next(p);
		}
	}
	return 0;
}

static int find_words(struct tsdl_parser *p, const struct declaration_specifier *specifier,
		      const char *words, struct tsdl_type *type)
{
	char with_const[sizeof(specifier->words) + 8] = "const ";
	int found = 0;

	strcat(with_const, words);
	if (specifier->has_const)
		found = tsdl_lookup(p, specifier->at, TSDL_ALIAS, with_const, type);
	if (!found)
		found = tsdl_lookup(p, specifier->at, TSDL_ALIAS, words, type);
	if (!found)
		return tsdl_fail(p, specifier->at, "there is no type `%.80s`", words);
	return found < 0 ? -1 : 0;
}

/* Is the current declarator the last of its declaration? */
static bool is_last(const struct tsdl_parser *p)
{
	struct tsdl_token token = p->token;

	while (token.kind != TSDL_END && !tsdl_token_is(&token, ",") &&
	       !tsdl_token_is(&token, ";") && token.kind != TSDL_ASSIGN_TYPE &&
	       !tsdl_token_is(&token, "{"))
		token = tsdl_lex(token.at + token.length, p->end);
	return !tsdl_token_is(&token, ",");
}

/* Gets the type for one declarator. Other declarators may share the specifier. */
static int specified_type(struct tsdl_parser *p, struct declaration_specifier *specifier,
			  struct tsdl_type *type)
{
	struct declaration_specifier pointed = *specifier;
	bool pointer;

	*type = (struct tsdl_type){ 0 };
	if (parse_pointers(p, &pointed, &pointer) < 0)
		return -1;
	if (pointer) {
		if (find_words(p, &pointed, pointed.words, type) < 0)
			return -1;
		type->field->base = 16;
		return 0;
	}
	if (specifier->type.field && !is_last(p))
		return tsdl_copy(p, specifier->at, &specifier->type, type);
	if (specifier->type.field) {
		*type = specifier->type;
		specifier->type.field = NULL;
		return 0;
	}
	return find_words(p, specifier, specifier->words, type);
}

struct array_dimension {
	const char *at;
	uint64_t length;
	char *path; /* if not NULL, the length comes from this path */
};

/* Resolves `env.NAME`. The environment has already been parsed. */
static int find_env(struct tsdl_parser *p, struct array_dimension *dimension)
{
	const char *name = dimension->path + 4;
	const size_t *index = tsdl_map_find(&p->env, name);
	const struct ctf_env *env = index ? &p->trace->env[*index] : NULL;

	if (!env || env->kind != CTF_ENV_SIGNED || env->i < 0)
		return tsdl_fail(p, dimension->at, "the environment has no length `%.80s`", name);
	dimension->length = (uint64_t)env->i;
	free(dimension->path);
	dimension->path = NULL;
	return 0;
}

static int parse_dimension(struct tsdl_parser *p, struct array_dimension *dimension)
{
	struct tsdl_value value;

	if (tsdl_parse_value(p, &value) < 0)
		return -1;
	*dimension = (struct array_dimension){ value.at, value.u, value.text };
	if (value.negative)
		return tsdl_fail(p, value.at, "an array's length is negative");
	if (dimension->path && !strncmp(dimension->path, "env.", 4) && find_env(p, dimension) < 0)
		return -1;
	return tsdl_expect(p, "]", "after an array's length");
}

static int make_array(struct tsdl_parser *p, struct array_dimension *dimension,
		      struct tsdl_type *type)
{
	struct tsdl_type element = *type;
	bool text = element.field->is_character && element.field->size == 8 &&
		    element.field->align == 8;
	bool fixed = !dimension->path;
	enum ctf_kind kind = fixed ? (text ? CTF_STATIC_STRING : CTF_STATIC_ARRAY)
				   : (text ? CTF_DYNAMIC_STRING : CTF_DYNAMIC_ARRAY);

	*type = (struct tsdl_type){ 0 };
	if (tsdl_create(p, dimension->at, kind, type) < 0) {
		tsdl_type_clear(&element);
		return -1;
	}
	type->field->length = dimension->length;
	if (dimension->path)
		type->field->path = tsdl_reference(p, dimension->at, dimension->path);
	type->field->align = element.field->align;
	if (text) {
		tsdl_type_clear(&element);
		return fixed || type->field->path ? 0 : -1;
	}
	type->field->element = element.field;
	if (!fixed && !type->field->path)
		return -1;
	return tsdl_nest(p, dimension->at, type, &element);
}

/* Parses the brackets after a name. The last pair belongs to the innermost array. */
static int parse_dimensions(struct tsdl_parser *p, struct tsdl_type *type)
{
	struct array_dimension dimensions[CTF_DEPTH_MAX] = { 0 };
	size_t count = 0;
	int ret = 0;

	while (!ret && tsdl_take(p, "[")) {
		if (count == CTF_DEPTH_MAX)
			ret = tsdl_fail(p, p->token.at,
					"an array of more than %d dimensions; "
					"more are not supported",
					CTF_DEPTH_MAX);
		else
			ret = parse_dimension(p, &dimensions[count++]);
	}
	for (size_t i = count; !ret && i; i--)
		ret = make_array(p, &dimensions[i - 1], type);
	for (size_t i = 0; i < count; i++)
		free(dimensions[i].path);
	return ret;
}

/* Parses a name (required unless @optional) with preceding stars and following brackets. */
static int parse_declarator(struct tsdl_parser *p, struct declaration_specifier *specifier,
			    bool optional, char **name, struct tsdl_type *type)
{
	*name = NULL;
	if (specified_type(p, specifier, type) < 0)
		return -1;
	if (p->token.kind == TSDL_IDENTIFIER) {
		*name = tsdl_token_text(p, &p->token);
		if (!*name)
			return -1;
		tsdl_next(p);
	} else if (!optional) {
		return tsdl_fail_token(p, "a name");
	}
	if (parse_dimensions(p, type) < 0)
		return -1;
	if (tsdl_is(p, ":"))
		return tsdl_fail(p, p->token.at,
				 "bit fields as in C are not supported; "
				 "give an integer's `size`");
	return 0;
}

static int parse_typealias(struct tsdl_parser *p)
{
	struct declaration_specifier specifier, alias = { 0 };
	struct tsdl_type type = { 0 };
	const char *at = p->token.at;
	char *name = NULL;
	bool pointer;
	int ret = -1;

	if (parse_specifier(p, &specifier, false) < 0 ||
	    parse_declarator(p, &specifier, true, &name, &type) < 0)
		goto end;
	if (name) {
		tsdl_fail(p, at, "a name left of `:=` in a typealias");
		goto end;
	}
	if (tsdl_expect(p, ":=", "in a typealias") < 0 || parse_specifier(p, &alias, true) < 0 ||
	    parse_pointers(p, &alias, &pointer) < 0)
		goto end;
	if (type.field->kind == CTF_VARIANT && !type.field->path) {
		tsdl_fail(p, at, "a typealias of a variant without tag");
		goto end;
	}
	if (tsdl_declare(p, alias.at, TSDL_ALIAS, alias.words, &type) < 0)
		goto end;
	ret = tsdl_expect(p, ";", "after a typealias");
end:
	free(name);
	tsdl_type_clear(&type);
	specifier_clear(&specifier);
	return ret;
}

static int add_member(struct tsdl_parser *p, const char *at, struct tsdl_type *compound,
		      struct tsdl_map *names, const char *name, struct tsdl_type *type)
{
	struct ctf_field *field = type->field;
	int added = tsdl_map_add(names, name, 0);

	if (added <= 0)
		return added < 0 ? tsdl_fail_memory(p)
				 : tsdl_fail(p, at, "there is already a field `%.80s`", name);
	if (tsdl_nest(p, at, compound, type) < 0)
		return -1;
	type->field = NULL;
	return ctf_field_add_member(compound->field, name, field) < 0 ? tsdl_fail_memory(p) : 0;
}

static int declare(struct tsdl_parser *p, struct declaration_specifier *specifier,
		   struct tsdl_type *compound, struct tsdl_map *names)
{
	const char *at = p->token.at;
	struct tsdl_type type;
	char *name;
	int ret = parse_declarator(p, specifier, false, &name, &type);

	if (!ret && specifier->is_typedef) {
		if (type.field->kind == CTF_VARIANT && !type.field->path)
			ret = tsdl_fail(p, at, "a typedef of a variant without tag");
		else
			ret = tsdl_declare(p, at, TSDL_ALIAS, name, &type);
	} else if (!ret && compound) {
		ret = add_member(p, at, compound, names, name, &type);
	} else if (!ret) {
		ret = tsdl_fail(p, at, "a field outside of any structure");
	}
	free(name);
	tsdl_type_clear(&type);
	return ret;
}

int tsdl_parse_declaration(struct tsdl_parser *p, struct tsdl_type *compound,
			   struct tsdl_map *names)
{
	struct declaration_specifier specifier;
	int ret;

	if (tsdl_take(p, "typealias"))
		return parse_typealias(p);
	ret = parse_specifier(p, &specifier, false);
	/* A named structure, variant or enumeration can be declared without a declarator. */
	if (!ret && !(tsdl_is(p, ";") && specifier.type.field && !specifier.is_typedef)) {
		do {
			ret = declare(p, &specifier, compound, names);
		} while (!ret && tsdl_take(p, ","));
	}
	if (!ret)
		ret = tsdl_expect(p, ";", "after a declaration");
	specifier_clear(&specifier);
	return ret;
}

bool tsdl_at_declaration(const struct tsdl_parser *p)
{
	struct tsdl_token after = tsdl_peek(p);

	if (after.kind != TSDL_IDENTIFIER && !tsdl_token_is(&after, "{") &&
	    !tsdl_token_is(&after, "<") && !tsdl_token_is(&after, ":"))
		return false;
	return p->token.kind == TSDL_IDENTIFIER;
}

int tsdl_parse_type(struct tsdl_parser *p, struct tsdl_type *type)
{
	struct declaration_specifier specifier;
	int ret = parse_specifier(p, &specifier, false);

	*type = (struct tsdl_type){ 0 };
	if (!ret)
		ret = specified_type(p, &specifier, type);
	specifier_clear(&specifier);
	return ret;
}

int tsdl_parse_container(struct tsdl_parser *p, struct tsdl_type *type)
{
	return tsdl_parse_type(p, type);
}
