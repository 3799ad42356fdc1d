/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs a command of a user for the recorder daemon, which does not wait for it. */
#ifndef LTTNG_MM_DAEMON_TRIGGERS_COMMAND_H
#define LTTNG_MM_DAEMON_TRIGGERS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/jobs/requester.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "util/error.h"

struct command;

/*
 * The command has ended, or was ended: @status is "exit status 1", "killed by signal 9" or why it
 * was not started. It may be destroyed then. Called once.
 */
typedef void command_ended(void *user, const char *status, bool success);

/*
 * Runs @text, split into words as by command_split(), with @argument as the last one, as
 * @requester. There is no shell. It starts in the root directory, in a process group of its own,
 * with PATH and LANG only in its environment, an empty standard input, and its output in the
 * journal. It is confined as confine.h describes. After @limit_ns, its group gets SIGTERM, and all
 * its processes SIGKILL a while later. Returns NULL with @err set if it is not started.
 */
struct command *command_start(sd_event *event, const char *text, const char *argument,
			      const struct requester *requester, int64_t limit_ns,
			      command_ended *ended, void *user, struct mm_error *err);
/* Kills the command if it is still running; command_ended() is not called. Accepts NULL. */
void command_destroy(struct command *command);

/*
 * Splits @text at blanks, as a shell does with words that need no expansion: '...' and "..." keep
 * blanks, a backslash keeps the next character, also in "..." if that is one of "\$`. Nothing is
 * expanded. Stores a list that mm_strings_release() frees, without words for a blank text. Returns
 * 0, or -1 with @err set: a quote or a character is missing, or memory.
 */
int command_split(const char *text, char ***words, size_t *count, struct mm_error *err);

/* Can the command of the trigger, if it has one, be split? Returns 0, or -1 with @err set. */
int command_check(const struct trigger *trigger, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_COMMAND_H */
