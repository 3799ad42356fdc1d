// SPDX-License-Identifier: LGPL-2.1-only
/* Creates, fills and removes folders while another user replaces the folders by links. */
#include "lttng-session/sysinfo/write-json.h"
#include "lttng-session/system/folder.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lttng-session/sysinfo/sysinfo.h"
#include "tests/tap.h"
#include "tests/unit/files.h"

#define NOBODY 65534
/*
 * With so many rounds and swaps, a writer that uses paths would surely fail. SECONDS is a time
 * limit.
 */
#define ROUNDS 400
#define SWAPS 400
#define SECONDS 60

static char top[] = "/tmp/test-folder-XXXXXX";
static int top_fd;

/* Reading a folder fails after this number of entries; -1: never. */
static int entries_left = -1;

struct dirent *readdir(DIR *dir)
{
	static struct dirent *(*real)(DIR * dir);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "readdir64");
	if (entries_left > 0)
		entries_left--;
	else if (!entries_left) {
		errno = EIO;
		return NULL;
	}
	return real(dir);
}

static int count_entry(int parent, const char *name, void *user)
{
	(void)parent;
	(void)name;
	++*(int *)user;
	return 0;
}

static int count_entries(int fd)
{
	int count = 0;

	return folder_each(fd, FOLDER_DEPTH_MAX, count_entry, &count) ? -1 : count;
}

static void test_new(void)
{
	int fd = folder_make(top_fd, "made", 0750), copy;
	char random[] = "x-XXXXXX";
	static const char *const no_entries[] = { "", ".", "made/.", "made/..", "made/" };
	struct stat st;

	tap(fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode), "a folder is made");
	tap(folder_make(top_fd, "made", 0750) < 0 && errno == EEXIST, "... once");
	umask(0);
	tap(folder_make(top_fd, "loose", 0777) < 0 && errno == EPERM &&
		    faccessat(top_fd, "loose", F_OK, 0),
	    "a folder that others can write to is refused, and none remains");
	umask(022);
	write_file(fd, "file", "text");
	tap(!folder_make_file(fd, "file") && errno == EEXIST && holds(fd, "file", "text"),
	    "an existing file is not opened");
	tap(!symlinkat("new", fd, "dangling") && !folder_make_file(fd, "dangling") &&
		    errno == EEXIST,
	    "a link is not followed, even to nothing");
	tap(!symlinkat("/tmp", fd, "link") && folder_open(fd, "link") < 0,
	    "a link to a folder is not followed");
	copy = folder_make_random(fd, random);
	tap(copy >= 0 && !fstat(copy, &st) && (st.st_mode & 07777) == 0700 &&
		    strcmp(random, "x-XXXXXX") != 0,
	    "a folder with a random name is private");
	close(copy);
	copy = folder_make(fd, "in", 0700);
	write_file(copy, "deep", "text");
	close(copy);
	tap(count_entries(fd) == 6, "entries of all levels, and of no linked folder");
	/* The first two entries of each folder are the folder itself and its parent. */
	for (int most = 0; most < 7; most++) {
		entries_left = most;
		tap(count_entries(fd) == -1 && errno == EIO,
		    "... an error after %d entries is reported", most);
	}
	entries_left = 0;
	tap(folder_remove(top_fd, "made") && errno == EIO && !faccessat(fd, "file", F_OK, 0),
	    "a folder that cannot be read is not removed, and reported");
	entries_left = -1;
	tap(folder_move(fd, "file", fd, "link") && errno == EEXIST && holds(fd, "file", "text"),
	    "nothing is moved to an existing name");
	tap(!folder_move(fd, "file", top_fd, "file") && holds(top_fd, "file", "text"),
	    "a file is moved");
	close(fd);
	for (size_t i = 0; i < sizeof(no_entries) / sizeof(*no_entries); i++)
		tap(folder_remove(top_fd, no_entries[i]) && errno == EINVAL &&
			    !faccessat(top_fd, "made", F_OK, 0) &&
			    !faccessat(top_fd, "file", F_OK, 0),
		    "a name that is not an entry of a folder is not removed: '%s'", no_entries[i]);
	tap(!folder_remove(top_fd, "made") && folder_open(top_fd, "made") < 0,
	    "a folder is removed");
	tap(!folder_remove(top_fd, "file") && !access("/tmp", W_OK), "... and a file");
	tap(!folder_remove(top_fd, "file"), "removing what does not exist succeeds");
}

/*
 * Runs as the other user: replaces folders by links to @victim and restores the folders, as quickly
 * as possible.
 */
static void swap(const char *victim, volatile unsigned int *swaps)
{
	int out = openat(top_fd, "out", O_RDONLY | O_DIRECTORY);

	if (out < 0 || setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		_exit(2);
	for (unsigned int gone = 0;; gone++) {
		char name[32], target[64];

		for (int i = 0; i < 10; i++)
			*swaps += !renameat2(out, "work", out, "trap", RENAME_EXCHANGE);
		if (readlinkat(out, "trap", target, sizeof(target)) > 0)
			continue;
		/* `trap` is no longer the link. Move it away, and create the link again. */
		snprintf(name, sizeof(name), "gone-%u", gone);
		renameat(out, "trap", out, name);
		if (symlinkat(victim, out, "trap"))
			_exit(2);
	}
}

static json_t *json(void)
{
	return json_pack("{s:s}", "key", "value");
}

/* Creates, fills and removes a folder as for a snapshot. The other user may cause failures. */
static void write_round(int out)
{
	struct mm_error err = MM_ERROR_INIT;
	int work = folder_make(out, "work", 0700), ring = -1;

	if (work >= 0)
		ring = folder_make(work, "ring", 0750);
	if (ring >= 0)
		sysinfo_write_json(ring, "system.json", json(), &err);
	if (ring >= 0 && !folder_move(work, "ring", out, "snapshot"))
		folder_remove(out, "snapshot");
	if (work >= 0) {
		sysinfo_write_json(work, "new.json", json(), &err);
		sysinfo_write_json(work, "system.json", json(), &err);
	}
	folder_remove(out, "work");
	if (ring >= 0)
		close(ring);
	if (work >= 0)
		close(work);
}

static void test_race(void)
{
	volatile unsigned int *swaps = mmap(NULL, sizeof(*swaps), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int victim = folder_make(top_fd, "victim", 0700), out = folder_make(top_fd, "out", 0755);
	int inner = folder_make(victim, "ring", 0700), rounds = 0;
	time_t end = time(NULL) + SECONDS;
	char path[64];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/victim", top);
	write_file(victim, "system.json", "root's");
	write_file(inner, "system.json", "root's");
	if (swaps == MAP_FAILED || fchown(out, NOBODY, NOBODY) || (pid = fork()) < 0)
		exit(2);
	if (!pid)
		swap(path, swaps);
	while ((rounds < ROUNDS || *swaps < SWAPS) && time(NULL) < end) {
		write_round(out);
		rounds++;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("# %d rounds, %u swaps\n", rounds, *swaps);
	tap(rounds >= ROUNDS && *swaps >= SWAPS,
	    "race: another user replaced folders all the time");
	tap(holds(victim, "system.json", "root's") && holds(inner, "system.json", "root's"),
	    "race: no link's target is overwritten or removed");
	tap(count_entries(victim) == 3, "race: nothing is made in a link's target");
	close(inner);
	close(out);
	close(victim);
}

int main(void)
{
	umask(022);
	if (!mkdtemp(top) || chmod(top, 0711))
		return 2;
	top_fd = open(top, O_RDONLY | O_DIRECTORY);
	test_new();
	if (geteuid())
		tap_skip("race with another user", "only root can become another user");
	else
		test_race();
	close(top_fd);
	tap(!folder_remove(AT_FDCWD, top), "all is removed");
	return tap_status();
}
