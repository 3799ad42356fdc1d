// SPDX-License-Identifier: LGPL-2.1-only
/* Converts a certificate of coverage to JSON, and parses JSON, which may be hostile. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/coverage/certificate.h"
#include "reader/coverage/missing.h"
#include "util/escape.h"
#include "util/json-file.h"
#include "util/text.h"

static json_t *text(const char *s)
{
	char *utf8 = s ? mm_escape_to_utf8(s, strlen(s)) : NULL;
	json_t *value = !s ? json_null() : utf8 ? json_string(utf8) : NULL;

	if (!value)
		mm_json_missed();
	free(utf8);
	return value;
}

static json_t *count(uint64_t number)
{
	return json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number);
}

static json_t *known(bool is_known, int64_t number)
{
	return is_known ? json_integer(number) : json_null();
}

static json_t *interval(int64_t start_ns, int64_t end_ns)
{
	json_t *json = json_object();

	json_object_set_new(json, "start_ns", json_integer(start_ns));
	json_object_set_new(json, "end_ns", json_integer(end_ns));
	return json;
}

static json_t *stream_to_json(const struct mm_certified_stream *stream)
{
	json_t *json = json_object(), *holes = json_array();

	json_object_set_new(json, "trace", text(stream->trace));
	json_object_set_new(json, "file", text(stream->file));
	json_object_set_new(json, "channel", text(stream->channel));
	json_object_set_new(json, "cpu", known(stream->cpu != UINT32_MAX, stream->cpu));
	json_object_set_new(json, "online",
			    stream->online < 0 ? json_null() : json_boolean(stream->online));
	json_object_set_new(json, "bytes", count(stream->bytes));
	json_object_set_new(json, "packets", count(stream->packets));
	json_object_set_new(json, "start_ns", known(stream->covered, stream->start_ns));
	json_object_set_new(json, "end_ns", known(stream->covered, stream->end_ns));
	json_object_set_new(json, "packets_lost", count(stream->packets_lost));
	json_object_set_new(json, "events_discarded", count(stream->events_discarded));
	json_object_set_new(json, "events_discarded_known",
			    json_boolean(stream->events_discarded_known));
	json_object_set_new(json, "holes", holes);
	for (size_t i = 0; i < stream->hole_count; i++) {
		const struct mm_hole *hole = &stream->holes[i];
		json_t *entry = interval(hole->start_ns, hole->end_ns);

		json_object_set_new(entry, "kind", json_string(mm_hole_name(hole->kind)));
		json_array_append_new(holes, entry);
	}
	return json;
}

static bool has_number(const json_t *array, json_int_t number)
{
	for (size_t i = 0; i < json_array_size(array); i++)
		if (json_integer_value(json_array_get(array, i)) == number)
			return true;
	return false;
}

/*
 * Adds two lists that repeat facts from the streams' entries. Some programs read only these lists.
 */
static void add_lists(const struct mm_certificate *certificate, json_t *json)
{
	json_t *offline = json_array(), *empty = json_array();

	for (size_t i = 0; i < certificate->stream_count; i++) {
		const struct mm_certified_stream *stream = &certificate->streams[i];
		char *name;

		if (!stream->online && stream->cpu != UINT32_MAX &&
		    !has_number(offline, stream->cpu))
			json_array_append_new(offline, json_integer(stream->cpu));
		if (stream->packets || mm_trace_is_state(stream->trace))
			continue;
		if (asprintf(&name, "%s/%s", stream->trace, stream->file) < 0) {
			mm_json_missed();
			continue;
		}
		json_array_append_new(empty, text(name));
		free(name);
	}
	json_object_set_new(json, "cpus_offline", offline);
	json_object_set_new(json, "streams_without_packet", empty);
}

json_t *mm_certificate_to_json(const struct mm_certificate *certificate)
{
	unsigned long before = mm_json_watch();
	json_t *json = json_object(), *why = json_array(), *streams = json_array();

	json_object_set_new(json, "verdict", json_string(mm_verdict_name(certificate->verdict)));
	json_object_set_new(json, "why", why);
	for (size_t i = 0; i < certificate->why_count; i++)
		json_array_append_new(why, text(certificate->why[i]));
	json_object_set_new(json, "shared",
			    certificate->has_shared ? interval(certificate->shared_start_ns,
							       certificate->shared_end_ns)
						    : json_null());
	json_object_set_new(json, "complete_since_ns",
			    known(certificate->has_shared && certificate->has_complete_since,
				  certificate->complete_since_ns));
	if (certificate->limit_count) {
		json_t *limits = json_array();

		for (size_t i = 0; i < certificate->limit_count; i++)
			json_array_append_new(limits, text(certificate->limits[i]));
		json_object_set_new(json, "limited_to", limits);
	}
	json_object_set_new(json, "streams", streams);
	for (size_t i = 0; i < certificate->stream_count; i++)
		json_array_append_new(streams, stream_to_json(&certificate->streams[i]));
	add_lists(certificate, json);
	if (!mm_json_unwatch(before))
		return json;
	json_decref(json);
	return NULL;
}

/* Maximum numbers of reasons, and of limits of the recording, in a file that may be hostile. */
#define WHY_MAX 64
#define LIMITS_MAX 256

struct certificate_parser {
	char *why; /* the first problem */
	size_t size;
	size_t stream; /* index of the current stream; SIZE_MAX: none */
	bool bad, failed;
};

static void bad(struct certificate_parser *parser, const char *key, const char *what)
{
	if (parser->bad)
		return;
	parser->bad = true;
	if (parser->stream == SIZE_MAX)
		snprintf(parser->why, parser->size, "damaged: \"%s\" %s", key, what);
	else
		snprintf(parser->why, parser->size, "damaged: stream %zu: \"%s\" %s",
			 parser->stream, key, what);
}

static int64_t read_integer(struct certificate_parser *parser, const json_t *json, const char *key,
			    int64_t least)
{
	const json_t *value = json_object_get(json, key);

	if (json_is_integer(value) && json_integer_value(value) >= least)
		return json_integer_value(value);
	bad(parser, key, least ? "is not an integer" : "is not a number of 0 or more");
	return 0;
}

/* Reads an integer or null. */
static bool read_known(struct certificate_parser *parser, const json_t *json, const char *key,
		       int64_t *into)
{
	const json_t *value = json_object_get(json, key);

	*into = json_is_integer(value) ? json_integer_value(value) : 0;
	if (!json_is_integer(value) && !json_is_null(value))
		bad(parser, key, "is neither an integer nor null");
	return json_is_integer(value);
}

static bool read_interval(struct certificate_parser *parser, const json_t *json, int64_t *start_ns,
			  int64_t *end_ns)
{
	bool starts = read_known(parser, json, "start_ns", start_ns);
	bool ends = read_known(parser, json, "end_ns", end_ns);

	if (starts != ends || *start_ns > *end_ns)
		bad(parser, "end_ns", "is before \"start_ns\", or only one of them is known");
	return starts && ends;
}

/* Reads a name. The name must not lead out of the snapshot's folder. */
static const char *read_name(struct certificate_parser *parser, const json_t *json, const char *key,
			     bool is_folder)
{
	const char *name = json_string_value(json_object_get(json, key));
	size_t length = json_string_length(json_object_get(json, key));

	if (name && *name && strlen(name) == length && *name != '/' && !strstr(name, "..") &&
	    (is_folder || !strchr(name, '/')) && length < 4096)
		return name;
	bad(parser, key,
	    is_folder ? "is not a folder below the snapshot's folder" : "is not a file");
	return "";
}

static void read_holes(struct certificate_parser *parser, const json_t *json,
		       struct mm_certified_stream *stream)
{
	const json_t *holes = json_object_get(json, "holes");
	json_t *entry;
	size_t i;

	if (!json_is_array(holes))
		bad(parser, "holes", "is not an array");
	json_array_foreach(holes, i, entry)
	{
		const char *kind = json_string_value(json_object_get(entry, "kind"));
		int64_t start_ns, end_ns;
		int number = MM_HOLE_KINDS - 1;

		while (number >= 0 && kind && strcmp(kind, mm_hole_name((enum mm_hole_kind)number)))
			number--;
		if (!kind || number < 0)
			bad(parser, "kind", "is not a kind of hole");
		if (!read_interval(parser, entry, &start_ns, &end_ns))
			bad(parser, "start_ns", "is not an integer");
		if (parser->bad)
			return;
		parser->failed |= mm_certified_stream_add_hole(stream, start_ns, end_ns,
							       (enum mm_hole_kind)number) != 0;
	}
	mm_certified_stream_sort_holes(stream);
}

static void read_stream(struct certificate_parser *parser, const json_t *json,
			struct mm_certificate *certificate)
{
	const char *trace = read_name(parser, json, "trace", true);
	const char *file = read_name(parser, json, "file", false);
	const json_t *channel = json_object_get(json, "channel");
	const json_t *online = json_object_get(json, "online");
	struct mm_certified_stream *stream;
	int64_t cpu;

	stream = mm_certificate_add_stream(certificate, trace, file);
	if (!stream) {
		parser->failed = true;
		return;
	}
	if (json_is_string(channel)) {
		stream->channel = strdup(json_string_value(channel));
		parser->failed |= !stream->channel;
	}
	if (read_known(parser, json, "cpu", &cpu) && cpu >= 0 && cpu < UINT32_MAX)
		stream->cpu = (uint32_t)cpu;
	stream->online = json_is_boolean(online) ? json_is_true(online) : -1;
	stream->bytes = (uint64_t)read_integer(parser, json, "bytes", 0);
	stream->packets = (uint64_t)read_integer(parser, json, "packets", 0);
	stream->covered = read_interval(parser, json, &stream->start_ns, &stream->end_ns);
	stream->packets_lost = (uint64_t)read_integer(parser, json, "packets_lost", 0);
	stream->events_discarded = (uint64_t)read_integer(parser, json, "events_discarded", 0);
	stream->events_discarded_known =
		json_is_true(json_object_get(json, "events_discarded_known"));
	read_holes(parser, json, stream);
}

static void read_limits(struct certificate_parser *parser, const json_t *limits,
			struct mm_certificate *certificate)
{
	json_t *limit;
	size_t i;

	if (limits && !json_is_array(limits))
		bad(parser, "limited_to", "is not an array");
	json_array_foreach(limits, i, limit)
	{
		if (!json_is_string(limit))
			bad(parser, "limited_to", "is not an array of strings");
		else if (i < LIMITS_MAX)
			parser->failed |=
				mm_certificate_limit(certificate, json_string_value(limit)) != 0;
	}
}

static void read_verdict(struct certificate_parser *parser, const json_t *json,
			 struct mm_certificate *certificate)
{
	const char *verdict = json_string_value(json_object_get(json, "verdict"));
	const json_t *shared = json_object_get(json, "shared");
	const json_t *why = json_object_get(json, "why");
	int number = MM_VERDICT_COMPLETE;
	json_t *entry;
	size_t i;

	while (number >= 0 && verdict && strcmp(verdict, mm_verdict_name((enum mm_verdict)number)))
		number--;
	if (!verdict || number < 0)
		bad(parser, "verdict", "is not complete, holes or undetermined");
	else
		certificate->verdict = (enum mm_verdict)number;
	json_array_foreach(why, i, entry)
	{
		if (i < WHY_MAX && json_is_string(entry))
			parser->failed |= mm_strings_add(&certificate->why, &certificate->why_count,
							 json_string_value(entry)) != 0;
	}
	read_limits(parser, json_object_get(json, "limited_to"), certificate);
	if (json_is_object(shared))
		certificate->has_shared = read_interval(
			parser, shared, &certificate->shared_start_ns, &certificate->shared_end_ns);
	else if (!json_is_null(shared))
		bad(parser, "shared", "is neither an object nor null");
	if (json_object_get(json, "complete_since_ns"))
		certificate->has_complete_since = read_known(parser, json, "complete_since_ns",
							     &certificate->complete_since_ns);
}

int mm_certificate_from_json(const json_t *json, struct mm_certificate *certificate, char *why,
			     size_t size)
{
	struct certificate_parser parser = { .why = why, .size = size, .stream = SIZE_MAX };
	const json_t *streams = json_object_get(json, "streams");
	json_t *entry;
	size_t i;

	*why = '\0';
	if (!json_is_object(json))
		bad(&parser, "certificate", "is not an object");
	else
		read_verdict(&parser, json, certificate);
	if (!json_is_array(streams))
		bad(&parser, "streams", "is not an array");
	json_array_foreach(streams, i, entry)
	{
		parser.stream = i;
		if (parser.bad || parser.failed)
			break;
		read_stream(&parser, entry, certificate);
	}
	return parser.failed ? -1 : parser.bad;
}
