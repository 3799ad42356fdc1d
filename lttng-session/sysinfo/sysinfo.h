/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the system information of a snapshot, which other machines need to analyze the trace. */
#ifndef LTTNG_MM_SESSION_SYSINFO_H
#define LTTNG_MM_SESSION_SYSINFO_H

#include <jansson.h>
#include <stdbool.h>

#include "reader/sysinfo/part.h"
#include "util/error.h"

/* Maximum number of files of system information. lttng-mm-snapshot(1) lists them. */
#define SYSINFO_FILES (10 + MM_SYSINFO_PARTS_MAX)

/* The modules that were loaded when sysinfo_modules_read() was called. */
struct sysinfo_modules;

/* Lists the loaded modules. Call it before the state dump. Returns NULL when out of memory. */
struct sysinfo_modules *sysinfo_modules_read(void);
void sysinfo_modules_destroy(struct sysinfo_modules *modules);

/* Do the traces of a snapshot reveal the KASLR offset? */
enum sysinfo_kaslr {
	/* the metadata is unreadable, or contains events of an unknown function */
	SYSINFO_KASLR_UNKNOWN,
	SYSINFO_KASLR_SAFE,
	SYSINFO_KASLR_REVEALED, /* the traces may contain raw addresses, such as call stacks */
};

/* Note in a snapshot with SYSINFO_KASLR_REVEALED. */
#define SYSINFO_KASLR_NOTE \
	"the snapshot is not KASLR-safe: its call stacks or other events, and sysinfo/addresses.json, reveal the location of the kernel in memory; do not give it to others"

/* The files that could not be written. @kaslr: does the snapshot reveal addresses? */
struct sysinfo_gaps {
	enum sysinfo_kaslr kaslr;
	size_t count;
	struct {
		const char *file;
		struct mm_error err;
	} all[SYSINFO_FILES];
};

/*
 * Creates the folder `sysinfo` in the folder @snapshot (a descriptor), and writes its files.
 * Omits the symbols of modules that differ from @before, because addresses in the state dump may
 * belong to the earlier module. @session is the recorder, or its only session. @cgroup is the
 * cgroup whose page references were recorded; if it is NULL, the cgroup is looked up in the plan.
 * @partial is true if a filter or tracker excludes some events. Lists files that could not be
 * written in @gaps.
 */
void sysinfo_write(int snapshot, const struct sysinfo_modules *before, const char *session,
		   const char *cgroup, bool partial, struct sysinfo_gaps *gaps);

/*
 * Each of the following functions writes a file to the folder of the descriptor @folder, and
 * returns 0, or -1 with @err set. sysinfo_write_files() lists files on DAX filesystems.
 */
int sysinfo_write_files(int folder, struct mm_error *err);
/* Lists the processes that record. */
int sysinfo_write_recorder(int folder, struct mm_error *err);
/* Writes the file of a subsystem. */
int sysinfo_write_part(int folder, const struct mm_sysinfo_part *part, struct mm_error *err);
/* Writes the symbols. Sets *@hidden if the kernel hides addresses (kernel.kptr_restrict). */
int sysinfo_write_symbols(int folder, const struct sysinfo_modules *before, bool *hidden,
			  struct mm_error *err);

/* Writes how much memory is charged to a cgroup, if it exists and has a memory controller. */
int sysinfo_write_cgroup(int folder, const char *cgroup, struct mm_error *err);

/*
 * Writes the addresses that are needed to resolve call stacks: the addresses of the kernel's text
 * and of modules. Omits modules that differ from @before, and addresses that the kernel hides. Call
 * it only for SYSINFO_KASLR_REVEALED.
 */
int sysinfo_write_addresses(int folder, const struct sysinfo_modules *before, struct mm_error *err);

/*
 * Searches the metadata of the traces for call stacks, and for events that may contain addresses.
 */
enum sysinfo_kaslr sysinfo_find_kaslr(int snapshot);

/*
 * Lists the traces in the folder @snapshot with their UUIDs, streams, and packet counts.
 * Returns NULL with @err set if a trace cannot be read.
 */
json_t *sysinfo_list_traces(const char *snapshot, struct mm_error *err);
/* Adds the checksums of the other files in @folder to the list, so that readers detect changes. */
void sysinfo_add_sums(int folder, json_t *list);
/*
 * Writes the list of the traces in @snapshot, a descriptor. Omits the file if a trace cannot be
 * read.
 */
int sysinfo_write_traces(int folder, int snapshot, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SYSINFO_H */
