// SPDX-License-Identifier: LGPL-2.1-only
/* Initializes and releases the parts of the tracker. */
#include "analysis/slab/track/tracker.h"

int slab_tracker_init(struct slab_tracker *tracker)
{
	return slab_waste_init(&tracker->waste) || slab_live_init(&tracker->live) ||
			       slab_pairing_init(&tracker->pairing) ||
			       slab_tallies_init(&tracker->tallies) ||
			       slab_remote_init(&tracker->remote)
		       ? -1
		       : 0;
}

void slab_tracker_release(struct slab_tracker *tracker)
{
	slab_pairing_release(&tracker->pairing);
	slab_live_release(&tracker->live);
	slab_waste_release(&tracker->waste);
	slab_tallies_release(&tracker->tallies);
	slab_remote_release(&tracker->remote);
	slab_cross_node_release(&tracker->cross_node);
}
