/* SPDX-License-Identifier: LGPL-2.1-only */
/* Findings of a verification, their counts, and the handler that receives them. */
#ifndef LTTNG_MM_INSPECT_FINDING_H
#define LTTNG_MM_INSPECT_FINDING_H

#include <stdint.h>

enum ctf_verify_kind {
	CTF_VERIFY_LOST,    /* something was not recorded, or was removed or truncated afterwards */
	CTF_VERIFY_DAMAGED, /* the data contradict themselves or the metadata */
	CTF_VERIFY_KINDS,
};

/* A fault of a trace. The strings come from the trace or the user and are untrusted. */
struct ctf_verify_finding {
	enum ctf_verify_kind kind;
	const char *file;
	uint64_t packet, offset; /* number of the packet in the file; byte offset in the file */
	const char *what;
};

struct ctf_verify_counts {
	uint64_t traces, streams, files, packets, events, bytes;
	uint64_t findings[CTF_VERIFY_KINDS];
	uint64_t events_discarded, packets_lost, packets_truncated;
	/* packets whose discarded-event count LTTng omitted */
	uint64_t packets_without_count;
	uint64_t streams_missing;
	uint64_t packets_missing;
	uint64_t pauses; /* pauses of streams in certificates */
	uint64_t gaps;	 /* gaps of streams, which are possible pauses */
	/* traces (folders) in which a missing stream would not be noticed */
	uint64_t unverifiable;
	const char *unverifiable_why; /* NULL if @unverifiable is 0 */
};

/* Receives the findings, on the caller's thread. */
struct ctf_verify_handler {
	void *user;
	void (*finding)(void *user, const struct ctf_verify_finding *finding);
	/* Optional: a note that does not affect the result; one line, escaped. */
	void (*note)(void *user, const char *note);
	/*
	 * Optional: called for each declared event class, before any finding. @field is the name of
	 * the event's first field, or NULL. Both names are untrusted.
	 */
	void (*declared)(void *user, const char *event, const char *field);
};

#endif /* LTTNG_MM_INSPECT_FINDING_H */
