// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests snapshots in full folders, in folders that other users control, and with long paths. Also
 * tests that the remains of a killed snapshot are removed.
 */
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "tests/unit/commands.h"

#define NOBODY 65534
#define SHARED_ROUNDS 30

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

/* Waits until the stream of a snapshot exists. */
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
	bool lies, no_inodes;
} full_cases[] = {
	{ "the session daemon fails", "size=256k", "the session daemon could not write all",
	  1 << 20, false, false },
	{ "it reports success", "size=256k", "the session daemon could not write all", 1 << 20,
	  true, false },
	{ "no inode for any folder", "size=64m,nr_inodes=1",
	  "full: the filesystem has no free inodes (`df -i`)", 1000, false, true },
	{ "no inodes for the rest", "size=64m,nr_inodes=10",
	  "full: the filesystem has no free inodes (`df -i`)", 1000, false, true },
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
		/* A daemon that wrongly reports success has also written incomplete metadata. */
		metadata_text = daemon_lies ? "meta" : METADATA("");
		status = run(cmd_snapshot, "--output", "full");
		tap(status == 4 && !*out && strstr(err_out, full_cases[i].says) &&
			    strstr(err_out, "/full: ") &&
			    !strstr(err_out, needs) == full_cases[i].no_inodes &&
			    !strstr(err_out, "bytes are free; make room") ==
				    full_cases[i].no_inodes &&
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

static void test_root(void)
{
	char path[2 * sizeof(top)];
	int status;

	if (geteuid()) {
		tap_skip("a snapshot to the root folder", "only root can have another one");
		return;
	}
	/* The simulated daemon changes to the path of @top, which must exist in the new root. */
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

/* Runs as the other user: replaces everything it can in the folder `shared` by links to @victim. */
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

/* Tests a folder like /tmp, where everyone may write, with the sticky bit set. */
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

/* Creates nested folders until the path has @length bytes; the caller changes back. */
static void make_long(size_t length)
{
	char cwd[PATH_MAX], name[NAME_MAX + 1];

	for (;;) {
		size_t now = getcwd(cwd, sizeof(cwd)) ? strlen(cwd) : length;
		size_t more = length - now - 1;

		if (now >= length)
			return;
		/* Leave room for the name of the last folder. */
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
	commands_begin();
	sessions[0] = "lttng-mm-slab";
	stream_text = "events";
	add_arguments(by_lttng);
	test_killed();
	test_full();
	test_root();
	test_refused();
	test_shared();
	test_long_paths();
	return commands_end();
}
