// SPDX-License-Identifier: LGPL-2.1-only
/* Messages between commands and the recorder daemon. */
#include "lttng-session/system/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "util/json-file.h"

/*
 * Number of descriptors to receive. Unexpected descriptors must be received, so that they can be
 * closed.
 */
#define DESCRIPTORS 4

/* Pause between attempts to send a message. */
#define STEP_MS 100

/* Maximum number of descriptors that the kernel allows in a message. */
#define SENT_MAX 253

union control {
	struct cmsghdr header; /* aligns the buffer */
	char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

static void attach(struct msghdr *message, union control *control, int fd)
{
	struct cmsghdr *header;

	memset(control, 0, sizeof(*control));
	message->msg_control = control;
	message->msg_controllen = CMSG_SPACE(sizeof(fd));
	header = CMSG_FIRSTHDR(message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
}

#define DUMP_FLAGS (JSON_COMPACT | JSON_ENSURE_ASCII)

bool message_fits(const json_t *json)
{
	return json_dumpb(json, NULL, 0, DUMP_FLAGS) <= MESSAGE_BYTES_MAX;
}

int message_send(int socket, const json_t *json, int fd)
{
	char *text = json_dumps(json, DUMP_FLAGS);
	struct iovec part = { .iov_base = text, .iov_len = text ? strlen(text) : 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	union control control;
	ssize_t sent;

	if (!text || part.iov_len > MESSAGE_BYTES_MAX) {
		errno = text ? EMSGSIZE : ENOMEM;
		free(text);
		return -1;
	}
	if (fd >= 0)
		attach(&message, &control, fd);
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	free(text);
	return sent < 0 ? -1 : 0;
}

int message_send_patiently(int socket, const json_t *json, int ms)
{
	struct pollfd wait = { .fd = socket, .events = POLLOUT };
	int ret = message_send(socket, json, -1);

	for (; ret && ms > 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM);
	     ms -= STEP_MS) {
		/*
		 * If the kernel lacks memory for the message, poll() still reports the socket as
		 * writable. So pause.
		 */
		if (errno != EAGAIN || poll(&wait, 1, STEP_MS) < 0)
			nanosleep(&(struct timespec){ .tv_nsec = STEP_MS * 1000000L }, NULL);
		ret = message_send(socket, json, -1);
	}
	return ret;
}

/* Stores the first descriptor in *@kept, and closes all other descriptors. */
static void take_descriptors(struct msghdr *message, int *kept)
{
	struct cmsghdr *header;

	for (header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
		size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(header) + i * sizeof(fd), sizeof(fd));
			if (*kept < 0)
				*kept = fd;
			else
				close(fd);
		}
	}
}

static json_t *parse(const char *text, size_t length, int flags)
{
	json_t *json = NULL;

	if (!(flags & (MSG_TRUNC | MSG_CTRUNC)))
		mm_json_parse(text, length, JSON_REJECT_DUPLICATES, &json, NULL);
	if (!json_is_object(json)) {
		json_decref(json);
		json = NULL;
		errno = EBADMSG;
	}
	return json;
}

json_t *message_receive(int socket, int *fd)
{
	char *text = malloc(MESSAGE_BYTES_MAX);
	struct iovec part = { .iov_base = text, .iov_len = MESSAGE_BYTES_MAX };
	union control control;
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	json_t *json = NULL;
	int kept = -1, error;
	ssize_t length = -1;

	if (text)
		do
			length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
		while (length < 0 && errno == EINTR);
	if (length >= 0)
		take_descriptors(&message, &kept);
	if (length > 0)
		json = parse(text, (size_t)length, message.msg_flags);
	else if (!length)
		errno = ECONNRESET;
	error = errno;
	free(text);
	if (kept >= 0 && (!json || !fd)) {
		close(kept);
		kept = -1;
	}
	if (fd)
		*fd = kept;
	errno = error;
	return json;
}

json_t *message_peek(int socket, bool *descriptors)
{
	char *text = malloc(MESSAGE_BYTES_MAX);
	struct iovec part = { .iov_base = text, .iov_len = MESSAGE_BYTES_MAX };
	/*
	 * Without a buffer for control data, the kernel does not install the message's descriptors
	 * in this process.
	 */
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	json_t *json = NULL;
	ssize_t length = -1;
	int error;

	*descriptors = false;
	if (text)
		do
			length = recvmsg(socket, &message, MSG_PEEK);
		while (length < 0 && errno == EINTR);
	if (length >= 0)
		*descriptors = message.msg_flags & MSG_CTRUNC;
	if (length > 0 || *descriptors)
		json = parse(text, (size_t)length, message.msg_flags & ~MSG_CTRUNC);
	else if (!length)
		errno = ECONNRESET;
	error = errno;
	free(text);
	errno = error;
	return json;
}

int message_receive_folder(int socket)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(SENT_MAX * sizeof(int))];
	} control;
	struct msghdr message = { .msg_control = &control, .msg_controllen = sizeof(control) };
	struct cmsghdr *header;
	int fd = -1, flags;

	while (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) < 0)
		if (errno != EINTR)
			return -1;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len >= CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
	return flags >= 0 && flags & O_DIRECTORY ? fd : -1;
}

void message_discard(int socket)
{
	struct msghdr message = { .msg_control = NULL };

	while (recvmsg(socket, &message, MSG_DONTWAIT) < 0 && errno == EINTR)
		;
}

const char *message_text(const json_t *json, const char *name, const char *fallback)
{
	const char *text = json_string_value(json_object_get(json, name));

	return text ? text : fallback;
}

json_int_t message_number(const json_t *json, const char *name, json_int_t fallback)
{
	const json_t *number = json_object_get(json, name);

	return json_is_integer(number) ? json_integer_value(number) : fallback;
}

json_t *message_of_error(const struct mm_error *err)
{
	return json_pack("{s:s,s:i}", "error", err->message, "code", err->code);
}

int message_error(const json_t *json, struct mm_error *err)
{
	const char *text = message_text(json, "error", NULL);
	json_int_t code = message_number(json, "code", MM_EXIT_ENVIRONMENT);

	if (!text)
		return 0;
	if (code < MM_EXIT_FAILED || code > MM_EXIT_ENVIRONMENT)
		code = MM_EXIT_ENVIRONMENT;
	return mm_error_set(err, (int)code, "%s", text);
}
