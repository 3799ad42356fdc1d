// SPDX-License-Identifier: LGPL-2.1-only
/* What the tracer knows of a session and the trace does not show. */
#include <jansson.h>
#include <string.h>

#include "lttng-session/freeze-buffers.h"
#include "lttng-session/freeze.h"

/* Returns NULL if there is no memory, or the name is not valid. */
static json_t *channel_name(const struct freeze_channel *channel)
{
	return channel->name[0] ? json_string(channel->name)
				: json_sprintf("channel%u", channel->is.id);
}

static json_t *describe_stream(const struct freeze_stream *stream)
{
	struct freeze_header first = { 0 };
	bool overwritten = stream->buffer.packet > 0;
	char file[FREEZE_FILE_MAX];

	if (stream->bytes) {
		memcpy(&first, stream->data, FREEZE_HEADER_BYTES);
		overwritten = first.packet_seq_num > 0;
	}
	freeze_file_name(stream, file);
	return json_pack("{s:s, s:o, s:I, s:b, s:b, s:I}", "file", file, "channel",
			 channel_name(stream->channel), "cpu", (json_int_t)stream->buffer.cpu,
			 "online", (int)stream->buffer.online, "overwritten", (int)overwritten,
			 "packets_missed", (json_int_t)stream->overwritten);
}

static json_t *describe_streams(const struct freeze *freeze, size_t session)
{
	json_t *streams = json_array();

	for (unsigned int i = 0; i < freeze->stream_count; i++)
		if (freeze->streams[i].channel->session == session &&
		    json_array_append_new(streams, describe_stream(&freeze->streams[i]))) {
			json_decref(streams);
			return NULL;
		}
	return streams;
}

static bool is_active(const struct freeze *freeze, size_t session)
{
	for (unsigned int i = 0; i < freeze->stream_count; i++)
		if (freeze->streams[i].channel->session == session)
			return freeze->streams[i].buffer.active;
	return false;
}

json_t *freeze_facts(const struct freeze *freeze, size_t session)
{
	return json_pack("{s:o, s:n, s:b, s:[]}", "streams", describe_streams(freeze, session),
			 "watched_since_ns", "active", (int)is_active(freeze, session), "changes");
}
