// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints the result of a check as JSON. Sample:
 *   { "format": 1, "state": "fail", "rules": [ { "file": "rules", "line": 3,
 *     "rule": "dax.pmd_fallbacks / dax.pmd_faults <= 1%", "explanation": null, "state": "fail",
 *     "checked": 1, "passed": 0, "findings": [ { "state": "fail", "run": "run-1",
 *       "metric": "dax.pmd_fallbacks / dax.pmd_faults", "value": "30 faults / 190 faults",
 *       "reason": null, "causes": ["Main cause: ..."] } ] } ],
 *     "runs": [ { "path": "run-1", "doubt": null } ] }
 */
#include <errno.h>

#include "regress/check.h"
#include "util/json-file.h"

static json_t *text_or_null(const char *text)
{
	return text ? mm_json_text(text) : json_null();
}

static json_t *finding_json(const struct regress_finding *finding)
{
	json_t *causes = json_array();

	for (size_t i = 0; i < finding->cause_count; i++)
		json_array_append_new(causes, mm_json_text(finding->causes[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "state",
			 regress_state_words[finding->state], "run",
			 mm_json_text(finding->run->path), "metric", mm_json_text(finding->what),
			 "value", text_or_null(finding->found), "reason",
			 text_or_null(finding->reason), "causes", causes);
}

static json_t *outcome_json(const struct regress_check *check,
			    const struct regress_outcome *outcome)
{
	json_t *findings = json_array();

	for (size_t i = 0; i < outcome->count; i++)
		json_array_append_new(findings, finding_json(&outcome->findings[i]));
	return json_pack("{s:o, s:i, s:o, s:o, s:s, s:I, s:I, s:o}", "file",
			 mm_json_text(check->rules->path), "line", (int)outcome->rule->line, "rule",
			 mm_json_text(outcome->rule->text), "explanation",
			 text_or_null(outcome->rule->explanation), "state",
			 regress_state_words[outcome->state], "checked",
			 (json_int_t)outcome->checked, "passed", (json_int_t)outcome->passed,
			 "findings", findings);
}

void regress_check_print_json_error(FILE *out, const char *message)
{
	json_t *root = json_pack("{s:i, s:s, s:o, s:[], s:[]}", "format", 1, "state",
				 regress_state_words[REGRESS_ERROR], "error", mm_json_text(message),
				 "rules", "runs");

	if (root)
		json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	json_decref(root);
	fputc('\n', out);
}

int regress_check_print_json(FILE *out, const struct regress_check *check)
{
	const unsigned long before = mm_json_watch();
	json_t *rules = json_array(), *runs = json_array(), *root;
	int ret = -1;

	for (size_t i = 0; i < check->rules->count; i++)
		json_array_append_new(rules, outcome_json(check, &check->outcomes[i]));
	for (size_t i = 0; i < check->runs->count; i++) {
		char why[REGRESS_WHY];
		bool doubtful = regress_run_is_doubtful(&check->runs->all[i], why);

		json_array_append_new(runs,
				      json_pack("{s:o, s:o}", "path",
						mm_json_text(check->runs->all[i].path), "doubt",
						doubtful ? mm_json_text(why) : json_null()));
	}
	root = json_pack("{s:i, s:s, s:o, s:o}", "format", 1, "state",
			 regress_state_words[check->state], "rules", rules, "runs", runs);
	if (mm_json_unwatch(before) || !root)
		errno = ENOMEM;
	else
		ret = json_dumpf(root, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	json_decref(root);
	if (fputc('\n', out) == EOF)
		ret = -1;
	return ret;
}
