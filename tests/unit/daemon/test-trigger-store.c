// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the store of triggers: it must read what it wrote, and refuse malformed or untrusted files.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/store.h"
#include "tests/tap.h"

#define NOBODY 65534
#define FOLDER "var/lib/lttng-mm/triggers"

static char root[] = "/tmp/test-trigger-XXXXXX";

/* The result of list(): the names of the stored triggers, and the messages about refused files. */
static struct {
	char names[512], refused[4096];
	unsigned int count;
} found;

static void take(void *user, struct trigger *trigger, const struct mm_error *refused)
{
	char *text = trigger ? found.names : found.refused;
	size_t size = trigger ? sizeof(found.names) : sizeof(found.refused), length = strlen(text);

	(void)user;
	found.count += trigger != NULL;
	snprintf(text + length, size - length, "%s ", trigger ? trigger->name : refused->message);
	trigger_destroy(trigger);
}

static int list(struct mm_error *err)
{
	memset(&found, 0, sizeof(found));
	return trigger_store_list(take, NULL, err);
}

static struct trigger *make(const char *name, const char *on)
{
	struct trigger *trigger = trigger_create();

	if (!trigger || !(trigger->on = strdup(on)))
		tap_bail("out of memory");
	snprintf(trigger->name, sizeof(trigger->name), "%s", name);
	trigger->uid = trigger->gid = 7;
	if (trigger_parse_condition(trigger, NULL))
		tap_bail("%s", on);
	return trigger;
}

static int add(const char *name, const char *on, struct mm_error *err)
{
	struct trigger *trigger = make(name, on);
	int ret = trigger_store_add(trigger, err);

	trigger_destroy(trigger);
	return ret;
}

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) == EOF || fclose(file) || chmod(path, 0644))
		tap_bail("%s cannot be written", path);
}

static void test_add_and_remove(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct stat st;

	tap(!list(&err) && !found.count && !*found.refused,
	    "without a folder there are no triggers");
	tap(!trigger_store_remove("none", &err),
	    "removing a trigger that does not exist is no error");
	umask(077);
	tap(!add("b", "sched_switch", &err) && !add("a", "failed-allocation", &err) &&
		    !add("a", "kernel-message oom", &err),
	    "three triggers are added, one replaces another %s", err.message);
	tap(!stat(FOLDER "/a.json", &st) && (st.st_mode & 07777) == 0644 && !stat(FOLDER, &st) &&
		    (st.st_mode & 07777) == 0755,
	    "anyone can read the files, whatever the umask");
	tap(!list(&err) && !strcmp(found.names, "a b ") && !*found.refused,
	    "the triggers are listed by name: %s", found.refused);
	tap(!trigger_store_remove("a", &err) && !trigger_store_remove("a", &err) && !list(&err) &&
		    !strcmp(found.names, "b "),
	    "a trigger is removed");
	tap(trigger_store_remove("../triggers/b", &err) && !list(&err) && found.count == 1,
	    "a path is not a name: %s", err.message);
	tap(!system("test -z \"$(ls -A " FOLDER " | grep -v '^b.json$')\""),
	    "nothing else is left behind");
}

static const struct {
	const char *file, *text, *says;
} bad[] = {
	{ "empty.json", "", "/empty.json: line 1: " },
	{ "list.json", "[]", "/list.json: trigger: not a JSON object" },
	{ "twice.json", "{\"name\":\"twice\",\"name\":\"twice\"}", "duplicate object key" },
	{ "other.json", "{\"name\":\"b\",\"on\":\"x\",\"uid\":0}",
	  "the file contains another trigger, b" },
	{ "user.json", "{\"name\":\"user\",\"on\":\"x\"}",
	  "the file does not say which user added the trigger" },
	{ "future.json", "{\"version\":2,\"name\":\"future\",\"on\":\"x\",\"uid\":0}",
	  "\"version\"" },
	{ "regex.json", "{\"name\":\"regex\",\"on\":\"journal (x)\\\\1\",\"uid\":0}",
	  "back reference" },
	{ "a.json.json", "{\"name\":\"a\",\"on\":\"x\",\"uid\":0}",
	  "the file contains another trigger, a" },
};

static void test_refused(void)
{
	struct mm_error err = MM_ERROR_INIT;
	int ret;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		put(bad[i].file, bad[i].text);
	put("README", "not a trigger");
	put(".x.new", "{");
	ret = list(&err);
	tap(!ret && !strcmp(found.names, "b "), "files that are refused do not affect others");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap(strstr(found.refused, bad[i].says) != NULL, "%s: refused", bad[i].file);
	tap(strstr(found.refused, "the trigger is disabled: remove the file and add") != NULL &&
		    !strstr(found.refused, "README") && !strstr(found.refused, ".x.new"),
	    "with a remedy, other files are not read");
	tap_shell("cd " FOLDER " && rm -f README .x.new $(ls | grep -v '^b.json$')");
}

static void expect_refused(const char *what)
{
	struct mm_error err = MM_ERROR_INIT;

	tap(!list(&err) && !strcmp(found.names, "b ") && strstr(found.refused, "x.json"), "%s: %s",
	    what, found.refused);
	tap_shell("rm -rf " FOLDER "/x.json");
}

static void test_hostile(void)
{
	struct mm_error err = MM_ERROR_INIT;

	tap_shell("ln -s b.json " FOLDER "/x.json");
	expect_refused("a symbolic link");
	tap_shell("mkfifo " FOLDER "/x.json");
	expect_refused("a pipe that nobody writes to");
	tap_shell("mkdir " FOLDER "/x.json");
	expect_refused("a folder");
	tap_shell("head -c 70000 /dev/zero | tr '\\0' ' ' >" FOLDER "/x.json");
	expect_refused("a large file");
	put("x.json", "{\"name\":\"x\",\"on\":\"y\",\"uid\":0}");
	tap_shell("chmod 666 " FOLDER "/x.json");
	expect_refused("a file that others can write");
	if (!geteuid()) {
		put("x.json", "{\"name\":\"x\",\"on\":\"y\",\"uid\":0}");
		if (chown(FOLDER "/x.json", NOBODY, NOBODY))
			tap_bail("chown");
		expect_refused("a file of another user");
	} else {
		tap_skip("a file of another user", "needs root");
	}
	tap_shell("chmod 777 " FOLDER);
	tap(list(&err) == -1 &&
		    strstr(err.message, "users other than root may have written this file") &&
		    add("c", "sched_switch", NULL) == -1,
	    "a folder that others can write: %s", err.message);
	tap_shell("chmod 755 " FOLDER);
}

/* Tests that saved limits exist until the trigger is removed or added anew. */
static void test_limits(void)
{
	json_t *json = json_pack("{s:i}", "version", 1), *read;
	struct mm_error err = MM_ERROR_INIT;

	tap(!trigger_store_load_limits("lim"), "at first, no limits are stored");
	tap(!add("lim", "sched_switch", &err) && !trigger_store_save_limits("lim", json, &err),
	    "limits are stored: %s", err.message);
	read = trigger_store_load_limits("lim");
	tap(json_equal(json, read), "the stored limits are read again");
	json_decref(read);
	tap_shell("chmod 666 " FOLDER "/.lim.limits");
	tap(json_is_null(trigger_store_load_limits("lim")),
	    "limits that others could have written are not read");
	tap(!trigger_store_save_limits("lim", json, &err) && !list(&err) && !*found.refused,
	    "limits are replaced, and do not count as a trigger: %s", found.refused);
	add("lim", "sched_switch", &err);
	tap(!trigger_store_load_limits("lim"), "a trigger that is added anew has no limits");
	trigger_store_save_limits("lim", json, &err);
	tap(!trigger_store_remove("lim", &err) && !trigger_store_load_limits("lim"),
	    "a trigger that is removed has no limits");
	json_decref(json);
}

/* Tests that a user's limits outlive the user's triggers, until the limits are too old. */
static void test_forgotten(void)
{
	json_t *json = json_pack("{s:i}", "version", 1);
	struct mm_error err = MM_ERROR_INIT;

	add("lim", "sched_switch", &err);
	trigger_store_save_limits("lim", json, &err);
	trigger_store_save_limits(".user-1", json, &err);
	trigger_store_save_limits(".user-2", json, &err);
	tap_shell("touch -d '2 hours ago' " FOLDER "/..user-1.limits " FOLDER "/.lim.limits");
	trigger_store_forget_limits(".user-", 3 * 3600);
	tap(!access(FOLDER "/..user-1.limits", F_OK), "limits of users are kept for a time");
	trigger_store_forget_limits(".user-", 3600);
	tap(access(FOLDER "/..user-1.limits", F_OK) && !access(FOLDER "/..user-2.limits", F_OK) &&
		    !access(FOLDER "/.lim.limits", F_OK) && !access(FOLDER "/lim.json", F_OK),
	    "... and then removed, but nothing else");
	unlink(FOLDER "/..user-2.limits");
	trigger_store_remove("lim", &err);
	json_decref(json);
}

static void test_many(void)
{
	struct mm_error err = MM_ERROR_INIT;
	char name[16];

	for (int i = 0; i < TRIGGERS_MAX; i++) {
		snprintf(name, sizeof(name), "n%03d", i);
		if (add(name, "sched_switch", &err))
			tap_bail("%s", err.message);
	}
	tap(!list(&err) && found.count == TRIGGERS_MAX &&
		    strstr(found.refused, "n063.json: there are more than 64 triggers"),
	    "at most %d: %s", TRIGGERS_MAX, found.refused);
}

int main(void)
{
	if (!mkdtemp(root) || chmod(root, 0755) || chdir(root) || setenv("LTTNG_MM_ROOT", root, 1))
		tap_bail("%s", root);
	tap_shell("mkdir -p var/lib");
	test_add_and_remove();
	test_refused();
	test_hostile();
	tap_shell("rm -rf " FOLDER "/x.json");
	test_limits();
	test_forgotten();
	test_many();
	tap_shell("rm -rf '%s'", root);
	return tap_status();
}
