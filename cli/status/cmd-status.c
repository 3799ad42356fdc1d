// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm status: collects and prints the state of recorders, sessions and buffers. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/pager.h"
#include "cli/status/status-view.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/fn/stopped.h"

/* Timeouts for the session daemon and the recorder daemon. Their sum is below a second. */
#define LIST_MS 400
#define DAEMON_MS 200
/* Timeout for the recorder daemon if it must measure rates for a user who is not root. */
#define DAEMON_MEASURES_MS 800

/* Name of an environment variable that replaces LIST_MS on slow (emulated) machines. */
#define LIST_MS_VARIABLE "LTTNG_MM_STATUS_WAIT_MS"

#define WATCH_DEFAULT_S 2

enum form { FORM_TEXT, FORM_JSON, FORM_OPENMETRICS };

struct status_options {
	enum form form;
	bool all;	/* only for FORM_TEXT */
	double watch_s; /* 0: once */
};

enum { OPTION_OPENMETRICS = 256 };

static const struct argp_option argp_options[] = {
	{ "watch", 'w', "SECONDS", OPTION_ARG_OPTIONAL,
	  "repeat every SECONDS (default: 2), until interrupted", 0 },
	{ "all", 'a', NULL, 0,
	  "show each channel and CPU, memory, triggers and snapshots; on a terminal, in the pager ($PAGER, or else less)",
	  0 },
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ "openmetrics", OPTION_OPENMETRICS, NULL, 0,
	  "print the text format of OpenMetrics, which Prometheus reads", 0 },
	{ 0 },
};

static void set_form(struct status_options *options, enum form form, struct argp_state *state)
{
	if (options->form != FORM_TEXT && options->form != form)
		argp_error(state, "--json and --openmetrics cannot be combined");
	options->form = form;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct status_options *options = state->input;
	char *end;

	switch (key) {
	case 'w':
		options->watch_s = arg ? strtod(arg, &end) : WATCH_DEFAULT_S;
		if (arg &&
		    (end == arg || *end || !(options->watch_s >= 0.5) || options->watch_s > 86400))
			argp_error(state,
				   "--watch: '%s' is not a number of seconds from 0.5 to 86400",
				   arg);
		return 0;
	case 'a':
		options->all = true;
		return 0;
	case 'j':
		set_form(options, FORM_JSON, state);
		return 0;
	case OPTION_OPENMETRICS:
		set_form(options, FORM_OPENMETRICS, state);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': unexpected argument", arg);
		return 0;
	case ARGP_KEY_END:
		if (options->watch_s > 0 && options->form == FORM_OPENMETRICS)
			argp_error(state, "--watch and --openmetrics cannot be combined");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.doc = "States in one sentence how far back the buffers of the running recorders reach and what was lost, and then lists problems. --all shows bytes and events per second, windows, memory, and the last snapshots."
	       "\vExamples:\n"
	       "  # lttng-mm status\n"
	       "  # lttng-mm status --all --watch=5\n"
	       "  # lttng-mm status --openmetrics >/var/lib/prometheus/node-exporter/lttng-mm.prom\n",
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/*
 * Queries the recorder daemon. If this process is not root, the daemon also measures the buffers.
 */
static void ask_daemon(struct status_view *view)
{
	struct mm_error err = MM_ERROR_INIT;
	const bool measures = geteuid() != 0;
	int ret = request_status(measures, measures ? DAEMON_MEASURES_MS : DAEMON_MS, &view->daemon,
				 &err);
	const char *why = json_string_value(json_object_get(view->daemon, "rates_why"));

	if (ret < 0)
		snprintf(view->daemon_why, sizeof(view->daemon_why), "%s", err.message);
	if (!measures)
		return;
	view->stopped = json_incref(json_object_get(view->daemon, "stopped_functions"));
	view->rates = json_incref(json_object_get(view->daemon, "rates"));
	if (json_is_null(view->rates) || !view->rates)
		snprintf(
			view->rates_why, sizeof(view->rates_why), "%s",
			why ? why
			: view->daemon
				? "the recorder daemon is busy with another request; try again"
				: "only root may read the buffers; for the group tracing, `lttng-mm serve` must be running");
	if (json_is_null(view->rates)) {
		json_decref(view->rates);
		view->rates = NULL;
	}
}

/* Measures the buffers as root. Returns 0, or -1 with @err set if the plan cannot be read. */
static int measure(struct status_view *view, struct status_meter *meter, struct mm_error *err)
{
	struct mm_error why = MM_ERROR_INIT;
	struct rates_session *sessions;
	struct plan plan;
	size_t count;

	if (plan_read(&plan, err))
		return -1;
	sessions = status_sessions(&plan, view->list, (size_t)view->count, &count);
	if (sessions && count)
		view->rates = status_measure(meter, sessions, count, true, &why);
	snprintf(view->rates_why, sizeof(view->rates_why), "%s", why.message);
	free(sessions);
	plan_release(&plan);
	return 0;
}

static unsigned int list_ms(void)
{
	const char *text = getenv(LIST_MS_VARIABLE);
	unsigned long ms = text ? strtoul(text, NULL, 10) : 0;

	return ms && ms <= 60000 ? (unsigned int)ms : LIST_MS;
}

static int gather(struct status_view *view, struct status_meter *meter, struct mm_error *err)
{
	bool other_boot = false;

	*view = (struct status_view){ .stage_bytes = status_stage_bytes() };
	if (!geteuid())
		status_meter_prime(meter);
	view->count = status_list(list_ms(), &view->list, &view->answers, &other_boot, err);
	if (other_boot)
		fprintf(stderr,
			"lttng-mm: note: ignoring the plan in /run/lttng-mm, which is from another boot\n");
	ask_daemon(view);
	if (view->count < 0 && !view->daemon)
		return -1;
	/*
	 * If the session daemon does not respond, the answer of the recorder daemon is still
	 * useful.
	 */
	if (view->count < 0) {
		mm_error_clear(err);
		view->count = 0;
		view->answers = false;
	}
	if (geteuid())
		return 0;
	view->stopped = fn_stopped();
	return measure(view, meter, err);
}

static void release(struct status_view *view)
{
	free(view->list);
	json_decref(view->rates);
	json_decref(view->stopped);
	json_decref(view->daemon);
}

struct status_page {
	const struct status_view *view;
	const json_t *json;
	bool all;
};

static int print_text(FILE *out, void *user)
{
	const struct status_page *page = user;

	status_view_text(out, page->view, page->json, page->all);
	return ferror(out) ? -1 : 0;
}

/* Prints the status. Ignores write errors, because command_end() finds them. */
static void show(const struct status_view *view, const struct status_options *options)
{
	json_t *json = status_view_json(view);
	struct status_page page = { view, json, options->all };

	if (options->form == FORM_TEXT) {
		if (options->all && !(options->watch_s > 0))
			pager_print(print_text, &page);
		else
			print_text(stdout, &page);
	} else if (options->form == FORM_OPENMETRICS) {
		status_view_openmetrics(stdout, json);
	} else {
		json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
		putchar('\n');
	}
	json_decref(json);
}

static int show_once(struct status_meter *meter, const struct status_options *options,
		     struct mm_error *err)
{
	struct status_view view;
	int ret = gather(&view, meter, err);

	if (!ret)
		show(&view, options);
	release(&view);
	return ret;
}

/*
 * Prints the status until SIGINT. On a terminal, repaints the screen. Otherwise, appends a block
 * each time.
 */
static void watch(const struct status_options *options, struct status_meter *meter,
		  struct mm_error *err)
{
	const struct sigaction action = { .sa_handler = on_interrupt };
	const bool repaint = isatty(STDOUT_FILENO) && options->form == FORM_TEXT;
	struct timespec next;

	sigaction(SIGINT, &action, NULL);
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (!interrupted) {
		if (repaint)
			fputs("\033[H\033[2J", stdout);
		if (show_once(meter, options, err) ||
		    (!repaint && options->form == FORM_TEXT && putchar('\n') == EOF) ||
		    fflush(stdout))
			return;
		next.tv_sec += (time_t)options->watch_s;
		next.tv_nsec += (long)((options->watch_s - (double)(time_t)options->watch_s) * 1e9);
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		while (!interrupted &&
		       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
			;
	}
}

int cmd_status(int argc, char **argv)
{
	struct status_options options = { .form = FORM_TEXT };
	struct status_meter meter = { .has_before = false };
	struct mm_error err = MM_ERROR_INIT;

	command_parse(&parser, argc, argv, &options);
	if (options.watch_s > 0)
		watch(&options, &meter, &err);
	else
		show_once(&meter, &options, &err);
	status_meter_release(&meter);
	return command_end(&err, MM_EXIT_OK);
}
