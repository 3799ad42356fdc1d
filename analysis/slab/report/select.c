// SPDX-License-Identifier: LGPL-2.1-only
/* Applies filters to accounts and requests. */
#include "analysis/slab/report/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/sysinfo/selection.h"
#include "util/nearest.h"
#include "util/text.h"

bool slab_filters_objects(const struct slab_options *options)
{
	return options->cache || options->call_site;
}

bool slab_is_filtered(const struct slab_options *options)
{
	return slab_filters_objects(options) || options->report.by_pid;
}

/* Returns the kind that --cache names: "order-9", "order 9" and "9" mean "pages of order 9". */
static const char *wanted_kind(const struct slab_options *options, char *text, size_t size)
{
	static const char order[] = "order";
	const char *number = options->cache;

	if (!strncmp(number, order, sizeof(order) - 1))
		number += sizeof(order) - 1 + (number[sizeof(order) - 1] != '\0');
	if (!*number || number[strspn(number, "0123456789")])
		return options->cache;
	snprintf(text, size, SLAB_PAGES_NAME "%s", number);
	return text;
}

/*
 * Matches a kind by its name. Matches a cache also by the names of caches that were merged into it.
 */
static bool matches_kind(const struct slab_results *results, const struct slab_options *options,
			 uint32_t kind)
{
	const struct slab_cache *cache;
	char text[SLAB_NAME_BYTES], pages[SLAB_NAME_BYTES];

	if (!options->cache)
		return true;
	if (kind == SLAB_KIND_NONE)
		return false;
	slab_kind_name(results->caches, kind, text, sizeof(text));
	if (!strcmp(text, options->cache) ||
	    !strcmp(text, wanted_kind(options, pages, sizeof(pages))))
		return true;
	cache = slab_cache_find(results->caches, kind);
	for (uint32_t i = 0; cache && i < cache->alias_count; i++)
		if (!strcmp(cache->aliases[i], options->cache))
			return true;
	return false;
}

/* Matches a call site by number, by name with or without offset, or by function. */
static bool matches_site(const struct slab_results *results, const struct slab_options *options,
			 uint32_t code)
{
	size_t length;
	char text[256], *end;
	uint64_t number;

	if (!options->call_site)
		return true;
	number = strtoull(options->call_site, &end, 0);
	if (end != options->call_site && !*end)
		return code == number && code != SLAB_NO_CODE;
	slab_call_site_name(results, code, text, sizeof(text));
	length = strlen(options->call_site);
	return length && !strncmp(text, options->call_site, length) &&
	       (!text[length] || text[length] == ' ' || text[length] == '+');
}

static bool matches_thread(const struct slab_results *results, const struct slab_options *options,
			   uint32_t tid)
{
	return !options->report.by_pid ||
	       mm_options_select(&options->report, slab_thread_pid(results->threads, tid));
}

bool slab_matches_account(const struct slab_results *results, const struct slab_options *options,
			  uint32_t number)
{
	const union slab_accounting_key *key = &slab_account_at(results->accounts, number)->key;

	return matches_thread(results, options, key->tid) &&
	       matches_kind(results, options, key->kind) &&
	       matches_site(results, options, key->code);
}

bool slab_selects_account(const struct slab_results *results, const struct slab_options *options,
			  uint32_t number)
{
	return (options->report.include_recorder ||
		!slab_recorder_is_account(results->recorder, number)) &&
	       slab_matches_account(results, options, number);
}

static bool names_pages(const struct slab_options *options)
{
	char text[SLAB_NAME_BYTES];

	return options->cache && !strncmp(wanted_kind(options, text, sizeof(text)), SLAB_PAGES_NAME,
					  strlen(SLAB_PAGES_NAME));
}

bool slab_may_free_selected(const struct slab_results *results, const struct slab_options *options,
			    uint32_t number)
{
	const union slab_accounting_key *key = &slab_account_at(results->accounts, number)->key;

	if (!slab_filters_objects(options) || !matches_thread(results, options, key->tid) ||
	    (!options->report.include_recorder &&
	     slab_recorder_is_account(results->recorder, number)))
		return false;
	/* kfree() does not state a cache. It never frees page allocations. */
	if (key->kind == SLAB_KIND_NONE)
		return !names_pages(options);
	/*
	 * Other frees state a cache or an order, so --cache is exact for them. No free states the
	 * call site of the allocation, so --call-site may select the object.
	 */
	return options->call_site && matches_kind(results, options, key->kind);
}

bool slab_selects_request(const struct slab_results *results, const struct slab_options *options,
			  uint32_t code, uint32_t kind, uint32_t thread, int64_t first_ns)
{
	uint32_t id = slab_thread_id(results->threads, thread);

	return (options->report.include_recorder ||
		!slab_recorder_did(results->recorder, id, first_ns)) &&
	       matches_thread(results, options, id) && matches_kind(results, options, kind) &&
	       matches_site(results, options, code);
}

bool slab_selects_thread(const struct slab_results *results, const struct slab_options *options,
			 uint32_t code, uint32_t kind, uint32_t id)
{
	return (options->report.include_recorder ||
		!slab_recorder_is_thread(results->recorder, id)) &&
	       matches_thread(results, options, id) && matches_kind(results, options, kind) &&
	       matches_site(results, options, code);
}

static void describe(const struct slab_options *options, char *text, size_t size)
{
	size_t at = 0;

	if (options->cache)
		at += (size_t)snprintf(text, size, " --cache=%s", options->cache);
	if (options->call_site && at < size)
		at += (size_t)snprintf(text + at, size - at, " --call-site=%s", options->call_site);
	if (options->report.by_pid && at < size)
		snprintf(text + at, size - at, " --pid=%" PRId32, options->report.pid);
}

/*
 * Adds the names of all kinds or call sites as candidates for a hint. Returns 0, or -1 when out of
 * memory.
 */
static int list_names(const struct slab_results *results, const struct slab_options *options,
		      char ***names, size_t *count)
{
	char text[SLAB_NAME_BYTES > 256 ? SLAB_NAME_BYTES : 256];

	for (uint32_t i = 1; i < slab_accounts_count(results->accounts); i++) {
		const union slab_accounting_key *key = &slab_account_at(results->accounts, i)->key;

		if (options->call_site) {
			slab_call_site_name(results, key->code, text, sizeof(text));
			/* Keep the function name, without offset and module. */
			text[strcspn(text, "+ ")] = '\0';
		} else if (key->kind != SLAB_KIND_NONE) {
			slab_kind_name(results->caches, key->kind, text, sizeof(text));
		} else {
			continue;
		}
		if (mm_strings_add(names, count, text))
			return -1;
	}
	return 0;
}

/* States that nothing matches. If there is one filter, suggests similar names. */
static void report_no_match(const struct slab_results *results, const struct slab_options *options,
			    const char *filters, struct mm_report *report)
{
	const bool by_name = !options->report.by_pid && !options->call_site != !options->cache;
	struct mm_nearest nearest = { .wanted = options->call_site ? options->call_site
								   : options->cache };
	char text[MM_NEAREST_TEXT] = "", thread[MM_THREAD_HINT] = "", **names = NULL;
	size_t count = 0;

	if (by_name && list_names(results, options, &names, &count))
		report->failed = true;
	for (size_t i = 0; i < count; i++)
		mm_nearest_offer(&nearest, names[i]);
	if (by_name)
		mm_nearest_hint(&nearest, text, sizeof(text));
	if (options->report.by_pid)
		mm_thread_hint(&results->threads->seen, results->threads->sysinfo,
			       (int32_t)options->report.pid, thread);
	mm_report_answer(report, "Nothing in the %s matches%s: the lists are empty%s%s",
			 report->windowed ? "requested time range" : "trace", filters, thread,
			 *text ? text : ".");
	mm_strings_release(names, count);
}

void slab_note_filters(const struct slab_results *results, const struct slab_options *options,
		       struct mm_report *report)
{
	uint32_t counted = 0, matching = 0;
	char text[512];

	if (!slab_is_filtered(options))
		return;
	for (uint32_t i = 1; i < slab_accounts_count(results->accounts); i++) {
		counted += slab_account_is_counted(results->accounts, i);
		matching += slab_matches_account(results, options, i);
	}
	describe(options, text, sizeof(text));
	if (counted)
		mm_report_remark(
			report,
			"All figures of allocations and frees are restricted by%s: an object counts for the process and call site that allocated it; a free of an object from before the trace counts for the process and call site that freed the object.",
			text);
	else if (matching)
		mm_report_remark(
			report,
			"Only the recorder's own processes match%s, and all figures leave these processes out (--include-recorder).",
			text);
	else
		report_no_match(results, options, text, report);
}

void slab_hide_unfiltered(const struct slab_options *options, struct mm_report *report)
{
	for (size_t i = 0; slab_is_filtered(options) && i < report->table_count; i++)
		if (report->tables[i]->def == &slab_table_untraced_paths)
			report->tables[i]->hidden = true;
}
