/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the kernel's command line asks the recorder to do from boot on:
 *
 *   lttng_mm.enable=1 lttng_mm.profile=slab lttng_mm.subbufs=16
 *
 * The kernel itself takes a parameter with a dot in its name for one of a module that may come
 * later, so it neither warns of these nor hands them to init.
 */
#ifndef LTTNG_MM_SESSION_BOOT_H
#define LTTNG_MM_SESSION_BOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct boot_request {
	bool enabled;	       /* what follows is set only then */
	char profile[32];      /* slab where nothing is said */
	uint64_t subbuf_count; /* for each CPU; 0: the profile's own */
};

/*
 * @line: the command line; quotes and dashes for underscores are understood as the kernel does, and
 * of several values the last counts. Returns 0, or -1 with @err set: an unknown parameter of ours,
 * or a value that is none.
 */
int boot_parse(const char *line, struct boot_request *request, struct mm_error *err);

/* The same of /proc/cmdline. */
int boot_read(struct boot_request *request, struct mm_error *err);

#endif /* LTTNG_MM_SESSION_BOOT_H */
