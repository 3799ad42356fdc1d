// SPDX-License-Identifier: LGPL-2.1-only
/* Records page references to a folder. */
#include "lttng-session/pageref/record.h"

#include <errno.h>
#include <lttng/lttng.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/pageref/output.h"
#include "lttng-session/recorder/sessions.h"
#include "lttng-session/system/death-guard.h"
#include "lttng-session/system/launch.h"
#include "lttng-session/system/process.h"
#include "util/escape.h"

/*
 * Name of the session. It lacks the prefix of recorders' names. So `snapshot` and `stop`, which
 * need sessions in snapshot mode, ignore this session.
 */
#define SESSION "page-ref"
/* Interval between comparisons of the folder's size with its limit. */
#define SIZE_CHECK_NS 250000000

struct pageref_recording {
	const struct pageref_request *request;
	struct pageref_recorded *recorded;
	struct recorder_sessions planned;
	struct session_plan session;
	bool is_created; /* the session exists */
	int64_t since;	 /* creation time of the session */
	int control;	 /* descriptor of the control file; -1: closed */
	struct pageref_output output;
	struct sysinfo_modules *modules; /* loaded modules, read before the state was dumped */
	struct death_guard guard;
	struct launch launch;
	sigset_t before; /* signal mask before the recording */
};

/*
 * Plans one session with the channels of the profile, and with its state dump as a further channel.
 */
static void plan_session(struct session_plan *session, struct recorder_sessions *planned,
			 const struct pageref_request *request, const char *output)
{
	recorder_plan_sessions(planned, request->recorder, NULL);
	*session = planned->rings[0];
	snprintf(session->session, sizeof(session->session), SESSION);
	session->output = output;
	session->trackers = (struct trackers){ .count = { 0 } };
	if (planned->has_state)
		session->channels[session->channel_count++] = planned->state.channels[0];
}

/* Runs in the guard process when the recording process was killed. Destroys the session. */
static void destroy_left(void *user)
{
	const struct pageref_recording *recording = user;

	/*
	 * Another recording may have replaced the session already, so compare the creation times.
	 */
	if (session_creation_time(SESSION) != recording->since)
		return;
	lttng_stop_tracing(SESSION);
	lttng_destroy_session(SESSION);
}

/*
 * Destroys a session that was left because both the recording process and its guard were killed.
 * This process has the control file open, so no other process can be recording.
 */
static int destroy_stale(const struct session_plan *session, struct mm_error *err)
{
	if (!session_creation_time(SESSION))
		return 0;
	if (session_matches(session) && !lttng_destroy_session(SESSION))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT,
			    "page-ref: another program has an LTTng session of the name " SESSION
			    "; destroy it with: lttng destroy " SESSION);
}

static int create_session(struct pageref_recording *recording, struct mm_error *err)
{
	plan_session(&recording->session, &recording->planned, recording->request,
		     recording->output.path);
	recording->modules = sysinfo_modules_read();
	if (!recording->modules)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "page-ref: out of memory");
	if (destroy_stale(&recording->session, err) || session_create(&recording->session, err))
		return -1;
	recording->is_created = true;
	recording->since = session_creation_time(SESSION);
	if (!death_guard_start(&recording->guard, destroy_left, recording))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "page-ref: no process can be started: %s",
			    strerror(errno));
}

static int prepare_command(struct pageref_recording *recording, struct mm_error *err)
{
	char *const *command = recording->request->command;

	if (!command || !launch_prepare(&recording->launch, command, &recording->before))
		return 0;
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "page-ref: no process can be started: %s",
			    strerror(errno));
}

static int execute_command(struct pageref_recording *recording, struct mm_error *err)
{
	char *const *command = recording->request->command;
	struct pageref_recorded *recorded = recording->recorded;

	if (!command)
		return 0;
	recorded->executed = !launch_go(&recording->launch);
	if (recorded->executed)
		return 0;
	recorded->status = errno == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_NOT_EXECUTABLE;
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "record: %s: %s", command[0], strerror(errno));
}

static int begin(struct pageref_recording *recording, struct mm_error *err)
{
	const struct pageref_request *request = recording->request;

	if (pageref_control_check_plan(err))
		return -1;
	recording->control = pageref_control_open(err);
	return recording->control < 0 ||
			       pageref_output_open(&recording->output, request->output, err) ||
			       create_session(recording, err) || prepare_command(recording, err) ||
			       pageref_control_set(recording->control, &request->targets,
						   recording->launch.pid, err) ||
			       session_start(&recording->session, err) ||
			       execute_command(recording, err)
		       ? -1
		       : 0;
}

/* Stores the smallest sample of pages. Closes the control file, which ends the marking. */
static void close_control(struct pageref_recording *recording)
{
	json_t *counters;

	if (recording->control >= 0) {
		counters = pageref_control_counters(recording->control);
		recording->recorded->sample =
			(uint64_t)json_integer_value(json_object_get(counters, "sample_lowest"));
		json_decref(counters);
		close(recording->control);
	}
	recording->control = -1;
}

/* Undoes begin(). */
static void undo(struct pageref_recording *recording)
{
	launch_cancel(&recording->launch);
	close_control(recording);
	if (recording->is_created) {
		lttng_stop_tracing(SESSION);
		lttng_destroy_session(SESSION);
	}
	death_guard_end(&recording->guard);
	pageref_output_remove(&recording->output);
}

/* Stops the recording, but not the command, when the folder has reached its maximum size. */
static void check_size(void *user)
{
	struct pageref_recording *recording = user;
	const uint64_t max = recording->request->max_bytes;

	if (!max || recording->recorded->full || pageref_output_bytes(&recording->output) < max)
		return;
	recording->recorded->full = true;
	close_control(recording);
	lttng_stop_tracing(SESSION);
}

/* Waits until a signal arrives, or until the folder has reached its maximum size. */
static void await_signal(struct pageref_recording *recording)
{
	const struct timespec period = { .tv_nsec = SIZE_CHECK_NS };
	sigset_t signals;
	int number;

	launch_signals(&signals);
	sigdelset(&signals, SIGCHLD);
	do {
		number = recording->request->max_bytes ? sigtimedwait(&signals, NULL, &period)
						       : sigwaitinfo(&signals, NULL);
		check_size(recording);
	} while (number <= 0 && !recording->recorded->full);
}

/* Waits until the recording has to end. All signals of launch_signals() are blocked. */
static void await_end(struct pageref_recording *recording)
{
	const struct launch_wait wait = {
		.period_ns = recording->request->max_bytes ? SIZE_CHECK_NS : 0,
		.look = check_size,
		.user = recording,
	};
	struct launch_end end;

	if (!recording->request->command) {
		await_signal(recording);
		return;
	}
	launch_await(&recording->launch, &wait, &end);
	recording->recorded->status = end.status;
}

/* Counts the events that the tracer has discarded. */
static uint64_t count_discarded(void)
{
	struct lttng_domain domain = { .type = LTTNG_DOMAIN_KERNEL,
				       .buf_type = LTTNG_BUFFER_GLOBAL };
	struct lttng_handle *handle = lttng_create_handle(SESSION, &domain);
	struct lttng_channel *channels = NULL;
	int count = handle ? lttng_list_channels(handle, &channels) : 0;
	uint64_t all = 0, discarded;

	for (int i = 0; i < count; i++)
		if (!lttng_channel_get_discarded_event_count(&channels[i], &discarded))
			all += discarded;
	free(channels);
	lttng_destroy_handle(handle);
	return all;
}

static int finish(struct pageref_recording *recording, struct snapshot_notes *notes,
		  struct mm_error *err)
{
	int ret;

	close_control(recording);
	/* This call waits until the session daemon has written all events. */
	lttng_stop_tracing(SESSION);
	recording->recorded->discarded = count_discarded();
	ret = lttng_destroy_session(SESSION);
	death_guard_end(&recording->guard);
	pageref_output_finish(&recording->output, recording->modules, SESSION,
			      recording->request->targets.cgroup, notes);
	pageref_output_close(&recording->output);
	if (ret >= 0)
		return 0;
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"page-ref: %s: the LTTng session " SESSION
		" ended before the recording: %s; the folder has the events up to the end of the session",
		recording->output.path, lttng_strerror(ret));
}

/* Discards signals that arrived while the recording was being finished. */
static void unblock_signals(const struct pageref_recording *recording)
{
	const struct timespec now = { .tv_nsec = 0 };
	sigset_t signals;

	launch_signals(&signals);
	while (sigtimedwait(&signals, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &recording->before, NULL);
}

int pageref_record(const struct pageref_request *request, struct pageref_recorded *recorded,
		   struct snapshot_notes *notes, struct mm_error *err)
{
	struct pageref_recording recording = { .request = request,
					       .recorded = recorded,
					       .control = -1,
					       .output.folder = -1,
					       .guard = DEATH_GUARD_INIT };
	sigset_t child;
	int ret;

	memset(recorded, 0, sizeof(*recorded));
	if (recorder_prepare(request->recorder, err))
		return -1;
	process_block_signals(&recording.before);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	ret = begin(&recording, err);
	snprintf(recorded->path, sizeof(recorded->path), "%s", recording.output.path);
	if (ret) {
		undo(&recording);
	} else {
		await_end(&recording);
		ret = finish(&recording, notes, err);
	}
	sysinfo_modules_destroy(recording.modules);
	unblock_signals(&recording);
	return ret;
}

static void print_words(FILE *out, char *const *words)
{
	for (; *words; words++)
		mm_escape_print_argument(out, " ", *words);
}

void pageref_print_commands(FILE *out, const struct pageref_request *request)
{
	const struct profile *profile = request->recorder->profiles[0];
	struct recorder_sessions planned;
	struct session_plan session;

	if (profile->module)
		fprintf(out, "modprobe %s\n", profile->module);
	fprintf(out, "pgrep -x lttng-sessiond >/dev/null || lttng-sessiond --daemonize\n");
	if (request->command) {
		fprintf(out, "sh -c 'kill -STOP $$; exec \"$@\"' sh");
		print_words(out, request->command);
		fprintf(out, " &\n");
	}
	pageref_control_print(out, &request->targets);
	if (request->command)
		fprintf(out, "echo \"pid $!\" >&7\n");
	plan_session(&session, &planned, request, request->output);
	session_print_commands(out, &session);
	if (request->command)
		fprintf(out, "kill -CONT $!\nwait $!\n");
	else
		fprintf(out, "# Recording continues until the next commands.\n");
	fprintf(out, "exec 7>&-\nlttng destroy " SESSION "\n");
}
