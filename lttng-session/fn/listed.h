/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What `fn list` shows of a function: its SPEC, and the options that change what is recorded, as in
 *
 *   vfs_open(path) : int --caller --slower=1000000ns --errors
 */
#ifndef LTTNG_MM_SESSION_FN_LISTED_H
#define LTTNG_MM_SESSION_FN_LISTED_H

#include "lttng-session/fn/describe/function.h"

/* The parts of such a text; release with fn_listed_destroy(). */
struct fn_listed {
	char *spec;
	struct fn_add_options options; /* its texts belong to this structure */
	char *inside;
};

/* Returns NULL with @err set if @text is not what a function is listed as. */
struct fn_listed *fn_listed_parse(const char *text, struct mm_error *err);
void fn_listed_destroy(struct fn_listed *listed);

/*
 * Does a function that is listed so record kernel addresses, or memory, unchanged? True of a text
 * that cannot be read.
 */
bool fn_listed_reveals(const char *text);

#endif /* LTTNG_MM_SESSION_FN_LISTED_H */
