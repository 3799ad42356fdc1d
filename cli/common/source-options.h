/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of all commands that read a trace: --reader, --jobs, --begin, --end. */
#ifndef LTTNG_MM_CLI_COMMON_SOURCE_OPTIONS_H
#define LTTNG_MM_CLI_COMMON_SOURCE_OPTIONS_H

#include <argp.h>

#include "reader/events/source.h"

/*
 * A child parser. Its input is a struct mm_source_options, prepared by mm_source_options_init().
 * The command's parser lists it in `children` and sets its input at ARGP_KEY_INIT:
 * `state->child_inputs[0] = &options->source`. Times are parsed after all options, so an option of
 * the command may still set `gmt` in the input.
 */
extern const struct argp source_options_argp;

/*
 * Parses --jobs, for commands that have this option but not the others. Exits with a message if
 * @arg is invalid.
 */
unsigned int source_options_jobs(const char *arg, struct argp_state *state);

#endif /* LTTNG_MM_CLI_COMMON_SOURCE_OPTIONS_H */
