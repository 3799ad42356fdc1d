// SPDX-License-Identifier: LGPL-2.1-only
/* All commands: finds the command and passes control to it. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

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
	{ "trigger", "have a snapshot taken upon an event, a message or pressure", cmd_trigger },
	{ "fn", "record calls of kernel functions, with arguments and results", cmd_fn },
	{ "report", "analyze a trace", cmd_report },
	{ "print", "print the events of a trace, one per line", cmd_print },
	{ "info", "describe a trace", cmd_info },
	{ "verify", "decode a trace and check that it is intact and complete", cmd_verify },
	{ "serve", "run the recorder daemon", cmd_serve },
	{ "doctor", "check what recording requires and name the remedy for what is missing",
	  cmd_doctor },
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
		     "\n`lttng-mm COMMAND --help` describes a command; see also lttng-mm(1).\n");
}

static int unknown_command(const char *name)
{
	fprintf(stderr, "lttng-mm: unknown command '");
	for (const char *c = name; *c; c++)
		fputc(*c >= ' ' && *c < 0x7f ? *c : '?', stderr);
	fprintf(stderr, "'; `lttng-mm help` lists the commands\n");
	return EXIT_USAGE;
}

int commands_run(int argc, char **argv, const struct snapshot_times *started)
{
	char full_name[64];

	command_started = *started;
	/* Bad options exit with the project's status for bad usage, not with argp's EX_USAGE. */
	argp_err_exit_status = EXIT_USAGE;

	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return command_finish(EXIT_SUCCESS);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("lttng-mm %s\n", LTTNG_MM_VERSION);
		return command_finish(EXIT_SUCCESS);
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(full_name, sizeof(full_name), "lttng-mm %s", commands[i].name);
		argv[1] = full_name;
		return command_finish(commands[i].run(argc - 1, argv + 1));
	}
	return unknown_command(argv[1]);
}
