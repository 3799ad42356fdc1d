// SPDX-License-Identifier: LGPL-2.1-only
/* Requests to the recorder daemon. */
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
#include "lttng-session/snapshot/json.h"
#include "lttng-session/system/message.h"
#include "util/duration.h"

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

int request_send(const json_t *json, int fd, json_t **answer, struct mm_error *err)
{
	int socket = connect_daemon(), error;

	*answer = NULL;
	if (socket < 0)
		return is_absence(errno) ? 1 : fail(err, errno);
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
		json_object_set_new(json, key, sysinfo_string(text));
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
			 sysinfo_string(output), "folder", folder_json(folder), "requested",
			 snapshot_times_json(&snapshot->requested), "options", options);
}

int request_snapshot(const struct request_snapshot *request, json_t **answer, struct mm_error *err)
{
	char full[PATH_MAX];
	int folder, readable, ret = connect_daemon();
	json_t *json;

	*answer = NULL;
	if (ret < 0)
		return is_absence(errno) ? 1 : fail(err, errno);
	close(ret);
	if (access_check(request->snapshot.access, err))
		return -1;
	folder = output_open(request->snapshot.output, full, sizeof(full), err);
	if (folder < 0)
		return -1;
	/* It may have been opened as a place only. */
	readable = folder_open(folder, ".");
	close(folder);
	if (readable < 0)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "snapshot: %s: %s; choose another --output", full,
				    strerror(errno));
	json = to_json(request, full, readable);
	ret = json ? request_send(json, readable, answer, err)
		   : mm_error_set(err, MM_EXIT_ENVIRONMENT, "snapshot: out of memory");
	json_decref(json);
	close(readable);
	return ret;
}

static enum snapshot_method read_method(const json_t *options)
{
	json_int_t method = message_number(options, "method", SNAPSHOT_BEST);

	return method == SNAPSHOT_FREEZE || method == SNAPSHOT_LTTNG ? (enum snapshot_method)method
								     : SNAPSHOT_BEST;
}

/* What is not known is private. */
static enum snapshot_access read_access(const json_t *options)
{
	json_int_t access = message_number(options, "access", SNAPSHOT_ACCESS_DEFAULT);

	return access >= SNAPSHOT_ACCESS_DEFAULT && access <= SNAPSHOT_ACCESS_PUBLIC
		       ? (enum snapshot_access)access
		       : SNAPSHOT_ACCESS_PRIVATE;
}

/* A duration; what is not one was not given. */
static int64_t read_duration(const json_t *options, const char *name)
{
	json_int_t ns = message_number(options, name, SNAPSHOT_NOT_GIVEN);

	return ns < 0 || ns > MM_DURATION_MAX_NS ? SNAPSHOT_NOT_GIVEN : ns;
}

/* A request cannot be later than now; one that claims so is made now. */
static void read_times(const json_t *json, struct snapshot_times *times)
{
	const json_t *requested = json_object_get(json, "requested");
	struct snapshot_times now, read;

	snapshot_now(&now);
	read = (struct snapshot_times){
		.realtime_ns = message_number(requested, "realtime_ns", now.realtime_ns),
		.monotonic_ns = message_number(requested, "monotonic_ns", now.monotonic_ns),
		.boottime_ns = message_number(requested, "boottime_ns", now.boottime_ns),
	};
	*times = read.monotonic_ns < 0 || read.monotonic_ns > now.monotonic_ns ||
				 read.boottime_ns < 0 || read.boottime_ns > now.boottime_ns
			 ? now
			 : read;
}

void request_read(const json_t *json, struct request_snapshot *request)
{
	const json_t *options = json_object_get(json, "options");

	*request = (struct request_snapshot){
		.session = message_text(options, "session", NULL),
		.profile = message_text(options, "profile", NULL),
		.no_wait = json_is_true(json_object_get(options, "no_wait")),
		.snapshot = {
			.name = message_text(options, "name", "snapshot"),
			.reason = message_text(options, "reason", NULL),
			.method = read_method(options),
			.access = read_access(options),
			.last_ns = read_duration(options, "last_ns"),
			.after_ns = read_duration(options, "after_ns"),
			.pin = json_is_true(json_object_get(options, "pin")),
		},
	};
	read_times(json, &request->snapshot.requested);
}

int request_check(const json_t *json, struct mm_error *err)
{
	const char *name = message_text(json_object_get(json, "options"), "name", "snapshot");
	const char *output = message_text(json, "output", "");

	if (!snapshot_name_is_valid(name))
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "snapshot: '%s' cannot start the name of a folder", name);
	if (*output != '/' || strlen(output) >= PATH_MAX)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    "snapshot: '%s' is not the path of a folder", output);
	return 0;
}

static void add_note(json_t *notes, bool warning, const char *text)
{
	json_array_append_new(
		notes, json_pack("{s:b,s:o}", "warning", warning, "text", sysinfo_string(text)));
}

void request_add_notes(json_t *notes, const struct snapshot_notes *from)
{
	for (size_t i = 0; i < from->count; i++)
		add_note(notes, from->all[i].warning, from->all[i].text.message);
}
