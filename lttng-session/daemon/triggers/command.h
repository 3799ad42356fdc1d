/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs the command of a trigger, without waiting for it. */
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
 * Called once when the command has ended. @status is "exit status 1", "killed by signal 9" or the
 * reason why the command was not started. May call command_destroy().
 */
typedef void command_ended(void *user, const char *status, bool success);

/*
 * Runs the words of @text (command_split()) and @argument with the requester's rights, without a
 * shell. The command starts in the root directory. Its environment has only PATH and LANG, its
 * standard input is empty, and its output goes to the journal. confine.h describes how the command
 * is confined. After @limit_ns, its process group gets SIGTERM; five seconds later, all its
 * processes get SIGKILL. Returns NULL with @err set if the command is not started.
 */
struct command *command_start(sd_event *event, const char *text, const char *argument,
			      const struct requester *requester, int64_t limit_ns,
			      command_ended *ended, void *user, struct mm_error *err);
/* Kills the command if it is still running; command_ended() is then not called. Accepts NULL. */
void command_destroy(struct command *command);

/*
 * Splits @text at blanks with a shell's quoting rules: '...' and "..." keep blanks, and a backslash
 * keeps the next character (within "...", only if it is ", \, $ or `). Expands nothing. Stores the
 * words in a list for mm_strings_release(), which is empty for a blank text. Returns 0, or -1 with
 * @err set if a quote is not closed or memory is exhausted.
 */
int command_split(const char *text, char ***words, size_t *count, struct mm_error *err);

/* Checks that the trigger's command, if any, can be split. Returns 0, or -1 with @err set. */
int command_check(const struct trigger *trigger, struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_TRIGGERS_COMMAND_H */
