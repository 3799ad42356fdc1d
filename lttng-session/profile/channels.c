// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Refuses profiles in which two channels record the same event, because LTTng would record it
 * twice.
 */
#include <fnmatch.h>
#include <string.h>

#include "lttng-session/profile/event-names.h"
#include "lttng-session/profile/profile.h"

/* An entry in a channel's list of events: a name or a pattern. */
struct channel_entry {
	const struct profile_channel *channel;
	size_t number;
};

static const char *text_of(const struct channel_entry *entry)
{
	return entry->channel->events.names[entry->number];
}

/*
 * Does the pattern match the name? Names consist of letters, digits, _ and colons, so * is the only
 * special character of fnmatch() in a pattern.
 */
static bool matches(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, 0);
}

/*
 * Can a name match both patterns? Compares the patterns from the start to the first *, and from the
 * end to the last *. If they differ there, no name matches both.
 */
static bool may_have_common(const char *a, const char *b)
{
	const char *end_a = a + strlen(a), *end_b = b + strlen(b);

	/* These loops end, because both patterns contain a *. */
	for (; *a != '*' && *b != '*'; a++, b++)
		if (*a != *b)
			return false;
	for (; end_a[-1] != '*' && end_b[-1] != '*'; end_a--, end_b--)
		if (end_a[-1] != end_b[-1])
			return false;
	return true;
}

/*
 * Returns @a or @b if the same name can match both, else NULL. Also returns NULL for two different
 * patterns unless both are patterns of functions. For other patterns, compare_patterns() checks the
 * existing events, and this suffices, because only functions may be added later.
 */
static const char *find_common(const char *a, const char *b)
{
	bool a_is_name = !strchr(a, '*'), b_is_name = !strchr(b, '*');

	if (b_is_name)
		return matches(a, b) ? b : NULL;
	if (a_is_name)
		return matches(b, a) ? a : NULL;
	return !strcmp(a, b) || (event_name_is_function(a) && event_name_is_function(b) &&
				 may_have_common(a, b))
		       ? b
		       : NULL;
}

static int refuse(const struct profile *profile, const struct channel_entry *first,
		  const struct channel_entry *second, const char *name, struct mm_error *err)
{
	const struct profile_channel *channel = first->channel;

	return mm_error_set(
		err, MM_EXIT_BAD_INPUT,
		"profile: %s:%u: '%s' includes the event '%s', which [%s%s] already includes by '%s' in line %u; LTTng would record it twice: list each event in one channel only",
		profile->file, second->channel->events.lines[second->number], text_of(second), name,
		*channel->name ? "channel " : "events", channel->name, text_of(first),
		channel->events.lines[first->number]);
}

/* Refuses @entry if an entry of an earlier channel can match the same event. */
static int compare(const struct profile *profile, const struct channel_entry *entry,
		   struct mm_error *err)
{
	struct channel_entry first = { .channel = profile->channels };

	for (; first.channel < entry->channel; first.channel++)
		for (first.number = 0; first.number < first.channel->events.count; first.number++) {
			const char *name = find_common(text_of(&first), text_of(entry));

			if (name)
				return refuse(profile, &first, entry, name, err);
		}
	return 0;
}

/* Refuses the profile if patterns of two channels match the existing event @name. */
static int compare_patterns(const struct profile *profile, const char *name, struct mm_error *err)
{
	struct channel_entry found = { .channel = NULL }, entry;

	for (size_t c = 0; c < profile->channel_count; c++) {
		entry.channel = &profile->channels[c];
		for (entry.number = 0; entry.number < entry.channel->events.count; entry.number++) {
			if (!matches(text_of(&entry), name))
				continue;
			if (!found.channel)
				found = entry;
			else if (found.channel != entry.channel)
				return refuse(profile, &found, &entry, name, err);
		}
	}
	return 0;
}

int profile_check_channels(const struct profile *profile, const struct event_names *known,
			   struct mm_error *err)
{
	struct channel_entry entry;

	if (profile->channel_count < 2)
		return 0;
	for (size_t c = 0; c < profile->channel_count; c++) {
		entry.channel = &profile->channels[c];
		for (entry.number = 0; entry.number < entry.channel->events.count; entry.number++)
			if (compare(profile, &entry, err))
				return -1;
	}
	for (size_t i = 0; i < known->count; i++)
		if (compare_patterns(profile, known->names[i], err))
			return -1;
	return 0;
}
