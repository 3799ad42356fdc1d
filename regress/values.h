/* SPDX-License-Identifier: LGPL-2.1-only */
/* The values of metrics in reports, as rules, comparisons and base files name them. */
#ifndef LTTNG_MM_REGRESS_VALUES_H
#define LTTNG_MM_REGRESS_VALUES_H

#include <stdio.h>

#include "reader/report/catalogue.h"
#include "reader/report/keyed-rows.h"

/* A value, such as `slab.cache.live_bytes{cache="dentry"}`. */
struct regress_value {
	const struct mm_catalogue_item *item;
	const char *const *keys;    /* names of the labels; end with NULL */
	char *texts[MM_LABELS_MAX]; /* values of the labels, "" if empty; may be hostile */
	struct mm_figure figure;
};

struct regress_values {
	struct regress_value *all;
	size_t count, room;
};

/* Returns true if the values of the item are to be collected. */
typedef bool (*regress_wanted_fn)(const void *user, const struct mm_catalogue_item *item);

/*
 * Appends the values of @report whose items @wanted accepts (NULL: all). Values of the coverage
 * (`trace.*`) are added only if @with_trace. Returns 0, or -1 when out of memory.
 */
int regress_values_add(struct regress_values *values, const struct mm_catalogue *catalogue,
		       const struct mm_report *report, bool with_trace, regress_wanted_fn wanted,
		       const void *user);
/* Appends an empty value of @item. Returns NULL when out of memory. */
struct regress_value *regress_values_append(struct regress_values *values,
					    const struct mm_catalogue_item *item,
					    const char *const *keys);
/* Sorts by name and labels. */
void regress_values_sort(struct regress_values *values);
int regress_values_compare(const struct regress_value *x, const struct regress_value *y);
void regress_values_release(struct regress_values *values);

/* Returns the value as a number. Requires figure.cell to be known. */
double regress_value_number(const struct regress_value *value);
/*
 * Sets *@low and *@high to the smallest and the largest number that the value may stand for. A cell
 * is empty if there is no such bound. Both cells are equal if the value is exact.
 */
void regress_value_bounds(const struct regress_value *value, struct mm_cell *low,
			  struct mm_cell *high);
/*
 * The inverse of regress_value_bounds(): returns a number whose lower bound is @low. Only the
 * metric and the labels of @value matter.
 */
double regress_value_with_low(const struct regress_value *value, double low);
/*
 * Returns the minimum number of observations for a quantile: at least two observations must be
 * larger than the quantile. Returns 0 for a maximum and for any other value.
 */
uint64_t regress_value_samples_min(const struct regress_value *value);
/*
 * Prints the name with its labels: `slab.cache.live_bytes{cache="dentry"}`. Backslashes and quotes
 * are escaped as in a rule, other unusual bytes as on a terminal.
 */
void regress_value_print_name(FILE *out, const struct regress_value *value);
/* Like regress_value_print_name(), as a string. NULL: out of memory. Release with free(). */
char *regress_value_name(const struct regress_value *value);
/* Prints the exact value: `12 faults`, `true`, `>= 5 bytes` or `unknown`. */
void regress_value_print(FILE *out, const struct regress_value *value);

#endif /* LTTNG_MM_REGRESS_VALUES_H */
