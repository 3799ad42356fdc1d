// SPDX-License-Identifier: LGPL-2.1-only
/* Reads profiles with libinih, and checks every key. */
#include "lttng-session/profile/profile.h"

#include <ctype.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/registry/registry.h"
#include "lttng-session/profile/event-names.h"
#include "util/text.h"

#define BYTES_MAX (64u << 10)
/* Size of a line buffer. libinih passes no line that is longer. */
#define LINE_BYTES 256
/* LTTng's maximum length of an event's name. */
#define EVENT_MAX 255
#define DEFAULT_SUBBUF_BYTES (1u << 20)
#define DEFAULT_SUBBUF_COUNT 8u
/*
 * Default sizes of the buffers of all channels but the first. They are small, because these
 * channels are for rare events. There are more than two sub-buffers, because a full ring of N
 * sub-buffers keeps N - 1 of them, and each flush by plain LTTng commands uses one up.
 */
#define DEFAULT_MORE_BYTES 4096u
#define DEFAULT_MORE_COUNT 8u
#define CHANNEL "channel"
/*
 * A channel of this name would be called lttng-mm-state, like the channel of state sessions. This
 * would be confusing.
 */
#define CHANNEL_RESERVED "state"
#define THREAD_STATE "process_statedump_thread"

/*
 * The state of parsing. @line is the number of the last line. It is counted here, because libinih
 * does not pass it to the handler.
 */
struct profile_parser {
	struct profile *profile;
	struct profile_channel *channel; /* channel of the current section */
	FILE *in;
	unsigned int line, bad_line;
	size_t bytes;
	char text[LINE_BYTES]; /* the current line as read; libinih modifies its own copy */
	struct mm_error *err;
};

static int refuse(struct profile_parser *parser, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Reports an error in the current line, unless an earlier line had an error. Returns 0, so that
 * libinih also treats the line as wrong.
 */
static int refuse(struct profile_parser *parser, const char *fmt, ...)
{
	struct mm_error why = MM_ERROR_INIT;
	va_list args;

	if (parser->bad_line)
		return 0;
	parser->bad_line = parser->line ? parser->line : 1;
	va_start(args, fmt);
	mm_error_vset(&why, MM_EXIT_BAD_INPUT, fmt, args);
	va_end(args);
	mm_error_set(parser->err, MM_EXIT_BAD_INPUT, "profile: %s:%u: %s", parser->profile->file,
		     parser->bad_line, why.message);
	return 0;
}

uint64_t profile_parse_size(const char *text, uint64_t least)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);
	unsigned int shift = 0;

	if (end == text || !isdigit((unsigned char)*text))
		return 0;
	if (*end == 'k' || *end == 'K')
		shift = 10;
	else if (*end == 'M')
		shift = 20;
	else if (*end == 'G')
		shift = 30;
	if (end[shift ? 1 : 0] || value > UINT64_MAX >> shift)
		return 0;
	value <<= shift;
	return value >= least && !(value & (value - 1)) ? value : 0;
}

static bool is_event(const char *name)
{
	if (!strncmp(name, PROFILE_SYSCALL, strlen(PROFILE_SYSCALL)))
		name += strlen(PROFILE_SYSCALL);
	return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_*") == strlen(name);
}

static bool is_context(const char *name)
{
	/* These are the contexts that session_start() can add. */
	return !strcmp(name, "callstack-kernel") || !strcmp(name, "procname") ||
	       !strcmp(name, "tid");
}

static int add_name(struct profile_parser *parser, struct profile_list *list, const char *name)
{
	unsigned int *lines = reallocarray(list->lines, list->count + 1, sizeof(*lines));
	char **names = reallocarray(list->names, list->count + 2, sizeof(*names));

	if (lines)
		list->lines = lines;
	if (names)
		list->names = names;
	if (!lines || !names || !(names[list->count] = strdup(name)))
		return refuse(parser, "out of memory");
	lines[list->count++] = parser->line;
	names[list->count] = NULL;
	return 1;
}

static bool has(const struct profile_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->names[i], name))
			return true;
	return false;
}

static int add_names(struct profile_parser *parser, struct profile_list *list, const char *value,
		     int (*check)(struct profile_parser *parser, const char *name))
{
	static const char between[] = ", \t";
	char name[EVENT_MAX + 1];

	value += strspn(value, between);
	while (*value) {
		size_t length = strcspn(value, between);

		if (length >= sizeof(name))
			return refuse(parser, "'%.40s...' has more than %d bytes", value,
				      EVENT_MAX);
		snprintf(name, sizeof(name), "%.*s", (int)length, value);
		if (!check(parser, name))
			return 0;
		if (has(list, name))
			return refuse(parser, "'%s' is listed twice; remove one of them", name);
		if (list->count == PROFILE_LIST_MAX)
			return refuse(parser, "more than %d names in a list; use patterns",
				      PROFILE_LIST_MAX);
		if (!add_name(parser, list, name))
			return 0;
		value += length;
		value += strspn(value, between);
	}
	return 1;
}

static int check_event(struct profile_parser *parser, const char *name)
{
	char nearest[3 * EVENT_MAX];

	if (!is_event(name))
		return refuse(
			parser,
			"'%s' is not the name of an event; use letters, digits, '_' and '*', and start the name of a system call with 'syscall:'",
			name);
	if (!event_name_is_own(name) || event_names_have(&event_names_own, name))
		return 1;
	event_names_nearest(&event_names_own, name, nearest, sizeof(nearest));
	return refuse(parser, "no event is named '%s'; similar names: %s", name, nearest);
}

static int check_state_event(struct profile_parser *parser, const char *name)
{
	if (is_event(name) && !strchr(name, '*') && strstr(name, "_statedump_"))
		return check_event(parser, name);
	return refuse(
		parser,
		"'%s' is not an event of a state dump; the names of such events contain _statedump_",
		name);
}

static int check_context(struct profile_parser *parser, const char *name)
{
	return is_context(name)
		       ? 1
		       : refuse(parser,
				"'%s' is not a context; known: callstack-kernel, procname, tid",
				name);
}

static int take_text(struct profile_parser *parser, char **text, const char *key, const char *value)
{
	if (*text)
		return refuse(parser, "%s is given twice; remove one of them", key);
	*text = strdup(value);
	return *text ? 1 : refuse(parser, "out of memory");
}

static int take_description(struct profile_parser *parser, const char *key, const char *value)
{
	return take_text(parser, &parser->profile->description, key, value);
}

static int take_module(struct profile_parser *parser, const char *key, const char *value)
{
	if (!*value || strlen(value) > 60 || *value == '-' ||
	    strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
		    strlen(value))
		return refuse(parser, "'%s' is not the name of a kernel module", value);
	return take_text(parser, &parser->profile->module, key, value);
}

static int take_requires(struct profile_parser *parser, const char *key, const char *value)
{
	const struct mm_requirement *requirement = mm_requirement_find(value);

	if (!requirement)
		return refuse(parser, "%s: '%s' is not known; known: %s", key, value,
			      mm_requirement_names());
	if (parser->profile->requirement && parser->profile->requirement != requirement)
		return refuse(parser, "%s is given twice; remove one of them", key);
	parser->profile->requirement = requirement;
	return 1;
}

static int take_attach_first(struct profile_parser *parser, const char *key, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return refuse(parser, "%s: '%s' is neither yes nor no", key, value);
	parser->profile->attach_first = *value == 'y';
	return 1;
}

static int take_subbuf_size(struct profile_parser *parser, const char *key, const char *value)
{
	parser->channel->subbuf_bytes = profile_parse_size(value, 4096);
	return parser->channel->subbuf_bytes
		       ? 1
		       : refuse(parser, "%s: '%s' is not a power of two (at least 4k)", key, value);
}

static int take_num_subbuf(struct profile_parser *parser, const char *key, const char *value)
{
	parser->channel->subbuf_count = profile_parse_size(value, 2);
	return parser->channel->subbuf_count
		       ? 1
		       : refuse(parser, "%s: '%s' is not a power of two (at least 2)", key, value);
}

static int take_record(struct profile_parser *parser, const char *key, const char *value)
{
	return add_names(parser, &parser->channel->events, value, check_event);
}

/*
 * Handles the key that names an option of `record`. Without the option, the channel is not
 * recorded.
 */
static int take_option(struct profile_parser *parser, const char *key, const char *value)
{
	if (strcmp(value, "file-io") != 0)
		return refuse(parser, "%s: '%s' is not known; known: file-io", key, value);
	parser->channel->file_io = true;
	return 1;
}

static int take_state(struct profile_parser *parser, const char *key, const char *value)
{
	return add_names(parser, &parser->profile->state_events, value, check_state_event);
}

static int take_contexts(struct profile_parser *parser, const char *key, const char *value)
{
	return add_names(parser, &parser->profile->contexts, value, check_context);
}

static int take_callstack(struct profile_parser *parser, const char *key, const char *value)
{
	return add_names(parser, &parser->profile->callstack_contexts, value, check_context);
}

/* The keys of a profile (see lttng-mm-record(1)). Keys that are lists may be repeated. */
static const struct {
	const char *section, *key;
	int (*take)(struct profile_parser *parser, const char *key, const char *value);
} keys[] = {
	{ "profile", "description", take_description },
	{ "profile", "module", take_module },
	{ "profile", "requires", take_requires },
	{ "profile", "attach-first", take_attach_first },
	{ "buffers", "subbuf-size", take_subbuf_size },
	{ "buffers", "num-subbuf", take_num_subbuf },
	{ "events", "record", take_record },
	{ "events", "state", take_state },
	{ CHANNEL, "record", take_record },
	{ CHANNEL, "subbuf-size", take_subbuf_size },
	{ CHANNEL, "num-subbuf", take_num_subbuf },
	{ CHANNEL, "option", take_option },
	{ "contexts", "always", take_contexts },
	{ "contexts", "callstack", take_callstack },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

/*
 * Writes the keys of the section to @text. If the section is unknown, writes the names of all
 * sections.
 */
static void list_known(const char *section, char *text, size_t size)
{
	size_t length = 0;
	bool found = false;

	for (size_t i = 0; i < KEYS; i++)
		found |= !strcmp(keys[i].section, section);
	text[0] = '\0';
	for (size_t i = 0; i < KEYS && length < size; i++) {
		const char *of = keys[i].section;

		if (found ? strcmp(of, section) != 0 : i && !strcmp(of, keys[i - 1].section))
			continue;
		length +=
			(size_t)snprintf(text + length, size - length, found ? "%s%s" : "%s[%s%s]",
					 length ? ", " : "", found ? keys[i].key : of,
					 strcmp(of, CHANNEL) != 0 ? "" : " NAME");
	}
}

static int refuse_trigger(struct profile_parser *parser, const struct mm_error *why)
{
	return refuse(parser, "%s", why->message);
}

static int take_trigger(struct profile_parser *parser, const char *section, const char *key,
			const char *value)
{
	const struct profile_trigger_line line = { section, key, value, parser->text,
						   parser->line };
	struct mm_error why = MM_ERROR_INIT;

	return profile_triggers_take(&parser->profile->triggers, &line, &why)
		       ? refuse_trigger(parser, &why)
		       : 1;
}

/*
 * Starts a trigger at the line of its section, and does not wait for a key, because the section may
 * have none. Returns 0 if the trigger is refused.
 */
static int begin_trigger(struct profile_parser *parser)
{
	struct mm_error why = MM_ERROR_INIT;
	char section[LINE_BYTES];

	snprintf(section, sizeof(section), "%.*s", (int)strcspn(parser->text + 1, "]\r\n"),
		 parser->text + 1);
	if (!profile_triggers_are_in(section))
		return 1;
	return profile_triggers_begin(&parser->profile->triggers, section, parser->line, &why)
		       ? refuse_trigger(parser, &why)
		       : 1;
}

/* Returns the NAME in `[channel NAME]`, or NULL for other sections. */
static const char *channel_name(const char *section)
{
	size_t length = strlen(CHANNEL);

	if (strncmp(section, CHANNEL, length) != 0 ||
	    (section[length] && section[length] != ' ' && section[length] != '\t'))
		return NULL;
	return section + length + strspn(section + length, " \t");
}

/*
 * Makes @name the current channel, to which the following keys belong. Adds the channel if it does
 * not exist.
 */
static int use_channel(struct profile_parser *parser, const char *name)
{
	struct profile *profile = parser->profile;
	struct profile_channel *channel;

	for (size_t i = 1; i < profile->channel_count; i++) {
		parser->channel = &profile->channels[i];
		if (!strcmp(parser->channel->name, name))
			return 1;
	}
	if (!*name || strlen(name) >= PROFILE_CHANNEL_NAME_MAX || *name == '-' ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(name))
		return refuse(
			parser,
			"[channel %s]: a channel needs a name of up to %d lower-case letters, digits, '-' and '_', such as [channel rare]",
			name, PROFILE_CHANNEL_NAME_MAX - 1);
	if (!strcmp(name, CHANNEL_RESERVED))
		return refuse(
			parser,
			"[channel %s]: this name is reserved for state dumps; choose another one",
			name);
	if (profile->channel_count == PROFILE_CHANNELS_MAX)
		return refuse(parser,
			      "more than %d channels; put equally rare events into one channel",
			      PROFILE_CHANNELS_MAX);
	channel = &profile->channels[profile->channel_count];
	channel->events.names = calloc(1, sizeof(*channel->events.names));
	if (!channel->events.names)
		return refuse(parser, "out of memory");
	snprintf(channel->name, sizeof(channel->name), "%s", name);
	channel->subbuf_bytes = DEFAULT_MORE_BYTES;
	channel->subbuf_count = DEFAULT_MORE_COUNT;
	profile->channel_count++;
	parser->channel = channel;
	return 1;
}

/*
 * Enters a section. Returns the section's name in the table of keys, or NULL if the section is
 * refused.
 */
static const char *enter(struct profile_parser *parser, const char *section)
{
	const char *name = channel_name(section);

	parser->channel = &parser->profile->channels[0];
	if (!name)
		return section;
	return use_channel(parser, name) ? CHANNEL : NULL;
}

static int take(void *user, const char *section, const char *key, const char *value)
{
	struct profile_parser *parser = user;
	char known[256];

	if (profile_triggers_are_in(section))
		return take_trigger(parser, section, key, value);
	section = enter(parser, section);
	if (!section)
		return 0;
	for (size_t i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].section, section) && !strcmp(keys[i].key, key))
			return keys[i].take(parser, key, value);
	list_known(section, known, sizeof(known));
	if (*known == '[')
		return refuse(
			parser,
			"'%s' is in the unknown section [%s]; known sections: %s, [trigger NAME]",
			key, section, known);
	return refuse(parser, "unknown key '%s' in [%s]; known: %s", key, section, known);
}

/*
 * Like fgets(), but refuses lines that are not text, and lines that libinih would split or
 * truncate.
 */
static char *read_line(char *line, int size, void *user)
{
	struct profile_parser *parser = user;
	int length = 0, c = EOF;

	if (parser->bad_line)
		return NULL;
	parser->line++;
	while (length < size - 1 && (c = getc(parser->in)) != EOF) {
		parser->bytes++;
		if (c < ' ' && c != '\t' && c != '\n' && c != '\r') {
			refuse(parser, "a control character; profiles are text");
			return NULL;
		}
		line[length++] = (char)c;
		if (c == '\n')
			break;
	}
	line[length] = '\0';
	if (length && c != '\n' && c != EOF) {
		refuse(parser, "a line of more than %d bytes; continue the list on the next line",
		       size - 10);
		return NULL;
	}
	if (parser->bytes > BYTES_MAX) {
		refuse(parser, "a file of more than %u KiB; profiles are small", BYTES_MAX >> 10);
		return NULL;
	}
	snprintf(parser->text, sizeof(parser->text), "%s", line);
	if (*line == '[' && !begin_trigger(parser))
		return NULL;
	return length ? line : NULL;
}

static struct profile *make(const char *name, const char *path, struct mm_error *err)
{
	struct profile *profile = calloc(1, sizeof(*profile));
	struct profile_parser parser = { .profile = profile, .err = err };
	struct profile_channel *channel = profile ? &profile->channels[0] : NULL;
	struct profile_list *const lists[] = { profile ? &channel->events : NULL,
					       profile ? &profile->state_events : NULL,
					       profile ? &profile->contexts : NULL,
					       profile ? &profile->callstack_contexts : NULL };

	if (!profile) {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "profile: %s: out of memory", name);
		return NULL;
	}
	snprintf(profile->name, sizeof(profile->name), "%s", name);
	snprintf(profile->file, sizeof(profile->file), "%s", path);
	profile->channel_count = 1;
	channel->subbuf_bytes = DEFAULT_SUBBUF_BYTES;
	channel->subbuf_count = DEFAULT_SUBBUF_COUNT;
	/* The names of a list are terminated by NULL even if the list is empty. */
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		lists[i]->names = calloc(1, sizeof(*lists[i]->names));
		if (lists[i]->names)
			continue;
		refuse(&parser, "out of memory");
		profile_destroy(profile);
		return NULL;
	}
	return profile;
}

static void check_triggers(struct profile_parser *parser)
{
	struct mm_error why = MM_ERROR_INIT;
	unsigned int line;

	if (parser->bad_line || !profile_triggers_end(&parser->profile->triggers, &line, &why))
		return;
	parser->line = line;
	refuse_trigger(parser, &why);
}

/* Checks properties of the whole profile, at the end of the file. */
static void check_end(struct profile_parser *parser)
{
	const struct profile *profile = parser->profile;

	if (!profile->channels[0].events.count) {
		refuse(parser, "the profile has no events; add the key record to [events]");
		return;
	}
	for (size_t i = 1; i < profile->channel_count; i++)
		if (!profile->channels[i].events.count)
			refuse(parser, "[channel %s] has no events; add the key record to it",
			       profile->channels[i].name);
	if (!parser->bad_line && profile_check_channels(profile, &event_names_own, parser->err))
		parser->bad_line = parser->line;
}

struct profile *profile_parse(FILE *in, const char *name, const char *path, struct mm_error *err)
{
	struct profile *profile = make(name, path, err);
	struct profile_parser parser = { .profile = profile, .in = in, .err = err };
	int wrong;

	if (!profile)
		return NULL;
	parser.channel = &profile->channels[0];
	wrong = ini_parse_stream(read_line, &parser, take, &parser);
	if (wrong > 0 && (!parser.bad_line || (unsigned int)wrong < parser.bad_line)) {
		/*
		 * libinih continues after a wrong line. @wrong is its first wrong line, so report
		 * that one.
		 */
		parser.bad_line = 0;
		parser.line = (unsigned int)wrong;
		mm_error_clear(err);
		refuse(&parser, "neither a section [NAME], nor KEY = VALUE, nor a # comment");
	} else if (wrong < 0) {
		refuse(&parser, "out of memory");
	}
	check_triggers(&parser);
	if (!parser.bad_line)
		check_end(&parser);
	if (!parser.bad_line)
		return profile;
	profile_destroy(profile);
	return NULL;
}

struct profile *profile_of_events(const char *list, struct mm_error *err)
{
	struct profile *profile = make(PROFILE_EVENTS, "", err);
	struct mm_error why = MM_ERROR_INIT;
	struct profile_parser parser = { .profile = profile, .err = &why };

	if (!profile)
		return NULL;
	if (!add_names(&parser, &profile->channels[0].events, list, check_event)) {
		/*
		 * The events came from an option, not a file, so remove the line number from the
		 * message.
		 */
		const char *at = strstr(why.message, ":1: ");

		mm_error_set(err, why.code, "record: --events: %s", at ? at + 4 : why.message);
	} else if (!profile->channels[0].events.count) {
		mm_error_set(
			err, MM_EXIT_BAD_INPUT,
			"record: --events: '%s' names no event; example: --events=sched_switch",
			list);
	} else if (add_name(&parser, &profile->state_events, THREAD_STATE)) {
		return profile;
	} else {
		mm_error_set(err, MM_EXIT_ENVIRONMENT, "record: --events: out of memory");
	}
	profile_destroy(profile);
	return NULL;
}

static void release_list(struct profile_list *list)
{
	mm_strings_release(list->names, list->count);
	free(list->lines);
}

void profile_destroy(struct profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->channel_count; i++)
		release_list(&profile->channels[i].events);
	release_list(&profile->state_events);
	release_list(&profile->contexts);
	release_list(&profile->callstack_contexts);
	profile_triggers_release(&profile->triggers);
	free(profile->description);
	free(profile->module);
	free(profile);
}

bool profile_has_file_io(const struct profile *profile)
{
	for (size_t i = 0; i < profile->channel_count; i++)
		if (profile->channels[i].file_io)
			return true;
	return false;
}

void profile_leave_out_file_io(struct profile *profile)
{
	size_t left = 0;

	for (size_t i = 0; i < profile->channel_count; i++) {
		if (profile->channels[i].file_io)
			release_list(&profile->channels[i].events);
		else
			profile->channels[left++] = profile->channels[i];
	}
	profile->channel_count = left;
}

bool profile_reveals_kaslr(const struct profile *profile)
{
	for (size_t c = 0; c < profile->channel_count; c++) {
		const struct profile_list *events = &profile->channels[c].events;

		for (size_t i = 0; i < events->count; i++)
			if (!event_name_is_safe(events->names[i]))
				return true;
	}
	for (size_t i = 0; i < profile->state_events.count; i++)
		if (!event_name_is_safe(profile->state_events.names[i]))
			return true;
	return has(&profile->contexts, "callstack-kernel");
}
