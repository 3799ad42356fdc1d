// SPDX-License-Identifier: LGPL-2.1-only
/* Reads mappings, names and unseen pages, before the touches are read. */
#include "analysis/mrc/prelude.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/run/passes.h"
#include "instrumentation/wire/pageref-sample.h"
#include "instrumentation/wire/pageref.h"
#include "reader/open/open.h"

enum { ON_SPACE, ON_SPACE_DUMP, ON_MAPPING_DUMP, ON_PASS, ON_UNSEEN };
enum {
	ON_EARLIER_SPACE,
	ON_EARLIER_MAPPING,
	ON_EARLIER_TOUCH,
	ON_EARLIER_WIDE,
	ON_EARLIER_AROUND,
	ON_EARLIER_PASS,
	ON_EARLIER_GONE,
};
enum { EARLIER_MM, EARLIER_ADDRESS, EARLIER_PAGES, EARLIER_CAUSE };
enum { EARLIER_HUGE = EARLIER_PAGES };
enum { EARLIER_END = EARLIER_ADDRESS, EARLIER_SKIPPED };
enum { SPACE_MM, SPACE_PID, SPACE_PARENT, SPACE_NAME };
enum { PASS_MM, PASS_END, PASS_SAMPLE };
enum { UNSEEN_MM, UNSEEN_ADDRESS, UNSEEN_PAGES };

#define PAGE_SHIFT 12

static void request_integers(struct mm_requests *requests, const char *event,
			     const char *const *names)
{
	mm_requests_add(requests, event);
	for (; *names; names++)
		mm_requests_add_field(requests, *names, MM_FIELD_INTEGER);
}

static void request_space(struct mm_requests *requests, const char *event)
{
	static const char *const names[] = { "mm", "pid", "parent", NULL };

	request_integers(requests, event, names);
	mm_requests_add_field(requests, "name", MM_FIELD_STRING);
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	static const char *const pass_names[] = { "mm", "end", NULL };
	static const char *const unseen_names[] = { "mm", "address", "pages", NULL };

	(void)user;
	(void)pass;
	request_space(requests, "pageref_mm");
	request_space(requests, "pageref_statedump_mm");
	mrc_mappings_request(requests, "pageref_statedump_mapping");
	request_integers(requests, "pageref_pass", pass_names);
	/* Older probes lack this field, because they always record all pages. */
	mm_requests_add_field(requests, "sample", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	request_integers(requests, "pageref_unseen", unseen_names);
}

static void request_earlier(void *user, unsigned int pass, struct mm_requests *requests)
{
	static const char *const touch_names[] = { "mm", "address", "huge", NULL };
	static const char *const range_names[] = { "mm", "address", "pages", NULL };
	static const char *const gone_names[] = { "mm", "address", "pages", "cause", NULL };
	static const char *const pass_names[] = { "mm", "end", NULL };
	const struct mrc_prelude *prelude = user;

	(void)pass;
	request_space(requests, "pageref_mm");
	mrc_mappings_request(requests, "pageref_mapping");
	if (!prelude->reads_unmarked)
		return;
	request_integers(requests, "pageref_touch", touch_names);
	request_integers(requests, "pageref_touch_wide", touch_names);
	request_integers(requests, "pageref_around", range_names);
	request_integers(requests, "pageref_pass", pass_names);
	/* Older probes lack this field. */
	mm_requests_add_field(requests, "skipped", MM_FIELD_INTEGER | MM_FIELD_OPTIONAL);
	request_integers(requests, "pageref_gone", gone_names);
}

static struct mrc_known_space *find_space(struct mrc_prelude *prelude, uint32_t mm)
{
	const uint32_t count = prelude->spaces.count;
	struct mrc_known_space *space = mm_rows_get(&prelude->spaces, mm, 0);

	if (space && prelude->spaces.count > count) {
		space->first_unseen = space->last_unseen = MRC_NO_UNSEEN;
		space->current_pass_ns = space->last_pass_ns = INT64_MIN;
	}
	return space;
}

static int on_space(struct mrc_prelude *prelude, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct mrc_known_space *space = find_space(prelude, (uint32_t)f[SPACE_MM].u);

	if (!space)
		return -1;
	if (space->is_named)
		return 0;
	space->is_named = true;
	space->pid = (uint32_t)f[SPACE_PID].u;
	space->parent = (uint32_t)f[SPACE_PARENT].u;
	strncpy(space->name, f[SPACE_NAME].s, sizeof(space->name) - 1);
	return 0;
}

static int on_pass(struct mrc_prelude *prelude, const struct mm_event *event)
{
	struct mrc_known_space *space = find_space(prelude, (uint32_t)event->fields[PASS_MM].u);

	const uint64_t sample = event->fields[PASS_SAMPLE].u;

	if (!space)
		return -1;
	if (event->type->kinds[PASS_SAMPLE] != MM_KIND_NONE && sample) {
		if (sample < prelude->sample)
			prelude->sample = (uint32_t)sample;
		if (sample > prelude->highest)
			prelude->highest = sample < LTTNG_MM_PAGEREF_SAMPLE_ALL
						   ? (uint32_t)sample
						   : LTTNG_MM_PAGEREF_SAMPLE_ALL;
	}
	if (event->fields[PASS_END].u) {
		space->last_pass_ns = space->current_pass_ns;
		space->current_pass_ns = INT64_MIN;
	} else {
		space->current_pass_ns = event->time_ns;
	}
	return 0;
}

static int on_unseen(struct mrc_prelude *prelude, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	struct mrc_known_space *space = find_space(prelude, (uint32_t)f[UNSEEN_MM].u);
	struct mrc_unseen *all = mm_array_grow(prelude->unseen, prelude->unseen_count,
					       &prelude->unseen_room, sizeof(*all));

	if (!space || !all)
		return -1;
	prelude->unseen = all;
	all[prelude->unseen_count] = (struct mrc_unseen){
		.since_ns = space->last_pass_ns,
		.first = f[UNSEEN_ADDRESS].u >> PAGE_SHIFT,
		.pages = f[UNSEEN_PAGES].u,
		.next = MRC_NO_UNSEEN,
	};
	if (space->last_unseen == MRC_NO_UNSEEN)
		space->first_unseen = (uint32_t)prelude->unseen_count;
	else
		all[space->last_unseen].next = (uint32_t)prelude->unseen_count;
	space->last_unseen = (uint32_t)prelude->unseen_count++;
	return 0;
}

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct mrc_prelude *prelude = user;
	int ret;

	switch (event->type->request) {
	case ON_SPACE:
	case ON_SPACE_DUMP:
		ret = on_space(prelude, event);
		break;
	case ON_MAPPING_DUMP:
		ret = mrc_mappings_add(&prelude->mappings, event);
		break;
	case ON_PASS:
		ret = on_pass(prelude, event);
		break;
	default:
		ret = on_unseen(prelude, event);
	}
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory") : 0;
}

/*
 * Notes an earlier event that adds or removes marks. Ignores a packed touch without a place: its
 * wide variant has the place.
 */
static int on_unmarked(struct pageref_unmarked_pages *unmarked, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const uint32_t mm = (uint32_t)f[EARLIER_MM].u;
	const uint64_t page = f[EARLIER_ADDRESS].u >> PAGE_SHIFT;

	switch (event->type->request) {
	case ON_EARLIER_TOUCH:
		if (mm == LTTNG_MM_PAGEREF_MM_ONES ||
		    f[EARLIER_ADDRESS].u == LTTNG_MM_PAGEREF_ADDRESS_ONES)
			return 0;
		/* fall through */
	case ON_EARLIER_WIDE:
		return pageref_unmarked_touch(unmarked, mm, f[EARLIER_ADDRESS].u,
					      f[EARLIER_HUGE].u);
	case ON_EARLIER_AROUND:
		return pageref_unmarked_add(unmarked, mm, page, f[EARLIER_PAGES].u, false);
	case ON_EARLIER_PASS:
		return pageref_unmarked_pass(unmarked, mm, f[EARLIER_END].u,
					     event->type->kinds[EARLIER_SKIPPED] != MM_KIND_NONE &&
						     f[EARLIER_SKIPPED].u);
	default:
		return f[EARLIER_CAUSE].u == LTTNG_MM_PAGEREF_GONE_EXIT
			       ? pageref_unmarked_end(unmarked, mm)
			       : pageref_unmarked_gone(unmarked, mm, page, f[EARLIER_PAGES].u);
	}
}

static int on_earlier(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct mrc_prelude *prelude = user;
	const int ret = event->type->request == ON_EARLIER_SPACE ? on_space(prelude, event)
			: event->type->request == ON_EARLIER_MAPPING
				? mrc_mappings_add(&prelude->mappings, event)
				: on_unmarked(&prelude->unmarked, event);

	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory") : 0;
}

/* Reads the events before the start of the time range. */
static int read_earlier(struct mrc_prelude *prelude, const char *path,
			const struct mm_source_options *range, struct mm_error *err)
{
	const struct mm_pass pass = { .request = request_earlier,
				      .state = prelude,
				      .handler = { .user = prelude, .event = on_earlier } };
	struct mm_source_options options = *range;
	struct mm_source *source;
	int ret;

	if (range->begin_ns == INT64_MIN)
		return 0;
	options.range_checked = true;
	options.begin_ns = INT64_MIN;
	options.begin_base = (struct mm_time_base){ MM_TIME_ABSOLUTE };
	options.end_ns = range->begin_ns;
	options.end_base = range->begin_base;
	source = mm_source_open(path, &options, err);
	ret = mm_pass_run(&pass, source, err);
	mm_source_destroy(source);
	return ret;
}

/* Checks that the trace declares events of page references. */
static int require(const struct mm_source *source, struct mm_error *err)
{
	if (mm_source_declares_prefix(source, "pageref_"))
		return 0;
	if (mm_source_orphan_count(source))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"trace: %s: the trace has no pageref_* events, but it has " MM_ORPHANS_REMEDY,
			mm_source_path(source), mm_source_orphan_at(source, 0));
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"trace: %s: the trace has no pageref_* events; record them with `lttng-mm record page-ref`",
		mm_source_path(source));
}

struct mrc_prelude *mrc_prelude_read(const char *path, const struct mm_source_options *options,
				     bool unmarked, struct mm_error *err)
{
	struct mrc_prelude *prelude = calloc(1, sizeof(*prelude));
	const struct mm_pass pass = { .request = request,
				      .state = prelude,
				      .handler = { .user = prelude, .event = on_event } };
	struct mm_source *source = NULL;
	int ret = -1;

	if (prelude) {
		prelude->sample = LTTNG_MM_PAGEREF_SAMPLE_ALL;
		prelude->reads_unmarked = unmarked;
	}
	if (!prelude ||
	    mm_rows_init(&prelude->spaces, sizeof(struct mrc_known_space), UINT32_MAX - 1, 8) ||
	    mrc_mappings_init(&prelude->mappings) || pageref_unmarked_init(&prelude->unmarked))
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "trace: out of memory");
	else
		source = mm_source_open(path, options, err);
	if (source && !mm_pass_run(&pass, source, err) && !require(source, err))
		ret = read_earlier(prelude, path, mm_source_options(source), err);
	mm_source_destroy(source);
	if (!ret)
		return prelude;
	mrc_prelude_destroy(prelude);
	return NULL;
}

void mrc_prelude_destroy(struct mrc_prelude *prelude)
{
	if (!prelude)
		return;
	mm_rows_release(&prelude->spaces);
	mrc_mappings_release(&prelude->mappings);
	pageref_unmarked_release(&prelude->unmarked);
	free(prelude->unseen);
	free(prelude);
}

double mrc_prelude_recorded(const struct mrc_prelude *prelude)
{
	return (double)prelude->sample / LTTNG_MM_PAGEREF_SAMPLE_ALL;
}

const struct mrc_known_space *mrc_prelude_space(const struct mrc_prelude *prelude, uint32_t mm)
{
	return mm_rows_lookup(&prelude->spaces, mm, 0);
}

bool mrc_prelude_may_use(const struct mrc_prelude *prelude, uint32_t mm)
{
	const struct mrc_known_space *space = mrc_prelude_space(prelude, mm);

	return (space && space->first_unseen != MRC_NO_UNSEEN &&
		prelude->unseen[space->first_unseen].since_ns == INT64_MIN) ||
	       pageref_unmarked_has(&prelude->unmarked, mm);
}
