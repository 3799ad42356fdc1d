/* SPDX-License-Identifier: LGPL-2.1-only */
/* `stop --all`: ends the session daemon that `record` started, and unloads modules. */
#ifndef LTTNG_MM_CLI_UNLOAD_H
#define LTTNG_MM_CLI_UNLOAD_H

#include <stdbool.h>

/*
 * Ends the session daemon if `record` started it. Unloads lttng-mm's kernel modules and unused
 * modules of LTTng. Prints what has ended or was unloaded, and what is still in use. Does nothing
 * unless this process is root and @daemon_ends, the result of daemon_end(), is true.
 */
void unload_all(bool daemon_ends);

#endif /* LTTNG_MM_CLI_UNLOAD_H */
