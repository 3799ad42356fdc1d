// SPDX-License-Identifier: LGPL-2.1-only
/* The daemon's side of the supervisor: starts the supervisor process, and stores its reports. */
#include "lttng-session/daemon/supervisor/supervisor.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/supervisor/loop.h"
#include "lttng-session/recorder/repairs.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"
#include "util/time.h"

#define CHECK_US (5 * 1000000ull)
/*
 * Seconds without a message after which the supervisor is killed. The limit is long because calls
 * to the session daemon may be slow.
 */
#define SILENT_S 90
#define RESCUES_MAX 16
#define END_PAUSE_NS 10000000
#define END_TRIES 100

struct supervisor {
	sd_event *event;
	const struct settings *settings;
	sd_event_source *child, *io, *timer;
	supervisor_found *found;
	void *found_user;
	bool started; /* a supervisor has run before and listed old snapshots */
	bool silent;  /* the supervisor was killed because it sent nothing */
	int report;
	int64_t heard_s;
	char *problem;
	json_t *repairs, *rescues;
	json_t *page_ref; /* the last message "page_ref"; NULL: none */
};

static int64_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec;
}

static void format_time(char *text, size_t size, json_int_t ns)
{
	char second[16];

	mm_time_format_local(second, sizeof(second), MM_TIME_OF_DAY, ns / 1000000000);
	snprintf(text, size, "%s.%03d", second, (int)(ns / 1000000 % 1000));
}

static void take_repair(struct supervisor *supervisor, json_t *repair)
{
	const char *session = message_text(repair, "session", "?");
	const char *what = message_text(repair, "what", "?");
	char from[32] = "its start", until[32], message[1024];

	if (json_is_integer(json_object_get(repair, "from_ns")))
		format_time(from, sizeof(from), message_number(repair, "from_ns", 0));
	format_time(until, sizeof(until), message_number(repair, "until_ns", 0));
	snprintf(message, sizeof(message),
		 "%s: %s; repaired: its buffers have no events from %s to %s", session, what, from,
		 until);
	journal_write(&(const struct journal_line){ .priority = LOG_WARNING,
						    .id = JOURNAL_REPAIR,
						    .message = message,
						    .session = session,
						    .reason = what });
	if (repairs_add(supervisor->repairs, json_incref(repair)))
		journal_note(LOG_ERR, "/run/lttng-mm/" REPAIRS_FILE ": %s", strerror(errno));
}

/* Did @rescue and the newest rescue both fail, after the same event? */
static bool is_repeated(const struct supervisor *supervisor, const json_t *rescue)
{
	const size_t count = json_array_size(supervisor->rescues);
	const json_t *newest = count ? json_array_get(supervisor->rescues, count - 1) : NULL;

	return json_object_get(rescue, "error") && json_object_get(newest, "error") &&
	       json_equal(json_object_get(rescue, "what"), json_object_get(newest, "what"));
}

/*
 * Adds a rescue. A repeated failure replaces the previous one, so that failures do not push
 * successful rescues out of the list.
 */
static void add_rescue(struct supervisor *supervisor, json_t *rescue)
{
	if (is_repeated(supervisor, rescue))
		json_array_remove(supervisor->rescues, json_array_size(supervisor->rescues) - 1);
	json_array_append(supervisor->rescues, rescue);
	if (json_array_size(supervisor->rescues) > RESCUES_MAX)
		json_array_remove(supervisor->rescues, 0);
}

/*
 * Handles a snapshot of an earlier daemon. If it is a rescue, also adds it to the list of rescues.
 */
static void take_snapshot(struct supervisor *supervisor, json_t *snapshot)
{
	const json_t *cause = json_object_get(snapshot, "cause");
	json_t *rescue;

	if (!strcmp(message_text(cause, "kind", ""), "rescue")) {
		rescue = json_pack("{s:s,s:s,s:I}", "path", message_text(snapshot, "path", "?"),
				   "what", message_text(cause, "what", "?"), "at_ns",
				   message_number(snapshot, "frozen_ns", 0));
		add_rescue(supervisor, rescue);
		json_decref(rescue);
	}
	json_object_del(snapshot, "frozen_ns");
	supervisor->found(supervisor->found_user, snapshot);
}

static void take_rescue(struct supervisor *supervisor, json_t *rescue)
{
	const char *error = message_text(rescue, "error", NULL);

	if (error)
		journal_note(LOG_ERR, "%s", error);
	else
		journal_note(LOG_WARNING, "%s: rescued to %s", message_text(rescue, "what", "?"),
			     message_text(rescue, "path", "?"));
	add_rescue(supervisor, rescue);
}

static void take_problem(struct supervisor *supervisor, const char *problem)
{
	if (*problem && (!supervisor->problem || strcmp(problem, supervisor->problem) != 0))
		journal_note(LOG_ERR, "%s", problem);
	free(supervisor->problem);
	supervisor->problem = *problem ? strdup(problem) : NULL;
}

/* Sets the state of the targets of page references. NULL or JSON null: there are no targets. */
static void take_page_ref(struct supervisor *supervisor, json_t *state)
{
	json_decref(supervisor->page_ref);
	supervisor->page_ref = json_incref(state);
}

static void take(struct supervisor *supervisor, json_t *message)
{
	json_t *repair = json_object_get(message, "repair");
	json_t *rescue = json_object_get(message, "rescue");
	json_t *snapshot = json_object_get(message, "snapshot");
	json_t *page_ref = json_object_get(message, "page_ref");
	const char *problem = message_text(message, "problem", NULL);
	const char *note = message_text(message, "note", NULL);

	if (repair)
		take_repair(supervisor, repair);
	if (rescue)
		take_rescue(supervisor, rescue);
	if (snapshot)
		take_snapshot(supervisor, snapshot);
	if (page_ref)
		take_page_ref(supervisor, page_ref);
	if (problem)
		take_problem(supervisor, problem);
	if (note)
		journal_note(LOG_NOTICE, "%s", note);
}

static int on_report(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct supervisor *supervisor = user;
	json_t *message;

	while ((message = message_receive(supervisor->report, NULL))) {
		supervisor->heard_s = now_s();
		take(supervisor, message);
		json_decref(message);
	}
	if (events & (EPOLLHUP | EPOLLERR))
		supervisor->io = sd_event_source_unref(supervisor->io);
	return 0;
}

static void run_child(const struct supervisor *supervisor, int report, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	/* Ctrl-C must reach only the daemon, which then kills this process. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "lttng-mm-superv");
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent)
		_exit(0);
	/* Keep only @report open. All other descriptors are locks and sockets of the daemon. */
	if (report != 3 && dup2(report, 3) < 0)
		_exit(1);
	close_range(4, ~0u, 0);
	supervisor_loop_run(supervisor->settings, !supervisor->started, 3);
	_exit(0);
}

static int start(struct supervisor *supervisor);

static int on_child(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct supervisor *supervisor = user;

	on_report(NULL, supervisor->report, 0, supervisor);
	journal_note(LOG_ERR, "the supervisor process has ended and is started again");
	take_page_ref(supervisor, NULL);
	supervisor->child = sd_event_source_unref(supervisor->child);
	supervisor->io = sd_event_source_unref(supervisor->io);
	close(supervisor->report);
	supervisor->report = -1;
	/*
	 * Start a new supervisor at once. If the session daemon ends while nobody holds the
	 * buffers, they are lost.
	 */
	if (supervisor->silent)
		start(supervisor);
	return 0;
}

static int start(struct supervisor *supervisor)
{
	const pid_t parent = getpid();
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		return -1;
	supervisor->report = fds[0];
	supervisor->heard_s = now_s();
	supervisor->silent = false;
	pid = fork();
	if (!pid)
		run_child(supervisor, fds[1], parent);
	close(fds[1]);
	supervisor->started = true;
	if (pid > 0 &&
	    sd_event_add_child(supervisor->event, &supervisor->child, pid, WEXITED, on_child,
			       supervisor) >= 0 &&
	    sd_event_add_io(supervisor->event, &supervisor->io, supervisor->report, EPOLLIN,
			    on_report, supervisor) >= 0)
		return 0;
	if (pid > 0 && !supervisor->child) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(supervisor->report);
	supervisor->report = -1;
	return -1;
}

static void kill_child(const struct supervisor *supervisor)
{
	pid_t pid;

	if (supervisor->child && sd_event_source_get_child_pid(supervisor->child, &pid) >= 0)
		kill(pid, SIGKILL);
}

static int on_check(sd_event_source *source, uint64_t now, void *user)
{
	struct supervisor *supervisor = user;

	if (supervisor->report < 0) {
		start(supervisor);
	} else if (now_s() - supervisor->heard_s > SILENT_S) {
		take_problem(supervisor,
			     "the session daemon hangs; see `systemctl status lttng-sessiond`");
		supervisor->heard_s = now_s();
		supervisor->silent = true;
		kill_child(supervisor);
	}
	sd_event_source_set_time(source, now + CHECK_US);
	return 0;
}

struct supervisor *supervisor_create(sd_event *event, const struct settings *settings,
				     supervisor_found *found, void *user)
{
	struct supervisor *supervisor = calloc(1, sizeof(*supervisor));

	if (!supervisor)
		return NULL;
	supervisor->event = event;
	supervisor->settings = settings;
	supervisor->found = found;
	supervisor->found_user = user;
	supervisor->report = -1;
	supervisor->repairs = repairs_read();
	supervisor->rescues = json_array();
	if (!start(supervisor) &&
	    sd_event_add_time_relative(event, &supervisor->timer, CLOCK_MONOTONIC, CHECK_US, 0,
				       on_check, supervisor) >= 0 &&
	    sd_event_source_set_enabled(supervisor->timer, SD_EVENT_ON) >= 0)
		return supervisor;
	supervisor_destroy(supervisor);
	return NULL;
}

void supervisor_finish(struct supervisor *supervisor)
{
	const struct timespec pause = { .tv_nsec = END_PAUSE_NS };
	pid_t pid;

	if (!supervisor)
		return;
	supervisor->timer = sd_event_source_disable_unref(supervisor->timer);
	if (supervisor->child && sd_event_source_get_child_pid(supervisor->child, &pid) >= 0) {
		kill(pid, SIGKILL);
		supervisor->child = sd_event_source_disable_unref(supervisor->child);
		/*
		 * A killed process that waits for a disk exits later, but runs no more user code.
		 * So do not wait long for it.
		 */
		for (int tries = 0; tries < END_TRIES && !waitpid(pid, NULL, WNOHANG); tries++)
			nanosleep(&pause, NULL);
	}
	supervisor->io = sd_event_source_disable_unref(supervisor->io);
}

void supervisor_destroy(struct supervisor *supervisor)
{
	if (!supervisor)
		return;
	supervisor_finish(supervisor);
	if (supervisor->report >= 0)
		close(supervisor->report);
	json_decref(supervisor->repairs);
	json_decref(supervisor->rescues);
	json_decref(supervisor->page_ref);
	free(supervisor->problem);
	free(supervisor);
}

json_t *supervisor_status(const struct supervisor *supervisor)
{
	return json_pack("{s:s?,s:I,s:O,s:O,s:O?}", "problem", supervisor->problem, "silent_s",
			 (json_int_t)(now_s() - supervisor->heard_s), "repairs",
			 supervisor->repairs, "rescues", supervisor->rescues, "page_ref",
			 supervisor->page_ref);
}
