/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Declarations shared by the files of make-trace: the trace that is written, its streams and its
 * fields.
 */
#ifndef LTTNG_MM_TESTS_UTILS_MAKE_TRACE_H
#define LTTNG_MM_TESTS_UTILS_MAKE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reader/ctf/metadata/metadata.h"

#define CPUS 4
#define PACKETS 64

struct script_stream {
	unsigned char *packet;
	uint64_t bit;		/* bit offset of the next field in the packet; 0: no packet */
	uint64_t head, content; /* header and context in bits; whole packet in bits, once it ends */
	uint64_t begin, last, seq, discarded;
	uint64_t next_begin, end;
	FILE *file;
	long truncate;
	unsigned int number;
	bool begin_set, end_set;
	bool cut[PACKETS];
};

/* The source of a field's value. */
struct value_source {
	char **words; /* FIELD=VALUE, NULL at the end */
	uint64_t time, id;
	const struct script_stream *packet; /* set only in packet headers and contexts */
};

/* The trace that is written. There is only one. */
struct trace_writer {
	const char *folder, *script, *only_state;
	bool flush;
	char **declared; /* NULL: all event classes */
	unsigned int line_number;
	struct ctf_trace_class *trace;
	const struct ctf_stream_class *class;
	uint64_t *slots; /* the last written lengths and selectors */
	struct script_stream streams[CPUS];
};
extern struct trace_writer writer;

/* make-trace.c. fail() prints @why with the line in the script, and exits. */
void fail(const char *why, const char *what) __attribute__((noreturn));
FILE *create(const char *name);

/* make-trace-fields.c */
uint64_t number(const char *text);
/* Returns the text after NAME= in @words, or NULL. */
const char *option(const char *name, char **words);
uint64_t counter(const char *name, char **words, uint64_t missing);
bool fits(const struct ctf_field *field, uint64_t value);
/* Returns the member of a variant that @selector selects. */
const struct ctf_member *chosen(const struct ctf_field *variant, uint64_t selector);
void align_to(struct script_stream *stream, uint64_t bits);
void put_field(struct script_stream *stream, const struct ctf_field *field,
	       const struct value_source *values, const char *text);

/* make-trace-packets.c */
void end_packet(struct script_stream *stream);
void begin_packet(struct script_stream *stream, uint64_t time);
/* Writes the event of a line NS EVENT FIELD=VALUE... */
void put_event(struct script_stream *stream, char **words);
/* Writes the rest of the stream and closes its file. */
void end_stream(struct script_stream *stream);

/* make-trace-metadata.c */
void read_metadata(const char *text, size_t size, const char *path);
/* Writes the metadata with only the declared event classes. */
void write_metadata(const char *text);
const struct ctf_event_class *event_named(const char *name);
bool is_declared(const char *name);

#endif /* LTTNG_MM_TESTS_UTILS_MAKE_TRACE_H */
