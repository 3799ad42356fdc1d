// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes a CTF 1.8 trace from metadata (for example of a recorded trace) and a script of events:
 *
 *   make-trace METADATA [--flush] [--state | --no-state] SCRIPT FOLDER      SCRIPT may be -
 *
 * A line of a script is one of
 *
 *   # comment
 *   declare EVENT...             only these event classes (default: all), before all else
 *   cpu N                        the following lines are for this CPU's stream
 *   packet seq=N discarded=N     a new packet, with its counters (default: the next number, no
 *                                further events discarded)
 *   begin N                      the start timestamp of the current CPU's next packet
 *   end N                        the end timestamp of the current CPU's packet
 *   NS EVENT FIELD=VALUE...      an event. Fields of the payload and of contexts, and of structures
 *                                in them, are named without the structure; other fields are 0; a
 *                                text may hold \xNN, the elements of an array are listed as A,B,C,
 *                                and an enumeration's value may be its labels, as A|B
 *   empty N                      a packet without events, which starts and ends at N
 *   cut N                        omits the current CPU's Nth packet
 *   truncate N                   removes N bytes at the end of the current CPU's stream
 *
 * With --state the trace has only the state dump's events, with --no-state only the others: a
 * recorder writes them to two traces. Both may be made from one script: events that a trace does
 * not declare are skipped.
 *
 * With --flush, the last packets of all streams end at the latest timestamp of the trace, as if the
 * session was stopped at that time, except packets with an `end` line.
 *
 * The metadata defines the layout. make-trace reads it with the parser under test; make-ctf is the
 * writer that shares no code with the readers.
 */
#include "tests/utils/make-trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WORDS 64

struct trace_writer writer;

void fail(const char *why, const char *what)
{
	fprintf(stderr, "make-trace: %s:%u: %s%s%s\n", writer.script, writer.line_number, why,
		what ? ": " : "", what ? what : "");
	exit(2);
}

FILE *create(const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", writer.folder, name);
	file = fopen(path, "w");
	if (!file)
		fail(strerror(errno), path);
	return file;
}

static void declare(char **words)
{
	size_t count = 0;

	while (words[count])
		event_named(words[count++]);
	writer.declared = calloc(count + 1, sizeof(*writer.declared));
	if (!writer.declared)
		fail("out of memory", NULL);
	for (size_t i = 0; i < count; i++)
		writer.declared[i] = strdup(words[i]);
}

static void new_packet(struct script_stream *stream, char **words)
{
	end_packet(stream);
	stream->seq = counter("seq", words, stream->seq);
	stream->discarded = counter("discarded", words, stream->discarded);
}

static void run(char *line, struct script_stream **stream)
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
		if (!strcmp(writer.script, "-"))
			fail("this comes too late on standard input", words[0]);
		declare(words + 1);
	} else if (count < 2) {
		fail("neither a command nor an event", words[0]);
	} else if (!strcmp(words[0], "cpu")) {
		*stream = &writer.streams[number(words[1]) % CPUS];
	} else if (!strcmp(words[0], "begin")) {
		(*stream)->next_begin = number(words[1]);
		(*stream)->begin_set = true;
	} else if (!strcmp(words[0], "end")) {
		(*stream)->end = number(words[1]);
		(*stream)->end_set = true;
	} else if (!strcmp(words[0], "empty")) {
		end_packet(*stream);
		begin_packet(*stream, number(words[1]));
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

/*
 * Reads the script twice, because the lines `declare` and `cut` determine the classes and packets
 * to write. Standard input can be read only once: there, these lines must come first, and the
 * written metadata declares all classes.
 */
static void read_script(const char *metadata)
{
	FILE *file = strcmp(writer.script, "-") ? fopen(writer.script, "r") : stdin;
	char line[4096];

	if (!file)
		fail(strerror(errno), NULL);
	for (int pass = file == stdin; pass < 2; pass++) {
		struct script_stream *stream = &writer.streams[0];

		if (pass) {
			writer.line_number = 0;
			write_metadata(metadata);
		}
		while (fgets(line, sizeof(line), file)) {
			bool declares = !strncmp(line, "declare", 7);

			writer.line_number++;
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

/* Ends the current packets at the latest timestamp of all streams. */
static void flush(void)
{
	uint64_t latest = 0;

	for (int cpu = 0; cpu < CPUS; cpu++) {
		const struct script_stream *stream = &writer.streams[cpu];

		if (stream->file && stream->last > latest)
			latest = stream->last;
	}
	for (int cpu = 0; cpu < CPUS; cpu++) {
		struct script_stream *stream = &writer.streams[cpu];

		if (!stream->bit || stream->end_set)
			continue;
		stream->end = latest;
		stream->end_set = true;
	}
}

int main(int argc, char **argv)
{
	size_t metadata_size;
	char *metadata;
	int at = 2;

	writer.flush = argc > 2 && !strcmp(argv[2], "--flush");
	at += writer.flush;
	if (argc > at && (!strcmp(argv[at], "--state") || !strcmp(argv[at], "--no-state")))
		writer.only_state = argv[at++] + 2;
	if (argc - at != 2) {
		fprintf(stderr,
			"usage: make-trace METADATA [--flush] [--state | --no-state] SCRIPT FOLDER\n");
		return 2;
	}
	writer.script = argv[1];
	metadata = read_whole(argv[1], &metadata_size);
	read_metadata(metadata, metadata_size, argv[1]);
	writer.trace->uuid[15] = (uint8_t)(writer.trace->uuid[15] -
					   (writer.only_state && *writer.only_state == 's'));
	writer.script = argv[at];
	writer.folder = argv[at + 1];
	mkdir(writer.folder, 0755);
	read_script(metadata);
	if (writer.flush)
		flush();
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (writer.streams[cpu].file)
			end_stream(&writer.streams[cpu]);
	for (char **each = writer.declared; each && *each; each++)
		free(*each);
	free(writer.declared);
	free(writer.slots);
	free(metadata);
	ctf_trace_class_destroy(writer.trace);
	return 0;
}
