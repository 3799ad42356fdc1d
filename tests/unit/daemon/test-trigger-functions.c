// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests triggers on events of functions, with a simulated module. A trigger stores the SPEC of its
 * function, so that the daemon can add the function again if it is missing. A change of the
 * function empties the cache of fields.
 */
#include <lttng/lttng.h>
#include <stdlib.h>

#include "lttng-session/daemon/triggers/definition/field-cache.h"
#include "lttng-session/daemon/triggers/definition/functions.h"
#include "lttng-session/daemon/triggers/definition/store.h"
#include "lttng-session/fn/add.h"
#include "lttng-session/fn/device.h"
#include "tests/unit/fn-btf.h"
#include "tests/unit/fn-device.h"
#include "tests/unit/machine.h"

int lttng_session_daemon_alive(void)
{
	return 0;
}

static void test_names(void)
{
	static const struct {
		const char *event, *name;
	} cases[] = {
		{ "fn_vfs_open_call", "vfs_open" },
		{ "fn_a_entry", "a" },
		{ "fn_call_exit_exit", "call_exit" },
		{ "fn__call", NULL },
		{ "fn_call", NULL },
		{ "fn_vfs_open", NULL },
		{ "dax_vfs_open_call", NULL },
		{ NULL, NULL },
	};
	char name[LTTNG_MM_FN_NAME_MAX], event[LTTNG_MM_FN_NAME_MAX + 16] = "fn_";

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is = trigger_function_of(cases[i].event, name);

		tap(is == !!cases[i].name && (!is || !strcmp(name, cases[i].name)), "%s is %s",
		    cases[i].event ? cases[i].event : "no event", is ? name : "not of a function");
	}
	memset(event + 3, 'a', LTTNG_MM_FN_NAME_MAX);
	strcpy(event + 3 + LTTNG_MM_FN_NAME_MAX - 1, "_call");
	tap(trigger_function_of(event, name) && strlen(name) == LTTNG_MM_FN_NAME_MAX - 1,
	    "the longest name");
	strcpy(event + 3 + LTTNG_MM_FN_NAME_MAX, "_call");
	event[3 + LTTNG_MM_FN_NAME_MAX - 1] = 'a';
	tap(!trigger_function_of(event, name), "... one more");
}

/*
 * Sets the only function of the simulated module to @spec. With NULL, the module has no function.
 */
static void set_function(const char *spec)
{
	state_count = spec ? 1 : 0;
	strcpy(states[0].name, "open");
	strcpy(states[0].spec, spec ? spec : "");
}

static void test_add(void)
{
	static const struct {
		const char *name, *there, *spec, *becomes, *says;
		uid_t uid;
		unsigned int count;
	} cases[] = {
		{ "the SPEC of an existing function is stored", "vfs_open(path) --caller", NULL,
		  "vfs_open(path) --caller", NULL, 0, 1 },
		{ "... for a user's trigger, too", "vfs_open(path)", NULL, "vfs_open(path)", NULL,
		  1000, 1 },
		{ "a stored SPEC is not replaced", "vfs_open(path)", "vfs_open", "vfs_open", NULL,
		  0, 1 },
		{ "a missing function is added again", NULL, "vfs_open(path) --caller --raw",
		  "vfs_open(path) --caller --raw", NULL, 0, 1 },
		{ "... but not for a user's trigger", NULL, "vfs_open(path)", "vfs_open(path)",
		  "only root may add it: lttng-mm fn add 'vfs_open(path)'", 1000, 0 },
		{ "... by a refused SPEC", NULL, "vfs_open(pth)", "vfs_open(pth)",
		  "trigger: t: the function of its event cannot be added again: fn: vfs_open(pth): column 10: ",
		  0, 0 },
		{ "... by a text that is not a SPEC", NULL, "vfs_open --x", "vfs_open --x",
		  "is not the description", 0, 0 },
		{ "a function that was never added", NULL, NULL, NULL, NULL, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trigger *trigger = trigger_create();
		struct mm_error err = MM_ERROR_INIT;

		/* This case needs a plan that contains the SPEC. */
		if (getuid() && cases[i].says && strstr(cases[i].says, "is not the description")) {
			tap_skip(cases[i].name, "only root may write the plan of a recorder");
			trigger_destroy(trigger);
			continue;
		}
		set_function(cases[i].there);
		strcpy(trigger->name, "t");
		trigger->uid = cases[i].uid;
		trigger->event = strdup("fn_open_call");
		trigger->spec = cases[i].spec ? strdup(cases[i].spec) : NULL;
		trigger_add_functions(&trigger, 1, &err);
		tap(!!err.code == !!cases[i].says &&
			    (!cases[i].says || strstr(err.message, cases[i].says)) &&
			    !strcmp(trigger->spec ? trigger->spec : "",
				    cases[i].becomes ? cases[i].becomes : "") &&
			    state_count == cases[i].count,
		    "%s: %s", cases[i].name, err.message);
		if (state_count)
			tap(!strcmp(states[0].name, "open") &&
				    !strcmp(states[0].spec,
					    cases[i].there ? cases[i].there : cases[i].spec),
			    "... as %s", states[0].spec);
		trigger_destroy(trigger);
	}
}

static void test_reveals(void)
{
	struct trigger trigger = { .event = NULL };
	char call[] = "fn_open_call", other[] = "timer_init", raw[] = "open --raw",
	     encoded[] = "open --caller", switches[] = "sched_switch", interrupts[] = "irq_*",
	     probe[] = "irq_probe";

	tap(!trigger_reveals(&trigger), "without an event there are no fields");
	trigger.event = other;
	tap(trigger_reveals(&trigger), "events of others may have addresses");
	trigger.event = switches;
	tap(!trigger_reveals(&trigger), "... but not events that only describe threads");
	trigger.event = interrupts;
	tap(!trigger_reveals(&trigger), "... or interrupts");
	trigger.event = probe;
	tap(trigger_reveals(&trigger), "... but a kprobe of a similar name may have addresses");
	trigger.event = call;
	trigger.spec = encoded;
	tap(!trigger_reveals(&trigger), "pointers of functions are encoded");
	trigger.spec = raw;
	tap(trigger_reveals(&trigger), "... except with --raw");
}

static bool is_cached(void)
{
	struct ctf_trace_class *trace;
	struct field_cache cache;
	bool found;

	field_cache_open(&cache);
	trace = field_cache_find(&cache, "fn_open_call");
	found = trace;
	ctf_trace_class_destroy(trace);
	field_cache_close(&cache);
	return found;
}

static void add_to_cache(void)
{
	static const char metadata[] =
		"/* CTF 1.8 */\n\ntrace { major = 1; minor = 8; byte_order = le; };\n"
		"stream { };\nevent { name = \"fn_open_call\"; fields := struct { }; };\n";
	const char *name = "fn_open_call";
	struct field_cache cache;

	field_cache_open(&cache);
	field_cache_add(&cache, &name, 1, metadata, sizeof(metadata) - 1);
	field_cache_close(&cache);
}

/* Requires root, because the store must belong to root. */
static void test_cache(void)
{
	if (getuid()) {
		tap_skip("fields of functions", "needs root");
		return;
	}
	set_function("vfs_open(path)");
	add_to_cache();
	tap(is_cached(), "fields of a function are kept");
	set_function("vfs_open(path, file)");
	tap(!is_cached(), "... not when it was added again with others");
	add_to_cache();
	set_function(NULL);
	tap(!is_cached(), "... nor when it was removed");
}

static void add_needed(void *user, const struct trigger *trigger, const char *function)
{
	char *text = user;

	snprintf(text + strlen(text), 256 - strlen(text), "%s:%s ", trigger->name, function);
}

/* Tests the list of stored triggers that need functions. */
static void test_needed(void)
{
	static const char *const conditions[][2] = { { "slow", "fn_vfs_open_call if tid > 1" },
						     { "oom", "kernel-message oom" },
						     { "switch", "sched_switch" },
						     { "enter", "fn_vfs_read_entry" } };
	struct mm_error err = MM_ERROR_INIT;
	char text[256] = "";

	if (getuid()) {
		tap_skip("triggers that need functions", "only root may own their files");
		return;
	}
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		struct trigger *trigger = trigger_create();

		strcpy(trigger->name, conditions[i][0]);
		trigger->on = strdup(conditions[i][1]);
		trigger->uid = 0;
		if (trigger_parse_condition(trigger, &err) || trigger_store_add(trigger, &err))
			tap_bail("%s", err.message);
		trigger_destroy(trigger);
	}
	trigger_each_function(add_needed, text);
	tap(!strcmp(text, "enter:vfs_read slow:vfs_open "), "triggers that need functions: %s",
	    text);
}

static void write_machine(void)
{
	static const char *const folders[] = { "proc",		 "run", "sys",	   "sys/kernel",
					       "sys/kernel/btf", "var", "var/lib", NULL };
	const void *data;
	uint32_t size;

	machine_create(folders);
	machine_write("proc/kallsyms", "ffffffff81000000 T vfs_open\n");
	machine_write("proc/modules", "");
	fn_make_types();
	fn_add_function("vfs_open", fn_ids.s32, fn_ids.path_ptr, "path", fn_ids.void_ptr, "file",
			-1);
	data = btf__raw_data(fn_btf_made, &size);
	machine_write_bytes("sys/kernel/btf/vmlinux", data, size);
	btf__free(fn_btf_made);
}

int main(void)
{
	int start = open(".", O_RDONLY | O_DIRECTORY);

	/* The simulated module writes into the working folder. */
	write_machine();
	if (start < 0 || chdir(machine_root))
		tap_bail("%s is not usable", machine_root);
	test_names();
	test_add();
	test_reveals();
	test_cache();
	test_needed();
	tap(!access(ADDED, F_OK) && faccessat(start, ADDED, F_OK, 0),
	    "nothing is written outside of the temporary folder");
	close(start);
	tap(machine_remove(), "all is removed");
	return tap_status();
}
