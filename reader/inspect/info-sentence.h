/* SPDX-License-Identifier: LGPL-2.1-only */
/* The first sentence of `lttng-mm info`: how far back a trace reaches, and its losses. */
#ifndef LTTNG_MM_INSPECT_INFO_SENTENCE_H
#define LTTNG_MM_INSPECT_INFO_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/coverage/certificate.h"

/* Facts about a trace. Streams of state dumps count only where a member says so. */
struct ctf_info_facts {
	size_t streams;
	/* losses that are certain */
	uint64_t events_discarded, packets_lost, packets_truncated, packets_damaged;
	uint64_t packets_without_count, streams_missing, pauses;
	uint64_t damages; /* damaged places, including truncated packets */
	bool damaged;	  /* something is damaged, not only truncated */
	bool incomplete;  /* something was lost */
	bool backward;	  /* the clock of a stream went backwards */
	bool state_incomplete;

	/* Doubts: the trace does not show whether something was lost. */
	/* number of differences between the files and certificates, including @contradictory */
	size_t differences;
	size_t contradictory; /* number of snapshot.json files whose times contradict each other */
	bool clock_wrong;     /* the wall-clock time is unknown because of a contradiction */
	size_t mismatches;    /* number of files that differ from the system information */
	bool sums_lost;	      /* checksums of packets are damaged or missing */
	bool unchecked;	      /* packets have no checksums */
	bool decoded;
	bool unverified;
	size_t maybe_missing;
	size_t maybe_cut;
	bool maybe_paused;
	uint64_t possible_pauses, possible_pauses_ns;
	bool limits_unknown; /* a tracker or a filter excluded events, but it is unknown which */
	const char *limits;  /* the events to be recorded; NULL: all events, or not known */

	/* number of snapshots' certificates; @derived is true if there is a derived certificate */
	size_t certified;
	bool derived;
	char *problem; /* why a snapshot.json cannot be used; NULL: all are usable */
	enum mm_verdict verdict;
	char *why; /* the first reason for @verdict; NULL: none */
	size_t why_count;
	bool has_shared;    /* each certificate has a shared interval */
	uint64_t shared_ns; /* the shortest shared interval */
	bool has_reach;	    /* each certificate covers the time of its request */
	/* the shortest time from a shared interval's start to the request */
	uint64_t reach_ns;
	uint64_t after_ns; /* --after of the request; 0: none */
	uint64_t last_ns;  /* --last of the request; 0: none */
	bool has_intact;   /* each shared interval ends with a time without holes */
	/* the shortest time without holes at the end of a shared interval */
	uint64_t intact_ns;
};

/*
 * Adds the certificate of a snapshot, or a @derived certificate. Returns 0, or -1 when out of
 * memory.
 */
int ctf_info_facts_add(struct ctf_info_facts *facts, const struct mm_certificate *certificate,
		       bool derived);
/* Frees the strings @problem and @why. */
void ctf_info_facts_release(struct ctf_info_facts *facts);

/* Returns the sentence, or NULL when out of memory. It is not escaped. Release it with free(). */
char *ctf_info_sentence(const struct ctf_info_facts *facts);

#endif /* LTTNG_MM_INSPECT_INFO_SENTENCE_H */
