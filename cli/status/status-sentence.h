/* SPDX-License-Identifier: LGPL-2.1-only */
/* The first sentence of `lttng-mm status`. */
#ifndef LTTNG_MM_CLI_STATUS_STATUS_SENTENCE_H
#define LTTNG_MM_CLI_STATUS_STATUS_SENTENCE_H

#include <jansson.h>

/*
 * Returns one sentence about @status, the object of status_view_json(). The sentence says whether
 * everything is recorded, how far back the buffers reach, and which events were lost. If one of
 * these facts is unknown, the sentence says so. It is not escaped. Release it with free(). Returns
 * NULL when out of memory.
 */
char *status_sentence(const json_t *status);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_SENTENCE_H */
