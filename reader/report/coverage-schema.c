// SPDX-License-Identifier: LGPL-2.1-only
/* Schema of the section "Coverage". */
#include "reader/report/coverage-schema.h"

#include <stddef.h>

const struct mm_column mm_coverage_columns[MM_COVERAGE_COUNT + 1] = {
	[MM_COVERAGE_COMPLETE] = { "complete", NULL, MM_BOOLEAN, MM_KEEP,
				   "nothing was lost or damaged, and no stream is missing, including streams of state dumps. null: not known, because no file lists the streams, nothing shows whether all events were recorded all the time, the certificate does not cover the start of the requested time range, `snapshot.json` is damaged or contradicts itself, or files differ from `snapshot.json` or from the system information" },
	[MM_COVERAGE_START_NS] = { "start_ns", NULL, MM_NS, MM_KEEP,
				   "start of the first stream or of the requested time range, whichever is later, since the Epoch. In a snapshot of several channels, the channel that starts last counts instead of the first stream. State dumps do not count" },
	[MM_COVERAGE_END_NS] = { "end_ns", NULL, MM_NS, MM_KEEP,
				 "end of the last stream, or of the requested time range if that "
				 "is earlier" },
	[MM_COVERAGE_DURATION_NS] = { "duration_ns", NULL, MM_NS, MM_KEEP,
				      "time from `start_ns` to `end_ns`" },
	[MM_COVERAGE_CPUS] = { "cpus", NULL, MM_COUNT("CPUs"), MM_KEEP,
			       "CPUs that have a stream in the trace" },
	[MM_COVERAGE_KERNEL_RELEASE] = { "kernel_release", NULL, MM_TEXT, MM_KEEP,
					 "kernel that was traced; null if the traces of the folder are of several kernels" },
	[MM_COVERAGE_HOSTNAME] = { "hostname", NULL, MM_TEXT, MM_KEEP,
				   "machine that was traced, from the system information" },
	[MM_COVERAGE_EVENTS] = { "events", NULL, MM_COUNT("events"), MM_KEEP,
				 "events read, including events of other subsystems, and state dumps even if they are outside the time range" },
	[MM_COVERAGE_EVENTS_DISCARDED] = { "events_discarded", NULL, MM_COUNT("events"), MM_KEEP,
					   "events that the tracer discarded because a sub-buffer "
					   "was full; state dumps do not count" },
	[MM_COVERAGE_PACKETS_LOST] = { "packets_lost", NULL, MM_COUNT("packets"), MM_KEEP,
				       "packets that are missing, by their sequence numbers or by the "
				       "list of recorded streams; state dumps do not count" },
	[MM_COVERAGE_PACKETS_WITHOUT_COUNT] = { "packets_without_count", NULL, MM_COUNT("packets"),
						MM_KEEP,
						"packets without a discarded-event count: their losses are not known" },
	[MM_COVERAGE_PACKETS_TRUNCATED] = { "packets_truncated", NULL, MM_COUNT("packets"), MM_KEEP,
					    "packets truncated by the end of their file" },
	[MM_COVERAGE_PACKETS_DAMAGED] = { "packets_damaged", NULL, MM_COUNT("packets"), MM_KEEP,
					  "packets damaged in another way" },
	[MM_COVERAGE_STREAMS_MISSING] = { "streams_missing", NULL, MM_COUNT("streams"), MM_KEEP,
					  "streams that were recorded and are not in the folder, including streams of state dumps" },
	[MM_COVERAGE_PAUSES] = { "pauses", NULL, MM_COUNT("pauses"), MM_KEEP,
				 "periods in which a stream did not record all of its events, according to the snapshot's certificate; counted for each stream" },
	[MM_COVERAGE_POSSIBLE_PAUSES] = { "possible_pauses", NULL, MM_COUNT("pauses"), MM_KEEP,
					  "periods of a millisecond or more in which no stream of a trace has a "
					  "packet, and no certificate says that the session was recording: "
					  "the session was idle, or recording was paused" },
	[MM_COVERAGE_POSSIBLE_PAUSES_NS] = { "possible_pauses_ns", NULL, MM_NS, MM_KEEP,
					     "total length of the possible pauses in the reported time range" },
	[MM_COVERAGE_STREAMS_VERIFIED] = { "streams_verified", NULL, MM_BOOLEAN, MM_KEEP,
					   "the report could check whether streams are missing" },
	[MM_COVERAGE_UNVERIFIABLE] = { "unverifiable", NULL, MM_TEXT, MM_KEEP,
				       "why the report could not check whether streams are missing; null if it could" },
	[MM_COVERAGE_RECORDER_SHARE] = { "recorder_share", NULL, MM_REAL("ratio"), MM_KEEP,
					 "in a slab report, share of the recorder's own processes in all allocations, including pages; null in other reports, and if these processes are not known" },
	[MM_COVERAGE_LIMITED_TO] = { "limited_to", NULL, MM_TEXT, MM_KEEP,
				     "trackers and filters that limited the recording, according to the snapshot's certificate; if only the system information shows that events were excluded, a text that says so; null if everything was recorded, or if this is not known" },
	[MM_COVERAGE_COUNT] = { 0 },
};

const struct mm_coverage_metric mm_coverage_metrics[] = {
	{ MM_COVERAGE_COMPLETE, MM_MORE_IS_BETTER, MM_STEADY },
	{ MM_COVERAGE_DURATION_NS, MM_NEUTRAL, MM_UNSCALED },
	{ MM_COVERAGE_CPUS, MM_NEUTRAL, MM_STEADY },
	{ MM_COVERAGE_EVENTS, MM_NEUTRAL, MM_SUM },
	{ MM_COVERAGE_EVENTS_DISCARDED, MM_LESS_IS_BETTER, MM_SUM },
	{ MM_COVERAGE_PACKETS_LOST, MM_LESS_IS_BETTER, MM_SUM },
	{ MM_COVERAGE_PACKETS_WITHOUT_COUNT, MM_LESS_IS_BETTER, MM_SUM },
	{ MM_COVERAGE_PACKETS_TRUNCATED, MM_LESS_IS_BETTER, MM_UNSCALED },
	{ MM_COVERAGE_PACKETS_DAMAGED, MM_LESS_IS_BETTER, MM_UNSCALED },
	{ MM_COVERAGE_STREAMS_MISSING, MM_LESS_IS_BETTER, MM_UNSCALED },
	{ MM_COVERAGE_PAUSES, MM_LESS_IS_BETTER, MM_UNSCALED },
	{ MM_COVERAGE_POSSIBLE_PAUSES, MM_LESS_IS_BETTER, MM_UNSCALED },
	{ MM_COVERAGE_POSSIBLE_PAUSES_NS, MM_LESS_IS_BETTER, MM_UNSCALED },
};
const size_t mm_coverage_metric_count =
	sizeof(mm_coverage_metrics) / sizeof(mm_coverage_metrics[0]);

static const struct mm_column loss_columns[] = {
	[MM_LOSSES_STREAM] = { "stream", NULL, MM_TEXT, MM_KEEP, "name of the stream's file" },
	[MM_LOSSES_EVENTS_DISCARDED] = { "events_discarded", NULL, MM_COUNT("events"), MM_KEEP,
					 "events that the tracer discarded" },
	[MM_LOSSES_PACKETS_LOST] = { "packets_lost", NULL, MM_COUNT("packets"), MM_KEEP,
				     "missing packets" },
	[MM_LOSSES_WITHOUT_COUNT] = { "without_count", NULL, MM_COUNT("packets"), MM_KEEP,
				      "packets without a discarded-event count" },
	[MM_LOSSES_TRUNCATED] = { "truncated", NULL, MM_COUNT("packets"), MM_KEEP,
				  "packets truncated by the end of their file" },
	[MM_LOSSES_DAMAGED] = { "damaged", NULL, MM_COUNT("packets"), MM_KEEP,
				"packets damaged in another way" },
	[MM_LOSSES_MISSING] = { "missing", NULL, MM_COUNT("streams"), MM_KEEP,
				"1 if the whole stream is missing" },
	[MM_LOSSES_PAUSES] = { "pauses", NULL, MM_COUNT("pauses"), MM_KEEP,
			       "periods in which the stream did not record all of its events" },
	{ 0 },
};

static const struct mm_column missing_columns[] = {
	[MM_MISSING_STREAM] = { "stream", "stream", MM_TEXT, MM_SHORTEN(0, 12),
				"name of the stream's file" },
	[MM_MISSING_CPU] = { "cpu", "CPU", MM_NUMBER, MM_KEEP, "CPU of the stream" },
	[MM_MISSING_PACKETS] = { "packets", "packets", MM_COUNT("packets"), MM_KEEP,
				 "missing packets, if known" },
	[MM_MISSING_WHAT] = { "what", "what", MM_TEXT, MM_SHORTEN(0, 40),
			      "the missing data, and what shows that they are missing" },
	{ 0 },
};

static const struct mm_column damage_columns[] = {
	[MM_DAMAGE_MESSAGE] = { "message", "what", MM_TEXT, MM_SHORTEN(0, 40),
				"file, place and kind of the damage" },
	{ 0 },
};

const struct mm_table_def mm_coverage_tables[MM_COVERAGE_TABLES] = {
	[MM_COVERAGE_LOSSES] = { "losses", NULL, NULL, "losses of each stream", loss_columns },
	[MM_COVERAGE_MISSING] = { "missing", "Missing", NULL,
				  "each stream that is missing, in whole or in part",
				  missing_columns },
	[MM_COVERAGE_DAMAGE] = { "damage", "Damaged places that were skipped", NULL,
				 "each of the first 16 damaged places that were skipped",
				 damage_columns },
};
