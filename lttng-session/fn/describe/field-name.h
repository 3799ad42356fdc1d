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
 * `a[3]`. Appends an underscore to a reserved name: a keyword of TSDL or C, or a field that every
 * event may have.
 */
void fn_field_name(const struct fn_spec_item *item, char name[FN_FIELD_NAME_MAX]);

/* Names the field of an argument. If @argument is empty, uses `argN`; @position N starts at 1. */
void fn_field_name_of_argument(const char *argument, unsigned int position,
			       char name[FN_FIELD_NAME_MAX]);

/* Adds a number to @name, so that @is_taken() returns false for it. */
void fn_field_name_distinguish(char name[FN_FIELD_NAME_MAX],
			       bool (*is_taken)(const char *name, const void *user),
			       const void *user);

#endif /* LTTNG_MM_FN_DESCRIBE_FIELD_NAME_H */
