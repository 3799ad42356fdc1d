// SPDX-License-Identifier: LGPL-2.1-only
/* Makes parts of sentences for the slab report's answer. */
#include "analysis/slab/report/sentences.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/slab/report/answer.h"

void slab_say(struct slab_answer *answer, const char *fmt, ...)
{
	bool lists = answer->options->by && !answer->options->leaks;
	char *sentence;
	va_list args;
	int length;

	va_start(args, fmt);
	length = vasprintf(&sentence, fmt, args);
	va_end(args);
	if (length < 0) {
		answer->report->failed = true;
		return;
	}
	if (lists || answer->said++ >= SLAB_SENTENCES_MAX)
		mm_report_finding(answer->report, "%s", sentence);
	else
		mm_report_answer(answer->report, "%s", sentence);
	free(sentence);
}

double slab_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

const struct slab_row *slab_row_with_most(const struct slab_row *rows, uint32_t count,
					  uint32_t kind,
					  uint64_t (*amount)(const struct slab_sum *sum))
{
	const struct slab_row *found = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (kind == SLAB_KIND_ANY ? slab_kind_is_pages(rows[i].kind) : rows[i].kind != kind)
			continue;
		if (amount(&rows[i].sum) > (found ? amount(&found->sum) : 0))
			found = &rows[i];
	}
	return found;
}

const char *slab_unsized_text(uint64_t unsized, char *text, size_t size)
{
	text[0] = '\0';
	if (unsized)
		snprintf(text, size, "; %" PRIu64 " of unknown size", unsized);
	return text;
}

/*
 * Appends ", all BEFORE NAME" to @text, or ", most BEFORE NAME" if the part is smaller than @bytes.
 */
static void add_part(const struct slab_largest *part, uint64_t bytes, const char *before,
		     const char *name, char *text, size_t size)
{
	size_t length = strlen(text);

	snprintf(text + length, size - length, ", %s %s %s", part->bytes == bytes ? "all" : "most",
		 before, name);
}

/*
 * Is the part more than half of @bytes? A smaller part is not mentioned: it may be tiny, because
 * most page allocations have no call site.
 */
static bool is_most(const struct slab_largest *part, uint64_t bytes)
{
	return part->bytes > bytes / 2;
}

void slab_add_who(const struct slab_results *results, const struct slab_largest *site,
		  const struct slab_largest *process, uint64_t bytes, char *text, size_t size)
{
	char name[200], who[SLAB_PROCESS_TEXT];
	size_t length;

	slab_call_site_name(results, site->id, name, sizeof(name));
	slab_process_text(results, process->id, who, sizeof(who));
	if (is_most(site, bytes))
		add_part(site, bytes, "at", name, text, size);
	length = strlen(text);
	if (site->bytes == process->bytes && site->bytes == bytes)
		snprintf(text + length, size - length, " by %s", who);
	else if (is_most(process, bytes))
		add_part(process, bytes, "by", who, text, size);
}
