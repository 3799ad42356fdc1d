// SPDX-License-Identifier: LGPL-2.1-only
/* Runs the passes of an analysis or of rules over a trace. */
#include "analysis/run/passes.h"

#include <stdlib.h>

#include "reader/open/open.h"

int mm_pass_run(const struct mm_pass *pass, struct mm_source *source, struct mm_error *err)
{
	struct mm_requests requests;
	int ret;

	if (!source)
		return -1;
	mm_requests_init(&requests);
	requests.source = source;
	pass->request(pass->state, pass->number, &requests);
	for (unsigned int i = 0; i < requests.count && pass->first_fields; i++)
		if (requests.all[i].field_count)
			requests.all[i].fields[0].flags |= MM_FIELD_FIRST;
	ret = mm_source_run(source, &requests, &pass->handler, err);
	mm_requests_release(&requests);
	return ret;
}

int mm_analysis_require(const struct mm_analysis *analysis, const struct mm_source *source,
			struct mm_error *err)
{
	if (!analysis->required || mm_source_declares_prefix(source, analysis->required))
		return 0;
	if (mm_source_orphan_count(source))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: the trace has no %s* events, but it has " MM_ORPHANS_REMEDY,
			mm_source_path(source), analysis->required, mm_source_orphan_at(source, 0));
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"trace: %s: the trace has no %s* events; record them with `lttng-mm record %s`",
		mm_source_path(source), analysis->required, analysis->name);
}

bool mm_source_can_read_again(const struct mm_source *source)
{
	return mm_source_folder_count(source) > 0;
}

int mm_passes_check_single(const struct mm_analysis *analysis, const char *what,
			   struct mm_error *err)
{
	if (analysis->passes <= 1 || analysis->single_pass)
		return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"report %s: %s: this input can be read only once, but the report reads it %u times; record a snapshot and give its folder",
		analysis->name, what, analysis->passes);
}

int mm_passes_check_again(const struct mm_analysis *analysis, const char *what,
			  const struct mm_report_options *options, struct mm_error *err)
{
	const char *option = analysis->needs_again ? analysis->needs_again(options) : NULL;

	if (!option)
		return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"report %s: %s: this input can be read only once, but %s reads it twice; record a snapshot and give its folder to `lttng-mm report %s`",
		analysis->name, what, option, analysis->name);
}

void mm_passes_note(const struct mm_analysis *analysis, struct mm_report *report)
{
	if (analysis->passes > 1)
		mm_report_note(report, "The events can be read only once: %s.",
			       analysis->single_pass);
}

int mm_passes_run(const struct mm_analysis *analysis, void *state, const struct mm_source *source,
		  struct mm_passes *passes, struct mm_error *err)
{
	/*
	 * The first pass has already reported damage. Later passes call lost_again() instead of
	 * lost().
	 */
	struct mm_pass pass = { .request = analysis->request,
				.state = state,
				.handler = { .user = state,
					     .event = analysis->event,
					     .bind = analysis->bind,
					     .lost = analysis->lost_again } };

	*passes = (struct mm_passes){ NULL };
	if (analysis->passes <= 1)
		return 0;
	passes->sources = calloc(analysis->passes, sizeof(struct mm_source *));
	if (!passes->sources)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	for (pass.number = 1; pass.number < analysis->passes; pass.number++) {
		struct mm_source *again =
			mm_source_open(mm_source_path(source), mm_source_options(source), err);

		passes->sources[passes->count++] = again;
		if (mm_pass_run(&pass, again, err))
			return -1;
	}
	return 0;
}

void mm_passes_release(struct mm_passes *passes)
{
	for (unsigned int i = 0; i < passes->count; i++)
		mm_source_destroy(passes->sources[i]);
	free(passes->sources);
}
