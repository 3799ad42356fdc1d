// SPDX-License-Identifier: LGPL-2.1-only
/* Metrics and tables of the report of `lttng-mm info`. */
#include "reader/inspect/info-schema.h"

#include <stddef.h>

static const struct mm_metric_def metrics[] = {
	{ "trace.packets",
	  MM_COUNT("packets"),
	  MM_NEUTRAL,
	  "packets of all streams",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ "trace.bytes",
	  MM_BYTES,
	  MM_NEUTRAL,
	  "size of all stream files",
	  { NULL },
	  NULL,
	  MM_UNSCALED },
	{ 0 },
};

static const struct mm_column trace_columns[] = {
	[INFO_TRACES_TRACE] = { "trace", "trace", MM_TEXT, MM_KEEP,
				"name of the trace, which is the name of its folder" },
	[INFO_TRACES_FOLDER] = { "folder", "folder", MM_TEXT, MM_SHORTEN(0, 16),
				 "folder of the trace" },
	[INFO_TRACES_FORMAT] = { "format", "format", MM_TEXT, MM_KEEP, "`CTF 1.8` or `CTF 2`" },
	[INFO_TRACES_BYTE_ORDER] = { "byte_order", "byte order", MM_TEXT, MM_DROP(2),
				     "`big` or `little`; null in CTF 2" },
	[INFO_TRACES_TRACER] = { "tracer", "tracer", MM_TEXT, MM_KEEP,
				 "tracer and version, from the environment" },
	[INFO_TRACES_ID] = { "id", "id", MM_TEXT, MM_DROP(3), "UUID or UID of the trace" },
	[INFO_TRACES_STREAMS] = { "streams", "streams", MM_COUNT("streams"), MM_KEEP, "streams" },
	[INFO_TRACES_EVENT_CLASSES] = { "event_classes", "event classes", MM_COUNT("classes"),
					MM_DROP(1), "event classes" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_traces = { "traces", "Traces", NULL, "each trace",
						    trace_columns };

static const struct mm_column stream_columns[] = {
	[INFO_STREAMS_TRACE] = { "trace", NULL, MM_TEXT, MM_KEEP, "name of the trace" },
	[INFO_STREAMS_STREAM] = { "stream", "stream", MM_TEXT, MM_SHORTEN(0, 16),
				  "name of the stream's first file" },
	[INFO_STREAMS_PATH] = { "path", NULL, MM_TEXT, MM_KEEP, "path of the stream's first file" },
	[INFO_STREAMS_CLASS] = { "class", "class", MM_NUMBER, MM_DROP(7),
				 "id of the stream class" },
	[INFO_STREAMS_ID] = { "id", "id", MM_NUMBER, MM_DROP(7), "id of the stream" },
	[INFO_STREAMS_CPU] = { "cpu", "cpu", MM_NUMBER, MM_KEEP, "CPU" },
	[INFO_STREAMS_HEADER] = { "header", "header", MM_TEXT, MM_DROP(4),
				  "LTTng's event header: `compact`, `large` or `other`" },
	[INFO_STREAMS_FILES] = { "files", "files", MM_COUNT("files"), MM_DROP(6),
				 "files of the stream" },
	[INFO_STREAMS_PACKETS] = { "packets", "packets", MM_COUNT("packets"), MM_KEEP, "packets" },
	[INFO_STREAMS_BYTES] = { "bytes", "size", MM_BYTES, MM_KEEP, "size of the files" },
	[INFO_STREAMS_CONTENT_BYTES] = { "content_bytes", "content", MM_BYTES, MM_DROP(5),
					 "size of the packets' contents" },
	[INFO_STREAMS_EVENTS] = { "events", "events", MM_COUNT("events"), MM_KEEP,
				  "events; null without --events" },
	[INFO_STREAMS_BYTES_PER_EVENT] = { "bytes_per_event", "bytes/event", MM_REAL(""),
					   MM_DROP(5), "bytes of content for each event" },
	[INFO_STREAMS_START_NS] = { "start_ns", NULL, MM_NS, MM_KEEP,
				    "start of the first packet, since the Epoch" },
	[INFO_STREAMS_END_NS] = { "end_ns", NULL, MM_NS, MM_KEEP,
				  "end of the last packet, since the Epoch" },
	[INFO_STREAMS_START] = { "start", "start", MM_TEXT, MM_DROP(3),
				 "start of the first packet as text" },
	[INFO_STREAMS_DURATION_NS] = { "duration_ns", "duration", MM_NS, MM_KEEP,
				       "time from `start_ns` to `end_ns`" },
	[INFO_STREAMS_EVENTS_DISCARDED] = { "events_discarded", "discarded", MM_COUNT("events"),
					    MM_KEEP, "discarded events" },
	[INFO_STREAMS_PACKETS_WITHOUT_COUNT] = { "packets_without_count", "no count",
						 MM_COUNT("packets"), MM_DROP(2),
						 "packets without a discarded-event count" },
	[INFO_STREAMS_PACKETS_LOST] = { "packets_lost", "lost", MM_COUNT("packets"), MM_KEEP,
					"missing packets" },
	[INFO_STREAMS_PACKETS_TRUNCATED] = { "packets_truncated", "truncated", MM_COUNT("packets"),
					     MM_DROP(1),
					     "packets truncated by the end of their file" },
	[INFO_STREAMS_PACKETS_DAMAGED] = { "packets_damaged", "damaged", MM_COUNT("packets"),
					   MM_DROP(1), "packets damaged in another way" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_streams = { "streams", "Streams", NULL, "each stream",
						     stream_columns };

static const struct mm_column event_columns[] = {
	[INFO_EVENTS_TRACE] = { "trace", NULL, MM_TEXT, MM_KEEP, "name of the trace" },
	[INFO_EVENTS_STREAM_CLASS] = { "stream_class", NULL, MM_NUMBER, MM_KEEP,
				       "id of the stream class" },
	[INFO_EVENTS_ID] = { "id", NULL, MM_NUMBER, MM_KEEP, "id of the event class" },
	[INFO_EVENTS_EVENT] = { "event", "event", MM_TEXT, MM_SHORTEN(0, 20), "name of the event" },
	[INFO_EVENTS_COUNT] = { "count", "count", MM_COUNT("events"), MM_KEEP, "events" },
	[INFO_EVENTS_BYTES] = { "bytes", "size", MM_BYTES, MM_KEEP,
				"bytes of all events of the class" },
	[INFO_EVENTS_BYTES_PER_EVENT] = { "bytes_per_event", "bytes/event", MM_REAL(""), MM_KEEP,
					  "average bytes of an event" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_events = {
	"events", "Events", NULL, "each event class that has events; only with --events",
	event_columns
};

static const struct mm_column gap_columns[] = {
	[INFO_GAPS_STREAM] = { "stream", "stream", MM_TEXT, MM_SHORTEN(0, 16),
			       "name of the stream's first file" },
	[INFO_GAPS_PACKETS_LOST] = { "packets_lost", "packets lost", MM_COUNT("packets"), MM_KEEP,
				     "missing packets" },
	[INFO_GAPS_EVENTS_DISCARDED] = { "events_discarded", "events discarded", MM_COUNT("events"),
					 MM_KEEP, "discarded events" },
	[INFO_GAPS_SINCE_NS] = { "since_ns", NULL, MM_NS, MM_KEEP,
				 "end of the last packet before the loss, since the Epoch" },
	[INFO_GAPS_UNTIL_NS] = { "until_ns", NULL, MM_NS, MM_KEEP,
				 "end of the packet that reports the loss" },
	[INFO_GAPS_SINCE] = { "since", "some time after", MM_TEXT, MM_KEEP, "`since_ns` as text" },
	[INFO_GAPS_DURATION_NS] = { "duration_ns", "within", MM_NS, MM_KEEP,
				    "time from `since_ns` to `until_ns`" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_gaps = {
	"gaps", "Gaps", NULL, "each place in a stream where events or packets were lost",
	gap_columns
};

static const struct mm_column damage_columns[] = {
	[INFO_DAMAGE_FILE] = { "file", "file", MM_TEXT, MM_SHORTEN(0, 20), "path of the file" },
	[INFO_DAMAGE_PACKET] = { "packet", "packet", MM_NUMBER, MM_KEEP,
				 "number of the packet in the file, from 0" },
	[INFO_DAMAGE_OFFSET] = { "offset", "byte", MM_NUMBER, MM_KEEP, "byte in the file" },
	[INFO_DAMAGE_WHAT] = { "what", "what", MM_TEXT, MM_SHORTEN(0, 30), "kind of the damage" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_damage = { "damage", "Damage",
						    "`lttng-mm verify` finds more",
						    "each damaged place", damage_columns };

static const struct mm_column clock_columns[] = {
	[INFO_CLOCKS_TRACE] = { "trace", NULL, MM_TEXT, MM_KEEP, "name of the trace" },
	[INFO_CLOCKS_CLOCK] = { "clock", "clock", MM_TEXT, MM_KEEP, "name of the clock" },
	[INFO_CLOCKS_FREQUENCY_HZ] = { "frequency_hz", "Hz", MM_COUNT("Hz"), MM_KEEP, "frequency" },
	[INFO_CLOCKS_OFFSET_S] = { "offset_s", NULL, MM_COUNT("s"), MM_KEEP,
				   "seconds from the Epoch to the origin of the clock" },
	[INFO_CLOCKS_OFFSET_CYCLES] = { "offset_cycles", NULL, MM_COUNT("cycles"), MM_KEEP,
					"cycles to add to `offset_s`" },
	[INFO_CLOCKS_OFFSET] = { "offset", "offset", MM_TEXT, MM_KEEP,
				 "origin of the clock as text" },
	[INFO_CLOCKS_DESCRIPTION] = { "description", "description", MM_TEXT, MM_SHORTEN(1, 20),
				      "description in the metadata" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_clocks = { "clocks", "Clocks", NULL,
						    "each clock of each trace", clock_columns };

static const struct mm_column env_columns[] = {
	[INFO_ENVIRONMENT_TRACE] = { "trace", "trace", MM_TEXT, MM_KEEP, "name of the trace" },
	[INFO_ENVIRONMENT_NAME] = { "name", "name", MM_TEXT, MM_KEEP, "name of the variable" },
	[INFO_ENVIRONMENT_VALUE] = { "value", "value", MM_TEXT, MM_SHORTEN(0, 20),
				     "value of the variable" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_environment = {
	"environment", "Environment", NULL, "each variable of each trace's environment", env_columns
};

static const struct mm_column snapshot_columns[] = {
	[INFO_SNAPSHOTS_SNAPSHOT] = { "snapshot", NULL, MM_TEXT, MM_KEEP,
				      "folder with the `snapshot.json`; null if the certificate was derived from the packets" },
	[INFO_SNAPSHOTS_VERDICT] = { "verdict", NULL, MM_TEXT, MM_KEEP,
				     "`complete`, `holes` or `undetermined`" },
	[INFO_SNAPSHOTS_MATCHES] = { "matches", NULL, MM_BOOLEAN, MM_KEEP,
				     "the files match the certificate" },
	[INFO_SNAPSHOTS_SHARED_START_NS] = { "shared_start_ns", NULL, MM_NS, MM_KEEP,
					     "start of the time that every stream covers, since the Epoch" },
	[INFO_SNAPSHOTS_SHARED_END_NS] = { "shared_end_ns", NULL, MM_NS, MM_KEEP,
					   "end of the time that every stream covers" },
	[INFO_SNAPSHOTS_SHARED_DURATION_NS] = { "shared_duration_ns", NULL, MM_NS, MM_KEEP,
						"time from `shared_start_ns` to `shared_end_ns`" },
	[INFO_SNAPSHOTS_COMPLETE_SINCE_NS] = { "complete_since_ns", NULL, MM_NS, MM_KEEP,
					       "no stream has a hole from this time to `shared_end_ns`" },
	[INFO_SNAPSHOTS_REASON] = { "reason", NULL, MM_TEXT, MM_KEEP,
				    "reason that was given for the snapshot" },
	[INFO_SNAPSHOTS_CAUSE] = { "cause", NULL, MM_TEXT, MM_KEEP, "kind of the cause" },
	[INFO_SNAPSHOTS_METHOD] = { "method", NULL, MM_TEXT, MM_KEEP, "`freeze` or `lttng`" },
	[INFO_SNAPSHOTS_REQUESTED_NS] = { "requested_ns", NULL, MM_NS, MM_KEEP,
					  "time of the request, CLOCK_REALTIME" },
	[INFO_SNAPSHOTS_REQUESTED_TRACE_NS] = { "requested_trace_ns", NULL, MM_NS, MM_KEEP,
						"time of the request on the clock of the traces" },
	[INFO_SNAPSHOTS_FROZEN_NS] = { "frozen_ns", NULL, MM_NS, MM_KEEP,
				       "time of the freeze, CLOCK_REALTIME" },
	[INFO_SNAPSHOTS_LAST_NS] = { "last_ns", NULL, MM_NS, MM_KEEP,
				     "length of the time before the request that was to be kept (`--last`)" },
	[INFO_SNAPSHOTS_AFTER_NS] = { "after_ns", NULL, MM_NS, MM_KEEP,
				      "length of the time after the request that was to be recorded (`--after`)" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_snapshots = { "snapshots", NULL, NULL,
						       "each snapshot's certificate of coverage",
						       snapshot_columns };

static const struct mm_column coverage_columns[] = {
	[INFO_COVERAGE_TRACE] = { "trace", "trace", MM_TEXT, MM_SHORTEN(0, 8),
				  "folder of the trace in the snapshot" },
	[INFO_COVERAGE_STREAM] = { "stream", "stream", MM_TEXT, MM_SHORTEN(0, 12),
				   "name of the stream's first file" },
	[INFO_COVERAGE_CHANNEL] = { "channel", NULL, MM_TEXT, MM_KEEP, "channel of the stream" },
	[INFO_COVERAGE_CPU] = { "cpu", "cpu", MM_NUMBER, MM_KEEP, "CPU" },
	[INFO_COVERAGE_ONLINE] = { "online", "online", MM_BOOLEAN, MM_DROP(3),
				   "the CPU was online" },
	[INFO_COVERAGE_PACKETS] = { "packets", "packets", MM_COUNT("packets"), MM_KEEP,
				    "packets that were certified" },
	[INFO_COVERAGE_START_NS] = { "start_ns", NULL, MM_NS, MM_KEEP,
				     "start of the certified time, in which all events are present except in holes; since the Epoch" },
	[INFO_COVERAGE_END_NS] = { "end_ns", NULL, MM_NS, MM_KEEP, "end of the certified time" },
	[INFO_COVERAGE_START] = { "start", "covered from", MM_TEXT, MM_DROP(1),
				  "`start_ns` as text" },
	[INFO_COVERAGE_DURATION_NS] = { "duration_ns", "covered", MM_NS, MM_KEEP,
					"time from `start_ns` to `end_ns`" },
	[INFO_COVERAGE_HOLES] = { "holes", "holes", MM_COUNT("holes"), MM_KEEP,
				  "holes in the certified time" },
	[INFO_COVERAGE_PACKETS_LOST] = { "packets_lost", NULL, MM_COUNT("packets"), MM_KEEP,
					 "packets missing" },
	[INFO_COVERAGE_EVENTS_DISCARDED] = { "events_discarded", NULL, MM_COUNT("events"), MM_KEEP,
					     "events discarded" },
	[INFO_COVERAGE_EVENTS_DISCARDED_KNOWN] = { "events_discarded_known", NULL, MM_BOOLEAN,
						   MM_KEEP,
						   "the packets state how many events were discarded" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_coverage = {
	"certified_streams", "Coverage", NULL, "each stream of the recording in a certificate",
	coverage_columns
};

static const struct mm_column hole_columns[] = {
	[INFO_HOLES_TRACE] = { "trace", "trace", MM_TEXT, MM_SHORTEN(0, 8),
			       "folder of the trace in the snapshot" },
	[INFO_HOLES_STREAM] = { "stream", "stream", MM_TEXT, MM_SHORTEN(0, 12),
				"name of the stream's first file" },
	[INFO_HOLES_CPU] = { "cpu", "cpu", MM_NUMBER, MM_KEEP, "CPU" },
	[INFO_HOLES_KIND] = { "kind", "kind", MM_TEXT, MM_KEEP,
			      "`pause`: not recording; `disabled`: some events were disabled; `packets`: packets "
			      "are missing; `discarded`: events were discarded at some time in the hole; `gap`: nothing shows "
			      "whether the stream was recording" },
	[INFO_HOLES_START_NS] = { "start_ns", NULL, MM_NS, MM_KEEP, "start, since the Epoch" },
	[INFO_HOLES_END_NS] = { "end_ns", NULL, MM_NS, MM_KEEP, "end" },
	[INFO_HOLES_START] = { "start", "from", MM_TEXT, MM_KEEP, "start as text" },
	[INFO_HOLES_DURATION_NS] = { "duration_ns", "for", MM_NS, MM_KEEP, "from start to end" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_holes = { "holes", "Holes", NULL,
						   "each hole in a stream's coverage",
						   hole_columns };

static const struct mm_column difference_columns[] = {
	[INFO_DIFFERENCES_WHAT] = { "what", "what", MM_TEXT, MM_WRAP(40),
				    "file, and its difference from the certificate" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_differences = {
	"differences", "Differences from the certificate", NULL,
	"each of the first 64 differences between the files and the certificate", difference_columns
};

static const struct mm_table_def *const tables[] = {
	&ctf_info_table_snapshots, &ctf_info_table_differences, &ctf_info_table_holes,
	&ctf_info_table_coverage,  &ctf_info_table_traces,	&ctf_info_table_streams,
	&ctf_info_table_events,	   &ctf_info_table_gaps,	&ctf_info_table_damage,
	&ctf_info_table_clocks,	   &ctf_info_table_environment, NULL,
};

const struct mm_report_schema ctf_info_schema = { "info", metrics, tables, NULL, NULL, NULL };
