// SPDX-License-Identifier: LGPL-2.1-only
/* Restricts lists to a slab cache, a call site or a process. */
#include "analysis/slab/report/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_active(const struct mm_report_options *options)
{
	return options->cache || options->call_site || options->by_pid;
}

/* By name or, of a cache, by a name that it is merged with. */
static bool matches_kind(const struct slab_results *results,
			 const struct mm_report_options *options, uint32_t kind)
{
	const struct slab_cache *cache;
	char text[SLAB_NAME_BYTES];

	if (!options->cache)
		return true;
	if (kind == SLAB_KIND_NONE)
		return false;
	slab_kind_name(results->caches, kind, text, sizeof(text));
	if (!strcmp(text, options->cache))
		return true;
	cache = slab_cache_find(results->caches, kind);
	for (uint32_t i = 0; cache && i < cache->alias_count; i++)
		if (!strcmp(cache->aliases[i], options->cache))
			return true;
	return false;
}

/* By number, or by name: with offset and module, with offset, or all call sites of a function. */
static bool matches_site(const struct slab_results *results,
			 const struct mm_report_options *options, uint32_t code)
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

static bool matches_thread(const struct slab_results *results,
			   const struct mm_report_options *options, uint32_t tid)
{
	return !options->by_pid || slab_thread_pid(results->threads, tid) == (int32_t)options->pid;
}

static bool matches_account(const struct slab_results *results,
			    const struct mm_report_options *options, uint32_t number)
{
	const union slab_accounting_key *key = &slab_account_at(results->accounts, number)->key;

	return matches_thread(results, options, key->tid) &&
	       matches_kind(results, options, key->kind) &&
	       matches_site(results, options, key->code);
}

bool slab_selects(const struct slab_results *results, uint32_t code, uint32_t kind)
{
	const struct mm_report_options *options =
		results->selection ? results->selection->options : NULL;

	return !options ||
	       (matches_kind(results, options, kind) && matches_site(results, options, code));
}

bool slab_selects_thread(const struct slab_results *results, uint32_t tid)
{
	return !results->selection || matches_thread(results, results->selection->options, tid);
}

const struct slab_site *slab_unlisted_site(const struct slab_results *results,
					   const struct mm_report_options *options, uint32_t number)
{
	if (results->selection)
		return slab_recorder_site(&results->selection->unlisted, number);
	return options->include_recorder ? NULL : slab_recorder_site(results->recorder, number);
}

bool slab_lists_account(const struct slab_results *results, const struct mm_report_options *options,
			uint32_t account)
{
	if (results->selection)
		return !slab_recorder_is_account(&results->selection->unlisted, account);
	return options->include_recorder || !slab_recorder_is_account(results->recorder, account);
}

struct search {
	const struct slab_results *results;
	const struct mm_report_options *options;
};

static bool is_unlisted(const void *user, uint32_t account)
{
	const struct search *search = user;

	return !slab_lists_account(search->results, search->options, account) ||
	       !matches_account(search->results, search->options, account);
}

/* Who does what, of the accounts that are listed. */
static int tally(struct slab_selection *selection, const struct slab_results *results)
{
	const bool *unlisted = selection->unlisted.accounts;
	const struct slab_object *object;
	uint32_t at = 0;

	if (slab_tallies_init(&selection->tallies) ||
	    slab_tallies_add_accounts(&selection->tallies, results->accounts, unlisted))
		return -1;
	while ((object = slab_pairing_next_live(results->pairing, &at)))
		if (slab_tallies_add_live(&selection->tallies, object->address, object->bytes_alloc,
					  &slab_account_at(results->accounts, object->account)->key,
					  unlisted[object->account]))
			return -1;
	return 0;
}

static void describe(const struct mm_report_options *options, char *text, size_t size)
{
	size_t at = 0;

	if (options->cache)
		at += (size_t)snprintf(text, size, " --cache=%s", options->cache);
	if (options->call_site && at < size)
		at += (size_t)snprintf(text + at, size - at, " --call-site=%s", options->call_site);
	if (options->by_pid && at < size)
		snprintf(text + at, size - at, " --pid=%" PRId32, options->pid);
}

static void conclude(const struct slab_selection *selection, const struct slab_results *results,
		     struct mm_report *report)
{
	const struct mm_report_options *options = selection->options;
	uint32_t listed = 0, matching = 0;
	char text[512];

	for (uint32_t i = 1; i < slab_accounts_count(results->accounts); i++) {
		listed += !selection->unlisted.accounts[i];
		matching += matches_account(results, options, i);
	}
	describe(options, text, sizeof(text));
	if (listed)
		mm_report_remark(
			report,
			"Lists are restricted by%s; totals, metrics and the findings, without those of single call sites and caches, are of the whole trace, leak candidates excepted.",
			text);
	else if (matching)
		mm_report_remark(
			report,
			"Only the recorder's own processes match%s, which lists leave out (--include-recorder).",
			text);
	else
		mm_report_remark(report, "Nothing in the trace matches%s: the lists are empty.",
				 text);
}

const struct slab_results *slab_select(struct slab_selection *selection,
				       const struct slab_results *results,
				       const struct mm_report_options *options,
				       struct mm_report *report)
{
	const struct search search = { results, options };

	if (!is_active(options))
		return results;
	selection->options = options;
	selection->unlisted.threads = results->threads;
	if (slab_recorder_take(&selection->unlisted, results->pairing, is_unlisted, &search) ||
	    tally(selection, results))
		return NULL;
	selection->tracker = *results->tracker;
	selection->tracker.tallies.threads = selection->tallies.threads;
	selection->tracker.tallies.freers = selection->tallies.freers;
	selection->results = *results;
	selection->results.tracker = &selection->tracker;
	selection->results.selection = selection;
	conclude(selection, results, report);
	return &selection->results;
}

void slab_selection_release(struct slab_selection *selection)
{
	if (!selection->options)
		return;
	slab_recorder_release(&selection->unlisted);
	slab_tallies_release(&selection->tallies);
}

static bool is_one_of(const struct mm_table_def *def, const struct mm_table_def *const *defs,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (defs[i] == def)
			return true;
	return false;
}

void slab_selection_hide(const struct slab_selection *selection, struct mm_report *report)
{
	static const struct mm_table_def *const diagnostics[] = {
		&slab_table_anomalies,	    &slab_table_mismatched_frees,
		&slab_table_freed_untraced, &slab_table_untraced_paths,
		&slab_table_totals,
	};
	/* By none of the three, by process alone, by call site and cache alone. */
	static const struct mm_table_def *const others[] = { &slab_table_cpu_matrix,
							     &slab_table_nodes,
							     &slab_table_page_orders,
							     &slab_table_page_flags };
	static const struct mm_table_def *const pairs[] = { &slab_table_cross_process_frees };
	static const struct mm_table_def *const sites[] = { &slab_table_cross_node,
							    &slab_table_failed };
	const struct mm_report_options *options = selection->options;

	for (size_t i = 0; options && i < report->table_count; i++) {
		struct mm_table *table = report->tables[i];

		if (is_one_of(table->def, diagnostics, 5) ||
		    (!options->by && (is_one_of(table->def, others, 4) ||
				      (!options->by_pid && is_one_of(table->def, pairs, 1)) ||
				      (options->by_pid && is_one_of(table->def, sites, 2)))))
			table->hidden = true;
	}
}
