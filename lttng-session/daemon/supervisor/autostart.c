// SPDX-License-Identifier: LGPL-2.1-only
/* Starts the recorder of recorder.conf. Retries until the recorder has started. */
#include "lttng-session/daemon/supervisor/autostart.h"
#include "util/clock.h"

#include <string.h>

#include "lttng-session/system/process.h"

#define NS_PER_S INT64_C(1000000000)
/* Pause after the first failure. Each further failure doubles the pause, up to the maximum. */
#define AGAIN_NS (5 * NS_PER_S)
#define AGAIN_MAX_NS (300 * NS_PER_S)
/* Seconds without a session daemon before a problem is reported. At boot, it may start late. */
#define ABSENT_S 5
/* Prefix of the error messages of lttng-mm. */
#define PREFIX "lttng-mm: "

static void record(struct autostart *autostart, const struct settings *settings)
{
	const char *argv[SETTINGS_WORDS_MAX + 4] = { "/proc/self/exe", "record", "--missing" };
	char message[512];
	const char *why = message;
	size_t count = 3;

	for (size_t i = 0; settings->record[i]; i++)
		argv[count++] = settings->record[i];
	mm_error_clear(&autostart->problem);
	autostart->done = !process_run(argv, message, sizeof(message));
	if (autostart->done)
		return;
	if (!strncmp(why, PREFIX, strlen(PREFIX)))
		why += strlen(PREFIX);
	/*
	 * The message does not state the pause. The pause changes with each attempt, and the
	 * supervisor would log each changed message.
	 */
	mm_error_set(&autostart->problem, MM_EXIT_ENVIRONMENT,
		     "recorder.conf:%u: %s; trying again later", settings->record_line,
		     *why ? why : "record: the command failed");
	autostart->wait_ns = autostart->wait_ns ? 2 * autostart->wait_ns : AGAIN_NS;
	if (autostart->wait_ns > AGAIN_MAX_NS)
		autostart->wait_ns = AGAIN_MAX_NS;
	autostart->due_ns = mm_clock_ns(CLOCK_BOOTTIME) + autostart->wait_ns;
}

void autostart_check(struct autostart *autostart, const struct settings *settings,
		     struct daemons *daemons, struct mm_error *problem)
{
	if (autostart->done || !settings->record[0])
		return;
	if (!daemons_answer())
		daemons_revive(daemons);
	if (!daemons_answer()) {
		mm_error_clear(&autostart->problem);
		if (++autostart->absent_s > ABSENT_S)
			mm_error_set(&autostart->problem, MM_EXIT_ENVIRONMENT, DAEMONS_NO_ANSWER);
	} else {
		autostart->absent_s = 0;
		if (mm_clock_ns(CLOCK_BOOTTIME) >= autostart->due_ns)
			record(autostart, settings);
	}
	if (autostart->problem.code && !problem->code)
		*problem = autostart->problem;
}
