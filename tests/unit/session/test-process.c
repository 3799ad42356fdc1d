// SPDX-License-Identifier: LGPL-2.1-only
/* Tests programs that process_run() starts. */
#include "lttng-session/system/process.h"

#include <string.h>

#include "tests/tap.h"

int main(void)
{
	/*
	 * SIGTERM is signal 15, so its bit is in the fourth hexadecimal digit from the right. A
	 * shell would not show it: dash unblocks all signals.
	 */
	const char *const blocks[] = { "grep", "-q", "^SigBlk:.*[4-7c-f]...$", "/proc/self/status",
				       NULL };
	const char *const fails[] = { "sh", "-c", "echo reason >&2; exit 3", NULL };
	const char *const missing[] = { "lttng-mm-no-such-program", NULL };
	char message[256];
	sigset_t before;
	int status;

	process_block_signals(&before);
	tap(process_run(blocks, message, sizeof(message)) == 1,
	    "the program can be ended by SIGTERM, although the caller blocks it");
	sigprocmask(SIG_SETMASK, &before, NULL);
	status = process_run(fails, message, sizeof(message));
	tap(status == 3 && !strcmp(message, "reason"), "the status and the message of a failure");
	status = process_run(missing, message, sizeof(message));
	tap(status == 127 && strstr(message, missing[0]), "a program that does not exist: %s",
	    message);
	return tap_status();
}
