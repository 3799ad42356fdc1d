/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads untrusted JSON files, with limits. */
#ifndef LTTNG_MM_UTIL_JSON_FILE_H
#define LTTNG_MM_UTIL_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A value needs up to 220 bytes of memory, but as few as two bytes of text. With these limits, a
 * parsed file needs less than about 450 MiB.
 */
#define MM_JSON_BYTES_MAX (32u << 20)
#define MM_JSON_VALUES_MAX (2u << 20)

/*
 * Does @text have more than MM_JSON_VALUES_MAX values? Names of members count too. A usual file has
 * about 7 values per thread of the recorded machine.
 */
bool mm_json_is_large(const char *text, size_t length);

/*
 * Reads the JSON file @path into *@json. Release it with json_decref(). On failure, *@json is NULL
 * and @why (@size bytes) has the reason. @why is empty if @path is not a regular file. Returns 0,
 * or -1 when out of memory.
 */
int mm_json_load(const char *path, json_t **json, char *why, size_t size);
/*
 * Like mm_json_load(), but also returns the file's text. It has *@length bytes; release it with
 * free(). If *@json is NULL, *@text is NULL too.
 */
int mm_json_load_text(const char *path, json_t **json, char **text, size_t *length, char *why,
		      size_t size);

/*
 * Calls json_loadb() with @flags. If @text is not valid JSON, *@json is NULL and *@error has the
 * reason. The caller must check the limits above first. Returns 0, or -1 when out of memory.
 */
int mm_json_parse(const char *text, size_t length, size_t flags, json_t **json,
		  json_error_t *error);

/* Returns a JSON string for arbitrary bytes. U+FFFD replaces invalid UTF-8. */
json_t *mm_json_text(const char *text);

/*
 * Detect failed allocations that jansson does not report. Pass the result of mm_json_watch() to
 * mm_json_unwatch(). It returns true if an allocation of this thread failed in between. Pairs may
 * be nested.
 */
unsigned long mm_json_watch(void);
bool mm_json_unwatch(unsigned long before);
/* Counts an allocation that failed in the caller, for mm_json_unwatch(). */
void mm_json_missed(void);

#endif /* LTTNG_MM_UTIL_JSON_FILE_H */
