/* SPDX-License-Identifier: LGPL-2.1-only */
/* The first sentence of `lttng-mm info`: how far back a trace reaches, and what it lacks. */
#ifndef LTTNG_MM_INSPECT_INFO_SENTENCE_H
#define LTTNG_MM_INSPECT_INFO_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/coverage/certificate.h"

/* Facts of a trace. Streams of state dumps count only where a member says so. */
struct ctf_info_facts {
	size_t streams; /* present in the trace */
	/* Losses that are certain. */
	uint64_t events_discarded, packets_lost, packets_truncated, packets_damaged;
	uint64_t packets_without_count, streams_missing, pauses;
	uint64_t damages; /* damaged places, those of truncated packets included */
	bool damaged;	  /* something is damaged, and not only truncated */
	bool incomplete;  /* something was lost */
	bool backward;	  /* the clock of a stream went backwards */
	bool state_incomplete;

	/* Doubts: the trace cannot settle whether something was lost. */
	size_t differences;   /* between the files and the certificate, with the following */
	size_t contradictory; /* snapshots in whose snapshot.json times contradict each other */
	bool clock_wrong;     /* ... so that the wall clock is not known */
	size_t mismatches;    /* files that the system information lists otherwise */
	bool sums_lost;	      /* checksums of packets are damaged or missing */
	bool unchecked;	      /* packets have no checksums */
	bool decoded;	      /* ... but their events were decoded */
	bool unverified;      /* nothing lists the streams that there should be */
	size_t maybe_missing;
	size_t maybe_cut; /* streams from which packets may have been removed */
	bool maybe_paused;
	uint64_t possible_pauses, possible_pauses_ns;
	bool limits_unknown; /* a tracker or a filter excluded events, and it is not known which */
	const char *limits;  /* what was to be recorded; NULL: everything, or not known */

	/* The certificates: of snapshots, and one that is derived for traces without any. */
	size_t certified;
	bool derived;
	char *problem;		 /* why a snapshot.json cannot be used; NULL: all can */
	enum mm_verdict verdict; /* the worst one */
	char *why;		 /* the first reason for it; NULL: none */
	size_t why_count;
	bool has_shared;    /* all of them have a time that every stream covers */
	uint64_t shared_ns; /* the shortest of these times */
	bool has_reach;	    /* all of them know the time of the request, which all streams cover */
	uint64_t reach_ns;  /* the shortest time from a shared interval's start to the request */
	uint64_t after_ns;  /* how long after the request was asked for; 0: not at all */
	uint64_t last_ns;   /* how long before it was asked for; 0: as far as the buffers reach */
	bool has_intact;    /* no stream has a hole from some time to the shared interval's end */
	uint64_t intact_ns; /* ... which is this long */
};

/*
 * Adds the certificate of a snapshot, or the @derived one. Returns 0, or -1 when out of memory.
 */
int ctf_info_facts_add(struct ctf_info_facts *facts, const struct mm_certificate *certificate,
		       bool derived);
/* Frees the strings @problem and @why. */
void ctf_info_facts_release(struct ctf_info_facts *facts);

/*
 * Returns the sentence, which claims no more than @facts do. It is not escaped. Release it with
 * free(). NULL: out of memory.
 */
char *ctf_info_sentence(const struct ctf_info_facts *facts);

#endif /* LTTNG_MM_INSPECT_INFO_SENTENCE_H */
