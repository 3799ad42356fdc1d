// SPDX-License-Identifier: LGPL-2.1-only
/* Holds the events of a trace to the rules of a subsystem. */
#include "analysis/run/rules.h"

#include "analysis/run/open.h"

/* Read in one piece: state dumps, which hold for the whole trace, would be counted in each part. */
static int read_trace(const struct mm_rules *rules, void *state, const char *path,
		      unsigned int jobs, struct mm_error *err)
{
	const struct mm_handler handler = { .user = state, .event = rules->event };
	struct mm_source_options options;
	struct mm_requests requests;
	struct mm_source *source;
	int ret;

	mm_source_options_init(&options);
	options.reader = MM_READER_FAST;
	options.jobs = jobs;
	source = mm_source_open(path, &options, err);
	if (!source)
		return -1;
	mm_requests_init(&requests);
	rules->request(&requests);
	for (unsigned int i = 0; i < requests.count; i++)
		requests.all[i].fields[0].flags |= MM_FIELD_FIRST;
	ret = mm_source_run(source, &requests, &handler, err);
	/* Findings may refer to what the events had in common, which is the source's. */
	if (!ret)
		ret = rules->finish(state, err);
	mm_requests_release(&requests);
	mm_source_destroy(source);
	return ret;
}

int mm_rules_run(const struct mm_rules *rules, const char *path, unsigned int jobs, uint64_t limit,
		 mm_rules_finding_fn *finding, void *user, struct mm_rules_counts *counts,
		 struct mm_error *err)
{
	void *state = rules->create();
	int ret;

	*counts = (struct mm_rules_counts){ 0 };
	if (!state)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "verify: out of memory");
	ret = read_trace(rules, state, path, jobs, err);
	if (!ret)
		rules->report(state, limit, finding, user, counts);
	rules->destroy(state);
	return ret;
}
