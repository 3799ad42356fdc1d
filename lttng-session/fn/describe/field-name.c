// SPDX-License-Identifier: LGPL-2.1-only
/* Derives the names of fields from expressions. */
#include "lttng-session/fn/describe/field-name.h"

#include <stdio.h>
#include <string.h>

/* Room for the suffix that makes a name unique: `_` and a number below 1000. */
#define SUFFIX_MAX 5

/* Reserved names: fields that every event may have, and keywords of TSDL and C. */
static const char *const reserved[] = {
	"tid",	       "caller",
	"ret",	       "unread",
	"duration_ns", "_Bool",
	"_Complex",    "align",
	"auto",	       "bool",
	"break",       "callsite",
	"case",	       "char",
	"clock",       "const",
	"continue",    "default",
	"do",	       "double",
	"else",	       "enum",
	"env",	       "event",
	"extern",      "floating_point",
	"float",       "for",
	"goto",	       "if",
	"inline",      "int",
	"integer",     "long",
	"map",	       "register",
	"restrict",    "return",
	"short",       "signed",
	"size",	       "sizeof",
	"static",      "stream",
	"string",      "struct",
	"switch",      "trace",
	"typealias",   "typedef",
	"union",       "unsigned",
	"variant",     "void",
	"volatile",    "while",
	"_Imaginary",
};

static bool is_reserved(const char *name)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!strcmp(reserved[i], name))
			return true;
	return false;
}

static bool is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void append(char name[FN_FIELD_NAME_MAX], const char *text)
{
	size_t length = strlen(name);

	for (; *text && length + SUFFIX_MAX + 1 < FN_FIELD_NAME_MAX; text++)
		name[length++] = is_name_character(*text) ? *text : '_';
	name[length] = '\0';
}

static void finish(char name[FN_FIELD_NAME_MAX])
{
	if (name[0] >= '0' && name[0] <= '9') {
		memmove(name + 1, name, strlen(name) + 1);
		name[0] = '_';
	}
	if (is_reserved(name))
		strcat(name, "_");
}

void fn_field_name(const struct fn_spec_item *item, char name[FN_FIELD_NAME_MAX])
{
	*name = '\0';
	append(name, item->argument);
	for (size_t i = 0; i < item->count; i++) {
		const struct fn_access *access = &item->accesses[i];
		char number[32];

		if (access->kind == FN_CAST || (access->kind == FN_ELEMENT && !access->index))
			continue;
		append(name, "_");
		snprintf(number, sizeof(number), "%llu", (unsigned long long)access->index);
		append(name, access->kind == FN_ELEMENT ? number : access->name);
	}
	finish(name);
}

void fn_field_name_of_argument(const char *argument, unsigned int position,
			       char name[FN_FIELD_NAME_MAX])
{
	char number[16];

	*name = '\0';
	snprintf(number, sizeof(number), "arg%u", position);
	append(name, *argument ? argument : number);
	finish(name);
}

void fn_field_name_distinguish(char name[FN_FIELD_NAME_MAX],
			       bool (*is_taken)(const char *name, const void *user),
			       const void *user)
{
	char base[FN_FIELD_NAME_MAX];

	memcpy(base, name, sizeof(base));
	for (unsigned int n = 2; n < 1000 && is_taken(name, user); n++)
		snprintf(name, FN_FIELD_NAME_MAX, "%.*s_%u", FN_FIELD_NAME_MAX - SUFFIX_MAX, base,
			 n);
}
