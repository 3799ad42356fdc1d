// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Checks that each event of record-test.ko is in a trace exactly once: on each of two CPUs, the
 * events are numbered from 1 to HITS, repeatedly. Reads the text that babeltrace2 or `lttng-mm
 * print --format=babeltrace` prints:
 *
 *   [22:13:20.000001000] (+0.000000500) guest recordtest_packed: { cpu_id = 1 }, { number = 7, ...
 *
 * Usage: check-numbers HITS [LEAST] <TEXT. Prints the first five errors and exits with 1 if there
 * are any: a number that does not follow the previous one, another kind of line, or fewer than
 * LEAST (default 1) events of a CPU.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS = 2, FINDINGS_SHOWN = 5 };

static unsigned int findings;

__attribute__((format(printf, 1, 2))) static void find(const char *fmt, ...)
{
	va_list args;

	if (findings++ >= FINDINGS_SHOWN)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/* Reads the number after @name, and moves @text to the end of the number. */
static bool read_number(const char **text, const char *name, unsigned long *number)
{
	const char *at = strstr(*text, name);
	char *end;

	if (!at)
		return false;
	at += strlen(name);
	*number = strtoul(at, &end, 10);
	*text = end;
	return end != at;
}

int main(int argc, char **argv)
{
	unsigned long hits = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long least = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	unsigned long last[CPUS] = { 0 }, events[CPUS] = { 0 }, cpu, number;
	char *line = NULL;
	size_t room = 0;

	if (!hits || argc > 3) {
		fprintf(stderr, "usage: check-numbers HITS [LEAST] <TEXT\n");
		return 2;
	}
	while (getline(&line, &room, stdin) > 0) {
		const char *text = line;

		if (!read_number(&text, "{ cpu_id = ", &cpu) || cpu >= CPUS ||
		    !read_number(&text, "{ number = ", &number)) {
			find("unexpected: %.*s", (int)strcspn(line, "\n"), line);
			continue;
		}
		if (events[cpu]++ && number != last[cpu] % hits + 1)
			find("CPU %lu: %lu after %lu", cpu, number, last[cpu]);
		last[cpu] = number;
	}
	free(line);
	for (cpu = 0; cpu < CPUS; cpu++)
		if (events[cpu] < least)
			find("CPU %lu: %lu events, fewer than %lu", cpu, events[cpu], least);
	return findings ? 1 : 0;
}
