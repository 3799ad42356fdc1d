// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The last steps of a test, after the limits: checks the recorder, the memory and the folder of a
 * snapshot.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/active-trigger.h"
#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/recorder/recorder.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/snapshot/snapshot.h"
#include "lttng-session/snapshot/space.h"
#include "lttng-session/sysinfo/sysinfo.h"
#include "util/json-file.h"

#define MIB(bytes) (((bytes) + (1u << 20) - 1) >> 20)

void engine_add_step(json_t *steps, const char *step, bool ok, bool held, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	json_array_append_new(steps, json_pack("{s:s,s:b,s:b,s:o}", "step", step, "ok", ok, "held",
					       held, "text", mm_json_text(text)));
}

static uint64_t most_bytes(const char *recorder)
{
	struct mm_error ignored = MM_ERROR_INIT;
	uint64_t bytes = 0;
	struct plan plan;

	if (plan_read(&plan, &ignored))
		return 0;
	for (size_t i = 0; i < plan.count; i++)
		if (!strcmp(plan.sessions[i].recorder, recorder) ||
		    !strcmp(plan.sessions[i].name, recorder))
			bytes += plan.sessions[i].ring_bytes * recorder_possible_cpus();
	plan_release(&plan);
	return bytes;
}

static bool find_stopped(const char *recorder, char *text, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_status *list = NULL;
	int count = recorder_list(&list, NULL, &err);
	bool found = count < 0;

	if (found)
		snprintf(text, size, "%s", err.message);
	for (int i = 0; i < count && !found; i++) {
		if (strcmp(list[i].recorder, recorder) != 0 &&
		    strcmp(list[i].session, recorder) != 0)
			continue;
		found = list[i].gone || !list[i].running;
		if (found && list[i].gone)
			snprintf(
				text, size,
				"session %s does not exist; the recorder daemon will create it again, see `lttng-mm status`",
				list[i].session);
		else if (found)
			snprintf(text, size, "session %s is stopped; run `lttng start %s`",
				 list[i].session, list[i].session);
	}
	free(list);
	return found;
}

/* Selects the recorder of the trigger. Returns 0 and writes its name to @name, or returns -1. */
static int check_recorder(json_t *steps, const struct trigger *trigger, char *name, size_t size)
{
	struct snapshot_request request = { .session = NULL };
	struct mm_error err = MM_ERROR_INIT;
	char why[1024];

	if (snapshot_select(&request, trigger->session, NULL, name, size, &err)) {
		engine_add_step(steps, "recorder", false, false, "%s", err.message);
		return -1;
	}
	if (find_stopped(name, why, sizeof(why)))
		engine_add_step(steps, "recorder", false, false, "%s: %s", name, why);
	else
		engine_add_step(steps, "recorder", true, false, "%s is recording", name);
	return 0;
}

static void check_memory(json_t *steps, const char *stage, uint64_t bytes)
{
	int fd = open(stage, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t room = fd < 0 ? 0 : space_free(fd);

	if (room >= bytes)
		engine_add_step(steps, "memory", true, false,
				"there is room for a copy of the buffers");
	else
		engine_add_step(
			steps, "memory", false, false,
			"%" PRIu64
			" MiB are free for unfinished snapshots, but the buffers hold up to %" PRIu64
			" MiB; raise the limit with `lttng-mm serve --memory`",
			room >> 20, MIB(bytes));
	if (fd >= 0)
		close(fd);
}

/*
 * Tries to create an unnamed file, which disappears when it is closed. Returns 0, or an error
 * number.
 */
static int try_to_write(int folder)
{
	int fd = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	/* These errors mean that the filesystem lacks O_TMPFILE. Check the permissions instead. */
	if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)
		return faccessat(folder, ".", W_OK, AT_EACCESS) ? errno : 0;
	return errno;
}

static void check_space(json_t *steps, int folder, const struct retention_limits *limits,
			uint64_t bytes)
{
	uint64_t room = space_free(folder);
	int error = try_to_write(folder);
	struct mm_error err = MM_ERROR_INIT;

	if (error) {
		space_fail(folder, limits->output, bytes, error, &err);
		engine_add_step(steps, "folder", false, false, "%s", err.message);
	} else if (room >= bytes) {
		engine_add_step(steps, "folder", true, false,
				"%s can be written, and has room for the buffers", limits->output);
	} else if (limits->min_free_percent) {
		engine_add_step(
			steps, "folder", true, false,
			"%s can be written; older snapshots there would be deleted to make room",
			limits->output);
	} else {
		space_fail_full(folder, limits->output, bytes, strerror(ENOSPC), &err);
		engine_add_step(steps, "folder", false, false, "%s", err.message);
	}
}

/* Checks the recorder's folder. Does not create a missing folder. */
static void check_folder(json_t *steps, const char *recorder, uint64_t bytes)
{
	struct mm_error err = MM_ERROR_INIT;
	char full[PATH_MAX];
	struct retention_limits limits;
	int folder;

	if (plan_read_limits(recorder, &limits, &err)) {
		engine_add_step(steps, "folder", false, false, "%s", err.message);
		return;
	}
	if (access(limits.output, F_OK) && errno == ENOENT) {
		engine_add_step(steps, "folder", true, false,
				"%s does not exist: the first snapshot will create it",
				limits.output);
		return;
	}
	folder = output_open_recorder(limits.output, full, sizeof(full), &err);
	if (folder < 0) {
		engine_add_step(steps, "folder", false, false, "%s", err.message);
		return;
	}
	check_space(steps, folder, &limits, bytes);
	close(folder);
}

json_t *engine_test_target(const struct trigger *trigger, const char *stage)
{
	json_t *steps = json_array();
	char name[RECORDER_NAME_MAX];
	uint64_t bytes;

	if (check_recorder(steps, trigger, name, sizeof(name)))
		return steps;
	bytes = most_bytes(name);
	check_memory(steps, stage, bytes);
	check_folder(steps, name, bytes);
	return steps;
}
