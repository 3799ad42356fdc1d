// SPDX-License-Identifier: LGPL-2.1-only
/* Counts matches of the last second. */
#include "lttng-session/daemon/triggers/watch/flood.h"

#include <string.h>

static void advance(struct flood *flood, int64_t now_ns)
{
	int64_t now = now_ns / FLOOD_SLOT_NS;

	if (now - flood->last >= FLOOD_SLOTS) {
		flood_clear(flood);
		flood->last = now;
	}
	while (flood->last < now)
		flood->slots[++flood->last % FLOOD_SLOTS] = 0;
}

void flood_add(struct flood *flood, int64_t now_ns, uint64_t count)
{
	uint64_t *slot;

	advance(flood, now_ns);
	slot = &flood->slots[flood->last % FLOOD_SLOTS];
	*slot = count > UINT64_MAX / FLOOD_SLOTS - *slot ? UINT64_MAX / FLOOD_SLOTS : *slot + count;
}

uint64_t flood_sum(struct flood *flood, int64_t now_ns)
{
	uint64_t sum = 0;

	advance(flood, now_ns);
	for (unsigned int i = 0; i < FLOOD_SLOTS; i++)
		sum += flood->slots[i];
	return sum;
}

bool flood_is_on(struct flood *flood, int64_t now_ns, bool permitted)
{
	uint64_t most = flood->again ? FLOOD_MAX_AGAIN : FLOOD_MAX;

	return flood_sum(flood, now_ns) > (permitted ? FLOOD_MAX_PERMITTED : most);
}

void flood_clear(struct flood *flood)
{
	memset(flood->slots, 0, sizeof(flood->slots));
}
