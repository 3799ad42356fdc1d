/* SPDX-License-Identifier: LGPL-2.1-only */
/* The first sentence of `lttng-mm status`. */
#ifndef LTTNG_MM_CLI_STATUS_STATUS_SENTENCE_H
#define LTTNG_MM_CLI_STATUS_STATUS_SENTENCE_H

#include <jansson.h>

/*
 * Returns one sentence about @status, which is what status_view_json() returns, without "summary":
 * whether everything is being recorded, how far back the buffers reach, and what was lost. It
 * claims no more than @status says, and is not escaped. Release it with free(). NULL: out of
 * memory.
 */
char *status_sentence(const json_t *status);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_SENTENCE_H */
