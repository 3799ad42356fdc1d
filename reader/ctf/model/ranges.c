// SPDX-License-Identifier: LGPL-2.1-only
// Sorts the ranges of labels and options, to avoid a linear search for each value.

#include <stdlib.h>

#include "reader/ctf/model/finish.h"

/*
 * With at most this number of ranges, a linear search is faster. (If ranges overlap, it finds the
 * first match.)
 */
#define FEW 16

static int compare(const void *a, const void *b)
{
	const struct ctf_choice *x = a, *y = b;

	return (x->lower > y->lower) - (x->lower < y->lower);
}

static size_t fill(struct ctf_choice *to, const struct ctf_range *ranges, size_t count,
		   uint32_t member, uint64_t bias)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (struct ctf_choice){ .lower = ranges[i].lower.u ^ bias,
					     .upper = ranges[i].upper.u ^ bias,
					     .member = member };
	return count;
}

static bool overlap(struct ctf_choice *choices, size_t count)
{
	qsort(choices, count, sizeof(*choices), compare);
	for (size_t i = 1; i < count; i++)
		if (choices[i].lower <= choices[i - 1].upper)
			return true;
	return false;
}

static int too_many(struct ctf_finish *f, const char *what)
{
	return ctf_finish_fail(f, "more than %u overlapping ranges of %s, which are not supported",
			       CTF_RANGES_MAX, what);
}

int ctf_finish_choices(struct ctf_finish *f, struct ctf_field *variant)
{
	struct ctf_choice *choices;
	size_t count = 0, i;

	if (variant->range_count > CTF_RANGES_MAX)
		return ctf_finish_fail(f,
				       "more than %u ranges of an option, which are not supported",
				       CTF_RANGES_MAX);
	for (i = 0; i < variant->member_count; i++)
		count += variant->members[i].range_count;
	if (count <= FEW || variant->kind != CTF_VARIANT)
		return 0;
	choices = calloc(count, sizeof(*choices));
	if (!choices)
		return ctf_finish_no_memory(f);
	count = 0;
	for (i = 0; i < variant->member_count; i++)
		count += fill(choices + count, variant->members[i].ranges,
			      variant->members[i].range_count, (uint32_t)i,
			      variant->ref_signed ? UINT64_C(1) << 63 : 0);
	if (!overlap(choices, count)) {
		variant->choices = choices;
		variant->choice_count = count;
		return 0;
	}
	free(choices);
	return count > CTF_RANGES_MAX ? too_many(f, "options") : 0;
}

int ctf_finish_labels(struct ctf_finish *f, const struct ctf_field *field)
{
	struct ctf_choice *choices;
	size_t count = 0, i;
	bool mixed;

	for (i = 0; i < field->mapping_count; i++)
		count += field->mappings[i].range_count;
	if (count <= CTF_RANGES_MAX)
		return 0;
	choices = calloc(count, sizeof(*choices));
	if (!choices)
		return ctf_finish_no_memory(f);
	count = 0;
	for (i = 0; i < field->mapping_count; i++)
		count += fill(choices + count, field->mappings[i].ranges,
			      field->mappings[i].range_count, (uint32_t)i,
			      ctf_is_signed(field) ? UINT64_C(1) << 63 : 0);
	mixed = overlap(choices, count);
	free(choices);
	return mixed || field->kind == CTF_BITMAP ? too_many(f, "labels") : 0;
}
