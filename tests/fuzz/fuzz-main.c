// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs a fuzz target without a fuzzer: fuzz-TARGET [--as-is] FILE... Each file is read unchanged,
 * and then, without --as-is, damaged in many places: truncated, with flipped bits, with extreme
 * bytes and words. An error ends the process, so the line printed for a file means that it passed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/tap.h"

/* Maximum number of damaged forms of one file. */
#define FORMS 600

/* Damages the bytes at @at. Returns the new size. */
static size_t damage(uint8_t *data, size_t size, size_t at, unsigned int kind)
{
	static const uint8_t words[][4] = { { 0xff, 0xff, 0xff, 0xff },
					    { 0xff, 0xff, 0xff, 0x7f },
					    { 0, 0, 0, 0x80 },
					    { 0, 0, 0, 0 } };
	size_t left = size - at;

	switch (kind) {
	case 0:
		return at;
	case 1:
		data[at] ^= 1;
		break;
	case 2:
		data[at] ^= 0x80;
		break;
	case 3:
		memmove(data + at, data + at + 1, left - 1);
		return size - 1;
	default:
		memcpy(data + at, words[kind - 4], left < 4 ? left : 4);
	}
	return size;
}

#define KINDS 8

static void run_one(const uint8_t *data, size_t size, size_t at, unsigned int kind)
{
	uint8_t *copy = malloc(size), *exact;
	size_t left;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	left = damage(copy, size, at, kind);
	/* The copy has exactly this size, so that a sanitizer detects reads after its end. */
	exact = realloc(copy, left ? left : 1);
	if (!exact)
		abort();
	LLVMFuzzerTestOneInput(exact, left);
	free(exact);
}

/*
 * Runs every kind of damage at positions all over the file. The positions of different kinds
 * interleave evenly.
 */
static unsigned int run_damaged(const uint8_t *data, size_t size)
{
	size_t step = size * KINDS / FORMS + 1;
	unsigned int count = 0;

	for (unsigned int kind = 0; kind < KINDS; kind++)
		for (size_t at = kind * step / KINDS; at < size; at += step, count++)
			run_one(data, size, at, kind);
	return count;
}

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *in = fopen(path, "re");
	uint8_t *data = NULL;
	size_t got = 1;

	*size = 0;
	while (in && got) {
		uint8_t *more = realloc(data, *size + 4096);

		if (!more)
			abort();
		data = more;
		got = fread(data + *size, 1, 4096, in);
		*size += got;
	}
	if (!in || ferror(in)) {
		perror(path);
		exit(2);
	}
	fclose(in);
	return data;
}

int main(int argc, char **argv)
{
	int first = argc > 1 && !strcmp(argv[1], "--as-is") ? 2 : 1;

	for (int i = first; i < argc; i++) {
		const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		unsigned int count = 1;
		size_t size;
		uint8_t *data = read_file(argv[i], &size);

		LLVMFuzzerTestOneInput(data, size);
		if (first == 1)
			count += run_damaged(data, size);
		free(data);
		tap(true, "%s, %u forms", name, count);
	}
	return tap_status();
}
