// SPDX-License-Identifier: LGPL-2.1-only
/* The lines of a time line. */
#include "analysis/why/lines.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

void why_lines_release(struct why_lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		free(lines->all[i].text);
	free(lines->all);
	*lines = (struct why_lines){ .max = lines->max };
}

/* Orders the heap. Returns true if @a is dropped before @b. */
static bool is_less(const struct why_line *a, const struct why_line *b)
{
	if (a->duration_ns != b->duration_ns)
		return a->duration_ns < b->duration_ns;
	return a->serial > b->serial;
}

bool why_lines_would_keep(struct why_lines *lines, uint64_t duration_ns, uint64_t serial)
{
	const struct why_line line = { .duration_ns = duration_ns, .serial = serial };

	if (lines->count < lines->max || (lines->max && is_less(&lines->all[0], &line)))
		return true;
	lines->left_out++;
	return false;
}

static void swap(struct why_lines *lines, uint32_t a, uint32_t b)
{
	struct why_line kept = lines->all[a];

	lines->all[a] = lines->all[b];
	lines->all[b] = kept;
}

static void replace_root(struct why_lines *lines, const struct why_line *line)
{
	uint32_t at = 0, next;

	free(lines->all[0].text);
	lines->all[0] = *line;
	lines->left_out++;
	while ((next = 2 * at + 1) < lines->count) {
		next += next + 1 < lines->count &&
			is_less(&lines->all[next + 1], &lines->all[next]);
		if (!is_less(&lines->all[next], &lines->all[at]))
			break;
		swap(lines, at, next);
		at = next;
	}
}

int why_lines_add(struct why_lines *lines, const struct why_line *line, const char *text)
{
	struct why_line made = *line, *grown;
	uint32_t at = lines->count;

	made.text = strndup(text, WHY_LINE_TEXT);
	if (!made.text)
		return -1;
	if (lines->count == lines->max) {
		replace_root(lines, &made);
		return 0;
	}
	grown = mm_array_grow(lines->all, lines->count, &lines->room, sizeof(*grown));
	if (!grown) {
		free(made.text);
		return -1;
	}
	lines->all = grown;
	grown[lines->count++] = made;
	for (; at && is_less(&lines->all[at], &lines->all[(at - 1) / 2]); at = (at - 1) / 2)
		swap(lines, at, (at - 1) / 2);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct why_line *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->first != UINT64_MAX && y->first != UINT64_MAX && x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->duration_ns != y->duration_ns)
		return x->duration_ns > y->duration_ns ? -1 : 1;
	/* If two calls have equal times, the call with the later end event is the caller. */
	return x->serial > y->serial ? -1 : x->serial < y->serial;
}

void why_lines_sort(struct why_lines *lines)
{
	if (lines->count)
		qsort(lines->all, lines->count, sizeof(*lines->all), compare);
}
