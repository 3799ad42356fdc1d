// SPDX-License-Identifier: LGPL-2.1-only
/* What to do about a session that others have changed, and how a cleared buffer is recognized. */
#include <stddef.h>
#include <string.h>

#include "lttng-session/freeze/buffers.h"
#include "lttng-session/serve/repair.h"
#include "tests/tap.h"

static const struct {
	const char *name;
	struct repair_seen seen;
	enum repair_action action;
} decisions[] = {
	{ "nothing is wrong",
	  { .answers = true, .listed = true, .running = true, .enabled = true },
	  REPAIR_NONE },
	{ "nothing is wrong with what is held",
	  { .answers = true,
	    .listed = true,
	    .running = true,
	    .enabled = true,
	    .held = true,
	    .active = true },
	  REPAIR_NONE },
	{ "no session daemon", { .answers = false, .held = true, .active = true }, REPAIR_WAIT },
	{ "destroyed", { .answers = true, .enabled = true, .held = true }, REPAIR_RECREATE },
	{ "stopped", { .answers = true, .listed = true, .enabled = true }, REPAIR_START },
	{ "stopped and cleared: one after the other",
	  { .answers = true, .listed = true, .enabled = true, .held = true, .cleared = true },
	  REPAIR_START },
	{ "an event is disabled",
	  { .answers = true, .listed = true, .running = true },
	  REPAIR_ENABLE },
	{ "the daemon says started, the kernel does not record",
	  { .answers = true, .listed = true, .running = true, .enabled = true, .held = true },
	  REPAIR_ENABLE },
	{ "cleared",
	  { .answers = true,
	    .listed = true,
	    .running = true,
	    .enabled = true,
	    .held = true,
	    .active = true,
	    .cleared = true },
	  REPAIR_STATE },
};

#define BUFFER(packet_, first_)                        \
	{                                              \
		.packet = (packet_), .first = (first_) \
	}

static const struct {
	const char *name;
	struct lttng_mm_freeze_position before, now;
	bool cleared;
} clears[] = {
	{ "idle", BUFFER(2, 0), BUFFER(2, 0), false },
	{ "filling", BUFFER(2, 0), BUFFER(7, 0), false },
	{ "turning", BUFFER(7, 0), BUFFER(8, 1), false },
	{ "many turns", BUFFER(20, 13), BUFFER(900, 893), false },
	{ "the writer is between two sub-buffers", BUFFER(20, 13), BUFFER(21, 13), false },
	{ "cleared, nothing since", BUFFER(20, 13), BUFFER(20, 20), true },
	{ "cleared when it was full, some since", BUFFER(20, 13), BUFFER(23, 21), true },
	{ "cleared before it was full", BUFFER(3, 0), BUFFER(4, 4), true },
	{ "cleared, and full since: nothing is missing", BUFFER(20, 13), BUFFER(29, 22), false },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(decisions) / sizeof(decisions[0]); i++)
		tap(repair_decide(&decisions[i].seen) == decisions[i].action, "%s",
		    decisions[i].name);
	for (int action = REPAIR_WAIT; action <= REPAIR_STATE; action++)
		tap(*repair_reason((enum repair_action)action), "action %d has a reason", action);
	for (size_t i = 0; i < sizeof(clears) / sizeof(clears[0]); i++)
		tap(freeze_was_cleared(&clears[i].before, &clears[i].now, 8) == clears[i].cleared,
		    "%s", clears[i].name);
	return tap_status();
}
