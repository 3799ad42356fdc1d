/* SPDX-License-Identifier: LGPL-2.1-only */
/* DAX devices in the system information. */
#ifndef LTTNG_MM_DAX_DEVICES_H
#define LTTNG_MM_DAX_DEVICES_H

#include "reader/sysinfo/sysinfo.h"

extern const struct mm_sysinfo_part dax_sysinfo_parts[];

/*
 * Is the device's memory 2 MiB aligned, as huge pages require? Returns 1 or 0; -1: not known.
 * @sysinfo may be NULL.
 */
int dax_device_is_aligned(const struct mm_sysinfo *sysinfo, unsigned int major, unsigned int minor);

#endif
