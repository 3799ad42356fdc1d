// SPDX-License-Identifier: LGPL-2.1-only
/* Sends requests to the recorder daemon. */
#include "lttng-session/daemon/jobs/request.h"

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

/*
 * Time to wait for an answer before asking for the status, which shows whether the daemon still
 * responds.
 */
#define ANSWER_MS 2000
/* Pause between further requests for the status. A daemon that responds answers them at once. */
#define PING_MS 10000

static void set_timeout(int socket, int which, unsigned int ms)
{
	const struct timeval timeout = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000l };

	setsockopt(socket, SOL_SOCKET, which, &timeout, sizeof(timeout));
}

/* Connects within @timeout_ms (0: no limit). Returns the socket, or -1 with errno set. */
static int connect_within(unsigned int timeout_ms)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MESSAGE_SOCKET };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), error;

	if (fd >= 0 && timeout_ms) {
		set_timeout(fd, SO_SNDTIMEO, timeout_ms);
		set_timeout(fd, SO_RCVTIMEO, timeout_ms);
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
	return connect_within(PING_MS);
}

/* Does this error of connect() mean that no daemon is running, or that this user may not use it? */
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

/*
 * Does the daemon fail to answer a status request, or to accept a connection, in time? Returns
 * false if the daemon has ended, because connecting then fails at once.
 */
static bool is_silent(void)
{
	json_t *question = json_pack("{s:s}", "request", "status"), *answer = NULL;
	int socket = connect_daemon();
	bool silent = socket < 0 && errno == EAGAIN;

	if (socket >= 0) {
		if (!message_send(socket, question, -1))
			answer = message_receive(socket, NULL);
		silent = !answer && errno == EAGAIN;
		close(socket);
	}
	json_decref(answer);
	json_decref(question);
	return silent;
}

/* Like message_receive(). Returns NULL with ETIMEDOUT if the daemon no longer responds. */
static json_t *await_answer(int socket)
{
	for (unsigned int ms = ANSWER_MS;; ms = PING_MS) {
		json_t *answer;

		set_timeout(socket, SO_RCVTIMEO, ms);
		answer = message_receive(socket, NULL);
		if (answer || errno != EAGAIN)
			return answer;
		if (is_silent()) {
			errno = ETIMEDOUT;
			return NULL;
		}
	}
}

static int fail_silent(struct mm_error *err)
{
	return mm_error_set(
		err, MM_EXIT_ENVIRONMENT,
		"recorder daemon: the daemon runs, but does not answer; see `systemctl status lttng-mm`, and restart it: systemctl restart lttng-mm");
}

static int fail_connect(struct mm_error *err)
{
	return errno == EAGAIN ? fail_silent(err) : fail(err, errno);
}

/*
 * Sends @json, and @fd unless it is negative. Waits for the answer, and closes @socket. Returns 0,
 * or -1 with @err set. Sets *@unable if the client could succeed without the daemon: the daemon has
 * ended, does not answer for some seconds, or answers "unable".
 */
static int exchange(int socket, const json_t *json, int fd, json_t **answer, bool *unable,
		    struct mm_error *err)
{
	int error;

	if (!message_send(socket, json, fd))
		*answer = await_answer(socket);
	error = errno;
	close(socket);
	*unable = !*answer || json_is_true(json_object_get(*answer, "unable"));
	if (!*answer)
		return error == ETIMEDOUT ? fail_silent(err) : fail(err, error);
	if (!message_error(*answer, err))
		return 0;
	json_decref(*answer);
	*answer = NULL;
	return -1;
}

int request_send(const json_t *json, int fd, json_t **answer, struct mm_error *err)
{
	int socket = connect_daemon();
	bool unable;

	*answer = NULL;
	if (socket < 0)
		return is_absence(errno) ? 1 : fail_connect(err);
	return exchange(socket, json, fd, answer, &unable, err);
}

int request_end(bool only_ask)
{
	/* Limit the wait: a daemon that was stopped by a signal (SIGSTOP) never answers. */
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
	/* A daemon that is ending closes the connection without an answer. */
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

/*
 * Identifies the folder by device and inode, because its path may lead elsewhere in the daemon's
 * mount namespace.
 */
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
	return json_pack("{s:s,s:o,s:o,s:o,s:o,s:O*}", "request", "snapshot", "output",
			 mm_json_text(output), "folder", folder_json(folder), "requested",
			 snapshot_times_json(&snapshot->requested), "options", options, "cause",
			 snapshot->cause);
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
	/* output_open() may have used O_PATH, so open the folder again for reading. */
	readable = folder_open(folder, ".");
	close(folder);
	if (readable < 0)
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: %s: %s; choose another --output",
			     full, strerror(errno));
	return readable;
}

/* Replaces the daemon's path of the folder with @full, the folder's path in this process. */
static void show_own_path(json_t *answer, const char *full)
{
	const char *path = message_text(answer, "path", NULL);
	const char *name = path ? strrchr(path, '/') : NULL;
	char own[2 * PATH_MAX];

	if (!name)
		return;
	snprintf(own, sizeof(own), "%s%s", strcmp(full, "/") ? full : "", name);
	json_object_set_new(answer, "path", mm_json_text(own));
}

int request_snapshot(const struct request_snapshot *request, json_t **answer, struct mm_error *err)
{
	int folder, ret, socket = connect_daemon();
	char full[PATH_MAX];
	bool unable = false;
	json_t *json;

	*answer = NULL;
	if (socket < 0 && is_absence(errno))
		return 1;
	if (socket < 0) {
		fail_connect(err);
		return geteuid() ? -1 : 1;
	}
	folder = open_output(&request->snapshot, full, err);
	if (folder < 0) {
		close(socket);
		return -1;
	}
	json = to_json(request, full, folder);
	ret = json ? exchange(socket, json, folder, answer, &unable, err)
		   : mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	if (!json)
		close(socket);
	json_decref(json);
	close(folder);
	show_own_path(*answer, full);
	return unable && !geteuid() ? 1 : ret;
}
