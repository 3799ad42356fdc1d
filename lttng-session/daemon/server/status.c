// SPDX-License-Identifier: LGPL-2.1-only
/* Measures rates for status requests. Checks the windows that `record --window` promised. */
#include "lttng-session/daemon/server/status.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/fn/stopped.h"
#include "lttng-session/daemon/jobs/child.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/status/status.h"
#include "lttng-session/system/message.h"
#include "util/duration.h"

/* Maximum number of child processes that measure at the same time. */
#define MEASURING_MAX 4u
/* Maximum number of seconds that a measurement may take. */
#define MEASURING_S 10u

/* Interval between checks of the windows that `record --window` promised. */
#define CHECK_US (10 * 1000000ull)

struct serve_status {
	sd_event *event;
	sd_event_source *timer;
	unsigned int measuring;
	/* the last "window_holds" of each recorder, for status_follow_promises() */
	json_t *promises;
};

struct rates_request {
	struct serve_status *status;
	sd_event_source *child;
};

static void log_promise(const char *recorder, bool holds, int64_t promised_ns, int64_t window_ns)
{
	char promised[MM_DURATION_TEXT], window[MM_DURATION_TEXT];

	mm_duration_format(promised, sizeof(promised), promised_ns);
	mm_duration_format(window, sizeof(window), window_ns);
	if (holds)
		journal_note(LOG_NOTICE, "recorder %s: the promised window of %s is covered again",
			     recorder, promised);
	else
		journal_note(
			LOG_WARNING,
			"recorder %s: the promised window of %s is no longer covered: the buffers reach back only %s; `lttng-mm status` shows the rates",
			recorder, promised, window);
}

/* Has `record --window` promised a window for any recorder? */
static bool has_promise(void)
{
	struct mm_error err = MM_ERROR_INIT;
	bool found = false;
	struct plan plan;

	if (plan_read(&plan, &err))
		return false;
	for (size_t i = 0; i < plan.count; i++)
		found |= plan_window(&plan, plan.sessions[i].recorder) > 0;
	plan_release(&plan);
	return found;
}

static void check_promises(struct serve_status *status)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *rates = status_windows(&err);

	if (rates)
		status_follow_promises(status->promises, rates, log_promise);
	json_decref(rates);
}

static int on_check(sd_event_source *source, uint64_t now, void *user)
{
	struct serve_status *status = user;

	if (has_promise())
		check_promises(status);
	else
		json_object_clear(status->promises);
	return sd_event_source_set_time(source, now + CHECK_US) < 0 ||
			       sd_event_source_set_enabled(source, SD_EVENT_ONESHOT) < 0
		       ? -1
		       : 0;
}

struct serve_status *serve_status_create(sd_event *event)
{
	struct serve_status *status = calloc(1, sizeof(*status));

	if (!status)
		return NULL;
	status->event = event;
	status->promises = json_object();
	if (status->promises && sd_event_add_time_relative(event, &status->timer, CLOCK_MONOTONIC,
							   CHECK_US, 0, on_check, status) >= 0)
		return status;
	serve_status_destroy(status);
	return NULL;
}

void serve_status_destroy(struct serve_status *status)
{
	if (!status)
		return;
	sd_event_source_unref(status->timer);
	json_decref(status->promises);
	free(status);
}

void serve_status_add_rates(json_t *answer, json_t *rates)
{
	json_t *recorders = json_object_get(rates, "recorders"), *recorder, *channel;
	size_t i, k;

	if (json_object_set_new(answer, "rates", rates) || message_fits(answer))
		return;
	json_object_set_new(rates, "left_out", json_string("cpus"));
	json_array_foreach(recorders, i, recorder)
		json_array_foreach(json_object_get(recorder, "channels"), k, channel)
			json_object_del(channel, "cpus");
	if (message_fits(answer))
		return;
	json_object_set_new(rates, "left_out", json_string("channels"));
	json_array_foreach(recorders, i, recorder)
		json_object_set_new(recorder, "channels", json_array());
	if (!message_fits(answer))
		json_object_del(answer, "rates");
}

/* Measures the rates and sends the answer, in the child process. */
static void measure(int socket, const json_t *base)
{
	struct mm_error err = MM_ERROR_INIT;
	struct status_meter meter = { .has_before = false };
	json_t *answer = json_copy((json_t *)base), *rates, *stopped;
	sigset_t none;

	signal(SIGTERM, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(MEASURING_S);
	stopped = fn_stopped();
	if (stopped)
		json_object_set_new(answer, "stopped_functions", stopped);
	rates = status_measure_plan(&meter, true, &err);
	if (rates) {
		serve_status_add_rates(answer, rates);
	} else {
		json_object_set_new(answer, "rates", json_null());
		json_object_set_new(answer, "rates_why", json_string(err.message));
	}
	message_send(socket, answer, -1);
	_exit(0);
}

static int on_measured(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct rates_request *request = user;

	(void)source;
	(void)info;
	request->status->measuring--;
	sd_event_source_unref(request->child);
	free(request);
	return 0;
}

int serve_status_answer(struct serve_status *status, int socket, const json_t *base)
{
	struct rates_request *request = NULL;
	pid_t pid;

	if (status->measuring < MEASURING_MAX)
		request = calloc(1, sizeof(*request));
	if (!request)
		return -1;
	request->status = status;
	pid = child_fork(&socket, 1);
	if (!pid)
		measure(socket, base);
	if (pid > 0 && sd_event_add_child(status->event, &request->child, pid, WEXITED, on_measured,
					  request) >= 0) {
		status->measuring++;
		return 0;
	}
	if (pid > 0)
		kill(pid, SIGKILL);
	free(request);
	return -1;
}
