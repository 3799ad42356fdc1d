// SPDX-License-Identifier: LGPL-2.1-only
/* Compares two sets of runs. */
#include "regress/diff.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/compare.h"
#include "reader/report/units.h"
#include "util/hash.h"
#include "util/plural.h"
#include "util/text.h"

static const char *const side_names[REGRESS_SIDES] = { "BASE", "NEW" };

/* A value of one run. Entries are sorted by metric, then by run. */
struct run_value {
	const struct regress_value *value;
	/* label texts; "function" instead of "function+0x12" if the sides have different builds */
	const char *texts[MM_LABELS_MAX];
	size_t run; /* index of the run among the runs of both sides */
};

struct run_values {
	struct run_value *all;
	size_t count;
};

static int __attribute__((format(printf, 2, 3)))
note(struct regress_diff *diff, const char *fmt, ...)
{
	char *text;
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vasprintf(&text, fmt, args);
	va_end(args);
	if (ret < 0)
		return -1;
	ret = mm_strings_add(&diff->notes, &diff->note_count, text);
	free(text);
	return ret;
}

/* Adds a note if a fact differs between the sides. */
static int note_fact(struct regress_diff *diff, const char *what, const char *base, const char *new)
{
	if (!base && !new)
		return 0;
	if (base && new && !strcmp(base, new))
		return 0;
	return note(diff, "The %s differs: %s in BASE, %s in NEW.", what,
		    base ? base : "several or not known", new ? new : "several or not known");
}

static bool counts_instructions(const struct regress_side *side, bool otherwise)
{
	return side->clock ? !strcmp(side->clock, REGRESS_INSTRUCTIONS) : otherwise;
}

/* Adds a note if the times of only one side count instructions. */
static int note_clocks(struct regress_diff *diff)
{
	const bool base = counts_instructions(&diff->sides[REGRESS_BASE], false);
	const bool new = counts_instructions(&diff->sides[REGRESS_NEW], false);

	/* The user may have stated that the clocks of all runs count instructions. */
	return base == new || diff->has_instructions
		       ? 0
		       : note(diff, "Times are not judged: they count instructions in %s only.",
			      side_names[base ? REGRESS_BASE : REGRESS_NEW]);
}

/* Finds the shortest and the longest run of both sides. */
static void find_lengths(const struct regress_side *sides, double *shortest, double *longest)
{
	*shortest = DBL_MAX;
	*longest = 0;
	for (int side = 0; side < REGRESS_SIDES; side++)
		for (size_t i = 0; i < sides[side].count; i++) {
			*shortest = fmin(*shortest, sides[side].lengths_ns[i]);
			*longest = fmax(*longest, sides[side].lengths_ns[i]);
		}
}

static int note_sides(struct regress_diff *diff)
{
	const struct regress_side *base = &diff->sides[REGRESS_BASE];
	const struct regress_side *new = &diff->sides[REGRESS_NEW];
	char texts[2][MM_NUMBER_TEXT];
	double shortest, longest;
	int ret = 0;

	find_lengths(diff->sides, &shortest, &longest);
	diff->have_lengths =
		!(base->is_command && new->is_command) && shortest < (1 - MM_SAME_LENGTH) * longest;
	diff->is_scaled = diff->have_lengths && shortest < (1 - REGRESS_SIMILAR_LENGTH) * longest;
	if (diff->is_scaled) {
		mm_render_ns(texts[0], sizeof(texts[0]), shortest);
		mm_render_ns(texts[1], sizeof(texts[1]), longest);
		ret |= note(
			diff,
			"The runs differ in length (%s to %s): counts and sums are compared per second, and values that depend on the length in another way are not judged.",
			texts[0], texts[1]);
	}
	for (int side = 0; side < REGRESS_SIDES; side++)
		if (diff->sides[side].doubt)
			ret |= note(diff,
				    "Nothing is judged, because a run of %s is incomplete: %s.",
				    side_names[side], diff->sides[side].doubt);
	ret |= note_fact(diff, "kernel", base->kernel, new->kernel);
	ret |= note_fact(diff, "build of the probes", base->probes, new->probes);
	ret |= note_fact(diff, "machine", base->machine, new->machine);
	return ret | note_clocks(diff);
}

/* Adds a note if there are too few runs for a metric. */
static int note_counts(struct regress_diff *diff)
{
	const size_t base = diff->fewest[REGRESS_BASE], new = diff->fewest[REGRESS_NEW];

	if (!base || !new || (base >= REGRESS_BASE_MIN && new >= REGRESS_NEW_MIN))
		return 0;
	if (base == 1 || new == 1)
		return note(diff,
			    "%s has only one run, so a change cannot be distinguished from noise.",
			    base == 1 ? new == 1 ? "Each side" : "BASE" : "NEW");
	return note(
		diff,
		"A verdict needs %d runs of BASE and %d of NEW, but there are %zu and %zu: with fewer runs, differences are too often due to chance.",
		REGRESS_BASE_MIN, REGRESS_NEW_MIN, base, new);
}

bool regress_diff_is_one_build(const struct regress_diff *diff)
{
	const char *base = diff->sides[REGRESS_BASE].kernel, *new = diff->sides[REGRESS_NEW].kernel;

	return base && new && !strcmp(base, new);
}

/* Converts "function+0x12" to "function". @diff owns a shortened text. */
static const char *without_offset(struct regress_diff *diff, const char *text)
{
	const char *plus = strstr(text, "+0x");
	char **names, *name;

	if (!plus)
		return text;
	names = mm_array_grow(diff->names, diff->name_count, &diff->name_room, sizeof(*names));
	if (!names)
		return NULL;
	diff->names = names;
	name = strndup(text, (size_t)(plus - text));
	if (!name)
		return NULL;
	names[diff->name_count++] = name;
	return name;
}

static int compare_texts(const struct run_value *x, const struct run_value *y)
{
	int diff = (x->value->item > y->value->item) - (x->value->item < y->value->item);

	for (size_t k = 0; k < MM_LABELS_MAX && !diff; k++) {
		const char *a = x->value->keys[k], *b = y->value->keys[k];

		if (!a || !b)
			return !b - !a;
		diff = strcmp(a, b);
		if (!diff)
			diff = strcmp(x->texts[k], y->texts[k]);
	}
	return diff;
}

static int compare_entries(const void *a, const void *b)
{
	const struct run_value *x = a, *y = b;
	int diff = compare_texts(x, y);

	return diff ? diff : (x->run > y->run) - (x->run < y->run);
}

/* Lists the values of all runs. Returns 0, or -1 when out of memory. */
static int list_entries(struct regress_diff *diff, struct run_values *entries)
{
	const bool one_build = regress_diff_is_one_build(diff);
	size_t run = 0, count = 0;

	for (int side = 0; side < REGRESS_SIDES; side++)
		for (size_t i = 0; i < diff->sides[side].count; i++)
			count += diff->sides[side].values[i].count;
	entries->all = calloc(count + 1, sizeof(*entries->all));
	if (!entries->all)
		return -1;
	for (int side = 0; side < REGRESS_SIDES; side++)
		for (size_t i = 0; i < diff->sides[side].count; i++, run++)
			for (size_t v = 0; v < diff->sides[side].values[i].count; v++) {
				const struct regress_value *value =
					&diff->sides[side].values[i].all[v];
				struct run_value *entry = &entries->all[entries->count++];

				*entry = (struct run_value){ .value = value, .run = run };
				for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++) {
					entry->texts[k] =
						one_build || value->item->source != MM_ITEM_ROW
							? value->texts[k]
							: without_offset(diff, value->texts[k]);
					if (!entry->texts[k])
						return -1;
				}
			}
	qsort(entries->all, entries->count, sizeof(*entries->all), compare_entries);
	return 0;
}

static const struct regress_bounds unknown = { -INFINITY, INFINITY };

/* Returns the number in @cell, or @otherwise if it is empty. */
static long double number_of(const struct mm_cell *cell, long double otherwise)
{
	return cell->kind == MM_CELL_EMPTY    ? otherwise
	       : cell->kind == MM_CELL_REAL   ? cell->r
	       : cell->kind == MM_CELL_SIGNED ? (long double)cell->i
					      : (long double)cell->u;
}

/* Returns the bounds of a value. A missing bound is infinite. */
static struct regress_bounds bounds_of(const struct regress_value *value)
{
	struct mm_cell low, high;

	regress_value_bounds(value, &low, &high);
	return (struct regress_bounds){ number_of(&low, -INFINITY), number_of(&high, INFINITY) };
}

/* Does any value of the run belong to @item, with whatever labels? */
static bool has_item(const struct regress_values *values, const struct mm_catalogue_item *item)
{
	for (size_t i = 0; i < values->count; i++)
		if (values->all[i].item == item)
			return true;
	return false;
}

/* A metric whose values are being collected. */
struct collected {
	const struct mm_catalogue_item *item;
	const struct run_value *first, *end; /* entries that are not collected yet */
	/* A side without any entry lacks the metric, so its values are not known. */
	bool has_entries[REGRESS_SIDES];
};

/*
 * Returns the value of a run without an entry. If a table lacks the row, the value is 0. If the
 * report has the same count with other labels only, the value is 0, too. All other values are not
 * known.
 */
static struct regress_bounds absent_value(const struct regress_diff *diff,
					  const struct collected *collected, int side, size_t run)
{
	const struct mm_catalogue_item *item = collected->item;
	const struct regress_bounds zero = { 0, 0 };
	const struct regress_side *runs = &diff->sides[side];
	const bool has_report =
		!runs->reports || runs->reports[run] >> regress_schema_find(item->schema->name) & 1;

	if (!has_report)
		return unknown;
	if (item->source == MM_ITEM_ROW)
		return item->scaling == MM_SUM || item->scaling == MM_UNSCALED ? zero : unknown;
	return item->scaling == MM_SUM && collected->has_entries[side] &&
			       has_item(&runs->values[run], item)
		       ? zero
		       : unknown;
}

/* Is the run a single stored report, of an analysis other than the item's? */
static bool is_other_report(const struct regress_side *side, size_t run,
			    const struct mm_catalogue_item *item)
{
	return side->reports && side->are_files[run] &&
	       !(side->reports[run] >> regress_schema_find(item->schema->name) & 1);
}

/*
 * Sets the values of one side. A run can have several entries, if its call sites are in one
 * function: adds them up. @runs_before: number of runs of the side before.
 */
static void fill_side(const struct regress_diff *diff, struct regress_difference *difference,
		      struct collected *collected, int side, size_t runs_before)
{
	const struct mm_catalogue_item *item = collected->item;
	const struct regress_side *runs = &diff->sides[side];
	const bool is_additive = item->scaling == MM_SUM || item->scaling == MM_UNSCALED;

	for (size_t run = 0; run < runs->count; run++) {
		const double length = runs->lengths_ns[run] / 1e9;
		struct regress_bounds value;
		size_t entries = 0;

		difference->values[side][run] = NAN;
		if (is_other_report(runs, run, item))
			continue;
		value = absent_value(diff, collected, side, run);
		for (; collected->first < collected->end &&
		       collected->first->run == runs_before + run;
		     collected->first++) {
			const struct regress_bounds more = bounds_of(collected->first->value);

			if (entries++) {
				value.low = is_additive ? value.low + more.low : -INFINITY;
				value.high = is_additive ? value.high + more.high : INFINITY;
			} else {
				value = more;
			}
		}
		if (difference->is_scaled && !(length > 0))
			value = unknown;
		/* If a value has two bounds, show the upper bound, like the report. */
		if (isfinite(value.low) && isfinite(value.high))
			difference->values[side][run] =
				(double)(difference->is_scaled ? value.high / length : value.high);
		difference->bounds[side][difference->counts[side]] = value;
		difference->lengths[side][difference->counts[side]++] = length > 0 ? length : 1;
	}
}

/* Sets the values of a metric from its entries. */
static void fill(const struct regress_diff *diff, struct regress_difference *difference,
		 const struct run_value *first, const struct run_value *end)
{
	const size_t base = diff->sides[REGRESS_BASE].count;
	struct collected collected = {
		.item = first->value->item,
		.first = first,
		.end = end,
		.has_entries = { first->run < base, end[-1].run >= base },
	};

	fill_side(diff, difference, &collected, REGRESS_BASE, 0);
	fill_side(diff, difference, &collected, REGRESS_NEW, base);
	if (difference->value.item->source == MM_ITEM_ROW)
		return;
	if (!collected.has_entries[REGRESS_BASE])
		difference->reason = "only in NEW";
	else if (!collected.has_entries[REGRESS_NEW])
		difference->reason = "only in BASE";
}

/* Adds the metric of the entries from @first to @end. Returns 0, or -1 when out of memory. */
static int add(struct regress_diff *diff, const struct run_value *first,
	       const struct run_value *end)
{
	const struct mm_catalogue_item *item = first->value->item;
	struct regress_difference *all, *difference;

	all = mm_array_grow(diff->all, diff->count, &diff->room, sizeof(*all));
	if (!all)
		return -1;
	diff->all = all;
	difference = &all[diff->count++];
	*difference = (struct regress_difference){ .value = *first->value };
	for (size_t k = 0; k < MM_LABELS_MAX; k++)
		difference->value.texts[k] = (char *)first->texts[k];
	difference->is_scaled = diff->is_scaled && item->scaling == MM_SUM;
	for (int side = 0; side < REGRESS_SIDES; side++) {
		difference->values[side] =
			calloc(diff->sides[side].count + 1, sizeof(*difference->values[side]));
		difference->bounds[side] =
			calloc(diff->sides[side].count + 1, sizeof(*difference->bounds[side]));
		difference->lengths[side] =
			calloc(diff->sides[side].count + 1, sizeof(*difference->lengths[side]));
		if (!difference->values[side] || !difference->bounds[side] ||
		    !difference->lengths[side])
			return -1;
	}
	fill(diff, difference, first, end);
	regress_diff_judge(diff, difference);
	return 0;
}

/* Removes the last difference, and frees its memory. */
static void drop_last(struct regress_diff *diff)
{
	struct regress_difference *last = &diff->all[--diff->count];

	for (int side = 0; side < REGRESS_SIDES; side++) {
		free(last->values[side]);
		free(last->bounds[side]);
		free(last->lengths[side]);
	}
}

/*
 * Is a row listed? The rules are the same as for metrics that are "worse" or "better", but fewer
 * runs suffice. With one run, only the size of the difference decides.
 */
static bool is_listed(const struct regress_difference *row)
{
	const double change = fabs(row->medians[1] - row->medians[0]);

	if (row->value.item->direction == MM_NEUTRAL || isnan(row->change))
		return false;
	if (row->reason && strcmp(row->reason, "one run") != 0)
		return false;
	switch (row->verdict) {
	case REGRESS_WORSE:
	case REGRESS_MAYBE_WORSE:
	case REGRESS_BETTER:
	case REGRESS_MAYBE_BETTER:
		return true;
	case REGRESS_UNDETERMINED:
		return change >= MM_LEAST_UNITS &&
		       change >= MM_LEAST_PART * fmax(fabs(row->medians[0]), fabs(row->medians[1]));
	default:
		return false;
	}
}

/* Returns the rank of a row's unit: bytes, then counts. */
static int group_of(const struct regress_difference *row)
{
	return !strcmp(row->value.item->unit, MM_UNIT_BYTES) ? 0 : 1;
}

static int compare_names(const struct regress_difference *x, const struct regress_difference *y)
{
	return regress_values_compare(&x->value, &y->value);
}

/* Declared metrics come before rows. Metrics: worst verdict first, then the largest change. */
static int compare_differences(const void *a, const void *b)
{
	const struct regress_difference *x = a, *y = b;
	const bool x_is_row = x->value.item->source == MM_ITEM_ROW;
	const bool y_is_row = y->value.item->source == MM_ITEM_ROW;
	double sizes[2];

	if (x_is_row != y_is_row)
		return x_is_row - y_is_row;
	if (x->verdict != y->verdict && !x_is_row)
		return (int)x->verdict - (int)y->verdict;
	if (x_is_row) {
		const bool grows[2] = { x->change > 0, y->change > 0 };

		if (grows[0] != grows[1])
			return grows[1] - grows[0];
		if (group_of(x) != group_of(y))
			return group_of(x) - group_of(y);
		sizes[0] = fabs(x->medians[1] - x->medians[0]);
		sizes[1] = fabs(y->medians[1] - y->medians[0]);
	} else {
		sizes[0] = isnan(x->change) ? -1 : fabs(x->change);
		sizes[1] = isnan(y->change) ? -1 : fabs(y->change);
	}
	if (sizes[0] != sizes[1])
		return sizes[0] < sizes[1] ? 1 : -1;
	return compare_names(x, y);
}

/* Counts a declared metric. */
static void count_metric(struct regress_diff *diff, const struct regress_difference *metric)
{
	diff->metric_count++;
	diff->counts[metric->verdict]++;
	/* Without a direction, a metric cannot be worse. */
	diff->undecided += metric->verdict == REGRESS_UNDETERMINED &&
			   metric->value.item->direction != MM_NEUTRAL;
	for (int side = 0; side < REGRESS_SIDES; side++)
		if (metric->counts[side] < diff->fewest[side])
			diff->fewest[side] = metric->counts[side];
}

int regress_diff(struct regress_diff *diff, const struct regress_side sides[REGRESS_SIDES],
		 bool has_instructions, struct mm_error *err)
{
	struct run_values entries = { NULL };
	int ret;

	*diff = (struct regress_diff){
		.sides = sides,
		.has_instructions = counts_instructions(&sides[REGRESS_BASE], has_instructions) &&
				    counts_instructions(&sides[REGRESS_NEW], has_instructions),
		.fewest = { sides[REGRESS_BASE].count, sides[REGRESS_NEW].count },
	};
	ret = note_sides(diff) || list_entries(diff, &entries) ? -1 : 0;
	for (size_t first = 0, next; !ret && first < entries.count; first = next) {
		const struct mm_catalogue_item *item = entries.all[first].value->item;

		for (next = first + 1; next < entries.count &&
				       !compare_texts(&entries.all[first], &entries.all[next]);)
			next++;
		/*
		 * Do not compare coverage values. Losses are reported as an incomplete run instead.
		 */
		if (item->source == MM_ITEM_TRACE)
			continue;
		ret = add(diff, &entries.all[first], &entries.all[next]);
		if (ret)
			break;
		if (item->source == MM_ITEM_METRIC)
			count_metric(diff, &diff->all[diff->count - 1]);
		else if (!is_listed(&diff->all[diff->count - 1]))
			drop_last(diff);
	}
	if (!ret)
		ret = note_counts(diff);
	if (diff->count)
		qsort(diff->all, diff->count, sizeof(*diff->all), compare_differences);
	free(entries.all);
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "diff: out of memory") : 0;
}

/* Returns the verdict of the same metric in another comparison. */
static enum regress_verdict find_verdict(const struct regress_diff *diff,
					 const struct regress_value *value)
{
	for (size_t i = 0; i < diff->count; i++)
		if (!regress_values_compare(&diff->all[i].value, value))
			return diff->all[i].verdict;
	return REGRESS_UNDETERMINED;
}

void regress_diff_confirm(struct regress_diff *diff, const struct regress_diff *again)
{
	for (size_t i = 0; i < diff->metric_count; i++) {
		struct regress_difference *metric = &diff->all[i];
		enum regress_verdict fresh;

		if (metric->verdict != REGRESS_WORSE)
			continue;
		fresh = find_verdict(again, &metric->value);
		if (fresh == REGRESS_WORSE)
			continue;
		metric->verdict = REGRESS_MAYBE_WORSE;
		metric->reason = "not confirmed";
		diff->counts[REGRESS_WORSE]--;
		diff->counts[REGRESS_MAYBE_WORSE]++;
		/* Count the metric as undecided if the fresh runs are incomplete or too few. */
		diff->undecided += again->sides[REGRESS_NEW].doubt || fresh == REGRESS_SHOWN ||
				   fresh == REGRESS_UNDETERMINED || fresh == REGRESS_MAYBE_WORSE;
	}
	if (diff->count)
		qsort(diff->all, diff->count, sizeof(*diff->all), compare_differences);
}

void regress_diff_release(struct regress_diff *diff)
{
	while (diff->count)
		drop_last(diff);
	free(diff->all);
	mm_strings_release(diff->notes, diff->note_count);
	mm_strings_release(diff->names, diff->name_count);
	*diff = (struct regress_diff){ NULL };
}

int regress_diff_status(const struct regress_diff *diff)
{
	const struct regress_side *sides = diff->sides;

	if (diff->counts[REGRESS_WORSE])
		return MM_EXIT_FAILED;
	if (diff->undecided || sides[REGRESS_BASE].doubt || sides[REGRESS_NEW].doubt ||
	    diff->fewest[REGRESS_BASE] < REGRESS_BASE_MIN ||
	    diff->fewest[REGRESS_NEW] < REGRESS_NEW_MIN)
		return MM_EXIT_INCOMPLETE;
	return MM_EXIT_OK;
}
