// SPDX-License-Identifier: LGPL-2.1-only
/* Tests sets of process ids against an array of flags. */
#include "reader/sysinfo/pids.h"

#include <stdlib.h>

#include "tests/tap.h"

#define IDS 200

int main(void)
{
	struct mm_pids pids = { NULL };
	bool in[IDS] = { false }, same = true;
	size_t count = 0;

	tap(!mm_pids_have(NULL, 1) && !mm_pids_have(&pids, 1),
	    "no set and an empty one have no id");
	for (unsigned int i = 0; i < 150; i++) {
		const int32_t pid = (int32_t)(i * 7919 % IDS);

		if (mm_pids_add(&pids, pid))
			tap_bail("out of memory");
		count += !in[pid];
		in[pid] = true;
		for (int32_t k = 0; k < IDS; k++)
			same &= mm_pids_have(&pids, k) == in[k];
	}
	tap(same, "after each addition, the set has the added ids and no others");
	tap(pids.count == count, "an id is stored once");
	tap(!mm_pids_have(&pids, -1) && !mm_pids_have(&pids, IDS), "ids outside the range");
	free(pids.all);
	return tap_status();
}
