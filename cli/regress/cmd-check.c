// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm check: checks whether traces, reports or runs meet rules. */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/source-options.h"
#include "regress/check.h"

struct check_options {
	const char *rules;
	char **inputs;
	size_t input_count;
	enum regress_format format;
	struct mm_source_options source;
};

static const struct argp_option argp_options[] = {
	{ "format", 'f', "text|json|junit|ktap|github", 0, "the format of the result", 0 },
	{ 0 },
};

static void parse_format(struct check_options *options, const char *arg, struct argp_state *state)
{
	for (int i = 0; i < REGRESS_FORMATS; i++)
		if (!strcmp(arg, regress_format_words[i])) {
			options->format = (enum regress_format)i;
			return;
		}
	argp_error(state, "--format: '%s' is not one of text, json, junit, ktap, github", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct check_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case 'f':
		parse_format(options, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (!options->rules) {
			options->rules = arg;
			return 0;
		}
		command_trace(arg);
		/* argp moves arguments after the options, so the other inputs follow this one. */
		if (!options->inputs)
			options->inputs = &state->argv[state->next - 1];
		options->input_count++;
		return 0;
	case ARGP_KEY_END:
		if (!options->rules)
			argp_error(state, "no file of rules given; see RULES in lttng-mm-check(1)");
		if (!options->input_count)
			argp_error(
				state,
				"nothing to check; after the rules, give a trace, a report or a folder of `lttng-mm run`");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &source_options_argp, 0, NULL, 0 }, { 0 } };

static const struct argp parser = {
	.options = argp_options,
	.parser = parse,
	.children = children,
	.args_doc = "RULES TRACE|REPORT.json|DIR...",
	.doc = "Checks whether the metrics of traces, stored reports or runs (`lttng-mm run`) meet the "
	       "rules of a file. If lost events could change a result, it is inconclusive, and never passes."
	       "\vExit status: 0 all rules pass, 1 a rule fails, 2 bad usage or bad input, such as a rule "
	       "that selects no metric, 3 inconclusive, 4 the environment lacks something.\n\n"
	       "Examples:\n"
	       "  $ lttng-mm check rules /tmp/snapshot-1\n"
	       "  $ lttng-mm check rules dax.json slab.json\n"
	       "  $ lttng-mm check --format junit rules runs/ >check.xml\n"
	       "  $ echo 'dax.pmd_fallbacks / dax.pmd_faults <= 1%' >rules\n",
};

/* Sets @err to the reason why a rule selects no metric. */
static void set_error(const struct regress_check *check, const struct regress_rule *rule,
		      const struct regress_finding *finding, struct mm_error *err)
{
	const size_t length = strlen(finding->reason);
	const bool several = check->runs->count > 1;

	mm_error_set(err, MM_EXIT_BAD_INPUT, "check: %s:%u: %s%s%s%s%s", check->rules->path,
		     rule->line, several ? finding->run->path : "", several ? ": " : "",
		     finding->reason, length && finding->reason[length - 1] == '?' ? " " : "; ",
		     finding->advice ? finding->advice : "correct the rule");
}

static int check_inputs(const struct check_options *options, const struct mm_catalogue *catalogue,
			const struct regress_rules *rules, struct regress_runs *runs,
			bool *is_printed, struct mm_error *err)
{
	bool wanted[REGRESS_SCHEMAS_MAX];
	const bool any = regress_rules_want(rules, wanted);
	struct regress_check check;
	int status;

	for (size_t i = 0; i < options->input_count; i++) {
		command_lock_trace(options->inputs[i]);
		if (regress_runs_add(runs, options->inputs[i], any ? wanted : NULL,
				     &options->source, err))
			return MM_EXIT_FAILED;
	}
	*is_printed = !regress_check(&check, rules, runs, catalogue, err);
	if (*is_printed && regress_check_print(stdout, &check, options->format))
		command_output_failed(err);
	status = regress_check_status(&check);
	fflush(stdout);
	for (size_t i = 0; i < rules->count && status == MM_EXIT_BAD_INPUT && !err->code; i++) {
		const struct regress_outcome *outcome = &check.outcomes[i];

		for (size_t k = 0; k < outcome->count; k++)
			if (outcome->findings[k].state == REGRESS_ERROR)
				set_error(&check, outcome->rule, &outcome->findings[k], err);
	}
	regress_check_release(&check);
	return status;
}

int cmd_check(int argc, char **argv)
{
	struct check_options options = { .format = REGRESS_TEXT };
	struct mm_catalogue catalogue = { NULL };
	struct regress_rules rules = { NULL };
	struct regress_runs runs = { NULL };
	struct mm_error err = MM_ERROR_INIT;
	int status = MM_EXIT_FAILED;
	bool is_printed = false;

	mm_source_options_init(&options.source);
	command_parse(&parser, argc, argv, &options);
	if (regress_catalogue(&catalogue))
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "check: out of memory");
	else if (!regress_rules_read(&rules, options.rules, &catalogue, &err))
		status = check_inputs(&options, &catalogue, &rules, &runs, &is_printed, &err);
	if (err.code && !is_printed)
		regress_check_print_error(stdout, options.rules, err.message, options.format);
	regress_runs_release(&runs);
	regress_rules_release(&rules);
	mm_catalogue_release(&catalogue);
	return command_end(&err, status);
}
