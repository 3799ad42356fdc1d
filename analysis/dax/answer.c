// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Answers the DAX report: how many accesses fell back, what that cost, why, where, and the remedy.
 * Sample:
 *
 *   249 of 472 accesses to 2 MiB ranges (52.8 %) fell back to 4 KiB pages: 458 attempts, 2.1 ms,
 *   and 249 faults of 4 KiB after them, 3.3 ms, together 56.2 % of the time of all DAX faults.
 *   Huge pages would have taken about 1.9 ms instead of these 5.4 ms, by the median of 211 faults;
 *   by their mean 2.6 ms.
 *   Main cause: private-write, 1.3 ms in 140 accesses: write to a private mapping: the kernel ...
 *   1 of its 280 attempts (median 0.4 us) took 1 ms or more, 1.2 ms in all; so did 2 faults without
 *   fallback, 2.3 ms. They probably waited or were interrupted: `lttng-mm report why` shows which.
 *   Remedy: map with MAP_SHARED, or expect 4 KiB copies. This is not enough for 31 of the 280
 *   attempts, which would also fail other checks: past-eof 31, ends-after-vma 12.
 *   File /mnt/pmem/a, inode 0x2e, accounts for 76.2 % of the time in fallbacks (1.6 ms), process
 *   db (pid 77) for 42.9 % (0.9 ms).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/dax/dax-schema.h"
#include "analysis/dax/dax-state.h"
#include "reader/report/units.h"
#include "reader/report/render.h"
#include "util/plural.h"
#include "util/text.h"

#define FIRST_ROWS 8
/*
 * Minimum number of huge-page faults for an estimate. With fewer faults, their mean is not useful.
 */
#define ESTIMATE_FAULTS 20
/* A reason is named if at least 1/NAMED_SHARE of the 4 KiB faults have this reason. */
#define NAMED_SHARE 10

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

struct dax_totals dax_sum_up(const struct dax_state *state)
{
	struct dax_totals totals = { 0 };

	for (size_t i = 0; i < state->file_count; i++) {
		const struct dax_file *file = &state->files[i];

		totals.pmd += dax_file_faults(file, DAX_KIND_PMD);
		totals.pmd_mapped += file->faults[DAX_KIND_PMD][DAX_OUTCOME_MAPPED];
		totals.pmd_fallbacks += file->faults[DAX_KIND_PMD][DAX_OUTCOME_FALLBACK];
		totals.pte += dax_file_faults(file, DAX_KIND_PTE);
		dax_attempts_merge(&totals.attempts, &file->attempts);
	}
	for (size_t i = 0; i < state->group_count; i++) {
		totals.all_ns += state->groups[i].ns;
		if (state->groups[i].key.kind == DAX_KIND_PTE)
			totals.pte_ns += state->groups[i].ns;
		else if (state->groups[i].key.outcome == DAX_OUTCOME_MAPPED)
			totals.mapped_ns += state->groups[i].ns;
	}
	return totals;
}

static void answer_total(const struct dax_state *state, const struct dax_totals *totals,
			 struct mm_report *report)
{
	const uint64_t taken_ns = totals->attempts.fallback_ns + state->after_fallback_ns;
	uint64_t all = totals->pmd, fallbacks = totals->pmd_fallbacks;
	const char *noun = "huge-page fault", *least = report->incomplete ? "At least " : "";
	char ns[MM_NUMBER_TEXT], after_ns[MM_NUMBER_TEXT], attempts[64] = "";
	char after[MM_NUMBER_TEXT + 80] = "", share[80] = "";

	if (state->counts_accesses) {
		all -= totals->attempts.repeated;
		fallbacks -= totals->attempts.fallback_repeated;
		noun = "access to a 2 MiB range";
		if (all != 1)
			noun = "accesses to 2 MiB ranges";
	} else if (all != 1) {
		noun = "huge-page faults";
	}
	if (!all) {
		mm_report_answer(report, "No huge-page fault%s.",
				 report->lacking ? " is known: events are missing" : "");
		return;
	}
	if (!fallbacks) {
		mm_report_answer(report, "None of %" PRIu64 " %s %s to 4 KiB pages.", all, noun,
				 report->lacking ? "is known to have fallen back" : "fell back");
		return;
	}
	if (fallbacks != totals->pmd_fallbacks)
		snprintf(attempts, sizeof(attempts), "%" PRIu64 " attempts, ",
			 totals->pmd_fallbacks);
	mm_render_ns(ns, sizeof(ns), (double)totals->attempts.fallback_ns);
	mm_render_ns(after_ns, sizeof(after_ns), (double)state->after_fallback_ns);
	if (state->after_fallback)
		snprintf(after, sizeof(after), ", and %" PRIu64 " fault%s of 4 KiB after them, %s",
			 state->after_fallback, mm_plural_s(state->after_fallback), after_ns);
	if (!report->incomplete)
		snprintf(share, sizeof(share), ",%s %.1f %% of the time of all %s faults",
			 state->after_fallback ? " together" : "",
			 percent(taken_ns, totals->all_ns),
			 state->counts_accesses ? "DAX" : "recorded");
	mm_report_answer(
		report,
		"%s%" PRIu64 " of %" PRIu64 " %s (%.1f %%) fell back to 4 KiB pages: %s%s%s%s.",
		least, fallbacks, all, noun, percent(fallbacks, all), attempts, ns, after, share);
}

double dax_estimate_huge(const struct dax_state *state, const struct dax_totals *totals,
			 uint64_t accesses)
{
	if (!state->counts_accesses || totals->pmd_mapped < ESTIMATE_FAULTS)
		return -1;
	return (double)accesses * (double)totals->mapped_ns / (double)totals->pmd_mapped;
}

/* Returns the median time of the faults that mapped a huge page. */
static uint64_t median_huge(const struct dax_state *state)
{
	for (uint32_t i = 0; i < state->group_count; i++) {
		const struct dax_group *group = &state->groups[i];

		if (group->key.kind == DAX_KIND_PMD && group->key.outcome == DAX_OUTCOME_MAPPED)
			return group->quantile_ns[0];
	}
	return 0;
}

/*
 * States how long the accesses that fell back took, and estimates how long huge pages would have
 * taken. A few slow faults can dominate the mean, so the median is stated, too.
 */
static void answer_net(const struct dax_state *state, const struct dax_totals *totals,
		       struct mm_report *report)
{
	const uint64_t accesses = totals->pmd_fallbacks - totals->attempts.fallback_repeated;
	const double taken_ns = (double)(totals->attempts.fallback_ns + state->after_fallback_ns);
	const double huge_ns = dax_estimate_huge(state, totals, accesses);
	const double by_median_ns = (double)accesses * (double)median_huge(state);
	char taken[MM_NUMBER_TEXT], mean[MM_NUMBER_TEXT], median[MM_NUMBER_TEXT];

	if (huge_ns < 0 || !accesses)
		return;
	mm_render_ns(taken, sizeof(taken), taken_ns);
	mm_render_ns(mean, sizeof(mean), huge_ns);
	mm_render_ns(median, sizeof(median), by_median_ns);
	mm_report_answer(
		report,
		"Huge pages would have taken about %s%s these %s, by the median of %" PRIu64
		" faults; by their mean %s.",
		median, by_median_ns < taken_ns ? " instead of" : ", no less than", taken,
		totals->pmd_mapped, mean);
}

/*
 * Writes to @text what led to the 4 KiB faults: " (249 after fallbacks, 213 in ranges with 4 KiB
 * pages already, 8 others)". @text is empty if all 4 KiB faults followed fallbacks.
 */
static void pte_reasons(const struct dax_state *state, uint64_t all, char *text, size_t size)
{
	const struct {
		uint64_t count;
		const char *what;
	} parts[] = {
		{ state->after_fallback, "after fallbacks" },
		{ state->no_pmd[DAX_NO_PMD_PAGE_TABLE], "in ranges with 4 KiB pages already" },
		{ state->no_pmd[DAX_NO_PMD_NOHUGEPAGE], "in mappings with MADV_NOHUGEPAGE" },
		{ state->no_pmd[DAX_NO_PMD_WRITE_PROTECT], "in pages mapped read-only" },
		{ state->no_pmd[DAX_NO_PMD_UNDETERMINED], "for unknown reasons" },
	};
	uint64_t others = all;
	char list[256] = "", part[64];

	text[0] = '\0';
	if (all == state->after_fallback)
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i].count || parts[i].count < all / NAMED_SHARE)
			continue;
		snprintf(part, sizeof(part), "%" PRIu64 " %s", parts[i].count, parts[i].what);
		mm_words_add(list, sizeof(list), part);
		others -= parts[i].count;
	}
	if (others) {
		snprintf(part, sizeof(part), "%" PRIu64 " other%s", others, mm_plural_s(others));
		mm_words_add(list, sizeof(list), part);
	}
	snprintf(text, size, " (%s)", list);
}

/*
 * States the time of all faults, the shares of fallbacks, huge pages and 4 KiB faults, and what led
 * to 4 KiB faults. If fallbacks and the faults after them took at least half of the time, adds this
 * as a finding, not as an answer: the first screen then has more room for the table of causes.
 */
static void answer_faults(const struct dax_state *state, const struct dax_totals *totals,
			  struct mm_report *report)
{
	const uint64_t fallback_ns = totals->attempts.fallback_ns;
	const uint64_t known_ns = totals->mapped_ns + fallback_ns + totals->pte_ns;
	char all[MM_NUMBER_TEXT], mapped[MM_NUMBER_TEXT], fallbacks[MM_NUMBER_TEXT];
	char pte[MM_NUMBER_TEXT], other[MM_NUMBER_TEXT], reasons[300];
	void (*const say)(struct mm_report * report, const char *fmt, ...) =
		2 * (fallback_ns + state->after_fallback_ns) < totals->all_ns ? mm_report_answer
									      : mm_report_finding;

	mm_render_ns(all, sizeof(all), (double)totals->all_ns);
	mm_render_ns(mapped, sizeof(mapped), (double)totals->mapped_ns);
	mm_render_ns(fallbacks, sizeof(fallbacks), (double)fallback_ns);
	mm_render_ns(pte, sizeof(pte), (double)totals->pte_ns);
	mm_render_ns(other, sizeof(other), (double)(totals->all_ns - known_ns));
	pte_reasons(state, totals->pte, reasons, sizeof(reasons));
	if (totals->pmd && totals->pte)
		say(report,
		    "All DAX faults took %s: %" PRIu64
		    " huge page%s %s, fallbacks %s, others %s, %" PRIu64 " fault%s of 4 KiB %s%s.",
		    all, totals->pmd_mapped, mm_plural_s(totals->pmd_mapped), mapped, fallbacks,
		    other, totals->pte, mm_plural_s(totals->pte), pte, reasons);
	else
		say(report, "All %" PRIu64 " DAX fault%s took %s%s.", totals->pmd + totals->pte,
		    mm_plural_s(totals->pmd + totals->pte), all, reasons);
}

/*
 * States how many faults failed with SIGBUS or for lack of memory, because programs notice these
 * failures.
 */
static void answer_failures(const struct dax_state *state, struct mm_report *report)
{
	uint64_t sigbus = 0, oom = 0, most = 0;
	const struct dax_file *file = NULL;
	char lack[64] = "", share[40] = "all", *name;

	for (size_t i = 0; i < state->file_count; i++) {
		const uint64_t before = sigbus + oom;

		for (int kind = 0; kind < DAX_KIND_COUNT; kind++) {
			sigbus += state->files[i].faults[kind][DAX_OUTCOME_SIGBUS];
			oom += state->files[i].faults[kind][DAX_OUTCOME_OOM];
		}
		if (sigbus + oom - before > most) {
			most = sigbus + oom - before;
			file = &state->files[i];
		}
	}
	if (!file)
		return;
	name = dax_file_name(state, &file->key);
	report->failed |= !name;
	if (sigbus && oom)
		snprintf(lack, sizeof(lack), ", %" PRIu64 " for lack of memory", oom);
	if (most < sigbus + oom)
		snprintf(share, sizeof(share), "%" PRIu64 " of them", most);
	mm_report_answer(report, "%" PRIu64 " fault%s ended %s%s, %s in %s.", sigbus ? sigbus : oom,
			 mm_plural_s(sigbus ? sigbus : oom),
			 sigbus ? "in SIGBUS" : "for lack of memory", lack, share,
			 name ? name : "?");
	free(name);
}

static enum dax_cause costliest_cause(const struct dax_state *state)
{
	enum dax_cause most = DAX_CAUSE_COUNT;

	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++)
		if (state->by_cause[cause].fallback_ns &&
		    (most == DAX_CAUSE_COUNT ||
		     state->by_cause[cause].fallback_ns > state->by_cause[most].fallback_ns))
			most = (enum dax_cause)cause;
	return most;
}

/* Returns the group of faults that fell back for @cause, or NULL if there is not exactly one. */
static const struct dax_group *group_of_cause(const struct dax_state *state, enum dax_cause cause)
{
	const struct dax_group *found = NULL;

	for (uint32_t i = 0; i < state->group_count; i++) {
		const struct dax_group *group = &state->groups[i];

		if (group->key.kind != DAX_KIND_PMD || group->key.outcome != DAX_OUTCOME_FALLBACK ||
		    group->key.cause != cause || !group->latencies.count)
			continue;
		if (found)
			return NULL;
		found = group;
	}
	return found;
}

static struct dax_slow slow_others(const struct dax_state *state)
{
	struct dax_slow sum = { 0 };

	for (uint32_t i = 0; i < state->group_count; i++)
		if (state->groups[i].key.outcome != DAX_OUTCOME_FALLBACK) {
			sum.faults += state->groups[i].slow.faults;
			sum.ns += state->groups[i].slow.ns;
		}
	return sum;
}

/* Returns how to find out what slow faults spent their time on. */
static const char *slow_remedy(const struct dax_state *state)
{
	if (!state->switches_declared)
		return state->interrupts_declared
			       ? "to see which, record sched_switch and sched_waking, too"
			       : "to see which, record with --events='sched_switch,sched_waking,irq_*'";
	return state->interrupts_declared
		       ? "`lttng-mm report why` shows which"
		       : "`lttng-mm report why` shows the waits, but irq_* events were not recorded";
}

/*
 * Did slow attempts (DAX_SLOW_NS or more) take most of the time of @cause? If so, returns true, and
 * states their total time, the median of all attempts, and the number of other slow faults.
 */
static bool answer_slow(const struct dax_state *state, enum dax_cause cause,
			struct mm_report *report)
{
	const struct dax_group *group = group_of_cause(state, cause);
	char median[MM_NUMBER_TEXT], ns[MM_NUMBER_TEXT], other_ns[MM_NUMBER_TEXT], others[128] = "";
	const struct dax_slow other = slow_others(state);

	if (!group || !group->slow.faults || group->slow.ns <= group->ns / 2)
		return false;
	mm_render_ns(ns, sizeof(ns), (double)group->slow.ns);
	mm_render_ns(other_ns, sizeof(other_ns), (double)other.ns);
	mm_render_ns(median, sizeof(median), (double)group->quantile_ns[0]);
	if (other.faults)
		snprintf(others, sizeof(others),
			 "; so did %" PRIu64 " fault%s without fallback, %s", other.faults,
			 mm_plural_s(other.faults), other_ns);
	mm_report_answer(
		report,
		"%" PRIu64 " of its %" PRIu64
		" attempt%s (median %s) took 1 ms or more, %s in all%s. They probably waited or were"
		" interrupted: %s.",
		group->slow.faults, group->latencies.count, mm_plural_s(group->latencies.count),
		median, ns, others, slow_remedy(state));
	return true;
}

/*
 * Returns @text, such as "82 accesses": the number of accesses (or faults) that fell back for the
 * cause.
 */
static const char *count_text(const struct dax_state *state, const struct dax_cause_sum *sum,
			      char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 " %s", sum->fallbacks,
		 state->counts_accesses ? mm_plural(sum->fallbacks, "access", "accesses")
					: mm_plural(sum->fallbacks, "fault", "faults"));
	return text;
}

/*
 * Names the most frequent cause, unless it is also the costliest. A program may cause these
 * fallbacks on purpose, so the number of other fallbacks is stated, too.
 */
static void answer_frequent(const struct dax_state *state, const struct dax_totals *totals,
			    enum dax_cause costliest, struct mm_report *report)
{
	const struct dax_attempts *attempts = &totals->attempts;
	uint64_t all = totals->pmd - attempts->repeated;
	uint64_t fallbacks = totals->pmd_fallbacks - attempts->fallback_repeated;
	enum dax_cause most = costliest;
	const struct dax_cause_sum *sum;
	char ns[MM_NUMBER_TEXT], count[MM_NUMBER_TEXT];

	for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++)
		if (state->by_cause[cause].fallbacks > state->by_cause[most].fallbacks)
			most = (enum dax_cause)cause;
	if (most == costliest)
		return;
	sum = &state->by_cause[most];
	mm_render_ns(ns, sizeof(ns), (double)sum->fallback_ns);
	all -= sum->fallbacks;
	fallbacks -= sum->fallbacks;
	mm_report_finding(report,
			  "Most frequent cause: %s, %s, %s; of the other %" PRIu64 " %s, %" PRIu64
			  " fell back.",
			  dax_cause_info[most].id, count_text(state, sum, count, sizeof(count)), ns,
			  all,
			  state->counts_accesses ? mm_plural(all, "access", "accesses")
						 : mm_plural(all, "fault", "faults"),
			  fallbacks);
}

/*
 * Lists in @text the other checks that attempts would also have failed, most frequent check first.
 * If there are none, @text is "". Returns @text.
 */
static const char *later_text(const struct dax_cause_sum *sum, uint64_t attempts, char *text,
			      size_t size)
{
	char list[512] = "", part[64], count[64];
	bool listed[DAX_CAUSE_COUNT] = { false };

	text[0] = '\0';
	if (!sum->failed_later)
		return text;
	for (;;) {
		int most = -1;

		for (int cause = 0; cause < DAX_CAUSE_COUNT; cause++)
			if (!listed[cause] && sum->later[cause] &&
			    (most < 0 || sum->later[cause] > sum->later[most]))
				most = cause;
		if (most < 0)
			break;
		listed[most] = true;
		snprintf(part, sizeof(part), "%s %" PRIu64, dax_cause_info[most].id,
			 sum->later[most]);
		mm_words_add(list, sizeof(list), part);
	}
	snprintf(count, sizeof(count), "for %" PRIu64 " of the %" PRIu64 " attempts",
		 sum->failed_later, attempts);
	snprintf(text, size, " This is not enough %s, which would also fail other checks: %s.",
		 sum->failed_later < attempts ? count
		 : attempts == 1	      ? "for this attempt"
					      : "for these attempts",
		 list);
	return text;
}

/* Names the costliest cause and its remedy. Returns the result of answer_slow(). */
static bool answer_cause(const struct dax_state *state, const struct dax_totals *totals,
			 struct mm_report *report)
{
	const uint64_t all_ns = totals->attempts.fallback_ns;
	enum dax_cause cause = costliest_cause(state);
	const struct dax_cause_sum *sum;
	bool waited;
	char remedy[DAX_REMEDY_TEXT], ns[MM_NUMBER_TEXT], count[MM_NUMBER_TEXT];
	char later[640];

	if (cause == DAX_CAUSE_COUNT)
		return false;
	sum = &state->by_cause[cause];
	mm_render_ns(ns, sizeof(ns), (double)sum->fallback_ns);
	mm_report_answer(report, "%s: %s, %s in %s: %s.",
			 sum->fallback_ns == all_ns	 ? "Only cause of fallbacks"
			 : 2 * sum->fallback_ns > all_ns ? "Main cause"
							 : "Largest cause",
			 dax_cause_info[cause].id, ns, count_text(state, sum, count, sizeof(count)),
			 dax_cause_info[cause].why);
	waited = answer_slow(state, cause, report);
	mm_report_answer(report, "Remedy%s: %s.%s",
			 waited ? " of the fallbacks, not of the long attempts" : "",
			 dax_cause_remedy(state, cause, report, remedy, sizeof(remedy)),
			 later_text(sum, state->first_failed[cause], later, sizeof(later)));
	answer_frequent(state, totals, cause, report);
	return waited;
}

static const struct dax_process *costliest_process(const struct dax_process *processes,
						   uint32_t count)
{
	const struct dax_process *most = NULL;

	for (uint32_t i = 0; i < count; i++)
		if (!most || processes[i].attempts.fallback_ns > most->attempts.fallback_ns)
			most = &processes[i];
	return most;
}

/*
 * Names the file and the process with the most time in fallbacks, and their shares of this time.
 * The two shares are independent of each other.
 */
static void answer_place(const struct dax_state *state, const struct dax_totals *totals,
			 struct mm_report *report)
{
	const uint64_t all_ns = totals->attempts.fallback_ns;
	const struct dax_file *file = dax_file_of_most_fallbacks(state);
	uint32_t count;
	struct dax_process *processes = dax_list_processes(state, &count);
	const struct dax_process *process = processes ? costliest_process(processes, count) : NULL;
	char *name = file ? dax_file_name(state, &file->key) : NULL;
	char file_ns[MM_NUMBER_TEXT], process_ns[MM_NUMBER_TEXT], inode[40] = "";

	report->failed |= !processes || (file && !name);
	if (name && file->key.ino != DAX_UNKNOWN)
		snprintf(inode, sizeof(inode), ", inode 0x%" PRIx64 ",", file->key.ino);
	if (name && process && all_ns) {
		mm_render_ns(file_ns, sizeof(file_ns), (double)file->attempts.fallback_ns);
		mm_render_ns(process_ns, sizeof(process_ns), (double)process->attempts.fallback_ns);
		mm_report_answer(
			report,
			"File %s%s accounts for %.1f %% of the time in fallbacks (%s), process %s (pid %d) for %.1f %% (%s).",
			name, inode, percent(file->attempts.fallback_ns, all_ns), file_ns,
			process->comm[0] ? process->comm : "<...>", process->pid,
			percent(process->attempts.fallback_ns, all_ns), process_ns);
	}
	free(name);
	free(processes);
}

static size_t row_count(const struct mm_report *report, const struct mm_table_def *def)
{
	for (size_t i = 0; i < report->table_count; i++)
		if (report->tables[i]->def == def)
			return report->tables[i]->row_count;
	return 0;
}

/* Returns the first table with at least two rows; if there is none, the table of all faults. */
static const struct mm_table_def *choose_table(const struct mm_report *report)
{
	static const struct mm_table_def *const tables[] = {
		&dax_table_causes,
		&dax_table_files,
		&dax_table_processes,
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (row_count(report, tables[i]) > 1)
			return tables[i];
	return &dax_table_faults;
}

/*
 * Suggests a command. @waited is true if slow attempts took most of the costliest cause's time, and
 * the trace has sched_switch, so that `report why` may show what they spent it on.
 */
static void name_next(bool waited, struct mm_report *report)
{
	if (waited)
		mm_report_next(report, "To see what the slowest faults spent their time on",
			       "lttng-mm report why TRACE");
	else if (row_count(report, &dax_table_causes) > 1)
		mm_report_next(report, "To see all causes and remedies",
			       "lttng-mm report dax --table causes TRACE");
	else if (row_count(report, &dax_table_evidence))
		mm_report_next(report, "To see a fault of this cause, with its file and process",
			       "lttng-mm report dax --table evidence TRACE");
	else
		mm_report_next(report, "To see the slowest faults",
			       "lttng-mm report dax --table slowest TRACE");
}

void dax_report_answer(const struct dax_state *state, struct mm_report *report)
{
	struct dax_totals totals = dax_sum_up(state);
	bool waited;

	if (!totals.pmd && !totals.pte)
		return;
	answer_total(state, &totals, report);
	answer_net(state, &totals, report);
	answer_faults(state, &totals, report);
	waited = answer_cause(state, &totals, report);
	answer_place(state, &totals, report);
	answer_failures(state, report);
	mm_report_first_table(report, choose_table(report), FIRST_ROWS);
	name_next(waited && state->switches_declared, report);
}
