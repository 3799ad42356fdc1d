// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm export: writes page references for cache simulators and other programs. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/mrc/export.h"
#include "cli/common/command.h"
#include "cli/common/source-options.h"
#include "reader/open/open.h"

#define ORACLE "oracleGeneral"

struct export_options {
	const char *what, *trace, *format, *output;
	struct mm_source_options source;
};

enum { OPTION_FORMAT = 256 };

static const struct argp_option argp_options[] = {
	{ "format", OPTION_FORMAT, "oracleGeneral|csv", 0,
	  "oracleGeneral: the format of libCacheSim; csv: comma-separated values with all events",
	  0 },
	{ "output", 'o', "FILE", 0,
	  "the file to write, which must not exist (default with csv: standard output)", 0 },
	{ 0 },
};

static void check(const struct export_options *options, struct argp_state *state)
{
	if (!options->what)
		argp_error(state, "no kind of events given; known: page-ref");
	if (strcmp(options->what, "page-ref"))
		argp_error(state, "'%s' cannot be exported; known: page-ref", options->what);
	command_require_trace(options->trace, state);
	if (!options->format)
		argp_error(state, "no format given; use --format oracleGeneral or --format csv");
	if (strcmp(options->format, ORACLE) && strcmp(options->format, "csv"))
		argp_error(state, "--format: '%s' is not one of oracleGeneral, csv",
			   options->format);
	if (!strcmp(options->format, ORACLE) && !options->output)
		argp_error(
			state,
			"--format oracleGeneral needs --output FILE: records are changed after they have been written, which is not possible on standard output");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case OPTION_FORMAT:
		options->format = arg;
		return 0;
	case 'o':
		options->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!options->what)
			options->what = arg;
		else if (!options->trace)
			options->trace = command_trace(arg);
		else
			argp_error(state, "%s: too many traces; give one", arg);
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &source_options_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.children = children,
	.args_doc = "page-ref TRACE",
	.doc = "Writes the page touches in a trace of page references, each with its page, "
	       "for simulators of replacement policies and for other programs."
	       "\vExamples:\n"
	       "  $ lttng-mm export page-ref --format oracleGeneral --output refs.bin /var/tmp/page-ref-1\n"
	       "  $ cachesim refs.bin oracleGeneral arc,s3fifo 64MB,256MB\n"
	       "  $ lttng-mm export page-ref --format csv /var/tmp/page-ref-1 | grep ,touch,\n",
};

/* Writes csv to standard output, or to a new file, which is removed on failure. */
static void export_csv(const struct export_options *options, struct mrc_export_gaps *gaps,
		       struct mm_error *err)
{
	const char *name = options->output ? options->output : "standard output";
	const int fd = options->output ? open(options->output,
					      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
				       : -1;
	FILE *out = options->output ? fd < 0 ? NULL : fdopen(fd, "w") : stdout;

	if (!out) {
		mm_error_set(err, MM_EXIT_BAD_INPUT,
			     errno == EEXIST
				     ? "export: %s: the file exists (%s); remove it, or choose "
				       "another name"
				     : "export: %s: %s",
			     name, strerror(errno));
		return;
	}
	mrc_export_csv(options->trace, &options->source, out, gaps, err);
	if (!err->code && (fflush(out) || ferror(out))) {
		if (!options->output)
			command_output_failed(err);
		else
			mm_error_set(err, MM_EXIT_BAD_INPUT, "%s: cannot be written: %s", name,
				     strerror(errno));
	}
	if (!options->output)
		return;
	fclose(out);
	if (err->code)
		unlink(options->output);
}

int cmd_export(int argc, char **argv)
{
	struct export_options options = { NULL };
	struct mrc_export_gaps gaps = { false };
	struct mm_error err = MM_ERROR_INIT;

	mm_source_options_init(&options.source);
	command_parse(&parser, argc, argv, &options);
	if (mm_source_is_live(options.trace)) {
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"export: %s: a live session, which can be read only once; record to a folder and give that",
			options.trace);
		return command_end(&err, MM_EXIT_OK);
	}
	command_lock_trace(options.trace);
	if (!strcmp(options.format, ORACLE))
		mrc_export_oracle(options.trace, &options.source, options.output, &gaps, &err);
	else
		export_csv(&options, &gaps, &err);
	if (!err.code && gaps.recorded < 1)
		fprintf(stderr,
			"lttng-mm: note: trace: %s: the recorder has sampled %.3g %% of the pages; the export contains no other pages\n",
			options.trace, 100 * gaps.recorded);
	if (!err.code && gaps.damaged)
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"trace: %s: damaged; the export covers the readable part (see `lttng-mm verify`)",
			options.trace);
	else if (!err.code && gaps.lossy)
		fprintf(stderr,
			"lttng-mm: note: trace: %s: events are missing (see `lttng-mm info`)\n",
			options.trace);
	return command_end(&err, MM_EXIT_OK);
}
