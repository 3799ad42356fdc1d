// SPDX-License-Identifier: LGPL-2.1-only
/* Makes CTF traces for tests and benchmarks; the same options make the same bytes everywhere. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/utils/ctf-write.h"

static const char usage[] =
	"usage: make-ctf [--seed N] --shape slab|dax [--events N] [--streams N] FOLDER\n";

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-')
		mk_fail("'%s' is no number", text);
	return value;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "shape", required_argument, NULL, 'S' },
		{ "events", required_argument, NULL, 'e' },
		{ "streams", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	struct mk_shape shape = { .events = 1000, .seed = 1 };
	const char *name = "random";
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			shape.seed = number(optarg);
			break;
		case 'S':
			name = optarg;
			break;
		case 'e':
			shape.events = number(optarg);
			break;
		case 'n':
			shape.streams = number(optarg);
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	shape.folder = argv[optind];
	if (!strcmp(name, "slab"))
		mk_shape_slab(&shape);
	else if (!strcmp(name, "dax"))
		mk_shape_dax(&shape);
	else
		mk_fail("unknown shape '%s'; known: slab, dax", name);
	return 0;
}
