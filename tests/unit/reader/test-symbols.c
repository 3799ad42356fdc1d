// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the lookup of symbols by owner and offset. Many owners, as in a hostile file, must take
 * linear time.
 */
#include "reader/sysinfo/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"

static char folder[] = "/tmp/test-symbols-XXXXXX";
static char path[64];

static const struct {
	const char *owner;
	uint64_t offset;
	const char *symbol; /* NULL: no symbol */
	uint64_t from;
} cases[] = {
	{ "kernel", 0x0f, NULL, 0 },
	{ "kernel", 0x10, "first", 0 },
	{ "kernel", 0x1f, "first", 0xf },
	{ "kernel", 0x20, "second", 0 }, /* two lines have this offset */
	{ "kernel", UINT64_MAX, "last", UINT64_MAX - 0x30 },
	{ "ext4", 0x0, "ext4_first", 0 },
	{ "ext4", 0x15, "ext4_second", 5 },
	{ "ext", 0x15, NULL, 0 },
	{ "ext44", 0x15, NULL, 0 },
	{ "", 0x15, NULL, 0 },
};

static void check_cases(void)
{
	FILE *file = fopen(path, "w");
	struct mm_symbols *symbols;

	if (!file)
		exit(2);
	/* The lines of an owner may be apart from each other and in any order. */
	fputs("kernel\t10\tT\tfirst\nkernel\t20\tT\tsecond\nkernel\t20\tt\tother\n"
	      "ext4\t10\tt\text4_second\nno line\n\t10\tT\tnobody\n"
	      "kernel\t30\tT\tlast\next4\t0\tt\text4_first\n",
	      file);
	fclose(file);
	symbols = mm_symbols_load(folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && symbols; i++) {
		uint64_t from = 0;
		const char *name = mm_symbols_find(symbols, cases[i].owner, cases[i].offset, &from);

		tap(cases[i].symbol
			    ? name && !strcmp(name, cases[i].symbol) && from == cases[i].from
			    : !name,
		    "symbols: %s+0x%llx is %s", cases[i].owner, (unsigned long long)cases[i].offset,
		    name ? name : "nothing");
	}
	tap(symbols, "symbols: all are found");
	mm_symbols_destroy(symbols);
}

/*
 * Reads @count owners, each with two lines far apart, and finds a symbol of each owner. Returns the
 * CPU time in seconds.
 */
static double time_owners(unsigned int count, unsigned int *found)
{
	FILE *file = fopen(path, "w");
	struct mm_symbols *symbols;
	clock_t begin;

	if (!file)
		exit(2);
	for (unsigned int line = 0; line < 2; line++)
		for (unsigned int i = 0; i < count; i++)
			fprintf(file, "owner%u\t%x\tt\tsymbol%u_%u\n", i, line * 16, line, i);
	fclose(file);
	*found = 0;
	begin = clock();
	symbols = mm_symbols_load(folder);
	for (unsigned int i = 0; i < count && symbols; i++) {
		char owner[32], symbol[32];
		const char *name;
		uint64_t from;

		snprintf(owner, sizeof(owner), "owner%u", i);
		snprintf(symbol, sizeof(symbol), "symbol1_%u", i);
		name = mm_symbols_find(symbols, owner, 17, &from);
		*found += name && !strcmp(name, symbol) && from == 1;
	}
	mm_symbols_destroy(symbols);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

int main(void)
{
	unsigned int found, found_many;
	double few = 1e9, many = 1e9;

	if (!mkdtemp(folder))
		return 2;
	snprintf(path, sizeof(path), "%s/symbols.txt", folder);
	check_cases();
	/* Other work on the machine slows some runs, so only the shortest runs count. */
	for (int i = 0; i < 10; i++) {
		double s = time_owners(50000, &found);

		few = s < few ? s : few;
		s = time_owners(200000, &found_many);
		many = s < many ? s : many;
		/* Stop if the ratio is right, or if even the shortest run is too long. */
		if (many > 5 || many <= 2.5 * 2.5 * few)
			break;
	}
	tap(found == 50000 && found_many == 200000, "symbols: of each of 200,000 owners");
	tap(many < 5, "symbols: 200,000 owners take %.2f s", many);
	tap(many <= 2.5 * 2.5 * few, "symbols: four times as many owners take %.2f times as long",
	    many / few);
	unlink(path);
	rmdir(folder);
	return tap_status();
}
