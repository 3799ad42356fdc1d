// SPDX-License-Identifier: LGPL-2.1-only
/* The head of a report's text form: the recorded time and machine, and the losses. */
#include <inttypes.h>
#include <string.h>

#include "reader/report/units.h"
#include "reader/report/render.h"
#include "util/escape.h"
#include "util/plural.h"
#include "util/time.h"

/* Times of shorter recordings are printed with fractions of a second. */
#define LONG_NS 10000000000u
#define DATE_LENGTH (sizeof("2026-11-22T") - 1)

/* Writes @ns as a date. A short recording (@duration_ns) needs more digits of the fraction. */
static void format_time(char *text, size_t size, int64_t ns, uint64_t duration_ns, bool gmt)
{
	unsigned int digits = duration_ns >= LONG_NS ? 0 : duration_ns >= 10000000 ? 3 : 9;

	mm_time_format_digits(text, size, ns, digits, gmt);
}

/* Prints the time range. Returns the separator for the next part; "" if nothing was printed. */
static const char *print_range(FILE *out, const struct mm_report *report)
{
	const struct mm_cell *c = report->coverage;
	uint64_t ns = c[MM_COVERAGE_DURATION_NS].u;
	char start[MM_TIME_TEXT], end[MM_TIME_TEXT], duration[MM_NUMBER_TEXT];
	size_t same;

	if (c[MM_COVERAGE_DURATION_NS].kind == MM_CELL_EMPTY)
		return "";
	format_time(start, sizeof(start), c[MM_COVERAGE_START_NS].i, ns, report->gmt);
	format_time(end, sizeof(end), c[MM_COVERAGE_END_NS].i, ns, report->gmt);
	mm_render_ns(duration, sizeof(duration), (double)ns);
	same = strlen(end) > DATE_LENGTH && !strncmp(start, end, DATE_LENGTH) ? DATE_LENGTH : 0;
	fprintf(out, "%s to %s (%s%s)", start, end + same, duration,
		!report->windowed ? ""
		: report->starts_late && report->ends_early
			? "; the requested time range is longer than the trace"
		: report->starts_late ? "; the requested time range starts before the trace"
		: report->ends_early  ? "; the requested time range ends after the trace"
				      : "; the requested time range");
	return ", ";
}

void mm_render_range(FILE *out, const struct mm_report *report)
{
	print_range(out, report);
}

void mm_render_recorded(FILE *out, const struct mm_report *report)
{
	const struct mm_cell *c = report->coverage;
	const char *before;

	if (c[MM_COVERAGE_DURATION_NS].kind == MM_CELL_EMPTY &&
	    c[MM_COVERAGE_CPUS].kind == MM_CELL_EMPTY)
		return;
	fputs(report->windowed ? "Reported: " : "Recorded: ", out);
	before = print_range(out, report);
	if (c[MM_COVERAGE_CPUS].kind != MM_CELL_EMPTY) {
		fprintf(out, "%s%" PRIu64 " CPU%s%s", before, c[MM_COVERAGE_CPUS].u,
			mm_plural_s(c[MM_COVERAGE_CPUS].u), report->more_cpus ? " or more" : "");
		before = ", ";
	}
	if (c[MM_COVERAGE_KERNEL_RELEASE].kind == MM_CELL_STRING) {
		fprintf(out, "%sLinux ", before);
		mm_escape_print(out, c[MM_COVERAGE_KERNEL_RELEASE].s);
		before = ", ";
	}
	if (c[MM_COVERAGE_HOSTNAME].kind == MM_CELL_STRING) {
		fprintf(out, "%shost ", before);
		mm_escape_print(out, c[MM_COVERAGE_HOSTNAME].s);
	}
	fputc('\n', out);
}

static bool is_state_incomplete(const struct mm_report *report)
{
	return report->state_lost || report->state_missing;
}

#define POSSIBLE_TEXT (MM_NUMBER_TEXT + 48)

static const char *possible_pauses(const struct mm_report *report, char text[POSSIBLE_TEXT])
{
	const struct mm_cell *c = report->coverage;
	uint64_t count = c[MM_COVERAGE_POSSIBLE_PAUSES].u;
	char ns[MM_NUMBER_TEXT];

	text[0] = '\0';
	mm_render_ns(ns, sizeof(ns), (double)c[MM_COVERAGE_POSSIBLE_PAUSES_NS].u);
	if (count)
		snprintf(text, POSSIBLE_TEXT, " (%" PRIu64 " possible pause%s, %s)", count,
			 mm_plural_s(count), ns);
	return text;
}

/* Is it unknown whether the trace is complete, for reasons other than losses and pauses? */
static bool is_open(const struct mm_report *report)
{
	return report->doubts &
	       (MM_REPORT_DIFFERS | MM_REPORT_SUMS_LOST | MM_REPORT_SNAPSHOT_DAMAGED);
}

/* Prints the conditions under which the trace is complete: " unless a stream is missing". */
static void print_conditions(FILE *out, const struct mm_report *report)
{
	const struct mm_cell *c = report->coverage;
	const char *before = " unless ";
	char text[POSSIBLE_TEXT];

	if (!is_open(report) && !is_state_incomplete(report) &&
	    !c[MM_COVERAGE_STREAMS_VERIFIED].u) {
		fprintf(out, "%sa stream is missing", before);
		before = ", or ";
	}
	if (report->cut_remarked && !is_open(report)) {
		fprintf(out, "%spackets were removed from a stream", before);
		before = ", or ";
	}
	if (!c[MM_COVERAGE_POSSIBLE_PAUSES].u)
		return;
	if (is_open(report))
		fprintf(out, ", and recording may have been paused%s",
			possible_pauses(report, text));
	else
		fprintf(out, "%srecording was paused%s", before, possible_pauses(report, text));
}

/* Returns words for the first doubt about the trace as a whole, or NULL. */
static const char *doubt_of(const struct mm_report *report)
{
	static const struct {
		enum mm_report_doubt doubt;
		const char *words;
	} doubts[] = {
		{ MM_REPORT_CONTRADICTORY, "snapshot.json contradicts itself" },
		{ MM_REPORT_UNLISTED,
		  "the files differ from the file list in the system information" },
		{ MM_REPORT_DIFFERS, "the files differ from the certificate" },
		{ MM_REPORT_SNAPSHOT_DAMAGED, "snapshot.json is damaged" },
		{ MM_REPORT_SUMS_LOST, "checksums of packets are damaged or missing" },
		{ MM_REPORT_UNCERTIFIED,
		  "the certificate does not cover the start of the time range" },
	};

	for (size_t i = 0; i < sizeof(doubts) / sizeof(doubts[0]); i++)
		if (report->doubts & doubts[i].doubt)
			return doubts[i].words;
	return NULL;
}

/* Is the trace complete only from certified_since_ns on? */
static bool is_complete_since(const struct mm_report *report)
{
	return !report->incomplete && !report->maybe_paused && !doubt_of(report) &&
	       report->certified_since_ns;
}

/*
 * Rounds a time up to a millisecond. Users may request a report from the printed time on. Rounding
 * down would make this time earlier than the certificate's start, and that report would be
 * incomplete.
 */
static int64_t round_up(int64_t ns)
{
	const int64_t rest = ns % 1000000;

	return rest > 0 ? ns - rest + 1000000 : ns;
}

/*
 * Prints whether the trace is complete. If it is complete only from a later time on, and @brief is
 * set, also prints the reason. (In the long form, a remark states the reason.)
 */
static void print_verdict(FILE *out, const struct mm_report *report, bool brief)
{
	const struct mm_cell *limits = &report->coverage[MM_COVERAGE_LIMITED_TO];
	const char *doubt = doubt_of(report);
	char time[MM_TIME_TEXT];

	mm_time_format_digits(time, sizeof(time), round_up(report->certified_since_ns), 3,
			      report->gmt);
	if (doubt)
		fprintf(out, "Undetermined, %s", doubt);
	else
		fputs(is_state_incomplete(report) ? "Events complete, state dumps incomplete"
						  : "Complete",
		      out);
	/* The text above is about the certificate's start only if there is no other doubt. */
	if (report->doubts == MM_REPORT_UNCERTIFIED)
		fprintf(out, " (it starts at %s)", time);
	if (limits->kind == MM_CELL_STRING) {
		fputs(" for ", out);
		mm_escape_print(out, limits->s);
	}
	if (is_complete_since(report))
		fprintf(out, " from %s on%s", time,
			brief ? " (before that, not all events were recorded)" : "");
	print_conditions(out, report);
}

static const char excluded[] = "; a tracker or a filter excluded other events";

static void print_complete(FILE *out, const struct mm_report *report)
{
	size_t streams = report->coverage_tables[MM_COVERAGE_LOSSES]->row_count;

	if (report->maybe_paused)
		fputs("Undetermined, recording may have been paused, or events excluded", out);
	else
		print_verdict(out, report, false);
	fputs(": no events discarded, no packets lost, truncated or damaged", out);
	if (report->unchecked)
		fputs(" (not checked inside packets)", out);
	if (report->limits_unknown && report->maybe_paused)
		fputs(excluded, out);
	if (report->state_missing)
		fprintf(out, "; %" PRIu64 " of %zu stream%s missing (with state dumps only)",
			report->state_missing, streams, mm_plural_s(streams));
	else if (report->coverage[MM_COVERAGE_STREAMS_VERIFIED].u)
		fprintf(out, ", none of %zu stream%s missing", streams, mm_plural_s(streams));
	if (report->state_lost)
		fputs("; state dumps were lost", out);
}

/*
 * Prints the numbers of lost events, packets and streams. With @brief, prints only numbers above 0.
 */
static void print_losses(FILE *out, const struct mm_report *report, bool brief)
{
	static const struct {
		enum mm_coverage_key key;
		bool always;
		const char *noun, *what;
	} counts[] = {
		{ MM_COVERAGE_EVENTS_DISCARDED, true, "event", "discarded" },
		{ MM_COVERAGE_PACKETS_LOST, true, "packet", "lost" },
		{ MM_COVERAGE_PACKETS_TRUNCATED, true, "packet", "truncated" },
		{ MM_COVERAGE_PACKETS_DAMAGED, true, "packet", "damaged" },
		{ MM_COVERAGE_PACKETS_WITHOUT_COUNT, false, "packet",
		  "without a count of discarded events" },
		{ MM_COVERAGE_STREAMS_MISSING, false, "stream", "missing" },
		{ MM_COVERAGE_PAUSES, false, "pause", "of a stream" },
	};
	const char *before = brief ? "Incomplete: " : "Lost: ";
	char text[POSSIBLE_TEXT];

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t count = report->coverage[counts[i].key].u;

		if (!count && (brief || !counts[i].always))
			continue;
		fprintf(out, "%s%" PRIu64 " %s%s %s", before, count, counts[i].noun,
			mm_plural_s(count), counts[i].what);
		before = ", ";
	}
	if (report->state_missing)
		fprintf(out, ", %" PRIu64 " of them with state dumps only", report->state_missing);
	if (report->maybe_paused)
		fputs("; recording may have been paused, or events excluded", out);
	else if (report->coverage[MM_COVERAGE_POSSIBLE_PAUSES].u)
		fprintf(out, "; recording may have been paused%s", possible_pauses(report, text));
	if (report->limits_unknown)
		fputs(excluded, out);
}

/* Did a ring of trace files overwrite packets, and was nothing else lost while recording? */
static bool is_ring_lost(const struct mm_report *report)
{
	return report->ring_lost && !report->recorder_lost;
}

static bool is_only_paused(const struct mm_report *report)
{
	static const enum mm_coverage_key others[] = {
		MM_COVERAGE_EVENTS_DISCARDED,	   MM_COVERAGE_PACKETS_LOST,
		MM_COVERAGE_PACKETS_WITHOUT_COUNT, MM_COVERAGE_PACKETS_TRUNCATED,
		MM_COVERAGE_PACKETS_DAMAGED,	   MM_COVERAGE_STREAMS_MISSING,
	};
	uint64_t lost = 0;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		lost |= report->coverage[others[i]].u;
	return !lost && report->coverage[MM_COVERAGE_PAUSES].u;
}

const char *mm_report_what_lost(const struct mm_report *report)
{
	if (is_only_paused(report))
		return "recording was paused, or events were excluded";
	if (report->backward)
		return "the clock of a stream went backwards";
	if (is_ring_lost(report))
		return "packets were overwritten in the ring of trace files";
	return report->recorder_lost ? "events were lost"
				     : "a part of the trace is missing or truncated";
}

const char *mm_report_remedy(const struct mm_report *report)
{
	if (is_only_paused(report))
		return "read a snapshot of a time in which nobody stopped recording or excluded events (`lttng-mm info` lists the times)";
	if (report->backward)
		return "record again with a clock that does not go backwards; the order of events is not known (`lttng-mm verify` names the packets)";
	if (report->denied)
		return "read the trace as a user who may read all of its files (`lttng-mm verify` names the files that you cannot read)";
	if (is_ring_lost(report))
		return "record with more or larger trace files (`lttng enable-channel --tracefile-count`, --tracefile-size)";
	return report->recorder_lost
		       ? "record with more or larger sub-buffers (--num-subbuf, --subbuf-size)"
		       : "copy the whole trace again (`lttng-mm verify` names the files)";
}

static void print_sentences(FILE *out, char *const *sentences, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mm_escape_message_print(out, sentences[i]);
		fputc('\n', out);
	}
}

static void print_events(FILE *out, const struct mm_report *report)
{
	const struct mm_cell *events = &report->coverage[MM_COVERAGE_EVENTS];
	uint64_t count = events->u - (report->windowed ? report->state_events : 0);

	/*
	 * Omit the number in a comparison, because it counts events of all probes, but a comparison
	 * is about one analysis.
	 */
	if (!report->is_comparison && events->kind != MM_CELL_EMPTY)
		fprintf(out, "; %s has %" PRIu64 " event%s",
			report->windowed ? "the time range" : "trace", count, mm_plural_s(count));
}

void mm_render_brief_header(FILE *out, const struct mm_report *report)
{
	const struct mm_cell *complete = &report->coverage[MM_COVERAGE_COMPLETE];

	print_sentences(out, report->warnings, report->warning_count);
	if (report->incomplete)
		print_losses(out, report, true);
	else if (report->maybe_paused)
		fputs("Undetermined, recording may have been paused, or events excluded", out);
	else
		print_verdict(out, report, true);
	if (!report->incomplete)
		fprintf(out, ": nothing %s lost%s%s", complete->u ? "was" : "is known to be",
			report->unchecked ? " (not checked inside packets)" : "",
			report->limits_unknown && report->maybe_paused ? excluded : "");
	print_events(out, report);
	fputs(".\n", out);
	if (report->incomplete || report->state_missing)
		fprintf(out, "Remedy: %s.\n", mm_report_remedy(report));
	mm_render_recorded(out, report);
	for (size_t i = 0; i < report->remark_count; i++)
		if (i != report->since_remark || !is_complete_since(report))
			print_sentences(out, &report->remarks[i], 1);
}

void mm_render_header(FILE *out, const struct mm_report *report)
{
	const struct mm_cell *c = report->coverage;

	print_sentences(out, report->warnings, report->warning_count);
	mm_render_recorded(out, report);
	if (report->incomplete)
		print_losses(out, report, false);
	else
		print_complete(out, report);
	print_events(out, report);
	fputc('\n', out);
	if (report->incomplete || report->state_missing)
		fprintf(out, "Remedy: %s.\n", mm_report_remedy(report));
	if (c[MM_COVERAGE_UNVERIFIABLE].kind == MM_CELL_STRING) {
		fputs("Streams: not verifiable: ", out);
		mm_escape_print(out, c[MM_COVERAGE_UNVERIFIABLE].s);
		fputs(".\n", out);
	}
	print_sentences(out, report->remarks, report->remark_count);
}
