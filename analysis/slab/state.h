/* SPDX-License-Identifier: LGPL-2.1-only */
/* State of the slab analysis. */
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
	bool started;	 /* an event other than a state dump was seen */
	int64_t boot_ns; /* time at which the clock of the trace was 0 */
	struct slab_batches batches;
	struct slab_requester by; /* thread of the last page event or failed allocation */
	uint32_t by_tid;	  /* thread id in @by; UINT32_MAX: none */
	/* used in the first reading, to omit the recorder's threads */
	struct mm_selection selection;
	struct mm_selected_last selected; /* used by the thread that processes batches */
	/* objects freed after the time range have been marked (SLAB_OBJECT_FREED_LATER) */
	bool later_known;
	bool recorder_known; /* the trace identifies all threads of the recorder */
	/* second reading: enum slab_omission by account */
	uint8_t *omissions;
	uint32_t omission_count;
	/* If a thread processes batches, only this thread writes the tracker. */
	struct slab_tracker tracker;
	/* The thread that reads events writes the following members. */
	struct slab_requests requests;
	struct slab_stacks stacks;
	struct slab_threads threads;
	struct slab_paths paths;
	struct slab_nodes nodes;
	struct mm_call_sites call_sites;
	struct mm_addresses *addresses; /* names for addresses in call stacks; NULL: no stacks */
	/* The following members are set at the end. */
	struct slab_recorder recorder;
	struct slab_coverage coverage;
	struct slab_results results;
};

#endif /* LTTNG_MM_SLAB_STATE_H */
