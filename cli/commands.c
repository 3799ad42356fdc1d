// SPDX-License-Identifier: LGPL-2.1-only
/* The table of commands. Runs the command that the user named. */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "cli/common/command.h"
#include "util/nearest.h"

#ifndef LTTNG_MM_VERSION
#define LTTNG_MM_VERSION "0.1.0"
#endif

#define EXIT_USAGE 2

static const struct mm_command commands[] = {
	{ "record", "start the flight recorder with a profile", cmd_record },
	{ "snapshot", "write the contents of the buffers to disk and print the path",
	  cmd_snapshot },
	{ "status", "show the running recorders", cmd_status },
	{ "stop", "stop a recorder and free its buffers", cmd_stop },
	{ "trigger", "take snapshots on an event, a message or pressure", cmd_trigger },
	{ "fn", "record calls of kernel functions, with arguments and results", cmd_fn },
	{ "report", "analyze a trace", cmd_report },
	{ "mrc", "state the memory that processes need, from page references", cmd_mrc },
	{ "export", "write page references for cache simulators", cmd_export },
	{ "metrics", "describe the metrics of reports, or print their values", cmd_metrics },
	{ "check", "check whether metrics meet the rules of a file", cmd_check },
	{ "diff", "compare two sets of runs, metric by metric", cmd_diff },
	{ "run", "record a command, and write the reports of each run", cmd_run },
	{ "gate", "check whether a command's metrics are worse than in a base file", cmd_gate },
	{ "print", "print the events of a trace, one per line", cmd_print },
	{ "info", "describe a trace", cmd_info },
	{ "verify", "decode a trace and check that it is intact and complete", cmd_verify },
	{ "serve", "run the recorder daemon", cmd_serve },
	{ "doctor", "check what recording requires, and suggest remedies", cmd_doctor },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *out)
{
	fprintf(out, "Usage: lttng-mm COMMAND [OPTION...]\n"
		     "Flight recorder for Linux kernel memory management.\n\nCommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fprintf(out, "\nExamples:\n"
		     "  # lttng-mm record dax                      start recording DAX faults\n"
		     "  # trace=$(lttng-mm snapshot -o /var/tmp)   write a snapshot\n"
		     "  $ lttng-mm report dax \"$trace\"             why did faults fall back?\n"
		     "\n`lttng-mm help COMMAND` describes a command; see also lttng-mm(1).\n");
}

static int unknown_command(const char *name)
{
	struct mm_nearest nearest = { .wanted = name };
	struct mm_error err = MM_ERROR_INIT;
	char text[MM_NEAREST_TEXT];

	if (mm_analysis_find(name)) {
		mm_error_set(
			&err, MM_EXIT_BAD_INPUT,
			"'%s' is an analysis, not a command; run `lttng-mm report %s TRACE` (`lttng-mm help report %s` describes it)",
			name, name, name);
		return command_end(&err, MM_EXIT_BAD_INPUT);
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		mm_nearest_offer(&nearest, commands[i].name);
	mm_nearest_hint(&nearest, text, sizeof(text));
	mm_error_set(&err, MM_EXIT_BAD_INPUT,
		     "unknown command '%s'%s%s`lttng-mm help` lists the commands", name, text,
		     *text ? " " : "; ");
	return command_end(&err, MM_EXIT_BAD_INPUT);
}

static const struct mm_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int run_command(const struct mm_command *command, int argc, char **argv)
{
	char full_name[64];

	snprintf(full_name, sizeof(full_name), "lttng-mm %s", command->name);
	argv[0] = full_name;
	return command_finish(command->run(argc, argv));
}

/* Runs `help report slab` as `report slab --help`. */
static int help(int argc, char **argv)
{
	static char option[] = "--help";
	const struct mm_command *command = argc > 1 ? find_command(argv[1]) : NULL;
	char **all;

	if (argc < 2) {
		print_usage(stdout);
		return command_finish(EXIT_SUCCESS);
	}
	if (!command)
		return unknown_command(argv[1]);
	all = calloc((size_t)argc + 1, sizeof(*all));
	if (!all) {
		fprintf(stderr, "lttng-mm: out of memory\n");
		return MM_EXIT_ENVIRONMENT;
	}
	memcpy(all, argv + 1, (size_t)(argc - 1) * sizeof(*all));
	all[argc - 1] = option;
	/* argp exits after printing the help. */
	return run_command(command, argc, all);
}

int commands_run(int argc, char **argv, const struct snapshot_times *started)
{
	const struct mm_command *command;

	command_started = *started;
	/* Exit with the project's status for bad usage, not with argp's EX_USAGE. */
	argp_err_exit_status = EXIT_USAGE;

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (asks_for_help(argv[1]))
		return help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("lttng-mm %s\n", LTTNG_MM_VERSION);
		return command_finish(EXIT_SUCCESS);
	}
	command = find_command(argv[1]);
	return command ? run_command(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}
