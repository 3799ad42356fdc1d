// SPDX-License-Identifier: LGPL-2.1-only
/* Tests rules: their syntax, their patterns, and their verdicts on complete and incomplete runs. */
#include "regress/rules.h"

#include <string.h>

#include "analysis/registry/registry.h"
#include "regress/check.h"
#include "tests/tap.h"

static struct mm_catalogue catalogue;

/* Messages start with "check: rules:LINE: ". The table contains the text after that. */
static const struct {
	const char *text, *message; /* @message NULL: the rule is valid */
	unsigned int line;
} syntax[] = {
	{ "dax.pmd_fallbacks == 0", NULL, 0 },
	{ "# comment\n\n\tdax.pmd_fallbacks<=3", NULL, 0 },
	{ "dax.fallback.cause{} > 1 \"why\"", NULL, 0 },
	{ "dax.pmd_fallbacks == 0\n  \"why\"", NULL, 0 },
	{ "dax.fault.count{kind=\"pmd\", cause=\"a\\\"b\"} < 1 if present \"why\"", NULL, 0 },
	{ "slab.peak_bytes <= 1.5GiB\r\n", NULL, 0 },
	{ "\xef\xbb\xbf"
	  "dax.pmd_fallbacks == 0",
	  NULL, 0 },
	{ "# one\r# two\rdax.pmd_fallbacks == 0\r  \"why\"\r", NULL, 0 },
	{ "# one\r\n# two\r\ndax.pmd_falbacks == 0\r\n", "unknown metric", 3 },
	{ "# one\r# two\rdax.pmd_falbacks == 0\r", "unknown metric", 3 },
	{ "dax.fault_ns / dax.pmd_faults < 1us", NULL, 0 },
	{ "slab.call_site.wasted_percent <= 5%", NULL, 0 },
	{ "trace.complete == true", NULL, 0 },
	{ "dax.file.pmd_faults{ino=\"4099\"} >= 1", NULL, 0 },
	{ "# only a comment", "no rule", 0 },
	{ "\ndax.pmd_falbacks == 0",
	  "unknown metric 'dax.pmd_falbacks'; did you mean 'dax.pmd_fallbacks'", 2 },
	{ "== 0", "the name of a metric is missing at '== 0'", 1 },
	{ "dax.pmd_fallbacks", "no comparison at ''", 1 },
	{ "dax.pmd_fallbacks = 0", "no comparison at '= 0'", 1 },
	{ "dax.pmd_fallbacks <=", "a number is missing after <=", 1 },
	{ "dax.pmd_fallbacks <= many", "'many' is not a number", 1 },
	{ "dax.pmd_fallbacks <= 0x10", "'0x10' is not a number", 1 },
	{ "dax.pmd_fallbacks <= nan", "'nan' is not a number", 1 },
	{ "dax.pmd_fallbacks <= 1MiB",
	  "'MiB' is not a unit of dax.pmd_fallbacks; give a plain number of faults", 1 },
	{ "slab.peak_bytes <= 1us",
	  "'us' is not a unit of slab.peak_bytes; give a plain number, or one of KiB", 1 },
	{ "dax.pmd_fallbacks <= 1%", "'%' is not a unit", 1 },
	{ "dax.pmd_fallbacks / dax.pmd_faults <= 1ms",
	  "'ms' is not a unit of dax.pmd_fallbacks / dax.pmd_faults", 1 },
	{ "dax.fallback.cause{cuase=\"x\"} == 0",
	  "dax.fallback.cause has no label 'cuase'; did you mean 'cause'", 1 },
	{ "dax.pmd_faults{kind=\"x\"} == 0", "dax.pmd_faults has no labels", 1 },
	{ "dax.fallback.cause{cause=x} == 0", "the text of a label is not in double quotes", 1 },
	{ "dax.fallback.cause{cause=\"x} == 0",
	  "the double quote at the end of the text of a label is missing", 1 },
	{ "dax.fallback.cause{cause=\"x\" == 0", "} is missing at '== 0'", 1 },
	{ "dax.fallback.cause{cause \"x\"} == 0", "= is missing after the label cause", 1 },
	{ "dax.pmd_fallbacks <= 12345678901234567890123456789012345678901234567890",
	  "'12345678901234567890123456789012345678901234567890' has too many digits", 1 },
	{ "dax.pmd_fallbacks <= 1e400", "'1e400' has too many digits", 1 },
	{ "dax.pmd_fallbacks / dax.pmd_faults <= 1MiB", "give a plain number, or %", 1 },
	{ " \"a\"", "an explanation without a rule; put it below", 1 },
	{ "dax.pmd_fallbacks == 0 if", "'present' is missing after 'if'", 1 },
	{ "dax.pmd_fallbacks == 0 0", "'0' follows the rule", 1 },
	{ "dax.pmd_fallbacks == 0 \"a\" b", "'b' follows the explanation", 1 },
	{ "dax.pmd_fallbacks == 0 \"a\"\n \"b\"", "a second explanation of one rule", 2 },
	{ "\"a\"", "an explanation without a rule", 1 },
};

static void check_syntax(void)
{
	for (size_t i = 0; i < sizeof(syntax) / sizeof(syntax[0]); i++) {
		struct regress_rules rules = { NULL };
		struct mm_error err = MM_ERROR_INIT;
		char start[32];
		bool ok;

		regress_rules_parse(&rules, "rules", syntax[i].text, &catalogue, &err);
		snprintf(start, sizeof(start),
			 syntax[i].line ? "rules:%u: " : "rules: ", syntax[i].line);
		ok = syntax[i].message ? err.code == MM_EXIT_BAD_INPUT &&
						 strstr(err.message, syntax[i].message) &&
						 strstr(err.message, start)
				       : !err.code && rules.count == 1;
		tap(ok, "syntax %zu: %s", i, syntax[i].message ? syntax[i].message : "valid");
		if (!ok)
			printf("# %d %s\n", err.code, err.message);
		regress_rules_release(&rules);
	}
}

static void check_parts(void)
{
	static const char text[] =
		"dax.fallback.cause{cause=\"a*\"} <= 2 if present \"say \\\"why\\\"\"";
	struct regress_rules rules = { NULL };
	struct mm_error err = MM_ERROR_INIT;
	const struct regress_rule *rule;

	if (regress_rules_parse(&rules, "rules", text, &catalogue, &err))
		tap_bail("%s", err.message);
	rule = &rules.all[0];
	tap(!strcmp(rule->text, "dax.fallback.cause{cause=\"a*\"} <= 2 if present"),
	    "the text of a rule lacks its explanation");
	tap(!strcmp(rule->explanation, "say \"why\""), "the explanation has its quotes");
	tap(rule->if_present && rule->op == REGRESS_AT_MOST && rule->limit.numerator == 2,
	    "operator, number and `if present`");
	regress_rules_release(&rules);
}

/* Names as `lttng-mm metrics` prints them. */
static const struct {
	const char *written, *text;
	bool matches;
} escapes[] = {
	{ "a\\nb", "a\nb", true },
	{ "a\\tb", "a\tb", true },
	{ "\\x1b[31mred", "\x1b[31mred", true },
	{ "a\\u0085b",
	  "a\xc2\x85"
	  "b",
	  true },
	{ "\\u200bx", "\xe2\x80\x8bx", true },
	{ "\\U000e0001", "\xf3\xa0\x80\x81", true },
	{ "\\xff", "\xff", true },
	{ "\\x2a", "*", true },
	{ "\\x2a", "a", false },
	{ "a\\\\n", "a\\n", true },
	{ "a\\\\n", "a\n", false },
	{ "\\xg1", "xg1", true },
};

static void check_escapes(void)
{
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		struct regress_rules rules = { NULL };
		struct mm_error err = MM_ERROR_INIT;
		char rule[128];

		snprintf(rule, sizeof(rule), "dax.process.pmd_faults{process=\"%s\"} == 0",
			 escapes[i].written);
		if (regress_rules_parse(&rules, "rules", rule, &catalogue, &err))
			tap_bail("%s", err.message);
		tap(regress_pattern_matches(rules.all[0].terms[0].labels[0].pattern,
					    escapes[i].text) == escapes[i].matches,
		    "escape %zu: %s", i, escapes[i].written);
		regress_rules_release(&rules);
	}
}

static const struct {
	const char *pattern, *text;
	bool matches;
} patterns[] = {
	{ "", "", true },
	{ "", "a", false },
	{ "*", "", true },
	{ "*", "abc", true },
	{ "a*c", "abc", true },
	{ "a*c", "abcd", false },
	{ "a*b*c", "a-b-b-c", true },
	{ "?", "", false },
	{ "?b", "ab", true },
	{ "a?b",
	  "a\xe2\x98\x83"
	  "b",
	  true },
	{ "a???b",
	  "a\xe2\x98\x83"
	  "b",
	  false },
	{ "*?b",
	  "\xe2\x98\x83"
	  "b",
	  true },
	{ "a\\*", "a*", true },
	{ "a\\*", "ab", false },
	{ "\\\\", "\\", true },
	{ "[ab]", "a", false },
	{ "[heap]", "[heap]", true },
	{ "foo+*", "foo+0x12", true },
	{ "a,b", "a", false },
	{ "*a", "bab", false },
	{ "\\\"", "\"", true },
};

static void check_patterns(void)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		tap(regress_pattern_matches(patterns[i].pattern, patterns[i].text) ==
			    patterns[i].matches,
		    "pattern '%s' and '%s'", patterns[i].pattern, patterns[i].text);
}

enum { UNKNOWN = -1 };
enum bound { EXACT, LEAST, MOST };

/*
 * A run has 100 huge-page faults. @fallbacks of them fell back, which took @ns. In each case, the
 * count of the cause pte-entry is 2, and of oom 0. -1 in @fallbacks or @complete stands for null.
 */
static const struct {
	const char *rule;
	int fallbacks, ns, complete;
	enum bound fallbacks_are;
	enum regress_state state;
} verdicts[] = {
	/* A complete run: the values are exact. */
	{ "dax.pmd_fallbacks == 3", 3, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks == 4", 3, 0, 1, EXACT, REGRESS_FAIL },
	{ "dax.pmd_fallbacks != 3", 3, 0, 1, EXACT, REGRESS_FAIL },
	{ "dax.pmd_fallbacks != 4", 3, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks <= 3", 3, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks <= 2", 3, 0, 1, EXACT, REGRESS_FAIL },
	{ "dax.pmd_fallbacks < 3", 3, 0, 1, EXACT, REGRESS_FAIL },
	{ "dax.pmd_fallbacks >= 3", 3, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks > 3", 3, 0, 1, EXACT, REGRESS_FAIL },
	{ "dax.fallback_ns <= 1us", 0, 1000, 1, EXACT, REGRESS_PASS },
	{ "dax.fallback_ns <= 999ns", 0, 1000, 1, EXACT, REGRESS_FAIL },
	{ "dax.pmd_fallbacks / dax.pmd_faults <= 3%", 3, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks / dax.pmd_faults <= 2.9%", 3, 0, 1, EXACT, REGRESS_FAIL },
	{ "dax.fallback.cause{cause=\"*\"} <= 1", 0, 0, 1, EXACT, REGRESS_FAIL },
	{ "dax.fallback.cause{cause=\"o*\"} <= 1", 0, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.fallback.cause{cause=\"x\"} <= 1", 0, 0, 1, EXACT, REGRESS_ERROR },
	{ "dax.fallback.cause{cause=\"x\"} <= 1 if present", 0, 0, 1, EXACT, REGRESS_ABSENT },
	{ "slab.peak_bytes <= 1", 0, 0, 1, EXACT, REGRESS_ERROR },
	{ "slab.peak_bytes <= 1 if present", 0, 0, 1, EXACT, REGRESS_ABSENT },
	{ "dax.pmd_fallbacks <= 3", UNKNOWN, 0, 1, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks <= 3 if present", UNKNOWN, 0, 1, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks / dax.pte_faults <= 1 if present", 0, 0, 1, EXACT,
	  REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks / dax.pte_faults <= 1", 0, 0, 1, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks / dax.pte_faults <= 1", 1, 0, 1, EXACT, REGRESS_FAIL },
	/* Decimals, units and ratios are exact. */
	{ "dax.pmd_fallbacks / dax.pmd_faults < 50%", 50, 0, 1, EXACT, REGRESS_FAIL },
	{ "dax.pmd_fallbacks / dax.pmd_faults == 50%", 50, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks / dax.pmd_faults >= 50%", 50, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks / dax.pmd_faults == 7%", 7, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks / dax.pmd_faults == 0.07", 7, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks / dax.pmd_faults > 6.9999999999999999%", 7, 0, 1, EXACT,
	  REGRESS_PASS },
	{ "dax.pmd_fallbacks / dax.pmd_fallbacks == 1.0e2%", 7, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.fallback_ns == 0.001us", 0, 1, 1, EXACT, REGRESS_PASS },
	{ "dax.fallback_ns == 0.253us", 0, 253, 1, EXACT, REGRESS_PASS },
	{ "dax.fallback_ns <= 0.000246ms", 0, 246, 1, EXACT, REGRESS_PASS },
	{ "dax.fallback_ns == 0.000000246s", 0, 246, 1, EXACT, REGRESS_PASS },
	{ "dax.fallback_ns != 1e-6ms", 0, 1, 1, EXACT, REGRESS_FAIL },
	{ "dax.pmd_fallbacks > -1", 0, 0, 1, EXACT, REGRESS_PASS },
	{ "dax.pmd_fallbacks == 0e999", 0, 0, 1, EXACT, REGRESS_PASS },
	/* The dividend and the divisor may select different values of the same label. */
	{ "dax.fallback.cause{cause=\"oom\"} / dax.fallback.cause{cause=\"pte-entry\"} == 0", 0, 0,
	  1, EXACT, REGRESS_PASS },
	{ "dax.fallback.cause{cause=\"pte-entry\"} / dax.fallback.cause{cause=\"x\"} == 0", 0, 0, 1,
	  EXACT, REGRESS_ERROR },
	{ "dax.fallback.cause{cause=\"*\"} / dax.fallback.cause{cause=\"pte-entry\"} <= 1", 0, 0, 1,
	  EXACT, REGRESS_PASS },
	{ "dax.pmd_faults / dax.fallback.cause{cause=\"*\"} <= 1", 0, 0, 1, EXACT, REGRESS_ERROR },
	/* A lower bound in a complete run. */
	{ "dax.pmd_fallbacks <= 3", 3, 0, 1, LEAST, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks <= 2", 3, 0, 1, LEAST, REGRESS_FAIL },
	{ "dax.pmd_fallbacks >= 3", 3, 0, 1, LEAST, REGRESS_PASS },
	{ "dax.pmd_fallbacks == 2", 3, 0, 1, LEAST, REGRESS_FAIL },
	{ "dax.pmd_fallbacks != 2", 3, 0, 1, LEAST, REGRESS_PASS },
	{ "dax.pmd_fallbacks == 3", 3, 0, 1, LEAST, REGRESS_INCONCLUSIVE },
	/* An upper bound in a complete run. */
	{ "dax.pmd_fallbacks <= 3", 3, 0, 1, MOST, REGRESS_PASS },
	{ "dax.pmd_fallbacks < 3", 3, 0, 1, MOST, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks <= 2", 3, 0, 1, MOST, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks >= 4", 3, 0, 1, MOST, REGRESS_FAIL },
	{ "dax.pmd_fallbacks >= 3", 3, 0, 1, MOST, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks == 3", 3, 0, 1, MOST, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks != 4", 3, 0, 1, MOST, REGRESS_PASS },
	{ "dax.pmd_fallbacks / dax.pmd_faults <= 3%", 3, 0, 1, MOST, REGRESS_PASS },
	{ "dax.pmd_fallbacks / dax.pmd_faults <= 2%", 3, 0, 1, MOST, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_faults / dax.pmd_fallbacks >= 33", 3, 0, 1, MOST, REGRESS_PASS },
	/* In an incomplete run, the true value may also be above an upper bound. */
	{ "dax.pmd_fallbacks <= 3", 3, 0, 0, MOST, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks >= 4", 3, 0, 0, MOST, REGRESS_INCONCLUSIVE },
	/* An incomplete run: counts are lower bounds, and times are unknown. No rule passes. */
	{ "dax.pmd_fallbacks <= 3", 3, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks <= 2", 3, 0, 0, EXACT, REGRESS_FAIL },
	{ "dax.pmd_fallbacks >= 3", 3, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks >= 4", 3, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.fallback_ns <= 1ns", 0, 1000, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.fallback_ns >= 1ns", 0, 1000, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks / dax.pmd_faults <= 3%", 3, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	/* Losses can raise these. */
	{ "dax.fallback.cause{cause=\"pte-entry\"} <= 1", 0, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.fallback.cause{cause=\"pte-entry\"} == 1", 0, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks <= 2", 3, 0, 0, LEAST, REGRESS_FAIL },
	/* A row that is absent may have been lost. */
	{ "dax.file.pmd_faults <= 3", 0, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.file.pmd_faults <= 3 if present", 0, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.file.pmd_faults <= 3", 0, 0, 1, EXACT, REGRESS_ERROR },
	{ "dax.fallback.cause{cause=\"x\"} <= 3 if present", 0, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
	{ "trace.complete == true", 0, 0, 0, EXACT, REGRESS_FAIL },
	{ "trace.complete == true", 0, 0, 1, EXACT, REGRESS_PASS },
	/* It is not known whether the run is complete. */
	{ "trace.complete == true", 0, 0, UNKNOWN, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks <= 3", 3, 0, UNKNOWN, EXACT, REGRESS_INCONCLUSIVE },
	{ "dax.pmd_fallbacks <= 2", 3, 0, UNKNOWN, EXACT, REGRESS_FAIL },
	{ "trace.events_discarded == 0", 0, 0, 0, EXACT, REGRESS_INCONCLUSIVE },
};

static struct mm_report *make_report(size_t number)
{
	struct mm_report *report = mm_report_create(mm_analysis_find("dax")->schema);
	struct mm_metric *fallbacks = mm_report_metric(report, "dax.pmd_fallbacks", NULL);

	if (verdicts[number].complete != UNKNOWN)
		mm_cell_set_b(&report->coverage[MM_COVERAGE_COMPLETE], verdicts[number].complete);
	mm_cell_set_u(&report->coverage[MM_COVERAGE_EVENTS_DISCARDED], 0);
	if (verdicts[number].fallbacks != UNKNOWN) {
		mm_cell_set_u(&fallbacks->value, (uint64_t)verdicts[number].fallbacks);
		fallbacks->value.least = verdicts[number].fallbacks_are == LEAST;
		fallbacks->value.most = verdicts[number].fallbacks_are == MOST;
	}
	mm_report_count(report, 100, "dax.pmd_faults");
	mm_report_count(report, 0, "dax.pte_faults");
	mm_report_count(report, (uint64_t)verdicts[number].ns, "dax.fallback_ns");
	mm_report_count(report, 2, "dax.fallback.cause", "pte-entry");
	mm_report_count(report, 0, "dax.fallback.cause", "oom");
	if (mm_report_failed(report) || report->undeclared)
		tap_bail("the report cannot be made");
	return report;
}

static void check_verdicts(void)
{
	static const int statuses[REGRESS_STATES] = { 0, 0, 3, 1, 2 };

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		const int number = regress_schema_find("dax");
		struct regress_run run = { .path = "run" };
		const struct regress_runs runs = { .all = &run, .count = 1 };
		struct regress_rules rules = { NULL };
		struct mm_error err = MM_ERROR_INIT;
		struct regress_check check;
		bool ok;

		run.reports[number] = make_report(i);
		if (regress_rules_parse(&rules, "rules", verdicts[i].rule, &catalogue, &err) ||
		    regress_check(&check, &rules, &runs, &catalogue, &err))
			tap_bail("%s", err.message);
		ok = check.state == verdicts[i].state &&
		     regress_check_status(&check) == statuses[verdicts[i].state];
		tap(ok, "verdict %zu: %s: %s", i, verdicts[i].rule,
		    regress_state_words[verdicts[i].state]);
		if (!ok)
			printf("# %s\n", regress_state_words[check.state]);
		regress_check_release(&check);
		regress_rules_release(&rules);
		mm_report_destroy(run.reports[number]);
	}
}

/* A quantile of @samples calls is reported as @ns. The true value is at most a 129th lower. */
static const struct {
	const char *rule, *q;
	uint64_t ns, samples;
	enum regress_state state;
	const char *reason; /* the start; NULL: none */
} quantiles[] = {
	{ "fn.latency_ns{function=\"f\",q=\"0.99\"} < 50us", "0.99", 49999, 200, REGRESS_PASS,
	  NULL },
	{ "fn.latency_ns{function=\"f\",q=\"0.99\"} < 50us", "0.99", 50389, 200,
	  REGRESS_INCONCLUSIVE, "the value is a bound" },
	{ "fn.latency_ns{function=\"f\",q=\"0.99\"} < 50us", "0.99", 50390, 200, REGRESS_FAIL,
	  NULL },
	/* The maximum is exact, and so are small numbers. */
	{ "fn.latency_ns{function=\"f\",q=\"1\"} < 50us", "1", 50000, 1, REGRESS_FAIL, NULL },
	{ "fn.latency_ns{function=\"f\",q=\"1\"} == 50us", "1", 50000, 1, REGRESS_PASS, NULL },
	{ "fn.latency_ns{function=\"f\",q=\"0.5\"} == 127ns", "0.5", 127, 4, REGRESS_PASS, NULL },
	{ "fn.latency_ns{function=\"f\",q=\"0.5\"} == 129ns", "0.5", 129, 4, REGRESS_INCONCLUSIVE,
	  "the value is a bound" },
	{ "fn.latency_ns{function=\"f\",q=\"0.5\"} <= 18446744073709551615", "0.5", UINT64_MAX, 4,
	  REGRESS_PASS, NULL },
	{ "fn.latency_ns{function=\"f\",q=\"0.5\"} <= 1", "0.5", UINT64_MAX, 4, REGRESS_FAIL,
	  NULL },
	/* At least two calls must be slower than a quantile. */
	{ "fn.latency_ns{function=\"f\",q=\"0.99\"} < 50us", "0.99", 10, 199, REGRESS_INCONCLUSIVE,
	  "there are only 199 observations, and this value needs 200 or more" },
	{ "fn.latency_ns{function=\"f\",q=\"0.99\"} < 50us", "0.99", 60000, 1, REGRESS_INCONCLUSIVE,
	  "there is only 1 observation, and this value needs 200 or more" },
	{ "fn.latency_ns{function=\"f\",q=\"0.9\"} < 50us", "0.9", 10, 20, REGRESS_PASS, NULL },
	{ "fn.latency_ns{function=\"f\",q=\"0.9\"} < 50us", "0.9", 10, 19, REGRESS_INCONCLUSIVE,
	  "there are only 19 observations" },
	{ "fn.latency_ns{function=\"f\",q=\"0.5\"} < 50us", "0.5", 10, 3, REGRESS_INCONCLUSIVE,
	  "there are only 3 observations" },
	{ "fn.latency_ns{function=\"f\",q=\"0.99\"} < 50us if present", "0.99", 0, 0,
	  REGRESS_ABSENT, NULL },
};

static void check_quantiles(void)
{
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		const int number = regress_schema_find("fn");
		struct mm_report *report = mm_report_create(mm_analysis_find("fn")->schema);
		struct mm_metric *metric =
			mm_report_metric(report, "fn.latency_ns", "f", quantiles[i].q, NULL);
		struct regress_run run = { .path = "run" };
		const struct regress_runs runs = { .all = &run, .count = 1 };
		struct regress_rules rules = { NULL };
		struct mm_error err = MM_ERROR_INIT;
		const char *reason = NULL;
		struct regress_check check;
		bool ok;

		mm_cell_set_b(&report->coverage[MM_COVERAGE_COMPLETE], true);
		mm_metric_set_samples(metric, quantiles[i].samples);
		if (quantiles[i].samples)
			mm_cell_set_u(&metric->value, quantiles[i].ns);
		run.reports[number] = report;
		if (regress_rules_parse(&rules, "rules", quantiles[i].rule, &catalogue, &err) ||
		    regress_check(&check, &rules, &runs, &catalogue, &err))
			tap_bail("%s", err.message);
		if (check.outcomes[0].count)
			reason = check.outcomes[0].findings[0].reason;
		ok = check.state == quantiles[i].state &&
		     (quantiles[i].reason ? reason && !strncmp(reason, quantiles[i].reason,
							       strlen(quantiles[i].reason))
					  : !reason);
		tap(ok, "quantile %zu: %s: %s", i, quantiles[i].rule,
		    regress_state_words[quantiles[i].state]);
		if (!ok)
			printf("# %s: %s\n", regress_state_words[check.state],
			       reason ? reason : "");
		regress_check_release(&check);
		regress_rules_release(&rules);
		mm_report_destroy(report);
	}
}

int main(void)
{
	if (regress_catalogue(&catalogue))
		tap_bail("out of memory");
	check_syntax();
	check_parts();
	check_patterns();
	check_escapes();
	check_verdicts();
	check_quantiles();
	mm_catalogue_release(&catalogue);
	return tap_status();
}
