// SPDX-License-Identifier: LGPL-2.1-only
/* Writes C declarations of BTF types. */
#include "lttng-session/fn/describe/declare.h"

#include <stdio.h>
#include <string.h>

/* Limits of a declaration: pointers, arrays and qualifiers; nested function types; text size. */
#define LEVELS_MAX 24
#define NESTING_MAX 3
#define TEXT_MAX 512

static void declare(const struct fn_btf *btf, uint32_t type, const char *name, char *text,
		    size_t size, unsigned int depth);

static void surround(char text[TEXT_MAX], const char *before, const char *after)
{
	char copy[TEXT_MAX];

	memcpy(copy, text, sizeof(copy));
	if (strlen(before) + strlen(copy) + strlen(after) < TEXT_MAX)
		snprintf(text, TEXT_MAX, "%s%.*s%s", before, TEXT_MAX - 1, copy, after);
}

static void write_parameters(const struct fn_btf *btf, const struct btf_type *type, char *text,
			     size_t size, unsigned int depth)
{
	size_t length = 1;

	snprintf(text, size, "(");
	for (uint32_t i = 0; i < btf_vlen(type) && depth < NESTING_MAX; i++) {
		char parameter[TEXT_MAX];

		if (btf_params(type)[i].type)
			declare(btf, btf_params(type)[i].type, "", parameter, sizeof(parameter),
				depth + 1);
		else
			strcpy(parameter, "...");
		if (length + strlen(parameter) + 6 > size)
			break;
		length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "",
					   parameter);
	}
	if (length == 1)
		length += (size_t)snprintf(text + length, size - length, "%s",
					   btf_vlen(type) ? "..." : "void");
	snprintf(text + length, size - length, ")");
}

static bool is_compound(const struct fn_btf *btf, uint32_t type)
{
	const struct btf_type *target = btf__type_by_id(btf->btf, type);

	return target && (btf_is_array(target) || btf_is_func_proto(target));
}

static const char *tag_of(const struct btf_type *type)
{
	if (btf_is_struct(type) || (btf_is_fwd(type) && !btf_kflag(type)))
		return "struct ";
	if (btf_is_union(type) || btf_is_fwd(type))
		return "union ";
	return btf_is_any_enum(type) ? "enum " : "";
}

/* Writes the base type, such as `const struct page`, between @before and @rest. */
static void write_base(const struct fn_btf *btf, const struct btf_type *type, const char *before,
		       const char *rest, char *text, size_t size)
{
	const char *name = type ? fn_btf_name(btf, type) : "?";
	bool is_void = type && !btf_kind(type);
	const char *space = *rest && *rest != '[' ? " " : "";

	if (type && !is_void && !*name)
		name = "{ ... }";
	snprintf(text, size, "%s%s%s%s%s", before, type && !is_void ? tag_of(type) : "",
		 is_void ? "void" : name, space, rest);
}

static void declare(const struct fn_btf *btf, uint32_t type, const char *name, char *text,
		    size_t size, unsigned int depth)
{
	char rest[TEXT_MAX], before[32] = "", part[TEXT_MAX];

	snprintf(rest, sizeof(rest), "%s", name);
	for (unsigned int level = 0; level < LEVELS_MAX; level++) {
		const struct btf_type *found = btf__type_by_id(btf->btf, type);

		if (found && btf_is_ptr(found)) {
			if (is_compound(btf, found->type))
				surround(rest, "(*", ")");
			else
				surround(rest, "*", "");
		} else if (found && btf_is_mod(found)) {
			const struct btf_type *target = btf__type_by_id(btf->btf, found->type);
			const char *word = btf_is_const(found)	    ? "const "
					   : btf_is_volatile(found) ? "volatile "
								    : "";

			if (target && btf_is_ptr(target))
				surround(rest, word, "");
			else if (!strstr(before, word) &&
				 strlen(before) + strlen(word) < sizeof(before))
				strcat(before, word);
		} else if (found && btf_is_array(found)) {
			snprintf(part, sizeof(part), "[%u]", btf_array(found)->nelems);
			surround(rest, "", part);
			type = btf_array(found)->type;
			continue;
		} else if (found && btf_is_func_proto(found)) {
			write_parameters(btf, found, part, sizeof(part), depth);
			surround(rest, "", part);
		} else if (!found || !btf_is_type_tag(found)) {
			write_base(btf, found, before, rest, text, size);
			return;
		}
		type = found->type;
	}
	snprintf(text, size, "? %s", rest);
}

void fn_declare(const struct fn_btf *btf, uint32_t type, const char *name, char *text, size_t size)
{
	declare(btf, type, name, text, size, 0);
}

void fn_declare_function(const struct fn_signature *signature, char *text, size_t size)
{
	const struct fn_btf *btf = signature->btf;
	char part[TEXT_MAX];
	size_t length;

	snprintf(part, sizeof(part), "%s", signature->name);
	declare(btf, signature->result_type, part, text, size, 0);
	length = strlen(text);
	for (size_t i = 0; i < signature->count; i++) {
		const struct fn_argument *argument = &signature->arguments[i];

		declare(btf, argument->type, argument->name, part, sizeof(part), 0);
		if (length + strlen(part) + 8 > size)
			break;
		length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "(",
					   part);
	}
	if (length + 8 < size)
		snprintf(text + length, size - length, "%s%s",
			 signature->count	  ? signature->is_variadic ? ", ..." : ""
			 : signature->is_variadic ? "(..."
						  : "(void",
			 ")");
}
