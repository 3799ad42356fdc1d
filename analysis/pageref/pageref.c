// SPDX-License-Identifier: LGPL-2.1-only
/* Connects the analysis of page references to the reader: its functions, options and descriptor. */
#include "analysis/pageref/pageref.h"

#include "analysis/pageref/pageref-schema.h"
#include "analysis/pageref/pageref-state.h"

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
	pageref_state_request(requests);
}

static void request_history(void *user, unsigned int pass, struct mm_requests *requests)
{
	(void)user;
	(void)pass;
	pageref_state_request_history(requests);
}

static int on_event(void *user, const struct mm_event *event, struct mm_error *err)
{
	return pageref_state_event(user, event) ? out_of_memory(err) : 0;
}

static int before(void *user, const struct mm_event *event, struct mm_error *err)
{
	return pageref_state_before(user, event) ? out_of_memory(err) : 0;
}

static int after(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct pageref_state *state = user;

	if (event->type->request < PAGEREF_ON_SPACE &&
	    mm_threads_see_later(&state->threads, (enum mm_thread_event)event->type->request, event,
				 0))
		return out_of_memory(err);
	return 0;
}

static void lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	struct pageref_state *state = user;

	if (loss->affects_others && mm_loss_times_add(&state->losses, loss, begin_ns))
		state->failed = true;
}

static int finish(void *user, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		  struct mm_error *err)
{
	struct pageref_state *state = user;

	state->has_system_calls = mm_source_declares_prefix(source, "syscall_entry_");
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

/* The options of this report are options of all reports. */
struct pageref_options {
	struct mm_report_options report;
};

static const struct mm_option table[] = {
	MM_OPTION_TOP,
	MM_OPTION_PID("only pages of the process with this process id", "--table processes"),
	{ .name = NULL },
};

static const struct pageref_options defaults = { .report = MM_REPORT_DEFAULTS };
static const struct mm_options options = MM_OPTIONS(table, defaults);

const struct mm_analysis mm_pageref_analysis = {
	.name = "page-ref",
	.schema = &pageref_schema,
	.options = &options,
	.examples =
		"  $ lttng-mm report page-ref /tmp/snapshot-1\n"
		"  $ lttng-mm report page-ref --table mappings --pid 77 /tmp/snapshot-1\n"
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
	.fill = fill,
};
