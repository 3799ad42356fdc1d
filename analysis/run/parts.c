// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs an analysis on parts of a trace in parallel. Each part has its own thread, source and state.
 */
#include "analysis/run/parts.h"

#include <stdlib.h>

#include "reader/ctf/decode/source.h"
#include "analysis/registry/registry.h"
#include "reader/open/split.h"
#include "reader/open/open.h"
#include "analysis/run/passes.h"
#include "analysis/run/select.h"
#include "reader/coverage/missing.h"
#include "util/threads.h"

struct trace_part {
	const struct mm_analysis *analysis;
	const struct mm_report_options *options;
	struct mm_selection *selection; /* shared by all parts; NULL: all threads */
	struct mm_source *source;
	void *state;
	pthread_t thread;
	bool started;
	bool failed; /* the part failed or cannot be merged */
};

static void run_source(struct trace_part *part, struct mm_error *err)
{
	const struct mm_pass pass = { .request = part->analysis->request,
				      .state = part->state,
				      .handler = { .user = part->state,
						   .event = part->analysis->event,
						   .lost = part->analysis->lost,
						   .bind = part->analysis->bind } };

	part->failed = mm_pass_run(&pass, part->source, err);
}

static bool lost_anything(const struct mm_source *source)
{
	for (size_t i = 0; i < mm_source_loss_count(source); i++)
		if (mm_loss_any(mm_source_loss_at(source, i)))
			return true;
	return false;
}

static void *run_part(void *user)
{
	struct mm_error err = MM_ERROR_INIT;
	struct trace_part *part = user;

	run_source(part, &err);
	part->failed |= mm_source_is_disordered(part->source) ||
			mm_source_damage_count(part->source) || lost_anything(part->source);
	return NULL;
}

static void destroy_part(struct trace_part *part)
{
	if (part->state)
		part->analysis->destroy(part->state);
	mm_source_destroy(part->source);
	part->state = NULL;
	part->source = NULL;
}

/* Prepares a part to read @source. If @source is NULL, it could not be opened, and @err is set. */
static int open_part(struct trace_part *part, const struct mm_analysis *analysis,
		     struct mm_source *source, struct mm_error *err)
{
	part->analysis = analysis;
	part->source = source;
	if (!source)
		return -1;
	part->state = analysis->create();
	if (!part->state)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	if (analysis->configure && part->options)
		analysis->configure(part->state, part->options);
	if (part->selection)
		analysis->select(part->state, part->selection);
	return 0;
}

/* Merges all parts into the first. Returns false if the trace must be read as a whole. */
static bool join(struct trace_part *parts, unsigned int count)
{
	bool joined = true;

	for (unsigned int i = 0; i < count; i++)
		joined &= !parts[i].failed;
	for (unsigned int i = 1; i < count && joined; i++)
		joined = !mm_source_join(parts[0].source, parts[i].source) &&
			 !parts[0].analysis->merge(parts[0].state, parts[i].state);
	return joined;
}

/* Runs all parts in parallel. Returns false if the trace must be read as a whole. */
static bool run_parts(struct trace_part *parts, unsigned int count)
{
	for (unsigned int i = 1; i < count; i++) {
		parts[i].analysis->continues(parts[i].state);
		parts[i].started = !mm_thread_start(&parts[i].thread, run_part, &parts[i]);
	}
	run_part(&parts[0]);
	for (unsigned int i = 1; i < count; i++) {
		if (parts[i].started)
			pthread_join(parts[i].thread, NULL);
		else
			run_part(&parts[i]);
	}
	return join(parts, count);
}

/* Opens all parts except @parts[0], which is already open. */
static bool open_parts(struct trace_part *parts, unsigned int count,
		       const struct mm_source_options *options, const int64_t *splits)
{
	struct mm_source_options first = *options;
	struct mm_error err = MM_ERROR_INIT;

	first.jobs = 1;
	first.end_ns = splits[0] - 1;
	mm_source_set_options(parts[0].source, &first);
	for (unsigned int i = 1; i < count; i++) {
		struct mm_source_options window = *options;

		window.jobs = 1;
		window.begin_ns = splits[i - 1];
		if (i + 1 < count)
			window.end_ns = splits[i] - 1;
		parts[i].options = parts[0].options;
		parts[i].selection = parts[0].selection;
		if (open_part(&parts[i], parts[0].analysis,
			      mm_source_open_shared(parts[0].source, &window, &err), &err))
			return false;
	}
	return true;
}

enum parts_result { PARTS_NOT_RUN, PARTS_MERGED, PARTS_FAILED };

/*
 * Runs the trace in parts if possible. After PARTS_NOT_RUN, @whole is unchanged. After
 * PARTS_MERGED, @whole has the result of all parts. After PARTS_FAILED, @whole must be destroyed.
 */
static enum parts_result try_parts(struct trace_part *whole, uint64_t bytes_min,
				   unsigned int *joined)
{
	unsigned int jobs = mm_source_options(whole->source)->jobs, count;
	const struct mm_missing_list *missing;
	struct mm_source_options options;
	int64_t splits[MM_JOBS_MAX];
	struct trace_part *parts;
	bool done;

	if (jobs < 2 || !mm_ctf_source_is(whole->source) || !whole->analysis->continues ||
	    !whole->analysis->merge)
		return PARTS_NOT_RUN;
	if (mm_missing_find(whole->source, NULL))
		return PARTS_NOT_RUN;
	missing = mm_source_missing(whole->source);
	if (missing->count || missing->pause_count || missing->cut_count)
		return PARTS_NOT_RUN;
	count = 1 + ctf_split_times(whole->source, jobs, bytes_min, &options, splits);
	parts = count > 1 ? calloc(count, sizeof(*parts)) : NULL;
	if (!parts)
		return PARTS_NOT_RUN;
	parts[0] = *whole;
	done = open_parts(parts, count, &options, splits) && run_parts(parts, count);
	for (unsigned int i = 1; i < count; i++)
		destroy_part(&parts[i]);
	*whole = parts[0];
	free(parts);
	*joined = count;
	return done ? PARTS_MERGED : PARTS_FAILED;
}

static int run_once(struct trace_part *whole, struct mm_error *err)
{
	run_source(whole, err);
	return whole->failed ? -1 : 0;
}

/*
 * Reads the trace as a whole. Events may be used before the reader notices that their packet is
 * damaged. If this happens, reads the trace again, and checks each packet first.
 */
static int run_whole(struct trace_part *whole, const char *path,
		     const struct mm_source_options *options, struct mm_error *err)
{
	struct mm_source_options checking = *options;

	if (run_once(whole, err))
		return -1;
	if (!mm_source_is_suspect(whole->source) || options->check_packets ||
	    !mm_source_can_read_again(whole->source))
		return 0;
	destroy_part(whole);
	checking.check_packets = true;
	return open_part(whole, whole->analysis, mm_source_open(path, &checking, err), err) ||
			       run_once(whole, err)
		       ? -1
		       : 0;
}

/* Finds the selected threads if the analysis supports a selection. */
static int select_threads(struct trace_part *whole, struct mm_sysinfo **sysinfo,
			  struct mm_error *err)
{
	if (!whole->analysis->select || !sysinfo || !whole->options)
		return 0;
	*sysinfo = mm_sysinfo_load(whole->source, mm_sysinfo_part_at);
	if (!*sysinfo || mm_select(&whole->selection, whole->source, *sysinfo, whole->options))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
	if (whole->selection)
		whole->analysis->select(whole->state, whole->selection);
	return 0;
}

int mm_parts_run(const struct mm_analysis *analysis, const char *path,
		 const struct mm_source_options *options,
		 const struct mm_report_options *report_options, uint64_t bytes_min,
		 struct mm_source **source, void **state, struct mm_sysinfo **sysinfo,
		 unsigned int *joined, struct mm_error *err)
{
	struct trace_part whole = { .options = report_options };
	unsigned int count = 1;
	enum parts_result result;

	*source = NULL;
	*state = NULL;
	if (sysinfo)
		*sysinfo = NULL;
	if (open_part(&whole, analysis, mm_source_open(path, options, err), err) ||
	    select_threads(&whole, sysinfo, err))
		goto error;
	result = try_parts(&whole, bytes_min, &count);
	if (result == PARTS_FAILED) {
		destroy_part(&whole);
		if (open_part(&whole, analysis, mm_source_open(path, options, err), err))
			goto error;
	}
	if (result != PARTS_MERGED) {
		count = 1;
		if (run_whole(&whole, path, options, err))
			goto error;
	}
	if (whole.selection)
		analysis->select(whole.state, NULL);
	mm_selection_destroy(whole.selection);
	*source = whole.source;
	*state = whole.state;
	if (joined)
		*joined = count;
	return 0;
error:
	destroy_part(&whole);
	mm_selection_destroy(whole.selection);
	if (sysinfo)
		mm_sysinfo_destroy(*sysinfo);
	return -1;
}
