// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A minimal analysis: histogram [--jobs N] TRACE FIELD. Prints a histogram, by powers of two, of
 * the values of a field in all events that have this field.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/run/parts.h"

struct histogram {
	uint64_t bins[65];
};

static const char *field;

static void request(void *state, unsigned int pass, struct mm_requests *requests)
{
	(void)state;
	(void)pass;
	mm_requests_add(requests, "*");
	mm_requests_add_field(requests, field, MM_FIELD_ANY | MM_FIELD_OPTIONAL);
}

static void *create(void)
{
	return calloc(1, sizeof(struct histogram));
}

static int event(void *state, const struct mm_event *event, struct mm_error *err)
{
	struct histogram *histogram = state;
	enum mm_kind kind = event->type->kinds[0];
	uint64_t value = event->fields[0].u;

	(void)err;
	if (kind == MM_KIND_UNSIGNED || kind == MM_KIND_SIGNED)
		histogram->bins[value ? 64 - __builtin_clzll(value) : 0]++;
	return 0;
}

static void continues(void *state)
{
	(void)state;
}

static int merge(void *state, void *later)
{
	struct histogram *histogram = state, *more = later;

	for (size_t i = 0; i < sizeof(histogram->bins) / sizeof(histogram->bins[0]); i++)
		histogram->bins[i] += more->bins[i];
	return 0;
}

static const struct mm_analysis analysis = {
	.name = "histogram",
	.request = request,
	.create = create,
	.destroy = free,
	.event = event,
	.continues = continues,
	.merge = merge,
};

int main(int argc, char **argv)
{
	struct mm_source_options options;
	struct mm_error err = MM_ERROR_INIT;
	struct histogram *histogram;
	struct mm_source *source;
	void *state;

	mm_source_options_init(&options);
	if (argc == 5 && !strcmp(argv[1], "--jobs")) {
		options.jobs = (unsigned int)strtoul(argv[2], NULL, 10);
		argv += 2;
		argc -= 2;
	}
	if (argc != 3 || !options.jobs || options.jobs > MM_JOBS_MAX) {
		fprintf(stderr, "usage: histogram [--jobs N] TRACE FIELD\n");
		return 2;
	}
	field = argv[2];
	if (mm_parts_run(&analysis, argv[1], &options, NULL, MM_PARTS_BYTES_MIN, &source, &state,
			 NULL, NULL, &err)) {
		fprintf(stderr, "histogram: %s\n", err.message);
		return err.code;
	}
	histogram = state;
	printf("events %" PRIu64 "\n", mm_source_event_count(source));
	for (int bin = 0; bin < 65; bin++)
		if (histogram->bins[bin])
			printf("from %" PRIu64 ": %" PRIu64 "\n",
			       bin ? UINT64_C(1) << (bin - 1) : 0, histogram->bins[bin]);
	analysis.destroy(state);
	mm_source_destroy(source);
	return 0;
}
