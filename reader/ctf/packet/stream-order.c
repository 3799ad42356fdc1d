// SPDX-License-Identifier: LGPL-2.1-only
/* The order of streams for events with equal timestamps, as in babeltrace2's muxer. */
#include <stdio.h>
#include <string.h>

#include "reader/ctf/packet/packet-read.h"

/* Compares strings. NULL is greater than any string. */
static int compare_optional(const char *a, const char *b)
{
	if (a && b)
		return strcmp(a, b);
	return !a - !b;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static const char *unique_id(const struct ctf_trace_class *class, char text[37])
{
	char *to = text;

	if (class->uid || !class->has_uuid)
		return class->uid;
	for (int i = 0; i < 16; i++)
		to += snprintf(to, 4, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			       class->uuid[i]);
	return text;
}

int ctf_stream_compare(const struct ctf_stream *a, const struct ctf_stream *b)
{
	const struct ctf_trace_class *left = a->trace->class, *right = b->trace->class;
	int ret = 0;

	if (a->trace != b->trace) {
		char left_uid[37], right_uid[37];

		ret = compare_optional(left->name_space, right->name_space);
		if (!ret)
			ret = strcmp(a->trace->name, b->trace->name);
		if (!ret)
			ret = compare_optional(unique_id(left, left_uid),
					       unique_id(right, right_uid));
	}
	if (!ret)
		ret = compare_numbers(a->class->id, b->class->id);
	if (!ret)
		ret = compare_numbers(a->id, b->id);
	return ret ? ret : strcmp(a->files[0].path, b->files[0].path);
}

bool ctf_stream_is_exclusive(const struct ctf_stream *stream)
{
	return ctf_trace_private(stream->trace)->quirks & CTF_QUIRK_WITHOUT_COUNT;
}
