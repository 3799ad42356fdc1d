// SPDX-License-Identifier: LGPL-2.1-only
/* Tests how recorder.conf is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon/supervisor/settings.h"
#include "tests/tap.h"

static const struct {
	const char *name, *text, *shown, *error;
} cases[] = {
	{ "an empty file", "", "[] yes", NULL },
	{ "everything",
	  "# comment\n[recorder]\nrecord = slab  dax --budget=64M\n"
	  "rescue = no\nconsumer-nice = -5\n",
	  "[slab dax --budget=64M] no -5", NULL },
	{ "the last line of two counts", "[recorder]\nrecord = slab\nrecord = dax\n", "[dax] yes",
	  NULL },
	{ "an unknown key", "[recorder]\nrecrod = slab\n", NULL,
	  "settings: FILE:2: 'recrod': unknown; known: consumer-nice, record, rescue, user-max" },
	{ "another section", "[recorders]\nrecord = slab\n", NULL,
	  "settings: FILE:2: 'recorders': unknown section; the only section is [recorder]" },
	{ "neither yes nor no", "[recorder]\nrescue = maybe\n", NULL,
	  "settings: FILE:2: 'maybe': neither yes nor no" },
	{ "a priority out of range", "[recorder]\nconsumer-nice = 20\n", NULL,
	  "settings: FILE:2: '20': not a number from -20 to 19" },
	{ "a priority that is no number", "[recorder]\nconsumer-nice = 5x\n", NULL,
	  "settings: FILE:2: '5x': not a number from -20 to 19" },
	{ "no key", "[recorder]\nrecord\nrescue = maybe\n", NULL,
	  "settings: FILE:2: not of the form KEY = VALUE" },
	{ "the first of two errors", "[recorder]\nrescue = maybe\nrecrod = x\n", NULL,
	  "settings: FILE:2: 'maybe': neither yes nor no" },
};

static void show(const struct settings *settings, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");

	fputc('[', out);
	for (size_t i = 0; settings->record[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", settings->record[i]);
	fprintf(out, "] %s", settings->rescue ? "yes" : "no");
	if (settings->has_nice)
		fprintf(out, " %d", settings->nice);
	fclose(out);
}

int main(void)
{
	static const char lines[] = "[recorder]\n# comment\n\nrecord = slab\nrescue = no\n";
	struct mm_error err = MM_ERROR_INIT;
	struct settings settings;
	FILE *in;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		in = *cases[i].text ? fmemopen((char *)cases[i].text, strlen(cases[i].text), "r")
				    : fopen("/dev/null", "r");
		char text[256] = "";
		int ret;

		mm_error_clear(&err);
		ret = settings_parse(&settings, in, "FILE", &err);
		if (!ret) {
			show(&settings, text, sizeof(text));
			settings_release(&settings);
		}
		tap(cases[i].error ? ret && !strcmp(err.message, cases[i].error)
				   : !ret && !strcmp(text, cases[i].shown),
		    "%s", cases[i].name);
		if (ret && (!cases[i].error || strcmp(err.message, cases[i].error)))
			printf("# %s\n", err.message);
		fclose(in);
	}
	mm_error_clear(&err);
	tap(!settings_read(&settings, "/nonexistent/recorder.conf", &err) && settings.rescue,
	    "without a file, the defaults apply");
	settings_release(&settings);
	in = fmemopen((char *)lines, strlen(lines), "r");
	tap(!settings_parse(&settings, in, "FILE", &err) && settings.record_line == 4,
	    "the line that says what to record, for messages");
	fclose(in);
	settings_release(&settings);
	return tap_status();
}
