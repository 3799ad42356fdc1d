// SPDX-License-Identifier: LGPL-2.1-only
/* Measures recorders by reading the positions of their buffers twice. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/status/status.h"
#include "util/clock.h"
#include "util/mounts.h"

#define STAGE_FOLDER "/run/lttng-mm"
#define STAGE STAGE_FOLDER "/stage"

#define NS_PER_MS 1000000ull

static void wait_until(uint64_t since, unsigned int ms)
{
	const uint64_t end = since + ms * NS_PER_MS, now = (uint64_t)mm_clock_ns(CLOCK_MONOTONIC);
	const struct timespec left = { .tv_nsec = (long)(end - now) };

	/* If a signal interrupts the wait, the signal ends the program, so do not wait again. */
	if (now < end && now >= since)
		nanosleep(&left, NULL);
}

/* Returns the average size of an event for each channel, or NULL when out of memory. */
static double *sample_events(const struct positions *positions)
{
	double *bytes = calloc(positions->channel_count + 1, sizeof(*bytes));

	for (unsigned int i = 0; bytes && i < positions->channel_count; i++)
		bytes[i] = status_event_bytes(positions, i);
	return bytes;
}

static bool is_recent(const struct status_meter *meter)
{
	return meter->has_before &&
	       (uint64_t)mm_clock_ns(CLOCK_MONOTONIC) - meter->before.taken.monotonic_ns <
		       STATUS_INTERVAL_MS / 2 * NS_PER_MS;
}

json_t *status_measure(struct status_meter *meter, const struct rates_session *sessions,
		       size_t count, bool events, struct mm_error *err)
{
	const char **names = calloc(count + 1, sizeof(*names));
	struct positions now = { .device = -1 };
	double *event_bytes = NULL;
	json_t *json = NULL;

	if (!names) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "status: out of memory");
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		names[i] = sessions[i].name;
	if (positions_open(&now, names, count, err) || positions_read(&now, err))
		goto end;
	if (events)
		event_bytes = sample_events(&now);
	if (!meter->has_before || is_recent(meter)) {
		/*
		 * Move this first reading to the meter, and read again. Keep the device open for
		 * @now.
		 */
		status_meter_release(meter);
		meter->has_before = true;
		meter->before = now;
		meter->before.device = -1;
		now.all = NULL;
	}
	wait_until(meter->before.taken.monotonic_ns, STATUS_INTERVAL_MS);
	if (positions_read(&now, err))
		goto end;
	json = rates_json(sessions, count, &meter->before, &now, event_bytes);
	positions_release(&meter->before);
	positions_keep(&meter->before, &now);
end:
	free(event_bytes);
	free(names);
	positions_release(&now);
	return json;
}

void status_meter_release(struct status_meter *meter)
{
	if (meter->has_before)
		positions_release(&meter->before);
	meter->has_before = false;
}

static void take_planned(struct rates_session *to, const struct plan *plan,
			 const struct plan_session *from)
{
	snprintf(to->name, sizeof(to->name), "%s", from->name);
	snprintf(to->recorder, sizeof(to->recorder), "%s", from->recorder);
	snprintf(to->channels, sizeof(to->channels), "%s", from->channels);
	to->state = from->state;
	to->promised_ns = plan_window(plan, from->recorder);
}

struct rates_session *status_sessions(const struct plan *plan, const struct recorder_status *list,
				      size_t listed, size_t *count)
{
	struct rates_session *all = calloc(plan->count + listed + 1, sizeof(*all));

	*count = 0;
	for (size_t i = 0; all && i < plan->count; i++)
		take_planned(&all[(*count)++], plan, &plan->sessions[i]);
	for (size_t i = 0; all && i < listed; i++) {
		if (*list[i].recorder || list[i].gone)
			continue;
		snprintf(all[*count].name, sizeof(all->name), "%s", list[i].session);
		all[(*count)++].state = list[i].state;
	}
	return all;
}

/* Reads the positions of @sessions once. Returns 0, or -1 like positions_open(). */
static int read_once(struct positions *now, const struct rates_session *sessions, size_t count,
		     struct mm_error *err)
{
	const char **names = calloc(count + 1, sizeof(*names));
	int ret;

	if (!names)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "status: out of memory");
	for (size_t i = 0; i < count; i++)
		names[i] = sessions[i].name;
	ret = positions_open(now, names, count, err) || positions_read(now, err) ? -1 : 0;
	free(names);
	return ret;
}

static json_t *read_windows(const struct rates_session *sessions, size_t count,
			    struct mm_error *err)
{
	struct positions now = { .device = -1 };
	json_t *json = NULL;

	if (!read_once(&now, sessions, count, err))
		json = rates_json(sessions, count, NULL, &now, NULL);
	positions_release(&now);
	return json;
}

/* Measures the sessions of the plan. If @meter is NULL, omits the rates. */
static json_t *measure_plan(struct status_meter *meter, bool events, struct mm_error *err)
{
	struct rates_session *sessions;
	json_t *json = NULL;
	struct plan plan;
	size_t count;

	if (plan_read(&plan, err))
		return NULL;
	sessions = status_sessions(&plan, NULL, 0, &count);
	if (sessions && !meter)
		json = read_windows(sessions, count, err);
	else if (sessions)
		json = status_measure(meter, sessions, count, events, err);
	else
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "status: out of memory");
	free(sessions);
	plan_release(&plan);
	return json;
}

void status_meter_prime(struct status_meter *meter)
{
	struct mm_error err = MM_ERROR_INIT;
	struct positions now = { .device = -1 };
	struct rates_session *sessions;
	struct plan plan;
	size_t count;

	if (meter->has_before || plan_read(&plan, &err))
		return;
	sessions = status_sessions(&plan, NULL, 0, &count);
	if (sessions && !read_once(&now, sessions, count, &err)) {
		if (now.device >= 0)
			close(now.device);
		positions_keep(&meter->before, &now);
		meter->has_before = true;
	} else {
		positions_release(&now);
	}
	free(sessions);
	plan_release(&plan);
}

json_t *status_measure_plan(struct status_meter *meter, bool events, struct mm_error *err)
{
	return measure_plan(meter, events, err);
}

json_t *status_windows(struct mm_error *err)
{
	return measure_plan(NULL, false, err);
}

int64_t status_stage_bytes(void)
{
	char folder[4096], stage[4096];
	struct stat of_folder, of_stage;
	struct statvfs fs;

	if (mounts_path(folder, sizeof(folder), STAGE_FOLDER) ||
	    mounts_path(stage, sizeof(stage), STAGE) || stat(folder, &of_folder) ||
	    lstat(stage, &of_stage) || of_folder.st_dev == of_stage.st_dev || statvfs(stage, &fs))
		return -1;
	return (int64_t)((fs.f_blocks - fs.f_bfree) * fs.f_frsize);
}

void status_follow_promises(json_t *known, const json_t *rates, status_promise_changed *changed)
{
	const json_t *recorder;
	size_t i;

	json_array_foreach(json_object_get(rates, "recorders"), i, recorder)
	{
		const char *name = json_string_value(json_object_get(recorder, "recorder"));
		json_t *holds = json_object_get(recorder, "window_holds");
		const json_t *before = name ? json_object_get(known, name) : NULL;

		if (!name || !json_is_boolean(holds))
			continue;
		if (before ? json_is_true(before) != json_is_true(holds) : json_is_false(holds))
			changed(name, json_is_true(holds),
				json_integer_value(json_object_get(recorder, "window_promised_ns")),
				json_integer_value(json_object_get(recorder, "window_ns")));
		json_object_set(known, name, holds);
	}
}
