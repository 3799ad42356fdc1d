// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts targets of page references to the format of the plan, and sends the targets of the plan
 * to the probe.
 */
#include "lttng-session/pageref/targets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "instrumentation/wire/pageref.h"
#include "lttng-session/system/process-list.h"
#include "util/clock.h"
#include "util/text.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
/* Text for descendants that are not recorded, because the probe accepts no more targets. */
#define FURTHER "descendants beyond " TEXT(LTTNG_MM_PAGEREF_PIDS) " processes"

/*
 * Maximum number of searches for descendants. Processes may start during a search, so another
 * search follows until no new descendant is found.
 */
#define SEARCHES_MAX 8

/* State while the pid targets are being set. */
struct setting {
	int control;
	json_int_t noted;
	pid_t set[LTTNG_MM_PAGEREF_PIDS]; /* processes that are targets already */
	size_t count;
	bool full; /* the probe accepts no further processes */
};

static json_int_t ticks_now(void)
{
	const int64_t per_s = sysconf(_SC_CLK_TCK);

	return mm_clock_ns(CLOCK_BOOTTIME) / (1000000000 / per_s);
}

static json_t *note_pids(const struct trackers *ids, struct mm_error *err)
{
	json_t *all = json_array();

	for (size_t i = 0; i < ids->count[TRACKER_PID]; i++) {
		const pid_t pid = (pid_t)ids->ids[TRACKER_PID][i];
		struct listed_process process;

		if (!process_read(pid, &process)) {
			mm_error_set(err, MM_EXIT_BAD_INPUT,
				     "page-ref: --pid: %ld: there is no process with this ID",
				     (long)pid);
			json_decref(all);
			return NULL;
		}
		json_array_append_new(all, json_pack("{s:I,s:I}", "id", (json_int_t)pid, "started",
						     (json_int_t)process.started));
	}
	return all;
}

json_t *pageref_targets_note(const struct pageref_targets *targets, struct mm_error *err)
{
	const struct trackers *ids = &targets->ids;
	json_t *json = json_pack("{s:I,s:I}", "interval_ms", (json_int_t)targets->interval_ms,
				 "noted", ticks_now());
	json_t *pids = ids->count[TRACKER_PID] ? note_pids(ids, err) : NULL;
	int ret = !json || (ids->count[TRACKER_PID] && !pids) ? -1 : 0;

	if (pids)
		ret |= json_object_set_new(json, "pid", pids);
	if (ids->count[TRACKER_UID])
		ret |= json_object_set_new(json, "uid", json_integer(ids->ids[TRACKER_UID][0]));
	if (targets->cgroup)
		ret |= json_object_set_new(json, "cgroup", json_string(targets->cgroup));
	if (targets->dax)
		ret |= json_object_set_new(json, "dax", json_true());
	if (targets->max_overhead)
		ret |= json_object_set_new(json, "max_overhead",
					   json_integer(targets->max_overhead));
	if (targets->from_bytes)
		ret |= json_object_set_new(json, "from_bytes",
					   json_integer((json_int_t)targets->from_bytes));
	if (!ret)
		return json;
	json_decref(json);
	if (!err->code)
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"page-ref: the targets cannot be stored: the path of the cgroup is not UTF-8, or out of memory");
	return NULL;
}

static bool is_set(const struct setting *setting, pid_t pid)
{
	for (size_t i = 0; i < setting->count; i++)
		if (setting->set[i] == pid)
			return true;
	return false;
}

/* Sets a process as a target. Returns false if the process has ended. */
static bool set_process(struct setting *setting, pid_t pid)
{
	if (setting->full)
		return true;
	if (!pageref_control_add_pid(setting->control, pid)) {
		setting->set[setting->count++] = pid;
		setting->full = setting->count == LTTNG_MM_PAGEREF_PIDS;
		return true;
	}
	setting->full = errno != ESRCH;
	return setting->full;
}

/*
 * Adds the descendants of all targets to the targets. Returns true if there were new descendants.
 */
static bool set_descendants(struct setting *setting)
{
	const size_t before = setting->count;
	struct process_list list = { .count = 0 };

	process_list_read(&list);
	for (size_t i = 0; i < list.count; i++)
		list.all[i].marked = is_set(setting, list.all[i].pid);
	process_list_mark_descendants(&list, setting->noted);
	for (size_t i = 0; i < list.count; i++)
		if (list.all[i].marked && !is_set(setting, list.all[i].pid))
			set_process(setting, list.all[i].pid);
	process_list_release(&list);
	return setting->count > before;
}

static int refuse_targets(struct mm_error *err)
{
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"page-ref: the targets in /run/lttng-mm/recorder.json are not valid; stop the recorder and start it again");
}

static int set_pids(struct setting *setting, const json_t *pids, char *lacking, size_t size,
		    struct mm_error *err)
{
	const json_t *pid;
	size_t i;

	json_array_foreach(pids, i, pid)
	{
		const json_int_t id = json_integer_value(json_object_get(pid, "id"));
		struct listed_process process;
		char word[64];

		if (id <= 0 || id > INT32_MAX)
			return refuse_targets(err);
		snprintf(word, sizeof(word), "process %d (ended)", (int)id);
		if (!process_read((pid_t)id, &process) ||
		    process.started != json_integer_value(json_object_get(pid, "started")) ||
		    !set_process(setting, (pid_t)id))
			mm_words_add(lacking, size, word);
	}
	for (i = 0; i < SEARCHES_MAX && set_descendants(setting); i++)
		;
	if (setting->full)
		mm_words_add(lacking, size, FURTHER);
	return 0;
}

int pageref_targets_set(int control, const json_t *json, char *lacking, size_t size,
			struct mm_error *err)
{
	const json_t *uid = json_object_get(json, "uid"), *pids = json_object_get(json, "pid");
	struct setting setting = {
		.control = control,
		.noted = json_integer_value(json_object_get(json, "noted")),
	};
	const json_int_t from = json_integer_value(json_object_get(json, "from_bytes"));
	struct pageref_targets targets = {
		.cgroup = json_string_value(json_object_get(json, "cgroup")),
		.interval_ms = pageref_targets_interval_ms(json),
		.dax = json_is_true(json_object_get(json, "dax")),
		.max_overhead = pageref_targets_max_overhead(json),
		.from_bytes = from > 0 ? (uint64_t)from : 0,
	};
	const json_int_t number = json_integer_value(uid);

	*lacking = '\0';
	if ((uid && (!json_is_integer(uid) || number < 0 || number > INT32_MAX)) ||
	    (pids && !json_is_array(pids)))
		return refuse_targets(err);
	if (uid) {
		targets.ids.ids[TRACKER_UID][0] = (uint32_t)number;
		targets.ids.count[TRACKER_UID] = 1;
	}
	if (pageref_control_set(control, &targets, 0, err))
		return -1;
	return pids ? set_pids(&setting, pids, lacking, size, err) : 0;
}

unsigned int pageref_targets_interval_ms(const json_t *targets)
{
	const json_int_t ms = json_integer_value(json_object_get(targets, "interval_ms"));

	return ms > 0 && ms <= LTTNG_MM_PAGEREF_INTERVAL_MAX_MS ? (unsigned int)ms
								: LTTNG_MM_PAGEREF_INTERVAL_MS;
}

unsigned int pageref_targets_max_overhead(const json_t *targets)
{
	const json_int_t limit = json_integer_value(json_object_get(targets, "max_overhead"));

	return limit > 0 && limit <= LTTNG_MM_PAGEREF_OVERHEAD_MAX ? (unsigned int)limit : 0;
}

void pageref_targets_text(const json_t *targets, char *text, size_t size)
{
	const char *cgroup = json_string_value(json_object_get(targets, "cgroup"));
	const json_t *pids = json_object_get(targets, "pid"), *pid;
	char word[24];
	size_t i;

	*text = '\0';
	if (cgroup) {
		snprintf(text, size, "cgroup %s", cgroup);
	} else if (!pids) {
		snprintf(text, size, "uid %" JSON_INTEGER_FORMAT,
			 json_integer_value(json_object_get(targets, "uid")));
	}
	json_array_foreach(pids, i, pid)
	{
		snprintf(word, sizeof(word), "%s%" JSON_INTEGER_FORMAT, i ? "" : "pid ",
			 json_integer_value(json_object_get(pid, "id")));
		mm_words_add(text, size, word);
	}
}
