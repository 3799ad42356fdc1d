// SPDX-License-Identifier: LGPL-2.1-only
/* Sends requests to the recorder daemon. */
#include "lttng-session/serve/request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lttng-session/system/folder.h"
#include "lttng-session/snapshot/output.h"
#include "lttng-session/system/message.h"
#include "util/json-file.h"

/* With a timeout unless it is 0. Returns the socket, or -1 with errno set. */
static int connect_within(unsigned int timeout_ms)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MESSAGE_SOCKET };
	const struct timeval timeout = { .tv_sec = timeout_ms / 1000,
					 .tv_usec = timeout_ms % 1000 * 1000 };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), error;

	if (fd >= 0 && timeout_ms) {
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	}
	if (fd < 0 || !connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int connect_daemon(void)
{
	return connect_within(0);
}

/* Is this what connecting returns if there is no daemon, or none for this user? */
static bool is_absence(int error)
{
	return error == ENOENT || error == ECONNREFUSED || error == EACCES;
}

static int fail(struct mm_error *err, int error)
{
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"recorder daemon: %s: %s; its messages are in the journal: journalctl -t lttng-mm",
		MESSAGE_SOCKET, strerror(error));
}

/* Sends @json, and @fd unless it is negative, and waits for the answer. Closes @socket. */
static int exchange(int socket, const json_t *json, int fd, json_t **answer, struct mm_error *err)
{
	int error;

	if (!message_send(socket, json, fd))
		*answer = message_receive(socket, NULL);
	error = errno;
	close(socket);
	if (!*answer)
		return fail(err, error);
	if (!message_error(*answer, err))
		return 0;
	json_decref(*answer);
	*answer = NULL;
	return -1;
}

int request_send(const json_t *json, int fd, json_t **answer, struct mm_error *err)
{
	int socket = connect_daemon();

	*answer = NULL;
	if (socket < 0)
		return is_absence(errno) ? 1 : fail(err, errno);
	return exchange(socket, json, fd, answer, err);
}

int request_end(bool only_ask)
{
	/* A daemon that is stopped does not answer. */
	const struct timeval patience = { .tv_sec = 5 };
	int socket = connect_daemon();
	json_t *json, *answer = NULL;
	bool ends;

	if (socket < 0)
		return is_absence(errno) ? 0 : -1;
	if (only_ask) {
		close(socket);
		return -1;
	}
	json = json_pack("{s:s}", "request", "end");
	setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!message_send(socket, json, -1))
		answer = message_receive(socket, NULL);
	/* One that is ending closes the connection without an answer. */
	ends = answer ? json_is_true(json_object_get(answer, "ends"))
		      : errno == ECONNRESET || errno == EPIPE;
	json_decref(answer);
	json_decref(json);
	close(socket);
	return ends ? 0 : -1;
}

int request_status(bool rates, unsigned int timeout_ms, json_t **answer, struct mm_error *err)
{
	int socket = connect_within(timeout_ms), error;
	json_t *json;

	*answer = NULL;
	if (socket < 0)
		return is_absence(errno) ? 1 : fail(err, errno);
	json = json_pack("{s:s,s:b}", "request", "status", "rates", (int)rates);
	if (!message_send(socket, json, -1))
		*answer = message_receive(socket, NULL);
	error = errno == EAGAIN ? ETIMEDOUT : errno;
	json_decref(json);
	close(socket);
	if (!*answer)
		return fail(err, error);
	if (!message_error(*answer, err))
		return 0;
	json_decref(*answer);
	*answer = NULL;
	return -1;
}

static void set_text(json_t *json, const char *key, const char *text)
{
	if (text)
		json_object_set_new(json, key, mm_json_text(text));
}

/* Requests with one path may mean several folders, in mount namespaces of their own. */
static json_t *folder_json(int folder)
{
	struct stat st;

	return fstat(folder, &st) ? json_null()
				  : json_pack("{s:I,s:I}", "device", (json_int_t)st.st_dev, "inode",
					      (json_int_t)st.st_ino);
}

static json_t *to_json(const struct request_snapshot *request, const char *output, int folder)
{
	const struct snapshot_request *snapshot = &request->snapshot;
	json_t *options =
		json_pack("{s:i,s:i,s:I,s:I,s:b,s:b}", "method", (int)snapshot->method, "access",
			  (int)snapshot->access, "last_ns", (json_int_t)snapshot->last_ns,
			  "after_ns", (json_int_t)snapshot->after_ns, "pin", (int)snapshot->pin,
			  "no_wait", (int)request->no_wait);

	set_text(options, "session", request->session);
	set_text(options, "profile", request->profile);
	set_text(options, "name", snapshot->name);
	set_text(options, "reason", snapshot->reason);
	return json_pack("{s:s,s:o,s:o,s:o,s:o}", "request", "snapshot", "output",
			 mm_json_text(output), "folder", folder_json(folder), "requested",
			 snapshot_times_json(&snapshot->requested), "options", options);
}

/* Opens the output folder with the rights of this process. Returns -1 with @err set. */
static int open_output(const struct snapshot_request *request, char full[PATH_MAX],
		       struct mm_error *err)
{
	int folder, readable;

	if (access_check(request->access, err))
		return -1;
	folder = output_open(request->output, full, PATH_MAX, err);
	if (folder < 0)
		return -1;
	/* It may have been opened as a place only. */
	readable = folder_open(folder, ".");
	close(folder);
	if (readable < 0)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s; choose another --output",
			     full, strerror(errno));
	return readable;
}

int request_snapshot(const struct request_snapshot *request, json_t **answer, struct mm_error *err)
{
	int folder, ret, socket = connect_daemon();
	char full[PATH_MAX];
	json_t *json;

	*answer = NULL;
	if (socket < 0)
		return is_absence(errno) ? 1 : fail(err, errno);
	folder = open_output(&request->snapshot, full, err);
	if (folder < 0) {
		close(socket);
		return -1;
	}
	json = to_json(request, full, folder);
	ret = json ? exchange(socket, json, folder, answer, err)
		   : mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	if (!json)
		close(socket);
	json_decref(json);
	close(folder);
	return ret;
}
