/* SPDX-License-Identifier: LGPL-2.1-only */
/* The part of `status` about the recorder of page references: its targets and marks. */
#ifndef LTTNG_MM_CLI_STATUS_STATUS_PAGE_REF_H
#define LTTNG_MM_CLI_STATUS_STATUS_PAGE_REF_H

#include <jansson.h>
#include <stdio.h>

/*
 * Adds the object "page_ref", in the form of supervisor.h, to the object @json. @daemon is the
 * recorder daemon's answer, or NULL. If the answer lacks this object, makes the object from the
 * plan. If the plan has no targets, "page_ref" is null.
 */
void status_add_page_ref(json_t *json, const json_t *daemon);

/*
 * Prints the object "page_ref" of @json, the JSON form, in lines of text. Prints nothing if it is
 * null.
 */
void status_print_page_ref(FILE *out, const json_t *json);

#endif /* LTTNG_MM_CLI_STATUS_STATUS_PAGE_REF_H */
