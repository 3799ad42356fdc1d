/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads untrusted JSON files, with limits. */
#ifndef LTTNG_MM_UTIL_JSON_FILE_H
#define LTTNG_MM_UTIL_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A value needs up to 220 bytes of memory, but as little as two bytes of text. These limits keep a
 * parsed file below about 450 MiB.
 */
#define MM_JSON_BYTES_MAX (32u << 20)
#define MM_JSON_VALUES_MAX (2u << 20)

/*
 * Does @text have more than MM_JSON_VALUES_MAX values, counting the names of members? A usual file
 * has about 7 per thread of the recorded machine.
 */
bool mm_json_is_large(const char *text, size_t length);

/*
 * Reads the JSON file @path into *@json, which the caller releases with json_decref(). On failure
 * *@json is NULL and @why (@size bytes) says why; @why is empty if @path is no regular file.
 * Returns 0, or -1 when out of memory.
 */
int mm_json_load(const char *path, json_t **json, char *why, size_t size);
/*
 * Like mm_json_load(), but also returns the file's text, *@length bytes to release with free(), or
 * NULL if *@json is NULL.
 */
int mm_json_load_text(const char *path, json_t **json, char **text, size_t *length, char *why,
		      size_t size);

/*
 * Calls json_loadb() with @flags. If @text is not valid JSON, *@json is NULL and *@error says why.
 * The caller checks the limits above first. Returns 0, or -1 when out of memory.
 */
int mm_json_parse(const char *text, size_t length, size_t flags, json_t **json,
		  json_error_t *error);

/* Returns a JSON string for arbitrary bytes: U+FFFD replaces invalid UTF-8. */
json_t *mm_json_text(const char *text);

/*
 * Detects failed allocations that jansson does not report. Pass the result of mm_json_watch() to
 * mm_json_unwatch(), which returns whether an allocation of this thread failed in between. Pairs
 * may be nested.
 */
unsigned long mm_json_watch(void);
bool mm_json_unwatch(unsigned long before);
/* Counts a failed allocation of the caller for mm_json_unwatch(). */
void mm_json_missed(void);

#endif /* LTTNG_MM_UTIL_JSON_FILE_H */
