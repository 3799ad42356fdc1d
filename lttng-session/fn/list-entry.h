/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Parses the description of an added function that `fn list` shows. It consists of the SPEC and of
 * options:
 *
 *   vfs_open(path) : int --caller --slower=1000000ns --errors
 */
#ifndef LTTNG_MM_SESSION_FN_LIST_ENTRY_H
#define LTTNG_MM_SESSION_FN_LIST_ENTRY_H

#include "lttng-session/fn/describe/function.h"

/* A parsed description. */
struct fn_list_entry {
	char *spec;
	struct fn_add_options options; /* points to @inside */
	char *inside;
};

/*
 * Parses @text. Release the result with fn_list_entry_destroy(). Returns NULL with @err set on
 * failure.
 */
struct fn_list_entry *fn_list_entry_parse(const char *text, struct mm_error *err);
void fn_list_entry_destroy(struct fn_list_entry *listed);

/*
 * Does the described function record kernel addresses or raw memory? Returns true also if @text
 * cannot be parsed.
 */
bool fn_list_entry_reveals(const char *text);

#endif /* LTTNG_MM_SESSION_FN_LIST_ENTRY_H */
