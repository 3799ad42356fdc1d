/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the kernel command line requests from the recorder at boot:
 *
 *   lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=16
 *
 * The kernel takes a parameter with a dot in its name for one of a module that may be loaded later,
 * so it neither warns about these nor passes them to init.
 */
#ifndef LTTNG_MM_SESSION_BOOT_H
#define LTTNG_MM_SESSION_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct boot_request {
	bool enabled;	       /* the other members are valid only if set */
	char profile[32];      /* slab by default */
	uint64_t subbuf_count; /* for each CPU; 0: the default of the profile */
};

/*
 * Parses the command line @line. As in the kernel, quotes are removed, dashes equal underscores,
 * and the last of several values counts. Returns 0, or -1 with @err set if one of our parameters is
 * unknown or has an invalid value.
 */
int boot_parse(const char *line, struct boot_request *request, struct mm_error *err);

/* Parses /proc/cmdline in the same way. */
int boot_read(struct boot_request *request, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_BOOT_H */
