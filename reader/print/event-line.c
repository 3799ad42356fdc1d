// SPDX-License-Identifier: LGPL-2.1-only
/* Prints event lines: thread, CPU, time, event name and formatted fields. */
#include "reader/print/event-line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reader/ctf/decode/event.h"
#include "reader/print/class-table.h"
#include "reader/print/event-format.h"
#include "reader/print/number.h"
#include "reader/sysinfo/file-match.h"
#include "util/escape.h"
#include "util/glob.h"
#include "util/time.h"

/* Enough room for everything before the fields, except names. */
#define PREFIX_ROOM 256
#define NS_PER_S 1000000000

/* Text for a thread without a name, as in ftrace. */
#define NO_NAME "<...>"

struct line_class {
	bool wanted, has_procname, has_tid, needs_slots;
	/* thread ids are in the initial PID namespace, so their names can be looked up */
	bool is_named;
	bool is_signed; /* the thread id is signed */
	unsigned int tid_at;
	struct mm_event_format format;
	struct mm_text_plan *plan; /* NULL: fields are read through the event's source */
	char *name;		   /* the event's name, escaped, with `: ` on both sides */
	size_t name_length;
};

struct mm_event_line {
	struct mm_names *names; /* NULL: numbers only */
	const char *events;
	mm_event_text_fn *find_text;
	enum mm_line_clock clock;
	const struct mm_selection *selection; /* NULL: all threads */
	const char *files;		      /* pattern; NULL: all files */
	const struct mm_sysinfo *sysinfo;     /* paths of files */
	struct mm_class_table classes;
};

static void destroy_class(void *value)
{
	struct line_class *class = value;

	mm_text_plan_destroy(class->plan);
	free(class->name);
	free(class);
}

static char *make_name(const char *raw, size_t *length)
{
	size_t size = strlen(raw) * 4 + 1;
	char *name = malloc(size + 4);

	if (!name)
		return NULL;
	*length = (size_t)sprintf(name, ": ");
	*length += mm_escape_terminal(name + *length, size, raw, strlen(raw));
	*length += (size_t)sprintf(name + *length, ": ");
	return name;
}

static void *make_class(void *user, const void *hint)
{
	const struct mm_event_line *line = user;
	const struct mm_event *event = hint;
	const struct mm_event_type *type = event->type;
	struct line_class *class = calloc(1, sizeof(*class));
	struct ctf_event native;

	if (!class)
		return NULL;
	class->wanted = mm_glob_match(line->events, type->name);
	class->has_procname = type->kinds[MM_NAMES_PROCNAME] == MM_KIND_STRING;
	class->tid_at = MM_NAMES_TID;
	if (type->kinds[MM_NAMES_CONTEXT_VTID] != MM_KIND_NONE)
		class->tid_at = MM_NAMES_CONTEXT_VTID;
	if (type->kinds[MM_NAMES_CONTEXT_TID] != MM_KIND_NONE)
		class->tid_at = MM_NAMES_CONTEXT_TID;
	class->is_signed = type->kinds[class->tid_at] == MM_KIND_SIGNED;
	class->has_tid = class->is_signed || type->kinds[class->tid_at] == MM_KIND_UNSIGNED;
	class->is_named = class->has_tid && class->tid_at != MM_NAMES_CONTEXT_VTID;
	if (line->names && mm_names_has_call_sites(line->names))
		class->format.names = line->names;
	class->format.text = line->find_text(type->name);
	class->format.has_procname = class->has_procname;
	class->format.has_tid = class->has_tid && class->tid_at == MM_NAMES_CONTEXT_TID;
	class->format.has_vtid = class->has_tid && class->tid_at == MM_NAMES_CONTEXT_VTID;
	if (type->request == MM_NAMES_OTHERS && class->format.text &&
	    class->format.text->in_argument_order)
		mm_argument_order_find(type, MM_NAMES_UNREAD, &class->format.order);
	class->name = make_name(type->name, &class->name_length);
	if (!class->name) {
		free(class);
		return NULL;
	}
	if (ctf_event_of(event, &native))
		class->plan = mm_event_format_plan(&class->format, native.class);
	class->needs_slots = class->plan && mm_text_plan_needs_slots(class->plan);
	return class;
}

struct mm_event_line *mm_event_line_create(struct mm_names *names, enum mm_line_clock clock,
					   const char *events, mm_event_text_fn *find_text)
{
	struct mm_event_line *line = calloc(1, sizeof(*line));

	if (!line)
		return NULL;
	line->names = names;
	line->clock = clock;
	line->events = events;
	line->find_text = find_text;
	mm_class_table_init(&line->classes, make_class, destroy_class, line);
	return line;
}

void mm_event_line_select(struct mm_event_line *line, const struct mm_selection *selection)
{
	line->selection = selection;
}

void mm_event_line_select_files(struct mm_event_line *line, const char *pattern,
				const struct mm_sysinfo *sysinfo)
{
	line->files = pattern;
	line->sysinfo = sysinfo;
}

void mm_event_line_destroy(struct mm_event_line *line)
{
	if (!line)
		return;
	mm_class_table_release(&line->classes);
	free(line);
}

static char *put_time(const struct mm_event_line *line, char *out, const struct mm_event *event)
{
	time_t seconds = event->time_ns / NS_PER_S;
	uint64_t us;
	struct tm tm;

	if (line->clock == MM_LINE_CLOCK_WALL && localtime_r(&seconds, &tm)) {
		out += strftime(out, 64, MM_TIME_DATE, &tm);
		*out++ = '.';
		out = mm_put_9_digits(out, (uint32_t)(event->time_ns % NS_PER_S));
		return out + mm_time_format_zone(out, tm.tm_gmtoff);
	}
	/* ftrace prints microseconds, rounded to the nearest one. */
	us = (event->clock_ns + 500) / 1000;
	out = mm_put_unsigned(out, us / 1000000);
	*out++ = '.';
	out = mm_put_9_digits(out, (uint32_t)(us % 1000000 * 1000));
	return out - 3;
}

static char *put_tid_and_cpu(const struct line_class *class, char *out,
			     const struct mm_event *event)
{
	*out++ = '-';
	if (!class->has_tid)
		*out++ = '?';
	else if (class->is_signed)
		out = mm_put_signed(out, event->fields[class->tid_at].i);
	else
		out = mm_put_unsigned(out, event->fields[class->tid_at].u);
	if (event->cpu == MM_CPU_UNKNOWN)
		return mempcpy(out, " [???] ", 7);
	out = mempcpy(out, " [", 2);
	out = mm_put_padded(out, event->cpu, event->cpu < 1000 ? 3 : mm_count_digits(event->cpu));
	return mempcpy(out, "] ", 2);
}

/* Appends a thread's name, which rarely needs escaping. */
__attribute__((always_inline)) static inline char *put_comm(char *out, const char *comm,
							    size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (comm[i] < ' ' || comm[i] >= 0x7f || comm[i] == '\\')
			return out + mm_escape_terminal(out, length * 4 + 1, comm, length);
		out[i] = comm[i];
	}
	return out + length;
}

static int append_prefix(const struct mm_event_line *line, const struct line_class *class,
			 const struct mm_event *event, struct mm_text *text)
{
	const char *comm = NULL;
	size_t length;
	char *out;

	if (class->has_procname)
		comm = event->fields[MM_NAMES_PROCNAME].s;
	else if (class->is_named && line->names)
		comm = mm_names_thread(line->names, event->fields[class->tid_at].i);
	if (!comm)
		comm = NO_NAME;
	length = strlen(comm);
	out = mm_text_reserve(text, length * 4 + class->name_length + PREFIX_ROOM);
	if (!out)
		return -1;
	out = put_comm(out, comm, length);
	out = put_tid_and_cpu(class, out, event);
	out = put_time(line, out, event);
	memcpy(out, class->name, class->name_length);
	text->length = (size_t)(out - text->data) + class->name_length;
	return 0;
}

/* Does the pattern match a file that the event is about? */
static bool is_of_file(const struct mm_event_line *line, const struct mm_event *event)
{
	static const char *const names[] = { "dev_major", "dev_minor", "ino" };
	enum { MAJOR, MINOR, INO, COUNT };
	uint64_t numbers[COUNT];
	unsigned int found = 0;
	struct mm_value value;
	const char *name;

	for (size_t i = 0; !mm_event_field_at(event, i, &name, &value); i++)
		for (unsigned int n = 0; n < COUNT; n++)
			if (value.kind == MM_KIND_UNSIGNED && !strcmp(name, names[n])) {
				numbers[n] = value.u;
				found |= 1u << n;
			}
	return found == (1u << COUNT) - 1 &&
	       mm_file_matches(line->sysinfo, line->files, (unsigned int)numbers[MAJOR],
			       (unsigned int)numbers[MINOR], numbers[INO]);
}

/*
 * Does the event belong to a selected thread? Idle threads all have the id 0, and are never
 * selected.
 */
static bool is_selected(const struct mm_event_line *line, const struct line_class *class,
			const struct mm_event *event)
{
	struct mm_selected_last last = { 0 };

	if (!line->selection)
		return true;
	return class->is_named &&
	       mm_selection_of(line->selection, (uint32_t)event->fields[class->tid_at].u, -1,
			       event->time_ns, &last) == MM_SELECTED;
}

int mm_event_line_render(struct mm_event_line *line, const struct mm_event *event,
			 struct mm_text *text)
{
	const struct line_class *class = mm_class_table_find(&line->classes, event->type, event);
	struct ctf_cursor cursor;
	struct ctf_event native;

	if (!class)
		return -1;
	if (!class->wanted || !is_selected(line, class, event) ||
	    (line->files && !is_of_file(line, event)))
		return 0;
	if (append_prefix(line, class, event, text))
		return -1;
	if (!class->plan || !ctf_event_of(event, &native))
		return mm_event_format_append(&class->format, event, text);
	if (class->needs_slots)
		ctf_event_cursor(&native, &cursor);
	else
		cursor = (struct ctf_cursor){ .data = native.packet->data,
					      .at = native.body,
					      .start = native.body,
					      .end = native.packet->content_bits };
	return mm_text_plan_run(class->plan, &cursor, text);
}

/*
 * Appends an event's line. If the thread's name was unknown when the event was rendered, or depends
 * on earlier events (exec), inserts the name that these events have stated.
 */
__attribute__((noinline)) static int put_seen(struct mm_event_line *line,
					      const struct mm_event *event, struct mm_text *text)
{
	static const char no_name[] = NO_NAME "-";
	const struct line_class *class;
	const char *comm = NULL;
	size_t length, skip = sizeof(NO_NAME) - 1;
	char *out;

	if (event->text_length > skip && !memcmp(event->text, no_name, sizeof(no_name) - 1)) {
		class = mm_class_table_find(&line->classes, event->type, event);
		if (class && class->is_named && !class->has_procname)
			comm = mm_names_seen_thread(line->names, event->fields[class->tid_at].i);
	}
	if (!comm) {
		comm = "";
		skip = 0;
	}
	length = strlen(comm);
	out = mm_text_reserve(text, length * 4 + event->text_length + 1);
	if (!out)
		return -1;
	out = put_comm(out, comm, length);
	out = mempcpy(out, event->text + skip, event->text_length - skip);
	text->length = (size_t)(out - text->data);
	return 0;
}

int mm_event_line_put(struct mm_event_line *line, const struct mm_event *event,
		      struct mm_text *text)
{
	char *out;

	if (event->text[0] == NO_NAME[0] && line->names && mm_names_has_seen(line->names))
		return put_seen(line, event, text);
	out = mm_text_reserve(text, event->text_length);
	if (!out)
		return -1;
	memcpy(out, event->text, event->text_length);
	text->length += event->text_length;
	return 0;
}
