/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Parameters of the recorder on the kernel command line:
 *
 *   lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=16
 *
 * The kernel assumes that a parameter with a dot belongs to a module. Therefore it neither warns
 * about these parameters nor passes them to init.
 */
#ifndef LTTNG_MM_SESSION_BOOT_H
#define LTTNG_MM_SESSION_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct boot_request {
	bool enabled;	       /* if false, the other members are invalid */
	char profile[32];      /* name of the profile; slab by default */
	uint64_t subbuf_count; /* number of sub-buffers per CPU; 0: the profile's number */
};

/*
 * Parses the command line @line as the kernel does: removes quotes, treats dashes like underscores,
 * and uses the last of several values. Returns 0, or -1 with @err set if a parameter lttng_mm.* is
 * unknown or invalid.
 */
int boot_parse(const char *line, struct boot_request *request, struct mm_error *err);

/*
 * Does the command line @line contain lttng_mm.clock=instructions? vm/run.sh --icount adds it,
 * because a guest cannot find out itself that its clock counts instructions.
 */
bool boot_counts_instructions(const char *line);

/* Parses /proc/cmdline. Returns the same values as boot_parse(). */
int boot_read(struct boot_request *request, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_BOOT_H */
