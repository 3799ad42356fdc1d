/* SPDX-License-Identifier: LGPL-2.1-only */
/* The part of `status` about what the recorder daemon has repaired. */
#ifndef LTTNG_MM_CLI_STATUS_REPAIRS_H
#define LTTNG_MM_CLI_STATUS_REPAIRS_H

#include <stdio.h>

/* Prints the last repairs, one per line; nothing if there are none. */
void status_print_repairs(FILE *out);

#endif /* LTTNG_MM_CLI_STATUS_REPAIRS_H */
