// SPDX-License-Identifier: LGPL-2.1-only
/* Accepts connections, reads one request from each, and closes them without blocking. */
#include "lttng-session/daemon/server/connections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/child.h"
#include "lttng-session/system/journal.h"
#include "lttng-session/system/message.h"

/*
 * Maximum number of connections: of each user including root, and of all users except root
 * together.
 */
#define PER_USER 256
#define USERS_MAX 1024
/* Maximum number of child processes that close connections of one user. */
#define CLOSERS_PER_USER 8
/* Time after which a connection is closed if it has sent no request. */
#define SILENT_US (10 * 1000000ull)
/* Pause after a failure to accept a connection or to start a child process. */
#define PAUSE_US (200 * 1000ull)

struct connections {
	sd_event *event;
	sd_event_source *listening, *pause;
	int socket;
	struct connections_handler handler;
	struct connection *first;
};

struct connection {
	struct connections *connections;
	struct connection *next;
	int socket;
	struct requester requester;
	sd_event_source *io, *timer;
	sd_event_source *closer; /* the child process that closes @socket */
	bool asked, closing;
};

static void release(struct connection *connection)
{
	struct connection **at = &connection->connections->first;

	while (*at != connection)
		at = &(*at)->next;
	*at = connection->next;
	sd_event_source_unref(connection->io);
	sd_event_source_unref(connection->timer);
	sd_event_source_unref(connection->closer);
	if (connection->socket >= 0)
		close(connection->socket);
	free(connection);
}

static unsigned int closers_of(const struct connections *connections, uid_t uid)
{
	unsigned int count = 0;

	for (const struct connection *at = connections->first; at; at = at->next)
		count += at->closer && at->requester.uid == uid;
	return count;
}

static void start_closer(struct connection *connection);

static int on_closed(sd_event_source *source, const siginfo_t *info, void *user)
{
	struct connection *connection = user, *waiting;
	struct connections *connections = connection->connections;
	uid_t uid = connection->requester.uid;

	release(connection);
	for (waiting = connections->first; waiting; waiting = waiting->next)
		if (waiting->closing && !waiting->closer && waiting->requester.uid == uid)
			break;
	if (waiting)
		start_closer(waiting);
	return 0;
}

static int on_retry(sd_event_source *source, uint64_t now, void *user)
{
	struct connection *connection = user;

	connection->timer = sd_event_source_unref(connection->timer);
	start_closer(connection);
	return 0;
}

static void start_closer(struct connection *connection)
{
	struct connections *connections = connection->connections;
	pid_t pid;

	if (closers_of(connections, connection->requester.uid) >= CLOSERS_PER_USER)
		return;
	pid = child_close(connection->socket);
	if (pid < 0) {
		sd_event_add_time_relative(connections->event, &connection->timer, CLOCK_MONOTONIC,
					   PAUSE_US, 0, on_retry, connection);
		return;
	}
	connection->socket = -1;
	if (sd_event_add_child(connections->event, &connection->closer, pid, WEXITED, on_closed,
			       connection) < 0)
		release(connection);
}

static void close_connection(struct connection *connection)
{
	struct connections *connections = connection->connections;
	bool receiving = connections->handler.forget(connections->handler.user, connection);

	connection->io = sd_event_source_unref(connection->io);
	connection->timer = sd_event_source_unref(connection->timer);
	connection->closing = true;
	if (receiving || child_is_needed_to_close(connection->socket))
		start_closer(connection);
	else
		release(connection);
}

const struct requester *connection_requester(const struct connection *connection)
{
	return &connection->requester;
}

int connection_socket(const struct connection *connection)
{
	return connection->socket;
}

void connection_answer(struct connection *connection, const json_t *answer)
{
	/*
	 * The daemon does not wait for the client: if the client's buffer has no room for the
	 * answer, the answer is lost.
	 */
	message_send(connection->socket, answer, -1);
	close_connection(connection);
}

void connection_end(struct connection *connection)
{
	close_connection(connection);
}

void connection_answer_error(struct connection *connection, const struct mm_error *err)
{
	json_t *json = message_of_error(err);

	connection_answer(connection, json);
	json_decref(json);
}

static void refuse(struct connection *connection)
{
	struct mm_error err = MM_ERROR_INIT;

	mm_error_set(&err, MM_EXIT_BAD_INPUT,
		     "recorder daemon: the request is not a JSON object of at most %d bytes",
		     MESSAGE_BYTES_MAX);
	connection_answer_error(connection, &err);
}

static int on_message(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct connection *connection = user;
	const struct connections_handler *handler = &connection->connections->handler;
	json_t *request;
	bool descriptors;

	request = connection->asked ? NULL : message_peek(connection->socket, &descriptors);
	if (!request && !connection->asked && errno == EAGAIN)
		return 0;
	if (!request && !connection->asked && errno == EBADMSG) {
		refuse(connection);
		return 0;
	}
	/* The client has closed its end without a request. */
	if (!request) {
		close_connection(connection);
		return 0;
	}
	connection->asked = true;
	connection->timer = sd_event_source_unref(connection->timer);
	if (!descriptors)
		message_discard(connection->socket);
	/* A connection carries only one request, so from now on wait only for its end. */
	sd_event_source_set_io_events(connection->io, EPOLLRDHUP);
	handler->serve(handler->user, connection, request, descriptors);
	json_decref(request);
	return 0;
}

static int on_silence(sd_event_source *source, uint64_t now, void *user)
{
	close_connection(user);
	return 0;
}

static bool is_one_too_many(const struct connection *connection)
{
	uid_t uid = connection->requester.uid;
	unsigned int own = 0, users = 0;

	for (const struct connection *at = connection->connections->first; at; at = at->next) {
		own += at->requester.uid == uid;
		users += !!at->requester.uid;
	}
	return own > PER_USER || (uid && users > USERS_MAX);
}

static int watch(struct connection *connection)
{
	sd_event *event = connection->connections->event;

	return sd_event_add_io(event, &connection->io, connection->socket, EPOLLIN, on_message,
			       connection) < 0 ||
			       sd_event_add_time_relative(event, &connection->timer,
							  CLOCK_MONOTONIC, SILENT_US, 0, on_silence,
							  connection) < 0
		       ? -1
		       : 0;
}

static int accept_one(struct connections *connections)
{
	int socket = accept4(connections->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct connection *connection = socket < 0 ? NULL : calloc(1, sizeof(*connection));
	struct mm_error err = MM_ERROR_INIT;

	if (!connection) {
		if (socket >= 0)
			close(socket);
		return -1;
	}
	*connection = (struct connection){ .connections = connections,
					   .next = connections->first,
					   .socket = socket };
	connections->first = connection;
	/* If the credentials cannot be read, count the connection for UID -1, which no user has. */
	if (requester_of(socket, &connection->requester)) {
		connection->requester.uid = (uid_t)-1;
		close_connection(connection);
	} else if (is_one_too_many(connection)) {
		mm_error_set(&err, MM_EXIT_ENVIRONMENT,
			     "recorder daemon: too many requests at a time; try again later");
		connection_answer_error(connection, &err);
	} else if (watch(connection)) {
		close_connection(connection);
	}
	return 0;
}

static int on_pause_end(sd_event_source *source, uint64_t now, void *user)
{
	struct connections *connections = user;

	connections->pause = sd_event_source_unref(connections->pause);
	sd_event_source_set_enabled(connections->listening, SD_EVENT_ON);
	return 0;
}

/*
 * Pauses after a failed accept(). The listening socket stays readable, so without the pause, the
 * loop would spin.
 */
static void pause_listening(struct connections *connections)
{
	journal_note(LOG_WARNING, "recorder daemon: no connection can be accepted: %s",
		     strerror(errno));
	if (sd_event_add_time_relative(connections->event, &connections->pause, CLOCK_MONOTONIC,
				       PAUSE_US, 0, on_pause_end, connections) >= 0)
		sd_event_source_set_enabled(connections->listening, SD_EVENT_OFF);
}

static int on_connection(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct connections *connections = user;

	if (accept_one(connections) &&
	    (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
		pause_listening(connections);
	return 0;
}

struct connections *connections_create(sd_event *event, int socket,
				       const struct connections_handler *handler)
{
	struct connections *connections = calloc(1, sizeof(*connections));
	int ret;

	if (!connections) {
		close(socket);
		return NULL;
	}
	*connections =
		(struct connections){ .event = event, .socket = socket, .handler = *handler };
	ret = sd_event_add_io(event, &connections->listening, socket, EPOLLIN, on_connection,
			      connections);
	if (ret >= 0)
		return connections;
	connections_destroy(connections);
	errno = -ret;
	return NULL;
}

void connections_finish(struct connections *connections)
{
	if (connections->socket < 0)
		return;
	connections->pause = sd_event_source_unref(connections->pause);
	connections->listening = sd_event_source_unref(connections->listening);
	/*
	 * Accept the connections that are still in the backlog. If they stayed there, closing the
	 * listening socket would close them, and that may block.
	 */
	shutdown(connections->socket, SHUT_RD);
	while (!accept_one(connections))
		;
	close(connections->socket);
	connections->socket = -1;
}

void connections_destroy(struct connections *connections)
{
	struct connection *connection;

	if (!connections)
		return;
	connections_finish(connections);
	while ((connection = connections->first)) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): release() removes the connection */
		if (connection->socket >= 0 && child_is_needed_to_close(connection->socket) &&
		    child_close(connection->socket) > 0)
			connection->socket = -1;
		release(connection);
	}
	free(connections);
}
