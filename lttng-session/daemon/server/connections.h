/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The connections of the recorder daemon's socket. A connection has one request. Each user may have
 * a number of connections, and none can block the daemon, whatever is sent.
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
	 * Serves a request, which connection_answer() must follow, now or later. @descriptors: the
	 * message has descriptors, and is still to be received from the connection's socket.
	 */
	void (*serve)(void *user, struct connection *connection, json_t *request, bool descriptors);
	/*
	 * The connection ends, also after an answer. Returns whether a process may be receiving
	 * from its socket.
	 */
	bool (*forget)(void *user, struct connection *connection);
};

/*
 * Accepts connections from @socket, which listens and does not block, and takes it over. Returns
 * NULL with errno set.
 */
struct connections *connections_create(sd_event *event, int socket,
				       const struct connections_handler *handler);
/* Accepts no more connections, and closes the listening socket. */
void connections_finish(struct connections *connections);
/* Closes all connections. */
void connections_destroy(struct connections *connections);

const struct requester *connection_requester(const struct connection *connection);
int connection_socket(const struct connection *connection);

/* Answers, and ends the connection. */
void connection_answer(struct connection *connection, const json_t *answer);
/* Ends the connection: another process answers. */
void connection_end(struct connection *connection);
void connection_answer_error(struct connection *connection, const struct mm_error *err);

#endif /* LTTNG_MM_DAEMON_SERVER_CONNECTIONS_H */
