// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fuzz target: a file with the plan of the recorders. An accepted plan must keep its meaning when
 * it is written and read again.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/pageref/targets.h"
#include "lttng-session/recorder/plan-limits.h"
#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/recorder/plan.h"
#include "tests/fuzz/fuzz.h"

/* All calls use this folder, because the fuzzer calls the target repeatedly in one process. */
static char root[PATH_MAX / 2];

static const char *const folders[] = {
	"", "run", "run/lttng-mm", "proc", "proc/sys", "proc/sys/kernel", "proc/sys/kernel/random",
};

static const char *const files[] = { "run/lttng-mm/" PLAN_FILE, "proc/sys/kernel/random/boot_id" };

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
	FILE *out = fopen(path_of(name), "we");

	if (!out || (size && fwrite(data, size, 1, out) != 1) || fclose(out))
		abort();
}

static void remove_root(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		remove(path_of(files[i]));
	for (size_t i = sizeof(folders) / sizeof(folders[0]); i--;)
		remove(path_of(folders[i]));
}

static void make_root(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%s/lttng-mm-fuzz.XXXXXX",
		 parent			    ? parent
		 : access("/dev/shm", W_OK) ? "/tmp"
					    : "/dev/shm");
	umask(022);
	if (!mkdtemp(root))
		abort();
	atexit(remove_root);
	for (size_t i = 1; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdir(path_of(folders[i]), 0755))
			abort();
	write_file(files[1], FUZZ_BOOT_ID "\n", strlen(FUZZ_BOOT_ID) + 1);
	setenv("LTTNG_MM_ROOT", root, 1);
}

/* Sets the targets as the recorder daemon does. The control file here accepts every command. */
static void set_targets(const json_t *targets)
{
	struct mm_error err = MM_ERROR_INIT;
	int control = open("/dev/null", O_RDWR | O_CLOEXEC);
	char text[256];

	pageref_targets_text(targets, text, sizeof(text));
	if (!pageref_targets_interval_ms(targets) || control < 0)
		abort();
	if (pageref_targets_set(control, targets, text, sizeof(text), &err) && !err.code)
		abort();
	close(control);
}

/* Calls the functions that the commands of lttng-mm call for a session and its recorder. */
static void ask(const struct plan *plan, const struct plan_session *session)
{
	struct retention_limits limits;

	if (plan_find(plan, session->name) != session ||
	    !plan_has_recorder(plan, session->recorder))
		abort();
	plan_session_is_for(session, session->profile);
	plan_session_records(session, "dax_*");
	plan_budget(plan, session->recorder);
	plan_window(plan, session->recorder);
	if (plan_session_targets(session))
		set_targets(plan_session_targets(session));
	if (!plan_recorder_json(plan, session->name))
		abort();
	plan_get_limits(plan, session->name, &limits);
	if (*limits.output != '/')
		abort();
}

static void check_again(const struct plan *plan)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan again;

	if (plan_write(plan, &err))
		abort();
	/* The written form is indented, so it may exceed the limit of the file's size. */
	if (plan_read(&again, &err)) {
		if (!strstr(err.message, strerror(EFBIG)))
			abort();
		return;
	}
	if (plan->count && !json_equal(plan->json, again.json))
		abort();
	if (plan->count != again.count)
		abort();
	plan_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mm_error err = MM_ERROR_INIT;
	struct plan plan;

	if (!*root)
		make_root();
	write_file(files[0], data, size);
	/* If the plan is refused, it must be empty, and there must be a message. */
	if (plan_read(&plan, &err)) {
		if (!err.code || !*err.message || plan.count || plan.json)
			abort();
		return 0;
	}
	if (err.code || plan.count > PLAN_SESSIONS_MAX || (plan.other_boot && plan.count))
		abort();
	for (size_t i = 0; i < plan.count; i++)
		ask(&plan, &plan.sessions[i]);
	check_again(&plan);
	plan_release(&plan);
	return 0;
}
