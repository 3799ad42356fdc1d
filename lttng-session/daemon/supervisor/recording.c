// SPDX-License-Identifier: LGPL-2.1-only
/* Starts the recorder that the settings name, and tries again if that fails. */
#include "lttng-session/daemon/supervisor/recording.h"
#include "util/clock.h"

#include <string.h>

#include "lttng-session/system/process.h"

#define NS_PER_S INT64_C(1000000000)
/* Until it is tried again; it doubles each time, up to the maximum. */
#define AGAIN_NS (5 * NS_PER_S)
#define AGAIN_MAX_NS (300 * NS_PER_S)
/* At boot, a session daemon may answer a little later. */
#define ABSENT_S 5
/* How the program's messages start. */
#define PREFIX "lttng-mm: "

static void record(struct recording *recording, const struct settings *settings)
{
	const char *argv[SETTINGS_WORDS_MAX + 4] = { "/proc/self/exe", "record", "--missing" };
	char message[512];
	const char *why = message;
	size_t count = 3;

	for (size_t i = 0; settings->record[i]; i++)
		argv[count++] = settings->record[i];
	mm_error_clear(&recording->problem);
	recording->done = !process_run(argv, message, sizeof(message));
	if (recording->done)
		return;
	if (!strncmp(why, PREFIX, strlen(PREFIX)))
		why += strlen(PREFIX);
	/* The same each time: it is in the journal once. */
	mm_error_set(&recording->problem, MM_EXIT_ENVIRONMENT,
		     "recorder.conf:%u: %s; it is tried again", settings->record_line,
		     *why ? why : "record: it failed");
	recording->wait_ns = recording->wait_ns ? 2 * recording->wait_ns : AGAIN_NS;
	if (recording->wait_ns > AGAIN_MAX_NS)
		recording->wait_ns = AGAIN_MAX_NS;
	recording->due_ns = mm_clock_ns(CLOCK_BOOTTIME) + recording->wait_ns;
}

void recording_check(struct recording *recording, const struct settings *settings,
		     struct daemons *daemons, struct mm_error *problem)
{
	if (recording->done || !settings->record[0])
		return;
	if (!daemons_answer())
		daemons_revive(daemons);
	if (!daemons_answer()) {
		mm_error_clear(&recording->problem);
		if (++recording->absent_s > ABSENT_S)
			mm_error_set(&recording->problem, MM_EXIT_ENVIRONMENT, DAEMONS_NO_ANSWER);
	} else {
		recording->absent_s = 0;
		if (mm_clock_ns(CLOCK_BOOTTIME) >= recording->due_ns)
			record(recording, settings);
	}
	if (recording->problem.code && !problem->code)
		*problem = recording->problem;
}
