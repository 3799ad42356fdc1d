// SPDX-License-Identifier: LGPL-2.1-only
/* Fills in the section "Coverage" of a report, for any analysis. */
#include "reader/coverage/report/coverage-section.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/report/units.h"
#include "reader/report/render.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "reader/coverage/coverage.h"
#include "reader/coverage/missing.h"
#include "reader/report/render.h"
#include "reader/sysinfo/snapshot-dirs.h"
#include "util/plural.h"
#include "util/time.h"

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *stream_name(const struct mm_loss *loss)
{
	return file_name(loss->stream);
}

/* Sorts channel_2 before channel_10. Sorts streams with equal names by folder. */
static int compare_losses(const void *a, const void *b)
{
	const struct mm_loss *x = *(const struct mm_loss *const *)a;
	const struct mm_loss *y = *(const struct mm_loss *const *)b;
	int order = strverscmp(stream_name(x), stream_name(y));

	order = order ? order : strverscmp(x->stream, y->stream);
	/*
	 * A missing stream may have the same file name as an existing stream. The existing stream
	 * comes first.
	 */
	return order ? order : x->missing - y->missing;
}

void mm_coverage_add_missing(struct mm_report *report, const char *name,
			     const struct mm_missing *missing)
{
	struct mm_cell *row = mm_table_row(report, report->coverage_tables[MM_COVERAGE_MISSING]);
	char text[256];

	if (!row)
		return;
	mm_missing_text(missing, text, sizeof(text));
	mm_cell_set_s(&row[MM_MISSING_STREAM], name);
	if (missing->cpu != MM_CPU_UNKNOWN)
		mm_cell_set_u(&row[MM_MISSING_CPU], missing->cpu);
	if (missing->packets)
		mm_cell_set_u(&row[MM_MISSING_PACKETS], missing->packets);
	mm_cell_set_s(&row[MM_MISSING_WHAT], text);
}

/* Names the first stream that may be missing, and counts the others. */
static void remark_missing(const struct mm_missing_list *list, struct mm_report *report)
{
	const struct mm_missing *first = NULL;
	char text[256], others[64] = "";
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!list->all[i].uncertain || list->all[i].in_state)
			continue;
		if (!count++)
			first = &list->all[i];
	}
	if (!first)
		return;
	if (count > 1)
		snprintf(others, sizeof(others), "; so may %zu more stream%s", count - 1,
			 mm_plural_s(count - 1));
	mm_missing_text(first, text, sizeof(text));
	mm_report_remark(report, "%s %s%s.", file_name(first->file), text, others);
}

static void fill_missing(const struct mm_source *source, struct mm_report *report)
{
	const struct mm_missing_list *list = mm_source_missing(source);

	if (list)
		remark_missing(list, report);
	for (size_t i = 0; list && i < list->count; i++)
		mm_coverage_add_missing(report, file_name(list->all[i].file), &list->all[i]);
}

static void fill_damage(const struct mm_source *source, struct mm_report *report)
{
	struct mm_table *table = report->coverage_tables[MM_COVERAGE_DAMAGE];

	for (size_t i = 0; i < mm_source_damage_count(source); i++) {
		struct mm_cell *row = mm_table_row(report, table);

		if (row)
			mm_cell_set_s(&row[MM_DAMAGE_MESSAGE], mm_source_damage_at(source, i));
	}
}

static uint64_t ring_packets(const struct mm_missing_list *list)
{
	return list ? list->ring_packets : 0;
}

/* Counts packets that were recorded but are now missing. Ignores files that have changed. */
static uint64_t absent_packets(const struct mm_missing_list *list)
{
	uint64_t packets = list ? list->removed_packets : 0;

	for (size_t i = 0; list && i < list->count; i++)
		if (!list->all[i].in_state && !mm_missing_is_changed(list, list->all[i].file))
			packets += list->all[i].packets;
	return packets;
}

bool mm_coverage_recorder_lost(const struct mm_missing_list *list, const struct mm_loss *losses,
			       size_t count)
{
	uint64_t packets = 0;
	bool lost = false;

	for (size_t i = 0; i < count; i++) {
		const struct mm_loss *loss = &losses[i];

		if (mm_loss_is_state(loss) || mm_missing_is_changed(list, loss->stream))
			continue;
		/*
		 * Ignore the lost packets of a stream with damage, because a damaged packet also
		 * leaves a gap in the sequence numbers.
		 */
		packets += loss->packets_damaged ? 0 : loss->packets_lost;
		lost |= loss->events_discarded ||
			(loss->packets_without_count && !loss->packets_damaged);
	}
	return lost || packets > absent_packets(list) + ring_packets(list);
}

void mm_coverage_add_loss(struct mm_report *report, const char *name, const struct mm_loss *loss)
{
	struct mm_cell *row = mm_table_row(report, report->coverage_tables[MM_COVERAGE_LOSSES]);

	if (!row)
		return;
	mm_cell_set_s(&row[MM_LOSSES_STREAM], name);
	mm_cell_set_u(&row[MM_LOSSES_EVENTS_DISCARDED], loss->events_discarded);
	mm_cell_set_u(&row[MM_LOSSES_PACKETS_LOST], loss->packets_lost);
	mm_cell_set_u(&row[MM_LOSSES_WITHOUT_COUNT], loss->packets_without_count);
	mm_cell_set_u(&row[MM_LOSSES_TRUNCATED], loss->packets_truncated);
	mm_cell_set_u(&row[MM_LOSSES_DAMAGED], loss->packets_damaged);
	mm_cell_set_u(&row[MM_LOSSES_MISSING], loss->missing && !loss->maybe);
	mm_cell_set_u(&row[MM_LOSSES_PAUSES], loss->pauses);
}

void mm_coverage_set_losses(struct mm_report *report, const struct mm_loss *sum,
			    uint64_t streams_missing)
{
	struct mm_cell *cells = report->coverage;

	mm_cell_set_u(&cells[MM_COVERAGE_EVENTS_DISCARDED], sum->events_discarded);
	mm_cell_set_u(&cells[MM_COVERAGE_PACKETS_LOST], sum->packets_lost);
	mm_cell_set_u(&cells[MM_COVERAGE_PACKETS_WITHOUT_COUNT], sum->packets_without_count);
	mm_cell_set_u(&cells[MM_COVERAGE_PACKETS_TRUNCATED], sum->packets_truncated);
	mm_cell_set_u(&cells[MM_COVERAGE_PACKETS_DAMAGED], sum->packets_damaged);
	mm_cell_set_u(&cells[MM_COVERAGE_STREAMS_MISSING], streams_missing);
	mm_cell_set_u(&cells[MM_COVERAGE_PAUSES], sum->pauses);
	mm_cell_set_b(&cells[MM_COVERAGE_COMPLETE],
		      !report->incomplete && !report->state_lost && !report->state_missing);
	if (report->maybe_paused && cells[MM_COVERAGE_COMPLETE].u)
		cells[MM_COVERAGE_COMPLETE] = (struct mm_cell){ .kind = MM_CELL_EMPTY };
}

void mm_coverage_set_gaps(struct mm_report *report, const struct mm_missing_list *list)
{
	struct mm_cell *cells = report->coverage;

	mm_cell_set_u(&cells[MM_COVERAGE_POSSIBLE_PAUSES], list ? list->gaps : 0);
	mm_cell_set_u(&cells[MM_COVERAGE_POSSIBLE_PAUSES_NS], list ? list->gaps_ns : 0);
	if (list && list->gaps && cells[MM_COVERAGE_COMPLETE].u)
		cells[MM_COVERAGE_COMPLETE] = (struct mm_cell){ .kind = MM_CELL_EMPTY };
}

static void set_sums(const struct mm_source *source, const struct mm_loss *sum, uint64_t missing,
		     struct mm_report *report)
{
	const struct mm_missing_list *list = mm_source_missing(source);

	mm_cell_set_u(&report->coverage[MM_COVERAGE_EVENTS], mm_source_event_count(source));
	report->state_events = mm_source_state_event_count(source);
	report->incomplete = mm_loss_any(sum) || missing;
	report->lacking = report->incomplete || (list && list->uncertain);
	report->recorder_lost = mm_coverage_recorder_lost(list, mm_source_losses(source),
							  mm_source_loss_count(source));
	report->ring_lost = sum->packets_lost && ring_packets(list);
	report->denied = list && list->denied;
	report->damaged = sum->packets_damaged;
	report->backward = mm_source_is_backward(source);
	for (size_t i = 0; i < mm_source_announced_count(source); i++)
		mm_report_remark(report, "Damaged: %s.", mm_source_damage_at(source, i));
	for (size_t i = 0; i < mm_source_note_count(source); i++)
		mm_report_remark(report, "%s.", mm_source_note_at(source, i));
	mm_coverage_set_losses(report, sum, missing + report->state_missing);
}

/* Counts losses of state dumps separately, because they leave no gap in the recorded activity. */
static void add_state_loss(struct mm_report *report, const struct mm_loss *loss)
{
	report->state_missing += loss->missing && !loss->maybe;
	report->state_lost |= !loss->missing && mm_loss_any(loss);
}

/*
 * Fills in the table of losses, even if it is empty. Sorts it, because both readers must give the
 * same order.
 */
static void fill_losses(const struct mm_source *source, struct mm_report *report)
{
	const struct mm_loss **losses = calloc(mm_source_loss_count(source) + 1, sizeof(*losses));
	struct mm_loss sum = { 0 };
	uint64_t missing = 0;

	if (!losses) {
		report->failed = true;
		return;
	}
	for (size_t i = 0; i < mm_source_loss_count(source); i++)
		losses[i] = mm_source_loss_at(source, i);
	qsort(losses, mm_source_loss_count(source), sizeof(*losses), compare_losses);
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = losses[i];

		if (mm_loss_is_state(loss)) {
			add_state_loss(report, loss);
		} else {
			sum.events_discarded += loss->events_discarded;
			sum.packets_lost += loss->packets_lost;
			sum.packets_without_count += loss->packets_without_count;
			sum.packets_truncated += loss->packets_truncated;
			sum.pauses += loss->pauses;
			missing += loss->missing && !loss->maybe;
		}
		sum.packets_damaged += loss->packets_damaged;
		mm_coverage_add_loss(report, stream_name(loss), loss);
	}
	free(losses);
	set_sums(source, &sum, missing, report);
}

static int compare_cpus(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void mm_coverage_set_cpus(struct mm_report *report, const struct mm_missing_list *list,
			  uint32_t *cpus, size_t count)
{
	uint64_t distinct = 0;

	qsort(cpus, count, sizeof(*cpus), compare_cpus);
	for (size_t i = 0; i < count; i++)
		distinct += !i || cpus[i] != cpus[i - 1];
	if (distinct)
		mm_cell_set_u(&report->coverage[MM_COVERAGE_CPUS], distinct);
	for (size_t i = 0; list && i < list->count && !report->more_cpus; i++)
		report->more_cpus =
			list->all[i].uncertain &&
			!bsearch(&list->all[i].cpu, cpus, count, sizeof(*cpus), compare_cpus);
}

/*
 * Counts the CPUs of the streams. Ignores streams of state dumps, because any CPU may write these.
 */
static void fill_cpus(const struct mm_source *source, struct mm_report *report)
{
	uint32_t *cpus = calloc(mm_source_loss_count(source) + 1, sizeof(*cpus));
	size_t count = 0;

	if (!cpus) {
		report->failed = true;
		return;
	}
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);

		if (!mm_loss_is_state(loss) && !loss->missing && loss->cpu != MM_CPU_UNKNOWN)
			cpus[count++] = loss->cpu;
	}
	mm_coverage_set_cpus(report, mm_source_missing(source), cpus, count);
	free(cpus);
}

void mm_coverage_set_range(struct mm_report *report, int64_t start_ns, int64_t end_ns)
{
	struct mm_cell *cells = report->coverage;

	mm_cell_set_i(&cells[MM_COVERAGE_START_NS], start_ns);
	mm_cell_set_i(&cells[MM_COVERAGE_END_NS], end_ns);
	mm_cell_set_u(&cells[MM_COVERAGE_DURATION_NS],
		      end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0);
}

static int compare_starts(const void *a, const void *b)
{
	const struct mm_channel_start *x = a, *y = b;
	int order = strcmp(x->channel, y->channel);

	return order ? order : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

int64_t mm_coverage_last_start(struct mm_channel_start *starts, size_t count)
{
	int64_t last_ns = INT64_MIN;

	for (size_t i = 0; i < count; i++)
		if (!starts[i].channel)
			return INT64_MIN;
	if (count)
		qsort(starts, count, sizeof(*starts), compare_starts);
	for (size_t i = 0; i < count; i++)
		if ((!i || strcmp(starts[i].channel, starts[i - 1].channel) != 0) &&
		    starts[i].start_ns > last_ns)
			last_ns = starts[i].start_ns;
	return last_ns;
}

/*
 * Does the stream determine the report's time range? A stream whose events only name threads does
 * not.
 */
static bool is_ranged(const struct mm_loss *loss)
{
	return loss->has_subject && !loss->missing;
}

static bool is_same_folder(const char *a, const char *b)
{
	size_t length = (size_t)(file_name(a) - a);

	return length == (size_t)(file_name(b) - b) && !memcmp(a, b, length);
}

/*
 * Returns the start of the channel that starts last. Returns INT64_MIN if it is not known or when
 * out of memory. If a trace has requested events, considers all its channels. The result then does
 * not depend on which events are requested.
 */
static int64_t find_last_start(const struct mm_source *source)
{
	struct mm_channel_start *starts = calloc(mm_source_loss_count(source) + 1, sizeof(*starts));
	int64_t last_ns = INT64_MIN;
	size_t count = 0;

	for (size_t i = 0; i < mm_source_loss_count(source) && starts; i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		bool ranged = is_ranged(loss);

		for (size_t j = 0; j < mm_source_loss_count(source) && !ranged && !loss->missing;
		     j++)
			ranged = is_ranged(mm_source_loss_at(source, j)) &&
				 is_same_folder(loss->stream, mm_source_loss_at(source, j)->stream);
		if (ranged && !mm_loss_is_state(loss))
			starts[count++] =
				(struct mm_channel_start){ mm_missing_channel(source, loss->stream),
							   mm_coverage_begin(source, loss) };
	}
	if (starts)
		last_ns = mm_coverage_last_start(starts, count);
	free(starts);
	return last_ns;
}

/*
 * A requested time may exceed the trace by less than this without a remark, because users often
 * give times in whole seconds.
 */
#define EXCESS_NS 1000000000

static bool is_later(int64_t a, int64_t b)
{
	return a > b && (uint64_t)a - (uint64_t)b >= EXCESS_NS;
}

/* Notes whether the requested time range starts before the trace or ends after it. */
static void set_excess(const struct mm_source *source, int64_t start_ns, int64_t end_ns,
		       struct mm_report *report)
{
	const struct mm_source_options *options = mm_source_options(source);

	report->starts_late =
		options->begin_ns != INT64_MIN && is_later(start_ns, options->begin_ns);
	report->ends_early = options->end_ns != INT64_MAX && is_later(options->end_ns, end_ns);
}

static void fill_range(const struct mm_source *source, struct mm_report *report)
{
	int64_t start_ns = INT64_MAX, end_ns = INT64_MIN, last_start_ns = find_last_start(source);
	bool has_subject = false;

	for (size_t i = 0; i < mm_source_loss_count(source); i++)
		has_subject |= is_ranged(mm_source_loss_at(source, i));
	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);

		if (mm_loss_is_state(loss) || loss->missing || (has_subject && !is_ranged(loss)))
			continue;
		if (loss->begin_ns != INT64_MIN && loss->begin_ns < start_ns)
			start_ns = loss->begin_ns;
		if (loss->end_ns != INT64_MAX && loss->end_ns > end_ns)
			end_ns = loss->end_ns;
	}
	if (last_start_ns > start_ns)
		start_ns = last_start_ns;
	set_excess(source, start_ns, end_ns, report);
	if (mm_source_options(source)->begin_ns > start_ns)
		start_ns = mm_source_options(source)->begin_ns;
	if (mm_source_options(source)->end_ns < end_ns)
		end_ns = mm_source_options(source)->end_ns;
	if (start_ns <= end_ns)
		mm_coverage_set_range(report, start_ns, end_ns);
}

/*
 * Takes the kernel release from the trace if the trace states it. The system information describes
 * the machine at the time of the snapshot, when another kernel may have been running.
 */
static void fill_machine(const struct mm_source *source, const struct mm_sysinfo *sysinfo,
			 struct mm_report *report)
{
	const char *release = mm_source_kernel_release(source);

	if (!release && !mm_source_kernels_differ(source))
		release = mm_sysinfo_system(sysinfo, "kernel_release");
	mm_cell_set_s(&report->coverage[MM_COVERAGE_KERNEL_RELEASE], release);
	mm_cell_set_s(&report->coverage[MM_COVERAGE_HOSTNAME],
		      mm_sysinfo_system(sysinfo, "hostname"));
}

void mm_coverage_set_differs(struct mm_report *report)
{
	struct mm_cell *complete = &report->coverage[MM_COVERAGE_COMPLETE];

	report->doubts |= MM_REPORT_DIFFERS;
	if (complete->u)
		*complete = (struct mm_cell){ .kind = MM_CELL_EMPTY };
}

void mm_coverage_set_verified(struct mm_report *report, const char *unverifiable)
{
	struct mm_cell *complete = &report->coverage[MM_COVERAGE_COMPLETE];

	const unsigned int unsettled =
		MM_REPORT_DIFFERS | MM_REPORT_SUMS_LOST | MM_REPORT_UNCERTIFIED;

	mm_cell_set_b(&report->coverage[MM_COVERAGE_STREAMS_VERIFIED], !unverifiable);
	if ((unverifiable || report->doubts & unsettled) && complete->u)
		*complete = (struct mm_cell){ .kind = MM_CELL_EMPTY };
	mm_cell_set_s(&report->coverage[MM_COVERAGE_UNVERIFIABLE], unverifiable);
}

void mm_coverage_set_limits_unknown(struct mm_report *report)
{
	struct mm_cell *complete = &report->coverage[MM_COVERAGE_COMPLETE];

	report->limits_unknown = true;
	mm_cell_set_s(&report->coverage[MM_COVERAGE_LIMITED_TO],
		      "a part of the events, because a tracker or a filter excluded others");
	if (complete->u)
		*complete = (struct mm_cell){ .kind = MM_CELL_EMPTY };
}

void mm_coverage_set_limits(struct mm_report *report, const struct mm_source *source)
{
	const struct mm_missing_list *list = mm_source_missing(source);
	char *text = NULL;
	size_t size;
	FILE *out;

	if (list && list->limits_unknown)
		mm_coverage_set_limits_unknown(report);
	if (!list || list->limits_unknown || !list->limit_count)
		return;
	out = open_memstream(&text, &size);
	for (size_t i = 0; out && i < list->limit_count; i++)
		fprintf(out, "%s%s", i ? ", " : "", list->limits[i]);
	if (!out || fclose(out))
		report->failed = true;
	else
		mm_cell_set_s(&report->coverage[MM_COVERAGE_LIMITED_TO], text);
	free(text);
}

size_t mm_coverage_count_cuts(const struct mm_missing_list *list)
{
	size_t count = 0;

	for (size_t i = 0; list && i < list->cut_count; i++)
		count +=
			list->cuts[i].before_ns >= MM_CUT_NS || list->cuts[i].after_ns >= MM_CUT_NS;
	return count;
}

/*
 * Returns how much time a cut stream may lack at the start or at the end of the requested range,
 * whichever is longer. Sets *@end if this is at the end.
 */
static uint64_t cut_ns(const struct mm_source *source, const struct mm_cut *cut, bool *end)
{
	uint64_t before = cut->start_ns >= mm_source_options(source)->begin_ns ? cut->before_ns : 0;
	uint64_t after = cut->end_ns <= mm_source_options(source)->end_ns ? cut->after_ns : 0;

	*end = after >= before;
	return *end ? after : before;
}

/*
 * If a stream may lack @least_ns or more, names the stream that may lack the longest time. Ignores
 * cuts below MM_CUT_NS in streams whose events do not affect other events, because such cuts make
 * no figure uncertain.
 */
static void remark_cuts(struct mm_report *report, const struct mm_source *source, uint64_t least_ns)
{
	const struct mm_cut *most = NULL;
	char duration[MM_NUMBER_TEXT], others[64] = "";
	uint64_t count = 0, most_ns = 0;
	bool end, at_end = false;

	for (size_t i = 0; i < mm_source_loss_count(source); i++) {
		const struct mm_loss *loss = mm_source_loss_at(source, i);
		const struct mm_cut *cut = loss->has_subject ? mm_missing_cut(source, loss) : NULL;
		uint64_t ns = cut ? cut_ns(source, cut, &end) : 0;

		if (!loss->affects_others && ns < MM_CUT_NS)
			continue;
		report->maybe_cut |= ns && loss->affects_others;
		report->lacking |= ns >= least_ns && loss->affects_others;
		count += ns != 0;
		if (ns <= most_ns)
			continue;
		most = cut;
		most_ns = ns;
		at_end = end;
	}
	if (most_ns < least_ns)
		return;
	report->cut_remarked = true;
	mm_render_ns(duration, sizeof(duration), (double)most_ns);
	if (count > 1)
		snprintf(others, sizeof(others), "; %" PRIu64 " more stream%s %s shorter, too",
			 count - 1, mm_plural_s(count - 1), mm_plural(count - 1, "is", "are"));
	mm_report_remark(
		report,
		"Events may be missing: %s has no packet in the %s %s of the trace, and %s%s.",
		file_name(most->file), at_end ? "last" : "first", duration,
		at_end && most->indexed
			? "only the index of this stream shows that no packets were removed"
			: "nothing shows whether packets were removed",
		others);
}

/*
 * A certificate starts later than the packets in two cases: some events of the session were not
 * enabled when the first packets were written, or events may have been discarded in a stream's
 * first packet.
 */
void mm_coverage_set_certified_since(struct mm_report *report, int64_t since_ns)
{
	const struct mm_cell *start = &report->coverage[MM_COVERAGE_START_NS];
	const struct mm_cell *end = &report->coverage[MM_COVERAGE_END_NS];
	char duration[MM_NUMBER_TEXT];

	if (start->kind == MM_CELL_EMPTY || start->i >= since_ns)
		return;
	mm_render_ns(duration, sizeof(duration), (double)((uint64_t)since_ns - (uint64_t)start->i));
	report->since_remark = report->remark_count;
	mm_report_remark(
		report,
		"In the first %s, not all events were recorded: some had not been enabled yet, or were discarded.",
		duration);
	report->certified_since_ns = since_ns;
	/* Without a requested start, the report is complete from the certificate's start on. */
	if (report->begins || (report->windowed && end->i <= since_ns))
		report->doubts |= MM_REPORT_UNCERTIFIED;
}

void mm_coverage_conclude(const struct mm_source *source, struct mm_report *report)
{
	bool uncertain = false;

	for (size_t i = 0; i < report->metric_count; i++) {
		const char *name = report->metrics[i]->def->name;
		size_t length = strlen(name), end = strlen("uncertain");

		if (length > end && !strcmp(name + length - end, "uncertain"))
			uncertain |= report->metrics[i]->value.u > 0;
	}
	/* If events are missing, the report has already named the affected streams. */
	if (uncertain && !report->lacking)
		remark_cuts(report, source, 1);
}

void mm_coverage_set_sums(struct mm_report *report, const struct mm_missing_list *list)
{
	char *text;

	report->unchecked = !list || list->without_sums;
	if (!list || !list->lost_sums_count)
		return;
	report->doubts |= MM_REPORT_SUMS_LOST;
	text = mm_missing_sums_text(list);
	if (text)
		mm_report_warn(report, "%s.", text);
	else
		report->failed = true;
	free(text);
}

void mm_coverage_set_damaged(struct mm_report *report, const struct mm_missing_list *list)
{
	struct mm_cell *complete = &report->coverage[MM_COVERAGE_COMPLETE];

	if (!list || !list->damaged_snapshot_count)
		return;
	mm_report_warn(
		report,
		"Times may be wrong, because nothing shows whether the wall clock was set: %s: %s.",
		list->damaged_snapshots[0], list->damaged_whys[0]);
	report->doubts |= MM_REPORT_SNAPSHOT_DAMAGED;
	if (complete->u)
		*complete = (struct mm_cell){ .kind = MM_CELL_EMPTY };
}

void mm_coverage_set_mismatches(struct mm_report *report, const struct mm_missing_list *list)
{
	const struct mm_mismatch *first;
	char others[64] = "";

	if (!list || !list->mismatch_count)
		return;
	first = &list->mismatches[0];
	if (list->mismatch_count > 1)
		snprintf(others, sizeof(others), ", and %zu more difference%s",
			 list->mismatch_count - 1, mm_plural_s(list->mismatch_count - 1));
	mm_report_warn(report,
		       "The files differ from the file list in the system information: %s: %s%s.",
		       first->display_path, first->what, others);
	if (!(report->doubts & MM_REPORT_DIFFERS))
		report->doubts |= MM_REPORT_UNLISTED;
	mm_coverage_set_differs(report);
}

void mm_coverage_fill(const struct mm_source *source, const struct mm_sysinfo *sysinfo,
		      struct mm_report *report)
{
	const struct mm_missing_list *list = mm_source_missing(source);
	char clock[MM_CLOCK_SHIFT_TEXT];
	const char *note;

	report->gmt = mm_source_options(source)->gmt;
	report->windowed = mm_source_options_windowed(mm_source_options(source));
	report->begins = mm_source_options(source)->begin_ns != INT64_MIN;
	report->maybe_paused = list && list->maybe_paused;
	fill_losses(source, report);
	mm_coverage_set_gaps(report, list);
	mm_coverage_set_limits(report, source);
	if (!list && mm_sysinfo_is_partial(sysinfo, source))
		mm_coverage_set_limits_unknown(report);
	remark_cuts(report, source, MM_CUT_NS);
	fill_missing(source, report);
	fill_damage(source, report);
	fill_range(source, report);
	mm_coverage_set_certified_since(report, mm_coverage_certified_since(source));
	fill_cpus(source, report);
	fill_machine(source, sysinfo, report);
	mm_coverage_set_sums(report, list);
	mm_coverage_set_damaged(report, list);
	mm_coverage_set_mismatches(report, list);
	mm_coverage_set_verified(report, list ? mm_missing_unverifiable(list)
					      : "the trace's folders are unknown");
	for (size_t i = 0; list && i < list->unchecked_count; i++)
		mm_report_note(report, "%s", list->unchecked[i]);
	if (mm_clock_shift_text(mm_source_clock_shift_ns(source), clock, sizeof(clock)))
		mm_report_note(report, "%s.", clock);
	for (size_t i = 0; (note = mm_sysinfo_note(sysinfo, i)); i++)
		mm_report_note(report, "%s", note);
}
