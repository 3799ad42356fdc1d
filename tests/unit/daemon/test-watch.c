// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests watcher processes. They match lines of files, with a user's rights, and records of the
 * kernel log. A socket replaces /dev/kmsg, so that the test writes nothing to the machine's log.
 */
#include "lttng-session/daemon/triggers/watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/watch/source.h"
#include "lttng-session/system/message.h"
#include "tests/tap.h"

#define NOBODY 65534
#define PATIENCE_MS 30000
#define FLOOD 200000

static char folder[] = "/tmp/lttng-mm-watch-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[4][128];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void append(const char *name, const char *text, size_t length)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, length) != (ssize_t)length || close(fd))
		tap_bail("%s cannot be written", name);
}

static void append_text(const char *name, const char *text)
{
	append(name, text, strlen(text));
}

static struct trigger file_trigger(const char *name, const char *file, const char *regex)
{
	struct trigger trigger = { .kind = TRIGGER_FILE,
				   .uid = getuid(),
				   .gid = getgid(),
				   .path = strdup(path_of(file)),
				   .regex = strdup(regex) };

	snprintf(trigger.name, sizeof(trigger.name), "%s", name);
	return trigger;
}

static void release(struct trigger *trigger)
{
	free(trigger->path);
	free(trigger->regex);
}

/* A watcher process and its socket. */
struct watcher {
	pid_t pid;
	int socket;
};

static struct watcher start(const struct trigger *triggers, size_t count)
{
	const struct trigger *all[8];
	struct mm_error err = MM_ERROR_INIT;
	struct watcher watcher;

	for (size_t i = 0; i < count; i++)
		all[i] = &triggers[i];
	watcher.pid = watch_start(all, count, &watcher.socket, &err);
	if (watcher.pid < 0)
		tap_bail("%s", err.message);
	return watcher;
}

/* Ends the watcher and returns its exit status. */
static int end(struct watcher *watcher)
{
	int status;

	close(watcher->socket);
	if (waitpid(watcher->pid, &status, 0) != watcher->pid)
		tap_bail("waitpid: %s", strerror(errno));
	return status;
}

/* Returns the next message (a new reference), or NULL after @ms. */
static json_t *receive(const struct watcher *watcher, int ms)
{
	struct pollfd poll_fd = { .fd = watcher->socket, .events = POLLIN };

	return poll(&poll_fd, 1, ms) > 0 ? message_receive(watcher->socket, NULL) : NULL;
}

static bool is_ready(const struct watcher *watcher)
{
	json_t *message = receive(watcher, PATIENCE_MS);
	bool ready = json_is_true(json_object_get(message, "ready"));

	json_decref(message);
	return ready;
}

static bool fails(const struct watcher *watcher, const char *name, const char *why)
{
	json_t *message = receive(watcher, PATIENCE_MS);
	const char *text = message_text(message, "failed", "");
	bool ret = !strcmp(message_text(message, "trigger", ""), name) && strstr(text, why);

	if (!ret)
		printf("# %s, not: %s\n", text, why);
	json_decref(message);
	return ret;
}

/* Waits for a match of @name with the text @text. */
static bool matches(const struct watcher *watcher, const char *name, const char *text)
{
	json_t *message = receive(watcher, PATIENCE_MS);
	const json_t *match = json_object_get(message, "match");
	const char *found = message_text(match, "text", "nothing");
	bool ret = !strcmp(message_text(message, "trigger", ""), name) && !strcmp(found, text);

	if (!ret)
		printf("# %s: '%.200s', not '%.200s'\n", message_text(message, "trigger", "none"),
		       found, text);
	json_decref(message);
	return ret;
}

static bool nothing_comes(const struct watcher *watcher)
{
	json_t *message = receive(watcher, 1500);
	bool ret = !message;

	json_decref(message);
	return ret;
}

static void test_appended(void)
{
	struct trigger triggers[] = { file_trigger("a", "log", "^error [0-9]+"),
				      file_trigger("b", "log", "part|later"),
				      file_trigger("c", "later", "later") };
	struct watcher watcher;

	append_text("log", "error 1\n");
	watcher = start(triggers, 3);
	tap(is_ready(&watcher), "file: ready, also with a file that does not exist yet");
	append_text("log", "an error 2\nerror x\nerror 3: disk\n");
	tap(matches(&watcher, "a", "error 3: disk"),
	    "file: appended lines match, earlier ones do not");
	append_text("log", "in two ");
	usleep(100000);
	append_text("log", "parts\n");
	tap(matches(&watcher, "b", "in two parts"), "file: a line that is written in two parts");
	append_text("later", "later, from its start\n");
	tap(matches(&watcher, "c", "later, from its start"), "file: one that appears later");
	tap(nothing_comes(&watcher), "file: no other match comes");
	tap(!end(&watcher), "the process ends with the socket");
	for (size_t i = 0; i < 3; i++)
		release(&triggers[i]);
}

static void test_rotation(void)
{
	struct trigger trigger = file_trigger("r", "rotated", "hit");
	struct watcher watcher;

	append_text("rotated", "first\n");
	watcher = start(&trigger, 1);
	is_ready(&watcher);
	append_text("rotated", "hit 1");
	if (rename(path_of("rotated"), path_of("rotated.1")))
		tap_bail("rename");
	append_text("rotated.1", " after the rename\n");
	tap(matches(&watcher, "r", "hit 1 after the rename"), "file: renamed, and written on");
	append_text("rotated", "hit 2\n");
	tap(matches(&watcher, "r", "hit 2"), "file: the new one after a rename, from its start");
	append_text("rotated.1", "hit 3\n");
	tap(matches(&watcher, "r", "hit 3"), "file: both for a while");
	if (truncate(path_of("rotated"), 0))
		tap_bail("truncate");
	usleep(200000);
	append_text("rotated", "hit 4\n");
	tap(matches(&watcher, "r", "hit 4"), "file: truncated");
	if (unlink(path_of("rotated")))
		tap_bail("unlink");
	append_text("rotated", "hit 5\n");
	tap(matches(&watcher, "r", "hit 5"), "file: removed and created again");
	end(&watcher);
	release(&trigger);
}

static void test_hostile(void)
{
	struct trigger triggers[] = { file_trigger("bytes", "bytes", "end$|^x"),
				      file_trigger("fifo", "fifo", "x"),
				      file_trigger("gap", "gap", "seen") };
	static char longest[3 * WATCH_LINE_MAX], expected[WATCH_LINE_MAX + 1];
	struct watcher watcher;
	json_t *message;

	append_text("bytes", "");
	append_text("gap", "");
	if (mkfifo(path_of("fifo"), 0600))
		tap_bail("mkfifo");
	watcher = start(triggers, 3);
	tap(fails(&watcher, "fifo", "not a regular file"), "file: a FIFO is refused");
	tap(open(path_of("fifo"), O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO,
	    "file: and not opened");
	is_ready(&watcher);
	append("bytes", "\0bad\xff\0end\n", 10);
	tap(matches(&watcher, "bytes", "\ufffdbad\ufffd\ufffdend"), "file: binary data");
	memset(longest, 'x', sizeof(longest));
	memset(expected, 'x', WATCH_LINE_MAX);
	append("bytes", longest, sizeof(longest));
	tap(matches(&watcher, "bytes", expected), "file: the start of a line that is too long");
	append_text("bytes", "\nx\n");
	tap(matches(&watcher, "bytes", "x"), "file: the line after it");
	if (truncate(path_of("gap"), INT64_C(1) << 40))
		tap_bail("a file of 1 TiB cannot be made");
	append_text("gap", "\nseen\n");
	message = receive(&watcher, PATIENCE_MS);
	tap(json_is_true(json_object_get(json_object_get(message, "match"), "at_least")),
	    "file: after a growth by 1 TiB, most is skipped and at_least is set");
	json_decref(message);
	end(&watcher);
	for (size_t i = 0; i < 3; i++)
		release(&triggers[i]);
}

/* Checks that a line of /proc/PID/status is @expected. */
static bool status_is(pid_t pid, const char *name, const char *expected)
{
	char path[64], line[256];
	bool ret = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			ret |= !strncmp(line + strlen(name) + 1, expected, strlen(expected));
	if (file)
		fclose(file);
	return ret;
}

static void test_rights(void)
{
	struct trigger triggers[] = { file_trigger("own", "public", "x"),
				      file_trigger("secret", "secret", "x") };
	struct watcher watcher;

	if (getuid()) {
		tap_skip("the rights of another user", "only root can become another user");
		return;
	}
	append_text("public", "");
	append_text("secret", "");
	if (chmod(path_of("secret"), 0600))
		tap_bail("chmod");
	for (size_t i = 0; i < 2; i++) {
		triggers[i].uid = NOBODY;
		triggers[i].gid = NOBODY;
	}
	watcher = start(triggers, 2);
	tap(fails(&watcher, "secret", "Permission denied"),
	    "rights: a file that the user must not read is not read");
	tap(is_ready(&watcher), "rights: the other trigger's file is read");
	tap(status_is(watcher.pid, "Uid", "\t65534\t65534\t65534\t65534") &&
		    status_is(watcher.pid, "Gid", "\t65534\t65534\t65534\t65534") &&
		    status_is(watcher.pid, "CapPrm", "\t0000000000000000") &&
		    status_is(watcher.pid, "NoNewPrivs", "\t1"),
	    "rights: user, group, no capabilities, no new privileges");
	append_text("secret", "x\n");
	append_text("public", "x\n");
	tap(matches(&watcher, "own", "x"), "rights: a file that the user may read");
	if (chmod(path_of("secret"), 0644))
		tap_bail("chmod");
	append_text("secret", "");
	json_decref(receive(&watcher, PATIENCE_MS));
	append_text("secret", "x again\n");
	tap(matches(&watcher, "secret", "x"), "rights: the file when it became readable");
	end(&watcher);
	for (size_t i = 0; i < 2; i++) {
		triggers[i].uid = 0;
		triggers[i].gid = 0;
	}
	watcher = start(triggers, 1);
	is_ready(&watcher);
	tap(status_is(watcher.pid, "CapPrm", "\t0000000000000004"),
	    "rights: root's process has CAP_DAC_READ_SEARCH only");
	end(&watcher);
	for (size_t i = 0; i < 2; i++)
		release(&triggers[i]);
}

static void flood(const char *name)
{
	FILE *file = fopen(path_of(name), "a");

	for (unsigned int i = 0; file && i < FLOOD; i++)
		fprintf(file, "line %u of many\n", i);
	if (!file || fclose(file))
		tap_bail("%s cannot be written", name);
}

static double seconds_since(const struct timespec *start_time)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start_time->tv_sec) +
	       (double)(now.tv_nsec - start_time->tv_nsec) / 1e9;
}

/*
 * Tests a flood of lines while nobody reads the matches: all matches must be counted, and the CPU
 * time must stay limited.
 */
static void test_flood(void)
{
	struct trigger trigger = file_trigger("flood", "flood", "^line [0-9]* of");
	json_int_t total = 0, messages = 0;
	struct timespec began;
	struct rusage usage;
	struct watcher watcher;
	json_t *message;
	double wall;

	append_text("flood", "");
	watcher = start(&trigger, 1);
	is_ready(&watcher);
	clock_gettime(CLOCK_MONOTONIC, &began);
	flood("flood");
	usleep(500000);
	while (total < FLOOD && (message = receive(&watcher, PATIENCE_MS))) {
		total += message_number(json_object_get(message, "match"), "matches", 0);
		messages++;
		json_decref(message);
	}
	wall = seconds_since(&began);
	end(&watcher);
	getrusage(RUSAGE_CHILDREN, &usage);
	tap(total == FLOOD, "flood: all of %d matches are counted: %lld", FLOOD, (long long)total);
	tap((double)messages < 20 * wall + 5, "flood: in few messages: %lld in %.1f s",
	    (long long)messages, wall);
	release(&trigger);
}

static double cpu_of(pid_t pid)
{
	clockid_t clock;
	struct timespec time;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		tap_bail("the CPU time of %d", (int)pid);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void test_cpu(void)
{
	/* Matching one line takes milliseconds, and matching all lines takes seconds. */
	struct trigger trigger = file_trigger("cpu", "cpu", "(x?){50}x{50}y");
	static char line[WATCH_LINE_MAX];
	struct timespec began;
	struct watcher watcher;
	double wall, cpu;
	FILE *file;

	append_text("cpu", "");
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	watcher = start(&trigger, 1);
	is_ready(&watcher);
	cpu = cpu_of(watcher.pid);
	clock_gettime(CLOCK_MONOTONIC, &began);
	file = fopen(path_of("cpu"), "a");
	for (int i = 0; file && i < 2000; i++)
		fwrite(line, sizeof(line), 1, file);
	if (!file || fclose(file))
		tap_bail("cpu cannot be written");
	usleep(1500000);
	cpu = cpu_of(watcher.pid) - cpu;
	wall = seconds_since(&began);
	tap(cpu < wall / 5 + 0.25, "CPU time is limited: %.2f of %.2f s", cpu, wall);
	end(&watcher);
	release(&trigger);
}

/* A watcher in this process. Its kernel log is a socket with message boundaries. */
struct log {
	struct watch_ctx watch;
	struct watched_trigger watched[3];
	struct watcher watcher;
	int socket, daemon;
};

static void log_start(struct log *log, struct trigger *triggers, size_t count)
{
	int ends[2], daemon[2];

	memset(log, 0, sizeof(*log));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, daemon) ||
	    sd_event_new(&log->watch.event) < 0)
		tap_bail("sockets");
	log->watch.all = log->watched;
	log->watch.count = count;
	log->watch.matches = matches_create(log->watch.event, daemon[0]);
	for (size_t i = 0; i < count; i++) {
		log->watched[i].trigger = &triggers[i];
		log->watched[i].has_regex =
			triggers[i].regex && !regcomp(&log->watched[i].regex, triggers[i].regex,
						      REG_EXTENDED | REG_NOSUB);
	}
	kmsg_watch(&log->watch, ends[0]);
	log->socket = ends[1];
	log->daemon = daemon[0];
	log->watcher.socket = daemon[1];
}

static void log_end(struct log *log)
{
	for (size_t i = 0; i < log->watch.count; i++)
		if (log->watched[i].has_regex)
			regfree(&log->watched[i].regex);
	matches_destroy(log->watch.matches);
	sd_event_unref(log->watch.event);
	close(log->socket);
	close(log->daemon);
	close(log->watcher.socket);
}

/* Writes a record. Returns the match (a new reference), or NULL without a match. */
static json_t *log_record(struct log *log, const char *record)
{
	json_t *message, *match;

	if (send(log->socket, record, strlen(record), 0) < 0)
		tap_bail("send: %s", strerror(errno));
	/* Wait longer than the interval between messages. */
	usleep(2 * MATCHES_INTERVAL_US);
	while (sd_event_run(log->watch.event, 0) > 0)
		;
	message = message_receive(log->watcher.socket, NULL);
	match = json_incref(json_object_get(message, "match"));
	json_decref(message);
	return match;
}

static const struct {
	const char *name, *record, *text; /* @text NULL: no match */
} records[] = {
	{ "a text", "6,1,1000,-;usb 1-1: it broke\n", "usb 1-1: it broke" },
	{ "properties are not text", "6,2,2000,-;usb 1-1: fine\n SUBSYSTEM=it broke\n", NULL },
	{ "escapes", "6,3,3000,-,caller=T1;it broke: \\x5c\\x0a\\xc3\\xa9\\xzz\\x5\n",
	  "it broke: \\\n\u00e9\\xzz\\x5" },
	{ "not a record", "it broke\n", NULL },
	{ "half a record", "6,4,4000", NULL },
	{ "of a program", "12,5,5000,-;it broke\n", "it broke" },
	{ "order 9",
	  "4,6,6000,-;my: prog: page allocation failure: order:9, mode:0xcc0(GFP_KERNEL)\n",
	  "my: prog: page allocation failure: order:9, mode:0xcc0(GFP_KERNEL)" },
	{ "vmalloc",
	  "4,7,7000,-;insmod: vmalloc error: size 4096, failed to allocate pages, mode:0xcc2\n",
	  "insmod: vmalloc error: size 4096, failed to allocate pages, mode:0xcc2" },
	{ "a program that pretends",
	  "12,8,8000,-;my: page allocation failure: order:9, mode:0xcc0(GFP_KERNEL)\n", NULL },
	{ "OOM", "3,9,9000,-;Memory cgroup out of memory: Killed process 1 (x) total-vm:1kB\n",
	  "Memory cgroup out of memory: Killed process 1 (x) total-vm:1kB" },
	{ "a program that pretends an OOM",
	  "11,10,10000,-;Out of memory: Killed process 1 (x) total-vm:1kB\n", NULL },
};

static void test_log(void)
{
	struct trigger triggers[] = {
		{ .name = "log",
		  .kind = TRIGGER_KERNEL_MESSAGE,
		  .regex = (char *)"it broke",
		  .on = (char *)"kernel-message it broke" },
		{ .name = "failed", .kind = TRIGGER_FAILED_ALLOCATION },
		{ .name = "oom",
		  .kind = TRIGGER_KERNEL_MESSAGE,
		  .on = (char *)"kernel-message oom",
		  .regex = (char *)"^(Out|Memory cgroup out) of memory[^:]*: Killed process " },
	};
	struct log log;
	json_t *match;

	log_start(&log, triggers, 3);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		const char *text;

		match = log_record(&log, records[i].record);
		text = message_text(match, "text", NULL);
		tap(records[i].text ? text && !strcmp(text, records[i].text) : !match,
		    "kernel message: %s", records[i].name);
		json_decref(match);
	}
	/* Nine records were overwritten. Record 4 was incomplete, so it is missing, too. */
	match = log_record(&log, "6,20,11000,-;it broke\n");
	tap(json_is_true(json_object_get(match, "at_least")) &&
		    message_number(json_object_get(match, "fields"), "lost_records", 0) == 10,
	    "kernel message: records that are missing are counted");
	json_decref(match);
	match = log_record(&log, "6,21,12000,-;it broke\n");
	tap(json_is_false(json_object_get(match, "at_least")), "kernel message: and reported once");
	json_decref(match);
	log_end(&log);
}

static void test_refused(void)
{
	struct trigger triggers[] = { file_trigger("a", "log", "x"),
				      file_trigger("b", "log", "x") };
	const struct trigger *all[] = { &triggers[0], &triggers[1] };
	struct mm_error err = MM_ERROR_INIT;
	int socket;

	triggers[1].uid++;
	tap(watch_start(all, 2, &socket, &err) < 0 && *err.message, "triggers of two users");
	triggers[0].kind = TRIGGER_EVENT;
	tap(watch_start(all, 1, &socket, NULL) < 0, "an event");
	release(&triggers[0]);
	release(&triggers[1]);
}

/* Simulates a kernel that was booted with psi=0, without /proc/pressure. */
static void test_no_pressure(void)
{
	struct trigger trigger = { .kind = TRIGGER_PRESSURE,
				   .name = "psi",
				   .uid = getuid(),
				   .gid = getgid(),
				   .resource = (char *)"memory",
				   .stall_ns = 150000000,
				   .window_ns = 1000000000 };
	struct watcher watcher;

	setenv("LTTNG_MM_ROOT", folder, 1);
	watcher = start(&trigger, 1);
	tap(fails(&watcher, "psi",
		  "/proc/pressure/memory: the kernel does not measure pressure; boot it with psi=1"),
	    "a kernel that does not measure pressure: the trigger fails, with the remedy");
	end(&watcher);
	unsetenv("LTTNG_MM_ROOT");
}

int main(void)
{
	if (!mkdtemp(folder) || chmod(folder, 0755))
		tap_bail("%s: %s", folder, strerror(errno));
	umask(022);
	test_refused();
	test_appended();
	test_rotation();
	test_hostile();
	test_rights();
	test_flood();
	test_cpu();
	test_log();
	test_no_pressure();
	tap_shell("rm -rf %s", folder);
	return tap_status();
}
