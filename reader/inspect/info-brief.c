// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The short text form of `lttng-mm info`. Sample:
 *   All buffers reach back 30.8 s, with losses: 12 events discarded.
 *   Recorded: 2026-11-23T01:24:51Z to 01:25:22Z (30.8 s), 2 CPUs, host a
 *   Remedy: record with more or larger sub-buffers (--num-subbuf, --subbuf-size).
 *   The tracer discarded events within 0.004 s from 2026-11-23T01:25:02.5Z, CPU 0 (kernel/a_0).
 *
 *   More: --all shows everything: streams, coverage, clocks, environment
 */
#include "reader/inspect/info-brief.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "reader/inspect/info-schema.h"
#include "reader/report/fit.h"
#include "reader/report/render.h"
#include "util/escape.h"
#include "util/text.h"

/* Maximum number of rows of most tables, of rows of the table of events, and of findings. */
#define ROWS 5
#define EVENT_ROWS 25
#define LINES 10

void ctf_info_brief_keep(struct ctf_info_brief *brief, struct mm_report *report)
{
	if (brief && !report->failed && report->finding_count)
		report->failed = mm_strings_add(&brief->lines, &brief->count,
						report->findings[report->finding_count - 1]);
}

void ctf_info_brief_release(struct ctf_info_brief *brief)
{
	mm_strings_release(brief->lines, brief->count);
}

/*
 * Prints @before and @text as a paragraph in lines of @width columns, escaped. Returns 0, or -1
 * when out of memory.
 */
static int print_line(FILE *out, const char *before, const char *text, unsigned int width)
{
	char *line = NULL;
	size_t length;
	FILE *escaped = open_memstream(&line, &length);

	if (escaped) {
		fputs(before, escaped);
		mm_escape_message_print(escaped, text);
		if (*before)
			fputc('.', escaped);
	}
	if (!escaped || fclose(escaped)) {
		free(line);
		return -1;
	}
	mm_fit_print(out, line, width ? width : UINT_MAX, 0);
	free(line);
	return 0;
}

/* Prints each sentence as a paragraph. Returns 0, or -1 when out of memory. */
static int print_sentences(FILE *out, char *const *sentences, size_t count, unsigned int width)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++)
		ret = print_line(out, "", sentences[i], width);
	return ret;
}

/*
 * Does the short form show the table? It omits the table of gaps if a certificate has holes,
 * because the certificate's reasons already name these.
 */
static bool is_notable(const struct ctf_info_brief *brief, const struct mm_table *table)
{
	return table->def == &ctf_info_table_differences || table->def == &ctf_info_table_damage ||
	       table->def == &ctf_info_table_events ||
	       (table->def == &ctf_info_table_gaps && !brief->has_holes);
}

static int print_table(FILE *out, const struct mm_table *table, unsigned int width)
{
	/* The user requested the table of events (--events), so show more of its rows. */
	const size_t rows = table->def == &ctf_info_table_events ? EVENT_ROWS : ROWS;

	if (!table->row_count || table->hidden)
		return 0;
	return mm_render_table(out, table, rows, width, false, "--all shows more");
}

/* Prints the tables that explain the first sentence. Returns 0, or -1 when out of memory. */
static int print_tables(FILE *out, const struct mm_report *report,
			const struct ctf_info_brief *brief, unsigned int width)
{
	const struct mm_table *missing = report->coverage_tables[MM_COVERAGE_MISSING];
	int ret = 0;

	for (size_t i = 0; i < report->table_count && !ret; i++)
		if (is_notable(brief, report->tables[i]))
			ret = print_table(out, report->tables[i], width);
	/*
	 * The table of missing parts has a row for each truncated packet, too, but the table of
	 * damage already shows truncated packets. Print the table only if it has other rows.
	 */
	if (!ret && missing->row_count > report->coverage[MM_COVERAGE_PACKETS_TRUNCATED].u)
		ret = print_table(out, missing, width);
	return ret;
}

/* Prints the part above the tables. Returns 0, or -1 when out of memory. */
static int print_head(FILE *out, const struct mm_report *report, const struct ctf_info_brief *brief,
		      unsigned int width)
{
	const struct mm_cell *unverifiable = &report->coverage[MM_COVERAGE_UNVERIFIABLE];

	if (print_sentences(out, report->answer, report->answer_count, width) ||
	    print_sentences(out, report->warnings, report->warning_count, width))
		return -1;
	mm_render_recorded(out, report);
	if ((report->incomplete || report->state_missing) &&
	    print_line(out, "Remedy: ", mm_report_remedy(report), width))
		return -1;
	if (unverifiable->kind == MM_CELL_STRING && !brief->reasons &&
	    print_line(out, "Streams: not verifiable: ", unverifiable->s, width))
		return -1;
	return print_sentences(out, report->remarks, report->remark_count, width);
}

/* Does the first sentence already contain the finding? */
static bool is_repeated(const struct mm_report *report, const char *line)
{
	const size_t length = strlen(line);
	char *found;

	if (!report->answer_count || !length)
		return false;
	found = memmem(report->answer[0], strlen(report->answer[0]), line, length - 1);
	return found != NULL;
}

/*
 * Prints the findings that the first sentence does not contain. Returns 0, or -1 when out of
 * memory.
 */
static int print_lines(FILE *out, const struct mm_report *report,
		       const struct ctf_info_brief *brief, unsigned int width)
{
	size_t shown = 0;

	for (size_t i = 0; i < brief->count; i++) {
		if (is_repeated(report, brief->lines[i]))
			continue;
		if (shown++ == LINES) {
			fprintf(out, "... and %zu more; --all shows them\n", brief->count - i);
			return 0;
		}
		if (print_sentences(out, &brief->lines[i], 1, width))
			return -1;
	}
	return 0;
}

int ctf_info_brief_render(FILE *out, const struct mm_report *report,
			  const struct ctf_info_brief *brief, unsigned int width)
{
	if (print_head(out, report, brief, width) || print_lines(out, report, brief, width) ||
	    print_tables(out, report, brief, width)) {
		errno = ENOMEM;
		return -1;
	}
	fputs("\nMore: --all shows everything: streams, coverage, clocks, environment\n", out);
	return ferror(out) ? -1 : 0;
}
