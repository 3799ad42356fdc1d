// SPDX-License-Identifier: LGPL-2.1-only
/* The first sentence of `lttng-mm info`: how far back a trace reaches, and its losses. */
#include "reader/inspect/info-sentence.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/duration.h"
#include "util/plural.h"

#define WHY_MAX 240

static uint64_t between(int64_t start_ns, int64_t end_ns)
{
	return end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0;
}

static void keep_least(uint64_t *least, uint64_t value, bool first)
{
	if (first || value < *least)
		*least = value;
}

static void add_times(struct ctf_info_facts *facts, const struct mm_certificate *certificate,
		      bool first)
{
	const int64_t start_ns = certificate->shared_start_ns, end_ns = certificate->shared_end_ns;
	const int64_t at_ns = certificate->requested_ns;
	const bool shared = certificate->has_shared;
	const bool reaches = shared && at_ns != INT64_MIN && at_ns >= start_ns && at_ns <= end_ns;
	const bool intact = shared && certificate->has_complete_since;

	keep_least(&facts->shared_ns, shared ? between(start_ns, end_ns) : 0, first);
	keep_least(&facts->reach_ns, reaches ? between(start_ns, at_ns) : 0, first);
	keep_least(&facts->intact_ns, intact ? between(certificate->complete_since_ns, end_ns) : 0,
		   first);
	facts->has_shared = shared && (first || facts->has_shared);
	facts->has_reach = reaches && (first || facts->has_reach);
	facts->has_intact = intact && (first || facts->has_intact);
}

/* Ranks verdicts: holes are worse than doubts. */
static int rank(enum mm_verdict verdict)
{
	return verdict == MM_VERDICT_HOLES ? 2 : verdict == MM_VERDICT_UNDETERMINED;
}

int ctf_info_facts_add(struct ctf_info_facts *facts, const struct mm_certificate *certificate,
		       bool derived)
{
	const bool first = !facts->certified && !facts->derived;
	int ret = 0;

	add_times(facts, certificate, first);
	if (first || rank(certificate->verdict) > rank(facts->verdict)) {
		free(facts->why);
		facts->why = certificate->why_count ? strdup(certificate->why[0]) : NULL;
		ret = certificate->why_count && !facts->why ? -1 : 0;
		facts->verdict = certificate->verdict;
		facts->why_count = certificate->why_count;
	}
	facts->derived |= derived;
	facts->certified += !derived;
	return ret;
}

void ctf_info_facts_release(struct ctf_info_facts *facts)
{
	free(facts->problem);
	free(facts->why);
}

/* Writes "12 events discarded, 3 packets lost". Returns true if there are losses. */
static bool print_losses(FILE *out, const struct ctf_info_facts *facts, const char *before)
{
	const struct {
		uint64_t count;
		const char *noun, *what;
	} losses[] = {
		{ facts->events_discarded, "event", "discarded" },
		{ facts->packets_lost, "packet", "lost" },
		{ facts->packets_truncated, "packet", "truncated" },
		{ facts->packets_damaged, "packet", "damaged" },
		{ facts->packets_damaged || facts->packets_truncated ? 0 : facts->damages, "place",
		  "damaged" },
		{ facts->packets_without_count, "packet", "without a count of discarded events" },
		{ facts->streams_missing, "stream", "missing" },
		{ facts->pauses, "pause", "of a stream" },
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		if (!losses[i].count)
			continue;
		fprintf(out, "%s%" PRIu64 " %s%s %s", any ? ", " : before, losses[i].count,
			losses[i].noun, mm_plural_s(losses[i].count), losses[i].what);
		any = true;
	}
	if (facts->backward) {
		fprintf(out, "%sthe clock of a stream went backwards", any ? ", " : before);
		any = true;
	}
	return any;
}

struct doubt_list {
	FILE *out;
	const char *before;
	size_t count;
};

__attribute__((format(printf, 2, 3))) static void doubt(struct doubt_list *doubts, const char *fmt,
							...)
{
	va_list args;

	fputs(doubts->count++ ? ", and " : doubts->before, doubts->out);
	va_start(args, fmt);
	vfprintf(doubts->out, fmt, args);
	va_end(args);
}

static bool print_doubts(FILE *out, const struct ctf_info_facts *facts, const char *before)
{
	struct doubt_list doubts = { out, before, 0 };
	char time[MM_DURATION_TEXT];

	if (facts->state_incomplete)
		doubt(&doubts, "state dumps are incomplete");
	if (facts->mismatches)
		doubt(&doubts, "%zu file%s from the file list in the system information",
		      facts->mismatches, mm_plural(facts->mismatches, " differs", "s differ"));
	if (facts->sums_lost)
		doubt(&doubts, "checksums of packets are damaged or missing");
	if (facts->unverified)
		doubt(&doubts, "streams may be missing, because no file lists them");
	else if (facts->maybe_missing)
		doubt(&doubts, "%zu stream%s may be missing", facts->maybe_missing,
		      mm_plural_s(facts->maybe_missing));
	if (facts->maybe_cut)
		doubt(&doubts, "packets may have been removed from %zu stream%s", facts->maybe_cut,
		      mm_plural_s(facts->maybe_cut));
	if ((facts->certified || facts->derived) && !facts->has_shared)
		doubt(&doubts, "no time is known to be covered by every stream");
	if (facts->possible_pauses)
		doubt(&doubts, "recording may have been paused (%" PRIu64 " time%s, %s)",
		      facts->possible_pauses, mm_plural_s(facts->possible_pauses),
		      mm_duration_format_down(time, facts->possible_pauses_ns));
	else if (facts->maybe_paused)
		doubt(&doubts, "recording may have been paused, or events excluded");
	if (facts->limits_unknown)
		doubt(&doubts, "a tracker or a filter excluded events, and nothing says which");
	if (facts->unchecked && !facts->sums_lost)
		doubt(&doubts,
		      facts->decoded
			      ? "packets have no checksums"
			      : "packets have no checksums, and events were not decoded (--events decodes them)");
	return doubts.count;
}

static void print_why(FILE *out, const struct ctf_info_facts *facts)
{
	const char *why = facts->why ? facts->why : "no reason is given";
	const size_t length = strnlen(why, WHY_MAX + 1);

	if (length > WHY_MAX)
		fprintf(out, "%.*s...", WHY_MAX, why);
	else
		fprintf(out, "%.*s", (int)(length && why[length - 1] == '.' ? length - 1 : length),
			why);
	if (facts->why_count > 1)
		fprintf(out, " (and %zu more reason%s)", facts->why_count - 1,
			mm_plural_s(facts->why_count - 1));
}

static bool is_as_certified(const struct ctf_info_facts *facts)
{
	return !facts->differences && !facts->mismatches && !facts->streams_missing &&
	       !facts->damaged && !facts->packets_damaged && !facts->packets_truncated &&
	       !facts->damages && !facts->backward && !facts->problem;
}

/*
 * Writes the time that all streams cover, up to the freeze. If the request had --last or --after,
 * writes the time before the request and the time after it separately.
 */
static void print_snapshot_reach(FILE *out, const struct ctf_info_facts *facts)
{
	char time[MM_DURATION_TEXT];

	if (!facts->has_reach) {
		fprintf(out, "All streams cover the same %s",
			mm_duration_format_down(time, facts->shared_ns));
		return;
	}
	if (facts->last_ns <= facts->reach_ns && !facts->after_ns) {
		fprintf(out, "All buffers reach back %s",
			mm_duration_format_down(time, facts->shared_ns));
		return;
	}
	fprintf(out, "All buffers reach back %s before the request",
		mm_duration_format_down(time, facts->reach_ns));
	if (facts->last_ns > facts->reach_ns)
		fprintf(out, ", of the %s that were requested",
			mm_duration_format_down(time, facts->last_ns));
	if (facts->after_ns)
		fprintf(out, " and %s past it",
			mm_duration_format_down(
				time, between(0, (int64_t)(facts->shared_ns - facts->reach_ns))));
}

/*
 * Writes for how long every stream has events. Returns false without writing if this time is not
 * known, or if it would mislead because files are damaged or missing, or other traces are mixed in.
 */
static bool print_reach(FILE *out, const struct ctf_info_facts *facts)
{
	char time[MM_DURATION_TEXT];

	if (!facts->has_shared || !is_as_certified(facts) || (facts->certified && facts->derived))
		return false;
	if (facts->certified == 1)
		print_snapshot_reach(out, facts);
	else if (facts->certified && facts->has_reach)
		fprintf(out, "All buffers of %zu snapshots reach back at least %s",
			facts->certified, mm_duration_format_down(time, facts->shared_ns));
	else if (facts->certified)
		fprintf(out, "All streams of %zu snapshots cover at least %s each",
			facts->certified, mm_duration_format_down(time, facts->shared_ns));
	else if (facts->streams == 1)
		fprintf(out, "The only stream covers %s",
			mm_duration_format_down(time, facts->shared_ns));
	else
		fprintf(out, "All %zu streams%s cover the same %s", facts->streams,
			facts->unverified || facts->maybe_missing ? " that are present" : "",
			mm_duration_format_down(time, facts->shared_ns));
	return true;
}

static void print_no_stream(FILE *out, const struct ctf_info_facts *facts)
{
	if (facts->streams_missing)
		fprintf(out, "No stream of the recording is present: %" PRIu64 " %s missing",
			facts->streams_missing, mm_plural(facts->streams_missing, "is", "are"));
	else
		fputs("The trace has no stream of events: nothing shows whether anything was recorded",
		      out);
}

static void print_incomplete(FILE *out, const struct ctf_info_facts *facts)
{
	const bool damaged = facts->damaged || facts->packets_damaged || facts->backward;
	const bool reaches = !damaged && print_reach(out, facts);
	char time[MM_DURATION_TEXT];

	if (!reaches)
		fprintf(out, "The trace is %s", damaged ? "damaged" : "incomplete");
	print_losses(out, facts, reaches ? ", with losses: " : ": ");
	if (reaches && facts->has_intact)
		fprintf(out, "; no stream has a hole in the last %s",
			mm_duration_format_down(time, facts->intact_ns));
	print_doubts(out, facts, "; ");
}

static void print_differs(FILE *out, const struct ctf_info_facts *facts)
{
	if (facts->contradictory)
		fputs(MM_SNAPSHOT_FILE " contradicts itself: ", out);
	if (facts->clock_wrong)
		fputs("times may be wrong", out);
	else if (facts->contradictory)
		fputs("the time of the request may be wrong", out);
	if (facts->differences > facts->contradictory)
		fprintf(out, "%she files differ from the certificate (%zu difference%s)",
			facts->contradictory ? "; t" : "T",
			facts->differences - facts->contradictory,
			mm_plural_s(facts->differences - facts->contradictory));
	print_losses(out, facts, ": ");
	print_doubts(out, facts, "; ");
}

/*
 * Writes the sentence for a trace without counted losses, if its certificate has other reasons
 * against the verdict `complete`.
 */
static void print_verdict(FILE *out, const struct ctf_info_facts *facts)
{
	struct ctf_info_facts others = *facts;

	if (print_reach(out, facts))
		fputs(facts->verdict == MM_VERDICT_HOLES ? ", but not everything is there: "
							 : ", but something may be missing: ",
		      out);
	else
		fputs(facts->verdict == MM_VERDICT_HOLES ? "Not everything is there: "
							 : "Something may be missing: ",
		      out);
	print_why(out, facts);
	/* The certificate's reason, which was just written, already states these doubts. */
	others.maybe_paused = others.unverified = false;
	others.maybe_missing = others.possible_pauses = 0;
	others.has_shared = true;
	print_doubts(out, &others, "; ");
}

/* Does the certificate give a reason for its verdict, other than the doubts in @facts? */
static bool has_reason(const struct ctf_info_facts *facts)
{
	if (facts->verdict == MM_VERDICT_COMPLETE || (!facts->certified && !facts->derived))
		return false;
	if (facts->certified || facts->verdict == MM_VERDICT_HOLES)
		return true;
	return !facts->unverified && !facts->maybe_paused && !facts->maybe_missing &&
	       !facts->possible_pauses;
}

static void print_problem(FILE *out, const struct ctf_info_facts *facts)
{
	fprintf(out, "The coverage of the snapshot is not certified: " MM_SNAPSHOT_FILE ": %s",
		facts->problem);
	print_losses(out, facts, "; ");
	print_doubts(out, facts, "; ");
}

static void print_complete(FILE *out, const struct ctf_info_facts *facts)
{
	const bool reaches = print_reach(out, facts);
	const bool only_state = facts->state_incomplete && !facts->sums_lost &&
				!facts->mismatches && !facts->unverified && !facts->maybe_missing &&
				!facts->maybe_cut && !facts->maybe_paused &&
				!facts->possible_pauses && !facts->limits_unknown &&
				!facts->unchecked && facts->has_shared;

	fputs(reaches ? "; " : "", out);
	if (only_state) {
		fputs(reaches ? "no event was lost" : "No event was lost", out);
		fputs(", but state dumps were: names may be missing", out);
		return;
	}
	if (print_doubts(out, facts,
			 reaches ? "nothing is known to be lost, but "
				 : "Nothing is known to be lost, but "))
		return;
	fputs(reaches ? "nothing was lost" : "Nothing was lost", out);
	if (facts->limits)
		fprintf(out, "; the recording was limited to %s", facts->limits);
}

char *ctf_info_sentence(const struct ctf_info_facts *facts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (!facts->streams)
		print_no_stream(out, facts);
	else if (facts->differences)
		print_differs(out, facts);
	else if (facts->problem)
		print_problem(out, facts);
	else if (facts->incomplete || facts->damaged)
		print_incomplete(out, facts);
	else if (has_reason(facts))
		print_verdict(out, facts);
	else
		print_complete(out, facts);
	fputc('.', out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
