/* SPDX-License-Identifier: LGPL-2.1-only */
/* The source that uses libbabeltrace2: reads CTF folders and live sessions of a relay daemon. */
#ifndef LTTNG_MM_BT2_SOURCE_H
#define LTTNG_MM_BT2_SOURCE_H

#include "reader/events/source.h"

/*
 * Returns NULL with @err set when out of memory. The caller fills in path, options and folders;
 * without folders, the path is that of a live session. options.jobs has no effect.
 */
struct mm_source *mm_bt2_source_create(struct mm_error *err);

#endif /* LTTNG_MM_BT2_SOURCE_H */
