// SPDX-License-Identifier: LGPL-2.1-only
/* Collects the values of metrics from reports. */
#include "regress/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/hash.h"

static const char *const no_keys[] = { NULL };

struct regress_value *regress_values_append(struct regress_values *values,
					    const struct mm_catalogue_item *item,
					    const char *const *keys)
{
	struct regress_value *all =
		mm_array_grow(values->all, values->count, &values->room, sizeof(*all));

	if (!all)
		return NULL;
	values->all = all;
	all[values->count] =
		(struct regress_value){ .item = item, .keys = keys, .figure.present = true };
	return &all[values->count++];
}

/* Copies a cell with a number. Makes @to unknown if @from contains no number. */
static void set_cell(struct mm_cell *to, const struct mm_cell *from)
{
	*to = (struct mm_cell){ .kind = MM_CELL_EMPTY };
	if (from->kind != MM_CELL_UNSIGNED && from->kind != MM_CELL_SIGNED &&
	    from->kind != MM_CELL_REAL && from->kind != MM_CELL_BOOLEAN)
		return;
	to->kind = from->kind;
	to->u = from->u;
	to->r = from->r;
	to->least = from->least;
	to->most = from->most;
}

static int add_trace(struct regress_values *values, const struct mm_catalogue_item *item,
		     const struct mm_report *report)
{
	struct regress_value *value = regress_values_append(values, item, no_keys);

	if (!value)
		return -1;
	set_cell(&value->figure.cell, &report->coverage[item->key]);
	return 0;
}

static int add_metrics(struct regress_values *values, const struct mm_catalogue_item *item,
		       const struct mm_report *report)
{
	for (size_t i = 0; i < report->metric_count; i++) {
		const struct mm_metric *metric = report->metrics[i];
		struct regress_value *value;

		if (metric->def != item->metric)
			continue;
		value = regress_values_append(values, item, metric->def->labels);
		if (!value)
			return -1;
		for (size_t k = 0; metric->def->labels[k]; k++) {
			value->texts[k] = strdup(metric->labels[k] ? metric->labels[k] : "");
			if (!value->texts[k])
				return -1;
		}
		set_cell(&value->figure.cell, &metric->value);
		value->figure.has_samples = metric->has_samples;
		value->figure.samples = metric->samples;
	}
	return 0;
}

static char *text_of(const struct mm_cell *cell)
{
	char *text = NULL;

	switch (cell->kind) {
	case MM_CELL_STRING:
		return strdup(cell->s);
	case MM_CELL_UNSIGNED:
		return asprintf(&text, "%" PRIu64, cell->u) < 0 ? NULL : text;
	case MM_CELL_SIGNED:
		return asprintf(&text, "%" PRId64, cell->i) < 0 ? NULL : text;
	default:
		return strdup("");
	}
}

/* Adds the figure of the rows from @first to @end, which have equal keys. */
static int add_row(struct regress_values *values, const struct mm_catalogue_item *item,
		   const struct mm_keyed_row *first, const struct mm_keyed_row *end)
{
	const struct mm_table_def *table = item->rows->table;
	struct regress_value *value = regress_values_append(
		values, item, first->by_other ? item->rows->other_keys : item->rows->keys);

	if (!value)
		return -1;
	for (size_t k = 0; value->keys[k]; k++) {
		value->texts[k] = text_of(first->keys[k]);
		if (!value->texts[k])
			return -1;
	}
	value->figure =
		mm_keyed_figure(first, end, mm_table_def_column(table, item->column->key),
				mm_table_def_column(table, item->column->samples), item->scaling);
	return 0;
}

/* Adds the figures of all wanted columns of the table of catalogue->items[first]. */
static int add_rows(struct regress_values *values, const struct mm_catalogue *catalogue,
		    size_t first, const struct mm_report *report, regress_wanted_fn wanted,
		    const void *user)
{
	const struct mm_compared_table *compared = catalogue->items[first].rows;
	struct mm_pool_keys pools = { NULL };
	struct mm_keyed_rows rows = { NULL };
	int ret = mm_keyed_rows_collect(&rows, report, compared, 0, &pools);

	if (!ret)
		mm_keyed_rows_sort(&rows);
	for (size_t r = 0, next; !ret && r < rows.count; r = next) {
		for (next = r + 1;
		     next < rows.count && !mm_keyed_rows_compare(&rows.all[r], &rows.all[next]);)
			next++;
		for (size_t i = first;
		     i < catalogue->count && !ret && catalogue->items[i].rows == compared; i++)
			if (!wanted || wanted(user, &catalogue->items[i]))
				ret = add_row(values, &catalogue->items[i], &rows.all[r],
					      &rows.all[next]);
	}
	free(rows.all);
	mm_pool_keys_release(&pools);
	return ret;
}

/* Is a column of the table that starts at items[first] wanted? */
static bool any_wanted(const struct mm_catalogue *catalogue, size_t first, regress_wanted_fn wanted,
		       const void *user)
{
	const struct mm_compared_table *rows = catalogue->items[first].rows;

	for (size_t i = first; i < catalogue->count && catalogue->items[i].rows == rows; i++)
		if (!wanted || wanted(user, &catalogue->items[i]))
			return true;
	return false;
}

int regress_values_add(struct regress_values *values, const struct mm_catalogue *catalogue,
		       const struct mm_report *report, bool with_trace, regress_wanted_fn wanted,
		       const void *user)
{
	int ret = 0;

	for (size_t i = 0; i < catalogue->count && !ret; i++) {
		const struct mm_catalogue_item *item = &catalogue->items[i];
		const bool is_wanted = !wanted || wanted(user, item);

		if (item->source == MM_ITEM_TRACE) {
			if (with_trace && is_wanted)
				ret = add_trace(values, item, report);
		} else if (item->schema != report->schema) {
			continue;
		} else if (item->source == MM_ITEM_METRIC) {
			if (is_wanted)
				ret = add_metrics(values, item, report);
		} else if ((!i || catalogue->items[i - 1].rows != item->rows) &&
			   any_wanted(catalogue, i, wanted, user)) {
			ret = add_rows(values, catalogue, i, report, wanted, user);
		}
	}
	return ret;
}

int regress_values_compare(const struct regress_value *x, const struct regress_value *y)
{
	int diff = (x->item > y->item) - (x->item < y->item);

	/* Two rows of one table may have different labels. */
	for (size_t k = 0; k < MM_LABELS_MAX && x->keys[k] && y->keys[k] && !diff; k++)
		diff = strcmp(x->keys[k], y->keys[k]);
	for (size_t k = 0; k < MM_LABELS_MAX && x->keys[k] && y->keys[k] && !diff; k++)
		diff = strcmp(x->texts[k], y->texts[k]);
	return diff;
}

static int compare(const void *a, const void *b)
{
	return regress_values_compare(a, b);
}

void regress_values_sort(struct regress_values *values)
{
	if (values->count)
		qsort(values->all, values->count, sizeof(*values->all), compare);
}

void regress_values_release(struct regress_values *values)
{
	for (size_t i = 0; i < values->count; i++)
		for (size_t k = 0; k < MM_LABELS_MAX; k++)
			free(values->all[i].texts[k]);
	free(values->all);
	*values = (struct regress_values){ NULL };
}

double regress_value_number(const struct regress_value *value)
{
	const struct mm_cell *cell = &value->figure.cell;

	return cell->kind == MM_CELL_REAL     ? cell->r
	       : cell->kind == MM_CELL_SIGNED ? (double)cell->i
					      : (double)cell->u;
}

/* Returns the text of the label @key, or NULL. */
static const char *label_of(const struct regress_value *value, const char *key)
{
	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++)
		if (!strcmp(value->keys[k], key))
			return value->texts[k];
	return NULL;
}

/* If the value is a quantile, returns its rank, from 0 to 1. Otherwise, returns -1. */
static double quantile_of(const struct regress_value *value)
{
	const char *text = label_of(value, "q");
	char *end;
	double q;

	if (!text || !*text)
		return -1;
	q = strtod(text, &end);
	return *end || !(q >= 0 && q <= 1) ? -1 : q;
}

/* Is the value rounded up? The true value is then at most 1/(MM_COARSENESS + 1) lower. */
static bool is_rounded(const struct regress_value *value)
{
	return value->item->is_coarse && quantile_of(value) != 1;
}

void regress_value_bounds(const struct regress_value *value, struct mm_cell *low,
			  struct mm_cell *high)
{
	const struct mm_cell *cell = &value->figure.cell;
	const unsigned __int128 divisor = MM_COARSENESS + 1;

	*low = *high = *cell;
	if (cell->least)
		high->kind = MM_CELL_EMPTY;
	if (cell->most)
		low->kind = MM_CELL_EMPTY;
	/* Small values are exact in the histogram. For them, the quotient below is exact, too. */
	if (!is_rounded(value))
		return;
	if (cell->kind == MM_CELL_UNSIGNED)
		low->u = (uint64_t)((cell->u * (divisor - 1) + divisor - 1) / divisor);
	else if (cell->kind == MM_CELL_REAL)
		low->r = ceil(cell->r * MM_COARSENESS / (MM_COARSENESS + 1));
}

double regress_value_with_low(const struct regress_value *value, double low)
{
	return is_rounded(value) ? floor(low * (MM_COARSENESS + 1) / MM_COARSENESS) : low;
}

uint64_t regress_value_samples_min(const struct regress_value *value)
{
	const double q = quantile_of(value);

	if (value->item->column)
		return value->item->column->samples_min;
	return q < 0 || q >= 1 ? 0 : (uint64_t)ceil(2 / (1 - q) - 1e-6);
}

void regress_value_print_name(FILE *out, const struct regress_value *value)
{
	const char *before = "{";

	fputs(value->item->name, out);
	for (size_t k = 0; k < MM_LABELS_MAX && value->keys[k]; k++) {
		char *text = mm_escape_terminal_copy(value->texts[k] ? value->texts[k] : "");

		fprintf(out, "%s%s=\"", before, value->keys[k]);
		for (const char *s = text ? text : ""; *s; s++) {
			/* Escape the special characters of patterns in rules. */
			if (strchr("\"*?", *s))
				fputc('\\', out);
			fputc(*s, out);
		}
		fputc('"', out);
		before = ",";
		free(text);
	}
	if (*before == ',')
		fputc('}', out);
}

char *regress_value_name(const struct regress_value *value)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	regress_value_print_name(out, value);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

void regress_value_print(FILE *out, const struct regress_value *value)
{
	const struct mm_cell *cell = &value->figure.cell;
	const char *unit = value->item->unit;

	if (cell->least || cell->most)
		fputs(cell->least ? ">= " : "<= ", out);
	switch (cell->kind) {
	case MM_CELL_BOOLEAN:
		fputs(cell->u ? "true" : "false", out);
		return;
	case MM_CELL_UNSIGNED:
		fprintf(out, "%" PRIu64, cell->u);
		break;
	case MM_CELL_SIGNED:
		fprintf(out, "%" PRId64, cell->i);
		break;
	case MM_CELL_REAL:
		fprintf(out, "%.9g", cell->r);
		break;
	default:
		fputs("unknown", out);
		return;
	}
	if (*unit)
		fprintf(out, " %s", unit);
}
