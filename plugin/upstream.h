/* SPDX-License-Identifier: LGPL-2.1-only */
/* Finds the source components of a sink's graph, and opens the traces that they read. */
#ifndef LTTNG_MM_PLUGIN_UPSTREAM_H
#define LTTNG_MM_PLUGIN_UPSTREAM_H

#include <babeltrace2/babeltrace.h>

#include "reader/bt2/events.h"

struct mm_bt2_upstream {
	bool plain;   /* the graph consists of source.ctf.fs, muxers and trimmers only */
	char **ports; /* names of source ports; each contains the UUID or folder of a trace */
	size_t port_count;
};

/*
 * Follows the connections from a sink's @input to the sources. The graph must be complete. Returns
 * 0, or -1 when out of memory.
 */
int mm_bt2_upstream_find(struct mm_bt2_upstream *upstream, const bt_port_input *input);
void mm_bt2_upstream_release(struct mm_bt2_upstream *upstream);

/*
 * Opens the traces of a plain graph to read their state dumps. The graph delivers these too late
 * or, if it contains a trimmer, not at all. Finds the traces in the folders of the streams that
 * @events has seen, and in sibling folders. Call this before the first event. Returns NULL if there
 * are no traces, or if they cannot be read.
 */
struct mm_source *mm_bt2_upstream_open(const struct mm_bt2_upstream *upstream,
				       const struct mm_bt2_events *events);

#endif /* LTTNG_MM_PLUGIN_UPSTREAM_H */
