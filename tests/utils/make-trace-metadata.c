// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads the metadata with the parser under test, and writes it with only the events that the script
 * declares.
 */
#include "tests/utils/make-trace.h"

#include <stdlib.h>
#include <string.h>

bool is_declared(const char *name)
{
	bool found = !writer.declared;

	for (char **each = writer.declared; each && *each && !found; each++)
		found = !strcmp(*each, name);
	return found &&
	       (!writer.only_state || !strstr(name, "_statedump_") == (*writer.only_state == 'n'));
}

const struct ctf_event_class *event_named(const char *name)
{
	for (size_t i = 0; i < writer.class->event_count; i++)
		if (!strcmp(writer.class->events[i]->name, name))
			return writer.class->events[i];
	fail("the metadata declares no such event", name);
}

void read_metadata(const char *text, size_t size, const char *path)
{
	struct mm_error err = MM_ERROR_INIT;

	writer.trace = ctf_metadata_parse(text, size, path, &err);
	if (!writer.trace) {
		fprintf(stderr, "make-trace: %s\n", err.message);
		exit(2);
	}
	if (writer.trace->stream_count != 1)
		fail("not one stream class", path);
	writer.class = writer.trace->streams[0];
	if (!writer.trace->packet_header || !writer.class->packet_context ||
	    !writer.class->event_header || !writer.class->event_header->member_count)
		fail("packets or events without a header", path);
	writer.slots = calloc(writer.trace->slot_count + 1, sizeof(*writer.slots));
	if (!writer.slots)
		fail("out of memory", NULL);
}

/* Returns the end of the block that starts at @text. */
static const char *block_end(const char *text)
{
	int depth = 0;
	bool quoted = false;

	for (; *text; text++) {
		quoted ^= *text == '"';
		if (quoted)
			continue;
		depth += *text == '{';
		depth -= *text == '}';
		if (*text == ';' && !depth)
			return text[1] == '\n' ? text + 2 : text + 1;
	}
	return text;
}

/* Writes the metadata with only the declared event classes. */
void write_metadata(const char *text)
{
	FILE *file = create("metadata");
	bool uuid = false;

	while (*text) {
		const char *line_end = text + strcspn(text, "\n"), *at;
		char name[256];

		line_end += *line_end == '\n';
		if (!strncmp(text, "event {", 7) &&
		    sscanf(strstr(text, "name"), "name = \"%255[^\"]\"", name) == 1 &&
		    !is_declared(name)) {
			text = block_end(text);
			continue;
		}
		at = uuid ? NULL : strstr(text, "uuid = \"");
		if (at && at < line_end) {
			/* Traces with the same UUID would be one trace, so each gets a new UUID. */
			uuid = true;
			at += strlen("uuid = \"") + 34;
			fprintf(file, "%.*s%02x", (int)(at - text), text, writer.trace->uuid[15]);
			text = at + 2;
		}
		fwrite(text, 1, (size_t)(line_end - text), file);
		text = line_end;
	}
	fclose(file);
}
