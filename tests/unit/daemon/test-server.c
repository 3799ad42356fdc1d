// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the recorder daemon without LTTng: its socket, refused requests and exit; and copying with
 * the rights of another user. Runs in its own mount namespace, with its own /run.
 */
#include "lttng-session/daemon/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/folder-copy.h"
#include "lttng-session/system/folder.h"
#include "lttng-session/recorder/plan.h"
#include "lttng-session/daemon/jobs/request.h"
#include "lttng-session/daemon/jobs/requester.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"

#define NOBODY 65534
/* Time limit for the start and the end of the daemon, in hundredths of a second. */
#define PATIENCE 3000
#define MANY 30

static void pause_shortly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
}

static int connect_daemon(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MESSAGE_SOCKET };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0 || !connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

static void await_start(void)
{
	for (int tries = 0; tries < PATIENCE; tries++) {
		int fd = connect_daemon();

		if (fd >= 0) {
			close(fd);
			return;
		}
		pause_shortly();
	}
	tap_bail("the daemon does not start");
}

static pid_t start_daemon(bool until_stop)
{
	pid_t pid = fork();

	if (!pid) {
		const struct server_options options = { .memory_bytes = 1 << 20,
							.with_recorder = until_stop };
		struct mm_error err = MM_ERROR_INIT;

		server_run(&options, &err);
		if (err.code)
			fprintf(stderr, "# %s\n", err.message);
		_exit(err.code);
	}
	await_start();
	return pid;
}

/* Returns the exit status of the daemon, or -1 if a signal ended it. */
static int await_end(pid_t pid)
{
	int status;

	for (int tries = 0; tries < PATIENCE; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		pause_shortly();
	}
	tap_bail("the daemon does not end");
}

static int end_daemon(pid_t pid, int signal)
{
	kill(pid, signal);
	return await_end(pid);
}

/* Sends @text, with @fd unless it is negative. Returns the answer, which the caller frees. */
static char *ask(const char *text, int fd)
{
	json_t *json = json_loads(text, 0, NULL), *answer = NULL;
	int socket = connect_daemon();
	char *found;

	if (json)
		message_send(socket, json, fd);
	else
		send(socket, text, strlen(text), 0);
	answer = message_receive(socket, NULL);
	found = answer ? json_dumps(answer, 0) : strdup("nothing");
	json_decref(json);
	json_decref(answer);
	close(socket);
	return found;
}

static void check_answer(const char *name, const char *request, int fd, const char *expected)
{
	char *found = ask(request, fd);

	tap(strstr(found, expected), "%s", name);
	if (!strstr(found, expected))
		printf("# %s\n", found);
	free(found);
}

static bool is_empty(const char *path)
{
	char command[256];

	snprintf(command, sizeof(command), "[ -z \"$(ls -A %s)\" ]", path);
	return !system(command);
}

static void check_requests(void)
{
	int folder = open("/run", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int file = open("/run/file", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	int silent = connect_daemon();
	struct stat st;
	char *found;

	tap(!stat(MESSAGE_SOCKET, &st) && !st.st_uid && !(st.st_mode & 0117),
	    "the socket is for root and one group");
	check_answer(
		"an unknown request", "{\"request\":\"nonsense\"}", -1,
		"'nonsense' is not a request; daemon and command may be of different versions");
	check_answer("not JSON", "nonsense", -1, "is not a JSON object of at most 65536 bytes");
	check_answer("not an object", "[]", -1, "is not a JSON object");
	check_answer("no folder", "{\"request\":\"snapshot\",\"output\":\"/run\"}", -1,
		     "carries no descriptor of the output folder");
	check_answer("a file", "{\"request\":\"snapshot\",\"output\":\"/run\"}", file,
		     "carries no descriptor of the output folder");
	check_answer("a relative path", "{\"request\":\"snapshot\",\"output\":\"run\"}", folder,
		     "'run' is not the absolute path of a folder");
	check_answer(
		"a name that is a path",
		"{\"request\":\"snapshot\",\"output\":\"/run\",\"options\":{\"name\":\"../x\"}}",
		folder, "'../x' cannot be the first part of a folder's name");
	check_answer("without a session daemon", "{\"request\":\"snapshot\",\"output\":\"/run\"}",
		     folder, "snapshot: no recorder is running");
	found = ask("{\"request\":\"status\"}", -1);
	tap(strstr(found, "\"state\": \"failed\"") &&
		    strstr(found, "snapshot: no recorder is running"),
	    "the status has the snapshot that failed, and why");
	free(found);
	tap(is_empty("/run/lttng-mm/stage"), "nothing is left of it");
	close(silent);
	close(file);
	close(folder);
}

/* Tests that concurrent requests share snapshots. */
static void check_many(void)
{
	json_t *request = json_pack("{s:s,s:s,s:{s:s}}", "request", "snapshot", "output", "/run",
				    "options", "name", "shared");
	int folder = open("/run", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int sockets[MANY], answered = 0, failed = 0;
	char *status, *at;

	for (int i = 0; i < MANY; i++) {
		sockets[i] = connect_daemon();
		message_send(sockets[i], request, folder);
	}
	for (int i = 0; i < MANY; i++) {
		const struct timeval patience = { .tv_sec = 30 };
		json_t *answer;

		setsockopt(sockets[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		answer = message_receive(sockets[i], NULL);
		answered += !!message_text(answer, "error", NULL);
		json_decref(answer);
		close(sockets[i]);
	}
	tap(answered == MANY, "each of %d concurrent requests is answered (%d are)", MANY,
	    answered);
	status = ask("{\"request\":\"status\"}", -1);
	for (at = status; (at = strstr(at, "\"failed\"")); at++)
		failed++;
	tap(failed < MANY, "they share snapshots (%d)", failed);
	free(status);
	json_decref(request);
	close(folder);
}

static void check_client(void)
{
	const struct request_snapshot request = { .snapshot = { .name = "snapshot",
								.output = "/run" } };
	struct mm_error err = MM_ERROR_INIT;
	json_t *answer;

	tap(request_snapshot(&request, &answer, &err) == -1 && !answer &&
		    err.code == MM_EXIT_ENVIRONMENT &&
		    strstr(err.message, "snapshot: no recorder is running"),
	    "the command reports the daemon's error");
}

/*
 * Requests a snapshot after @after_ns. Returns the result plus 1 as an exit status, or 7 if the
 * message lacks @says.
 */
static int request_after(int64_t after_ns, const char *says)
{
	struct request_snapshot request = { .snapshot = { .name = "snapshot",
							  .output = "/run",
							  .last_ns = SNAPSHOT_NOT_GIVEN,
							  .after_ns = after_ns } };
	struct mm_error err = MM_ERROR_INIT;
	json_t *answer;
	int ret;

	snapshot_now(&request.snapshot.requested);
	ret = request_snapshot(&request, &answer, &err);
	if (!strstr(err.message, says))
		printf("# %d: %s\n", ret, err.message);
	return strstr(err.message, says) ? ret + 1 : 7;
}

/* Sends a request as another user, who may connect. Returns 0 if the daemon does not answer. */
static int ask_as_other(void)
{
	struct mm_error err = MM_ERROR_INIT;
	json_t *request = json_pack("{s:s}", "request", "trigger-list"), *answer;
	int ret;

	if (setgid(NOBODY) || setuid(NOBODY))
		return 8;
	ret = request_send(request, -1, &answer, &err);
	json_decref(request);
	return ret == -1 && strstr(err.message, "the daemon runs, but does not answer") ? 0 : 7;
}

/* Tests clients of a stopped daemon, as root and as another user, and of a slow daemon. */
static void check_silent(pid_t daemon)
{
	pid_t root, other;
	int status = -1;

	tap(request_after(5000000000, "snapshot: no recorder is running") == 0,
	    "the client waits for a late answer");
	kill(daemon, SIGSTOP);
	chmod(MESSAGE_SOCKET, 0666);
	root = fork();
	if (!root)
		_exit(request_after(SNAPSHOT_NOT_GIVEN, "the daemon runs, but does not answer"));
	other = fork();
	if (!other)
		_exit(ask_as_other());
	alarm(60);
	waitpid(root, &status, 0);
	tap(WIFEXITED(status) && WEXITSTATUS(status) == 2,
	    "root takes the snapshot without a stopped daemon");
	waitpid(other, &status, 0);
	tap(WIFEXITED(status) && !WEXITSTATUS(status), "... and other users get an error");
	alarm(0);
	kill(daemon, SIGCONT);
	chmod(MESSAGE_SOCKET, 0600);
}

static void check_plan(void)
{
	struct mm_error err = MM_ERROR_INIT;
	int lock = plan_lock(100, &err);

	tap(lock >= 0, "the plan can be locked while the daemon runs");
	if (lock >= 0)
		plan_unlock(lock);
}

static void check_end(pid_t first)
{
	const struct server_options options = { 0 };
	const struct request_snapshot request = { .snapshot = { .name = "snapshot",
								.output = "/run" } };
	struct mm_error err = MM_ERROR_INIT;
	json_t *answer;
	pid_t second;

	tap(server_run(&options, &err) == -1 &&
		    strstr(err.message, "another recorder daemon is running"),
	    "a second daemon refuses to start");
	mm_error_clear(&err);
	tap(server_prevent(&err) == -1 &&
		    strstr(err.message, "recorder daemon: /run/lttng-mm/serve.lock: another "
					"recorder daemon is running"),
	    "the daemon cannot be kept from running while one runs: %s", err.message);
	end_daemon(first, SIGKILL);
	second = start_daemon(false);
	check_answer("rates are measured by another process, which says why it cannot",
		     "{\"request\":\"status\",\"rates\":true}", -1, "\"rates_why\"");
	check_answer("after SIGKILL the next one starts", "{\"request\":\"status\"}", -1,
		     "\"snapshots\": []");
	tap(!end_daemon(second, SIGTERM), "SIGTERM ends it");
	tap(access(MESSAGE_SOCKET, F_OK) && errno == ENOENT, "... and removes the socket");
	tap(umount2("/run/lttng-mm/stage", UMOUNT_NOFOLLOW), "... and its mount");
	tap(request_snapshot(&request, &answer, &err) == 1,
	    "without a daemon, the request returns 1");
}

/* Simulates a service manager that expects a sign of life every second. */
static int make_notify_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/run/notify" };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		tap_bail("no socket for notifications");
	setenv("NOTIFY_SOCKET", "/run/notify", 1);
	setenv("WATCHDOG_USEC", "1000000", 1);
	return fd;
}

static void check_watchdog(void)
{
	int fd = make_notify_socket();
	pid_t pid = start_daemon(false);
	unsigned int signs = 0;
	bool ready = false;
	char text[256];

	alarm(60);
	while (signs < 3) {
		ssize_t length = recv(fd, text, sizeof(text) - 1, 0);

		text[length > 0 ? length : 0] = '\0';
		ready |= !strcmp(text, "READY=1");
		signs += !strncmp(text, "WATCHDOG=1", strlen("WATCHDOG=1"));
	}
	alarm(0);
	tap(ready, "a service manager's watchdog is served");
	tap(!end_daemon(pid, SIGTERM), "... and the daemon ends on SIGTERM");
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	close(fd);
}

/* Tests that a daemon started by `record` exits on request, or when the service's daemon starts. */
static void check_until_stop(void)
{
	pid_t pid = start_daemon(false), second;

	tap(request_end(false) == -1 && !kill(pid, 0),
	    "the service's daemon does not end on request");
	end_daemon(pid, SIGTERM);
	tap(!request_end(false), "without a daemon, the request to end succeeds");
	pid = start_daemon(true);
	tap(!request_end(false) && !await_end(pid),
	    "a daemon that `record` started ends on request");
	pid = start_daemon(true);
	second = start_daemon(false);
	tap(!await_end(pid), "... and gives way to the service's daemon");
	await_start();
	check_answer("... which serves then", "{\"request\":\"status\"}", -1, "\"pid\"");
	end_daemon(second, SIGTERM);
}

/* Are the memory and files of this process protected from the user whose rights it has taken? */
static bool is_hidden(int folder)
{
	struct rlimit limit;

	return !prctl(PR_GET_DUMPABLE) && !getrlimit(RLIMIT_CORE, &limit) && !limit.rlim_max;
}

/* Runs @function as the user nobody in a child process. */
static bool as_nobody(bool (*function)(int folder), int folder)
{
	struct requester nobody = { .uid = NOBODY, .gid = NOBODY, .group_count = 1 };
	int status = -1;
	pid_t pid;

	nobody.groups[0] = 4711;
	pid = fork();
	if (!pid)
		_exit(requester_become(&nobody) || !function(folder));
	return waitpid(pid, &status, 0) == pid && !status;
}

static bool is_nobody(int folder)
{
	gid_t group = 0;

	return getuid() == NOBODY && geteuid() == NOBODY && getegid() == NOBODY &&
	       getgroups(1, &group) == 1 && group == 4711 && setuid(0) && setgid(0) &&
	       setgroups(0, NULL) && open("/run/secret", O_RDONLY) < 0;
}

/* If set, the next waiting sync_file_range() fails with this error. */
static int wait_error;

int sync_file_range(int fd, off_t from, off_t bytes, unsigned int flags)
{
	if (wait_error && (flags & SYNC_FILE_RANGE_WAIT_AFTER)) {
		errno = wait_error;
		wait_error = 0;
		return -1;
	}
	return (int)syscall(SYS_sync_file_range, fd, from, bytes, flags);
}

static bool copies(int folder)
{
	int from = folder_open(folder, "from"), to = folder_open(folder, "to");
	atomic_ullong progress = 0;

	return !folder_copy(from, to, &progress);
}

/* Checks that the final fsync() counts as progress. (A worker without progress is killed.) */
static bool counts_to_the_end(int folder)
{
	int to = folder_open(folder, "to");
	atomic_ullong progress = 0;

	return !folder_copy_end(to, &progress) && progress >= 5;
}

static bool does_not_copy(int folder)
{
	return !copies(folder) && errno == ENOSPC;
}

static bool fails_with_eio(int folder)
{
	return !copies(folder) && errno == EIO;
}

/* Copies a file that is written back in several windows. */
static void check_write_errors(int run)
{
	tap_shell("head -c 40000000 /dev/zero >/run/from/windows; chmod o+r /run/from/windows");
	wait_error = EIO;
	tap_shell("rm -rf /run/to/*");
	tap(as_nobody(fails_with_eio, run), "an error while windows are written is reported");
	wait_error = EINVAL;
	tap_shell("rm -rf /run/to/*");
	tap(as_nobody(copies, run), "... and a filesystem without windows is no error");
	wait_error = 0;
	tap_shell("rm -rf /run/from/windows /run/to/*");
}

static void check_copy(void)
{
	int run = open("/run", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	tap_shell("echo secret >/run/secret; chmod 600 /run/secret");
	tap(as_nobody(is_nobody, run), "a requester has its user and groups, and no way back");
	tap(as_nobody(is_hidden, run), "... and cannot see the memory of the process");
	tap_shell("mkdir -p /run/from/a/b; echo one >/run/from/one; chmod 640 /run/from/one");
	tap_shell("head -c 3000000 /dev/urandom >/run/from/a/b/large; : >/run/from/a/empty");
	tap_shell("ln -s /run/secret /run/from/link; mkfifo /run/from/fifo");
	tap_shell("chmod -R o+rX /run/from; mkdir /run/to; chown 65534 /run/to");
	tap(as_nobody(copies, run), "a folder is copied as another user");
	tap(!system("cmp /run/from/a/b/large /run/to/a/b/large && cmp /run/from/one /run/to/one"),
	    "... with its contents");
	tap(!system("[ \"$(cd /run/to && find . -mindepth 1 | sort | tr '\\n' ' ')\" = "
		    "'./a ./a/b ./a/b/large ./a/empty ./one ' ]"),
	    "... and other kinds of files are left out");
	tap(!system("[ \"$(stat -c '%u %a' /run/to/one)\" = '65534 600' ]"),
	    "... owned by that user, and for nobody else until its modes are set");
	tap(as_nobody(counts_to_the_end, run), "... and each is counted when it is on the disk");
	tap(!as_nobody(copies, run), "files that exist are not replaced");
	check_write_errors(run);
	tap_shell("mount -t tmpfs -o size=1m,mode=777 none /run/to");
	tap(as_nobody(does_not_copy, run), "a full file system is an error");
	close(run);
}

/*
 * Restricts PATH to the programs that this test runs. With lttng-sessiond in PATH, a snapshot would
 * start LTTng.
 */
static void have_own_programs(void)
{
	static const char *const programs[] = {
		"chmod", "chown",  "cmp",   "find", "head", "ln",   "ls",
		"mkdir", "mkfifo", "mount", "rm",   "sort", "stat", "tr",
	};

	tap_shell("mkdir /run/bin");
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		tap_shell("ln -s \"$(command -v %s)\" /run/bin/", programs[i]);
	setenv("PATH", "/run/bin", 1);
}

/* Answers one request with @text, or closes the connection. */
static void answer_once(int listening, const char *text)
{
	int fd = accept(listening, NULL, NULL);
	char request[65536];

	if (fd < 0 || recv(fd, request, sizeof(request), 0) < 0)
		_exit(1);
	if (text && send(fd, text, strlen(text), 0) < 0)
		_exit(1);
	_exit(0);
}

/*
 * Returns the result of request_snapshot() for the daemon's answer @text. 1: the caller must take
 * the snapshot itself.
 */
static int ask_daemon_that_answers(const char *text, struct mm_error *err)
{
	const struct request_snapshot request = { .snapshot = { .name = "snapshot",
								.output = "/run" } };
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MESSAGE_SOCKET };
	int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), ret;
	json_t *answer;
	pid_t pid;

	unlink(MESSAGE_SOCKET);
	if (listening < 0 || bind(listening, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listening, 1))
		tap_bail("no socket: %s", strerror(errno));
	pid = fork();
	if (!pid)
		answer_once(listening, text);
	close(listening);
	ret = request_snapshot(&request, &answer, err);
	json_decref(answer);
	waitpid(pid, NULL, 0);
	unlink(MESSAGE_SOCKET);
	return ret;
}

static void check_unable(void)
{
	static const struct {
		const char *name, *answer;
		int ret;
	} cases[] = {
		{ "has no process for it",
		  "{\"error\": \"no process\", \"code\": 4, \"unable\": true}", 1 },
		{ "ends before it answers", NULL, 1 },
		{ "finds the disk full", "{\"error\": \"no space\", \"code\": 4}", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;
		int ret = ask_daemon_that_answers(cases[i].answer, &err);

		tap(ret == cases[i].ret && err.code, "a daemon that %s: root's client %s: %s",
		    cases[i].name, ret == 1 ? "takes the snapshot" : "fails", err.message);
	}
}

int main(void)
{
	pid_t pid;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, NULL)) {
		tap_skip("the recorder daemon", "mount namespaces require root");
		return tap_status();
	}
	/* The caller's umask must not affect the modes of the snapshot. */
	umask(022);
	setenv("LTTNG_HOME", "/run", 1);
	have_own_programs();
	pid = start_daemon(false);
	check_requests();
	check_many();
	check_client();
	check_silent(pid);
	check_plan();
	check_end(pid);
	check_watchdog();
	check_until_stop();
	check_unable();
	check_copy();
	return tap_status();
}
