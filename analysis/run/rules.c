// SPDX-License-Identifier: LGPL-2.1-only
/* Checks the events of a trace against the rules of a subsystem. */
#include "analysis/run/rules.h"

#include <stdlib.h>

#include "analysis/run/open.h"
#include "analysis/run/passes.h"

/*
 * Reads the trace in one piece: state dumps apply to the whole trace and would be counted in each
 * part. Sets *@suspect if events of damaged packets were delivered; if it is set, none is.
 */
static int read_trace(const struct mm_rules *rules, void *state, const char *path,
		      unsigned int jobs, bool *suspect, struct mm_error *err)
{
	struct mm_pass pass = { .request = rules->request,
				.state = state,
				.handler = { .user = state,
					     .event = rules->event,
					     .lost = rules->lost,
					     .bind = rules->bind },
				.first_fields = true };
	unsigned int count = rules->passes ? rules->passes : 1;
	struct mm_source **sources = calloc(count, sizeof(struct mm_source *));
	struct mm_source_options options;
	int ret = 0;

	if (!sources)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	options.jobs = jobs;
	options.check_packets = *suspect;
	for (; pass.number < count && !ret; pass.number++) {
		sources[pass.number] = mm_source_open(path, &options, err);
		ret = mm_pass_run(&pass, sources[pass.number], err);
		*suspect |= !ret && sources[pass.number]->suspect;
	}
	/* Findings may refer to what the events had in common, which is the sources'. */
	if (!ret)
		ret = rules->finish(state, err);
	for (unsigned int i = 0; i < count; i++)
		mm_source_destroy(sources[i]);
	free(sources);
	return ret;
}

int mm_rules_run(const struct mm_rules *rules, const char *path, unsigned int jobs, uint64_t limit,
		 mm_rules_finding_fn *finding, void *user, struct mm_rules_counts *counts,
		 struct mm_error *err)
{
	void *state = rules->create();
	bool suspect = false;
	int ret;

	*counts = (struct mm_rules_counts){ 0 };
	if (!state)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
	ret = read_trace(rules, state, path, jobs, &suspect, err);
	/* Events of damaged packets have reached the rules: again, without these. */
	if (!ret && suspect) {
		rules->destroy(state);
		state = rules->create();
		ret = state ? read_trace(rules, state, path, jobs, &suspect, err)
			    : mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
	}
	if (!ret)
		rules->report(state, limit, finding, user, counts);
	if (state)
		rules->destroy(state);
	return ret;
}
