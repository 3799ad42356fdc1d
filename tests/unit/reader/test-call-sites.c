// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the names of call sites: the range that contains a number must be found. This must take
 * little time even if a hostile trace has very many ranges and numbers.
 */
#include "reader/sysinfo/call-sites.h"

#include <string.h>
#include <time.h>

#include "tests/tap.h"

static const struct {
	uint32_t code, size;
	bool alive;
	const char *name;
} ranges[] = {
	{ 0x2000, 0x100, true, "later" },
	{ 0, 0x1000, true, "kernel" },
	{ 0x1000, 0x800, false, "gone" },
	{ 0x1000, 0x900, true, "gone too" }, /* the same range as above */
	{ 0xffffff00, 0x1000, true, "last" },
};

static const struct {
	uint32_t code;
	const char *name;
} cases[] = {
	{ 0, "kernel+0x0" },
	{ 0xfff, "kernel+0xfff" },
	{ 0x1000, "gone+0x0" },
	{ 0x17ff, "gone+0x7ff" },
	{ 0x1800, "" },
	{ 0x1fff, "" },
	{ 0x2000, "later+0x0" },
	{ 0x20ff, "later+0xff" },
	{ 0x2100, "" },
	{ 0xfffffeff, "" },
	{ UINT32_MAX, "last+0xff" },
};

static void check_cases(void)
{
	struct mm_call_sites sites = { 0 };
	char text[128];

	tap(!mm_call_sites_name(&sites, 0, text, sizeof(text)) && !text[0],
	    "call sites: none without a range");
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		mm_call_sites_add(&sites, ranges[i].code, ranges[i].size, ranges[i].alive,
				  ranges[i].name);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool found = mm_call_sites_name(&sites, cases[i].code, text, sizeof(text));

		tap(!strcmp(text, cases[i].name) && found == !!cases[i].name[0],
		    "call sites: 0x%x is %s", cases[i].code, found ? text : "nothing");
	}
	tap(sites.count == 4 && sites.ranges[1].alive, "call sites: a range becomes alive again");
	mm_call_sites_release(&sites);
}

/*
 * Tests two million ranges, each listed twice and in reverse order, and two million call sites.
 * Only some thousand ranges are stored.
 */
static void check_many(void)
{
	struct mm_call_sites sites = { 0 };
	uint32_t found = 0;
	clock_t begin = clock();
	char text[128];
	double s;

	for (uint32_t i = 0; i < 2000000; i++)
		mm_call_sites_add(&sites, 0x80000000u - i / 2 * 64, 32, true, "many");
	for (uint32_t i = 0; i < 2000000; i++)
		found += mm_call_sites_name(&sites, 0x80000000u - i * 16, text, sizeof(text));
	s = (double)(clock() - begin) / CLOCKS_PER_SEC;
	tap(sites.count == 4096 && found == 4096 + 4095,
	    "call sites: %u ranges are kept, %u call sites are in them", sites.count, found);
	tap(s < 2, "call sites: millions take %.2f s", s);
	mm_call_sites_release(&sites);
}

int main(void)
{
	check_cases();
	check_many();
	return tap_status();
}
