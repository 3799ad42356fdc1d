// SPDX-License-Identifier: LGPL-2.1-only
/* Connects the analysis of miss curves to the reader. */
#include "analysis/mrc/mrc.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mrc/state.h"
#include "analysis/run/analysis.h"
#include "reader/coverage/missing.h"

const char *const mrc_policy_names[MRC_POLICIES] = { "lru", "clock", "fifo", "opt" };

struct mrc_options {
	struct mm_report_options report;
	const struct mrc_settings *settings;
	const struct mrc_prelude *prelude;
};

struct number_row {
	struct mm_row key;
	uint32_t number; /* number of the group, plus 1; 0: none yet */
};

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "mrc: out of memory");
}

static void destroy_group(struct mrc_group *group)
{
	mrc_pages_release(&group->pages);
	mrc_references_release(&group->references);
	free(group->starts_ns);
	free(group);
}

static void destroy(void *user)
{
	struct mrc_state *state = user;

	for (size_t i = 0; i < state->group_count; i++)
		destroy_group(state->groups[i]);
	free(state->groups);
	mm_rows_release(&state->numbers);
	mm_loss_times_release(&state->losses);
	free(state);
}

static void *create(void)
{
	struct mrc_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	mm_loss_times_init(&state->losses);
	if (!mm_rows_init(&state->numbers, sizeof(struct number_row), UINT32_MAX - 1, 6))
		return state;
	destroy(state);
	return NULL;
}

static void configure(void *user, const struct mm_report_options *options)
{
	struct mrc_state *state = user;

	state->settings = MM_OPTIONS_OF(struct mrc_options, options)->settings;
	state->prelude = MM_OPTIONS_OF(struct mrc_options, options)->prelude;
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	mrc_events_request(requests, false);
}

static bool lacks(void *user, uint32_t since)
{
	struct mrc_group *group = user;
	const int64_t start_ns =
		since < group->start_count ? group->starts_ns[since] : group->now_ns;

	if (!mm_loss_bound_any(mm_loss_between(&group->state->losses, start_ns, group->now_ns)))
		return false;
	group->state->has_gaps = true;
	return true;
}

static uint32_t reference_of(const struct mrc_group *group, uint32_t object)
{
	return object | (group->pages.stack.pages[object].weight > 1 ? MRC_REFERENCE_HUGE : 0);
}

static int on_touched(void *user, uint32_t object)
{
	struct mrc_group *group = user;

	if (object > MRC_REFERENCE_OBJECT)
		return -1;
	return mrc_references_add(&group->references, reference_of(group, object));
}

static int on_freed(void *user, uint32_t object)
{
	struct mrc_group *group = user;

	return mrc_references_add(&group->references, object | MRC_REFERENCE_FREED);
}

static struct mrc_group *add_group(struct mrc_state *state, uint32_t mm)
{
	const struct mrc_known_space *space = mrc_prelude_space(state->prelude, mm);
	struct mrc_group **groups = mm_array_grow(state->groups, state->group_count,
						  &state->group_room, sizeof(*groups));
	struct mrc_group *group = calloc(1, sizeof(*group));

	if (groups)
		state->groups = groups;
	if (!groups || !group ||
	    mrc_pages_init(&group->pages, state->prelude, state->settings->sample)) {
		free(group);
		return NULL;
	}
	groups[state->group_count++] = group;
	group->state = state;
	group->pages.stack.lacks = lacks;
	group->pages.stack.user = group;
	if (state->settings->by_process && space && space->is_named) {
		group->pid = space->pid;
		group->name = space->name;
	}
	for (unsigned int policy = MRC_LRU + 1; policy < MRC_POLICIES; policy++)
		if (state->settings->policies[policy])
			group->pages.keep = true;
	if (group->pages.keep) {
		group->pages.user = group;
		group->pages.touched = on_touched;
		group->pages.freed = on_freed;
	}
	return group;
}

/* Returns the group of an address space. Adds it if it is new. Returns NULL when out of memory. */
static struct mrc_group *find_group(struct mrc_state *state, uint32_t mm)
{
	const struct mrc_known_space *space = NULL;
	struct number_row *row;

	if (!state->settings->by_process)
		return state->group_count ? state->groups[0] : add_group(state, mm);
	space = mrc_prelude_space(state->prelude, mm);
	row = mm_rows_get(&state->numbers, space && space->is_named ? space->pid : mm,
			  space && space->is_named);
	if (!row)
		return NULL;
	if (!row->number) {
		if (!add_group(state, mm))
			return NULL;
		row->number = (uint32_t)state->group_count;
	}
	return state->groups[row->number - 1];
}

/* Notes the start times of new segments. */
static int note_segments(struct mrc_group *group, int64_t time_ns)
{
	while (group->start_count <= group->pages.stack.segment) {
		int64_t *starts = mm_array_grow(group->starts_ns, group->start_count,
						&group->start_room, sizeof(*starts));

		if (!starts)
			return -1;
		group->starts_ns = starts;
		starts[group->start_count++] = time_ns;
	}
	return 0;
}

/*
 * Adds each address space whose pages may be used without a touch from the start of the time range
 * on, because its first event may follow much later.
 */
static int begin_spaces(struct mrc_state *state, int64_t time_ns)
{
	const struct mm_rows *all[] = { &state->prelude->unmarked.spaces, &state->prelude->spaces };

	for (size_t rows = 0; rows < sizeof(all) / sizeof(all[0]); rows++) {
		for (uint32_t i = 1; i < all[rows]->count; i++) {
			const uint32_t mm = ((const struct mm_row *)mm_rows_at(all[rows], i))->a;
			struct mrc_group *group;

			if (mm == MRC_OWN_SPACE || !mrc_prelude_may_use(state->prelude, mm))
				continue;
			group = find_group(state, mm);
			if (!group)
				return -1;
			group->now_ns = time_ns;
			if (note_segments(group, time_ns) ||
			    mrc_pages_space(&group->pages, mm, 0) || note_segments(group, time_ns))
				return -1;
		}
	}
	return 0;
}

/* Notes the streams that may lack events at their start or end. */
static int start(struct mrc_state *state, const struct mm_event *event)
{
	state->started = true;
	state->has_begin = mm_source_options(event->source)->begin_ns != INT64_MIN;
	state->first_ns = event->time_ns;
	for (size_t i = 0; i < mm_source_loss_count(event->source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(event->source, i);
		const struct mm_cut *cut = mm_missing_cut(event->source, loss);

		if (cut && loss->affects_others && mm_loss_times_add_cut(&state->losses, cut))
			return -1;
	}
	return begin_spaces(state, event->time_ns);
}

/* Handles the touches in the queue. */
static int flush(struct mrc_group *group)
{
	const unsigned int count = group->queued;

	if (!count)
		return 0;
	group->queued = 0;
	mrc_pages_prefetch(&group->pages, group->queue, count);
	for (unsigned int i = 0; i < count; i++) {
		group->now_ns = group->queue_ns[i];
		if (mrc_pages_touch(&group->pages, &group->queue[i]))
			return -1;
	}
	return 0;
}

/* Adds the last touch of state->events to the queue. */
static int queue_touch(struct mrc_state *state, struct mrc_group *group,
		       const struct mm_event *event)
{
	group->queue[group->queued] = state->events.last.touch;
	group->queue_ns[group->queued++] = event->time_ns;
	/*
	 * mm_loss_between() must be called in the order of all events. If events were lost, the
	 * groups therefore cannot delay touches.
	 */
	if (group->queued < MRC_QUEUE && !(state->losses.any && state->settings->by_process))
		return 0;
	return flush(group);
}

static int handle(struct mrc_state *state, struct mrc_group *group, const struct mm_event *event)
{
	if (event->type->request == MRC_ON_TOUCH && !mrc_events_lack_place(&state->events))
		return note_segments(group, event->time_ns) || queue_touch(state, group, event);
	if (flush(group))
		return -1;
	group->now_ns = event->time_ns;
	return note_segments(group, event->time_ns) ||
	       mrc_events_handle(&state->events, event, &group->pages) ||
	       note_segments(group, event->time_ns);
}

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct mrc_state *state = user;
	struct mrc_group *group;
	uint32_t mm;

	if (!state->started && start(state, event))
		return out_of_memory(err);
	state->last_ns = event->time_ns;
	mm = mrc_events_space(&state->events, event);
	if (mm == MRC_OWN_SPACE)
		return 0;
	group = find_group(state, mm);
	return !group || handle(state, group, event) ? out_of_memory(err) : 0;
}

static void lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct mrc_state *state = user;

	if (!loss->affects_others)
		return;
	/* Handle the queued touches first, because they precede the loss. */
	for (size_t i = 0; i < state->group_count; i++)
		state->failed |= flush(state->groups[i]) != 0;
	if (mm_loss_times_add(&state->losses, loss, begin_ns))
		state->failed = true;
}

/* Counts the discarded events, or notes that their number is unknown. */
static void count_losses(struct mrc_state *state, const struct mm_source *source)
{
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);

		if (!loss->affects_others)
			continue;
		state->lost += loss->events_discarded;
		state->is_unbounded |= loss->packets_lost || loss->packets_without_count ||
				       loss->packets_truncated || loss->packets_damaged ||
				       loss->pauses || loss->missing;
	}
}

static int finish(void *user, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		  struct mm_error *err)
{
	struct mrc_state *state = user;

	(void)sysinfo;
	count_losses(state, source);
	for (size_t i = 0; i < state->group_count; i++) {
		if (flush(state->groups[i]))
			return out_of_memory(err);
		state->groups[i]->now_ns = state->last_ns;
		if (mrc_pages_finish(&state->groups[i]->pages))
			return out_of_memory(err);
		state->is_unbounded |= state->groups[i]->pages.gave_up;
	}
	state->is_unbounded |= state->events.incomplete > 0;
	return state->failed ? out_of_memory(err) : 0;
}

static bool is_empty(const void *user)
{
	return !((const struct mrc_state *)user)->started;
}

static int fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	(void)options;
	return mrc_report_fill(user, report);
}

static const struct mm_option table[] = { { .name = NULL } };
static const struct mrc_options defaults = { .report = MM_REPORT_DEFAULTS };
static const struct mm_options no_options = MM_OPTIONS(table, defaults);

static const struct mm_analysis analysis = {
	.name = "page-ref",
	.schema = &mrc_schema,
	.options = &no_options,
	.configure = configure,
	.request = request,
	.is_empty = is_empty,
	.required = "pageref_",
	.create = create,
	.destroy = destroy,
	.event = on_event,
	.lost = lost,
	.finish = finish,
	.fill = fill,
};

struct mm_report *mrc_report(const char *path, const struct mm_source_options *source_options,
			     const struct mrc_settings *settings, struct mm_error *err)
{
	struct mrc_prelude *prelude = mrc_prelude_read(path, source_options, true, err);
	struct mrc_options options = defaults;
	struct mm_report *report = NULL;

	options.settings = settings;
	options.prelude = prelude;
	if (prelude)
		report = mm_analysis_run(&analysis, path, source_options, &options.report, NULL,
					 err);
	mrc_prelude_destroy(prelude);
	return report;
}

/* Copies the values of a metric of @from to another metric of @report. */
static void copy_metric(const struct mm_report *from, const char *name, struct mm_report *report,
			const char *copy)
{
	for (size_t i = 0; i < from->metric_count; i++) {
		const struct mm_metric *metric = from->metrics[i];
		struct mm_cell *value;

		if (strcmp(metric->def->name, name))
			continue;
		value = &mm_report_metric(report, copy, metric->labels[0], metric->labels[1], NULL)
				 ->value;
		if (metric->value.kind == MM_CELL_UNSIGNED)
			*value = metric->value;
	}
}

/* Does the report start with the sentence that it is an estimate? */
static bool is_estimate(const struct mm_report *report)
{
	for (size_t i = 0; i < report->metric_count; i++)
		if (!strcmp(report->metrics[i]->def->name, "pageref.sample"))
			return report->answer_count && report->metrics[i]->value.r < 1;
	return false;
}

int mrc_add_needs(const char *path, const struct mm_source_options *options,
		  const struct mm_report_options *report_options, struct mm_report *report,
		  struct mm_error *err)
{
	const struct mrc_settings settings = { .policies[MRC_LRU] = true,
					       .limit = MRC_RATE_DEFAULT,
					       .sample = 1,
					       .by_process = report_options->by_pid,
					       .needs_only = true,
					       .by_pid = report_options->by_pid,
					       .pid = report_options->pid };
	struct mm_report *needs = mrc_report(path, options, &settings, err);

	if (!needs)
		return -1;
	mm_report_answer_before(report, needs, is_estimate(report));
	copy_metric(needs, "mrc.needed_bytes", report, "pageref.needed_bytes");
	copy_metric(needs, "mrc.valid_from_bytes", report, "pageref.needed_valid_from_bytes");
	mm_report_destroy(needs);
	return mm_report_failed(report) ? out_of_memory(err) : 0;
}
