/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finds the known names that are most similar to a name that is not known, for messages:
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

/* Set @wanted, and leave the rest 0. */
struct mm_nearest {
	const char *wanted;
	struct {
		const char *name;
		int far;
	} best[MM_NEAREST_MAX]; /* the most similar first */
	size_t count;
};

/*
 * Number of edits that turn @a into @b: a character is inserted, removed or changed, or two
 * neighbours change places. Names are compared up to 64 bytes.
 */
unsigned int mm_edit_distance(const char *a, const char *b);

/* Considers a known name, which must outlive @nearest. Of equally similar ones, the first stays. */
void mm_nearest_offer(struct mm_nearest *nearest, const char *name);

/* Writes the names, whether similar or not, as `a, b, c`. Returns @text. */
const char *mm_nearest_list(const struct mm_nearest *nearest, char *text, size_t size);

/*
 * Writes `; did you mean 'a' or 'b'?` with the names that may be meant: those that differ in few
 * characters, or that @wanted is the start of. Empty if there are none. Returns @text.
 */
const char *mm_nearest_hint(const struct mm_nearest *nearest, char *text, size_t size);

#endif /* LTTNG_MM_UTIL_NEAREST_H */
