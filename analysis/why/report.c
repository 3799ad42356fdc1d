// SPDX-License-Identifier: LGPL-2.1-only
/* Fills the report of the slowest intervals. */
#include "reader/report/units.h"
#include "analysis/why/sentence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/why/schema.h"
#include "reader/report/render.h"
#include "util/plural.h"
#include "util/time.h"

#define DEPTH_MAX 16u
/* Maximum number of table rows on the first screen. */
#define FIRST_ROWS 8
/* For each interval, only this many of the largest parts are added to the totals. */
#define GROUPED 8u

static const char *const line_names[WHY_LINE_OPERATION] = {
	[WHY_LINE_CALL] = "call",
	[WHY_LINE_INCOMPLETE] = "incomplete",
	[WHY_LINE_OFF] = "off_cpu",
	[WHY_LINE_INTERRUPT] = "interrupt",
	[WHY_LINE_ALLOCATION] = "allocation",
	[WHY_LINE_EVENT] = "event",
};

static const char *kind_name(const struct why_state *state, enum why_kind kind)
{
	if (kind == WHY_CALL)
		return "call";
	return kind == WHY_PAIR ? "pair"
				: state->events.operations[kind - WHY_OPERATION].operation->name;
}

static const char *line_name(const struct why_state *state, enum why_line_kind kind)
{
	return kind < WHY_LINE_OPERATION
		       ? line_names[kind]
		       : state->events.operations[kind - WHY_LINE_OPERATION].of->name;
}

struct why_fill_ctx {
	const struct why_state *state;
	struct mm_report *report;
	struct mm_table *intervals, *parts, *lines;
	uint64_t part_ns[WHY_PART_KINDS], largest[WHY_PART_KINDS];
};

static const char *comm_of(const struct why_state *state, const struct why_interval *interval)
{
	if (!interval->tid)
		return "swapper";
	return mm_threads_comm(&state->threads, interval->thread, state->sysinfo);
}

/* Returns the thread's process id, or -1 if it is unknown. */
static int32_t pid_of(const struct why_state *state, const struct why_interval *interval)
{
	return interval->tid ? mm_threads_pid(&state->threads, interval->thread, state->sysinfo)
			     : -1;
}

static double percent_of(const struct why_part *part, const struct why_interval *interval)
{
	return interval->duration_ns ? 100.0 * (double)part->ns / (double)interval->duration_ns : 0;
}

static void call_site_name(const struct why_state *state, uint32_t code, char *text, size_t size)
{
	if (!mm_call_sites_name(&state->call_sites, code, text, size))
		snprintf(text, size, "0x%" PRIx32, code);
}

/* If only a sample of the pages was recorded, the number of touches is a lower bound. */
static void set_touches(const struct why_state *state, uint64_t touches, struct mm_cell *cell)
{
	if (state->sample < 1)
		mm_cell_set_least(cell, touches);
	else
		mm_cell_set_u(cell, touches);
}

static void fill_largest(struct why_fill_ctx *fill, const struct why_timeline *timeline,
			 const struct why_part *const *parts, uint32_t count, struct mm_cell *row)
{
	if (!count || !parts[0]->ns)
		return;
	if (parts[0]->key.a) {
		mm_cell_set_s(&row[WHY_INTERVALS_LARGEST_PART],
			      why_part_names[why_part_kind(parts[0])]);
		fill->largest[why_part_kind(parts[0])]++;
	}
	mm_cell_set_s(&row[WHY_INTERVALS_LARGEST_FUNCTION],
		      why_part_function(fill->state, parts[0]));
	mm_cell_set_u(&row[WHY_INTERVALS_LARGEST_NS], parts[0]->ns);
	mm_cell_set_r(&row[WHY_INTERVALS_LARGEST_PERCENT],
		      percent_of(parts[0], &timeline->interval));
}

static void fill_interval(struct why_fill_ctx *fill, const struct why_timeline *timeline,
			  uint32_t number, const struct why_part *const *parts, uint32_t count,
			  const char *sentence)
{
	const struct why_state *state = fill->state;
	const struct why_interval *interval = &timeline->interval;
	const struct why_interval_count *of =
		mm_rows_lookup(&state->counts, (uint32_t)interval->kind + 1, interval->function);
	struct mm_cell *row = mm_table_row(fill->report, fill->intervals);
	char text[1024];

	if (!row)
		return;
	mm_cell_set_u(&row[WHY_INTERVALS_INTERVAL], number);
	mm_cell_set_s(&row[WHY_INTERVALS_KIND], kind_name(state, interval->kind));
	why_interval_of(state, interval, text, sizeof(text));
	mm_cell_set_s(&row[WHY_INTERVALS_OF], text);
	mm_cell_set_u(&row[WHY_INTERVALS_RANK],
		      why_slowest_rank(&state->slowest, timeline->number));
	mm_cell_set_u(&row[WHY_INTERVALS_COUNT], of ? of->intervals : 0);
	mm_cell_set_u(&row[WHY_INTERVALS_START_NS], (uint64_t)interval->start_ns);
	mm_cell_set_u(&row[WHY_INTERVALS_DURATION_NS], interval->duration_ns);
	mm_cell_set_u(&row[WHY_INTERVALS_TID], interval->tid);
	mm_cell_set_s(&row[WHY_INTERVALS_COMM], comm_of(state, interval));
	if (interval->cpu != MM_CPU_UNKNOWN)
		mm_cell_set_u(&row[WHY_INTERVALS_CPU], interval->cpu);
	mm_cell_set_s(&row[WHY_INTERVALS_START], timeline->call);
	mm_cell_set_s(&row[WHY_INTERVALS_END], timeline->end);
	if (timeline->has_call_site) {
		call_site_name(state, timeline->call_site, text, sizeof(text));
		mm_cell_set_s(&row[WHY_INTERVALS_CALLER], text);
	}
	fill_largest(fill, timeline, parts, count, row);
	mm_cell_set_u(&row[WHY_INTERVALS_ALLOCATIONS], timeline->allocations);
	mm_cell_set_u(&row[WHY_INTERVALS_BYTES], timeline->bytes);
	set_touches(state, timeline->touches, &row[WHY_INTERVALS_TOUCHES]);
	mm_cell_set_b(&row[WHY_INTERVALS_HAS_SWITCHES],
		      state->has_switches && !timeline->lacks_switches);
	mm_cell_set_b(&row[WHY_INTERVALS_MAY_LACK], timeline->may_lack);
	mm_cell_set_u(&row[WHY_INTERVALS_LINES_LEFT_OUT], timeline->lines.left_out);
	mm_cell_set_s(&row[WHY_INTERVALS_SENTENCE], sentence);
	if (pid_of(state, interval) >= 0)
		mm_cell_set_u(&row[WHY_INTERVALS_PID], (uint64_t)pid_of(state, interval));
}

static void fill_parts(struct why_fill_ctx *fill, const struct why_timeline *timeline,
		       uint32_t number, const struct why_part *const *parts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct mm_cell *row = mm_table_row(fill->report, fill->parts);

		if (!row)
			return;
		mm_cell_set_u(&row[WHY_PARTS_INTERVAL], number);
		if (parts[i]->key.a) {
			mm_cell_set_s(&row[WHY_PARTS_PART],
				      why_part_names[why_part_kind(parts[i])]);
			fill->part_ns[why_part_kind(parts[i])] += parts[i]->ns;
		}
		mm_cell_set_s(&row[WHY_PARTS_FUNCTION], why_part_function(fill->state, parts[i]));
		mm_cell_set_u(&row[WHY_PARTS_NS], parts[i]->ns);
		mm_cell_set_r(&row[WHY_PARTS_PERCENT], percent_of(parts[i], &timeline->interval));
		if (parts[i]->key.a && why_part_kind(parts[i]) == WHY_OFF &&
		    fill->state->has_states)
			mm_cell_set_u(&row[WHY_PARTS_SLEEPING_NS], parts[i]->sleeping_ns);
		mm_cell_set_u(&row[WHY_PARTS_ALLOCATIONS], parts[i]->allocations);
		set_touches(fill->state, parts[i]->touches, &row[WHY_PARTS_TOUCHES]);
		mm_cell_set_u(&row[WHY_PARTS_BYTES], parts[i]->bytes);
		if (parts[i]->from) {
			mm_cell_set_s(&row[WHY_PARTS_FROM], parts[i]->from);
			mm_cell_set_s(&row[WHY_PARTS_TO], parts[i]->to);
		}
	}
}

/* Adds a row of a time line. The text form indents @text by @depth. */
static void fill_line(struct why_fill_ctx *fill, uint32_t number, const char *kind, uint32_t depth,
		      uint64_t offset_ns, uint32_t cpu, const char *text, uint64_t duration_ns,
		      bool has_duration)
{
	struct mm_cell *row = mm_table_row(fill->report, fill->lines);
	char shown[WHY_LINE_TEXT + 512];

	if (!row)
		return;
	mm_cell_set_u(&row[WHY_LINES_INTERVAL], number);
	mm_cell_set_s(&row[WHY_LINES_KIND], kind);
	mm_cell_set_u(&row[WHY_LINES_DEPTH], depth);
	mm_cell_set_u(&row[WHY_LINES_OFFSET_NS], offset_ns);
	snprintf(shown, sizeof(shown), "%.3f", (double)offset_ns / 1000);
	mm_cell_set_shown(&row[WHY_LINES_OFFSET_NS], shown);
	if (has_duration)
		mm_cell_set_u(&row[WHY_LINES_DURATION_NS], duration_ns);
	else
		mm_cell_set_shown(&row[WHY_LINES_DURATION_NS], "");
	if (cpu != MM_CPU_UNKNOWN)
		mm_cell_set_u(&row[WHY_LINES_CPU], cpu);
	mm_cell_set_s(&row[WHY_LINES_WHAT], text);
	snprintf(shown, sizeof(shown), "%*s%s", 2 * (int)(depth < DEPTH_MAX ? depth : DEPTH_MAX),
		 "", text);
	mm_cell_set_shown(&row[WHY_LINES_WHAT], shown);
}

/*
 * Lines that may contain the next line. Lines are sorted by start, so each element is inside the
 * element before it.
 */
struct open_lines {
	uint64_t ends[WHY_LINES_MAX]; /* numbers of the last events of the lines */
	uint32_t depth;
};

static uint32_t depth_of(struct open_lines *open, const struct why_line *line)
{
	uint32_t depth;

	while (open->depth && open->ends[open->depth - 1] < line->serial)
		open->depth--;
	depth = open->depth;
	if (open->depth < WHY_LINES_MAX)
		open->ends[open->depth++] = line->serial;
	return depth + 1;
}

static void fill_lines(struct why_fill_ctx *fill, const struct why_timeline *timeline,
		       uint32_t number)
{
	const struct why_interval *interval = &timeline->interval;
	struct open_lines open = { .depth = 0 };
	char text[2 * WHY_LINE_TEXT], site[256];

	snprintf(text, sizeof(text), "%s%s%s",
		 timeline->call ? timeline->call : "(not found again)", timeline->end ? " to " : "",
		 timeline->end ? timeline->end : "");
	fill_line(fill, number, "interval", 0, 0, interval->cpu, text, interval->duration_ns, true);
	for (uint32_t i = 0; i < timeline->lines.count; i++) {
		const struct why_line *line = &timeline->lines.all[i];
		int64_t offset_ns = line->start_ns - interval->start_ns;

		snprintf(text, sizeof(text), "%s", line->text);
		if (line->has_call_site) {
			call_site_name(fill->state, line->call_site, site, sizeof(site));
			snprintf(text, sizeof(text), "%s at %s", line->text, site);
		}
		fill_line(fill, number, line_name(fill->state, line->kind), depth_of(&open, line),
			  offset_ns > 0 ? (uint64_t)offset_ns : 0, line->cpu, text,
			  line->duration_ns,
			  line->kind != WHY_LINE_ALLOCATION && line->kind != WHY_LINE_EVENT);
	}
}

static void fill_heading(struct why_fill_ctx *fill, const struct why_timeline *timeline,
			 uint32_t number, const char *sentence, const char *others)
{
	const struct why_interval *interval = &timeline->interval;
	const char *comm = comm_of(fill->state, interval);
	char time[MM_TIME_TEXT], left_out[96] = "", text[3 * WHY_SENTENCE];

	mm_time_format(time, sizeof(time), interval->start_ns, fill->report->gmt);
	if (timeline->lines.left_out)
		snprintf(left_out, sizeof(left_out), " %" PRIu64 " line%s left out: see --lines.",
			 timeline->lines.left_out,
			 mm_plural(timeline->lines.left_out, " is", "s are"));
	snprintf(text, sizeof(text), "%" PRIu32 ". %s Thread %" PRIu32 "%s%s%s, at %s.%s%s%s",
		 number, sentence, interval->tid, comm ? " (" : "", comm ? comm : "",
		 comm ? ")" : "", time, *others ? " " : "", others, left_out);
	mm_table_heading(fill->report, fill->lines, text);
}

/*
 * States the largest part of the slowest interval, and its thread. If the interval is a call, also
 * states the arguments. The fields of other events would fill the screen, so only the table of time
 * lines shows them.
 */
static void answer_example(struct why_fill_ctx *fill, const struct why_timeline *timeline,
			   const char *sentence)
{
	const struct why_interval *interval = &timeline->interval;
	const char *comm = comm_of(fill->state, interval);
	const int32_t pid = pid_of(fill->state, interval);
	const char *call = interval->kind == WHY_CALL ? timeline->call : NULL;
	char time[MM_TIME_TEXT], process[48] = "";

	if (pid >= 0 && (uint32_t)pid != interval->tid)
		snprintf(process, sizeof(process), " of process %" PRId32, pid);
	mm_time_format(time, sizeof(time), interval->start_ns, fill->report->gmt);
	mm_report_answer(fill->report, "%s", sentence);
	mm_report_answer(fill->report, "It was in thread %" PRIu32 "%s%s%s%s, at %s%s%s.",
			 interval->tid, comm ? " (" : "", comm ? comm : "", comm ? ")" : "",
			 process, time, call ? ": " : "", call ? call : "");
}

static int fill_timeline(struct why_fill_ctx *fill, const struct why_timeline *timeline,
			 uint32_t number)
{
	char sentence[WHY_SENTENCE], others[WHY_SENTENCE];
	const struct why_part **parts;
	uint32_t count;

	parts = why_parts_sorted(fill->state, timeline, &count);
	if (!parts)
		return -1;
	why_sentence(fill->state, timeline, parts, count, sentence, sizeof(sentence));
	why_sentence_others(fill->state, timeline, parts, count, others, sizeof(others));
	if (number == 1)
		answer_example(fill, timeline, sentence);
	fill_interval(fill, timeline, number, parts, count, sentence);
	fill_parts(fill, timeline, number, parts, count);
	fill_heading(fill, timeline, number, sentence, others);
	fill_lines(fill, timeline, number);
	free(parts);
	return 0;
}

struct part_total {
	struct why_part part;
	uint64_t ns;
	uint32_t intervals, first; /* @intervals: number of intervals whose largest part is @part */
};

struct part_totals {
	struct part_total *all;
	uint32_t count, room;
	uint64_t duration_ns;
};

static bool same_part(const struct why_part *a, const struct why_part *b)
{
	if (!mm_row_is(a, &b->key) || !a->from != !b->from)
		return false;
	return !a->from || (!strcmp(a->from, b->from) && !strcmp(a->to, b->to));
}

static int compare_groups(const void *a, const void *b)
{
	const struct part_total *x = a, *y = b;

	if (x->intervals != y->intervals)
		return x->intervals > y->intervals ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

/* Finds or adds the total for @part. Returns NULL when out of memory. */
static struct part_total *find_group(struct part_totals *groups, const struct why_part *part,
				     uint32_t first)
{
	uint32_t at = 0;

	while (at < groups->count && !same_part(&groups->all[at].part, part))
		at++;
	if (at < groups->count)
		return &groups->all[at];
	if (groups->count == groups->room) {
		const uint32_t room = groups->room ? 2 * groups->room : 16;
		struct part_total *all = reallocarray(groups->all, room, sizeof(*all));

		if (!all)
			return NULL;
		groups->all = all;
		groups->room = room;
	}
	groups->all[at] = (struct part_total){ .part = *part, .first = first };
	groups->count++;
	return &groups->all[at];
}

/* Adds the largest parts of each interval to @groups. Returns 0, or -1 when out of memory. */
static int group_parts(const struct why_state *state, struct part_totals *groups)
{
	int ret = 0;

	for (uint32_t i = 0; i < state->timeline_count && !ret; i++) {
		uint32_t count;
		const struct why_part **parts =
			why_parts_sorted(state, &state->timelines[i], &count);

		if (!parts)
			return -1;
		groups->duration_ns += state->timelines[i].interval.duration_ns;
		/*
		 * Only the largest parts are added, because adding all of them would take quadratic
		 * time.
		 */
		for (uint32_t k = 0; k < count && k < GROUPED && parts[k]->ns && !ret; k++) {
			struct part_total *group = find_group(groups, parts[k], i);

			ret = group ? 0 : -1;
			if (!group)
				break;
			group->ns += parts[k]->ns;
			group->intervals += !k;
		}
		free(parts);
	}
	return ret;
}

/* States the largest part of all listed intervals together, and its share of their time. */
static void answer_parts(const struct why_state *state, const struct part_totals *groups,
			 struct mm_report *report)
{
	char ns[MM_NUMBER_TEXT], all[MM_NUMBER_TEXT], in[640];
	const struct part_total *largest = groups->all;

	for (uint32_t i = 1; i < groups->count; i++)
		if (groups->all[i].ns > largest->ns)
			largest = &groups->all[i];
	mm_render_ns(ns, sizeof(ns), (double)largest->ns);
	mm_render_ns(all, sizeof(all), (double)groups->duration_ns);
	why_part_place(state, &largest->part, in, sizeof(in));
	mm_report_answer(
		report,
		"The %" PRIu32
		" slowest intervals took %s together; the largest part, %s (%.0f %%), was spent %s.",
		state->timeline_count, all, ns,
		100.0 * (double)largest->ns / (double)groups->duration_ns, in);
}

/* States which part is the largest one in most intervals. */
static int conclude_parts(const struct why_state *state, struct mm_report *report)
{
	enum { NAMED = 3 };
	struct part_totals groups = { NULL };
	char text[NAMED * 720] = "";
	uint32_t named = 0;
	size_t length = 0;
	bool more = false;

	if (group_parts(state, &groups)) {
		free(groups.all);
		return -1;
	}
	if (state->timeline_count > 1 && groups.count && groups.duration_ns)
		answer_parts(state, &groups, report);
	if (groups.count)
		qsort(groups.all, groups.count, sizeof(*groups.all), compare_groups);
	for (uint32_t i = 0; i < groups.count && groups.all[i].intervals; i++) {
		char in[640];

		more = named == NAMED || length >= sizeof(text);
		if (more)
			break;
		why_part_place(state, &groups.all[i].part, in, sizeof(in));
		length +=
			(size_t)snprintf(text + length, sizeof(text) - length, "%s%s (%" PRIu32 ")",
					 named++ ? "; " : "", in, groups.all[i].intervals);
	}
	if (state->timeline_count > 1 && named)
		mm_report_finding(report, "Largest parts of the %" PRIu32 " slowest: %s%s.",
				  state->timeline_count, text, more ? "; others" : "");
	free(groups.all);
	return 0;
}

static void conclude_incomplete(const struct why_state *state, struct mm_report *report)
{
	static const char *const texts[WHY_OUTCOMES] = {
		[WHY_NOT_ENDED] = "not ended at the end of the trace",
		[WHY_WITHOUT_START] = "with only an end (the thread had no open start)",
		[WHY_WITHOUT_END] = "whose end is not in the trace",
		[WHY_STARTED_AGAIN] = "started again before an end",
		[WHY_THREAD_ENDED] = "whose thread ended",
		[WHY_LOST] = "in which events may be missing",
		[WHY_TOO_DEEP] = "within more than 512 others",
		[WHY_NO_THREAD] = "of a thread that is not known",
	};
	char text[1024] = "";
	uint64_t sum = 0;

	for (int i = 0; i < WHY_OUTCOMES; i++) {
		char part[96];

		mm_report_count(report, state->outcomes[i], "why.incomplete", why_outcome_names[i]);
		sum += state->outcomes[i];
		if (!state->outcomes[i])
			continue;
		snprintf(part, sizeof(part), "%" PRIu64 " %s", state->outcomes[i], texts[i]);
		mm_words_add(text, sizeof(text), part);
	}
	if (sum)
		mm_report_note(report, "Incomplete intervals, which are not listed: %s.", text);
}

static void remark_recorder(const struct why_state *state, struct mm_report *report)
{
	struct mm_metric *metric = mm_report_metric(report, "why.recorder.intervals", NULL);

	if (!state->knows_recorder)
		return;
	if (state->selected.any_unknown)
		mm_report_remark_unknown(report, "intervals");
	mm_cell_set_u(&metric->value, state->recorder_ends);
	if (state->recorder_ends)
		mm_report_remark(
			report,
			"The recorder's own intervals are left out (--include-recorder): %" PRIu64
			" end%s in the trace. Time lines show what the recorder did to other threads.",
			state->recorder_ends, state->recorder_ends == 1 ? "s" : "");
}

static void note_limits(const struct why_state *state, struct mm_report *report)
{
	if (state->timeline_count && state->sample < 1)
		mm_report_note(
			report,
			"Numbers of touches are lower bounds: the recorder has sampled %.3g %% of the pages, and touches of other pages are not in the trace.",
			100 * state->sample);
	if (state->uncertain)
		mm_report_note(
			report,
			"%" PRIu64
			" interval%s joined although streams are missing or end early: an end may belong to another interval if the thread ran on the CPU of such a stream in between.",
			state->uncertain, mm_plural(state->uncertain, " was", "s were"));
	if (state->outcomes[WHY_NO_THREAD])
		mm_report_note(
			report,
			"The threads of some events are not known: record them with the context tid, or record sched_switch.");
	if (state->slowest.is_full && state->timeline_count < state->listed_max)
		mm_report_note(
			report,
			"Fewer intervals are listed than requested: of the %u slowest, all others are nested in listed intervals.",
			WHY_CANDIDATES_MAX);
	if (state->events.functions.too_many)
		mm_report_note(
			report,
			"The trace has more than %u functions: further functions are left out.",
			FN_FUNCTIONS_MAX);
	if (state->pairing.stacks.too_many)
		mm_report_note(
			report,
			"The trace has more than %u threads: calls of further threads are left out.",
			FN_THREADS_MAX);
	if (state->oddities.unread)
		mm_report_note(report, "`?` is a value that could not be read.");
	if (state->oddities.encoded)
		mm_report_note(report, "Pointers into the kernel are encoded: see doc/events.md.");
}

static void conclude_switches(const struct why_state *state, struct mm_report *report)
{
	uint32_t lacking = 0;

	for (uint32_t i = 0; i < state->timeline_count; i++)
		lacking += state->timelines[i].lacks_switches;
	if (state->timeline_count && !state->has_switches)
		mm_report_answer(
			report,
			"Time off the CPU and in interrupts cannot be distinguished, because the trace has no sched_switch: record with `--events='sched_switch,sched_waking,irq_*'`.");
	else if (lacking)
		mm_report_note(
			report,
			"Of %" PRIu32
			" interval%s, time off the CPU is not known: streams with sched_switch start after %s, or one is missing.",
			lacking, mm_plural_s(lacking), mm_plural(lacking, "it", "them"));
}

static void fill_counts(const struct why_fill_ctx *fill)
{
	const struct why_state *state = fill->state;

	for (uint32_t i = 1; i < state->counts.count; i++) {
		const struct why_interval_count *count = mm_rows_at(&state->counts, i);
		const struct why_interval interval = { .kind = (enum why_kind)(count->key.a - 1),
						       .function = count->key.b };
		char of[1024];

		why_interval_of(state, &interval, of, sizeof(of));
		mm_report_count(fill->report, count->intervals, "why.intervals", of);
	}
	mm_report_count(fill->report, state->uncertain, "why.uncertain");
	for (int i = 0; i < WHY_PART_KINDS; i++)
		mm_report_count(fill->report, fill->part_ns[i], "why.part_ns", why_part_names[i]);
	for (int i = 0; i < WHY_PART_KINDS; i++)
		mm_report_count(fill->report, fill->largest[i], "why.largest", why_part_names[i]);
}

/* Suggests the command that shows the time lines of the listed intervals. */
static void answer_next(const struct why_state *state, struct mm_report *report)
{
	mm_report_first_table(report, &why_table_intervals, FIRST_ROWS);
	if (state->timeline_count)
		mm_report_next(report, "To see the events of the threads in these intervals",
			       "lttng-mm report why --table time-lines TRACE");
}

int why_report_fill(const struct why_state *state, const struct why_option_values *options,
		    struct mm_report *report)
{
	struct why_fill_ctx fill = { .state = state,
				     .report = report,
				     .intervals = mm_report_table(report, &why_table_intervals),
				     .parts = mm_report_table(report, &why_table_parts),
				     .lines = mm_report_table(report, &why_table_lines) };

	if (!state->timeline_count)
		why_answer_nothing(state, options, report);
	if (conclude_parts(state, report))
		return -1;
	for (uint32_t i = 0; i < state->timeline_count; i++)
		if (fill_timeline(&fill, &state->timelines[i], i + 1))
			return -1;
	fill.intervals->grouped = fill.parts->grouped = fill.lines->grouped = true;
	fill.lines->text_rows = fill.lines->row_count;
	conclude_switches(state, report);
	answer_next(state, report);
	conclude_incomplete(state, report);
	why_remark_selection(state, options, report);
	remark_recorder(state, report);
	note_limits(state, report);
	fill_counts(&fill);
	return 0;
}
