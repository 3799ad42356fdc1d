// SPDX-License-Identifier: LGPL-2.1-only
/* lttng-mm record --window: chooses the sizes of sub-buffers by measured rates. */
#include "cli/record-window.h"

#include <inttypes.h>
#include <stdio.h>

#include "lttng-session/status/window.h"
#include "util/duration.h"

static void print_ring(const struct profile *profile, const struct profile_channel *channel,
		       const struct window_ring *ring)
{
	char reach[MM_DURATION_TEXT];

	mm_duration_format(reach, sizeof(reach), ring->reach_ns);
	printf("%s%s%s: the busiest CPU wrote %" PRIu64 " KiB/s during %d s: %" PRIu64
	       " sub-buffers of %" PRIu64 " KiB for each CPU",
	       profile->name, *channel->name ? ", channel " : "", channel->name, ring->rate >> 10,
	       WINDOW_MEASURE_S, ring->subbuf_count, ring->subbuf_bytes >> 10);
	if (ring->rate)
		printf(", which reach back %s at that rate\n", reach);
	else
		printf(", the smallest size: nothing was recorded in that time\n");
}

int record_window_choose(struct recorder_options *options, int64_t window_ns, struct mm_error *err)
{
	struct window_result result;
	size_t ring = 0;

	if (window_measure(options, window_ns, &result, err))
		return -1;
	for (size_t i = 0; i < options->count; i++)
		for (size_t c = 0; c < options->profiles[i]->channel_count; c++)
			print_ring(options->profiles[i], &options->profiles[i]->channels[c],
				   &result.rings[ring++]);
	printf("buffers and their copies during a snapshot take up to %" PRIu64 " KiB on %u CPUs\n",
	       result.bytes >> 10, result.cpus);
	if (result.idle_percent >= WINDOW_IDLE_PERCENT) {
		fflush(stdout);
		fprintf(stderr,
			"lttng-mm: warning: --window: the machine was %d %% idle while the rate was measured, so the buffers reach back less under load; stop the recorder and start it again under load\n",
			result.idle_percent);
	}
	return 0;
}
