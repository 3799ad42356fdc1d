// SPDX-License-Identifier: LGPL-2.1-only
/*
 * sample-events [THRESHOLD]: reads a script of page-reference events for make-trace, and prints the
 * events that the probe would have recorded with a sample. In pageref_touch, pageref_around and
 * pageref_unseen, it omits pages whose hash is not below the threshold. The threshold of an address
 * space is THRESHOLD or, without this argument, the field `sample` of the last pageref_pass event.
 * THRESHOLD also replaces these fields.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instrumentation/wire/pageref-sample.h"

#define SPACES 64
#define LINE 1024

/* Returns the number after " NAME=", or @none. */
static unsigned long long field(const char *line, const char *name, unsigned long long none)
{
	char text[32];
	const char *at;

	snprintf(text, sizeof(text), " %s=", name);
	at = strstr(line, text);
	return at ? strtoull(at + strlen(text), NULL, 0) : none;
}

/* Prints the line with an address and a number of pages. */
static void print_run(const char *line, unsigned long long first, unsigned long long pages)
{
	const char *address = strstr(line, " address="), *rest = strstr(line, " pages=");

	if (!pages)
		return;
	printf("%.*s address=0x%llx pages=%llu", (int)(address - line), line, first << 12, pages);
	rest += strcspn(rest + 1, " \n") + 1;
	fputs(rest, stdout);
}

static void print_runs(const char *line, unsigned int threshold)
{
	const unsigned long long first = field(line, "address", 0) >> 12;
	const unsigned long long end = first + field(line, "pages", 0);
	unsigned long long from = first;

	if (lttng_mm_sample_may_be_huge(first, end - first)) {
		print_run(line, first, lttng_mm_sample_has(threshold, first) ? 512 : 0);
		return;
	}
	for (unsigned long long page = first; page <= end; page++) {
		if (page < end && lttng_mm_sample_has(threshold, page))
			continue;
		print_run(line, from, page - from);
		from = page + 1;
	}
}

static void print_pass(const char *line, unsigned int threshold)
{
	const char *sample = strstr(line, " sample=");

	if (!sample) {
		fputs(line, stdout);
		return;
	}
	printf("%.*s sample=%u", (int)(sample - line), line, threshold);
	fputs(sample + strcspn(sample + 1, " \n") + 1, stdout);
}

int main(int argc, char **argv)
{
	const unsigned int given = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
	unsigned int thresholds[SPACES] = { 0 };
	char line[LINE];

	while (fgets(line, sizeof(line), stdin)) {
		const unsigned long long mm = field(line, "mm", 0) % SPACES;
		unsigned long long page = field(line, "address", 0) >> 12;
		unsigned int *threshold = &thresholds[mm];

		if (strstr(line, " pageref_pass "))
			*threshold = (unsigned int)field(line, "sample", *threshold);
		if (given || !*threshold)
			*threshold = given ? given : LTTNG_MM_PAGEREF_SAMPLE_ALL;
		if (field(line, "huge", 0))
			page -= page % 512;
		if (strstr(line, " pageref_pass "))
			print_pass(line, *threshold);
		else if (strstr(line, " pageref_around ") || strstr(line, " pageref_unseen "))
			print_runs(line, *threshold);
		else if (!strstr(line, " pageref_touch ") || lttng_mm_sample_has(*threshold, page))
			fputs(line, stdout);
	}
	return 0;
}
