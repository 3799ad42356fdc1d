// SPDX-License-Identifier: LGPL-2.1-only
/* Parses the conditions of triggers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/daemon/triggers/definition/regex.h"
#include "lttng-session/daemon/triggers/definition/trigger.h"
#include "lttng-session/profile/profile.h"
#include "util/duration.h"
#include "util/nearest.h"

/* LTTng's maximum length of an event's name. */
#define EVENT_MAX 255
#define UNIT_MAX 255
/*
 * Maximum rate. Each event causes a notification until the rate is exceeded. If the session daemon
 * cannot keep up, notifications pile up. Before LTTng 2.14.2 and 2.15.1, 8192 waiting notifications
 * make the session daemon hang.
 */
#define RATE_MAX UINT64_C(10000)
#define BLANKS " \t"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* The kernel's limits and unit of a PSI trigger's window. */
#define PSI_WINDOW_MIN_NS INT64_C(500000000)
#define PSI_WINDOW_MAX_NS INT64_C(10000000000)
#define PSI_UNIT_NS INT64_C(1000)

#define KINDS                                                                            \
	"EVENT [if FILTER], rate EVENT [if FILTER] > N/s, pressure RESOURCE LEVEL > "    \
	"DURATION per DURATION, failed-allocation, kernel-message, file PATH REGEX and " \
	"journal [unit=UNIT] REGEX"

/*
 * The kernel messages that the conditions `kernel-message oom` and `kernel-message hung-task`
 * match.
 */
#define OOM_REGEX "^(Out|Memory cgroup out) of memory[^:]*: Killed process "
#define HUNG_TASK_REGEX "^INFO: task .*:[0-9]+ .*blocked .*for more than [0-9]+ seconds"

int trigger_error(const struct trigger *trigger, struct mm_error *err, int code, const char *fmt,
		  ...)
{
	struct mm_error why = MM_ERROR_INIT;
	va_list args;

	va_start(args, fmt);
	mm_error_vset(&why, code, fmt, args);
	va_end(args);
	return trigger->subject
		       ? mm_error_set(err, code, "%s: %s", trigger->subject, why.message)
		       : mm_error_set(err, code, "trigger: %s: %s", trigger->name, why.message);
}

struct condition_parser {
	struct trigger *trigger;
	const char *at;
	struct mm_error *err;
};

static int refuse(struct condition_parser *parser, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct condition_parser *parser, const char *fmt, ...)
{
	struct mm_error why = MM_ERROR_INIT;
	va_list args;

	va_start(args, fmt);
	mm_error_vset(&why, MM_EXIT_BAD_INPUT, fmt, args);
	va_end(args);
	return trigger_error(parser->trigger, parser->err, MM_EXIT_BAD_INPUT, "condition: %s",
			     why.message);
}

static int no_memory(struct condition_parser *parser)
{
	return trigger_error(parser->trigger, parser->err, MM_EXIT_ENVIRONMENT, "out of memory");
}

static int set_text(struct condition_parser *parser, char **text, const char *from, size_t length)
{
	*text = strndup(from, length);
	return *text ? 0 : no_memory(parser);
}

static void skip_blanks(struct condition_parser *parser)
{
	parser->at += strspn(parser->at, BLANKS);
}

/* Reads the next word into @word. Truncates a long word. */
static void next_word(struct condition_parser *parser, char *word, size_t size)
{
	size_t length = strcspn(parser->at, BLANKS);

	snprintf(word, size, "%.*s", (int)(length < size ? length : size), parser->at);
	parser->at += length;
	skip_blanks(parser);
}

static bool take_word(struct condition_parser *parser, const char *word)
{
	size_t length = strcspn(parser->at, BLANKS);

	if (length != strlen(word) || strncmp(parser->at, word, length) != 0)
		return false;
	parser->at += length;
	skip_blanks(parser);
	return true;
}

static bool is_event(const char *name)
{
	if (!strncmp(name, PROFILE_SYSCALL, strlen(PROFILE_SYSCALL)))
		name += strlen(PROFILE_SYSCALL);
	return *name && strspn(name, LETTERS) == strlen(name);
}

/* Writes a hint such as "; did you mean 'file'?" if @name resembles a kind of condition. */
static void hint_kinds(const char *name, char text[MM_NEAREST_TEXT]);

/* Parses EVENT [if FILTER] up to @end. */
static int parse_event(struct condition_parser *parser, const char *end)
{
	struct trigger *trigger = parser->trigger;
	char name[EVENT_MAX + 2], hint[MM_NEAREST_TEXT];

	while (end > parser->at && strchr(BLANKS, end[-1]))
		end--;
	next_word(parser, name, sizeof(name));
	if (strpbrk(name, "*?["))
		return refuse(parser, "'%s' is a pattern; add one trigger per event", name);
	hint_kinds(name, hint);
	if (!is_event(name) || strlen(name) > EVENT_MAX)
		return refuse(parser,
			      "'%s' is not the name of an event%s%sknown conditions: " KINDS, name,
			      hint, *hint ? " " : "; ");
	if (set_text(parser, &trigger->event, name, strlen(name)))
		return -1;
	if (parser->at >= end)
		return 0;
	if (!take_word(parser, "if"))
		return refuse(
			parser,
			"unexpected '%.*s' after the event %s; only 'if FILTER' can follow the event%s",
			(int)(end - parser->at), parser->at, name, hint);
	if (parser->at >= end)
		return refuse(
			parser,
			"there is no filter after 'if'; give an expression of LTTng, such as 'size > 4096'");
	return set_text(parser, &trigger->filter, parser->at, (size_t)(end - parser->at));
}

static int parse_plain_event(struct condition_parser *parser)
{
	return parse_event(parser, parser->at + strlen(parser->at));
}

/*
 * Parses EVENT [if FILTER] > N/s. Searches for '>' from the end, because the filter may contain
 * '>'.
 */
static int parse_rate(struct condition_parser *parser)
{
	const char *sign = strrchr(parser->at, '>'), *digits = sign ? sign + 1 : "";
	char *end;
	unsigned long long rate;

	digits += strspn(digits, BLANKS);
	rate = strtoull(digits, &end, 10);
	if (!strchr("0123456789", *digits) || strcmp(end, "/s") != 0 || !*digits)
		return refuse(
			parser,
			"'%s' does not end with a rate; write rate EVENT [if FILTER] > N/s, such as > 1000/s",
			parser->at);
	if (rate > RATE_MAX)
		return refuse(
			parser,
			"a rate cannot exceed %llu/s; count only a part of the events, such as the events of one CPU: if $ctx.cpu_id == 0",
			(unsigned long long)RATE_MAX);
	parser->trigger->rate = rate;
	return parse_event(parser, sign);
}

static int parse_duration(struct condition_parser *parser, int64_t *ns)
{
	struct mm_error why = MM_ERROR_INIT;
	char word[64];

	next_word(parser, word, sizeof(word));
	return mm_duration_parse(word, "pressure", ns, &why) ? refuse(parser, "%s", why.message)
							     : 0;
}

static int parse_pressure_times(struct condition_parser *parser)
{
	struct trigger *trigger = parser->trigger;

	if (!take_word(parser, ">"))
		return refuse(
			parser,
			"pressure: '>' is missing before '%s'; example: pressure memory some > 150ms per 1s",
			parser->at);
	if (parse_duration(parser, &trigger->stall_ns))
		return -1;
	if (!take_word(parser, "per"))
		return refuse(
			parser,
			"pressure: 'per' is missing before '%s'; example: pressure memory some > 150ms per 1s",
			parser->at);
	if (parse_duration(parser, &trigger->window_ns))
		return -1;
	if (*parser->at)
		return refuse(parser, "pressure: unexpected '%s' after the last duration",
			      parser->at);
	if (trigger->window_ns < PSI_WINDOW_MIN_NS || trigger->window_ns > PSI_WINDOW_MAX_NS)
		return refuse(parser, "pressure: the kernel supports windows of 500ms to 10s");
	if (trigger->stall_ns < PSI_UNIT_NS || trigger->stall_ns > trigger->window_ns)
		return refuse(
			parser,
			"pressure: the stall must be at least 1us and at most as long as the window");
	return 0;
}

static int parse_pressure(struct condition_parser *parser)
{
	struct trigger *trigger = parser->trigger;
	char word[64];

	next_word(parser, word, sizeof(word));
	if (strcmp(word, "memory") != 0 && strcmp(word, "cpu") != 0 && strcmp(word, "io") != 0)
		return refuse(parser, "pressure: '%s' is not a resource; known: memory, cpu, io",
			      word);
	if (set_text(parser, &trigger->resource, word, strlen(word)))
		return -1;
	next_word(parser, word, sizeof(word));
	if (strcmp(word, "some") != 0 && strcmp(word, "full") != 0)
		return refuse(parser, "pressure: '%s' is not a level; known: some, full", word);
	trigger->full = *word == 'f';
	return parse_pressure_times(parser);
}

static int parse_failed_allocation(struct condition_parser *parser)
{
	return *parser->at ? refuse(parser, "unexpected '%s' after failed-allocation", parser->at)
			   : 0;
}

/* Parses the rest of the condition as a regular expression. */
static int parse_regex(struct condition_parser *parser, const char *what)
{
	struct mm_error why = MM_ERROR_INIT;

	if (!*parser->at)
		return refuse(parser, "%s: the regular expression is missing", what);
	if (trigger_check_regex(parser->at, what, &why))
		return refuse(parser, "%s", why.message);
	return set_text(parser, &parser->trigger->regex, parser->at, strlen(parser->at));
}

static int parse_kernel_message(struct condition_parser *parser)
{
	if (!strcmp(parser->at, "oom"))
		parser->at = OOM_REGEX;
	else if (!strcmp(parser->at, "hung-task"))
		parser->at = HUNG_TASK_REGEX;
	return parse_regex(parser, "kernel-message");
}

/* Parses a path. A path with blanks must be in double quotes. */
static int parse_path(struct condition_parser *parser)
{
	bool quoted = *parser->at == '"';
	const char *from = parser->at + quoted;
	size_t length = strcspn(from, quoted ? "\"" : BLANKS);

	if (quoted && !from[length])
		return refuse(parser, "file: the quotation mark after the path is missing");
	if (*from != '/')
		return refuse(parser, "file: '%.*s' is not an absolute path", (int)length, from);
	if (length >= PATH_MAX || from[length - 1] == '/')
		return refuse(parser, "file: '%.*s' cannot be the path of a file", (int)length,
			      from);
	parser->at = from + length + quoted;
	skip_blanks(parser);
	return set_text(parser, &parser->trigger->path, from, length);
}

static int parse_file(struct condition_parser *parser)
{
	return parse_path(parser) ? -1 : parse_regex(parser, "file");
}

static int parse_journal(struct condition_parser *parser)
{
	static const char option[] = "unit=";
	char word[sizeof(option) + UNIT_MAX + 1];

	if (!strncmp(parser->at, option, strlen(option))) {
		const char *unit = word + strlen(option);

		next_word(parser, word, sizeof(word));
		if (!*unit || strlen(unit) > UNIT_MAX ||
		    strspn(unit, LETTERS ":-.\\@") != strlen(unit))
			return refuse(
				parser,
				"journal: '%s' is not the name of a unit; example: ssh.service",
				unit);
		if (set_text(parser, &parser->trigger->unit, unit, strlen(unit)))
			return -1;
	}
	return parse_regex(parser, "journal");
}

static const struct {
	const char *word;
	enum trigger_kind kind;
	int (*parse)(struct condition_parser *parser);
} kinds[] = {
	{ "rate", TRIGGER_RATE, parse_rate },
	{ "pressure", TRIGGER_PRESSURE, parse_pressure },
	{ "failed-allocation", TRIGGER_FAILED_ALLOCATION, parse_failed_allocation },
	{ "kernel-message", TRIGGER_KERNEL_MESSAGE, parse_kernel_message },
	{ "file", TRIGGER_FILE, parse_file },
	{ "journal", TRIGGER_JOURNAL, parse_journal },
};

static void hint_kinds(const char *name, char text[MM_NEAREST_TEXT])
{
	struct mm_nearest nearest = { .wanted = name };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		mm_nearest_offer(&nearest, kinds[i].word);
	mm_nearest_hint(&nearest, text, MM_NEAREST_TEXT);
}

static void clear(struct trigger *trigger)
{
	char **const texts[] = { &trigger->event, &trigger->filter, &trigger->resource,
				 &trigger->path,  &trigger->unit,   &trigger->regex };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		free(*texts[i]);
		*texts[i] = NULL;
	}
	trigger->kind = TRIGGER_EVENT;
	trigger->rate = 0;
	trigger->full = false;
	trigger->stall_ns = trigger->window_ns = 0;
}

int trigger_parse_condition(struct trigger *trigger, struct mm_error *err)
{
	struct condition_parser parser = { .trigger = trigger, .at = trigger->on, .err = err };

	clear(trigger);
	skip_blanks(&parser);
	if (!*parser.at)
		return refuse(&parser, "empty; known conditions: " KINDS);
	if (strlen(trigger->on) > TRIGGER_TEXT_MAX)
		return refuse(&parser, "longer than %d bytes", TRIGGER_TEXT_MAX);
	for (const char *c = trigger->on; *c; c++)
		if ((unsigned char)*c < ' ' && *c != '\t')
			return refuse(&parser,
				      "contains a control character; write it as one line");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!take_word(&parser, kinds[i].word))
			continue;
		trigger->kind = kinds[i].kind;
		return kinds[i].parse(&parser);
	}
	return parse_plain_event(&parser);
}
