/* SPDX-License-Identifier: LGPL-2.1-only */
/* Decodes every field of every event of a trace and checks what a sound trace keeps. */
#ifndef LTTNG_MM_INSPECT_VERIFY_H
#define LTTNG_MM_INSPECT_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/* What a finding says of the trace. */
enum ctf_verify_kind {
	CTF_VERIFY_LOST,   /* something was not recorded, or the file's last packet is cut */
	CTF_VERIFY_BROKEN, /* what is recorded contradicts itself or the metadata */
	CTF_VERIFY_KINDS,
};

/* Strings are as recorded or as the user gave them: hostile. */
struct ctf_verify_finding {
	enum ctf_verify_kind kind;
	const char *file;
	uint64_t packet, offset; /* number in the file; bytes from the file's begin */
	const char *what;
};

struct ctf_verify_counts {
	uint64_t traces, streams, files, packets, events, bytes;
	uint64_t findings[CTF_VERIFY_KINDS];
	uint64_t events_discarded, packets_lost, packets_truncated;
	/* LTTng left out how many events it discarded up to their end */
	uint64_t packets_uncounted;
	uint64_t streams_missing; /* of which nothing is there */
	uint64_t packets_missing; /* of streams of which something is there */
	/* traces (folders) of which nothing says which streams they should have */
	uint64_t unverifiable;
	const char *unverifiable_why; /* NULL: none is */
};

/* Who is told, on the caller's thread. */
struct ctf_verify_handler {
	void *user;
	void (*finding)(void *user, const struct ctf_verify_finding *finding);
	/* Optional: something that leaves the outcome alone; a line that is ready to be shown. */
	void (*note)(void *user, const char *note);
	/*
	 * Optional: the trace declares such events; before any finding. @field: their first, may be
	 * NULL. Hostile.
	 */
	void (*declared)(void *user, const char *event, const char *field);
};

/*
 * Verifies the trace in folder @path on @jobs threads. Findings are told in the order of streams
 * and packets whatever @jobs is; of a broken packet not every consequence is told. Returns 0, with
 * findings or without, or -1 with @err set when the trace cannot be opened or read to its end.
 */
int ctf_verify(const char *path, unsigned int jobs, const struct ctf_verify_handler *handler,
	       struct ctf_verify_counts *counts, struct mm_error *err);

#endif /* LTTNG_MM_INSPECT_VERIFY_H */
