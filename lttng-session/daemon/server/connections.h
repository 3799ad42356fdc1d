/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The client connections of the recorder daemon's socket. A connection carries one request and its
 * answer. The number of connections per user is limited. No client can block the daemon, whatever
 * it sends or omits.
 */
#ifndef LTTNG_MM_DAEMON_SERVER_CONNECTIONS_H
#define LTTNG_MM_DAEMON_SERVER_CONNECTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

#include "lttng-session/daemon/jobs/requester.h"
#include "util/error.h"

struct connections;
struct connection;

struct connections_handler {
	void *user;
	/*
	 * Serves a request: calls connection_answer() or connection_end(), now or later. If
	 * @descriptors is true, the message carries descriptors, has only been peeked at, and is
	 * still in the connection's socket.
	 */
	void (*serve)(void *user, struct connection *connection, json_t *request, bool descriptors);
	/*
	 * Called once when the connection ends, also if it ends before its answer. Returns true if
	 * a child process may still be receiving from the connection's socket.
	 */
	bool (*forget)(void *user, struct connection *connection);
};

/*
 * Accepts connections from the nonblocking listening socket @socket. Takes ownership of @socket,
 * even on failure. Returns NULL with errno set on failure.
 */
struct connections *connections_create(sd_event *event, int socket,
				       const struct connections_handler *handler);
/* Accepts no more connections, and closes the listening socket. */
void connections_finish(struct connections *connections);
/* Closes all connections. */
void connections_destroy(struct connections *connections);

const struct requester *connection_requester(const struct connection *connection);
int connection_socket(const struct connection *connection);

/* Sends the answer and ends the connection. */
void connection_answer(struct connection *connection, const json_t *answer);
/* Ends the connection without an answer, because a child process sends it. */
void connection_end(struct connection *connection);
void connection_answer_error(struct connection *connection, const struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_SERVER_CONNECTIONS_H */
