/* SPDX-License-Identifier: LGPL-2.1-only */
/* UUIDs as text. */
#ifndef LTTNG_MM_UTIL_UUID_H
#define LTTNG_MM_UTIL_UUID_H

#include <stdbool.h>
#include <stdint.h>

#define MM_UUID_TEXT 37

/*
 * Parses 32 hexadecimal digits, with or without dashes. Returns false if @text is NULL or not a
 * UUID.
 */
bool mm_uuid_parse(const char *text, uint8_t uuid[16]);
void mm_uuid_format(const uint8_t uuid[16], char text[MM_UUID_TEXT]);

#endif /* LTTNG_MM_UTIL_UUID_H */
