// SPDX-License-Identifier: LGPL-2.1-only
/* Writes commands to the control file of the probe of page references. */
#include "lttng-session/pageref/control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "instrumentation/wire/pageref.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/system/cgroup.h"
#include "util/escape.h"
#include "util/mounts.h"

#define DEVICE "/dev/" LTTNG_MM_PAGEREF_DEVICE
#define PAUSE_MS 50u

int pageref_control_check_plan(struct mm_error *err)
{
	const struct plan_session *session;
	struct plan plan;

	if (plan_read(&plan, err))
		return -1;
	session = plan_find_targets(&plan);
	if (session)
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"page-ref: the recorder %s already records page references, and only one can do so at a time; `lttng-mm stop %s` ends it",
			session->recorder, session->profile);
	plan_release(&plan);
	return err->code ? -1 : 0;
}

int pageref_control_open(struct mm_error *err)
{
	char path[PATH_MAX];
	int control;

	if (mounts_path(path, sizeof(path), DEVICE))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "page-ref: " DEVICE ": %s",
				    strerror(ENAMETOOLONG));
	control = open(path, O_RDWR | O_CLOEXEC);
	if (control >= 0)
		return control;
	if (errno == EBUSY)
		return mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"page-ref: " DEVICE
			": another process records page references; only one can do so at a time");
	if (errno == EPERM || errno == EACCES)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "page-ref: " DEVICE
				    ": only root can record page references; use sudo");
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "page-ref: " DEVICE
			    ": %s; run `lttng-mm doctor` to see whether the probe is loaded",
			    strerror(errno));
}

/* Writes one command to the control file. Returns 0, or -1 with errno set. */
static int command(int control, const char *name, const char *value)
{
	char line[LTTNG_MM_PAGEREF_COMMAND_BYTES];
	int length = snprintf(line, sizeof(line), "%s %s\n", name, value);

	if (length >= (int)sizeof(line)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return write(control, line, (size_t)length) == length ? 0 : -1;
}

static int command_number(int control, const char *name, unsigned long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lu", number);
	return command(control, name, text);
}

static int set_cgroup(int control, const char *cgroup, struct mm_error *err)
{
	if (!command(control, "cgroup", cgroup_relative(cgroup)))
		return 0;
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"page-ref: --cgroup: %s: %s; give the path of a cgroup of version 2, such as /system.slice/nginx.service",
		cgroup, strerror(errno));
}

int pageref_control_add_pid(int control, pid_t pid)
{
	return command_number(control, "pid", (unsigned long)pid);
}

static int set_pid(int control, pid_t pid, struct mm_error *err)
{
	if (!pageref_control_add_pid(control, pid))
		return 0;
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "page-ref: --pid: %ld: %s", (long)pid,
			    errno == ESRCH ? "there is no process with this ID" : strerror(errno));
}

int pageref_control_set(int control, const struct pageref_targets *targets, pid_t pid,
			struct mm_error *err)
{
	const struct trackers *ids = &targets->ids;

	if (command_number(control, "interval", targets->interval_ms))
		return mm_error_set(err, MM_EXIT_BAD_INPUT, "page-ref: --interval: %u: %s",
				    targets->interval_ms, strerror(errno));
	if (targets->dax && command_number(control, "dax", 1))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "page-ref: --dax: %s",
				    strerror(errno));
	if (targets->max_overhead && command_number(control, "max-overhead", targets->max_overhead))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "page-ref: --max-overhead: %s",
				    strerror(errno));
	if (targets->from_bytes && command_number(control, "from", targets->from_bytes))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "page-ref: --from: %s",
				    strerror(errno));
	if (pid && set_pid(control, pid, err))
		return -1;
	for (size_t i = 0; i < ids->count[TRACKER_PID]; i++)
		if (set_pid(control, (pid_t)ids->ids[TRACKER_PID][i], err))
			return -1;
	for (size_t i = 0; i < ids->count[TRACKER_UID]; i++)
		if (command_number(control, "uid", ids->ids[TRACKER_UID][i]))
			return mm_error_set(err, MM_EXIT_BAD_INPUT, "page-ref: --uid: %u: %s",
					    ids->ids[TRACKER_UID][i], strerror(errno));
	return targets->cgroup ? set_cgroup(control, targets->cgroup, err) : 0;
}

static bool is_setting(const char *name)
{
	static const char *const settings[] = { "interval", "dax", "max-overhead", "from" };

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (!strcmp(name, settings[i]))
			return true;
	return false;
}

json_t *pageref_control_counters(int control)
{
	json_t *counters = json_object();
	char text[1024], *line = text;
	ssize_t length = pread(control, text, sizeof(text) - 1, 0);

	text[length < 0 ? 0 : length] = '\0';
	while (line && *line) {
		long long value;
		char name[64];

		if (sscanf(line, "%63s %lld", name, &value) == 2 && !is_setting(name))
			json_object_set_new(counters, name, json_integer(value));
		line = strchr(line, '\n');
		line += !!line;
	}
	return counters;
}

const char *pageref_percent_text(char text[PAGEREF_PERCENT_TEXT], uint64_t part, uint64_t whole)
{
	snprintf(text, PAGEREF_PERCENT_TEXT, "%.3g %%",
		 whole ? 100.0 * (double)part / (double)whole : 0);
	return text;
}

void pageref_control_await_free(unsigned int wait_ms)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	char path[PATH_MAX];
	int control = -1;

	if (mounts_path(path, sizeof(path), DEVICE))
		return;
	for (unsigned int waited = 0; waited <= wait_ms; waited += PAUSE_MS) {
		control = open(path, O_RDWR | O_CLOEXEC);
		if (control >= 0 || errno != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	if (control >= 0)
		close(control);
}

static void print_ids(FILE *out, const struct trackers *ids, enum tracker_kind kind,
		      const char *name)
{
	for (size_t i = 0; i < ids->count[kind]; i++)
		fprintf(out, "%s%u%s", i ? "," : name, ids->ids[kind][i],
			i + 1 < ids->count[kind] ? "" : "' >&7\n");
}

void pageref_control_print(FILE *out, const struct pageref_targets *targets)
{
	fprintf(out, "exec 7<>" DEVICE "\n");
	fprintf(out, "echo 'interval %u' >&7\n", targets->interval_ms);
	if (targets->dax)
		fprintf(out, "echo 'dax 1' >&7\n");
	if (targets->max_overhead)
		fprintf(out, "echo 'max-overhead %u' >&7\n", targets->max_overhead);
	if (targets->from_bytes)
		fprintf(out, "echo 'from %" PRIu64 "' >&7\n", targets->from_bytes);
	print_ids(out, &targets->ids, TRACKER_PID, "echo 'pid ");
	print_ids(out, &targets->ids, TRACKER_UID, "echo 'uid ");
	if (targets->cgroup) {
		fprintf(out, "printf 'cgroup %%s\\n'");
		mm_escape_print_word(out, " ", cgroup_relative(targets->cgroup));
		fprintf(out, " >&7\n");
	}
}
