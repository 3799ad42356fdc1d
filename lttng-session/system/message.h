/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sends and receives messages between commands and the recorder daemon. A message is a JSON object
 * and at most one descriptor.
 */
#ifndef LTTNG_MM_SESSION_MESSAGE_H
#define LTTNG_MM_SESSION_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

/* Socket of the recorder daemon (SOCK_SEQPACKET). Root and the group `tracing` may connect. */
#define MESSAGE_FOLDER "/run/lttng-mm"
#define MESSAGE_SOCKET MESSAGE_FOLDER "/recorder.sock"

/* Maximum size of a message's text. Both sides refuse longer messages. */
#define MESSAGE_BYTES_MAX 65536

/* Is @json short enough to be sent? */
bool message_fits(const json_t *json);

/*
 * Sends @json and, unless @fd is negative, a copy of this descriptor. The caller keeps @json. Never
 * blocks. Returns 0, or -1 with errno set. EMSGSIZE: the text is too long. EAGAIN: the socket's
 * buffer is full, because the receiver does not read.
 */
int message_send(int socket, const json_t *json, int fd);
/*
 * Like message_send(), but waits up to @ms while the buffer is full of earlier messages. Sends no
 * descriptor.
 */
int message_send_patiently(int socket, const json_t *json, int ms);

/*
 * Waits for a message and returns it. Release it with json_decref(). Sets *@fd to the descriptor in
 * the message, which the caller closes, or to -1. If @fd is NULL, this function closes the
 * descriptor. On failure, returns NULL with errno set. ECONNRESET: the other side has closed the
 * connection. EBADMSG: the message is invalid. EAGAIN: the socket does not block, and no message is
 * waiting.
 */
json_t *message_receive(int socket, int *fd);

/*
 * Returns the next message like message_receive(), but leaves the message and its descriptors in
 * the socket, because closing another user's descriptor may block. Sets *@descriptors to true if
 * the message has descriptors.
 */
json_t *message_peek(int socket, bool *descriptors);

/*
 * Waits for a message. Returns its first descriptor if it is the descriptor of a folder, else -1.
 * Does not access the folder's filesystem. Leaves further descriptors of the message open.
 */
int message_receive_folder(int socket);

/* Discards the next message with its descriptors, if one is waiting. */
void message_discard(int socket);

/*
 * Return a member of an untrusted message, or @fallback if the member is absent or has another
 * type. Strings belong to @json.
 */
const char *message_text(const json_t *json, const char *name, const char *fallback);
json_int_t message_number(const json_t *json, const char *name, json_int_t fallback);

/*
 * message_of_error() converts an error to a message. message_error() converts it back: it returns
 * -1 with @err set if @json is an error, else 0.
 */
json_t *message_of_error(const struct mm_error *err);
int message_error(const json_t *json, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_MESSAGE_H */
