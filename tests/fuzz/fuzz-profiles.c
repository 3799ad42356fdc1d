// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fuzz target: a profile. `record --dry-run` prints shell commands that contain words of the
 * profile. One of these words is the name of a module to load.
 */
#include <stdlib.h>
#include <string.h>

#include "lttng-session/profile/profile.h"
#include "tests/fuzz/fuzz.h"

/* Checks for characters that would end a word, or a quoted word, of a shell command. */
static void check_word(const char *word)
{
	if (!*word || strlen(word) >= 256 || *word == '-')
		abort();
	for (; *word; word++)
		if (*word <= ' ' || *word == 0x7f || strchr("'\"\\$`;&|<>()", *word))
			abort();
}

static void check_list(const struct profile_list *list)
{
	if (list->count > PROFILE_LIST_MAX)
		abort();
	for (size_t i = 0; i < list->count; i++)
		check_word(list->names[i]);
	if (list->names && list->names[list->count])
		abort();
}

static void check_size(uint64_t size)
{
	if (!size || (size & (size - 1)))
		abort();
}

static void check_channel(const struct profile_channel *channel, size_t number)
{
	if (!channel->events.count || !*channel->name != !number)
		abort();
	if (number)
		check_word(channel->name);
	check_size(channel->subbuf_bytes);
	check_size(channel->subbuf_count);
	check_list(&channel->events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "re");
	struct mm_error err = MM_ERROR_INIT;
	struct profile *profile;

	if (!in)
		abort();
	profile = profile_parse(in, "fuzzed", "fuzzed.conf", &err);
	fclose(in);
	/* There is either a profile, or an error code with a message. */
	if (!profile != (err.code != MM_EXIT_OK) || (!profile && !*err.message))
		abort();
	if (!profile)
		return 0;
	if (!profile->channel_count || profile->channel_count > PROFILE_CHANNELS_MAX)
		abort();
	for (size_t i = 0; i < profile->channel_count; i++)
		check_channel(&profile->channels[i], i);
	if (profile->module)
		check_word(profile->module);
	check_list(&profile->state_events);
	check_list(&profile->contexts);
	check_list(&profile->callstack_contexts);
	profile_reveals_kaslr(profile);
	profile_destroy(profile);
	return 0;
}
