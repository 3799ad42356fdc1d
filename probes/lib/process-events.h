/* SPDX-License-Identifier: GPL-2.0-only */
/* The state dump of threads. Private to the library. */
#ifndef LTTNG_MM_PROBES_LIB_PROCESS_EVENTS_H
#define LTTNG_MM_PROBES_LIB_PROCESS_EVENTS_H

int lttng_mm_process_events_init(void);
void lttng_mm_process_events_exit(void);

#endif /* LTTNG_MM_PROBES_LIB_PROCESS_EVENTS_H */
