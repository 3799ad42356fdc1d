// SPDX-License-Identifier: LGPL-2.1-only
/* Adds a toy to the list of subsystems: help, profiles and doctor must include it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/registry/registry.h"
#include "cli/common/command.h"
#include "lttng-session/doctor.h"
#include "lttng-session/recorder/recorder.h"
#include "tests/tap.h"
#include "util/mounts.h"

/* The toy subsystem requires a file named `box`. */
static bool check_box(struct mm_check *check)
{
	char path[128];

	if (!mounts_path(path, sizeof(path), "/box") && !access(path, F_OK)) {
		*check = (struct mm_check){ .text = "there is a box" };
		return true;
	}
	*check = (struct mm_check){ .text = "there is no box", .remedy = "mkdir /box" };
	return false;
}

static const struct mm_need needs[] = {
	{ MM_NEED_CONFIG, "CONFIG_TOY", "there is nothing to play with" },
	{ MM_NEED_BTF, NULL, "otherwise toys have no types" },
	{ MM_NEED_TRACEFS, NULL, "it lists the toys" },
	{ 0 },
};
static const struct mm_requirement requirement = {
	.name = "box", .refusal = "there is no box; make one (mkdir /box)", .check = check_box
};
static const struct mm_analysis analysis = { .name = "toy" };
static const struct mm_rules rules = { .name = "toy" };

static const struct mm_event_text texts[] = {
	{ .events = "toy_play", .format = "with {what}" },
	{ .events = "toy_*_lent,toy_lost", .call_site = "where" },
	{ .events = NULL },
};

static const struct mm_subsystem toy = {
	.name = "toy",
	.profile = "toy",
	.needs = needs,
	.requirement = &requirement,
	.analysis = &analysis,
	.rules = &rules,
	.texts = texts,
};

extern const struct mm_subsystem mm_slab_subsystem, mm_dax_subsystem;

/* Replaces the registry's list of subsystems. */
const struct mm_subsystem *const mm_subsystems[] = { &mm_slab_subsystem, &toy, &mm_dax_subsystem,
						     NULL };

static char root[] = "/tmp/lttng-mm-test-XXXXXX";

static void put_config(const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/boot/config-6.12.0-toy", root);
	file = fopen(path, "w");
	if (!file || fputs(text, file) == EOF || fclose(file))
		tap_bail("%s cannot be written", path);
}

/* Writes a user's own profile. */
static void put_profile(void)
{
	char path[128];
	FILE *file;

	if (!mkdtemp(root) || setenv("LTTNG_MM_ROOT", root, 1))
		tap_bail("no folder");
	tap_shell("mkdir -p %s/etc/lttng-mm/profiles %s/run/lttng-mm", root, root);
	snprintf(path, sizeof(path), "%s/etc/lttng-mm/profiles/toy.conf", root);
	file = fopen(path, "w");
	if (!file ||
	    fputs("[profile]\nmodule = lttng-probe-toy\nrequires = box\n[buffers]\nsubbuf-size = 256k\nnum-subbuf = 4\n"
		  "[events]\nrecord = toy_*\n",
		  file) == EOF ||
	    fclose(file))
		tap_bail("%s cannot be written", path);
}

static const struct doctor_result *find(const struct doctor_result *results, size_t count,
					const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(results[i].name, name))
			return &results[i];
	tap_bail("doctor has no result %s", name);
}

static void test_doctor(void)
{
	struct doctor_result results[DOCTOR_RESULTS_MAX];
	size_t count;

	tap_shell(
		"mkdir -p %s/boot %s/proc/sys/kernel && echo 6.12.0-toy >%s/proc/sys/kernel/osrelease",
		root, root, root);
	tap_shell(
		"cd %s && mkdir -p sys/kernel/btf sys/kernel/tracing && : >sys/kernel/btf/vmlinux && : >sys/kernel/tracing/available_filter_functions",
		root);
	count = doctor_run(results);
	tap(strstr(find(results, count, "probe")->text, "lttng-probe-toy"),
	    "doctor: the probe is looked for");
	tap(strstr(find(results, count, "memory")->text, "toy "),
	    "doctor: its buffers are counted");
	tap(find(results, count, "slab")->state == DOCTOR_NOTE &&
		    strstr(find(results, count, "slab")->text, "is unknown"),
	    "doctor: unknown options of the kernel");
	put_config("# CONFIG_TOY is not set\nCONFIG_TOY_BOX=y\n");
	count = doctor_run(results);
	tap(find(results, count, "toy")->state == DOCTOR_MISSING &&
		    strstr(find(results, count, "toy")->text,
			   "CONFIG_TOY: there is nothing to play with"),
	    "doctor: an option that is off");
	put_config("CONFIG_BOX=m\nCONFIG_TOY=m\n");
	tap_shell("rm %s/sys/kernel/btf/vmlinux", root);
	count = doctor_run(results);
	tap(find(results, count, "toy")->state == DOCTOR_NOTE &&
		    strstr(find(results, count, "toy")->text,
			   "no BTF: otherwise toys have no types"),
	    "doctor: a kernel without BTF: %s", find(results, count, "toy")->text);
	tap_shell(": >%s/sys/kernel/btf/vmlinux", root);
	tap_shell("rm %s/sys/kernel/tracing/available_filter_functions", root);
	count = doctor_run(results);
	tap(find(results, count, "toy")->state == DOCTOR_NOTE &&
		    !strcmp(find(results, count, "toy")->remedy,
			    geteuid() ? "mkdir /box"
				      : "mount -t tracefs tracefs /sys/kernel/tracing"),
	    "doctor: no tracefs: %s", find(results, count, "toy")->text);
	tap_shell(": >%s/sys/kernel/tracing/available_filter_functions", root);
	count = doctor_run(results);
	tap(find(results, count, "toy")->state == DOCTOR_NOTE &&
		    !strcmp(find(results, count, "toy")->text, "there is no box") &&
		    !strcmp(find(results, count, "toy")->remedy, "mkdir /box"),
	    "doctor: an option that is on, but the toy's own check fails");
	tap_shell("mkdir %s/box", root);
	count = doctor_run(results);
	tap(find(results, count, "toy")->state == DOCTOR_OK &&
		    !strcmp(find(results, count, "toy")->text, "there is a box"),
	    "doctor: the toy's own check succeeds");
	tap_shell("rm -r %s", root);
}

static void test_texts(void)
{
	static const struct {
		const char *event;
		const struct mm_event_text *text;
	} cases[] = {
		{ "toy_play", &texts[0] },
		{ "toy_play_wide", &texts[0] },
		{ "toy_play_wider", NULL },
		{ "toy_playing", NULL },
		{ "toy_car_lent", &texts[1] },
		{ "toy_lost", &texts[1] },
		{ "slab_kmalloc_wide", NULL },
		{ "toy", NULL },
		{ "_wide", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct mm_event_text *text = mm_event_text_find(cases[i].event);

		/* The slab subsystem must provide the text for events of slab_*. */
		if (!strncmp(cases[i].event, "slab_", 5))
			tap(text && !text->format && !strcmp(text->call_site, "call_site"),
			    "print: %s", cases[i].event);
		else
			tap(text == cases[i].text, "print: %s", cases[i].event);
	}
}

/* Parsing --help ends the process. */
static void test_help(void)
{
	char command[] = "lttng-mm record", help[] = "--help", text[8192];
	char *argv[] = { command, help, NULL };
	FILE *file = tmpfile();
	size_t length;
	int status;
	pid_t child;

	if (!file)
		tap_bail("no temporary file");
	child = fork();
	if (!child) {
		/* Allow long lines, so that no text is wrapped. */
		setenv("ARGP_HELP_FMT", "rmargin=1000", 1);
		_exit(dup2(fileno(file), 1) < 0 ? 1 : cmd_record(2, argv));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		tap_bail("record --help does not run");
	rewind(file);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	tap(strstr(text, "slab: 8, toy: 4, dax: 8, fn: 8, ") &&
		    strstr(text, "slab: 2M, toy: 256k, dax: 1M, fn: 1M, "),
	    "record --help: the sub-buffers of each profile");
}

int main(void)
{
	struct mm_error err = MM_ERROR_INIT;
	struct recorder_options options;
	struct recorder_started started;
	FILE *out;
	char *text = NULL;
	size_t size;

	tap(!strcmp(mm_subsystem_names(), "slab, toy, dax"), "help: the names: %s",
	    mm_subsystem_names());
	tap(mm_subsystem_find("toy") == &toy && !mm_subsystem_find("fn"), "the subsystem");
	tap(mm_analysis_find("toy") == &analysis && mm_analysis_at(1) == &analysis &&
		    !mm_analysis_at(3),
	    "the analysis");
	tap(mm_rules_at(1) == &rules && !mm_rules_at(2), "the rules");
	tap(mm_requirement_find("box") == &requirement && !mm_requirement_find("toy") &&
		    !strcmp(mm_requirement_names(), "box, dax-mount"),
	    "the requirements for profiles: %s", mm_requirement_names());
	test_texts();
	put_profile();
	tap(!recorder_options_init(&options, NULL, &err) &&
		    !recorder_options_add(&options, "toy", NULL, &err),
	    "record: the profile is known");
	out = open_memstream(&text, &size);
	if (!out)
		tap_bail("out of memory");
	recorder_print_commands(out, &options, &err);
	fclose(out);
	tap(strstr(text, "modprobe lttng-probe-toy\n") && strstr(text, "toy_*"),
	    "record: its probe and its events");
	free(text);
	tap(recorder_start(&options, &started, &err) && err.code == MM_EXIT_ENVIRONMENT &&
		    !strcmp(err.message,
			    "record: there is no box; make one (mkdir /box), or use --force to record anyway"),
	    "record: the profile's requirement is missing: %s", err.message);
	mm_error_clear(&err);
	tap(recorder_options_add(&options, "dux", NULL, &err) &&
		    strstr(err.message, "known: slab, toy, dax"),
	    "record: %s", err.message);
	recorder_options_release(&options);
	mm_error_clear(&err);
	test_help();
	test_doctor();
	return tap_status();
}
