// SPDX-License-Identifier: LGPL-2.1-only
/* Finds the known names that are most similar to an unknown one. */
#include "util/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_MAX 64

static unsigned int least(unsigned int x, unsigned int y)
{
	return x < y ? x : y;
}

/* Computes the optimal string alignment distance. */
unsigned int mm_edit_distance(const char *a, const char *b)
{
	unsigned int rows[3][LENGTH_MAX + 1], *row = rows[0], *last = rows[1], *before = rows[2];
	size_t width = strnlen(b, LENGTH_MAX);

	for (size_t j = 0; j <= width; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 0; a[i] && i < LENGTH_MAX; i++) {
		unsigned int *oldest = before;

		before = last;
		last = row;
		row = oldest;
		row[0] = (unsigned int)i + 1;
		for (size_t j = 0; j < width; j++) {
			row[j + 1] =
				least(last[j] + (a[i] != b[j]), least(last[j + 1], row[j]) + 1);
			if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j])
				row[j + 1] = least(row[j + 1], before[j - 1] + 1);
		}
	}
	return row[width];
}

/*
 * Returns twice the edit distance minus the length of the common prefix. Names with the same first
 * letters are therefore more similar.
 */
static int distance(const char *wanted, const char *name)
{
	int far = 2 * (int)mm_edit_distance(wanted, name);

	for (; *wanted && *wanted == *name; wanted++, name++)
		far--;
	return far;
}

void mm_nearest_offer(struct mm_nearest *nearest, const char *name)
{
	int far = distance(nearest->wanted, name);
	size_t at = nearest->count;

	for (size_t i = 0; i < nearest->count; i++)
		if (!strcmp(nearest->best[i].name, name))
			return;
	while (at > 0 && far < nearest->best[at - 1].far)
		at--;
	if (at == MM_NEAREST_MAX)
		return;
	if (nearest->count < MM_NEAREST_MAX)
		nearest->count++;
	memmove(&nearest->best[at + 1], &nearest->best[at],
		(nearest->count - at - 1) * sizeof(nearest->best[0]));
	nearest->best[at].name = name;
	nearest->best[at].far = far;
}

const char *mm_nearest_list(const struct mm_nearest *nearest, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < nearest->count && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "",
					   nearest->best[i].name);
	return text;
}

/*
 * Could the user have meant @name? Accepts one typing error per three characters, and a name that
 * starts with @wanted.
 */
static bool may_be_meant(const char *wanted, const char *name)
{
	size_t length = strlen(wanted);

	return mm_edit_distance(wanted, name) <= (length + 1) / 3 ||
	       (length > 1 && !strncmp(wanted, name, length));
}

/* Are the first two thirds of @name also the start of @wanted, as in `dax` and `dacks`? */
static bool sounds_alike(const char *wanted, const char *name)
{
	size_t alike = 0, length = strlen(name);

	while (wanted[alike] && wanted[alike] == name[alike])
		alike++;
	return alike > 1 && 3 * alike >= 2 * length && strlen(wanted) < 2 * length;
}

const char *mm_nearest_hint(const struct mm_nearest *nearest, char *text, size_t size)
{
	size_t length = 0, meant[MM_NEAREST_MAX], count = 0;

	text[0] = '\0';
	for (size_t i = 0; i < nearest->count; i++)
		if (may_be_meant(nearest->wanted, nearest->best[i].name))
			meant[count++] = i;
	for (size_t i = 0; i < nearest->count && !count; i++)
		if (sounds_alike(nearest->wanted, nearest->best[i].name))
			meant[count++] = i;
	for (size_t i = 0; i < count && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s'%s'%s",
					   !i		    ? "; did you mean "
					   : i + 1 == count ? " or "
							    : ", ",
					   nearest->best[meant[i]].name, i + 1 == count ? "?" : "");
	return text;
}
