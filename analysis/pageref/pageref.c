// SPDX-License-Identifier: LGPL-2.1-only
/* Connects the analysis of page references to the reader: its functions, options and descriptor. */
#include "analysis/pageref/pageref.h"

#include <unistd.h>

#include "analysis/pageref/heat-map.h"

static int out_of_memory(struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "report: out of memory");
}

static void *create(void)
{
	return pageref_state_create();
}

static void destroy(void *user)
{
	pageref_state_destroy(user);
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	pageref_state_request(requests, false);
}

static void request_history(void *user, unsigned int pass, struct mm_requests *requests)
{
	const struct pageref_state *state = user;

	(void)pass;
	/*
	 * Without an event in the time range, there is no report, so unmarked pages are not needed.
	 */
	if (state->started && state->has_begin)
		pageref_state_request_unmarked(requests);
	else
		pageref_state_request_history(requests);
}

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	return pageref_state_event(user, event) ? out_of_memory(err) : 0;
}

static int before(void *user, const struct mm_event *event, struct mm_error *err)
{
	return pageref_state_before(user, event, false) ? out_of_memory(err) : 0;
}

static int after(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct pageref_state *state = user;

	if (pageref_queue_flush(state))
		return out_of_memory(err);
	if (event->type->request < PAGEREF_ON_SPACE &&
	    mm_threads_see_later(&state->threads, (enum mm_thread_event)event->type->request, event,
				 0))
		return out_of_memory(err);
	return 0;
}

static void lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	pageref_state_lost(user, loss, begin_ns);
}

static int finish(void *user, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		  struct mm_error *err)
{
	struct pageref_state *state = user;

	state->has_system_calls = mm_source_declares_prefix(source, "syscall_entry_");
	state->has_file_io = mm_source_declares_prefix(source, "pageref_file_io");
	state->has_user_stacks = mm_source_declares_user_stacks(source);
	return pageref_state_finish(state, sysinfo) ? out_of_memory(err) : 0;
}

static int fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	return pageref_report_fill(user, options, report);
}

static bool is_empty(const void *user)
{
	return !((const struct pageref_state *)user)->started;
}

static void configure(void *user, const struct mm_report_options *options)
{
	struct pageref_state *state = user;

	state->first_touch = MM_OPTIONS_OF(struct pageref_options, options)->first_touch;
}

/*
 * If the recorder changed the size of the sample, reads the trace again, and ignores pages that
 * were in the sample only at times.
 */
static int again(const void *user, const struct mm_report_options *options, void **next,
		 struct mm_error *err)
{
	const struct pageref_state *state = user;
	struct pageref_state *added = NULL;

	*next = NULL;
	if (state->sample <= state->lowest_sample || state->highest_sample <= state->lowest_sample)
		return 0;
	added = pageref_state_create();
	if (!added)
		return out_of_memory(err);
	configure(added, options);
	added->sample = state->lowest_sample;
	added->highest_sample = state->highest_sample;
	*next = added;
	return 0;
}

static int check_options(const struct mm_report_options *options, struct mm_error *err)
{
	const struct pageref_options *given = MM_OPTIONS_OF(struct pageref_options, options);

	if (options->compare && (given->by || given->first_touch))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report page-ref: --compare prints its own lists; omit --by and --first-touch");
	if (given->axis && !given->heat_map && !given->image)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "report page-ref: --axis needs --heat-map or --image=FILE");
	if ((given->heat_map || given->image) && (given->by || given->first_touch))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report page-ref: --heat-map and --image show no list; omit --by and --first-touch");
	if (given->image && !access(given->image, F_OK))
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report page-ref: --image: %s: the file exists; remove it, or choose another name",
			given->image);
	if (given->by && given->first_touch)
		return mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"report page-ref: --first-touch lists the pages of one file; omit --by");
	return 0;
}

static const struct mm_listing *listing(const struct mm_report_options *options)
{
	const struct pageref_options *given = MM_OPTIONS_OF(struct pageref_options, options);

	return given->heat_map || given->image ? &pageref_heat_listing : NULL;
}

static const char *const axes[] = { "time", "touches", NULL };
static const char *const by[] = { "process", "file", "mapping", "thread", "kind", NULL };

static const struct mm_option table[] = {
	MM_OPTION_TOP,
	{ .name = "by",
	  .argument = "WHAT",
	  .help = "only the list by process, file, mapping, thread or kind of memory",
	  MM_CHOICE_IN(struct pageref_options, by),
	  .choices = by },
	{ .name = "first-touch",
	  .argument = "FILE",
	  .help = "the pages of the file with this name, without folders, in the order of their first touch",
	  MM_TEXT_IN(struct pageref_options, first_touch),
	  .selects = true },
	{ .name = "heat-map",
	  .help = "draw touched pages by address and time in the terminal, in place of the report",
	  MM_FLAG_IN(struct pageref_options, heat_map) },
	{ .name = "image",
	  .argument = "FILE",
	  .help = "draw the same picture to a new PNG file",
	  MM_TEXT_IN(struct pageref_options, image) },
	{ .name = "axis",
	  .argument = "WHAT",
	  .help = "with --heat-map or --image: time (default), or touches so far",
	  MM_CHOICE_IN(struct pageref_options, axis),
	  .choices = axes },
	MM_OPTION_PID("only pages of the process with this process id", "--table processes"),
	{ .name = NULL },
};

static const struct pageref_options defaults = { .report = MM_REPORT_DEFAULTS };
static const struct mm_options options = MM_OPTIONS(table, defaults);

/*
 * There is no merge(). Whether a touched page is new depends on earlier touches, on pages that are
 * gone and on mappings. Joining two parts would mean repeating all touches of the later part.
 */
const struct mm_analysis mm_pageref_analysis = {
	.name = "page-ref",
	.schema = &pageref_schema,
	.options = &options,
	.configure = configure,
	.listing = listing,
	.check_options = check_options,
	.examples =
		"  $ lttng-mm report page-ref /tmp/snapshot-1\n"
		"  $ lttng-mm report page-ref --by mapping --pid 77 /tmp/snapshot-1\n"
		"  $ lttng-mm report page-ref --first-touch cc1 /tmp/snapshot-1\n"
		"  $ lttng-mm report page-ref --image pages.png /tmp/snapshot-1\n"
		"  $ lttng-mm report page-ref --json /tmp/snapshot-1 | jq '.tables.processes'\n",
	.request = request,
	.request_history = request_history,
	.before = before,
	.after = after,
	.is_empty = is_empty,
	.required = "pageref_",
	.create = create,
	.destroy = destroy,
	.event = on_event,
	.lost = lost,
	.finish = finish,
	.again = again,
	.fill = fill,
};
