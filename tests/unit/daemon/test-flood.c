// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the counts of the last second, which detect a flood of matches. */

#include "lttng-session/daemon/triggers/watch/flood.h"
#include "tests/tap.h"

#define S INT64_C(1000000000)

static void check_flood(void)
{
	struct flood flood = { 0 };

	for (int i = 0; i < 3000; i++)
		flood_add(&flood, 100 * S + i * S / 1000, 1);
	tap(flood_sum(&flood, 103 * S - 1) <= 1000 && flood_sum(&flood, 103 * S - 1) >= 950,
	    "a thousand in the last second: %llu",
	    (unsigned long long)flood_sum(&flood, 103 * S - 1));
	tap(flood_sum(&flood, 104 * S) == 0, "none after a second");
	flood_add(&flood, 110 * S, UINT64_MAX);
	flood_add(&flood, 110 * S, UINT64_MAX);
	tap(flood_sum(&flood, 110 * S) > UINT64_MAX / 100, "a count that is too large");
	flood_clear(&flood);
	tap(!flood_sum(&flood, 110 * S), "nothing after it was cleared");
	flood_add(&flood, 120 * S, FLOOD_MAX);
	tap(!flood_is_on(&flood, 120 * S, false), "FLOOD_MAX matches are no flood");
	flood_add(&flood, 120 * S, 1);
	tap(flood_is_on(&flood, 120 * S, false), "one more match is a flood");
	tap(!flood_is_on(&flood, 120 * S, true), "while a snapshot is permitted, this is no flood");
	flood_add(&flood, 120 * S, FLOOD_MAX_PERMITTED);
	tap(flood_is_on(&flood, 120 * S, true),
	    "while a snapshot is permitted, a larger number is a flood");
	flood_clear(&flood);
	flood.again = true;
	flood_add(&flood, 130 * S, 1);
	tap(!flood_is_on(&flood, 130 * S, false), "one match after a flood");
	flood_add(&flood, 130 * S + S / 2, 1);
	tap(flood_is_on(&flood, 130 * S + S / 2, false), "two in a second are the next one");
}

int main(void)
{
	check_flood();
	return tap_status();
}
