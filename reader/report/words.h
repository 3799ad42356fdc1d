/* SPDX-License-Identifier: LGPL-2.1-only */
/* Words for kinds, directions and scalings, used in the JSON form and in doc/metrics.md. */
#ifndef LTTNG_MM_REPORT_WORDS_H
#define LTTNG_MM_REPORT_WORDS_H

#include "reader/report/schema.h"

static inline const char *mm_value_word(enum mm_value_kind kind)
{
	static const char *const words[] = {
		[MM_VALUE_INTEGER] = "integer", [MM_VALUE_HEX] = "integer",
		[MM_VALUE_REAL] = "real",	[MM_VALUE_BOOLEAN] = "boolean",
		[MM_VALUE_TEXT] = "text",	[MM_VALUE_LIST] = "list",
	};

	return words[kind];
}

static inline const char *mm_direction_word(enum mm_direction direction)
{
	static const char *const words[] = {
		[MM_NEUTRAL] = "neutral",
		[MM_LESS_IS_BETTER] = "less-is-better",
		[MM_MORE_IS_BETTER] = "more-is-better",
	};

	return words[direction];
}

static inline const char *mm_scaling_word(enum mm_scaling scaling)
{
	static const char *const words[] = {
		[MM_UNSCALED] = "none",
		[MM_SUM] = "sum",
		[MM_STEADY] = "steady",
		[MM_MAXIMUM] = "none",
	};

	return words[scaling];
}

#endif /* LTTNG_MM_REPORT_WORDS_H */
