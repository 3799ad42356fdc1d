// SPDX-License-Identifier: LGPL-2.1-only
/* A recursive-descent parser of SPECs. It limits the depth and length of expressions. */
#include "lttng-session/fn/describe/spec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/fn/describe/spec-read.h"

/* Maximum number of nested parentheses, casts and asterisks. */
#define DEPTH_MAX 32
/* Maximum index of an array. Its product with the size of an element must not overflow. */
#define INDEX_MAX LTTNG_MM_FN_OFFSET_MAX

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define DIGITS "0123456789"

int fn_spec_refuse(const struct fn_spec *spec, unsigned int column, struct mm_error *err,
		   const char *fmt, ...)
{
	struct mm_error why = MM_ERROR_INIT;
	va_list args;

	va_start(args, fmt);
	mm_error_vset(&why, MM_EXIT_BAD_INPUT, fmt, args);
	va_end(args);
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "fn: %s: column %u: %s", spec->text, column,
			    why.message);
}

static struct fn_access *add_access(struct fn_reader *reader, struct fn_spec_item *item,
				    enum fn_access_kind kind, const char *at)
{
	struct fn_access *access;

	if (item->count == FN_ACCESSES_MAX) {
		fn_refuse_at(reader, at, "the expression has more than %d parts", FN_ACCESSES_MAX);
		return NULL;
	}
	access = &item->accesses[item->count++];
	access->kind = kind;
	access->column = fn_column(reader, at);
	return access;
}

static int read_member(struct fn_reader *reader, struct fn_spec_item *item,
		       enum fn_access_kind kind)
{
	struct fn_access *access;

	fn_peek(reader);
	access = add_access(reader, item, kind, reader->at);
	return access ? fn_read_word(reader, access->name, "the name of a member") : -1;
}

static int read_element(struct fn_reader *reader, struct fn_spec_item *item)
{
	struct fn_access *access;

	fn_peek(reader);
	access = add_access(reader, item, FN_ELEMENT, reader->at);
	if (!access || fn_read_number(reader, INDEX_MAX, &access->index, "the index"))
		return -1;
	return fn_accept(reader, "]")
		       ? 0
		       : fn_refuse_at(reader, reader->at, "']' is missing after the index");
}

static int read_unary(struct fn_reader *reader, struct fn_spec_item *item, unsigned int depth);

static int read_primary(struct fn_reader *reader, struct fn_spec_item *item, unsigned int depth)
{
	if (!fn_accept(reader, "(")) {
		item->column = fn_column(reader, reader->at);
		return fn_read_word(reader, item->argument, "the name of an argument");
	}
	if (read_unary(reader, item, depth + 1))
		return -1;
	return fn_accept(reader, ")") ? 0 : fn_refuse_at(reader, reader->at, "')' is missing");
}

static int read_postfix(struct fn_reader *reader, struct fn_spec_item *item, unsigned int depth)
{
	int ret = read_primary(reader, item, depth);

	while (!ret) {
		if (fn_accept(reader, "->"))
			ret = read_member(reader, item, FN_ARROW);
		else if (fn_accept(reader, "."))
			ret = read_member(reader, item, FN_MEMBER);
		else if (fn_accept(reader, "["))
			ret = read_element(reader, item);
		else
			break;
	}
	return ret;
}

/* Reads casts and asterisks. As in C, each of them applies to everything after it. */
static int read_unary(struct fn_reader *reader, struct fn_spec_item *item, unsigned int depth)
{
	struct fn_named_type type;
	struct fn_access *access;
	const char *start;

	if (depth > DEPTH_MAX)
		return fn_refuse_at(reader, reader->at, "more than %d levels of parentheses",
				    DEPTH_MAX);
	fn_peek(reader);
	start = reader->at;
	if (fn_accept(reader, "*")) {
		if (read_unary(reader, item, depth + 1))
			return -1;
		return add_access(reader, item, FN_ELEMENT, start) ? 0 : -1;
	}
	if (*start != '(' || !fn_is_cast(reader))
		return read_postfix(reader, item, depth);
	reader->at++;
	if (fn_read_named_type(reader, &type))
		return -1;
	if (!type.pointers)
		return fn_refuse_at(reader, reader->at,
				    "a cast must be to a pointer, as in (struct page *)x");
	if (!fn_accept(reader, ")"))
		return fn_refuse_at(reader, reader->at, "')' is missing after the type");
	if (read_unary(reader, item, depth + 1))
		return -1;
	access = add_access(reader, item, FN_CAST, start);
	if (access)
		access->type = type;
	return access ? 0 : -1;
}

static int read_item(struct fn_reader *reader, struct fn_spec *spec)
{
	struct fn_spec_item *item;

	fn_peek(reader);
	if (spec->count == LTTNG_MM_FN_FIELDS)
		return fn_refuse_at(reader, reader->at, "more than %d values are selected",
				    LTTNG_MM_FN_FIELDS);
	item = &spec->items[spec->count++];
	if (read_unary(reader, item, 0))
		return -1;
	return fn_accept(reader, ":") ? fn_read_type(reader, false, &item->type) : 0;
}

static int read_selection(struct fn_reader *reader, struct fn_spec *spec)
{
	spec->selects = true;
	if (!fn_accept(reader, ")"))
		for (;;) {
			if (read_item(reader, spec))
				return -1;
			if (fn_accept(reader, ")"))
				break;
			if (fn_accept(reader, ","))
				continue;
			if (!*reader->at)
				return fn_refuse_at(reader, reader->at,
						    "')' is missing after the arguments");
			return fn_refuse_at(reader, reader->at,
					    "',', ':' or ')' is expected here, not '%c'",
					    *reader->at);
		}
	if (fn_accept(reader, ":") && fn_read_type(reader, true, &spec->result))
		return -1;
	return fn_peek(reader) ? fn_refuse_at(reader, reader->at, "unexpected '%s' after the SPEC",
					      reader->at)
			       : 0;
}

/* Reads the name of the module. Replaces dashes by underscores, as the kernel does. */
static int read_module(struct fn_reader *reader, struct fn_spec *spec, size_t length)
{
	size_t valid = strspn(reader->at, LETTERS DIGITS "-");

	if (!length)
		return fn_refuse_at(reader, reader->at, "the name of the module is missing");
	if (valid < length)
		return fn_refuse_at(reader, reader->at + valid,
				    "'%c' cannot be in the name of a module", reader->at[valid]);
	if (length >= FN_MODULE_MAX)
		return fn_refuse_at(reader, reader->at, "no module has such a long name");
	for (size_t i = 0; i < length; i++)
		spec->module[i] = reader->at[i] == '-' ? '_' : reader->at[i];
	reader->at += length + 1;
	return 0;
}

static int read_function(struct fn_reader *reader, struct fn_spec *spec)
{
	size_t length = strcspn(reader->at, "( \t"), valid;

	spec->column = fn_column(reader, reader->at);
	if (!length)
		return fn_refuse_at(reader, reader->at, "the name of a function is missing");
	valid = strspn(reader->at, LETTERS DIGITS "*?[]^!-");
	if (valid < length && reader->at[valid] == '.')
		return fn_refuse_at(
			reader, reader->at + valid,
			"the arguments of a compiler-made variant such as .isra.0 are unknown");
	if (valid < length)
		return fn_refuse_at(reader, reader->at + valid,
				    "'%c' cannot be in the name of a function", reader->at[valid]);
	if (length >= sizeof(spec->function))
		return fn_refuse_at(reader, reader->at, "the name is longer than %zu bytes",
				    sizeof(spec->function) - 1);
	memcpy(spec->function, reader->at, length);
	spec->is_pattern = strpbrk(spec->function, "*?[");
	if (!spec->is_pattern &&
	    (fn_word_length(reader) != length || strspn(spec->function, DIGITS)))
		return fn_refuse_at(reader, reader->at, "'%s' is not the name of a function",
				    spec->function);
	reader->at += length;
	return 0;
}

static int read_spec(struct fn_reader *reader, struct fn_spec *spec)
{
	size_t length;

	fn_peek(reader);
	length = strcspn(reader->at, ":(");
	if (reader->at[length] == ':' && read_module(reader, spec, length))
		return -1;
	if (read_function(reader, spec))
		return -1;
	fn_peek(reader);
	if (*reader->at == '(' && spec->is_pattern)
		return fn_refuse_at(reader, reader->at,
				    "arguments cannot be selected for a pattern");
	if (fn_accept(reader, "("))
		return read_selection(reader, spec);
	return *reader->at ? fn_refuse_at(reader, reader->at, "unexpected '%s' after the function",
					  reader->at)
			   : 0;
}

struct fn_spec *fn_spec_parse(const char *text, struct mm_error *err)
{
	struct fn_spec *spec = calloc(1, sizeof(*spec));
	struct fn_reader reader = { .text = text, .at = text, .err = err };

	if (!spec) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "fn: out of memory");
		return NULL;
	}
	if (strlen(text) >= sizeof(spec->text)) {
		mm_error_set(err, MM_EXIT_BAD_INPUT, "fn: a SPEC is longer than %zu bytes",
			     sizeof(spec->text) - 1);
		goto fail;
	}
	strcpy(spec->text, text);
	if (!read_spec(&reader, spec))
		return spec;
fail:
	fn_spec_destroy(spec);
	return NULL;
}

/*
 * Is @access a cast to a pointer to a number, such as (unsigned int *)x? Such a cast can read any
 * memory.
 */
static bool is_to_number(const struct fn_access *access)
{
	const struct fn_named_type *type = &access->type;

	return access->kind == FN_CAST && type->pointers == 1 && strcmp(type->name, "void") != 0 &&
	       (type->tag == FN_TAG_NONE || type->tag == FN_TAG_ENUM);
}

bool fn_spec_reveals(const struct fn_spec *spec)
{
	for (size_t i = 0; i < spec->count; i++) {
		const struct fn_spec_item *item = &spec->items[i];

		if (item->type.kind == FN_TYPE_BYTES)
			return true;
		for (size_t k = 0; k < item->count; k++)
			if (is_to_number(&item->accesses[k]))
				return true;
	}
	return false;
}

void fn_spec_destroy(struct fn_spec *spec)
{
	free(spec);
}
