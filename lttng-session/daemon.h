/* SPDX-License-Identifier: LGPL-2.1-only */
/* The LTTng session daemon and the kernel probes it needs. */
#ifndef LTTNG_MM_SESSION_DAEMON_H
#define LTTNG_MM_SESSION_DAEMON_H

#include "lttng-session/profile.h"
#include "util/error.h"

/* Loads the profile's probe, unless it is loaded. Returns 0, or -1 with @err set. */
int daemon_load_probe(const struct profile *profile, struct mm_error *err);

/* Finds a running session daemon that we may talk to, or starts one. */
int daemon_ensure(struct mm_error *err);

/* Is there one to talk to? Returns 0, or -1 with @err set. */
int daemon_require(struct mm_error *err);

#endif /* LTTNG_MM_SESSION_DAEMON_H */
