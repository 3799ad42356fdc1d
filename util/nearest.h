/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds the known names that are most similar to an unknown name, for messages:
 *
 *	struct mm_nearest nearest = { .wanted = name };
 *
 *	for each known name
 *		mm_nearest_offer(&nearest, known);
 *	mm_error_set(err, ..., "unknown profile '%s'%s", name,
 *		     mm_nearest_hint(&nearest, text, sizeof(text)));
 */
#ifndef LTTNG_MM_UTIL_NEAREST_H
#define LTTNG_MM_UTIL_NEAREST_H

#include <stddef.h>

#define MM_NEAREST_MAX 3
#define MM_NEAREST_TEXT 256

/* The names that are most similar to @wanted. Initialize @wanted, and all other members with 0. */
struct mm_nearest {
	const char *wanted;
	struct {
		const char *name;
		int far;
	} best[MM_NEAREST_MAX]; /* most similar first */
	size_t count;
};

/*
 * Returns the number of edits that turn @a into @b. An edit inserts, removes or changes a
 * character, or swaps two neighbours. Compares at most 64 bytes of each name.
 */
unsigned int mm_edit_distance(const char *a, const char *b);

/*
 * Considers a known name, which must outlive @nearest. Among equally similar names, the first one
 * has priority.
 */
void mm_nearest_offer(struct mm_nearest *nearest, const char *name);

/* Lists the most similar names, even if they are not very similar, as `a, b, c`. Returns @text. */
const char *mm_nearest_list(const struct mm_nearest *nearest, char *text, size_t size);

/*
 * Writes `; did you mean 'a' or 'b'?` with the names that the user may have meant. These names
 * differ from @wanted in few characters, or start with @wanted. If there are none, writes names
 * whose first two thirds are the start of @wanted. If there are none, either, writes an empty
 * string. Returns @text.
 */
const char *mm_nearest_hint(const struct mm_nearest *nearest, char *text, size_t size);

#endif /* LTTNG_MM_UTIL_NEAREST_H */
