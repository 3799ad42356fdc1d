// SPDX-License-Identifier: LGPL-2.1-only
/* The analyses and the sets of rules that there are. */
#include "analysis/registry/registry.h"

#include <string.h>

#define DECLARE(id, name) extern const struct mm_analysis mm_##id##_analysis;
#define ENTRY(id, name) &mm_##id##_analysis,

MM_ANALYSES(DECLARE)

const struct mm_analysis *const mm_analyses[] = {
	MM_ANALYSES(ENTRY) NULL,
};

#define DECLARE_RULES(id) extern const struct mm_rules mm_##id##_rules;
#define RULES_ENTRY(id) &mm_##id##_rules,

MM_RULES(DECLARE_RULES)

const struct mm_rules *const mm_rules_sets[MM_RULES_COUNT] = { MM_RULES(RULES_ENTRY) };

const struct mm_analysis *mm_analysis_find(const char *name)
{
	for (size_t i = 0; mm_analyses[i]; i++)
		if (!strcmp(mm_analyses[i]->name, name))
			return mm_analyses[i];
	return NULL;
}
