// SPDX-License-Identifier: LGPL-2.1-only
/* UUIDs as text. */
#include "util/uuid.h"

#include <ctype.h>
#include <stdio.h>

bool mm_uuid_parse(const char *text, uint8_t uuid[16])
{
	int digits = 0;

	for (; text && *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '-')
			continue;
		if (!isxdigit(c) || digits == 32)
			return false;
		c = (unsigned char)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
		uuid[digits / 2] = (uint8_t)(digits % 2 ? uuid[digits / 2] | c : c << 4);
		digits++;
	}
	return digits == 32;
}

void mm_uuid_format(const uint8_t uuid[16], char text[MM_UUID_TEXT])
{
	for (int i = 0; i < 16; i++)
		text += sprintf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
				uuid[i]);
}
