// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Compares `lttng-mm report slab --json` with slab-truth.ko's account in /proc/slab-truth:
 *
 * exact TRUTH REPORT HISTS: the report must equal the account for each call site, and contain only
 * the deliberate errors. Counts and bytes must equal ftrace's. (HISTS is the folder of ftrace's
 * histograms by call site.)
 *
 * cut TRUTH REPORT WHOLE END: the report is about a trace without some packets. WHOLE is the report
 * of the complete trace. END is the report of the complete trace up to the time at which the first
 * stream of the cut trace ends. Every object that REPORT lists as leaked must have been live at
 * that time, and every error in REPORT must be real.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/slab/slab-report.h"
#include "tests/tap.h"

enum { ROWS = 64 };

#define MODULE "[slab_truth]"

struct truth_site {
	char name[64], kind[48], seen[16];
	uint64_t allocs, frees, live, untraced, wrong, other_cpu, req, given, kfreed;
	uint64_t cross_allocs, cross_frees;
};

struct truth_freer {
	char name[64], seen[16];
	uint64_t count;
};

struct truth_wrong {
	uint64_t count, found;
	char first[64], second[64], what[96];
};

static struct {
	struct truth_site sites[ROWS];
	struct truth_freer freers[ROWS];
	struct truth_wrong wrongs[ROWS];
	size_t site_count, freer_count, wrong_count;
	uint64_t operations, failed, pieces, leaks_kept, nodes;
} truth;

static void at_least(const char *where, const char *what, uint64_t want, uint64_t got)
{
	tap_compared++;
	if (got < want)
		tap_differ("%s: %s: %" PRIu64 " at least, %" PRIu64 " reported", where, what, want,
			   got);
}

static bool parse_line(const char *line)
{
	struct truth_site site;
	struct truth_freer freer;
	struct truth_wrong wrong = { 0 };

	if (sscanf(line,
		   "site %63s %47s %15s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		   site.name, site.kind, site.seen, &site.allocs, &site.frees, &site.live,
		   &site.untraced, &site.wrong, &site.other_cpu, &site.req, &site.given,
		   &site.kfreed, &site.cross_allocs, &site.cross_frees) == 14 &&
	    truth.site_count < ROWS)
		truth.sites[truth.site_count++] = site;
	else if (sscanf(line, "free %63s %15s %" SCNu64, freer.name, freer.seen, &freer.count) ==
			 3 &&
		 truth.freer_count < ROWS)
		truth.freers[truth.freer_count++] = freer;
	else if (sscanf(line, "wrong %" SCNu64 " %63s %63s %95[^\n]", &wrong.count, wrong.first,
			wrong.second, wrong.what) == 4 &&
		 truth.wrong_count < ROWS)
		truth.wrongs[truth.wrong_count++] = wrong;
	else
		return sscanf(line, "operations %" SCNu64, &truth.operations) == 1 ||
		       sscanf(line, "failed %" SCNu64, &truth.failed) == 1 ||
		       sscanf(line, "pieces %" SCNu64, &truth.pieces) == 1 ||
		       sscanf(line, "leaks-kept %" SCNu64, &truth.leaks_kept) == 1 ||
		       sscanf(line, "nodes %" SCNu64, &truth.nodes) == 1;
	return true;
}

static int load_truth(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[512];
	int ret = file ? 0 : -1;

	while (!ret && fgets(line, sizeof(line), file)) {
		if (parse_line(line))
			continue;
		fprintf(stderr, "%s: cannot be parsed: %s", path, line);
		ret = -1;
	}
	if (file)
		fclose(file);
	if (!truth.site_count || !truth.freer_count || !truth.wrong_count || !truth.operations)
		ret = -1;
	if (ret)
		fprintf(stderr, "%s: lines are missing\n", path);
	return ret;
}

/*
 * Returns true if @call_site, such as `take_cache+0x1d [slab_truth]`, is in @function. If @function
 * is NULL, any function of the test module matches.
 */
static bool is_in(const char *call_site, const char *function)
{
	size_t length = function ? strlen(function) : 0;

	if (function && (strncmp(call_site, function, length) || call_site[length] != '+'))
		return false;
	return strstr(call_site, MODULE) || (function && !strcmp(function, "kvfree"));
}

static const struct truth_site *find_site(const char *call_site)
{
	for (size_t i = 0; i < truth.site_count; i++)
		if (is_in(call_site, truth.sites[i].name))
			return &truth.sites[i];
	return NULL;
}

static uint64_t sum(const json_t *rows, const char *function, const char *column)
{
	uint64_t total = 0;
	const json_t *row;
	size_t index;

	json_array_foreach(rows, index, row) if (is_in(text(row, "call_site"), function)) total +=
		number(row, column);
	return total;
}

static bool is_pages(const struct truth_site *site)
{
	return !strcmp(site->kind, "pages");
}

static void check_kinds(const json_t *rows, const struct truth_site *site)
{
	const char *kind = is_pages(site) ? "pages of order 0" : site->kind;
	const json_t *row;
	size_t index;

	json_array_foreach(rows, index, row) if (is_in(text(row, "call_site"), site->name) &&
						 strcmp(kind, "-") &&
						 strcmp(text(row, "kind"), kind))
		tap_differ("%s: of %s, not %s", site->name, text(row, "kind"), kind);
}

/*
 * Objects that are passed to RCU are freed later, and on some kernels no event reports this free.
 * Each object still has one outcome: freed, allocated again, or pending and listed separately.
 */
static void check_rcu_site(const json_t *report, const struct truth_site *site)
{
	const json_t *rows = table(report, "call-sites"), *apart = table(report, "leaks-uncertain");
	uint64_t frees = sum(rows, site->name, "paired");

	if (!strcmp(site->seen, "rcu-seen"))
		tap_compare(site->name, "frees", site->frees, frees);
	tap_compare(site->name, "freed, allocated again and pending", site->allocs,
		    frees + sum(rows, site->name, "freed_untraced") +
			    sum(apart, site->name, "live"));
	at_least("slab.kfree_rcu", "calls", site->frees, metric(report, "slab.kfree_rcu", ""));
}

static void check_site(const json_t *report, const struct truth_site *site)
{
	const json_t *rows = table(report, "call-sites");
	bool rcu = !strncmp(site->seen, "rcu", 3);

	tap_compare(site->name, "allocations", site->allocs, sum(rows, site->name, "allocations"));
	tap_compare(site->name, "anomalies", site->wrong, sum(rows, site->name, "anomalies"));
	tap_compare(site->name, "undetermined", 0, sum(rows, site->name, "undetermined"));
	tap_compare(site->name, "freed by kfree()", site->kfreed,
		    sum(rows, site->name, "freed_by_kfree"));
	check_kinds(rows, site);
	if (site->req) {
		tap_compare(site->name, "requested bytes", site->allocs * site->req,
			    sum(rows, site->name, "bytes_requested"));
		tap_compare(site->name, "allocated bytes", site->allocs * site->given,
			    sum(rows, site->name, "bytes_allocated"));
	}
	if (rcu) {
		check_rcu_site(report, site);
		return;
	}
	tap_compare(site->name, "frees", site->frees, sum(rows, site->name, "paired"));
	tap_compare(site->name, "freed on the other CPU", site->other_cpu,
		    sum(rows, site->name, "remote_frees"));
	tap_compare(site->name, "allocated again", site->untraced,
		    sum(rows, site->name, "freed_untraced"));
	tap_compare(site->name, "live", site->live, sum(rows, site->name, "live"));
	tap_compare(site->name, "bytes live", site->live * site->given,
		    sum(rows, site->name, "live_bytes"));
}

static void check_freers(const json_t *report)
{
	const json_t *rows = table(report, "freeing-call-sites"), *row;
	size_t index;

	for (size_t i = 0; i < truth.freer_count; i++) {
		const struct truth_freer *freer = &truth.freers[i];
		uint64_t got = sum(rows, freer->name, "count");

		/*
		 * kvfree() calls kfree() or jumps to it. After a jump, the call site is in
		 * kvfree()'s caller.
		 */
		if (!strcmp(freer->seen, "perhaps") && !got)
			at_least("kvfree", "frees", freer->count, sum(rows, "kvfree", "count"));
		else if (strcmp(freer->seen, "later"))
			tap_compare(freer->name, "frees", freer->count, got);
	}
	json_array_foreach(rows, index, row)
	{
		bool known = !is_in(text(row, "call_site"), NULL);

		for (size_t i = 0; i < truth.freer_count; i++)
			known |= is_in(text(row, "call_site"), truth.freers[i].name);
		if (!known)
			tap_differ("%s: does not free anything", text(row, "call_site"));
	}
}

static void check_leaks(const json_t *report)
{
	const json_t *leaks = table(report, "leaks"), *row;
	size_t index;

	for (size_t i = 0; i < truth.site_count; i++) {
		const struct truth_site *site = &truth.sites[i];
		/* Pages are not leak candidates. */
		uint64_t live = is_pages(site) ? 0 : site->live;

		tap_compare(site->name, "leaked", live, sum(leaks, site->name, "live"));
		tap_compare(site->name, "leaked bytes", live * site->given,
			    sum(leaks, site->name, "live_bytes"));
		if (strncmp(site->seen, "rcu", 3))
			tap_compare(site->name, "leaked, perhaps", 0,
				    sum(table(report, "leaks-uncertain"), site->name, "live"));
	}
	json_array_foreach(leaks, index, row) if (is_in(text(row, "call_site"), NULL) &&
						  !find_site(text(row, "call_site")))
		tap_differ("%s: does not leak", text(row, "call_site"));
}

/*
 * Returns the name of a call site. If the cut report has only its number, looks up the number in
 * the whole report.
 */
static const char *name_of(const char *call_site, const json_t *whole)
{
	static const char *const tables[] = { "call-sites", "freeing-call-sites" };
	uint64_t code;

	if (!whole || sscanf(call_site, "0x%" SCNx64, &code) != 1)
		return call_site;
	for (size_t t = 0; t < 2; t++) {
		const json_t *row;
		size_t index;

		json_array_foreach(table(whole, tables[t]), index,
				   row) if (number(row, "call_site_number") ==
					    code) return text(row, "call_site");
	}
	return call_site;
}

static struct truth_wrong *find_wrong(const char *what, const char *first, const char *second)
{
	for (size_t i = 0; i < truth.wrong_count; i++) {
		struct truth_wrong *wrong = &truth.wrongs[i];
		bool alone = !strcmp(wrong->second, "-");

		if (!strcmp(wrong->what, what) && is_in(first, wrong->first) &&
		    (alone ? !second : second && is_in(second, wrong->second)))
			return wrong;
	}
	return NULL;
}

/*
 * Checks that each reported error is deliberate, and is not reported more often than the module
 * caused it. Without missing packets, all errors must be reported.
 */
static void check_wrongs(const json_t *report, const json_t *whole)
{
	const json_t *rows = table(report, "anomalies");

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i), *next = json_array_get(rows, i + 1);
		const char *first = name_of(text(row, "call_site"), whole), *second = NULL;
		struct truth_wrong *wrong;

		/* The second row of an error does not repeat the description. */
		if (next && !*text(next, "what")) {
			second = name_of(text(next, "call_site"), whole);
			i++;
		}
		wrong = find_wrong(text(row, "what"), first, second);
		if (wrong)
			wrong->found++;
		else
			tap_differ("%s: %s, then %s: not done", text(row, "what"), first,
				   second ? second : "nothing");
	}
	for (size_t i = 0; i < truth.wrong_count; i++) {
		const struct truth_wrong *wrong = &truth.wrongs[i];

		if (!whole)
			tap_compare(wrong->what, "times", wrong->count, wrong->found);
		else if (wrong->found > wrong->count)
			tap_differ("%s: %" PRIu64 " times, more often than performed", wrong->what,
				   wrong->found);
	}
}

static void check_legal(const json_t *report)
{
	const json_t *row;
	size_t index;

	json_array_foreach(table(report, "mismatched-frees"), index, row)
	{
		const char *what = text(row, "what");

		for (size_t i = 0; i < truth.freer_count; i++) {
			const struct truth_freer *freer = &truth.freers[i];

			if ((!strcmp(freer->name, "free_through_cache") &&
			     strstr(what, "by kmem_cache_free()")) ||
			    (!strcmp(freer->name, "free_cache_by_kfree") &&
			     strstr(what, "objects of a cache")))
				at_least(what, "times", freer->count, number(row, "count"));
		}
		if (strstr(what, "partly freed"))
			at_least(what, "times", truth.pieces, number(row, "count"));
	}
	at_least("mismatched but legal frees", "kinds", 3,
		 json_array_size(table(report, "mismatched-frees")));
}

static void check_complete(const json_t *report)
{
	const json_t *row;
	uint64_t wrong = 0;
	size_t index;

	for (size_t i = 0; i < truth.wrong_count; i++)
		if (strcmp(truth.wrongs[i].second, "-"))
			wrong += truth.wrongs[i].count;
	tap_compare("the complete trace", "inconsistent", wrong, outcome(report, "anomalies"));
	tap_compare("the trace", "events discarded", 0, coverage(report, "events_discarded"));
	tap_compare("the trace", "packets lost", 0, coverage(report, "packets_lost"));
	json_array_foreach(table(report, "untraced-paths"), index, row)
		tap_compare(text(row, "function"), "calls missed", 0, number(row, "missed"));
	tap_compare("the module", "failed allocations", 0, truth.failed);
	tap_compare("the module", "leaks kept", 1, truth.leaks_kept);
}

/* Sums over the entries of a function in one of ftrace's histograms. */
struct hist_row {
	uint64_t hits, req, given;
};

/* { call_site: [ffffffffc0a1b2c3] take_cache  [slab_truth] } hitcount: 7  bytes_req: 1400 ... */
static void add_hist(struct hist_row *hist, const char *line, const char *function)
{
	const char *hits = strstr(line, "hitcount:"), *req = strstr(line, "bytes_req:"),
		   *given = strstr(line, "bytes_alloc:");
	char name[64];

	if (sscanf(line, "{ call_site: [%*x] %63s", name) != 1 || strcmp(name, function) || !hits ||
	    !strstr(line, MODULE))
		return;
	hist->hits += strtoull(hits + strlen("hitcount:"), NULL, 10);
	hist->req += req ? strtoull(req + strlen("bytes_req:"), NULL, 10) : 0;
	hist->given += given ? strtoull(given + strlen("bytes_alloc:"), NULL, 10) : 0;
}

static struct hist_row load_hists(const char *folder, const char *const *events,
				  const char *function)
{
	struct hist_row hist = { 0 };
	char path[512], line[1024];

	for (; *events; events++) {
		bool complete = false;
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", folder, *events);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file)) {
			uint64_t dropped;

			add_hist(&hist, line, function);
			if (sscanf(line, " Dropped: %" SCNu64, &dropped) == 1)
				complete = !dropped;
		}
		if (!complete)
			tap_differ("%s: incomplete", path);
		if (file)
			fclose(file);
	}
	return hist;
}

static void check_hists(const json_t *report, const char *folder)
{
	static const char *const allocs[] = { "kmalloc", "kmem_cache_alloc", NULL };
	static const char *const frees[] = { "kfree", "kmem_cache_free", NULL };
	const json_t *sites = table(report, "call-sites"),
		     *freers = table(report, "freeing-call-sites");

	for (size_t i = 0; i < truth.site_count; i++) {
		const char *name = truth.sites[i].name;
		struct hist_row hist = load_hists(folder, allocs, name);

		/* No tracepoint reports bulk allocations. */
		if (!strcmp(truth.sites[i].seen, "hooked")) {
			tap_compare(name, "allocations in ftrace", 0, hist.hits);
			continue;
		}
		tap_compare(name, "ftrace's allocations", hist.hits,
			    sum(sites, name, "allocations"));
		tap_compare(name, "ftrace's requested bytes", hist.req,
			    sum(sites, name, "bytes_requested"));
		tap_compare(name, "ftrace's allocated bytes", hist.given,
			    sum(sites, name, "bytes_allocated"));
	}
	for (size_t i = 0; i < truth.freer_count; i++) {
		const char *name = truth.freers[i].name;
		struct hist_row hist = load_hists(folder, frees, name);

		if (!strcmp(truth.freers[i].seen, "hooked") ||
		    !strcmp(truth.freers[i].seen, "later"))
			tap_compare(name, "frees in ftrace", 0, hist.hits);
		else
			tap_compare(name, "ftrace's frees", hist.hits, sum(freers, name, "count"));
	}
}

/*
 * Checks, for each call site, the allocations and frees on a CPU whose node is not the memory's
 * node. Excludes simulated events and RCU's later frees. On a machine with a single node, the
 * report must not have the table.
 */
static void check_nodes(const json_t *report)
{
	const json_t *rows = json_object_get(json_object_get(report, "tables"), "cross-node");
	uint64_t allocs = 0, frees = 0;

	if (truth.nodes < 2) {
		tap_compare("one node", "cross-node tables", 0, !!rows);
		return;
	}
	for (size_t i = 0; i < truth.site_count; i++) {
		const struct truth_site *site = &truth.sites[i];

		if (!strncmp(site->name, "say_", 4))
			continue;
		allocs += site->cross_allocs;
		tap_compare(site->name, "allocated cross-node", site->cross_allocs,
			    sum(rows, site->name, "cross_node_allocations"));
		if (!strncmp(site->seen, "rcu", 3))
			continue;
		frees += site->cross_frees;
		tap_compare(site->name, "freed cross-node", site->cross_frees,
			    sum(rows, site->name, "cross_node_frees"));
	}
	at_least("the module", "allocations cross-node", 1, allocs);
	at_least("the module", "frees cross-node", 1, frees);
	printf("# %" PRIu64 " nodes: %" PRIu64 " allocated and %" PRIu64 " freed cross-node\n",
	       truth.nodes, allocs, frees);
	at_least("the report", "objects of known node", truth.operations * 2 / 5,
		 metric(report, "slab.node_of_memory", "allocation,object,same,") +
			 metric(report, "slab.node_of_memory", "allocation,object,other,"));
	tap_compare("the report", "objects of unknown node", 0,
		    metric(report, "slab.node_of_memory", "allocation,object,unknown,"));
	tap_compare("the report", "pages of unknown node", 0,
		    metric(report, "slab.node_of_memory", "allocation,pages,unknown,"));
}

/* Checks that each object has exactly one outcome. */
static void check_outcomes(const json_t *report)
{
	const json_t *row;
	size_t index;

	json_array_foreach(table(report, "call-sites"), index, row) tap_compare(
		text(row, "call_site"), "allocations by outcome", number(row, "allocations"),
		number(row, "paired") + number(row, "live") + number(row, "freed_untraced") +
			number(row, "anomalies") + number(row, "undetermined"));
}

static void check_exactly(const json_t *report)
{
	const json_t *row;
	size_t index;

	uint64_t pages = 0;

	check_complete(report);
	check_outcomes(report);
	for (size_t i = 0; i < truth.site_count; i++)
		pages += is_pages(&truth.sites[i]) ? truth.sites[i].allocs : 0;
	at_least("the module", "pages in bulk", 1000, pages);
	for (size_t i = 0; i < truth.site_count; i++)
		check_site(report, &truth.sites[i]);
	json_array_foreach(table(report, "call-sites"), index,
			   row) if (is_in(text(row, "call_site"), NULL) &&
				    !find_site(text(row, "call_site")))
		tap_differ("%s: does not allocate anything", text(row, "call_site"));
	check_freers(report);
	check_leaks(report);
	check_wrongs(report, NULL);
	check_legal(report);
	check_nodes(report);
}

/*
 * Returns the sum of @column over rows of table @name. The rows must have @like's call-site number
 * and, unless @also is NULL, @like's value in the column @also. Ignores the kinds of caches,
 * because caches have no names without a state dump.
 */
static uint64_t count_like(const json_t *report, const char *name, const json_t *like,
			   const char *also, const char *column)
{
	uint64_t total = 0;
	const json_t *row;
	size_t index;

	json_array_foreach(table(report, name), index,
			   row) if (number(row, "call_site_number") ==
					    number(like, "call_site_number") &&
				    (!also || number(row, also) == number(like, also))) total +=
		number(row, column);
	return total;
}

/*
 * Checks that pairs are correct even near lost packets. The lifetime would reveal a wrong pair,
 * which consists of the allocation of one object and the free of the next object at the same
 * address.
 */
static void check_pairs(const json_t *report, const json_t *whole)
{
	const json_t *row;
	size_t index;

	json_array_foreach(table(report, "lifetimes"), index, row)
	{
		uint64_t got = count_like(report, "lifetimes", row, "from_ns", "count");
		uint64_t want = count_like(whole, "lifetimes", row, "from_ns", "count");

		tap_compared++;
		if (got > want)
			tap_differ("code 0x%" PRIx64 ": %" PRIu64
				   " pairs with a lifetime of %" PRIu64
				   " ns or more, more than exist",
				   number(row, "call_site_number"), got, number(row, "from_ns"));
	}
	at_least("the module", "undetermined objects around the gap", 1,
		 sum(table(report, "call-sites"), NULL, "undetermined"));
}

static void check_cut(const json_t *report, const json_t *whole, const json_t *end)
{
	uint64_t leaks = 0;
	const json_t *row;
	size_t index;

	json_array_foreach(table(report, "leaks"), index, row)
	{
		uint64_t live = count_like(report, "leaks", row, NULL, "live");

		tap_compared++;
		leaks += number(row, "live");
		if (live > count_like(end, "leaks", row, NULL, "live") +
				   count_like(end, "leaks-uncertain", row, NULL, "live"))
			tap_differ("%s: %" PRIu64 " leaked: more than exist",
				   name_of(text(row, "call_site"), whole), live);
	}
	if (coverage(report, "packets_lost"))
		check_pairs(report, whole);
	if (outcome(report, "paired") >= outcome(whole, "paired"))
		tap_differ("nothing is missing");
	check_wrongs(report, whole);
	check_outcomes(report);
	printf("# %" PRIu64 " pairs of %" PRIu64 ", %" PRIu64 " unknown, %" PRIu64
	       " leaked, %" PRIu64 " inconsistent of %" PRIu64 "\n",
	       outcome(report, "paired"), outcome(whole, "paired"), outcome(report, "undetermined"),
	       leaks, outcome(report, "anomalies"), outcome(whole, "anomalies"));
}

int main(int argc, char **argv)
{
	bool cut = argc == 6 && !strcmp(argv[1], "cut");
	json_t *reports[3] = { 0 };

	if (!cut && (argc != 5 || strcmp(argv[1], "exact"))) {
		fputs("Usage: check-slab-truth exact TRUTH REPORT HISTS\n"
		      "       check-slab-truth cut TRUTH REPORT WHOLE END\n",
		      stderr);
		return 2;
	}
	if (load_truth(argv[2]))
		return 2;
	for (int i = 0; i < (cut ? 3 : 1); i++) {
		reports[i] = load_report(argv[3 + i]);
		if (!reports[i])
			return 2;
	}
	if (cut) {
		check_cut(reports[0], reports[1], reports[2]);
	} else {
		check_exactly(reports[0]);
		check_hists(reports[0], argv[4]);
	}
	for (int i = 0; i < 3; i++)
		json_decref(reports[i]);
	return tap_verdict("values", tap_compared);
}
