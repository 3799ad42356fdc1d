// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests that clients cannot block the recorder daemon by descriptors whose last close blocks, or by
 * many connections. Runs in its own mount namespace, with its own /run.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/jobs/requester.h"
#include "lttng-session/daemon/server/server.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"

#define NOBODY 65534
/* Time for which a close blocks, and the maximum time of an answer that is not blocked. */
#define LINGER_S 600
#define PATIENCE_S 60
/* The daemon's limit of connections per user; MANY exceeds it. */
#define PER_USER 256
/* Number of connections with a descriptor whose close blocks. */
#define LINGERING 8
#define MANY 300
#define FEW_DESCRIPTORS 64

static int connect_daemon(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = MESSAGE_SOCKET };
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

static pid_t start_daemon(rlim_t descriptors)
{
	pid_t pid = fork();
	int fd;

	if (!pid) {
		const struct server_options options = { .memory_bytes = 1 << 20 };
		const struct rlimit limit = { descriptors, descriptors };
		struct mm_error err = MM_ERROR_INIT;

		close_range(3, ~0u, 0);
		setrlimit(RLIMIT_NOFILE, &limit);
		server_run(&options, &err);
		if (err.code)
			fprintf(stderr, "# %s\n", err.message);
		_exit(err.code);
	}
	for (int tries = 0; tries < 100 * PATIENCE_S; tries++) {
		fd = connect_daemon();
		if (fd >= 0) {
			close(fd);
			return pid;
		}
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	tap_bail("the daemon does not start");
}

static bool end_daemon(pid_t pid)
{
	int status = -1;

	kill(pid, SIGTERM);
	for (int tries = 0; tries < 100 * PATIENCE_S; tries++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) && !WEXITSTATUS(status);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return false;
}

/* Makes a TCP connection with unread data and SO_LINGER: its last close blocks. */
static int make_lingering(void)
{
	const struct linger linger = { .l_onoff = 1, .l_linger = LINGER_S };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static char data[1 << 16];

	if (bind(listening, (struct sockaddr *)&address, size) || listen(listening, 1) ||
	    getsockname(listening, (struct sockaddr *)&address, &size) ||
	    connect(fd, (struct sockaddr *)&address, size) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		tap_bail("no connection whose close blocks");
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	/* Keep @listening open: its backlog contains the connection's other end. */
	return fd;
}

/* Sets the loopback interface up. It is down in a new network namespace. */
static void raise_loopback(void)
{
	struct ifreq interface = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (ioctl(fd, SIOCSIFFLAGS, &interface))
		tap_bail("the loopback interface cannot be raised");
	close(fd);
}

static void send_text(int socket, const char *text, int fd)
{
	json_t *json = json_loads(text, 0, NULL);

	message_send(socket, json, fd);
	json_decref(json);
}

/*
 * Sends messages with a descriptor whose last close blocks. An empty @first has no descriptor. A
 * child process sends them after this process has closed the descriptor, so that only the messages
 * refer to the open file. The child may block until the end of the test.
 */
static void send_lingering(int socket, const char *first, const char *second)
{
	int fd = make_lingering(), closed[2], sent[2];
	char byte;

	if (pipe(closed) || pipe(sent))
		tap_bail("pipe");
	if (!fork()) {
		close(closed[1]);
		if (read(closed[0], &byte, 1))
			_exit(1);
		if (*first)
			send_text(socket, first, fd);
		else
			send(socket, "", 0, MSG_NOSIGNAL);
		if (second)
			send_text(socket, second, fd);
		close(socket);
		_exit(write(sent[1], "x", 1) != 1);
	}
	close(fd);
	close(closed[0]);
	close(sent[1]);
	close(closed[1]);
	if (read(sent[0], &byte, 1) != 1)
		tap_bail("the messages are not sent");
	close(sent[0]);
}

/* Does the daemon answer a new connection? */
static bool answers(void)
{
	int socket = connect_daemon();
	json_t *answer;
	bool is;

	send_text(socket, "{\"request\":\"status\"}", -1);
	answer = message_receive(socket, NULL);
	is = message_number(answer, "pid", 0);
	json_decref(answer);
	close(socket);
	return is;
}

static void check_descriptors(void)
{
	static const struct {
		const char *name, *first, *second, *answer;
	} cases[] = {
		{ "a status request with one", "{\"request\":\"status\"}", NULL, NULL },
		{ "an unknown request with one", "{\"request\":\"x\"}", NULL, "is not a request" },
		{ "a snapshot request whose descriptor is not a folder",
		  "{\"request\":\"snapshot\",\"output\":\"/run\"}", NULL, "no descriptor" },
		{ "a snapshot request that is refused",
		  "{\"request\":\"snapshot\",\"output\":\"run\"}", NULL, "not the absolute path" },
		{ "two messages", "{\"request\":\"status\"}", "{}", NULL },
		{ "an empty request", "{}", NULL, "is not a request" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int socket = connect_daemon();
		json_t *answer;

		send_lingering(socket, cases[i].first, cases[i].second);
		answer = message_receive(socket, NULL);
		tap(answer && (!cases[i].answer ||
			       strstr(message_text(answer, "error", ""), cases[i].answer)),
		    "a descriptor whose close blocks: %s is answered", cases[i].name);
		json_decref(answer);
		close(socket);
		tap(answers(), "... and so is the next request");
	}
}

static void check_silent(void)
{
	int socket = connect_daemon();

	send_lingering(socket, "{}", NULL);
	close(socket);
	tap(answers(), "a connection that is closed at once does not block");
	/*
	 * Send an empty message, which looks like the end of the connection and hides the next
	 * message.
	 */
	socket = connect_daemon();
	send_lingering(socket, "", "{}");
	close(socket);
	tap(answers(), "... nor does a connection that sends an empty message first");
}

/* Opens @count connections of one user. Returns how many of them are refused immediately. */
static int refused(int count)
{
	int sockets[MANY], number = 0;

	for (int i = 0; i < count; i++)
		sockets[i] = connect_daemon();
	/*
	 * The daemon accepts connections in order. When answers() returns, it has therefore
	 * accepted all earlier connections.
	 */
	answers();
	for (int i = 0; i < count; i++) {
		json_t *answer;

		fcntl(sockets[i], F_SETFL, O_NONBLOCK);
		answer = message_receive(sockets[i], NULL);
		number += strstr(message_text(answer, "error", ""), "too many requests") != NULL;
		json_decref(answer);
		close(sockets[i]);
	}
	return number;
}

static void check_users(void)
{
	struct requester nobody = { .uid = NOBODY, .gid = NOBODY };
	int ends[2], status;
	pid_t pid;
	char byte;

	chmod(MESSAGE_SOCKET, 0666);
	if (pipe(ends))
		tap_bail("pipe");
	pid = fork();
	if (!pid) {
		int sockets[MANY];

		for (int i = 0; i < MANY; i++)
			sockets[i] = i == 0 && requester_become(&nobody) ? -1 : connect_daemon();
		(void)sockets;
		if (write(ends[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(ends[0], &byte, 1) != 1)
		tap_bail("read");
	tap(answers(), "another user is answered while one has %d connections", MANY);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tap(answers(), "... and after that");
	status = refused(MANY);
	/* While the close of a connection blocks, the connection still counts. */
	tap(status >= MANY - PER_USER && status <= MANY - PER_USER + LINGERING,
	    "a user has %d connections, the others are refused (%d)", PER_USER, status);
	for (int tries = 0; !answers() && tries < 50; tries++)
		usleep(200000);
	tap(answers(), "... and may connect again");
}

/* Returns the CPU time of the daemon in clock ticks. */
static long used(pid_t pid)
{
	char path[64], line[512];
	long user = 0, system = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file && fgets(line, sizeof(line), file))
		sscanf(strrchr(line, ')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld",
		       &user, &system);
	if (file)
		fclose(file);
	return user + system;
}

static void check_exhausted(void)
{
	pid_t pid = start_daemon(FEW_DESCRIPTORS);
	int sockets[2 * FEW_DESCRIPTORS];
	long before, spent;

	for (int i = 0; i < 2 * FEW_DESCRIPTORS; i++)
		sockets[i] = connect_daemon();
	before = used(pid);
	nanosleep(&(struct timespec){ .tv_sec = 2 }, NULL);
	spent = used(pid) - before;
	tap(spent < sysconf(_SC_CLK_TCK),
	    "without descriptors, the daemon waits (%ld clock ticks in 2 s)", spent);
	for (int i = 0; i < 2 * FEW_DESCRIPTORS; i++)
		close(sockets[i]);
	tap(answers(), "... and answers when it has some");
	tap(end_daemon(pid), "... and ends");
}

int main(void)
{
	pid_t pid;

	if (unshare(CLONE_NEWNS | CLONE_NEWNET) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/run", "tmpfs", 0, NULL)) {
		tap_skip("connections", "namespaces require root");
		return tap_status();
	}
	raise_loopback();
	setenv("LTTNG_HOME", "/run", 1);
	pid = start_daemon(4096);
	check_descriptors();
	check_silent();
	check_users();
	tap(end_daemon(pid), "SIGTERM ends it, whatever its processes close");
	check_exhausted();
	return tap_status();
}
