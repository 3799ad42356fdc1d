// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads ftrace's raw ring-buffer pages, or babeltrace2's text. Events have the same form in both
 * cases.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace-events.h"

enum {
	PAGE = 4096,
	PAGE_HEADER = 16, /* u64 time stamp, u64 committed bytes and flags */
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
	FORMATS = 64,
};

struct format_field {
	char name[32];
	unsigned int offset, size;
	bool is_signed;
};

struct format {
	char name[48];
	unsigned int id, fields;
	struct format_field field[TRACE_EVENT_FIELDS];
};

static struct trace_event *add_event(struct trace_events *events)
{
	if (events->count == events->room) {
		size_t room = events->room ? events->room * 2 : 1024;
		struct trace_event *grown = realloc(events->event, room * sizeof(*grown));

		if (!grown)
			return NULL;
		events->event = grown;
		events->room = room;
	}
	memset(&events->event[events->count], 0, sizeof(events->event[0]));
	events->event[events->count].sequence = events->count;
	return &events->event[events->count++];
}

static void add_field(struct trace_event *event, const char *name, uint64_t value)
{
	struct trace_field *field;

	if (event->fields == TRACE_EVENT_FIELDS)
		return;
	field = &event->field[event->fields++];
	snprintf(field->name, sizeof(field->name), "%s", name);
	field->value = value;
}

static int by_time(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static void sort_events(struct trace_events *events)
{
	if (events->count)
		qsort(events->event, events->count, sizeof(events->event[0]), by_time);
}

/* One line of a format file: "\tfield:unsigned long ino;\toffset:8;\tsize:8;\tsigned:0;" */
static void parse_format_line(struct format *format, const char *line)
{
	struct format_field *field = &format->field[format->fields];
	const char *start, *end;
	int is_signed;

	start = strstr(line, "field:");
	end = start ? strchr(start, ';') : NULL;
	if (!end || sscanf(end, "; offset:%u; size:%u; signed:%d;", &field->offset, &field->size,
			   &is_signed) != 3)
		return;
	for (start = end; start[-1] != ' ' && start[-1] != '*'; start--)
		;
	if (format->fields == TRACE_EVENT_FIELDS - 1 || !strncmp(start, "common_", 7))
		return;
	snprintf(field->name, sizeof(field->name), "%.*s", (int)(end - start), start);
	field->is_signed = is_signed;
	format->fields++;
}

static int load_format(struct format *format, const char *dir, const char *name)
{
	char path[600], line[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/formats/%s", dir, name);
	file = fopen(path, "r");
	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	memset(format, 0, sizeof(*format));
	snprintf(format->name, sizeof(format->name), "%.47s", name);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "ID: %u", &format->id) != 1 && strchr(line, '\t'))
			parse_format_line(format, line);
	}
	fclose(file);
	return format->id ? 0 : -1;
}

static int load_formats(struct format *formats, const char *dir)
{
	char path[512];
	struct dirent *entry;
	int count = 0;
	DIR *open_dir;

	snprintf(path, sizeof(path), "%s/formats", dir);
	open_dir = opendir(path);
	if (!open_dir) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	while ((entry = readdir(open_dir)) && count >= 0 && count < FORMATS) {
		if (entry->d_name[0] == '.')
			continue;
		if (load_format(&formats[count], dir, entry->d_name) < 0)
			count = -1;
		else
			count++;
	}
	closedir(open_dir);
	return count;
}

static uint64_t read_number(const unsigned char *at, unsigned int size, bool is_signed)
{
	uint64_t value = 0;

	memcpy(&value, at, size < sizeof(value) ? size : sizeof(value));
	if (is_signed && size < 8 && (value >> (size * 8 - 1)))
		value |= ~0ULL << (size * 8);
	return value;
}

/* Every record starts with u16 id, u8 flags, u8 preempt count, s32 pid. */
static int add_record(struct trace_events *events, const struct format *formats, int count,
		      const unsigned char *data, size_t size, uint64_t time, unsigned int cpu)
{
	uint16_t id;
	int32_t tid;

	if (size < 8)
		return 0;
	memcpy(&id, data, sizeof(id));
	memcpy(&tid, data + 4, sizeof(tid));
	for (int i = 0; i < count; i++) {
		struct trace_event *event;

		if (formats[i].id != id)
			continue;
		event = add_event(events);
		if (!event)
			return -1;
		snprintf(event->name, sizeof(event->name), "%s", formats[i].name);
		event->time_ns = time;
		event->cpu = cpu;
		event->tid = tid;
		for (unsigned int f = 0; f < formats[i].fields; f++) {
			const struct format_field *field = &formats[i].field[f];

			if (field->offset + field->size <= size)
				add_field(event, field->name,
					  read_number(data + field->offset, field->size,
						      field->is_signed));
		}
		return 0;
	}
	return 0; /* an event that is not compared */
}

static int read_page(struct trace_events *events, const struct format *formats, int count,
		     const unsigned char *page, unsigned int cpu)
{
	uint64_t time, commit;
	size_t at = PAGE_HEADER, end;

	memcpy(&time, page, sizeof(time));
	memcpy(&commit, page + 8, sizeof(commit));
	end = PAGE_HEADER + (commit & 0xfffff);
	if (commit & (1ULL << 31))
		events->lost++;
	while (at + 4 <= end && end <= PAGE) {
		uint32_t header, next = 0;
		size_t data, size;

		memcpy(&header, page + at, sizeof(header));
		if (at + 8 <= end)
			memcpy(&next, page + at + 4, sizeof(next));
		switch (header & 31) {
		case TYPE_PADDING:
			if (!(header >> 5))
				return 0; /* the page has no more events */
			at += 4 + next;
			continue;
		case TYPE_TIME_EXTEND:
			time += (header >> 5) + ((uint64_t)next << 27);
			at += 8;
			continue;
		case TYPE_TIME_STAMP:
			/* the record has 59 bits; the page has the top bits */
			time = (time & ~((1ULL << 59) - 1)) | ((uint64_t)next << 27) |
			       (header >> 5);
			at += 8;
			continue;
		case 0:
			data = at + 8;
			size = next - 4;
			break;
		default:
			data = at + 4;
			size = (size_t)(header & 31) * 4;
			break;
		}
		time += header >> 5;
		if (data + size > end) {
			fprintf(stderr, "a record exceeds its page\n");
			return -1;
		}
		if (add_record(events, formats, count, page + data, size, time, cpu) < 0)
			return -1;
		at = data + size;
	}
	return 0;
}

int trace_events_load_ftrace(struct trace_events *events, const char *dir)
{
	struct format *formats = calloc(FORMATS, sizeof(*formats));
	unsigned char page[PAGE];
	int count, ret = -1;

	memset(events, 0, sizeof(*events));
	count = formats ? load_formats(formats, dir) : -1;
	if (count <= 0)
		goto end;
	for (unsigned int cpu = 0; cpu < 256; cpu++) {
		char path[512];
		FILE *file;

		snprintf(path, sizeof(path), "%s/cpu%u.raw", dir, cpu);
		file = fopen(path, "rb");
		if (!file)
			continue;
		ret = 0;
		while (ret == 0 && fread(page, sizeof(page), 1, file) == 1)
			ret = read_page(events, formats, count, page, cpu);
		fclose(file);
		if (ret < 0)
			goto end;
	}
	if (ret < 0)
		fprintf(stderr, "%s: no cpu<N>.raw\n", dir);
	sort_events(events);
end:
	free(formats);
	return ret;
}

/* Parses "name = value" pairs; nested braces only group. Returns the rest after the value. */
static const char *parse_value(const char *at, uint64_t *value)
{
	const char *container;

	if (*at == '(') { /* ( "A" | "B" : container = 3 ) */
		const char *close = strchr(at, ')');

		container = strstr(at, "container = ");
		if (!close || !container || container > close)
			return at + 1;
		*value = strtoull(container + 12, NULL, 0);
		return close + 1;
	}
	if (*at == '"') {
		const char *close = strchr(at + 1, '"');

		*value = 0;
		return close ? close + 1 : at + 1;
	}
	*value = *at == '-' ? (uint64_t)strtoll(at, NULL, 0) : strtoull(at, NULL, 0);
	return at + strcspn(at, ", }\n");
}

/* "[0000012345] host dax_pte_fault: { cpu_id = 1 }, { tid = 3, ino = 0x10 }" */
static int parse_line(struct trace_events *events, const char *line)
{
	const char *at = strchr(line, '['), *body = strstr(line, ": { ");
	const char *name = body;
	struct trace_event *event;

	if (!at || !body)
		return 0;
	while (name > line && name[-1] != ' ')
		name--;
	event = add_event(events);
	if (!event)
		return -1;
	event->time_ns = strtoull(at + 1, NULL, 10);
	snprintf(event->name, sizeof(event->name), "%.*s", (int)(body - name), name);
	for (at = body; *at;) {
		const char *word = at, *equals;
		char field[32];
		uint64_t value = 0;

		if (!isalpha((unsigned char)*at) && *at != '_') {
			at++;
			continue;
		}
		while (isalnum((unsigned char)*at) || *at == '_')
			at++;
		equals = at;
		if (strncmp(equals, " = ", 3))
			continue;
		if (equals[3] == '{') {
			at = equals + 4;
			continue;
		}
		snprintf(field, sizeof(field), "%.*s", (int)(equals - word), word);
		at = parse_value(equals + 3, &value);
		if (!strcmp(field, "cpu_id"))
			event->cpu = (unsigned int)value;
		else if (!strcmp(field, "tid"))
			event->tid = (int)value;
		else
			add_field(event, field, value);
	}
	return 0;
}

int trace_events_load_text(struct trace_events *events, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	memset(events, 0, sizeof(*events));
	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	while (ret == 0 && getline(&line, &room, file) > 0)
		ret = parse_line(events, line);
	free(line);
	fclose(file);
	sort_events(events);
	return ret;
}

void trace_events_free(struct trace_events *events)
{
	free(events->event);
	memset(events, 0, sizeof(*events));
}

static const struct trace_field *find_field(const struct trace_event *event, const char *name)
{
	for (unsigned int i = 0; i < event->fields; i++)
		if (!strcmp(event->field[i].name, name))
			return &event->field[i];
	return NULL;
}

uint64_t trace_event_get(const struct trace_event *event, const char *name)
{
	const struct trace_field *field = find_field(event, name);

	return field ? field->value : 0;
}

bool trace_event_has(const struct trace_event *event, const char *name)
{
	return find_field(event, name) != NULL;
}

uint64_t trace_event_device(const struct trace_event *event)
{
	if (trace_event_has(event, "dev"))
		return trace_event_get(event, "dev");
	return trace_event_get(event, "dev_major") << 20 | trace_event_get(event, "dev_minor");
}
