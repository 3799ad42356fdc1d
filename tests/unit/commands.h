/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Simulates a session daemon for commands of the recorder: the functions below replace the
 * functions of liblttng-ctl with the same names.
 */
#ifndef LTTNG_MM_TESTS_UNIT_COMMANDS_H
#define LTTNG_MM_TESTS_UNIT_COMMANDS_H

#include <fcntl.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "lttng-session/system/folder.h"
#include "tests/tap.h"

#define METADATA(context)                                                        \
	"/* CTF 1.8 */ typealias integer { size = 64; align = 8; } := uint64_t;" \
	"trace { major = 1; minor = 8; byte_order = le; };"                      \
	"stream { event.header := struct { uint64_t id; };" context " };"        \
	"event { name = \"slab_kfree\"; id = 0; fields := struct { uint64_t _callstack_kernel; }; };"

static char top[] = "/tmp/test-commands-XXXXXX";

/* The existing sessions, and the simulated daemon's behaviour for a snapshot. */
static const char *sessions[4];
static char destroyed[256], snapshot_path[PATH_MAX], snapshot_name[256];
static const char *stream_text, *snapshot_time = "20260102-030405-0", *metadata_text = METADATA("");
static off_t metadata_bytes; /* size to which the metadata file is extended; 0: unchanged */
/*
 * Faults of the daemon: it never returns from a snapshot, or it reports success but writes nothing.
 */
static bool daemon_hangs, daemon_lies;
static size_t stream_bytes; /* number of bytes to append to stream_text */
/* If set, the session has a tracker, and a channel with an event that has this filter. */
static const char *filter_text;
/* The limit of a command's address space, 0: no limit. */
static rlim_t memory_limit;
/* The root folder of a command; NULL: unchanged. */
static const char *new_root;

/* Number of requests to the daemon. */
static unsigned int calls;

int lttng_session_daemon_alive(void)
{
	calls++;
	return 1;
}

int lttng_list_sessions(struct lttng_session **list)
{
	int count = 0;

	calls++;
	*list = calloc(4, sizeof(**list));
	for (; count < 4 && sessions[count]; count++)
		snprintf((*list)[count].name, sizeof((*list)[count].name), "%s", sessions[count]);
	return count;
}

enum lttng_error_code lttng_session_get_creation_time(const struct lttng_session *session,
						      uint64_t *time)
{
	(void)session;
	*time = 0;
	return LTTNG_OK;
}

/* The last handle that a command created; it contains the session's name. */
static struct lttng_handle handle_of;

struct lttng_handle *lttng_create_handle(const char *session, struct lttng_domain *domain)
{
	(void)domain;
	calls++;
	snprintf(handle_of.session_name, sizeof(handle_of.session_name), "%s", session);
	return &handle_of;
}

void lttng_destroy_handle(struct lttng_handle *handle)
{
	(void)handle;
}

/* Sessions whose names end in "-state" have a state-dump event, and no other event. */
static inline bool dumps_state(const struct lttng_handle *handle)
{
	size_t length = strlen(handle->session_name);

	return length > 6 && length < 200 && !strcmp(handle->session_name + length - 6, "-state");
}

static inline bool exists(const char *session)
{
	for (int i = 0; i < 4 && sessions[i]; i++)
		if (!strcmp(sessions[i], session))
			return true;
	return false;
}

int lttng_list_channels(struct lttng_handle *handle, struct lttng_channel **channels)
{
	if (!exists(handle->session_name))
		return -LTTNG_ERR_SESS_NOT_FOUND;
	*channels = calloc(1, sizeof(**channels));
	if (!dumps_state(handle) && !filter_text)
		return 0;
	strcpy((*channels)->name, "ring");
	(*channels)->attr.subbuf_size = 1 << 20;
	(*channels)->attr.num_subbuf = 4;
	return 1;
}

int lttng_list_events(struct lttng_handle *handle, const char *channel, struct lttng_event **events)
{
	(void)channel;
	*events = calloc(3, sizeof(**events));
	if (dumps_state(handle)) {
		strcpy((*events)[0].name, "process_statedump_thread");
		(*events)[0].enabled = 1;
		return 1;
	}
	strcpy((*events)[0].name, "enabled");
	strcpy((*events)[1].name, "disabled");
	strcpy((*events)[2].name, "unfiltered");
	(*events)[0].enabled = (*events)[2].enabled = 1;
	return filter_text ? 3 : 0;
}

int lttng_event_get_filter_expression(struct lttng_event *event, const char **filter)
{
	*filter = strcmp(event->name, "unfiltered") ? filter_text : NULL;
	return 0;
}

int lttng_event_get_exclusion_name_count(struct lttng_event *event)
{
	(void)event;
	return 0;
}

/* Number of requests for the losses of a session. */
static unsigned int asked;

int lttng_channel_get_discarded_event_count(struct lttng_channel *channel, uint64_t *count)
{
	(void)channel;
	asked++;
	*count = 0;
	return 0;
}

int lttng_channel_get_lost_packet_count(struct lttng_channel *channel, uint64_t *count)
{
	(void)channel;
	*count = 0;
	return 0;
}

enum lttng_error_code
lttng_session_get_tracker_handle(const char *session, enum lttng_domain_type domain,
				 enum lttng_process_attr attribute,
				 struct lttng_process_attr_tracker_handle **handle)
{
	(void)domain;
	if (!exists(session))
		return LTTNG_ERR_SESS_NOT_FOUND;
	if (!filter_text || attribute != LTTNG_PROCESS_ATTR_VIRTUAL_USER_ID)
		return LTTNG_ERR_INVALID;
	*handle = malloc(1);
	return LTTNG_OK;
}

enum lttng_process_attr_tracker_handle_status lttng_process_attr_tracker_handle_get_tracking_policy(
	const struct lttng_process_attr_tracker_handle *handle, enum lttng_tracking_policy *policy)
{
	(void)handle;
	*policy = LTTNG_TRACKING_POLICY_INCLUDE_SET;
	return LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK;
}

enum lttng_process_attr_tracker_handle_status lttng_process_attr_tracker_handle_get_inclusion_set(
	struct lttng_process_attr_tracker_handle *handle,
	const struct lttng_process_attr_values **values)
{
	(void)handle;
	*values = NULL;
	return LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK;
}

enum lttng_process_attr_values_status
lttng_process_attr_values_get_count(const struct lttng_process_attr_values *values,
				    unsigned int *count)
{
	(void)values;
	*count = 1;
	return LTTNG_PROCESS_ATTR_VALUES_STATUS_OK;
}

enum lttng_process_attr_value_type
lttng_process_attr_values_get_type_at_index(const struct lttng_process_attr_values *values,
					    unsigned int index)
{
	(void)values;
	(void)index;
	return LTTNG_PROCESS_ATTR_VALUE_TYPE_UID;
}

enum lttng_process_attr_values_status
lttng_process_attr_values_get_uid_at_index(const struct lttng_process_attr_values *values,
					   unsigned int index, uid_t *uid)
{
	(void)values;
	(void)index;
	*uid = 1000;
	return LTTNG_PROCESS_ATTR_VALUES_STATUS_OK;
}

void lttng_process_attr_tracker_handle_destroy(struct lttng_process_attr_tracker_handle *handle)
{
	free(handle);
}

int lttng_stop_tracing(const char *session)
{
	(void)session;
	return 0;
}

int lttng_destroy_session(const char *session)
{
	for (int i = 0; i < 4 && sessions[i]; i++)
		if (!strcmp(sessions[i], session)) {
			snprintf(destroyed, sizeof(destroyed), "%s", session);
			return 0;
		}
	return -LTTNG_ERR_SESS_NOT_FOUND;
}

int lttng_regenerate_statedump(const char *session)
{
	(void)session;
	return 0;
}

struct lttng_snapshot_output *lttng_snapshot_output_create(void)
{
	return calloc(1, 1);
}

void lttng_snapshot_output_destroy(struct lttng_snapshot_output *output)
{
	free(output);
}

int lttng_snapshot_output_set_local_path(const char *path, struct lttng_snapshot_output *output)
{
	(void)output;
	snprintf(snapshot_path, sizeof(snapshot_path), "%s", path);
	return 0;
}

int lttng_snapshot_output_set_name(const char *name, struct lttng_snapshot_output *output)
{
	(void)output;
	snprintf(snapshot_name, sizeof(snapshot_name), "%s", name);
	return 0;
}

/* Writes PATH/NAME-TIME/kernel with metadata, a stream and index/, as the daemon does. */
int lttng_snapshot_record(const char *session, struct lttng_snapshot_output *output, int wait)
{
	const char *const files[][2] = { { "metadata", metadata_text },
					 { "index/lttng-mm_0.idx", "i" },
					 { "lttng-mm_0", NULL } };
	char path[2 * PATH_MAX];
	int failed = daemon_lies ? 0 : -LTTNG_ERR_SNAPSHOT_FAIL;

	(void)session;
	(void)output;
	(void)wait;
	snprintf(path, sizeof(path), "%s/%s-%s", snapshot_path, snapshot_name, snapshot_time);
	if (mkdir(path, 0770) || chdir(path) || mkdir("kernel", 0770) ||
	    mkdir("kernel/index", 0770) || chdir("kernel"))
		return -LTTNG_ERR_SNAPSHOT_FAIL;
	for (size_t i = 0; i < 3; i++) {
		FILE *file = fopen(files[i][0], "w");

		if (!file || fputs(files[i][1] ? files[i][1] : stream_text, file) < 0)
			failed = chdir(top) ? -1 : failed;
		for (size_t n = files[i][1] ? 0 : stream_bytes; file && n; n--)
			putc('x', file);
		if (!file || fclose(file))
			return chdir(top) ? -1 : failed;
	}
	while (daemon_hangs)
		pause();
	if (metadata_bytes && truncate("metadata", metadata_bytes))
		return -LTTNG_ERR_SNAPSHOT_FAIL;
	return chdir(top) ? -LTTNG_ERR_SNAPSHOT_FAIL : 0;
}

/* The output of a command, and its exit status. */
static char out[8192], err_out[8192];

/* Additional arguments of commands; ends with NULL. */
#define MORE_MAX 5
static const char *more_args[MORE_MAX + 1];
static const char *const by_lttng[] = { "--method=lttng", NULL };
static const char *const by_itself[] = { NULL };

static inline void add_arguments(const char *const *arguments)
{
	size_t i = 0;

	for (; arguments[i] && i < MORE_MAX; i++)
		more_args[i] = arguments[i];
	more_args[i] = NULL;
}

static inline void read_back(const char *name, char *text, size_t size)
{
	FILE *file = fopen(name, "r");
	size_t n = file ? fread(text, 1, size - 1, file) : 0;

	text[n] = '\0';
	if (file)
		fclose(file);
}

static inline pid_t start(int (*command)(int argc, char **argv), const char *first,
			  const char *second)
{
	char *argv[4 + MORE_MAX] = { "lttng-mm", (char *)first, (char *)second };
	int argc = first ? second ? 3 : 2 : 1, status;
	pid_t pid;

	for (int i = 0; second && more_args[i]; i++)
		argv[argc++] = (char *)more_args[i];

	fflush(stdout);
	pid = fork();
	if (!pid) {
		const struct rlimit limit = { memory_limit, memory_limit };

		if (new_root && chroot(new_root))
			_exit(99);
		if (memory_limit && setrlimit(RLIMIT_AS, &limit))
			_exit(99);
		if (!freopen("out", "w", stdout) || !freopen("err", "w", stderr))
			_exit(99);
		status = command(argc, argv);
		fflush(stdout);
		fflush(stderr);
		/* Do not clean up: the test's own files must not be removed twice. */
		_exit(status);
	}
	return pid;
}

static inline int run(int (*command)(int argc, char **argv), const char *first, const char *second)
{
	int status;

	waitpid(start(command, first, second), &status, 0);
	read_back("out", out, sizeof(out));
	read_back("err", err_out, sizeof(err_out));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Is the text free of control characters (except line ends) and of C1 controls in UTF-8? */
static inline bool is_clean(const char *text)
{
	for (const char *c = text; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f ||
		    (*c == '\xc2' && (unsigned char)c[1] < 0xa0))
			return false;
	return true;
}

static inline int count_entry(int parent, const char *name, void *user)
{
	(void)parent;
	(void)name;
	++*(int *)user;
	return 0;
}

/* Counts the entries of folder @path, including hidden ones. */
static inline int entries(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY), count = 0;

	if (fd < 0 || folder_each(fd, 0, count_entry, &count))
		count = -1;
	if (fd >= 0)
		close(fd);
	return count;
}

/* Prepares the test in the new folder @top, which becomes the working folder. */
static inline void commands_begin(void)
{
	if (!mkdtemp(top) || chmod(top, 0755) || chdir(top) || mkdir("snapshots", 0755))
		exit(2);
	umask(022);
	snapshot_now(&command_started);
}

/* Returns the exit status of the test. */
static inline int commands_end(void)
{
	tap(!folder_remove(AT_FDCWD, top), "all is removed");
	return tap_status();
}

#endif /* LTTNG_MM_TESTS_UNIT_COMMANDS_H */
