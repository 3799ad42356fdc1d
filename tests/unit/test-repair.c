// SPDX-License-Identifier: LGPL-2.1-only
/* What to do about a session that others have changed, and how a cleared buffer is recognized. */
#include <stddef.h>
#include <string.h>

#include "lttng-session/freeze/buffers.h"
#include "lttng-session/serve/repair.h"
#include "lttng-session/serve/silence.h"
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

/* One look after another: m, something was recorded; ., nothing. */
static const struct {
	const char *name, *looks;
	size_t caused; /* the number of the look that causes the first event; 0: none */
	size_t found;  /* ... and that first finds that nothing is recorded */
} silences[] = {
	{ "busy", "mmmmmmmmmmmm", 0, 0 },
	{ "with pauses", "m....m....m....m", 0, 0 },
	{ "rare, but what is caused is recorded", "m.....m.....m", 6, 0 },
	{ "nothing is recorded", "m.......", 6, 7 },
	{ "... from the start", ".......", 5, 6 },
	{ "... and then again", "......m....m", 5, 6 },
};

static void test_silence(size_t number)
{
	struct silence silence = { .looks = 0 };
	size_t caused = 0, found = 0;

	for (size_t i = 0; silences[number].looks[i]; i++) {
		enum silence_verdict verdict =
			silence_look(&silence, silences[number].looks[i] == 'm');

		if (verdict == SILENCE_CAUSE && !caused)
			caused = i + 1;
		if (verdict == SILENCE_FOUND && !found)
			found = i + 1;
	}
	tap(caused == silences[number].caused && found == silences[number].found,
	    "silence: %s: caused at %zu, found at %zu", silences[number].name, caused, found);
}

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
	for (size_t i = 0; i < sizeof(silences) / sizeof(silences[0]); i++)
		test_silence(i);
	tap(!silence_cause(), "an event can be caused");
	return tap_status();
}
