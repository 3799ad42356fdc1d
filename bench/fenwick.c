// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Computes the exact stack distances of a list of touches with a bare Fenwick tree, and prints the
 * CPU time in seconds. bench/pageref-reports.sh compares this time with the time of lttng-mm mrc.
 *
 *   fenwick FILE     a file of lttng-mm export page-ref --format oracleGeneral
 *
 * Prints `NAME VALUE` lines: touches, seconds, mean_distance. Source: Olken, "Efficient methods for
 * calculating the success function of fixed space replacement policies", 1981, with the tree of
 * Fenwick, "A new data structure for cumulative frequency tables", 1994.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RECORD_BYTES 24
#define OBJECT_AT 4

static uint32_t *tree;
static size_t size;

static void add(size_t at, uint32_t value)
{
	for (at++; at <= size; at += at & -at)
		tree[at] += value;
}

static uint32_t sum_up_to(size_t at)
{
	uint32_t sum = 0;

	for (at++; at; at -= at & -at)
		sum += tree[at];
	return sum;
}

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint32_t *read_objects(const char *path, uint32_t *most)
{
	FILE *file = fopen(path, "rb");
	uint8_t record[RECORD_BYTES];
	uint32_t *objects = NULL;

	*most = 0;
	for (size_t room = 0; file && fread(record, sizeof(record), 1, file) == 1; size++) {
		uint64_t object;

		if (size == room) {
			room = room ? 2 * room : 1 << 20;
			objects = realloc(objects, room * sizeof(*objects));
			if (!objects)
				break;
		}
		memcpy(&object, record + OBJECT_AT, sizeof(object));
		objects[size] = (uint32_t)object;
		*most = objects[size] > *most ? objects[size] : *most;
	}
	if (file)
		fclose(file);
	return objects;
}

int main(int argc, char **argv)
{
	uint32_t most, *objects = argc == 2 ? read_objects(argv[1], &most) : NULL;
	/* 1 + the index of the last touch, for each object */
	uint32_t *last;
	uint64_t sum = 0, count = 0;
	double start;

	if (!objects) {
		fputs("usage: fenwick FILE (lttng-mm export page-ref --format oracleGeneral)\n",
		      stderr);
		return 2;
	}
	last = calloc((size_t)most + 1, sizeof(*last));
	tree = calloc(size + 1, sizeof(*tree));
	if (!last || !tree)
		return 2;
	start = seconds();
	for (size_t i = 0; i < size; i++) {
		uint32_t *before = &last[objects[i]];

		if (*before) {
			sum += sum_up_to(i - 1) - sum_up_to(*before - 1) + 1;
			count++;
			add(*before - 1, UINT32_MAX);
		}
		add(i, 1);
		*before = (uint32_t)i + 1;
	}
	printf("touches %zu\nseconds %.3f\nmean_distance %.1f\n", size, seconds() - start,
	       count ? (double)sum / (double)count : 0);
	return 0;
}
