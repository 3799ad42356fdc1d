// SPDX-License-Identifier: LGPL-2.1-only
/* Tests the check of triggers' filters and captures, with the fields of recorded metadata. */
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lttng-session/daemon/triggers/definition/confined.h"
#include "lttng-session/daemon/triggers/definition/event-check.h"
#include "reader/ctf/metadata/metadata.h"
#include "tests/tap.h"

#define DONE "dax_pmd_fault_done"
#define FALLBACK "dax_pmd_fallback"
#define FORK "sched_process_fork"
#define NOBODY 65534

/* A filter, and either its form with numbers or a part of the message. */
static const struct {
	const char *event, *filter, *resolved, *says;
} filters[] = {
	{ DONE, "result & FALLBACK", "result & 2048", NULL },
	{ DONE, "FALLBACK & result", "2048 & result", NULL },
	{ DONE, "result&(FALLBACK|OOM)", "result & ( 2048 | 1 )", NULL },
	/* Both fields have this label. */
	{ DONE, "vm_flags & LOCKED", "vm_flags & 8192", NULL },
	{ DONE, "result & LOCKED", "result & 512", NULL },
	{ DONE, "(vm_flags & LOCKED) != 0 && (result & LOCKED) != 0",
	  "( vm_flags & 8192 ) != 0 && ( result & 512 ) != 0", NULL },
	{ DONE, "pid == 2 || pgoff == (1 << 2)", "pid == 2 || pgoff == ( 1 << 2 )", NULL },
	{ DONE, "!(result & LOCKED)", "! ( result & 512 )", NULL },
	{ DONE, "!(result & LOCKED) && pid == 2", NULL, "next to && or ||; compare it" },
	{ DONE, "vm_flags & LOCKED && pgoff == 1", NULL, "next to && or ||; compare it" },
	{ DONE, "pgoff == 1 || (result & LOCKED)", NULL, "next to && or ||; compare it" },
	{ DONE, "vm_flags == LOCKED || LOCKED == result", "vm_flags == 8192 || 512 == result",
	  NULL },
	{ DONE, "pgoff > 0x10 && !($ctx.cpu_id != 1)", "pgoff > 0x10 && ! ( $ctx.cpu_id != 1 )",
	  NULL },
	{ FORK, "child_comm == \"a == FALLBACK\"", "child_comm == \"a == FALLBACK\"", NULL },
	{ FORK, "vtids[0] == 1", "vtids [ 0 ] == 1", NULL },
	{ DONE, "result & FALBACK", NULL,
	  "'FALBACK' is neither a field nor a label of result; its labels: FALLBACK, " },
	{ DONE, "reslt & FALLBACK", NULL,
	  "there is no field 'reslt'; the event's fields: result, " },
	{ DONE, "pgof == 1", NULL, "there is no field 'pgof'; the event's fields: pgoff, pid, " },
	{ DONE, "pgoff == FALLBACK", NULL, "there is no field 'FALLBACK'" },
	{ DONE, "(result & FALLBACK) != 0 && pgoff == OOM", NULL, "there is no field 'OOM'" },
	{ DONE, "$ctx.cpuid == 1", NULL, "there is no context 'cpuid'; known after $ctx.: cpu_id" },
	{ DONE, "$ctx.prio == 1", NULL, "there is no context 'prio'" },
	{ DONE, "$app.a:b == 1", NULL, "contexts that start with $ctx." },
	{ DONE, "result == \"FALLBACK\"", NULL, "result is a number" },
	{ DONE, "\"FALLBACK\" != result", NULL, "result is a number" },
	{ DONE, "pgoff[0] == 1", NULL, "pgoff is not an array" },
	{ DONE, "pgoff.x == 1", NULL, "there is no field 'pgoff.x'" },
	{ DONE, "pgoff->x == 1", NULL, "'->' in 'pgoff->x == 1'" },
	{ DONE, "pgoff == 1 ; x", NULL, "';' in " },
	{ FORK, "child_comm == 1", NULL, "child_comm is a string" },
	{ FORK, "vtids == 1", NULL, "vtids is an array; add an index, as in vtids[0]" },
	{ FORK, "_vtids_length == 1", NULL, "there is no field '_vtids_length'" },
};

static const struct {
	const char *event, *capture, *says;
	bool hex;
} captures[] = {
	{ DONE, "address", NULL, true },
	{ DONE, "pgoff", NULL, true },
	{ DONE, "pid", NULL, false },
	{ DONE, "result", NULL, false },
	{ DONE, "$ctx.procname", NULL, false },
	{ FORK, "vtids[1]", NULL, false },
	{ FORK, "child_comm", NULL, false },
	{ DONE, "adress", "there is no field 'adress'; the event's fields: address, ", false },
	{ DONE, "FALLBACK", "there is no field 'FALLBACK'", false },
	{ DONE, "$ctx.foo", "there is no context 'foo'", false },
	{ DONE, "$ctx.tid == 1", "cannot be captured", false },
	{ DONE, "address == 1", "cannot be captured", false },
	{ DONE, "1", "cannot be captured", false },
	{ FORK, "vtids", "add an index", false },
};

static struct ctf_trace_class *read_metadata(const char *program)
{
	char path[4096], *folder = strdup(program), *text;
	struct ctf_trace_class *trace;
	struct mm_error err = MM_ERROR_INIT;
	size_t size;
	FILE *in;

	snprintf(path, sizeof(path), "%s/../../../tests/metadata/dax.tsdl", dirname(folder));
	in = fopen(path, "r");
	text = malloc(1u << 20);
	size = in && text ? fread(text, 1, 1u << 20, in) : 0;
	trace = ctf_metadata_parse(text, size, path, &err);
	if (!trace)
		tap_bail("%s", err.message);
	fclose(in);
	free(text);
	free(folder);
	return trace;
}

static const struct ctf_event_class *find(const struct ctf_trace_class *trace, const char *name)
{
	for (size_t s = 0; s < trace->stream_count; s++)
		for (size_t i = 0; i < trace->streams[s]->event_count; i++)
			if (!strcmp(trace->streams[s]->events[i]->name, name))
				return trace->streams[s]->events[i];
	tap_bail("no event %s", name);
}

static struct trigger *make(const char *event, const char *filter)
{
	struct trigger *trigger = trigger_create();

	strcpy(trigger->name, "test");
	trigger->event = strdup(event);
	trigger->filter = filter ? strdup(filter) : NULL;
	return trigger;
}

static void test_filter(const struct ctf_trace_class *trace, size_t i)
{
	struct trigger *trigger = make(filters[i].event, filters[i].filter);
	struct mm_error err = MM_ERROR_INIT;
	int ret = event_check(trigger, find(trace, filters[i].event), &err);

	if (filters[i].says)
		tap(ret == -1 && err.code == MM_EXIT_BAD_INPUT &&
			    strstr(err.message, filters[i].says) &&
			    !strcmp(trigger->filter, filters[i].filter),
		    "%s: %s", filters[i].filter, err.message);
	else
		tap(!ret && !strcmp(trigger->filter, filters[i].resolved), "%s: %s%s",
		    filters[i].filter, trigger->filter, err.message);
	trigger_destroy(trigger);
}

/*
 * Tests how filters are rewritten for the tracer, which compares 64-bit fields as signed numbers.
 */
static void test_tracer_filter(const struct ctf_trace_class *trace)
{
	static const struct {
		const char *event, *filter, *rewritten, *says;
	} cases[] = {
		{ FALLBACK, "pgoff > 5 && address >= 0x8000000000000000",
		  "( pgoff > 5 || pgoff < 0 ) && ( address >= 0x8000000000000000 && address < 0 )",
		  NULL },
		{ DONE, "result > FALLBACK || vm_flags > LOCKED",
		  "result > 2048 || vm_flags > 8192", NULL },
		{ FORK, "child_tid > 5 || vtids[0] < 0", "child_tid > 5 || vtids [ 0 ] < 0", NULL },
		{ FALLBACK, "address < 0", NULL,
		  "event dax_pmd_fallback: address is unsigned and never less than 0" },
		{ FALLBACK, "radix_entry == -1", NULL, "write 18446744073709551615" },
		{ FORK, "child_tid >= 0xfffffffffffff001", NULL, "write -4095" },
		{ DONE, "address >= 0x8000000000000000", NULL, "address has 47 bits" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trigger *trigger = make(cases[i].event, cases[i].filter);
		struct mm_error err = MM_ERROR_INIT;
		int ret = event_check(trigger, find(trace, cases[i].event), &err);

		if (cases[i].says)
			tap(ret && err.code == MM_EXIT_BAD_INPUT && !trigger->tracer_filter &&
				    strstr(err.message, cases[i].says),
			    "for the tracer, %s is refused: %s", cases[i].filter, err.message);
		else
			tap(!ret && !strcmp(trigger->tracer_filter, cases[i].rewritten),
			    "for the tracer, %s is %s%s", cases[i].filter, trigger->tracer_filter,
			    err.message);
		trigger_destroy(trigger);
	}
}

static void test_capture(const struct ctf_trace_class *trace, size_t i)
{
	struct trigger *trigger = make(captures[i].event, NULL);
	struct mm_error err = MM_ERROR_INIT;
	int ret;

	trigger->captures[trigger->capture_count++] = strdup("$ctx.cpu_id");
	trigger->captures[trigger->capture_count++] = strdup(captures[i].capture);
	ret = event_check(trigger, find(trace, captures[i].event), &err);
	tap(captures[i].says ? ret && strstr(err.message, captures[i].says) : !ret, "capture %s %s",
	    captures[i].capture, err.message);
	tap(trigger->capture_hex[1] == captures[i].hex && !trigger->capture_hex[0],
	    "... as a %s number", captures[i].hex ? "hexadecimal" : "decimal");
	trigger_destroy(trigger);
}

/* Tests filters of a system call. Two other events stand for its entry and its exit. */
static void test_call(const struct ctf_trace_class *trace)
{
	static const struct {
		const char *filter, *capture, *resolved; /* resolved NULL: refused */
		bool entry, exit, at_exit;
	} cases[] = {
		{ "child_tid == 1", "child_comm", "child_tid == 1", true, true, false },
		{ "result & FALLBACK", "address", "result & 2048", true, true, true },
		{ "pgoff == 1", "$ctx.tid", "pgoff == 1", false, true, true },
		{ "child_tid == 1", "$ctx.tid", "child_tid == 1", true, false, false },
		{ "$ctx.tid == 1", "$ctx.tid", "$ctx.tid == 1", true, true, false },
		/* The filter and the capture must fit the same event. */
		{ "result & FALLBACK", "child_comm", NULL, true, true, false },
		{ "result & FALBACK", "address", NULL, true, true, false },
		{ "result & FALLBACK", "address", NULL, true, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trigger *trigger = make("syscall:test", cases[i].filter);
		struct mm_error err = MM_ERROR_INIT;
		int ret;

		trigger->captures[trigger->capture_count++] = strdup(cases[i].capture);
		ret = event_check_call(trigger, cases[i].entry ? find(trace, FORK) : NULL,
				       cases[i].exit ? find(trace, DONE) : NULL, &err);
		tap(cases[i].resolved
			    ? !ret && !err.code && !strcmp(trigger->filter, cases[i].resolved) &&
				      trigger->at_exit == cases[i].at_exit
			    : ret && err.code == MM_EXIT_BAD_INPUT,
		    "a system call, %s, capturing %s: %s%s", cases[i].filter, cases[i].capture,
		    trigger->at_exit ? "at the exit" : "at the entry", err.message);
		trigger_destroy(trigger);
	}
}

/* Tests filters that the library compiles or refuses. */
static void test_syntax(void)
{
	static const struct {
		const char *filter, *says;
	} cases[] = {
		{ "result & 2048", NULL },
		{ "(a == 1 || b < 2) && !$ctx.tid", NULL },
		/* Rewritten comparisons of unsigned fields. */
		{ "( a > 0xfffffffffffff001 && a < 0 ) || ! ( ( a <= 5 && a >= 0 ) )", NULL },
		{ "( a < b && ( a >= 0 || b < 0 ) || a >= 0 && b < 0 ) && b != - 9223372036854775808",
		  NULL },
		{ "a ==", "'a ==' is not a filter of LTTng: syntax error" },
		{ "(a == 1", "syntax error" },
		{ "a + 1 == 2", "'+' not supported" },
		{ "a = 1", "is not a filter of LTTng" },
		{ "a == \"x", "is not a filter of LTTng" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trigger *trigger = make(DONE, cases[i].filter);
		struct mm_error err = MM_ERROR_INIT;
		int ret = trigger_check_text(trigger, &err);

		tap(cases[i].says ? ret && strstr(err.message, cases[i].says) : !ret,
		    "compile %s %s", cases[i].filter, err.message);
		trigger_destroy(trigger);
	}
}

/* Tests the regular expression of a trigger on kernel messages: the check compiles it. */
static void test_regex(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct trigger *trigger = trigger_create();

	strcpy(trigger->name, "test");
	trigger->kind = TRIGGER_KERNEL_MESSAGE;
	trigger->regex = strdup("a(b|c)");
	tap(!trigger_check_event(trigger, &err), "a regular expression is accepted %s",
	    err.message);
	trigger->regex[0] = '(';
	tap(trigger_check_event(trigger, &err) && err.code == MM_EXIT_BAD_INPUT &&
		    strstr(err.message, "'((b|c)' is not a regular expression"),
	    "and refused: %s", err.message);
	trigger_destroy(trigger);
}

static int check_who(const struct trigger *trigger, void *user, char text[CONFINED_TEXT],
		     struct mm_error *err)
{
	snprintf(text, CONFINED_TEXT, "%d %d %d", (int)geteuid(), setuid(0), open("/", O_RDONLY));
	return 0;
}

static int check_signal(const struct trigger *trigger, void *user, char text[CONFINED_TEXT],
			struct mm_error *err)
{
	raise(*(int *)user);
	return 0;
}

static int check_refused(const struct trigger *trigger, void *user, char text[CONFINED_TEXT],
			 struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "no");
}

/* Tests that a trigger is checked with the rights of its user, and within a time limit. */
static void test_confined(void)
{
	struct trigger *trigger = make(DONE, "a == 1");
	struct mm_error err = MM_ERROR_INIT;
	char text[CONFINED_TEXT] = "";
	int number = SIGXCPU;

	trigger->uid = trigger->gid = NOBODY;
	if (geteuid())
		tap_skip("the rights of the user", "needs root");
	else
		tap(!confined_run(trigger, check_who, NULL, text, &err) &&
			    !strcmp(text, "65534 -1 4"),
		    "the rights of the user: %s %s", text, err.message);
	tap(confined_run(trigger, check_refused, NULL, text, &err) && !strcmp(err.message, "no") &&
		    err.code == MM_EXIT_BAD_INPUT,
	    "what it says is returned: %s", err.message);
	mm_error_clear(&err);
	tap(confined_run(trigger, check_signal, &number, text, &err) &&
		    strstr(err.message, "takes too long"),
	    "a text that takes too long: %s", err.message);
	mm_error_clear(&err);
	number = SIGTERM;
	tap(confined_run(trigger, check_signal, &number, text, &err) &&
		    strstr(err.message, "ended with signal 15"),
	    "a process that is ended: %s", err.message);
	trigger_destroy(trigger);
}

int main(int argc, char **argv)
{
	struct ctf_trace_class *trace = read_metadata(argv[0]);

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		test_filter(trace, i);
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++)
		test_capture(trace, i);
	test_tracer_filter(trace);
	test_call(trace);
	test_syntax();
	test_regex();
	test_confined();
	ctf_trace_class_destroy(trace);
	return tap_status();
}
