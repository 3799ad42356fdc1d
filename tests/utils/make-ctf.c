// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes CTF traces for tests and benchmarks; the same options give the same bytes on all machines.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/utils/ctf/type.h"

static const char usage[] =
	"usage: make-ctf [--seed N] [--format ctf1|ctf2|both] [--events N] [--index]\n"
	"                [--absolute] [--wide | --untimed | --clockless] FOLDER\n"
	"       make-ctf --shape slab|dax [--seed N] [--events N] [--streams N] FOLDER\n";

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

static void random_trace(const struct mk_shape *shape, const char *format,
			 struct mk_random_options options)
{
	options.folder = shape->folder;
	options.seed = shape->seed;
	options.events = shape->events ? shape->events : 16;

	if (!strcmp(format, "ctf1"))
		options.format = 1;
	else if (!strcmp(format, "ctf2"))
		options.format = 2;
	else if (strcmp(format, "both"))
		mk_fail("unknown format '%s'; known: ctf1, ctf2, both (the seed chooses)", format);
	mk_random_trace(&options);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "format", required_argument, NULL, 'f' },
		{ "shape", required_argument, NULL, 'S' },
		{ "events", required_argument, NULL, 'e' },
		{ "streams", required_argument, NULL, 'n' },
		{ "wide", no_argument, NULL, 'w' },
		{ "clockless", no_argument, NULL, 'c' },
		{ "untimed", no_argument, NULL, 'u' },
		{ "index", no_argument, NULL, 'i' },
		{ "absolute", no_argument, NULL, 'a' },
		{ NULL, 0, NULL, 0 },
	};
	struct mk_shape shape = { .seed = 1 };
	const char *name = "random", *format = "both";
	struct mk_random_options random = { 0 };
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			shape.seed = number(optarg);
			break;
		case 'f':
			format = optarg;
			break;
		case 'w':
			random.wide = true;
			break;
		case 'c':
			random.clockless = true;
			break;
		case 'u':
			random.untimed = true;
			break;
		case 'i':
			random.index = true;
			break;
		case 'a':
			random.absolute = true;
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
	else if (!strcmp(name, "random"))
		random_trace(&shape, format, random);
	else
		mk_fail("unknown shape '%s'; known: random, slab, dax", name);
	return 0;
}
