/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reads untrusted JSON files, with limits. */
#ifndef LTTNG_MM_UTIL_JSON_FILE_H
#define LTTNG_MM_UTIL_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A value takes up to 220 bytes of memory, but its text may have only two bytes. With these limits,
 * a parsed file takes less than about 450 MiB.
 */
#define MM_JSON_BYTES_MAX (32u << 20)
#define MM_JSON_VALUES_MAX (2u << 20)

/*
 * Does @text have more than MM_JSON_VALUES_MAX values? Names of members count too. A usual file has
 * about 7 values per thread of the recorded machine.
 */
bool mm_json_is_large(const char *text, size_t length);

/*
 * Reads the JSON file @path into *@json, to be released with json_decref(). On failure, *@json is
 * NULL and @why (@size bytes) contains the reason, or is empty if @path does not exist or is not a
 * regular file. Returns 0, or -1 when out of memory.
 */
int mm_json_load(const char *path, json_t **json, char *why, size_t size);
/*
 * Like mm_json_load(), but also returns the text of the file, which has *@length bytes. Release it
 * with free(). If *@json is NULL, *@text is NULL, too.
 */
int mm_json_load_text(const char *path, json_t **json, char **text, size_t *length, char *why,
		      size_t size);

/*
 * Calls json_loadb() with @flags. If @text is not valid JSON, *@json is NULL and *@error contains
 * the reason. The caller must have checked the limits above. Returns 0, or -1 when out of memory.
 */
int mm_json_parse(const char *text, size_t length, size_t flags, json_t **json,
		  json_error_t *error);

/* Returns a JSON string for arbitrary bytes. U+FFFD replaces invalid UTF-8. */
json_t *mm_json_text(const char *text);

/*
 * Detects failed allocations that jansson does not report. mm_json_watch() starts the detection.
 * Pass its result to mm_json_unwatch(), which returns true if an allocation of this thread has
 * failed in between. Pairs of these calls may be nested.
 */
unsigned long mm_json_watch(void);
bool mm_json_unwatch(unsigned long before);
/* Call this after a failed allocation of your own. mm_json_unwatch() then returns true. */
void mm_json_missed(void);

#endif /* LTTNG_MM_UTIL_JSON_FILE_H */
