// SPDX-License-Identifier: LGPL-2.1-only
/* Pairing of faults: scripts of events, with the expected faults and counts. */
#include <stdlib.h>
#include <string.h>

#include "analysis/dax/pairing.h"
#include "tests/tap.h"

/*
 * One event:
 *   P, p  a huge-page fault starts, ends
 *   T, t  a 4 KiB fault starts, ends
 *   x     an extent
 *   f     a dax_pmd_fallback
 *   L     packets are lost during the next @address steps
 *   D     @result events are discarded
 *   M     a stream is missing up to step @address (0: for the whole trace)
 */
struct dax_pairing_step {
	char what;
	int tid;
	uint64_t address;
	uint32_t result;
};

struct dax_pairing_case {
	const char *name;
	struct dax_pairing_step steps[10];
	/* Expected faults: kind, tid, duration in steps, and properties of each. */
	const char *faults;
	struct dax_pairing_counts counts;
};

#define FELL DAX_RESULT_FALLBACK
#define OK DAX_RESULT_NOPAGE

static const struct dax_pairing_case tests[] = {
	{ "one fault", { { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, OK } }, "P1:1 ", { 0 } },
	{ "two threads interleaved",
	  { { 'P', 1, 0x1000, 0 },
	    { 'P', 2, 0x1000, 0 },
	    { 'p', 1, 0x1000, OK },
	    { 'p', 2, 0x1000, OK } },
	  "P1:2 P2:2 ",
	  { 0 } },
	{ "nested in the same thread",
	  { { 'T', 1, 0x1000, 0 },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, OK },
	    { 't', 1, 0x1000, OK } },
	  "T1:3- P1:1 ",
	  { .nested = 1 } },
	{ "evidence inside the fault",
	  { { 'P', 1, 0x1000, 0 }, { 'x', 1, 0, 0 }, { 'p', 1, 0x1000, FELL } },
	  "P1:2x ",
	  { 0 } },
	{ "fallback event before the exit",
	  { { 'P', 1, 0x1000, 0 }, { 'f', 1, 0, 0 }, { 'p', 1, 0x1000, FELL } },
	  "P1:2f ",
	  { 0 } },
	{ "fallback event after the exit",
	  { { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, FELL }, { 'f', 1, 0, 0 } },
	  "P1:1f ",
	  { 0 } },
	{ "an extent after the exit is not this fault's",
	  { { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, FELL }, { 'x', 1, 0, 0 } },
	  "P1:1 ",
	  { 0 } },
	{ "another thread's fallback event stays its own",
	  { { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, FELL }, { 'f', 2, 0, 0 } },
	  "P1:1 ",
	  { 0 } },
	{ "a second attempt of the access, then its 4 KiB fault",
	  { { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, FELL },
	    { 'f', 1, 0, 0 },
	    { 'P', 2, 0x1000, 0 },
	    { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, FELL },
	    { 'T', 1, 0x1000, 0 },
	    { 't', 1, 0x1000, OK },
	    { 'p', 2, 0x1000, OK } },
	  "P1:1fr P1:1 T1:1a P2:5 ",
	  { 0 } },
	{ "... of an access that is to be retried, and maps a huge page then",
	  { { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, DAX_RESULT_RETRY },
	    { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, OK } },
	  "P1:1r P1:1 ",
	  { 0 } },
	{ "another address is another access, and so is the same one after a 4 KiB fault or a huge page",
	  { { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, FELL },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, FELL },
	    { 'T', 1, 0x9000, 0 },
	    { 't', 1, 0x9000, OK },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, OK },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, FELL } },
	  "P1:1 P1:1 T1:1a P1:1 P1:1 ",
	  { 0 } },
	{ "events are missing between two attempts: they may be two accesses",
	  { { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, FELL },
	    { 'L', 0, 0, 0 },
	    { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, FELL } },
	  "P1:1~ P1:1 ",
	  { 0 } },
	{ "4 KiB fault after a fallback",
	  { { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, FELL },
	    { 'T', 1, 0x1000, 0 },
	    { 't', 1, 0x1000, OK } },
	  "P1:1 T1:1a ",
	  { 0 } },
	{ "... of another page is not a consequence",
	  { { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, FELL },
	    { 'T', 1, 0x2000, 0 },
	    { 't', 1, 0x2000, OK } },
	  "P1:1 T1:1 ",
	  { 0 } },
	{ "... after a mapped one is not a consequence",
	  { { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, OK },
	    { 'T', 1, 0x1000, 0 },
	    { 't', 1, 0x1000, OK } },
	  "P1:1 T1:1 ",
	  { 0 } },
	{ "an exit from before the trace",
	  { { 'p', 1, 0x1000, OK } },
	  "",
	  { .unpaired_exits = 1 } },
	{ "an entry at the end of the trace",
	  { { 'P', 1, 0x1000, 0 } },
	  "",
	  { .unpaired_entries = 1 } },
	{ "a missing exit does not shift the others",
	  { { 'T', 1, 0x1000, 0 }, { 'T', 1, 0x2000, 0 }, { 't', 1, 0x1000, OK } },
	  "T1:2- ",
	  { .unpaired_entries = 1, .nested = 1 } },
	{ "an exit of another kind is not this fault's",
	  { { 'P', 1, 0x1000, 0 }, { 't', 1, 0x1000, OK }, { 'p', 1, 0x1000, OK } },
	  "P1:2 ",
	  { .unpaired_exits = 1 } },
	{ "a fault that was open when packets were lost is undetermined, never paired",
	  { { 'P', 1, 0x1000, 0 }, { 'L', 0, 0, 0 }, { 'p', 1, 0x1000, OK } },
	  "",
	  { .undetermined_by_loss = 1 } },
	{ "events were discarded at some time before the packet's end: a fault that started in it may lack an exit and an entry",
	  { { 'D', 0, 4, 2 }, { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, OK } },
	  "",
	  { .undetermined_by_loss = 1 } },
	{ "one discarded event cannot be both an exit and an entry, but may be evidence",
	  { { 'D', 0, 4, 1 }, { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, FELL } },
	  "P1:1? ",
	  { 0 } },
	{ "one discarded event on each of two CPUs may be both",
	  { { 'D', 0, 4, 1 }, { 'D', 0, 4, 1 }, { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, FELL } },
	  "",
	  { .undetermined_by_loss = 1 } },
	{ "started after the packet that counts the discarded events",
	  { { 'D', 0, 1, 2 },
	    { 'P', 2, 0x1000, 0 },
	    { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, FELL } },
	  "P1:1 ",
	  { .undetermined_by_loss = 1 } },
	{ "a discarded exit: the thread's later faults are not nested",
	  { { 'P', 1, 0x1000, 0 },
	    { 'D', 0, 0, 1 },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, OK },
	    { 'T', 1, 0x2000, 0 },
	    { 't', 1, 0x2000, OK } },
	  "P1:1 T1:1 ",
	  { .undetermined_by_loss = 1 } },
	{ "the exit of a fault whose exit was assumed to be discarded: the fault counts once",
	  { { 'T', 1, 0x1000, 0 },
	    { 'D', 0, 0, 1 },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, OK },
	    { 't', 1, 0x1000, OK } },
	  "P1:1 ",
	  { .undetermined_by_loss = 1 } },
	{ "... with another key it belongs to another one",
	  { { 'T', 1, 0x1000, 0 },
	    { 'D', 0, 0, 1 },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, OK },
	    { 't', 1, 0x2000, OK } },
	  "P1:1 ",
	  { .undetermined_by_loss = 1, .unpaired_exits = 1 } },
	{ "... where two were discarded it may belong to another one",
	  { { 'T', 1, 0x1000, 0 },
	    { 'D', 0, 0, 2 },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, OK },
	    { 't', 1, 0x1000, OK } },
	  "P1:1 ",
	  { .undetermined_by_loss = 1, .unpaired_exits = 1 } },
	{ "... and where events have been missing since",
	  { { 'T', 1, 0x1000, 0 },
	    { 'D', 0, 0, 1 },
	    { 'P', 1, 0x9000, 0 },
	    { 'p', 1, 0x9000, OK },
	    { 'D', 0, 0, 1 },
	    { 't', 1, 0x1000, OK } },
	  "P1:1 ",
	  { .undetermined_by_loss = 2 } },
	{ "a fault that never ends does not make others nested",
	  { { 'P', 1, 0x1000, 0 }, { 'T', 1, 0x2000, 0 }, { 't', 1, 0x2000, OK } },
	  "T1:1 ",
	  { .unpaired_entries = 1 } },
	{ "an exit alone, while events were lost",
	  { { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, OK },
	    { 'L', 0, 0, 0 },
	    { 'p', 1, 0x1000, OK } },
	  "P1:1 ",
	  { .undetermined_by_loss = 1 } },
	{ "another stream is missing completely: pairs, uncertain",
	  { { 'M', 0, 0, 0 }, { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, FELL } },
	  "P1:1? ",
	  { .uncertain = 1 } },
	{ "4 KiB fault after the exit of a fallback whose entry is missing",
	  { { 'p', 1, 0x1000, FELL }, { 'T', 1, 0x1000, 0 }, { 't', 1, 0x1000, OK } },
	  "T1:1a ",
	  { .unpaired_exits = 1 } },
	{ "a thread's first event: a huge-page fault may precede the trace",
	  { { 'T', 1, 0x1000, 0 },
	    { 't', 1, 0x1000, OK },
	    { 'T', 1, 0x1000, 0 },
	    { 't', 1, 0x1000, OK } },
	  "T1:1- T1:1 ",
	  { 0 } },
	{ "... may be among the events lost since the last one",
	  { { 'P', 1, 0x3000, 0 },
	    { 'p', 1, 0x3000, FELL },
	    { 'L', 0, 0, 0 },
	    { 'T', 1, 0x3000, 0 },
	    { 't', 1, 0x3000, OK } },
	  "P1:1 T1:1- ",
	  { 0 } },
	{ "evidence after a loss is not of the fault that ended before",
	  { { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, FELL }, { 'D', 0, 0, 2 }, { 'f', 1, 0, 0 } },
	  "P1:1 ",
	  { 0 } },
	{ "a fault that had ended before the loss counts",
	  { { 'P', 1, 0x1000, 0 }, { 'p', 1, 0x1000, OK }, { 'L', 0, 0, 0 } },
	  "P1:1 ",
	  { 0 } },
	{ "no exit, started before a stream's first packet: it may be in the missing ones",
	  { { 'M', 0, 3, 0 },
	    { 'P', 1, 0x1000, 0 },
	    { 'P', 2, 0x1000, 0 },
	    { 'p', 2, 0x1000, OK },
	    { 'P', 3, 0x1000, 0 } },
	  "",
	  { .undetermined_by_loss = 2, .unpaired_entries = 1 } },
	{ "no entry, and a stream lacks its first packets",
	  { { 'M', 0, 1, 0 }, { 'p', 1, 0x1000, OK } },
	  "",
	  { .undetermined_by_loss = 1 } },
	{ "both before a stream's first packet, and both after",
	  { { 'M', 0, 3, 0 },
	    { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, OK },
	    { 'P', 1, 0x1000, 0 },
	    { 'p', 1, 0x1000, OK } },
	  "P1:1? P1:1 ",
	  { .uncertain = 1 } },
	{ "two faults open when a stream's first packet starts, one without an exit",
	  { { 'M', 0, 3, 0 },
	    { 'T', 1, 0x1000, 0 },
	    { 'T', 1, 0x2000, 0 },
	    { 't', 1, 0x1000, OK } },
	  "",
	  { .undetermined_by_loss = 3 } },
};

static char out[256];

static void done(void *user, const struct dax_fault *fault)
{
	const struct dax_evidence *e = &fault->evidence;
	size_t at = strlen(out);

	(void)user;
	snprintf(out + at, sizeof(out) - at, "%c%d:%d%s%s%s%s%s%s%s ",
		 fault->kind == DAX_KIND_PMD ? 'P' : 'T', fault->tid,
		 (int)(fault->end_ns - fault->begin_ns), e->extent_seen ? "x" : "",
		 e->entry_seen ? "f" : "", fault->after_fallback ? "a" : "",
		 fault->uncertain ? "?" : "", fault->pmd_maybe_lost ? "-" : "",
		 fault->repeated ? "r" : "", fault->maybe_repeated ? "~" : "");
}

/* Reports a loss. @events: number of discarded events; 0: packets are missing. */
static void lose(struct dax_pairing *pairing, int64_t since, int64_t until, uint32_t events,
		 bool absent)
{
	const struct mm_loss loss = { .lost_until_ns = until,
				      .lost_events = events,
				      .at_unknown_place = absent,
				      .lost_packets_until_ns = events ? INT64_MIN : until };

	if (dax_pairing_lost(pairing, &loss, since))
		abort();
}

static void play(struct dax_pairing *pairing, const struct dax_pairing_step *step, int64_t now)
{
	bool pmd = step->what == 'P' || step->what == 'p';
	struct dax_fault_key key = { .kind = pmd ? DAX_KIND_PMD : DAX_KIND_PTE,
				     .file = { .ino = 7 },
				     .address = step->address };
	struct dax_thread *thread = dax_pairing_thread(pairing, step->tid);
	struct dax_evidence *evidence;

	if (!thread)
		thread = dax_pairing_make_thread(pairing, step->tid);
	switch (step->what) {
	case 'P':
	case 'T':
		dax_pairing_begin(pairing, thread, &key, now);
		break;
	case 'p':
	case 't':
		dax_pairing_end(pairing, thread, &key, 0, now, step->result);
		break;
	case 'D':
		lose(pairing, now - 1, now + (int64_t)step->address, step->result, false);
		break;
	case 'L':
		lose(pairing, now - 1, now + (int64_t)step->address, 0, false);
		break;
	case 'M':
		lose(pairing, INT64_MIN, step->address ? (int64_t)step->address : INT64_MAX, 0,
		     true);
		break;
	default:
		evidence = dax_pairing_evidence(pairing, thread, 7, 0, now, step->what == 'f');
		if (evidence && step->what == 'x')
			evidence->extent_seen = true;
		else if (evidence)
			evidence->entry_seen = true;
	}
}

/* Compares faults in any order, because faults that are open at the end have no fixed order. */
static bool same_faults(const char *expected)
{
	char copy[256], *fault, *rest = copy;

	if (strlen(expected) != strlen(out))
		return false;
	snprintf(copy, sizeof(copy), "%s", expected);
	while ((fault = strsep(&rest, " ")) && *fault)
		if (!strstr(out, fault))
			return false;
	return true;
}

int main(void)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct dax_pairing *pairing = dax_pairing_create(done, NULL);
		const struct dax_pairing_counts *counts;

		out[0] = '\0';
		for (int64_t at = 0; at < 10 && tests[i].steps[at].what; at++)
			play(pairing, &tests[i].steps[at], at);
		counts = dax_pairing_finish(pairing);
		tap(same_faults(tests[i].faults) &&
			    !memcmp(counts, &tests[i].counts, sizeof(*counts)),
		    "pairing: %s (%s)", tests[i].name, out);
		dax_pairing_destroy(pairing);
	}
	return tap_status();
}
