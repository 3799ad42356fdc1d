// SPDX-License-Identifier: LGPL-2.1-only
/* Writes a trace's types in TSDL, and chooses among TSDL's alternatives at random. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/utils/ctf/type.h"

#define ALIASES_MAX 64

/* The text so far: aliases; blocks; the current block, and the structures declared before it. */
struct tsdl {
	struct mk_buffer head, body, block, before;
	struct mk_random *random;
	const struct mk_trace *trace;
	const char *clock;
	struct {
		char text[300], name[40];
	} aliases[ALIASES_MAX];
	unsigned int alias_count;
	unsigned int indent, names, roots;
	uint64_t state; /* of @random, at the start */
};

static void type_text(struct tsdl *tsdl, struct mk_buffer *to, const struct mk_type *type,
		      const char *name);

static void number(struct tsdl *tsdl, struct mk_buffer *to, uint64_t value, bool is_signed)
{
	if (is_signed && (int64_t)value < 0)
		mk_buffer_printf(to, "%" PRId64, (int64_t)value);
	else if (mk_chance(tsdl->random, 15))
		mk_buffer_printf(to, "0x%" PRIx64, value);
	else if (mk_chance(tsdl->random, 8))
		mk_buffer_printf(to, "0%" PRIo64, value);
	else
		mk_buffer_printf(to, "%" PRIu64, value);
}

static void string(struct tsdl *tsdl, struct mk_buffer *to, const char *text)
{
	mk_buffer_printf(to, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			mk_buffer_printf(to, "\\%c", *text);
		else if (*text == '\n')
			mk_buffer_printf(to, "\\n");
		else if ((unsigned char)*text < 32 && mk_chance(tsdl->random, 50))
			mk_buffer_printf(to, "\\%03o", (unsigned int)*text);
		else if ((unsigned char)*text < 32)
			mk_buffer_printf(to, "\\x%02x", (unsigned int)*text);
		else
			mk_buffer_add(to, text, 1);
	}
	mk_buffer_printf(to, "\"");
}

static void indent(struct tsdl *tsdl, struct mk_buffer *to)
{
	static const char *const comments[] = { "/* a comment */ ", "// to the end: } ;\n",
						"/* with * and / \"in it\" */\n" };

	for (unsigned int i = 0; i < tsdl->indent; i++)
		mk_buffer_printf(to, "\t");
	if (mk_chance(tsdl->random, 3))
		mk_buffer_printf(to, "%s", comments[mk_below(tsdl->random, 3)]);
}

static const struct mk_type *root_of(const struct mk_type *type)
{
	while (type->parent)
		type = type->parent;
	return type;
}

/* Writes the names from below @top to @type, such as a.b.c. */
static void path_below(char *path, const struct mk_type *top, const struct mk_type *type)
{
	if (type->parent != top) {
		path_below(path, top, type->parent);
		strcat(path, ".");
	}
	strcat(path, type->name);
}

static void path_text(struct tsdl *tsdl, char *path, const struct mk_type *from,
		      const struct mk_type *to)
{
	static const char *const scopes[] = { "trace.packet.header.", "stream.packet.context.",
					      "stream.event.header.", "stream.event.context.",
					      "event.context.",	      "event.fields." };
	const struct mk_type *root = root_of(to), *common = to->parent;
	bool through_array = false;

	*path = 0;
	for (const struct mk_type *type = to; type; type = type->parent)
		through_array |= type->kind != MK_STRUCT && type != to;
	if (root != root_of(from) ||
	    (!through_array && from->kind != MK_VARIANT && mk_chance(tsdl->random, 15))) {
		strcpy(path, scopes[root->scope]);
		path_below(path, root, to);
		return;
	}
	for (; common; common = common->parent) {
		const struct mk_type *type = from;

		while (type && type != common)
			type = type->parent;
		if (type)
			break;
	}
	path_below(path, common, to);
}

/*
 * Writes the properties of an integer class. Properties with default values are omitted at random.
 */
static void integer_properties(struct tsdl *tsdl, char *text, size_t size,
			       const struct mk_type *type)
{
	static const char *const bases[17] = {
		[2] = "2", [8] = "octal", [10] = "decimal", [16] = "hex"
	};
	static const char *const other_bases[17] = {
		[2] = "binary", [8] = "o", [10] = "u", [16] = "16"
	};
	unsigned int align = type->bits % 8 ? 1 : 8;
	struct mk_random *random = tsdl->random;
	int length;

	length = snprintf(text, size, "size = %u;", type->bits);
	if (type->align != align || mk_chance(random, 60))
		length +=
			snprintf(text + length, size - (size_t)length, " align = %u;", type->align);
	if (type->is_signed || mk_chance(random, 40))
		length += snprintf(text + length, size - (size_t)length, " signed = %s;",
				   type->is_signed	   ? mk_chance(random, 50) ? "true" : "1"
				   : mk_chance(random, 50) ? "false"
							   : "0");
	if (type->big != tsdl->trace->big)
		length += snprintf(text + length, size - (size_t)length, " byte_order = %s;",
				   type->big ? mk_chance(random, 50) ? "be" : "network" : "le");
	if (type->base != 10 || mk_chance(random, 20))
		length += snprintf(text + length, size - (size_t)length, " base = %s;",
				   mk_chance(random, 50) ? bases[type->base]
							 : other_bases[type->base]);
	if (type->text)
		length += snprintf(text + length, size - (size_t)length, " encoding = %s;",
				   mk_chance(random, 70) ? "UTF8" : "ASCII");
	else if (mk_chance(random, 20))
		length += snprintf(text + length, size - (size_t)length, " encoding = none;");
	if (type->big == tsdl->trace->big && mk_chance(random, 4))
		length += snprintf(text + length, size - (size_t)length, " byte_order = native;");
	if (type->has_clock)
		snprintf(text + length, size - (size_t)length, " map = clock.%s.value;",
			 tsdl->clock);
}

/* Writes "integer { ... }", or the name of an alias for it. */
static void integer_text(struct tsdl *tsdl, struct mk_buffer *to, const struct mk_type *type)
{
	static const char *const names[] = { "unsigned long", "unsigned int", "uint32_t", "_t" };
	char text[300];
	unsigned int i;

	integer_properties(tsdl, text, sizeof(text), type);
	for (i = 0; i < tsdl->alias_count; i++)
		if (!strcmp(tsdl->aliases[i].text, text))
			break;
	if (i == tsdl->alias_count && i < ALIASES_MAX && !type->has_clock &&
	    mk_chance(tsdl->random, 25)) {
		strcpy(tsdl->aliases[i].text, text);
		if (i < 4)
			strcpy(tsdl->aliases[i].name, names[i]);
		else
			snprintf(tsdl->aliases[i].name, sizeof(tsdl->aliases[i].name), "t%u_t", i);
		if (mk_chance(tsdl->random, 70) || i < 2)
			mk_buffer_printf(&tsdl->head, "typealias integer { %s } := %s;\n", text,
					 tsdl->aliases[i].name);
		else
			mk_buffer_printf(&tsdl->head, "typedef integer { %s } %s;\n", text,
					 tsdl->aliases[i].name);
		tsdl->alias_count++;
	}
	if (i < tsdl->alias_count)
		mk_buffer_printf(to, "%s", tsdl->aliases[i].name);
	else
		mk_buffer_printf(to, "integer { %s }", text);
}

static void enum_text(struct tsdl *tsdl, struct mk_buffer *to, const struct mk_type *type)
{
	uint64_t next = 0;

	mk_buffer_printf(to, "enum ");
	if (mk_chance(tsdl->random, 20))
		mk_buffer_printf(to, "e%u ", tsdl->names++);
	mk_buffer_printf(to, ": ");
	integer_text(tsdl, to, type);
	mk_buffer_printf(to, " { ");
	for (unsigned int i = 0; i < type->label_count; i++) {
		const struct mk_label *label = &type->labels[i];
		bool keyword = !strcmp(label->name, "_struct");

		mk_buffer_printf(to, i ? ", " : "");
		if (keyword || mk_chance(tsdl->random, 60))
			string(tsdl, to, label->name);
		else
			mk_buffer_printf(to, "%s", label->name);
		if (label->range.lower != next || label->range.upper != next ||
		    mk_chance(tsdl->random, 70)) {
			mk_buffer_printf(to, " = ");
			number(tsdl, to, label->range.lower, type->is_signed);
			if (label->range.upper != label->range.lower) {
				mk_buffer_printf(to, " ... ");
				number(tsdl, to, label->range.upper, type->is_signed);
			}
		}
		next = label->range.upper + 1;
	}
	mk_buffer_printf(to, "%s }", mk_chance(tsdl->random, 10) ? "," : "");
}

static void float_text(struct tsdl *tsdl, struct mk_buffer *to, const struct mk_type *type)
{
	bool wide = type->bits == 64;

	mk_buffer_printf(to, "floating_point { exp_dig = %d; mant_dig = %d;", wide ? 11 : 8,
			 wide ? 53 : 24);
	mk_buffer_printf(to, " align = %u;", type->align);
	if (type->big != tsdl->trace->big || mk_chance(tsdl->random, 20))
		mk_buffer_printf(to, " byte_order = %s;", type->big ? "be" : "le");
	mk_buffer_printf(to, " }");
}

/* Writes "{ ... }" and the alignment of structures. */
static void structure_body(struct tsdl *tsdl, struct mk_buffer *to, const struct mk_type *type)
{
	mk_buffer_printf(to, "{\n");
	tsdl->indent++;
	for (unsigned int i = 0; i < type->member_count; i++) {
		indent(tsdl, to);
		type_text(tsdl, to, type->members[i].type, type->members[i].name);
		mk_buffer_printf(to, ";\n");
	}
	tsdl->indent--;
	indent(tsdl, to);
	mk_buffer_printf(to, "}");
	if (type->kind == MK_STRUCT && type->align > 1)
		mk_buffer_printf(to, " align(%u)", type->align);
}

static void compound_text(struct tsdl *tsdl, struct mk_buffer *to, const struct mk_type *type)
{
	char path[512];

	if (type->kind == MK_VARIANT) {
		path_text(tsdl, path, type, type->ref);
		mk_buffer_printf(to, "variant <%s> ", path);
	} else {
		mk_buffer_printf(to, "struct ");
		if (mk_chance(tsdl->random, 15))
			mk_buffer_printf(to, "s%u ", tsdl->names++);
	}
	structure_body(tsdl, to, type);
}

/* Writes a declaration of @name (NULL: only the type). */
static void type_text(struct tsdl *tsdl, struct mk_buffer *to, const struct mk_type *type,
		      const char *name)
{
	struct mk_buffer lengths = { 0 };
	struct mk_type text = { .kind = MK_INT,
				.bits = 8,
				.align = 8,
				.base = 10,
				.text = true,
				.big = tsdl->trace->big };
	char path[512];

	while (type->kind >= MK_STATIC_STRING && type->kind <= MK_SEQUENCE) {
		if (type->ref) {
			path_text(tsdl, path, type, type->ref);
			mk_buffer_printf(&lengths, "[%s]", path);
		} else {
			mk_buffer_printf(&lengths, "[%" PRIu64 "]", type->length);
		}
		type = type->element ? type->element : &text;
	}
	switch (type->kind) {
	case MK_INT:
		if (type->is_enum)
			enum_text(tsdl, to, type);
		else
			integer_text(tsdl, to, type);
		break;
	case MK_FLOAT:
		float_text(tsdl, to, type);
		break;
	case MK_STRING:
		mk_buffer_printf(to, "string%s",
				 mk_chance(tsdl->random, 80)   ? ""
				 : mk_chance(tsdl->random, 50) ? " { encoding = UTF8; }"
							       : " { encoding = ASCII; }");
		break;
	default:
		compound_text(tsdl, to, type);
	}
	if (name)
		mk_buffer_printf(to, " %s%.*s", name, (int)lengths.length,
				 lengths.data ? (const char *)lengths.data : "");
	mk_buffer_free(&lengths);
}

/*
 * Does the type contain references, or fields to which other fields refer? babeltrace2 fails on
 * both in named structures.
 */
static bool is_referred(const struct mk_type *type)
{
	bool found = type->is_length || type->is_selector ||
		     (type->ref && type->ref->role != MK_EVENT_CHOICE);

	for (unsigned int i = 0; i < type->member_count && !found; i++)
		found = is_referred(type->members[i].type);
	return found || (type->element && is_referred(type->element));
}

static void root_text(struct tsdl *tsdl, const char *name, const struct mk_type *type)
{
	unsigned int number = tsdl->roots++;

	if (!type)
		return;
	/* The form of a root must not depend on the contents of the previous roots. */
	tsdl->random->state = tsdl->state + number;
	switch (is_referred(type) ? 2 : mk_below(tsdl->random, 6)) {
	case 0:
		mk_buffer_printf(&tsdl->before, "struct root%u ", number);
		tsdl->indent = 0;
		structure_body(tsdl, &tsdl->before, type);
		mk_buffer_printf(&tsdl->before, ";\n\n");
		mk_buffer_printf(&tsdl->block, "\t%s := struct root%u;\n", name, number);
		return;
	case 1:
		mk_buffer_printf(&tsdl->before, "typealias struct ");
		tsdl->indent = 0;
		structure_body(tsdl, &tsdl->before, type);
		mk_buffer_printf(&tsdl->before, " := root%u_t;\n\n", number);
		mk_buffer_printf(&tsdl->block, "\t%s := root%u_t;\n", name, number);
		return;
	default:
		mk_buffer_printf(&tsdl->block, "\t%s := ", name);
		tsdl->indent = 1;
		type_text(tsdl, &tsdl->block, type, NULL);
		mk_buffer_printf(&tsdl->block, ";\n");
	}
}

static void end_block(struct tsdl *tsdl)
{
	/* readers must skip this attribute */
	if (mk_chance(tsdl->random, 3))
		mk_buffer_printf(&tsdl->block, "\tmy.own_attribute = \"x\";\n");
	mk_buffer_printf(&tsdl->block, "};\n\n");
	mk_buffer_add(&tsdl->body, tsdl->before.data, tsdl->before.length);
	mk_buffer_add(&tsdl->body, tsdl->block.data, tsdl->block.length);
	tsdl->before.length = 0;
	tsdl->block.length = 0;
	if (mk_chance(tsdl->random, 2))
		mk_buffer_printf(&tsdl->body, "callsite {\n\tname = \"x\";\n\tfunc = \"f\";\n"
					      "\tfile = \"a.c\";\n\tline = 39;\n};\n\n");
}

void mk_uuid_text(char *text, const uint8_t *uuid)
{
	for (unsigned int i = 0; i < MK_UUID_BYTES; i++)
		text += sprintf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
				uuid[i]);
}

static void trace_text(struct tsdl *tsdl, const struct mk_trace *trace)
{
	char uuid[37];

	mk_buffer_printf(&tsdl->block, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = %s;\n",
			 trace->big ? "be" : "le");
	mk_uuid_text(uuid, trace->uuid);
	if (trace->has_uuid)
		mk_buffer_printf(&tsdl->block, "\tuuid = \"%s\";\n", uuid);
	root_text(tsdl, "packet.header", trace->packet_header);
	end_block(tsdl);
}

static void env_text(struct tsdl *tsdl, const struct mk_trace *trace)
{
	if (!trace->env_count)
		return;
	mk_buffer_printf(&tsdl->block, "env {\n");
	for (unsigned int i = 0; i < trace->env_count; i++) {
		mk_buffer_printf(&tsdl->block, "\t%s = ", trace->env[i].name);
		if (trace->env[i].string)
			string(tsdl, &tsdl->block, trace->env[i].string);
		else
			number(tsdl, &tsdl->block, (uint64_t)trace->env[i].number, true);
		mk_buffer_printf(&tsdl->block, ";\n");
	}
	end_block(tsdl);
}

static void clock_text(struct tsdl *tsdl, const struct mk_clock *clock)
{
	struct mk_buffer *to = &tsdl->block;
	const char *quote;
	char uuid[37];

	quote = mk_chance(tsdl->random, 50) ? "\"" : "";
	mk_buffer_printf(to, "clock {\n\tname = %s%s%s;\n", quote, clock->name, quote);
	mk_uuid_text(uuid, clock->uuid);
	if (clock->has_uuid)
		mk_buffer_printf(to, "\tuuid = \"%s\";\n", uuid);
	if (clock->description) {
		mk_buffer_printf(to, "\tdescription = ");
		string(tsdl, to, clock->description);
		mk_buffer_printf(to, ";\n");
	}
	mk_buffer_printf(to, "\tfreq = %" PRIu64 ";\n", clock->frequency);
	if (clock->has_precision)
		mk_buffer_printf(to, "\tprecision = %" PRIu64 ";\n", clock->precision);
	if (clock->offset_s || mk_chance(tsdl->random, 30))
		mk_buffer_printf(to, "\toffset_s = %" PRId64 ";\n", clock->offset_s);
	if (clock->offset_cycles || mk_chance(tsdl->random, 30))
		mk_buffer_printf(to, "\toffset = %" PRIu64 ";\n", clock->offset_cycles);
	if (clock->absolute || mk_chance(tsdl->random, 30))
		mk_buffer_printf(to, "\tabsolute = %s;\n", clock->absolute ? "true" : "FALSE");
	end_block(tsdl);
}

static void event_text(struct tsdl *tsdl, const struct mk_stream_class *stream,
		       const struct mk_event_class *event)
{
	struct mk_buffer *to = &tsdl->block;

	mk_buffer_printf(to, "event {\n\tname = ");
	string(tsdl, to, event->name);
	mk_buffer_printf(to, ";\n");
	if (stream->event_count > 1 || event->id || mk_chance(tsdl->random, 50)) {
		mk_buffer_printf(to, "\tid = ");
		number(tsdl, to, event->id, false);
		mk_buffer_printf(to, ";\n");
	}
	if (mk_find_role(tsdl->trace->packet_header, MK_STREAM_CLASS_ID))
		mk_buffer_printf(to, "\tstream_id = %" PRIu64 ";\n", stream->id);
	if (event->log_level >= 0)
		mk_buffer_printf(to, "\tloglevel = %d;\n", event->log_level);
	if (event->uri) {
		mk_buffer_printf(to, "\tmodel.emf.uri = ");
		string(tsdl, to, event->uri);
		mk_buffer_printf(to, ";\n");
	}
	root_text(tsdl, "context", event->context);
	root_text(tsdl, "fields", event->payload);
	end_block(tsdl);
}

void mk_tsdl(struct mk_buffer *text, const struct mk_trace *trace, struct mk_random *random)
{
	struct tsdl tsdl = { .random = random, .trace = trace, .state = mk_random(random) };

	mk_buffer_printf(&tsdl.head, "/* CTF 1.8 */\n");
	trace_text(&tsdl, trace);
	env_text(&tsdl, trace);
	for (unsigned int i = 0; i < trace->clock_count; i++)
		clock_text(&tsdl, &trace->clocks[i]);
	for (unsigned int i = 0; i < trace->stream_count; i++) {
		const struct mk_stream_class *stream = &trace->streams[i];

		tsdl.clock = stream->clock ? stream->clock->name : "none";
		mk_buffer_printf(&tsdl.block, "stream {\n");
		if (mk_find_role(trace->packet_header, MK_STREAM_CLASS_ID))
			mk_buffer_printf(&tsdl.block, "\tid = %" PRIu64 ";\n", stream->id);
		root_text(&tsdl, "packet.context", stream->packet_context);
		root_text(&tsdl, "event.header", stream->event_header);
		root_text(&tsdl, "event.context", stream->common_context);
		end_block(&tsdl);
		for (unsigned int k = 0; k < stream->event_count; k++)
			event_text(&tsdl, stream, &stream->events[k]);
	}
	mk_buffer_add(text, tsdl.head.data, tsdl.head.length);
	mk_buffer_add(text, tsdl.body.data, tsdl.body.length);
	mk_buffer_free(&tsdl.head);
	mk_buffer_free(&tsdl.body);
	mk_buffer_free(&tsdl.block);
	mk_buffer_free(&tsdl.before);
}
