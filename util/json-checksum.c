// SPDX-License-Identifier: LGPL-2.1-only
/* Adds a checksum to a JSON text, or verifies it. */
#include "util/json-checksum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/checksums.h"
#include "util/json-file.h"

/* The text around the eight digits of the checksum. */
static const char before[] = ",\n \"" MM_JSON_CHECKSUM "\": \"", after[] = "\"\n}\n";
#define DIGITS 8u
#define END_BYTES (sizeof(before) - 1 + DIGITS + sizeof(after) - 1)

char *mm_json_checksum_text(const json_t *json)
{
	static const char end[] = "\n}";
	unsigned long watched = mm_json_watch();
	char *text = json_dumps(json, JSON_INDENT(1) | JSON_ENSURE_ASCII), *sealed = NULL;
	bool failed = mm_json_unwatch(watched);
	size_t length = text ? strlen(text) : 0;

	if (!failed && length > strlen(end) && !strcmp(text + length - strlen(end), end)) {
		length -= strlen(end);
		if (asprintf(&sealed, "%.*s%s%08" PRIx32 "%s", (int)length, text, before,
			     mm_crc32c(0, text, length), after) < 0)
			sealed = NULL;
	}
	free(text);
	return sealed;
}

enum mm_json_checksum mm_json_checksum_check(const char *text, size_t length)
{
	char digits[DIGITS + 1];
	const char *end;

	if (length < END_BYTES)
		return MM_JSON_CHECKSUM_NONE;
	end = text + length - END_BYTES;
	if (memcmp(end, before, strlen(before)) != 0 ||
	    memcmp(text + length - strlen(after), after, strlen(after)) != 0)
		return MM_JSON_CHECKSUM_NONE;
	snprintf(digits, sizeof(digits), "%08" PRIx32, mm_crc32c(0, text, length - END_BYTES));
	return memcmp(end + strlen(before), digits, DIGITS) ? MM_JSON_CHECKSUM_DIFFERS
							    : MM_JSON_CHECKSUM_MATCHES;
}
