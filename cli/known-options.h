/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds misspelt options before argp does, which does not say what may be meant. */
#ifndef LTTNG_MM_CLI_KNOWN_OPTIONS_H
#define LTTNG_MM_CLI_KNOWN_OPTIONS_H

#include <argp.h>

#include "util/error.h"

/*
 * Fails if the arguments have a long option that neither @parser nor one of its children has. As
 * with argp, a long option may be abbreviated. Returns 0, or -1 with @err set.
 */
int known_options_check(const struct argp *parser, int argc, char *const *argv,
			struct mm_error *err);

#endif /* LTTNG_MM_CLI_KNOWN_OPTIONS_H */
