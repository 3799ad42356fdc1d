// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Answers the DAX report: how many accesses fell back, what that cost, why, where, and the remedy.
 * Sample:
 *
 *   249 of 472 accesses to 2 MiB ranges (52.8 %) fell back to 4 KiB pages: 458 attempts, 2.1 ms,
 *   and 249 faults of 4 KiB after them, 3.3 ms.
 *   All DAX faults took 9.6 ms: 211 huge pages 2.2 ms, fallbacks 2.1 ms, 470 faults of 4 KiB
 *   5.1 ms, others 0.2 ms.
 *   Main cause: private-write, 1.3 ms in 140 accesses: write to a private mapping: the ...
 *   1 of its 280 attempts took 1 ms or more, 1.2 ms in all, and the median is 0.4 us: slow ones
 *   probably waited; a recording with --events=sched_switch,sched_waking shows for what.
 *   Remedy: map with MAP_SHARED, or expect 4 KiB copies.
 *   Most frequent cause: pte-entry, 160 accesses, 0.2 ms.
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

#define FIRST_ROWS 8
/* Falling back takes only microseconds of CPU time: a fault of a millisecond has waited. */
#define SLOW_NS 1000000

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

/* States how many accesses fell back, and how long that took. */
static void answer_total(const struct dax_state *state, const struct dax_totals *totals,
			 struct mm_report *report)
{
	uint64_t all = totals->pmd, fallbacks = totals->pmd_fallbacks;
	const char *noun = "huge-page fault", *least = report->incomplete ? "At least " : "";
	char ns[MM_NUMBER_TEXT], after_ns[MM_NUMBER_TEXT], attempts[64] = "";
	char after[MM_NUMBER_TEXT + 64] = "";

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
	mm_report_answer(report,
			 "%s%" PRIu64 " of %" PRIu64
			 " %s (%.1f %%) fell back to 4 KiB pages: %s%s%s.",
			 least, fallbacks, all, noun, percent(fallbacks, all), attempts, ns, after);
}

/* States the time of all faults, and the shares of fallbacks, huge pages and 4 KiB faults. */
static void answer_faults(const struct dax_totals *totals, struct mm_report *report)
{
	const uint64_t fallback_ns = totals->attempts.fallback_ns;
	const uint64_t known_ns = totals->mapped_ns + fallback_ns + totals->pte_ns;
	char all[MM_NUMBER_TEXT], mapped[MM_NUMBER_TEXT], fallbacks[MM_NUMBER_TEXT];
	char pte[MM_NUMBER_TEXT], other[MM_NUMBER_TEXT];

	mm_render_ns(all, sizeof(all), (double)totals->all_ns);
	mm_render_ns(mapped, sizeof(mapped), (double)totals->mapped_ns);
	mm_render_ns(fallbacks, sizeof(fallbacks), (double)fallback_ns);
	mm_render_ns(pte, sizeof(pte), (double)totals->pte_ns);
	mm_render_ns(other, sizeof(other), (double)(totals->all_ns - known_ns));
	if (totals->pmd && totals->pte)
		mm_report_answer(report,
				 "All DAX faults took %s: %" PRIu64
				 " huge page%s %s, fallbacks %s, %" PRIu64
				 " fault%s of 4 KiB %s, others %s.",
				 all, totals->pmd_mapped, mm_plural_s(totals->pmd_mapped), mapped,
				 fallbacks, totals->pte, mm_plural_s(totals->pte), pte, other);
	else
		mm_report_answer(report, "All %" PRIu64 " DAX fault%s took %s.",
				 totals->pmd + totals->pte, mm_plural_s(totals->pmd + totals->pte),
				 all);
}

/* States how many faults ended in SIGBUS or for lack of memory. Programs notice these failures. */
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

/* Returns the group of faults that fell back for @cause; NULL unless there is exactly one. */
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

/* Returns how many faults of @group took SLOW_NS or more. Sets *@ns to their total time. */
static uint64_t count_slow(const struct dax_group *group, uint64_t *ns)
{
	struct mm_latencies_cursor cursor = { 0 };
	uint64_t value, count, slow = 0;

	*ns = 0;
	while (mm_latencies_next(&group->latencies, &cursor, &value, &count))
		if (value >= SLOW_NS) {
			slow += count;
			*ns += count * value;
		}
	return slow;
}

/*
 * If attempts that waited took most of the time of @cause, states their total time and the median
 * of all attempts. Returns true in this case.
 */
static bool answer_slow(const struct dax_state *state, enum dax_cause cause,
			struct mm_report *report)
{
	const struct dax_group *group = group_of_cause(state, cause);
	char median[MM_NUMBER_TEXT], text[MM_NUMBER_TEXT];
	uint64_t slow_ns = 0, slow = group ? count_slow(group, &slow_ns) : 0;

	if (!slow || slow_ns <= group->ns / 2)
		return false;
	mm_render_ns(text, sizeof(text), (double)slow_ns);
	mm_render_ns(median, sizeof(median), (double)group->quantile_ns[0]);
	mm_report_answer(
		report,
		"%" PRIu64 " of its %" PRIu64
		" attempt%s took 1 ms or more, %s in all, and the median is %s: the slow ones probably waited; %s.",
		slow, group->latencies.count, mm_plural_s(group->latencies.count), text, median,
		state->switches_declared
			? "`lttng-mm report why` shows for what"
			: "a recording with --events=sched_switch,sched_waking shows for what");
	return true;
}

/* Returns @text, such as "82 accesses": how many accesses (or faults) fell back for the cause. */
static const char *count_text(const struct dax_state *state, const struct dax_cause_sum *sum,
			      char *text, size_t size)
{
	snprintf(text, size, "%" PRIu64 " %s", sum->fallbacks,
		 state->counts_accesses ? mm_plural(sum->fallbacks, "access", "accesses")
					: mm_plural(sum->fallbacks, "fault", "faults"));
	return text;
}

/* Names the most frequent cause, unless that is also the costliest cause. */
static void answer_frequent(const struct dax_state *state, enum dax_cause costliest,
			    struct mm_report *report)
{
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
	mm_report_answer(report, "Most frequent cause: %s, %s, %s.", dax_cause_info[most].id,
			 count_text(state, sum, count, sizeof(count)), ns);
}

/* Names the costliest cause and its remedy. Returns true if waits took most of the time. */
static bool answer_cause(const struct dax_state *state, const struct dax_totals *totals,
			 struct mm_report *report)
{
	const uint64_t all_ns = totals->attempts.fallback_ns;
	enum dax_cause cause = costliest_cause(state);
	const struct dax_cause_sum *sum;
	bool waited;
	char remedy[DAX_REMEDY_TEXT], ns[MM_NUMBER_TEXT], count[MM_NUMBER_TEXT];

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
	mm_report_answer(report, "Remedy%s: %s.", waited ? " of the fallbacks, not of the waits" : "",
			 dax_cause_remedy(state, cause, report, remedy, sizeof(remedy)));
	answer_frequent(state, cause, report);
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
 * Names the file and the process with the most time in fallbacks. Each has a separate share of that
 * time: the process may also have used other files.
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

/* Returns the first table with at least two rows; the table of all faults if none exists. */
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

/* Suggests a command. @waited: the costliest cause waited, and `report why` can show for what. */
static void name_next(bool waited, struct mm_report *report)
{
	if (waited)
		mm_report_next(report, "To see what the slowest faults waited for",
			       "lttng-mm report why TRACE");
	else if (row_count(report, &dax_table_evidence))
		mm_report_next(report, "To see a fault of each cause, with its file and process",
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
	answer_faults(&totals, report);
	waited = answer_cause(state, &totals, report);
	answer_place(state, &totals, report);
	answer_failures(state, report);
	mm_report_first_table(report, choose_table(report), FIRST_ROWS);
	name_next(waited && state->switches_declared, report);
}
