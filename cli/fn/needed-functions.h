/* SPDX-License-Identifier: LGPL-2.1-only */
/* Notes for `fn remove` and `stop`: which triggers still need functions. */
#ifndef LTTNG_MM_CLI_FN_NEEDED_FUNCTIONS_H
#define LTTNG_MM_CLI_FN_NEEDED_FUNCTIONS_H

#include <stddef.h>

/* Names each trigger that needs one of the @count functions @names, or any function (NULL). */
void needed_functions_note(const char *const *names, size_t count);

#endif /* LTTNG_MM_CLI_FN_NEEDED_FUNCTIONS_H */
