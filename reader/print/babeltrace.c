// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints events as `babeltrace2 TRACE` does. The plan of an event class is created for its first
 * event.
 */
#include "reader/print/babeltrace.h"

#include <stdlib.h>
#include <string.h>

#include "reader/print/babeltrace-time.h"
#include "reader/print/class-table.h"
#include "reader/print/number.h"
#include "reader/print/text-plan.h"
#include "util/glob.h"

struct class_plans {
	const struct ctf_event_class *class;
	struct mm_text_plan *packet; /* the header column and the packet context */
	struct mm_text_plan *body;   /* event contexts and payload */
	bool wanted, needs_slots;
	bool from_context; /* @packet starts at the packet context, after the packet header */
};

struct mm_babeltrace {
	const struct mm_babeltrace_options *options;
	unsigned int names, fields;
	struct mm_class_table classes;
	struct mm_babeltrace_time time;
};

struct header_column {
	struct mm_text_plan *plan;
	bool names;
	bool start; /* the next part of the column needs no comma */
	bool any;   /* the column `host:domain:...` already has a part */
};

static void add(struct header_column *header, const char *text)
{
	mm_text_plan_literal(header->plan, text, strlen(text));
}

/* Adds the separator before a part of the column, and the name of the part. */
static void add_name(struct header_column *header, const char *name)
{
	if (!header->start)
		add(header, ", ");
	if (header->names) {
		add(header, name);
		add(header, " = ");
	} else if (header->any) {
		add(header, ":");
	}
	header->any = true;
}

static void add_trace_name(struct header_column *header, const char *name)
{
	if (!header->start)
		add(header, ", ");
	if (header->names)
		add(header, "trace = ");
	if (name)
		add(header, name);
	if (header->names)
		add(header, ", ");
}

static void add_env_string(struct header_column *header, const struct ctf_trace_class *trace,
			   const char *key, const char *name)
{
	const struct ctf_env *env = ctf_env_find(trace, key);

	if (!env || env->kind != CTF_ENV_STRING)
		return;
	add_name(header, name);
	add(header, env->s);
}

static void add_vpid(struct header_column *header, const struct ctf_trace_class *trace)
{
	const struct ctf_env *env = ctf_env_find(trace, "vpid");
	char number[MM_NUMBER_ROOM], *end;

	if (!env || env->kind != CTF_ENV_SIGNED)
		return;
	add_name(header, "trace:vpid");
	end = mm_put_signed(number, env->i);
	add(header, "(");
	mm_text_plan_literal(header->plan, number, (size_t)(end - number));
	add(header, ")");
}

static const struct {
	const char *attribute, *text;
} log_levels[] = {
	{ "emergency", "TRACE_EMERG (0)" },
	{ "alert", "TRACE_ALERT (1)" },
	{ "critical", "TRACE_CRIT (2)" },
	{ "error", "TRACE_ERR (3)" },
	{ "warning", "TRACE_WARNING (4)" },
	{ "notice", "TRACE_NOTICE (5)" },
	{ "info", "TRACE_INFO (6)" },
	{ "debug:system", "TRACE_DEBUG_SYSTEM (7)" },
	{ "debug:program", "TRACE_DEBUG_PROGRAM (8)" },
	{ "debug:process", "TRACE_DEBUG_PROCESS (9)" },
	{ "debug:module", "TRACE_DEBUG_MODULE (10)" },
	{ "debug:unit", "TRACE_DEBUG_UNIT (11)" },
	{ "debug:function", "TRACE_DEBUG_FUNCTION (12)" },
	{ "debug:line", "TRACE_DEBUG_LINE (13)" },
	{ "debug", "TRACE_DEBUG (14)" },
};

static void add_log_level(struct header_column *header, const struct ctf_event_class *class)
{
	for (size_t i = 0; i < sizeof(log_levels) / sizeof(log_levels[0]); i++)
		if (class->has_log_level
			    ? class->log_level == (int64_t)i
			    : class->log_level_name &&
				      !strcmp(class->log_level_name, log_levels[i].attribute)) {
			add_name(header, "loglevel");
			add(header, log_levels[i].text);
			return;
		}
}

/* Adds everything between the timestamp and the event's name. */
static void add_header(const struct mm_babeltrace *printer, struct mm_text_plan *plan,
		       const struct ctf_event_class *class, const char *trace_name)
{
	const struct ctf_trace_class *trace = class->stream_class->trace;
	bool names = printer->names & MM_BABELTRACE_NAME_HEADER;
	struct header_column header = { plan, names, !class->stream_class->clock || !names, false };

	if (printer->fields & MM_BABELTRACE_FIELD_TRACE)
		add_trace_name(&header, trace_name);
	if (printer->fields & MM_BABELTRACE_FIELD_HOSTNAME)
		add_env_string(&header, trace, "hostname", "trace:hostname");
	if (printer->fields & MM_BABELTRACE_FIELD_DOMAIN)
		add_env_string(&header, trace, "domain", "trace:domain");
	if (printer->fields & MM_BABELTRACE_FIELD_PROCNAME)
		add_env_string(&header, trace, "procname", "trace:procname");
	if (printer->fields & MM_BABELTRACE_FIELD_VPID)
		add_vpid(&header, trace);
	if (printer->fields & MM_BABELTRACE_FIELD_LOGLEVEL)
		add_log_level(&header, class);
	if (printer->fields & MM_BABELTRACE_FIELD_EMF && class->emf_uri) {
		add_name(&header, "model.emf.uri");
		add(&header, class->emf_uri);
	}
	if (header.any && !names)
		add(&header, " ");
	if (!header.start)
		add(&header, ", ");
	if (names)
		add(&header, "name = ");
	add(&header, class->has_name ? class->name : "<unknown>");
	add(&header, names ? ", " : ": ");
}

/* Is any field of the packet context printed? If none is, the whole context is omitted. */
static bool shows_packet(const struct ctf_field *context)
{
	if (!context)
		return false;
	for (size_t i = 0; i < context->member_count; i++)
		if (!mm_text_is_hidden(context->members[i].field))
			return true;
	return false;
}

static void add_section(const struct mm_babeltrace *printer, struct mm_text_plan *plan,
			const struct ctf_field *structure, const char *scope, bool names,
			bool *first)
{
	if (!structure)
		return;
	if (!*first)
		mm_text_plan_literal(plan, ", ", 2);
	*first = false;
	if (printer->names & MM_BABELTRACE_NAME_SCOPE)
		mm_text_plan_literal(plan, scope, strlen(scope));
	mm_text_plan_field(plan, structure, names);
}

static int fill(const struct mm_babeltrace *printer, struct class_plans *text,
		const char *trace_name)
{
	const struct ctf_event_class *class = text->class;
	const struct ctf_stream_class *stream = class->stream_class;
	const struct ctf_field *header = stream->trace->packet_header;
	bool contexts = printer->names & MM_BABELTRACE_NAME_CONTEXT, first = true;

	text->body = mm_text_plan_create(MM_TEXT_BABELTRACE, stream->trace);
	if (!text->body)
		return -1;
	if (shows_packet(stream->packet_context)) {
		text->packet = mm_text_plan_create(MM_TEXT_BABELTRACE, stream->trace);
		if (!text->packet)
			return -1;
		add_header(printer, text->packet, class, trace_name);
		/*
		 * Start at the packet context: its place is in struct ctf_packet. Skipping a packet
		 * header of unknown size for each event would be slow.
		 */
		text->from_context = header && (!header->fixed || header->keeps);
		if (!text->from_context) {
			mm_text_plan_at_begin(text->packet);
			mm_text_plan_skip(text->packet, header);
		}
		add_section(printer, text->packet, stream->packet_context,
			    "stream.packet.context = ", contexts, &first);
		if (mm_text_plan_finish(text->packet))
			return -1;
		text->needs_slots = mm_text_plan_needs_slots(text->packet);
	} else {
		add_header(printer, text->body, class, trace_name);
	}
	add_section(printer, text->body, stream->common_context,
		    "stream.event.context = ", contexts, &first);
	add_section(printer, text->body, class->specific_context, "event.context = ", contexts,
		    &first);
	add_section(printer, text->body, class->payload,
		    "event.fields = ", printer->names & MM_BABELTRACE_NAME_PAYLOAD, &first);
	mm_text_plan_literal(text->body, "\n", 1);
	if (mm_text_plan_finish(text->body))
		return -1;
	text->needs_slots |= mm_text_plan_needs_slots(text->body);
	return 0;
}

static void destroy_text(void *value)
{
	struct class_plans *text = value;

	mm_text_plan_destroy(text->packet);
	mm_text_plan_destroy(text->body);
	free(text);
}

/*
 * Creates the plans of an event class. A class belongs to only one trace. @hint: an event of the
 * class.
 */
static void *make_text(void *user, const void *hint)
{
	const struct mm_babeltrace *printer = user;
	const struct ctf_event *event = hint;
	struct class_plans *text = calloc(1, sizeof(*text));

	if (!text)
		return NULL;
	text->class = event->class;
	text->wanted = mm_glob_match(printer->options->events, text->class->name);
	if (!text->wanted || !fill(printer, text, event->packet->stream->trace->name))
		return text;
	destroy_text(text);
	return NULL;
}

struct mm_babeltrace *mm_babeltrace_create(const struct mm_babeltrace_options *options)
{
	struct mm_babeltrace *printer = calloc(1, sizeof(*printer));

	if (!printer)
		return NULL;
	printer->options = options;
	printer->names = mm_babeltrace_names(options);
	printer->fields = mm_babeltrace_fields(options);
	mm_class_table_init(&printer->classes, make_text, destroy_text, printer);
	mm_babeltrace_time_init(&printer->time, options);
	return printer;
}

void mm_babeltrace_destroy(struct mm_babeltrace *printer)
{
	if (!printer)
		return;
	mm_class_table_release(&printer->classes);
	free(printer);
}

int mm_babeltrace_render(struct mm_babeltrace *printer, const struct mm_event *event,
			 struct mm_text *text)
{
	const struct class_plans *class;
	struct ctf_cursor cursor;
	struct ctf_event native;

	if (!ctf_event_of(event, &native))
		return -1;
	class = mm_class_table_find(&printer->classes, native.class, &native);
	if (!class)
		return -1;
	if (!class->wanted)
		return 0;
	cursor = (struct ctf_cursor){ .data = native.packet->data,
				      .at = class->from_context ? native.packet->context_at : 0,
				      .slots = native.packet->slots,
				      .end = native.packet->content_bits };
	if (class->packet && mm_text_plan_run(class->packet, &cursor, text))
		return -1;
	if (class->needs_slots) {
		ctf_event_cursor(&native, &cursor);
	} else {
		cursor.at = cursor.start = native.body;
		cursor.idle = 0;
	}
	return mm_text_plan_run(class->body, &cursor, text);
}

int mm_babeltrace_line(struct mm_babeltrace *printer, const struct mm_event *event,
		       struct mm_text *out)
{
	char *at = mm_text_reserve(out, MM_BABELTRACE_TIME_ROOM + event->text_length);
	struct ctf_event native;

	if (!at || !ctf_event_of(event, &native))
		return -1;
	at = mm_babeltrace_put_time(&printer->time, at, event, &native);
	memcpy(at, event->text, event->text_length);
	out->length = (size_t)(at - out->data) + event->text_length;
	return 0;
}

void mm_babeltrace_lost(struct mm_babeltrace *printer, int64_t begin_ns)
{
	mm_babeltrace_time_lost(&printer->time, begin_ns);
}
