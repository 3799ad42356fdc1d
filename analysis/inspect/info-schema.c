// SPDX-License-Identifier: LGPL-2.1-only
/* What the report of `lttng-mm info` can contain. */
#include "analysis/inspect/info-schema.h"

#include <stddef.h>

static const struct mm_metric_def metrics[] = {
	{ "trace.packets",
	  MM_COUNT("packets"),
	  MM_NEUTRAL,
	  "packets of all streams",
	  { NULL },
	  NULL },
	{ "trace.bytes", MM_BYTES, MM_NEUTRAL, "size of all stream files", { NULL }, NULL },
	{ 0 },
};

static const struct mm_column trace_columns[] = {
	{ "trace", "trace", MM_TEXT, MM_KEEP, "name of the trace: its folder's" },
	{ "folder", "folder", MM_TEXT, MM_SHORTEN(0, 16), "folder of the trace" },
	{ "format", "format", MM_TEXT, MM_KEEP, "`CTF 1.8` or `CTF 2`" },
	{ "byte_order", "byte order", MM_TEXT, MM_DROP(2), "`big` or `little`; null in CTF 2" },
	{ "tracer", "tracer", MM_TEXT, MM_KEEP, "tracer and version, from the environment" },
	{ "id", "id", MM_TEXT, MM_DROP(3), "UUID or UID of the trace" },
	{ "streams", "streams", MM_COUNT("streams"), MM_KEEP, "streams" },
	{ "event_classes", "event classes", MM_COUNT("classes"), MM_DROP(1), "event classes" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_traces = { "traces", "Traces", NULL, "each trace",
						    trace_columns };

static const struct mm_column stream_columns[] = {
	{ "trace", NULL, MM_TEXT, MM_KEEP, "name of the trace" },
	{ "stream", "stream", MM_TEXT, MM_SHORTEN(0, 16), "name of the stream's first file" },
	{ "path", NULL, MM_TEXT, MM_KEEP, "path of that file" },
	{ "class", "class", MM_NUMBER, MM_DROP(7), "id of the stream class" },
	{ "id", "id", MM_NUMBER, MM_DROP(7), "id of the stream" },
	{ "cpu", "cpu", MM_NUMBER, MM_KEEP, "CPU" },
	{ "header", "header", MM_TEXT, MM_DROP(4),
	  "LTTng's event header: `compact`, `large` or `other`" },
	{ "files", "files", MM_COUNT("files"), MM_DROP(6), "files of the stream" },
	{ "packets", "packets", MM_COUNT("packets"), MM_KEEP, "packets" },
	{ "bytes", "size", MM_BYTES, MM_KEEP, "size of the files" },
	{ "content_bytes", "content", MM_BYTES, MM_DROP(5), "of these, content of packets" },
	{ "events", "events", MM_COUNT("events"), MM_KEEP, "events; null without --events" },
	{ "bytes_per_event", "bytes/event", MM_REAL(""), MM_DROP(5),
	  "bytes of content for each event" },
	{ "start_ns", NULL, MM_NS, MM_KEEP, "start of the first packet, since the Epoch" },
	{ "end_ns", NULL, MM_NS, MM_KEEP, "end of the last packet" },
	{ "start", "start", MM_TEXT, MM_DROP(3), "start of the first packet as text" },
	{ "duration_ns", "duration", MM_NS, MM_KEEP, "from that start to that end" },
	{ "events_discarded", "discarded", MM_COUNT("events"), MM_KEEP, "discarded events" },
	{ "packets_without_count", "no count", MM_COUNT("packets"), MM_DROP(2),
	  "packets without a discarded-event count" },
	{ "packets_lost", "lost", MM_COUNT("packets"), MM_KEEP, "missing packets" },
	{ "packets_truncated", "truncated", MM_COUNT("packets"), MM_DROP(1),
	  "packets in which the file ends" },
	{ "packets_damaged", "damaged", MM_COUNT("packets"), MM_DROP(1),
	  "packets with other damage" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_streams = { "streams", "Streams", NULL, "each stream",
						     stream_columns };

static const struct mm_column event_columns[] = {
	{ "trace", NULL, MM_TEXT, MM_KEEP, "name of the trace" },
	{ "stream_class", NULL, MM_NUMBER, MM_KEEP, "id of the stream class" },
	{ "id", NULL, MM_NUMBER, MM_KEEP, "id of the event class" },
	{ "event", "event", MM_TEXT, MM_SHORTEN(0, 20), "name of the event" },
	{ "count", "count", MM_COUNT("events"), MM_KEEP, "events" },
	{ "bytes", "size", MM_BYTES, MM_KEEP, "bytes of these events" },
	{ "bytes_per_event", "bytes/event", MM_REAL(""), MM_KEEP, "bytes of one, on average" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_events = {
	"events", "Events", NULL, "each event class that has events; only with --events",
	event_columns
};

static const struct mm_column gap_columns[] = {
	{ "stream", "stream", MM_TEXT, MM_SHORTEN(0, 16), "name of the stream's first file" },
	{ "packets_lost", "packets lost", MM_COUNT("packets"), MM_KEEP, "missing packets" },
	{ "events_discarded", "events discarded", MM_COUNT("events"), MM_KEEP, "discarded events" },
	{ "since_ns", NULL, MM_NS, MM_KEEP, "end of the last packet before, since the Epoch" },
	{ "until_ns", NULL, MM_NS, MM_KEEP, "end of the packet that reports them" },
	{ "since", "some time after", MM_TEXT, MM_KEEP, "`since_ns` as text" },
	{ "duration_ns", "within", MM_NS, MM_KEEP, "from `since_ns` to `until_ns`" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_gaps = { "gaps", "Gaps", NULL,
						  "each place in a stream where something was lost",
						  gap_columns };

static const struct mm_column damage_columns[] = {
	{ "file", "file", MM_TEXT, MM_SHORTEN(0, 20), "path of the file" },
	{ "packet", "packet", MM_NUMBER, MM_KEEP, "number of the packet in the file, from 0" },
	{ "offset", "byte", MM_NUMBER, MM_KEEP, "byte in the file" },
	{ "what", "what", MM_TEXT, MM_SHORTEN(0, 30), "kind of the damage" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_damage = { "damage", "Damage",
						    "`lttng-mm verify` finds more",
						    "each damaged place", damage_columns };

static const struct mm_column clock_columns[] = {
	{ "trace", NULL, MM_TEXT, MM_KEEP, "name of the trace" },
	{ "clock", "clock", MM_TEXT, MM_KEEP, "name of the clock" },
	{ "frequency_hz", "Hz", MM_COUNT("Hz"), MM_KEEP, "frequency" },
	{ "offset_s", NULL, MM_COUNT("s"), MM_KEEP, "seconds from the Epoch to its origin" },
	{ "offset_cycles", NULL, MM_COUNT("cycles"), MM_KEEP, "and cycles" },
	{ "offset", "offset", MM_TEXT, MM_KEEP, "the origin as text" },
	{ "description", "description", MM_TEXT, MM_SHORTEN(1, 20), "from the metadata" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_clocks = { "clocks", "Clocks", NULL,
						    "each clock of each trace", clock_columns };

static const struct mm_column env_columns[] = {
	{ "trace", "trace", MM_TEXT, MM_KEEP, "name of the trace" },
	{ "name", "name", MM_TEXT, MM_KEEP, "name of the variable" },
	{ "value", "value", MM_TEXT, MM_SHORTEN(0, 20), "value of it" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_environment = {
	"environment", "Environment", NULL, "each variable of each trace's environment", env_columns
};

static const struct mm_column snapshot_columns[] = {
	{ "snapshot", NULL, MM_TEXT, MM_KEEP,
	  "folder with the `snapshot.json`; null if the certificate was derived from the packets" },
	{ "verdict", NULL, MM_TEXT, MM_KEEP, "`complete`, `holes` or `undetermined`" },
	{ "matches", NULL, MM_BOOLEAN, MM_KEEP, "the files are what was certified" },
	{ "shared_start_ns", NULL, MM_NS, MM_KEEP,
	  "start of the time that every stream covers, since the Epoch" },
	{ "shared_end_ns", NULL, MM_NS, MM_KEEP, "end of it" },
	{ "shared_duration_ns", NULL, MM_NS, MM_KEEP, "from that start to that end" },
	{ "complete_since_ns", NULL, MM_NS, MM_KEEP, "from then to that end there is no hole" },
	{ "reason", NULL, MM_TEXT, MM_KEEP, "reason that was given for the snapshot" },
	{ "cause", NULL, MM_TEXT, MM_KEEP, "kind of the cause" },
	{ "method", NULL, MM_TEXT, MM_KEEP, "`freeze` or `lttng`" },
	{ "requested_ns", NULL, MM_NS, MM_KEEP, "time of the request, CLOCK_REALTIME" },
	{ "requested_trace_ns", NULL, MM_NS, MM_KEEP, "the same on the clock of the traces" },
	{ "frozen_ns", NULL, MM_NS, MM_KEEP, "time of the freeze, CLOCK_REALTIME" },
	{ "last_ns", NULL, MM_NS, MM_KEEP, "how much before the request was asked for (`--last`)" },
	{ "after_ns", NULL, MM_NS, MM_KEEP, "how much after it (`--after`)" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_snapshots = { "snapshots", NULL, NULL,
						       "each snapshot's certificate of coverage",
						       snapshot_columns };

static const struct mm_column coverage_columns[] = {
	{ "trace", "trace", MM_TEXT, MM_SHORTEN(0, 8), "folder of the trace in the snapshot" },
	{ "stream", "stream", MM_TEXT, MM_SHORTEN(0, 12), "name of the stream's first file" },
	{ "channel", NULL, MM_TEXT, MM_KEEP, "channel of the stream" },
	{ "cpu", "cpu", MM_NUMBER, MM_KEEP, "CPU" },
	{ "online", "online", MM_BOOLEAN, MM_DROP(3), "the CPU was online" },
	{ "packets", "packets", MM_COUNT("packets"), MM_KEEP, "packets that were certified" },
	{ "start_ns", NULL, MM_NS, MM_KEEP,
	  "from then on all events are there, except in holes; since the Epoch" },
	{ "end_ns", NULL, MM_NS, MM_KEEP, "until then" },
	{ "start", "covered from", MM_TEXT, MM_DROP(1), "`start_ns` as text" },
	{ "duration_ns", "covered", MM_NS, MM_KEEP, "from `start_ns` to `end_ns`" },
	{ "holes", "holes", MM_COUNT("holes"), MM_KEEP, "holes in it" },
	{ "packets_lost", NULL, MM_COUNT("packets"), MM_KEEP, "packets missing" },
	{ "events_discarded", NULL, MM_COUNT("events"), MM_KEEP, "events discarded" },
	{ "events_discarded_known", NULL, MM_BOOLEAN, MM_KEEP,
	  "the packets have a count of those" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_coverage = {
	"certified_streams", "Coverage", NULL, "each stream of the recording in a certificate",
	coverage_columns
};

static const struct mm_column hole_columns[] = {
	{ "trace", "trace", MM_TEXT, MM_SHORTEN(0, 8), "folder of the trace in the snapshot" },
	{ "stream", "stream", MM_TEXT, MM_SHORTEN(0, 12), "name of the stream's first file" },
	{ "cpu", "cpu", MM_NUMBER, MM_KEEP, "CPU" },
	{ "kind", "kind", MM_TEXT, MM_KEEP,
	  "`pause`: not recording; `disabled`: some events were disabled; `packets`: packets "
	  "are missing; `discarded`: events were discarded some time in it; `gap`: nothing shows "
	  "whether it was recording" },
	{ "start_ns", NULL, MM_NS, MM_KEEP, "start, since the Epoch" },
	{ "end_ns", NULL, MM_NS, MM_KEEP, "end" },
	{ "start", "from", MM_TEXT, MM_KEEP, "start as text" },
	{ "duration_ns", "for", MM_NS, MM_KEEP, "from start to end" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_holes = { "holes", "Holes", NULL,
						   "each hole in a stream's coverage",
						   hole_columns };

static const struct mm_column difference_columns[] = {
	{ "what", "what", MM_TEXT, MM_WRAP(40), "file, and what is not as it was certified" },
	{ 0 },
};

const struct mm_table_def ctf_info_table_differences = {
	"differences", "Differences from the certificate", NULL,
	"each difference between the files and the certificate, the first 64", difference_columns
};

static const struct mm_table_def *const tables[] = {
	&ctf_info_table_snapshots, &ctf_info_table_differences, &ctf_info_table_holes,
	&ctf_info_table_coverage,  &ctf_info_table_traces,	&ctf_info_table_streams,
	&ctf_info_table_events,	   &ctf_info_table_gaps,	&ctf_info_table_damage,
	&ctf_info_table_clocks,	   &ctf_info_table_environment, NULL,
};

const struct mm_report_schema ctf_info_schema = { "info", metrics, tables, NULL };
