// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the parser of conditions, and triggers as JSON. */
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon/triggers/definition/filter.h"
#include "lttng-session/daemon/triggers/definition/regex.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/snapshot/snapshot.h"
#include "tests/tap.h"

#define MS INT64_C(1000000)

/* A condition and its parsed members; NULL: absent. */
static const struct {
	const char *on;
	const char *event, *filter;
	uint64_t rate;
	const char *resource;
	int64_t stall_ns, window_ns;
	const char *path, *unit, *regex;
	enum trigger_kind kind;
	bool full;
} valid[] = {
	{ .on = "sched_switch", .event = "sched_switch" },
	{ .on = "  sched_switch\t ", .event = "sched_switch" },
	{ .on = "syscall:openat", .event = "syscall:openat" },
	{ .on = "dax_pmd_fault_done if result & FALLBACK",
	  .event = "dax_pmd_fault_done",
	  .filter = "result & FALLBACK" },
	{ .on = "a_b if  comm == \"if > 3/s\" ", .event = "a_b", .filter = "comm == \"if > 3/s\"" },
	{ .on = "rate slab_kmalloc > 1000/s",
	  .kind = TRIGGER_RATE,
	  .event = "slab_kmalloc",
	  .rate = 1000 },
	{ .on = "rate slab_kmalloc if bytes > 4096 && bytes < 10 >0/s",
	  .kind = TRIGGER_RATE,
	  .event = "slab_kmalloc",
	  .filter = "bytes > 4096 && bytes < 10" },
	{ .on = "rate_of_x", .event = "rate_of_x" },
	{ .on = "pressure memory some > 150ms per 1s",
	  .kind = TRIGGER_PRESSURE,
	  .resource = "memory",
	  .stall_ns = 150 * MS,
	  .window_ns = 1000 * MS },
	{ .on = "pressure io full > 0.5s per 0.5s",
	  .kind = TRIGGER_PRESSURE,
	  .resource = "io",
	  .full = true,
	  .stall_ns = 500 * MS,
	  .window_ns = 500 * MS },
	{ .on = "failed-allocation", .kind = TRIGGER_FAILED_ALLOCATION },
	{ .on = "kernel-message ^BUG: (KASAN|KFENCE)",
	  .kind = TRIGGER_KERNEL_MESSAGE,
	  .regex = "^BUG: (KASAN|KFENCE)" },
	{ .on = "kernel-message oom killer",
	  .kind = TRIGGER_KERNEL_MESSAGE,
	  .regex = "oom killer" },
	{ .on = "file /var/log/app.log ERROR [0-9]{3} .*",
	  .kind = TRIGGER_FILE,
	  .path = "/var/log/app.log",
	  .regex = "ERROR [0-9]{3} .*" },
	{ .on = "file \"/var/log/my app.log\" x y",
	  .kind = TRIGGER_FILE,
	  .path = "/var/log/my app.log",
	  .regex = "x y" },
	{ .on = "journal unit=ssh@1.service  Failed (a|b)+",
	  .kind = TRIGGER_JOURNAL,
	  .unit = "ssh@1.service",
	  .regex = "Failed (a|b)+" },
	{ .on = "journal time out", .kind = TRIGGER_JOURNAL, .regex = "time out" },
};

/* Refused conditions, and a part of the message. */
static const struct {
	const char *on, *says;
} invalid[] = {
	{ "", "condition: empty" },
	{ "  ", "condition: empty" },
	{ "sched_switch\nif x", "control character" },
	{ "kernel-mesage oom",
	  "'kernel-mesage' is not the name of an event; did you mean 'kernel-message'? known conditions: " },
	{ "filee /var/log/app.log failed",
	  "'/var/log/app.log failed' after the event filee; only 'if FILTER' can follow the event; did you mean 'file'?" },
	{ "sched_*", "'sched_*' is a pattern" },
	{ "syscall:", "'syscall:' is not the name" },
	{ "sched_switch when x", "'when x' after the event sched_switch" },
	{ "sched_switch if", "there is no filter" },
	{ "sched_switch if  ", "there is no filter" },
	{ "rate sched_switch", "does not end with a rate" },
	{ "rate sched_switch > 10", "does not end with a rate" },
	{ "rate sched_switch > /s", "does not end with a rate" },
	{ "rate sched_switch > -1/s", "does not end with a rate" },
	{ "rate sched_switch > 99999999999/s", "a rate cannot exceed" },
	{ "rate > 1/s", "is not the name of an event" },
	{ "rate sched_switch if > 1/s", "there is no filter" },
	{ "pressure", "'' is not a resource; known: memory, cpu, io" },
	{ "pressure disk some > 1s per 1s", "'disk' is not a resource" },
	{ "pressure io any > 1s per 1s", "'any' is not a level; known: some, full" },
	{ "pressure io some 1s per 1s", "'>' is missing before '1s per 1s'" },
	{ "pressure io some > 1 per 1s", "1: not a duration" },
	{ "pressure io some > 1s of 1s", "'per' is missing" },
	{ "pressure io some > 1s per 1s x", "'x' after the last duration" },
	{ "pressure io some > 2s per 1s", "at most as long as the window" },
	{ "pressure io some > 0s per 1s", "at least 1us" },
	{ "pressure io some > 1ms per 499ms", "500ms to 10s" },
	{ "pressure io some > 1ms per 11s", "500ms to 10s" },
	{ "failed-allocation of pages", "'of pages' after failed-allocation" },
	{ "kernel-message", "the regular expression is missing" },
	{ "kernel-message a\\1", "back reference" },
	{ "file", "'' is not an absolute path" },
	{ "file log x", "'log' is not an absolute path" },
	{ "file /var/log/ x", "cannot be the path of a file" },
	{ "file /var/log", "the regular expression is missing" },
	{ "file \"/var/log x", "the quotation mark" },
	{ "journal", "the regular expression is missing" },
	{ "journal unit= x", "'' is not the name of a unit" },
	{ "journal unit=a/b x", "'a/b' is not the name of a unit" },
};

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static struct trigger *make(const char *on)
{
	struct trigger *trigger = trigger_create();

	if (!trigger || !(trigger->on = strdup(on)))
		tap_bail("out of memory");
	strcpy(trigger->name, "test");
	return trigger;
}

static void test_valid(size_t i)
{
	struct trigger *trigger = make(valid[i].on);
	struct mm_error err = MM_ERROR_INIT;
	/* Parses twice: the second result must replace the first. */
	int ret = trigger_parse_condition(trigger, &err) || trigger_parse_condition(trigger, &err);

	tap(!ret && trigger->kind == valid[i].kind && same(trigger->event, valid[i].event) &&
		    same(trigger->filter, valid[i].filter) && trigger->rate == valid[i].rate,
	    "'%s'%s", valid[i].on, err.message);
	tap(same(trigger->resource, valid[i].resource) && trigger->full == valid[i].full &&
		    trigger->stall_ns == valid[i].stall_ns &&
		    trigger->window_ns == valid[i].window_ns,
	    "... pressure");
	tap(same(trigger->path, valid[i].path) && same(trigger->unit, valid[i].unit) &&
		    same(trigger->regex, valid[i].regex),
	    "... texts");
	trigger_destroy(trigger);
}

static void test_invalid(size_t i)
{
	struct trigger *trigger = make(invalid[i].on);
	struct mm_error err = MM_ERROR_INIT;
	int ret = trigger_parse_condition(trigger, &err);

	tap(ret == -1 && err.code == MM_EXIT_BAD_INPUT && strstr(err.message, invalid[i].says) &&
		    strstr(err.message, "trigger: test: "),
	    "refused: %s", err.message);
	trigger_destroy(trigger);
}

/* Tests that `oom` and `hung-task` match the messages of kernels. */
static void test_kernel_messages(void)
{
	static const struct {
		const char *on, *message;
		bool matches;
	} cases[] = {
		{ "kernel-message oom",
		  "Out of memory: Killed process 123 (stress) total-vm:1kB, anon-rss:1kB", true },
		{ "kernel-message oom",
		  "Memory cgroup out of memory: Killed process 123 (stress) total-vm:1kB", true },
		{ "kernel-message oom",
		  "Out of memory (oom_kill_allocating_task): Killed process 1 (a) x", true },
		{ "kernel-message oom", "stress invoked oom-killer: gfp_mask=0x140dca", false },
		{ "kernel-message hung-task",
		  "INFO: task kworker/0:1:12 blocked for more than 120 seconds.", true },
		{ "kernel-message hung-task",
		  "INFO: task dd:1234 blocked in I/O wait for more than 122 seconds.", true },
		{ "kernel-message hung-task", "INFO: rcu_sched detected stalls", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trigger *trigger = make(cases[i].on);
		regex_t regex;

		if (trigger_parse_condition(trigger, NULL) ||
		    regcomp(&regex, trigger->regex, REG_EXTENDED | REG_NOSUB))
			tap_bail("%s", cases[i].on);
		tap(!regexec(&regex, cases[i].message, 0, NULL, 0) == cases[i].matches, "%s: %s",
		    cases[i].on, cases[i].message);
		regfree(&regex);
		trigger_destroy(trigger);
	}
}

/*
 * Tests limits on repetitions in regular expressions. The C library expands repetitions, which
 * takes memory.
 */
static void test_regexes(void)
{
	static const struct {
		const char *regex;
		bool accepted;
	} cases[] = {
		{ "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}", true },
		{ "a{255}", true },
		{ "a{1,}{2}", true },
		{ "(a{100}){100}", false },
		{ "(a{100}){100,}", false },
		{ "((((a{9}){9}){9}){9}){9}", false },
		{ "((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+", false },
		{ "a++++++++++++++++", false },
		{ "a{30000}", false },
		{ "[[:alpha:]+{}()]*[]+]", true },
		{ "[^]({]+", true },
		{ "\\(\\(\\+\\{", true },
		{ "((((((((((((((((((((((((((((((((((((((((a))))))))))))))))))))", false },
		{ "(x)\\1", false },
		{ "a{1", false },
		{ "[a", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mm_error err = MM_ERROR_INIT;

		tap((!trigger_check_regex(cases[i].regex, "x", &err) &&
		     !trigger_compile_regex(cases[i].regex, "x", &err)) == cases[i].accepted,
		    "regular expression %s: %s %s", cases[i].regex,
		    cases[i].accepted ? "accepted" : "refused:", err.message);
	}
}

static void test_resolved(void)
{
	static const struct {
		const char *resolved, *given;
		bool is;
	} cases[] = {
		{ "a", "a", true },
		{ "result & 2048", "result&FALLBACK", true },
		{ "result & 2048", "result&FALLBACK && 1", false },
		{ "result & 2048 && 1", "result&FALLBACK", false },
		{ "x == \"a b\"", "x==\"a b\"", true },
		{ "x == \"a  b\"", "x==\"a b\"", false },
		{ "x == 0x10", "x == y", false },
		{ "y == 1", "x == 1", false },
		{ "a < 1", "a <= 1", false },
		{ "a[1] == $ctx.tid", "a [ 1]==$ctx.tid", true },
		{ "x == \"", "x == \"", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tap(filter_is_resolved_from(cases[i].resolved, cases[i].given) == cases[i].is,
		    "'%s' is %s'%s' with numbers", cases[i].resolved, cases[i].is ? "" : "not ",
		    cases[i].given);
}

static struct trigger *read_text(const char *text, struct mm_error *err)
{
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	struct trigger *trigger;

	if (!json)
		tap_bail("%s", text);
	trigger = trigger_from_json(json, err);
	json_decref(json);
	return trigger;
}

/*
 * Converts a trigger of each kind to JSON and back. @filter contains numbers instead of labels. The
 * converted filter must contain the labels again, because another kernel may use other numbers.
 */
static void test_round(const char *on, const char *filter)
{
	struct trigger *trigger = make(on), *again;
	struct mm_error err = MM_ERROR_INIT;
	char *given = NULL;
	json_t *json, *second;

	trigger->uid = 1000;
	trigger->gid = 0;
	trigger->after_ns = 2;
	trigger->max_ns = 0;
	trigger->run = strdup("/bin/echo a\t\"b\"");
	trigger->spec = strdup("f(a->b) : s32 --caller");
	if (trigger_parse_condition(trigger, &err))
		tap_bail("%s", err.message);
	if (filter) {
		given = trigger->filter;
		trigger->filter = strdup(filter);
		trigger->captures[trigger->capture_count++] = strdup("$ctx.tid");
		trigger->last_ns = 10;
	}
	json = trigger_to_json(trigger);
	again = trigger_from_json(json, &err);
	second = again ? trigger_to_json(again) : NULL;
	if (given) {
		tap(again && same(again->filter, given), "'%s' has its labels again", on);
		json_object_set_new(json, "filter", json_string(given));
	}
	tap(again && json_equal(json, second) &&
		    again->last_ns == (filter ? 10 : SNAPSHOT_NOT_GIVEN) && again->uid == 1000 &&
		    again->max == TRIGGER_MAX && !again->max_ns && same(again->run, trigger->run) &&
		    same(again->spec, trigger->spec),
	    "'%s' as JSON and back %s", on, err.message);
	json_decref(json);
	json_decref(second);
	trigger_destroy(trigger);
	trigger_destroy(again);
	free(given);
}

/* JSON, and a part of the expected message; NULL: accepted. */
static const struct {
	const char *json, *says;
} files[] = {
	{ "{ 'name': 'a', 'on': 'x' }", NULL },
	{ "{ 'version': 1, 'name': 'a', 'on': 'x', 'last_ns': null, 'run': null }", NULL },
	{ "[]", "not a JSON object" },
	{ "1", "not a JSON object" },
	{ "{}", "'' is not a valid name" },
	{ "{ 'name': 1, 'on': 'x' }", "is not a valid name" },
	{ "{ 'name': '../x', 'on': 'x' }", "is not a valid name" },
	{ "{ 'name': '.x', 'on': 'x' }", "is not a valid name" },
	{ "{ 'name': '0123456789012345678901234567890123456789012345678901234567890123', 'on': 'x' }",
	  "is not a valid name" },
	{ "{ 'version': 2, 'name': 'a', 'on': 'x' }", "\"version\"" },
	{ "{ 'name': 'a' }", "\"on\": the condition is missing" },
	{ "{ 'name': 'a', 'on': 1 }", "\"on\": not a line of text" },
	{ "{ 'name': 'a', 'on': 'x\\u001bc' }", "\"on\": not a line of text" },
	{ "{ 'name': 'a', 'on': 'x', 'uid': -1 }", "\"uid\": not a number" },
	{ "{ 'name': 'a', 'on': 'x', 'uid': 4294967295 }", "\"uid\": not a number" },
	{ "{ 'name': 'a', 'on': 'x', 'after_ns': '2s' }", "\"after_ns\": not a number" },
	{ "{ 'name': 'a', 'on': 'x', 'after_ns': -1 }", "\"after_ns\": not a number" },
	{ "{ 'name': 'a', 'on': 'x', 'last_ns': 0 }", "\"last_ns\": not a number" },
	{ "{ 'name': 'a', 'on': 'x', 'max': 0 }", "\"max\": not a number" },
	{ "{ 'name': 'a', 'on': 'x', 'max': 2.0 }", "\"max\": not a number" },
	{ "{ 'name': 'a', 'on': 'x', 'captures': {} }", "\"captures\"" },
	{ "{ 'name': 'a', 'on': 'x', 'captures': [ null ] }", "\"captures\": a name is null" },
	{ "{ 'name': 'a', 'on': 'x', 'captures': [ 'a', 2 ] }", "\"captures\": not a line" },
	{ "{ 'name': 'a', 'on': 'x', 'captures': [ 'a','a','a','a','a','a','a','a','a','a','a','a',"
	  "'a','a','a','a','a' ] }",
	  "\"captures\": not an array" },
	{ "{ 'name': 'a', 'on': 'failed-allocation', 'captures': [ 'a' ] }",
	  "\"captures\": only events have fields" },
	{ "{ 'name': 'a', 'on': 'x', 'nice': 1 }",
	  "\"nice\": this version does not know this member" },
	{ "{ 'name': 'a', 'on': 'file x y' }", "not an absolute path" },
	{ "{ 'name': 'a', 'on': 'x', 'kind': 'event' }", NULL },
	{ "{ 'name': 'a', 'on': 'x', 'kind': 'rate' }", "\"kind\": the condition means" },
	{ "{ 'name': 'a', 'on': 'x', 'path': '/etc/shadow' }", "\"path\": the condition means" },
	{ "{ 'name': 'a', 'on': 'x', 'filter': 'y' }", "\"filter\": the condition means" },
	{ "{ 'name': 'a', 'on': 'x if y', 'filter': '4' }", NULL },
	{ "{ 'name': 'a', 'on': 'x if y', 'filter': 'z' }", "\"filter\": the condition means" },
	{ "{ 'name': 'a', 'on': 'x if y', 'filter': 1 }", "\"filter\": the condition means" },
};

static void test_file(size_t i)
{
	struct mm_error err = MM_ERROR_INIT;
	char *text = strdup(files[i].json);
	struct trigger *trigger;

	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	trigger = read_text(text, &err);
	if (files[i].says)
		tap(!trigger && err.code == MM_EXIT_BAD_INPUT && strstr(err.message, files[i].says),
		    "%s: %s", text, err.message);
	else
		tap(trigger != NULL, "%s %s", text, err.message);
	trigger_destroy(trigger);
	free(text);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		test_valid(i);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		test_invalid(i);
	test_kernel_messages();
	test_regexes();
	test_resolved();
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		test_round(valid[i].on, NULL);
	test_round("x if result & FALLBACK", "result & 2048");
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		test_file(i);
	trigger_destroy(NULL);
	return tap_status();
}
