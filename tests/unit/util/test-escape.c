// SPDX-License-Identifier: LGPL-2.1-only
/* Escapes hostile strings for terminals. */
#include "util/escape.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static const struct {
	const char *name, *in, *out;
} cases[] = {
	{ "plain", "big", "big" },
	{ "UTF-8",
	  "gr\xc3\xb6\xc3\x9f"
	  "e",
	  "gr\xc3\xb6\xc3\x9f"
	  "e" },
	{ "escape sequence", "\x1b]0;owned\x07", "\\x1b]0;owned\\x07" },
	{ "newline and tab", "a\nb\tc", "a\\nb\\tc" },
	{ "delete", "a\x7f", "a\\x7f" },
	{ "C1 control in UTF-8",
	  "a\xc2\x9b"
	  "31m",
	  "a\\u009b31m" },
	{ "C1 control as a byte",
	  "a\x9b"
	  "31m",
	  "a\\x9b31m" },
	{ "bidirectional override",
	  "a\xe2\x80\xae"
	  "b",
	  "a\\u202eb" },
	{ "cut UTF-8", "a\xe2\x80", "a\\xe2\\x80" },
	{ "backslash", "a\\b", "a\\\\b" },
};

int main(void)
{
	char text[64], *copy;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mm_escape_terminal(text, sizeof(text), cases[i].in, strlen(cases[i].in));
		tap(!strcmp(text, cases[i].out), "escape: %s", cases[i].name);
		copy = mm_escape_terminal_copy(cases[i].in);
		tap(copy && !strcmp(copy, cases[i].out), "escape: %s, copied", cases[i].name);
		free(copy);
		/*
		 * A message may become part of another message: a second escape must not change it.
		 */
		mm_escape_message(text, sizeof(text), cases[i].in, strlen(cases[i].in));
		copy = mm_escape_message_copy(text);
		tap(copy && !strcmp(copy, text), "escape: %s, in a message of a message",
		    cases[i].name);
		tap(!strcmp(text, strchr(cases[i].in, '\\') ? cases[i].in : cases[i].out),
		    "escape: %s, in a message", cases[i].name);
		free(copy);
	}
	mm_escape_terminal(text, 4,
			   "ab\x1b"
			   "c",
			   4);
	tap(!strcmp(text, "ab"), "escape: an escape is never truncated");
	return tap_status();
}
