/* SPDX-License-Identifier: LGPL-2.1-only */
/* C declarations of BTF types. */
#ifndef LTTNG_MM_FN_DESCRIBE_DECLARE_H
#define LTTNG_MM_FN_DESCRIBE_DECLARE_H

#include "lttng-session/fn/describe/signature.h"

/*
 * Writes a C declaration of @name (may be empty) with the BTF type @type to @text: `struct page
 * *page`, `int (*compare)(const void *, const void *)`. Truncates the text to @size bytes.
 */
void fn_declare(const struct fn_btf *btf, uint32_t type, const char *name, char *text, size_t size);

/* Writes a function's prototype. Omits arguments that do not fit. */
void fn_declare_function(const struct fn_signature *signature, char *text, size_t size);

#endif /* LTTNG_MM_FN_DESCRIBE_DECLARE_H */
