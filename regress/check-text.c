// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints the result of a check. Samples of all formats except JSON:
 *
 * text    fail  rules:3  dax.pmd_fallbacks / dax.pmd_faults <= 1%
 *             30 faults / 190 faults
 *             Main cause: pte-entry, ...
 * junit   <testcase classname="rules" name="dax.pmd_fallbacks ..."><failure message="..."/>
 * ktap    not ok 1 rules:3 dax.pmd_fallbacks / dax.pmd_faults <= 1%
 * github  ::error file=rules,line=3,title=dax.pmd_fallbacks ...::30 faults / 190 faults
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/check.h"
#include "util/escape.h"
#include "util/plural.h"

/* Maximum number of metrics that the text formats show for one rule. */
#define SHOWN 10

const char *const regress_format_words[REGRESS_FORMATS] = {
	[REGRESS_TEXT] = "text", [REGRESS_JSON] = "json",     [REGRESS_JUNIT] = "junit",
	[REGRESS_KTAP] = "ktap", [REGRESS_GITHUB] = "github",
};

/* Does any of the first @count findings have the cause? */
static bool have_cause(const struct regress_finding *findings, size_t count, const char *cause)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < findings[i].cause_count; k++)
			if (!strcmp(findings[i].causes[k], cause))
				return true;
	return false;
}

/* Do both findings state the same reason, and neither of them a metric? */
static bool is_same(const struct regress_finding *a, const struct regress_finding *b)
{
	return !a->found && !b->found && a->reason && b->reason && !strcmp(a->reason, b->reason);
}

/* Counts the runs with a finding that is the same as finding @i, the first of them. */
static size_t count_runs(const struct regress_outcome *outcome, size_t i)
{
	const struct regress_finding *first = &outcome->findings[i];
	const struct regress_run *run = first->run;
	size_t count = 1;

	/* The findings of one run follow each other. */
	for (size_t k = i + 1; k < outcome->count; k++) {
		const struct regress_finding *other = &outcome->findings[k];

		if (!is_same(first, other) || other->run == run)
			continue;
		run = other->run;
		count++;
	}
	return count;
}

/* Prints finding @i, and in which run or runs it was found. */
static void print_finding(FILE *out, const struct regress_check *check,
			  const struct regress_outcome *outcome, size_t i)
{
	const struct regress_finding *finding = &outcome->findings[i];
	const size_t all = check->runs->count, runs = count_runs(outcome, i);

	if (finding->found)
		fprintf(out, "%s: %s%s", finding->found, finding->what,
			finding->reason ? ": " : "");
	if (finding->reason)
		fputs(finding->reason, out);
	if (all == 1)
		return;
	if (runs == all) {
		fprintf(out, "; all %zu runs", all);
		return;
	}
	fputs("; ", out);
	if (runs > 1)
		fprintf(out, "%zu of %zu runs, first ", runs, all);
	mm_escape_message_print(out, finding->run->path);
}

/*
 * Prints the details of one rule: each line starts with @indent and ends with @end. Prints a
 * sentence about the cause of several metrics once, and also a reason that several findings without
 * a metric share.
 */
static void print_details(FILE *out, const struct regress_check *check,
			  const struct regress_outcome *outcome, const char *indent,
			  const char *end)
{
	size_t shown[SHOWN], count = 0, more = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct regress_finding *finding = &outcome->findings[i];
		size_t k = 0;

		while (k < count && !is_same(&outcome->findings[shown[k]], finding))
			k++;
		if (k < count)
			continue;
		if (count == SHOWN) {
			more++;
			continue;
		}
		shown[count++] = i;
		fputs(indent, out);
		print_finding(out, check, outcome, i);
		fputs(end, out);
		for (k = 0; k < finding->cause_count; k++)
			if (!have_cause(outcome->findings, i, finding->causes[k]))
				fprintf(out, "%s  %s%s", indent, finding->causes[k], end);
	}
	if (more)
		fprintf(out, "%s... and %zu more results (--format json lists all)%s", indent, more,
			end);
}

/* Prints a text without characters that a terminal would interpret. */
static void print_safe(FILE *out, const char *text)
{
	mm_escape_message_print(out, text);
}

static void print_text(FILE *out, const struct regress_check *check)
{
	const char *before = ": ";

	for (size_t i = 0; i < check->rules->count; i++) {
		const struct regress_outcome *outcome = &check->outcomes[i];

		fprintf(out, "%-12s ", regress_state_words[outcome->state]);
		print_safe(out, check->rules->path);
		fprintf(out, ":%u  ", outcome->rule->line);
		print_safe(out, outcome->rule->text);
		if (outcome->checked > 1)
			fprintf(out, "  (%zu metrics)", outcome->checked);
		fputc('\n', out);
		if (outcome->count && outcome->rule->explanation) {
			fputs("    ", out);
			print_safe(out, outcome->rule->explanation);
			fputc('\n', out);
		}
		print_details(out, check, outcome, "    ", "\n");
	}
	for (size_t i = 0; i < check->runs->count; i++) {
		const struct regress_run *run = &check->runs->all[i];
		char why[REGRESS_WHY];

		if (!regress_run_is_doubtful(run, why))
			continue;
		fprintf(out, "%-12s ", regress_state_words[REGRESS_INCONCLUSIVE]);
		print_safe(out, run->path);
		fprintf(out, ": %s\n", why);
	}
	fprintf(out, "%s: %zu rule%s on %zu run%s", regress_state_words[check->state],
		check->rules->count, mm_plural_s(check->rules->count), check->runs->count,
		mm_plural_s(check->runs->count));
	for (int state = REGRESS_STATES - 1; state >= 0; state--) {
		if (!check->counts[state])
			continue;
		fprintf(out, "%s%zu %s", before, check->counts[state], regress_state_words[state]);
		before = ", ";
	}
	fputc('\n', out);
}

/* Escapes a text for XML. XML does not allow control characters, so prints them as `\n`, `\x01`. */
static void print_xml(FILE *out, const char *text)
{
	char *safe = mm_escape_message_copy(text);

	for (const char *s = safe ? safe : ""; *s; s++)
		switch (*s) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			/* U+FFFE and U+FFFF are not allowed either. */
			if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3)) {
				fputs("\\uFFFE", out);
				s += 2;
				break;
			}
			fputc(*s, out);
		}
	free(safe);
}

/* Returns the details of a rule as one text, with @end at the end of each line. */
static char *details(const struct regress_check *check, const struct regress_outcome *outcome,
		     const char *end)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_details(out, check, outcome, "", end);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* Prints each line of @text as XML. */
static void print_xml_lines(FILE *out, const char *text)
{
	while (*text) {
		const size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);

		print_xml(out, line ? line : "");
		fputc('\n', out);
		free(line);
		text += length + (text[length] == '\n');
	}
}

static void print_junit_result(FILE *out, const struct regress_check *check,
			       const struct regress_outcome *outcome)
{
	const struct regress_finding *first = &outcome->findings[0];
	const char *element = outcome->state == REGRESS_FAIL	? "failure"
			      : outcome->state == REGRESS_ERROR ? "error"
								: "skipped";
	char *text;

	if (outcome->state == REGRESS_PASS)
		return;
	if (outcome->state == REGRESS_ABSENT) {
		fputs("<skipped message=\"no metric has this name and these labels\"/>", out);
		return;
	}
	text = details(check, outcome, "\n");
	/* The first finding may be less severe than the rule's state. */
	for (size_t i = 0; i < outcome->count; i++)
		if (outcome->findings[i].state == outcome->state) {
			first = &outcome->findings[i];
			break;
		}
	fprintf(out, "<%s message=\"", element);
	if (outcome->rule->explanation) {
		print_xml(out, outcome->rule->explanation);
		fputs(": ", out);
	}
	print_xml(out, first->reason ? first->reason : first->found ? first->found : "");
	fputs("\">", out);
	print_xml_lines(out, text ? text : "");
	fprintf(out, "</%s>", element);
	free(text);
}

static void print_junit(FILE *out, const struct regress_check *check)
{
	const size_t *counts = check->counts;

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"");
	print_xml(out, check->rules->path);
	fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
		check->rules->count + check->doubtful, counts[REGRESS_FAIL], counts[REGRESS_ERROR],
		counts[REGRESS_INCONCLUSIVE] + counts[REGRESS_ABSENT] + check->doubtful);
	for (size_t i = 0; i < check->rules->count; i++) {
		const struct regress_outcome *outcome = &check->outcomes[i];

		fputs("<testcase classname=\"", out);
		print_xml(out, check->rules->path);
		fprintf(out, "\" name=\"%u: ", outcome->rule->line);
		print_xml(out, outcome->rule->text);
		fputs("\">", out);
		print_junit_result(out, check, outcome);
		fputs("</testcase>\n", out);
	}
	for (size_t i = 0; i < check->runs->count; i++) {
		char why[REGRESS_WHY];

		if (!regress_run_is_doubtful(&check->runs->all[i], why))
			continue;
		fputs("<testcase classname=\"complete\" name=\"", out);
		print_xml(out, check->runs->all[i].path);
		fputs("\"><skipped message=\"", out);
		print_xml(out, why);
		fputs("\"/></testcase>\n", out);
	}
	fputs("</testsuite>\n</testsuites>\n", out);
}

/* Prints the description of a test. Replaces #, because it would start a KTAP directive. */
static void print_ktap_text(FILE *out, const char *text)
{
	char *safe = mm_escape_message_copy(text);

	for (const char *s = safe ? safe : ""; *s; s++)
		fputc(*s == '#' ? '_' : *s, out);
	free(safe);
}

static void print_ktap(FILE *out, const struct regress_check *check)
{
	size_t number = 0;

	fprintf(out, "KTAP version 1\n1..%zu\n", check->rules->count + check->doubtful);
	for (size_t i = 0; i < check->rules->count; i++) {
		const struct regress_outcome *outcome = &check->outcomes[i];
		const bool is_bad = outcome->state >= REGRESS_FAIL;

		print_details(out, check, outcome, "# ", "\n");
		fprintf(out, "%s %zu ", is_bad ? "not ok" : "ok", ++number);
		print_ktap_text(out, check->rules->path);
		fprintf(out, ":%u ", outcome->rule->line);
		print_ktap_text(out, outcome->rule->text);
		if (outcome->state == REGRESS_INCONCLUSIVE)
			fputs(" # SKIP inconclusive", out);
		else if (outcome->state == REGRESS_ABSENT)
			fputs(" # SKIP absent", out);
		fputc('\n', out);
	}
	for (size_t i = 0; i < check->runs->count; i++) {
		char why[REGRESS_WHY];

		if (!regress_run_is_doubtful(&check->runs->all[i], why))
			continue;
		fprintf(out, "ok %zu complete ", ++number);
		print_ktap_text(out, check->runs->all[i].path);
		fputs(" # SKIP ", out);
		print_ktap_text(out, why);
		fputc('\n', out);
	}
}

/* Escapes the data of a workflow command. In a property, also escapes `:` and `,`. */
static void print_github_text(FILE *out, const char *text, bool is_property)
{
	char *safe = mm_escape_message_copy(text);

	for (const char *s = safe ? safe : ""; *s; s++)
		if (*s == '%' || (is_property && strchr(":,", *s)))
			fprintf(out, "%%%02X", (unsigned int)(unsigned char)*s);
		else
			fputc(*s, out);
	free(safe);
}

/* Prints an annotation for each rule that does not pass. */
static void print_github(FILE *out, const struct regress_check *check)
{
	for (size_t i = 0; i < check->rules->count; i++) {
		const struct regress_outcome *outcome = &check->outcomes[i];
		char *text;

		if (outcome->state < REGRESS_INCONCLUSIVE)
			continue;
		fprintf(out,
			"::%s file=", outcome->state == REGRESS_INCONCLUSIVE ? "warning" : "error");
		print_github_text(out, check->rules->path, true);
		fprintf(out, ",line=%u,title=", outcome->rule->line);
		print_github_text(out, outcome->rule->text, true);
		fputs("::", out);
		if (outcome->rule->explanation) {
			print_github_text(out, outcome->rule->explanation, false);
			fputs("%0A", out);
		}
		text = details(check, outcome, "\n");
		for (char *line = text, *end; line && *line; line = end) {
			end = line + strcspn(line, "\n");
			if (*end)
				*end++ = '\0';
			print_github_text(out, line, false);
			if (*end)
				fputs("%0A", out);
		}
		fputc('\n', out);
		free(text);
	}
	for (size_t i = 0; i < check->runs->count; i++) {
		char why[REGRESS_WHY];

		if (!regress_run_is_doubtful(&check->runs->all[i], why))
			continue;
		fputs("::warning title=inconclusive::", out);
		print_github_text(out, check->runs->all[i].path, false);
		fputs(": ", out);
		print_github_text(out, why, false);
		fputc('\n', out);
	}
}

void regress_check_print_error(FILE *out, const char *path, const char *message,
			       enum regress_format format)
{
	switch (format) {
	case REGRESS_JSON:
		regress_check_print_json_error(out, message);
		break;
	case REGRESS_JUNIT:
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"",
		      out);
		print_xml(out, path);
		fputs("\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n<testcase classname=\"",
		      out);
		print_xml(out, path);
		fputs("\" name=\"rules\"><error message=\"", out);
		print_xml(out, message);
		fputs("\"/></testcase>\n</testsuite>\n</testsuites>\n", out);
		break;
	case REGRESS_KTAP:
		fputs("KTAP version 1\n1..1\n# ", out);
		print_ktap_text(out, message);
		fputs("\nnot ok 1 ", out);
		print_ktap_text(out, path);
		fputc('\n', out);
		break;
	case REGRESS_GITHUB:
		fputs("::error file=", out);
		print_github_text(out, path, true);
		fputs("::", out);
		print_github_text(out, message, false);
		fputc('\n', out);
		break;
	default:
		break;
	}
}

int regress_check_print(FILE *out, const struct regress_check *check, enum regress_format format)
{
	switch (format) {
	case REGRESS_JSON:
		return regress_check_print_json(out, check);
	case REGRESS_JUNIT:
		print_junit(out, check);
		break;
	case REGRESS_KTAP:
		print_ktap(out, check);
		break;
	case REGRESS_GITHUB:
		print_github(out, check);
		break;
	default:
		print_text(out, check);
	}
	return ferror(out) ? -1 : 0;
}
