/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes the sysinfo folder of a snapshot: what another machine needs to read the trace. */
#ifndef LTTNG_MM_SESSION_SYSINFO_H
#define LTTNG_MM_SESSION_SYSINFO_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

/* As many as there are, lttng-mm-snapshot(1) lists them. */
#define SYSINFO_FILES 10

/* The modules that were loaded when sysinfo_modules_read() was called. */
struct sysinfo_modules;

/* To be called before state is dumped. NULL: memory is short. */
struct sysinfo_modules *sysinfo_modules_read(void);
void sysinfo_modules_destroy(struct sysinfo_modules *modules);

/* The files that could not be written. */
struct sysinfo_gaps {
	size_t count;
	struct {
		const char *file;
		struct mm_error err;
	} all[SYSINFO_FILES];
};

/*
 * Makes the folder `sysinfo` in the folder that the descriptor @snapshot stands for, and its files;
 * lttng-mm-snapshot(1) lists them. A module that is not the same as in @before gets no symbols: the
 * state dump's may have been another of that name. What cannot be written is left out and listed in
 * @gaps: the trace is worth keeping without it.
 */
void sysinfo_write(int snapshot, const struct sysinfo_modules *before, const char *session,
		   struct sysinfo_gaps *gaps);

/*
 * For the parts, which get a descriptor of the folder. Writes @json (which it takes over; NULL:
 * memory is short) to the new file @name in it.
 */
int sysinfo_write_json(int folder, const char *name, json_t *json, struct mm_error *err);
/* A JSON string of any bytes: what is no UTF-8 becomes U+FFFD. */
json_t *sysinfo_string(const char *text);
/* Reads a file's first line into @text, without its end; empty when it cannot be read. */
void sysinfo_read_line(const char *path, char *text, size_t size);

/* The parts, a file of its own each. */
int sysinfo_write_files(int folder, struct mm_error *err);
/* The processes that record. */
int sysinfo_write_recorder(int folder, struct mm_error *err);
/* Without /sys/kernel/slab there are no aliases to write. */
int sysinfo_write_slab(int folder, struct mm_error *err);
/*
 * @hidden: the kernel shows no addresses (its parameter kernel.kptr_restrict), so there are no
 * symbols.
 */
int sysinfo_write_symbols(int folder, const struct sysinfo_modules *before, bool *hidden,
			  struct mm_error *err);

/*
 * Lists the traces in the folder @snapshot: UUIDs, streams, and how many packets of each are there.
 * NULL with @err set if one of them cannot be read.
 */
json_t *sysinfo_list_traces(const char *snapshot, struct mm_error *err);
/*
 * Writes that to @folder, for the folder that the descriptor @snapshot stands for. A trace that
 * cannot be read has no list.
 */
int sysinfo_write_traces(int folder, int snapshot, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_SYSINFO_H */
