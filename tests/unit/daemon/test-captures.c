// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests how captured values are written: numbers have the declared base, only listed texts are
 * written, and an event that may contain kernel addresses has no values. Also tests whether a
 * system call is matched at its entry or exit, the cache of fields, and the time limit for calls
 * that hang.
 */
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/field-cache.h"
#include "lttng-session/daemon/triggers/watch/deadline.h"
#include "lttng-session/daemon/triggers/watch/events-lttng.h"
#include "lttng-session/snapshot/json.h"
#include "lttng-session/system/cmdline.h"
#include "lttng-session/system/mount-options.h"
#include "tests/tap.h"
#include "tests/unit/machine.h"

#define NS_PER_MS INT64_C(1000000)

static void check_numbers(void)
{
	static const struct {
		uint64_t value;
		bool is_signed, hex;
		const char *json;
	} cases[] = {
		{ 4096, false, false, "4096" },
		{ 4096, false, true, "\"0x1000\"" },
		{ UINT64_C(0xffffffff81000000), false, true, "\"0xffffffff81000000\"" },
		{ UINT64_MAX, true, false, "-1" },
		{ UINT64_MAX, true, true, "\"0xffffffffffffffff\"" },
		{ UINT64_MAX, false, false, "\"18446744073709551615\"" },
		{ 0, false, true, "\"0x0\"" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *json = events_number_json(cases[i].value, cases[i].is_signed, cases[i].hex);
		char *text = json_dumps(json, JSON_ENCODE_ANY);

		tap(text && !strcmp(text, cases[i].json), "a number: %s", text);
		free(text);
		json_decref(json);
	}
}

static void check_texts(void)
{
	static const struct {
		const char *list, *name, *expected; /* @list NULL: there is no file */
	} cases[] = {
		{ NULL, "$ctx.procname", "secret" },
		{ NULL, "child_comm", "secret" },
		{ NULL, "comm", "secret" },
		{ NULL, "filename", "..." },
		{ NULL, "vtids[0]", "..." },
		{ "# nothing\n", "comm", "..." },
		{ "filename # of open\npath*\n", "filename", "secret" },
		{ "filename # of open\npath*\n", "path_to", "secret" },
		{ "filename # of open\npath*\n", "comm", "..." },
		{ "*\n", "anything", "secret" },
		{ "number:*\n", "anything", "..." },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct allow_list strings;
		json_t *json;

		machine_write("etc/lttng-mm/captures", cases[i].list);
		allow_read(&strings, EVENTS_CAPTURES, events_captures_defaults);
		json = events_text_json(&strings, cases[i].name, "secret");
		tap(!strcmp(json_string_value(json), cases[i].expected), "%s by %s: %s",
		    cases[i].name, cases[i].list ? "a list" : "the defaults",
		    json_string_value(json));
		json_decref(json);
		allow_release(&strings);
	}
}

static void check_numbers_listed(void)
{
	static const struct {
		const char *list, *name; /* @list NULL: there is no file */
		bool listed;
	} cases[] = {
		{ NULL, "pgoff", true },
		{ NULL, "$ctx.tid", true },
		{ "comm\n", "pgoff", false },
		{ "comm\nnumber:pg*\n", "pgoff", true },
		{ "comm\nnumber:pg*\n", "address", false },
		{ "pgoff\n", "pgoff", true },
		{ "n*\n", "pgoff", false },
		{ "*:*\n", "pgoff", false },
		{ "number:*\n", "address", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct allow_list list;

		machine_write("etc/lttng-mm/captures", cases[i].list);
		allow_read(&list, EVENTS_CAPTURES, events_captures_defaults);
		tap(events_number_is_listed(&list, cases[i].name) == cases[i].listed,
		    "the number %s by %s: %s", cases[i].name,
		    cases[i].list ? "a list" : "the defaults",
		    cases[i].listed ? "it is written" : "it is not");
		allow_release(&list);
	}
}

/* Writes snapshot.json, and returns the fields of its cause (a new reference). */
static char *written_fields(bool reveals, bool has_addresses)
{
	json_t *cause = json_pack("{s:s,s:{s:{s:s,s:i,s:i,s:s}}}", "kind", "trigger", "match",
				  "fields", "ip", "0xffffffff81000000", "n", 1, "$ctx.tid", 7,
				  "$ctx.callstack-kernel[0]", "0xffffffff81000000");
	const struct snapshot_request request = { .cause = cause, .cause_reveals = reveals };
	const struct snapshot_facts facts = {
		.request = &request,
		.requested_trace_ns = INT64_MIN,
		.has_addresses = has_addresses,
	};
	int folder = open(machine_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct mm_error err = MM_ERROR_INIT;
	json_t *json;
	char *text;

	unlinkat(folder, "snapshot.json", 0);
	if (snapshot_json_write(folder, &facts, &err))
		tap_bail("%s", err.message);
	close(folder);
	json = json_load_file(machine_path("snapshot.json"), 0, NULL);
	text = json_dumps(
		json_object_get(json_object_get(json_object_get(json, "cause"), "match"), "fields"),
		JSON_COMPACT);
	json_decref(json);
	json_decref(cause);
	return text;
}

/* Tests whether snapshot.json contains the matched line of a file. */
static void check_lines(void)
{
	static const struct {
		const char *list, *expected; /* @list NULL: there is no file */
	} cases[] = {
		{ NULL, "the line" },
		{ "# nothing\n", "..." },
		{ "*comm\n", "..." },
		{ "*comm\n$text # of files\n", "the line" },
	};
	json_t *cause = json_pack("{s:s,s:{s:s}}", "kind", "trigger", "match", "text", "the line");
	const struct snapshot_request request = { .cause = cause };
	const struct snapshot_facts facts = { .request = &request,
					      .requested_trace_ns = INT64_MIN };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int folder = open(machine_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct mm_error err = MM_ERROR_INIT;
		const char *text;
		json_t *json;

		machine_write("etc/lttng-mm/captures", cases[i].list);
		unlinkat(folder, "snapshot.json", 0);
		if (snapshot_json_write(folder, &facts, &err))
			tap_bail("%s", err.message);
		json = json_load_file(machine_path("snapshot.json"), 0, NULL);
		text = json_string_value(json_object_get(
			json_object_get(json_object_get(json, "cause"), "match"), "text"));
		tap(text && !strcmp(text, cases[i].expected), "a line that matched, by %s: %s",
		    cases[i].list ? "a list" : "the defaults", text);
		json_decref(json);
		close(folder);
	}
	machine_write("etc/lttng-mm/captures", NULL);
	json_decref(cause);
}

/* The installed file must list the built-in defaults. */
static void check_installed(const char *tests)
{
	static const char *const line[] = { "$text", NULL };
	const struct {
		const char *file;
		const char *const *defaults, *const *more;
	} cases[] = {
		{ "captures", events_captures_defaults, line },
		{ "kernel-parameters", cmdline_defaults, NULL },
		{ "mount-options", mount_options_defaults, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct allow_list list;
		size_t count = 0;
		bool same = true;

		tap_shell("cp %s/../../../packaging/%s %s/etc/lttng-mm/", tests, cases[i].file,
			  machine_root);
		allow_read(&list, cases[i].file, (const char *const[]){ NULL });
		for (const char *const *name = cases[i].defaults; *name; name++, count++)
			same = same && allow_has(&list, *name, strlen(*name));
		for (const char *const *name = cases[i].more; name && *name; name++, count++)
			same = same && allow_has(&list, *name, strlen(*name));
		tap(same && list.count == count, "packaging/%s has the defaults", cases[i].file);
		allow_release(&list);
	}
}

static void check_hidden(void)
{
	static const char all[] =
		"{\"ip\":\"0xffffffff81000000\",\"n\":1,\"$ctx.tid\":7,\"$ctx.callstack-kernel[0]\":\"0xffffffff81000000\"}";
	static const char none[] =
		"{\"ip\":\"***\",\"n\":\"***\",\"$ctx.tid\":7,\"$ctx.callstack-kernel[0]\":\"***\"}";
	static const struct {
		bool reveals, has_addresses;
		const char *fields;
	} cases[] = {
		{ false, false, all },
		{ true, false, none },
		{ true, true, all },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *fields = written_fields(cases[i].reveals, cases[i].has_addresses);

		tap(fields && !strcmp(fields, cases[i].fields),
		    "an event that %s addresses, in a snapshot with%s: %s",
		    cases[i].reveals ? "may have" : "has no", cases[i].has_addresses ? "" : "out",
		    fields);
		free(fields);
	}
}

/* Checks at which end of a system call the condition is registered: the entry or the exit. */
static void check_site(bool at_exit)
{
	enum lttng_event_rule_kernel_syscall_emission_site site =
		LTTNG_EVENT_RULE_KERNEL_SYSCALL_EMISSION_SITE_UNKNOWN;
	struct mm_error err = MM_ERROR_INIT;
	struct trigger *trigger = trigger_create();
	const struct lttng_event_rule *rule;
	struct events_lttng lttng;

	strcpy(trigger->name, "test");
	trigger->event = strdup("syscall:openat");
	trigger->filter = strdup(at_exit ? "ret < 0" : "flags == 0");
	trigger->at_exit = at_exit;
	if (!events_lttng_make(&lttng, trigger, getpid(), &err)) {
		if (lttng_condition_event_rule_matches_get_rule(lttng.condition, &rule) ==
		    LTTNG_CONDITION_STATUS_OK)
			site = lttng_event_rule_kernel_syscall_get_emission_site(rule);
		events_lttng_release(&lttng);
	}
	tap(site == (at_exit ? LTTNG_EVENT_RULE_KERNEL_SYSCALL_EMISSION_SITE_EXIT
			     : LTTNG_EVENT_RULE_KERNEL_SYSCALL_EMISSION_SITE_ENTRY),
	    "a system call is matched at its %s%s", at_exit ? "exit" : "entry", err.message);
	trigger_destroy(trigger);
}

static void check_cache(void)
{
	static const char metadata[] =
		"/* CTF 1.8 */\n\ntrace { major = 1; minor = 8; byte_order = le; };\n"
		"stream { };\nevent { name = \"a\"; fields := struct { }; };\n";
	const char *names[] = { "a", "b" };
	struct field_cache cache;
	struct ctf_trace_class *trace;

	if (geteuid()) {
		tap_skip("descriptions of fields", "needs root");
		return;
	}
	field_cache_open(&cache);
	tap(cache.lock >= 0 && cache.folder >= 0 && !field_cache_find(&cache, "a"),
	    "no event is described");
	field_cache_add(&cache, names, 2, metadata, sizeof(metadata) - 1);
	field_cache_close(&cache);
	field_cache_open(&cache);
	trace = field_cache_find(&cache, "b");
	tap(trace && trace->stream_count == 1 && !field_cache_find(&cache, "c"),
	    "stored metadata is found again");
	ctf_trace_class_destroy(trace);
	field_cache_close(&cache);
	machine_write("proc/modules", "new_probe 4096 0 - Live 0x0\n");
	field_cache_open(&cache);
	tap(!field_cache_find(&cache, "a"),
	    "stored metadata is not used after another module was loaded");
	field_cache_close(&cache);
	machine_write("proc/modules", "");
	field_cache_open(&cache);
	tap(!field_cache_find(&cache, "a"),
	    "earlier metadata is not used after the modules changed back");
	field_cache_close(&cache);
}

static void on_expired(void *user, const char *what)
{
	_exit(!strcmp(what, "what hangs") && user ? 7 : 8);
}

static void check_deadline(void)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		struct deadline deadline = DEADLINE_INIT;

		if (deadline_start(&deadline, on_expired, &deadline))
			_exit(9);
		deadline_begin(&deadline, "what returns", 60000 * NS_PER_MS);
		deadline_end(&deadline);
		deadline_begin(&deadline, "what hangs", NS_PER_MS);
		for (;;)
			pause();
	}
	waitpid(pid, &status, 0);
	tap(WIFEXITED(status) && WEXITSTATUS(status) == 7, "a call that does not return: %d",
	    status);
}

int main(int argc, char **argv)
{
	static const char *const folders[] = { "etc", "etc/lttng-mm", "proc", "run", NULL };

	(void)argc;
	machine_create(folders);
	machine_write("proc/modules", "");
	check_numbers();
	check_texts();
	check_numbers_listed();
	check_lines();
	check_installed(dirname(argv[0]));
	check_hidden();
	check_site(false);
	check_site(true);
	check_cache();
	check_deadline();
	machine_remove();
	return tap_status();
}
