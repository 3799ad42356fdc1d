// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Commands of the recorder with a session daemon that this file simulates: names of sessions that
 * another user chose, and what a snapshot leaves behind. Functions that are defined here replace
 * those of liblttng-ctl.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <lttng/lttng.h>
#include <jansson.h>
#include <libgen.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/recorder/recorder.h"
#include "tests/tap.h"

#define NOBODY 65534
#define SHARED_ROUNDS 30
#define EVIL "lttng-mm-\033[2J;reboot #\xc2\x9b\n"

#define METADATA(context)                                                        \
	"/* CTF 1.8 */ typealias integer { size = 64; align = 8; } := uint64_t;" \
	"trace { major = 1; minor = 8; byte_order = le; };"                      \
	"stream { event.header := struct { uint64_t id; };" context " };"        \
	"event { name = \"one\"; id = 0; fields := struct { uint64_t _callstack_kernel; }; };"

static char top[] = "/tmp/test-commands-XXXXXX";

/* The existing sessions, and what the daemon does to a snapshot. */
static const char *sessions[4];
static char destroyed[256], snapshot_path[PATH_MAX], snapshot_name[256];
static const char *stream_text, *snapshot_time = "20260102-030405-0", *metadata_text = METADATA("");
static off_t metadata_bytes; /* 0: few */
/* The daemon never returns from a snapshot, or reports success although it could not write. */
static bool daemon_hangs, daemon_lies;
static size_t stream_bytes; /* 0: those of stream_text */
/* The session has a channel with this event's filter, and a tracker. */
static const char *filter_text;
/* The limit of a command's address space, 0: no limit. */
static rlim_t memory_limit;
/* Its root folder; NULL: as ours. */
static const char *new_root;

int lttng_session_daemon_alive(void)
{
	return 1;
}

int lttng_list_sessions(struct lttng_session **list)
{
	int count = 0;

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

/* The session that a handle is of. */
static struct lttng_handle handle_of;

struct lttng_handle *lttng_create_handle(const char *session, struct lttng_domain *domain)
{
	(void)domain;
	snprintf(handle_of.session_name, sizeof(handle_of.session_name), "%s", session);
	return &handle_of;
}

void lttng_destroy_handle(struct lttng_handle *handle)
{
	(void)handle;
}

/* Sessions whose names end so have the event of a state dump, and no other. */
static bool dumps_state(const struct lttng_handle *handle)
{
	size_t length = strlen(handle->session_name);

	return length > 6 && length < 200 && !strcmp(handle->session_name + length - 6, "-state");
}

static bool exists(const char *session)
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
		strcpy((*events)[0].name, "lttng_statedump_process_state");
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

/* How often the daemon was asked for what a session lost. */
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

/* As the daemon: PATH/NAME-TIME-0/kernel with metadata, a stream and index/. */
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

/* More arguments of commands; ends with NULL. */
#define MORE_MAX 5
static const char *more_args[MORE_MAX + 1];
static const char *const by_lttng[] = { "--method=lttng", NULL };
static const char *const by_itself[] = { NULL };

static void add_arguments(const char *const *arguments)
{
	size_t i = 0;

	for (; arguments[i] && i < MORE_MAX; i++)
		more_args[i] = arguments[i];
	more_args[i] = NULL;
}

static void read_back(const char *name, char *text, size_t size)
{
	FILE *file = fopen(name, "r");
	size_t n = file ? fread(text, 1, size - 1, file) : 0;

	text[n] = '\0';
	if (file)
		fclose(file);
}

static pid_t start(int (*command)(int argc, char **argv), const char *first, const char *second)
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
		/* The test's own files must not be removed twice. */
		_exit(status);
	}
	return pid;
}

static int run(int (*command)(int argc, char **argv), const char *first, const char *second)
{
	int status;

	waitpid(start(command, first, second), &status, 0);
	read_back("out", out, sizeof(out));
	read_back("err", err_out, sizeof(err_out));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* No control character except line ends, and no C1 control in UTF-8. */
static bool is_clean(const char *text)
{
	for (const char *c = text; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f ||
		    (*c == '\xc2' && (unsigned char)c[1] < 0xa0))
			return false;
	return true;
}

/* Are all lines with a command (`-> ...`) without @word? */
static bool commands_lack(const char *text, const char *word)
{
	for (const char *c = text; (c = strstr(c, "-> ")); c++) {
		size_t length = strcspn(c, "\n");
		char *line = strndup(c, length);
		bool found = strstr(line, word);

		free(line);
		if (found)
			return false;
	}
	return true;
}

static const struct {
	const char *name, *session;
	bool finds_note;
} names[] = {
	{ "controls and a command", EVIL, false },
	{ "a state dump without its recorder", EVIL "-state", true },
	{ "a plain name", "lttng-mm-harmless-state", true },
};

static void test_names(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i].name;
		int status;

		sessions[0] = names[i].session;
		status = run(cmd_status, NULL, NULL);
		tap(!status && is_clean(out) &&
			    strstr(out, names[i].finds_note ? ": state dump for dax, "
							    : ": profile ?, "),
		    "status: %s", name);
		status = run(cmd_status, "--json", NULL);
		tap(!status && is_clean(out) && strstr(out, "lttng-mm-"), "status --json: %s",
		    name);
		run(cmd_doctor, NULL, NULL);
		tap(is_clean(out) && commands_lack(out, "reboot") &&
			    commands_lack(out, "harmless") &&
			    !strstr(out, "dumps state for a recorder") == !names[i].finds_note,
		    "doctor: %s", name);
		run(cmd_doctor, "--json", NULL);
		tap(is_clean(out) && strstr(out, "\"recorders\"") &&
			    !strstr(out, "dumps state for a recorder") == !names[i].finds_note,
		    "doctor --json: %s", name);
		status = run(cmd_snapshot, "--output", top);
		tap(status == 4 && !*out && is_clean(err_out), "snapshot: %s", name);
		status = run(cmd_stop, NULL, NULL);
		tap(!status && is_clean(out) && !strncmp(out, "stopped lttng-mm-", 17), "stop: %s",
		    name);
		tap(is_clean(err_out), "... and nothing else");
	}
}

/* LTTng's names have up to 254 bytes: none may be confused with another one. */
static void test_long_names(void)
{
	char one[255], other[255];
	struct recorder_status *list = NULL;
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_stopped stopped;
	struct recorder_session *found = NULL;

	memset(one, 'x', sizeof(one));
	memcpy(one, "lttng-mm-", 9);
	one[254] = '\0';
	memcpy(other, one, sizeof(one));
	strcpy(other + 240, "-state");
	sessions[0] = one;
	sessions[1] = other;
	tap(recorder_list(&list, NULL, &err) == 2 && !strcmp(list[0].session, one),
	    "long names are whole");
	free(list);
	tap(recorder_sessions(one, &found, &err) == 1 && !strcmp(found[0].name, one) &&
		    !found[0].dumps,
	    "no state dump is another's");
	free(found);
	recorder_stop(one, &stopped, &err);
	tap(!err.code && !strcmp(destroyed, one), "one session is destroyed");
	sessions[1] = NULL;
}

/* A snapshot looks up its sessions twice, after the time of the request: without their details. */
static void test_details(void)
{
	struct recorder_status *list = NULL;
	struct recorder_session *found = NULL;
	struct mm_error err = MM_ERROR_INIT;
	char name[RECORDER_NAME_MAX];

	sessions[0] = "lttng-mm-slab";
	sessions[1] = "lttng-mm-slab-state";
	asked = 0;
	tap(!recorder_find(NULL, NULL, name, sizeof(name), &err) && !strcmp(name, sessions[0]) &&
		    recorder_sessions(name, &found, &err) > 0 && !asked,
	    "looking up sessions does not ask for details");
	tap(recorder_list(&list, NULL, &err) == 2 && list[1].subbuf_count == 4 && asked == 1,
	    "listing them does");
	free(found);
	free(list);
	sessions[1] = NULL;
}

static int count_entry(int parent, const char *name, void *user)
{
	(void)parent;
	(void)name;
	++*(int *)user;
	return 0;
}

/* Entries of folder @path, hidden ones too. */
static int entries(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY), count = 0;

	if (fd < 0 || folder_each(fd, 0, count_entry, &count))
		count = -1;
	if (fd >= 0)
		close(fd);
	return count;
}

static void test_snapshot(void)
{
	char path[2 * PATH_MAX];
	struct stat json, pin;
	int status;

	sessions[0] = "lttng-mm-slab";
	stream_text = "events";
	status = run(cmd_snapshot, "--output", "snapshots");
	snprintf(path, sizeof(path), "%s/snapshots/snapshot-20260102-030405-0\n", top);
	tap(!status && !strcmp(out, path) && !*err_out, "snapshot: the path is printed");
	path[strlen(path) - 1] = '\0';
	tap(entries("snapshots") == 1 && entries(path) == 3 && chdir(path) == 0 &&
		    entries("kernel") == 3 && entries("sysinfo") >= 8,
	    "snapshot: the trace and the system information are there, and nothing else");
	if (chdir(top))
		exit(2);
	status = run(cmd_snapshot, "--output", "snapshots");
	tap(!status && !strncmp(out, path, strlen(path)) && strlen(out) == strlen(path) + 8 &&
		    entries("snapshots") == 2,
	    "snapshot: an existing one is not replaced");
	add_arguments((const char *const[]){ "--method=lttng", "--pin", NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	snprintf(path, sizeof(path), "%.*s/snapshot.json", (int)strcspn(out, "\n"), out);
	tap(!status && !stat(path, &json) && !stat(strcat(dirname(path), "/pin"), &pin) &&
		    !pin.st_size && pin.st_mode == json.st_mode && pin.st_gid == json.st_gid,
	    "snapshot --pin: it has the file pin, with the mode of the others");
	if (folder_remove(AT_FDCWD, dirname(path)))
		exit(2);
	add_arguments(by_lttng);
	stream_text = "";
	status = run(cmd_snapshot, "--output", "snapshots");
	tap(status == 4 && strstr(err_out, "no events have been recorded yet") &&
		    entries("snapshots") == 2,
	    "snapshot: of nothing, no file remains");
	stream_text = "events";
}

/* The member @key, with members of members as `a.b`, of the snapshot.json of the last snapshot. */
static json_t *snapshot_member(json_t **json, const char *key)
{
	char path[sizeof(out) + 32], part[64];
	json_t *member;

	if (!*json) {
		snprintf(path, sizeof(path), "%.*s/snapshot.json", (int)strcspn(out, "\n"), out);
		*json = json_load_file(path, 0, NULL);
	}
	member = *json;
	while (*key) {
		snprintf(part, sizeof(part), "%.*s", (int)strcspn(key, "."), key);
		key += strlen(part) + (key[strlen(part)] == '.');
		member = json_object_get(member, part);
	}
	return member;
}

static bool is_text(const json_t *json, const char *text)
{
	return json_string_value(json) && !strcmp(json_string_value(json), text);
}

static void test_json(void)
{
	static const char *const options[] = { "--method=lttng", "--reason",
					       "slow \"request\"\n\033[2J\xff", "--last=10s",
					       "--after=1ns" };
	json_t *json = NULL, *filter;
	int status;

	filter_text = "ino > 0 && comm == \"\xfe\"";
	add_arguments((const char *const[]){ options[0], options[1], options[2], options[3],
					     options[4], NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	filter_text = NULL;
	tap(!status && json_integer_value(snapshot_member(&json, "version")) == 1,
	    "snapshot.json: it is there, of version 1");
	tap(is_text(snapshot_member(&json, "reason"), "slow \"request\"\n\033[2J\xef\xbf\xbd"),
	    "snapshot.json: a reason of any bytes");
	tap(is_text(snapshot_member(&json, "cause.kind"), "request") &&
		    is_text(snapshot_member(&json, "method"), "lttng") &&
		    json_is_null(snapshot_member(&json, "frozen")),
	    "snapshot.json: cause and method");
	tap(json_integer_value(snapshot_member(&json, "requested.realtime_ns")) > 0 &&
		    json_integer_value(snapshot_member(&json, "requested.monotonic_ns")) > 0 &&
		    json_integer_value(snapshot_member(&json, "requested.boottime_ns")) > 0,
	    "snapshot.json: the time of the request by three clocks");
	tap(json_integer_value(snapshot_member(&json, "last_ns")) == 10000000000 &&
		    json_integer_value(snapshot_member(&json, "after_ns")) == 1,
	    "snapshot.json: --last and --after");
	filter = json_array_get(snapshot_member(&json, "filters"), 0);
	tap(json_array_size(snapshot_member(&json, "filters")) == 2 &&
		    is_text(json_object_get(filter, "session"), "lttng-mm-slab") &&
		    is_text(json_object_get(filter, "channel"), "ring") &&
		    is_text(json_object_get(filter, "event"), "enabled") &&
		    is_text(json_object_get(filter, "filter"),
			    "ino > 0 && comm == \"\xef\xbf\xbd\""),
	    "snapshot.json: the filters of events that are enabled");
	filter = json_array_get(snapshot_member(&json, "filters"), 1);
	tap(json_object_size(filter) == 2 && is_text(json_object_get(filter, "tracker"), "vuid") &&
		    is_text(json_object_get(filter, "session"), "lttng-mm-slab"),
	    "snapshot.json: ... and trackers");
	json_decref(json);
	json = NULL;
	add_arguments(by_lttng);
	run(cmd_snapshot, "--output", "snapshots");
	tap(json_is_null(snapshot_member(&json, "reason")) &&
		    json_is_null(snapshot_member(&json, "last_ns")) &&
		    json_is_null(snapshot_member(&json, "after_ns")) &&
		    json_is_null(snapshot_member(&json, "requested_trace_ns")) &&
		    json_array_size(snapshot_member(&json, "filters")) == 0,
	    "snapshot.json: what is not given or known is null");
	json_decref(json);
}

#define PLANNED(name)                                                                         \
	"{\"name\":\"" name "\",\"role\":\"events\",\"profiles\":[\"" name "\"],\"since\":0," \
	"\"callstack\":false,\"kaslr_safe\":true,\"channels\":[{\"name\":\"ring\","           \
	"\"subbuf_bytes\":4096,\"subbuf_count\":4,\"events\":[],\"contexts\":[]}]}"

static const struct {
	const char *name, *sessions[2], *filter, *mark;
	const char *plan; /* NULL: none */
} selection_cases[] = {
	{ "a session", { "lttng-mm-slab" }, NULL, "\"selection\": \"all\"", NULL },
	{ "a session with a filter",
	  { "lttng-mm-slab" },
	  "ino > 0",
	  "\"selection\": \"part\"",
	  NULL },
	{ "a recorder of two sessions",
	  { "one", "two" },
	  NULL,
	  "\"selection\": \"all\"",
	  PLANNED("one") "," PLANNED("two") },
	{ "a recorder of two sessions with filters",
	  { "one", "two" },
	  "ino > 0",
	  "\"selection\": \"part\"",
	  PLANNED("one") "," PLANNED("two") },
};

static void write_plan(const char *planned)
{
	FILE *file = fopen("machine/run/lttng-mm/recorder.json", "w");

	if (!file ||
	    fprintf(file,
		    "{\"version\":1,\"boot_id\":\"\",\"recorders\":"
		    "[{\"name\":\"lttng-mm\",\"budget_bytes\":null,\"sessions\":[%s]}]}",
		    planned) < 0 ||
	    fclose(file) || setenv("LTTNG_MM_ROOT", "machine", 1))
		exit(2);
}

/* Does system.json say whether the sessions record all events? */
static void test_selection(void)
{
	if (mkdir("machine", 0755) || mkdir("machine/run", 0755) ||
	    mkdir("machine/run/lttng-mm", 0755))
		exit(2);
	for (size_t i = 0; i < sizeof(selection_cases) / sizeof(selection_cases[0]); i++) {
		char path[sizeof(out) + 32], system[8192];
		int status;

		sessions[0] = selection_cases[i].sessions[0];
		sessions[1] = selection_cases[i].sessions[1];
		filter_text = selection_cases[i].filter;
		if (selection_cases[i].plan)
			write_plan(selection_cases[i].plan);
		status = run(cmd_snapshot, "--output", "snapshots");
		unsetenv("LTTNG_MM_ROOT");
		snprintf(path, sizeof(path), "%.*s/sysinfo/system.json", (int)strcspn(out, "\n"),
			 out);
		read_back(path, system, sizeof(system));
		tap(!status && strstr(system, selection_cases[i].mark), "%s: system.json has %s",
		    selection_cases[i].name, selection_cases[i].mark);
	}
	filter_text = NULL;
	sessions[0] = "lttng-mm-slab";
	sessions[1] = NULL;
	if (folder_remove(AT_FDCWD, "machine"))
		exit(2);
}

/* Without the module, and with the options that need it. */
static void test_methods(void)
{
	int count = entries("snapshots"), status;

	add_arguments(by_itself);
	status = run(cmd_snapshot, "--output", "snapshots");
	tap(!status && !strncmp(out, top, strlen(top)) && strchr(err_out, '\n')[1] == '\0' &&
		    !strncmp(err_out,
			     "lttng-mm: note: snapshot: lttng-mm-slab: not frozen: ", 53) &&
		    strstr(err_out, "uses up a sub-buffer"),
	    "without the module: one note, which says why: %.*s", (int)strcspn(err_out, "\n"),
	    err_out);
	add_arguments((const char *const[]){ "--method=freeze", NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	tap(status == 4 && !*out && strstr(err_out, "--method=freeze: lttng-mm-slab: ") &&
		    strstr(err_out, "omit the option") && entries("snapshots") == count + 1,
	    "... --method=freeze fails, and nothing is left");
	add_arguments((const char *const[]){ "--method=lttng", "--no-wait", NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	out[strcspn(out, "\n")] = '\0';
	tap(!status && !access(out, F_OK) && strstr(err_out, "--no-wait: only frozen buffers"),
	    "... --no-wait waits, and says so");
	add_arguments((const char *const[]){ "--method=lttng", "--require-complete", NULL });
	status = run(cmd_snapshot, "--output", "snapshots");
	out[strcspn(out, "\n")] = '\0';
	tap(status == 3 && !access(out, F_OK) && strstr(err_out, "--require-complete: "),
	    "--require-complete: the snapshot is there, and the status 3");
	add_arguments(by_lttng);
}

/* Waits until @pid waits for a signal. */
static bool waits(pid_t pid)
{
	for (int tries = 0; tries < 10000; tries++) {
		long number = -1;
		char path[64];
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
		file = fopen(path, "r");
		if (file && fscanf(file, "%ld", &number) != 1)
			number = -1;
		if (file)
			fclose(file);
		if (number == SYS_rt_sigtimedwait)
			return true;
		usleep(1000);
	}
	return false;
}

/* Waits until the stream of a snapshot is there. */
static bool is_writing(const char *folder)
{
	for (int tries = 0; tries < 10000; tries++) {
		char found[64];
		FILE *find;

		snprintf(found, sizeof(found), "find %s -name 'lttng-mm_0' | grep -c .", folder);
		find = popen(found, "r");
		if (!find || !fgets(found, sizeof(found), find))
			found[0] = '0';
		if (find)
			pclose(find);
		if (found[0] == '1')
			return true;
		usleep(1000);
	}
	return false;
}

static int count_hidden(int parent, const char *name, void *user)
{
	(void)parent;
	*(int *)user += !strncmp(name, ".lttng-mm-", 10);
	return 0;
}

static void test_killed(void)
{
	int status, hidden = 0, fd;
	pid_t pid;

	if (mkdir("killed", 0755))
		exit(2);
	daemon_hangs = true;
	pid = start(cmd_snapshot, "--output", "killed");
	tap(is_writing("killed"), "killed: a snapshot is being written");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	daemon_hangs = false;
	fd = open("killed", O_RDONLY | O_DIRECTORY);
	folder_each(fd, 0, count_hidden, &hidden);
	close(fd);
	tap(hidden == 1 && entries("killed") == 1, "killed: only a hidden folder is left");
	status = run(cmd_snapshot, "--output", "killed");
	tap(!status && entries("killed") == 1 && strstr(err_out, "removed 1 unfinished"),
	    "killed: the next snapshot removes it: %.*s", (int)strcspn(err_out, "\n"), err_out);
	add_arguments((const char *const[]){ "--method=lttng", "--after=1h", NULL });
	pid = start(cmd_snapshot, "--output", "killed");
	tap(waits(pid), "interrupted: a snapshot waits");
	kill(pid, SIGINT);
	waitpid(pid, &status, 0);
	read_back("out", out, sizeof(out));
	tap(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT && !*out && entries("killed") == 1,
	    "interrupted: it ends by the signal, and leaves nothing");
	add_arguments(by_lttng);
}

static const struct {
	const char *name, *options, *says;
	size_t bytes;
	bool lies;
} full_cases[] = {
	{ "the session daemon fails", "size=256k", "the session daemon could not write all",
	  1 << 20, false },
	{ "it reports success", "size=256k", "the session daemon could not write all", 1 << 20,
	  true },
	{ "no room for any folder", "size=256k,nr_inodes=1", "No space left on device", 1000,
	  false },
	{ "no room for the rest", "size=256k,nr_inodes=10", "No space left on device", 1000,
	  false },
};

static void test_full(void)
{
	if (mkdir("full", 0755))
		exit(2);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		tap_skip("a full disk", "this user cannot mount one");
		return;
	}
	filter_text = "ino > 0";
	for (size_t i = 0; i < sizeof(full_cases) / sizeof(full_cases[0]); i++) {
		char needs[64];
		int status;

		snprintf(needs, sizeof(needs), "need up to %ld bytes",
			 (4l << 20) * sysconf(_SC_NPROCESSORS_CONF));
		if (mount("none", "full", "tmpfs", 0, full_cases[i].options))
			exit(2);
		stream_bytes = full_cases[i].bytes;
		daemon_lies = full_cases[i].lies;
		/* What it could not write, either. */
		metadata_text = daemon_lies ? "meta" : METADATA("");
		status = run(cmd_snapshot, "--output", "full");
		tap(status == 4 && !*out && strstr(err_out, full_cases[i].says) &&
			    strstr(err_out, "/full: ") && strstr(err_out, needs) &&
			    strstr(err_out, "bytes are free; make room") &&
			    strchr(err_out, '\n')[1] == '\0',
		    "full: %s: %.*s", full_cases[i].name, (int)strcspn(err_out, "\n"), err_out);
		tap(!entries("full"), "... and nothing is left");
		if (umount("full"))
			exit(2);
	}
	stream_bytes = 0;
	daemon_lies = false;
	metadata_text = METADATA("");
	filter_text = NULL;
}

/* The call stacks of the traces, and the files, messages and marks of the snapshot. */
static const struct {
	const char *name, *metadata, *mark;
	bool addresses;
} kaslr_cases[] = {
	{ "a field of that name is not a context", METADATA(""), "\"kaslr_safe\": true", false },
	{ "call stacks, whoever requested them",
	  METADATA(
		  "event.context := struct { uint64_t __callstack_kernel_length; uint64_t _callstack_kernel[__callstack_kernel_length]; };"),
	  "\"kaslr_safe\": false", true },
	{ "metadata that cannot be read", "meta", "\"kaslr_safe\": null", false },
};

static void test_kaslr(void)
{
	char path[2 * PATH_MAX], system[8192];

	for (size_t i = 0; i < sizeof(kaslr_cases) / sizeof(kaslr_cases[0]); i++) {
		bool addresses = kaslr_cases[i].addresses;
		int status;

		snapshot_time = "20260102-030405-2";
		metadata_text = kaslr_cases[i].metadata;
		status = run(cmd_snapshot, "--output", "snapshots");
		snprintf(path, sizeof(path), "snapshots/snapshot-%s", snapshot_time);
		tap(!status &&
			    !strstr(err_out, "note: the snapshot is not KASLR-safe") == !addresses,
		    "KASLR: %s: the command reports it", kaslr_cases[i].name);
		if (chdir(path))
			exit(2);
		read_back("sysinfo/system.json", system, sizeof(system));
		tap(strstr(system, kaslr_cases[i].mark), "... the system information is marked");
		tap(!access("sysinfo/addresses.json", F_OK) == addresses,
		    "... and has addresses only then");
		if (chdir(top) || folder_remove(AT_FDCWD, path))
			exit(2);
	}
	metadata_text = METADATA("");
	snapshot_time = "20260102-030405-0";
}

/* There is no memory for the metadata: the list of the traces cannot be made. */
static void test_no_memory(void)
{
	char path[PATH_MAX], warning[3 * PATH_MAX], *end;
	int status;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	tap_skip("a snapshot without memory", "a sanitizer reserves all addresses");
	return;
#endif
	snapshot_time = "20260102-030405-1";
	metadata_bytes = 200 << 20;
	memory_limit = 160 << 20;
	status = run(cmd_snapshot, "--output", "snapshots");
	metadata_bytes = 0;
	memory_limit = 0;
	snprintf(path, sizeof(path), "%s/snapshots/snapshot-%s", top, snapshot_time);
	snapshot_time = "20260102-030405-0";
	snprintf(
		warning, sizeof(warning),
		"lttng-mm: warning: snapshot: %s: sysinfo/traces.json is missing: trace: %s/kernel/metadata: out of memory",
		path, path);
	tap(!status && !strncmp(out, path, strlen(path)) && out[strlen(path)] == '\n',
	    "without memory for a part, the snapshot is kept");
	end = strchr(err_out, '\n');
	tap(strstr(err_out,
		   "has no certificate: trace: kernel/metadata: out of memory for the metadata") &&
		    end && !strncmp(end + 1, warning, strlen(warning)) &&
		    strchr(end + 1, '\n')[1] == '\0',
	    "... and one warning each names what is missing, and why: %s", err_out);
	tap(chdir(path) == 0 && entries("kernel") == 3 && !access("sysinfo/system.json", F_OK) &&
		    access("sysinfo/traces.json", F_OK),
	    "... the rest is there");
	if (chdir(top) || folder_remove(AT_FDCWD, path))
		exit(2);
}

static void test_root(void)
{
	char path[2 * sizeof(top)];
	int status;

	if (geteuid()) {
		tap_skip("a snapshot to the root folder", "only root can have another one");
		return;
	}
	/* The daemon of this file returns to the folder by its name. */
	snprintf(path, sizeof(path), "%s%s", top, top);
	if (mkdir("tmp", 0755) || mkdir(path, 0755))
		exit(2);
	new_root = top;
	status = run(cmd_snapshot, "--output", "/");
	new_root = NULL;
	tap(!status && !strcmp(out, "/snapshot-20260102-030405-0\n") &&
		    entries("snapshot-20260102-030405-0") == 3,
	    "a snapshot to the root folder: its path has one slash: %.*s", (int)strcspn(out, "\n"),
	    out);
	folder_remove(AT_FDCWD, "snapshot-20260102-030405-0");
	folder_remove(AT_FDCWD, "tmp");
}

static void test_refused(void)
{
	int status;

	if (geteuid()) {
		tap_skip("folders of others", "only root can make them");
		return;
	}
	if (mkdir("others", 0755) || chown("others", NOBODY, NOBODY))
		exit(2);
	status = run(cmd_snapshot, "--output", "others/new");
	tap(status == 4 && strstr(err_out, "belongs to user 65534") &&
		    strstr(err_out, "choose an --output"),
	    "snapshot: root refuses another user's folder");
	tap(!*out && !entries("others"), "... and makes nothing there");
}

/* The other user: replaces whatever it can in the folder `shared` by links to @victim. */
static void replace(const char *victim, volatile unsigned int *tries)
{
	int fd = open("shared", O_RDONLY | O_DIRECTORY);
	char name[64];

	if (fd < 0 || setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		_exit(2);
	for (unsigned int i = 0;; i++) {
		DIR *dir = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY));
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			snprintf(name, sizeof(name), "was-%u", i);
			if (entry->d_name[0] == 'w' || !strcmp(entry->d_name, ".") ||
			    !strcmp(entry->d_name, ".."))
				continue;
			++*tries;
			if (!renameat(fd, entry->d_name, fd, name) || errno == ENOENT)
				symlinkat(victim, fd, entry->d_name);
		}
		if (dir)
			closedir(dir);
	}
}

/* In a folder where everyone may write, with the sticky bit set, as /tmp. */
static void test_shared(void)
{
	volatile unsigned int *tries = mmap(NULL, sizeof(*tries), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char victim[64], secret[64], time[32];
	int complete = 0, failed = 0;
	struct stat st;
	FILE *file;
	pid_t pid;

	if (geteuid()) {
		tap_skip("a shared folder", "only root can become another user");
		return;
	}
	snprintf(victim, sizeof(victim), "%s/victim", top);
	if (mkdir(victim, 0700) || mkdir("shared", 0755) || chmod("shared", 01777) ||
	    !(file = fopen("victim/system.json", "w")) || fputs("secret", file) < 0 ||
	    fclose(file) || tries == MAP_FAILED || (pid = fork()) < 0)
		exit(2);
	if (!pid)
		replace(victim, tries);
	for (int i = 0; i < SHARED_ROUNDS; i++) {
		char path[256];

		snprintf(time, sizeof(time), "20260102-030405-%d", i);
		snapshot_time = time;
		if (run(cmd_snapshot, "--output", "shared")) {
			failed++;
			continue;
		}
		snprintf(path, sizeof(path), "shared/snapshot-%s/sysinfo/system.json", time);
		complete += !lstat(path, &st) && S_ISREG(st.st_mode) && st.st_size > 100;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	read_back("victim/system.json", secret, sizeof(secret));
	printf("# %d complete, %d failed, %u tries\n", complete, failed, *tries);
	tap(*tries >= SHARED_ROUNDS && complete == SHARED_ROUNDS,
	    "shared: another user cannot replace a snapshot, or a part of it");
	tap(!strcmp(secret, "secret") && entries("victim") == 1,
	    "shared: nothing is written where its links lead");
	snapshot_time = "20260102-030405-0";
}

/* Nested folders until the path has @length bytes; the caller changes back. */
static void make_long(size_t length)
{
	char cwd[PATH_MAX], name[NAME_MAX + 1];

	for (;;) {
		size_t now = getcwd(cwd, sizeof(cwd)) ? strlen(cwd) : length;
		size_t more = length - now - 1;

		if (now >= length)
			return;
		/* The last one must have a name, too. */
		more = more > 200 ? more < 210 ? 100 : 200 : more;
		memset(name, 'd', more);
		name[more] = '\0';
		if (mkdir(name, 0755) || chdir(name))
			exit(2);
	}
}

static void test_long_paths(void)
{
	static const struct {
		size_t length;
		int status;
	} cases[] = { { 1000, 0 }, { 3800, 0 }, { 3960, 4 }, { 4000, 4 }, { 4095, 4 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char cwd[PATH_MAX], folder[32];
		int status;

		snprintf(folder, sizeof(folder), "long-%zu", cases[i].length);
		if (mkdir(folder, 0755) || chdir(folder))
			exit(2);
		make_long(cases[i].length);
		if (!getcwd(cwd, sizeof(cwd)) || strlen(cwd) != cases[i].length || chdir(top))
			exit(2);
		status = run(cmd_snapshot, "--output", cwd);
		tap(status == cases[i].status && (status || strlen(out) > cases[i].length),
		    "snapshot: a path of %zu bytes", cases[i].length);
		if (status)
			tap(strstr(err_out, "choose an --output of at most"),
			    "... is refused by name: %s", strtok(err_out, "\n"));
	}
}

int main(void)
{
	if (!mkdtemp(top) || chmod(top, 0755) || chdir(top) || mkdir("snapshots", 0755))
		return 2;
	umask(022);
	stream_text = "";
	test_names();
	test_long_names();
	test_details();
	add_arguments(by_lttng);
	test_snapshot();
	test_json();
	test_selection();
	test_methods();
	test_killed();
	test_full();
	test_kaslr();
	test_no_memory();
	test_root();
	test_refused();
	test_shared();
	test_long_paths();
	tap(!folder_remove(AT_FDCWD, top), "all is removed");
	return tap_status();
}
