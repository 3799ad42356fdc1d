// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests an analysis of several passes. A pass requests events that the previous pass has found.
 * Losses are reported once. If a source can be read only once, it is refused, or the report states
 * what is missing.
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/run/analysis.h"
#include "analysis/run/passes.h"
#include "analysis/run/rules.h"
#include "reader/report/render.h"
#include "tests/tap.h"

static char work[] = "/tmp/lttng-mm-passes-XXXXXX";

/* A toy analysis: the first pass finds the more frequent event, later passes read its fields. */
struct state {
	unsigned int requested, pass;
	uint64_t counts[2], events[4];
	unsigned int losses, binds;
	uint64_t clock_sums[4];
};

static const char *const names[] = { "dax_pmd_fault", "dax_pte_fault" };

/* The result of the last run. */
static struct state last;

static void *create(void)
{
	return calloc(1, sizeof(struct state));
}

static void request(void *user, unsigned int pass, struct mm_requests *requests)
{
	struct state *state = user;
	bool second = state && state->counts[1] > state->counts[0];

	if (state) {
		state->requested++;
		state->pass = pass;
	}
	mm_requests_add(requests, pass ? names[second] : "dax_p[mt][de]_fault");
	mm_requests_add_field(requests, "ino", MM_FIELD_INTEGER);
	if (pass)
		mm_requests_add_field(requests, "address", MM_FIELD_INTEGER);
}

static int bind(void *user, struct mm_event_type *type, struct mm_error *err)
{
	struct state *state = user;

	(void)type;
	(void)err;
	state->binds++;
	return 0;
}

static int event(void *user, const struct mm_event *event, struct mm_error *err)
{
	struct state *state = user;

	(void)err;
	if (!state->pass)
		state->counts[!strcmp(event->type->name, names[1])]++;
	state->events[state->pass]++;
	state->clock_sums[state->pass] += event->clock_ns;
	return 0;
}

static void lost(void *user, const struct mm_loss *loss, int64_t begin_ns)
{
	(void)loss;
	(void)begin_ns;
	((struct state *)user)->losses++;
}

static int finish(void *user, const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		  struct mm_error *err)
{
	(void)source;
	(void)sysinfo;
	(void)err;
	last = *(struct state *)user;
	return 0;
}

static int fill(void *user, const struct mm_report_options *options, struct mm_report *report)
{
	(void)user;
	(void)options;
	mm_report_finding(report, "Filled.");
	return 0;
}

static bool is_empty(const void *user)
{
	return !((const struct state *)user)->events[0];
}

static const struct mm_report_schema schema = { .name = "twice" };

static struct mm_analysis analysis = {
	.name = "twice",
	.schema = &schema,
	.request = request,
	.bind = bind,
	.passes = 3,
	.is_empty = is_empty,
	.required = "dax_",
	.create = create,
	.destroy = free,
	.event = event,
	.lost = lost,
	.finish = finish,
	.fill = fill,
};

/* An analysis with the required members only. */
static const struct mm_analysis least = {
	.name = "least",
	.schema = &schema,
	.request = request,
	.is_empty = is_empty,
	.required = "dax_",
	.create = create,
	.destroy = free,
	.event = event,
	.fill = fill,
};

static void test_least(const char *trace, unsigned int jobs)
{
	const struct mm_report_options report_options = { .top = 10 };
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report;

	mm_source_options_init(&options);
	options.jobs = jobs;
	report = mm_analysis_run(&least, trace, &options, &report_options, NULL, &err);
	tap(report && report->finding_count == 1,
	    "%u jobs: an analysis without optional functions%s", jobs, err.message);
	mm_report_destroy(report);
	/* The time range is between two events. */
	options.begin_ns = options.end_ns = 1700000000000002999;
	report = mm_analysis_run(&least, trace, &options, &report_options, NULL, &err);
	tap(report && report->finding_count == 2,
	    "%u jobs: a time range without events of the analysis%s", jobs, err.message);
	mm_report_destroy(report);
}

static void test_run(const char *trace, unsigned int jobs, unsigned int losses)
{
	const struct mm_report_options report_options = { .top = 10 };
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report;
	uint64_t most;

	mm_source_options_init(&options);
	options.jobs = jobs;
	last = (struct state){ 0 };
	report = mm_analysis_run(&analysis, trace, &options, &report_options, NULL, &err);
	most = last.counts[last.counts[1] > last.counts[0]];
	tap(report && last.requested == 3,
	    "%u jobs: request() is called before each of three passes%s", jobs, err.message);
	tap(most && most < last.events[0] && last.events[1] == most && last.events[2] == most &&
		    last.clock_sums[1] == last.clock_sums[2],
	    "%u jobs: the later passes have the %" PRIu64 " events that the first one found", jobs,
	    most);
	tap(last.binds == 4, "%u jobs: bind() is called in each pass", jobs);
	tap(last.losses == losses, "%u jobs: %u losses, reported once", jobs, losses);
	mm_report_destroy(report);
}

static void test_single(void)
{
	static const char session[] = "net://localhost/host/none/none";
	struct mm_error err = MM_ERROR_INIT;
	struct mm_report *report = mm_report_create(&schema);
	const struct mm_report_options options = { .top = 10 };

	tap(!mm_analysis_run(&analysis, session, NULL, &options, NULL, &err) &&
		    err.code == MM_EXIT_BAD_INPUT && strstr(err.message, "only once") &&
		    strstr(err.message, session),
	    "a live session is refused: %s", err.message);
	mm_error_clear(&err);
	tap(mm_passes_check_single(&analysis, "babeltrace2's graph", &err) &&
		    strstr(err.message, "babeltrace2's graph"),
	    "events of a graph are refused: %s", err.message);
	mm_error_clear(&err);
	analysis.single_pass = "addresses are left out";
	tap(!mm_passes_check_single(&analysis, session, &err),
	    "a live session is accepted if one pass is useful");
	mm_passes_note(&analysis, report);
	tap(report->note_count == 1 &&
		    strstr(report->notes[0], "only once: addresses are left out."),
	    "the report of a single pass states what it lacks");
	analysis.single_pass = NULL;
	analysis.passes = 0;
	mm_passes_note(&analysis, report);
	tap(!mm_passes_check_single(&analysis, session, &err) && report->note_count == 1,
	    "an analysis of one pass lacks nothing");
	analysis.passes = 3;
	mm_report_destroy(report);
}

/* ---- rules of two passes ---- */

static int finish_rules(void *user, struct mm_error *err)
{
	(void)err;
	last = *(struct state *)user;
	return 0;
}

static void report_rules(const void *user, uint64_t limit, mm_rules_finding_fn *finding, void *to,
			 struct mm_rules_counts *counts)
{
	const struct state *state = user;

	(void)limit;
	(void)finding;
	(void)to;
	counts->events = state->events[0];
	counts->notes = state->events[1];
}

static void request_rules(void *user, unsigned int pass, struct mm_requests *requests)
{
	struct state *state = user;

	if (state)
		state->pass = pass;
	/* `tid` is the first field of these events, and `ino` is a later field. */
	mm_requests_add(requests, names[0]);
	mm_requests_add_field(requests, pass ? "ino" : "tid", MM_FIELD_INTEGER);
}

static void test_rules(const char *trace, uint64_t expected)
{
	const struct mm_rules rules = {
		.name = "twice",
		.request = request_rules,
		.passes = 2,
		.create = create,
		.destroy = free,
		.event = event,
		.finish = finish_rules,
		.report = report_rules,
	};
	struct mm_rules_counts counts;
	struct mm_error err = MM_ERROR_INIT;
	int ret;

	last = (struct state){ 0 };
	ret = mm_rules_run(&rules, trace, 1, 100, NULL, NULL, &counts, &err);
	tap(!ret && counts.events == expected && !counts.notes && last.pass == 1,
	    "rules of two passes: %" PRIu64
	    " events in the first; those with another first field are ignored%s",
	    counts.events, err.message);
}

int main(int argc, char **argv)
{
	const char *tests = dirname(argv[0]);
	char trace[128];
	FILE *file;

	(void)argc;
	if (!mkdtemp(work))
		return 1;
	snprintf(trace, sizeof(trace), "%s/trace", work);
	tap_shell("'%s/make-ctf' --shape dax --streams 2 --events 20000 --seed 5 %s", tests, trace);
	test_run(trace, 1, 0);
	test_run(trace, 3, 0);
	test_rules(trace, last.counts[0]);
	snprintf(trace, sizeof(trace), "%s/script", work);
	file = fopen(trace, "w");
	fputs("cpu 0\n1000 dax_pmd_fault ino=1\npacket seq=0 discarded=5\n2000 dax_pte_fault ino=2\n"
	      "3000 dax_pmd_fault ino=3\n",
	      file);
	fclose(file);
	tap_shell("'%s/make-trace' '%s/../../../tests/metadata/dax.tsdl' %s/script %s/lossy", tests,
		  tests, work, work);
	snprintf(trace, sizeof(trace), "%s/lossy", work);
	test_run(trace, 1, 1);
	test_least(trace, 1);
	test_least(trace, 3);
	test_single();
	tap_shell("rm -r %s", work);
	return tap_status();
}
