// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests the first sentence of `lttng-mm info`. Each kind of loss and doubt must have its own
 * sentence, and no sentence may claim more than the facts prove.
 */
#include <stdlib.h>
#include <string.h>

#include "reader/inspect/info-sentence.h"
#include "tests/tap.h"

/* Each case changes some of the usual facts. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define S UINT64_C(1000000000)

/* A frozen snapshot of 4 streams whose certificate is complete. */
#define SNAPSHOT                                                                                  \
	.streams = 4, .certified = 1, .verdict = MM_VERDICT_COMPLETE, .has_shared = true,         \
	.shared_ns = 30850000000, .has_reach = true, .reach_ns = 29849000000, .has_intact = true, \
	.intact_ns = 30850000000
#define HOLES .verdict = MM_VERDICT_HOLES, .incomplete = true
/* A trace without snapshot.json: nothing lists its streams. */
#define TRACE                                                                              \
	.streams = 2, .derived = true, .verdict = MM_VERDICT_UNDETERMINED, .why_count = 1, \
	.why = "A missing stream would not be noticed: no list.", .has_shared = true,      \
	.shared_ns = 2 * S, .unverified = true, .unchecked = true

static const struct {
	const char *name;
	struct ctf_info_facts facts;
	const char *sentence;
} cases[] = {
	{ "complete", { SNAPSHOT }, "All buffers reach back 30.8 s; nothing was lost." },
	{ "complete, for a process",
	  { SNAPSHOT, .limits = "pid 7" },
	  "All buffers reach back 30.8 s; nothing was lost; the recording was limited to pid 7." },
	{ "complete, with --last that was met",
	  { SNAPSHOT, .last_ns = 29 * S },
	  "All buffers reach back 30.8 s; nothing was lost." },
	{ "complete, with --last that was not met",
	  { SNAPSHOT, .last_ns = 60 * S },
	  "All buffers reach back 29.8 s before the request, of the 60 s that were requested; nothing was lost." },
	{ "complete, with --after",
	  { SNAPSHOT, .after_ns = 2 * S, .shared_ns = 32900000000 },
	  "All buffers reach back 29.8 s before the request and 3.05 s past it; nothing was lost." },
	{ "complete, the time of the request is not known",
	  { SNAPSHOT, .has_reach = false },
	  "All streams cover the same 30.8 s; nothing was lost." },
	{ "two snapshots",
	  { SNAPSHOT, .certified = 2 },
	  "All buffers of 2 snapshots reach back at least 30.8 s; nothing was lost." },
	{ "two snapshots, one without a request time",
	  { SNAPSHOT, .certified = 2, .has_reach = false },
	  "All streams of 2 snapshots cover at least 30.8 s each; nothing was lost." },
	{ "a snapshot and another trace", { SNAPSHOT, .derived = true }, "Nothing was lost." },
	{ "only state dumps are incomplete",
	  { SNAPSHOT, .state_incomplete = true },
	  "All buffers reach back 30.8 s; no event was lost, but state dumps were: names may be missing." },
	{ "without checksums",
	  { SNAPSHOT, .unchecked = true },
	  "All buffers reach back 30.8 s; nothing is known to be lost, but packets have no checksums, and events were not decoded (--events decodes them)." },
	{ "without checksums, but events were decoded",
	  { SNAPSHOT, .unchecked = true, .decoded = true },
	  "All buffers reach back 30.8 s; nothing is known to be lost, but packets have no checksums." },
	{ "packets may have been removed",
	  { SNAPSHOT, .maybe_cut = 2 },
	  "All buffers reach back 30.8 s; nothing is known to be lost, but packets may have been removed from 2 streams." },
	{ "checksums are lost",
	  { SNAPSHOT, .unchecked = true, .sums_lost = true },
	  "All buffers reach back 30.8 s; nothing is known to be lost, but checksums of packets are damaged or missing." },
	{ "limits are not known",
	  { SNAPSHOT, .limits_unknown = true, .limits = "a part of the events" },
	  "All buffers reach back 30.8 s; nothing is known to be lost, but a tracker or a filter excluded events, and nothing says which." },
	{ "a stream may be missing",
	  { SNAPSHOT, .maybe_missing = 1 },
	  "All buffers reach back 30.8 s; nothing is known to be lost, but 1 stream may be missing." },
	{ "possible pauses",
	  { SNAPSHOT, .possible_pauses = 2, .possible_pauses_ns = 17 * S, .maybe_paused = true },
	  "All buffers reach back 30.8 s; nothing is known to be lost, but recording may have been paused (2 times, 17 s)." },
	{ "a stream may have been paused",
	  { SNAPSHOT, .maybe_paused = true, .state_incomplete = true },
	  "All buffers reach back 30.8 s; nothing is known to be lost, but state dumps are incomplete, and recording may have been paused, or events excluded." },

	{ "events discarded",
	  { SNAPSHOT, HOLES, .events_discarded = 12, .intact_ns = 12345678901 },
	  "All buffers reach back 30.8 s, with losses: 12 events discarded; no stream has a hole in the last 12.3 s." },
	{ "packets lost, until the end",
	  { SNAPSHOT, HOLES, .packets_lost = 1, .packets_without_count = 2, .has_intact = false },
	  "All buffers reach back 30.8 s, with losses: 1 packet lost, 2 packets without a count of discarded events." },
	{ "pauses",
	  { SNAPSHOT, HOLES, .pauses = 2, .has_intact = false, .maybe_paused = true },
	  "All buffers reach back 30.8 s, with losses: 2 pauses of a stream; recording may have been paused, or events excluded." },
	{ "a stream is missing",
	  { SNAPSHOT, .incomplete = true, .streams_missing = 1 },
	  "The trace is incomplete: 1 stream missing." },
	{ "a file ends early",
	  { SNAPSHOT, .incomplete = true, .packets_truncated = 1, .damages = 1 },
	  "The trace is incomplete: 1 packet truncated." },
	{ "a packet is damaged",
	  { SNAPSHOT, .incomplete = true, .damaged = true, .packets_damaged = 3, .damages = 5 },
	  "The trace is damaged: 3 packets damaged." },
	{ "damage that is in no packet",
	  { SNAPSHOT, .incomplete = true, .damaged = true, .damages = 2 },
	  "The trace is damaged: 2 places damaged." },
	{ "damage without a place", { SNAPSHOT, .damaged = true }, "The trace is damaged." },
	{ "the clock went backwards",
	  { SNAPSHOT, .incomplete = true, .damaged = true, .backward = true },
	  "The trace is damaged: the clock of a stream went backwards." },
	{ "the files differ",
	  { SNAPSHOT, .differences = 2 },
	  "The files differ from the certificate (2 differences)." },
	{ "the files differ, and a stream is missing",
	  { SNAPSHOT, .differences = 1, .incomplete = true, .streams_missing = 1 },
	  "The files differ from the certificate (1 difference): 1 stream missing." },
	{ "snapshot.json cannot be used",
	  { .streams = 4, .problem = "not JSON", .unverified = true },
	  "The coverage of the snapshot is not certified: snapshot.json: not JSON; streams may be missing, because no file lists them." },

	{ "a certificate of holes, without losses",
	  { SNAPSHOT, .verdict = MM_VERDICT_HOLES, .why_count = 1,
	    .why = "kernel/a_0: the packet that was being written is omitted, because an event in it was incomplete." },
	  "All buffers reach back 30.8 s, but not everything is there: kernel/a_0: the packet that was being written is omitted, because an event in it was incomplete." },
	{ "a certificate that is undetermined",
	  { SNAPSHOT, .verdict = MM_VERDICT_UNDETERMINED, .has_reach = false, .why_count = 3,
	    .why = "The time that all streams cover ends 0.1 s before the request.",
	    .maybe_paused = true },
	  "All streams cover the same 30.8 s, but something may be missing: The time that all streams cover ends 0.1 s before the request (and 2 more reasons)." },
	{ "a certificate without a shared interval",
	  { SNAPSHOT, .verdict = MM_VERDICT_HOLES, .has_shared = false, .has_reach = false,
	    .why_count = 1, .why = "No time is covered by every stream." },
	  "Not everything is there: No time is covered by every stream." },
	{ "a certificate without a reason",
	  { SNAPSHOT, .verdict = MM_VERDICT_UNDETERMINED, .unchecked = true },
	  "All buffers reach back 30.8 s, but something may be missing: no reason is given; packets have no checksums, and events were not decoded (--events decodes them)." },

	{ "a plain trace",
	  { TRACE },
	  "All 2 streams that are present cover the same 2 s; nothing is known to be lost, but streams may be missing, because no file lists them, and packets have no checksums, and events were not decoded (--events decodes them)." },
	{ "a plain trace of one stream, with losses",
	  { TRACE, .streams = 1, .incomplete = true, .verdict = MM_VERDICT_HOLES,
	    .packets_lost = 2 },
	  "The only stream covers 2 s, with losses: 2 packets lost; streams may be missing, because no file lists them, and packets have no checksums, and events were not decoded (--events decodes them)." },
	{ "a plain trace whose streams have no time in common",
	  { TRACE, .has_shared = false },
	  "Nothing is known to be lost, but streams may be missing, because no file lists them, and no time is known to be covered by every stream, and packets have no checksums, and events were not decoded (--events decodes them)." },
	{ "a plain trace with a list of its streams",
	  { TRACE, .verdict = MM_VERDICT_COMPLETE, .why_count = 0, .unverified = false },
	  "All 2 streams cover the same 2 s; nothing is known to be lost, but packets have no checksums, and events were not decoded (--events decodes them)." },
	{ "metadata only",
	  { .derived = true },
	  "The trace has no stream of events: nothing shows whether anything was recorded." },
	{ "all streams are missing",
	  { .derived = true, .incomplete = true, .streams_missing = 2 },
	  "No stream of the recording is present: 2 are missing." },
};

/* Is the trace free of losses and doubts? Only such a trace may be called complete. */
static bool is_intact(const struct ctf_info_facts *f)
{
	return !f->incomplete && !f->damaged && !f->state_incomplete && !f->differences &&
	       !f->sums_lost && !f->unchecked && !f->unverified && !f->maybe_missing &&
	       !f->maybe_cut && !f->maybe_paused && !f->possible_pauses && !f->limits_unknown &&
	       !f->problem && f->verdict == MM_VERDICT_COMPLETE && f->streams;
}

/* Tests several certificates: the worst verdict and the shortest times must count. */
static void test_add(void)
{
	char *reasons[] = { (char *)"A hole.", (char *)"Another one." };
	const struct mm_certificate complete = { .verdict = MM_VERDICT_COMPLETE,
						 .has_shared = true,
						 .shared_start_ns = 1000,
						 .shared_end_ns = 9000,
						 .has_complete_since = true,
						 .complete_since_ns = 1000,
						 .requested_ns = 8000 };
	const struct mm_certificate holes = { .verdict = MM_VERDICT_HOLES,
					      .why = reasons,
					      .why_count = 2,
					      .has_shared = true,
					      .shared_start_ns = 5000,
					      .shared_end_ns = 9000,
					      .has_complete_since = true,
					      .complete_since_ns = 8500,
					      .requested_ns = 7000 };
	const struct mm_certificate plain = { .verdict = MM_VERDICT_UNDETERMINED,
					      .requested_ns = INT64_MIN };
	struct ctf_info_facts facts = { 0 };

	tap(!ctf_info_facts_add(&facts, &complete, false) && facts.has_reach &&
		    facts.reach_ns == 7000 && facts.shared_ns == 8000 && facts.intact_ns == 8000 &&
		    !facts.why,
	    "add: a complete certificate");
	tap(!ctf_info_facts_add(&facts, &holes, false) && facts.has_reach &&
		    facts.reach_ns == 2000 && facts.shared_ns == 4000 && facts.intact_ns == 500 &&
		    facts.verdict == MM_VERDICT_HOLES && !strcmp(facts.why, "A hole.") &&
		    facts.why_count == 2 && facts.certified == 2,
	    "add: one with holes, which is worse and shorter");
	tap(!ctf_info_facts_add(&facts, &plain, true) && !facts.has_reach && !facts.has_shared &&
		    !facts.has_intact && facts.verdict == MM_VERDICT_HOLES && facts.derived,
	    "add: one that was derived, without times");
	ctf_info_facts_release(&facts);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *sentence = ctf_info_sentence(&cases[i].facts);
		bool same = sentence && !strcmp(sentence, cases[i].sentence);
		bool claims = sentence && strcasestr(sentence, "nothing was lost");

		tap(same, "%s", cases[i].name);
		if (!same)
			printf("# expected: %s\n# found: %s\n", cases[i].sentence,
			       sentence ? sentence : "(none)");
		tap(!claims || is_intact(&cases[i].facts), "%s: claims no more than is known",
		    cases[i].name);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(cases[i].sentence, cases[j].sentence) &&
			    strcmp(cases[i].name, "complete, with --last that was met"))
				tap(false, "%s: the same sentence as: %s", cases[i].name,
				    cases[j].name);
		free(sentence);
	}
	test_add();
	return tap_status();
}
