// SPDX-License-Identifier: LGPL-2.1-only
/* Writes packets and their events. */
#include "tests/utils/make-trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKET_BYTES (1u << 20)
#define SLACK_BYTES (1u << 16) /* no event is larger */

/* --- packets --- */

/* Writes header and context over the zeros at the packet's start. */
static void put_head(struct script_stream *stream)
{
	const struct value_source values = { .words = (char *[]){ NULL }, .packet = stream };

	stream->bit = 0;
	put_field(stream, writer.trace->packet_header, &values, NULL);
	put_field(stream, writer.class->packet_context, &values, NULL);
}

void end_packet(struct script_stream *stream)
{
	uint64_t bytes = (stream->bit + 7) / 8;

	if (!stream->bit)
		return;
	/* The sizes and timestamps are known now, so write the header again. */
	stream->content = stream->bit;
	memset(stream->packet, 0, stream->head / 8);
	put_head(stream);
	if (stream->number >= PACKETS || !stream->cut[stream->number])
		fwrite(stream->packet, 1, bytes, stream->file);
	stream->number++;
	memset(stream->packet, 0, bytes);
	stream->bit = 0;
	stream->seq++;
	stream->end_set = false;
}

void begin_packet(struct script_stream *stream, uint64_t time)
{
	char name[32];

	if (!stream->file) {
		snprintf(name, sizeof(name), "channel_%d", (int)(stream - writer.streams));
		stream->file = create(name);
		stream->packet = calloc(1, (size_t)PACKET_BYTES + SLACK_BYTES);
		if (!stream->packet)
			fail("out of memory", NULL);
	}
	stream->begin = stream->begin_set ? stream->next_begin : time;
	stream->begin_set = false;
	stream->last = stream->begin;
	put_head(stream);
	stream->head = stream->bit;
	if (stream->head % 8)
		fail("a packet context that ends within a byte", NULL);
}

/* Returns a selector of another option than the option that @id selects. */
static uint64_t other_selector(const struct ctf_field *variant, uint64_t id)
{
	for (size_t i = 0; i < variant->member_count; i++) {
		const struct ctf_range *range = variant->members[i].ranges;

		if (id < range->lower.u || id > range->upper.u)
			return range->upper.u;
	}
	return id;
}

/*
 * Returns the first id of the event header: the class's id or, if LTTng's compact form has no room
 * for id or timestamp, the value that selects the extended form.
 */
static uint64_t header_id(const struct script_stream *stream, uint64_t time, uint64_t id)
{
	const struct ctf_field *header = writer.class->event_header, *variant, *compact;

	if (header->member_count < 2 || header->members[1].field->kind != CTF_VARIANT)
		return id;
	variant = header->members[1].field;
	if (!fits(header->members[0].field, id) || id == variant->members[1].ranges[0].lower.u)
		return variant->members[1].ranges[0].upper.u;
	compact = chosen(variant, id)->field->members[0].field;
	return compact->size < 64 && (time - stream->last) >> compact->size
		       ? other_selector(variant, id)
		       : id;
}

static void put_header(struct script_stream *stream, struct value_source *values, uint64_t id)
{
	const struct ctf_field *header = writer.class->event_header;

	align_to(stream, header->align);
	values->id = header_id(stream, values->time, id);
	put_field(stream, header->members[0].field, values, NULL);
	values->id = id;
	for (size_t i = 1; i < header->member_count; i++)
		put_field(stream, header->members[i].field, values, NULL);
}

/* --- events --- */

static bool has_field(const struct ctf_field *structure, const char *word, size_t length)
{
	for (size_t i = 0; structure && i < structure->member_count; i++) {
		const struct ctf_member *member = &structure->members[i];

		if (!strncmp(member->name, word, length) && !member->name[length])
			return true;
		if (member->field->kind == CTF_STRUCT && has_field(member->field, word, length))
			return true;
	}
	return false;
}

static void check_words(const struct ctf_event_class *event, char **words)
{
	for (; *words; words++) {
		size_t length = strcspn(*words, "=");

		if (!has_field(writer.class->common_context, *words, length) &&
		    !has_field(event->specific_context, *words, length) &&
		    !has_field(event->payload, *words, length))
			fail("the event has no such field", *words);
	}
}

void put_event(struct script_stream *stream, char **words)
{
	struct value_source values = { .words = words + 2, .time = number(words[0]) };
	const struct ctf_event_class *event = event_named(words[1]);
	const struct ctf_field *parts[] = { writer.class->common_context, event->specific_context,
					    event->payload };

	check_words(event, values.words);
	if (!is_declared(event->name))
		return;
	if (stream->bit / 8 > PACKET_BYTES)
		end_packet(stream);
	if (!stream->bit)
		begin_packet(stream, values.time);
	put_header(stream, &values, event->id);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i])
			put_field(stream, parts[i], &values, NULL);
	stream->last = values.time;
}

void end_stream(struct script_stream *stream)
{
	end_packet(stream);
	if (fflush(stream->file) ||
	    (stream->truncate &&
	     ftruncate(fileno(stream->file), ftell(stream->file) - stream->truncate)) ||
	    fclose(stream->file))
		fail(strerror(errno), writer.folder);
	free(stream->packet);
}
