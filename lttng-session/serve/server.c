// SPDX-License-Identifier: LGPL-2.1-only
/* The recorder daemon's socket and its users. */
#include "lttng-session/serve/server.h"

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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
#include <syslog.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/serve/jobs.h"
#include "lttng-session/serve/message.h"
#include "lttng-session/recorder/plan-file.h"
#include "lttng-session/serve/requester.h"

#define STAGE MESSAGE_FOLDER "/stage"
/* Not the plan's, which commands take while the daemon runs. */
#define LOCK "serve.lock"
#define LOCK_PATH MESSAGE_FOLDER "/" LOCK
#define GROUP "tracing"

/* A connection has one request. */
#define CONNECTIONS_MAX 1024
/* Those that send nothing are closed. */
#define SILENT_US (10 * 1000000ull)

struct server {
	sd_event *event;
	sd_event_source *listening;
	int lock, socket;
	struct jobs *jobs;
	unsigned int connections;
	int64_t since_s;
	bool mounted;
};

struct connection {
	struct server *server;
	int socket;
	struct requester requester;
	sd_event_source *io, *timer;
};

static int fail(struct mm_error *err, const char *where)
{
	return mm_error_set(err, MM_EXIT_ENVIRONMENT, "recorder daemon: %s: %s", where,
			    strerror(errno));
}

static void close_connection(struct connection *connection)
{
	jobs_forget(connection->server->jobs, connection);
	sd_event_source_unref(connection->io);
	sd_event_source_unref(connection->timer);
	close(connection->socket);
	connection->server->connections--;
	free(connection);
}

static void answer(void *client, const json_t *json)
{
	struct connection *connection = client;

	/* Whoever does not read the answer loses it. */
	message_send(connection->socket, json, -1);
	close_connection(connection);
}

static void answer_error(struct connection *connection, const struct mm_error *err)
{
	json_t *json = message_of_error(err);

	answer(connection, json);
	json_decref(json);
}

static void answer_status(struct connection *connection)
{
	const struct server *server = connection->server;
	json_t *json = json_pack("{s:s,s:i,s:I,s:o}", "version", LTTNG_MM_VERSION, "pid",
				 (int)getpid(), "since", (json_int_t)server->since_s, "snapshots",
				 jobs_list(server->jobs));

	answer(connection, json);
	json_decref(json);
}

/* Takes over the descriptor @fd. */
static void serve(struct connection *connection, json_t *request, int fd)
{
	const char *what = message_text(request, "request", "");
	struct mm_error err = MM_ERROR_INIT;

	if (!strcmp(what, "snapshot")) {
		/* The answer may have been given, and the connection closed, when it returns 0. */
		if (jobs_add(connection->server->jobs, connection, &connection->requester, request,
			     fd, &err))
			answer_error(connection, &err);
		return;
	}
	if (fd >= 0)
		close(fd);
	if (!strcmp(what, "status")) {
		answer_status(connection);
		return;
	}
	mm_error_set(
		&err, MM_EXIT_BAD_INPUT,
		"recorder daemon: '%s' is not a request; daemon and command may be of different versions: restart the daemon",
		what);
	answer_error(connection, &err);
}

static int on_message(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct connection *connection = user;
	struct mm_error err = MM_ERROR_INIT;
	json_t *request;
	int passed;

	/* The request has been received: what follows is that the other side closes. */
	if (!connection->timer) {
		close_connection(connection);
		return 0;
	}
	request = message_receive(connection->socket, &passed);
	if (!request && errno == EAGAIN)
		return 0;
	if (!request && errno == EBADMSG) {
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"recorder daemon: the request is not a JSON object of at most %d bytes",
			MESSAGE_BYTES_MAX);
		answer_error(connection, &err);
		return 0;
	}
	if (!request) {
		close_connection(connection);
		return 0;
	}
	connection->timer = sd_event_source_unref(connection->timer);
	serve(connection, request, passed);
	json_decref(request);
	return 0;
}

static int on_silence(sd_event_source *source, uint64_t now, void *user)
{
	close_connection(user);
	return 0;
}

static int open_connection(struct connection *connection)
{
	sd_event *event = connection->server->event;

	return requester_of(connection->socket, &connection->requester) ||
			       sd_event_add_io(event, &connection->io, connection->socket, EPOLLIN,
					       on_message, connection) < 0 ||
			       sd_event_add_time_relative(event, &connection->timer,
							  CLOCK_MONOTONIC, SILENT_US, 0, on_silence,
							  connection) < 0
		       ? -1
		       : 0;
}

static int on_connection(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct server *server = user;
	int socket = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct connection *connection;

	if (socket < 0)
		return 0;
	connection = server->connections < CONNECTIONS_MAX ? calloc(1, sizeof(*connection)) : NULL;
	if (!connection) {
		close(socket);
		return 0;
	}
	connection->server = server;
	connection->socket = socket;
	server->connections++;
	if (open_connection(connection))
		close_connection(connection);
	return 0;
}

/* Ends when the last snapshot is complete. */
static int on_idle(sd_event_source *source, void *user)
{
	struct server *server = user;

	return jobs_busy(server->jobs) ? 0 : sd_event_exit(server->event, 0);
}

static int on_end(sd_event_source *source, const struct signalfd_siginfo *info, void *user)
{
	struct server *server = user;

	sd_notify(0, "STOPPING=1");
	jobs_finish(server->jobs);
	server->listening = sd_event_source_unref(server->listening);
	if (sd_event_add_post(server->event, NULL, on_idle, server) < 0)
		return sd_event_exit(server->event, 0);
	return on_idle(NULL, server);
}

/* Only one daemon; the lock ends with its process, however that ends. */
static int take_lock(struct server *server, struct mm_error *err)
{
	int folder = plan_folder_open(true);

	if (folder < 0)
		return fail(err, MESSAGE_FOLDER);
	server->lock = openat(folder, LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	close(folder);
	if (server->lock < 0)
		return fail(err, LOCK_PATH);
	if (flock(server->lock, LOCK_EX | LOCK_NB))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "recorder daemon: %s: another one is running", LOCK_PATH);
	return 0;
}

static uint64_t quarter_of_memory(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 64u << 20 : (uint64_t)info.totalram * info.mem_unit / 4;
}

/* A file system in memory of its own, so that snapshots cannot fill that of /run. */
static int mount_stage(struct server *server, const struct server_options *options,
		       struct mm_error *err)
{
	uint64_t bytes = options->memory_bytes ? options->memory_bytes : quarter_of_memory();
	char data[64];

	if (mkdir(STAGE, 0700) && errno != EEXIST)
		return fail(err, STAGE);
	/* Left behind by a daemon that was killed; its last processes keep what they use. */
	while (!umount2(STAGE, MNT_DETACH | UMOUNT_NOFOLLOW))
		;
	snprintf(data, sizeof(data), "mode=0700,size=%" PRIu64, bytes);
	if (mount("lttng-mm", STAGE, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, data))
		return fail(err, STAGE);
	server->mounted = true;
	return 0;
}

static int bind_socket(struct server *server)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MESSAGE_SOCKET };
	const struct group *group = getgrnam(GROUP);
	mode_t mask = umask(0177);
	int ret;

	unlink(MESSAGE_SOCKET);
	server->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ret = server->socket < 0
		      ? -1
		      : bind(server->socket, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	/* Where the group does not exist, only root may connect. */
	if (!ret && group)
		ret = chown(MESSAGE_SOCKET, 0, group->gr_gid) || chmod(MESSAGE_SOCKET, 0660);
	return ret ? -1 : listen(server->socket, 128);
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

static int start(struct server *server, const struct server_options *options, struct mm_error *err)
{
	if (geteuid())
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "recorder daemon: only root can run it");
	if (take_lock(server, err) || mount_stage(server, options, err))
		return -1;
	if (open_event(server))
		return fail(err, "event loop");
	server->jobs = jobs_create(server->event, STAGE, answer);
	if (!server->jobs)
		return fail(err, STAGE);
	if (bind_socket(server))
		return fail(err, MESSAGE_SOCKET);
	if (sd_event_add_io(server->event, &server->listening, server->socket, EPOLLIN,
			    on_connection, server) < 0)
		return fail(err, "event loop");
	return 0;
}

static void stop(struct server *server)
{
	jobs_destroy(server->jobs);
	sd_event_source_unref(server->listening);
	sd_event_unref(server->event);
	if (server->socket >= 0) {
		unlink(MESSAGE_SOCKET);
		close(server->socket);
	}
	if (server->mounted)
		umount2(STAGE, MNT_DETACH | UMOUNT_NOFOLLOW);
	if (server->lock >= 0)
		close(server->lock);
}

int server_run(const struct server_options *options, struct mm_error *err)
{
	struct server server = { .lock = -1, .socket = -1, .since_s = (int64_t)time(NULL) };
	int ret;

	openlog("lttng-mm", LOG_PID, LOG_DAEMON);
	ret = start(&server, options, err);
	if (!ret) {
		sd_notify(0, "READY=1");
		syslog(LOG_INFO, "the recorder daemon %s accepts requests", LTTNG_MM_VERSION);
		errno = -sd_event_loop(server.event);
		if (errno > 0)
			ret = fail(err, "event loop");
	}
	stop(&server);
	return ret;
}
