// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how a changed session is repaired, and how the supervisor detects silent sessions and
 * cleared buffers.
 */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/supervisor/repair.h"
#include "lttng-session/daemon/supervisor/silence.h"
#include "lttng-session/freeze/buffers.h"
#include "tests/tap.h"

static const struct {
	const char *name;
	struct repair_seen seen;
	enum repair_action action;
} decisions[] = {
	{ "nothing is wrong",
	  { .answers = true, .listed = true, .running = true, .enabled = true },
	  REPAIR_NONE },
	{ "held buffers that record",
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

/*
 * Consecutive looks at a session. m: the session has recorded something since the previous look; .:
 * it has recorded nothing.
 */
static const struct {
	const char *name, *looks;
	size_t caused; /* number of the look that causes the first event; 0: none does */
	size_t found;  /* number of the look that finds the silence; 0: none does */
} silences[] = {
	{ "busy", "mmmmmmmmmmmm", 0, 0 },
	{ "with pauses", "m....m....m....m", 0, 0 },
	{ "rare, but caused events are recorded", "m.....m.....m", 6, 0 },
	{ "nothing is recorded", "m.......", 6, 7 },
	{ "... from the start", ".......", 5, 6 },
	{ "... and then again", "......m....m", 5, 6 },
};

/*
 * Tests a busy session. The supervisor causes events on each CPU several times; from the third time
 * on, one CPU records nothing.
 */
static void test_silent_cpu(void)
{
	struct silence silence = { .looks = 0 };
	unsigned int each = 0, found = 0, other = 0;

	for (unsigned int i = 1; i <= 4 * SILENCE_EACH_LOOKS; i++) {
		/* The next look shows whether the caused events were recorded. */
		enum silence_verdict verdict =
			silence_look(&silence, true, i > 2 * SILENCE_EACH_LOOKS + 1);

		each += verdict == SILENCE_CAUSE_EACH;
		found += verdict == SILENCE_FOUND_CPU;
		other += verdict != SILENCE_NONE && verdict != SILENCE_CAUSE_EACH &&
			 verdict != SILENCE_FOUND_CPU;
	}
	tap(each == 3 && found == SILENCE_EACH_LOOKS && !other,
	    "silence: of a CPU: caused on each %u times, found at %u looks", each, found);
	tap(silence_look(&silence, true, false) != SILENCE_FOUND_CPU, "... until it records");
}

static void test_cause(void)
{
	cpu_set_t allowed, caused, moved;

	tap(!silence_cause(false, &caused) && !CPU_COUNT(&caused), "an event can be caused");
	tap(!sched_getaffinity(0, sizeof(allowed), &allowed) && !silence_cause(true, &caused) &&
		    CPU_EQUAL(&caused, &allowed),
	    "... on each CPU: %d", CPU_COUNT(&caused));
	tap(!sched_getaffinity(0, sizeof(moved), &moved) && CPU_EQUAL(&moved, &allowed),
	    "... and this process still runs on all of them");
	tap(silence_missed_cpu(&caused, &moved) == -1, "no CPU is missed");
	CPU_SET(CPU_SETSIZE - 1, &caused);
	tap(silence_missed_cpu(&caused, &moved) == CPU_SETSIZE - 1,
	    "a CPU without events is missed");
}

/* Tests for which sessions silence can be detected. */
static const struct {
	const char *name, *event;
	struct trackers trackers;
	bool applies;
} applies[] = {
	{ "of a profile", "sched_process_fork", { .count = { 0 } }, true },
	{ "of events that are caused", "sched_switch", { .count = { 0 } }, true },
	{ "of others", "irq_handler_entry", { .count = { 0 } }, false },
	{ "of a process", "sched_switch", { .count = { [TRACKER_PID] = 1 } }, false },
	{ "of another user",
	  "sched_switch",
	  { .ids = { [TRACKER_UID] = { 4711 } }, .count = { [TRACKER_UID] = 1 } },
	  false },
};

static void test_applied(const char *name, const char *event, const struct trackers *trackers,
			 bool expected)
{
	json_t *json = json_pack("{s:[{s:[s]}]}", "channels", "events", event);
	const struct plan_session session = { .json = json, .trackers = *trackers };

	tap(silence_applies(&session) == expected, "silence: %s: %s", name,
	    expected ? "found" : "not known");
	json_decref(json);
}

static void test_applies(void)
{
	const struct trackers users = { .ids = { [TRACKER_UID] = { 4711, geteuid() } },
					.count = { [TRACKER_UID] = 2 } };

	for (size_t i = 0; i < sizeof(applies) / sizeof(applies[0]); i++)
		test_applied(applies[i].name, applies[i].event, &applies[i].trackers,
			     applies[i].applies);
	test_applied("users, including this process' user", "sched_switch", &users, true);
}

static void test_silence(size_t number)
{
	struct silence silence = { .looks = 0 };
	size_t caused = 0, found = 0;

	for (size_t i = 0; silences[number].looks[i]; i++) {
		enum silence_verdict verdict =
			silence_look(&silence, silences[number].looks[i] == 'm', false);

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
	test_silent_cpu();
	test_cause();
	test_applies();
	return tap_status();
}
