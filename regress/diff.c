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
	/* label texts; those of call sites lack offsets if they match by function */
	const char *texts[MM_LABELS_MAX];
	size_t run; /* counted over both sides */
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

/* Notes that a fact differs between the sides. */
static int note_fact(struct regress_diff *diff, const char *what, const char *base, const char *new)
{
	if (!base && !new)
		return 0;
	if (base && new && !strcmp(base, new))
		return 0;
	return note(diff, "The %s differs: %s in BASE, %s in NEW.", what,
		    base ? base : "several or not known", new ? new : "several or not known");
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
	diff->is_scaled =
		!(base->is_command && new->is_command) && shortest < (1 - MM_SAME_LENGTH) * longest;
	if (diff->is_scaled) {
		mm_render_ns(texts[0], sizeof(texts[0]), shortest);
		mm_render_ns(texts[1], sizeof(texts[1]), longest);
		ret |= note(
			diff,
			"The runs differ in length (%s to %s): counts and sums are compared per second, and values that depend on the length otherwise are not judged.",
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
	if (base->count == 1 || new->count == 1)
		ret |= note(diff, "%s has one run: noise cannot be told apart.",
			    base->count == 1 ? new->count == 1 ? "Each side" : "BASE" : "NEW");
	else if (base->count < REGRESS_BASE_MIN || new->count < REGRESS_NEW_MIN)
		ret |= note(
			diff,
			"A verdict needs %d runs of BASE and %d of NEW, and there are %zu and %zu: fewer differ by chance too often.",
			REGRESS_BASE_MIN, REGRESS_NEW_MIN, base->count, new->count);
	return ret;
}

/* Do both sides have code of the same build, so that offsets in functions are the same? */
static bool is_one_build(const struct regress_diff *diff)
{
	const char *base = diff->sides[REGRESS_BASE].kernel, *new = diff->sides[REGRESS_NEW].kernel;

	return base && new && !strcmp(base, new);
}

/* Returns @text without the offset of "function+0x12", owned by @diff. */
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
	const bool one_build = is_one_build(diff);
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

/* Returns the value of an entry, per second if @scaled. NAN: not known, or only a bound. */
static double number_of(const struct regress_value *value, bool scaled, double length_ns)
{
	if (value->figure.cell.kind == MM_CELL_EMPTY || value->figure.cell.least)
		return NAN;
	if (!scaled)
		return regress_value_number(value);
	return length_ns > 0 ? regress_value_number(value) * 1e9 / length_ns : NAN;
}

/* Returns the length of a run, counted over both sides. */
static double length_of(const struct regress_diff *diff, size_t run)
{
	const size_t base = diff->sides[REGRESS_BASE].count;

	return run < base ? diff->sides[REGRESS_BASE].lengths_ns[run]
			  : diff->sides[REGRESS_NEW].lengths_ns[run - base];
}

/*
 * Sets the values of a metric from its entries. In a run without an entry, a sum and a row are 0,
 * and other metrics are not known. Entries of one run, whose call sites have one function, are
 * added up.
 */
static void fill(const struct regress_diff *diff, struct regress_difference *difference,
		 const struct run_value *first, const struct run_value *end)
{
	const struct mm_catalogue_item *item = first->value->item;
	const size_t base = diff->sides[REGRESS_BASE].count;
	const size_t count = base + diff->sides[REGRESS_NEW].count;
	const bool is_additive = item->scaling == MM_SUM || item->scaling == MM_UNSCALED;
	const double absent =
		item->scaling == MM_SUM || (item->source == MM_ITEM_ROW && is_additive) ? 0 : NAN;

	for (size_t run = 0; run < count; run++) {
		double *to = run < base ? &difference->values[REGRESS_BASE][run]
					: &difference->values[REGRESS_NEW][run - base];
		const struct run_value *one = first;

		*to = absent;
		for (; first < end && first->run == run; first++) {
			const double number = number_of(first->value, difference->is_scaled,
							length_of(diff, run));

			*to = first == one ? number : is_additive ? *to + number : NAN;
		}
	}
}

/* Returns the median of the known values; NAN: there are none. */
static double known_median(const double *values, size_t count)
{
	double *known = malloc((count + 1) * sizeof(*known)), median = NAN;
	size_t known_count = 0;

	for (size_t i = 0; known && i < count; i++)
		if (!isnan(values[i]))
			known[known_count++] = values[i];
	if (known_count)
		median = regress_median(known, known_count);
	free(known);
	return median;
}

static bool are_known(const struct regress_diff *diff, const struct regress_difference *difference)
{
	for (int side = 0; side < REGRESS_SIDES; side++)
		for (size_t i = 0; i < diff->sides[side].count; i++)
			if (isnan(difference->values[side][i]))
				return false;
	return true;
}

/* Returns why the metric cannot be judged, or NULL. Sets @verdict then. */
static const char *find_obstacle(const struct regress_diff *diff,
				 const struct regress_difference *difference,
				 enum regress_verdict *verdict)
{
	const struct mm_catalogue_item *item = difference->value.item;
	const bool is_time = !strcmp(item->unit, MM_UNIT_NS);

	*verdict = REGRESS_SHOWN;
	if (is_time && !diff->has_instructions)
		return "time";
	if (diff->is_scaled && (item->scaling == MM_UNSCALED || item->scaling == MM_MAXIMUM))
		return "length";
	*verdict = REGRESS_UNDETERMINED;
	if (!are_known(diff, difference))
		return "not known";
	if (diff->sides[REGRESS_BASE].doubt || diff->sides[REGRESS_NEW].doubt)
		return "incomplete";
	if (diff->sides[REGRESS_BASE].count == 1 || diff->sides[REGRESS_NEW].count == 1)
		return "one run";
	return NULL;
}

static void judge(const struct regress_diff *diff, struct regress_difference *difference)
{
	const struct mm_catalogue_item *item = difference->value.item;
	const struct regress_samples samples = {
		.values = { difference->values[REGRESS_BASE], difference->values[REGRESS_NEW] },
		.counts = { diff->sides[REGRESS_BASE].count, diff->sides[REGRESS_NEW].count },
		.direction = item->direction,
		.is_count = item->kind == MM_VALUE_INTEGER && !mm_unit_is_measure(item->unit) &&
			    !difference->is_scaled,
	};
	enum regress_verdict obstacle;
	double *medians = difference->medians;

	difference->verdict =
		are_known(diff, difference) ? regress_judge(&samples) : REGRESS_UNDETERMINED;
	difference->is_beyond = difference->verdict < REGRESS_SHOWN;
	if (difference->verdict != REGRESS_SAME) {
		difference->reason = find_obstacle(diff, difference, &obstacle);
		if (difference->reason)
			difference->verdict = obstacle;
	}
	for (int side = 0; side < REGRESS_SIDES; side++)
		medians[side] = known_median(difference->values[side], diff->sides[side].count);
	difference->change = medians[0] != 0   ? (medians[1] - medians[0]) / fabs(medians[0])
			     : medians[1] == 0 ? 0
					       : copysign(INFINITY, medians[1]);
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
		if (!difference->values[side])
			return -1;
	}
	fill(diff, difference, first, end);
	judge(diff, difference);
	return 0;
}

/* Is the metric not known in any run? */
static bool is_unknown(const struct regress_difference *difference)
{
	return isnan(difference->medians[REGRESS_BASE]) && isnan(difference->medians[REGRESS_NEW]);
}

/* Frees a difference that is not to be listed. */
static void drop_last(struct regress_diff *diff)
{
	struct regress_difference *last = &diff->all[--diff->count];

	for (int side = 0; side < REGRESS_SIDES; side++)
		free(last->values[side]);
}

/*
 * Is a row to be listed? All new runs must be beyond all base runs, and the median must differ as a
 * metric's does. With one run, the difference itself decides.
 */
static bool is_listed(const struct regress_difference *row)
{
	const double change = fabs(row->medians[1] - row->medians[0]);

	if (row->value.item->direction == MM_NEUTRAL || isnan(row->change))
		return false;
	if (row->reason && strcmp(row->reason, "one run") != 0 &&
	    strcmp(row->reason, "incomplete") != 0)
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

int regress_diff(struct regress_diff *diff, const struct regress_side sides[REGRESS_SIDES],
		 bool has_instructions, struct mm_error *err)
{
	struct run_values entries = { NULL };
	int ret;

	*diff = (struct regress_diff){ .sides = sides, .has_instructions = has_instructions };
	ret = note_sides(diff) || list_entries(diff, &entries) ? -1 : 0;
	for (size_t first = 0, next; !ret && first < entries.count; first = next) {
		const struct mm_catalogue_item *item = entries.all[first].value->item;

		for (next = first + 1; next < entries.count &&
				       !compare_texts(&entries.all[first], &entries.all[next]);)
			next++;
		/* The coverage is not compared: losses make a run incomplete. */
		if (item->source == MM_ITEM_TRACE)
			continue;
		ret = add(diff, &entries.all[first], &entries.all[next]);
		if (ret)
			break;
		if (is_unknown(&diff->all[diff->count - 1])) {
			drop_last(diff);
		} else if (item->source == MM_ITEM_METRIC) {
			diff->metric_count++;
			diff->counts[diff->all[diff->count - 1].verdict]++;
		} else if (!is_listed(&diff->all[diff->count - 1])) {
			drop_last(diff);
		}
	}
	if (diff->count)
		qsort(diff->all, diff->count, sizeof(*diff->all), compare_differences);
	free(entries.all);
	return ret ? mm_error_set(err, MM_EXIT_ENVIRONMENT, "diff: out of memory") : 0;
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
	if (sides[REGRESS_BASE].doubt || sides[REGRESS_NEW].doubt ||
	    sides[REGRESS_BASE].count < REGRESS_BASE_MIN ||
	    sides[REGRESS_NEW].count < REGRESS_NEW_MIN)
		return MM_EXIT_INCOMPLETE;
	return MM_EXIT_OK;
}
