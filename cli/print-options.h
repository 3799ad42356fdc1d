/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of lttng-mm print. */
#ifndef LTTNG_MM_CLI_PRINT_OPTIONS_H
#define LTTNG_MM_CLI_PRINT_OPTIONS_H

#include "reader/events/source.h"
#include "reader/print/babeltrace.h"
#include "reader/print/event-line.h"

enum print_format { PRINT_FTRACE, PRINT_BABELTRACE };

struct print_options {
	const char *trace;
	const char *events; /* comma-separated globs; NULL: all */
	enum print_format format;
	/* Only for PRINT_FTRACE. */
	enum mm_line_clock clock;
	bool numeric;
	bool by_pid; /* print only events of process @pid */
	unsigned int pid;
	const char *files; /* shell pattern of files; NULL: all */
	bool require_complete;
	struct mm_babeltrace_options babeltrace;
	struct mm_source_options source;
	/* Names of given options that only one of the formats accepts; NULL: none. */
	const char *ftrace_only, *babeltrace_only;
};

/* Parses the command line. Exits on bad usage. */
void print_options_parse(struct print_options *options, int argc, char **argv);

#endif /* LTTNG_MM_CLI_PRINT_OPTIONS_H */
