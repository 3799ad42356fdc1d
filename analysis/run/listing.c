// SPDX-License-Identifier: LGPL-2.1-only
/* Reads a trace for a struct mm_listing, which writes output of its own instead of a report. */
#include "analysis/run/listing.h"

#include "analysis/registry/registry.h"
#include "analysis/run/passes.h"
#include "analysis/run/select.h"
#include "reader/coverage/missing.h"
#include "reader/open/open.h"

/*
 * Passes events to mm_listing.ahead(). Reads up to the end of the time range, or with @only_earlier
 * up to its start.
 */
static int read_ahead(const struct mm_listing *listing, void *state, const struct mm_source *source,
		      struct mm_error *err)
{
	const struct mm_pass pass = { .request = listing->request_ahead,
				      .state = state,
				      .handler = { .user = state, .event = listing->ahead } };
	struct mm_source_options options = *mm_source_options(source);
	struct mm_source *again;
	int ret;

	if (!listing->ahead || !mm_source_can_read_again(source) ||
	    (listing->only_earlier && options.begin_ns == INT64_MIN))
		return 0;
	if (listing->only_earlier) {
		options.end_ns = options.begin_ns;
		options.end_base = options.begin_base;
	}
	options.begin_ns = INT64_MIN;
	options.begin_base = (struct mm_time_base){ MM_TIME_ABSOLUTE };
	options.range_checked = true;
	again = mm_source_open(mm_source_path(source), &options, err);
	ret = mm_pass_run(&pass, again, err);
	mm_source_destroy(again);
	return ret;
}

/*
 * Opens the trace, and excludes damaged packets from the start: a listing cannot withdraw lines
 * that it has already written.
 */
static struct mm_source *open_checked(const char *path, const struct mm_source_options *options,
				      struct mm_error *err)
{
	struct mm_source_options checking = *options;

	checking.check_packets = true;
	return mm_source_open(path, &checking, err);
}

int mm_listing_run(const struct mm_analysis *analysis, const struct mm_listing *listing,
		   const char *path, const struct mm_source_options *source_options,
		   const struct mm_report_options *options, FILE *out, struct mm_listing_gaps *gaps,
		   struct mm_error *err)
{
	struct mm_source *source = open_checked(path, source_options, err);
	struct mm_sysinfo *sysinfo = source ? mm_sysinfo_load(source, mm_sysinfo_part_at) : NULL;
	struct mm_pass pass = {
		.request = listing->request,
		.handler = { .event = listing->event, .lost = listing->lost, .bind = listing->bind }
	};
	struct mm_selection *selection = NULL;
	int ret = -1;

	*gaps = (struct mm_listing_gaps){ false };
	if (!source)
		return -1;
	/*
	 * If the trace has no events of the analysis, refuse it before the listing writes its
	 * title.
	 */
	if (!mm_missing_find(source, err) && mm_source_event_name_count(source))
		mm_analysis_require(analysis, source, err);
	if (sysinfo && !err->code)
		pass.state = pass.handler.user = listing->create(options, sysinfo, out);
	if (!err->code &&
	    (!pass.state || (listing->select && mm_select(&selection, source, sysinfo, options))))
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	else if (selection)
		listing->select(pass.state, selection);
	if (err->code)
		ret = -1;
	else if (!read_ahead(listing, pass.state, source, err))
		ret = mm_pass_run(&pass, source, err);
	if (!ret)
		ret = listing->finish(pass.state, err);
	if (!ret)
		ret = mm_analysis_require(analysis, source, err);
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);

		gaps->damaged |= loss->packets_damaged;
		gaps->truncated |= loss->packets_truncated;
		gaps->lossy |= loss->has_subject && mm_loss_any(loss);
	}
	gaps->left_out = pass.state && listing->left_out ? listing->left_out(pass.state) : 0;
	if (pass.state)
		listing->destroy(pass.state);
	mm_selection_destroy(selection);
	mm_sysinfo_destroy(sysinfo);
	mm_source_destroy(source);
	return ret;
}
