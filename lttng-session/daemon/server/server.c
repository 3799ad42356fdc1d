// SPDX-License-Identifier: LGPL-2.1-only
/* Starts and stops the recorder daemon, and dispatches requests. */
#include "lttng-session/daemon/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/confine.h"
#include "lttng-session/daemon/jobs/job-queue.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/daemon/server/connections.h"
#include "lttng-session/daemon/server/status.h"
#include "lttng-session/daemon/supervisor/rescues.h"
#include "lttng-session/daemon/supervisor/supervisor.h"
#include "lttng-session/daemon/triggers/engine-requests.h"
#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"

#define STAGE MESSAGE_FOLDER "/stage"
/* Lock of the running daemon. It is not the lock with which commands lock the plan. */
#define LOCK "serve.lock"
#define LOCK_PATH MESSAGE_FOLDER "/" LOCK
#define GROUP "tracing"

/*
 * Maximum number of attempts to take the lock, and the pause between them. A daemon that is ending,
 * and workers of a killed daemon, keep the lock for a while.
 */
#define LOCK_TRIES 100
#define LOCK_PAUSE_NS 100000000
#define PREVENT_MS 10000
#define DESCRIPTORS_MAX 4096
#define RESCUES_MS 120000

struct server {
	const struct server_options *options;
	sd_event *event;
	int lock;
	struct job_queue *queue;
	struct engine *engine;
	struct engine_requests *triggers;
	struct connections *connections;
	struct settings settings;
	struct supervisor *supervisor;
	struct serve_status *status;
	int64_t since_s;
	bool mounted, ending;
};

static int fail(struct mm_error *err, const char *where)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "recorder daemon: %s: %s", where,
			    strerror(errno));
}

static void answer(void *client, const json_t *json)
{
	connection_answer(client, json);
}

/* Answers a status request. Omits the oldest snapshots if the message is too long. */
static void answer_status(struct server *server, struct connection *connection,
			  const json_t *request)
{
	size_t others, left_out = 0;
	json_t *list =
		job_queue_list(server->queue, connection_requester(connection)->uid, &others);
	json_t *json =
		json_pack("{s:s,s:i,s:I,s:O}", "version", LTTNG_MM_VERSION, "pid", (int)getpid(),
			  "since", (json_int_t)server->since_s, "snapshots", list);

	json_object_set_new(json, "supervisor", supervisor_status(server->supervisor));
	if (others)
		json_object_set_new(json, "others", json_integer((json_int_t)others));
	while (json_array_size(list) && !message_fits(json)) {
		json_array_remove(list, 0);
		json_object_set_new(json, "left_out", json_integer((json_int_t)++left_out));
	}
	/*
	 * If the message is still too long, omit the repairs, because the client can read them from
	 * repairs.json.
	 */
	if (!message_fits(json))
		json_object_del(json_object_get(json, "supervisor"), "repairs");
	if (json_is_true(json_object_get(request, "rates")) &&
	    !serve_status_answer(server->status, connection_socket(connection), json))
		connection_end(connection);
	else
		connection_answer(connection, json);
	json_decref(json);
	json_decref(list);
}

static void begin_end(struct server *server);

/* Answers the request "end" of `lttng-mm stop`. Ends the daemon if `record` started it. */
static int answer_end(struct server *server, struct connection *connection, struct mm_error *err)
{
	json_t *json;

	if (connection_requester(connection)->uid)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "recorder daemon: only root may end it");
	/*
	 * Stop the supervisor before the answer. After the answer, `stop` destroys sessions, and
	 * the supervisor must not restore them.
	 */
	if (server->options->with_recorder)
		supervisor_finish(server->supervisor);
	json = json_pack("{s:b}", "ends", server->options->with_recorder);
	connection_answer(connection, json);
	json_decref(json);
	if (server->options->with_recorder)
		begin_end(server);
	return 0;
}

/* Serves a request. Returns 0 if the request is answered, now or later, or -1 with @err set. */
static int serve_request(struct server *server, struct connection *connection, json_t *request,
			 bool descriptors, struct mm_error *err)
{
	const char *what = message_text(request, "request", "");
	int ret = engine_requests_serve(server->triggers, connection,
					connection_requester(connection), request, err);

	if (ret <= 0)
		return ret;
	if (!strcmp(what, "snapshot")) {
		if (!descriptors)
			return mm_error_set(
				err, MM_EXIT_BAD_INPUT,
				"snapshot: the request carries no descriptor of the output folder");
		/* If this returns 0, the connection may already be answered and released. */
		return job_queue_add(server->queue, connection, connection_requester(connection),
				     request, connection_socket(connection), err);
	}
	if (!strcmp(what, "status")) {
		answer_status(server, connection, request);
		return 0;
	}
	if (!strcmp(what, "end"))
		return answer_end(server, connection, err);
	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"recorder daemon: '%s' is not a request; daemon and command may be of different versions: restart the daemon",
		what);
}

static void serve(void *user, struct connection *connection, json_t *request, bool descriptors)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *refusal;

	if (!serve_request(user, connection, request, descriptors, &err))
		return;
	refusal = message_of_error(&err);
	/*
	 * The request itself is valid, but the daemon cannot serve it. "unable" lets root's client
	 * take the snapshot without the daemon.
	 */
	if (err.code == MM_EXIT_ENVIRONMENT)
		json_object_set_new(refusal, "unable", json_true());
	connection_answer(connection, refusal);
	json_decref(refusal);
}

static bool forget(void *user, struct connection *connection)
{
	struct server *server = user;

	engine_requests_forget(server->triggers, connection);
	return job_queue_forget(server->queue, connection);
}

/*
 * Runs after each event while the daemon is ending. Leaves the loop when the last snapshot is
 * complete.
 */
static int on_idle(sd_event_source *source, void *user)
{
	struct server *server = user;

	return job_queue_busy(server->queue) ? 0 : sd_event_exit(server->event, 0);
}

/*
 * Ends the daemon. Removes the socket first, so that later clients do not connect to this daemon.
 */
static void begin_end(struct server *server)
{
	if (server->ending)
		return;
	server->ending = true;
	sd_notify(0, "STOPPING=1");
	unlink(MESSAGE_SOCKET);
	supervisor_finish(server->supervisor);
	engine_finish(server->engine);
	job_queue_finish(server->queue);
	connections_finish(server->connections);
	if (sd_event_add_post(server->event, NULL, on_idle, server) < 0)
		sd_event_exit(server->event, 0);
	/* on_idle() runs after each event, but the next event may come much later. */
	on_idle(NULL, server);
}

static int on_end(sd_event_source *source, const struct signalfd_siginfo *info, void *user)
{
	begin_end(user);
	return 0;
}

/*
 * Takes the lock that allows only one daemon. Workers inherit the lock, and keep it while they have
 * root's rights, even if the daemon is killed. Unless `record` started this process, asks the
 * daemon that has the lock to end. That daemon ends only if `record` started it.
 */
static int lock(struct server *server, struct mm_error *err)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int tries = 0; flock(server->lock, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail(err, LOCK_PATH);
		if (tries == LOCK_TRIES || request_end(server->options->with_recorder) < 0)
			return mm_error_set(
				err, MM_EXIT_ENVIRONMENT,
				"recorder daemon: %s: another recorder daemon is running",
				LOCK_PATH);
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int take_lock(struct server *server, struct mm_error *err)
{
	int folder = plan_folder_open(true);

	if (folder < 0)
		return fail(err, MESSAGE_FOLDER);
	server->lock = openat(folder, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	close(folder);
	return server->lock < 0 ? fail(err, LOCK_PATH) : lock(server, err);
}

int server_prevent(struct mm_error *err)
{
	int folder = plan_folder_open(true);
	int fd = folder < 0 ? -1
			    : openat(folder, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (folder >= 0)
		close(folder);
	if (fd < 0)
		return fail(err, LOCK_PATH);
	/* Wait for the lock, because workers of a daemon that has ended may still have it. */
	if (!plan_lock_wait(fd, PREVENT_MS))
		return fd;
	if (errno == EWOULDBLOCK)
		mm_error_set(
			err, MM_EXIT_ENVIRONMENT,
			"recorder daemon: %s: another recorder daemon is running, or a stopped one is still writing snapshots; try again later",
			LOCK_PATH);
	else
		fail(err, LOCK_PATH);
	close(fd);
	return -1;
}

static uint64_t quarter_of_memory(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 64u << 20 : (uint64_t)info.totalram * info.mem_unit / 4;
}

/* Mounts the stage as a tmpfs of limited size, so that snapshots cannot fill /run. */
static int mount_stage(struct server *server, const struct server_options *options,
		       struct mm_error *err)
{
	uint64_t bytes = options->memory_bytes ? options->memory_bytes : quarter_of_memory();
	char data[64];

	if (mkdir(STAGE, 0700) && errno != EEXIST)
		return fail(err, STAGE);
	/*
	 * Detach the stage of a killed daemon. Its workers can still use the files that they have
	 * open.
	 */
	while (!umount2(STAGE, MNT_DETACH | UMOUNT_NOFOLLOW))
		;
	snprintf(data, sizeof(data), "mode=0700,size=%" PRIu64, bytes);
	if (mount("lttng-mm", STAGE, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, data))
		return fail(err, STAGE);
	server->mounted = true;
	return 0;
}

static int bind_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MESSAGE_SOCKET };
	const struct group *group = getgrnam(GROUP);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), ret, error;
	mode_t mask = umask(0177);

	unlink(MESSAGE_SOCKET);
	ret = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	/* If there is no group `tracing`, only root can connect. */
	if (!ret && group)
		ret = chown(MESSAGE_SOCKET, 0, group->gr_gid) || chmod(MESSAGE_SOCKET, 0660);
	if (!ret && !listen(fd, 128))
		return fd;
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

static int start_listening(struct server *server)
{
	const struct connections_handler handler = { server, serve, forget };
	int socket = bind_socket();

	if (socket >= 0)
		server->connections = connections_create(server->event, socket, &handler);
	return server->connections ? 0 : -1;
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS_MAX)
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS_MAX ? limit.rlim_max : DESCRIPTORS_MAX;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_event(struct server *server)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	if (sigprocmask(SIG_BLOCK, &signals, NULL))
		return -1;
	errno = -sd_event_new(&server->event);
	return errno > 0 || sd_event_add_signal(server->event, NULL, SIGTERM, on_end, server) < 0 ||
			       sd_event_add_signal(server->event, NULL, SIGINT, on_end, server) < 0
		       ? -1
		       : 0;
}

static void found(void *user, json_t *snapshot)
{
	const struct server *server = user;

	job_queue_recall(server->queue, snapshot);
}

/*
 * Chooses how commands of triggers are confined (confine.h), and logs limits that are not
 * available.
 */
static void confine_commands(void)
{
	bool limited;
	enum confine_mode mode = confine_choose(&limited);

	if (!limited)
		journal_note(
			LOG_WARNING, "commands of triggers: %s; see RESOURCES in lttng-mm-serve(1)",
			mode == CONFINE_TREE
				? "no cgroup can be made for them in /sys/fs/cgroup, so their memory is not limited"
				: "cgroup2 has no controller for their tasks or for their memory, so these are not limited");
}

static int start(struct server *server, const struct server_options *options, struct mm_error *err)
{
	if (geteuid())
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "recorder daemon: only root may run it");
	raise_limit();
	settings_init(&server->settings);
	if (options->settings && settings_read(&server->settings, options->settings, err))
		return -1;
	if (take_lock(server, err) || mount_stage(server, options, err))
		return -1;
	if (open_event(server))
		return fail(err, "event loop");
	confine_commands();
	server->queue = job_queue_create(server->event, STAGE, answer);
	if (!server->queue)
		return fail(err, STAGE);
	job_queue_share_lock(server->queue, server->lock);
	if (options->write_us)
		job_queue_limit(server->queue, options->write_us);
	server->engine = engine_create(server->event, server->queue, engine_watch_all);
	if (server->engine && server->settings.user_max_ns >= 0)
		engine_limit_users(server->engine, server->settings.user_max,
				   server->settings.user_max_ns);
	if (server->engine)
		engine_persist(server->engine);
	if (server->engine)
		server->triggers = engine_requests_create(server->event, server->engine, answer);
	if (!server->triggers)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "recorder daemon: out of memory");
	server->status = serve_status_create(server->event);
	if (!server->status)
		return fail(err, "event loop");
	if (start_listening(server))
		return fail(err, MESSAGE_SOCKET);
	server->supervisor = supervisor_create(server->event, &server->settings, found, server);
	return server->supervisor ? 0 : fail(err, "supervisor process");
}

static void stop(struct server *server)
{
	supervisor_destroy(server->supervisor);
	serve_status_destroy(server->status);
	settings_release(&server->settings);
	if (server->connections && !server->ending)
		unlink(MESSAGE_SOCKET);
	connections_destroy(server->connections);
	engine_requests_destroy(server->triggers);
	engine_destroy(server->engine);
	job_queue_destroy(server->queue);
	sd_event_unref(server->event);
	if (server->mounted)
		umount2(STAGE, MNT_DETACH | UMOUNT_NOFOLLOW);
	if (server->lock >= 0)
		close(server->lock);
}

/*
 * If this daemon is a service, waits for rescue processes, which outlive the supervisor. At
 * shutdown, systemd would otherwise unmount the filesystems that they write to.
 */
static void await_rescues(void)
{
	if (getenv("NOTIFY_SOCKET") && !rescues_await(RESCUES_MS))
		journal_note(
			LOG_WARNING,
			"a rescue snapshot was still being written after two minutes and is abandoned");
}

int server_run(const struct server_options *options, struct mm_error *err)
{
	struct server server = { .options = options, .lock = -1, .since_s = (int64_t)time(NULL) };
	int ret;

	ret = start(&server, options, err);
	if (!ret) {
		engine_requests_load(server.triggers);
		/* This has no effect if the unit has no watchdog. */
		if (sd_event_set_watchdog(server.event, true) < 0)
			journal_note(
				LOG_WARNING,
				"recorder daemon: systemd's watchdog cannot be notified, so systemd may restart the daemon");
		sd_notify(0, "READY=1");
		if (options->ready)
			options->ready(options->user);
		journal_note(LOG_INFO, "the recorder daemon %s accepts requests", LTTNG_MM_VERSION);
		errno = -sd_event_loop(server.event);
		if (errno > 0)
			ret = fail(err, "event loop");
	}
	stop(&server);
	await_rescues();
	return ret;
}
