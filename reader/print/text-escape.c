// SPDX-License-Identifier: LGPL-2.1-only
/* Quoted strings as in babeltrace2's sink.text.pretty. */
#include "reader/print/text-escape.h"

#include <string.h>

#include "reader/ctf/packet/map.h"

/* the character after the backslash; 1: the escape is `\xNN`; 0: no escape */
static const char escapes[256] = {
	['\0'] = '0',  [0x01 ... 0x06] = 1, ['\a'] = 'a', ['\b'] = 'b',	 ['\t'] = 't',
	['\n'] = 'n',  ['\v'] = 'v',	    ['\f'] = 'f', ['\r'] = 'r',	 [0x0e ... 0x1a] = 1,
	[0x1b] = 'e',  [0x1c ... 0x1f] = 1, ['"'] = '"',  ['\''] = '\'', ['?'] = '?',
	['\\'] = '\\', [0x7f] = 1,
};

char *mm_put_quoted(char *out, const char *string, size_t length)
{
	static const char digits[] = "0123456789abcdef";

	*out++ = '"';
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)ctf_once((unsigned char)string[i]);
		char escape = escapes[c];

		if (escape) {
			*out++ = '\\';
			if (escape == 1) {
				*out++ = 'x';
				*out++ = digits[c >> 4];
				c = (unsigned char)digits[c & 15];
			} else {
				c = (unsigned char)escape;
			}
		}
		*out++ = (char)c;
	}
	*out++ = '"';
	return out;
}
