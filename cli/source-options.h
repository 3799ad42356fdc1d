/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options that all commands share which read a trace: --reader, --jobs, --begin, --end. */
#ifndef LTTNG_MM_CLI_SOURCE_OPTIONS_H
#define LTTNG_MM_CLI_SOURCE_OPTIONS_H

#include <argp.h>

#include "analysis/trace/source.h"

/*
 * A child parser; its input is a struct mm_source_options that mm_source_options_init() has set.
 * The command's parser names it in its `children` and passes the input on at ARGP_KEY_INIT:
 * `state->child_inputs[0] = &options->source`. Times are read when all options are: the command may
 * set `gmt` of the input until then.
 */
extern const struct argp source_options_argp;

/*
 * --jobs for commands that take none of the others; ends the program with a message on a bad @arg.
 */
unsigned int source_options_jobs(const char *arg, struct argp_state *state);

#endif /* LTTNG_MM_CLI_SOURCE_OPTIONS_H */
