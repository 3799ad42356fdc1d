// SPDX-License-Identifier: LGPL-2.1-only
/* The options of `report why` with test subsystems: each subsystem with operations has a flag. */
#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "analysis/why/events.h"
#include "analysis/why/options.h"
#include "tests/tap.h"

static const char *const prefixes[] = { "toy_", NULL };
static const char *const file[MM_FILE_FIELDS] = { "ino", "major", "minor" };
static const struct mm_operation reads[] = { { "read", "read", "toy_read", "toy_read_done", NULL },
					     { 0 } };
static const struct mm_operation waits[] = { { "wait", "wait", "toy_wait", "toy_wait_done", NULL },
					     { 0 } };
static const struct mm_event_roles read_roles = {
	.prefixes = prefixes, .operations = reads, .operations_noun = "disk read", .file = file
};
static const struct mm_event_roles wait_roles = { .prefixes = prefixes,
						  .operations = waits,
						  .operations_noun = "lock wait" };
static const struct mm_subsystem none = { .name = "none" };
static const struct mm_subsystem disk = { .name = "disk", .roles = &read_roles };
static const struct mm_subsystem lock = { .name = "lock", .roles = &wait_roles };

const struct mm_subsystem *const mm_subsystems[] = { &none, &disk, &lock, NULL };

static struct why_option_values *parse(const char *const *names)
{
	struct mm_report_options *values = mm_options_create(&why_options);
	struct mm_error err = MM_ERROR_INIT;

	if (!values)
		tap_bail("out of memory");
	for (; *names; names++)
		if (mm_option_read(mm_option_find(&why_options, *names), "why", "a,b", true, values,
				   &err))
			tap_bail("%s", err.message);
	return (struct why_option_values *)values;
}

static const struct {
	const char *options[4];
	bool selects;
	const char *selected; /* expected operations; "": none */
	const char *error;
} cases[] = {
	{ { NULL }, false, "", NULL },
	{ { "disk" }, true, "disk read", NULL },
	{ { "lock", "function" }, true, "lock wait", NULL },
	{ { "disk", "lock" }, true, "disk read or lock wait", NULL },
	{ { "file" }, true, "disk read", NULL },
	{ { "file", "disk" }, true, "disk read", NULL },
	{ { "file", "lock" }, true, "", NULL },
	{ { "pair" }, true, "", NULL },
	{ { "function" }, true, "", NULL },
	{ { "pair", "lock" },
	  true,
	  "lock wait",
	  "report why: --pair excludes --function, --disk, --lock and --file; give one of them" },
};

static void test_selection(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct why_option_values *values = parse(cases[i].options);
		struct mm_error err = MM_ERROR_INIT;
		struct why_events events;
		char names[128];

		if (why_events_init(&events))
			tap_bail("out of memory");
		why_events_select(&events, values->only, values->file != NULL);
		why_events_name_operations(&events, WHY_NAME_ONE, names, sizeof(names));
		why_options_check(&values->report, &err);
		tap(why_options_select(values) == cases[i].selects &&
			    !strcmp(names, cases[i].selected) &&
			    !strcmp(err.code ? err.message : "",
				    cases[i].error ? cases[i].error : ""),
		    "options of case %zu select '%s': %s", i, names, err.code ? err.message : "");
		why_events_release(&events);
		free(values);
	}
}

static void test_help(void)
{
	const struct mm_option *option = mm_option_find(&why_options, "lock");

	tap(option && !strcmp(option->help,
			      "only lock waits, in addition to calls that --function selects"),
	    "the help of a flag names the operations");
	option = mm_option_find(&why_options, "file");
	tap(option && !strncmp(option->help, "only disk reads on files ", 25),
	    "the help of --file names the operations on files");
	tap(!mm_option_find(&why_options, "none"), "no operations, no flag");
}

int main(void)
{
	test_selection();
	test_help();
	return tap_status();
}
