/* SPDX-License-Identifier: GPL-2.0-only */
/* The state dump of the functions. */
#ifndef LTTNG_MM_PROBES_FN_STATEDUMP_H
#define LTTNG_MM_PROBES_FN_STATEDUMP_H

int fn_statedump_init(void);
void fn_statedump_exit(void);

#endif /* LTTNG_MM_PROBES_FN_STATEDUMP_H */
