/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the system information of a snapshot: what another machine needs to read the trace. */
#ifndef LTTNG_MM_SESSION_SYSINFO_H
#define LTTNG_MM_SESSION_SYSINFO_H

#include <jansson.h>
#include <stdbool.h>

#include "reader/sysinfo/part.h"
#include "util/error.h"

/* At most so many; lttng-mm-snapshot(1) lists them. */
#define SYSINFO_FILES (10 + MM_SYSINFO_PARTS_MAX)

/* The modules that were loaded when sysinfo_modules_read() was called. */
struct sysinfo_modules;

/* Must be called before state is dumped. NULL: out of memory. */
struct sysinfo_modules *sysinfo_modules_read(void);
void sysinfo_modules_destroy(struct sysinfo_modules *modules);

/* Do the traces of a snapshot reveal where KASLR placed the kernel? */
enum sysinfo_kaslr {
	SYSINFO_KASLR_UNKNOWN, /* of the metadata, or of a function in it, nothing is known */
	SYSINFO_KASLR_SAFE,
	SYSINFO_KASLR_REVEALED, /* they may have raw addresses, such as in call stacks */
};

/* What is printed with a snapshot of which SYSINFO_KASLR_REVEALED holds. */
#define SYSINFO_KASLR_NOTE \
	"the snapshot is not KASLR-safe: its call stacks or other events, and sysinfo/addresses.json, reveal where the kernel is in memory; do not give it to others"

/* The files that could not be written, and whether there are addresses in what was. */
struct sysinfo_gaps {
	enum sysinfo_kaslr kaslr;
	size_t count;
	struct {
		const char *file;
		struct mm_error err;
	} all[SYSINFO_FILES];
};

/*
 * Creates the folder `sysinfo` in the folder of the descriptor @snapshot, and its files;
 * lttng-mm-snapshot(1) lists them. A module that differs from that in @before has no symbols: the
 * state dump may refer to another module of that name. @session: the recorder, or its only session;
 * @partial: a filter or tracker excludes some events. Files that cannot be written are listed in
 * @gaps: the trace is worth keeping without them.
 */
void sysinfo_write(int snapshot, const struct sysinfo_modules *before, const char *session,
		   bool partial, struct sysinfo_gaps *gaps);

/* Each writes one file to the folder of the descriptor @folder. */
int sysinfo_write_files(int folder, struct mm_error *err);
/* The processes that record. */
int sysinfo_write_recorder(int folder, struct mm_error *err);
/* A file of a subsystem. */
int sysinfo_write_part(int folder, const struct mm_sysinfo_part *part, struct mm_error *err);
/*
 * @hidden: set if the kernel does not show addresses (kernel.kptr_restrict), so there are no
 * symbols.
 */
int sysinfo_write_symbols(int folder, const struct sysinfo_modules *before, bool *hidden,
			  struct mm_error *err);

/*
 * The addresses of the kernel's text and of the modules that are still those of @before, to name
 * what is in call stacks; only for SYSINFO_KASLR_REVEALED. What the kernel hides is left out.
 */
int sysinfo_write_addresses(int folder, const struct sysinfo_modules *before, struct mm_error *err);

/* Looks for call stacks and for events in the metadata of the traces, whoever requested them. */
enum sysinfo_kaslr sysinfo_find_kaslr(int snapshot);

/*
 * Lists the traces in the folder @snapshot: UUIDs, streams, and the number of packets in each. NULL
 * with @err set if one of them cannot be read.
 */
json_t *sysinfo_list_traces(const char *snapshot, struct mm_error *err);
/* Adds the checksums of the other files in the open @folder, so that readers know other ones. */
void sysinfo_add_sums(int folder, json_t *list);
/*
 * Writes that list to @folder, for the folder of the descriptor @snapshot. No list is written if a
 * trace cannot be read.
 */
int sysinfo_write_traces(int folder, int snapshot, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SYSINFO_H */
