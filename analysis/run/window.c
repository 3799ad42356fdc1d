// SPDX-License-Identifier: LGPL-2.1-only
/* Reads a trace again for events outside the requested time range. */
#include "analysis/run/window.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/run/passes.h"
#include "reader/open/open.h"
#include "util/time.h"

struct event_range {
	struct mm_requests history;
	int64_t first_ns, last_ns;
};

/* Reads the trace of @source again in the time range of @options. */
static int read_again(const struct mm_source *source, const struct mm_source_options *options,
		      const struct mm_pass *pass, struct mm_error *err)
{
	struct mm_source_options checking = *options;
	struct mm_source *again;
	int ret;

	checking.check_packets = true;
	again = mm_source_open(mm_source_path(source), &checking, err);
	ret = mm_pass_run(pass, again, err);
	mm_source_destroy(again);
	return ret;
}

static void request_history(const struct mm_analysis *analysis, void *state,
			    struct mm_requests *requests)
{
	mm_requests_init(requests);
	if (analysis->request_history)
		analysis->request_history(state, 0, requests);
}

/* Does the trace declare any of the requested events? */
static bool declares_history(const struct mm_analysis *analysis, void *state,
			     const struct mm_source *source)
{
	struct mm_requests requests;
	bool found = false;

	request_history(analysis, state, &requests);
	for (unsigned int i = 0; i < requests.count; i++)
		found |= mm_source_declares(source, requests.all[i].event);
	mm_requests_release(&requests);
	return found;
}

int mm_window_history(const struct mm_analysis *analysis, void *state,
		      const struct mm_source *source, struct mm_error *err)
{
	const struct mm_source_options *range = mm_source_options(source);
	struct mm_source_options options = *range;
	struct mm_pass pass = { .request = analysis->request_history,
				.state = state,
				.handler = { .user = state, .event = analysis->before } };

	if (!mm_source_options_windowed(range) || !mm_source_can_read_again(source) ||
	    !declares_history(analysis, state, source))
		return 0;
	options.range_checked = true;
	options.begin_ns = INT64_MIN;
	options.begin_base = (struct mm_time_base){ MM_TIME_ABSOLUTE };
	options.end_ns = range->begin_ns;
	options.end_base = range->begin_base;
	if (range->begin_ns > INT64_MIN && read_again(source, &options, &pass, err))
		return -1;
	options.begin_ns = range->end_ns + (range->end_ns < INT64_MAX);
	options.begin_base = range->end_base;
	options.end_ns = INT64_MAX;
	options.end_base = (struct mm_time_base){ MM_TIME_ABSOLUTE };
	pass.handler.event = analysis->after;
	return analysis->after && range->end_ns < INT64_MAX
		       ? read_again(source, &options, &pass, err)
		       : 0;
}

static int see_times(void *user, const struct mm_event_type *type, const struct mm_event *events,
		     size_t count, struct mm_error *err)
{
	struct event_range *range = user;

	(void)err;
	/*
	 * Skip state dumps: they do not belong to a time range. Skip forks and similar events
	 * (request_history()): a report cannot be made from these alone.
	 */
	if (type->is_state || mm_requests_find(&range->history, type->name) >= 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (events[i].time_ns < range->first_ns)
			range->first_ns = events[i].time_ns;
		if (events[i].time_ns > range->last_ns)
			range->last_ns = events[i].time_ns;
	}
	return 0;
}

void mm_window_conclude(const struct mm_analysis *analysis, void *state,
			const struct mm_source *source, struct mm_report *report)
{
	const struct mm_source_options *options = mm_source_options(source);
	struct mm_source_options whole = *options;
	struct event_range range = { .first_ns = INT64_MAX, .last_ns = INT64_MIN };
	const struct mm_pass pass = { .request = analysis->request,
				      .state = state,
				      .handler = { .user = &range, .events = see_times } };
	struct mm_error err = MM_ERROR_INIT;
	char first[MM_TIME_TEXT], last[MM_TIME_TEXT];
	int ret;

	if (!mm_source_options_windowed(options) || !mm_source_can_read_again(source) ||
	    !analysis->is_empty(state))
		return;
	mm_source_options_select_all(&whole);
	request_history(analysis, state, &range.history);
	ret = read_again(source, &whole, &pass, &err);
	mm_requests_release(&range.history);
	if (ret)
		return;
	if (range.first_ns > range.last_ns) {
		mm_report_finding(
			report,
			"No event of %s in the requested time range, nor elsewhere in the trace.",
			analysis->name);
		return;
	}
	mm_time_format(first, sizeof(first), range.first_ns, options->gmt);
	mm_time_format(last, sizeof(last), range.last_ns, options->gmt);
	mm_report_finding(
		report,
		"No event of %s in the requested time range: the trace has some from %s to %s.",
		analysis->name, first, last);
}
