/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the context folder of a snapshot: what another machine needs to read the trace. */
#ifndef LTTNG_MM_SESSION_CONTEXT_H
#define LTTNG_MM_SESSION_CONTEXT_H

#include <jansson.h>

#include "analysis/core/error.h"

/* Makes @folder and its files; doc/design.md lists them. Returns 0, or -1 with @err set. */
int context_write(const char *folder, const char *session, struct mm_error *err);

/* For the parts. Writes @json (which it takes over) to @folder/@name. */
int context_write_json(const char *folder, const char *name, json_t *json, struct mm_error *err);
/* A JSON string of any bytes: what is no UTF-8 becomes U+FFFD. */
json_t *context_string(const char *text);
/* Reads a file's first line into @text, without its end; empty when it cannot be read. */
void context_read_line(const char *path, char *text, size_t size);

/* The parts, a file of its own each. */
int context_write_files(const char *folder, struct mm_error *err);
/* Without /sys/kernel/slab there are no aliases to write. */
int context_write_slab(const char *folder, struct mm_error *err);
int context_write_symbols(const char *folder, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_CONTEXT_H */
