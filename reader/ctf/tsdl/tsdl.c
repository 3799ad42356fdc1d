// SPDX-License-Identifier: LGPL-2.1-only
// Parses CTF 1.8's metadata language: finds the blocks of a text and visits them in a fixed order.

#include "reader/ctf/tsdl/tsdl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "reader/ctf/tsdl/parse.h"

/* Kinds of top-level blocks and declarations, in the order in which they are parsed. */
enum section {
	SECTION_ENV,
	SECTION_CLOCK,
	SECTION_TYPE,
	SECTION_TRACE,
	SECTION_STREAM,
	SECTION_EVENT,
	SECTION_CALLSITE
};

static const struct {
	const char *word; /* first word of the section; NULL: any declaration */
	int (*parse)(struct tsdl_parser *p);
} sections[] = {
	[SECTION_ENV] = { "env", tsdl_parse_env },
	[SECTION_CLOCK] = { "clock", tsdl_parse_clock },
	[SECTION_TYPE] = { NULL, NULL },
	[SECTION_TRACE] = { "trace", tsdl_parse_trace },
	[SECTION_STREAM] = { "stream", tsdl_parse_stream },
	[SECTION_EVENT] = { "event", tsdl_parse_event },
	[SECTION_CALLSITE] = { "callsite", NULL },
};

#define SECTIONS (sizeof(sections) / sizeof(sections[0]))

struct section_position {
	uint32_t at : 29;
	uint32_t section : 3;
};

struct section_list {
	struct section_position *parts;
	size_t count, room;
};

static_assert(CTF_METADATA_MAX < 1u << 29, "a part's place");

static int add_part(struct tsdl_parser *p, struct section_list *parts, enum section section,
		    const char *at)
{
	if (parts->count == parts->room) {
		size_t room = parts->room ? parts->room + parts->room / 2 : 64;
		struct section_position *larger = reallocarray(parts->parts, room, sizeof(*larger));

		if (!larger)
			return tsdl_fail_memory(p);
		parts->parts = larger;
		parts->room = room;
	}
	parts->parts[parts->count++] =
		(struct section_position){ (uint32_t)(at - p->text), section };
	return 0;
}

static int skip_part(struct tsdl_parser *p)
{
	const char *at = p->token.at;
	size_t depth = 0;

	for (; depth || !tsdl_is(p, ";"); tsdl_next(p)) {
		if (p->token.kind == TSDL_BAD)
			return tsdl_fail(p, p->token.at, "%s", p->token.bad);
		if (p->token.kind == TSDL_END)
			return tsdl_fail(
				p, at,
				"the text ends before the end of the block or declaration that starts here");
		if (tsdl_is(p, "{"))
			depth++;
		if (!tsdl_is(p, "}"))
			continue;
		if (!depth--)
			return tsdl_fail(p, p->token.at, "`}` without `{`");
	}
	tsdl_next(p);
	return 0;
}

static int find_parts(struct tsdl_parser *p, struct section_list *parts)
{
	for (tsdl_go(p, p->text); p->token.kind != TSDL_END;) {
		struct tsdl_token after = tsdl_peek(p);
		enum section section = SECTION_TYPE;

		for (size_t i = 0; tsdl_token_is(&after, "{") && i < SECTIONS; i++)
			if (sections[i].word && tsdl_is(p, sections[i].word))
				section = (enum section)i;
		if (!tsdl_is(p, ";") && add_part(p, parts, section, p->token.at) < 0)
			return -1;
		if (skip_part(p) < 0)
			return -1;
	}
	return 0;
}

/*
 * Moves to the first token after the block's opening brace. A type declaration has no such brace:
 * moves to the start of the declaration.
 */
static void enter(struct tsdl_parser *p, const struct section_position *part)
{
	tsdl_go(p, p->text + part->at);
	if (part->section == SECTION_TYPE)
		return;
	tsdl_next(p);
	tsdl_next(p);
}

static int visit(struct tsdl_parser *p, const struct section_position *part)
{
	struct tsdl_scope scope;
	int ret;

	enter(p, part);
	if (part->section == SECTION_TYPE)
		return tsdl_parse_declaration(p, NULL, NULL);
	if (!sections[part->section].parse)
		return 0;
	tsdl_scope_push(p, &scope);
	ret = sections[part->section].parse(p);
	tsdl_scope_pop(p);
	return ret ? ret : tsdl_expect(p, ";", "after a block");
}

/* Finds the byte order that `native` means. It must be known before any type is parsed. */
static int find_trace(struct tsdl_parser *p, const struct section_list *parts)
{
	const struct section_position *trace = NULL;

	for (size_t i = 0; i < parts->count; i++) {
		if (parts->parts[i].section != SECTION_TRACE)
			continue;
		if (trace)
			return tsdl_fail(p, p->text + parts->parts[i].at, "two traces in one text");
		trace = &parts->parts[i];
	}
	if (!trace)
		return tsdl_fail(p, p->end, "no `trace { ... }` in the metadata");
	enter(p, trace);
	return tsdl_find_byte_order(p);
}

static int build(struct tsdl_parser *p, const struct section_list *parts)
{
	struct tsdl_scope scope;
	int ret = find_trace(p, parts);

	tsdl_scope_push(p, &scope);
	for (size_t section = 0; section < SECTIONS; section++)
		for (size_t i = 0; !ret && i < parts->count; i++)
			if (parts->parts[i].section == section)
				ret = visit(p, &parts->parts[i]);
	tsdl_scope_pop(p);
	if (!ret)
		ret = tsdl_resolve(p);
	return ret ? ret : tsdl_assign_roles(p);
}

/*
 * Returns the maximum number of field classes and labels for a text of @length bytes, including
 * copies of named types. Tracers write far fewer. Without a limit, hostile metadata with nested
 * types could create huge numbers of copies.
 */
static uint64_t weight_max(size_t length)
{
	const uint64_t most = 1000000;
	uint64_t weight = 10000 + (uint64_t)length;

	return weight < most ? weight : most;
}

int ctf_tsdl_parse(const char *text, size_t length, const char *file, struct ctf_trace_class *trace,
		   struct mm_error *err)
{
	struct tsdl_parser p = { .text = text, .file = file, .trace = trace, .err = err };
	struct section_list parts = { 0 };
	int ret;

	if (length > CTF_METADATA_MAX)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: metadata of more than %u MiB, which is not supported", file,
			CTF_METADATA_MAX >> 20);
	/* Some tracers pad packets with null bytes. */
	while (length && !text[length - 1])
		length--;
	p.end = text + length;
	p.weight_max = weight_max(length);
	ret = find_parts(&p, &parts);
	if (!ret)
		ret = build(&p, &parts);
	free(parts.parts);
	tsdl_map_clear(&p.env);
	tsdl_map_clear(&p.streams);
	return ret;
}
