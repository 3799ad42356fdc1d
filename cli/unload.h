/* SPDX-License-Identifier: LGPL-2.1-only */
/* Ends and unloads what `record` has started and loaded. */
#ifndef LTTNG_MM_CLI_UNLOAD_H
#define LTTNG_MM_CLI_UNLOAD_H

#include <stdbool.h>

/*
 * Ends the session daemon if `record` has started it, then unloads the kernel modules of this
 * project, and those of LTTng that nobody else uses. Prints what has ended, and warns about what is
 * still in use. @daemon_ends: the recorder daemon ends, or none is running; otherwise nothing is
 * changed. Only root may.
 */
void unload_all(bool daemon_ends);

#endif /* LTTNG_MM_CLI_UNLOAD_H */
