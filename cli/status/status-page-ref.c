// SPDX-License-Identifier: LGPL-2.1-only
/* Shows the targets of page references, and how many pages were marked and restored. */
#include "cli/status/status-page-ref.h"

#include <inttypes.h>

#include "instrumentation/wire/pageref-sample.h"
#include "instrumentation/wire/pageref.h"
#include "lttng-session/pageref/targets.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/system/message.h"
#include "util/escape.h"
#include "util/json-file.h"
#include "util/time.h"

#define DEVICE "/dev/" LTTNG_MM_PAGEREF_DEVICE

/*
 * Describes the targets in the plan, for the case that the recorder daemon reports none. Returns
 * NULL if the plan has no targets.
 */
static json_t *describe_planned(const json_t *daemon)
{
	const struct plan_session *session;
	struct mm_error ignored = MM_ERROR_INIT;
	json_t *state = NULL;
	struct plan plan;
	char text[512];

	if (plan_read(&plan, &ignored))
		return NULL;
	session = plan_find_targets(&plan);
	if (session) {
		const json_t *targets = plan_session_targets(session);

		pageref_targets_text(targets, text, sizeof(text));
		state = json_pack(
			"{s:s,s:o,s:I,s:I,s:b,s:n,s:s,s:s,s:n}", "session", session->name,
			"targets", mm_json_text(text), "interval_ms",
			(json_int_t)pageref_targets_interval_ms(targets), "max_overhead",
			(json_int_t)pageref_targets_max_overhead(targets), "held", 0, "since_ns",
			"lacking", "", "problem",
			daemon ? "the recorder daemon has just been started, or has just seen this recorder"
			       : "the recorder daemon does not answer; `lttng-mm serve` must be running",
			"counters");
	}
	plan_release(&plan);
	return state;
}

void status_add_page_ref(json_t *json, const json_t *daemon)
{
	const json_t *supervisor = json_object_get(daemon, "supervisor");
	const json_t *state = json_object_get(supervisor, "page_ref");
	json_t *copy = json_is_object(state) ? json_deep_copy(state) : describe_planned(daemon);

	json_object_set_new(json, "page_ref", copy ? copy : json_null());
}

static void print_text(FILE *out, const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	mm_escape_print(out, text ? text : "?");
}

static int64_t number_of(const json_t *json, const char *key)
{
	return json_integer_value(json_object_get(json, key));
}

/* Prints the share of pages that is recorded. */
static void print_sample(FILE *out, const json_t *state, const json_t *counters)
{
	const uint64_t limit = (uint64_t)number_of(state, "max_overhead");
	const uint64_t sample = (uint64_t)number_of(counters, "sample");
	const uint64_t lowest = (uint64_t)number_of(counters, "sample_lowest");
	char text[PAGEREF_PERCENT_TEXT];

	fprintf(out, "\n  ");
	if (limit)
		fprintf(out, "overhead at most %s of the processor time of the processes, ",
			pageref_percent_text(text, limit, LTTNG_MM_PAGEREF_OVERHEAD_MAX));
	if (limit && number_of(counters, "overhead"))
		fprintf(out, "%s most recently; ",
			pageref_percent_text(text, (uint64_t)number_of(counters, "overhead"),
					     LTTNG_MM_PAGEREF_OVERHEAD_MAX));
	if (sample == LTTNG_MM_PAGEREF_SAMPLE_ALL)
		fprintf(out, "all pages are recorded");
	else
		fprintf(out, "a sample of %s of the pages is recorded",
			pageref_percent_text(text, sample, LTTNG_MM_PAGEREF_SAMPLE_ALL));
	if (lowest < sample)
		fprintf(out, ", at times only %s",
			pageref_percent_text(text, lowest, LTTNG_MM_PAGEREF_SAMPLE_ALL));
}

void status_print_page_ref(FILE *out, const json_t *json)
{
	const json_t *state = json_object_get(json, "page_ref");
	const json_t *counters = json_object_get(state, "counters");
	char since[MM_TIME_TEXT];

	if (!json_is_object(state))
		return;
	fprintf(out, "page references: ");
	print_text(out, state, "targets");
	fprintf(out, ", every %" PRId64 " ms; ", number_of(state, "interval_ms"));
	if (!json_is_true(json_object_get(state, "held"))) {
		fprintf(out, "no page is marked, because no process has " DEVICE " open: ");
		print_text(out, state, "problem");
		fputc('\n', out);
		return;
	}
	mm_time_format_local(since, sizeof(since), MM_TIME_DATE,
			     number_of(state, "since_ns") / 1000000000);
	fprintf(out, "the recorder daemon has had " DEVICE " open since %s", since);
	if (*message_text(state, "lacking", "")) {
		fprintf(out, "; not recorded: ");
		print_text(out, state, "lacking");
	}
	print_sample(out, state, counters);
	fprintf(out,
		"\n  since the probe was loaded: %" PRId64 " passes, %" PRId64
		" pages marked, %" PRId64 " restored when touched, %" PRId64
		" restored when recording stopped\n",
		number_of(counters, "passes"), number_of(counters, "marked"),
		number_of(counters, "restored"), number_of(counters, "unmarked"));
}
