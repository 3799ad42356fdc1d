// SPDX-License-Identifier: LGPL-2.1-only
/* Fuzz target: metadata in any format. */
#include "reader/ctf/metadata/metadata.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

/* Checks the invariants of a finished field class. */
static void check(const struct ctf_field *field, unsigned int depth)
{
	if (!field)
		return;
	if (depth > CTF_DEPTH_MAX || !field->align || field->align & (field->align - 1) ||
	    field->path || (field->fixed && field->size > field->fixed_bits))
		abort();
	for (size_t i = 0; i < field->ref_count; i++)
		if (field->refs[i]->keep_slot != field->ref_slot)
			abort();
	for (size_t i = 0; i < field->member_count; i++)
		check(field->members[i].field, depth + 1);
	check(field->element, depth + 1);
}

static void check_stream(const struct ctf_stream_class *stream)
{
	check(stream->packet_context, 1);
	check(stream->event_header, 1);
	check(stream->common_context, 1);
	for (size_t i = 0; i < stream->event_count; i++) {
		check(stream->events[i]->specific_context, 1);
		check(stream->events[i]->payload, 1);
		if (ctf_event_class_find(stream, stream->events[i]->id) != stream->events[i])
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct ctf_trace_class *trace = ctf_metadata_parse(data, size, "metadata", &err);

	/* There is either a trace class, or an error whose message states a remedy after `;'. */
	if (!trace != (err.code != MM_EXIT_OK) || (!trace && !strchr(err.message, ';')))
		abort();
	if (!trace)
		return 0;
	check(trace->packet_header, 1);
	for (size_t i = 0; i < trace->stream_count; i++)
		check_stream(trace->streams[i]);
	ctf_trace_class_destroy(trace);
	return 0;
}
