// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm stop: stops a recorder and frees its buffers. */
#include <argp.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/daemon.h"
#include "cli/fn/needed-functions.h"
#include "cli/unload.h"
#include "lttng-session/pageref/control.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/recorder/transaction.h"
#include "lttng-session/snapshot/states-lock.h"
#include "util/escape.h"

/* Maximum time to wait for the recorder daemon, which reads the plan once a second. */
#define PAGEREF_WAIT_MS 10000

struct stop_options {
	struct command_recorder recorder;
	bool all;
};

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0, "the recorder, if several are running", 0 },
	{ "all", 'a', NULL, 0,
	  "stop all recorders, end the LTTng session daemon that lttng-mm started, and unload lttng-mm's modules",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stop_options *options = state->input;

	if (key == 'a') {
		options->all = true;
		return 0;
	}
	if (key == ARGP_KEY_END && options->all &&
	    (options->recorder.session || options->recorder.count))
		argp_error(state, "--all cannot be combined with --session or profiles");
	return command_parse_recorder(key, arg, state, &options->recorder);
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "[PROFILE...]",
	.doc = "Stops a recorder, or some of its profiles, and discards their buffers; take a snapshot "
	       "first to keep the contents. The buffers of other profiles stay."
	       "\vExamples:\n"
	       "  # lttng-mm stop\n"
	       "  # lttng-mm stop dax\n"
	       "  # lttng-mm stop --all\n",
};

/* Stops a session's recorder and prints the result. Returns 0, or -1 with @err set. */
static int stop(const char *name, struct mm_error *err)
{
	struct recorder_stopped stopped;
	int ret = recorder_stop(name, &stopped, err);

	if (*stopped.sessions) {
		printf("stopped ");
		mm_escape_print(stdout, stopped.sessions);
		putchar('\n');
	}
	if (*stopped.gone) {
		fprintf(stderr, "lttng-mm: note: ");
		mm_escape_print(stderr, stopped.gone);
		fprintf(stderr,
			" was already gone: another program destroyed it, or the session daemon exited\n");
	}
	return ret;
}

/* Does a recorder in the plan record page references? */
static bool records_pages(void)
{
	struct mm_error ignored = MM_ERROR_INIT;
	struct plan plan;
	bool records;

	if (plan_read(&plan, &ignored))
		return false;
	records = plan_find_targets(&plan);
	plan_release(&plan);
	return records;
}

/* Waits for the state dump of a snapshot that `snapshot --no-wait` left in the background. */
static void await_states(void)
{
	if (!states_await(STATES_WAIT_MS))
		fprintf(stderr,
			"lttng-mm: note: a snapshot was still waiting for its state dump; threads and caches in it may have no names\n");
}

/*
 * Added functions are not removed when a recorder stops. If no recorder needs functions any more,
 * prints the triggers that still need functions.
 */
static void note_functions(bool recorded_functions)
{
	if (recorded_functions ? !recorder_has_functions() : recorder_is_idle())
		needed_functions_note(NULL, 0);
}

/* Stops the selected sessions. Stops at the first error. Returns 0, or -1 with @err set. */
static int stop_chosen(const struct command_recorder *options, struct mm_error *err)
{
	char names[RECORDER_PROFILES_MAX][RECORDER_NAME_MAX];
	const size_t chosen = options->count ? options->count : 1;

	/* Find all sessions first. If a session does not exist, nothing is stopped. */
	for (size_t i = 0; i < chosen; i++)
		if (recorder_find("stop", options->session, options->profiles[i], names[i],
				  sizeof(names[i]), err))
			return -1;
	await_states();
	for (size_t i = 0; i < chosen; i++)
		if (stop(names[i], err))
			return -1;
	return 0;
}

/* Is this session the first one of its recorder that records events? */
static bool is_first(const struct plan *plan, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!plan->sessions[i].state &&
		    !strcmp(plan->sessions[i].recorder, plan->sessions[index].recorder))
			return false;
	return !plan->sessions[index].state;
}

/* Stops all recorders of the plan, even if one fails. Returns 0, or -1 with @err set. */
static int stop_all(struct mm_error *err)
{
	struct plan plan;

	transaction_settle();
	await_states();
	if (plan_read(&plan, err))
		return -1;
	for (size_t i = 0; i < plan.count; i++) {
		struct mm_error why = MM_ERROR_INIT;

		if (!is_first(&plan, i) || !stop(plan.sessions[i].recorder, &why))
			continue;
		/* Print the previous error. The caller prints the last one. */
		if (strcmp(err->message, why.message) != 0)
			command_end(err, 0);
		*err = why;
	}
	plan_release(&plan);
	return err->code ? -1 : 0;
}

int cmd_stop(int argc, char **argv)
{
	struct stop_options options = { .recorder.max = RECORDER_PROFILES_MAX };
	const bool recorded_functions = recorder_has_functions();
	const bool recorded_pages = records_pages();
	struct mm_error err = MM_ERROR_INIT;
	bool ends;

	command_parse(&parser, argc, argv, &options);
	if (!(options.all ? stop_all(&err) : stop_chosen(&options.recorder, &err)))
		note_functions(recorded_functions);
	ends = daemon_end();
	/*
	 * Wait until the daemon has closed the control file. The next command may open it to record
	 * page references, or unload the probe.
	 */
	if (recorded_pages && !records_pages())
		pageref_control_await_free(PAGEREF_WAIT_MS);
	if (options.all && !err.code)
		unload_all(ends);
	return command_end(&err, MM_EXIT_OK);
}
