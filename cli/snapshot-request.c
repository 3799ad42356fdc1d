// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm snapshot: requests the snapshot from the recorder daemon. */
#include "cli/snapshot-request.h"

#include <argp.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/system/message.h"
#include "lttng-session/system/urgent.h"
#include "util/duration.h"
#include "util/escape.h"
#include "util/json-file.h"

#define REASON_MAX 1024

enum {
	OPTION_ACCESS = 256,
	OPTION_AFTER,
	OPTION_FAILED_UNIT,
	OPTION_LAST,
	OPTION_METHOD,
	OPTION_NO_WAIT,
	OPTION_PIN,
	OPTION_REASON,
	OPTION_RECORDER_FOLDER,
	OPTION_REQUIRE_COMPLETE,
};

static const struct argp_option argp_options[] = {
	{ "session", 's', "NAME", 0, "the recorder, if several are running", 0 },
	{ "output", 'o', "DIR", 0,
	  "parent folder of the snapshot (default: the current one); root must not use a folder that other users control",
	  0 },
	{ "recorder-folder", OPTION_RECORDER_FOLDER, NULL, 0,
	  "write into the recorder's folder, which also has the triggered snapshots and limits on disk space",
	  0 },
	{ "name", 'n', "NAME", 0, "start of the folder's name (default: snapshot)", 0 },
	{ "reason", OPTION_REASON, "TEXT", 0, "a note that is kept in snapshot.json", 0 },
	{ "failed-unit", OPTION_FAILED_UNIT, "UNIT", 0,
	  "record the failure of this systemd unit as the cause, as lttng-mm-failed@.service does (root)",
	  0 },
	{ "last", OPTION_LAST, "TIME", 0,
	  "keep only the last TIME before the request, or slightly more: a number with a unit (ns, us, ms, s, m, h), such as 10s",
	  0 },
	{ "after", OPTION_AFTER, "TIME", 0, "also record for TIME after the request", 0 },
	{ "access", OPTION_ACCESS, "WHO", 0,
	  "who may read the snapshot: private (the owner), group (also the group " ACCESS_GROUP
	  ") or public (default: group, or private if the owner is not in that group)",
	  0 },
	{ "pin", OPTION_PIN, NULL, 0,
	  "add a file `pin`, so that the recorder daemon never deletes the snapshot", 0 },
	{ "no-wait", OPTION_NO_WAIT, NULL, 0,
	  "return when the contents of the buffers are in memory; the folder appears later at the printed path",
	  0 },
	{ "method", OPTION_METHOD, "METHOD", 0,
	  "freeze: the buffers of all CPUs at one instant (root); lttng: the session daemon copies one CPU after another (default: freeze if possible)",
	  0 },
	{ "require-complete", OPTION_REQUIRE_COMPLETE, NULL, 0,
	  "exit with status 3 unless the snapshot is certified to be complete", 0 },
	{ 0 },
};

static void parse_time(const char *text, const char *option, int64_t *ns, struct argp_state *state)
{
	struct mm_error err = MM_ERROR_INIT;

	if (mm_duration_parse(text, option, ns, &err))
		argp_error(state, "%s", err.message);
}

static void parse_method(const char *text, enum snapshot_method *method, struct argp_state *state)
{
	if (!strcmp(text, "freeze"))
		*method = SNAPSHOT_FREEZE;
	else if (!strcmp(text, "lttng"))
		*method = SNAPSHOT_LTTNG;
	else
		argp_error(state, "--method: '%s' is not a method; known: freeze, lttng", text);
}

static void parse_name(const char *text, const char **name, struct argp_state *state)
{
	*name = text;
	if (!snapshot_name_is_valid(text))
		argp_error(
			state,
			"--name: '%s' cannot be the first part of a folder's name; use at most 100 bytes without a slash or a leading dot",
			text);
}

static void check(struct snapshot_options *options, struct argp_state *state)
{
	if (options->recorder_folder && options->request.output)
		argp_error(state, "--output and --recorder-folder cannot be combined");
	if (!options->request.output)
		options->request.output = ".";
	if (options->no_wait && options->require_complete)
		argp_error(
			state,
			"--no-wait and --require-complete cannot be combined: the result is unknown until the folder is written");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct snapshot_options *options = state->input;
	struct snapshot_request *request = &options->request;

	switch (key) {
	case 'o':
		request->output = arg;
		return 0;
	case 'n':
		parse_name(arg, &request->name, state);
		return 0;
	case OPTION_REASON:
		request->reason = arg;
		if (strlen(arg) > REASON_MAX)
			argp_error(state, "--reason: the text is too long; use at most %d bytes",
				   REASON_MAX);
		return 0;
	case OPTION_FAILED_UNIT:
		options->failed_unit = arg;
		if (!*arg || strlen(arg) > SNAPSHOT_UNIT_MAX)
			argp_error(state, "--failed-unit: '%s' is not the name of a unit", arg);
		if (geteuid())
			argp_error(state, "--failed-unit: only root may use this option");
		return 0;
	case OPTION_LAST:
		parse_time(arg, "--last", &request->last_ns, state);
		if (!request->last_ns)
			argp_error(state, "--last: %s would keep nothing; use a longer time", arg);
		return 0;
	case OPTION_AFTER:
		parse_time(arg, "--after", &request->after_ns, state);
		return 0;
	case OPTION_ACCESS:
		if (!access_parse(arg, &request->access))
			argp_error(state, "--access: '%s' is unknown; use private, group or public",
				   arg);
		return 0;
	case OPTION_METHOD:
		parse_method(arg, &request->method, state);
		return 0;
	case OPTION_PIN:
		request->pin = true;
		return 0;
	case OPTION_NO_WAIT:
		options->no_wait = true;
		return 0;
	case OPTION_RECORDER_FOLDER:
		options->recorder_folder = true;
		return 0;
	case OPTION_REQUIRE_COMPLETE:
		options->require_complete = true;
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return command_parse_recorder(key, arg, state, &options->recorder);
	}
}

json_t *snapshot_cause(const struct snapshot_options *options)
{
	return options->failed_unit ? json_pack("{s:s,s:o}", "kind", "unit", "unit",
						mm_json_text(options->failed_unit))
				    : NULL;
}

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "[PROFILE]",
	.doc = "Writes the contents of the recorder's buffers to a new folder and prints its path. The "
	       "recorder continues. The folder sysinfo next to the trace contains system information: "
	       "kernel, modules, symbols, mounts, mapped files and process names. snapshot.json says "
	       "when and why the snapshot was taken."
	       "\vExamples:\n"
	       "  # trace=$(lttng-mm snapshot --output /var/tmp)\n"
	       "  $ lttng-mm report dax \"$trace\"\n"
	       "  # lttng-mm snapshot --last 10s --after 2s --reason 'slow request 4711'\n",
};

void snapshot_options_parse(int argc, char **argv, struct snapshot_options *options)
{
	*options = (struct snapshot_options){ .recorder.max = 1,
					      .request = { .name = "snapshot",
							   .last_ns = SNAPSHOT_NOT_GIVEN,
							   .after_ns = SNAPSHOT_NOT_GIVEN,
							   .requested = command_started } };
	command_parse(&parser, argc, argv, options);
}

void snapshot_print_path(const char *path)
{
	/*
	 * Print the exact path for scripts. On a terminal, escape it, because other users may have
	 * chosen the names in it.
	 */
	if (isatty(STDOUT_FILENO))
		mm_escape_print(stdout, path);
	else
		fputs(path, stdout);
	putchar('\n');
	/* Flush now, because a pending signal may kill the process as soon as it is unblocked. */
	fflush(stdout);
}

void snapshot_print_note(bool warning, const char *message)
{
	fprintf(stderr, "lttng-mm: %s: %s\n", warning ? "warning" : "note", message);
}

/* Prints the recorder daemon's answer. Returns the exit status. */
static int print_answer(const json_t *answer, const struct snapshot_options *options)
{
	const json_t *notes = json_object_get(answer, "notes"), *note;
	size_t i;

	snapshot_print_path(message_text(answer, "path", ""));
	json_array_foreach(notes, i, note) snapshot_print_note(
		json_is_true(json_object_get(note, "warning")), message_text(note, "text", ""));
	if (!options->require_complete || json_is_true(json_object_get(answer, "complete")))
		return MM_EXIT_OK;
	fprintf(stderr, "lttng-mm: --require-complete: %s\n", message_text(answer, "why", ""));
	return MM_EXIT_INCOMPLETE;
}

bool snapshot_by_daemon(const struct snapshot_options *options, int *status, struct mm_error *err)
{
	struct request_snapshot request = { .snapshot = options->request,
					    .session = options->recorder.session,
					    .profile = options->recorder.profiles[0],
					    .no_wait = options->no_wait };
	json_t *answer, *cause = snapshot_cause(options);
	struct urgent urgent;
	int ret;

	request.snapshot.cause = cause;

	urgent_begin(&urgent);
	ret = request_snapshot(&request, &answer, err);
	urgent_end(&urgent);
	if (ret > 0 && err->code) {
		snapshot_print_note(true, err->message);
		mm_error_clear(err);
	}
	if (!ret)
		*status = print_answer(answer, options);
	json_decref(answer);
	json_decref(cause);
	return ret <= 0;
}
