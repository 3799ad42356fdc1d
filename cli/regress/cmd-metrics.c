// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm metrics: prints the catalogue of metrics, or their values in a trace or report. */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "analysis/mrc/mrc.h"
#include "cli/common/command.h"
#include "cli/common/source-options.h"
#include "reader/inspect/info-schema.h"
#include "reader/report/compare.h"
#include "reader/report/render.h"
#include "reader/report/words.h"
#include "regress/runs.h"
#include "regress/values.h"
#include "util/json-file.h"

struct metrics_options {
	const char *input;
	bool json;
	struct mm_source_options source;
};

static const struct argp_option argp_options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct metrics_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->source;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->input)
			argp_error(state, "%s: only one trace or report can be given", arg);
		options->input = command_trace(arg);
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
	.args_doc = "[TRACE|REPORT.json|DIR]",
	.doc = "Without an argument, describes every metric, table and time series of the reports. "
	       "With a trace, a stored report or a folder of `lttng-mm run`, prints the values of all "
	       "metrics, one per line, with the names that rules of `lttng-mm check` use."
	       "\vExamples:\n"
	       "  $ lttng-mm metrics | grep '`dax[.]'\n"
	       "  $ lttng-mm metrics /tmp/snapshot-1\n"
	       "  $ lttng-mm metrics /tmp/snapshot-1 | grep '^slab.cache.live_bytes'\n"
	       "  $ lttng-mm report dax --json /tmp/snapshot-1 >dax.json && lttng-mm metrics dax.json\n",
};

/* Prints the part of doc/metrics.md from "Coverage" on. */
static void print_catalogue(void)
{
	mm_render_coverage_schema(stdout);
	mm_render_schema(stdout, &mm_compare_schema);
	for (size_t i = 0; mm_analysis_at(i); i++) {
		mm_render_schema(stdout, mm_analysis_at(i)->schema);
		if (mm_analysis_at(i)->compare_schema)
			mm_render_schema(stdout, mm_analysis_at(i)->compare_schema);
	}
	mm_render_schema(stdout, &mrc_schema);
	mm_render_schema(stdout, &ctf_info_schema);
}

static json_t *list_of(const char *const *texts)
{
	json_t *list = json_array();

	for (; texts && *texts; texts++)
		json_array_append_new(list, json_string(*texts));
	return list;
}

static json_t *item_json(const struct mm_catalogue_item *item)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:s}", "name", item->name,
			 "report", item->schema ? item->schema->name : "trace", "labels",
			 list_of(item->labels), "other_labels", list_of(item->other_labels), "kind",
			 mm_value_word(item->kind), "unit", item->unit, "direction",
			 mm_direction_word(item->direction), "scaling",
			 mm_scaling_word(item->scaling), "meaning", item->meaning);
}

static json_t *number_json(const struct mm_cell *cell)
{
	switch (cell->kind) {
	case MM_CELL_BOOLEAN:
		return json_boolean(cell->u);
	case MM_CELL_UNSIGNED:
		/* As in reports, integers above 2^63 - 1 are strings. */
		return cell->u <= INT64_MAX ? json_integer((json_int_t)cell->u)
					    : json_sprintf("%llu", (unsigned long long)cell->u);
	case MM_CELL_SIGNED:
		return json_integer(cell->i);
	case MM_CELL_REAL:
		return json_real(cell->r);
	default:
		return json_null();
	}
}

static json_t *value_json(const struct regress_value *value)
{
	json_t *labels = json_object(), *object;

	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++)
		json_object_set_new(labels, value->keys[k], mm_json_text(value->texts[k]));
	object = json_pack("{s:s, s:o, s:s, s:s, s:o}", "name", value->item->name, "labels", labels,
			   "unit", value->item->unit, "direction",
			   mm_direction_word(value->item->direction), "value",
			   number_json(&value->figure.cell));
	if (value->figure.cell.least)
		json_object_set_new(object, MM_JSON_LEAST, json_true());
	if (value->figure.cell.most)
		json_object_set_new(object, MM_JSON_MOST, json_true());
	return object;
}

/* Prints @root, which may lack members after an allocation failed. */
static void print_json(json_t *root, unsigned long before, struct mm_error *err)
{
	if (mm_json_unwatch(before))
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "metrics: out of memory");
	else if (json_dumpf(root, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII))
		command_output_failed(err);
	else
		putchar('\n');
	json_decref(root);
}

static void print_catalogue_json(const struct mm_catalogue *catalogue, struct mm_error *err)
{
	const unsigned long before = mm_json_watch();
	json_t *metrics = json_array();

	for (size_t i = 0; i < catalogue->count; i++)
		json_array_append_new(metrics, item_json(&catalogue->items[i]));
	print_json(json_pack("{s:i, s:o}", "format", 1, "metrics", metrics), before, err);
}

static void print_run(const struct regress_run *run, const struct regress_values *values)
{
	char why[REGRESS_WHY];

	if (run->facts)
		printf("# %s\n", run->path);
	if (regress_run_is_doubtful(run, why))
		printf("# %s: values may be wrong\n", why);
	for (size_t i = 0; i < values->count; i++) {
		regress_value_print_name(stdout, &values->all[i]);
		putchar(' ');
		regress_value_print(stdout, &values->all[i]);
		putchar('\n');
	}
}

static json_t *run_json(const struct regress_run *run, const struct regress_values *values)
{
	json_t *metrics = json_array();
	char why[REGRESS_WHY];
	bool doubtful = regress_run_is_doubtful(run, why);

	for (size_t i = 0; i < values->count; i++)
		json_array_append_new(metrics, value_json(&values->all[i]));
	return json_pack("{s:o, s:o, s:o}", "path", mm_json_text(run->path), "doubt",
			 doubtful ? mm_json_text(why) : json_null(), "metrics", metrics);
}

/* Prints the values of all runs. */
static int print_values(const struct metrics_options *options, const struct mm_catalogue *catalogue,
			const struct regress_runs *runs, struct mm_error *err)
{
	const unsigned long before = mm_json_watch();
	json_t *all = json_array();
	int ret = 0;

	for (size_t i = 0; i < runs->count && !ret; i++) {
		struct regress_values values = { NULL };

		for (size_t k = 0; k < REGRESS_SCHEMAS_MAX && !ret; k++)
			if (runs->all[i].reports[k])
				ret = regress_values_add(&values, catalogue,
							 runs->all[i].reports[k], !values.count,
							 NULL, NULL);
		if (!ret && options->json)
			json_array_append_new(all, run_json(&runs->all[i], &values));
		else if (!ret)
			print_run(&runs->all[i], &values);
		regress_values_release(&values);
	}
	if (!ret && options->json) {
		print_json(json_pack("{s:i, s:o}", "format", 1, "runs", all), before, err);
		return err->code ? -1 : 0;
	}
	mm_json_unwatch(before);
	json_decref(all);
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "metrics: out of memory") : 0;
}

int cmd_metrics(int argc, char **argv)
{
	struct metrics_options options = { NULL };
	struct mm_catalogue catalogue = { NULL };
	struct regress_runs runs = { NULL };
	struct mm_error err = MM_ERROR_INIT;

	mm_source_options_init(&options.source);
	command_parse(&parser, argc, argv, &options);
	if (!options.input && !options.json) {
		print_catalogue();
		return MM_EXIT_OK;
	}
	if (regress_catalogue(&catalogue)) {
		mm_error_set(&err, MM_EXIT_ENVIRONMENT, "metrics: out of memory");
	} else if (!options.input) {
		print_catalogue_json(&catalogue, &err);
	} else {
		command_lock_trace(options.input);
		if (!regress_runs_add(&runs, options.input, NULL, &options.source, &err))
			print_values(&options, &catalogue, &runs, &err);
	}
	regress_runs_release(&runs);
	mm_catalogue_release(&catalogue);
	return command_end(&err, MM_EXIT_OK);
}
