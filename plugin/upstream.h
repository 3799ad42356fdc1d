/* SPDX-License-Identifier: LGPL-2.1-only */
/* The composition of a sink's graph, and the state sessions next to its traces. */
#ifndef LTTNG_MM_PLUGIN_UPSTREAM_H
#define LTTNG_MM_PLUGIN_UPSTREAM_H

#include <babeltrace2/babeltrace.h>

#include "reader/bt2/events.h"

struct mm_bt2_upstream {
	/*
	 * All streams come from files, one port each, and reach the sink: the sources are
	 * source.ctf.fs, the filters muxers and trimmers.
	 */
	bool plain;
	char **ports; /* names of the sources' ports, which contain the UUID or folder of a trace */
	size_t port_count;
};

/*
 * Follows the connections upstream from a sink's @input; all must be made. Returns 0, or -1: out of
 * memory.
 */
int mm_bt2_upstream_find(struct mm_bt2_upstream *upstream, const bt_port_input *input);
void mm_bt2_upstream_release(struct mm_bt2_upstream *upstream);

/*
 * Must be called before the first event of the graph, when @events has seen streams: opens the
 * traces of a plain graph in the folders of those streams, and those next to them that belong to
 * the graph but have not arrived yet. NULL: there are none, or they cannot be read. If run with
 * `only_state`, the source reads the state that the graph would deliver too late, or not at all
 * behind a trimmer.
 */
struct mm_source *mm_bt2_upstream_open(const struct mm_bt2_upstream *upstream,
				       const struct mm_bt2_events *events);

#endif /* LTTNG_MM_PLUGIN_UPSTREAM_H */
