// SPDX-License-Identifier: LGPL-2.1-only
/* Prints the status in the text format of OpenMetrics 1.0. */
#include <inttypes.h>
#include <string.h>

#include "cli/status/status-view.h"

/*
 * The level of a metric family. A family has one sample for each object of its level, such as a
 * CPU, and the name of the object is a label.
 */
enum level { LEVEL_TOP, LEVEL_MEMORY, LEVEL_SESSION, LEVEL_RECORDER, LEVEL_CHANNEL, LEVEL_CPU };

struct family {
	const char *name, *type, *unit, *help;
	enum level level;
	const char *key; /* member of the JSON form */
	double scale;	 /* factor; 0: none */
};

/* doc/metrics.md lists these families. Names of a counter's samples end in `_total`. */
static const struct family families[] = {
	{ "lttng_mm_session_daemon_answers", "gauge", NULL,
	  "1 if the session daemon answers in time.", LEVEL_TOP, "session_daemon_answers", 0 },
	{ "lttng_mm_recorder_daemon_answers", "gauge", NULL,
	  "1 if the recorder daemon runs and answers in time.", LEVEL_TOP,
	  "recorder_daemon_answers", 0 },
	{ "lttng_mm_last_snapshot_timestamp_seconds", "gauge", "seconds",
	  "Completion time of the last snapshot that the recorder daemon lists.", LEVEL_TOP,
	  "last_snapshot", 0 },
	{ "lttng_mm_problem", "gauge", NULL,
	  "1 if there is a problem that the recorder daemon cannot repair.", LEVEL_TOP,
	  "problem_found", 0 },
	{ "lttng_mm_repairs", "gauge", NULL,
	  "Number of repairs by the recorder daemon since boot, at most 64.", LEVEL_TOP,
	  "repair_count", 0 },
	{ "lttng_mm_last_repair_timestamp_seconds", "gauge", "seconds",
	  "Time at which the last repaired session recorded again.", LEVEL_TOP, "last_repair", 0 },
	{ "lttng_mm_rescues", "gauge", NULL,
	  "Number of rescues, including failed ones, that the recorder daemon lists: at most 16.",
	  LEVEL_TOP, "rescue_count", 0 },
	{ "lttng_mm_last_rescue_timestamp_seconds", "gauge", "seconds",
	  "Time at which the buffers of the last rescue were frozen.", LEVEL_TOP, "last_rescue",
	  0 },
	{ "lttng_mm_stopped_functions", "gauge", NULL,
	  "Number of functions that are no longer recorded because they exceeded their maximum rate.",
	  LEVEL_TOP, "stopped_function_count", 0 },
	{ "lttng_mm_ring_bytes", "gauge", "bytes", "Memory of all ring buffers now.", LEVEL_MEMORY,
	  "ring_bytes", 0 },
	{ "lttng_mm_ring_max_bytes", "gauge", "bytes",
	  "Memory of all ring buffers on all possible CPUs.", LEVEL_MEMORY, "ring_max_bytes", 0 },
	{ "lttng_mm_stage_bytes", "gauge", "bytes",
	  "Memory of unfinished snapshots in the recorder daemon.", LEVEL_MEMORY, "stage_bytes",
	  0 },
	{ "lttng_mm_recording", "gauge", NULL, "1 if the session is started.", LEVEL_SESSION,
	  "recording", 0 },
	{ "lttng_mm_window_seconds", "gauge", "seconds",
	  "Shortest window of a recorder's buffers of events.", LEVEL_RECORDER, "window_ns", 1e-9 },
	{ "lttng_mm_window_promised_seconds", "gauge", "seconds",
	  "The window that record --window promised.", LEVEL_RECORDER, "window_promised_ns", 1e-9 },
	{ "lttng_mm_window_holds", "gauge", NULL, "1 if the buffers reach back as far as promised.",
	  LEVEL_RECORDER, "window_holds", 0 },
	{ "lttng_mm_events_per_second", "gauge", NULL,
	  "Events recorded per second, estimated from the size of recent events.", LEVEL_CHANNEL,
	  "events_per_s", 0 },
	{ "lttng_mm_channel_ring_bytes", "gauge", "bytes",
	  "Memory of the buffers of a channel now.", LEVEL_CHANNEL, "ring_bytes", 0 },
	{ "lttng_mm_written_bytes_per_second", "gauge", NULL,
	  "Bytes written per second since the previous measurement.", LEVEL_CPU, "bytes_per_s", 0 },
	{ "lttng_mm_written_bytes", "counter", "bytes",
	  "Bytes written to a buffer since its channel was created, including padding.", LEVEL_CPU,
	  "written_bytes", 0 },
	{ "lttng_mm_discarded_events", "counter", NULL,
	  "Events discarded since the channel was created.", LEVEL_CPU, "discarded_events", 0 },
	{ "lttng_mm_overwritten_packets", "counter", NULL,
	  "Packets overwritten or cleared since the channel was created.", LEVEL_CPU,
	  "overwritten_packets", 0 },
	{ "lttng_mm_cpu_window_seconds", "gauge", "seconds",
	  "Window of a buffer: how far back it reaches at least.", LEVEL_CPU, "window_ns", 1e-9 },
};

struct labels {
	const char *session, *role, *recorder, *channel;
	char cpu[16]; /* may be empty */
};

static void print_escaped(FILE *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fprintf(out, "\\%c", *value);
		else if (*value == '\n')
			fputs("\\n", out);
		else
			fputc(*value, out);
	}
}

static void print_label(FILE *out, char *comma, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(out, "%c%s=\"", *comma, name);
	print_escaped(out, value);
	fputc('"', out);
	*comma = ',';
}

/* Prints a sample unless @value is unknown. */
static void print_sample(FILE *out, const struct family *family, const struct labels *labels,
			 const json_t *value)
{
	char comma = '{';

	if (!value || json_is_null(value))
		return;
	fprintf(out, "%s%s", family->name, strcmp(family->type, "counter") ? "" : "_total");
	print_label(out, &comma, "recorder", labels->recorder);
	print_label(out, &comma, "session", labels->session);
	print_label(out, &comma, "role", labels->role);
	print_label(out, &comma, "channel", labels->channel);
	print_label(out, &comma, "cpu", labels->cpu);
	fputs(comma == ',' ? "} " : " ", out);
	if (json_is_boolean(value))
		fprintf(out, "%d\n", json_is_true(value));
	else if (json_is_integer(value) && !family->scale)
		fprintf(out, "%" PRId64 "\n", (int64_t)json_integer_value(value));
	else
		fprintf(out, "%.9g\n",
			json_number_value(value) * (family->scale ? family->scale : 1));
}

static const char *text_of(const json_t *json, const char *key)
{
	return json_string_value(json_object_get(json, key));
}

static void print_channel(FILE *out, const struct family *family, const json_t *channel)
{
	struct labels labels = { .session = text_of(channel, "session"),
				 .channel = text_of(channel, "channel") };
	const json_t *cpu;
	size_t i;

	if (family->level == LEVEL_CHANNEL) {
		print_sample(out, family, &labels, json_object_get(channel, family->key));
		return;
	}
	json_array_foreach(json_object_get(channel, "cpus"), i, cpu)
	{
		snprintf(labels.cpu, sizeof(labels.cpu), "%" PRId64,
			 (int64_t)json_integer_value(json_object_get(cpu, "cpu")));
		print_sample(out, family, &labels, json_object_get(cpu, family->key));
	}
}

static void print_recorders(FILE *out, const struct family *family, const json_t *json)
{
	const json_t *rates = json_object_get(json, "rates"), *recorder, *channel;
	size_t i, k;

	json_array_foreach(json_object_get(rates, "recorders"), i, recorder)
	{
		struct labels labels = { .recorder = text_of(recorder, "recorder") };

		if (family->level != LEVEL_RECORDER) {
			json_array_foreach(json_object_get(recorder, "channels"), k, channel)
				print_channel(out, family, channel);
			continue;
		}
		/*
		 * If a session is not in the plan, it counts as a recorder, and its name is the
		 * label.
		 */
		channel = json_array_get(json_object_get(recorder, "channels"), 0);
		if (!labels.recorder)
			labels.session = text_of(channel, "session");
		print_sample(out, family, &labels, json_object_get(recorder, family->key));
	}
}

/* Prints a sample for each session with a known state. */
static void print_sessions(FILE *out, const struct family *family, const json_t *json)
{
	const json_t *session;
	size_t i;

	json_array_foreach(json_object_get(json, "sessions"), i, session)
	{
		const struct labels labels = { .session = text_of(session, "session"),
					       .role = text_of(session, "role") };
		const char *status = text_of(session, "status");

		if (status && strcmp(status, "unknown") != 0)
			print_sample(out, family, &labels, json_object_get(session, "running"));
	}
}

static void print_family(FILE *out, const struct family *family, const json_t *json)
{
	static const struct labels none;

	fprintf(out, "# TYPE %s %s\n", family->name, family->type);
	if (family->unit)
		fprintf(out, "# UNIT %s %s\n", family->name, family->unit);
	fprintf(out, "# HELP %s %s\n", family->name, family->help);
	switch (family->level) {
	case LEVEL_TOP:
		print_sample(out, family, &none, json_object_get(json, family->key));
		break;
	case LEVEL_MEMORY:
		print_sample(out, family, &none,
			     json_object_get(json_object_get(json, "memory"), family->key));
		break;
	case LEVEL_SESSION:
		print_sessions(out, family, json);
		break;
	default:
		print_recorders(out, family, json);
	}
}

void status_view_openmetrics(FILE *out, const json_t *json)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		print_family(out, &families[i], json);
	fputs("# EOF\n", out);
}
