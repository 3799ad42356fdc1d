// SPDX-License-Identifier: LGPL-2.1-only
/* Checks rules. */
#include "regress/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/units.h"
#include "util/escape.h"
#include "util/hash.h"
#include "util/nearest.h"
#include "util/plural.h"
#include "util/text.h"

const char *const regress_state_words[REGRESS_STATES] = {
	[REGRESS_PASS] = "pass",
	[REGRESS_ABSENT] = "absent",
	[REGRESS_INCONCLUSIVE] = "inconclusive",
	[REGRESS_FAIL] = "fail",
	[REGRESS_ERROR] = "error",
};

/* The bounds of a value. */
struct bounds {
	struct regress_number low, high;
};

/* A run whose rules are being checked. */
struct checked_run {
	const struct regress_run *run;
	const struct regress_values *values;
	bool is_doubtful;
	char why[REGRESS_WHY];
};

static char *__attribute__((format(printf, 1, 2))) text_of(const char *fmt, ...)
{
	char *text;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	return text;
}

/*
 * Can lost events only lower the value? A value with the label "not known" may also grow: it counts
 * allocations without a known owner, and the event that names the owner may be lost.
 */
static bool losses_only_lower(const struct regress_value *value)
{
	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++)
		if (!strcmp(value->texts[k], "not known"))
			return false;
	return value->item->metric && mm_schema_lowers(value->item->schema, value->item->name);
}

static struct bounds bounds_of(const struct regress_value *value, bool is_doubtful)
{
	struct bounds bounds = { regress_number_infinite(true), regress_number_infinite(false) };
	struct mm_cell low, high;

	regress_value_bounds(value, &low, &high);
	/*
	 * Coverage values, such as the number of lost events, are exact even if events were lost.
	 */
	if (value->item->source == MM_ITEM_TRACE)
		is_doubtful = false;
	if (low.kind != MM_CELL_EMPTY && (!is_doubtful || losses_only_lower(value)))
		bounds.low = regress_number_of(&low);
	if (high.kind != MM_CELL_EMPTY && !is_doubtful)
		bounds.high = regress_number_of(&high);
	return bounds;
}

/* Divides two intervals of non-negative numbers. */
static struct bounds divide(struct bounds x, struct bounds y)
{
	static const struct regress_number zero = { .denominator = 1 };

	if (regress_number_sign(&x.low) < 0)
		x.low = zero;
	if (regress_number_sign(&y.low) < 0)
		y.low = zero;
	return (struct bounds){
		.low = regress_number_sign(&x.low) ? regress_number_divide(&x.low, &y.high) : zero,
		.high = regress_number_sign(&x.high) ? regress_number_divide(&x.high, &y.low)
						     : zero,
	};
}

static enum regress_state judge(enum regress_operator op, struct bounds of,
				struct regress_number limit)
{
	const int low = regress_number_compare(&of.low, &limit);
	const int high = regress_number_compare(&of.high, &limit);
	bool holds, fails;

	switch (op) {
	case REGRESS_EQUAL:
		holds = low == 0 && high == 0;
		fails = low > 0 || high < 0;
		break;
	case REGRESS_NOT_EQUAL:
		holds = low > 0 || high < 0;
		fails = low == 0 && high == 0;
		break;
	case REGRESS_AT_MOST:
		holds = high <= 0;
		fails = low > 0;
		break;
	case REGRESS_AT_LEAST:
		holds = low >= 0;
		fails = high < 0;
		break;
	case REGRESS_BELOW:
		holds = high < 0;
		fails = low >= 0;
		break;
	default:
		holds = low > 0;
		fails = high <= 0;
		break;
	}
	return holds ? REGRESS_PASS : fails ? REGRESS_FAIL : REGRESS_INCONCLUSIVE;
}

/* Adds a finding, which then owns @what, @found and @reason. Returns NULL when out of memory. */
static struct regress_finding *add(struct regress_outcome *outcome, enum regress_state state,
				   const struct regress_run *run, char *what, char *found,
				   char *reason)
{
	struct regress_finding *all =
		mm_array_grow(outcome->findings, outcome->count, &outcome->room, sizeof(*all));

	if (all)
		outcome->findings = all;
	if (!all || !what) {
		free(what);
		free(found);
		free(reason);
		return NULL;
	}
	all[outcome->count] = (struct regress_finding){
		.state = state, .run = run, .what = what, .found = found, .reason = reason
	};
	if (state > outcome->state)
		outcome->state = state;
	return &all[outcome->count++];
}

static char *value_text(const struct regress_value *value)
{
	const bool is_measure = mm_unit_is_measure(value->item->unit);
	char *text = NULL, shown[MM_NUMBER_TEXT];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	regress_value_print(out, value);
	if (is_measure && value->figure.cell.kind != MM_CELL_EMPTY &&
	    regress_value_number(value) >= 1024) {
		mm_render_number(shown, sizeof(shown), &value->figure.cell, value->item->kind,
				 value->item->unit);
		fprintf(out, " (%s)", shown);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static struct mm_report *report_of(const struct regress_run *run,
				   const struct mm_catalogue_item *item)
{
	for (size_t i = 0; i < REGRESS_SCHEMAS_MAX; i++)
		if (run->reports[i] && run->reports[i]->schema == item->schema)
			return run->reports[i];
	return NULL;
}

/* Returns "X" or, with @divisor, "X / Y". @text converts a value to X or Y. */
static char *pair_text(char *(*text)(const struct regress_value *value),
		       const struct regress_value *value, const struct regress_value *divisor)
{
	char *x = text(value), *y = divisor ? text(divisor) : NULL, *both;

	if (!divisor || !x || !y) {
		free(y);
		return x;
	}
	both = text_of("%s / %s", x, y);
	free(x);
	free(y);
	return both;
}

/*
 * Returns the value as text. If a ratio is known, adds the quotient: "3 faults / 6 faults = 0.5".
 */
static char *found_text(const struct regress_value *value, const struct regress_value *divisor)
{
	char *text = pair_text(value_text, value, divisor), *all;
	const bool is_known = divisor && value->figure.cell.kind != MM_CELL_EMPTY &&
			      divisor->figure.cell.kind != MM_CELL_EMPTY;

	if (!text || !is_known)
		return text;
	if (regress_value_number(divisor) == 0)
		all = text_of("%s is %s", text,
			      regress_value_number(value) == 0 ? "no ratio" : "infinite");
	else
		all = text_of("%s = %.4g", text,
			      regress_value_number(value) / regress_value_number(divisor));
	free(text);
	return all;
}

/* Is the number known and negative? */
static bool is_negative(const struct regress_value *value)
{
	const struct mm_cell *cell = value ? &value->figure.cell : NULL;
	const struct regress_number number = cell && cell->kind != MM_CELL_EMPTY
						     ? regress_number_of(cell)
						     : (struct regress_number){ .denominator = 1 };

	return regress_number_sign(&number) < 0;
}

/* Does a complete trace show that the value has no samples, such as a latency without calls? */
static bool is_absent(const struct checked_run *checked, const struct regress_value *value)
{
	return !checked->is_doubtful && value->figure.cell.kind == MM_CELL_EMPTY &&
	       value->figure.has_samples && !value->figure.samples;
}

/*
 * If the value has too few observations, returns a sentence that says so. Otherwise, returns NULL.
 */
static const char *explain_few(const struct regress_value *value, char why[REGRESS_WHY])
{
	const uint64_t least = value ? regress_value_samples_min(value) : 0;

	if (!value || !value->figure.has_samples || value->figure.samples >= least)
		return NULL;
	snprintf(why, REGRESS_WHY,
		 "there %s only %" PRIu64 " observation%s, and this value needs %" PRIu64
		 " or more",
		 value->figure.samples == 1 ? "is" : "are", value->figure.samples,
		 mm_plural_s(value->figure.samples), least);
	return why;
}

/*
 * Judges a rule on @value, or on @value / @divisor. If the result is inconclusive, *@reason is the
 * reason. It may be stored in @why.
 */
static enum regress_state judge_value(const struct regress_rule *rule,
				      const struct checked_run *checked,
				      const struct regress_value *value,
				      const struct regress_value *divisor, const char **reason,
				      char why[REGRESS_WHY])
{
	struct bounds of = bounds_of(value, checked->is_doubtful);
	const bool is_known = value->figure.cell.kind != MM_CELL_EMPTY &&
			      (!divisor || divisor->figure.cell.kind != MM_CELL_EMPTY);

	if (!is_known) {
		*reason = "the value is not known";
		return REGRESS_INCONCLUSIVE;
	}
	*reason = explain_few(value, why);
	if (!*reason)
		*reason = explain_few(divisor, why);
	if (*reason)
		return REGRESS_INCONCLUSIVE;
	if (divisor) {
		const struct bounds by = bounds_of(divisor, checked->is_doubtful);

		if (is_negative(value) || is_negative(divisor)) {
			*reason = "ratios of negative numbers are not judged";
			return REGRESS_INCONCLUSIVE;
		}
		if (!regress_number_sign(&of.high) && !regress_number_sign(&by.high)) {
			*reason = "0 / 0 is no ratio";
			return REGRESS_INCONCLUSIVE;
		}
		of = divide(of, by);
	}
	*reason = checked->is_doubtful ? checked->why : "the value is a bound";
	return judge(rule->op, of, rule->limit);
}

/* Checks a rule on @value, or on the ratio @value / @divisor. */
static int check_value(struct regress_outcome *outcome, const struct checked_run *checked,
		       const struct regress_value *value, const struct regress_value *divisor)
{
	const struct regress_rule *rule = outcome->rule;
	const struct mm_report *report = report_of(checked->run, value->item);
	struct regress_finding *finding;
	char why[REGRESS_WHY];
	enum regress_state state;
	const char *reason;

	outcome->checked++;
	if (rule->if_present &&
	    (is_absent(checked, value) || (divisor && is_absent(checked, divisor))))
		return 0;
	state = judge_value(rule, checked, value, divisor, &reason, why);
	if (state == REGRESS_PASS) {
		outcome->passed++;
		return 0;
	}
	finding = add(outcome, state, checked->run, pair_text(regress_value_name, value, divisor),
		      found_text(value, divisor), state == REGRESS_FAIL ? NULL : strdup(reason));
	if (!finding)
		return -1;
	if (state != REGRESS_FAIL || !report)
		return 0;
	return regress_causes(report, value, NULL, &finding->causes, &finding->cause_count) ||
			       regress_answer(report, &finding->causes, &finding->cause_count)
		       ? -1
		       : 0;
}

static bool is_given(const struct regress_term *term, const char *key)
{
	for (size_t i = 0; i < term->label_count; i++)
		if (!strcmp(term->labels[i].key, key))
			return true;
	return false;
}

/*
 * Do two values agree in the labels that both have? Ignores the labels that @but gives, if it is
 * not NULL.
 */
static bool agree(const struct regress_value *x, const struct regress_value *y,
		  const struct regress_term *but)
{
	for (size_t i = 0; i < MM_LABELS_MAX && x->keys[i]; i++)
		for (size_t k = 0; k < MM_LABELS_MAX && y->keys[k]; k++)
			if (!strcmp(x->keys[i], y->keys[k]) &&
			    strcmp(x->texts[i], y->texts[k]) != 0 &&
			    !(but && is_given(but, x->keys[i])))
				return false;
	return true;
}

/* Returns a sentence about a term that selects nothing. It names a label that matches nothing. */
static char *explain_nothing(const struct checked_run *checked, const struct regress_term *term)
{
	const struct regress_values *values = checked->values;
	char hint[MM_NEAREST_TEXT];

	for (size_t l = 0; l < term->label_count; l++) {
		const struct regress_label *label = &term->labels[l];
		struct mm_nearest nearest = { .wanted = label->pattern };
		bool any = false;

		for (size_t i = 0; i < values->count && !any; i++) {
			const struct regress_value *value = &values->all[i];

			for (size_t k = 0;
			     value->item == term->item && k < MM_LABELS_MAX && value->keys[k];
			     k++) {
				if (strcmp(value->keys[k], label->key) != 0)
					continue;
				any |= regress_pattern_matches(label->pattern, value->texts[k]);
				mm_nearest_offer(&nearest, value->texts[k]);
			}
		}
		if (any)
			continue;
		mm_nearest_hint(&nearest, hint, sizeof(hint));
		return text_of("no %s has %s=\"%s\"%s", term->item->name, label->key,
			       label->pattern, hint);
	}
	return text_of(term->label_count ? "no %s has all of these labels"
					 : "there is no value of %s",
		       term->item->name);
}

/* Adds a finding without a value. @why may be hostile, so it is escaped. */
static int add_reason(struct regress_outcome *outcome, enum regress_state state,
		      const struct checked_run *checked, char *why, const char *advice)
{
	char *safe = why ? mm_escape_message_copy(why) : NULL;
	struct regress_finding *finding;

	free(why);
	if (!safe)
		return -1;
	finding = add(outcome, state, checked->run, mm_escape_message_copy(outcome->rule->text),
		      NULL, safe);
	if (finding)
		finding->advice = advice;
	return finding ? 0 : -1;
}

/*
 * Adds a finding for a rule that selects nothing. This is an error if the rule does not say `if
 * present`. In a run that lost events, the row may have been lost, so the rule is inconclusive.
 */
static int add_nothing(struct regress_outcome *outcome, const struct checked_run *checked,
		       const struct regress_term *term)
{
	const struct mm_catalogue_item *item = term->item;
	char *why, *all;

	if (item->schema && !report_of(checked->run, item))
		return outcome->rule->if_present
			       ? 0
			       : add_reason(
					 outcome, REGRESS_ERROR, checked,
					 text_of("the run has no report of %s", item->schema->name),
					 "record its events, give its report, too, or add `if present`");
	if (outcome->rule->if_present && !checked->is_doubtful)
		return 0;
	why = explain_nothing(checked, term);
	if (!checked->is_doubtful || !item->labels[0])
		return outcome->rule->if_present
			       ? (free(why), 0)
			       : add_reason(outcome, REGRESS_ERROR, checked, why,
					    "correct the rule, or add `if present`");
	all = why ? text_of("%s, or it was lost: %s", why, checked->why) : NULL;
	free(why);
	return add_reason(outcome, REGRESS_INCONCLUSIVE, checked, all, NULL);
}

/*
 * Finds the divisors for @value. Their labels must agree with the labels of @value, except labels
 * that @but gives. Returns the number of divisors, and stores up to two in @found.
 */
static size_t find_divisors(const struct regress_term *term, const struct checked_run *checked,
			    const struct regress_value *value, const struct regress_term *but,
			    const struct regress_value *found[2])
{
	size_t count = 0;

	for (size_t i = 0; i < checked->values->count; i++) {
		const struct regress_value *other = &checked->values->all[i];

		if (!regress_term_matches(term, other) || !agree(value, other, but))
			continue;
		found[count ? 1 : 0] = other;
		count++;
	}
	return count;
}

/* Returns a label in which two values of one metric differ, or NULL. */
static const char *differing_label(const struct regress_value *x, const struct regress_value *y)
{
	for (size_t k = 0; k < MM_LABELS_MAX && x->keys[k] && y->keys[k]; k++)
		if (!strcmp(x->keys[k], y->keys[k]) && strcmp(x->texts[k], y->texts[k]) != 0)
			return x->keys[k];
	return NULL;
}

/*
 * Checks a ratio. Exactly one divisor must agree with the dividend @value in the labels that both
 * have. If there is none, labels that the rule gives for the divisor may differ: x{q="0.99"} /
 * x{q="0.5"}.
 */
static int check_ratio(struct regress_outcome *outcome, const struct checked_run *checked,
		       const struct regress_value *value)
{
	const struct regress_term *term = &outcome->rule->terms[1];
	const struct regress_value *found[2] = { NULL };
	size_t count = find_divisors(term, checked, value, NULL, found);
	const char *label;
	char *name;
	int ret;

	if (!count)
		count = find_divisors(term, checked, value, term, found);
	if (count == 1)
		return check_value(outcome, checked, value, found[0]);
	if (!count)
		return add_nothing(outcome, checked, term);
	label = differing_label(found[0], found[1]);
	name = regress_value_name(found[0]);
	ret = name ? add_reason(outcome, REGRESS_ERROR, checked,
				text_of("%zu metrics match the divisor%s%s, such as %s", count,
					label ? ", which differ in the label " : "",
					label ? label : "", name),
				"give labels that only one of them has")
		   : -1;
	free(name);
	return ret;
}

static int check_rule(struct regress_outcome *outcome, const struct checked_run *checked)
{
	const struct regress_rule *rule = outcome->rule;
	bool any = false;

	for (size_t i = 0; i < checked->values->count; i++) {
		const struct regress_value *value = &checked->values->all[i];

		if (!regress_term_matches(&rule->terms[0], value))
			continue;
		any = true;
		if (rule->is_ratio ? check_ratio(outcome, checked, value)
				   : check_value(outcome, checked, value, NULL))
			return -1;
	}
	return any ? 0 : add_nothing(outcome, checked, &rule->terms[0]);
}

bool regress_rules_want(const struct regress_rules *rules, bool wanted[REGRESS_SCHEMAS_MAX])
{
	bool any = false;

	memset(wanted, 0, REGRESS_SCHEMAS_MAX * sizeof(*wanted));
	for (size_t i = 0; i < rules->count; i++)
		for (size_t t = 0; t < (rules->all[i].is_ratio ? 2 : 1); t++) {
			const struct mm_report_schema *schema = rules->all[i].terms[t].item->schema;

			if (!schema)
				continue;
			wanted[regress_schema_find(schema->name)] = true;
			any = true;
		}
	return any;
}

static bool is_named(const void *user, const struct mm_catalogue_item *item)
{
	const struct regress_rules *rules = user;

	for (size_t i = 0; i < rules->count; i++)
		for (size_t t = 0; t < (rules->all[i].is_ratio ? 2 : 1); t++)
			if (rules->all[i].terms[t].item == item)
				return true;
	return false;
}

/*
 * Does the rule apply only to other runs? Each stored report is a run, so a rule about one analysis
 * applies only to this analysis's reports. If no run has such a report, the rule applies to all
 * runs.
 */
static bool is_for_others(const struct regress_check *check, const struct regress_rule *rule,
			  const struct regress_run *run)
{
	const struct mm_catalogue_item *item = rule->terms[0].item;

	if (!item->schema || run->facts || report_of(run, item))
		return false;
	for (size_t i = 0; i < check->runs->count; i++)
		if (report_of(&check->runs->all[i], item))
			return true;
	return false;
}

static int check_run(struct regress_check *check, const struct regress_run *run,
		     const struct mm_catalogue *catalogue)
{
	struct regress_values values = { NULL };
	struct checked_run checked = { .run = run, .values = &values };
	int ret = 0;

	checked.is_doubtful = regress_run_is_doubtful(run, checked.why);
	check->doubtful += checked.is_doubtful;
	for (size_t i = 0; i < REGRESS_SCHEMAS_MAX && !ret; i++)
		if (run->reports[i])
			ret = regress_values_add(&values, catalogue, run->reports[i],
						 run->reports[i] == regress_run_report(run),
						 is_named, check->rules);
	for (size_t i = 0; i < check->rules->count && !ret; i++)
		if (!is_for_others(check, &check->rules->all[i], run))
			ret = check_rule(&check->outcomes[i], &checked);
	regress_values_release(&values);
	return ret;
}

int regress_check(struct regress_check *check, const struct regress_rules *rules,
		  const struct regress_runs *runs, const struct mm_catalogue *catalogue,
		  struct mm_error *err)
{
	int ret = 0;

	*check = (struct regress_check){ .rules = rules, .runs = runs };
	check->outcomes = calloc(rules->count, sizeof(*check->outcomes));
	if (!check->outcomes)
		return mm_error_set(err, MM_EXIT_ENVIRONMENT, "check: out of memory");
	for (size_t i = 0; i < rules->count; i++)
		check->outcomes[i].rule = &rules->all[i];
	for (size_t i = 0; i < runs->count && !ret; i++)
		ret = check_run(check, &runs->all[i], catalogue);
	for (size_t i = 0; i < rules->count; i++) {
		struct regress_outcome *outcome = &check->outcomes[i];

		if (!outcome->passed && !outcome->count)
			outcome->state = REGRESS_ABSENT;
		check->counts[outcome->state]++;
		if (outcome->state > check->state)
			check->state = outcome->state;
	}
	/* The check of an incomplete run must not pass, even if its losses affect no rule. */
	if (check->doubtful && check->state < REGRESS_INCONCLUSIVE)
		check->state = REGRESS_INCONCLUSIVE;
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "check: out of memory") : 0;
}

void regress_check_release(struct regress_check *check)
{
	for (size_t i = 0; check->outcomes && i < check->rules->count; i++) {
		struct regress_outcome *outcome = &check->outcomes[i];

		for (size_t k = 0; k < outcome->count; k++) {
			free(outcome->findings[k].what);
			free(outcome->findings[k].found);
			free(outcome->findings[k].reason);
			mm_strings_release(outcome->findings[k].causes,
					   outcome->findings[k].cause_count);
		}
		free(outcome->findings);
	}
	free(check->outcomes);
	check->outcomes = NULL;
}

int regress_check_status(const struct regress_check *check)
{
	static const int statuses[REGRESS_STATES] = {
		[REGRESS_PASS] = MM_EXIT_OK,
		[REGRESS_ABSENT] = MM_EXIT_OK,
		[REGRESS_INCONCLUSIVE] = MM_EXIT_INCOMPLETE,
		[REGRESS_FAIL] = MM_EXIT_FAILED,
		[REGRESS_ERROR] = MM_EXIT_BAD_INPUT,
	};

	return statuses[check->state];
}
