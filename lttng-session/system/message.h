/* SPDX-License-Identifier: LGPL-2.1-only */
/* Messages between commands and the recorder daemon: a JSON object and at most one descriptor. */
#ifndef LTTNG_MM_SESSION_MESSAGE_H
#define LTTNG_MM_SESSION_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

/* The recorder daemon's SOCK_SEQPACKET socket: root and the group `tracing` may connect. */
#define MESSAGE_FOLDER "/run/lttng-mm"
#define MESSAGE_SOCKET MESSAGE_FOLDER "/recorder.sock"

/* Of a message's text. Longer ones are refused on both sides. */
#define MESSAGE_BYTES_MAX 65536

/* Is @json short enough to be sent? */
bool message_fits(const json_t *json);

/*
 * Sends @json, without releasing it, and a copy of the descriptor @fd unless it is negative. Does
 * not wait for a receiver that does not read. Returns 0, or -1 with errno set: EMSGSIZE if it is
 * too long.
 */
int message_send(int socket, const json_t *json, int fd);
/*
 * The same, but waits up to @ms for a receiver that has not read what was sent before. For what
 * must not get lost.
 */
int message_send_patiently(int socket, const json_t *json, int ms);

/*
 * Waits for a message, and returns it: release it with json_decref(). The descriptor that came with
 * it is stored in *@fd, which the caller closes, -1 if there was none; without @fd, it is closed.
 * NULL: errno is set, to ECONNRESET if the other side is gone, to EBADMSG if it is not a message,
 * to EAGAIN if the socket does not block and there is none.
 */
json_t *message_receive(int socket, int *fd);

/*
 * As message_receive(), but the message remains to be received, and with it its descriptors:
 * closing another user's descriptor may block. *@descriptors: does it have any?
 */
json_t *message_peek(int socket, bool *descriptors);

/*
 * Waits for a message, and returns its first descriptor if that is of a folder, or -1. The folder's
 * filesystem is not asked, and further descriptors remain open.
 */
int message_receive_folder(int socket);

/* Discards the next message with its descriptors, if there is one. */
void message_discard(int socket);

/*
 * Members of untrusted messages: @fallback if there is none of this name and type. Strings belong
 * to @json.
 */
const char *message_text(const json_t *json, const char *name, const char *fallback);
json_int_t message_number(const json_t *json, const char *name, json_int_t fallback);

/* An error as a message, and back. message_error() returns 0 if @json is none, or -1 with @err. */
json_t *message_of_error(const struct mm_error *err);
int message_error(const json_t *json, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_MESSAGE_H */
