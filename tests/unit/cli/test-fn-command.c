// SPDX-License-Identifier: LGPL-2.1-only
/* Tests `lttng-mm fn` with a simulated module: adding, listing and removing functions; errors. */
#include <time.h>

#include "cli/status/status-functions.h"
#include "lttng-session/fn/stopped.h"
#include "lttng-session/recorder/plan.h"
#include "tests/unit/commands.h"
#include "tests/unit/fn-btf.h"
#include "tests/unit/fn-device.h"

static void set_states(void)
{
	static const struct lttng_mm_fn_state list[] = {
		{ .name = "open",
		  .symbol = "vfs_open",
		  .spec = "vfs_open(path) --caller",
		  .state = LTTNG_MM_FN_STATE_HOOKED,
		  .hits = 1234567,
		  .misses = 8,
		  .group = 1 },
		{ .name = "a_function_whose_name_is_longer_than_most",
		  .symbol = "a_function_whose_name_is_longer_than_most",
		  .module = "mod",
		  .spec = "mod:a_function_whose_name_is_longer_than_most(a, b, c, d)",
		  .state = LTTNG_MM_FN_STATE_STOPPED | LTTNG_MM_FN_STATE_HOOKED,
		  .stopped_ns = 77 },
		{ .name = "other",
		  .symbol = "other",
		  .module = "mod",
		  .spec = "other\033[2J",
		  .state = LTTNG_MM_FN_STATE_ABSENT },
	};

	memcpy(states, list, sizeof(list));
	state_count = 3;
}

/* Returns the text without its newline. */
static const char *line_of(char *text)
{
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void test_list(void)
{
	static const char expected[] =
		"NAME                                      FUNCTION             CALLS     MISSES STATE   SPEC\n"
		"open                                      vfs_open           1234567          8 hooked  vfs_open(pa*\n"
		"a_function_whose_name_is_longer_than_most a_function_who*          0          0 stopped mod:a_funct*\n"
		"other                                     other                    0          0 absent  other\\x1b[2J\n"
		"a_function_whose_name_is_longer_than_most: called more often than its maximum rate, so it is no longer recorded; add it again\n"
		"other: the module mod is not loaded\n";
	json_t *json;

	set_states();
	tap(!run(cmd_fn, "list", NULL) && !strcmp(out, expected), "a list of 100 columns");
	tap(!run(cmd_fn, "list", "--json") && is_clean(out), "as JSON");
	json = json_loads(out, 0, NULL);
	tap(json_array_size(json) == 3 &&
		    json_integer_value(json_object_get(json_array_get(json, 0), "calls")) ==
			    1234567 &&
		    json_integer_value(json_object_get(json_array_get(json, 1), "stopped_ns")) ==
			    77 &&
		    !strcmp(json_string_value(json_object_get(json_array_get(json, 2), "state")),
			    "absent"),
	    "... with the numbers");
	json_decref(json);
}

/* Returns the output of status_print_functions() for @stopped. Releases @stopped. */
static char *print_stopped(json_t *stopped)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		tap_bail("out of memory");
	status_print_functions(file, stopped);
	fclose(file);
	json_decref(stopped);
	return text;
}

#define STOPPED_LINE \
	"function a_function_whose_name_is_longer_than_most: called more often than its maximum rate, so it has not been recorded since "

/* Tests that `status` shows stopped functions. */
static void test_stopped(void)
{
	struct timespec now, since_boot;
	json_t *json, *function;
	json_int_t since;
	bool is_line;
	char *text;

	set_states();
	json = fn_stopped();
	function = json_array_get(json_object_get(json, "functions"), 0);
	since = json_integer_value(json_object_get(function, "since"));
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &since_boot);
	tap(json_integer_value(json_object_get(json, "count")) == 1 &&
		    json_array_size(json_object_get(json, "functions")) == 1 &&
		    !strcmp(json_string_value(json_object_get(function, "name")),
			    "a_function_whose_name_is_longer_than_most"),
	    "a function that is no longer recorded");
	tap(llabs(since - (now.tv_sec - since_boot.tv_sec)) <= 2, "... since then");
	text = print_stopped(json);
	is_line = !strncmp(text, STOPPED_LINE, strlen(STOPPED_LINE)) &&
		  strchr(text, '\n') == text + strlen(text) - 1;
	tap(is_line, "... as a line: %s", line_of(text));
	free(text);
	states[1].state = LTTNG_MM_FN_STATE_HOOKED;
	text = print_stopped(fn_stopped());
	tap(!*text, "... no line if all functions are recorded");
	free(text);
	text = print_stopped(json_pack("{s:i,s:[{s:s,s:i}]}", "count", 7, "functions", "name",
				       "a\033b", "since", 0));
	tap(strstr(text, "a\\x1bb: ") && strstr(text, "functions: 2 more functions are no longer"),
	    "names are escaped, and further ones counted");
	free(text);
}

/* Tests `fn add`. Commands run in child processes, so they do not change `states` of this one. */
static void test_add(void)
{
	static const struct {
		const char *name, *first, *second, *option;
		int status;
		const char *out, *err;
	} cases[] = {
		{ "one function", "vfs_open(path)", NULL, NULL, 0,
		  "vfs_open: added; its events are fn_vfs_open_*\n", "" },
		{ "one that is there", "vfs_open(path)", "--as=open", "--caller", 0,
		  "open: already added\n", "" },
		{ "... with other options", "vfs_open(path)", "--as=open", "--raw", 2, "",
		  "a function of this name has already been added, as 'vfs_open(path) --caller'; remove it with `lttng-mm fn remove open`" },
		{ "... and one that is not", "vfs_open(path)", "vfs_read", "--as=open", 2, "",
		  "only one function can have this name" },
		{ "a bad one", "vfs_open(path", NULL, NULL, 2, "", "column 14: " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *more[] = { cases[i].second, cases[i].option, NULL };
		int status;
		bool ok;

		set_states();
		state_count = 1;
		add_arguments(more);
		status = run(cmd_fn, "add", cases[i].first);
		ok = status == cases[i].status && !strcmp(out, cases[i].out) &&
		     (*cases[i].err ? strstr(err_out, cases[i].err) != NULL : !*err_out);
		tap(ok, "add %s: %d %s", cases[i].name, status, line_of(*err_out ? err_out : out));
	}
	add_arguments(by_itself);
	set_states();
	states[0].state = LTTNG_MM_FN_STATE_STOPPED;
	strcpy(states[0].spec, "vfs_open");
	strcpy(states[0].name, "vfs_open");
	tap(!run(cmd_fn, "add", "vfs_open") &&
		    !strcmp(out, "vfs_open: added; its events are fn_vfs_open_*\n"),
	    "a stopped function is restarted");
}

static void test_errors(void)
{
	static const struct {
		unsigned int error, field;
		int status;
		const char *says;
	} cases[] = {
		{ LTTNG_MM_FN_NO_SYMBOL, LTTNG_MM_FN_NONE, 2,
		  "fn: vfs_read: column 1: the kernel has no such function" },
		{ LTTNG_MM_FN_NOT_TRACEABLE, LTTNG_MM_FN_NONE, 2,
		  "fn: vfs_read: column 1: the kernel does not allow tracing it" },
		{ LTTNG_MM_FN_EXCLUDED, LTTNG_MM_FN_NONE, 2,
		  "fn: vfs_read: column 1: this kernel traces functions with kprobes" },
		{ LTTNG_MM_FN_OWN_PATH, LTTNG_MM_FN_NONE, 2,
		  "column 1: the tracer itself calls it" },
		{ LTTNG_MM_FN_TOO_LARGE, LTTNG_MM_FN_NONE, 2, "column 1: its record is too large" },
		{ LTTNG_MM_FN_TOO_MANY, LTTNG_MM_FN_NONE, 4,
		  "fn: vfs_read: the module has too many functions" },
		{ LTTNG_MM_FN_NO_MEMORY, LTTNG_MM_FN_NONE, 4, "the kernel is out of memory" },
		{ LTTNG_MM_FN_EXISTS, LTTNG_MM_FN_NONE, 4,
		  "still uses events of an earlier function" },
		/* vfs_open has two fields and a result. */
		{ LTTNG_MM_FN_BAD_NAME, 3, 2, "fn: vfs_read: the value file: the name" },
		{ LTTNG_MM_FN_BAD_FIELD, 4, 4, "fn: vfs_read: the result: the module refuses" },
		{ 99, LTTNG_MM_FN_NONE, 4, "(error 99); check that the program and the module" },
	};
	static const char *const more[] = { "vfs_read", NULL };

	add_arguments(more);
	add_function = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int status;
		bool ok;

		state_count = 0;
		add_error = cases[i].error;
		add_field = cases[i].field;
		status = run(cmd_fn, "add", "vfs_open");
		ok = status == cases[i].status && !*out && strstr(err_out, cases[i].says);
		tap(ok, "error %u: %d %s", add_error, status, line_of(err_out));
	}
	add_error = 0;
	add_arguments(by_itself);
}

/* Two sessions of a recorder, as the plan describes them. */
#define SESSION(name, events)                                                            \
	"{\"name\":\"" name "\",\"role\":\"events\",\"profiles\":[\"x\"],"               \
	"\"since\":7,\"callstack\":false,\"kaslr_safe\":true,\"channels\":["             \
	"{\"name\":\"c\",\"subbuf_bytes\":4096,\"subbuf_count\":8,\"events\":[\"" events \
	"\"],\"contexts\":[]}]}"
#define PLAN                                                                   \
	"{\"version\":1,\"boot_id\":\"here\",\"recorders\":["                  \
	"{\"name\":\"lttng-mm\",\"budget_bytes\":null,\"sessions\":[" SESSION( \
		"fn", "fn_*_entry") "," SESSION("dax", "dax_*") "]}]}"

static bool is_safe(const char *session)
{
	struct mm_error err = MM_ERROR_INIT;
	const struct plan_session *found;
	struct plan plan;
	bool safe;

	if (plan_read(&plan, &err))
		tap_bail("%s", err.message);
	found = plan_find(&plan, session);
	safe = found && found->kaslr_safe;
	plan_release(&plan);
	return safe;
}

/* Adding a function that reveals addresses must mark recorders of functions as not KASLR-safe. */
static void test_raw(void)
{
	static const char *const raw[] = { "--raw", NULL };

	state_count = 0;
	if (mkdir("run/lttng-mm", 0755) && errno != EEXIST)
		tap_bail("run/lttng-mm");
	tap_shell("printf '%%s' '%s' >run/lttng-mm/recorder.json", PLAN);
	tap(!run(cmd_fn, "add", "vfs_open(path)") && is_safe("fn"),
	    "encoded pointers: a recorder of functions stays KASLR-safe: %s", line_of(err_out));
	add_arguments(raw);
	run(cmd_fn, "add", "vfs_open(path");
	tap(is_safe("fn"), "--raw: a bad SPEC changes nothing");
	tap(!run(cmd_fn, "add", "vfs_open(path)") && !is_safe("fn") && is_safe("dax"),
	    "--raw: the recorder of functions is not KASLR-safe; others are: %s", line_of(err_out));
	add_arguments(by_itself);
	state_count = 0;
	tap_shell("printf '%%s' '%s' >run/lttng-mm/recorder.json", PLAN);
	tap(!run(cmd_fn, "add", "vfs_open(file:bytes[8])") && !is_safe("fn") && is_safe("dax"),
	    "bytes of kernel memory: not KASLR-safe, either: %s", line_of(err_out));
	add_arguments(by_itself);
	unlink("run/lttng-mm/recorder.json");
}

/* Tests a function that never returns: it has entries, but no calls. */
static void test_never_returns(void)
{
	static const char *const only_calls[] = { "--calls", NULL };
	static const char *const slower[] = { "--slower=1ms", NULL };

	state_count = 0;
	tap(!run(cmd_fn, "add", "do_exit") && !strncmp(out, "do_exit: added", 14) &&
		    strstr(err_out, "fn: do_exit: it never returns, so only its entries are"),
	    "fn add warns of a function that never returns: %s", line_of(err_out));
	add_arguments(slower);
	tap(run(cmd_fn, "add", "do_exit") == 2 && !*out &&
		    strstr(err_out, "fn: --slower: do_exit: do_exit() never returns"),
	    "... refuses --slower: %s", line_of(err_out));
	add_arguments(only_calls);
	tap(run(cmd_record, "fn", "do_exit") == 2 && !*out &&
		    strstr(err_out, "fn: --calls: do_exit: do_exit() never returns, so it has no "
				    "fn_do_exit_call; record its entries, without --calls"),
	    "record fn refuses --calls: %s", line_of(err_out));
	add_arguments(by_itself);
}

/* Returns the names that requests have removed since the last call. */
static const char *removed(void)
{
	static char text[256];
	FILE *file = fopen(REMOVED, "r");

	text[0] = '\0';
	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
		unlink(REMOVED);
	}
	return text;
}

/* Tests a command that adds functions and then fails: it must remove these functions only. */
static void test_record_fails(void)
{
	static const char *const filter[] = { "vfs_open(path)", "--filter=nosuch == 1", NULL };
	static const char *const missing[] = { "vfs_open(path)", NULL };
	int status;

	removed();
	set_states();
	state_count = 2;
	strcpy(states[1].name, "vfs_read");
	strcpy(states[1].spec, "vfs_read");
	states[1].module[0] = '\0';
	add_arguments(missing);
	status = run(cmd_record, "fn", "vfs_read");
	tap(status == 4 && !*out && !strcmp(removed(), "vfs_open "),
	    "record fn fails, and removes what it has added: %d %s", status, line_of(err_out));
	add_arguments(filter);
	status = run(cmd_record, "fn", "vfs_read");
	tap(status && !*out && !strcmp(removed(), "vfs_open "), "... with a bad filter: %d %s",
	    status, line_of(err_out));
	add_arguments(by_itself);
}

static void test_record(void)
{
	static const char *const recorded[] = { "vfs_open(path)", "vfs_read(file", NULL };

	state_count = 0;
	tap(run(cmd_record, "fn", NULL) == 2 && !*out &&
		    strstr(err_out, "record: fn: no function has been added; name one, as in "
				    "`lttng-mm record fn handle_mm_fault`"),
	    "record fn without functions: %s", line_of(err_out));
	add_arguments(recorded);
	tap(run(cmd_record, "fn", "vfs_open") == 2 && !*out && strstr(err_out, "column 14: "),
	    "record fn: one bad SPEC refuses all: %s", line_of(err_out));
	add_arguments(by_itself);
	test_record_fails();
}

static void test_remove(void)
{
	static const char *const more[] = { "open", "none", NULL };
	bool ok;

	set_states();
	tap(!run(cmd_fn, "remove", "open") && !strcmp(out, "open: removed\n"), "remove");
	ok = run(cmd_fn, "remove", "none") == 2 && !*out &&
	     strstr(err_out, "fn: none: no function");
	tap(ok, "... a missing function: %s", line_of(err_out));
	add_arguments(more);
	tap(run(cmd_fn, "remove", "other") == 2 &&
		    !strcmp(out, "other: removed\nopen: removed\n") &&
		    strstr(err_out, "fn: none: no function"),
	    "... the existing ones are removed");
	add_arguments(by_itself);
}

static void write_machine(void)
{
	static const char kallsyms[] = "ffffffff81000000 T vfs_open\nffffffff81000010 T vfs_read\n"
				       "ffffffff81000020 T do_exit\n";
	static const char *const folders[] = {
		"proc", "proc/sys", "proc/sys/kernel", "proc/sys/kernel/random",
		"run",	"sys",	    "sys/kernel",      "sys/kernel/btf"
	};
	const void *data;
	uint32_t size;
	FILE *file;

	setenv("LTTNG_MM_ROOT", top, 1);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdir(folders[i], 0755))
			tap_bail("%s", folders[i]);
	file = fopen("proc/kallsyms", "w");
	if (!file || fputs(kallsyms, file) < 0 || fclose(file))
		tap_bail("kallsyms");
	tap_shell("echo here >proc/sys/kernel/random/boot_id");
	fn_make_types();
	fn_add_function("vfs_open", fn_ids.s32, fn_ids.path_ptr, "path", fn_ids.void_ptr, "file",
			-1);
	fn_add_function("do_exit", 0, fn_ids.s64, "code", -1);
	fn_add_function("vfs_read", fn_ids.s64, fn_ids.void_ptr, "file", -1);
	data = btf__raw_data(fn_btf_made, &size);
	file = fopen("sys/kernel/btf/vmlinux", "w");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		tap_bail("vmlinux");
	btf__free(fn_btf_made);
}

int main(void)
{
	if (getuid()) {
		tap_skip("functions", "only root may write the plan of a recorder");
		return tap_status();
	}
	commands_begin();
	write_machine();
	test_list();
	test_stopped();
	test_add();
	test_errors();
	test_raw();
	test_record();
	test_never_returns();
	test_remove();
	return commands_end();
}
