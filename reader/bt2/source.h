/* SPDX-License-Identifier: LGPL-2.1-only */
/* The source that uses libbabeltrace2: reads CTF folders and live sessions of a relay daemon. */
#ifndef LTTNG_MM_BT2_SOURCE_H
#define LTTNG_MM_BT2_SOURCE_H

#include "reader/events/source.h"

struct mm_folder_ops;

/*
 * Creates a source; the caller fills in path, options and folders. Without folders, the path is the
 * URL of a live session. options.jobs has no effect. Returns NULL with @err set when out of memory.
 */
struct mm_source *mm_bt2_source_create(struct mm_error *err);

/*
 * Creates a source for events that another graph delivers to mm_bt2_events. The source itself
 * cannot run. Error messages call the source @path. Returns NULL when out of memory.
 */
struct mm_source *mm_bt2_graph_source_create(const char *path,
					     const struct mm_folder_ops *folder_ops);

#endif /* LTTNG_MM_BT2_SOURCE_H */
