/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * JSON text that ends with its own checksum: the value of the last member is the CRC32C of all text
 * before the comma in front of this member.
 *
 *   {
 *    "version": 1,
 *    "crc32c": "8a9136aa"
 *   }
 */
#ifndef LTTNG_MM_UTIL_JSON_CHECKSUM_H
#define LTTNG_MM_UTIL_JSON_CHECKSUM_H

#include <jansson.h>
#include <stddef.h>

/* Name of the checksum member. */
#define MM_JSON_CHECKSUM "crc32c"

/*
 * Returns the text of @json with a checksum. @json must be an object with at least one member, and
 * none named MM_JSON_CHECKSUM. Release with free(). Returns NULL when out of memory.
 */
char *mm_json_checksum_text(const json_t *json);

/* The result of comparing a text with its checksum. */
enum mm_json_checksum {
	MM_JSON_CHECKSUM_NONE, /* the text does not end with a checksum */
	MM_JSON_CHECKSUM_MATCHES,
	MM_JSON_CHECKSUM_DIFFERS,
};

enum mm_json_checksum mm_json_checksum_check(const char *text, size_t length);

#endif /* LTTNG_MM_UTIL_JSON_CHECKSUM_H */
