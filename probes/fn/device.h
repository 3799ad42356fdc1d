/* SPDX-License-Identifier: GPL-2.0-only */
/* The device by which root adds and removes functions. */
#ifndef LTTNG_MM_PROBES_FN_DEVICE_H
#define LTTNG_MM_PROBES_FN_DEVICE_H

int fn_device_init(void);
void fn_device_exit(void);

#endif /* LTTNG_MM_PROBES_FN_DEVICE_H */
