/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers of the hot path. */
#ifndef LTTNG_MM_PROBES_FN_CAPTURE_H
#define LTTNG_MM_PROBES_FN_CAPTURE_H

/* Sleeps. */
int fn_capture_init(void);
/* No function is hooked any more. */
void fn_capture_exit(void);

#endif /* LTTNG_MM_PROBES_FN_CAPTURE_H */
