/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of the fields that record values of functions. */
#ifndef LTTNG_MM_FN_DESCRIBE_FIELD_NAME_H
#define LTTNG_MM_FN_DESCRIBE_FIELD_NAME_H

#include <stdbool.h>

#include "lttng-session/fn/describe/spec.h"

/* Maximum size of a name, including its NUL. */
#define FN_FIELD_NAME_MAX 64

/*
 * Writes the name of the field that records @item: `vma_vm_start` for `vma->vm_start`, `a_3` for
 * `a[3]`. Appends an underscore to a reserved name. Reserved are the keywords of TSDL and C, and
 * the names of fields that every event may have.
 */
void fn_field_name(const struct fn_spec_item *item, char name[FN_FIELD_NAME_MAX]);

/*
 * Writes the name of the field that records an argument. If @argument is empty, writes `argN`,
 * where N is @position, starting at 1.
 */
void fn_field_name_of_argument(const char *argument, unsigned int position,
			       char name[FN_FIELD_NAME_MAX]);

/* If @is_taken() returns true for @name, appends a number that makes @name unique. */
void fn_field_name_distinguish(char name[FN_FIELD_NAME_MAX],
			       bool (*is_taken)(const char *name, const void *user),
			       const void *user);

#endif /* LTTNG_MM_FN_DESCRIBE_FIELD_NAME_H */
