// SPDX-License-Identifier: LGPL-2.1-only
/* Reads and writes base files. */
#include "regress/base.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "regress/rules.h"
#include "util/escape.h"

/* Maximum size of a base file. */
#define BYTES_MAX (8u << 20)
#define RUNS_MAX 100
/* Memory of equal machines differs by at most this fraction: kernels reserve different amounts. */
#define MEMORY_PART 0.03

struct base_parser {
	struct regress_base *base;
	const struct mm_catalogue *catalogue;
	const char *path;
	unsigned int line;
	bool has_format;
	struct mm_error *err;
};

static int __attribute__((format(printf, 2, 3)))
refuse(const struct base_parser *parser, const char *fmt, ...)
{
	char why[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return mm_error_set(
		parser->err, MM_EXIT_BAD_INPUT,
		"gate: %s:%u: %s; the file is written by `lttng-mm gate --base FILE --accept ...`",
		parser->path, parser->line, why);
}

static int no_memory(const struct base_parser *parser)
{
	return mm_error_set(parser->err, MM_EXIT_ENVIRONMENT, "gate: out of memory");
}

/* Parses "@KEY TEXT". Ignores unknown keys. */
static int parse_fact(struct base_parser *parser, char *line)
{
	struct regress_base *base = parser->base;
	const struct {
		const char *key;
		char **to;
	} facts[] = {
		{ "kernel", &base->side.kernel },   { "probes", &base->side.probes },
		{ "machine", &base->side.machine }, { "profiles", &base->profiles },
		{ "command", &base->command },	    { "clock", &base->side.clock },
	};
	char *text = strchr(line, ' ');

	if (!text)
		return refuse(parser, "'%.32s' has no text", line);
	*text++ = '\0';
	if (!strcmp(line, "@format")) {
		parser->has_format = true;
		return strcmp(text, "1")
			       ? refuse(parser, "format %.16s, but this version reads format 1",
					text)
			       : 0;
	}
	if (!strcmp(line, "@accepted")) {
		snprintf(base->accepted, sizeof(base->accepted), "%s", text);
		return regress_base_age(text, text) < 0
			       ? refuse(parser, "'%.32s' is not a date", text)
			       : 0;
	}
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!strcmp(line + 1, facts[i].key) && !*facts[i].to) {
			*facts[i].to = strdup(text);
			return *facts[i].to ? 0 : no_memory(parser);
		}
	return 0;
}

/* Reads the quoted text of a label at *@at, and moves *@at after it. Returns NULL on failure. */
static char *read_quoted(const char **at)
{
	const char *s = *at;
	char *text, *to;

	if (*s++ != '"')
		return NULL;
	text = to = malloc(strlen(s) + 1);
	if (!text)
		return NULL;
	for (; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			*to++ = *s++;
		*to++ = *s;
	}
	*to = '\0';
	if (*s != '"') {
		free(text);
		return NULL;
	}
	*at = s + 1;
	regress_decode_escapes(text);
	to = text;
	for (const char *from = text; *from; from++) {
		from += *from == '\\' && from[1];
		*to++ = *from;
	}
	*to = '\0';
	return text;
}

/* Reads "{key="text",...}" at *@at. Returns false if the item has other labels. */
static bool read_labels(const char **at, const struct mm_catalogue_item *item,
			char *texts[MM_LABELS_MAX])
{
	for (size_t k = 0; item->labels[k]; k++) {
		const size_t length = strlen(item->labels[k]);

		if (*(*at)++ != (k ? ',' : '{') || strncmp(*at, item->labels[k], length) != 0 ||
		    (*at)[length] != '=')
			return false;
		*at += length + 1;
		texts[k] = read_quoted(at);
		if (!texts[k])
			return false;
	}
	return !item->labels[0] || *(*at)++ == '}';
}

/* Reads the value at *@at, and moves *@at after it. */
static int read_value(struct base_parser *parser, const char **at, struct mm_cell *cell)
{
	char *end;

	*cell = (struct mm_cell){ .kind = MM_CELL_EMPTY };
	if (**at == '?') {
		++*at;
		return 0;
	}
	cell->least = !strncmp(*at, ">=", 2);
	cell->most = !strncmp(*at, "<=", 2);
	if (cell->least || cell->most)
		*at += 2;
	cell->kind = MM_CELL_REAL;
	cell->r = strtod(*at, &end);
	/* Do not let strtod() skip a blank: it would read the next value. */
	if (end == *at || isspace((unsigned char)**at) || !isfinite(cell->r))
		return refuse(parser, "'%.32s' is not a number", *at);
	*at = end;
	return 0;
}

/*
 * Reads the values of one line. All lines of metrics must have equally many values, and lines of
 * rows one.
 */
static int read_values(struct base_parser *parser, const char *at, struct mm_cell values[RUNS_MAX],
		       size_t *count, bool is_row)
{
	const size_t expected = is_row ? 1 : parser->base->side.count;

	*count = 0;
	while (*at == ' ') {
		at++;
		if (*count == RUNS_MAX)
			return refuse(parser, "more than %d values", RUNS_MAX);
		if (read_value(parser, &at, &values[(*count)++]))
			return -1;
	}
	if (*at || !*count)
		return refuse(parser, "numbers are missing at '%.32s'", at);
	if (expected && expected != *count)
		return refuse(parser,
			      is_row ? "%zu values, but a row has %zu"
				     : "%zu values, but %zu in the lines above",
			      *count, expected);
	return 0;
}

static int make_runs(struct base_parser *parser, size_t count)
{
	struct regress_side *side = &parser->base->side;

	if (side->count)
		return 0;
	side->values = calloc(count, sizeof(*side->values));
	side->lengths_ns = calloc(count, sizeof(*side->lengths_ns));
	if (!side->values || !side->lengths_ns)
		return no_memory(parser);
	side->count = count;
	return 0;
}

/* Adds a value to the values of a run, or to the rows. */
static int add_value(struct base_parser *parser, const struct mm_catalogue_item *item,
		     char *const texts[MM_LABELS_MAX], struct regress_values *values,
		     const struct mm_cell *cell)
{
	struct regress_value *value = regress_values_append(values, item, item->labels);

	if (!value)
		return no_memory(parser);
	for (size_t k = 0; item->labels[k]; k++) {
		value->texts[k] = strdup(texts[k]);
		if (!value->texts[k])
			return no_memory(parser);
	}
	value->figure.cell = *cell;
	return 0;
}

/* Parses "NAME{LABELS} VALUE..." of a metric or, with @is_row, "NAME{LABELS} VALUE" of a row. */
static int parse_metric(struct base_parser *parser, const char *line, bool is_row)
{
	struct regress_base *base = parser->base;
	const size_t length = strcspn(line, "{ ");
	const struct mm_catalogue_item *item;
	char *texts[MM_LABELS_MAX] = { NULL }, name[128];
	const char *at = line + length;
	struct mm_cell values[RUNS_MAX];
	size_t count;
	int ret = 0;

	snprintf(name, sizeof(name), "%.*s", (int)(length < 127 ? length : 127), line);
	item = mm_catalogue_find(parser->catalogue, name);
	/* Ignore unknown metrics: another version of this program may have written them. */
	if (!item || (is_row ? !regress_rows_may_cause(item) : item->source != MM_ITEM_METRIC))
		return 0;
	if (read_labels(&at, item, texts)) {
		ret = read_values(parser, at, values, &count, is_row);
		if (!ret && !is_row)
			ret = make_runs(parser, count);
		for (size_t i = 0; !ret && i < count; i++)
			ret = add_value(parser, item, texts,
					is_row ? &base->rows : &base->side.values[i], &values[i]);
	} else {
		ret = refuse(parser, "the labels of %s are not valid", name);
	}
	for (size_t k = 0; k < MM_LABELS_MAX; k++)
		free(texts[k]);
	return ret;
}

static int parse_line(struct base_parser *parser, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	parser->line++;
	if (!*line || *line == '#')
		return 0;
	return *line == '@'   ? parse_fact(parser, line)
	       : *line == '+' ? parse_metric(parser, line + 1, true)
			      : parse_metric(parser, line, false);
}

int regress_base_read(struct regress_base *base, const char *path,
		      const struct mm_catalogue *catalogue, struct mm_error *err)
{
	struct base_parser parser = {
		.base = base, .catalogue = catalogue, .path = path, .err = err
	};
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *line = NULL;
	size_t size = 0;
	struct stat st;
	int ret = 0;

	*base = (struct regress_base){ .side.is_command = true };
	if (!in)
		return mm_error_set(err, MM_EXIT_BAD_INPUT,
				    errno == ENOENT ? "gate: %s: %s; create it with --accept"
						    : "gate: %s: %s",
				    path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > BYTES_MAX)
		ret = mm_error_set(err, MM_EXIT_BAD_INPUT, "gate: %s: not a base file", path);
	while (!ret && getline(&line, &size, in) >= 0)
		ret = parse_line(&parser, line);
	if (!ret && !parser.has_format)
		ret = mm_error_set(err, MM_EXIT_BAD_INPUT,
				   "gate: %s: not a base file: the line @format is missing", path);
	if (!ret && !base->side.count)
		ret = mm_error_set(err, MM_EXIT_BAD_INPUT,
				   "gate: %s: the file has no metric that this version knows",
				   path);
	free(line);
	fclose(in);
	return ret;
}

void regress_base_release(struct regress_base *base)
{
	regress_side_release(&base->side);
	regress_values_release(&base->rows);
	free(base->profiles);
	free(base->command);
	*base = (struct regress_base){ .profiles = NULL };
}

static void print_fact(FILE *out, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "@%s ", key);
	mm_escape_message_print(out, text);
	fputc('\n', out);
}

/* Prints the values of all declared metrics, one metric per line. */
static int print_metrics(FILE *out, const struct regress_diff *diff)
{
	for (size_t i = 0; i < diff->count; i++) {
		const struct regress_difference *difference = &diff->all[i];

		if (difference->value.item->source != MM_ITEM_METRIC)
			continue;
		regress_value_print_name(out, &difference->value);
		for (size_t run = 0; run < diff->sides[REGRESS_BASE].count; run++) {
			const double low = (double)difference->bounds[REGRESS_BASE][run].low;
			const double high = (double)difference->bounds[REGRESS_BASE][run].high;

			if (isfinite(high))
				fprintf(out, isfinite(low) ? " %.17g" : " <=%.17g", high);
			else if (isfinite(low))
				fprintf(out, " >=%.17g",
					regress_value_with_low(&difference->value, low));
			else
				fputs(" ?", out);
		}
		fputc('\n', out);
	}
	return ferror(out) ? -1 : 0;
}

/* Prints the rows by which a cause is found. */
static int print_rows(FILE *out, const struct regress_side *side)
{
	struct regress_values rows = { NULL };
	int ret = regress_rows_collect(&rows, side);

	for (size_t i = 0; !ret && i < rows.count; i++) {
		fputc('+', out);
		regress_value_print_name(out, &rows.all[i]);
		fprintf(out, " %" PRIu64 "\n", rows.all[i].figure.cell.u);
	}
	regress_values_release(&rows);
	return ret || ferror(out) ? -1 : 0;
}

static int compare_by_name(const void *a, const void *b)
{
	const struct regress_difference *x = a, *y = b;
	int diff = strcmp(x->value.item->name, y->value.item->name);

	return diff ? diff : regress_values_compare(&x->value, &y->value);
}

int regress_base_write(const char *path, const struct regress_side *side, const char *accepted,
		       const char *profiles, const char *command, struct mm_error *err)
{
	/* Compare the side with itself: this collects the values of each metric from all runs. */
	const struct regress_side sides[REGRESS_SIDES] = { *side, *side };
	struct regress_diff diff = { NULL };
	char temporary[PATH_MAX];
	FILE *out = NULL;
	int fd, ret = regress_diff(&diff, sides, false, err);

	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
	fd = ret ? -1 : mkostemp(temporary, O_CLOEXEC);
	if (!ret && (fd < 0 || fchmod(fd, 0644) || !(out = fdopen(fd, "w"))))
		ret = mm_error_set(err, MM_EXIT_BAD_INPUT, "gate: %s: %s", path, strerror(errno));
	if (out) {
		fprintf(out,
			"# Values of %zu runs, written by lttng-mm gate --accept. Keep this file in git.\n@format 1\n",
			side->count);
		print_fact(out, "accepted", accepted);
		print_fact(out, "kernel", side->kernel);
		print_fact(out, "probes", side->probes);
		print_fact(out, "machine", side->machine);
		print_fact(out, "clock", side->clock);
		print_fact(out, "profiles", profiles);
		print_fact(out, "command", command);
		if (diff.count)
			qsort(diff.all, diff.count, sizeof(*diff.all), compare_by_name);
		ret = print_metrics(out, &diff) || print_rows(out, side) ? -1 : 0;
		if (fclose(out) || ret || rename(temporary, path))
			ret = mm_error_set(err, MM_EXIT_BAD_INPUT, "gate: %s: %s", path,
					   strerror(errno));
	} else if (fd >= 0) {
		close(fd);
	}
	if (ret && fd >= 0)
		unlink(temporary);
	regress_diff_release(&diff);
	return ret;
}

/* Returns the days since the Epoch, or -1 if @text is not a date. */
static int64_t days_of(const char *text)
{
	struct tm tm = { .tm_isdst = 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	time_t time;

	if (!end || *end)
		return -1;
	time = timegm(&tm);
	return time < 0 ? -1 : (int64_t)time / 86400;
}

int regress_base_age(const char *accepted, const char *now)
{
	const int64_t from = days_of(accepted), to = days_of(now);

	if (from < 0 || to < 0)
		return -1;
	return to > from ? (int)(to - from) : 0;
}

bool regress_machines_match(const char *x, const char *y)
{
	unsigned long cpus[2], memory[2];

	if (!x || !y)
		return false;
	if (sscanf(x, "%lu CPUs, %lu MiB", &cpus[0], &memory[0]) != 2 ||
	    sscanf(y, "%lu CPUs, %lu MiB", &cpus[1], &memory[1]) != 2)
		return !strcmp(x, y);
	return cpus[0] == cpus[1] &&
	       fabs((double)memory[0] - (double)memory[1]) <= MEMORY_PART * (double)memory[0];
}
