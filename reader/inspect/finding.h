/* SPDX-License-Identifier: LGPL-2.1-only */
/* Findings of a verification, their counts, and the handler that receives them. */
#ifndef LTTNG_MM_INSPECT_FINDING_H
#define LTTNG_MM_INSPECT_FINDING_H

#include <stdint.h>

/* The kind of a finding. */
enum ctf_verify_kind {
	CTF_VERIFY_LOST,    /* something was not recorded, or the file's last packet is truncated */
	CTF_VERIFY_DAMAGED, /* what is recorded contradicts itself or the metadata */
	CTF_VERIFY_KINDS,
};

/* Strings are as recorded or as given by the user: untrusted. */
struct ctf_verify_finding {
	enum ctf_verify_kind kind;
	const char *file;
	uint64_t packet, offset; /* number in the file; bytes from the start of the file */
	const char *what;
};

struct ctf_verify_counts {
	uint64_t traces, streams, files, packets, events, bytes;
	uint64_t findings[CTF_VERIFY_KINDS];
	uint64_t events_discarded, packets_lost, packets_truncated;
	/* packets from which LTTng omitted the discarded-event count */
	uint64_t packets_without_count;
	uint64_t streams_missing; /* completely missing streams */
	uint64_t packets_missing; /* missing packets of other streams */
	uint64_t pauses;	  /* of a stream, as the snapshot's certificate lists them */
	uint64_t gaps; /* ... times of a stream at which recording may have been paused */
	/* traces (folders) without a list of the streams they should have */
	uint64_t unverifiable;
	const char *unverifiable_why; /* NULL if @unverifiable is 0 */
};

/* Called on the caller's thread. */
struct ctf_verify_handler {
	void *user;
	void (*finding)(void *user, const struct ctf_verify_finding *finding);
	/* Optional: a note that does not affect the result; one line, escaped. */
	void (*note)(void *user, const char *note);
	/*
	 * Optional: called before any finding for each event class that the trace declares. @field:
	 * its first field, may be NULL. Both are untrusted.
	 */
	void (*declared)(void *user, const char *event, const char *field);
};

#endif /* LTTNG_MM_INSPECT_FINDING_H */
