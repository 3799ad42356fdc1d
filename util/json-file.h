/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads untrusted JSON files, with limits. */
#ifndef LTTNG_MM_UTIL_JSON_FILE_H
#define LTTNG_MM_UTIL_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A value takes up to 220 bytes of memory, and as little as two bytes of text. Larger texts are
 * refused, because they may take more than about 450 MiB.
 */
#define MM_JSON_BYTES_MAX (32u << 20)
#define MM_JSON_VALUES_MAX (2u << 20)

/*
 * Does @text have more than MM_JSON_VALUES_MAX values, including the names of members? About 7 per
 * thread of the machine are usual.
 */
bool mm_json_is_large(const char *text, size_t length);

/*
 * Reads the JSON file @path into *@json; release with json_decref(). Otherwise *@json is NULL, and
 * @why, of @size bytes, is the reason, or empty if there is no regular file. Returns 0, or -1 when
 * out of memory.
 */
int mm_json_load(const char *path, json_t **json, char *why, size_t size);
/* The same with the text of the file, *@length bytes; NULL if *@json is. Release with free(). */
int mm_json_load_text(const char *path, json_t **json, char **text, size_t *length, char *why,
		      size_t size);

/*
 * As json_loadb(), with its @flags; *@json is NULL, and *@error the reason, if the text is no JSON.
 * The text must not be larger than the limits above. Returns 0, or -1 when out of memory.
 */
int mm_json_parse(const char *text, size_t length, size_t flags, json_t **json,
		  json_error_t *error);

/* A JSON string of arbitrary bytes: invalid UTF-8 is replaced by U+FFFD. */
json_t *mm_json_text(const char *text);

/*
 * jansson does not report all failed allocations. Between mm_json_watch() and mm_json_unwatch(),
 * those of this thread are counted. mm_json_unwatch() takes the value that mm_json_watch()
 * returned, and returns whether an allocation failed. Pairs may be nested.
 */
unsigned long mm_json_watch(void);
bool mm_json_unwatch(unsigned long before);
/* Counts a failed allocation of the caller's as well. */
void mm_json_missed(void);

#endif /* LTTNG_MM_UTIL_JSON_FILE_H */
