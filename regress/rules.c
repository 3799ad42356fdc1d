// SPDX-License-Identifier: LGPL-2.1-only
/* Parses rules. */
#include "regress/rules.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/report/units.h"
#include "util/hash.h"
#include "util/nearest.h"

/* Maximum size of a file of rules. */
#define BYTES_MAX (1u << 20)
#define BLANKS " \t"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

const char *const regress_operators[REGRESS_OPERATORS] = {
	[REGRESS_EQUAL] = "==",	   [REGRESS_NOT_EQUAL] = "!=", [REGRESS_AT_MOST] = "<=",
	[REGRESS_AT_LEAST] = ">=", [REGRESS_BELOW] = "<",      [REGRESS_ABOVE] = ">",
};

struct rule_parser {
	const struct regress_rules *rules;
	const struct mm_catalogue *catalogue;
	unsigned int line;
	const char *at; /* the rest of the line */
	struct mm_error *err;
};

/* Sets the error "check: FILE:LINE: ...". Returns -1. */
static int __attribute__((format(printf, 2, 3)))
refuse(const struct rule_parser *parser, const char *fmt, ...)
{
	char why[768];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return mm_error_set(parser->err, MM_EXIT_BAD_INPUT, "check: %s:%u: %s", parser->rules->path,
			    parser->line, why);
}

static int no_memory(const struct rule_parser *parser)
{
	return mm_error_set(parser->err, MM_EXIT_ENVIRONMENT, "check: out of memory");
}

static void skip_blanks(struct rule_parser *parser)
{
	parser->at += strspn(parser->at, BLANKS);
}

static bool accept(struct rule_parser *parser, const char *word)
{
	const size_t length = strlen(word);

	skip_blanks(parser);
	if (strncmp(parser->at, word, length) != 0)
		return false;
	parser->at += length;
	return true;
}

/* Returns the length of a name of a metric or label. */
static size_t name_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
}

/*
 * Parses a quoted text. Backslashes stay, because they are a part of patterns. Returns NULL with
 * the error set on failure.
 */
static char *parse_quoted(struct rule_parser *parser, const char *what)
{
	const char *start;
	char *text;

	if (!accept(parser, "\"")) {
		refuse(parser, "%s is not in double quotes", what);
		return NULL;
	}
	start = parser->at;
	while (*parser->at && *parser->at != '"')
		parser->at += *parser->at == '\\' && parser->at[1] ? 2 : 1;
	if (!*parser->at) {
		refuse(parser, "the double quote at the end of %s is missing", what);
		return NULL;
	}
	text = strndup(start, (size_t)(parser->at - start));
	parser->at++;
	if (!text)
		no_memory(parser);
	return text;
}

/* Returns the number after \x, \u or \U in the text @s, or -1. Sets *@length to its digits. */
static long code_of(const char *s, size_t *length)
{
	char digits[9] = "";

	*length = *s == 'x' ? 2 : *s == 'u' ? 4 : *s == 'U' ? 8 : 0;
	if (!*length || strspn(s + 1, "0123456789abcdefABCDEF") < *length)
		return -1;
	memcpy(digits, s + 1, *length);
	return strtol(digits, NULL, 16);
}

/* Writes a character: a byte for \x, else UTF-8. Returns the end. */
static char *put_code(char *to, long code, bool is_byte)
{
	if (is_byte || code < 0x80) {
		/* An escaped character has no special meaning in a pattern. */
		if (code < 0x80 && strchr("*?\"\\", (int)code))
			*to++ = '\\';
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*to++ = (char)(0xe0 | code >> 12);
		} else {
			*to++ = (char)(0xf0 | code >> 18);
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

void regress_decode_escapes(char *text)
{
	static const char letters[] = "ntr", codes[] = "\n\t\r";
	char *to = text;

	for (const char *s = text; *s; s++) {
		const char *letter;
		size_t length;
		long code;

		if (*s != '\\' || !s[1]) {
			*to++ = *s;
			continue;
		}
		s++;
		letter = strchr(letters, *s);
		code = code_of(s, &length);
		if (letter) {
			*to++ = codes[letter - letters];
		} else if (code > 0 && code <= 0x10ffff) {
			to = put_code(to, code, *s == 'x');
			s += length;
		} else {
			*to++ = '\\';
			*to++ = *s;
		}
	}
	*to = '\0';
}

static bool has_label(const char *const *labels, const char *key)
{
	for (; labels && *labels; labels++)
		if (!strcmp(*labels, key))
			return true;
	return false;
}

static int refuse_label(const struct rule_parser *parser, const struct regress_term *term,
			const char *key)
{
	const char *const *both[] = { term->item->labels, term->item->other_labels };
	struct mm_nearest nearest = { .wanted = key };
	char hint[MM_NEAREST_TEXT], all[MM_NEAREST_TEXT] = "";

	for (size_t i = 0; i < 2; i++)
		for (const char *const *label = both[i]; label && *label; label++) {
			mm_nearest_offer(&nearest, *label);
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s",
				 *all ? ", " : "", *label);
		}
	mm_nearest_hint(&nearest, hint, sizeof(hint));
	if (!*all)
		return refuse(parser, "%s has no labels; omit {%.64s=...}", term->item->name, key);
	return refuse(parser, "%s has no label '%.64s'%s%sits labels: %s", term->item->name, key,
		      hint, *hint ? " " : "; ", all);
}

static int parse_label(struct rule_parser *parser, struct regress_term *term)
{
	struct regress_label *label;
	size_t length;

	skip_blanks(parser);
	length = name_length(parser->at);
	if (!length)
		return refuse(parser, "the name of a label is missing at '%.32s'", parser->at);
	if (term->label_count == MM_LABELS_MAX)
		return refuse(parser, "more than %d labels", MM_LABELS_MAX);
	label = &term->labels[term->label_count++];
	label->key = strndup(parser->at, length);
	if (!label->key)
		return no_memory(parser);
	parser->at += length;
	if (!has_label(term->item->labels, label->key) &&
	    !has_label(term->item->other_labels, label->key))
		return refuse_label(parser, term, label->key);
	if (!accept(parser, "="))
		return refuse(parser, "= is missing after the label %s", label->key);
	label->pattern = parse_quoted(parser, "the text of a label");
	if (!label->pattern)
		return -1;
	regress_decode_escapes(label->pattern);
	return 0;
}

static int parse_term(struct rule_parser *parser, struct regress_term *term)
{
	struct mm_nearest nearest = { .wanted = NULL };
	char name[128], hint[MM_NEAREST_TEXT];
	size_t length;

	skip_blanks(parser);
	length = name_length(parser->at);
	if (!length || length >= sizeof(name))
		return refuse(parser, "the name of a metric is missing at '%.32s'", parser->at);
	memcpy(name, parser->at, length);
	name[length] = '\0';
	parser->at += length;
	term->item = mm_catalogue_find(parser->catalogue, name);
	if (!term->item) {
		nearest.wanted = name;
		for (size_t i = 0; i < parser->catalogue->count; i++)
			mm_nearest_offer(&nearest, parser->catalogue->items[i].name);
		mm_nearest_hint(&nearest, hint, sizeof(hint));
		return refuse(parser, "unknown metric '%s'%s%s`lttng-mm metrics` lists all", name,
			      hint, *hint ? " " : "; ");
	}
	if (!accept(parser, "{"))
		return 0;
	if (accept(parser, "}"))
		return 0;
	do {
		if (parse_label(parser, term))
			return -1;
	} while (accept(parser, ","));
	return accept(parser, "}") ? 0 : refuse(parser, "} is missing at '%.32s'", parser->at);
}

static int parse_operator(struct rule_parser *parser, enum regress_operator *op)
{
	skip_blanks(parser);
	/* The longer operators come first: `<=` before `<`. */
	for (*op = 0; *op < REGRESS_OPERATORS; (*op)++)
		if (accept(parser, regress_operators[*op]))
			return 0;
	return refuse(parser, "no comparison at '%.32s'; give one of ==, !=, <=, >=, <, >",
		      parser->at);
}

/* The quantity that the numbers of a rule measure. */
enum measure {
	MEASURE_COUNT,
	MEASURE_BYTES,
	MEASURE_TIME,
	MEASURE_PART, /* a ratio of like numbers */
	MEASURE_PERCENT,
	MEASURE_BOOLEAN,
};

static enum measure measure_of(const struct mm_catalogue_item *item)
{
	if (item->kind == MM_VALUE_BOOLEAN)
		return MEASURE_BOOLEAN;
	if (!strcmp(item->unit, MM_UNIT_BYTES))
		return MEASURE_BYTES;
	if (!strcmp(item->unit, MM_UNIT_NS))
		return MEASURE_TIME;
	if (!strcmp(item->unit, "ratio"))
		return MEASURE_PART;
	return strcmp(item->unit, "percent") != 0 ? MEASURE_COUNT : MEASURE_PERCENT;
}

/*
 * A ratio of bytes to a count is measured in bytes. A ratio of two counts is a part, such as 5 %.
 */
static enum measure measure_of_rule(const struct regress_rule *rule)
{
	const enum measure of = measure_of(rule->terms[0].item);

	if (!rule->is_ratio)
		return of;
	return of == measure_of(rule->terms[1].item) || of == MEASURE_COUNT ? MEASURE_PART : of;
}

static const struct unit {
	const char *name;
	enum measure measure;
	uint32_t factor, divisor;
} units[] = {
	{ "%", MEASURE_PART, 1, 100 },	       { "%", MEASURE_PERCENT, 1, 1 },
	{ "KiB", MEASURE_BYTES, 1u << 10, 1 }, { "MiB", MEASURE_BYTES, 1u << 20, 1 },
	{ "GiB", MEASURE_BYTES, 1u << 30, 1 }, { "B", MEASURE_BYTES, 1, 1 },
	{ "ns", MEASURE_TIME, 1, 1 },	       { "us", MEASURE_TIME, 1000, 1 },
	{ "ms", MEASURE_TIME, 1000000, 1 },    { "s", MEASURE_TIME, 1000000000, 1 },
};

static int refuse_unit(const struct rule_parser *parser, const struct regress_rule *rule,
		       const char *word)
{
	const struct mm_catalogue_item *item = rule->terms[0].item;
	char known[64] = "";

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].measure == measure_of_rule(rule))
			snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
				 *known ? ", " : "", units[i].name);
	return refuse(parser, "'%.16s' is not a unit of %s%s%s%s%s", word, item->name,
		      rule->is_ratio ? " / " : "", rule->is_ratio ? rule->terms[1].item->name : "",
		      strchr(known, ',') ? "; give a plain number, or one of "
		      : *known		 ? "; give a plain number, or "
		      : *item->unit	 ? "; give a plain number of "
					 : "; give a plain number",
		      *known ? known : item->unit);
}

static int parse_limit(struct rule_parser *parser, struct regress_rule *rule)
{
	const enum measure measure = measure_of_rule(rule);
	const char *end = NULL;
	char word[128];
	size_t length;

	skip_blanks(parser);
	length = strcspn(parser->at, BLANKS "\"");
	snprintf(word, sizeof(word), "%.*s", (int)length, parser->at);
	if (!length)
		return refuse(parser, "a number is missing after %s", regress_operators[rule->op]);
	if (length >= sizeof(word))
		return refuse(parser, "'%.32s...' is too long for a number", word);
	parser->at += length;
	if (measure == MEASURE_BOOLEAN && (!strcmp(word, "true") || !strcmp(word, "false"))) {
		regress_number_parse(&rule->limit, *word == 't' ? "1" : "0", &end);
		return 0;
	}
	switch (regress_number_parse(&rule->limit, word, &end)) {
	case REGRESS_NO_NUMBER:
		return refuse(parser, "'%.64s' is not a number", word);
	case REGRESS_MANY_DIGITS:
		return refuse(
			parser,
			"'%.64s' has too many digits; give at most 28 before and after the point",
			word);
	default:
		break;
	}
	if (tolower((unsigned char)*end) == 'x')
		return refuse(parser, "'%.64s' is not a number", word);
	if (!*end)
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].measure == measure && !strcmp(units[i].name, end)) {
			regress_number_scale(&rule->limit, units[i].factor, units[i].divisor);
			return 0;
		}
	return refuse_unit(parser, rule, end);
}

/* Copies an explanation without backslashes before quotes. */
static char *unquote(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != '\\' || (from[1] != '"' && from[1] != '\\'))
			*to++ = *from;
		else
			*to++ = *++from;
	*to = '\0';
	return text;
}

static int parse_explanation(struct rule_parser *parser, struct regress_rule *rule)
{
	if (rule->explanation)
		return refuse(parser, "a second explanation of one rule; combine both in one text");
	rule->explanation = parse_quoted(parser, "the explanation");
	if (!rule->explanation)
		return -1;
	unquote(rule->explanation);
	skip_blanks(parser);
	return *parser->at ? refuse(parser, "'%.32s' follows the explanation", parser->at) : 0;
}

static int parse_rule(struct rule_parser *parser, struct regress_rule *rule)
{
	const char *start = parser->at;
	size_t length;

	rule->line = parser->line;
	if (parse_term(parser, &rule->terms[0]))
		return -1;
	rule->is_ratio = accept(parser, "/");
	if ((rule->is_ratio && parse_term(parser, &rule->terms[1])) ||
	    parse_operator(parser, &rule->op) || parse_limit(parser, rule))
		return -1;
	if (accept(parser, "if")) {
		if (!accept(parser, "present"))
			return refuse(parser, "'present' is missing after 'if'");
		rule->if_present = true;
	}
	length = (size_t)(parser->at - start);
	while (length && strchr(BLANKS, start[length - 1]))
		length--;
	skip_blanks(parser);
	if (*parser->at && *parser->at != '"')
		return refuse(
			parser,
			"'%.32s' follows the rule; after the number come `if present` and an explanation in double quotes",
			parser->at);
	rule->text = strndup(start, length);
	if (!rule->text)
		return no_memory(parser);
	return *parser->at ? parse_explanation(parser, rule) : 0;
}

static int parse_line(struct rule_parser *parser, struct regress_rules *rules)
{
	const bool is_indented = strchr(BLANKS, *parser->at) && *parser->at;
	struct regress_rule *all;

	skip_blanks(parser);
	if (!*parser->at || *parser->at == '#')
		return 0;
	if (*parser->at == '"') {
		if (is_indented && rules->count)
			return parse_explanation(parser, &rules->all[rules->count - 1]);
		return refuse(
			parser,
			is_indented
				? "an explanation without a rule; put it below its rule"
				: "an explanation without a rule; indent it, and put it below its rule");
	}
	all = mm_array_grow(rules->all, rules->count, &rules->room, sizeof(*all));
	if (!all)
		return no_memory(parser);
	rules->all = all;
	all[rules->count] = (struct regress_rule){ .line = 0 };
	return parse_rule(parser, &all[rules->count++]);
}

int regress_rules_parse(struct regress_rules *rules, const char *path, const char *text,
			const struct mm_catalogue *catalogue, struct mm_error *err)
{
	struct rule_parser parser = { .rules = rules, .catalogue = catalogue, .err = err };
	int ret = 0;

	rules->path = path;
	if (!strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)))
		text += strlen(BYTE_ORDER_MARK);
	while (*text && !ret) {
		const size_t length = strcspn(text, "\r\n");
		char *line = strndup(text, length);

		parser.line++;
		parser.at = line;
		ret = line ? parse_line(&parser, rules) : no_memory(&parser);
		free(line);
		text += length;
		/* Lines may end with CR, LF, or both. */
		text += text[0] == '\r' && text[1] == '\n' ? 2 : *text ? 1 : 0;
	}
	if (!ret && !rules->count)
		ret = mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"check: %s: no rule; write one per line, such as: dax.pmd_fallbacks / dax.pmd_faults <= 1%%",
			path);
	return ret;
}

int regress_rules_read(struct regress_rules *rules, const char *path,
		       const struct mm_catalogue *catalogue, struct mm_error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	char *text = NULL;
	struct stat st;
	ssize_t more;
	int ret;

	if (fd < 0 || fstat(fd, &st)) {
		ret = mm_error_set(err, MM_EXIT_BAD_INPUT, "check: %s: %s; give a file of rules",
				   path, strerror(errno));
		goto end;
	}
	text = malloc(BYTES_MAX + 2);
	/* A pipe, such as <(...), returns a part at a time. */
	do {
		more = text && !S_ISDIR(st.st_mode)
			       ? read(fd, text + length, BYTES_MAX + 1 - length)
			       : 0;
		length += more > 0 ? (size_t)more : 0;
	} while (more > 0);
	if (S_ISDIR(st.st_mode) || length > BYTES_MAX) {
		ret = mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"check: %s: not a file of rules (%s); the rules come first, then traces or reports",
			path, S_ISDIR(st.st_mode) ? "a folder" : "larger than 1 MiB");
		goto end;
	}
	if (!text || more < 0) {
		ret = mm_error_set(err, text ? MM_EXIT_BAD_INPUT : MM_EXIT_ENVIRONMENT,
				   "check: %s: %s", path, strerror(errno));
		goto end;
	}
	text[length] = '\0';
	if (strlen(text) != length)
		ret = mm_error_set(err, MM_EXIT_BAD_INPUT,
				   "check: %s: not a file of rules: it contains zero bytes", path);
	else
		ret = regress_rules_parse(rules, path, text, catalogue, err);
end:
	free(text);
	if (fd >= 0)
		close(fd);
	return ret;
}

void regress_rules_release(struct regress_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct regress_rule *rule = &rules->all[i];

		for (size_t t = 0; t < 2; t++)
			for (size_t k = 0; k < rule->terms[t].label_count; k++) {
				free(rule->terms[t].labels[k].key);
				free(rule->terms[t].labels[k].pattern);
			}
		free(rule->text);
		free(rule->explanation);
	}
	free(rules->all);
	*rules = (struct regress_rules){ NULL };
}

bool regress_pattern_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *retry = NULL;

	while (*text || *pattern) {
		const bool is_literal = *pattern == '\\' && pattern[1];

		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (*text && *pattern == '?') {
			pattern++;
			/* One character may have several bytes of UTF-8. */
			while ((*++text & 0xc0) == 0x80)
				;
		} else if (*text && (is_literal ? pattern[1] == *text : *pattern == *text)) {
			pattern += is_literal ? 2 : 1;
			text++;
		} else if (star && *retry) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	return true;
}

bool regress_term_matches(const struct regress_term *term, const struct regress_value *value)
{
	if (value->item != term->item)
		return false;
	for (size_t i = 0; i < term->label_count; i++) {
		size_t k = 0;

		while (k < MM_LABELS_MAX && value->keys[k] &&
		       strcmp(value->keys[k], term->labels[i].key) != 0)
			k++;
		if (k == MM_LABELS_MAX || !value->keys[k] ||
		    !regress_pattern_matches(term->labels[i].pattern, value->texts[k]))
			return false;
	}
	return true;
}
