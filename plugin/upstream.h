/* SPDX-License-Identifier: LGPL-2.1-only */
/* What a sink's graph consists of, and the state sessions beside its traces. */
#ifndef LTTNG_MM_PLUGIN_UPSTREAM_H
#define LTTNG_MM_PLUGIN_UPSTREAM_H

#include <babeltrace2/babeltrace.h>

#include "analysis/bt2/events.h"

struct mm_bt2_upstream {
	/*
	 * Its streams come from files, one port each, and all of them reach the sink: the sources
	 * are source.ctf.fs, the filters muxers and trimmers.
	 */
	bool plain;
	char **ports; /* names of the sources' ports: a trace's UUID or folder is in them */
	size_t port_count;
};

/*
 * Follows the connections up from a sink's @input, all of which are made. Returns 0, or -1: out of
 * memory.
 */
int mm_bt2_upstream_find(struct mm_bt2_upstream *upstream, const bt_port_input *input);
void mm_bt2_upstream_release(struct mm_bt2_upstream *upstream);

/*
 * To be called before the graph's first event, when @events has seen streams: opens the traces of a
 * plain graph that lie in those streams' folders, and those beside them that the graph has and that
 * have not come yet. NULL: there are none, or they cannot be read. Run with `only_state`, the
 * source reads the state that the graph would deliver too late, or, where a trimmer leaves it out,
 * not at all.
 */
struct mm_source *mm_bt2_upstream_open(const struct mm_bt2_upstream *upstream,
				       const struct mm_bt2_events *events);

#endif /* LTTNG_MM_PLUGIN_UPSTREAM_H */
