// SPDX-License-Identifier: LGPL-2.1-only
/* Tests that old snapshots in the folder of a recorder are deleted, and that nothing else is. */
#include "lttng-session/snapshot/retention.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "lttng-session/snapshot/recent.h"
#include "lttng-session/snapshot/staging.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "tests/unit/machine.h"

static int folder;
static char said[4096];
static struct retention_limits limits;

/*
 * Replaces the C library's function, because a test cannot fill a disk. While @room_of is set,
 * simulates a filesystem of 1,000 blocks on which each snapshot takes 100 blocks.
 */
static const char *room_of;

int fstatvfs(int fd, struct statvfs *space)
{
	if (!room_of)
		return fstatvfs64(fd, (struct statvfs64 *)space);
	*space = (struct statvfs){ .f_frsize = 4096, .f_bsize = 4096, .f_blocks = 1000 };
	space->f_bavail = 1000;
	for (const char *name = room_of; *name; name++) {
		const char snapshot[] = { *name, '\0' };
		struct stat st;

		if (!fstatat(fd, snapshot, &st, AT_SYMLINK_NOFOLLOW))
			space->f_bavail -= 100;
	}
	return 0;
}

static void say(const char *message, const char *snapshot, void *user)
{
	size_t length = strlen(said);

	snprintf(said + length, sizeof(said) - length, "%s%s", length ? " " : "",
		 snapshot ? strrchr(snapshot, '/') + 1 : message);
	*(int *)user += 1;
}

/* Creates a snapshot of the boot @boot (NULL: unknown) with times in seconds. */
static void make_at(const char *name, const char *boot, long long realtime, long long boottime)
{
	char path[64], boot_id[64] = "", text[512];

	snprintf(path, sizeof(path), "snapshots/%s", name);
	machine_make_folder(path);
	strcat(path, "/kernel");
	machine_make_folder(path);
	strcat(path, "/lttng-mm_0");
	machine_write(path, "packets");
	if (boot)
		snprintf(boot_id, sizeof(boot_id), "\"boot_id\": \"%s\",", boot);
	snprintf(
		text, sizeof(text),
		"{ \"version\": 1, %s \"frozen\": null, \"requested\": "
		"{ \"realtime_ns\": %lld000000000, \"monotonic_ns\": 1, \"boottime_ns\": %lld000000000 } }",
		boot_id, realtime, boottime);
	snprintf(path, sizeof(path), "snapshots/%s/snapshot.json", name);
	machine_write(path, text);
}

/* Creates a snapshot @number seconds after this boot. */
static void make(const char *name, int number)
{
	make_at(name, "here", 1000000 + number, number);
}

static bool is_there(const char *name)
{
	struct stat st;

	return !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW);
}

/*
 * Deletes snapshots until @count are left. Returns the names in the messages, separated by blanks.
 */
static const char *apply(uint64_t count, uint64_t bytes, const char *newest)
{
	int calls = 0;
	const struct retention retention = {
		.folder = folder, .path = "/srv/x", .limits = &limits, .said = say, .user = &calls
	};

	limits = (struct retention_limits){ .count = count, .max_bytes = bytes };
	*said = '\0';
	retention_apply(&retention, newest);
	return said;
}

static void fresh(void)
{
	tap_shell("chmod -R u+rwx %s/snapshots && rm -r %s/snapshots", machine_root, machine_root);
	machine_make_folder("snapshots");
	close(folder);
	folder = open(machine_path("snapshots"), O_RDONLY | O_DIRECTORY);
}

static void test_ages(void)
{
	fresh();
	make("c", 1);
	make("b", 2);
	make("a", 3);
	tap(!*apply(3, 0, NULL) && is_there("c"), "as many as the limit: nothing is deleted");
	tap(!*apply(0, 0, NULL) && is_there("c"), "no limit");
	/* Changing the modification time must not change the order. */
	tap_shell("touch -d 2001-01-01 %s", machine_path("snapshots/a"));
	tap(!strcmp(apply(2, 0, NULL), "c") && !is_there("c") && is_there("a") && is_there("b"),
	    "the oldest is deleted, by the time of the freeze: %s", said);
	make_at("stepped", "here", 5, 4);
	tap(!strcmp(apply(2, 0, NULL), "b"), "a clock that was stepped back changes nothing: %s",
	    said);
	make_at("before", "earlier", 99000000, 99000000);
	make_at("unknown", NULL, 99000001, 99000001);
	tap(!strcmp(apply(2, 0, NULL), "before unknown"),
	    "other boots are older, whatever their clocks said: %s", said);
	make_at("before2", "earlier", 20, 7);
	make_at("before1", "yet earlier", 10, 9);
	tap(!strcmp(apply(2, 0, NULL), "before1 before2"), "... among them, the clock counts: %s",
	    said);
	make("same2", 9);
	make("same1", 9);
	tap(!strcmp(apply(1, 0, NULL), "a stepped same1"), "equal times: by name: %s", said);
	make("old", 1);
	tap(!strcmp(apply(1, 0, "old"), "same2") && is_there("old"), "the new snapshot stays: %s",
	    said);
}

static void test_bytes(void)
{
	uint64_t one;
	int fd;

	fresh();
	make("a", 1);
	make("b", 2);
	make("c", 3);
	fd = folder_open(folder, "a");
	one = retention_bytes(fd);
	close(fd);
	tap(!*apply(0, 100 * (one + 8192), NULL), "bytes: enough");
	tap(!strcmp(apply(0, one * 2 + 8192, NULL), "a"), "... too little: %s", said);
	tap(!strncmp(apply(0, 1, "c"), "b snapshot: /srv/x: --max-disk cannot be met", 40) &&
		    is_there("c"),
	    "... a new snapshot larger than the limit remains alone: %s", said);
}

static void test_pins(void)
{
	int fd;

	fresh();
	make("file", 1);
	make("folder", 2);
	make("link", 3);
	make("locked", 4);
	make("free", 5);
	tap_shell(
		"cd %s/snapshots && touch file/pin && mkdir folder/pin && ln -s /nowhere link/pin",
		machine_root);
	fd = mm_snapshots_lock(machine_path("snapshots/locked/kernel"));
	tap(fd >= 0, "a snapshot is locked by a trace in it");
	tap(!strncmp(apply(1, 0, NULL), "free snapshot: /srv/x: --keep cannot be met: ", 45) &&
		    is_there("file") && is_there("folder") && is_there("link") &&
		    is_there("locked"),
	    "pinned by a file, a folder or a link, and locked ones stay: %s", said);
	close(fd);
	tap_shell("cd %s/snapshots && rm link/pin", machine_root);
	tap(!strcmp(apply(2, 0, NULL), "link locked"),
	    "... until they are unlocked and unpinned: %s", said);
	fd = folder_open(folder, "file");
	flock(fd, LOCK_EX);
	tap(mm_snapshots_lock(machine_path("snapshots/file")) < 0 &&
		    mm_snapshots_lock(machine_path("nowhere")) < 0 &&
		    mm_snapshots_lock(machine_path("snapshots")) < 0,
	    "no lock: one that another program excludes, nothing, or a folder of snapshots");
	close(fd);
}

/* Tests that files and folders that are not snapshots stay in the recorder's folder. */
static void test_others(void)
{
	static const char *const names[] = {
		"empty",    "a-link",	 "a-file",	 ".hidden",	".lttng-mm-aaaaaa",
		"broken",   "json-link", "json-pipe",	 "json-folder", "other",
		"no-times", "large",	 "another-user",
	};
	bool all = true;

	fresh();
	tap_shell(
		"cd %s && mkdir outside && cd snapshots && mkdir empty .hidden .lttng-mm-aaaaaa broken json-link json-pipe json-folder other no-times large another-user && "
		"good='{\"version\":1,\"requested\":{\"realtime_ns\":1,\"boottime_ns\":1}}' && "
		"for d in ../outside .hidden .lttng-mm-aaaaaa another-user; do echo \"$good\" >$d/snapshot.json; done && "
		"ln -s ../outside a-link && echo >a-file && echo '{' >broken/snapshot.json && "
		"ln -s ../../outside/snapshot.json json-link/snapshot.json && mkfifo json-pipe/snapshot.json && "
		"mkdir json-folder/snapshot.json && echo '{\"version\":2,\"requested\":{\"realtime_ns\":1,\"boottime_ns\":1}}' >other/snapshot.json && "
		"echo '{\"version\":1}' >no-times/snapshot.json && truncate -s 1T large/snapshot.json && "
		"if [ $(id -u) = 0 ]; then chown 65534 another-user; else rm another-user/snapshot.json; fi",
		machine_root);
	make("mine", 1);
	make("newest", 2);
	tap(!strcmp(apply(1, 0, NULL), "mine"), "only snapshots are deleted: %s", said);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!is_there(names[i])) {
			printf("# %s is gone\n", names[i]);
			all = false;
		}
	tap(all, "... and whatever else is there stays");
	tap(!access(machine_path("outside/snapshot.json"), F_OK), "... outside, too");
}

/* Tests snapshots that contain links to files outside. */
static void test_contents(void)
{
	fresh();
	tap_shell("rm -rf %s/outside", machine_root);
	machine_make_folder("outside");
	machine_write("outside/precious", "x");
	make("a", 1);
	make("b", 2);
	tap_shell(
		"cd %s/snapshots/a && ln -s ../../outside link && ln -s ../../../outside/precious kernel/link && "
		"mkfifo pipe && mkdir -p d/e/f && chmod 0 d/e",
		machine_root);
	tap(!strcmp(apply(1, 0, NULL), "a") && !is_there("a"), "links, pipes and folders: %s",
	    said);
	tap(!access(machine_path("outside/precious"), F_OK), "... what links refer to stays");
	tap_shell("[ -z \"$(find %s/snapshots -name '.*' -mindepth 1)\" ]", machine_root);
	tap(true, "nothing hidden is left");
}

/* Tests --min-free on the filesystem of /tmp with requests that certainly fit, or never fit. */
static void test_room(void)
{
	const struct retention retention = { .folder = folder,
					     .path = "/srv/x",
					     .limits = &limits };
	struct mm_error err = MM_ERROR_INIT;

	make("a", 3);
	make("c", 4);
	tap_shell("touch %s", machine_path("snapshots/c/pin"));
	limits = (struct retention_limits){ .min_free_percent = 0 };
	tap(!retention_make_room(&retention, UINT64_MAX / 4, &err) && is_there("b"),
	    "no share to stay free");
	limits.min_free_percent = 1;
	tap(!retention_make_room(&retention, 1, &err) && is_there("b"), "enough is free");
	tap(retention_make_room(&retention, UINT64_MAX / 4, &err) &&
		    strstr(err.message, "/srv/x: --min-free=1%: ") &&
		    err.code == MM_EXIT_ENVIRONMENT,
	    "not possible: %s", err.message);
	tap(is_there("a") && is_there("b") && is_there("c"), "... nothing is deleted for it");
}

/* Tests that only as many old snapshots are deleted as needed, or none if all are not enough. */
static void test_min_free(void)
{
	int calls = 0;
	const struct retention retention = {
		.folder = folder, .path = "/srv/x", .limits = &limits, .said = say, .user = &calls
	};
	struct mm_error err = MM_ERROR_INIT;

	fresh();
	for (int i = 0; i < 5; i++)
		make((const char[]){ (char)('a' + i), '\0' }, i + 1);
	tap_shell(
		"cd %s && touch b/pin && for s in ?; do fallocate -l 409600 $s/kernel/lttng-mm_0; done",
		machine_path("snapshots"));
	room_of = "abcde";
	*said = '\0';
	limits = (struct retention_limits){ .min_free_percent = 40 };
	tap(!retention_make_room(&retention, 100 * 4096, &err) && !*said,
	    "--min-free: 400 of 500 free blocks remain: nothing is deleted: %s", said);
	tap(!retention_make_room(&retention, 300 * 4096, &err) && !strcmp(said, "a c") &&
		    is_there("b"),
	    "... 300 blocks: the two oldest unpinned ones are deleted: %s", said);
	*said = '\0';
	tap(retention_make_room(&retention, 600 * 4096, &err) && !*said && is_there("d") &&
		    strstr(err.message, "--min-free=40%"),
	    "... 600 blocks: deleting all would not suffice, so none is deleted: %s", err.message);
	room_of = NULL;
}

/* Creates a snapshot of @blocks blocks, for the user @uid and with the cause @kind. */
static void make_of(const char *name, int number, const char *kind, int uid, unsigned int blocks)
{
	char path[64], text[512];

	make(name, number);
	snprintf(path, sizeof(path), "snapshots/%s/snapshot.json", name);
	snprintf(
		text, sizeof(text),
		"{ \"version\": 1, \"boot_id\": \"here\", \"frozen\": null, \"requested\": "
		"{ \"realtime_ns\": %d000000000, \"monotonic_ns\": 1, \"boottime_ns\": %d000000000 }, "
		"\"cause\": { \"kind\": \"%s\", \"uid\": %d } }",
		1000000 + number, number, kind, uid);
	machine_write(path, text);
	tap_shell("fallocate -l %u %s/kernel/lttng-mm_0", blocks * 4096,
		  machine_path((snprintf(path, sizeof(path), "snapshots/%s", name), path)));
}

/* Does the same as apply() for a new snapshot of @owner. */
static const char *apply_of(int64_t owner, uint64_t count, uint64_t blocks, const char *newest)
{
	int calls = 0;
	const struct retention retention = { .owner = owner,
					     .folder = folder,
					     .path = "/srv/x",
					     .limits = &limits,
					     .said = say,
					     .user = &calls };

	limits = (struct retention_limits){ .count = count, .max_bytes = blocks * 4096 };
	*said = '\0';
	retention_apply(&retention, newest);
	return said;
}

/* Creates two rescues, two snapshots of root, and some of two users, oldest first. */
static void make_owners(unsigned int blocks)
{
	fresh();
	make_of("rescue1", 1, "rescue", 0, blocks);
	make_of("root1", 2, "unit", 0, blocks);
	make_of("ann1", 3, "trigger", 4711, blocks);
	make_of("rescue2", 4, "rescue", 0, blocks);
	make_of("root2", 5, "trigger", 0, blocks);
	make_of("bob1", 6, "trigger", 4712, blocks);
	make_of("ann2", 7, "trigger", 4711, blocks);
	make_of("ann3", 8, "trigger", 4711, blocks);
}

/* Tests that a user's snapshot does not delete snapshots of other users. */
static void test_owners(void)
{
	make_owners(1);
	tap(!strcmp(apply_of(4711, 2, 0, "ann3"), "ann1"), "--keep counts for each owner: %s",
	    said);
	tap(!strcmp(apply_of(4711, 1, 0, "ann3"), "rescue1 root1 ann2"), "... and for rescues: %s",
	    said);
	make_owners(100);
	tap(!strcmp(apply_of(4711, 0, 730, "ann3"), "ann1"),
	    "--max-disk: a user's snapshot replaces that user's oldest one: %s", said);
	tap(!strcmp(apply_of(4711, 0, 630, "ann3"), "ann2") && is_there("rescue1"),
	    "... and the next: %s", said);
	tap(strstr(apply_of(4711, 0, 430, "ann3"), "--max-disk cannot be met") &&
		    is_there("bob1") && is_there("root1") && is_there("rescue1"),
	    "... but not the only one of another user, root's, or a rescue: %s", said);
	make_owners(100);
	make_of("bob2", 9, "trigger", 4712, 300);
	tap(!strcmp(apply_of(4711, 0, 1040, "ann3"), "bob1"),
	    "... the oldest of another user who takes more: %s", said);
	make_owners(100);
	make_of("root3", 9, "shutdown", 0, 400);
	tap(!strcmp(apply_of(4711, 0, 1130, "ann3"), "ann1") &&
		    !strcmp(apply_of(4711, 0, 820, "ann3"), "ann2 root1 root2"),
	    "... root's while they take more than half: %s", said);
	fresh();
	make_of("root1", 1, "unit", 0, 1000);
	make_of("ann1", 2, "trigger", 4711, 10);
	make_of("ann2", 3, "trigger", 4711, 10);
	tap(strstr(apply_of(4711, 0, 500, "ann2"), "ann1 ") == said &&
		    strstr(said, "--max-disk cannot be met") && is_there("root1"),
	    "... but not root's only one: %s", said);
	make_owners(100);
	tap(!strcmp(apply_of(RETENTION_ROOT, 0, 620, "root2"), "ann1 root1"),
	    "root's snapshot replaces the oldest one of the largest owner: %s", said);
	tap(strstr(apply_of(RETENTION_ROOT, 0, 120, "root2"), "ann2 bob1 ann3 rescue1 ") == said &&
		    strstr(said, "--max-disk cannot be met") && is_there("rescue2"),
	    "... then users' only ones, and rescues last, but not the only rescue: %s", said);
	make_owners(100);
	tap(!strcmp(apply_of(RETENTION_RESCUES, 0, 420, "rescue2"), "ann1 rescue1 root1 ann2"),
	    "a rescue replaces snapshots of others, too: %s", said);
	tap(strstr(apply_of(RETENTION_RESCUES, 0, 110, "rescue2"), "bob1 ann3 ") == said &&
		    is_there("root2"),
	    "... users' only ones, but not root's: %s", said);
	make_owners(1);
	for (int i = 0; i < 60; i++) {
		char name[16];

		snprintf(name, sizeof(name), "many%d", i);
		make_of(name, 10 + i, "trigger", 4713, 1);
	}
	apply_of(4713, 0, 0, NULL);
	tap(!is_there("many9") && is_there("many10") && is_there("root1") && is_there("rescue1"),
	    "a user has up to 50 without any limit of the recorder");
	make_of("many60", 70, "trigger", 4713, 1);
	tap_shell("for many in %s/snapshots/many*; do touch $many/pin; done", machine_root);
	tap(strstr(apply_of(4713, 0, 0, NULL),
		   "/srv/x: the number of snapshots of a user cannot be met"),
	    "... a message reports that they are pinned: %s", said);
}

/* Tests that a user's snapshot is refused before any other snapshot is deleted for it. */
static void test_user_room(void)
{
	struct retention retention = {
		.owner = 4711, .folder = folder, .path = "/srv/x", .limits = &limits
	};
	struct mm_error err = MM_ERROR_INIT;

	make_owners(100);
	retention.folder = folder;
	limits = (struct retention_limits){ .max_bytes = 600 * 4096 };
	tap(retention_make_room(&retention, 300 * 4096, &err) &&
		    strstr(err.message, "--max-disk") && is_there("ann1"),
	    "a user's snapshot that would be deleted at once is refused: %s", err.message);
	mm_error_clear(&err);
	tap(!retention_make_room(&retention, 80 * 4096, &err), "one that fits is not refused");
	tap(retention_make_room(&retention, 120 * 4096, &err) && strstr(err.message, "--max-disk"),
	    "... but one that would replace another user's only one is: %s", err.message);
	mm_error_clear(&err);
	room_of = "";
	limits = (struct retention_limits){ .count = 0 };
	tap(retention_make_room(&retention, 950 * 4096, &err) &&
		    strstr(err.message, "a user's trigger must leave 10% free:"),
	    "a user's snapshot leaves a part of the disk: %s", err.message);
	mm_error_clear(&err);
	retention.owner = RETENTION_ROOT;
	tap(!retention_make_room(&retention, 950 * 4096, &err), "root's need not");
	mm_error_clear(&err);
	fresh();
	make_of("r", 1, "unit", 0, 100);
	make_of("a", 2, "trigger", 4711, 10);
	make_of("s", 3, "unit", 0, 100);
	room_of = "ars";
	retention.folder = folder;
	retention.owner = 4711;
	tap(retention_make_room(&retention, 750 * 4096, &err) && is_there("a") && is_there("r"),
	    "... and the part that a user's leaves is not made free of root's: %s", err.message);
	mm_error_clear(&err);
	limits = (struct retention_limits){ .min_free_percent = 10 };
	tap(!retention_make_room(&retention, 710 * 4096, &err) && !is_there("a") && !is_there("r"),
	    "... unless --min-free says so: %s", err.message);
	room_of = NULL;
}

/* Tests that a reader's lock delays the deletion, for minutes. */
static void test_locks(void)
{
	int fd;

	fresh();
	make("old", 1);
	make("new", 2);
	fd = folder_open(folder, "old");
	flock(fd, LOCK_SH);
	tap(strstr(apply(1, 0, "new"), "cannot be met") && is_there("old"),
	    "a snapshot that is read is not deleted at first: %s", said);
	tap(strstr(apply(1, 0, "new"), "cannot be met") && is_there("old"), "... nor soon after");
	tap_shell("touch -d '4 minutes ago' %s", machine_path("snapshots/old/.due"));
	tap(strstr(apply(1, 0, "new"), "cannot be met") && is_there("old"), "... nor in minutes");
	apply(2, 0, "new");
	tap(faccessat(fd, ".due", F_OK, AT_SYMLINK_NOFOLLOW),
	    "if the snapshot need not be deleted, the time is forgotten");
	apply(1, 0, "new");
	tap_shell("touch -d '6 minutes ago' %s", machine_path("snapshots/old/.due"));
	tap(!strcmp(apply(1, 0, "new"), "old") && !is_there("old"),
	    "after six minutes, it is deleted although it is still locked: %s", said);
	close(fd);
	make("old", 1);
	fd = folder_open(folder, "old");
	flock(fd, LOCK_EX);
	apply(1, 0, "new");
	tap_shell("touch -d tomorrow %s", machine_path("snapshots/old/.due"));
	tap(strstr(apply(1, 0, "new"), "cannot be met") && is_there("old"),
	    "a clock that was set back starts the time again");
	close(fd);
}

/*
 * Tests a process that is killed while it deletes a snapshot: the next sweep removes the remains.
 */
static void test_killed(void)
{
	struct staging staging;

	fresh();
	make("a", 1);
	tap(!staging_make(&staging, folder) &&
		    !folder_move(folder, "a", staging.folder, STAGING_MADE),
	    "killed while it deletes");
	staging_leave(&staging);
	tap(staging_sweep(folder) == 1 && !is_there(staging.name), "... the rest is swept");
}

/* Returns the names of the snapshots that recent_snapshots() finds, separated by blanks. */
static const char *find_recent(void)
{
	json_t *list = recent_snapshots(machine_path("snapshots")), *snapshot;
	size_t i;

	*said = '\0';
	json_array_foreach(list, i, snapshot)
	{
		const char *path = json_string_value(json_object_get(snapshot, "path"));

		if (i)
			strcat(said, " ");
		strcat(said, strrchr(path, '/') + 1);
	}
	json_decref(list);
	return said;
}

/* Contents that a hostile snapshot may have. */
static const struct {
	const char *name, *json;
	bool found;
} hostile[] = {
	{ "array", "[ 1 ]", false },
	{ "empty", "", false },
	{ "version", "{ \"version\": 2 }", false },
	{ "other-types",
	  "{ \"version\": 1, \"requested\": [ 1 ], \"cause\": \"x\", \"reason\": 5 }", true },
	{ "deep", "{ \"version\": 1, \"cause\": { \"kind\": { \"kind\": 1 } } }", true },
	{ "bytes", "{ \"version\": 1, \"reason\": \"\xff\" }", false },
};

static void test_recent(void)
{
	json_t *list;
	char path[128], name[16];

	fresh();
	tap(!*find_recent(), "recent: no snapshots");
	make("old", 1);
	make("new", 2);
	tap_shell("touch -d 2001-01-01 %s", machine_path("snapshots/old"));
	machine_make_folder("snapshots/.hidden");
	machine_make_folder("snapshots/other");
	machine_write("snapshots/file", "x");
	tap_shell("ln -s new %s", machine_path("snapshots/link"));
	tap(!strcmp(find_recent(), "old new"), "recent: by age, and nothing else: %s", said);
	machine_write("snapshots/new/snapshot.json",
		      "{ \"version\": 1, \"reason\": \"why\", \"requested\": { \"realtime_ns\": "
		      "5000000000 }, \"cause\": { \"kind\": \"trigger\", \"trigger\": \"oom\" } }");
	list = recent_snapshots(machine_path("snapshots"));
	tap(json_integer_value(json_object_get(json_array_get(list, 1), "requested")) == 5 &&
		    !strcmp(json_string_value(json_object_get(
				    json_object_get(json_array_get(list, 1), "cause"), "trigger")),
			    "oom") &&
		    !strcmp(json_string_value(json_object_get(json_array_get(list, 1), "reason")),
			    "why"),
	    "recent: time, cause and reason");
	json_decref(list);
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		fresh();
		snprintf(path, sizeof(path), "snapshots/%s", hostile[i].name);
		machine_make_folder(path);
		strcat(path, "/snapshot.json");
		machine_write(path, hostile[i].json);
		tap(!strcmp(find_recent(), hostile[i].found ? hostile[i].name : ""),
		    "recent: %s: %s", hostile[i].name, hostile[i].found ? "shown" : "left out");
	}
	fresh();
	make("large", 1);
	/* The snapshot is valid, but too large. */
	tap_shell("head -c 5000000 /dev/zero | tr '\\0' ' ' >>%s",
		  machine_path("snapshots/large/snapshot.json"));
	tap(!*find_recent(), "recent: a file that is too large is left out");
	for (int i = 0; i < 3 * RECENT_MAX; i++) {
		snprintf(name, sizeof(name), "s%d", 100 + i);
		make(name, i);
	}
	list = recent_snapshots(machine_path("snapshots"));
	tap(json_array_size(list) && json_array_size(list) <= RECENT_MAX,
	    "recent: a limited number: %zu", json_array_size(list));
	json_decref(list);
	list = recent_snapshots("/nonexistent");
	tap(!json_array_size(list), "recent: no folder");
	json_decref(list);
}

int main(void)
{
	static const char *const folders[] = {
		"proc", "proc/sys", "proc/sys/kernel", "proc/sys/kernel/random", "snapshots", NULL
	};

	if (geteuid()) {
		tap_skip("retention", "only root can delete a folder that nobody may open");
		return tap_status();
	}
	umask(022);
	machine_create(folders);
	machine_write("proc/sys/kernel/random/boot_id", "here\n");
	folder = open(machine_path("snapshots"), O_RDONLY | O_DIRECTORY);
	test_ages();
	test_bytes();
	test_pins();
	test_others();
	test_contents();
	test_room();
	test_min_free();
	test_owners();
	test_user_room();
	test_locks();
	test_killed();
	test_recent();
	close(folder);
	tap(machine_remove(), "all is removed");
	return tap_status();
}
