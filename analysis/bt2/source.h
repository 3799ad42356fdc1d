/* SPDX-License-Identifier: LGPL-2.1-only */
/* The source that reads through libbabeltrace2: CTF folders, live sessions of a relay daemon. */
#ifndef LTTNG_MM_BT2_SOURCE_H
#define LTTNG_MM_BT2_SOURCE_H

#include "analysis/trace/source.h"

/*
 * NULL and @err set when memory is short. The opener fills in path, options and folders; without a
 * folder the path is that of a live session. options.jobs does not matter here.
 */
struct mm_source *mm_bt2_source_create(struct mm_error *err);

#endif /* LTTNG_MM_BT2_SOURCE_H */
