// SPDX-License-Identifier: LGPL-2.1-only
/* The list of all subsystems. */
#include "analysis/registry/registry.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"

#define DECLARE(id, name) extern const struct mm_subsystem mm_##id##_subsystem;
#define ENTRY(id, name) &mm_##id##_subsystem,

MM_SUBSYSTEMS(DECLARE)

/* Weak, so that a test can define its own list. */
__attribute__((weak)) const struct mm_subsystem *const mm_subsystems[] = {
	MM_SUBSYSTEMS(ENTRY) NULL,
};

_Static_assert(sizeof(mm_subsystems) / sizeof(*mm_subsystems) - 1 <= MM_SUBSYSTEMS_MAX,
	       "increase MM_SUBSYSTEMS_MAX");

const struct mm_subsystem *mm_subsystem_find(const char *name)
{
	for (size_t i = 0; mm_subsystems[i]; i++)
		if (!strcmp(mm_subsystems[i]->name, name))
			return mm_subsystems[i];
	return NULL;
}

const struct mm_analysis *mm_analysis_find(const char *name)
{
	const struct mm_subsystem *subsystem = mm_subsystem_find(name);

	return subsystem ? subsystem->analysis : NULL;
}

const struct mm_analysis *mm_analysis_at(size_t number)
{
	for (size_t i = 0; mm_subsystems[i]; i++)
		if (mm_subsystems[i]->analysis && !number--)
			return mm_subsystems[i]->analysis;
	return NULL;
}

const struct mm_rules *mm_rules_at(size_t number)
{
	for (size_t i = 0; mm_subsystems[i]; i++)
		if (mm_subsystems[i]->rules && !number--)
			return mm_subsystems[i]->rules;
	return NULL;
}

const struct mm_requirement *mm_requirement_find(const char *name)
{
	for (size_t i = 0; mm_subsystems[i]; i++) {
		const struct mm_requirement *requirement = mm_subsystems[i]->requirement;

		if (requirement && !strcmp(requirement->name, name))
			return requirement;
	}
	return NULL;
}

const char *mm_requirement_names(void)
{
	static char names[MM_SUBSYSTEMS_MAX * 32];

	names[0] = '\0';
	for (size_t i = 0; mm_subsystems[i]; i++)
		if (mm_subsystems[i]->requirement)
			mm_words_add(names, sizeof(names), mm_subsystems[i]->requirement->name);
	return names;
}

const char *mm_profile_example(void)
{
	for (size_t i = 0; mm_subsystems[i]; i++)
		if (mm_subsystems[i]->profile)
			return mm_subsystems[i]->profile;
	return "PROFILE";
}

const struct mm_sysinfo_part *mm_sysinfo_part_at(size_t number)
{
	for (size_t i = 0; mm_subsystems[i]; i++) {
		const struct mm_sysinfo_part *part = mm_subsystems[i]->parts;

		for (; part && part->name; part++)
			if (!number--)
				return part;
	}
	return NULL;
}

const struct mm_event_text *mm_event_text_find(const char *event)
{
	const struct mm_event_text *text = NULL;

	for (size_t i = 0; mm_subsystems[i] && !text; i++)
		text = mm_event_text_search(mm_subsystems[i]->texts, event);
	return text;
}

const char *mm_subsystem_names(void)
{
	static char names[MM_SUBSYSTEMS_MAX * 32];
	size_t length = 0;

	names[0] = '\0';
	for (size_t i = 0; mm_subsystems[i] && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
					   i ? ", " : "", mm_subsystems[i]->name);
	return names;
}
