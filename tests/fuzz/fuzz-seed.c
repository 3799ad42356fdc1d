// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the metadata that fuzzing begins with. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build knows where the sources are; others run in their folder. */
#ifndef LTTNG_MM_FUZZ_SEEDS
#define LTTNG_MM_FUZZ_SEEDS "tests/fuzz/seeds"
#endif

const char *const fuzz_seed_names[FUZZ_SEEDS] = {
	"kernel.tsdl", "ust.tsdl", "barectf.tsdl", "types.tsdl", "plain.tsdl", "ctf2.json",
};

static void *checked(void *pointer, const char *what)
{
	if (!pointer) {
		perror(what);
		exit(2);
	}
	return pointer;
}

char *fuzz_seed_read(size_t number, size_t *size)
{
	const char *name = fuzz_seed_names[number];
	/* CTF 2's fragments begin with a record separator, which a text file had better not have. */
	int json = strstr(name, ".json") != NULL;
	char path[4096], *line = NULL, *text;
	size_t room = 0;
	FILE *in, *out;

	snprintf(path, sizeof(path), "%s/%s", LTTNG_MM_FUZZ_SEEDS, name);
	in = checked(fopen(path, "re"), path);
	out = checked(open_memstream(&text, size), path);
	while (getline(&line, &room, in) >= 0)
		fprintf(out, "%s%s", json ? "\x1e" : "", line);
	free(line);
	fclose(in);
	if (fclose(out))
		checked(NULL, path);
	return text;
}
