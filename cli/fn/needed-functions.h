/* SPDX-License-Identifier: LGPL-2.1-only */
/* Notes of `fn remove` and `stop` about triggers that still need functions. */
#ifndef LTTNG_MM_CLI_FN_NEEDED_FUNCTIONS_H
#define LTTNG_MM_CLI_FN_NEEDED_FUNCTIONS_H

#include <stddef.h>

/*
 * Prints a note for each trigger that needs one of the @count functions @names (NULL: any
 * function).
 */
void needed_functions_note(const char *const *names, size_t count);

#endif /* LTTNG_MM_CLI_FN_NEEDED_FUNCTIONS_H */
