// SPDX-License-Identifier: LGPL-2.1-only
/* Prints the status as text. */
#include <inttypes.h>
#include <string.h>

#include "cli/status/status-functions.h"
#include "cli/status/status-page-ref.h"
#include "cli/status/status-repairs.h"
#include "cli/status/status-view.h"
#include "util/duration.h"
#include "util/escape.h"
#include "util/plural.h"
#include "util/time.h"

#define CELL 24

/* Formats a number of bytes, such as "12.3 MiB". */
static void format_bytes(char *text, size_t size, json_int_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	snprintf(text, size, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static void print_trackers(FILE *out, const struct trackers *trackers)
{
	char text[256];

	trackers_text(trackers, text, sizeof(text));
	fprintf(out, ", only %s", text);
}

static void print_session(FILE *out, const struct recorder_status *status)
{
	char since[64];

	*since = '\0';
	if (status->since)
		mm_time_format_local(since, sizeof(since), " since " MM_TIME_DATE, status->since);
	mm_escape_print(out, status->session);
	fprintf(out, ": %s %s, ", status->state ? "state dump for" : "profile", status->profile);
	if (status->gone) {
		fprintf(out,
			"gone: another program destroyed it, or the session daemon exited; `lttng-mm record %s` starts it again\n",
			status->profile);
		return;
	}
	if (status->unknown)
		fprintf(out, "started%s, ", since);
	else if (*status->recorder && !status->running)
		fprintf(out, "stopped by another program; `lttng start %s` starts it again; ",
			status->session);
	else
		fprintf(out, "%s%s, ", status->running ? "recording" : "stopped", since);
	fprintf(out, "%" PRIu64 " sub-buffers of %" PRIu64 " KiB for each CPU",
		status->subbuf_count, status->subbuf_bytes / 1024);
	if (status->channel_count > 1)
		fprintf(out, ", and %zu more channel%s", status->channel_count - 1,
			mm_plural_s(status->channel_count - 1));
	if (trackers_are_set(&status->trackers))
		print_trackers(out, &status->trackers);
	if (!status->unknown)
		fprintf(out, "; %" PRIu64 " event%s discarded, %" PRIu64 " packet%s overwritten",
			status->discarded_events, mm_plural_s(status->discarded_events),
			status->lost_packets, mm_plural_s(status->lost_packets));
	fprintf(out, "%s\n",
		status->callstack > 0 ? "; records call stacks, so snapshots are not KASLR-safe"
		: !status->kaslr_safe
			? "; records kernel addresses, so snapshots are not KASLR-safe"
			: "");
}

static void print_triggers(FILE *out, const struct recorder_status *status)
{
	if (*status->triggers)
		fprintf(out,
			"  triggers of the profile: %s; `lttng-mm trigger list` shows their state\n",
			status->triggers);
}

/* Prints the state sessions of the recorder to which @first belongs, and the recorder's memory. */
static void print_recorder(FILE *out, const struct status_view *view,
			   const struct recorder_status *first)
{
	unsigned int cpus = recorder_possible_cpus();
	uint64_t bytes = 0;

	for (int i = 0; i < view->count; i++) {
		const struct recorder_status *status = &view->list[i];

		if (strcmp(status->recorder, first->recorder) != 0)
			continue;
		bytes += status_memory(status);
		if (status->state && status->gone)
			fprintf(out,
				"  state session %s: gone, so snapshots lack names; stop the recorder and start it again\n",
				status->session);
		else if (status->state)
			fprintf(out, "  state session %s: %s\n", status->session,
				status_state_name(status));
	}
	fprintf(out,
		"  recorder %s: buffers take up to %" PRIu64
		" KiB on %u CPU%s, and as much again during a snapshot",
		first->recorder, bytes / 1024, cpus, mm_plural_s(cpus));
	if (first->budget_bytes)
		fprintf(out, "; the budget is %" PRIu64 " KiB", first->budget_bytes / 1024);
	fputc('\n', out);
}

static void print_sessions(FILE *out, const struct status_view *view)
{
	for (int i = 0; i < view->count; i++) {
		const struct recorder_status *status = &view->list[i];
		bool last = true;

		if (status->owned)
			continue;
		print_session(out, status);
		print_triggers(out, status);
		/* Print the recorder after its last session. */
		for (int next = i + 1; next < view->count; next++)
			last &= view->list[next].owned ||
				strcmp(view->list[next].recorder, status->recorder) != 0;
		if (*status->recorder && last)
			print_recorder(out, view, status);
	}
}

static void print_unknown(FILE *out, const struct status_view *view)
{
	if (view->answers && view->count && view->list[0].unknown)
		fprintf(out,
			"LTTng shows root's sessions to root only, so it is unknown whether they are stopped or gone\n");
	if (!view->answers)
		fprintf(out,
			"the session daemon does not answer, so it is unknown whether sessions are stopped or gone, and whether there are others\n");
}

/* Formats a duration. An unknown duration becomes "-". */
static void format_window(char *text, size_t size, const json_t *ns)
{
	if (json_is_integer(ns))
		mm_duration_format(text, size, json_integer_value(ns));
	else
		snprintf(text, size, "-");
}

static void format_rate(char *text, size_t size, const json_t *bytes_per_s)
{
	if (json_is_integer(bytes_per_s))
		format_bytes(text, size, json_integer_value(bytes_per_s));
	else
		snprintf(text, size, "-");
}

static json_int_t number_of(const json_t *json, const char *key)
{
	return json_integer_value(json_object_get(json, key));
}

static void print_rates(FILE *out, const char *session, const char *channel, const char *cpu,
			const json_t *json)
{
	const json_t *events = json_object_get(json, "events_per_s");
	char rate[CELL], window[MM_DURATION_TEXT], per_s[CELL] = "-";

	format_rate(rate, sizeof(rate), json_object_get(json, "bytes_per_s"));
	format_window(window, sizeof(window), json_object_get(json, "window_ns"));
	if (json_is_number(events))
		snprintf(per_s, sizeof(per_s), "~%.0f", json_number_value(events));
	fprintf(out, "  %-24s %-16s %-12s %12s %10s %10s %10" PRId64 " %11" PRId64 "\n", session,
		channel, cpu, rate, per_s, window, (int64_t)number_of(json, "discarded_events"),
		(int64_t)number_of(json, "overwritten_packets"));
}

static void print_channel(FILE *out, const json_t *channel)
{
	const json_t *session = json_object_get(channel, "session"), *cpu;
	const json_t *name = json_object_get(channel, "channel");
	char shown[256];
	size_t i;

	mm_escape_terminal(shown, sizeof(shown), json_string_value(session),
			   json_string_length(session));
	print_rates(out, shown, json_string_value(name),
		    json_is_true(json_object_get(channel, "recording")) ? "all" : "all, stopped",
		    channel);
	json_array_foreach(json_object_get(channel, "cpus"), i, cpu)
	{
		char number[CELL];

		snprintf(number, sizeof(number), "%" PRId64 "%s", (int64_t)number_of(cpu, "cpu"),
			 json_is_true(json_object_get(cpu, "online")) ? "" : " (offline)");
		print_rates(out, "", "", number, cpu);
	}
}

static void print_window(FILE *out, const json_t *recorder)
{
	const json_t *holds = json_object_get(recorder, "window_holds");
	const json_t *name = json_object_get(recorder, "recorder");
	char window[MM_DURATION_TEXT], promised[MM_DURATION_TEXT];

	if (!json_is_string(name))
		return;
	format_window(window, sizeof(window), json_object_get(recorder, "window_ns"));
	format_window(promised, sizeof(promised), json_object_get(recorder, "window_promised_ns"));
	fprintf(out, "recorder %s: all buffers of events reach back %s", json_string_value(name),
		window);
	if (json_is_true(holds))
		fprintf(out, "; %s are promised", promised);
	else if (json_is_false(holds))
		fprintf(out,
			"; the promised window of %s is no longer covered: stop the recorder, and start it again with --window",
			promised);
	fputc('\n', out);
}

static void print_measured(FILE *out, const struct status_view *view)
{
	const json_t *recorders = json_object_get(view->rates, "recorders"), *recorder, *channel;
	const json_t *left_out = json_object_get(view->rates, "left_out");
	size_t i, k;

	if (*view->rates_why)
		fprintf(out, "rates and windows are unknown: %s\n", view->rates_why);
	if (!json_array_size(recorders))
		return;
	fprintf(out, "\n  %-24s %-16s %-12s %12s %10s %10s %10s %11s\n", "session", "channel",
		"CPU", "bytes/s", "events/s", "window", "discarded", "overwritten");
	json_array_foreach(recorders, i, recorder)
		json_array_foreach(json_object_get(recorder, "channels"), k, channel)
			print_channel(out, channel);
	fprintf(out,
		"  (~ is estimated from the size of recent events; overwritten counts packets)\n");
	if (json_is_string(left_out))
		fprintf(out, "  (%s not shown: too many to list; run as root to see all)\n",
			json_string_value(left_out));
	json_array_foreach(recorders, i, recorder) print_window(out, recorder);
}

static void print_memory(FILE *out, const struct status_view *view)
{
	const json_t *recorder;
	json_int_t rings = 0;
	char text[CELL];
	size_t i;

	json_array_foreach(json_object_get(view->rates, "recorders"), i, recorder) rings +=
		number_of(recorder, "ring_bytes");
	if (view->rates && rings) {
		format_bytes(text, sizeof(text), rings);
		fprintf(out, "memory: buffers %s now", text);
		if (view->stage_bytes >= 0) {
			format_bytes(text, sizeof(text), view->stage_bytes);
			fprintf(out, ", unfinished snapshots %s", text);
		}
		fputc('\n', out);
	}
}

/* Prints a snapshot's cause: a trigger, a failed unit, a user, or a rescue by the daemon. */
static void print_cause(FILE *out, const json_t *snapshot)
{
	const json_t *cause = json_object_get(snapshot, "cause");
	const char *trigger = json_string_value(json_object_get(cause, "trigger"));
	const char *kind = json_string_value(json_object_get(cause, "kind"));
	const char *unit = json_string_value(json_object_get(cause, "unit"));
	const char *reason = json_string_value(json_object_get(snapshot, "reason"));

	if (trigger) {
		fputs(", trigger ", out);
		mm_escape_print(out, trigger);
	} else if (unit) {
		fputs(", failure of ", out);
		mm_escape_print(out, unit);
	} else if (kind && strcmp(kind, "request") != 0) {
		fputs(", ", out);
		mm_escape_print(out, kind);
	} else {
		fprintf(out, ", requested by user %" PRId64, (int64_t)number_of(snapshot, "uid"));
	}
	if (reason) {
		fputs(": ", out);
		mm_escape_message_print(out, reason);
	}
}

static void print_snapshot(FILE *out, const json_t *snapshot)
{
	const char *path = json_string_value(json_object_get(snapshot, "path"));
	const char *error = json_string_value(json_object_get(snapshot, "error"));
	const char *state = json_string_value(json_object_get(snapshot, "state"));
	char time[MM_TIME_TEXT] = "";

	if (number_of(snapshot, "requested"))
		mm_time_format_local(time, sizeof(time), MM_TIME_DATE,
				     number_of(snapshot, "requested"));
	fprintf(out, " %s %s", time, state ? state : "");
	print_cause(out, snapshot);
	fputs(path || error ? ": " : "", out);
	mm_escape_message_print(out, error ? error : path ? path : "");
	fputc('\n', out);
}

static void print_snapshots(FILE *out, const struct status_view *view)
{
	const json_t *snapshots = json_object_get(view->daemon, "snapshots"), *snapshot;
	size_t i;

	if (*view->daemon_why)
		fprintf(out, "snapshots are unknown: %s\n", view->daemon_why);
	if (json_array_size(snapshots))
		fprintf(out, "snapshots:\n");
	json_array_foreach(snapshots, i, snapshot)
	{
		fputc(' ', out);
		print_snapshot(out, snapshot);
	}
}

/* Prints a recorder's profiles: "recorder lttng-mm: dax since 10:15:00 +0100, slab since ...". */
static void print_profiles(FILE *out, const struct status_view *view,
			   const struct recorder_status *first)
{
	const char *before = ": ";

	if (*first->recorder)
		fprintf(out, "recorder %s", first->recorder);
	else {
		fputs("session '", out);
		mm_escape_print(out, first->session);
		fputc('\'', out);
	}
	for (int i = 0; i < view->count; i++) {
		const struct recorder_status *status = &view->list[i];
		char since[64] = "";

		if (status->owned || status->state ||
		    (status != first &&
		     (!*first->recorder || strcmp(status->recorder, first->recorder) != 0)))
			continue;
		if (status->since)
			mm_time_format_local(since, sizeof(since), " since " MM_TIME_DATE,
					     status->since);
		fprintf(out, "%s%s%s", before, status->profile, since);
		before = ", ";
	}
	fputc('\n', out);
}

/* Prints a line for each recorder, and for each session with events that belongs to no recorder. */
static void print_recorders(FILE *out, const struct status_view *view)
{
	for (int i = 0; i < view->count; i++) {
		const struct recorder_status *status = &view->list[i];
		bool first = !status->owned && !status->state;

		for (int before = 0; before < i && first && *status->recorder; before++)
			first = view->list[before].owned || view->list[before].state ||
				strcmp(view->list[before].recorder, status->recorder) != 0;
		if (first)
			print_profiles(out, view, status);
	}
}

/* Prints the sessions that need attention, because they lost events or do not record everything. */
static void print_notable_sessions(FILE *out, const struct status_view *view)
{
	for (int i = 0; i < view->count; i++) {
		const struct recorder_status *status = &view->list[i];

		if (status->owned)
			continue;
		if (status->state ? status->gone || (!status->unknown && !status->running)
				  : status->gone || !status->running || status->discarded_events ||
					    trackers_are_set(&status->trackers) ||
					    status->callstack > 0 || !status->kaslr_safe)
			print_session(out, status);
	}
}

static void print_broken_promises(FILE *out, const struct status_view *view)
{
	const json_t *recorders = json_object_get(view->rates, "recorders"), *recorder;
	size_t i;

	json_array_foreach(recorders, i, recorder)
	{
		if (json_is_false(json_object_get(recorder, "window_holds")))
			print_window(out, recorder);
	}
}

static void print_notable_snapshots(FILE *out, const struct status_view *view)
{
	const json_t *snapshots = json_object_get(view->daemon, "snapshots"), *snapshot;
	const size_t count = json_array_size(snapshots);
	size_t i;

	if (*view->daemon_why)
		fprintf(out, "snapshots are unknown: %s\n", view->daemon_why);
	json_array_foreach(snapshots, i, snapshot)
	{
		const bool failed = json_object_get(snapshot, "error");

		if (!failed && i + 1 < count)
			continue;
		fputs(failed ? "failed snapshot:" : "last snapshot:", out);
		print_snapshot(out, snapshot);
	}
}

static void print_brief(FILE *out, const struct status_view *view, const json_t *json)
{
	print_recorders(out, view);
	print_notable_sessions(out, view);
	print_unknown(out, view);
	if (*view->rates_why && view->count)
		fprintf(out, "rates and windows are unknown: %s\n", view->rates_why);
	print_broken_promises(out, view);
	print_notable_snapshots(out, view);
	status_print_page_ref(out, json);
	status_print_functions(out, view->stopped);
	status_print_repairs(out, view->daemon);
	fputs("More: --all shows rates, windows and losses of each channel and CPU, memory, snapshots\n",
	      out);
}

static void print_all(FILE *out, const struct status_view *view, const json_t *json)
{
	print_sessions(out, view);
	print_unknown(out, view);
	print_measured(out, view);
	print_memory(out, view);
	print_snapshots(out, view);
	status_print_page_ref(out, json);
	status_print_functions(out, view->stopped);
	status_print_repairs(out, view->daemon);
}

void status_view_text(FILE *out, const struct status_view *view, const json_t *json, bool all)
{
	const char *summary = json_string_value(json_object_get(json, "summary"));

	mm_escape_message_print(out, summary ? summary : "The status is unknown.");
	fputc('\n', out);
	if (all)
		print_all(out, view, json);
	else
		print_brief(out, view, json);
}
