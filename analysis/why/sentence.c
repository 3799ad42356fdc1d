// SPDX-License-Identifier: LGPL-2.1-only
/* Describes intervals and their parts in sentences. */
#include "analysis/why/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/units.h"
#include "reader/report/render.h"
#include "reader/sysinfo/selection.h"
#include "util/nearest.h"
#include "util/plural.h"

const char *const why_part_names[WHY_PART_KINDS] = {
	[WHY_SELF] = "self",
	[WHY_OFF] = "off_cpu",
	[WHY_INTERRUPT] = "interrupt",
	[WHY_UNDETERMINED] = "undetermined",
};

static const struct mm_operation *operation_of(const struct why_state *state, enum why_kind kind)
{
	return state->events.operations[kind - WHY_OPERATION].operation;
}

/* Returns the part's operation, or NULL. */
static const struct mm_operation *part_operation(const struct why_state *state,
						 const struct why_part *part)
{
	return part->key.a && part->key.b >= WHY_IN_OPERATION
		       ? state->events.operations[part->key.b - WHY_IN_OPERATION].operation
		       : NULL;
}

void why_interval_of(const struct why_state *state, const struct why_interval *interval, char *text,
		     size_t size)
{
	switch (interval->kind) {
	case WHY_CALL:
		snprintf(text, size, "%s", state->events.functions.names[interval->function]);
		return;
	case WHY_PAIR:
		snprintf(text, size, "%s,%s", state->events.start, state->events.end);
		return;
	default:
		snprintf(text, size, "%s", operation_of(state, interval->kind)->name);
	}
}

const char *why_part_function(const struct why_state *state, const struct why_part *part)
{
	if (!part->key.a)
		return NULL;
	switch (part->key.b) {
	case WHY_IN_NONE:
		return "none";
	case WHY_IN_HARD_IRQ:
		return "hard_irq";
	case WHY_IN_SOFT_IRQ:
		return "soft_irq";
	case WHY_IN_LOST:
		return "lost";
	default:
		return part_operation(state, part) ? part_operation(state, part)->name
						   : state->events.functions.names[part->key.b];
	}
}

/* Orders parts by the names of their first and last events. Undivided parts come last. */
static int compare_ends(const struct why_part *x, const struct why_part *y)
{
	int order;

	if (!x->from || !y->from)
		return (x->from == NULL) - (y->from == NULL);
	order = strcmp(x->from, y->from);
	return order ? order : strcmp(x->to, y->to);
}

static int compare(const void *a, const void *b, void *user)
{
	const struct why_state *state = user;
	const struct why_part *x = *(const struct why_part *const *)a;
	const struct why_part *y = *(const struct why_part *const *)b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->key.a != y->key.a)
		return x->key.a < y->key.a ? -1 : 1;
	/* Compare the names of functions, because each reader numbers functions differently. */
	if (!x->key.a)
		return 0;
	if (x->key.b == WHY_IN_NONE && y->key.b == WHY_IN_NONE)
		return compare_ends(x, y);
	return strcmp(why_part_function(state, x), why_part_function(state, y));
}

const struct why_part **why_parts_sorted(const struct why_state *state,
					 const struct why_timeline *timeline, uint32_t *count)
{
	const struct why_parts *parts = &timeline->parts;
	const struct why_part **sorted =
		calloc(parts->all.count + parts->divided_count + 1, sizeof(const void *));

	*count = 0;
	if (!sorted)
		return NULL;
	for (uint32_t i = 0; i < parts->all.count; i++) {
		const struct why_part *part = mm_rows_at(&parts->all, i);
		bool is_divided = parts->divided_count && part->key.a == WHY_SELF + 1 &&
				  part->key.b == WHY_IN_NONE;

		if ((part->ns || part->allocations || part->touches) && !is_divided)
			sorted[(*count)++] = part;
	}
	for (uint32_t i = 0; i < parts->divided_count; i++)
		sorted[(*count)++] = &parts->divided[i];
	qsort_r(sorted, *count, sizeof(const void *), compare, (void *)state);
	return sorted;
}

/* Writes where a part was spent: `g()`, `a DAX 4 KiB fault`. */
static void place(const struct why_state *state, const struct why_part *part, char *text,
		  size_t size)
{
	switch (part->key.a ? part->key.b : WHY_NONE) {
	case WHY_NONE:
		snprintf(text, size, "other functions");
		return;
	case WHY_IN_HARD_IRQ:
		snprintf(text, size, "hard interrupts");
		return;
	case WHY_IN_SOFT_IRQ:
		snprintf(text, size, "soft interrupts");
		return;
	default:
		if (part_operation(state, part))
			snprintf(text, size, "a %s", part_operation(state, part)->noun);
		else
			snprintf(text, size, "%s()", state->events.functions.names[part->key.b]);
	}
}

void why_part_place(const struct why_state *state, const struct why_part *part, char *text,
		    size_t size)
{
	char in[512];

	if (part->key.a && part->key.b == WHY_IN_LOST) {
		snprintf(text, size, "where a switch of threads is missing");
		return;
	}
	if (part->from) {
		snprintf(text, size, "between %s and %s%s, outside recorded functions", part->from,
			 strcmp(part->from, part->to) ? "" : "the next ", part->to);
		return;
	}
	if (part->key.a && part->key.b == WHY_IN_NONE) {
		snprintf(text, size, "%soutside recorded functions",
			 why_part_kind(part) == WHY_OFF ? "off the CPU " : "");
		return;
	}
	place(state, part, in, sizeof(in));
	switch (part->key.a ? why_part_kind(part) : WHY_SELF) {
	case WHY_OFF:
		snprintf(text, size, "off the CPU in %s", in);
		return;
	case WHY_INTERRUPT:
		snprintf(text, size, "in %s%s", in,
			 part->key.b < WHY_IN_NONE ? ", called by an interrupt" : "");
		return;
	case WHY_UNDETERMINED:
		snprintf(text, size, "in %s or after it, because its entry or exit is missing", in);
		return;
	default:
		snprintf(text, size, "in %s%s", in, part->key.a ? " itself" : "");
	}
}

/* Writes a part's time and share: `11.9 ms (97 %)`. */
static void amount(const struct why_timeline *timeline, const struct why_part *part, char *text,
		   size_t size)
{
	uint64_t duration_ns = timeline->interval.duration_ns;
	double percent = duration_ns ? 100.0 * (double)part->ns / (double)duration_ns : 100;
	char ns[MM_NUMBER_TEXT];

	mm_render_ns(ns, sizeof(ns), (double)part->ns);
	snprintf(text, size, "%s (%.*f %%)", ns, percent < 1 ? 1 : 0, percent);
}

static bool has_switches(const struct why_state *state, const struct why_timeline *timeline)
{
	return state->has_switches && !timeline->lacks_switches;
}

/* Writes what the thread did during a part, such as sleeping. */
static void manner(const struct why_state *state, const struct why_timeline *timeline,
		   const struct why_part *part, char *text, size_t size)
{
	enum why_part_kind kind = part->key.a ? why_part_kind(part) : WHY_SELF;
	char ns[MM_NUMBER_TEXT];

	*text = '\0';
	if (kind == WHY_SELF && !has_switches(state, timeline)) {
		snprintf(text, size, ", on or off the CPU%s",
			 !state->has_switches || timeline->may_lack ? ""
			 : state->first_switch_ns > timeline->interval.start_ns
				 ? ", because no sched_switch had been recorded yet"
				 : ", because no sched_switch of its CPU had been recorded yet");
		return;
	}
	if (kind != WHY_OFF || !state->has_states)
		return;
	mm_render_ns(ns, sizeof(ns), (double)part->sleeping_ns);
	if (!part->sleeping_ns)
		snprintf(text, size, ", ready to run");
	else if (part->sleeping_ns >= part->ns - part->ns / 10)
		snprintf(text, size, ", sleeping");
	else
		snprintf(text, size, ", %s of it sleeping and the rest ready to run", ns);
}

static void what(const struct why_state *state, const struct why_interval *interval, uint64_t count,
		 char *text, size_t size)
{
	switch (interval->kind) {
	case WHY_CALL:
		snprintf(text, size, "call%s of %s()", mm_plural_s(count),
			 state->events.functions.names[interval->function]);
		return;
	case WHY_PAIR:
		snprintf(text, size, "time%s from %s to %s", mm_plural_s(count),
			 state->events.start, state->events.end);
		return;
	default:
		snprintf(text, size, "%s%s", operation_of(state, interval->kind)->noun,
			 mm_plural_s(count));
	}
}

static const char *ordinal(uint32_t rank)
{
	if (rank % 100 >= 11 && rank % 100 <= 13)
		return "th";
	return rank % 10 == 1 ? "st" : rank % 10 == 2 ? "nd" : rank % 10 == 3 ? "rd" : "th";
}

/* Writes `The 2nd slowest of 12 calls of f()`. */
static void subject(const struct why_state *state, const struct why_timeline *timeline, char *text,
		    size_t size)
{
	const struct why_interval *interval = &timeline->interval;
	const struct why_interval_count *count =
		mm_rows_lookup(&state->counts, (uint32_t)interval->kind + 1, interval->function);
	uint64_t intervals = count ? count->intervals : 1;
	uint32_t rank = why_slowest_rank(&state->slowest, timeline->number);
	char of[768];

	what(state, interval, intervals, of, sizeof(of));
	if (intervals == 1)
		snprintf(text, size, "The only %s", of);
	else if (rank == 1)
		snprintf(text, size, "The slowest of %" PRIu64 " %s", intervals, of);
	else
		snprintf(text, size, "The %" PRIu32 "%s slowest of %" PRIu64 " %s", rank,
			 ordinal(rank), intervals, of);
}

/* Appends ", with 3 touches of pages" to @text. */
static void touched(const struct why_state *state, const struct why_part *part, char *text,
		    size_t size)
{
	const size_t length = strlen(text);

	if (part->touches)
		snprintf(text + length, size - length, ", %s %s%" PRIu64 " touch%s of pages",
			 length ? "and" : "with", state->sample < 1 ? "at least " : "",
			 part->touches, mm_plural(part->touches, "", "es"));
}

static void count_allocations(const struct why_part *part, char *text, size_t size)
{
	*text = '\0';
	if (part->sized && part->sized < part->allocations)
		snprintf(text, size,
			 ", with %" PRIu64 " allocations, of which %" PRIu64 " %s %" PRIu64
			 " bytes in total and the other%s no size in the trace",
			 part->allocations, part->sized, mm_plural(part->sized, "has", "have"),
			 part->bytes, mm_plural_s(part->allocations - part->sized));
	else if (part->sized)
		snprintf(text, size, ", with %" PRIu64 " allocation%s of %" PRIu64 " bytes",
			 part->allocations, mm_plural_s(part->allocations), part->bytes);
	else if (part->allocations)
		snprintf(text, size, ", with %" PRIu64 " allocation%s", part->allocations,
			 mm_plural_s(part->allocations));
}

/* Describes the allocations and touches in the part. (They have no duration.) */
static void counted(const struct why_state *state, const struct why_part *part, char *text,
		    size_t size)
{
	count_allocations(part, text, size);
	touched(state, part, text, size);
}

void why_sentence(const struct why_state *state, const struct why_timeline *timeline,
		  const struct why_part *const *parts, uint32_t count, char *text, size_t size)
{
	char of[900], took[MM_NUMBER_TEXT], share[96], in[640], how[128], with[192];
	bool own;

	subject(state, timeline, of, sizeof(of));
	mm_render_ns(took, sizeof(took), (double)timeline->interval.duration_ns);
	if (!timeline->done || !count || !parts[0]->ns) {
		snprintf(
			text, size, "%s took %s%s.", of, took,
			timeline->done
				? ""
				: "; its events were not found when the trace was read a second time");
		return;
	}
	amount(timeline, parts[0], share, sizeof(share));
	why_part_place(state, parts[0], in, sizeof(in));
	manner(state, timeline, parts[0], how, sizeof(how));
	counted(state, parts[0], with, sizeof(with));
	own = why_part_kind(parts[0]) == WHY_SELF && timeline->interval.kind == WHY_CALL &&
	      parts[0]->key.b == timeline->interval.function;
	snprintf(text, size, "%s took %s: %s of it %s%s%s%s%s.", of, took, share, in,
		 own ? ", outside other recorded functions" : "", how, with,
		 timeline->may_lack ? "; events may be missing in it" : "");
}

void why_sentence_others(const struct why_state *state, const struct why_timeline *timeline,
			 const struct why_part *const *parts, uint32_t count, char *text,
			 size_t size)
{
	enum { OTHERS = 4 };
	size_t length = 0;

	*text = '\0';
	for (uint32_t i = 1; i < count && i < OTHERS && length < size; i++) {
		char share[96], in[640], how[128], with[192];

		/* Skip parts below half a percent. */
		if (parts[i]->ns < timeline->interval.duration_ns / 200)
			break;
		amount(timeline, parts[i], share, sizeof(share));
		why_part_place(state, parts[i], in, sizeof(in));
		manner(state, timeline, parts[i], how, sizeof(how));
		counted(state, parts[i], with, sizeof(with));
		length += (size_t)snprintf(text + length, size - length, "%s%s %s%s%s",
					   i == 1 ? "Other parts: " : "; ", share, in, how, with);
	}
	if (length && length < size)
		snprintf(text + length, size - length, ".");
}

/*
 * Returns " in files that match --file=PATTERN of process 7", but mentions only options that were
 * given. Release it with free().
 */
static char *selection_text(const struct why_option_values *options)
{
	char process[40] = "", *text;

	if (options->report.by_pid)
		snprintf(process, sizeof(process), " of process %u", options->report.pid);
	return asprintf(&text, "%s%s%s", options->file ? " in files that match --file=" : "",
			options->file ? options->file : "", process) < 0
		       ? NULL
		       : text;
}

void why_answer_nothing(const struct why_state *state, const struct why_option_values *options,
			struct mm_report *report)
{
	const struct fn_classes *classes = &state->events.functions;
	const struct mm_sysinfo *sysinfo = state->sysinfo;
	char hint[MM_NEAREST_TEXT], thread[MM_THREAD_HINT] = "", operations[256],
				    *of = selection_text(options);
	bool any = why_events_name_operations(&state->events, WHY_NAME_ONE, operations,
					      sizeof(operations));

	report->failed |= !of;
	if (options->report.by_pid)
		mm_thread_hint(&state->threads, sysinfo, (int32_t)options->report.pid, thread);
	if (!state->pair_given && fn_classes_match_none(classes, hint, sizeof(hint)))
		mm_report_answer(report, "No function in the trace matches --function=%s%s",
				 classes->functions, hint);
	else if (options->file && why_files_select_none(&state->files, sysinfo, hint, sizeof(hint)))
		mm_report_answer(report, "No %s is in a file that matches --file=%s%s", operations,
				 options->file, hint);
	else
		mm_report_answer(report, "No complete %s%s%s%s%s.",
				 state->pair_given  ? "pair of these events"
				 : !any		    ? "call of such a function"
				 : state->has_calls ? "call of a function, and no complete "
						    : "",
				 operations, of ? of : "",
				 report->lacking ? " is certain: events are missing" : "", thread);
	free(of);
}

void why_remark_selection(const struct why_state *state, const struct why_option_values *options,
			  struct mm_report *report)
{
	const uint64_t unknown = state->files.unknown;
	char operations[256];

	if (options->report.by_pid)
		mm_report_remark(report, "All intervals are of process %u (--pid).",
				 options->report.pid);
	why_events_name_operations(&state->events, WHY_NAME_ALL, operations, sizeof(operations));
	if (options->file)
		mm_report_remark(report, "%s are restricted to files that match --file=%s.",
				 operations, options->file);
	why_events_name_operations(&state->events, unknown == 1 ? WHY_NAME_ONE : WHY_NAME_ALL,
				   operations, sizeof(operations));
	if (unknown)
		mm_report_note(report,
			       "%" PRIu64 " %s %s left out, because no event has the inode number.",
			       unknown, operations, mm_plural(unknown, "is", "are"));
}
