// SPDX-License-Identifier: LGPL-2.1-only
/* Turns events of page references into counts of pages, mappings, address spaces and intervals. */
#include "analysis/pageref/pageref-state.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pageref/pageref-requests.h"
#include "analysis/pageref/sampled-pages.h"
#include "instrumentation/wire/pageref-sample.h"
#include "reader/coverage/missing.h"
#include "util/time.h"

/* Minimum lengths of the spans. A span ends with the first pass after this time. */
static const int64_t span_ns[PAGEREF_SPANS] = {
	[PAGEREF_INTERVAL] = 0,
	[PAGEREF_1_S] = INT64_C(1000000000),
	[PAGEREF_10_S] = INT64_C(10000000000),
};

static int add_interval(struct pageref_state *state, int64_t start_ns)
{
	const uint32_t count = (uint32_t)state->interval_count;
	struct pageref_interval *intervals =
		count < UINT32_MAX - 1 ? mm_array_grow(state->intervals, count,
						       &state->interval_room, sizeof(*intervals))
				       : NULL;
	struct pageref_interval added = { .start_ns = start_ns };

	if (!intervals)
		return -1;
	state->intervals = intervals;
	for (int span = 0; span < PAGEREF_SPANS && count; span++) {
		const uint32_t first = intervals[count - 1].firsts[span];

		/* Spans start with the first pass, so interval 0 belongs to no span. */
		added.firsts[span] =
			!first || mm_time_difference(start_ns, intervals[first].start_ns) >=
						span_ns[span]
				? count
				: first;
	}
	intervals[state->interval_count++] = added;
	return 0;
}

struct pageref_state *pageref_state_create(void)
{
	struct pageref_state *state = calloc(1, sizeof(*state));
	const uint32_t max = UINT32_MAX - 1;

	if (!state)
		return NULL;
	state->start_ns = INT64_MAX;
	state->end_ns = INT64_MIN;
	state->sample = state->lowest_sample = LTTNG_MM_PAGEREF_SAMPLE_ALL;
	mm_threads_init(&state->threads);
	mm_threads_init(&state->earlier_threads);
	mm_loss_times_init(&state->losses);
	if (!pageref_pages_init(&state->pages) &&
	    !mm_rows_init(&state->spaces, sizeof(struct touched_space), max, 6) &&
	    !mm_rows_init(&state->objects, sizeof(struct pageref_object), max, 6) &&
	    !mm_rows_init(&state->uses, sizeof(struct pageref_use), max, 8) &&
	    !mm_rows_init(&state->thread_uses, sizeof(struct pageref_thread_use), max, 8) &&
	    !mm_rows_init(&state->unmapped, sizeof(struct pageref_unmapped), max, 8) &&
	    !mm_rows_init(&state->file_pages, sizeof(struct pageref_file_page), max, 8) &&
	    !mm_rows_init(&state->interval_uses, sizeof(struct pageref_interval_use), max, 6) &&
	    !mm_last_ranges_init(&state->mappings) &&
	    !mm_last_ranges_init(&state->earlier_mappings) && !pageref_mappings_init(state) &&
	    !pageref_io_init(&state->io) && !pageref_unmarked_init(&state->unmarked) &&
	    !add_interval(state, INT64_MIN))
		return state;
	pageref_state_destroy(state);
	return NULL;
}

void pageref_state_destroy(struct pageref_state *state)
{
	if (!state)
		return;
	for (uint32_t i = 1; i < state->objects.count; i++)
		free(((struct pageref_object *)mm_rows_at(&state->objects, i))->name);
	pageref_pages_release(&state->pages);
	mm_rows_release(&state->spaces);
	mm_rows_release(&state->objects);
	mm_rows_release(&state->uses);
	mm_rows_release(&state->thread_uses);
	mm_rows_release(&state->unmapped);
	mm_rows_release(&state->file_pages);
	mm_rows_release(&state->interval_uses);
	mm_last_ranges_release(&state->mappings);
	mm_last_ranges_release(&state->earlier_mappings);
	pageref_io_release(&state->io);
	pageref_unmarked_release(&state->unmarked);
	mm_threads_release(&state->threads);
	mm_threads_release(&state->earlier_threads);
	mm_loss_times_release(&state->losses);
	free(state->areas);
	free(state->intervals);
	free(state);
}

static void name_space(struct touched_space *space, const struct mm_event *event)
{
	space->pid = (uint32_t)event->fields[SPACE_PID].u;
	space->is_named = true;
	strncpy(space->name, event->fields[SPACE_NAME].s, sizeof(space->name) - 1);
}

static int on_space(struct pageref_state *state, const struct mm_event *event)
{
	struct touched_space *space =
		pageref_state_space(state, (uint32_t)event->fields[SPACE_MM].u);

	if (!space)
		return -1;
	name_space(space, event);
	return 0;
}

static int on_mapping(struct pageref_state *state, const struct mm_event *event)
{
	const uint32_t mm = (uint32_t)event->fields[PAGEREF_MAPPING_MM].u;
	struct touched_space *space = pageref_state_space(state, mm);

	if (!space || pageref_mappings_add(state, event, &state->mappings))
		return -1;
	space->changed = state->pages.number;
	return 0;
}

/*
 * A pass over all address spaces visits them by ascending numbers. A lower or equal number
 * therefore shows that the next pass has started. The next interval starts with this pass.
 */
static int start_pass(struct pageref_state *state, struct touched_space *space,
		      const struct mm_event *event)
{
	const size_t count = state->interval_count;
	const bool is_first = !space->first_passed;
	struct pageref_interval *before;

	pageref_state_enter_interval(state, space);
	space->before = space->interval;
	if ((count == 1 || space->key.a <= state->last_passed) &&
	    add_interval(state, event->time_ns))
		return -1;
	state->last_passed = space->key.a;
	space->interval = space->last_passed = (uint32_t)state->interval_count - 1;
	/* Passes before this one left out the address space, so they did not mark its pages. */
	if (is_first || space->interval > space->before + 1)
		space->used_until = space->interval - 1;
	if (is_first)
		space->first_passed = space->interval;
	before = &state->intervals[space->interval - 1];
	if (space->interval > 1 &&
	    mm_loss_bound_any(mm_loss_between(&state->losses, before->start_ns, event->time_ns)))
		before->lacks_events = state->has_gaps = true;
	return 0;
}

/* Returns an optional field, or 0 if the event does not have it. */
static uint64_t optional(const struct mm_event *event, unsigned int field)
{
	return event->type->kinds[field] == MM_KIND_NONE ? 0 : event->fields[field].u;
}

/*
 * Notes intervals in which touches may be missing. The end event of a pass reports faults without a
 * recorded touch. These faults may belong to the interval before the pass, or to the interval that
 * the pass started. Also notes the interval of a pass that did not mark all pages.
 */
static void note_missed(struct pageref_state *state, struct touched_space *space,
			const struct mm_event *event)
{
	const uint64_t missed_ends = optional(event, PASS_MISSED_ENDS);

	state->missed_ends += missed_ends;
	if (missed_ends) {
		state->intervals[state->interval_count - 1].lacks_events = true;
		if (state->interval_count > 1)
			state->intervals[state->interval_count - 2].lacks_events = true;
	}
	if (!optional(event, PASS_SKIPPED))
		return;
	state->skipped++;
	state->intervals[space->interval].lacks_events = true;
	/* Pages that were touched earlier may still lack a mark. */
	space->used_until = space->interval;
}

static void note_sample(struct pageref_state *state, const struct mm_event *event)
{
	const uint64_t sample = optional(event, PASS_SAMPLE);

	if (!sample || sample > LTTNG_MM_PAGEREF_SAMPLE_ALL)
		return;
	if (sample < state->lowest_sample)
		state->lowest_sample = (uint32_t)sample;
	if (sample > state->highest_sample)
		state->highest_sample = (uint32_t)sample;
}

static int on_pass(struct pageref_state *state, const struct mm_event *event)
{
	struct touched_space *space =
		pageref_state_space(state, (uint32_t)event->fields[PASS_MM].u);

	if (!space)
		return -1;
	note_sample(state, event);
	note_missed(state, space, event);
	if (!event->fields[PASS_END].u)
		return start_pass(state, space, event);
	space->passes++;
	space->armed += event->fields[PASS_ARMED].u;
	space->left_out = event->fields[PASS_LEFT_OUT].u;
	return 0;
}

static int on_gone(struct pageref_state *state, const struct mm_event *event)
{
	const union mm_scalar *f = event->fields;
	const uint32_t mm = (uint32_t)f[RANGE_MM].u;
	const uint64_t first = f[RANGE_ADDRESS].u >> PAGEREF_PAGE_SHIFT;
	struct touched_space *space = pageref_state_space(state, mm);
	uint64_t last;

	if (!space)
		return -1;
	/* An address space that has ended is never touched again, and its number is not reused. */
	space->has_ended |= f[RANGE_CAUSE].u == LTTNG_MM_PAGEREF_GONE_EXIT;
	if (!f[RANGE_PAGES].u || space->has_ended)
		return 0;
	last = f[RANGE_PAGES].u > MM_LAST_RANGE_END - first ? MM_LAST_RANGE_END - 1
							    : first + f[RANGE_PAGES].u - 1;
	if (pageref_pages_gone(&state->pages, mm, first, last))
		return -1;
	space->changed = state->pages.number;
	return f[RANGE_CAUSE].u == LTTNG_MM_PAGEREF_GONE_UNMAP
		       ? mm_last_ranges_set(&state->mappings, mm, first, last, space->changed, 0)
		       : 0;
}

/* An event whose pages are being counted. */
struct counted_event {
	struct pageref_state *state;
	const struct mm_event *event;
};

/* Counts possibly touched pages: unseen pages, or pages that a fault on another page mapped. */
static int count_pages(void *user, uint64_t page, uint64_t count)
{
	const struct counted_event *counted = user;
	struct pageref_state *state = counted->state;
	const struct mm_event *event = counted->event;
	const union mm_scalar *f = event->fields;
	const bool unseen = event->type->request == PAGEREF_ON_UNSEEN;
	struct touched_space *space = pageref_state_space(state, (uint32_t)f[RANGE_MM].u);
	struct pageref_interval_use *use;
	uint64_t maybe = 0;

	if (!space ||
	    pageref_pages_maybe(&state->pages, space->key.a, page, count, space->changed, &maybe) ||
	    pageref_mappings_maybe(state, space->key.a, page, maybe))
		return -1;
	pageref_state_enter_interval(state, space);
	space->counts.maybe += maybe;
	/* A pass reports pages that were used before the pass started. */
	use = mm_rows_get(&state->interval_uses, space->key.a,
			  unseen ? space->before : space->interval);
	if (!use)
		return -1;
	if (unseen) {
		space->unseen += count;
		use->unseen += count;
	} else {
		space->around += count;
		use->around += count;
	}
	return 0;
}

/* Counts the pages of the range that are in the sample. */
static int on_pages(struct pageref_state *state, const struct mm_event *event)
{
	return pageref_sampled_visit(state->sample, state->highest_sample,
				     event->fields[RANGE_ADDRESS].u >> PAGEREF_PAGE_SHIFT,
				     event->fields[RANGE_PAGES].u, count_pages,
				     &(struct counted_event){ state, event });
}

/* Is the event about the probe's own buffer (address space 0)? */
static bool is_own(const struct mm_event *event)
{
	const unsigned int request = (unsigned int)event->type->request;

	if (request == PAGEREF_ON_TOUCH || request == PAGEREF_ON_TOUCH_WIDE)
		return !event->fields[TOUCH_MM].u;
	return request >= PAGEREF_ON_AROUND && request <= PAGEREF_ON_GONE &&
	       !event->fields[RANGE_MM].u;
}

int pageref_state_start(struct pageref_state *state, const struct mm_source *source)
{
	int ret = 0;

	state->started = true;
	state->has_begin = mm_source_options(source)->begin_ns != INT64_MIN;
	for (size_t i = 0; i < mm_source_loss_count(source) && !ret; i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		const struct mm_cut *cut = mm_missing_cut(source, loss);

		if (cut && loss->affects_others)
			ret = mm_loss_times_add_cut(&state->losses, cut);
	}
	return ret;
}

static int on_thread(struct pageref_state *state, const struct mm_event *event)
{
	pageref_queue_forget_threads(&state->queue);
	return mm_threads_see(&state->threads, (enum mm_thread_event)event->type->request, event, 0,
			      NULL);
}

static int on_touch(struct pageref_state *state, const struct mm_event *event)
{
	if (is_own(event))
		return 0;
	return pageref_state_note(state, event) ? -1 : pageref_queue_touch(state, event);
}

int pageref_state_event(struct pageref_state *state, const struct mm_event *event)
{
	const unsigned int request = (unsigned int)event->type->request;

	if (request == PAGEREF_ON_TOUCH)
		return on_touch(state, event);
	/* Process the queued touches first, because they precede this event. */
	if (pageref_queue_flush(state))
		return -1;
	if (request < PAGEREF_ON_SPACE)
		return on_thread(state, event);
	/* A state dump applies to the whole trace, no matter when it was recorded. */
	if (request == PAGEREF_ON_SPACE_DUMP)
		return on_space(state, event);
	if (request == PAGEREF_ON_MAPPING_DUMP)
		return pageref_mappings_add(state, event, &state->earlier_mappings);
	if (is_own(event))
		return 0;
	if (pageref_state_note(state, event))
		return -1;
	switch (request) {
	case PAGEREF_ON_SPACE:
		return on_space(state, event);
	case PAGEREF_ON_MAPPING:
		return on_mapping(state, event);
	case PAGEREF_ON_FILE:
		return pageref_io_name(&state->io, event);
	case PAGEREF_ON_FILE_IO:
		return pageref_io_event(&state->io, event);
	case PAGEREF_ON_TOUCH_WIDE:
		pageref_queue_touch_wide(state, event);
		return 0;
	case PAGEREF_ON_PASS:
		return on_pass(state, event);
	case PAGEREF_ON_GONE:
		return on_gone(state, event);
	default:
		return on_pages(state, event);
	}
}

/* Handles an event from before the time range that marks or unmarks pages. */
static int note_unmarked(struct pageref_state *state, const struct mm_event *event)
{
	struct pageref_unmarked_pages *unmarked = &state->unmarked;
	const union mm_scalar *f = event->fields;
	const uint32_t mm = (uint32_t)f[RANGE_MM].u;
	const uint64_t page = f[RANGE_ADDRESS].u >> PAGEREF_PAGE_SHIFT;
	struct pageref_place place;

	switch (event->type->request) {
	case PAGEREF_ON_TOUCH:
		return pageref_queue_look_up_place(state, event, &place)
			       ? pageref_unmarked_touch(unmarked, place.mm, place.address,
							place.is_huge)
			       : 0;
	case PAGEREF_ON_TOUCH_WIDE:
		pageref_queue_touch_wide(state, event);
		return 0;
	case PAGEREF_ON_AROUND:
		return pageref_unmarked_add(unmarked, mm, page, f[RANGE_PAGES].u, false);
	case PAGEREF_ON_PASS:
		return pageref_unmarked_pass(unmarked, mm, f[PASS_END].u,
					     optional(event, PASS_SKIPPED));
	case PAGEREF_ON_GONE:
		return f[RANGE_CAUSE].u == LTTNG_MM_PAGEREF_GONE_EXIT
			       ? pageref_unmarked_end(unmarked, mm)
			       : pageref_unmarked_gone(unmarked, mm, page, f[RANGE_PAGES].u);
	default:
		return 0;
	}
}

int pageref_state_before(struct pageref_state *state, const struct mm_event *event, bool is_ahead)
{
	struct touched_space *space;

	if (pageref_queue_flush(state))
		return -1;
	if (event->type->request < PAGEREF_ON_SPACE)
		return mm_threads_see(&state->earlier_threads,
				      (enum mm_thread_event)event->type->request, event, 0, NULL);
	if (event->type->request == PAGEREF_ON_MAPPING)
		return pageref_mappings_add(state, event, &state->earlier_mappings);
	if (event->type->request == PAGEREF_ON_FILE)
		return pageref_io_name(&state->io, event);
	if (event->type->request >= PAGEREF_ON_TOUCH)
		return is_own(event) ? 0 : note_unmarked(state, event);
	if (!is_ahead && !mm_rows_lookup(&state->spaces, (uint32_t)event->fields[SPACE_MM].u, 0))
		return 0;
	space = pageref_state_space(state, (uint32_t)event->fields[SPACE_MM].u);
	if (!space)
		return -1;
	name_space(space, event);
	return 0;
}

void pageref_state_lost(struct pageref_state *state, const struct mm_loss *loss, int64_t begin_ns)
{
	if (loss->affects_others && mm_loss_times_add(&state->losses, loss, begin_ns))
		state->failed = true;
}

int pageref_state_finish(struct pageref_state *state, const struct mm_sysinfo *sysinfo)
{
	state->sysinfo = sysinfo;
	if (pageref_queue_flush(state) || state->failed ||
	    mm_threads_precede(&state->threads, &state->earlier_threads))
		return -1;
	if (pageref_mappings_resolve(state) || pageref_mappings_count_unmarked(state) ||
	    pageref_mappings_count_resident(state))
		return -1;
	for (uint32_t i = 1; i < state->spaces.count; i++) {
		struct touched_space *space = mm_rows_at(&state->spaces, i);
		const char *name;
		int32_t pid;

		if (space->is_named || space->thread == MM_HASH_NONE)
			continue;
		pid = mm_threads_pid(&state->threads, space->thread, sysinfo);
		name = mm_threads_comm(&state->threads, space->thread, sysinfo);
		space->pid = pid < 0 ? PAGEREF_NO_PID : (uint32_t)pid;
		if (name)
			strncpy(space->name, name, sizeof(space->name) - 1);
	}
	return 0;
}
