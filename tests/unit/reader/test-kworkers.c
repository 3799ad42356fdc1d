// SPDX-License-Identifier: LGPL-2.1-only
/* Tests names of pools of kernel workers. */
#include "reader/report/kworkers.h"

#include <string.h>

#include "tests/tap.h"

static const struct {
	const char *comm, *pool; /* NULL: not a worker of a pool */
} cases[] = {
	{ "kworker/u8:3", "kworker/u8" },
	{ "kworker/u8:3-ext4-rsv-conversion", "kworker/u8" },
	{ "kworker/u16:12+flush-259:0", "kworker/u16" },
	{ "kworker/0:1", "kworker/0" },
	{ "kworker/0:1H", "kworker/0H" },
	{ "kworker/12:0H-kblockd", "kworker/12H" },
	{ "kworker/R-ext4-", NULL },
	{ "kworker/dying", NULL },
	{ "kworker/u:3", NULL },
	{ "kworker/8:", NULL },
	{ "kworker/8:1x", NULL },
	{ "kworker/8", NULL },
	{ "kworker/", NULL },
	{ "kworkers", NULL },
	{ "", NULL },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *expected = cases[i].pool ? cases[i].pool : cases[i].comm;
		char text[80];
		bool is = mm_kworker_pool(cases[i].comm, text, sizeof(text));

		tap(is == !!cases[i].pool && !strcmp(text, expected), "%s: %s", cases[i].comm,
		    text);
	}
	return tap_status();
}
