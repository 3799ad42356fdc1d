/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads JSON that others wrote, within bounds. */
#ifndef LTTNG_MM_UTIL_JSON_FILE_H
#define LTTNG_MM_UTIL_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A value takes up to 220 bytes of memory, and as few as two bytes of text. Beyond these limits a
 * text is refused: it would take more than some 450 MiB.
 */
#define MM_JSON_BYTES_MAX (32u << 20)
#define MM_JSON_VALUES_MAX (2u << 20)

/*
 * Has @text more values than are read? Names of members count, too. 7 for each thread of a machine
 * is usual.
 */
bool mm_json_is_large(const char *text, size_t length);

/*
 * Puts the JSON in the file @path into *@json, or NULL: @why then says why not, as part of a line,
 * and is empty if there is no regular file. Release with json_decref(). Returns 0, or -1: out of
 * memory, and nothing is known of the file.
 */
int mm_json_load(const char *path, json_t **json, char *why, size_t size);

/*
 * jansson reports few of its allocations that fail. Between mm_json_watch() and mm_json_unwatch(),
 * which gets what the former returned, those of this thread are watched; the latter returns
 * whether one failed. Such pairs may be nested.
 */
unsigned long mm_json_watch(void);
bool mm_json_unwatch(unsigned long before);
/* Counts as such a failure: the caller's own allocation for some JSON. */
void mm_json_missed(void);

#endif /* LTTNG_MM_UTIL_JSON_FILE_H */
