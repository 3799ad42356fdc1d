// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes a CTF 1.8 trace from the metadata of one that was recorded, or of what no kernel can be
 * made to record, and a script of events:
 *
 *   make-trace METADATA [--state | --no-state] SCRIPT FOLDER      SCRIPT may be -
 *
 * A line of a script is one of
 *
 *   # comment
 *   declare EVENT...             only these event classes (default: all), before all else
 *   cpu N                        what follows goes to this CPU's stream
 *   packet seq=N discarded=N     a new packet, with its counters (default: the next number, as many
 *                                discarded)
 *   begin N                      the current CPU's next packet begins then
 *   end N                        the current CPU's packet ends then
 *   NS EVENT FIELD=VALUE...      an event. Fields of the payload and of contexts, and of structures
 *                                in them, are named without the structure; those that are not named
 *                                are 0; a text may hold \xNN, and the elements of an array are
 *                                listed as A,B,C
 *   cut N                        leaves the current CPU's Nth packet out
 *   truncate N                   cuts N bytes off the current CPU's stream, at the end
 *
 * With --state only the state dump's events are in the trace, with --no-state only the others: a
 * recorder has them in two. Of both the script may be one: what the trace does not declare is
 * passed over.
 *
 * The metadata says how everything is laid out. It is read by the parser that is tested: the writer
 * that shares nothing with the readers is make-ctf.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/ctf/metadata/metadata.h"

#define CPUS 4
#define PACKETS 64
#define PACKET_BYTES (1u << 20)
#define SLACK_BYTES (1u << 16) /* no event is larger */
#define WORDS 64

static struct stream {
	unsigned char *packet;
	uint64_t bit;		/* the packet's next; 0: no packet */
	uint64_t head, content; /* bits of header and context; of the whole packet, at its end */
	uint64_t begin, last, seq, discarded;
	uint64_t next_begin, end;
	FILE *file;
	long truncate;
	unsigned int number;
	bool begin_set, end_set;
	bool cut[PACKETS];
} streams[CPUS];

/* What a field gets its value from. */
struct values {
	char **words; /* FIELD=VALUE, NULL at the end */
	uint64_t time, id;
	const struct stream *packet; /* of a packet's header and context, else NULL */
};

static const char *folder, *script, *only_state;
static char **declared;
static unsigned int line_number;
static struct ctf_trace_class *trace;
static const struct ctf_stream_class *class;
/* Lengths and selectors that were written last. */
static uint64_t *slots;

static void fail(const char *why, const char *what)
{
	fprintf(stderr, "make-trace: %s:%u: %s%s%s\n", script, line_number, why, what ? ": " : "",
		what ? what : "");
	exit(2);
}

static FILE *create(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		fail(strerror(errno), path);
	return file;
}

/* --- bits --- */

/* In bytes that are zero so far. */
static void put_bits(struct stream *stream, uint64_t value, unsigned int bits, bool big_endian)
{
	unsigned char *packet = stream->packet;
	uint64_t bit = stream->bit;

	stream->bit += bits;
	if (big_endian) {
		for (; bits; bits--, bit++)
			packet[bit / 8] |=
				(unsigned char)((value >> (bits - 1) & 1) << (7 - bit % 8));
		return;
	}
	while (bits) {
		unsigned int at = bit % 8, take = bits < 8 - at ? bits : 8 - at;

		packet[bit / 8] |= (unsigned char)((value & (0xffu >> (8 - take))) << at);
		value >>= take;
		bits -= take;
		bit += take;
	}
}

static void align_to(struct stream *stream, uint64_t bits)
{
	stream->bit = (stream->bit + bits - 1) / bits * bits;
}

/* --- values --- */

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (end == text || (*end && *end != ',') || errno)
		fail("not a number", text);
	return value;
}

static const char *option(const char *name, char **words)
{
	size_t length = strlen(name);

	for (; *words; words++)
		if (!strncmp(*words, name, length) && (*words)[length] == '=')
			return *words + length + 1;
	return NULL;
}

static uint64_t counter(const char *name, char **words, uint64_t missing)
{
	const char *text = option(name, words);

	return text ? number(text) : missing;
}

static uint64_t elements(const char *list)
{
	uint64_t count = *list != '\0';

	for (; *list; list++)
		count += *list == ',';
	return count;
}

/* The value that a field has because of its role; those of packets. */
static uint64_t packet_value(const struct ctf_field *field, const struct stream *stream)
{
	uint64_t index = (uint64_t)(stream - streams);

	if (field->roles & CTF_ROLE_MAGIC)
		return 0xc1fc1fc1;
	if (field->roles & CTF_ROLE_STREAM_CLASS_ID)
		return class->id;
	if (field->roles & CTF_ROLE_STREAM_ID)
		return index;
	if (field->roles & CTF_ROLE_TIME)
		return stream->begin;
	if (field->roles & CTF_ROLE_PACKET_END_TIME)
		return stream->end_set ? stream->end : stream->last;
	if (field->roles & CTF_ROLE_CONTENT_SIZE)
		return stream->content;
	if (field->roles & CTF_ROLE_PACKET_SIZE)
		return (stream->content + 7) / 8 * 8;
	if (field->roles & CTF_ROLE_PACKET_SEQ)
		return stream->seq;
	if (field->roles & CTF_ROLE_DISCARDED)
		return stream->discarded;
	return field->roles & CTF_ROLE_CPU_ID ? index : 0;
}

static bool fits(const struct ctf_field *field, uint64_t value)
{
	int64_t high = (int64_t)value >> (field->size - 1);

	if (field->kind == CTF_SIGNED)
		return !high || high == -1;
	return field->size == 64 || !(value >> field->size);
}

/* --- fields --- */

static void put_field(struct stream *stream, const struct ctf_field *field,
		      const struct values *values, const char *text);

static void put_integer(struct stream *stream, const struct ctf_field *field,
			const struct values *values, const char *text)
{
	uint64_t value = text ? number(text) : 0;

	if (values->packet)
		value = packet_value(field, values->packet);
	else if (field->roles & CTF_ROLE_EVENT_CLASS_ID)
		value = values->id;
	else if (field->roles & CTF_ROLE_TIME)
		value = field->size < 64 ? values->time & ((UINT64_C(1) << field->size) - 1)
					 : values->time;
	if (!fits(field, value))
		fail("a value that its field does not hold", text);
	if (field->keep_slot >= 0)
		slots[field->keep_slot] = value;
	put_bits(stream, value, field->size, field->big_endian);
}

/* The bytes of a text, the terminator of a string included; so many of a static one. */
static void put_text(struct stream *stream, const struct ctf_field *field, const char *text)
{
	uint64_t length = field->kind == CTF_STATIC_STRING ? field->length : UINT64_MAX;
	unsigned int byte;

	for (; text && *text && length; length--) {
		if (sscanf(text, "\\x%2x", &byte) == 1)
			text += 4;
		else
			byte = (unsigned char)*text++;
		put_bits(stream, byte, 8, false);
	}
	if (field->kind == CTF_STRING)
		length = 1;
	stream->bit += 8 * length;
}

static void put_elements(struct stream *stream, const struct ctf_field *field,
			 const struct values *values, const char *text)
{
	uint64_t length = field->kind == CTF_STATIC_ARRAY ? field->length : slots[field->ref_slot];

	while (length--) {
		put_field(stream, field->element, values, text && *text ? text : NULL);
		text = text ? strchr(text, ',') : NULL;
		text += !!text;
	}
}

/* A length that the script does not give is that of the list it does give. */
static const char *length_of(const struct ctf_field *structure, const struct ctf_field *length,
			     const struct values *values)
{
	static char text[24];

	for (size_t i = 0; i < structure->member_count; i++) {
		const struct ctf_member *member = &structure->members[i];
		const char *list = option(member->name, values->words);

		if (!list || !member->field->ref_count || member->field->refs[0] != length)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64, elements(list));
		return text;
	}
	return NULL;
}

static const struct ctf_member *chosen(const struct ctf_field *variant, uint64_t selector)
{
	for (size_t i = 0; i < variant->member_count; i++)
		for (size_t j = 0; j < variant->members[i].range_count; j++)
			if (selector >= variant->members[i].ranges[j].lower.u &&
			    selector <= variant->members[i].ranges[j].upper.u)
				return &variant->members[i];
	fail("no option of a variant has that selector", NULL);
	return NULL;
}

static void put_members(struct stream *stream, const struct ctf_field *field,
			const struct values *values)
{
	for (size_t i = 0; i < field->member_count; i++) {
		const struct ctf_member *member = &field->members[i];
		const char *text = option(member->name, values->words);

		if (!text && member->field->keep_slot >= 0)
			text = length_of(field, member->field, values);
		put_field(stream, member->field, values, text);
	}
}

static void put_field(struct stream *stream, const struct ctf_field *field,
		      const struct values *values, const char *text)
{
	align_to(stream, field->align);
	switch (field->kind) {
	case CTF_UNSIGNED:
	case CTF_SIGNED:
		put_integer(stream, field, values, text);
		break;
	case CTF_STRING:
	case CTF_STATIC_STRING:
		put_text(stream, field, text);
		break;
	case CTF_STATIC_BLOB:
		for (size_t i = 0; i < field->length; i++)
			put_bits(stream, field->roles & CTF_ROLE_UUID ? trace->uuid[i % 16] : 0, 8,
				 false);
		break;
	case CTF_STATIC_ARRAY:
	case CTF_DYNAMIC_ARRAY:
		put_elements(stream, field, values, text);
		break;
	case CTF_STRUCT:
		put_members(stream, field, values);
		break;
	case CTF_VARIANT:
		put_field(stream, chosen(field, slots[field->ref_slot])->field, values, text);
		break;
	default:
		fail("a field of a kind that is not written", NULL);
	}
}

/* --- packets --- */

/* Header and context, over the zeros at the packet's start. */
static void put_head(struct stream *stream)
{
	const struct values values = { .words = (char *[]){ NULL }, .packet = stream };

	stream->bit = 0;
	put_field(stream, trace->packet_header, &values, NULL);
	put_field(stream, class->packet_context, &values, NULL);
}

static void end_packet(struct stream *stream)
{
	uint64_t bytes = (stream->bit + 7) / 8;

	if (!stream->bit)
		return;
	/* Its sizes and times are known now. */
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

static void begin_packet(struct stream *stream, uint64_t time)
{
	char name[32];

	if (!stream->file) {
		snprintf(name, sizeof(name), "channel_%d", (int)(stream - streams));
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

/* The value of an integer that chooses another option than the one that @id chooses. */
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
 * The event header's first id: the class's, or, where LTTng's compact form has no room for id or
 * time, the value that chooses the form with both.
 */
static uint64_t header_id(const struct stream *stream, uint64_t time, uint64_t id)
{
	const struct ctf_field *header = class->event_header, *variant, *compact;

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

static void put_header(struct stream *stream, struct values *values, uint64_t id)
{
	const struct ctf_field *header = class->event_header;

	align_to(stream, header->align);
	values->id = header_id(stream, values->time, id);
	put_field(stream, header->members[0].field, values, NULL);
	values->id = id;
	for (size_t i = 1; i < header->member_count; i++)
		put_field(stream, header->members[i].field, values, NULL);
}

/* --- events --- */

static bool is_declared(const char *name)
{
	bool found = !declared;

	for (char **each = declared; each && *each && !found; each++)
		found = !strcmp(*each, name);
	return found && (!only_state || !strstr(name, "_statedump_") == (*only_state == 'n'));
}

static const struct ctf_event_class *event_named(const char *name)
{
	for (size_t i = 0; i < class->event_count; i++)
		if (!strcmp(class->events[i]->name, name))
			return class->events[i];
	fail("the metadata declares no such event", name);
	return NULL;
}

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

		if (!has_field(class->common_context, *words, length) &&
		    !has_field(event->specific_context, *words, length) &&
		    !has_field(event->payload, *words, length))
			fail("the event has no such field", *words);
	}
}

static void put_event(struct stream *stream, char **words)
{
	struct values values = { .words = words + 2, .time = number(words[0]) };
	const struct ctf_event_class *event = event_named(words[1]);
	const struct ctf_field *parts[] = { class->common_context, event->specific_context,
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

/* --- script --- */

static void declare(char **words)
{
	size_t count = 0;

	while (words[count])
		event_named(words[count++]);
	declared = calloc(count + 1, sizeof(*declared));
	if (!declared)
		fail("out of memory", NULL);
	for (size_t i = 0; i < count; i++)
		declared[i] = strdup(words[i]);
}

static void new_packet(struct stream *stream, char **words)
{
	end_packet(stream);
	stream->seq = counter("seq", words, stream->seq);
	stream->discarded = counter("discarded", words, stream->discarded);
}

static void run(char *line, struct stream **stream)
{
	char *words[WORDS], *rest;
	size_t count = 0;

	for (char *word = strtok_r(line, " \t\n", &rest); word && count < WORDS - 1;
	     word = strtok_r(NULL, " \t\n", &rest))
		words[count++] = word;
	words[count] = NULL;
	if (!count || words[0][0] == '#')
		return;
	if (!strcmp(words[0], "packet")) {
		new_packet(*stream, words + 1);
	} else if (!strcmp(words[0], "declare")) {
		if (!strcmp(script, "-"))
			fail("this comes too late on standard input", words[0]);
		declare(words + 1);
	} else if (count < 2) {
		fail("neither a command nor an event", words[0]);
	} else if (!strcmp(words[0], "cpu")) {
		*stream = &streams[number(words[1]) % CPUS];
	} else if (!strcmp(words[0], "begin")) {
		(*stream)->next_begin = number(words[1]);
		(*stream)->begin_set = true;
	} else if (!strcmp(words[0], "end")) {
		(*stream)->end = number(words[1]);
		(*stream)->end_set = true;
	} else if (!strcmp(words[0], "cut")) {
		(*stream)->cut[number(words[1]) % PACKETS] = true;
	} else if (!strcmp(words[0], "truncate")) {
		(*stream)->truncate = (long)number(words[1]);
	} else {
		put_event(*stream, words);
	}
}

static char *read_whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	size_t room = 1 << 20, count;
	char *text = malloc(room);

	for (*size = 0; file && text; *size += count) {
		if (*size + 1 == room)
			text = realloc(text, room *= 2);
		count = text ? fread(text + *size, 1, room - *size - 1, file) : 0;
		if (!count)
			break;
	}
	if (!file || !text || ferror(file))
		fail(strerror(errno), path);
	text[*size] = '\0';
	fclose(file);
	return text;
}

/* Behind the block that begins at @text. */
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

/* As it was read, without the event classes that are not declared. */
static void write_metadata(const char *text)
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
			/* Traces of one UUID are one trace. */
			uuid = true;
			at += strlen("uuid = \"") + 34;
			fprintf(file, "%.*s%02x", (int)(at - text), text, trace->uuid[15]);
			text = at + 2;
		}
		fwrite(text, 1, (size_t)(line_end - text), file);
		text = line_end;
	}
	fclose(file);
}

/*
 * Twice, where that is possible: what is left out has to be known before it is written. Of standard
 * input it is where it comes first, and all event classes are declared.
 */
static void read_script(const char *metadata)
{
	FILE *file = strcmp(script, "-") ? fopen(script, "r") : stdin;
	char line[4096];

	if (!file)
		fail(strerror(errno), NULL);
	for (int pass = file == stdin; pass < 2; pass++) {
		struct stream *stream = &streams[0];

		if (pass) {
			line_number = 0;
			write_metadata(metadata);
		}
		while (fgets(line, sizeof(line), file)) {
			bool declares = !strncmp(line, "declare", 7);

			line_number++;
			if (pass ? !declares || file == stdin
				 : declares || !strncmp(line, "cpu", 3) || !strncmp(line, "cut", 3))
				run(line, &stream);
		}
		if (!pass)
			rewind(file);
	}
	if (file != stdin)
		fclose(file);
}

static void read_metadata(const char *text, size_t size, const char *path)
{
	struct mm_error err = MM_ERROR_INIT;

	trace = ctf_metadata_parse(text, size, path, &err);
	if (!trace) {
		fprintf(stderr, "make-trace: %s\n", err.message);
		exit(2);
	}
	if (trace->stream_count != 1)
		fail("not one stream class", path);
	class = trace->streams[0];
	if (!trace->packet_header || !class->packet_context || !class->event_header ||
	    !class->event_header->member_count)
		fail("packets or events without a header", path);
	slots = calloc(trace->slot_count + 1, sizeof(*slots));
	if (!slots)
		fail("out of memory", NULL);
}

static void end_stream(struct stream *stream)
{
	end_packet(stream);
	if (fflush(stream->file) ||
	    (stream->truncate &&
	     ftruncate(fileno(stream->file), ftell(stream->file) - stream->truncate)) ||
	    fclose(stream->file))
		fail(strerror(errno), folder);
	free(stream->packet);
}

int main(int argc, char **argv)
{
	size_t metadata_size;
	char *metadata;
	int at = 2;

	if (argc > 2 && (!strcmp(argv[2], "--state") || !strcmp(argv[2], "--no-state")))
		only_state = argv[at++] + 2;
	if (argc - at != 2) {
		fprintf(stderr,
			"usage: make-trace METADATA [--state | --no-state] SCRIPT FOLDER\n");
		return 2;
	}
	script = argv[1];
	metadata = read_whole(argv[1], &metadata_size);
	read_metadata(metadata, metadata_size, argv[1]);
	trace->uuid[15] = (uint8_t)(trace->uuid[15] - (only_state && *only_state == 's'));
	script = argv[at];
	folder = argv[at + 1];
	mkdir(folder, 0755);
	read_script(metadata);
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (streams[cpu].file)
			end_stream(&streams[cpu]);
	for (char **each = declared; each && *each; each++)
		free(*each);
	free(declared);
	free(slots);
	free(metadata);
	ctf_trace_class_destroy(trace);
	return 0;
}
