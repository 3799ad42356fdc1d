// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the recorder's parameters from the kernel command line. */
#include "lttng-session/recorder/boot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lttng-session/system/cmdline.h"
#include "lttng-session/profile/profile.h"
#include "util/mounts.h"

#define PREFIX "lttng_mm."
#define SUBBUFS_MAX (1u << 20)
/* Name of a parameter that only boot_counts_instructions() uses. */
#define CLOCK "clock"

/*
 * Returns the part of the parameter's name after the prefix lttng_mm. (or lttng-mm.), or NULL if
 * the name has no such prefix.
 */
static char *own_part(char *word)
{
	const char *prefix = PREFIX;

	for (; *prefix; prefix++, word++)
		if (*word != *prefix && !(*prefix == '_' && *word == '-'))
			return NULL;
	return word;
}

static int refuse(const char *parameter, const char *value, const char *why, struct mm_error *err)
{
	return mm_error_set(err, MM_EXIT_BAD_INPUT, "kernel command line: %s%.32s: '%.64s' %s",
			    PREFIX, parameter, value, why);
}

/* Parses a power of two from 2 to SUBBUFS_MAX. Returns 0 for any other text. */
static uint64_t parse_count(const char *text)
{
	uint64_t value = 0;

	for (; *text >= '0' && *text <= '9' && value <= SUBBUFS_MAX; text++)
		value = 10 * value + (uint64_t)(*text - '0');
	return !*text && value >= 2 && value <= SUBBUFS_MAX && !(value & (value - 1)) ? value : 0;
}

static int refuse_profile(const char *parameter, const char *value, struct mm_error *err)
{
	char why[1024], *names = profile_names();

	snprintf(why, sizeof(why), "is not a profile; known: %s", names ? names : "");
	free(names);
	return refuse(parameter, value, why, err);
}

/* Parses a parameter other than `enable`. */
static int take(const char *parameter, const char *value, struct boot_request *request,
		struct mm_error *err)
{
	if (!strcmp(parameter, "profile")) {
		if (!profile_exists(value))
			return refuse_profile(parameter, value, err);
		snprintf(request->profile, sizeof(request->profile), "%s", value);
	} else if (!strcmp(parameter, "subbufs")) {
		request->subbuf_count = parse_count(value);
		if (!request->subbuf_count)
			return refuse(parameter, value, "is not a power of two (at least 2)", err);
	} else if (strcmp(parameter, CLOCK) != 0) {
		return refuse(
			parameter, value,
			"is the value of an unknown parameter; known parameters: enable, profile, subbufs",
			err);
	}
	return 0;
}

int boot_parse(const char *line, struct boot_request *request, struct mm_error *err)
{
	struct mm_error odd = MM_ERROR_INIT;
	char word[4096];

	*request = (struct boot_request){ .profile = "slab" };
	while (cmdline_next(&line, word, sizeof(word))) {
		char *parameter = own_part(word),
		     *value = parameter ? strchr(parameter, '=') : NULL;

		if (!parameter)
			continue;
		if (value)
			*value++ = '\0';
		value = value ? value : "";
		if (strcmp(parameter, "enable") != 0)
			take(parameter, value, request, &odd);
		else if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
			return refuse(parameter, value, "is neither 0 nor 1", err);
		else
			request->enabled = *value == '1';
	}
	/* Ignore errors unless the command line enables the recorder. */
	if (!request->enabled || !odd.code)
		return 0;
	if (err)
		*err = odd;
	return -1;
}

bool boot_counts_instructions(const char *line)
{
	char word[4096];
	bool counts = false;

	while (cmdline_next(&line, word, sizeof(word))) {
		const char *parameter = own_part(word);

		/* If the parameter occurs several times, its last value applies. */
		if (parameter && !strncmp(parameter, CLOCK "=", strlen(CLOCK "=")))
			counts = !strcmp(parameter, CLOCK "=instructions");
	}
	return counts;
}

int boot_read(struct boot_request *request, struct mm_error *err)
{
	char line[CMDLINE_BYTES];

	if (cmdline_read(line))
		return mm_error_set(err, MM_EXIT_ENVIRONMENT,
				    "kernel command line: %s/proc/cmdline: %s", mounts_root(),
				    strerror(errno));
	return boot_parse(line, request, err);
}
