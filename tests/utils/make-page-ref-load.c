// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints a script of many touches for make-trace. A process touches pages of its heap and of two
 * files, some in a sweep and some at random. Most random touches are in a hot part:
 *
 *   make-page-ref-load [--pages PAGES] [--passes PASSES] TOUCHES
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES UINT64_C(4096)
#define PASS_NS UINT64_C(100000000) /* from the start of a pass to the next one */

static uint64_t random_state = 1;

static uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* The heap has half of the pages, and two files have a quarter each. */
static uint64_t address_of(uint64_t page, uint64_t pages)
{
	static const uint64_t starts[] = { 0x555500000000, 0x7f0000000000, 0x7f8000000000 };
	const uint64_t quarter = pages / 4, at = page / quarter;

	if (at < 2)
		return starts[0] + page * PAGE_BYTES;
	return starts[at == 2 ? 1 : 2] + (page - (at == 2 ? 2 : 3) * quarter) * PAGE_BYTES;
}

static void print_start(uint64_t pages)
{
	static const char *const names[] = { "name=[heap]",
					     "dev_major=8 dev_minor=1 ino=0x11 name=index",
					     "dev_major=8 dev_minor=1 ino=0x12 name=data" };
	static const unsigned int firsts[] = { 0, 2, 3 }, counts[] = { 2, 1, 1 };

	printf("1000 pageref_mm mm=1 pid=50 name=load\n");
	for (unsigned int i = 0; i < 3; i++) {
		const uint64_t start = address_of(firsts[i] * (pages / 4), pages);

		printf("%u pageref_mapping mm=1 start=0x%" PRIx64 " end=0x%" PRIx64
		       " readable=1 writable=%d %s\n",
		       1100 + i, start, start + counts[i] * (pages / 4) * PAGE_BYTES, !i, names[i]);
	}
}

static void print_load(uint64_t touches, uint64_t pages, uint64_t passes)
{
	const uint64_t each = touches / passes;
	/* For each page: 1 + the interval of its last touch; 0: none. */
	uint32_t *last = calloc(pages, sizeof(*last));
	uint64_t swept = 0, page;

	if (!last) {
		fputs("make-page-ref-load: out of memory\n", stderr);
		exit(2);
	}
	print_start(pages);
	for (uint64_t pass = 0; pass < passes; pass++) {
		const uint64_t start = (pass + 1) * PASS_NS;

		printf("%" PRIu64 " pageref_pass mm=1\n%" PRIu64 " pageref_pass mm=1 end=1\n",
		       start, start + 1000);
		for (uint64_t i = 0; i < each; i++) {
			const uint64_t r = next_random();

			do {
				if (r % 4 == 0)
					page = swept++ % pages;
				else if (r % 4 == 1)
					page = next_random() % pages;
				else
					page = (next_random() % pages) * (next_random() % pages) /
					       pages;
			} while (last[page] == pass + 1);
			printf("%" PRIu64 " pageref_touch tid=%u mm=1 address=0x%" PRIx64
			       " kind=%s write=%d user=1\n",
			       start + 2000 + i * (PASS_NS - 4000) / each,
			       50 + (unsigned int)(r >> 40 & 3), address_of(page, pages),
			       last[page] ? "ARMED" : "DEMAND", (int)(r >> 50 & 1));
			last[page] = (uint32_t)pass + 1;
		}
	}
	free(last);
}

int main(int argc, char **argv)
{
	uint64_t pages = 1 << 20, passes = 100, touches;
	int at = 1;

	for (; at + 1 < argc - 1; at += 2) {
		if (!strcmp(argv[at], "--pages"))
			pages = strtoull(argv[at + 1], NULL, 0);
		else if (!strcmp(argv[at], "--passes"))
			passes = strtoull(argv[at + 1], NULL, 0);
		else
			break;
	}
	touches = at == argc - 1 ? strtoull(argv[at], NULL, 0) : 0;
	/* In an interval, at most half of the pages are touched. */
	if (pages % 4 || pages < 4 || pages > UINT32_MAX || !passes || !touches ||
	    touches % passes || touches / passes > pages / 2) {
		fprintf(stderr,
			"usage: make-page-ref-load [--pages PAGES] [--passes PASSES] TOUCHES\n"
			"PAGES must be a multiple of 4, TOUCHES of PASSES, and TOUCHES / PASSES at most PAGES / 2.\n");
		return 2;
	}
	print_load(touches, pages, passes);
	return fflush(stdout) ? 2 : 0;
}
