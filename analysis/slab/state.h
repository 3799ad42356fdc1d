/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of the slab analysis. */
#ifndef LTTNG_MM_SLAB_STATE_H
#define LTTNG_MM_SLAB_STATE_H

#include "analysis/slab/account/requests.h"
#include "analysis/slab/account/stacks.h"
#include "analysis/slab/decode/events.h"
#include "analysis/slab/decode/nodes.h"
#include "analysis/slab/decode/paths.h"
#include "analysis/slab/decode/threads.h"
#include "analysis/slab/report/report.h"
#include "analysis/slab/track/batches.h"
#include "analysis/slab/track/coverage.h"
#include "analysis/slab/track/recorder.h"
#include "reader/sysinfo/call-sites.h"

struct slab_state {
	struct slab_decoder decoder;
	bool started;	 /* an event other than of state was there */
	int64_t boot_ns; /* what the trace's clock counts from */
	struct slab_batches batches;
	struct slab_requester by; /* the last one */
	uint32_t by_tid;	  /* ... its thread id; UINT32_MAX: none */
	/* The recorder's threads, while the trace is read for the first time; maybe none. */
	struct mm_selection selection;
	struct mm_selected_last selected; /* of the thread of the batches */
	bool later_known;		  /* objects that are freed after the time range are */
	bool recorder_known;		  /* accounts were left out by the threads of all events */
	/* When the trace is read again: by account, is it left out? */
	uint8_t *omissions;
	uint32_t omission_count;
	/* Maybe written by the thread of the batches: */
	struct slab_tracker tracker;
	/* Filled as events come: */
	struct slab_requests requests;
	struct slab_stacks stacks;
	struct slab_threads threads;
	struct slab_paths paths;
	struct slab_nodes nodes;
	struct mm_call_sites call_sites;
	struct mm_addresses *addresses; /* of call stacks; NULL: there are none */
	/* At the end: */
	struct slab_recorder recorder;
	struct slab_coverage coverage;
	struct slab_results results;
};

#endif /* LTTNG_MM_SLAB_STATE_H */
